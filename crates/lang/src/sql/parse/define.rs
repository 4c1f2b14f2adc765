//! Statements that build a state, read with the parser's tools: DDL and data as SQLite writes them, types of any name,
//! table options, generated columns. Queries and expressions are `convert.rs`.

use super::changes::{has_partner, of_partner, without_alias};
use super::convert::{Read, expr, name, object, query};
use super::{modules, spelling};
use crate::sql::ast::*;
use qualm_core::dialect::sql::{Affinity, Dialect, Kind, same_type};
use sqlparser::keywords::Keyword as K;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

pub struct Definer<'a, 'p> {
    pub parser: &'a mut Parser<'p>,
    pub dialect: &'static Dialect,
    pub theirs: &'a dyn sqlparser::dialect::Dialect,
}

/// What is written at a column and is the table's to our tree: a CHECK, a primary key from the greatest to the least, a
/// foreign key.
#[derive(Default)]
struct Beside {
    check: Option<Expr>,
    descending: bool,
    foreign_key: Option<ForeignKey>,
}

pub(super) fn message(e: ParserError) -> String {
    match e {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => text,
        ParserError::RecursionLimitExceeded => "nested too deeply".into(),
    }
}

pub(super) fn unread<T>(what: &str) -> Read<T> {
    Err(format!("{what} is not read"))
}

impl Definer<'_, '_> {
    pub(super) fn word(&mut self, keyword: K) -> bool {
        self.parser.parse_keyword(keyword)
    }

    pub(super) fn words(&mut self, keywords: &[K]) -> bool {
        self.parser.parse_keywords(keywords)
    }

    pub(super) fn want(&mut self, token: &Token) -> Read<()> {
        self.parser.expect_token(token).map(|_| ()).map_err(message)
    }

    pub(super) fn took(&mut self, token: &Token) -> bool {
        self.parser.consume_token(token)
    }

    /// Words in the dialect's own spelling; nothing where it has none.
    pub(super) fn spelled(&mut self, text: &str) -> bool {
        !text.is_empty() && spelling::took(self.parser, text, self.theirs).is_some()
    }

    pub(super) fn ident(&mut self) -> Read<Name> {
        self.parser.parse_identifier().map(|i| name(&i)).map_err(message)
    }

    pub(super) fn table(&mut self) -> Read<Name> {
        self.parser.parse_object_name(false).map_err(message).and_then(|n| object(&n))
    }

    pub(super) fn expr(&mut self) -> Read<Expr> {
        self.parser.parse_expr().map_err(message).and_then(|e| expr(&e))
    }

