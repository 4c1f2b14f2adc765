//! What must hold of a query before anything is claimed about its answer: every variable is bound, and the engine has
//! no say in what is right. Used when a question is made and for each smaller one that the reducer tries.

pub mod steps;

use super::ast::*;
use super::metamodel::Metamodel;
use qualm_core::dialect::graph::{GraphDialect, Kind, Param};
use std::collections::BTreeSet;
use std::slice;

/// Variables in the order in which they are bound, each once.
pub fn variables(clauses: &[Clause]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |v: &str| {
        if !v.is_empty() && !found.iter().any(|f| f == v) {
            found.push(v.to_owned());
        }
    };
    for clause in clauses {
        match clause {
            Clause::Match { paths, .. } => paths.iter().for_each(|p| path_variables(p).for_each(&mut add)),
            Clause::Unwind { var, .. } => add(var),
            Clause::Call { clauses } => variables(clauses).iter().for_each(|v| add(v)),
            Clause::With { .. } => {}
        }
    }
    found
}

pub fn path_variables(path: &Path) -> impl Iterator<Item = &str> {
    let steps = path.steps.iter().flat_map(|(r, n)| [r.var.as_str(), n.var.as_str()]);
    std::iter::once(path.start.var.as_str()).chain(steps)
}

/// All relationship patterns of the clauses.
pub fn relationships(clauses: &[Clause]) -> Vec<&RelPattern> {
    clauses.iter().flat_map(paths).flat_map(Path::relationships).collect()
}

pub fn node_variables(clauses: &[Clause]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for node in clauses.iter().flat_map(paths).flat_map(Path::nodes) {
        if !found.contains(&node.var) {
            found.push(node.var.clone());
        }
    }
    found
}

pub fn paths(clause: &Clause) -> Vec<&Path> {
    match clause {
        Clause::Match { paths, .. } => paths.iter().collect(),
        Clause::Call { clauses } => clauses.iter().flat_map(paths).collect(),
        Clause::With { .. } | Clause::Unwind { .. } => Vec::new(),
    }
}

/// The filters and their clauses' positions, and the items.
pub fn expressions(query: &Query) -> Vec<&Expr> {
    fn of<'a>(clauses: &'a [Clause], found: &mut Vec<&'a Expr>) {
        for clause in clauses {
            match clause {
                Clause::Match { filter, .. } | Clause::With { filter } => found.extend(filter),
                Clause::Call { clauses } => of(clauses, found),
                Clause::Unwind { .. } => {}
            }
        }
    }
    let mut found = Vec::new();
    of(&query.clauses, &mut found);
    found.extend(&query.items);
    found.extend(query.order_by.iter().map(|(e, _)| e));
    found
}

/// Whether a claim may be made about the query's answer.
pub fn is_sound(query: &Query, model: &Metamodel, dialect: &GraphDialect, disputed: bool) -> bool {
    is_bound(query)
        && !query.items.is_empty()
        && (!dialect.relationships_by_use || uses_relationships(query, dialect))
        && (!dialect.is_by_steps() || steps::can_say(query, dialect, disputed))
        && expressions(query).into_iter().all(|e| is_sound_expr(e, model, dialect, disputed))
}

pub fn is_sound_expr(e: &Expr, model: &Metamodel, dialect: &GraphDialect, disputed: bool) -> bool {
    disputed || !e.any(&|e| may_be_nan(e, model, dialect))
}

/// Every variable that is used is bound before, in an order that any engine reads.
fn is_bound(query: &Query) -> bool {
    let mut bound: BTreeSet<&str> = BTreeSet::new();
    let clauses_fine = clauses_bound(&query.clauses, &mut bound);
    let all = |e: &Expr| uses_only(e, &mut bound.clone());
    let aggregates = query.items.iter().any(is_aggregate);
    // What ORDER BY may say of an aggregated or distinct answer differs between engines.
    let plain_order = query.order_by.is_empty() || !aggregates && !query.distinct;
    clauses_fine && plain_order && query.items.iter().all(all) && query.order_by.iter().all(|(e, _)| all(e))
}

