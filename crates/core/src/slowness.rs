//! Whether one way to answer a question is clearly slower than another: how it is measured, and when it counts.
//!
//! Times of one query differ by a factor of two to five from run to run on a quiet machine. So both sides are warmed
//! up, then run in turns (ABBA, so that a trend of the machine's touches both), and a slowness counts only if nearly
//! every pair shows the ratio (a sign test at 1 %), the gap between the medians is above the floor, and it is ten times
//! what the same side differs from itself. Two pairs that do not show it end the measurement.
//!
//! Where an engine counts its work (`Session::work`), the count decides and time only confirms: a count is the same on
//! a busy machine, so smaller data are enough and a few runs are. A count that is larger must take longer as well, or
//! it counts something that costs nothing.

use crate::session::{Outcome, RejectionClass, Session};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The smallest slowness that counts. `--ratio`, `--floor-ms`.
#[derive(Args, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Threshold {
    /// For config-perf: report a query that takes at least N times as long as without an optimisation
    #[arg(long, value_name = "N", default_value_t = Threshold::default().ratio, value_parser = above_one)]
    #[arg(hide_short_help = true)]
    pub ratio: f64,
    /// For config-perf: and that takes at least N milliseconds longer
    #[arg(long, value_name = "N", default_value_t = Threshold::default().floor_ms, value_parser = above_zero)]
    #[arg(hide_short_help = true)]
    pub floor_ms: f64,
}

fn above_one(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(r) if r > 1.0 && r <= 1e6 => Ok(r),
        _ => Err("must be a number above 1".into()),
    }
}

fn above_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ms) if ms > 0.0 && ms <= 1e9 => Ok(ms),
        _ => Err("give a number of milliseconds above 0".into()),
    }
}

impl Default for Threshold {
    fn default() -> Threshold {
        Threshold { ratio: 2.0, floor_ms: 50.0 }
    }
}

/// Pairs of runs, and how many of them must show the ratio: by chance alone, ten of eleven do so in 0.6 % of cases.
pub const PAIRS: usize = 11;
pub const PAIRS_SHOWING: usize = 10;

/// The gap must be so many times what a side differs from itself.
const SPREADS: f64 = 10.0;

/// How much more work than usual a statement may do while it is timed; see `Session::allow_work`.
pub const WORK: u32 = 25;

/// Times in milliseconds, in the order in which they were taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slowness {
    pub base_ms: Vec<f64>,
    pub weak_ms: Vec<f64>,
    /// The base side gave no answer: it was stopped at a limit, and its times are only lower bounds.
    pub stopped: bool,
    /// What both sides were counted as, where the engine counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
    /// The same on more and more data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Point>,
}

/// Work in the engine's own units, which are those of both sides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    pub unit: String,
    pub base: f64,
    pub weak: f64,
}

/// What one statement took, as the engine counts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub amount: f64,
    pub unit: &'static str,
}

/// Both sides on so many times the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub times: u32,
    pub base: f64,
    pub weak: f64,
}

/// The data are grown to so many times what they were.
pub const GROWTH: [u32; 2] = [2, 4];
/// On the largest data the gap must be at least so many times the first one.
const GROWN_GAP: f64 = 2.0;
/// A smaller gap in counted work is not worth a report, whatever the ratio.
pub const WORK_FLOOR: f64 = 5_000.0;
/// A smaller gap between estimates is rounding.
pub const ESTIMATE_FLOOR: f64 = 100.0;
/// The unit of estimates, which are no work.
pub const ESTIMATE: &str = "estimated rows";
/// Runs of each side that confirm counted work, and how many times the shorter of one side's must be the other's.
const CONFIRMING: usize = 5;
const CONFIRMED: f64 = 1.2;

impl Counted {
    /// Whether the base side did clearly more.
    fn is_clear(&self, ratio: f64, floor: f64) -> bool {
        self.base >= ratio * self.weak && self.base - self.weak >= floor
    }
}

impl Slowness {
    pub fn base(&self) -> f64 {
        median(&self.base_ms)
    }

    pub fn weak(&self) -> f64 {
        median(&self.weak_ms)
    }

    pub fn ratio(&self) -> f64 {
        match &self.counted {
            Some(c) => c.base / c.weak.max(1.0),
            None => self.base() / self.weak().max(1e-6),
        }
    }

