//! `qualm nightly FILE`: several engines in turn within one budget of time. For each, the bugs that are known are
//! replayed first, then there is a hunt; at the end history, page and the issue texts of what is new are written.
//! With a fleet each hunt is a campaign `NIGHT-N` that other machines join with `--join`.

use crate::cli;
use crate::fleet;
use crate::fleet::args::{Fleet, Join, Named, Server, What};
use crate::outputs::{self, issue};
use clap::Args;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE, Fault};
use qualm_core::files;
use qualm_core::limits::{FILE_BYTES, STATEMENT_TIMEOUT_MS};
use qualm_core::words::{counted, did_you_mean};
use qualm_host::interrupt;
use qualm_run::history::{Bug, Status, database, product_and_release};
use qualm_run::ladder;
use qualm_run::report::{collect, page, view};
use qualm_run::store::{self, DEFAULT_FOLDER};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[derive(Args)]
pub struct Nightly {
    /// File with the engines and options of the night, such as examples/nightly.toml
    file: PathBuf,
    /// Time budget in seconds for everything; overrides the file
    #[arg(long, value_name = "N", value_parser = cli::positive_seconds)]
    seconds: Option<f64>,
    /// Join a night that another machine started, with the engines of this file
    #[arg(long)]
    join: bool,
    /// Number of worker processes on this machine; one per core by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), requires = "join")]
    workers: Option<u16>,
    #[command(flatten)]
    server: Server,
}

/// What the file says.
#[derive(Debug, PartialEq)]
struct Night {
    /// Servers of a fleet.
    fleet: Option<String>,
    seconds: f64,
    out: PathBuf,
    hunts: Vec<Turn>,
}

#[derive(Debug, PartialEq)]
struct Turn {
    engine: String,
    /// Its part of the time, beside those of the others.
    share: f64,
    /// Further arguments, as typed.
    args: Vec<String>,
}

/// Without another word, the time of all hunts together.
const NIGHT_SECONDS: f64 = 3600.0;

/// Where texts of issues go, below the folder of hunts.
const ISSUES: &str = "issues";

impl Nightly {
    pub fn run(self) -> Result<u8, Fault> {
        let text = files::text(&self.file, "the file of the night", FILE_BYTES).map_err(Fault::usage)?;
        let mut night = read(&text).map_err(|why| Fault::usage(format!("{}: {why}", self.file.display())))?;
        night.seconds = self.seconds.unwrap_or(night.seconds);
        let mut server = self.server.clone();
        server.fleet = server.fleet.or(night.fleet.clone());
        let shared = server.fleet.is_some().then(|| Shared::of(&self.file, server)).transpose()?;
        // What is wrong with any turn is reported before the first one begins.
        for (i, turn) in night.hunts.iter().enumerate() {
            cli::ci_of(&turn.command(&night.out.join("0000"), 1.0, shared.as_ref().map(|s| s.arguments(i))))?;
        }
        match (self.join, shared) {
            (true, Some(shared)) => shared.join(&night, self.workers),
            (true, None) => {
                Err(Fault::usage("--join needs the servers of a fleet: --fleet URL, or 'fleet' in the file"))
            }
            (false, shared) => night.run(shared.as_ref()),
        }
    }
}

impl Night {
    fn run(&self, shared: Option<&Shared>) -> Result<u8, Fault> {
        let (began, mut worst) = (Instant::now(), EXIT_CLEAN);
        let mut issues = BTreeSet::new();
        for (i, turn) in self.hunts.iter().enumerate() {
            let shares: f64 = self.hunts[i..].iter().map(|t| t.share).sum();
            let left = (self.seconds - began.elapsed().as_secs_f64()).max(1.0);
            let seconds = left * turn.share / shares;
            errln!("== {} ({} of {}), {seconds:.0} s", turn.engine, i + 1, self.hunts.len());
            let exit = take_turn(turn, &self.out, seconds, shared.map(|s| (s, i))).unwrap_or_else(|fault| {
                errln!("qualm: {fault}");
                fault.code
            });
            worst = worse(worst, exit);
            // A later hunt in the same engine sees the same bugs, and calls them known.
            issues.extend(write_issues(&self.out)?);
            if interrupt::gracefully().load(Ordering::Relaxed) {
                break;
            }
        }
        finish(&self.out, issues.len())?;
        Ok(worst)
    }
}

/// A night of several machines. Each of its hunts is a campaign, which is removed when it is over: the leader's folder
/// has all of it then.
struct Shared {
    server: Server,
    /// Of the file: campaigns are `NAME-1`, `NAME-2`, …
    name: String,
}

/// How often a machine looks whether the next campaign is there.
const LOOK: Duration = Duration::from_secs(1);
/// How long after the night's time a machine still waits for a campaign: replays and ladders take time too.
const GRACE: Duration = Duration::from_secs(300);

