//! Tables of many rows, made by the engine itself from a series, with keys that are skewed, correlated or often NULL:
//! sorts that spill, trees of several levels, filters that planners only build for many rows.

use super::{Builder, State};
use crate::sql::ast::*;
use crate::sql::queries::counting;
use qualm_core::dialect::sql::{Affinity, Feature, Kind};

/// The series, and its column.
const SERIES: &str = "w";
const NUMBER: &str = "n";

impl Builder<'_> {
    /// `INSERT INTO t WITH RECURSIVE w(n) AS (…) SELECT …` of so many rows, for a table without foreign keys.
    pub fn fill_from_series(&mut self, table: &CreateTable, rows: usize, state: &State) -> Option<Statement> {
        if table.module.is_some() || !table.foreign_keys.is_empty() || !self.has(Feature::RecursiveCte) {
            return None;
        }
        let columns: Vec<&ColumnDef> = table.columns.iter().filter(|c| c.generated.is_none()).collect();
        let items: Option<Vec<Item>> = columns.iter().map(|c| self.of_number(c, table).map(Item::bare)).collect();
        let source = Source::Table { name: SERIES.into(), alias: SERIES.into(), hint: Hint::None };
        let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
        let mut query = Query::of(Select { items: items?, from, ..Select::default() });
        query.with.push(counting(&SERIES.into(), NUMBER, 1, rows as i64, SetOp::UnionAll));
        self.uses(Feature::RecursiveCte);
        let constrained = super::ties::is_constrained(table, state);
        let verb = if constrained { "INSERT OR IGNORE" } else { "INSERT" }.into();
        let (columns, source) = (columns.iter().map(|c| c.name.clone()).collect(), Some(Box::new(query)));
        Some(Statement::Insert(Insert { table: table.name.clone(), verb, columns, source, ..Insert::default() }))
    }

    /// A value that follows from the number of the row, within what the column promises.
    fn of_number(&mut self, column: &ColumnDef, table: &CreateTable) -> Option<Expr> {
        let n = || Expr::column(SERIES, NUMBER);
        let op = |op: Binary, a: Expr, b: Expr| Expr::Binary(op, Box::new(a), Box::new(b));
        let modulo = |k: i64| op(Binary::Mod, n(), Expr::int(k));
        let key = column.primary_key || column.unique || table.primary_key.contains(&column.name);
        let few = *self.rng.pick(&[2, 7, 10, 100]);
        let number = match self.rng.below(4) {
            _ if key => n(),
            0 => n(),
            // Nine rows in ten have the same value.
            1 => {
                let arms = vec![(op(Binary::Ne, modulo(10), Expr::int(0)), Expr::int(1))];
                Expr::Case { operand: None, arms, otherwise: Some(Box::new(modulo(few))) }
            }
            _ => modulo(few),
        };
        let small = column.summable && !key;
        let number = if small { modulo(few) } else { number };
        let value = match column.kind {
            Kind::Int => number,
            Kind::Real if column.affinity == Affinity::Real || !self.profile.dialect.dynamic_typing => {
                let real = self.profile.dialect.cast(Kind::Real)?;
                Expr::Cast { expr: Box::new(number), type_name: real.into() }
            }
            Kind::Real => number,
            Kind::Text => {
                let text = self.profile.dialect.cast(Kind::Text)?;
                let number = Expr::Cast { expr: Box::new(number), type_name: text.into() };
                op(Binary::Concat, Expr::text("k"), number)
            }
            Kind::Any if self.profile.dialect.dynamic_typing => number,
            Kind::Blob if self.profile.dialect.dynamic_typing && !table.strict => {
                Expr::Cast { expr: Box::new(number), type_name: "BLOB".into() }
            }
            Kind::Blob | Kind::Bool | Kind::Any | Kind::Special(_) => {
                if column.not_null || key {
                    return None;
                }
                return Some(Expr::null());
            }
        };
        if column.not_null || key || !self.rng.chance(1, 3) {
            return Some(value);
        }
        let arms = vec![(op(Binary::Eq, modulo(3), Expr::int(0)), Expr::null())];
        Some(Expr::Case { operand: None, arms, otherwise: Some(Box::new(value)) })
    }
}
