//! CODDTest (Zhang and Rigger, "Constant Optimization Driven Database System Testing", SIGMOD 2025): an inner query or
//! a predicate is evaluated alone, and its value is put in its place.
//!
//! Claim: a query returns the same rows when each inner query that refers to nothing around it, and each view, is
//! replaced by its own rows (kept in a table or a temporary one, named by a view or a CTE, or written as literals),
//! when its views are written out as subqueries, when its predicate is computed first and stored with the rows, when
//! its rows are kept in a table before they are shown, and, the other way round, when a constant becomes a subquery.
//! The rows come from the engine itself, by statements of the script, so that the script can be run again on other
//! data; literals are what our own evaluator computes, and the script shows that the engine computes the same alone.
//!
//! ```sql
//! SELECT c0 FROM t0 WHERE c0 < (SELECT max(c1) FROM t1);                 -- the same rows as
//! CREATE TABLE aside_0(e0);  INSERT INTO aside_0 SELECT max(c1) AS e0 FROM t1;
//! SELECT c0 FROM t0 WHERE c0 < (SELECT +e0 AS e0 FROM aside_0);
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, equality, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{aside, literals, print, typing, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Dialect, Feature, Kind};
use qualm_core::relation::{Guard, Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "coddtest",
    claim: "replacing an inner query or a predicate by what it returns on its own does not change the result",
    example: "… WHERE a < (SELECT max(b) FROM u)  =  … WHERE a < (SELECT b FROM kept), kept holding that one value",
    weight: 3,
    scout: 0,
    propose,
    derive,
    adopt: Some(|query, _| questions(query)),
    ..PLAIN
};

/// Forms: where the rows of inner queries go; views as subqueries; a predicate stored with the rows that it is about;
/// constants as subqueries; all rows in a table.
pub const TABLE: &str = "table";
pub const TEMPORARY: &str = "temporary";
pub const LITERAL: &str = "literal";
pub const INLINE: &str = "inline";
pub const VIEW: &str = "view";
pub const CTE: &str = "cte";
pub const MATERIALIZED: &str = "materialized";
pub const PREDICATE: &str = "predicate";
pub const CONSTANT: &str = "constant";
pub const WHOLE: &str = "whole";

/// The weight of predicates over a subquery, and subqueries in one query: what is not there cannot be set aside.
const MANY_SUBQUERIES: u32 = 40;
const SUBQUERIES: u32 = 2;

/// The table that the predicate form fills, and the predicate's column in it.
const ROWS: &str = "aside_rows";
const TRUTH: &str = "p";

fn propose(g: &mut Generator) -> Option<Question> {
    let cte = u32::from(g.has(Feature::Cte)) * 2;
    let hint = u32::from(g.has(Feature::MaterializedHint)) * 2;
    let view = u32::from(g.has(Feature::View)) * 2;
    let known = if g.dialect().semantics.is_some() { 4 } else { 0 };
    let temporary = u32::from(g.dialect().spelling.table_variants.is_empty());
    let inline = if g.schema.tables.iter().any(|t| t.view) { view } else { 0 };
    let forms = [TABLE, VIEW, CTE, MATERIALIZED, PREDICATE, CONSTANT, WHOLE, LITERAL, TEMPORARY, INLINE];
    let form = forms[g.rng.weighted(&[6, view, cte, hint, 5, 3, 1, known, temporary, inline])];
    if form == PREDICATE {
        let from = g.outer_from(g.shape.from);
        let predicate = g.predicate(g.shape.depth);
        let mut select = Select { from, ..Select::default() };
        if g.rng.chance(1, 4) {
            select.items = (0..g.rng.range(1, 2)).map(|_| Item::bare(g.aggregate())).collect();
        } else {
            select.items = g.items(3);
            select.distinct = g.rng.chance(1, 6);
        }
        g.scope.clear();
        return Some(Question { predicate: Some(predicate), ..Question::of(Query::of(select), form) });
    }
    let nests = !matches!(form, CONSTANT | WHOLE | INLINE);
    if nests {
        g.nesting = MANY_SUBQUERIES;
        g.subqueries = g.subqueries.max(SUBQUERIES);
    }
    let mut query = g.query();
    if nests && g.rng.coin() {
        show_inner(g, &mut query);
    }
    Some(Question::of(query, form))
}

/// Puts an inner query where it decides nothing: what is empty shows nothing.
fn show_inner(g: &mut Generator, query: &mut Query) {
    let Some(select) = query.select_mut() else { return };
    let grouped = !select.group_by.is_empty() || select.items.iter().any(|i| typing::contains_aggregate(&i.expr));
    if grouped || select.distinct || select.items.is_empty() {
        return;
    }
    if g.rng.coin() {
        select.filter = None;
    }
    g.frame = 0;
    let inner = g.scalar_query(Kind::Int);
    select.items.push(Item::bare(Expr::Scalar(Box::new(inner))));
    query.order_by.clear();
    query.limit = None;
}

