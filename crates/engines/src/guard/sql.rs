//! SQL that stays inside the session's own database: kinds of statements, names of functions, and names of other
//! databases where tables are named.

use super::flavours::{CLICKHOUSE, MYSQL, MYSQL_ENGINES, POSTGRES, Rules};
use super::{Refusal, Token, listed, shown, statement};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    Postgres,
    /// MariaDB as well.
    MySql,
    ClickHouse,
}

/// Why the text does not run on a server that is not ours. Nothing when it may.
pub fn sql(text: &str, flavour: Flavour) -> Option<Refusal> {
    let rules = match flavour {
        Flavour::Postgres => &POSTGRES,
        Flavour::MySql => &MYSQL,
        Flavour::ClickHouse => &CLICKHOUSE,
    };
    examine(text, flavour, rules).err()
}

fn examine(text: &str, flavour: Flavour, rules: &Rules) -> Result<(), Refusal> {
    let tokens = statement(text, &rules.lexis)?;
    let Some(first) = tokens.first() else { return Ok(()) };
    let known = *first == Token::Mark('(') || first.is_in(rules.kinds);
    if !known {
        return Err(format!("statements that begin with {} are not run", shown(*first)));
    }
    kind(&tokens, flavour, rules)?;
    if let Some(word) = tokens.iter().find(|t| t.is_in(rules.words)) {
        return Err(format!("{} reaches beyond the database", shown(*word)));
    }
    functions(&tokens, rules)?;
    engines(&tokens, rules)?;
    if flavour != Flavour::Postgres {
        // In PostgreSQL a statement cannot name another database.
        places(&tokens, flavour, rules)?;
    }
    Ok(())
}

/// What the first words say.
fn kind(tokens: &[Token], flavour: Flavour, rules: &Rules) -> Result<(), Refusal> {
    let at = |i: usize| tokens.get(i).copied().unwrap_or(Token::Mark(' '));
    let refuse = |what: &str| Err(format!("{what} is not run: it reaches beyond the database"));
    let is = |i: usize, words: &[&str]| at(i).is_one_of(words);
    if is(0, &["CREATE", "ALTER", "DROP"]) {
        let mut i = 1;
        while at(i).is_in(rules.before_thing) {
            // `ALGORITHM = MERGE`
            i += if at(i + 1) == Token::Mark('=') { 3 } else { 1 };
        }
        // `ALTER DATABASE COLLATE …` names none, so it is ours.
        let own = flavour == Flavour::MySql
            && is(0, &["ALTER"])
            && is(1, &["DATABASE", "SCHEMA"])
            && is(2, &["COLLATE", "CHARACTER", "DEFAULT", "CHARSET"]);
        if !at(i).is_in(rules.things) && !own {
            return refuse(&format!("{} {}", shown(at(0)), shown(at(i))));
        }
    }
    match flavour {
        Flavour::Postgres => postgres_kind(tokens, &is),
        Flavour::MySql => {
            prepared(tokens, &is)?;
            mysql_kind(tokens, &is)
        }
        Flavour::ClickHouse => clickhouse_kind(tokens, &is),
    }
}

type Is<'a> = dyn Fn(usize, &[&str]) -> bool + 'a;

fn postgres_kind(tokens: &[Token], is: &Is) -> Result<(), Refusal> {
    let commented = &["TABLE", "COLUMN", "INDEX", "VIEW", "CONSTRAINT", "SEQUENCE", "TYPE", "DOMAIN", "SCHEMA"];
    if is(0, &["COMMENT"]) && !is(2, commented) {
        return Err("only things of the session's own database get comments".into());
    }
    if is(0, &["DISCARD"]) && !is(1, &["PLANS", "SEQUENCES", "TEMP", "TEMPORARY"]) {
        return Err("DISCARD ALL would change the session's user".into());
    }
    // The user of the session, and how texts are read.
    let settings = ["role", "authorization", "session_authorization", "names", "client_encoding"];
    let reading = ["standard_conforming_strings", "backslash_quote", "escape_string_warning"];
    let kept =
        |t: &&Token| t.name().is_some_and(|n| settings.iter().chain(&reading).any(|s| n.eq_ignore_ascii_case(s)));
    if is(0, &["SET", "RESET"])
        && let Some(name) = tokens.iter().take(4).find(kept)
    {
        return Err(format!("the setting {} is left alone", shown(*name)));
    }
    Ok(())
}

/// The name that scripts give to a prepared statement, whose text was looked at when it was prepared.
const PREPARED: &str = "bound_query";

