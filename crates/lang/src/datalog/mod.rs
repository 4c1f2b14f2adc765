//! Datalog: one tree, one generator, printers for the dialects, and an evaluator that says what is right.

pub mod arithmetic;
pub mod ast;
pub mod check;
pub mod evaluate;
pub mod explore;
pub mod features;
pub mod finite;
pub mod generate;
pub mod ire;
pub mod parse;
pub mod patterns;
pub mod print;
pub mod rules;
pub mod seeds;
pub mod shrink;
pub mod source;
pub mod spell;
pub mod stratify;

use crate::{LanguageSpec, ReadSeeds, survival};
use qualm_core::case::Language;
use qualm_core::reduce::smallest;
use qualm_core::vary::generalise;

pub const LANGUAGE: Language = Language::Datalog;

pub const SPEC: LanguageSpec = LanguageSpec {
    explore: |config, session| {
        let dialect = config.spoken.datalog().ok_or(NO_DIALECT)?;
        explore::explorer(config, dialect, session)
    },
    reduce: |case, _, attempts, fails| smallest(shrink::DatalogSubject::of(case)?, case, attempts, fails),
    generalise: |case, _, tries, run| generalise(&shrink::DatalogSubject::of(case)?, case, tries, run),
    features: |source| serde_json::from_value(source).ok().map(|s| features::of_source(&s)),
    survival_tree: survival::of_datalog,
    exact_survival_tree: |_, _| None,
    ends_at_once: survival::datalog_ends_at_once,
    spelled: spell::of_case,
    switched: spell::switched,
    seeds: |place, spoken| {
        let (seeds, unread) = seeds::load(place, spoken.datalog().ok_or(NO_DIALECT)?)?;
        let fate = "parts of the seeds cannot be parsed and are skipped";
        Ok(ReadSeeds { seeds, unread, fate, left_out: Vec::new(), shortened: Vec::new(), trials: Vec::new() })
    },
    rules: |source, _| Ok(rules::user::read(source)?.iter().map(|r| (r.name.to_string(), r.text.relation)).collect()),
};

const NO_DIALECT: &str = "the engine names no dialect of Datalog";
