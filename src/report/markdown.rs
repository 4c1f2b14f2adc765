//! `report.md`: what a person reads, and what can be pasted into a bug tracker.

use super::claim::{self, Side};
use super::{Finding, SHOWN_ROWS, counted, message, one_line};
use crate::affected::Affected;
use crate::case::Language;
use crate::fingerprint::{SWITCHED, WRITTEN_OUT};
use crate::knobs;
use crate::relation::{Difference, Verdict};
use crate::session::Outcome;
use crate::value::{Rows, Value};
use std::fmt::Write;

pub fn markdown(finding: &Finding) -> String {
    let mut out = String::new();
    let case = &finding.case;
    let _ = writeln!(out, "# {}\n", one_line(&finding.title));
    let _ = writeln!(out, "{} {}\n", claim::expected(case), claim::came(case, &finding.evidence));
    statements(&mut out, finding);
    answers(&mut out, finding);
    times(&mut out, finding);
    about(&mut out, finding);
    plans(&mut out, finding);
    if let Some(a) = &finding.affected {
        out.push_str(&affected(a));
    }
    let _ = writeln!(out, "{REPLAY_HEADING}\n\n```\nqualm replay FOLDER\n```\n");
    let _ = writeln!(out, "FOLDER is the folder of this report. Exit code 1: still there, 0: gone.");
    out
}

const AFFECTED_HEADING: &str = "## Affected releases";
const REPLAY_HEADING: &str = "## Replay";

fn affected(affected: &Affected) -> String {
    format!("{AFFECTED_HEADING}\n\n{}\n\n{}\n", affected.sentences().join(" "), affected.lists())
}

/// A report with the section on releases put in, or put in the place of the one it has.
pub fn with_affected(report: &str, now: &Affected) -> String {
    // The last ones: what stands above is the finding's own text and may hold anything.
    let end = report.rfind(REPLAY_HEADING).unwrap_or(report.len());
    let heading = format!("\n{AFFECTED_HEADING}\n");
    let start = report[..end].rfind(&heading).map_or(end, |at| at + 1);
    format!("{}{}{}", &report[..start], affected(now), &report[end..])
}

fn statements(out: &mut String, finding: &Finding) {
    let (name, comment, end) = match finding.case.language {
        Language::Sql => ("sql", "--", ";"),
        Language::Datalog => ("prolog", "//", ""),
        Language::Graph => ("cypher", "//", ";"),
    };
    let mut block = String::new();
    for line in &finding.preamble {
        let _ = writeln!(block, "{line}{end}");
    }
    for step in &finding.case.script {
        if let Some(label) = &step.ask {
            let _ = writeln!(block, "{comment} {}", one_line(label));
        }
        let end = if super::script::needs_no_end(&step.text) { "" } else { end };
        let _ = writeln!(block, "{}{end}", step.text);
    }
    fenced(out, name, &block);
}

/// A fence longer than any run of backticks inside.
fn fenced(out: &mut String, name: &str, block: &str) {
    let mut fence = "```".to_string();
    while block.contains(&fence) {
        fence.push('`');
    }
    let _ = writeln!(out, "{fence}{name}\n{}\n{fence}\n", block.trim_end());
}

// ---------------------------------------------------------------- answers

fn answers(out: &mut String, finding: &Finding) {
    let empty = Difference::default();
    let difference = match &finding.evidence.verdict {
        Verdict::Violated(d) => d,
        _ => &empty,
    };
    if finding.evidence.answers.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Answers\n");
    for (ask, outcome) in finding.evidence.answers.iter().enumerate() {
        let label = claim::label(&finding.case, ask);
        let marked = match claim::side(&finding.case.claim, ask) {
            Side::Left => Some(&difference.only_left),
            Side::Right => Some(&difference.only_right),
            Side::Neither => None,
        };
        match outcome {
            Outcome::Rows(rows) => {
                let _ = writeln!(out, "`{label}`: {}\n", counted(rows.len(), "row"));
                table(out, rows, marked);
            }
            other => {
                let _ = writeln!(out, "`{label}`: {}\n", outcome_in_words(other));
            }
        }
    }
}

pub fn outcome_in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Rows(rows) => counted(rows.len(), "row"),
        Outcome::Done => "done".into(),
        Outcome::Rejected(r) => format!("error: {}", message(&r.text)),
        Outcome::Crash(how) => format!("crash: {}", message(how)),
        Outcome::Hang(ms) => format!("no answer within {ms} ms"),
    }
}

