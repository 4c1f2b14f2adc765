//! The engines: one small driver each, one line in the table below.

pub mod against;
#[cfg(feature = "servers")]
pub mod bolt;
pub mod calendar;
pub mod canary;
pub mod catalogue;
pub mod clickhouse;
pub mod clingo;
#[cfg(feature = "cozo")]
pub mod cozo;
pub mod ddlog;
pub mod deadline;
pub mod duckdb;
pub mod external;
#[cfg(feature = "servers")]
pub mod falkordb;
mod functions;
#[cfg(feature = "grafeo")]
pub mod grafeo;
#[cfg(feature = "servers")]
mod graph_functions;
#[cfg(feature = "servers")]
pub mod gremlin;
pub mod guard;
mod kinds;
#[cfg(feature = "mangle")]
pub mod mangle;
#[cfg(feature = "servers")]
pub mod mysql;
pub mod once;
#[cfg(feature = "servers")]
mod owned;
#[cfg(feature = "servers")]
pub mod postgres;
mod programs;
#[cfg(feature = "servers")]
mod published;
#[cfg(feature = "servers")]
mod releases;
#[cfg(feature = "servers")]
pub mod server;
pub mod souffle;
pub mod sql_dialect;
pub mod sqlite;
pub mod stored;
#[cfg(feature = "servers")]
mod turns;
pub mod url;
#[cfg(feature = "servers")]
mod warden;
pub mod z3;

use qualm_core::case::Language;
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::dialect::graph::{GraphDialect, GraphSelfTest};
use qualm_core::dialect::sql::Dialect;
use qualm_core::relation::{Equality, Order, Relation, Verdict};
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::value::{Rows, Value};
use qualm_core::words::{counted, did_you_mean};
use std::fmt;
use std::path::{Path, PathBuf};

pub struct EngineSpec {
    pub name: &'static str,
    pub language: Language,
    pub available: Available,
    /// One line for people: what it is and how to get it.
    pub about: &'static str,
    /// What may follow the colon in `name:where`; empty if nothing may.
    pub place: &'static str,
    pub connect: Connect,
    /// The folder that './x NAME VERSION' fills with releases, for engines that have one.
    pub releases: Option<fn() -> PathBuf>,
}

/// Connects to an engine, given what follows the colon.
pub type Connect = fn(Option<&str>) -> Result<Box<dyn Engine>, ConnectError>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Available {
    /// Part of this program.
    BuiltIn,
    /// The user says where it is.
    BringYourOwn,
    /// Has planted bugs: exists to test qualm.
    ForTests,
}

