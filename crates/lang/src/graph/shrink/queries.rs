//! What can be cut out of a query.

use super::{Edit, edit, remove_range};
use crate::graph::ast::*;
use crate::graph::check;
use crate::graph::source::GraphSource;
use crate::oracle::partition;
use qualm_core::reduce::chunks;

/// Clauses, paths, filters, items, pins.
pub fn drop_parts(source: &GraphSource) -> Vec<Edit> {
    let q = &source.question.query;
    let mut edits: Vec<Edit> = Vec::new();
    for i in (0..q.clauses.len()).rev() {
        edits.push(edit(move |s| {
            let fine = s.question.query.clauses.len() > 1 && remove_range(&mut s.question.query.clauses, &(i..i + 1));
            fine && rescue(s)
        }));
        edits.push(edit(move |s| match s.question.query.clauses.get_mut(i) {
            Some(Clause::Match { filter, .. } | Clause::With { filter }) => filter.take().is_some(),
            _ => false,
        }));
        for j in 0..check::paths(&q.clauses[i]).len() {
            edits.push(edit(move |s| match s.question.query.clauses.get_mut(i) {
                Some(Clause::Match { paths, .. }) if paths.len() > 1 => {
                    paths.remove(j.min(paths.len() - 1));
                    rescue(s)
                }
                _ => false,
            }));
        }
    }
    for r in chunks(q.items.len()) {
        edits.push(edit(move |s| {
            s.question.query.items.len() > r.len() && remove_range(&mut s.question.query.items, &r)
        }));
    }
    edits.push(edit(|s| !std::mem::take(&mut s.question.query.order_by).is_empty()));
    for r in chunks(source.question.pins.len()) {
        edits.push(edit(move |s| s.question.pins.len() > r.len() && remove_range(&mut s.question.pins, &r)));
    }
    edits
}

/// After patterns went: whatever spoke of a variable that is gone goes too, or speaks of one that is left.
fn rescue(source: &mut GraphSource) -> bool {
    let bound = check::variables(&source.question.query.clauses);
    let Some(first) = check::node_variables(&source.question.query.clauses).into_iter().next() else { return false };
    let move_over = |e: &mut Expr| {
        e.each_mut(&mut |e| {
            // A node has no length.
            if let Expr::Call(name, of) = e
                && name == check::LENGTH
                && matches!(of.as_slice(), [Expr::Var(v)] if !bound.contains(v))
            {
                *e = Expr::Var(first.clone());
            }
            if let Expr::Var(v) | Expr::Property(v, _) | Expr::Properties(v) | Expr::HasLabel(v, _) = e
                && !bound.contains(v)
                && v != "e"
            {
                v.clone_from(&first);
            }
        });
    };
    let q = &mut source.question;
    for clause in &mut q.query.clauses {
        if let Clause::Match { filter: Some(f), .. } | Clause::With { filter: Some(f) } = clause {
            move_over(f);
        }
    }
    q.query.items.iter_mut().for_each(move_over);
    q.query.items.dedup();
    q.predicate.iter_mut().for_each(move_over);
    q.query.order_by.clear();
    for pin in q.pins.iter_mut().filter(|p| !bound.contains(&p.var)) {
        pin.var.clone_from(&first);
    }
    true
}

