//! What the page shows, as plain data: read from the folders of campaigns, findings and trophies, put into words, cut
//! to what is shown. The page's script turns it into elements and knows no more.

use super::claim::{self, Naming, Side};
use super::collect::{self, TROPHY_FILE};
use super::markdown::outcome_in_words;
use super::script::needs_no_end;
use super::{Meta, REPORT_FILE, SHOWN_ROWS, Stored, counted, one_line, script_name};
use crate::fingerprint::Kind;
use crate::series::{self, Began, Point};
use crate::store::{self, CAMPAIGN_FILE, DUPLICATES_FILE};
use qualm_core::case::Case;
use qualm_core::dialect::datalog::Form;
use qualm_core::escape;
use qualm_core::knobs;
use qualm_core::outside;
use qualm_core::plan::Plan;
use qualm_core::relation::{Difference, Relation, Verdict};
use qualm_core::session::Outcome;
use qualm_core::value::{Rows, Value};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Version of the data, for who takes it from `qualm serve`.
pub const FORMAT: u32 = 1;

/// Rows of one answer on the page: the first, and beyond them only those that are on one side alone.
const ROWS_BEYOND: usize = 20;
/// Longer cells are cut.
const CELL_CHARS: usize = 400;

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
pub const TROPHY_SCRIPTS: [&str; 7] =
    ["repro.sql", "repro.smt2", "program-1.cozo", "repro.mg", "repro.cypher", "repro.redis", "repro.groovy"];

/// All that the folders hold.
pub fn data(found: &collect::Found, live: bool) -> Data {
    let campaigns: Vec<CampaignView> = found.campaigns.iter().map(|c| campaign(c)).collect();
    let mut data = Data {
        format: FORMAT,
        made_by: format!("qualm {}", env!("CARGO_PKG_VERSION")),
        live,
        campaigns,
        findings: Vec::new(),
        unread: Vec::new(),
    };
    let mut add = |folder: &Path, campaign: &str| match finding(folder, campaign) {
        Some(view) => data.findings.push(view),
        None => data.unread.push(folder.display().to_string()),
    };
    for campaign in &found.campaigns {
        let name = campaign.display().to_string();
        collect::findings_of(campaign).iter().for_each(|f| add(f, &name));
    }
    found.single.iter().for_each(|f| add(f, ""));
    data
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
    let of = |name: &str| {
        let meta = fs::metadata(folder.join(name)).ok()?;
        let at = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{:x}.{:x}", at.as_millis(), meta.len()))
    };
    let files = [super::META_FILE, DUPLICATES_FILE, TROPHY_FILE];
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
        Some(Verdict::Slower(s)) => Some(Times { base_ms: s.base_ms.clone(), weak_ms: s.weak_ms.clone() }),
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
    let o = meta.origin;
    facts.push((
        "origin".into(),
        format!("seed {}, worker {}, database {}, check {}", o.seed, o.worker, o.database, { o.check }),
    ));
    facts.extend(meta.found.iter().map(|f| ("found".into(), f.clone())));
    facts
}

fn affected(affected: &crate::affected::Affected) -> AffectedView {
    use crate::affected::Stand;
    let stand = |s: &Stand| match s {
        Stand::Shows => "shows",
        Stand::Right => "right",
        Stand::Breaks(_) => "breaks",
        Stand::NotApplicable(_) | Stand::Unreachable(_) => "unknown",
    };
    let rungs = affected.rungs.iter().map(|r| (r.release.clone(), stand(&r.stand), one_line(&r.stand.words())));
    AffectedView { sentences: affected.sentences(), rungs: rungs.collect() }
}

// ---------------------------------------------------------------- two scripts and their answers

/// As the page puts questions beside each other: also the two of a claim about a count.
fn side_of(claim: &Relation, query: usize) -> Side {
    match claim.unguarded() {
        Relation::CountIs { rows, .. } if query == *rows => Side::Left,
        Relation::CountIs { count, .. } if query == *count => Side::Right,
        _ => claim::side(claim, query),
    }
}

fn sides(case: &Case, stored: Option<&Stored>) -> Vec<SideView> {
    if matches!(case.claim, Relation::Survives) {
        let all = |_: usize| Side::Left;
        return vec![one_side(case, stored, Side::Left, &all, "the script".into())];
    }
    let of = |query: usize| side_of(&case.claim, query);
    let (left, right) = claim::sides(case, Naming::Labels);
    let name = |text: String| text.replace('`', "");
    vec![one_side(case, stored, Side::Left, &of, name(left)), one_side(case, stored, Side::Right, &of, name(right))]
}

