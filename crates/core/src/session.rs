//! What the rest of the tool knows of an engine: open a session on a fresh private database, run text, get an outcome.
//! A driver implements these two traits and nothing else; no syntax tree and no oracle is visible to it.

pub use crate::dialect::Spoken;
use crate::dialect::datalog::DatalogDialect;
use crate::dialect::graph::GraphDialect;
use crate::dialect::sql::Dialect;
use crate::knobs::{self, KnobFile, Live};
use crate::plan::Plan;
use crate::slowness::Work;
use crate::value::Rows;
use serde::{Deserialize, Serialize};

/// A text that begins so is for the second engine, where two are compared. It is a comment, so that every client takes
/// such a script.
pub const OTHER: &str = "/* other */ ";
/// And one that begins so is for the first engine alone, so that it can be timed.
pub const THIS: &str = "/* this */ ";

/// What came back from one statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    Rows(Rows),
    /// The statement worked and has no answer (DDL, DML, settings).
    Done,
    Rejected(Rejection),
    /// The process that ran the engine died; the text says how (signal, last words on stderr).
    Crash(String),
    /// The statement did not end within its limit and was killed.
    Hang(u64),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rejection {
    pub class: RejectionClass,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RejectionClass {
    /// The engine does not take this statement (syntax, types, constraints). Never a finding.
    Expected,
    /// A limit of ours or of the engine's was reached (work, size, depth, time). Never a finding, never compared.
    Limit,
    /// The engine had no memory left under our limit.
    OutOfMemory,
    /// The driver did not let the engine see it: it reaches beyond the session's own database. Nothing is known of what
    /// the engine would say, so a case with such a statement is not judged.
    NotRun,
    /// The engine says that something is wrong inside it ("malformed", "corrupt", "internal"). Always a finding.
    Internal,
}

impl Outcome {
    pub fn rejected(class: RejectionClass, text: impl Into<String>) -> Outcome {
        Outcome::Rejected(Rejection { class, text: text.into() })
    }

    pub fn is_ok(&self) -> bool {
        matches!(self, Outcome::Rows(_) | Outcome::Done)
    }
}

/// One stateful connection to one fresh, private database.
pub trait Session {
    /// Runs one statement, in the text that a person would paste into the engine's own shell.
    fn run(&mut self, text: &str) -> Outcome;

    /// Says which statements come next, in this order, as far as the caller knows: each is still run by `run`. A driver
    /// for which a round trip is dear may send them all at once. What is announced and then not run may have been run
    /// all the same, so the caller announces only queries, or what it throws away if it stops half way.
    fn announce(&mut self, _texts: &[&str]) {}

    /// How the engine would answer this query, if it can say.
    fn plan(&mut self, query: &str) -> Option<Plan>;

    /// How many rows the engine expects this query to return, if it says.
    fn estimate(&mut self, _query: &str) -> Option<f64> {
        None
    }

    /// Runs a query and says how much work that was, in units that the engine counts itself and that are the same for
    /// every run. Nothing where it counts none, or the query was not answered.
    fn work(&mut self, _query: &str) -> Option<Work> {
        None
    }

    /// Adds the places of the engine's own code that were reached since the last call, each once, as numbers below
    /// `coverage::PLACES`. False where the engine's build does not say.
    fn reached(&mut self, _places: &mut Vec<u32>) -> bool {
        false
    }

    /// Throws the database away and starts with a fresh empty one, settings at their defaults.
    fn reset(&mut self) -> Result<(), String>;

    /// Says that the state is built: the statements from here on are questions, which a recorder may forget when it is
    /// full. To be said again after every further statement that changes the state.
    fn mark(&mut self) {}

    /// Says what the next questions are made from, as JSON, in case the engine takes this process down with one of
    /// them. It is made only where somebody keeps it.
    fn about(&mut self, _source: &dyn Fn() -> Option<String>) {}

    /// From now on a statement may do so many times the usual work before a limit of the driver's own stops it. For
    /// drivers that count work; the others have no such limit.
    fn allow_work(&mut self, _times: u32) {}

    /// Why the engine can do no more in this process, where it could in a new one: then the process is replaced.
    fn exhausted(&self) -> Option<&str> {
        None
    }

    /// How long a statement may run (`--timeout-ms`): a driver that starts a process for each gives up before that, so
    /// that what takes too long is not always taken for a hang.
    fn limit_time(&mut self, _ms: u64) {}

    /// Into how many questions it is best to bundle what is asked; nothing where that makes no difference.
    fn bundle(&self) -> Option<usize> {
        None
    }

    /// Says which questions come next, each of them independent of all others: a driver may answer them together and
    /// keep the answers until they are asked for. Errors show when they are.
    fn expect(&mut self, _texts: &[&str]) {}

    /// Nanoseconds spent inside the engine, where somebody counts them: what records a session does, drivers do not.
    fn engine_nanos(&self) -> u64 {
        0
    }

    /// Whether that time is spent waiting for another process, so that it is no CPU time of this one.
    fn waits(&self) -> bool {
        false
    }

    /// CPU seconds of a server that was started for this session's process alone.
    fn server_cpu_seconds(&self) -> f64 {
        0.0
    }
}

/// An engine that can be reached: made by `engine::connect`.
pub trait Engine {
    /// Product and release, for instance `sqlite 3.54.1`.
    fn version(&self) -> String;
    /// The exact build (check-in, compile time), where the engine can say.
    fn build(&self) -> String {
        String::new()
    }
    /// What its language can do.
    fn spoken(&self) -> Spoken;
    fn sql(&self) -> Option<&'static Dialect> {
        self.spoken().sql()
    }
    fn datalog(&self) -> Option<&'static DatalogDialect> {
        self.spoken().datalog()
    }
    fn graph(&self) -> Option<&'static GraphDialect> {
        self.spoken().graph()
    }
    fn open(&self) -> Result<Box<dyn Session>, String>;
    /// What a user should know about how sessions work here; known once one was opened.
    fn caveat(&self) -> Option<String> {
        None
    }
    /// The text of `knobs/ENGINE.toml`: which settings must not change answers. Empty where there are none.
    fn knob_file(&self) -> &'static str {
        ""
    }
    /// The settings that the engine has now; by default what the statements in the file of knobs answer.
    fn settings(&self, session: &mut dyn Session, file: &KnobFile) -> Result<Vec<Live>, String> {
        knobs::list(session, file)
    }
}
