//! Settings of SQLite that must not change answers: the bits of its optimisation mask, and two pragmas.

use crate::session::Knob;

/// Bit and name, as in the newest release, and the first release since which the bit has had this meaning in every
/// release whose source was read (releases/sqlite.tsv). Bits move between releases: older ones are known by number.
const NAMED_BITS: &[(u32, &str, i32)] = &[(0, "query-flattener", 3_054_000)];

/// Before this release the mask had 16 bits.
const WIDE_MASK_SINCE: i32 = 3_033_000;

/// For releases newer than this table.
const NAMES_UNTIL: i32 = 3_055_000;

pub fn of_release(version_number: i32) -> Vec<Knob> {
    let bits = if version_number < WIDE_MASK_SINCE { 16 } else { 32 };
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
    let named = NAMED_BITS.iter().find(|(b, _, since)| *b == bit && (*since..NAMES_UNTIL).contains(&version_number));
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
