//! `qualm bench search`: which bugs of a corpus hunts find, and after how many checks.
//!
//! A hunt of N checks with one worker runs in every release that a bug needs, once per seed, as many hunts at a time as
//! there are cores. A bug counts as found only if a finding is that bug: it shows in just those releases of the whole
//! ladder that have the bug, as far as both can be tried, and a setting that cures the finding cures the bug's own
//! script as well; where no setting cures either of them, a third of their features must be common to both.

use super::corpus::{self, Bug};
use super::search::{agrees, holders};
use super::{Releases, power};
use crate::bench_compare::{Measured, Seen, curve, interval};
use crate::cli::{at_least_one, cores, oracles_of};
use clap::Args;
use qualm_core::case::{CASE_FORMAT, Case, Evidence, Origin, Step};
use qualm_core::explore::Size;
use qualm_core::fault::{EXIT_CLEAN, Fault};
use qualm_core::knobs::{self, Class, Knob};
use qualm_core::relation::{Difference, Relation, Verdict};
use qualm_core::spec::HuntSpec;
use qualm_host::process::Scratch;
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::fingerprint::{self, Fingerprint, SWITCHED, WRITTEN_OUT};
use qualm_run::isolated::{self, Isolated};
use qualm_run::ladder::Ladder;
use qualm_run::progress::Progress;
use qualm_run::report::Meta;
use qualm_run::store::{self, Store};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const FORMAT: u32 = 1;

#[derive(Args)]
pub struct BenchSearch {
    /// Folder of known bugs, one JSON file each
    corpus: PathBuf,
    /// Engine whose bugs to look for [default: the one that the files name, or sqlite if they name several]
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Folder of shared objects, named after their release [default: those that './x ENGINE' built]
    #[arg(long, value_name = "DIR")]
    engine_dir: Option<PathBuf>,
    /// Checks of each hunt
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = at_least_one)]
    checks: u64,
    /// Hunts in each release, with the seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_least_one)]
    seeds: u64,
    /// Oracles to hunt with, separated by commas; by default all that fit the engine's language
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    oracle: Vec<String>,
    /// Size of databases and queries
    #[arg(long, value_enum, default_value_t)]
    size: Size,
    /// Set a parameter of the generator, as for 'qualm hunt'
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    set: Vec<String>,
    /// Look only for bugs whose name contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Print one JSON object on stdout, which 'qualm bench compare' reads
    #[arg(long)]
    json: bool,
}

/// A finding that is a bug of the corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub seed: u64,
    /// About so many checks into its hunt.
    pub checks: u64,
    pub oracle: String,
    pub title: String,
    /// `setting`: the same setting cures both; `features`: none does, and they are alike.
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    pub id: String,
    pub buggy: String,
    pub fixed: String,
    pub features: BTreeSet<String>,
    /// Findings that show in exactly the releases that have the bug, whether they are the bug or not.
    pub same_releases: usize,
    /// One for each seed that found it, the first of its hunt.
    pub hits: Vec<Hit>,
}

/// One hunt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HuntFigures {
    pub release: String,
    pub seed: u64,
    pub checks: u64,
    pub cpu_seconds: f64,
    pub findings: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchReport {
    pub format: u32,
    pub made_by: String,
    pub engine: String,
    pub checks: u64,
    pub seeds: u64,
    pub bugs: Vec<Searched>,
    pub skipped: BTreeMap<String, String>,
    pub hunts: Vec<HuntFigures>,
    /// Checks, and how many bugs a seed has found by then, on average.
    pub curve: Vec<(u64, f64)>,
    pub per_oracle: BTreeMap<String, usize>,
    /// Of each feature, how many bugs that have it were found, and how many there are.
    pub per_feature: BTreeMap<String, (usize, usize)>,
}

/// All hunts, and what was found in each release.
type Hunted = (Vec<HuntFigures>, BTreeMap<String, Vec<Finding>>);

/// A finding with what is needed to recognise a bug in it.
struct Finding {
    case: Case,
    meta: Meta,
    seed: u64,
    checks: u64,
}

