//! ORDER BY and LIMIT over rows that we know. Which rows a limit keeps, and in which order rows come, is said only
//! where no other choice among equal keys would show.

use super::execute::Relation;
use super::{Affinities, Env, Evaluator, Operand, Shape};
use crate::sql::ast::*;
use qualm_core::value::Value;
use std::cmp::Ordering;

/// What rows are ordered by: the columns that hold the keys, how these are compared, and the clauses.
struct Keys<'q> {
    columns: Vec<usize>,
    shapes: Vec<Shape>,
    order: &'q [OrderItem],
}

impl Evaluator<'_> {
    /// The rows of a query in its order, cut by its limit, and whether they can come in no other order.
    pub(super) fn sorted(&self, q: &Query, outer: Option<&Env>) -> Option<(Relation, bool)> {
        let (mut relation, columns, width) = self.keyed(q, outer)?;
        if !relation.whole {
            return None;
        }
        let shapes = columns.iter().map(|i| relation.columns[*i].clone()).collect();
        let keys = Keys { columns, shapes, order: &q.order_by };
        let mut rows: Vec<Vec<Value>> = Vec::with_capacity(relation.rows.len());
        for row in std::mem::take(&mut relation.rows) {
            let mut at = rows.len();
            while at > 0 && self.by_keys(&row, &rows[at - 1], &keys)?.is_lt() {
                self.spend()?;
                at -= 1;
            }
            rows.insert(at, row);
        }
        let (from, to) = q.limit.as_ref().map_or((0, rows.len()), |limit| limit.range(rows.len()));
        for edge in [from, to].into_iter().filter(|edge| *edge > 0 && *edge < rows.len() && from < to) {
            self.cuts_cleanly(&rows, edge, &keys, width)?;
        }
        let mut kept = rows[from..to].to_vec();
        let mut total = true;
        for pair in kept.windows(2) {
            total &= pair[0][..width] == pair[1][..width] || self.by_keys(&pair[0], &pair[1], &keys)?.is_ne();
        }
        kept.iter_mut().for_each(|row| row.truncate(width));
        relation.columns.truncate(width);
        Some((Relation { rows: kept, ..relation }, total))
    }

    /// The rows that a limit without an order keeps, where all rows or none remain, or all rows are the same.
    pub(super) fn cut(&self, mut relation: Relation, limit: &Limit) -> Option<Relation> {
        let (from, to) = limit.range(relation.rows.len());
        let same = || relation.rows.windows(2).all(|pair| pair[0] == pair[1]);
        let all = from == 0 && to == relation.rows.len();
        if !relation.whole || !all && from < to && !same() {
            return None;
        }
        relation.rows.truncate(to);
        relation.rows.drain(..from.min(to));
        Some(relation)
    }

    /// The rows of a query with the keys of its order among their columns, which columns those are, and how many
    /// columns show.
    fn keyed(&self, q: &Query, outer: Option<&Env>) -> Option<(Relation, Vec<usize>, usize)> {
        let Body::Select(select) = &q.body else {
            let relation = self.body(&q.body, outer, false)?;
            let width = relation.columns.len();
            let named = |o: &OrderItem| match &o.expr {
                Expr::Column { column, .. } => relation.columns.iter().position(|c| c.name == *column),
                _ => None,
            };
            let columns: Option<Vec<usize>> = q.order_by.iter().map(named).collect();
            return Some((relation, columns?, width));
        };
        let mut wide = self.spelled(select)?;
        let width = wide.items.len();
        let mut columns = Vec::with_capacity(q.order_by.len());
        for o in &q.order_by {
            let alias = |i: &Item| {
                matches!(&o.expr, Expr::Column { table, column }
                if table.is_empty() && i.alias.as_ref() == Some(column))
            };
            let shown = wide.items[..width].iter();
            let known = shown.clone().position(alias).or_else(|| shown.clone().position(|i| i.expr == o.expr));
            // A number may be a position.
            let counts = matches!(o.expr, Expr::Literal(_) | Expr::Unary(..)) && known.is_none();
            if known.is_none() && wide.distinct || counts {
                return None;
            }
            columns.push(known.unwrap_or(wide.items.len()));
            if known.is_none() {
                wide.items.push(Item::bare(o.expr.clone()));
            }
        }
        Some((self.select(&wide, outer, false)?, columns, width))
    }

    /// The SELECT with its columns written out.
    fn spelled(&self, s: &Select) -> Option<Select> {
        let mut spelled = s.clone();
        if !s.items.is_empty() {
            return Some(spelled);
        }
        if s.from.iter().skip(1).any(Joined::merges) {
            return None;
        }
        for joined in &s.from {
            let names = self.column_names(&joined.source)?;
            let twice = names.iter().enumerate().any(|(i, n)| n.is_empty() || names[..i].contains(n));
            if twice {
                return None;
            }
            spelled.items.extend(names.iter().map(|n| Item::bare(Expr::column(joined.source.alias(), n))));
        }
        Some(spelled)
    }

    /// Rows on both sides of an edge that the order does not tell apart are the same.
    fn cuts_cleanly(&self, rows: &[Vec<Value>], edge: usize, keys: &Keys, width: usize) -> Option<()> {
        if self.by_keys(&rows[edge - 1], &rows[edge], keys)?.is_ne() {
            return Some(());
        }
        for row in rows {
            if self.by_keys(row, &rows[edge], keys)?.is_eq() && row[..width] != rows[edge][..width] {
                return None;
            }
        }
        Some(())
    }

    fn by_keys(&self, a: &[Value], b: &[Value], keys: &Keys) -> Option<Ordering> {
        for ((column, shape), o) in keys.columns.iter().zip(&keys.shapes).zip(keys.order) {
            let order = self.by_key(&a[*column], &b[*column], shape, o)?;
            if order.is_ne() {
                return Some(order);
            }
        }
        Some(Ordering::Equal)
    }

    /// How ORDER BY puts two values.
    pub(super) fn by_key(&self, a: &Value, b: &Value, shape: &Shape, o: &OrderItem) -> Option<Ordering> {
        let nulls = (*a == Value::Null, *b == Value::Null);
        if nulls.0 || nulls.1 {
            // Elsewhere it is a matter of the dialect.
            let first = o.nulls_first.or(self.is_sqlite().then_some(!o.descending));
            return match nulls {
                (true, true) => Some(Ordering::Equal),
                (left, _) => first.map(|first| if first == left { Ordering::Less } else { Ordering::Greater }),
            };
        }
        let operand = |v: &Value| Operand { value: v.clone(), affinity: Affinities::NONE, collation: shape.collation };
        let order = self.order(&operand(a), &operand(b))??;
        Some(if o.descending { order.reverse() } else { order })
    }
}
