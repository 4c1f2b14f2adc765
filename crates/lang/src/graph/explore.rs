//! Explores graphs: builds a random state, runs what oracles propose, judges the results. All random decisions come
//! from the seed, the worker and the number of the database.

#[cfg(test)]
mod tests;

use super::ast::{KEY, Literal, Statement};
use super::check;
use super::express::Generator;
use super::metamodel::{self, Metamodel};
use super::print;
use super::probe::{self, Missing};
use super::rewrite::user::{self, UserRule};
use super::source::{Alone, GraphSource, Question, Setting};
use super::state::{self, States};
use crate::checker::{Checker, Steers, clocked};
use crate::oracle::Derived;
use crate::oracle::graph::{self, GraphOracle};
use crate::parameters;
use qualm_core::case::{Case, Step};
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::explore::{ExploreConfig, Explorer, Size, Tally};
use qualm_core::relation::{FailureKind, Relation, Verdict};
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, Session};
use qualm_core::value::Value;
use std::time::Instant;

/// One in so many questions is run to the end although its first results say nothing.
const RUN_ANYWAY: u32 = 8;
/// One in so many checks looks at a plan.
const LOOK_AT_PLAN: u32 = 8;
/// Further checks for a state that showed a new plan.
const CHECKS_PER_NEW_PLAN: u32 = 10;
const CHECKS_AT_MOST: u32 = 120;
/// Checks of one state that delete something.
const DELETIONS: u32 = 3;
/// A state that lost most of its statements says more about the dialect than about the engine; it is not used.
const TAKEN_AT_LEAST: (usize, usize) = (1, 2);

pub struct GraphExplorer {
    config: ExploreConfig,
    dialect: &'static GraphDialect,
    oracles: Vec<&'static GraphOracle>,
    missing: Missing,
    user_rules: Vec<UserRule>,
    checker: Checker,
    state: Option<State>,
}

struct State {
    model: Metamodel,
    statements: Vec<Statement>,
    /// Labels or types, and properties, that have an index.
    indexed: Vec<(String, String)>,
    /// Properties and what stands under them.
    held: Vec<(String, Literal)>,
    checks_left: u32,
    checks_given: u32,
    disputed: bool,
    /// Checks that may still delete something: a state without nodes says nothing.
    deletions_left: u32,
}

impl GraphExplorer {
    pub fn new(
        config: ExploreConfig,
        dialect: &'static GraphDialect,
        session: &mut dyn Session,
    ) -> Result<GraphExplorer, String> {
        let oracles: Vec<&GraphOracle> = config.spec.oracles.iter().filter_map(|name| graph::find(name)).collect();
        if oracles.is_empty() {
            return Err(format!("no oracle for graphs among '{}'; see 'qualm oracles'", config.spec.oracles.join(",")));
        }
        let missing = probe::probe(dialect, session)?;
        let user_rules = config.spec.rules.as_ref().map(user::read).transpose()?.unwrap_or_default();
        let checker = Checker::new(&config);
        Ok(GraphExplorer { checker, config, dialect, oracles, missing, user_rules, state: None })
    }

    fn build(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        self.checker.begin_database(tally);
        self.state = None;
        if session.reset().is_err() {
            return Vec::new();
        }
        let generating = Instant::now();
        let disputed = self.config.spec.disputed && self.checker.rng.chance(3, 4);
        let model = metamodel::metamodel(self.dialect, &mut self.checker.rng);
        let statements = States::new(self.dialect, &model, &self.missing, disputed, &mut self.checker.rng)
            .all_of(&parameters::graph(self.config.spec.size, &self.config.spec.set));
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        let planned = statements.len();
        let mut kept: Vec<Statement> = Vec::new();
        for statement in statements {
            let text = print::statement(&statement, self.dialect);
            let outcome = self.checker.run(&text, session, tally);
            if let Some(kind) = self.checker.failure(&outcome, tally) {
                let before = kept.clone();
                kept.push(statement);
                let source = GraphSource { alone: Some(Alone::Statement), ..self.source("", &model, kept) };
                return vec![self.survival_case(&before, &[], &text, kind, &source)];
            }
            if outcome.is_ok() {
                kept.push(statement);
            }
        }
        for text in self.dialect.await_indexes {
            self.checker.run(text, session, tally);
        }
        session.mark();
        if kept.len() * TAKEN_AT_LEAST.1 >= planned * TAKEN_AT_LEAST.0 {
            let checks_left = match self.config.spec.size {
                Size::Small => 30,
                Size::Medium => 60,
                Size::Large => 100,
            };
            self.state = Some(State {
                model,
                indexed: indexed(&kept),
                held: held(&kept),
                statements: kept,
                checks_left,
                checks_given: checks_left,
                disputed,
                deletions_left: DELETIONS,
            });
        }
        Vec::new()
    }

