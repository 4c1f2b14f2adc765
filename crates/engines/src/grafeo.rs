//! Grafeo, linked in: each session has a database in memory. It takes Cypher, or Gremlin (`grafeo:gremlin`) with the
//! statements about indexes still in Cypher, because its Gremlin has none.
//!
//! A panic of Grafeo's is reported as a crash; the session goes on with a fresh database.

use crate::ConnectError;
use grafeo_common::types::Value as Cell;
use grafeo_common::utils::error::ErrorCode;
use grafeo_engine::database::QueryResult;
use grafeo_engine::{Config, GrafeoDB};
use qualm_core::dialect::Spoken;
use qualm_core::dialect::graph::{
    Feature, GREMLIN, GraphDialect, GraphFunction, GraphSelfTest, IndexSpec, Kind, Mixed, MixedOrder, OPENCYPHER,
    OPENCYPHER_FUNCTIONS, Param, Target,
};
use qualm_core::limits::SERVER_STATEMENT_MS;
use qualm_core::plan::{Plan, PlanNode};
use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit, OutOfMemory};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const ANSWER_ROWS: usize = 100_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Cypher,
    Gremlin,
}

struct Grafeo {
    syntax: Syntax,
}

pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let syntax = match place {
        None | Some("cypher") => Syntax::Cypher,
        Some("gremlin") => Syntax::Gremlin,
        Some(place) => {
            return Err(ConnectError::Usage(format!(
                "'grafeo' is built in, release {}; after the colon it takes 'cypher' or 'gremlin', not '{place}'",
                grafeo_engine::VERSION
            )));
        }
    };
    Ok(Box::new(Grafeo { syntax }))
}

impl Engine for Grafeo {
    fn version(&self) -> String {
        format!("grafeo {}", grafeo_engine::VERSION)
    }

    fn spoken(&self) -> Spoken {
        Spoken::Graph(match self.syntax {
            Syntax::Cypher => &CYPHER,
            Syntax::Gremlin => &GRAFEO_GREMLIN,
        })
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(GrafeoSession { syntax: self.syntax, session: fresh()? }))
    }
}

/// A session keeps its database alive.
fn fresh() -> Result<grafeo_engine::Session, String> {
    let config = Config::in_memory().with_query_timeout(Duration::from_millis(SERVER_STATEMENT_MS));
    let db = GrafeoDB::with_config(config).map_err(|e| format!("cannot open a database in memory: {e}"))?;
    Ok(db.session())
}

struct GrafeoSession {
    syntax: Syntax,
    session: grafeo_engine::Session,
}

impl Session for GrafeoSession {
    fn run(&mut self, text: &str) -> Outcome {
        match self.query(text) {
            // What it says of a change is the numbers of what was changed.
            Ok(Ok(_)) if self.syntax == Syntax::Cypher && !gives_rows(text) => Outcome::Done,
            Ok(Ok(answer)) => read(answer),
            Ok(Err(error)) => Outcome::rejected(classify(&error), error.to_string()),
            Err(crash) => Outcome::Crash(crash),
        }
    }

    /// Only Cypher has EXPLAIN.
    fn plan(&mut self, query: &str) -> Option<Plan> {
        if self.syntax == Syntax::Gremlin {
            return None;
        }
        let answer = self.query(&format!("EXPLAIN {query}")).ok()?.ok()?;
        match answer.rows().first()?.first()? {
            Cell::String(text) => Some(read_plan(text)),
            _ => None,
        }
    }

    fn reset(&mut self) -> Result<(), String> {
        self.session = fresh()?;
        Ok(())
    }
}

type Answered = Result<QueryResult, grafeo_common::Error>;

impl GrafeoSession {
    /// The words of the panic when there was one.
    fn query(&mut self, text: &str) -> Result<Answered, String> {
        let gremlin = self.syntax == Syntax::Gremlin && text.starts_with("g.");
        let run = || if gremlin { self.session.execute_gremlin(text) } else { self.session.execute_cypher(text) };
        catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned())).unwrap_or_default();
            if let Ok(session) = fresh() {
                self.session = session;
            }
            format!("grafeo panicked: {words}")
        })
    }
}

fn read(answer: QueryResult) -> Outcome {
    let columns = answer.columns.len();
    if columns == 0 || answer.status_message.is_some() {
        return Outcome::Done;
    }
    if answer.rows().len() > ANSWER_ROWS {
        return Outcome::rejected(Limit, "answer too long");
    }
    let mut rows = Rows::new(columns);
    for cell in answer.into_rows().into_iter().flatten() {
        match value(cell) {
            Ok(value) => rows.cells.push(value),
            Err(what) => return Outcome::rejected(Limit, format!("a value that is not read here: {what}")),
        }
    }
    Outcome::Rows(rows)
}

fn value(cell: Cell) -> Result<Value, String> {
    Ok(match cell {
        Cell::Null => Value::Null,
        Cell::Bool(truth) => Value::Bool(truth),
        Cell::Int64(number) => Value::Int(number),
        Cell::Float64(number) => Value::real(number),
        Cell::String(text) => Value::Text(text.to_string()),
        Cell::Bytes(bytes) => Value::Blob(bytes.to_vec()),
        Cell::Timestamp(time) => Value::marked("~timestamp", time.to_string()),
        Cell::Date(date) => Value::marked("~date", date.to_string()),
        Cell::Time(time) => Value::marked("~time", time.to_string()),
        Cell::Duration(duration) => Value::marked("~duration", duration.to_string()),
        Cell::ZonedDatetime(time) => Value::marked("~datetime", time.to_string()),
        Cell::List(members) => Value::List(members.iter().cloned().map(value).collect::<Result<_, _>>()?),
        Cell::Map(entries) => {
            let entries: Vec<_> = entries.iter().map(|(key, cell)| (key.as_str(), cell)).collect();
            return map(&entries);
        }
        Cell::Path { nodes, edges } => Value::map(vec![
            ("~nodes".into(), value(Cell::List(nodes))?),
            ("~relationships".into(), value(Cell::List(edges))?),
        ]),
        other => return Err(format!("{other:?}")),
    })
}

