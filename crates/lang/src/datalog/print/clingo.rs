//! clingo: upper-case variables, aggregates over sets of tuples, one relation shown.

use super::*;

pub struct Clingo;

pub fn program(p: &Program, switches: &[&str]) -> String {
    let mut out: Vec<String> = switches.iter().map(|line| (*line).to_owned()).collect();
    out.extend(p.facts.iter().map(|f| Clingo.fact(f)));
    out.extend(p.rules.iter().map(|r| Clingo.rule(r)));
    [lines(out), p.relation(&p.output).map(shown).unwrap_or_default()].concat()
}

/// The line that says what is asked for.
pub fn shown(output: &Relation) -> String {
    format!("#show {}/{}.\n", output.name, output.arity())
}

impl Style for Clingo {
    fn var(&self, v: Var) -> String {
        format!("X{v}")
    }

    fn constant(&self, c: &Constant) -> String {
        match c {
            Constant::Number(n) if *n < 0 => format!("({n})"),
            // Of control characters it has an escape for the line break only; a tab stands for itself.
            Constant::Symbol(s) if s.contains('\t') => {
                s.split('\t').map(quoted).collect::<Vec<_>>().join("\t").replace("\"\t\"", "\t")
            }
            other => plain_constant(other),
        }
    }

    fn binary(&self, o: Operator, a: String, b: String) -> String {
        match o {
            Operator::BitAnd => format!("({a} & {b})"),
            Operator::BitOr => format!("({a} ? {b})"),
            Operator::BitXor => format!("({a} ^ {b})"),
            Operator::Remainder => format!("({a} \\ {b})"),
            other => plain_binary(other, &a, &b),
        }
    }

    /// Each solution counts once, so all variables of the body stand in the tuple, the value that is folded first.
    fn aggregate(&self, a: &Aggregate) -> String {
        let mut body = a.body.clone();
        let mut next = 1_000;
        for literal in &mut body {
            if let Literal::Atom(atom) = literal {
                for arg in atom.args.iter_mut().filter(|t| matches!(t, Term::Wildcard)) {
                    *arg = Term::Var(next);
                    next += 1;
                }
            }
        }
        let mut vars: Vec<Var> = Vec::new();
        body.iter().for_each(|l| l.each_var(&mut |v| vars.push(v)));
        vars.sort_unstable();
        vars.dedup();
        let mut tuple: Vec<String> = a.target.iter().map(|t| self.term(t)).collect();
        tuple.extend(vars.into_iter().map(|v| self.var(v)));
        let fold = match a.fold {
            Fold::Count => "#count",
            Fold::Sum => "#sum",
            Fold::Min => "#min",
            Fold::Max => "#max",
            Fold::Mean => "#mean",
        };
        format!("{fold} {{ {} : {} }}", tuple.join(","), self.body(&body))
    }

    fn negated(&self, atom: String) -> String {
        format!("not {atom}")
    }
}
