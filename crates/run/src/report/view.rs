//! What the page shows, as plain data: read from the folders of campaigns, findings and trophies, put into words, cut
//! to what is shown. The page's script turns it into elements and knows no more.

use super::claim;
use super::collect::{self, TROPHY_FILE};
use super::sides::sides;
use super::{Meta, REPORT_FILE, Stored, counted, one_line, script_name};
use crate::affected::Rung;
use crate::fingerprint::Kind;
use crate::history::{self, Bug, Cache, History, database::iso};
use crate::series::{self, Began, Point};
use crate::store::{self, CAMPAIGN_FILE, DUPLICATES_FILE};
use qualm_core::dialect::datalog::Form;
use qualm_core::escape;
use qualm_core::knobs;
use qualm_core::outside;
use qualm_core::relation::Verdict;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Version of the data, for who takes it from `qualm serve`.
pub const FORMAT: u32 = 1;

#[derive(Serialize)]
pub struct Data {
    pub format: u32,
    pub made_by: String,
    /// The page is served while something may still change.
    pub live: bool,
    pub campaigns: Vec<CampaignView>,
    pub findings: Vec<FindingView>,
    /// Folders that could not be read.
    pub unread: Vec<String>,
}

#[derive(Serialize)]
pub struct CampaignView {
    pub name: String,
    pub began: Option<Began>,
    pub points: Vec<Point>,
    /// `campaign.json`, once it is there.
    pub summary: Option<serde_json::Value>,
    /// Where the next point begins in the file.
    #[serde(skip)]
    pub bytes: u64,
}

#[derive(Serialize)]
pub struct FindingView {
    pub id: String,
    /// Changes when the folder does.
    pub stamp: String,
    /// The campaign's name; empty for a finding that stands alone.
    pub campaign: String,
    pub engine: String,
    pub version: String,
    pub kind: &'static str,
    pub kind_words: &'static str,
    pub title: String,
    pub oracle: String,
    pub rules: Vec<String>,
    pub features: Vec<String>,
    pub fingerprint: String,
    pub expected: String,
    pub actual: String,
    /// How the language begins a comment.
    pub comment: &'static str,
    /// One side for a claim that compares nothing, otherwise two.
    pub sides: Vec<SideView>,
    pub times: Option<Times>,
    pub settings: Vec<String>,
    pub cures: Vec<String>,
    pub affected: Option<AffectedView>,
    pub facts: Vec<(String, String)>,
    pub seen: u64,
    /// What all hunts together say about it; nothing for a trophy.
    pub history: Option<HistoryView>,
    /// What a person types.
    pub replay: String,
    /// The script for the engine's own shell, and its file.
    pub script: String,
    #[serde(skip)]
    pub script_file: String,
    /// `report.md`, where that is all there is.
    pub report: Option<String>,
    pub trophy: Option<Trophy>,
}

