//! How long something has really been at work on a machine that does other things besides. A limit in seconds is meant
//! for a process that has a core: on a machine with ten times more to do than cores, a query of half a second takes
//! five, and would be reported as a hang.

use std::fs;
use std::time::{Duration, Instant};

/// However busy the machine is, a second counts as this much at least, so that every wait ends.
const LEAST_SHARE: f64 = 1.0 / 8.0;

/// Time that counts, added up look by look.
pub struct Stopwatch {
    /// What is being watched; another one begins at zero.
    of: u64,
    counted: Duration,
    last: Instant,
}

impl Default for Stopwatch {
    fn default() -> Stopwatch {
        Stopwatch { of: 0, counted: Duration::ZERO, last: Instant::now() }
    }
}

impl Stopwatch {
    /// Whether `of`, which has been running for this long by the clock, has had more than `limit_ms`. To be called
    /// again and again while it runs: the time between two calls counts as much as a process gets of a core then.
    pub fn exceeds(&mut self, of: u64, running_ms: u64, limit_ms: u64) -> bool {
        let passed = if self.of == of { self.last.elapsed() } else { Duration::from_millis(running_ms) };
        if self.of != of {
            (self.of, self.counted) = (of, Duration::ZERO);
        }
        self.last = Instant::now();
        self.counted += passed.mul_f64(share());
        self.counted > Duration::from_millis(limit_ms)
    }
}

/// The part of a core that a process gets, if all that want one get the same.
fn share() -> f64 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").ok();
    load.and_then(|text| running(&text)).map_or(1.0, |running| of_a_core(cores, running))
}

fn of_a_core(cores: usize, running: usize) -> f64 {
    (cores as f64 / running.max(1) as f64).clamp(LEAST_SHARE, 1.0)
}

/// `0.20 0.18 0.12 3/80 11206`: three of eighty want a core now. The one that asks is among them.
fn running(loadavg: &str) -> Option<usize> {
    let (running, _) = loadavg.split_whitespace().nth(3)?.split_once('/')?;
    running.parse::<usize>().ok().map(|n| n.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_on_a_busy_machine_is_less_than_a_second() {
        assert_eq!(running("22.07 21.81 22.48 9/312 4711\n"), Some(8));
        assert_eq!(running("no such file"), None);
        assert!((of_a_core(2, 8) - 0.25).abs() < 1e-9);
        assert!((of_a_core(2, 0) - 1.0).abs() < 1e-9 && (of_a_core(8, 3) - 1.0).abs() < 1e-9);
        assert!((of_a_core(2, 1000) - LEAST_SHARE).abs() < 1e-9, "every wait ends");
    }

    #[test]
    fn each_statement_has_the_whole_limit() {
        let mut watch = Stopwatch::default();
        let mut exceeded = |of, running_ms| {
            std::thread::sleep(Duration::from_millis(20));
            watch.exceeds(of, running_ms, 50)
        };
        assert!(!exceeded(1, 0));
        let looks = (0..100).take_while(|_| !exceeded(1, 1)).count();
        assert!((1..100).contains(&looks), "{looks} looks of 20 ms");
        assert!(!exceeded(2, 0), "another statement begins at zero");
        assert!(exceeded(3, 500), "one that has run for long when it is first seen");
    }
}
