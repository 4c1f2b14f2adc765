//! `qualm adapter check`: whether an adapter keeps to docs/adapter.md. Each test sends requests and looks at the
//! replies; what is wrong is said in terms of the protocol, with the request and the reply, because the reader is the
//! person who writes the adapter.

use super::{Hello, Silence, exchange, greet, hear, send, values};
use qualm_core::dialect::Spoken;
use qualm_core::dialect::sql::{Dialect, Kind};
use qualm_core::session::{Outcome, RejectionClass};
use qualm_core::value::{Rows, Value};
use qualm_host::process::Peer;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// One test.
pub struct Tested {
    pub name: &'static str,
    pub result: Result<String, String>,
}

/// Every reply has to come within this time; on a busy machine programs start slowly.
const PATIENCE_MS: u64 = 30_000;
/// What a statement is allowed where the limit itself is tested.
const SHORT_LIMIT_MS: u64 = 300;
/// How long after its end of input a program may take to exit.
const EXIT_MS: u64 = 10_000;
/// Rows of the table whose product with itself is the large answer.
const TENS: usize = 10;

struct Tester {
    command: String,
    hello: Hello,
    peer: Peer,
}

type Checked = Result<String, String>;

/// Runs the tests in order. An adapter that sends no hello has only that one.
pub fn check(command: &str) -> Vec<Tested> {
    let (hello, peer) = match greet(command) {
        Ok(greeted) => greeted,
        Err(why) => return vec![Tested { name: "hello", result: Err(why) }],
    };
    let said = format!("{} {}, language {}", hello.name, hello.version, hello.speaks.language().title());
    let mut tester = Tester { command: command.to_owned(), hello, peer };
    let mut results = vec![Tested { name: "hello", result: Ok(said) }];
    for (name, test) in TESTS {
        let result = tester.once(*test);
        // Every further test begins with an empty database.
        let useless = result.is_err() && BASIC.contains(name);
        results.push(Tested { name, result });
        if useless {
            break;
        }
    }
    results
}

/// A test and its name, as the report has it.
type Test = fn(&mut Tester) -> Checked;

const TESTS: &[(&str, Test)] = &[
    ("open", Tester::open),
    ("open empties the database", Tester::open_empties),
    ("self-test of the dialect", Tester::self_test),
    ("NULL", Tester::null),
    ("integers", Tester::integers),
    ("floats", Tester::floats),
    ("text", Tester::text),
    ("truth values", Tester::truth),
    ("blobs", Tester::blobs),
    ("no rows", Tester::no_rows),
    ("large answer", Tester::large_answer),
    ("errors", Tester::errors),
    ("time limit", Tester::time_limit),
    ("batches", Tester::batches),
    ("plans", Tester::plans),
    ("private databases", Tester::private),
    ("exit", Tester::exit),
];

/// Without these nothing else can be tested.
const BASIC: &[&str] = &["open", "open empties the database"];

impl Tester {
    /// A test begins with a program that lives and an empty database, whatever the one before did.
    fn once(&mut self, test: Test) -> Checked {
        if exchange(&mut self.peer, &json!({"do": "open"}), PATIENCE_MS).is_err() {
            let (_, peer) = greet(&self.command)?;
            self.peer = peer;
            self.reply(&json!({"do": "open"}))?;
        }
        test(self)
    }

    fn reply(&mut self, request: &Json) -> Result<Json, String> {
        exchange(&mut self.peer, request, PATIENCE_MS)
            .map_err(|silence| format!("after {request}, {}", describe(silence)))
    }

    fn outcome(&mut self, text: &str) -> Result<(Json, Outcome), String> {
        let request = json!({"do": "run", "text": text, "limit_ms": PATIENCE_MS / 2});
        let reply = self.reply(&request)?;
        let outcome = values::outcome(reply.clone(), |_| RejectionClass::Expected);
        match &outcome {
            Outcome::Rejected(r) if r.text.starts_with(values::WRONG_REPLY) => {
                Err(format!("the reply to {request} was {}: {}", shown(&reply), r.text))
            }
            _ => Ok((reply, outcome)),
        }
    }

    /// A statement that has to work.
    fn done(&mut self, text: &str) -> Result<(), String> {
        match self.outcome(text)? {
            (_, outcome) if outcome.is_ok() => Ok(()),
            (reply, _) => Err(format!("'{text}' was answered with {}", shown(&reply))),
        }
    }

