//! `qualm bench bugs`: what a corpus of known bugs says about the tool.
//!
//! Oracle power: given exactly the statements of a bug, which oracles fire on the release that has it and not on the
//! one that has it no more? Search power: does a hunt in the buggy release find something that shows there and not in
//! the fixed one? Of the corpus only releases, statements and answers are used; the answers only to see that a bug is
//! there.

mod corpus;
mod plain;
mod power;
mod search;
mod table;
mod variants;

use clap::Args;
use corpus::Bug;
use qualm_core::dialect::sql::Dialect;
use qualm_core::fault::{EXIT_CLEAN, Fault};
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::relation::Relation;
use qualm_engines as engine;
use qualm_host::process::{Scratch, own_program};
use qualm_run::isolated::{self, Isolated};
use qualm_run::ladder::Ladder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub struct BenchBugs {
    /// Folder of known bugs, one JSON file each
    folder: PathBuf,
    /// Engine whose bugs to run [default: the one that the files name, or sqlite if they name several]
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Folder of shared objects, named after their release [default: those that './x ENGINE' built]
    #[arg(long, value_name = "DIR")]
    engine_dir: Option<PathBuf>,
    /// Also hunt for N seconds in each buggy release, to see whether its bugs are found
    #[arg(long, value_name = "N", value_parser = crate::cli::positive_seconds)]
    hunt_seconds: Option<f64>,
    /// Random seed of the hunts
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// One claim about the statements of a bug: what is asked after its setup, and what must hold.
pub struct Try {
    pub oracle: String,
    pub how: String,
    pub script: Vec<qualm_core::case::Step>,
    pub claim: Relation,
}

/// What came of one bug.
#[derive(Serialize)]
pub struct Row {
    pub id: String,
    pub buggy: String,
    pub fixed: String,
    /// The buggy release gives the wrong answer of the corpus and the fixed one the right answer.
    pub reproduced: bool,
    /// Oracles that fire on the buggy release and not on the fixed one, each with the first way it did.
    pub fires: BTreeMap<String, String>,
    /// Oracles that fire on both: a second bug, or a claim that is not sound.
    pub fires_on_fixed: BTreeMap<String, String>,
    /// Why the query is not asked as a tree: it could not be read, or its answer is not determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    pub claims: usize,
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunt: Option<search::Found>,
}

#[derive(Serialize)]
pub struct Totals {
    pub bugs: usize,
    pub exposed: usize,
    /// By an oracle that works on the query as a tree, or by dropping indexes; without the settings of the engine.
    pub exposed_without_knobs: usize,
    pub per_oracle: BTreeMap<String, usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_by_hunting: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_with_same_range: Option<usize>,
}

#[derive(Serialize)]
struct Report<'a> {
    bugs: &'a [Row],
    skipped: BTreeMap<&'a str, &'a str>,
    totals: Totals,
}

impl BenchBugs {
    pub fn run(self) -> Result<u8, Fault> {
        let (engine, bugs, mut skipped) = corpus::read(&self.folder, self.engine.as_deref())?;
        let releases = Releases::find(&engine, self.engine_dir.as_deref(), &bugs)?;
        let bugs = releases.reachable(bugs, &mut skipped);
        if !self.json {
            out!("{}", table::heading());
        }
        let hunts = match self.hunt_seconds {
            Some(seconds) => Some(search::hunts(&bugs, &releases, seconds, self.seed)?),
            None => None,
        };
        let mut rows = Vec::new();
        for bug in &bugs {
            let mut row = power::of(bug, &releases)?;
            row.hunt = hunts.as_ref().map(|hunts| hunts.about(bug));
            if !self.json {
                out!("{}", qualm_core::escape::lines(&table::row(&row)));
            }
            rows.push(row);
        }
        let totals = totals(&rows, hunts.is_some());
        if self.json {
            let skipped = skipped.iter().map(|s| (s.id.as_str(), s.why.as_str())).collect();
            let report = Report { bugs: &rows, skipped, totals };
            outln!("{}", serde_json::to_string(&report).expect("plain data"));
        } else {
            out!("{}", qualm_core::escape::lines(&table::end(&totals, &skipped)));
        }
        Ok(EXIT_CLEAN)
    }
}

