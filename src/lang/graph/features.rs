//! Which features a graph case uses, for fingerprints and titles.

use super::ast::*;
use super::check;
use super::source::GraphSource;
use std::collections::BTreeSet;

pub fn features(source: &GraphSource) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let q = &source.question;
    clauses(&q.query.clauses, &mut found);
    for statement in source.state.iter().chain(&q.changes) {
        let word = match statement {
            Statement::CreateIndex { spec, .. } => Some(format!("{spec} index")),
            Statement::DropIndex { .. } => Some("DROP INDEX".into()),
            Statement::Merge { .. } => Some("MERGE".into()),
            Statement::Remove { .. } => Some("REMOVE".into()),
            Statement::Set { .. } => Some("SET".into()),
            Statement::Delete { .. } => Some("DELETE".into()),
            _ => None,
        };
        found.extend(word);
        check::stored(statement).iter().for_each(|(_, v)| special(v, &mut found));
    }
    if q.query.distinct {
        found.insert("DISTINCT".into());
    }
    let known = |p: &str| source.model.kinds(p).iter().map(|k| format!("{k:?}").to_lowercase()).collect::<Vec<_>>();
    for e in check::expressions(&q.query).into_iter().chain(&q.predicate) {
        e.each(&mut |e| {
            found.extend(expression(e));
            match e {
                Expr::Property(_, p) if p != KEY => found.extend(Some(known(p).join(" or "))),
                Expr::Literal(l) => special(l, &mut found),
                _ => {}
            }
        });
    }
    if !q.pins.is_empty() {
        found.insert("=".into());
        q.pins.iter().for_each(|p| found.extend(Some(known(&p.property).join(" or "))));
    }
    found.extend(q.rewrite.iter().map(|r| r.rule.clone()));
    found.extend(q.knob.clone());
    found.remove("");
    found
}

fn special(literal: &Literal, found: &mut BTreeSet<String>) {
    match literal {
        Literal::Special(s) => {
            found.insert(format!("{s:?}"));
        }
        Literal::Float(f) if *f == 0.0 && f.is_sign_negative() => {
            found.insert("-0.0".into());
        }
        Literal::List(members) => members.iter().for_each(|m| special(m, found)),
        _ => {}
    }
}

fn clauses(all: &[Clause], found: &mut BTreeSet<String>) {
    let mut add = |word: &str| {
        found.insert(word.to_owned());
    };
    for clause in all {
        match clause {
            Clause::Match { optional: true, .. } => add("OPTIONAL MATCH"),
            Clause::With { .. } => add("WITH"),
            Clause::Unwind { .. } => add("UNWIND"),
            Clause::Call { .. } => add("CALL"),
            Clause::Match { .. } => {}
        }
    }
    let paths: Vec<&Path> = all.iter().flat_map(check::paths).collect();
    if paths.len() > 1 {
        add("several paths");
    }
    for r in paths.iter().flat_map(|p| p.relationships()) {
        add("relationship");
        if r.length.is_some() {
            add("variable length");
        }
        if r.direction == Direction::Both {
            add("no direction");
        }
    }
    if paths
        .iter()
        .any(|p| p.nodes().any(|n| !n.properties.is_empty()) || p.relationships().any(|r| !r.properties.is_empty()))
    {
        add("property map");
    }
}

fn expression(e: &Expr) -> Option<String> {
    Some(match e {
        Expr::Not(_) | Expr::PredicateNot(_) => "NOT".into(),
        Expr::Xor(..) => "XOR".into(),
        Expr::And(..) | Expr::PredicateAnd(..) => "AND".into(),
        Expr::Or(..) | Expr::PredicateOr(..) => "OR".into(),
        Expr::IsNull(_) | Expr::IsNotNull(_) => "IS NULL".into(),
        Expr::Compare(Comparison::Equal, ..) => "=".into(),
        Expr::Compare(Comparison::NotEqual, ..) => "<>".into(),
        Expr::Compare(..) => "order".into(),
        Expr::Arithmetic(..) => "arithmetic".into(),
        Expr::Concat(..) => "concatenation".into(),
        Expr::Test(TextTest::Matches, ..) => "regex".into(),
        Expr::Test(..) => "text predicate".into(),
        Expr::In(..) => "IN".into(),
        Expr::Between(..) => "range".into(),
        Expr::Call(name, _) => format!("{name}()"),
        Expr::Case(..) => "CASE".into(),
        Expr::Quantified(..) => "list predicate".into(),
        Expr::HasLabel(..) => "label predicate".into(),
        Expr::Exists(_) => "pattern predicate".into(),
        Expr::PathCount(_) => "COUNT {}".into(),
        Expr::Aggregate(fold, ..) => format!("{fold:?}").to_lowercase(),
        _ => return None,
    })
}
