//! What stands in a SQL case and is one of a kind: functions, operators, predicates, subqueries, joins, types, indexes,
//! constants. Each place lists the others of its kind; the oracle derives the claim anew, so that nothing unsound is
//! run, and an engine may refuse what it does not have.

use super::super::ast::*;
use super::super::walk;
use super::expressions::{each_site, on_site, put};
use super::{Edit, edit};
use qualm_core::dialect::sql::{Dialect, Param};
use qualm_core::vary::Place;

/// Places of constants that are tried: rows have many, and few of them matter.
const CONSTANTS: usize = 12;

const WINDOW: &str = "window function";
const AGGREGATE: &str = "aggregate function";
const FUNCTION: &str = "function of as many arguments";
const COMPARISON: &str = "comparison";
const PREDICATE: &str = "predicate";
const ARITHMETIC: &str = "arithmetic operator";
const BITS: &str = "bit operator";
const LOGIC: &str = "logical operator";
const UNARY: &str = "unary operator";
const SUBQUERY: &str = "kind of subquery";
const CAST: &str = "type in CAST";
const COLLATION: &str = "collation";
const FRAME: &str = "window frame";
const JOIN: &str = "join";
const SET_OPERATOR: &str = "set operator";
const COLUMN_TYPE: &str = "column type";
const INDEX: &str = "kind of index";
const CONSTANT: &str = "constant";

/// What says most about a bug first, constants last.
pub fn places(source: &SqlSource, dialect: &'static Dialect) -> Vec<Place<Edit>> {
    let (mut found, mut constants) = (Vec::new(), Vec::new());
    each_site(source, |site, expr| match expr {
        Expr::Literal(literal) => constants.extend(constant(site, literal)),
        _ => found.extend(of_expr(site, expr, dialect)),
    });
    found.extend(joins(source));
    found.extend(set_operators(source));
    for (at, statement) in source.state.iter().enumerate() {
        match statement {
            Statement::CreateTable(table) => found.extend(columns(at, table, dialect)),
            Statement::CreateIndex(index) => found.extend(index_kind(at, index)),
            _ => {}
        }
    }
    constants.truncate(CONSTANTS);
    found.extend(constants);
    found
}

type Others = Vec<(String, Edit)>;

fn of_expr(site: usize, expr: &Expr, dialect: &'static Dialect) -> Vec<Place<Edit>> {
    let one = |kind, shown: &str, others: Others| Place::of(kind, shown, others).into_iter().collect();
    match expr {
        Expr::Window(window) => window_places(site, window, dialect),
        Expr::Aggregate(aggregate) => one(AGGREGATE, &call_name(&aggregate.function), aggregates(site, aggregate)),
        Expr::Call { function, args } => one(FUNCTION, &call_name(function), calls(site, args, dialect)),
        Expr::Binary(op, l, r) => {
            let Some((kind, all)) = class(*op) else { return Vec::new() };
            let others = all.iter().map(|o| (o.symbol().trim().to_owned(), put(site, binary(*o, l, r))));
            one(kind, op.symbol().trim(), others.collect())
        }
        Expr::Unary(op, e) => {
            let Some(shown) = unary_name(*op) else { return Vec::new() };
            let all = [Unary::Minus, Unary::Plus, Unary::BitNot].into_iter();
            let others = all.filter_map(|o| Some((unary_name(o)?.to_owned(), put(site, Expr::Unary(o, e.clone())))));
            one(UNARY, shown, others.collect())
        }
        Expr::Cast { expr, type_name } => {
            let cast = |name: &str| put(site, Expr::Cast { expr: expr.clone(), type_name: name.into() });
            let all = dialect.spelling.casts.iter();
            one(CAST, type_name, all.map(|(_, name)| ((*name).to_owned(), cast(name))).collect())
        }
        Expr::Collate { expr, collation } => {
            let collate = |name: &str| put(site, Expr::Collate { expr: expr.clone(), collation: name.into() });
            one(COLLATION, collation, dialect.collations.iter().map(|c| ((*c).to_owned(), collate(c))).collect())
        }
        Expr::InQuery { expr, query, negated } => one(SUBQUERY, "IN", subqueries(site, Some(expr), query, *negated)),
        Expr::Exists { query, negated } => one(SUBQUERY, "EXISTS", subqueries(site, None, query, *negated)),
        Expr::Scalar(query) => one(SUBQUERY, "scalar", subqueries(site, None, query, false)),
        _ => predicate(site, expr).into_iter().collect(),
    }
}

