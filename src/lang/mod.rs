//! One folder per language: tree, generator, printer, shrinker. No engine is known here, only dialects (data).

pub mod datalog;
pub mod sql;

use crate::explore::{ExploreConfig, Explorer};
use crate::session::Session;

/// The explorer for the language of the engine.
pub fn explorer(config: ExploreConfig, session: &mut dyn Session) -> Result<Box<dyn Explorer>, String> {
    if let Some(dialect) = config.datalog {
        return Ok(Box::new(datalog::explore::DatalogExplorer::new(config, dialect)?));
    }
    Ok(Box::new(sql::explore::SqlExplorer::new(config, session)?))
}
