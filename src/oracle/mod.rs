//! The oracles: each makes cases and their claims. One file per published idea, one line in this table.
//!
//! An oracle never names an engine and never runs anything. It chooses a question (`propose`, in its own file) and says,
//! from the state and the question alone, what to ask and what must hold (`derive`). The reducer shrinks state and
//! question and derives again, so that every candidate it tries carries a claim as sound as the first one.

use crate::case::{Language, Step};
use crate::relation::Relation;

/// Statements to run after the state is built, and what must hold between the answers of those that are asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    pub steps: Vec<Step>,
    pub claim: Relation,
}

pub struct OracleSpec {
    pub name: &'static str,
    pub language: Language,
    /// What must hold, in one sentence.
    pub claim: &'static str,
    /// The claim on a small query.
    pub example: &'static str,
}
