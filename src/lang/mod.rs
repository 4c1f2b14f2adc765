//! One folder per language: tree, generator, printer, shrinker. No engine is known here, only dialects (data).

pub mod datalog;
pub mod sql;

use crate::explore::{ExploreConfig, Explorer};
use crate::session::Session;

/// The explorer for the language of a dialect. (SQL is the only one so far.)
pub fn explorer(config: ExploreConfig, session: &mut dyn Session) -> Result<Box<dyn Explorer>, String> {
    Ok(Box::new(sql::explore::SqlExplorer::new(config, session)?))
}
