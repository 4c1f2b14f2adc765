//! Virtual tables: boxes and documents, what is said to their modules, and searches that delete what they find.

use super::{Builder, State};
use crate::sql::ast::*;
use crate::sql::search;
use qualm_core::dialect::sql::{Affinity, Held, Kind, Module};

/// Dimensions of a box, at most.
const DIMENSIONS: usize = 2;
/// One INSERT of boxes in so many has many of them.
const MANY_BOXES: u32 = 4;
/// One document in so many is long.
const LONG: u32 = 12;

impl Builder<'_> {
    /// A virtual table of one of the modules that the engine has.
    pub fn create_virtual(&mut self, state: &mut State) -> Option<Statement> {
        let modules: Vec<&'static Module> =
            self.profile.dialect.modules.iter().filter(|m| self.has(m.feature)).collect();
        let module = if modules.is_empty() { None } else { Some(*self.rng.pick(&modules)) }?;
        self.uses(module.feature);
        let name: Name = format!("t{}", state.tables.len()).into();
        let columns = match module.holds {
            Held::Boxes { whole_numbers } => self.box_columns(whole_numbers),
            Held::Texts => self.text_columns(),
        };
        if module.search.is_some() {
            search::learn_words(&mut state.pool, self.rng);
        }
        let mut options = Vec::new();
        for list in module.options {
            if self.rng.chance(1, 3) {
                let column = &self.rng.pick(&columns).name;
                options.push(Name::from(self.rng.pick(list).replace("{column}", column)));
            }
        }
        let module = Some((module.name.into(), options));
        Some(Statement::CreateTable(CreateTable { name, columns, module, ..CreateTable::default() }))
    }

    fn box_columns(&mut self, whole_numbers: bool) -> Vec<ColumnDef> {
        let (kind, affinity) =
            if whole_numbers { (Kind::Int, Affinity::Integer) } else { (Kind::Real, Affinity::Real) };
        let mut columns = vec![ColumnDef::plain("c0", "", Kind::Int, Affinity::Integer)];
        for i in 1..=2 * self.rng.range(1, DIMENSIONS) {
            columns.push(ColumnDef::plain(format!("c{i}"), "", kind, affinity));
        }
        columns
    }

    fn text_columns(&mut self) -> Vec<ColumnDef> {
        (0..self.rng.range(1, 3)).map(|i| ColumnDef::plain(format!("c{i}"), "", Kind::Any, Affinity::Blob)).collect()
    }

    fn module_of(&self, table: &CreateTable) -> Option<&'static Module> {
        table.module.as_ref().and_then(|(name, _)| Module::named(self.profile.dialect.modules, name))
    }

    pub(super) fn fill_module(&mut self, table: &CreateTable, rows: usize, state: &State) -> Statement {
        let boxes = matches!(self.module_of(table).map(|m| m.holds), Some(Held::Boxes { .. }));
        // Boxes that do not fit on one page of the tree.
        let rows = if boxes && self.rng.chance(1, MANY_BOXES) { rows * 12 } else { rows };
        let mut made = Vec::with_capacity(rows);
        for _ in 0..rows {
            made.push(if boxes { self.boxed(table, state) } else { self.documents(table, state) });
        }
        let verb = match (boxes, self.rng.below(3)) {
            (true, 0) => "REPLACE",
            (true, _) => "INSERT OR IGNORE",
            (false, _) => "INSERT",
        };
        Statement::Insert(Insert {
            table: table.name.clone(),
            verb: verb.into(),
            columns: table.columns.iter().map(|c| c.name.clone()).collect(),
            rows: made,
            ..Insert::default()
        })
    }

    /// A number, and for each dimension two ends in order.
    fn boxed(&mut self, table: &CreateTable, _: &State) -> Vec<Expr> {
        let number = if self.rng.chance(1, 4) { Expr::null() } else { Expr::int(self.rng.below(40) as i64) };
        let mut values = vec![number];
        for pair in table.columns[1..].chunks(2) {
            let low = self.rng.below(60) as i64 - 20;
            let high = low + self.rng.below(9) as i64;
            let real = pair[0].kind == Kind::Real && self.rng.coin();
            let end = |i: i64| if real { Expr::Literal(Literal::Real(i as f64 + 0.5)) } else { Expr::int(i) };
            values.extend([end(low), end(high)]);
        }
        values
    }

    fn documents(&mut self, table: &CreateTable, state: &State) -> Vec<Expr> {
        table.columns.iter().map(|_| self.document(state)).collect()
    }

    fn document(&mut self, state: &State) -> Expr {
        match self.rng.below(12) {
            0 => Expr::null(),
            1 => Expr::Literal(state.pool.literal(Kind::Any, self.rng)),
            _ => {
                let long = self.rng.chance(1, LONG);
                Expr::text(search::document(&state.pool, if long { 120 } else { 8 }, self.rng))
            }
        }
    }

    /// A statement to a module about one of its tables.
    pub(super) fn command(&mut self, state: &mut State) -> Option<Statement> {
        let tables: Vec<&CreateTable> = state.tables.iter().filter(|t| t.module.is_some()).collect();
        let table = if tables.is_empty() { None } else { Some(*self.rng.pick(&tables)) }?;
        let commands = self.module_of(table)?.commands;
        let text = if commands.is_empty() { None } else { Some(*self.rng.pick(commands)) }?;
        Some(Statement::Maintenance(text.replace("{table}", &table.name).into()))
    }

    pub(super) fn update_module(
        &mut self,
        table: &CreateTable,
        column: &ColumnDef,
        state: &State,
    ) -> Option<Statement> {
        let boxes = matches!(self.module_of(table)?.holds, Held::Boxes { .. });
        let set = match boxes {
            // The two ends of a box are moved together.
            true => {
                let ends = self.boxed(table, state);
                let named = table.columns.iter().zip(ends).skip(1);
                named.map(|(c, e)| (c.name.clone(), e)).collect()
            }
            false => vec![(column.name.clone(), self.document(state))],
        };
        let filter = Some(self.found(table, state)?);
        Some(Statement::Update(Update { table: table.name.clone(), verb: "UPDATE".into(), set, filter }))
    }

    pub(super) fn delete_found(&mut self, table: &CreateTable, state: &State) -> Option<Statement> {
        let filter = Some(self.found(table, state)?);
        Some(Statement::Delete { table: table.name.clone(), filter })
    }

    /// Rows that a search finds, or those of a condition.
    fn found(&mut self, table: &CreateTable, state: &State) -> Option<Expr> {
        let columns = super::columns_of(table, self.profile);
        if let Some(syntax) = self.module_of(table)?.search
            && self.rng.coin()
        {
            let words = search::words(&syntax, &state.pool, &columns, self.rng);
            let all = Expr::column("", &table.name);
            return Some(Expr::Binary(Binary::Match, Box::new(all), Box::new(Expr::text(words))));
        }
        Some(self.over_columns(&columns, state, |g| g.predicate(1)))
    }
}
