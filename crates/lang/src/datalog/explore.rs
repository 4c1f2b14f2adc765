//! Explores Datalog: makes a program (or extends a seed), runs it, and then a few variants of it that oracles propose.
//! All random decisions come from the seed, the worker and the number of the program.

#[cfg(test)]
mod tests;

use super::ast::Program;
use super::generate::Generator;
use super::ire::explore::IreExplorer;
use super::ire::side_by_side::SideBySide;
use super::rules::user::{self, UserRule};
use super::seeds;
use super::source::DatalogSource;
use crate::checker::{Checker, Steers, clocked};
use crate::oracle::Derived;
use crate::oracle::datalog::{self, DatalogOracle};
use crate::parameters;
use qualm_core::case::Case;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::explore::{ExploreConfig, Explorer, Tally};
use qualm_core::relation::Verdict;
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, Session};
use qualm_core::spec::HuntSpec;
use std::collections::VecDeque;
use std::time::Instant;

/// Checks that a program gets. Its own answer is computed once.
const CHECKS_PER_PROGRAM: u32 = 4;
/// One in so many programs is compared although it derives nothing.
const RUN_ANYWAY: u32 = 8;
/// One in so many programs may hold values whose equality is not identity.
const LOOSE: u32 = 3;

pub struct DatalogExplorer {
    config: ExploreConfig,
    dialect: &'static DatalogDialect,
    oracles: Vec<&'static DatalogOracle>,
    seeds: Vec<Program>,
    user_rules: Vec<UserRule>,
    checker: Checker,
    program: Option<Program>,
    /// Only oracles that allow it take the program.
    loose: bool,
    checks_left: u32,
    /// What was compared for this program already.
    judged: Vec<Vec<String>>,
    /// Checks whose questions the session answers together, and the switches of those that have some.
    bundle: VecDeque<Planned>,
    shared_switches: Option<[Vec<String>; 2]>,
}

/// A check that is made up already, with the numbers that it has.
struct Planned {
    oracle: &'static DatalogOracle,
    source: DatalogSource,
    derived: Derived,
    database: u64,
    check: u64,
    rng: Rng,
}

/// The explorer for these oracles: one whose programs are whole from the start, one whose programs grow, or both in
/// turn.
pub fn explorer(
    config: ExploreConfig,
    dialect: &'static DatalogDialect,
    session: &dyn Session,
) -> Result<Box<dyn Explorer>, String> {
    let (grown, whole): (Vec<String>, Vec<String>) =
        config.spec.oracles.iter().cloned().partition(|name| datalog::find(name).is_some_and(|o| o.complete.is_some()));
    if grown.is_empty() {
        return Ok(Box::new(DatalogExplorer::new(config, dialect)?));
    }
    let single = IreExplorer::new(config.clone(), dialect)?;
    let growing: Box<dyn Explorer> = match session.bundle() {
        Some(most) if !single.parameters.random => Box::new(SideBySide::new(config.clone(), dialect, most)?),
        _ => Box::new(single),
    };
    if whole.is_empty() {
        return Ok(growing);
    }
    let spec = HuntSpec { oracles: whole, ..config.spec };
    let whole = DatalogExplorer::new(ExploreConfig { spec, ..config }, dialect)?;
    Ok(Box::new(InTurn { whole, growing, checks: (0, 0) }))
}

/// Both, so that each gets half of the checks.
struct InTurn {
    whole: DatalogExplorer,
    growing: Box<dyn Explorer>,
    checks: (u64, u64),
}

impl Explorer for InTurn {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let before = tally.checks;
        let grows = self.checks.1 <= self.checks.0;
        let cases = match grows {
            true => self.growing.step(session, tally),
            false => self.whole.step(session, tally),
        };
        let done = tally.checks - before;
        *(if grows { &mut self.checks.1 } else { &mut self.checks.0 }) += done;
        cases
    }

    fn learned(&self) -> Vec<String> {
        Vec::new()
    }

    fn database(&self) -> u64 {
        self.whole.database().max(self.growing.database())
    }
}

