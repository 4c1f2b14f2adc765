//! Rules that the user wrote with the relation `contains` or `contained`: a condition becomes weaker or stricter, and
//! so does the whole query, by what stands around the condition.

use super::*;
use crate::sql::rules_file::Precondition;
use qualm_core::relation::Guard;
use std::cell::RefCell;

/// The query with one condition rewritten, whether the query is weaker then, and what that rests on.
fn changed(query: &Query, rule: &UserRule, site: u32) -> Option<(Query, bool, Option<Precondition>)> {
    let weaker = match rule.text.relation {
        RuleRelation::Same => return None,
        RuleRelation::Contains => true,
        RuleRelation::Contained => false,
    };
    let applied = RefCell::new(None);
    let apply = |spot: Spot, _: &Change| match spot {
        Spot::Truth(e) => {
            *applied.borrow_mut() = rule.rewrite(e, query);
            applied.borrow().is_some().then_some(weaker)
        }
        _ => None,
    };
    let mut other = query.clone();
    let mut visit = Visit::new(&apply, site, None, rule.dialect());
    visit.query(&mut other, true, true);
    let weaker = visit.weaker?;
    Some((other, weaker, applied.into_inner()?.precondition))
}

/// A query that the rule fits, half of them made for it.
pub fn propose(rule: &UserRule, g: &mut Generator) -> Option<Question> {
    let query = if g.rng.coin() { rule.query(g)? } else { g.query() };
    let count = places(&query, g.dialect());
    let fits: Vec<u32> = (0..count).filter(|site| changed(&query, rule, *site).is_some()).collect();
    if fits.is_empty() {
        return None;
    }
    let site = *g.rng.pick(&fits);
    let written = Some(Box::new(rule.text.clone()));
    let rewrite = Rewrite { rule: rule.name.clone(), site, extra: None, written };
    Some(Question { rewrites: vec![rewrite], ..Question::of(query, FORM) })
}

pub fn derive(query: &Query, rewrite: &Rewrite, text: &RuleText, at: &Setting) -> Option<Derived> {
    let rule = UserRule::of_text(&rewrite.rule, text, at.dialect)?;
    let (other, weaker, precondition) = changed(query, &rule, rewrite.site)?;
    let derived = contains(query, &other, weaker, at)?;
    let Some(precondition) = precondition else { return Some(derived) };
    let (label, text) = precondition.guard(&rule.name);
    let mut script = vec![Step::query(format!("must be 0: {label}"), text)];
    script.extend(derived.script);
    Some(Derived { script, claim: derived.claim.behind(1).guarded(vec![Guard::Zero { query: 0 }]) })
}