/// What is known of a bug beside its file.
struct Known {
    have: BTreeMap<String, bool>,
    print: Fingerprint,
    /// Settings of the buggy release that make its answer right.
    cures: Vec<String>,
}

impl BenchSearch {
    pub fn run(self) -> Result<u8, Fault> {
        let (engine, bugs, mut skipped) = corpus::read(&self.corpus, self.engine.as_deref())?;
        let releases = Releases::find(&engine, self.engine_dir.as_deref(), None, &bugs)?;
        let mut bugs = releases.reachable(bugs, &mut skipped);
        if let Some(text) = &self.only {
            bugs.retain(|bug| bug.id.contains(text.as_str()));
        }
        let oracles = oracles_of(releases.language, &self.oracle)?;
        let ladder = releases.ladder()?;
        let have = holders(&bugs, &releases, &ladder);
        let (hunts, findings) = self.hunt_all(&bugs, &releases, &oracles)?;
        let mut searched = Vec::new();
        for bug in &bugs {
            let have = have.get(&bug.id).cloned().unwrap_or_default();
            let known = known(bug, have, &releases)?;
            let found = findings.get(&bug.buggy).map_or(&[][..], Vec::as_slice);
            searched.push(search(bug, &known, found, &releases, &ladder)?);
        }
        let report = self.report(engine, searched, hunts, &skipped);
        match self.json {
            true => outln!("{}", serde_json::to_string(&report).expect("plain data")),
            false => out!("{}", qualm_core::escape::lines(&table(&report))),
        }
        Ok(EXIT_CLEAN)
    }

    /// All hunts, several at a time; the findings by release.
    fn hunt_all(&self, bugs: &[Bug], releases: &Releases, oracles: &[String]) -> Result<Hunted, Fault> {
        let wanted: BTreeSet<&str> = bugs.iter().map(|bug| bug.buggy.as_str()).collect();
        let jobs: Vec<(&str, u64)> = wanted.iter().flat_map(|r| (1..=self.seeds).map(|seed| (*r, seed))).collect();
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some((release, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                errln!("hunting in {} {release}, seed {seed}", releases.name);
                let result = self.hunt(releases.engine(release), oracles, *seed);
                done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((*release, *seed, result));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..cores().min(jobs.len()) {
                scope.spawn(work);
            }
        });
        let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        done.sort_by_key(|(release, seed, _)| (release.to_string(), *seed));
        let (mut hunts, mut findings) = (Vec::new(), BTreeMap::<String, Vec<Finding>>::new());
        for (release, seed, result) in done {
            let (figures, found) = result?;
            hunts.push(HuntFigures { release: release.into(), seed, findings: found.len(), ..figures });
            findings.entry(release.into()).or_default().extend(found);
        }
        Ok((hunts, findings))
    }

    fn hunt(&self, engine: &str, oracles: &[String], seed: u64) -> Result<(HuntFigures, Vec<Finding>), Fault> {
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let scratch = Arc::new(scratch);
        let store = Arc::new(Store::create(Some(&scratch.path().join("out")))?);
        let spoken = isolated::describe(engine)?.spoken();
        let spec = HuntSpec {
            oracles: oracles.to_vec(),
            seed,
            seeds: qualm_lang::sql::seeds::built_in(),
            size: self.size,
            set: self.set.clone(),
            ..HuntSpec::default()
        };
        let campaign = Campaign::plain(engine, spoken, spec, Budget::Checks(self.checks));
        let summary = campaign.run(store.clone(), scratch.clone(), &mut Progress::quiet())?;
        let mut found = Vec::new();
        for folder in store.finding_folders() {
            if let Some(meta) = store::read_meta(&folder) {
                let checks = position(meta.origin.database, summary.databases, summary.checks);
                found.push(Finding { case: store::read_case(&folder)?, meta, seed, checks });
            }
        }
        let figures =
            HuntFigures { checks: summary.checks, cpu_seconds: summary.cpu_seconds, ..HuntFigures::default() };
        Ok((figures, found))
    }

