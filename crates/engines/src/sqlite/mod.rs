//! SQLite, in process: the newest release linked in, or any shared object of a release since 3.7.7.
//!
//! Knows how to run one statement and read typed values; knows no generator and no oracle. Text that is not valid UTF-8
//! (a CAST of a blob makes such) becomes `Value::Blob` of the same bytes: nothing is lost or replaced, and since equal
//! cells become equal values no false difference can come of it.
//! Scripts are what the `sqlite3` shell takes, with its own commands `.testctrl optimizations MASK`, `.parameter` and
//! `.open`, which puts a database into a file: then there are a journal, locks and pages that are read again.

mod api;
pub mod bare;
pub mod database;
pub mod dialect;
mod edges;
mod errors;
mod home;
pub(super) mod knobs;
mod parameters;
mod plan;

use crate::stored::is_release_number;
use crate::{ConnectError, guard};
use api::{Api, Authorizer, Db, Stmt};
use home::Home;
use libsqlite3_sys as ffi;
use qualm_core::dialect::Spoken;
use qualm_core::knobs::{KnobFile, Live};
use qualm_core::plan::Plan;
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::slowness::Work;
use qualm_core::value::{Rows, Value};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::rc::Rc;

/// A statement may take `WORK_TICKS` times `STEPS_PER_TICK` steps of SQLite's virtual machine: the same on every
/// machine, unlike a time limit. (Before SQLite 3.8 the count starts again at each row.)
const STEPS_PER_TICK: c_int = 20_000;
const WORK_TICKS: u32 = 200;
/// Longest answer that is read.
const ANSWER_ROWS: usize = 100_000;
const ANSWER_BYTES: usize = 64 << 20;

/// SQLite's own limits, lowered so that no single step of its machine can take long or much memory.
const LIMITS: &[(c_int, c_int)] = &[
    (ffi::SQLITE_LIMIT_LENGTH, 1_000_000),
    (ffi::SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (ffi::SQLITE_LIMIT_VDBE_OP, 1_000_000),
    (ffi::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (ffi::SQLITE_LIMIT_TRIGGER_DEPTH, 100),
    (ffi::SQLITE_LIMIT_ATTACHED, 2),
];

const OPTIMIZATIONS_CONTROL: c_int = 15;

struct Sqlite {
    api: &'static Api,
}

/// `place` is a shared object, the number of a release that `./x sqlite` built, or nothing for the linked release.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let Some(place) = place else {
        return Ok(Box::new(Sqlite { api: api::bundled() }));
    };
    let (path, next) = if is_release_number(place) {
        (cached_release(place), format!("run './x sqlite {}' to fetch and build it", chore(place)))
    } else {
        (PathBuf::from(place), "pass --engine sqlite:PATH with the path of a libsqlite3 shared object".into())
    };
    match api::load(&path) {
        Ok(api) => Ok(Box::new(Sqlite { api })),
        Err(why) => {
            Err(ConnectError::Unreachable(format!("cannot load sqlite library '{}': {why}; {next}", path.display())))
        }
    }
}

/// Behind the number of a release: the build that says which of its code was reached.
const COVERAGE: &str = "-coverage";

fn cached_release(place: &str) -> PathBuf {
    match place.strip_suffix(COVERAGE) {
        Some(version) => crate::cache_folder().join("sqlite-coverage").join(format!("{version}.so")),
        None => releases_folder().join(format!("{place}.so")),
    }
}

/// What `./x sqlite` has to be given to build it.
fn chore(place: &str) -> String {
    place.strip_suffix(COVERAGE).map_or_else(|| place.to_owned(), |version| format!("{version} --coverage"))
}

/// Where `./x sqlite VERSION` puts what it builds.
pub fn releases_folder() -> PathBuf {
    crate::cache_folder().join("sqlite")
}

impl Engine for Sqlite {
    fn version(&self) -> String {
        format!("sqlite {}", self.api.version())
    }

    fn build(&self) -> String {
        self.api.source_id()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Sql(&dialect::SQLITE)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let mut session = SqliteSession {
            api: self.api,
            db: ptr::null_mut(),
            ticks_left: Rc::new(Cell::new(WORK_TICKS)),
            work_ticks: WORK_TICKS,
            statement: Vec::new(),
            parameters: Vec::new(),
            steps: 0,
            home: Home::default(),
        };
        session.reset()?;
        Ok(Box::new(session))
    }

