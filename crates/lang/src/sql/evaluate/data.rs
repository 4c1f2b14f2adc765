//! The rows that a script leaves in its tables, as far as they follow from its statements. It is a prediction: whoever
//! rests a claim on it has the script show the rows (`Guard::Rows`), so that a statement which we read in another way
//! than the engine costs a check and never a false alarm.

use super::{Affinities, Bound, Collations, Env, Evaluator, Shape, sqlite};
use crate::sql::ast::*;
use crate::sql::typing::collation_index;
use qualm_core::dialect::sql::{Affinity, Dialect};
use qualm_core::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// Rows of a table that are followed. Each new row is compared with all of them, in every check anew.
const ROWS_FOLLOWED: usize = 250;

#[derive(Clone, Default)]
pub struct Data {
    tables: Vec<Stored>,
    views: Vec<CreateView>,
    indexes: Vec<CreateIndex>,
    /// Tables that triggers and foreign keys change, and those of many rows: of their rows nothing is known.
    vague: Vec<Name>,
    /// The tables as they were when a transaction or savepoint was begun.
    saved: Vec<(Name, Vec<Stored>)>,
    /// Text is stored as UTF-8, so that its bytes are those that we see.
    pub utf8: bool,
    /// A setting may have turned foreign keys on.
    keys_act: bool,
    /// A setting changes what operators mean.
    pub odd: bool,
}

#[derive(Clone)]
pub struct Stored {
    definition: CreateTable,
    pub rows: Vec<StoredRow>,
    /// Each row of the table is among `rows`.
    pub complete: bool,
    /// Rows have numbers.
    pub numbered: bool,
}

#[derive(Clone)]
pub struct StoredRow {
    pub values: Rc<[Value]>,
    pub number: Value,
}

/// What is done about a row that a constraint forbids.
#[derive(Clone, Copy, PartialEq)]
enum Conflict {
    Ignore,
    Replace,
}

impl Stored {
    pub fn columns(&self) -> impl Iterator<Item = &ColumnDef> {
        self.definition.columns.iter()
    }

    pub(super) fn shapes(&self, dialect: &Dialect) -> Vec<Shape> {
        let shape = |c: &ColumnDef| Shape {
            name: c.name.clone(),
            affinity: Affinities::of(if dialect.dynamic_typing { c.affinity } else { Affinity::None }),
            collation: Collations::of(c.collation.as_ref().map_or(0, |n| collation_index(n, dialect))),
        };
        self.columns().map(shape).collect()
    }

    /// The column that is the row's number under another name.
    fn number_column(&self) -> Option<usize> {
        let key = |c: &ColumnDef| {
            let alone = self.definition.primary_key.len() == 1 && self.definition.primary_key[0] == c.name;
            c.type_name.eq_ignore_ascii_case("INTEGER") && (c.primary_key || alone)
        };
        self.columns().position(key).filter(|_| self.numbered)
    }

    fn forget(&mut self) {
        self.complete = false;
        self.rows.clear();
    }
}

