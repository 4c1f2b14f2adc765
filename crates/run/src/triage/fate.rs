//! How a violation can end, and how many ended so. The one table that triage counts with and that the summary,
//! `--json`, `campaign.json` and the records of fleets show.

use qualm_core::counters;
use serde::{Deserialize, Serialize};

/// A row is an end: its name, its counter, what the summary adds to it, and what it means.
macro_rules! fates {
    ($($(#[$about:meta])* $fate:ident, $counter:ident, $note:literal;)*) => {
        /// How triage of a violation ends.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fate { $($(#[$about])* $fate,)* }

        impl Fate {
            /// In the order in which they are shown.
            pub const ALL: &[Fate] = &[$(Fate::$fate),*];

            pub fn name(self) -> &'static str {
                match self { $(Fate::$fate => stringify!($counter),)* }
            }

            pub fn note(self) -> &'static str {
                match self { $(Fate::$fate => $note,)* }
            }
        }

        counters! {
            /// Figures of triage.
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(default)]
            pub struct Counts {
                /// Suspects that came: cases in which a claim did not hold or the engine broke. Each becomes exactly
                /// one of those that follow.
                pub violations: u64,
                $($(#[$about])* pub $counter: u64,)*
                pub reduce_seconds: f64,
                pub reduce_attempts: u64,
            }
        }

        impl Counts {
            pub fn of(&self, fate: Fate) -> u64 {
                match fate { $(Fate::$fate => self.$counter,)* }
            }

            pub fn of_mut(&mut self, fate: Fate) -> &mut u64 {
                match fate { $(Fate::$fate => &mut self.$counter,)* }
            }
        }
    };
}

fates! {
    /// A bug that was not met before.
    Finding, findings, "";
    /// One more case of a finding.
    Duplicate, duplicates, "";
    /// A bug of the file of known ones.
    Suppressed, suppressed, "known bugs, see below";
    /// Confirmed and kept, but not reduced in time.
    Pending, pending, "confirmed, not reduced: qualm reduce DIR/pending/N.json";
    /// Did not happen again when run again; kept as unconfirmed.
    Flaky, flaky, "did not reproduce, not findings: see DIR/unconfirmed";
    /// Kept, and never run again: there was no time, or who ran it was killed each time.
    Unconfirmed, unconfirmed, "could not be replayed, not findings: qualm replay DIR/unconfirmed/N.json";
    /// Neither looked at nor kept because there were too many.
    Skipped, skipped, "dropped without triage: there were too many";
}

impl Counts {
    /// What became of the violations.
    pub fn accounted(&self) -> u64 {
        Fate::ALL.iter().map(|fate| self.of(*fate)).sum()
    }
}
