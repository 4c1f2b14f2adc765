//! Equivalent expression transformation (Jiang and Su, OSDI 2024).
//!
//! Claim: replacing an expression by one that has the same value does not change the result.
//!
//! Where a truth value is wanted (WHERE, ON, HAVING, operands of AND, OR and NOT, conditions of CASE) every rule may be
//! used; elsewhere only those that preserve the value itself, and only in places where type and collation of the
//! expression do not matter (arguments, operands of arithmetic, literals): wrapping a column in CASE removes its
//! affinity.
//!
//! ```sql
//! SELECT * FROM t0 WHERE c0 > 1;
//! SELECT * FROM t0 WHERE CASE WHEN c1 IS NULL THEN c0 > 1 ELSE c0 > 1 END;     -- the same rows
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, adopt, equality, every, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{print, typing, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Dialect, Kind};
use qualm_core::relation::Relation;

pub const SPEC: OracleSpec = OracleSpec {
    name: "eet",
    claim: "replacing an expression by an equivalent one does not change the result",
    example: "… WHERE p  =  … WHERE CASE WHEN q THEN p ELSE p END",
    weight: 3,
    scout: 1,
    propose,
    derive,
    adopt: Some(adopt::eet_questions),
    every: Some(every::eet_questions),
    ..PLAIN
};

/// One rewrite: its name, an example, whether it needs a place where only truth counts, and what it makes of an
/// expression and a spare one.
pub struct Rule {
    pub name: &'static str,
    pub example: (&'static str, &'static str),
    pub truth_only: bool,
    apply: fn(Expr, Expr, &Dialect) -> Expr,
}

pub const RULES: &[Rule] = &[
    Rule {
        name: "case-dead",
        example: ("e", "CASE WHEN (q AND NOT q AND q IS NOT NULL) THEN q ELSE e END"),
        truth_only: true,
        apply: |e, q, _| choose(never(q.clone()), q, e),
    },
    Rule {
        name: "case-live",
        example: ("e", "CASE WHEN (q OR NOT q OR q IS NULL) THEN e ELSE q END"),
        truth_only: true,
        apply: |e, q, _| choose(always(q.clone()), e, q),
    },
    Rule {
        name: "case-equal",
        example: ("e", "CASE WHEN q THEN e ELSE e END"),
        truth_only: false,
        apply: |e, q, _| choose(q, e.clone(), e),
    },
    Rule {
        name: "and-true",
        example: ("e", "(q OR NOT q OR q IS NULL) AND e"),
        truth_only: true,
        apply: |e, q, _| always(q).and(e),
    },
    Rule {
        name: "or-false",
        example: ("e", "(q AND NOT q AND q IS NOT NULL) OR e"),
        truth_only: true,
        apply: |e, q, _| never(q).or(e),
    },
    Rule { name: "and-one", example: ("e", "e AND 1"), truth_only: true, apply: |e, _, d| e.and(Expr::truth(true, d)) },
    Rule { name: "or-zero", example: ("e", "e OR 0"), truth_only: true, apply: |e, _, d| e.or(Expr::truth(false, d)) },
    Rule { name: "not-not", example: ("e", "NOT NOT e"), truth_only: true, apply: |e, _, _| e.negate().negate() },
    Rule { name: "twice", example: ("e", "e AND e"), truth_only: true, apply: |e, _, _| e.clone().and(e) },
    Rule {
        name: "split",
        example: ("e", "(e AND q) OR (e AND NOT q) OR (e AND q IS NULL)"),
        truth_only: true,
        apply: |e, q, _| e.clone().and(q.clone()).or(e.clone().and(q.clone().negate())).or(e.and(q.is_null())),
    },
    Rule {
        name: "case-truth",
        example: ("e", "CASE WHEN e THEN 1 WHEN NOT e THEN 0 END"),
        truth_only: true,
        apply: |e, _, d| {
            let arms = vec![(e.clone(), Expr::truth(true, d)), (e.negate(), Expr::truth(false, d))];
            Expr::Case { operand: None, arms, otherwise: None }
        },
    },
];

