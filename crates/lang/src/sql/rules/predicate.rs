//! Mutations of the conditions of a query. Each replaces a conjunct of WHERE by one that is true, false and unknown for
//! the same rows of this FROM, or adds one that is true for all of them. That is asked as a guard, so a rule may be as
//! bold as it likes: `=` becomes LIKE wherever, on these rows, it makes no difference.

use super::{Apply, Example, Group, Mutant, Rule, compare, member, table_source, truth};
use crate::sql::ast::*;
use crate::sql::typing::{Taint, contains_aggregate};
use qualm_core::dialect::sql::Feature;

const fn rule(name: &'static str, precondition: &'static str, example: Example, apply: Apply) -> Rule {
    Rule::new(Group::Predicate, name, precondition, example, apply)
}

const SAME: &str = "both conditions agree in every row here";
const TRUE: &str = "the added condition is true in every row here";

pub const RULES: &[Rule] = &[
    rule("equal-to-like", SAME, ("SELECT y FROM t WHERE x = 'a'", "SELECT y FROM t WHERE x LIKE 'a'"), |m, pick| {
        replace(m, pick, |e, _| match e {
            Expr::Binary(Binary::Eq | Binary::Is, a, b) => {
                Some(Expr::Like { glob: false, expr: a, pattern: b, escape: None, negated: false })
            }
            _ => None,
        })
    })
    .adds("LIKE"),
    rule("equal-to-in", SAME, ("SELECT y FROM t WHERE x = 'a'", "SELECT y FROM t WHERE x IN ('a')"), |m, pick| {
        replace(m, pick, |e, pick| match e {
            Expr::Binary(Binary::Eq, a, b) if !matches!(*a, Expr::Row(_)) => {
                let list = if pick & 1 == 1 { vec![*b.clone(), *b] } else { vec![*b] };
                Some(Expr::InList { expr: a, list, negated: false })
            }
            _ => None,
        })
    })
    .adds("IN list"),
    rule(
        "equal-to-between",
        SAME,
        ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE y BETWEEN 1 AND 1"),
        |m, pick| {
            replace(m, pick, |e, _| match e {
                Expr::Binary(Binary::Eq, a, b) => {
                    Some(Expr::Between { expr: a, low: b.clone(), high: b, negated: false })
                }
                _ => None,
            })
        },
    )
    .adds("BETWEEN"),
    rule("equal-to-is", SAME, ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE y IS 1"), |m, pick| {
        replace(m, pick, |e, _| match e {
            Expr::Binary(Binary::Eq, a, b) => Some(Expr::Binary(Binary::Is, a, b)),
            Expr::Binary(Binary::Ne, a, b) => Some(Expr::Binary(Binary::IsNot, a, b)),
            _ => None,
        })
    })
    .adds("IS"),
    rule("swap-sides", SAME, ("SELECT x FROM t WHERE y < 2", "SELECT x FROM t WHERE 2 > y"), |m, pick| {
        replace(m, pick, |e, _| match e {
            Expr::Binary(op, a, b) => Some(Expr::Binary(mirrored(op)?, b, a)),
            _ => None,
        })
    }),
    rule("duplicate", SAME, ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE y = 1 AND y = 1"), |m, pick| {
        replace(m, pick, |e, _| Some(e.clone().and(e)))
    })
    .productive(6),
    rule("not-not", SAME, ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE NOT (NOT (y = 1))"), |m, pick| {
        replace(m, pick, |e, _| Some(e.negate().negate()))
    }),
    rule("or-null", SAME, ("SELECT x FROM t WHERE y > 1", "SELECT x FROM t WHERE y > 1 OR z IS NULL"), |m, pick| {
        let column = some_column(m, pick)?;
        replace(m, pick / 3, |e, _| Some(e.or(column.clone().is_null())))
    })
    .adds("OR"),
    rule(
        "and-not-null",
        TRUE,
        ("SELECT x FROM t WHERE y > 1", "SELECT x FROM t WHERE y > 1 AND z IS NOT NULL"),
        |m, pick| {
            let column = some_column(m, pick)?;
            m.and_true(Expr::IsNull { expr: Box::new(column), negated: true })
        },
    ),
    rule("in-to-or", SAME, ("SELECT x FROM t WHERE y IN (1, 2)", "SELECT x FROM t WHERE y = 1 OR y = 2"), |m, pick| {
        replace(m, pick, |e, _| match e {
            Expr::InList { expr, list, negated: false } if !matches!(*expr, Expr::Row(_)) => {
                let equal = |x| compare(Binary::Eq, (*expr).clone(), x);
                list.into_iter().map(equal).reduce(Expr::or)
            }
            _ => None,
        })
    })
    .rare()
    .adds("OR"),
    rule(
        "between-to-bounds",
        SAME,
        ("SELECT x FROM t WHERE y BETWEEN 1 AND 2", "SELECT x FROM t WHERE y >= 1 AND y <= 2"),
        |m, pick| {
            replace(m, pick, |e, _| match e {
                Expr::Between { expr, low, high, negated: false } => {
                    Some(Expr::Binary(Binary::Ge, expr.clone(), low).and(Expr::Binary(Binary::Le, expr, high)))
                }
                _ => None,
            })
        },
    )
    .rare(),
    rule("unary-plus", SAME, ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE +y = 1"), |m, pick| {
        replace(m, pick, |e, pick| left_operand(e, pick, |x| Expr::Unary(Unary::Plus, Box::new(x))))
    }),
    rule("no-op-arithmetic", SAME, ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE y + 0 = 1"), |m, pick| {
        replace(m, pick, |e, pick| left_operand(e, pick, |x| compare(Binary::Add, x, Expr::int(0))))
    })
    .adds("arithmetic"),
    rule(
        "collate",
        SAME,
        ("SELECT y FROM t WHERE x = 'a'", "SELECT y FROM t WHERE x COLLATE NOCASE = 'a'"),
        |m, pick| {
            let collations = m.dialect.collations;
            let collation: Name = (*collations.get(pick / 3 % collations.len().max(1))?).into();
            replace(m, pick, |e, pick| {
                left_operand(e, pick, |x| Expr::Collate { expr: Box::new(x), collation: collation.clone() })
            })
        },
    )
    .adds("COLLATE")
    .needs(&[Feature::Collate]),
    rule(
        "case-truth",
        SAME,
        ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE CASE WHEN y = 1 THEN 1 WHEN NOT (y = 1) THEN 0 END"),
        |m, pick| {
            let dialect = m.dialect;
            replace(m, pick, |e, _| {
                let arms = vec![(e.clone(), Expr::truth(true, dialect)), (e.negate(), Expr::truth(false, dialect))];
                Some(Expr::Case { operand: None, arms, otherwise: None })
            })
        },
    )
    .adds("CASE"),
    rule(
        "case-both",
        SAME,
        ("SELECT x FROM t WHERE y = 1", "SELECT x FROM t WHERE CASE WHEN z > 5 THEN y = 1 ELSE y = 1 END"),
        |m, pick| {
            let column = some_column(m, pick)?;
            replace(m, pick / 3, |e, _| {
                let arms = vec![(column.clone().is_null(), e.clone())];
                Some(Expr::Case { operand: None, arms, otherwise: Some(Box::new(e)) })
            })
        },
    )
    .adds("CASE"),
    rule(
        "at-least-the-smallest",
        TRUE,
        ("SELECT x FROM t WHERE z = 5", "SELECT x FROM t WHERE z = 5 AND y >= (SELECT min(y) FROM t)"),
        bound,
    )
    .adds("scalar subquery"),
    rule(
        "in-its-own-values",
        TRUE,
        ("SELECT x FROM t WHERE z = 5", "SELECT x FROM t WHERE z = 5 AND y IN (SELECT y FROM t)"),
        |m, pick| {
            let (own, name, column) = table_column(m, pick)?;
            let query = values_of(&name, &column, None);
            m.and_true(Expr::InQuery { expr: Box::new(own), query: Box::new(query), negated: false })
        },
    )
    .adds("IN subquery"),
    rule(
        "exists-itself",
        TRUE,
        (
            "SELECT x FROM t WHERE z = 5",
            "SELECT x FROM t WHERE z = 5 AND EXISTS (SELECT 1 FROM t AS e WHERE e.y = t.y)",
        ),
        |m, pick| {
            let (own, name, column) = table_column(m, pick)?;
            let alias = m.name("e");
            let equal = compare(Binary::Eq, Expr::Column { table: alias.clone(), column: column.clone() }, own);
            let from = vec![member(Join::Comma, table_source(&name, &alias), None)];
            let items = vec![Item::bare(Expr::int(1))];
            let query = Query::of(Select { items, from, filter: Some(equal), ..Select::default() });
            m.and_true(Expr::Exists { query: Box::new(query), negated: false })
        },
    )
    .adds("EXISTS")
    .needs(&[Feature::Correlated]),
    rule(
        "in-to-exists",
        SAME,
        (
            "SELECT x FROM t WHERE y IN (SELECT w FROM u WHERE w < 3)",
            "SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w < 3 AND y = w)",
        ),
        |m, pick| replace(m, pick, |e, _| in_to_exists(e)),
    )
    .rare()
    .needs(&[Feature::Correlated]),
    rule(
        "exists-to-in",
        SAME,
        (
            "SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.y = u.w)",
            "SELECT x FROM t WHERE 1 IN (SELECT 1 FROM u WHERE t.y = u.w)",
        ),
        |m, pick| {
            replace(m, pick, |e, _| match e {
                Expr::Exists { mut query, negated } => {
                    let select = query.select_mut().filter(|s| s.group_by.is_empty())?;
                    if select.items.iter().any(|i| contains_aggregate(&i.expr)) {
                        return None;
                    }
                    select.items = vec![Item::bare(Expr::int(1))];
                    query.order_by.clear();
                    Some(Expr::InQuery { expr: Box::new(Expr::int(1)), query, negated })
                }
                _ => None,
            })
        },
    )
    .rare(),
    rule(
        "transitive",
        TRUE,
        ("SELECT x FROM t, u WHERE y = w AND w = 1", "SELECT x FROM t, u WHERE y = w AND w = 1 AND y = 1"),
        transitive,
    )
    .rare(),
];

