//! Statements that change rows: INSERT in all its forms, UPDATE, DELETE, and transactions around them.

use super::ties::is_free;
use super::{Builder, State, columns_of};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::order;
use crate::sql::schema::{Column, Schema};
use qualm_core::dialect::sql::{Feature, Kind};

/// Bytes of a text or blob that does not fit on a page, at least and at most.
const LONG: (usize, usize) = (300, 4000);

impl Builder<'_> {
    pub fn insert(&mut self, state: &State) -> Option<Statement> {
        let table = self.pick_table(state)?;
        let rows = self.rng.range(1, 4);
        Some(self.insert_into(table, rows, state))
    }

    pub fn insert_into(&mut self, table: &CreateTable, rows: usize, state: &State) -> Statement {
        if table.module.is_some() {
            return self.fill_module(table, rows, state);
        }
        let mut columns: Vec<&ColumnDef> = table.columns.iter().filter(|c| c.generated.is_none()).collect();
        let numbered = columns.iter().position(|c| c.autoincrement);
        if columns.len() > 1 && (self.rng.chance(1, 3) || numbered.is_some() && self.rng.coin()) {
            // Left out, so that its default or the next number is used.
            let left_out = numbered.or_else(|| columns.iter().position(|c| c.default.is_some()));
            left_out.map(|at| columns.remove(at));
        }
        let dynamic = self.profile.dialect.dynamic_typing;
        let constrained = !table.primary_key.is_empty()
            || !table.unique.is_empty()
            || table.check.is_some()
            || columns.iter().any(|c| c.primary_key || c.unique)
            || state.schema.indexes.iter().any(|(_, t)| *t == table.name);
        let replaces = u32::from(!self.profile.dialect.spelling.insert_replace.0.is_empty());
        let dynamic_verbs = u32::from(dynamic);
        let verb = match (constrained, self.rng.weighted(&[8, 2 * dynamic_verbs, replaces])) {
            (true, 0) => "INSERT OR IGNORE",
            (true, 1) => "INSERT OR REPLACE",
            (true, _) => "REPLACE",
            (false, _) => "INSERT",
        };
        let verb = if table.check.is_some() { "INSERT OR IGNORE" } else { verb };
        let mut made = Vec::with_capacity(rows);
        for _ in 0..rows {
            made.push(columns.iter().map(|c| Expr::Literal(self.stored(c, table, state))).collect());
        }
        let returning = self.has(Feature::InsertReturning) && self.rng.chance(1, 16);
        if returning {
            self.uses(Feature::InsertReturning);
        }
        Statement::Insert(Insert {
            table: table.name.clone(),
            verb: verb.into(),
            columns: columns.iter().map(|c| c.name.clone()).collect(),
            rows: made,
            returning,
            ..Insert::default()
        })
    }

    /// A value for a column, within what its definition promises.
    pub(super) fn stored(&mut self, column: &ColumnDef, table: &CreateTable, state: &State) -> Literal {
        if !table.foreign_keys.is_empty()
            && self.rng.chance(7, 8)
            && let Some(known) = self.referred(table, &column.name, state)
        {
            return known;
        }
        if state.theme.long_values && matches!(column.kind, Kind::Text | Kind::Blob) && self.rng.chance(1, 5) {
            return self.long_value(column.kind, state);
        }
        state.pool.stored(column, table.strict, self.profile.dialect.dynamic_typing, self.rng)
    }

    /// One of the texts of the database over and over.
    fn long_value(&mut self, kind: Kind, state: &State) -> Literal {
        let length = self.rng.range(LONG.0, LONG.1);
        let part = format!("{}x", state.pool.text(self.rng));
        let text: String = part.chars().cycle().take(length).collect();
        if kind == Kind::Blob { Literal::Blob(text.into_bytes()) } else { Literal::Text(text) }
    }

    pub(super) fn pick_table<'s>(&mut self, state: &'s State) -> Option<&'s CreateTable> {
        if state.tables.is_empty() { None } else { Some(self.rng.pick(&state.tables)) }
    }

    // ------------------------------------------------------------ UPSERT

    /// `INSERT … ON CONFLICT (key) DO UPDATE SET …`.
    pub fn upsert(&mut self, state: &mut State) -> Option<Statement> {
        if !self.has(Feature::Upsert) {
            return None;
        }
        let with_key = |t: &&CreateTable| t.module.is_none() && keys(t).next().is_some();
        let tables: Vec<&CreateTable> = state.tables.iter().filter(with_key).collect();
        let table = if tables.is_empty() { None } else { Some((*self.rng.pick(&tables)).clone()) }?;
        let rows = self.rng.range(1, 4);
        let Statement::Insert(mut made) = self.insert_into(&table, rows, state) else { return None };
        self.uses(Feature::Upsert);
        made.verb = "INSERT".into();
        let all: Vec<Vec<Name>> = keys(&table).collect();
        let key = self.rng.pick(&all).clone();
        if self.rng.chance(1, 4) {
            // Without a key it is INSERT OR IGNORE where that is written so.
            let any = self.profile.dialect.spelling.insert_ignore.1.is_empty() && self.rng.coin();
            made.upsert.push(Upsert {
                key: if any { Vec::new() } else { key },
                set: Vec::new(),
                filter: None,
                merge: false,
            });
            self.maybe_merge(&mut made);
            return Some(Statement::Insert(made));
        }
        let mut set = Vec::new();
        let free: Vec<&ColumnDef> = table.columns.iter().filter(|c| is_free(c, &table, state)).collect();
        for c in free.iter().take(self.rng.range(1, 2)) {
            let known = made.columns.contains(&c.name) && self.rng.coin();
            let value = match known {
                true => Expr::column("excluded", &c.name),
                false => Expr::Literal(self.stored(c, &table, state)),
            };
            set.push((c.name.clone(), value));
        }
        let filter = if !set.is_empty() && self.rng.chance(1, 3) { Some(self.over_table(&table, state)) } else { None };
        made.upsert.push(Upsert { key, set, filter, merge: false });
        // Another key may be in the way as well.
        if all.len() > 1 && self.profile.dialect.dynamic_typing {
            made.upsert.push(Upsert { key: Vec::new(), set: Vec::new(), filter: None, merge: false });
        }
        self.maybe_merge(&mut made);
        Some(Statement::Insert(made))
    }

    /// Half of them are written as MERGE, where there is one.
    fn maybe_merge(&mut self, made: &mut Insert) {
        if !self.has(Feature::Merge) || !self.rng.coin() {
            return;
        }
        made.upsert.iter_mut().for_each(|clause| clause.merge = true);
        if made.merge().is_some() {
            made.returning = false;
            self.uses(Feature::Merge);
        } else {
            made.upsert.iter_mut().for_each(|clause| clause.merge = false);
        }
    }

    /// A condition on the rows of a table, by its name.
    fn over_table(&mut self, table: &CreateTable, state: &State) -> Expr {
        let (columns, empty) = (columns_of(table, self.profile), Schema::default());
        let mut generator = Generator::new(self.rng, self.profile, &empty, &state.pool, self.shape);
        generator.subqueries = 0;
        generator.collations = state.collations;
        generator.leaning = state.leaning;
        generator.enter_row(&table.name, &columns);
        let expr = generator.predicate(1);
        self.used |= generator.used;
        expr
    }

    // ------------------------------------------------------------ INSERT … SELECT

    /// Rows of a table or view put into a table, in an order that is determined: then the row that is kept of several
    /// in conflict is too, and so is the number of each.
    pub fn insert_select(&mut self, state: &mut State) -> Option<Statement> {
        if !self.has(Feature::Dml) {
            return None;
        }
        let target = self.pick_table(state).filter(|t| t.module.is_none() && t.foreign_keys.is_empty())?.clone();
        let sources: Vec<_> =
            state.schema.tables.iter().filter(|t| t.refused.is_none() && t.facts.is_empty()).collect();
        let source = if sources.is_empty() { None } else { Some((*self.rng.pick(&sources)).clone()) }?;
        let alias = source.name.clone();
        let (mut columns, mut items) = (Vec::new(), Vec::new());
        for c in target.columns.iter().filter(|c| c.generated.is_none()) {
            let fitting: Vec<&Column> = source.columns.iter().filter(|v| self.holds(c, target.strict, v)).collect();
            if fitting.is_empty() {
                if c.not_null || c.primary_key {
                    return None;
                }
                continue;
            }
            columns.push(c.name.clone());
            items.push(Item::bare(Expr::column(&alias, &self.rng.pick(&fitting).name)));
        }
        if items.is_empty() {
            return None;
        }
        let from = Source::Table { name: source.name.clone(), alias: alias.clone(), hint: Hint::None };
        let from = vec![Joined { join: Join::Comma, source: from, on: None, using: Vec::new() }];
        let mut query = Query::of(Select { items: items.clone(), from, ..Select::default() });
        items.dedup();
        query.order_by =
            items.into_iter().map(|i| OrderItem { expr: i.expr, descending: false, nulls_first: None }).collect();
        if !order::is_total(&query, &state.schema, self.profile.dialect) {
            return None;
        }
        let constrained = super::ties::is_constrained(&target, state);
        let verb = if constrained { "INSERT OR IGNORE" } else { "INSERT" }.into();
        let (table, source) = (target.name, Some(Box::new(query)));
        Some(Statement::Insert(Insert { table, verb, columns, source, ..Insert::default() }))
    }

    // ------------------------------------------------------------ UPDATE, DELETE

    pub(super) fn update(&mut self, state: &State) -> Option<Statement> {
        if !self.has(Feature::Dml) {
            return None;
        }
        let table = self.pick_table(state)?;
        let settable: Vec<&ColumnDef> = table.columns.iter().filter(|c| c.generated.is_none()).collect();
        let column = *self.rng.pick(&settable);
        if table.module.is_some() {
            return self.update_module(table, column, state);
        }
        let columns = columns_of(table, self.profile);
        let fitting: Vec<&Column> = columns.iter().filter(|v| self.holds(column, table.strict, v)).collect();
        let copies = is_free(column, table, state) && !fitting.is_empty() && self.rng.chance(1, 4);
        let value = match copies {
            true => Expr::column("", &self.rng.pick(&fitting).name),
            false => Expr::Literal(self.stored(column, table, state)),
        };
        let filter = Some(self.over_columns(&columns, state, |g| g.predicate(1)));
        let verb = if self.rng.chance(1, 4) { "UPDATE OR REPLACE" } else { "UPDATE OR IGNORE" };
        Some(Statement::Update(Update {
            table: table.name.clone(),
            verb: verb.into(),
            set: vec![(column.name.clone(), value)],
            filter,
        }))
    }

    pub(super) fn delete(&mut self, state: &State) -> Option<Statement> {
        if !self.has(Feature::Dml) {
            return None;
        }
        let table = self.pick_table(state)?;
        if table.module.is_some() && self.rng.coin() {
            return self.delete_found(table, state);
        }
        let columns = columns_of(table, self.profile);
        let filter = Some(self.over_columns(&columns, state, |g| {
            let (a, b) = (g.predicate(1), g.predicate(1));
            a.and(b)
        }));
        Some(Statement::Delete { table: table.name.clone(), filter })
    }

    // ------------------------------------------------------------ transactions

    /// Changes of rows, some of which are taken back.
    pub(super) fn transaction(&mut self, state: &mut State) -> Vec<Statement> {
        let mut made = vec![Statement::Transaction(Transaction::Begin)];
        self.changes_of_rows(state, &mut made);
        let nested = self.rng.chance(2, 3);
        if nested {
            let name: Name = "s1".into();
            made.push(Statement::Transaction(Transaction::Savepoint(name.clone())));
            self.changes_of_rows(state, &mut made);
            if self.rng.chance(2, 3) {
                made.push(Statement::Transaction(Transaction::RollbackTo(name.clone())));
            }
            if self.rng.coin() {
                made.push(Statement::Transaction(Transaction::Release(name)));
            }
        }
        self.changes_of_rows(state, &mut made);
        let ends = if nested && self.rng.chance(2, 3) { Transaction::Commit } else { Transaction::Rollback };
        made.push(Statement::Transaction(ends));
        let changes = made.iter().any(|s| !matches!(s, Statement::Transaction(_)));
        self.uses(Feature::Transaction);
        if changes { made } else { Vec::new() }
    }

    fn changes_of_rows(&mut self, state: &mut State, made: &mut Vec<Statement>) {
        for _ in 0..self.rng.below(3) {
            made.extend(match self.rng.below(3) {
                0 => self.insert(state),
                1 => self.update(state),
                _ => self.delete(state),
            });
        }
    }
}

/// The keys of a table by which ON CONFLICT can name them.
fn keys(t: &CreateTable) -> impl Iterator<Item = Vec<Name>> {
    let alone = t.columns.iter().filter(|c| c.primary_key || c.unique).map(|c| vec![c.name.clone()]);
    // A key whose columns are collated in a way of its own is named with that.
    let listed =
        [&t.primary_key].into_iter().chain(&t.unique).filter(|k| !k.is_empty() && t.key_terms.is_empty()).cloned();
    alone.chain(listed)
}
