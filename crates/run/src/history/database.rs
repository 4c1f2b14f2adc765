//! `history.db` in a folder of hunts: hunts, findings, bugs and what was seen of them, as tables of SQLite.
//!
//! Made from the folders and never the only place of anything: it may be deleted, and a file that is damaged or of
//! another format is written anew. What it knows of a finding's folder is used as long as the folder's stamp is the
//! same, so that old findings are not read again. Paths in it are never opened; folders are found by looking.

use super::{Cache, History, Sighting, read};
use crate::affected::Affected;
use crate::fingerprint::Kind;
use crate::report::collect::{self, Found};
use qualm_core::value::Value;
use qualm_engines::calendar;
use qualm_engines::sqlite::database::Database;
use std::fs;
use std::path::{Path, PathBuf};

pub const HISTORY_FILE: &str = "history.db";

/// Raised when a reader of the old tables would misunderstand the new ones.
const FORMAT: i64 = 2;

const TABLES: &str = "
CREATE TABLE about(format INTEGER, made_by TEXT);
CREATE TABLE hunts(name TEXT PRIMARY KEY, began TEXT, engine TEXT, version TEXT, build TEXT, ended INTEGER,
  seconds REAL, cpu_seconds REAL, checks INTEGER, checks_per_second REAL, statements INTEGER, databases INTEGER,
  plans INTEGER, plan_pairs INTEGER, vacuous_share REAL, rejected_share REAL, findings INTEGER, new INTEGER,
  regressed INTEGER);
CREATE TABLE findings(folder TEXT PRIMARY KEY, stamp TEXT, fingerprint TEXT, kind TEXT, title TEXT, oracle TEXT,
  engine TEXT, version TEXT, seen INTEGER, affected TEXT, older TEXT);
CREATE TABLE bugs(id INTEGER PRIMARY KEY, product TEXT, fingerprint TEXT, kind TEXT, title TEXT, status TEXT,
  fixed_in TEXT, first_seen TEXT, last_seen TEXT, hunts INTEGER, quiet INTEGER, seen INTEGER, oracles TEXT,
  versions TEXT, builds TEXT);
CREATE TABLE events(bug INTEGER, at TEXT, hunt TEXT, version TEXT, what TEXT, oracle TEXT, seen INTEGER, folder TEXT);
CREATE TABLE releases(bug INTEGER, release TEXT, stand TEXT);
";

/// The history of what is below some folders. Where one of them is a folder of hunts, its file is used and kept.
pub fn history(folders: &[PathBuf], found: &Found) -> (History, Cache) {
    let mut cache = Cache::default();
    let keepers: Vec<&PathBuf> = folders.iter().filter(|f| keeps(f)).collect();
    keepers.iter().for_each(|folder| load(folder, &mut cache));
    let history = read(found, &mut cache);
    // A file that cannot be written is no loss: the folders have everything.
    match (keepers.as_slice(), folders.len()) {
        ([folder], 1) => drop(replace(folder, &history, &cache)),
        _ => keepers.iter().for_each(|folder| drop(write(folder))),
    }
    (history, cache)
}

/// A folder that holds hunts and is none itself.
fn keeps(folder: &Path) -> bool {
    let found = collect::collect_any(&[folder.to_path_buf()]);
    found.campaigns.iter().any(|c| c.parent() == Some(folder))
}

/// Writes the file of a folder of hunts from what is in that folder, in place of the one that is there.
pub fn write(folder: &Path) -> Result<History, String> {
    let mut cache = Cache::default();
    load(folder, &mut cache);
    let history = read(&collect::collect_any(&[folder.to_path_buf()]), &mut cache);
    replace(folder, &history, &cache).map(|()| history)
}

/// The same in a file elsewhere, which must be a file: what stands there is replaced.
pub fn write_to(folder: &Path, file: &Path) -> Result<(), String> {
    if fs::metadata(file).is_ok_and(|there| !there.is_file()) {
        return Err("it is not a file".into());
    }
    let mut cache = Cache::default();
    let history = read(&collect::collect_any(&[folder.to_path_buf()]), &mut cache);
    replace_file(file, folder, &history, &cache)
}

fn replace(folder: &Path, history: &History, cache: &Cache) -> Result<(), String> {
    replace_file(&folder.join(HISTORY_FILE), folder, history, cache)
}

