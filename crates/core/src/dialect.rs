//! Dialects: plain data that says what an engine's language can do. The languages read them, the engines provide them.

pub mod datalog;
pub mod graph;
pub mod sql;

use crate::language::Language;
use datalog::DatalogDialect;
use graph::GraphDialect;

/// What an engine's language can do, whichever language that is.
#[derive(Clone, Copy)]
pub enum Spoken {
    Sql(&'static sql::Dialect),
    Datalog(&'static DatalogDialect),
    Graph(&'static GraphDialect),
}

impl Spoken {
    pub const fn language(self) -> Language {
        match self {
            Spoken::Sql(_) => Language::Sql,
            Spoken::Datalog(_) => Language::Datalog,
            Spoken::Graph(_) => Language::Graph,
        }
    }

    pub const fn sql(self) -> Option<&'static sql::Dialect> {
        if let Spoken::Sql(dialect) = self { Some(dialect) } else { None }
    }

    pub const fn datalog(self) -> Option<&'static DatalogDialect> {
        if let Spoken::Datalog(dialect) = self { Some(dialect) } else { None }
    }

    pub const fn graph(self) -> Option<&'static GraphDialect> {
        if let Spoken::Graph(dialect) = self { Some(dialect) } else { None }
    }

    /// What a person's shell must run before a script.
    pub const fn preamble(self) -> &'static [&'static str] {
        if let Spoken::Sql(dialect) = self { dialect.preamble } else { &[] }
    }
}

impl From<&'static sql::Dialect> for Spoken {
    fn from(dialect: &'static sql::Dialect) -> Spoken {
        Spoken::Sql(dialect)
    }
}

impl From<&'static DatalogDialect> for Spoken {
    fn from(dialect: &'static DatalogDialect) -> Spoken {
        Spoken::Datalog(dialect)
    }
}

impl From<&'static GraphDialect> for Spoken {
    fn from(dialect: &'static GraphDialect) -> Spoken {
        Spoken::Graph(dialect)
    }
}
