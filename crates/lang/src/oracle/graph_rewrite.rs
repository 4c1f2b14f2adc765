//! Equivalent and restricted patterns, after the graph patterns' algebra (Francis et al., "Cypher", SIGMOD 2018) and
//! the rewrites of "Testing Graph Database Systems via Equivalent Query Rewriting" (Mang et al., ICSE 2024).
//!
//! Claim: a rewritten query returns the same rows, or a subset of them, or its parts make up the whole, as its
//! rule says. `lang/graph/rewrite.rs` has the rules.
//!
//! ```text
//! MATCH (a:A)-[r]->(b) RETURN a, r, b
//! MATCH (b)<-[r]-(a) WHERE a:A RETURN a, r, b          the same rows
//! ```

use super::graph::{GraphOracle, query_step, same};
use super::{Derived, NOTHING, Needs};
use crate::graph::ast::*;
use crate::graph::express::Generator;
use crate::graph::generate::Wanted;
use crate::graph::rewrite::user::UserRule;
use crate::graph::rewrite::{self, Variant};
use crate::graph::source::{Question, Rewrite, Setting};
use crate::user_rules::UserText;
use crate::user_rules::{ALL_RELATIONS, RuleRelation};
use qualm_core::dialect::graph::Feature;
use qualm_core::relation::{Combine, Equality, Order, Relation};

pub const SPEC: GraphOracle = GraphOracle {
    name: "graph-rewrite",
    claim: "an equivalent pattern returns the same rows, a narrower one a subset of them",
    example: "MATCH (a)-[r]->(b)  returns what  MATCH (b)<-[r]-(a)  returns",
    weight: 5,
    wants_rows: true,
    changes_state: false,
    deletes: false,
    propose,
    derive,
    needs: Needs { rules: ALL_RELATIONS, ..NOTHING },
};

fn propose(g: &mut Generator, _: &[Statement]) -> Option<Question> {
    let mut query = g.query(Wanted::default());
    // Half of the rules are about filters.
    if matches!(query.clauses.first(), Some(Clause::Match { filter: None, .. })) && g.rng.coin() {
        // Only what the first clause binds may stand there.
        let bound: Vec<String> = crate::graph::check::variables(&query.clauses[..1]);
        let kept = g.scope.clone();
        g.scope.retain(|v| bound.contains(&v.name));
        let predicate = g.predicate(2);
        g.scope = kept;
        if let Some(Clause::Match { filter, .. }) = query.clauses.first_mut() {
            *filter = Some(predicate);
        }
    }
    if !g.user_rules.is_empty() && g.rng.coin() {
        return propose_by_user(query, g);
    }
    // In random order, up to the first that fits: most do not, and each has to build what it would give.
    let mut rules: Vec<&rewrite::Rule> = rewrite::able(g.dialect).collect();
    let (rule, variants) = loop {
        if rules.is_empty() {
            return None;
        }
        let rule = rules.swap_remove(g.rng.below(rules.len()));
        let variants = (rule.variants)(&query, g.dialect).len();
        if variants > 0 {
            break (rule, variants);
        }
    };
    let at = g.rng.below(variants);
    let rewrite = Some(Rewrite { rule: rule.name.into(), at, written: None });
    Some(Question { query, rewrite, disputed: g.disputed, ..Question::default() })
}

/// A rule that the user wrote; half of the queries get a filter that it fits.
fn propose_by_user(mut query: Query, g: &mut Generator) -> Option<Question> {
    let rule = g.rng.pick(g.user_rules);
    if g.rng.coin()
        && let Some(Clause::Match { .. }) = query.clauses.first()
    {
        let bound: Vec<String> = crate::graph::check::variables(&query.clauses[..1]);
        let kept = g.scope.clone();
        g.scope.retain(|v| bound.contains(&v.name));
        let instance = rule.instance(g);
        g.scope = kept;
        if let (Some(Clause::Match { filter, .. }), Some(instance)) = (query.clauses.first_mut(), instance) {
            *filter = Some(instance);
        }
    }
    let variants = rule.variants(&query).len();
    let at = if variants == 0 { return None } else { g.rng.below(variants) };
    let rewrite = Some(Rewrite { rule: rule.name.clone(), at, written: Some(Box::new(rule.text.clone())) });
    Some(Question { query, rewrite, disputed: g.disputed, ..Question::default() })
}

fn derive_by_user(q: &Question, rewrite: &Rewrite, text: &UserText, at: &Setting) -> Option<Derived> {
    let rule = UserRule::of(&rewrite.rule, text).ok()?;
    let query = rule.variants(&q.query).into_iter().nth(rewrite.at)?;
    if q.query.distinct || !at.is_sound(&q.query, q) || !at.is_sound(&query, q) {
        return None;
    }
    let script = vec![query_step("original", &q.query, at), query_step("rewritten", &query, at)];
    let contains = |big, small| Relation::Contains { big, small, order: Order::Bag, equality: Equality::Exact };
    Some(match text.relation {
        RuleRelation::Same => same(script),
        RuleRelation::Contains => Derived { script, claim: contains(1, 0) },
        RuleRelation::Contained => Derived { script, claim: contains(0, 1) },
    })
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let rewrite = q.rewrite.as_ref()?;
    if let Some(text) = &rewrite.written {
        return derive_by_user(q, rewrite, text, at);
    }
    let rule = rewrite::find(&rewrite.rule).filter(|r| r.by_steps || !at.dialect.is_by_steps())?;
    let variant = (rule.variants)(&q.query, at.dialect).into_iter().nth(rewrite.at)?;
    if !at.is_sound(&q.query, q) || q.query.distinct {
        return None;
    }
    let sound = |query: &Query| at.is_sound(query, q) && is_known(query, at);
    let base = query_step("original", &q.query, at);
    Some(match variant {
        Variant::Same(query) if sound(&query) => same(vec![base, query_step("rewritten", &query, at)]),
        Variant::Contained(query, order) if sound(&query) => Derived {
            script: vec![base, query_step("narrower", &query, at)],
            claim: Relation::Contains { big: 0, small: 1, order, equality: Equality::Exact },
        },
        Variant::Count(query) if sound(&query) => Derived {
            script: vec![base, query_step("count", &query, at)],
            claim: Relation::CountIs { rows: 0, count: 1 },
        },
        Variant::Parts(whole, parts) if sound(&whole) && parts.iter().all(sound) => {
            let script =
                std::iter::once(query_step("whole", &whole, at)).chain(parts.iter().map(|p| query_step("part", p, at)));
            let script: Vec<_> = script.collect();
            let parts = (1..script.len()).collect();
            let claim = Relation::Partition { whole: 0, parts, combine: Combine::Bag, equality: Equality::Exact };
            Derived { script, claim }
        }
        _ => return None,
    })
}

/// A label or type that a rule added must be known in a typed schema, and a clause to the dialect.
fn is_known(query: &Query, at: &Setting) -> bool {
    let with = query.clauses.iter().any(|c| matches!(c, Clause::With { .. }));
    !with || at.dialect.is_by_steps() || at.dialect.has(Feature::With)
}
