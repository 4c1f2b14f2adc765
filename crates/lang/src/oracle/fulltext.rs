//! Searches that are composed of others, and an index that was merged or rebuilt.
//!
//! Claim: a search for two words finds the rows that both words are found in, one for either word those of each, one
//! for the first without the second the rest of the first; a phrase, or words near each other, are found only where
//! both are; a word is found wherever it is the beginning of a word, and in one of the columns; and a statement to the
//! module that changes nothing but how its index is stored changes no result, nor what is said of where words are.
//!
//! ```sql
//! SELECT rowid FROM f WHERE f MATCH 'run AND sky';                                  -- the same rows as
//! SELECT rowid FROM f WHERE f MATCH 'run' AND rowid IN (SELECT rowid FROM f WHERE f MATCH 'sky');
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::schema::{ROWID, Table};
use crate::sql::{print, search};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Module, SearchSyntax, Shown};
use qualm_core::relation::{Equality, Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "fulltext",
    claim: "a search finds what its parts find, and merging its index changes nothing",
    example: "f MATCH 'a AND b'  =  f MATCH 'a' AND rowid IN (SELECT rowid FROM f WHERE f MATCH 'b')",
    weight: 1,
    propose,
    derive,
    lacks: |dialect| {
        dialect.modules.iter().all(|m| m.search.is_none()).then_some("tables for full-text search (`modules`)")
    },
    ..PLAIN
};

const BOTH: &str = "both";
const EITHER: &str = "either";
const WITHOUT: &str = "without";
const PHRASE: &str = "phrase";
const NEAR: &str = "near";
const PREFIX: &str = "prefix";
const COLUMN: &str = "column";
const COMMAND: &str = "command";
/// The same for what the functions of the module say, of a search for both words, either, and so on.
const SHOWN: &str = "shown";
const SHOWN_BOTH: &str = "shown both";
const SHOWN_EITHER: &str = "shown either";
const SHOWN_PHRASE: &str = "shown phrase";
const SHOWN_NEAR: &str = "shown near";
const SHOWN_PREFIX: &str = "shown prefix";

const FORMS: [&str; 13] = [
    BOTH,
    EITHER,
    WITHOUT,
    PHRASE,
    NEAR,
    PREFIX,
    COLUMN,
    COMMAND,
    SHOWN_BOTH,
    SHOWN_EITHER,
    SHOWN_PHRASE,
    SHOWN_NEAR,
    SHOWN_PREFIX,
];

/// The words are the literals of two searches in the WHERE of the query; what else a form needs is in the question's
/// predicate: a command to the module.
fn propose(g: &mut Generator) -> Option<Question> {
    let tables: Vec<&Table> = g.schema.tables.iter().filter(|t| t.search.is_some() && t.rowid).collect();
    let table = if tables.is_empty() { None } else { Some((*g.rng.pick(&tables)).clone()) }?;
    let form = *g.rng.pick(&FORMS);
    let (a, b) = (search::word(g.pool, g.rng), search::word(g.pool, g.rng));
    let filter = found(&table.name, &a).and(found(&table.name, &b));
    let mut question = Question::of(select(&table.name, filter), form);
    if form == COMMAND || form.starts_with(SHOWN) {
        let commands = module(&table.name, g.state, g.dialect().modules)?.commands;
        let text = if commands.is_empty() { None } else { Some(*g.rng.pick(commands)) }?;
        question.predicate = Some(Expr::text(text));
    }
    Some(question)
}

