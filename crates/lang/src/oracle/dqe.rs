//! Differential query execution (Song and others, ICSE 2023): SELECT, UPDATE and DELETE with the same predicate touch
//! the same rows.
//!
//! Claim: the rows of a table that `SELECT … WHERE p` shows are those that `UPDATE … WHERE p` marks, that either
//! statement names in RETURNING, and that `DELETE … WHERE p` takes away. The mark is a column that is added for it, so
//! that no key, index or predicate knows it; an UPDATE may set columns of the predicate to themselves, and either
//! statement may say the predicate in another way (see eet).
//!
//! ```sql
//! SELECT c0 FROM t0 WHERE c0 > 1;                                         -- the same rows as
//! ALTER TABLE t0 ADD COLUMN touched INT DEFAULT 0;
//! UPDATE t0 SET touched = 1 WHERE t0.c0 > 1;
//! SELECT c0 FROM t0 WHERE touched = 1;
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, eet, every};
use crate::sql::ast::*;
use crate::sql::generate::{Generator, Visible};
use crate::sql::typing::{self, ROWID};
use crate::sql::{print, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Dialect, Feature, Kind};
use qualm_core::relation::{Combine, Equality, Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "dqe",
    claim: "SELECT, UPDATE and DELETE with the same predicate affect the same rows",
    example: "SELECT * FROM t WHERE p  =  the rows that UPDATE t SET touched = 1 WHERE p marks",
    weight: 1,
    scout: 1,
    propose,
    derive,
    adopt: Some(|query, _| questions(query)),
    every: Some(every::dqe_questions),
    ..PLAIN
};

/// Forms: what DELETE leaves; what UPDATE marks; the same while it sets the predicate's columns to themselves; what
/// UPDATE or DELETE returns.
pub const DELETE: &str = "delete";
pub const UPDATE: &str = "update";
pub const ASSIGN: &str = "assign";
pub const RETURNING: &str = "returning";
pub const DELETE_RETURNING: &str = "delete-returning";

const FORMS: [&str; 5] = [DELETE, UPDATE, ASSIGN, RETURNING, DELETE_RETURNING];

/// The column that marks rows.
const TOUCHED: &str = "touched";

fn propose(g: &mut Generator) -> Option<Question> {
    if !g.has(Feature::Dml) || !g.has(Feature::AlterAddColumn) {
        return None;
    }
    let tables: Vec<_> = g.schema.tables.iter().filter(|t| !t.view).collect();
    if tables.is_empty() {
        return None;
    }
    let table = (*g.rng.pick(&tables)).clone();
    let returns = if g.has(Feature::Returning) { 2 } else { 0 };
    let form = FORMS[g.rng.weighted(&[4, 4, 3, returns, returns])];
    g.frame = g.scope.len();
    for c in table.columns.iter() {
        g.scope.push(Visible { table: table.name.clone(), name: c.name.clone(), traits: c.traits });
    }
    let predicate = g.predicate(g.shape.depth);
    g.scope.clear();
    let source = Source::Table { name: table.name.clone(), alias: table.name.clone(), hint: Hint::None };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    let query = Query::of(Select { from, ..Select::default() });
    let rewrites = if g.rng.chance(1, 3) { vec![eet::another_way(g, &predicate)] } else { Vec::new() };
    Some(Question { predicate: Some(predicate), rewrites, ..Question::of(query, form) })
}

/// Every question about a query that someone else wrote: its predicate, for its only table.
pub fn questions(query: &Query) -> Vec<Question> {
    let Some(select) = query.select() else { return Vec::new() };
    let ([only], Some(predicate)) = (select.from.as_slice(), &select.filter) else { return Vec::new() };
    let Source::Table { name, alias, .. } = &only.source else { return Vec::new() };
    let mut predicate = predicate.clone();
    walk::each_expr_mut(&mut predicate, &mut |e| {
        if let Expr::Column { table, .. } = e
            && table == alias
        {
            *table = name.clone();
        }
    });
    let source = Source::Table { name: name.clone(), alias: name.clone(), hint: Hint::None };
    let from = vec![Joined { source, ..only.clone() }];
    let query = Query::of(Select { from, ..Select::default() });
    let question = |form: &&str| Question { predicate: Some(predicate.clone()), ..Question::of(query.clone(), form) };
    FORMS.iter().map(question).collect()
}

