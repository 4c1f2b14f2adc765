//! `qualm bench bugs`: what a corpus of known bugs says about the tool.
//!
//! Oracle power: given exactly the statements of a bug, which oracles fire on the release that has it and not on the
//! one that has it no more? Search power: does a hunt in the buggy release find something that shows there and not in
//! the fixed one? Of the corpus only releases, statements and answers are used; the answers only to see that a bug is
//! there.

mod corpus;
mod found;
mod plain;
mod power;
mod search;
mod table;
mod variants;

pub use found::{BenchSearch, SearchReport, position};

use clap::Args;
use corpus::Bug;
use qualm_core::case::Language;
use qualm_core::fault::{EXIT_CLEAN, Fault};
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::relation::Relation;
use qualm_core::session::Spoken;
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
    /// How to reach each release; '{}' stands for its number, as in 'exec:./adapter {}'
    #[arg(long, value_name = "ENGINE", conflicts_with = "engine_dir")]
    through: Option<String>,
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

/// One claim about the statements of a bug: what is run after its setup, and what must hold.
pub struct Try {
    pub oracle: String,
    pub how: String,
    pub script: Vec<qualm_core::case::Step>,
    pub claim: Relation,
    /// How many statements of the setup are run before it; all where nothing is said.
    pub setup: Option<usize>,
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
    /// Why the query is not run as a tree: it could not be read, or its answer is not determined.
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
        let releases = Releases::find(&engine, self.engine_dir.as_deref(), self.through.as_deref(), &bugs)?;
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
        exposed_without_knobs: rows.iter().filter(|r| r.fires.keys().any(|o| !plain::is_setting(o))).count(),
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
    /// What all releases are taken to speak, as the newest that can be reached says.
    pub spoken: Spoken,
    pub language: Language,
    engines: BTreeMap<String, String>,
    /// Releases that nobody could reach, and why.
    missing: BTreeMap<String, String>,
    /// The folder that the releases are in.
    pub folder: Option<PathBuf>,
    scratch: Arc<Scratch>,
}

impl Releases {
    fn find(name: &str, folder: Option<&Path>, through: Option<&str>, bugs: &[Bug]) -> Result<Releases, Fault> {
        let folder = folder.map(Path::to_owned).or_else(|| engine::releases_folder(name)).filter(|_| through.is_none());
        let default_release = match through {
            Some(_) => String::new(),
            None => isolated::connect(name).map(|e| last_word(&e.version())).unwrap_or_default(),
        };
        let (mut engines, mut missing) = (BTreeMap::new(), BTreeMap::new());
        for release in bugs.iter().flat_map(|b| [b.buggy.as_str(), b.fixed.as_str()]) {
            let places = folder.iter().flat_map(|f| [f.join(format!("{release}.so")), f.join(release)]);
            let library = places.into_iter().find(|place| place.exists());
            match (through, library) {
                (Some(template), _) => drop(engines.insert(release.to_owned(), template.replace("{}", release))),
                (None, Some(library)) => {
                    engines.insert(release.to_owned(), format!("{name}:{}", library.display()));
                }
                (None, None) if release == default_release => {
                    engines.insert(release.to_owned(), name.to_owned());
                }
                (None, None) => drop(missing.insert(release.to_owned(), not_there(name, folder.as_deref(), release))),
            }
        }
        if engines.is_empty() && !bugs.is_empty() {
            let mut releases: Vec<&str> = missing.keys().map(String::as_str).collect();
            releases.sort_by(|a, b| qualm_core::version::by_number(a, b));
            let (first, many) = (releases[0], releases.len());
            let text = match &folder {
                None => not_there(name, None, first),
                Some(folder) => format!(
                    "none of the {many} releases of the corpus is in '{}'; run './x {name} {}'",
                    folder.display(),
                    releases.join(" ")
                ),
            };
            return Err(Fault::usage(text));
        }
        let language = match through {
            Some(template) => engine::language_of(template),
            None => engine::language_of(name),
        };
        let language = language.map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
        let spoken = spoken(name, engines.values())?;
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let (name, scratch) = (name.to_owned(), Arc::new(scratch));
        Ok(Releases { name, spoken, language, engines, missing, folder, scratch })
    }

    /// All releases of the folder, those that no bug names included.
    pub fn ladder(&self) -> Result<Ladder, Fault> {
        let Some(folder) = &self.folder else {
            return Err(Fault::usage("hunts need a folder of releases; leave '--through' or '--hunt-seconds' out"));
        };
        Ladder::find(&self.name, folder.to_str(), STATEMENT_TIMEOUT_MS)
    }

    /// The bugs both releases of which answer; the others are skipped, with what is wrong.
    fn reachable(&self, bugs: Vec<Bug>, skipped: &mut Vec<corpus::Skipped>) -> Vec<Bug> {
        let silent = self.engines.keys().filter_map(|r| self.open(r).err().map(|fault| (r.clone(), fault.text)));
        let broken: BTreeMap<String, String> = silent.chain(self.missing.clone()).collect();
        let (good, bad): (Vec<Bug>, Vec<Bug>) =
            bugs.into_iter().partition(|b| ![&b.buggy, &b.fixed].iter().any(|r| broken.contains_key(*r)));
        skipped.extend(bad.into_iter().map(|bug| {
            let why = [&bug.buggy, &bug.fixed].into_iter().find_map(|r| broken.get(r)).cloned().unwrap_or_default();
            corpus::Skipped { id: bug.id, why }
        }));
        let spoken = |bug: Bug| Bug { language: self.language, ..bug };
        good.into_iter().map(spoken).collect()
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

fn not_there(name: &str, folder: Option<&Path>, release: &str) -> String {
    match folder {
        Some(folder) => format!("release {release} is not in '{}'; run './x {name} {release}'", folder.display()),
        None => format!("'{name}' has no folder of releases; reach {release} by '--through ENGINE'"),
    }
}

fn last_word(version: &str) -> String {
    version.rsplit(' ').next().unwrap_or_default().to_owned()
}

/// What the engine by its name speaks, or else what one of these releases does.
fn spoken<'a>(name: &'a str, others: impl Iterator<Item = &'a String>) -> Result<Spoken, Fault> {
    let mut first = None;
    for engine in [name].into_iter().chain(others.map(String::as_str)) {
        match isolated::connect(engine) {
            Ok(engine) => return Ok(engine.spoken()),
            Err(fault) => first = first.or(Some(fault)),
        }
    }
    Err(first.unwrap_or_else(|| Fault::usage(format!("engine '{name}' cannot be reached"))))
}
