//! What an oracle of graphs is, the table of them, and how a case is made from a source. As with the other languages,
//! an oracle chooses (`propose`) and says from state and choice alone what to ask and what must hold (`derive`).

use super::{Derived, Needs, empty, graph_config, graph_index, graph_rewrite, nonempty, partition, refine, survives};
use crate::graph::ast::{Query, Statement};
use crate::graph::express::Generator;
use crate::graph::print;
use crate::graph::source::{GraphSource, Question, Setting};
use qualm_core::case::{CASE_FORMAT, Case, Origin, Step};
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::relation::{Equality, Order, Relation};

pub struct GraphOracle {
    pub name: &'static str,
    /// What must hold, in one sentence.
    pub claim: &'static str,
    pub example: &'static str,
    /// How often it is chosen beside the others.
    pub weight: u32,
    /// An empty first answer says nothing. (For `empty` it is what is looked for.)
    pub wants_rows: bool,
    /// Statements between its questions change the state.
    pub changes_state: bool,
    /// They delete nodes or relationships.
    pub deletes: bool,
    pub propose: fn(&mut Generator, &[Statement]) -> Option<Question>,
    /// `None` where the claim would not be sound.
    pub derive: fn(&Question, &Setting) -> Option<Derived>,
    pub needs: Needs,
}

pub const GRAPH_ORACLES: &[GraphOracle] = &[
    partition::SPEC,
    refine::SPEC,
    empty::SPEC,
    nonempty::SPEC,
    graph_rewrite::SPEC,
    graph_index::SPEC,
    graph_config::SPEC,
];

pub fn find(name: &str) -> Option<&'static GraphOracle> {
    GRAPH_ORACLES.iter().find(|o| o.name == name)
}

/// The statements of a state as text, and what waits for its indexes.
pub fn state_texts(state: &[Statement], dialect: &GraphDialect) -> Vec<String> {
    let mut texts: Vec<String> = state.iter().map(|s| print::statement(s, dialect)).collect();
    if state.iter().any(|s| matches!(s, Statement::CreateIndex { .. })) {
        texts.extend(dialect.await_indexes.iter().map(|t| (*t).to_owned()));
    }
    texts
}

/// Script and claim of a source, or nothing where the claim would not be sound.
pub fn case(source: &GraphSource, dialect: &'static GraphDialect, origin: Origin) -> Option<Case> {
    if source.alone.is_some() {
        return survives::graph(source, dialect, origin);
    }
    let oracle = find(&source.oracle)?;
    let setting = Setting { model: &source.model, state: &source.state, dialect };
    let derived = (oracle.derive)(&source.question, &setting)?;
    let mut script: Vec<Step> = state_texts(&source.state, dialect).into_iter().map(Step::run).collect();
    script.extend(derived.script);
    Some(Case {
        format: CASE_FORMAT,
        language: crate::graph::LANGUAGE,
        oracle: oracle.name.into(),
        rules: source.question.rewrite.iter().map(|r| r.rule.clone()).collect(),
        script,
        claim: derived.claim,
        source: serde_json::to_value(source).ok(),
        origin,
    })
}

pub fn query_step(label: &str, query: &Query, at: &Setting) -> Step {
    Step::query(label, print::query(query, at.dialect))
}

/// The first two answers are the same bag.
pub fn same(script: Vec<Step>) -> Derived {
    Derived { script, claim: Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact } }
}
