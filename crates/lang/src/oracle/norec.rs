//! NoREC (Rigger and Su, ESEC/FSE 2020): a query that the optimiser can work on against one that it cannot.
//!
//! Claim: `SELECT … FROM f WHERE p` returns as many rows as there are rows in `f` for which `p`, computed in the select
//! list, is true. There the predicate can use no index and no join can be moved around it.
//!
//! ```sql
//! SELECT * FROM t0 WHERE t0.c0 > 1;                                   -- n rows
//! SELECT sum(CASE WHEN t0.c0 > 1 THEN 1 ELSE 0 END) FROM t0;          -- returns n
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, adopt, every};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{print, typing};
use qualm_core::case::Step;
use qualm_core::dialect::sql::Feature;
use qualm_core::relation::{Combine, Equality, Fold, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "norec",
    claim: "a WHERE clause keeps exactly the rows for which its predicate is true",
    example: "SELECT * FROM t WHERE p  has as many rows as  SELECT sum(CASE WHEN p THEN 1 ELSE 0 END) FROM t  says",
    weight: 4,
    scout: 1,
    propose,
    derive,
    adopt: Some(adopt::norec_questions),
    every: Some(every::norec_questions),
    ..PLAIN
};

/// Forms: what the optimised side selects, and how the reference side spells truth.
pub const ROWS: &str = "rows";
pub const ROWS_TRUTH: &str = "rows-is-true";
pub const COUNT: &str = "count";

fn propose(g: &mut Generator) -> Option<Question> {
    let from = g.outer_from(g.shape.from);
    let predicate = g.predicate(g.shape.depth);
    let items = if g.rng.chance(1, 3) { g.items(2) } else { Vec::new() };
    let star = from.iter().all(|j| !j.merges());
    let items = if items.is_empty() && !star { g.items(2) } else { items };
    let form = match g.rng.weighted(&[5, 3, 2]) {
        1 if g.has(Feature::IsTruth) => ROWS_TRUTH,
        2 => COUNT,
        _ => ROWS,
    };
    g.scope.clear();
    let query = Query::of(Select { items, from, ..Select::default() });
    Some(Question { predicate: Some(predicate), ..Question::of(query, form) })
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let p = q.predicate.as_ref()?;
    let select = q.query.select()?;
    let plain = !select.distinct && select.filter.is_none() && select.group_by.is_empty() && q.query.limit.is_none();
    if !plain || select.having.is_some() || select.from.is_empty() {
        return None;
    }
    typing::predicate(p, select, &q.query.with, at.schema, at.dialect).ok()?;
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    if columns.is_empty() || select.items.iter().any(|i| typing::contains_aggregate(&i.expr)) {
        return None;
    }
    let form = q.form.as_str();
    let mut optimised = q.query.clone();
    let body = optimised.select_mut()?;
    body.filter = Some(p.clone());
    if form == COUNT {
        body.items = vec![Item::bare(Expr::count_star())];
        optimised.order_by.clear();
    }
    let is_true = Expr::IsTruth { expr: Box::new(p.clone()), test: true, negated: false };
    let count =
        |p: Expr| Expr::Case { operand: None, arms: vec![(p, Expr::int(1))], otherwise: Some(Box::new(Expr::int(0))) };
    let truth = match form {
        ROWS_TRUTH if at.dialect.numeric_truth => is_true,
        ROWS_TRUTH => count(is_true),
        _ => count(p.clone()),
    };
    let mut reference = q.query.clone();
    reference.order_by.clear();
    let sum = Aggregate { function: "sum".into(), args: vec![truth], distinct: false, filter: None };
    reference.select_mut()?.items = vec![Item::bare(Expr::Aggregate(Box::new(sum)))];
    let claim = if form == COUNT {
        let combine = Combine::Folds(vec![Fold::Count(0)]);
        Relation::Partition { whole: 0, parts: vec![1], combine, equality: Equality::Exact }
    } else {
        Relation::CountIs { rows: 0, count: 1 }
    };
    let script = vec![
        Step::query("filtered by the engine", print::query(&optimised, at.dialect)),
        Step::query("rows for which the predicate is true", print::query(&reference, at.dialect)),
    ];
    Some(Derived { script, claim })
}
