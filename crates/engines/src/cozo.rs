//! CozoDB, linked in: each session has a database in memory, and a program only reads.
//!
//! A panic of CozoDB's is reported as a crash; the session goes on with a fresh database.

mod facts;

use crate::ConnectError;
use crate::deadline::Deadline;
use cozo::{DataValue, DbInstance, NamedRows, Num, ScriptMutability};
use facts::Facts;
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::COZO;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::plan::Plan;
use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The release that Cargo.toml pins.
const RELEASE: &str = "0.7.6";
const WORK_LIMIT: Duration = Duration::from_millis(STATEMENT_TIMEOUT_MS / 2);
const ANSWER_ROWS: usize = 100_000;

struct Cozo;

pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    match place {
        None => Ok(Box::new(Cozo)),
        Some(place) => Err(ConnectError::Usage(format!(
            "'cozo' is built in, release {RELEASE}; it takes nothing after the colon, not '{place}'"
        ))),
    }
}

impl Engine for Cozo {
    fn version(&self) -> String {
        format!("cozo {RELEASE}")
    }

    fn spoken(&self) -> Spoken {
        Spoken::Datalog(&COZO)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        OWN_POOL.with(|_| ());
        Ok(Box::new(CozoSession { db: fresh()?, facts: Facts::default(), deadline: Deadline::start()? }))
    }
}

thread_local! {
    /// CozoDB hands the rules of a stratum to the threads of rayon. Rules as small as ours are done before another
    /// thread has woken up, so a thread with a session is its own pool of one: then nothing is handed over.
    static OWN_POOL: Option<rayon::ThreadPool> =
        rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
}

fn fresh() -> Result<DbInstance, String> {
    DbInstance::new("mem", "", "").map_err(|e| format!("cannot open a database in memory: {e}"))
}

struct CozoSession {
    db: DbInstance,
    facts: Facts,
    deadline: Deadline,
}

impl Session for CozoSession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer(text)
    }

    fn plan(&mut self, _query: &str) -> Option<Plan> {
        None
    }

    fn reset(&mut self) -> Result<(), String> {
        self.db = fresh()?;
        self.facts.forget();
        Ok(())
    }
}

impl CozoSession {
    fn answer(&mut self, text: &str) -> Outcome {
        // What panics there panics again with the whole text.
        let taken_out = catch_unwind(AssertUnwindSafe(|| self.facts.taken_out(text))).unwrap_or_default();
        let (text, values) = taken_out.unwrap_or_else(|| (text.to_owned(), BTreeMap::new()));
        let watched = self.db.clone();
        self.deadline.begin(WORK_LIMIT, move || kill_all(&watched));
        let run = || self.db.run_script(&text, values, ScriptMutability::Immutable);
        let result = catch_unwind(AssertUnwindSafe(run));
        let late = self.deadline.end();
        match result {
            Err(panic) => {
                if let Ok(db) = fresh() {
                    self.db = db;
                }
                Outcome::Crash(format!("cozo panicked: {}", words_of(panic.as_ref())))
            }
            Ok(_) if late => Outcome::rejected(Limit, "time limit"),
            Ok(Ok(rows)) => read(rows),
            Ok(Err(error)) => {
                let parts: Vec<String> = error.chain().map(ToString::to_string).collect();
                let words = parts.join(": ");
                Outcome::rejected(classify(&words), words)
            }
        }
    }
}

fn kill_all(db: &DbInstance) {
    // Asked as a reader: a writer would wait for the very query that is to be killed.
    let run = |script: &str| db.run_script(script, BTreeMap::new(), ScriptMutability::Immutable);
    for row in run("::running").into_iter().flat_map(|answer| answer.rows) {
        if let Some(DataValue::Num(Num::Int(id))) = row.first() {
            let _ = run(&format!("::kill {id}"));
        }
    }
}

fn read(answer: NamedRows) -> Outcome {
    if answer.rows.len() > ANSWER_ROWS {
        return Outcome::rejected(Limit, "answer too long");
    }
    let mut rows = Rows::new(answer.headers.len());
    for row in answer.rows {
        for cell in row {
            rows.cells.push(match cell {
                DataValue::Null => Value::Null,
                DataValue::Bool(truth) => Value::Bool(truth),
                DataValue::Num(Num::Int(number)) => Value::Int(number),
                // Tuples are distinguished by the bits of their floats, NaN among them.
                DataValue::Num(Num::Float(number)) => Value::Real(number),
                DataValue::Str(text) => Value::Text(text.to_string()),
                DataValue::Bytes(bytes) => Value::Blob(bytes),
                other => return Outcome::rejected(Limit, format!("a value that is not read here: {other:?}")),
            });
        }
    }
    Outcome::Rows(rows)
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned())).unwrap_or_default()
}

/// Words of CozoDB's errors that say more than that it does not take the program. The first that fits decides.
const TEXTS: &[(&str, RejectionClass)] = &[
    ("killed before completion", Limit),
    ("The query parser has encountered unexpected input", Expected),
    ("internal error", Internal),
    ("assertion", Internal),
    ("unreachable", Internal),
    ("cannot find compiled", Internal),
];

fn classify(text: &str) -> RejectionClass {
    TEXTS.iter().find(|(words, _)| text.contains(words)).map_or(Expected, |(_, class)| *class)
}
