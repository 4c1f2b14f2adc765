//! Hunts over weeks: the hunts below some folders in the order of time, and one bug for all findings that share a
//! fingerprint, with what became of it.
//!
//! All of it is read from the folders. A hunt is random, so that a bug which one hunt did not find is not fixed: it is
//! gone only where a replay or a ladder of releases says so. `database.rs` keeps the same in one file for queries.

pub mod compare;
pub mod database;
mod made;

use crate::affected::{Affected, Stand};
use crate::fingerprint::Kind;
use crate::report::collect::{self, Found};
use crate::report::view;
use crate::series::{self, PROGRESS_FILE};
use crate::store::{self, CAMPAIGN_FILE, CASE_FILE, REPLAYED_FILE};
use made::Made;
use qualm_core::outside;
use qualm_core::plan::Fnv;
use qualm_core::version::by_number;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What one hunt did, in the words of its summary; of a hunt that still runs, what its last point says.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Hunt {
    /// Its folder, as it was named.
    pub name: String,
    /// Seconds since 1970.
    pub at: u64,
    /// The engine as the user named it.
    pub engine: String,
    /// What the engine calls itself.
    pub version: String,
    pub build: String,
    pub ended: bool,
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub checks: u64,
    pub statements: u64,
    pub databases: u64,
    pub plans: u64,
    pub plan_pairs: u64,
    pub vacuous_share: f64,
    pub rejected_share: f64,
    /// Findings in its folder; of these, bugs that no earlier hunt had, and bugs that were gone and are back.
    pub findings: u64,
    pub new: u64,
    pub back: u64,
}

impl Hunt {
    /// The one figure of that name that is shown: over the time of the hunt, whatever the number of workers.
    pub fn checks_per_second(&self) -> f64 {
        crate::figures::ratio(self.checks as f64, self.seconds)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The newest hunt of its engine found it first.
    New,
    /// An earlier hunt found it, and nothing says that it is gone.
    Known,
    /// It was gone, and a later hunt or replay shows it again.
    Regressed,
    /// A replay or a ladder says that it is gone.
    Fixed,
}

impl Status {
    pub const ALL: [Status; 4] = [Status::New, Status::Regressed, Status::Known, Status::Fixed];

    pub fn words(self) -> &'static str {
        match self {
            Status::New => "new",
            Status::Known => "known",
            Status::Regressed => "regressed",
            Status::Fixed => "fixed",
        }
    }
}

/// What was seen of a bug at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Found,
    /// Found again and not reported, because it is in the file of known bugs.
    Suppressed,
    StillThere,
    Gone,
}

impl What {
    pub fn words(self) -> &'static str {
        match self {
            What::Found => "found",
            What::Suppressed => "found, listed as known",
            What::StillThere => "replayed: still there",
            What::Gone => "replayed: gone",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    pub at: u64,
    /// The hunt's name; empty for a finding that belongs to none.
    pub hunt: String,
    pub version: String,
    pub what: What,
    pub oracle: String,
    pub seen: u64,
    /// Where its files are, if this is a finding.
    pub folder: String,
}

/// All findings with one fingerprint in one product.
#[derive(Clone, Debug, Serialize)]
pub struct Bug {
    pub product: String,
    pub fingerprint: String,
    pub kind: Kind,
    pub title: String,
    pub status: Status,
    /// The release in which it is gone, as far as is known.
    pub fixed_in: Option<String>,
    pub first_seen: u64,
    pub last_seen: u64,
    /// Hunts that found it, and hunts of the same product since the last one that did.
    pub hunts: usize,
    pub quiet: usize,
    pub seen: u64,
    pub oracles: Vec<String>,
    /// Engine versions in which it was seen, by number.
    pub versions: Vec<String>,
    pub builds: Vec<String>,
    pub events: Vec<Event>,
    /// Each release of which something is known, by number, and what: `shows`, `right`, `breaks` or `unknown`.
    pub life: Vec<(String, &'static str)>,
    /// Changes when anything above does.
    #[serde(skip)]
    pub stamp: String,
}

impl Bug {
    /// The folders of its findings, the newest first, with their hunts.
    pub fn folders(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.events.iter().rev().filter(|e| !e.folder.is_empty()).map(|e| (Path::new(&e.folder), e.hunt.as_str()))
    }

