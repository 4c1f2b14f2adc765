//! Virtual tables, as far as the arguments of their module name the columns: rtree and full-text search of SQLite.

use super::convert::Read;
use super::define::{Definer, empty_table, unread};
use crate::sql::ast::*;
use qualm_core::dialect::sql::{Affinity, Kind};
use sqlparser::keywords::Keyword as K;
use sqlparser::tokenizer::Token;

impl Definer<'_, '_> {
    /// A virtual table of a module whose columns are named by its arguments.
    pub(super) fn create_virtual(&mut self) -> Read<Statement> {
        self.words(&[K::IF, K::NOT, K::EXISTS]);
        let name = self.table()?;
        if !self.word(K::USING) {
            return unread("this CREATE VIRTUAL TABLE");
        }
        let module: Name = self.ident()?.to_ascii_lowercase().into();
        let args = match self.parser.peek_token_ref().token {
            Token::LParen => self.in_parentheses(Self::arguments)?,
            _ => Vec::new(),
        };
        let (columns, options) = virtual_columns(&module, &args)?;
        Ok(Statement::CreateTable(CreateTable { columns, module: Some((module, options)), ..empty_table(name) }))
    }

    /// What stands between commas, as text, up to the bracket that closes.
    fn arguments(&mut self) -> Read<Vec<String>> {
        let (mut args, mut depth) = (vec![String::new()], 0);
        loop {
            match &self.parser.peek_token_ref().token {
                Token::EOF => return unread("this CREATE VIRTUAL TABLE"),
                Token::RParen if depth == 0 => break,
                Token::Comma if depth == 0 => args.push(String::new()),
                token => {
                    depth += i32::from(*token == Token::LParen) - i32::from(*token == Token::RParen);
                    let last = args.last_mut().expect("never empty");
                    let glued = matches!(token, Token::Eq) || last.ends_with('=') || last.is_empty();
                    last.push_str(if glued { "" } else { " " });
                    last.push_str(&token.to_string());
                }
            }
            self.parser.next_token();
        }
        args.retain(|a| !a.is_empty());
        Ok(args)
    }
}

/// What is said to a full-text table itself, in a column of its own name, and changes no answer.
pub(super) fn command(table: &Name, columns: &[Name], rows: &[Vec<Expr>]) -> Option<Name> {
    let ([column], [row]) = (columns, rows) else { return None };
    let [Expr::Literal(Literal::Text(word))] = row.as_slice() else { return None };
    let known = ["optimize", "rebuild", "integrity-check"].contains(&word.as_str())
        || ["merge=", "automerge="].iter().any(|begin| word.starts_with(begin));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '=' || c == ',' || c == '-';
    let fits = column.eq_ignore_ascii_case(table) && known && word.chars().chain(table.chars()).all(plain);
    fits.then(|| format!("INSERT INTO {table}({table}) VALUES('{word}')").into())
}

/// The columns of a virtual table as its module makes them, and the arguments that are none.
fn virtual_columns(module: &str, args: &[String]) -> Read<(Vec<ColumnDef>, Vec<Name>)> {
    let tree = matches!(module, "rtree" | "rtree_i32");
    if !tree && !matches!(module, "fts3" | "fts4" | "fts5") {
        return unread(&format!("a virtual table of '{module}'"));
    }
    let (mut columns, mut options) = (Vec::new(), Vec::new());
    for arg in args {
        if arg.contains('=') {
            options.push(arg.as_str().into());
            continue;
        }
        let (name, rest) = arg.split_once(' ').unwrap_or((arg, ""));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(plain) || tree && !rest.is_empty() {
            return unread(&format!("the argument '{arg}' of '{module}'"));
        }
        let (kind, affinity) = match (tree, columns.len(), module) {
            (true, 0, _) | (true, _, "rtree_i32") => (Kind::Int, Affinity::Integer),
            (true, ..) => (Kind::Real, Affinity::Real),
            (false, ..) => (Kind::Any, Affinity::Blob),
        };
        columns.push(ColumnDef::plain(name, rest, kind, affinity));
    }
    if columns.is_empty() {
        return unread("a virtual table without columns");
    }
    Ok((columns, options))
}
