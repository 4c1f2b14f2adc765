//! The oracles: each makes cases and their claims. One file per published idea, one line in this table.
//!
//! An oracle never names an engine and never runs anything. It chooses a question (`propose`) and says, from the state
//! and the question alone, what to ask and what must hold (`derive`). The reducer shrinks state and question and
//! derives again, so that every candidate it tries carries a claim as sound as the first one.

pub mod adopt;
pub mod cert;
pub mod clauses;
pub mod clauses_perf;
pub mod coddtest;
pub mod config;
pub mod config_perf;
pub mod contain;
pub mod datalog;
pub mod dqe;
pub mod eet;
pub mod empty;
mod every;
pub mod fulltext;
pub mod graph;
pub mod graph_config;
pub mod graph_index;
pub mod graph_rewrite;
pub mod guarded;
pub mod index;
pub mod ire;
pub mod joins;
pub mod mutasql;
pub mod nonempty;
pub mod norec;
pub mod options;
pub mod params;
pub mod partition;
pub mod pqs;
pub mod queryfuzz;
pub mod reference;
pub mod refine;
pub mod releases;
pub mod releases_perf;
pub mod storage;
pub mod survives;
pub mod tlp;
pub mod windows;

use crate::sql::ast::{Query, Question, SqlSource, Statement};
use crate::sql::generate::Generator;
use crate::sql::typing::{Column, Schema, Taint};
use crate::sql::{order, print};
use crate::user_rules::RuleRelation;
pub use guarded::derive;
use qualm_core::case::{CASE_FORMAT, Case, Effect, Language, Origin, Step};
use qualm_core::dialect::sql::Dialect;
use qualm_core::knobs::{Choice, Knob};
use qualm_core::plan::Plan;
use qualm_core::relation::{Equality, Order, Relation};
use qualm_core::rng::Rng;

/// What a question is asked about.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub state: &'a [Statement],
    pub schema: &'a Schema,
    pub dialect: &'static Dialect,
}

/// The questions in order, each with its label, and what must hold between the answers. Steps that are no questions
/// change the state for the questions after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    pub script: Vec<Step>,
    pub claim: Relation,
}

pub struct OracleSpec {
    pub name: &'static str,
    /// What must hold, in one sentence.
    pub claim: &'static str,
    /// The claim on a small query.
    pub example: &'static str,
    /// How often it is chosen beside the others.
    pub weight: u32,
    /// The query to run first, the one an optimiser can do least about. If its result is empty, the others are
    /// mostly not worth running.
    pub scout: usize,
    pub propose: fn(&mut Generator) -> Option<Question>,
    /// `None` where the claim would not be sound.
    pub derive: fn(&Question, &Setting) -> Option<Derived>,
    /// Statements that every question of this oracle needs after the state is built.
    pub prepare: fn(&Setting) -> Vec<String>,
    /// For an oracle that needs a plan before its question is complete.
    pub guide: Option<Guide>,
    /// Its questions about a query that someone else wrote; without it, what it proposes about that query.
    pub adopt: Option<Adopt>,
    /// All questions about a query, for one that adopts only a sample of them.
    pub every: Option<Every>,
    /// Its rewrites change the tables too, so that they are part of what a case needs and not only of how one looks.
    pub mutates: bool,
    pub needs: Needs,
    /// What a dialect must have for this oracle to ask anything, in words, where this one does not have it.
    pub lacks: fn(&Dialect) -> Option<&'static str>,
}

/// What most rows have.
pub const PLAIN: OracleSpec = OracleSpec {
    name: "",
    claim: "",
    example: "",
    weight: 1,
    scout: 0,
    propose: |_| None,
    derive: |_, _| None,
    prepare: |_| Vec::new(),
    guide: None,
    adopt: None,
    every: None,
    mutates: false,
    needs: NOTHING,
    lacks: |_| None,
};

pub type Adopt = fn(&Query, &mut Generator) -> Vec<Question>;
pub type Every = fn(&Query, &[Knob], &Dialect) -> Vec<Question>;

/// What an oracle of any language needs of a hunt. The layers above ask for this and know no oracle by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Settings of the engine that may be flipped.
    pub knobs: bool,
    /// What it needs that keeps it from being hunted with beside others, in words.
    pub exclusive: Option<&'static str>,
    /// It measures time: workers beside each other disturb it, and an answer that takes long is no hang.
    pub times: bool,
    /// It takes rules that the user wrote whose relation is one of these.
    pub rules: &'static [RuleRelation],
    /// Seeds: ours, where the user gives none.
    pub seeds: bool,
    /// Parameters of its own (`--ire`).
    pub tuning: bool,
    /// Another engine to compare with (`--against`).
    pub against: bool,
}

pub const NOTHING: Needs =
    Needs { knobs: false, exclusive: None, times: false, rules: &[], seeds: false, tuning: false, against: false };

/// Between `propose` and `derive`: the plan of `text` is asked for, and `choose` says what to flip.
#[derive(Clone, Copy)]
pub struct Guide {
    pub text: fn(&Question, &Setting) -> Option<String>,
    pub choose: fn(&mut Question, Option<&Plan>, &[&Knob], Choice, &mut Rng),
}