impl DatalogExplorer {
    pub fn new(config: ExploreConfig, dialect: &'static DatalogDialect) -> Result<DatalogExplorer, String> {
        let oracles: Vec<&DatalogOracle> = config.spec.oracles.iter().filter_map(|name| datalog::find(name)).collect();
        if oracles.is_empty() {
            return Err(format!(
                "no oracle for Datalog among '{}'; see 'qualm oracles'",
                config.spec.oracles.join(",")
            ));
        }
        let seeds = config.spec.seeds.scripts.iter().filter_map(|s| seeds::read(&s.text, dialect).0).collect();
        let user_rules = config.spec.rules.as_ref().map(user::read).transpose()?.unwrap_or_default();
        Ok(DatalogExplorer {
            user_rules,
            checker: Checker::remembering(&config),
            config,
            dialect,
            oracles,
            seeds,
            program: None,
            loose: false,
            checks_left: 0,
            judged: Vec::new(),
            bundle: VecDeque::new(),
            shared_switches: None,
        })
    }

    fn fresh_program(&mut self, session: &mut dyn Session, tally: &mut Tally) {
        self.checker.begin_database(tally);
        self.judged.clear();
        self.checks_left = CHECKS_PER_PROGRAM;
        let strict = self.oracles.iter().any(|o| !o.loose);
        let loose = self.oracles.iter().any(|o| o.loose) && !self.dialect.loose_kinds.is_empty();
        self.loose = loose && (!strict || self.checker.rng.chance(1, LOOSE));
        if session.reset().is_err() {
            return;
        }
        session.mark();
        let generating = Instant::now();
        let seeded = !self.seeds.is_empty()
            && self.checker.rng.chance(self.config.spec.seeds.share.0, self.config.spec.seeds.share.1);
        let seed = seeded.then(|| self.checker.rng.below(self.seeds.len()));
        let mut generator = Generator {
            rng: &mut self.checker.rng,
            dialect: self.dialect,
            parameters: parameters::datalog(self.config.spec.size, &self.config.spec.set),
            loose: self.loose,
        };
        let extended = seed.and_then(|at| generator.extend(&self.seeds[at]));
        self.program = Some(extended.unwrap_or_else(|| generator.program()));
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
    }

    fn check(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let Some(program) = self.program.take() else { return Vec::new() };
        let Some((oracle, source, derived)) = self.plan(&program, tally) else {
            self.program = Some(program);
            return Vec::new();
        };
        let cases = self.judge(oracle, &source, &derived, session, tally);
        // One violation says enough about this program.
        if cases.is_empty() && self.checks_left > 0 {
            self.program = Some(program);
        }
        cases
    }

    /// One check of the program, unless an oracle has nothing to say of it or nothing new.
    fn plan(
        &mut self,
        program: &Program,
        tally: &mut Tally,
    ) -> Option<(&'static DatalogOracle, DatalogSource, Derived)> {
        self.checker.check += 1;
        self.checks_left -= 1;
        let able: Vec<&'static DatalogOracle> =
            self.oracles.iter().filter(|o| o.loose || !self.loose).copied().collect();
        let weights: Vec<u32> = able.iter().map(|o| o.weight).collect();
        let oracle = able[self.checker.rng.weighted(&weights)];
        let propose = || (oracle.propose)(program, self.dialect, &self.user_rules, &mut self.checker.rng);
        let mut source = clocked(&mut tally.generate_nanos, propose);
        if let (Some(shared), Some(source)) = (&mut self.shared_switches, &mut source) {
            share(shared, source);
        }
        let derive = || source.and_then(|s| (oracle.derive)(&s, self.dialect).map(|d| (s, d)));
        let (source, derived) = clocked(&mut tally.print_nanos, derive)?;
        // With few switches the same question comes up again, and says nothing new.
        let asked: Vec<String> = derived.script.iter().map(|step| step.text.clone()).collect();
        if self.judged.contains(&asked) {
            return None;
        }
        self.judged.push(asked);
        Some((oracle, source, derived))
    }

