//! Property graphs: metamodel, random graphs and statements, patterns and typed expressions, printers for Cypher and
//! Gremlin, rewrites, shrinker. After GDBMeter (Kamm, Rigger, Zhang, Su, ISSTA 2023); see docs/gdbmeter.md.

pub mod ast;
pub mod check;
pub mod explore;
pub mod express;
pub mod features;
pub mod generate;
pub mod gremlin_predicates;
pub mod metamodel;
pub mod print;
pub mod probe;
pub mod rewrite;
pub mod shrink;
pub mod source;
pub mod state;
#[cfg(test)]
mod tests;

use crate::{LanguageSpec, survival};
use qualm_core::case::Language;
use qualm_core::reduce::smallest;
use qualm_core::vary::generalise;

pub const LANGUAGE: Language = Language::Graph;

pub const SPEC: LanguageSpec = LanguageSpec {
    explore: |config, session| {
        let dialect = config.spoken.graph().ok_or("the engine names no dialect of graphs")?;
        Ok(Box::new(explore::GraphExplorer::new(config, dialect, session)?))
    },
    reduce: |case, spoken, attempts, fails| {
        smallest(shrink::GraphSubject::of(case, spoken.graph())?, case, attempts, fails)
    },
    generalise: |case, spoken, tries, run| {
        generalise(&shrink::GraphSubject::of(case, spoken.graph())?, case, tries, run)
    },
    features: |source| serde_json::from_value(source).ok().map(|s| features::features(&s)),
    survival_tree: survival::of_graph,
    exact_survival_tree: |_, _| None,
    ends_at_once: |_| true,
    spelled: |_| Vec::new(),
    switched: |_| Vec::new(),
    seeds: |_, _| Err("seeds are for SQL and Datalog; graphs are random".into()),
    rules: |source, _| Ok(rewrite::user::read(source)?.iter().map(|r| (r.name.to_string(), r.text.relation)).collect()),
};