/// The same question with its condition in the change said in every other way.
pub fn other_ways(q: &Question, dialect: &Dialect) -> Vec<Question> {
    let Some(predicate) = &q.predicate else { return Vec::new() };
    let alone = Query::of(Select { filter: Some(predicate.clone()), ..Select::default() });
    let whole = eet::every_rewrite(&alone, dialect).into_iter().filter(|r| r.site == 0);
    whole.map(|r| Question { rewrites: vec![r], ..q.clone() }).collect()
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let select = q.query.select().filter(|_| q.text.is_none() && q.query.with.is_empty())?;
    let [Joined { source: Source::Table { name, alias, hint: Hint::None }, .. }] = select.from.as_slice() else {
        return None;
    };
    let p = q.predicate.as_ref()?;
    let table = at.schema.table(name).filter(|t| !t.view && name == alias)?;
    let is_virtual = |s: &Statement| matches!(s, Statement::CreateTable(t) if t.name == *name && t.module.is_some());
    // A change of the table would change more than the rows at hand, or be refused for the sake of another table.
    let tied = |s: &Statement| match s {
        Statement::CreateTrigger(t) => t.table == *name || s.entangles(name),
        Statement::CreateTable(t) => s.entangles(name) || t.foreign_keys.iter().any(|f| f.table == *name && f.acts()),
        _ => false,
    };
    if at.state.iter().any(tied) {
        return None;
    }
    if !at.dialect.lists(Feature::Dml) || at.state.iter().any(is_virtual) || reads_what_changes(p, name, at) {
        return None;
    }
    typing::predicate(p, select, &[], at.schema, at.dialect).ok()?;
    let columns: Vec<Name> = table.columns.iter().map(|c| c.name.clone()).filter(|c| c != TOUCHED).collect();
    if columns.len() < table.columns.len() || columns.is_empty() {
        return None;
    }
    let rows = |filter: Option<Expr>| {
        let own = |c: &Name| Item::bare(Expr::Column { table: name.clone(), column: c.clone() });
        let items = columns.iter().map(own).collect();
        print::query(&Query::of(Select { items, from: select.from.clone(), filter, ..Select::default() }), at.dialect)
    };
    let said = q.rewrites.iter().try_fold(p.clone(), |p, rewrite| eet::rewritten(p, rewrite, at.dialect))?;
    typing::predicate(&said, select, &[], at.schema, at.dialect).ok()?;
    let deletes = matches!(q.form.as_str(), DELETE | DELETE_RETURNING);
    let change = if deletes { delete(name, &said, at)? } else { update(name, &said, q.form == ASSIGN, at)? };
    let returned = format!("{change} RETURNING {}", columns.join(", "));
    let mut script =
        vec![Step::query("all rows", rows(None)), Step::query("those that SELECT shows", rows(Some(p.clone())))];
    script.push(Step::run(mark(name, at)?));
    let marked = Expr::Binary(Binary::Eq, Box::new(Expr::column(name, TOUCHED)), Box::new(Expr::int(1)));
    let same = Relation::Same { left: 1, right: 2, order: Order::Bag, equality: Equality::Exact };
    let claim = match q.form.as_str() {
        DELETE => {
            script.extend([Step::run(change), Step::query("those that DELETE leaves", rows(None))]);
            Relation::Partition { whole: 0, parts: vec![1, 2], combine: Combine::Bag, equality: Equality::Exact }
        }
        UPDATE | ASSIGN => {
            script.extend([Step::run(change), Step::query("those that UPDATE marks", rows(Some(marked)))]);
            same
        }
        RETURNING | DELETE_RETURNING if at.dialect.lists(Feature::Returning) => {
            script.push(Step::query("those that the change returns", returned));
            same
        }
        _ => return None,
    };
    Some(Derived { script, claim })
}

/// Whether the predicate looks at more than the row at hand of the table that is changed, or at a view, which may.
fn reads_what_changes(p: &Expr, table: &Name, at: &Setting) -> bool {
    let mut reads = false;
    walk::each_select(p, &mut |s| {
        for member in &s.from {
            if let Source::Table { name, alias, .. } = &member.source {
                reads |= name == table || alias == table || at.schema.table(name).is_none_or(|t| t.view);
            }
        }
    });
    walk::each_query(p, &mut |q| reads |= !q.with.is_empty());
    reads
}

/// Every statement of the script before it is undone by a new start, because of this one.
fn mark(table: &Name, at: &Setting) -> Option<String> {
    let spec = at.dialect.plain_type(Kind::Int)?;
    let plain = ColumnDef::plain(TOUCHED, spec.name, spec.kind, spec.affinity);
    let column = ColumnDef { default: Some(Literal::Int(0)), ..plain };
    Some(print::statement(&Statement::AddColumn { table: table.clone(), column }, at.dialect))
}

