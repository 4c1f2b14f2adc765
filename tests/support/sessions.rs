//! Engines and sessions as tests use them: whatever is not as it should be ends the test.

use qualm::engine;
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use qualm::value::Value;

/// A release that is not there is a failure, never a test that was left out.
pub fn engine(spec: &str) -> Box<dyn Engine> {
    engine::connect(spec).unwrap_or_else(|e| panic!("{e} (or './x setup' for all that the tests need)"))
}

pub fn session(spec: &str) -> Box<dyn Session> {
    engine(spec).open().unwrap_or_else(|why| panic!("no session of '{spec}': {why}"))
}

pub fn run_all(session: &mut dyn Session, statements: &[&str]) {
    for statement in statements {
        let outcome = session.run(statement);
        assert!(outcome.is_ok(), "{statement}: {outcome:?}");
    }
}

/// Without an answer of rows.
pub fn done(session: &mut dyn Session, statement: &str) {
    assert_eq!(session.run(statement), Outcome::Done, "{statement}");
}

pub fn cells(session: &mut dyn Session, query: &str) -> Vec<Value> {
    match session.run(query) {
        Outcome::Rows(rows) => rows.cells,
        other => panic!("{query}: {other:?}"),
    }
}

/// The only cell, which is a text.
pub fn text(session: &mut dyn Session, query: &str) -> String {
    match cells(session, query).as_slice() {
        [Value::Text(text)] => text.clone(),
        other => panic!("{query}: {other:?}"),
    }
}

/// The rows as a person writes them, sorted.
pub fn rows(session: &mut dyn Session, query: &str) -> Vec<String> {
    let rows = match session.run(query) {
        Outcome::Rows(rows) => rows,
        other => panic!("{query}: {other:?}"),
    };
    let show = |row: &[Value]| row.iter().map(Value::show).collect::<Vec<_>>().join(" ");
    let mut all: Vec<String> = rows.iter().map(show).collect();
    all.sort();
    all
}

/// Class and text of a refusal.
pub fn rejection(session: &mut dyn Session, statement: &str) -> (RejectionClass, String) {
    match session.run(statement) {
        Outcome::Rejected(rejection) => (rejection.class, rejection.text),
        other => panic!("{statement}: {other:?}"),
    }
}

pub fn class(session: &mut dyn Session, statement: &str) -> RejectionClass {
    rejection(session, statement).0
}
