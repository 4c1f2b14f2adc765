//! The DML forms of `config`: the same statement on two copies of a table, under the settings as they are and under
//! changed ones, must leave the same rows.
//!
//! A question is still a query: INSERT takes its rows from it, UPDATE its SET from the select list (the names say the
//! columns) and its WHERE from the predicate, DELETE only the latter. No statement reads the table that it writes but
//! for the row at hand, so that no order of rows can matter.

use super::{AFTER, BEFORE, Derived, Setting, equality, flipped};
use crate::sql::ast::*;
use crate::sql::generate::{Generator, Visible};
use crate::sql::typing::{self, Column};
use crate::sql::{print, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::Dialect;
use qualm_core::relation::{Equality, Order, Relation};

pub const INSERT: &str = "insert";
pub const UPDATE: &str = "update";
pub const DELETE: &str = "delete";

const LEFT: &str = "left_";
const RIGHT: &str = "right_";

pub fn propose(g: &mut Generator) -> Option<Question> {
    let form = *g.rng.pick(&[INSERT, UPDATE, DELETE]);
    if form == INSERT {
        let mut query = g.query();
        query.limit = None;
        query.order_by.clear();
        return Some(Question::of(query, INSERT));
    }
    g.subqueries = 0;
    let tables: Vec<_> = g.schema.tables.iter().filter(|t| !t.view).collect();
    if tables.is_empty() {
        return None;
    }
    let table = (*g.rng.pick(&tables)).clone();
    g.frame = g.scope.len();
    for c in table.columns.iter() {
        g.scope.push(Visible { table: table.name.clone(), name: c.name.clone(), traits: c.traits });
    }
    let source = Source::Table { name: table.name.clone(), alias: table.name.clone(), hint: Hint::None };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    let mut items = Vec::new();
    if form == UPDATE {
        let column = g.rng.pick(&table.columns).clone();
        let expr = g.value(column.traits.kind, 1);
        items.push(Item { expr, alias: Some(column.name) });
    }
    let depth = g.shape.depth;
    let predicate = Some(g.predicate(depth));
    g.scope.clear();
    Some(Question { predicate, ..Question::of(Query::of(Select { items, from, ..Select::default() }), form) })
}

pub fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    match q.form.as_str() {
        INSERT => insert(q, at),
        UPDATE | DELETE => change(q, at),
        _ => None,
    }
}

