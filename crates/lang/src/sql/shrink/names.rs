//! Plain names: tables t0, t1 …, views v0 …, columns c0 …, indexes i0 …, in the order they are written.
//!
//! Names are mapped by their text and one to one over the whole case, so that equal names stay equal (USING, NATURAL)
//! and different ones different, and no scope has to be understood. Only names that the case itself declares are
//! touched: `rowid` stays.

use super::super::ast::*;
use super::super::walk::{self, Tree};
use super::{Edit, edit, queries};
use std::collections::BTreeMap;

pub fn rename(source: &SqlSource) -> Vec<Edit> {
    let mut edits = plain_aliases(source);
    edits.push(edit(|s| apply(s, &plan(s))));
    edits
}

/// How many names are not the ones that `rename` would give.
pub fn disorder(source: &SqlSource) -> u64 {
    let plan = plan(source);
    let off = |map: &BTreeMap<Name, Name>| map.iter().filter(|(old, new)| old != new).count() as u64;
    off(&plan.tables) + off(&plan.columns) + off(&plan.indexes)
}

#[derive(Default)]
struct Plan {
    /// Tables, views, CTEs and aliases.
    tables: BTreeMap<Name, Name>,
    columns: BTreeMap<Name, Name>,
    indexes: BTreeMap<Name, Name>,
}

fn give(map: &mut BTreeMap<Name, Name>, counter: &mut usize, prefix: &str, name: &Name) {
    if !map.contains_key(name) {
        map.insert(name.clone(), format!("{prefix}{counter}").into());
        *counter += 1;
    }
}

fn plan(source: &SqlSource) -> Plan {
    let mut plan = Plan::default();
    let (mut tables, mut views, mut columns, mut indexes, mut others) = (0, 0, 0, 0, 0);
    for statement in &source.state {
        match statement {
            Statement::CreateTable(t) => {
                give(&mut plan.tables, &mut tables, "t", &t.name);
                t.columns.iter().for_each(|c| give(&mut plan.columns, &mut columns, "c", &c.name));
            }
            Statement::AddColumn { column, .. } => give(&mut plan.columns, &mut columns, "c", &column.name),
            Statement::RenameColumn { to, .. } => give(&mut plan.columns, &mut columns, "c", to),
            Statement::CreateIndex(i) => give(&mut plan.indexes, &mut indexes, "i", &i.name),
            Statement::CreateView(v) => {
                give(&mut plan.tables, &mut views, "v", &v.name);
                v.columns.iter().for_each(|c| give(&mut plan.columns, &mut columns, "c", c));
            }
            _ => {}
        }
    }
    walk::each_query(source, &mut |q| {
        for cte in &q.with {
            give(&mut plan.tables, &mut others, "a", &cte.name);
            cte.columns.iter().for_each(|c| give(&mut plan.columns, &mut columns, "c", c));
        }
    });
    walk::each_select(source, &mut |select| {
        for joined in &select.from {
            give(&mut plan.tables, &mut others, "a", joined.source.alias());
        }
        for alias in select.items.iter().filter_map(|i| i.alias.as_ref()) {
            give(&mut plan.columns, &mut columns, "c", alias);
        }
    });
    plan
}

fn apply(source: &mut SqlSource, plan: &Plan) -> bool {
    let set = |map: &BTreeMap<Name, Name>, name: &mut Name| {
        if let Some(new) = map.get(name) {
            *name = new.clone();
        }
    };
    for statement in &mut source.state {
        apply_to_statement(statement, plan, &set);
    }
    walk::each_query_mut(source, &mut |q| {
        for cte in &mut q.with {
            set(&plan.tables, &mut cte.name);
            cte.columns.iter_mut().for_each(|c| set(&plan.columns, c));
        }
    });
    walk::each_select_mut(source, &mut |select| {
        for joined in &mut select.from {
            joined.using.iter_mut().for_each(|c| set(&plan.columns, c));
            match &mut joined.source {
                Source::Table { name, alias, hint } => {
                    set(&plan.tables, name);
                    set(&plan.tables, alias);
                    if let Hint::IndexedBy(index) = hint {
                        set(&plan.indexes, index);
                    }
                }
                Source::Query { alias, .. } => set(&plan.tables, alias),
            }
        }
        select.items.iter_mut().filter_map(|i| i.alias.as_mut()).for_each(|a| set(&plan.columns, a));
    });
    walk::each_expr_mut(source, &mut |e| {
        if let Expr::Column { table, column } = e {
            set(&plan.tables, table);
            set(&plan.columns, column);
        }
    });
    true
}

