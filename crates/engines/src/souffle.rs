//! Soufflé: a process for each program, interpreted (or compiled, if asked), the answer read from the file it writes.
//!
//! Written to the documentation of 2.x: no package registry has a Soufflé, so the user brings the program. Switches
//! stand in the program as pragmas. A compiled program takes tens of seconds: give `--timeout-ms 120000` with it.

use crate::ConnectError;
use crate::once::{self, Answers, Finished, OnceSession, Ran};
use crate::programs;
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::SOUFFLE;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit, OutOfMemory};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use qualm_host::process::Scratch;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const WORK_LIMIT: Duration = Duration::from_millis(STATEMENT_TIMEOUT_MS / 2);
const COMPILED_LIMIT: Duration = Duration::from_secs(100);
const ANSWER_ROWS: usize = 100_000;

struct Souffle {
    program: PathBuf,
    compiled: bool,
    release: String,
    build: String,
}

/// `place` is a souffle program, with `,compiled` behind it to have programs compiled; nothing: the one on PATH.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let (place, compiled) = match place.and_then(|p| p.rsplit_once(',')) {
        Some((rest, "compiled")) => (Some(rest), true),
        _ => (place, false),
    };
    let program = PathBuf::from(place.unwrap_or("souffle"));
    let failed = |why: String| {
        let next = "no package registry has a Souffle: install one and pass --engine souffle:PATH";
        ConnectError::Unreachable(format!("cannot run '{}': {why}; {next}", program.display()))
    };
    let said = match once::run(Command::new(&program).arg("--version"), b"", COMPILED_LIMIT) {
        Ok(Finished::Ended(ran)) => ran.stdout,
        Ok(Finished::Stopped(why)) => return Err(failed(why.into())),
        Err(e) => return Err(failed(e.to_string())),
    };
    let release =
        release(&said).ok_or_else(|| failed("its version output has no 'Version:' like that of Souffle".into()))?;
    Ok(Box::new(Souffle { program, compiled, release, build: one_line(&said) }))
}

/// From `Version: 2.4.1` (or `Version: 2.5-12-gabc`), between lines of dashes.
fn release(said: &str) -> Option<String> {
    let number = said.split("Version:").nth(1)?.split_whitespace().next()?;
    number.starts_with(|c: char| c.is_ascii_digit()).then(|| number.to_owned())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

impl Engine for Souffle {
    fn version(&self) -> String {
        format!("souffle {}", self.release)
    }

    fn build(&self) -> String {
        self.build.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Datalog(&SOUFFLE)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let folder = Scratch::create().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
        let session = SouffleSession { program: self.program.clone(), compiled: self.compiled, folder };
        Ok(Box::new(OnceSession::new(session)))
    }
}

struct SouffleSession {
    program: PathBuf,
    compiled: bool,
    folder: Scratch,
}

impl Answers for SouffleSession {
    fn answer(&mut self, program: &str) -> Outcome {
        self.evaluate(program).unwrap_or_else(|why| Outcome::rejected(Limit, why))
    }
}

impl SouffleSession {
    fn evaluate(&self, text: &str) -> Result<Outcome, String> {
        let Some((name, kinds)) = output(text) else {
            return Ok(Outcome::rejected(Expected, "the program does not output exactly one declared relation"));
        };
        if let Some(why) = programs::souffle(text) {
            return Ok(Outcome::rejected(Expected, why));
        }
        let (source, answer) = (self.folder.path().join("program.dl"), self.folder.path().join(format!("{name}.csv")));
        let io = |e: std::io::Error| format!("cannot use the temporary folder: {e}");
        // What the last program left must not be taken for this one's answer.
        match std::fs::remove_file(&answer) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io(e)),
            _ => {}
        }
        std::fs::write(&source, text).map_err(io)?;
        let mut command = Command::new(&self.program);
        command.args(["--no-preprocessor", "-w", "-D"]).arg(self.folder.path()).arg("-F").arg(self.folder.path());
        if self.compiled {
            command.arg("-c");
        }
        command.arg(&source).current_dir(self.folder.path());
        let limit = if self.compiled { COMPILED_LIMIT } else { WORK_LIMIT };
        match once::run(&mut command, b"", limit).map_err(|e| format!("cannot run souffle: {e}"))? {
            Finished::Stopped(why) => Err(format!("souffle was killed: {why}")),
            Finished::Ended(ran) => Ok(judge(&ran, &answer, &kinds)),
        }
    }
}

