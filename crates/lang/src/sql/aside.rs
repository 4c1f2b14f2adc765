//! Inner queries set aside: finds the parts of a query that refer to nothing around them, gives each a home of its own
//! (a table with its rows, a view, a CTE), and writes the query over those homes.
//!
//! A home must look like what it stands for: the same names, values, affinity and collation of each column. What
//! cannot be kept so is left where it is.

use super::ast::*;
use super::print;
use super::typing::{self, Column, ROWID, Schema, Taint};
use super::walk;
use qualm_core::case::{Effect, Step};
use qualm_core::dialect::sql::{Affinity, Dialect, Kind};

/// Where the rows of an inner query go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Table,
    /// A table of the session's own.
    Temporary,
    View,
    /// A CTE, with or without a word about materialising it.
    Cte(Option<bool>),
}

/// A query over the homes of its parts, and the statements that build them.
pub struct Aside {
    pub statements: Vec<Step>,
    pub query: Query,
}

/// The query with every part that can stand alone set aside; nothing if there is none.
pub fn whole(query: &Query, home: Home, schema: &Schema, dialect: &'static Dialect) -> Option<Aside> {
    let mut nested_with = false;
    let mut body = Query { with: Vec::new(), ..query.clone() };
    walk::each_query(&body, &mut |q| nested_with |= !q.with.is_empty());
    if nested_with {
        return None;
    }
    let mut homes = Homes { home, schema, dialect, with: &query.with, made: Vec::new(), statements: Vec::new() };
    let with = if let Home::Cte(_) = home { query.with.clone() } else { homes.ctes()? };
    walk::each_select_mut(&mut body, &mut |select| {
        for member in &mut select.from {
            match &mut member.source {
                Source::Query { query, .. } => {
                    if let Some(read) = homes.read(query) {
                        **query = read;
                    }
                }
                Source::Table { name, alias, .. } => {
                    if let Some(read) = homes.all_of_view(name).and_then(|all| homes.read(&all)) {
                        member.source = Source::Query { query: Box::new(read), alias: alias.clone() };
                    }
                }
            }
        }
    });
    walk::each_expr_mut(&mut body, &mut |e| {
        if let Expr::InQuery { query, .. } | Expr::Scalar(query) | Expr::Exists { query, .. } = e
            && let Some(read) = homes.read(query)
        {
            **query = read;
        }
    });
    if homes.made.is_empty() && homes.statements.is_empty() {
        return None;
    }
    let mut with = with;
    if let Home::Cte(materialized) = home {
        with.extend(homes.made.into_iter().map(|m| Cte {
            name: m.name,
            columns: m.columns,
            query: m.inner,
            recursive: false,
            materialized,
        }));
    }
    Some(Aside { statements: homes.statements, query: Query { with, ..body } })
}

/// One closed query in a table of the given name: the statements that fill it, and the query that reads it.
pub fn in_table(inner: &Query, name: &str, schema: &Schema, dialect: &'static Dialect) -> Option<Aside> {
    let mut inner = inner.clone();
    let columns = typing::query(&inner, schema, dialect).ok()?;
    let columns = named(&mut inner, columns)?;
    let statements = table(&inner, &name.into(), &columns, dialect)?;
    Some(Aside { statements, query: reading(&name.into(), &columns, dialect) })
}

struct Made {
    inner: Query,
    columns: Vec<Name>,
    name: Name,
    read: Query,
    /// As it stood in the query.
    found: Query,
}

struct Homes<'a> {
    home: Home,
    schema: &'a Schema,
    dialect: &'static Dialect,
    /// The CTEs of the query, which its parts may name.
    with: &'a [Cte],
    made: Vec<Made>,
    statements: Vec<Step>,
}

