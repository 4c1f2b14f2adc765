//! The drivers against real engines: the linked SQLite and the releases that `./x setup` builds.

mod support;

use qualm::engine::{self, ConnectError};
use qualm::knobs;
use qualm::session::{Outcome, RejectionClass, Session};
use qualm::value::Value;
use std::path::Path;
use std::process::Command;
use support::sessions::{cells, engine, rejection, run_all, session};

const BUNDLED: &str = "sqlite";
const OLD: &str = "sqlite:3.28.0";

fn unreachable(spec: &str) -> String {
    match engine::connect(spec) {
        Err(ConnectError::Unreachable(text)) => text,
        Err(other) => panic!("{spec}: {other:?}"),
        Ok(engine) => panic!("{spec} is {}", engine.version()),
    }
}

#[test]
fn values_keep_their_types() {
    let mut session = session(BUNDLED);
    let query = "SELECT -9223372036854775808, 9223372036854775807, 0.1, 1.0, -9e999, 'a' || char(0) || 'b', x'', \
                 NULL, 'NULL', 1, '1'";
    assert_eq!(
        cells(session.as_mut(), query),
        [
            Value::Int(i64::MIN),
            Value::Int(i64::MAX),
            Value::Real(0.1),
            Value::Real(1.0),
            Value::Real(f64::NEG_INFINITY),
            Value::Text("a\0b".into()),
            Value::Blob(vec![]),
            Value::Null,
            Value::Text("NULL".into()),
            Value::Int(1),
            Value::Text("1".into()),
        ]
    );
    // Text that is no UTF-8 keeps its bytes.
    assert_eq!(cells(session.as_mut(), "SELECT CAST(x'61FF' AS TEXT)"), [Value::Blob(vec![0x61, 0xFF])]);
}

#[test]
fn every_release_passes_its_self_test_and_says_who_it_is() {
    for (spec, version) in
        [(OLD, "sqlite 3.28.0"), ("sqlite:3.13.0", "sqlite 3.13.0"), ("sqlite:3.31.1", "sqlite 3.31.1")]
    {
        let engine = engine(spec);
        assert_eq!(engine.version(), version);
        assert!(engine.build().starts_with("20"), "{}", engine.build());
    }
    assert!(engine(BUNDLED).version().starts_with("sqlite 3."));
    assert!(engine(BUNDLED).build().starts_with("20"));
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    for (spec, says) in [
        ("sqlight", "unknown engine 'sqlight' (did you mean 'sqlite'?); known engines: sqlite, "),
        ("sqlite:", "nothing after the colon"),
        ("canary", "engine 'canary' needs a kind; known ones:\n  canary:index-row"),
        ("canary:yellow", "unknown canary 'yellow'"),
    ] {
        match engine::connect(spec) {
            Err(e @ ConnectError::Usage(_)) => {
                assert!(e.to_string().contains(says), "{e}");
                assert_eq!(e.exit_code(), 2);
            }
            other => panic!("{spec}: {:?}", other.map(|e| e.version())),
        }
    }
}

/// Compiles C source as a shared object and returns how an engine is named that lives there.
fn library(folder: &Path, name: &str, source: &str) -> String {
    let (c, so) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    std::fs::write(&c, source).unwrap();
    let status = Command::new("cc").args(["-w", "-shared", "-fPIC", "-o"]).arg(&so).arg(&c).status();
    assert!(status.expect("a C compiler, which './x setup' checks").success());
    format!("sqlite:{}", so.display())
}