/// Every question about a query that someone else wrote.
pub fn questions(query: &Query) -> Vec<Question> {
    let forms = [TABLE, VIEW, CTE, MATERIALIZED, CONSTANT, WHOLE, LITERAL, TEMPORARY, INLINE];
    let mut all: Vec<Question> = forms.iter().map(|form| Question::of(query.clone(), form)).collect();
    let mut rest = query.clone();
    if let Some(predicate) = rest.select_mut().and_then(|s| s.filter.take()) {
        all.push(Question { predicate: Some(predicate), ..Question::of(rest, PREDICATE) });
    }
    all
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let whole = match (&q.predicate, q.form.as_str()) {
        (Some(p), PREDICATE) => {
            let mut whole = q.query.clone();
            let select = whole.select_mut()?;
            if select.filter.is_some() {
                return None;
            }
            select.filter = Some(p.clone());
            whole
        }
        (_, PREDICATE) => return None,
        _ => q.query.clone(),
    };
    let columns = typing::query(&whole, at.schema, at.dialect).ok()?;
    if columns.is_empty() {
        return None;
    }
    if q.form == LITERAL {
        return with_literals(&whole, &columns, at);
    }
    let home = |home| aside::whole(&whole, home, at.schema, at.dialect);
    let (label, other) = match q.form.as_str() {
        TABLE => ("with the rows of inner queries in tables", home(aside::Home::Table)?),
        VIEW => ("with inner queries as views", home(aside::Home::View)?),
        CTE => ("with inner queries as CTEs", home(aside::Home::Cte(None))?),
        MATERIALIZED if at.dialect.lists(Feature::MaterializedHint) => {
            ("with inner queries as materialized CTEs", home(aside::Home::Cte(Some(true)))?)
        }
        PREDICATE => ("with the predicate computed before", predicate(&q.query, q.predicate.as_ref()?, at)?),
        CONSTANT => ("with constants as subqueries", constants(&whole, at)?),
        // Some engines open a temporary table only once in a statement.
        TEMPORARY if at.dialect.spelling.table_variants.is_empty() => {
            ("with the rows of inner queries in temporary tables", home(aside::Home::Temporary)?)
        }
        INLINE => {
            let query = aside::inlined(&whole, at.state, at.schema, at.dialect)?;
            ("with views as subqueries", aside::Aside { statements: Vec::new(), query })
        }
        WHOLE => ("kept in a table before", aside::in_table(&whole, ROWS, at.schema, at.dialect)?),
        _ => return None,
    };
    let order = if matches!(q.form.as_str(), PREDICATE | WHOLE) { Order::Bag } else { order(&whole, at) };
    let mut script = vec![Step::query("as it is", print::query(&whole, at.dialect))];
    script.extend(other.statements);
    script.push(Step::query(label, print::query(&other.query, at.dialect)));
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order, equality: equality(&columns) } })
}

/// The query with literals for inner queries, provided that each of those returns what the literals say.
fn with_literals(whole: &Query, columns: &[typing::Column], at: &Setting) -> Option<Derived> {
    let literal = literals::written(whole, at.state, at.schema, at.dialect)?;
    let (mut script, mut guards) = (Vec::new(), Vec::new());
    for (inner, rows) in literal.inner {
        guards.push(Guard::Rows { query: script.len(), rows, all: true });
        script.push(Step::query("an inner query alone", print::query(&inner, at.dialect)));
    }
    let left = script.len();
    script.push(Step::query("as it is", print::query(whole, at.dialect)));
    script.push(Step::query("with inner queries as literals", print::query(&literal.query, at.dialect)));
    let (order, equality) = (order(whole, at), equality(columns));
    let claim = Relation::Same { left, right: left + 1, order, equality };
    Some(Derived { script, claim: claim.guarded(guards) })
}

