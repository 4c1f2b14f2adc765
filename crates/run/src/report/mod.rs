//! A finding and the files of its folder: `case.json` (the case as data), `report.md` (for a person), `repro.sql` (to
//! be pasted into the engine's own shell), `meta.json` (for tools) and `evidence.json` (answers and plans as data, for
//! the page). The same finding gives the same bytes.
//!
//! It knows words for relations and verdicts and how each language writes a comment. It runs nothing. `page.rs` and its
//! kin make one page of the folders of campaigns and of trophies.

mod claim;
mod client;
pub mod collect;
mod generality;
mod markdown;
pub mod page;
mod plain;
mod script;
mod sides;
pub mod view;

use crate::affected::Affected;
use crate::fingerprint::{Fingerprint, Kind};
use qualm_core::case::{Case, Evidence, Language, Origin};
use qualm_core::dialect::datalog::{self, Form};
use qualm_core::outside;
use qualm_core::plan::Plan;
use qualm_engines::url::shown;
use qualm_lang::oracle;
use qualm_lang::reduce::ReductionStats;
use serde::{Deserialize, Serialize};
use std::path::Path;

pub use generality::Generality;
pub use markdown::markdown;
pub use plain::session_file;
pub use qualm_core::escape::line as one_line;
pub use script::script;

/// Version of `meta.json`; raised when a reader of the old form would misunderstand the new one.
pub const META_FORMAT: u32 = 1;

pub const META_FILE: &str = "meta.json";
pub const EVIDENCE_FILE: &str = "evidence.json";
pub const REPORT_FILE: &str = "report.md";

/// Version of `evidence.json`.
pub const EVIDENCE_FORMAT: u32 = 1;

/// Rows of one answer that are written out; the rest is counted.
pub const SHOWN_ROWS: usize = 20;

/// Characters of an engine's message that are shown.
const SHOWN_CHARS: usize = 300;

#[derive(Clone, Debug)]
pub struct Finding {
    pub title: String,
    /// The engine as the user named it, without a password.
    pub engine: String,
    /// What the engine calls itself.
    pub version: String,
    pub case: Case,
    pub evidence: Evidence,
    /// Settings that make the failure vanish.
    pub cures: Vec<String>,
    /// For cures that are settings: the name, and the statement that was tried.
    pub remedies: Vec<(String, String)>,
    pub fingerprint: Fingerprint,
    /// What may vary in the case, where that was tried.
    pub general: Option<Generality>,
    /// How the engine went about each question, by its label, where that is known.
    pub plans: Vec<(String, Plan)>,
    pub reduction: Option<ReductionStats>,
    /// In which releases it shows, where a ladder was climbed.
    pub affected: Option<Affected>,
    /// When it was found, if the caller wants that in the files.
    pub found: Option<String>,
    /// What a person's shell must run before the script, so that it answers as our session did.
    pub preamble: Vec<String>,
    /// How programs are written, if it is a case of Datalog.
    pub datalog: Form,
    /// The case as it was found, where it was reduced.
    pub unreduced: Option<Box<Case>>,
}

impl Finding {
    pub fn new(
        engine: &str,
        version: &str,
        case: Case,
        evidence: Evidence,
        cures: Vec<String>,
        fingerprint: Fingerprint,
    ) -> Finding {
        let datalog = datalog_form(&case);
        Finding {
            datalog,
            title: fingerprint.title.clone(),
            engine: shown(engine),
            version: version.into(),
            case,
            evidence,
            cures,
            remedies: Vec::new(),
            fingerprint,
            general: None,
            plans: Vec::new(),
            reduction: None,
            affected: None,
            found: None,
            preamble: Vec::new(),
            unreduced: None,
        }
    }
}

/// Writes the files into a folder that exists.
pub fn write(folder: &Path, finding: &Finding) -> std::io::Result<()> {
    files(finding)?.into_iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

/// The files by name.
pub fn files(finding: &Finding) -> std::io::Result<Vec<(String, String)>> {
    let mut case = serde_json::to_string_pretty(&finding.case)?;
    case.push('\n');
    let mut evidence = serde_json::to_string(&Stored::of(finding))?;
    evidence.push('\n');
    let named = [
        ("case.json", case),
        (REPORT_FILE, markdown(finding)),
        (script_name(&finding.case), script(finding)),
        (EVIDENCE_FILE, evidence),
        (META_FILE, meta(finding)?),
    ];
    let programs = programs(finding).into_iter().map(|(name, text)| (name, text.to_owned()));
    let unreduced = finding.unreduced.as_deref().map(|case| plain::unreduced_files(case, &finding.preamble));
    let unreduced = unreduced.transpose()?.unwrap_or_default();
    Ok(named.into_iter().map(|(name, text)| (name.to_owned(), text)).chain(programs).chain(unreduced).collect())
}

/// `evidence.json`: what came, as data. A case can be run again; what it gave that day cannot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stored {
    pub format: u32,
    pub evidence: Evidence,
    #[serde(default)]
    pub plans: Vec<(String, Plan)>,
    #[serde(default)]
    pub preamble: Vec<String>,
}

