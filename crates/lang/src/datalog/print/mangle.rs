//! Mangle: upper-case variables; a comment says which relation is asked for.

use super::*;

pub struct Mangle;

pub fn program(p: &Program) -> String {
    let facts = lines(p.facts.iter().map(|f| Mangle.fact(f)));
    let rules = lines(p.rules.iter().map(|r| Mangle.rule(r)));
    [output_query(&p.output), facts, rules].concat()
}

/// The line that says what is asked for.
pub fn output_query(output: &str) -> String {
    format!("# output {output}\n")
}

impl Style for Mangle {
    /// 0.9.2 plans a body as it is written: what binds variables comes first, and what only asks for them last. Whether
    /// another order has a meaning there is not said, so none is written.
    fn body(&self, body: &[Literal]) -> String {
        let place = |l: &&Literal| match l {
            Literal::Atom(_) => 0,
            Literal::Not(_) => 2,
            _ => 1,
        };
        let mut ordered: Vec<&Literal> = body.iter().collect();
        ordered.sort_by_key(place);
        ordered.into_iter().map(|l| self.literal(l)).collect::<Vec<_>>().join(", ")
    }

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
