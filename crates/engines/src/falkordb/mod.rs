//! FalkorDB over RESP, which RedisGraph answers to as well: a private server of a fetched release, or a running one by
//! its URL. Each session works in graphs under names of its own, a new one after every reset.
//!
//! Answers are asked for in the compact form, the only one with types. Floats come with fifteen digits in it: what an
//! answer shows may differ from the value in the last digits, in the same way each time.

mod answer;
pub mod dialect;
mod plan;
mod private;

use crate::owned::{self, Fate};
use crate::server::Kept;
use crate::url::{Url, shown};
use crate::{ConnectError, cache_folder, guard, releases};
use answer::Names;
use qualm_core::dialect::Spoken;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::plan::Plan;
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::value::Value;
use qualm_host::death;
use redis::{Connection, ConnectionLike, ErrorKind, RedisError};
use std::cell::RefCell;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The server ends a statement itself before it counts as a hang: what runs on is stuck.
const SERVER_LIMIT_MS: u64 = STATEMENT_TIMEOUT_MS / 2;
/// The parent of a child whose statement hangs kills it long before; this is for questions that nobody watches.
const PATIENCE: Duration = Duration::from_secs(60);
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
/// How long a server that broke off may take to be dead: it writes a report first.
const DYING: Duration = Duration::from_secs(20);
/// An index over the few nodes of a hunt is ready within milliseconds.
const INDEX_PATIENCE: Duration = Duration::from_secs(30);
/// The first looks at an index come quickly, because most are ready at once.
const INDEX_PAUSE: Duration = Duration::from_micros(200);

enum Place {
    Private(Kept),
    Running(Url),
}

struct Host {
    place: RefCell<Place>,
    version: String,
}

struct FalkorDb {
    host: Rc<Host>,
}

/// `place` is the number of a fetched release, the URL of a running server, or nothing for the newest release.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let (place, version) = match place {
        Some(url) if url.contains("//") => {
            let full = if url.starts_with("//") { format!("redis:{url}") } else { url.to_string() };
            let full = full.replacen("falkor://", "redis://", 1);
            let usage = |why: String| {
                ConnectError::Usage(format!("'{}' is not the URL of a Redis server: {why}", shown(&full)))
            };
            let url = Url::parse(&full).map_err(usage)?;
            redis::Client::open(url.expose()).map_err(|why| usage(url.redacted(&why.to_string())))?;
            (Place::Running(url), None)
        }
        version => {
            let release = releases::find("falkordb", private::PROGRAM, version)?;
            let version = release.version.clone();
            (Place::Private(Kept::new(move || private::start(&release.version, &release.files))), Some(version))
        }
    };
    let at = match &place {
        Place::Running(url) => format!(" at '{url}'"),
        Place::Private(_) => String::new(),
    };
    let mut host = Host { place: RefCell::new(place), version: String::new() };
    let unreachable = |why: String| ConnectError::Unreachable(format!("engine 'falkordb'{at} does not answer: {why}"));
    let mut connection = host.connect().map_err(unreachable)?;
    let module = module_version(&mut connection).map_err(unreachable)?;
    host.version = format!("falkordb {}", version.unwrap_or(module));
    Ok(Box::new(FalkorDb { host: Rc::new(host) }))
}

pub fn releases_folder() -> PathBuf {
    cache_folder().join("falkordb")
}

/// The release of the graph module, which calls itself 41603 for 4.16.3.
fn module_version(connection: &mut Connection) -> Result<String, String> {
    let listed: redis::Value = redis::cmd("MODULE").arg("LIST").query(connection).map_err(|e| e.to_string())?;
    let modules: Vec<Vec<redis::Value>> = redis::from_redis_value(listed).map_err(|e| e.to_string())?;
    for module in modules {
        let fields: Vec<String> = module.iter().map(answer::plain).collect();
        let field = |name: &str| fields.chunks(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
        if field("name").as_deref() == Some("graph") {
            let number: u32 = field("ver").and_then(|v| v.parse().ok()).unwrap_or(0);
            return Ok(format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100));
        }
    }
    Err("the server has no module of the name 'graph'".into())
}

impl Host {
    fn connect(&self) -> Result<Connection, String> {
        match &mut *self.place.borrow_mut() {
            Place::Running(url) => open(url.expose()).map_err(|e| url.redacted(&e.to_string())),
            Place::Private(kept) => open(&private::url(kept.up()?.place())).map_err(|e| e.to_string()),
        }
    }

    /// What it means that the connection broke off.
    fn death(&self, why: &str) -> String {
        let death = match &mut *self.place.borrow_mut() {
            Place::Private(kept) => kept.death_within(DYING).map(|death| private::crash(&death, &kept.log())),
            Place::Running(_) => None,
        };
        death.unwrap_or_else(|| format!("the server broke off in the middle of a statement: {why}"))
    }

    fn is_private(&self) -> bool {
        matches!(&*self.place.borrow(), Place::Private(_))
    }
}