impl Stored {
    fn of(finding: &Finding) -> Stored {
        Stored {
            format: EVIDENCE_FORMAT,
            evidence: finding.evidence.clone(),
            plans: finding.plans.clone(),
            preamble: finding.preamble.clone(),
        }
    }

    /// Nothing for a folder that was written before there was such a file.
    pub fn read(folder: &Path) -> Option<Stored> {
        let stored: Stored = serde_json::from_slice(&outside::read(&folder.join(EVIDENCE_FILE)).ok()?).ok()?;
        (stored.format <= EVIDENCE_FORMAT).then_some(stored)
    }
}

/// The file that a person pastes into the engine's shell.
pub fn script_name(case: &Case) -> &'static str {
    let style = case.language.style();
    style.traversals.filter(|_| is_gremlin(case)).unwrap_or(style.script)
}

/// A traversal, whatever the dialect is called.
fn is_gremlin(case: &Case) -> bool {
    case.queries().any(|query| query.text.starts_with("g."))
}

/// The dialect that the case's tree is written in; empty where a case has no tree.
fn dialect_name(case: &Case) -> &str {
    case.source.as_ref().and_then(|s| s.get("dialect")).and_then(|d| d.as_str()).unwrap_or_default()
}

/// The dialect that the case's tree is written in; Soufflé's where nothing says which.
fn datalog_form(case: &Case) -> Form {
    datalog::find(dialect_name(case)).map_or(Form::Souffle, |d| d.form)
}

/// Each program of a Datalog case as a file of its own, for engines take one at a time.
fn programs(finding: &Finding) -> Vec<(String, &str)> {
    let queries = finding.case.queries().filter(|_| finding.case.language.style().stands_alone);
    let end = finding.datalog.ending();
    queries.enumerate().map(|(i, step)| (format!("program-{}.{end}", i + 1), step.text.as_str())).collect()
}

/// `meta.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Meta {
    pub format: u32,
    /// Which release of this tool wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub made_by: String,
    pub fingerprint: String,
    /// By which it was known before fingerprints left out what may vary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older_fingerprints: Vec<String>,
    pub title: String,
    pub kind: Kind,
    pub oracle: String,
    pub rules: Vec<String>,
    pub language: Language,
    pub engine: String,
    pub version: String,
    pub cures: Vec<String>,
    pub features: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generality: Option<Generality>,
    pub statements: usize,
    pub questions: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affected: Option<Affected>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionStats>,
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

pub fn meta(finding: &Finding) -> serde_json::Result<String> {
    let print = &finding.fingerprint;
    Meta {
        format: META_FORMAT,
        made_by: format!("qualm {}", env!("CARGO_PKG_VERSION")),
        fingerprint: print.id.clone(),
        older_fingerprints: print.ids().filter(|id| *id != print.id).map(str::to_owned).collect(),
        title: finding.title.clone(),
        kind: print.kind,
        oracle: finding.case.oracle.clone(),
        rules: finding.case.rules.clone(),
        language: finding.case.language,
        engine: finding.engine.clone(),
        version: finding.version.clone(),
        cures: finding.cures.clone(),
        features: print.features.iter().cloned().collect(),
        signature: print.signature.clone(),
        generality: finding.general.clone(),
        statements: finding.case.script.len(),
        questions: finding.case.queries().count(),
        affected: finding.affected.clone(),
        reduction: finding.reduction,
        origin: finding.case.origin,
        found: finding.found.clone(),
    }
    .text()
}

impl Meta {
    fn text(&self) -> serde_json::Result<String> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }
}

/// Fills what a ladder said into the files of a finding that is stored already.
pub fn write_affected(folder: &Path, mut meta: Meta, affected: &Affected) -> std::io::Result<()> {
    meta.affected = Some(affected.clone());
    let path = folder.join(REPORT_FILE);
    let report = markdown::with_affected(&outside::read_text(&path)?, affected);
    crate::store::write_whole(&path, report.as_bytes())?;
    crate::store::write_whole(&folder.join(META_FILE), meta.text()?.as_bytes())
}

/// Words that have no place in a report to maintainers, as far as a text has them: they are about how a bug was found.
/// Names of oracles are among them, unless they are everyday words of databases ("index", "partition").
pub fn foreign_words(text: &str) -> Vec<&'static str> {
    const OURS: &[&str] =
        &["cure", "cured", "fingerprint", "knob", "metamorphic", "mozi", "oracle", "qualm", "reduced by"];
    let text = text.to_lowercase();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let stands = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let after = text[at + word.len()..].strip_prefix('s').unwrap_or(&text[at + word.len()..]);
            !is_word(text[..at].chars().next_back()) && !is_word(after.chars().next())
        })
    };
    let oracles = oracle::all().into_iter().map(|o| o.name).filter(|name| !oracle::EVERYDAY_WORDS.contains(name));
    let mut found: Vec<&str> = OURS.iter().copied().chain(oracles).filter(|word| stands(word)).collect();
    found.sort_unstable();
    found
}

/// What an engine said, on one line. An engine that prints its whole plan is cut short; `evidence.json` has all of it.
pub fn message(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("{} … ({} characters more)", &text[..cut], text[cut..].chars().count()),
        None => text,
    }
}

pub use qualm_core::words::counted;

#[cfg(test)]
mod tests;
