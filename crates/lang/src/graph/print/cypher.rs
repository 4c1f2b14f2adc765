//! Cypher.

use super::literal;
use crate::graph::ast::*;
use qualm_core::dialect::graph::{Feature, GraphDialect, SchemaRule};

pub fn query(query: &Query, dialect: &GraphDialect) -> String {
    let mut text: String = query.clauses.iter().map(|c| clause(c, dialect) + " ").collect();
    text.push_str("RETURN ");
    if query.distinct {
        text.push_str("DISTINCT ");
    }
    // Names for columns, because some engines want them different, and expressions may be equal.
    let named = |(i, item): (usize, &Expr)| format!("{} AS c{i}", expr(item, dialect));
    text.push_str(&query.items.iter().enumerate().map(named).collect::<Vec<_>>().join(", "));
    if !query.order_by.is_empty() {
        let key = |(e, down): &(Expr, bool)| expr(e, dialect) + if *down { " DESC" } else { "" };
        text.push_str(" ORDER BY ");
        text.push_str(&query.order_by.iter().map(key).collect::<Vec<_>>().join(", "));
    }
    text
}

fn clause(clause: &Clause, dialect: &GraphDialect) -> String {
    let filtered = |mut text: String, filter: &Option<Expr>| {
        if let Some(f) = filter {
            text.push_str(" WHERE ");
            text.push_str(&expr(f, dialect));
        }
        text
    };
    match clause {
        Clause::Match { optional, paths, filter } => {
            let paths: Vec<String> = paths.iter().map(|p| path(p, dialect)).collect();
            let word = if *optional { "OPTIONAL MATCH" } else { "MATCH" };
            filtered(format!("{word} {}", paths.join(", ")), filter)
        }
        Clause::With { filter } => filtered("WITH *".into(), filter),
        Clause::Unwind { list, var } => {
            format!("UNWIND {} AS {var}", literal(&Literal::List(list.clone()), dialect))
        }
        Clause::Call { clauses } => {
            let inner: Vec<String> = clauses.iter().map(|c| self::clause(c, dialect)).collect();
            let vars = crate::graph::check::variables(clauses);
            format!("CALL {{ {} RETURN {} }}", inner.join(" "), vars.join(", "))
        }
    }
}

