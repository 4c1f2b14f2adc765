//! Every function, operator and cast of a dialect over values at the edges of their kinds, in the evaluator and in the
//! real engine. Random expressions seldom meet such values, and a function that was added to a dialect is met here on
//! the day it is added.

use super::{Data, Evaluator, constants, questions};
use crate::oracle::pqs;
use crate::sql::ast::*;
use crate::sql::print;
use crate::sql::typing::{self, Schema};
use qualm_core::dialect::sql::{Dialect, Kind, Param};
use qualm_core::relation::{Equality, same_value};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::Value;

/// Blanks of several kinds, letters of one to four bytes, a letter of two characters, what looks like a number or is
/// special in patterns, and what some engines cut off or fold.
const TEXTS: &[&str] = &[
    "",
    "a",
    " ",
    " a ",
    "A",
    "ab",
    "aab",
    "é",
    "%",
    "\\",
    "a_b",
    "\u{1F980}b",
    "e\u{301}x",
    "ß",
    "\t",
    "a\n",
    "\u{a0}",
    "\u{3000}a",
    "0",
    "-1.50",
    "1e1",
    "0x10",
    "nan",
    "true",
    "İ",
    "it's",
];
const INTS: &[i64] =
    &[0, 1, -1, 2, 3, -7, 10, 64, 1000, -1000, 32767, -32768, 2147483647, -2147483648, i64::MAX, i64::MIN];
const SMALL_INTS: &[i64] = &[0, 1, -1, 2, 3, -3, 99];
const REALS: &[f64] = &[0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 1e15, 1e-7, 123456789.125, 1e22, -1e100];
const BLOBS: &[&[u8]] = &[b"", b"a", b"\x00", b"\xff", b"ab", b"12"];
const PATTERNS: &[&str] =
    &["", "%", "_", "a%", "%b", "%%_", "a\\%", "\\", "\\\\", "A_", "\\a", "!%", "a!_b", "*", "[a-c]", "[^a]*", "[!a]*"];

const KINDS: &[Kind] = &[Kind::Int, Kind::Real, Kind::Text, Kind::Blob, Kind::Bool];

/// At most this many values of each argument where there are several arguments, so that no function takes long.
fn most(arguments: usize) -> usize {
    [64, 64, 26, 9, 4].get(arguments).copied().unwrap_or(3)
}

fn literals(kind: Kind, dialect: &Dialect) -> Vec<Expr> {
    let all = |values: Vec<Literal>| values.into_iter().map(Expr::Literal).collect::<Vec<Expr>>();
    let mut values = match kind {
        Kind::Int => all(INTS.iter().map(|i| Literal::Int(*i)).collect()),
        Kind::Real => all(REALS.iter().map(|r| Literal::Real(*r)).collect()),
        Kind::Text => all(TEXTS.iter().map(|t| Literal::Text((*t).to_owned())).collect()),
        Kind::Blob => all(BLOBS.iter().map(|b| Literal::Blob(b.to_vec())).collect()),
        Kind::Bool => all(vec![Literal::Bool(true), Literal::Bool(false)]),
        Kind::Any => Vec::new(),
        Kind::Special(name) => {
            let listed = dialect.special(kind).map_or(&[][..], |k| k.values);
            all(listed.iter().map(|text| Literal::Special(name, (*text).to_owned())).collect())
        }
    };
    // A NULL without a type leaves some engines without a choice among functions of one name.
    let null = dialect.cast(kind).filter(|_| !dialect.dynamic_typing).map(|name| cast(Expr::null(), name));
    values.insert(1.min(values.len()), null.unwrap_or_else(Expr::null));
    values
}

