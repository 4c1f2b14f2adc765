//! Mozi's performance oracle (Liang et al., ICSE 2024): an engine without one of its optimisations must not be clearly
//! faster than with it.
//!
//! Claim: a query returns the same rows with a switch of the optimiser off, and does not take only a fraction of the
//! work. Only switches that are on and documented as an improvement count; what trades memory, disk or threads for time
//! does not. Work is what the engine counts, or time where it counts nothing (`slowness.rs`); a slowness must grow with
//! the data. The states are large (`lang/sql/large.rs`), so it has to be named.
//!
//! ```sql
//! .testctrl optimizations 0x80000                                       -- bloom-filter off
//! SELECT count(*) FROM t0 JOIN t1 ON t0.c1 = t1.c0;                     -- 80 ms
//! .testctrl optimizations 0
//! SELECT count(*) FROM t0 JOIN t1 ON t0.c1 = t1.c0;                     -- must not take 160 ms
//! ```

use super::{Derived, NOTHING, Needs, OracleSpec, PLAIN, Setting, equality, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::{determined, large, print, typing};
use qualm_core::case::Step;
use qualm_core::knobs::{Class, Flip, Knob, statements};
use qualm_core::relation::{Equality, Order, Relation};
use qualm_core::slowness::Threshold;

pub const SPEC: OracleSpec = OracleSpec {
    name: "config-perf",
    claim: "a query is not clearly faster with an optimisation turned off; slow, so only used when named",
    example: "SELECT count(*) FROM t  takes at most twice as long as it takes with 'bloom-filter' off",
    weight: 0,
    scout: 0,
    propose,
    derive,
    needs: Needs { knobs: true, times: true, exclusive: Some("large tables of its own"), ..NOTHING },
    ..PLAIN
};

pub const WEAK: &str = "with the optimisation off";
pub const BASE: &str = "as the engine is";

fn propose(g: &mut Generator) -> Option<Question> {
    large::query(g).map(|query| question(query, Threshold::default()))
}

/// The form of the claim says when a slowness counts.
pub fn question(query: Query, at: Threshold) -> Question {
    Question::of(query, &format!("slower {} {}", at.ratio, at.floor_ms))
}

fn threshold(form: &str) -> Option<Threshold> {
    let mut words = form.strip_prefix("slower ")?.split(' ').map(str::parse::<f64>);
    Some(Threshold { ratio: words.next()?.ok()?, floor_ms: words.next()?.ok()? })
}

/// What a question asks, if its answer is determined.
pub fn text(q: &Question, at: &Setting) -> Option<(String, Order, Equality)> {
    match &q.text {
        Some(text) if determined::why_open(text, at.dialect, determined::holds_floats(at.state)).is_some() => None,
        Some(text) => Some((text.clone(), Order::Bag, Equality::Loose)),
        None => {
            let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
            let text = print::query(&q.query, at.dialect);
            (!columns.is_empty()).then(|| (text, order(&q.query, at), equality(&columns)))
        }
    }
}

/// The weak side comes first: it is the one that is known to answer.
fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let threshold = threshold(&q.form)?;
    let (text, order, equality) = text(q, at).filter(|_| !q.flips.is_empty())?;
    let (to_weak, to_base) = statements(&q.flips);
    let mut script: Vec<Step> = to_weak.iter().map(Step::run).collect();
    script.push(Step::query(WEAK, text.clone()));
    script.extend(to_base.iter().map(Step::run));
    script.push(Step::query(BASE, text));
    let claim = Relation::NotSlower { base: 1, weak: 0, order, equality, threshold, to_base, to_weak, apart: false };
    Some(Derived { script, claim })
}

/// The knob turned off, where it is a switch of the optimiser that is on.
pub fn weakened(knob: &Knob) -> Option<Flip> {
    let is = |value: &str, words: [&str; 4]| words.contains(&value.trim_matches('\'').to_ascii_lowercase().as_str());
    let on = knob.class == Class::Optimiser && is(&knob.current, ["on", "true", "1", "yes"]);
    let off = knob.others.iter().find(|v| is(v, ["off", "false", "0", "no"]))?;
    on.then(|| knob.flip(off))
}
