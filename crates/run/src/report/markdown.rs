//! `report.md`: what the engine's maintainers read. It can be pasted into a bug tracker as it stands: title,
//! version, steps for the engine's own client, what is expected and what comes, plans, releases. Nothing in it is about
//! how the bug was found; that is in `meta.json`.

use super::claim::{self, Naming};
use super::client::{self, Client, Statements};
use super::sides::plan_step;
use super::{Finding, SHOWN_ROWS, counted, message, programs};
use crate::affected::Affected;
use crate::fingerprint::{self, Kind, SWITCHED, WRITTEN_OUT};
use qualm_core::case::Case;
use qualm_core::escape;
use qualm_core::relation::{Difference, Relation, Verdict};
use qualm_core::session::{OTHER, Outcome};
use qualm_core::slowness::Slowness;
use qualm_core::value::Rows;
use std::fmt::Write;

/// Lines of a stack or a message that are shown.
const SHOWN_LINES: usize = 40;

pub fn markdown(finding: &Finding) -> String {
    let case = &finding.case;
    let client = client::of(&finding.engine, case.language, super::is_gremlin(case));
    let mut out = String::new();
    let _ = writeln!(out, "# {}\n", escape::markdown(&title(finding)));
    let _ = writeln!(out, "## Version\n\n{}\n", escape::markdown(&client.version(&finding.version)));
    let _ = writeln!(out, "## Steps to reproduce\n");
    steps(&mut out, finding, client);
    let _ = writeln!(out, "## Expected\n\n{}\n", sentence(&claim::wanted(case)));
    actual(&mut out, finding, client);
    settings(&mut out, finding);
    variations(&mut out, finding);
    plans(&mut out, finding);
    if let Some(a) = &finding.affected {
        out.push_str(&affected(a));
    }
    format!("{}\n", out.trim_end())
}

const AFFECTED_HEADING: &str = "## Affected releases";
/// Reports of before ended with a section of this name.
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
    let before = report[..start].trim_end();
    format!("{}\n", format!("{before}\n\n{}{}", affected(now), &report[end..]).trim_end())
}

/// A tracker's title: what goes wrong, and with which features of the language.
fn title(finding: &Finding) -> String {
    let said = match &finding.evidence.verdict {
        Verdict::Broke { text, .. } => text.as_str(),
        _ => "",
    };
    let what = match finding.fingerprint.kind {
        Kind::WrongResult => "Wrong result".into(),
        Kind::Changed => "Changed result".into(),
        Kind::Slow => "Slow query".into(),
        Kind::Crash => "Crash".into(),
        Kind::Hang => "Hang".into(),
        Kind::OutOfMemory => "Out of memory".into(),
        Kind::InternalError => internal_error(said),
    };
    fingerprint::report_title(&what, &finding.fingerprint, finding.case.language)
}