    pub(super) fn in_parentheses<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.want(&Token::LParen)?;
        let inner = read(self)?;
        self.want(&Token::RParen)?;
        Ok(inner)
    }

    pub(super) fn listed<T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut list = vec![read(self)?];
        while self.took(&Token::Comma) {
            list.push(read(self)?);
        }
        Ok(list)
    }

    pub(super) fn names(&mut self) -> Read<Vec<Name>> {
        self.in_parentheses(|d| d.listed(Self::ident))
    }

    /// A whole query, up to the end of the statement or to what cannot belong to it.
    pub fn query(&mut self) -> Read<Query> {
        self.parser.parse_query().map_err(message).and_then(|q| query(&q))
    }

    pub fn lone_expr(&mut self) -> Read<Expr> {
        let e = self.expr()?;
        self.end()?;
        Ok(e)
    }

    pub fn end(&mut self) -> Read<()> {
        while self.took(&Token::SemiColon) {}
        match &self.parser.peek_token_ref().token {
            Token::EOF => Ok(()),
            other => Err(format!("'{other}' is not expected here")),
        }
    }

    /// A statement that is no query.
    pub fn statement(&mut self) -> Read<Statement> {
        let made = self.unfinished()?;
        self.end()?;
        Ok(made)
    }

    /// A statement, whatever follows it.
    pub(super) fn unfinished(&mut self) -> Read<Statement> {
        if let Some(word) = self.transaction()? {
            return Ok(Statement::Transaction(word));
        }
        let made = if self.words(&[K::CREATE, K::TABLE]) {
            self.create_table()?
        } else if self.words(&[K::CREATE, K::VIRTUAL, K::TABLE]) {
            self.create_virtual()?
        } else if self.words(&[K::CREATE, K::UNIQUE, K::INDEX]) {
            self.create_index(true)?
        } else if self.words(&[K::CREATE, K::INDEX]) {
            self.create_index(false)?
        } else if self.words(&[K::CREATE, K::VIEW]) {
            self.create_view()?
        } else if self.words(&[K::CREATE, K::TRIGGER]) {
            self.create_trigger()?
        } else if self.word(K::INSERT) {
            self.insert("INSERT")?
        } else if self.word(K::REPLACE) {
            self.insert("REPLACE")?
        } else if self.word(K::MERGE) {
            self.merge()?
        } else if self.word(K::UPDATE) {
            self.update()?
        } else if self.words(&[K::DELETE, K::FROM]) {
            let table = self.table()?;
            let alias = self.row_alias()?;
            let mut filter = self.filter()?;
            self.returning()?;
            without_alias(&table, alias, &mut filter)?;
            Statement::Delete { table, filter }
        } else if self.words(&[K::ALTER, K::TABLE]) {
            self.alter()?
        } else if self.words(&[K::DROP, K::INDEX]) {
            let name = self.table()?;
            let on = self.dialect.spelling.drop_index_names_table && self.word(K::ON);
            Statement::DropIndex { name, table: if on { self.table()? } else { Name::default() } }
        } else {
            return unread("this kind of statement");
        };
        Ok(made)
    }

    pub(super) fn filter(&mut self) -> Read<Option<Expr>> {
        if self.word(K::WHERE) { self.expr().map(Some) } else { Ok(None) }
    }

    // ------------------------------------------------------------ tables

    fn create_table(&mut self) -> Read<Statement> {
        self.words(&[K::IF, K::NOT, K::EXISTS]);
        let mut table = empty_table(self.table()?);
        if self.parser.peek_token_ref().token != Token::LParen {
            return unread("CREATE TABLE AS");
        }
        self.in_parentheses(|d| d.listed(|d| d.table_part(&mut table)).map(|_| ()))?;
        loop {
            if self.words(&[K::WITHOUT, K::ROWID]) {
                table.without_rowid = true;
            } else if self.word(K::STRICT) {
                table.strict = true;
            } else {
                break;
            }
            self.took(&Token::Comma);
        }
        table.variant = self.table_options(&table);
        for column in &mut table.columns {
            (column.kind, column.affinity) = kind_of(&column.type_name, table.strict, self.dialect);
        }
        Ok(Statement::CreateTable(table))
    }

    /// How the table is stored, where the dialect says so. The first plain column is the one that is spoken of where
    /// none is.
    fn table_options(&mut self, table: &CreateTable) -> Option<(u8, Name)> {
        let spelling = &self.dialect.spelling;
        if self.spelled(spelling.table_suffix) {
            return None;
        }
        for (at, variant) in (0..).zip(spelling.table_variants) {
            if let Some(column) = spelling::took(self.parser, variant, self.theirs) {
                let plain = || table.columns.iter().find(|c| c.generated.is_none()).map(|c| c.name.clone());
                return Some((at, column.or_else(plain).unwrap_or_default()));
            }
        }
        None
    }

    fn table_part(&mut self, table: &mut CreateTable) -> Read<()> {
        if self.word(K::CONSTRAINT) {
            self.ident()?;
        }
        if self.words(&[K::PRIMARY, K::KEY]) {
            table.primary_key = self.key(0, &mut table.key_terms)?;
            self.no_conflict_clause()
        } else if self.parser.peek_nth_token_ref(1).token == Token::LParen && self.word(K::UNIQUE) {
            let at = u8::try_from(table.unique.len() + 1).map_err(|_| "too many keys are not read".to_owned())?;
            table.unique.push(self.key(at, &mut table.key_terms)?);
            self.no_conflict_clause()
        } else if self.parser.peek_nth_token_ref(1).token == Token::LParen && self.word(K::CHECK) {
            let check = self.in_parentheses(Self::expr)?;
            also(&mut table.check, check);
            Ok(())
        } else if self.words(&[K::FOREIGN, K::KEY]) {
            let key = self.foreign_key()?;
            table.foreign_keys.push(key);
            Ok(())
        } else {
            let (column, beside) = self.column()?;
            if beside.descending {
                let column = column.name.clone();
                table.primary_key = vec![column.clone()];
                table.key_terms.push(KeyTerm { key: 0, column, collation: None, descending: true });
            }
            table.columns.push(column);
            table.foreign_keys.extend(beside.foreign_key);
            beside.check.into_iter().for_each(|c| also(&mut table.check, c));
            Ok(())
        }
    }

    /// The columns of a key that is written behind the columns of the table.
    fn key(&mut self, key: u8, terms: &mut Vec<KeyTerm>) -> Read<Vec<Name>> {
        self.in_parentheses(|d| {
            d.listed(|d| {
                let column = d.ident()?;
                let collation = if d.word(K::COLLATE) { Some(d.ident()?) } else { None };
                let descending = d.word(K::DESC);
                if !descending {
                    d.word(K::ASC);
                }
                if collation.is_some() || descending {
                    terms.push(KeyTerm { key, column: column.clone(), collation, descending });
                }
                Ok(column)
            })
        })
    }

    fn no_conflict_clause(&mut self) -> Read<()> {
        // What is done about a row that is in the way: what the table holds in the end keeps the constraint.
        if self.words(&[K::ON, K::CONFLICT]) {
            let ways = [K::ROLLBACK, K::ABORT, K::FAIL, K::IGNORE, K::REPLACE];
            return self.parser.expect_one_of_keywords(&ways).map(|_| ()).map_err(message);
        }
        Ok(())
    }

    fn column(&mut self) -> Read<(ColumnDef, Beside)> {
        let name = self.ident()?;
        let written = self.type_name()?;
        let (before, after) = self.dialect.spelling.nullable;
        let inner = written.strip_prefix(before).and_then(|t| t.strip_suffix(after));
        let type_name = inner.unwrap_or(&written);
        let known = self.dialect.types.iter().find(|t| same_type(t.name, type_name) && t.kind.is_special());
        let type_name: Name = known.map_or_else(|| type_name.into(), |t| t.name.into());
        let (kind, affinity) = kind_of(&type_name, false, self.dialect);
        let mut column = ColumnDef::plain(name, type_name, kind, affinity);
        let mut beside = Beside::default();
        while self.constraint(&mut column, &mut beside)? {}
        if beside.descending && column.type_name.eq_ignore_ascii_case("INTEGER") {
            // Behind the columns it would be the number of the row; here it is a key like any other.
            (column.unique, beside.descending) = (true, false);
        }
        // Where the type says that NULL may be there, one that does not says that it may not.
        column.not_null |= !before.is_empty() && inner.is_none() && !column.primary_key;
        Ok((column, beside))
    }

    fn constraint(&mut self, column: &mut ColumnDef, beside: &mut Beside) -> Read<bool> {
        if self.word(K::CONSTRAINT) {
            self.ident()?;
        }
        if self.words(&[K::PRIMARY, K::KEY]) {
            self.word(K::ASC);
            beside.descending = self.word(K::DESC);
            column.primary_key = !beside.descending;
            self.no_conflict_clause()?;
            column.autoincrement = self.word(K::AUTOINCREMENT);
        } else if self.words(&[K::NOT, K::NULL]) {
            column.not_null = true;
            self.no_conflict_clause()?;
        } else if self.word(K::NULL) {
        } else if self.word(K::UNIQUE) {
            column.unique = true;
            self.no_conflict_clause()?;
        } else if self.word(K::CHECK) {
            let more = self.in_parentheses(Self::expr)?;
            also(&mut beside.check, more);
        } else if self.word(K::DEFAULT) {
            let value = self.parser.parse_prefix().map_err(message).and_then(|e| expr(&e))?;
            column.default = Some(self.default(value)?);
        } else if self.word(K::COLLATE) {
            column.collation = Some(self.ident()?);
        } else if self.words(&[K::GENERATED, K::ALWAYS, K::AS]) || self.word(K::AS) {
            let expr = self.in_parentheses(Self::expr)?;
            let stored = self.word(K::STORED);
            if !stored {
                self.word(K::VIRTUAL);
            }
            column.generated = Some(Generated { expr, stored });
        } else if self.word(K::REFERENCES) {
            // Where it changes no rows it is left out.
            let key = self.referenced(vec![column.name.clone()])?;
            beside.foreign_key = Some(key).filter(ForeignKey::acts);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Words up to a constraint, and what stands in parentheses after them.
    fn type_name(&mut self) -> Read<String> {
        const ENDS: &[K] = &[
            K::CONSTRAINT,
            K::PRIMARY,
            K::NOT,
            K::NULL,
            K::UNIQUE,
            K::CHECK,
            K::DEFAULT,
            K::COLLATE,
            K::REFERENCES,
            K::GENERATED,
            K::AS,
        ];
        let mut text = String::new();
        loop {
            match &self.parser.peek_token_ref().token {
                Token::Word(w) if !ENDS.contains(&w.keyword) => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    text.push_str(&w.value);
                }
                Token::LParen if !text.is_empty() => break,
                _ => return Ok(text),
            }
            self.parser.next_token();
        }
        let mut depth = 0;
        loop {
            let token = self.parser.next_token().token;
            match &token {
                Token::EOF => return unread("this type"),
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            match token {
                Token::Comma => text.push_str(", "),
                other => text.push_str(&other.to_string()),
            }
            if depth == 0 {
                return Ok(text);
            }
        }
    }

    // ------------------------------------------------------------ indexes and views

    fn create_index(&mut self, unique: bool) -> Read<Statement> {
        self.words(&[K::IF, K::NOT, K::EXISTS]);
        let name = self.table()?;
        if !self.word(K::ON) {
            return unread("this CREATE INDEX");
        }
        let table = self.table()?;
        let terms = self.in_parentheses(|d| d.listed(Self::index_term))?;
        let mut variants = (0..).zip(self.dialect.spelling.index_variants);
        let variant = variants.find(|(_, v)| self.spelled(v)).map_or(0, |(at, _)| at);
        let filter = self.filter()?;
        Ok(Statement::CreateIndex(CreateIndex { name, table, unique, terms, filter, variant }))
    }

    pub(super) fn index_term(&mut self) -> Read<IndexTerm> {
        let mut read = self.parser.parse_expr().map_err(message)?;
        let mut collation = None;
        if let sqlparser::ast::Expr::Collate { expr, collation: name } = read {
            collation = Some(object(&name)?);
            read = *expr;
        }
        let descending = self.word(K::DESC);
        if !descending {
            self.word(K::ASC);
        }
        Ok(IndexTerm { expr: expr(&read)?, collation, descending })
    }

    fn create_view(&mut self) -> Read<Statement> {
        self.words(&[K::IF, K::NOT, K::EXISTS]);
        let name = self.table()?;
        let columns = if self.parser.peek_token_ref().token == Token::LParen { self.names()? } else { Vec::new() };
        if !self.word(K::AS) {
            return unread("this CREATE VIEW");
        }
        Ok(Statement::CreateView(CreateView { name, columns, query: self.query()? }))
    }

    // ------------------------------------------------------------ data

    fn verb(&mut self, word: &str) -> Read<Name> {
        if self.word(K::IGNORE) {
            return Ok(format!("{word} OR IGNORE").into());
        }
        if !self.word(K::OR) {
            return Ok(word.into());
        }
        for (keyword, text) in [(K::IGNORE, "IGNORE"), (K::REPLACE, "REPLACE")] {
            if self.word(keyword) {
                return Ok(format!("{word} OR {text}").into());
            }
        }
        // How much is taken back with a row that cannot be.
        match self.word(K::ABORT) || self.word(K::FAIL) || self.word(K::ROLLBACK) {
            true => Ok(word.into()),
            false => unread("this OR"),
        }
    }

    fn insert(&mut self, word: &str) -> Read<Statement> {
        let verb = self.verb(word)?;
        if !self.word(K::INTO) {
            return unread("this INSERT");
        }
        let table = self.table()?;
        self.row_alias()?;
        let columns = if self.parser.peek_token_ref().token == Token::LParen { self.names()? } else { Vec::new() };
        let (mut rows, mut source) = (Vec::new(), None);
        if self.words(&[K::DEFAULT, K::VALUES]) {
            rows.push(Vec::new());
        } else if self.word(K::VALUES) {
            rows = self.listed(|d| d.in_parentheses(|d| d.listed(Self::expr)))?;
        } else if self.parser.peek_keyword(K::SELECT) || self.parser.peek_keyword(K::WITH) {
            source = Some(Box::new(self.query()?));
        } else {
            return unread("INSERT without VALUES");
        }
        let spelling = &self.dialect.spelling;
        let verb = match verb.as_str() {
            "INSERT" if self.spelled(spelling.insert_ignore.1) => "INSERT OR IGNORE".into(),
            "INSERT" if self.spelled(spelling.insert_replace.1) => "REPLACE".into(),
            _ => verb,
        };
        let upsert = self.upserts()?;
        let returning = self.returning()?;
        if let Some(text) = modules::command(&table, &columns, &rows) {
            return Ok(Statement::Maintenance(text));
        }
        Ok(Statement::Insert(Insert { table, verb, columns, rows, source, upsert, returning }))
    }

    pub(super) fn assignments(&mut self) -> Read<Vec<(Name, Expr)>> {
        let set = self.listed(|d| {
            if d.parser.peek_token_ref().token == Token::LParen {
                return d.row_assignment();
            }
            let column = d.ident()?;
            d.want(&Token::Eq)?;
            Ok(vec![(column, d.expr()?)])
        })?;
        Ok(set.into_iter().flatten().collect())
    }

    /// A change of rows that always has a WHERE: `WHERE 1` is that of all rows.
    fn mutation(&mut self, table: Name) -> Read<Statement> {
        let set = if self.word(K::UPDATE) { Some(self.assignments()?) } else { None };
        if set.is_none() && !self.word(K::DELETE) {
            return unread("this ALTER TABLE");
        }
        let filter = self.filter()?.filter(|f| *f != Expr::int(1));
        Ok(match set {
            Some(set) => Statement::Update(Update { table, verb: "UPDATE".into(), set, filter }),
            None => Statement::Delete { table, filter },
        })
    }

    fn update(&mut self) -> Read<Statement> {
        let verb = self.verb("UPDATE")?;
        let table = self.table()?;
        let alias = self.row_alias()?;
        if !self.word(K::SET) {
            return unread("this UPDATE");
        }
        let mut set = self.assignments()?;
        let from = self.partners()?;
        let mut filter = self.filter()?;
        self.returning()?;
        if !from.is_empty() {
            if alias.is_some() {
                return unread("UPDATE FROM of a table that goes by another name");
            }
            (set, filter) = (of_partner(set, &from, &filter), Some(has_partner(&from, &filter)));
        }
        without_alias(&table, alias, set.iter_mut().map(|(_, e)| e).chain(&mut filter))?;
        Ok(Statement::Update(Update { table, verb, set, filter }))
    }

    fn alter(&mut self) -> Read<Statement> {
        let table = self.table()?;
        let mutates = self.parser.peek_keyword(K::UPDATE) || self.parser.peek_keyword(K::DELETE);
        if self.dialect.spelling.mutations_by_alter && mutates {
            return self.mutation(table);
        }
        if self.word(K::ADD) {
            self.word(K::COLUMN);
            return match self.column()? {
                (column, Beside { check: None, descending: false, .. }) => Ok(Statement::AddColumn { table, column }),
                _ => unread("ADD COLUMN with a CHECK or a key"),
            };
        }
        if self.word(K::DROP) {
            self.word(K::COLUMN);
            return Ok(Statement::DropColumn { table, column: self.ident()? });
        }
        if !self.word(K::RENAME) || self.word(K::TO) {
            return unread("RENAME TO");
        }
        self.word(K::COLUMN);
        let from = self.ident()?;
        if !self.word(K::TO) {
            return unread("this ALTER TABLE");
        }
        Ok(Statement::RenameColumn { table, from, to: self.ident()? })
    }
}

pub(super) fn empty_table(name: Name) -> CreateTable {
    CreateTable { name, ..CreateTable::default() }
}

fn also(all: &mut Option<Expr>, more: Expr) {
    *all = Some(match all.take() {
        Some(first) => first.and(more),
        None => more,
    });
}

/// What a declared type does, by the dialect's own names and then by the rules of SQLite's datatype3.
pub fn kind_of(type_name: &str, strict: bool, dialect: &Dialect) -> (Kind, Affinity) {
    let known = dialect.types.iter().find(|t| same_type(t.name, type_name));
    // In a table that is not STRICT, ANY is a name like any other.
    if let Some(spec) = known.filter(|t| strict || t.name != "ANY") {
        return (spec.kind, spec.affinity);
    }
    let upper = type_name.to_ascii_uppercase();
    let has = |parts: &[&str]| parts.iter().any(|p| upper.contains(p));
    if !dialect.dynamic_typing {
        let kind = match () {
            () if has(&["BOOL"]) => Kind::Bool,
            () if has(&["INT"]) => Kind::Int,
            () if has(&["CHAR", "TEXT", "STRING"]) => Kind::Text,
            () if has(&["BLOB", "BYTEA", "BINARY"]) => Kind::Blob,
            () if has(&["FLOAT8", "DOUBLE"]) => Kind::Real,
            // Dates, exact numbers, JSON: of no kind that the generator knows what to do with.
            () => Kind::Any,
        };
        return (kind, Affinity::None);
    }
    if has(&["INT"]) {
        (Kind::Int, Affinity::Integer)
    } else if has(&["CHAR", "CLOB", "TEXT"]) {
        (Kind::Text, Affinity::Text)
    } else if has(&["BLOB"]) {
        (Kind::Blob, Affinity::Blob)
    } else if upper.is_empty() {
        (Kind::Any, Affinity::Blob)
    } else if has(&["REAL", "FLOA", "DOUB"]) {
        (Kind::Real, Affinity::Real)
    } else {
        (Kind::Real, Affinity::Numeric)
    }
}
