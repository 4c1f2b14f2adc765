//! The cases that the explorer makes: where they come from, and those that claim nothing but survival.

use super::SqlExplorer;
use crate::case::{CASE_FORMAT, Case, Language, Origin, Step};
use crate::lang::sql::print;
use crate::lang::sql::state::State;
use crate::oracle::Derived;
use crate::relation::{Relation, Trouble, Verdict, trouble};
use crate::session::Session;

impl SqlExplorer {
    pub(super) fn origin(&self) -> Origin {
        Origin { seed: self.config.seed, worker: self.config.worker, database: self.database, check: self.check }
    }

    /// Which of the questions it was that the engine broke at.
    pub(super) fn broken_ask(&self, derived: &Derived, session: &mut dyn Session) -> String {
        let broken = derived.asks.iter().find(|s| trouble(&session.run(&s.text)).is_some());
        broken.unwrap_or(&derived.asks[0]).text.clone()
    }

    /// A case that says only: this must not break the engine.
    pub(super) fn survival_case(&self, state: &State, before: &[String], text: String, verdict: &Verdict) -> Case {
        let mut script: Vec<Step> =
            state.statements.iter().map(|s| Step::run(print::statement(s, self.config.dialect))).collect();
        script.extend(before.iter().map(Step::run));
        let label = match verdict {
            Verdict::Broke { kind: Trouble::InternalError, .. } => "reports damage",
            _ => "breaks",
        };
        script.push(Step::ask(label, text));
        Case {
            format: CASE_FORMAT,
            language: Language::Sql,
            oracle: "survives".into(),
            rules: Vec::new(),
            script,
            claim: Relation::Survives,
            source: None,
            origin: self.origin(),
        }
    }
}
