//! Explores SQL: builds a state, asks questions of it, changes it while it still shows new plans (the idea of query
//! plan guidance, Ba and Rigger, ICSE 2023), and goes on to the next one. All random decisions come from the seed, the
//! worker and the number of the database, so a case can be recognised by them; what the engine answers takes part only
//! where the engine is deterministic.

mod cases;
mod flips;
mod turns;

use super::asking::{Asking, Facts};
use super::ast::{Expr, Query, Question, SqlSource, Statement};
use super::generate::{Fertile, Generator, Shape};
use super::profile::{Profile, Used};
use super::rules_file::{self, UserRule};
use super::seeds::Seed;
use super::state::{Builder, State};
use super::{print, typing};
use crate::checker::{Checker, Next, Steers, clocked};
use crate::oracle::{self, Derived, OracleSpec, Setting};
use crate::parameters;
use qualm_core::case::{Case, Effect, Step};
use qualm_core::explore::{ExploreConfig, Explorer, Size, Tally};
use qualm_core::plan::PlanSet;
use qualm_core::relation::{Relation, Verdict};
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, RejectionClass, Session};
use qualm_core::value::Value;
use std::time::Instant;

/// Checks that a fresh state gets, and a changed one; each plan not seen before adds some.
const CHECKS_PER_STATE: u32 = 60;
const CHECKS_PER_CHANGE: u32 = 30;
const CHECKS_PER_NEW_PLAN: u32 = 2;
const CHECKS_AT_MOST: u32 = 200;
/// Changes to a state before it is given up, while it keeps showing new plans.
const CHANGES_AT_MOST: u32 = 4;
/// Changes to a state that a seed brings, before it is asked about.
const SEED_CHANGES_AT_MOST: usize = 3;
/// One in so many questions is asked to the end although its first answer is empty.
const RUN_ANYWAY: u32 = 3;
/// FROMs remembered per state because they gave rows.
const FERTILE_KEPT: usize = 8;

pub struct SqlExplorer {
    config: ExploreConfig,
    /// What the engine takes, as asked at the start and as it is known by now.
    probed: Profile,
    profile: Profile,
    shape: Shape,
    oracles: Vec<&'static OracleSpec>,
    weights: Vec<u32>,
    checker: Checker,
    state: Option<State>,
    fertile: Vec<Fertile>,
    seeds: Vec<Seed>,
    /// The one that the state was built from, and those of its queries that fit the state as it is now.
    seed: Option<usize>,
    seed_queries: Vec<Query>,
    user_rules: Vec<UserRule>,
    /// What the question at hand did to the state, to be undone.
    changes_made: Vec<Step>,
    /// Which oracles' preparations have been run on this state.
    prepared: Vec<Preparation>,
    checks_left: u32,
    checks_given: u32,
    changes_left: u32,
    /// Pairs of plans before and after settings were changed.
    pairs: PlanSet,
    /// Settings that the engine does not take.
    refused: Vec<String>,
    new_plans_here: u32,
    plan_every: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Preparation {
    Missing,
    Done,
    Refused,
}

impl SqlExplorer {
    pub fn new(config: ExploreConfig, session: &mut dyn Session) -> Result<SqlExplorer, String> {
        let probed = Profile::probe(super::dialect(&config)?, session)?;
        SqlExplorer::begin(config, probed)
    }

