//! Which relations can be inlined.

use super::super::stratify::{Sign, each_use};
use super::*;

/// An inlined relation is replaced by its rules, so it may not need itself, nor stand where a formula cannot.
pub fn check_inlining(program: &Program, strata: &[Stratum]) -> Result<(), String> {
    for (at, r) in program.relations.iter().enumerate().filter(|(_, r)| r.has(Qualifier::Inline)) {
        let recursive = strata.iter().any(|s| s.recursive && s.relations.contains(&at));
        let chosen = !r.choice.is_empty() || program.subsumptions.iter().any(|s| s.relation == r.name);
        let (mut folded, mut negated) = (false, false);
        for rule in &program.rules {
            each_use(&rule.body, Sign::Plus, &mut |n, sign| {
                folded |= *n == r.name && sign == Sign::Either;
                negated |= *n == r.name && sign == Sign::Minus;
            });
        }
        let negated = negated && !can_be_inlined_under_negation(program, &r.name);
        if recursive || chosen || folded || negated || r.name == program.output || r.has(Qualifier::Eqrel) {
            return Err(format!("'{}' cannot be inlined", r.name));
        }
    }
    Ok(())
}

/// Under a negation a relation may be inlined if its rules have no variables but those of their heads, and if all
/// arguments there are named.
fn can_be_inlined_under_negation(program: &Program, name: &Name) -> bool {
    fn each_negated<'a>(body: &'a [Literal], see: &mut dyn FnMut(&'a Atom)) {
        for literal in body {
            match literal {
                Literal::Not(atom) => see(atom),
                Literal::Or(arms) => arms.iter().for_each(|arm| each_negated(arm, see)),
                _ => {}
            }
        }
    }
    fn is_closed(literal: &Literal) -> bool {
        match literal {
            Literal::Atom(a) | Literal::Not(a) => !a.args.contains(&Term::Wildcard),
            Literal::Compare(_, a, b) | Literal::Test(_, a, b) => !a.has_aggregate() && !b.has_aggregate(),
            Literal::Or(arms) => arms.iter().flatten().all(is_closed),
        }
    }
    let mut named = true;
    for rule in &program.rules {
        each_negated(&rule.body, &mut |a| named &= a.relation != *name || !a.args.contains(&Term::Wildcard));
    }
    let mut own = program.rules.iter().filter(|r| r.heads.iter().any(|h| h.relation == *name));
    named
        && own.all(|rule| {
            let (mut head, mut all) = (0, 0);
            rule.heads[0].each_var(&mut |v| head |= bit(v));
            rule.each_var(&mut |v| all |= bit(v));
            rule.heads.len() == 1 && all & !head == 0 && rule.body.iter().all(is_closed)
        })
}