    fn check(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let Some(mut state) = self.state.take() else { return Vec::new() };
        self.checker.check += 1;
        state.checks_left -= 1;
        let tired = |o: &GraphOracle| o.deletes && state.deletions_left == 0 && self.oracles.iter().any(|o| !o.deletes);
        let weights: Vec<u32> = self.oracles.iter().map(|o| if tired(o) { 0 } else { o.weight }).collect();
        let oracle = self.oracles[self.checker.rng.weighted(&weights)];
        let generating = Instant::now();
        let mut generator =
            Generator::new(self.dialect, &state.model, &self.missing, state.disputed, &mut self.checker.rng);
        generator.indexed = &state.indexed;
        generator.held = &state.held;
        generator.user_rules = &self.user_rules;
        let question = (oracle.propose)(&mut generator, &state.statements);
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        let setting = Setting { model: &state.model, state: &state.statements, dialect: self.dialect };
        let derive = || question.and_then(|q| (oracle.derive)(&q, &setting).map(|d| (q, d)));
        let made = clocked(&mut tally.print_nanos, derive);
        let Some((question, derived)) = made else {
            self.state = (state.checks_left > 0).then_some(state);
            return Vec::new();
        };
        session.about(&|| serde_json::to_string(&self.source_of(oracle, &state, &question)).ok());
        let mut steering = Worth { oracle, derived: &derived, changed: false };
        let answers = self.checker.run_all(&derived.script, &mut steering, session, tally);
        let changed = steering.changed;
        let cases = match answers {
            Some(answers) => self.judge(oracle, &state, &question, &derived, &answers, tally),
            None => Vec::new(),
        };
        if self.checker.rng.chance(1, LOOK_AT_PLAN) {
            self.look_at_plan(&derived.script[0].text, &mut state, session, tally);
        }
        let mut over = false;
        if changed {
            self.absorb(&question, &mut state);
            session.mark();
            // What was changed and then not answered may be half done.
            over = !cases.is_empty();
        }
        if !over && state.checks_left > 0 && !broke(&cases) {
            self.state = Some(state);
        }
        cases
    }

    /// What the question did to the state belongs to the state of the next one. An index that is dropped was never
    /// made: scripts would grow with every check.
    fn absorb(&self, question: &Question, state: &mut State) {
        let deletions = question.deleted.iter().map(|of| Statement::Delete { of: of.clone(), detach: true });
        state.deletions_left = state.deletions_left.saturating_sub(question.deleted.len().min(1) as u32);
        state.statements.extend(deletions);
        for change in &question.changes {
            if matches!(change, Statement::DropIndex { .. }) {
                state.statements.retain(|s| state::drop_of(s).as_ref() != Some(change));
            } else {
                state.statements.push(change.clone());
            }
        }
        state.indexed = indexed(&state.statements);
    }

    fn judge(
        &mut self,
        oracle: &'static GraphOracle,
        state: &State,
        question: &Question,
        derived: &Derived,
        answers: &[Outcome],
        tally: &mut Tally,
    ) -> Vec<Case> {
        let mut verdict = self.checker.compare(&derived.claim, answers, tally);
        if let Verdict::Holds { vacuous } = &mut verdict {
            *vacuous |= matches!(derived.claim, Relation::Partition { .. }) && parts_with_rows(answers) < 2;
        }
        self.checker.count(oracle.name, &verdict, tally);
        match &verdict {
            Verdict::Holds { vacuous } => {
                if let Some(rewrite) = question.rewrite.as_ref().filter(|_| !vacuous) {
                    *tally.per_rule.entry(rewrite.rule.clone()).or_default() += 1;
                }
                Vec::new()
            }
            Verdict::NotComparable { .. } => Vec::new(),
            Verdict::Violated(_) | Verdict::Slower(_) => {
                let source = self.source_of(oracle, state, question);
                graph::case(&source, self.dialect, self.checker.origin()).into_iter().collect()
            }
            Verdict::Broke { kind, .. } => {
                let is_query = |i: &usize| derived.script[*i].is_query();
                let Some(last) = (0..derived.script.len()).filter(is_query).nth(answers.len() - 1) else {
                    return Vec::new();
                };
                let (before, source) = (&derived.script[..last], self.source_of(oracle, state, question));
                vec![self.survival_case(&state.statements, before, &derived.script[last].text, *kind, &source)]
            }
        }
    }

    fn look_at_plan(&mut self, query: &str, state: &mut State, session: &mut dyn Session, tally: &mut Tally) {
        if !self.checker.look_at_plan(query, session, tally) {
            return;
        }
        if state.checks_given < CHECKS_AT_MOST {
            state.checks_left += CHECKS_PER_NEW_PLAN;
            state.checks_given += CHECKS_PER_NEW_PLAN;
        }
    }