pub const ENGINES: &[EngineSpec] = &[
    EngineSpec {
        name: "sqlite",
        language: Language::Sql,
        available: Available::BuiltIn,
        about: "SQLite in process: the newest release is built in, any since 3.7.7 is loaded from a shared object",
        place: "path of a libsqlite3 shared object, or a release number built by './x sqlite VERSION'",
        connect: sqlite::connect,
        releases: Some(sqlite::releases_folder),
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "postgres",
        language: Language::Sql,
        available: Available::BringYourOwn,
        about: "PostgreSQL: a private server of a fetched release or of the one on PATH, or a running server",
        place: "release number fetched by './x postgres VERSION', or postgres://USER:PASSWORD@HOST:PORT of a server",
        connect: postgres::connect,
        releases: Some(postgres::releases_folder),
    },
    EngineSpec {
        name: "duckdb",
        language: Language::Sql,
        available: Available::BringYourOwn,
        about: "DuckDB in process: any libduckdb since 0.3.3; './x duckdb VERSION' fetches a release",
        place: "path of a libduckdb shared object or of its folder, or a release number; default: the newest one \
                fetched",
        connect: duckdb::connect,
        releases: Some(duckdb::releases_folder),
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "mysql",
        language: Language::Sql,
        available: Available::BringYourOwn,
        about: "MySQL: a private server of a release fetched by './x mysql VERSION' or on PATH, or a running one",
        place: "release number fetched by './x mysql VERSION', or mysql://USER:PASSWORD@HOST:PORT of a server",
        connect: mysql::connect_mysql,
        releases: Some(mysql::mysql_releases),
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "mariadb",
        language: Language::Sql,
        available: Available::BringYourOwn,
        about: "MariaDB: a private server of a release fetched by './x mariadb VERSION' or on PATH, or a running one",
        place: "release number fetched by './x mariadb VERSION', or mysql://USER:PASSWORD@HOST:PORT of a server",
        connect: mysql::connect_mariadb,
        releases: Some(mysql::mariadb_releases),
    },
    EngineSpec {
        name: "chdb",
        language: Language::Sql,
        available: Available::BringYourOwn,
        about: "ClickHouse in process: any libchdb.so with its C interface; './x chdb 26.5.3' fetches one",
        place: "path of a libchdb.so, or a release number fetched by './x chdb VERSION'; default: the newest",
        connect: clickhouse::connect_chdb,
        releases: Some(clickhouse::chdb_releases),
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "clickhouse",
        language: Language::Sql,
        available: Available::BringYourOwn,
        about: "ClickHouse over HTTP: a private server of a fetched release, or a running one",
        place: "URL 'http://HOST:PORT/', or a release number fetched by './x clickhouse VERSION'; default: the newest",
        connect: clickhouse::connect_http,
        releases: Some(clickhouse::server_releases),
    },
    EngineSpec {
        name: "z3",
        language: Language::Datalog,
        available: Available::BringYourOwn,
        about: "the Datalog engine of Z3: any libz3 in process, or any z3 program; './x z3 5.4.0' fetches both",
        place: "path of a libz3.so or a z3, or a release number fetched by './x z3 VERSION', and ',datalog' or ',smt2' \
                to choose the input format; default: the newest fetched",
        connect: z3::connect,
        releases: Some(z3::releases_folder),
    },
    EngineSpec {
        name: "cozo",
        language: Language::Datalog,
        available: if cfg!(feature = "cozo") { Available::BuiltIn } else { Available::BringYourOwn },
        about: "CozoDB 0.7.6 in process, a database in memory (needs a build with '--features embedded')",
        place: "",
        connect: cozo::connect,
        releases: None,
    },
    EngineSpec {
        name: "clingo",
        language: Language::Datalog,
        available: Available::BringYourOwn,
        about: "clingo in process, for stratified programs; './x clingo 5.8.2' fetches a release",
        place: "path of a libclingo.so, or a release number fetched by './x clingo VERSION'; default: the newest",
        connect: clingo::connect,
        releases: Some(clingo::releases_folder),
    },
    EngineSpec {
        name: "mangle",
        language: Language::Datalog,
        available: if cfg!(feature = "mangle") { Available::BuiltIn } else { Available::BringYourOwn },
        about: "Mangle 0.9.2 (the port to Rust) in process (needs a build with '--features embedded')",
        place: "",
        connect: mangle::connect,
        releases: None,
    },
    EngineSpec {
        name: "souffle",
        language: Language::Datalog,
        available: Available::BringYourOwn,
        about: "Souffle's interpreter; bring your own binary: no package registry has one",
        place: "path of a souffle program, and ',compiled' to compile programs as well; default: the one on PATH",
        connect: souffle::connect,
        releases: None,
    },
    EngineSpec {
        name: "ddlog",
        language: Language::Datalog,
        available: Available::BringYourOwn,
        about: "DDlog's compiler (archived); bring your own binary: no package registry has one (first build: minutes)",
        place: "path of a ddlog program, its libraries in DDLOG_HOME; default: the one on PATH",
        connect: ddlog::connect,
        releases: None,
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "neo4j",
        language: Language::Graph,
        available: Available::BringYourOwn,
        about: "Neo4j over Bolt: a private server of a release fetched by './x neo4j VERSION', or a running one (also \
                Memgraph)",
        place: "release number fetched by './x neo4j VERSION', or bolt://USER:PASSWORD@HOST:PORT/DATABASE of a server \
                whose database is empty",
        connect: bolt::neo4j::connect,
        releases: Some(bolt::neo4j::releases_folder),
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "arcadedb",
        language: Language::Graph,
        available: Available::BringYourOwn,
        about: "ArcadeDB over Bolt: a private server of a release fetched by './x arcadedb VERSION', or a running one",
        place: "release number fetched by './x arcadedb VERSION', or bolt://USER:PASSWORD@HOST:PORT/DATABASE of a \
                server whose database is empty",
        connect: bolt::arcadedb::connect,
        releases: Some(bolt::arcadedb::releases_folder),
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "falkordb",
        language: Language::Graph,
        available: Available::BringYourOwn,
        about: "FalkorDB over RESP: a private server of a release fetched by './x falkordb VERSION', or a running one \
                (also RedisGraph)",
        place: "release number fetched by './x falkordb VERSION', or redis://USER:PASSWORD@HOST:PORT of a server",
        connect: falkordb::connect,
        releases: Some(falkordb::releases_folder),
    },
    EngineSpec {
        name: "grafeo",
        language: Language::Graph,
        available: if cfg!(feature = "grafeo") { Available::BuiltIn } else { Available::BringYourOwn },
        about: "Grafeo 0.5.44 in process, a graph in memory (needs a build with '--features embedded')",
        place: "language, 'cypher' or 'gremlin'; default: cypher",
        connect: grafeo::connect,
        releases: None,
    },
    #[cfg(feature = "servers")]
    EngineSpec {
        name: "gremlin",
        language: Language::Graph,
        available: Available::BringYourOwn,
        about: "Gremlin: a private Gremlin Server with TinkerGraph, or a running server (JanusGraph and others)",
        place: "release number fetched by './x gremlin VERSION', or ws://HOST:PORT/gremlin of a server with an empty \
                graph",
        connect: gremlin::connect,
        releases: Some(gremlin::releases_folder),
    },
    EngineSpec {
        name: "exec",
        // What the program says counts: `language_of`.
        language: Language::Graph,
        available: Available::BringYourOwn,
        about: "any SQL, Datalog or graph engine, through an adapter program that speaks JSON lines (docs/adapter.md)",
        place: "command that starts the adapter, for instance 'python3 examples/kuzu_adapter.py kuzu'",
        connect: external::connect,
        releases: None,
    },
    EngineSpec {
        name: "canary",
        language: Language::Sql,
        available: Available::ForTests,
        about: "the built-in SQLite with a planted bug of your choice: shows what findings look like, and tests qualm",
        place: "kind of bug, for instance 'index-row'; 'canary' alone lists them",
        connect: canary::connect,
        releases: None,
    },
];

