//! Soufflé: a process for each program, or for several that are asked together; the answers are read from the files it
//! writes.
//!
//! No package registry has a Soufflé, so the user brings the program, of any release from 1.7 on: what it can do shows
//! in its version and its help. Switches stand in the program as pragmas. With `,compiled` behind the path, whether a
//! program is interpreted or compiled is one more switch; a compiled one takes tens of seconds, so give
//! `--timeout-ms 240000` with it.

mod answers;
mod bundle;
mod said;

use crate::ConnectError;
use crate::once::{self, Answers, Finished, OnceSession, Ran};
use crate::programs;
use answers::{Form, Kind};
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::{
    DatalogDialect, SOUFFLE, SOUFFLE_1_7, SOUFFLE_2_0, SOUFFLE_2_1, SOUFFLE_2_2, SOUFFLE_64, SOUFFLE_COMPILED,
    SOUFFLE_COMPILING,
};
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::session::RejectionClass::{Expected, Internal, Limit};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_host::process::Scratch;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// For what is run once, when connecting.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);

/// Programs that are asked together, and those of them that are run together: with so many, the start of Soufflé is a
/// small part of the time, and what it does more than once for each pair of relations is one as well. (2.5 takes 6.1 ms
/// for one program, 2.4 for each of 8 or 16, 3.0 for each of 48.) Compiling has more to gain.
const BUNDLE: usize = 48;
const RUN: usize = 12;
const COMPILED_RUN: usize = 60;

/// What this Soufflé can do.
#[derive(Clone, Debug)]
struct Build {
    program: PathBuf,
    compiles: bool,
    /// As it says: `UNKNOWN` for one that was built outside of its repository.
    release: String,
    said: String,
    dialect: &'static DatalogDialect,
    no_preprocessor: bool,
    silences_warnings: bool,
    quotes_symbols: bool,
}

/// `place` is a souffle program, with `,compiled` behind it to have programs compiled as well; nothing: that on PATH.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let (place, compiles) = match place.and_then(|p| p.rsplit_once(',')) {
        Some((rest, "compiled")) => (Some(rest), true),
        _ => (place, false),
    };
    let program = PathBuf::from(place.unwrap_or("souffle"));
    let failed = |why: String| {
        let next = "no package registry has a Souffle: install one and pass --engine souffle:PATH";
        ConnectError::Unreachable(format!("cannot run '{}': {why}; {next}", program.display()))
    };
    let say = |option: &str| match once::run(Command::new(&program).arg(option), b"", CONNECT_LIMIT) {
        Ok(Finished::Ended(ran)) => Ok(ran.stdout),
        Ok(Finished::Stopped(why)) => Err(failed(why.into())),
        Err(e) => Err(failed(e.to_string())),
    };
    let (said, help) = (say("--version")?, say("--help")?);
    let build = build(program.clone(), compiles, &said, &help).map_err(failed)?;
    Ok(Box::new(Souffle { build }))
}

/// What is known of a Soufflé from its version and its help. A release without a number is as new as its options.
fn build(program: PathBuf, compiles: bool, said: &str, help: &str) -> Result<Build, String> {
    let release = release(said).ok_or("its version output has no 'Version:' like that of Souffle")?;
    let no_preprocessor = help.contains("no-preprocessor");
    let number = numbered(&release).unwrap_or(if no_preprocessor { (2, 3) } else { (1, 7) });
    let dialect = match (number, said.contains("64 bit")) {
        (_, wide) if compiles && (wide || number < (2, 3)) => {
            return Err("',compiled' takes a release from 2.3 on with 32-bit numbers".into());
        }
        ((2, 3..) | (3.., _), true) => &SOUFFLE_64,
        (_, true) => return Err("64-bit numbers are supported from release 2.3 on".into()),
        ((2, 3..) | (3.., _), _) if compiles => &SOUFFLE_COMPILING,
        ((2, 3..) | (3.., _), _) => &SOUFFLE,
        ((2, 2), _) => &SOUFFLE_2_2,
        ((2, 1), _) => &SOUFFLE_2_1,
        ((2, 0), _) => &SOUFFLE_2_0,
        _ => &SOUFFLE_1_7,
    };
    Ok(Build {
        program,
        compiles,
        said: said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect(),
        dialect,
        no_preprocessor,
        silences_warnings: help.contains("wno"),
        quotes_symbols: number >= (2, 1),
        release,
    })
}