/// Replaces one conjunct that `make` has a form for, guarded by both agreeing in every row of FROM.
fn replace(m: &mut Mutant, pick: usize, make: impl Fn(Expr, usize) -> Option<Expr>) -> Option<()> {
    let mut conjuncts = m.conjuncts();
    let fits: Vec<(usize, Expr)> =
        conjuncts.iter().enumerate().filter_map(|(i, c)| Some((i, make(c.clone(), pick / 11)?))).collect();
    let (at, new) = fits.get(pick % fits.len().max(1))?.clone();
    let differ = compare(Binary::IsNot, truth(conjuncts[at].clone()), truth(new.clone()));
    m.guard_over_from("rows in which the old and the new condition differ", differ)?;
    conjuncts[at] = new;
    m.set_conjuncts(conjuncts)
}

fn mirrored(op: Binary) -> Option<Binary> {
    use Binary::*;
    Some(match op {
        Eq | Ne | Is | IsNot => op,
        Lt => Gt,
        Gt => Lt,
        Le => Ge,
        Ge => Le,
        _ => return None,
    })
}

/// `e IN (SELECT c FROM … WHERE p)` as `EXISTS (SELECT 1 FROM … WHERE p AND e = c)`. They differ where NULLs are met,
/// which the guard finds out.
fn in_to_exists(e: Expr) -> Option<Expr> {
    let Expr::InQuery { expr, mut query, negated } = e else { return None };
    let limited = query.limit.is_some() || matches!(*expr, Expr::Row(_));
    let select = query.select_mut().filter(|s| !limited && s.group_by.is_empty() && s.items.len() == 1)?;
    let item = select.items[0].expr.clone();
    if contains_aggregate(&item) || matches!(item, Expr::Window(_)) {
        return None;
    }
    let equal = Expr::Binary(Binary::Eq, expr, Box::new(item));
    select.filter = Some(match select.filter.take() {
        Some(filter) => filter.and(equal),
        None => equal,
    });
    select.items = vec![Item::bare(Expr::int(1))];
    select.distinct = false;
    query.order_by.clear();
    Some(Expr::Exists { query, negated })
}

