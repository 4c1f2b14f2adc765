//! What each rule of containment does to one place of a query.

use super::*;

pub(super) fn taken(e: &mut Expr) -> Expr {
    std::mem::replace(e, Expr::null())
}

pub(super) fn conjunct(spot: Spot, p: Expr) -> Option<bool> {
    let and = |place: &mut Option<Expr>, p: Expr| {
        *place = Some(match place.take() {
            Some(e) => e.and(p),
            None => p,
        });
    };
    match spot {
        Spot::Truth(e) => *e = taken(e).and(p),
        Spot::Filter(s) => and(&mut s.filter, p),
        Spot::Having(s) => and(&mut s.having, p),
        _ => return None,
    }
    Some(false)
}

/// One operand of AND or OR alone.
pub(super) fn keep_operand(spot: Spot, left: bool) -> Option<bool> {
    let Spot::Truth(e) = spot else { return None };
    let Expr::Binary(op @ (Binary::And | Binary::Or), a, b) = e else { return None };
    let weaker = *op == Binary::And;
    *e = if left { taken(a) } else { taken(b) };
    Some(weaker)
}

pub(super) fn tighter(op: Binary) -> Option<Binary> {
    match op {
        Binary::Le => Some(Binary::Lt),
        Binary::Ge => Some(Binary::Gt),
        _ => None,
    }
}

/// Another comparison of the same values. Rows are compared from left to right and are left alone.
pub(super) fn compare(spot: Spot, weaker: bool, other: impl Fn(Binary) -> Option<Binary>) -> Option<bool> {
    match spot {
        Spot::Truth(Expr::Binary(op, a, _)) if !matches!(**a, Expr::Row(_)) => {
            *op = other(*op)?;
            Some(weaker)
        }
        _ => None,
    }
}

pub(super) fn loosen(spot: Spot) -> Option<bool> {
    let Spot::Truth(e) = spot else { return None };
    if let Expr::Between { expr, low, negated, .. } = e
        && !matches!(**expr, Expr::Row(_))
    {
        let (op, weaker) = if *negated { (Binary::Lt, false) } else { (Binary::Ge, true) };
        *e = Expr::Binary(op, expr.clone(), low.clone());
        return Some(weaker);
    }
    compare(Spot::Truth(e), true, |op| match op {
        Binary::Lt | Binary::Eq => Some(Binary::Le),
        Binary::Gt => Some(Binary::Ge),
        _ => None,
    })
}

/// A pattern that every text matches.
pub(super) fn any_text(spot: Spot) -> Option<bool> {
    let Spot::Truth(Expr::Like { glob, pattern, negated, .. }) = spot else { return None };
    let all = Expr::text(if *glob { "*" } else { "%" });
    // An unknown pattern gives unknown, which the other one does not.
    if **pattern == all || !matches!(**pattern, Expr::Literal(Literal::Text(_))) {
        return None;
    }
    **pattern = all;
    Some(!*negated)
}

pub(super) fn join(spot: Spot, other: impl Fn(Join) -> Option<(Join, bool)>) -> Option<bool> {
    let Spot::Join(member) = spot else { return None };
    member.on.as_ref()?;
    let (join, weaker) = other(member.join)?;
    member.join = join;
    Some(weaker)
}

pub(super) fn inner(join: Join) -> Option<(Join, bool)> {
    matches!(join, Join::Left | Join::Right | Join::Full).then_some((Join::Inner, false))
}

pub(super) fn outer(join: Join, dialect: &Dialect) -> Option<(Join, bool)> {
    match join {
        Join::Inner => Some((Join::Left, true)),
        Join::Left if dialect.lists(Feature::FullJoinAny) => Some((Join::Full, true)),
        Join::Full => Some((Join::Left, false)),
        _ => None,
    }
}

pub(super) fn set_operation(spot: Spot, wanted: SetOp, with: &Change) -> Option<bool> {
    let Spot::Compound(Body::Compound { op, left, right }) = spot else { return None };
    // INTERSECT binds more tightly than the others in most dialects, and no parentheses are written.
    let plain = matches!((&**left, &**right), (Body::Select(_), Body::Select(_)));
    let unlisted = wanted == SetOp::Intersect && !with.dialect.lists(Feature::IntersectExcept);
    if with.dialect.lists(Feature::OnlyUnionAll) || unlisted || !plain && wanted == SetOp::Intersect {
        return None;
    }
    let weaker = match (*op, wanted) {
        (SetOp::UnionAll, SetOp::Union | SetOp::Intersect) | (SetOp::Union, SetOp::Intersect) => false,
        (SetOp::Intersect, SetOp::Union) => true,
        _ => return None,
    };
    *op = wanted;
    Some(weaker)
}

/// The first arm is all that remains.
pub(super) fn first_arm(spot: Spot) -> Option<bool> {
    let Spot::Compound(body) = spot else { return None };
    let Body::Compound { op, left, .. } = body else { return None };
    let weaker = matches!(op, SetOp::Intersect | SetOp::Except);
    // The rows of the arm alone may come more than once, those of UNION do not.
    if *op == SetOp::Union {
        return None;
    }
    let first = std::mem::replace(&mut **left, Body::Values(Vec::new()));
    *body = first;
    Some(weaker)
}
