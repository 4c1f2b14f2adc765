//! `qualm nightly FILE`: several engines in turn within one budget of time. For each, the bugs that are known are
//! replayed first, then there is a hunt; at the end history, page and the issue texts of what is new are written.

use crate::cli;
use crate::outputs::{self, issue};
use clap::Args;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, Fault};
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use qualm_core::words::{counted, did_you_mean};
use qualm_run::history::{Bug, Status, database, product_and_release};
use qualm_run::report::{collect, page, view};
use qualm_run::store::{self, DEFAULT_FOLDER};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Args)]
pub struct Nightly {
    /// The night as a file; examples/nightly.toml is one
    file: PathBuf,
    /// Take N seconds for all of it, whatever the file says
    #[arg(long, value_name = "N", value_parser = cli::positive_seconds)]
    seconds: Option<f64>,
}

/// What the file says.
#[derive(Debug, PartialEq)]
struct Night {
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
        let text = files::text(&self.file, "night", FILE_BYTES).map_err(Fault::usage)?;
        let mut night = read(&text).map_err(|why| Fault::usage(format!("{}: {why}", self.file.display())))?;
        night.seconds = self.seconds.unwrap_or(night.seconds);
        // What is wrong with any turn is reported before the first one begins.
        for turn in &night.hunts {
            cli::ci_of(&turn.command(&night.out.join("0000"), 1.0))?;
        }
        let (began, mut worst) = (Instant::now(), EXIT_CLEAN);
        for (i, turn) in night.hunts.iter().enumerate() {
            let shares: f64 = night.hunts[i..].iter().map(|t| t.share).sum();
            let left = (night.seconds - began.elapsed().as_secs_f64()).max(1.0);
            let seconds = left * turn.share / shares;
            errln!("== {} ({} of {}), {seconds:.0} s", turn.engine, i + 1, night.hunts.len());
            let exit = take_turn(turn, &night.out, seconds).unwrap_or_else(|fault| {
                errln!("qualm: {fault}");
                fault.code
            });
            worst = worse(worst, exit);
        }
        finish(&night.out)?;
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
    fn command(&self, folder: &Path, seconds: f64) -> Vec<String> {
        let out = folder.display().to_string();
        let mut args: Vec<String> = ["qualm", "ci", &self.engine, "--out", &out].map(str::to_owned).to_vec();
        if !self.args.iter().any(|a| a.starts_with("--checks=")) {
            args.push(format!("--seconds={seconds}"));
        }
        args.extend(self.args.iter().cloned());
        args
    }
}

/// Replays what is open and hunts, in the next folder.
fn take_turn(turn: &Turn, out: &Path, seconds: f64) -> Result<u8, Fault> {
    std::fs::create_dir_all(out).map_err(|e| Fault::usage(format!("cannot create '{}': {e}", out.display())))?;
    let folder = store::next_folder(out)
        .map_err(|e| Fault::usage(format!("cannot create a folder in '{}': {e}", out.display())))?;
    let open = open_bugs(out, &turn.engine);
    let mut ci = cli::ci_of(&turn.command(&folder, seconds))?;
    ci.replay_too(open);
    ci.run()
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

/// The history, the page, and the issue texts of what is new or back.
fn finish(out: &Path) -> Result<(), Fault> {
    let folders = [out.to_path_buf()];
    let found = collect::collect(&folders)?;
    let (history, _) = database::history(&folders, &found);
    let data = view::data_of(&history, &found, false);
    let file = out.join(outputs::PAGE_FILE);
    outputs::write(&file, &page::page(&data, &outputs::title(&data)))?;
    let mut written = 0;
    for bug in history.bugs.iter().filter(|b| matches!(b.status, Status::New | Status::Regressed)) {
        written += usize::from(write_issue(out, bug)?);
    }
    let shown = |status: Status| history.bugs.iter().filter(|b| b.status == status).count();
    let counts: Vec<String> = Status::ALL.iter().map(|s| format!("{} {}", shown(*s), s.words())).collect();
    outln!("{}: {}", counted(history.bugs.len(), "bug"), counts.join(", "));
    outln!("page: {}", file.display());
    if written > 0 {
        outln!("{} in {}", counted(written, "issue text"), out.join(ISSUES).display());
    }
    Ok(())
}

/// Whether there is a report to make it of.
fn write_issue(out: &Path, bug: &Bug) -> Result<bool, Fault> {
    let Some((folder, _)) = bug.folders().next() else { return Ok(false) };
    let engine = store::read_meta(folder).map(|meta| meta.engine).unwrap_or_default();
    let Ok(text) = issue::text(folder, issue::Tracker::of(&engine)) else { return Ok(false) };
    let place = out.join(ISSUES);
    std::fs::create_dir_all(&place).map_err(|e| Fault::usage(format!("cannot create '{}': {e}", place.display())))?;
    // What a file says of itself becomes a name: only plain letters of it.
    let plain = |text: &str| text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect::<String>();
    let (product, _) = product_and_release(&bug.product);
    let name = format!("{}-{}.md", plain(&product.replace(' ', "-")), plain(&bug.fingerprint));
    outputs::write(&place.join(name), &text)?;
    Ok(true)
}

fn read(text: &str) -> Result<Night, String> {
    const KEYS: [&str; 3] = ["seconds", "out", "hunt"];
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
    Ok(Night { seconds, out, hunts })
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
        assert!(cli::ci_of(&first.command(Path::new("x"), 5.0)).is_ok());
        assert_eq!(night.hunts[1].share, 1.0);
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
            assert!(cli::ci_of(&turn.command(Path::new("x"), 5.0)).is_ok(), "{turn:?}");
        }
    }
}