    fn source(&self, oracle: &str, model: &Metamodel, state: Vec<Statement>) -> GraphSource {
        GraphSource {
            oracle: oracle.into(),
            dialect: self.dialect.name.into(),
            model: model.clone(),
            state,
            question: Question::default(),
            alone: None,
        }
    }

    fn source_of(&self, oracle: &GraphOracle, state: &State, question: &Question) -> GraphSource {
        let source = self.source(oracle.name, &state.model, state.statements.clone());
        GraphSource { question: question.clone(), ..source }
    }

    /// A case that says only: this must not break the engine. Of the questions before it none is asked, but what they
    /// change is changed.
    fn survival_case(
        &self,
        state: &[Statement],
        before: &[Step],
        text: &str,
        kind: FailureKind,
        source: &GraphSource,
    ) -> Case {
        let built = graph::state_texts(state, self.dialect).into_iter().map(Step::run);
        let changes = before.iter().filter(|s| !s.is_query()).cloned();
        self.checker.survival_case(built.chain(changes).collect(), kind, text, source)
    }
}

impl Explorer for GraphExplorer {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        match self.state {
            None => self.build(session, tally),
            Some(_) => self.check(session, tally),
        }
    }

    fn begin_again(&mut self, worker: u64, database: u64) -> bool {
        (self.config.worker, self.config.database) = (worker, database);
        (self.checker, self.state) = (Checker::new(&self.config), None);
        true
    }

    fn learned(&self) -> Vec<String> {
        self.missing.words(self.dialect)
    }

    fn database(&self) -> u64 {
        self.checker.database
    }
}

/// What has an index now.
fn indexed(state: &[Statement]) -> Vec<(String, String)> {
    let place = |s: &Statement| match s {
        Statement::CreateIndex { class, property, .. } => Some((class.clone(), property.clone())),
        _ => None,
    };
    crate::oracle::graph_index::standing(state).iter().filter_map(place).collect()
}

/// Properties and what stands under them, keys among them.
fn held(state: &[Statement]) -> Vec<(String, Literal)> {
    let mut found: Vec<(String, Literal)> = Vec::new();
    for statement in state {
        found.extend(check::stored(statement).into_iter().map(|(p, v)| (p.to_string(), v.clone())));
        if let Statement::Create { nodes, edges } = statement {
            let keys = nodes.iter().map(|n| n.k).chain(edges.iter().map(|e| e.k));
            found.extend(keys.map(|k| (KEY.to_string(), Literal::Int(k))));
        }
    }
    found
}

fn broke(cases: &[Case]) -> bool {
    cases.iter().any(|c| c.claim == Relation::Survives)
}

/// Most questions whose first results say nothing are not run to the end.
struct Worth<'a> {
    oracle: &'a GraphOracle,
    derived: &'a Derived,
    changed: bool,
}

impl Steers for Worth<'_> {
    fn ran(&mut self, _: usize, step: &Step, _: &Outcome, _: &mut dyn Session, _: &mut Tally) {
        self.changed |= !step.is_query() && self.oracle.changes_state;
    }

    fn goes_on(&mut self, _: usize, answers: &[Outcome], rng: &mut Rng) -> bool {
        let parts = matches!(self.derived.claim, Relation::Partition { .. });
        let idle = self.oracle.wants_rows && says_nothing(answers, parts);
        // What has been run to the end is judged.
        let all = answers.len() == self.derived.script.len();
        !idle || self.changed || all || rng.chance(1, RUN_ANYWAY)
    }
}

/// How much an answer holds: its rows; of an aggregated one the number that `count(*)` gave.
fn amount(outcome: &Outcome) -> i64 {
    match outcome {
        Outcome::Rows(rows) if rows.len() == 1 => match rows.cells.first() {
            Some(Value::Int(n)) => *n,
            _ => 1,
        },
        Outcome::Rows(rows) => rows.len() as i64,
        _ => 0,
    }
}

/// The whole is empty, or one of its first two parts is all of it. Where both are nothing of it the last one is asked
/// too: it is all of it, or the engine has lost rows.
fn says_nothing(answers: &[Outcome], parts: bool) -> bool {
    match answers {
        [Outcome::Rows(rows)] => rows.is_empty() || parts && amount(&answers[0]) == 0,
        [whole, part] if parts => amount(part) == amount(whole),
        [whole, first, second] if parts => amount(first) == 0 && amount(second) == amount(whole),
        _ => false,
    }
}

fn parts_with_rows(answers: &[Outcome]) -> usize {
    answers[1..].iter().filter(|a| amount(a) > 0).count()
}
