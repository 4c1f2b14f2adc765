//! The folder of a campaign: findings, their duplicates, what triage did not get to, and the figures.
//!
//! ```text
//! DIR/campaign.json             the figures of the campaign, written at its end
//! DIR/findings.jsonl            one line per finding
//! DIR/findings/NAME/            case.json repro.sql report.md meta.json
//! DIR/findings/NAME/unreduced.json, unreduced.sql     as it was found, where it was reduced
//! DIR/findings/NAME/duplicates.jsonl
//! DIR/pending/N.json            confirmed and not reduced: cases that 'qualm reduce' takes
//! DIR/unconfirmed/N.json        violated once and never confirmed: no findings
//! DIR/unconfirmed/N.session.sql all statements of the session in which it did
//! DIR/unconfirmed.jsonl         one line for each of these: why it is not confirmed
//! DIR/replayed.jsonl            findings of other hunts that were run again, and whether they are gone
//! ```
//!
//! While a campaign runs, what waits to be confirmed is in `unconfirmed/` as well, so that a kill loses nothing.
//!
//! Every file appears whole or not at all, and no file of another campaign is ever touched.

use crate::recorder::Noted;
use crate::report::{Finding, META_FILE, Meta};
use qualm_core::case::{CASE_FORMAT, Case};
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_core::limits::UNCONFIRMED_CASES;
use qualm_core::outside;
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where hunts without `--out` go, each in a numbered folder of its own.
pub const DEFAULT_FOLDER: &str = "qualm-out";
pub const CASE_FILE: &str = "case.json";
pub const CAMPAIGN_FILE: &str = "campaign.json";
pub const FINDINGS_FILE: &str = "findings.jsonl";
pub const DUPLICATES_FILE: &str = "duplicates.jsonl";
pub const FINDINGS: &str = "findings";
pub const PENDING: &str = "pending";
pub const UNCONFIRMED: &str = "unconfirmed";
pub const UNCONFIRMED_FILE: &str = "unconfirmed.jsonl";
/// Findings of other hunts that were run again, one per line.
pub const REPLAYED_FILE: &str = "replayed.jsonl";
/// How the files of a case begin that stands beside a finding as it was before its reduction.
pub const UNREDUCED: &str = "unreduced.";

pub struct Store {
    folder: PathBuf,
    /// The number of the last case that was kept.
    last_number: AtomicU64,
    unconfirmed: AtomicU64,
}

/// The files of a case in `unconfirmed/`.
#[derive(Clone, Debug)]
pub struct Kept {
    case: PathBuf,
    session: Option<PathBuf>,
}

/// A line of `duplicates.jsonl`.
#[derive(Serialize)]
pub struct Duplicate<'a> {
    pub oracle: &'a str,
    pub origin: qualm_core::case::Origin,
    /// Whether it was reduced to the same fingerprint, or only looks like it.
    pub reduced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<&'a Case>,
}

impl Store {
    /// A new folder for one campaign.
    pub fn create(out: Option<&Path>) -> Result<Store, Fault> {
        let folder = new_folder(out)?;
        fs::create_dir_all(folder.join(FINDINGS)).map_err(|e| not_made(&folder, e))?;
        Ok(Store { folder, last_number: AtomicU64::new(0), unconfirmed: AtomicU64::new(0) })
    }

