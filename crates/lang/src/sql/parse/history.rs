//! Statements that the tree has no place for, said with others that leave the same tables behind: CREATE TABLE AS,
//! DROP TABLE, RENAME TO; and words in an order that the reader knows (TEMP, WITH before INSERT).

use super::changes::own_columns;
use super::stored::is_question;
use super::{Parsed, What, mentions, names, one};
use crate::sql::asking::{Asking, Facts};
use crate::sql::ast::*;
use crate::sql::typing::{self, Schema};
use crate::sql::{print, walk};
use qualm_core::dialect::sql::{Affinity, Dialect};
use sqlparser::tokenizer::{Token, TokenWithSpan};

// ---------------------------------------------------------------- words

/// `CREATE TEMP TABLE` without TEMP, because whose table it is changes nothing of what it holds; and
/// `WITH … INSERT INTO t SELECT …` as `INSERT INTO t WITH … SELECT …`.
pub fn usual_order(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is = |t: &TokenWithSpan, words: &[&str]| match &t.token {
        Token::Word(w) => w.quote_style.is_none() && words.iter().any(|x| w.value.eq_ignore_ascii_case(x)),
        _ => false,
    };
    let plain: Vec<usize> =
        (0..tokens.len()).filter(|i| !matches!(tokens[*i].token, Token::Whitespace(_))).take(2).collect();
    let [first, second] = plain.as_slice() else { return tokens };
    if is(&tokens[*first], &["CREATE"]) && is(&tokens[*second], &["TEMP", "TEMPORARY"]) {
        tokens.remove(*second);
        return tokens;
    }
    if !is(&tokens[*first], &["WITH"]) {
        return tokens;
    }
    let outside = |from: usize, words: &[&str]| {
        let mut depth = 0;
        (from..tokens.len()).find(|i| {
            depth += i32::from(tokens[*i].token == Token::LParen) - i32::from(tokens[*i].token == Token::RParen);
            depth == 0 && is(&tokens[*i], words)
        })
    };
    let Some(insert) = outside(0, &["INSERT", "SELECT", "VALUES"]).filter(|i| is(&tokens[*i], &["INSERT"])) else {
        return tokens;
    };
    let Some(select) = outside(insert, &["SELECT", "VALUES"]).filter(|i| is(&tokens[*i], &["SELECT"])) else {
        return tokens;
    };
    let (with, rest) = tokens.split_at(insert);
    let (head, query) = rest.split_at(select - insert);
    [head, with, query].concat()
}

// ---------------------------------------------------------------- statements

/// What a statement does to a table as a whole.
enum Fate {
    Drop { name: Name, perhaps: bool },
    Rename { from: Name, to: Name },
    Keep { name: Name, query: Box<Query> },
}

/// Statements are cut out, renamed or written in two, so that those that remain say what the script does. Only where
/// tables are as SQLite has them.
pub fn settle(script: &mut Vec<Parsed>, dialect: &'static Dialect) {
    if !dialect.dynamic_typing {
        return;
    }
    let mut at = 0;
    while at < script.len() {
        let unread = matches!(script[at].what, What::Unread(_));
        let Some(fate) = fate(&script[at].text, dialect).filter(|_| unread) else {
            at += 1;
            continue;
        };
        let before = &mut script[..at];
        match fate {
            Fate::Drop { name, perhaps } => {
                let known = before.iter().any(|p| matches!(&p.what, What::Statement(s) if makes(s, &name)));
                if !known && !perhaps {
                    at += 1;
                    continue;
                }
                script.remove(at);
                let mut place = 0;
                script.retain(|p| {
                    place += 1;
                    place > at || !matches!(&p.what, What::Statement(s) if is_about(s, &name))
                });
                at -= place - script.len();
            }
            // What a change did to it that could not be read is not known under the new name either.
            Fate::Rename { from, .. } if is_unknown(before, &from) => at += 1,
            Fate::Rename { from, to } => {
                before.iter_mut().for_each(|p| rename(p, &from, &to));
                script.remove(at);
            }
            Fate::Keep { name, query } => {
                let Some(two) = kept(before, name, *query, dialect) else {
                    at += 1;
                    continue;
                };
                let line = script[at].line;
                let parsed =
                    |s: Statement| Parsed { text: print::statement(&s, dialect), line, what: What::Statement(s) };
                script.splice(at..=at, two.map(parsed));
                at += 2;
            }
        }
    }
}

fn words(text: &str) -> Vec<&str> {
    text.trim_end_matches(|c: char| c == ';' || c.is_whitespace()).split_whitespace().collect()
}

fn fate(text: &str, dialect: &'static Dialect) -> Option<Fate> {
    let words = words(text);
    let upper: Vec<String> = words.iter().take(6).map(|w| w.to_ascii_uppercase()).collect();
    let upper: Vec<&str> = upper.iter().map(String::as_str).collect();
    let name = |word: &str| -> Option<Name> {
        let plain = word.trim_matches(|c| matches!(c, '"' | '`' | '[' | ']'));
        let plain = plain.rsplit('.').next()?;
        plain.chars().all(|c| c.is_alphanumeric() || c == '_').then(|| plain.into())
    };
    match upper.as_slice() {
        ["DROP", "TABLE" | "VIEW" | "TRIGGER", "IF", "EXISTS", _] => {
            Some(Fate::Drop { name: name(words[4])?, perhaps: true })
        }
        ["DROP", "TABLE" | "VIEW" | "TRIGGER", _] => Some(Fate::Drop { name: name(words[2])?, perhaps: false }),
        ["ALTER", "TABLE", _, "RENAME", "TO", _] => Some(Fate::Rename { from: name(words[2])?, to: name(words[5])? }),
        ["CREATE", "TABLE", _, "AS", ..] | ["CREATE", "TEMP" | "TEMPORARY", "TABLE", _, "AS", ..] => {
            let named = upper.iter().position(|w| *w == "TABLE")? + 1;
            let begins = words[named + 2].as_ptr() as usize - text.as_ptr() as usize;
            let What::Query(query) = one(&text[begins..], dialect) else { return None };
            Some(Fate::Keep { name: name(words[named])?, query: Box::new(query) })
        }
        _ => None,
    }
}

fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// Whether a change that could not be read speaks of the table.
fn is_unknown(before: &[Parsed], table: &str) -> bool {
    let changes = |p: &&Parsed| matches!(p.what, What::Unread(_)) && !is_question(&p.text);
    before.iter().filter(changes).any(|p| mentions(&p.text, table))
}

fn makes(s: &Statement, name: &str) -> bool {
    match s {
        Statement::CreateTable(t) => same(&t.name, name),
        Statement::CreateView(v) => same(&v.name, name),
        Statement::CreateTrigger(t) => same(&t.name, name),
        _ => false,
    }
}

/// Whether nothing is left of a statement when what has this name is gone.
fn is_about(s: &Statement, name: &str) -> bool {
    match s {
        Statement::CreateTable(t) => same(&t.name, name),
        Statement::CreateView(v) => same(&v.name, name),
        Statement::CreateTrigger(t) => same(&t.name, name) || same(&t.table, name),
        Statement::CreateIndex(i) => same(&i.table, name),
        Statement::Insert(i) => same(&i.table, name),
        Statement::Update(u) => same(&u.table, name),
        Statement::Delete { table, .. } => same(table, name),
        Statement::AddColumn { table, .. } | Statement::DropColumn { table, .. } => same(table, name),
        Statement::RenameColumn { table, .. } | Statement::DropIndex { table, .. } => same(table, name),
        Statement::Transaction(_) | Statement::Maintenance(_) => false,
    }
}

/// A statement before the table got its new name.
fn rename(parsed: &mut Parsed, from: &str, to: &Name) {
    let What::Statement(statement) = &mut parsed.what else { return };
    let turn = |name: &mut Name| {
        if same(name, from) {
            *name = to.clone();
        }
    };
    own_columns(statement);
    match statement {
        Statement::CreateTable(t) => {
            turn(&mut t.name);
            t.foreign_keys.iter_mut().for_each(|f| turn(&mut f.table));
        }
        Statement::CreateTrigger(t) => turn(&mut t.table),
        Statement::CreateIndex(i) => turn(&mut i.table),
        Statement::Insert(i) => turn(&mut i.table),
        Statement::Update(u) => turn(&mut u.table),
        Statement::Delete { table, .. } => turn(table),
        Statement::AddColumn { table, .. } | Statement::DropColumn { table, .. } => turn(table),
        Statement::RenameColumn { table, .. } | Statement::DropIndex { table, .. } => turn(table),
        Statement::CreateView(_) | Statement::Transaction(_) | Statement::Maintenance(_) => {}
    }
    walk::each_select_mut(statement, &mut |s| {
        for member in &mut s.from {
            if let Source::Table { name, .. } = &mut member.source {
                turn(name);
            }
        }
    });
}

/// A table made of a query: its definition, and the rows that are put into it.
fn kept(before: &[Parsed], name: Name, mut query: Query, dialect: &'static Dialect) -> Option<[Statement; 2]> {
    let mut known = true;
    walk::each_select(&query, &mut |s| {
        known &= !s.from.iter().filter_map(|j| j.source.table()).any(|read| is_unknown(before, read));
    });
    if !known {
        return None;
    }
    let mut schema = Schema::in_dialect(dialect);
    for parsed in before {
        if let What::Statement(s) = &parsed.what {
            let mut s = s.clone();
            names::qualify_statement(&mut s, &schema).ok()?;
            schema.apply(&s, dialect).ok()?;
        }
    }
    let written = query.clone();
    names::qualify(&mut query, &schema).ok()?;
    let asking = schema.asking(Facts::asked(Asking::Representatives));
    let columns = typing::query(&query, &asking, dialect).ok()?;
    let column = |c: &typing::Column| {
        // The type says the affinity and nothing else.
        let type_name = match c.traits.affinity {
            Affinity::Integer => "INT",
            Affinity::Text => "TEXT",
            Affinity::Real => "REAL",
            Affinity::Numeric => "NUM",
            Affinity::Blob | Affinity::None => "",
        };
        let (kind, affinity) = super::define::kind_of(type_name, false, dialect);
        (!c.name.is_empty()).then(|| ColumnDef::plain(c.name.clone(), type_name, kind, affinity))
    };
    let columns: Vec<ColumnDef> = columns.iter().map(column).collect::<Option<_>>()?;
    let table = CreateTable { columns, ..super::define::empty_table(name.clone()) };
    let insert = Insert { table: name, verb: "INSERT".into(), source: Some(Box::new(written)), ..Insert::default() };
    Some([Statement::CreateTable(table), Statement::Insert(insert)])
}
