//! The part of the explorer that changes settings: it asks for plans, before and after, and sees to it that the session
//! is back at its settings whatever happens in between.

use super::{SqlExplorer, says_nothing};
use crate::checker::Steers;
use crate::oracle::{Derived, Guide, OracleSpec, Setting};
use crate::sql::ast::{Question, Statement};
use crate::sql::profile::Used;
use crate::sql::state::State;
use qualm_core::case::{Effect, Step};
use qualm_core::explore::Tally;
use qualm_core::knobs::{Flip, Knob, statements};
use qualm_core::plan::{Fnv, Plan, PlanSet};
use qualm_core::relation::Verdict;
use qualm_core::rng::Rng;
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
        (guide.choose)(question, plan.as_ref(), &knobs, self.config.spec.knobs.choice, &mut self.checker.rng);
        Some(Planned { text, plan })
    }

    /// Asks and judges a claim whose questions change settings in between. As `ask` otherwise.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn compare_flipped(
        &mut self,
        oracle: &OracleSpec,
        flips: &[Flip],
        derived: &Derived,
        planned: &Planned,
        anyway: bool,
        used: Used,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Verdict> {
        let mut steering = Flipped {
            scout: derived.claim.facts_first() + oracle.scout,
            derived,
            planned,
            anyway,
            pairs: &mut self.pairs,
            changes: &mut self.changes_made,
            unsettled: false,
            not_set: None,
        };
        let answers = self.checker.run_all(&derived.script, &mut steering, session, tally)?;
        let (unsettled, not_set) = (steering.unsettled, steering.not_set);
        let refused = not_set.is_some_and(|(text, outcome)| self.refuse(flips, &text, &outcome));
        let mut resets = derived.script.iter().filter(|step| step.effect == Effect::Resets);
        if unsettled && let Some(refused) = resets.find(|step| !session.run(&step.text).is_ok()) {
            // Nothing undoes this but a new start.
            self.changes_made.push(refused.clone());
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
}

/// What has to be known while the questions on both sides of a change of settings are asked.
struct Flipped<'a> {
    scout: usize,
    derived: &'a Derived,
    planned: &'a Planned,
    /// The rest is asked although the first answer is empty.
    anyway: bool,
    pairs: &'a mut PlanSet,
    changes: &'a mut Vec<Step>,
    /// The settings are changed.
    unsettled: bool,
    /// The setting that was not taken, and what came.
    not_set: Option<(String, Outcome)>,
}

impl Steers for Flipped<'_> {
    fn ran(&mut self, at: usize, step: &Step, outcome: &Outcome, session: &mut dyn Session, tally: &mut Tally) {
        let is_set = step.effect == Effect::Sets;
        // The last of the statements that change settings, or put them back.
        let is_last = self.derived.script.get(at + 1).is_none_or(|next| next.effect != step.effect);
        self.unsettled |= is_set;
        if !outcome.is_ok() {
            self.not_set = is_set.then(|| (step.text.clone(), outcome.clone()));
            return;
        }
        match step.effect {
            _ if step.is_query() => {}
            Effect::Sets if is_last => self.look_at_pair(session, tally),
            Effect::Resets if is_last => self.unsettled = false,
            Effect::Makes { .. } => self.changes.push(step.clone()),
            Effect::Sets | Effect::Resets | Effect::Within | Effect::Unknown => {}
        }
    }

    fn goes_on(&mut self, at: usize, answers: &[Outcome], _: &mut Rng) -> bool {
        let facts = self.derived.claim.facts_first();
        if facts > 0 && answers.len() == facts + 1 && !self.derived.claim.facts_hold(&answers[..facts]) {
            return false;
        }
        let idle = at == self.scout && answers.last().is_some_and(says_nothing);
        !idle || self.anyway
    }
}

impl Flipped<'_> {
    fn look_at_pair(&mut self, session: &mut dyn Session, tally: &mut Tally) {
        let Some(before) = &self.planned.plan else { return };
        let Some(after) = session.plan(&self.planned.text) else { return };
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
