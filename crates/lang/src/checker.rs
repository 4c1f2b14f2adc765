//! What every explorer does around its own work: numbers databases and checks, draws random numbers, runs the queries
//! of a claim, judges the answers, counts what came, watches plans, and makes the case of what broke an engine.
//!
//! An explorer decides what to build and what to run; nothing of that is here.

use crate::oracle::survives;
use qualm_core::case::{Case, Origin, Step};
use qualm_core::explore::{ExploreConfig, Tally, without_digits};
use qualm_core::language::Language;
use qualm_core::plan::PlanSet;
use qualm_core::relation::{FailureKind, Relation, Verdict, failure};
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, Session};
use serde::Serialize;
use std::time::Instant;

pub struct Checker {
    language: Language,
    seed: u64,
    worker: u64,
    /// Drawn from by all that is random about the database at hand.
    pub rng: Rng,
    pub database: u64,
    pub check: u64,
    plans: PlanSet,
    /// Results of what was run in this database already, where a query stands for itself.
    answers: Option<Vec<(String, Outcome)>>,
    /// What the engine broke at first in this database: it may stay broken, and then breaks at everything.
    broke_at: Option<String>,
}

/// What an explorer has to say while the script of a claim runs.
pub trait Steers {
    /// Before a step.
    fn next(&mut self, _at: usize, _answers: &[Outcome], _rng: &mut Rng) -> Next {
        Next::Run
    }

    /// After a step, whether it was taken or not.
    fn ran(&mut self, _at: usize, _step: &Step, _outcome: &Outcome, _: &mut dyn Session, _: &mut Tally) {}

    /// After an answer: whether the rest is worth steering.
    fn goes_on(&mut self, _at: usize, _answers: &[Outcome], _rng: &mut Rng) -> bool {
        true
    }
}

/// What to do about a step.
pub enum Next {
    Run,
    /// It was run before, and this came.
    Known(Outcome),
    /// The rest is not worth steering.
    GiveUp,
}

impl Checker {
    pub fn new(config: &ExploreConfig) -> Checker {
        Checker {
            language: config.spoken.language(),
            seed: config.spec.seed,
            worker: config.worker,
            rng: Rng::new(config.spec.seed),
            database: config.database,
            check: 0,
            plans: PlanSet::default(),
            answers: None,
            broke_at: None,
        }
    }

    /// The same, which runs nothing twice in one database.
    pub fn remembering(config: &ExploreConfig) -> Checker {
        Checker { answers: Some(Vec::new()), ..Checker::new(config) }
    }

    /// Goes to the next database. All that is random about it comes from the seed, the worker and its number.
    pub fn begin_database(&mut self, tally: &mut Tally) {
        self.database += 1;
        self.check = 0;
        self.rng = Rng::stream(self.seed, self.worker << 40 | self.database);
        self.answers.iter_mut().for_each(Vec::clear);
        self.broke_at = None;
        tally.databases += 1;
    }

    /// Random numbers that depend on the seed and this number alone.
    pub fn stream(&self, number: u64) -> Rng {
        Rng::stream(self.seed, number)
    }

    pub fn origin(&self) -> Origin {
        Origin { seed: self.seed, worker: self.worker, database: self.database, check: self.check }
    }

    // ------------------------------------------------------------ running

    /// Runs a statement and counts it.
    pub fn run(&mut self, text: &str, session: &mut dyn Session, tally: &mut Tally) -> Outcome {
        if let Some((_, known)) = self.answers.iter().flatten().find(|(run, _)| run == text) {
            return known.clone();
        }
        let outcome = session.run(text);
        tally.count(&outcome, without_digits);
        if self.broke_at.is_none() && failure(&outcome).is_some() {
            self.broke_at = Some(text.to_owned());
        }
        self.answers.iter_mut().for_each(|all| all.push((text.to_owned(), outcome.clone())));
        outcome
    }

    /// The answers up to the first statement that is not taken. Nothing where the explorer gave up on the way.
    pub fn run_all(
        &mut self,
        steps: &[Step],
        steering: &mut dyn Steers,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Vec<Outcome>> {
        let mut answers = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let outcome = match steering.next(at, &answers, &mut self.rng) {
                Next::Run => self.run(&step.text, session, tally),
                Next::Known(outcome) => outcome,
                Next::GiveUp => return None,
            };
            steering.ran(at, step, &outcome, session, tally);
            let stop = !outcome.is_ok();
            if !step.is_query() && !stop {
                continue;
            }
            answers.push(outcome);
            if stop {
                break;
            }
            if !steering.goes_on(at, &answers, &mut self.rng) {
                return None;
            }
        }
        Some(answers)
    }

    // ------------------------------------------------------------ judging

    /// Judges a claim and counts what came of it.
    pub fn judge(&self, oracle: &str, claim: &Relation, answers: &[Outcome], tally: &mut Tally) -> Verdict {
        let verdict = self.compare(claim, answers, tally);
        self.count(oracle, &verdict, tally);
        verdict
    }

    pub fn compare(&self, claim: &Relation, answers: &[Outcome], tally: &mut Tally) -> Verdict {
        clocked(&mut tally.compare_nanos, || claim.judge(answers))
    }

    pub fn count(&self, oracle: &str, verdict: &Verdict, tally: &mut Tally) {
        let violated = matches!(verdict, Verdict::Violated(_) | Verdict::Slower(_));
        tally.checks += 1;
        tally.violations += u64::from(verdict.is_bug());
        tally.vacuous += u64::from(matches!(verdict, Verdict::Holds { vacuous: true } | Verdict::NotComparable { .. }));
        tally.of_oracle(oracle, 1, u64::from(violated));
    }

    /// Looks at how a query is answered; true when it is so for the first time.
    pub fn look_at_plan(&mut self, query: &str, session: &mut dyn Session, tally: &mut Tally) -> bool {
        let Some(plan) = session.plan(query) else { return false };
        let new = self.plans.insert(plan.shape());
        if new {
            tally.new_plans.push(plan.shape());
        }
        new
    }

    // ------------------------------------------------------------ what broke an engine

    /// How a statement that is part of no claim broke the engine, which counts as a violation.
    pub fn failure(&self, outcome: &Outcome, tally: &mut Tally) -> Option<FailureKind> {
        match failure(outcome)? {
            Verdict::Broke { kind, .. } => {
                tally.violations += 1;
                Some(kind)
            }
            _ => None,
        }
    }

    /// The first statement in this database that the engine broke at.
    pub fn broke_at(&self) -> Option<&str> {
        self.broke_at.as_deref()
    }

    /// A case that says only: this must not break the engine.
    pub fn survival_case(&self, before: Vec<Step>, kind: FailureKind, text: &str, source: &impl Serialize) -> Case {
        let script = before.into_iter().chain([Step::query(survives::label(kind), text)]).collect();
        let source = serde_json::to_value(source).ok().filter(|source| !source.is_null());
        Case { source, ..survives::of_script(self.language, script, self.origin()) }
    }
}

/// Does something and adds the time that it takes.
pub fn clocked<T>(nanos: &mut u64, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    *nanos += begun.elapsed().as_nanos() as u64;
    result
}
