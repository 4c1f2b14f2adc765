//! Smaller expressions: a literal or an operand in place of the whole, fewer list members, plainer operators, smaller
//! literals. Works on every site of state and question alike.

use super::super::ast::*;
use super::super::walk;
use super::weight;
use super::{Edit, clear, edit, is_literal, mentions, off, remove_range};
use qualm_core::reduce::chunks;

pub fn each_site(source: &SqlSource, mut visit: impl FnMut(usize, &Expr)) {
    let mut site = 0;
    walk::each_expr(source, &mut |e| {
        visit(site, e);
        site += 1;
    });
}

pub fn on_site(site: usize, change: impl Fn(&mut Expr) -> bool + 'static) -> Edit {
    edit(move |s| {
        let mut done = false;
        walk::change_expr(s, site, &mut |e| done = change(e));
        done
    })
}

pub fn put(site: usize, new: Expr) -> Edit {
    on_site(site, move |e| {
        *e = new.clone();
        true
    })
}

/// What may stand in the place of any expression.
fn plain_values(booleans: bool) -> Vec<Expr> {
    let mut values = vec![Expr::null(), Expr::int(0), Expr::int(1), Expr::text("")];
    if booleans {
        values.extend([false, true].map(|b| Expr::Literal(Literal::Bool(b))));
    }
    values
}

/// Truth values may be no numbers here: columns of a strict dialect have no affinity.
fn has_booleans(source: &SqlSource) -> bool {
    let strict = |t: &CreateTable| t.columns.iter().any(|c| c.affinity == qualm_core::dialect::sql::Affinity::None);
    source.state.iter().any(|s| matches!(s, Statement::CreateTable(t) if strict(t)))
}

pub fn replace(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    let booleans = has_booleans(source);
    each_site(source, |site, expr| {
        if matches!(expr, Expr::Literal(_)) {
            return;
        }
        edits.extend(plain_values(booleans).into_iter().map(|value| put(site, value)));
        let children = walk::children(expr);
        edits.extend(children.iter().map(|child| put(site, (*child).clone())));
        // A column from further down saves several steps, and is sometimes right where each step alone is not.
        let near: Vec<Expr> = children.into_iter().cloned().collect();
        edits.extend(columns_of(expr, &near).into_iter().map(|column| put(site, column)));
        edits.extend(shown_within(expr).into_iter().map(|item| put(site, item)));
        shorter_lists(site, expr, &mut edits);
    });
    edits
}

/// What a subquery shows, at any depth, as far as it needs no row to be asked.
fn shown_within(expr: &Expr) -> Vec<Expr> {
    let mut shown = Vec::new();
    let Expr::Scalar(query) = expr else { return shown };
    walk::each_select(&**query, &mut |select| {
        let free = |e: &Expr| !mentions(e, |e| matches!(e, Expr::Column { .. }));
        shown.extend(select.items.iter().map(|item| &item.expr).filter(|e| !is_literal(e) && free(e)).cloned());
    });
    shown
}

const COLUMNS_TRIED: usize = 3;

fn columns_of(expr: &Expr, known: &[Expr]) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    if matches!(expr, Expr::Column { .. }) {
        return found;
    }
    walk::each_expr(expr, &mut |e| {
        if matches!(e, Expr::Column { .. }) && !found.contains(e) && !known.contains(e) && found.len() < COLUMNS_TRIED {
            found.push(e.clone());
        }
    });
    found
}

fn shorter_lists(site: usize, expr: &Expr, edits: &mut Vec<Edit>) {
    match expr {
        Expr::InList { list, .. } => {
            for range in chunks(list.len()).into_iter().skip(1) {
                edits.push(on_site(site, move |e| match e {
                    Expr::InList { list, .. } => remove_range(list, &range),
                    _ => false,
                }));
            }
        }
        Expr::Case { arms, .. } => {
            for range in chunks(arms.len()).into_iter().skip(1) {
                edits.push(on_site(site, move |e| match e {
                    Expr::Case { arms, .. } => remove_range(arms, &range),
                    _ => false,
                }));
            }
            edits.push(on_site(site, |e| match e {
                Expr::Case { otherwise, .. } => clear(otherwise),
                _ => false,
            }));
            edits.push(on_site(site, |e| match e {
                Expr::Case { operand, .. } => clear(operand),
                _ => false,
            }));
        }
        Expr::Call { args, .. } => {
            for i in 0..args.len() {
                edits.push(on_site(site, move |e| match e {
                    Expr::Call { args, .. } => remove_range(args, &(i..i + 1)),
                    _ => false,
                }));
            }
        }
        Expr::Binary(op, l, r) => {
            if let (Expr::Row(left), Expr::Row(right)) = (&**l, &**r) {
                for (a, b) in left.iter().zip(right) {
                    edits.push(put(site, Expr::Binary(*op, Box::new(a.clone()), Box::new(b.clone()))));
                }
            }
        }
        Expr::Aggregate(_) | Expr::Window(_) => shorter_aggregates(site, expr, edits),
        _ => {}
    }
}

