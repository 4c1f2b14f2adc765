//! `qualm bench`: checks and runs of the engine per CPU second for each oracle, where the CPU time goes, and what
//! reduction costs; for Datalog also how fast programs and transformations are made. Ratios are taken within one run,
//! so that a busy machine changes them little.

use crate::bench_bugs::{BenchBugs, BenchSearch};
use crate::bench_compare::BenchCompare;
use crate::bench_coverage::BenchCoverage;
use crate::bench_functions::BenchFunctions;
use crate::bench_limit::BenchLimit;
use crate::bench_paper::BenchPaper;
use crate::bench_suite::BenchSuite;
use crate::cli::{oracles_of, positive_seconds};
use clap::{Args, Subcommand};
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::explore::Size;
use qualm_core::fault::Fault;
use qualm_core::rng::Rng;
use qualm_core::spec::HuntSpec;
use qualm_core::words::did_you_mean;
use qualm_engines::{ConnectError, language_of};
use qualm_host::process::{Scratch, own_usage};
use qualm_lang::datalog::ast::Program;
use qualm_lang::datalog::{generate, rules};
use qualm_lang::sql::seeds;
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::figures::{Summary, ratio};
use qualm_run::isolated;
use qualm_run::progress::Progress;
use qualm_run::store::Store;
use std::sync::Arc;

/// So many are made before the clock is looked at.
const PROGRAMS_AT_ONCE: usize = 200;
/// The longest sequence of transformations, as `queryfuzz` has it.
const STEPS_AT_MOST: usize = 20;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    #[command(subcommand)]
    other: Option<OtherBench>,
    /// Engine; 'qualm engines' lists them
    #[arg(default_value = "sqlite")]
    engine: String,
    /// Oracles to measure, separated by commas; by default all that fit the engine's language
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    oracle: Vec<String>,
    /// Size of databases and queries
    #[arg(long, value_enum, default_value = "medium")]
    size: Size,
    /// Seconds for each oracle
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = positive_seconds)]
    seconds: f64,
    /// Engine with a planted bug, to measure reduction on
    #[arg(long, value_name = "ENGINE", default_value = "canary:index-row")]
    reduce_on: String,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum OtherBench {
    /// Run a corpus of known bugs: which oracles detect them, and whether hunts find them
    Bugs(BenchBugs),
    /// Hunt for the known bugs of a corpus: which are found, by which oracle, after how many checks
    Search(BenchSearch),
    /// Compare two ways to hunt by the distinct bugs they find, over several seeds, with confidence intervals
    Compare(BenchCompare),
    /// Compare the speed of checks on SQLite with a loop that only runs their statements
    Limit(BenchLimit),
    /// Build SQLite with counters and report which of its code hunts reach
    Coverage(BenchCoverage),
    /// Read an engine's own catalogue and list the functions whose result depends on nothing but their arguments
    Functions(BenchFunctions),
    /// Reproduce the main table of a paper at a small scale
    Paper(BenchPaper),
    /// Run a folder of Datalog programs with expected tuples: how many can be parsed, and whether the evaluator and
    /// an engine derive what they should
    Suite(BenchSuite),
}

/// An engine and a command stand in the same place: what was meant may be either.
fn no_engine(name: &str, e: ConnectError) -> Fault {
    let command = OtherBench::augment_subcommands(clap::Command::new("bench"));
    let hint = did_you_mean(name, command.get_subcommands().map(clap::Command::get_name));
    match hint.is_empty() {
        true => Fault { code: e.exit_code(), text: e.to_string() },
        false => Fault::usage(format!("neither an engine nor a command of 'bench': '{name}'{hint}")),
    }
}

