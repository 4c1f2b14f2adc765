//! Claims about answers that are not proved to be determined: what is missing is asked of the data, in the same script
//! (`lang/sql/asking.rs`, docs/decisions/0031).

use super::{Derived, OracleSpec, Setting};
use crate::sql::asking::{Asking, Fact, Facts};
use crate::sql::ast::{Name, Question, Source};
use crate::sql::{print, typing, walk};
use qualm_core::case::Step;
use qualm_core::relation::Guard;

/// Script and claim of a question, or nothing where the claim would not be sound. Where that cannot be proved, what is
/// missing is asked of the data: then the claim is guarded.
pub fn derive(oracle: &OracleSpec, question: &Question, at: &Setting) -> Option<Derived> {
    if let Some(derived) = (oracle.derive)(question, at) {
        return Some(derived);
    }
    if question.text.is_some() || is_proved(question, at) {
        return None;
    }
    [Asking::Rows, Asking::Representatives].into_iter().find_map(|asking| {
        let facts = Facts::asked(asking);
        let schema = at.schema.asking(facts.clone());
        let derived = (oracle.derive)(question, &Setting { schema: &schema, ..*at })?;
        rest_on(derived, &facts.taken(), at)
    })
}

/// It was not for want of facts that nothing could be claimed.
fn is_proved(question: &Question, at: &Setting) -> bool {
    let query = &question.query;
    if typing::query(query, at.schema, at.dialect).is_err() {
        return false;
    }
    let (Some(p), Some(select)) = (&question.predicate, query.select()) else { return true };
    typing::predicate(p, select, &query.with, at.schema, at.dialect).is_ok()
        || typing::having(p, select, &query.with, at.schema, at.dialect).is_ok()
}

/// The claim where the facts hold. They are asked for first, so that a hunt can leave the rest.
fn rest_on(derived: Derived, facts: &[Fact], at: &Setting) -> Option<Derived> {
    // A question may ask about a table that only its own script makes; nothing is known of that before.
    let known = |fact: &Fact| {
        let mut known = true;
        let mut own: Vec<Name> = Vec::new();
        walk::each_query(&fact.query, &mut |q| own.extend(q.with.iter().map(|c| c.name.clone())));
        walk::each_select(&fact.query, &mut |s| {
            known &= s.from.iter().all(|j| match &j.source {
                Source::Table { name, .. } => own.contains(name) || at.schema.table(name).is_some(),
                Source::Query { .. } => true,
            });
        });
        known
    };
    if !facts.iter().all(known) {
        return None;
    }
    // It took a closer look, and nothing has to be asked.
    if facts.is_empty() {
        return Some(derived);
    }
    let step = |fact: &Fact| Step::query(format!("must be 0 if {}", fact.label), print::query(&fact.query, at.dialect));
    let mut script: Vec<Step> = facts.iter().map(step).collect();
    let guards: Vec<Guard> = (0..facts.len()).map(|query| Guard::Zero { query }).collect();
    script.extend(derived.script);
    let claim = derived.claim.behind(facts.len()).guarded(guards);
    Some(Derived { script, claim })
}
