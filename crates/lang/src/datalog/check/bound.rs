//! Which variables a body restricts to finitely many values, and which symbols are patterns that are known.

use super::*;

/// Variables that stand outside all aggregates.
pub fn outside_aggregates<'a>(heads: impl Iterator<Item = &'a Atom>, body: &[Literal]) -> Vars {
    let mut found = 0;
    heads.for_each(|h| h.each_var(&mut |v| found |= bit(v)));
    add_outside(body, &mut found);
    found
}

fn add_outside(body: &[Literal], found: &mut Vars) {
    for literal in body {
        match literal {
            Literal::Atom(a) | Literal::Not(a) => a.each_var(&mut |v| *found |= bit(v)),
            Literal::Compare(_, a, b) | Literal::Test(_, a, b) => {
                for side in [a, b].into_iter().filter(|t| !t.has_aggregate()) {
                    side.each_var(&mut |v| *found |= bit(v));
                }
            }
            Literal::Or(arms) => arms.iter().for_each(|arm| add_outside(arm, found)),
        }
    }
}

/// Variables that a body restricts to finitely many values, given that `known` are already. Without `assigns` only
/// atoms do.
pub fn bound_by(body: &[Literal], known: Vars, assigns: bool) -> Vars {
    let (mut bound, mut outside) = (known, 0);
    add_outside(body, &mut outside);
    loop {
        let before = bound;
        for literal in body {
            match literal {
                Literal::Atom(a) => a.args.iter().for_each(|t| t.each_pattern_var(&mut |v| bound |= bit(v))),
                Literal::Compare(Comparison::Equal, a, b) if assigns => {
                    for (var, other) in [(a, b), (b, a)] {
                        if matches!(var, Term::Var(_) | Term::Build(_)) && is_ground(other, bound, outside) {
                            var.each_pattern_var(&mut |v| bound |= bit(v));
                        }
                    }
                }
                Literal::Or(arms) => {
                    bound |= arms.iter().map(|arm| bound_by(arm, bound, assigns)).reduce(|a, b| a & b).unwrap_or(0);
                }
                _ => {}
            }
        }
        if bound == before {
            return bound;
        }
    }
}

/// A symbol that means itself in a pattern.
pub(super) fn is_plain_symbol(term: &Term) -> bool {
    matches!(term, Term::Constant(Constant::Symbol(s)) if s.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// A pattern that means here what it means to the engine.
pub(super) fn is_known_pattern(term: &Term) -> bool {
    matches!(term, Term::Constant(Constant::Symbol(s)) if crate::datalog::patterns::is_known(s))
}

fn is_ground(term: &Term, bound: Vars, outside: Vars) -> bool {
    match term {
        Term::Wildcard => false,
        // What it needs from outside must be there; the rest it binds itself.
        Term::Aggregate(_) => {
            let mut ground = true;
            term.each_var(&mut |v| ground &= outside & bit(v) == 0 || bound & bit(v) != 0);
            ground
        }
        Term::Build(b) => b.fields.iter().all(|t| is_ground(t, bound, outside)),
        Term::Var(_) | Term::Constant(_) | Term::Negate(_) | Term::Binary(..) | Term::Call(..) | Term::Apply(..) => {
            let mut ground = true;
            term.each_var(&mut |v| ground &= bound & bit(v) != 0);
            ground
        }
    }
}
