//! What is known of names and values before a query runs: tables, their columns, and of each value its kind, affinity,
//! collation and whether it is fully determined. Which uses of them are sound is decided in `typing.rs`.

use super::asking::{Asking, Fact, Facts};
use super::ast::*;
use super::typing;
use qualm_core::dialect::sql::{Affinity, Dialect, Given, Kind, Module, SearchSyntax};
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
    /// May be what a JSON function gave, which other JSON functions tell from a text until it is stored.
    pub json: bool,
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
    /// Columns no two rows agree in, none of them NULL.
    pub keys: Vec<Vec<Name>>,
    /// What must hold of the data for a view to have one answer.
    pub facts: Vec<Fact>,
    /// A view that is known by its names alone, and why: a query that reads it is refused for the same reason.
    pub refused: Option<Unsound>,
    /// How words are looked for in it, where MATCH does that; a column with the name of the table stands for all.
    pub search: Option<SearchSyntax>,
}

#[derive(Clone, Debug, Default)]
pub struct Schema {
    pub tables: Vec<Table>,
    pub indexes: Vec<(Name, Name)>,
    /// Tables that are there without being made.
    pub given: &'static [Given],
    /// Transactions and savepoints that are open, and whether something was defined since.
    open: Vec<(Name, bool)>,
    /// What queries may ask of the data, and did.
    pub facts: Facts,
}

/// Why a query is refused. For tests and for whoever wonders; never shown in a hunt.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsound(pub &'static str);

/// Reasons that say nothing against a query on rows that are all known: there, the choice that the engine has either
/// shows or does not.
const ABOUT_DATA: &[&str] = &[
    "a bare column in a grouped query",
    "a limit without a total order",
    "a scalar subquery that may give several rows",
    "a value that the engine may choose decides something",
    "an expression over a value that the engine may choose",
    "IN over values that the engine may choose",
    "an aggregate that depends on the order of rows",
    "a window function by row without a total order",
    "a window function outside a select list",
    "a view whose answer is not determined",
    "a column made of two that compare differently",
    "USING a column that is not determined",
    "NATURAL over a column that is not determined",
    "DISTINCT ordered by something not selected",
    "VALUES with an order or a limit",
    "a compound ordered by something that is not an output column",
    "HAVING without GROUP BY",
    "an empty list",
    "no such column",
];

impl Unsound {
    /// Whether an evaluator that knows all rows may know the answer all the same.
    pub fn is_about_data(&self) -> bool {
        ABOUT_DATA.contains(&self.0)
    }
}

pub(super) type Checked<T> = Result<T, Unsound>;

/// The name of a row's number, where a table has one.
pub const ROWID: &str = "rowid";

pub struct Scope<'a> {
    pub sources: Vec<ScopeSource>,
    /// Columns that USING or NATURAL made of two where the first may be missing.
    pub merged: Vec<Column>,
    pub outer: Option<&'a Scope<'a>>,
}

