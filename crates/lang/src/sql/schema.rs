//! What is known of names and values before a query runs: tables, their columns, and of each value its kind, affinity,
//! collation and whether it is fully determined. Which uses of them are sound is decided in `typing.rs`.

use super::ast::*;
use super::typing;
use qualm_core::dialect::sql::{Affinity, Dialect, Kind};
use std::rc::Rc;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    pub kind: Kind,
    /// Each value is of that kind or NULL, whatever was inserted.
    pub pure: bool,
    pub affinity: Affinity,
    /// Position in `Dialect::collations`; 0 compares bytes.
    pub collation: u8,
    /// Equal values are identical under byte comparison: no 1 beside 1.0.
    pub exact: bool,
    /// Small numbers only: sums are exact in any order.
    pub summable: bool,
    pub taint: Taint,
}

/// Why the engine may choose among several representations of this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taint {
    Clear,
    /// One of the texts that are equal under the column's collation.
    Collated,
    /// One of the numbers that are equal in value, or both reasons at once.
    Hard,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: Name,
    pub traits: Traits,
}

pub type Columns = Rc<[Column]>;

#[derive(Clone, Debug)]
pub struct Table {
    pub name: Name,
    pub columns: Columns,
    pub view: bool,
    pub rowid: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Schema {
    pub tables: Vec<Table>,
    pub indexes: Vec<(Name, Name)>,
}

/// Why a query is refused. For tests and for whoever wonders; never shown in a hunt.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsound(pub &'static str);

pub(super) type Checked<T> = Result<T, Unsound>;

/// The name of a row's number, where a table has one.
pub const ROWID: &str = "rowid";

pub struct Scope<'a> {
    pub sources: Vec<ScopeSource>,
    pub outer: Option<&'a Scope<'a>>,
}

#[derive(Clone, Debug)]
pub struct ScopeSource {
    pub alias: Name,
    pub columns: Columns,
    /// Has a row number that can be named: a base table that is not WITHOUT ROWID.
    pub rowid: bool,
}

impl Traits {
    pub fn of(kind: Kind) -> Traits {
        Traits {
            kind,
            pure: true,
            affinity: Affinity::None,
            collation: 0,
            exact: true,
            summable: false,
            taint: Taint::Clear,
        }
    }

    /// May be used as a key whose representative shows: equal means identical.
    pub fn identical(&self) -> bool {
        self.exact && self.collation == 0 && self.taint == Taint::Clear
    }

    /// The same value after the engine merged equal ones (DISTINCT, GROUP BY, UNION, MIN, MAX).
    pub(super) fn merged(mut self) -> Traits {
        if !self.exact {
            self.taint = Taint::Hard;
        } else if self.collation != 0 {
            self.taint = self.taint.max(Taint::Collated);
        }
        self
    }
}

impl Schema {
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|t| t.name == name)
    }

    pub fn from_state(state: &[Statement], dialect: &Dialect) -> Checked<Schema> {
        let mut schema = Schema::default();
        for statement in state {
            schema.apply(statement, dialect)?;
        }
        Ok(schema)
    }

    /// What a successful statement does to the names.
    pub fn apply(&mut self, statement: &Statement, dialect: &Dialect) -> Checked<()> {
        match statement {
            Statement::CreateTable(t) => {
                let columns = t.columns.iter().map(|c| column_of(c, Some(t), dialect)).collect();
                self.tables.push(Table { name: t.name.clone(), columns, view: false, rowid: !t.without_rowid });
            }
            Statement::CreateView(v) => {
                let mut columns = typing::query(&v.query, self, dialect)?;
                for (column, name) in columns.iter_mut().zip(&v.columns) {
                    column.name = name.clone();
                }
                self.tables.push(Table { name: v.name.clone(), columns: columns.into(), view: true, rowid: false });
            }
            Statement::CreateIndex(i) => self.indexes.push((i.name.clone(), i.table.clone())),
            Statement::DropIndex { name, .. } => self.indexes.retain(|(n, _)| n != name),
            Statement::AddColumn { table, column } => {
                let added = column_of(column, None, dialect);
                self.alter(table, |c| c.push(added));
            }
            Statement::DropColumn { table, column } => self.alter(table, |c| c.retain(|c| c.name != *column)),
            Statement::RenameColumn { table, from, to } => self.alter(table, |columns| {
                columns.iter_mut().filter(|c| c.name == *from).for_each(|c| c.name = to.clone());
            }),
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } | Statement::Maintenance(_) => {}
        }
        Ok(())
    }

    fn alter(&mut self, table: &str, change: impl FnOnce(&mut Vec<Column>)) {
        if let Some(t) = self.tables.iter_mut().find(|t| t.name == table) {
            let mut columns = t.columns.to_vec();
            change(&mut columns);
            t.columns = columns.into();
        }
    }
}

pub fn collation_index(name: &str, dialect: &Dialect) -> u8 {
    dialect.collations.iter().position(|c| c.eq_ignore_ascii_case(name)).unwrap_or(0) as u8
}

fn column_of(c: &ColumnDef, table: Option<&CreateTable>, dialect: &Dialect) -> Column {
    let integer_key = c.primary_key && c.type_name.eq_ignore_ascii_case("INTEGER");
    let strict = table.is_some_and(|t| t.strict) && c.kind != Kind::Any;
    Column {
        name: c.name.clone(),
        traits: Traits {
            kind: c.kind,
            pure: !dialect.dynamic_typing || strict || integer_key && table.is_some_and(|t| !t.without_rowid),
            affinity: c.affinity,
            collation: c.collation.as_ref().map_or(0, |n| collation_index(n, dialect)),
            exact: c.exact,
            summable: c.summable,
            taint: Taint::Clear,
        },
    }
}
