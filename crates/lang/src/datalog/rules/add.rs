//! ADD: one more subgoal (Algorithm 1).

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
