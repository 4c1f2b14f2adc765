//! Cuts in tables and indexes: columns with every trace of them, and what is written beside a column.

use super::super::ast::*;
use super::statements::target;
use super::{Edit, clear, edit, mentions, off, queries, remove_range};
use qualm_core::dialect::sql::{Affinity, Dialect, Kind, TypeSpec};
use qualm_core::reduce::chunks;

pub fn drop_columns(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    for statement in &source.state {
        if let Statement::CreateTable(table) = statement
            && table.columns.len() > 1
        {
            for column in table.columns.iter().rev() {
                let (table, column) = (table.name.clone(), column.name.clone());
                edits.push(edit(move |s| drop_column(s, &table, &column)));
            }
        }
    }
    edits
}

fn drop_column(source: &mut SqlSource, table: &Name, column: &Name) -> bool {
    let order: Vec<Name> = given_columns(source, table);
    source.state.retain_mut(|statement| {
        if let Statement::CreateView(view) = statement {
            queries::forget_column(&mut view.query, table, column);
            return true;
        }
        target(statement) != Some(table) || keeps_without(statement, column, &order)
    });
    queries::forget_column(&mut source.question, table, column);
    true
}

/// Columns that an INSERT without a list gives values for, in order.
pub fn given_columns(source: &SqlSource, table: &Name) -> Vec<Name> {
    let create = source.state.iter().find_map(|s| match s {
        Statement::CreateTable(t) if t.name == *table => Some(t),
        _ => None,
    });
    let given = |t: &CreateTable| t.columns.iter().filter(|c| c.generated.is_none()).map(|c| c.name.clone()).collect();
    create.map(given).unwrap_or_default()
}

fn uses(expr: &Expr, column: &Name) -> bool {
    mentions(expr, |e| matches!(e, Expr::Column { column: c, .. } if c == column))
}

/// Takes a column out of a statement about its table; says whether anything of the statement is left.
fn keeps_without(statement: &mut Statement, column: &Name, order: &[Name]) -> bool {
    match statement {
        Statement::CreateTable(t) => {
            t.columns.retain(|c| c.name != *column);
            for c in &mut t.columns {
                if c.generated.as_ref().is_some_and(|g| uses(&g.expr, column)) {
                    c.generated = None;
                }
            }
            t.primary_key.retain(|c| c != column);
            t.unique.iter_mut().for_each(|u| u.retain(|c| c != column));
            t.unique.retain(|u| !u.is_empty());
            t.foreign_keys.retain(|f| !f.columns.contains(column));
            drop_if_used(&mut t.check, column);
        }
        Statement::CreateIndex(i) => {
            i.terms.retain(|t| !uses(&t.expr, column));
            drop_if_used(&mut i.filter, column);
            return !i.terms.is_empty();
        }
        Statement::Insert(i) => {
            let default = i.is_default();
            let names = if i.columns.is_empty() { order } else { &i.columns[..] };
            if let Some(at) = names.iter().position(|c| c == column) {
                i.rows.iter_mut().filter(|r| at < r.len()).for_each(|r| drop(r.remove(at)));
                if let Some(select) = i.source.as_mut().and_then(|q| q.select_mut())
                    && at < select.items.len()
                {
                    select.items.remove(at);
                    if select.items.is_empty() {
                        return false;
                    }
                }
                i.columns.retain(|c| c != column);
            }
            for u in &mut i.upsert {
                u.key.retain(|c| c != column);
                u.set.retain(|(c, e)| c != column && !uses(e, column));
                drop_if_used(&mut u.filter, column);
            }
            return default || i.rows.iter().all(|r| !r.is_empty());
        }
        Statement::CreateTrigger(t) => {
            return !t.of.contains(column)
                && !mentions(statement, |e| matches!(e, Expr::Column { column: c, .. } if c == column));
        }
        Statement::Update(u) => {
            u.set.retain(|(c, e)| c != column && !uses(e, column));
            drop_if_used(&mut u.filter, column);
            return !u.set.is_empty();
        }
        Statement::Delete { filter, .. } => return !filter.as_ref().is_some_and(|f| uses(f, column)),
        Statement::AddColumn { column: c, .. } => return c.name != *column,
        Statement::DropColumn { column: c, .. } | Statement::RenameColumn { from: c, .. } => return c != column,
        Statement::CreateView(_) | Statement::DropIndex { .. } => {}
        Statement::Transaction(_) | Statement::Maintenance(_) => {}
    }
    true
}

fn drop_if_used(slot: &mut Option<Expr>, column: &Name) {
    if slot.as_ref().is_some_and(|e| uses(e, column)) {
        *slot = None;
    }
}

