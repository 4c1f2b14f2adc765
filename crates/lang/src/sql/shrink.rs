//! What can be cut out of a SQL case, as trees. State and question are shrunk together and the oracle derives script
//! and claim anew from each variant, so that a claim is never less sound than the first one.
//!
//! This module knows what makes a tree smaller. It does not know which variants still fail, nor whether an engine takes
//! them: a column that lost its table costs one attempt and nothing else.

mod columns;
mod expressions;
mod facts;
mod names;
mod plain;
mod queries;
mod rows;
#[cfg(test)]
pub mod sample;
mod sources;
mod statements;
#[cfg(test)]
mod tests;
mod vary;
mod weight;

pub use expressions::ANY_FUNCTION;

use super::ast::*;
use super::parse::qualify_statement;
use super::traits::has_aggregate;
use super::typing::Schema;
use super::walk::{self, Tree};
use crate::oracle;
use qualm_core::case::{Case, Origin};
use qualm_core::dialect::sql::Dialect;
use qualm_core::reduce::Subject;
use qualm_core::vary::{Place, Varied};

/// One change of a case, to be made on a copy; says whether it had a place.
pub type Edit = Box<dyn Fn(&mut SqlSource) -> bool>;

type Pass = fn(&SqlSource, &'static Dialect) -> Vec<Edit>;

/// In the order they are tried: what takes most away for one attempt comes first.
const PASSES: &[Pass] = &[
    |s, _| statements::drop_statements(s),
    |s, _| statements::drop_tables(s),
    rows::write_out,
    |s, _| statements::drop_rows(s),
    |s, _| queries::drop_flips(s),
    |s, _| queries::drop_rewrites(s),
    |s, _| queries::plain_form(s),
    |s, _| queries::compounds(s),
    |s, _| queries::drop_members(s),
    |s, _| queries::drop_clauses(s),
    |s, _| queries::drop_items(s),
    |s, _| expressions::replace(s),
    |s, _| columns::drop_columns(s),
    |s, _| sources::inline(s),
    |s, _| plain::plainer(s),
    |s, _| statements::fold(s),
    columns::simplify,
    |s, _| queries::simplify(s),
    |s, _| expressions::simplify(s),
    |s, _| expressions::literals(s),
    |s, _| names::rename(s),
];

#[derive(Clone)]
pub struct SqlSubject {
    source: SqlSource,
    dialect: &'static Dialect,
    origin: Origin,
}

impl SqlSubject {
    /// Nothing when the case was not made from a SQL tree.
    pub fn of(case: &Case, dialect: &'static Dialect) -> Option<SqlSubject> {
        let source = serde_json::from_value(case.source.clone()?).ok()?;
        Some(SqlSubject { source, dialect, origin: case.origin })
    }
}

impl Subject for SqlSubject {
    type Edit = Edit;

    fn weight(&self) -> u64 {
        weight::of(&self.source)
    }

    fn passes(&self) -> usize {
        PASSES.len()
    }

    fn edits(&self, pass: usize) -> Vec<Edit> {
        PASSES[pass](&self.source, self.dialect)
    }

    fn apply(&self, edit: &Edit) -> Option<SqlSubject> {
        let mut next = self.clone();
        if !edit(&mut next.source) || !well_formed(&next.source) {
            return None;
        }
        facts::settle(&self.source, &mut next.source);
        realign(&self.source.question, &mut next.source.question);
        Some(next)
    }

    fn case(&self) -> Option<Case> {
        if !names_are_known(&self.source.state, self.dialect) {
            return None;
        }
        oracle::case(&self.source, self.dialect, self.origin)
    }
}

impl Varied for SqlSubject {
    fn places(&self) -> Vec<Place<Edit>> {
        vary::places(&self.source, self.dialect)
    }
}

/// Whether every table, column and index that a statement of the state names is there, and no table loses its last
/// column. The oracle looks at the question only; a bug that shows before a statement is run would let such a state
/// through.
fn names_are_known(state: &[Statement], dialect: &Dialect) -> bool {
    let mut schema = Schema::in_dialect(dialect);
    state.iter().all(|s| {
        let known = qualify_statement(&mut s.clone(), &schema).is_ok() && schema.apply(s, dialect).is_ok();
        known && schema.tables.iter().all(|t| !t.columns.is_empty())
    })
}

/// A rewrite names its place by counting expressions, and an edit before that place changes the count: the rewrite
/// moves along with its expression. (Places of a second rewrite count in the tree that the first one makes, so only a
/// single one can be followed.)
fn realign(before: &Question, after: &mut Question) {
    let [rewrite] = after.rewrites.as_mut_slice() else { return };
    let site = rewrite.site as usize;
    let Some(expr) = walk::expr_at(&before.query, site) else { return };
    let (mut at, mut nearest) = (0usize, None);
    walk::each_expr(&after.query, &mut |e| {
        if *e == expr && nearest.is_none_or(|n: usize| n.abs_diff(site) > at.abs_diff(site)) {
            nearest = Some(at);
        }
        at += 1;
    });
    if let Some(moved) = nearest {
        rewrite.site = moved as u32;
    }
}

/// What a shrunk tree must not become: text that an engine reads as something else, or a list that may not be empty.
fn well_formed(source: &SqlSource) -> bool {
    let mut fine = source.state.iter().all(statement_is_well_formed);
    walk::each_query(source, &mut |query| {
        fine &= !query.order_by.iter().any(|o| may_be_an_ordinal(&o.expr)) && compound_order_is_plain(query);
        if let Body::Values(rows) = &query.body {
            fine &= !rows.is_empty() && rows.iter().all(|r| !r.is_empty());
        }
    });
    walk::each_select(source, &mut |select| {
        fine &= !select.group_by.iter().any(may_be_an_ordinal) && having_has_groups(select);
    });
    walk::each_expr(source, &mut |expr| {
        fine &= match expr {
            Expr::InList { list, .. } => !list.is_empty(),
            Expr::Case { arms, .. } => !arms.is_empty(),
            Expr::Row(members) => !members.is_empty(),
            Expr::Window(w) => counts_are_positive(&w.function),
            _ => true,
        }
    });
    fine
}

/// What engines refuse is no smaller case: a place in the frame and a number of parts are at least one.
fn counts_are_positive(function: &Aggregate) -> bool {
    let count = match (function.function.as_ref(), function.args.as_slice()) {
        ("ntile", [count]) | ("nth_value", [_, count]) => count,
        _ => return true,
    };
    matches!(count, Expr::Literal(Literal::Int(1..)))
}

/// SQLite refuses HAVING where neither GROUP BY nor an aggregate in the select list makes groups.
fn having_has_groups(select: &Select) -> bool {
    select.having.is_none() || !select.group_by.is_empty() || has_aggregate(select)
}

/// A compound is ordered by what its first part calls its columns: by an alias, or by a name that only one table can
/// have given.
fn compound_order_is_plain(query: &Query) -> bool {
    let mut first = &query.body;
    while let Body::Compound { left, .. } = first {
        first = left;
    }
    let (Body::Compound { .. }, Body::Select(select)) = (&query.body, first) else { return true };
    query.order_by.iter().all(|o| match &o.expr {
        Expr::Column { table, column } if table.is_empty() => {
            select.from.len() == 1 || select.items.iter().any(|i| i.alias.as_ref() == Some(column))
        }
        _ => true,
    })
}

fn statement_is_well_formed(statement: &Statement) -> bool {
    match statement {
        Statement::CreateTable(t) => {
            // A generated column alone is no table to an engine.
            t.columns.iter().any(|c| c.generated.is_none()) && t.unique.iter().all(|u| !u.is_empty())
        }
        Statement::CreateIndex(i) => !i.terms.is_empty() && i.terms.iter().all(|t| !is_literal(&t.expr)),
        Statement::CreateView(v) => v.columns.is_empty() || v.columns.len() == queries::width(&v.query.body),
        Statement::Insert(i) => {
            // As many values as columns, where the columns are listed.
            let fits = |width: usize| i.columns.is_empty() || i.columns.len() == width;
            i.rows.is_empty() == i.source.is_some()
                && (i.is_default() || i.rows.iter().all(|r| !r.is_empty() && fits(r.len())))
                && i.source.as_ref().is_none_or(|q| fits(queries::width(&q.body)))
        }
        Statement::CreateTrigger(t) => !t.body.is_empty() && t.body.iter().all(statement_is_well_formed),
        Statement::Update(u) => !u.set.is_empty(),
        Statement::AddColumn { .. } | Statement::DropColumn { .. } | Statement::RenameColumn { .. } => true,
        Statement::Delete { .. } | Statement::DropIndex { .. } => true,
        Statement::Transaction(_) | Statement::Maintenance(_) => true,
    }
}

/// A bare number as a GROUP BY or ORDER BY term means a column of the result by its position.
fn may_be_an_ordinal(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(_) => true,
        Expr::Unary(_, e) | Expr::Collate { expr: e, .. } => may_be_an_ordinal(e),
        _ => false,
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(_))
}

fn mentions(tree: &impl Tree, mut what: impl FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    walk::each_expr(tree, &mut |e| found |= what(e));
    found
}

/// An edit as a closure; the box is only noise at the places where passes are written.
fn edit(change: impl Fn(&mut SqlSource) -> bool + 'static) -> Edit {
    Box::new(change)
}

/// `Some` becomes `None`; says whether it was there.
fn clear<T>(slot: &mut Option<T>) -> bool {
    slot.take().is_some()
}

/// A switch that is on goes off; says whether it was on.
fn off(slot: &mut bool) -> bool {
    std::mem::take(slot)
}

fn remove_range<T>(list: &mut Vec<T>, range: &std::ops::Range<usize>) -> bool {
    if range.end > list.len() || range.is_empty() {
        return false;
    }
    list.drain(range.clone());
    true
}