/// Rows with a mark at those that stand on this side only. A row that comes three times and is missed once is marked
/// once.
fn table(out: &mut String, rows: &Rows, marked: Option<&Rows>) {
    if rows.is_empty() {
        return;
    }
    let mut left: Vec<&[Value]> = marked.map(|m| m.iter().collect()).unwrap_or_default();
    let anything = !left.is_empty();
    let header: Vec<String> = (1..=rows.columns).map(|i| i.to_string()).collect();
    let mark_column = if anything { "  |" } else { "" };
    let _ = writeln!(out, "| {} |{mark_column}", header.join(" | "));
    let _ = writeln!(out, "|{}{}", " --- |".repeat(rows.columns), if anything { " --- |" } else { "" });
    for row in rows.iter().take(SHOWN_ROWS) {
        let at = left.iter().position(|m| shown(m) == shown(row));
        if let Some(at) = at {
            left.remove(at);
        }
        let mark = match (anything, at.is_some()) {
            (true, true) => " only here |",
            (true, false) => "  |",
            _ => "",
        };
        let _ = writeln!(out, "| {} |{mark}", shown(row).join(" | "));
    }
    if rows.len() > SHOWN_ROWS {
        let _ = writeln!(out, "\n… and {} more", rows.len() - SHOWN_ROWS);
    }
    out.push('\n');
}

fn shown(row: &[Value]) -> Vec<String> {
    row.iter().map(|v| one_line(&v.show()).replace('|', "\\|")).collect()
}

fn times(out: &mut String, finding: &Finding) {
    let Verdict::Slower(s) = &finding.evidence.verdict else { return };
    let (base, weak) = claim::sides(&finding.case);
    let list = |ms: &[f64]| ms.iter().map(|t| format!("{t:.1}")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "## Times\n\nIn milliseconds, taken in turns.\n");
    let _ = writeln!(out, "- {base}: {} (median {:.1})", list(&s.base_ms), s.base());
    let _ = writeln!(out, "- {weak}: {} (median {:.1})\n", list(&s.weak_ms), s.weak());
}

// ---------------------------------------------------------------- engine and plans

fn about(out: &mut String, finding: &Finding) {
    let case = &finding.case;
    let _ = writeln!(out, "## Engine\n");
    let _ = writeln!(out, "- engine: {} (`{}`)", one_line(&finding.version), one_line(&finding.engine));
    let (longer, rest): (Vec<&String>, Vec<&String>) = finding.cures.iter().partition(|c| c.starts_with(WRITTEN_OUT));
    let (switches, settings): (Vec<&String>, Vec<&String>) = rest.into_iter().partition(|c| c.starts_with(SWITCHED));
    let listed = |cures: &[&String], strip: &str| {
        let shown = cures.iter().map(|c| format!("`{}`", one_line(c.strip_prefix(strip).unwrap_or(c))));
        shown.collect::<Vec<_>>().join(", ")
    };
    let settings = if settings.is_empty() { "none known".into() } else { listed(&settings, "") };
    let _ = writeln!(out, "- settings that make it vanish when turned off: {settings}");
    if !switches.is_empty() {
        let _ = writeln!(out, "- vanishes with the switch: {}", listed(&switches, SWITCHED));
    }
    if !longer.is_empty() {
        let _ = writeln!(out, "- vanishes when written out at greater length: {}", listed(&longer, WRITTEN_OUT));
    }
    let flips: Vec<String> = knobs::of_case(case).iter().map(|f| format!("`{}`", one_line(&f.words()))).collect();
    if !flips.is_empty() {
        let _ = writeln!(out, "- settings: {}", flips.join(", "));
    }
    let rules = if case.rules.is_empty() { String::new() } else { format!(" ({})", case.rules.join(", ")) };
    let _ = writeln!(out, "- oracle: {}{rules}", case.oracle);
    let _ = writeln!(out, "- fingerprint: `{}`", finding.fingerprint.id);
    if let Some(r) = &finding.reduction {
        let before = counted(r.statements_before, "statement");
        let _ = writeln!(out, "- reduced from {before} to {} in {} attempts", r.statements_after, r.attempts);
    }
    if let Some(found) = &finding.found {
        let _ = writeln!(out, "- found: {}", one_line(found));
    }
    out.push('\n');
}

fn plans(out: &mut String, finding: &Finding) {
    if finding.plans.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Plans\n");
    for (label, plan) in &finding.plans {
        let _ = writeln!(out, "`{}`\n", one_line(label));
        let line = |n: &crate::plan::PlanNode| format!("{}{}\n", "  ".repeat(n.depth.into()), one_line(&n.operator));
        fenced(out, "", &plan.nodes.iter().map(line).collect::<String>());
    }
}
