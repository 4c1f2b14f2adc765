//! µZ through SMT-LIB2 rules: numbers are bit vectors, every variable is declared once for the whole program.

use super::*;

pub struct Smt2 {
    bits: u32,
}

pub const ENGINE: &str = "(set-option :fp.engine datalog)\n";

pub fn style(dialect: &DatalogDialect) -> Smt2 {
    Smt2 { bits: dialect.bits }
}

pub fn declaration(r: &Relation) -> String {
    format!("(declare-rel {} ({}))", r.name, vec!["Z"; r.arity()].join(" "))
}

pub fn query(output: &str) -> String {
    format!("(query {output} :print-answer true)\n")
}

impl Smt2 {
    pub fn sort(&self) -> String {
        format!("(define-sort Z () (_ BitVec {}))\n", self.bits)
    }

    pub fn vars(&self, count: Var) -> String {
        lines((0..count).map(|v| format!("(declare-var {} Z)", self.var(v))))
    }
}

pub fn program(p: &Program, dialect: &DatalogDialect, switches: &[&str]) -> String {
    let s = style(dialect);
    let switches = lines(switches.iter().map(|line| (*line).to_owned()));
    let vars = p.rules.iter().map(Rule::fresh_var).max().unwrap_or(0);
    let declarations = lines(p.relations.iter().map(declaration));
    let facts = lines(p.facts.iter().map(|f| s.fact(f)));
    let rules = lines(p.rules.iter().map(|r| s.rule(r)));
    [ENGINE, &switches, &s.sort(), &declarations, &s.vars(vars), &facts, &rules, &query(&p.output)].concat()
}

impl Style for Smt2 {
    fn var(&self, v: Var) -> String {
        format!("x{v}")
    }

    fn constant(&self, c: &Constant) -> String {
        match c {
            Constant::Unsigned(n) => format!("(_ bv{n} {})", self.bits),
            other => plain_constant(other),
        }
    }

    fn binary(&self, o: Operator, a: String, b: String) -> String {
        let name = match o {
            Operator::Add => "bvadd",
            Operator::Subtract => "bvsub",
            Operator::Multiply => "bvmul",
            Operator::BitAnd => "bvand",
            Operator::BitOr => "bvor",
            Operator::BitXor => "bvxor",
            Operator::Divide => "bvudiv",
            Operator::Remainder => "bvurem",
            Operator::Min => return format!("(ite (bvult {a} {b}) {a} {b})"),
            Operator::Max => return format!("(ite (bvult {a} {b}) {b} {a})"),
            Operator::Concat => "concat",
            Operator::ShiftLeft => "bvshl",
            Operator::ShiftRight => "bvlshr",
            Operator::Power => "^",
            Operator::ShiftRightUnsigned => "bvlshr",
            Operator::LogicalAnd => "and",
            Operator::LogicalOr => "or",
            Operator::LogicalXor => "xor",
        };
        format!("({name} {a} {b})")
    }

    fn aggregate(&self, a: &Aggregate) -> String {
        format!("{:?}", a.fold)
    }

    fn negated(&self, atom: String) -> String {
        format!("(not {atom})")
    }

    fn negative(&self, t: String) -> String {
        format!("(bvneg {t})")
    }

    fn atom(&self, a: &Atom) -> String {
        let args: Vec<String> = a.args.iter().map(|t| self.term(t)).collect();
        format!("({} {})", a.relation, args.join(" "))
    }

    fn compare(&self, c: Comparison, a: &Term, b: &Term) -> String {
        let (a, b) = (self.term(a), self.term(b));
        match c {
            Comparison::Equal => format!("(= {a} {b})"),
            Comparison::NotEqual => format!("(not (= {a} {b}))"),
            Comparison::Less => format!("(bvult {a} {b})"),
            Comparison::LessEqual => format!("(bvule {a} {b})"),
            Comparison::Greater => format!("(bvugt {a} {b})"),
            Comparison::GreaterEqual => format!("(bvuge {a} {b})"),
        }
    }

    fn any(&self, bodies: &[String]) -> String {
        format!("(or {})", bodies.join(" "))
    }

    fn body(&self, body: &[Literal]) -> String {
        let parts: Vec<String> = body.iter().map(|l| self.literal(l)).collect();
        if let [one] = parts.as_slice() { one.clone() } else { format!("(and {})", parts.join(" ")) }
    }

    fn rule(&self, r: &Rule) -> String {
        format!("(rule (=> {} {}))", self.body(&r.body), self.atom(&r.heads[0]))
    }

    fn fact(&self, f: &Fact) -> String {
        let values: Vec<String> = f.values.iter().map(|v| self.constant(v)).collect();
        format!("(rule ({} {}))", f.relation, values.join(" "))
    }
}
