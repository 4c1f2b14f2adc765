//! DuckDB, in process: any shared object with its C interface, each session in a private database in memory.
//!
//! Knows how to run one statement and read typed values; knows no generator and no oracle. Files and the network are
//! out of the engine's reach: `enable_external_access` is off and there is no folder to spill to.

mod api;
pub mod dialect;
mod plan;
mod read;

use crate::ConnectError;
use crate::deadline::Deadline;
use crate::stored::is_release_number;
use api::{Api, Connection, Database, RawResult, SUCCESS};
use qualm_core::dialect::Spoken;
use qualm_core::knobs::{KnobFile, Live};
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::plan::Plan;
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::slowness::Work;
use qualm_core::value::Value;
use qualm_core::version::by_number;
use read::{Answer, Numbers};
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

const LIBRARY: &str = "libduckdb.so";

/// A statement that runs longer is interrupted, which is no finding. Half of what counts as a hang: a statement that
/// does not heed the interrupt is one.
const WORK_LIMIT: Duration = Duration::from_millis(STATEMENT_TIMEOUT_MS / 2);

/// What a database is opened with; a release that does not know a name is opened without it. The memory is well below
/// `CHILD_MEMORY_BYTES`: reaching it is an error of DuckDB's, reaching the other kills the process.
const CONFIG: &[(&CStr, &CStr)] =
    &[(c"threads", c"2"), (c"memory_limit", c"768MB"), (c"temp_directory", c""), (c"enable_external_access", c"false")];

/// Statements that begin with these words change what outlives a connection or a database.
const LASTING: &[&str] = &["SET", "RESET", "PRAGMA", "CALL", "LOAD", "INSTALL", "ATTACH", "DETACH", "USE"];

/// Statements that have an answer, where the release cannot say so.
const ANSWERED: &[&str] =
    &["SELECT", "WITH", "VALUES", "FROM", "TABLE", "EXPLAIN", "SHOW", "DESCRIBE", "SUMMARIZE", "PRAGMA", "CALL", "("];

/// Statements that releases before 1.0 say to have an answer, of a column without rows.
const UNANSWERED: &[&str] = &["CHECKPOINT", "FORCE", "VACUUM", "ANALYZE"];

/// Optimizers of releases before 0.10, which cannot list them.
const OLD_OPTIMIZERS: &[&str] = &[
    "column_lifetime",
    "common_aggregate",
    "common_subexpressions",
    "compressed_materialization",
    "deliminator",
    "expression_rewriter",
    "filter_pullup",
    "filter_pushdown",
    "in_clause",
    "join_order",
    "regex_range",
    "reorder_filter",
    "statistics_propagation",
    "top_n",
    "unnest_rewriter",
    "unused_columns",
];

/// `duckdb_result_type` of a statement that answers with rows.
const QUERY_RESULT: i32 = 3;

struct DuckDb {
    api: &'static Api,
    numbers: Numbers,
    version: String,
}

/// `place` is a shared object or its folder, the number of a release that `./x duckdb` fetched, or nothing for the
/// newest of those.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let (path, next) = match place {
        None => {
            let next = "run './x duckdb 2.0.0' to fetch one, or pass --engine duckdb:PATH".to_owned();
            (newest().unwrap_or_else(|| releases_folder().join(LIBRARY)), next)
        }
        Some(number) if is_release_number(number) => {
            (releases_folder().join(number), format!("run './x duckdb {number}' to fetch it"))
        }
        Some(path) => {
            (PathBuf::from(path), "pass --engine duckdb:PATH with the path of a libduckdb shared object".to_owned())
        }
    };
    let path = if path.is_dir() { path.join(LIBRARY) } else { path };
    let failed = |why: String| {
        ConnectError::Unreachable(format!("cannot load duckdb library '{}': {why}; {next}", path.display()))
    };
    let api = api::load(&path).map_err(failed)?;
    let mut engine = DuckDb { api, numbers: Numbers::default(), version: String::new() };
    engine.numbers = engine.session().map_err(failed)?.query(c"SELECT 'a'").learn_numbers();
    engine.version = match engine.api.version() {
        Some(version) => version,
        None => engine.scalar("SELECT version()").map_err(failed)?.trim_start_matches('v').to_owned(),
    };
    Ok(Box::new(engine))
}

/// Where `./x duckdb VERSION` puts what it fetches: a folder for each release.
pub fn releases_folder() -> PathBuf {
    crate::cache_folder().join("duckdb")
}

fn newest() -> Option<PathBuf> {
    let releases = std::fs::read_dir(releases_folder()).ok()?.flatten().map(|entry| entry.path());
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let whole = releases.filter(|path| is_release_number(&name(path)) && path.join(LIBRARY).exists());
    whole.max_by(|a, b| by_number(&name(a), &name(b)))
}

impl DuckDb {
    fn session(&self) -> Result<DuckSession, String> {
        let mut session = DuckSession {
            api: self.api,
            deadline: Deadline::start()?,
            numbers: self.numbers,
            db: ptr::null_mut(),
            connection: ptr::null_mut(),
            is_lasting: false,
            attached: 0,
            draws_boxes: false,
        };
        session.open()?;
        Ok(session)
    }