    /// Stays the same while more hunts find it.
    pub fn id(&self) -> String {
        let first = self.events.iter().find(|e| !e.folder.is_empty());
        first.map_or_else(String::new, |e| e.folder.clone())
    }
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct History {
    /// The oldest first.
    pub hunts: Vec<Hunt>,
    pub bugs: Vec<Bug>,
    /// Folders of findings that cannot be read.
    #[serde(skip)]
    pub unread: Vec<PathBuf>,
}

/// One finding's folder, as far as history needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    pub fingerprint: String,
    /// By which it was known to older releases of this program.
    pub older: Vec<String>,
    pub kind: Kind,
    pub title: String,
    pub oracle: String,
    pub engine: String,
    pub version: String,
    pub seen: u64,
    pub affected: Option<Affected>,
}

/// Sightings that were read before, by folder and stamp: a folder that did not change is not read again.
#[derive(Default)]
pub struct Cache {
    known: HashMap<PathBuf, (String, Sighting)>,
    hunts: HashMap<PathBuf, (String, Hunt, Vec<Suppressed>)>,
    /// Those that the last reading came by: a folder that is gone is not among them.
    met: BTreeSet<PathBuf>,
}

impl Cache {
    pub fn add(&mut self, folder: PathBuf, stamp: String, sighting: Sighting) {
        self.known.insert(folder, (stamp, sighting));
    }

    fn sighting(&mut self, folder: &Path) -> Option<(String, Sighting)> {
        let stamp = view::stamp(folder);
        self.met.insert(folder.to_path_buf());
        if let Some((_, sighting)) = self.known.get(folder).filter(|(old, _)| *old == stamp) {
            return Some((stamp, sighting.clone()));
        }
        let sighting = read_sighting(folder)?;
        self.known.insert(folder.to_path_buf(), (stamp.clone(), sighting.clone()));
        Some((stamp, sighting))
    }

    fn hunt(&mut self, folder: &Path) -> (Hunt, Vec<Suppressed>) {
        let stamp = view::stamp_of(folder, &[PROGRESS_FILE, CAMPAIGN_FILE]);
        if let Some((_, hunt, suppressed)) = self.hunts.get(folder).filter(|(old, ..)| *old == stamp) {
            return (hunt.clone(), suppressed.clone());
        }
        let (hunt, suppressed) = read_hunt(folder);
        self.hunts.insert(folder.to_path_buf(), (stamp, hunt.clone(), suppressed.clone()));
        (hunt, suppressed)
    }

    /// All that was met, by folder.
    pub fn sightings(&self) -> impl Iterator<Item = (&Path, &str, &Sighting)> {
        self.met.iter().filter_map(|folder| {
            let (stamp, sighting) = self.known.get(folder)?;
            Some((folder.as_path(), stamp.as_str(), sighting))
        })
    }
}

fn read_sighting(folder: &Path) -> Option<Sighting> {
    let meta = store::read_meta(folder)?;
    Some(Sighting {
        fingerprint: meta.fingerprint,
        older: meta.older_fingerprints,
        kind: meta.kind,
        title: meta.title,
        oracle: meta.oracle,
        engine: meta.engine,
        version: meta.version,
        seen: 1 + view::duplicates(folder),
        affected: meta.affected,
    })
}

/// A line of `replayed.jsonl`: a finding of another hunt that was run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    pub fingerprint: String,
    /// What the engine that it was run on calls itself.
    pub version: String,
    pub gone: bool,
}

/// Product and release of what an engine calls itself: `sqlite 3.28.0` is `sqlite` and `3.28.0`.
pub fn product_and_release(version: &str) -> (String, String) {
    let version = version.split(" (").next().unwrap_or(version);
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = version.split(' ').collect();
    let at = words.iter().position(is_number).unwrap_or(words.len());
    let release = words.get(at).map_or(version, |w| w);
    (words[..at].join(" "), release.to_owned())
}

/// Reads all hunts and findings.
pub fn read(found: &Found, cache: &mut Cache) -> History {
    let mut history = History::default();
    cache.met.clear();
    let mut made = Made::default();
    let mut rest: Vec<(Hunt, Vec<Replayed>, Vec<Suppressed>)> = Vec::new();
    for folder in &found.campaigns {
        let (mut hunt, suppressed) = cache.hunt(folder);
        let findings = collect::findings_of(folder);
        hunt.findings = findings.len() as u64;
        for finding in findings {
            add_finding(&mut made, &mut history.unread, cache, &finding, &hunt);
        }
        rest.push((hunt, read_replayed(folder), suppressed));
    }
    for finding in found.single.iter().filter(|f| f.join(CASE_FILE).exists() && !is_trophy(f)) {
        let hunt = Hunt { at: changed_at(finding), ..Hunt::default() };
        add_finding(&mut made, &mut history.unread, cache, finding, &hunt);
    }
    made.fold_older();
    for (hunt, replayed, suppressed) in &rest {
        add_replays(&mut made, hunt, replayed);
        add_suppressed(&mut made, hunt, suppressed);
    }
    history.hunts = rest.into_iter().map(|(hunt, ..)| hunt).collect();
    history.hunts.sort_by(|a, b| (a.at, &a.name).cmp(&(b.at, &b.name)));
    history.bugs = made.bugs.into_values().map(|m| m.bug(&history.hunts)).collect();
    count_new(&mut history);
    history
}

fn is_trophy(folder: &Path) -> bool {
    folder.join(collect::TROPHY_FILE).exists()
}

/// For folders without a hunt that says when it was.
fn changed_at(folder: &Path) -> u64 {
    let changed = fs::metadata(folder.join(CASE_FILE)).and_then(|m| m.modified()).ok();
    changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_secs())
}