    fn knob_file(&self) -> &'static str {
        include_str!("../../../../knobs/sqlite.toml")
    }

    fn settings(&self, session: &mut dyn Session, file: &KnobFile) -> Result<Vec<Live>, String> {
        Ok(knobs::settings(self.api.version_number(), session, file))
    }
}

struct SqliteSession {
    api: &'static Api,
    db: *mut Db,
    /// Counted down by `on_tick`, which SQLite calls with a pointer to it.
    ticks_left: Rc<Cell<u32>>,
    /// What each statement starts with.
    work_ticks: u32,
    /// Values that the shell's `.parameter set` gave, by the names of their parameters.
    parameters: Vec<(String, Value)>,
    /// The running statement with a NUL behind it, which spares SQLite a copy of its own.
    statement: Vec<u8>,
    /// Steps of the virtual machine that the last statement took.
    steps: c_int,
    /// Where the file is, for a script that asks for one.
    home: Home,
}

impl Session for SqliteSession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer("", text)
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        match self.answer("EXPLAIN QUERY PLAN ", query) {
            Outcome::Rows(rows) => plan::read(&rows, self.api.version_number()),
            _ => None,
        }
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        self.steps = 0;
        let answered = matches!(self.answer("", query), Outcome::Rows(_));
        // Releases before 3.7.17 count none.
        (answered && self.steps > 0).then(|| Work { amount: self.steps.into(), unit: "VM steps" })
    }

    fn reached(&mut self, places: &mut Vec<u32>) -> bool {
        self.api.edges.as_ref().inspect(|edges| edges.take(places)).is_some()
    }

    fn reset(&mut self) -> Result<(), String> {
        self.parameters.clear();
        self.close();
        self.open(c":memory:")
    }

    fn allow_work(&mut self, times: u32) {
        self.work_ticks = WORK_TICKS.saturating_mul(times);
    }
}

impl Drop for SqliteSession {
    fn drop(&mut self) {
        self.close();
    }
}

/// A statement that ends itself with its scope, so that no early return leaves one open.
struct Prepared<'a> {
    api: &'a Api,
    stmt: *mut Stmt,
}

impl Drop for Prepared<'_> {
    fn drop(&mut self) {
        // Safety: made by prepare_v2, ended once; null is allowed.
        unsafe { (self.api.finalize)(self.stmt) };
    }
}

impl SqliteSession {
    fn open(&mut self, place: &CStr) -> Result<(), String> {
        let flags = ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE | ffi::SQLITE_OPEN_NOMUTEX;
        // Safety: the out pointer is ours; the handle is closed even when opening failed, as SQLite asks.
        unsafe {
            let code = (self.api.open_v2)(place.as_ptr(), &mut self.db, flags, ptr::null());
            if code != ffi::SQLITE_OK {
                let text = format!("cannot open a database: {}", self.error_text());
                self.close();
                return Err(text);
            }
            for (limit, value) in LIMITS {
                (self.api.limit)(self.db, *limit, *value);
            }
            // The linked release is compiled with foreign keys on; people's shells have them off.
            (self.api.db_config)(self.db, ffi::SQLITE_DBCONFIG_ENABLE_FKEY, 0 as c_int, ptr::null_mut::<c_int>());
            let ticks = Rc::as_ptr(&self.ticks_left).cast_mut().cast::<c_void>();
            (self.api.progress_handler)(self.db, STEPS_PER_TICK, Some(on_tick), ticks);
        }
        Ok(())
    }

    fn close(&mut self) {
        // Safety: no statement outlives `answer`, so closing cannot be refused; null is allowed.
        unsafe { (self.api.close)(self.db) };
        self.db = ptr::null_mut();
    }

    fn answer(&mut self, prefix: &str, text: &str) -> Outcome {
        if text.starts_with('.') && prefix.is_empty() {
            return self.shell_command(text);
        }
        let outcome = self.run_in_database(prefix, text);
        match damage(text, &outcome).filter(|_| prefix.is_empty()) {
            Some(what) => Outcome::rejected(RejectionClass::Internal, what),
            None => outcome,
        }
    }

    fn run_in_database(&mut self, prefix: &str, text: &str) -> Outcome {
        let words = Words::of(text.as_bytes());
        if let Some(why) = leaves_the_database(text, words) {
            return guard::not_run(why);
        }
        // Asked only where there is something to ask: it costs a call for every column that is named.
        if !words.watched {
            return self.run_statement(prefix, text);
        }
        self.watch_files(Some(only_memory));
        let outcome = self.run_statement(prefix, text);
        self.watch_files(None);
        outcome
    }

