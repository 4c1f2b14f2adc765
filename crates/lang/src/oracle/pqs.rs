//! Pivoted query synthesis (Rigger and Su, "Testing Database Engines via Pivoted Query Synthesis", OSDI 2020):
//! a result is compared with what our own evaluator of expressions computes (`lang/sql/evaluate`).
//!
//! Claim: a row for which the evaluator makes every condition true is in the result, with the values that it computes
//! for the select list. Each row of the tables is a pivot; where all of them are known, and all conditions are, the
//! result has no other rows. Predicates are rectified for a row chosen at random: `p`, `NOT p` or `p IS NULL`. A query
//! without FROM is an expression of literals, whose value is claimed. The rows of the tables follow from the statements
//! and are shown by the script before anything is claimed; the expected rows are in the script as literals, so that a
//! finding can be replayed without the evaluator. What the evaluator does not know is not claimed.
//!
//! ```sql
//! CREATE TABLE t0(c0 INT, c1 TEXT COLLATE NOCASE);  INSERT INTO t0 VALUES (1, 'a'), (2, NULL);
//! SELECT c0, c1 FROM t0;                                  -- shows (1, 'a') and (2, NULL)
//! SELECT c0, c1 || 'b' FROM t0 WHERE NOT (c1 <> 'A');     -- the same rows as
//! SELECT 1, 'ab';
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, equality};
use crate::sql::ast::*;
use crate::sql::evaluate::{Answer, Data, Evaluator};
use crate::sql::generate::Generator;
use crate::sql::typing::{self, Column, ROWID};
use crate::sql::{print, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Dialect, Kind};
use qualm_core::relation::{Guard, Order, Relation};
use qualm_core::value::{Rows, Value};

pub const SPEC: OracleSpec = OracleSpec {
    name: "pqs",
    claim: "rows for which our own evaluator makes the conditions true are in the result, with the values it computes",
    example: "t holds (1, 'a'):  SELECT c0 + 1 FROM t WHERE NOT (c1 = 'b')  returns  2",
    weight: 2,
    scout: 1,
    propose,
    derive,
    adopt: Some(|query, _| questions(query)),
    lacks: |dialect| dialect.semantics.is_none().then_some("expressions that qualm evaluates itself (`semantics`)"),
    ..PLAIN
};

/// Forms: rows of tables; an expression of literals alone.
pub const ROWS: &str = "rows";
pub const CONSTANT: &str = "constant";

/// Predicates, select lists and constants that are made until the evaluator knows one.
const TRIES: usize = 6;

fn propose(g: &mut Generator) -> Option<Question> {
    g.dialect().semantics?;
    if g.rng.chance(1, 8) {
        return constant(g);
    }
    if g.rng.chance(1, 3) {
        return Some(Question::of(g.query(), ROWS));
    }
    let data = Data::known(g.state, g.dialect());
    let mut from = g.outer_from(g.shape.from);
    rectify_joins(&mut from, &data, g);
    let mut select = Select { from, ..Select::default() };
    let evaluator = Evaluator::new(g.dialect(), &data)?;
    let mut filter = None;
    for _ in 0..TRIES {
        let p = g.predicate(g.shape.depth);
        let truths = evaluator.renewed().truths(&select.from, &p).unwrap_or_default();
        if !truths.is_empty() {
            filter = Some(rectified(p, *g.rng.pick(&truths)));
            break;
        }
    }
    select.filter = filter;
    // What it selects by may be shown as well.
    let shown = select.filter.clone().filter(|_| g.rng.chance(1, 6));
    for _ in 0..TRIES {
        select.items = g.items(3);
        select.items.extend(shown.clone().map(Item::bare));
        let known = |i: &Item| evaluator.renewed().answer(&single(&select.from, i)).is_some_and(|a| a.whole);
        if select.items.iter().all(known) {
            break;
        }
    }
    select.distinct = g.rng.chance(1, 6);
    let first = select.items.first().map(|i| i.expr.clone()).filter(typing::names_a_column);
    let mut query = Query::of(select);
    if g.rng.chance(1, 5) {
        query.order_by = first.into_iter().map(|e| g.order_item(e)).collect();
    }
    g.scope.clear();
    Some(Question::of(query, ROWS))
}

fn single(from: &[Joined], item: &Item) -> Query {
    Query::of(Select { items: vec![item.clone()], from: from.to_vec(), ..Select::default() })
}

