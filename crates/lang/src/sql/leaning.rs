//! What the columns, indexes and queries of one database have in common. A bug mostly needs three or four rare things
//! at once: a collation of a column, another one of its index, a comparison that says a third. Drawn apart from each
//! other these hardly ever meet; a database that leans to one of them is full of it, and others have little of it.
//!
//! Themes (`state/theme.rs`) are what a database has beside tables, and cost statements; this costs nothing.

use super::pool::Pool;
use super::profile::Profile;
use qualm_core::dialect::sql::Feature;
use qualm_core::rng::Rng;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leaning {
    /// Texts that are equal in one way and different in another; columns, indexes and comparisons that say in which.
    pub collations: bool,
    /// Numbers and texts that look like them, met by columns of all affinities.
    pub affinities: bool,
    /// Indexes of several terms, and searches in them.
    pub searches: bool,
    /// Orders, groups and limits along an index.
    pub orders: bool,
    /// Outer joins, and conditions that say little beside them.
    pub joins: bool,
    /// Views, queries in FROM, and compounds.
    pub nesting: bool,
    /// OR, IN and rows of values.
    pub alternatives: bool,
}

/// Makes a database lean to something.
type Set = fn(&mut Leaning);

impl Leaning {
    /// So many percent of databases lean to one or two things.
    pub fn draw(profile: &Profile, percent: u32, rng: &mut Rng) -> Leaning {
        let mut leaning = Leaning::default();
        if !rng.chance(percent, 100) {
            return leaning;
        }
        let dialect = profile.dialect;
        let collates = dialect.collations.len() > 1;
        let choices: [(u32, Set); 7] = [
            (4 * u32::from(collates), |l| l.collations = true),
            (2 * u32::from(dialect.dynamic_typing), |l| l.affinities = true),
            (3 * u32::from(profile.has(Feature::Index)), |l| l.searches = true),
            (3, |l| l.orders = true),
            (2 * u32::from(!profile.has(Feature::LoneTables)), |l| l.joins = true),
            (2, |l| l.nesting = true),
            (2, |l| l.alternatives = true),
        ];
        for _ in 0..rng.range(1, 2) {
            let set = *rng.pick_weighted(&choices);
            set(&mut leaning);
        }
        leaning
    }

    /// The values that such a database is about.
    pub fn values(self, pool: &mut Pool, rng: &mut Rng) {
        if self.collations {
            pool.vary_texts(rng);
        }
        if self.affinities {
            pool.write_numbers(rng);
        }
    }
}

/// Three times as much of it, or as much as ever.
pub fn more(leans: bool) -> u32 {
    if leans { 3 } else { 1 }
}
