//! PostgreSQL: a private server of a fetched release or of the one on PATH, or a running server by its URL.
//!
//! Each session works in a database that it makes itself and drops at its end, as a role that owns this database and
//! nothing else. Knows how to run one statement and what its errors mean; knows no generator and no oracle.

pub mod dialect;
mod home;
mod plan;
mod role;
mod wire;

use crate::guard::{self, Flavour};
use crate::owned::{self, Fate};
use crate::stored::is_release_number;
use crate::url::shown;
use crate::{ConnectError, no_role};
pub use home::releases_folder;
use home::{Home, Release};
use qualm_core::dialect::Spoken;
use qualm_core::plan::Plan;
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::slowness::Work;
use qualm_core::value::Value;
use qualm_host::death;
use role::{Role, drop_role};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use wire::{Connection, FailureKind, Refusal, Target};

/// Tries to get a fresh database from a server that is recovering from a crash, and the pause before each.
const RESET_RETRIES: u32 = 5;
const RESET_PAUSE: std::time::Duration = std::time::Duration::from_millis(100);
/// A database is thrown away after so many resets: each leaves dead rows in its catalogue.
const RESETS_PER_DATABASE: u32 = 300;
/// For making and dropping databases; below what a child may take outside of statements.
const ADMIN_STATEMENT_MS: u64 = 30_000;
/// A process of the server that still uses a database ends soon after its connection.
const DROP_ATTEMPTS: u32 = 100;
const DROP_PAUSE_MS: u64 = 20;

struct Postgres {
    home: Rc<Home>,
    version: String,
    build: String,
    caveat: Rc<RefCell<Option<String>>>,
}

/// `place` is the number of a fetched release, the URL of a running server, or nothing for the newest release.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let usage =
        |url: &str, why| ConnectError::Usage(format!("'{}' is not the URL of a PostgreSQL server: {why}", shown(url)));
    let home = match place {
        None => Home::private(Release::newest()?),
        Some(version) if is_release_number(version) => Home::private(Release::cached(version)?),
        Some(url) => {
            // `--engine postgres://…` is the URL itself.
            let full = if url.starts_with("//") { format!("postgres:{url}") } else { url.to_string() };
            Home::Running(Target::parse(&full).map_err(|why| usage(&full, why))?)
        }
    };
    let unreachable = |why: &dyn std::fmt::Display| {
        let name = place.map_or("postgres".into(), |p| shown(&format!("postgres:{p}")));
        ConnectError::Unreachable(format!("engine '{name}' does not answer: {why}"))
    };
    let mut connection = home.connect(None).map_err(|e| unreachable(&e))?;
    let build = connection.query("SELECT version()").map_err(|e| unreachable(&e))?;
    let version = format!("postgres {}", connection.server_version);
    let build = build.and_then(|rows| text_of(rows.scalar()?)).unwrap_or_default();
    Ok(Box::new(Postgres { home: Rc::new(home), version, build, caveat: Rc::default() }))
}

fn text_of(value: &Value) -> Option<String> {
    if let Value::Text(text) = value { Some(text.clone()) } else { None }
}

impl Engine for Postgres {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn build(&self) -> String {
        self.build.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Sql(&dialect::POSTGRES)
    }

    fn caveat(&self) -> Option<String> {
        self.caveat.borrow().clone()
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let mut session = PostgresSession {
            home: self.home.clone(),
            caveat: self.caveat.clone(),
            role: None,
            connection: None,
            database: None,
            resets: 0,
            spread: false,
            log_from: 0,
        };
        session.drop_orphans();
        session.reset()?;
        Ok(Box::new(session))
    }

    fn knob_file(&self) -> &'static str {
        include_str!("../../../../knobs/postgres.toml")
    }
}

struct PostgresSession {
    home: Rc<Home>,
    /// None after it was lost, until the next reset.
    connection: Option<Connection>,
    /// The database that this session has made.
    database: Option<String>,
    /// Who owns it, where such a one could be made.
    role: Option<Role>,
    caveat: Rc<RefCell<Option<String>>>,
    resets: u32,
    /// Something may be outside of the schema that a quick reset empties.
    spread: bool,
    log_from: u64,
}

