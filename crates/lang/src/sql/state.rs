//! Builds a random state: tables, indexes, views and data, statement by statement. Each is tried on the engine; those
//! it takes become the state, the others leave no trace. The same moves change a state later, when it is worth more
//! time.

mod bulk;
mod modules;
mod rows;
mod theme;
mod ties;

use super::ast::*;
use super::generate::{Generator, Shape};
use super::leaning::{Leaning, more};
use super::pool::Pool;
use super::profile::{Profile, Used, feature_bit};
use super::rules::table::no_keys;
use super::typing::{Columns, Schema};
use qualm_core::dialect::sql::{Affinity, Dialect, Feature, Kind, TypeSpec};
use qualm_core::rng::Rng;
pub use theme::Theme;

/// A state that an engine has taken so far.
#[derive(Clone)]
pub struct State {
    pub pool: Pool,
    pub statements: Vec<Statement>,
    pub schema: Schema,
    /// Definitions of the base tables as they are now, for INSERT and UPDATE.
    pub tables: Vec<CreateTable>,
    pub collations: bool,
    pub theme: Theme,
    pub leaning: Leaning,
    names: u32,
}

impl State {
    pub fn new(dialect: &Dialect, rng: &mut Rng) -> State {
        let collations = rng.chance(2, 5) && dialect.collations.len() > 1;
        State {
            pool: Pool::of(dialect, rng),
            statements: Vec::new(),
            schema: Schema::in_dialect(dialect),
            tables: Vec::new(),
            collations,
            theme: Theme::default(),
            leaning: Leaning::default(),
            names: 0,
        }
    }

    /// Before anything is in it.
    pub fn lean_to(&mut self, leaning: Leaning, rng: &mut Rng) {
        self.leaning = leaning;
        self.collations |= leaning.collations;
        leaning.values(&mut self.pool, rng);
    }

    /// The engine took it: it is part of the state from now on.
    pub fn accept(&mut self, statement: Statement, profile: &Profile) {
        if self.schema.apply(&statement, profile.dialect).is_err() {
            return;
        }
        // Queries about such a view would be refused one by one.
        if self.schema.tables.last().is_some_and(|t| t.refused.is_some()) {
            self.schema.tables.pop();
            return;
        }
        match &statement {
            Statement::CreateTable(t) => self.tables.push(t.clone()),
            Statement::AddColumn { table, column } => {
                self.tables.iter_mut().filter(|t| t.name == *table).for_each(|t| t.columns.push(column.clone()));
            }
            Statement::DropColumn { table, column } => {
                self.tables
                    .iter_mut()
                    .filter(|t| t.name == *table)
                    .for_each(|t| t.columns.retain(|c| c.name != *column));
            }
            Statement::RenameColumn { table, from, to } => {
                let renamed = self.tables.iter_mut().filter(|t| t.name == *table).flat_map(|t| t.columns.iter_mut());
                renamed.filter(|c| c.name == *from).for_each(|c| c.name = to.clone());
            }
            Statement::CreateIndex(_) | Statement::DropIndex { .. } | Statement::CreateView(_) => {}
            Statement::CreateTrigger(_) | Statement::Transaction(_) => {}
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } | Statement::Maintenance(_) => {}
        }
        self.statements.push(statement);
    }
}

/// The statements of a fresh state in the order to be tried; later ones are made when the earlier ones are known.
pub struct Builder<'a> {
    pub rng: &'a mut Rng,
    pub profile: &'a Profile,
    pub shape: Shape,
    pub used: Used,
}

/// Makes a statement for a state, where there is something for it to change.
type Change<B> = fn(&mut B, &mut State) -> Option<Statement>;

