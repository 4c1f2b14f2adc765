//! Engines that are programs (`exec:`): the examples of docs/adapter.md with their real engines, and programs that do
//! everything wrong.

mod support;

use qualm::engine;
use qualm::session::{Outcome, RejectionClass, Session};
use std::time::{Duration, Instant};
use support::program::{json, kill, run, signal};
use support::sessions::{done, engine, rejection, rows};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");

/// The words behind the release are not read by the program; they distinguish its process from others.
fn kuzu(name: &str, release: &str, tag: &str) -> Box<dyn Session> {
    let spec = format!("exec:python3 {EXAMPLES}/kuzu_adapter.py {name} {release} {tag}");
    engine(&spec).open().expect("a session")
}

const BOTH: [(&str, &str); 2] = [("kuzu", "0.11.3"), ("ladybug", "0.22.0")];

#[test]
fn values_of_kuzu_and_ladybug_arrive_as_they_are() {
    for (name, release) in BOTH {
        let mut s = kuzu(name, release, "values");
        let s = s.as_mut();
        done(s, "CREATE NODE TABLE L(k INT64, f DOUBLE, s STRING, b BOOL, d DATE, l INT64[], PRIMARY KEY (k))");
        done(s, "CREATE REL TABLE E(FROM L TO L, k INT64, w DOUBLE)");
        done(s, "CREATE (:L {k: 1, f: -0.0, s: 'it\\'s', b: true, d: date('2020-02-29'), l: [1, 2]})");
        done(s, "CREATE (:L {k: 2, f: 0.0 / 0.0})");
        done(s, "MATCH (a:L {k: 1}), (b:L {k: 2}) CREATE (a)-[:E {k: 7, w: 1.0 / 0.0}]->(b)");
        assert_eq!(
            rows(s, "MATCH (n:L) RETURN n"),
            ["(:L {b: TRUE, d: date(2020-02-29), f: -0.0, k: 1, l: [1, 2], s: 'it''s'})", "(:L {f: NaN, k: 2})"],
            "{name}"
        );
        assert_eq!(rows(s, "MATCH (a)-[e]->(b) RETURN a.k, e, b.s"), ["1 [:E {k: 7, w: Inf}] NULL"], "{name}");
        let all = "RETURN 1, 1.0, -9223372036854775808, blob('\\\\x00\\\\xFF') AS b, cast(1.50 as decimal(5, 2)) AS d";
        assert_eq!(rows(s, all), ["1 1.0 -9223372036854775808 x'00FF' 1.5"], "{name}");
        assert_eq!(rows(s, "MATCH (n:L) WHERE n.k > 5 RETURN n.k, n.s"), [""; 0], "{name}");
        assert!(s.plan("MATCH (n:L) WHERE n.k = 1 RETURN n.s").is_some_and(|p| p.nodes.len() > 1), "{name}");
        s.reset().unwrap();
        let (class, text) = rejection(s, "MATCH (n:L) RETURN n");
        assert_eq!((class, text.contains("L does not exist")), (RejectionClass::Expected, true), "{name}: {text}");
    }
}

#[test]
fn errors_of_kuzu_and_ladybug_have_classes() {
    for (name, release) in BOTH {
        let mut s = kuzu(name, release, "errors");
        let s = s.as_mut();
        for text in
            ["RETURN 1 / 0", "RETURN 9223372036854775807 + 1", "MATCH (n", "RETURN nothing(1)", "RETURN 'a' < 1"]
        {
            assert_eq!(rejection(s, text).0, RejectionClass::Expected, "{name}: {text}");
        }
        let long =
            "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b UNWIND range(1, 3000) AS c RETURN sum(a * b % c)";
        assert_eq!(rejection(s, long).0, RejectionClass::Limit, "{name}");
        assert_eq!(rows(s, "RETURN 1"), ["1"], "{name}");
    }
}