    fn rows(&mut self, text: &str) -> Result<(Json, Rows), String> {
        match self.outcome(text)? {
            (reply, Outcome::Rows(rows)) => Ok((reply, rows)),
            (reply, _) => Err(format!("'{text}' was answered with {}; rows were expected", shown(&reply))),
        }
    }

    fn sql(&self) -> Option<&'static Dialect> {
        match self.hello.speaks {
            Spoken::Sql(dialect) => Some(dialect),
            _ => None,
        }
    }

    /// Stores a literal in a column of this kind, reads it back, and compares it with what it must be.
    fn stored(&mut self, kind: Kind, literal: &str, expected: &Value) -> Result<(), String> {
        let Some(column) = self.sql().and_then(|d| d.plain_type(kind)) else { return Ok(()) };
        self.reply(&json!({"do": "open"}))?;
        self.done(&format!("CREATE TABLE v (c {})", column.name))?;
        self.done(&format!("INSERT INTO v VALUES ({literal})"))?;
        let (reply, rows) = self.rows("SELECT c FROM v")?;
        match rows.scalar() {
            Some(value) if value == expected => Ok(()),
            _ => Err(format!(
                "{literal} in a column of type {} came back as {}; it has to be {}",
                column.name,
                shown(&reply),
                as_json(expected)
            )),
        }
    }

    fn has(&self, kind: Kind) -> bool {
        self.sql().is_some_and(|d| d.plain_type(kind).is_some())
    }

    // ------------------------------------------------------------ tests

    fn open(&mut self) -> Checked {
        let reply = self.reply(&json!({"do": "open"}))?;
        match reply.get("done") {
            Some(_) => Ok(String::new()),
            None => {
                Err(format!("the reply to {{\"do\": \"open\"}} was {}; it has to be {{\"done\": true}}", shown(&reply)))
            }
        }
    }

    fn self_test(&mut self) -> Checked {
        match crate::connect(&format!("exec:{}", self.command)) {
            Ok(_) => Ok(String::new()),
            Err(e) => Err(e.to_string()),
        }
    }

    fn null(&mut self) -> Checked {
        for kind in [Kind::Int, Kind::Text, Kind::Real] {
            self.stored(kind, "NULL", &Value::Null)?;
        }
        self.of_sql("")
    }

    fn integers(&mut self) -> Checked {
        for n in [0, -1, 2_147_483_648, 9_007_199_254_740_993, i64::MAX, i64::MIN + 1] {
            self.stored(Kind::Int, &n.to_string(), &Value::Int(n))?;
        }
        self.of_sql("up to 64 bits")
    }

    fn floats(&mut self) -> Checked {
        let Some(dialect) = self.sql().filter(|d| d.plain_type(Kind::Real).is_some()) else {
            return Ok("the dialect has none".into());
        };
        let (before, after) = dialect.spelling.real;
        for r in [0.5, 0.1, 1.0, -2.0, 1e100, -0.000_123_456_789] {
            let digits = format!("{r:?}");
            let after = if after.starts_with('e') && digits.contains('e') { "" } else { after };
            self.stored(Kind::Real, &format!("{before}{digits}{after}"), &Value::real(r))?;
        }
        let (plus, minus) = dialect.spelling.infinity;
        for (literal, value) in [(plus, f64::INFINITY), (minus, f64::NEG_INFINITY)] {
            if !literal.is_empty() {
                self.stored(Kind::Real, literal, &Value::real(value))?;
            }
        }
        Ok("all digits, whole numbers as floats".into())
    }

    fn text(&mut self) -> Checked {
        for text in ["", "a", "it's", " two  blanks ", "ä€🦀", "a\"b", "line\nline", "1", "NULL", "null", "%"] {
            let literal = format!("'{}'", text.replace('\'', "''"));
            self.stored(Kind::Text, &literal, &Value::Text(text.into()))?;
        }
        self.of_sql("empty, quotes, line ends, outside of the BMP")
    }

    fn truth(&mut self) -> Checked {
        if !self.has(Kind::Bool) {
            return Ok("the dialect has none".into());
        }
        self.stored(Kind::Bool, "TRUE", &Value::Bool(true))?;
        self.stored(Kind::Bool, "FALSE", &Value::Bool(false))?;
        Ok(String::new())
    }

    fn blobs(&mut self) -> Checked {
        let Some(dialect) = self.sql().filter(|d| d.plain_type(Kind::Blob).is_some()) else {
            return Ok("the dialect has none".into());
        };
        let (before, after) = dialect.spelling.blob;
        self.stored(Kind::Blob, &format!("{before}00FF61{after}"), &Value::Blob(vec![0, 255, 97]))?;
        Ok(String::new())
    }

    fn of_sql(&self, what: &str) -> Checked {
        Ok(if self.sql().is_some() { what.to_owned() } else { "not tried: the language is not SQL".into() })
    }

    fn small_table(&mut self) -> Result<bool, String> {
        let Some(int) = self.sql().and_then(|d| d.plain_type(Kind::Int)) else { return Ok(false) };
        self.done(&format!("CREATE TABLE n (a {0}, b {0})", int.name))?;
        for i in 0..TENS {
            self.done(&format!("INSERT INTO n VALUES ({i}, {i})"))?;
        }
        Ok(true)
    }

    fn no_rows(&mut self) -> Checked {
        if !self.small_table()? {
            return self.of_sql("");
        }
        let text = "SELECT a, b FROM n WHERE a > 100";
        let (reply, rows) = self.rows(text)?;
        match rows.columns {
            2 if rows.is_empty() => Ok(String::new()),
            _ => Err(format!(
                "'{text}' was answered with {}; it has to be {{\"rows\": [], \"columns\": 2}}",
                shown(&reply)
            )),
        }
    }

    fn large_answer(&mut self) -> Checked {
        if !self.small_table()? {
            return self.of_sql("");
        }
        let text = "SELECT x1.a, x2.a, x3.a, x4.a FROM n x1 JOIN n x2 ON 1 = 1 JOIN n x3 ON 1 = 1 JOIN n x4 ON 1 = 1";
        let (_, rows) = self.rows(text)?;
        match rows.len() {
            n if n == TENS.pow(4) => Ok(format!("{n} rows")),
            n => Err(format!("'{text}' was answered with {n} rows; it has {}", TENS.pow(4))),
        }
    }

    fn errors(&mut self) -> Checked {
        let nonsense = "THIS IS NO STATEMENT (";
        match self.outcome(nonsense)? {
            (_, Outcome::Rejected(r)) if r.class == RejectionClass::Internal => Err(format!(
                "'{nonsense}' was answered with the class 'internal', which is for errors that are always a bug"
            )),
            (_, Outcome::Rejected(r)) if r.text.trim().is_empty() => Err("an error has no text".into()),
            (_, Outcome::Rejected(_)) => match self.sql() {
                None => Ok(String::new()),
                // An error must not leave a transaction behind that refuses everything.
                Some(_) => self.small_table().map(|_| "the next statement works".into()),
            },
            (reply, _) => {
                Err(format!("'{nonsense}' was answered with {}; it has to be {{\"error\": \"…\"}}", shown(&reply)))
            }
        }
    }

    fn time_limit(&mut self) -> Checked {
        if !self.small_table()? {
            return self.of_sql("");
        }
        let names: Vec<String> = (1..=12).map(|i| format!("n x{i}")).collect();
        // Not every engine has CROSS JOIN.
        let joined = format!("{} ON 1 = 1", names.join(" ON 1 = 1 JOIN ")).replacen(" ON 1 = 1", "", 1);
        let text = format!("SELECT count(*) FROM {joined} WHERE x1.a + x12.a > x2.b * x7.b");
        let begun = Instant::now();
        let request = json!({"do": "run", "text": text, "limit_ms": SHORT_LIMIT_MS});
        match exchange(&mut self.peer, &request, PATIENCE_MS) {
            Ok(reply) => match values::outcome(reply.clone(), |_| RejectionClass::Expected) {
                Outcome::Rejected(r) if r.class == RejectionClass::Limit => {
                    Ok(format!("a limit of {SHORT_LIMIT_MS} ms was kept within {} ms", begun.elapsed().as_millis()))
                }
                Outcome::Rejected(_) => Err(format!(
                    "a statement with \"limit_ms\": {SHORT_LIMIT_MS} was answered with {}; cancel it and reply with \
                     \"class\": \"limit\"",
                    shown(&reply)
                )),
                _ => Ok("the engine was faster than the limit".into()),
            },
            Err(Silence::Late(_)) => Err(format!(
                "a statement with \"limit_ms\": {SHORT_LIMIT_MS} was still running after {PATIENCE_MS} ms; cancel it \
                 and reply with \"class\": \"limit\", or every slow statement costs the adapter its life"
            )),
            Err(other) => Err(format!("a slow statement with \"limit_ms\": {SHORT_LIMIT_MS}: {}", describe(other))),
        }
    }

    fn batches(&mut self) -> Checked {
        if !self.hello.batch {
            return Ok("not offered (\"batch\": true in the hello): one request per statement is slower".into());
        }
        if !self.small_table()? {
            return self.of_sql("");
        }
        let texts = ["SELECT a FROM n WHERE a = 1", "THIS IS NO STATEMENT (", "SELECT a FROM n WHERE a = 2"];
        send(&mut self.peer, &json!({"do": "run", "texts": texts, "limit_ms": PATIENCE_MS}));
        for (at, text) in texts.iter().enumerate() {
            let reply = hear(&mut self.peer, PATIENCE_MS).map_err(|silence| {
                format!("a batch of {} statements got {at} replies, then {}", texts.len(), describe(silence))
            })?;
            let outcome = values::outcome(reply.clone(), |_| RejectionClass::Expected);
            let fits = match (&outcome, at) {
                (Outcome::Rejected(_), 1) => true,
                (Outcome::Rows(rows), _) => at != 1 && rows.scalar() == Some(&Value::Int(if at == 0 { 1 } else { 2 })),
                _ => false,
            };
            if !fits {
                return Err(format!("reply {} of a batch was {}, for '{text}'", at + 1, shown(&reply)));
            }
        }
        Ok("one reply per statement, in order".into())
    }

    fn plans(&mut self) -> Checked {
        if !self.small_table()? {
            return self.of_sql("");
        }
        let plan = |text: &str| json!({"do": "plan", "text": text, "limit_ms": PATIENCE_MS});
        let reply = self.reply(&plan("SELECT a FROM n WHERE a > 3 ORDER BY b"))?;
        let Some(nodes) = reply.get("plan") else { return Ok("there are none".into()) };
        let nodes: Vec<qualm_core::plan::PlanNode> = serde_json::from_value(nodes.clone())
            .map_err(|e| format!("the plan {} cannot be read: {e}", shown(&reply)))?;
        if self.hello.plans_only {
            self.reply(&plan("INSERT INTO n VALUES (77, 77)"))?;
            let (reply, rows) = self.rows("SELECT a FROM n WHERE a = 77")?;
            if !rows.is_empty() {
                let hint = "\"plans_only\": true promises that a plan request never runs the statement";
                return Err(format!("the plan of an INSERT has inserted: {}; {hint}", shown(&reply)));
            }
        }
        Ok(format!("{} operators", nodes.len()))
    }

    fn open_empties(&mut self) -> Checked {
        if !self.small_table()? {
            return self.of_sql("");
        }
        self.reply(&json!({"do": "open"}))?;
        match self.outcome("SELECT a FROM n")? {
            (_, Outcome::Rejected(_)) => Ok(String::new()),
            _ => {
                Err("a table is still there after {\"do\": \"open\"}; every open begins with an empty database".into())
            }
        }
    }

    /// Workers run side by side, each with an adapter of its own.
    fn private(&mut self) -> Checked {
        if !self.small_table()? {
            return self.of_sql("");
        }
        let (hello, peer) = greet(&self.command)?;
        let mut other = Tester { command: self.command.clone(), hello, peer };
        other.reply(&json!({"do": "open"}))?;
        let seen = other.outcome("SELECT a FROM n")?.1.is_ok();
        let kept = self.outcome("SELECT a FROM n")?.1.is_ok();
        match (seen, kept) {
            (false, true) => Ok(String::new()),
            (true, _) => Err("a second adapter sees the tables of the first; each needs a database of its own".into()),
            (_, false) => Err("the tables of one adapter are gone once a second one has opened its database".into()),
        }
    }

    fn exit(&mut self) -> Checked {
        self.peer.end_input();
        match self.peer.ends_within(Duration::from_millis(EXIT_MS)) {
            true => Ok(String::new()),
            false => Err(format!("the program still runs {EXIT_MS} ms after its standard input was closed")),
        }
    }
}

fn describe(silence: Silence) -> String {
    match silence {
        Silence::Dead(how) => format!("the program ended: {how}"),
        Silence::Late(ms) => format!("there was no reply within {ms} ms"),
        Silence::Nonsense(what) => what,
    }
}

/// A reply for people: its beginning.
fn shown(reply: &Json) -> String {
    const MOST: usize = 200;
    let text = reply.to_string();
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn as_json(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| value.show())
}
