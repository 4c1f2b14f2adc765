//! One folder per language: tree, generator, printer, shrinker. No engine is known here, only dialects (data).

pub mod datalog;
mod depth;
pub mod graph;
pub mod oracle;
pub mod reduce;
pub mod sql;
pub mod survival;

use crate::datalog::source::DatalogSource;
use qualm_core::case::{Case, Evidence, Language};
use qualm_core::explore::{ExploreConfig, Explorer};
use qualm_core::session::Session;
use std::collections::BTreeSet;

/// The explorer for the language of the engine.
pub fn explorer(config: ExploreConfig, session: &mut dyn Session) -> Result<Box<dyn Explorer>, String> {
    if let Some(dialect) = config.datalog {
        return datalog::explore::explorer(config, dialect);
    }
    if let Some(dialect) = config.graph {
        return Ok(Box::new(graph::explore::GraphExplorer::new(config, dialect, session)?));
    }
    if config.input.is_some() {
        return Ok(Box::new(sql::check::TextExplorer::new(config, session)?));
    }
    if oracle::any_needs(&config.spec.oracles, |n| n.times) {
        return Ok(Box::new(sql::perf::PerfExplorer::new(config, session)?));
    }
    Ok(Box::new(sql::explore::SqlExplorer::new(config, session)?))
}

/// The case written out in longer forms that mean the same, each with the name of the short form. One that holds tells
/// what the trouble needs.
pub fn spelled(case: &Case) -> Vec<(&'static str, Case)> {
    let source = case.source.clone().filter(|_| case.language == Language::Datalog);
    let source = source.and_then(|s| serde_json::from_value(s).ok());
    let longer = source.map(|s| datalog::spell::spelled(&s)).unwrap_or_default();
    let drafts = is_completed_by_session(case);
    let made = longer.into_iter().filter_map(|(name, mut source)| {
        if drafts {
            // The rules that are run alone are to be those of the longer program.
            source.program = datalog::spell::written_out(&source.program, name)?;
            source.written_out = None;
        }
        Some((name, oracle::datalog::case(&source, case.origin)?))
    });
    made.filter(|(_, longer)| longer.script != case.script).collect()
}

/// The case with its program run under each switch that the engine has, where rules are run alone without any.
pub fn switched(case: &Case) -> Vec<(&'static str, Case)> {
    let source = case.source.clone().filter(|_| is_completed_by_session(case));
    let Some(source) = source.and_then(|s| serde_json::from_value::<DatalogSource>(s).ok()) else { return Vec::new() };
    let switches = source.dialect().map_or(&[][..], |d| d.switches);
    let new = switches.iter().filter(|s| !source.other_switches.iter().any(|o| o == s.name));
    let made = new.filter_map(|switch| {
        let with = DatalogSource { other_switches: vec![switch.name.to_owned()], ..source.clone() };
        Some((switch.name, oracle::datalog::case(&with, case.origin)?))
    });
    made.collect()
}

/// Whether the script of a case is written with answers of the engine, so that a smaller one needs a session.
pub fn is_completed_by_session(case: &Case) -> bool {
    case.language == Language::Datalog && case.source.is_some() && completing(case).is_some()
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

/// What a case needs, in words for people: one walk over its tree. Nothing where it has none.
pub fn features(case: &Case) -> Option<BTreeSet<String>> {
    let source = case.source.clone()?;
    match case.language {
        Language::Sql => serde_json::from_value(source).ok().map(|s| sql::features::of_source(&s)),
        Language::Datalog => serde_json::from_value(source).ok().map(|s| datalog::features::of_source(&s)),
        Language::Graph => serde_json::from_value(source).ok().map(|s| graph::features::features(&s)),
    }
}