#[derive(Clone, Debug)]
pub struct ScopeSource {
    pub alias: Name,
    /// The name of the table or view that the alias stands for.
    pub table: Option<Name>,
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
            json: false,
        }
    }

    /// Equal texts need not be the same where the dialect says so.
    pub(super) fn in_dialect(self, dialect: &Dialect) -> Traits {
        let loose = dialect.loose_texts && matches!(self.kind, Kind::Text | Kind::Any);
        Traits { exact: self.exact && !loose, ..self }
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

impl Table {
    /// What has the columns of a query and nothing of its own.
    pub fn of_query(name: Name, columns: Columns) -> Table {
        let (keys, facts) = (Vec::new(), Vec::new());
        Table { name, columns, view: true, rowid: false, keys, facts, refused: None, search: None }
    }
}

/// The columns of a table that is there without being made.
pub fn given_columns(given: &Given, dialect: &Dialect) -> Columns {
    let column = |(name, kind): &(&str, Kind)| {
        let affinity = if dialect.dynamic_typing { Affinity::Blob } else { Affinity::None };
        let pure = !dialect.dynamic_typing || *kind != Kind::Any;
        let json = *kind == Kind::Any && dialect.marked_json;
        let traits = Traits { pure, affinity, json, summable: *kind == Kind::Int, ..Traits::of(*kind) };
        Column { name: (*name).into(), traits: traits.in_dialect(dialect) }
    };
    given.columns.iter().map(column).collect()
}

impl Schema {
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|t| t.name == name)
    }

    /// Nothing but what is there without being made.
    pub fn in_dialect(dialect: &Dialect) -> Schema {
        Schema { given: dialect.given, ..Schema::default() }
    }

    pub fn from_state(state: &[Statement], dialect: &Dialect) -> Checked<Schema> {
        let mut schema = Schema::in_dialect(dialect);
        for statement in state {
            schema.apply(statement, dialect)?;
        }
        Ok(schema)
    }

    /// What a successful statement does to the names.
    pub fn apply(&mut self, statement: &Statement, dialect: &Dialect) -> Checked<()> {
        if let (true, Some((_, defined))) = (statement.defines(), self.open.last_mut()) {
            *defined = true;
        }
        match statement {
            Statement::CreateTable(t) => {
                let columns = t.columns.iter().map(|c| column_of(c, Some(t), dialect)).collect();
                // A virtual table is read like a view: it has no indexes, and nothing is added to it.
                let (view, rowid) = (t.module.is_some(), !t.without_rowid);
                let (name, keys, facts) = (t.name.clone(), keys_of(t, dialect), Vec::new());
                let module = t.module.as_ref().and_then(|(name, _)| Module::named(dialect.modules, name));
                let search = module.and_then(|m| m.search);
                self.tables.push(Table { name, columns, view, rowid, keys, facts, refused: None, search });
            }
            Statement::CreateView(v) => {
                let (mut columns, facts, refused) = match self.view(&v.query, dialect) {
                    Ok((columns, facts)) => (columns, facts, None),
                    // An evaluator of our own may know what such a view shows all the same.
                    Err(why) if why.is_about_data() => (self.shown(&v.query, dialect)?, Vec::new(), Some(why)),
                    Err(why) => return Err(why),
                };
                for (column, name) in columns.iter_mut().zip(&v.columns) {
                    column.name = name.clone();
                }
                let (name, columns) = (v.name.clone(), columns.into());
                self.tables.push(Table { facts, refused, ..Table::of_query(name, columns) });
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
            Statement::Transaction(t) => self.transaction(t)?,
            // In which order a trigger meets rows is not said, so that the numbers of what it adds are not.
            Statement::CreateTrigger(t) => {
                let changed: Vec<&Name> = t.changes().collect();
                self.tables.iter_mut().filter(|t| changed.contains(&&t.name)).for_each(|t| t.rowid = false);
            }
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } | Statement::Maintenance(_) => {}
        }
        Ok(())
    }

    /// The columns of a view, and what they rest on.
    fn view(&self, query: &Query, dialect: &Dialect) -> Checked<(Vec<Column>, Vec<Fact>)> {
        let proved = typing::query(query, &self.strictly(), dialect);
        let asked = |asking| {
            let facts = Facts::asked(asking);
            let columns = typing::query(query, &self.asking(facts.clone()), dialect)?;
            Ok((columns, facts.taken()))
        };
        match proved {
            Ok(columns) => Ok((columns, Vec::new())),
            Err(why) => asked(Asking::Rows).or_else(|_: Unsound| asked(Asking::Representatives)).map_err(|_| why),
        }
    }

    /// Rows come and go with a transaction as they will; definitions that it takes back are not followed.
    fn transaction(&mut self, t: &Transaction) -> Checked<()> {
        let named = |name: &Name| self.open.iter().rposition(|(n, _)| n == name);
        let from = match t {
            Transaction::Begin => {
                self.open.push((Name::default(), false));
                return Ok(());
            }
            Transaction::Savepoint(name) => {
                self.open.push((name.clone(), false));
                return Ok(());
            }
            Transaction::Release(name) | Transaction::RollbackTo(name) => named(name).unwrap_or(self.open.len()),
            Transaction::Commit | Transaction::Rollback => 0,
        };
        let defined = self.open[from..].iter().any(|(_, defined)| *defined);
        match t {
            Transaction::Rollback | Transaction::RollbackTo(_) if defined => {
                return Err(Unsound("definitions that are taken back"));
            }
            // The savepoint itself stays.
            Transaction::RollbackTo(_) => self.open.truncate(from + 1),
            _ => self.open.truncate(from),
        }
        if let (true, Some((_, outer))) = (defined, self.open.last_mut()) {
            *outer = true;
        }
        Ok(())
    }

    /// The columns of a query as its first arm names them, of which nothing else may be known.
    fn shown(&self, query: &Query, dialect: &Dialect) -> Checked<Vec<Column>> {
        let mut body = query.body.clone();
        while let Body::Compound { left, .. } = body {
            body = *left;
        }
        let first = Query { body, order_by: Vec::new(), limit: None, ..query.clone() };
        typing::query(&first, &self.strictly(), dialect).or_else(|why| self.names(&first).ok_or(why))
    }

    fn names(&self, query: &Query) -> Option<Vec<Column>> {
        let select = query.select().filter(|_| query.with.is_empty())?;
        let column = |name: Name| Column { name, traits: Traits { pure: false, ..Traits::of(Kind::Any) } };
        if select.items.is_empty() {
            let mut all = Vec::new();
            for joined in &select.from {
                let Source::Table { name, .. } = &joined.source else { return None };
                all.extend(self.table(name)?.columns.iter().map(|c| column(c.name.clone())));
            }
            return (!select.from.iter().skip(1).any(Joined::merges)).then_some(all);
        }
        let named = |item: &Item| match (&item.alias, &item.expr) {
            (Some(alias), _) => column(alias.clone()),
            (None, Expr::Column { column: name, .. }) => column(name.clone()),
            (None, _) => column(Name::default()),
        };
        Some(select.items.iter().map(named).collect())
    }

    /// The same names, where nothing is asked of the data.
    pub fn strictly(&self) -> Schema {
        self.asking(Facts::default())
    }

    pub fn asking(&self, facts: Facts) -> Schema {
        Schema { facts, ..self.clone() }
    }

    fn alter(&mut self, table: &str, change: impl FnOnce(&mut Vec<Column>)) {
        if let Some(t) = self.tables.iter_mut().find(|t| t.name == table) {
            let mut columns = t.columns.to_vec();
            change(&mut columns);
            t.columns = columns.into();
            t.keys.clear();
        }
    }
}

