//! Whether the answer to a query is determined, as far as words can say: for texts that no tree could be made of. In
//! doubt it is not. The reasons behind each row are in docs/soundness.md.

use super::ast::Statement;
use qualm_core::dialect::sql::{Dialect, Kind};

/// Words, and why an answer may differ from plan to plan, or from run to run, where one of them stands.
#[rustfmt::skip]
const OPEN: &[(&str, &[&str])] = &[
    ("a limit without a total order", &["LIMIT", "OFFSET", "FETCH", "TOP", "TABLESAMPLE", "SAMPLE", "PERCENT"]),
    ("a window, whose rows may tie", &["OVER", "WINDOW", "QUALIFY"]),
    ("values concatenated in an order of the engine's choice", &[
        "GROUP_CONCAT", "STRING_AGG", "ARRAY_AGG", "LISTAGG", "LIST", "JSON_AGG", "JSONB_AGG", "JSON_OBJECT_AGG",
        "JSONB_OBJECT_AGG", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT", "XMLAGG",
        "GROUPARRAY", "GROUPUNIQARRAY", "HISTOGRAM", "RANGE_AGG", "MULTIRANGE_AGG"]),
    ("a value of the engine's choice", &[
        "FIRST", "LAST", "ANY", "ANYLAST", "ANYHEAVY", "ANY_VALUE", "ARBITRARY", "ARGMIN", "ARGMAX", "ARG_MIN",
        "ARG_MAX", "MIN_BY", "MAX_BY", "MODE", "TOPK", "FIRST_VALUE", "LAST_VALUE", "APPROX_QUANTILE", "QUANTILE",
        "UNIQ", "RESERVOIR_QUANTILE", "APPROX_COUNT_DISTINCT", "UNIQCOMBINED", "UNIQHLL12"]),
    ("an array subquery", &["ARRAY"]),
    ("a random number", &[
        "RANDOM", "RAND", "RAND32", "RAND64", "RANDOMBLOB", "SETSEED", "UUID", "UUID_SHORT", "GEN_RANDOM_UUID",
        "GENERATEUUIDV4", "RANDOM_BYTES", "RANDOM_NORMAL", "SHUFFLE", "UUIDV4", "UUIDV7"]),
    (THE_TIME, &[
        "NOW", "CLOCK_TIMESTAMP", "STATEMENT_TIMESTAMP", "TRANSACTION_TIMESTAMP", "TIMEOFDAY", "CURRENT_TIME",
        "CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "SYSDATE", "CURDATE", "CURTIME", "TODAY",
        "YESTERDAY", "UNIX_TIMESTAMP", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP", "JULIANDAY", "UNIXEPOCH", "AGE"]),
    ("a property of the session or server, not of the data", &[
        "NEXTVAL", "CURRVAL", "LASTVAL", "SETVAL", "CHANGES", "TOTAL_CHANGES", "LAST_INSERT_ROWID", "LAST_INSERT_ID",
        "FOUND_ROWS", "ROW_COUNT", "CONNECTION_ID", "VERSION", "USER", "CURRENT_USER", "SESSION_USER", "CURRENT_ROLE",
        "CURRENT_QUERY", "CURRENT_SCHEMA", "CURRENT_SCHEMAS", "CURRENT_DATABASE", "CURRENT_CATALOG", "DATABASE",
        "CURRENT_SETTING", "SET_CONFIG", "INET_SERVER_ADDR", "INET_SERVER_PORT", "INET_CLIENT_PORT", "SLEEP",
        "BENCHMARK", "GET_LOCK", "INFORMATION_SCHEMA", "SYSTEM", "PERFORMANCE_SCHEMA", "MYSQL", "EXPLAIN"]),
    ("where a row is stored", &[
        "ROWID", "_ROWID_", "OID", "CTID", "XMIN", "XMAX", "CMIN", "CMAX", "TABLEOID", "_PART"]),
];

/// Beginnings of words of the same kind: functions and tables of the engine's own.
const OPEN_BEGINNINGS: &[&str] =
    &["PG_", "TXID_", "SQLITE_", "DUCKDB_", "QUERY_TO_", "TABLE_TO_", "SCHEMA_TO_", "LO_", "HAS_"];

/// Sums whose last bits depend on the order of their terms, where these are floats.
const SUMS: &[&str] = &[
    "SUM",
    "AVG",
    "TOTAL",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
    "STD",
    "CORR",
    "COVAR_POP",
    "COVAR_SAMP",
    "FSUM",
    "KAHAN_SUM",
    "SUMKAHAN",
    "FAVG",
];
const REGRESSIONS: &str = "REGR_";

/// Where one of these stands, a column or value may be a float.
const FLOATS: &[&str] = &[
    "REAL", "FLOAT", "FLOAT4", "FLOAT8", "FLOAT32", "FLOAT64", "DOUBLE", "SQRT", "CBRT", "LN", "LOG", "LOG2", "LOG10",
    "EXP", "POW", "POWER", "PI", "SIN", "COS", "TAN", "ATAN", "ATAN2", "ASIN", "ACOS", "DEGREES", "RADIANS", "RATIO",
];

/// Run anywhere else than in a database of one's own, these do harm; here they stop the work.
const HARMFUL: &[&str] = &[
    "PG_TERMINATE_BACKEND",
    "PG_CANCEL_BACKEND",
    "PG_RELOAD_CONF",
    "PG_ROTATE_LOGFILE",
    "PG_SLEEP",
    "PG_SLEEP_FOR",
    "PG_SLEEP_UNTIL",
    "PG_PROMOTE",
    "PG_READ_FILE",
    "PG_READ_BINARY_FILE",
    "PG_LS_DIR",
    "PG_SWITCH_WAL",
    "LO_EXPORT",
    "LO_IMPORT",
    "DBLINK",
    "LOAD_FILE",
    "OUTFILE",
    "DUMPFILE",
    "LOAD_EXTENSION",
    "SLEEP",
    "BENCHMARK",
    "GET_LOCK",
    "FILE",
    "URL",
    "S3",
    "REMOTE",
    "EXECUTABLE",
    "READ_CSV",
    "READ_PARQUET",
    "READ_TEXT",
    "READ_BLOB",
    "SHUTDOWN",
    "WRITEFILE",
    "READFILE",
    "EDIT",
    "PG_LOGICAL_EMIT_MESSAGE",
    "PG_BACKUP_START",
    "PG_START_BACKUP",
    "PG_NOTIFY",
    "SET_CONFIG",
    "PG_ADVISORY_LOCK",
];

/// Words that change data, wherever they stand (`WITH x AS (DELETE …)`, `SELECT … INTO`).
const CHANGING: &[&str] = &["INSERT", "UPDATE", "DELETE", "MERGE", "INTO", "REPLACE"];

/// What a text is, by its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    Query,
    /// A query that the tool does not run at all: it would stop or harm more than the database.
    Harmful,
    Other,
}

pub fn kind(text: &str) -> TextKind {
    let harms = |(start, end): &(usize, usize)| {
        let word = text[*start..*end].to_ascii_uppercase();
        let called = text[*end..].trim_start().starts_with('(') || word.ends_with("TFILE") || word.ends_with("PFILE");
        called && HARMFUL.contains(&word.as_str())
    };
    if spans(text).iter().any(harms) {
        return TextKind::Harmful;
    }
    let words = words(text);
    let reads = words.first().is_some_and(|w| ["SELECT", "WITH", "VALUES", "TABLE", "FROM"].contains(&w.as_str()));
    // `replace(x, y, z)` is a function, and `FOR UPDATE` takes a lock and no more.
    let changes = |(i, w): (usize, &String)| match w.as_str() {
        "REPLACE" => false,
        "UPDATE" => i == 0 || words[i - 1] != "FOR",
        w => CHANGING.contains(&w),
    };
    if reads && !words.iter().enumerate().any(changes) { TextKind::Query } else { TextKind::Other }
}

/// Whether a text only asks for a plan, and runs nothing.
pub fn only_explains(text: &str) -> bool {
    let words = words(text);
    let runs = |w: &String| w == "ANALYZE" || w == "ANALYSE";
    words.first().is_some_and(|w| w == "EXPLAIN") && !words.iter().any(runs)
}

/// Whether a text speaks of floats.
fn mentions_floats(text: &str) -> bool {
    words(text).iter().any(|w| FLOATS.contains(&w.as_str()))
}

/// Whether the tables of a state may hold floats.
pub fn holds_floats(state: &[Statement]) -> bool {
    state.iter().any(|s| match s {
        Statement::CreateTable(t) => t.columns.iter().any(|c| matches!(c.kind, Kind::Real | Kind::Any)),
        Statement::AddColumn { column, .. } => matches!(column.kind, Kind::Real | Kind::Any),
        Statement::Maintenance(text) => mentions_floats(text),
        _ => false,
    })
}

pub const THE_TIME: &str = "the time";

/// Functions of time take the word in quotes.
pub fn names_the_time(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["'now'", "'today'", "'localtime'"].iter().any(|word| text.contains(word))
}

/// Why the answer to a text may not be compared, or nothing.
pub fn why_open(text: &str, dialect: &Dialect, floats: bool) -> Option<&'static str> {
    let mut words = called_words(text);
    // `NULLS FIRST` says an order and chooses no value.
    // And a limit that keeps every row leaves nothing open.
    for i in (1..words.len()).rev() {
        if words.len() <= i {
            continue;
        }
        if words[i - 1] == "NULLS" || words[i] == NO_LIMIT && words[i - 1] == "LIMIT" {
            words.drain(i - 1..=i);
        }
    }
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    if let Some((why, _)) = OPEN.iter().find(|(_, list)| has(list)) {
        return Some(why);
    }
    if names_the_time(text) {
        return Some(THE_TIME);
    }
    if words.iter().any(|w| OPEN_BEGINNINGS.iter().any(|b| w.starts_with(b))) {
        return Some("a function or table of the engine's own");
    }
    // Engines that take a number for a truth take a column outside of GROUP BY as well, mostly.
    if dialect.numeric_truth && has(&["GROUP", "HAVING"]) {
        return Some("a GROUP BY that may have columns beside its keys");
    }
    if words.windows(2).any(|w| w[0] == "DISTINCT" && w[1] == "ON") {
        return Some("DISTINCT ON without a total order");
    }
    let sums = has(SUMS) || words.iter().any(|w| w.starts_with(REGRESSIONS));
    if sums && (floats || dialect.dynamic_typing || has(FLOATS)) {
        return Some("a sum of floats, which depends on their order");
    }
    text.contains('@').then_some("a variable")
}

