//! The languages, and what differs between them beyond their syntax: plain data that every layer may know. What a
//! language *does* (explore, reduce, name features) is in the table `LANGUAGES` of the crate of languages.
//!
//! Nothing outside these tables asks which language it is. Whoever needs to know more adds a field to a row.

use crate::dialect::datalog::Form;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Sql,
    Datalog,
    Graph,
}

/// One of something for every language. A new language is a new field, so that the compiler shows every table that
/// lacks it.
#[derive(Clone, Copy, Debug)]
pub struct Each<T> {
    pub sql: T,
    pub datalog: T,
    pub graph: T,
}

impl<T> Each<T> {
    pub const fn of(&self, language: Language) -> &T {
        match language {
            Language::Sql => &self.sql,
            Language::Datalog => &self.datalog,
            Language::Graph => &self.graph,
        }
    }
}

/// How scripts and reports speak of a language.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// As people write it.
    pub title: &'static str,
    /// How a comment begins that runs to the end of its line; nothing where each dialect has its own way.
    comment: Option<&'static str>,
    /// Put behind a statement.
    pub end: &'static str,
    /// The file that a person gives to the engine's shell, and its name where the text is a traversal of Gremlin.
    pub script: &'static str,
    pub traversals: Option<&'static str>,
    /// What one question is called, and what several are.
    pub question: &'static str,
    pub questions: &'static str,
    /// What a case is in a title when no feature says more, and in a sentence.
    pub plain: &'static str,
    pub simple: &'static str,
    /// A question needs nothing of what was run before it, and is a file of its own.
    pub stands_alone: bool,
    /// An answer need not exist: a hang is no fault of the engine's, unless the answer is known.
    pub may_never_end: bool,
    /// Features that a known bug needs at least before a raw case without a cure counts as its duplicate. Everyday
    /// features of graphs are not among them.
    pub distinctive_features: usize,
    /// Scripts can be written as sqllogictest.
    pub sqllogictest: bool,
}

impl Style {
    /// How a comment begins in a script of this form; the form counts only for Datalog.
    pub fn comment(&self, form: Form) -> &'static str {
        self.comment.unwrap_or(form.comment())
    }
}

pub const STYLES: Each<Style> = Each {
    sql: Style {
        title: "SQL",
        comment: Some("--"),
        end: ";",
        script: "repro.sql",
        traversals: None,
        question: "query",
        questions: "queries",
        plain: "query",
        simple: "a simple statement",
        stands_alone: false,
        may_never_end: false,
        distinctive_features: 3,
        sqllogictest: true,
    },
    datalog: Style {
        title: "Datalog",
        comment: None,
        end: "",
        script: "repro.dl",
        traversals: None,
        question: "program",
        questions: "programs",
        plain: "rules",
        simple: "a simple program",
        stands_alone: true,
        // A program may count for ever.
        may_never_end: true,
        distinctive_features: 3,
        sqllogictest: false,
    },
    graph: Style {
        title: "Graph",
        comment: Some("//"),
        end: ";",
        script: "repro.cypher",
        traversals: Some("repro.groovy"),
        question: "query",
        questions: "queries",
        plain: "query",
        simple: "a simple statement",
        stands_alone: false,
        may_never_end: false,
        distinctive_features: 2,
        sqllogictest: false,
    },
};

impl Language {
    pub const ALL: [Language; 3] = [Language::Sql, Language::Datalog, Language::Graph];

    pub const fn title(self) -> &'static str {
        self.style().title
    }

    pub const fn style(self) -> &'static Style {
        const { &STYLES }.of(self)
    }
}
