//! Claims that need no tree: the same text run again after something that must not matter was changed.
//!
//! `index`: the indexes that the setup created are dropped. `knobs`: a setting of the engine is turned off. Rows are
//! compared as bags, and as lists where the caller knows that the query orders them totally.

use super::Try;
use super::corpus::Bug;
use qualm_core::case::Step;
use qualm_core::dialect::graph::GraphKnob;
use qualm_core::knobs::{self, Class, Knob};
use qualm_core::relation::{Equality, Order, Relation};
use qualm_lang::oracle::{config, graph_config};

pub const KNOBS: &str = "knobs";

/// Oracles that turn settings of the engine.
pub fn is_setting(oracle: &str) -> bool {
    [KNOBS, config::SPEC.name, graph_config::SPEC.name].contains(&oracle)
}

/// A query of a graph, run again with each setting changed.
pub fn graph_tries(bug: &Bug, knobs: &[GraphKnob]) -> Vec<Try> {
    let changed = |knob: &GraphKnob| match knob {
        GraphKnob::Prefix { name, text } => {
            let second = Step::query("after", format!("{text}{}", bug.query));
            (*name, vec![Step::query("before", &bug.query), second])
        }
        GraphKnob::Statement { name, set, .. } => {
            (*name, vec![Step::query("before", &bug.query), Step::run(*set), Step::query("after", &bug.query)])
        }
    };
    let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Loose };
    let made = |(name, script): (&str, Vec<Step>)| Try {
        oracle: graph_config::SPEC.name.into(),
        how: name.to_owned(),
        script,
        claim: claim.clone(),
        setup: None,
    };
    knobs.iter().map(changed).map(made).collect()
}

pub fn tries(bug: &Bug, knobs: &[Knob], order: Order) -> Vec<Try> {
    let mut tries = Vec::new();
    let indexes: Vec<String> = bug.setup.iter().filter_map(|s| created_index(s)).collect();
    if !indexes.is_empty() {
        let drops: Vec<String> = indexes.iter().map(|name| format!("DROP INDEX {name}")).collect();
        tries.push(queried_twice(bug, "index", "as text, indexes dropped", &drops, order));
    }
    let all: Vec<knobs::Flip> = knobs.iter().filter(|k| k.class == Class::Optimiser).map(Knob::off).collect();
    if !all.is_empty() {
        tries.push(queried_twice(bug, KNOBS, "all optimisations off", &knobs::statements(&all).0, order));
    }
    for knob in knobs {
        let how = format!("{} off", knob.name);
        tries.push(queried_twice(bug, KNOBS, &how, &knobs::statements(&[knob.off()]).0, order));
    }
    tries
}

fn queried_twice(bug: &Bug, oracle: &str, how: &str, between: &[String], order: Order) -> Try {
    let mut script = vec![Step::query("before", &bug.query)];
    script.extend(between.iter().map(Step::run));
    script.push(Step::query("after", &bug.query));
    let claim = Relation::Same { left: 0, right: 1, order, equality: Equality::Loose };
    Try { oracle: oracle.into(), how: how.into(), script, claim, setup: None }
}

/// The name of the index that a statement creates, as it is written there.
fn created_index(statement: &str) -> Option<String> {
    let mut words = statement.split_whitespace();
    let mut next = || words.next().map(str::to_ascii_uppercase);
    if next()? != "CREATE" {
        return None;
    }
    let mut word = next()?;
    if word == "UNIQUE" {
        word = next()?;
    }
    if word != "INDEX" {
        return None;
    }
    let rest: Vec<&str> = words.collect();
    let rest = match rest.as_slice() {
        [a, b, c, rest @ ..]
            if [a, b, c].iter().zip(["IF", "NOT", "EXISTS"]).all(|(w, e)| w.eq_ignore_ascii_case(e)) =>
        {
            rest
        }
        rest => rest,
    };
    rest.first().map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_created_indexes() {
        for (statement, name) in [
            ("CREATE INDEX i ON t(c)", Some("i")),
            ("create unique  index\n i2 on t(c);", Some("i2")),
            ("CREATE INDEX IF NOT EXISTS \"x\" ON t(c)", Some("\"x\"")),
            ("CREATE TABLE i(c)", None),
            ("INSERT INTO t VALUES (1)", None),
        ] {
            assert_eq!(created_index(statement).as_deref(), name, "{statement}");
        }
    }
}
