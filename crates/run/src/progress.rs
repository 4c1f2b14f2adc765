//! What a person sees while a campaign runs, and at its end. All of it goes to stderr except the final summary, so that
//! stdout stays free for `--json`.

use crate::campaign::Budget;
use crate::figures::{Figures, FoundLine, Summary, ratio};
use crate::report::counted;
use crate::triage::{Fate, Queue, Stored};
use qualm_core::counters::MetAt;
use qualm_core::escape;
use qualm_core::explore::{GrownTally, InputTally};
use qualm_core::fault::shortened;
use qualm_core::knobs::Choice;
use qualm_core::limits::{DRAW_INTERVAL_MS, PLAIN_INTERVAL_MS};
use qualm_host::console::{self, Paint};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

pub struct Progress {
    quiet: bool,
    terminal: bool,
    drawn: Option<Instant>,
    /// A line is on the screen that the next one replaces.
    open_line: bool,
}

impl Progress {
    pub fn new() -> Progress {
        Progress { quiet: false, terminal: console::is_watched(), drawn: None, open_line: false }
    }

    /// Shows nothing at all.
    pub fn quiet() -> Progress {
        Progress { quiet: true, ..Progress::new() }
    }

    /// One line that stays.
    pub fn say(&mut self, text: &str) {
        if self.quiet {
            return;
        }
        let clear = if self.open_line { "\r\x1b[2K" } else { "" };
        self.open_line = false;
        errln!("{clear}{}", escape::line(text));
    }

    /// The same with its first words in colour, where there are colours.
    fn say_painted(&mut self, paint: Paint, begin: &str, text: &str) {
        if self.quiet {
            return;
        }
        let clear = if self.open_line { "\r\x1b[2K" } else { "" };
        self.open_line = false;
        errln!("{clear}{} {}", console::painted_err(paint, begin), escape::line(text));
    }

    /// Called often; draws only now and then.
    pub fn show(&mut self, figures: &Figures, queue: &Queue) {
        self.announce(queue.news());
        let interval = Duration::from_millis(if self.terminal { DRAW_INTERVAL_MS } else { PLAIN_INTERVAL_MS });
        let last = *self.drawn.get_or_insert_with(Instant::now);
        if self.quiet || last.elapsed() < interval {
            return;
        }
        self.drawn = Some(Instant::now());
        let line = status_line(figures, queue);
        if !self.terminal {
            self.say(&line);
            return;
        }
        let shown: String = line.chars().take(console::columns().saturating_sub(1)).collect();
        err!("\r\x1b[2K{shown}");
        self.open_line = true;
    }

    /// Clears the live line and prints what was stored at the last moment.
    pub fn show_last(&mut self, queue: &Queue) {
        self.announce(queue.news());
        if self.open_line {
            err!("\r\x1b[2K");
            self.open_line = false;
        }
    }

    fn announce(&mut self, news: Vec<Stored>) {
        for Stored { title, folder, statements } in news {
            let statements = counted(statements, "statement");
            let text = format!("{title} ({statements}) in {}", folder.display());
            self.say_painted(Paint::Bad, "found:", &text);
        }
    }
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::new()
    }
}

fn status_line(figures: &Figures, queue: &Queue) -> String {
    let part = figures.total(queue);
    let (total, checks, seconds) = (part.tally(), part.checks(), figures.hunt_seconds());
    let left = match figures.budget {
        _ if !figures.hunting() => {
            let left = queue.time_left().map(|t| format!(", {} left", show_seconds(t.as_secs_f64())));
            format!("triage, {} to go{}", queue.waiting(), left.unwrap_or_default())
        }
        Budget::Seconds(all) => format!("{} left", show_seconds((all - seconds).max(0.0))),
        Budget::Input => format!("{} queries", grouped(total.input.queries)),
        Budget::Checks(all) => format!("{} checks left", all.saturating_sub(checks)),
    };
    format!(
        "{left} · {} checks · {:.0}/s · {} · {:.0} % vacuous · {:.0} % rejected · {} plans",
        grouped(checks),
        ratio(checks as f64, seconds),
        counted(part.counts.findings as usize, "finding"),
        100.0 * ratio(total.vacuous as f64, total.checks as f64),
        100.0 * ratio(total.rejected as f64, total.statements as f64),
        grouped(figures.distinct_plans() as u64),
    )
}

