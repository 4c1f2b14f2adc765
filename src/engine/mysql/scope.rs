//! Which statements stay inside the database that qualm made. Knows the first words of MySQL's statements; what a
//! person's script asks for beyond them is refused before the server sees it.

/// First words of statements that read, or write only what their text names.
const HARMLESS: &[&str] = &[
    "SELECT",
    "WITH",
    "VALUES",
    "TABLE",
    "(",
    "INSERT",
    "REPLACE",
    "UPDATE",
    "DELETE",
    "TRUNCATE",
    "CREATE",
    "ALTER",
    "DROP",
    "RENAME",
    "ANALYZE",
    "OPTIMIZE",
    "CHECK",
    "CHECKSUM",
    "REPAIR",
    "EXPLAIN",
    "DESCRIBE",
    "DESC",
    "SHOW",
    "SET",
    "DO",
    "BEGIN",
    "START",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "LOCK",
    "UNLOCK",
    "PREPARE",
    "EXECUTE",
    "DEALLOCATE",
];
/// What CREATE, ALTER and DROP may make; words before it (`OR REPLACE`, `TEMPORARY`) are passed over.
const THINGS: &[&str] = &["TABLE", "TABLES", "VIEW", "INDEX"];
const OTHER_THINGS: &[&str] = &[
    "DATABASE",
    "SCHEMA",
    "USER",
    "ROLE",
    "SERVER",
    "TABLESPACE",
    "FUNCTION",
    "PROCEDURE",
    "EVENT",
    "TRIGGER",
    "LOGFILE",
    "INSTANCE",
    "RESOURCE",
    "UNDO",
];
/// In SET: what reaches beyond the session.
const GLOBAL: &[&str] = &["GLOBAL", "PERSIST", "PERSIST_ONLY", "PASSWORD", "DEFAULT ROLE", "@@GLOBAL", "@@PERSIST"];
/// Words behind which the name of what is written stands.
const TARGETS: &[&str] = &["INTO", "TABLE", "TABLES", "UPDATE", "VIEW", "TRUNCATE"];
const BEFORE_TARGET: &[&str] = &["IF", "NOT", "EXISTS", "IGNORE", "INTO", "LOW_PRIORITY"];

/// Why a text is not run: more than one statement, or one that leaves the database. Nothing when it may run.
pub fn refusal(text: &str) -> Option<String> {
    let words = words(text);
    if let Some(at) = words.iter().position(|w| *w == ";")
        && words[at..].iter().any(|w| *w != ";")
    {
        return Some("more than one statement in one text".into());
    }
    let is = |word: &str, list: &[&str]| list.iter().any(|l| l.eq_ignore_ascii_case(word));
    let first = *words.first()?;
    if !is(first, HARMLESS) {
        return Some(format!("'{first}' is not run: qualm works only in a database of its own"));
    }
    if is(first, &["CREATE", "ALTER", "DROP"]) {
        let thing = words.iter().find(|w| is(w, THINGS) || is(w, OTHER_THINGS));
        // `ALTER DATABASE COLLATE …` names none, so it is ours.
        let own = is(first, &["ALTER"]) && words.get(2).is_some_and(|w| is(w, &["COLLATE", "CHARACTER", "DEFAULT"]));
        if thing.is_none_or(|t| is(t, OTHER_THINGS)) && !own {
            return Some(format!("'{first}' of this kind is not run: qualm works only in a database of its own"));
        }
    }
    if is(first, &["SET"]) && words.iter().any(|w| is(w, GLOBAL) || w.to_ascii_uppercase().starts_with("@@GLOBAL")) {
        return Some("only settings of the session are changed here".into());
    }
    if words.iter().any(|w| is(w, &["OUTFILE", "DUMPFILE", "LOAD_FILE"])) {
        return Some("no files are read or written here".into());
    }
    let writes = !is(first, &["SELECT", "WITH", "VALUES", "(", "EXPLAIN", "DESCRIBE", "DESC", "SHOW", "SET", "DO"]);
    let elsewhere = (0..words.len()).any(|at| {
        let from = is(words[at], &["FROM"]) && at == 1;
        let mut name = (at + 1..words.len()).skip_while(|i| is(words[*i], BEFORE_TARGET));
        (from || is(words[at], TARGETS)) && name.next().is_some_and(|i| words.get(i + 1) == Some(&"."))
    });
    (writes && elsewhere).then(|| "only tables of the current database are written: leave its name out".into())
}

/// Words, quoted names and single characters; literals and comments are passed over. A prefix is enough for long texts:
/// what matters stands at the beginning, except for a semicolon.
fn words(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b if b.is_ascii_whitespace() => at += 1,
            quote @ (b'\'' | b'"' | b'`') => {
                at = quoted(bytes, at, quote);
                if quote == b'`' {
                    words.push(&text[start..at]);
                }
            }
            b'#' => at = line_end(bytes, at),
            b'-' if bytes[at..].starts_with(b"-- ") => at = line_end(bytes, at),
            // An executable comment is part of the statement.
            b'/' if bytes[at..].starts_with(b"/*") && bytes.get(at + 2) != Some(&b'!') => {
                at = text[at..].find("*/").map_or(bytes.len(), |end| at + end + 2);
            }
            b if is_word(b) => {
                at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
                words.push(&text[start..at]);
            }
            _ => {
                at += 1;
                words.push(&text[start..at]);
            }
        }
    }
    words
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'@') || b >= 0x80
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |end| at + end)
}

/// Behind the closing quote; a doubled one and one behind a backslash do not close.
fn quoted(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote != b'`' => at += 2,
            b if b == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
            b if b == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_database_is_written() {
        let taken = [
            "SELECT 'a;b', \"c;d\" FROM t0 -- x; y",
            "SELECT trim(t0.c0) FROM mysql.user;",
            "INSERT IGNORE INTO t0 VALUES (1, 'it''s; \\' ;')",
            "UPDATE t0 SET c0 = (SELECT max(t1.c0) FROM t1 WHERE t1.c0 = t0.c0)",
            "CREATE OR REPLACE VIEW v0 AS SELECT t0.c0 FROM t0",
            "CREATE UNIQUE INDEX i0 ON t0(c0)",
            "ALTER DATABASE COLLATE = utf8mb4_0900_bin",
            "SET SESSION optimizer_switch = 'mrr=off'",
            "DELETE FROM t0 WHERE t0.c0 = 1;",
            "",
        ];
        for text in taken {
            assert_eq!(refusal(text), None, "{text}");
        }
        let refused = [
            "DROP DATABASE mysql",
            "CREATE SCHEMA x",
            "CREATE USER x",
            "USE mysql",
            "SELECT 1; DROP TABLE t0",
            "SET GLOBAL max_connections = 1",
            "SET @@global.max_connections = 1",
            "GRANT ALL ON *.* TO x",
            "INSERT INTO mysql.user VALUES (1)",
            "INSERT INTO `mysql`.`user` VALUES (1)",
            "DROP TABLE IF EXISTS other.t0",
            "DELETE FROM other.t0",
            "UPDATE other.t0 SET a = 1",
            "TRUNCATE other.t0",
            "SELECT 1 INTO OUTFILE '/tmp/x'",
            "LOAD DATA INFILE 'x' INTO TABLE t0",
            "SHUTDOWN",
            "KILL 1",
        ];
        for text in refused {
            assert!(refusal(text).is_some(), "{text}");
        }
    }
}