    fn report(
        &self,
        engine: String,
        bugs: Vec<Searched>,
        hunts: Vec<HuntFigures>,
        skipped: &[corpus::Skipped],
    ) -> SearchReport {
        let mut per_oracle: BTreeMap<String, usize> = BTreeMap::new();
        let mut per_feature: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for bug in &bugs {
            let oracles: BTreeSet<&String> = bug.hits.iter().map(|hit| &hit.oracle).collect();
            oracles.into_iter().for_each(|oracle| *per_oracle.entry(oracle.clone()).or_default() += 1);
            for feature in &bug.features {
                let entry = per_feature.entry(feature.clone()).or_default();
                *entry = (entry.0 + usize::from(!bug.hits.is_empty()), entry.1 + 1);
            }
        }
        let mut report = SearchReport {
            format: FORMAT,
            made_by: format!("qualm {}", env!("CARGO_PKG_VERSION")),
            engine,
            checks: self.checks,
            seeds: self.seeds,
            bugs,
            skipped: skipped.iter().map(|s| (s.id.clone(), s.why.clone())).collect(),
            hunts,
            curve: Vec::new(),
            per_oracle,
            per_feature,
        };
        report.curve = curve(&report.measured());
        report
    }
}

/// About how many checks a worker had made when it came to a database; databases take about as many each. Unlike the
/// time at which triage was done with the finding, this depends on the seed alone.
pub fn position(database: u64, databases: u64, checks: u64) -> u64 {
    let share = database as f64 / databases.max(1) as f64;
    ((checks as f64 * share).round() as u64).clamp(1, checks.max(1))
}

impl SearchReport {
    /// For each seed, which bugs it found and when.
    pub fn measured(&self) -> Measured {
        let of_seed = |seed: u64| {
            let hits = self.bugs.iter().filter_map(|bug| {
                let hit = bug.hits.iter().find(|hit| hit.seed == seed)?;
                Some(Seen { bug: bug.id.clone(), checks: hit.checks })
            });
            hits.collect()
        };
        Measured { checks: self.checks, runs: (1..=self.seeds).map(of_seed).collect() }
    }
}

// ---------------------------------------------------------------- whether a finding is the bug

fn known(bug: &Bug, have: BTreeMap<String, bool>, releases: &Releases) -> Result<Known, Fault> {
    let mut buggy = releases.open(&bug.buggy)?;
    let settings: Vec<Knob> = buggy.knobs.iter().filter(|k| k.class == Class::Optimiser).cloned().collect();
    let cures: Vec<String> =
        settings.iter().filter(|knob| cures_bug(bug, knob, &mut buggy)).map(|knob| knob.name.clone()).collect();
    let mut script: Vec<Step> = bug.setup.iter().map(Step::run).collect();
    script.push(Step::query("the query", &bug.query));
    let case = Case {
        format: CASE_FORMAT,
        language: bug.language,
        oracle: String::new(),
        rules: Vec::new(),
        script,
        claim: Relation::Survives,
        source: None,
        origin: Origin::default(),
    };
    let wrong = Evidence { verdict: Verdict::Violated(Difference::default()), answers: Vec::new() };
    let print = fingerprint::of(&case, &wrong, &cures);
    Ok(Known { have, print, cures })
}

/// Whether the bug's own script is right with a setting turned off.
fn cures_bug(bug: &Bug, knob: &Knob, buggy: &mut Isolated) -> bool {
    if knob.others.is_empty() {
        return false;
    }
    let (set, _) = knobs::statements(&[knob.off()]);
    let setup = bug.setup.iter().cloned().chain(set).collect();
    power::has(&Bug { setup, ..bug.clone() }, buggy) == Some(false)
}