impl Session for PostgresSession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer(text)
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        let text = format!("EXPLAIN (FORMAT JSON, COSTS OFF) {query}");
        match self.answer(&text) {
            Outcome::Rows(rows) => plan::read(&text_of(rows.scalar()?)?),
            _ => None,
        }
    }

    fn estimate(&mut self, query: &str) -> Option<f64> {
        match self.answer(&format!("EXPLAIN (FORMAT JSON) {query}")) {
            Outcome::Rows(rows) => plan::expected_rows(&text_of(rows.scalar()?)?),
            _ => None,
        }
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        let text = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) {query}");
        match self.answer(&text) {
            Outcome::Rows(rows) => {
                plan::processed_rows(&text_of(rows.scalar()?)?).map(|amount| Work { amount, unit: "rows processed" })
            }
            _ => None,
        }
    }

    fn reset(&mut self) -> Result<(), String> {
        self.resets += 1;
        let quick = self.resets < RESETS_PER_DATABASE && !self.spread;
        if quick && self.empty_schema().is_ok() {
            return Ok(());
        }
        let mut made = self.fresh_database();
        for _ in 0..RESET_RETRIES {
            // A server takes a moment to notice that one of its processes crashed, and then ends all connections.
            let Err(FailureKind::Lost(..)) = made else { break };
            std::thread::sleep(RESET_PAUSE);
            made = self.fresh_database();
        }
        made.map_err(|e| {
            let why = self.death().map_or_else(|| e.to_string(), |(words, _)| words);
            format!("no fresh PostgreSQL database: {why}")
        })
    }

    fn waits(&self) -> bool {
        true
    }

    fn server_cpu_seconds(&self) -> f64 {
        self.home.cpu_seconds()
    }
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        self.connection = None;
        // A private server that is gone is not started again for this.
        if self.home.is_up() {
            let _ = self.drop_database();
            self.drop_orphans();
        }
    }
}

impl PostgresSession {
    fn answer(&mut self, text: &str) -> Outcome {
        let refused = match *self.home {
            Home::Running(_) => guard::sql(text, Flavour::Postgres),
            Home::Private { .. } => leaves_the_database(text).map(str::to_string),
        };
        if let Some(why) = refused {
            return guard::not_run(&why);
        }
        let Some(connection) = &mut self.connection else {
            return Outcome::rejected(RejectionClass::Limit, "the connection was lost before; it needs a reset");
        };
        self.spread |= spreads(text);
        match connection.query(text) {
            Ok(Some(rows)) => Outcome::Rows(rows),
            Ok(None) => Outcome::Done,
            Err(FailureKind::Refused(refusal)) => {
                Outcome::rejected(classify(&refusal.sqlstate), format!("{} ({})", refusal.text, refusal.sqlstate))
            }
            Err(FailureKind::TooLong) => Outcome::rejected(RejectionClass::Limit, "the answer is too long"),
            Err(FailureKind::Lost(why, said)) => self.lost(&why, said),
        }
    }

    /// What it means that the connection is gone.
    fn lost(&mut self, why: &str, said: Option<Refusal>) -> Outcome {
        self.connection = None;
        if let Some(refusal) = said.filter(|r| r.sqlstate == "57P01") {
            // Someone made the server end this connection: not the engine's fault.
            return Outcome::Crash(death::outside(&refusal.text));
        }
        match self.death() {
            Some((words, true)) => Outcome::rejected(RejectionClass::OutOfMemory, words),
            Some((words, false)) => Outcome::Crash(words),
            None => Outcome::Crash(format!("the server closed the connection in the middle of a statement: {why}")),
        }
    }

