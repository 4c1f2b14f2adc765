//! Cardinality estimates (Ba and Rigger, *CERT: Finding Performance Issues in Database Systems Through the Lens of
//! Cardinality Estimation*, ICSE 2024): an engine must not expect more rows of a stricter query.
//!
//! Claim: a query that was made stricter by one change (the changes of `contain`) is not estimated to return clearly
//! more rows than before. Both estimates are the engine's own, from EXPLAIN, so nothing is timed. The tables are large
//! and analysed (`lang/sql/large.rs`), so it has to be named. Only engines that estimate can be checked.
//!
//! ```sql
//! EXPLAIN SELECT c0 FROM t0 WHERE c1 < 5;                   -- rows=3000
//! EXPLAIN SELECT c0 FROM t0 WHERE c1 < 5 AND c2 = 1;        -- rows=8000 would be wrong, whatever the data are
//! ```

use super::{Derived, NOTHING, Needs, OracleSpec, PLAIN, Setting, clauses_perf, contain};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{large, print, typing};
use qualm_core::case::Step;
use qualm_core::relation::Relation;

pub const SPEC: OracleSpec = OracleSpec {
    name: "cert",
    claim: "an engine does not expect clearly more rows of a stricter query; only used when named",
    example: "EXPLAIN SELECT a FROM t WHERE p AND q  expects no more rows than  EXPLAIN SELECT a FROM t WHERE p",
    weight: 0,
    propose,
    derive,
    adopt: Some(|query, _| contain::questions(query)),
    needs: Needs { times: true, exclusive: Some("large tables of its own"), ..NOTHING },
    ..PLAIN
};

fn propose(g: &mut Generator) -> Option<Question> {
    // Queries of any kind, or plain ones over columns whose distribution is known to be skewed or correlated.
    let query = if g.rng.chance(1, 4) { g.query() } else { large::plain_query(g)? };
    contain::propose_about(query, g)
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let (form, ratio) = clauses_perf::form_and_ratio(&q.form);
    let plain = Question { form: form.into(), ..q.clone() };
    let (query, other, weaker) = contain::pair(&plain, at.dialect)?;
    for query in [&query, &other] {
        typing::query(query, at.schema, at.dialect).ok()?;
    }
    let (big, small) = if weaker { (&other, &query) } else { (&query, &other) };
    let script = vec![
        Step::query("the weaker query", print::query(big, at.dialect)),
        Step::query("the stricter query", print::query(small, at.dialect)),
    ];
    Some(Derived { script, claim: Relation::NoLargerEstimate { weaker: 0, stricter: 1, ratio } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    #[test]
    fn the_stricter_query_is_the_second() {
        let text = "CREATE TABLE t(a INT); SELECT a FROM t WHERE a <= 5;";
        let tighten = |query: Query| {
            let rewrite = |q: &Question| q.rewrites[0].rule == "tighten" && contain::pair(q, &SQLITE).is_some();
            contain::questions(&query).into_iter().find(rewrite).unwrap()
        };
        let texts = derived_texts(text, &SQLITE, tighten, derive).unwrap();
        assert_eq!(texts, ["SELECT t.a FROM t WHERE t.a <= 5", "SELECT t.a FROM t WHERE t.a < 5"]);
        let with_ratio = |query: Query| Question { form: "contain 7".into(), ..tighten(query) };
        assert_eq!(derived_texts(text, &SQLITE, with_ratio, derive).unwrap(), texts);
    }
}