fn add_finding(made: &mut Made, unread: &mut Vec<PathBuf>, cache: &mut Cache, folder: &Path, hunt: &Hunt) {
    let Some((stamp, sighting)) = cache.sighting(folder) else {
        unread.push(folder.to_path_buf());
        return;
    };
    let (product, _) = product_and_release(&sighting.version);
    let older = sighting.older.iter().map(|old| ((product.clone(), old.clone()), sighting.fingerprint.clone()));
    made.newer.extend(older);
    let bug = made.bugs.entry((product, sighting.fingerprint.clone())).or_default();
    bug.stamp.write(stamp.as_bytes());
    bug.events.push(Event {
        at: hunt.at,
        hunt: hunt.name.clone(),
        version: sighting.version.clone(),
        what: What::Found,
        oracle: sighting.oracle.clone(),
        seen: sighting.seen,
        folder: folder.display().to_string(),
    });
    bug.sightings.push((hunt.at, sighting));
    bug.builds.extend(Some(hunt.build.clone()).filter(|b| !b.is_empty()));
}

fn add_replays(made: &mut Made, hunt: &Hunt, replayed: &[Replayed]) {
    for line in replayed {
        let (product, _) = product_and_release(&line.version);
        let Some(bug) = made.get_mut(product, &line.fingerprint) else { continue };
        let what = if line.gone { What::Gone } else { What::StillThere };
        bug.events.push(Event {
            at: hunt.at,
            hunt: hunt.name.clone(),
            version: line.version.clone(),
            what,
            oracle: String::new(),
            seen: 0,
            folder: String::new(),
        });
    }
}

fn add_suppressed(made: &mut Made, hunt: &Hunt, suppressed: &[Suppressed]) {
    for line in suppressed {
        let (product, _) = product_and_release(&hunt.version);
        let Some(bug) = made.get_mut(product, &line.fingerprint) else { continue };
        bug.events.push(Event {
            at: hunt.at,
            hunt: hunt.name.clone(),
            version: hunt.version.clone(),
            what: What::Suppressed,
            oracle: line.oracle.clone(),
            seen: line.seen,
            folder: String::new(),
        });
    }
}

/// A row of `known` in `campaign.json`.
#[derive(Clone, Deserialize)]
struct Suppressed {
    fingerprint: String,
    #[serde(default)]
    oracle: String,
    #[serde(default)]
    seen: u64,
}

