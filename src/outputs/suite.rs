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
use crate::case::Language;
use crate::fault::Fault;
use crate::relation::{Order, Relation};
use crate::report::{counted, one_line};
use crate::session::Outcome;
use crate::value::{Rows, Value};
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

fn tcl(m: &Material) -> Result<String, Fault> {
    let mut out = format!("# {}\n# found by qualm in {}\n\n", one_line(&m.title), one_line(&m.version));
    let _ = write!(out, "set testdir [file dirname $argv0]\nsource $testdir/tester.tcl\nset testprefix {}\n\n", m.name);
    let (mut setup, mut asks) = (String::new(), Vec::new());
    let mut number = 0;
    let mut flush = |setup: &mut String, out: &mut String| {
        if !setup.is_empty() {
            number += 1;
            let _ = write!(out, "do_execsql_test 1.{number} {{\n{setup}}} {{}}\n\n");
            setup.clear();
        }
    };
    for step in &m.case.script {
        if step.ask.is_some() {
            flush(&mut setup, &mut out);
            asks.push(step.text.as_str());
        } else {
            let _ = writeln!(setup, "  {};", step.text);
        }
    }
    flush(&mut setup, &mut out);
    out.push_str(ROWS);
    match (&m.right, m.case.claim.unguarded()) {
        (Some((_, answers)), _) => {
            for (i, (ask, answer)) in asks.iter().zip(answers).enumerate() {
                let Outcome::Rows(rows) = answer else { return Err(needs_right()) };
                let _ =
                    write!(out, "\ndo_test 2.{} {{\n  rows {} {{{ask}}}\n}} [lsort {{{}}}]\n", i + 1, rows.columns, {
                        tcl_rows(rows)
                    });
            }
        }
        (None, Relation::Same { left, right, order, .. }) if *order != Order::List => {
            let columns = m.came.iter().find_map(|o| if let Outcome::Rows(r) = o { Some(r.columns) } else { None });
            let columns = columns.unwrap_or(1).max(1);
            let (left, right) = (asks[*left], asks[*right]);
            let _ = write!(
                out,
                "\n# Both must give the same rows.\ndo_test 2.1 {{\n  expr {{[rows {columns} {{{left}}}] eq "
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
    let mut out = format!("--echo # {}\n--echo # found by qualm in {}\n", one_line(&m.title), one_line(&m.version));
    let mut made = Vec::new();
    for step in &m.case.script {
        if let Some(label) = &step.ask {
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

fn plain(m: &Material) -> Result<String, Fault> {
    let (comment, end) = match m.case.language {
        Language::Sql => ("--", ";"),
        Language::Graph => ("//", ";"),
        Language::Datalog => ("//", ""),
    };
    let mut out = format!("{comment} {}\n{comment} found by qualm in {}\n", one_line(&m.title), one_line(&m.version));
    let mut answers = m.right.as_ref().map(|(_, answers)| answers.iter()).into_iter().flatten();
    for step in &m.case.script {
        let _ = writeln!(out, "{}{end}", step.text.trim_end().trim_end_matches(';'));
        if step.ask.is_none() {
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
