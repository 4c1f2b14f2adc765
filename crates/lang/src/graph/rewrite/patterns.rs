//! Rewrites of patterns and clauses.

use super::{Variant, per_clause};
use crate::graph::ast::*;
use crate::graph::check;
use crate::graph::source::conjoin;
use qualm_core::dialect::graph::{Feature, Form, GraphDialect, SchemaRule};
use qualm_core::relation::Order;

fn same(queries: Vec<Query>) -> Vec<Variant> {
    queries.into_iter().map(Variant::Same).collect()
}

/// The paths of a MATCH that must be there.
fn wanted(clause: &mut Clause) -> Option<(&mut Vec<Path>, &mut Option<Expr>)> {
    match clause {
        Clause::Match { optional: false, paths, filter } => Some((paths, filter)),
        _ => None,
    }
}

/// One query for each path of each wanted MATCH that `change` has an answer for.
fn per_path(query: &Query, change: impl Fn(&Path) -> Option<Vec<Path>>) -> Vec<Query> {
    let mut made = Vec::new();
    for at in 0..query.clauses.len() {
        let many = check::paths(&query.clauses[at]).len();
        for i in 0..many {
            let mut next = query.clone();
            let Some((paths, _)) = wanted(&mut next.clauses[at]) else { continue };
            let Some(by) = paths.get(i).and_then(&change) else { continue };
            paths.splice(i..=i, by);
            made.push(next);
        }
    }
    made
}

pub fn mirror(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    // The relationships of a path of variable length would come in the other order.
    same(per_path(query, |p| {
        let fixed = !p.steps.is_empty() && p.relationships().all(|r| r.length.is_none());
        fixed.then(|| vec![mirrored(p)])
    }))
}

fn mirrored(path: &Path) -> Path {
    let nodes: Vec<&NodePattern> = path.nodes().collect();
    let turn = |d: Direction| match d {
        Direction::Out => Direction::In,
        Direction::In => Direction::Out,
        Direction::Both => Direction::Both,
    };
    let step =
        |(i, r): (usize, &RelPattern)| (RelPattern { direction: turn(r.direction), ..r.clone() }, nodes[i].clone());
    let mut steps: Vec<_> = path.relationships().enumerate().map(step).collect();
    steps.reverse();
    Path { start: nodes[nodes.len() - 1].clone(), steps }
}

/// The path up to a node inside it, and from there on.
fn cut(path: &Path) -> Option<(Path, Path)> {
    let (first, rest) = path.steps.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let start = NodePattern { var: first.1.var.clone(), labels: Vec::new(), properties: Vec::new() };
    Some((Path { start: path.start.clone(), steps: vec![first.clone()] }, Path { start, steps: rest.to_vec() }))
}

pub fn split_path(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    same(per_path(query, |p| cut(p).map(|(a, b)| vec![a, b])))
}

/// No relationship can be in both.
fn disjoint(a: &[Path], b: &[Path]) -> bool {
    let types = |paths: &[Path]| -> Vec<Vec<String>> {
        paths.iter().flat_map(Path::relationships).map(|r| r.types.clone()).collect()
    };
    types(a).iter().all(|x| types(b).iter().all(|y| !x.is_empty() && !y.is_empty() && x.iter().all(|t| !y.contains(t))))
}

/// Only where types keep a relationship from being used on both sides: within one MATCH it would be used once.
pub fn split_match(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    same(per_clause(query, |next, at| {
        let Some((paths, filter)) = wanted(&mut next.clauses[at]) else { return false };
        let (first, rest) = match paths.as_slice() {
            [one] => match cut(one) {
                Some((a, b)) => (vec![a], vec![b]),
                None => return false,
            },
            [first, rest @ ..] => (vec![first.clone()], rest.to_vec()),
            [] => return false,
        };
        if !disjoint(&first, &rest) {
            return false;
        }
        let filter = filter.take();
        *paths = first;
        next.clauses.insert(at + 1, Clause::Match { optional: false, paths: rest, filter });
        true
    }))
}

