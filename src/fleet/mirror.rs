//! A fleet's campaign as a folder, which all that reads folders reads: findings, progress, and the summary at the end.
//! Made anew or brought up to date; what is there already stays as it is.

use super::leases::{Config, Entry, Met, Record};
use super::link::Link;
use qualm_core::case::Origin;
use qualm_core::counters::AddUp;
use qualm_core::dialect::sql::EMPTY;
use qualm_core::fault::Fault;
use qualm_core::outside::PlainName;
use qualm_run::campaign::Budget;
use qualm_run::figures::{Figures, Part, Summary};
use qualm_run::series::{Began, Point, Series};
use qualm_run::store::{self, CAMPAIGN_FILE, DUPLICATES_FILE, FINDINGS, FINDINGS_FILE, write_whole};
use qualm_run::triage::{Counts, Queue, Settled};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub struct Mirror {
    folder: PathBuf,
    config: Config,
    known: Known,
    /// Leases that are in the series, their sums, when the last one ended, and the findings by then.
    noted: BTreeSet<u64>,
    sums: Part,
    seconds: f64,
    findings: u64,
    /// Plans of these leases, and pairs. Their records are kept without them: there may be very many.
    plans: (BTreeSet<u64>, BTreeSet<u64>),
    series: Series,
}

/// All that NATS holds of a campaign but files, read on from where it was left.
#[derive(Default)]
pub struct Known {
    revision: u64,
    records: BTreeMap<u64, Record>,
    pub entries: BTreeMap<String, Entry>,
    pub stopped: bool,
}

impl Known {
    pub fn read_on(&mut self, link: &Link) -> Result<(), Fault> {
        let (written, revision) = link.written_since(self.revision)?;
        for (key, text) in &written {
            match key.split('.').next() {
                Some("lease") => {
                    let record: Record = read(key, text)?;
                    self.records.insert(record.lease, record);
                }
                Some("finding") => drop(self.entries.insert(key.clone(), read(key, text)?)),
                _ => self.stopped |= key == super::member::STOP,
            }
        }
        self.revision = revision;
        Ok(())
    }

    pub fn all(link: &Link) -> Result<Known, Fault> {
        let mut known = Known::default();
        known.read_on(link)?;
        Ok(known)
    }

    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    pub fn done(&self) -> impl Iterator<Item = &Record> {
        self.records.values().filter(|r| r.done)
    }

    /// How many findings have files.
    pub fn findings(&self) -> usize {
        self.entries.values().filter(|e| e.object.is_some()).count()
    }
}

/// What others wrote there. It is refused as a whole where it is not what a member writes.
fn read<T: DeserializeOwned>(key: &str, text: &[u8]) -> Result<T, Fault> {
    let unclear = |e| Fault::usage(format!("cannot parse '{key}' of the campaign: {e}"));
    serde_json::from_slice(text).map_err(unclear)
}

impl Mirror {
    pub fn new(folder: &Path, config: Config) -> Result<Mirror, Fault> {
        std::fs::create_dir_all(folder.join(FINDINGS)).map_err(|e| not_written(folder, &e))?;
        let began = Began {
            engine: qualm_engines::url::shown(&config.engine),
            oracles: config.spec.oracles.clone(),
            seed: config.spec.seed,
            workers: config.workers,
            budget_seconds: if let Budget::Seconds(s) = config.budget { Some(s) } else { None },
            budget_checks: if let Budget::Checks(n) = config.budget { Some(n) } else { None },
            ..Began::at(config.began_ms / 1000)
        };
        let series = Series::of(folder, &began);
        let (known, noted) = (Known::default(), BTreeSet::new());
        let (sums, plans) = (Part::default(), Default::default());
        let folder = folder.to_path_buf();
        Ok(Mirror { folder, config, known, noted, sums, seconds: 0.0, findings: 0, plans, series })
    }

    /// Brings the folder up to date. With `over` it gets its summary too.
    pub fn refresh(&mut self, link: &Link, over: bool) -> Result<Option<Summary>, Fault> {
        self.known.read_on(link)?;
        let met = duplicates(&self.known);
        let mut lines = Vec::new();
        for entry in self.known.entries.values() {
            let Some((name, object)) = entry.finding.folder.as_ref().zip(entry.object.as_ref()) else { continue };
            let folder = name.within(&self.folder.join(FINDINGS));
            if !folder.join(store::CASE_FILE).exists() {
                let files: BTreeMap<PlainName, String> = read(object, &link.get_object(object)?)?;
                write_files(&folder, &files).map_err(|e| not_written(&folder, &e))?;
            }
            let of_this = met.get(entry.finding.fingerprint.id.as_str()).into_iter().flatten();
            let text = jsonl(of_this.map(|m| Line { oracle: &m.oracle, origin: m.origin, reduced: m.reduced }));
            self.write(&folder.join(DUPLICATES_FILE), &text)?;
            lines.push(serde_json::json!({
                "fingerprint": entry.finding.fingerprint.id,
                "title": entry.finding.title,
                "oracle": entry.finding.oracle,
                "folder": name.within(Path::new(FINDINGS)),
            }));
        }
        self.write(&self.folder.join(FINDINGS_FILE), &jsonl(lines.iter()))?;
        self.note();
        if !over {
            return Ok(None);
        }
        let summary = self.summary();
        let text = serde_json::to_vec_pretty(&summary).expect("plain data");
        write_whole(&self.folder.join(CAMPAIGN_FILE), &text).map_err(|e| not_written(&self.folder, &e))?;
        Ok(Some(summary))
    }

