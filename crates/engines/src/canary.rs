//! An engine that lies on purpose: the linked SQLite, with one wrong behaviour switched on. The tool must catch it.
//!
//! A lie looks at the text of a statement and at the indexes that exist, nothing else, so that it is the same on every
//! run. What it does is said in one line each in `LIES`.

use crate::{ConnectError, sqlite};
use qualm_core::dialect::Spoken;
use qualm_core::knobs::{KnobFile, Live};
use qualm_core::limits::CHILD_MEMORY_BYTES;
use qualm_core::plan::{Plan, PlanNode};
use qualm_core::relation::total_order;
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_core::slowness::Work;
use qualm_core::value::Rows;
use std::cmp::Ordering;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    IndexRow,
    NotNull,
    DistinctCount,
    Crash,
    Hang,
    IndexError,
    Oom,
    Slow,
    Work,
    Estimate,
    Unkept,
    Stored,
    Touch,
    RightJoin,
    Partition,
    Temporary,
    Except,
    Limit,
    Shift,
    Bound,
    TwoCrashes,
}

/// Name, lie, and what it does.
const LIES: &[(&str, Lie, &str)] = &[
    (
        "index-row",
        Lie::IndexRow,
        "SELECT .. FROM a table with an index .. WHERE loses its greatest row if it has several",
    ),
    ("not-null", Lie::NotNull, "WHERE NOT p also returns the rows for which p is NULL"),
    ("distinct-count", Lie::DistinctCount, "SELECT DISTINCT without WHERE loses its greatest row if it has several"),
    ("crash", Lie::Crash, "a statement that calls hex() aborts the process"),
    ("hang", Lie::Hang, "a statement that calls quote() never ends"),
    (
        "index-error",
        Lie::IndexError,
        "SELECT .. FROM a table with an index .. WHERE says that the database is malformed",
    ),
    ("oom", Lie::Oom, "a statement that calls char() runs out of memory"),
    ("slow", Lie::Slow, "SELECT .. WHERE sleeps unless the knob 'query-flattener' is off"),
    ("work", Lie::Work, "SELECT .. LIMIT counts a million steps and sleeps"),
    ("estimate", Lie::Estimate, "SELECT with an AND is expected to return 1,000 rows more for each"),
    (
        "unkept",
        Lie::Unkept,
        "UNIQUE, PRIMARY KEY, NOT NULL, CHECK and generated columns are accepted and not enforced, which is not a bug",
    ),
    ("stored", Lie::Stored, "INSERT INTO t SELECT .. WHERE stores one row at most"),
    ("touch", Lie::Touch, "UPDATE and DELETE .. WHERE p also take the rows for which p is NULL"),
    ("right-join", Lie::RightJoin, "RIGHT JOIN is an inner join"),
    ("partition", Lie::Partition, "OVER (PARTITION BY ..) without an order takes in the rows of all partitions"),
    ("temporary", Lie::Temporary, "SELECT .. FROM a temporary table loses its greatest row if it has several"),
    ("except", Lie::Except, "EXCEPT adds the rows of its right side instead of taking them away"),
    ("limit", Lie::Limit, "LIMIT n returns one row more"),
    ("shift", Lie::Shift, "a << b is a >> b, wherever it stands"),
    ("bound", Lie::Bound, "LIKE with a bound pattern is true of nothing"),
    (
        "two-crashes",
        Lie::TwoCrashes,
        "a statement that calls instr(), ifnull() or nullif() aborts the process, and so does one with EXCEPT",
    ),
];

pub fn connect(kind: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let Some((name, lie, _)) = LIES.iter().find(|(name, ..)| Some(*name) == kind) else {
        let known: Vec<String> = LIES.iter().map(|(name, _, what)| format!("\n  canary:{name}  {what}")).collect();
        let what = kind.map_or("engine 'canary' needs a kind".into(), |k| format!("unknown canary '{k}'"));
        return Err(ConnectError::Usage(format!("{what}; known ones:{}", known.concat())));
    };
    Ok(Box::new(Canary { inner: sqlite::connect(None)?, name, lie: *lie }))
}

