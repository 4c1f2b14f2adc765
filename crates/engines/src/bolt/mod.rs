//! Graph engines that speak Bolt: Neo4j (`neo4j.rs`, which Memgraph resembles enough to be reached by the same driver)
//! and ArcadeDB (`arcadedb.rs`). Here is what they have in common: one session over one connection, what its ends mean,
//! and who may use a database that cannot be had twice.

pub mod arcadedb;
pub mod dialect;
pub mod neo4j;
mod numbers;
mod packstream;
mod plan;
mod wire;

use crate::server::Kept;
use crate::turns::{Turn, Turns};
use crate::{ConnectError, guard};
use numbers::Numbers;
use qualm_core::dialect::Spoken;
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::plan::{Fnv, Plan};
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::value::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::Hasher;
use std::rc::Rc;
use std::time::Duration;
use wire::{Answer, Connection, FailureKind, PATIENCE_SECONDS, Target};

/// The server ends a statement itself before it counts as a hang: what runs on is stuck.
const SERVER_LIMIT_MS: u64 = STATEMENT_TIMEOUT_MS / 2;
/// For what a reset does, which no statement of a hunt can make slow.
const CHORE_LIMIT_MS: u64 = 55_000;
/// Before a query whose plan is wanted.
const EXPLAIN: &str = "EXPLAIN ";
/// How long a server that broke off may take to be dead.
const DYING: Duration = Duration::from_secs(5);

/// What one engine does in its own way.
trait Kind {
    fn dialect(&self) -> &'static GraphDialect;

    /// Where statements go, on a server of our own.
    fn own_target(&self, port: u16) -> Target;

    /// Leaves the connection with an empty database of default settings. `own` says that the server is private.
    fn renew(&self, connection: &mut Connection, own: Option<u16>, touched: &Touched) -> Result<(), FailureKind>;

    /// What there is in a database that we did not make; nothing if it is empty.
    fn contents(&self, connection: &mut Connection) -> Result<Option<String>, FailureKind>;

    /// Waits until what this statement made can be relied on.
    fn settle(&self, connection: &mut Connection, text: &str) -> Result<(), FailureKind>;

    /// The same question, with a plan that is made for the data of now; nothing where plans are not kept.
    fn planned_anew(&self, _text: &str) -> Option<String> {
        None
    }
}

/// What statements since the last reset may have left behind besides nodes.
#[derive(Clone, Copy, Default)]
struct Touched {
    schema: bool,
}

enum Place {
    Private(Kept),
    Running(Target),
}

/// The server of one engine, shared by its sessions.
struct Host {
    kind: Box<dyn Kind>,
    place: RefCell<Place>,
    /// A running server has one database for all: sessions of all processes take turns.
    turns: Option<Turns>,
    version: String,
    build: String,
}

impl Host {
    /// A connection, and the port of a server that is ours. That server is started if none runs.
    fn connect(&self) -> Result<(Connection, Option<u16>), FailureKind> {
        match &mut *self.place.borrow_mut() {
            Place::Running(target) => Ok((Connection::open(target)?, None)),
            Place::Private(kept) => {
                let port = kept.up().map_err(FailureKind::Lost)?.place().port;
                Ok((Connection::open(&self.kind.own_target(port))?, Some(port)))
            }
        }
    }

    /// What it means that the connection broke off.
    fn death(&self, why: &str) -> String {
        let death = match &mut *self.place.borrow_mut() {
            Place::Private(kept) => kept.death_within(DYING),
            Place::Running(_) => None,
        };
        death.unwrap_or_else(|| format!("the server broke off in the middle of a statement: {why}"))
    }

    fn give_up(&self) {
        if let Place::Private(kept) = &mut *self.place.borrow_mut() {
            kept.give_up();
        }
    }

    fn cpu_seconds(&self) -> f64 {
        match &*self.place.borrow() {
            Place::Private(kept) => kept.cpu_seconds(),
            Place::Running(_) => 0.0,
        }
    }
}

