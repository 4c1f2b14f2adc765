//! `qualm export`: a finding as a test for others to keep, in the form of sqllogictest or of the engine's own tests.
//!
//! A finding says that two answers must agree, not which of them is right. sqllogictest can say just that, by giving
//! both queries one label. Where a test has to name the right answer, an engine that gives it is asked: `--right
//! ENGINE`, for instance a release in which the bug is gone.

use super::repro;
use super::slt;
use super::suite;
use super::tables::{self, Table};
use clap::{Args, ValueEnum};
use qualm_core::case::Case;
use qualm_core::fault::Fault;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::relation::Verdict;
use qualm_core::session::Outcome;
use qualm_engines::url::shown;
use qualm_host::process::{Scratch, own_program};
use qualm_run::isolated::Isolated;
use qualm_run::replay::stored_engine;
use qualm_run::report::{Meta, Stored};
use qualm_run::store;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub struct Export {
    /// Folder of a finding, or a case.json; for csv and sqlite a folder of hunts
    finding: PathBuf,
    /// Output format
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: Form,
    /// Engine with correct results, which the test will expect
    #[arg(long, value_name = "ENGINE")]
    right: Option<String>,
    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    out: PathBuf,
    /// For csv: which table
    #[arg(long, value_enum, default_value_t = Table::Bugs)]
    table: Table,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// A sqllogictest file
    Slt,
    /// A test in the style of the engine's own suite
    Suite,
    /// A shell script that needs only the engine's own client
    Shell,
    /// A Python script (sqlite, duckdb)
    Python,
    /// A C program (sqlite)
    C,
    /// A table of all bugs or hunts of a folder
    Csv,
    /// The same as an SQLite database
    Sqlite,
}

/// What a test is made of.
pub struct Material<'a> {
    pub case: &'a Case,
    pub title: String,
    pub engine: String,
    pub version: String,
    /// A short name, made of letters, digits and `_`.
    pub name: String,
    /// What came, for the types of columns.
    pub actual: Vec<Outcome>,
    /// What must come, and from whom that is known.
    pub right: Option<(String, Vec<Outcome>)>,
}

impl Export {
    pub fn run(self) -> Result<u8, Fault> {
        match self.form {
            Form::Csv => {
                super::write(&self.out, &tables::csv(&self.finding, self.table)?)?;
                return Ok(0);
            }
            Form::Sqlite => {
                tables::sqlite(&self.finding, &self.out)?;
                return Ok(0);
            }
            Form::Slt | Form::Suite | Form::Shell | Form::Python | Form::C => {}
        }
        let case = store::read_case(&self.finding)?;
        // Only its name is used, for the style of the test: nothing is run.
        let engine = stored_engine(&self.finding).unwrap_or_default();
        let meta = store::read_meta(&self.finding);
        // A file may say anything; what it says becomes part of a script.
        let id = |m: &Meta| m.fingerprint.chars().filter(char::is_ascii_alphanumeric).take(8).collect::<String>();
        let fingerprint = meta.as_ref().map(id).filter(|id| !id.is_empty());
        let material = Material {
            title: meta.as_ref().map_or_else(|| "a finding of qualm".into(), |m| m.title.clone()),
            version: meta.map(|m| m.version).unwrap_or_default(),
            name: format!("qualm_{}", fingerprint.unwrap_or_else(|| "case".into())),
            actual: actual(&self.finding),
            right: self.right.as_deref().map(|e| right(&case, e)).transpose()?,
            case: &case,
            engine,
        };
        let text = match self.form {
            Form::Slt if !case.language.style().sqllogictest => {
                return Err(Fault::usage("sqllogictest is for SQL; use --as suite"));
            }
            Form::Slt => slt::text(&material)?,
            Form::Suite => suite::text(&material)?,
            Form::Shell => repro::shell(&material)?,
            Form::Python => repro::python(&material)?,
            Form::C => repro::c(&material)?,
            Form::Csv | Form::Sqlite => unreachable!("they were written above"),
        };
        super::write(&self.out, &text)?;
        Ok(0)
    }
}

fn actual(path: &Path) -> Vec<Outcome> {
    Stored::read(path).map(|s| s.evidence.answers).unwrap_or_default()
}

/// The answers of an engine that is said to be right. One in which the claim does not hold is not.
fn right(case: &Case, engine: &str) -> Result<(String, Vec<Outcome>), Fault> {
    let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
    let mut isolated = Isolated::open(&own_program(), engine, STATEMENT_TIMEOUT_MS, Arc::new(scratch))?;
    let evidence = isolated.run(case);
    let shown = shown(engine);
    match evidence.verdict {
        Verdict::Holds { .. } => Ok((isolated.version.clone(), evidence.answers)),
        Verdict::NotComparable { why } => Err(Fault::usage(format!(
            "'{shown}' cannot provide the expected results: {}",
            qualm_run::report::one_line(&why)
        ))),
        _ => Err(Fault::usage(format!("'{shown}' has the bug too; give --right an engine without it"))),
    }
}

/// For claims that no test of this form can state.
pub fn needs_right() -> Fault {
    Fault::usage("such a test needs expected results; give --right ENGINE, an engine without the bug")
}
