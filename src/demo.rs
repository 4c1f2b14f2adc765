//! `qualm demo`: a finding to look at in seconds, whatever the engines of this machine are worth. It hunts in a SQLite
//! that lies on purpose (`engine/canary.rs`) and makes the page.

use crate::cli;
use crate::fault::Fault;
use crate::outputs;
use crate::progress::Progress;
use crate::report::{collect, script_name};
use crate::store;
use clap::Args;
use std::path::PathBuf;

const ENGINE: &str = "canary:index-row";
/// Some are enough, and then it is the same finding every time.
const CHECKS: &str = "600";
const PAGE_FILE: &str = "report.html";

#[derive(Args)]
pub struct Demo {
    /// Folder for the findings; it must be new or empty [default: the next number in qualm-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Demo {
    pub fn run(self) -> Result<u8, Fault> {
        println!("Hunting in a SQLite that lies on purpose: a query by way of an index loses its greatest row.");
        let mut args: Vec<String> =
            ["qualm", "hunt", ENGINE, "--checks", CHECKS, "--seed", "1", "--workers", "1"].map(String::from).into();
        args.extend(self.out.iter().flat_map(|out| ["--out".to_owned(), out.display().to_string()]));
        let summary = cli::hunt_of(&args)?.hunt(&mut Progress::quiet(), Vec::new())?;
        let found = collect::findings_of(&summary.folder);
        let Some(first) = found.first() else {
            return Err(Fault::own("the lie was not caught; please report this"));
        };
        let case = store::read_case(first)?;
        let script = std::fs::read_to_string(first.join(script_name(case.language))).unwrap_or_default();
        println!("{} checks, {} findings. This is one, reduced:\n", summary.checks, summary.findings);
        println!("{}", script.trim_end());
        let page = summary.folder.join(PAGE_FILE);
        let data = crate::report::view::data(&collect::collect(std::slice::from_ref(&summary.folder))?, false);
        outputs::write(&page, &crate::report::page::page(&data, &outputs::title(&data)))?;
        println!("\nSee it in a browser: {}", page.display());
        println!("Run it again:        qualm replay {}", first.display());
        println!("Hunt for real:       qualm hunt sqlite --serve");
        Ok(0)
    }
}