    /// The checks of several programs, for a session that answers many questions faster than one by one.
    fn plan_bundle(&mut self, most: usize, session: &mut dyn Session, tally: &mut Tally) {
        let mut questions = 0;
        self.shared_switches = Some([Vec::new(), Vec::new()]);
        for _ in 0..most {
            if questions >= most {
                break;
            }
            self.fresh_program(session, tally);
            let Some(program) = self.program.take() else { return };
            while self.checks_left > 0 {
                let Some((oracle, source, derived)) = self.plan(&program, tally) else { continue };
                questions += derived.script.len();
                let (database, check) = (self.checker.database, self.checker.check);
                let rng = self.checker.rng.clone();
                self.bundle.push_back(Planned { oracle, source, derived, database, check, rng });
            }
        }
        let asks = self.bundle.iter().flat_map(|planned| &planned.derived.script);
        session.expect(&asks.map(|step| step.text.as_str()).collect::<Vec<_>>());
    }

    /// Judges the next check of the bundle. A program of which nothing more is to be learned has no more of them.
    fn check_planned(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let Some(planned) = self.bundle.pop_front() else { return Vec::new() };
        let begun = self.checker.database;
        (self.checker.database, self.checker.check) = (planned.database, planned.check);
        self.checker.rng = planned.rng;
        self.checks_left = 1;
        let cases = self.judge(planned.oracle, &planned.source, &planned.derived, session, tally);
        if !cases.is_empty() || self.checks_left == 0 {
            self.bundle.retain(|other| other.database != planned.database);
        }
        self.checker.database = begun;
        cases
    }

    fn judge(
        &mut self,
        oracle: &'static DatalogOracle,
        source: &DatalogSource,
        derived: &Derived,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Vec<Case> {
        session.about(&|| serde_json::to_string(source).ok());
        let Some(answers) = self.checker.run_all(&derived.script, &mut Fertile, session, tally) else {
            self.checks_left = 0;
            return Vec::new();
        };
        let verdict = self.checker.judge(oracle.name, &derived.claim, &answers, tally);
        match &verdict {
            Verdict::Holds { vacuous: false } => {
                for step in &source.steps {
                    *tally.per_rule.entry(step.name().into()).or_default() += 1;
                }
                Vec::new()
            }
            Verdict::Holds { vacuous: true } | Verdict::NotComparable { .. } => {
                if answers.len() == 1 {
                    self.checks_left = 0;
                }
                Vec::new()
            }
            Verdict::Violated(_) | Verdict::Slower(_) => {
                datalog::case(source, self.checker.origin()).into_iter().collect()
            }
            Verdict::Broke { kind, .. } => {
                let text = &derived.script[answers.len() - 1].text;
                vec![self.checker.survival_case(Vec::new(), *kind, text, source)]
            }
        }
    }
}

/// Only programs under the same switches are answered together, so the first ones of a bundle are those of all.
fn share(shared: &mut [Vec<String>; 2], source: &mut DatalogSource) {
    for (known, own) in shared.iter_mut().zip([&mut source.switches, &mut source.other_switches]) {
        match known.is_empty() {
            true => known.clone_from(own),
            false if !own.is_empty() => own.clone_from(known),
            false => {}
        }
    }
}

/// Most programs that derive nothing are not compared.
struct Fertile;

impl Steers for Fertile {
    fn goes_on(&mut self, at: usize, answers: &[Outcome], rng: &mut Rng) -> bool {
        let idle = at == 0 && answers.last().is_some_and(says_nothing);
        !idle || rng.chance(1, RUN_ANYWAY)
    }
}

impl Explorer for DatalogExplorer {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        if let Some(most) = session.bundle() {
            if self.bundle.is_empty() {
                self.plan_bundle(most, session, tally);
            }
            return self.check_planned(session, tally);
        }
        if self.program.is_none() || self.checks_left == 0 {
            self.fresh_program(session, tally);
        }
        self.check(session, tally)
    }

    fn learned(&self) -> Vec<String> {
        Vec::new()
    }

    fn database(&self) -> u64 {
        self.checker.database
    }
}

fn says_nothing(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Rows(rows) if rows.is_empty())
}
