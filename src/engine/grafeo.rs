//! Grafeo, linked in: each session has a database in memory. It takes Cypher, or Gremlin (`grafeo:gremlin`) with the
//! statements about indexes still in Cypher, because its Gremlin has none.
//!
//! A panic of Grafeo's is told as a crash; the session goes on with a fresh database.

use crate::dialect::{Dialect, NO_SQL};
use crate::engine::ConnectError;
use crate::limits::SERVER_STATEMENT_MS;
use crate::plan::{Plan, PlanNode};
use crate::session::RejectionClass::{self, Expected, Internal, Limit, OutOfMemory};
use crate::session::{Engine, Outcome, Session};
use crate::value::{Rows, Value};
use grafeo_common::types::Value as Cell;
use grafeo_common::utils::error::ErrorCode;
use grafeo_engine::database::QueryResult;
use grafeo_engine::{Config, GrafeoDB};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const ANSWER_ROWS: usize = 100_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Cypher,
    Gremlin,
}

struct Grafeo {
    language: Language,
}

pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let language = match place {
        None | Some("cypher") => Language::Cypher,
        Some("gremlin") => Language::Gremlin,
        Some(place) => {
            return Err(ConnectError::Usage(format!(
                "'grafeo' is built in, release {}; behind its colon stands 'cypher' or 'gremlin', not '{place}'",
                grafeo_engine::VERSION
            )));
        }
    };
    Ok(Box::new(Grafeo { language }))
}

impl Engine for Grafeo {
    fn version(&self) -> String {
        format!("grafeo {}", grafeo_engine::VERSION)
    }

    fn dialect(&self) -> &'static Dialect {
        &NO_SQL
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(GrafeoSession { language: self.language, session: fresh()?, engine_nanos: 0 }))
    }
}

/// A session keeps its database alive.
fn fresh() -> Result<grafeo_engine::Session, String> {
    let config = Config::in_memory().with_query_timeout(Duration::from_millis(SERVER_STATEMENT_MS));
    let db = GrafeoDB::with_config(config).map_err(|e| format!("cannot open a database in memory: {e}"))?;
    Ok(db.session())
}

struct GrafeoSession {
    language: Language,
    session: grafeo_engine::Session,
    engine_nanos: u64,
}

impl Session for GrafeoSession {
    fn run(&mut self, text: &str) -> Outcome {
        let started = Instant::now();
        let outcome = match self.ask(text) {
            Ok(Ok(answer)) => read(answer),
            Ok(Err(error)) => Outcome::rejected(classify(&error), error.to_string()),
            Err(crash) => Outcome::Crash(crash),
        };
        self.engine_nanos += started.elapsed().as_nanos() as u64;
        outcome
    }

    /// Only Cypher has EXPLAIN.
    fn plan(&mut self, query: &str) -> Option<Plan> {
        if self.language == Language::Gremlin {
            return None;
        }
        let answer = self.ask(&format!("EXPLAIN {query}")).ok()?.ok()?;
        let text = answer.rows().first()?.first().map(ToString::to_string)?;
        read_plan(&text)
    }

    fn reset(&mut self) -> Result<(), String> {
        self.session = fresh()?;
        Ok(())
    }

    fn engine_nanos(&self) -> u64 {
        self.engine_nanos
    }
}

type Asked = Result<QueryResult, grafeo_common::Error>;

impl GrafeoSession {
    /// The words of the panic when there was one.
    fn ask(&mut self, text: &str) -> Result<Asked, String> {
        let gremlin = self.language == Language::Gremlin && text.starts_with("g.");
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
        Cell::Float64(number) => Value::Real(number),
        Cell::String(text) => Value::Text(text.to_string()),
        Cell::Bytes(bytes) => Value::Blob(bytes.to_vec()),
        Cell::Timestamp(time) => Value::marked("~timestamp", time.to_string()),
        Cell::Date(date) => Value::marked("~date", date.to_string()),
        Cell::Time(time) => Value::marked("~time", time.to_string()),
        Cell::Duration(duration) => Value::marked("~duration", duration.to_string()),
        Cell::ZonedDatetime(time) => Value::marked("~datetime", time.to_string()),
        Cell::List(members) => Value::List(members.iter().cloned().map(value).collect::<Result<_, _>>()?),
        Cell::Map(entries) => {
            let read = |(key, cell): (&_, &Cell)| -> Result<_, String> { Ok((marked_key(key), value(cell.clone())?)) };
            Value::map(entries.iter().map(read).collect::<Result<_, _>>()?)
        }
        Cell::Path { nodes, edges } => {
            let read = |cells: &[Cell]| -> Result<_, String> {
                Ok(Value::List(cells.iter().cloned().map(value).collect::<Result<_, String>>()?))
            };
            Value::map(vec![("~nodes".into(), read(&nodes)?), ("~relationships".into(), read(&edges)?)])
        }
        other => return Err(format!("{other:?}")),
    })
}

fn marked_key(key: &grafeo_common::types::PropertyKey) -> String {
    key.to_string()
}

fn read_plan(text: &str) -> Option<Plan> {
    let _ = PlanNode::new(0, text);
    None
}

fn classify(error: &grafeo_common::Error) -> RejectionClass {
    match error.error_code() {
        ErrorCode::QueryTimeout => Limit,
        ErrorCode::StorageFull => OutOfMemory,
        ErrorCode::Internal | ErrorCode::StorageCorrupted => Internal,
        _ => Expected,
    }
}