    fn begin(config: ExploreConfig, probed: Profile) -> Result<SqlExplorer, String> {
        let oracles: Vec<&OracleSpec> = config.spec.oracles.iter().filter_map(|name| oracle::find(name)).collect();
        if oracles.is_empty() {
            return Err(format!("no SQL oracle among '{}'; see 'qualm oracles'", config.spec.oracles.join(",")));
        }
        // Nothing to flip: such an oracle has nothing to ask.
        let weigh = |o: &&OracleSpec| if o.needs.knobs && config.knobs.is_empty() { 0 } else { o.weight };
        let weights: Vec<u32> = oracles.iter().map(weigh).collect();
        if weights.iter().all(|w| *w == 0) {
            return Err("this engine has no knobs to change; see 'qualm knobs'".into());
        }
        let plan_every = match config.spec.size {
            Size::Small => 16,
            Size::Medium => 4,
            Size::Large => 2,
        };
        let seeds = config.spec.seeds.scripts.iter().map(|s| Seed::read(s, probed.dialect)).collect();
        let user_rules = match &config.spec.rules {
            Some(file) => rules_file::read(file.clone(), probed.dialect)?.rules,
            None => Vec::new(),
        };
        Ok(SqlExplorer {
            seeds,
            user_rules,
            seed: None,
            seed_queries: Vec::new(),
            shape: parameters::sql(config.spec.size, &config.spec.set),
            weights,
            prepared: vec![Preparation::Missing; oracles.len()],
            checker: Checker::new(&config),
            oracles,
            config,
            profile: probed.clone(),
            probed,
            state: None,
            fertile: Vec::new(),
            changes_made: Vec::new(),
            checks_left: 0,
            checks_given: 0,
            changes_left: 0,
            pairs: PlanSet::default(),
            refused: Vec::new(),
            new_plans_here: 0,
            plan_every,
        })
    }

    // ------------------------------------------------------------ states

    fn fresh_state(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        self.checker.begin_database(tally);
        self.give(CHECKS_PER_STATE);
        self.checks_given = CHECKS_PER_STATE;
        self.changes_left = CHANGES_AT_MOST;
        // What a question did to the last database is gone with it.
        self.changes_made.clear();
        if session.reset().is_err() {
            return Vec::new();
        }
        let mut state = State::new(self.profile.dialect, &mut self.checker.rng);
        let mut cases = Vec::new();
        self.seed = None;
        if !self.seeds.is_empty()
            && self.checker.rng.chance(self.config.spec.seeds.share.0, self.config.spec.seeds.share.1)
        {
            self.build_from_seed(&mut state, session, tally, &mut cases);
        } else {
            self.build(&mut state, session, tally, &mut cases);
        }
        self.fit_seed_queries(&state);
        session.mark();
        // A table with rows is the least that questions need.
        self.state = (!state.tables.is_empty()).then_some(state);
        cases
    }

    fn give(&mut self, checks: u32) {
        self.checks_left = checks;
        self.new_plans_here = 0;
        self.fertile.clear();
        self.prepared.fill(Preparation::Missing);
    }