impl Builder<'_> {
    fn has(&self, feature: Feature) -> bool {
        self.profile.has(feature)
    }

    fn uses(&mut self, feature: Feature) {
        self.used.add(feature_bit(feature));
    }

    /// What is said to a database that holds nothing yet.
    pub fn layout(&mut self, state: &State) -> Vec<Statement> {
        let mut made = Vec::new();
        // First of all, because what is said to a connection ends with it.
        if state.theme.on_disk {
            self.uses(Feature::OnDisk);
            made.push(self.profile.dialect.on_disk.0);
        }
        if state.theme.foreign_keys && !self.profile.dialect.foreign_keys_on.is_empty() {
            made.push(self.profile.dialect.foreign_keys_on);
        }
        let layouts = self.profile.dialect.layouts;
        if state.theme.layout && !layouts.is_empty() {
            let most = if state.theme.on_disk { 3 } else { 2 };
            made.extend((0..self.rng.range(1, most)).map(|_| *self.rng.pick(layouts)));
        }
        made.into_iter().map(|text| Statement::Maintenance(text.into())).collect()
    }

    // ------------------------------------------------------------ tables

    pub fn create_table(&mut self, state: &mut State) -> Statement {
        let name: Name = format!("t{}", state.tables.len()).into();
        let strict = self.has(Feature::Strict) && self.rng.chance(1, 10);
        let count = self.rng.range(self.shape.columns.0, self.shape.columns.1);
        let mut columns: Vec<ColumnDef> = (0..count).map(|i| self.column(i, strict, state)).collect();
        let mut table = CreateTable { name, strict, ..CreateTable::default() };
        if strict {
            self.uses(Feature::Strict);
        }
        self.primary_key(&mut table, &mut columns);
        let generates = self.has(Feature::GeneratedColumn);
        if generates && (self.rng.chance(1, 12) || state.theme.generated) {
            columns.push(self.generated(columns.len(), &columns, state));
        }
        let stored = self.profile.dialect.lists(Feature::StoredKeys);
        let is_stored = |c: &ColumnDef| !stored || c.generated.as_ref().is_none_or(|g| g.stored);
        let may_be_key = |c: &ColumnDef| is_stored(c) && self.profile.dialect.may_be_key(c.kind);
        let may_be_keys = columns.iter().take(2).all(may_be_key);
        if self.has(Feature::Unique) && self.rng.chance(1, 14) && columns.len() > 1 && may_be_keys {
            table.unique.push(columns.iter().take(2).map(|c| c.name.clone()).collect());
        }
        table.columns = columns;
        self.key_terms(&mut table);
        if state.theme.foreign_keys {
            self.foreign_keys(&mut table, state);
        }
        let variants = self.profile.dialect.spelling.table_variants.len();
        if variants > 0 && self.rng.coin() {
            let plain = |c: &&ColumnDef| c.generated.is_none();
            let column = table.columns.iter().find(plain).map(|c| c.name.clone()).unwrap_or_default();
            table.variant = Some((self.rng.below(variants) as u8, column));
        }
        if self.has(Feature::Check) && self.rng.chance(1, 20) {
            self.uses(Feature::Check);
            let columns = columns_of(&table, self.profile);
            let yes = Expr::truth(true, self.profile.dialect);
            table.check = Some(self.over_columns(&columns, state, |g| {
                let p = g.predicate(1);
                p.clone().or(p.is_null()).or(yes)
            }));
        }
        Statement::CreateTable(table)
    }

    /// Columns of keys that are compared or sorted in another way than the columns themselves.
    fn key_terms(&mut self, table: &mut CreateTable) {
        let keys = [table.primary_key.clone()].into_iter().chain(table.unique.clone());
        for (key, columns) in keys.enumerate().filter(|(_, columns)| !columns.is_empty()) {
            if !self.has(Feature::KeyTerms) || !self.rng.chance(1, 3) {
                continue;
            }
            self.uses(Feature::KeyTerms);
            for column in columns {
                let collations = self.profile.dialect.collations;
                let collated = self.rng.chance(1, 3) && self.has(Feature::Collate) && !collations.is_empty();
                let collation = collated.then(|| Name::from(*self.rng.pick(collations)));
                let descending = self.rng.coin();
                if collation.is_some() || descending {
                    table.key_terms.push(KeyTerm { key: key as u8, column, collation, descending });
                }
            }
        }
    }

    fn column(&mut self, i: usize, strict: bool, state: &State) -> ColumnDef {
        let types = self.profile.dialect.types;
        let text = !strict && state.leaning.collations && self.rng.coin();
        let spec = loop {
            let spec = self.rng.pick(types);
            let fits = if strict { spec.strict } else { spec.name != "ANY" };
            let fits = fits && (!text || matches!(spec.kind, Kind::Text | Kind::Any));
            let is_about =
                !spec.kind.is_special() || state.pool.is_about(spec.kind) && self.profile.has_kind(spec.kind);
            if fits && is_about {
                break *spec;
            }
        };
        // A database that is about a kind has more of its columns than its share of types would give.
        let spec = self.special_column(state).unwrap_or(spec);
        self.used |= self.profile.uses_kind(spec.kind);
        let collations = self.profile.dialect.collations;
        let collated = state.collations && collations.len() > 1 && matches!(spec.kind, Kind::Text | Kind::Any);
        let collation = (collated && self.rng.chance(1 + u32::from(state.leaning.collations), 3))
            .then(|| Name::from(*self.rng.pick(&collations[1..])));
        let open = matches!(spec.affinity, Affinity::Blob | Affinity::None);
        let sums = self.profile.dialect.special(spec.kind).is_some_and(|k| k.sums);
        let summable = sums || matches!(spec.kind, Kind::Int | Kind::Real) && self.rng.coin();
        let may_be_key = self.profile.dialect.may_be_key(spec.kind);
        let mut column = ColumnDef {
            name: format!("c{i}").into(),
            type_name: spec.name.into(),
            kind: spec.kind,
            affinity: spec.affinity,
            collation,
            primary_key: false,
            autoincrement: false,
            unique: self.rng.chance(1, 12) && self.has(Feature::Unique) && may_be_key,
            not_null: self.rng.chance(1, 7) && self.has(Feature::NotNull),
            default: None,
            generated: None,
            summable,
            exact: !self.profile.dialect.dynamic_typing || !open || self.rng.coin(),
        };
        if self.rng.chance(1, 12) {
            column.default = Some(state.pool.stored(&column, strict, self.profile.dialect.dynamic_typing, self.rng));
        }
        column
    }

    /// A column type of one of the special kinds that the database is about, now and then.
    fn special_column(&mut self, state: &State) -> Option<TypeSpec> {
        let kinds: Vec<Kind> = state.pool.kinds().filter(|k| self.profile.has_kind(*k)).collect();
        if kinds.is_empty() || !self.rng.chance(1, 3) {
            return None;
        }
        let kind = *self.rng.pick(&kinds);
        let types: Vec<&TypeSpec> = self.profile.dialect.types.iter().filter(|t| t.kind == kind).collect();
        Some(**self.rng.pick(&types))
    }

    fn primary_key(&mut self, table: &mut CreateTable, columns: &mut [ColumnDef]) {
        let may_be_keys = columns.iter().all(|c| self.profile.dialect.may_be_key(c.kind));
        let keys = u32::from(self.has(Feature::Unique) && may_be_keys);
        match self.rng.weighted(&[10, 4 * keys, 2 * keys, 2 * keys]) {
            1 => {
                let first = &mut columns[0];
                first.primary_key = true;
                first.unique = false;
                if first.kind == Kind::Int && self.profile.dialect.dynamic_typing && self.rng.chance(3, 4) {
                    first.type_name = "INTEGER".into();
                    first.autoincrement = self.profile.has(Feature::Autoincrement) && self.rng.chance(1, 8);
                }
            }
            2 => {
                let key = &mut columns[self.rng.below(columns.len())];
                key.primary_key = true;
                key.unique = false;
            }
            3 if columns.len() > 1 => table.primary_key = columns.iter().take(2).map(|c| c.name.clone()).collect(),
            _ => return,
        }
        let numbers = columns.iter().any(|c| c.autoincrement);
        if numbers {
            self.uses(Feature::Autoincrement);
        }
        let without_rowid = self.has(Feature::WithoutRowid) && !numbers && self.rng.chance(1, 4);
        if without_rowid {
            self.uses(Feature::WithoutRowid);
            table.without_rowid = true;
        }
        // SQLite alone lets NULL into a primary key.
        if without_rowid || !self.profile.dialect.dynamic_typing {
            let keys = table.primary_key.clone();
            let in_key = |c: &ColumnDef| c.primary_key || keys.contains(&c.name);
            columns.iter_mut().filter(|c| in_key(c)).for_each(|c| c.not_null = true);
        }
    }

    fn generated(&mut self, i: usize, columns: &[ColumnDef], state: &State) -> ColumnDef {
        self.uses(Feature::GeneratedColumn);
        let probe = CreateTable { name: "t".into(), columns: columns.to_vec(), ..CreateTable::default() };
        let visible = columns_of(&probe, self.profile);
        let dialect = self.profile.dialect;
        let (kind, spec) = if dialect.dynamic_typing {
            (Kind::Any, &dialect.types[self.rng.below(4)])
        } else {
            let kind = *self.rng.pick(&[Kind::Int, Kind::Text, Kind::Real]);
            (kind, dialect.plain_type(kind).unwrap_or(&dialect.types[0]))
        };
        let expr = self.over_columns(&visible, state, |g| g.value(kind, 2));
        let generated = Some(Generated { expr, stored: self.rng.coin() });
        let plain = ColumnDef::plain(format!("c{i}"), spec.name, spec.kind, spec.affinity);
        ColumnDef { generated, exact: true, ..plain }
    }

    /// An expression over a table's own columns, as DDL wants it: no table names, no subqueries.
    fn over_columns(&mut self, columns: &Columns, state: &State, make: impl FnOnce(&mut Generator) -> Expr) -> Expr {
        let empty = Schema::default();
        let mut generator = Generator::new(self.rng, self.profile, &empty, &state.pool, self.shape);
        generator.subqueries = 0;
        generator.collations = state.collations;
        generator.leaning = state.leaning;
        generator.state = &state.statements;
        generator.enter_table(columns);
        let expr = make(&mut generator);
        self.used |= generator.used;
        expr
    }

    // ------------------------------------------------------------ indexes, views, maintenance

    pub fn create_index(&mut self, state: &mut State) -> Option<Statement> {
        let at = self.rng.below(state.tables.len().max(1));
        let table = state.tables.get(at).filter(|t| self.has(Feature::Index) && t.module.is_none())?.clone();
        let mut columns = columns_of(&table, self.profile).to_vec();
        let no_keys = no_keys(state.statements.iter(), &table.name, self.profile.dialect);
        columns.retain(|c| !no_keys.contains(&c.name));
        let columns: Columns = columns.into();
        let mut terms = Vec::new();
        let several = more(state.leaning.searches || state.leaning.orders);
        for _ in 0..1 + self.rng.weighted(&[6, 4 * several, 2 * several]) {
            let expr = if self.has(Feature::ExpressionIndex) && self.rng.chance(1, 4) {
                self.uses(Feature::ExpressionIndex);
                self.over_columns(&columns, state, |g| match g.rng.below(3) {
                    0 if g.dialect().dynamic_typing || g.rng.coin() => g.predicate(1),
                    1 => g.value(Kind::Int, 1),
                    _ => g.value(Kind::Text, 1),
                })
            } else {
                let column = self.rng.pick(&columns);
                if !self.profile.dialect.may_be_key(column.traits.kind) {
                    continue;
                }
                Expr::Column { table: Name::default(), column: column.name.clone() }
            };
            if matches!(expr, Expr::Literal(_)) || terms.iter().any(|t: &IndexTerm| t.expr == expr) {
                continue;
            }
            let collation = (state.collations && self.rng.chance(more(state.leaning.collations), 6))
                .then(|| Name::from(*self.rng.pick(self.profile.dialect.collations)));
            let descending = self.rng.chance(more(state.leaning.orders), 6) && self.has(Feature::DescendingIndex);
            terms.push(IndexTerm { expr, collation, descending });
        }
        if terms.is_empty() {
            return None;
        }
        let filter = if self.has(Feature::PartialIndex) && self.rng.chance(1, 5) {
            self.uses(Feature::PartialIndex);
            Some(self.over_columns(&columns, state, |g| g.predicate(1)))
        } else {
            None
        };
        state.names += 1;
        Some(Statement::CreateIndex(CreateIndex {
            name: format!("i{}", state.names).into(),
            table: table.name.clone(),
            unique: self.rng.chance(more(state.leaning.searches), 12) && self.has(Feature::Unique),
            terms,
            filter,
            variant: self.rng.below(self.profile.dialect.spelling.index_variants.len().max(1)) as u8,
        }))
    }

    pub fn create_view(&mut self, state: &State) -> Option<Statement> {
        let views = state.schema.tables.iter().filter(|t| t.view).count() - state.modules();
        if views >= if state.leaning.nesting { 4 } else { 2 }
            || state.schema.tables.is_empty()
            || !self.has(Feature::View)
        {
            return None;
        }
        let mut generator = Generator::new(self.rng, self.profile, &state.schema, &state.pool, self.shape);
        generator.collations = state.collations;
        generator.leaning = state.leaning;
        generator.state = &state.statements;
        generator.subqueries = generator.subqueries.min(1);
        let query = generator.view();
        self.used |= generator.used;
        Some(Statement::CreateView(CreateView { name: format!("v{views}").into(), columns: Vec::new(), query }))
    }

    fn maintenance(&mut self, state: &State) -> Option<Statement> {
        let dialect = self.profile.dialect;
        if !dialect.settings.is_empty() && self.rng.chance(3, 10) {
            return Some(Statement::Maintenance(Name::from(*self.rng.pick(dialect.settings))));
        }
        // The first one is the most useful.
        let at = if self.rng.chance(2, 3) { 0 } else { self.rng.below(dialect.maintenance.len().max(1)) };
        let text = dialect.maintenance.get(at)?;
        let table = self.pick_table(state).map(|t| t.name.clone()).unwrap_or_default();
        Some(Statement::Maintenance(text.replace("{table}", &table).into()))
    }

    fn alter(&mut self, state: &State) -> Option<Statement> {
        let table = self.pick_table(state).filter(|t| t.module.is_none())?.clone();
        match self.rng.below(3) {
            0 if self.has(Feature::AlterAddColumn) && !table.strict => {
                let mut column = self.column(table.columns.len() + 10, false, state);
                let dynamic = self.profile.dialect.dynamic_typing;
                column.unique = false;
                column.not_null = false;
                let value = state.pool.stored(&column, false, dynamic, self.rng);
                column.default = self.rng.chance(2, 3).then_some(value);
                Some(Statement::AddColumn { table: table.name, column })
            }
            1 if self.has(Feature::AlterRename) => {
                let from = self.rng.pick(&table.columns).name.clone();
                let to: Name = format!("c{}", 20 + self.rng.below(9)).into();
                let free = !table.columns.iter().any(|c| c.name == to) && !mentioned_in_ddl(state, &table.name);
                free.then_some(Statement::RenameColumn { table: table.name, from, to })
            }
            2 if self.has(Feature::AlterDropColumn) && table.columns.len() > 2 => {
                let column = self.rng.pick(&table.columns);
                let plain = !column.primary_key && !column.unique && column.generated.is_none();
                let free = plain
                    && table.unique.is_empty()
                    && table.primary_key.is_empty()
                    && table.check.is_none()
                    && !table.columns.iter().any(|c| c.generated.is_some())
                    && !mentioned_in_ddl(state, &table.name);
                free.then(|| Statement::DropColumn { table: table.name.clone(), column: column.name.clone() })
            }
            _ => None,
        }
    }

    /// One more statement for a state that exists; several where they stand and fall together.
    pub fn change(&mut self, state: &mut State) -> Vec<Statement> {
        if state.theme.transactions && self.rng.chance(1, 3) {
            return self.transaction(state);
        }
        if state.theme.on_disk && self.rng.chance(1, 6) {
            return self.open_again(state);
        }
        let theme = state.theme;
        let room = u32::from(state.schema.indexes.len() < self.shape.indexes);
        let modules = u32::from(state.modules() > 0);
        let choices: [(u32, Change<Self>); 12] = [
            (8 * room, |b, s| b.create_index(s)),
            (4, |b, s| b.insert(s)),
            (4, |b, s| b.update(s)),
            (2, |b, s| b.delete(s)),
            (2, |b, s| b.create_view(s)),
            (4, |b, s| b.maintenance(s)),
            (2, |b, s| b.alter(s)),
            (1, |b, s| b.drop_index(s)),
            (1 + 4 * u32::from(theme.upserts), |b, s| b.upsert(s)),
            (1, |b, s| b.insert_select(s)),
            (4 * u32::from(theme.triggers), |b, s| b.create_trigger(s)),
            (6 * modules, |b, s| b.command(s)),
        ];
        let make = self.rng.pick_weighted(&choices);
        make(self, state).into_iter().collect()
    }

    /// The file is closed and read anew: its schema from its text, its statistics from their tables.
    fn open_again(&mut self, state: &State) -> Vec<Statement> {
        self.uses(Feature::OnDisk);
        let dialect = self.profile.dialect;
        let keys = (state.theme.foreign_keys && !dialect.foreign_keys_on.is_empty()).then_some(dialect.foreign_keys_on);
        [dialect.on_disk.1].into_iter().chain(keys).map(|text| Statement::Maintenance(text.into())).collect()
    }

    fn drop_index(&mut self, state: &State) -> Option<Statement> {
        if state.schema.indexes.is_empty() {
            return None;
        }
        let (name, table) = self.rng.pick(&state.schema.indexes).clone();
        Some(Statement::drop_index(name, table, self.profile.dialect))
    }

    /// Statistics that make the planner believe in large tables; well-formed, so plans change and answers do not.
    pub fn fake_statistics(&mut self, state: &State) -> Vec<Statement> {
        if !self.has(Feature::StatTable) || state.tables.is_empty() {
            return Vec::new();
        }
        let written = |text: String| Statement::Maintenance(text.into());
        let mut made = vec![written("ANALYZE".into())];
        // Of a table without indexes the number of rows is all that is known.
        for table in state.tables.iter().filter(|t| t.module.is_none()) {
            if self.rng.chance(1, 3) {
                let rows: u64 = *self.rng.pick(&[1, 10, 1000, 100_000, 10_000_000]);
                made.push(written(format!("INSERT INTO sqlite_stat1 VALUES('{}', NULL, '{rows}')", table.name)));
            }
        }
        for (index, table) in state.schema.indexes.iter().take(4) {
            let definition = state.statements.iter().find_map(|s| match s {
                Statement::CreateIndex(i) if i.name == *index => Some(i.terms.len()),
                _ => None,
            });
            let mut rows: u64 = *self.rng.pick(&[10, 1000, 100_000, 10_000_000]);
            let mut stat = rows.to_string();
            for _ in 0..definition.unwrap_or(1) {
                rows = (rows / *self.rng.pick(&[1, 2, 10, 1000])).max(1);
                stat.push_str(&format!(" {rows}"));
            }
            let word = *self.rng.pick(&["", "", "", "", " unordered", " noskipscan", " sz=20", " sz=400"]);
            made.push(written(format!("INSERT INTO sqlite_stat1 VALUES('{table}', '{index}', '{stat}{word}')")));
        }
        made.push(written("ANALYZE sqlite_master".into()));
        made
    }
}

/// The columns of a definition as the generator sees them.
fn columns_of(table: &CreateTable, profile: &Profile) -> Columns {
    let mut schema = Schema::default();
    let created = schema.apply(&Statement::CreateTable(table.clone()), profile.dialect);
    debug_assert!(created.is_ok(), "a table definition is always determined");
    schema.tables[0].columns.clone()
}

/// An index or view may mention the table's columns, so that renaming or dropping one would change it.
fn mentioned_in_ddl(state: &State, table: &str) -> bool {
    let ties = |s: &Statement| match s {
        Statement::CreateTrigger(_) => true,
        Statement::CreateTable(t) => t.foreign_keys.iter().any(|f| f.table == table || t.name == table),
        _ => false,
    };
    state.statements.iter().any(ties)
        || state.schema.indexes.iter().any(|(_, t)| t == table)
        || state.schema.tables.iter().any(|t| t.view)
        || state
            .tables
            .iter()
            .any(|t| t.name == table && (t.check.is_some() || t.columns.iter().any(|c| c.generated.is_some())))
}