// ---------------------------------------------------------------- simpler tables and indexes

pub fn simplify(source: &SqlSource, dialect: &'static Dialect) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, statement) in source.state.iter().enumerate() {
        match statement {
            Statement::CreateTable(t) => table_edits(at, t, dialect, &mut edits),
            Statement::CreateIndex(i) => index_edits(at, i, &mut edits),
            Statement::Insert(i) => insert_edits(at, i, source, &mut edits),
            Statement::AddColumn { column, .. } => {
                for i in 0..column_changes(column, dialect).len() {
                    edits.push(edit(move |s| match &mut s.state[at] {
                        Statement::AddColumn { column, .. } => {
                            let change = column_changes(column, dialect).into_iter().nth(i);
                            change.is_some_and(|c| c(column))
                        }
                        _ => false,
                    }));
                }
            }
            _ => {}
        }
    }
    edits
}

fn on_table(at: usize, change: impl Fn(&mut CreateTable) -> bool + 'static) -> Edit {
    edit(move |s| match &mut s.state[at] {
        Statement::CreateTable(t) => change(t),
        _ => false,
    })
}

/// A plain table with columns of the same kinds.
fn no_module(table: &mut CreateTable) -> bool {
    for c in table.columns.iter_mut().filter(|_| table.module.is_some()) {
        (c.type_name, c.affinity) = match c.kind {
            Kind::Int => ("INT".into(), Affinity::Integer),
            Kind::Real => ("REAL".into(), Affinity::Real),
            Kind::Text | Kind::Blob | Kind::Bool | Kind::Any | Kind::Special(_) => (Name::default(), Affinity::Blob),
        };
    }
    table.module.take().is_some()
}

fn table_edits(at: usize, table: &CreateTable, dialect: &'static Dialect, edits: &mut Vec<Edit>) {
    edits.push(on_table(at, |t| off(&mut t.without_rowid)));
    edits.push(on_table(at, |t| t.variant.take().is_some()));
    edits.push(on_table(at, |t| off(&mut t.strict)));
    edits.push(on_table(at, no_module));
    edits.push(on_table(at, |t| t.module.as_mut().is_some_and(|(_, options)| options.pop().is_some())));
    edits.push(on_table(at, |t| clear(&mut t.check)));
    for f in 0..table.foreign_keys.len() {
        edits.push(on_table(at, move |t| remove_range(&mut t.foreign_keys, &(f..f + 1))));
        edits.push(on_table(at, move |t| clear(&mut t.foreign_keys[f].on_delete)));
        edits.push(on_table(at, move |t| clear(&mut t.foreign_keys[f].on_update)));
        edits.push(on_table(at, move |t| off(&mut t.foreign_keys[f].deferred)));
    }
    for range in chunks(table.primary_key.len()) {
        // A table WITHOUT ROWID needs its key, so both go in one step as well.
        let whole = range.len() == table.primary_key.len();
        edits.push(on_table(at, move |t| {
            t.without_rowid &= !whole;
            remove_range(&mut t.primary_key, &range)
        }));
    }
    edits.push(on_table(at, |t| {
        let key = std::mem::take(&mut t.primary_key);
        let there = !key.is_empty() && !t.without_rowid;
        t.unique.push(key);
        there
    }));
    for u in 0..table.unique.len() {
        edits.push(on_table(at, move |t| match t.unique.remove(u).as_slice() {
            [one] => t.columns.iter_mut().find(|c| c.name == *one).is_some_and(|c| {
                c.unique = true;
                true
            }),
            _ => false,
        }));
        edits.push(on_table(at, move |t| remove_range(&mut t.unique, &(u..u + 1))));
        for c in 0..table.unique[u].len() {
            edits.push(on_table(at, move |t| remove_range(&mut t.unique[u], &(c..c + 1))));
        }
    }
    for (c, column) in table.columns.iter().enumerate() {
        for i in 0..column_changes(column, dialect).len() {
            edits.push(on_table(at, move |t| {
                let column = &mut t.columns[c];
                let change = column_changes(column, dialect).into_iter().nth(i);
                change.is_some_and(|change| change(column))
            }));
        }
        edits.push(on_table(at, move |t| {
            let was = off(&mut t.columns[c].primary_key);
            t.without_rowid = false;
            was
        }));
    }
}

type ColumnChange = Box<dyn Fn(&mut ColumnDef) -> bool>;

