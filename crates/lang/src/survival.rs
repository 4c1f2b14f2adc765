//! Trees for cases that claim nothing but survival. What was run when an engine broke is known as text; its tree is
//! read back from that (SQL), or found among what the question at hand was made from (Datalog and graphs).

use super::datalog::ast::Program;
use super::datalog::source::{self, DatalogSource};
use super::datalog::{print, rules};
use super::graph::source::{Alone, GraphSource, Setting};
use super::sql::survival::{self, Reading};
use crate::oracle::{self, survives};
use qualm_core::case::{Case, Language};
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::relation::Relation;
use qualm_core::session::Spoken;
use serde::Serialize;

/// The case with the tree of what it runs, where one can be had. Its script stays as it is.
pub fn with_tree(case: Case, spoken: Spoken) -> Case {
    if case.claim != Relation::Survives || case.oracle != survives::NAME {
        return case;
    }
    let source = tree(&case, spoken);
    Case { source, ..case }
}

fn tree(case: &Case, spoken: Spoken) -> Option<serde_json::Value> {
    let last = &case.script.last()?.text;
    match case.language {
        Language::Sql if case.source.is_some() => case.source.clone(),
        Language::Sql => json(&survival::source(case, spoken.sql, Reading::Free)?),
        Language::Datalog => {
            let source: DatalogSource = serde_json::from_value(case.source.clone()?).ok()?;
            let dialect = source.dialect()?;
            json(&datalog(source, dialect, last)?)
        }
        Language::Graph => {
            let source: GraphSource = serde_json::from_value(case.source.clone()?).ok()?;
            json(&graph(source, spoken.graph?, last)?)
        }
    }
}

/// The case with a tree that prints every statement as it was run, for an engine that breaks at a spelling only.
pub fn with_exact_tree(case: &Case, spoken: Spoken) -> Option<Case> {
    let plain = Case { source: None, ..case.clone() };
    let source = match case.language {
        Language::Sql => json(&survival::source(&plain, spoken.sql, Reading::Exact)?),
        _ => None,
    };
    source.map(|source| Case { source: Some(source), ..plain })
}

fn json(source: &impl Serialize) -> Option<serde_json::Value> {
    serde_json::to_value(source).ok()
}

/// The program of this text, which is the program of the source, what the oracle made of it, or one of them under other
/// switches.
fn datalog(source: DatalogSource, dialect: &'static DatalogDialect, text: &str) -> Option<DatalogSource> {
    if source.oracle == survives::NAME {
        return Some(source);
    }
    let variant = rules::apply_all(&source.program, &source.steps, dialect).map(|(variant, _)| variant);
    let programs: Vec<Program> =
        [source.program.clone(), source::plain(&source.program)].into_iter().chain(variant).collect();
    let both = [source.switches.clone(), source.other_switches.clone()].concat();
    let switches = [&source.switches, &both, &source.other_switches];
    let all = programs.iter().flat_map(|p| switches.iter().map(move |s| (p, *s)));
    let (program, switches) = all.into_iter().find(|(p, s)| print::program(p, dialect, s) == text)?;
    Some(DatalogSource { switches: switches.clone(), ..DatalogSource::new(survives::NAME, dialect, program) })
}

/// The question of this text, which is one of those that the oracle derives.
fn graph(source: GraphSource, dialect: &'static GraphDialect, text: &str) -> Option<GraphSource> {
    if source.alone.is_some() {
        return Some(source);
    }
    let setting = Setting { model: &source.model, state: &source.state, dialect };
    let derived = (oracle::graph::find(&source.oracle)?.derive)(&source.question, &setting)?;
    let at = derived.asks.iter().filter(|s| s.ask.is_some()).position(|s| s.text == text)?;
    Some(GraphSource { alone: Some(Alone::Question(at)), ..source })
}
