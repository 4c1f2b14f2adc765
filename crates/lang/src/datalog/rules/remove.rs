//! REM: one subgoal less (Algorithm 3), or one condition, negation or disjunction, which the paper does not have. What
//! stays must still bind all that is used, which `apply` makes sure of.

use super::containment::maps_onto_another;
use super::*;

/// REMEXP: a subgoal that maps onto no other one, or a condition.
pub fn expand(rule: &mut Rule, subgoal: usize) -> Option<()> {
    take(rule, subgoal, false)
}

/// REMEQU: a subgoal that does.
pub fn equal(rule: &mut Rule, subgoal: usize) -> Option<()> {
    take(rule, subgoal, true)
}

fn take(rule: &mut Rule, subgoal: usize, contained: bool) -> Option<()> {
    let atom = matches!(rule.body.get(subgoal)?, Literal::Atom(_));
    if rule.body.len() < 2 || (atom && maps_onto_another(rule, subgoal)) != contained {
        return None;
    }
    rule.body.remove(subgoal);
    forget_plan(rule);
    Some(())
}
