//! What a state is full of, beside plain tables: a few things together, and most of the time none of them, so that
//! small states stay cheap and rare features meet each other all the same.

use super::State;
use crate::sql::profile::Profile;
use qualm_core::dialect::sql::Feature;
use qualm_core::rng::Rng;

/// Which of the rare things this state has many of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Virtual tables.
    pub modules: bool,
    pub triggers: bool,
    pub foreign_keys: bool,
    pub upserts: bool,
    pub transactions: bool,
    pub generated: bool,
    /// Another way to store the database.
    pub layout: bool,
    /// In a file, with a journal.
    pub on_disk: bool,
    /// Texts and blobs that do not fit on a page.
    pub long_values: bool,
    /// One table of hundreds or thousands of rows.
    pub bulk: bool,
    /// Statistics that claim large tables.
    pub statistics: bool,
}

/// Makes a state full of something.
type Set = fn(&mut Theme);

/// One in so many of them has a table of many rows.
const BULK: u32 = 12;

impl Theme {
    /// One in `seldom` states has a theme of one to three things.
    pub fn draw(profile: &Profile, seldom: u32, rng: &mut Rng) -> Theme {
        let mut theme = Theme::default();
        if !rng.chance(1, seldom) {
            return theme;
        }
        let modules = profile.dialect.modules.iter().any(|m| profile.has(m.feature));
        let dml = profile.has(Feature::Dml);
        let choices: [(bool, u32, Set); 9] = [
            (modules, 10, |t| t.modules = true),
            (profile.has(Feature::Trigger), 4, |t| t.triggers = true),
            (profile.has(Feature::ForeignKey), 4, |t| t.foreign_keys = true),
            (profile.has(Feature::Upsert), 3, |t| t.upserts = true),
            (profile.has(Feature::Transaction) && dml, 2, |t| t.transactions = true),
            (profile.has(Feature::GeneratedColumn), 2, |t| t.generated = true),
            (!profile.dialect.layouts.is_empty(), 3, |t| t.layout = true),
            (profile.dialect.dynamic_typing, 2, |t| t.long_values = true),
            (profile.has(Feature::StatTable), 2, |t| t.statistics = true),
        ];
        let weighted = choices.map(|(has, weight, set)| (weight * u32::from(has), set));
        if weighted.iter().all(|(weight, _)| *weight == 0) {
            return theme;
        }
        for _ in 0..rng.range(1, 3) {
            let set = *rng.pick_weighted(&weighted);
            set(&mut theme);
        }
        theme.on_disk = theme.layout && profile.has(Feature::OnDisk) && rng.coin();
        theme.bulk = dml && profile.has(Feature::RecursiveCte) && rng.chance(1, BULK);
        theme
    }
}

impl State {
    /// Virtual tables that there are.
    pub fn modules(&self) -> usize {
        self.tables.iter().filter(|t| t.module.is_some()).count()
    }
}