impl Homes<'_> {
    /// What reads the home of an inner query; equal ones share a home.
    fn read(&mut self, found: &Query) -> Option<Query> {
        let reads_home =
            |s: &Select| s.from.iter().any(|j| matches!(&j.source, Source::Table { name, .. } if is_home(name)));
        if found.select().is_some_and(reads_home) {
            return None;
        }
        if let Some(made) = self.made.iter().find(|m| m.found == *found) {
            return Some(made.read.clone());
        }
        let mut inner = Query { with: self.with.to_vec(), ..found.clone() };
        let columns = typing::query(&inner, self.schema, self.dialect).ok()?;
        let mut columns = named(&mut inner, columns)?;
        if let Home::Cte(_) = self.home {
            inner.with.clear();
        }
        let name: Name = format!("{HOME}{}", self.made.len()).into();
        match self.home {
            Home::Table => self.statements.extend(table(&inner, &name, &columns, self.dialect)?),
            Home::Temporary => {
                let made = table(&inner, &name, &columns, self.dialect)?;
                self.statements.extend(made.into_iter().map(temporary));
            }
            Home::View => {
                let view = CreateView { name: name.clone(), columns: names(&columns), query: inner.clone() };
                self.statements.push(print::step(&Statement::CreateView(view), self.dialect));
            }
            Home::Cte(_) => {}
        }
        if !matches!(self.home, Home::Table | Home::Temporary) {
            // A view's column is what its expression is.
            columns.iter_mut().for_each(|c| c.traits.affinity = Affinity::Blob);
        }
        let read = reading(&name, &columns, self.dialect);
        let columns = names(&columns);
        self.made.push(Made { inner, columns, name, read: read.clone(), found: found.clone() });
        Some(read)
    }

    /// All columns of a view, which is an inner query under a name. A CTE of that name hides it.
    fn all_of_view(&self, name: &Name) -> Option<Query> {
        let hidden = self.with.iter().any(|cte| cte.name == *name);
        // One view over another says nothing new, and a virtual table has numbers of its rows besides.
        let view = self.schema.table(name).filter(|t| t.view && !t.rowid && !hidden && self.home != Home::View)?;
        let item = |c: &Column| Item { expr: column(name, &c.name), alias: Some(c.name.clone()) };
        let items = view.columns.iter().map(item).collect();
        let source = Source::Table { name: name.clone(), alias: name.clone(), hint: Hint::None };
        let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
        Some(Query::of(Select { items, from, ..Select::default() }))
    }

    /// The query's own CTEs, each reading a home instead. One that cannot be set aside leaves all as they are.
    fn ctes(&mut self) -> Option<Vec<Cte>> {
        let mut with = Vec::new();
        for (i, cte) in self.with.iter().enumerate() {
            let source = Source::Table { name: cte.name.clone(), alias: cte.name.clone(), hint: Hint::None };
            let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
            let all = Query { with: self.with[..=i].to_vec(), ..Query::of(Select { from, ..Select::default() }) };
            let Some(columns) = typing::query(&all, self.schema, self.dialect).ok().and_then(distinct) else {
                return Some(self.with.to_vec());
            };
            let name: Name = format!("{HOME}w{i}").into();
            let item = |c: &Column| Item { expr: column(&cte.name, &c.name), alias: Some(c.name.clone()) };
            let mut inner = all;
            inner.select_mut()?.items = columns.iter().map(item).collect();
            let read = match self.home {
                Home::Table | Home::Temporary => {
                    self.statements.extend(table(&inner, &name, &columns, self.dialect)?);
                    reading(&name, &columns, self.dialect)
                }
                _ => {
                    let view = CreateView { name: name.clone(), columns: names(&columns), query: inner };
                    self.statements.push(print::step(&Statement::CreateView(view), self.dialect));
                    let plain: Vec<Column> = columns.iter().cloned().map(without_affinity).collect();
                    reading(&name, &plain, self.dialect)
                }
            };
            with.push(Cte {
                name: cte.name.clone(),
                columns: names(&columns),
                query: read,
                recursive: false,
                ..cte.clone()
            });
        }
        Some(with)
    }
}

/// Begins the name of every home.
const HOME: &str = "aside_";

fn is_home(name: &Name) -> bool {
    name.starts_with(HOME)
}

fn without_affinity(mut c: Column) -> Column {
    c.traits.affinity = Affinity::Blob;
    c
}

fn names(columns: &[Column]) -> Vec<Name> {
    columns.iter().map(|c| c.name.clone()).collect()
}

fn column(table: &Name, column: &Name) -> Expr {
    Expr::Column { table: table.clone(), column: column.clone() }
}

/// Gives every column of a query a name of its own.
fn named(q: &mut Query, mut columns: Vec<Column>) -> Option<Vec<Column>> {
    let mut first = &mut q.body;
    while let Body::Compound { left, .. } = first {
        first = left;
    }
    let Body::Select(select) = first else { return None };
    for (i, c) in columns.iter_mut().enumerate().filter(|(_, c)| c.name.is_empty()) {
        c.name = format!("e{i}").into();
        select.items.get_mut(i)?.alias = Some(c.name.clone());
    }
    distinct(columns)
}

fn distinct(columns: Vec<Column>) -> Option<Vec<Column>> {
    let lower: Vec<String> = columns.iter().map(|c| c.name.to_lowercase()).collect();
    let once = |(i, name): (usize, &String)| !name.is_empty() && name != ROWID && !lower[..i].contains(name);
    (!columns.is_empty() && lower.iter().enumerate().all(once)).then_some(columns)
}