/// Values of literals.
fn constant(g: &mut Generator) -> Option<Question> {
    g.subqueries = 0;
    let data = Data::default();
    let evaluator = Evaluator::new(g.dialect(), &data)?;
    let mut items = Vec::new();
    for _ in 0..g.rng.range(1, 3) {
        for _ in 0..TRIES {
            let kind = g.some_kind();
            let expr = if g.rng.coin() { g.predicate(2) } else { g.value(kind, 3) };
            if !matches!(expr, Expr::Literal(_)) && evaluator.renewed().constant(&expr).is_some() {
                items.push(Item::bare(expr));
                break;
            }
        }
    }
    (!items.is_empty()).then(|| Question::of(Query::of(Select { items, ..Select::default() }), CONSTANT))
}

/// True for the row that the predicate is this for.
fn rectified(p: Expr, truth: Option<bool>) -> Expr {
    match truth {
        Some(true) => p,
        Some(false) => p.negate(),
        None => p.is_null(),
    }
}

/// Conditions of joins that no pair of rows meets are turned so that one does.
fn rectify_joins(from: &mut [Joined], data: &Data, g: &mut Generator) {
    for last in 1..from.len() {
        let Some(evaluator) = Evaluator::new(g.dialect(), data) else { return };
        let so_far = &from[..=last];
        let (Some(on), false) = (&so_far[last].on, so_far[last].join == Join::Full) else { continue };
        if !evaluator.truths(so_far, &Expr::truth(true, g.dialect())).is_some_and(|rows| rows.is_empty()) {
            continue;
        }
        let mut crossed = so_far.to_vec();
        (crossed[last].join, crossed[last].on) = (Join::Cross, None);
        let truths = evaluator.renewed().truths(&crossed, on).unwrap_or_default();
        if !truths.is_empty() {
            let on = rectified(on.clone(), *g.rng.pick(&truths));
            from[last].on = Some(on);
        }
    }
}

/// Every question about a query that someone else wrote: as it is, with all columns of its tables, and with what it
/// selects by shown instead.
pub fn questions(query: &Query) -> Vec<Question> {
    let mut all = vec![query.clone()];
    if let Some(select) = query.select() {
        let bare = Query { order_by: Vec::new(), limit: None, ..query.clone() };
        let plain = Select { distinct: false, group_by: Vec::new(), having: None, ..select.clone() };
        let with = |select: Select| Query { body: Body::Select(Box::new(select)), ..bare.clone() };
        let merges = select.from.iter().any(Joined::merges);
        if !select.from.is_empty() && !merges {
            all.push(with(Select { items: Vec::new(), ..plain.clone() }));
        }
        for part in select.filter.iter().chain(select.from.iter().skip(1).filter_map(|j| j.on.as_ref())) {
            let (mut from, items) = (plain.from.clone(), vec![Item::bare(part.clone())]);
            // A condition of a join is shown for all pairs.
            if Some(part) != select.filter.as_ref() {
                from.iter_mut().skip(1).for_each(|j| (j.join, j.on) = (Join::Comma, None));
            }
            if !merges {
                all.push(with(Select { items, filter: None, from, ..plain.clone() }));
            }
        }
    }
    let form = |q: &Query| if q.select().is_some_and(|s| s.from.is_empty()) { CONSTANT } else { ROWS };
    all.into_iter().map(|q| Question::of(q.clone(), form(&q))).collect()
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() || q.predicate.is_some() {
        return None;
    }
    at.dialect.semantics?;
    let columns = match typing::query(&q.query, at.schema, at.dialect) {
        Ok(columns) => columns,
        // The evaluator knows the answer only where it is one for every choice that the engine has on these rows.
        Err(why) if why.is_about_data() && at.dialect.dynamic_typing => Vec::new(),
        Err(_) => return None,
    };
    let data = Data::known(at.state, at.dialect);
    let answer = Evaluator::new(at.dialect, &data).filter(|_| !data.odd)?.answer(&q.query)?;
    let shows_all = |name: &Name| data.table(name).zip(at.schema.table(name));
    let numbers = names_rowid(&q.query, at);
    let (mut script, mut guards) = (Vec::new(), Vec::new());
    for name in &answer.tables {
        let (stored, table) = shows_all(name)?;
        let numbered = numbers && table.rowid && stored.numbered;
        let row_number = numbered.then(|| Name::from(ROWID));
        let shown: Vec<Name> = row_number.into_iter().chain(stored.columns().map(|c| c.name.clone())).collect();
        let mut rows = Rows::new(shown.len());
        for row in &stored.rows {
            rows.cells.extend(numbered.then(|| row.number.clone()));
            rows.cells.extend(row.values.iter().cloned());
        }
        let items = shown.iter().map(|c| Item::bare(Expr::column(name, c))).collect();
        let source = Source::Table { name: name.clone(), alias: name.clone(), hint: Hint::None };
        let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
        let all = Query::of(Select { items, from, ..Select::default() });
        guards.push(Guard::Rows { query: script.len(), rows, all: stored.complete });
        script.push(Step::query(format!("rows of {name}"), print::query(&all, at.dialect)));
    }
    let first = script.len();
    script.push(Step::query("query", print::query(&q.query, at.dialect)));
    let (expected, claim) = claimed(&answer, &columns, first, at.dialect)?;
    script.push(expected);
    let claim = if guards.is_empty() { claim } else { claim.guarded(guards) };
    Some(Derived { script, claim })
}

