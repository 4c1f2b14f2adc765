//! Explores by incremental rule evaluation: a test case grows rule by rule, each new rule is run alone (the reference)
//! and with all others (the optimised program), and both must derive the same. With `random` all rules come first and
//! are compared once, as in the paper's baseline.

use super::complete::{self, kinds};
use super::evaluation::{Limits, Stop};
use super::grow::{Candidate, Growth, chance};
use super::parameters::Parameters;
use super::{facts, schedule::Node};
use crate::checker::{Checker, clocked};
use crate::datalog::ast::Program;
use crate::datalog::evaluate::{self, Tuple};
use crate::datalog::print;
use crate::datalog::source::DatalogSource;
use crate::oracle::{ire, survives};
use qualm_core::case::Case;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::explore::{ExploreConfig, Explorer, Tally};
use qualm_core::relation::{Equality, FailureKind, Order, Relation, Verdict};
use qualm_core::session::{Outcome, Session};
use std::collections::BTreeSet;
use std::time::Instant;

pub struct IreExplorer {
    config: ExploreConfig,
    dialect: &'static DatalogDialect,
    pub parameters: Parameters,
    checker: Checker,
    growth: Option<Growth>,
    /// Candidates in a row that did not stay.
    attempts: usize,
    /// The text that broke the engine, and its program.
    broke: Option<(FailureKind, String, DatalogSource)>,
    /// Of test cases that grow side by side: the switches of each run that has some.
    pub shared_switches: Option<Vec<String>>,
    /// The number of the next test case, and how far it is to the one after that.
    next: (u64, u64),
}

/// What became of a candidate.
enum Fate {
    Stays,
    Goes,
    /// The test case is over.
    Ends(Vec<Case>),
}

impl IreExplorer {
    pub fn new(config: ExploreConfig, dialect: &'static DatalogDialect) -> Result<IreExplorer, String> {
        let next = (config.database + 1, 1);
        Ok(IreExplorer {
            parameters: Parameters::read(&config.spec.tuning)?,
            checker: Checker::new(&config),
            config,
            dialect,
            growth: None,
            attempts: 0,
            broke: None,
            shared_switches: None,
            next,
        })
    }

    /// Test cases get these numbers, where others grow beside them.
    pub fn number(&mut self, first: u64, stride: u64) {
        self.next = (first, stride);
    }

    /// Rules of the test case that grows now.
    pub fn rules(&self) -> usize {
        self.growth.as_ref().map_or(0, Growth::rules)
    }