fn read_replayed(folder: &Path) -> Vec<Replayed> {
    let text = outside::read_text(&folder.join(REPLAYED_FILE)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn read_hunt(folder: &Path) -> (Hunt, Vec<Suppressed>) {
    let read = series::read(folder);
    let summary: Option<Json> =
        outside::read(&folder.join(CAMPAIGN_FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let last = read.points.last().cloned().unwrap_or_default();
    let mut hunt = Hunt {
        name: folder.display().to_string(),
        at: read.began.as_ref().map_or_else(|| folder_changed(folder), |b| b.at),
        engine: read.began.as_ref().map(|b| b.engine.clone()).unwrap_or_default(),
        version: String::new(),
        build: read.began.map(|b| b.build).unwrap_or_default(),
        ended: summary.is_some(),
        seconds: last.seconds,
        checks: last.checks,
        statements: last.statements,
        databases: last.databases,
        plans: last.plans,
        vacuous_share: crate::figures::ratio(last.vacuous as f64, last.checks as f64),
        rejected_share: crate::figures::ratio(last.rejected as f64, last.statements as f64),
        ..Hunt::default()
    };
    let Some(summary) = summary else { return (hunt, Vec::new()) };
    let text = |name: &str| summary.get(name).and_then(Json::as_str).map(str::to_owned);
    let count = |name: &str, old: u64| summary.get(name).and_then(Json::as_u64).unwrap_or(old);
    let share = |name: &str, old: f64| summary.get(name).and_then(Json::as_f64).unwrap_or(old);
    hunt.engine = text("engine").unwrap_or(hunt.engine);
    hunt.version = text("engine_version").unwrap_or_default();
    hunt.seconds = share("seconds", hunt.seconds);
    hunt.cpu_seconds = share("cpu_seconds", 0.0);
    hunt.checks = count("checks", hunt.checks);
    hunt.statements = count("statements", hunt.statements);
    hunt.databases = count("databases", hunt.databases);
    hunt.plans = count("distinct_plans", hunt.plans);
    hunt.plan_pairs = count("plan_pairs", 0);
    hunt.vacuous_share = share("vacuous_share", hunt.vacuous_share);
    hunt.rejected_share = share("rejected_share", hunt.rejected_share);
    let known = summary.get("known").cloned().unwrap_or_default();
    (hunt, serde_json::from_value(known).unwrap_or_default())
}

fn folder_changed(folder: &Path) -> u64 {
    let changed = fs::metadata(folder).and_then(|m| m.modified()).ok();
    changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_secs())
}

/// A bug while its findings are collected.
#[derive(Default)]
struct Making {
    events: Vec<Event>,
    sightings: Vec<(u64, Sighting)>,
    builds: BTreeSet<String>,
    stamp: Fnv,
}

impl Making {
    fn absorb(&mut self, other: Making) {
        self.events.extend(other.events);
        self.sightings.extend(other.sightings);
        self.builds.extend(other.builds);
        self.stamp.write(&other.stamp.finish().to_le_bytes());
    }

    fn bug(mut self, hunts: &[Hunt]) -> Bug {
        self.events.sort_by(|a, b| (a.at, &a.hunt).cmp(&(b.at, &b.hunt)));
        self.sightings.sort_by_key(|(at, _)| *at);
        let newest = &self.sightings.last().expect("a bug has a finding").1;
        let (product, _) = product_and_release(&newest.version);
        let affected = self.sightings.iter().rev().find_map(|(_, s)| s.affected.as_ref());
        let seen_in: BTreeSet<&str> = self.shown().map(|e| e.hunt.as_str()).collect();
        let mut of_product = hunts.iter().filter(|h| product_and_release(&h.version).0 == product);
        let quiet = of_product.clone().rev().take_while(|h| !seen_in.contains(h.name.as_str())).count();
        let newest_hunt = of_product.next_back().map_or("", |h| h.name.as_str());
        let (status, fixed_in) = status(&self.events, affected, newest_hunt);
        let (first_seen, last_seen) =
            self.shown().fold((u64::MAX, 0), |(first, last), e| (first.min(e.at), last.max(e.at)));
        let mut stamp = Fnv(self.stamp.0);
        stamp.write(format!("{status:?}{quiet}{}", self.events.len()).as_bytes());
        let oracles: BTreeSet<&str> = self.shown().map(|e| e.oracle.as_str()).filter(|o| !o.is_empty()).collect();
        let versions: BTreeSet<&str> = self.shown().map(|e| e.version.as_str()).collect();
        let mut versions: Vec<String> = versions.into_iter().map(str::to_owned).collect();
        versions.sort_by(|a, b| by_number(&product_and_release(a).1, &product_and_release(b).1));
        Bug {
            fingerprint: newest.fingerprint.clone(),
            kind: newest.kind,
            title: newest.title.clone(),
            status,
            fixed_in,
            first_seen,
            last_seen,
            hunts: seen_in.len(),
            quiet,
            seen: self.shown().map(|e| e.seen).sum(),
            oracles: oracles.into_iter().map(str::to_owned).collect(),
            versions,
            life: life(&self.events, affected),
            stamp: format!("{:x}", stamp.finish()),
            builds: self.builds.into_iter().collect(),
            events: self.events,
            product,
        }
    }

    /// Events in which the bug showed.
    fn shown(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|e| e.what != What::Gone)
    }
}

/// Events come in the order of time. A bug that is gone in a release and then seen in an older one is not back.
fn status(events: &[Event], affected: Option<&Affected>, newest_hunt: &str) -> (Status, Option<String>) {
    let release = |e: &Event| product_and_release(&e.version).1;
    let newer_or_same = |a: &str, b: &str| by_number(a, b) != Ordering::Less;
    let (mut newest_bad, mut gone, mut back) = (String::new(), None::<String>, false);
    for event in events {
        let release = release(event);
        if event.what == What::Gone {
            if newest_bad.is_empty() || newer_or_same(&release, &newest_bad) {
                (gone, back) = (Some(release), false);
            }
            continue;
        }
        if gone.as_ref().is_some_and(|fixed| newer_or_same(&release, fixed)) {
            (gone, back) = (None, true);
        }
        if newest_bad.is_empty() || newer_or_same(&release, &newest_bad) {
            newest_bad = release;
        }
    }
    if gone.is_some() {
        return (Status::Fixed, gone);
    }
    if back {
        return (Status::Regressed, None);
    }
    if let Some(last) = affected.and_then(|a| a.ranges.last()) {
        match &last.right_after {
            Some(right) if newer_or_same(right, &newest_bad) => return (Status::Fixed, last.right_after.clone()),
            None if last.right_before.is_some() && affected.is_some_and(|a| a.ranges.len() > 1) => {
                return (Status::Regressed, None);
            }
            _ => {}
        }
    }
    let first = events.iter().find(|e| e.what != What::Gone);
    let is_new = first.is_some_and(|e| !e.hunt.is_empty() && e.hunt == newest_hunt);
    (if is_new { Status::New } else { Status::Known }, None)
}

/// What is known of each release: from the ladder, and from where it was found or run again, the last word counts.
fn life(events: &[Event], affected: Option<&Affected>) -> Vec<(String, &'static str)> {
    let mut all: Vec<(String, &'static str)> = Vec::new();
    let rungs = affected.into_iter().flat_map(|a| &a.rungs).map(|r| (r.release.clone(), stand_name(&r.stand)));
    let seen = events.iter().map(|e| {
        let stand = if e.what == What::Gone { "right" } else { "shows" };
        (product_and_release(&e.version).1, stand)
    });
    for (release, stand) in rungs.chain(seen) {
        match all.iter_mut().find(|(r, _)| *r == release) {
            Some(known) => known.1 = stand,
            None => all.push((release, stand)),
        }
    }
    all.sort_by(|a, b| by_number(&a.0, &b.0));
    all
}

/// As the page and the database name it.
pub fn stand_name(stand: &Stand) -> &'static str {
    match stand {
        Stand::Shows => "shows",
        Stand::Right => "right",
        Stand::Breaks(_) => "breaks",
        Stand::NotApplicable(_) | Stand::Unreachable(_) => "unknown",
    }
}

/// For each hunt: bugs that it found first, and bugs that had been gone before it.
fn count_new(history: &mut History) {
    let mut counts: HashMap<String, (u64, u64)> = HashMap::new();
    for bug in &history.bugs {
        let mut shown = bug.events.iter().filter(|e| e.what != What::Gone);
        if let Some(first) = shown.next() {
            counts.entry(first.hunt.clone()).or_default().0 += 1;
        }
        let back = bug.events.windows(2).filter(|w| w[0].what == What::Gone && w[1].what != What::Gone);
        back.for_each(|w| counts.entry(w[1].hunt.clone()).or_default().1 += 1);
    }
    for hunt in &mut history.hunts {
        (hunt.new, hunt.back) = counts.get(&hunt.name).copied().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests;