impl Shared {
    fn of(file: &Path, server: Server) -> Result<Shared, Fault> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        fleet::args::Address::of(server.fleet.as_deref().unwrap_or_default(), &format!("{name}-1"))?;
        Ok(Shared { server, name })
    }

    fn campaign(&self, turn: usize) -> String {
        format!("{}-{}", self.name, turn + 1)
    }

    fn arguments(&self, turn: usize) -> Vec<String> {
        let access = &self.server.access;
        let files = [("creds", &access.creds), ("tls-ca", &access.tls_ca)];
        let files = files.into_iter().filter_map(|(key, f)| Some(format!("--{key}={}", f.as_ref()?.display())));
        let url = self.server.fleet.as_deref().unwrap_or_default();
        [format!("--fleet={url}"), format!("--campaign={}", self.campaign(turn))].into_iter().chain(files).collect()
    }

    fn remove(&self, turn: usize) {
        let named = Named { name: self.campaign(turn), server: self.server.clone() };
        // One that was never begun is not there.
        let _ = fleet::fleet(&Fleet { what: What::Remove(named) });
    }

    /// Takes part in one campaign after the other. One that the leader could not begin is passed over when a later one
    /// is there.
    fn join(&self, night: &Night, workers: Option<u16>) -> Result<u8, Fault> {
        let patience = Duration::from_secs_f64(night.seconds) + GRACE;
        let (mut next, mut worst, mut waiting) = (0, EXIT_CLEAN, Instant::now());
        errln!("waiting for '{}'", self.campaign(next));
        while next < night.hunts.len() && !interrupt::gracefully().load(Ordering::Relaxed) {
            let open = (next..night.hunts.len()).map(|i| Ok((i, fleet::is_there(&self.server, &self.campaign(i))?)));
            let open = open.collect::<Result<Vec<_>, Fault>>()?.into_iter().find(|(_, there)| *there);
            let Some((turn, _)) = open else {
                if waiting.elapsed() > patience {
                    return Err(Fault::usage(format!("'{}' did not begin in time", self.campaign(next))));
                }
                std::thread::sleep(LOOK);
                continue;
            };
            let join = Join {
                server: self.server.clone(),
                campaign: Some(self.campaign(turn)),
                allow_engine: vec![night.hunts[turn].engine.clone()],
                workers,
                out: None,
            };
            let exit =
                fleet::worker(&join).or_else(|fault| match fleet::is_there(&self.server, &self.campaign(turn)) {
                    // Removed by its leader, who has all of it.
                    Ok(false) => Ok(EXIT_CLEAN),
                    _ => Err(fault),
                });
            worst = worse(
                worst,
                exit.unwrap_or_else(|fault| {
                    errln!("qualm: {fault}");
                    fault.code
                }),
            );
            (next, waiting) = (turn + 1, Instant::now());
        }
        Ok(worst)
    }
}

/// A fault counts more than findings: what did not run says nothing.
fn worse(a: u8, b: u8) -> u8 {
    let rank = |code: u8| match code {
        EXIT_CLEAN => 0,
        EXIT_FINDINGS => 1,
        other => other,
    };
    if rank(b) > rank(a) { b } else { a }
}

impl Turn {
    fn command(&self, folder: &Path, seconds: f64, shared: Option<Vec<String>>) -> Vec<String> {
        let out = folder.display().to_string();
        let mut args: Vec<String> = ["qualm", "ci", &self.engine, "--out", &out].map(str::to_owned).to_vec();
        if !self.args.iter().any(|a| a.starts_with("--checks=")) {
            args.push(format!("--seconds={seconds}"));
        }
        let alone = shared.is_none();
        args.extend(self.args.iter().filter(|a| alone || ladder_of(a).is_none()).cloned());
        args.extend(shared.into_iter().flatten());
        args
    }
}

/// The releases that `--ladder` names, which may be none, if this is it.
fn ladder_of(arg: &str) -> Option<Option<&str>> {
    match arg.strip_prefix("--ladder")? {
        "" => Some(None),
        releases => releases.strip_prefix('=').map(Some),
    }
}