struct Canary {
    inner: Box<dyn Engine>,
    name: &'static str,
    lie: Lie,
}

impl Engine for Canary {
    fn version(&self) -> String {
        format!("canary {} ({})", self.name, self.inner.version())
    }

    fn build(&self) -> String {
        self.inner.build()
    }

    fn spoken(&self) -> Spoken {
        self.inner.spoken()
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(CanarySession {
            inner: self.inner.open()?,
            lie: self.lie,
            indexes: Vec::new(),
            temporary: Vec::new(),
            flattens: true,
        }))
    }

    fn knob_file(&self) -> &'static str {
        self.inner.knob_file()
    }

    fn settings(&self, session: &mut dyn Session, file: &KnobFile) -> Result<Vec<Live>, String> {
        self.inner.settings(session, file)
    }
}

struct CanarySession {
    inner: Box<dyn Session>,
    lie: Lie,
    /// Name and table of each index that a statement made, in lower case.
    indexes: Vec<(String, String)>,
    /// Names of temporary tables, in lower case.
    temporary: Vec<String>,
    /// The first bit of the mask of optimisations is not set, which is how it is at the start.
    flattens: bool,
}

impl Session for CanarySession {
    fn run(&mut self, text: &str) -> Outcome {
        let words = words(text);
        if let Some(mask) = text.strip_prefix(".testctrl optimizations ") {
            self.flattens = sqlite::knobs::parse_mask(mask.trim()).is_none_or(|mask| mask & 1 == 0);
        }
        if self.is_slow(&words) {
            std::thread::sleep(SLOW);
        }
        if self.works_too_much(&words) {
            std::thread::sleep(BUSY);
        }
        let outcome = match self.lie {
            Lie::Crash if calls(text, &words, "hex") => std::process::abort(),
            Lie::TwoCrashes if crashes_in_two_ways(text, &words) => std::process::abort(),
            Lie::Hang if calls(text, &words, "quote") => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            Lie::Oom if calls(text, &words, "char") => match self.inner.run(text) {
                Outcome::Rejected(r) => Outcome::Rejected(r),
                answer => {
                    allocate_too_much();
                    answer
                }
            },
            Lie::IndexError if self.filters_an_indexed_table(&words) => {
                Outcome::rejected(RejectionClass::Internal, "database disk image is malformed")
            }
            Lie::NotNull => match null_is_false(text, &words) {
                Some(lie) => self.inner.run(&lie),
                None => self.inner.run(text),
            },
            Lie::Stored
                if words.get(3).is_some_and(|w| w.text == "select")
                    && starts(&words, &["insert"])
                    && filters(&words)
                    && !has_own(&words, "limit") =>
            {
                self.inner.run(&format!("{text} LIMIT 1"))
            }
            Lie::RightJoin => self.inner.run(&text.replace(" RIGHT JOIN ", " JOIN ")),
            Lie::Bound => self.inner.run(&text.replace(" LIKE @", " IN () AND 0 <> @")),
            Lie::Except => self.inner.run(&text.replace(" EXCEPT ", " UNION ")),
            Lie::Limit => self.inner.run(&limits_one_more(text)),
            Lie::Shift => self.inner.run(&text.replace(" << ", " >> ")),
            Lie::Partition => self.inner.run(&without_partitions(text)),
            Lie::Touch => self.inner.run(&touches_unknown(text, &words)),
            Lie::Unkept => self.inner.run(&without_constraints(text, &words)),
            _ => self.inner.run(text),
        };
        if outcome.is_ok() {
            self.watch_indexes(&words);
            if starts(&words, &["create", "temporary", "table"]) {
                self.temporary.extend(words.get(3).map(|w| w.text.clone()));
            }
        }
        self.tampered(outcome, &words)
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        let mut plan = self.inner.plan(query)?;
        if self.is_slow(&words(query)) {
            plan.nodes.push(PlanNode::new(0, "SLEEP"));
        }
        Some(plan)
    }

