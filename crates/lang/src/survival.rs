//! Trees for cases that claim nothing but survival. What was run when an engine broke is known as text; its tree is
//! read back from that (SQL), or found among what the question at hand was made from (Datalog and graphs).

use super::datalog::ast::Program;
use super::datalog::evaluate::{self, Bounds};
use super::datalog::source::{self, DatalogSource};
use super::datalog::{print, rules};
use super::graph::source::{Alone, GraphSource, Setting};
use super::sql::survival::{self, Reading};
use crate::LANGUAGES;
use crate::oracle::{self, survives};
use qualm_core::case::Case;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::relation::Relation;
use qualm_core::session::Spoken;
use serde::Serialize;
use serde_json::Value as Json;

/// The case with the tree of what it runs, where one can be had. Its script stays as it is.
pub fn with_tree(case: Case, spoken: Spoken) -> Case {
    if case.claim != Relation::Survives || case.oracle != survives::NAME {
        return case;
    }
    let source = tree(&case, spoken);
    Case { source, ..case }
}

fn tree(case: &Case, spoken: Spoken) -> Option<Json> {
    (LANGUAGES.of(case.language).survival_tree)(case, spoken)
}

/// The case with a tree that prints every statement as it was run, for an engine that breaks at a spelling only.
pub fn with_exact_tree(case: &Case, spoken: Spoken) -> Option<Case> {
    let plain = Case { source: None, ..case.clone() };
    let source = (LANGUAGES.of(case.language).exact_survival_tree)(&plain, spoken);
    source.map(|source| Case { source: Some(source), ..plain })
}

pub fn of_sql(case: &Case, spoken: Spoken) -> Option<Json> {
    case.source.clone().or_else(|| json(&survival::source(case, spoken.sql()?, Reading::Free)?))
}

pub fn exactly_of_sql(case: &Case, spoken: Spoken) -> Option<Json> {
    json(&survival::source(case, spoken.sql()?, Reading::Exact)?)
}

pub fn of_datalog(case: &Case, _: Spoken) -> Option<Json> {
    let source: DatalogSource = serde_json::from_value(case.source.clone()?).ok()?;
    let dialect = source.dialect()?;
    json(&datalog(source, dialect, &case.script.last()?.text)?)
}

/// Work after which a program counts as one that may take an engine long.
const AT_ONCE: Bounds = Bounds { tuples: 1_000, steps: 20_000 };

pub fn datalog_ends_at_once(case: &Case) -> bool {
    let ends = || {
        let source: DatalogSource = serde_json::from_value(case.source.clone()?).ok()?;
        let dialect = source.dialect()?;
        let of_last = datalog(source, dialect, &case.script.last()?.text)?;
        Some(evaluate::output(&of_last.program, dialect, AT_ONCE).is_ok())
    };
    ends().unwrap_or(false)
}

pub fn of_graph(case: &Case, spoken: Spoken) -> Option<Json> {
    let source: GraphSource = serde_json::from_value(case.source.clone()?).ok()?;
    json(&graph(source, spoken.graph()?, &case.script.last()?.text)?)
}

fn json(source: &impl Serialize) -> Option<Json> {
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
    let at = derived.script.iter().filter(|s| s.is_query()).position(|s| s.text == text)?;
    Some(GraphSource { alone: Some(Alone::Question(at)), ..source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datalog::parse;
    use qualm_core::case::{Origin, Step};
    use qualm_core::dialect::datalog::SOUFFLE;

    #[test]
    fn a_hang_counts_where_the_evaluator_has_the_answer_at_once() {
        let hangs = |rule: &str| {
            let facts: String = (0..40).map(|n| format!("e({n}).\n")).collect();
            let text = format!(".decl e(x:number)\n.decl r(x:number)\n.output r\n{facts}{rule}\n");
            let program = parse::program(&text).program;
            let source = DatalogSource::new("reference", &SOUFFLE, &program);
            let script = vec![Step::query("program", print::program(&program, &SOUFFLE, &[]))];
            let case = survives::of_script(crate::datalog::LANGUAGE, script, Origin::default());
            datalog_ends_at_once(&Case { source: json(&source), ..case })
        };
        assert!(hangs("r(x) :- e(x), x < 7."));
        assert!(!hangs("r(x) :- e(x), e(y), e(z), x + y + z = 200."));
    }
}
