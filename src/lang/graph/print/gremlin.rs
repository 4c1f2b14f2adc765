//! Gremlin, as the text of a traversal that the server's script engine (or an engine's own parser) reads.
//!
//! A query is one path. Its filter stands behind the path; what it says of an earlier element is asked with `select`.
//! Without NULL there is no `IS NULL` of a predicate: `Not` is the step `not(…)`, the exact complement of a filter.

use super::{literal, quoted};
use crate::graph_dialect::GraphDialect;
use crate::lang::graph::ast::*;

/// How an element is given back: with its id, its label and all its properties.
const CONTENTS: &str = "elementMap()";

pub fn query(query: &Query, dialect: &GraphDialect) -> String {
    let Some(Clause::Match { paths, filter, .. }) = query.clauses.first() else { return String::new() };
    let Some(path) = paths.first() else { return String::new() };
    let last = path.steps.last().map_or(path.start.var.as_str(), |(_, n)| n.var.as_str());
    let mut used: Vec<&str> = Vec::new();
    note_uses(query, filter.as_ref(), last, &mut used);
    let mut text = String::from("g");
    text.push_str(&walk(path, &used, dialect));
    for conjunct in filter.iter().flat_map(conjuncts) {
        text.push_str(&step(conjunct, last, dialect));
    }
    for clause in &query.clauses[1..] {
        if let Clause::With { filter: Some(f) } = clause {
            text.push_str(&format!(".filter({})", filter_of(f, last, dialect)));
        }
    }
    text.push_str(&ending(query, last, dialect));
    text
}

/// Variables other than the last that something refers to: they need a name.
fn note_uses<'a>(query: &'a Query, filter: Option<&'a Expr>, last: &str, used: &mut Vec<&'a str>) {
    let later = query.clauses[1..].iter().filter_map(|c| match c {
        Clause::With { filter } => filter.as_ref(),
        _ => None,
    });
    for whole in query.items.iter().chain(filter).chain(later) {
        collect_vars(whole, used);
    }
    if query.items.len() == 1 {
        used.retain(|v| *v != last);
    }
}

fn collect_vars<'a>(e: &'a Expr, used: &mut Vec<&'a str>) {
    match e {
        Expr::Var(v) | Expr::Property(v, _) | Expr::HasLabel(v, _) => used.push(v),
        Expr::Exists(p) => used.push(&p.start.var),
        _ => e.children().into_iter().for_each(|c| collect_vars(c, used)),
    }
}

fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::And(a, b) => conjuncts(a).into_iter().chain(conjuncts(b)).collect(),
        other => vec![other],
    }
}

fn walk(path: &Path, used: &[&str], dialect: &GraphDialect) -> String {
    let name = |var: &str| if used.contains(&var) { format!(".as('{var}')") } else { String::new() };
    let mut text = format!(".V(){}{}", node(&path.start, dialect), name(&path.start.var));
    for (r, n) in &path.steps {
        let types: Vec<String> = r.types.iter().map(|t| quoted(t)).collect();
        let types = types.join(",");
        match r.length {
            Some((low, high)) => {
                let word = ["out", "in", "both"][r.direction as usize];
                let times = if low == high { "" } else { ".emit()" };
                text.push_str(&format!(".repeat({}{word}({types})){times}.times({high})", dialect.anonymous));
            }
            None => {
                let (edge, end) = [("outE", "inV()"), ("inE", "outV()"), ("bothE", "otherV()")][r.direction as usize];
                text.push_str(&format!(".{edge}({types}){}{}.{end}", has_all(&r.properties, dialect), name(&r.var)));
            }
        }
        text.push_str(&node(n, dialect));
        text.push_str(&name(&n.var));
    }
    text
}

fn node(node: &NodePattern, dialect: &GraphDialect) -> String {
    let labels: String = node.labels.iter().map(|l| format!(".hasLabel({})", quoted(l))).collect();
    labels + has_all(&node.properties, dialect).as_str()
}

fn has_all(all: &[(String, Literal)], dialect: &GraphDialect) -> String {
    all.iter().map(|(p, v)| format!(".has({},{})", quoted(p), literal(v, dialect))).collect()
}

