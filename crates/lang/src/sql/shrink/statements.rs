//! Cuts in the state: whole statements, tables with all that depends on them, rows, and statements folded into others.

use super::super::ast::*;
use super::super::walk;
use super::{Edit, edit, queries, remove_range, sources};
use qualm_core::reduce::chunks;

pub fn drop_statements(source: &SqlSource) -> Vec<Edit> {
    chunks(source.state.len()).into_iter().map(|r| edit(move |s| remove_range(&mut s.state, &r))).collect()
}

/// A transaction loses its words, or goes with all that is in it.
fn without_transactions(source: &SqlSource) -> Vec<Edit> {
    let word = |s: &Statement| matches!(s, Statement::Transaction(_));
    let Some(first) = source.state.iter().position(word) else { return Vec::new() };
    let last = source.state.iter().rposition(word).unwrap_or(first);
    vec![
        edit(move |s| remove_range(&mut s.state, &(first..last + 1))),
        edit(move |s| {
            s.state.retain(|s| !word(s));
            true
        }),
    ]
}

/// A trigger loses its condition or one of its statements.
fn simpler_triggers(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, statement) in source.state.iter().enumerate() {
        let Statement::CreateTrigger(t) = statement else { continue };
        let on = |change: fn(&mut CreateTrigger, usize) -> bool, part: usize| {
            edit(move |s| match &mut s.state[at] {
                Statement::CreateTrigger(t) => change(t, part),
                _ => false,
            })
        };
        edits.push(on(|t, _| t.when.take().is_some(), 0));
        edits.push(on(|t, _| !std::mem::take(&mut t.of).is_empty(), 0));
        edits.extend((0..t.body.len()).map(|part| on(|t, part| remove_range(&mut t.body, &(part..part + 1)), part)));
    }
    edits
}

pub fn drop_rows(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, statement) in source.state.iter().enumerate() {
        if let Statement::Insert(insert) = statement {
            for range in chunks(insert.rows.len()).into_iter().skip(1) {
                edits.push(edit(move |s| match &mut s.state[at] {
                    Statement::Insert(i) => remove_range(&mut i.rows, &range),
                    _ => false,
                }));
            }
        }
    }
    edits
}

/// A table goes with its indexes, rows and changes, the views that read it, and its place in every FROM.
pub fn drop_tables(source: &SqlSource) -> Vec<Edit> {
    let mut names: Vec<Name> = source.state.iter().filter_map(created).cloned().collect();
    names.reverse();
    names.into_iter().map(|name| edit(move |s| drop_table(s, &name))).collect()
}

fn created(statement: &Statement) -> Option<&Name> {
    match statement {
        Statement::CreateTable(t) => Some(&t.name),
        Statement::CreateView(v) => Some(&v.name),
        _ => None,
    }
}

fn drop_table(source: &mut SqlSource, name: &Name) -> bool {
    let mut gone = vec![name.clone()];
    let mut indexes: Vec<Name> = Vec::new();
    source.state.retain(|statement| {
        let dead = match statement {
            Statement::CreateView(v) => v.name == *name || gone.iter().any(|g| reads(&v.query, g)),
            Statement::DropIndex { name, .. } => indexes.contains(name),
            Statement::Maintenance(text) => gone.iter().chain(&indexes).any(|g| has_word(text, g)),
            Statement::CreateTrigger(t) => gone.iter().any(|g| t.table == *g || t.changes().any(|c| c == g)),
            Statement::Insert(i) => {
                gone.contains(&i.table) || i.source.as_ref().is_some_and(|q| gone.iter().any(|g| reads(q, g)))
            }
            other => target(other).is_some_and(|t| gone.contains(t)),
        };
        match statement {
            Statement::CreateView(v) if dead => gone.push(v.name.clone()),
            Statement::CreateIndex(i) if dead => indexes.push(i.name.clone()),
            _ => {}
        }
        !dead
    });
    for statement in &mut source.state {
        if let Statement::CreateTable(t) = statement {
            t.foreign_keys.retain(|f| !gone.contains(&f.table));
        }
    }
    gone.iter().all(|g| queries::drop_reader(&mut source.question, g))
}

