//! A total order of graph cases: statements weigh most, then clauses, nodes and relationships, then what stands in
//! them.

use crate::graph::ast::*;
use crate::graph::source::GraphSource;

pub fn of(source: &GraphSource) -> u64 {
    let q = &source.question;
    let statements: u64 = source.state.iter().chain(&q.changes).map(statement).sum();
    let predicate = q.predicate.as_ref().map_or(0, expr);
    let pins: u64 = q.pins.iter().map(|p| 100 + literal(&p.value)).sum();
    let rewrite = q.rewrite.as_ref().map_or(0, |r| r.at as u64);
    let form = match q.form.as_str() {
        // Two questions in place of four.
        "" | "union" => 0,
        "rows" => 50,
        "with" => 70,
        "has" => 80,
        "distinct" => 90,
        _ => 110,
    };
    statements + query(&q.query) + predicate + pins + rewrite + form + 150 * q.deleted.len() as u64
}

fn statement(s: &Statement) -> u64 {
    2_000
        + match s {
            Statement::Create { nodes, edges } => {
                nodes.iter().map(node).sum::<u64>() + edges.iter().map(edge).sum::<u64>()
            }
            Statement::Connect { edge: e } => 100 + edge(e),
            Statement::Merge { node: n } => 100 + node(n),
            Statement::Set { value, .. } => 60 + literal(value),
            Statement::NodeTable { columns, .. } => 10 * columns.len() as u64,
            Statement::EdgeTable { columns, pairs, .. } => 10 * columns.len() as u64 + 10 * pairs.len() as u64,
            _ => 50,
        }
}

fn node(n: &Node) -> u64 {
    200 + 15 * n.labels.len() as u64 + properties(&n.properties) + 5 * u64::from(n.keyed)
}

fn edge(e: &Edge) -> u64 {
    150 + properties(&e.properties) + 5 * u64::from(e.keyed)
}

fn properties(all: &[(String, Literal)]) -> u64 {
    all.iter().map(|(_, v)| 20 + literal(v)).sum()
}

pub fn literal(l: &Literal) -> u64 {
    match l {
        Literal::Null => 6,
        Literal::Bool(b) => u64::from(!*b),
        Literal::Int(i) => 1 + 2 * i.unsigned_abs().min(10) + u64::from(*i < 0) + 10 * u64::from(i.unsigned_abs() > 99),
        Literal::Float(f) => {
            4 + 2 * (f.abs().min(10.0) as u64)
                + u64::from(f.is_sign_negative())
                + 5 * u64::from(f.fract() != 0.0)
                + 10 * u64::from(f.abs() > 99.0)
        }
        Literal::Special(_) => 9,
        Literal::Text(t) => 2 * t.chars().count() as u64 + u64::from(t != "a" && !t.is_empty()),
        Literal::Date(_) | Literal::LocalTime(_) | Literal::Duration(_) => 12,
        Literal::Point(x, y) => 12 + x.abs() as u64 + y.abs() as u64,
        Literal::List(members) => 8 + members.iter().map(|m| 4 + literal(m)).sum::<u64>(),
    }
}

fn query(q: &Query) -> u64 {
    q.clauses.iter().map(clause).sum::<u64>()
        + q.items.iter().map(|e| 30 + expr(e)).sum::<u64>()
        + q.order_by.iter().map(|(e, _)| 30 + expr(e)).sum::<u64>()
        + 20 * u64::from(q.distinct)
}

fn clause(c: &Clause) -> u64 {
    match c {
        Clause::Match { optional, paths, filter } => {
            let filter = filter.as_ref().map_or(0, |f| 20 + expr(f));
            200 + 20 * u64::from(*optional) + filter + paths.iter().map(path).sum::<u64>()
        }
        Clause::With { filter } => 150 + filter.as_ref().map_or(0, |f| 20 + expr(f)),
        Clause::Unwind { list, .. } => 150 + 10 * list.len() as u64,
        Clause::Call { clauses } => 150 + clauses.iter().map(clause).sum::<u64>(),
    }
}

fn path(p: &Path) -> u64 {
    let nodes: u64 = p.nodes().map(|n| 15 * n.labels.len() as u64 + properties(&n.properties)).sum();
    let step = |r: &RelPattern| {
        let direction = match r.direction {
            Direction::Out => 0,
            Direction::In => 3,
            Direction::Both => 6,
        };
        let length = r.length.map_or(0, |(low, high)| 10 + u64::from(low + high));
        100 + 12 * r.types.len() as u64 + direction + length + properties(&r.properties)
    };
    60 + nodes + p.relationships().map(step).sum::<u64>()
}

fn expr(e: &Expr) -> u64 {
    let own = match e {
        Expr::Literal(l) => 4 + literal(l),
        Expr::Var(_) => 6,
        Expr::Property(_, p) if p == KEY => 11,
        Expr::Property(..) => 10,
        Expr::Compare(how, ..) => 12 + *how as u64,
        Expr::Exists(p) | Expr::PathCount(p) => 20 + path(p),
        Expr::Call(..) | Expr::Arithmetic(..) | Expr::Concat(..) | Expr::Xor(..) => 16,
        Expr::Test(..) => 18,
        Expr::Or(..) => 15,
        Expr::Case(..) | Expr::Quantified(..) => 24,
        Expr::Aggregate(..) => 8,
        _ => 14,
    };
    own + e.children().into_iter().map(expr).sum::<u64>()
}
