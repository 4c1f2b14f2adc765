//! SQL: one tree and one generator for every engine; what an engine can do is data (`dialect.rs`).

pub mod aside;
pub mod asking;
pub mod ast;
mod catalogued;
pub mod check;
mod combine;
pub mod determined;
mod echo;
pub mod evaluate;
pub mod explore;
pub mod express;
pub mod features;
mod functions;
pub mod generate;
mod grouping;
mod joins;
pub mod large;
pub mod leaning;
pub mod literals;
mod meaning;
pub mod order;
pub mod parse;
pub mod perf;
pub mod pool;
pub mod print;
pub mod profile;
mod queries;
pub mod rules;
pub mod rules_check;
pub mod rules_file;
pub mod schema;
pub mod search;
pub mod seeds;
pub mod shrink;
mod special;
pub mod state;
pub mod strict;
pub mod survival;
pub mod traits;
pub mod typing;
pub mod walk;

use crate::{LanguageSpec, oracle};
use qualm_core::case::Language;
use qualm_core::dialect::sql::Dialect;
use qualm_core::explore::{ExploreConfig, Explorer};
use qualm_core::reduce::smallest;
use qualm_core::session::Session;
use qualm_core::vary::generalise;

pub const LANGUAGE: Language = Language::Sql;

pub const SPEC: LanguageSpec = LanguageSpec {
    explore,
    reduce: |case, spoken, attempts, fails| {
        smallest(shrink::SqlSubject::of(case, spoken.sql()?)?, case, attempts, fails)
    },
    generalise: |case, spoken, tries, run| generalise(&shrink::SqlSubject::of(case, spoken.sql()?)?, case, tries, run),
    features: |source| serde_json::from_value(source).ok().map(|s| features::of_source(&s)),
    survival_tree: crate::survival::of_sql,
    exact_survival_tree: crate::survival::exactly_of_sql,
    ends_at_once: |_| true,
    spelled: |_| Vec::new(),
    switched: |_| Vec::new(),
    seeds: |place, spoken| seeds::read_all(place, spoken.sql().ok_or(NO_DIALECT)?),
    rules: |source, spoken| {
        let rules = rules_file::read(source, spoken.sql().ok_or(NO_DIALECT)?)?;
        Ok(rules.iter().map(|r| (r.name.to_string(), r.text.relation)).collect())
    },
};

const NO_DIALECT: &str = "the engine names no dialect of SQL";

fn dialect(config: &ExploreConfig) -> Result<&'static Dialect, String> {
    config.spoken.sql().ok_or_else(|| NO_DIALECT.into())
}

/// For questions of others, for measuring, or for everything else.
fn explore(config: ExploreConfig, session: &mut dyn Session) -> Result<Box<dyn Explorer>, String> {
    if config.input.is_some() {
        return Ok(Box::new(check::TextExplorer::new(config, session)?));
    }
    if oracle::any_needs(&config.spec.oracles, |n| n.times) {
        return Ok(Box::new(perf::PerfExplorer::new(config, session)?));
    }
    Ok(Box::new(explore::SqlExplorer::new(config, session)?))
}
