//! µZ as a process for each program: the only way to its bddbddb form, and to releases without a shared object.

use super::answer::{self, Shape};
use super::bundle;
use crate::once::{self, Answers, Finished, Ran};
use crate::programs;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::session::{Outcome, RejectionClass};
use qualm_core::value::Rows;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program that runs longer is killed, which is no finding. Half of what counts as a hang.
const WORK_LIMIT: Duration = Duration::from_millis(STATEMENT_TIMEOUT_MS / 2);
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// How a program stands for a switch of the command line, where its form has no word for it.
const SWITCH: &str = "# switch ";

/// Exit code for an error that Z3 reports in words.
const REPORTED: i32 = 110;

/// Programs that are asked together, and those of them that are run together: 12 take 11 ms, and one takes 10.
const BUNDLE: usize = 48;
const RUN: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Rules,
    Datalog { interned: bool },
}

/// Major, minor and patch of the release, and all that it says about itself.
pub fn version(program: &Path) -> Result<((u32, u32, u32), String), String> {
    let finished = once::run(Command::new(program).arg("--version"), b"", VERSION_LIMIT);
    let Finished::Ended(ran) = finished.map_err(|e| e.to_string())? else {
        return Err("it does not print its version".into());
    };
    let said = answer::shortened(&ran.stdout);
    let number = said.strip_prefix("Z3 version ").and_then(|rest| rest.split(' ').next());
    let parts: Vec<u32> = number.unwrap_or_default().split('.').filter_map(|part| part.parse().ok()).collect();
    match parts.as_slice() {
        [major, minor, patch, ..] => Ok(((*major, *minor, *patch), said)),
        _ => Err(format!("it is not Z3: its version output is '{said}'")),
    }
}

pub struct BinarySession {
    program: PathBuf,
    form: Form,
    /// Answers of programs that were run together and not asked for yet.
    known: HashMap<String, Outcome>,
}

impl Answers for BinarySession {
    fn answer(&mut self, text: &str) -> Outcome {
        self.known.remove(text).unwrap_or_else(|| self.evaluate(text))
    }

    fn bundle(&self) -> Option<usize> {
        matches!(self.form, Form::Datalog { .. }).then_some(BUNDLE)
    }

    /// Programs under the same switches go together. Where that does not end well, each is run alone when it is asked.
    fn expect(&mut self, texts: &[&str]) {
        self.known.clear();
        let able = |text: &&str| programs::z3_datalog(text).is_none() && Shape::of_datalog(text).is_some();
        let mut rest: Vec<&str> = texts.iter().copied().filter(able).collect();
        while let Some(first) = rest.first() {
            let setting = bundle::setting(first);
            let (mut alike, others): (Vec<&str>, Vec<&str>) =
                rest.iter().partition(|text| bundle::setting(text) == setting);
            alike.sort_unstable();
            alike.dedup();
            for run in alike.chunks(RUN).filter(|run| run.len() > 1) {
                self.known.extend(self.evaluate_together(run).unwrap_or_default());
            }
            rest = others;
        }
    }
}

impl BinarySession {
    pub fn new(program: PathBuf, form: Form) -> BinarySession {
        BinarySession { program, form, known: HashMap::new() }
    }

    fn evaluate_together(&self, texts: &[&str]) -> Option<Vec<(String, Outcome)>> {
        let Form::Datalog { interned } = self.form else { return None };
        let Ok(Finished::Ended(ran)) = self.run(&bundle::together(texts)) else { return None };
        if ran.crash().is_some() || self.error(&ran).is_some() {
            return None;
        }
        let mut found = Vec::with_capacity(texts.len());
        for (at, text) in texts.iter().enumerate() {
            let rows = answer::of_tuples(bundle::part(&ran.stdout, text, at)?, Shape::of_datalog(text)?, interned);
            found.push(((*text).to_owned(), Outcome::Rows(rows.ok()?)));
        }
        Some(found)
    }

    fn run(&self, text: &str) -> std::io::Result<Finished> {
        let mut command = Command::new(&self.program);
        match self.form {
            Form::Rules => command.arg("-in"),
            Form::Datalog { .. } => {
                command.args(["-dl", "/dev/stdin"]);
                command.args(text.lines().filter_map(|line| line.strip_prefix(SWITCH)))
            }
        };
        once::run(&mut command, text.as_bytes(), WORK_LIMIT)
    }

    fn evaluate(&self, text: &str) -> Outcome {
        let refused = match self.form {
            Form::Rules => programs::z3_rules(text),
            Form::Datalog { .. } => programs::z3_datalog(text),
        };
        if let Some(why) = refused {
            return Outcome::rejected(RejectionClass::Expected, why);
        }
        let shape = match self.form {
            Form::Rules => Shape::of_rules(text),
            Form::Datalog { .. } => Shape::of_datalog(text),
        };
        let Some(shape) = shape else {
            return Outcome::rejected(RejectionClass::Expected, "the program does not query exactly one relation");
        };
        match self.run(text) {
            Ok(Finished::Ended(ran)) => self.read(&ran, shape),
            Ok(Finished::Stopped(why)) => Outcome::rejected(RejectionClass::Limit, format!("z3 was killed: {why}")),
            Err(e) => Outcome::rejected(RejectionClass::Limit, format!("cannot run z3: {e}")),
        }
    }

    /// What it says that is no answer.
    fn error(&self, ran: &Ran) -> Option<Outcome> {
        let said = format!("{}\n{}", ran.stdout, ran.stderr);
        let code = ran.status.code().unwrap_or_default();
        // The code is zero for programs that it could not parse.
        let error = said.contains("ERROR:") || said.contains("(error ") || said.contains("unsupported");
        if !error && code == 0 {
            return None;
        }
        let text = answer::shortened(&said);
        let class = match answer::classify(&text) {
            RejectionClass::Expected if !error && code != REPORTED => RejectionClass::Internal,
            class => class,
        };
        Some(Outcome::rejected(class, format!("{text} (exit code {code})")))
    }

    fn read(&self, ran: &Ran, shape: Shape) -> Outcome {
        if let Some(how) = ran.crash() {
            return Outcome::Crash(format!("z3 was {how}"));
        }
        if let Some(error) = self.error(ran) {
            return error;
        }
        let rows = match self.form {
            Form::Datalog { interned } => answer::of_tuples(&ran.stdout, shape, interned),
            Form::Rules => rules_answer(&ran.stdout, shape),
        };
        rows.map_or_else(|why| Outcome::rejected(RejectionClass::Limit, why), Outcome::Rows)
    }
}

fn rules_answer(said: &str, shape: Shape) -> Result<Rows, String> {
    match said.trim_start().split_once('\n') {
        Some(("unsat", _)) => Ok(Rows::new(shape.arity.max(1))),
        Some(("sat", formula)) => answer::of_formula(formula, shape),
        _ => Err(format!("no answer: '{}'", answer::shortened(said))),
    }
}