fn shorter_aggregates(site: usize, expr: &Expr, edits: &mut Vec<Edit>) {
    fn aggregate(e: &mut Expr) -> Option<&mut Aggregate> {
        match e {
            Expr::Aggregate(a) => Some(a),
            Expr::Window(w) => Some(&mut w.function),
            _ => None,
        }
    }
    edits.push(on_site(site, |e| aggregate(e).is_some_and(|a| clear(&mut a.filter))));
    edits.push(on_site(site, |e| aggregate(e).is_some_and(|a| off(&mut a.distinct))));
    let Expr::Window(window) = expr else { return };
    edits.push(on_site(site, |e| match e {
        Expr::Window(w) => clear(&mut w.frame),
        _ => false,
    }));
    for range in chunks(window.partition_by.len()) {
        edits.push(on_site(site, move |e| match e {
            Expr::Window(w) => remove_range(&mut w.partition_by, &range),
            _ => false,
        }));
    }
    for range in chunks(window.order_by.len()) {
        edits.push(on_site(site, move |e| match e {
            Expr::Window(w) => remove_range(&mut w.order_by, &range),
            _ => false,
        }));
    }
}

// ---------------------------------------------------------------- plainer operators

pub fn simplify(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    each_site(source, |site, expr| plainer(site, expr, &mut edits));
    edits
}

/// Stands for any function where the bug needs a call and no particular one; features leave its name out.
pub const ANY_FUNCTION: &str = "abs";

fn plainer(site: usize, expr: &Expr, edits: &mut Vec<Edit>) {
    let binary = |op: Binary, l: &Expr, r: &Expr| Expr::Binary(op, Box::new(l.clone()), Box::new(r.clone()));
    match expr {
        Expr::Binary(op, l, r) => {
            let others: &[Binary] = match op {
                _ if op.is_comparison() => &[Binary::Eq, Binary::Is, Binary::Gt, Binary::Ge],
                Binary::Or => &[Binary::And],
                Binary::And => &[],
                _ => &[Binary::Add],
            };
            edits.extend(others.iter().filter(|o| *o != op).map(|o| put(site, binary(*o, l, r))));
        }
        Expr::Between { expr, low, high, .. } => {
            edits.push(put(site, binary(Binary::Ge, expr, low)));
            edits.push(put(site, binary(Binary::Le, expr, high)));
        }
        Expr::InList { expr, list, .. } if list.len() == 1 => edits.push(put(site, binary(Binary::Eq, expr, &list[0]))),
        Expr::Like { .. } => {
            edits.push(on_site(site, |e| match e {
                Expr::Like { escape, .. } => clear(escape),
                _ => false,
            }));
            edits.push(on_site(site, |e| match e {
                Expr::Like { glob, .. } => off(glob),
                _ => false,
            }));
        }
        // Where any expression over the column will do, the plainest one does.
        Expr::Call { args, .. } if args.len() == 1 => {
            edits.push(put(site, Expr::Unary(Unary::Minus, Box::new(args[0].clone()))));
            edits.push(put(site, Expr::call(ANY_FUNCTION, args.clone())));
        }
        Expr::Call { args, .. } if args.len() > 1 => {
            edits.push(put(site, Expr::call(ANY_FUNCTION, vec![args[0].clone()])));
        }
        Expr::Window(w) => edits.push(put(site, Expr::Aggregate(Box::new(w.function.clone())))),
        _ => {}
    }
    edits.push(on_site(site, |e| match e {
        Expr::IsNull { negated, .. }
        | Expr::IsTruth { negated, .. }
        | Expr::Between { negated, .. }
        | Expr::InList { negated, .. }
        | Expr::InQuery { negated, .. }
        | Expr::Like { negated, .. }
        | Expr::Exists { negated, .. } => off(negated),
        _ => false,
    }));
}

// ---------------------------------------------------------------- smaller literals

pub fn literals(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    each_site(source, |site, expr| {
        if let Expr::Literal(literal) = expr {
            edits.extend(smaller(literal).into_iter().map(|l| put(site, Expr::Literal(l))));
        }
    });
    edits
}

fn smaller(literal: &Literal) -> Vec<Literal> {
    let mut found = vec![Literal::Null, Literal::Int(0), Literal::Int(1), Literal::Int(-1)];
    match literal {
        Literal::Null | Literal::Bool(_) | Literal::Special(..) => {}
        Literal::Int(i) => found.extend([i / 1_000_000, i / 1000, i / 10, i.wrapping_neg()].map(Literal::Int)),
        Literal::Real(r) => {
            found.extend([0.0, 1.0, 0.5].map(Literal::Real));
            let whole = r.trunc();
            found.push(Literal::Real(whole));
            if whole.abs() < 1e15 {
                found.push(Literal::Int(whole as i64));
            }
        }
        Literal::Text(t) => {
            found.extend(["", "a"].map(|t| Literal::Text(t.into())));
            let chars: Vec<char> = t.chars().collect();
            for range in chunks(chars.len()) {
                let left = chars.iter().enumerate().filter(|(i, _)| !range.contains(i)).map(|(_, c)| c);
                found.push(Literal::Text(left.collect()));
            }
        }
        Literal::Blob(bytes) => {
            found.push(Literal::Text(String::new()));
            for range in chunks(bytes.len()) {
                let left = bytes.iter().enumerate().filter(|(i, _)| !range.contains(i)).map(|(_, b)| *b);
                found.push(Literal::Blob(left.collect()));
            }
        }
    }
    let limit = weight::literal(literal);
    found.retain(|l| weight::literal(l) < limit);
    found
}
