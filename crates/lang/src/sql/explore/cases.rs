//! The cases that the explorer makes and that claim nothing but survival.

use super::SqlExplorer;
use crate::oracle::{Derived, survives};
use crate::sql::state::State;
use crate::sql::{print, survival};
use qualm_core::case::{Case, Step};
use qualm_core::relation::{FailureKind, failure};
use qualm_core::session::Session;

impl SqlExplorer {
    /// Which of the questions it was that the engine broke at.
    pub(super) fn broken_query(&self, derived: &Derived, session: &mut dyn Session) -> String {
        let broken = derived.script.iter().find(|s| failure(&session.run(&s.text)).is_some());
        broken.unwrap_or(&derived.script[0]).text.clone()
    }

    /// A case that says only: this must not break the engine. `before` is what the oracle did to the state.
    pub(super) fn survival_case(&self, state: &State, before: &[String], text: &str, kind: FailureKind) -> Case {
        let dialect = self.profile.dialect;
        let built = state.statements.iter().map(|s| print::statement(s, dialect));
        let script = built.chain(before.iter().cloned()).map(Step::run).collect();
        let query = (survives::label(kind), text);
        let source = survival::of_state(&state.statements, &state.schema, before, query, dialect);
        self.checker.survival_case(script, kind, text, &source)
    }
}
