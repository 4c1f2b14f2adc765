//! GDBMeter's non-empty-result oracle (Kamm, Rigger, Zhang, Su, ISSTA 2023), strict: rows are compared, and what is
//! deleted may also be in the result.
//!
//! Claim: after deletions, a query that names everything it matches returns exactly the rows that contained nothing
//! of what was deleted. In particular, deleting what is not in the result does not change it.
//!
//! ```text
//! MATCH (n)-[r]->(m) RETURN n, r, m, n.k, r.k, m.k
//! MATCH (n {k: 7}) DETACH DELETE n
//! MATCH (n)-[r]->(m) RETURN n, r, m, n.k, r.k, m.k          exactly the rows without a 7 among the last three
//! ```

use super::empty::{around, choose};
use super::graph::GraphOracle;
use super::{Derived, NOTHING};
use crate::graph::ast::*;
use crate::graph::check;
use crate::graph::express::Generator;
use crate::graph::generate::Wanted;
use crate::graph::source::{Question, Setting};
use qualm_core::relation::{Keep, Place, Relation};

pub const SPEC: GraphOracle = GraphOracle {
    name: "nonempty",
    claim: "after deletions exactly the rows remain that contain nothing that was deleted",
    example: "MATCH (n)-[r]->(m) RETURN n, r, m  before and after  MATCH (x {k: 7}) DETACH DELETE x",
    weight: 1,
    wants_rows: true,
    changes_state: true,
    deletes: true,
    propose,
    derive,
    needs: NOTHING,
};

fn propose(g: &mut Generator, state: &[Statement]) -> Option<Question> {
    let mut query = g.query(Wanted { monotone: true, fixed: true, bare: false });
    query.items = g.everything();
    if g.dialect.is_by_steps() {
        query.items = vec![Expr::Var(g.end()?)];
        query.order_by.clear();
    }
    let deleted = choose(g, state)?;
    Some(Question { query, deleted, disputed: g.disputed, ..Question::default() })
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let relationships = check::relationships(&q.query.clauses);
    let fixed = relationships.iter().all(|r| r.length.is_none());
    if q.deleted.is_empty() || q.query.distinct || !fixed || !check::is_monotone(&q.query) {
        return None;
    }
    let nodes = check::node_variables(&q.query.clauses);
    let mut query = q.query.clone();
    let places: Vec<Place> = match at.dialect.is_by_steps() {
        // An element comes as a map; of a longer path only its end is seen.
        true if nodes.len() == 1 && relationships.is_empty() => {
            query.items = vec![Expr::Var(nodes[0].clone())];
            vec![Place { column: 0, key: Some(KEY.into()) }]
        }
        true => return None,
        false => {
            let seen = nodes.iter().cloned().chain(relationships.iter().map(|r| r.var.clone()));
            let keys: Vec<Expr> = seen.map(|v| Expr::property(&v, KEY)).collect();
            let first = query.items.len();
            query.items.extend(keys);
            (first..query.items.len()).map(|column| Place { column, key: None }).collect()
        }
    };
    if !at.is_sound(&query, q) {
        return None;
    }
    let values = q.deleted.iter().map(|d| d.k).collect();
    let keep = vec![Keep::Without { places, values }];
    Some(Derived { script: around(q, &query, at), claim: Relation::Filtered { whole: 0, part: 1, keep } })
}
