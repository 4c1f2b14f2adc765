//! What can be cut out of the statements.

use super::{Edit, edit, remove_range};
use crate::graph::ast::*;
use crate::graph::source::GraphSource;
use qualm_core::reduce::chunks;

pub fn drop_statements(source: &GraphSource) -> Vec<Edit> {
    let ranges = chunks(source.state.len()).into_iter();
    let mut edits: Vec<Edit> = ranges.map(|r| edit(move |s| remove_range(&mut s.state, &r))).collect();
    for r in chunks(source.question.changes.len()) {
        edits.push(edit(move |s| remove_range(&mut s.question.changes, &r)));
    }
    for r in chunks(source.question.deleted.len()) {
        edits.push(edit(move |s| remove_range(&mut s.question.deleted, &r)));
    }
    edits
}

/// Two CREATEs next to each other, or with something in between, as one.
pub fn merge_creates(source: &GraphSource) -> Vec<Edit> {
    let at: Vec<usize> = (0..source.state.len())
        .filter(|i| matches!(source.state[*i], Statement::Create { .. } | Statement::Merge { .. }))
        .collect();
    let pairs = at.windows(2).map(|w| (w[0], w[1]));
    pairs
        .flat_map(|(a, b)| {
            [edit(move |s: &mut GraphSource| merge(s, a, b, a)), edit(move |s: &mut GraphSource| merge(s, a, b, b - 1))]
        })
        .collect()
}

fn parts(s: &Statement) -> Option<(Vec<Node>, Vec<Edge>)> {
    match s {
        Statement::Create { nodes, edges } => Some((nodes.clone(), edges.clone())),
        Statement::Merge { node } => Some((vec![node.clone()], Vec::new())),
        Statement::Connect { edge } => Some((Vec::new(), vec![edge.clone()])),
        _ => None,
    }
}

/// Takes both out and puts one in their place at `place`, counted without the second.
fn merge(source: &mut GraphSource, a: usize, b: usize, place: usize) -> bool {
    if b >= source.state.len() {
        return false;
    }
    let (Some((mut nodes, mut edges)), Some((more, lines))) = (parts(&source.state[a]), parts(&source.state[b])) else {
        return false;
    };
    for node in more {
        // A MERGE of a node that is there sets properties.
        match nodes.iter_mut().find(|n| n.k == node.k) {
            Some(there) => there.properties = node.properties,
            None => nodes.push(node),
        }
    }
    edges.extend(lines);
    source.state.remove(b);
    source.state.remove(a);
    source.state.insert(place.min(source.state.len()), Statement::Create { nodes, edges });
    true
}

/// A later change of something made in a CREATE becomes part of the CREATE.
pub fn fold_changes(source: &GraphSource) -> Vec<Edit> {
    (0..source.state.len()).map(|i| edit(move |s| fold(s, i))).collect()
}

fn fold(source: &mut GraphSource, at: usize) -> bool {
    let Some(change) = source.state.get(at).cloned() else { return false };
    if let Statement::Merge { node } = change {
        source.state[at] = Statement::Create { nodes: vec![node], edges: Vec::new() };
        return true;
    }
    for i in (0..at).rev() {
        let Statement::Create { nodes, edges } = &mut source.state[i] else { continue };
        let done = match &change {
            Statement::Connect { edge } => {
                let both = [edge.from, edge.to].iter().all(|k| nodes.iter().any(|n| n.k == *k));
                if both {
                    edges.push(edge.clone());
                }
                both
            }
            Statement::Set { of, property, value } => {
                let value = Some(value.clone());
                set(nodes, edges, of, property, value)
            }
            Statement::Remove { of, property } => set(nodes, edges, of, property, None),
            Statement::SetLabel { of, label } => {
                let node = nodes.iter_mut().find(|n| n.k == of.k && !of.is_edge);
                node.map(|n| n.labels.push(label.clone())).is_some()
            }
            _ => false,
        };
        if done {
            source.state.remove(at);
            return true;
        }
    }
    false
}

fn set(nodes: &mut [Node], edges: &mut [Edge], of: &Existing, property: &str, value: Option<Literal>) -> bool {
    let node = nodes.iter_mut().find(|n| n.k == of.k && !of.is_edge).map(|n| &mut n.properties);
    let edge = edges.iter_mut().find(|e| e.k == of.k && of.is_edge).map(|e| &mut e.properties);
    let Some(properties) = node.or(edge) else { return false };
    properties.retain(|(p, _)| p != property);
    properties.extend(value.map(|v| (property.to_owned(), v)));
    true
}

/// Nodes with their relationships, and relationships alone, from each CREATE.
pub fn drop_elements(source: &GraphSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, statement) in source.state.iter().enumerate() {
        let Statement::Create { nodes, edges } = statement else { continue };
        for r in chunks(nodes.len()) {
            edits.push(edit(move |s| match s.state.get_mut(at) {
                Some(Statement::Create { nodes, edges }) => {
                    let removed = nodes.len() > r.len() && remove_range(nodes, &r);
                    edges.retain(|e| [e.from, e.to].iter().all(|k| nodes.iter().any(|n| n.k == *k)));
                    removed
                }
                _ => false,
            }));
        }
        for r in chunks(edges.len()) {
            edits.push(edit(move |s| match s.state.get_mut(at) {
                Some(Statement::Create { edges, .. }) => remove_range(edges, &r),
                _ => false,
            }));
        }
    }
    edits
}