/// Connects once, which starts a private server, to learn what the server calls itself; `version` makes of that what
/// people call the release.
fn open(
    kind: Box<dyn Kind>,
    place: Place,
    version: impl FnOnce(&str) -> String,
) -> Result<Box<dyn Engine>, ConnectError> {
    let turns = match &place {
        Place::Private(_) => None,
        Place::Running(t) => {
            let name = format!("bolt-{}-{}-{}", t.host, t.port, t.database.as_deref().unwrap_or_default());
            let unreachable =
                |e| ConnectError::Unreachable(format!("cannot create the file by which sessions take turns: {e}"));
            Some(Turns::of(&name).map_err(unreachable)?)
        }
    };
    let mut host = Host { kind, place: RefCell::new(place), turns, version: String::new(), build: String::new() };
    let unreachable = |e| ConnectError::Unreachable(format!("engine '{}': {e}", host.kind.dialect().name));
    let (connection, _) = host.connect().map_err(unreachable)?;
    (host.version, host.build) = (version(&connection.agent), connection.agent.clone());
    Ok(Box::new(Bolt { host: Rc::new(host) }))
}

struct Bolt {
    host: Rc<Host>,
}

impl Engine for Bolt {
    fn version(&self) -> String {
        self.host.version.clone()
    }

    fn build(&self) -> String {
        self.host.build.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Graph(self.host.kind.dialect())
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let mut session = BoltSession {
            host: self.host.clone(),
            connection: None,
            own: None,
            turn: None,
            touched: Touched { schema: true },
            numbers: Numbers::default(),
            planned: HashSet::new(),
        };
        session.refuse_what_is_not_ours()?;
        session.reset()?;
        Ok(Box::new(session))
    }
}

struct BoltSession {
    host: Rc<Host>,
    /// None after it was lost, until the next reset.
    connection: Option<Connection>,
    own: Option<u16>,
    turn: Option<Turn>,
    touched: Touched,
    numbers: Numbers,
    /// Texts since the last reset. A plan that was made before it is not used: a case must not hang on what was in the
    /// database when its question was first planned.
    planned: HashSet<u64>,
}

impl Session for BoltSession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer(text).map_or_else(|outcome| outcome, |answer| outcome_of(answer, text))
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        let answer = self.answer(&format!("{EXPLAIN}{query}")).ok()?;
        plan::read(answer.said("plan")?)
    }

    fn reset(&mut self) -> Result<(), String> {
        self.renew_in_turn().map_err(|e| format!("no fresh database: {e}"))
    }

    fn waits(&self) -> bool {
        true
    }

    fn server_cpu_seconds(&self) -> f64 {
        self.host.cpu_seconds()
    }
}

impl Drop for BoltSession {
    fn drop(&mut self) {
        // A private server goes away with all that is in it; elsewhere nothing of ours stays.
        if let Some(turn) = &mut self.turn
            && let Some(held) = turn.hold()
            && let Some(connection) = &mut self.connection
            && self.host.kind.renew(connection, None, &Touched { schema: true }).is_ok()
        {
            held.left_empty();
        }
    }
}

/// ArcadeDB names no columns where there is no row, and yet a question was answered.
fn outcome_of(answer: Answer, text: &str) -> Outcome {
    match answer.rows.columns == 0 && !words(text).any(|w| w == "return") {
        true => Outcome::Done,
        false => Outcome::Rows(answer.rows),
    }
}

impl BoltSession {
    fn renew_in_turn(&mut self) -> Result<(), FailureKind> {
        self.take_turn()?;
        self.renew().or_else(|first| match first {
            // The server died, or what the last statement left makes it slow: once more, from the beginning.
            FailureKind::Lost(_) | FailureKind::Stuck => {
                self.connection = None;
                self.renew()
            }
            other => Err(other),
        })
    }

    fn answer(&mut self, text: &str) -> Result<Answer, Outcome> {
        if let Some(why) = guard::cypher(text) {
            return Err(guard::not_run(&why));
        }
        let host = self.host.clone();
        let limit = |why: &str| Err(Outcome::rejected(RejectionClass::Limit, why));
        // Held until this statement is through.
        let held = self.turn.as_mut().map(Turn::hold);
        if matches!(held, Some(None)) {
            return limit("another session has the database by now; it needs a reset");
        }
        let Some(connection) = &mut self.connection else {
            return limit("the connection was lost before; it needs a reset");
        };
        let schema = changes_the_schema(text);
        self.touched.schema |= schema;
        let anew = self.planned.insert(hash_of(text)).then(|| host.kind.planned_anew(text)).flatten();
        let done = connection.query(anew.as_deref().unwrap_or(text), SERVER_LIMIT_MS).and_then(|answer| {
            if schema {
                host.kind.settle(connection, text)?;
            }
            Ok(answer)
        });
        drop(held);
        let mut answer = done.map_err(|failure| self.failed(failure))?;
        self.numbers.renumber(&mut answer.rows);
        Ok(answer)
    }