/// The table that a statement makes or changes.
pub fn target(statement: &Statement) -> Option<&Name> {
    match statement {
        Statement::CreateTable(t) => Some(&t.name),
        Statement::CreateIndex(i) => Some(&i.table),
        Statement::Insert(i) => Some(&i.table),
        Statement::Update(u) => Some(&u.table),
        Statement::Delete { table, .. }
        | Statement::AddColumn { table, .. }
        | Statement::DropColumn { table, .. }
        | Statement::RenameColumn { table, .. } => Some(table),
        Statement::CreateTrigger(t) => Some(&t.table),
        Statement::Transaction(_) => None,
        Statement::CreateView(_) | Statement::DropIndex { .. } | Statement::Maintenance(_) => None,
    }
}

fn reads(query: &Query, table: &Name) -> bool {
    let mut found = false;
    walk::each_select(query, &mut |select| {
        found |= select.from.iter().any(|j| matches!(&j.source, Source::Table { name, .. } if name == table));
    });
    found
}

pub fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word)
}

// ---------------------------------------------------------------- fewer statements that do the same

pub fn fold(source: &SqlSource) -> Vec<Edit> {
    let mut edits = merged_tables(source);
    edits.extend(without_transactions(source));
    edits.extend(simpler_triggers(source));
    for (at, statement) in source.state.iter().enumerate() {
        match statement {
            Statement::Insert(insert) => {
                for (later, other) in source.state.iter().enumerate().skip(at + 1) {
                    if matches!(other, Statement::Insert(o) if o.table == insert.table) {
                        edits.push(edit(move |s| merge_inserts(s, at, later, at)));
                        edits.push(edit(move |s| merge_inserts(s, at, later, later)));
                    }
                }
            }
            Statement::AddColumn { .. } => edits.push(edit(move |s| fold_added_column(s, at))),
            Statement::RenameColumn { .. } => edits.push(edit(move |s| fold_renamed_column(s, at))),
            Statement::CreateIndex(_) => edits.push(edit(move |s| fold_index(s, at))),
            _ => {}
        }
    }
    edits
}

/// One table is read in the place of another, which goes: a table joined with itself is a table less.
fn merged_tables(source: &SqlSource) -> Vec<Edit> {
    let tables = sources::base_tables(source);
    let mut edits = Vec::new();
    for old in &tables {
        for new in tables.iter().filter(|t| t.0 != old.0) {
            for apart in [false, true] {
                let (old, new) = (old.clone(), new.clone());
                edits.push(edit(move |s| {
                    let views = s.state.iter_mut().filter_map(|s| match s {
                        Statement::CreateView(view) => Some(view),
                        _ => None,
                    });
                    views.for_each(|view| sources::read_instead(&mut view.query, &old, &new, apart));
                    sources::read_instead(&mut s.question, &old, &new, apart);
                    drop_table(s, &old.0)
                }));
            }
        }
    }
    edits
}

/// Rows of two INSERTs in one, at the place of either. Different column lists are united; what was not given before is
/// given as NULL, which is the same unless the column has a default.
fn merge_inserts(source: &mut SqlSource, first: usize, second: usize, keep: usize) -> bool {
    let (Statement::Insert(a), Statement::Insert(b)) = (&source.state[first], &source.state[second]) else {
        return false;
    };
    let Some(columns) = united(a, b).filter(|_| a.is_plain() && b.is_plain()) else { return false };
    let mut rows = spread(a, &columns);
    rows.extend(spread(b, &columns));
    let verb = if a.verb.len() >= b.verb.len() { a.verb.clone() } else { b.verb.clone() };
    let merged = Insert { table: a.table.clone(), verb, columns, rows, ..Insert::default() };
    let other = if keep == first { second } else { first };
    source.state[keep] = Statement::Insert(merged);
    source.state.remove(other);
    true
}

