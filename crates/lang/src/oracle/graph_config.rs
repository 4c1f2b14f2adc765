//! Settings: Mozi's idea (Liang et al., ICSE 2024, see config.rs) for graph engines, whose settings are mostly
//! words before a query.
//!
//! Claim: a setting that selects a planner, a runtime or a cache does not change a result.
//!
//! ```text
//! MATCH (n:A) WHERE p RETURN n
//! CYPHER runtime=slotted MATCH (n:A) WHERE p RETURN n          the same rows
//! ```

use super::graph::{GraphOracle, query_step, same};
use super::{Derived, NOTHING};
use crate::graph::ast::Statement;
use crate::graph::express::Generator;
use crate::graph::generate::Wanted;
use crate::graph::print;
use crate::graph::source::{Question, Setting, restricted};
use qualm_core::case::Step;
use qualm_core::dialect::graph::GraphKnob;

pub const SPEC: GraphOracle = GraphOracle {
    name: "graph-config",
    claim: "settings that only affect how a query is executed do not change its result",
    example: "MATCH (n) RETURN n  returns what  CYPHER runtime=slotted MATCH (n) RETURN n  returns",
    weight: 1,
    wants_rows: true,
    changes_state: false,
    deletes: false,
    propose,
    derive,
    needs: NOTHING,
};

fn propose(g: &mut Generator, _: &[Statement]) -> Option<Question> {
    if g.dialect.knobs.is_empty() {
        return None;
    }
    let query = g.query(Wanted::default());
    let predicate = g.predicate(2);
    let query = restricted(&query, predicate, false);
    let knob = Some(g.rng.pick(g.dialect.knobs).name().to_owned());
    Some(Question { query, knob, disputed: g.disputed, ..Question::default() })
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let name = q.knob.as_ref()?;
    let knob = at.dialect.knobs.iter().find(|k| k.name() == name)?;
    if q.query.distinct || !at.is_sound(&q.query, q) {
        return None;
    }
    let base = query_step("as it is", &q.query, at);
    let text = print::query(&q.query, at.dialect);
    let script = match knob {
        GraphKnob::Prefix { name, text: prefix } => {
            vec![base, Step::query(format!("with {name}"), format!("{prefix}{text}"))]
        }
        GraphKnob::Statement { name, set, reset } => {
            vec![base, Step::run(*set), Step::query(format!("with {name}"), text), Step::run(*reset)]
        }
    };
    Some(same(script))
}
