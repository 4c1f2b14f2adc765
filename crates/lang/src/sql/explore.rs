//! Explores SQL: builds a state, asks questions of it, changes it while it still shows new plans (the idea of query
//! plan guidance, Ba and Rigger, ICSE 2023), and goes on to the next one. All random decisions come from the seed, the
//! worker and the number of the database, so a case can be recognised by them; what the engine answers takes part only
//! where the engine is deterministic.

mod build;
mod cases;
mod corpus;
mod flips;
mod scouted;
mod turns;

use super::asking::{Asking, Facts};
use super::ast::{Expr, Name, Query, Question, SqlSource, Statement};
use super::generate::{Fertile, Generator, Shape};
use super::profile::{Profile, Used};
use super::rules_file::{self, UserRule};
use super::seeds::Seed;
use super::state::State;
use super::{print, typing};
use crate::checker::{Checker, clocked};
use crate::oracle::{self, Derived, OracleSpec, Setting};
use crate::parameters;
use corpus::Corpus;
use qualm_core::case::{Case, Effect, Step};
use qualm_core::explore::{ExploreConfig, Explorer, NamedText, Schedule, Size, Tally};
use qualm_core::plan::PlanSet;
use qualm_core::relation::Verdict;
use qualm_core::session::{Outcome, RejectionClass, Session};
use qualm_core::value::Value;
use qualm_core::yields::Yields;
use scouted::{Scouted, announce_rest};
use std::time::Instant;

/// Each plan that was not seen before adds some checks to those that a fresh state gets, up to so many times as many.
const CHECKS_PER_NEW_PLAN: u32 = 2;
const CHECKS_TIMES_AT_MOST: u32 = 3;
/// Changes to a state before it is given up, while it keeps showing new plans.
const CHANGES_AT_MOST: u32 = 4;
/// One in so many questions is asked to the end although its first answer is empty.
const RUN_ANYWAY: u32 = 3;
/// What a violation is worth beside a plan that was never seen; the next one of the same oracle half of it, and so on.
const GAIN_OF_VIOLATION: f64 = 20.0;
/// FROMs remembered per state because they gave rows.
const FERTILE_KEPT: usize = 8;