fn choose(when: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Case { operand: None, arms: vec![(when, then)], otherwise: Some(Box::new(otherwise)) }
}

fn always(q: Expr) -> Expr {
    q.clone().or(q.clone().negate()).or(q.is_null())
}

fn never(q: Expr) -> Expr {
    q.clone().and(q.clone().negate()).and(Expr::IsNull { expr: Box::new(q), negated: true })
}

fn propose(g: &mut Generator) -> Option<Question> {
    let query = g.query();
    let places = places(&query, g.dialect());
    if places.is_empty() {
        return None;
    }
    let mut rewrites = Vec::new();
    for _ in 0..g.rng.range(1, 2) {
        let place = *g.rng.pick(&places);
        let rule = &RULES[g.rng.below(RULES.len())];
        if rule.truth_only && !place.truth {
            continue;
        }
        // Made over nothing, so that it can stand anywhere; or over the place's own columns, found in its expression.
        let extra = spare(g, &query, place);
        rewrites.push(Rewrite { rule: rule.name.into(), site: place.site, extra: Some(extra), written: None });
    }
    if rewrites.is_empty() {
        return None;
    }
    Some(Question { rewrites, ..Question::of(query, "rewrite") })
}

/// A truth value said in another way, and a spare predicate that one of them needs.
pub fn another_way(g: &mut Generator, p: &Expr) -> Rewrite {
    let rule = RULES[g.rng.below(RULES.len())].name.into();
    Rewrite { rule, site: 0, extra: Some(spare_over(g, p)), written: None }
}

/// The truth value that such a rewrite makes of another one.
pub fn rewritten(p: Expr, rewrite: &Rewrite, dialect: &Dialect) -> Option<Expr> {
    let rule = RULES.iter().find(|r| r.name == rewrite.rule)?;
    Some((rule.apply)(p, rewrite.extra.clone().unwrap_or_else(Expr::null), dialect))
}

fn spare(g: &mut Generator, query: &Query, place: Place) -> Expr {
    let here = walk::expr_at(query, place.site as usize).unwrap_or_else(Expr::null);
    spare_over(g, &here)
}

/// A small predicate over columns that already stand at the place, so that it is in scope there.
fn spare_over(g: &mut Generator, here: &Expr) -> Expr {
    let mut columns = Vec::new();
    collect_columns(here, &mut columns);
    let dialect = g.dialect();
    if columns.is_empty() {
        return if dialect.dynamic_typing { g.literal(Kind::Int) } else { Expr::truth(g.rng.coin(), dialect) };
    }
    let column = g.rng.pick(&columns).clone();
    if !dialect.dynamic_typing {
        // Whatever its kind is.
        let op = *g.rng.pick(&[Binary::Eq, Binary::Lt]);
        return if g.rng.coin() {
            column.is_null()
        } else {
            Expr::Binary(op, Box::new(column), Box::new(g.rng.pick(&columns).clone()))
        };
    }
    match g.rng.below(3) {
        0 => column.is_null(),
        1 => Expr::Binary(Binary::Gt, Box::new(column), Box::new(g.literal(Kind::Int))),
        _ => Expr::Binary(Binary::Ne, Box::new(column), Box::new(g.literal(Kind::Text))),
    }
}

/// Columns of a query that are tried where a place has none of its own.
const SPARE_COLUMNS: usize = 4;