fn column_changes(column: &ColumnDef, dialect: &'static Dialect) -> Vec<ColumnChange> {
    let mut changes: Vec<ColumnChange> = vec![
        Box::new(|c| clear(&mut c.generated)),
        Box::new(|c| c.generated.as_mut().is_some_and(|g| off(&mut g.stored))),
        Box::new(|c| clear(&mut c.default)),
        Box::new(|c| clear(&mut c.collation)),
        Box::new(|c| off(&mut c.autoincrement)),
        Box::new(|c| off(&mut c.primary_key)),
        Box::new(|c| {
            c.unique = true;
            off(&mut c.primary_key)
        }),
        Box::new(|c| off(&mut c.unique)),
        Box::new(|c| off(&mut c.not_null)),
    ];
    // First another kind of column, then another name for the same kind.
    let shorter = |t: &&TypeSpec| t.name.len() < column.type_name.len();
    let same = |t: &&TypeSpec| t.kind == column.kind && t.affinity == column.affinity;
    let typeless = dialect.types.iter().filter(|t| t.name.is_empty());
    let alike = dialect.types.iter().filter(same).min_by_key(|t| (t.name.len(), t.name));
    for spec in typeless.chain(alike).filter(shorter) {
        changes.push(Box::new(move |c| {
            c.type_name = spec.name.into();
            c.kind = spec.kind;
            c.affinity = spec.affinity;
            true
        }));
    }
    changes
}

fn index_edits(at: usize, index: &CreateIndex, edits: &mut Vec<Edit>) {
    let on_index = |change: Box<dyn Fn(&mut CreateIndex) -> bool>| {
        edit(move |s| match &mut s.state[at] {
            Statement::CreateIndex(i) => change(i),
            _ => false,
        })
    };
    for range in chunks(index.terms.len()).into_iter().skip(1) {
        edits.push(on_index(Box::new(move |i| remove_range(&mut i.terms, &range))));
    }
    edits.push(on_index(Box::new(|i| clear(&mut i.filter))));
    edits.push(on_index(Box::new(|i| off(&mut i.unique))));
    for t in 0..index.terms.len() {
        edits.push(on_index(Box::new(move |i| off(&mut i.terms[t].descending))));
        edits.push(on_index(Box::new(move |i| clear(&mut i.terms[t].collation))));
    }
}

/// Columns that are not given take NULL or their default; a list of all columns in order need not be written.
fn insert_edits(at: usize, insert: &Insert, source: &SqlSource, edits: &mut Vec<Edit>) {
    if insert.verb != "INSERT" {
        edits.push(edit(move |s| match &mut s.state[at] {
            Statement::Insert(i) => {
                i.verb = "INSERT".into();
                true
            }
            _ => false,
        }));
    }
    let on_insert = |change: fn(&mut Insert) -> bool| {
        edit(move |s| match &mut s.state[at] {
            Statement::Insert(i) => change(i),
            _ => false,
        })
    };
    edits.push(on_insert(|i| off(&mut i.returning)));
    edits.push(on_insert(|i| !std::mem::take(&mut i.upsert).is_empty()));
    edits.push(on_insert(|i| i.upsert.iter_mut().any(|u| clear(&mut u.filter))));
    edits.push(on_insert(|i| i.upsert.iter_mut().any(|u| std::mem::take(&mut u.merge))));
    if insert.source.is_some() {
        // One row of nothing, where rows were all that was needed.
        edits.push(on_insert(|i| {
            let width = i.columns.len();
            i.rows = vec![vec![Expr::null(); width]];
            i.source.take().is_some() && width > 0
        }));
        return;
    }
    for c in 0..insert.columns.len() {
        if insert.columns.len() > 1 {
            edits.push(edit(move |s| match &mut s.state[at] {
                Statement::Insert(i) => {
                    i.columns.remove(c);
                    i.rows.iter_mut().for_each(|r| drop(r.remove(c)));
                    true
                }
                _ => false,
            }));
        }
    }
    let later = source.state[..at].iter().any(|s| {
        matches!(s, Statement::AddColumn { table, .. } | Statement::DropColumn { table, .. } if *table == insert.table)
    });
    let order = given_columns(source, &insert.table);
    if !insert.columns.is_empty() && !later && all_among(&insert.columns, &order) {
        edits.push(edit(move |s| match &mut s.state[at] {
            Statement::Insert(i) => {
                let columns = std::mem::take(&mut i.columns);
                for row in &mut i.rows {
                    let cell = |c: &Name| columns.iter().position(|x| x == c).map(|p| row[p].clone());
                    *row = order.iter().map(|c| cell(c).unwrap_or_else(Expr::null)).collect();
                }
                true
            }
            _ => false,
        }));
    }
}

fn all_among(given: &[Name], order: &[Name]) -> bool {
    !order.is_empty() && given.iter().all(|c| order.contains(c))
}