    fn set_parameter(&mut self, command: parameters::Command) -> Outcome {
        match command {
            parameters::Command::Clear => self.parameters.clear(),
            parameters::Command::Unset(name) => self.parameters.retain(|(n, _)| *n != name),
            parameters::Command::Set(name, value) => {
                // As the shell does, the value is whatever SQL makes of it.
                let value = match self.answer("SELECT ", &value) {
                    Outcome::Rows(rows) => rows.scalar().cloned(),
                    other => return other,
                };
                let Some(value) = value else {
                    return Outcome::rejected(RejectionClass::Expected, "a parameter has one value");
                };
                self.parameters.retain(|(n, _)| *n != name);
                self.parameters.push((name, value));
            }
        }
        Outcome::Done
    }

    fn watch_files(&self, authorizer: Option<Authorizer>) {
        // Safety: an open connection; the function needs no data of its own.
        unsafe { (self.api.set_authorizer)(self.db, authorizer, ptr::null_mut()) };
    }

    fn run_statement(&mut self, prefix: &str, text: &str) -> Outcome {
        self.ticks_left.set(self.work_ticks);
        self.statement.clear();
        self.statement.extend_from_slice(prefix.as_bytes());
        self.statement.extend_from_slice(text.as_bytes());
        self.statement.push(0);
        let Ok(length) = c_int::try_from(self.statement.len()) else {
            return Outcome::rejected(RejectionClass::Limit, "statement too long");
        };
        let start = self.statement.as_ptr().cast::<c_char>();
        let (mut stmt, mut rest) = (ptr::null_mut(), start);
        // Safety: the buffer holds `length` bytes, a NUL last, and is not touched before the statement ends.
        let code = unsafe { (self.api.prepare_v2)(self.db, start, length, &mut stmt, &mut rest) };
        if code != ffi::SQLITE_OK {
            return self.rejection(code);
        }
        let prepared = Prepared { api: self.api, stmt };
        // Safety: SQLite sets `rest` into the buffer it was given.
        let used = unsafe { rest.offset_from(start) } as usize;
        if !is_blank(&self.statement[used..self.statement.len() - 1]) {
            return Outcome::rejected(RejectionClass::Expected, "more than one statement in one text");
        }
        if stmt.is_null() {
            return Outcome::Done;
        }
        if let Err(code) = parameters::bind(self.api, stmt, &self.parameters) {
            return self.rejection(code);
        }
        let outcome = self.read(&prepared);
        // Safety: a live statement.
        self.steps = unsafe { (self.api.stmt_status)(stmt, ffi::SQLITE_STMTSTATUS_VM_STEP, 0) };
        outcome
    }

    fn read(&self, prepared: &Prepared) -> Outcome {
        let (api, stmt) = (self.api, prepared.stmt);
        // Safety: a live statement.
        let columns = unsafe { (api.column_count)(stmt) };
        let mut rows = Rows::new(columns as usize);
        let (mut count, mut bytes) = (0, 0);
        loop {
            // Safety: a live statement.
            match unsafe { (api.step)(stmt) } {
                ffi::SQLITE_ROW => {}
                ffi::SQLITE_DONE => break,
                code => return self.rejection(code),
            }
            count += 1;
            if count > ANSWER_ROWS || bytes > ANSWER_BYTES {
                return Outcome::rejected(RejectionClass::Limit, "answer too long");
            }
            for column in 0..columns {
                // Safety: the statement stands on a row that has this column.
                let Some(value) = (unsafe { cell(api, stmt, column) }) else {
                    return Outcome::rejected(RejectionClass::OutOfMemory, "out of memory");
                };
                bytes += match &value {
                    Value::Text(text) => text.len(),
                    Value::Blob(blob) => blob.len(),
                    _ => 0,
                };
                rows.cells.push(value);
            }
        }
        if columns == 0 { Outcome::Done } else { Outcome::Rows(rows) }
    }

    fn rejection(&self, code: c_int) -> Outcome {
        if code & 0xff == ffi::SQLITE_INTERRUPT {
            // Nobody else interrupts.
            return Outcome::rejected(RejectionClass::Limit, "work limit");
        }
        let text = self.error_text();
        if code & 0xff == ffi::SQLITE_AUTH || text == "not authorized" {
            return guard::not_run("only ':memory:' may be attached here");
        }
        Outcome::rejected(errors::classify(code, &text), text)
    }

