//! Modules of virtual tables, as data: what their columns hold, what may be said when one is made, and how they are
//! searched.

use super::{Feature, Kind};

/// A module that a virtual table can be made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Module {
    pub name: &'static str,
    /// What has to be there for it.
    pub feature: Feature,
    pub holds: Held,
    /// Arguments that are no columns: one of each list may be given. `{column}` is the name of a column.
    pub options: &'static [&'static [&'static str]],
    /// Statements about a table of it that change no answer; `{table}` is its name.
    pub commands: &'static [&'static str],
    /// How words are looked for.
    pub search: Option<SearchSyntax>,
}

/// What the columns of a virtual table are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// A number, then the two ends of each dimension of a box.
    Boxes { whole_numbers: bool },
    /// Documents.
    Texts,
}

/// How the words of a search are put together. `{a}` and `{b}` stand for words, `{n}` for a number, `{c}` for a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchSyntax {
    pub both: &'static str,
    pub either: &'static str,
    /// The first and not the second; empty where that cannot be said in every build.
    pub without: &'static str,
    pub phrase: &'static str,
    pub prefix: &'static str,
    /// Both with at most so many words between them.
    pub near: &'static str,
    pub in_column: &'static str,
    /// A word that a text begins with; empty where that cannot be said.
    pub first: &'static str,
    /// Functions that say how a row was found: names, and what stands behind the table.
    pub shows: &'static [(&'static str, &'static [Shown])],
}

/// An argument of a function that says how a row was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Number(i64),
    Text(&'static str),
}

impl Module {
    /// The module of that name.
    pub fn named(modules: &'static [Module], name: &str) -> Option<&'static Module> {
        modules.iter().find(|m| m.name == name)
    }
}

/// A table that an engine makes of literals: a function in FROM. Its text is its name in the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Given {
    /// As the parser would write it, with a blank behind each comma.
    pub text: &'static str,
    pub columns: &'static [(&'static str, Kind)],
}

/// A question whose answer is known, not empty, and holds every kind of value the dialect has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfTest {
    pub statements: &'static [&'static str],
    pub question: &'static str,
    /// Its rows, as JSON: values as in a stored finding.
    pub answer: &'static str,
}
