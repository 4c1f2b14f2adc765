//! Triggers, foreign keys, ON CONFLICT and transactions, read as statements of the tree.

use super::convert::{Read, STAR, joined};
use super::define::{Definer, message, unread};
use crate::sql::ast::*;
use crate::sql::evaluate::{Data, Evaluator};
use crate::sql::walk;
use qualm_core::value::Value;
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
        self.referenced(columns)
    }

    /// What follows REFERENCES.
    pub(super) fn referenced(&mut self, columns: Vec<Name>) -> Read<ForeignKey> {
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
            let key = self.conflict_target()?;
            if self.words(&[K::DO, K::NOTHING]) {
                clauses.push(Upsert { key, set: Vec::new(), filter: None, merge: false });
                continue;
            }
            if !self.words(&[K::DO, K::UPDATE, K::SET]) {
                return unread("ON CONFLICT");
            }
            let set = self.assignments()?;
            clauses.push(Upsert { key, set, filter: self.filter()?, merge: false });
        }
        Ok(clauses)
    }

    /// MERGE of given rows: an INSERT that changes the rows in its way.
    pub(super) fn merge(&mut self) -> Read<Statement> {
        let other = || "a MERGE of something else than rows in the way of others is not read".to_string();
        if !self.word(K::INTO) {
            return Err(other());
        }
        let table = self.table()?;
        if !self.word(K::USING) {
            return Err(other());
        }
        let rows = self.in_parentheses(Self::query)?;
        self.word(K::AS);
        if self.ident()? != EXCLUDED || !self.word(K::ON) {
            return Err(other());
        }
        let key = merged_by(&self.expr()?, &table).ok_or_else(other)?;
        let (mut set, mut filter) = (Vec::new(), None);
        if self.words(&[K::WHEN, K::MATCHED]) {
            if self.word(K::AND) {
                filter = Some(self.expr()?);
            }
            if !self.words(&[K::THEN, K::UPDATE, K::SET]) {
                return Err(other());
            }
            set = self.assignments()?;
        }
        if !self.words(&[K::WHEN, K::NOT, K::MATCHED, K::THEN, K::INSERT]) {
            return Err(other());
        }
        let columns = self.names()?;
        let given = self.word(K::VALUES) && {
            let values = self.in_parentheses(|d| d.listed(Self::expr))?;
            values.iter().eq(columns.iter().map(|c| Expr::column(EXCLUDED, c)).collect::<Vec<_>>().iter())
        };
        let rows = merged_rows(rows.body, &columns, &table).filter(|_| given).ok_or_else(other)?;
        let upsert = vec![Upsert { key, set, filter, merge: true }];
        Ok(Statement::Insert(Insert { table, verb: "INSERT".into(), columns, rows, upsert, ..Insert::default() }))
    }

    /// The columns of the key that is spoken of. How it compares them, and for which rows it is, the index knows.
    fn conflict_target(&mut self) -> Read<Vec<Name>> {
        if self.parser.peek_token_ref().token != Token::LParen {
            return Ok(Vec::new());
        }
        let key = self.in_parentheses(|d| {
            d.listed(|d| match d.index_term()?.expr {
                Expr::Column { column, .. } => Ok(column),
                _ => unread("ON CONFLICT over an expression"),
            })
        })?;
        self.filter()?;
        Ok(key)
    }

    /// The tables of UPDATE … FROM.
    pub(super) fn partners(&mut self) -> Read<Vec<Joined>> {
        let mut from = Vec::new();
        let mut more = self.word(K::FROM);
        while more {
            let member = self.parser.parse_table_and_joins().map_err(message)?;
            joined(&member, &mut from)?;
            more = self.took(&Token::Comma);
        }
        Ok(from)
    }

    pub(super) fn returning(&mut self) -> Read<bool> {
        if !self.word(K::RETURNING) {
            return Ok(false);
        }
        if self.took(&Token::Mul) {
            return Ok(true);
        }
        // What is shown of the rows changes none of them.
        self.listed(|d| {
            d.expr()?;
            if d.word(K::AS) {
                d.ident()?;
            }
            Ok(())
        })?;
        Ok(false)
    }

    /// The name that a changed table goes by.
    pub(super) fn row_alias(&mut self) -> Read<Option<Name>> {
        if self.word(K::AS) { self.ident().map(Some) } else { Ok(None) }
    }

    /// `(a, b) = (1, 2)`.
    pub(super) fn row_assignment(&mut self) -> Read<Vec<(Name, Expr)>> {
        let columns = self.names()?;
        self.want(&Token::Eq)?;
        match self.expr()? {
            Expr::Row(values) if values.len() == columns.len() => Ok(columns.into_iter().zip(values).collect()),
            Expr::Scalar(query) if has_plain_items(&query, columns.len()) => {
                let column = |(i, column): (usize, Name)| {
                    let mut one = query.clone();
                    one.select_mut().into_iter().for_each(|s| s.items = vec![s.items.swap_remove(i)]);
                    (column, Expr::Scalar(one))
                };
                Ok(columns.into_iter().enumerate().map(column).collect())
            }
            _ => unread("this row of values"),
        }
    }

    /// A default value that can be said as a literal.
    pub(super) fn default(&self, value: Expr) -> Read<Literal> {
        match value {
            Expr::Literal(literal) => return Ok(literal),
            // A word is a text here.
            Expr::Column { column, .. } => return Ok(Literal::Text(column.into())),
            _ => {}
        }
        let data = Data::default();
        let known = Evaluator::new(self.dialect, &data).and_then(|e| e.constant(&value));
        match known {
            Some(Value::Null) => Ok(Literal::Null),
            Some(Value::Int(i)) => Ok(Literal::Int(i)),
            Some(Value::Real(r)) => Ok(Literal::Real(r)),
            Some(Value::Text(t)) => Ok(Literal::Text(t)),
            Some(Value::Blob(b)) => Ok(Literal::Blob(b)),
            _ => unread("a DEFAULT that is no literal"),
        }
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
        let body = self.trigger_body(&table, timing)?;
        Ok(Statement::CreateTrigger(Box::new(CreateTrigger { name, table, timing, event, of, when, body })))
    }

    /// Changes of rows between BEGIN and END, or one without them. What a SELECT shows there nobody sees, but it may
    /// refuse a row.
    fn trigger_body(&mut self, table: &Name, timing: Timing) -> Read<Vec<Statement>> {
        if !self.word(K::BEGIN) {
            return Ok(vec![self.change()?]);
        }
        let (mut body, mut refuses) = (Vec::new(), false);
        while !self.word(K::END) {
            if self.parser.peek_keyword(K::SELECT) {
                let query = self.parser.parse_query().map_err(message)?;
                refuses |= query.to_string().to_ascii_uppercase().contains("RAISE(");
            } else {
                body.push(self.change()?);
            }
            self.want(&Token::SemiColon)?;
        }
        if refuses || body.is_empty() {
            if timing == Timing::InsteadOf {
                return unread("a trigger that does nothing or refuses rows of a view");
            }
            // A change of no row: the rows of the table depend on its trigger.
            body.push(Statement::Delete { table: table.clone(), filter: Some(Expr::int(0)) });
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

/// So many items that can be shown one by one.
fn has_plain_items(query: &Query, count: usize) -> bool {
    let star = |i: &Item| matches!(&i.expr, Expr::Column { column, .. } if column == STAR);
    let by_place = |o: &OrderItem| matches!(o.expr, Expr::Literal(_));
    let fits = |s: &Select| !s.distinct && s.items.len() == count && !s.items.iter().any(star);
    query.select().is_some_and(fits) && !query.order_by.iter().any(by_place)
}

fn partner(items: Vec<Item>, from: &[Joined], filter: &Option<Expr>) -> Query {
    Query::of(Select { items, from: from.to_vec(), filter: filter.clone(), ..Select::default() })
}

/// Values that UPDATE … FROM sets, each from a row that fits: the only one, or the engine may choose.
pub(super) fn of_partner(set: Vec<(Name, Expr)>, from: &[Joined], filter: &Option<Expr>) -> Vec<(Name, Expr)> {
    let limit = Some(Limit { count: 1, offset: None });
    let one = |e: Expr| Query { limit: limit.clone(), ..partner(vec![Item::bare(e)], from, filter) };
    set.into_iter().map(|(column, e)| (column, Expr::Scalar(Box::new(one(e))))).collect()
}

/// Whether there is such a row at all.
pub(super) fn has_partner(from: &[Joined], filter: &Option<Expr>) -> Expr {
    Expr::Exists { query: Box::new(partner(vec![Item::bare(Expr::int(1))], from, filter)), negated: false }
}

/// The tree has no second name for a table that is changed: its columns have none before them. Under a second name the
/// first is unknown, so that what names it is not read.
pub(super) fn without_alias<'e>(
    table: &Name,
    alias: Option<Name>,
    exprs: impl IntoIterator<Item = &'e mut Expr>,
) -> Read<()> {
    let Some(alias) = alias else { return Ok(()) };
    for e in exprs {
        without_table(e, &alias);
        if without_table(e, table) {
            return Err(format!("the name '{table}' of a table that goes by another is not read"));
        }
    }
    Ok(())
}

/// Columns of the table that is changed, written with its name, as those of DDL are: with none.
pub(super) fn own_columns(statement: &mut Statement) {
    if let Statement::Update(Update { table, set, filter, .. }) = statement {
        for e in set.iter_mut().map(|(_, e)| e).chain(filter) {
            without_table(e, table);
        }
    } else if let Statement::Delete { table, filter: Some(filter) } = statement {
        without_table(filter, table);
    }
}

/// Takes the table away from its columns, and says whether there were any. Those inside a subquery keep it.
fn without_table(e: &mut Expr, name: &Name) -> bool {
    if let Expr::Column { table, .. } = e {
        let named = !table.is_empty() && table.eq_ignore_ascii_case(name);
        if named {
            *table = Name::default();
        }
        return named;
    }
    let mut found = false;
    walk::expr_parts_mut(e, &mut |part| {
        if let walk::PartMut::Expr(x) = part {
            found |= without_table(x, name);
        }
    });
    found
}

/// The columns of `t.a = excluded.a AND t.b = excluded.b`.
fn merged_by(on: &Expr, table: &Name) -> Option<Vec<Name>> {
    match on {
        Expr::Binary(Binary::And, a, b) => {
            let mut key = merged_by(a, table)?;
            key.extend(merged_by(b, table)?);
            Some(key)
        }
        Expr::Binary(Binary::Eq, a, b) => match (&**a, &**b) {
            (Expr::Column { table: of, column }, Expr::Column { table: new, column: same }) => {
                (of == table && new == EXCLUDED && column == same).then(|| vec![column.clone()])
            }
            _ => None,
        },
        _ => None,
    }
}

/// The rows of `SELECT a, b FROM t WHERE FALSE UNION ALL SELECT …`: the table lends its types.
fn merged_rows(body: Body, columns: &[Name], table: &Name) -> Option<Vec<Vec<Expr>>> {
    match body {
        Body::Compound { op: SetOp::UnionAll, left, right } => {
            let mut rows = merged_rows(*left, columns, table)?;
            let Body::Select(row) = *right else { return None };
            let whole = Select { items: row.items.clone(), ..Select::default() } == *row;
            rows.push(row.items.into_iter().map(|i| i.expr).collect());
            whole.then_some(rows)
        }
        Body::Select(types) => {
            let named = |(i, c): (&Item, &Name)| matches!(&i.expr, Expr::Column { column, .. } if column == c);
            let own = types.from.len() == 1 && types.from[0].source.table() == Some(table);
            let none = matches!(types.filter, Some(Expr::Literal(Literal::Bool(false) | Literal::Int(0))));
            let same = types.items.len() == columns.len() && types.items.iter().zip(columns).all(named);
            (own && none && same).then(Vec::new)
        }
        _ => None,
    }
}