/// Other forms of the same oracle, an earlier place of the rule, plain clauses in place of special ones.
pub fn plainer_forms(source: &GraphSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    if !["", partition::ROWS, partition::UNION].contains(&source.question.form.as_str()) {
        edits.push(edit(|s| {
            let first = check::node_variables(&s.question.query.clauses).into_iter().next();
            s.question.form = "rows".into();
            s.question.query.distinct = false;
            if s.question.query.items.iter().any(check::is_aggregate) {
                let relationships = check::relationships(&s.question.query.clauses);
                let all = first.into_iter().chain(relationships.iter().map(|r| r.var.clone()));
                s.question.query.items = all.map(Expr::Var).collect();
            }
            true
        }));
    }
    if let Some(rewrite) = &source.question.rewrite {
        for at in 0..rewrite.at {
            edits.push(edit(move |s| s.question.rewrite.as_mut().map(|r| r.at = at).is_some()));
        }
    }
    for i in 0..source.question.query.clauses.len() {
        edits.push(edit(move |s| match s.question.query.clauses.get_mut(i) {
            Some(Clause::Match { optional, .. }) => std::mem::replace(optional, false),
            _ => false,
        }));
        edits.push(edit(move |s| match s.question.query.clauses.get_mut(i) {
            Some(Clause::Unwind { list, .. }) if list.len() > 1 => list.pop().is_some(),
            _ => false,
        }));
    }
    // A whole element in place of an expression.
    for i in 0..source.question.query.items.len() {
        edits.push(edit(move |s| {
            let Some(var) = check::variables(&s.question.query.clauses).into_iter().next() else { return false };
            s.question.query.items.get_mut(i).map(|e| *e = Expr::Var(var)).is_some()
        }));
    }
    edits
}

/// All parts in one statement, once nothing else can go: what a person runs then is a query, and it divided.
pub fn fewer_questions(source: &GraphSource) -> Vec<Edit> {
    let parts = source.oracle == partition::SPEC.name && source.question.form == partition::ROWS;
    let all_in_one = edit(|s| {
        s.question.form = partition::UNION.into();
        true
    });
    if parts { vec![all_in_one] } else { Vec::new() }
}

fn path_at(source: &mut GraphSource, clause: usize, path: usize) -> Option<&mut Path> {
    match source.question.query.clauses.get_mut(clause)? {
        Clause::Match { paths, .. } => paths.get_mut(path),
        _ => None,
    }
}

/// Steps at both ends of each path; labels, types, maps, directions, lengths.
pub fn shorter_paths(source: &GraphSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (i, clause) in source.question.query.clauses.iter().enumerate() {
        for (j, path) in check::paths(clause).into_iter().enumerate() {
            edits.push(edit(move |s| path_at(s, i, j).is_some_and(|p| p.steps.pop().is_some()) && rescue(s)));
            edits.push(edit(move |s| {
                let Some(p) = path_at(s, i, j) else { return false };
                if p.steps.is_empty() {
                    return false;
                }
                p.start = p.steps.remove(0).1;
                rescue(s)
            }));
            for n in 0..path.nodes().count() {
                edits.push(edit(move |s| {
                    let node = path_at(s, i, j).and_then(|p| p.nodes_mut().nth(n));
                    node.is_some_and(|n| n.labels.pop().is_some())
                }));
                edits.push(edit(move |s| {
                    let node = path_at(s, i, j).and_then(|p| p.nodes_mut().nth(n));
                    node.is_some_and(|n| n.properties.pop().is_some())
                }));
            }
            for n in 0..path.steps.len() {
                edits.extend(plainer_step(i, j, n));
            }
        }
    }
    edits
}

fn plainer_step(clause: usize, path: usize, step: usize) -> Vec<Edit> {
    let on = move |change: fn(&mut RelPattern) -> bool| {
        edit(move |s| path_at(s, clause, path).and_then(|p| p.steps.get_mut(step)).is_some_and(|(r, _)| change(r)))
    };
    let one_step = edit(move |s| {
        let step = path_at(s, clause, path).and_then(|p| p.steps.get_mut(step));
        let Some((r, _)) = step.filter(|(r, _)| r.length.is_some()) else { return false };
        r.length = None;
        let var = Expr::Var(r.var.clone());
        // What gave the length of a path names the relationship now.
        let length = Expr::Call(check::LENGTH.into(), vec![var.clone()]);
        let put = |e: &mut Expr| {
            if *e == length {
                *e = var.clone();
            }
        };
        s.question.query.items.iter_mut().for_each(|item| item.each_mut(&mut |e| put(e)));
        true
    });
    vec![
        one_step,
        on(|r| r.types.pop().is_some()),
        on(|r| r.properties.pop().is_some()),
        on(|r| std::mem::replace(&mut r.direction, Direction::Out) != Direction::Out),
        on(|r| match &mut r.length {
            Some((low, high)) if *high > *low => {
                *high -= 1;
                true
            }
            _ => false,
        }),
    ]
}
