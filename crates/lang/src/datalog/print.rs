//! Tree to text: one printer per form, all from the one tree. What comes out is a whole program that says what it
//! outputs, as a person would paste it. A printer writes what `check` lets through for its dialect.

mod clingo;
mod cozo;
mod ddlog;
mod growing;
mod mangle;
mod smt2;
mod souffle;
#[cfg(test)]
mod tests;
mod z3;

pub use growing::GrowingText;
pub use souffle::can_be_planned;

use super::ast::*;
use qualm_core::dialect::datalog::{DatalogDialect, Form};
use std::fmt::Write;

/// The program with these switches (by name; unknown ones are left out).
pub fn program(program: &Program, dialect: &DatalogDialect, switches: &[String]) -> String {
    let lines = switch_lines(dialect, switches);
    match dialect.form {
        Form::Souffle => souffle::program(program, &lines),
        Form::Bddbddb => z3::program(program, dialect, &lines),
        Form::Smt2 => smt2::program(program, dialect, &lines),
        Form::Cozo => cozo::program(program, &lines, cozo::FOR_PEOPLE),
        Form::Ddlog => ddlog::program(program),
        Form::Clingo => clingo::program(program, &lines),
        Form::Mangle => mangle::program(program),
    }
}

/// The same program as its engine reads it fastest, for a text that nobody else reads.
pub fn for_the_parser(program: &Program, dialect: &DatalogDialect, switches: &[String]) -> String {
    match dialect.form {
        Form::Cozo => cozo::program(program, &switch_lines(dialect, switches), cozo::FOR_THE_PARSER),
        _ => self::program(program, dialect, switches),
    }
}

fn switch_lines<'a>(dialect: &'a DatalogDialect, switches: &[String]) -> Vec<&'a str> {
    switches.iter().filter_map(|s| dialect.switch(s)).map(|s| s.text).collect()
}

/// How a dialect writes the small things; what is bigger each printer does itself.
trait Style {
    fn var(&self, v: Var) -> String;
    fn constant(&self, c: &Constant) -> String;
    fn binary(&self, o: Operator, a: String, b: String) -> String;
    fn aggregate(&self, a: &Aggregate) -> String;

    fn call(&self, function: Function, t: String) -> String {
        match function {
            Function::Length => format!("strlen({t})"),
            Function::Lower => format!("to_lower({t})"),
            Function::Upper => format!("to_upper({t})"),
            Function::Absolute => format!("|{t}|"),
            Function::BitNot => format!("(bnot {t})"),
            Function::ToText => format!("to_string({t})"),
            Function::ToNumber => format!("to_number({t})"),
            Function::ToUnsigned => format!("to_unsigned({t})"),
            Function::ToFloat => format!("to_float({t})"),
            Function::LogicalNot => format!("(lnot {t})"),
            Function::Ordinal => format!("ord({t})"),
        }
    }

    /// Patterns where there is no word for it.
    fn test(&self, test: Test, part: &Term, whole: &Term) -> String {
        let pattern = |before: &str, after: &str| match part {
            Term::Constant(Constant::Symbol(s)) => {
                self.constant(&Constant::Symbol(format!("{before}{s}{after}").into()))
            }
            other => self.term(other),
        };
        match test {
            Test::Contains => format!("contains({}, {})", self.term(part), self.term(whole)),
            Test::StartsWith => format!("match({}, {})", pattern("", ".*"), self.term(whole)),
            Test::EndsWith => format!("match({}, {})", pattern(".*", ""), self.term(whole)),
            Test::Matches => format!("match({}, {})", self.term(part), self.term(whole)),
            Test::Lacks => format!("!contains({}, {})", self.term(part), self.term(whole)),
            Test::Differs => format!("!match({}, {})", self.term(part), self.term(whole)),
        }
    }

    fn relation(&self, name: &str) -> String {
        name.to_owned()
    }

