//! Mozi (Liang et al., ICSE 2024): settings that only affect how a query is executed must not change its result.
//!
//! Claim: a query returns the same rows before and after some of the engine's knobs are changed; an INSERT … SELECT, an
//! UPDATE or a DELETE leaves the same table behind. Which knobs: those that affect the operators of the query's plan,
//! each with probability ½, to a value other than the current one (the paper's Algorithm 1). The explorer gets the
//! plan; the changes (flips) are part of the question, so that the reducer can remove them one by one.
//!
//! ```sql
//! SELECT DISTINCT c0 FROM t0 WHERE c1 = 1;                              -- the same rows as
//! .testctrl optimizations 0x10                                          -- distinct-opt off
//! SELECT DISTINCT c0 FROM t0 WHERE c1 = 1;
//! .testctrl optimizations 0
//! ```

mod dml;

use super::{Derived, Guide, NOTHING, Needs, OracleSpec, PLAIN, Setting, equality, every, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{determined, print, typing};
use qualm_core::case::{Effect, Step};
use qualm_core::dialect::sql::Feature;
use qualm_core::knobs::{Choice, Flip, Knob, statements};
use qualm_core::plan::Plan;
use qualm_core::relation::{Equality, Order, Relation};
use qualm_core::rng::Rng;

pub const SPEC: OracleSpec = OracleSpec {
    name: "config",
    claim: "settings that only affect how a query is executed do not change its result",
    example: "SELECT DISTINCT x FROM t  =  the same query with 'distinct-opt' off",
    weight: 1,
    scout: 0,
    propose,
    derive,
    guide: Some(Guide { text: planned, choose }),
    needs: Needs { knobs: true, ..NOTHING },
    every: Some(every::config_questions),
    ..PLAIN
};

/// The form of a question that compares the answers of a query; those of DML are in `dml.rs`.
pub const QUERY: &str = "query";

pub const BEFORE: &str = "with the settings as they are";
pub const AFTER: &str = "with the settings changed";

/// The weight of predicates over a subquery where there shall be many: about every third.
const MANY_SUBQUERIES: u32 = 60;

/// One in so many questions is a DML statement.
const DML_SHARE: u32 = 8;

fn propose(g: &mut Generator) -> Option<Question> {
    if !g.seed_texts.is_empty() && g.rng.chance(1, 4) {
        let text = g.rng.pick(g.seed_texts).clone();
        return Some(on_text(text));
    }
    if g.has(Feature::Dml) && g.rng.chance(1, DML_SHARE) {
        return dml::propose(g);
    }
    // Most settings say how subqueries and joins are done, and a subquery in WHERE is what can become a join.
    if g.rng.coin() {
        g.nesting = MANY_SUBQUERIES;
        g.subqueries = g.subqueries.max(1);
    }
    Some(Question::of(g.query(), QUERY))
}

/// A query that nobody has read as a tree.
pub fn on_text(text: String) -> Question {
    let nothing = Query::of(Select { items: vec![Item::bare(Expr::null())], ..Select::default() });
    Question { text: Some(text), ..Question::of(nothing, QUERY) }
}

/// The statement whose plan says which knobs matter.
fn planned(q: &Question, at: &Setting) -> Option<String> {
    match &q.text {
        Some(text) => Some(text.clone()),
        None if q.form == QUERY || q.form == dml::INSERT => Some(print::query(&q.query, at.dialect)),
        None => dml::statement(q).map(|s| print::statement(&s, at.dialect)),
    }
}

/// The coin is a fair one while few knobs matter. Where many do, it is loaded so that about so many are turned: each is
/// a statement to the engine, and what few knobs show says more.
const FLIPS_EXPECTED: u32 = 3;

/// Algorithm 1. Without guidance as many knobs are turned, but any: so that only the choice makes a difference.
fn choose(q: &mut Question, plan: Option<&Plan>, knobs: &[&Knob], choice: Choice, rng: &mut Rng) {
    let determined = q.text.is_none() && q.form == QUERY;
    let usable: Vec<&Knob> = knobs.iter().filter(|k| determined || !k.determined).copied().collect();
    // "Impossible WHERE": a plan that reads nothing says nothing about what was done to the query to get there.
    let plan = plan.filter(|plan| plan.nodes.iter().any(|node| node.relation.is_some()));
    let relevant = |k: &&&Knob| plan.is_none_or(|plan| k.concerns(plan));
    let relevant: Vec<&Knob> = usable.iter().filter(relevant).copied().collect();
    if relevant.is_empty() {
        return;
    }
    let many = relevant.len().max(2 * FLIPS_EXPECTED as usize) as u32;
    let mut chosen: Vec<&Knob> = relevant.iter().filter(|_| rng.chance(FLIPS_EXPECTED, many)).copied().collect();
    if chosen.is_empty() {
        chosen.push(relevant[rng.below(relevant.len())]);
    }
    if choice == Choice::Random {
        let many = chosen.len();
        chosen = usable;
        rng.shuffle(&mut chosen);
        chosen.truncate(many);
    }
    let mut together: Vec<&Knob> = Vec::new();
    for knob in chosen {
        if !together.iter().any(|k| k.excludes(knob)) {
            together.push(knob);
        }
    }
    q.flips = together.into_iter().map(|k| k.flip(&k.others[rng.below(k.others.len())])).collect();
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.flips.is_empty() {
        return None;
    }
    if q.form != QUERY {
        return dml::derive(q, at);
    }
    let (text, order, equality) = match &q.text {
        // Which of equal values a text shows is the engine's choice, as far as words can say.
        Some(text) if determined::why_open(text, at.dialect, determined::holds_floats(at.state)).is_some() => {
            return None;
        }
        Some(text) => (text.clone(), Order::Bag, Equality::Loose),
        None => {
            let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
            if columns.is_empty() {
                return None;
            }
            (print::query(&q.query, at.dialect), order(&q.query, at), equality(&columns))
        }
    };
    let mut script = vec![Step::query(BEFORE, text.clone())];
    script.extend(flipped(&q.flips, Step::query(AFTER, text)));
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order, equality } })
}

/// A step with the settings changed before it and put back after it.
fn flipped(flips: &[Flip], step: Step) -> Vec<Step> {
    let (set, reset) = statements(flips);
    let set = set.into_iter().map(|text| Step::with_effect(text, Effect::Sets));
    let reset = reset.into_iter().map(|text| Step::with_effect(text, Effect::Resets));
    set.chain([step]).chain(reset).collect()
}
