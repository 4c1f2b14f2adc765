//! Gremlin, as the text of a traversal that the server's script engine (or an engine's own parser) reads.
//!
//! A query is one path. Its filter stands behind the path; what it says of an earlier element is asked with `select`.
//! Without NULL there is no `IS NULL` of a predicate: `Not` is the step `not(…)`, the exact complement of a filter.

use super::{literal, quoted};
use crate::graph::ast::*;
use crate::graph::check::steps;
use qualm_core::dialect::graph::GraphDialect;

/// How an element is given back: with its id, its label and all its properties.
const CONTENTS: &str = "elementMap()";

pub fn query(query: &Query, dialect: &GraphDialect) -> String {
    let Some(Clause::Match { paths, filter, .. }) = query.clauses.first() else { return String::new() };
    let Some(path) = paths.first() else { return String::new() };
    let mut used: Vec<&str> = Vec::new();
    note_uses(query, &mut used);
    let last = steps::end(query).unwrap_or_default();
    if query.items.len() == 1 {
        used.retain(|v| *v != last);
    }
    let mut text = String::from("g");
    text.push_str(&walk(path, &used, last, dialect));
    for conjunct in filter.iter().flat_map(conjuncts) {
        text.push_str(&step(conjunct, last, dialect));
    }
    for clause in &query.clauses[1..] {
        if let Clause::With { filter: Some(f) } = clause {
            text.push_str(&format!(".filter({})", filter_of(f, last, dialect)));
        }
    }
    text.push_str(&ending(query, last));
    text
}

/// Variables that something refers to: they need a name, unless the traversal stands there.
fn note_uses<'a>(query: &'a Query, used: &mut Vec<&'a str>) {
    for whole in crate::graph::check::expressions(query) {
        collect_vars(whole, used);
    }
}

fn collect_vars<'a>(e: &'a Expr, used: &mut Vec<&'a str>) {
    used.extend(e.variable());
    e.children().into_iter().for_each(|c| collect_vars(c, used));
}

fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::And(a, b) => conjuncts(a).into_iter().chain(conjuncts(b)).collect(),
        other => vec![other],
    }
}

fn walk(path: &Path, used: &[&str], last: &str, dialect: &GraphDialect) -> String {
    let name = |var: &str| if used.contains(&var) { format!(".as('{var}')") } else { String::new() };
    if let [(r, _)] = path.steps.as_slice()
        && r.var == last
        && r.direction == Direction::Out
        && steps::is_plain(&path.start)
        && !used.contains(&path.start.var.as_str())
    {
        let types = if r.types.is_empty() { String::new() } else { format!(".hasLabel({})", list(&r.types)) };
        return format!(".E(){types}{}{}", has_all(&r.properties, dialect), name(&r.var));
    }
    let mut text = format!(".V(){}{}", node(&path.start, dialect), name(&path.start.var));
    for (r, n) in &path.steps {
        let (types, way) = (list(&r.types), r.direction as usize);
        let word = ["out", "in", "both"][way];
        match r.length {
            Some((low, high)) => {
                let times = if low == high { "" } else { ".emit()" };
                text.push_str(&format!(".repeat({}{word}({types})){times}.times({high})", dialect.anonymous));
            }
            None if r.properties.is_empty() && r.var != last && !used.contains(&r.var.as_str()) => {
                text.push_str(&format!(".{word}({types})"));
            }
            None => {
                text.push_str(&format!(".{word}E({types}){}{}", has_all(&r.properties, dialect), name(&r.var)));
                if r.var == last {
                    break;
                }
                text.push_str([".inV()", ".outV()", ".otherV()"][way]);
            }
        }
        text.push_str(&node(n, dialect));
        text.push_str(&name(&n.var));
    }
    text
}

fn list(texts: &[String]) -> String {
    texts.iter().map(|t| quoted(t)).collect::<Vec<_>>().join(",")
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
    let of = |e: &Expr| filter_of(e, current, dialect);
    match e {
        Expr::Not(inner) => format!(".not({})", of(inner)),
        Expr::Or(a, b) => format!(".or({},{})", of(a), of(b)),
        Expr::Exists(_) => format!(".where({})", of(e)),
        other => match property_test(other, dialect) {
            Some((var, test)) if var == current => format!(".{test}"),
            _ => format!(".filter({})", of(other)),
        },
    }
}

