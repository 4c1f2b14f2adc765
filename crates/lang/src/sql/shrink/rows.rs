//! Rows written out in the place of what makes them: of the query of an INSERT, and of DEFAULT VALUES. Where the rows
//! came from is seldom what a bug needs, and rows that are written can be dropped and made plainer one by one.
//!
//! They need not be the same rows: whether the failure is still there is seen on the engine.

use super::super::ast::*;
use super::super::evaluate::{Data, Evaluator};
use super::super::walk;
use super::{Edit, edit};
use qualm_core::dialect::sql::Dialect;
use qualm_core::value::Value;

/// So many rows are tried in the place of a query.
const ROWS_TRIED: [i64; 4] = [1, 2, 4, 16];

pub fn write_out(source: &SqlSource, dialect: &'static Dialect) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, statement) in source.state.iter().enumerate() {
        let Statement::Insert(insert) = statement else { continue };
        if insert.source.is_some() {
            let few = ROWS_TRIED.map(|rows| edit(move |s| put(s, at, |_, query| numbered(query, rows, dialect))));
            edits.extend(few);
            edits.push(edit(move |s| put(s, at, |before, query| predicted(query, before, dialect))));
        } else if insert.is_default() {
            edits.push(edit(move |s| write_defaults(s, at)));
        }
    }
    edits
}

type Written = Vec<Vec<Expr>>;

fn put(source: &mut SqlSource, at: usize, rows: impl Fn(&[Statement], &Query) -> Option<Written>) -> bool {
    let (before, rest) = source.state.split_at_mut(at);
    let Some(Statement::Insert(insert)) = rest.first_mut() else { return false };
    let Some(rows) = insert.source.as_ref().and_then(|query| rows(before, query)) else { return false };
    insert.source = None;
    insert.rows = rows;
    true
}

/// What the query shows, as if every column that it reads held the number of the row.
fn numbered(query: &Query, rows: i64, dialect: &Dialect) -> Option<Written> {
    let data = Data::default();
    let evaluator = Evaluator::new(dialect, &data);
    let items = &query.select()?.items;
    let cell = |item: &Item, row: i64| {
        let mut expr = item.expr.clone();
        walk::each_expr_mut(&mut expr, &mut |e| {
            if matches!(e, Expr::Column { .. }) {
                *e = Expr::int(row);
            }
        });
        let value = evaluator.as_ref().and_then(|known| known.renewed().constant(&expr));
        value.and_then(|v| written(&v)).unwrap_or(expr)
    };
    Some((1..=rows).map(|row| items.iter().map(|item| cell(item, row)).collect()).collect())
}

/// The rows themselves, where they follow from the statements before.
fn predicted(query: &Query, before: &[Statement], dialect: &Dialect) -> Option<Written> {
    let data = Data::of(before, dialect);
    let answer = Evaluator::new(dialect, &data)?.answer(query)?;
    let cells = answer.rows.cells.iter().map(written).collect::<Option<Vec<Expr>>>()?;
    let rows: Written = cells.chunks(answer.rows.columns).map(<[Expr]>::to_vec).collect();
    (!rows.is_empty()).then_some(rows)
}

fn written(value: &Value) -> Option<Expr> {
    Some(Expr::Literal(match value {
        Value::Null => Literal::Null,
        Value::Bool(b) => Literal::Bool(*b),
        Value::Int(i) => Literal::Int(*i),
        Value::Real(r) if r.is_finite() => Literal::Real(*r),
        Value::Text(t) => Literal::Text(t.clone()),
        Value::Blob(b) => Literal::Blob(b.clone()),
        Value::Real(_) | Value::Decimal(_) | Value::List(_) | Value::Map(_) => return None,
    }))
}

/// `DEFAULT VALUES` with the columns and their defaults written.
fn write_defaults(source: &mut SqlSource, at: usize) -> bool {
    let (before, rest) = source.state.split_at_mut(at);
    let Some(Statement::Insert(insert)) = rest.first_mut() else { return false };
    let create = before.iter().find_map(|s| match s {
        Statement::CreateTable(t) if t.name == insert.table => Some(t),
        _ => None,
    });
    let Some(table) = create else { return false };
    let given: Vec<&ColumnDef> = table.columns.iter().filter(|c| c.generated.is_none()).collect();
    let value = |c: &&ColumnDef| Expr::Literal(c.default.clone().unwrap_or(Literal::Null));
    insert.columns = given.iter().map(|c| c.name.clone()).collect();
    insert.rows = vec![given.iter().map(value).collect()];
    true
}
