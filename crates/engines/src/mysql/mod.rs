//! MySQL and MariaDB over their common protocol: a private server of a release that `./x` fetched or of the system's
//! own, or a running server by its address, where qualm works only in a database that it makes and drops.
//!
//! Knows how to run one statement and read typed values. Answers come in the text protocol, which is what the shell
//! of a person uses; the type of a value is that of its column.

pub mod dialect;
mod errors;
mod login;
mod plan;
mod release;

use crate::guard::{self, Flavour as Sql};
use crate::owned;
use crate::server::Server;
use crate::stored::is_release_number;
use crate::url::{Url, shown};
use crate::{ConnectError, no_role};
use login::Login;
use mysql::consts::ColumnType;
use mysql::prelude::Queryable;
use mysql::{Conn, Error, Opts, OptsBuilder};
use qualm_core::dialect::Spoken;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::plan::Plan;
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::slowness::Work;
use qualm_core::value::{Rows, Value};
use release::{Release, version_key};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

/// The server ends a statement itself before it counts as a hang: what runs on is stuck.
const SERVER_LIMIT_MS: u64 = STATEMENT_TIMEOUT_MS / 2;
/// Rows that a statement may look at, by the estimate of a server that knows no time limit.
const JOIN_ROWS: u64 = 200_000;
/// Longest answer that is read.
const ANSWER_ROWS: usize = 100_000;
const ANSWER_BYTES: usize = 64 << 20;
/// A dying server writes a stack trace first.
const DEATH_PATIENCE: Duration = Duration::from_secs(10);
/// The character set of what is no text.
const BINARY: u16 = 63;
/// MySQL's own default. What is not here changes answers or lets rows be cut silently.
const SQL_MODE: &str = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
    ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    MySql,
    MariaDb,
}

impl Flavour {
    fn name(self) -> &'static str {
        match self {
            Flavour::MySql => "mysql",
            Flavour::MariaDb => "mariadb",
        }
    }

    /// Character set and collation of all text: equal means identical, blanks at the end included. MySQL before 8 has
    /// no such collation for text, so that text is bytes there.
    fn charset(self, version: &str) -> (&'static str, &'static str) {
        match self {
            Flavour::MariaDb => ("utf8mb4", "utf8mb4_nopad_bin"),
            Flavour::MySql if version_key(version) >= vec![8] => ("utf8mb4", "utf8mb4_0900_bin"),
            Flavour::MySql => ("binary", "binary"),
        }
    }
}

pub fn connect_mysql(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    connect(Flavour::MySql, place)
}

pub fn connect_mariadb(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    connect(Flavour::MariaDb, place)
}

pub fn mysql_releases() -> PathBuf {
    crate::cache_folder().join("mysql")
}

pub fn mariadb_releases() -> PathBuf {
    crate::cache_folder().join("mariadb")
}

fn connect(flavour: Flavour, place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let reach = match place {
        Some(place) if place.contains("://") => Reach::Running(address(flavour, place)?),
        Some(place) if !is_release_number(place) => {
            return Err(ConnectError::Usage(format!(
                "'{1}' is neither a release number nor an address; give '{0}:9.7.4' or \
                 '{0}:mysql://root@127.0.0.1:3306'",
                flavour.name(),
                shown(place)
            )));
        }
        place => start(find(flavour, place).map_err(ConnectError::Unreachable)?).map_err(ConnectError::Unreachable)?,
    };
    let shared = Shared::reach(flavour, reach)?;
    Ok(Box::new(MySql { shared: Rc::new(shared) }))
}

/// The address of a running server. A database must not be named: qualm makes one of its own.
fn address(flavour: Flavour, place: &str) -> Result<Opts, ConnectError> {
    let usage = |why: String| ConnectError::Usage(format!("'{}' is not the address of a server: {why}", shown(place)));
    let url = Url::parse(&place.replacen("mariadb://", "mysql://", 1)).map_err(usage)?;
    let opts = Opts::from_url(url.expose()).map_err(|e| usage(url.redacted(&e.to_string())))?;
    if opts.get_db_name().is_some_and(|name| !name.is_empty()) {
        return Err(ConnectError::Usage(format!(
            "'{url}' names a database; leave it out: qualm makes one of its own on a {} server and drops it",
            flavour.name()
        )));
    }
    Ok(opts)
}