/// From `Version: 2.4.1` (or `Version: 2.5-12-gabc`, or `Version: UNKNOWN`), between lines of dashes.
fn release(said: &str) -> Option<String> {
    let number = said.split("Version:").nth(1)?.split_whitespace().next()?;
    let known = number.starts_with(|c: char| c.is_ascii_digit()) || number == "UNKNOWN";
    known.then(|| number.to_owned())
}

fn numbered(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

struct Souffle {
    build: Build,
}

impl Engine for Souffle {
    fn version(&self) -> String {
        format!("souffle {}", self.build.release)
    }

    fn build(&self) -> String {
        self.build.said.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Datalog(self.build.dialect)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let folder = Scratch::create().map_err(|e| format!("cannot create a temporary folder: {e}"))?;
        let limit = Duration::from_millis(STATEMENT_TIMEOUT_MS / 2);
        let session = SouffleSession { build: self.build.clone(), folder, limit, known: HashMap::new() };
        Ok(Box::new(OnceSession::new(session)))
    }
}

struct SouffleSession {
    build: Build,
    folder: Scratch,
    /// Less than what counts as a hang.
    limit: Duration,
    /// Answers of programs that were run together and not asked for yet.
    known: HashMap<String, Outcome>,
}

impl Answers for SouffleSession {
    fn answer(&mut self, program: &str) -> Outcome {
        if let Some(outcome) = self.known.remove(program) {
            return outcome;
        }
        self.evaluate(program).unwrap_or_else(|why| Outcome::rejected(Limit, why))
    }

    fn limit_time(&mut self, ms: u64) {
        self.limit = Duration::from_millis(ms / 2);
    }

    fn bundle(&self) -> Option<usize> {
        Some(if self.build.compiles { 2 * COMPILED_RUN } else { BUNDLE })
    }

    /// Programs under the same switches go together. Where that does not end well, each is run alone when it is asked.
    fn expect(&mut self, texts: &[&str]) {
        self.known.clear();
        let mut rest: Vec<&str> = texts.iter().copied().filter(|text| self.can_bundle(text)).collect();
        while let Some(first) = rest.first() {
            let (setting, magic) = (bundle::setting(first), bundle::names_magic(first));
            let is_alike = |text: &&&str| bundle::setting(text) == setting && bundle::names_magic(text) == magic;
            let (mut alike, others): (Vec<&str>, Vec<&str>) = rest.iter().partition(|text| is_alike(text));
            alike.sort_unstable();
            alike.dedup();
            let compiled = setting.contains(&SOUFFLE_COMPILED.text);
            for run in alike.chunks(if compiled { COMPILED_RUN } else { RUN }).filter(|run| run.len() > 1) {
                self.known.extend(self.evaluate_together(run).unwrap_or_default());
            }
            rest = others;
        }
    }
}

/// A run of Soufflé, and where it wrote.
struct Printed {
    ran: Ran,
    said: String,
}

impl SouffleSession {
    fn can_bundle(&self, text: &str) -> bool {
        // Branches of all algebraic types need different names, and answers show them.
        let switches_magic = bundle::setting(text).iter().any(|line| line.contains("magic"));
        let branches = text.lines().any(|line| line.starts_with(".type ") && line.contains('{'));
        answers::output(text).is_some()
            && programs::souffle(text).is_none()
            && !answers::needs_quotes(text)
            && !branches
            && !(bundle::subsumes(text) && (bundle::names_magic(text) || switches_magic))
    }

    fn evaluate_together(&self, texts: &[&str]) -> Option<Vec<(String, Outcome)>> {
        let names: Vec<String> =
            texts.iter().enumerate().map(|(at, text)| bundle::output_name(text, at)).collect::<Option<_>>()?;
        let files: Vec<PathBuf> = names.iter().map(|name| self.answer_file(name)).collect();
        files.iter().try_for_each(|file| remove(file)).ok()?;
        let printed = self.run(&bundle::together(texts)).ok()?;
        if printed.ran.crash().is_some() || !printed.ran.status.success() || printed.said.contains("Error:") {
            return None;
        }
        let mut found = Vec::with_capacity(texts.len());
        for (text, file) in texts.iter().zip(&files) {
            let (_, kinds) = answers::output(text)?;
            let written = std::fs::read_to_string(file).ok()?;
            let _ = remove(file);
            let rows = answers::tuples(&written, &kinds, Form::Plain).ok()?;
            found.push(((*text).to_owned(), Outcome::Rows(rows)));
        }
        Some(found)
    }

    fn answer_file(&self, relation: &str) -> PathBuf {
        self.folder.path().join(format!("{relation}.csv"))
    }

    fn evaluate(&self, text: &str) -> Result<Outcome, String> {
        let Some((name, kinds)) = answers::output(text) else {
            return Ok(Outcome::rejected(Expected, "the program does not output exactly one declared relation"));
        };
        if let Some(why) = programs::souffle(text) {
            return Ok(Outcome::rejected(Expected, why));
        }
        let answer = self.answer_file(name);
        // What the last program left must not be taken for this one's answer.
        remove(&answer)?;
        let form = if answers::needs_quotes(text) { Form::Quoted } else { Form::Plain };
        if form == Form::Quoted && kinds.contains(&Kind::Built) {
            return Ok(Outcome::rejected(Limit, "a record with symbols that may have line breaks is not read"));
        }
        let printed = match form {
            Form::Plain => self.run(text)?,
            Form::Quoted if self.build.quotes_symbols => {
                let output = format!(".output {name}");
                self.run(&text.replacen(&output, &format!("{output}(rfc4180=true)"), 1))?
            }
            Form::Quoted => return Err("this release cannot write symbols with line breaks".into()),
        };
        Ok(judge(&printed, &answer, &kinds, form))
    }

    /// Runs a program to its end.
    fn run(&self, text: &str) -> Result<Printed, String> {
        let source = self.folder.path().join("program.dl");
        std::fs::write(&source, text).map_err(|e| format!("cannot use the temporary folder: {e}"))?;
        let mut command = Command::new(&self.build.program);
        command.arg(if self.build.silences_warnings { "--wno=all" } else { "-w" });
        if self.build.no_preprocessor {
            command.arg("--no-preprocessor");
        }
        command.arg("-D").arg(self.folder.path()).arg("-F").arg(self.folder.path());
        if text.lines().any(|line| line == SOUFFLE_COMPILED.text) {
            command.arg("-c");
        }
        command.arg(&source).current_dir(self.folder.path());
        match once::run(&mut command, b"", self.limit).map_err(|e| format!("cannot run souffle: {e}"))? {
            Finished::Stopped(why) => Err(format!("souffle was killed: {why}")),
            Finished::Ended(ran) => {
                let said = format!("{}\n{}", ran.stderr, ran.stdout);
                Ok(Printed { ran, said })
            }
        }
    }
}

fn remove(file: &Path) -> Result<(), String> {
    match std::fs::remove_file(file) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("cannot use the temporary folder: {e}")),
        _ => Ok(()),
    }
}

fn judge(Printed { ran, said }: &Printed, answer: &Path, kinds: &[Kind], form: Form) -> Outcome {
    if let Some(how) = ran.crash() {
        let signal = how.split("; ").next().unwrap_or(&how);
        let how = said::assertion(said).map_or(how.clone(), |assertion| format!("{signal}, {assertion}"));
        return Outcome::Crash(format!("souffle was {how}"));
    }
    if !ran.status.success() || said.contains("Error:") {
        return said::outcome(said, ran.status.code().unwrap_or_default());
    }
    match std::fs::read_to_string(answer) {
        Ok(text) => answers::tuples(&text, kinds, form).map_or_else(|why| Outcome::rejected(Limit, why), Outcome::Rows),
        Err(e) => Outcome::rejected(Internal, format!("it succeeds and writes no answer ({e}): {}", said.trim())),
    }
}

#[cfg(test)]
mod tests;