/// An anonymous traversal that has a result just where the expression is true.
fn filter_of(e: &Expr, current: &str, dialect: &GraphDialect) -> String {
    let of = |e: &Expr| filter_of(e, current, dialect);
    let start = dialect.anonymous;
    let at = |var: &str| if var == current { String::new() } else { format!("select('{var}').") };
    let hop = |p: &Path| {
        let Some((r, n)) = p.steps.first() else { return "identity()".into() };
        let word = ["out", "in", "both"][r.direction as usize];
        format!("{}{word}({}){}", at(&p.start.var), list(&r.types), node(n, dialect))
    };
    match e {
        Expr::Not(a) => format!("{start}not({})", of(a)),
        Expr::And(a, b) => format!("{start}and({},{})", of(a), of(b)),
        Expr::Or(a, b) => format!("{start}or({},{})", of(a), of(b)),
        Expr::Exists(p) => format!("{start}{}", hop(p)),
        Expr::Compare(how, a, b) if matches!(**a, Expr::PathCount(_)) => match (&**a, value(b, dialect)) {
            (Expr::PathCount(p), Some(than)) => {
                format!("{start}{}.count().is({}{}({than}))", hop(p), class("P.", dialect), comparison(*how))
            }
            _ => format!("{start}identity()"),
        },
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

/// The class that a predicate's word belongs to, where the dialect wants it named.
fn class(name: &'static str, dialect: &GraphDialect) -> &'static str {
    if dialect.anonymous.is_empty() { "" } else { name }
}

fn comparison(how: Comparison) -> &'static str {
    ["eq", "neq", "lt", "lte", "gt", "gte"][how as usize]
}

fn value(e: &Expr, dialect: &GraphDialect) -> Option<String> {
    match e {
        Expr::Literal(l) => Some(literal(l, dialect)),
        _ => None,
    }
}

fn property_of(e: &Expr) -> Option<(&str, &str)> {
    match e {
        Expr::Property(v, p) => Some((v, p)),
        _ => None,
    }
}

/// A predicate (`P`) on a property.
fn predicate<'a>(e: &'a Expr, dialect: &GraphDialect) -> Option<(&'a str, &'a str, String)> {
    let of = class("P.", dialect);
    let value = |e: &Expr| value(e, dialect);
    Some(match e {
        Expr::Compare(how, a, b) => {
            let (v, p) = property_of(a)?;
            (v, p, format!("{of}{}({})", comparison(*how), value(b)?))
        }
        Expr::Test(..) => text_test(e, false, dialect)?,
        Expr::In(a, members) => {
            let (v, p) = property_of(a)?;
            let members = members.iter().map(value).collect::<Option<Vec<_>>>()?;
            (v, p, format!("{of}within({})", members.join(",")))
        }
        Expr::Between(range, a, low, high) => {
            let (v, p) = property_of(a)?;
            let word = ["inside", "outside", "between"][*range as usize];
            (v, p, format!("{of}{word}({},{})", value(low)?, value(high)?))
        }
        Expr::PredicateNot(inner) => match &**inner {
            Expr::In(a, members) => {
                let (v, p) = property_of(a)?;
                let members = members.iter().map(value).collect::<Option<Vec<_>>>()?;
                (v, p, format!("{of}without({})", members.join(",")))
            }
            Expr::Test(..) => text_test(inner, true, dialect)?,
            other => {
                let (v, p, test) = predicate(other, dialect)?;
                (v, p, format!("P.not({test})"))
            }
        },
        Expr::PredicateAnd(a, b) => both(a, "and", b, dialect)?,
        Expr::PredicateOr(a, b) => both(a, "or", b, dialect)?,
        _ => return None,
    })
}

/// Two predicates of one property as one.
fn both<'a>(a: &'a Expr, word: &str, b: &'a Expr, dialect: &GraphDialect) -> Option<(&'a str, &'a str, String)> {
    let (v, p, left) = predicate(a, dialect)?;
    let (w, q, right) = predicate(b, dialect)?;
    (v == w && p == q).then(|| (v, p, format!("{left}.{word}({right})")))
}

fn text_test<'a>(e: &'a Expr, not: bool, dialect: &GraphDialect) -> Option<(&'a str, &'a str, String)> {
    let Expr::Test(how, a, b) = e else { return None };
    let words = match how {
        TextTest::StartsWith => ["startingWith", "notStartingWith"],
        TextTest::EndsWith => ["endingWith", "notEndingWith"],
        TextTest::Contains => ["containing", "notContaining"],
        TextTest::Matches => return None,
    };
    let (v, p) = property_of(a)?;
    Some((v, p, format!("{}{}({})", class("TextP.", dialect), words[usize::from(not)], value(b, dialect)?)))
}

/// Elements are put in order by their key, because an element without the property would be an error.
fn ending(query: &Query, last: &str) -> String {
    let dedup = if query.distinct { ".dedup()" } else { "" };
    let (by_key, by_value) = match query.order_by.first() {
        None => (String::new(), String::new()),
        Some((_, down)) => {
            let way = if *down { "desc" } else { "asc" };
            (format!(".order().by('{KEY}',{way})"), format!(".order().by({way})"))
        }
    };
    match query.items.as_slice() {
        [Expr::Var(v)] if v == last => format!("{dedup}{by_key}.{CONTENTS}"),
        [Expr::Property(v, p)] if v == last => format!(".values({}){dedup}{by_value}", quoted(p)),
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
            let by = format!(".by({CONTENTS})").repeat(names.len());
            format!("{by_key}.select({}){by}{dedup}", names.join(","))
        }
    }
}

fn var_of(e: &Expr) -> Option<&str> {
    match e {
        Expr::Var(v) => Some(v),
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