    fn estimate(&mut self, query: &str) -> Option<f64> {
        let conditions = words(query).iter().filter(|w| w.text == "and").count();
        (self.lie == Lie::Estimate).then_some(1000.0 * (1 + conditions) as f64)
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        if self.lie != Lie::Work {
            return None;
        }
        let too_much = if self.works_too_much(&words(query)) { 1e6 } else { 0.0 };
        self.inner.work(query).map(|work| Work { amount: work.amount + too_much, ..work })
    }

    fn reset(&mut self) -> Result<(), String> {
        self.indexes.clear();
        self.temporary.clear();
        self.flattens = true;
        self.inner.reset()
    }

    fn allow_work(&mut self, times: u32) {
        self.inner.allow_work(times);
    }
}

/// Far above what a small query takes on any machine.
const SLOW: Duration = Duration::from_millis(150);
/// Far above what the same query takes without its limit.
const BUSY: Duration = Duration::from_millis(20);

impl CanarySession {
    fn is_slow(&self, words: &[Word]) -> bool {
        self.lie == Lie::Slow && self.flattens && starts(words, &["select"]) && filters(words)
    }

    fn works_too_much(&self, words: &[Word]) -> bool {
        self.lie == Lie::Work && starts(words, &["select"]) && has_own(words, "limit")
    }

    fn tampered(&self, outcome: Outcome, words: &[Word]) -> Outcome {
        let Outcome::Rows(mut rows) = outcome else { return outcome };
        match self.lie {
            Lie::IndexRow if rows.len() > 1 && self.filters_an_indexed_table(words) => {
                lose_greatest(&mut rows);
            }
            Lie::Temporary if rows.len() > 1 && self.reads_a_temporary_table(words) => lose_greatest(&mut rows),
            Lie::DistinctCount if rows.len() > 1 && starts(words, &["select", "distinct"]) && !filters(words) => {
                lose_greatest(&mut rows);
            }
            _ => {}
        }
        Outcome::Rows(rows)
    }

    fn reads_a_temporary_table(&self, words: &[Word]) -> bool {
        let own = words.iter().filter(|w| w.depth == 0).skip_while(|w| w.text != "from");
        starts(words, &["select"]) && own.into_iter().any(|w| self.temporary.contains(&w.text))
    }

    /// A SELECT whose own FROM, not that of a subquery, names a table with an index and whose own WHERE follows.
    fn filters_an_indexed_table(&self, words: &[Word]) -> bool {
        // The arms of a set operation have tables and conditions of their own.
        let compound = ["union", "intersect", "except"].iter().any(|operator| has_own(words, operator));
        if !starts(words, &["select"]) || compound {
            return false;
        }
        let mut own = words.iter().filter(|w| w.depth == 0).skip_while(|w| w.text != "from");
        let (mut reads_indexed, mut names_alias) = (false, false);
        for word in own.by_ref().take_while(|w| w.text != "where") {
            // A copy without indexes may go by the name of the table.
            reads_indexed |= !names_alias && self.indexes.iter().any(|(_, table)| *table == word.text);
            names_alias = word.text == "as";
        }
        reads_indexed && filters(words)
    }

    fn watch_indexes(&mut self, words: &[Word]) {
        let after = |keyword: &str| {
            let at = words.iter().position(|w| w.text == keyword)?;
            words[at + 1..].iter().map(|w| w.text.clone()).find(|w| !["if", "not", "exists"].contains(&w.as_str()))
        };
        if starts(words, &["create", "index"]) || starts(words, &["create", "unique", "index"]) {
            if let (Some(index), Some(table)) = (after("index"), after("on")) {
                self.indexes.push((index, table));
            }
        } else if starts(words, &["drop", "index"]) {
            self.indexes.retain(|(index, _)| Some(index) != after("index").as_ref());
        } else if starts(words, &["drop", "table"]) {
            self.indexes.retain(|(_, table)| Some(table) != after("table").as_ref());
        } else if starts(words, &["alter", "table"])
            && let (Some(old), Some(new)) = (after("table"), after("to"))
            && words.get(3).is_some_and(|w| w.text == "rename")
            && words.get(4).is_some_and(|w| w.text == "to")
        {
            self.indexes.iter_mut().filter(|(_, table)| *table == old).for_each(|(_, table)| table.clone_from(&new));
        }
    }
}