    /// The folder of a campaign that is over.
    pub fn of(folder: &Path) -> Store {
        Store { folder: folder.to_path_buf(), last_number: AtomicU64::new(0), unconfirmed: AtomicU64::new(0) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores a finding and gives its folder.
    pub fn add_finding(&self, finding: &Finding) -> io::Result<PathBuf> {
        let folder = self.folder.join(FINDINGS).join(finding_name(finding));
        write_finding(&folder, finding)?;
        let line = serde_json::json!({
            "fingerprint": finding.fingerprint.id,
            "title": finding.title,
            "oracle": finding.case.oracle,
            "folder": folder.strip_prefix(&self.folder).unwrap_or(&folder),
        });
        // A disk that is full by now: what is not counted as a finding is not left as one.
        append_line(&self.folder.join(FINDINGS_FILE), &line).inspect_err(|_| {
            let _ = fs::remove_dir_all(&folder);
        })?;
        Ok(folder)
    }

    /// The folders of all findings, by name.
    pub fn finding_folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join(FINDINGS)).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.join(CASE_FILE).exists()).collect();
        folders.sort();
        folders
    }

    pub fn add_duplicate(&self, finding_folder: &Path, duplicate: &Duplicate) -> io::Result<()> {
        append_line(&finding_folder.join(DUPLICATES_FILE), duplicate)
    }

    /// Keeps a confirmed case safe until its reduction is done.
    pub fn keep_pending(&self, case: &Case) -> io::Result<PathBuf> {
        self.keep_case(PENDING, self.next_number(), case)
    }

    fn next_number(&self) -> u64 {
        self.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps a case that is not confirmed, with all statements of its session. Nothing when there are too many.
    pub fn keep_unconfirmed(&self, case: &Case, session: &[Noted]) -> io::Result<Option<Kept>> {
        if self.unconfirmed.fetch_add(1, Ordering::Relaxed) >= UNCONFIRMED_CASES {
            self.unconfirmed.fetch_sub(1, Ordering::Relaxed);
            return Ok(None);
        }
        let number = self.next_number();
        let written = self.keep_case(UNCONFIRMED, number, case).and_then(|path| {
            if session.is_empty() {
                return Ok(Kept { case: path, session: None });
            }
            let (name, text) = crate::report::session_file(case, session);
            let beside = path.with_file_name(format!("{number:06}.{name}"));
            write_whole(&beside, text.as_bytes())?;
            Ok(Kept { case: path, session: Some(beside) })
        });
        if written.is_err() {
            self.unconfirmed.fetch_sub(1, Ordering::Relaxed);
        }
        written.map(Some)
    }

    /// The case stays unconfirmed.
    pub fn record_unconfirmed(&self, kept: &Kept, case: &Case, why: &str) -> io::Result<()> {
        let below = |path: &Path| path.strip_prefix(&self.folder).unwrap_or(path).to_path_buf();
        let line = serde_json::json!({
            "case": below(&kept.case),
            "session": kept.session.as_deref().map(below),
            "oracle": case.oracle,
            "origin": case.origin,
            "why": why,
        });
        append_line(&self.folder.join(UNCONFIRMED_FILE), &line)
    }

    /// The case was confirmed, or is one more of something known.
    pub fn forget_unconfirmed(&self, kept: &Kept) {
        kept.session.iter().chain([&kept.case]).for_each(|path| drop(fs::remove_file(path)));
        self.unconfirmed.fetch_sub(1, Ordering::Relaxed);
        // Only an empty folder can be removed this way, which is what is wanted.
        let _ = fs::remove_dir(self.folder.join(UNCONFIRMED));
    }

    fn keep_case(&self, below: &str, number: u64, case: &Case) -> io::Result<PathBuf> {
        let folder = self.folder.join(below);
        let path = folder.join(format!("{number:06}.json"));
        let text = serde_json::to_vec_pretty(case)?;
        // Whoever removes the last case of the folder removes the folder, perhaps at this moment.
        let mut attempts = KEEP_ATTEMPTS;
        loop {
            attempts -= 1;
            match fs::create_dir_all(&folder).and_then(|()| write_whole(&path, &text)) {
                Err(e)
                    if attempts > 0 && matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists) => {}
                done => return done.map(|()| path),
            }
        }
    }

    /// The case has become a finding or a duplicate.
    pub fn settle_pending(&self, path: &Path) {
        let _ = fs::remove_file(path);
        // Only an empty folder can be removed this way, which is what is wanted.
        let _ = fs::remove_dir(self.folder.join(PENDING));
    }

    /// Copies what is pending or unconfirmed to the folder of another campaign. Gives the number of cases.
    pub fn hand_over(&self, to: &Path) -> io::Result<usize> {
        let mut cases = 0;
        for below in [PENDING, UNCONFIRMED] {
            let Ok(entries) = fs::read_dir(self.folder.join(below)) else { continue };
            fs::create_dir_all(to.join(below))?;
            for entry in entries.flatten() {
                fs::copy(entry.path(), to.join(below).join(entry.file_name()))?;
                cases += usize::from(entry.path().extension().is_some_and(|e| e == "json"));
            }
        }
        let list = self.folder.join(UNCONFIRMED_FILE);
        if list.exists() {
            fs::copy(list, to.join(UNCONFIRMED_FILE))?;
        }
        Ok(cases)
    }

    /// Whether something is pending or unconfirmed.
    pub fn has_unsettled(&self) -> bool {
        [PENDING, UNCONFIRMED].iter().any(|below| self.folder.join(below).exists())
    }

    /// Notes that a finding of another hunt was run again.
    pub fn add_replayed(&self, line: &impl Serialize) -> io::Result<()> {
        append_line(&self.folder.join(REPLAYED_FILE), line)
    }

    pub fn write_summary(&self, summary: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(summary)?;
        text.push(b'\n');
        write_whole(&self.folder.join(CAMPAIGN_FILE), &text)
    }
}

/// `out` if it is not there yet or empty, otherwise the next number in the default.
pub fn new_folder(out: Option<&Path>) -> Result<PathBuf, Fault> {
    let Some(path) = out else {
        return numbered(Path::new(DEFAULT_FOLDER)).map_err(|e| not_made(Path::new(DEFAULT_FOLDER), e));
    };
    fs::create_dir_all(path).map_err(|e| not_made(path, e))?;
    if fs::read_dir(path).map_err(|e| not_made(path, e))?.next().is_some() {
        let text = format!("folder '{}' is not empty; give --out a new one", path.display());
        return Err(Fault::usage(text));
    }
    Ok(path.to_path_buf())
}

