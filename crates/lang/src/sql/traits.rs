//! What is known of a value from what is known of its parts: operators, arms of compounds, branches. No scope, no
//! query.

use super::ast::*;
use super::schema::*;
use super::strict;
use super::walk::{self, Part};
use qualm_core::dialect::sql::{Affinity, Dialect, Feature, Kind};

pub fn find(sources: &[ScopeSource], table: &str, column: &str) -> Option<Traits> {
    let source = sources.iter().find(|s| s.alias == table)?;
    let named = source.columns.iter().find(|c| c.name == column).map(|c| c.traits);
    let row_number = Traits { affinity: Affinity::Integer, ..Traits::of(Kind::Int) };
    named.or((source.rowid && column == ROWID).then_some(row_number))
}

/// A column of a query around this one. Where a table with an alias keeps its own name, the name of a table outside may
/// be that of one inside.
pub fn find_outside(scope: &Scope, table: &str, column: &str, dialect: &Dialect) -> Checked<Traits> {
    let mut inner = scope;
    while let Some(outer) = inner.outer {
        let kept = |s: &ScopeSource| dialect.spelling.aliased_keeps_name && s.table.as_deref() == Some(table);
        if inner.sources.iter().any(kept) {
            return Err(Unsound("a table outside that has the name of a table inside"));
        }
        if let Some(traits) = find(&outer.sources, table, column) {
            return Ok(traits);
        }
        inner = outer;
    }
    Err(Unsound("no such column"))
}

pub fn compound(op: SetOp, mut left: Vec<Column>, right: &[Column], dialect: &Dialect) -> Checked<Vec<Column>> {
    if left.len() != right.len() {
        return Err(Unsound("arms of different width"));
    }
    for (l, r) in left.iter_mut().zip(right) {
        let collation = l.traits.collation;
        let differs = collation != r.traits.collation || l.traits.affinity != r.traits.affinity;
        l.traits = Traits { collation, affinity: l.traits.affinity, ..joined(l.traits, r.traits, dialect)? };
        if op != SetOp::UnionAll {
            strict::key(l.traits.kind, dialect)?;
            l.traits.exact &= !differs;
            l.traits = l.traits.merged();
        }
        // SQLite leaves open by which affinity or collation such a column is compared: it may be shown and decides
        // nothing.
        if differs {
            l.traits.taint = Taint::Hard;
        }
    }
    Ok(left)
}

/// A value that is one or the other.
pub fn joined(a: Traits, b: Traits, dialect: &Dialect) -> Checked<Traits> {
    if !dialect.dynamic_typing {
        let kind = strict::one(a.kind, b.kind)?;
        let (exact, pure) = (a.exact && b.exact, a.pure && b.pure);
        return Ok(Traits { exact, pure, ..Traits { kind, summable: a.summable && b.summable, ..a } });
    }
    let same_kind = a.kind == b.kind;
    // A number of either kind may now stand beside an equal one of the other kind.
    let numbers = |k: Kind| !matches!(k, Kind::Text | Kind::Blob);
    let sure = a.pure && b.pure && (same_kind || !numbers(a.kind) || !numbers(b.kind));
    let one_source = a.affinity == b.affinity && a.affinity != Affinity::None && a.affinity != Affinity::Blob;
    Ok(Traits {
        kind: if same_kind { a.kind } else { Kind::Any },
        pure: a.pure && b.pure && same_kind,
        affinity: a.affinity,
        collation: a.collation,
        exact: a.exact && b.exact && (sure || one_source),
        summable: a.summable && b.summable,
        taint: a.taint.max(b.taint),
        json: a.json || b.json,
    })
}

pub fn truth(dialect: &Dialect) -> Traits {
    Traits { summable: dialect.numeric_truth, ..Traits::of(strict::truth_kind(dialect)) }
}

pub fn literal(l: &Literal, dialect: &Dialect) -> Traits {
    match l {
        Literal::Null if !dialect.dynamic_typing => Traits { summable: true, ..Traits::of(Kind::Any) },
        Literal::Null => Traits { summable: true, ..Traits::of(Kind::Int) },
        Literal::Bool(_) => truth(dialect),
        Literal::Int(i) => Traits { summable: i.unsigned_abs() < 1 << 16, ..Traits::of(Kind::Int) },
        Literal::Real(r) => {
            Traits { summable: r.abs() < 65536.0 && (r * 256.0).fract() == 0.0, ..Traits::of(Kind::Real) }
        }
        Literal::Text(_) => Traits::of(Kind::Text),
        Literal::Blob(_) => Traits::of(Kind::Blob),
        Literal::Special(kind, _) => special(Kind::Special(*kind), dialect),
    }
}