/// More memory than a child process may have, so that the limit on it is what ends the process.
fn allocate_too_much() {
    let too_much: Vec<u8> = Vec::with_capacity(2 * CHILD_MEMORY_BYTES as usize);
    std::hint::black_box(too_much);
}

fn filters(words: &[Word]) -> bool {
    has_own(words, "where")
}

/// Whether the statement itself, not a part in parentheses, has this word.
fn has_own(words: &[Word], word: &str) -> bool {
    words.iter().any(|w| w.depth == 0 && w.text == word)
}

/// The greatest row, not the last one: a lie that does not depend on the order in which rows come.
fn lose_greatest(rows: &mut Rows) {
    let order = |a: &usize, b: &usize| {
        let cells = rows.row(*a).iter().zip(rows.row(*b)).map(|(x, y)| total_order(x, y));
        cells.fold(Ordering::Equal, Ordering::then)
    };
    if let Some(at) = (0..rows.len()).max_by(order) {
        rows.cells.drain(at * rows.columns..(at + 1) * rows.columns);
    }
}

/// `.. WHERE NOT p ..` with `(NOT p OR (p) IS NULL)` in its place, where p is the whole operand of NOT.
fn null_is_false(text: &str, words: &[Word]) -> Option<String> {
    let at = words.iter().position(|w| w.depth == 0 && w.text == "where")?;
    let start = words[at].end;
    let clauses = ["group", "having", "window", "order", "limit", "union", "intersect", "except"];
    let end = words[at..].iter().find(|w| w.depth == 0 && clauses.contains(&w.text.as_str()));
    let end = end.map_or(text.trim_end_matches([';', ' ', '\n']).len(), |w| w.start);
    let mut predicate = text.get(start..end)?.trim();
    while let Some(inner) = without_parentheses(predicate) {
        predicate = inner.trim();
    }
    let inside = self::words(predicate);
    let negated = inside.first().filter(|w| w.text == "not" && w.depth == 0)?;
    // NOT binds tighter than these: its operand would end before them.
    if inside.iter().any(|w| w.depth == 0 && ["and", "or"].contains(&w.text.as_str())) {
        return None;
    }
    let operand = predicate[negated.end..].trim();
    Some(format!("{} (NOT {operand} OR ({operand}) IS NULL) {}", &text[..start], &text[end..]))
}

/// A statement whose windows without an order have no partitions.
fn without_partitions(text: &str) -> String {
    const OPEN: &str = "OVER (PARTITION BY ";
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(OPEN) {
        let inside = at + "OVER (".len();
        let mut depth = 1;
        let close = rest[inside..].find(|c: char| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let close = close.map_or(rest.len(), |length| inside + length);
        let ordered = rest[inside..close].contains(" ORDER BY ");
        kept.push_str(&rest[..inside]);
        kept.push_str(if ordered { &rest[inside..close] } else { "" });
        rest = &rest[close..];
    }
    kept + rest
}

/// A statement whose limits are greater by one.
fn limits_one_more(text: &str) -> String {
    const WORD: &str = " LIMIT ";
    let mut parts = text.split(WORD);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let count = part[..digits].parse().map_or_else(|_| part[..digits].to_owned(), |n: u64| (n + 1).to_string());
        changed += &format!("{WORD}{count}{}", &part[digits..]);
    }
    changed
}

/// `UPDATE .. WHERE p` and `DELETE .. WHERE p` with `((p) OR (p) IS NULL)` in p's place.
fn touches_unknown(text: &str, words: &[Word]) -> String {
    let own = |name: &str| words.iter().find(|w| w.depth == 0 && w.text == name);
    let Some(at) = own("where").filter(|_| starts(words, &["update"]) || starts(words, &["delete"])) else {
        return text.to_owned();
    };
    let end = own("returning").map_or(text.len(), |w| w.start);
    let (before, p, after) = (&text[..at.end], text[at.end..end].trim(), &text[end..]);
    format!("{before} (({p}) OR ({p}) IS NULL) {after}")
}

