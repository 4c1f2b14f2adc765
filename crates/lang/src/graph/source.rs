//! What a graph case is made of: a metamodel, the statements of a state, and a question. From this the oracle derives
//! script and claim, and the reducer shrinks it.

use super::ast::*;
use super::metamodel::Metamodel;
use crate::user_rules::UserText;
use qualm_core::dialect::graph::GraphDialect;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphSource {
    pub oracle: String,
    /// The dialect's name, for people.
    pub dialect: String,
    pub model: Metamodel,
    pub state: Vec<Statement>,
    pub question: Question,
    /// The engine broke here: nothing is compared, and nothing else is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<Alone>,
}

/// At what an engine broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alone {
    /// The last statement of the state.
    Statement,
    /// One of the questions that the oracle derives, by its number.
    Question(usize),
}

/// What an oracle chose. Which fields it uses is its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub query: Query,
    /// Splits the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicate: Option<Expr>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub form: String,
    /// Values that rows must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<Existing>,
    /// Indexes made or dropped between two answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Statement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<Rewrite>,
    /// By its name in the dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knob: Option<String>,
    /// NaN may appear: what engines make of it is disputed.
    #[serde(default)]
    pub disputed: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    pub var: String,
    pub property: String,
    pub value: Literal,
}

/// A rule of `rewrite.rs`, and which of the places where it fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rewrite {
    pub rule: String,
    pub at: usize,
    /// A rule that the user wrote, so that a case needs no file to be derived again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Box<UserText>>,
}

/// What a question is asked about.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub model: &'a Metamodel,
    pub state: &'a [Statement],
    pub dialect: &'static GraphDialect,
}

impl Setting<'_> {
    /// Whether claims may be made about the query, as the question allows.
    pub fn is_sound(&self, query: &Query, question: &Question) -> bool {
        let no_nan = |s: &Statement| !super::check::stores_nan(s);
        super::check::is_sound(query, self.model, self.dialect, question.disputed)
            && (question.disputed || self.state.iter().all(no_nan))
    }
}

/// The query where the predicate holds as well. A predicate on what OPTIONAL MATCH gives must stand behind it, in a
/// WITH of its own: inside, it would only choose what is optional.
pub fn restricted(query: &Query, predicate: Expr, in_with: bool) -> Query {
    let mut next = query.clone();
    match next.clauses.last_mut() {
        Some(Clause::Match { optional: false, filter, .. }) if !in_with => conjoin(filter, predicate),
        Some(Clause::With { filter }) => conjoin(filter, predicate),
        _ => next.clauses.push(Clause::With { filter: Some(predicate) }),
    }
    next
}

pub fn conjoin(filter: &mut Option<Expr>, predicate: Expr) {
    *filter = Some(match filter.take() {
        Some(before) => Expr::and(before, predicate),
        None => predicate,
    });
}