/// Every rule at every place of a query, with spare predicates over a column of the place where there is one.
pub fn every_rewrite(query: &Query, dialect: &Dialect) -> Vec<Rewrite> {
    let mut all = Vec::new();
    let mut anywhere: Vec<Expr> = Vec::new();
    walk::each_expr(query, &mut |e| {
        if matches!(e, Expr::Column { .. }) && !anywhere.contains(e) {
            anywhere.push(e.clone());
        }
    });
    for place in places(query, dialect) {
        let mut columns = Vec::new();
        if let Some(e) = walk::expr_at(query, place.site as usize) {
            collect_columns(&e, &mut columns);
        }
        // Where the place has no column, one of the query may be in scope there; `derive` decides.
        let mut spares = vec![Expr::int(1)];
        if columns.is_empty() {
            let firsts = anywhere.iter().take(SPARE_COLUMNS);
            spares.extend(firsts.map(|c| c.clone().is_null()));
        }
        if let Some(c) = columns.first() {
            spares = vec![c.clone().is_null(), Expr::Binary(Binary::Gt, Box::new(c.clone()), Box::new(Expr::int(0)))];
        }
        for rule in RULES.iter().filter(|r| place.truth || !r.truth_only) {
            let rewrite = |spare: &Expr| Rewrite {
                rule: rule.name.into(),
                site: place.site,
                extra: Some(spare.clone()),
                written: None,
            };
            all.extend(spares.iter().map(rewrite));
        }
    }
    all
}

/// Columns outside subqueries and aggregates: those inside are not in scope at the place itself.
fn collect_columns(e: &Expr, found: &mut Vec<Expr>) {
    match e {
        Expr::Column { .. } => found.push(e.clone()),
        Expr::Aggregate(_) | Expr::Window(_) => {}
        _ => walk::children(e).into_iter().for_each(|c| collect_columns(c, found)),
    }
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    if columns.is_empty() || q.rewrites.is_empty() {
        return None;
    }
    let mut rewritten = q.query.clone();
    for rewrite in &q.rewrites {
        let place = places(&rewritten, at.dialect).into_iter().find(|p| p.site == rewrite.site)?;
        let rule = RULES.iter().find(|r| r.name == rewrite.rule)?;
        if rule.truth_only && !place.truth {
            return None;
        }
        let spare = rewrite.extra.clone().unwrap_or_else(Expr::null);
        walk::change_expr(&mut rewritten, rewrite.site as usize, &mut |e| {
            let old = std::mem::replace(e, Expr::null());
            *e = (rule.apply)(old, spare.clone(), at.dialect);
        });
    }
    typing::query(&rewritten, at.schema, at.dialect).ok()?;
    let order = order(&q.query, at);
    let script = vec![
        Step::query("as it is", print::query(&q.query, at.dialect)),
        Step::query("with an equivalent expression", print::query(&rewritten, at.dialect)),
    ];
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order, equality: equality(&columns) } })
}

// ---------------------------------------------------------------- places

/// A place where an expression may be replaced, as its position in preorder.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    site: u32,
    /// Only whether it is true, false or unknown counts.
    truth: bool,
}

/// All places of a query. Identified by address while the query is borrowed, then numbered by the walker.
fn places(query: &Query, dialect: &Dialect) -> Vec<Place> {
    let mut marked: Vec<(*const Expr, bool)> = Vec::new();
    walk::each_select(query, &mut |s| {
        s.filter.iter().for_each(|e| truths(e, &mut marked));
        s.from.iter().skip(1).filter_map(|j| j.on.as_ref()).for_each(|e| truths(e, &mut marked));
        s.having.iter().for_each(|e| truths(e, &mut marked));
    });
    walk::each_expr(query, &mut |e| conditions(e, &mut marked));
    walk::each_expr(query, &mut |e| values(e, dialect, &mut marked));
    if query.order_by.is_empty() {
        shown(&query.body, &mut marked);
    }
    let mut found = Vec::with_capacity(marked.len());
    let mut site = 0;
    walk::each_expr(query, &mut |e| {
        let here: *const Expr = e;
        if let Some((_, truth)) = marked.iter().find(|(p, _)| std::ptr::eq(*p, here)) {
            found.push(Place { site, truth: *truth });
        }
        site += 1;
    });
    found
}

