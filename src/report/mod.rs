//! A finding and the files of its folder: `case.json` (the case as data), `report.md` (for a person), `repro.sql` (to
//! be pasted into the engine's own shell) and `meta.json` (for tools). The same finding gives the same bytes.
//!
//! It knows words for relations and verdicts and how each language writes a comment. It runs nothing.

mod claim;
mod markdown;
mod script;

use crate::case::{Case, Evidence, Language, Origin};
use crate::fingerprint::{Fingerprint, Kind};
use crate::plan::Plan;
use crate::reduce::ReductionStats;
use serde::Serialize;
use std::path::Path;

pub use markdown::markdown;
pub use script::script;

/// Version of `meta.json`; raised when a reader of the old form would misunderstand the new one.
pub const META_FORMAT: u32 = 1;

/// Rows of one answer that are written out; the rest is counted.
pub const SHOWN_ROWS: usize = 20;

#[derive(Clone, Debug)]
pub struct Finding {
    pub title: String,
    /// The engine as the user named it.
    pub engine: String,
    /// What the engine calls itself.
    pub version: String,
    pub case: Case,
    pub evidence: Evidence,
    /// Settings that make the trouble vanish.
    pub cures: Vec<String>,
    pub fingerprint: Fingerprint,
    /// How the engine went about each question, by its label, where that is known.
    pub plans: Vec<(String, Plan)>,
    pub reduction: Option<ReductionStats>,
    /// When it was found, if the caller wants that in the files.
    pub found: Option<String>,
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
        Finding {
            title: fingerprint.title.clone(),
            engine: engine.into(),
            version: version.into(),
            case,
            evidence,
            cures,
            fingerprint,
            plans: Vec::new(),
            reduction: None,
            found: None,
        }
    }
}

/// Writes the files into a folder that exists.
pub fn write(folder: &Path, finding: &Finding) -> std::io::Result<()> {
    let mut case = serde_json::to_string_pretty(&finding.case)?;
    case.push('\n');
    std::fs::write(folder.join("case.json"), case)?;
    std::fs::write(folder.join("report.md"), markdown(finding))?;
    std::fs::write(folder.join(script_name(finding.case.language)), script(finding))?;
    std::fs::write(folder.join("meta.json"), meta(finding)?)
}

/// The file that a person pastes into the engine's shell.
pub fn script_name(language: Language) -> &'static str {
    match language {
        Language::Sql => "repro.sql",
        Language::Datalog => "repro.dl",
        Language::Graph => "repro.cypher",
    }
}

#[derive(Serialize)]
struct Meta<'a> {
    format: u32,
    fingerprint: &'a str,
    title: &'a str,
    kind: Kind,
    oracle: &'a str,
    rules: &'a [String],
    language: Language,
    engine: &'a str,
    version: &'a str,
    cures: &'a [String],
    features: Vec<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    signature: &'a str,
    statements: usize,
    questions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduction: Option<ReductionStats>,
    origin: Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'a str>,
}

pub fn meta(finding: &Finding) -> serde_json::Result<String> {
    let print = &finding.fingerprint;
    let mut text = serde_json::to_string_pretty(&Meta {
        format: META_FORMAT,
        fingerprint: &print.id,
        title: &finding.title,
        kind: print.kind,
        oracle: &finding.case.oracle,
        rules: &finding.case.rules,
        language: finding.case.language,
        engine: &finding.engine,
        version: &finding.version,
        cures: &finding.cures,
        features: print.features.iter().map(String::as_str).collect(),
        signature: &print.signature,
        statements: finding.case.script.len(),
        questions: finding.case.asks().count(),
        reduction: finding.reduction,
        origin: finding.case.origin,
        found: finding.found.as_deref(),
    })?;
    text.push('\n');
    Ok(text)
}

/// A text on one line: what would break a comment or a table row is written as an escape.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
