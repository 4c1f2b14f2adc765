//! The drivers against real engines: the linked SQLite and the releases that `./x setup` builds.

use qualm::engine::{self, ConnectError};
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use qualm::value::Value;

const BUNDLED: &str = "sqlite";
const OLD: &str = "sqlite:3.28.0";

/// A release that is not there is a failure, never a test that was left out.
fn engine(spec: &str) -> Box<dyn Engine> {
    engine::connect(spec).unwrap_or_else(|e| panic!("{e} (or './x setup' for all that the tests need)"))
}

fn session(spec: &str) -> Box<dyn Session> {
    engine(spec).open().expect("a session on a database in memory")
}

fn run_all(session: &mut dyn Session, statements: &[&str]) {
    for statement in statements {
        let outcome = session.run(statement);
        assert!(outcome.is_ok(), "{statement}: {outcome:?}");
    }
}

fn cells(session: &mut dyn Session, query: &str) -> Vec<Value> {
    match session.run(query) {
        Outcome::Rows(rows) => rows.cells,
        other => panic!("{query}: {other:?}"),
    }
}

fn unreachable(spec: &str) -> String {
    match engine::connect(spec) {
        Err(ConnectError::Unreachable(text)) => text,
        Err(other) => panic!("{spec}: {other:?}"),
        Ok(engine) => panic!("{spec} is {}", engine.version()),
    }
}

fn rejection(session: &mut dyn Session, statement: &str) -> (RejectionClass, String) {
    match session.run(statement) {
        Outcome::Rejected(r) => (r.class, r.text),
        other => panic!("{statement}: {other:?}"),
    }
}

#[test]
fn values_keep_their_types() {
    let mut session = session(BUNDLED);
    let query = "SELECT -9223372036854775808, 9223372036854775807, 0.1, 1.0, -9e999, 'a' || char(0) || 'b', x'', \
                 NULL, 'NULL', 1, '1'";
    assert_eq!(
        cells(session.as_mut(), query),
        [
            Value::Int(i64::MIN),
            Value::Int(i64::MAX),
            Value::Real(0.1),
            Value::Real(1.0),
            Value::Real(f64::NEG_INFINITY),
            Value::Text("a\0b".into()),
            Value::Blob(vec![]),
            Value::Null,
            Value::Text("NULL".into()),
            Value::Int(1),
            Value::Text("1".into()),
        ]
    );
    // Text that is no UTF-8 keeps its bytes.
    assert_eq!(cells(session.as_mut(), "SELECT CAST(x'61FF' AS TEXT)"), [Value::Blob(vec![0x61, 0xFF])]);
}