/// A conjunct as a step of its own. What speaks of the current element needs no `filter` around it, and is what an
/// index can answer.
fn step(e: &Expr, current: &str, dialect: &GraphDialect) -> String {
    match e {
        Expr::Not(inner) => format!(".not({})", filter_of(inner, current, dialect)),
        other => match property_test(other, dialect) {
            Some((var, test)) if var == current => format!(".{test}"),
            _ => format!(".filter({})", filter_of(other, current, dialect)),
        },
    }
}

/// An anonymous traversal that has a result just where the expression is true.
fn filter_of(e: &Expr, current: &str, dialect: &GraphDialect) -> String {
    let of = |e: &Expr| filter_of(e, current, dialect);
    let start = dialect.anonymous;
    let at = |var: &str| if var == current { String::new() } else { format!("select('{var}').") };
    match e {
        Expr::Not(a) => format!("{start}not({})", of(a)),
        Expr::And(a, b) => format!("{start}and({},{})", of(a), of(b)),
        Expr::Or(a, b) => format!("{start}or({},{})", of(a), of(b)),
        Expr::Exists(p) => {
            let Some((r, n)) = p.steps.first() else { return format!("{start}identity()") };
            let word = ["out", "in", "both"][r.direction as usize];
            let types: Vec<String> = r.types.iter().map(|t| quoted(t)).collect();
            format!("{start}{}{word}({}){}", at(&p.start.var), types.join(","), node(n, dialect))
        }
        other => match property_test(other, dialect) {
            Some((var, test)) => format!("{start}{}{test}", at(var)),
            None => format!("{start}identity()"),
        },
    }
}

/// A test of one property: the variable, and the step.
fn property_test<'a>(e: &'a Expr, dialect: &GraphDialect) -> Option<(&'a str, String)> {
    match e {
        Expr::IsNull(a) => match &**a {
            Expr::Property(v, p) => Some((v, format!("hasNot({})", quoted(p)))),
            _ => None,
        },
        Expr::IsNotNull(a) => match &**a {
            Expr::Property(v, p) => Some((v, format!("has({})", quoted(p)))),
            _ => None,
        },
        Expr::HasLabel(v, l) => Some((v, format!("hasLabel({})", quoted(l)))),
        other => {
            let (var, property, test) = predicate(other, dialect)?;
            Some((var, format!("has({},{test})", quoted(property))))
        }
    }
}

/// A predicate (`P`) on a property.
fn predicate<'a>(e: &'a Expr, dialect: &GraphDialect) -> Option<(&'a str, &'a str, String)> {
    let of = |a: &'a Expr| match a {
        Expr::Property(v, p) => Some((v.as_str(), p.as_str())),
        _ => None,
    };
    let value = |e: &Expr| match e {
        Expr::Literal(l) => Some(literal(l, dialect)),
        _ => None,
    };
    Some(match e {
        Expr::Compare(how, a, b) => {
            let (v, p) = of(a)?;
            let word = ["eq", "neq", "lt", "lte", "gt", "gte"][*how as usize];
            (v, p, format!("P.{word}({})", value(b)?))
        }
        Expr::Test(how, a, b) => {
            let (v, p) = of(a)?;
            let word = match how {
                TextTest::StartsWith => "startingWith",
                TextTest::EndsWith => "endingWith",
                TextTest::Contains => "containing",
                TextTest::Matches => return None,
            };
            (v, p, format!("TextP.{word}({})", value(b)?))
        }
        Expr::In(a, members) => {
            let (v, p) = of(a)?;
            let members = members.iter().map(value).collect::<Option<Vec<_>>>()?;
            (v, p, format!("P.within({})", members.join(",")))
        }
        Expr::Between(range, a, low, high) => {
            let (v, p) = of(a)?;
            let word = ["inside", "outside", "between"][*range as usize];
            (v, p, format!("P.{word}({},{})", value(low)?, value(high)?))
        }
        Expr::PredicateNot(inner) => {
            let (v, p, test) = predicate(inner, dialect)?;
            (v, p, format!("P.not({test})"))
        }
        _ => return None,
    })
}