/// A statement inside a literal is looked at as if it stood there by itself.
fn prepared(tokens: &[Token], is: &Is) -> Result<(), Refusal> {
    // Nobody knows what another name stands for.
    if is(0, &["EXECUTE"]) && !is(1, &[PREPARED]) {
        return Err(format!("of prepared statements only '{PREPARED}' is run"));
    }
    if !is(0, &["PREPARE"]) {
        return Ok(());
    }
    let [_, Token::Word(_), from, Token::Text(inside)] = tokens else {
        return Err("only a literal is prepared".into());
    };
    if !from.is("FROM") {
        return Err("only a literal is prepared".into());
    }
    let mut text = String::new();
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match letter {
            // What ends a literal is doubled inside it.
            '\'' | '"' if letters.as_str().starts_with(letter) => {
                letters.next();
                text.push(letter);
            }
            '\\' => match letters.next() {
                Some(c @ ('\'' | '"' | '\\')) => text.push(c),
                _ => return Err("characters are written by escapes".into()),
            },
            other => text.push(other),
        }
    }
    let begins = statement(&text, &MYSQL.lexis)?.first().copied();
    if begins.is_some_and(|t| t.is_one_of(&["PREPARE", "EXECUTE", "DEALLOCATE"])) {
        return Err("a statement that prepares another one is not run".into());
    }
    examine(&text, Flavour::MySql, &MYSQL)
}

fn mysql_kind(tokens: &[Token], is: &Is) -> Result<(), Refusal> {
    if is(0, &["BEGIN"]) && tokens.len() > 1 && !is(1, &["WORK"]) || is(0, &["START"]) && !is(1, &["TRANSACTION"]) {
        return Err("of this kind only transactions are begun".into());
    }
    if !is(0, &["SET"]) {
        return Ok(());
    }
    if is(1, &["STATEMENT", "PASSWORD", "ROLE", "RESOURCE"]) || is(1, &["DEFAULT"]) && is(2, &["ROLE"]) {
        return Err("of SET only settings of the session are taken".into());
    }
    let wide = |t: &Token| t.name().is_some_and(|n| ["global", "persist", "persist_only"].contains(&&*lower(n)));
    if tokens.iter().any(wide) {
        return Err("only settings of the session are changed".into());
    }
    for (i, token) in tokens.iter().enumerate() {
        let value = value_of(tokens, i);
        let is_assigned = matches!(tokens.get(i + 1), Some(Token::Mark('=' | ':')));
        let Some(name) = token.name().map(lower) else { continue };
        let fine = match name.as_str() {
            // A literal would end elsewhere, or would be none.
            "sql_mode" => !is_assigned || is_plain_mode(value),
            "character_set_client" => !is_assigned || is_plain_charset(value),
            "names" | "charset" => is_plain_charset(value),
            "character" => is_plain_charset(tokens.get(i + 2..).unwrap_or_default()),
            n if n.ends_with("storage_engine") && is_assigned => match value {
                [Token::Word(engine) | Token::Text(engine), ..] => listed(MYSQL_ENGINES, engine),
                _ => false,
            },
            _ => true,
        };
        if !fine {
            return Err(format!("'{name}' is not set to this: it would change how statements are read"));
        }
    }
    Ok(())
}

