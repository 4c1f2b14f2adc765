//! `qualm check`: queries of other people from files and pipes, on releases with known bugs and without.

use serde_json::Value as Json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const QUALM: &str = env!("CARGO_BIN_EXE_qualm");
/// Has the bug of the second query in tests/data/check/queries.sql.
const BUGGY: &str = "sqlite:3.31.1";

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/check").join(name).display().to_string()
}

struct Ran {
    code: i32,
    json: Json,
    stderr: String,
    folder: tempfile::TempDir,
}

impl Ran {
    fn findings(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path().join("out/findings")).into_iter().flatten().flatten();
        entries.map(|e| e.path()).collect()
    }
}

fn check(engine: &str, more: &[&str], stdin: Option<&str>) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(QUALM);
    command.args(["check", engine, "--seed", "1", "--json", "--out", "out"]).args(more);
    command.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // What is refused before it is read closes the pipe early.
    let _ = pipe.write_all(stdin.unwrap_or_default().as_bytes());
    drop(pipe);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let json = serde_json::from_slice(&stdout).unwrap_or(Json::Null);
    Ran { code: status.code().unwrap(), json, stderr: String::from_utf8(stderr).unwrap(), folder }
}

fn check_files(engine: &str, oracles: &str) -> Ran {
    let (setup, queries) = (data("setup.sql"), data("queries.sql"));
    check(engine, &["--oracle", oracles, "--setup", &setup, "--queries", &queries], None)
}

#[test]
fn a_query_that_an_old_release_answers_wrongly_is_found() {
    for oracle in ["norec", "config"] {
        let ran = check_files(BUGGY, oracle);
        assert_eq!(ran.code, 1, "{oracle}: {}", ran.stderr);
        assert_eq!(ran.json["findings"], 1, "{oracle}");
        assert_eq!(ran.json["found"][0]["oracle"], oracle);
        let [folder] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
        let script = std::fs::read_to_string(folder.join("repro.sql")).unwrap();
        assert!(script.contains("CREATE TABLE t0") && !script.contains("random"), "{script}");
        if oracle == "config" {
            assert!(script.contains("propagate-const"), "the setting that it takes: {script}");
        }
        let replay = |engine: &str| {
            let args = ["replay", &folder.display().to_string(), "--engine", engine].map(str::to_owned);
            Command::new(QUALM).args(args).output().unwrap().status.code()
        };
        assert_eq!((replay(BUGGY), replay("sqlite")), (Some(1), Some(0)));
    }
}

#[test]
fn the_newest_release_is_clean_and_everything_is_accounted_for() {
    let (setup, queries) = (data("setup.sql"), data("queries.sql"));
    let ran = check("sqlite", &["--setup", &setup, "--queries", &queries], None);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let input = &ran.json["input"];
    assert_eq!((&input["queries"], &input["left_out"], &input["refused"]), (&6.into(), &1.into(), &1.into()));
    assert_eq!(input["undetermined"].as_object().unwrap().len(), 1, "{input}");
    for oracle in ["norec", "tlp", "eet", "index", "mutasql", "config", "survives"] {
        assert!(ran.json["per_oracle"][oracle]["checks"].as_u64().is_some_and(|n| n > 0), "{oracle}");
    }
    assert!(ran.stderr.contains("uncompared"), "{}", ran.stderr);
    // The same seed, the same figures.
    let again = check("sqlite", &["--setup", &setup, "--queries", &queries], None);
    assert_eq!(again.json["per_oracle"], ran.json["per_oracle"]);
}

#[test]
fn queries_come_from_a_pipe_and_changes_only_if_asked_for() {
    let setup = data("setup.sql");
    let text = "INSERT INTO t1 VALUES (77); SELECT c0 FROM t1 WHERE c0 = 77;";
    let more = ["--oracle", "norec", "--setup", &setup, "--queries", "-"];
    let left_out = check("sqlite", &more, Some(text));
    assert_eq!((left_out.code, &left_out.json["input"]["left_out"]), (0, &1.into()), "{}", left_out.stderr);
    assert!(left_out.stderr.contains("--run-all runs it, --setup runs"), "{}", left_out.stderr);
    let alone = check("sqlite", &["--oracle", "norec", "--queries", "-"], Some(text));
    assert!(alone.stderr.contains("1× no such table: t"), "{}", alone.stderr);
    let run = check("sqlite", &[&more[..], &["--run-all"]].concat(), Some(text));
    assert_eq!((run.code, &run.json["input"]["changes"]), (0, &1.into()), "{}", run.stderr);
    assert!(run.json["vacuous_share"].as_f64() < left_out.json["vacuous_share"].as_f64(), "the row is there");
}

/// Regression suites ask for plans. That changes nothing, and what is known of the tables stays known; what is lost to
/// a change that nobody can read is said.
#[test]
fn a_plan_that_is_asked_for_is_no_change_and_changes_that_are_not_read_are_named() {
    let text = "CREATE TABLE t(a INT, b TEXT); INSERT INTO t VALUES (1, 'x');\n\
                EXPLAIN QUERY PLAN SELECT a FROM t;\nSELECT a FROM t WHERE a = 1;\n\
                CREATE TABLE u(a INT); ALTER TABLE u ADD COLUMN b CHECK (b > 0);\nSELECT a FROM u WHERE a = 1;";
    let ran = check("sqlite", &["--oracle", "tlp", "--run-all", "--queries", "-"], Some(text));
    let input = &ran.json["input"];
    assert_eq!((&input["left_out"], &input["changes"]), (&1.into(), &4.into()), "{input}");
    assert_eq!(ran.json["per_oracle"]["tlp"]["checks"].as_u64().map(|n| n > 0), Some(true), "{}", ran.stderr);
    let (why, lines) = input["unread_changes"].as_object().unwrap().iter().next().unwrap();
    assert!(why.contains("CHECK") && lines == &serde_json::json!([1, 4]), "{input}");
    assert!(input["unread"].as_object().unwrap().contains_key("no table 'u'"), "{input}");
    assert!(ran.stderr.contains("changes unreadable"), "{}", ran.stderr);
}

