//! Text to trees: scripts that people write, read through the crate `sqlparser`.
//!
//! A script is cut into statements here, so that one that cannot be read never loses the others. Each is read as SQLite
//! reads it (`flavour.rs`) but for what its dialect spells in another way (`spelling.rs`), turned into our tree
//! (`convert.rs`, `define.rs`) and given full names (`names.rs`). What cannot be read says why and keeps its text.

mod changes;
mod convert;
mod define;
mod flavour;
mod grouping;
mod history;
mod modules;
mod names;
mod spelling;
mod split;
mod stored;

use super::ast::*;
use super::determined;
use super::typing::Schema;
use super::walk::Tree;
use crate::depth::Depth;
use define::Definer;
use flavour::Flavour;
pub use names::{qualify, qualify_statement, without_lateral_mark};
use qualm_core::dialect::sql::Dialect;
pub use split::{Cutter, Marks, rows_of, statements_of};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::TokenWithSpan;

/// One statement of a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub text: String,
    /// Of its first word, from 1.
    pub line: usize,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Statement(Statement),
    Query(Query),
    /// Why it could not be read.
    Unread(String),
}

/// Nested deeper than this a statement is not read; real ones are far from it.
const DEPTH_AT_MOST: usize = 120;

/// Brackets in brackets, which the parser may read twice at every level.
const BRACKETS_AT_MOST: usize = 60;

/// Words that may hang together without a comma. Each operator of a chain is a level of the tree.
const WORDS_AT_MOST: usize = 1_000;

const TOO_DEEP: &str = "nested too deeply, or too many operators in a row";

/// Every statement of a script in order, with names resolved against what the statements before it created.
pub fn script(text: &str, dialect: &'static Dialect) -> Vec<Parsed> {
    let pieces = statements_of(text, Marks::of(dialect));
    let mut parsed: Vec<Parsed> = pieces
        .into_iter()
        .map(|(line, text)| Parsed { what: one(text, dialect), text: text.to_owned(), line })
        .collect();
    history::settle(&mut parsed, dialect);
    stored::note_values(&mut parsed, dialect);
    let mut schema = Schema::in_dialect(dialect);
    for p in &mut parsed {
        let named = match &mut p.what {
            What::Statement(s) => qualify_statement(s, &schema)
                .and_then(|()| schema.apply(s, dialect).map_err(|why| format!("not used because of {}", why.0))),
            What::Query(q) => qualify(q, &schema),
            What::Unread(_) => Ok(()),
        };
        if let Err(why) = named {
            p.what = What::Unread(why);
        }
    }
    parsed
}

/// Whether a text speaks of a table, as far as its words say.
pub fn mentions(text: &str, table: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word.eq_ignore_ascii_case(table))
}

/// One statement, its names as written.
pub fn one(text: &str, dialect: &'static Dialect) -> What {
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_uppercase();
    match first.as_str() {
        "SELECT" | "WITH" | "VALUES" => {
            let made = read(text, dialect, |d| {
                let query = d.query()?;
                d.end()?;
                Ok(query)
            });
            // WITH may stand before a change of rows as well.
            made.map_or_else(
                |why| read(text, dialect, |d| d.statement()).map_or(What::Unread(why), What::Statement),
                What::Query,
            )
        }
        "ANALYZE" | "REINDEX" | "VACUUM" | "PRAGMA" => What::Statement(Statement::Maintenance(text.into())),
        // Statistics change plans, never answers.
        "INSERT" | "DELETE" | "UPDATE" if text.to_ascii_lowercase().contains("sqlite_stat") => {
            What::Statement(Statement::Maintenance(text.into()))
        }
        // A database in memory; what is in it is read as if it were in the main one.
        "ATTACH" if text.contains("':memory:'") || text.contains("''") => {
            What::Statement(Statement::Maintenance(text.into()))
        }
        "EXPLAIN" if determined::only_explains(text) => What::Statement(Statement::Maintenance(text.into())),
        _ if spelling::is_maintenance(text, dialect) => What::Statement(Statement::Maintenance(text.into())),
        "" => What::Unread("this is not a statement".into()),
        _ => read(text, dialect, |d| d.statement()).map_or_else(What::Unread, What::Statement),
    }
}

/// Whether this is one statement of SQL, as far as any reader here knows. More than the tree knows is read.
pub fn reads(text: &str, dialect: &'static Dialect) -> bool {
    let attempt = |theirs: &dyn sqlparser::dialect::Dialect| {
        let Ok(tokens) = tokens(text, dialect, theirs) else { return false };
        let mut parser = Parser::new(theirs).with_recursion_limit(DEPTH_AT_MOST).with_tokens_with_locations(tokens);
        parser.parse_statements().is_ok_and(|all| all.len() == 1)
    };
    attempt(&Flavour::new(dialect.spelling.backslash_escapes)) || attempt(&GenericDialect {})
}

/// An expression on its own, its names as written. Metavariables (`$p`) are columns of that name.
pub fn expression(text: &str, dialect: &'static Dialect) -> Result<Expr, String> {
    read(text, dialect, |d| d.lone_expr())
}

/// The words of a statement that is not too deep for the stack.
fn tokens(
    text: &str,
    dialect: &Dialect,
    theirs: &dyn sqlparser::dialect::Dialect,
) -> Result<Vec<TokenWithSpan>, String> {
    let depth = Depth::new(BRACKETS_AT_MOST, WORDS_AT_MOST);
    let tokens = flavour::tokens(text, dialect, theirs, depth)?.ok_or_else(|| TOO_DEEP.to_owned())?;
    Ok(history::usual_order(tokens))
}

/// As SQLite reads it, or else as the parser's most lenient dialect does.
fn read<T: Tree>(
    text: &str,
    dialect: &'static Dialect,
    what: impl Fn(&mut Definer) -> Result<T, String>,
) -> Result<T, String> {
    let attempt = |theirs: &dyn sqlparser::dialect::Dialect| {
        let tokens = tokens(text, dialect, theirs)?;
        let mut parser = Parser::new(theirs).with_recursion_limit(DEPTH_AT_MOST).with_tokens_with_locations(tokens);
        let mut tree = what(&mut Definer { parser: &mut parser, dialect, theirs })?;
        spelling::settle(&mut tree, dialect)?;
        Ok(tree)
    };
    let backslash = dialect.spelling.backslash_escapes;
    attempt(&Flavour::new(backslash)).or_else(|why| match backslash && text.contains('\\') {
        // To the lenient dialect a backslash is a character like any other.
        true => Err(why),
        false => attempt(&GenericDialect {}).map_err(|_| why),
    })
}

#[cfg(test)]
mod tests;
