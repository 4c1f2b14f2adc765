//! In which releases of an engine a finding shows: plain data, and the words for it. How that is learned is in
//! `ladder.rs`.
//!
//! Bugs come and go, so there may be several ranges; and a release that does not take a statement of the case says
//! nothing about the bug, so that a range may begin or end within a gap. Both are said as they are.

use qualm_core::relation::FailureKind;
use qualm_core::version::by_number;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// One release and what the case did there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// The release's number.
    pub release: String,
    pub stand: Stand,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    Shows,
    Right,
    /// A statement of the case is rejected there: nothing is known.
    NotApplicable(String),
    /// There is a failure, but of another kind than the finding's.
    Breaks(FailureKind),
    /// The release could not be loaded or did not answer.
    Unreachable(String),
}

impl Stand {
    fn is_clear(&self) -> bool {
        matches!(self, Stand::Shows | Stand::Right)
    }

    pub fn words(&self) -> String {
        match self {
            Stand::Shows => "affected".into(),
            Stand::Right => "correct".into(),
            Stand::NotApplicable(why) => format!("not applicable: {why}"),
            Stand::Breaks(FailureKind::Crash) => "crashes".into(),
            Stand::Breaks(FailureKind::Hang) => "hangs".into(),
            Stand::Breaks(FailureKind::OutOfMemory) => "runs out of memory".into(),
            Stand::Breaks(FailureKind::InternalError) => "internal error".into(),
            Stand::Unreachable(why) => format!("not tried: {why}"),
        }
    }
}

/// What a ladder of releases says about a finding, the oldest release first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Affected {
    pub ranges: Vec<Range>,
    pub rungs: Vec<Rung>,
}

/// Releases one after the other that show it; those between them that cannot say do not end a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub first: String,
    pub last: String,
    /// The newest release before `first` that is right. Nothing when none before it can say.
    pub right_before: Option<String>,
    /// The oldest release after `last` that is right.
    pub right_after: Option<String>,
    /// No release lies between `right_before` and `first`: it came in with `first`.
    pub came_at_first: bool,
    /// The same at the other end.
    pub went_at_right_after: bool,
}

impl Affected {
    /// Takes the rungs in any order.
    pub fn of(mut rungs: Vec<Rung>) -> Affected {
        rungs.sort_by(|a, b| by_number(&a.release, &b.release));
        let mut ranges: Vec<Range> = Vec::new();
        let mut right: Option<usize> = None;
        let mut open: Option<usize> = None;
        for (i, rung) in rungs.iter().enumerate().filter(|(_, r)| r.stand.is_clear()) {
            let name = || rung.release.clone();
            match (&rung.stand, open) {
                (Stand::Shows, Some(_)) => {
                    ranges.last_mut().expect("a range is open").last = name();
                    open = Some(i);
                }
                (Stand::Shows, None) => {
                    ranges.push(Range {
                        first: name(),
                        last: name(),
                        right_before: right.map(|r| rungs[r].release.clone()),
                        right_after: None,
                        came_at_first: right.is_some_and(|r| r + 1 == i),
                        went_at_right_after: false,
                    });
                    open = Some(i);
                }
                (_, Some(last)) => {
                    let range = ranges.last_mut().expect("a range is open");
                    range.right_after = Some(name());
                    range.went_at_right_after = last + 1 == i;
                    (open, right) = (None, Some(i));
                }
                (_, None) => right = Some(i),
            }
        }
        Affected { ranges, rungs }
    }

    pub fn showing(&self) -> impl Iterator<Item = &str> {
        self.with(|s| *s == Stand::Shows)
    }

    pub fn is_anywhere(&self) -> bool {
        !self.ranges.is_empty()
    }

    fn with(&self, wanted: impl Fn(&Stand) -> bool) -> impl Iterator<Item = &str> {
        self.rungs.iter().filter(move |r| wanted(&r.stand)).map(|r| r.release.as_str())
    }

    /// The same releases show both, and some are right for both: without the latter the ladder says nothing.
    pub fn same_range(&self, other: &Affected) -> bool {
        let is_clear = |a: &Affected| a.is_anywhere() && a.with(|s| *s == Stand::Right).next().is_some();
        is_clear(self) && is_clear(other) && self.showing().eq(other.showing())
    }

    /// One sentence for each range.
    pub fn sentences(&self) -> Vec<String> {
        if self.ranges.is_empty() {
            return vec![match self.rungs.len() {
                0 => "No release was tried.".into(),
                n => format!("Does not reproduce on any of the {n} releases tried."),
            }];
        }
        self.ranges.iter().map(|r| self.sentence(r)).collect()
    }

