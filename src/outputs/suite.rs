//! A finding as a script in the style of the engine's own tests: which engine has which is a row in `STYLES`.
//!
//! ```text
//! sqlite           test/NAME.test        Tcl: do_execsql_test, and do_test for two answers that must agree
//! duckdb           test/sql/NAME.test    sqllogictest with a header of its own
//! mysql, mariadb   mysql-test/t/NAME.test    statements, cleaned up at the end; its result is recorded by the runner
//! the others       a plain script, with what must hold as comments
//! ```

use super::export::{Material, needs_right};
use super::slt;
use qualm_core::dialect::datalog::Form;
use qualm_core::fault::Fault;
use qualm_core::relation::{Order, Relation};
use qualm_core::session::Outcome;
use qualm_core::value::{Rows, Value};
use qualm_run::report::{counted, one_line};
use std::fmt::Write;

type Style = fn(&Material) -> Result<String, Fault>;

const STYLES: &[(&str, Style)] =
    &[("sqlite", tcl), ("canary", tcl), ("duckdb", duckdb), ("mysql", mysqltest), ("mariadb", mysqltest)];

pub fn text(m: &Material) -> Result<String, Fault> {
    let engine = m.engine.split(':').next().unwrap_or_default();
    let style = STYLES.iter().find(|(name, _)| *name == engine).map_or(plain as Style, |(_, style)| *style);
    style(m)
}

// ---------------------------------------------------------------- SQLite

/// Rows as a list of lists, sorted, so that order does not count.
const ROWS: &str = "\
proc rows {columns sql} {
  set all {}
  set flat [execsql $sql]
  while {[llength $flat] > 0} {
    lappend all [lrange $flat 0 [expr {$columns - 1}]]
    set flat [lrange $flat $columns end]
  }
  return [lsort $all]
}
";

/// Whether a text within braces ends where it should, so that nothing of it becomes a command of Tcl.
fn stays_in_braces(text: &str) -> bool {
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return false,
            '}' => depth -= 1,
            _ => {}
        }
    }
    // Braces behind a backslash are not counted by Tcl, nor is one that ends the text.
    depth == 0 && !text.contains("\\{") && !text.contains("\\}") && !text.ends_with('\\')
}

/// A finding may be anybody's, and a test is run: a statement must not become a command of the test's own language.
fn not_a_statement(text: &str) -> Fault {
    let start: String = text.chars().take(60).collect();
    let text = format!(
        "'{}' cannot be quoted safely in such a test; use --as slt, or write the test by hand",
        one_line(&start)
    );
    Fault::usage(text)
}

fn tcl(m: &Material) -> Result<String, Fault> {
    if let Some(step) = m.case.script.iter().find(|step| !stays_in_braces(&step.text)) {
        return Err(not_a_statement(&step.text));
    }
    let mut out = format!("# {}\n# found by qualm in {}\n\n", one_line(&m.title), one_line(&m.version));
    let _ = write!(out, "set testdir [file dirname $argv0]\nsource $testdir/tester.tcl\nset testprefix {}\n\n", m.name);
    let (mut setup, mut queries) = (String::new(), Vec::new());
    let mut number = 0;
    let mut flush = |setup: &mut String, out: &mut String| {
        if !setup.is_empty() {
            number += 1;
            let _ = write!(out, "do_execsql_test 1.{number} {{\n{setup}}} {{}}\n\n");
            setup.clear();
        }
    };
    for step in &m.case.script {
        if step.is_query() {
            flush(&mut setup, &mut out);
            queries.push(step.text.as_str());
        } else {
            let _ = writeln!(setup, "  {};", step.text);
        }
    }
    flush(&mut setup, &mut out);
    out.push_str(ROWS);
    match (&m.right, m.case.claim.unguarded()) {
        (Some((_, answers)), _) => {
            for (i, (query, answer)) in queries.iter().zip(answers).enumerate() {
                let Outcome::Rows(rows) = answer else { return Err(needs_right()) };
                if !stays_in_braces(&tcl_rows(rows)) {
                    return Err(not_a_statement(&tcl_rows(rows)));
                }
                let _ = write!(
                    out,
                    "\ndo_test 2.{} {{\n  rows {} {{{query}}}\n}} [lsort {{{}}}]\n",
                    i + 1,
                    rows.columns,
                    { tcl_rows(rows) }
                );
            }
        }
        (None, Relation::Same { left, right, order, .. }) if *order != Order::List => {
            let columns = m.actual.iter().find_map(|o| if let Outcome::Rows(r) = o { Some(r.columns) } else { None });
            let columns = columns.unwrap_or(1).max(1);
            let Some((left, right)) = queries.get(*left).zip(queries.get(*right)) else { return Err(needs_right()) };
            let _ = write!(
                out,
                "\n# Both must return the same rows.\ndo_test 2.1 {{\n  expr {{[rows {columns} {{{left}}}] eq "
            );
            let _ = write!(out, "[rows {columns} {{{right}}}]}}\n}} 1\n");
        }
        _ => return Err(needs_right()),
    }
    out.push_str("\nfinish_test\n");
    Ok(out)
}