    fn error_text(&self) -> String {
        // Safety: SQLite gives a text for every handle, null included.
        unsafe { CStr::from_ptr((self.api.errmsg)(self.db)) }.to_string_lossy().into_owned()
    }

    /// Closes the database and opens the one in our file, a new one or that which is there.
    fn open_file(&mut self, new: bool) -> Outcome {
        let place = match self.home.file() {
            Ok(place) => place,
            Err(why) => return Outcome::rejected(RejectionClass::Expected, why),
        };
        self.close();
        if new {
            self.home.clear();
        }
        match self.open(&place) {
            Ok(()) => Outcome::Done,
            Err(why) => Outcome::rejected(RejectionClass::Internal, why),
        }
    }

    /// Commands of the `sqlite3` shell that scripts use: values of parameters; a database in a file; and a mask whose
    /// bits switch optimisations off.
    fn shell_command(&mut self, text: &str) -> Outcome {
        if let Some(command) = parameters::command(text) {
            return self.set_parameter(command);
        }
        if let Some(new) = home::command(text) {
            return self.open_file(new);
        }
        let mut words = text.split_ascii_whitespace();
        let mask = match (words.next(), words.next(), words.next(), words.next()) {
            (Some(".testctrl"), Some("optimizations"), Some(mask), None) => knobs::parse_mask(mask),
            _ => None,
        };
        let Some(mask) = mask else {
            let why = format!(
                "unknown command '{text}'; known are '.testctrl optimizations MASK', '.parameter' and \
                 '.open [--new] {}'",
                home::FILE
            );
            return Outcome::rejected(RejectionClass::Expected, why);
        };
        // Safety: this control takes a connection and an int.
        let code = unsafe { (self.api.test_control)(OPTIMIZATIONS_CONTROL, self.db, mask) };
        if code == ffi::SQLITE_OK {
            return Outcome::Done;
        }
        Outcome::rejected(RejectionClass::Expected, "this build has no '.testctrl optimizations'")
    }
}

/// Lets nothing be attached but databases in memory and the nameless file that a plain VACUUM works in. `VACUUM INTO`
/// asks with the name of its file, and a name that is not known yet comes as null.
unsafe extern "C" fn only_memory(
    _: *mut c_void,
    action: c_int,
    name: *const c_char,
    _: *const c_char,
    _: *const c_char,
    _: *const c_char,
) -> c_int {
    if action != ffi::SQLITE_ATTACH {
        return ffi::SQLITE_OK;
    }
    // Safety: null, or a string of SQLite's that lives through the call.
    let harmless = !name.is_null() && matches!(unsafe { CStr::from_ptr(name) }.to_bytes(), b"" | b":memory:");
    if harmless { ffi::SQLITE_OK } else { ffi::SQLITE_DENY }
}

/// Ends the statement when its work is used up.
unsafe extern "C" fn on_tick(ticks_left: *mut c_void) -> c_int {
    // Safety: points to the session's counter, which lives as long as its connection.
    let ticks_left = unsafe { &*ticks_left.cast::<Cell<u32>>() };
    let left = ticks_left.get();
    ticks_left.set(left.saturating_sub(1));
    c_int::from(left == 0)
}

/// None when SQLite had no memory to convert the text.
///
/// # Safety
/// `stmt` stands on a row that has `column`.
unsafe fn cell(api: &Api, stmt: *mut Stmt, column: c_int) -> Option<Value> {
    unsafe {
        Some(match (api.column_type)(stmt, column) {
            ffi::SQLITE_INTEGER => Value::Int((api.column_int64)(stmt, column)),
            ffi::SQLITE_FLOAT => Value::real((api.column_double)(stmt, column)),
            ffi::SQLITE_TEXT => {
                let start = (api.column_text)(stmt, column);
                if start.is_null() {
                    return None;
                }
                let length = (api.column_bytes)(stmt, column) as usize;
                let bytes = std::slice::from_raw_parts(start, length);
                match std::str::from_utf8(bytes) {
                    Ok(text) => Value::Text(text.to_owned()),
                    Err(_) => Value::Blob(bytes.to_vec()),
                }
            }
            ffi::SQLITE_BLOB => {
                let start = (api.column_blob)(stmt, column).cast::<u8>();
                let length = (api.column_bytes)(stmt, column) as usize;
                // An empty blob is a null pointer.
                Value::Blob(if start.is_null() {
                    Vec::new()
                } else {
                    std::slice::from_raw_parts(start, length).to_vec()
                })
            }
            _ => Value::Null,
        })
    }
}