fn binary(op: Binary, l: &Expr, r: &Expr) -> Expr {
    Expr::Binary(op, Box::new(l.clone()), Box::new(r.clone()))
}

fn call_name(function: &str) -> String {
    format!("{}()", function.to_lowercase())
}

// ---------------------------------------------------------------- functions

/// Window functions and whether they take an argument; `count` is `count(*)`.
const WINDOW_FUNCTIONS: &[(&str, bool)] = &[
    ("count", false),
    ("sum", true),
    ("min", true),
    ("max", true),
    ("avg", true),
    ("row_number", false),
    ("rank", false),
    ("dense_rank", false),
    ("lag", true),
    ("lead", true),
    ("first_value", true),
    ("last_value", true),
    ("cume_dist", false),
];

fn window_places(site: usize, window: &Window, dialect: &'static Dialect) -> Vec<Place<Edit>> {
    let shown = &window.function;
    let within = window.order_by.iter().map(|o| &o.expr).chain(&window.partition_by).next();
    let argument = shown.args.first().or(within).cloned().unwrap_or(Expr::int(1));
    let named = |(name, takes): &(&str, bool)| {
        let args = if *takes { vec![argument.clone()] } else { Vec::new() };
        let function = Aggregate { function: (*name).into(), args, distinct: false, filter: None };
        let change = on_site(site, move |e| match e {
            Expr::Window(w) => {
                w.function = Aggregate { filter: w.function.filter.take(), ..function.clone() };
                true
            }
            _ => false,
        });
        (call_name(name), change)
    };
    let functions = Place::of(WINDOW, &call_name(&shown.function), WINDOW_FUNCTIONS.iter().map(named).collect());
    let framed = |frame: &&'static str| {
        let change = on_site(site, {
            let frame = Name::from(*frame);
            move |e| match e {
                Expr::Window(w) => {
                    w.frame = Some(frame.clone());
                    true
                }
                _ => false,
            }
        });
        ((*frame).to_owned(), change)
    };
    let spelling = &dialect.spelling;
    let frames = spelling.peer_frames.iter().chain(spelling.row_frames).map(framed).collect();
    let frame = window.frame.as_ref().and_then(|shown| Place::of(FRAME, shown, frames));
    functions.into_iter().chain(frame).collect()
}

fn aggregates(site: usize, aggregate: &Aggregate) -> Others {
    let args = if aggregate.args.is_empty() { vec![Expr::int(1)] } else { aggregate.args.clone() };
    let named = |name: &str| {
        let args = if name == aggregate.function { aggregate.args.clone() } else { args.clone() };
        (
            call_name(name),
            put(site, Expr::Aggregate(Box::new(Aggregate { function: name.into(), args, ..aggregate.clone() }))),
        )
    };
    ["count", "sum", "min", "max", "avg", "total"].into_iter().map(named).collect()
}

/// Functions that take any values: those that want a literal of some form would be refused.
fn calls(site: usize, args: &[Expr], dialect: &'static Dialect) -> Others {
    let takes_any = |p: &Param| matches!(p, Param::Of(_) | Param::Same);
    let fitting = |params: &&[Param]| params.len() == args.len() && params.iter().all(takes_any);
    let same = dialect.functions.iter().filter(|f| fitting(&f.params));
    same.map(|f| (call_name(f.name), put(site, Expr::call(f.name, args.to_vec())))).collect()
}

// ---------------------------------------------------------------- operators

fn class(op: Binary) -> Option<(&'static str, &'static [Binary])> {
    use Binary::*;
    Some(match op {
        Eq | Ne | Lt | Le | Gt | Ge | Is | IsNot | IsDistinctFrom | IsNotDistinctFrom => {
            (COMPARISON, &[Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot])
        }
        Add | Sub | Mul | Div | Mod => (ARITHMETIC, &[Add, Sub, Mul]),
        BitAnd | BitOr | ShiftLeft | ShiftRight => (BITS, &[BitAnd, BitOr, ShiftLeft, ShiftRight]),
        And | Or => (LOGIC, &[And, Or]),
        Concat | JsonArrow | JsonArrowText | Match => return None,
    })
}

fn unary_name(op: Unary) -> Option<&'static str> {
    match op {
        Unary::Minus => Some("-"),
        Unary::Plus => Some("+"),
        Unary::BitNot => Some("~"),
        Unary::Not => None,
    }
}

