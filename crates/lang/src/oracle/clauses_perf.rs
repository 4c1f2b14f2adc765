//! Clauses that should not cost (the protocol of Mozi's performance oracle, Liang et al., ICSE 2024, with a clause in
//! place of a setting): a query with LIMIT, or with one condition more, must not take much more work than without.
//!
//! Claim: LIMIT and a further conjunct do not make a query do clearly more work, because the engine could answer the
//! query without them and leave rows out; DISTINCT and ORDER BY do not by more than what sorting adds. Work is what the
//! engine counts, where it does (`slowness.rs`); the rows are not compared. The tables are large.
//!
//! ```sql
//! SELECT c0 FROM t0 WHERE c1 = 7 ORDER BY c2;               -- 4,000 rows processed
//! SELECT c0 FROM t0 WHERE c1 = 7 ORDER BY c2 LIMIT 1;       -- must not process 8,000
//! ```

use super::{Derived, NOTHING, Needs, OracleSpec, PLAIN, Setting};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{large, print, typing};
use qualm_core::case::Step;
use qualm_core::relation::{Equality, Order, Relation};
use qualm_core::slowness::Threshold;

pub const SPEC: OracleSpec = OracleSpec {
    name: "clauses-perf",
    claim: "LIMIT, DISTINCT, ORDER BY or one more condition do not multiply the work of a query; only used when named",
    example: "SELECT a FROM t WHERE p ORDER BY b LIMIT 1  takes no more work than  SELECT a FROM t WHERE p ORDER BY b",
    weight: 0,
    scout: 0,
    propose,
    derive,
    adopt: Some(|query, _| questions(query)),
    needs: Needs { times: true, exclusive: Some("large tables of its own"), ..NOTHING },
    ..PLAIN
};

const LIMIT: &str = "limit";
const ORDER: &str = "order";
const DISTINCT: &str = "distinct";
const CONDITION: &str = "condition";

/// Sorting and looking for duplicates take work of their own: the ratio for these clauses is so many times as large.
const SORTING: f64 = 3.0;

/// `limit 2` is the form "limit" with the ratio 2; without a number the ratio is the default.
pub fn form_and_ratio(form: &str) -> (&str, f64) {
    let ratio = |text: &str| text.parse::<f64>().ok().filter(|r| *r > 1.0);
    match form.split_once(' ') {
        Some((form, number)) => (form, ratio(number).unwrap_or(Threshold::default().ratio)),
        None => (form, Threshold::default().ratio),
    }
}

fn propose(g: &mut Generator) -> Option<Question> {
    let mut query = large::plain_query(g)?;
    let keys = large::order_keys(&query, g);
    let form = *g.rng.pick(&[LIMIT, LIMIT, LIMIT, ORDER, DISTINCT, CONDITION, CONDITION]);
    query.limit = None;
    let mut question = Question::of(query, form);
    match form {
        LIMIT => {
            question.query.order_by = keys;
            question.query.limit = Some(Limit { count: 1 + g.rng.below(20) as u32, offset: None });
        }
        ORDER => question.query.order_by = keys,
        DISTINCT => question.query.select_mut()?.distinct = true,
        _ => question.predicate = Some(large::condition_on(&question.query, g)?),
    }
    Some(question)
}

/// Every question about a query that someone else wrote: its own clauses.
fn questions(query: &Query) -> Vec<Question> {
    let mut all = Vec::new();
    if query.limit.is_some() {
        all.push(Question::of(query.clone(), LIMIT));
    } else if !query.order_by.is_empty() {
        all.push(Question::of(query.clone(), ORDER));
    }
    if query.select().is_some_and(|s| s.distinct) && query.limit.is_none() {
        all.push(Question::of(query.clone(), DISTINCT));
    }
    all
}

/// The query with the clause and the one without it.
fn pair(q: &Question, form: &str) -> Option<(Query, Query)> {
    let with = q.query.clone();
    let mut without = q.query.clone();
    match form {
        LIMIT => {
            without.limit.take()?;
        }
        ORDER if !with.order_by.is_empty() && with.limit.is_none() => without.order_by.clear(),
        DISTINCT if with.select()?.distinct && with.limit.is_none() => {
            without.select_mut()?.distinct = false;
        }
        CONDITION if with.limit.is_none() => {
            let mut stricter = q.query.clone();
            let select = stricter.select_mut()?;
            let p = q.predicate.clone()?;
            select.filter = Some(match select.filter.take() {
                Some(filter) => filter.and(p),
                None => p,
            });
            return Some((stricter, without));
        }
        _ => return None,
    }
    Some((with, without))
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let (form, ratio) = form_and_ratio(&q.form);
    let (with, without) = pair(q, form)?;
    // Which rows a limit keeps does not matter here; that all names are known does, on both sides.
    for side in [&with, &without] {
        typing::query(&Query { limit: None, ..side.clone() }, at.schema, at.dialect).ok()?;
    }
    let ratio = if matches!(form, ORDER | DISTINCT) { ratio * SORTING } else { ratio };
    let label = match form {
        CONDITION => "one more condition",
        LIMIT => "LIMIT",
        ORDER => "ORDER BY",
        _ => "DISTINCT",
    };
    let script = vec![
        Step::query(format!("without {label}"), print::query(&without, at.dialect)),
        Step::query(format!("with {label}"), print::query(&with, at.dialect)),
    ];
    let claim = Relation::NotSlower {
        base: 1,
        weak: 0,
        order: Order::Bag,
        equality: Equality::Loose,
        threshold: Threshold { ratio, ..Threshold::default() },
        to_base: Vec::new(),
        to_weak: Vec::new(),
        apart: true,
    };
    Some(Derived { script, claim })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    fn texts(query: &str, form: &'static str) -> Option<Vec<String>> {
        let question = |query: Query| {
            let predicate = Some(Expr::Binary(Binary::Eq, Box::new(Expr::column("t", "b")), Box::new(Expr::int(1))));
            Question { predicate, ..Question::of(query, form) }
        };
        derived_texts(&format!("CREATE TABLE t(a INT, b INT); {query};"), &SQLITE, question, derive)
    }

    #[test]
    fn one_clause_is_left_out() {
        let limited = texts("SELECT a FROM t ORDER BY b LIMIT 3", "limit 4").unwrap();
        assert_eq!(limited, ["SELECT t.a FROM t ORDER BY t.b", "SELECT t.a FROM t ORDER BY t.b LIMIT 3"]);
        let distinct = texts("SELECT DISTINCT a FROM t", "distinct").unwrap();
        assert_eq!(distinct, ["SELECT t.a FROM t", "SELECT DISTINCT t.a FROM t"]);
        let stricter = texts("SELECT a FROM t WHERE a > 1", "condition").unwrap();
        assert_eq!(stricter[1], "SELECT t.a FROM t WHERE (t.a > 1) AND (t.b = 1)");
        assert_eq!(texts("SELECT a FROM t", "limit"), None);
        assert_eq!(texts("SELECT a FROM t", "distinct"), None);
        assert_eq!(texts("SELECT a FROM t ORDER BY b LIMIT 3", "order"), None, "the limit decides what is sorted");
    }

    #[test]
    fn the_form_has_the_ratio() {
        assert_eq!(form_and_ratio("limit 4.5"), ("limit", 4.5));
        assert_eq!(form_and_ratio("limit"), ("limit", Threshold::default().ratio));
        assert_eq!(form_and_ratio("limit x").1, Threshold::default().ratio);
    }
}