pub struct SqlExplorer {
    config: ExploreConfig,
    /// What the engine takes, as asked at the start and as it is known by now.
    probed: Profile,
    profile: Profile,
    shape: Shape,
    oracles: Vec<&'static OracleSpec>,
    yields: Yields,
    checker: Checker,
    state: Option<State>,
    fertile: Vec<Fertile>,
    /// Tables and views of the state that have no rows.
    barren: Vec<Name>,
    /// The one that the state was built from: it is read when it is used, because there may be thousands.
    seed: Option<Seed>,
    /// Queries that came with the state, and those among them that fit it as it is now.
    offered: Vec<Query>,
    seed_queries: Vec<Query>,
    /// Scripts that reached new code, where the engine's build says so.
    corpus: Option<Corpus>,
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
    /// Plans and code that this state showed first.
    news_here: u32,
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
        // An oracle that has nothing to ask is never drawn.
        let asks = |o: &OracleSpec| (o.lacks)(probed.dialect).is_none() && !(o.needs.knobs && config.knobs.is_empty());
        let weights: Vec<u32> = oracles.iter().map(|o| if asks(o) { o.weight } else { 0 }).collect();
        if weights.iter().all(|w| *w == 0) {
            return Err("nothing to ask: the engine has no knobs to change (see 'qualm knobs')".into());
        }
        let plan_every = match config.spec.size {
            Size::Small => 16,
            Size::Medium => 4,
            Size::Large => 2,
        };
        let user_rules = match &config.spec.rules {
            Some(file) => rules_file::read(file, probed.dialect)?,
            None => Vec::new(),
        };
        Ok(SqlExplorer {
            user_rules,
            seed: None,
            offered: Vec::new(),
            seed_queries: Vec::new(),
            corpus: Corpus::for_hunt(&config.spec, probed.dialect)?,
            shape: parameters::sql(config.spec.size, &config.spec.set),
            yields: Yields::new(&weights),
            prepared: vec![Preparation::Missing; oracles.len()],
            checker: Checker::new(&config),
            oracles,
            config,
            profile: probed.clone(),
            probed,
            state: None,
            fertile: Vec::new(),
            barren: Vec::new(),
            changes_made: Vec::new(),
            checks_left: 0,
            checks_given: 0,
            changes_left: 0,
            pairs: PlanSet::default(),
            refused: Vec::new(),
            news_here: 0,
            plan_every,
        })
    }

    // ------------------------------------------------------------ states

    fn fresh_state(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        self.checker.begin_database(tally);
        self.give(self.shape.checks);
        self.checks_given = self.shape.checks;
        self.changes_left = CHANGES_AT_MOST;
        // What a question did to the last database is gone with it.
        self.changes_made.clear();
        if session.reset().is_err() {
            return Vec::new();
        }
        let mut state = State::new(self.profile.dialect, &mut self.checker.rng);
        let mut cases = Vec::new();
        (self.seed, self.offered) = (None, Vec::new());
        let share = self.config.spec.seeds.share;
        if self.begins_from_corpus(session) {
            self.build_from_corpus(&mut state, session, tally, &mut cases);
        } else if !self.config.spec.seeds.scripts.is_empty() && self.checker.rng.chance(share.0, share.1) {
            self.build_from_seed(&mut state, session, tally, &mut cases);
        } else {
            self.build(&mut state, session, tally, &mut cases);
        }
        self.fit_seed_queries(&state);
        self.look_for_rows(&mut state, session, tally, &mut cases);
        self.look_at_code(&state, None, session, tally);
        session.mark();
        // A table with rows is the least that questions need.
        self.state = (!state.tables.is_empty()).then_some(state);
        cases
    }

    fn give(&mut self, checks: u32) {
        self.checks_left = checks;
        self.news_here = 0;
        self.fertile.clear();
        self.prepared.fill(Preparation::Missing);
    }

    fn fit_seed_queries(&mut self, state: &State) {
        let dialect = self.profile.dialect;
        // What the data may make determined is asked when a claim is made of it.
        let schema = state.schema.asking(Facts::asked(Asking::Representatives));
        let fits = |q: &&Query| typing::query(q, &schema, dialect).is_ok();
        self.seed_queries = self.offered.iter().filter(fits).cloned().collect();
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
            self.attempt_change(&mut state, session, tally, &mut cases);
        }
        self.look_for_rows(&mut state, session, tally, &mut cases);
        session.mark();
        self.fit_seed_queries(&state);
        self.give(self.shape.checks.div_ceil(2));
        self.look_at_code(&state, None, session, tally);
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
        let at = self.checker.rng.weighted(self.yields.weights());
        let before = (tally.statements, self.news_here);
        let cases = self.check_with(at, &state, session, tally);
        if self.config.spec.schedule == Schedule::Yield {
            let found = cases.len() as u64;
            let news = u64::from(self.news_here - before.1);
            let earlier = tally.per_oracle.get(self.oracles[at].name).map_or(0, |(_, violations)| *violations);
            let gain = news as f64 + found as f64 * GAIN_OF_VIOLATION / (1 + earlier) as f64;
            self.yields.note(at, (1 + tally.statements - before.0) as f64, gain);
        }
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
        generator.leaning = state.leaning;
        generator.state = &state.statements;
        generator.fertile = &self.fertile;
        generator.barren = &self.barren;
        generator.seed_queries = &self.seed_queries;
        generator.user_rules = &self.user_rules;
        if let Some(seed) = &self.seed {
            generator.seed_texts = &seed.texts;
        }
        let question = (oracle.propose)(&mut generator);
        let (used, from) = (generator.used, generator.outermost.take());
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        let Some(mut question) = question else { return Vec::new() };
        let planned = oracle.guide.and_then(|g| self.guide(g, &mut question, state, &setting, session));
        let derived = clocked(&mut tally.print_nanos, || oracle::derive(oracle, &question, &setting));
        let Some(mut derived) = derived else { return Vec::new() };
        // Drawn once for a question, however often it is turned: what no form of it has rows for is seldom run.
        let anyway = self.checker.rng.chance(1, RUN_ANYWAY);
        let mut verdict = match &planned {
            Some(planned) => {
                let flips = &question.flips;
                self.compare_flipped(oracle, flips, &derived, planned, anyway, used, session, tally)
            }
            None => self.compare(oracle, &derived, anyway, used, session, tally),
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
            // What the form before it did to the tables is in the way of the same statements.
            let made = self.changes_made.clone();
            if !made.is_empty() && !self.restore(state, session) {
                self.changes_made = made;
                break;
            }
            (question, derived) = (turned, other);
            verdict = self.compare(oracle, &derived, false, used, session, tally);
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
        self.look_at_code(state, Some(&question), session, tally);
        if self.config.spec.feedback.looks_at_plans() && self.checker.check.is_multiple_of(self.plan_every) {
            self.look_at_plan(&derived.script[derived.claim.facts_first()].text, session, tally);
        }
        match verdict {
            // What breaks under changed settings needs them in its script.
            Some(Verdict::Broke { .. }) if planned.is_some() => {
                tally.of_oracle(oracle.name, 0, 1);
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
    /// the rest was not run. `anyway`: it is run although the first answer is empty.
    fn compare(
        &mut self,
        oracle: &OracleSpec,
        derived: &Derived,
        anyway: bool,
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
        if says_nothing(&scouted) && !anyway {
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
        if self.checker.look_at_plan(query, session, tally) {
            self.found_news();
        }
    }

    /// The state shows something for the first time: it gets more checks.
    fn found_news(&mut self) {
        self.news_here += 1;
        if self.checks_given < self.shape.checks * CHECKS_TIMES_AT_MOST {
            self.checks_left += CHECKS_PER_NEW_PLAN;
            self.checks_given += CHECKS_PER_NEW_PLAN;
        }
    }
}

impl Explorer for SqlExplorer {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        if self.state.is_some() && self.checks_left > 0 {
            self.check(session, tally)
        } else if self.state.is_some() && self.changes_left > 0 && self.news_here > 0 {
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

    fn kept(&mut self) -> Vec<NamedText> {
        let dialect = self.profile.dialect;
        self.corpus.as_mut().map_or_else(Vec::new, |corpus| corpus.take_kept(dialect))
    }

    fn database(&self) -> u64 {
        self.checker.database
    }
}

/// The values of a row are worth using again.
fn learn(statement: &Statement, state: &mut State) {
    let Statement::Insert(insert) = statement else { return };
    for value in insert.rows.iter().flatten() {
        if let Expr::Literal(literal) = value {
            state.pool.learn(literal);
        }
    }
}

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