fn properties(all: &[(String, Literal)], dialect: &GraphDialect) -> String {
    if all.is_empty() {
        return String::new();
    }
    let one = |(name, value): &(String, Literal)| format!("{name}: {}", literal(value, dialect));
    format!("{{{}}}", all.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn labels(all: &[String]) -> String {
    all.iter().map(|l| format!(":{l}")).collect()
}

fn spaced(head: String, tail: String) -> String {
    if tail.is_empty() || head.is_empty() { head + tail.as_str() } else { format!("{head} {tail}") }
}

pub fn path(path: &Path, dialect: &GraphDialect) -> String {
    let mut text = node(&path.start, dialect);
    for (r, n) in &path.steps {
        text.push_str(&relationship(r, dialect));
        text.push_str(&node(n, dialect));
    }
    text
}

fn node(node: &NodePattern, dialect: &GraphDialect) -> String {
    let head = format!("{}{}", node.var, labels(&node.labels));
    format!("({})", spaced(head, properties(&node.properties, dialect)))
}

fn relationship(r: &RelPattern, dialect: &GraphDialect) -> String {
    let types = if r.types.is_empty() { String::new() } else { format!(":{}", r.types.join("|")) };
    let length = match r.length {
        Some((low, high)) if low == high => format!("*{low}"),
        Some((low, high)) => format!("*{low}..{high}"),
        None => String::new(),
    };
    let inner = spaced(format!("{}{types}{length}", r.var), properties(&r.properties, dialect));
    match r.direction {
        Direction::Out => format!("-[{inner}]->"),
        Direction::In => format!("<-[{inner}]-"),
        Direction::Both => format!("-[{inner}]-"),
    }
}

/// Operands stand in brackets unless they are plainly one thing: no engine's precedence is relied on.
fn operand(e: &Expr, dialect: &GraphDialect) -> String {
    let text = expr(e, dialect);
    let plain = match e {
        Expr::Literal(Literal::Int(i)) => *i >= 0,
        Expr::Literal(Literal::Float(f)) => f.is_sign_positive(),
        Expr::Literal(_)
        | Expr::Var(_)
        | Expr::Property(..)
        | Expr::Properties(_)
        | Expr::Identity(_)
        | Expr::TypeOf(_)
        | Expr::Call(..)
        | Expr::Aggregate(..)
        | Expr::PathCount(_)
        | Expr::Quantified(..) => true,
        _ => false,
    };
    if plain { text } else { format!("({text})") }
}

pub fn expr(e: &Expr, dialect: &GraphDialect) -> String {
    let op = |e: &Expr| operand(e, dialect);
    let list = |all: &[Expr]| all.iter().map(|e| expr(e, dialect)).collect::<Vec<_>>().join(", ");
    match e {
        Expr::Literal(l) => literal(l, dialect),
        Expr::Var(v) => v.clone(),
        Expr::Property(v, p) => format!("{v}.{p}"),
        Expr::Properties(v) => format!("properties({v})"),
        Expr::Identity(v) => dialect.identity.replace("{}", v),
        Expr::TypeOf(v) => format!("type({v})"),
        Expr::Not(a) | Expr::PredicateNot(a) => format!("NOT {}", op(a)),
        Expr::And(a, b) | Expr::PredicateAnd(a, b) => format!("{} AND {}", op(a), op(b)),
        Expr::Or(a, b) | Expr::PredicateOr(a, b) => format!("{} OR {}", op(a), op(b)),
        Expr::Xor(a, b) => format!("{} XOR {}", op(a), op(b)),
        Expr::IsNull(a) => format!("{} IS NULL", op(a)),
        Expr::IsNotNull(a) => format!("{} IS NOT NULL", op(a)),
        Expr::Compare(how, a, b) => format!("{} {} {}", op(a), comparison(*how), op(b)),
        Expr::Arithmetic(how, a, b) => format!("{} {} {}", op(a), operator(*how), op(b)),
        Expr::Concat(a, b) => format!("{} + {}", op(a), op(b)),
        Expr::Test(how, a, b) => format!("{} {} {}", op(a), test(*how), op(b)),
        Expr::In(a, members) => format!("{} IN [{}]", op(a), list(members)),
        Expr::Between(range, a, low, high) => between(*range, &op(a), &op(low), &op(high)),
        Expr::Call(name, args) => format!("{name}({})", list(args)),
        Expr::Case(arms, otherwise) => {
            let arm = |(c, v): &(Expr, Expr)| format!("WHEN {} THEN {}", expr(c, dialect), expr(v, dialect));
            let arms: Vec<String> = arms.iter().map(arm).collect();
            format!("CASE {} ELSE {} END", arms.join(" "), expr(otherwise, dialect))
        }
        Expr::Quantified(how, var, of, condition) => {
            let word = match how {
                Quantifier::Any => "any",
                Quantifier::All => "all",
                Quantifier::None => "none",
                Quantifier::Single => "single",
            };
            format!("{word}({var} IN {} WHERE {})", expr(of, dialect), expr(condition, dialect))
        }
        Expr::HasLabel(v, l) => format!("{v}:{l}"),
        Expr::Exists(p) if dialect.has(Feature::ExistsSubquery) => format!("EXISTS {{ MATCH {} }}", path(p, dialect)),
        Expr::Exists(p) => path(p, dialect),
        Expr::PathCount(p) => format!("COUNT {{ MATCH {} }}", path(p, dialect)),
        Expr::Aggregate(fold, distinct, of) => {
            let distinct = if *distinct { "DISTINCT " } else { "" };
            let of = of.as_ref().map_or_else(|| "*".into(), |e| expr(e, dialect));
            format!("{}({distinct}{of})", fold_name(*fold))
        }
    }
}

fn between(range: Range, a: &str, low: &str, high: &str) -> String {
    match range {
        Range::Inside => format!("{a} > {low} AND {a} < {high}"),
        Range::Outside => format!("{a} < {low} OR {a} > {high}"),
        Range::Between => format!("{a} >= {low} AND {a} < {high}"),
    }
}

pub fn fold_name(fold: Fold) -> &'static str {
    match fold {
        Fold::Count => "count",
        Fold::Sum => "sum",
        Fold::Min => "min",
        Fold::Max => "max",
    }
}

fn comparison(how: Comparison) -> &'static str {
    match how {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

fn operator(how: Operator) -> &'static str {
    match how {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::Power => "^",
    }
}

fn test(how: TextTest) -> &'static str {
    match how {
        TextTest::StartsWith => "STARTS WITH",
        TextTest::EndsWith => "ENDS WITH",
        TextTest::Contains => "CONTAINS",
        TextTest::Matches => "=~",
    }
}