fn show_seconds(seconds: f64) -> String {
    let whole = seconds.ceil() as u64;
    if whole < 120 { format!("{whole} s") } else { format!("{} min {:02} s", whole / 60, whole % 60) }
}

/// 1234567 as 1,234,567.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The end of a hunt on one line.
pub fn line_text(s: &Summary) -> String {
    let engine = format!("{} ({})", s.engine, s.engine_version);
    let text =
        format!("{} in {engine}, {} checks, findings in {}", what_came(s), grouped(s.checks), s.folder.display());
    escape::line(&text)
}

/// The end of a hunt, for people.
pub fn summary_text(s: &Summary) -> String {
    let mut out = String::new();
    let what = what_came(s);
    let triage = match s.triage_seconds >= SHOWN_TRIAGE_SECONDS {
        true => format!(" and {} of triage", show_seconds(s.triage_seconds)),
        false => String::new(),
    };
    let seen = format!("{} of hunting{triage}", show_seconds(s.seconds));
    let engine = escape::line(&format!("{} ({})", s.engine, s.engine_version));
    let _ = writeln!(out, "\n{what} in {engine}, {seen} with {}", counted(s.workers, "worker"));
    s.found.iter().for_each(|found| found_rows(&mut out, found));
    let _ = writeln!(out);
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<12}{}", escape::line(&value));
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    row(
        "checks",
        format!(
            "{} ({:.0} per CPU second, {} in the engine)",
            grouped(s.checks),
            s.checks_per_cpu_s,
            percent(s.engine_share)
        ),
    );
    row("vacuous", percent(s.vacuous_share));
    row("rejected", format!("{} of {} statements", percent(s.rejected_share), grouped(s.statements)));
    if s.rejected_share > MANY_REJECTED {
        s.rejections.iter().take(REASONS_SHOWN).for_each(|(why, times)| row("", format!("  {times}× {why}")));
    }
    row("plans", format!("{} distinct, in {} databases", grouped(s.distinct_plans as u64), grouped(s.databases)));
    if s.edges > 0 {
        row("code", format!("{} edges of the engine's code reached", grouped(s.edges)));
    }
    s.input.iter().for_each(|input| input_rows(&mut row, input));
    s.grown.iter().for_each(|grown| grown_rows(&mut row, grown, s.cpu_seconds));
    if s.plan_pairs > 0 {
        let how = if s.config == Choice::Random { "settings picked at random" } else { "settings picked by the plan" };
        let (pairs, per) = (grouped(s.plan_pairs as u64), s.pairs_per_1000_checks);
        let changed = percent(s.plan_changed_share);
        row("plan pairs", format!("{pairs} distinct, {per:.0} per 1,000 checks, {changed} changed ({how})"));
    }
    outcome_rows(&mut row, s);
    if !s.learned_off.is_empty() {
        row("unsupported", s.learned_off.join(", "));
    }
    row("seed", s.seed.to_string());
    row("folder", s.folder.display().to_string());
    for known in &s.known {
        let reason = known.reason.as_deref().unwrap_or_default();
        let line = format!("{} [{}, seen {}×] {reason}", known.title, known.fingerprint, known.seen);
        let _ = writeln!(out, "  known: {}", escape::line(&line));
    }
    for fault in &s.faults {
        let _ = writeln!(out, "  error: {}", escape::line(&shortened(fault)));
    }
    out
}

fn found_rows(out: &mut String, found: &FoundLine) {
    let _ = writeln!(out, "  {} [{}, seen {}×]", escape::line(&found.title), found.oracle, found.seen);
    if let Some(folder) = &found.folder {
        let _ = writeln!(out, "    qualm replay {}", escape::shell(&folder.display().to_string()));
    }
}