/// What stands behind a name and its equals sign.
fn value_of<'a>(tokens: &'a [Token<'a>], at: usize) -> &'a [Token<'a>] {
    let behind = &tokens[at + 1..];
    let signs = behind.iter().take_while(|t| matches!(t, Token::Mark('=' | ':'))).count();
    &behind[signs..]
}

fn is_plain_charset(value: &[Token]) -> bool {
    let plain = ["utf8", "utf8mb3", "utf8mb4", "latin1", "ascii", "binary", "default"];
    matches!(value.first(), Some(Token::Word(name) | Token::Text(name)) if plain.contains(&&*lower(name)))
}

/// A literal, or what there is already with a literal behind it.
fn is_plain_mode(value: &[Token]) -> bool {
    let mark = |i: usize, c: char| value.get(i) == Some(&Token::Mark(c));
    let ends = |i: usize| value.len() == i || mark(i, ',');
    let text = match value {
        [Token::Text(text), ..] if ends(1) => text,
        [first, ..] if first.is("DEFAULT") => return true,
        [concat, _, _, _, name, _, Token::Text(text), ..]
            if concat.is("CONCAT") && name.is("sql_mode") && text.starts_with(',') && ends(8) =>
        {
            let marks = [(1, '('), (2, '@'), (3, '@'), (5, ','), (7, ')')];
            if !marks.iter().all(|(i, c)| mark(*i, *c)) {
                return false;
            }
            text
        }
        _ => return false,
    };
    let text = upper(text);
    // The last ones are names for several modes, ANSI_QUOTES among them.
    let reading = ["BACKSLASH", "ANSI", "DB2", "MAXDB", "MSSQL", "ORACLE", "POSTGRESQL"];
    !reading.iter().any(|word| text.contains(word))
}

fn clickhouse_kind(tokens: &[Token], is: &Is) -> Result<(), Refusal> {
    if is(0, &["SET"]) && is(1, &["ROLE", "DEFAULT"]) {
        return Err("roles are left alone".into());
    }
    // Other languages, and conditions that are given as texts.
    let reading = |t: &&Token| {
        let name = t.name().map(lower).unwrap_or_default();
        ["dialect", "polyglot_dialect", "profile"].contains(&name.as_str()) || name.starts_with("additional_")
    };
    let is_set = is(0, &["SET"]) || tokens.iter().any(|t| t.is("SETTINGS"));
    match tokens.iter().find(reading).filter(|_| is_set) {
        Some(name) => Err(format!("the setting {} is left alone", shown(*name))),
        None => Ok(()),
    }
}

fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

fn upper(text: &str) -> String {
    text.to_ascii_uppercase()
}

/// Names that are called.
fn functions(tokens: &[Token], rules: &Rules) -> Result<(), Refusal> {
    let matches = |name: &str, list: &str| {
        list.split(' ').any(|l| l.strip_suffix('*').map_or(l == name, |start| name.starts_with(start)))
    };
    for pair in tokens.windows(2) {
        let (Some(name), Token::Mark('(')) = (pair[0].name(), pair[1]) else { continue };
        let name = lower(name);
        if matches(&name, rules.functions) && !matches(&name, rules.allowed_functions) {
            return Err(format!("the function '{name}' reaches beyond the database"));
        }
    }
    Ok(())
}

fn engines(tokens: &[Token], rules: &Rules) -> Result<(), Refusal> {
    if rules.engines.is_empty() {
        return Ok(());
    }
    for (i, _) in tokens.iter().enumerate().filter(|(_, t)| t.is("ENGINE") || t.is("TYPE")) {
        let value = value_of(tokens, i);
        // `TYPE` is an old word for it, and one for kinds of indexes, which have no equals sign.
        let meant = tokens[i].is("ENGINE") || tokens.get(i + 1) == Some(&Token::Mark('='));
        if let Some(Token::Word(name) | Token::Text(name) | Token::Name(name)) = value.first()
            && meant
            && !listed(rules.engines, name)
        {
            return Err(format!("tables of the kind '{name}' are not made"));
        }
    }
    Ok(())
}

// ---------------------------------------------------------------- names of other databases

/// What is known inside one pair of parentheses.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// Tables are named here: a point between two names means another database.
    tables: bool,
    /// A list of tables is not over yet: behind the next comma there is another one.
    list: bool,
    /// A query has begun here, so that FROM is no part of a function's arguments.
    query: bool,
}

/// First words of statements that name a table before anything else.
const NAMING: &str = "\
    CREATE ALTER DROP RENAME TRUNCATE ANALYZE OPTIMIZE CHECK CHECKSUM REPAIR LOCK INSERT REPLACE UPDATE \
    DELETE TABLE DESCRIBE DESC EXCHANGE EXISTS SHOW";
const READING: &str = "SELECT WITH EXPLAIN DESCRIBE DESC SHOW EXISTS VALUES TABLE";
/// Behind these no table is named. Only words that nobody can use as a name without quotes.
const EXPRESSIONS: &str = "SELECT WHERE PREWHERE GROUP ORDER HAVING LIMIT SETTINGS";
const TABLES: &str = "JOIN STRAIGHT_JOIN INTO TABLE TABLES REFERENCES";
/// Behind these a parenthesis may hold tables.
const OPENS: &str = "FROM JOIN STRAIGHT_JOIN INTO TABLE UPDATE";
/// Functions of ClickHouse that are read like tables and make their rows themselves.
const TABLE_FUNCTIONS: &str =
    "numbers numbers_mt zeros zeros_mt generaterandom generate_series generateseries values view null";

