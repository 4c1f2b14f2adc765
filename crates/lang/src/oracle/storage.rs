//! The same rows in another kind of table (after Thanos, Fu and others, ICSE 2025, which compares storage engines).
//!
//! Claim: a query returns the same rows over tables that were created with the columns in another order, with or
//! without row numbers (WITHOUT ROWID), without enforced types (STRICT), as temporary tables, or stored in another of
//! the dialect's ways, all filled by the same statements; and over a view that puts a table together from two halves.
//!
//! ```sql
//! CREATE TABLE t0(c0 TEXT, c1 INT);       INSERT INTO t0 VALUES ('a', 1);
//! CREATE TABLE kin_t0(c1 INT, c0 TEXT);   INSERT INTO kin_t0(c0, c1) VALUES ('a', 1);
//! SELECT t0.c0 FROM t0 WHERE t0.c1 = 1;                                    -- the same rows as
//! SELECT t0.c0 FROM kin_t0 AS t0 WHERE t0.c1 = 1;
//! ```

use super::index::{bare_table, columns_on_copies, tables_now};
use super::{Derived, OracleSpec, PLAIN, Setting, adopt, equality, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{print, walk};
use qualm_core::case::{Effect, Step};
use qualm_core::dialect::sql::Feature;
use qualm_core::relation::Relation;

pub const SPEC: OracleSpec = OracleSpec {
    name: "storage",
    claim: "a query returns the same rows on tables of another kind that were filled by the same statements",
    example: "SELECT x FROM t WHERE p  =  SELECT x FROM kin_t WHERE p, kin_t having the columns in another order",
    weight: 1,
    propose,
    derive,
    adopt: Some(|query, _| adopt::each_form(query, &FORMS)),
    ..PLAIN
};

pub const COLUMNS: &str = "columns";
pub const ROWID: &str = "rowid";
pub const LOOSE: &str = "loose";
pub const TEMPORARY: &str = "temporary";
pub const HALVES: &str = "halves";
/// The dialect's ways to store a table, by their number.
pub const VARIANTS: [&str; 3] = ["variant-0", "variant-1", "variant-2"];

const FORMS: [&str; 8] = [COLUMNS, ROWID, LOOSE, TEMPORARY, HALVES, VARIANTS[0], VARIANTS[1], VARIANTS[2]];

fn propose(g: &mut Generator) -> Option<Question> {
    let query = g.query();
    let has = |form: &&str| match *form {
        ROWID => g.has(Feature::WithoutRowid),
        LOOSE => g.has(Feature::Strict),
        HALVES => g.has(Feature::View),
        _ => true,
    };
    let forms: Vec<&str> = FORMS.into_iter().filter(has).collect();
    adopt::some_form(query, &forms, derive, g)
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let columns = columns_on_copies(q, at)?;
    let read = tables_read(&q.query, at);
    let starred = |q: &Query| {
        let mut starred = false;
        walk::each_select(q, &mut |s| starred |= s.items.is_empty());
        starred
    };
    let mut stars = starred(&q.query);
    for s in at.state {
        stars |= matches!(s, Statement::CreateView(v) if read.contains(&v.name) && starred(&v.query));
    }
    if stars && q.form == COLUMNS {
        return None;
    }
    // Some engines open a temporary table once in a statement, and have no views of it.
    let views = read.iter().any(|name| at.schema.table(name).is_some_and(|t| t.view));
    if q.form == TEMPORARY && (views || names_twice(&q.query)) {
        return None;
    }
    if q.form == HALVES && compares_arms(&q.query, at) {
        return None;
    }
    let (statements, changed) = if q.form == HALVES { halves(&read, at)? } else { replayed(&read, &q.form, at)? };
    if changed == 0 {
        return None;
    }
    let mut script = vec![Step::query("as it is", print::query(&q.query, at.dialect))];
    script.extend(statements);
    script.push(Step::query("on tables of another kind", print::query(&on_kin(&q.query, &read), at.dialect)));
    let order = order(&q.query, at);
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order, equality: equality(&columns) } })
}