/// Where types are not checked, any function is called with values of any kind.
fn arguments(param: Param, kind: Kind, dialect: &Dialect) -> Vec<Expr> {
    let texts = |all: &[&str]| all.iter().map(|t| Expr::Literal(Literal::Text((*t).to_owned()))).collect::<Vec<Expr>>();
    match param {
        Param::Of(_) | Param::Same if dialect.dynamic_typing => {
            let mut all: Vec<Vec<Expr>> = KINDS.iter().map(|k| literals(*k, dialect)).collect();
            // The first of each kind come first.
            let longest = all.iter().map(Vec::len).max().unwrap_or(0);
            let mut mixed = Vec::new();
            for _ in 0..longest {
                mixed.extend(all.iter_mut().filter(|v| !v.is_empty()).map(|v| v.remove(0)));
            }
            mixed
        }
        Param::Of(kind) => literals(kind, dialect),
        Param::Same => literals(kind, dialect),
        Param::SmallInt => SMALL_INTS.iter().map(|i| Expr::int(*i)).collect(),
        Param::Pattern => texts(PATTERNS),
        Param::Probability => vec![Expr::Literal(Literal::Real(0.5))],
        Param::Json => texts(&["1", "[1,2]", "{\"a\":null}"]),
        Param::JsonPath => texts(&["$", "$.a", "$[0]"]),
        Param::Format => texts(&["%d", "%s"]),
        Param::Word(words) => texts(words),
        Param::Date => texts(&["2024-02-29", "2000-01-01 00:00:00"]),
    }
}

fn cast(expr: Expr, type_name: &str) -> Expr {
    Expr::Cast { expr: Box::new(expr), type_name: type_name.into() }
}

/// All ways to pick one of each list.
fn products(lists: &[Vec<Expr>]) -> Vec<Vec<Expr>> {
    let most = most(lists.len());
    lists.iter().fold(vec![Vec::new()], |rows, list| {
        let with = |row: &Vec<Expr>| {
            let row = row.clone();
            list.iter().take(most).map(move |x| [row.clone(), vec![x.clone()]].concat()).collect::<Vec<_>>()
        };
        rows.iter().flat_map(with).collect()
    })
}

fn calls(dialect: &Dialect) -> Vec<Expr> {
    let mut all = Vec::new();
    for f in dialect.functions {
        let kinds = if f.params.contains(&Param::Same) && !dialect.dynamic_typing { KINDS } else { &KINDS[..1] };
        for kind in kinds {
            let lists: Vec<Vec<Expr>> = f.params.iter().map(|p| arguments(*p, *kind, dialect)).collect();
            all.extend(products(&lists).into_iter().map(|args| Expr::Call { function: f.name.into(), args }));
        }
    }
    all
}

fn operators(dialect: &Dialect) -> Vec<Expr> {
    use Binary::*;
    let mut all = Vec::new();
    let boxed = |e: &Expr| Box::new(e.clone());
    for (a, b) in KINDS.iter().flat_map(|a| KINDS.iter().map(move |b| (*a, *b))) {
        for pair in products(&[literals(a, dialect), literals(b, dialect)]) {
            let [x, y] = [&pair[0], &pair[1]];
            let ops = [
                Eq,
                Ne,
                Lt,
                Le,
                Gt,
                Ge,
                Is,
                IsNot,
                IsDistinctFrom,
                IsNotDistinctFrom,
                Add,
                Sub,
                Mul,
                Div,
                Mod,
                Concat,
                BitAnd,
                BitOr,
                ShiftLeft,
                ShiftRight,
                And,
                Or,
            ];
            all.extend(ops.iter().map(|op| Expr::Binary(*op, boxed(x), boxed(y))));
            all.push(Expr::InList { expr: boxed(x), list: vec![y.clone()], negated: false });
            all.push(Expr::InList { expr: boxed(x), list: vec![y.clone(), x.clone()], negated: true });
            all.push(Expr::Between { expr: boxed(x), low: boxed(y), high: boxed(x), negated: false });
            all.push(Expr::Case {
                operand: Some(boxed(x)),
                arms: vec![(y.clone(), Expr::int(1))],
                otherwise: Some(Box::new(Expr::int(2))),
            });
            // Values of two kinds in one place become values of one.
            all.push(Expr::Case {
                operand: None,
                arms: vec![(x.clone().is_null(), y.clone())],
                otherwise: Some(boxed(x)),
            });
        }
    }
    for x in KINDS.iter().flat_map(|kind| literals(*kind, dialect)) {
        all.extend([Unary::Minus, Unary::Plus, Unary::Not, Unary::BitNot].map(|op| Expr::Unary(op, boxed(&x))));
        for (test, negated) in [(true, false), (false, false), (true, true), (false, true)] {
            all.push(Expr::IsTruth { expr: boxed(&x), test, negated });
        }
        all.push(Expr::IsNull { expr: boxed(&x), negated: false });
        all.extend(dialect.spelling.casts.iter().map(|(_, name)| cast(x.clone(), name)));
        for (_, name) in dialect.spelling.casts {
            let as_text = dialect.cast(Kind::Text).unwrap_or("TEXT");
            all.push(cast(cast(x.clone(), name), as_text));
        }
    }
    all
}

