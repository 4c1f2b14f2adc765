//! The cases that the explorer makes and that claim nothing but survival.

use super::SqlExplorer;
use crate::oracle::{Derived, survives};
use crate::sql::state::State;
use crate::sql::{print, survival};
use qualm_core::case::{Case, Step};
use qualm_core::relation::{FailureKind, failure};
use qualm_core::session::Session;

impl SqlExplorer {
    /// Which of the questions it was that the engine broke at. They are run again only where that is not known: an
    /// engine that is broken for good breaks at the first of them.
    pub(super) fn broken_query(&self, derived: &Derived, session: &mut dyn Session) -> String {
        let is_asked = |text: &&str| derived.script.iter().any(|s| s.text == **text);
        if let Some(text) = self.checker.broke_at().filter(is_asked) {
            return text.to_owned();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_core::explore::{ExploreConfig, Explorer, Tally};
    use qualm_core::plan::Plan;
    use qualm_core::session::{Outcome, RejectionClass, Spoken};
    use qualm_core::spec::HuntSpec;
    use qualm_engines::sqlite::dialect::SQLITE;

    /// An engine that reports damage at the first question about bare tables, and at everything after it.
    struct Invalidated {
        inner: Box<dyn Session>,
        broke_at: Option<String>,
    }

    impl Session for Invalidated {
        fn run(&mut self, text: &str) -> Outcome {
            if self.broke_at.is_none() && text.starts_with("SELECT") && text.contains("bare_") {
                self.broke_at = Some(text.to_owned());
            }
            match &self.broke_at {
                Some(_) => Outcome::rejected(RejectionClass::Internal, "database has been invalidated"),
                None => self.inner.run(text),
            }
        }

        fn plan(&mut self, query: &str) -> Option<Plan> {
            self.inner.plan(query)
        }

        fn reset(&mut self) -> Result<(), String> {
            self.inner.reset()
        }
    }

    #[test]
    fn an_engine_that_stays_broken_is_asked_what_it_broke_at_first() {
        let inner = qualm_engines::connect("sqlite").unwrap().open().unwrap();
        let mut session = Invalidated { inner, broke_at: None };
        let oracles = vec!["index".to_owned()];
        let spec = HuntSpec { oracles, seed: 1, ..HuntSpec::default() };
        let config = ExploreConfig::new(spec, Spoken::Sql(&SQLITE));
        let mut explorer = SqlExplorer::new(config, &mut session).unwrap();
        let mut tally = Tally::default();
        let cases = std::iter::repeat_with(|| explorer.step(&mut session, &mut tally)).take(20_000);
        let case = cases.flatten().next().expect("the engine broke");
        assert_eq!(case.oracle, survives::NAME);
        assert_eq!(case.script.last().map(|step| &step.text), session.broke_at.as_ref());
    }
}