fn united(a: &Insert, b: &Insert) -> Option<Vec<Name>> {
    if a.columns == b.columns {
        return Some(a.columns.clone());
    }
    if a.columns.is_empty() || b.columns.is_empty() {
        return None;
    }
    let mut columns = a.columns.clone();
    columns.extend(b.columns.iter().filter(|c| !a.columns.contains(c)).cloned());
    Some(columns)
}

fn spread(insert: &Insert, columns: &[Name]) -> Vec<Vec<Expr>> {
    if insert.columns == columns {
        return insert.rows.clone();
    }
    let cell = |row: &Vec<Expr>, column: &Name| {
        let at = insert.columns.iter().position(|c| c == column);
        at.and_then(|i| row.get(i).cloned()).unwrap_or_else(Expr::null)
    };
    insert.rows.iter().map(|row| columns.iter().map(|c| cell(row, c)).collect()).collect()
}

/// The column is there from the start. Rows put in before take its default, as they do when it is added later.
fn fold_added_column(source: &mut SqlSource, at: usize) -> bool {
    let Statement::AddColumn { table, column } = source.state[at].clone() else { return false };
    source.state.remove(at);
    for statement in source.state.iter_mut().take(at) {
        match statement {
            Statement::CreateTable(t) if t.name == table => t.columns.push(column.clone()),
            Statement::Insert(i) if i.table == table && i.columns.is_empty() => {
                let value = column.default.clone().unwrap_or(Literal::Null);
                let given = i.rows.iter_mut().filter(|row| !row.is_empty());
                given.for_each(|row| row.push(Expr::Literal(value.clone())));
            }
            _ => {}
        }
    }
    true
}

/// An index of plain columns becomes a UNIQUE of the table, which is an index as well: one statement less, and bugs
/// that need any index all end in this form.
fn fold_index(source: &mut SqlSource, at: usize) -> bool {
    let Statement::CreateIndex(index) = source.state.remove(at) else { return false };
    let plain = |t: &IndexTerm| match &t.expr {
        Expr::Column { column, .. } if t.collation.is_none() && !t.descending => Some(column.clone()),
        _ => None,
    };
    let Some(columns) = index.terms.iter().map(plain).collect::<Option<Vec<Name>>>() else { return false };
    let create = source.state.iter_mut().find_map(|s| match s {
        Statement::CreateTable(t) if t.name == index.table => Some(t),
        _ => None,
    });
    let Some(table) = create.filter(|_| index.filter.is_none()) else { return false };
    match columns.as_slice() {
        [one] => match table.columns.iter_mut().find(|c| c.name == *one) {
            Some(column) => column.unique = true,
            None => return false,
        },
        _ => table.unique.push(columns),
    }
    true
}

/// The column has its last name from the start.
fn fold_renamed_column(source: &mut SqlSource, at: usize) -> bool {
    let Statement::RenameColumn { table, from, to } = source.state[at].clone() else { return false };
    source.state.remove(at);
    for statement in source.state.iter_mut().take(at) {
        if target(statement) == Some(&table) {
            rename_in_statement(statement, &from, &to);
        }
    }
    true
}

fn rename_in_statement(statement: &mut Statement, from: &Name, to: &Name) {
    let rename = |name: &mut Name| {
        if name == from {
            *name = to.clone();
        }
    };
    walk::each_expr_mut(statement, &mut |e| {
        if let Expr::Column { column, .. } = e {
            rename(column);
        }
    });
    match statement {
        Statement::CreateTable(t) => {
            t.columns.iter_mut().for_each(|c| rename(&mut c.name));
            t.primary_key.iter_mut().chain(t.unique.iter_mut().flatten()).for_each(rename);
            t.foreign_keys.iter_mut().flat_map(|f| &mut f.columns).for_each(rename);
        }
        Statement::Insert(i) => {
            i.columns.iter_mut().for_each(rename);
            i.upsert.iter_mut().flat_map(|u| &mut u.key).for_each(rename);
            i.upsert.iter_mut().flat_map(|u| &mut u.set).for_each(|(c, _)| rename(c));
        }
        Statement::Update(u) => u.set.iter_mut().for_each(|(c, _)| rename(c)),
        _ => {}
    }
}