/// A definition without what it says of the values that may be stored.
fn without_constraints(text: &str, words: &[Word]) -> String {
    if starts(words, &["create", "unique", "index"]) {
        return text.replacen("UNIQUE ", "", 1);
    }
    if !starts(words, &["create", "table"]) && !starts(words, &["alter", "table"]) {
        return text.to_owned();
    }
    let own = u32::from(starts(words, &["create"]));
    let group_end = |from: usize| {
        let inside = text[from..].find('(').map(|open| from + open)?;
        let mut depth = 0;
        let close = text[inside..].char_indices().find(|(_, c)| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth == 0
        });
        close.map(|(at, _)| inside + at + 1)
    };
    let (mut kept, mut from) = (String::new(), 0);
    for (i, word) in words.iter().enumerate().filter(|(_, w)| w.depth == own) {
        let next = words.get(i + 1).map_or("", |w| w.text.as_str());
        let bracketed = |end: usize| text[end..].trim_start().starts_with('(');
        let end = match word.text.as_str() {
            _ if word.start < from => continue,
            "unique" if !bracketed(word.end) => word.end,
            "primary" if next == "key" && !bracketed(words[i + 1].end) => words[i + 1].end,
            "not" if next == "null" && words[i - 1].text != "is" => words[i + 1].end,
            "unique" | "primary" | "check" | "as" => group_end(word.end).unwrap_or(word.end),
            "generated" if next == "always" => words[i + 1].end,
            "stored" | "virtual" => word.end,
            _ => continue,
        };
        // A constraint of the whole table goes with the comma before it.
        let before = text[from..word.start].trim_end();
        kept.push_str(if before.ends_with(',') { before.trim_end_matches(',') } else { before });
        from = end;
    }
    kept + &text[from..]
}

/// What is inside one pair of parentheses around the whole text.
fn without_parentheses(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0i32;
    let mut quoted = false;
    for b in inner.bytes() {
        match b {
            b'\'' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    Some(inner)
}

/// A keyword or name in a statement, in lower case, and how many parentheses are open around it.
#[derive(Debug)]
struct Word {
    text: String,
    depth: u32,
    start: usize,
    end: usize,
}

/// The words of a statement; strings in quotes are skipped, quoted names are names.
fn words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    let (mut found, mut depth, mut at) = (Vec::new(), 0u32, 0);
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'\'' => at += bytes[at..].iter().position(|b| *b == b'\'').map_or(bytes.len() - at, |n| n + 1),
            b if is_name(b) => {
                at += bytes[at..].iter().position(|b| !is_name(*b)).unwrap_or(bytes.len() - at);
                found.push(Word { text: text[start..at].to_ascii_lowercase(), depth, start, end: at });
            }
            _ => {}
        }
    }
    found
}

fn starts(words: &[Word], with: &[&str]) -> bool {
    words.len() >= with.len() && words.iter().zip(with).all(|(word, expected)| word.text == *expected)
}

/// One bug in three functions, and another one.
fn crashes_in_two_ways(text: &str, words: &[Word]) -> bool {
    let called = ["instr", "ifnull", "nullif"].iter().any(|function| calls(text, words, function));
    called || words.iter().any(|w| w.text == "except")
}

