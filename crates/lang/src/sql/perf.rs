//! Explores for slow answers: builds a large state, runs a query, and turns off, one at a time, the optimisations that
//! change its plan; or runs the pair of queries that an oracle compares. What clearly takes more work than it should
//! is a case.

use super::ast::{Query, Question, SqlSource, Statement};
use super::generate::Generator;
use super::profile::Profile;
use super::state::State;
use super::{large, print};
use crate::checker::Checker;
use crate::oracle::{self, Derived, OracleSpec, Setting, cert, config_perf};
use crate::parameters;
use qualm_core::case::Case;
use qualm_core::explore::{ExploreConfig, Explorer, Tally};
use qualm_core::knobs::{Flip, Knob, statements};
use qualm_core::relation::Relation;
use qualm_core::session::Session;
use qualm_core::slowness::{self, Side, Threshold};
use std::time::Instant;

/// Queries asked of one state.
const QUERIES_PER_STATE: u32 = 40;

/// What came of timing one query.
pub enum Found {
    /// Answered too fast to be slow, or no optimisation changes its plan.
    Nothing,
    /// Nothing can make it faster by as much as the floor.
    TooFast,
    /// Timed with so many optimisations off, and none is to blame.
    Fine(u32),
    /// This one off makes it clearly faster.
    Slower(Flip),
}

/// What one run of a query costs.
#[derive(Clone, Copy)]
struct Cost {
    amount: f64,
    /// The least difference that matters, in the same unit.
    floor: f64,
}

impl Cost {
    /// Work where the engine counts it, time elsewhere. Nothing where the query has no answer; a limit counts as one
    /// only for the side that may be slow.
    fn of(text: &str, at: Threshold, may_stop: bool, session: &mut dyn Session) -> Option<Cost> {
        if let Some(work) = session.work(text) {
            return Some(Cost { amount: work.amount, floor: slowness::WORK_FLOOR });
        }
        let timed = slowness::time(Side { before: &[], question: text }, session)?;
        (may_stop || !timed.stopped).then_some(Cost { amount: timed.ms, floor: at.floor_ms })
    }

    fn exceeds(self, other: Cost, at: Threshold) -> bool {
        self.amount >= at.ratio * other.amount && self.amount - other.amount >= self.floor
    }
}

/// Runs a query with each optimisation off that matters to its plan.
pub fn blame(text: &str, knobs: &[Knob], at: Threshold, session: &mut dyn Session) -> Found {
    let Some(plan) = session.plan(text) else { return Found::Nothing };
    let Some(cost) = Cost::of(text, at, true, session) else { return Found::Nothing };
    if cost.amount < cost.floor {
        return Found::TooFast;
    }
    let mut tried = 0;
    for flip in knobs.iter().filter(|k| k.concerns(&plan)).filter_map(config_perf::weakened) {
        let (set, reset) = statements(std::slice::from_ref(&flip));
        let taken = set.iter().all(|s| session.run(s).is_ok());
        let other = session.plan(text).filter(|other| taken && *other != plan);
        // A weak side that needs as much work as the base may is of no interest.
        session.allow_work((f64::from(slowness::WORK) / at.ratio).ceil() as u32);
        let weak = other.and_then(|_| Cost::of(text, at, false, session));
        session.allow_work(slowness::WORK);
        let restored = reset.iter().all(|s| session.run(s).is_ok());
        if !restored {
            return Found::Nothing;
        }
        let Some(weak) = weak else { continue };
        tried += 1;
        if cost.exceeds(weak, at) {
            let (base, weak) = (Side { before: &reset, question: text }, Side { before: &set, question: text });
            let clear = slowness::measure(base, weak, at, session);
            // Whatever the last run of a pair left behind.
            reset.iter().for_each(|s| drop(session.run(s)));
            if clear.is_some() {
                return Found::Slower(flip);
            }
        }
    }
    if tried > 0 { Found::Fine(tried) } else { Found::Nothing }
}

/// Whether two queries violate what an oracle says about their work or their estimates; nothing where the engine says
/// nothing about them.
pub fn violates(derived: &Derived, session: &mut dyn Session) -> Option<bool> {
    let text = |i: usize| derived.script.iter().filter(|s| s.is_query()).nth(i).map(|s| s.text.as_str());
    match &derived.claim {
        Relation::NotSlower { base, weak, threshold, to_base, to_weak, .. } => {
            let base = Side { before: to_base, question: text(*base)? };
            let weak = Side { before: to_weak, question: text(*weak)? };
            session.work(weak.question)?;
            Some(slowness::measure(base, weak, *threshold, session).is_some())
        }
        Relation::NoLargerEstimate { weaker, stricter, ratio } => {
            let (weaker, stricter) = (text(*weaker)?, text(*stricter)?);
            session.estimate(weaker)?;
            Some(slowness::estimates(stricter, weaker, *ratio, session).is_some())
        }
        _ => None,
    }
}

pub struct PerfExplorer {
    /// The oracle that measures; there is one, because each excludes the others.
    oracle: &'static OracleSpec,
    /// The engine counts its work, so that small data are enough.
    counted: bool,
    config: ExploreConfig,
    profile: Profile,
    checker: Checker,
    state: Option<State>,
    queries_left: u32,
}

impl PerfExplorer {
    pub fn new(config: ExploreConfig, session: &mut dyn Session) -> Result<PerfExplorer, String> {
        let profile = Profile::probe(super::dialect(&config)?, session)?;
        session.allow_work(slowness::WORK);
        let named = config.spec.oracles.iter().filter_map(|name| oracle::find(name));
        let oracle = named.into_iter().find(|o| o.needs.times).unwrap_or(&config_perf::SPEC);
        let counted = session.work("SELECT 1").is_some() || oracle.name == cert::SPEC.name;
        let checker = Checker::new(&config);
        Ok(PerfExplorer { oracle, counted, checker, config, profile, state: None, queries_left: 0 })
    }

