//! Every question about a query, of the oracles that only sample them in a hunt: to measure what they could find.
//! Whether a question is sound is decided by the oracle's `derive`, not here.

use super::adopt::question;
use super::{config, dqe, eet, mutasql, norec, tlp};
use crate::sql::ast::*;
use crate::sql::{rules, typing};
use qualm_core::dialect::sql::Dialect;
use qualm_core::knobs::{Class, Flip, Knob};

/// Every setting turned to each of its other values, and all optimisations off at once.
pub fn config_questions(query: &Query, knobs: &[Knob], _: &Dialect) -> Vec<Question> {
    let all: Vec<Flip> = knobs.iter().filter(|k| k.class == Class::Optimiser).map(Knob::off).collect();
    let each = knobs.iter().flat_map(|k| k.others.iter().map(|value| vec![k.flip(value)]));
    let made = [all].into_iter().filter(|all| !all.is_empty()).chain(each);
    made.map(|flips| Question { flips, ..question(query.clone(), None, config::QUERY) }).collect()
}

pub fn eet_questions(query: &Query, _: &[Knob], dialect: &Dialect) -> Vec<Question> {
    let rewrites = eet::every_rewrite(query, dialect).into_iter();
    rewrites.map(|r| Question { rewrites: vec![r], ..question(query.clone(), None, "rewrite") }).collect()
}

/// As for others, and each change with its condition said in every other way.
pub fn dqe_questions(query: &Query, _: &[Knob], dialect: &Dialect) -> Vec<Question> {
    let mut all = dqe::questions(query);
    let changes = all.iter().filter(|q| matches!(q.form.as_str(), dqe::UPDATE | dqe::DELETE)).cloned();
    let others: Vec<Question> = changes.flat_map(|q| dqe::other_ways(&q, dialect)).collect();
    all.extend(others);
    all
}

/// Places at which each rule is tried: a rule takes the number modulo the places it knows of.
const PLACES: u32 = 6;
/// The same for each of the two rules of a chain.
const PLACES_IN_CHAIN: u32 = 2;

/// Queries inside a query, arms and views that each rule is tried in.
const NESTED_MOST: u32 = 8;

/// Every rule, and every chain of two.
pub fn mutasql_questions(query: &Query, _: &[Knob], _: &Dialect) -> Vec<Question> {
    let names: Vec<&str> = rules::rules().map(|r| r.name).collect();
    let nested = (mutasql::places_inside(query) as u32).min(NESTED_MOST);
    let rewrites = |places: u32, nested: u32| {
        let each = names.iter().flat_map(move |rule| (0..places).map(move |site| (*rule, site)));
        let inside =
            names.iter().flat_map(move |rule| (1..=nested).map(move |at| (*rule, at << mutasql::NESTED_SHIFT)));
        each.chain(inside)
            .map(|(rule, site)| Rewrite { rule: rule.into(), site, extra: None, written: None })
            .collect::<Vec<_>>()
    };
    let mut chains: Vec<Vec<Rewrite>> = rewrites(PLACES, nested).into_iter().map(|r| vec![r]).collect();
    let links = rewrites(PLACES_IN_CHAIN, 0);
    chains.extend(links.iter().flat_map(|a| links.iter().map(|b| vec![a.clone(), b.clone()])));
    let made = chains.into_iter();
    made.map(|rewrites| Question { rewrites, ..question(query.clone(), None, "mutations") }).collect()
}

// ---------------------------------------------------------------- predicates taken out of a query

pub fn norec_questions(query: &Query, _: &[Knob], _: &Dialect) -> Vec<Question> {
    split(query, false)
}

pub fn tlp_questions(query: &Query, _: &[Knob], _: &Dialect) -> Vec<Question> {
    split(query, true)
}

/// The predicates of a SELECT, each with what remains of the query without it.
fn split(query: &Query, tlp: bool) -> Vec<Question> {
    let Some(select) = query.select() else { return Vec::new() };
    let mut plain = query.clone();
    plain.order_by.clear();
    let mut found = Vec::new();
    for (rest, predicate) in predicates(select).into_iter().chain(selected(select)) {
        let mut base = plain.clone();
        *base.select_mut().expect("a select") = rest;
        if tlp {
            found.extend(tlp_forms(base, predicate));
        } else {
            found.extend(norec_forms(base, predicate));
        }
    }
    if let (true, Some(having)) = (tlp, &select.having) {
        for predicate in conjuncts(having).into_iter().chain([having.clone()]) {
            let mut base = plain.clone();
            base.select_mut().expect("a select").having = None;
            found.push(question(base, Some(predicate), tlp::HAVING));
        }
    }
    found
}