pub const ORACLES: &[OracleSpec] = &[
    norec::SPEC,
    tlp::SPEC,
    eet::SPEC,
    index::SPEC,
    mutasql::SPEC,
    coddtest::SPEC,
    dqe::SPEC,
    clauses::SPEC,
    contain::SPEC,
    joins::SPEC,
    windows::SPEC,
    fulltext::SPEC,
    params::SPEC,
    storage::SPEC,
    pqs::SPEC,
    config::SPEC,
    config_perf::SPEC,
    clauses_perf::SPEC,
    cert::SPEC,
    releases::SPEC,
    releases_perf::SPEC,
];

/// An oracle of any language, as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    pub name: &'static str,
    pub language: Language,
    pub claim: &'static str,
    pub example: &'static str,
    /// Part of a hunt for which no oracle is named.
    pub by_default: bool,
    pub needs: Needs,
}

/// Names of oracles that are words of databases as well: in a report they need not mean the oracle.
pub const EVERYDAY_WORDS: &[&str] = &[
    "cert",
    "clauses",
    "config",
    "contain",
    "empty",
    "fulltext",
    "index",
    "joins",
    "nonempty",
    "options",
    "params",
    "partition",
    "reference",
    "refine",
    "releases",
    "storage",
    "windows",
];

/// The oracles of all languages.
pub fn all() -> Vec<About> {
    let sql = ORACLES.iter().map(|o| About {
        name: o.name,
        language: crate::sql::LANGUAGE,
        claim: o.claim,
        example: o.example,
        by_default: o.weight > 0 && !o.needs.against,
        needs: o.needs,
    });
    let datalog = datalog::DATALOG_ORACLES.iter().map(|o| About {
        name: o.name,
        language: crate::datalog::LANGUAGE,
        claim: o.claim,
        example: o.example,
        by_default: true,
        needs: o.needs,
    });
    let graph = graph::GRAPH_ORACLES.iter().map(|o| About {
        name: o.name,
        language: crate::graph::LANGUAGE,
        claim: o.claim,
        example: o.example,
        by_default: true,
        needs: o.needs,
    });
    sql.chain(datalog).chain(graph).collect()
}

/// The oracles that have a need.
pub fn that_need(need: fn(&Needs) -> bool) -> Vec<About> {
    all().into_iter().filter(|o| need(&o.needs)).collect()
}

/// Whether one of these has it.
pub fn any_needs(oracles: &[String], need: fn(&Needs) -> bool) -> bool {
    that_need(need).iter().any(|o| oracles.iter().any(|name| name == o.name))
}

pub fn find(name: &str) -> Option<&'static OracleSpec> {
    ORACLES.iter().find(|o| o.name == name)
}

/// Script and claim of a source, or nothing where the claim would not be sound.
pub fn case(source: &SqlSource, dialect: &'static Dialect, origin: Origin) -> Option<Case> {
    if source.oracle == survives::NAME {
        return survives::sql(source, dialect, origin);
    }
    let oracle = find(&source.oracle)?;
    let schema = Schema::from_state(&source.state, dialect).ok()?;
    let setting = Setting { state: &source.state, schema: &schema, dialect };
    let derived = derive(oracle, &source.question, &setting)?;
    let mut script: Vec<Step> = source.state.iter().map(|s| Step::run(print::statement(s, dialect))).collect();
    script.extend((oracle.prepare)(&setting).into_iter().map(Step::run));
    script.extend(derived.script.into_iter().map(|step| Step { effect: Effect::Unknown, ..step }));
    Some(Case {
        format: CASE_FORMAT,
        language: crate::sql::LANGUAGE,
        oracle: oracle.name.into(),
        rules: source.question.rewrites.iter().map(|r| r.rule.to_string()).collect(),
        script,
        claim: derived.claim,
        source: serde_json::to_value(source).ok(),
        origin,
    })
}

/// Whether rows must come in the same order: only where the query orders them totally, as it does wherever it has a
/// limit.
pub fn order(query: &Query, at: &Setting) -> Order {
    // A limit is taken only with a total order, unless the data were asked whether it matters.
    let cut = query.limit.is_some() && !at.schema.facts.is_asked();
    let total = cut || order::is_total(query, at.schema, at.dialect);
    if total { Order::List } else { Order::Bag }
}

/// How finely answers with these columns may be compared.
pub fn equality(columns: &[Column]) -> Equality {
    let plain = columns.iter().all(|c| c.traits.taint == Taint::Clear);
    if plain { Equality::Exact } else { Equality::Loose }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::sql::parse::{What, script};

    #[test]
    fn everyday_words_are_names_of_oracles() {
        for word in EVERYDAY_WORDS {
            assert!(all().iter().any(|o| o.name == *word), "no oracle is called '{word}' any more");
        }
    }

    /// The texts that an oracle asks of a state about the query at its end; nothing if it claims nothing.
    pub fn derived_texts(
        text: &str,
        dialect: &'static Dialect,
        question: impl Fn(Query) -> Question,
        derive: fn(&Question, &Setting) -> Option<Derived>,
    ) -> Option<Vec<String>> {
        let mut state = Vec::new();
        for parsed in script(text, dialect) {
            match parsed.what {
                What::Statement(s) => state.push(s),
                What::Query(q) => {
                    let schema = Schema::from_state(&state, dialect).unwrap();
                    let setting = Setting { state: &state, schema: &schema, dialect };
                    let derived = derive(&question(q), &setting)?;
                    return Some(derived.script.into_iter().map(|s| s.text).collect());
                }
                What::Unread(why) => panic!("{}: {why}", parsed.text),
            }
        }
        panic!("no query in {text}");
    }
}
