//! Numbers of releases.

use std::cmp::Ordering;

/// Releases by the numbers in their names: 3.8.11.1 comes before 3.9.1. Others behind them, by their letters.
pub fn by_number(a: &str, b: &str) -> Ordering {
    let numbers = |text: &str| text.split('.').map(|part| part.parse::<u64>().ok()).collect::<Option<Vec<u64>>>();
    match (numbers(a), numbers(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}
