//! Clauses that order, cut or count rows without choosing which rows there are.
//!
//! Claim: ORDER BY neither adds nor loses rows, on or off; LIMIT n returns n of the rows that the query returns without
//! it, in any order, and no others; and `count(*)` counts the rows that are returned. None of this needs to know which
//! rows a limit keeps, so it holds where the result itself is the engine's choice.
//!
//! ```sql
//! SELECT c0 FROM t0 WHERE c1 > 1 ORDER BY c0;             -- has, in some order, the rows of
//! SELECT c0 FROM t0 WHERE c1 > 1;                         -- which has each row of
//! SELECT c0 FROM t0 WHERE c1 > 1 LIMIT 2;                 -- is two of its rows; and their number is
//! SELECT count(*) FROM (SELECT c0 FROM t0 WHERE c1 > 1);
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, equality};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{print, typing};
use qualm_core::case::Step;
use qualm_core::dialect::sql::Feature;
use qualm_core::relation::{Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "clauses",
    claim: "ORDER BY, LIMIT and count(*) neither add nor lose rows",
    example: "SELECT a FROM t LIMIT 2  is two rows of  SELECT a FROM t",
    weight: 1,
    propose,
    derive,
    adopt: Some(|query, _| questions(query)),
    ..PLAIN
};

/// As many rows as `count(*)` says of the query as a subquery.
pub const COUNTED: &str = "counted";
/// As many as it says in place of the columns.
pub const COUNT_STAR: &str = "count-star";
pub const UNORDERED: &str = "unordered";
pub const ORDERED: &str = "ordered";
/// A limit gives rows that are there without it.
pub const LIMITED: &str = "limited";
/// And as many as it should.
pub const LIMIT_COUNT: &str = "limit-count";

const FORMS: &[&str] = &[COUNTED, COUNT_STAR, UNORDERED, ORDERED, LIMITED, LIMIT_COUNT];

/// Limits and offsets are small, because tables are.
const LIMIT_MOST: usize = 4;
/// How often an offset is 1, 2 and so on.
const OFFSETS: &[u32] = &[6, 3, 1, 1];

fn propose(g: &mut Generator) -> Option<Question> {
    let mut query = g.query();
    let form = match g.rng.weighted(&[2, 2, 2, 2, 3, 3]) {
        UNORDERED_AT if query.order_by.is_empty() => ORDERED,
        ORDERED_AT if !query.order_by.is_empty() => UNORDERED,
        at => FORMS[at],
    };
    if is_limit(form) && query.limit.is_none() {
        // Of one row an offset leaves none, and of few mostly none.
        let skips = !gives_one_row(&query) && g.rng.chance(1, 3);
        let offset = skips.then(|| 1 + g.rng.weighted(OFFSETS) as u32);
        query.limit = Some(Limit { count: g.rng.range(1, LIMIT_MOST) as u32, offset });
    }
    Some(Question::of(query, form))
}

const UNORDERED_AT: usize = 2;
const ORDERED_AT: usize = 3;

/// Aggregates of all rows.
fn gives_one_row(query: &Query) -> bool {
    let aggregates = |i: &Item| typing::contains_aggregate(&i.expr);
    query.select().is_some_and(|s| s.group_by.is_empty() && s.items.iter().any(aggregates))
}

fn is_limit(form: &str) -> bool {
    form == LIMITED || form == LIMIT_COUNT
}