fn find(flavour: Flavour, version: Option<&str>) -> Result<Release, String> {
    let name = flavour.name();
    let folder = crate::cache_folder().join(name);
    if let Some(version) = version {
        let files = folder.join(version);
        return Release::in_folder(flavour, version, &files)
            .map_err(|why| format!("{why}; run './x {name} {version}' to fetch it"));
    }
    if let Some(newest) = release::newest(&folder) {
        return Release::in_folder(flavour, &newest, &folder.join(&newest));
    }
    Release::on_path(flavour).ok_or_else(|| {
        let program = if flavour == Flavour::MariaDb { "mariadbd" } else { "mysqld" };
        format!("no release in '{}' and no '{program}' on PATH; run './x setup' to fetch one", folder.display())
    })
}

fn start(release: Release) -> Result<Reach, String> {
    let server = serve(&release)?;
    Ok(Reach::Private { release, server: Box::new(RefCell::new(server)) })
}

fn serve(release: &Release) -> Result<Server, String> {
    release.start(&|place| {
        let opts = private_opts(release::socket(place).to_string_lossy().into_owned());
        Conn::new(opts).map(drop).map_err(|e| errors::in_words(&e))
    })
}

fn private_opts(socket: String) -> OptsBuilder {
    OptsBuilder::new().socket(Some(socket)).user(Some("root"))
}

enum Reach {
    /// Ours alone; started again after it died.
    Private {
        release: Release,
        server: Box<RefCell<Server>>,
    },
    Running(Opts),
}

impl Reach {
    fn opts(&self) -> OptsBuilder {
        let builder = match self {
            Reach::Private { server, .. } => {
                private_opts(release::socket(server.borrow().place()).to_string_lossy().into_owned())
            }
            Reach::Running(opts) => OptsBuilder::from_opts(opts.clone()),
        };
        // Each of these saves a question to the server at every connection.
        builder.prefer_socket(false).max_allowed_packet(Some(64 << 20)).stmt_cache_size(0)
    }
}

/// What all sessions of one engine have in common.
struct Shared {
    flavour: Flavour,
    reach: Reach,
    /// For instance `9.7.4`.
    version: String,
    build: String,
    caveat: RefCell<Option<String>>,
}

impl Shared {
    fn reach(flavour: Flavour, reach: Reach) -> Result<Shared, ConnectError> {
        let unreachable = |why: String| ConnectError::Unreachable(format!("cannot reach {}: {why}", flavour.name()));
        let mut conn = Conn::new(reach.opts()).map_err(|e| unreachable(errors::in_words(&e)))?;
        let said: Option<(String, String)> =
            conn.query_first("SELECT version(), @@version_comment").map_err(|e| unreachable(errors::in_words(&e)))?;
        let Some((said, comment)) = said else { return Err(unreachable("it gives no version".into())) };
        let is_maria = said.contains("MariaDB");
        if is_maria != (flavour == Flavour::MariaDb) {
            let other = if is_maria { "mariadb" } else { "mysql" };
            return Err(ConnectError::Usage(format!(
                "the server is not {} but identifies itself as '{said}'; use --engine {other}:…",
                flavour.name()
            )));
        }
        let end = said.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(said.len());
        let version = said[..end].to_string();
        let caveat = RefCell::default();
        Ok(Shared { flavour, reach, version, build: format!("{said} {comment}"), caveat })
    }

    /// What every session begins with, so that answers do not depend on how a server is set up.
    fn init(&self) -> Vec<String> {
        let (charset, collation) = self.flavour.charset(&self.version);
        let mut init = vec![
            format!("SET NAMES '{charset}' COLLATE '{collation}'"),
            format!("SET SESSION sql_mode = '{SQL_MODE}', time_zone = '+00:00', wait_timeout = 100000"),
        ];
        match self.flavour {
            Flavour::MariaDb => {
                init.push(format!("SET SESSION max_statement_time = {}", SERVER_LIMIT_MS as f64 / 1000.0));
            }
            Flavour::MySql if version_key(&self.version) >= vec![5, 7, 8] => {
                init.push(format!("SET SESSION max_execution_time = {SERVER_LIMIT_MS}"));
            }
            // No time limit yet: what would be too long is refused before it begins.
            Flavour::MySql => init.push(format!("SET SESSION max_join_size = {JOIN_ROWS}, sql_big_selects = 0")),
        }
        init
    }

    fn connection(&self) -> Result<Conn, Error> {
        Conn::new(self.reach.opts().init(self.init()))
    }

    fn connection_as(&self, login: &Login) -> Result<Conn, Error> {
        let (user, password) = (Some(&login.user), Some(login.password.expose()));
        Conn::new(self.reach.opts().user(user).pass(password).init(self.init()))
    }

