//! Settings of SQLite that must not change answers: the bits of its optimisation mask, and two pragmas.

use crate::session::Knob;
use std::ops::Range;

/// Bit, name and the releases in which the bit has this meaning: read off the sources of the releases in
/// releases/sqlite.tsv. Bits moved between releases; where none of these rows fits, a bit is known by its number.
const NAMED_BITS: &[(u32, &str, Range<i32>)] = &[
    (0, "query-flattener", 3_007_007..NAMES_UNTIL),
    (1, "column-cache", 3_007_007..3_024_001),
    (1, "window-func", 3_028_000..NAMES_UNTIL),
    (2, "index-sort", 3_007_007..3_007_014),
    (2, "group-by-order", 3_007_017..NAMES_UNTIL),
    (3, "index-search", 3_007_007..3_007_014),
    (3, "factor-out-const", 3_007_017..3_053_005),
    (4, "index-cover", 3_007_007..3_007_014),
    (4, "idx-real-as-int", 3_007_017..3_008_003),
    (4, "distinct-opt", 3_021_000..NAMES_UNTIL),
    (5, "group-by-order", 3_007_007..3_007_014),
    (5, "distinct-opt", 3_007_017..3_019_004),
    (5, "cover-idx-scan", 3_021_000..NAMES_UNTIL),
    (6, "factor-out-const", 3_007_007..3_007_014),
    (6, "cover-idx-scan", 3_007_017..3_019_004),
    (6, "order-by-idx-join", 3_021_000..NAMES_UNTIL),
    (7, "idx-real-as-int", 3_007_007..3_007_008),
    (7, "order-by-idx-join", 3_007_017..3_019_004),
    (7, "transitive", 3_021_000..NAMES_UNTIL),
    (8, "subq-coroutine", 3_007_017..3_019_004),
    (8, "omit-noop-join", 3_021_000..NAMES_UNTIL),
    (9, "transitive", 3_007_017..3_019_004),
    (9, "count-of-view", 3_021_000..NAMES_UNTIL),
    (10, "omit-noop-join", 3_008_002..3_019_004),
    (10, "cursor-hints", 3_021_000..NAMES_UNTIL),
    (11, "stat3", 3_008_002..3_008_008),
    (11, "stat34", 3_008_009..3_029_001),
    (11, "stat4", 3_030_001..NAMES_UNTIL),
    (12, "adjust-out-est", 3_008_002..3_008_007),
    (12, "push-down", 3_024_000..NAMES_UNTIL),
    (13, "cursor-hints", 3_011_000..3_019_004),
    (13, "simplify-join", 3_024_000..NAMES_UNTIL),
    (14, "skip-scan", 3_025_002..NAMES_UNTIL),
    (15, "propagate-const", 3_025_002..NAMES_UNTIL),
    (16, "min-max-opt", 3_035_002..NAMES_UNTIL),
    (17, "exists-to-in", 3_035_002..3_035_003),
    (17, "seek-scan", 3_036_000..NAMES_UNTIL),
    (18, "omit-order-by", 3_037_000..NAMES_UNTIL),
    (19, "bloom-filter", 3_038_002..NAMES_UNTIL),
    (20, "bloom-pulldown", 3_038_002..3_053_005),
    (21, "balanced-merge", 3_038_002..NAMES_UNTIL),
    (22, "release-reg", 3_039_000..NAMES_UNTIL),
    (23, "flttn-union-all", 3_039_000..NAMES_UNTIL),
    (24, "indexed-expr", 3_040_000..NAMES_UNTIL),
    (25, "coroutines", 3_041_000..NAMES_UNTIL),
    (26, "null-unused-cols", 3_042_000..NAMES_UNTIL),
    (27, "one-pass", 3_043_000..NAMES_UNTIL),
    (28, "order-by-subq", 3_047_000..NAMES_UNTIL),
    (29, "star-query", 3_049_001..NAMES_UNTIL),
    (30, "exists-to-join", 3_051_000..NAMES_UNTIL),
    (31, "union-limit", 3_054_001..NAMES_UNTIL),
];

/// Releases newer than the table may have given a bit another meaning.
const NAMES_UNTIL: i32 = 3_055_000;

/// First release whose mask has this many bits.
const MASK_WIDTHS: &[(i32, u32)] = &[(3_035_000, 32), (3_007_014, 16), (0, 8)];

pub fn of_release(version_number: i32) -> Vec<Knob> {
    let bits = MASK_WIDTHS.iter().find(|(since, _)| version_number >= *since).map_or(0, |(_, bits)| *bits);
    let mut knobs: Vec<Knob> = (0..bits).map(|bit| optimization(bit, version_number)).collect();
    for (pragma, off, on) in [("automatic_index", 0, 1), ("reverse_unordered_selects", 1, 0)] {
        knobs.push(Knob {
            name: pragma.replace('_', "-"),
            off: format!("PRAGMA {pragma} = {off}"),
            on: format!("PRAGMA {pragma} = {on}"),
        });
    }
    knobs
}

fn optimization(bit: u32, version_number: i32) -> Knob {
    let named = NAMED_BITS.iter().find(|(b, _, releases)| *b == bit && releases.contains(&version_number));
    Knob {
        name: named.map_or_else(|| format!("optimization-bit-{bit}"), |(_, name, _)| name.to_string()),
        off: format!(".testctrl optimizations 0x{:x}", 1u32 << bit),
        on: ".testctrl optimizations 0".into(),
    }
}

/// A mask as the shell takes it: decimal or 0x hexadecimal. Negative numbers mean their two's complement.
pub fn parse_mask(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => {
            text.parse::<i64>().ok().and_then(|n| u32::try_from(n).ok().or(i32::try_from(n).ok().map(|n| n as u32)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(version_number: i32, bit: usize) -> String {
        of_release(version_number)[bit].name.clone()
    }

    #[test]
    fn bits_are_named_only_where_the_source_was_read() {
        assert_eq!(name(3_054_001, 4), "distinct-opt");
        assert_eq!(name(3_028_000, 4), "distinct-opt");
        assert_eq!(name(3_015_000, 5), "distinct-opt");
        assert_eq!(name(3_038_000, 19), "optimization-bit-19");
        assert_eq!(name(3_099_000, 4), "optimization-bit-4");
        assert_eq!([3_054_001, 3_028_000, 3_007_007].map(|v| of_release(v).len()), [34, 18, 10]);
    }

    #[test]
    fn masks_are_read_as_the_shell_reads_them() {
        assert_eq!(parse_mask("0x80000000"), Some(0x8000_0000));
        assert_eq!(parse_mask("16"), Some(16));
        assert_eq!(parse_mask("-1"), Some(u32::MAX));
        assert_eq!(parse_mask("0x100000000"), None);
        assert_eq!(parse_mask("off"), None);
    }
}
