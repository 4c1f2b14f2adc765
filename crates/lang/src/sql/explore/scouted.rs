//! How the script of a claim is run once its first answer is known.

use crate::checker::{Next, Steers};
use crate::oracle::Derived;
use qualm_core::case::Step;
use qualm_core::explore::Tally;
use qualm_core::relation::Relation;
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, Session};

/// The facts and the scout's answer are there already. What changes something, and the last question, is worth running
/// only where the claim's preconditions hold on this data, as far as they are known by then.
pub(super) struct Scouted<'a> {
    pub(super) derived: &'a Derived,
    pub(super) facts: std::vec::IntoIter<Outcome>,
    pub(super) scout: usize,
    pub(super) scouted: Option<Outcome>,
    pub(super) refused: bool,
    pub(super) changes: &'a mut Vec<Step>,
}

impl Steers for Scouted<'_> {
    fn next(&mut self, at: usize, answers: &[Outcome], _: &mut Rng) -> Next {
        if let Some(fact) = self.facts.next() {
            return Next::Known(fact);
        }
        let matters = at + 1 == self.derived.script.len() || !self.derived.script[at].is_query();
        if matters && self.derived.claim.lacks_facts(answers) && answers.iter().all(Outcome::is_ok) {
            return Next::GiveUp;
        }
        let is_known = at == self.scout || self.refused;
        self.scouted.take_if(|_| is_known).map_or(Next::Run, Next::Known)
    }

    fn ran(&mut self, _: usize, step: &Step, outcome: &Outcome, _: &mut dyn Session, _: &mut Tally) {
        if !step.is_query() && outcome.is_ok() {
            self.changes.push(step.clone());
        }
    }
}

/// The queries that are certain to be asked once the scout has answered. A step that changes something is asked by
/// itself, and so is what a precondition may keep away.
pub(super) fn announce_rest(derived: &Derived, scout: usize, session: &mut dyn Session) {
    let changes = derived.script.iter().any(|step| step.label.is_none());
    if changes || matches!(derived.claim, Relation::Guarded { .. }) {
        return;
    }
    let facts = derived.claim.facts_first();
    let rest = derived.script.iter().enumerate().filter(|(at, _)| *at >= facts && *at != scout);
    session.announce(&rest.map(|(_, step)| step.text.as_str()).collect::<Vec<_>>());
}