#[test]
fn files_that_are_no_sqlite_are_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.so");
    std::fs::write(&text, "these are only words, though quite a lot of them for one line of text").unwrap();
    let path = |p: &Path| format!("sqlite:{}", p.display());
    let cases = [
        (path(&folder.path().join("none.so")), "no such file; pass --engine sqlite:PATH"),
        (path(folder.path()), "it is a directory"),
        (path(&text), "it is not a shared object"),
        (library(folder.path(), "other", "int other(void) { return 1; }"), "it is a shared object but no SQLite"),
        (
            library(folder.path(), "ancient", "const char *sqlite3_libversion(void) { return \"3.0.0\"; }"),
            "it lacks the function 'sqlite3_libversion_number'; SQLite 3.7.7 or newer is needed",
        ),
        ("sqlite:3.0.1".into(), "no such file; run './x sqlite 3.0.1' to fetch and build it"),
    ];
    for (spec, says) in cases {
        let text = unreachable(&spec);
        assert!(text.starts_with("cannot load sqlite library '") && text.contains(says), "{text}");
    }
    assert_eq!(ConnectError::Unreachable(String::new()).exit_code(), 3);
}

/// All functions are there, every statement "works", and no answer has a row.
const EMPTY_ANSWERS: &str = r#"
const char *sqlite3_libversion(void) { return "3.99.0"; }
int sqlite3_libversion_number(void) { return 3099000; }
const char *sqlite3_sourceid(void) { return "2099"; }
int sqlite3_threadsafe(void) { return 1; }
int sqlite3_config(int op, ...) { return 0; }
int sqlite3_open_v2(const char *n, void **db, int f, const char *v) { *db = (void*)"db"; return 0; }
int sqlite3_close(void *db) { return 0; }
int sqlite3_db_config(void *db, int op, ...) { return 0; }
int sqlite3_limit(void *db, int i, int n) { return 0; }
int sqlite3_set_authorizer(void *db, void *f, void *a) { return 0; }
void sqlite3_progress_handler(void *db, int n, void *f, void *a) {}
int sqlite3_test_control(int op, ...) { return 0; }
const char *sqlite3_errmsg(void *db) { return ""; }
int sqlite3_prepare_v2(void *db, const char *s, int n, void **st, const char **tail) {
    *st = (void*)(*s == 'S' ? "S" : "-"); *tail = s + n - 1; return 0;
}
int sqlite3_step(void *st) { return 101; }
int sqlite3_finalize(void *st) { return 0; }
int sqlite3_stmt_status(void *st, int what, int reset) { return 0; }
int sqlite3_bind_parameter_count(void *st) { return 0; }
const char *sqlite3_bind_parameter_name(void *st, int i) { return 0; }
int sqlite3_bind_int64(void *st, int i, long long n) { return 0; }
int sqlite3_bind_double(void *st, int i, double d) { return 0; }
int sqlite3_bind_text(void *st, int i, const char *t, int n, void *f) { return 0; }
int sqlite3_bind_blob(void *st, int i, const void *b, int n, void *f) { return 0; }
int sqlite3_column_count(char *st) { return *st == 'S' ? 4 : 0; }
int sqlite3_column_type(void *st, int i) { return 5; }
long long sqlite3_column_int64(void *st, int i) { return 0; }
double sqlite3_column_double(void *st, int i) { return 0; }
const char *sqlite3_column_text(void *st, int i) { return 0; }
const char *sqlite3_column_blob(void *st, int i) { return 0; }
int sqlite3_column_bytes(void *st, int i) { return 0; }
"#;

#[test]
fn an_engine_without_answers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = unreachable(&library(folder.path(), "empty", EMPTY_ANSWERS));
    assert!(text.contains("(sqlite 3.99.0) fails its self-test: 'SELECT"), "{text}");
    assert!(text.contains("must return 2 rows: (") && !text.contains("Rows {"), "expected and actual values: {text}");
    assert!(text.ends_with("its results cannot be trusted"), "{text}");
}

