//! DDlog: programs are compiled to Rust by `ddlog`, many at once, built by cargo and run; their output relations are
//! dumped and read.
//!
//! No package registry has a DDlog, so the user brings it, with its libraries in `DDLOG_HOME`. The first build takes
//! minutes and stays in the cache, each later one some seconds: give `--timeout-ms 900000` with it.

use crate::ConnectError;
use crate::once::{self, Answers, Finished, OnceSession, Ran};
use crate::programs;
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::DDLOG;
use qualm_core::session::RejectionClass::{Expected, Internal, Limit};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use qualm_host::process;
use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const COMPILE_LIMIT: Duration = Duration::from_secs(60);
const BUILD_LIMIT: Duration = Duration::from_secs(800);
const RUN_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_ROWS: usize = 100_000;

/// Programs in one build.
const BUNDLE: usize = 40;

/// Characters of an error that are kept.
const WORDS_KEPT: usize = 300;

struct Ddlog {
    program: PathBuf,
    release: String,
}

pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let program = PathBuf::from(place.unwrap_or("ddlog"));
    let failed = |why: String| {
        let next = "no package registry has a DDlog: install one and pass --engine ddlog:PATH";
        ConnectError::Unreachable(format!("cannot run '{}': {why}; {next}", program.display()))
    };
    let said = match once::run(Command::new(&program).arg("--version"), b"", COMPILE_LIMIT) {
        Ok(Finished::Ended(ran)) => ran.stdout,
        Ok(Finished::Stopped(why)) => return Err(failed(why.into())),
        Err(e) => return Err(failed(e.to_string())),
    };
    let release = release(&said).ok_or_else(|| failed("its version output is not that of DDlog".into()))?;
    Ok(Box::new(Ddlog { program, release }))
}

/// From `DDlog v1.2.3 (hash)`.
fn release(said: &str) -> Option<String> {
    let number = said.strip_prefix("DDlog v")?.split_whitespace().next()?;
    Some(number.to_owned())
}

impl Engine for Ddlog {
    fn version(&self) -> String {
        format!("ddlog {}", self.release)
    }

    fn spoken(&self) -> Spoken {
        Spoken::Datalog(&DDLOG)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let folder = Place::take(&crate::cache_folder().join("ddlog").join(&self.release))
            .map_err(|e| format!("cannot use a folder for what ddlog generates: {e}"))?;
        Ok(Box::new(OnceSession::new(DdlogSession { program: self.program.clone(), folder, known: HashMap::new() })))
    }
}

/// A folder of the cache in which programs are generated and built. It stays when the session ends, because the crates
/// that all programs have in common take minutes to build; cargo knows them by where they are. While a session has it,
/// others take the next one.
struct Place {
    folder: PathBuf,
    /// Locked.
    _owner: File,
}

impl Place {
    fn take(cache: &Path) -> io::Result<Place> {
        for number in 0.. {
            let folder = cache.join(format!("build-{number}"));
            std::fs::create_dir_all(&folder)?;
            let owner = File::create(folder.join("owner"))?;
            match owner.try_lock() {
                Ok(()) => return Ok(Place { folder, _owner: owner }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) => return Err(e),
            }
        }
        Err(io::Error::other("all of them are taken"))
    }
}

struct DdlogSession {
    program: PathBuf,
    folder: Place,
    /// Answers of programs that were built together and not asked for yet.
    known: HashMap<String, Outcome>,
}

impl Answers for DdlogSession {
    fn answer(&mut self, program: &str) -> Outcome {
        if let Some(outcome) = self.known.remove(program) {
            return outcome;
        }
        let Some(output) = output(program) else {
            return Outcome::rejected(Expected, "the program does not have exactly one output relation");
        };
        match self.ask(program, &[output]) {
            Ok(mut answers) => answers.pop().unwrap_or(Outcome::Done),
            Err(rejected) => rejected,
        }
    }

    fn bundle(&self) -> Option<usize> {
        Some(BUNDLE)
    }

    /// One build for all of them. Where it fails, each is built alone when it is asked.
    fn expect(&mut self, texts: &[&str]) {
        self.known.clear();
        let texts: Vec<&str> = texts.iter().copied().filter(|text| output(text).is_some()).collect();
        if texts.len() < 2 {
            return;
        }
        let (all, outputs) = together(&texts);
        let outputs: Vec<(&str, usize)> = outputs.iter().map(|(name, arity)| (name.as_str(), *arity)).collect();
        if let Ok(answers) = self.ask(&all, &outputs) {
            self.known = texts.iter().map(|text| (*text).to_owned()).zip(answers).collect();
        }
    }
}