fn insert(q: &Question, at: &Setting) -> Option<Derived> {
    if q.query.limit.is_some() || !q.query.order_by.is_empty() {
        return None;
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    let equality = equality(&columns);
    let mut script = Vec::new();
    for side in [LEFT, RIGHT] {
        script.push(print::step(&Statement::CreateTable(table_for(side, &columns, at.dialect)?), at.dialect));
    }
    let text = |side: &str| format!("INSERT INTO {side}rows {}", print::query(&q.query, at.dialect));
    script.push(Step::run(text(LEFT)));
    script.extend(flipped(&q.flips, Step::run(text(RIGHT))));
    Some(compared(script, "rows", &[], equality))
}

/// A table that takes rows of these columns as they are.
fn table_for(side: &str, columns: &[Column], dialect: &Dialect) -> Option<CreateTable> {
    let column = |(i, c): (usize, &Column)| {
        let spec = dialect.plain_type(c.traits.kind)?;
        // Without types of its own, a column must not change what is put in.
        let bare = dialect.types.iter().find(|t| t.name.is_empty()).filter(|_| dialect.dynamic_typing);
        let spec = bare.unwrap_or(spec);
        Some(ColumnDef {
            name: format!("c{i}").into(),
            type_name: spec.name.into(),
            kind: spec.kind,
            affinity: spec.affinity,
            collation: None,
            primary_key: false,
            autoincrement: false,
            unique: false,
            not_null: false,
            default: None,
            generated: None,
            summable: false,
            exact: false,
        })
    };
    let columns = columns.iter().enumerate().map(column).collect::<Option<Vec<_>>>()?;
    (!columns.is_empty()).then(|| CreateTable { name: format!("{side}rows").into(), columns, ..CreateTable::default() })
}

/// The UPDATE or DELETE on the table itself. It is never run there, but its plan is that of the copies.
pub fn statement(q: &Question) -> Option<Statement> {
    let select = q.query.select()?;
    let [Joined { source: Source::Table { name, .. }, .. }] = select.from.as_slice() else { return None };
    on_table(q, name)
}

fn on_table(q: &Question, table: &Name) -> Option<Statement> {
    let select = q.query.select()?;
    let mut filter = q.predicate.clone()?;
    bare_names(&mut filter);
    if q.form == DELETE {
        return Some(Statement::Delete { table: table.clone(), filter: Some(filter) });
    }
    let mut set = Vec::new();
    for item in &select.items {
        let mut expr = item.expr.clone();
        bare_names(&mut expr);
        set.push((item.alias.clone()?, expr));
    }
    (!set.is_empty())
        .then(|| Statement::Update(Update { table: table.clone(), verb: "UPDATE".into(), set, filter: Some(filter) }))
}

/// The copies have other names than the table.
fn bare_names(e: &mut Expr) {
    walk::each_expr_mut(e, &mut |e| {
        if let Expr::Column { table, .. } = e {
            *table = Name::default();
        }
    });
}

fn change(q: &Question, at: &Setting) -> Option<Derived> {
    let select = q.query.select()?;
    let [Joined { source: Source::Table { name, hint: Hint::None, .. }, .. }] = select.from.as_slice() else {
        return None;
    };
    let plain = !select.distinct && select.filter.is_none() && select.group_by.is_empty() && q.query.limit.is_none();
    if !plain || select.having.is_some() || !q.query.with.is_empty() || has_subquery(q) {
        return None;
    }
    typing::predicate(q.predicate.as_ref()?, select, &[], at.schema, at.dialect).ok()?;
    let table = table_now(name, at.state)?;
    if q.form == UPDATE {
        typing::query(&q.query, at.schema, at.dialect).ok()?;
        let settable =
            |i: &Item| table.columns.iter().any(|c| c.generated.is_none() && Some(&c.name) == i.alias.as_ref());
        let grouped = select.items.iter().any(|i| typing::contains_aggregate(&i.expr));
        if grouped || !select.items.iter().all(settable) {
            return None;
        }
    }
    let mut script = Vec::new();
    for side in [LEFT, RIGHT] {
        script.extend(copy(side, &table, at));
    }
    let text = |side: &str| {
        let copy: Name = format!("{side}{name}").into();
        on_table(q, &copy).map(|s| print::statement(&s, at.dialect))
    };
    script.push(Step::run(text(LEFT)?));
    script.extend(flipped(&q.flips, Step::run(text(RIGHT)?)));
    let names: Vec<Name> = table.columns.iter().map(|c| c.name.clone()).collect();
    Some(compared(script, name, &names, Equality::Exact))
}

fn has_subquery(q: &Question) -> bool {
    let mut found = false;
    walk::each_expr(q, &mut |e| {
        found |= matches!(e, Expr::Scalar(_) | Expr::Exists { .. } | Expr::InQuery { .. } | Expr::Window(_));
        found |= matches!(e, Expr::Column { column, .. } if column == typing::ROWID);
    });
    found
}

fn compared(mut script: Vec<Step>, table: &str, columns: &[Name], equality: Equality) -> Derived {
    let columns: Vec<&str> = columns.iter().map(Name::as_str).collect();
    let columns = if columns.is_empty() { "*".to_owned() } else { columns.join(", ") };
    script.push(Step::query(BEFORE, format!("SELECT {columns} FROM {LEFT}{table}")));
    script.push(Step::query(AFTER, format!("SELECT {columns} FROM {RIGHT}{table}")));
    Derived { script, claim: Relation::Same { left: 0, right: 1, order: Order::Bag, equality } }
}

/// The table as it is after the whole state was built; nothing where columns were renamed or dropped, which changes
/// more than their list.
fn table_now(name: &Name, state: &[Statement]) -> Option<CreateTable> {
    let mut table: Option<CreateTable> = None;
    for statement in state {
        match statement {
            Statement::CreateTable(t) if t.name == *name => table = Some(t.clone()),
            Statement::AddColumn { table: t, column } if t == name => table.as_mut()?.columns.push(column.clone()),
            Statement::DropColumn { table: t, .. } | Statement::RenameColumn { table: t, .. } if t == name => {
                return None;
            }
            Statement::CreateTable(_)
            | Statement::AddColumn { .. }
            | Statement::DropColumn { .. }
            | Statement::RenameColumn { .. } => {}
            Statement::CreateIndex(_) | Statement::DropIndex { .. } | Statement::CreateView(_) => {}
            Statement::CreateTrigger(_) | Statement::Transaction(_) => {}
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } | Statement::Maintenance(_) => {}
        }
    }
    table
}

/// A copy with all keys, constraints, indexes and rows. What is in it goes with it.
fn copy(side: &str, table: &CreateTable, at: &Setting) -> Vec<Step> {
    let name: Name = format!("{side}{}", table.name).into();
    let made = CreateTable { name: name.clone(), foreign_keys: Vec::new(), ..table.clone() };
    let given: Vec<&str> = table.columns.iter().filter(|c| c.generated.is_none()).map(|c| c.name.as_str()).collect();
    let given = given.join(", ");
    let mut steps = vec![
        print::step(&Statement::CreateTable(made), at.dialect),
        Step::run(format!("INSERT INTO {name} ({given}) SELECT {given} FROM {}", table.name)),
    ];
    for statement in at.state {
        if let Statement::CreateIndex(i) = statement
            && i.table == table.name
            && at.schema.indexes.iter().any(|(index, _)| *index == i.name)
        {
            let index = CreateIndex { name: format!("{side}{}", i.name).into(), table: name.clone(), ..i.clone() };
            steps.push(Step::run(print::statement(&Statement::CreateIndex(index), at.dialect)));
        }
    }
    steps
}