#[test]
fn several_releases_live_in_one_process() {
    let specs = [BUNDLED, OLD, "sqlite:3.31.1", "sqlite:3.13.0"];
    let mut sessions: Vec<_> = specs.iter().map(|spec| (engine(spec).version(), session(spec))).collect();
    for (_, session) in &mut sessions {
        run_all(session.as_mut(), &["CREATE TABLE t0 (c0)", "INSERT INTO t0 SELECT sqlite_version()"]);
    }
    for (version, session) in &mut sessions {
        let stored = cells(session.as_mut(), "SELECT c0, sqlite_version() FROM t0");
        let expected = Value::Text(version.trim_start_matches("sqlite ").into());
        assert_eq!(stored, [expected.clone(), expected]);
    }
}

/// The releases from `./x` are compiled without locks: each thread must have a copy of its own.
#[test]
fn threads_do_not_share_a_library_without_locks() {
    let work = || {
        let mut session = session(OLD);
        for round in 0..200 {
            session.reset().unwrap();
            run_all(
                session.as_mut(),
                &[
                    "CREATE TABLE t0 (c0 INTEGER PRIMARY KEY, c1)",
                    "INSERT INTO t0 WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < 100) \
                     SELECT x, randomblob(100) FROM n",
                    "CREATE INDEX i0 ON t0(c1)",
                ],
            );
            assert_eq!(cells(session.as_mut(), "PRAGMA integrity_check"), [Value::Text("ok".into())], "{round}");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
}

const COUNT_FOR_EVER: &str = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";

#[test]
fn work_and_answers_are_limited() {
    for spec in [BUNDLED, OLD, "sqlite:3.13.0"] {
        let mut session = session(spec);
        run_all(
            session.as_mut(),
            &["CREATE TABLE t0 (c0)", "INSERT INTO t0 VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)"],
        );
        let endless = "SELECT COUNT(*) FROM t0 a, t0 b, t0 c, t0 d, t0 e, t0 f, t0 g, t0 h, t0 i \
                       WHERE a.c0 + b.c0 + c.c0 + d.c0 + e.c0 + f.c0 + g.c0 + h.c0 + i.c0 > 80";
        assert_eq!(rejection(session.as_mut(), endless), (RejectionClass::Limit, "work limit".into()), "{spec}");
        // The next statement has its full share of work again.
        let fine = "SELECT COUNT(*) FROM t0 a, t0 b, t0 c, t0 d WHERE a.c0 + b.c0 + c.c0 + d.c0 > 35";
        assert_eq!(cells(session.as_mut(), fine), [Value::Int(1)], "{spec}");
    }
    for spec in [BUNDLED, OLD] {
        let mut session = session(spec);
        let (class, text) = rejection(session.as_mut(), &format!("{COUNT_FOR_EVER} SELECT x FROM n"));
        assert_eq!((class, text.as_str()), (RejectionClass::Limit, "answer too long"), "{spec}");
        let (class, text) = rejection(session.as_mut(), "SELECT zeroblob(1000001)");
        assert_eq!((class, text.as_str()), (RejectionClass::Limit, "string or blob too big"), "{spec}");
    }
}

#[test]
fn the_work_limit_is_the_same_in_every_run() {
    let most_rows = |session: &mut dyn Session| {
        (1..40u32)
            .map(|n| n * 10_000)
            .take_while(|n| {
                session.run(&format!("{COUNT_FOR_EVER} SELECT COUNT(*) FROM (SELECT x FROM n LIMIT {n})")).is_ok()
            })
            .last()
    };
    for spec in [BUNDLED, OLD] {
        let counts = [most_rows(session(spec).as_mut()), most_rows(session(spec).as_mut())];
        assert_eq!(counts[0], counts[1]);
        assert!(counts[0].is_some_and(|n| n < 390_000), "{counts:?}");
    }
}

#[test]
fn rejections_are_classed() {
    use RejectionClass::{Expected, Internal, Limit, NotRun};
    let deep = format!("SELECT {}1{}", "1 + (".repeat(2000), ")".repeat(2000));
    let wide = format!("SELECT {}1", "1, ".repeat(3000));
    let cases = [
        ("SELEC 1", Expected, "syntax error"),
        ("SELECT * FROM nowhere", Expected, "no such table"),
        ("INSERT INTO t0 VALUES (1)", Expected, "UNIQUE constraint failed"),
        ("SELECT 1; SELECT 2", Expected, "more than one statement"),
        ("SELECT 1;\0", Expected, "more than one statement"),
        ("SELECT abs(-9223372036854775808)", Expected, "integer overflow"),
        ("SELECT json_extract('{', '$')", Expected, "malformed JSON"),
        (".tables", Expected, "unknown command '.tables'"),
        ("ATTACH DATABASE 'file.db' AS x", NotRun, "only ':memory:'"),
        ("VACUUM main INTO 'file.db'", NotRun, "no files"),
        ("/* */ ATTACH DATABASE 'file.db' AS x", NotRun, ""),
        ("-- x\nATTACH 'file.db' AS x", NotRun, ""),
        ("ATTACH 'file.db' AS x -- ':memory:'", NotRun, ""),
        ("ATTACH 'file:file.db?mode=rwc' AS x /* ':memory:' */", NotRun, ""),
        ("/**/ ATTACH 'file' || '.db' AS x -- ':memory:'", NotRun, ""),
        ("/**/ VACUUM INTO 'file.db'", NotRun, ""),
        ("/**/ VACUUM main INTO 'file' || '.db'", NotRun, ""),
        ("PRAGMA temp_store_directory = '/'", NotRun, "nothing outside"),
        ("SELECT load_extension('x')", NotRun, "nothing outside"),
        (deep.as_str(), Limit, ""),
        (wide.as_str(), Limit, "too many columns"),
    ];
    for spec in [BUNDLED, OLD] {
        let mut session = session(spec);
        run_all(session.as_mut(), &["CREATE TABLE t0 (c0 UNIQUE)", "INSERT INTO t0 VALUES (1)"]);
        for (statement, class, text) in cases {
            let (found_class, found_text) = rejection(session.as_mut(), statement);
            let start: String = statement.chars().take(60).collect();
            assert!(found_class == class && found_text.contains(text), "{spec} {start}: {found_class:?} {found_text}");
        }
        assert!(!std::path::Path::new("file.db").exists(), "{spec} wrote a file");
        run_all(session.as_mut(), &["ATTACH ':memory:' AS x", "CREATE TABLE x.t(a)", "DETACH x", "VACUUM"]);
        // Damage that only an engine bug could do otherwise: a table that starts on a page which does not exist.
        run_all(
            session.as_mut(),
            &[
                "PRAGMA writable_schema = ON",
                "UPDATE sqlite_master SET rootpage = 999 WHERE name = 't0'",
                "PRAGMA writable_schema = OFF",
                "SAVEPOINT s",
                "CREATE TABLE t2 (c0)",
                "ROLLBACK TO s",
            ],
        );
        let (class, text) = rejection(session.as_mut(), "SELECT * FROM t0");
        assert!(class == Internal && text.contains("malformed"), "{spec}: {class:?} {text}");
    }
}

#[test]
fn a_script_may_put_its_database_into_a_file() {
    for spec in [BUNDLED, OLD] {
        let mut session = session(spec);
        let session = session.as_mut();
        run_all(session, &[".open --new qualm.db"]);
        assert_eq!(cells(session, "PRAGMA journal_mode = WAL"), [Value::Text("wal".into())], "{spec}");
        run_all(session, &["CREATE TABLE t(a UNIQUE)", "INSERT INTO t VALUES (1), (2)", "PRAGMA cache_size = 7"]);
        run_all(session, &["BEGIN", "INSERT INTO t VALUES (3)", ".open qualm.db"]);
        assert_eq!(cells(session, "SELECT count(*) FROM t"), [Value::Int(2)], "{spec}: what was not committed is gone");
        assert_eq!(cells(session, "PRAGMA journal_mode"), [Value::Text("wal".into())], "{spec}: the file is the same");
        assert_ne!(cells(session, "PRAGMA cache_size"), [Value::Int(7)], "{spec}: the connection is not");
        run_all(session, &["PRAGMA integrity_check", "VACUUM", ".open --new qualm.db", "CREATE TABLE t(b)"]);
        session.reset().unwrap();
        run_all(session, &[".open qualm.db"]);
        assert_eq!(cells(session, "SELECT count(*) FROM sqlite_master"), [Value::Int(1)], "{spec}");
        let (class, text) = rejection(session, ".open /tmp/other.db");
        assert!(class == RejectionClass::Expected && text.contains("unknown command"), "{spec}: {text}");
        assert!(!std::path::Path::new("qualm.db").exists(), "{spec} wrote a file beside us");
    }
}

/// An index that lacks a row, as only an engine bug could make it.
#[test]
fn what_a_check_of_the_engine_finds_is_an_internal_error() {
    let mut session = session(BUNDLED);
    let session = session.as_mut();
    run_all(
        session,
        &[
            "CREATE TABLE t(a)",
            "CREATE INDEX i ON t(a)",
            "CREATE TABLE u(a)",
            "CREATE INDEX j ON u(a)",
            "INSERT INTO t VALUES (1)",
            "PRAGMA integrity_check",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'j') \
             WHERE name = 'i'",
            "PRAGMA writable_schema = RESET",
        ],
    );
    let (class, text) = rejection(session, "PRAGMA integrity_check");
    assert_eq!(class, RejectionClass::Internal, "{text}");
}

#[test]
fn one_statement_may_have_a_tail_of_nothing() {
    let mut session = session(BUNDLED);
    for text in ["SELECT 1;", " SELECT 1 ; ;\n", "SELECT 1; -- one", "SELECT 1 -- one"] {
        assert_eq!(cells(session.as_mut(), text), [Value::Int(1)], "{text}");
    }
    assert_eq!(session.run("-- nothing"), Outcome::Done);
    assert_eq!(session.run(""), Outcome::Done);
}

#[test]
fn reset_leaves_nothing_behind() {
    for spec in [BUNDLED, OLD] {
        let mut session = session(spec);
        run_all(
            session.as_mut(),
            &[
                "CREATE TABLE t0 (c0)",
                "PRAGMA automatic_index = 0",
                "PRAGMA case_sensitive_like = 1",
                "PRAGMA foreign_keys = 1",
                "BEGIN",
            ],
        );
        session.reset().unwrap();
        assert!(cells(session.as_mut(), "SELECT * FROM sqlite_master").is_empty());
        assert_eq!(cells(session.as_mut(), "PRAGMA automatic_index"), [Value::Int(1)]);
        assert_eq!(cells(session.as_mut(), "PRAGMA foreign_keys"), [Value::Int(0)]);
        assert_eq!(cells(session.as_mut(), "SELECT 'a' LIKE 'A'"), [Value::Int(1)]);
    }
}

fn plan(session: &mut dyn Session, query: &str) -> Vec<String> {
    let plan = session.plan(query).expect("SQLite explains every query");
    plan.nodes.iter().map(|n| format!("{}{}", "  ".repeat(n.depth.into()), n.operator)).collect()
}

#[test]
fn releases_of_all_ages_explain_alike() {
    for spec in [BUNDLED, OLD, "sqlite:3.13.0"] {
        let mut session = session(spec);
        run_all(
            session.as_mut(),
            &[
                "CREATE TABLE t0 (c0, c1)",
                "CREATE TABLE t12 (c0)",
                "CREATE INDEX i5 ON t0(c0, c1)",
                "CREATE INDEX i6 ON t12(c0)",
            ],
        );
        let both = plan(session.as_mut(), "SELECT * FROM t12, t0 WHERE t0.c0 = t12.c0 AND t0.c1 > 3 AND t12.c0 = 7");
        let expected = ["SEARCH t USING COVERING INDEX i (c=? AND c>?)", "SEARCH t USING COVERING INDEX i (c=?)"];
        let mut sorted = both.clone();
        sorted.sort();
        assert_eq!(sorted, expected, "{spec}");
        // Names do not matter to the shape, what is done does.
        let shape = |session: &mut dyn Session, query| session.plan(query).unwrap().shape();
        let one = shape(session.as_mut(), "SELECT c0 FROM t0 WHERE c0 = 1");
        assert_eq!(one, shape(session.as_mut(), "SELECT c0 FROM t12 WHERE c0 = 2"), "{spec}");
        assert_ne!(one, shape(session.as_mut(), "SELECT c0 FROM t12"), "{spec}");
        assert_eq!(session.plan("SELECT nothing FROM nowhere"), None);
    }
}

#[test]
fn subqueries_stand_below_in_the_plan() {
    for spec in [BUNDLED, OLD] {
        let mut session = session(spec);
        run_all(session.as_mut(), &["CREATE TABLE t0 (c0)"]);
        let plan = session.plan("SELECT (SELECT MAX(b.c0) FROM t0 b WHERE b.c0 > a.c0) FROM t0 a").unwrap();
        let depths: Vec<u16> = plan.nodes.iter().map(|n| n.depth).collect();
        assert!(depths.starts_with(&[0, 0, 1]), "{spec}: {plan:?}");
    }
}

#[test]
fn testctrl_changes_the_plan_and_back() {
    let query = "SELECT * FROM (SELECT c0 FROM t0 WHERE c0 > 1) WHERE c0 = 7";
    for spec in [BUNDLED, OLD, "sqlite:3.31.1"] {
        let mut session = session(spec);
        run_all(session.as_mut(), &["CREATE TABLE t0 (c0)", "CREATE INDEX i0 ON t0(c0)"]);
        let knobs = knobs::live(engine(spec).as_ref(), session.as_mut(), None).unwrap().knobs;
        let flattener = knobs.iter().find(|k| k.name == "query-flattener").unwrap();
        let (off, on) = knobs::statements(&[flattener.off()]);
        assert_eq!(off, [".testctrl optimizations 0x1"]);
        let usual = plan(session.as_mut(), query);
        run_all(session.as_mut(), &[&off[0]]);
        assert_ne!(plan(session.as_mut(), query), usual, "{spec}");
        run_all(session.as_mut(), &[&on[0]]);
        assert_eq!(plan(session.as_mut(), query), usual, "{spec}");
        run_all(session.as_mut(), &[".testctrl optimizations 1"]);
        session.reset().unwrap();
        run_all(session.as_mut(), &["CREATE TABLE t0 (c0)", "CREATE INDEX i0 ON t0(c0)"]);
        assert_eq!(plan(session.as_mut(), query), usual, "{spec}");
    }
}

#[test]
fn every_knob_turns() {
    for spec in [BUNDLED, OLD, "sqlite:3.13.0"] {
        let mut session = session(spec);
        run_all(session.as_mut(), &["CREATE TABLE t0 (c0)", "INSERT INTO t0 VALUES (3)"]);
        let found = knobs::live(engine(spec).as_ref(), session.as_mut(), None).unwrap();
        assert!(found.knobs.len() > 15, "{spec}: {}", found.knobs.len());
        for knob in found.knobs {
            for value in &knob.others {
                let (set, reset) = knobs::statements(&[knob.flip(value)]);
                assert!(session.run(&set[0]).is_ok(), "{}", set[0]);
                assert_eq!(cells(session.as_mut(), "SELECT c0 FROM t0"), [Value::Int(3)], "{}", knob.name);
                assert!(session.run(&reset[0]).is_ok(), "{}", reset[0]);
            }
        }
    }
}
