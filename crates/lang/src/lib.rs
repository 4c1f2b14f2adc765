//! One folder per language: tree, generator, printer, shrinker. No engine is known here, only
//! dialects (data). `LANGUAGES` says what each of them does.

mod checker;
pub mod datalog;
mod depth;
pub mod graph;
pub mod oracle;
pub mod parameters;
pub mod reduce;
pub mod sql;
pub mod survival;
pub mod user_rules;

use qualm_core::case::{Case, Evidence};
use qualm_core::explore::{ExploreConfig, Explorer, NamedText, Seeds};
use qualm_core::language::Each;
use qualm_core::reduce::Attempts;
use qualm_core::session::{Session, Spoken};
use qualm_core::vary::{General, Seen, Tries};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use user_rules::NamedRelation;

type Explore = fn(ExploreConfig, &mut dyn Session) -> Result<Box<dyn Explorer>, String>;
type Reduce = fn(&Case, Spoken, &mut Attempts, &mut dyn FnMut(&Case) -> bool) -> Option<Case>;
type Generalise = fn(&Case, Spoken, &mut Tries, &mut dyn FnMut(&Case) -> Seen) -> Option<General>;

/// What a language does. What it looks like is in `qualm_core::language`.
pub struct LanguageSpec {
    pub explore: Explore,
    /// The smallest form of a case that was made from a tree.
    pub reduce: Reduce,
    /// What may vary in a case that was made from a tree.
    pub generalise: Generalise,
    /// What a tree needs, in words for people.
    pub features: fn(Json) -> Option<BTreeSet<String>>,
    /// The tree of what a case of survival runs, where one can be had; and one that prints as it was run.
    pub survival_tree: fn(&Case, Spoken) -> Option<Json>,
    pub exact_survival_tree: fn(&Case, Spoken) -> Option<Json>,
    /// Whether a question that an engine does not answer has an answer that is quickly found.
    pub ends_at_once: fn(&Case) -> bool,
    /// The case in longer forms that mean the same, and under each switch; see `spelled` and `switched`.
    pub spelled: fn(&Case) -> Vec<(&'static str, Case)>,
    pub switched: fn(&Case) -> Vec<(&'static str, Case)>,
    /// The user's seeds in a folder or a file.
    pub seeds: fn(&Path, Spoken) -> Result<ReadSeeds, String>,
    /// Names and relations of the rules in a file of the user's own, once all of them can be read.
    pub rules: fn(&NamedText, Spoken) -> Result<Vec<NamedRelation>, String>,
}

pub const LANGUAGES: Each<LanguageSpec> = Each { sql: sql::SPEC, datalog: datalog::SPEC, graph: graph::SPEC };

/// Seeds as they were read.
pub struct ReadSeeds {
    pub seeds: Seeds,
    /// What could not be read, with its place, and what becomes of such things.
    pub unread: Vec<String>,
    pub fate: &'static str,
    /// Files that give no seed, and why.
    pub left_out: Vec<String>,
    /// Tables with more rows than are used.
    pub shortened: Vec<String>,
    /// Cases that ask the engine each statement, and the places of these.
    pub trials: Vec<(Vec<String>, Case)>,
}

/// The explorer for the language of the engine.
pub fn explorer(config: ExploreConfig, session: &mut dyn Session) -> Result<Box<dyn Explorer>, String> {
    (LANGUAGES.of(config.spoken.language()).explore)(config, session)
}

/// What may vary in a case, by its tree. Nothing where it has none.
pub fn generalise(
    case: &Case,
    spoken: Spoken,
    tries: &mut Tries,
    run: &mut dyn FnMut(&Case) -> Seen,
) -> Option<General> {
    (LANGUAGES.of(case.language).generalise)(case, spoken, tries, run)
}

/// The case written out in longer forms that mean the same, each with the name of the short form. One that holds names
/// what the failure needs.
pub fn spelled(case: &Case) -> Vec<(&'static str, Case)> {
    (LANGUAGES.of(case.language).spelled)(case)
}

/// The case with its program run under each switch that the engine has, where rules are run alone without any.
pub fn switched(case: &Case) -> Vec<(&'static str, Case)> {
    (LANGUAGES.of(case.language).switched)(case)
}

/// What a case needs, in words for people: one walk over its tree. Nothing where it has none.
pub fn features(case: &Case) -> Option<BTreeSet<String>> {
    (LANGUAGES.of(case.language).features)(case.source.clone()?)
}

/// Whether an engine that does not answer the last question of a case is at fault, also where an answer need not exist:
/// it has one, which the evaluator finds at once.
pub fn ends_at_once(case: &Case) -> bool {
    (LANGUAGES.of(case.language).ends_at_once)(case)
}

/// The same case on so many times the data; nothing where its data are not made by a rule that can go on.
pub fn grown(case: &Case, times: u32) -> Option<Case> {
    let script = sql::large::grown(&case.script, times)?;
    Some(Case { script, source: None, ..case.clone() })
}

/// Whether the script of a case is written with answers of the engine, so that a smaller one needs a session.
pub fn is_completed_by_session(case: &Case) -> bool {
    case.source.is_some() && completing(case).is_some()
}

/// The case that its source means on this engine, and what came of it. Nothing where it claims nothing there.
pub fn complete(case: &Case, session: &mut dyn Session) -> Option<(Case, Evidence)> {
    let complete = completing(case)?;
    let source = serde_json::from_value(case.source.clone()?).ok()?;
    complete(&source, case.origin, session)
}

fn completing(case: &Case) -> Option<oracle::datalog::Complete> {
    oracle::datalog::find(&case.oracle)?.complete
}