fn clauses_bound<'a>(clauses: &'a [Clause], bound: &mut BTreeSet<&'a str>) -> bool {
    !clauses.is_empty()
        && clauses.iter().all(|clause| match clause {
            Clause::Match { paths, filter, .. } => {
                bound.extend(paths.iter().flat_map(path_variables));
                !paths.is_empty() && filter.iter().all(|f| !is_aggregate(f) && uses_only(f, &mut bound.clone()))
            }
            Clause::With { filter } => {
                !bound.is_empty() && filter.iter().all(|f| !is_aggregate(f) && uses_only(f, &mut bound.clone()))
            }
            Clause::Unwind { var, .. } => bound.insert(var),
            Clause::Call { clauses } => {
                let mut inner = BTreeSet::new();
                let fine = clauses_bound(clauses, &mut inner);
                fine && inner.into_iter().all(|v| bound.insert(v))
            }
        })
}

pub fn is_aggregate(e: &Expr) -> bool {
    e.any(&|e| matches!(e, Expr::Aggregate(..)))
}

fn uses_only<'a>(e: &'a Expr, bound: &mut BTreeSet<&'a str>) -> bool {
    if let Expr::Quantified(_, var, list, condition) = e {
        let fine = uses_only(list, bound);
        let fresh = bound.insert(var);
        let fine = fine && uses_only(condition, bound);
        if fresh {
            bound.remove(var.as_str());
        }
        return fine;
    }
    e.variable().is_none_or(|v| bound.contains(v)) && e.children().into_iter().all(|c| uses_only(c, bound))
}

/// Variables that an expression speaks of, those of quantifiers included.
pub fn used(e: &Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    e.each(&mut |e| found.extend(e.variable().map(str::to_owned)));
    found
}

/// The function that counts how many relationships a path of variable length has.
pub const LENGTH: &str = "length";

/// Where a relationship counts only when something else names it, the items name each of them. Of a path of variable
/// length they say only how long it is: the rest comes in the order in which the plan walked.
fn uses_relationships(query: &Query, dialect: &GraphDialect) -> bool {
    let named: BTreeSet<String> = query.items.iter().flat_map(used).collect();
    let fine = |r: &&RelPattern| match r.length {
        None => true,
        Some(bounds) => {
            dialect.lengths.contains(&bounds) && !expressions(query).into_iter().any(|e| is_whole(e, &r.var))
        }
    };
    relationships(&query.clauses).iter().all(|r| named.contains(&r.var) && fine(r))
}

/// The variable is used for more than its length.
fn is_whole(e: &Expr, var: &str) -> bool {
    match e {
        Expr::Var(v) => v == var,
        Expr::Call(name, _) if name == LENGTH => false,
        _ => e.children().into_iter().any(|c| is_whole(c, var)),
    }
}

/// The kind of an expression's values other than NULL; nothing where there may be several.
pub fn kind(e: &Expr, model: &Metamodel, dialect: &GraphDialect) -> Option<Kind> {
    match e {
        Expr::Literal(l) => l.kind(),
        Expr::Property(_, p) => match model.kinds(p) {
            [one] => Some(*one),
            _ => None,
        },
        Expr::Var(_) | Expr::Properties(_) => None,
        Expr::Identity(_) | Expr::PathCount(_) => Some(Kind::Int),
        Expr::TypeOf(_) | Expr::Concat(..) => Some(Kind::Text),
        Expr::Arithmetic(Operator::Power, ..) => Some(Kind::Float),
        Expr::Arithmetic(_, a, b) => match (kind(a, model, dialect)?, kind(b, model, dialect)?) {
            (Kind::Int, Kind::Int) => Some(Kind::Int),
            (Kind::Int | Kind::Float, Kind::Int | Kind::Float) => Some(Kind::Float),
            (one, _) => Some(one),
        },
        Expr::Call(name, args) => {
            let takes = |param: &Param, arg: &Expr| match (param, kind(arg, model, dialect)) {
                (_, None) | (Param::Any, _) => true,
                (Param::Of(want), Some(have)) => *want == have,
                (Param::Number, Some(have)) => matches!(have, Kind::Int | Kind::Float),
                (Param::SmallInt, Some(have)) => have == Kind::Int,
            };
            let fits = |f: &&qualm_core::dialect::graph::GraphFunction| {
                f.name == name && f.params.len() == args.len() && f.params.iter().zip(args).all(|(p, a)| takes(p, a))
            };
            dialect.functions.iter().find(fits).map(|f| f.result)
        }
        Expr::Case(arms, otherwise) => {
            let first = kind(otherwise, model, dialect);
            arms.iter().all(|(_, v)| kind(v, model, dialect) == first).then_some(first)?
        }
        Expr::Aggregate(Fold::Count, ..) => Some(Kind::Int),
        Expr::Aggregate(_, _, of) => of.as_ref().and_then(|e| kind(e, model, dialect)),
        Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Xor(..) => Some(Kind::Bool),
        Expr::PredicateNot(_) | Expr::PredicateAnd(..) | Expr::PredicateOr(..) => Some(Kind::Bool),
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::Compare(..) | Expr::Test(..) | Expr::In(..) => Some(Kind::Bool),
        Expr::Between(..) | Expr::Quantified(..) | Expr::HasLabel(..) | Expr::Exists(_) => Some(Kind::Bool),
    }
}