    /// Whether these are estimates of the engine's, and nothing was measured.
    pub fn is_estimate(&self) -> bool {
        self.counted.as_ref().is_some_and(|c| c.unit == ESTIMATE)
    }

    /// The curve that begins here and goes on with what was seen on more data, where the slowness grows with them.
    pub fn growing(&self, grown: &[(u32, Slowness)]) -> Option<Vec<Point>> {
        let point = |times: u32, s: &Slowness| {
            let c = s.counted.as_ref()?;
            Some(Point { times, base: c.base, weak: c.weak })
        };
        let mut curve = vec![point(1, self)?];
        for (times, seen) in grown {
            curve.push(point(*times, seen)?);
        }
        let gap = |p: &Point| p.base - p.weak;
        (gap(curve.last()?) >= GROWN_GAP * gap(&curve[0])).then_some(curve)
    }

    /// Whether it is clear, by the rules above, that the base side is the slower one.
    pub fn is_clear(&self, at: Threshold) -> bool {
        let showing = self.base_ms.iter().zip(&self.weak_ms).filter(|(b, w)| **b >= at.ratio * **w).count();
        let gap = self.base() - self.weak();
        let spread = own_spread(&self.base_ms).max(own_spread(&self.weak_ms));
        showing >= PAIRS_SHOWING && gap >= at.floor_ms && gap >= SPREADS * spread
    }

    /// Whether it can no longer become clear.
    fn is_hopeless(&self, at: Threshold) -> bool {
        let pairs = self.base_ms.iter().zip(&self.weak_ms);
        pairs.filter(|(b, w)| **b < at.ratio * **w || **b - **w < at.floor_ms / 2.0).count() > PAIRS - PAIRS_SHOWING
    }
}

/// A side: what turns the engine to it, and the question.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub before: &'a [String],
    pub question: &'a str,
}

/// Nothing where a side could not be run, or the slowness is not clear.
pub fn measure(base: Side, weak: Side, at: Threshold, session: &mut dyn Session) -> Option<Slowness> {
    match count(base, weak, session) {
        Some(counted) if counted.is_clear(at.ratio, WORK_FLOOR) => confirmed(counted, base, weak, session),
        Some(_) => None,
        None => timed(base, weak, at, session),
    }
}

/// The work of both sides, where the engine counts it.
fn count(base: Side, weak: Side, session: &mut dyn Session) -> Option<Counted> {
    let mut of = |side: Side| {
        let ready = side.before.iter().all(|text| session.run(text).is_ok());
        ready.then(|| session.work(side.question)).flatten()
    };
    let (weak, base) = (of(weak)?, of(base)?);
    (weak.unit == base.unit).then(|| Counted { unit: base.unit.into(), base: base.amount, weak: weak.amount })
}

/// More work that takes longer too, by the shortest of a few runs of each side: what disturbs a run only ever makes it
/// longer.
fn confirmed(counted: Counted, base: Side, weak: Side, session: &mut dyn Session) -> Option<Slowness> {
    let mut seen = Slowness { counted: Some(counted), ..Slowness::default() };
    for _ in 0..CONFIRMING {
        let (w, b) = (time(weak, session)?, time(base, session)?);
        if w.stopped || b.stopped {
            return None;
        }
        seen.weak_ms.push(w.ms);
        seen.base_ms.push(b.ms);
    }
    let shortest = |ms: &[f64]| ms.iter().copied().fold(f64::INFINITY, f64::min);
    (shortest(&seen.base_ms) >= CONFIRMED * shortest(&seen.weak_ms)).then_some(seen)
}

/// How many rows the engine expects of a stricter query, where that is clearly more than of the weaker one. Nothing
/// otherwise.
pub fn estimates(stricter: &str, weaker: &str, ratio: f64, session: &mut dyn Session) -> Option<Slowness> {
    let (weak, base) = (session.estimate(weaker)?, session.estimate(stricter)?);
    let counted = Counted { unit: ESTIMATE.into(), base, weak };
    counted.is_clear(ratio, ESTIMATE_FLOOR).then(|| Slowness { counted: Some(counted), ..Slowness::default() })
}