    fn comparison(&self, c: Comparison) -> &'static str {
        plain_comparison(c)
    }

    fn negated(&self, atom: String) -> String {
        format!("!{atom}")
    }

    fn negative(&self, t: String) -> String {
        format!("(-{t})")
    }

    fn term(&self, t: &Term) -> String {
        match t {
            Term::Var(v) => self.var(*v),
            Term::Constant(c) => self.constant(c),
            Term::Wildcard => "_".into(),
            Term::Negate(t) => self.negative(self.term(t)),
            Term::Binary(o, a, b) => self.binary(*o, self.term(a), self.term(b)),
            Term::Call(function, t) => self.call(*function, self.term(t)),
            Term::Apply(functor, args) => format!("{}({})", functor_name(*functor), self.terms(args)),
            Term::Build(b) => built(b.branch.as_deref(), &self.terms(&b.fields)),
            Term::Aggregate(a) => self.aggregate(a),
        }
    }

    fn atom(&self, a: &Atom) -> String {
        format!("{}({})", self.relation(&a.relation), self.terms(&a.args))
    }

    fn terms(&self, terms: &[Term]) -> String {
        terms.iter().map(|t| self.term(t)).collect::<Vec<_>>().join(", ")
    }

    fn compare(&self, c: Comparison, a: &Term, b: &Term) -> String {
        format!("{} {} {}", self.term(a), self.comparison(c), self.term(b))
    }

    fn literal(&self, l: &Literal) -> String {
        match l {
            Literal::Atom(a) => self.atom(a),
            Literal::Not(a) => self.negated(self.atom(a)),
            Literal::Compare(c, a, b) => self.compare(*c, a, b),
            Literal::Test(test, a, b) => self.test(*test, a, b),
            Literal::Or(arms) => self.any(&arms.iter().map(|arm| self.body(arm)).collect::<Vec<_>>()),
        }
    }

    fn any(&self, bodies: &[String]) -> String {
        format!("({})", bodies.join(" ; "))
    }

    fn body(&self, body: &[Literal]) -> String {
        body.iter().map(|l| self.literal(l)).collect::<Vec<_>>().join(", ")
    }

    fn rule(&self, r: &Rule) -> String {
        let heads: Vec<String> = r.heads.iter().map(|h| self.atom(h)).collect();
        format!("{} :- {}.", heads.join(", "), self.body(&r.body))
    }

    fn fact(&self, f: &Fact) -> String {
        let values: Vec<String> = f.values.iter().map(|v| self.constant(v)).collect();
        format!("{}({}).", self.relation(&f.relation), values.join(", "))
    }
}

fn plain_comparison(c: Comparison) -> &'static str {
    match c {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

/// The usual way: infix where there is a sign, a call where there is none.
fn plain_binary(o: Operator, a: &str, b: &str) -> String {
    match o {
        Operator::Add => format!("({a} + {b})"),
        Operator::Subtract => format!("({a} - {b})"),
        Operator::Multiply => format!("({a} * {b})"),
        Operator::Divide => format!("({a} / {b})"),
        Operator::Remainder => format!("({a} % {b})"),
        Operator::Min => format!("min({a}, {b})"),
        Operator::Max => format!("max({a}, {b})"),
        Operator::BitAnd => format!("({a} band {b})"),
        Operator::BitOr => format!("({a} bor {b})"),
        Operator::BitXor => format!("({a} bxor {b})"),
        Operator::Concat => format!("cat({a}, {b})"),
        Operator::Power => format!("({a} ^ {b})"),
        Operator::ShiftLeft => format!("({a} bshl {b})"),
        Operator::ShiftRight => format!("({a} bshr {b})"),
        Operator::ShiftRightUnsigned => format!("({a} bshru {b})"),
        Operator::LogicalAnd => format!("({a} land {b})"),
        Operator::LogicalOr => format!("({a} lor {b})"),
        Operator::LogicalXor => format!("({a} lxor {b})"),
    }
}

fn functor_name(functor: Functor) -> &'static str {
    match functor {
        Functor::Substring => "substr",
        Functor::Range => "range",
        Functor::Counter => "autoinc",
    }
}

/// A record, `nil`, or a branch of an algebraic type.
fn built(branch: Option<&str>, fields: &str) -> String {
    match branch {
        None => "nil".into(),
        Some("") => format!("[{fields}]"),
        Some(branch) => format!("${branch}({fields})"),
    }
}

/// A symbol in double quotes.
fn quoted(s: &str) -> String {
    let mut out = String::with_capacity(s.len() + 2);
    out.push('"');
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

fn plain_constant(c: &Constant) -> String {
    match c {
        Constant::Number(n) => n.to_string(),
        Constant::Unsigned(n) => n.to_string(),
        Constant::Float(f) => format!("{f:?}"),
        Constant::Symbol(s) => quoted(s),
        Constant::Built(b) => {
            built(b.branch.as_deref(), &b.fields.iter().map(plain_constant).collect::<Vec<_>>().join(", "))
        }
    }
}

fn lines(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{line}");
        all
    })
}