/// A state, in the language of its dialect, and the rows that it leaves.
type Followed = (Vec<Statement>, &'static str, Rc<Data>);

thread_local! {
    /// The last one that was asked for: a state gets dozens of checks.
    static LAST: RefCell<Option<Followed>> = const { RefCell::new(None) };
}

impl Data {
    /// The same as `of`, followed once for checks of one state after each other.
    pub fn known(state: &[Statement], dialect: &'static Dialect) -> Rc<Data> {
        let known = LAST.with_borrow(|last| match last {
            Some((of, name, data)) if *name == dialect.name && *of == state => Some(data.clone()),
            _ => None,
        });
        known.unwrap_or_else(|| {
            let data = Rc::new(Data::of(state, dialect));
            LAST.set(Some((state.to_vec(), dialect.name, data.clone())));
            data
        })
    }

    pub fn of(state: &[Statement], dialect: &Dialect) -> Data {
        let mut data = Data { utf8: true, ..Data::default() };
        for statement in state {
            data.apply(statement, dialect);
        }
        data
    }

    pub fn table(&self, name: &str) -> Option<&Stored> {
        self.tables.iter().find(|t| t.definition.name == name)
    }

    /// Some table has a column that is computed from others.
    pub(super) fn computes_columns(&self) -> bool {
        self.tables.iter().any(|t| t.columns().any(|c| c.generated.is_some()))
    }

    pub(super) fn view(&self, name: &str) -> Option<&CreateView> {
        self.views.iter().find(|v| v.name == name)
    }

    fn apply(&mut self, statement: &Statement, dialect: &Dialect) {
        if statement.alters_columns() {
            self.views.retain(|v| !v.reads_unnamed_columns());
        }
        match statement {
            Statement::CreateTable(t) => self.tables.push(Stored {
                complete: t.module.is_none(),
                numbered: dialect.dynamic_typing && !t.without_rowid && t.module.is_none(),
                definition: t.clone(),
                rows: Vec::new(),
            }),
            Statement::CreateView(v) => self.views.push(v.clone()),
            Statement::CreateIndex(i) => self.indexes.push(i.clone()),
            Statement::DropIndex { name, .. } => self.indexes.retain(|i| i.name != *name),
            Statement::Insert(insert) => self.insert(insert, dialect),
            Statement::Update(update) => self.update(update, dialect),
            Statement::Delete { table, filter } => {
                self.change(table, filter.as_ref(), dialect, |_, _| Some(None));
            }
            Statement::AddColumn { table, column } => self.add_column(table, column, dialect),
            Statement::DropColumn { table, column } => {
                let Some(t) = self.tables.iter_mut().find(|t| t.definition.name == *table) else { return };
                let Some(at) = t.columns().position(|c| c.name == *column) else { return };
                t.definition.columns.remove(at);
                for row in &mut t.rows {
                    row.values =
                        row.values.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, v)| v.clone()).collect();
                }
            }
            Statement::RenameColumn { table, from, to } => {
                let Some(t) = self.tables.iter_mut().find(|t| t.definition.name == *table) else { return };
                let renamed = |n: &mut Name| {
                    if n == from {
                        *n = to.clone();
                    }
                };
                t.definition.columns.iter_mut().for_each(|c| renamed(&mut c.name));
                t.definition.primary_key.iter_mut().for_each(renamed);
                t.definition.unique.iter_mut().flatten().for_each(renamed);
            }
            Statement::CreateTrigger(t) => self.vague.extend(t.changes().cloned()),
            Statement::Transaction(t) => self.transaction(t),
            Statement::Maintenance(text) => {
                let text = text.to_ascii_lowercase();
                self.utf8 &= !(text.contains("encoding") && text.contains("16"));
                self.odd |= text.contains("case_sensitive_like");
                self.keys_act |= text.contains("foreign_keys");
            }
        }
        // SQLite has foreign keys do nothing until it is told to.
        if let Statement::CreateTable(t) = statement
            && statement.entangles(&t.name)
            && (self.keys_act || !dialect.dynamic_typing)
        {
            self.vague.push(t.name.clone());
        }
        for table in self.tables.iter_mut().filter(|t| self.vague.contains(&t.definition.name)) {
            table.forget();
        }
    }

    fn transaction(&mut self, t: &Transaction) {
        let named = |name: &Name| self.saved.iter().rposition(|(n, _)| n == name);
        match t {
            Transaction::Begin => self.saved.push((Name::default(), self.tables.clone())),
            Transaction::Savepoint(name) => self.saved.push((name.clone(), self.tables.clone())),
            Transaction::Release(name) => self.saved.truncate(named(name).unwrap_or(self.saved.len())),
            Transaction::Commit => self.saved.clear(),
            Transaction::RollbackTo(name) => {
                let Some(at) = named(name) else { return };
                self.tables = self.saved[at].1.clone();
                self.saved.truncate(at + 1);
            }
            Transaction::Rollback => {
                if let Some((_, tables)) = self.saved.drain(..).next() {
                    self.tables = tables;
                }
            }
        }
    }

    fn position(&self, table: &str) -> Option<usize> {
        self.tables.iter().position(|t| t.definition.name == table)
    }

    // ------------------------------------------------------------ statements

    fn insert(&mut self, insert: &Insert, dialect: &Dialect) {
        let Some(at) = self.position(&insert.table) else { return };
        if self.vague.contains(&insert.table) {
            return;
        }
        let verb = insert.verb.to_ascii_uppercase();
        let conflict = if verb.contains("REPLACE") { Conflict::Replace } else { Conflict::Ignore };
        let plain: Vec<Name> =
            self.tables[at].columns().filter(|c| c.generated.is_none()).map(|c| c.name.clone()).collect();
        let columns = if insert.columns.is_empty() { &plain } else { &insert.columns };
        let Some(rows) = self.given(insert, dialect) else { return self.tables[at].forget() };
        for row in rows {
            let made = row.and_then(|row| self.new_row(at, columns, row, dialect));
            match made {
                None => self.tables[at].complete = false,
                Some(made) if insert.upsert.is_empty() => self.add(at, made, conflict, dialect),
                Some(made) => self.upsert(at, made, &insert.upsert, dialect),
            }
            if self.tables[at].rows.len() > ROWS_FOLLOWED {
                self.vague.push(insert.table.clone());
                return self.tables[at].forget();
            }
        }
    }

    /// The values of the rows that an INSERT brings, as far as they are known.
    fn given(&self, insert: &Insert, dialect: &Dialect) -> Option<Vec<Option<Vec<Value>>>> {
        let evaluator = Evaluator::new(dialect, self)?;
        match &insert.source {
            Some(query) => {
                let known = evaluator.query(query, None, false).filter(|r| r.whole)?;
                Some(known.rows.into_iter().map(Some).collect())
            }
            None => {
                let row = |row: &Vec<Expr>| row.iter().map(|e| evaluator.constant(e)).collect();
                Some(insert.rows.iter().map(row).collect())
            }
        }
    }

    /// A row that is inserted, or that changes the one which stands in its way.
    fn upsert(&mut self, at: usize, row: StoredRow, clauses: &[Upsert], dialect: &Dialect) {
        let rivals = self.rivals(at, &row, dialect);
        let rival = match (rivals.as_deref(), clauses) {
            (Some([]), _) => return self.add(at, row, Conflict::Ignore, dialect),
            (Some(_), [clause]) if clause.set.is_empty() => return,
            (Some([rival]), [_]) => *rival,
            _ => return self.tables[at].forget(),
        };
        match self.upserted(at, rival, &row, &clauses[0], dialect) {
            Some(Some(changed)) => self.tables[at].rows[rival] = changed,
            Some(None) => {}
            None => self.tables[at].forget(),
        }
    }

    /// What the row in the way becomes; nothing where the clause leaves it as it is.
    fn upserted(
        &self,
        at: usize,
        rival: usize,
        row: &StoredRow,
        clause: &Upsert,
        dialect: &Dialect,
    ) -> Option<Option<StoredRow>> {
        let (table, evaluator) = (&self.tables[at], Evaluator::new(dialect, self)?);
        let shapes: Rc<[Shape]> = table.shapes(dialect).into();
        let old = &table.rows[rival];
        let [own] = bound(&shapes, &old.values);
        let [new] = bound(&shapes, &row.values);
        let named = Bound { alias: table.definition.name.clone(), ..own.clone() };
        let all = [own, named, Bound { alias: "excluded".into(), ..new }];
        if let Some(filter) = &clause.filter
            && evaluator.truth(filter, &env(&all))? != Some(true)
        {
            return Some(None);
        }
        let mut values = old.values.to_vec();
        for (column, e) in &clause.set {
            let i = table.columns().position(|c| c.name == *column)?;
            values[i] = store(evaluator.value(e, &env(&all))?, &table.definition.columns[i], dialect)?;
        }
        let changed = self.completed(at, values, old.number.clone(), dialect)?;
        let others = self.rivals(at, &changed, dialect)?;
        others.iter().all(|other| *other == rival).then_some(Some(changed))
    }

    /// The row as the table holds it, without constraints.
    fn new_row(&self, at: usize, columns: &[Name], row: Vec<Value>, dialect: &Dialect) -> Option<StoredRow> {
        let (table, evaluator) = (&self.tables[at], Evaluator::new(dialect, self)?);
        let mut number = Value::Null;
        let mut values: Vec<Value> = Vec::with_capacity(table.definition.columns.len());
        for c in table.columns() {
            let given = columns.iter().position(|n| n == &c.name).and_then(|i| row.get(i));
            let value = match (given, &c.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => evaluator.literal(default)?,
                (None, None) => Value::Null,
            };
            values.push(store(value, c, dialect)?);
        }
        if let Some(i) = columns.iter().position(|n| n.eq_ignore_ascii_case("rowid")) {
            number = row.get(i)?.clone();
        }
        self.completed(at, values, number, dialect)
    }

    /// Row number and generated columns filled in.
    fn completed(&self, at: usize, mut values: Vec<Value>, number: Value, dialect: &Dialect) -> Option<StoredRow> {
        let table = &self.tables[at];
        let key = table.number_column();
        let given = key.map_or(number, |i| values[i].clone());
        let number = match given {
            Value::Int(i) => Value::Int(i),
            _ if !table.numbered => Value::Null,
            // It depends on numbers that rows had which are gone.
            Value::Null if key.is_some_and(|i| table.columns().nth(i).is_some_and(|c| c.autoincrement)) => return None,
            Value::Null if table.complete => {
                let numbers = table.rows.iter().map(|r| if let Value::Int(i) = r.number { i } else { 0 });
                match numbers.max() {
                    None => Value::Int(1),
                    // Beyond the greatest number any other is taken.
                    Some(i) => Value::Int(i.checked_add(1)?.max(1)),
                }
            }
            Value::Null if key.is_none() => Value::Null,
            _ => return None,
        };
        if let Some(i) = key {
            values[i] = number.clone();
        }
        let evaluator = Evaluator::new(dialect, self)?;
        let shapes: Rc<[Shape]> = table.shapes(dialect).into();
        for (i, c) in table.columns().enumerate() {
            let Some(generated) = &c.generated else { continue };
            let own = bound(&shapes, &values);
            values[i] = store(evaluator.value(&generated.expr, &env(&own))?, c, dialect)?;
        }
        Some(StoredRow { values: values.into(), number })
    }

    fn add(&mut self, at: usize, row: StoredRow, conflict: Conflict, dialect: &Dialect) {
        let null = |t: &Stored| t.columns().zip(row.values.iter()).any(|(c, v)| c.not_null && *v == Value::Null);
        if null(&self.tables[at]) {
            // It is left out, or gets the default: the guard knows.
            self.tables[at].complete &= conflict == Conflict::Ignore;
            return;
        }
        match self.rivals(at, &row, dialect) {
            None => self.tables[at].forget(),
            Some(rivals) if rivals.is_empty() => self.tables[at].rows.push(row),
            Some(_) if conflict == Conflict::Ignore => {}
            Some(rivals) => {
                let mut position = 0;
                self.tables[at].rows.retain(|_| {
                    position += 1;
                    !rivals.contains(&(position - 1))
                });
                self.tables[at].rows.push(row);
            }
        }
    }

    /// Rows that cannot stand beside this one; nothing where we cannot tell.
    fn rivals(&self, at: usize, row: &StoredRow, dialect: &Dialect) -> Option<Vec<usize>> {
        let (table, evaluator) = (&self.tables[at], Evaluator::new(dialect, self)?);
        let shapes: Rc<[Shape]> = table.shapes(dialect).into();
        let of = |column: &Name, collation: Option<&Name>| {
            let expr = Expr::column("", column);
            match collation {
                Some(collation) => Expr::Collate { expr: Box::new(expr), collation: collation.clone() },
                None => expr,
            }
        };
        let mut keys: Vec<(Vec<Expr>, Option<&Expr>)> = Vec::new();
        let definition = &table.definition;
        for c in table.columns().filter(|c| c.primary_key || c.unique) {
            keys.push((vec![of(&c.name, None)], None));
        }
        let lists = std::iter::once(&definition.primary_key).chain(&definition.unique);
        for (i, list) in lists.enumerate().filter(|(_, list)| !list.is_empty()) {
            let term = |c: &Name| of(c, definition.key_term(i, c).and_then(|t| t.collation.as_ref()));
            keys.push((list.iter().map(term).collect(), None));
        }
        for index in self.indexes.iter().filter(|i| i.unique && i.table == definition.name) {
            let term = |t: &IndexTerm| match &t.collation {
                Some(collation) => Expr::Collate { expr: Box::new(t.expr.clone()), collation: collation.clone() },
                None => t.expr.clone(),
            };
            keys.push((index.terms.iter().map(term).collect(), index.filter.as_ref()));
        }
        let mut rivals = Vec::new();
        for (i, other) in table.rows.iter().enumerate() {
            let same_number = table.numbered && row.number != Value::Null && other.number == row.number;
            let mut rival = same_number;
            for (terms, filter) in &keys {
                rival = rival || self.clash(terms, *filter, &row.values, &other.values, &shapes, &evaluator)?;
            }
            if rival {
                rivals.push(i);
            }
        }
        Some(rivals)
    }

    /// Whether two rows agree in a key.
    fn clash(
        &self,
        terms: &[Expr],
        filter: Option<&Expr>,
        a: &[Value],
        b: &[Value],
        shapes: &Rc<[Shape]>,
        evaluator: &Evaluator,
    ) -> Option<bool> {
        let (a, b) = (bound(shapes, a), bound(shapes, b));
        for own in [&a, &b] {
            if let Some(filter) = filter
                && evaluator.truth(filter, &env(own))? != Some(true)
            {
                return Some(false);
            }
        }
        for term in terms {
            let (x, y) = (evaluator.operand(term, &env(&a))?, evaluator.operand(term, &env(&b))?);
            if evaluator.order(&x, &y)? != Some(std::cmp::Ordering::Equal) {
                return Some(false);
            }
        }
        Some(true)
    }

    fn update(&mut self, update: &Update, dialect: &Dialect) {
        let Some(at) = self.position(&update.table) else { return };
        let data = self.clone();
        let set = |row: &StoredRow, evaluator: &Evaluator| -> Option<Option<StoredRow>> {
            let table = &data.tables[at];
            let shapes: Rc<[Shape]> = table.shapes(dialect).into();
            let [own] = bound(&shapes, &row.values);
            let named = Bound { alias: update.table.clone(), ..own.clone() };
            let own = [own, named];
            let mut values = row.values.to_vec();
            for (column, e) in &update.set {
                let i = table.columns().position(|c| c.name == *column)?;
                values[i] = store(evaluator.value(e, &env(&own))?, &table.definition.columns[i], dialect)?;
                if table.definition.columns[i].not_null && values[i] == Value::Null {
                    return None;
                }
            }
            // A constraint may forbid it; then it depends on the order of rows what happens.
            let changed = data.completed(at, values, row.number.clone(), dialect)?;
            let others = data.rivals(at, &changed, dialect)?;
            let itself = |i: &usize| Rc::ptr_eq(&table.rows[*i].values, &row.values);
            others.iter().all(itself).then_some(Some(changed))
        };
        self.change(&update.table, update.filter.as_ref(), dialect, set);
    }

    /// Rows that the filter takes become what `make` says; those of which nothing is known are no longer known.
    fn change(
        &mut self,
        table: &Name,
        filter: Option<&Expr>,
        dialect: &Dialect,
        make: impl Fn(&StoredRow, &Evaluator) -> Option<Option<StoredRow>>,
    ) {
        let Some(at) = self.position(table) else { return };
        let Some(evaluator) = Evaluator::new(dialect, self) else { return };
        let shapes: Rc<[Shape]> = self.tables[at].shapes(dialect).into();
        let mut rows = Vec::with_capacity(self.tables[at].rows.len());
        let mut complete = self.tables[at].complete;
        for row in &self.tables[at].rows {
            let [own] = bound(&shapes, &row.values);
            let own = Bound { rowid: self.tables[at].numbered.then_some(row.number.clone()), ..own };
            let named = Bound { alias: table.clone(), ..own.clone() };
            let both = [own, named];
            let taken = filter.map_or(Some(Some(true)), |f| evaluator.truth(f, &env(&both)));
            match taken {
                Some(Some(true)) => match make(row, &evaluator) {
                    Some(made) => rows.extend(made),
                    None => complete = false,
                },
                Some(_) => rows.push(row.clone()),
                None => complete = false,
            }
        }
        let table = &mut self.tables[at];
        (table.rows, table.complete) = (rows, complete);
    }

    fn add_column(&mut self, table: &Name, column: &ColumnDef, dialect: &Dialect) {
        let Some(at) = self.position(table) else { return };
        let value = match (&column.generated, &column.default) {
            (Some(_), _) => None,
            (None, None) => Some(Value::Null),
            (None, Some(default)) => {
                Evaluator::new(dialect, self).and_then(|e| e.literal(default)).and_then(|v| store(v, column, dialect))
            }
        };
        let table = &mut self.tables[at];
        table.definition.columns.push(column.clone());
        match value {
            Some(value) => {
                for row in &mut table.rows {
                    row.values = row.values.iter().cloned().chain([value.clone()]).collect();
                }
            }
            None => table.forget(),
        }
    }
}

fn store(value: Value, column: &ColumnDef, dialect: &Dialect) -> Option<Value> {
    if dialect.dynamic_typing {
        return sqlite::stored(value, column.affinity);
    }
    match (column.kind, value) {
        (qualm_core::dialect::sql::Kind::Real, Value::Int(i)) => Some(Value::Real(i as f64)),
        (_, value) => Some(value),
    }
}

/// A row of a table by itself, as DDL and DML see it: its columns have no table before them.
fn bound(shapes: &Rc<[Shape]>, values: &[Value]) -> [Bound; 1] {
    [Bound { alias: Name::default(), shapes: shapes.clone(), values: values.into(), rowid: None }]
}

fn env(sources: &[Bound]) -> Env<'_> {
    Env { sources, merged: &[], outer: None, group: None, shown: None, peers: None }
}