    /// A user who may do nothing but work in this database. Nothing where the server does not allow it.
    fn make_login(&self, conn: &mut Conn, database: &str) -> Option<Login> {
        // Names of users were shorter then.
        if self.flavour == Flavour::MySql && version_key(&self.version) < vec![5, 7, 8] {
            *self.caveat.borrow_mut() = Some(no_role("user", "the release is too old"));
            return None;
        }
        let made = Login::create(conn, database).and_then(|login| match self.connection_as(&login) {
            Ok(_) => Ok(login),
            Err(e) => {
                login.drop_from(conn);
                Err(errors::in_words(&e))
            }
        });
        made.map_err(|why| *self.caveat.borrow_mut() = Some(no_role("user", &why))).ok()
    }
}

struct MySql {
    shared: Rc<Shared>,
}

impl Engine for MySql {
    fn version(&self) -> String {
        format!("{} {}", self.shared.flavour.name(), self.shared.version)
    }

    fn build(&self) -> String {
        self.shared.build.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Sql(match self.shared.flavour {
            Flavour::MySql if version_key(&self.shared.version) < vec![8] => &dialect::MYSQL_BEFORE_8,
            Flavour::MySql => &dialect::MYSQL,
            Flavour::MariaDb => &dialect::MARIADB,
        })
    }

    fn caveat(&self) -> Option<String> {
        self.shared.caveat.borrow().clone()
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut database = format!("qualm{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let (mut owner, mut login) = (None, None);
        if let Reach::Running(_) = self.shared.reach {
            database = owned::fresh();
            let hold = || -> Result<Conn, Error> {
                let mut conn = self.shared.connection()?;
                login::sweep(&mut conn)?;
                conn.query_drop(format!("SELECT get_lock('{database}', 0)"))?;
                Ok(conn)
            };
            let mut conn = hold().map_err(|e| e.to_string())?;
            login = self.shared.make_login(&mut conn, &database);
            owner = Some(conn);
        }
        let shared = self.shared.clone();
        let mut session = MySession { shared, conn: None, database, owner, login, crash: None, begun: None };
        session.reset()?;
        Ok(Box::new(session))
    }

    fn knob_file(&self) -> &'static str {
        match self.shared.flavour {
            Flavour::MySql => include_str!("../../../../knobs/mysql.toml"),
            Flavour::MariaDb => include_str!("../../../../knobs/mariadb.toml"),
        }
    }
}

/// Whether a counter of handler calls is about rows that were read, or written to a temporary table.
fn is_work(counter: &str) -> bool {
    let counter = counter.to_ascii_lowercase();
    ["handler_read", "handler_tmp_write", "handler_write"].iter().any(|name| counter.starts_with(name))
}

struct MySession {
    shared: Rc<Shared>,
    conn: Option<Conn>,
    database: String,
    /// On a server that is not ours: a connection with all rights of the user who was named. It holds a lock by the
    /// database's name as long as this process lives.
    owner: Option<Conn>,
    /// Who asks there, where such a one could be made.
    login: Option<Login>,
    /// How the server died, until the next reset.
    crash: Option<String>,
    /// When a server that is not ours was started, by its own account.
    begun: Option<SystemTime>,
}

impl Session for MySession {
    fn server_cpu_seconds(&self) -> f64 {
        match &self.shared.reach {
            Reach::Private { server, .. } => server.borrow().cpu_seconds(),
            Reach::Running(_) => 0.0,
        }
    }

    fn waits(&self) -> bool {
        true
    }

    fn run(&mut self, text: &str) -> Outcome {
        if let Some(why) = guard::sql(text, Sql::MySql) {
            return guard::not_run(&why);
        }
        self.answer(text)
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        let text = format!("EXPLAIN FORMAT=JSON {query}");
        if guard::sql(query, Sql::MySql).is_some() {
            return None;
        }
        match self.answer(&text) {
            Outcome::Rows(rows) => match rows.cells.first() {
                Some(Value::Text(text)) => plan::read(text),
                _ => None,
            },
            _ => None,
        }
    }

    fn estimate(&mut self, query: &str) -> Option<f64> {
        if guard::sql(query, Sql::MySql).is_some() {
            return None;
        }
        match self.answer(&format!("EXPLAIN FORMAT=JSON {query}")) {
            Outcome::Rows(rows) => match rows.cells.first() {
                Some(Value::Text(text)) => plan::expected_rows(text),
                _ => None,
            },
            _ => None,
        }
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        let before = self.handler_calls()?;
        let answered = matches!(self.run(query), Outcome::Rows(_));
        let after = self.handler_calls()?;
        answered.then_some(Work { amount: after - before, unit: "handler calls" })
    }

