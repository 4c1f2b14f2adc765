//! What SQLite has for settings: the bits of its optimisation mask, which no statement lists, and pragmas.

use qualm_core::knobs::{KnobFile, Live};
use qualm_core::session::{Outcome, Session};
use qualm_core::value::Value;
use std::collections::BTreeSet;

/// First release whose mask has this many bits.
const MASK_WIDTHS: &[(i32, u32)] = &[(3_035_000, 32), (3_007_014, 16), (0, 8)];

/// The group of the file that stands for the mask; its members go by their numbers.
const MASK: &str = "optimizations";

/// Every bit, and every pragma that the release lists or that the file speaks of. Only the latter are read for their
/// values: some pragmas are commands.
pub fn settings(version_number: i32, session: &mut dyn Session, file: &KnobFile) -> Vec<Live> {
    let bits = MASK_WIDTHS.iter().find(|(since, _)| version_number >= *since).map_or(0, |(_, bits)| *bits);
    let mut settings: Vec<Live> = (0..bits).map(|bit| Live::new(format!("{MASK}.{bit}"), "on")).collect();
    let mut listed = BTreeSet::new();
    for row in file.knob.iter().filter(|r| r.bit.is_none()) {
        let value = match session.run(&format!("PRAGMA {}", row.name)) {
            Outcome::Rows(rows) => rows.cells.first().map(Value::show),
            _ => None,
        };
        settings.extend(value.map(|value| Live::new(&row.name, value)));
        listed.insert(row.name.clone());
    }
    if let Outcome::Rows(rows) = session.run("PRAGMA pragma_list") {
        for cell in &rows.cells {
            if let Value::Text(name) = cell
                && listed.insert(name.clone())
            {
                settings.push(Live::new(name, ""));
            }
        }
    }
    settings
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

    #[test]
    fn masks_are_read_as_the_shell_reads_them() {
        assert_eq!(parse_mask("0x80000000"), Some(0x8000_0000));
        assert_eq!(parse_mask("16"), Some(16));
        assert_eq!(parse_mask("-1"), Some(u32::MAX));
        assert_eq!(parse_mask("0x100000000"), None);
        assert_eq!(parse_mask("off"), None);
    }
}
