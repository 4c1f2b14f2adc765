//! Bodies made ready to be solved: functors and wildcards of subgoals become variables.

use super::*;

/// What is computed in an argument of a positive atom is compared behind it: two atoms may each bind what the other
/// computes with.
pub fn functors_apart(body: &mut Vec<Literal>, fresh: &mut Var) {
    let mut more = Vec::new();
    for literal in body.iter_mut() {
        match literal {
            Literal::Atom(atom) => {
                atom.args.iter_mut().for_each(|arg| functor_apart(arg, fresh, &mut more));
            }
            Literal::Or(arms) => arms.iter_mut().for_each(|arm| functors_apart(arm, fresh)),
            Literal::Not(_) | Literal::Compare(..) | Literal::Test(..) => {}
        }
    }
    body.append(&mut more);
}

fn functor_apart(term: &mut Term, fresh: &mut Var, more: &mut Vec<Literal>) {
    if term.is_pattern() || *fresh >= check::VARS_AT_MOST {
        return;
    }
    if let Term::Build(built) = term {
        built.fields.iter_mut().for_each(|field| functor_apart(field, fresh, more));
        return;
    }
    let computed = std::mem::replace(term, Term::Var(*fresh));
    more.push(Literal::Compare(Comparison::Equal, Term::Var(*fresh), computed));
    *fresh += 1;
}

pub fn has_wildcard(term: &Term) -> bool {
    match term {
        Term::Wildcard => true,
        Term::Build(b) => b.fields.iter().any(has_wildcard),
        _ => false,
    }
}

/// Takes their values from these variables.
pub fn forget(mut vars: check::Vars, bindings: &mut Bindings) {
    while vars != 0 {
        bindings[vars.trailing_zeros() as usize] = None;
        vars &= vars - 1;
    }
}

/// Wildcards of positive atoms become variables.
pub fn name_wildcards(body: &mut [Literal], fresh: &mut Var) {
    for literal in body {
        match literal {
            Literal::Atom(a) => {
                a.args.iter_mut().for_each(|arg| name_wildcard(arg, fresh));
            }
            Literal::Or(arms) => arms.iter_mut().for_each(|arm| name_wildcards(arm, fresh)),
            Literal::Not(_) | Literal::Compare(..) | Literal::Test(..) => {}
        }
    }
}

fn name_wildcard(term: &mut Term, fresh: &mut Var) {
    match term {
        Term::Wildcard => {
            *term = Term::Var(*fresh);
            *fresh += 1;
        }
        Term::Build(b) => b.fields.iter_mut().for_each(|t| name_wildcard(t, fresh)),
        _ => {}
    }
}
