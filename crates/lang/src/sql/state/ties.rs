//! What ties tables together: foreign keys and triggers.
//!
//! A state must be the same whenever it is built, whatever plan its statements have. So what a trigger does must not
//! depend on the order in which a statement meets rows: it adds rows to a table that takes them all, or changes and
//! deletes rows by a condition on columns that it does not set; each of its statements is about another table, and only
//! tables that come later are changed by triggers of earlier ones.

use super::{Builder, State, columns_of};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::schema::{Column, Columns, Schema, Taint};
use qualm_core::dialect::sql::{Affinity, Feature, Kind};

const ACTIONS: &[&str] = &["CASCADE", "SET NULL", "RESTRICT", "NO ACTION", "SET DEFAULT"];

impl Builder<'_> {
    /// Whether a value of this column may be stored in that one without breaking what its definition promises.
    pub(super) fn holds(&self, target: &ColumnDef, strict: bool, value: &Column) -> bool {
        let t = &value.traits;
        let sums = !target.summable || t.summable;
        if t.taint != Taint::Clear || !sums || target.generated.is_some() {
            return false;
        }
        if !self.profile.dialect.dynamic_typing {
            // Which floats a column holds is known from literals only, also to whoever reads the script.
            return t.kind == target.kind && t.kind != Kind::Real && !target.summable;
        }
        // Other columns keep integers and equal floats apart.
        let merges = matches!(target.affinity, Affinity::Text | Affinity::Integer | Affinity::Real);
        let typed = !strict || target.kind == Kind::Any || t.pure && t.kind == target.kind;
        typed && (merges || !target.exact)
    }

    // ------------------------------------------------------------ foreign keys

    pub(super) fn foreign_keys(&mut self, table: &mut CreateTable, state: &State) {
        let parents: Vec<&CreateTable> = state.tables.iter().filter(|t| t.module.is_none()).collect();
        if parents.is_empty() || !self.has(Feature::ForeignKey) {
            return;
        }
        let parent = (*self.rng.pick(&parents)).clone();
        let keys: Vec<&ColumnDef> = parent.columns.iter().filter(|c| c.primary_key || c.unique).collect();
        if keys.is_empty() {
            return;
        }
        let key = (*self.rng.pick(&keys)).clone();
        let known = columns_of(&parent, self.profile);
        let Some(value) = known.iter().find(|c| c.name == key.name) else { return };
        let fits = |c: &&ColumnDef| {
            self.holds(c, table.strict, value) && (c.type_name == key.type_name || c.kind == Kind::Any)
        };
        let Some(column) = table.columns.iter().find(fits).map(|c| c.name.clone()) else { return };
        self.uses(Feature::ForeignKey);
        let actions = if self.profile.dialect.dynamic_typing { ACTIONS } else { &ACTIONS[..4] };
        let action = |b: &mut Self| b.rng.chance(3, 4).then(|| Name::from(*b.rng.pick(actions)));
        let (on_delete, on_update) = (action(self), action(self));
        let deferred = self.profile.dialect.dynamic_typing && self.rng.chance(1, 4);
        let (columns, key) = (vec![column], vec![key.name]);
        table.foreign_keys.push(ForeignKey { columns, table: parent.name, key, on_delete, on_update, deferred });
    }

    /// A value that the key has which this column refers to, as far as rows were written with literals.
    pub(super) fn referred(&mut self, table: &CreateTable, column: &Name, state: &State) -> Option<Literal> {
        let key = table.foreign_keys.iter().find(|f| f.columns.first() == Some(column))?;
        let mut known: Vec<&Literal> = Vec::new();
        for s in &state.statements {
            let Statement::Insert(i) = s else { continue };
            let at = i.columns.iter().position(|c| i.table == key.table && Some(c) == key.key.first());
            let Some(at) = at else { continue };
            known.extend(i.rows.iter().filter_map(|row| match row.get(at) {
                Some(Expr::Literal(l)) if *l != Literal::Null => Some(l),
                _ => None,
            }));
        }
        if known.is_empty() { Some(Literal::Null) } else { Some((*self.rng.pick(&known)).clone()) }
    }

    // ------------------------------------------------------------ triggers

    pub fn create_trigger(&mut self, state: &mut State) -> Option<Statement> {
        if !self.has(Feature::Trigger) {
            return None;
        }
        let views = self.has(Feature::InsteadOf) && self.rng.chance(1, 3);
        let (table, columns, timing) = match views {
            true => self.viewed(state)?,
            false => {
                // Of two tables the first one changes the second.
                let bases: Vec<&CreateTable> = state.tables.iter().filter(|t| t.module.is_none()).collect();
                let table = (*bases.get(self.rng.below(bases.len().max(2) - 1))?).clone();
                let timing = if self.rng.coin() { Timing::Before } else { Timing::After };
                (table.name.clone(), columns_of(&table, self.profile), timing)
            }
        };
        let event = *self.rng.pick(&[Event::Insert, Event::Update, Event::Delete, Event::Insert]);
        let rows: &[&str] = match event {
            Event::Insert => &["NEW"],
            Event::Delete => &["OLD"],
            Event::Update => &["NEW", "OLD"],
        };
        let body = self.trigger_body(&table, &columns, event, rows, state);
        if body.is_empty() {
            return None;
        }
        self.uses(Feature::Trigger);
        let more = self.has(Feature::TriggerWhen);
        let when = if more && self.rng.chance(1, 3) { Some(self.over_rows(&columns, rows, state)) } else { None };
        let of = match event {
            Event::Update if more && self.rng.chance(1, 3) => vec![self.rng.pick(&columns).name.clone()],
            _ => Vec::new(),
        };
        state.names += 1;
        let name = format!("g{}", state.names).into();
        Some(Statement::CreateTrigger(Box::new(CreateTrigger { name, table, timing, event, of, when, body })))
    }

    /// A view, for a trigger in place of its changes.
    fn viewed(&mut self, state: &State) -> Option<(Name, Columns, Timing)> {
        let module = |name: &Name| state.tables.iter().any(|t| t.name == *name);
        let views: Vec<_> = state.schema.tables.iter().filter(|t| t.view && !module(&t.name)).collect();
        if views.is_empty() {
            return None;
        }
        let view = *self.rng.pick(&views);
        self.uses(Feature::InsteadOf);
        Some((view.name.clone(), view.columns.clone(), Timing::InsteadOf))
    }

    /// A condition on the rows of NEW and OLD.
    fn over_rows(&mut self, columns: &Columns, rows: &[&str], state: &State) -> Expr {
        let empty = Schema::default();
        let mut generator = Generator::new(self.rng, self.profile, &empty, &state.pool, self.shape);
        generator.subqueries = 0;
        generator.collations = false;
        rows.iter().for_each(|row| generator.enter_row(row, columns));
        let expr = generator.predicate(1);
        self.used |= generator.used;
        expr
    }

    fn trigger_body(
        &mut self,
        of: &Name,
        columns: &Columns,
        event: Event,
        rows: &[&str],
        state: &State,
    ) -> Vec<Statement> {
        let mut body = Vec::new();
        let most = if self.profile.dialect.spelling.trigger_body.1.is_empty() { 1 } else { 2 };
        let first = state.tables.iter().position(|t| t.name == *of).map_or(0, |at| at + 1);
        let mut targets: Vec<&CreateTable> = state.tables[first..].iter().collect();
        self.rng.shuffle(&mut targets);
        for target in targets.into_iter().take(self.rng.range(1, most)) {
            let row = *self.rng.pick(rows);
            let made = match self.rng.below(4) {
                0 | 1 => self.adds(target, columns, event, row, state),
                2 => self.sets(target, columns, row, state),
                _ => self.removes(target, columns, row),
            };
            body.extend(made);
        }
        body
    }

    /// `INSERT INTO target VALUES (NEW.c, 1)`.
    fn adds(
        &mut self,
        target: &CreateTable,
        columns: &Columns,
        event: Event,
        row: &str,
        state: &State,
    ) -> Option<Statement> {
        let constrained = is_constrained(target, state);
        if constrained && event != Event::Insert {
            return None;
        }
        let own: Vec<&ColumnDef> = target.columns.iter().filter(|c| c.generated.is_none()).collect();
        let texts = target.module.is_some();
        let mut values = Vec::new();
        for c in &own {
            let fitting: Vec<&Column> = columns.iter().filter(|v| self.holds(c, target.strict, v)).collect();
            let boxes = texts && c.kind != Kind::Any;
            values.push(match fitting.is_empty() || boxes || self.rng.chance(1, 4) {
                true => Expr::Literal(self.stored(c, target, state)),
                false => Expr::column(row, &self.rng.pick(&fitting).name),
            });
        }
        let verb = if constrained || texts { "INSERT OR IGNORE" } else { "INSERT" }.into();
        let names = own.iter().map(|c| c.name.clone()).collect();
        let (table, rows) = (target.name.clone(), vec![values]);
        Some(Statement::Insert(Insert { table, verb, columns: names, rows, ..Insert::default() }))
    }

    /// `c1 = NEW.c0` with a column of the target that nobody sets.
    fn tie(&mut self, target: &CreateTable, but: Option<&Name>, columns: &Columns, row: &str) -> Option<Expr> {
        let theirs = columns_of(target, self.profile);
        let theirs: Vec<&Column> = theirs.iter().filter(|c| Some(&c.name) != but).collect();
        let mine = self.rng.pick(columns);
        let fits = |c: &&&Column| c.traits.kind == mine.traits.kind || self.profile.dialect.dynamic_typing;
        let other = theirs.iter().find(fits)?;
        let clear = mine.traits.taint == Taint::Clear && self.profile.dialect.special(mine.traits.kind).is_none();
        let (other, mine) = (Expr::column("", &other.name), Expr::column(row, &mine.name));
        clear.then(|| Expr::Binary(Binary::Eq, Box::new(other), Box::new(mine)))
    }

    fn sets(&mut self, target: &CreateTable, columns: &Columns, row: &str, state: &State) -> Option<Statement> {
        let free: Vec<&ColumnDef> = target.columns.iter().filter(|c| is_free(c, target, state)).collect();
        let column = if free.is_empty() { None } else { Some((*self.rng.pick(&free)).clone()) }?;
        let value = Expr::Literal(self.stored(&column, target, state));
        let filter = Some(self.tie(target, Some(&column.name), columns, row)?);
        let (table, verb) = (target.name.clone(), "UPDATE".into());
        Some(Statement::Update(Update { table, verb, set: vec![(column.name, value)], filter }))
    }

    fn removes(&mut self, target: &CreateTable, columns: &Columns, row: &str) -> Option<Statement> {
        let filter = Some(self.tie(target, None, columns, row)?);
        Some(Statement::Delete { table: target.name.clone(), filter })
    }
}

/// Whether some rows may not stand beside others.
pub(super) fn is_constrained(table: &CreateTable, state: &State) -> bool {
    let indexed = state.schema.indexes.iter().any(|(_, t)| *t == table.name);
    !table.primary_key.is_empty()
        || !table.unique.is_empty()
        || table.check.is_some()
        || !table.foreign_keys.is_empty()
        || table.columns.iter().any(|c| c.primary_key || c.unique || c.not_null)
        || indexed
}

/// A column in which rows may agree, so that a change of it is never refused.
pub(super) fn is_free(column: &ColumnDef, table: &CreateTable, state: &State) -> bool {
    let in_key = column.primary_key || column.unique || table.primary_key.contains(&column.name);
    let in_foreign = table.foreign_keys.iter().any(|f| f.columns.contains(&column.name));
    let listed = table.unique.iter().any(|u| u.contains(&column.name));
    let indexed =
        state.statements.iter().any(|s| matches!(s, Statement::CreateIndex(i) if i.unique && i.table == table.name));
    let boxed = table.module.is_some() && column.kind != Kind::Any;
    column.generated.is_none() && !in_key && !in_foreign && !listed && !indexed && table.check.is_none() && !boxed
}