    fn sentence(&self, range: &Range) -> String {
        let from = match &range.right_before {
            Some(right) if range.came_at_first => format!("introduced in {} (correct in {right})", range.first),
            Some(right) => format!("introduced after {right} and in {} at the latest", range.first),
            None if self.is_end(&range.first, true) => format!("in {}, the oldest release tried", range.first),
            None => format!("in {}, the oldest release tried with a clear result", range.first),
        };
        let to = match &range.right_after {
            Some(right) if range.went_at_right_after => format!("gone in {right}"),
            Some(right) => format!("gone after {} and in {right} at the latest", range.last),
            None if self.is_end(&range.last, false) => format!("still in {}, the newest release tried", range.last),
            None => format!("still in {}, the newest release tried with a clear result", range.last),
        };
        let from = from.strip_prefix("in ").map_or(from.clone(), |rest| format!("there in {rest}"));
        let mut text = format!("{from}, {to}.");
        text[..1].make_ascii_uppercase();
        text
    }

    fn is_end(&self, release: &str, oldest: bool) -> bool {
        let end = if oldest { self.rungs.first() } else { self.rungs.last() };
        end.is_some_and(|r| r.release == release)
    }

    /// The lists of releases behind the sentences, those without any left out.
    pub fn lists(&self) -> String {
        let mut out = String::new();
        let other = |s: &Stand| matches!(s, Stand::Breaks(_));
        let rows: [(&str, Vec<&str>); 5] = [
            ("affected", self.showing().collect()),
            ("correct", self.with(|s| *s == Stand::Right).collect()),
            ("fails in another way", self.with(other).collect()),
            ("not applicable", self.with(|s| matches!(s, Stand::NotApplicable(_))).collect()),
            ("not tried", self.with(|s| matches!(s, Stand::Unreachable(_))).collect()),
        ];
        for (name, releases) in rows.iter().filter(|(_, releases)| !releases.is_empty()) {
            let _ = writeln!(out, "- {name}: {}", releases.join(", "));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s` shows, `r` right, `n` not applicable, `c` crashes; releases 1.0, 1.1 …
    fn ladder(stands: &str) -> Affected {
        let rung = |(i, c): (usize, char)| Rung {
            release: format!("1.{i}"),
            stand: match c {
                's' => Stand::Shows,
                'r' => Stand::Right,
                'c' => Stand::Breaks(FailureKind::Crash),
                _ => Stand::NotApplicable("syntax".into()),
            },
        };
        let mut rungs: Vec<Rung> = stands.chars().enumerate().map(rung).collect();
        rungs.reverse();
        Affected::of(rungs)
    }

    #[test]
    fn ranges_in_words() {
        for (stands, said) in [
            ("rssr", "Introduced in 1.1 (correct in 1.0), gone in 1.3."),
            ("ss", "There in 1.0, the oldest release tried, still in 1.1, the newest release tried."),
            ("nsr", "There in 1.1, the oldest release tried with a clear result, gone in 1.2."),
            ("rnsncr", "Introduced after 1.0 and in 1.2 at the latest, gone after 1.2 and in 1.5 at the latest."),
            ("rsnn", "Introduced in 1.1 (correct in 1.0), still in 1.1, the newest release tried with a clear result."),
            ("rsnsr", "Introduced in 1.1 (correct in 1.0), gone in 1.4."),
            (
                "rsrs",
                "Introduced in 1.1 (correct in 1.0), gone in 1.2. Introduced in 1.3 (correct in 1.2), \
                 still in 1.3, the newest release tried.",
            ),
            ("rn", "Does not reproduce on any of the 2 releases tried."),
            ("", "No release was tried."),
        ] {
            assert_eq!(ladder(stands).sentences().join(" "), said, "{stands}");
        }
    }

    #[test]
    fn releases_are_ordered_by_number() {
        let mut releases = ["3.10", "trunk", "3.9.1", "3.8.11.1", "3.8.2", "3.8.11"];
        releases.sort_by(|a, b| by_number(a, b));
        assert_eq!(releases, ["3.8.2", "3.8.11", "3.8.11.1", "3.9.1", "3.10", "trunk"]);
    }

    #[test]
    fn a_range_is_narrowed_only_by_releases_that_are_right() {
        assert!(ladder("rssr").same_range(&ladder("nssr")));
        assert!(!ladder("rssr").same_range(&ladder("rsrr")));
        assert!(!ladder("sss").same_range(&ladder("sss")));
        assert!(!ladder("rrr").same_range(&ladder("rrr")));
    }
}
