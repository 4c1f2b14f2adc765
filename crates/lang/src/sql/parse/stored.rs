//! What is known of a column's values from the rows that the same script puts into it. Only literals count as known.

use super::{Parsed, What};
use crate::sql::ast::*;
use qualm_core::dialect::sql::{Affinity, Dialect, Kind};
use std::collections::HashMap;

/// Values seen for one column.
#[derive(Clone, Default)]
struct Seen {
    unknown: bool,
    /// A float that may stand beside an equal integer.
    integral: bool,
    /// A zero with a sign, which equals the one without.
    negative_zero: bool,
    /// Something else than NULL and small numbers.
    large: bool,
}

type Key = (String, String);
type AllSeen = HashMap<Key, Seen>;

/// Says of every column whether equal values are identical and whether sums are exact; in doubt they are not.
pub fn note_values(script: &mut [Parsed], dialect: &Dialect) {
    let mut seen = AllSeen::new();
    let mut columns: HashMap<String, Vec<String>> = HashMap::new();
    let mut everything_unknown = false;
    for parsed in script.iter() {
        match &parsed.what {
            What::Statement(s) => note(s, &mut columns, &mut seen),
            What::Query(_) => {}
            What::Unread(_) => everything_unknown |= !is_question(&parsed.text),
        }
    }
    for parsed in script.iter_mut() {
        match &mut parsed.what {
            What::Statement(Statement::CreateTable(t)) => {
                let table = t.name.clone();
                t.columns.iter_mut().for_each(|c| settle(&table, c, dialect, &seen, everything_unknown));
            }
            What::Statement(Statement::AddColumn { table, column }) => {
                settle(table, column, dialect, &seen, everything_unknown);
            }
            _ => {}
        }
    }
}

pub fn is_question(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    ["SELECT", "WITH", "VALUES"].iter().any(|w| first.eq_ignore_ascii_case(w))
}

fn key(table: &str, column: &str) -> Key {
    (table.to_ascii_lowercase(), column.to_ascii_lowercase())
}

fn note(s: &Statement, columns: &mut HashMap<String, Vec<String>>, seen: &mut AllSeen) {
    match s {
        Statement::CreateTable(t) => {
            let names = t.columns.iter().filter(|c| c.generated.is_none()).map(|c| c.name.to_string()).collect();
            columns.insert(t.name.to_ascii_lowercase(), names);
        }
        Statement::AddColumn { table, column } => {
            columns.entry(table.to_ascii_lowercase()).or_default().push(column.name.to_string());
        }
        Statement::RenameColumn { table, from, to } => {
            [from, to].iter().for_each(|n| seen.entry(key(table, n)).or_default().unknown = true);
        }
        Statement::DropColumn { table, column } => {
            let names = columns.entry(table.to_ascii_lowercase()).or_default();
            names.retain(|n| !n.eq_ignore_ascii_case(column));
        }
        Statement::Insert(i) => {
            let all = columns.get(&i.table.to_ascii_lowercase()).cloned().unwrap_or_default();
            let named: Vec<String> =
                if i.columns.is_empty() { all } else { i.columns.iter().map(|n| n.to_string()).collect() };
            for row in &i.rows {
                for (column, value) in named.iter().zip(row) {
                    look_at(value, seen.entry(key(&i.table, column)).or_default());
                }
            }
            if i.source.is_some() {
                named.iter().for_each(|column| seen.entry(key(&i.table, column)).or_default().unknown = true);
            }
            for (column, value) in i.upsert.iter().flat_map(|u| &u.set) {
                // What the row that was not inserted holds is among the rows.
                if !matches!(value, Expr::Column { table, column: c } if is_excluded(table) && c == column) {
                    look_at(value, seen.entry(key(&i.table, column)).or_default());
                }
            }
        }
        Statement::CreateTrigger(t) => t.body.iter().for_each(|s| note(s, columns, seen)),
        Statement::Update(u) => {
            u.set.iter().for_each(|(column, value)| look_at(value, seen.entry(key(&u.table, column)).or_default()));
        }
        // These put no values into columns.
        Statement::CreateIndex(_) | Statement::DropIndex { .. } | Statement::CreateView(_) => {}
        Statement::Delete { .. } | Statement::Transaction(_) | Statement::Maintenance(_) => {}
    }
}

fn is_excluded(table: &str) -> bool {
    table.eq_ignore_ascii_case("excluded")
}

fn look_at(value: &Expr, seen: &mut Seen) {
    let Expr::Literal(literal) = value else {
        seen.unknown = true;
        return;
    };
    match literal {
        Literal::Null | Literal::Bool(_) => {}
        Literal::Int(i) => seen.large |= i.unsigned_abs() >= 1 << 16,
        Literal::Real(r) => {
            seen.integral |= r.fract() == 0.0;
            seen.negative_zero |= *r == 0.0 && r.is_sign_negative();
            seen.large |= r.abs() >= 65536.0 || (r * 256.0).fract() != 0.0;
        }
        Literal::Text(_) | Literal::Blob(_) | Literal::Special(..) => seen.large = true,
    }
}

fn settle(table: &str, column: &mut ColumnDef, dialect: &Dialect, seen: &AllSeen, everything_unknown: bool) {
    let mut values = seen.get(&key(table, &column.name)).cloned().unwrap_or_default();
    if let Some(default) = &column.default {
        look_at(&Expr::Literal(default.clone()), &mut values);
    }
    let unknown = values.unknown || everything_unknown || column.generated.is_some();
    // Other affinities turn 1.0 into 1, or 1 into 1.0, or both into text.
    let open = matches!(column.affinity, Affinity::None | Affinity::Blob);
    column.exact = match column.kind {
        // With enforced types a column holds values of its own kind only.
        Kind::Special(_) => dialect.special(column.kind).is_some_and(|k| k.exact),
        Kind::Int | Kind::Bool | Kind::Blob if !dialect.dynamic_typing => true,
        Kind::Real if !dialect.dynamic_typing => !unknown && !values.negative_zero,
        _ => !open || !unknown && !values.integral,
    };
    let sums = dialect.special(column.kind).is_some_and(|k| k.sums);
    column.summable = sums || matches!(column.kind, Kind::Int | Kind::Real) && !unknown && !values.large;
}
