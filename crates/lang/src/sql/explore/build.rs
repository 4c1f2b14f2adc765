//! Builds states in an engine, statement by statement: random ones with their theme, and those of seeds, changed a
//! little.

use super::{SqlExplorer, learn, says_nothing};
use crate::sql::ast::*;
use crate::sql::leaning::Leaning;
use crate::sql::print;
use crate::sql::profile::Used;
use crate::sql::seeds::Seed;
use crate::sql::state::{Builder, State, Theme};
use crate::sql::typing::Unsound;
use qualm_core::case::Case;
use qualm_core::explore::Tally;
use qualm_core::session::{Outcome, Session};

/// Changes to a state that a seed brings, before it is asked about.
const SEED_CHANGES_AT_MOST: usize = 3;

impl SqlExplorer {
    pub(super) fn build(
        &mut self,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
        cases: &mut Vec<Case>,
    ) {
        state.theme = Theme::draw(&self.profile, self.shape.themes, &mut self.checker.rng);
        let leaning = Leaning::draw(&self.profile, self.shape.leanings, &mut self.checker.rng);
        state.lean_to(leaning, &mut self.checker.rng);
        let (first, used) = self.with_builder(|b| b.layout(state));
        for statement in first {
            cases.extend(self.attempt(statement, used, state, session, tally));
        }
        for _ in 0..self.checker.rng.range(self.shape.tables.0, self.shape.tables.1) {
            let (statement, used) = self.with_builder(|b| b.create_table(state));
            cases.extend(self.attempt(statement, used, state, session, tally));
        }
        if state.theme.modules {
            for _ in 0..self.checker.rng.range(1, 2) {
                self.attempt_made(|b, s| b.create_virtual(s), state, session, tally, cases);
            }
        }
        for _ in 0..self.checker.rng.below(3) {
            self.attempt_made(|b, s| b.create_index(s), state, session, tally, cases);
        }
        if state.theme.triggers {
            for _ in 0..self.checker.rng.range(1, 3) {
                self.attempt_made(|b, s| b.create_trigger(s), state, session, tally, cases);
            }
        }
        self.fill(state, session, tally, cases);
        let indexed = usize::from(leaning.searches || leaning.orders || leaning.collations);
        for _ in 0..self.checker.rng.below(3) + indexed {
            self.attempt_made(|b, s| b.create_index(s), state, session, tally, cases);
        }
        if leaning.nesting {
            for _ in 0..self.checker.rng.range(1, 2) {
                self.attempt_made(|b, s| b.create_view(s), state, session, tally, cases);
            }
        }
        if self.checker.rng.chance(1, 3) || state.theme.triggers {
            self.attempt_made(|b, s| b.create_view(s), state, session, tally, cases);
        }
        if state.theme.triggers {
            // Over the view as well, and for the changes to come.
            self.attempt_made(|b, s| b.create_trigger(s), state, session, tally, cases);
        }
        for _ in 0..self.checker.rng.below(5) {
            self.attempt_change(state, session, tally, cases);
        }
        if state.theme.statistics || self.checker.rng.chance(1, 10) {
            let (statements, used) = self.with_builder(|b| b.fake_statistics(state));
            for statement in statements {
                cases.extend(self.attempt(statement, used, state, session, tally));
            }
        }
    }

    fn fill(&mut self, state: &mut State, session: &mut dyn Session, tally: &mut Tally, cases: &mut Vec<Case>) {
        for at in 0..state.tables.len() {
            if self.checker.rng.chance(1, 25) {
                continue;
            }
            if state.theme.bulk && at == 0 {
                let rows = *self.checker.rng.pick(&self.shape.bulk);
                let table = state.tables[at].clone();
                self.attempt_made(|b, s| b.fill_from_series(&table, rows, s), state, session, tally, cases);
            }
            let mut rows = self.checker.rng.range(self.shape.rows.0, self.shape.rows.1);
            while rows > 0 {
                let now = self.checker.rng.range(1, rows.min(6));
                rows -= now;
                let table = state.tables[at].clone();
                let (statement, used) = self.with_builder(|b| b.insert_into(&table, now, state));
                cases.extend(self.attempt(statement, used, state, session, tally));
            }
        }
    }