/// Labels of a node stand where it is first met. In a typed schema they say which tables are meant, so that a second
/// mention with other labels is not the filter that it is elsewhere.
fn labels_first(queries: Vec<Query>, dialect: &GraphDialect) -> Vec<Query> {
    if dialect.schema == SchemaRule::Free {
        return queries;
    }
    let tidy = |mut query: Query| {
        let mut labels: Vec<(String, Vec<String>)> = Vec::new();
        for node in query.clauses.iter().flat_map(check::paths).flat_map(Path::nodes) {
            match labels.iter_mut().find(|(v, _)| *v == node.var) {
                Some((_, known)) => known.extend(node.labels.clone()),
                None => labels.push((node.var.clone(), node.labels.clone())),
            }
        }
        for clause in &mut query.clauses {
            let Clause::Match { paths, .. } = clause else { continue };
            for node in paths.iter_mut().flat_map(Path::nodes_mut) {
                let known = labels.iter_mut().find(|(v, _)| *v == node.var);
                node.labels = known.map(|(_, l)| std::mem::take(l)).unwrap_or_default();
            }
        }
        query
    };
    queries.into_iter().map(tidy).collect()
}

pub fn swap_paths(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    same(labels_first(
        per_clause(query, |next, at| match wanted(&mut next.clauses[at]) {
            Some((paths, _)) if paths.len() > 1 => {
                paths.rotate_left(1);
                true
            }
            _ => false,
        }),
        dialect,
    ))
}

pub fn swap_matches(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    same(labels_first(
        per_clause(query, |next, at| {
            if at + 1 >= next.clauses.len() {
                return false;
            }
            let both = [&mut next.clauses.clone()[at], &mut next.clauses.clone()[at + 1]]
                .into_iter()
                .all(|c| wanted(c).is_some());
            if !both {
                return false;
            }
            next.clauses.swap(at, at + 1);
            // Both filters may need what the other binds.
            let early = wanted(&mut next.clauses[at]).and_then(|(_, f)| f.take());
            if let (Some(early), Some((_, late))) = (early, wanted(&mut next.clauses[at + 1])) {
                conjoin(late, early);
            }
            true
        }),
        dialect,
    ))
}

/// One query for each MATCH pattern that `take` takes something out of, which becomes part of the filter.
fn to_predicate(query: &Query, take: impl Fn(&mut Path) -> Option<Expr>) -> Vec<Variant> {
    let mut made = Vec::new();
    for at in 0..query.clauses.len() {
        for i in 0..check::paths(&query.clauses[at]).len() {
            let mut next = query.clone();
            if let Clause::Match { paths, filter, .. } = &mut next.clauses[at]
                && let Some(predicate) = take(&mut paths[i])
            {
                conjoin(filter, predicate);
                made.push(Variant::Same(next));
            }
        }
    }
    made
}

pub fn label_to_predicate(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    if !dialect.has(Feature::LabelPredicate) {
        return Vec::new();
    }
    to_predicate(query, |p| {
        let node = p.nodes_mut().find(|n| !n.labels.is_empty())?;
        let has = |l: String| Expr::HasLabel(node.var.clone(), l);
        std::mem::take(&mut node.labels).into_iter().map(has).reduce(Expr::and)
    })
}

pub fn type_to_predicate(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    if dialect.schema != SchemaRule::Free {
        return Vec::new();
    }
    to_predicate(query, |p| {
        let (r, _) = p.steps.iter_mut().find(|(r, _)| !r.types.is_empty() && r.length.is_none())?;
        let is = |t: String| Expr::compare(Comparison::Equal, Expr::TypeOf(r.var.clone()), Expr::text(&t));
        std::mem::take(&mut r.types).into_iter().map(is).reduce(Expr::or)
    })
}