fn ending(query: &Query, last: &str, dialect: &GraphDialect) -> String {
    let dedup = if query.distinct { ".dedup()" } else { "" };
    let order = |by: &str| match query.order_by.first() {
        Some((_, true)) => format!(".order().by({by}Order.desc)"),
        Some(_) => format!(".order().by({by}Order.asc)"),
        None => String::new(),
    };
    match query.items.as_slice() {
        [Expr::Var(v)] if v == last => {
            let by = match query.order_by.first() {
                Some((Expr::Property(_, p), _)) => format!("{},", quoted(p)),
                _ => String::new(),
            };
            format!("{dedup}{}.{CONTENTS}", if by.is_empty() { String::new() } else { order(&by) })
        }
        [Expr::Property(v, p)] if v == last => format!(".values({}){dedup}{}", quoted(p), order("")),
        [Expr::Aggregate(Fold::Count, _, None)] => format!("{dedup}.count()"),
        [Expr::Aggregate(fold, _, Some(of))] => {
            let values = match &**of {
                Expr::Property(v, p) if v == last => format!(".values({})", quoted(p)),
                _ => String::new(),
            };
            format!("{values}.{}()", super::cypher::fold_name(*fold))
        }
        several => {
            let names: Vec<String> = several.iter().filter_map(var_of).map(quoted).collect();
            let by = |e: &Expr| match e {
                Expr::Property(_, p) => format!(".by({})", quoted(p)),
                _ => format!(".by({CONTENTS})"),
            };
            let bys: String = several.iter().map(by).collect();
            let _ = dialect;
            format!(".select({}){bys}{dedup}", names.join(","))
        }
    }
}

fn var_of(e: &Expr) -> Option<&str> {
    match e {
        Expr::Var(v) | Expr::Property(v, _) => Some(v),
        _ => None,
    }
}

fn set_all(all: &[(String, Literal)], dialect: &GraphDialect) -> String {
    all.iter().map(|(p, v)| format!(".property({},{})", quoted(p), literal(v, dialect))).collect()
}

fn found(of: &Existing) -> String {
    format!("g.{}().has('{KEY}',{})", if of.is_edge { "E" } else { "V" }, of.k)
}

pub fn statement(statement: &Statement, dialect: &GraphDialect) -> String {
    match statement {
        Statement::Create { nodes, edges } => create(nodes, edges, dialect),
        Statement::Connect { edge } => {
            let line = added_edge(edge, "a", None, dialect);
            format!("g.V().has('{KEY}',{}).as('a').V().has('{KEY}',{}){line}", edge.from, edge.to)
        }
        Statement::Set { of, property, value } => {
            format!("{}.property({},{})", found(of), quoted(property), literal(value, dialect))
        }
        Statement::Remove { of, property } => format!("{}.properties({}).drop()", found(of), quoted(property)),
        Statement::Delete { of, .. } => format!("{}.drop()", found(of)),
        _ => String::new(),
    }
}

fn key(k: i64, keyed: bool) -> String {
    if keyed { format!(".property('{KEY}',{k})") } else { String::new() }
}

/// Without a name for its end it ends where the traversal stands.
fn added_edge(edge: &Edge, from: &str, to: Option<&str>, dialect: &GraphDialect) -> String {
    let to = to.map(|name| format!(".to('{name}')")).unwrap_or_default();
    format!(
        ".addE({}).from('{from}'){to}{}{}",
        quoted(&edge.kind),
        key(edge.k, edge.keyed),
        set_all(&edge.properties, dialect)
    )
}

fn create(nodes: &[Node], edges: &[Edge], dialect: &GraphDialect) -> String {
    let mut text = String::from("g");
    for n in nodes {
        let label = n.labels.first().map(|l| quoted(l)).unwrap_or_default();
        let used = edges.iter().any(|e| e.from == n.k || e.to == n.k);
        let name = if used { format!(".as('n{}')", n.k) } else { String::new() };
        text.push_str(&format!(".addV({label}){}{}{name}", key(n.k, n.keyed), set_all(&n.properties, dialect)));
    }
    for e in edges {
        text.push_str(&added_edge(e, &format!("n{}", e.from), Some(&format!("n{}", e.to)), dialect));
    }
    text
}