/// A node and a relationship are maps with keys that only these have.
fn map(entries: &[(&str, &Cell)]) -> Result<Value, String> {
    let has = |key: &str| entries.iter().any(|(k, _)| *k == key);
    let marks: &[(&str, &str)] = if has("_id") && has("_labels") {
        &[("_id", "~id"), ("_labels", "~labels")]
    } else if has("_id") && has("_source") {
        &[("_id", "~id"), ("_type", "~type"), ("_source", "~from"), ("_target", "~to")]
    } else {
        &[]
    };
    let mut read = Vec::with_capacity(entries.len());
    for (key, cell) in entries {
        let key = marks.iter().find(|(own, _)| own == key).map_or(*key, |(_, mark)| mark);
        let mut value = value((*cell).clone())?;
        if let ("~labels", Value::List(labels)) = (key, &mut value) {
            labels.sort_by_key(Value::show);
        }
        read.push((key.to_owned(), value));
    }
    Ok(Value::map(read))
}

fn gives_rows(text: &str) -> bool {
    let word = |word: &str| ["RETURN", "SHOW", "EXPLAIN"].contains(&word.to_uppercase().as_str());
    text.split(|c: char| !c.is_alphanumeric()).any(word)
}

/// Lines such as `    Filter (n.x Eq 2) [index: x]`, indented by their depth.
fn read_plan(text: &str) -> Plan {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let nodes = lines.map(|line| {
        let step = line.trim_start();
        let depth = (line.len() - step.len()) / 2;
        let mut node = PlanNode::new(depth as u16, step.split(" (").next().unwrap_or(step));
        node.index = step.split_once("[index: ").and_then(|(_, rest)| rest.split(']').next()).map(str::to_owned);
        node.relation = step.split_once("NodeScan (").and_then(|(_, rest)| rest.split(')').next()).map(str::to_owned);
        node
    });
    Plan { nodes: nodes.collect() }
}

fn classify(error: &grafeo_common::Error) -> RejectionClass {
    match error.error_code() {
        ErrorCode::QueryTimeout => Limit,
        ErrorCode::StorageFull => OutOfMemory,
        ErrorCode::Internal | ErrorCode::StorageCorrupted => Internal,
        _ => Expected,
    }
}

const DATE: &[Param] = &[Param::Of(Kind::Date)];

const fn function(name: &'static str, params: &'static [Param], result: Kind) -> GraphFunction {
    GraphFunction { name, params, result }
}

/// Names that it does not know give NULL and no error, so that only those that it has may stand here.
const FUNCTIONS: [GraphFunction; OPENCYPHER_FUNCTIONS.len() + 2] = {
    let mut all = [function("exp", &[Param::Of(Kind::Float)], Kind::Float); OPENCYPHER_FUNCTIONS.len() + 2];
    let mut i = 0;
    while i < OPENCYPHER_FUNCTIONS.len() {
        all[i] = OPENCYPHER_FUNCTIONS[i];
        i += 1;
    }
    all[i] = function("toString", DATE, Kind::Text);
    all
};

/// One index serves all labels; it is used for equality only.
const INDEX: IndexSpec = IndexSpec {
    name: "hash",
    target: Target::Node,
    kinds: &[],
    create: "CREATE INDEX {name} FOR (n:{label}) ON (n.{property})",
    drop: "DROP INDEX {name}",
    unique: false,
};

/// Cypher as release 0.5.44 has it. Two relationships of one MATCH may be the same one; dividing by zero, an overflow,
/// a bad pattern and an unknown function are NULL. Without a direction a loop is found twice.
pub static CYPHER: GraphDialect = GraphDialect {
    name: "grafeo",
    kinds: &[Kind::Int, Kind::Float, Kind::Text, Kind::Bool, Kind::List, Kind::Date, Kind::Duration],
    literals: &[(Kind::Date, "date('{}')"), (Kind::Duration, "duration('{}')")],
    functions: &FUNCTIONS,
    indexes: &[INDEX],
    trails: false,
    mixed: Mixed::Any,
    mixed_order: MixedOrder::Null,
    ..OPENCYPHER
};

/// The part of Gremlin that release 0.5.44 reads.
pub static GRAFEO_GREMLIN: GraphDialect = GraphDialect {
    name: "grafeo-gremlin",
    literals: &[(Kind::Float, "{}")],
    anonymous: "",
    nan: None,
    infinity: None,
    negative_infinity: None,
    features: &[
        Feature::In,
        Feature::TextPredicate,
        Feature::PatternPredicate,
        Feature::VariableLength,
        Feature::TypeAlternatives,
        Feature::Undirected,
        Feature::SelfLoop,
        Feature::Remove,
        Feature::DetachDelete,
        Feature::Distinct,
        Feature::OrderBy,
        Feature::Ranges,
    ],
    // `not` loses what lacks the property, and a step inside a filter that it does not know is passed over.
    known_wrong: &[Feature::NotStep, Feature::NestedFilters],
    indexes: &[INDEX],
    self_test: GraphSelfTest {
        statements: &[
            "g.addV('A').property('x',1)",
            "g.addV('B').property('y',3)",
            "g.V().hasLabel('A').as('a').V().hasLabel('B').addE('E').from('a')",
        ],
        question: "g.V().hasLabel('A').out('E').values('y')",
        answer: "[[3]]",
    },
    ..GREMLIN
};
