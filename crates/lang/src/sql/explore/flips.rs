//! The part of the explorer that changes settings: it asks for plans, before and after, and sees to it that the session
//! is back at its settings whatever happens in between.

use super::{ASK_ANYWAY, SqlExplorer, says_nothing, without_names};
use crate::oracle::{Derived, Guide, OracleSpec, Setting};
use crate::sql::ast::{Question, Statement};
use crate::sql::profile::Used;
use crate::sql::state::State;
use qualm_core::explore::Tally;
use qualm_core::knobs::{Flip, Knob, statements};
use qualm_core::plan::{Fnv, Plan};
use qualm_core::relation::Verdict;
use qualm_core::session::{Outcome, RejectionClass, Session};
use std::hash::Hasher;

/// The plan of a question before its settings are changed, and the text that it is the plan of.
pub(super) struct Planned {
    text: String,
    plan: Option<Plan>,
}

impl SqlExplorer {
    /// Completes a question with the settings to change. Settings that the state itself changes are left alone.
    pub(super) fn guide(
        &mut self,
        guide: Guide,
        question: &mut Question,
        state: &State,
        setting: &Setting,
        session: &mut dyn Session,
    ) -> Option<Planned> {
        let text = (guide.text)(question, setting)?;
        let plan = session.plan(&text);
        let touched = |k: &Knob| {
            let by = |s: &Statement| matches!(s, Statement::Maintenance(text) if k.is_touched_by(text));
            state.statements.iter().any(by)
        };
        let (theirs, knobs): (Vec<&Knob>, Vec<&Knob>) = self.config.knobs.iter().partition(|k| touched(k));
        let knobs: Vec<&Knob> = knobs.into_iter().filter(|k| !theirs.iter().any(|t| t.excludes(k))).collect();
        (guide.choose)(question, plan.as_ref(), &knobs, self.config.spec.knobs.choice, &mut self.rng);
        Some(Planned { text, plan })
    }

    /// Asks and judges a claim whose questions change settings in between. As `ask` otherwise.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn ask_flipped(
        &mut self,
        oracle: &OracleSpec,
        flips: &[Flip],
        derived: &Derived,
        planned: &Planned,
        used: Used,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Verdict> {
        let (set, reset) = statements(flips);
        let mut answers = Vec::with_capacity(2);
        let (mut unsettled, mut refused) = (false, false);
        for step in &derived.asks {
            let is_set = set.contains(&step.text);
            unsettled |= is_set;
            let outcome = session.run(&step.text);
            tally.count(&outcome, without_names);
            if !outcome.is_ok() {
                refused = is_set && self.refuse(flips, &step.text, &outcome);
                answers.push(outcome);
                break;
            }
            if step.ask.is_some() {
                let scouted = std::ptr::eq(step, &derived.asks[oracle.scout]);
                if scouted && says_nothing(&outcome) && !self.rng.chance(1, ASK_ANYWAY) {
                    return None;
                }
                answers.push(outcome);
            } else if set.last() == Some(&step.text) {
                self.look_at_pair(planned, session, tally);
            } else if reset.last() == Some(&step.text) {
                unsettled = false;
            } else if step.text.starts_with("CREATE TABLE") {
                self.changes_made.push(step.text.clone());
            }
        }
        if unsettled && !reset.iter().all(|text| session.run(text).is_ok()) {
            // Nothing undoes this but a new start.
            self.changes_made.push(String::new());
        }
        if refused { None } else { Some(self.judge(oracle, derived, &answers, used, tally)) }
    }

    /// A setting that this engine does not take is not tried again.
    fn refuse(&mut self, flips: &[Flip], text: &str, outcome: &Outcome) -> bool {
        let Outcome::Rejected(r) = outcome else { return false };
        if r.class != RejectionClass::Expected {
            return false;
        }
        let guilty = |f: &&Flip| statements(std::slice::from_ref(*f)).0.iter().any(|s| s == text);
        for flip in flips.iter().filter(guilty) {
            if let Some(knob) = self.config.knobs.iter_mut().find(|k| k.name == flip.knob) {
                knob.others.retain(|v| *v != flip.value);
            }
            self.refused.push(format!("{} ({})", flip.words(), r.text));
        }
        self.config.knobs.retain(|k| !k.others.is_empty());
        true
    }

    fn look_at_pair(&mut self, planned: &Planned, session: &mut dyn Session, tally: &mut Tally) {
        let Some(before) = &planned.plan else { return };
        let Some(after) = session.plan(&planned.text) else { return };
        tally.pairs_planned += 1;
        if *before == after {
            return;
        }
        tally.pairs_changed += 1;
        let mut hasher = Fnv::default();
        hasher.write(&before.shape().to_le_bytes());
        hasher.write(&after.shape().to_le_bytes());
        if self.pairs.insert(hasher.finish()) {
            tally.new_pairs.push(hasher.finish());
        }
    }
}
