//! Every question that an oracle can make of a given query, where a hunt would draw one at random.
//!
//! A query may show a bug that sits in a part of it, so its SELECTs count as queries of their own too. Whether a
//! question is sound is decided by the oracle's `derive`, not here.

use qualm_core::explore::Size;
use qualm_core::knobs::Knob;
use qualm_core::rng::Rng;
use qualm_lang::oracle::{OracleSpec, Setting};
use qualm_lang::sql::ast::*;
use qualm_lang::sql::generate::{Generator, shape};
use qualm_lang::sql::pool::Pool;
use qualm_lang::sql::profile::Profile;
use qualm_lang::sql::typing::Schema;
use qualm_lang::sql::{parse, walk};

/// Proposals of an oracle that cannot list its questions: so many draws for each query.
const DRAWS: usize = 200;
const DRAWS_SEED: u64 = 1;

/// The questions of one oracle about queries.
pub fn variants(oracle: &OracleSpec, queries: &[Query], at: &Setting, knobs: &[Knob]) -> Vec<Question> {
    match oracle.every {
        Some(every) => queries.iter().flat_map(|q| every(q, knobs, at.dialect)).collect(),
        None => queries.iter().flat_map(|q| drawn(oracle, q, at)).collect(),
    }
}

/// An oracle's questions about a query of someone else, or what it proposes in many draws.
fn drawn(oracle: &OracleSpec, query: &Query, at: &Setting) -> Vec<Question> {
    let mut rng = Rng::new(DRAWS_SEED);
    let profile = Profile::full(at.dialect);
    let pool = Pool::new(at.dialect.int_limit, &mut rng);
    let only = [query.clone()];
    let mut generator = Generator::new(&mut rng, &profile, at.schema, &pool, shape(Size::Small));
    generator.state = at.state;
    generator.seed_queries = &only;
    if let Some(adopt) = oracle.adopt {
        return adopt(query, &mut generator);
    }
    let made = (0..DRAWS).filter_map(|_| (oracle.propose)(&mut generator));
    made.filter(|q| q.query == *query && q.text.is_none()).collect()
}

/// The query; the same with its columns written out; each of its SELECTs as a query of its own; and what it orders by,
/// in that order.
pub fn parts(query: &Query, schema: &Schema) -> Vec<Query> {
    let mut found = vec![query.clone()];
    let mut add = |q: Query| {
        if !found.contains(&q) {
            found.push(q);
        }
    };
    let mut spelled = query.clone();
    walk::each_select_mut(&mut spelled, &mut |select| {
        if select.items.is_empty() {
            select.items = vec![Item::bare(Expr::column("", "*"))];
        }
    });
    if parse::qualify(&mut spelled, schema).is_ok() {
        add(spelled.clone());
    }
    for whole in [query, &spelled] {
        walk::each_select(whole, &mut |select| {
            add(Query { with: query.with.clone(), ..Query::of(select.clone()) });
        });
    }
    if let Some(select) = query.select().filter(|s| !s.distinct && !query.order_by.is_empty()) {
        let keys = query.order_by.iter().map(|o| Item::bare(o.expr.clone())).collect();
        let body = Body::Select(Box::new(Select { items: keys, ..select.clone() }));
        add(Query { body, limit: None, ..query.clone() });
    }
    found
}
