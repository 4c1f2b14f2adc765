//! A script that broke an engine, read back as trees, so that it is shrunk inside the language. What cannot be read
//! stays text: as a statement of the state that is kept or dropped whole, or as the text of the question.

use super::ast::*;
use super::parse::{self, What};
use super::print;
use super::typing::Schema;
use crate::oracle::survives::{self, no_query};
use qualm_core::case::Case;
use qualm_core::dialect::sql::Dialect;

/// How closely a tree has to print what was run.
#[derive(Clone, Copy, PartialEq)]
pub enum Reading {
    /// A person's spelling may be lost.
    Free,
    Exact,
}

/// The tree of a case that claims nothing but survival and has none. Nothing where a question before the last one was
/// not taken: a tree says nothing of such statements.
pub fn source(case: &Case, dialect: &'static Dialect, reading: Reading) -> Option<SqlSource> {
    let (last, before) = case.script.split_last()?;
    if before.iter().any(|step| step.is_query()) {
        return None;
    }
    let (mut state, mut schema) = (Vec::with_capacity(before.len() + 1), Schema::in_dialect(dialect));
    before.iter().for_each(|step| add(&mut state, &mut schema, &step.text, dialect, reading));
    let label = last.label.clone().unwrap_or_default();
    Some(with_last(state, &schema, &last.text, &label, dialect, reading))
}

/// A state that is known as trees, what an oracle did to it after that, and the text at which the engine broke. Steps
/// of oracles are texts, and settings among them never had a tree; one that is read back counts only if it prints the
/// very same text.
pub fn of_state(
    state: &[Statement],
    schema: &Schema,
    after: &[String],
    (label, text): (&str, &str),
    dialect: &'static Dialect,
) -> SqlSource {
    let (mut state, mut schema) = (state.to_vec(), schema.clone());
    after.iter().for_each(|text| add(&mut state, &mut schema, text, dialect, Reading::Exact));
    with_last(state, &schema, text, label, dialect, Reading::Exact)
}

/// What a text does to a state: as a tree where it can be read, else as it is.
fn add(state: &mut Vec<Statement>, schema: &mut Schema, text: &str, dialect: &'static Dialect, reading: Reading) {
    let read = statement(text, schema, dialect, reading).filter(|s| schema.apply(s, dialect).is_ok());
    state.push(read.unwrap_or_else(|| Statement::Maintenance(text.into())));
}

fn with_last(
    mut state: Vec<Statement>,
    schema: &Schema,
    text: &str,
    label: &str,
    dialect: &'static Dialect,
    reading: Reading,
) -> SqlSource {
    let mut question = Question::of(no_query(), label);
    if let Some(last) = statement(text, schema, dialect, reading) {
        state.push(last);
    } else {
        match query(text, schema, dialect, reading) {
            Some(query) => question.query = query,
            None => question.text = Some(text.to_owned()),
        }
    }
    SqlSource { oracle: survives::NAME.into(), state, question }
}

fn statement(text: &str, schema: &Schema, dialect: &'static Dialect, reading: Reading) -> Option<Statement> {
    let What::Statement(mut read) = parse::one(text, dialect) else { return None };
    parse::qualify_statement(&mut read, schema).ok()?;
    (reading == Reading::Free || print::statement(&read, dialect) == text).then_some(read)
}

fn query(text: &str, schema: &Schema, dialect: &'static Dialect, reading: Reading) -> Option<Query> {
    let What::Query(mut read) = parse::one(text, dialect) else { return None };
    parse::qualify(&mut read, schema).ok()?;
    (reading == Reading::Free || print::query(&read, dialect) == text).then_some(read)
}