fn keyed(k: i64, keyed: bool, rest: &[(String, Literal)]) -> Vec<(String, Literal)> {
    let key = keyed.then(|| (KEY.to_owned(), Literal::Int(k)));
    key.into_iter().chain(rest.iter().cloned()).collect()
}

/// `(n:L {k: 3})` or `()-[n:T {k: 3}]->()`. The class is named where a schema wants to know the table.
fn existing(of: &Existing, dialect: &GraphDialect) -> String {
    let typed = matches!(dialect.schema, SchemaRule::Typed { .. });
    let class = of.class.iter().filter(|_| typed || of.is_edge).map(|c| format!(":{c}")).collect::<String>();
    let inner = format!("n{class} {{{KEY}: {}}}", of.k);
    if of.is_edge { format!("()-[{inner}]->()") } else { format!("({inner})") }
}

fn created_edge(edge: &Edge, dialect: &GraphDialect) -> String {
    let head = format!(":{}", edge.kind);
    format!("-[{}]->", spaced(head, properties(&keyed(edge.k, edge.keyed, &edge.properties), dialect)))
}

pub fn statement(statement: &Statement, dialect: &GraphDialect) -> String {
    let found = |of: &Existing| existing(of, dialect);
    match statement {
        Statement::Create { nodes, edges } => create(nodes, edges, dialect),
        Statement::Connect { edge } => {
            let typed = matches!(dialect.schema, SchemaRule::Typed { .. });
            let end = |var: &str, label: &str, k: i64| {
                let label = if typed { format!(":{label}") } else { String::new() };
                format!("({var}{label} {{{KEY}: {k}}})")
            };
            let (a, b) = (end("a", &edge.from_label, edge.from), end("b", &edge.to_label, edge.to));
            format!("MATCH {a}, {b} CREATE (a){}(b)", created_edge(edge, dialect))
        }
        Statement::Merge { node } => {
            let set = node.properties.iter().map(|(p, v)| format!("n.{p} = {}", literal(v, dialect)));
            let set: Vec<String> = set.collect();
            let set = if set.is_empty() { String::new() } else { format!(" SET {}", set.join(", ")) };
            format!("MERGE (n{} {{{KEY}: {}}}){set}", labels(&node.labels), node.k)
        }
        Statement::Set { of, property, value } => {
            format!("MATCH {} SET n.{property} = {}", found(of), literal(value, dialect))
        }
        Statement::Remove { of, property } if dialect.has(Feature::Remove) => {
            format!("MATCH {} REMOVE n.{property}", found(of))
        }
        Statement::Remove { of, property } => format!("MATCH {} SET n.{property} = null", found(of)),
        Statement::SetLabel { of, label } => format!("MATCH {} SET n:{label}", found(of)),
        Statement::RemoveLabel { of, label } => format!("MATCH {} REMOVE n:{label}", found(of)),
        Statement::Delete { of, detach } => {
            let word = if *detach && !of.is_edge { "DETACH DELETE" } else { "DELETE" };
            format!("MATCH {} {word} n", found(of))
        }
        _ => String::new(),
    }
}

/// One statement for a whole graph: nodes are written where they are first met.
fn create(nodes: &[Node], edges: &[Edge], dialect: &GraphDialect) -> String {
    let mut written: Vec<i64> = Vec::new();
    let mut end = |k: i64| {
        let shared = edges.iter().map(|e| usize::from(e.from == k) + usize::from(e.to == k)).sum::<usize>() > 1;
        let var = if shared { format!("n{k}") } else { String::new() };
        match nodes.iter().find(|n| n.k == k) {
            Some(node) if !written.contains(&k) => {
                written.push(k);
                let head = format!("{var}{}", labels(&node.labels));
                format!("({})", spaced(head, properties(&keyed(k, node.keyed, &node.properties), dialect)))
            }
            _ => format!("(n{k})"),
        }
    };
    let mut parts: Vec<String> = Vec::new();
    for edge in edges {
        let from = end(edge.from);
        parts.push(format!("{from}{}{}", created_edge(edge, dialect), end(edge.to)));
    }
    let alone: Vec<String> =
        nodes.iter().filter(|n| edges.iter().all(|e| e.from != n.k && e.to != n.k)).map(|n| end(n.k)).collect();
    parts.extend(alone);
    format!("CREATE {}", parts.join(", "))
}
