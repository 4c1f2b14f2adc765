//! Scripts of many rows, such as the dump of a whole database, made short: a seed is built anew for every database of a
//! hunt, so that all of its rows would leave no time for questions. The first rows of each table stay, and everything
//! that is no row.

use crate::sql::parse::{self, Marks};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Of each table so many rows stay, in so many bytes of text.
pub const ROWS_OF_A_TABLE: usize = 1_000;
const BYTES_OF_A_TABLE: usize = 256 << 10;

/// The script with fewer rows, and what is no longer there. Every statement stays in its line.
#[derive(Debug, Default, PartialEq)]
pub struct Short {
    pub text: String,
    /// Tables that have lost rows, with those that stay and all.
    pub cut: BTreeMap<String, (usize, usize)>,
}

pub fn shortened(text: &str, marks: Marks) -> Short {
    let mut short = Short::default();
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let mut lines = 1;
    for (line, piece) in parse::statements_of(text, marks) {
        let kept = match table_of(piece) {
            Some(name) => tables.entry(plain(name)).or_insert_with(|| Table::new(name)).take(piece, marks),
            None => piece.into(),
        };
        if kept.is_empty() {
            continue;
        }
        (lines..line).for_each(|_| short.text.push('\n'));
        lines = line.max(lines) + kept.matches('\n').count();
        short.text.push_str(&kept);
        short.text.push(';');
    }
    let cut = tables.into_values().filter(|t| t.kept < t.all);
    short.cut = cut.map(|t| (t.name, (t.kept, t.all))).collect();
    short
}

/// What only PostgreSQL's dumps have: the rows behind `COPY … FROM stdin` become INSERT, each in its line. Calls that
/// set up its session are left out.
pub fn of_pg_dump(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| copied_into(line).is_some() || sets_up(line)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut into = None;
    for line in text.lines() {
        match into {
            None => match copied_into(line) {
                Some(table) => into = Some(table),
                None if sets_up(line) => {}
                None => out.push_str(line),
            },
            Some(_) if line == "\\." => into = None,
            Some(table) => {
                let values: Vec<String> = line.split('\t').map(copied_value).collect();
                out.extend(["INSERT INTO ", table, " VALUES (", &values.join(", "), ");"]);
            }
        }
        out.push('\n');
    }
    out.into()
}

/// `set_config`, `setval`.
fn sets_up(line: &str) -> bool {
    line.starts_with("SELECT pg_catalog.set")
}

/// Table and columns of such a line.
fn copied_into(line: &str) -> Option<&str> {
    line.strip_prefix("COPY ")?.strip_suffix(" FROM stdin;")
}

/// A value as a literal that can be stored in any column. Numbers are written as such where that loses nothing.
fn copied_value(value: &str) -> String {
    if value == "\\N" {
        return "NULL".into();
    }
    let digits = value.strip_prefix('-').unwrap_or(value);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let plain = all_digits(whole) && all_digits(fraction) && !(whole.len() > 1 && whole.starts_with('0'));
    if plain && value != "-0" {
        return value.into();
    }
    let mut text = String::with_capacity(value.len() + 2);
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' => text.push_str("''"),
            '\\' => text.push(match characters.next() {
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('v') => '\u{b}',
                other => other.unwrap_or('\\'),
            }),
            other => text.push(other),
        }
    }
    format!("'{text}'")
}

#[derive(Debug)]
struct Table {
    name: String,
    kept: usize,
    all: usize,
    bytes: usize,
}

impl Table {
    fn new(name: &str) -> Table {
        Table { name: name.into(), kept: 0, all: 0, bytes: 0 }
    }

    /// What stays of a statement that inserts rows; nothing where none of them does.
    fn take(&mut self, piece: &str, marks: Marks) -> String {
        let rows = parse::rows_of(piece, marks);
        let Some(last) = rows.last().copied() else {
            // Its rows come from a query.
            return piece.into();
        };
        self.all += rows.len();
        let begun = rows[0].0;
        let fits = |(i, (_, end)): (usize, &(usize, usize))| {
            self.kept + i < ROWS_OF_A_TABLE && self.bytes + end - begun <= BYTES_OF_A_TABLE
        };
        let stay = rows.iter().enumerate().take_while(|row| fits(*row)).count();
        if stay == 0 {
            return String::new();
        }
        let end = rows[stay - 1].1;
        self.kept += stay;
        self.bytes += end - begun;
        [&piece[..end], &piece[last.1..]].concat()
    }
}

/// The table of an INSERT or a REPLACE, as it is written.
fn table_of(piece: &str) -> Option<&str> {
    let (first, mut rest) = piece.split_once(|c: char| c.is_ascii_whitespace())?;
    if !first.eq_ignore_ascii_case("insert") && !first.eq_ignore_ascii_case("replace") {
        return None;
    }
    // INSERT INTO, INSERT OR IGNORE INTO, REPLACE INTO: the name is behind the INTO.
    for _ in 0..4 {
        let (word, after) = rest.trim_start().split_once(|c: char| c.is_ascii_whitespace())?;
        if word.eq_ignore_ascii_case("into") {
            let name = after.trim_start();
            return Some(&name[..name_ends(name)?]);
        }
        rest = after;
    }
    None
}

