//! DDlog: each program is compiled to Rust by `ddlog`, built by cargo and run; its output relation is dumped and read.
//!
//! Written to the documentation of 1.2: no package registry has a DDlog, so the user brings it, with its libraries in
//! `DDLOG_HOME`. A program takes minutes at first and tens of seconds later: give `--timeout-ms 900000` with it.

use crate::ConnectError;
use crate::once::{self, Answers, Finished, OnceSession, Ran};
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::DDLOG;
use qualm_core::session::RejectionClass::{Expected, Internal, Limit};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use qualm_host::process::Scratch;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const COMPILE_LIMIT: Duration = Duration::from_secs(60);
const BUILD_LIMIT: Duration = Duration::from_secs(800);
const RUN_LIMIT: Duration = Duration::from_secs(10);
const ANSWER_ROWS: usize = 100_000;

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
        let folder = Scratch::create().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
        Ok(Box::new(OnceSession::new(DdlogSession { program: self.program.clone(), folder })))
    }
}

struct DdlogSession {
    program: PathBuf,
    /// Kept for the whole session, so that cargo builds what all programs have in common once.
    folder: Scratch,
}

impl Answers for DdlogSession {
    fn answer(&mut self, program: &str) -> Outcome {
        self.evaluate(program).unwrap_or_else(|rejected| rejected)
    }
}

impl DdlogSession {
    fn evaluate(&self, text: &str) -> Result<Outcome, Outcome> {
        let Some((name, arity)) = output(text) else {
            return Err(Outcome::rejected(Expected, "the program does not have exactly one output relation"));
        };
        let folder = self.folder.path();
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
        let broken = |words: String| Outcome::rejected(Internal, words);
        succeed(&mut build, b"", BUILD_LIMIT, "cargo, on what ddlog made,", broken)?;
        let mut run = Command::new(folder.join("program_ddlog/target/release/program_cli"));
        let orders = format!("start;\ncommit;\ndump {name};\nexit;\n");
        let ran = succeed(&mut run, orders.as_bytes(), RUN_LIMIT, "the compiled program", broken)?;
        records(&ran.stdout, name, arity).map(Outcome::Rows).map_err(limit)
    }
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
            None => {
                let words: Vec<&str> = ran.stderr.split_whitespace().collect();
                Err(fail(format!("{who} failed: {}", words.join(" ").chars().take(300).collect::<String>())))
            }
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

    #[test]
    fn the_self_test_names_its_output() {
        assert_eq!(output(DDLOG.self_test.program), Some(("P", 2)));
        assert_eq!(release("DDlog v1.2.3 (abc)\nCopyright (c)\n").as_deref(), Some("1.2.3"));
    }
}