/// Stand in for drivers that are not in this build, so that the table is the same in all of them.
#[cfg(not(feature = "cozo"))]
mod cozo {
    pub fn connect(_: Option<&str>) -> Result<Box<dyn super::Engine>, super::ConnectError> {
        super::not_built("cozo")
    }
}

#[cfg(not(feature = "grafeo"))]
mod grafeo {
    pub fn connect(_: Option<&str>) -> Result<Box<dyn super::Engine>, super::ConnectError> {
        super::not_built("grafeo")
    }
}

#[cfg(not(feature = "mangle"))]
mod mangle {
    pub fn connect(_: Option<&str>) -> Result<Box<dyn super::Engine>, super::ConnectError> {
        super::not_built("mangle")
    }
}

#[cfg(not(all(feature = "cozo", feature = "grafeo", feature = "mangle")))]
fn not_built(name: &str) -> Result<Box<dyn Engine>, ConnectError> {
    let text = format!("this program was built without '{name}'; build it with '--features embedded'");
    Err(ConnectError::Unreachable(text))
}

/// Why there is no engine to talk to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// The user's argument is not valid (exit code 2).
    Usage(String),
    /// It is valid, but the engine is missing or does not work (exit code 3).
    Unreachable(String),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ConnectError::Usage(text) | ConnectError::Unreachable(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for ConnectError {}

impl ConnectError {
    /// Without the password of the engine, whatever a client library said.
    fn redacted(self, spec: &str) -> ConnectError {
        match self {
            ConnectError::Usage(text) => ConnectError::Usage(url::redacted(spec, &text)),
            ConnectError::Unreachable(text) => ConnectError::Unreachable(url::redacted(spec, &text)),
        }
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            ConnectError::Usage(_) => 2,
            ConnectError::Unreachable(_) => 3,
        }
    }
}

