//! Joins and set operations: INTERSECT keeps the rows that have an equal partner, and IN over a subquery joins with the
//! different values of it. (EXCEPT is left to `contain`.)

use super::{Derived, Setting, and};
use crate::oracle::equality;
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::typing::{self, Column};
use crate::sql::{print, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Feature, Kind};
use qualm_core::relation::{Order, Relation};

/// Queries that are made until one of them is a set operation.
const TRIES: usize = 6;

/// A set operation of two plain SELECTs.
pub fn propose(g: &mut Generator) -> Option<Query> {
    if !g.has(Feature::IntersectExcept) || !g.has(Feature::Correlated) {
        return None;
    }
    for _ in 0..TRIES {
        let mut query = g.query();
        if let Body::Compound { op, .. } = &mut query.body {
            *op = SetOp::Intersect;
            (query.order_by, query.limit) = (Vec::new(), None);
            return Some(query);
        }
        g.scope.clear();
    }
    None
}

/// `A INTERSECT B` as the different rows of A for which B has an equal one.
pub fn derive(query: &Query, at: &Setting) -> Option<Derived> {
    let Body::Compound { op: SetOp::Intersect, left, right } = &query.body else { return None };
    let (Body::Select(left), Body::Select(right)) = (&**left, &**right) else { return None };
    let bare = query.with.is_empty() && query.limit.is_none() && query.order_by.is_empty();
    if !bare || !at.dialect.lists(Feature::Correlated) || !is_plain(left) || !is_plain(right) {
        return None;
    }
    let own: Vec<&Name> = left.from.iter().map(|j| j.source.alias()).collect();
    let mut hidden = false;
    walk::each_select(&Query::of((**right).clone()), &mut |s| {
        hidden |= s.from.iter().any(|j| own.contains(&j.source.alias()));
    });
    let columns = typing::query(query, at.schema, at.dialect).ok()?;
    let of = |s: &Select| typing::query(&Query::of(s.clone()), at.schema, at.dialect).ok();
    let (ours, theirs) = (of(left)?, of(right)?);
    if hidden || left.items.len() != right.items.len() || !ours.iter().zip(&theirs).all(|(a, b)| alike(a, b)) {
        return None;
    }
    let pairs = left.items.iter().zip(&right.items);
    let equal = pairs.map(|(a, b)| Expr::Binary(Binary::Is, Box::new(a.expr.clone()), Box::new(b.expr.clone())));
    let filter = and(right.filter.clone(), equal.reduce(Expr::and));
    let partner = Select { items: vec![Item::bare(Expr::int(1))], filter, ..(**right).clone() };
    let exists = Expr::Exists { query: Box::new(Query::of(partner)), negated: false };
    let filter = and(left.filter.clone(), Some(exists));
    let other = Query::of(Select { distinct: true, filter, ..(**left).clone() });
    typing::query(&other, at.schema, at.dialect).ok()?;
    let script = vec![
        Step::query("the set operation", print::query(query, at.dialect)),
        Step::query("with EXISTS for it", print::query(&other, at.dialect)),
    ];
    let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: equality(&columns) };
    Some(Derived { script, claim })
}

/// Every row gives one row, computed from it alone.
fn is_plain(s: &Select) -> bool {
    let alone = |i: &Item| !typing::contains_aggregate(&i.expr) && !matches!(i.expr, Expr::Window(_));
    let grouped = !s.group_by.is_empty() || s.having.is_some();
    !s.from.is_empty() && !s.items.is_empty() && !grouped && s.items.iter().all(alone)
}

/// A comparison of these finds the same values equal as a set operation does.
fn alike(a: &Column, b: &Column) -> bool {
    let (a, b) = (&a.traits, &b.traits);
    a.identical() && b.identical() && a.kind == b.kind && a.affinity == b.affinity
}

/// Each `x IN (SELECT y …)` that WHERE demands, as a join with the different values of `y`.
pub fn semi_join(select: &Select, q: &Question, at: &Setting) -> Option<Select> {
    if at.dialect.lists(Feature::LoneTables) || !q.query.with.is_empty() || select.from.is_empty() {
        return None;
    }
    let mut other = select.clone();
    let mut members: Vec<Joined> = Vec::new();
    super::demanded(other.filter.as_mut()?, &mut |e| {
        if let Some(member) = member_of(e, members.len(), at) {
            members.push(member);
            *e = Expr::truth(true, at.dialect);
        }
    });
    if members.is_empty() {
        return None;
    }
    other.from.extend(members);
    Some(other)
}

fn member_of(e: &Expr, number: usize, at: &Setting) -> Option<Joined> {
    let Expr::InQuery { expr, query, negated: false } = e else { return None };
    let inner = query.select().filter(|_| query.limit.is_none() && query.with.is_empty())?;
    let [item] = inner.items.as_slice() else { return None };
    // A member of FROM sees nothing of what stands beside it.
    let columns = typing::query(query, at.schema, at.dialect).ok()?;
    let value = &columns[0].traits;
    // What is different as a value may be equal to the other side under its collation or affinity; numbers are not.
    let whole_numbers = value.identical() && value.pure && value.kind == Kind::Int;
    if matches!(**expr, Expr::Row(_)) || !whole_numbers || matches!(item.expr, Expr::Window(_)) {
        return None;
    }
    let alias: Name = format!("semi{number}").into();
    let item = Item { expr: item.expr.clone(), alias: Some("k".into()) };
    let values = Select { distinct: true, items: vec![item], ..inner.clone() };
    let on = Expr::Binary(Binary::Eq, expr.clone(), Box::new(Expr::column(&alias, "k")));
    let source = Source::Query { query: Box::new(Query::of(values)), alias };
    Some(Joined { join: Join::Inner, source, on: Some(on), using: Vec::new() })
}
