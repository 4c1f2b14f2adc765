//! Inner queries as literals: where our own evaluator knows the rows of an inner query that refers to nothing around
//! it, those rows can be written in its place, and an optimiser has a constant where it had a query.
//!
//! A literal must look like what it stands for. It has no affinity and no collation of its own, and where kinds are
//! strict the engine gives it a type of its own choice: only whole numbers that are compared are written so there.

use super::aside::collates_inside;
use super::asking::is_closed;
use super::ast::*;
use super::evaluate::{Data, Evaluator};
use super::typing::{self, Column, Schema, Taint};
use super::walk;
use qualm_core::dialect::sql::{Affinity, Dialect, Kind};
use qualm_core::value::{Rows, Value};

/// A query with literals in place of inner queries, and those queries with the rows that they must return for it.
pub struct Written {
    pub query: Query,
    pub inner: Vec<(Query, Rows)>,
}

/// The query with each inner query that is known written out; nothing if there is none.
pub fn written(query: &Query, state: &[Statement], schema: &Schema, dialect: &'static Dialect) -> Option<Written> {
    dialect.semantics?;
    let (mut queries, mut names_tables) = (0, false);
    walk::each_query(query, &mut |q| {
        queries += 1;
        names_tables |= !q.with.is_empty();
    });
    // To follow all statements of a state takes time: only where there is something to write out.
    if names_tables || queries < 2 {
        return None;
    }
    let data = Data::known(state, dialect);
    if data.odd {
        return None;
    }
    let mut known = Known { data: &data, schema, dialect, inner: Vec::new() };
    let mut changed = query.clone();
    walk::each_expr_mut(&mut changed, &mut |e| known.replace(e));
    if known.inner.is_empty() {
        return None;
    }
    typing::query(&changed, schema, dialect).ok()?;
    Some(Written { query: changed, inner: known.inner })
}

struct Known<'a> {
    data: &'a Data,
    schema: &'a Schema,
    dialect: &'static Dialect,
    inner: Vec<(Query, Rows)>,
}

impl Known<'_> {
    fn replace(&mut self, e: &mut Expr) {
        match e {
            Expr::Scalar(query) if self.dialect.dynamic_typing => {
                if let Some(value) = self.value(query) {
                    *e = value;
                }
            }
            // Where kinds are strict, the type of a literal counts everywhere else.
            Expr::Binary(op, a, b) if op.is_comparison() => self.operands([&mut **a, &mut **b]),
            Expr::Between { low, high, .. } => self.operands([&mut **low, &mut **high]),
            Expr::Exists { query, negated } => {
                if let Some((_, rows)) = self.rows(query) {
                    *e = Expr::truth(rows.is_empty() == *negated, self.dialect);
                }
            }
            Expr::InQuery { expr, query, negated } if !matches!(**expr, Expr::Row(_)) => {
                if let Some(list) = self.list(query) {
                    *e = match list.is_empty() {
                        true => Expr::truth(*negated, self.dialect),
                        false => Expr::InList { expr: expr.clone(), list, negated: *negated },
                    };
                }
            }
            _ => {}
        }
    }

    fn operands<'e>(&mut self, operands: impl IntoIterator<Item = &'e mut Expr>) {
        for operand in operands {
            if let Expr::Scalar(query) = operand
                && let Some(value) = self.value(query)
            {
                *operand = value;
            }
        }
    }

    /// The value of a query that gives one row at most.
    fn value(&mut self, query: &Query) -> Option<Expr> {
        let before = self.inner.len();
        let (columns, rows) = self.rows(query)?;
        let made = match (columns.as_slice(), rows.len()) {
            ([column], 1) => self.literal(&rows.cells[0], column, true),
            ([column], 0) if self.dialect.dynamic_typing && column.traits.collation == 0 => Some(Expr::null()),
            _ => None,
        };
        if made.is_none() {
            self.inner.truncate(before);
        }
        made
    }

    fn list(&mut self, query: &Query) -> Option<Vec<Expr>> {
        let before = self.inner.len();
        let (columns, rows) = self.rows(query)?;
        let made = match columns.as_slice() {
            [column] => rows.cells.iter().map(|v| self.literal(v, column, false)).collect(),
            _ => None,
        };
        if made.is_none() {
            self.inner.truncate(before);
        }
        made
    }

    /// The rows of a query that refers to nothing around it, where all of them are known.
    fn rows(&mut self, query: &Query) -> Option<(Vec<Column>, Rows)> {
        if !is_closed(query) || self.dialect.dynamic_typing && collates_inside(query) {
            return None;
        }
        let columns = typing::query(query, self.schema, self.dialect).ok()?;
        if columns.is_empty() || columns.iter().any(|c| c.traits.taint != Taint::Clear) {
            return None;
        }
        let answer = Evaluator::new(self.dialect, self.data)?.answer(query)?;
        if !answer.whole || answer.chosen || answer.rows.columns != columns.len() {
            return None;
        }
        if !self.inner.iter().any(|(known, _)| known == query) {
            self.inner.push((query.clone(), answer.rows.clone()));
        }
        Some((columns, answer.rows))
    }

    /// A value as it would be written: with a cast where the column has an affinity and `may_cast` allows one.
    fn literal(&self, value: &Value, column: &Column, may_cast: bool) -> Option<Expr> {
        let literal = match value {
            Value::Null => Literal::Null,
            Value::Int(i) => Literal::Int(*i),
            _ if !self.dialect.dynamic_typing => return None,
            Value::Real(r) if r.is_finite() => Literal::Real(*r),
            Value::Text(t) => Literal::Text(t.clone()),
            Value::Blob(b) => Literal::Blob(b.clone()),
            _ => return None,
        };
        if !self.dialect.dynamic_typing {
            return (column.traits.kind == Kind::Int).then_some(Expr::Literal(literal));
        }
        if column.traits.collation != 0 {
            return None;
        }
        let plain = Expr::Literal(literal);
        let type_name = match (column.traits.affinity, value) {
            (Affinity::None, _) => return Some(plain),
            (_, Value::Null) if may_cast => return Some(plain),
            (Affinity::Integer, Value::Int(_)) => "INTEGER",
            (Affinity::Text, Value::Text(_)) => "TEXT",
            (Affinity::Real, Value::Real(_)) => "REAL",
            _ => return None,
        };
        may_cast.then(|| Expr::Cast { expr: Box::new(plain), type_name: type_name.into() })
    }
}
