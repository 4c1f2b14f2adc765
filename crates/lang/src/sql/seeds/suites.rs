//! Test suites as seeds: what a file of an engine's own tests asks, as plain scripts. Three forms are known by what
//! stands in them: sqllogictest records, the Tcl tests of SQLite, and plain SQL. Expected answers are left out.
//!
//! A file that drops its tables and begins anew is several scripts, and a long one is cut: a seed is built for every
//! database, so that a long one would leave no time for questions.

use crate::sql::parse::{self, Marks};
use qualm_core::dialect::sql::Dialect;

/// Statements and queries of one script.
const STATEMENTS_AT_MOST: usize = 120;
const QUERIES_AT_MOST: usize = 200;
/// Longer files are large data rather than tests.
pub const FILE_BYTES_AT_MOST: u64 = 4 << 20;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Sql,
    Records,
    Tcl,
}

/// Files with these endings are looked into.
pub fn may_be_read(ending: &str) -> bool {
    ["sql", "test", "slt", "slt_good", "test_slow"].iter().any(|known| ending.eq_ignore_ascii_case(known))
}

pub fn form_of(text: &str) -> Form {
    let is_record = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("statement") => matches!(words.next(), Some("ok" | "error" | "count" | "maybe")),
            Some("query") => words.next().is_none_or(|types| types.bytes().all(|b| b.is_ascii_uppercase())),
            _ => false,
        }
    };
    if text.lines().any(is_record) {
        Form::Records
    } else if ["do_execsql_test", "execsql {"].iter().any(|word| text.contains(word)) {
        Form::Tcl
    } else {
        Form::Sql
    }
}

/// The scripts of a file of tests. Each keeps the lines of the file, so that a place in it is one in the file.
pub fn scripts(text: &str, dialect: &'static Dialect) -> Vec<String> {
    let plain = match form_of(text) {
        Form::Sql => return vec![text.to_owned()],
        Form::Records => of_records(text, dialect.name),
        Form::Tcl => of_tcl(text),
    };
    cut(&plain, dialect)
}

// ---------------------------------------------------------------- sqllogictest

/// Every line that is no SQL becomes an empty one; a record ends with a semicolon.
fn of_records(text: &str, engine: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Of the record at hand: whether its lines are SQL, and whether one was seen.
    let (mut wanted, mut begun, mut skips) = (false, false, false);
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let ends = line.trim().is_empty() || line.trim() == "----";
        if ends {
            if wanted && begun {
                out.push(';');
            }
            (wanted, begun) = (false, false);
        } else if wanted {
            // What a loop fills in is not known here.
            let text = if line.contains("${") { "no SQL" } else { line };
            out.push_str(text);
            begun = true;
        } else {
            match (words.next(), words.next()) {
                (Some("skipif"), Some(name)) => skips |= is_engine(name, engine),
                (Some("onlyif"), Some(name)) => skips |= !is_engine(name, engine),
                (Some("statement"), Some("ok" | "count" | "maybe")) | (Some("query"), _) => {
                    wanted = !skips;
                    skips = false;
                }
                (Some("statement"), _) => skips = false,
                (Some("halt"), _) if !skips => break,
                _ => {}
            }
        }
        out.push('\n');
    }
    if wanted && begun {
        out.push(';');
    }
    out
}

fn is_engine(name: &str, engine: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace("sql", "");
    plain(name) == plain(engine) || name.eq_ignore_ascii_case("postgresql") && engine == "postgres"
}

// ---------------------------------------------------------------- Tcl

/// What stands in braces behind the commands that run SQL, with the lines of the file.
fn of_tcl(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut lines) = (0, 0);
    while let Some((open, close)) = next_sql(text, at) {
        let sql = &text[open + 1..close];
        let line = text[..open].matches('\n').count();
        if !sql.contains(['$', '[']) {
            (lines..line).for_each(|_| out.push('\n'));
            lines = line.max(lines) + sql.matches('\n').count();
            out.push_str(sql);
            out.push(';');
        }
        at = close;
    }
    out
}

/// The braces of the next such command.
fn next_sql(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = &text[from..];
    let commands = ["do_execsql_test", "execsql"];
    let (at, command) = commands.iter().filter_map(|c| rest.find(c).map(|at| (at, *c))).min_by_key(|(at, _)| *at)?;
    let open = from + at + rest[at + command.len()..].find('{')? + command.len();
    let mut depth = 0;
    for (i, b) in text.bytes().enumerate().skip(open) {
        match b {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((open, i));
        }
    }
    None
}

// ---------------------------------------------------------------- cutting

/// A new script begins where a table is dropped. What is beyond the limits is left out.
fn cut(text: &str, dialect: &'static Dialect) -> Vec<String> {
    let mut all = Vec::new();
    let mut now = Script::default();
    for (line, piece) in parse::statements_of(text, Marks::of(dialect)) {
        let upper: String = piece.chars().take(16).collect::<String>().to_ascii_uppercase();
        if upper.starts_with("DROP ") {
            all.extend(std::mem::take(&mut now).done());
            continue;
        }
        now.add(line, piece, super::is_query(piece));
    }
    all.extend(now.done());
    all
}

