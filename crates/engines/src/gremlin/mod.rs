//! Servers of Gremlin: a private one with TinkerGraph, or any that runs, for instance JanusGraph. Scripts are evaluated
//! one by one in a session, which is where the variables `graph` and `g` live.
//!
//! On a private server every reset makes a new TinkerGraph. On a server that is not ours the graph must be empty
//! before, and is emptied after.

mod graphson;
mod home;
mod wire;

pub use home::releases_folder;

use crate::stored::is_release_number;
use crate::turns::{Turn, Turns};
use crate::url::shown;
use crate::{ConnectError, guard};
use home::{Home, Release};
use qualm_core::dialect::Spoken;
use qualm_core::dialect::graph::{GREMLIN, GraphDialect, IndexSpec, Kind, Mixed, Target as Indexed};
use qualm_core::limits::SERVER_STATEMENT_MS;
use qualm_core::plan::{Plan, PlanNode};
use qualm_core::session::RejectionClass::{self, Internal, Limit, OutOfMemory};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use std::rc::Rc;
use std::time::Duration;
use wire::{Connection, Reply, Target};

/// A server that is silent for so long hangs: it should have given up long before.
const SILENCE_MS: u64 = 3 * SERVER_STATEMENT_MS;
/// The first script of a fresh server takes seconds.
const FIRST_MS: u64 = 30_000;
/// How long a server may take to die once its connection is lost.
const DEATH_MS: u64 = 2_000;
/// What the server says when a script took too long.
const TIMEOUT_STATUS: u64 = 598;

const FRESH_GRAPH: &str = "graph = TinkerGraph.open(); g = graph.traversal(); 0";
/// Loads what the first traversals need, which on a busy machine takes longer than a statement may.
const WARM_UP: &str = "g.addV('A').property('x',1).as('a').addV('B').addE('E').from('a').iterate(); \
    g.V().hasLabel('A').has('x',P.eq(1)).not(__.in()).out('E').elementMap().toList(); g.V().count().explain(); 0";
/// A graph that is not ours; TinkerGraph's indexes go too.
const EMPTY_GRAPH: &str = "g.V().drop().iterate(); if (graph.metaClass.respondsTo(graph, 'getIndexedKeys')) { \
    [Vertex.class, Edge.class].each { kind -> graph.getIndexedKeys(kind).toList().each { graph.dropIndex(it, kind) } } \
    }; 0";

struct Gremlin {
    home: Rc<Home>,
    version: String,
}

pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let home = match place {
        None => Home::private(Release::newest()?),
        Some(url) if url.contains("://") => Home::Running(Target::parse(url).map_err(|why| {
            let shown = shown(url);
            ConnectError::Usage(format!(
                "'{shown}' is not the address of a Gremlin Server: {why}; give ws://HOST:PORT/gremlin"
            ))
        })?),
        Some(version) if is_release_number(version) => Home::private(Release::cached(version)?),
        Some(other) => {
            let text = format!("'{}' is neither a release number nor ws://HOST:PORT/gremlin", shown(other));
            return Err(ConnectError::Usage(text));
        }
    };
    let home = Rc::new(home);
    let release = || -> Result<String, String> {
        let mut session = GremlinSession::open(home.clone())?;
        let script = "graph.getClass().getSimpleName().toLowerCase() + ' ' + Gremlin.version()";
        match session.eval(script, FIRST_MS) {
            Outcome::Rows(rows) => Ok(rows.scalar().map_or_else(String::new, text_of)),
            other => Err(format!("{other:?}")),
        }
    };
    let version = release().map_err(|e| ConnectError::Unreachable(format!("cannot reach a Gremlin Server: {e}")))?;
    Ok(Box::new(Gremlin { home, version }))
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => other.show(),
    }
}

impl Engine for Gremlin {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Graph(if self.version.starts_with("tinkergraph") { &TINKERGRAPH } else { &OTHER })
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(GremlinSession::open(self.home.clone())?))
    }
}

