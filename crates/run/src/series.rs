//! How a campaign went over time: `progress.jsonl` in its folder, one line now and then, for charts and for who
//! watches.
//!
//! The first line says what was begun, the others hold counters since the beginning. Lines come every second and more
//! rarely as time goes on, so that a week of hunting is some thousand lines.

use crate::campaign::{Budget, Campaign};
use crate::figures::{Figures, Part};
use crate::triage::Queue;
use qualm_core::outside;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

pub const PROGRESS_FILE: &str = "progress.jsonl";

/// Version of the file; raised when a reader of the old form would misunderstand the new one.
const FORMAT: u32 = 1;

/// Between two points: a second, or this share of the time gone by if that is more.
const POINT_SECONDS: f64 = 1.0;
const POINT_SHARE: f64 = 0.01;

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Began {
    pub format: u32,
    pub engine: String,
    /// The exact build of the engine, where it can say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    pub oracles: Vec<String>,
    pub seed: u64,
    pub workers: usize,
    /// How long it is to take, where that is known.
    #[serde(default)]
    pub budget_seconds: Option<f64>,
    #[serde(default)]
    pub budget_checks: Option<u64>,
    /// Seconds since 1970.
    pub at: u64,
}

/// Every other line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub seconds: f64,
    /// `hunt` or `triage`.
    pub stage: String,
    pub checks: u64,
    pub vacuous: u64,
    pub statements: u64,
    pub rejected: u64,
    pub plans: u64,
    pub databases: u64,
    pub findings: u64,
    pub duplicates: u64,
    /// Suspects that wait for triage.
    pub waiting: u64,
    /// Checks and violations.
    pub per_oracle: BTreeMap<String, (u64, u64)>,
}

/// Writes the file. One that cannot be written is no reason to stop hunting: the charts stay empty.
pub struct Series {
    file: Option<File>,
    next: f64,
}

impl Began {
    /// Of nothing yet.
    pub fn at(at: u64) -> Began {
        let (engine, build, oracles, seed, workers) = (String::new(), String::new(), Vec::new(), 0, 0);
        Began { format: FORMAT, engine, build, oracles, seed, workers, budget_seconds: None, budget_checks: None, at }
    }
}

impl Series {
    /// For who has the points from elsewhere.
    pub fn of(folder: &Path, began: &Began) -> Series {
        let file = OpenOptions::new().create(true).append(true).open(folder.join(PROGRESS_FILE)).ok();
        let mut series = Series { file, next: POINT_SECONDS };
        series.write(began);
        series
    }

    pub fn add(&mut self, point: &Point) {
        self.write(point);
    }

    pub fn begin(folder: &Path, campaign: &Campaign) -> Series {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let began = Began {
            engine: qualm_engines::url::shown(&campaign.engine),
            build: campaign.build.clone(),
            oracles: campaign.spec.oracles.clone(),
            seed: campaign.spec.seed,
            workers: campaign.workers,
            budget_seconds: if let Budget::Seconds(s) = campaign.budget { Some(s) } else { None },
            budget_checks: if let Budget::Checks(n) = campaign.budget { Some(n) } else { None },
            ..Began::at(at)
        };
        Series::of(folder, &began)
    }

    /// Called often; writes only when it is time.
    pub fn note(&mut self, figures: &Figures, queue: &Queue) {
        let seconds = figures.began.elapsed().as_secs_f64();
        if seconds >= self.next {
            self.next = seconds + POINT_SECONDS.max(seconds * POINT_SHARE);
            self.write(&point(figures, queue, seconds));
        }
    }

    /// The last point, whenever it is.
    pub fn end(&mut self, figures: &Figures, queue: &Queue) {
        self.write(&point(figures, queue, figures.began.elapsed().as_secs_f64()));
    }

    fn write(&mut self, line: &impl Serialize) {
        let Some(file) = &mut self.file else { return };
        let mut bytes = serde_json::to_vec(line).expect("plain data");
        bytes.push(b'\n');
        if file.write_all(&bytes).is_err() {
            self.file = None;
        }
    }
}

impl Point {
    /// The counters at some time.
    pub fn of(part: &Part, plans: usize) -> Point {
        let tally = part.tally();
        Point {
            checks: part.checks(),
            vacuous: tally.vacuous,
            statements: tally.statements,
            rejected: tally.rejected,
            plans: plans as u64,
            databases: tally.databases,
            findings: part.counts.findings,
            duplicates: part.counts.duplicates,
            per_oracle: tally.per_oracle,
            ..Point::default()
        }
    }
}

fn point(figures: &Figures, queue: &Queue, seconds: f64) -> Point {
    Point {
        seconds: (seconds * 1000.0).round() / 1000.0,
        stage: if figures.hunting() { "hunt" } else { "triage" }.into(),
        waiting: queue.waiting() as u64,
        ..Point::of(&figures.total(queue), figures.distinct_plans())
    }
}

/// What the file of a folder says: its first line, its points, and how many bytes that is. A last line that is not
/// whole yet is left for the next time.
#[derive(Default)]
pub struct Read {
    pub began: Option<Began>,
    pub points: Vec<Point>,
    pub bytes: u64,
}

pub fn read(folder: &Path) -> Read {
    read_from(folder, 0)
}

/// The same from a position on that an earlier reading gave.
pub fn read_from(folder: &Path, from: u64) -> Read {
    let nothing = Read { bytes: from, ..Read::default() };
    let Ok(mut file) = outside::open(&folder.join(PROGRESS_FILE)) else { return nothing };
    let mut text = Vec::new();
    if file.seek(SeekFrom::Start(from)).is_err() || file.take(outside::FILE_BYTES).read_to_end(&mut text).is_err() {
        return nothing;
    }
    let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let mut read = Read { bytes: from + whole as u64, ..Read::default() };
    for line in text[..whole].split(|b| *b == b'\n') {
        if let Ok(point) = serde_json::from_slice(line) {
            read.points.push(point);
        } else if let Ok(began) = serde_json::from_slice::<Began>(line) {
            // A newer form is not guessed at.
            if began.format > FORMAT {
                return nothing;
            }
            read.began = Some(began);
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_whole_waits() {
        let folder = tempfile::tempdir().unwrap();
        let point = Point { seconds: 1.0, stage: "hunt".into(), checks: 7, ..Point::default() };
        let line = serde_json::to_string(&point).unwrap();
        std::fs::write(folder.path().join(PROGRESS_FILE), format!("{line}\n{}", &line[..9])).unwrap();
        let read = read(folder.path());
        assert_eq!(read.points, [point]);
        assert_eq!(read.bytes as usize, line.len() + 1);
        std::fs::write(folder.path().join(PROGRESS_FILE), format!("{line}\n{line}\n")).unwrap();
        assert_eq!(read_from(folder.path(), read.bytes).points.len(), 1);
    }
}