/// One column of the page: what builds the state and comes before the side's last question, what is asked in between
/// for neither side, and the side's own questions.
fn one_side(
    case: &Case,
    stored: Option<&Stored>,
    side: Side,
    side_of: &dyn Fn(usize) -> Side,
    name: String,
) -> SideView {
    let end = case.language.style().end;
    let closed = |text: &str| format!("{text}{}", if needs_no_end(text) { "" } else { end });
    let mut lines: Vec<Line> = stored
        .map(|s| s.preamble.iter().map(|text| Line { text: closed(text), ask: None }).collect())
        .unwrap_or_default();
    let mut view = SideView { name, lines: Vec::new(), answers: Vec::new(), plans: Vec::new() };
    let (mut query, mut whole) = (0, 0);
    for step in &case.script {
        let Some(label) = &step.label else {
            lines.push(Line { text: closed(&step.text), ask: None });
            continue;
        };
        let of = side_of(query);
        if of == side || of == Side::Neither {
            lines.push(Line { text: closed(&step.text), ask: Some(label.clone()) });
        }
        if of == side {
            whole = lines.len();
            view.answers.extend(stored.and_then(|s| answer(case, s, query, side, label)));
            let plan = stored.and_then(|s| s.plans.iter().find(|(l, _)| l == label));
            view.plans.extend(plan.map(|(label, plan)| PlanView { label: label.clone(), lines: plan_lines(plan) }));
        }
        query += 1;
    }
    // What comes behind the last question of this side is for the other one.
    lines.truncate(whole);
    view.lines = lines;
    view
}

fn plan_lines(plan: &Plan) -> Vec<String> {
    let line = |n: &qualm_core::plan::PlanNode| {
        let relation = n.relation.as_ref().map(|r| format!(" {r}")).unwrap_or_default();
        let index = n.index.as_ref().map(|i| format!(" by {i}")).unwrap_or_default();
        one_line(&format!("{}{}{relation}{index}", "  ".repeat(n.depth.into()), n.operator))
    };
    plan.nodes.iter().map(line).collect()
}

fn answer(case: &Case, stored: &Stored, query: usize, side: Side, label: &str) -> Option<AnswerView> {
    let outcome = stored.evidence.answers.get(query)?;
    let words = outcome_in_words(outcome);
    let mut view = AnswerView { label: label.into(), words, columns: 0, rows: Vec::new(), more: 0, failed: false };
    let Outcome::Rows(rows) = outcome else {
        view.failed = !matches!(outcome, Outcome::Done);
        return Some(view);
    };
    let none = Difference::default();
    let difference = match &stored.evidence.verdict {
        Verdict::Violated(d) if !matches!(case.claim.unguarded(), Relation::CountIs { .. }) => d,
        _ => &none,
    };
    let (extra, missing) = match side {
        Side::Left => (&difference.only_left, &difference.only_right),
        _ => (&difference.only_right, &difference.only_left),
    };
    // Of several parts nobody can say in which one a row is missing; and a whole of which only some rows remain has the
    // others as well.
    let vague = match case.claim.unguarded() {
        Relation::Partition { .. } => side == Side::Right,
        Relation::Filtered { .. } => side == Side::Left,
        _ => false,
    };
    view.columns = rows.columns;
    fill(&mut view, rows, extra, if vague { None } else { Some(missing) });
    Some(view)
}

fn fill(view: &mut AnswerView, rows: &Rows, extra: &Rows, missing: Option<&Rows>) {
    let mut left: Vec<Vec<String>> = extra.iter().map(shown).collect();
    for (i, row) in rows.iter().enumerate() {
        let cells = shown(row);
        let at = left.iter().position(|m| *m == cells);
        if let Some(at) = at {
            left.remove(at);
        }
        if i < SHOWN_ROWS || at.is_some() && view.rows.len() < SHOWN_ROWS + ROWS_BEYOND {
            view.rows.push(RowView { cells, mark: at.map(|_| "extra") });
        } else {
            view.more += 1;
        }
    }
    for row in missing.into_iter().flat_map(Rows::iter) {
        view.columns = view.columns.max(row.len());
        view.rows.push(RowView { cells: shown(row), mark: Some("missing") });
    }
}

fn shown(row: &[Value]) -> Vec<String> {
    let cell = |v: &Value| {
        let text = one_line(&v.show());
        match text.char_indices().nth(CELL_CHARS) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    };
    row.iter().map(cell).collect()
}