/// A known bug, shown by the engine itself, and what cures it.
#[test]
fn kuzu_0_11_3_loses_a_row_where_an_integer_meets_a_float() {
    let mut s = kuzu("kuzu", "0.11.3", "bug");
    let s = s.as_mut();
    done(s, "CREATE NODE TABLE T(k INT64, i INT64, PRIMARY KEY (k))");
    done(s, "CREATE (:T {k: 1, i: 1}), (:T {k: 2, i: 2})");
    assert_eq!(rows(s, "MATCH (n:T) WHERE n.i = 1.0 RETURN n.k"), [""; 0]);
    assert_eq!(rows(s, "MATCH (n:T) WHERE n.i + 0 = 1.0 RETURN n.k"), ["1"]);
    done(s, "CALL enable_plan_optimizer=false");
    assert_eq!(rows(s, "MATCH (n:T) WHERE n.i = 1.0 RETURN n.k"), ["1"]);
    // A fresh database has the settings of a fresh one.
    s.reset().unwrap();
    done(s, "CREATE NODE TABLE T(k INT64, i INT64, PRIMARY KEY (k))");
    done(s, "CREATE (:T {k: 1, i: 1})");
    assert_eq!(rows(s, "MATCH (n:T) WHERE n.i = 1.0 RETURN n.k"), [""; 0]);
}