/// Tables and views that a query reads, and those that its views read.
fn tables_read(q: &Query, at: &Setting) -> Vec<Name> {
    let mut read: Vec<Name> = Vec::new();
    let mut todo = vec![q];
    while let Some(query) = todo.pop() {
        walk::each_select(query, &mut |s| {
            for member in &s.from {
                if let Source::Table { name, .. } = &member.source
                    && at.schema.table(name).is_some()
                    && !read.contains(name)
                {
                    read.push(name.clone());
                    let view = |s: &&Statement| matches!(s, Statement::CreateView(v) if v.name == *name);
                    if let Some(Statement::CreateView(v)) = at.state.iter().find(view) {
                        todo.push(&v.query);
                    }
                }
            }
        });
    }
    read
}

/// Whether a compound may have to choose between collations: what stands for a table is a compound itself, and which
/// collation its column has then is not the same in all releases.
fn compares_arms(q: &Query, at: &Setting) -> bool {
    let collated = |t: &CreateTable| t.columns.iter().any(|c| c.collation.is_some());
    let mut compound = false;
    walk::each_query(q, &mut |query| compound |= matches!(query.body, Body::Compound { .. }));
    for s in at.state {
        if let Statement::CreateView(v) = s {
            walk::each_query(&v.query, &mut |query| compound |= matches!(query.body, Body::Compound { .. }));
        }
    }
    compound && tables_now(at.state).iter().any(collated)
}

fn names_twice(q: &Query) -> bool {
    let mut names: Vec<Name> = Vec::new();
    walk::each_select(q, &mut |s| {
        names.extend(s.from.iter().filter_map(|j| match &j.source {
            Source::Table { name, .. } => Some(name.clone()),
            Source::Query { .. } => None,
        }));
    });
    let all = names.len();
    names.sort();
    names.dedup();
    names.len() < all
}

fn kin(name: &Name) -> Name {
    format!("kin_{name}").into()
}

fn on_kin(q: &Query, read: &[Name]) -> Query {
    let mut copy = q.clone();
    walk::each_select_mut(&mut copy, &mut |select| {
        for member in &mut select.from {
            if let Source::Table { name, hint, .. } = &mut member.source
                && read.contains(name)
            {
                *name = kin(name);
                *hint = Hint::None;
            }
        }
    });
    copy
}

