//! The cases that the explorer makes: where they come from, and those that claim nothing but survival.

use super::SqlExplorer;
use crate::oracle::{Derived, survives};
use crate::sql::state::State;
use crate::sql::{print, survival};
use qualm_core::case::{Case, Origin, Step};
use qualm_core::relation::{FailureKind, Verdict, trouble};
use qualm_core::session::Session;

impl SqlExplorer {
    pub(super) fn origin(&self) -> Origin {
        Origin { seed: self.config.spec.seed, worker: self.config.worker, database: self.database, check: self.check }
    }

    /// Which of the questions it was that the engine broke at.
    pub(super) fn broken_ask(&self, derived: &Derived, session: &mut dyn Session) -> String {
        let broken = derived.asks.iter().find(|s| trouble(&session.run(&s.text)).is_some());
        broken.unwrap_or(&derived.asks[0]).text.clone()
    }

    /// A case that says only: this must not break the engine. `before` is what the oracle did to the state.
    pub(super) fn survival_case(&self, state: &State, before: &[String], text: String, verdict: &Verdict) -> Case {
        let dialect = self.profile.dialect;
        let kind = if let Verdict::Broke { kind, .. } = verdict { *kind } else { FailureKind::Crash };
        let label = survives::label(kind);
        let built = state.statements.iter().map(|s| print::statement(s, dialect));
        let mut script: Vec<Step> = built.chain(before.iter().cloned()).map(Step::run).collect();
        script.push(Step::ask(label, &text));
        let source = survival::of_state(&state.statements, &state.schema, before, (label, &text), dialect);
        let source = serde_json::to_value(source).ok();
        Case { source, ..survives::of_script(crate::sql::LANGUAGE, script, self.origin()) }
    }
}
