//! `qualm demo`: a finding to look at in seconds, however good the engines of this machine are. It hunts in a SQLite
//! that lies on purpose (`engine/canary.rs`) and makes the page.

use crate::cli;
use crate::outputs;
use clap::Args;
use qualm_core::fault::Fault;
use qualm_run::progress::Progress;
use qualm_run::report::{collect, page, script_name, view};
use qualm_run::store;
use std::path::{Path, PathBuf};

/// What is shown: a lie, and the oracles that catch it. With a budget in checks it is the same every time.
const LIES: &[(&str, &str, &str)] = &[
    ("index-row", "mutasql", "a query that uses an index loses its greatest row"),
    ("not-null", "tlp", "WHERE NOT p also returns the rows for which p is NULL"),
    ("crash", "norec", "a statement that calls hex() crashes the process"),
];
const CHECKS: &str = "300";
const PAGE_FILE: &str = "report.html";

#[derive(Args)]
pub struct Demo {
    /// Folder for the findings; must be new or empty [default: the next number in qualm-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Demo {
    pub fn run(self) -> Result<u8, Fault> {
        let folder = store::new_folder(self.out.as_deref())?;
        let mut first = None;
        for (lie, oracle, what) in LIES {
            outln!("hunting in a SQLite with a planted bug: {what}");
            let found = hunt(lie, oracle, &folder.join(lie))?;
            first = first.or(Some(found));
        }
        let first = first.expect("there are lies");
        let case = store::read_case(&first)?;
        let script = std::fs::read_to_string(first.join(script_name(&case))).unwrap_or_default();
        outln!("\nThis is the first finding, reduced:\n\n{}", qualm_core::escape::lines(script.trim_end()));
        let page = folder.join(PAGE_FILE);
        let data = view::data(&collect::collect(std::slice::from_ref(&folder))?, false);
        outputs::write(&page, &page::page(&data, &outputs::title(&data)))?;
        outln!("\nOpen it in a browser: {}", page.display());
        outln!("Replay it:             qualm replay {}", qualm_core::escape::shell(&first.display().to_string()));
        outln!("Test a real engine:    qualm hunt sqlite --serve");
        Ok(0)
    }
}

/// The folder of a finding, of which there must be one: these lies are caught by design.
fn hunt(lie: &str, oracle: &str, out: &Path) -> Result<PathBuf, Fault> {
    let (engine, out) = (format!("canary:{lie}"), out.display().to_string());
    let args = ["qualm", "hunt", &engine, "--oracle", oracle, "--out", &out];
    let counted = ["--checks", CHECKS, "--seed", "1", "--workers", "1", "--timeout-ms", "5000"];
    let args: Vec<String> = args.iter().chain(&counted).map(|a| (*a).to_owned()).collect();
    let summary = cli::hunt_of(&args)?.hunt(&mut Progress::quiet(), Vec::new())?;
    let found = collect::findings_of(&summary.folder).into_iter().next();
    found.ok_or_else(|| Fault::own(format!("the planted bug '{lie}' was not found; please report this")))
}
