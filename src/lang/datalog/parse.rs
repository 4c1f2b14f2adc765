//! Text of the Soufflé dialect to trees.

use super::ast::*;

/// What was read, and what was not: line, column and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    pub program: Program,
    pub unread: Vec<Unread>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    pub line: usize,
    pub column: usize,
    pub why: String,
}

pub fn program(_text: &str) -> Parsed {
    Parsed::default()
}