/// Functions whose answer is a number where their argument is one.
const NEVER_NAN: &[&str] = &[
    "abs",
    "ceil",
    "floor",
    "round",
    "sign",
    "toFloat",
    "toFloatOrNull",
    "e",
    "exp",
    "distance",
    "point.distance",
    LENGTH,
    "pow",
];

/// Functions that give a number for every one that is not negative.
const OF_POSITIVE: &[&str] = &["sqrt", "log", "log10"];

/// A call that gives no NaN where a sign is all that it takes.
pub fn of_positive(name: &str, mut args: Vec<Expr>) -> Expr {
    if OF_POSITIVE.contains(&name) {
        args = args.into_iter().map(|a| Expr::Call("abs".into(), vec![a])).collect();
    }
    Expr::Call(name.into(), args)
}

fn is_of_positive(name: &str, args: &[Expr]) -> bool {
    OF_POSITIVE.contains(&name) && args.iter().all(|a| matches!(a, Expr::Call(name, _) if name == "abs"))
}

/// What a comparison with NaN gives is disputed between engines and their documents, so without a wish for it nothing
/// may be NaN: neither a value nor what arithmetic makes of infinities and zeros.
fn may_be_nan(e: &Expr, model: &Metamodel, dialect: &GraphDialect) -> bool {
    let kind_of = |e: &Expr| kind(e, model, dialect);
    let firm = |e: &Expr| match e {
        Expr::Literal(Literal::Float(f)) => *f != 0.0,
        Expr::Literal(Literal::Int(i)) => *i != 0,
        _ => false,
    };
    match e {
        Expr::Literal(l) => has_nan(l),
        Expr::Arithmetic(how, a, b) => {
            let ints = kind_of(a) == Some(Kind::Int) && kind_of(b) == Some(Kind::Int);
            let texts = kind_of(e) == Some(Kind::Text) || kind_of(e) == Some(Kind::Date);
            match how {
                _ if texts => false,
                Operator::Power => !matches!(**b, Expr::Literal(Literal::Int(1 | 2))),
                _ if ints => false,
                Operator::Remainder => true,
                Operator::Add | Operator::Subtract | Operator::Multiply => !firm(a) && !firm(b),
                Operator::Divide => !firm(b),
            }
        }
        Expr::Call(name, args) => {
            let never = NEVER_NAN.contains(&name.as_str()) || is_of_positive(name, args);
            matches!(kind_of(e), Some(Kind::Float) | None) && !never
        }
        // What is stored is looked at where it is stored; what these choose or fold is looked at by itself.
        Expr::Var(_) | Expr::Property(..) | Expr::Properties(_) | Expr::Case(..) | Expr::Aggregate(..) => false,
        // No numbers, or counts.
        Expr::Identity(_) | Expr::TypeOf(_) | Expr::Concat(..) | Expr::PathCount(_) => false,
        Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Xor(..) => false,
        Expr::PredicateNot(_) | Expr::PredicateAnd(..) | Expr::PredicateOr(..) => false,
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::Compare(..) | Expr::Test(..) | Expr::In(..) => false,
        Expr::Between(..) | Expr::Quantified(..) | Expr::HasLabel(..) | Expr::Exists(_) => false,
    }
}