fn apply_to_statement(statement: &mut Statement, plan: &Plan, set: &dyn Fn(&BTreeMap<Name, Name>, &mut Name)) {
    match statement {
        Statement::CreateTable(t) => {
            set(&plan.tables, &mut t.name);
            t.columns.iter_mut().for_each(|c| set(&plan.columns, &mut c.name));
            t.variant.iter_mut().for_each(|(_, column)| set(&plan.columns, column));
            t.primary_key.iter_mut().chain(t.unique.iter_mut().flatten()).for_each(|c| set(&plan.columns, c));
            for f in &mut t.foreign_keys {
                set(&plan.tables, &mut f.table);
                f.columns.iter_mut().chain(&mut f.key).for_each(|c| set(&plan.columns, c));
            }
        }
        Statement::CreateTrigger(t) => {
            set(&plan.tables, &mut t.table);
            t.of.iter_mut().for_each(|c| set(&plan.columns, c));
            t.body.iter_mut().for_each(|s| apply_to_statement(s, plan, set));
        }
        Statement::Transaction(_) => {}
        Statement::CreateIndex(i) => {
            set(&plan.indexes, &mut i.name);
            set(&plan.tables, &mut i.table);
        }
        Statement::CreateView(v) => {
            set(&plan.tables, &mut v.name);
            v.columns.iter_mut().for_each(|c| set(&plan.columns, c));
        }
        Statement::Insert(i) => {
            set(&plan.tables, &mut i.table);
            i.columns.iter_mut().for_each(|c| set(&plan.columns, c));
            for u in &mut i.upsert {
                u.key.iter_mut().chain(u.set.iter_mut().map(|(c, _)| c)).for_each(|c| set(&plan.columns, c));
            }
        }
        Statement::Update(u) => {
            set(&plan.tables, &mut u.table);
            u.set.iter_mut().for_each(|(c, _)| set(&plan.columns, c));
        }
        Statement::Delete { table, .. } => set(&plan.tables, table),
        Statement::AddColumn { table, column } => {
            set(&plan.tables, table);
            set(&plan.columns, &mut column.name);
        }
        Statement::DropColumn { table, column } => {
            set(&plan.tables, table);
            set(&plan.columns, column);
        }
        Statement::RenameColumn { table, from, to } => {
            set(&plan.tables, table);
            set(&plan.columns, from);
            set(&plan.columns, to);
        }
        Statement::DropIndex { name, table } => {
            set(&plan.indexes, name);
            set(&plan.tables, table);
        }
        Statement::Maintenance(text) => *text = renamed_words(text, plan).into(),
    }
}

fn renamed_words(text: &str, plan: &Plan) -> String {
    let new = |word: &str| plan.tables.get(word).or_else(|| plan.indexes.get(word)).map(Name::to_string);
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.chars().chain(['\0']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out.push_str(&new(&word).unwrap_or_else(|| word.clone()));
        word.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

/// A table needs no alias in a query where no other source has its name. Inner queries may hide outer names as before.
fn plain_aliases(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    queries::each_select_site(source, |root, _, select| {
        for joined in &select.from {
            if let Source::Table { name, alias, .. } = &joined.source
                && name != alias
            {
                let (name, alias) = (name.clone(), alias.clone());
                edits.push(edit(move |s| drop_alias(queries::tree(s, root), &name, &alias)));
            }
        }
    });
    edits
}

fn drop_alias(tree: &mut dyn Tree, name: &Name, alias: &Name) -> bool {
    let mut taken = false;
    walk::each_select(tree, &mut |select| {
        for joined in &select.from {
            let other = !matches!(&joined.source, Source::Table { name: n, .. } if n == name);
            taken |= joined.source.alias() == name || joined.source.alias() == alias && other;
        }
    });
    if taken {
        return false;
    }
    walk::each_select_mut(tree, &mut |select| {
        for joined in &mut select.from {
            if let Source::Table { alias: a, .. } = &mut joined.source
                && a == alias
            {
                *a = name.clone();
            }
        }
    });
    walk::each_expr_mut(tree, &mut |e| {
        if let Expr::Column { table, .. } = e
            && table == alias
        {
            *table = name.clone();
        }
    });
    true
}