/// Predicates that say something of one operand: `a LIKE b` may as well be `a = b` or `a IS NULL`.
fn predicate(site: usize, expr: &Expr) -> Option<Place<Edit>> {
    let null = || Box::new(Expr::null());
    let (shown, operand, second) = match expr {
        Expr::Like { glob, expr, pattern, .. } => (if *glob { "GLOB" } else { "LIKE" }, expr, pattern.clone()),
        Expr::Between { expr, low, .. } => ("BETWEEN", expr, low.clone()),
        Expr::InList { expr, list, .. } => ("IN", expr, list.first().map_or_else(null, |e| Box::new(e.clone()))),
        Expr::IsNull { expr, .. } => ("IS NULL", expr, null()),
        Expr::IsTruth { expr, .. } => ("IS TRUE", expr, null()),
        Expr::Case { operand: Some(expr), arms, .. } => ("CASE", expr, Box::new(arms.first()?.0.clone())),
        _ => return None,
    };
    if matches!(**operand, Expr::Row(_)) {
        return None;
    }
    let (a, b) = (operand.clone(), second);
    let all = [
        ("=", Expr::Binary(Binary::Eq, a.clone(), b.clone())),
        ("IS NULL", Expr::IsNull { expr: a.clone(), negated: false }),
        ("<", Expr::Binary(Binary::Lt, a.clone(), b.clone())),
        ("IN", Expr::InList { expr: a.clone(), list: vec![(*b).clone()], negated: false }),
        ("BETWEEN", Expr::Between { expr: a.clone(), low: b.clone(), high: b.clone(), negated: false }),
        ("LIKE", Expr::Like { glob: false, expr: a, pattern: b, escape: None, negated: false }),
    ];
    Place::of(PREDICATE, shown, all.into_iter().map(|(name, e)| (name.to_owned(), put(site, e))).collect())
}

fn subqueries(site: usize, operand: Option<&Expr>, query: &Query, negated: bool) -> Others {
    let expr = Box::new(operand.cloned().unwrap_or(Expr::int(1)));
    let all = [
        ("scalar", Expr::Scalar(Box::new(query.clone()))),
        ("EXISTS", Expr::Exists { query: Box::new(query.clone()), negated }),
        ("IN", Expr::InQuery { expr, query: Box::new(query.clone()), negated }),
    ];
    all.into_iter().map(|(name, e)| (name.to_owned(), put(site, e))).collect()
}

// ---------------------------------------------------------------- queries

/// Joins of one family: with a condition, without one, or natural.
fn joins(source: &SqlSource) -> Vec<Place<Edit>> {
    let (mut found, mut at) = (Vec::new(), 0);
    walk::each_select(source, &mut |select| {
        for (member, joined) in select.from.iter().enumerate().skip(1) {
            let all: &[Join] = match joined.join {
                Join::Natural | Join::NaturalLeft | Join::NaturalRight | Join::NaturalFull => {
                    &[Join::Natural, Join::NaturalLeft, Join::NaturalRight, Join::NaturalFull]
                }
                _ if joined.on.is_some() || !joined.using.is_empty() => {
                    &[Join::Inner, Join::Left, Join::Right, Join::Full]
                }
                _ => &[Join::Comma, Join::Cross],
            };
            let select_at = at;
            let with = |join: &Join| {
                let join = *join;
                let change = edit(move |s: &mut SqlSource| {
                    let mut done = false;
                    walk::change_select(s, select_at, &mut |select| {
                        let joined = select.from.get_mut(member);
                        done |= joined.map(|joined| joined.join = join).is_some();
                    });
                    done
                });
                (join.symbol().trim().to_owned(), change)
            };
            found.extend(Place::of(JOIN, joined.join.symbol().trim(), all.iter().map(with).collect()));
        }
        at += 1;
    });
    found
}

fn set_operators(source: &SqlSource) -> Vec<Place<Edit>> {
    let (mut found, mut at) = (Vec::new(), 0);
    walk::each_query(source, &mut |query| {
        if let Body::Compound { op, .. } = &query.body {
            let query_at = at;
            let with = |op: SetOp| {
                let change = edit(move |s: &mut SqlSource| replace_set_operator(s, query_at, op));
                (set_name(op).to_owned(), change)
            };
            let all = [SetOp::Union, SetOp::UnionAll, SetOp::Intersect, SetOp::Except].map(with);
            found.extend(Place::of(SET_OPERATOR, set_name(*op), all.into()));
        }
        at += 1;
    });
    found
}

/// Whether the query at this place is a compound.
fn replace_set_operator(source: &mut SqlSource, at: usize, by: SetOp) -> bool {
    let mut done = false;
    walk::change_query(source, at, &mut |query| {
        if let Body::Compound { op, .. } = &mut query.body {
            *op = by;
            done = true;
        }
    });
    done
}