/// What must be in the answer at `first`, as a query of literals, and the claim about both.
fn claimed(answer: &Answer, columns: &[Column], first: usize, dialect: &'static Dialect) -> Option<(Step, Relation)> {
    let (label, equality) = ("rows that our own evaluation gives", equality(columns));
    let is_typed = !columns.is_empty();
    // Where rows are not known, an engine may choose among them: the 0 of one for the 0.0 of another.
    if !is_typed && (answer.chosen || !answer.whole) {
        return None;
    }
    if answer.rows.is_empty() {
        let none = Query::of(Select { items: vec![Item::bare(Expr::int(0))], ..Select::default() });
        let claim = Relation::CountIs { rows: first, count: first + 1 };
        return answer.whole.then(|| (Step::query("number of its rows", print::query(&none, dialect)), claim));
    }
    if is_typed && columns.len() != answer.rows.columns {
        return None;
    }
    let kind = |i: usize| columns.get(i).map_or(Kind::Any, |c| c.traits.kind);
    let select = |row: &[Value]| -> Option<Body> {
        let literal = |(i, v): (usize, &Value)| written(v, kind(i), dialect).map(Item::bare);
        let items: Option<Vec<Item>> = row.iter().enumerate().map(literal).collect();
        Some(Body::Select(Box::new(Select { items: items?, ..Select::default() })))
    };
    let mut rows = answer.rows.iter().map(select);
    let mut body = rows.next()??;
    for row in rows {
        body = Body::Compound { op: SetOp::UnionAll, left: Box::new(body), right: Box::new(row?) };
    }
    let mut expected = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
    let ordered = answer.ordered && answer.rows.len() > 1;
    if ordered {
        expected = in_order(expected);
    }
    let order = if ordered { Order::List } else { Order::Bag };
    let claim = match answer.whole {
        true => Relation::Same { left: first, right: first + 1, order, equality },
        false => Relation::Contains { big: first, small: first + 1, order: Order::Bag, equality },
    };
    Some((Step::query(label, print::query(&expected, dialect)), claim))
}

/// The arms of a compound of literals, one after the other.
fn in_order(expected: Query) -> Query {
    const ROWS: &str = "expected";
    const PLACE: &str = "place";
    fn number(body: &mut Body, from_last: usize) {
        match body {
            Body::Select(s) => {
                let names = s.items.iter_mut().enumerate();
                names.for_each(|(i, item)| item.alias = Some(format!("c{i}").into()));
                s.items.push(Item { expr: Expr::int(-(from_last as i64)), alias: Some(PLACE.into()) });
            }
            Body::Compound { left, right, .. } => {
                number(right, from_last);
                number(left, from_last + 1);
            }
            Body::Values(_) => {}
        }
    }
    let mut inner = expected;
    let mut width = 0;
    walk::each_select(&inner, &mut |s| width = s.items.len());
    number(&mut inner.body, 0);
    let items = (0..width).map(|i| Item::bare(Expr::column(ROWS, &format!("c{i}")))).collect();
    let source = Source::Query { query: Box::new(inner), alias: ROWS.into() };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    let place = OrderItem { expr: Expr::column(ROWS, PLACE), descending: false, nulls_first: None };
    Query { order_by: vec![place], ..Query::of(Select { items, from, ..Select::default() }) }
}

/// A value as a literal; NULL says its type where others of its column may have one.
fn written(value: &Value, kind: Kind, dialect: &Dialect) -> Option<Expr> {
    let literal = match value {
        Value::Null => Literal::Null,
        Value::Bool(b) => Literal::Bool(*b),
        Value::Int(i) => Literal::Int(*i),
        Value::Real(r) => Literal::Real(*r),
        Value::Text(t) => Literal::Text(t.clone()),
        Value::Blob(b) => Literal::Blob(b.clone()),
        Value::Decimal(_) | Value::List(_) | Value::Map(_) => return None,
    };
    Some(match dialect.cast(kind) {
        Some(type_name) if *value == Value::Null && !dialect.dynamic_typing => {
            Expr::Cast { expr: Box::new(Expr::null()), type_name: type_name.into() }
        }
        _ => Expr::Literal(literal),
    })
}