fn calls(text: &str, words: &[Word], function: &str) -> bool {
    words.iter().any(|w| w.text == function && text[w.end..].trim_start().starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_core::value::Value;

    const STATE: &[&str] = &[
        "CREATE TABLE t0 (c0)",
        "CREATE TABLE t1 (c0)",
        "INSERT INTO t0 VALUES (1), (2), (NULL)",
        "INSERT INTO t1 SELECT c0 FROM t0",
        "CREATE UNIQUE INDEX IF NOT EXISTS i0 ON t0(c0)",
    ];

    fn canary(kind: &str) -> Box<dyn Session> {
        let mut session = connect(Some(kind)).ok().and_then(|e| e.open().ok()).expect(kind);
        for statement in STATE {
            assert_eq!(session.run(statement), Outcome::Done, "{statement}");
        }
        session
    }

    fn count(session: &mut dyn Session, query: &str) -> usize {
        match session.run(query) {
            Outcome::Rows(rows) => rows.len(),
            other => panic!("{query}: {other:?}"),
        }
    }

    #[test]
    fn index_row_loses_a_row_only_with_index_and_where() {
        let mut session = canary("index-row");
        let cases = [
            ("SELECT c0 FROM t0 WHERE c0 > 0", 1),
            ("SELECT c0 FROM t0", 3),
            ("SELECT c0 FROM t1 WHERE c0 > 0", 2),
            ("SELECT c0 FROM t1 AS t0 WHERE c0 > 0", 2),
            ("SELECT c0 FROM t0 WHERE c0 > 1", 1),
            ("SELECT x FROM (SELECT c0 > 0 AS x FROM t0)", 3),
            ("SELECT c0 FROM t1 WHERE c0 IN (SELECT c0 FROM t0 WHERE c0 > 0)", 2),
            ("SELECT c0 FROM t0 WHERE c0 > 0 UNION ALL SELECT c0 FROM t1", 5),
        ];
        for (query, rows) in cases {
            assert_eq!(count(session.as_mut(), query), rows, "{query}");
        }
        session.run("ALTER TABLE t0 RENAME TO t2");
        assert_eq!(count(session.as_mut(), "SELECT c0 FROM t2 WHERE c0 > 0"), 1);
        session.run("DROP INDEX i0");
        assert_eq!(count(session.as_mut(), "SELECT c0 FROM t2 WHERE c0 > 0"), 2);
    }

    #[test]
    fn not_null_takes_null_for_false() {
        let mut session = canary("not-null");
        let cases = [
            ("SELECT c0 FROM t0 WHERE NOT (c0 = 1)", 2),
            ("SELECT c0 FROM t0 WHERE (NOT (c0 = 1)) ORDER BY c0", 2),
            ("SELECT c0 FROM t0 WHERE NOT c0 = 1;", 2),
            ("SELECT c0 FROM t0 WHERE (c0 = 1)", 1),
            ("SELECT c0 FROM t0 WHERE NOT (c0 = 1) AND c0 > 0", 1),
            ("SELECT c0 FROM t0 WHERE (c0 = 1) IS NULL", 1),
            ("SELECT c0 FROM t0 WHERE (c0) > (0)", 2),
        ];
        for (query, rows) in cases {
            assert_eq!(count(session.as_mut(), query), rows, "{query}");
        }
    }

    #[test]
    fn the_other_lies() {
        let mut distinct = canary("distinct-count");
        assert_eq!(count(distinct.as_mut(), "SELECT DISTINCT c0 FROM t0"), 2);
        assert_eq!(count(distinct.as_mut(), "SELECT DISTINCT c0 FROM t0 WHERE c0 OR c0 IS NULL"), 3);
        let outcome = distinct.run("SELECT COUNT(*) FROM (SELECT DISTINCT c0 FROM t0)");
        assert!(matches!(&outcome, Outcome::Rows(rows) if rows.scalar() == Some(&Value::Int(3))), "{outcome:?}");

        let mut unkept = connect(Some("unkept")).ok().and_then(|e| e.open().ok()).unwrap();
        for text in [
            "CREATE TABLE a(x INT PRIMARY KEY, y TEXT NOT NULL UNIQUE, CHECK (x > 0), UNIQUE (x, y))",
            "INSERT INTO a VALUES (0, NULL), (0, NULL)",
            "CREATE UNIQUE INDEX i ON a(x)",
            "CREATE TABLE b(x INT, z INT AS (x + 1) STORED, y DEFAULT 'NOT NULL')",
        ] {
            assert!(unkept.run(text).is_ok(), "{text}");
        }
        assert_eq!(count(unkept.as_mut(), "SELECT x, y, z FROM b"), 0);

        let mut broken = canary("index-error");
        assert!(broken.run("SELECT c0 FROM t1 WHERE c0").is_ok());
        let outcome = broken.run("SELECT c0 FROM t0 WHERE c0");
        assert!(matches!(outcome, Outcome::Rejected(r) if r.class == RejectionClass::Internal));
    }
}