    /// The one cell of an answer, as text.
    fn scalar(&self, query: &str) -> Result<String, String> {
        match self.session()?.run(query) {
            Outcome::Rows(rows) => match rows.scalar() {
                Some(Value::Text(text)) => Ok(text.clone()),
                other => Err(format!("'{query}' gave {other:?}")),
            },
            other => Err(format!("'{query}' gave {other:?}")),
        }
    }
}

impl Engine for DuckDb {
    fn version(&self) -> String {
        format!("duckdb {}", self.version)
    }

    fn build(&self) -> String {
        self.scalar("SELECT source_id FROM pragma_version()").unwrap_or_default()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Sql(&dialect::DUCKDB)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(self.session()?))
    }

    fn knob_file(&self) -> &'static str {
        include_str!("../../../../knobs/duckdb.toml")
    }

    /// Releases that cannot list their optimizers are asked by name.
    fn settings(&self, session: &mut dyn Session, file: &KnobFile) -> Result<Vec<Live>, String> {
        let mut file = file.clone();
        // The question itself is an error where the table function is not there: before 0.10.
        file.group.values_mut().filter(|g| !session.run(&g.list).is_ok()).for_each(|g| g.list.clear());
        let mut live = qualm_core::knobs::list(session, &file)?;
        if !live.iter().any(|s| s.name.starts_with("optimizers.")) {
            let takes = |name: &&&str| session.run(&format!("SET disabled_optimizers = '{name}'")).is_ok();
            let taken = OLD_OPTIMIZERS.iter().filter(takes);
            live.extend(taken.map(|name| Live::new(format!("optimizers.{name}"), "on")));
            session.run("SET disabled_optimizers = ''");
        }
        Ok(live)
    }
}

struct DuckSession {
    api: &'static Api,
    deadline: Deadline,
    numbers: Numbers,
    db: Database,
    connection: Connection,
    /// Something was run that a new connection and a new attached database would not undo.
    is_lasting: bool,
    /// How many databases were attached to this instance one after the other; the last one is in use.
    attached: u64,
    /// This release has no EXPLAIN (FORMAT JSON).
    draws_boxes: bool,
}

impl Session for DuckSession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer(text)
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        if !self.draws_boxes {
            match self.run(&format!("EXPLAIN (FORMAT JSON) {query}")) {
                Outcome::Rows(rows) => return plan::read_json(last_text(&rows.cells)?),
                Outcome::Rejected(why) if why.text.contains("explain type") => self.draws_boxes = true,
                Outcome::Rejected(why) if why.text.contains("syntax error") => {}
                _ => return None,
            }
        }
        match self.run(&format!("EXPLAIN {query}")) {
            Outcome::Rows(rows) => plan::read_boxes(last_text(&rows.cells)?),
            _ => None,
        }
    }

    fn estimate(&mut self, query: &str) -> Option<f64> {
        match self.run(&format!("EXPLAIN (FORMAT JSON) {query}")) {
            Outcome::Rows(rows) => plan::expected_rows(last_text(&rows.cells)?),
            _ => None,
        }
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        match self.run(&format!("EXPLAIN (ANALYZE, FORMAT JSON) {query}")) {
            Outcome::Rows(rows) => {
                plan::processed_rows(last_text(&rows.cells)?).map(|amount| Work { amount, unit: "rows processed" })
            }
            _ => None,
        }
    }

    fn reset(&mut self) -> Result<(), String> {
        if !self.is_lasting && self.swap() {
            return Ok(());
        }
        self.close();
        self.open()
    }
}

