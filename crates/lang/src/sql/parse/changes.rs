//! Triggers, foreign keys, ON CONFLICT and transactions, read as statements of the tree.

use super::convert::Read;
use super::define::{Definer, unread};
use crate::sql::ast::*;
use sqlparser::keywords::Keyword as K;
use sqlparser::tokenizer::Token;

impl Definer<'_, '_> {
    /// A word that begins or ends a transaction or a part of it, if one comes next.
    pub(super) fn transaction(&mut self) -> Read<Option<Transaction>> {
        let kinds = [K::DEFERRED, K::IMMEDIATE, K::EXCLUSIVE];
        let read = if self.word(K::BEGIN) {
            let _ = self.parser.parse_one_of_keywords(&kinds);
            self.transaction_word();
            Transaction::Begin
        } else if self.words(&[K::START, K::TRANSACTION]) {
            Transaction::Begin
        } else if self.word(K::SAVEPOINT) {
            Transaction::Savepoint(self.ident()?)
        } else if self.word(K::RELEASE) {
            self.word(K::SAVEPOINT);
            Transaction::Release(self.ident()?)
        } else if self.word(K::COMMIT) || self.word(K::END) {
            self.transaction_word();
            Transaction::Commit
        } else if self.word(K::ROLLBACK) {
            self.transaction_word();
            if self.word(K::TO) {
                self.word(K::SAVEPOINT);
                Transaction::RollbackTo(self.ident()?)
            } else {
                Transaction::Rollback
            }
        } else {
            return Ok(None);
        };
        Ok(Some(read))
    }

    fn transaction_word(&mut self) {
        let _ = self.parser.parse_one_of_keywords(&[K::TRANSACTION, K::WORK]);
    }

    /// What follows FOREIGN KEY.
    pub(super) fn foreign_key(&mut self) -> Read<ForeignKey> {
        let columns = self.names()?;
        if !self.word(K::REFERENCES) {
            return unread("this constraint");
        }
        let table = self.table()?;
        let key = if self.parser.peek_token_ref().token == Token::LParen { self.names()? } else { Vec::new() };
        let mut read = ForeignKey { columns, table, key, on_delete: None, on_update: None, deferred: false };
        while self.word(K::ON) {
            let deletes = self.word(K::DELETE);
            if !deletes && !self.word(K::UPDATE) {
                return unread("this foreign key");
            }
            let action = Some(self.action()?);
            match deletes {
                true => read.on_delete = action,
                false => read.on_update = action,
            }
        }
        if self.word(K::DEFERRABLE) {
            read.deferred = self.words(&[K::INITIALLY, K::DEFERRED]);
            if !read.deferred {
                self.words(&[K::INITIALLY, K::IMMEDIATE]);
            }
        }
        if self.word(K::MATCH) { unread("a foreign key with MATCH") } else { Ok(read) }
    }

    fn action(&mut self) -> Read<Name> {
        let actions: [(&[K], &str); 5] = [
            (&[K::CASCADE], "CASCADE"),
            (&[K::RESTRICT], "RESTRICT"),
            (&[K::NO, K::ACTION], "NO ACTION"),
            (&[K::SET, K::NULL], "SET NULL"),
            (&[K::SET, K::DEFAULT], "SET DEFAULT"),
        ];
        for (words, action) in actions {
            if self.words(words) {
                return Ok(action.into());
            }
        }
        unread("the action of a foreign key")
    }

    pub(super) fn upserts(&mut self) -> Read<Vec<Upsert>> {
        let mut clauses = Vec::new();
        while self.words(&[K::ON, K::CONFLICT]) {
            let key = if self.parser.peek_token_ref().token == Token::LParen { self.names()? } else { Vec::new() };
            if self.words(&[K::DO, K::NOTHING]) {
                clauses.push(Upsert { key, set: Vec::new(), filter: None });
                continue;
            }
            if !self.words(&[K::DO, K::UPDATE, K::SET]) {
                return unread("ON CONFLICT");
            }
            let set = self.assignments()?;
            clauses.push(Upsert { key, set, filter: self.filter()? });
        }
        Ok(clauses)
    }

    pub(super) fn returning(&mut self) -> Read<bool> {
        let there = self.word(K::RETURNING);
        if there && !self.took(&Token::Mul) {
            return unread("RETURNING of anything but all columns");
        }
        Ok(there)
    }

    pub(super) fn create_trigger(&mut self) -> Read<Statement> {
        self.words(&[K::IF, K::NOT, K::EXISTS]);
        let name = self.table()?;
        let timing = if self.word(K::BEFORE) {
            Timing::Before
        } else if self.word(K::AFTER) {
            Timing::After
        } else if self.words(&[K::INSTEAD, K::OF]) {
            Timing::InsteadOf
        } else {
            // As SQLite has it.
            Timing::Before
        };
        let mut of = Vec::new();
        let event = if self.word(K::INSERT) {
            Event::Insert
        } else if self.word(K::DELETE) {
            Event::Delete
        } else if self.word(K::UPDATE) {
            if self.word(K::OF) {
                of = self.listed(Self::ident)?;
            }
            Event::Update
        } else {
            return unread("this CREATE TRIGGER");
        };
        if !self.word(K::ON) {
            return unread("this CREATE TRIGGER");
        }
        let table = self.table()?;
        self.words(&[K::FOR, K::EACH, K::ROW]);
        let when = if self.word(K::WHEN) { Some(self.expr()?) } else { None };
        let body = self.trigger_body()?;
        Ok(Statement::CreateTrigger(Box::new(CreateTrigger { name, table, timing, event, of, when, body })))
    }

    /// Changes of rows between BEGIN and END, or one without them.
    fn trigger_body(&mut self) -> Read<Vec<Statement>> {
        if !self.word(K::BEGIN) {
            return Ok(vec![self.change()?]);
        }
        let mut body = Vec::new();
        while !self.word(K::END) {
            body.push(self.change()?);
            self.want(&Token::SemiColon)?;
        }
        Ok(body)
    }

    fn change(&mut self) -> Read<Statement> {
        let made = self.unfinished()?;
        match &made {
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } => Ok(made),
            _ => unread("this statement of a trigger"),
        }
    }
}
