//! `qualm history`: the bugs of all hunts in a folder and what became of them. `qualm compare`: two hunts, or two
//! versions of an engine, side by side.

use clap::{Args, ValueEnum};
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_core::words::counted;
use qualm_host::console;
use qualm_run::history::{self, Bug, History, Status, compare, database};
use qualm_run::report::collect;
use qualm_run::store::DEFAULT_FOLDER;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct ShowHistory {
    /// Folder of hunts
    #[arg(default_value = DEFAULT_FOLDER, value_name = "DIR")]
    folder: PathBuf,
    /// Only bugs with this status; separated by commas
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_enum)]
    status: Vec<StatusArg>,
    /// Only bugs of this engine, for instance sqlite
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum StatusArg {
    New,
    Known,
    Regressed,
    Fixed,
}

impl StatusArg {
    fn is(self, status: Status) -> bool {
        matches!(
            (self, status),
            (StatusArg::New, Status::New)
                | (StatusArg::Known, Status::Known)
                | (StatusArg::Regressed, Status::Regressed)
                | (StatusArg::Fixed, Status::Fixed)
        )
    }
}

#[derive(Args)]
pub struct Compare {
    /// Folder of a hunt or of several hunts; or an engine version, for instance "sqlite 3.28.0"
    a: String,
    /// The other one
    b: String,
    /// Folder in which hunts of an engine version are looked for
    #[arg(long = "in", value_name = "DIR", default_value = DEFAULT_FOLDER)]
    within: PathBuf,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

impl ShowHistory {
    pub fn run(self) -> Result<u8, Fault> {
        let folders = [self.folder.clone()];
        let found = collect::collect(&folders)?;
        let (mut history, _) = database::history(&folders, &found);
        history.bugs.retain(|bug| self.wants(bug));
        history.bugs.sort_by_key(|bug| {
            let rank = Status::ALL.iter().position(|s| *s == bug.status);
            (rank, std::cmp::Reverse(bug.last_seen), bug.title.clone())
        });
        if self.json {
            outln!("{}", escape::json(&serde_json::to_string(&history).expect("plain data")));
        } else {
            out!("{}", console::fitted(&text(&history)));
        }
        Ok(0)
    }

    fn wants(&self, bug: &Bug) -> bool {
        let status = self.status.is_empty() || self.status.iter().any(|s| s.is(bug.status));
        status && self.engine.as_ref().is_none_or(|engine| *engine == bug.product)
    }
}

/// Bugs with what is known of each, then how many there are of each status.
fn text(history: &History) -> String {
    let mut lines: Vec<String> = history.bugs.iter().map(bug_lines).collect();
    let counts = Status::ALL.iter().filter_map(|status| {
        let n = history.bugs.iter().filter(|b| b.status == *status).count();
        (n > 0).then(|| format!("{n} {}", status.words()))
    });
    let counts: Vec<String> = counts.collect();
    let of = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    lines.push(format!("{} in {}{of}\n", counted(history.bugs.len(), "bug"), counted(history.hunts.len(), "hunt")));
    lines.concat()
}

fn bug_lines(bug: &Bug) -> String {
    let versions = match bug.versions.as_slice() {
        [] => bug.product.clone(),
        [one] => one.clone(),
        [first, .., last] => format!("{first} to {}", history::product_and_release(last).1),
    };
    let fixed = bug.fixed_in.as_ref().map(|release| format!(", fixed in {release}")).unwrap_or_default();
    let quiet = match bug.quiet {
        0 => String::new(),
        1 => ", not in the last hunt".to_owned(),
        n => format!(", not in the last {n} hunts"),
    };
    let first = format!("{:<11} {} [{}]", bug.status.words(), bug.title, bug.fingerprint);
    let [begin, end] = [bug.first_seen, bug.last_seen].map(database::iso);
    let when = if begin == end { begin } else { format!("first {begin}, last {end}") };
    let second = format!(
        "{versions}{fixed}; {}; seen {}× in {}{quiet}; {when}",
        bug.oracles.join(", "),
        bug.seen,
        counted(bug.hunts, "hunt"),
    );
    format!("{}\n{:12}{}\n", escape::line(&first), "", escape::line(&second))
}

impl Compare {
    pub fn run(self) -> Result<u8, Fault> {
        let is_folder = |name: &str| Path::new(name).is_dir();
        let mut folders: Vec<PathBuf> =
            [&self.a, &self.b].into_iter().filter(|n| is_folder(n)).map(PathBuf::from).collect();
        if folders.len() < 2 {
            folders.push(self.within.clone());
        }
        let found = collect::collect(&folders)?;
        let history = history::read(&found, &mut history::Cache::default());
        let (a, b) = (self.hunts(&self.a, &history)?, self.hunts(&self.b, &history)?);
        let compared = compare::compare(&history, (&self.a, &a), (&self.b, &b));
        match self.json {
            true => outln!("{}", escape::json(&serde_json::to_string(&compared).expect("plain data"))),
            false => out!("{}", console::fitted(&compared.text())),
        }
        Ok(0)
    }

    /// Names of the hunts that a text means.
    fn hunts(&self, name: &str, history: &History) -> Result<Vec<String>, Fault> {
        if Path::new(name).is_dir() {
            let found = collect::collect(&[PathBuf::from(name)])?;
            let hunts: Vec<String> = found.campaigns.iter().map(|c| c.display().to_string()).collect();
            if hunts.is_empty() {
                return Err(Fault::usage(format!("'{name}' is a finding; compare takes folders of hunts")));
            }
            return Ok(hunts);
        }
        let fits = |version: &str, engine: &str| {
            version == name || engine == name || version.starts_with(&format!("{name} ("))
        };
        let hunts: Vec<String> =
            history.hunts.iter().filter(|h| fits(&h.version, &h.engine)).map(|h| h.name.clone()).collect();
        if hunts.is_empty() {
            let mut versions: Vec<&str> = history.hunts.iter().map(|h| h.version.as_str()).collect();
            versions.sort_unstable();
            versions.dedup();
            let text = format!(
                "'{name}' is neither a folder nor an engine version of a hunt in '{}'; versions there: {}",
                self.within.display(),
                escape::line(&versions.join(", "))
            );
            return Err(Fault::usage(text));
        }
        Ok(hunts)
    }
}

/// Brings `history.db` up to date after a hunt in the default folder, or in one that has the file already.
pub fn note(hunt: &Path) {
    let Some(parent) = hunt.parent() else { return };
    if parent == Path::new(DEFAULT_FOLDER) || parent.join(database::HISTORY_FILE).exists() {
        // It can be made again from the folders at any time.
        let _ = database::write(parent);
    }
}