fn open(url: &str) -> Result<Connection, RedisError> {
    let connection = redis::Client::open(url)?.get_connection_with_timeout(CONNECT_PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    Ok(connection)
}

impl Engine for FalkorDb {
    fn version(&self) -> String {
        self.host.version.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Graph(&dialect::FALKORDB)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let mut session = FalkorSession {
            host: self.host.clone(),
            connection: None,
            graph: String::new(),
            names: Names::default(),
            settings: false,
        };
        session.reset()?;
        Ok(Box::new(session))
    }
}

struct FalkorSession {
    host: Rc<Host>,
    /// None after it was lost, until the next reset.
    connection: Option<Connection>,
    /// The key of the graph that this session has made; empty before the first reset.
    graph: String,
    names: Names,
    /// A setting of the server was changed.
    settings: bool,
}

impl Session for FalkorSession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer(text)
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        if guard::cypher(query).is_some() {
            return None;
        }
        let command = redis::cmd("GRAPH.EXPLAIN").arg(&self.graph).arg(query).to_owned();
        let reply = self.send(&command).ok()?;
        plan::read(&reply)
    }

    fn reset(&mut self) -> Result<(), String> {
        self.fresh_graph().map_err(|why| format!("no fresh graph: {why}"))
    }

    fn waits(&self) -> bool {
        true
    }

    fn server_cpu_seconds(&self) -> f64 {
        match &*self.host.place.borrow() {
            Place::Private(kept) => kept.cpu_seconds(),
            Place::Running(_) => 0.0,
        }
    }
}

impl Drop for FalkorSession {
    fn drop(&mut self) {
        // A private server takes its graphs along.
        if !self.host.is_private() {
            self.delete_graph();
            self.sweep();
        }
    }
}

impl FalkorSession {
    fn answer(&mut self, text: &str) -> Outcome {
        if text.trim_start().starts_with("GRAPH.") {
            return self.command(text);
        }
        if let Some(why) = guard::cypher(text) {
            return guard::not_run(&why);
        }
        match self.query(text) {
            Ok(outcome) => {
                if changes_the_schema(text) && outcome.is_ok() {
                    return self.await_indexes().map_or_else(|failed| failed, |()| outcome);
                }
                outcome
            }
            Err(failed) => failed,
        }
    }

    /// A command of the module, as a person would type it into redis-cli with the graph's name left out.
    fn command(&mut self, text: &str) -> Outcome {
        let words: Vec<&str> = text.split_whitespace().collect();
        let command = match words.as_slice() {
            ["GRAPH.CONFIG", "SET", name, value] if self.host.is_private() => {
                self.settings = true;
                redis::cmd("GRAPH.CONFIG").arg("SET").arg(name).arg(value).to_owned()
            }
            ["GRAPH.CONSTRAINT", action @ ("CREATE" | "DROP"), rest @ ..] => {
                redis::cmd("GRAPH.CONSTRAINT").arg(action).arg(&self.graph).arg(rest).to_owned()
            }
            _ => return Outcome::rejected(RejectionClass::Expected, format!("'{text}' is not done here")),
        };
        let done = self.send(&command);
        match done {
            Ok(_) if words[0] == "GRAPH.CONSTRAINT" => {
                self.await_indexes().map_or_else(|failed| failed, |()| Outcome::Done)
            }
            Ok(_) => Outcome::Done,
            Err(outcome) => outcome,
        }
    }

    fn query(&mut self, text: &str) -> Result<Outcome, Outcome> {
        let reply = self.reply(text)?;
        let graph = self.graph.clone();
        let Some(connection) = &mut self.connection else { return Err(no_connection()) };
        let lookup = |list: &str| {
            let command = redis::cmd("GRAPH.QUERY").arg(&graph).arg(list).arg("--compact").to_owned();
            connection.req_command(&command).ok()
        };
        answer::read(reply, &mut self.names, lookup)
            .map_err(|why| Outcome::rejected(RejectionClass::Limit, format!("the answer is not understood: {why}")))
    }

    fn reply(&mut self, text: &str) -> Result<redis::Value, Outcome> {
        let mut command = redis::cmd("GRAPH.QUERY");
        command.arg(&self.graph).arg(text).arg("--compact").arg("TIMEOUT").arg(SERVER_LIMIT_MS);
        self.send(&command)
    }

