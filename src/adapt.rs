//! `qualm adapt`: the dialect file of an engine, found out by trying.

use clap::Args;
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_engines::external::adapt;
use std::path::PathBuf;

#[derive(Args)]
pub struct Adapt {
    /// Engine; 'qualm engines' lists them
    engine: String,
    /// Write the file here instead of to stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Adapt {
    pub fn run(self) -> Result<u8, Fault> {
        let engine = qualm_engines::reach(&self.engine).map_err(|e| match e.exit_code() {
            2 => Fault::usage(e.to_string()),
            _ => Fault::unreachable(e.to_string()),
        })?;
        if engine.sql().is_none() {
            return Err(Fault::usage(format!("'{}' is not a SQL engine", self.engine)));
        }
        let mut session = engine.open().map_err(Fault::unreachable)?;
        let version = engine.version();
        let (name, release) = version.split_once(' ').unwrap_or((version.as_str(), ""));
        let text = adapt::adapt(name, release, session.as_mut()).map_err(Fault::usage)?;
        match &self.out {
            None => out!("{}", escape::lines(&text)),
            Some(path) => std::fs::write(path, text)
                .map_err(|e| Fault::usage(format!("cannot write the dialect to '{}': {e}", path.display())))?,
        }
        Ok(0)
    }
}