impl Bench {
    pub fn run(self) -> Result<u8, Fault> {
        match self.other {
            Some(OtherBench::Bugs(bugs)) => return bugs.run(),
            Some(OtherBench::Search(search)) => return search.run(),
            Some(OtherBench::Compare(compare)) => return compare.run(),
            Some(OtherBench::Limit(limit)) => {
                let oracles = oracles_of(qualm_lang::sql::LANGUAGE, &limit.oracles())?;
                let (size, seconds, seed) = (limit.size, limit.seconds, limit.seed);
                let summary = measure("sqlite", oracles, size, seconds, seed)?;
                return limit.run(&summary);
            }
            Some(OtherBench::Coverage(coverage)) => return coverage.run(),
            Some(OtherBench::Functions(functions)) => return functions.run(),
            Some(OtherBench::Paper(paper)) => return paper.run(),
            Some(OtherBench::Suite(suite)) => return suite.run(),
            None => {}
        }
        let language = language_of(&self.engine).map_err(|e| no_engine(&self.engine, e))?;
        let oracles = oracles_of(language, &self.oracle)?;
        if !self.json {
            outln!("{}", heading());
        }
        for oracle in &oracles {
            let summary = measure(&self.engine, vec![oracle.clone()], self.size, self.seconds, self.seed)?;
            self.print(oracle, &summary);
        }
        if let Some(dialect) = isolated::connect(&self.engine)?.datalog() {
            return self.generation(dialect);
        }
        let summary = measure(&self.reduce_on, oracles, self.size, self.seconds, self.seed)?;
        self.print(&self.reduce_on, &summary);
        Ok(0)
    }

    /// How fast programs are made and changed, without any engine: counts over CPU time of this process.
    fn generation(&self, dialect: &'static DatalogDialect) -> Result<u8, Fault> {
        let mut rng = Rng::new(self.seed);
        let parameters = generate::parameters(self.size);
        let cpu = || own_usage().0;
        let (mut programs, mut steps, mut generating, mut transforming) = (0u64, 0u64, 0.0, 0.0);
        while generating + transforming < self.seconds {
            let begun = cpu();
            let made: Vec<Program> = (0..PROGRAMS_AT_ONCE)
                .map(|_| generate::Generator { rng: &mut rng, dialect, parameters, loose: false }.program())
                .collect();
            let between = cpu();
            for program in &made {
                let sequence = rules::propose(program, dialect, &[], STEPS_AT_MOST, &mut rng);
                steps += sequence.map_or(0, |(steps, ..)| steps.len() as u64);
            }
            generating += between - begun;
            transforming += cpu() - between;
            programs += made.len() as u64;
        }
        let programs = 60.0 * ratio(programs as f64, generating);
        let transformations = 60.0 * ratio(steps as f64, transforming);
        if self.json {
            let line = serde_json::json!({
                "dialect": dialect.name,
                "programs_per_cpu_minute": programs.round(),
                "transformations_per_cpu_minute": transformations.round(),
            });
            outln!("{line}");
        } else {
            outln!("{}: {programs:.0} programs and {transformations:.0} transformations per CPU minute", dialect.name);
        }
        Ok(0)
    }

    fn print(&self, name: &str, summary: &Summary) {
        if self.json {
            outln!("{}", serde_json::to_string(summary).expect("plain data"));
        } else {
            outln!("{}", row(name, summary));
        }
    }
}

/// One worker for so long, with these oracles.
fn measure(engine: &str, oracles: Vec<String>, size: Size, seconds: f64, seed: u64) -> Result<Summary, Fault> {
    let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
    // Findings of a measurement go away with its folder.
    let store = Arc::new(Store::create(Some(&scratch.path().join("out")))?);
    let spoken = isolated::connect(engine)?.spoken();
    let spec = HuntSpec { seeds: seeds::for_oracles(&oracles, spoken), oracles, size, seed, ..HuntSpec::default() };
    let campaign = Campaign::plain(engine, spoken, spec, Budget::Seconds(seconds));
    campaign.run(store, Arc::new(scratch), &mut Progress::quiet())
}

fn heading() -> String {
    let columns = [
        "checks/CPU s",
        "runs/CPU s",
        "engine",
        "generate",
        "print",
        "compare",
        "vacuous",
        "rejected",
        "reduce s/finding",
    ];
    format!("{:<20}{}", "oracle", columns.map(|c| format!("{c:>17}")).concat())
}

fn row(name: &str, s: &Summary) -> String {
    let shares = [s.engine_share, s.generate_share, s.print_share, s.compare_share, s.vacuous_share, s.rejected_share];
    let shares: String = shares.iter().map(|x| format!("{:>15.1} %", 100.0 * x)).collect();
    let reduced = s.counts.findings + s.counts.duplicates;
    let reduce =
        if reduced == 0 { "-".into() } else { format!("{:.2}", ratio(s.counts.reduce_seconds, reduced as f64)) };
    let runs = ratio(s.statements as f64, s.cpu_seconds);
    format!("{name:<20}{:>17.0}{runs:>17.0}{shares}{reduce:>17}", s.checks_per_cpu_s)
}