/// A value of a kind that the dialect lists beside the basic ones.
pub fn special(kind: Kind, dialect: &Dialect) -> Traits {
    let spec = dialect.special(kind);
    let (exact, summable) = (spec.is_some_and(|k| k.exact), spec.is_some_and(|k| k.sums));
    if kind.is_special() { Traits { exact, summable, ..Traits::of(kind) } } else { Traits::of(kind) }
}

/// SQLite compares an expression by a COLLATE anywhere inside, in a condition of CASE too, but not inside a subquery.
/// Of several one that is not binary is taken, which tells fewest values apart.
pub fn collated(e: &Expr, traits: Traits, dialect: &Dialect) -> Traits {
    if !dialect.dynamic_typing || traits.collation != 0 || matches!(traits.kind, Kind::Int | Kind::Real) {
        return traits;
    }
    Traits { collation: collation_inside(e, dialect), ..traits }
}

fn collation_inside(e: &Expr, dialect: &Dialect) -> u8 {
    match e {
        Expr::Collate { collation, .. } => collation_index(collation, dialect),
        _ => walk::children(e).into_iter().map(|x| collation_inside(x, dialect)).max().unwrap_or(0),
    }
}

pub fn unary(op: Unary, t: Traits, dialect: &Dialect) -> Checked<Traits> {
    if !dialect.dynamic_typing {
        let kind = strict::unary(op, t.kind, dialect)?;
        // The opposite of zero equals it and is written differently.
        return Ok(Traits { kind, exact: t.exact && kind != Kind::Real, ..t });
    }
    Ok(match op {
        Unary::Not => Traits { taint: t.taint, ..truth(dialect) },
        Unary::BitNot => Traits { taint: t.taint, ..Traits::of(Kind::Int) },
        Unary::Plus => Traits { affinity: Affinity::None, ..t },
        Unary::Minus => Traits { affinity: Affinity::None, collation: 0, exact: t.pure && t.kind == Kind::Int, ..t },
    })
}

pub fn binary(op: Binary, l: Traits, r: Traits, dialect: &Dialect) -> Checked<Traits> {
    let taint = l.taint.max(r.taint);
    let taint = if taint == Taint::Clear { taint } else { Taint::Hard };
    if !dialect.dynamic_typing {
        let kind = strict::binary(op, l.kind, r.kind, dialect)?;
        if kind.is_special() {
            return Ok(Traits { taint, ..special(kind, dialect) });
        }
        let adds = l.summable && r.summable && matches!(op, Binary::Add | Binary::Sub);
        let exact = kind != Kind::Real || adds;
        return Ok(Traits { taint, exact, summable: adds, pure: l.pure && r.pure, ..Traits::of(kind) });
    }
    let base = match op {
        Binary::And | Binary::Or => truth(dialect),
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => truth(dialect),
        Binary::Is | Binary::IsNot | Binary::IsDistinctFrom | Binary::IsNotDistinctFrom => truth(dialect),
        Binary::Concat => Traits::of(Kind::Text),
        Binary::BitAnd | Binary::BitOr | Binary::ShiftLeft | Binary::ShiftRight => Traits::of(Kind::Int),
        Binary::JsonArrow | Binary::JsonArrowText => {
            Traits { pure: false, exact: false, json: true, ..Traits::of(Kind::Any) }
        }
        Binary::Match => return Err(Unsound("a search where no index answers it")),
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod => {
            // Arithmetic over what may be text or float gives sometimes an integer and sometimes a float.
            let ints = l.pure && r.pure && l.kind == Kind::Int && r.kind == Kind::Int;
            let summable = l.summable && r.summable && matches!(op, Binary::Add | Binary::Sub);
            let kind = if ints { Kind::Int } else { Kind::Real };
            Traits { pure: ints && summable, exact: ints && summable, summable, ..Traits::of(kind) }
        }
    };
    Ok(Traits { taint, ..base })
}

/// Whether words are looked for by an index somewhere in it.
pub fn searches(tree: &(impl walk::Tree + ?Sized)) -> bool {
    let mut found = false;
    walk::each_expr(tree, &mut |e| found |= matches!(e, Expr::Binary(Binary::Match, ..)));
    found
}

/// Anything less may be folded to a number, which some engines read as the position of a column.
pub fn names_a_column(e: &Expr) -> bool {
    let mut found = false;
    walk::each_expr(e, &mut |x| found |= matches!(x, Expr::Column { .. }));
    found || contains_aggregate(e)
}

pub fn has_aggregate(s: &Select) -> bool {
    s.items.iter().any(|i| contains_aggregate(&i.expr))
}