/// Replays what is open and hunts, in the next folder. A fleet does not run findings on other releases: that is done
/// here, when it is over.
fn take_turn(turn: &Turn, out: &Path, seconds: f64, shared: Option<(&Shared, usize)>) -> Result<u8, Fault> {
    std::fs::create_dir_all(out).map_err(|e| Fault::usage(format!("cannot create '{}': {e}", out.display())))?;
    let folder = store::next_folder(out)
        .map_err(|e| Fault::usage(format!("cannot create a folder in '{}': {e}", out.display())))?;
    let open = open_bugs(out, &turn.engine);
    let mut ci = cli::ci_of(&turn.command(&folder, seconds, shared.map(|(s, i)| s.arguments(i))))?;
    ci.replay_too(open);
    let exit = ci.run();
    let Some((shared, i)) = shared else { return exit };
    // One that could not begin because another one has its name is not ours to remove.
    if exit.as_ref().err().is_none_or(|fault| fault.code != EXIT_USAGE) {
        shared.remove(i);
    }
    let exit = exit?;
    if let Some(releases) = turn.args.iter().find_map(|a| ladder_of(a)) {
        for finding in collect::findings_of(&folder) {
            outln!("{}", finding.display());
            ladder::ladder(&finding, releases, false, STATEMENT_TIMEOUT_MS)?;
        }
    }
    Ok(exit)
}

/// The newest finding of each bug of this engine that nothing says is gone; one that is fixed is watched too, since it
/// may come back.
fn open_bugs(out: &Path, engine: &str) -> Vec<PathBuf> {
    let Ok(found) = collect::collect(&[out.to_path_buf()]) else { return Vec::new() };
    let (history, _) = database::history(&[out.to_path_buf()], &found);
    let family = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
    let of_engine = |folder: &Path| store::read_meta(folder).is_some_and(|m| family(&m.engine) == family(engine));
    let newest = |bug: &Bug| bug.folders().next().map(|(folder, _)| folder.to_path_buf());
    history.bugs.iter().filter_map(newest).filter(|folder| of_engine(folder)).collect()
}

/// The issue texts of what is new or back since the hunt before; the files written.
fn write_issues(out: &Path) -> Result<Vec<PathBuf>, Fault> {
    let folders = [out.to_path_buf()];
    let (history, _) = database::history(&folders, &collect::collect(&folders)?);
    let fresh = history.bugs.iter().filter(|b| matches!(b.status, Status::New | Status::Regressed));
    fresh.filter_map(|bug| write_issue(out, bug).transpose()).collect()
}

/// The history and the page.
fn finish(out: &Path, issues: usize) -> Result<(), Fault> {
    let folders = [out.to_path_buf()];
    let found = collect::collect(&folders)?;
    let (history, _) = database::history(&folders, &found);
    let data = view::data_of(&history, &found, false);
    let file = out.join(outputs::PAGE_FILE);
    outputs::write(&file, &page::page(&data, &outputs::title(&data)))?;
    let shown = |status: Status| history.bugs.iter().filter(|b| b.status == status).count();
    let counts: Vec<String> = Status::ALL.iter().map(|s| format!("{} {}", shown(*s), s.words())).collect();
    outln!("{} after the last hunt: {}", counted(history.bugs.len(), "bug"), counts.join(", "));
    outln!("page: {}", file.display());
    if issues > 0 {
        outln!("{} tonight, in {}", counted(issues, "new issue text"), out.join(ISSUES).display());
    }
    Ok(())
}

/// The file, if there is a report to make it of.
fn write_issue(out: &Path, bug: &Bug) -> Result<Option<PathBuf>, Fault> {
    let Some((folder, _)) = bug.folders().next() else { return Ok(None) };
    let engine = store::read_meta(folder).map(|meta| meta.engine).unwrap_or_default();
    let Ok(text) = issue::text(folder, issue::Tracker::of(&engine)) else { return Ok(None) };
    let place = out.join(ISSUES);
    std::fs::create_dir_all(&place).map_err(|e| Fault::usage(format!("cannot create '{}': {e}", place.display())))?;
    // What a file says of itself becomes a name: only plain letters of it.
    let plain = |text: &str| text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect::<String>();
    let (product, _) = product_and_release(&bug.product);
    let name = format!("{}-{}.md", plain(&product.replace(' ', "-")), plain(&bug.fingerprint));
    let file = place.join(name);
    outputs::write(&file, &text)?;
    Ok(Some(file))
}

fn read(text: &str) -> Result<Night, String> {
    const KEYS: [&str; 4] = ["seconds", "out", "fleet", "hunt"];
    let table: toml::Table = text.parse().map_err(|e| format!("not valid TOML: {e}"))?;
    if let Some(key) = table.keys().find(|k| !KEYS.contains(&k.as_str())) {
        return Err(format!("unknown key '{key}'{}; known keys: {}", did_you_mean(key, KEYS), KEYS.join(", ")));
    }
    let seconds = match table.get("seconds") {
        None => NIGHT_SECONDS,
        Some(value) => number(value).filter(|s| *s > 0.0).ok_or("'seconds' takes a number above 0")?,
    };
    let out = match table.get("out") {
        None => DEFAULT_FOLDER.into(),
        Some(value) => value.as_str().ok_or("'out' takes the name of a folder")?.into(),
    };
    let hunts = table.get("hunt").and_then(|h| h.as_array()).ok_or("no [[hunt]]; add one with an engine")?;
    let hunts = hunts.iter().map(turn).collect::<Result<Vec<Turn>, String>>()?;
    if hunts.is_empty() {
        return Err("no [[hunt]]; add one with an engine".into());
    }
    let fleet = match table.get("fleet") {
        None => None,
        Some(value) => Some(value.as_str().ok_or("'fleet' takes the URL of a server, nats://HOST:4222")?.to_owned()),
    };
    Ok(Night { fleet, seconds, out, hunts })
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
}