pub fn map_to_predicate(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    to_predicate(query, |p| {
        let nodes = p.nodes().map(|n| (n.var.clone(), n.properties.clone()));
        let edges = p.relationships().map(|r| (r.var.clone(), r.properties.clone()));
        let all: Vec<(String, Vec<(String, Literal)>)> = nodes.chain(edges).collect();
        let equal = |(var, properties): &(String, Vec<(String, Literal)>)| {
            let one = |(p, v): &(String, Literal)| {
                Expr::compare(Comparison::Equal, Expr::property(var, p), Expr::Literal(v.clone()))
            };
            properties.iter().map(one).collect::<Vec<_>>()
        };
        let made = all.iter().flat_map(equal).reduce(Expr::and)?;
        p.nodes_mut().for_each(|n| n.properties.clear());
        p.steps.iter_mut().for_each(|(r, _)| r.properties.clear());
        Some(made)
    })
}

pub fn wrap_in_with(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    if !dialect.has(Feature::With) {
        return Vec::new();
    }
    same(per_clause(query, |next, at| {
        next.clauses.insert(at + 1, Clause::With { filter: None });
        true
    }))
}

pub fn filter_to_with(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    if !dialect.has(Feature::With) {
        return Vec::new();
    }
    same(per_clause(query, |next, at| {
        let Some((_, filter)) = wanted(&mut next.clauses[at]) else { return false };
        let Some(filter) = filter.take() else { return false };
        next.clauses.insert(at + 1, Clause::With { filter: Some(filter) });
        true
    }))
}

pub fn wrap_in_call(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    let nested = query.clauses.iter().any(|c| matches!(c, Clause::Call { .. }));
    if !dialect.has(Feature::CallSubquery) || nested {
        return Vec::new();
    }
    vec![Variant::Same(Query { clauses: vec![Clause::Call { clauses: query.clauses.clone() }], ..query.clone() })]
}

pub fn count(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    let plain = !query.distinct && !query.items.iter().any(check::is_aggregate);
    // Values of a missing property do not come at all in Gremlin.
    let whole = query.items.iter().all(|i| matches!(i, Expr::Var(_)));
    if !plain || dialect.form == Form::Gremlin && !whole {
        return Vec::new();
    }
    let relationships = check::relationships(&query.clauses);
    let of = match (dialect.relationships_by_use, relationships.as_slice()) {
        (false, _) | (true, []) => None,
        (true, [only]) if check::is_monotone(query) && only.length.is_none() => {
            Some(Box::new(Expr::Var(only.var.clone())))
        }
        _ => return Vec::new(),
    };
    let items = vec![Expr::Aggregate(Fold::Count, false, of)];
    vec![Variant::Count(Query { items, order_by: Vec::new(), ..query.clone() })]
}

pub fn unwind_one(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    if !dialect.has(Feature::Unwind) {
        return Vec::new();
    }
    let mut next = query.clone();
    next.clauses.insert(0, Clause::Unwind { list: vec![Literal::Int(1)], var: "one".into() });
    vec![Variant::Same(next)]
}

/// One query for each step of a wanted MATCH that `change` changes.
fn per_step(query: &Query, change: impl Fn(&mut RelPattern) -> bool) -> Vec<(Query, usize, usize, usize)> {
    let mut made = Vec::new();
    for at in 0..query.clauses.len() {
        for (i, path) in check::paths(&query.clauses[at]).into_iter().enumerate() {
            for j in 0..path.steps.len() {
                let mut next = query.clone();
                if let Some((paths, _)) = wanted(&mut next.clauses[at])
                    && change(&mut paths[i].steps[j].0)
                {
                    made.push((next, at, i, j));
                }
            }
        }
    }
    made
}

/// What an engine makes of a loop without a direction is disputed, so loops are left out on all sides.
pub fn both_ways(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    let is_both = |r: &RelPattern| r.direction == Direction::Both && r.length.is_none();
    let directed = |to: Direction| {
        per_step(query, move |r| {
            let fits = is_both(r);
            r.direction = if fits { to } else { r.direction };
            fits
        })
    };
    let pair = |((out, at, i, j), (into, ..)): ((Query, usize, usize, usize), (Query, _, _, _))| {
        let path = check::paths(&query.clauses[at])[i];
        let from = path.nodes().nth(j)?.var.clone();
        let to = path.nodes().nth(j + 1)?.var.clone();
        let apart = || Expr::compare(Comparison::NotEqual, Expr::property(&from, KEY), Expr::property(&to, KEY));
        let without = |q: &Query| {
            let mut next = q.clone();
            if let Some((_, filter)) = wanted(&mut next.clauses[at]) {
                conjoin(filter, apart());
            }
            next
        };
        Some(Variant::Parts(without(query), vec![without(&out), without(&into)]))
    };
    directed(Direction::Out).into_iter().zip(directed(Direction::In)).filter_map(pair).collect()
}