fn replace_file(file: &Path, folder: &Path, history: &History, cache: &Cache) -> Result<(), String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fresh = file.with_file_name(format!(".{name}.new-{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let written =
        fill(&fresh, folder, history, cache).and_then(|()| fs::rename(&fresh, file).map_err(|e| e.to_string()));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn count(n: u64) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

/// `2026-11-16T09:30:00Z`.
pub fn iso(at: u64) -> String {
    format!("{}Z", calendar::date_time(i64::try_from(at).unwrap_or(0), 0))
}

/// As a path below the folder, so that the folder can be moved.
fn below(folder: &Path, path: &str) -> Value {
    let path = Path::new(path);
    text(&path.strip_prefix(folder).unwrap_or(path).display().to_string())
}

fn fill(file: &Path, folder: &Path, history: &History, cache: &Cache) -> Result<(), String> {
    let database = Database::create(file)?;
    // A file that is renamed into its place when it is whole needs no journal.
    database.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")?;
    database.run(TABLES)?;
    let made_by = text(&format!("qualm {}", env!("CARGO_PKG_VERSION")));
    database.insert("INSERT INTO about VALUES (?, ?)", &[vec![Value::Int(FORMAT), made_by]])?;
    let hunts: Vec<Vec<Value>> = history.hunts.iter().map(|h| hunt_row(folder, h)).collect();
    database.insert("INSERT INTO hunts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &hunts)?;
    let findings = cache.sightings().filter(|(path, ..)| path.starts_with(folder));
    let findings: Vec<Vec<Value>> = findings.map(|(path, stamp, s)| finding_row(folder, path, stamp, s)).collect();
    database.insert("INSERT INTO findings VALUES (?,?,?,?,?,?,?,?,?,?,?)", &findings)?;
    let (mut bugs, mut events, mut releases) = (Vec::new(), Vec::new(), Vec::new());
    for (i, bug) in history.bugs.iter().enumerate() {
        let id = Value::Int(i as i64 + 1);
        bugs.push(vec![
            id.clone(),
            text(&bug.product),
            text(&bug.fingerprint),
            text(bug.kind.name()),
            text(&bug.title),
            text(bug.status.words()),
            bug.fixed_in.as_deref().map_or(Value::Null, text),
            text(&iso(bug.first_seen)),
            text(&iso(bug.last_seen)),
            count(bug.hunts as u64),
            count(bug.quiet as u64),
            count(bug.seen),
            text(&bug.oracles.join(",")),
            text(&bug.versions.join(",")),
            text(&bug.builds.join("\n")),
        ]);
        for e in &bug.events {
            let (hunt, at) = (below(folder, &e.hunt), below(folder, &e.folder));
            let (what, oracle) = (text(e.what.words()), text(&e.oracle));
            events.push(vec![id.clone(), text(&iso(e.at)), hunt, text(&e.version), what, oracle, count(e.seen), at]);
        }
        releases.extend(bug.life.iter().map(|(release, stand)| vec![id.clone(), text(release), text(stand)]));
    }
    database.insert("INSERT INTO bugs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &bugs)?;
    database.insert("INSERT INTO events VALUES (?,?,?,?,?,?,?,?)", &events)?;
    database.insert("INSERT INTO releases VALUES (?,?,?)", &releases)?;
    database.run("COMMIT")
}

fn hunt_row(folder: &Path, h: &super::Hunt) -> Vec<Value> {
    vec![
        below(folder, &h.name),
        text(&iso(h.at)),
        text(&h.engine),
        text(&h.version),
        text(&h.build),
        Value::Int(i64::from(h.ended)),
        Value::Real(h.seconds),
        Value::Real(h.cpu_seconds),
        count(h.checks),
        Value::Real(h.checks_per_second()),
        count(h.statements),
        count(h.databases),
        count(h.plans),
        count(h.plan_pairs),
        Value::Real(h.vacuous_share),
        Value::Real(h.rejected_share),
        count(h.findings),
        count(h.new),
        count(h.back),
    ]
}

fn finding_row(folder: &Path, path: &Path, stamp: &str, s: &Sighting) -> Vec<Value> {
    let affected = s.affected.as_ref().and_then(|a| serde_json::to_string(a).ok());
    vec![
        below(folder, &path.display().to_string()),
        text(stamp),
        text(&s.fingerprint),
        text(s.kind.name()),
        text(&s.title),
        text(&s.oracle),
        text(&s.engine),
        text(&s.version),
        count(s.seen),
        affected.as_deref().map_or(Value::Null, text),
        text(&s.older.join(" ")),
    ]
}

/// What the file of a folder knows of findings. A file that is not there or not ours knows nothing.
fn load(folder: &Path, cache: &mut Cache) {
    let Ok(database) = Database::read(&folder.join(HISTORY_FILE)) else { return };
    let Ok(about) = database.query("SELECT format FROM about") else { return };
    if about.first().and_then(|row| row.first()) != Some(&Value::Int(FORMAT)) {
        return;
    }
    let columns = "folder, stamp, fingerprint, kind, title, oracle, engine, version, seen, affected, older";
    let rows = database.query(&format!("SELECT {columns} FROM findings")).unwrap_or_default();
    for row in rows {
        if let Some((path, stamp, sighting)) = sighting(&row) {
            cache.add(folder.join(path), stamp, sighting);
        }
    }
}

fn sighting(row: &[Value]) -> Option<(String, String, Sighting)> {
    let word = |at: usize| match row.get(at) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let affected: Option<Affected> = match word(9) {
        Some(text) => Some(serde_json::from_str(&text).ok()?),
        None => None,
    };
    let Some(Value::Int(seen)) = row.get(8) else { return None };
    let kind: Kind = serde_json::from_value(word(3)?.into()).ok()?;
    let sighting = Sighting {
        fingerprint: word(2)?,
        older: word(10)?.split_whitespace().map(str::to_owned).collect(),
        kind,
        title: word(4)?,
        oracle: word(5)?,
        engine: word(6)?,
        version: word(7)?,
        seen: u64::try_from(*seen).ok()?,
        affected,
    };
    Some((word(0)?, word(1)?, sighting))
}