/// The rows of FROM with the value of the predicate beside them, and the query over those.
fn predicate(rest: &Query, p: &Expr, at: &Setting) -> Option<aside::Aside> {
    let select = rest.select()?;
    if select.from.is_empty() || select.items.is_empty() || rest.limit.is_some() || !rest.order_by.is_empty() {
        return None;
    }
    let own: Vec<&Name> = select.from.iter().map(|j| j.source.alias()).collect();
    let mut above = Query { with: Vec::new(), ..rest.clone() };
    above.select_mut()?.from.clear();
    if hides(&above, &own) {
        return None;
    }
    let mut used: Vec<Expr> = Vec::new();
    walk::each_expr(&above, &mut |e| {
        if matches!(e, Expr::Column { table, .. } if own.contains(&table)) && !used.contains(e) {
            used.push(e.clone());
        }
    });
    let name = |i: usize| -> Name { format!("k{i}").into() };
    let kept = used.iter().enumerate().map(|(i, e)| Item { expr: e.clone(), alias: Some(name(i)) });
    let truth = Item { expr: p.clone(), alias: Some(TRUTH.into()) };
    let items = kept.chain([truth]).collect();
    let inner = Select { items, from: select.from.clone(), ..Select::default() };
    let inner = Query { with: rest.with.clone(), ..Query::of(inner) };
    let stored = aside::in_table(&inner, ROWS, at.schema, at.dialect)?;
    // What reads the table says how each of its columns is to be written.
    let mut reads: Vec<Expr> = stored.query.select()?.items.iter().map(|i| i.expr.clone()).collect();
    let filter = reads.pop()?;
    walk::each_expr_mut(&mut above, &mut |e| {
        if let Some(i) = used.iter().position(|u| u == e) {
            *e = reads[i].clone();
        }
    });
    let over = above.select_mut()?;
    over.from = stored.query.select()?.from.clone();
    over.filter = Some(filter);
    Some(aside::Aside { statements: stored.statements, query: above })
}

/// Whether a query inside takes one of these names for something of its own.
fn hides(query: &Query, names: &[&Name]) -> bool {
    let mut hides = false;
    walk::each_select(query, &mut |s| hides |= s.from.iter().any(|j| names.contains(&j.source.alias())));
    hides
}

/// The query with the constants of its conditions as subqueries.
fn constants(query: &Query, at: &Setting) -> Option<aside::Aside> {
    let mut changed = query.clone();
    let mut count = 0;
    walk::each_select_mut(&mut changed, &mut |s| {
        let conditions = s.filter.iter_mut().chain(&mut s.having);
        for e in conditions.chain(s.from.iter_mut().skip(1).filter_map(|j| j.on.as_mut())) {
            operands(e, at.dialect, &mut count);
        }
    });
    typing::query(&changed, at.schema, at.dialect).ok()?;
    (count > 0).then_some(aside::Aside { statements: Vec::new(), query: changed })
}