fn places(tokens: &[Token], flavour: Flavour, rules: &Rules) -> Result<(), Refusal> {
    let first = tokens[0];
    let reads = first.is_in(READING) || first == Token::Mark('(');
    let mut frames = vec![Frame { tables: first.is_in(NAMING), query: first.is("DELETE"), list: false }];
    for (i, token) in tokens.iter().enumerate() {
        let before = if i > 0 { tokens[i - 1] } else { Token::Mark(' ') };
        let depth = frames.len();
        let frame = frames.last_mut().ok_or("a parenthesis is closed that was not opened")?;
        match token {
            Token::Word(_) if before != Token::Mark('.') => {
                word(tokens, i, depth, frame);
                if flavour == Flavour::ClickHouse {
                    clickhouse_word(*token, before, &tokens[i + 1..], *frame)?;
                }
                if token.is("UNION") && tokens.get(i + 1) == Some(&Token::Mark('=')) {
                    return Err("a table that unites others is not made".into());
                }
            }
            Token::Mark('(') => {
                let opens = before.is_in(OPENS) || matches!(before, Token::Mark(',' | '('));
                let tables = frame.tables && opens;
                frames.push(Frame { tables, list: tables, query: false });
            }
            Token::Mark(')') => {
                frames.pop();
            }
            Token::Mark(',') => frame.tables |= frame.list,
            Token::Mark('.') if frame.tables => {
                let name = before.name().map(lower).unwrap_or_default();
                if !reads || !listed(rules.readable, &name) {
                    return Err(format!("it names another database ({}); leave the name out", shown(before)));
                }
            }
            _ if before == Token::Mark('.')
                && tokens.get(i + 1) == Some(&Token::Mark('('))
                && token.name().is_some() =>
            {
                return Err(format!("the function {} belongs to a database", shown(*token)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether tables are named behind the word at `i`.
fn word(tokens: &[Token], i: usize, depth: usize, frame: &mut Frame) {
    let (first, token) = (tokens[0], tokens[i]);
    let back = |n: usize| if i >= n { tokens[i - n] } else { Token::Mark(' ') };
    let before = back(1);
    let defines = first.is_one_of(&["CREATE", "ALTER", "DROP"]);
    // Any word may be a name behind AS, except where a table is made of a query.
    if before.is("AS") && !(first.is("CREATE") && depth == 1 && !frame.query) {
        return;
    }
    let (mut tables, mut list) = (frame.tables, frame.list);
    if token.is("FROM") {
        // `trim(x FROM y)`, `x IS NOT DISTINCT FROM y`
        let compares = before.is("DISTINCT") && back(2).is_one_of(&["IS", "NOT"]);
        let clause = frame.query || frame.tables || depth == 1 || before == Token::Mark('(');
        if clause && !compares {
            (tables, list) = (true, true);
        }
    } else if token.is("UPDATE") {
        tables = !first.is("ALTER") && !before.is_one_of(&["KEY", "FOR", "ON"]);
        list = tables;
    } else if token.is("ON") {
        tables = defines && !frame.query;
    } else if token.is("LIKE") {
        tables |= defines && before == Token::Mark('(');
    } else if token.is("DELETE") {
        tables = !first.is("ALTER");
        list |= tables;
    } else if token.is_in(TABLES) {
        tables = !before.is("ARRAY");
        list |= tables && token.is_one_of(&["JOIN", "STRAIGHT_JOIN"]);
    } else if token.is_in(EXPRESSIONS) || token.is_one_of(&["SET", "VALUES"]) && !frame.query {
        // `USE INDEX FOR ORDER BY (i), t` is still a list of tables, and `settings.t` a table of a database.
        let is_clause = !before.is("FOR") && tokens.get(i + 1) != Some(&Token::Mark('.'));
        if is_clause {
            (tables, list) = (false, false);
        }
    }
    let query = frame.query || token.is_one_of(&["SELECT", "WITH", "DELETE"]);
    *frame = Frame { tables, list, query };
}

fn clickhouse_word(token: Token, before: Token, behind: &[Token], frame: Frame) -> Result<(), Refusal> {
    let names_table = frame.tables && (before.is_one_of(&["FROM", "JOIN"]) || matches!(before, Token::Mark(',' | '(')));
    if let (Some(name), Some(Token::Mark('('))) = (token.name(), behind.first())
        && names_table
        && !listed(TABLE_FUNCTIONS, name)
        && !token.is_in(EXPRESSIONS)
    {
        return Err(format!("the table function '{name}' is not read"));
    }
    if token.is("FUNCTION") && before.is_one_of(&["INTO", "TABLE"]) {
        return Err("rows are written to tables only".into());
    }
    // `x IN name` reads a table.
    if token.is("IN") && behind.first().is_some_and(|t| t.name().is_some()) && behind.get(1) == Some(&Token::Mark('.'))
    {
        return Err("it names another database behind IN".into());
    }
    Ok(())
}