    fn build(&mut self, state: &mut State, session: &mut dyn Session, tally: &mut Tally, cases: &mut Vec<Case>) {
        for _ in 0..self.checker.rng.range(self.shape.tables.0, self.shape.tables.1) {
            let (statement, used) = self.with_builder(|b| b.create_table(state));
            cases.extend(self.attempt(statement, used, state, session, tally));
        }
        for _ in 0..self.checker.rng.below(3) {
            self.attempt_made(|b, s| b.create_index(s), state, session, tally, cases);
        }
        for at in 0..state.tables.len() {
            if self.checker.rng.chance(1, 25) {
                continue;
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
        for _ in 0..self.checker.rng.below(3) {
            self.attempt_made(|b, s| b.create_index(s), state, session, tally, cases);
        }
        if self.checker.rng.chance(1, 3) {
            self.attempt_made(|b, s| b.create_view(s), state, session, tally, cases);
        }
        for _ in 0..self.checker.rng.below(5) {
            self.attempt_made(|b, s| b.change(s), state, session, tally, cases);
        }
        if self.checker.rng.chance(1, 10) {
            let (statements, used) = self.with_builder(|b| b.fake_statistics(state));
            for statement in statements {
                cases.extend(self.attempt(statement, used, state, session, tally));
            }
        }
    }

    /// A seed's own state, changed a little now and then.
    fn build_from_seed(
        &mut self,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
        cases: &mut Vec<Case>,
    ) {
        let at = self.checker.rng.below(self.seeds.len());
        self.seed = Some(at);
        for statement in self.seeds[at].state.clone() {
            if let Statement::Insert(insert) = &statement {
                let literals = insert.rows.iter().flatten().filter_map(|e| match e {
                    Expr::Literal(l) => Some(l),
                    _ => None,
                });
                literals.for_each(|l| state.pool.learn(l));
            }
            cases.extend(self.attempt(statement, Used::default(), state, session, tally));
        }
        if self.checker.rng.coin() {
            for _ in 0..self.checker.rng.range(1, SEED_CHANGES_AT_MOST) {
                self.attempt_made(|b, s| b.change(s), state, session, tally, cases);
            }
        }
    }

    fn fit_seed_queries(&mut self, state: &State) {
        let dialect = self.profile.dialect;
        // What the data may make determined is asked when a claim is made of it.
        let schema = state.schema.asking(Facts::asked(Asking::Representatives));
        let fits = |q: &&Query| typing::query(q, &schema, dialect).is_ok();
        self.seed_queries = match self.seed {
            Some(at) => self.seeds[at].queries.iter().filter(fits).cloned().collect(),
            None => Vec::new(),
        };
    }

    fn with_builder<T>(&mut self, make: impl FnOnce(&mut Builder) -> T) -> (T, Used) {
        let mut builder =
            Builder { rng: &mut self.checker.rng, profile: &self.profile, shape: self.shape, used: Used::default() };
        let made = make(&mut builder);
        (made, builder.used)
    }

    fn attempt_made(
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

    /// Tries a statement; what the engine takes becomes part of the state.
    fn attempt(
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

    /// Changes the state that the explorer is at, and builds it anew so that the script has all of it.
    fn change_state(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let Some(mut state) = self.state.take() else { return Vec::new() };
        self.changes_left -= 1;
        let mut cases = Vec::new();
        if !self.rebuild(&state, session) {
            return cases;
        }
        for _ in 0..self.checker.rng.range(1, 3) {
            self.attempt_made(|b, s| b.change(s), &mut state, session, tally, &mut cases);
        }
        session.mark();
        self.fit_seed_queries(&state);
        self.give(CHECKS_PER_CHANGE);
        self.state = Some(state);
        cases
    }

    fn rebuild(&mut self, state: &State, session: &mut dyn Session) -> bool {
        self.prepared.fill(Preparation::Missing);
        let dialect = self.profile.dialect;
        if session.reset().is_err() {
            return false;
        }
        let texts: Vec<String> = state.statements.iter().map(|s| print::statement(s, dialect)).collect();
        session.announce(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        texts.iter().all(|text| session.run(text).is_ok())
    }

    /// Undoes what a question did to the state: added indexes and views are dropped, the rest needs a new start.
    fn restore(&mut self, state: &State, session: &mut dyn Session) -> bool {
        let made = std::mem::take(&mut self.changes_made);
        undo(&made, session) || self.rebuild(state, session)
    }

    // ------------------------------------------------------------ checks

    fn check(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let Some(state) = self.state.take() else { return Vec::new() };
        self.checker.check += 1;
        self.checks_left -= 1;
        let at = self.checker.rng.weighted(&self.weights);
        let cases = self.check_with(at, &state, session, tally);
        if cases.is_empty() {
            let restored = self.restore(&state, session);
            self.state = restored.then_some(state);
        } else {
            // One violation says enough about this state; the next one is more likely to show another bug.
            self.checks_left = 0;
            self.changes_left = 0;
        }
        cases
    }

    fn check_with(&mut self, at: usize, state: &State, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let oracle = self.oracles[at];
        let setting = Setting { state: &state.statements, schema: &state.schema, dialect: self.profile.dialect };
        if !self.prepare(at, &setting, session, tally) {
            return Vec::new();
        }
        let generating = Instant::now();
        let mut generator =
            Generator::new(&mut self.checker.rng, &self.profile, &state.schema, &state.pool, self.shape);
        generator.collations = state.collations;
        generator.state = &state.statements;
        generator.fertile = &self.fertile;
        generator.seed_queries = &self.seed_queries;
        generator.user_rules = &self.user_rules;
        if let Some(at) = self.seed {
            generator.seed_texts = &self.seeds[at].texts;
        }
        let question = (oracle.propose)(&mut generator);
        let (used, from) = (generator.used, generator.outermost.take());
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        let Some(mut question) = question else { return Vec::new() };
        let planned = oracle.guide.and_then(|g| self.guide(g, &mut question, state, &setting, session));
        let derived = clocked(&mut tally.print_nanos, || oracle::derive(oracle, &question, &setting));
        let Some(mut derived) = derived else { return Vec::new() };
        let mut verdict = match &planned {
            Some(planned) => self.compare_flipped(oracle, &question.flips, &derived, planned, used, session, tally),
            None => self.compare(oracle, &derived, used, session, tally),
        };
        // No row for which the condition is true: then there are some for which it is false or unknown.
        let mut turns = if planned.is_none() { turns::MOST } else { 0 };
        while verdict.is_none() && turns > 0 {
            turns -= 1;
            let Some(turned) = turns::turned(&question, oracle.scout == 1) else { break };
            let Some(other) = oracle::derive(oracle, &turned, &setting) else { break };
            if turns::first(oracle, &other) == turns::first(oracle, &derived) {
                break;
            }
            (question, derived) = (turned, other);
            verdict = self.compare(oracle, &derived, used, session, tally);
        }
        if verdict == Some(Verdict::Holds { vacuous: false }) {
            for rewrite in &question.rewrites {
                match tally.per_rule.get_mut(rewrite.rule.as_str()) {
                    Some(count) => *count += 1,
                    None => drop(tally.per_rule.insert(rewrite.rule.to_string(), 1)),
                }
            }
        }
        if let (Some(Verdict::Holds { vacuous: false }), Some(from)) = (&verdict, from)
            && self.fertile.len() < FERTILE_KEPT
        {
            self.fertile.push(from);
        }
        if self.checker.check.is_multiple_of(self.plan_every) {
            self.look_at_plan(&derived.script[derived.claim.facts_first()].text, session, tally);
        }
        match verdict {
            // What breaks under changed settings needs them in its script.
            Some(Verdict::Broke { .. }) if planned.is_some() => {
                tally.per_oracle.entry(oracle.name.into()).or_default().1 += 1;
                self.violation(oracle, state, question)
            }
            Some(Verdict::Violated(_)) => self.violation(oracle, state, question),
            Some(Verdict::Broke { kind, .. }) => {
                // Without what the question itself did to the state it would not break again.
                let changes = self.changes_made.iter().map(|step| step.text.clone()).collect();
                let before = [(oracle.prepare)(&setting), changes].concat();
                let text = self.broken_query(&derived, session);
                vec![self.survival_case(state, &before, &text, kind)]
            }
            _ => Vec::new(),
        }
    }

    fn violation(&self, oracle: &OracleSpec, state: &State, question: Question) -> Vec<Case> {
        let source = SqlSource { oracle: oracle.name.into(), state: state.statements.clone(), question };
        oracle::case(&source, self.profile.dialect, self.checker.origin()).into_iter().collect()
    }

    /// Runs what the oracle needs once per state.
    fn prepare(&mut self, at: usize, setting: &Setting, session: &mut dyn Session, tally: &mut Tally) -> bool {
        if self.prepared[at] == Preparation::Missing {
            let mut taken = true;
            for text in (self.oracles[at].prepare)(setting) {
                taken &= self.checker.run(&text, session, tally).is_ok();
            }
            session.mark();
            self.prepared[at] = if taken { Preparation::Done } else { Preparation::Refused };
        }
        self.prepared[at] == Preparation::Done
    }

    /// Runs and judges one claim. `None`: the first answer was empty, or a precondition does not hold on this data, and
    /// the rest was not run.
    fn compare(
        &mut self,
        oracle: &OracleSpec,
        derived: &Derived,
        used: Used,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Verdict> {
        let facts = derived.claim.facts_first();
        let known: Vec<Outcome> =
            derived.script[..facts].iter().map(|step| self.checker.run(&step.text, session, tally)).collect();
        if known.iter().all(Outcome::is_ok) && facts > 0 && !derived.claim.facts_hold(&known) {
            return None;
        }
        let scout = facts + oracle.scout;
        let scouted = self.checker.run(&derived.script[scout].text, session, tally);
        if says_nothing(&scouted) && !self.checker.rng.chance(1, RUN_ANYWAY) {
            return None;
        }
        let refused = !scouted.is_ok();
        if !refused {
            announce_rest(derived, scout, session);
        }
        let (facts, scouted) = (known.into_iter(), Some(scouted));
        let mut steering = Scouted { derived, facts, scout, scouted, refused, changes: &mut self.changes_made };
        let answers = self.checker.run_all(&derived.script, &mut steering, session, tally)?;
        Some(self.judge(oracle, derived, &answers, used, tally))
    }

    fn judge(
        &mut self,
        oracle: &OracleSpec,
        derived: &Derived,
        answers: &[Outcome],
        used: Used,
        tally: &mut Tally,
    ) -> Verdict {
        let verdict = self.checker.judge(oracle.name, &derived.claim, answers, tally);
        let taken = !matches!(answers.last(), Some(Outcome::Rejected(r)) if r.class == RejectionClass::Expected);
        self.profile.learn(used, taken);
        verdict
    }

    fn look_at_plan(&mut self, query: &str, session: &mut dyn Session, tally: &mut Tally) {
        if !self.checker.look_at_plan(query, session, tally) {
            return;
        }
        self.new_plans_here += 1;
        if self.checks_given < CHECKS_AT_MOST {
            self.checks_left += CHECKS_PER_NEW_PLAN;
            self.checks_given += CHECKS_PER_NEW_PLAN;
        }
    }
}

impl Explorer for SqlExplorer {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        if self.state.is_some() && self.checks_left > 0 {
            self.check(session, tally)
        } else if self.state.is_some() && self.changes_left > 0 && self.new_plans_here > 0 {
            self.change_state(session, tally)
        } else {
            self.fresh_state(session, tally)
        }
    }

    fn begin_again(&mut self, worker: u64, database: u64) -> bool {
        let config = ExploreConfig { worker, database, ..self.config.clone() };
        let begun = SqlExplorer::begin(config, self.probed.clone());
        begun.map(|begun| *self = begun).is_ok()
    }

    fn learned(&self) -> Vec<String> {
        let refused = self.refused.iter().map(|r| format!("setting {r}"));
        self.profile.learned().iter().cloned().chain(refused).collect()
    }

    fn database(&self) -> u64 {
        self.checker.database
    }
}

/// The facts and the scout's answer are there already, and the last question is worth asking only where the claim's
/// preconditions hold on this data.
struct Scouted<'a> {
    derived: &'a Derived,
    facts: std::vec::IntoIter<Outcome>,
    scout: usize,
    scouted: Option<Outcome>,
    refused: bool,
    changes: &'a mut Vec<Step>,
}

impl Steers for Scouted<'_> {
    fn next(&mut self, at: usize, answers: &[Outcome], _: &mut Rng) -> Next {
        if let Some(fact) = self.facts.next() {
            return Next::Known(fact);
        }
        let precondition_fails = at + 1 == self.derived.script.len() && !self.derived.claim.rests_on_facts(answers);
        if precondition_fails && answers.iter().all(Outcome::is_ok) {
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
fn announce_rest(derived: &Derived, scout: usize, session: &mut dyn Session) {
    let changes = derived.script.iter().any(|step| step.label.is_none());
    if changes || matches!(derived.claim, Relation::Guarded { .. }) {
        return;
    }
    let facts = derived.claim.facts_first();
    let rest = derived.script.iter().enumerate().filter(|(at, _)| *at >= facts && *at != scout);
    session.announce(&rest.map(|(_, step)| step.text.as_str()).collect::<Vec<_>>());
}

/// From "true" to "false" to "unknown".
/// Undoes what steps did, the last one first; says whether that could be done.
pub(super) fn undo(made: &[Step], session: &mut dyn Session) -> bool {
    made.iter().rev().all(|step| match &step.effect {
        Effect::Makes { undo } => session.run(undo).is_ok(),
        Effect::Within => true,
        Effect::Unknown | Effect::Sets | Effect::Resets => false,
    })
}

/// No rows, or a single zero or NULL.
fn says_nothing(outcome: &Outcome) -> bool {
    let Outcome::Rows(rows) = outcome else { return false };
    rows.is_empty() || matches!(rows.scalar(), Some(Value::Int(0) | Value::Null))
}