    fn send(&mut self, command: &redis::Cmd) -> Result<redis::Value, Outcome> {
        let Some(connection) = &mut self.connection else { return Err(no_connection()) };
        match connection.req_command(command) {
            Ok(redis::Value::ServerError(error)) => Err(refused(&words_of(&error.into()))),
            Ok(reply) => Ok(reply),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn failed(&mut self, error: &RedisError) -> Outcome {
        if !matches!(error.kind(), ErrorKind::Io | ErrorKind::Parse) {
            return refused(&words_of(error));
        }
        self.connection = None;
        // A read that may time out ends when a signal arrives; the library does not go on with it.
        if is_interrupted(error) {
            return Outcome::Crash(death::outside("a signal interrupted the connection to the server"));
        }
        if error.is_timeout() {
            if let Place::Private(kept) = &mut *self.host.place.borrow_mut() {
                kept.give_up();
            }
            return Outcome::Hang(PATIENCE.as_millis() as u64);
        }
        Outcome::Crash(self.host.death(&error.to_string()))
    }

    /// An index is filled in the background, and until then a query does not use it.
    fn await_indexes(&mut self) -> Result<(), Outcome> {
        let until = Instant::now() + INDEX_PATIENCE;
        let mut pause = INDEX_PAUSE;
        for list in ["CALL db.indexes() YIELD status RETURN status", "CALL db.constraints() YIELD status RETURN status"]
        {
            // RedisGraph has no constraints, and its older releases fill an index before they answer.
            while let Ok(Outcome::Rows(rows)) = self.query(list)
                && rows.cells.iter().any(is_being_made)
            {
                if Instant::now() > until {
                    return Err(Outcome::rejected(RejectionClass::Limit, "an index is not ready after 30 s"));
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
        }
        Ok(())
    }

    fn fresh_graph(&mut self) -> Result<(), String> {
        self.delete_graph();
        if self.connection.is_none() {
            self.connection = Some(self.host.connect()?);
            self.settings = false;
            self.sweep();
        }
        if std::mem::take(&mut self.settings) {
            for (name, value) in private::DEFAULTS {
                let command = redis::cmd("GRAPH.CONFIG").arg("SET").arg(name).arg(value).to_owned();
                self.send(&command).map_err(|e| format!("'{name}' does not go back: {e:?}"))?;
            }
        }
        self.graph = owned::fresh();
        self.names = Names::default();
        match self.query("RETURN 1") {
            Ok(Outcome::Rows(_)) => Ok(()),
            Ok(other) | Err(other) => Err(format!("{other:?}")),
        }
    }

    /// Graphs that killed runs have left on a server that is not ours.
    fn sweep(&mut self) {
        let Some(connection) = self.connection.as_mut().filter(|_| !self.host.is_private()) else { return };
        let Ok(names) = redis::cmd("GRAPH.LIST").query::<Vec<String>>(connection) else { return };
        for name in names.iter().filter(|n| matches!(owned::fate(n), Fate::Orphan | Fate::Expired)) {
            let _ = redis::cmd("GRAPH.DELETE").arg(name).query::<redis::Value>(connection);
        }
    }

    fn delete_graph(&mut self) {
        if !self.graph.is_empty() {
            let command = redis::cmd("GRAPH.DELETE").arg(&self.graph).to_owned();
            let _ = self.connection.as_mut().map(|connection| connection.req_command(&command));
            self.graph.clear();
        }
    }
}

fn is_interrupted(error: &RedisError) -> bool {
    let shared = error.source().and_then(|source| source.downcast_ref::<Arc<dyn Error + Send + Sync>>());
    let cause = shared.and_then(|source| source.downcast_ref::<io::Error>());
    cause.is_some_and(|io| io.kind() == io::ErrorKind::Interrupted)
}

/// What the lists of indexes and constraints say of one that cannot be used yet.
fn is_being_made(status: &Value) -> bool {
    matches!(status, Value::Text(text) if text.contains("CONSTRUCTION") || text == "PENDING")
}

fn no_connection() -> Outcome {
    Outcome::rejected(RejectionClass::Limit, "the connection was lost before; it needs a reset")
}

fn refused(text: &str) -> Outcome {
    Outcome::rejected(dialect::FALKORDB.class_of(text), text)
}

/// The server's words without what the client puts before them.
fn words_of(error: &RedisError) -> String {
    match (error.code(), error.detail()) {
        (Some(code), Some(detail)) => format!("{code} {detail}"),
        (_, Some(detail)) => detail.to_string(),
        _ => error.to_string(),
    }
}

fn changes_the_schema(text: &str) -> bool {
    // Behind a parenthesis stand patterns and arguments, where "index" is a name.
    let text = text.split('(').next().unwrap_or_default();
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).filter(|w| !w.is_empty());
    let mut words = words.take(4).map(str::to_ascii_lowercase);
    matches!(words.next().as_deref(), Some("create" | "drop" | "call"))
        && words.any(|w| w == "index" || w.starts_with("db.idx"))
}

#[cfg(test)]
mod tests {
    use super::{changes_the_schema, is_interrupted};
    use redis::RedisError;
    use std::io::{Error, ErrorKind};

    #[test]
    fn a_signal_is_not_taken_for_the_servers_end() {
        let error = |kind: ErrorKind| RedisError::from(Error::from(kind));
        assert!(is_interrupted(&error(ErrorKind::Interrupted)));
        assert!(!is_interrupted(&error(ErrorKind::UnexpectedEof)) && !is_interrupted(&error(ErrorKind::TimedOut)));
    }

    #[test]
    fn statements_that_make_indexes_are_known() {
        for text in ["CREATE INDEX FOR (n:L) ON (n.p)", "create vector index FOR (n:L) ON (n.p)", "DROP INDEX ON :L(p)"]
        {
            assert!(changes_the_schema(text), "{text}");
        }
        assert!(changes_the_schema("CALL db.idx.fulltext.createNodeIndex('A','x')"));
        assert!(!changes_the_schema("CREATE (:L {index: 1})") && !changes_the_schema("MATCH (n) RETURN n"));
    }
}