fn module(table: &str, state: &[Statement], modules: &'static [Module]) -> Option<&'static Module> {
    state.iter().find_map(|s| match s {
        Statement::CreateTable(t) if t.name == table => Module::named(modules, &t.module.as_ref()?.0),
        _ => None,
    })
}

fn found(table: &str, words: &str) -> Expr {
    Expr::Binary(Binary::Match, Box::new(Expr::column(table, table)), Box::new(Expr::text(words)))
}

fn number(table: &str) -> Expr {
    Expr::column(table, ROWID)
}

/// The numbers of the rows that meet a condition.
fn select(table: &Name, filter: Expr) -> Query {
    let source = Source::Table { name: table.clone(), alias: table.clone(), hint: Hint::None };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    Query::of(Select { items: vec![Item::bare(number(table))], from, filter: Some(filter), ..Select::default() })
}

/// The table and the two words that a question is about.
fn parts(q: &Query) -> Option<(&Name, &str, &str)> {
    let select = q.select()?;
    let [Joined { source: Source::Table { name, .. }, .. }] = select.from.as_slice() else { return None };
    let Some(Expr::Binary(Binary::And, a, b)) = &select.filter else { return None };
    let word = |e: &'_ Expr| match e {
        Expr::Binary(Binary::Match, _, words) => match &**words {
            Expr::Literal(Literal::Text(t)) => Some(t.clone()),
            _ => None,
        },
        _ => None,
    };
    // Anything else would mean something of its own to a module.
    let plain =
        |w: &str| w.len() >= 3 && w.chars().all(|c| c.is_ascii_lowercase()) && !matches!(w, "and" | "not" | "near");
    let text = |e: &'_ Expr| word(e).is_some_and(|w| plain(&w));
    if !text(a) || !text(b) {
        return None;
    }
    let (Expr::Binary(_, _, a), Expr::Binary(_, _, b)) = (&**a, &**b) else { return None };
    match (&**a, &**b) {
        (Expr::Literal(Literal::Text(a)), Expr::Literal(Literal::Text(b))) => Some((name, a, b)),
        _ => None,
    }
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let (name, a, b) = parts(&q.query)?;
    let table = at.schema.table(name).filter(|t| t.rowid)?;
    let syntax: SearchSyntax = table.search?;
    let of = |form: &str, number: &str| select(name, found(name, &search::fill(form, a, b, "", number)));
    let in_second = |negated: bool| {
        let (expr, query) = (Box::new(number(name)), Box::new(select(name, found(name, b))));
        Expr::InQuery { expr, query, negated }
    };
    let same = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
    let within = Relation::Contains { big: 0, small: 1, order: Order::Bag, equality: Equality::Exact };
    let both = select(name, found(name, a).and(in_second(false)));
    let (claim, first, second) = match q.form.as_str() {
        BOTH => (same, both, of(syntax.both, "")),
        EITHER => (same, union(select(name, found(name, a)), select(name, found(name, b))), of(syntax.either, "")),
        WITHOUT if syntax.without.is_empty() => return None,
        WITHOUT => (same, select(name, found(name, a).and(in_second(true))), of(syntax.without, "")),
        PHRASE => (within, both, of(syntax.phrase, "")),
        NEAR => (within, both, of(syntax.near, "3")),
        PREFIX => (within, of(syntax.prefix, ""), select(name, found(name, a))),
        COLUMN => (same, in_columns(name, table, a)?, select(name, found(name, a))),
        COMMAND => return command(q, name, select(name, found(name, a)), at),
        form => {
            let words = search::fill(shown(form, &syntax)?, a, b, "", "3");
            return command(q, name, with_shown(select(name, found(name, &words)), name, &syntax), at);
        }
    };
    let script = vec![
        Step::query("put together from searches", print::query(&first, at.dialect)),
        Step::query("as one search", print::query(&second, at.dialect)),
    ];
    Some(Derived { script, claim })
}

fn union(left: Query, right: Query) -> Query {
    let body = Body::Compound { op: SetOp::Union, left: Box::new(left.body), right: Box::new(right.body) };
    Query { with: Vec::new(), body, order_by: Vec::new(), limit: None }
}

/// What is found in one column or another.
fn in_columns(name: &Name, table: &Table, word: &str) -> Option<Query> {
    let column = |c: &Name| {
        let of = Box::new(Expr::column(name, c));
        select(name, Expr::Binary(Binary::Match, of, Box::new(Expr::text(word))))
    };
    let mut all = table.columns.iter().map(|c| column(&c.name));
    let first = all.next()?;
    let first = union(first.clone(), first);
    Some(all.fold(first, union))
}

