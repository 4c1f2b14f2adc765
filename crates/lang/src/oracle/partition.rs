//! Predicate partitioning (Kamm, Rigger, Zhang, Su, "Testing Graph Database Engines via Query Partitioning", ISSTA
//! 2023).
//!
//! Claim: a query is the union of itself where `p`, where `NOT p`, and where `p IS NULL`; without NULL, of the first
//! two. Contents are compared, not counts. Forms: rows, rows with the predicate after a WITH, DISTINCT (as sets),
//! aggregates combined from their parts, all parts in one query (UNION ALL), and in steps has / has not / hasNot
//! of a property.
//!
//! ```text
//! MATCH (n:A)-[r]->(m) RETURN n, r, m                       is the bag union of
//! MATCH (n:A)-[r]->(m) WHERE n.i < m.i RETURN n, r, m
//! MATCH (n:A)-[r]->(m) WHERE NOT (n.i < m.i) RETURN n, r, m
//! MATCH (n:A)-[r]->(m) WHERE (n.i < m.i) IS NULL RETURN n, r, m
//! ```

use super::graph::{GraphOracle, query_step};
use super::{Derived, NOTHING};
use crate::graph::ast::*;
use crate::graph::express::{Generator, What};
use crate::graph::generate::Wanted;
use crate::graph::source::{Question, Setting, restricted};
use crate::graph::{check, print};
use qualm_core::case::Step;
use qualm_core::dialect::graph::{Feature, Form, Kind};
use qualm_core::relation::{self, Combine, Equality, Relation};

pub const SPEC: GraphOracle = GraphOracle {
    name: "partition",
    claim: "a query is the union of its parts where p is true, false and unknown",
    example: "MATCH (n) RETURN n  =  … WHERE p  +  … WHERE NOT p  +  … WHERE p IS NULL",
    weight: 10,
    wants_rows: true,
    changes_state: false,
    deletes: false,
    propose,
    derive,
    needs: NOTHING,
};

pub const ROWS: &str = "rows";
pub const WITH: &str = "with";
pub const DISTINCT: &str = "distinct";
pub const AGGREGATE: &str = "aggregate";
pub const UNION: &str = "union";
pub const HAS: &str = "has";

const DEPTH: usize = 2;

fn propose(g: &mut Generator, _: &[Statement]) -> Option<Question> {
    let form = match g.rng.weighted(&[6, 1, 2, 3, 1, 1]) {
        1 if g.has(Feature::With) => WITH,
        2 if g.has(Feature::Distinct) => DISTINCT,
        3 => AGGREGATE,
        4 if g.has(Feature::Union) => UNION,
        5 if g.has(Feature::PredicateNot) => HAS,
        _ => ROWS,
    };
    let by_property = form == HAS || g.dialect.is_by_steps() && !g.has(Feature::NotStep);
    let mut query = g.query(Wanted::default());
    if form == DISTINCT {
        query.distinct = true;
        query.order_by.clear();
    }
    if form == AGGREGATE {
        query.order_by.clear();
        query.items = aggregates(g);
    }
    let predicate = match form {
        _ if by_property => {
            let (property, kinds) = g.some_property(&|_| true)?;
            g.property_predicate(property, kinds)
        }
        // A pattern has no third value, and is not taken everywhere where a truth value is.
        ROWS | AGGREGATE if g.dialect.has_null && g.rng.chance(1, 16) => g.exists()?,
        _ => g.predicate(DEPTH),
    };
    Some(Question { query, predicate: Some(predicate), form: form.into(), disputed: g.disputed, ..Question::default() })
}

fn aggregates(g: &mut Generator) -> Vec<Expr> {
    let count = |of: Option<Expr>| Expr::Aggregate(Fold::Count, false, of.map(Box::new));
    let mut items = vec![count(None)];
    if g.dialect.is_by_steps() {
        return items;
    }
    for _ in 0..g.rng.range(0, 2) {
        let (fold, property) = match g.rng.below(3) {
            0 => (Fold::Sum, g.some_property(&|k| k == [Kind::Int]).map(|_| ())),
            1 => (Fold::Min, Some(())),
            _ => (Fold::Max, Some(())),
        };
        let elements = g.scope.iter().filter(|v| matches!(v.what, What::Node { .. } | What::Relationship { .. }));
        let names: Vec<String> = elements.map(|v| v.name.clone()).collect();
        let of = match (fold, property) {
            // Sums of keys are exact, whatever the order.
            (Fold::Sum, _) => Some(Expr::property(g.rng.pick::<String>(&names), KEY)),
            _ => g.some_property(&|k| matches!(k, [Kind::Int | Kind::Float | Kind::Text])).map(|(e, _)| e),
        };
        items.extend(of.map(|e| Expr::Aggregate(fold, false, Some(Box::new(e)))));
    }
    items.extend(g.to_be_named().into_iter().map(|r| count(Some(r))));
    items
}

