//! `qualm bench`: checks per CPU second for each oracle, where the CPU time goes, and what reduction costs. Ratios are
//! taken within one run, so that a busy machine changes them little.

use crate::bench_bugs::BenchBugs;
use crate::campaign::{Budget, Campaign};
use crate::cli::{SizeArg, oracles_of, positive_seconds};
use crate::engine::language_of;
use crate::fault::Fault;
use crate::figures::{Summary, ratio};
use crate::isolated;
use crate::lang::sql::seeds;
use crate::limits::STATEMENT_TIMEOUT_MS;
use crate::process::{Scratch, own_program};
use crate::progress::Progress;
use crate::store::Store;
use clap::{Args, Subcommand};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    #[command(subcommand)]
    other: Option<OtherBench>,
    /// An engine of 'qualm engines'
    #[arg(default_value = "sqlite")]
    engine: String,
    /// Oracles to measure, separated by commas; all of the engine's language by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    oracle: Vec<String>,
    /// Size of databases and queries
    #[arg(long, value_enum, default_value = "medium")]
    size: SizeArg,
    /// Seconds for each oracle
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = positive_seconds)]
    seconds: f64,
    /// An engine that lies, to measure reduction on
    #[arg(long, value_name = "ENGINE", default_value = "canary:index-row")]
    reduce_on: String,
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum OtherBench {
    /// Run a corpus of known bugs: which oracles fire on them, and whether hunting finds them
    Bugs(BenchBugs),
}

impl Bench {
    pub fn run(self) -> Result<u8, Fault> {
        if let Some(OtherBench::Bugs(bugs)) = self.other {
            return bugs.run();
        }
        let language = language_of(&self.engine).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
        let oracles = oracles_of(language, &self.oracle)?;
        if !self.json {
            println!("{}", heading());
        }
        for oracle in &oracles {
            let summary = self.measure(&self.engine, vec![oracle.clone()])?;
            self.print(oracle, &summary);
        }
        let summary = self.measure(&self.reduce_on, oracles)?;
        self.print(&self.reduce_on, &summary);
        Ok(0)
    }

    fn print(&self, name: &str, summary: &Summary) {
        if self.json {
            println!("{}", serde_json::to_string(summary).expect("plain data"));
        } else {
            println!("{}", row(name, summary));
        }
    }

    fn measure(&self, engine: &str, oracles: Vec<String>) -> Result<Summary, Fault> {
        let language = language_of(engine).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot make a temporary folder: {e}")))?;
        // Findings of a measurement go away with its folder.
        let store = Arc::new(Store::create(Some(&scratch.path().join("out")))?);
        let spoken = isolated::connect(engine)?.spoken();
        let dialect = spoken.sql;
        let campaign = Campaign {
            program: own_program(),
            engine: engine.into(),
            language,
            spoken,
            seeds: seeds::for_oracles(&oracles, dialect),
            oracles,
            size: self.size.into(),
            budget: Budget::Seconds(self.seconds),
            seed: self.seed,
            workers: 1,
            known: Vec::new(),
            ladder: None,
            timeout_ms: STATEMENT_TIMEOUT_MS,
            rules: None,
            input: None,
            threshold: Default::default(),
            knobs: Default::default(),
            disputed: false,
            interrupted: Arc::new(AtomicBool::new(false)),
        };
        campaign.run(store, Arc::new(scratch), &mut Progress::quiet())
    }
}

fn heading() -> String {
    let columns = ["checks/CPU s", "engine", "generate", "print", "compare", "vacuous", "rejected", "reduce s/finding"];
    format!("{:<20}{}", "oracle", columns.map(|c| format!("{c:>17}")).concat())
}

fn row(name: &str, s: &Summary) -> String {
    let shares = [s.engine_share, s.generate_share, s.print_share, s.compare_share, s.vacuous_share, s.rejected_share];
    let shares: String = shares.iter().map(|x| format!("{:>15.1} %", 100.0 * x)).collect();
    let reduced = s.findings + s.duplicates;
    let reduce = if reduced == 0 { "-".into() } else { format!("{:.2}", ratio(s.reduce_seconds, reduced as f64)) };
    format!("{name:<20}{:>17.0}{shares}{reduce:>17}", s.checks_per_cpu_s)
}