/// The statements of the state again, for kin of the tables that are read; and how many tables are of another kind.
fn replayed(read: &[Name], form: &str, at: &Setting) -> Option<(Vec<Step>, usize)> {
    let mut statements = Vec::new();
    let mut changed = 0;
    let mut made: Vec<CreateTable> = Vec::new();
    for statement in at.state {
        let own = |name: &Name| read.contains(name);
        let mut again = statement.clone();
        // What is done to kin is done by the statements alone, one after the other.
        if matches!(statement, Statement::Transaction(_)) || read.iter().any(|name| statement.entangles(name)) {
            return None;
        }
        // What a subquery found then may not be there any more, and among the rows that are changed it depends on their
        // order.
        let table = match statement {
            Statement::Insert(Insert { table, .. }) | Statement::Update(Update { table, .. }) => Some(table),
            Statement::Delete { table, .. } => Some(table),
            _ => None,
        };
        let mut asks = false;
        walk::each_query(statement, &mut |_| asks = true);
        if asks && table.is_some_and(own) {
            return None;
        }
        match &mut again {
            Statement::Insert(i) if own(&i.table) && (!i.is_plain() || is_view(&i.table, at)) => return None,
            Statement::Delete { table, .. } if own(table) && is_view(table, at) => return None,
            Statement::CreateTable(t) if own(&t.name) => {
                made.push(t.clone());
                changed += usize::from(becomes(t, form, at)?);
                t.name = kin(&t.name);
            }
            Statement::CreateView(v) if own(&v.name) => {
                v.query = on_kin(&v.query, read);
                v.name = kin(&v.name);
            }
            Statement::CreateIndex(i) if own(&i.table) => {
                (i.name, i.table) = (kin(&i.name), kin(&i.table));
            }
            Statement::DropIndex { name, table } => {
                // Of an index of a table that is not read there is no kin.
                let of_read =
                    |s: &Statement| matches!(s, Statement::CreateIndex(i) if i.name == *name && own(&i.table));
                if !at.state.iter().any(of_read) {
                    continue;
                }
                (*name, *table) = (kin(name), kin(table));
            }
            Statement::Insert(i) if own(&i.table) => {
                if i.columns.is_empty() {
                    let table = made.iter().find(|t| t.name == i.table)?;
                    i.columns =
                        table.columns.iter().filter(|c| c.generated.is_none()).map(|c| c.name.clone()).collect();
                }
                i.table = kin(&i.table);
            }
            // Which rows are in each other's way depends on the order in which they are met.
            Statement::Update(u) if own(&u.table) && u.verb != "UPDATE" => return None,
            Statement::Update(u) if own(&u.table) => {
                u.set.iter_mut().for_each(|(_, e)| rename(e, &u.table));
                u.filter.iter_mut().for_each(|e| rename(e, &u.table));
                u.table = kin(&u.table);
            }
            Statement::Delete { table, filter } if own(table) => {
                filter.iter_mut().for_each(|e| rename(e, table));
                *table = kin(table);
            }
            Statement::AddColumn { table, column } if own(table) => {
                made.iter_mut().filter(|t| t.name == *table).for_each(|t| t.columns.push(column.clone()));
                *table = kin(table);
            }
            Statement::DropColumn { table, column } if own(table) => {
                made.iter_mut().filter(|t| t.name == *table).for_each(|t| t.columns.retain(|c| c.name != *column));
                *table = kin(table);
            }
            Statement::RenameColumn { table, from, to } if own(table) => {
                let columns = made.iter_mut().filter(|t| t.name == *table).flat_map(|t| t.columns.iter_mut());
                columns.filter(|c| c.name == *from).for_each(|c| c.name = to.clone());
                *table = kin(table);
            }
            _ => continue,
        }
        statements.push(written(&again, form, at));
    }
    Some((statements, changed))
}

fn is_view(name: &Name, at: &Setting) -> bool {
    at.schema.table(name).is_some_and(|t| t.view)
}

/// A statement of the state for its kin: what it does to a table of the question's own is undone with that table.
fn written(statement: &Statement, form: &str, at: &Setting) -> Step {
    let mut step = print::step(statement, at.dialect);
    if step.effect == Effect::Unknown {
        step.effect = Effect::Within;
    }
    if form == TEMPORARY && matches!(statement, Statement::CreateTable(_)) {
        step.text = step.text.replacen("CREATE TABLE", "CREATE TEMPORARY TABLE", 1);
    }
    step
}

fn rename(e: &mut Expr, from: &Name) {
    walk::each_expr_mut(e, &mut |x| {
        if let Expr::Column { table, .. } = x
            && table == from
        {
            *table = kin(from);
        }
    });
}

