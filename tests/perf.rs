//! Oracles about work, time and estimates: a slowness that was planted is found, and one that is not there is not.

use qualm::engine;
use qualm::slowness::{Side, Threshold, WORK, measure};
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;

const QUALM: &str = env!("CARGO_BIN_EXE_qualm");

fn check(folder: &Path, engine: &str, queries: &str) -> (i32, Json) {
    check_with(folder, engine, "config-perf", queries)
}

fn check_with(folder: &Path, engine: &str, oracle: &str, queries: &str) -> (i32, Json) {
    std::fs::write(folder.join("setup.sql"), "CREATE TABLE t(a INT);\nINSERT INTO t VALUES (1), (2), (3);\n").unwrap();
    std::fs::write(folder.join("queries.sql"), queries).unwrap();
    let args = ["check", engine, "--oracle", oracle, "--setup", "setup.sql", "--queries", "queries.sql"];
    let mut command = Command::new(QUALM);
    command.args(args).args(["--json", "--seed", "1", "--out", "out"]).current_dir(folder);
    let output = command.output().unwrap();
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Json::Null);
    (output.status.code().unwrap(), json)
}

#[test]
fn a_planted_slowness_is_found_with_both_times() {
    let folder = tempfile::tempdir().unwrap();
    let (code, json) = check(folder.path(), "canary:slow", "SELECT a FROM t; SELECT a FROM t WHERE a > 1;");
    assert_eq!((code, &json["findings"]), (1, &1.into()), "{json}");
    assert_eq!(json["found"][0]["oracle"], "config-perf");
    let finding = folder.path().join(json["found"][0]["folder"].as_str().unwrap());
    let report = std::fs::read_to_string(finding.join("report.md")).unwrap();
    for part in ["## Actual", "with the default settings", "(query-flattener)", "SLEEP", "times as long"] {
        assert!(report.contains(part), "{part} in {report}");
    }
    let samples = report.lines().filter(|l| l.contains("(median ")).map(|l| l.matches(", ").count() + 1);
    assert_eq!(samples.collect::<Vec<_>>(), [11, 11], "all samples of both sides: {report}");
    let replay = |engine: &str| {
        let command = Command::new(QUALM).arg("replay").arg(&finding).args(["--engine", engine]).output().unwrap();
        (command.status.code(), String::from_utf8_lossy(&command.stdout).into_owned())
    };
    let (there, words) = replay("canary:slow");
    assert!(there == Some(1) && words.contains("still there"), "{words}");
    assert_eq!(replay("sqlite").0, Some(0));
}

#[test]
fn a_fast_engine_has_nothing_to_hide() {
    let folder = tempfile::tempdir().unwrap();
    let (code, json) = check(folder.path(), "sqlite", "SELECT a FROM t WHERE a > 1;");
    assert_eq!((code, &json["per_oracle"]["config-perf"]["violations"]), (0, &0.into()), "{json}");
}

#[test]
fn it_is_asked_for_by_name_and_alone() {
    let run = |args: &[&str]| Command::new(QUALM).args(args).output().unwrap();
    let both = run(&["hunt", "sqlite", "--oracle", "config-perf,norec", "--checks", "1"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&both.stderr).contains("cannot be combined"));
    for bad in [["--ratio", "1"], ["--floor-ms", "-3"]] {
        assert_eq!(run(&[&["hunt", "sqlite"], &bad[..]].concat()).status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn a_real_query_is_never_slower_than_itself() {
    let engine = engine::connect("sqlite").unwrap();
    let mut session = engine.open().unwrap();
    session.allow_work(WORK);
    session
        .run("CREATE TABLE t AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i FROM n");
    let side = Side { before: &[], question: "SELECT count(*) FROM t AS a JOIN t AS b ON a.i = b.i" };
    for _ in 0..60 {
        assert_eq!(measure(side, side, Threshold { ratio: 2.0, floor_ms: 0.0 }, session.as_mut()), None);
    }
}

fn report(folder: &Path, json: &Json) -> String {
    let finding = folder.join(json["found"][0]["folder"].as_str().unwrap());
    std::fs::read_to_string(finding.join("report.md")).unwrap()
}

#[test]
fn a_limit_that_costs_is_found_by_counted_work() {
    let folder = tempfile::tempdir().unwrap();
    let queries = "SELECT a FROM t ORDER BY a LIMIT 2; SELECT a FROM t ORDER BY a;";
    let (code, json) = check_with(folder.path(), "canary:work", "clauses-perf", queries);
    assert_eq!((code, &json["findings"]), (1, &1.into()), "{json}");
    assert_eq!(json["found"][0]["oracle"], "clauses-perf");
    assert!(json["found"][0]["title"].as_str().unwrap().starts_with("Slow"), "{json}");
    let report = report(folder.path(), &json);
    assert!(report.contains("VM steps") && report.contains("LIMIT"), "{report}");
    let other = tempfile::tempdir().unwrap();
    let (code, json) = check_with(other.path(), "sqlite", "clauses-perf", queries);
    assert_eq!((code, &json["per_oracle"]["clauses-perf"]["violations"]), (0, &0.into()), "{json}");
}

#[test]
fn a_larger_estimate_of_a_stricter_query_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let queries = "SELECT a FROM t WHERE a > 1 AND a < 9;";
    let (code, json) = check_with(folder.path(), "canary:estimate", "cert", queries);
    assert_eq!((code, &json["found"][0]["oracle"]), (1, &"cert".into()), "{json}");
    let report = report(folder.path(), &json);
    assert!(report.contains("estimated rows"), "{report}");
    // SQLite says nothing about rows, so nothing is claimed.
    let other = tempfile::tempdir().unwrap();
    let (code, json) = check_with(other.path(), "sqlite", "cert", queries);
    assert_eq!((code, &json["per_oracle"]["cert"]["violations"]), (0, &0.into()), "{json}");
}

#[test]
fn work_is_counted_alike_in_every_run() {
    let engine = engine::connect("sqlite").unwrap();
    let mut session = engine.open().unwrap();
    session.run("CREATE TABLE t(a INT)");
    session.run("INSERT INTO t VALUES (1), (2), (3)");
    let mut work = |query: &str| session.work(query).map(|w| w.amount);
    let (once, more) = (work("SELECT a FROM t").unwrap(), work("SELECT t.a FROM t, t AS u").unwrap());
    assert_eq!(work("SELECT a FROM t"), Some(once));
    assert!(more > once, "{more} against {once}");
    assert_eq!(work("no SQL"), None);
    assert_eq!(session.estimate("SELECT a FROM t"), None);
}

#[test]
fn releases_are_compared_in_work_only_where_there_are_two() {
    let run = |args: &[&str]| Command::new(QUALM).args(args).output().unwrap().status.code();
    assert_eq!(run(&["hunt", "sqlite", "--oracle", "releases-perf", "--checks", "1"]), Some(2));
    assert_eq!(run(&["hunt", "sqlite", "--against", "sqlite", "--oracle", "norec", "--checks", "1"]), Some(2));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let same = ["hunt", "sqlite", "--against", "sqlite", "--oracle", "releases-perf", "--checks", "5", "--out", out];
    assert_eq!(run(&same), Some(0), "the same release takes the same work");
}