fn not_made(path: &Path, e: io::Error) -> Fault {
    Fault::usage(format!("cannot create folder '{}': {e}", path.display()))
}

/// A new folder with the next number in a folder of hunts. Nothing is in it yet.
pub fn next_folder(parent: &Path) -> io::Result<PathBuf> {
    numbered(parent)
}

/// The next free number in `parent`; two hunts that start together get two.
fn numbered(parent: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(parent)?;
    let numbers = fs::read_dir(parent)?.flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let mut number = numbers.max().unwrap_or(0);
    loop {
        number += 1;
        let path = parent.join(format!("{number:04}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

const KEEP_ATTEMPTS: usize = 100;
const NAME_TITLE_CHARS: usize = 48;
const NAME_FINGERPRINT_CHARS: usize = 8;

/// A folder name that people can read, and that distinguishes two findings with one title.
pub fn finding_name(finding: &Finding) -> String {
    let mut slug = String::new();
    for c in finding.title.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= NAME_TITLE_CHARS {
            break;
        }
    }
    let id: String = finding.fingerprint.id.chars().take(NAME_FINGERPRINT_CHARS).collect();
    let slug = slug.trim_end_matches('-');
    format!("{}-{id}", if slug.is_empty() { "finding" } else { slug })
}

/// Writes the finding's files beside their place and moves them there; a folder that is there already gives way, its
/// list of duplicates stays, and so does the case as it was found.
pub fn write_finding(folder: &Path, finding: &Finding) -> io::Result<()> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fresh = parent.join(format!(".{name}.new-{}", std::process::id()));
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir(&fresh)?;
    // A disk that is full leaves nothing half done behind.
    if let Err(e) = crate::report::write(&fresh, finding) {
        let _ = fs::remove_dir_all(&fresh);
        return Err(e);
    }
    if folder.exists() {
        for entry in fs::read_dir(folder)?.flatten() {
            let stays = |name: &str| name == DUPLICATES_FILE || name.starts_with(UNREDUCED);
            if entry.file_name().to_str().is_some_and(stays)
                && let Ok(bytes) = outside::read(&entry.path())
            {
                fs::write(fresh.join(entry.file_name()), bytes)?;
            }
        }
        let old = parent.join(format!(".{name}.old-{}", std::process::id()));
        fs::rename(folder, &old)?;
        fs::rename(&fresh, folder)?;
        return fs::remove_dir_all(&old);
    }
    fs::rename(&fresh, folder)
}

pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fresh = path.with_file_name(format!(".{name}.new-{}", std::process::id()));
    // Somebody may have put a link there that leads elsewhere; a new file is never written through one.
    let _ = fs::remove_file(&fresh);
    let file = fs::OpenOptions::new().write(true).create_new(true).open(&fresh);
    let written = file.and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

/// The same for a file that the user names. A link leads to the file that is meant, and what is no file (a terminal, a
/// pipe, `/dev/null`) is written to: it must not be replaced by one.
pub fn write_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => fs::OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Ok(_) => write_whole(&fs::canonicalize(path)?, bytes),
        Err(_) => write_whole(path, bytes),
    }
}

fn append_line(path: &Path, line: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
    let before = file.metadata()?.len();
    let written = file.write_all(&bytes);
    if written.is_err() {
        // Half a line would spoil the next one.
        let _ = file.set_len(before);
    }
    written
}

/// The meta.json of a finding's folder, if it is one.
pub fn read_meta(folder: &Path) -> Option<Meta> {
    serde_json::from_slice(&outside::read(&folder.join(META_FILE)).ok()?).ok()
}

/// The case of a finding's folder, or of a case file itself.
pub fn read_case(path: &Path) -> Result<Case, Fault> {
    let in_folder = path.is_dir();
    let file = if in_folder { path.join(CASE_FILE) } else { path.to_path_buf() };
    let shown = escape::line(&file.display().to_string());
    let text = if in_folder { outside::read(&file) } else { outside::read_named(&file) };
    let text = text
        .map_err(|e| Fault::usage(format!("cannot read '{shown}': {e}; give a finding's folder or its {CASE_FILE}")))?;
    let unclear = |e: serde_json::Error| Fault::usage(format!("'{shown}' is not a case: {e}"));
    let json: serde_json::Value = serde_json::from_slice(&text).map_err(unclear)?;
    match json.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format == u64::from(CASE_FORMAT) => {}
        Some(format) if format > u64::from(CASE_FORMAT) => {
            let text =
                format!("'{shown}' has format {format}, this qualm reads formats up to {CASE_FORMAT}; use a newer one");
            return Err(Fault::usage(text));
        }
        _ => return Err(Fault::usage(format!("'{shown}' is not a case: its 'format' is missing or unknown"))),
    }
    serde_json::from_value(json).map_err(unclear)
}

#[cfg(test)]
mod tests;