/// Behind a name, which may have several parts in quotes.
fn name_ends(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let close = match rest.chars().next()? {
            '[' => Some(']'),
            quote @ ('"' | '`') => Some(quote),
            _ => None,
        };
        at += match close {
            Some(close) => rest[1..].find(close)? + 2,
            None => rest.find(|c: char| c.is_whitespace() || c == '(' || c == '.').unwrap_or(rest.len()),
        };
        if !text[at..].starts_with('.') {
            return Some(at);
        }
        at += 1;
    }
}

/// Names that differ in quotes or case are of one table.
fn plain(name: &str) -> String {
    name.replace(['"', '`', '[', ']'], "").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_engines::mysql::dialect::MYSQL;
    use qualm_engines::sqlite::dialect::SQLITE;

    #[test]
    fn the_first_rows_of_each_table_stay_and_everything_that_is_no_row() {
        let row = |i: usize| format!("INSERT INTO t VALUES({i}, 'a;b)(');\n");
        let rows: String = (0..ROWS_OF_A_TABLE + 500).map(row).collect();
        let text =
            format!("CREATE TABLE t(a, b);\nCREATE TABLE u(a);\n{rows}INSERT INTO u VALUES (1);\nSELECT a FROM t;");
        let short = shortened(&text, Marks::of(&SQLITE));
        assert_eq!(short.cut, BTreeMap::from([("t".into(), (ROWS_OF_A_TABLE, ROWS_OF_A_TABLE + 500))]));
        assert_eq!(short.text.matches("INTO t").count(), ROWS_OF_A_TABLE);
        for word in ["INTO u", "SELECT a", "CREATE TABLE u"] {
            let at = |text: &str| text.lines().position(|l| l.contains(word));
            assert_eq!(at(&short.text), at(&text), "{word}");
        }
    }

    #[test]
    fn a_statement_of_many_rows_keeps_its_first_ones_and_its_end() {
        let marks = Marks::of(&SQLITE);
        let rows: Vec<String> = (0..3 * ROWS_OF_A_TABLE).map(|i| format!("({i}, (SELECT max(a) FROM u))")).collect();
        let rows = rows.join(", ");
        let text = format!(
            "REPLACE INTO main.[my t] (a, b) VALUES {rows} ON CONFLICT (a) DO NOTHING;\
             INSERT INTO \"main\".\"my t\" VALUES (1, 2);"
        );
        let short = shortened(&text, marks);
        let last = format!("({}, (SELECT max(a) FROM u)) ON CONFLICT (a) DO NOTHING;", ROWS_OF_A_TABLE - 1);
        assert!(short.text.ends_with(&last), "{}", &short.text[short.text.len() - 80..]);
        assert_eq!(short.cut.values().collect::<Vec<_>>(), [&(ROWS_OF_A_TABLE, 3 * ROWS_OF_A_TABLE + 1)]);
    }

    #[test]
    fn a_dump_of_postgres_has_rows_to_insert() {
        let text =
            "COPY public.t (a, b) FROM stdin;\n1\tit's\n-2.50\t\\N\n007\ta\\\\b\\tc;d\n\\.\n\nSELECT a FROM t;\n";
        let plain = "\nINSERT INTO public.t (a, b) VALUES (1, 'it''s');\n\
            INSERT INTO public.t (a, b) VALUES (-2.50, NULL);\n\
            INSERT INTO public.t (a, b) VALUES ('007', 'a\\b\tc;d');\n\n\nSELECT a FROM t;\n";
        assert_eq!(of_pg_dump(text), plain);
        assert_eq!(of_pg_dump("SELECT pg_catalog.setval('s', 3);\nSELECT 1;"), "\nSELECT 1;\n");
        assert!(matches!(of_pg_dump("COPY t FROM 'a.csv';"), Cow::Borrowed(_)));
    }

    #[test]
    fn long_rows_are_fewer_and_short_scripts_stay_whole() {
        let long = format!("INSERT INTO t VALUES ('{}');\n", "x".repeat(BYTES_OF_A_TABLE / 3));
        let short = shortened(&long.repeat(5), Marks::of(&SQLITE));
        assert_eq!(short.cut.values().collect::<Vec<_>>(), [&(2, 5)]);
        let text = "CREATE TABLE t(a);INSERT INTO t VALUES ('it\\'s (1), (2)'), (2);\
            INSERT INTO t SELECT 1;INSERT t VALUES (1);";
        let short = shortened(text, Marks::of(&MYSQL));
        assert_eq!((short.text.as_str(), short.cut.len()), (text, 0));
    }
}