    /// Only what changed is written: who watches looks at the times of files.
    fn write(&self, path: &Path, text: &str) -> Result<(), Fault> {
        let there = std::fs::read_to_string(path).unwrap_or_default();
        if there == text {
            return Ok(());
        }
        write_whole(path, text.as_bytes()).map_err(|e| not_written(path, &e))
    }

    /// A point for each lease that is done, in the order in which they became known to be.
    fn note(&mut self) {
        let Known { records, entries, .. } = &mut self.known;
        let is_fresh = |r: &&mut Record| r.done && self.noted.insert(r.lease);
        let mut fresh: Vec<&mut Record> = records.values_mut().filter(is_fresh).collect();
        fresh.sort_by_key(|r| (r.reported_ms, r.lease));
        for record in fresh {
            let (plans, pairs) = record.part.take_plans();
            self.plans.0.extend(plans);
            self.plans.1.extend(pairs);
            self.sums.add_up(&record.part);
            let ended_ms = record.reported_ms.saturating_sub(self.config.began_ms);
            self.seconds = self.seconds.max(ended_ms as f64 / 1000.0);
            let found = entries.values().filter(|e| e.object.is_some() && e.at_ms <= record.reported_ms);
            self.findings = self.findings.max(found.count() as u64);
            let (seconds, stage, findings) = (self.seconds, "hunt".into(), self.findings);
            self.series.add(&Point { seconds, stage, findings, ..Point::of(&self.sums, self.plans.0.len()) });
        }
    }

    fn summary(&self) -> Summary {
        let known = &self.known;
        let met = duplicates(known);
        // What the engine speaks is of no interest to figures.
        let campaign =
            self.config.campaign(&self.config.engine, const { &EMPTY }.into(), self.config.workers, Default::default());
        let mut figures = Figures::new(&campaign, Instant::now());
        figures.pour_plans(&self.plans.0, &self.plans.1);
        let (mut counts, mut duplicates) = (Counts::default(), 0);
        // What a lease has done counts also when it was left before its end; whoever does it again takes its place.
        for record in known.records() {
            figures.pour(&record.part);
        }
        for record in known.done() {
            counts.add_up(&record.part.counts);
            duplicates += record.met.len();
        }
        // Those that are no duplicates after all.
        let none = duplicates - met.values().map(Vec::len).sum::<usize>();
        counts.duplicates = counts.duplicates.saturating_sub(none as u64);
        counts.findings = known.findings() as u64;
        // Of a lease that was left before its end only its findings are known.
        let done: BTreeSet<u64> = known.done().map(|r| r.lease).collect();
        let left = |e: &&Entry| e.object.is_some() && !done.contains(&e.origin.worker);
        counts.violations += known.entries.values().filter(left).count() as u64;
        let last = known.records().map(|r| r.reported_ms).max().unwrap_or(self.config.began_ms);
        figures.hunt_took(last.saturating_sub(self.config.began_ms) as f64 / 1000.0);
        let settled = |entry: &Entry| {
            let seen = met.get(entry.finding.fingerprint.id.as_str()).map_or(0, Vec::len) as u64 + 1;
            Settled { seen, ..entry.finding.clone().settled(&self.folder) }
        };
        let settled = known.entries.values().map(settled).collect();
        figures.summary(&campaign, &Queue::ended(counts), settled, &self.folder, Ok(()))
    }
}

type Duplicates<'a> = BTreeMap<&'a str, Vec<&'a Met>>;

/// By finding. A lease that was done again, on another machine, met what it brought the first time: no duplicate.
fn duplicates(known: &Known) -> Duplicates<'_> {
    let place = |o: &Origin| (o.worker, o.database, o.check);
    let of_entry = |e: &Entry| ((e.finding.fingerprint.id.clone(), place(&e.origin)), e.member.clone());
    let mut found: BTreeMap<_, _> = known.entries.values().map(of_entry).collect();
    let mut all: Duplicates = BTreeMap::new();
    for record in known.done() {
        for met in &record.met {
            let key = (met.fingerprint.clone(), place(&met.origin));
            if found.get(&key).is_some_and(|member| *member != record.member) {
                found.remove(&key);
            } else {
                all.entry(met.fingerprint.as_str()).or_default().push(met);
            }
        }
    }
    all
}

#[derive(Serialize)]
struct Line<'a> {
    oracle: &'a str,
    origin: Origin,
    reduced: bool,
}

fn jsonl<T: Serialize>(lines: impl Iterator<Item = T>) -> String {
    lines.map(|line| serde_json::to_string(&line).expect("plain data") + "\n").collect()
}

/// The folder appears whole.
fn write_files(folder: &Path, files: &BTreeMap<PlainName, String>) -> std::io::Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fresh = folder.with_file_name(format!(".{name}.new-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&fresh);
    std::fs::create_dir_all(&fresh)?;
    for (name, text) in files {
        std::fs::write(name.within(&fresh), text)?;
    }
    std::fs::rename(&fresh, folder)
}

fn not_written(path: &Path, e: &dyn std::fmt::Display) -> Fault {
    Fault::own(format!("cannot write '{}': {e}", path.display()))
}