/// The row of `ENGINES` that `spec` (`name` or `name:where`) speaks of, and the part behind the colon.
pub fn lookup(spec: &str) -> Result<(&'static EngineSpec, Option<&str>), ConnectError> {
    let (name, place) = match spec.split_once(':') {
        Some((name, place)) => (name, Some(place)),
        None => (spec, None),
    };
    let Some(engine) = ENGINES.iter().find(|e| e.name == name) else {
        let known: Vec<&str> = ENGINES.iter().map(|e| e.name).collect();
        return Err(ConnectError::Usage(format!(
            "unknown engine '{name}'{}; known engines: {}",
            did_you_mean(name, known.iter().copied()),
            known.join(", ")
        )));
    };
    if place == Some("") {
        return Err(ConnectError::Usage(format!("nothing after the colon in '{name}:'; give the {}", engine.place)));
    }
    Ok((engine, place))
}

/// The language that the engine of this name has; a program that is an engine is asked.
pub fn language_of(spec: &str) -> Result<Language, ConnectError> {
    if let Some((engine, _)) = against::pair(spec) {
        return language_of(engine);
    }
    let (row, place) = lookup(spec)?;
    if row.name == "exec" {
        return external::language(place).map_err(|e| e.redacted(spec));
    }
    Ok(row.language)
}

/// Whether this names a server that others use too, where something of ours may be left behind.
pub fn is_shared_server(spec: &str) -> bool {
    if let Some((engine, other)) = against::pair(spec) {
        return is_shared_server(engine) || is_shared_server(other);
    }
    let servers = ["postgres", "mysql", "mariadb", "clickhouse", "neo4j", "arcadedb", "falkordb", "gremlin"];
    spec.split_once(':').is_some_and(|(name, place)| servers.contains(&name) && place.contains("//"))
}

/// For a session that works with all rights of the user who was named.
#[cfg(feature = "servers")]
fn no_role(what: &str, why: &str) -> String {
    let why = why.trim_end_matches('.');
    format!("cannot create an unprivileged {what} ({why}), so only statements known to be harmless are run")
}

/// Where the releases of all engines are, each in a folder of its own, and what is made from them once.
pub fn cache_folder() -> PathBuf {
    let under = |name: &str, rest: &str| {
        std::env::var_os(name).filter(|v| !v.is_empty()).map(|folder| Path::new(&folder).join(rest))
    };
    under("QUALM_CACHE", "")
        .or_else(|| under("XDG_CACHE_HOME", "qualm"))
        .or_else(|| under("HOME", ".cache/qualm"))
        .unwrap_or_default()
}

/// Where the releases of an engine are that were fetched and built.
pub fn releases_folder(name: &str) -> Option<PathBuf> {
    let row = ENGINES.iter().find(|e| e.name == name)?;
    row.releases.map(|folder| folder())
}

/// Reaches the engine that `spec` (`name` or `name:where`) names. On a server nothing is made.
pub fn reach(spec: &str) -> Result<Box<dyn Engine>, ConnectError> {
    if let Some((engine, other)) = against::pair(spec) {
        return against::reach(engine, other);
    }
    let (row, place) = lookup(spec)?;
    (row.connect)(place).map_err(|e| e.redacted(spec))
}

/// Reaches the engine that `spec` (`name` or `name:where`) names and makes sure that it answers.
pub fn connect(spec: &str) -> Result<Box<dyn Engine>, ConnectError> {
    let engine = reach(spec)?;
    let result = match engine.spoken() {
        Spoken::Sql(dialect) => sql_self_test(engine.as_ref(), dialect),
        Spoken::Datalog(dialect) => datalog_self_test(engine.as_ref(), dialect),
        Spoken::Graph(dialect) => graph_self_test(engine.as_ref(), dialect),
    };
    result.map_err(|why| {
        let (shown, version, why) = (url::shown(spec), engine.version(), url::redacted(spec, &why));
        ConnectError::Unreachable(format!(
            "engine '{shown}' ({version}) fails its self-test: {why}; its results cannot be trusted"
        ))
    })?;
    Ok(engine)
}

