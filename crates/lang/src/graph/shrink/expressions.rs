//! What can be made smaller in expressions. A *site* is a position in the order in which they are written.

use super::states::plainer;
use super::{Edit, edit};
use crate::graph::ast::*;
use crate::graph::source::GraphSource;
use qualm_core::dialect::graph::Kind;

/// All expressions of the question: the predicate, filters, items, orders.
pub fn roots(source: &mut GraphSource) -> Vec<&mut Expr> {
    let q = &mut source.question;
    let mut found: Vec<&mut Expr> = Vec::new();
    found.extend(q.predicate.iter_mut());
    for clause in &mut q.query.clauses {
        if let Clause::Match { filter: Some(f), .. } | Clause::With { filter: Some(f) } = clause {
            found.push(f);
        }
    }
    found.extend(q.query.items.iter_mut());
    found
}

/// Calls with each expression and its number.
pub fn each_site(source: &GraphSource, visit: &mut dyn FnMut(usize, &Expr)) {
    let mut copy = source.clone();
    let mut at = 0;
    for root in roots(&mut copy) {
        root.each(&mut |e| {
            visit(at, e);
            at += 1;
        });
    }
}

pub fn replace(source: &mut GraphSource, site: usize, by: &Expr) -> bool {
    let mut at = 0;
    let mut done = false;
    for root in roots(source) {
        // Once replaced, what is inside is not counted any more.
        root.each_mut(&mut |e| {
            if !done && at == site {
                *e = by.clone();
                done = true;
            }
            at += 1;
        });
    }
    done
}

fn to_edits(found: Vec<(usize, Expr)>) -> Vec<Edit> {
    found.into_iter().map(|(site, by)| edit(move |s| replace(s, site, &by))).collect()
}

fn truth(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Not(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Xor(..)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::Compare(..)
            | Expr::Test(..)
            | Expr::In(..)
            | Expr::Between(..)
            | Expr::PredicateNot(_)
            | Expr::PredicateAnd(..)
            | Expr::PredicateOr(..)
            | Expr::Quantified(..)
            | Expr::HasLabel(..)
            | Expr::Exists(_)
            | Expr::Literal(Literal::Bool(_))
    )
}

/// A part in place of the whole.
pub fn inner(source: &GraphSource) -> Vec<Edit> {
    let mut found = Vec::new();
    each_site(source, &mut |at, e| {
        for child in e.children() {
            if matches!(e, Expr::Aggregate(..)) || matches!(e, Expr::Quantified(..)) {
                continue;
            }
            // A comparison is no place for its operands, unless these are truth values.
            if !truth(e) || truth(child) || matches!(e, Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Xor(..)) {
                found.push((at, child.clone()));
            }
        }
        match e {
            Expr::In(a, members) if members.len() > 1 => {
                for i in 0..members.len() {
                    let mut fewer = members.clone();
                    fewer.remove(i);
                    found.push((at, Expr::In(a.clone(), fewer)));
                }
            }
            _ => {}
        }
    });
    to_edits(found)
}

/// Plain things in place of composed ones.
pub fn simpler(source: &GraphSource) -> Vec<Edit> {
    let mut found = Vec::new();
    let model = &source.model;
    each_site(source, &mut |at, e| match e {
        Expr::Literal(_) | Expr::Var(_) | Expr::Aggregate(..) => {}
        Expr::In(a, members) if members.len() == 1 => {
            found.push((at, Expr::Compare(Comparison::Equal, a.clone(), Box::new(members[0].clone()))));
        }
        Expr::Compare(how, a, b) if matches!(**a, Expr::Literal(_)) => {
            found.push((at, Expr::Compare(how.mirrored(), b.clone(), a.clone())));
        }
        _ if truth(e) => {
            found.push((at, Expr::truth(true)));
            found.push((at, Expr::truth(false)));
            found.extend(of_the_key(e).map(|by| (at, by)));
            match e {
                Expr::Xor(a, b) => found.push((at, Expr::Or(a.clone(), b.clone()))),
                Expr::Or(a, b) => found.push((at, Expr::And(a.clone(), b.clone()))),
                _ => {}
            }
        }
        Expr::Property(_, p) => {
            let values = match model.kinds(p).first() {
                Some(Kind::Int) => vec![Literal::Int(0), Literal::Int(1)],
                Some(Kind::Float) => vec![Literal::Float(0.0), Literal::Float(1.0)],
                Some(Kind::Text) => vec![Literal::Text(String::new()), Literal::Text("a".into())],
                Some(Kind::Bool) => vec![Literal::Bool(true)],
                _ => Vec::new(),
            };
            found.extend(values.into_iter().map(|v| (at, Expr::Literal(v))));
        }
        _ => {
            let plain = [Literal::Int(0), Literal::Int(1), Literal::Text("a".into()), Literal::Float(1.0)];
            found.extend(plain.into_iter().map(|v| (at, Expr::Literal(v))));
        }
    });
    to_edits(found)
}

/// Where the property does not matter, what is said of a single element is said of its key: one bug then looks the same
/// whichever kinds of values it was found with.
fn of_the_key(e: &Expr) -> impl Iterator<Item = Expr> + use<> {
    let mut vars: Vec<String> = Vec::new();
    e.each(&mut |e| {
        if let Expr::Property(v, _) = e
            && !vars.contains(v)
        {
            vars.push(v.clone());
        }
    });
    let one = if vars.len() == 1 { vars.pop() } else { None };
    let key = |v: &String, how| Expr::compare(how, Expr::property(v, KEY), Expr::int(0));
    let made = one.map(|v| [key(&v, Comparison::Equal), key(&v, Comparison::NotEqual)]);
    made.into_iter().flatten()
}

pub fn values(source: &GraphSource) -> Vec<Edit> {
    let mut found = Vec::new();
    each_site(source, &mut |at, e| {
        if let Expr::Literal(l) = e {
            found.extend(plainer(l).into_iter().map(|by| (at, Expr::Literal(by))));
        }
    });
    to_edits(found)
}
