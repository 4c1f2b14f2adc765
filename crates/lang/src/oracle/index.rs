//! Indexes, keys and constraints must not change a result.
//!
//! Claim: a query returns the same rows over the tables and over bare copies of them: same columns, types, collations
//! and rows, but no index, no key, no NOT NULL, no CHECK, no generated column, no statistics. Implicit indexes (UNIQUE,
//! PRIMARY KEY) are covered as well as explicit ones, and one script shows both sides.
//!
//! ```sql
//! CREATE TABLE t0(c0 TEXT UNIQUE);  CREATE INDEX i0 ON t0(c0 DESC);   -- and rows
//! CREATE TABLE bare_t0(c0 TEXT);    INSERT INTO bare_t0 SELECT * FROM t0;
//! SELECT * FROM t0 WHERE c0 > 'a';                                    -- the same rows as
//! SELECT * FROM bare_t0 AS t0 WHERE c0 > 'a';
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, adopt, equality, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::schema::Column;
use crate::sql::{order as sql_order, print, typing, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::Kind;
use qualm_core::relation::{Equality, Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "index",
    claim: "a query returns the same rows with and without indexes, keys and constraints",
    example: "SELECT * FROM t WHERE p  =  SELECT * FROM bare_t WHERE p, bare_t being a copy of t without indexes",
    weight: 3,
    scout: 1,
    propose,
    derive,
    prepare,
    adopt: Some(adopt::index_questions),
    ..PLAIN
};

/// Forms: what must be the same, the rows themselves or their order.
pub const ROWS: &str = "copy";
pub const ORDER: &str = "order";

fn propose(g: &mut Generator) -> Option<Question> {
    let query = g.query();
    let form = if !query.order_by.is_empty() && g.rng.chance(1, 2) { ORDER } else { ROWS };
    Some(Question::of(query, form))
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let columns = columns_on_copies(q, at)?;
    let bare = on_bare_tables(&q.query, at);
    let (order, equality) = match q.form.as_str() {
        // Rows that are equal as keys of the order may change places.
        ORDER if sql_order::is_by_all(&q.query, &columns) => (Order::List, Equality::Loose),
        ORDER => return None,
        _ => (order(&q.query, at), equality(&columns)),
    };
    let script = vec![
        Step::query("with indexes and constraints", print::query(&q.query, at.dialect)),
        Step::query("on bare copies of the tables", print::query(&bare, at.dialect)),
    ];
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order, equality } })
}

/// Whether words are looked for, which only the index of a virtual table answers.
/// The columns of a question whose result depends on the rows alone, so that copies of the tables give the same.
pub(super) fn columns_on_copies(q: &Question, at: &Setting) -> Option<Vec<Column>> {
    if q.text.is_some() {
        return None;
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    let by_more =
        mentions_rowid(&q.query) || mentions_rowid_in_views(at) || merges_by_age(at) || searches(&q.query, at);
    (!columns.is_empty() && !by_more).then_some(columns)
}

fn searches(q: &Query, at: &Setting) -> bool {
    let in_view = |s: &Statement| matches!(s, Statement::CreateView(v) if typing::searches(&v.query));
    typing::searches(q) || at.state.iter().any(in_view)
}

/// A copy has row numbers of its own.
pub(super) fn mentions_rowid(q: &Query) -> bool {
    let mut found = false;
    walk::each_expr(q, &mut |e| found |= matches!(e, Expr::Column { column, .. } if column == typing::ROWID));
    found
}

fn mentions_rowid_in_views(at: &Setting) -> bool {
    at.state.iter().any(|s| matches!(s, Statement::CreateView(v) if mentions_rowid(&v.query)))
}

/// Whether a view may read the columns that there were when it was made; the copy's view is made later and sees more.
fn merges_by_age(at: &Setting) -> bool {
    let reads_unnamed = |s: &Statement| matches!(s, Statement::CreateView(v) if v.reads_unnamed_columns());
    at.state.iter().any(Statement::alters_columns) && at.state.iter().any(reads_unnamed)
}

fn bare(name: &str) -> Name {
    format!("bare_{name}").into()
}

fn on_bare_tables(q: &Query, at: &Setting) -> Query {
    let mut copy = q.clone();
    walk::each_select_mut(&mut copy, &mut |select| {
        for member in &mut select.from {
            if let Source::Table { name, hint, .. } = &mut member.source
                && at.schema.table(name).is_some()
            {
                *name = bare(name);
                *hint = Hint::None;
            }
        }
    });
    copy
}

/// The definitions of all tables as they are after the whole state was built.
pub(super) fn tables_now(state: &[Statement]) -> Vec<CreateTable> {
    let mut tables: Vec<CreateTable> = Vec::new();
    for statement in state {
        match statement {
            Statement::CreateTable(t) => tables.push(t.clone()),
            Statement::AddColumn { table, column } => {
                tables.iter_mut().filter(|t| t.name == *table).for_each(|t| t.columns.push(column.clone()));
            }
            Statement::DropColumn { table, column } => {
                tables.iter_mut().filter(|t| t.name == *table).for_each(|t| t.columns.retain(|c| c.name != *column));
            }
            Statement::RenameColumn { table, from, to } => {
                let columns = tables.iter_mut().filter(|t| t.name == *table).flat_map(|t| t.columns.iter_mut());
                columns.filter(|c| c.name == *from).for_each(|c| c.name = to.clone());
            }
            // Rows are copied as they are in the end, and what is left out here is what the copies are to lack.
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } => {}
            Statement::CreateIndex(_) | Statement::DropIndex { .. } | Statement::Maintenance(_) => {}
            Statement::CreateView(_) | Statement::CreateTrigger(_) | Statement::Transaction(_) => {}
        }
    }
    tables
}

/// Copies of the tables as they are after the whole state was built, and of the views over them.
fn prepare(at: &Setting) -> Vec<String> {
    let tables = tables_now(at.state);
    let views = at.state.iter().filter_map(|s| match s {
        Statement::CreateView(v) if !typing::searches(&v.query) => Some(v),
        _ => None,
    });
    let mut statements = Vec::new();
    for table in &tables {
        let copy = Statement::CreateTable(bare_table(table));
        statements.push(print::statement(&copy, at.dialect));
        statements.push(format!("INSERT INTO {} SELECT * FROM {}", bare(&table.name), table.name));
    }
    for view in views {
        let query = on_bare_tables(&view.query, at);
        let copy = CreateView { name: bare(&view.name), columns: view.columns.clone(), query };
        statements.push(print::statement(&Statement::CreateView(copy), at.dialect));
    }
    statements
}

pub(super) fn bare_table(table: &CreateTable) -> CreateTable {
    // What a module says of its columns is no type to a table.
    let of_module = |c: &ColumnDef| match c.kind {
        Kind::Int => "INT",
        Kind::Real => "REAL",
        _ => "",
    };
    let columns = table.columns.iter().map(|c| ColumnDef {
        type_name: match () {
            () if table.module.is_some() => of_module(c).into(),
            // Outside a STRICT table the name ANY would mean a numeric column.
            () if c.type_name == "ANY" => Name::default(),
            () => c.type_name.clone(),
        },
        primary_key: false,
        unique: false,
        not_null: false,
        default: None,
        generated: None,
        ..c.clone()
    });
    CreateTable { name: bare(&table.name), columns: columns.collect(), ..CreateTable::default() }
}
