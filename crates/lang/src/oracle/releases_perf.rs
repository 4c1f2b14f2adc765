//! Releases against each other in work (Jung et al., *APOLLO: Automatic Detection and Diagnosis of Performance
//! Regressions in Database Systems*, VLDB 2020): the same query on another release of the same engine.
//!
//! Claim: a query does not take clearly more work than in the release that is named with `--against`. Both releases
//! count in the same units, so the machine does not matter; time confirms. The tables are large.
//!
//! ```sql
//! SELECT count(*) FROM t0 JOIN t1 ON t0.c1 = t1.c0;         -- on the other release: 80,000 steps
//! SELECT count(*) FROM t0 JOIN t1 ON t0.c1 = t1.c0;         -- on the release under test: must not take 160,000
//! ```

use super::{Derived, NOTHING, Needs, OracleSpec, PLAIN, Setting, clauses_perf, config_perf};
use crate::sql::ast::Question;
use crate::sql::large;
use qualm_core::case::Step;
use qualm_core::relation::Relation;
use qualm_core::session::{OTHER, THIS};
use qualm_core::slowness::Threshold;

pub const SPEC: OracleSpec = OracleSpec {
    name: "releases-perf",
    claim: "a query does not take clearly more work than in another release of the engine (needs --against)",
    example: "SELECT a FROM t WHERE p  on 3.54.1  takes no more steps than  SELECT a FROM t WHERE p  on 3.40.0",
    weight: 0,
    propose: |g| large::query(g).map(|query| Question::of(query, "work")),
    derive,
    adopt: Some(|query, _| vec![Question::of(query.clone(), "work")]),
    needs: Needs { times: true, against: true, exclusive: Some("large tables of its own"), ..NOTHING },
    ..PLAIN
};

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let (_, ratio) = clauses_perf::form_and_ratio(&q.form);
    let (query, order, equality) = config_perf::text(q, at)?;
    let script = vec![
        Step::query("on the other release", format!("{OTHER}{query}")),
        Step::query("on the release under test", format!("{THIS}{query}")),
    ];
    let claim = Relation::NotSlower {
        base: 1,
        weak: 0,
        order,
        equality,
        threshold: Threshold { ratio, ..Threshold::default() },
        to_base: Vec::new(),
        to_weak: Vec::new(),
        // Whether the rows are the same is what `releases` looks at.
        apart: true,
    };
    Some(Derived { script, claim })
}