/// An aggregate of this query (not one inside a subquery).
pub fn contains_aggregate(e: &Expr) -> bool {
    match e {
        Expr::Aggregate(_) => true,
        Expr::Literal(_) | Expr::Column { .. } | Expr::Window(_) | Expr::Exists { .. } | Expr::Scalar(_) => false,
        Expr::Unary(_, x) | Expr::IsNull { expr: x, .. } | Expr::IsTruth { expr: x, .. } => contains_aggregate(x),
        Expr::Cast { expr: x, .. } | Expr::Collate { expr: x, .. } | Expr::InQuery { expr: x, .. } => {
            contains_aggregate(x)
        }
        Expr::Binary(_, a, b) => contains_aggregate(a) || contains_aggregate(b),
        Expr::Like { expr, pattern, .. } => contains_aggregate(expr) || contains_aggregate(pattern),
        Expr::Between { expr, low, high, .. } => [expr, low, high].iter().any(|x| contains_aggregate(x)),
        Expr::InList { expr, list, .. } => contains_aggregate(expr) || list.iter().any(contains_aggregate),
        Expr::Call { args, .. } | Expr::Row(args) => args.iter().any(contains_aggregate),
        Expr::Case { operand, arms, otherwise } => {
            operand.iter().chain(otherwise).any(|x| contains_aggregate(x))
                || arms.iter().any(|(a, b)| contains_aggregate(a) || contains_aggregate(b))
        }
    }
}

/// A column of these sources is mentioned, outside subqueries.
pub fn mentions(e: &Expr, sources: &[ScopeSource]) -> bool {
    match e {
        Expr::Column { table, .. } => sources.iter().any(|s| s.alias == *table),
        Expr::Unary(_, x) | Expr::IsNull { expr: x, .. } | Expr::IsTruth { expr: x, .. } => mentions(x, sources),
        Expr::Cast { expr: x, .. } | Expr::Collate { expr: x, .. } => mentions(x, sources),
        Expr::Binary(_, a, b) => mentions(a, sources) || mentions(b, sources),
        Expr::Like { expr, pattern, .. } => mentions(expr, sources) || mentions(pattern, sources),
        Expr::Between { expr, low, high, .. } => [expr, low, high].iter().any(|x| mentions(x, sources)),
        Expr::InList { expr, list, .. } => mentions(expr, sources) || list.iter().any(|x| mentions(x, sources)),
        Expr::InQuery { expr, .. } => mentions(expr, sources),
        Expr::Call { args, .. } | Expr::Row(args) => args.iter().any(|x| mentions(x, sources)),
        Expr::Case { operand, arms, otherwise } => {
            operand.iter().chain(otherwise).any(|x| mentions(x, sources))
                || arms.iter().any(|(a, b)| mentions(a, sources) || mentions(b, sources))
        }
        Expr::Literal(_) | Expr::Aggregate(_) | Expr::Window(_) | Expr::Exists { .. } | Expr::Scalar(_) => false,
    }
}

/// At most one row comes, whatever the data: an aggregate without groups, or LIMIT 1 (whose order is checked
/// elsewhere).
pub fn gives_one_row(q: &Query) -> bool {
    if q.limit.as_ref().is_some_and(|l| l.count <= 1) {
        return true;
    }
    match &q.body {
        Body::Select(s) => s.group_by.is_empty() && (s.from.is_empty() || has_aggregate(s)),
        Body::Values(rows) => rows.len() == 1,
        Body::Compound { .. } => false,
    }
}

/// Whether a query in FROM refers to one of the members before it.
pub fn is_lateral(before: &[Joined], query: &Query) -> bool {
    !before.is_empty() && refers(query, &|alias| before.iter().any(|j| j.source.alias() == alias))
}

/// Whether the last of these members is LATERAL, in a dialect that has it.
pub fn ends_lateral(from: &[Joined], dialect: &Dialect) -> bool {
    let Some((Joined { source: Source::Query { query, .. }, .. }, before)) = from.split_last() else { return false };
    dialect.lists(Feature::Lateral) && is_lateral(before, query)
}

/// Whether a query refers to one of these names that is not a member of its own FROM.
fn refers(query: &Query, to: &dyn Fn(&Name) -> bool) -> bool {
    let mut own: Vec<&Name> = Vec::new();
    members(&query.body, &mut own);
    let outside = |name: &Name| to(name) && !own.contains(&name);
    let mut found = false;
    walk::query_parts(query, &mut |part| {
        found = found
            || match part {
                Part::Expr(e) => names(e, &outside),
                Part::Query(q) => refers(q, &outside),
            }
    });
    found
}

fn names(e: &Expr, outside: &dyn Fn(&Name) -> bool) -> bool {
    let mut found = matches!(e, Expr::Column { table, .. } if outside(table));
    walk::expr_parts(e, &mut |part| {
        found = found
            || match part {
                Part::Expr(e) => names(e, outside),
                Part::Query(q) => refers(q, outside),
            }
    });
    found
}

fn members<'a>(body: &'a Body, own: &mut Vec<&'a Name>) {
    match body {
        Body::Select(s) => own.extend(s.from.iter().map(|j| j.source.alias())),
        Body::Compound { left, right, .. } => {
            members(left, own);
            members(right, own);
        }
        Body::Values(_) => {}
    }
}