    /// How the server, or one of its processes, died, and whether for want of memory. A kill from outside is marked.
    fn death(&self) -> Option<(String, bool)> {
        let words = self.home.death_since(self.log_from)?;
        let killed = ["terminated by signal 9:", "terminated by signal 15:"].iter().any(|how| words.contains(how));
        match killed {
            true if self.home.ran_out_of_memory() => Some((words, true)),
            true => Some((death::outside(&words), false)),
            false => Some((words, false)),
        }
    }

    /// Empties the database that is there: two round trips, some milliseconds.
    fn empty_schema(&mut self) -> Result<(), FailureKind> {
        let connection = self.connection.as_mut().ok_or(FailureKind::Lost("no connection".into(), None))?;
        connection.query("ROLLBACK")?;
        connection.query("DISCARD ALL")?;
        self.role.as_ref().map_or(Ok(()), |role| role.take_place(connection))?;
        connection.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public")?;
        Ok(())
    }

    /// A connection that makes and drops databases. On a busy machine that takes longer than a statement of a hunt may.
    fn admin(&self) -> Result<Connection, FailureKind> {
        let mut admin = self.home.connect(None)?;
        admin.query(&format!("SET statement_timeout = {ADMIN_STATEMENT_MS}"))?;
        Ok(admin)
    }

    fn fresh_database(&mut self) -> Result<(), FailureKind> {
        self.connection = None;
        self.drop_database()?;
        let mut admin = self.admin()?;
        let major = major_of(&admin);
        let name = owned::fresh();
        // Known from here on, so that whatever happens next is put away in the end.
        self.database = Some(name.clone());
        self.role = self.make_role(&mut admin, &name)?;
        let made = create_database(&mut admin, &name, self.role.is_some());
        if let (Err(FailureKind::Refused(refusal)), Some(_)) = (&made, &self.role) {
            self.caution(&refusal.text);
            (self.role, _) = (None, drop_role(&mut admin, &name));
            create_database(&mut admin, &name, false)?;
        } else {
            made?;
        }
        self.connection = Some(match &mut self.role {
            Some(role) => role.enter(&self.home, major)?,
            None => self.home.connect(Some(&name))?,
        });
        self.log_from = self.home.log_bytes();
        (self.resets, self.spread) = (0, false);
        Ok(())
    }

    /// The owner of a database to be. Nothing where the server does not allow it.
    fn make_role(&self, admin: &mut Connection, name: &str) -> Result<Option<Role>, FailureKind> {
        match Role::create(admin, name) {
            Ok(role) => {
                if let Home::Private { .. } = *self.home {
                    role.allow_settings(admin);
                }
                Ok(Some(role))
            }
            Err(FailureKind::Refused(refusal)) => {
                self.caution(&refusal.text);
                Ok(None)
            }
            Err(lost) => Err(lost),
        }
    }

    fn caution(&self, why: &str) {
        *self.caveat.borrow_mut() = Some(no_role("role", why));
    }

    /// Drops the database that this session has made, and its owner. A private server that is gone took them along.
    fn drop_database(&mut self) -> Result<(), FailureKind> {
        let Some(name) = self.database.take() else { return Ok(()) };
        self.role = None;
        let mut admin = self.admin()?;
        drop_when_free(&mut admin, &name, "")?;
        drop_role(&mut admin, &name);
        Ok(())
    }

    /// What killed runs have left on a server that is not ours: their names say whose they were.
    fn drop_orphans(&mut self) {
        if !matches!(*self.home, Home::Running(_)) {
            return;
        }
        let Ok(mut admin) = self.admin() else { return };
        let all = "SELECT datname::text FROM pg_database WHERE datname LIKE 'qualm\\_%' \
                   UNION SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'qualm\\_%'";
        let Ok(Some(rows)) = admin.query(all) else { return };
        for name in rows.cells.iter().filter_map(text_of) {
            let force = match owned::fate(&name) {
                // The server may still be busy with what its owner asked last.
                Fate::Orphan if major_of(&admin) >= 13 => " WITH (FORCE)",
                // One that is in use after all is not dropped.
                Fate::Orphan | Fate::Expired => "",
                Fate::InUse | Fate::Foreign => continue,
            };
            if drop_when_free(&mut admin, &name, force).is_ok() {
                drop_role(&mut admin, &name);
            }
        }
    }
}

