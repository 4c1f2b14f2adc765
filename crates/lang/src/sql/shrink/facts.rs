//! Keeps what a state says of its columns true. A column marked `exact` or `summable` was filled with that in mind;
//! when an edit changes what goes into it, the mark is checked against the new values and taken away where it may be
//! wrong. The oracle then refuses claims that rested on it.

use super::super::ast::*;
use super::columns::given_columns;
use qualm_core::dialect::sql::Affinity;
use std::collections::BTreeMap;

/// All that is ever put into a column: cells, defaults, SET and generating expressions.
type Feeds = BTreeMap<(Name, Name), Vec<Expr>>;

pub fn settle(before: &SqlSource, after: &mut SqlSource) {
    let marked = |s: &SqlSource| {
        let tables = s.state.iter().filter_map(|s| match s {
            Statement::CreateTable(t) => Some(t.columns.as_slice()),
            Statement::AddColumn { column, .. } => Some(std::slice::from_ref(column)),
            _ => None,
        });
        tables.flatten().any(|c| c.exact || c.summable)
    };
    if before.state == after.state || !marked(after) {
        return;
    }
    let (old, new) = (feeds(before), feeds(after));
    for statement in &mut after.state {
        match statement {
            Statement::CreateTable(t) => {
                t.columns.iter_mut().for_each(|c| check(&t.name, c, &old, &new));
            }
            Statement::AddColumn { table, column } => check(table, column, &old, &new),
            _ => {}
        }
    }
}

fn feeds(source: &SqlSource) -> Feeds {
    let mut feeds = Feeds::new();
    let mut put = |table: &Name, column: &Name, expr: &Expr| {
        feeds.entry((table.clone(), column.clone())).or_default().push(expr.clone());
    };
    let of_column = |put: &mut dyn FnMut(&Name, &Name, &Expr), table: &Name, c: &ColumnDef| {
        if let Some(default) = &c.default {
            put(table, &c.name, &Expr::Literal(default.clone()));
        }
        if let Some(generated) = &c.generated {
            put(table, &c.name, &generated.expr);
        }
    };
    for statement in &source.state {
        match statement {
            Statement::CreateTable(t) => t.columns.iter().for_each(|c| of_column(&mut put, &t.name, c)),
            Statement::AddColumn { table, column } => of_column(&mut put, table, column),
            Statement::Insert(i) => {
                let all = if i.columns.is_empty() { given_columns(source, &i.table) } else { Vec::new() };
                let names = if i.columns.is_empty() { &all } else { &i.columns };
                for row in &i.rows {
                    names.iter().zip(row).for_each(|(name, cell)| put(&i.table, name, cell));
                }
                let select = i.source.as_ref().and_then(|q| q.select());
                for (name, item) in names.iter().zip(select.iter().flat_map(|s| &s.items)) {
                    put(&i.table, name, &item.expr);
                }
                i.upsert.iter().flat_map(|u| &u.set).for_each(|(name, e)| put(&i.table, name, e));
            }
            // What a trigger puts into a table was fit for it when the trigger was made, and edits only cut.
            Statement::CreateTrigger(_) | Statement::Transaction(_) => {}
            Statement::Update(u) => u.set.iter().for_each(|(column, expr)| put(&u.table, column, expr)),
            // These put no values into columns; whose name is new is not looked at.
            Statement::CreateIndex(_) | Statement::DropIndex { .. } | Statement::CreateView(_) => {}
            Statement::DropColumn { .. } | Statement::RenameColumn { .. } => {}
            Statement::Delete { .. } | Statement::Maintenance(_) => {}
        }
    }
    feeds
}

/// A column that is new by its name was renamed or moved by an edit that changes no values.
fn check(table: &Name, column: &mut ColumnDef, old: &Feeds, new: &Feeds) {
    let key = (table.clone(), column.name.clone());
    let (Some(before), Some(now)) = (old.get(&key), new.get(&key)) else { return };
    let open = matches!(column.affinity, Affinity::Blob | Affinity::None);
    for expr in now {
        let Expr::Literal(literal) = expr else {
            let known = before.contains(expr);
            column.exact &= known || !open;
            column.summable &= known;
            continue;
        };
        // Where a column keeps what it is given, 1.0 may stand beside 1.
        column.exact &= !open || !matches!(literal, Literal::Real(r) if r.fract() == 0.0);
        column.summable &= match literal {
            Literal::Null | Literal::Bool(_) => true,
            Literal::Int(i) => i.unsigned_abs() < SUMMABLE,
            Literal::Real(r) => r.abs() < SUMMABLE as f64 && (r * 256.0).fract() == 0.0,
            Literal::Text(_) | Literal::Blob(_) | Literal::Special(..) => before.contains(expr),
        };
    }
}

/// Numbers below this add up exactly in every order; the bound of `typing.rs`.
const SUMMABLE: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::super::sample::{column, table};
    use super::*;

    fn source(rows: &[Literal]) -> SqlSource {
        let mut t = table("t", vec![column("c", "")]);
        t.columns[0].exact = true;
        t.columns[0].summable = true;
        let rows = rows.iter().map(|l| vec![Expr::Literal(l.clone())]).collect();
        let insert = Insert { table: "t".into(), verb: "INSERT".into(), rows, ..Insert::default() };
        let query = Query::of(Select::default());
        let question = Question::of(query, "");
        let state = vec![Statement::CreateTable(t), Statement::Insert(insert)];
        SqlSource { oracle: "norec".into(), state, question }
    }

    fn marks(after: &[Literal]) -> (bool, bool) {
        let before = source(&[Literal::Int(70), Literal::Real(0.5)]);
        let mut after = source(after);
        settle(&before, &mut after);
        let Statement::CreateTable(t) = &after.state[0] else { panic!("the table comes first") };
        (t.columns[0].exact, t.columns[0].summable)
    }

    #[test]
    fn marks_go_when_new_values_do_not_bear_them_out() {
        assert_eq!(marks(&[Literal::Int(7), Literal::Null]), (true, true));
        assert_eq!(marks(&[Literal::Int(7), Literal::Real(1.0)]), (false, true));
        assert_eq!(marks(&[Literal::Int(7), Literal::Text(String::new())]), (true, false));
        assert_eq!(marks(&[Literal::Int(1 << 40)]), (true, false));
    }
}