fn turn(value: &toml::Value) -> Result<Turn, String> {
    let table = value.as_table().ok_or("'hunt' takes tables: [[hunt]]")?;
    let engine = table.get("engine").and_then(|e| e.as_str()).ok_or("a [[hunt]] without an engine")?.to_owned();
    let share = match table.get("share") {
        None => 1.0,
        Some(value) => number(value).filter(|s| *s > 0.0).ok_or("'share' takes a number above 0")?,
    };
    let mut args = Vec::new();
    for (key, value) in table.iter().filter(|(key, _)| !["engine", "share"].contains(&key.as_str())) {
        match value {
            toml::Value::Boolean(true) => args.push(format!("--{key}")),
            toml::Value::Boolean(false) => {}
            toml::Value::Array(list) => {
                let words: Option<Vec<String>> = list.iter().map(plain).collect();
                let words =
                    words.ok_or_else(|| format!("'{key}' is a list of something other than texts and numbers"))?;
                args.push(format!("--{key}={}", words.join(",")));
            }
            other => {
                let word = plain(other).ok_or_else(|| format!("'{key}' takes a text, a number, true or false"))?;
                args.push(format!("--{key}={word}"));
            }
        }
    }
    Ok(Turn { engine, share, args })
}

fn plain(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(i) => Some(i.to_string()),
        toml::Value::Float(f) => Some(f.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_is_read() {
        let text = "seconds = 60\nout = \"o\"\n[[hunt]]\nengine = \"sqlite\"\nshare = 2\noracle = [\"tlp\", \"eet\"]\n\
                    ladder = true\nquiet = false\n[[hunt]]\nengine = \"duckdb\"\n";
        let night = read(text).unwrap();
        assert_eq!((night.seconds, night.out.as_path(), night.hunts.len()), (60.0, Path::new("o"), 2));
        let first = &night.hunts[0];
        assert_eq!((first.engine.as_str(), first.share), ("sqlite", 2.0));
        assert_eq!(first.args, ["--ladder", "--oracle=tlp,eet"]);
        assert!(cli::ci_of(&first.command(Path::new("x"), 5.0, None)).is_ok());
        assert_eq!(night.hunts[1].share, 1.0);
    }

    #[test]
    fn a_night_of_several_machines_has_a_campaign_for_each_hunt() {
        let text = "fleet = \"nats://h:4222\"\n[[hunt]]\nengine = \"sqlite\"\nladder = \"sqlite:3.28.0\"\nseed = 3\n";
        let night = read(text).unwrap();
        let server = Server { fleet: night.fleet.clone(), ..Server::default() };
        let shared = Shared::of(Path::new("a/nights.toml"), server).unwrap();
        let args = night.hunts[0].command(Path::new("x"), 5.0, Some(shared.arguments(0)));
        let expected = ["--seconds=5", "--seed=3", "--fleet=nats://h:4222", "--campaign=nights-1"];
        assert_eq!(args[5..], expected, "the ladder comes later");
        assert!(cli::ci_of(&args).is_ok());
        assert_eq!(ladder_of("--ladder=sqlite:3.28.0"), Some(Some("sqlite:3.28.0")));
        assert_eq!([ladder_of("--ladder"), ladder_of("--ladders"), ladder_of("--seed=1")], [Some(None), None, None]);
        assert!(Shared::of(Path::new("a b.toml"), shared.server).is_err(), "not the name of a campaign");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, says) in [
            ("secnds = 1", "unknown key 'secnds' (did you mean 'seconds'?)"),
            ("seconds = 0", "above 0"),
            ("seconds = 5", "no [[hunt]]"),
            ("[[hunt]]\noracle = \"tlp\"", "without an engine"),
            ("[[hunt]]\nengine = \"sqlite\"\nseed = { a = 1 }", "'seed' takes a text"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
        assert_eq!([worse(0, 1), worse(1, 0), worse(3, 1), worse(1, 3), worse(0, 0)], [1, 1, 3, 3, 0]);
    }

    #[test]
    fn the_example_is_one() {
        let night = read(include_str!("../examples/nightly.toml")).unwrap();
        for turn in &night.hunts {
            assert!(cli::ci_of(&turn.command(Path::new("x"), 5.0, None)).is_ok(), "{turn:?}");
        }
    }
}
