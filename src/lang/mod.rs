//! One folder per language: tree, generator, printer, shrinker. No engine is known here, only dialects (data).

pub mod datalog;
pub mod graph;
pub mod sql;

use crate::explore::{ExploreConfig, Explorer};
use crate::oracle;
use crate::session::Session;

/// The explorer for the language of the engine.
pub fn explorer(config: ExploreConfig, session: &mut dyn Session) -> Result<Box<dyn Explorer>, String> {
    if let Some(dialect) = config.datalog {
        return Ok(Box::new(datalog::explore::DatalogExplorer::new(config, dialect)?));
    }
    if let Some(dialect) = config.graph {
        return Ok(Box::new(graph::explore::GraphExplorer::new(config, dialect, session)?));
    }
    if config.input.is_some() {
        return Ok(Box::new(sql::check::TextExplorer::new(config, session)?));
    }
    if config.oracles.iter().any(|o| o == oracle::config_perf::SPEC.name) {
        return Ok(Box::new(sql::perf::PerfExplorer::new(config, session)?));
    }
    Ok(Box::new(sql::explore::SqlExplorer::new(config, session)?))
}