    fn reset(&mut self) -> Result<(), String> {
        self.crash = None;
        let tried = self.fresh();
        let shared = self.shared.clone();
        let Reach::Private { release, server } = &shared.reach else {
            return tried.map_err(|e| e.to_string());
        };
        // A private server that cannot do so much is replaced.
        tried.or_else(|_| {
            self.conn = None;
            let started = serve(release)?;
            *server.borrow_mut() = started;
            self.fresh().map_err(|e| e.to_string())
        })
    }
}

impl Drop for MySession {
    fn drop(&mut self) {
        let alive = self.conn.take();
        // Whoever has the rights to drop the user as well, if there is one. An old connection may be gone.
        let owner = self.owner.take().and_then(|mut conn| conn.ping().ok().map(|()| conn));
        let Some(mut conn) = owner.or(alive.filter(|_| self.login.is_none())).or_else(|| self.shared.connection().ok())
        else {
            return;
        };
        let _ = conn.query_drop(format!("DROP DATABASE IF EXISTS {}", self.database));
        if let Reach::Running(_) = self.shared.reach {
            self.login.take().into_iter().for_each(|login| login.drop_from(&mut conn));
            let _ = login::sweep(&mut conn);
        }
    }
}

impl MySession {
    /// How often this session has read from a table or written to a temporary one. Showing it counts too, but little.
    fn handler_calls(&mut self) -> Option<f64> {
        let Outcome::Rows(rows) = self.answer("SHOW SESSION STATUS LIKE 'Handler%'") else { return None };
        let counts = rows.iter().filter_map(|row| match (&row[0], &row[1]) {
            (Value::Text(name), Value::Text(count)) if is_work(name) => count.parse::<f64>().ok(),
            _ => None,
        });
        Some(counts.sum())
    }

    /// An empty database and a connection whose settings are the defaults.
    fn fresh(&mut self) -> Result<(), Error> {
        // Before 5.7 resetting a connection does not bring all settings back.
        let resets = self.shared.flavour == Flavour::MariaDb || version_key(&self.shared.version) >= vec![5, 7, 3];
        self.conn = self.conn.take().filter(|_| resets).and_then(|mut conn| conn.reset().ok().map(|()| conn));
        let conn = match &mut self.conn {
            Some(conn) => conn,
            None => self.conn.insert(match &self.login {
                Some(login) => self.shared.connection_as(login)?,
                None => self.shared.connection()?,
            }),
        };
        let (charset, collation) = self.shared.flavour.charset(&self.shared.version);
        let name = &self.database;
        conn.query_drop(format!("DROP DATABASE IF EXISTS {name}"))?;
        conn.query_drop(format!("CREATE DATABASE {name} CHARACTER SET '{charset}' COLLATE '{collation}'"))?;
        conn.query_drop(format!("USE {name}"))?;
        if self.begun.is_none() && matches!(self.shared.reach, Reach::Running(_)) {
            self.begun = began(conn);
        }
        Ok(())
    }

    fn answer(&mut self, text: &str) -> Outcome {
        if let Some(crash) = &self.crash {
            return Outcome::Crash(crash.clone());
        }
        let Some(conn) = &mut self.conn else {
            return Outcome::rejected(RejectionClass::Expected, "the connection is gone; the session must be reset");
        };
        let bytes_are_text = self.shared.flavour.charset(&self.shared.version).0 == "binary";
        match read(conn, text, bytes_are_text) {
            Ok(outcome) => outcome,
            Err(Error::MySqlError(e)) if !errors::ends_connection(e.code) => {
                Outcome::rejected(errors::classify(e.code, &e.message), e.to_string())
            }
            Err(e) => self.lost(&e.to_string()),
        }
    }

    /// The connection broke in the middle of a statement.
    fn lost(&mut self, why: &str) -> Outcome {
        self.conn = None;
        let crash = match &self.shared.reach {
            Reach::Private { server, .. } => server.borrow_mut().death_within(DEATH_PATIENCE),
            Reach::Running(_) => match self.shared.connection() {
                Ok(mut conn) => match (self.begun, began(&mut conn)) {
                    (Some(before), Some(now)) if now > before + Duration::from_secs(2) => {
                        self.begun = Some(now);
                        Some(format!("the server was started again: {why}"))
                    }
                    _ => None,
                },
                Err(e) => Some(format!("the server is gone: {why}; {e}")),
            },
        };
        match crash {
            Some(text) => {
                self.crash = Some(text.clone());
                Outcome::Crash(text)
            }
            None => {
                let text = format!("the server closed the connection and lives on: {why}");
                Outcome::rejected(RejectionClass::Internal, text)
            }
        }
    }
}