/// No other run of the tests has it.
fn tag(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

/// Children of other threads are not in the list of this one, so all processes are looked at.
fn adapter_process(tag: &str) -> u32 {
    let has = |pid: &u32| {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = words.split(|b| *b == 0).collect();
        words.contains(&tag.as_bytes()) && words.iter().any(|w| w.ends_with(b"kuzu_adapter.py"))
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let mut numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.find(has).expect("the adapter's process")
}

#[test]
fn the_death_of_the_program_is_a_crash_and_is_survived() {
    let mut s = kuzu("kuzu", "0.11.3", &tag("death"));
    done(s.as_mut(), "CREATE NODE TABLE T(k INT64, PRIMARY KEY (k))");
    kill(adapter_process(&tag("death")), libc::SIGSEGV);
    let crash = s.run("RETURN 1");
    assert!(matches!(&crash, Outcome::Crash(how) if how.contains("SIGSEGV")), "{crash:?}");
    // There is no database until a fresh one is asked for.
    assert_eq!(s.run("RETURN 1"), crash);
    s.reset().unwrap();
    assert_eq!(rows(s.as_mut(), "RETURN 1"), ["1"]);
    assert_eq!(rejection(s.as_mut(), "MATCH (n:T) RETURN n.k").0, RejectionClass::Expected);
}

#[test]
fn a_program_that_is_silent_is_cut_off() {
    let mut s = kuzu("kuzu", "0.11.3", &tag("silence"));
    let pid = adapter_process(&tag("silence"));
    signal(pid, libc::SIGSTOP);
    let begun = Instant::now();
    assert!(matches!(s.run("RETURN 1"), Outcome::Hang(_)));
    assert!(begun.elapsed() < Duration::from_secs(60) && !std::path::Path::new(&format!("/proc/{pid}")).exists());
    s.reset().unwrap();
    assert_eq!(rows(s.as_mut(), "RETURN 1"), ["1"]);
}

#[test]
fn sqlite_of_python_is_an_engine_of_sql() {
    let engine = engine(&format!("exec:python3 {EXAMPLES}/sqlite_adapter.py"));
    assert!(engine.version().starts_with("python-sqlite 3."), "{}", engine.version());
    assert_eq!(engine.sql().unwrap().name, "sqlite");
    let mut s = engine.open().unwrap();
    let s = s.as_mut();
    done(s, "CREATE TABLE t(a, b)");
    done(s, "INSERT INTO t VALUES (1, 1.0), (NULL, x'00FF'), (-9223372036854775808, '1'), (9e999, -9e999)");
    assert_eq!(rows(s, "SELECT * FROM t"), ["-9223372036854775808 '1'", "1 1.0", "Inf -Inf", "NULL x'00FF'"]);
    assert_eq!(rejection(s, "SELECT nothing FROM t").0, RejectionClass::Expected);
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c";
    assert_eq!(rejection(s, endless).0, RejectionClass::Limit);
    s.reset().unwrap();
    assert_eq!(rejection(s, "SELECT * FROM t").0, RejectionClass::Expected);
}

/// The whole way: language and dialect come from the program, workers start it, nothing is wrong with SQLite.
#[test]
fn a_hunt_through_a_program_works() {
    let spec = format!("exec:python3 {EXAMPLES}/sqlite_adapter.py");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let run = run(&[
        "hunt",
        &spec,
        "--checks",
        "150",
        "--workers",
        "1",
        "--seed",
        "1",
        "--out",
        out.to_str().unwrap(),
        "--oracle",
        "tlp,norec",
    ]);
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + String::from_utf8_lossy(&run.stderr).as_ref();
    assert_eq!(run.status.code(), Some(0), "{said}");
    let summary = std::fs::read_to_string(out.join("campaign.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert!(summary["figures"]["checks"].as_u64().or(summary["checks"].as_u64()).unwrap() >= 150, "{summary}");
}

/// What a program may do wrong when it is greeted, and what the user reads.
#[test]
fn a_program_that_cannot_say_hello_is_refused_with_exit_code_3() {
    let hello = |dialect: &str| {
        format!(
            "printf '%s\\n' '{{\"protocol\": 1, \"name\": \"x\", \"version\": \"1\", \"language\": \"sql\", \
             \"dialect\": {dialect}}}'; sleep 5"
        )
    };
    let cases = [
        ("echo this is no JSON; sleep 5".to_owned(), "'this is no JSON' is not JSON"),
        ("echo '{\"protocol\": 1}'; sleep 5".to_owned(), "missing field `name`"),
        ("echo '{\"error\": \"no licence\"}'; sleep 5".to_owned(), "no licence"),
        ("echo last words >&2; exit 7".to_owned(), "exit code 7; last words"),
        (hello("\"oracle\""), "unknown SQL dialect 'oracle'"),
        (hello("{\"base\": \"sqlite\", \"nonsense\": 1}"), "nonsense"),
        (hello("\"sqlite\"").replace("\"protocol\": 1", "\"protocol\": 9"), "it speaks protocol 9"),
    ];
    for (script, words) in cases {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("adapter.sh");
        std::fs::write(&file, script).unwrap();
        let run = run(&["hunt", &format!("exec:sh {}", file.display()), "--seconds", "1"]);
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(3), "{said}");
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(run(&["hunt", "exec"]).status.code(), Some(2));
}

/// A program that greets well and answers nonsense: not an engine's fault, so no finding, and it fails the self-test.
#[test]
fn a_program_that_answers_nonsense_fails_its_self_test() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("adapter.sh");
    let script = "read x; echo '{\"protocol\": 1, \"name\": \"x\", \"version\": \"1\", \"language\": \"sql\", \
                  \"dialect\": \"sqlite\"}'\nread x; echo '{\"done\": true}'\nwhile read x; do echo oops; done\n";
    std::fs::write(&file, script).unwrap();
    let error = engine::connect(&format!("exec:sh {}", file.display())).err().unwrap();
    assert_eq!(error.exit_code(), 3);
    assert!(error.to_string().contains("self-test") && error.to_string().contains("'oops' is not JSON"), "{error}");
}

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// A hunt with one worker: its exit code, what it said, and the folders of its findings.
fn hunted(spec: &str, arguments: &[&str]) -> (Option<i32>, String, Vec<std::path::PathBuf>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let fixed = ["hunt", spec, "--workers", "1", "--seed", "1", "--out", out.to_str().unwrap()];
    let run = run(&[&fixed, arguments].concat());
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + String::from_utf8_lossy(&run.stderr).as_ref();
    let found = std::fs::read_dir(out.join("findings")).map(|all| all.map(|e| e.unwrap().path()).collect());
    (run.status.code(), said, found.unwrap_or_default(), folder)
}

/// A setting that cannot be set cures nothing, nor does one with which the statement is refused.
#[test]
fn a_cure_was_taken_and_the_case_holds_with_it() {
    let spec = format!("exec:python3 {DATA}/faulty_sqlite_adapter.py");
    let (code, said, found, _folder) = hunted(&spec, &["--checks", "1000", "--oracle", "eet"]);
    assert_eq!((code, found.len()), (Some(1), 1), "{said}");
    let meta = json(&found[0].join("meta.json"));
    assert_eq!(meta["kind"], "internal_error", "{meta}");
    assert_eq!(meta["cures"], serde_json::json!(["good"]), "{meta}");
    let script = || std::fs::read_to_string(found[0].join("repro.sql")).unwrap();
    assert!(script().contains("hex(NULL)") && script().contains("goes away without: good"), "{}", script());
    // What a shell must run first is there, and still is when the finding is reduced once more.
    assert!(script().contains("\nPRAGMA cache_size = 77;\n"), "{}", script());
    let again = run(&["reduce", found[0].to_str().unwrap(), "--engine", &spec]);
    assert_eq!(again.status.code(), Some(1), "{}", String::from_utf8_lossy(&again.stderr));
    assert!(script().contains("\nPRAGMA cache_size = 77;\n"), "{}", script());
}

/// There are engines whose EXPLAIN of a statement runs it.
#[test]
fn a_plan_of_a_change_is_requested_only_where_that_changes_nothing() {
    for (word, rows_after) in [("", "0"), ("plans-only", "1")] {
        let mut s = engine(&format!("exec:python3 {DATA}/faulty_sqlite_adapter.py {word}")).open().unwrap();
        let s = s.as_mut();
        done(s, "CREATE TABLE t(a)");
        assert!(s.plan("SELECT * FROM t").is_some());
        assert!(s.plan("WITH w AS (SELECT 1) SELECT replace('a', 'b', 'c') FROM w").is_some());
        for change in ["INSERT INTO t VALUES (1)", "WITH w(a) AS (SELECT 1) DELETE FROM t WHERE a IN w AND 0"] {
            assert_eq!(s.plan(change).is_some(), word == "plans-only", "{change}");
        }
        assert_eq!(rows(s, "SELECT count(*) FROM t"), [rows_after], "{word}");
    }
}

/// What is found in a dialect that only the adapter knows is derived again, reduced and reported like the rest.
#[test]
fn a_dialect_of_datalog_with_a_name_of_its_own_keeps_its_findings() {
    let library = qualm::engine::clingo::releases_folder().join("5.8.2/libclingo.so");
    let spec = format!("exec:python3 {DATA}/clingo_adapter.py {}", library.display());
    let (code, said, found, _folder) = hunted(&spec, &["--checks", "60", "--oracle", "reference"]);
    assert!(code == Some(1) && !found.is_empty(), "{said}");
    let case = json(&found[0].join("case.json"));
    assert_eq!(case["source"]["dialect"], "my-clingo");
    let program = case["script"][0]["text"].as_str().unwrap();
    assert!(program.contains("not ") && program.lines().count() < 8, "{program}");
    let script = std::fs::read_to_string(found[0].join("repro.dl")).unwrap();
    assert!(script.starts_with("% ") && !script.contains("//") && found[0].join("program-1.lp").is_file(), "{script}");
    let again = run(&["replay", found[0].to_str().unwrap(), "--engine", &spec]);
    assert_eq!(again.status.code(), Some(1), "{}", String::from_utf8_lossy(&again.stderr));
    let further = run(&["reduce", found[0].to_str().unwrap(), "--engine", &spec]);
    assert_eq!(further.status.code(), Some(1), "{}", String::from_utf8_lossy(&further.stderr));
}

// ---------------------------------------------------------------- the adapters that ship

const ADAPTERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/adapters");

/// `qualm adapter check`: its exit code and what it said.
fn checked(command: &str) -> (Option<i32>, String) {
    let run = run(&["adapter", "check", command]);
    (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
}

fn sqlite_by_dbapi() -> String {
    format!("python3 {ADAPTERS}/dbapi.py --dialect sqlite --plans-only --explain 'EXPLAIN QUERY PLAN' sqlite3 :memory:")
}

/// A database that is a jar, with the Java that './x java' fetched.
fn h2_by_jdbc() -> String {
    let cache = engine::cache_folder();
    let (java, jar) = (cache.join("java/25.0.2.1/run"), cache.join("h2/2.1.214/h2.jar"));
    assert!(java.is_file() && jar.is_file(), "'./x java 25.0.2.1' and './x h2 2.1.214' fetch what this test needs");
    format!(
        "{} {ADAPTERS}/Jdbc.java --jar {} --dialect {ADAPTERS}/dialects/h2.toml --explain EXPLAIN --plans-only \
         'jdbc:h2:mem:{{unique}}'",
        java.display(),
        jar.display()
    )
}

/// SQLite as WebAssembly, a package of npm.
fn sqljs_by_node() -> String {
    let folder = engine::cache_folder().join("sqljs/1.15.2");
    assert!(folder.is_dir(), "'./x sqljs 1.15.2' fetches what this test needs");
    format!(
        "node {ADAPTERS}/node.mjs --path {} --dialect sqlite --plans-only --explain 'EXPLAIN QUERY PLAN' \
         {ADAPTERS}/shims/sqljs.mjs",
        folder.display()
    )
}

#[test]
fn the_adapters_that_ship_keep_to_the_protocol() {
    for command in [sqlite_by_dbapi(), h2_by_jdbc(), sqljs_by_node()] {
        let (code, said) = checked(&command);
        assert!(code == Some(0) && said.contains("keeps to the protocol") && !said.contains("WRONG"), "{said}");
        for test in ["floats: all digits", "large answer: 10000 rows", "batches: one reply", "plans: "] {
            assert!(said.contains(test), "{test}: {said}");
        }
    }
}

/// Modules have rows that are no tuples (pyodbc), and servers have other users: each adapter has a name of its own.
#[test]
fn a_module_with_rows_of_its_own_type_and_a_name_for_each_adapter() {
    let folder = tempfile::tempdir().unwrap();
    let module = "import sqlite3\ndef connect(*a):\n c = sqlite3.connect(*a, check_same_thread=False)\n \
                  c.row_factory = sqlite3.Row\n return c\n";
    std::fs::write(folder.path().join("own_rows.py"), module).unwrap();
    let place = folder.path().display();
    let (code, said) = checked(&format!(
        "python3 {ADAPTERS}/dbapi.py --path {place} --dialect sqlite --init \"ATTACH ':memory:' AS {{unique}}\" --init \
         'CREATE TABLE {{unique}}.u (a)' own_rows :memory:"
    ));
    assert!(code == Some(0) && !said.contains("WRONG"), "{said}");
}

/// The adapter for engines that are Rust libraries, with one of them linked in. It is no part of the workspace.
#[test]
fn a_rust_library_is_an_engine_behind_the_adapter() {
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/adapter-rust");
    let manifest = format!("{ADAPTERS}/rust/Cargo.toml");
    let built = std::process::Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--features", "gluesql", "--manifest-path", &manifest])
        .args(["--target-dir", target])
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let (code, said) = checked(&format!("{target}/debug/gluesql --dialect {ADAPTERS}/dialects/gluesql.toml"));
    let wrong: Vec<&str> = said.lines().filter(|line| line.starts_with("WRONG")).collect();
    // GlueSQL 0.20.0 reads a literal of 1e100 as the float beside it.
    assert!(code == Some(1) && wrong.len() == 1 && wrong[0].starts_with("WRONG  floats: 1e100"), "{said}");
    assert!(said.contains("ok     time limit") && said.contains("ok     batches"), "{said}");
}

#[test]
fn mistakes_of_adapters_are_named_in_their_own_terms() {
    let cases = [
        ("floats-as-text", "floats", "came back as"),
        ("null-as-text", "NULL", "it has to be null"),
        ("no-columns", "no rows", "\"columns\": 2"),
        ("few-rows", "large answer", "1000 rows; it has 10000"),
        ("error-ends", "errors", "the program ended: exit code 7"),
        ("keeps-tables", "open empties the database", "still there"),
        ("plan-runs", "plans", "the plan of an INSERT has inserted"),
        ("limit-class", "time limit", "\"class\": \"limit\""),
        ("one-reply", "batches", "got 1 replies, then the program ended"),
        ("chatty", "hello", "standard output is for replies only"),
    ];
    for (mistake, test, words) in cases {
        let (code, said) = checked(&format!("python3 {DATA}/conformance_adapter.py {mistake}"));
        let line = said.lines().find(|l| l.starts_with(&format!("WRONG  {test}: "))).unwrap_or_default();
        assert!(code == Some(1) && line.contains(words), "{mistake}: {said}");
    }
    assert_eq!(checked(&format!("python3 {DATA}/conformance_adapter.py none")).0, Some(0));
}

/// Statements that go together in one request are answered as if they had come one by one.
#[test]
fn statements_that_are_announced_are_run_once_and_in_order() {
    for command in [sqlite_by_dbapi(), h2_by_jdbc(), sqljs_by_node()] {
        let mut s = engine(&format!("exec:{command}")).open().unwrap();
        let s = s.as_mut();
        let script =
            ["CREATE TABLE t(a INTEGER)", "INSERT INTO t VALUES (1)", "SELECT nothing FROM t", "SELECT a FROM t"];
        s.announce(&script);
        done(s, script[0]);
        done(s, script[1]);
        assert_eq!(rejection(s, script[2]).0, RejectionClass::Expected);
        assert_eq!(rows(s, script[3]), ["1"]);
        // What is announced and then not run has been run, and its answer belongs to nothing else.
        s.announce(&["SELECT a + 1 FROM t", "SELECT a + 2 FROM t", "SELECT a + 3 FROM t"]);
        assert_eq!(rows(s, "SELECT a + 1 FROM t"), ["2"]);
        assert_eq!(rows(s, "SELECT a + 9 FROM t"), ["10"]);
        s.announce(&["SELECT a + 1 FROM t", "SELECT a + 2 FROM t"]);
        s.reset().unwrap();
        assert_eq!(rejection(s, "SELECT a FROM t").0, RejectionClass::Expected);
    }
}

/// The statement that ends the program is the one that is blamed, wherever in a batch it stands.
#[test]
fn a_crash_within_a_batch_is_the_crash_of_its_statement() {
    let mut s = engine(&format!("exec:python3 {DATA}/conformance_adapter.py error-ends")).open().unwrap();
    s.announce(&["CREATE TABLE t(a)", "INSERT INTO t VALUES (1)", "THIS ENDS IT", "SELECT a FROM t"]);
    done(s.as_mut(), "CREATE TABLE t(a)");
    done(s.as_mut(), "INSERT INTO t VALUES (1)");
    let crash = s.run("THIS ENDS IT");
    assert!(matches!(&crash, Outcome::Crash(how) if how.contains("exit code 7")), "{crash:?}");
    s.reset().unwrap();
    // One that nobody waits for is no crash of the next statement.
    s.announce(&["SELECT 1", "THIS ENDS IT"]);
    assert_eq!(rows(s.as_mut(), "SELECT 1"), ["1"]);
    assert_eq!(rejection(s.as_mut(), "SELECT 2").0, RejectionClass::Limit);
    s.reset().unwrap();
    assert_eq!(rows(s.as_mut(), "SELECT 2"), ["2"]);
}

/// Values of Java's own kinds, through a dialect that is a file.
#[test]
fn h2_through_jdbc_is_an_engine_of_sql() {
    let h2 = engine(&format!("exec:{}", h2_by_jdbc()));
    assert!(h2.version().starts_with("h2 2.1.214"), "{}", h2.version());
    assert_eq!(h2.sql().unwrap().name, "h2");
    let mut s = h2.open().unwrap();
    let s = s.as_mut();
    assert_eq!(
        rows(
            s,
            "SELECT 9223372036854775807, CAST(0.1 AS DOUBLE PRECISION), 1.50, 'ä', X'00FF', TRUE, NULL, \
             DATE '2020-02-29'"
        ),
        ["9223372036854775807 0.1 1.5 'ä' x'00FF' TRUE NULL date(2020-02-29)"]
    );
    assert_eq!(
        rows(s, "SELECT CAST('NaN' AS DOUBLE PRECISION), CAST(0.30000000000000004 AS DOUBLE PRECISION)"),
        ["NaN 0.30000000000000004"]
    );
    assert_eq!(rejection(s, "SELECT nothing").0, RejectionClass::Expected);
    let slow = "SELECT count(*) FROM SYSTEM_RANGE(1, 100000) a, SYSTEM_RANGE(1, 100000) b WHERE a.x + b.x > 7";
    assert_eq!(rejection(s, slow).0, RejectionClass::Limit);
}

/// An engine that names no dialect is probed once; what is found out is a file that a hunt can use.
#[test]
fn the_dialect_of_an_unknown_engine_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let plain = h2_by_jdbc().replace(&format!("--dialect {ADAPTERS}/dialects/h2.toml"), "");
    let spec = format!("exec:{plain}");
    let with = |arguments: &[&str]| {
        let mut qualm = support::program::qualm(arguments);
        qualm.env("QUALM_DIALECTS", path("dialects")).output().unwrap()
    };
    let adapted = with(&["adapt", &spec, "--out", &path("h2.toml")]);
    assert_eq!(adapted.status.code(), Some(0), "{}", String::from_utf8_lossy(&adapted.stderr));
    let file = std::fs::read_to_string(path("h2.toml")).unwrap();
    for part in [
        "base = \"standard\"",
        "[\"BIGINT\", \"int\"]",
        "[\"BOOLEAN\", \"bool\"]",
        "null_safe = \"distinct\"",
        "values_columns = \"C{}\"",
        "#   division by zero: an error",
        "#   1 = 1.0 (1 is true): 1",
    ] {
        assert!(file.contains(part), "{part}: {file}");
    }
    // The same is done silently, and kept for the release.
    let out = path("out");
    let hunt = ["hunt", &spec, "--checks", "60", "--workers", "1", "--seed", "1", "--oracle", "norec", "--out", &out];
    let hunted = with(&hunt);
    let said = String::from_utf8_lossy(&hunted.stdout).into_owned() + String::from_utf8_lossy(&hunted.stderr).as_ref();
    assert!(matches!(hunted.status.code(), Some(0 | 1)), "{said}");
    let kept: Vec<_> = std::fs::read_dir(path("dialects")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(kept.len() == 1 && kept[0].to_string_lossy().starts_with("h2-2.1.214"), "{kept:?}");
    // What follows a known family is that family's.
    let sqlite = with(&["adapt", &format!("exec:python3 {ADAPTERS}/dbapi.py sqlite3 :memory:")]);
    let said = String::from_utf8_lossy(&sqlite.stdout);
    assert!(
        said.contains("base = \"sqlite\"") && said.contains("#   1 / 2: 0") || said.contains("division of integers: 0"),
        "{said}"
    );
}

/// What an engine computes was for built-in dialects only to say: a user's file says it, and `pqs` can ask.
#[test]
fn a_users_file_says_what_an_engine_computes() {
    let folder = tempfile::tempdir().unwrap();
    let checks = |name: &str, lines: &str| {
        let file = folder.path().join(format!("{name}.toml"));
        std::fs::write(&file, format!("base = \"sqlite\"\nname = \"{name}\"\n{lines}")).unwrap();
        let spec = format!("exec:python3 {ADAPTERS}/dbapi.py --dialect {} sqlite3 :memory:", file.display());
        let out = folder.path().join(name).display().to_string();
        let hunt = ["hunt", &spec, "--seconds", "4", "--workers", "1", "--seed", "1", "--oracle", "pqs", "--json"];
        let hunted = run(&[&hunt[..], &["--out", &out]].concat());
        let said: serde_json::Value = serde_json::from_slice(&hunted.stdout).unwrap_or_default();
        (said["checks"].as_u64().unwrap_or(0), support::program::text(&hunted))
    };
    let (none, said) = checks("silent", "");
    assert_eq!(none, 0, "{said}");
    let (some, said) = checks("known", "semantics = \"sqlite\"\nlayouts = []\n");
    assert!(some > 20, "{said}");
}
