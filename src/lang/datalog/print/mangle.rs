//! Mangle: upper-case variables; a comment says which relation is asked for.

use super::*;

pub struct Mangle;

pub fn program(p: &Program) -> String {
    let facts = lines(p.facts.iter().map(|f| Mangle.fact(f)));
    let rules = lines(p.rules.iter().map(|r| Mangle.rule(r)));
    [asked(&p.output), facts, rules].concat()
}

/// The line that says what is asked for.
pub fn asked(output: &str) -> String {
    format!("# output {output}\n")
}

impl Style for Mangle {
    fn var(&self, v: Var) -> String {
        format!("X{v}")
    }

    fn constant(&self, c: &Constant) -> String {
        match c {
            // Between double quotes 0.9.2 ends a string at an escaped quote, and spoils what is not ASCII beside an
            // escape; between backticks every character is itself.
            Constant::Symbol(s) if s.contains(['"', '\\', '\n', '\t']) || !s.is_ascii() => format!("`{s}`"),
            other => plain_constant(other),
        }
    }

    fn binary(&self, o: Operator, a: String, b: String) -> String {
        match o {
            Operator::Add => format!("fn:plus({a}, {b})"),
            Operator::Subtract => format!("fn:minus({a}, {b})"),
            Operator::Multiply => format!("fn:mult({a}, {b})"),
            other => plain_binary(other, &a, &b),
        }
    }

    fn aggregate(&self, a: &Aggregate) -> String {
        format!("{:?}", a.fold)
    }
}
