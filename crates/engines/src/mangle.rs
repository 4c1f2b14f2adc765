//! Mangle's port to Rust, linked in: a program is compiled and interpreted in a store of its own, and the relation that
//! its line `# output NAME` names is read.
//!
//! The interpreter cannot be interrupted (a long program is the parent's matter) and writes lines to standard error.

use crate::ConnectError;
use mangle_interpreter::{MemStore, Value as Cell};
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::MANGLE;
use qualm_core::plan::Plan;
use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The release that Cargo.toml pins.
const RELEASE: &str = "0.9.2";
const OUTPUT: &str = "# output ";
const ANSWER_ROWS: usize = 100_000;

struct Mangle;

pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    match place {
        None => Ok(Box::new(Mangle)),
        Some(place) => Err(ConnectError::Usage(format!(
            "'mangle' is built in, release {RELEASE}; it takes nothing after the colon, not '{place}'"
        ))),
    }
}

impl Engine for Mangle {
    fn version(&self) -> String {
        format!("mangle {RELEASE}")
    }

    fn spoken(&self) -> Spoken {
        Spoken::Datalog(&MANGLE)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(MangleSession))
    }
}

struct MangleSession;

impl Session for MangleSession {
    fn run(&mut self, text: &str) -> Outcome {
        catch_unwind(AssertUnwindSafe(|| answer(text))).unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned())).unwrap_or_default();
            Outcome::Crash(format!("mangle panicked: {words}"))
        })
    }

    fn plan(&mut self, _query: &str) -> Option<Plan> {
        None
    }

    /// Every program has a store of its own.
    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }
}

fn answer(text: &str) -> Outcome {
    let Some((name, arity)) = output(text) else {
        return Outcome::rejected(Expected, "no line '# output NAME' of a relation that has facts or rules");
    };
    let arena = mangle_ast::Arena::new_with_global_interner();
    let rejected = |words: String| Outcome::rejected(classify(&words), words);
    let (mut ir, strata) = match mangle_driver::compile(text, &arena) {
        Ok(compiled) => compiled,
        Err(error) => return rejected(format!("{error:#}")),
    };
    let run = match mangle_driver::execute(&mut ir, &strata, Box::new(MemStore::new())) {
        Ok(run) => run,
        Err(error) => return rejected(format!("{error:#}")),
    };
    let mut rows = Rows::new(arity.max(1));
    // A relation that has rules, but not a tuple, is not known to the store.
    let Ok(tuples) = run.store().scan(name) else { return Outcome::Rows(rows) };
    for tuple in tuples {
        if tuple.len() != arity || rows.len() >= ANSWER_ROWS {
            return Outcome::rejected(Limit, format!("a tuple of {} columns, or too many of them", tuple.len()));
        }
        if arity == 0 {
            // The empty tuple, for which there must be a cell.
            rows.cells.push(Value::Bool(true));
        }
        for cell in tuple {
            rows.cells.push(match cell {
                Cell::Number(number) => Value::Int(number),
                Cell::Float(number) => Value::real(number),
                Cell::String(text) => Value::Text(text),
                other => return Outcome::rejected(Limit, format!("a value that is not read here: {other:?}")),
            });
        }
    }
    Outcome::Rows(rows)
}

/// The relation that is asked for and its columns, counted in the first clause that has it as its head.
fn output(text: &str) -> Option<(&str, usize)> {
    let name = text.lines().find_map(|line| line.strip_prefix(OUTPUT))?.trim();
    let head = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('('))?;
    let (mut depth, mut commas, mut quoted, mut escaped, mut empty) = (0, 0, false, false, true);
    for c in head.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            ')' if depth == 0 => return Some((name, if empty { 0 } else { commas + 1 })),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
        empty = empty && c.is_whitespace();
    }
    None
}

/// Words of Mangle's errors that say more than that it does not take the program.
const TEXTS: &[(&str, RejectionClass)] =
    &[("internal error", Internal), ("unreachable", Internal), ("assertion", Internal), ("limit", Limit)];

fn classify(text: &str) -> RejectionClass {
    TEXTS.iter().find(|(words, _)| text.contains(words)).map_or(Expected, |(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_and_its_columns_are_found() {
        assert_eq!(output("# output p\npq(1).\np(X, \"a,\\\")\", fn:plus(X, 1)) :- e(X).\n"), Some(("p", 3)));
        assert_eq!(output("# output p\np() :- e(X).\n"), Some(("p", 0)));
        assert_eq!(output("# output p\nq(X) :- e(X).\n"), None);
    }
}