pub fn collation_index(name: &str, dialect: &Dialect) -> u8 {
    dialect.collations.iter().position(|c| c.eq_ignore_ascii_case(name)).unwrap_or(0) as u8
}

/// The keys that a table declares, as far as their columns are compared as GROUP BY compares them.
fn keys_of(t: &CreateTable, dialect: &Dialect) -> Vec<Vec<Name>> {
    if t.module.is_some() || !t.key_terms.is_empty() {
        return Vec::new();
    }
    let alone = |c: &ColumnDef| (c.primary_key || c.unique).then(|| (vec![c.name.clone()], c.primary_key));
    let listed = [(t.primary_key.clone(), true)].into_iter().chain(t.unique.iter().map(|u| (u.clone(), false)));
    // SQLite takes NULL into a primary key unless the key is the number of the row.
    let enforced = t.without_rowid || !dialect.dynamic_typing;
    let sure = |(key, primary): &(Vec<Name>, bool)| {
        let number = |c: &ColumnDef| key.len() == 1 && c.type_name.eq_ignore_ascii_case("INTEGER");
        let never_null = |c: &ColumnDef| c.not_null || *primary && (enforced || number(c));
        !key.is_empty() && key.iter().all(|n| t.columns.iter().any(|c| c.name == *n && never_null(c)))
    };
    t.columns.iter().filter_map(alone).chain(listed).filter(sure).map(|(key, _)| key).collect()
}

fn column_of(c: &ColumnDef, table: Option<&CreateTable>, dialect: &Dialect) -> Column {
    let integer_key = c.primary_key && c.type_name.eq_ignore_ascii_case("INTEGER");
    let enforced = |t: &CreateTable| t.strict || t.module.is_some();
    let strict = table.is_some_and(enforced) && c.kind != Kind::Any;
    Column {
        name: c.name.clone(),
        traits: Traits {
            kind: c.kind,
            pure: !dialect.dynamic_typing || strict || integer_key && table.is_some_and(|t| !t.without_rowid),
            affinity: c.affinity,
            collation: c.collation.as_ref().map_or(0, |n| collation_index(n, dialect)),
            exact: c.exact && !(dialect.loose_texts && c.kind == Kind::Text),
            summable: c.summable,
            taint: Taint::Clear,
            json: c.generated.as_ref().is_some_and(|g| !g.stored) && dialect.marked_json,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse::{self, What};
    use crate::sql::typing;
    use qualm_engines::postgres::dialect::POSTGRES;
    use std::sync::LazyLock;

    #[test]
    fn where_equal_texts_may_differ_the_one_that_is_shown_decides_nothing() {
        static LOOSE: LazyLock<Dialect> = LazyLock::new(|| Dialect { loose_texts: true, ..*POSTGRES });
        let sound = |text: &str, dialect: &'static Dialect| {
            let mut parsed = parse::script(&format!("CREATE TABLE t(a TEXT, b INTEGER); {text}"), dialect).into_iter();
            let (Some(What::Statement(table)), Some(What::Query(query))) =
                (parsed.next().map(|p| p.what), parsed.next().map(|p| p.what))
            else {
                panic!("it is read")
            };
            let schema = Schema::from_state(&[table], dialect).unwrap();
            typing::query(&query, &schema, dialect).is_ok()
        };
        let decides = "SELECT length(d.a) FROM (SELECT DISTINCT a FROM t) AS d";
        assert!(sound(decides, &POSTGRES) && !sound(decides, &LOOSE));
        for fine in ["SELECT DISTINCT a FROM t", "SELECT abs(d.b) FROM (SELECT DISTINCT b FROM t) AS d"] {
            assert!(sound(fine, &LOOSE), "{fine}");
        }
    }
}
