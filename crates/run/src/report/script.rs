//! `repro.sql` and its kin: the script as the engine's own shell takes it, with comments that say what is expected and
//! what comes.

use super::claim;
use super::markdown::outcome_in_words;
use super::{Finding, SHOWN_ROWS, one_line, programs};
use crate::fingerprint::{SWITCHED, WRITTEN_OUT};
use qualm_core::knobs;
use qualm_core::session::{OTHER, Outcome};
use std::fmt::Write;

pub fn script(finding: &Finding) -> String {
    let case = &finding.case;
    let style = case.language.style();
    let (comment, end) = (style.comment(finding.datalog), style.end);
    let mut out = String::new();
    let mut say = |text: &str| {
        let _ = writeln!(out, "{comment} {}", one_line(text));
    };
    say(&finding.title);
    say(&format!("engine: {}", finding.version));
    say(&format!("oracle: {}", case.oracle));
    say(&format!("expected: {}", claim::expected(case)));
    say(&format!("actual: {}", claim::actual(case, &finding.evidence)));
    let flips: Vec<String> = knobs::of_case(case).iter().map(knobs::Flip::words).collect();
    if !flips.is_empty() {
        say(&format!("settings: {}", flips.join(", ")));
    }
    let (switches, others): (Vec<_>, Vec<_>) = finding.cures.iter().cloned().partition(|c| c.starts_with(SWITCHED));
    if !switches.is_empty() {
        say(&format!("goes away with: {}", switches.join(", ").replace(SWITCHED, "")));
    }
    if !others.is_empty() {
        say(&format!("goes away without: {}", others.join(", ").replace(WRITTEN_OUT, "")));
    }
    let programs = programs(finding);
    if !programs.is_empty() {
        let names: Vec<String> = programs.into_iter().map(|(name, _)| name).collect();
        say(&format!("run one by one; also in the files {}", names.join(", ")));
    }
    out.push('\n');
    for line in &finding.preamble {
        let _ = writeln!(out, "{line}{end}");
    }
    let mut query = 0;
    for step in &case.script {
        if let Some(label) = &step.label {
            let _ = writeln!(out, "\n{comment} {}", one_line(label));
        }
        // What another release answers to the same query is said below it.
        if !step.text.starts_with(OTHER) {
            let end = if needs_no_end(&step.text) { "" } else { end };
            let _ = writeln!(out, "{}{end}", step.text);
        }
        if step.is_query() {
            if let Some(outcome) = finding.evidence.answers.get(query) {
                answer(&mut out, comment, outcome);
            }
            query += 1;
        }
    }
    out
}

/// Commands of a shell, and statements that bring their own end.
pub fn needs_no_end(text: &str) -> bool {
    text.starts_with('.') || text.trim_end().ends_with(';')
}

fn answer(out: &mut String, comment: &str, outcome: &Outcome) {
    let _ = writeln!(out, "{comment} actual: {}", outcome_in_words(outcome));
    let Outcome::Rows(rows) = outcome else { return };
    for row in rows.iter().take(SHOWN_ROWS) {
        let cells: Vec<String> = row.iter().map(|v| one_line(&v.show())).collect();
        let _ = writeln!(out, "{comment}   {}", cells.join(", "));
    }
    if rows.len() > SHOWN_ROWS {
        let _ = writeln!(out, "{comment}   … and {} more", rows.len() - SHOWN_ROWS);
    }
}