/// Programs under names of their own in one, and their outputs.
fn together(texts: &[&str]) -> (String, Vec<(String, usize)>) {
    let (mut all, mut outputs) = (String::new(), Vec::new());
    for (at, text) in texts.iter().enumerate() {
        let renamed = |name: &str| format!("Q{at}{name}");
        let names: Vec<&str> = text.lines().filter_map(declared_name).collect();
        outputs.extend(output(text).map(|(name, arity)| (renamed(name), arity)));
        for line in text.lines() {
            programs::rename(line, &names, &renamed, &mut all);
            all.push('\n');
        }
    }
    (all, outputs)
}

fn declared_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("output ").unwrap_or(line);
    line.strip_prefix("relation ")?.split('(').next()
}

impl DdlogSession {
    /// What the outputs of a program hold.
    fn ask(&self, text: &str, outputs: &[(&str, usize)]) -> Result<Vec<Outcome>, Outcome> {
        let folder = &self.folder.folder;
        let limit = |why: String| Outcome::rejected(Limit, why);
        std::fs::write(folder.join("program.dl"), text).map_err(|e| limit(format!("cannot write a file: {e}")))?;
        let mut compile = Command::new(&self.program);
        compile.args(["-i", "program.dl"]).current_dir(folder);
        if let Some(home) = std::env::var_os("DDLOG_HOME") {
            compile.arg("-L").arg(PathBuf::from(home).join("lib"));
        }
        // Its compiler is what rejects programs; what it lets through must build and run.
        succeed(&mut compile, b"", COMPILE_LIMIT, "ddlog", |words| Outcome::rejected(Expected, words))?;
        let mut build = Command::new("cargo");
        build.args(["build", "--release", "--quiet"]).current_dir(folder.join("program_ddlog"));
        // The limit on this process is for an engine, not for a compiler.
        // SAFETY: one plain system call between fork and exec.
        unsafe {
            build.pre_exec(|| {
                process::lift_memory_limit();
                Ok(())
            })
        };
        let broken = |words: String| Outcome::rejected(Internal, words);
        succeed(&mut build, b"", BUILD_LIMIT, "cargo, on what ddlog made,", broken)?;
        let mut run = Command::new(folder.join("program_ddlog/target/release/program_cli"));
        run.arg("--no-init-snapshot");
        let dumps: String = outputs.iter().map(|(name, _)| format!("dump {name};\n")).collect();
        let orders = format!("start;\ncommit;\n{dumps}exit;\n");
        let ran = succeed(&mut run, orders.as_bytes(), RUN_LIMIT, "the compiled program", broken)?;
        let read = |(name, arity): &(&str, usize)| {
            let own: String = ran.stdout.lines().filter(|line| is_record(line, name)).flat_map(|l| [l, "\n"]).collect();
            records(&own, name, *arity).map(Outcome::Rows).map_err(limit)
        };
        let strange = ran
            .stdout
            .lines()
            .find(|line| !line.trim().is_empty() && !outputs.iter().any(|(name, _)| is_record(line, name)));
        match strange {
            Some(line) => Err(limit(format!("cannot read the record '{line}'"))),
            None => outputs.iter().map(read).collect(),
        }
    }
}

fn is_record(line: &str, relation: &str) -> bool {
    line.trim_start().strip_prefix(relation).is_some_and(|rest| rest.starts_with('{'))
}

/// The end of what a command wrote, which is where its error is; warnings come before it. Without colours.
fn last_words(stderr: &str) -> String {
    let mut plain = String::with_capacity(stderr.len());
    let mut chars = stderr.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => chars.by_ref().take_while(|c| !c.is_ascii_alphabetic()).for_each(drop),
            c => plain.push(c),
        }
    }
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let skipped = words.chars().count().saturating_sub(WORDS_KEPT);
    words.chars().skip(skipped).collect()
}

/// Runs a command that must end well; `fail` says what it means when it says no.
fn succeed(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
    who: &str,
    fail: impl Fn(String) -> Outcome,
) -> Result<Ran, Outcome> {
    match once::run(command, input, limit) {
        Err(e) => Err(Outcome::rejected(Limit, format!("cannot run {who}: {e}"))),
        Ok(Finished::Stopped(why)) => Err(Outcome::rejected(Limit, format!("{who} was killed: {why}"))),
        Ok(Finished::Ended(ran)) => match ran.crash() {
            Some(how) => Err(Outcome::Crash(format!("{who} was {how}"))),
            None if ran.status.success() => Ok(ran),
            None => Err(fail(format!("{who} failed: {}", last_words(&ran.stderr)))),
        },
    }
}

/// From `output relation P(a: signed<64>, b: string)`.
fn output(text: &str) -> Option<(&str, usize)> {
    let mut outputs = text.lines().filter_map(|line| line.strip_prefix("output relation "));
    let (name, rest) = outputs.next()?.split_once('(')?;
    outputs.next().is_none().then(|| (name, rest.matches(':').count()))
}