fn search(
    bug: &Bug,
    known: &Known,
    findings: &[Finding],
    releases: &Releases,
    ladder: &Ladder,
) -> Result<Searched, Fault> {
    let mut searched = Searched {
        id: bug.id.clone(),
        buggy: bug.buggy.clone(),
        fixed: bug.fixed.clone(),
        features: known.print.features.clone(),
        same_releases: 0,
        hits: Vec::new(),
    };
    let mut fixed = releases.open(&bug.fixed)?;
    for finding in findings {
        // The whole ladder is climbed only by what the fixed release has no more.
        if fixed.run(&finding.case).verdict.is_bug() {
            continue;
        }
        let affected = ladder.climb(&finding.case, Some(finding.meta.kind))?;
        if !agrees(&affected, bug, &known.have) {
            continue;
        }
        searched.same_releases += 1;
        let Some(by) = is_the_bug(known, finding) else { continue };
        let hit = Hit {
            seed: finding.seed,
            checks: finding.checks,
            oracle: finding.meta.oracle.clone(),
            title: finding.meta.title.clone(),
            by: by.into(),
        };
        match searched.hits.iter_mut().find(|other| other.seed == hit.seed) {
            Some(other) if other.checks > hit.checks => *other = hit,
            Some(_) => {}
            None => searched.hits.push(hit),
        }
    }
    Ok(searched)
}

/// How a finding that affects the same releases is recognised as the bug; nothing where it is another one.
fn is_the_bug(known: &Known, finding: &Finding) -> Option<&'static str> {
    let settings: Vec<&String> =
        finding.meta.cures.iter().filter(|c| !c.starts_with(WRITTEN_OUT) && !c.starts_with(SWITCHED)).collect();
    if settings.iter().any(|cure| known.cures.contains(*cure)) {
        return Some("setting");
    }
    let features: BTreeSet<String> = finding.meta.features.iter().cloned().collect();
    let common = features.intersection(&known.print.features).count();
    let alike = common * 3 >= features.union(&known.print.features).count();
    (settings.is_empty() && known.cures.is_empty() && alike).then_some("features")
}

// ---------------------------------------------------------------- the table

fn table(report: &SearchReport) -> String {
    use std::fmt::Write;
    let mut out = format!("{:<40} {:<9} {:>6}  found after checks (seed, oracle)\n", "bug", "release", "same");
    for bug in &report.bugs {
        let id: String = bug.id.chars().take(40).collect();
        let hits: Vec<String> =
            bug.hits.iter().map(|h| format!("{} ({}, {}, {})", h.checks, h.seed, h.oracle, h.by)).collect();
        let hits = if hits.is_empty() { "-".into() } else { hits.join(", ") };
        let _ = writeln!(out, "{id:<40} {:<9} {:>6}  {hits}", bug.buggy, bug.same_releases);
    }
    for (id, why) in &report.skipped {
        let _ = writeln!(out, "{id:<40} skipped: {why}");
    }
    let found = report.bugs.iter().filter(|b| !b.hits.is_empty()).count();
    let cpu: f64 = report.hunts.iter().map(|h| h.cpu_seconds).sum();
    let measured = report.measured();
    let (mean, half) = interval(&measured.counts());
    let all = report.bugs.len();
    let _ = writeln!(out, "found by some seed: {found} of {all}");
    let _ =
        writeln!(out, "found by one seed: {mean:.1} +- {half:.1} of {all} (95 % confidence, {} seeds)", report.seeds);
    let _ = writeln!(out, "hunts: {}, {} checks each, {cpu:.0} CPU s in all", report.hunts.len(), report.checks);
    let _ = writeln!(out, "bugs per seed after so many checks:");
    for (checks, bugs) in &report.curve {
        let _ = writeln!(out, "  {checks:>9} {bugs:>6.1}");
    }
    let _ = writeln!(out, "oracles that found one:");
    for (oracle, bugs) in &report.per_oracle {
        let _ = writeln!(out, "  {oracle}: {bugs}");
    }
    let _ = writeln!(out, "features of bugs, found of all:");
    for (feature, (found, all)) in &report.per_feature {
        let _ = writeln!(out, "  {feature}: {found} of {all}");
    }
    out
}