/// What stands in WHERE as a whole, each of its conjuncts, and what joins the last table, as if it stood in WHERE.
fn predicates(select: &Select) -> Vec<(Select, Expr)> {
    let mut found = Vec::new();
    if let Some(filter) = &select.filter {
        found.push((Select { filter: None, ..select.clone() }, filter.clone()));
        let all = conjuncts(filter);
        for (i, one) in all.iter().enumerate().filter(|_| all.len() > 1) {
            let others = all.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, e)| e.clone());
            let rest = others.reduce(Expr::and);
            found.push((Select { filter: rest, ..select.clone() }, one.clone()));
        }
    }
    if let Some(last) = select.from.last()
        && let (Join::Inner | Join::Cross | Join::Comma, Some(on)) = (last.join, &last.on)
        && select.from.len() > 1
    {
        let mut rest = Select { filter: None, ..select.clone() };
        rest.from.last_mut().expect("not empty").on = None;
        let predicate = select.filter.iter().fold(on.clone(), |all, filter| all.and(filter.clone()));
        found.push((rest, predicate));
    }
    found
}

/// What is selected may be a truth value: then it is a predicate over what it is selected from.
fn selected(select: &Select) -> Vec<(Select, Expr)> {
    let is_truth = |e: &Expr| match e {
        Expr::Binary(op, ..) => op.is_comparison() || matches!(op, Binary::And | Binary::Or),
        Expr::IsNull { .. } | Expr::IsTruth { .. } | Expr::Between { .. } | Expr::InList { .. } => true,
        Expr::InQuery { .. } | Expr::Like { .. } | Expr::Exists { .. } | Expr::Unary(Unary::Not, _) => true,
        _ => false,
    };
    let mut rest = Select { filter: None, items: vec![Item::bare(Expr::int(1))], ..select.clone() };
    if rest.from.is_empty() {
        let one = Query::of(Select {
            items: vec![Item { expr: Expr::int(1), alias: Some("c".into()) }],
            ..Select::default()
        });
        let source = Source::Query { query: Box::new(one), alias: "one".into() };
        rest.from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    }
    let truths = select.items.iter().filter(|i| is_truth(&i.expr));
    truths.map(|i| (rest.clone(), i.expr.clone())).collect()
}

fn conjuncts(e: &Expr) -> Vec<Expr> {
    match e {
        Expr::Binary(Binary::And, a, b) => conjuncts(a).into_iter().chain(conjuncts(b)).collect(),
        other => vec![other.clone()],
    }
}

/// A count of rows does not care what is selected: what cannot stay gives way to a constant.
fn norec_forms(mut base: Query, predicate: Expr) -> Vec<Question> {
    base.select_mut().expect("a select").filter = None;
    let mut bases = vec![base.clone()];
    let mut counted = base;
    let select = counted.select_mut().expect("a select");
    (select.distinct, select.having) = (false, None);
    select.group_by.clear();
    select.items = vec![Item::bare(Expr::int(1))];
    bases.push(counted);
    let forms = [norec::ROWS, norec::COUNT, norec::ROWS_TRUTH];
    let all = bases.into_iter().flat_map(|b| forms.map(|form| (b.clone(), form)));
    all.map(|(base, form)| question(base, Some(predicate.clone()), form)).collect()
}

fn tlp_forms(base: Query, predicate: Expr) -> Vec<Question> {
    let mut rows = base.clone();
    let select = rows.select_mut().expect("a select");
    (select.distinct, select.having) = (false, None);
    select.group_by.clear();
    if select.items.iter().any(|i| typing::contains_aggregate(&i.expr)) {
        select.items = vec![Item::bare(Expr::int(1))];
    }
    let mut distinct = rows.clone();
    distinct.select_mut().expect("a select").distinct = true;
    vec![
        question(rows, Some(predicate.clone()), tlp::WHERE),
        question(distinct, Some(predicate.clone()), tlp::DISTINCT),
        question(base, Some(predicate), tlp::AGGREGATE),
    ]
}