    fn failed(&mut self, failure: FailureKind) -> Outcome {
        match failure {
            FailureKind::Refused(refusal) => {
                let text = format!("{} ({})", refusal.text, refusal.code);
                Outcome::rejected(self.host.kind.dialect().class_of(&text), text)
            }
            FailureKind::TooLong => Outcome::rejected(RejectionClass::Limit, "the answer is too long"),
            FailureKind::Lost(why) => {
                self.connection = None;
                Outcome::Crash(self.host.death(&why))
            }
            FailureKind::Stuck => {
                self.connection = None;
                self.host.give_up();
                Outcome::Hang(PATIENCE_SECONDS * 1_000)
            }
        }
    }

    fn renew(&mut self) -> Result<(), FailureKind> {
        let new = self.connection.is_none();
        if new {
            let (connection, own) = self.host.connect()?;
            (self.connection, self.own) = (Some(connection), own);
            self.touched.schema = true;
        }
        if let Some(connection) = &mut self.connection {
            self.host.kind.renew(connection, self.own, &self.touched)?;
            if new && self.own.is_some() {
                warm_up(connection)?;
            }
        }
        (self.touched, self.numbers) = (Touched::default(), Numbers::default());
        self.planned.clear();
        Ok(())
    }

    fn take_turn(&mut self) -> Result<(), FailureKind> {
        if let Some(turns) = &self.host.turns {
            self.turn = None;
            let turn = turns.take().map_err(|e| FailureKind::Lost(format!("no turn at the database: {e}")))?;
            self.turn = Some(turn);
            // Someone else may have been there in the meantime.
            self.touched.schema = true;
        }
        Ok(())
    }

    /// A database that was named must be empty, or hold only what a session of ours is just doing.
    fn refuse_what_is_not_ours(&mut self) -> Result<(), String> {
        if self.host.turns.as_ref().is_none_or(Turns::ours) {
            return Ok(());
        }
        let (mut connection, _) = self.host.connect().map_err(|e| e.to_string())?;
        match self.host.kind.contents(&mut connection).map_err(|e| e.to_string())? {
            None => Ok(()),
            Some(what) => Err(format!(
                "the database is not empty ({what}); qualm deletes everything in it, so give it an empty one"
            )),
        }
    }
}

/// The first statements of a server in Java load half of it, which on a busy machine takes longer than a statement may.
fn warm_up(connection: &mut Connection) -> Result<(), FailureKind> {
    for text in [
        "MATCH (a:W) OPTIONAL MATCH (a)-[e:W]->(b) WITH a, e, b WHERE a.x < 1 OR NOT (b.x = 'x') RETURN a, e, b",
        "MATCH (a) WHERE a.x IS NULL RETURN count(*) AS c, min(a.x) AS d",
    ] {
        match connection.query(text, CHORE_LIMIT_MS) {
            Ok(_) | Err(FailureKind::Refused(_)) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

/// The number in the only cell of an answer.
fn count(connection: &mut Connection, text: &str) -> Result<i64, FailureKind> {
    match connection.query(text, CHORE_LIMIT_MS)?.rows.scalar() {
        Some(Value::Int(n)) => Ok(*n),
        other => Err(FailureKind::Lost(format!("'{text}' gave {other:?}"))),
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = Fnv::default();
    hasher.write(text.strip_prefix(EXPLAIN).unwrap_or(text).as_bytes());
    hasher.finish()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
    words.filter(|w| !w.is_empty()).map(str::to_ascii_lowercase)
}

fn changes_the_schema(text: &str) -> bool {
    let mut words = words(text);
    let first = words.next();
    // `db.` for procedures that make indexes.
    matches!(first.as_deref(), Some("create" | "drop" | "call" | "alter"))
        && words.take(5).any(|w| w == "index" || w == "constraint" || w.starts_with("db."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_about_the_schema_are_known() {
        assert!(changes_the_schema("CREATE TEXT INDEX i FOR (n:L) ON (n.p)"));
        assert!(changes_the_schema("CREATE CONSTRAINT FOR (n:L) REQUIRE n.p IS UNIQUE"));
        assert!(!changes_the_schema("MATCH (n) RETURN n"));
    }
}