/// The text without its limits and samples, and with limits so high that they keep every row: what is left is
/// determined where the rest is. Nothing where a limit is no plain number, or rows are skipped, but for the way in
/// which SQLsmith takes a value out of a table: `(select c from t limit 1 offset 5)` becomes `(select min(c) from t )`.
pub fn without_limits(text: &str) -> Option<(String, String)> {
    let tokens = spans(text);
    let word = |i: usize| tokens.get(i).map_or_else(String::new, |(a, b)| text[*a..*b].to_ascii_uppercase());
    let (mut removed, mut raised) = (String::new(), String::new());
    let (mut copied, mut i) = (0, 0);
    while i < tokens.len() {
        let (start, end) = tokens[i];
        i += 1;
        let (until, kept) = match word(i - 1).as_str() {
            "OFFSET" => return None,
            "TABLESAMPLE" => (end + text[end..].find(')')? + 1, String::new()),
            "LIMIT" => {
                let (from, to) = *tokens.get(i)?;
                let count: u64 = text[from..to].parse().ok()?;
                let next = text[to..].trim_start();
                if count == 0 || next.starts_with([',', '+', '-', '*', '/', ':', '.', '%', '|']) {
                    return None;
                }
                if word(i + 1) == "OFFSET" {
                    let (column, column_end) = tokens[lone_column(&word, i - 1).filter(|_| count == 1)?];
                    let taken = format!("{}min({})", &text[copied..column], &text[column..column_end]);
                    removed.push_str(&taken);
                    raised.push_str(&taken);
                    copied = column_end;
                    i += 3;
                    (tokens.get(i - 1)?.1, String::new())
                } else {
                    i += 1;
                    (to, format!("{}{NO_LIMIT}", &text[start..from]))
                }
            }
            _ => continue,
        };
        removed.push_str(&text[copied..start]);
        raised.push_str(&text[copied..start]);
        raised.push_str(&kept);
        copied = until;
    }
    removed.push_str(&text[copied..]);
    raised.push_str(&text[copied..]);
    (copied > 0).then_some((removed, raised))
}

