//! DDlog: relations begin with a capital, facts are rules without a body, and a body is read from left to right.

use super::*;
use crate::datalog::spell;

struct Ddlog;

pub fn program(p: &Program) -> String {
    // An atom may not both bind a variable and use it.
    let longer = spell::written_out(p, spell::REPEATED);
    let p = longer.as_ref().unwrap_or(p);
    let mut out = Vec::new();
    for r in &p.relations {
        let kind = |k| match k {
            Kind::Number => "signed<64>",
            Kind::Unsigned => "bit<64>",
            Kind::Float => "double",
            Kind::Symbol | Kind::Built(_) => "string",
        };
        let attributes: Vec<String> = r.attributes.iter().map(|a| format!("{}: {}", a.name, kind(a.kind))).collect();
        let role = if r.name == p.output { "output relation" } else { "relation" };
        out.push(format!("{role} {}({})", Ddlog.relation(&r.name), attributes.join(", ")));
    }
    out.extend(p.facts.iter().map(|f| Ddlog.fact(f)));
    out.extend(p.rules.iter().map(|r| Ddlog.rule(r)));
    lines(out)
}

impl Style for Ddlog {
    fn var(&self, v: Var) -> String {
        format!("x{v}")
    }

    /// Single capitals are type arguments in DDlog's library.
    fn relation(&self, name: &str) -> String {
        let mut chars = name.chars();
        if name.len() == 1 {
            return format!("R{}", name.to_ascii_uppercase());
        }
        chars.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + chars.as_str())
    }

    fn constant(&self, c: &Constant) -> String {
        plain_constant(c)
    }

    fn binary(&self, o: Operator, a: String, b: String) -> String {
        match o {
            Operator::BitAnd => format!("({a} & {b})"),
            Operator::BitOr => format!("({a} | {b})"),
            Operator::BitXor => format!("({a} ^ {b})"),
            Operator::Concat => format!("({a} ++ {b})"),
            other => plain_binary(other, &a, &b),
        }
    }

    fn aggregate(&self, a: &Aggregate) -> String {
        format!("{:?}", a.fold)
    }

    fn comparison(&self, c: Comparison) -> &'static str {
        if c == Comparison::Equal { "==" } else { plain_comparison(c) }
    }

    fn negated(&self, atom: String) -> String {
        format!("not {atom}")
    }

    /// Atoms first, then what they bind further variables to, then the rest.
    fn body(&self, body: &[Literal]) -> String {
        let mut bound = 0;
        let mut parts = Vec::new();
        let mut rest: Vec<&Literal> = Vec::new();
        for literal in body {
            match literal {
                Literal::Atom(a) => {
                    a.each_var(&mut |v| bound |= crate::datalog::check::bit(v));
                    parts.push(self.atom(a));
                }
                other => rest.push(other),
            }
        }
        let is_bound = |t: &Term, bound: u128| {
            let mut all = true;
            t.each_var(&mut |v| all &= bound & crate::datalog::check::bit(v) != 0);
            all
        };
        loop {
            let found = rest.iter().enumerate().find_map(|(i, l)| match l {
                Literal::Compare(Comparison::Equal, Term::Var(v), t)
                | Literal::Compare(Comparison::Equal, t, Term::Var(v))
                    if !is_bound(&Term::Var(*v), bound) && is_bound(t, bound) =>
                {
                    Some((i, *v, t))
                }
                _ => None,
            });
            let Some((i, v, term)) = found else { break };
            parts.push(format!("var {} = {}", self.var(v), self.term(term)));
            bound |= crate::datalog::check::bit(v);
            rest.remove(i);
        }
        parts.extend(rest.into_iter().map(|l| self.literal(l)));
        parts.join(", ")
    }
}
