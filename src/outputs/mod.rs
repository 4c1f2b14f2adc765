//! What other programs read, and the page for people: `qualm report`, and the files that a hunt writes at its end when
//! it is asked to. All of it is made from what is in the folders; nothing is run.

mod badge;
pub mod export;
pub mod issue;
pub mod junit;
mod playground;
mod repro;
pub mod sarif;
mod slt;
mod suite;
mod tables;

use crate::fleet::{self, args::Access};
use clap::Args;
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_host::console;
use qualm_run::history::database;
use qualm_run::report::view::{self, CampaignView, Data, FindingView};
use qualm_run::report::{collect, counted, page};
use qualm_run::store::{DEFAULT_FOLDER, write_named};
use std::path::{Path, PathBuf};

/// Where the page goes when nobody says.
pub const PAGE_FILE: &str = "qualm-report.html";

#[derive(Args)]
pub struct Report {
    /// Folders of hunts, findings or trophies, or a folder that contains several, such as qualm-out; or
    /// campaigns of fleets, as nats://HOST:4222/NAME
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The page, one self-contained HTML file; - is standard output
    #[arg(long, short, value_name = "FILE", default_value = PAGE_FILE)]
    out: PathBuf,
    #[command(flatten)]
    machines: Machines,
    #[command(flatten)]
    access: Access,
}

/// Files for other programs.
#[derive(Args, Clone, Debug, Default)]
pub struct Machines {
    /// Write a JUnit file in which each finding is a failing test
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a SARIF file, for code scanning
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write a badge with the number of findings, an SVG picture
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub badge: Option<PathBuf>,
    /// Write one line for a chat: findings by kind, engine and checks
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub line: Option<PathBuf>,
}

/// The same with the page, for commands whose result is not the page itself.
#[derive(Args, Clone, Debug, Default)]
pub struct Outputs {
    /// Write the page of 'qualm report'
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub machines: Machines,
}

impl Report {
    pub fn of(folder: PathBuf, out: PathBuf, machines: Machines, access: Access) -> Report {
        Report { folders: vec![folder], out, machines, access }
    }

    pub fn run(self) -> Result<u8, Fault> {
        let read = fleet::folders(&self.folders, &self.access)?;
        let found = collect::collect(&read.folders)?;
        let (history, _) = database::history(&read.folders, &found);
        let data = view::data_of(&history, &found, false);
        self.machines.write(&data)?;
        write(&self.out, &page::page(&data, &title(&data)))?;
        if self.out != Path::new("-") {
            outln!("{} in {}", counted(data.findings.len(), "finding"), self.out.display());
        }
        for folder in &data.unread {
            let folder = escape::line(folder);
            errln!("skipped: '{folder}' is not a finding in a format that this version of qualm knows");
        }
        Ok(0)
    }
}

impl Outputs {
    /// Whether there is a folder for each file, before hours of hunting are over; `out` is made by the hunt.
    pub fn have_room(&self, out: Option<&Path>) -> Result<(), Fault> {
        let out = out.unwrap_or(Path::new(DEFAULT_FOLDER));
        let m = &self.machines;
        for file in [&self.html, &m.junit, &m.sarif, &m.badge, &m.line].into_iter().flatten() {
            let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() && !folder.starts_with(out) && !out.starts_with(folder) {
                let (file, folder) = (file.display(), folder.display());
                return Err(Fault::usage(format!("cannot write '{file}': '{folder}' is not a folder")));
            }
        }
        Ok(())
    }

    /// What was asked for, about the campaigns in the folders.
    pub fn write(&self, folders: &[PathBuf]) -> Result<(), Fault> {
        self.write_with(folders, &[], &[])
    }

    /// The same after findings were replayed: `tests` are what became of them, `still` the folders of those that are
    /// still there. These count as findings wherever replays are not listed by themselves.
    pub fn write_with(&self, folders: &[PathBuf], tests: &[junit::Test], still: &[PathBuf]) -> Result<(), Fault> {
        if self.html.is_none() && !self.machines.any() {
            return Ok(());
        }
        // A replay alone has no folder; its tests are still to be written.
        let data = |folders: &[PathBuf]| {
            let found = if folders.is_empty() { collect::Found::default() } else { collect::collect(folders)? };
            Ok(view::data(&found, false))
        };
        if let Some(file) = &self.machines.junit {
            self.machines.write_junit(file, &data(folders)?, tests)?;
        }
        let all = data(&[folders, still].concat())?;
        self.machines.write_others(&all, still.len())?;
        self.html.as_ref().map_or(Ok(()), |file| write(file, &page::page(&all, &title(&all))))
    }
}

impl Machines {
    fn any(&self) -> bool {
        [&self.junit, &self.sarif, &self.badge, &self.line].iter().any(|file| file.is_some())
    }

    fn write(&self, data: &Data) -> Result<(), Fault> {
        self.junit.as_ref().map_or(Ok(()), |file| self.write_junit(file, data, &[]))?;
        self.write_others(data, 0)
    }

    fn write_junit(&self, file: &Path, data: &Data, replayed: &[junit::Test]) -> Result<(), Fault> {
        write(file, &junit::text(&data.campaigns, &data.findings, replayed))
    }

    /// `still` of the findings are old ones that are still there.
    fn write_others(&self, data: &Data, still: usize) -> Result<(), Fault> {
        if let Some(file) = &self.sarif {
            write(file, &sarif::text(&data.findings))?;
        }
        if let Some(file) = &self.badge {
            write(file, &badge::svg(data))?;
        }
        if let Some(file) = &self.line {
            write(file, &badge::line(data, still))?;
        }
        Ok(())
    }
}

/// The title of a page: what was hunted in.
pub fn title(data: &Data) -> String {
    match engines(data).as_str() {
        "" => "qualm".into(),
        engines => format!("{engines} · qualm"),
    }
}

/// The engine, or the first and how many more.
fn engines(data: &Data) -> String {
    let mut engines: Vec<&str> = data.findings.iter().map(|f| f.version.as_str()).collect();
    engines.extend(data.campaigns.iter().filter_map(|c| engine_of(c, &data.findings)));
    engines.sort_unstable();
    engines.dedup();
    match engines.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

/// What a hunt's engine is called: as it calls itself, or as the user did where nothing else is known.
fn engine_of<'a>(campaign: &'a CampaignView, findings: &[FindingView]) -> Option<&'a str> {
    let version = campaign.summary.as_ref().and_then(|s| s.get("engine_version")).and_then(|v| v.as_str());
    let named = || campaign.began.as_ref().map(|b| b.engine.as_str());
    let seen = |f: &FindingView| f.history.iter().any(|h| h.events.iter().any(|e| e.hunt == campaign.name));
    version.filter(|v| !v.is_empty()).or_else(|| if findings.iter().any(seen) { None } else { named() })
}

pub fn write(file: &Path, text: &str) -> Result<(), Fault> {
    if file == Path::new("-") {
        // Whoever reads it from a pipe gets every byte; a terminal would do what some of them say.
        match console::out_is_terminal() {
            true => out!("{}", escape::lines(text)),
            false => out!("{text}"),
        }
        return Ok(());
    }
    write_named(file, text.as_bytes()).map_err(|e| Fault::usage(format!("cannot write '{}': {e}", file.display())))
}