/// All that can be asked about a query of someone else.
pub fn questions(query: &Query) -> Vec<Question> {
    let limit = query.limit.clone().unwrap_or(Limit { count: 1, offset: None });
    let of = |form: &&str| {
        let limit = if is_limit(form) { Some(limit.clone()) } else { query.limit.clone() };
        Question::of(Query { limit, ..query.clone() }, form)
    };
    FORMS.iter().map(of).collect()
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let form = q.form.as_str();
    let mut whole = q.query.clone();
    if is_limit(form) {
        // Behind a compound it may be a limit of the last arm alone.
        if matches!(whole.body, Body::Compound { .. }) && !at.dialect.lists(Feature::CompoundOrder) {
            return None;
        }
        whole.limit = None;
    }
    let columns = typing::query(&whole, at.schema, at.dialect).ok()?;
    if columns.is_empty() {
        return None;
    }
    let (first, second, claim) = match form {
        COUNTED => (whole.clone(), counted(&whole, Expr::clone)?, AS_MANY),
        COUNT_STAR => (whole.clone(), count_star_of(&whole)?, AS_MANY),
        UNORDERED | ORDERED => {
            let other = reordered(&whole, form == ORDERED)?;
            let same = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: equality(&columns) };
            (whole.clone(), other, same)
        }
        LIMITED => {
            let equality = equality(&columns);
            let contains = Relation::Contains { big: 0, small: 1, order: Order::Bag, equality };
            (whole.clone(), q.query.clone(), contains)
        }
        LIMIT_COUNT => {
            let limit = q.query.limit.as_ref()?;
            let kept = counted(&whole, |count| kept_of(count, limit))?;
            (q.query.clone(), kept, AS_MANY)
        }
        _ => return None,
    };
    // What is asked beside the query itself must be determined too; a limit is what the claim is about.
    if form != LIMITED {
        typing::query(&second, at.schema, at.dialect).ok()?;
    } else if q.query.limit.is_none() {
        return None;
    }
    let labels = match form {
        LIMITED => ("without the limit", "with it"),
        UNORDERED => ("in order", "without an order"),
        ORDERED => ("as it is", "in order"),
        _ => ("the rows", "how many there are"),
    };
    let step = |label: &str, query: &Query| Step::query(label, print::query(query, at.dialect));
    Some(Derived { script: vec![step(labels.0, &first), step(labels.1, &second)], claim })
}

const AS_MANY: Relation = Relation::CountIs { rows: 0, count: 1 };

/// The number of rows of a query as a subquery, and what is made of it.
fn counted(whole: &Query, of: impl Fn(&Expr) -> Expr) -> Option<Query> {
    let mut inner = whole.clone();
    if inner.limit.is_none() {
        inner.order_by.clear();
    }
    let with = std::mem::take(&mut inner.with);
    name_columns(&mut inner.body)?;
    let source = Source::Query { query: Box::new(inner), alias: "counted".into() };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    let select = Select { items: vec![Item::bare(of(&Expr::count_star()))], from, ..Select::default() };
    Some(Query { with, ..Query::of(select) })
}

/// Columns of a subquery have different names, which some engines insist on. What orders the query keeps its meaning
/// only where it is no alias.
fn name_columns(body: &mut Body) -> Option<()> {
    match body {
        Body::Select(s) if s.items.is_empty() => (s.from.len() == 1).then_some(()),
        Body::Select(s) => {
            for (i, item) in s.items.iter_mut().enumerate().filter(|(_, item)| item.alias.is_none()) {
                item.alias = Some(format!("n{i}").into());
            }
            Some(())
        }
        Body::Compound { left, .. } => name_columns(left),
        Body::Values(_) => Some(()),
    }
}

/// How many of so many rows a limit leaves.
fn kept_of(count: &Expr, limit: &Limit) -> Expr {
    let compare = |op: Binary, a: Expr, b: i64| Expr::Binary(op, Box::new(a), Box::new(Expr::int(b)));
    let (most, skipped) = (i64::from(limit.count), i64::from(limit.offset.unwrap_or(0)));
    let left = compare(Binary::Sub, count.clone(), skipped);
    let arms = vec![
        (compare(Binary::Le, count.clone(), skipped), Expr::int(0)),
        (compare(Binary::Lt, left.clone(), most), left),
    ];
    Expr::Case { operand: None, arms, otherwise: Some(Box::new(Expr::int(most))) }
}