/// How the whole's aggregates come from those of the parts; nothing for one that does not.
fn folds(query: &Query, at: &Setting) -> Option<Vec<relation::Fold>> {
    let fold = |(i, item): (usize, &Expr)| {
        let Expr::Aggregate(fold, false, of) = item else { return None };
        let kind = of.as_ref().and_then(|e| check::kind(e, at.model, at.dialect));
        let key = matches!(of.as_deref(), Some(Expr::Property(_, p)) if p == KEY);
        let ordered = matches!(kind, Some(Kind::Int | Kind::Float | Kind::Text));
        match fold {
            Fold::Count => Some(relation::Fold::Count(i)),
            Fold::Sum => key.then_some(relation::Fold::Sum(i)),
            Fold::Min => ordered.then_some(relation::Fold::Min(i)),
            Fold::Max => ordered.then_some(relation::Fold::Max(i)),
        }
    };
    query.items.iter().enumerate().map(fold).collect()
}

/// A predicate of one property that holds just where this one does not; nothing where the dialect has no word for it.
fn opposite(predicate: Expr, at: &Setting) -> Option<Expr> {
    match predicate {
        Expr::Compare(how, a, b) if !at.dialect.has(Feature::PredicateNot) => Some(Expr::Compare(how.negated(), a, b)),
        Expr::In(..) | Expr::Test(..) => Some(Expr::PredicateNot(Box::new(predicate))),
        other => at.dialect.has(Feature::PredicateNot).then(|| Expr::PredicateNot(Box::new(other))),
    }
}

/// The predicate's parts with their labels.
fn parts(predicate: &Expr, form: &str, disputed: bool, at: &Setting) -> Option<Vec<(&'static str, Expr)>> {
    let p = predicate.clone();
    if form == HAS || at.dialect.is_by_steps() && !at.dialect.may_use(Feature::NotStep, disputed) {
        let property = predicate.children().first().map(|e| (*e).clone())?;
        if !matches!(property, Expr::Property(..)) {
            return None;
        }
        return Some(vec![
            ("holds", p.clone()),
            ("does not hold", opposite(p, at)?),
            ("no property", Expr::is_null(property)),
        ]);
    }
    let mut parts = vec![("true", p.clone()), ("false", Expr::negated(p.clone()))];
    if at.dialect.has_null && !matches!(predicate, Expr::Exists(_)) {
        parts.push(("unknown", Expr::is_null(p)));
    }
    Some(parts)
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let predicate = q.predicate.as_ref()?;
    let aggregated = q.query.items.iter().any(check::is_aggregate);
    if check::is_aggregate(predicate) || aggregated != (q.form == AGGREGATE) || q.query.distinct != (q.form == DISTINCT)
    {
        return None;
    }
    let parts: Vec<(&str, Query)> = parts(predicate, &q.form, q.disputed, at)?
        .into_iter()
        .map(|(label, p)| (label, restricted(&q.query, p, q.form == WITH)))
        .collect();
    if !at.is_sound(&q.query, q) || !parts.iter().all(|(_, query)| at.is_sound(query, q)) {
        return None;
    }
    let with = |query: &Query| query.clauses.iter().any(|c| matches!(c, Clause::With { .. }));
    if at.dialect.form == Form::Cypher && !at.dialect.has(Feature::With) && parts.iter().any(|(_, query)| with(query)) {
        return None;
    }
    let mut script = vec![query_step("whole", &q.query, at)];
    if q.form == UNION {
        let queries: Vec<Query> = parts.into_iter().map(|(_, query)| query).collect();
        if !q.query.order_by.is_empty() || at.dialect.form != Form::Cypher {
            return None;
        }
        script.push(Step::query("parts", print::union_all(&queries, at.dialect)));
        return Some(super::graph::same(script));
    }
    script.extend(parts.iter().map(|(label, query)| query_step(label, query, at)));
    let combine = match q.form.as_str() {
        AGGREGATE => Combine::Folds(folds(&q.query, at)?),
        DISTINCT => Combine::Set,
        _ => Combine::Bag,
    };
    // Of equal values under DISTINCT, and of equal least ones, the engine shows which it likes.
    let loose = matches!(q.form.as_str(), AGGREGATE | DISTINCT);
    let equality = if loose { Equality::Loose } else { Equality::Exact };
    let claim = Relation::Partition { whole: 0, parts: (1..script.len()).collect(), combine, equality };
    Some(Derived { script, claim })
}
