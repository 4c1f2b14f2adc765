//! Two releases or builds of one engine side by side: every statement runs in both, and a query can be sent to either.
//!
//! Written `NEW against OLD`, each part as an engine is named elsewhere. A text that begins with `OTHER` is answered by
//! the second engine; the mark is a comment, so that any client takes the script as it is. What one of the two rejects
//! counts as rejected, so that both databases stay the same.

use crate::{ConnectError, connect};
use qualm_core::dialect::Spoken;
use qualm_core::plan::Plan;
use qualm_core::session::{Engine, OTHER, Outcome, RejectionClass, Session, THIS};
use qualm_core::slowness::Work;

/// Between the two engines.
const WORD: &str = " against ";

/// The two engines of a pair.
pub fn pair(spec: &str) -> Option<(&str, &str)> {
    spec.split_once(WORD)
}

/// How a pair is written.
pub fn spec(engine: &str, other: &str) -> String {
    format!("{engine}{WORD}{other}")
}

/// Both engines are reached and answer. They must speak the same dialect, or a difference says nothing.
pub fn reach(engine: &str, other: &str) -> Result<Box<dyn Engine>, ConnectError> {
    if pair(other).is_some() {
        return Err(ConnectError::Usage("only two engines can be compared".into()));
    }
    let (this, other) = (connect(engine)?, connect(other)?);
    let same = match (this.spoken(), other.spoken()) {
        (Spoken::Sql(a), Spoken::Sql(b)) => a.name == b.name,
        _ => return Err(ConnectError::Usage("only releases of SQL engines can be compared with each other".into())),
    };
    if !same {
        let (this, other) = (this.version(), other.version());
        return Err(ConnectError::Usage(format!(
            "{this} and {other} speak different dialects; compare two releases or builds of one engine"
        )));
    }
    Ok(Box::new(Pair { this, other }))
}

struct Pair {
    this: Box<dyn Engine>,
    other: Box<dyn Engine>,
}

impl Engine for Pair {
    fn version(&self) -> String {
        spec(&self.this.version(), &self.other.version())
    }

    fn build(&self) -> String {
        self.this.build()
    }

    fn spoken(&self) -> Spoken {
        self.this.spoken()
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let (this, other) = (self.this.open()?, self.other.open()?);
        Ok(Box::new(PairSession { this, other, last: None, apart: false }))
    }

    fn caveat(&self) -> Option<String> {
        self.this.caveat().or_else(|| self.other.caveat())
    }
}

struct PairSession {
    this: Box<dyn Session>,
    other: Box<dyn Session>,
    /// The last text and what the other engine said to it.
    last: Option<(String, Outcome)>,
    /// One database has what the other lacks: nothing can be compared until both start anew.
    apart: bool,
}

impl Session for PairSession {
    fn run(&mut self, text: &str) -> Outcome {
        if self.apart {
            return Outcome::rejected(RejectionClass::Limit, "the two databases are not the same any more");
        }
        if let Some(query) = text.strip_prefix(OTHER) {
            return match self.last.take() {
                Some((last, outcome)) if last == query => outcome,
                _ => self.other.run(query),
            };
        }
        if let Some(query) = text.strip_prefix(THIS) {
            return self.this.run(query);
        }
        let outcome = self.other.run(text);
        if !outcome.is_ok() {
            self.last = None;
            return outcome;
        }
        self.last = Some((text.to_owned(), outcome));
        let outcome = self.this.run(text);
        self.apart = matches!(outcome, Outcome::Rejected(_)) && !reads_only(text);
        outcome
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        match query.strip_prefix(OTHER) {
            Some(query) => self.other.plan(query),
            None => self.this.plan(own(query)),
        }
    }

    fn estimate(&mut self, query: &str) -> Option<f64> {
        match query.strip_prefix(OTHER) {
            Some(query) => self.other.estimate(query),
            None => self.this.estimate(own(query)),
        }
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        match query.strip_prefix(OTHER) {
            Some(query) => self.other.work(query),
            None => self.this.work(own(query)),
        }
    }

    fn reached(&mut self, places: &mut Vec<u32>) -> bool {
        self.this.reached(places)
    }

    fn reset(&mut self) -> Result<(), String> {
        (self.last, self.apart) = (None, false);
        self.this.reset()?;
        self.other.reset()
    }

    fn mark(&mut self) {
        self.this.mark();
        self.other.mark();
    }

    fn allow_work(&mut self, times: u32) {
        self.this.allow_work(times);
        self.other.allow_work(times);
    }

    fn exhausted(&self) -> Option<&str> {
        self.this.exhausted().or_else(|| self.other.exhausted())
    }

    fn waits(&self) -> bool {
        self.this.waits() || self.other.waits()
    }

    fn server_cpu_seconds(&self) -> f64 {
        self.this.server_cpu_seconds() + self.other.server_cpu_seconds()
    }
}

/// Without the mark of what the first engine alone answers.
fn own(query: &str) -> &str {
    query.strip_prefix(THIS).unwrap_or(query)
}

/// Whether a statement leaves the database as it is.
fn reads_only(text: &str) -> bool {
    let word: String = text.trim_start_matches(['(', ' ']).chars().take_while(char::is_ascii_alphabetic).collect();
    ["SELECT", "WITH", "VALUES", "EXPLAIN"].contains(&word.to_ascii_uppercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(outcome: &Outcome) -> usize {
        match outcome {
            Outcome::Rows(rows) => rows.len(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_engine_answers_for_itself() {
        let engine = reach("canary:distinct-count", "sqlite").unwrap_or_else(|_| panic!("both are built in"));
        assert!(engine.version().contains(WORD), "{}", engine.version());
        let mut session = engine.open().unwrap();
        assert_eq!(session.run("CREATE TABLE t(a)"), Outcome::Done);
        assert_eq!(session.run("INSERT INTO t VALUES (1), (2)"), Outcome::Done);
        let query = "SELECT DISTINCT a FROM t";
        let other = format!("{OTHER}{query}");
        assert_eq!(rows(&session.run(&other)), 2, "without the first one before it");
        assert_eq!(rows(&session.run(query)), 1);
        assert_eq!(rows(&session.run(&other)), 2);
        assert!(!session.run("SELECT b FROM t").is_ok());
        assert_eq!(rows(&session.run(query)), 1, "a query that is rejected changes nothing");
    }

    #[test]
    fn only_releases_of_one_engine_are_compared() {
        assert_eq!(pair("sqlite against sqlite:3.40.0"), Some(("sqlite", "sqlite:3.40.0")));
        assert!(matches!(reach("sqlite", "z3"), Err(ConnectError::Usage(_) | ConnectError::Unreachable(_))));
        assert!(matches!(reach("sqlite", "sqlite against sqlite"), Err(ConnectError::Usage(_))));
    }
}