    fn begin(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Option<Growth> {
        let (number, stride) = self.next;
        self.checker.database = number - 1;
        self.checker.begin_database(tally);
        self.next.0 += stride;
        self.attempts = 0;
        session.reset().ok()?;
        session.mark();
        let start = || Growth::start(self.dialect, &self.parameters, self.config.spec.size, &mut self.checker.rng);
        Some(clocked(&mut tally.generate_nanos, start))
    }

    /// One candidate for the next rule.
    fn grow(&mut self, growth: &mut Growth, session: &mut dyn Session, tally: &mut Tally) -> Fate {
        let propose = || growth.candidate(&self.parameters, &mut self.checker.rng);
        let candidate = clocked(&mut tally.generate_nanos, propose);
        let Some(candidate) = candidate else { return Fate::Goes };
        let saved = growth.evaluation.saved(&candidate.affected);
        let fate = match self.evaluate(growth, &candidate, session, tally) {
            Ok(keep) => match self.compare(growth, &candidate, session, tally) {
                Fate::Stays if !keep => Fate::Goes,
                fate => fate,
            },
            Err(_) => self.broken_off(),
        };
        if let Fate::Goes = fate {
            growth.evaluation.restore(saved);
            growth.take_back(candidate);
        }
        fate
    }

    /// The new rule alone, then all that depends on it. Says whether the rule may stay: one that derives nothing would
    /// leave later rules nothing to work on, but an engine may derive something from it.
    fn evaluate(
        &mut self,
        growth: &mut Growth,
        candidate: &Candidate,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Result<bool, Stop> {
        let limits = Limits { max_iter: self.parameters.max_iter, max_facts: self.parameters.max_facts };
        let new = candidate.clauses[0];
        let alone = self.run_program(&growth.evaluation.single_program(new), session, tally)?;
        let keep = !alone.is_empty() || chance(&mut self.checker.rng, self.parameters.p_empty);
        if !keep && !chance(&mut self.checker.rng, self.parameters.p_ask_empty) {
            return Err(Stop::Refused);
        }
        if alone.len() > limits.max_facts {
            return Err(Stop::TooManyFacts);
        }
        let subsumed = growth.subsume(candidate.relation, &self.parameters, &mut self.checker.rng);
        let plain = !subsumed && !growth.evaluation.precedence.is_closed(candidate.relation);
        if plain && candidate.affected.len() == 1 && !self.is_cyclic(growth, candidate) {
            growth.evaluation.settle(new, alone);
            let held = growth.evaluation.contents[candidate.relation].len();
            return if held > limits.max_facts { Err(Stop::TooManyFacts) } else { Ok(keep) };
        }
        let mut run = |program: &Program, _: &str| self.run_program(program, session, tally);
        growth.evaluation.run(&candidate.affected, limits, &mut run).map(|()| keep)
    }

    fn is_cyclic(&self, growth: &Growth, candidate: &Candidate) -> bool {
        growth.evaluation.precedence.schedule(&candidate.affected).iter().any(|node| !matches!(node, Node::Once(_)))
    }

    /// Runs a reference program.
    fn run_program(
        &mut self,
        program: &Program,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Result<BTreeSet<Tuple>, Stop> {
        let text = clocked(&mut tally.print_nanos, || print::for_the_parser(program, self.dialect, &[]));
        tally.grown.references += 1;
        let before = session.engine_nanos();
        let outcome = self.checker.run(&text, session, tally);
        tally.grown.reference_nanos += session.engine_nanos() - before;
        if let Some(kind) = self.checker.failure(&outcome, tally) {
            self.broke = Some((kind, text, DatalogSource::new(survives::NAME, self.dialect, program)));
            return Err(Stop::Broke);
        }
        let tuples = clocked(&mut tally.compare_nanos, || match &outcome {
            Outcome::Rows(rows) => facts::tuples(rows, &kinds(program), self.dialect),
            _ => None,
        });
        tuples.ok_or(Stop::Refused)
    }

    /// The optimised program against what the rules derived alone.
    fn compare(
        &mut self,
        growth: &Growth,
        candidate: &Candidate,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Fate {
        let printing = Instant::now();
        let mut switches = growth.switches(&self.parameters, &mut self.checker.rng);
        if let Some(shared) = &self.shared_switches
            && !switches.is_empty()
        {
            switches.clone_from(shared);
        }
        let p = &self.parameters;
        // Beside the start of a process, more rules cost nothing; a negated cycle must not be cut.
        let whole = session.waits() || p.p_negated_cycle > 0.0 || growth.rules() >= p.max_rules;
        let whole = whole || chance(&mut self.checker.rng, p.p_whole);
        // One rule would be the reference once more.
        let horizon = (!whole).then(|| self.checker.rng.range(2, p.horizon.max(2)));
        let text = growth.optimised(candidate.relation, &switches, horizon);
        tally.print_nanos += printing.elapsed().as_nanos() as u64;
        tally.grown.optimised += 1;
        let before = session.engine_nanos();
        let outcome = self.checker.run(&text, session, tally);
        tally.grown.optimised_nanos += session.engine_nanos() - before;
        if let Some(kind) = self.checker.failure(&outcome, tally) {
            let source = growth.source(candidate.relation, Vec::new(), horizon);
            let source = DatalogSource { oracle: survives::NAME.into(), switches, ..source };
            return Fate::Ends(vec![self.checker.survival_case(Vec::new(), kind, &text, &source)]);
        }
        let Outcome::Rows(_) = &outcome else { return Fate::Goes };
        let expected = &growth.evaluation.contents[candidate.relation];
        let columns = growth.evaluation.program.relations[candidate.relation].arity();
        let answers = [outcome, Outcome::Rows(evaluate::rows(expected, columns))];
        let same = Relation::Same { left: 0, right: 1, order: Order::Set, equality: Equality::Exact };
        let verdict = self.checker.judge(ire::SPEC.name, &same, &answers, tally);
        self.checker.check += 1;
        match verdict {
            Verdict::Holds { .. } => Fate::Stays,
            _ => {
                let source = growth.source(candidate.relation, switches, horizon);
                // Here the chain of references is run once more, as it will stand in the case.
                let made = complete::case(&source, self.checker.origin(), session);
                Fate::Ends(
                    made.filter(|(_, evidence)| evidence.verdict.is_bug()).map(|(case, _)| case).into_iter().collect(),
                )
            }
        }
    }

    /// The paper's baseline: rules that nothing is known of, then every rule alone, then the whole program.
    fn random(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let Some(mut growth) = self.begin(session, tally) else { return Vec::new() };
        let generating = Instant::now();
        let inputs = growth.evaluation.program.relations.len();
        for relation in 0..inputs {
            growth.guess(relation, &mut self.checker.rng);
        }
        let mut last = None;
        while growth.rules() < self.parameters.max_rules {
            let Some(candidate) = growth.candidate(&self.parameters, &mut self.checker.rng) else { continue };
            growth.guess(candidate.relation, &mut self.checker.rng);
            last = Some(candidate);
        }
        growth.evaluation.forget();
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        tally.grown.cases += 1;
        tally.grown.rules += growth.rules() as u64;
        let Some(mut candidate) = last else { return Vec::new() };
        candidate.affected = (0..growth.evaluation.precedence.clauses.len()).collect();
        let limits = Limits { max_iter: self.parameters.max_iter, max_facts: self.parameters.max_facts };
        let all = candidate.affected.clone();
        let run = growth.evaluation.run(&all, limits, &mut |program, _| self.run_program(program, session, tally));
        let fate = match run {
            Ok(()) => self.compare(&growth, &candidate, session, tally),
            Err(_) => self.broken_off(),
        };
        match fate {
            Fate::Goes => Vec::new(),
            Fate::Stays => {
                self.count_end(&growth, candidate.relation, tally);
                Vec::new()
            }
            Fate::Ends(cases) => cases,
        }
    }

    fn count_end(&self, growth: &Growth, relation: usize, tally: &mut Tally) {
        tally.grown.valid += 1;
        tally.grown.non_empty += u64::from(!growth.evaluation.contents[relation].is_empty());
    }

    /// A candidate that could not be run to the end: the engine refused something, or broke.
    fn broken_off(&mut self) -> Fate {
        match self.broke.take() {
            Some((kind, text, source)) => {
                Fate::Ends(vec![self.checker.survival_case(Vec::new(), kind, &text, &source)])
            }
            None => Fate::Goes,
        }
    }

    fn step_of_growth(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let growing = self.growth.take();
        let Some(mut growth) = growing.or_else(|| self.begin(session, tally)) else { return Vec::new() };
        let fate = self.grow(&mut growth, session, tally);
        match fate {
            Fate::Stays => self.attempts = 0,
            Fate::Goes => self.attempts += 1,
            Fate::Ends(cases) => {
                tally.grown.cases += 1;
                tally.grown.rules += growth.rules() as u64;
                return cases;
            }
        }
        if growth.rules() < self.parameters.max_rules && self.attempts < self.parameters.max_att {
            self.growth = Some(growth);
            return Vec::new();
        }
        tally.grown.cases += 1;
        tally.grown.rules += growth.rules() as u64;
        if let Some(rule) = growth.evaluation.precedence.clauses.last() {
            self.count_end(&growth, rule.relation, tally);
        }
        Vec::new()
    }
}

impl Explorer for IreExplorer {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        match self.parameters.random {
            true => self.random(session, tally),
            false => self.step_of_growth(session, tally),
        }
    }

    fn learned(&self) -> Vec<String> {
        Vec::new()
    }

    fn database(&self) -> u64 {
        self.checker.database
    }
}
