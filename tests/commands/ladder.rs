//! A finding in several releases: what the ladder says of it, what it writes, and how it folds what a hunt finds.
//! The releases are those that './x setup' builds.

use crate::support::program::run_in as qualm;
use serde_json::Value as Json;
use std::fs;
use std::path::Path;

const RELEASES: &str = "sqlite:3.31.1,3.13.0,built-in,3.28.0";

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

const LABELS: [&str; 2] = ["left", "right"];

/// A case with these statements, whose last two are questions with the same answer.
fn write_case(folder: &Path, statements: &[&str]) {
    let questions = statements.len() - 2;
    let step = |(i, text): (usize, &&str)| match i.checked_sub(questions) {
        None => serde_json::json!({ "text": text }),
        Some(n) => serde_json::json!({ "text": text, "ask": LABELS[n] }),
    };
    let script: Vec<Json> = statements.iter().enumerate().map(step).collect();
    let case = serde_json::json!({
        "format": 1, "language": "sql", "oracle": "index", "script": script,
        "claim": {"relation": "same", "left": 0, "right": 1, "order": "bag", "equality": "exact"},
        "origin": {"seed": 0, "worker": 0, "database": 0, "check": 0},
    });
    fs::write(folder.join("case.json"), case.to_string()).unwrap();
}

/// In 3.13.0 an index takes a number in quotes for text where a smallest value is looked for.
const SMALLEST_BY_INDEX: &[&str] = &[
    "CREATE TABLE t0(c0 INTEGER, c1 INTEGER)",
    "CREATE TABLE t1(c0 INTEGER, c1 INTEGER)",
    "INSERT INTO t0 VALUES (500, 2)",
    "INSERT INTO t1 VALUES (500, 2)",
    "CREATE INDEX i0 ON t0(c1, c0)",
    "SELECT min(c0) FROM t0 WHERE c1 = '2' AND c0 > '50'",
    "SELECT min(c0) FROM t1 WHERE c1 = '2' AND c0 > '50'",
];

#[test]
fn a_ladder_says_where_a_finding_shows_and_fills_it_into_its_files() {
    let folder = tempfile::tempdir().unwrap();
    write_case(folder.path(), SMALLEST_BY_INDEX);
    let output = qualm(folder.path(), &["reduce", "case.json", "--engine", "sqlite:3.13.0", "--seconds", "20"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let finding = text(&output.stdout).lines().last().unwrap().strip_prefix("qualm replay ").unwrap().to_owned();
    let meta_file = folder.path().join(&finding).join("meta.json");
    let before: Json = serde_json::from_slice(&fs::read(&meta_file).unwrap()).unwrap();

    let mut reports = Vec::new();
    for _ in 0..2 {
        let output = qualm(folder.path(), &["ladder", &finding, "--releases", RELEASES]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let said: Vec<&str> = text(&output.stdout).lines().collect();
        assert_eq!(said[..3], ["3.13.0       affected", "3.28.0       correct", "3.31.1       correct"]);
        assert!(said[3].ends_with(" correct"), "{said:?}");
        assert_eq!(said[4], "There in 3.13.0, the oldest release tried, gone in 3.28.0.");
        reports.push(fs::read_to_string(folder.path().join(&finding).join("report.md")).unwrap());
    }
    assert_eq!(reports[0], reports[1], "the second ladder replaces what the first one wrote");
    assert!(reports[0].contains("## Affected releases\n\nThere in 3.13.0"), "{}", reports[0]);
    assert!(reports[0].contains("- affected: 3.13.0\n- correct: 3.28.0, 3.31.1, 3."), "{}", reports[0]);

    let mut after: Json = serde_json::from_slice(&fs::read(&meta_file).unwrap()).unwrap();
    let affected = after.as_object_mut().unwrap().remove("affected").unwrap();
    assert_eq!(after, before, "nothing else changes");
    assert_eq!(affected["ranges"][0]["first"], "3.13.0");
    assert_eq!(affected["ranges"][0]["right_after"], "3.28.0");
    assert!(qualm(folder.path(), &["replay", &finding]).status.code() == Some(1), "the finding is still one");
}

#[test]
fn a_release_without_the_syntax_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let truth = "SELECT a.c0 FROM t0 LEFT JOIN t0 AS a ON 0 WHERE a.c0 IS NOT FALSE";
    let hidden = "SELECT a.c0 FROM t0 LEFT JOIN t0 AS a ON 0 WHERE CASE WHEN a.c0 IS NOT FALSE THEN 1 ELSE 0 END";
    write_case(folder.path(), &["CREATE TABLE t0(c0)", "INSERT INTO t0 VALUES (1)", truth, hidden]);
    let output = qualm(folder.path(), &["ladder", "case.json", "--releases", RELEASES, "--json"]);
    let said: Json = serde_json::from_slice(&output.stdout).unwrap();
    let stands: Vec<(&str, &Json)> =
        said["rungs"].as_array().unwrap().iter().map(|r| (r["release"].as_str().unwrap(), &r["stand"])).collect();
    assert_eq!(stands[0].0, "3.13.0");
    assert!(stands[0].1["not_applicable"].as_str().unwrap().contains("FALSE"), "{stands:?}");
    assert_eq!(stands[1], ("3.28.0", &Json::from("shows")));
    assert_eq!(stands[2], ("3.31.1", &Json::from("right")));
    let range = &said["ranges"][0];
    assert_eq!((&range["right_before"], &range["right_after"]), (&Json::Null, &Json::from("3.31.1")));
}

#[test]
fn a_folder_without_releases_says_what_to_run() {
    let folder = tempfile::tempdir().unwrap();
    write_case(folder.path(), SMALLEST_BY_INDEX);
    let output = qualm(folder.path(), &["ladder", "case.json", "--releases", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("./x sqlite all"), "{}", text(&output.stderr));
    let output = qualm(folder.path(), &["ladder", "case.json", "--releases", "sqlite:9.9.9"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("./x sqlite 9.9.9"), "{}", text(&output.stdout));
}

#[test]
fn a_hunt_with_a_ladder_reports_the_releases_of_each_finding() {
    let folder = tempfile::tempdir().unwrap();
    let hunt = ["hunt", "sqlite:3.13.0", "--checks", "8000", "--workers", "1", "--seed", "3", "--size", "small"];
    let output = qualm(folder.path(), &[&hunt[..], &["--ladder", RELEASES, "--out", "out", "--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let mut ranges = Vec::new();
    for finding in fs::read_dir(folder.path().join("out/findings")).unwrap() {
        let meta = fs::read(finding.unwrap().path().join("meta.json")).unwrap();
        let meta: Json = serde_json::from_slice(&meta).unwrap();
        ranges.push(meta["affected"]["ranges"][0]["first"].as_str().unwrap().to_owned());
    }
    assert!(!ranges.is_empty() && ranges.iter().all(|first| first == "3.13.0"), "{ranges:?}");
}
