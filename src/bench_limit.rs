//! `qualm bench limit`: how near hunting comes to what the engine alone takes.
//!
//! Three runs of the same kind of work, one after the other in one process or its child, so that their ratio says
//! something on a busy machine: the checks of one oracle made in this process; the statements of these checks alone, in
//! a loop written by hand (prepare, step, finalize), which is the limit; and a hunt as users run it. All in CPU time.

use crate::cli::{at_least_one, positive_seconds};
use clap::Args;
use qualm_core::explore::{ExploreConfig, Size, Tally};
use qualm_core::fault::{EXIT_CLEAN, Fault};
use qualm_core::plan::Plan;
use qualm_core::session::{Outcome, Session};
use qualm_core::spec::HuntSpec;
use qualm_engines::sqlite::bare::{Logged, replay};
use qualm_host::process::own_usage;
use qualm_run::figures::{Summary, ratio};
use qualm_run::isolated;
use serde::Serialize;

/// Runs of the log; the fastest counts.
const REPLAYS: usize = 3;

#[derive(Args)]
pub struct BenchLimit {
    /// Oracle to measure
    #[arg(long, value_name = "NAME", default_value = "norec")]
    oracle: String,
    /// Size of databases and queries
    #[arg(long, value_enum, default_value = "small")]
    pub size: Size,
    /// Checks whose statements are run again alone; they are kept in memory
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = at_least_one)]
    checks: u64,
    /// Seconds of the hunt
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = positive_seconds)]
    pub seconds: f64,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    oracle: String,
    /// Checks in this process, and what they cost.
    checks: u64,
    statements: u64,
    /// Statements with the text of an earlier one in the same database.
    repeated: u64,
    checks_per_cpu_s: f64,
    /// The same statements without the tool.
    limit_checks_per_cpu_s: f64,
    /// How much of the CPU time of the checks the engine alone needs.
    share: f64,
    /// As users run it.
    hunt_checks_per_cpu_s: f64,
    hunt_engine_share: f64,
}

/// Writes down what reaches the engine.
struct Logging {
    inner: Box<dyn Session>,
    log: Vec<Logged>,
    /// Once it has been run, only the time counts.
    keeps: bool,
}

impl Session for Logging {
    fn run(&mut self, text: &str) -> Outcome {
        if self.keeps {
            self.log.push(Logged::Run(text.to_owned()));
        }
        self.inner.run(text)
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        if self.keeps {
            self.log.push(Logged::Run(format!("EXPLAIN QUERY PLAN {query}")));
        }
        self.inner.plan(query)
    }

    fn reset(&mut self) -> Result<(), String> {
        if self.keeps {
            self.log.push(Logged::Reset);
        }
        self.inner.reset()
    }

    fn allow_work(&mut self, times: u32) {
        self.inner.allow_work(times);
    }
}

impl BenchLimit {
    pub fn oracles(&self) -> Vec<String> {
        vec![self.oracle.clone()]
    }

    /// `hunt`: what a hunt of so many seconds gave.
    pub fn run(self, hunt: &Summary) -> Result<u8, Fault> {
        let (log, _) = self.explore(true)?;
        let (_, seen) = self.explore(false)?;
        let limit = (0..REPLAYS)
            .map(|_| {
                clocked(|| {
                    replay(&log);
                })
            })
            .fold(f64::INFINITY, f64::min);
        let statements = log.iter().filter(|entry| matches!(entry, Logged::Run(_))).count() as u64;
        let report = Report {
            oracle: self.oracle.clone(),
            checks: seen.checks,
            statements,
            repeated: repeated(&log),
            checks_per_cpu_s: ratio(seen.checks as f64, seen.cpu),
            limit_checks_per_cpu_s: ratio(seen.checks as f64, limit),
            share: ratio(limit, seen.cpu),
            hunt_checks_per_cpu_s: hunt.checks_per_cpu_s,
            hunt_engine_share: hunt.engine_share,
        };
        if self.json {
            outln!("{}", serde_json::to_string(&report).expect("plain data"));
            return Ok(EXIT_CLEAN);
        }
        let (checks, runs) = (report.checks, report.statements);
        outln!("{:<34}{:>14}{:>16}", "", "checks/CPU s", "share of engine");
        outln!("{:<34}{:>14.0}{:>15.1} %", "the statements alone (limit)", report.limit_checks_per_cpu_s, 100.0);
        outln!("{:<34}{:>14.0}{:>15.1} %", "checks in one process", report.checks_per_cpu_s, 100.0 * report.share);
        let share = 100.0 * report.hunt_engine_share;
        outln!("{:<34}{:>14.0}{share:>15.1} %", "a hunt", report.hunt_checks_per_cpu_s);
        outln!("{} checks of {}, {runs} statements, {} of them repeated", checks, report.oracle, report.repeated);
        Ok(EXIT_CLEAN)
    }

    /// The checks of a worker, in this process.
    fn explore(&self, keeps: bool) -> Result<(Vec<Logged>, Seen), Fault> {
        let engine = isolated::connect("sqlite")?;
        let mut session = Logging { inner: engine.open().map_err(Fault::own)?, log: Vec::new(), keeps };
        let spec = HuntSpec { oracles: self.oracles(), size: self.size, seed: self.seed, ..HuntSpec::default() };
        let config = ExploreConfig::new(spec, engine.spoken());
        let mut explorer = qualm_lang::explorer(config, &mut session).map_err(Fault::own)?;
        session.log.clear();
        session.log.extend(keeps.then_some(Logged::Reset));
        let mut tally = Tally::default();
        let cpu = clocked(|| {
            while tally.checks < self.checks {
                explorer.step(&mut session, &mut tally);
            }
        });
        Ok((session.log, Seen { checks: tally.checks, cpu }))
    }
}

struct Seen {
    checks: u64,
    cpu: f64,
}

/// CPU seconds of some work in this process.
fn clocked(work: impl FnOnce()) -> f64 {
    let begun = own_usage().0;
    work();
    own_usage().0 - begun
}

fn repeated(log: &[Logged]) -> u64 {
    let mut seen = std::collections::HashSet::new();
    let mut count = 0;
    for entry in log {
        match entry {
            Logged::Reset => seen.clear(),
            Logged::Run(text) => count += u64::from(!seen.insert(text)),
        }
    }
    count
}