/// Makes a table one of the other kind; says whether it is, and nothing where its rows could not be the same.
fn becomes(t: &mut CreateTable, form: &str, at: &Setting) -> Option<bool> {
    if t.module.is_some() {
        return None;
    }
    match form {
        COLUMNS => {
            t.columns.reverse();
            Some(t.columns.len() > 1)
        }
        ROWID => {
            let alias = t.columns.iter().any(|c| c.primary_key && c.type_name.eq_ignore_ascii_case("INTEGER"));
            let keyed = !t.primary_key.is_empty() || t.columns.iter().any(|c| c.primary_key);
            // An INTEGER PRIMARY KEY is the row number itself; and only without row numbers is NULL kept out of a key.
            if alias || !keyed || !keys_are_set(t, at.state) {
                return Some(false);
            }
            t.without_rowid = !t.without_rowid;
            Some(true)
        }
        LOOSE => {
            // What OR IGNORE passes over is another matter where types are enforced.
            let plain = |s: &Statement| !matches!(s, Statement::Insert(i) if i.table == t.name && i.verb != "INSERT");
            if !at.state.iter().all(plain) {
                return Some(false);
            }
            let strict = std::mem::take(&mut t.strict);
            // Elsewhere ANY would be the name of a numeric type.
            for c in t.columns.iter_mut().filter(|c| strict && c.type_name == "ANY") {
                c.type_name = Name::default();
            }
            Some(strict)
        }
        // Where tables are stored in several ways, those are the question, and a session may have no tables of its own.
        TEMPORARY => Some(at.dialect.spelling.table_variants.is_empty()),
        _ => {
            let number = VARIANTS.iter().position(|v| *v == form)?;
            at.dialect.spelling.table_variants.get(number)?;
            let before = t.variant.clone();
            let column = t.columns.iter().find(|c| c.generated.is_none())?.name.clone();
            t.variant = Some((number as u8, column));
            Some(t.variant != before)
        }
    }
}

/// Whether no row is inserted or changed with a NULL in a column of the key.
fn keys_are_set(t: &CreateTable, state: &[Statement]) -> bool {
    let key = |name: &Name| t.primary_key.contains(name) || t.columns.iter().any(|c| c.primary_key && c.name == *name);
    state.iter().all(|s| match s {
        Statement::Insert(i) if i.table == t.name => {
            let all = || t.columns.iter().filter(|c| c.generated.is_none()).map(|c| c.name.clone()).collect();
            let columns: Vec<Name> = if i.columns.is_empty() { all() } else { i.columns.clone() };
            let given = |name: &Name| columns.contains(name);
            let keys = t.columns.iter().map(|c| &c.name).filter(|n| key(n));
            let set = |row: &Vec<Expr>| {
                columns
                    .iter()
                    .zip(row)
                    .all(|(name, e)| !key(name) || matches!(e, Expr::Literal(l) if *l != Literal::Null))
            };
            keys.clone().all(given) && i.verb == "INSERT" && i.rows.iter().all(set)
        }
        Statement::Update(u) if u.table == t.name => !u.set.iter().any(|(name, _)| key(name)),
        Statement::RenameColumn { table, .. } => *table != t.name,
        _ => true,
    })
}