/// What SQLite's own checks of a database find is an error of the engine, though they give it as rows. What only says
/// that values break a rule that was added, or switched off, is none.
fn damage(text: &str, outcome: &Outcome) -> Option<String> {
    let Outcome::Rows(rows) = outcome else { return None };
    if !CHECKS.iter().any(|check| starts_with_word(text.trim_ascii_start().as_bytes(), check)) {
        return None;
    }
    let bad = |value: &Value| match value {
        Value::Text(said) if said != "ok" && !said.starts_with("CHECK ") && !said.contains(" value in ") => {
            Some(said.lines().next().unwrap_or_default().to_owned())
        }
        _ => None,
    };
    rows.cells.iter().find_map(bad)
}

/// The checks that SQLite has.
const CHECKS: [&[u8]; 3] = [b"PRAGMA integrity_check", b"PRAGMA quick_check", b"SELECT rtreecheck("];

/// What may stand behind a statement: blanks, semicolons, one comment line.
fn is_blank(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii();
    let after = rest.iter().position(|b| *b != b';' && !b.is_ascii_whitespace());
    after.is_none_or(|at| rest[at..].starts_with(b"--") && !rest.contains(&b'\n'))
}

/// Which words of interest occur anywhere in a text, found in one pass: every statement is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    /// A folder for files, a library, and a way to call any address: no question of a hunt needs them.
    outside: bool,
    /// What may reach a file.
    watched: bool,
}

impl Words {
    fn of(text: &[u8]) -> Words {
        let mut words = Words::default();
        let has = |from: Option<usize>, word: &[u8]| {
            let found = from.and_then(|at| text.get(at..at + word.len()));
            found.is_some_and(|part| part.eq_ignore_ascii_case(word))
        };
        for (at, byte) in text.iter().enumerate() {
            // A letter of each word that is rare in others.
            match byte {
                b'_' => {
                    words.outside |= has(Some(at), b"_store_directory")
                        || has(at.checked_sub(4), b"load_extension")
                        || has(at.checked_sub(4), b"fts3_tokenizer");
                }
                b'h' | b'H' => words.watched |= has(at.checked_sub(5), b"attach"),
                b'v' | b'V' => words.watched |= has(Some(at), b"vacuum"),
                _ => {}
            }
        }
        words
    }
}

/// Statements that would write a file. The tool works only in databases that it made itself.
///
/// This names the usual ones. What is hidden behind comments, or names its file by an expression, is found by
/// `only_memory`, which SQLite itself asks.
fn leaves_the_database(text: &str, words: Words) -> Option<&'static str> {
    if words.outside {
        return Some("nothing outside of the database is used here");
    }
    let word = text.trim_ascii_start().as_bytes();
    match word.first() {
        Some(b'a' | b'A') if starts_with_word(word, b"attach") && !text.contains("':memory:'") => {
            Some("only ':memory:' may be attached here")
        }
        Some(b'v' | b'V') if starts_with_word(word, b"vacuum") && text.to_ascii_lowercase().contains("into") => {
            Some("no files are written here")
        }
        _ => None,
    }
}

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_check_finds_is_damage() {
        let said = |text: &str| {
            let mut rows = Rows::new(1);
            rows.cells.push(Value::Text(text.into()));
            Outcome::Rows(rows)
        };
        let check = "pragma integrity_check";
        assert_eq!(damage(check, &said("ok")), None);
        assert_eq!(damage(check, &said("CHECK constraint failed in t")), None);
        assert_eq!(damage(check, &said("NULL value in t.a")), None);
        assert_eq!(damage("SELECT a FROM t", &said("row 1 missing from index i")), None);
        assert!(damage(check, &said("row 1 missing from index i")).unwrap().starts_with("row 1 missing"));
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let of = |text: &str| (Words::of(text.as_bytes()).outside, Words::of(text.as_bytes()).watched);
        for text in ["PRAGMA temp_store_directory", "SELECT Load_Extension('x')", "x FTS3_tokenizer", "fts3_tokenizer("]
        {
            assert_eq!(of(text), (true, false), "{text}");
        }
        for text in ["attach 'x' as y", "/**/ATTACH", "xVACUUMx", "vacuum", "Attach"] {
            assert_eq!(of(text), (false, true), "{text}");
        }
        for text in ["", "_", "h", "ttach", "vacuu", "load_extensio", "oad_extension", "SELECT v_h FROM attac"] {
            assert_eq!(of(text), (false, false), "{text}");
        }
    }
}