fn patterns(dialect: &Dialect) -> Vec<Expr> {
    let mut all = Vec::new();
    for pair in products(&[literals(Kind::Text, dialect), arguments(Param::Pattern, Kind::Text, dialect)]) {
        for (glob, escape) in [(false, None), (false, Some('!')), (true, None)] {
            let (expr, pattern) = (Box::new(pair[0].clone()), Box::new(pair[1].clone()));
            all.push(Expr::Like { glob, expr, pattern, escape, negated: false });
        }
    }
    all
}

/// Compares all that the evaluator knows, many at a time; how many those were.
fn compare(all: &[Expr], dialect: &'static Dialect, session: &mut dyn Session) -> usize {
    let (schema, data) = (Schema::default(), Data::of(&[], dialect));
    let evaluator = Evaluator::new(dialect, &data).unwrap();
    let query = |items: &[(Expr, Value)]| {
        let items = items.iter().map(|(e, _)| Item::bare(e.clone())).collect();
        Query::of(Select { items, ..Select::default() })
    };
    let known = |e: &Expr| {
        let ours = evaluator.renewed().constant(e)?;
        let one = (e.clone(), ours);
        typing::query(&query(std::slice::from_ref(&one)), &schema, dialect).is_ok().then_some(one)
    };
    let known: Vec<(Expr, Value)> = all.iter().filter_map(known).collect();
    let mut wrong = Vec::new();
    let mut compared = 0;
    let mut judge = |items: &[(Expr, Value)], theirs: &[Value]| {
        compared += items.len();
        for ((e, ours), theirs) in items.iter().zip(theirs) {
            if !same_value(ours, theirs, Equality::Exact) {
                wrong.push(format!("{}: ours {ours:?}, theirs {theirs:?}", print::expr(e, dialect)));
            }
        }
    };
    for some in known.chunks(60) {
        if let Outcome::Rows(rows) = session.run(&print::query(&query(some), dialect)) {
            judge(some, &rows.cells);
            continue;
        }
        for one in some.chunks(1) {
            if let Outcome::Rows(rows) = session.run(&print::query(&query(one), dialect)) {
                judge(one, &rows.cells);
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
    compared
}

/// Edges, random constants, and random questions about random tables.
fn agrees(name: &str) {
    let engine: Box<dyn Engine> = qualm_engines::connect(name).unwrap_or_else(|e| panic!("{e}; run ./x setup"));
    let dialect = engine.sql().unwrap();
    let mut session = engine.open().unwrap();
    let session = session.as_mut();
    let known = [calls(dialect), operators(dialect), patterns(dialect)].map(|all| compare(&all, dialect, session));
    assert!(known.iter().all(|n| *n > 100), "{name}: {known:?}");
    let (known, all) = constants(dialect, session, 1_000);
    assert!(known * 5 > all, "{name}: {known} of {all} are known");
    let seen = questions(dialect, session, 8, 12, |g| (pqs::SPEC.propose)(g));
    assert!(seen.judged * 3 > seen.asked, "{name}: {} of {} were judged", seen.judged, seen.asked);
}

#[test]
fn edges_agree_with_sqlite() {
    agrees("sqlite");
}

#[test]
fn edges_agree_with_duckdb() {
    agrees("duckdb:2.0.0");
}

#[test]
fn edges_agree_with_postgres() {
    agrees("postgres:18.4");
}

#[test]
fn edges_agree_with_mysql() {
    agrees("mysql");
}

#[test]
fn edges_agree_with_mariadb() {
    agrees("mariadb");
}