/// Each table as a view over two that hold its rows between them, by whether the first column is NULL.
fn halves(read: &[Name], at: &Setting) -> Option<(Vec<Step>, usize)> {
    let tables = tables_now(at.state);
    let mut statements = Vec::new();
    let mut changed = 0;
    for name in read.iter().filter(|n| at.schema.table(n).is_some_and(|t| !t.view)) {
        let table = tables.iter().find(|t| t.name == *name)?;
        let names: Vec<Name> = table.columns.iter().map(|c| c.name.clone()).collect();
        let list = names.join(", ");
        let mut arms = Vec::new();
        for (half, negated) in [("null", false), ("rest", true)] {
            let copy: Name = format!("kin_{half}_{name}").into();
            let bare = CreateTable { name: copy.clone(), ..bare_table(table) };
            statements.push(print::step(&Statement::CreateTable(bare), at.dialect));
            let first = Expr::Column { table: Name::default(), column: names.first()?.clone() };
            let p = print::expr(&Expr::IsNull { expr: Box::new(first), negated }, at.dialect);
            let fill = format!("INSERT INTO {copy} ({list}) SELECT {list} FROM {name} WHERE {p}");
            statements.push(Step::with_effect(fill, Effect::Within));
            let item = |c: &Name| Item::bare(Expr::Column { table: copy.clone(), column: c.clone() });
            let source = Source::Table { name: copy.clone(), alias: copy.clone(), hint: Hint::None };
            let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
            arms.push(Body::Select(Box::new(Select {
                items: names.iter().map(item).collect(),
                from,
                ..Select::default()
            })));
        }
        let right = Box::new(arms.pop()?);
        let body = Body::Compound { op: SetOp::UnionAll, left: Box::new(arms.pop()?), right };
        let query = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
        let view = CreateView { name: kin(name), columns: names, query };
        statements.push(print::step(&Statement::CreateView(view), at.dialect));
        changed += 1;
    }
    for statement in at.state {
        if let Statement::CreateView(v) = statement
            && read.contains(&v.name)
        {
            let view = CreateView { name: kin(&v.name), query: on_kin(&v.query, read), ..v.clone() };
            statements.push(print::step(&Statement::CreateView(view), at.dialect));
        }
    }
    Some((statements, changed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    const STATE: &str = "CREATE TABLE t(a TEXT PRIMARY KEY, b INT); INSERT INTO t VALUES ('x', 1);
        CREATE INDEX i ON t(b); CREATE TABLE u(c INT); CREATE VIEW v(d) AS SELECT b FROM t;
        UPDATE t SET b = b + 1 WHERE a = 'x';";

    fn texts(query: &str, form: &str) -> Option<Vec<String>> {
        let question = |query: Query| Question::of(query, form);
        derived_texts(&format!("{STATE} {query};"), &SQLITE, question, derive)
    }

    #[test]
    fn the_statements_are_run_again() {
        let texts = texts("SELECT d FROM v", COLUMNS).unwrap();
        assert_eq!(
            texts[1..],
            [
                "CREATE TABLE kin_t(b INT, a TEXT PRIMARY KEY)",
                "INSERT INTO kin_t(a, b) VALUES ('x', 1)",
                "CREATE INDEX kin_i ON kin_t(b)",
                "CREATE VIEW kin_v(d) AS SELECT t.b FROM kin_t AS t",
                "UPDATE kin_t SET b = b + 1 WHERE a = 'x'",
                "SELECT v.d FROM kin_v AS v",
            ]
        );
        assert_eq!(super::tests::texts("SELECT * FROM t", COLUMNS), None, "a star shows the order of columns");
    }

    /// A subquery looks at rows as they were when it was run, and at those that the change itself has met before.
    #[test]
    fn changes_with_subqueries_are_not_run_again() {
        for change in [
            "UPDATE t SET b = (SELECT x.b FROM t AS x WHERE x.b = t.b)",
            "INSERT INTO t VALUES ('y', (SELECT max(c) FROM u))",
            "DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.c = t.b)",
        ] {
            assert_eq!(texts(&format!("{change}; SELECT a FROM t"), TEMPORARY), None, "{change}");
        }
        assert!(texts("DELETE FROM u WHERE c IN (SELECT b FROM t); SELECT a FROM t", TEMPORARY).is_some());
    }

    #[test]
    fn kinds_that_do_not_fit_are_left_alone() {
        assert!(texts("SELECT a FROM t", ROWID).unwrap()[1].ends_with("WITHOUT ROWID"));
        assert_eq!(texts("SELECT c FROM u", ROWID), None, "no key");
        assert_eq!(texts("SELECT c FROM u", LOOSE), None, "not strict");
        assert_eq!(texts("SELECT c FROM u", VARIANTS[0]), None, "one way to store");
        assert_eq!(texts("SELECT x.a FROM t AS x, t AS y", TEMPORARY), None, "opened twice");
    }

    #[test]
    fn a_table_is_put_together_from_halves() {
        let texts = texts("SELECT c FROM u", HALVES).unwrap();
        assert_eq!(texts[1], "CREATE TABLE kin_null_u(c INT)");
        assert_eq!(texts[2], "INSERT INTO kin_null_u (c) SELECT c FROM u WHERE c IS NULL");
        assert_eq!(
            texts[5],
            "CREATE VIEW kin_u(c) AS SELECT kin_null_u.c FROM kin_null_u UNION ALL SELECT kin_rest_u.c FROM kin_rest_u"
        );
        assert_eq!(texts[6], "SELECT u.c FROM kin_u AS u");
    }
}