/// Operands of `e` of which only the truth counts, wherever `e` stands: in a select list, an argument, a key.
fn conditions(e: &Expr, marked: &mut Vec<(*const Expr, bool)>) {
    match e {
        Expr::Binary(Binary::And | Binary::Or, a, b) => {
            truths(a, marked);
            truths(b, marked);
        }
        Expr::Unary(Unary::Not, x) | Expr::IsTruth { expr: x, .. } => truths(x, marked),
        Expr::Case { operand: None, arms, .. } => arms.iter().for_each(|(when, _)| truths(when, marked)),
        Expr::Aggregate(a) => a.filter.iter().for_each(|filter| truths(filter, marked)),
        Expr::Window(w) => w.function.filter.iter().for_each(|filter| truths(filter, marked)),
        _ => {}
    }
}

/// What the query shows as it is, where nothing looks at its type or collation; of a compound, what its arms show if
/// none of them is compared.
fn shown(body: &Body, marked: &mut Vec<(*const Expr, bool)>) {
    match body {
        Body::Select(select) if !select.distinct => {
            // A key of a group is known by its expression.
            let is_key = |e: &Expr| select.keys().contains(e);
            let free = select.items.iter().map(|i| &i.expr).filter(|e| !is_key(e));
            marked.extend(free.map(|e| (std::ptr::from_ref(e), false)));
        }
        Body::Compound { op: SetOp::UnionAll, left, right } => {
            shown(left, marked);
            shown(right, marked);
        }
        _ => {}
    }
}

/// An expression of which only the truth counts, and those below it of which the same is true.
fn truths(e: &Expr, marked: &mut Vec<(*const Expr, bool)>) {
    marked.push((e, true));
    match e {
        Expr::Binary(Binary::And | Binary::Or, a, b) => {
            truths(a, marked);
            truths(b, marked);
        }
        Expr::Unary(Unary::Not, x) | Expr::IsTruth { expr: x, .. } => truths(x, marked),
        Expr::Case { operand: None, arms, .. } => arms.iter().for_each(|(when, _)| truths(when, marked)),
        _ => {}
    }
}

/// Operands of `e` whose value counts but not their type or collation.
fn values(e: &Expr, dialect: &Dialect, marked: &mut Vec<(*const Expr, bool)>) {
    let mut mark = |x: &Expr| marked.push((x, false));
    match e {
        Expr::Binary(op, a, b) if op.is_comparison() => {
            [a, b].into_iter().filter(|x| matches!(***x, Expr::Literal(_))).for_each(|x| mark(x));
        }
        Expr::Binary(
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Concat | Binary::BitAnd | Binary::BitOr,
            a,
            b,
        ) => {
            mark(a);
            mark(b);
        }
        Expr::Between { low, high, .. } => {
            [low, high].into_iter().filter(|x| matches!(***x, Expr::Literal(_))).for_each(|x| mark(x));
        }
        // Without enforced types the members of a list are compared by what stands before IN, whatever they are.
        Expr::InList { list, .. } => {
            list.iter().filter(|x| dialect.dynamic_typing || matches!(x, Expr::Literal(_))).for_each(mark);
        }
        Expr::Like { pattern, .. } => mark(pattern),
        Expr::Call { function, args } if takes_values(function) => args.iter().for_each(mark),
        Expr::Case { arms, otherwise, .. } => {
            arms.iter().for_each(|(_, then)| mark(then));
            otherwise.iter().for_each(|x| mark(x));
        }
        _ => {}
    }
}

/// Functions that look at nothing but the values of their arguments (min, max and nullif compare by collation; the
/// likelihoods and the formats want constants).
fn takes_values(function: &str) -> bool {
    matches!(
        function,
        "abs"
            | "length"
            | "lower"
            | "upper"
            | "trim"
            | "ltrim"
            | "rtrim"
            | "replace"
            | "instr"
            | "hex"
            | "quote"
            | "typeof"
            | "coalesce"
            | "ifnull"
            | "round"
            | "sign"
            | "unicode"
            | "concat"
    )
}
