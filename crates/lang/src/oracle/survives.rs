//! The claim of a case that broke an engine: run again, it crashes, hangs, uses up the memory or reports an internal
//! error. No oracle proposes it, so it is in no table; but it is derived from trees like the others, so that the case
//! is reduced within its language.

use super::graph;
use crate::datalog::check;
use crate::datalog::source::DatalogSource;
use crate::graph::print as graph_print;
use crate::graph::source::{Alone, GraphSource, Setting};
use crate::sql::ast::{Aggregate, Expr, Query, Select, SqlSource};
use crate::sql::typing::Schema;
use crate::sql::{parse, print, walk};
use qualm_core::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::dialect::sql::{Dialect, FunctionSpec, Param};
use qualm_core::relation::{FailureKind, Relation};
use serde::Serialize;

/// Stands where other cases have the name of their oracle.
pub const NAME: &str = "survives";

/// What a statement is called that the engine had not taken: it may not take it again.
pub const REFUSED: &str = "rejected";

/// What the question at which an engine broke is called.
pub fn label(kind: FailureKind) -> &'static str {
    if kind == FailureKind::InternalError { "reports damage" } else { "breaks" }
}

/// A case that says only: this must not break the engine.
pub fn of_script(language: Language, script: Vec<Step>, origin: Origin) -> Case {
    Case {
        format: CASE_FORMAT,
        language,
        oracle: NAME.into(),
        rules: Vec::new(),
        script,
        claim: Relation::Survives,
        source: None,
        origin,
    }
}

fn with_source(case: Case, source: &impl Serialize) -> Case {
    Case { source: serde_json::to_value(source).ok(), ..case }
}

/// The question of a SQL source whose last statement is what broke the engine.
pub fn no_query() -> Query {
    Query::of(Select::default())
}

/// The state, and the text, the query or the last statement that breaks. The form of the question is its label; without
/// one the step is no question.
pub fn sql(source: &SqlSource, dialect: &'static Dialect, origin: Origin) -> Option<Case> {
    if !makes_sense(source, dialect) {
        return None;
    }
    let question = &source.question;
    let mut script: Vec<Step> = source.state.iter().map(|s| Step::run(print::statement(s, dialect))).collect();
    let text = match &question.text {
        Some(text) => text.clone(),
        None if question.query == no_query() => script.pop()?.text,
        None => print::query(&question.query, dialect),
    };
    let label = (!question.form.is_empty()).then(|| question.form.to_string());
    script.push(Step { text, label, ..Step::default() });
    Some(with_source(of_script(crate::sql::LANGUAGE, script, origin), source))
}

/// Names are those of tables and columns that are there, and functions have as many arguments as they take. An engine
/// that breaks does not name a statement that it would have refused.
fn makes_sense(source: &SqlSource, dialect: &'static Dialect) -> bool {
    let mut schema = Schema::in_dialect(dialect);
    for statement in &source.state {
        let named = parse::qualify_statement(&mut statement.clone(), &schema).is_ok();
        if !named || schema.apply(statement, dialect).is_err() {
            return false;
        }
    }
    let question = &source.question;
    let asked = question.text.is_none() && question.query != no_query();
    let mut fine = !asked || parse::qualify(&mut question.query.clone(), &schema).is_ok();
    walk::each_expr(source, &mut |expr| {
        fine &= match expr {
            Expr::Call { function, args } => has_arity(function, args.len(), dialect),
            Expr::Aggregate(a) => has_argument(a),
            Expr::Window(w) => has_argument(&w.function),
            _ => true,
        }
    });
    fine
}

/// Functions that the dialect does not list are the engine's own business.
fn has_arity(function: &str, args: usize, dialect: &Dialect) -> bool {
    let mut listed = dialect.every_function().filter(|f| f.name.eq_ignore_ascii_case(function)).peekable();
    let variadic = |f: &FunctionSpec| f.params.contains(&Param::Same) && args >= f.params.len();
    listed.peek().is_none() && args > 0 || listed.any(|f| f.params.len() == args || variadic(f))
}

/// `sum(*)` is nothing.
fn has_argument(aggregate: &Aggregate) -> bool {
    const WITHOUT: &[&str] = &["count", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist"];
    !aggregate.args.is_empty() || WITHOUT.iter().any(|name| aggregate.function.eq_ignore_ascii_case(name))
}

/// The program alone, under the switches of the source. Nothing where it is none in this dialect.
pub fn datalog(source: &DatalogSource, dialect: &'static DatalogDialect, origin: Origin) -> Option<Case> {
    check::program(&source.program, dialect).ok()?;
    let text = source.text(&source.program, dialect, &source.switches);
    Some(with_source(of_script(crate::datalog::LANGUAGE, vec![Step::query("breaks", text)], origin), source))
}

/// The state and one of the questions that the oracle derives, or the last statement of the state.
pub fn graph(source: &GraphSource, dialect: &'static GraphDialect, origin: Origin) -> Option<Case> {
    let (state, script) = match source.alone? {
        Alone::Statement => {
            let (last, state) = source.state.split_last()?;
            (state, vec![Step::query("breaks", graph_print::statement(last, dialect))])
        }
        Alone::Question(at) => {
            let setting = Setting { model: &source.model, state: &source.state, dialect };
            let derived = (graph::find(&source.oracle)?.derive)(&source.question, &setting)?;
            let is_query = |i: &usize| derived.script[*i].is_query();
            let last = (0..derived.script.len()).filter(is_query).nth(at)?;
            let before = derived.script[..last].iter().filter(|s| !s.is_query()).cloned();
            let asked = Step::query("breaks", derived.script[last].text.clone());
            (source.state.as_slice(), before.chain([asked]).collect())
        }
    };
    let before = graph::state_texts(state, dialect).into_iter().map(Step::run);
    let script = before.chain(script).collect();
    Some(with_source(of_script(crate::graph::LANGUAGE, script, origin), source))
}
