//! Releases against each other (`--against ENGINE`): the same script on another release or build of the same engine.
//!
//! Claim: a query whose result is determined returns the same rows in both. A difference is reported as *changed*, not
//! as wrong: the change may be meant, or the other release may be the wrong one.
//!
//! ```sql
//! SELECT c0 FROM t0 WHERE c0 > 1;               -- on the release under test: the same rows as
//! SELECT c0 FROM t0 WHERE c0 > 1;               -- on the other release
//! ```

use super::{Derived, NOTHING, Needs, OracleSpec, PLAIN, Setting, equality, order};
use crate::sql::ast::Question;
use crate::sql::{print, typing};
use qualm_core::case::Step;
use qualm_core::relation::Relation;
use qualm_core::session::OTHER;

pub const NAME: &str = "releases";

pub const SPEC: OracleSpec = OracleSpec {
    name: NAME,
    claim: "a query returns the same rows in another release of the engine (needs --against)",
    example: "SELECT a FROM t WHERE p  on 3.54.1  =  SELECT a FROM t WHERE p  on 3.40.0",
    weight: 1,
    propose: |g| Some(Question::of(g.query(), "query")),
    derive,
    adopt: Some(|query, _| vec![Question::of(query.clone(), "query")]),
    needs: Needs { against: true, exclusive: Some("another release to compare with (--against)"), ..NOTHING },
    ..PLAIN
};

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    if columns.is_empty() {
        return None;
    }
    let query = print::query(&q.query, at.dialect);
    let other = format!("{OTHER}{query}");
    let script = vec![Step::query("on the release under test", query), Step::query("on the other release", other)];
    let (order, equality) = (order(&q.query, at), equality(&columns));
    Some(Derived { script, claim: Relation::Unchanged { left: 0, right: 1, order, equality } })
}