/// Asks the dialect's own question, whose answer is known and not empty.
fn sql_self_test(engine: &dyn Engine, dialect: &Dialect) -> Result<(), String> {
    let test = dialect.self_test;
    let expected: Rows =
        serde_json::from_str(test.answer).map_err(|e| format!("its expected result is not JSON: {e}"))?;
    let mut session = engine.open()?;
    for statement in test.statements {
        match session.run(statement) {
            Outcome::Done => {}
            other => return Err(format!("'{statement}' must succeed, but {}", in_words(&other))),
        }
    }
    match session.run(test.question) {
        Outcome::Rows(rows) if rows == expected && !rows.is_empty() => Ok(()),
        other => Err(unexpected(test.question, &expected, &other)),
    }
}

/// Runs the dialect's own program, whose tuples are known and not empty: an engine that cannot read a program at all
/// must not pass for one that derives nothing.
fn datalog_self_test(engine: &dyn Engine, dialect: &DatalogDialect) -> Result<(), String> {
    let test = dialect.self_test;
    let expected: Rows =
        serde_json::from_str(test.answer).map_err(|e| format!("its expected result is not JSON: {e}"))?;
    let claim = Relation::Same { left: 0, right: 1, order: Order::Set, equality: Equality::Exact };
    let outcome = engine.open()?.run(test.program);
    match claim.judge(&[outcome.clone(), Outcome::Rows(expected.clone())]) {
        Verdict::Holds { vacuous: false } => Ok(()),
        _ => Err(unexpected(&test.program.replace('\n', " "), &expected, &outcome)),
    }
}

/// How often a graph is asked for when the engine is too slow.
const SELF_TESTS: usize = 3;

/// Builds the dialect's own small graph and asks for what is known to be in it.
fn graph_self_test(engine: &dyn Engine, dialect: &GraphDialect) -> Result<(), String> {
    let test = dialect.self_test;
    let expected: Rows =
        serde_json::from_str(test.answer).map_err(|e| format!("its expected result is not JSON: {e}"))?;
    let mut session = engine.open()?;
    let mut answer = graph_answer(session.as_mut(), test, &expected);
    for _ in 1..SELF_TESTS {
        // A server that has just started on a busy machine is slower than any limit, once or twice.
        if !matches!(&answer, Err(Outcome::Rejected(r)) if r.class == RejectionClass::Limit) {
            break;
        }
        session.reset()?;
        answer = graph_answer(session.as_mut(), test, &expected);
    }
    answer.map_err(|outcome| unexpected(test.question, &expected, &outcome))
}

/// What a self-test shows of an answer.
const SELF_TEST_ROWS: usize = 5;

fn unexpected(question: &str, expected: &Rows, outcome: &Outcome) -> String {
    format!("'{question}' must return {}, but {}", rows_in_words(expected), in_words(outcome))
}

fn in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Rows(rows) => format!("it returned {}", rows_in_words(rows)),
        Outcome::Done => "it returned no result".into(),
        Outcome::Rejected(rejection) => format!("the engine said: {}", rejection.text),
        Outcome::Crash(text) => format!("the engine crashed: {text}"),
        Outcome::Hang(ms) => format!("the engine did not answer within {ms} ms"),
    }
}

/// `2 rows: (1, 'a'), (2, NULL)`.
fn rows_in_words(rows: &Rows) -> String {
    let row = |row: &[Value]| format!("({})", row.iter().map(Value::show).collect::<Vec<_>>().join(", "));
    let shown: Vec<String> = rows.iter().take(SELF_TEST_ROWS).map(row).collect();
    let more = if rows.len() > SELF_TEST_ROWS { ", …" } else { "" };
    let colon = if shown.is_empty() { "" } else { ": " };
    format!("{}{colon}{}{more}", counted(rows.len(), "row"), shown.join(", "))
}

/// The outcome that was not as expected.
fn graph_answer(session: &mut dyn Session, test: GraphSelfTest, expected: &Rows) -> Result<(), Outcome> {
    for statement in test.statements {
        let outcome = session.run(statement);
        if !outcome.is_ok() {
            return Err(outcome);
        }
    }
    let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
    let outcome = session.run(test.question);
    match claim.judge(&[outcome.clone(), Outcome::Rows(expected.clone())]) {
        Verdict::Holds { vacuous: false } => Ok(()),
        _ => Err(outcome),
    }
}
