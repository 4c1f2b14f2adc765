//! `qualm dialect`: all that a SQL dialect says, as a dialect file without a base.

use clap::Args;
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_engines::sql_dialect::{self, write};
use std::path::Path;

#[derive(Args)]
pub struct Show {
    /// Name of a built-in dialect, or a dialect file (NAME.toml)
    dialect: String,
}

impl Show {
    pub fn run(self) -> Result<u8, Fault> {
        let named = match self.dialect.ends_with(".toml") {
            true => sql_dialect::read(Path::new(&self.dialect)),
            false => sql_dialect::base(&self.dialect),
        };
        out!("{}", escape::lines(&write::to_toml(named.map_err(Fault::usage)?)));
        Ok(0)
    }
}