fn judge(ran: &Ran, answer: &Path, kinds: &[Kind]) -> Outcome {
    if let Some(how) = ran.crash() {
        return Outcome::Crash(format!("souffle was {how}"));
    }
    let said = one_line(&format!("{} {}", ran.stderr, ran.stdout));
    if !ran.status.success() || said.contains("Error:") {
        let code = ran.status.code().unwrap_or_default();
        return Outcome::rejected(classify(&said), format!("{said} (exit code {code})"));
    }
    match std::fs::read_to_string(answer) {
        Ok(text) => tuples(&text, kinds).map_or_else(|why| Outcome::rejected(Limit, why), Outcome::Rows),
        Err(e) => Outcome::rejected(Internal, format!("it succeeds and writes no answer ({e}): {said}")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Whole,
    Float,
    Symbol,
}

/// The relation that `.output` names and the kinds of its columns, from its declaration.
fn output(text: &str) -> Option<(&str, Vec<Kind>)> {
    let mut outputs = text.lines().filter_map(|line| line.trim().strip_prefix(".output "));
    let name = outputs.next()?.split(['(', ' ']).next()?;
    let declared = text.lines().find_map(|line| {
        line.trim().strip_prefix(".decl ")?.trim_start().strip_prefix(name)?.trim_start().strip_prefix('(')
    })?;
    let attributes = declared.split(')').next()?.split(',').filter(|a| !a.trim().is_empty());
    let kinds: Option<Vec<Kind>> = attributes.map(|a| kind(a.split_once(':')?.1.trim())).collect();
    outputs.next().is_none().then_some((name, kinds?))
}

fn kind(name: &str) -> Option<Kind> {
    match name {
        "number" | "unsigned" => Some(Kind::Whole),
        "float" => Some(Kind::Float),
        "symbol" => Some(Kind::Symbol),
        _ => None,
    }
}

/// A line for each tuple, its values with tabs between; `()` for the tuple without columns. Symbols are written as they
/// are, so one with a tab or a line break in it makes the answer unreadable.
fn tuples(text: &str, kinds: &[Kind]) -> Result<Rows, String> {
    let mut rows = Rows::new(kinds.len().max(1));
    for line in text.lines() {
        let unread = || format!("cannot read the tuple '{line}'");
        if kinds.is_empty() {
            (line == "()").then(|| rows.cells.push(Value::Bool(true))).ok_or_else(unread)?;
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        if cells.len() != kinds.len() {
            return Err(unread());
        }
        for (cell, kind) in cells.into_iter().zip(kinds) {
            rows.cells.push(match kind {
                Kind::Whole => Value::Int(cell.parse().map_err(|_| unread())?),
                Kind::Float => Value::real(cell.parse().map_err(|_| unread())?),
                Kind::Symbol => Value::Text(cell.to_owned()),
            });
        }
        if rows.len() > ANSWER_ROWS {
            return Err("the answer is too long".into());
        }
    }
    Ok(rows)
}

/// Words of Soufflé's that say more than that it does not take the program. The first that fits decides.
const TEXTS: &[(&str, RejectionClass)] = &[
    ("fatal error:", Internal),
    ("Assertion", Internal),
    ("Internal error", Internal),
    ("unexpected ", Expected),
    ("bad_alloc", OutOfMemory),
];

fn classify(text: &str) -> RejectionClass {
    // The parser's own word for a token in the wrong place.
    let parser = text.contains("syntax error");
    if parser { Expected } else { TEXTS.iter().find(|(w, _)| text.contains(w)).map_or(Expected, |(_, class)| *class) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_lang::datalog::parse;

    /// Answers in the form of its documentation: a line for a tuple, tabs between values. None could be run here.
    #[test]
    fn answers_are_read_as_typed_tuples() {
        let kinds = [Kind::Whole, Kind::Symbol, Kind::Float];
        let rows = tuples("-1\ta b\t0.5\n4294967295\t\t-0\n", &kinds).unwrap();
        assert_eq!(rows.row(0), [Value::Int(-1), Value::Text("a b".into()), Value::Real(0.5)]);
        assert_eq!(rows.row(1)[..2], [Value::Int(4294967295), Value::Text(String::new())]);
        assert!(matches!(rows.row(1)[2], Value::Real(r) if r == 0.0 && r.is_sign_negative()));
        assert!(tuples("", &kinds).unwrap().is_empty());
        assert_eq!(tuples("()\n", &[]).unwrap().len(), 1);
        assert!(tuples("1\t2\n", &kinds).is_err());
        assert!(tuples("x\ta\t1\n", &kinds).is_err());
    }

    #[test]
    fn a_program_says_what_it_outputs() {
        let text = ".decl pq(a:number)\n.decl p(a:number, b:symbol) brie\n.output p\n";
        assert_eq!(output(text), Some(("p", vec![Kind::Whole, Kind::Symbol])));
        assert_eq!(output(".decl p(a:rec)\n.output p\n"), None);
        assert_eq!(output(".decl p()\n.output p\n"), Some(("p", vec![])));
    }

    #[test]
    fn words_are_classed() {
        let undeclared =
            "Error: Undeclared relation b in file program.dl at line 3 1 errors generated, evaluation aborted";
        assert_eq!(classify(undeclared), Expected);
        assert_eq!(classify("Error: syntax error, unexpected ), expecting . in file program.dl at line 2"), Expected);
        assert_eq!(classify("souffle: src/ast/X.cpp:10: Assertion `a' failed."), Internal);
        let version =
            "-----\nVersion: 2.4.1\nWord size: 32 bits\n-----\nCopyright (c) 2016-22 The Souffle Developers.\n";
        assert_eq!(release(version).as_deref(), Some("2.4.1"));
        assert_eq!(release("gnu tool 1.0"), None);
    }

    /// No Soufflé can be had from the registries, so the program that every connection begins with is at least read
    /// by our own parser of its dialect, completely.
    #[test]
    fn the_self_test_is_a_program_of_the_dialect() {
        let parsed = parse::program(SOUFFLE.self_test.program);
        assert!(parsed.unread.is_empty(), "{:?}", parsed.unread);
        assert_eq!(output(SOUFFLE.self_test.program), Some(("p", vec![Kind::Whole, Kind::Symbol])));
    }
}