struct GremlinSession {
    home: Rc<Home>,
    connection: Result<Connection, Outcome>,
    /// On a server that is not ours: a file says that what is in its graph is ours, also when this process was killed.
    turn: Option<Turn>,
}

impl Session for GremlinSession {
    fn run(&mut self, text: &str) -> Outcome {
        if let Some(why) = guard::gremlin(text) {
            return guard::not_run(&why);
        }
        let outcome = self.eval(text, SERVER_STATEMENT_MS);
        match outcome {
            // Statements that give nothing are not questions that found nothing.
            Outcome::Rows(_) if is_command(text) => Outcome::Done,
            other => other,
        }
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        if guard::gremlin(query).is_some() {
            return None;
        }
        match self.eval(&format!("{query}.explain().toString()"), SERVER_STATEMENT_MS) {
            Outcome::Rows(rows) => read_plan(&text_of(rows.scalar()?)),
            _ => None,
        }
    }

    fn reset(&mut self) -> Result<(), String> {
        if self.connection.is_err() || !self.home.is_up() {
            self.connection = Ok(self.home.connect(Duration::from_millis(SILENCE_MS))?);
        }
        self.empty()
    }

    fn waits(&self) -> bool {
        true
    }

    fn server_cpu_seconds(&self) -> f64 {
        self.home.cpu_seconds()
    }
}

fn is_command(text: &str) -> bool {
    text.ends_with(".iterate()") || text.starts_with("graph.createIndex(") || text.starts_with("graph.dropIndex(")
}

impl GremlinSession {
    fn open(home: Rc<Home>) -> Result<GremlinSession, String> {
        let connection = home.connect(Duration::from_millis(FIRST_MS))?;
        let mut session = GremlinSession { home, connection: Ok(connection), turn: None };
        if let Home::Running(target) = &*session.home.clone() {
            let turns = Turns::of(&format!("gremlin-{}-{}", target.host, target.port))
                .map_err(|e| format!("cannot create the file that says who owns the graph: {e}"))?;
            match session.eval("g.V().limit(1).count()", FIRST_MS) {
                Outcome::Rows(rows) if rows.scalar() == Some(&Value::Int(0)) => {}
                // Left behind by one that was killed.
                Outcome::Rows(_) if turns.abandoned() => {}
                Outcome::Rows(_) => {
                    return Err("its graph is not empty; qualm only works in graphs that it filled itself".into());
                }
                other => return Err(format!("its graph cannot be read: {other:?}")),
            }
            session.turn = turns.take().ok();
        }
        session.empty()?;
        if let Home::Private { .. } = *session.home {
            session.eval(WARM_UP, FIRST_MS);
            session.empty()?;
        }
        Ok(session)
    }

    fn empty(&mut self) -> Result<(), String> {
        let script = if matches!(*self.home, Home::Running(_)) { EMPTY_GRAPH } else { FRESH_GRAPH };
        match self.eval(script, FIRST_MS) {
            Outcome::Rows(_) => Ok(()),
            other => Err(format!("cannot empty the graph: {other:?}")),
        }
    }

    fn eval(&mut self, script: &str, limit_ms: u64) -> Outcome {
        let connection = match &mut self.connection {
            Ok(connection) => connection,
            Err(outcome) => return outcome.clone(),
        };
        let outcome = match connection.eval(script, limit_ms) {
            Reply::Results(results) => return read(&results),
            Reply::Refused(TIMEOUT_STATUS, text) => return Outcome::rejected(Limit, text),
            Reply::Refused(_, text) => return Outcome::rejected(classify(&text), text),
            Reply::TooLong => return Outcome::rejected(Limit, "answer too long"),
            Reply::Silent => Outcome::Hang(SILENCE_MS),
            Reply::Lost(why) => {
                let death = self.home.death_within(Duration::from_millis(DEATH_MS));
                Outcome::Crash(death.unwrap_or_else(|| format!("the server was lost in the middle of a script: {why}")))
            }
        };
        self.home.abandon();
        self.connection = Err(outcome.clone());
        outcome
    }
}