/// When the server was started, to the second.
fn began(conn: &mut Conn) -> Option<SystemTime> {
    let (_, seconds): (String, u64) = conn.query_first("SHOW GLOBAL STATUS LIKE 'Uptime'").ok()??;
    SystemTime::now().checked_sub(Duration::from_secs(seconds))
}

fn read(conn: &mut Conn, text: &str, bytes_are_text: bool) -> Result<Outcome, Error> {
    let mut result = conn.query_iter(text)?;
    let kinds: Vec<Cell> = result.columns().as_ref().iter().map(|c| cell_of(c, bytes_are_text)).collect();
    if kinds.is_empty() {
        return Ok(Outcome::Done);
    }
    let mut rows = Rows::new(kinds.len());
    let mut bytes = 0;
    for row in result.by_ref() {
        // What is left is read and thrown away with the result; the time limit ends it.
        if rows.cells.len() >= ANSWER_ROWS * kinds.len() || bytes > ANSWER_BYTES {
            return Ok(Outcome::rejected(RejectionClass::Limit, "answer too long"));
        }
        for (value, kind) in row?.unwrap().into_iter().zip(&kinds) {
            let mysql::Value::Bytes(said) = value else {
                rows.cells.push(Value::Null);
                continue;
            };
            bytes += said.len();
            rows.cells.push(kind.value(said));
        }
    }
    Ok(Outcome::Rows(rows))
}

/// How the text of a cell is read.
#[derive(Clone, Copy)]
enum Cell {
    Exact,
    Real,
    Text,
    Blob,
}

fn cell_of(column: &mysql::Column, bytes_are_text: bool) -> Cell {
    use ColumnType::*;
    match column.column_type() {
        MYSQL_TYPE_TINY
        | MYSQL_TYPE_SHORT
        | MYSQL_TYPE_INT24
        | MYSQL_TYPE_LONG
        | MYSQL_TYPE_LONGLONG
        | MYSQL_TYPE_YEAR
        | MYSQL_TYPE_DECIMAL
        | MYSQL_TYPE_NEWDECIMAL => Cell::Exact,
        MYSQL_TYPE_FLOAT | MYSQL_TYPE_DOUBLE => Cell::Real,
        MYSQL_TYPE_BIT | MYSQL_TYPE_GEOMETRY => Cell::Blob,
        MYSQL_TYPE_VARCHAR
        | MYSQL_TYPE_VAR_STRING
        | MYSQL_TYPE_STRING
        | MYSQL_TYPE_TINY_BLOB
        | MYSQL_TYPE_BLOB
        | MYSQL_TYPE_MEDIUM_BLOB
        | MYSQL_TYPE_LONG_BLOB
            if column.character_set() == BINARY && !bytes_are_text =>
        {
            Cell::Blob
        }
        _ => Cell::Text,
    }
}

impl Cell {
    /// Bytes that are no UTF-8 stay bytes: nothing is lost, and equal cells become equal values.
    fn value(self, said: Vec<u8>) -> Value {
        if let Cell::Blob = self {
            return Value::Blob(said);
        }
        let text = match String::from_utf8(said) {
            Ok(text) => text,
            Err(e) => return Value::Blob(e.into_bytes()),
        };
        match self {
            Cell::Exact => text.parse().map_or_else(|_| Value::decimal(&text), Value::Int),
            Cell::Real => text.parse().map_or_else(|_| Value::Text(text.clone()), Value::real),
            Cell::Text | Cell::Blob => Value::Text(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_no_database() {
        let tried = |place| address(Flavour::MySql, place).map(|o| o.get_tcp_port());
        assert_eq!(tried("mysql://root@127.0.0.1:3307"), Ok(3307));
        assert_eq!(tried("mariadb://root:pw@127.0.0.1:3307/"), Ok(3307));
        assert!(matches!(tried("mysql://root@127.0.0.1:3306/shop"), Err(ConnectError::Usage(_))));
        assert!(matches!(tried("http://x"), Err(ConnectError::Usage(_))));
    }
}
