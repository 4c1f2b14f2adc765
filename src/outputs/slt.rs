//! A finding as a sqllogictest file, in the form that SQLite's own runner and DuckDB's read: values one per line.

use super::export::{Material, needs_right};
use qualm_core::fault::Fault;
use qualm_core::relation::{Order, Relation};
use qualm_core::session::Outcome;
use qualm_core::value::{Rows, Value};
use qualm_run::report::one_line;
use std::fmt::Write;

/// Column types and sorting of a query, and its label.
struct Query {
    types: String,
    sort: &'static str,
    label: String,
}

pub fn text(m: &Material) -> Result<String, Fault> {
    let claim = m.case.claim.unguarded();
    let (left, right, sort) = match claim {
        Relation::Same { left, right, order, .. } => (*left, *right, sort(*order)),
        _ if m.right.is_none() => return Err(needs_right()),
        _ => (usize::MAX, usize::MAX, "rowsort"),
    };
    let mut out = String::new();
    let _ = writeln!(out, "# {}", one_line(&m.title));
    let _ = writeln!(out, "# found by qualm in {}", one_line(&m.version));
    match &m.right {
        Some((who, _)) => {
            let _ = writeln!(out, "# the expected results are those of {}", one_line(who));
        }
        None => {
            let _ = writeln!(out, "# queries with the same label must return the same rows");
        }
    }
    let answers = m.right.as_ref().map_or(&m.actual, |(_, answers)| answers);
    let mut query_at = 0;
    for step in &m.case.script {
        let text = without_blank_lines(&step.text);
        if !step.is_query() {
            let _ = write!(out, "\nstatement ok\n{text}\n");
            continue;
        }
        let labelled = query_at == left || query_at == right;
        let sides: Vec<&Outcome> =
            if labelled { vec![left, right] } else { vec![query_at] }.iter().filter_map(|i| answers.get(*i)).collect();
        let query =
            Query { types: types(&sides), sort, label: if labelled { format!(" {}", m.name) } else { String::new() } };
        question(&mut out, &text, &query, m.right.as_ref().and_then(|(_, answers)| answers.get(query_at)));
        query_at += 1;
    }
    Ok(out)
}

fn sort(order: Order) -> &'static str {
    if order == Order::List { "nosort" } else { "rowsort" }
}

fn question(out: &mut String, text: &str, query: &Query, right: Option<&Outcome>) {
    let Query { types, sort, label } = query;
    let _ = match right {
        Some(Outcome::Done) => write!(out, "\nstatement ok\n{text}\n"),
        Some(Outcome::Rejected(_) | Outcome::Crash(_) | Outcome::Hang(_)) => {
            write!(out, "\nstatement error\n{text}\n")
        }
        Some(Outcome::Rows(rows)) => {
            write!(out, "\nquery {types} {sort}{label}\n{text}\n----\n{}", values(rows, types, *sort == "rowsort"))
        }
        None => write!(out, "\nquery {types} {sort}{label}\n{text}\n"),
    };
}

/// A blank line ends a record.
fn without_blank_lines(text: &str) -> String {
    text.lines().filter(|l| !l.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// `I` for a column of integers, `R` for numbers, `T` for anything else, over all answers that must agree.
fn types(answers: &[&Outcome]) -> String {
    let rows: Vec<&Rows> =
        answers.iter().filter_map(|o| if let Outcome::Rows(rows) = o { Some(rows) } else { None }).collect();
    let columns = rows.iter().map(|r| r.columns).max().unwrap_or(1).max(1);
    let kind = |column: usize| {
        let mut cells = rows.iter().flat_map(|r| r.iter()).filter_map(|row| row.get(column));
        let mut seen = 'N';
        for cell in &mut cells {
            seen = match (seen, cell) {
                (s, Value::Null) => s,
                ('N' | 'I', Value::Int(_) | Value::Bool(_)) => 'I',
                ('N' | 'I' | 'R', Value::Real(_) | Value::Decimal(_)) | ('R', Value::Int(_)) => 'R',
                _ => 'T',
            };
        }
        if seen == 'N' { 'T' } else { seen }
    };
    (0..columns).map(kind).collect()
}

/// As the runners write values: integers plain, numbers with three digits, text with what cannot be printed as `@`.
fn values(rows: &Rows, types: &str, sorted: bool) -> String {
    let cell = |(value, kind): (&Value, char)| match value {
        Value::Null => "NULL".into(),
        Value::Bool(b) if kind == 'I' => i32::from(*b).to_string(),
        Value::Int(i) if kind == 'R' => format!("{:.3}", *i as f64),
        Value::Real(r) if kind == 'R' => format!("{r:.3}"),
        Value::Decimal(d) if kind == 'R' => d.parse::<f64>().map_or_else(|_| d.clone(), |r| format!("{r:.3}")),
        Value::Text(t) if t.is_empty() => "(empty)".into(),
        Value::Text(t) => t.chars().map(|c| if (' '..='~').contains(&c) { c } else { '@' }).collect(),
        other => other.show(),
    };
    let mut shown: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().zip(types.chars()).map(cell).collect()).collect();
    if sorted {
        shown.sort();
    }
    shown.concat().iter().map(|v| format!("{v}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_values() {
        let real = |r| Value::Real(r);
        let rows = Rows::of(vec![
            vec![Value::Int(2), Value::Int(1), Value::Text("é".into()), Value::Null],
            vec![Value::Int(1), real(0.5), Value::Text(String::new()), Value::Null],
        ]);
        let outcome = Outcome::Rows(rows.clone());
        assert_eq!(types(&[&outcome]), "IRTT");
        assert_eq!(values(&rows, "IRTT", true), "1\n0.500\n(empty)\nNULL\n2\n1.000\n@\nNULL\n");
    }
}
