//! The same bug in plainer words: not fewer words, but more usual ones. A join or a subquery that was only there to
//! give several rows becomes one table with two rows; an index on an expression becomes one on a column. What a bug
//! really needs survives these edits, what it was met with does not, so that one bug comes out in one form.

use super::super::ast::*;
use super::super::walk;
use super::statements::target;
use super::{Edit, edit};
use qualm_core::dialect::sql::{Affinity, Kind};

pub fn plainer(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    if let Some(select) = source.question.query.select() {
        for (member, joined) in select.from.iter().enumerate() {
            match &joined.source {
                Source::Table { .. } if select.from.len() > 1 => {
                    edits.push(edit(move |s| alone(s, member, Second::Copy)));
                    edits.push(edit(move |s| alone(s, member, Second::Nulls)));
                }
                Source::Table { .. } => {}
                Source::Query { .. } => {
                    for rows in
                        [[Expr::null(), Expr::null()], [Expr::int(1), Expr::int(1)], [Expr::null(), Expr::int(1)]]
                    {
                        edits.push(edit(move |s| as_table(s, member, &rows)));
                    }
                }
            }
        }
    }
    for (at, statement) in source.state.iter().enumerate() {
        if let Statement::CreateTable(table) = statement {
            let constant = |c: &ColumnDef| c.generated.as_ref().is_some_and(|g| matches!(g.expr, Expr::Literal(_)));
            let columns = table.columns.iter().filter(|c| constant(c)).map(|c| c.name.clone());
            edits.extend(columns.map(|column| edit(move |s| given(s, at, &column))));
        }
        let Statement::CreateIndex(index) = statement else { continue };
        let wordy = index.terms.iter().enumerate().filter(|(_, t)| !matches!(t.expr, Expr::Column { .. }));
        for (term, _) in wordy {
            for column in columns_of(source, &index.table) {
                edits.push(edit(move |s| on_column(s, at, term, &column)));
            }
        }
    }
    edits
}

fn columns_of(source: &SqlSource, table: &Name) -> Vec<Name> {
    let of_table = source.state.iter().filter_map(|s| match s {
        Statement::CreateTable(t) if t.name == *table => Some(t.columns.iter().map(|c| c.name.clone())),
        _ => None,
    });
    of_table.flatten().collect()
}

fn on_column(source: &mut SqlSource, at: usize, term: usize, column: &Name) -> bool {
    let Some(Statement::CreateIndex(index)) = source.state.get_mut(at) else { return false };
    let Some(term) = index.terms.get_mut(term) else { return false };
    term.expr = Expr::Column { table: Name::default(), column: column.clone() };
    true
}

/// A generated column that is the same in all rows becomes an ordinary one, and its value is inserted.
fn given(source: &mut SqlSource, at: usize, column: &Name) -> bool {
    let Some(Statement::CreateTable(table)) = source.state.get_mut(at) else { return false };
    let name = table.name.clone();
    let Some(place) = table.columns.iter().position(|c| c.name == *column) else { return false };
    // Where it stands among the columns that an INSERT without a list gives.
    let before = table.columns[..place].iter().filter(|c| c.generated.is_none()).count();
    let Some(Generated { expr: value, .. }) = table.columns[place].generated.take() else { return false };
    for statement in &mut source.state {
        let Statement::Insert(insert) = statement else { continue };
        if insert.table != name {
            continue;
        }
        if insert.source.is_some() {
            return false;
        }
        let at = if insert.columns.is_empty() { before } else { insert.columns.len() };
        if !insert.columns.is_empty() {
            insert.columns.push(column.clone());
        }
        for row in &mut insert.rows {
            row.insert(at.min(row.len()), value.clone());
        }
    }
    true
}

/// One member of FROM stays, with at least two rows; what the others gave becomes NULL, and their tables go.
fn alone(source: &mut SqlSource, member: usize, second: Second) -> bool {
    let Some(select) = source.question.query.select_mut() else { return false };
    if member >= select.from.len() || select.from.len() < 2 {
        return false;
    }
    let kept = Joined { join: Join::Comma, on: None, using: Vec::new(), ..select.from.swap_remove(member) };
    let Source::Table { name, alias, .. } = kept.source.clone() else { return false };
    select.from = vec![kept];
    walk::each_expr_mut(&mut source.question, &mut |e| {
        if matches!(e, Expr::Column { table, .. } if *table != alias) {
            *e = Expr::null();
        }
    });
    let of_kept = |s: &Statement| match s {
        Statement::Maintenance(_) => true,
        Statement::CreateView(v) => v.name == name,
        other => target(other).is_some_and(|t| *t == name),
    };
    source.state.retain(of_kept);
    two_rows(source, &name, second)
}

/// What a table gets as its second row.
#[derive(Clone, Copy)]
enum Second {
    /// The row that it has once more.
    Copy,
    /// What an outer join gives where nothing matches.
    Nulls,
}

/// Sees to it that a table has two rows, or two rows of NULL where there is none.
fn two_rows(source: &mut SqlSource, table: &Name, second: Second) -> bool {
    let width = columns_of(source, table).len();
    let rows: usize = source.state.iter().map(|s| if let Statement::Insert(i) = s { i.rows.len() } else { 0 }).sum();
    if rows >= 2 {
        return true;
    }
    for statement in &mut source.state {
        if let Statement::Insert(i) = statement
            && let Some(row) = i.rows.last().cloned()
        {
            i.rows.push(match second {
                Second::Copy => row,
                Second::Nulls => vec![Expr::null(); row.len()],
            });
            return true;
        }
    }
    let Some(at) = source.state.iter().position(|s| matches!(s, Statement::CreateTable(t) if t.name == *table)) else {
        return false;
    };
    source.state.insert(at + 1, rows_of_null(table, width));
    true
}

fn rows_of_null(table: &Name, width: usize) -> Statement {
    let row = vec![Expr::null(); width];
    let (table, rows) = (table.clone(), vec![row; 2]);
    Statement::Insert(Insert { table, verb: "INSERT".into(), rows, ..Insert::default() })
}

/// A subquery in FROM becomes a table of its own with these rows.
fn as_table(source: &mut SqlSource, member: usize, rows: &[Expr]) -> bool {
    let name: Name = "plain".into();
    if source.state.iter().any(|s| target(s) == Some(&name)) {
        return false;
    }
    let Some(select) = source.question.query.select_mut() else { return false };
    let Some(joined) = select.from.get_mut(member) else { return false };
    let alias = joined.source.alias().clone();
    joined.source = Source::Table { name: name.clone(), alias: alias.clone(), hint: Hint::None };
    let column = ColumnDef::plain("c0", "", Kind::Any, Affinity::Blob);
    walk::each_expr_mut(&mut source.question, &mut |e| {
        if let Expr::Column { table, column: c } = e
            && *table == alias
        {
            *c = column.name.clone();
        }
    });
    let insert = Statement::Insert(Insert {
        table: name.clone(),
        verb: "INSERT".into(),
        rows: rows.iter().map(|e| vec![e.clone()]).collect(),
        ..Insert::default()
    });
    source.state.push(Statement::CreateTable(CreateTable { name, columns: vec![column], ..CreateTable::default() }));
    source.state.push(insert);
    true
}