/// How the two words are put together where it is asked how they were found.
fn shown<'a>(form: &str, syntax: &'a SearchSyntax) -> Option<&'a str> {
    match form {
        SHOWN_BOTH => Some(syntax.both),
        SHOWN_EITHER => Some(syntax.either),
        SHOWN_PHRASE => Some(syntax.phrase),
        SHOWN_NEAR => Some(syntax.near),
        SHOWN_PREFIX => Some(syntax.prefix),
        _ => None,
    }
}

/// The query with what the module's functions say of each row.
fn with_shown(mut query: Query, table: &Name, syntax: &SearchSyntax) -> Query {
    let argument = |shown: &Shown| match shown {
        Shown::Number(i) => Expr::int(*i),
        Shown::Text(t) => Expr::text(*t),
    };
    if let Body::Select(select) = &mut query.body {
        for (function, arguments) in syntax.shows {
            let all = [Expr::column(table, table)].into_iter().chain(arguments.iter().map(argument));
            select.items.push(Item::bare(Expr::call(function, all.collect())));
        }
    }
    query
}

fn command(q: &Question, name: &Name, query: Query, at: &Setting) -> Option<Derived> {
    let Some(Expr::Literal(Literal::Text(text))) = &q.predicate else { return None };
    let known = module(name, at.state, at.dialect.modules)?.commands;
    if !known.contains(&text.as_str()) {
        return None;
    }
    let query = print::query(&query, at.dialect);
    let script = vec![
        Step::query("before", query.clone()),
        Step::run(text.replace("{table}", name)),
        Step::query("after", query),
    ];
    let claim = Relation::Unchanged { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
    Some(Derived { script, claim })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    fn asked(form: &str, module: &str, words: &str) -> Option<Vec<String>> {
        let text = format!(
            "CREATE VIRTUAL TABLE f USING {module}(a, b); \
             SELECT rowid FROM f WHERE f MATCH '{words}' AND f MATCH 'sky';"
        );
        derived_texts(&text, &SQLITE, |q| Question::of(q, form), derive)
    }

    #[test]
    fn words_are_put_together_as_the_module_has_it() {
        let second = |form, module| asked(form, module, "run").map(|texts| texts[1].clone());
        let found = |words: &str| Some(format!("SELECT f.rowid FROM f WHERE f.f MATCH '{words}'"));
        assert_eq!(second(BOTH, "fts5"), found("run AND sky"));
        assert_eq!(second(BOTH, "fts4"), found("run sky"));
        assert_eq!(second(NEAR, "fts5"), found("NEAR(run sky, 3)"));
        assert_eq!(second(WITHOUT, "fts4"), None, "not every build reads NOT");
        assert_eq!(asked(BOTH, "fts5", "ru-n"), None, "two words to some tokenizers");
    }

    #[test]
    fn what_is_said_of_where_words_were_found_is_asked_before_and_after() {
        let text = "CREATE VIRTUAL TABLE f USING fts5(a, b); \
                    SELECT rowid FROM f WHERE f MATCH 'run' AND f MATCH 'sky';";
        let command = "INSERT INTO {table}({table}) VALUES ('optimize')";
        let asked = |q| {
            let mut question = Question::of(q, SHOWN_NEAR);
            question.predicate = Some(Expr::text(command));
            question
        };
        let texts = derived_texts(text, &SQLITE, asked, derive).unwrap();
        assert_eq!(texts[1], "INSERT INTO f(f) VALUES ('optimize')");
        assert_eq!(texts[0], texts[2]);
        assert!(texts[0].starts_with("SELECT f.rowid, highlight(f.f, 0, '<', '>'), snippet(f.f, -1, "), "{}", texts[0]);
        assert!(texts[0].ends_with(" FROM f WHERE f.f MATCH 'NEAR(run sky, 3)'"), "{}", texts[0]);
    }
}