/// Literals that stand where only their value counts: operands of comparisons, bounds, members of lists, patterns.
fn operands(e: &mut Expr, dialect: &Dialect, count: &mut usize) {
    let mut turn = |x: &mut Expr| {
        // NULL alone has no type, and a truth value is written in too many ways.
        if matches!(x, Expr::Literal(l) if !matches!(l, Literal::Null | Literal::Bool(_))) {
            let value = Item::bare(std::mem::replace(x, Expr::null()));
            *x = Expr::Scalar(Box::new(Query::of(Select { items: vec![value], ..Select::default() })));
            *count += 1;
        }
    };
    match e {
        Expr::Binary(op, a, b) if op.is_comparison() => [a, b].into_iter().for_each(|x| turn(x)),
        Expr::Between { low, high, .. } => [low, high].into_iter().for_each(|x| turn(x)),
        Expr::InList { list, .. } => list.iter_mut().for_each(turn),
        Expr::Like { pattern, escape: None, .. } if dialect.dynamic_typing => turn(pattern),
        Expr::Binary(Binary::And | Binary::Or, a, b) => [a, b].into_iter().for_each(|x| operands(x, dialect, count)),
        Expr::Unary(Unary::Not, x) | Expr::IsTruth { expr: x, .. } => operands(x, dialect, count),
        Expr::Case { operand: None, arms, .. } => arms.iter_mut().for_each(|(when, _)| operands(when, dialect, count)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    const STATE: &str = "CREATE TABLE t(a INTEGER, b TEXT COLLATE NOCASE); CREATE TABLE u(c TEXT);";

    fn texts(query: &str, form: &str) -> Option<Vec<String>> {
        derived_texts(
            &format!("{STATE} {query};"),
            &SQLITE,
            |query| {
                let all = questions(&query);
                all.into_iter().find(|q| q.form == form).unwrap()
            },
            derive,
        )
    }

    #[test]
    fn inner_queries_are_kept_with_affinity_and_collation() {
        let query = "SELECT a FROM t WHERE b IN (SELECT b FROM t AS x WHERE a > 1) AND a < (SELECT max(a) FROM t)";
        let texts = texts(query, TABLE).unwrap();
        assert_eq!(texts[1], "CREATE TABLE aside_0(b TEXT COLLATE NOCASE)");
        assert_eq!(texts[2], "INSERT INTO aside_0 SELECT x.b FROM t AS x WHERE x.a > 1");
        assert_eq!(texts[3], "CREATE TABLE aside_1(e0)");
        assert_eq!(
            texts[5],
            "SELECT t.a FROM t WHERE (t.b IN (SELECT aside_0.b AS b FROM aside_0)) \
             AND (t.a < (SELECT + aside_1.e0 AS e0 FROM aside_1))"
        );
    }

    /// A COLLATE in a condition of CASE says how the value is compared, which no column of a table would.
    #[test]
    fn what_collates_inside_stays() {
        let query = "SELECT c FROM (SELECT CASE WHEN a COLLATE NOCASE THEN c END AS c FROM t, u) AS s WHERE c = 'x'";
        assert_eq!(texts(query, TABLE), None);
        assert_eq!(texts(&query.replace(" COLLATE NOCASE", ""), TABLE).unwrap().len(), 4);
    }

    /// The first arm says how a column of a compound is compared, and the others have values of another kind.
    #[test]
    fn a_compound_whose_arms_differ_keeps_its_collation_by_staying() {
        let query = "SELECT DISTINCT s.b FROM (SELECT b FROM t UNION ALL SELECT NULL FROM u) AS s";
        assert_eq!(texts(query, TABLE), None);
    }

    #[test]
    fn what_refers_to_the_outside_stays() {
        let tied = "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE c = b)";
        for form in [TABLE, VIEW, CTE] {
            assert_eq!(texts(tied, form), None, "{form}");
        }
        assert_eq!(texts("SELECT a FROM t WHERE a > 1", TABLE), None, "nothing inside");
        let shared = "SELECT a FROM t WHERE a IN (SELECT a FROM t AS x) OR a + 1 IN (SELECT a FROM t AS x)";
        assert_eq!(texts(shared, VIEW).unwrap().len(), 3, "equal queries share a view");
    }

    #[test]
    fn a_predicate_is_stored_with_its_rows() {
        let texts = texts("SELECT b FROM t WHERE a > 1", PREDICATE).unwrap();
        assert_eq!(texts[1], "CREATE TABLE aside_rows(k0 TEXT COLLATE NOCASE, p)");
        assert_eq!(texts[2], "INSERT INTO aside_rows SELECT t.b AS k0, t.a > 1 AS p FROM t");
        assert_eq!(texts[3], "SELECT aside_rows.k0 FROM aside_rows WHERE + aside_rows.p");
    }

    #[test]
    fn constants_become_subqueries() {
        let texts = texts("SELECT b FROM t WHERE a > 1 AND b IN ('x', NULL)", CONSTANT).unwrap();
        assert_eq!(texts[1], "SELECT t.b FROM t WHERE (t.a > (SELECT 1)) AND (t.b IN ((SELECT 'x'), NULL))");
        assert_eq!(super::tests::texts("SELECT b FROM t WHERE a IS NULL", CONSTANT), None);
    }

    #[test]
    fn a_known_inner_query_is_a_literal() {
        let script = "CREATE TABLE t(a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (3, NULL);
            SELECT b FROM t WHERE a = (SELECT max(a) FROM t AS u) OR EXISTS (SELECT 1 FROM t AS v WHERE v.a > 5);";
        let literal = |query: Query| Question::of(query, LITERAL);
        let texts = derived_texts(script, &SQLITE, literal, derive).unwrap();
        assert_eq!(texts[0], "SELECT max(u.a) FROM t AS u");
        assert_eq!(texts[3], "SELECT t.b FROM t WHERE (t.a = 3) OR 0");
    }

    #[test]
    fn views_are_inner_queries() {
        let state = "CREATE TABLE t(a INTEGER, b TEXT COLLATE NOCASE); CREATE VIEW v(d) AS SELECT b FROM t;";
        let texts = |form: &str| {
            let question = |query: Query| Question::of(query, form);
            derived_texts(&format!("{state} SELECT d FROM v WHERE d > 'x';"), &SQLITE, question, derive).unwrap()
        };
        assert_eq!(texts(INLINE)[1], "SELECT v.d FROM (SELECT t.b AS d FROM t) AS v WHERE v.d > 'x'");
        let kept = texts(TEMPORARY);
        assert_eq!(kept[1], "CREATE TEMPORARY TABLE aside_0(d TEXT COLLATE NOCASE)");
        assert_eq!(kept[2], "INSERT INTO aside_0 SELECT v.d AS d FROM v");
        assert_eq!(kept[3], "SELECT v.d FROM (SELECT aside_0.d AS d FROM aside_0) AS v WHERE v.d > 'x'");
    }

    #[test]
    fn a_column_that_cannot_be_kept_is_not() {
        let cast = "SELECT a FROM t WHERE a = (SELECT CAST(c AS NUMERIC) FROM u ORDER BY c LIMIT 1)";
        assert_eq!(texts(cast, TABLE), None, "a float would become an integer");
    }
}