#[derive(Default)]
struct Script {
    text: String,
    lines: usize,
    statements: usize,
    queries: usize,
    tables: usize,
}

impl Script {
    fn add(&mut self, line: usize, piece: &str, is_query: bool) {
        let (count, most) = match is_query {
            true => (&mut self.queries, QUERIES_AT_MOST),
            false => (&mut self.statements, STATEMENTS_AT_MOST),
        };
        if *count >= most {
            return;
        }
        *count += 1;
        self.tables += usize::from(super::creates_table(piece));
        (self.lines + 1..line).for_each(|_| self.text.push('\n'));
        self.lines = line.max(self.lines + 1) - 1 + piece.matches('\n').count();
        self.text.push_str(piece);
        self.text.push(';');
    }

    /// One without a table is of no use.
    fn done(self) -> Option<String> {
        (self.tables > 0).then_some(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_engines::sqlite::dialect::SQLITE;

    const RECORDS: &str = "hash-threshold 8\n\nstatement ok\nCREATE TABLE t1(a INTEGER,\n  b TEXT)\n\n\
        statement ok\nINSERT INTO t1 VALUES(1,'x')\n\nstatement error\nINSERT INTO nowhere VALUES(1)\n\n\
        skipif sqlite\nstatement ok\nINSERT INTO t1 VALUES(2,'only others')\n\n\
        onlyif mysql\nquery I\nSELECT a DIV 1 FROM t1\n----\n1\n\n\
        query IT rowsort label-1\nSELECT a, b\n  FROM t1 WHERE a>0\n----\n1\nx\n\nstatement ok\nDROP TABLE t1\n\n\
        statement ok\nCREATE TABLE t2(c)\n\nquery I nosort\nSELECT c FROM t2";

    #[test]
    fn records_are_read_up_to_what_is_not_for_this_engine() {
        assert_eq!(form_of(RECORDS), Form::Records);
        let scripts = scripts(RECORDS, &SQLITE);
        assert_eq!(scripts.len(), 2, "{scripts:?}");
        let first = &scripts[0];
        assert!(first.contains("CREATE TABLE t1(a INTEGER,\n  b TEXT);"), "{first}");
        assert!(first.contains("FROM t1 WHERE a>0;"), "{first}");
        for other in ["nowhere", "only others", "DIV", "----", "rowsort"] {
            assert!(!first.contains(other), "{first}");
        }
        let at = |text: &str, word: &str| text.lines().position(|l| l.contains(word));
        assert_eq!(at(first, "SELECT a, b"), at(RECORDS, "SELECT a, b"));
        assert!(scripts[1].trim().starts_with("CREATE TABLE t2(c);") && scripts[1].contains("SELECT c FROM t2;"));
        assert_eq!(at(&scripts[1], "t2(c)"), at(RECORDS, "t2(c)"));
    }

    #[test]
    fn tcl_tests_give_their_sql() {
        let text = "do_test a-1 {\n  execsql {\n    CREATE TABLE t1(a);\n    INSERT INTO t1 VALUES(1);\n  }\n} {}\n\
            do_execsql_test a-2 {\n  SELECT a FROM t1 WHERE a IN (1, 2)\n} {1}\n\
            do_execsql_test a-$i { SELECT $i FROM t1 } {}\n";
        assert_eq!(form_of(text), Form::Tcl);
        let scripts = scripts(text, &SQLITE);
        assert_eq!(scripts.len(), 1, "{scripts:?}");
        assert!(scripts[0].contains("CREATE TABLE t1(a);") && scripts[0].contains("IN (1, 2);"), "{scripts:?}");
        assert!(!scripts[0].contains('$'), "{scripts:?}");
    }

    #[test]
    fn a_long_suite_is_cut() {
        let rows: String = (0..1000).map(|i| format!("statement ok\nINSERT INTO t VALUES({i})\n\n")).collect();
        let queries: String =
            (0..1000).map(|i| format!("query I\nSELECT a FROM t WHERE a = {i}\n----\n{i}\n\n")).collect();
        let scripts = scripts(&format!("statement ok\nCREATE TABLE t(a)\n\n{rows}{queries}"), &SQLITE);
        assert_eq!(scripts.len(), 1);
        assert_eq!(scripts[0].matches("INSERT").count(), STATEMENTS_AT_MOST - 1);
        assert_eq!(scripts[0].matches("SELECT").count(), QUERIES_AT_MOST);
    }

    #[test]
    fn plain_sql_stays_as_it_is() {
        let text = "CREATE TABLE statement(query INT);\nSELECT query FROM statement;";
        assert_eq!((form_of(text), scripts(text, &SQLITE)), (Form::Sql, vec![text.to_owned()]));
    }
}
