//! Whether a subgoal says nothing that another one does not say: the containment mapping of Algorithm 3, linear because
//! only one subgoal is looked at.

use super::*;

/// Whether the subgoal at this place can be mapped onto another positive one of the body. Variables that stand nowhere
/// else may become anything, the same thing each time; all else stays what it is.
pub fn maps_onto_another(rule: &Rule, subgoal: usize) -> bool {
    let Some(Literal::Atom(removed)) = rule.body.get(subgoal) else { return false };
    let mut kept: Vars = 0;
    rule.heads.iter().for_each(|h| h.each_var(&mut |v| kept |= bit(v)));
    let others = || rule.body.iter().enumerate().filter(|(i, _)| *i != subgoal);
    others().for_each(|(_, l)| l.each_var(&mut |v| kept |= bit(v)));
    others().any(|(_, l)| matches!(l, Literal::Atom(other) if maps(removed, other, kept)))
}

fn maps(from: &Atom, to: &Atom, kept: Vars) -> bool {
    let mut bound: Vec<(Var, &Term)> = Vec::new();
    from.relation == to.relation
        && from.args.iter().zip(&to.args).all(|(a, b)| match a {
            Term::Wildcard => true,
            Term::Var(v) if kept & bit(*v) == 0 => match bound.iter().find(|(w, _)| w == v) {
                // Two wildcards are two values.
                Some((_, term)) => *term == b && !matches!(b, Term::Wildcard),
                None => {
                    bound.push((*v, b));
                    true
                }
            },
            other => other == b && !has_vanishing(other, kept),
        })
}

/// A term with a variable that stands nowhere else cannot be compared as it is.
fn has_vanishing(term: &Term, kept: Vars) -> bool {
    let mut found = false;
    term.each_var(&mut |v| found |= kept & bit(v) == 0);
    found
}