/// A comparison with one of its operands changed.
fn left_operand(e: Expr, pick: usize, change: impl Fn(Expr) -> Expr) -> Option<Expr> {
    let plain = |x: &Expr| matches!(x, Expr::Column { .. });
    match e {
        Expr::Binary(op, a, b) if op.is_comparison() && plain(&a) && (pick & 1 == 0 || !plain(&b)) => {
            Some(Expr::Binary(op, Box::new(change(*a)), b))
        }
        Expr::Binary(op, a, b) if op.is_comparison() && plain(&b) => Some(Expr::Binary(op, a, Box::new(change(*b)))),
        Expr::InList { expr, list, negated } if plain(&expr) => {
            Some(Expr::InList { expr: Box::new(change(*expr)), list, negated })
        }
        _ => None,
    }
}

/// A column of the outermost FROM whose value is determined.
fn some_column(m: &Mutant, pick: usize) -> Option<Expr> {
    let columns: Vec<Expr> = all_columns(m).into_iter().map(|(own, ..)| own).collect();
    columns.get(pick % columns.len().max(1)).cloned()
}

/// As seen in the query, and the table and column it is.
fn all_columns(m: &Mutant) -> Vec<(Expr, Name, Name)> {
    let Some(select) = m.query.select() else { return Vec::new() };
    let mut found = Vec::new();
    for joined in &select.from {
        let Source::Table { name, alias, .. } = &joined.source else { continue };
        let Some(table) = m.schema.table(name) else { continue };
        for c in table.columns.iter().filter(|c| c.traits.taint == Taint::Clear) {
            let own = Expr::Column { table: alias.clone(), column: c.name.clone() };
            found.push((own, name.clone(), c.name.clone()));
        }
    }
    found
}

