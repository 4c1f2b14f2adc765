//! What changes rows beside plain INSERT, UPDATE and DELETE: triggers, foreign keys, UPSERT and transactions.

use super::{CreateView, Expr, Insert, Name, Select, Source, Statement};
use crate::sql::walk;
use serde::{Deserialize, Serialize};

/// Where a transaction or a part of it begins and ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transaction {
    Begin,
    Savepoint(Name),
    RollbackTo(Name),
    Release(Name),
    Commit,
    Rollback,
}

/// A trigger for each row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateTrigger {
    pub name: Name,
    /// The table, or the view of an INSTEAD OF trigger.
    pub table: Name,
    pub timing: Timing,
    pub event: Event,
    /// UPDATE OF these columns; of any where there are none.
    pub of: Vec<Name>,
    pub when: Option<Expr>,
    /// Changes of other tables, which may use the columns of NEW and OLD.
    pub body: Vec<Statement>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Timing {
    Before,
    After,
    InsteadOf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Event {
    Insert,
    Update,
    Delete,
}

/// Columns that hold a key of another table, or NULL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignKey {
    pub columns: Vec<Name>,
    pub table: Name,
    /// The columns of that key; its primary key where there are none.
    pub key: Vec<Name>,
    /// CASCADE, SET NULL and the like; NO ACTION where nothing is said.
    pub on_delete: Option<Name>,
    pub on_update: Option<Name>,
    /// Checked when the transaction ends.
    pub deferred: bool,
}

/// The name of the row that stands in for those that are given.
pub const EXCLUDED: &str = "excluded";

/// One ON CONFLICT clause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upsert {
    /// The columns of the key; any key where there are none.
    pub key: Vec<Name>,
    /// DO NOTHING where nothing is set. Values may use the row of `excluded`.
    pub set: Vec<(Name, Expr)>,
    pub filter: Option<Expr>,
    /// Written as MERGE, which looks for the rows in the way by that key alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub merge: bool,
}

impl ForeignKey {
    /// Whether a change of the other table may change rows of this one.
    pub fn acts(&self) -> bool {
        let acts = |action: &Option<Name>| action.as_ref().is_some_and(|a| a == "CASCADE" || a.starts_with("SET"));
        acts(&self.on_delete) || acts(&self.on_update)
    }
}

impl Insert {
    /// Rows of values and nothing else: neither a query nor a clause behind them.
    pub fn is_plain(&self) -> bool {
        self.source.is_none() && self.upsert.is_empty()
    }

    /// The clause of a MERGE: it is the only one, it names its key, and the rows are given with their columns.
    pub fn merge(&self) -> Option<&Upsert> {
        let [clause] = self.upsert.as_slice() else { return None };
        let named = clause.merge && !clause.key.is_empty() && !self.columns.is_empty();
        (named && self.source.is_none() && !self.is_default()).then_some(clause)
    }

    /// `DEFAULT VALUES`: one row, of which nothing is given.
    pub fn is_default(&self) -> bool {
        self.columns.is_empty() && matches!(self.rows.as_slice(), [row] if row.is_empty())
    }
}

impl CreateTrigger {
    /// The tables that its statements change.
    pub fn changes(&self) -> impl Iterator<Item = &Name> {
        self.body.iter().filter_map(|s| match s {
            Statement::Insert(i) => Some(&i.table),
            Statement::Update(u) => Some(&u.table),
            Statement::Delete { table, .. } => Some(table),
            _ => None,
        })
    }
}

impl Statement {
    /// Whether it makes or changes a definition, which some engines do not take back with a transaction.
    pub fn defines(&self) -> bool {
        match self {
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } => false,
            Statement::Transaction(_) | Statement::Maintenance(_) => false,
            Statement::CreateTable(_) | Statement::CreateIndex(_) | Statement::CreateView(_) => true,
            Statement::AddColumn { .. } | Statement::DropColumn { .. } | Statement::RenameColumn { .. } => true,
            Statement::DropIndex { .. } | Statement::CreateTrigger(_) => true,
        }
    }

    /// Whether it changes the columns of a table.
    pub fn alters_columns(&self) -> bool {
        matches!(self, Statement::AddColumn { .. } | Statement::DropColumn { .. } | Statement::RenameColumn { .. })
    }

    /// Whether later changes of rows may change this table as well: a trigger or a foreign key does.
    pub fn entangles(&self, table: &Name) -> bool {
        match self {
            Statement::CreateTable(t) => t.name == *table && t.foreign_keys.iter().any(ForeignKey::acts),
            Statement::CreateTrigger(t) => t.changes().any(|changed| changed == table),
            _ => false,
        }
    }
}

/// What groups by several lists of keys at once: in GROUP BY a call of one of these stands for all keys.
pub const ROLLUP: &str = "rollup";
pub const CUBE: &str = "cube";
/// Behind its keys it holds the lists, each as a row of some of them.
pub const GROUPING_SETS: &str = "grouping sets";

/// What a call in GROUP BY groups by, and what it holds.
fn grouping(function: &str) -> Option<&'static str> {
    [ROLLUP, CUBE, GROUPING_SETS].into_iter().find(|g| g.eq_ignore_ascii_case(function))
}

/// The keys among what GROUPING SETS holds.
fn keys_before_sets(args: &[Expr]) -> &[Expr] {
    let end = args.iter().position(|e| matches!(e, Expr::Row(_))).unwrap_or(args.len());
    &args[..end]
}

impl Select {
    /// The keys of its groups, whether a call holds them or not.
    pub fn keys(&self) -> &[Expr] {
        match self.grouping() {
            Some((GROUPING_SETS, args)) => keys_before_sets(args),
            Some((_, args)) => args,
            None => &self.group_by,
        }
    }

    /// What groups by several lists of keys, with what it holds.
    pub fn grouping(&self) -> Option<(&'static str, &[Expr])> {
        match self.group_by.as_slice() {
            [Expr::Call { function, args }] => grouping(function).map(|g| (g, args.as_slice())),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn grouping_mut(&mut self) -> Option<(&'static str, &mut Vec<Expr>)> {
        match self.group_by.as_mut_slice() {
            [Expr::Call { function, args }] => grouping(function).map(|g| (g, args)),
            _ => None,
        }
    }

    /// GROUPING SETS has a list, each of its keys is in one, and its lists hold nothing else.
    pub fn has_proper_sets(&self) -> bool {
        let Some((GROUPING_SETS, args)) = self.grouping() else { return true };
        let keys = keys_before_sets(args);
        let sets: Option<Vec<&Vec<Expr>>> = args[keys.len()..]
            .iter()
            .map(|e| match e {
                Expr::Row(set) => Some(set),
                _ => None,
            })
            .collect();
        let Some(sets) = sets.filter(|sets| !sets.is_empty()) else { return false };
        let listed = |e: &Expr| sets.iter().any(|set| set.contains(e));
        keys.iter().all(listed) && sets.iter().all(|set| set.iter().all(|e| keys.contains(e)))
    }
}

impl Source {
    /// The name of a table or view.
    pub fn table(&self) -> Option<&Name> {
        match self {
            Source::Table { name, .. } => Some(name),
            Source::Query { .. } => None,
        }
    }
}

impl CreateView {
    /// Whether it names no columns of a table (`*`, NATURAL): when one is added later, some engines go on with those
    /// that there were when the view was made, and others read its text anew.
    pub fn reads_unnamed_columns(&self) -> bool {
        let mut found = false;
        walk::each_select(&self.query, &mut |s| {
            found |= s.items.is_empty() || s.from.iter().any(|j| j.join.is_natural());
        });
        found
    }
}