/// EXPLAIN answers with a key and a value.
fn last_text(cells: &[Value]) -> Option<&str> {
    match cells.last() {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

impl Drop for DuckSession {
    fn drop(&mut self) {
        self.close();
    }
}

impl DuckSession {
    fn open(&mut self) -> Result<(), String> {
        let api = self.api;
        let (mut config, mut error) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: all out pointers are ours; the configuration is destroyed and the error freed here. Null stands for a
        // database in memory.
        let code = unsafe {
            (api.create_config)(&mut config);
            for (name, value) in CONFIG {
                (api.set_config)(config, name.as_ptr(), value.as_ptr());
            }
            let code = (api.open_ext)(ptr::null(), &mut self.db, config, &mut error);
            (api.destroy_config)(&mut config);
            code
        };
        if code != SUCCESS {
            let mut text = String::new();
            if !error.is_null() {
                // SAFETY: a text that ends in NUL, ours to free.
                unsafe {
                    text = CStr::from_ptr(error).to_string_lossy().into_owned();
                    (api.free)(error.cast());
                }
            }
            return Err(format!("cannot open a database in memory: {text}"));
        }
        (self.is_lasting, self.attached) = (false, 0);
        self.connect()?;
        self.attach();
        Ok(())
    }

    fn connect(&mut self) -> Result<(), String> {
        // SAFETY: an open database; the out pointer is ours.
        if unsafe { (self.api.connect)(self.db, &mut self.connection) } != SUCCESS {
            return Err("cannot connect to a database in memory".into());
        }
        Ok(())
    }

    fn disconnect(&mut self) {
        if !self.connection.is_null() {
            // SAFETY: made by connect, ended once; it sets the pointer to null.
            unsafe { (self.api.disconnect)(&mut self.connection) };
        }
        self.connection = ptr::null_mut();
    }

    fn close(&mut self) {
        self.disconnect();
        if !self.db.is_null() {
            // SAFETY: made by open_ext, ended once; nothing is connected any more.
            unsafe { (self.api.close)(&mut self.db) };
        }
        self.db = ptr::null_mut();
    }

    /// A new connection and a fresh database beside the old one, which goes: to open an instance takes 10 ms, this half
    /// a millisecond. False where that does not work.
    fn swap(&mut self) -> bool {
        if self.attached == 0 {
            return false;
        }
        self.disconnect();
        let old = self.attached;
        self.connect().is_ok() && self.attach() && self.execute(&format!("DETACH q{old}")).is_ok()
    }

    /// Makes a fresh database and uses it. Before 0.7 there is no ATTACH: the instance's own one is used then.
    fn attach(&mut self) -> bool {
        let new = self.attached + 1;
        let works = self.execute(&format!("ATTACH ':memory:' AS q{new}")).is_ok();
        if works && self.execute(&format!("USE q{new}")).is_ok() {
            self.attached = new;
            return true;
        }
        false
    }

    fn answer(&mut self, text: &str) -> Outcome {
        self.is_lasting |= is_one_of(first_word(text), LASTING);
        let outcome = self.execute(text);
        // DuckDB works no more after some of these errors, and cannot be trusted after the others.
        self.is_lasting |= matches!(&outcome, Outcome::Rejected(r) if r.class != RejectionClass::Expected);
        outcome
    }

    /// A statement begins. Releases before 0.9 cannot be interrupted: a long one is the parent's matter there.
    fn begin(&self) {
        let (interrupt, connection) = (self.api.interrupt, self.connection as usize);
        self.deadline.begin(WORK_LIMIT, move || {
            if let Some(interrupt) = interrupt {
                // SAFETY: any thread may interrupt a connection while it is open, and it is closed after `end`.
                unsafe { interrupt(connection as Connection) };
            }
        });
    }

    fn query(&mut self, statement: &CStr) -> Answer<'static> {
        let numbers = self.numbers;
        let mut answer = Answer { api: self.api, raw: RawResult::default(), code: SUCCESS, numbers };
        // SAFETY: an open connection, a text that ends in NUL, and a place for the result, which `answer` frees.
        answer.code = unsafe { (self.api.query)(self.connection, statement.as_ptr(), &mut answer.raw) };
        answer
    }

    fn execute(&mut self, text: &str) -> Outcome {
        let Ok(statement) = CString::new(text) else {
            return Outcome::rejected(RejectionClass::Expected, "a NUL in the text of a statement");
        };
        self.begin();
        let mut answer = self.query(&statement);
        let is_late = self.deadline.end();
        if !answer.is_ok() {
            let error = answer.error();
            return Outcome::rejected(classify(&error, is_late), first_cause(error));
        }
        let word = first_word(text);
        let has_answer = match self.api.return_type {
            // SAFETY: a live result, of which the function gets a copy that it does not keep.
            Some(return_type) => unsafe { return_type(answer.raw) == QUERY_RESULT && !is_one_of(word, UNANSWERED) },
            None => is_one_of(word, ANSWERED),
        };
        if has_answer { answer.rows() } else { Outcome::Done }
    }
}

/// After an internal error a database answers everything with its loss, and quotes what happened at first. Reported in
/// the words of the first error, both are one bug.
fn first_cause(error: String) -> String {
    match error.split_once("Original error: \"") {
        Some((_, first)) if error.contains("has been invalidated") => {
            format!("INTERNAL Error: {}", first.trim_end_matches('"'))
        }
        _ => error,
    }
}

/// What DuckDB's words mean for a hunt. `Internal` is always a finding: only words that DuckDB uses when its own state
/// is wrong.
fn classify(error: &str, is_late: bool) -> RejectionClass {
    let says = |words: &[&str]| words.iter().any(|word| error.contains(word));
    if says(&["INTERRUPT Error", "Interrupted!"]) || is_late && says(&["nterrupt"]) {
        RejectionClass::Limit
    } else if says(&["Out of Memory Error"]) {
        // The limit is ours, and millions of rows to be sorted do not fit into it.
        RejectionClass::Limit
    } else if says(&["bad_alloc", "bad alloc", "could not allocate", "failed to allocate"]) {
        RejectionClass::OutOfMemory
    } else if says(&["INTERNAL Error", "FATAL Error"]) {
        RejectionClass::Internal
    } else if says(&["Max expression depth", "recursion depth", "stack overflow"]) {
        RejectionClass::Limit
    } else {
        RejectionClass::Expected
    }
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    if text.starts_with('(') {
        return "(";
    }
    text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default()
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|w| w.eq_ignore_ascii_case(word))
}