fn table_column(m: &Mutant, pick: usize) -> Option<(Expr, Name, Name)> {
    let columns = all_columns(m);
    columns.get(pick % columns.len().max(1)).cloned()
}

/// `SELECT column FROM table`, or an aggregate of it.
fn values_of(table: &Name, column: &Name, function: Option<&str>) -> Query {
    let own = Expr::Column { table: table.clone(), column: column.clone() };
    let item = match function {
        None => own,
        Some(f) => {
            Expr::Aggregate(Box::new(Aggregate { function: f.into(), args: vec![own], distinct: false, filter: None }))
        }
    };
    let from = vec![member(Join::Comma, table_source(table, table), None)];
    Query::of(Select { items: vec![Item::bare(item)], from, ..Select::default() })
}

fn bound(m: &mut Mutant, pick: usize) -> Option<()> {
    let (own, name, column) = table_column(m, pick)?;
    let (op, function) = if pick & 16 == 16 { (Binary::Le, "max") } else { (Binary::Ge, "min") };
    let edge = Expr::Scalar(Box::new(values_of(&name, &column, Some(function))));
    m.and_true(compare(op, own, edge))
}

/// From `a = b` and `b = k` follows `a = k`: where comparisons convert nothing. Guarded as an agreement of the whole.
fn transitive(m: &mut Mutant, pick: usize) -> Option<()> {
    let conjuncts = m.conjuncts();
    let mut found = Vec::new();
    for c in &conjuncts {
        let Expr::Binary(Binary::Eq, a, b) = c else { continue };
        for d in &conjuncts {
            let Expr::Binary(Binary::Eq, x, k) = d else { continue };
            if !matches!(**k, Expr::Literal(_)) || c == d {
                continue;
            }
            if x == b {
                found.push((a.clone(), k.clone()));
            } else if x == a {
                found.push((b.clone(), k.clone()));
            }
        }
    }
    let (a, k) = found.get(pick % found.len().max(1))?.clone();
    let whole = conjuncts.iter().cloned().reduce(Expr::and)?;
    let more = whole.clone().and(Expr::Binary(Binary::Eq, a, k));
    let differ = compare(Binary::IsNot, truth(whole), truth(more.clone()));
    m.guard_over_from("rows in which the old and the new condition differ", differ)?;
    m.set_conjuncts(vec![more])
}