/// Whether the query, or a view, uses the number of a row.
fn names_rowid(query: &Query, at: &Setting) -> bool {
    let mut named = false;
    let mut look = |e: &Expr| named |= matches!(e, Expr::Column { column, .. } if column == ROWID);
    walk::each_expr(query, &mut look);
    for statement in at.state {
        if let Statement::CreateView(view) = statement {
            walk::each_expr(&view.query, &mut look);
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    /// Of equal values an engine shows either, and of rows that are not known there may be equal ones.
    #[test]
    fn nothing_is_claimed_of_a_choice_among_rows_that_are_not_known() {
        let derived = |rows: u32, query: &str| {
            let many = format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})");
            let script = format!(
                "CREATE TABLE t(a); CREATE TABLE u(b); INSERT INTO t {many} SELECT NULL FROM n; \
                 INSERT INTO u VALUES (0.0); {query};"
            );
            derived_texts(&script, &SQLITE, |query| Question::of(query, ROWS), derive)
        };
        let compared = |arms: &str| format!("SELECT b FROM ({arms}) WHERE b >= 0");
        let choice = compared("SELECT b FROM u UNION SELECT 0 FROM t");
        assert_eq!(derived(5000, &choice), None, "rows that are not known");
        assert_eq!(derived(2, &choice), None, "0 or 0.0");
        assert!(derived(2, &compared("SELECT b FROM u UNION SELECT 1 FROM t")).is_some(), "no choice");
        assert!(derived(5000, "SELECT b FROM u").is_some(), "typed");
    }

    /// Beside a text and a number SQLite gives the column of a compound no affinity, and '0' > 0 is then true.
    #[test]
    fn arms_of_texts_and_numbers_may_be_compared_as_they_are() {
        let derived = |kinds: (&str, &str)| {
            let script = format!(
                "CREATE TABLE t(a {}); CREATE TABLE u(b {}); INSERT INTO t VALUES (NULL); INSERT INTO u VALUES ('0'); \
                 SELECT NULL FROM (SELECT a FROM t UNION ALL SELECT b FROM u) AS d WHERE NOT (a > 0);",
                kinds.0, kinds.1
            );
            derived_texts(&script, &SQLITE, |query| Question::of(query, ROWS), derive)
        };
        assert_eq!(derived(("INT", "TEXT")), None);
        assert!(derived(("TEXT", "TEXT")).is_some());
    }

    /// SQLite reads the column of such a compound with the affinity of any arm, and shows 0 as 0.0 where that is REAL.
    #[test]
    fn arms_of_which_one_is_real_may_show_an_integer_as_a_float() {
        let derived = |kind: &str, arms: &str| {
            let script =
                format!("CREATE TABLE t(a {kind}); INSERT INTO t VALUES (NULL); SELECT b, b LIKE NULL FROM ({arms});");
            derived_texts(&script, &SQLITE, |query| Question::of(query, ROWS), derive)
        };
        for arms in [
            "SELECT a AS b FROM t UNION ALL SELECT 0",
            "SELECT 0 AS b UNION SELECT a FROM t",
            "WITH RECURSIVE n(b) AS (SELECT a FROM t UNION ALL SELECT 0 FROM n WHERE b IS NULL) SELECT b FROM n",
        ] {
            assert_eq!(derived("REAL", arms), None, "{arms}");
            assert!(derived("INT", arms).is_some(), "{arms}");
        }
        assert!(derived("REAL", "SELECT a AS b FROM t UNION ALL SELECT 0.5").is_some(), "no integer");
        let shown = |kind: &str, number: &str| {
            let script = format!(
                "CREATE TABLE t(a {kind}); INSERT INTO t VALUES (NULL);
                 SELECT b FROM (SELECT a AS b FROM t UNION ALL SELECT {number});"
            );
            derived_texts(&script, &SQLITE, |query| Question::of(query, ROWS), derive)
        };
        assert!(shown("REAL", "9007199254740992").is_some(), "the same number as a float");
        assert_eq!(shown("REAL", "9007199254740993"), None, "there is no such float");
        assert!(shown("INT", "9007199254740993").is_some());
    }
}