fn major_of(connection: &Connection) -> u32 {
    connection.server_version.split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn create_database(admin: &mut Connection, name: &str, owned: bool) -> Result<(), FailureKind> {
    let owner = if owned { format!(" OWNER {name}") } else { String::new() };
    let provider = if major_of(admin) >= 15 { " LOCALE_PROVIDER libc" } else { "" };
    let like = "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'";
    admin.query(&format!("CREATE DATABASE {name}{owner} {like}{provider}")).map(drop)
}

fn drop_when_free(admin: &mut Connection, name: &str, force: &str) -> Result<(), FailureKind> {
    let text = format!("DROP DATABASE IF EXISTS {name}{force}");
    for _ in 1..DROP_ATTEMPTS {
        match admin.query(&text) {
            // The process of the connection just closed is still there.
            Err(FailureKind::Refused(r)) if r.sqlstate == "55006" => {
                std::thread::sleep(Duration::from_millis(DROP_PAUSE_MS));
            }
            done => return done.map(drop),
        }
    }
    admin.query(&text).map(drop)
}

/// What an SQLSTATE means for a hunt.
fn classify(sqlstate: &str) -> RejectionClass {
    match sqlstate {
        "53200" => RejectionClass::OutOfMemory,
        // Cancelled by the statement's time-out; a lock that was not to be had.
        "57014" | "55P03" => RejectionClass::Limit,
        code if code.starts_with("XX") => RejectionClass::Internal,
        code if code.starts_with("53") || code.starts_with("54") => RejectionClass::Limit,
        _ => RejectionClass::Expected,
    }
}

/// The first words of a statement in lower case, comments not looked at.
fn first_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
    words.take(3).map(str::to_ascii_lowercase).collect()
}

/// Statements that reach beyond the session's own database. The tool works only in what it made itself.
fn leaves_the_database(text: &str) -> Option<&'static str> {
    let words = first_words(text);
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    match (word(0), word(1)) {
        ("copy", _) => Some("no files are read or written here"),
        ("alter", "system") => Some("the server's settings must not be changed"),
        ("create" | "alter" | "drop", "database" | "role" | "user" | "group" | "tablespace") => {
            Some("only things inside the session's own database are made here")
        }
        ("load", _) => Some("no libraries are loaded here"),
        ("reassign", _) => Some("roles are left alone"),
        ("drop", "owned") => Some("roles are left alone"),
        _ => None,
    }
}

/// Statements whose effect may be outside of the schema `public`.
fn spreads(text: &str) -> bool {
    let words = first_words(text);
    let word = |i: usize| words.get(i).map_or("", String::as_str);
    matches!(word(0), "create" | "alter" | "drop" | "import" | "do" | "grant" | "security" | "comment")
        && !matches!(word(1), "table" | "index" | "view" | "unique" | "sequence" | "temp" | "temporary" | "unlogged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_classed() {
        use RejectionClass::*;
        let cases = [
            ("42601", Expected),
            ("22012", Expected),
            ("XX000", Internal),
            ("XX002", Internal),
            ("53200", OutOfMemory),
            ("53100", Limit),
            ("54001", Limit),
            ("57014", Limit),
        ];
        for (code, class) in cases {
            assert_eq!(classify(code), class, "{code}");
        }
    }

    #[test]
    fn statements_stay_inside() {
        for text in ["DROP DATABASE postgres", " copy t to program 'x'", "ALTER SYSTEM SET jit = on", "CREATE ROLE r"] {
            assert!(leaves_the_database(text).is_some(), "{text}");
        }
        assert_eq!(leaves_the_database("CREATE TABLE t(database int)"), None);
        assert!(spreads("CREATE SCHEMA s") && spreads("create extension x"));
        assert!(!spreads("CREATE UNIQUE INDEX i ON t(a)") && !spreads("SELECT 1"));
    }
}