    /// A seed's own state, changed a little now and then.
    pub(super) fn build_from_seed(
        &mut self,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
        cases: &mut Vec<Case>,
    ) {
        let script = self.checker.rng.pick(&self.config.spec.seeds.scripts);
        let mut seed = Seed::read(script, self.profile.dialect);
        let statements = std::mem::take(&mut seed.state);
        self.offered = std::mem::take(&mut seed.queries);
        self.seed = Some(seed);
        for statement in statements {
            learn(&statement, state);
            cases.extend(self.attempt(statement, Used::default(), state, session, tally));
        }
        if self.checker.rng.coin() {
            for _ in 0..self.checker.rng.range(1, SEED_CHANGES_AT_MOST) {
                self.attempt_change(state, session, tally, cases);
            }
        }
    }

    pub(super) fn with_builder<T>(&mut self, make: impl FnOnce(&mut Builder) -> T) -> (T, Used) {
        let mut builder =
            Builder { rng: &mut self.checker.rng, profile: &self.profile, shape: self.shape, used: Used::default() };
        let made = make(&mut builder);
        (made, builder.used)
    }

    pub(super) fn attempt_made(
        &mut self,
        make: impl FnOnce(&mut Builder, &mut State) -> Option<Statement>,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
        cases: &mut Vec<Case>,
    ) {
        let (statement, used) = self.with_builder(|b| make(b, state));
        if let Some(statement) = statement {
            cases.extend(self.attempt(statement, used, state, session, tally));
        }
    }

    pub(super) fn attempt_change(
        &mut self,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
        cases: &mut Vec<Case>,
    ) {
        let (mut statements, used) = self.with_builder(|b| b.change(state));
        if statements.len() > 1 {
            cases.extend(self.attempt_together(statements, used, state, session, tally));
        } else if let Some(statement) = statements.pop() {
            cases.extend(self.attempt(statement, used, state, session, tally));
        }
    }

    /// Tries a transaction: where one statement of it is refused nothing of it remains, because engines do not agree on
    /// what is left then.
    fn attempt_together(
        &mut self,
        statements: Vec<Statement>,
        used: Used,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Case> {
        let texts: Vec<String> = statements.iter().map(|s| print::statement(s, self.profile.dialect)).collect();
        for (at, text) in texts.iter().enumerate() {
            let outcome = self.checker.run(text, session, tally);
            self.profile.learn(used, outcome.is_ok());
            if outcome.is_ok() {
                continue;
            }
            if let Some(kind) = self.checker.failure(&outcome, tally) {
                return Some(self.survival_case(state, &texts[..at], text, kind));
            }
            let back = print::statement(&Statement::Transaction(Transaction::Rollback), self.profile.dialect);
            self.checker.run(&back, session, tally);
            return None;
        }
        statements.into_iter().for_each(|s| state.accept(s, &self.profile));
        None
    }

    /// Tries a statement; what the engine takes becomes part of the state.
    pub(super) fn attempt(
        &mut self,
        statement: Statement,
        used: Used,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Case> {
        let text = print::statement(&statement, self.profile.dialect);
        let outcome = self.checker.run(&text, session, tally);
        self.profile.learn(used, outcome.is_ok());
        if outcome.is_ok() {
            state.accept(statement, &self.profile);
            return None;
        }
        let kind = self.checker.failure(&outcome, tally)?;
        Some(self.survival_case(state, &[], &text, kind))
    }

    /// Asks which tables and views have no rows: most joins with these have none either. A view that was made and that
    /// the engine cannot read is not asked about.
    pub(super) fn look_for_rows(
        &mut self,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
        cases: &mut Vec<Case>,
    ) {
        self.barren.clear();
        for at in 0..state.schema.tables.len() {
            let table = &state.schema.tables[at];
            if table.refused.is_some() {
                continue;
            }
            let text = print::query(&count_of(&table.name), self.profile.dialect);
            let outcome = self.checker.run(&text, session, tally);
            if says_nothing(&outcome) {
                self.barren.push(table.name.clone());
            } else if let Some(kind) = self.checker.failure(&outcome, tally) {
                cases.push(self.survival_case(state, &[], &text, kind));
            } else if matches!(outcome, Outcome::Rejected(_)) && !state.tables.iter().any(|t| t.name == table.name) {
                state.schema.tables[at].refused = Some(Unsound("a view that the engine does not read"));
            }
        }
    }
}

/// `SELECT count(*) FROM table`.
fn count_of(table: &Name) -> Query {
    let source = Source::Table { name: table.clone(), alias: table.clone(), hint: Hint::None };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    Query::of(Select { items: vec![Item::bare(Expr::count_star())], from, ..Select::default() })
}