/// `count(*)` in place of the columns, where each row gives one.
fn count_star_of(whole: &Query) -> Option<Query> {
    let mut query = whole.clone();
    let select = query.select_mut()?;
    let plain = !select.distinct && select.group_by.is_empty() && select.having.is_none() && !select.from.is_empty();
    if !plain || whole.limit.is_some() || select.items.iter().any(|i| typing::contains_aggregate(&i.expr)) {
        return None;
    }
    select.items = vec![Item::bare(Expr::count_star())];
    query.order_by.clear();
    Some(query)
}

/// The same rows in order of all their columns, or in none.
fn reordered(whole: &Query, ordered: bool) -> Option<Query> {
    if whole.limit.is_some() || whole.order_by.is_empty() != ordered {
        return None;
    }
    let mut other = whole.clone();
    other.order_by.clear();
    if ordered {
        let key = |item: &Item| OrderItem { expr: item.expr.clone(), descending: false, nulls_first: None };
        other.order_by = whole.select()?.items.iter().map(key).collect();
    }
    (other != *whole).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse::{self, What, script};
    use crate::sql::typing::Schema;
    use qualm_engines::sqlite::dialect::SQLITE;

    /// In ClickHouse the limit would be one of the second arm.
    #[test]
    fn a_limit_behind_a_compound_is_one_of_the_whole() {
        use qualm_engines::clickhouse::dialect::CLICKHOUSE;
        let What::Query(query) = parse::one("SELECT 1 AS a UNION ALL SELECT 2 AS a", &CLICKHOUSE) else { panic!() };
        for (dialect, asked) in [(&SQLITE, true), (&CLICKHOUSE, false)] {
            let schema = Schema::default();
            let setting = Setting { state: &[], schema: &schema, dialect };
            let limited = questions(&query).into_iter().filter(|q| is_limit(&q.form));
            assert!(limited.clone().all(|q| derive(&q, &setting).is_some() == asked), "{}", dialect.name);
        }
    }

    fn texts(query: &str, form: &str) -> Option<Vec<String>> {
        let text = format!("CREATE TABLE t(a, b INT); {query};");
        let (mut state, mut found) = (Vec::new(), None);
        for parsed in script(&text, &SQLITE) {
            match parsed.what {
                What::Statement(s) => state.push(s),
                What::Query(q) => found = Some(q),
                What::Unread(why) => panic!("{why}"),
            }
        }
        let schema = Schema::from_state(&state, &SQLITE).unwrap();
        let setting = Setting { state: &state, schema: &schema, dialect: &SQLITE };
        let made = questions(&found.unwrap()).into_iter().find(|q| q.form == form)?;
        derive(&made, &setting).map(|d| d.script.into_iter().map(|s| s.text).collect())
    }

    #[test]
    fn each_form_on_a_query() {
        let query = "SELECT a FROM t ORDER BY b LIMIT 3 OFFSET 1";
        assert_eq!(
            texts(query, LIMITED).unwrap(),
            ["SELECT t.a FROM t ORDER BY t.b", "SELECT t.a FROM t ORDER BY t.b LIMIT 3 OFFSET 1"]
        );
        let counts = texts(query, LIMIT_COUNT).unwrap();
        assert!(counts[1].contains("count(*) <= 1") && counts[1].contains("count(*) - 1"), "{counts:?}");
        // Which rows the limit keeps is the engine's choice.
        assert_eq!(texts(query, COUNTED), None);
        assert_eq!(
            texts("SELECT a FROM t ORDER BY b", UNORDERED).unwrap(),
            ["SELECT t.a FROM t ORDER BY t.b", "SELECT t.a FROM t"]
        );
        assert_eq!(texts("SELECT a, b FROM t", ORDERED).unwrap()[1], "SELECT t.a, t.b FROM t ORDER BY t.a, t.b");
        assert_eq!(texts("SELECT a FROM t WHERE b", COUNT_STAR).unwrap()[1], "SELECT count(*) FROM t WHERE t.b");
        assert_eq!(texts("SELECT DISTINCT a FROM t", COUNT_STAR), None);
        assert!(texts("SELECT DISTINCT a FROM t", COUNTED).is_some());
    }
}