/// The statements that put the rows of a query into a new table.
fn table(inner: &Query, name: &Name, columns: &[Column], dialect: &'static Dialect) -> Option<Vec<Step>> {
    if !dialect.dynamic_typing {
        // The engine knows best what types the columns have; of NULL alone it makes something else everywhere, and an
        // average may have more digits than can be stored.
        let mut averages = false;
        walk::each_expr(inner, &mut |e| averages |= matches!(e, Expr::Aggregate(a) if a.function == "avg"));
        if averages || columns.iter().any(|c| c.traits.kind == Kind::Any) {
            return None;
        }
        // Where a table says how it is stored, it may not be made from a query in every way.
        if !dialect.spelling.table_suffix.is_empty() {
            return None;
        }
        let undo = format!("DROP TABLE {name}");
        let text = format!("CREATE TABLE {name} AS {}", print::query(inner, dialect));
        return Some(vec![Step::with_effect(text, Effect::Makes { undo })]);
    }
    if collates_inside(inner) {
        return None;
    }
    let column = |c: &Column| {
        // Arms of a compound may differ in what they are: each value as it is. How they are compared is lost there.
        if c.traits.taint == Taint::Hard {
            if c.traits.collation != 0 {
                return None;
            }
            let spec = dialect.types.iter().find(|t| t.affinity == Affinity::Blob && t.name.is_empty())?;
            return Some(ColumnDef::plain(c.name.clone(), spec.name, spec.kind, Affinity::Blob));
        }
        let affinity = if c.traits.affinity == Affinity::None { Affinity::Blob } else { c.traits.affinity };
        // A cast may leave a float that such a column would store as an integer; and which collation an expression
        // has is said nowhere.
        if affinity == Affinity::Numeric && !c.traits.exact {
            return None;
        }
        if c.traits.affinity == Affinity::None && c.traits.collation != 0 {
            return None;
        }
        let bare = affinity == Affinity::Blob;
        let spec = dialect.types.iter().find(|t| t.affinity == affinity && (!bare || t.name.is_empty()))?;
        let collation = dialect.collations.get(c.traits.collation as usize).filter(|_| c.traits.collation != 0);
        let plain = ColumnDef::plain(c.name.clone(), spec.name, spec.kind, affinity);
        Some(ColumnDef { collation: collation.map(|n| (*n).into()), ..plain })
    };
    let table = CreateTable {
        name: name.clone(),
        columns: columns.iter().map(column).collect::<Option<Vec<_>>>()?,
        ..CreateTable::default()
    };
    let create = print::step(&Statement::CreateTable(table), dialect);
    let fill = format!("INSERT INTO {name} {}", print::query(inner, dialect));
    Some(vec![create, Step::with_effect(fill, Effect::Within)])
}

/// The same table, of which only this session knows.
fn temporary(mut step: Step) -> Step {
    step.text = step.text.replacen("CREATE TABLE", "CREATE TEMPORARY TABLE", 1);
    step
}

/// A query over the views that it reads, each written out as a subquery; nothing if it reads none, or one of which a
/// name may mean something else here.
pub fn inlined(query: &Query, state: &[Statement], schema: &Schema, dialect: &'static Dialect) -> Option<Query> {
    // A view keeps the columns that there were when it was made.
    let mut names_tables = false;
    walk::each_query(query, &mut |q| names_tables |= !q.with.is_empty());
    if names_tables || state.iter().any(Statement::alters_columns) {
        return None;
    }
    let mut changed = query.clone();
    let mut count = 0;
    walk::each_select_mut(&mut changed, &mut |select| {
        for member in &mut select.from {
            let Source::Table { name, alias, .. } = &member.source else { continue };
            if let Some(view) = state.iter().find_map(|s| match s {
                Statement::CreateView(v) if v.name == *name => Some(v),
                _ => None,
            }) && let Some(inner) = schema.table(name).and_then(|t| as_subquery(view, &t.columns))
            {
                member.source = Source::Query { query: Box::new(inner), alias: alias.clone() };
                count += 1;
            }
        }
    });
    typing::query(&changed, schema, dialect).ok()?;
    (count > 0).then_some(changed)
}

/// The query of a view, with the names of the view's columns.
fn as_subquery(view: &CreateView, columns: &[Column]) -> Option<Query> {
    let mut query = view.query.clone();
    let mut first = &mut query.body;
    while let Body::Compound { left, .. } = first {
        first = left;
    }
    match first {
        Body::Select(s) if s.items.is_empty() => view.columns.is_empty().then_some(query),
        Body::Select(s) if query.order_by.is_empty() => {
            for (item, column) in s.items.iter_mut().zip(columns).filter(|(_, c)| !c.name.is_empty()) {
                let named = matches!(&item.expr, Expr::Column { column: own, .. } if *own == column.name);
                if item.alias.is_some() || !named {
                    item.alias = Some(column.name.clone());
                }
            }
            Some(query)
        }
        _ => None,
    }
}

/// In SQLite a COLLATE anywhere in an expression, in a condition of CASE too, says how the whole is compared.
pub(super) fn collates_inside(inner: &Query) -> bool {
    let mut inside = false;
    walk::each_select(inner, &mut |s| {
        for item in s.items.iter().filter(|i| !matches!(i.expr, Expr::Collate { .. })) {
            walk::each_expr(&item.expr, &mut |e| inside |= matches!(e, Expr::Collate { .. }));
        }
    });
    inside
}

/// All of a home. A column that stands for an expression without affinity gets a sign, which takes it away.
fn reading(name: &Name, columns: &[Column], dialect: &Dialect) -> Query {
    let item = |c: &Column| {
        let own = column(name, &c.name);
        let bare = dialect.dynamic_typing && c.traits.affinity == Affinity::None;
        let expr = if bare { Expr::Unary(Unary::Plus, Box::new(own)) } else { own };
        Item { expr, alias: Some(c.name.clone()) }
    };
    let source = Source::Table { name: name.clone(), alias: name.clone(), hint: Hint::None };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    Query::of(Select { items: columns.iter().map(item).collect(), from, ..Select::default() })
}