impl Drop for GremlinSession {
    fn drop(&mut self) {
        if let Home::Running(_) = *self.home {
            let emptied = self.empty().is_ok();
            if let Some(held) = self.turn.as_mut().and_then(Turn::hold).filter(|_| emptied) {
                held.left_empty();
            }
        }
        if let Ok(connection) = &mut self.connection {
            connection.close();
        }
    }
}

fn read(results: &[serde_json::Value]) -> Outcome {
    let mut rows = Rows::new(1);
    for result in results {
        match graphson::value(result) {
            Ok(value) => rows.cells.push(value),
            Err(what) => return Outcome::rejected(Limit, format!("a value that is not read here: {what}")),
        }
    }
    Outcome::Rows(rows)
}

/// The last line of an explanation: the steps after all strategies.
fn read_plan(text: &str) -> Option<Plan> {
    let line = text.lines().rev().find(|line| line.starts_with("Final Traversal"))?;
    let steps = line.split_once('[')?.1.trim_end().strip_suffix(']')?;
    let mut nodes = Vec::new();
    let (mut depth, mut name) = (0u16, String::new());
    for c in steps.chars().chain([',']) {
        match c {
            _ if c.is_alphanumeric() || c == '_' => name.push(c),
            _ => {
                // Names of steps; the rest are their arguments.
                if name.ends_with("Step") {
                    nodes.push(PlanNode::new(depth, std::mem::take(&mut name)));
                }
                name.clear();
            }
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Some(Plan { nodes })
}

/// Words of the server's errors that say more than that it does not take the script.
const TEXTS: &[(&str, RejectionClass)] = &[
    ("OutOfMemoryError", OutOfMemory),
    ("StackOverflowError", Limit),
    ("timeout", Limit),
    ("NullPointerException", Internal),
    ("IndexOutOfBoundsException", Internal),
    ("ConcurrentModificationException", Internal),
    ("AssertionError", Internal),
];

fn classify(text: &str) -> RejectionClass {
    TEXTS.iter().find(|(words, _)| text.contains(words)).map_or(RejectionClass::Expected, |(_, class)| *class)
}

const fn index(name: &'static str, target: Indexed, create: &'static str, drop: &'static str) -> IndexSpec {
    IndexSpec { name, target, kinds: &[], create, drop, unique: false }
}

/// TinkerGraph, which has an index for each kind of element. In Groovy `-0.0d` is 0.0.
pub static TINKERGRAPH: GraphDialect = GraphDialect {
    name: "tinkergraph",
    kinds: &[Kind::Int, Kind::Float, Kind::Text, Kind::Bool, Kind::Date, Kind::List],
    literals: &[(Kind::Date, "java.sql.Timestamp.valueOf('{} 00:00:00')")],
    mixed: Mixed::Any,
    negative_zero: false,
    indexes: &[
        index(
            "vertex",
            Indexed::Node,
            "graph.createIndex('{property}', Vertex.class)",
            "graph.dropIndex('{property}', Vertex.class)",
        ),
        index(
            "edge",
            Indexed::Relationship,
            "graph.createIndex('{property}', Edge.class)",
            "graph.dropIndex('{property}', Edge.class)",
        ),
    ],
    errors: TEXTS,
    ..GREMLIN
};

/// A server whose graph is of another kind: indexes are made in ways of its own.
static OTHER: GraphDialect = GraphDialect { negative_zero: false, errors: TEXTS, ..GREMLIN };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_an_explanation_is_the_plan() {
        let text = "Traversal Explanation\n=====\nFinal Traversal       [TinkerGraphStep(vertex,[~label.eq(A)]), \
                    NotStep([PropertiesStep([p],value)]), CountGlobalStep]";
        let plan = read_plan(text).unwrap();
        let steps: Vec<(u16, &str)> = plan.nodes.iter().map(|n| (n.depth, n.operator.as_str())).collect();
        assert_eq!(steps, [(0, "TinkerGraphStep"), (0, "NotStep"), (2, "PropertiesStep"), (0, "CountGlobalStep")]);
    }
}
