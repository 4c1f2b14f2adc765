//! GDBMeter's empty-result oracle (Kamm, Rigger, Zhang, Su, ISSTA 2023), for any result: a deletion cannot add rows.
//!
//! Claim: for a monotone query (no OPTIONAL MATCH, no negated pattern, no aggregate), the result after deletions is
//! contained in the result before. An empty result stays empty.
//!
//! ```text
//! MATCH (n:A) WHERE n.i > 5 RETURN n          nothing
//! MATCH (n {k: 7}) DETACH DELETE n
//! MATCH (n:A) WHERE n.i > 5 RETURN n          still nothing
//! ```

use super::graph::{GraphOracle, query_step};
use super::{Derived, NOTHING};
use crate::graph::ast::*;
use crate::graph::express::Generator;
use crate::graph::generate::Wanted;
use crate::graph::source::{Question, Setting, restricted};
use crate::graph::{check, print};
use qualm_core::case::Step;
use qualm_core::relation::{Equality, Order, Relation};

pub const SPEC: GraphOracle = GraphOracle {
    name: "empty",
    claim: "deleting nodes or relationships adds no rows; an empty result stays empty",
    example: "MATCH (n) WHERE p RETURN n  contains what it returns after a DELETE",
    weight: 1,
    wants_rows: false,
    changes_state: true,
    deletes: true,
    propose,
    derive,
    needs: NOTHING,
};

fn propose(g: &mut Generator, state: &[Statement]) -> Option<Question> {
    let mut query = g.query(Wanted { monotone: true, ..Wanted::default() });
    query.items = g.everything();
    if g.dialect.is_by_steps() {
        query.items = vec![Expr::Var(g.end()?)];
        query.order_by.clear();
    }
    let predicate = g.predicate(1);
    let query = restricted(&query, predicate, false);
    let deleted = choose(g, state)?;
    Some(Question { query, deleted, disputed: g.disputed, ..Question::default() })
}

/// A few nodes or relationships that the statements made.
pub fn choose(g: &mut Generator, state: &[Statement]) -> Option<Vec<Existing>> {
    let node = |n: &Node| Existing { k: n.k, class: n.labels.first().cloned(), is_edge: false };
    let edge = |e: &Edge| Existing { k: e.k, class: Some(e.kind.clone()), is_edge: true };
    let mut all: Vec<Existing> = Vec::new();
    for statement in state {
        match statement {
            Statement::Create { nodes, edges } => {
                all.extend(nodes.iter().map(node));
                all.extend(edges.iter().map(edge));
            }
            Statement::Merge { node: n } => all.push(node(n)),
            Statement::Connect { edge: e } => all.push(edge(e)),
            Statement::Delete { of, .. } => all.retain(|e| e != of),
            _ => {}
        }
    }
    g.rng.shuffle(&mut all);
    all.truncate(g.rng.range(1, 4));
    (!all.is_empty()).then_some(all)
}

/// The question before, the deletions, the question after.
pub fn around(q: &Question, query: &Query, at: &Setting) -> Vec<Step> {
    let delete = |of: &Existing| Statement::Delete { of: of.clone(), detach: true };
    let deletions = q.deleted.iter().map(|of| Step::run(print::statement(&delete(of), at.dialect)));
    std::iter::once(query_step("before", query, at)).chain(deletions).chain([query_step("after", query, at)]).collect()
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.deleted.is_empty() || q.query.distinct || !check::is_monotone(&q.query) || !at.is_sound(&q.query, q) {
        return None;
    }
    let script = around(q, &q.query, at);
    let claim = Relation::Contains { big: 0, small: 1, order: Order::Bag, equality: Equality::Exact };
    Some(Derived { script, claim })
}
