//! Rewrites inside filters. All hold in three-valued logic, at any place where a truth value stands.

use super::Variant;
use crate::graph::ast::*;
use qualm_core::dialect::graph::{Feature, GraphDialect};

/// One query for each expression in a filter that `change` has an answer for.
fn each_site(query: &Query, change: &dyn Fn(&Expr) -> Option<Expr>) -> Vec<Variant> {
    let mut made = Vec::new();
    for at in 0.. {
        let mut next = query.clone();
        let mut seen = 0;
        let mut done = false;
        for filter in filters_mut(&mut next) {
            filter.each_mut(&mut |e| {
                if !done && let Some(by) = change(e) {
                    if seen == at {
                        *e = by;
                        done = true;
                    }
                    seen += 1;
                }
            });
        }
        if !done {
            return made;
        }
        made.push(Variant::Same(next));
    }
    made
}

fn filters_mut(query: &mut Query) -> Vec<&mut Expr> {
    query
        .clauses
        .iter_mut()
        .filter_map(|c| match c {
            Clause::Match { filter, .. } | Clause::With { filter } => filter.as_mut(),
            _ => None,
        })
        .collect()
}

/// The whole filter of each clause changed.
fn each_filter(query: &Query, change: &dyn Fn(Expr) -> Expr) -> Vec<Variant> {
    let many = filters_mut(&mut query.clone()).len();
    let one = |at: usize| {
        let mut next = query.clone();
        if let Some(filter) = filters_mut(&mut next).into_iter().nth(at) {
            *filter = change(filter.clone());
        }
        Variant::Same(next)
    };
    (0..many).map(one).collect()
}

pub fn swap_operands(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_site(query, &|e| match e {
        Expr::And(a, b) if a != b => Some(Expr::And(b.clone(), a.clone())),
        Expr::Or(a, b) if a != b => Some(Expr::Or(b.clone(), a.clone())),
        Expr::Xor(a, b) if a != b => Some(Expr::Xor(b.clone(), a.clone())),
        _ => None,
    })
}

pub fn double_negation(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_filter(query, &|e| Expr::negated(Expr::negated(e)))
}

pub fn de_morgan(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_site(query, &|e| match e {
        Expr::Not(inner) => match &**inner {
            Expr::And(a, b) => Some(Expr::or(Expr::Not(a.clone()), Expr::Not(b.clone()))),
            Expr::Or(a, b) => Some(Expr::and(Expr::Not(a.clone()), Expr::Not(b.clone()))),
            _ => None,
        },
        _ => None,
    })
}

pub fn mirror_comparison(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_site(query, &|e| match e {
        Expr::Compare(how, a, b) if a != b => Some(Expr::Compare(how.mirrored(), b.clone(), a.clone())),
        _ => None,
    })
}

pub fn in_to_or(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_site(query, &|e| match e {
        Expr::In(a, members) => {
            let equal = |m: &Expr| Expr::Compare(Comparison::Equal, a.clone(), Box::new(m.clone()));
            members.iter().map(equal).reduce(Expr::or)
        }
        _ => None,
    })
}

pub fn xor_to_or(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_site(query, &|e| match e {
        Expr::Xor(a, b) => {
            let not = |e: &Expr| Expr::negated(e.clone());
            let (x, y) = ((**a).clone(), (**b).clone());
            Some(Expr::or(Expr::and(x.clone(), not(&y)), Expr::and(not(&x), y)))
        }
        _ => None,
    })
}

pub fn filter_to_case(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    if !dialect.has(Feature::Case) {
        return Vec::new();
    }
    each_filter(query, &|e| Expr::Case(vec![(e, Expr::truth(true))], Box::new(Expr::truth(false))))
}

pub fn exists_to_count(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    if !dialect.has(Feature::CountSubquery) || dialect.relationships_by_use {
        return Vec::new();
    }
    each_site(query, &|e| match e {
        Expr::Exists(p) => Some(Expr::compare(Comparison::Greater, Expr::PathCount(p.clone()), Expr::int(0))),
        _ => None,
    })
}

/// A property has one value, so that two predicates of it are two tests.
pub fn predicates_apart(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_site(query, &|e| match e {
        Expr::PredicateAnd(a, b) => Some(Expr::And(a.clone(), b.clone())),
        Expr::PredicateOr(a, b) => Some(Expr::Or(a.clone(), b.clone())),
        _ => None,
    })
}

pub fn range_apart(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    each_site(query, &|e| match e {
        Expr::Between(range, a, low, high) => {
            let of = |how: Comparison, b: &Expr| Expr::Compare(how, a.clone(), Box::new(b.clone()));
            Some(match range {
                Range::Inside => Expr::and(of(Comparison::Greater, low), of(Comparison::Less, high)),
                Range::Outside => Expr::or(of(Comparison::Less, low), of(Comparison::Greater, high)),
                Range::Between => Expr::and(of(Comparison::GreaterEqual, low), of(Comparison::Less, high)),
            })
        }
        _ => None,
    })
}
