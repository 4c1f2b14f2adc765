//! ClickHouse: as a library in this process (`chdb`), or over HTTP, from a private server or one that the user names.
//!
//! Knows what both have in common: one session in one database of its own, answers, errors, settings. How a statement
//! gets there is `chdb.rs` and `http.rs`.
//!
//! Answers come as `TabSeparatedWithNamesAndTypes`: it names the type of every column, exists in every release since
//! 2016, writes floats with the shortest digits that read back as the same bits, escapes text so that every byte
//! survives, and NULL (`\N`) is like no text. JSON has no NaN and no bytes; RowBinary with types is younger.

mod answer;
mod chdb;
pub mod dialect;
mod errors;
#[cfg(feature = "servers")]
mod http;
mod plan;
#[cfg(feature = "servers")]
mod private;

use crate::guard::{self, Flavour};
use qualm_core::plan::Plan;
use qualm_core::session::{Outcome, Session};
use qualm_core::slowness::Work;

pub use chdb::{connect as connect_chdb, releases_folder as chdb_releases};
#[cfg(feature = "servers")]
pub use http::{connect as connect_http, releases_folder as server_releases};

const FORMAT: &str = "TabSeparatedWithNamesAndTypes";
/// Longest answer that is read.
const ANSWER_ROWS: usize = 100_000;
const ANSWER_BYTES: usize = 64 << 20;

/// What came back from ClickHouse for one text.
enum Reply {
    Answer(Vec<u8>),
    /// The text of an exception.
    Refused(String),
    /// The server is not there any more; how it ended.
    Dead(String),
}

/// How statements get to ClickHouse.
trait Link {
    fn send(&mut self, text: &str) -> Reply;
    /// Leaves the session with all its settings, drops its database and begins anew in another one of its own.
    fn renew(&mut self) -> Result<(), String>;
}

/// Settings that every session has beside those of the dialect: limits, so that no statement takes the machine.
const LIMITS: &[&str] = &[
    "SET max_memory_usage = 1000000000",
    "SET max_execution_time = 4",
    "SET max_result_rows = 100000",
    "SET max_result_bytes = 67108864",
    "SET result_overflow_mode = 'throw'",
];

struct ClickHouseSession<L: Link> {
    link: L,
    /// Whether this release has EXPLAIN.
    explains: bool,
}

impl<L: Link> ClickHouseSession<L> {
    fn open(link: L) -> Result<ClickHouseSession<L>, String> {
        let mut session = ClickHouseSession { link, explains: true };
        session.reset()?;
        Ok(session)
    }
}

impl<L: Link> Session for ClickHouseSession<L> {
    fn run(&mut self, text: &str) -> Outcome {
        if let Some(why) = guard::sql(text, Flavour::ClickHouse) {
            return guard::not_run(&why);
        }
        match self.link.send(text) {
            Reply::Answer(bytes) => answer::read(&bytes),
            Reply::Refused(text) => Outcome::rejected(errors::classify(&text), text),
            Reply::Dead(how) => Outcome::Crash(how),
        }
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        if !self.explains || guard::sql(query, Flavour::ClickHouse).is_some() {
            return None;
        }
        let text = format!("{} {query}", plan::EXPLAIN);
        match self.link.send(&text) {
            Reply::Answer(bytes) => plan::read(&bytes),
            Reply::Refused(text) => {
                // The query may be at fault, or a release before 20.6 that does not know the word.
                if errors::code(&text) == Some(errors::SYNTAX_ERROR) {
                    let plain = format!("{} SELECT 1", plan::EXPLAIN);
                    self.explains = matches!(self.link.send(&plain), Reply::Answer(_));
                }
                None
            }
            Reply::Dead(_) => None,
        }
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        if guard::sql(query, Flavour::ClickHouse).is_some() {
            return None;
        }
        let Reply::Answer(bytes) = self.link.send(&format!("{query} FORMAT JSON")) else { return None };
        let answer: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        let rows = answer.get("statistics")?.get("rows_read")?.as_f64()?;
        Some(Work { amount: rows, unit: "rows read" })
    }

    fn reset(&mut self) -> Result<(), String> {
        self.link.renew()?;
        for statement in LIMITS.iter().chain(dialect::CLICKHOUSE.preamble) {
            match self.link.send(statement) {
                Reply::Answer(_) => {}
                // Settings that this release does not have: what they govern it does not have either.
                Reply::Refused(text) if errors::code(&text) == Some(errors::UNKNOWN_SETTING) => {}
                Reply::Refused(text) | Reply::Dead(text) => return Err(format!("'{statement}' gave: {text}")),
            }
        }
        Ok(())
    }
}

/// Orders releases by their numbers: `26.7.3-stable.1` is newer than `26.5.3`.
fn release_order(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

/// Both ways to reach the engine have the same settings.
const KNOBS: &str = include_str!("../../../../knobs/clickhouse.toml");

#[cfg(test)]
mod tests {
    use crate::guard::{Flavour, sql};

    fn leaves_the_database(text: &str) -> Option<String> {
        sql(text, Flavour::ClickHouse)
    }

    #[test]
    fn only_the_own_database_is_changed() {
        for text in [
            "USE system",
            "drop database default",
            "CREATE DATABASE x",
            "SYSTEM SHUTDOWN",
            "CREATE USER u",
            "INSERT INTO other.t VALUES (1)",
            "DROP TABLE IF EXISTS `other`.t",
            "ALTER TABLE other.t DELETE WHERE 1",
            "CREATE OR REPLACE TABLE other.t(a Int8) ENGINE = Memory",
        ] {
            assert!(leaves_the_database(text).is_some(), "{text}");
        }
        for text in [
            "SELECT 1 FROM system.settings",
            "INSERT INTO t0 VALUES (1.5)",
            "INSERT INTO t0(c0) SELECT t1.c0 FROM t1",
            "DELETE FROM t0 WHERE t0.c0 = 1",
            "CREATE TABLE t0(c0 Int64) ENGINE = MergeTree ORDER BY tuple()",
            "ALTER TABLE `t0` UPDATE c0 = 1.5 WHERE t0.c0 = 1",
            "SET max_threads = 1",
            "",
        ] {
            assert_eq!(leaves_the_database(text), None, "{text}");
        }
    }
}
