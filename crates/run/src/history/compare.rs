//! Two hunts, or all hunts of two engine versions, side by side: which bugs only one of them has, and their figures.

use super::{Bug, History, Hunt, What};
use crate::figures::ratio;
use crate::progress::grouped;
use qualm_core::escape;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

#[derive(Serialize)]
pub struct Comparison<'a> {
    pub a: Side,
    pub b: Side,
    pub only_a: Vec<Shown<'a>>,
    pub only_b: Vec<Shown<'a>>,
    pub both: Vec<Shown<'a>>,
}

/// The figures of some hunts together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    pub name: String,
    pub versions: Vec<String>,
    pub hunts: usize,
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub checks: u64,
    pub checks_per_second: f64,
    pub statements: u64,
    pub databases: u64,
    /// Plans of different hunts may be the same, so that they are not added up.
    pub most_plans: u64,
    pub vacuous_share: f64,
    pub rejected_share: f64,
    pub bugs: usize,
}

#[derive(Serialize)]
pub struct Shown<'a> {
    pub title: &'a str,
    pub fingerprint: &'a str,
    pub product: &'a str,
    pub oracles: &'a [String],
    /// How often each side saw it.
    pub seen: (u64, u64),
}

/// `a` and `b` are names of hunts in the history.
pub fn compare<'a>(history: &'a History, a: (&str, &[String]), b: (&str, &[String])) -> Comparison<'a> {
    let mut result = Comparison {
        a: side(history, a.0, a.1),
        b: side(history, b.0, b.1),
        only_a: Vec::new(),
        only_b: Vec::new(),
        both: Vec::new(),
    };
    for bug in &history.bugs {
        let seen = (seen_in(bug, a.1), seen_in(bug, b.1));
        let list = match seen {
            (0, 0) => continue,
            (_, 0) => &mut result.only_a,
            (0, _) => &mut result.only_b,
            _ => &mut result.both,
        };
        list.push(Shown {
            title: &bug.title,
            fingerprint: &bug.fingerprint,
            product: &bug.product,
            oracles: &bug.oracles,
            seen,
        });
    }
    result
}

fn seen_in(bug: &Bug, hunts: &[String]) -> u64 {
    let here = bug.events.iter().filter(|e| e.what != What::Gone && hunts.contains(&e.hunt));
    here.map(|e| e.seen.max(1)).sum()
}

fn side(history: &History, name: &str, names: &[String]) -> Side {
    let hunts: Vec<&Hunt> = history.hunts.iter().filter(|h| names.contains(&h.name)).collect();
    let sum = |value: &dyn Fn(&Hunt) -> f64| hunts.iter().map(|h| value(h)).sum::<f64>();
    let count = |value: &dyn Fn(&Hunt) -> u64| hunts.iter().map(|h| value(h)).sum::<u64>();
    let (seconds, checks, statements) = (sum(&|h| h.seconds), count(&|h| h.checks), count(&|h| h.statements));
    let versions: BTreeSet<&str> = hunts.iter().map(|h| h.version.as_str()).filter(|v| !v.is_empty()).collect();
    Side {
        name: name.to_owned(),
        versions: versions.into_iter().map(str::to_owned).collect(),
        hunts: hunts.len(),
        seconds,
        cpu_seconds: sum(&|h| h.cpu_seconds),
        checks,
        checks_per_second: ratio(checks as f64, seconds),
        statements,
        databases: count(&|h| h.databases),
        most_plans: hunts.iter().map(|h| h.plans).max().unwrap_or(0),
        vacuous_share: ratio(sum(&|h| h.vacuous_share * h.checks as f64), checks as f64),
        rejected_share: ratio(sum(&|h| h.rejected_share * h.statements as f64), statements as f64),
        bugs: history.bugs.iter().filter(|bug| seen_in(bug, names) > 0).count(),
    }
}

impl Comparison<'_> {
    /// For people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut row = |name: &str, value: &dyn Fn(&Side) -> String| {
            let _ = writeln!(out, "{name:<20}{:>20}{:>20}", value(&self.a), value(&self.b));
        };
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        row("", &|s| cut(&s.name));
        row("engine", &|s| cut(&s.versions.join(", ")));
        row("hunts", &|s| s.hunts.to_string());
        row("bugs", &|s| s.bugs.to_string());
        row("seconds", &|s| grouped(s.seconds.round() as u64));
        row("CPU seconds", &|s| grouped(s.cpu_seconds.round() as u64));
        row("checks", &|s| grouped(s.checks));
        row("checks per second", &|s| grouped(s.checks_per_second.round() as u64));
        row("statements", &|s| grouped(s.statements));
        row("databases", &|s| grouped(s.databases));
        row("plans, most", &|s| grouped(s.most_plans));
        row("vacuous", &|s| percent(s.vacuous_share));
        row("rejected", &|s| percent(s.rejected_share));
        let mut list = |head: String, bugs: &[Shown]| {
            let _ = writeln!(out, "\n{head}: {}", bugs.len());
            for bug in bugs {
                let oracles = bug.oracles.join(", ");
                let seen = bug.seen.0 + bug.seen.1;
                let line = format!("  {} [{}] {oracles}, seen {seen}×", bug.title, bug.fingerprint);
                let _ = writeln!(out, "{}", escape::line(&line));
            }
        };
        list(format!("only in {}", escape::line(&self.a.name)), &self.only_a);
        list(format!("only in {}", escape::line(&self.b.name)), &self.only_b);
        list("in both".to_owned(), &self.both);
        out
    }
}

/// Longest name of a column; of a path, its end says more.
const NAME_CHARS: usize = 18;

fn cut(name: &str) -> String {
    let name = escape::line(name);
    let chars = name.chars().count();
    if chars <= NAME_CHARS {
        return name;
    }
    format!("…{}", name.chars().skip(chars + 1 - NAME_CHARS).collect::<String>())
}
