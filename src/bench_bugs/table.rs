//! The table that `qualm bench bugs` prints.

use super::corpus::Skipped;
use super::{Row, Totals};
use std::fmt::Write;

pub fn heading() -> String {
    format!("{:<40} {:<9} {:<9} {:>6}  {}\n", "bug", "buggy", "fixed", "s", "oracles that fire")
}

pub fn row(row: &Row) -> String {
    let id: String = row.id.chars().take(40).collect();
    let mut said: Vec<String> = row.fires.iter().map(|(oracle, how)| format!("{oracle} ({how})")).collect();
    if said.is_empty() {
        said.push("-".into());
    }
    let mut out = format!("{id:<40} {:<9} {:<9} {:>6.2}  {}\n", row.buggy, row.fixed, row.seconds, said.join(", "));
    let mut note = |text: String| {
        let _ = writeln!(out, "{:>68}  {}", "", qualm_run::report::one_line(&text));
    };
    if !row.reproduced {
        note("the releases do not behave as the corpus says".into());
    }
    if let Some(why) = &row.refused {
        note(format!("refused: {why}"));
    }
    for (oracle, how) in &row.fires_on_fixed {
        note(format!("also on {}: {oracle} ({how})", row.fixed));
    }
    if let Some(hunt) = &row.hunt {
        let (all, like, same) = (hunt.findings, hunt.like_it, hunt.same_range);
        note(format!("hunt: {all} findings, {like} gone in {}, {same} with the same range of releases", row.fixed));
    }
    out
}

pub fn end(totals: &Totals, skipped: &[Skipped]) -> String {
    let mut out = String::new();
    for s in skipped {
        let _ = writeln!(out, "{:<40} skipped: {}", s.id, s.why);
    }
    let share = |n: usize| format!("{n} of {} ({:.0} %)", totals.bugs, 100.0 * n as f64 / totals.bugs.max(1) as f64);
    let _ = writeln!(out, "exposed: {}", share(totals.exposed));
    let _ = writeln!(out, "exposed without knobs: {}", share(totals.exposed_without_knobs));
    for (oracle, n) in &totals.per_oracle {
        let _ = writeln!(out, "  {oracle}: {n}");
    }
    if let Some(found) = totals.found_by_hunting {
        let _ = writeln!(out, "a finding that is gone in the fixed release: {}", share(found));
        let same = totals.found_with_same_range.unwrap_or_default();
        let _ = writeln!(out, "a finding that affects exactly the releases with the bug: {}", share(same));
    }
    out
}