pub fn has_nan(l: &Literal) -> bool {
    match l {
        Literal::Special(Special::Nan) => true,
        Literal::List(members) => members.iter().any(has_nan),
        _ => false,
    }
}

/// Asked of the whole state for every query, so that it makes no lists.
pub fn stores_nan(statement: &Statement) -> bool {
    let any = |all: &[(String, Literal)]| all.iter().any(|(_, v)| has_nan(v));
    match statement {
        Statement::Create { nodes, edges } => {
            nodes.iter().any(|n| any(&n.properties)) || edges.iter().any(|e| any(&e.properties))
        }
        Statement::Connect { edge } => any(&edge.properties),
        Statement::Merge { node } => any(&node.properties),
        Statement::Set { value, .. } => has_nan(value),
        Statement::NodeTable { .. } | Statement::EdgeTable { .. } | Statement::Delete { .. } => false,
        Statement::Remove { .. } | Statement::SetLabel { .. } | Statement::RemoveLabel { .. } => false,
        Statement::CreateIndex { .. } | Statement::DropIndex { .. } => false,
    }
}

/// Values that a statement stores.
pub fn stored(statement: &Statement) -> Vec<(&str, &Literal)> {
    stored_in(statement).into_iter().map(|(_, property, value)| (property, value)).collect()
}

/// Values that a statement stores, each with the labels of its node or the type of its relationship.
pub fn stored_in(statement: &Statement) -> Vec<(&[String], &str, &Literal)> {
    fn of<'a>(
        classes: &'a [String],
        all: &'a [(String, Literal)],
    ) -> impl Iterator<Item = (&'a [String], &'a str, &'a Literal)> {
        all.iter().map(move |(p, v)| (classes, p.as_str(), v))
    }
    match statement {
        Statement::Create { nodes, edges } => {
            let nodes = nodes.iter().flat_map(|n| of(&n.labels, &n.properties));
            nodes.chain(edges.iter().flat_map(|e| of(slice::from_ref(&e.kind), &e.properties))).collect()
        }
        Statement::Connect { edge } => of(slice::from_ref(&edge.kind), &edge.properties).collect(),
        Statement::Merge { node } => of(&node.labels, &node.properties).collect(),
        Statement::Set { of, property, value } => vec![(of.class.as_slice(), property, value)],
        Statement::NodeTable { .. } | Statement::EdgeTable { .. } | Statement::Delete { .. } => Vec::new(),
        Statement::Remove { .. } | Statement::SetLabel { .. } | Statement::RemoveLabel { .. } => Vec::new(),
        Statement::CreateIndex { .. } | Statement::DropIndex { .. } => Vec::new(),
    }
}

/// A query whose answer loses rows, and gains none, when something is deleted: all its patterns are wanted.
pub fn is_monotone(query: &Query) -> bool {
    let patterns = query.clauses.iter().all(|c| match c {
        Clause::Match { optional, .. } => !optional,
        Clause::Call { .. } => false,
        Clause::With { .. } | Clause::Unwind { .. } => true,
    });
    patterns && !expressions(query).into_iter().any(|e| e.any(&looks_around))
}

/// Its value depends on more of the graph than the elements of its own row.
fn looks_around(e: &Expr) -> bool {
    match e {
        Expr::Exists(_) | Expr::PathCount(_) | Expr::Aggregate(..) => true,
        Expr::Literal(_) | Expr::Var(_) | Expr::Property(..) | Expr::Properties(_) => false,
        Expr::Identity(_) | Expr::TypeOf(_) | Expr::HasLabel(..) => false,
        Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Xor(..) => false,
        Expr::PredicateNot(_) | Expr::PredicateAnd(..) | Expr::PredicateOr(..) => false,
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::Compare(..) | Expr::Test(..) | Expr::In(..) => false,
        Expr::Between(..) | Expr::Arithmetic(..) | Expr::Concat(..) | Expr::Call(..) | Expr::Case(..) => false,
        Expr::Quantified(..) => false,
    }
}