pub fn by_length(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    let sites = per_step(query, |r| matches!(r.length, Some((low, high)) if low < high));
    let parts = |(whole, at, i, j): (Query, usize, usize, usize)| {
        let mut queries = Vec::new();
        let mut next = whole.clone();
        let (paths, _) = wanted(&mut next.clauses[at])?;
        let (low, high) = paths[i].steps[j].0.length?;
        for n in low..=high {
            let mut part = next.clone();
            if let Some((paths, _)) = wanted(&mut part.clauses[at]) {
                paths[i].steps[j].0.length = Some((n, n));
            }
            queries.push(part);
        }
        Some(Variant::Parts(whole, queries))
    };
    sites.into_iter().filter_map(parts).collect()
}

/// A label that other nodes of the query have.
pub fn add_label(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    let nodes = || query.clauses.iter().flat_map(check::paths).flat_map(Path::nodes);
    let known: Vec<String> = nodes().flat_map(|n| n.labels.clone()).collect();
    let label = known.first().cloned().unwrap_or_else(|| "A".into());
    // Where a node has one label, a second one in another place may mean either of them.
    let has_one = |var: &str| nodes().any(|n| n.var == var && !n.labels.is_empty());
    let able = |n: &NodePattern| n.labels.is_empty() && (dialect.has(Feature::SeveralLabels) || !has_one(&n.var));
    let change = |p: &Path| {
        let mut next = p.clone();
        let node = next.nodes_mut().find(|n| able(n))?;
        node.labels.push(label.clone());
        Some(vec![next])
    };
    per_path(query, change).into_iter().map(|q| Variant::Contained(q, Order::Bag)).collect()
}

pub fn add_type(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    let known: Vec<String> = check::relationships(&query.clauses).iter().flat_map(|r| r.types.clone()).collect();
    let kind = known.first().cloned().unwrap_or_else(|| "R".into());
    let made = per_step(query, |r| {
        let fits = r.types.is_empty();
        if fits {
            r.types.push(kind.clone());
        }
        fits
    });
    made.into_iter().map(|(q, ..)| Variant::Contained(q, Order::Bag)).collect()
}

pub fn direct(query: &Query, _: &GraphDialect) -> Vec<Variant> {
    let made = per_step(query, |r| {
        let fits = r.direction == Direction::Both && r.length.is_none();
        r.direction = Direction::Out;
        fits
    });
    made.into_iter().map(|(q, ..)| Variant::Contained(q, Order::Bag)).collect()
}

/// A further MATCH from a node: some rows go, others come several times.
pub fn add_step(query: &Query, dialect: &GraphDialect) -> Vec<Variant> {
    let nodes = check::node_variables(&query.clauses);
    let optional = query.clauses.iter().any(|c| matches!(c, Clause::Match { optional: true, .. }));
    if dialect.relationships_by_use || optional {
        return Vec::new();
    }
    let one = |var: &String| {
        let start = NodePattern { var: var.clone(), labels: Vec::new(), properties: Vec::new() };
        let end = NodePattern { var: "n_more".into(), labels: Vec::new(), properties: Vec::new() };
        let r = RelPattern {
            var: "r_more".into(),
            types: Vec::new(),
            direction: Direction::Out,
            length: None,
            properties: Vec::new(),
        };
        let mut next = query.clone();
        let path = Path { start, steps: vec![(r, end)] };
        next.clauses.push(Clause::Match { optional: false, paths: vec![path], filter: None });
        Variant::Contained(next, Order::Set)
    };
    nodes.iter().map(one).collect()
}