#[test]
fn a_text_that_nobody_can_read_is_compared_and_reduced_as_text() {
    let setup = "CREATE TABLE t0(c0 UNIQUE);\nCREATE TABLE t1(c0);\nCREATE TABLE t2(c0);\n\
                 INSERT INTO t0 VALUES (-1), (3);\nINSERT INTO t1 VALUES (NULL), (3);\n";
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("setup.sql").display().to_string();
    std::fs::write(&place, setup).unwrap();
    // A table that is a function has no place in the tree.
    let text = "SELECT t0.c0, j.value, abs(t0.c0) FROM json_each('[1, 2]') AS j JOIN t0 JOIN \
                (SELECT t1.c0 FROM t1) AS a0 ON t0.c0 = a0.c0 WHERE a0.c0 = -1 AND t0.c0 = -1 AND abs(j.value) > 0";
    let ran = check(BUGGY, &["--oracle", "config", "--setup", &place, "--queries", "-"], Some(text));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(!ran.json["input"]["unread"].as_object().unwrap().is_empty(), "{}", ran.json["input"]);
    let [finding] = &ran.findings()[..] else { panic!("{:?}", ran.findings()) };
    let case = std::fs::read_to_string(finding.join("case.json")).unwrap();
    assert!(!case.contains("abs") && !case.contains("t2"), "{case}");
}

/// What SQLsmith really wrote; see tests/data/sqlsmith/README.md.
#[test]
fn the_output_of_another_fuzzer_is_checked() {
    let place = |name: &str| data(&format!("../sqlsmith/{name}"));
    let (setup, queries) = (place("setup.sql"), place("queries.sql"));
    let ran = check("postgres:18.4", &["--oracle", "config", "--setup", &setup, "--queries", &queries], None);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let input = &ran.json["input"];
    assert!(input["queries"].as_u64() > Some(250) && input["refused"].as_u64() < Some(150), "{input}");
    assert!(ran.json["per_oracle"]["config"]["checks"].as_u64() > Some(100), "{}", ran.json["per_oracle"]);
}

#[test]
fn a_crash_ends_one_query_and_not_the_check() {
    let text = "SELECT 1; SELECT hex(1); SELECT 2; SELECT 3 WHERE hex(x'00') = '00'; SELECT 4;";
    let ran = check("canary:crash", &["--oracle", "survives", "--queries", "-"], Some(text));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!((&ran.json["crashes"], &ran.json["findings"]), (&2.into(), &1.into()));
    assert!(ran.json["found"][0]["title"].as_str().unwrap().starts_with("Crash"), "{}", ran.json["found"]);
}

#[test]
fn what_makes_no_sense_is_reported_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.sql").display().to_string();
    std::fs::write(&bad, "CREATE TABLE t(a);\n\nINSERT INTO u VALUES (1);\n").unwrap();
    let refused = check("sqlite", &["--setup", &bad, "--queries", "-"], Some("SELECT 1"));
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("bad.sql:3: no such table: u"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--lenient"), "{}", refused.stderr);
    let lenient = check("sqlite", &["--setup", &bad, "--queries", "-", "--lenient"], Some("SELECT a FROM t"));
    assert_eq!(lenient.code, 0, "{}", lenient.stderr);
    let cases = [
        (vec!["--queries", "/no/such/file"], "cannot read the queries '/no/such/file'"),
        (vec!["--queries", "/"], "is a folder"),
        (vec!["--queries", "-", "--setup", "/no/such/file"], "cannot read the setup"),
        (vec!["--queries", "-", "--oracle", "nonsense"], "unknown oracle 'nonsense'"),
        (vec!["--queries", "-", "--oracle", "tpl"], "unknown oracle 'tpl' (did you mean 'tlp'?)"),
        (vec!["--queries", "-", "--oracle", "partition"], "'partition' is for Graph engines, and this is a SQL engine"),
        (vec!["--queries", "-", "--run-all", "--workers", "2"], "cannot be used with"),
    ];
    for (args, expected) in cases {
        let ran = check("sqlite", &args, None);
        assert!(ran.code == 2 && ran.stderr.contains(expected), "{args:?}: {} {}", ran.code, ran.stderr);
    }
    assert_eq!(check("sqlite:/no/such.so", &["--queries", "-"], None).code, 3);
}

/// The wrong answer needs a plan that the default settings do not lead to: `config` meets it after some tries.
#[test]
fn flipped_settings_show_a_bug_of_an_old_postgres() {
    let (setup, query) = (data("postgres-16.2/setup.sql"), data("postgres-16.2/queries.sql"));
    let queries = std::fs::read_to_string(query).unwrap().repeat(80);
    let ran = check("postgres:16.2", &["--oracle", "config", "--setup", &setup, "--queries", "-"], Some(&queries));
    assert_eq!(ran.code, 1, "{} {}", ran.json, ran.stderr);
    let found = ran.findings();
    let folder = found.first().expect("a finding is stored").display().to_string();
    let replay = |engine: &str| {
        Command::new(QUALM).args(["replay", &folder, "--engine", engine]).output().unwrap().status.code()
    };
    assert_eq!((replay("postgres:16.2"), replay("postgres:18.4")), (Some(1), Some(0)));
}