    fn fresh_state(&mut self, session: &mut dyn Session, tally: &mut Tally) {
        self.checker.begin_database(tally);
        self.queries_left = QUERIES_PER_STATE;
        if session.reset().is_err() {
            return;
        }
        let mut state = State::new(self.profile.dialect, &mut self.checker.rng);
        for statement in large::state(&mut self.checker.rng, &self.profile, self.counted) {
            self.attempt(statement, &mut state, session, tally);
        }
        for text in large::statistics(&self.profile, &state) {
            self.attempt(Statement::Maintenance(text.into()), &mut state, session, tally);
        }
        session.mark();
        self.state = (!state.tables.is_empty()).then_some(state);
    }

    fn attempt(&mut self, statement: Statement, state: &mut State, session: &mut dyn Session, tally: &mut Tally) {
        let outcome = self.checker.run(&print::statement(&statement, self.profile.dialect), session, tally);
        if outcome.is_ok() {
            state.accept(statement, &self.profile);
        }
    }

    fn check(&mut self, state: &State, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        self.queries_left -= 1;
        if self.oracle.name != config_perf::SPEC.name {
            return self.check_pair(state, session, tally);
        }
        let generating = Instant::now();
        let Some(question) = self.question(state) else { return Vec::new() };
        let setting = Setting { state: &state.statements, schema: &state.schema, dialect: self.profile.dialect };
        let Some((text, ..)) = config_perf::text(&question, &setting) else { return Vec::new() };
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        self.checker.check += 1;
        self.checker.look_at_plan(&text, session, tally);
        let found = blame(&text, &self.config.knobs, self.config.spec.threshold, session);
        count(config_perf::SPEC.name, &found, tally);
        let Found::Slower(flip) = found else { return Vec::new() };
        let question = Question { flips: vec![flip], ..question };
        let source = SqlSource { oracle: config_perf::SPEC.name.into(), state: state.statements.clone(), question };
        oracle::case(&source, self.profile.dialect, self.checker.origin()).into_iter().collect()
    }

    /// Two queries that an oracle compares.
    fn check_pair(&mut self, state: &State, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let generating = Instant::now();
        let shape = parameters::sql(self.config.spec.size, &self.config.spec.set);
        let mut generator = Generator::new(&mut self.checker.rng, &self.profile, &state.schema, &state.pool, shape);
        generator.state = &state.statements;
        let proposed = (self.oracle.propose)(&mut generator);
        let Some(question) = proposed.map(|q| with_ratio(q, self.config.spec.threshold)) else { return Vec::new() };
        let setting = Setting { state: &state.statements, schema: &state.schema, dialect: self.profile.dialect };
        let Some(derived) = (self.oracle.derive)(&question, &setting) else { return Vec::new() };
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        self.checker.check += 1;
        if let Some(step) = derived.script.last() {
            self.checker.look_at_plan(&step.text, session, tally);
        }
        let violated = violates(&derived, session);
        count_pair(self.oracle.name, violated, tally);
        if violated != Some(true) {
            return Vec::new();
        }
        let source = SqlSource { oracle: self.oracle.name.into(), state: state.statements.clone(), question };
        oracle::case(&source, self.profile.dialect, self.checker.origin()).into_iter().collect()
    }

    fn question(&mut self, state: &State) -> Option<Question> {
        let shape = parameters::sql(self.config.spec.size, &self.config.spec.set);
        let mut generator = Generator::new(&mut self.checker.rng, &self.profile, &state.schema, &state.pool, shape);
        let query: Query = large::query(&mut generator)?;
        Some(config_perf::question(query, self.config.spec.threshold))
    }
}

/// A query that no optimisation matters to shows nothing. One that was too fast was only a scout: no claim was made.
pub fn count(oracle: &str, found: &Found, tally: &mut Tally) {
    let (checks, vacuous, violations) = match found {
        Found::TooFast => (0, 0, 0),
        Found::Nothing => (1, 1, 0),
        Found::Fine(tried) => (u64::from(*tried), 0, 0),
        Found::Slower(_) => (1, 0, 1),
    };
    tally.statements += checks.max(1);
    add(oracle, [checks, vacuous, violations], tally);
}

/// The same for a pair of queries.
pub fn count_pair(oracle: &str, violated: Option<bool>, tally: &mut Tally) {
    tally.statements += 2;
    add(oracle, [1, u64::from(violated.is_none()), u64::from(violated == Some(true))], tally);
}

fn add(oracle: &str, [checks, vacuous, violations]: [u64; 3], tally: &mut Tally) {
    tally.checks += checks;
    tally.vacuous += vacuous;
    tally.violations += violations;
    tally.of_oracle(oracle, checks, violations);
}

/// The question with the ratio that counts, in its form.
pub fn with_ratio(question: Question, at: Threshold) -> Question {
    Question { form: format!("{} {}", question.form, at.ratio).into(), ..question }
}

impl Explorer for PerfExplorer {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        match self.state.take().filter(|_| self.queries_left > 0) {
            Some(state) => {
                let cases = self.check(&state, session, tally);
                self.state = Some(state);
                cases
            }
            None => {
                self.fresh_state(session, tally);
                Vec::new()
            }
        }
    }

    fn learned(&self) -> Vec<String> {
        self.profile.learned().to_vec()
    }

    fn database(&self) -> u64 {
        self.checker.database
    }
}