/// The place of `c` where `SELECT c FROM t` or `SELECT c FROM s.t` ends before the token `limit`.
fn lone_column(word: &dyn Fn(usize) -> String, limit: usize) -> Option<usize> {
    let select = [4, 5].into_iter().filter_map(|back| limit.checked_sub(back)).find(|at| word(*at) == "SELECT")?;
    (word(select + 2) == "FROM").then_some(select + 1)
}

const NO_LIMIT: &str = "1000000000";

/// The words of a text in upper case; what is in quotes or comments is none. Quoted names are.
fn words(text: &str) -> Vec<String> {
    spans(text).into_iter().map(|(start, end)| text[start..end].to_ascii_uppercase()).collect()
}

/// The same without the schema before a function, as in `pg_catalog.upper(x)`.
fn called_words(text: &str) -> Vec<String> {
    let spans = spans(text);
    let mut found = Vec::new();
    for (i, (start, end)) in spans.iter().enumerate() {
        let called = spans
            .get(i + 1)
            .is_some_and(|(_, next)| text[*end..].starts_with('.') && text[*next..].trim_start().starts_with('('));
        if !called {
            found.push(text[*start..*end].to_ascii_uppercase());
        }
    }
    found
}

fn spans(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let (mut found, mut at) = (Vec::new(), 0);
    let past = |at: usize, end: &[u8]| {
        bytes[at..].windows(end.len()).position(|w| w == end).map_or(bytes.len(), |n| at + n + end.len())
    };
    while at < bytes.len() {
        let start = at;
        at = match bytes[at] {
            b'\'' => past(at + 1, b"'"),
            b'-' if bytes[at..].starts_with(b"--") => past(at, b"\n"),
            b'/' if bytes[at..].starts_with(b"/*") => past(at + 2, b"*/"),
            b if is_word(b) => bytes[at..].iter().position(|b| !is_word(*b)).map_or(bytes.len(), |n| at + n),
            _ => at + 1,
        };
        if is_word(bytes[start]) {
            found.push((start, at));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_engines::sqlite::dialect::SQLITE;

    #[test]
    fn words_in_quotes_and_comments_say_nothing() {
        assert_eq!(
            why_open("SELECT 'limit 1', x -- random()\n FROM t /* now() */ WHERE a = 'x''over'", &SQLITE, false),
            None
        );
        assert_eq!(why_open("select x from t limit 3", &SQLITE, false), Some("a limit without a total order"));
        assert!(why_open("SELECT sum(x) FROM t", &SQLITE, false).is_some_and(|w| w.contains("floats")));
        assert!(why_open("SELECT pg_catalog.version() FROM t", &SQLITE, false).is_some());
        assert!(why_open("SELECT pg_catalog.pg_class.x FROM pg_catalog.pg_class", &SQLITE, false).is_some());
        assert_eq!(why_open("SELECT pg_catalog.upper (x) FROM t", &SQLITE, false), None);
        assert_eq!(why_open("SELECT url, x FROM t ORDER BY 1 NULLS FIRST", &SQLITE, false), None);
        assert!(why_open("SELECT \"rowid\" FROM t", &SQLITE, false).is_some());
    }

    #[test]
    fn limits_are_lifted_where_they_are_plain() {
        let (removed, raised) = without_limits("select * from (select 1 limit 7) x limit 10").unwrap();
        assert_eq!(raised, "select * from (select 1 limit 1000000000) x limit 1000000000");
        assert_eq!(removed, "select * from (select 1 ) x ");
        let (removed, raised) =
            without_limits("select 1 from t as x tablesample system (5.4) where 'limit' limit 2").unwrap();
        assert_eq!(removed, "select 1 from t as x  where 'limit' ");
        assert_eq!(raised, "select 1 from t as x  where 'limit' limit 1000000000");
        let idiom = "select (select day from public.t limit 1 offset 8) as c from t limit 9";
        assert_eq!(without_limits(idiom).unwrap().0, "select (select min(day) from public.t ) as c from t ");
        assert_eq!(why_open(&without_limits(idiom).unwrap().1, &SQLITE, false), None);
        assert_eq!(without_limits("select 'limit 3' from t"), None);
        for text in
            ["select 1 limit 3 offset 2", "select 1 limit 2, 3", "select 1 limit (select 2)", "select 1 limit 0"]
        {
            assert_eq!(without_limits(text), None, "{text}");
        }
    }

    #[test]
    fn plans_change_nothing_unless_the_statement_is_run_for_them() {
        assert!(only_explains("EXPLAIN QUERY PLAN DELETE FROM t"));
        assert!(only_explains("-- why?\nexplain SELECT 'analyze'"));
        for text in ["EXPLAIN ANALYZE DELETE FROM t", "explain (analyse, verbose) delete from t", "DELETE FROM explain"]
        {
            assert!(!only_explains(text), "{text}");
        }
    }

    #[test]
    fn queries_are_distinguished_from_the_rest() {
        use TextKind::*;
        let cases = [
            ("SELECT 1", Query),
            ("  (SELECT 1) UNION SELECT 2", Query),
            ("values (1)", Query),
            ("SELECT replace(a, 'x', 'y') FROM t FOR UPDATE", Query),
            ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", Other),
            ("SELECT * INTO y FROM x", Other),
            ("INSERT INTO t SELECT 1", Other),
            ("BEGIN", Other),
            ("SELECT pg_sleep (10)", Harmful),
            ("SELECT 1 INTO OUTFILE '/x'", Harmful),
            ("SELECT url, file FROM t", Query),
            ("SELECT 'pg_sleep(10)'", Query),
        ];
        for (text, expected) in cases {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