/// The lines `P{.a = 1, .b = "x"}` of a dump, or `P{1,"x"}` as early releases write them.
fn records(text: &str, name: &str, arity: usize) -> Result<Rows, String> {
    let mut rows = Rows::new(arity.max(1));
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let unread = || format!("cannot read the record '{line}'");
        let inner = line.strip_prefix(name).and_then(|l| l.strip_prefix('{')?.strip_suffix('}')).ok_or_else(unread)?;
        let mut rest = inner;
        for _ in 0..arity {
            let value = match rest.strip_prefix('.') {
                Some(named) => named.split_once(" = ").ok_or_else(unread)?.1,
                None => rest,
            };
            let (cell, after) = value_at(value).ok_or_else(unread)?;
            rows.cells.push(cell);
            rest = after.strip_prefix(',').map_or(after, str::trim_start);
        }
        if !rest.is_empty() || rows.len() > ANSWER_ROWS {
            return Err(unread());
        }
        if arity == 0 {
            rows.cells.push(Value::Bool(true));
        }
    }
    Ok(rows)
}

fn value_at(text: &str) -> Option<(Value, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(',').unwrap_or(text.len());
        return Some((Value::Int(text[..end].parse().ok()?), &text[end..]));
    };
    let mut out = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Value::Text(out), &quoted[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records in the two forms that its documentation and its own expected outputs show; none could be run here.
    #[test]
    fn records_are_read_as_typed_tuples() {
        let text = "P{.a = -1, .b = \"x, \\\"y\\\"\"}\nP{.a = 20, .b = \"\"}\n";
        let rows = records(text, "P", 2).unwrap();
        assert_eq!(rows.row(0), [Value::Int(-1), Value::Text("x, \"y\"".into())]);
        assert_eq!(rows.row(1), [Value::Int(20), Value::Text(String::new())]);
        let early = records("P{-1,\"x, \\\"y\\\"\"}\nP{20,\"\"}\n", "P", 2).unwrap();
        assert_eq!(early, rows);
        assert!(records("P{1,2,3}\n", "P", 2).is_err());
        assert!(records("P{1}\n", "P", 2).is_err());
        assert!(records("", "P", 2).unwrap().is_empty());
        assert!(records("Q{.a = 1}\n", "P", 1).is_err());
        assert!(records("P{.a = 1}\n", "P", 2).is_err());
        assert!(records("P{.a = 1, .b = 2}\n", "P", 1).is_err());
    }

    /// The end of what cargo wrote, as DDlog's build did when it had too little memory, is what is shown.
    #[test]
    fn an_error_is_shown_from_its_end() {
        let warnings = "warning: unused variable: `x`\n".repeat(40);
        let said = format!(
            "{warnings}rustc-LLVM ERROR: out of memory\nAllocation failed\n\u{1b}[91merror\u{1b}[m: could not \
            compile `differential_datalog` (lib); 15 warnings emitted\n"
        );
        let words = last_words(&said);
        let end = "rustc-LLVM ERROR: out of memory Allocation failed error: could not compile \
            `differential_datalog` (lib); 15 warnings emitted";
        assert!(words.ends_with(end), "{words}");
        assert_eq!(words.chars().count(), WORDS_KEPT);
    }

    #[test]
    fn programs_are_built_together() {
        let one = "output relation P0(a: signed<64>)\nrelation E0(a: signed<64>)\nE0(1).\nP0(x) :- E0(x).\n";
        let (all, outputs) = together(&[one, one]);
        assert_eq!(outputs, [("Q0P0".to_owned(), 1), ("Q1P0".to_owned(), 1)]);
        assert!(all.ends_with("relation Q1E0(a: signed<64>)\nQ1E0(1).\nQ1P0(x) :- Q1E0(x).\n"), "{all}");
        assert!(is_record("Q1P0{.a = 1}", "Q1P0") && !is_record("Q1P0{.a = 1}", "Q1P"));
    }

    /// A folder of the cache belongs to one session at a time.
    #[test]
    fn sessions_do_not_share_a_folder() {
        let cache = tempfile::tempdir().unwrap();
        let first = Place::take(cache.path()).unwrap();
        let second = Place::take(cache.path()).unwrap();
        assert_ne!(first.folder, second.folder);
        let folder = first.folder.clone();
        drop(first);
        assert_eq!(Place::take(cache.path()).unwrap().folder, folder);
    }

    #[test]
    fn the_self_test_names_its_output() {
        assert_eq!(output(DDLOG.self_test.program), Some(("P0", 2)));
        assert_eq!(release("DDlog v1.2.3 (abc)\nCopyright (c)\n").as_deref(), Some("1.2.3"));
    }
}
