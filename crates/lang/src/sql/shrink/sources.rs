//! What a FROM reads: views, CTEs and subqueries put in the place of their names, tables in the place of subqueries and
//! of other tables.

use super::super::ast::*;
use super::super::walk::{self, Tree};
use super::queries::{each_select_site, on_query, tree};
use super::{Edit, edit};

pub fn inline(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, statement) in source.state.iter().enumerate() {
        if matches!(statement, Statement::CreateView(_)) {
            edits.push(edit(move |s| inline_view(s, at)));
        }
    }
    let mut site = 0;
    walk::each_query(source, &mut |query| {
        for i in (0..query.with.len()).rev() {
            edits.push(on_query(site, move |q| inline_cte(q, i)));
        }
        site += 1;
    });
    each_select_site(source, |root, site, select| {
        for (member, joined) in select.from.iter().enumerate() {
            let Source::Query { query, .. } = &joined.source else { continue };
            for table in base_tables(source) {
                for apart in [false, true] {
                    let table = table.clone();
                    edits.push(edit(move |s| read_table(tree(s, root), site, member, &table, apart)));
                }
            }
            for inner in 0..query.select().map_or(0, |s| s.from.len()) {
                edits.push(edit(move |s| flatten(tree(s, root), site, member, inner)));
            }
        }
    });
    edits
}

fn inline_view(source: &mut SqlSource, at: usize) -> bool {
    let Statement::CreateView(view) = source.state.remove(at) else { return false };
    let Some(query) = with_column_names(&view.query, &view.columns) else { return false };
    for statement in &mut source.state {
        put_query(statement, &view.name, &query);
    }
    put_query(&mut source.question, &view.name, &query);
    true
}

fn inline_cte(query: &mut Query, at: usize) -> bool {
    let cte = query.with.remove(at);
    let Some(inner) = with_column_names(&cte.query, &cte.columns).filter(|_| !cte.recursive) else { return false };
    put_query(query, &cte.name, &inner);
    true
}

/// The query with its result named as a view or a CTE names it.
pub fn with_column_names(query: &Query, names: &[Name]) -> Option<Query> {
    let mut query = query.clone();
    if names.is_empty() {
        return Some(query);
    }
    let mut body = &mut query.body;
    while let Body::Compound { left, .. } = body {
        body = left;
    }
    let Body::Select(select) = body else { return None };
    if select.items.len() != names.len() {
        return None;
    }
    select.items.iter_mut().zip(names).for_each(|(item, name)| item.alias = Some(name.clone()));
    Some(query)
}

fn put_query(tree: &mut impl Tree, name: &Name, query: &Query) {
    walk::each_select_mut(tree, &mut |select| {
        for joined in &mut select.from {
            if let Source::Table { name: n, alias, .. } = &joined.source
                && n == name
            {
                joined.source = Source::Query { query: Box::new(query.clone()), alias: alias.clone() };
            }
        }
    });
}

/// Names of the tables and of their columns.
pub type NamedTable = (Name, Vec<Name>);

pub fn base_tables(source: &SqlSource) -> Vec<NamedTable> {
    let table = |s: &Statement| match s {
        Statement::CreateTable(t) => Some((t.name.clone(), t.columns.iter().map(|c| c.name.clone()).collect())),
        _ => None,
    };
    source.state.iter().filter_map(table).collect()
}

/// A subquery in FROM becomes a table, whatever it was: its first column stands for all that was taken from it.
/// `apart`: it gave no rows that matched, and the table shall not either.
fn read_table(tree: &mut dyn Tree, site: usize, member: usize, (name, columns): &NamedTable, apart: bool) -> bool {
    let mut taken = None;
    walk::change_select(tree, site, &mut |select| {
        let Some(joined) = select.from.get_mut(member) else { return };
        let Source::Query { alias, .. } = &joined.source else { return };
        let alias = alias.clone();
        joined.source = Source::Table { name: name.clone(), alias: alias.clone(), hint: Hint::None };
        if apart {
            keep_apart(joined);
        }
        taken = Some(alias);
    });
    let Some(alias) = taken else { return false };
    walk::each_expr_mut(tree, &mut |e| {
        if let Expr::Column { table, column } = e
            && *table == alias
            && let Some(first) = columns.first()
        {
            *column = first.clone();
        }
    });
    true
}

pub fn keep_apart(joined: &mut Joined) {
    joined.on = Some(Expr::null());
    joined.using.clear();
    joined.join = match joined.join {
        Join::Natural | Join::Comma => Join::Inner,
        Join::NaturalLeft => Join::Left,
        Join::NaturalRight => Join::Right,
        Join::NaturalFull => Join::Full,
        other => other,
    };
}

/// What was read from one table is read from another: columns by their place, the last one where there are fewer.
pub fn read_instead(tree: &mut dyn Tree, old: &NamedTable, new: &NamedTable, apart: bool) {
    let mut aliases = vec![old.0.clone()];
    walk::each_select_mut(tree, &mut |select| {
        for (i, joined) in select.from.iter_mut().enumerate() {
            if let Source::Table { name, alias, hint } = &mut joined.source
                && *name == old.0
            {
                *name = new.0.clone();
                *hint = Hint::None;
                aliases.push(alias.clone());
                if apart && i > 0 {
                    keep_apart(joined);
                }
            }
        }
    });
    walk::each_expr_mut(tree, &mut |e| {
        if let Expr::Column { table, column } = e
            && aliases.contains(table)
            && let Some(at) = old.1.iter().position(|c| c == column)
            && let Some(to) = new.1.get(at).or(new.1.last())
        {
            *column = to.clone();
        }
    });
}

/// A subquery in FROM becomes one of the sources it reads; what the outer query took from it is taken from there.
fn flatten(tree: &mut dyn Tree, site: usize, member: usize, inner: usize) -> bool {
    let mut taken = None;
    walk::change_select(tree, site, &mut |select| {
        let Some(joined) = select.from.get_mut(member) else { return };
        let Source::Query { query, alias } = &mut joined.source else { return };
        let Some(subselect) = query.select_mut() else { return };
        let mut source = subselect.from[inner].source.clone();
        let from = source.alias().clone();
        match &mut source {
            Source::Table { alias: a, .. } | Source::Query { alias: a, .. } => *a = alias.clone(),
        }
        taken = Some((alias.clone(), from, std::mem::take(&mut subselect.items)));
        joined.source = source;
    });
    let Some((alias, from, items)) = taken else { return false };
    walk::each_expr_mut(tree, &mut |e| {
        let Expr::Column { table, column } = e else { return };
        if *table == alias {
            *e = output(&items, column).and_then(|x| moved(x, &from, &alias)).unwrap_or_else(Expr::null);
        }
    });
    true
}

fn output<'a>(items: &'a [Item], name: &Name) -> Option<&'a Expr> {
    let named = |item: &&Item| match (&item.alias, &item.expr) {
        (Some(alias), _) => alias == name,
        (None, Expr::Column { column, .. }) => column == name,
        _ => false,
    };
    items.iter().find(named).map(|i| &i.expr)
}

/// Only plain columns move: a replaced column is met again by the walk, and an expression could grow for ever.
fn moved(expr: &Expr, from: &Name, to: &Name) -> Option<Expr> {
    match expr {
        Expr::Column { table, column } if table == from => {
            Some(Expr::Column { table: to.clone(), column: column.clone() })
        }
        Expr::Literal(_) => Some(expr.clone()),
        _ => None,
    }
}