fn delete(table: &Name, p: &Expr, at: &Setting) -> Option<String> {
    let filter = Some(written(p, at)?);
    Some(print::statement(&Statement::Delete { table: table.clone(), filter }, at.dialect))
}

fn update(table: &Name, p: &Expr, assigns: bool, at: &Setting) -> Option<String> {
    let mut set: Vec<(Name, Expr)> = vec![(TOUCHED.into(), Expr::int(1))];
    if assigns {
        if at.dialect.spelling.mutations_by_alter {
            return None;
        }
        walk::each_expr(p, &mut |e| {
            if let Expr::Column { table: t, column } = e
                && t == table
                && column != ROWID
                && !set.iter().any(|(c, _)| c == column)
            {
                set.push((column.clone(), Expr::Column { table: Name::default(), column: column.clone() }));
            }
        });
        let computed = |name: &Name| at.state.iter().any(|s| defines_generated(s, table, name));
        set.retain(|(c, _)| !computed(c));
    }
    let filter = Some(written(p, at)?);
    let update = Update { table: table.clone(), verb: "UPDATE".into(), set, filter };
    Some(print::statement(&Statement::Update(update), at.dialect))
}

/// Whether a statement makes this column a generated one. Columns that were renamed count as well.
fn defines_generated(s: &Statement, table: &Name, column: &Name) -> bool {
    let generated = |c: &ColumnDef| c.name == *column && c.generated.is_some();
    match s {
        Statement::CreateTable(t) => t.name == *table && t.columns.iter().any(generated),
        Statement::AddColumn { table: t, column } => t == table && generated(column),
        Statement::RenameColumn { table: t, to, .. } => t == table && to == column,
        _ => false,
    }
}

/// The predicate as the statement wants it: a mutation that is an ALTER knows the columns without their table.
fn written(p: &Expr, at: &Setting) -> Option<Expr> {
    let mut p = p.clone();
    if at.dialect.spelling.mutations_by_alter {
        let mut nested = false;
        walk::each_query(&p, &mut |_| nested = true);
        if nested {
            return None;
        }
        walk::each_expr_mut(&mut p, &mut |e| {
            if let Expr::Column { table, .. } = e {
                *table = Name::default();
            }
        });
    }
    Some(p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    const STATE: &str = "CREATE TABLE t(a INT, b TEXT, g INT AS (a + 1)); CREATE TABLE u(c INT);
        CREATE VIEW v(d) AS SELECT a FROM t;";

    fn texts(predicate: &str, form: &str) -> Option<Vec<String>> {
        let script = format!("{STATE} SELECT a FROM t WHERE {predicate};");
        let question = |query: Query| questions(&query).into_iter().find(|q| q.form == form).unwrap();
        derived_texts(&script, &SQLITE, question, derive)
    }

    #[test]
    fn update_marks_what_select_shows() {
        let texts = texts("a > 1 AND g = 2", ASSIGN).unwrap();
        assert_eq!(texts[1], "SELECT t.a, t.b, t.g FROM t WHERE (t.a > 1) AND (t.g = 2)");
        assert_eq!(texts[2], "ALTER TABLE t ADD COLUMN touched INT DEFAULT 0");
        assert_eq!(texts[3], "UPDATE t SET touched = 1, a = a WHERE (t.a > 1) AND (t.g = 2)");
        assert_eq!(texts[4], "SELECT t.a, t.b, t.g FROM t WHERE t.touched = 1");
    }

    #[test]
    fn delete_leaves_the_rest() {
        let texts = texts("a IN (SELECT c FROM u)", DELETE).unwrap();
        assert_eq!(texts[0], "SELECT t.a, t.b, t.g FROM t");
        assert_eq!(texts[3], "DELETE FROM t WHERE t.a IN (SELECT u.c FROM u)");
        assert_eq!(texts[4], texts[0]);
    }

    #[test]
    fn what_the_change_itself_changes_is_not_read() {
        assert_eq!(texts("a IN (SELECT a FROM t AS x)", DELETE), None);
        assert_eq!(texts("a IN (SELECT d FROM v)", UPDATE), None);
        let script = texts("a > 1", DELETE_RETURNING).unwrap();
        assert_eq!(script[3], "DELETE FROM t WHERE t.a > 1 RETURNING a, b, g");
    }
}
