//! Which features a graph case uses, for fingerprints and titles.

use super::ast::*;
use super::check;
use super::rewrite;
use super::source::GraphSource;
use std::collections::BTreeSet;

pub fn features(source: &GraphSource) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let q = &source.question;
    clauses(&q.query.clauses, &mut found);
    for statement in source.state.iter().chain(&q.changes) {
        let word = match statement {
            Statement::CreateIndex { spec, .. } if spec == "index" => Some("property index".into()),
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
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    for e in check::expressions(&q.query).into_iter().chain(&q.predicate) {
        e.each(&mut |e| {
            found.extend(expression(e));
            match e {
                Expr::Property(_, p) if p != KEY => kinds.extend(held(source, p)),
                Expr::Literal(l) => special(l, &mut found),
                _ => {}
            }
            found.extend(is_bare_truth(e).then(|| "bare boolean".to_string()));
        });
    }
    if !q.pins.is_empty() {
        found.insert("=".into());
        q.pins.iter().for_each(|p| kinds.extend(held(source, &p.property)));
    }
    found.extend(q.knob.clone());
    let rules = q.rewrite.iter().map(|r| r.rule.clone()).collect();
    distinctive(found, kinds, rules)
}

/// What nearly every predicate has, and what is there because of how an oracle asks.
const CHANCE: &[&str] = &["AND", "OR", "NOT", "IS NULL", "WITH", "relationship", "several paths", "DROP INDEX"];
/// How a predicate compares. An index may be wrong about one of these alone, and about one kind of values; elsewhere
/// both are chance.
const COMPARISONS: &[&str] = &["=", "<>", "order"];

/// Without the everyday features, as long as something is left: the same list predicate is one bug, whatever else the
/// condition around it says, and whichever rule of an oracle's showed it.
fn distinctive(mut found: BTreeSet<String>, kinds: BTreeSet<String>, rules: BTreeSet<String>) -> BTreeSet<String> {
    let indexed = found.iter().any(|f| f.ends_with(" index"));
    let is_chance = |f: &str| CHANCE.contains(&f) || !indexed && COMPARISONS.contains(&f);
    let mut kept: BTreeSet<String> = found.iter().filter(|f| !is_chance(f)).cloned().collect();
    if kept.is_empty() {
        found.extend(kinds);
        found.extend(rules);
        return found;
    }
    if indexed {
        kept.extend(kinds);
    }
    kept
}

/// What nearly every case has, or has by chance: kinds of values, plain logic, and ways of looking at a pattern. Weighs
/// less when two cases are compared.
pub fn is_everyday(feature: &str) -> bool {
    const EVERYDAY: &[&str] =
        &["=", "<>", "order", "AND", "NOT", "count", "sum", "relationship", "no direction", "several paths"];
    let kind = |k: &str| KINDS.iter().any(|(name, _)| *name == k);
    EVERYDAY.contains(&feature) || kind(feature) || rewrite::RULES.iter().any(|r| r.name == feature)
}

type IsKind = fn(&Literal) -> bool;

const KINDS: &[(&str, IsKind)] = &[
    ("bool", |l| matches!(l, Literal::Bool(_))),
    ("int", |l| matches!(l, Literal::Int(_))),
    ("float", |l| matches!(l, Literal::Float(_) | Literal::Special(_))),
    ("text", |l| matches!(l, Literal::Text(_))),
    ("date", |l| matches!(l, Literal::Date(_))),
    ("localtime", |l| matches!(l, Literal::LocalTime(_))),
    ("duration", |l| matches!(l, Literal::Duration(_))),
    ("point", |l| matches!(l, Literal::Point(..))),
    ("list", |l| matches!(l, Literal::List(_))),
];

/// The kinds that the state has under this name. Those that it might have had were dice.
fn held(source: &GraphSource, property: &str) -> Vec<String> {
    let stored: Vec<&Literal> =
        source.state.iter().flat_map(check::stored).filter(|(p, _)| *p == property).map(|(_, v)| v).collect();
    let there = KINDS.iter().filter(|(_, is)| stored.iter().any(|l| is(l)));
    let mut kinds: Vec<String> = there.map(|(name, _)| name.to_string()).collect();
    if kinds.len() > 1 {
        kinds.push("mixed kinds".into());
    }
    kinds
}

/// A property that is itself a truth value, where logic wants one.
fn is_bare_truth(e: &Expr) -> bool {
    let bare = |e: &Expr| matches!(e, Expr::Property(..));
    match e {
        Expr::And(a, b) | Expr::Or(a, b) | Expr::Xor(a, b) => bare(a) || bare(b),
        Expr::Not(a) => bare(a),
        _ => false,
    }
}

fn special(literal: &Literal, found: &mut BTreeSet<String>) {
    match literal {
        Literal::Special(s) => {
            found.insert(if *s == Special::Nan { "NaN" } else { "infinity" }.into());
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
        Expr::Aggregate(Fold::Min | Fold::Max, ..) => "min or max".into(),
        Expr::Aggregate(fold, ..) => format!("{fold:?}").to_lowercase(),
        Expr::Literal(_) | Expr::Var(_) | Expr::Property(..) | Expr::Properties(_) => return None,
        Expr::Identity(_) | Expr::TypeOf(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|w| (*w).to_string()).collect()
    }

    #[test]
    fn distinctive_features_of_a_bug_stay() {
        let of = |found: &[&str], kinds: &[&str], rules: &[&str]| distinctive(set(found), set(kinds), set(rules));
        // Each of these was a finding of its own, of one bug of FalkorDB's.
        let one = of(&["=", "AND", "list predicate", "order", "relationship"], &["bool or point", "int"], &[]);
        let other = of(&["<>", "list predicate"], &["int"], &["filter to with"]);
        assert_eq!((one, other), (set(&["list predicate"]), set(&["list predicate"])));
        // An index may lose blanks for = and the empty text for <.
        let blanks = of(&["=", "DROP INDEX", "WITH", "range index"], &["text"], &[]);
        assert_eq!(blanks, set(&["=", "range index", "text"]));
        let plain = of(&["=", "NOT"], &["int"], &["mirror"]);
        assert_eq!(plain, set(&["=", "NOT", "int", "mirror"]));
    }
}