/// NULL is the empty string to `execsql`.
fn tcl_rows(rows: &Rows) -> String {
    let cell = |v: &Value| match v {
        Value::Null => "{}".into(),
        Value::Text(t) if !t.contains(['{', '}', '\\']) => format!("{{{t}}}"),
        Value::Text(t) => format!("\"{}\"", t.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")),
        other => other.show(),
    };
    let row = |r: &[Value]| format!("{{{}}}", r.iter().map(cell).collect::<Vec<_>>().join(" "));
    rows.iter().map(row).collect::<Vec<_>>().join(" ")
}

// ---------------------------------------------------------------- others

fn duckdb(m: &Material) -> Result<String, Fault> {
    let header = format!(
        "# name: test/sql/{0}.test\n# description: {1}\n# group: [sql]\n\nstatement ok\nPRAGMA enable_verification\n\n",
        m.name,
        one_line(&m.title)
    );
    Ok(header + slt::text(m)?.as_str())
}

/// The runner records what a right server gives: `mysql-test-run --record NAME`.
fn mysqltest(m: &Material) -> Result<String, Fault> {
    if let Some(step) = m.case.script.iter().find(|step| !is_one_statement(&step.text)) {
        return Err(not_a_statement(&step.text));
    }
    let mut out = format!("--echo # {}\n--echo # found by qualm in {}\n", one_line(&m.title), one_line(&m.version));
    let mut made = Vec::new();
    for step in &m.case.script {
        if let Some(label) = &step.label {
            let _ = write!(out, "\n--echo # {}\n--sorted_result\n", one_line(label));
        }
        let _ = writeln!(out, "{};", step.text.trim_end().trim_end_matches(';'));
        let mut words = step.text.split(|c: char| c.is_whitespace() || c == '(').filter(|w| !w.is_empty());
        if words.next().is_some_and(|w| w.eq_ignore_ascii_case("create"))
            && let Some(kind) =
                words.next().filter(|k| k.eq_ignore_ascii_case("table") || k.eq_ignore_ascii_case("view"))
            && let Some(name) = words.next()
        {
            made.push(format!("DROP {} {name};", kind.to_uppercase()));
        }
    }
    let _ = write!(out, "\n{}\n", made.iter().rev().cloned().collect::<Vec<_>>().join("\n"));
    Ok(out)
}

/// One statement of SQL to the runner of MySQL's tests, whose own commands (`exec`, `perl`, `--exec`) begin a line or
/// follow a semicolon.
fn is_one_statement(text: &str) -> bool {
    const VERBS: &[&str] = &[
        "SELECT",
        "WITH",
        "VALUES",
        "TABLE",
        "INSERT",
        "REPLACE",
        "UPDATE",
        "DELETE",
        "TRUNCATE",
        "CREATE",
        "DROP",
        "ALTER",
        "RENAME",
        "ANALYZE",
        "OPTIMIZE",
        "CHECK",
        "EXPLAIN",
        "SET",
        "BEGIN",
        "START",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT",
        "RELEASE",
        "FLUSH",
        "SHOW",
    ];
    let first = text.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let known = VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(first)) || text.trim_start().starts_with('(');
    let (mut quote, mut escaped, mut ended) = (None, false, false);
    for c in text.chars() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some('\'' | '"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, ';') => ended = true,
            (None, c) if ended && !c.is_whitespace() => return false,
            (None, _) => {}
        }
    }
    let commands = text.lines().skip(1).any(|line| line.trim_start().starts_with("--"));
    known && quote.is_none() && !commands && !text.to_ascii_lowercase().contains("delimiter")
}

fn plain(m: &Material) -> Result<String, Fault> {
    let style = m.case.language.style();
    let (comment, end) = (style.comment(Form::Souffle), style.end);
    let mut out = format!("{comment} {}\n{comment} found by qualm in {}\n", one_line(&m.title), one_line(&m.version));
    let mut answers = m.right.as_ref().map(|(_, answers)| answers.iter()).into_iter().flatten();
    for step in &m.case.script {
        let _ = writeln!(out, "{}{end}", step.text.trim_end().trim_end_matches(';'));
        if !step.is_query() {
            continue;
        }
        match answers.next() {
            Some(Outcome::Rows(rows)) => {
                let _ = writeln!(out, "{comment} right: {}", counted(rows.len(), "row"));
                for row in rows.iter() {
                    let cells: Vec<String> = row.iter().map(|v| one_line(&v.show())).collect();
                    let _ = writeln!(out, "{comment}   {}", cells.join(", "));
                }
            }
            Some(other) => {
                let _ = writeln!(out, "{comment} right: {}", one_line(&format!("{other:?}")));
            }
            None => {}
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_becomes_no_command_of_a_test() {
        for text in ["SELECT '{a}'", "SELECT 'a\\b'", "CREATE TABLE t(a CHECK (a <> '{}'))"] {
            assert!(stays_in_braces(text), "{text}");
        }
        for text in ["SELECT '}; exec id; {'", "SELECT '{'", "SELECT '\\}'", "SELECT 1\\"] {
            assert!(!stays_in_braces(text), "{text}");
        }
        for text in ["SELECT 'a;b\\'; exec id' FROM t;", "(SELECT 1)", "insert into t values (1) ; "] {
            assert!(is_one_statement(text), "{text}");
        }
        for text in [
            "exec id",
            "--exec id",
            "SELECT 1; exec id",
            "SELECT 1\n--exec id",
            "SELECT 'a",
            "perl;",
            "SELECT 1;\nperl;",
        ] {
            assert!(!is_one_statement(text), "{text}");
        }
    }
}