/// What became of the violations, and how workers ended.
fn outcome_rows(row: &mut impl FnMut(&str, String), s: &Summary) {
    let counts = &s.counts;
    if counts.violations > 0 {
        row("violations", format!("{}, all accounted for:", counts.violations));
    }
    let fates = Fate::ALL.iter().map(|fate| (fate.name(), counts.of(*fate), fate.note()));
    for (name, count, note) in fates.chain(s.deaths.rows()) {
        if count > 0 {
            row(name, format!("{count}{}{note}", if note.is_empty() { "" } else { "  " }));
        }
    }
}

/// Findings in a word. What was confirmed and not reduced is there too; what was not confirmed is none.
fn what_came(s: &Summary) -> String {
    let counts = &s.counts;
    match (counts.findings, counts.pending) {
        (0, 0) if counts.flaky + counts.unconfirmed > 0 => "nothing confirmed".to_owned(),
        (0, 0) => "nothing found".to_owned(),
        (0, n) => format!("{n} confirmed, not reduced yet"),
        (all, 0) => counted(all as usize, "finding"),
        (all, n) => format!("{}, {n} more not reduced yet", counted(all as usize, "finding")),
    }
}

/// Programs that grew rule by rule.
fn grown_rows(row: &mut impl FnMut(&str, String), g: &GrownTally, cpu_seconds: f64) {
    let (cases, valid, full) = (grouped(g.cases), grouped(g.valid), grouped(g.non_empty));
    row("grown", format!("{cases} test cases, {valid} of them valid, {full} of those not empty"));
    let (runs, alone) = (g.references + g.optimised, grouped(g.references));
    let per = runs as f64 / cpu_seconds.max(1e-9);
    row("runs", format!("{} ({per:.0} per CPU second), {alone} of single rules", grouped(runs)));
}

/// What became of the statements of others.
fn input_rows(row: &mut impl FnMut(&str, String), input: &InputTally) {
    let changes = if input.changes > 0 { format!(", {} changes", grouped(input.changes)) } else { String::new() };
    row(
        "queries",
        format!("{}{changes}; {} rejected; {} skipped", grouped(input.queries), input.refused, input.left_out),
    );
    let unread: u64 = input.unread.values().map(|met| met.0).sum();
    if input.left_out > unread && input.changes == 0 {
        row(
            "",
            "  what is no query is skipped: --run-all runs it, --setup runs a script before the queries".to_owned(),
        );
    }
    reasons(row, "unreadable", "queries", &input.unread);
    reasons(row, "", "changes unreadable, whose tables are unknown then", &input.unread_changes);
    reasons(row, "uncompared", "queries", &input.undetermined);
}

/// How many, and the most frequent reasons with the line where each came first.
fn reasons(row: &mut impl FnMut(&str, String), name: &str, what: &str, reasons: &BTreeMap<String, MetAt>) {
    let all: u64 = reasons.values().map(|met| met.0).sum();
    if all == 0 {
        return;
    }
    row(name, format!("{} {what}", grouped(all)));
    let mut sorted: Vec<(&String, &MetAt)> = reasons.iter().collect();
    sorted.sort_by_key(|(why, MetAt(count, _))| (std::cmp::Reverse(*count), why.as_str()));
    for (why, MetAt(count, line)) in sorted.into_iter().take(REASONS_SHOWN) {
        row("", format!("  {count}×, first in line {line}: {why}"));
    }
}

const REASONS_SHOWN: usize = 5;

/// Above this share of rejected statements, somebody wants to know why.
const MANY_REJECTED: f64 = 0.1;

/// Less is not worth a word.
const SHOWN_TRIAGE_SECONDS: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([show_seconds(0.2), show_seconds(61.0), show_seconds(600.0)], ["1 s", "61 s", "10 min 00 s"]);
    }
}