/// The beginning of what the engine said, cut between words.
fn internal_error(said: &str) -> String {
    const CHARS: usize = 50;
    let line = said.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
    let mut words = String::new();
    for word in line.split_whitespace() {
        if words.chars().count() + word.chars().count() >= CHARS {
            words.push_str(" …");
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    if words.is_empty() { "Internal error".into() } else { format!("Internal error \"{words}\"") }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

// ---------------------------------------------------------------- steps

fn steps(out: &mut String, finding: &Finding, client: &Client) {
    match client.statements {
        Statements::Files => files(out, finding, client),
        Statements::Redis => commands(out, finding, client),
        Statements::Plain { comment } => {
            let both = if is_change(&finding.case) { ", in both releases" } else { "" };
            let _ = writeln!(out, "{}{both}:\n", client.how);
            block(out, client.block, &script(finding, client, comment));
        }
    }
}

fn block(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "{}", escape::block(name, text));
}

/// The whole script, each question under its number.
fn script(finding: &Finding, client: &Client, comment: &str) -> String {
    let ended = |text: &str| format!("{text}{}", if super::script::needs_no_end(text) { "" } else { ";" });
    let mut lines: Vec<String> = client.first.iter().map(|line| (*line).to_owned()).collect();
    lines.extend(finding.preamble.iter().map(|text| ended(text)));
    let mut query = 0;
    for step in finding.case.script.iter().filter(|step| !step.text.starts_with(OTHER)) {
        if step.is_query() {
            if compares(&finding.case) && !is_change(&finding.case) {
                lines.push(format!("{comment} {}", heading(&finding.case, query)));
            }
            query += 1;
        }
        lines.push(ended(&step.text));
    }
    lines.join("\n")
}

/// Whether two releases are compared: then the steps are for both of them.
fn is_change(case: &Case) -> bool {
    matches!(case.claim.unguarded(), Relation::Unchanged { .. })
}

/// Whether the report speaks of single questions.
fn compares(case: &Case) -> bool {
    case.claim != Relation::Survives
}

/// `query 1: with indexes and constraints`.
fn heading(case: &Case, query: usize) -> String {
    let name = claim::name(case, query, Naming::Numbers);
    match claim::remark(case, query) {
        Some(remark) => format!("{name}: {}", escape::line(&remark)),
        None => name,
    }
}

/// For redis-cli, which has no comments: the questions stand apart.
fn commands(out: &mut String, finding: &Finding, client: &Client) {
    let _ = writeln!(out, "{}:\n", client.how);
    let mut lines: Vec<String> = finding.preamble.iter().map(|text| client::redis(text)).collect();
    let mut query = 0;
    for step in &finding.case.script {
        if step.is_query() && compares(&finding.case) {
            flush(out, &mut lines);
            let _ = writeln!(out, "{}:\n", escape::markdown(&sentence(&heading(&finding.case, query))));
        }
        query += usize::from(step.is_query());
        lines.push(client::redis(&step.text));
        if step.is_query() && compares(&finding.case) {
            flush(out, &mut lines);
        }
    }
    flush(out, &mut lines);
}

fn flush(out: &mut String, lines: &mut Vec<String>) {
    if !lines.is_empty() {
        block(out, "", &lines.join("\n"));
        lines.clear();
    }
}

/// One program per file, and how it is run.
fn files(out: &mut String, finding: &Finding, client: &Client) {
    for (query, (file, text)) in programs(finding).into_iter().enumerate() {
        let run = match client.how {
            "" => ", run by itself".to_owned(),
            how => format!(", `{}`", how.replace("{}", &file)),
        };
        let what = escape::markdown(&sentence(&heading(&finding.case, query)));
        let _ = writeln!(out, "{what} (`{file}`{run}):\n");
        block(out, "", text);
    }
}

// ---------------------------------------------------------------- what comes

fn actual(out: &mut String, finding: &Finding, client: &Client) {
    let (case, evidence) = (&finding.case, &finding.evidence);
    let _ = writeln!(out, "## Actual\n");
    if let Verdict::Broke { text, .. } = &evidence.verdict {
        let _ = writeln!(out, "{}:\n", broke(finding));
        // Which of our processes saw it is nothing to a maintainer.
        let text = text.trim().trim_start_matches("the adapter ended: ");
        let lines: Vec<&str> = text.lines().take(SHOWN_LINES).collect();
        block(out, "", &lines.join("\n"));
        return;
    }
    let _ = writeln!(out, "{}\n", sentence(&claim::seen(case, evidence)));
    if let Verdict::Slower(s) = &evidence.verdict {
        let (base, weak) = claim::sides(case, Naming::Numbers);
        growth(out, s, &base, &weak);
        if s.base_ms.is_empty() {
            return;
        }
        let list = |ms: &[f64]| ms.iter().map(|t| format!("{t:.1}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "Milliseconds of each run, alternating:\n");
        let _ = writeln!(out, "- {base}: {} (median {:.1})", list(&s.base_ms), s.base());
        let _ = writeln!(out, "- {weak}: {} (median {:.1})\n", list(&s.weak_ms), s.weak());
        return;
    }
    for (query, outcome) in evidence.answers.iter().enumerate() {
        let name = sentence(&claim::name(case, query, Naming::Numbers));
        match outcome {
            Outcome::Rows(rows) if rows.is_empty() => {
                let _ = writeln!(out, "{name}: no rows\n");
            }
            Outcome::Rows(rows) => {
                let _ = writeln!(out, "{name}:\n");
                block(out, "", &printed(rows, client));
            }
            other => {
                let _ = writeln!(out, "{name}: {}\n", escape::markdown(&outcome_in_words(other)));
            }
        }
    }
    if let Verdict::Violated(d) = &evidence.verdict {
        differing(out, case, d, client);
    }
}

/// Counted work on more and more data.
fn growth(out: &mut String, s: &Slowness, base: &str, weak: &str) {
    let Some(counted) = s.counted.as_ref().filter(|_| !s.curve.is_empty()) else { return };
    let _ = writeln!(out, "The same script with more rows in each table ({}):\n", escape::markdown(&counted.unit));
    let _ = writeln!(out, "| rows | {} | {} | ratio |\n| ---: | ---: | ---: | ---: |", sentence(base), sentence(weak));
    for p in &s.curve {
        let ratio = p.base / p.weak.max(1.0);
        let _ = writeln!(out, "| {}x | {:.0} | {:.0} | {ratio:.1} |", p.times, p.base, p.weak);
    }
    out.push('\n');
}

fn broke(finding: &Finding) -> &'static str {
    match finding.fingerprint.kind {
        Kind::Crash => "The process crashes",
        Kind::Hang => "The last statement does not return",
        Kind::OutOfMemory => "The process runs out of memory",
        Kind::WrongResult | Kind::Changed | Kind::Slow | Kind::InternalError => {
            "The last statement returns an internal error"
        }
    }
}

fn printed(rows: &Rows, client: &Client) -> String {
    let mut lines: Vec<String> =
        rows.iter().take(SHOWN_ROWS).enumerate().map(|(i, row)| client.row(row, i + 1)).collect();
    if rows.len() > SHOWN_ROWS {
        lines.push(format!("… and {} more", rows.len() - SHOWN_ROWS));
    }
    lines.join("\n")
}

/// The rows that one side alone has, where the whole answers are too long to see it at once.
fn differing(out: &mut String, case: &Case, d: &Difference, client: &Client) {
    const SEEN_AT_ONCE: usize = 3;
    if d.left_rows.max(d.right_rows) <= SEEN_AT_ONCE {
        return;
    }
    let (left, right) = claim::sides(case, Naming::Numbers);
    for (name, rows) in [(left, &d.only_left), (right, &d.only_right)] {
        if !rows.is_empty() {
            let _ = writeln!(out, "Only in {name}:\n");
            block(out, "", &printed(rows, client));
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

// ---------------------------------------------------------------- settings and plans

/// What was tried and makes the failure go away.
fn settings(out: &mut String, finding: &Finding) {
    let right = match finding.fingerprint.kind {
        Kind::WrongResult | Kind::Changed => "the results agree",
        Kind::Slow => "it is fast",
        Kind::Crash => "nothing crashes",
        Kind::Hang => "it returns",
        Kind::OutOfMemory => "the memory is sufficient",
        Kind::InternalError => "there is no error",
    };
    let what = finding.case.language.style().question;
    let lines: Vec<String> = finding
        .cures
        .iter()
        .map(|cure| match (cure.strip_prefix(WRITTEN_OUT), cure.strip_prefix(SWITCHED)) {
            (Some(longer), _) => format!("- With {} written out in the {what}, {right}.", escape::markdown(longer)),
            (_, Some(switch)) => format!("- With {}, {right}.", escape::code(switch)),
            _ => match finding.remedies.iter().find(|(name, _)| name == cure) {
                // A mask does not say what it turns off.
                Some((name, set)) if !set.contains(name.as_str()) => {
                    format!("- With {} ({}) before the queries, {right}.", escape::code(set), escape::markdown(name))
                }
                Some((_, set)) => format!("- With {} before the queries, {right}.", escape::code(set)),
                None => format!("- With {} turned off, {right}.", escape::code(cure)),
            },
        })
        .collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "## Settings\n\n{}\n", lines.join("\n"));
    }
}

/// What may be something else and what may not: each was changed by itself.
fn variations(out: &mut String, finding: &Finding) {
    let Some(general) = &finding.general else { return };
    let lines: Vec<String> =
        general.sentences(as_well(finding.fingerprint.kind)).into_iter().map(|line| format!("- {line}")).collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "## What may vary\n\n{}\n", lines.join("\n"));
    }
}

/// What happens with something else in the case too.
pub fn as_well(kind: Kind) -> &'static str {
    match kind {
        Kind::WrongResult | Kind::Changed => "the results differ as well",
        Kind::Slow => "it is slow as well",
        Kind::Crash => "it crashes as well",
        Kind::Hang => "it does not return either",
        Kind::OutOfMemory => "the memory runs out as well",
        Kind::InternalError => "the error comes as well",
    }
}

fn plans(out: &mut String, finding: &Finding) {
    if finding.plans.is_empty() {
        return;
    }
    let _ = writeln!(out, "## Plans\n");
    for (label, plan) in &finding.plans {
        let query = finding.case.queries().position(|step| step.label.as_ref() == Some(label));
        let name = query.map_or_else(|| label.clone(), |query| claim::name(&finding.case, query, Naming::Numbers));
        let _ = writeln!(out, "{}:\n", escape::markdown(&sentence(&name)));
        block(out, "", &plan.nodes.iter().map(plan_line).collect::<Vec<_>>().join("\n"));
    }
}

fn plan_line(node: &qualm_core::plan::PlanNode) -> String {
    format!("{}{}", "  ".repeat(node.depth.into()), escape::line(&plan_step(node)))
}