fn totals(rows: &[Row], hunted: bool) -> Totals {
    let mut per_oracle: BTreeMap<String, usize> = BTreeMap::new();
    rows.iter().flat_map(|r| r.fires.keys()).for_each(|oracle| *per_oracle.entry(oracle.clone()).or_default() += 1);
    let found = |like: fn(&search::Found) -> usize| {
        hunted.then(|| rows.iter().filter(|r| r.hunt.as_ref().is_some_and(|h| like(h) > 0)).count())
    };
    Totals {
        bugs: rows.len(),
        exposed: rows.iter().filter(|r| !r.fires.is_empty()).count(),
        exposed_without_knobs: rows.iter().filter(|r| r.fires.keys().any(|o| o != plain::KNOBS)).count(),
        per_oracle,
        found_by_hunting: found(|h| h.like_it),
        found_with_same_range: found(|h| h.same_range),
    }
}

// ---------------------------------------------------------------- releases

/// Where the releases of a corpus are.
pub struct Releases {
    /// The name of the engine.
    pub name: String,
    pub dialect: &'static Dialect,
    engines: BTreeMap<String, String>,
    /// All releases of the folder, those that no bug names included.
    pub ladder: Ladder,
    scratch: Arc<Scratch>,
}

impl Releases {
    fn find(name: &str, folder: Option<&Path>, bugs: &[Bug]) -> Result<Releases, Fault> {
        let cache = engine::releases_folder(name)
            .ok_or_else(|| Fault::usage(format!("engine '{name}' has no folder of releases to try bugs in")))?;
        let folder = folder.unwrap_or(&cache);
        let default = isolated::connect(name)?;
        let version = default.version();
        let default_release = version.rsplit(' ').next().unwrap_or_default();
        let mut engines = BTreeMap::new();
        let mut missing: Vec<&str> = Vec::new();
        for release in bugs.iter().flat_map(|b| [b.buggy.as_str(), b.fixed.as_str()]) {
            let places = [folder.join(format!("{release}.so")), folder.join(release)];
            if let Some(library) = places.iter().find(|place| place.exists()) {
                engines.insert(release.to_owned(), format!("{name}:{}", library.display()));
            } else if release == default_release {
                engines.insert(release.to_owned(), name.to_owned());
            } else if !missing.contains(&release) {
                missing.push(release);
            }
        }
        if !missing.is_empty() {
            missing.sort_by(|a, b| qualm_core::version::by_number(a, b));
            let text = format!(
                "{} releases of the corpus are not in '{}'; run './x {name} {}'",
                missing.len(),
                folder.display(),
                missing.join(" ")
            );
            return Err(Fault::usage(text));
        }
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let ladder = Ladder::find(name, folder.to_str(), STATEMENT_TIMEOUT_MS)?;
        let (name, dialect) = (name.to_owned(), default.dialect());
        Ok(Releases { name, dialect, engines, ladder, scratch: Arc::new(scratch) })
    }

    /// The bugs both releases of which answer; the others are skipped, with what is wrong.
    fn reachable(&self, bugs: Vec<Bug>, skipped: &mut Vec<corpus::Skipped>) -> Vec<Bug> {
        let broken: BTreeMap<&String, String> =
            self.engines.keys().filter_map(|r| self.open(r).err().map(|fault| (r, fault.text))).collect();
        let (good, bad) = bugs.into_iter().partition(|b| ![&b.buggy, &b.fixed].iter().any(|r| broken.contains_key(r)));
        let bad: Vec<Bug> = bad;
        skipped.extend(bad.into_iter().map(|bug| {
            let why = [&bug.buggy, &bug.fixed].into_iter().find_map(|r| broken.get(r)).cloned().unwrap_or_default();
            corpus::Skipped { id: bug.id, why }
        }));
        good
    }

    /// As `engine::connect` takes it.
    pub fn engine(&self, release: &str) -> &str {
        &self.engines[release]
    }

    pub fn open(&self, release: &str) -> Result<Isolated, Fault> {
        self.open_engine(self.engine(release))
    }

    pub fn open_engine(&self, engine: &str) -> Result<Isolated, Fault> {
        Isolated::open(&own_program(), engine, STATEMENT_TIMEOUT_MS, self.scratch.clone())
    }
}