/// A bug over all hunts, dates as ISO 8601 in UTC.
#[derive(Serialize)]
pub struct HistoryView {
    pub product: String,
    pub status: &'static str,
    pub fixed_in: Option<String>,
    pub first_seen: String,
    pub last_seen: String,
    pub hunts: usize,
    pub quiet: usize,
    pub oracles: Vec<String>,
    pub versions: Vec<String>,
    pub builds: Vec<String>,
    pub events: Vec<EventView>,
    pub life: Vec<(String, &'static str)>,
}

#[derive(Serialize)]
pub struct EventView {
    pub at: String,
    pub hunt: String,
    pub version: String,
    pub what: &'static str,
    /// The bug was there.
    pub shown: bool,
    pub oracle: String,
    pub seen: u64,
    pub folder: String,
}

impl HistoryView {
    fn of(bug: &Bug) -> HistoryView {
        let event = |e: &history::Event| EventView {
            at: iso(e.at),
            hunt: e.hunt.clone(),
            version: e.version.clone(),
            what: e.what.words(),
            shown: e.what != history::What::Gone,
            oracle: e.oracle.clone(),
            seen: e.seen,
            folder: e.folder.clone(),
        };
        HistoryView {
            product: bug.product.clone(),
            status: bug.status.words(),
            fixed_in: bug.fixed_in.clone(),
            first_seen: iso(bug.first_seen),
            last_seen: iso(bug.last_seen),
            hunts: bug.hunts,
            quiet: bug.quiet,
            oracles: bug.oracles.clone(),
            versions: bug.versions.clone(),
            builds: bug.builds.clone(),
            events: bug.events.iter().map(event).collect(),
            life: bug.life.clone(),
        }
    }
}

#[derive(Serialize)]
pub struct SideView {
    pub name: String,
    pub lines: Vec<Line>,
    pub answers: Vec<AnswerView>,
    pub plans: Vec<PlanView>,
}

#[derive(Serialize)]
pub struct Line {
    pub text: String,
    /// The label of a question.
    pub ask: Option<String>,
}

#[derive(Serialize)]
pub struct AnswerView {
    pub label: String,
    pub words: String,
    pub columns: usize,
    pub rows: Vec<RowView>,
    /// Rows that are left out.
    pub more: usize,
    /// An error, a crash, a hang.
    pub failed: bool,
}

#[derive(Serialize)]
pub struct RowView {
    pub cells: Vec<String>,
    /// `extra`: only here; `missing`: only on the other side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<&'static str>,
}

#[derive(Serialize)]
pub struct PlanView {
    pub label: String,
    pub lines: Vec<String>,
}

#[derive(Serialize)]
pub struct Times {
    pub base_ms: Vec<f64>,
    pub weak_ms: Vec<f64>,
    /// What the engine counts, where it counts its work.
    pub unit: String,
    /// Both sides on more and more data, in that unit.
    pub curve: Vec<qualm_core::slowness::Point>,
}

#[derive(Serialize)]
pub struct AffectedView {
    pub sentences: Vec<String>,
    /// Release, and what it does: `shows`, `right` or `unknown`; and the words.
    pub rungs: Vec<(String, &'static str, String)>,
}

/// `trophies/NAME/trophy.json`: what was found, where, and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trophy {
    pub title: String,
    pub engine: String,
    pub versions: String,
    /// found, known, reported, confirmed or fixed.
    pub status: String,
    /// The report upstream; empty as long as there is none.
    pub link: String,
    /// The oracle.
    pub found_by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// How it was found, made small and searched for upstream, which is nothing for a report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
}

/// What a person pastes or runs, by the engine's own client; the first that a trophy has.
pub const TROPHY_SCRIPTS: [&str; 8] = [
    "repro.sql",
    "repro.smt2",
    "repro.dl",
    "program-1.cozo",
    "repro.mg",
    "repro.cypher",
    "repro.redis",
    "repro.groovy",
];

/// All that the folders hold, one finding per bug.
pub fn data(found: &collect::Found, live: bool) -> Data {
    data_of(&history::read(found, &mut Cache::default()), found, live)
}

/// The same where the history was read already.
pub fn data_of(history: &History, found: &collect::Found, live: bool) -> Data {
    let campaigns: Vec<CampaignView> = found.campaigns.iter().map(|c| campaign(c)).collect();
    let mut data = Data {
        format: FORMAT,
        made_by: format!("qualm {}", env!("CARGO_PKG_VERSION")),
        live,
        campaigns,
        findings: Vec::new(),
        unread: history.unread.iter().map(|f| f.display().to_string()).collect(),
    };
    for bug in &history.bugs {
        match merged(bug) {
            Some(view) => data.findings.push(view),
            None => data.unread.extend(bug.folders().map(|(folder, _)| folder.display().to_string())),
        }
    }
    for folder in found.single.iter().filter(|f| f.join(TROPHY_FILE).exists()) {
        match finding(folder, "") {
            Some(view) => data.findings.push(view),
            None => data.unread.push(folder.display().to_string()),
        }
    }
    data
}

/// A bug as its newest finding that can be read shows it.
pub fn merged(bug: &Bug) -> Option<FindingView> {
    let mut view = bug.folders().find_map(|(folder, campaign)| finding(folder, campaign))?;
    view.id = bug.id();
    view.stamp.clone_from(&bug.stamp);
    view.seen = bug.seen;
    view.history = Some(HistoryView::of(bug));
    Some(view)
}

pub fn campaign(folder: &Path) -> CampaignView {
    let read = series::read(folder);
    let summary = outside::read(&folder.join(CAMPAIGN_FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    CampaignView {
        name: folder.display().to_string(),
        began: read.began,
        points: read.points,
        summary,
        bytes: read.bytes,
    }
}

/// Changes whenever a file of the folder that the page shows does.
pub fn stamp(folder: &Path) -> String {
    stamp_of(folder, &[super::META_FILE, DUPLICATES_FILE, TROPHY_FILE])
}

pub fn stamp_of(folder: &Path, files: &[&str]) -> String {
    let of = |name: &str| {
        let meta = fs::metadata(folder.join(name)).ok()?;
        let at = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{:x}.{:x}", at.as_millis(), meta.len()))
    };
    files.iter().filter_map(|name| of(name)).collect::<Vec<_>>().join("-")
}

/// A finding's or a trophy's folder; nothing when it cannot be read, which a folder that is just written may be.
pub fn finding(folder: &Path, campaign: &str) -> Option<FindingView> {
    if let Ok(text) = outside::read(&folder.join(TROPHY_FILE)) {
        return trophy(folder, serde_json::from_slice(&text).ok()?);
    }
    let case = store::read_case(folder).ok()?;
    let meta = store::read_meta(folder)?;
    let stored = Stored::read(folder);
    let evidence = stored.as_ref().map(|s| &s.evidence);
    let script = outside::read_text(&folder.join(script_name(&case))).unwrap_or_default();
    let report = stored.is_none().then(|| outside::read_text(&folder.join(REPORT_FILE)).unwrap_or_default());
    let times = match evidence.map(|e| &e.verdict) {
        Some(Verdict::Slower(s)) => Some(Times {
            base_ms: s.base_ms.clone(),
            weak_ms: s.weak_ms.clone(),
            unit: s.counted.as_ref().map(|c| c.unit.clone()).unwrap_or_default(),
            curve: s.curve.clone(),
        }),
        _ => None,
    };
    let (sides, expected) = (sides(&case, stored.as_ref()), claim::expected(&case));
    Some(FindingView {
        id: folder.display().to_string(),
        stamp: stamp(folder),
        campaign: campaign.into(),
        kind: meta.kind.name(),
        kind_words: meta.kind.words(),
        expected,
        actual: evidence.map(|e| claim::actual(&case, e)).unwrap_or_default(),
        comment: case.language.style().comment(Form::Souffle),
        sides,
        times,
        settings: knobs::of_case(&case).iter().map(|f| one_line(&f.words())).collect(),
        affected: meta.affected.as_ref().map(affected),
        facts: facts(&meta),
        seen: 1 + duplicates(folder),
        history: None,
        replay: format!("qualm replay {}", escape::shell(&folder.display().to_string())),
        script,
        script_file: folder.join(script_name(&case)).display().to_string(),
        report,
        trophy: None,
        engine: meta.engine,
        version: meta.version,
        title: meta.title,
        oracle: meta.oracle,
        rules: meta.rules,
        features: meta.features,
        fingerprint: meta.fingerprint,
        cures: meta.cures,
    })
}

fn trophy(folder: &Path, trophy: Trophy) -> Option<FindingView> {
    let files = TROPHY_SCRIPTS.map(|name| folder.join(name));
    let file = files.iter().find(|f| f.is_file()).cloned().unwrap_or_else(|| folder.join(REPORT_FILE));
    let script = files.contains(&file).then(|| outside::read_text(&file).unwrap_or_default());
    let facts = [
        ("releases", &trophy.versions),
        ("found by", &trophy.found_by),
        ("status", &trophy.status),
        ("notes", &trophy.notes),
    ];
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    Some(FindingView {
        id: folder.display().to_string(),
        stamp: stamp(folder),
        campaign: String::new(),
        engine: trophy.engine.clone(),
        version: trophy.engine.clone(),
        kind: trophy.kind.map_or("trophy", Kind::name),
        kind_words: trophy.kind.map_or("Bug", Kind::words),
        title: trophy.title.clone(),
        oracle: String::new(),
        rules: Vec::new(),
        features: Vec::new(),
        fingerprint: String::new(),
        expected: String::new(),
        actual: String::new(),
        comment: "--",
        sides: Vec::new(),
        times: None,
        settings: Vec::new(),
        cures: Vec::new(),
        affected: None,
        facts: facts.map(|(name, value)| ((*name).to_owned(), (*value).clone())).collect(),
        seen: 1,
        history: None,
        replay: String::new(),
        script: script.unwrap_or_default(),
        script_file: file.display().to_string(),
        report: outside::read_text(&folder.join(REPORT_FILE)).ok(),
        trophy: Some(trophy),
    })
}

pub fn duplicates(folder: &Path) -> u64 {
    outside::read(&folder.join(DUPLICATES_FILE)).map_or(0, |t| t.iter().filter(|b| **b == b'\n').count() as u64)
}

fn facts(meta: &Meta) -> Vec<(String, String)> {
    let rules = if meta.rules.is_empty() { String::new() } else { format!(" ({})", meta.rules.join(", ")) };
    let mut facts = vec![
        ("engine".to_owned(), format!("{} ({})", meta.version, meta.engine)),
        ("oracle".to_owned(), format!("{}{rules}", meta.oracle)),
        ("fingerprint".to_owned(), meta.fingerprint.clone()),
    ];
    if let Some(r) = &meta.reduction {
        let before = counted(r.statements_before, "statement");
        facts.push(("reduced".into(), format!("from {before} to {} in {} attempts", r.statements_after, r.attempts)));
    }
    let sentences = meta.generality.iter().flat_map(|g| g.sentences(super::markdown::as_well(meta.kind)));
    facts.extend(sentences.map(|sentence| ("variation".to_owned(), sentence.replace('`', ""))));
    let o = meta.origin;
    facts.push((
        "origin".into(),
        format!("seed {}, worker {}, database {}, check {}", o.seed, o.worker, o.database, { o.check }),
    ));
    facts.extend(meta.found.iter().map(|f| ("found".into(), f.clone())));
    facts
}

fn affected(affected: &crate::affected::Affected) -> AffectedView {
    let rung = |r: &Rung| (r.release.clone(), history::stand_name(&r.stand), one_line(&r.stand.words()));
    let rungs = affected.rungs.iter().map(rung);
    AffectedView { sentences: affected.sentences(), rungs: rungs.collect() }
}