/// Runs both sides in turns.
fn timed(base: Side, weak: Side, at: Threshold, session: &mut dyn Session) -> Option<Slowness> {
    let mut seen = Slowness::default();
    // The first runs of both were made for their answers; one more each, in case those had to fetch things.
    time(weak, session)?;
    time(base, session)?;
    for pair in 0..PAIRS {
        let base_first = pair % 2 == 1;
        let sides = if base_first { [base, weak] } else { [weak, base] };
        let [first, second] = [time(sides[0], session)?, time(sides[1], session)?];
        let (b, w) = if base_first { (first, second) } else { (second, first) };
        seen.base_ms.push(b.ms);
        seen.weak_ms.push(w.ms);
        if w.stopped {
            return None;
        }
        seen.stopped |= b.stopped;
        if seen.is_hopeless(at) {
            return None;
        }
    }
    seen.is_clear(at).then_some(seen)
}

/// One run: how long it took, and whether it reached a limit.
pub struct Timed {
    pub ms: f64,
    pub stopped: bool,
}

/// Runs one side once; nothing where it breaks or is refused.
pub fn time(side: Side, session: &mut dyn Session) -> Option<Timed> {
    if !side.before.iter().all(|text| session.run(text).is_ok()) {
        return None;
    }
    let begun = Instant::now();
    let outcome = session.run(side.question);
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    match outcome {
        Outcome::Rows(_) => Some(Timed { ms, stopped: false }),
        Outcome::Rejected(r) if r.class == RejectionClass::Limit => Some(Timed { ms, stopped: true }),
        _ => None,
    }
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// What one side differs from itself, from one run to the next.
fn own_spread(samples: &[f64]) -> f64 {
    let steps: Vec<f64> = samples.windows(2).map(|w| (w[0] - w[1]).abs()).collect();
    median(&steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn slowness(base: impl Fn(usize) -> f64, weak: impl Fn(usize) -> f64) -> Slowness {
        let (base_ms, weak_ms) = ((0..PAIRS).map(base).collect(), (0..PAIRS).map(weak).collect());
        Slowness { base_ms, weak_ms, ..Slowness::default() }
    }

    #[test]
    fn only_a_clear_slowness_counts() {
        let at = Threshold::default();
        assert!(slowness(|i| 300.0 + i as f64, |_| 100.0).is_clear(at));
        assert!(!slowness(|_| 190.0, |_| 100.0).is_clear(at), "below the ratio");
        assert!(!slowness(|_| 60.0, |_| 20.0).is_clear(at), "below the floor");
        assert!(!slowness(|i| if i < 2 { 150.0 } else { 300.0 }, |_| 100.0).is_clear(at), "two pairs do not show it");
        assert!(!slowness(|i| 300.0 + 90.0 * (i % 2) as f64, |_| 100.0).is_clear(at), "it differs from itself");
    }

    #[test]
    fn a_slowness_that_does_not_grow_is_no_finding() {
        let counted = |base, weak| Slowness {
            counted: Some(Counted { unit: "steps".into(), base, weak }),
            ..Slowness::default()
        };
        let first = counted(20e3, 5e3);
        let curve = first.growing(&[(2, counted(40e3, 10e3)), (4, counted(80e3, 20e3))]).unwrap();
        assert_eq!(curve.iter().map(|p| p.times).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(first.growing(&[(2, counted(20e3, 5e3)), (4, counted(22e3, 6e3))]), None, "a constant cost");
        assert_eq!(first.ratio(), 4.0);
        assert!(!first.is_estimate());
    }

    /// Noise as measured: mostly within 10 %, one run in ten up to five times as long.
    #[test]
    fn the_same_against_itself_is_never_slower() {
        let mut rng = Rng::new(7);
        let at = Threshold { ratio: 1.5, floor_ms: 1.0 };
        let mut noise = || 100.0 * (1.0 + rng.below(100) as f64 / 1000.0) * if rng.chance(1, 10) { 5.0 } else { 1.0 };
        for _ in 0..10_000 {
            let base_ms: Vec<f64> = (0..PAIRS).map(|_| noise()).collect();
            let weak_ms: Vec<f64> = (0..PAIRS).map(|_| noise()).collect();
            assert!(!Slowness { base_ms, weak_ms, ..Slowness::default() }.is_clear(at));
        }
    }
}