fn set_name(op: SetOp) -> &'static str {
    match op {
        SetOp::Union => "UNION",
        SetOp::UnionAll => "UNION ALL",
        SetOp::Intersect => "INTERSECT",
        SetOp::Except => "EXCEPT",
    }
}

// ---------------------------------------------------------------- statements

fn columns(at: usize, table: &CreateTable, dialect: &'static Dialect) -> Vec<Place<Edit>> {
    let change = move |column: usize, change: &dyn Fn(&mut ColumnDef), s: &mut SqlSource| match s.state.get_mut(at) {
        Some(Statement::CreateTable(t)) if column < t.columns.len() => {
            change(&mut t.columns[column]);
            true
        }
        _ => false,
    };
    let type_name = |name: &str| if name.is_empty() { "none".to_owned() } else { name.to_owned() };
    let mut found = Vec::new();
    for (i, column) in table.columns.iter().enumerate() {
        let typed = dialect.types.iter().filter(|t| !table.strict || t.strict).map(|spec| {
            let with = move |c: &mut ColumnDef| {
                (c.type_name, c.kind, c.affinity) = (spec.name.into(), spec.kind, spec.affinity);
            };
            (type_name(spec.name), edit(move |s| change(i, &with, s)))
        });
        found.extend(Place::of(COLUMN_TYPE, &type_name(&column.type_name), typed.collect()));
        if let Some(collation) = &column.collation {
            let collated = dialect.collations.iter().map(|name| {
                let with = move |c: &mut ColumnDef| c.collation = Some((*name).into());
                ((*name).to_owned(), edit(move |s| change(i, &with, s)))
            });
            found.extend(Place::of(COLLATION, collation, collated.collect()));
        }
    }
    found
}

fn index_kind(at: usize, index: &CreateIndex) -> Option<Place<Edit>> {
    let name = |unique: bool| if unique { "UNIQUE INDEX" } else { "INDEX" };
    let with = |unique: bool| {
        let change = edit(move |s: &mut SqlSource| match s.state.get_mut(at) {
            Some(Statement::CreateIndex(i)) => {
                i.unique = unique;
                true
            }
            _ => false,
        });
        (name(unique).to_owned(), change)
    };
    Place::of(INDEX, name(index.unique), [false, true].map(with).into())
}

// ---------------------------------------------------------------- constants

fn constant(site: usize, literal: &Literal) -> Option<Place<Edit>> {
    let values = match literal {
        Literal::Blob(_) | Literal::Special(..) => return None,
        Literal::Bool(_) => vec![Literal::Null, Literal::Bool(false), Literal::Bool(true)],
        _ => vec![
            Literal::Null,
            Literal::Int(0),
            Literal::Int(1),
            Literal::Int(-1),
            Literal::Real(0.5),
            Literal::Text(String::new()),
            Literal::Text("a".into()),
        ],
    };
    let others = values.into_iter().map(|l| (constant_name(&l), put(site, Expr::Literal(l)))).collect();
    Place::of(CONSTANT, &constant_name(literal), others)
}

fn constant_name(literal: &Literal) -> String {
    match literal {
        Literal::Null => "NULL".into(),
        Literal::Bool(b) => b.to_string().to_uppercase(),
        Literal::Int(i) => i.to_string(),
        Literal::Real(r) => format!("{r:?}"),
        Literal::Text(t) | Literal::Special(_, t) => format!("'{t}'"),
        Literal::Blob(b) => format!("a blob of {}", b.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use qualm_core::dialect::sql::EMPTY;

    #[test]
    fn each_place_has_what_is_shown_and_others_of_its_kind() {
        let source = sample::large();
        let found = places(&source, &EMPTY);
        for place in &found {
            assert_eq!(place.members.iter().filter(|m| m.edit.is_none()).count(), 1, "{}", place.kind);
        }
        let kinds: std::collections::BTreeSet<&str> = found.iter().map(|p| p.kind).collect();
        assert!(kinds.is_superset(&[COMPARISON, JOIN, INDEX, PREDICATE, CONSTANT].into()), "{kinds:?}");
        assert!(found.iter().rev().take_while(|p| p.kind == CONSTANT).count() <= CONSTANTS);
    }

    #[test]
    fn an_edit_changes_one_place_and_nothing_else() {
        let source = sample::large();
        for place in places(&source, &EMPTY) {
            for member in &place.members {
                let mut changed = source.clone();
                let Some(edit) = &member.edit else { continue };
                assert!(edit(&mut changed) && changed != source, "{} {}", place.kind, member.name);
            }
        }
    }
}
