//! ADD: one more subgoal (Algorithm 1), or one more condition, which the paper does not have: an engine that drops one
//! of several conditions is not seen by steps that leave all of them there.

use super::*;

/// ADDEQU: a copy of a subgoal with fresh variables in some places. Mapping them back gives the original.
pub fn equal(rule: &mut Rule, subgoal: usize, fresh: &[usize]) -> Option<()> {
    let Literal::Atom(original) = rule.body.get(subgoal)? else { return None };
    let mut copy = original.clone();
    for (next, at) in (rule.fresh_var()..).zip(fresh) {
        *copy.args.get_mut(*at)? = Term::Var(next);
    }
    rule.body.push(Literal::Atom(copy));
    forget_plan(rule);
    Some(())
}

/// ADDCON: a subgoal over variables that the rule has, and that is not there yet.
pub fn restrict(rule: &mut Rule, atom: &Atom) -> Option<()> {
    let outside = check::outside_aggregates(rule.heads.iter(), &rule.body);
    let mut known = !atom.args.iter().any(|t| !matches!(t, Term::Var(_) | Term::Constant(_)));
    atom.each_var(&mut |v| known &= outside & bit(v) != 0);
    let literal = Literal::Atom(atom.clone());
    if !known || rule.body.contains(&literal) {
        return None;
    }
    rule.body.push(literal);
    forget_plan(rule);
    Some(())
}

/// A condition on a variable that is bound without it, beside those that are there.
pub fn condition(rule: &mut Rule, comparison: Comparison, var: Var, other: &Term) -> Option<()> {
    let outside = check::outside_aggregates(rule.heads.iter(), &rule.body);
    let known = outside & check::bound_by(&rule.body, 0, false);
    let fits = match other {
        Term::Constant(_) => true,
        Term::Var(v) => *v != var && known & bit(*v) != 0,
        _ => false,
    };
    let literal = Literal::Compare(comparison, Term::Var(var), other.clone());
    if !fits || known & bit(var) == 0 || rule.body.contains(&literal) {
        return None;
    }
    rule.body.push(literal);
    Some(())
}