/// Lists of properties in the statements, by position.
pub fn property_lists(state: &mut [Statement]) -> Vec<&mut Vec<(String, Literal)>> {
    let mut lists = Vec::new();
    for statement in state {
        match statement {
            Statement::Create { nodes, edges } => {
                lists.extend(nodes.iter_mut().map(|n| &mut n.properties));
                lists.extend(edges.iter_mut().map(|e| &mut e.properties));
            }
            Statement::Merge { node } => lists.push(&mut node.properties),
            Statement::Connect { edge } => lists.push(&mut edge.properties),
            _ => {}
        }
    }
    lists
}

fn all_nodes(state: &mut [Statement]) -> Vec<&mut Node> {
    let mut nodes = Vec::new();
    for statement in state {
        match statement {
            Statement::Create { nodes: more, .. } => nodes.extend(more.iter_mut()),
            Statement::Merge { node } => nodes.push(node),
            _ => {}
        }
    }
    nodes
}

pub fn drop_properties(source: &GraphSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    // A property that nothing needs goes everywhere at once.
    for property in &source.model.properties {
        let name = property.name.clone();
        edits.push(edit(move |s| {
            let mut found = false;
            for list in property_lists(&mut s.state) {
                let before = list.len();
                list.retain(|(p, _)| *p != name);
                found |= list.len() < before;
            }
            for statement in &mut s.state {
                if let Statement::NodeTable { columns, .. } | Statement::EdgeTable { columns, .. } = statement {
                    let before = columns.len();
                    columns.retain(|(p, _)| *p != name);
                    found |= columns.len() < before;
                }
            }
            found
        }));
    }
    let mut copy = source.state.clone();
    let lengths: Vec<usize> = property_lists(&mut copy).iter().map(|l| l.len()).collect();
    for (i, length) in lengths.into_iter().enumerate() {
        for r in chunks(length) {
            edits.push(edit(move |s| {
                property_lists(&mut s.state).into_iter().nth(i).is_some_and(|list| remove_range(list, &r))
            }));
        }
    }
    let labels: Vec<usize> = all_nodes(&mut copy).iter().map(|n| n.labels.len()).collect();
    for (i, many) in labels.into_iter().enumerate() {
        for j in 0..many {
            edits.push(edit(move |s| {
                let node = all_nodes(&mut s.state).into_iter().nth(i);
                node.is_some_and(|n| remove_range(&mut n.labels, &(j..j + 1)))
            }));
        }
    }
    for (at, statement) in source.state.iter().enumerate() {
        if let Statement::EdgeTable { pairs, .. } = statement {
            for r in chunks(pairs.len()) {
                edits.push(edit(move |s| match s.state.get_mut(at) {
                    Some(Statement::EdgeTable { pairs, .. }) => pairs.len() > r.len() && remove_range(pairs, &r),
                    _ => false,
                }));
            }
        }
    }
    edits
}

/// Plainer values of the same kind; the first are the plainest.
pub fn plainer(l: &Literal) -> Vec<Literal> {
    match l {
        Literal::Bool(false) => vec![Literal::Bool(true)],
        Literal::Int(i) => [0, 1, 2, -1].into_iter().filter(|n| n != i).map(Literal::Int).collect(),
        Literal::Float(f) => [0.0, 1.0, 2.0, 0.5, -1.0].into_iter().filter(|n| n != f).map(Literal::Float).collect(),
        Literal::Special(_) => [0.0, 1.0].into_iter().map(Literal::Float).collect(),
        Literal::Text(t) => ["", "a", "b"].into_iter().filter(|n| n != t).map(|n| Literal::Text(n.into())).collect(),
        Literal::Point(..) => vec![Literal::Point(0.0, 0.0), Literal::Point(1.0, 1.0)],
        Literal::List(members) => {
            let mut found = vec![Literal::List(Vec::new())];
            for i in 0..members.len() {
                let mut fewer = members.clone();
                fewer.remove(i);
                found.push(Literal::List(fewer));
            }
            for (i, member) in members.iter().enumerate() {
                for by in plainer(member) {
                    let mut changed = members.clone();
                    changed[i] = by;
                    found.push(Literal::List(changed));
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

pub fn simpler_values(source: &GraphSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut copy = source.state.clone();
    for (i, list) in property_lists(&mut copy).into_iter().enumerate() {
        for (j, (_, value)) in list.iter().enumerate() {
            for by in plainer(value) {
                edits.push(edit(move |s| {
                    let list = property_lists(&mut s.state).into_iter().nth(i);
                    list.and_then(|l| l.get_mut(j)).map(|slot| slot.1 = by.clone()).is_some()
                }));
            }
        }
    }
    for (i, pin) in source.question.pins.iter().enumerate() {
        for by in plainer(&pin.value) {
            edits.push(edit(move |s| s.question.pins.get_mut(i).map(|p| p.value = by.clone()).is_some()));
        }
    }
    edits
}

/// The numbers that name nodes and relationships, where nothing needs them. A typed schema does.
pub fn drop_keys(source: &GraphSource) -> Vec<Edit> {
    if source.state.iter().any(|s| matches!(s, Statement::NodeTable { .. })) {
        return Vec::new();
    }
    let all = edit(|s| {
        let mut any = false;
        for statement in &mut s.state {
            if let Statement::Create { nodes, edges } = statement {
                nodes.iter_mut().for_each(|n| any |= std::mem::replace(&mut n.keyed, false));
                edges.iter_mut().for_each(|e| any |= std::mem::replace(&mut e.keyed, false));
            }
        }
        any
    });
    let mut edits = vec![all];
    let mut copy = source.state.clone();
    for i in 0..all_nodes(&mut copy).len() {
        edits.push(edit(move |s| {
            let node = all_nodes(&mut s.state).into_iter().nth(i);
            node.is_some_and(|n| std::mem::replace(&mut n.keyed, false))
        }));
    }
    edits
}
