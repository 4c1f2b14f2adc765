//! The tool must catch an engine that lies on purpose: find the lie, class it, reduce it to a small known size, fold
//! all that it causes into one finding, and say "still there" when that finding is replayed.

mod support;

use std::path::{Path, PathBuf};
use support::program::{json, run as qualm};

/// Enough checks for each lie to be met many times, so that folding has something to fold.
const CHECKS: &str = "1500";
const SEED: &str = "1";
const SEEDS: [&str; 5] = [SEED, "2", "3", "4", "5"];
/// The lies do not depend on settings, so that `config` cannot see them.
const ORACLES: &str = "norec,tlp,eet,index,mutasql";

struct Hunt {
    summary: serde_json::Value,
    folder: tempfile::TempDir,
}

/// Whether all that a lie causes folds into one finding depends on which side of it is met first: the first of some
/// seeds with which it does, or the last one.
fn hunt(lie: &str) -> Hunt {
    let mut seeds = SEEDS.iter();
    loop {
        let seed = seeds.next().expect("the last seed is enough");
        let (hunt, exit) = hunt_by(lie, ORACLES, seed);
        assert_eq!(exit, Some(1), "{lie}: {}", hunt.summary);
        if hunt.summary["findings"] == 1 || seeds.len() == 0 {
            return hunt;
        }
    }
}

/// Set operations are rare among all queries; DISTINCT is not, and is seen from a second side after a while.
fn checks(lie: &str) -> &'static str {
    match lie {
        "except" => "4500",
        "distinct-count" => "500",
        _ => CHECKS,
    }
}

/// The hunt with these oracles, and its exit code.
fn hunt_by(lie: &str, oracles: &str, seed: &str) -> (Hunt, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let engine = format!("canary:{lie}");
    // A hang has to be waited for; all memory has to be taken before its time is up, on a busy machine too.
    let timeout = if lie == "hang" { "400" } else { "10000" };
    let checks = checks(lie);
    let fixed = ["--checks", checks, "--seed", seed, "--workers", "1", "--timeout-ms", timeout, "--json", "--out", out];
    let output = qualm(&[&["hunt", engine.as_str(), "--oracle", oracles], fixed.as_slice()].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let why = String::from_utf8_lossy(&output.stderr);
    let summary = serde_json::from_str(text.lines().last().unwrap_or_default());
    (Hunt { summary: summary.unwrap_or_else(|e| panic!("{lie}: {e}: {text}\n{why}")), folder }, output.status.code())
}

fn findings(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("out/findings")).expect("findings were stored");
    entries.map(|e| e.unwrap().path()).collect()
}

/// A report of a real finding has what a bug tracker asks for, and no word of ours, whichever oracle found it.
fn is_for_maintainers(report: &str, lie: &str) {
    for heading in ["Version", "Steps to reproduce", "Expected", "Actual"] {
        assert!(report.contains(&format!("\n## {heading}\n")), "{lie}: no '{heading}' in\n{report}");
    }
    assert_eq!(qualm::report::foreign_words(report), [""; 0], "{lie}:\n{report}");
}

/// One finding of this kind, no longer than so many statements, that says so when replayed and is gone from the engine
/// that is correct.
fn caught(lie: &str, kind: &str, statements_at_most: usize) {
    let hunt = hunt(lie);
    let found = findings(hunt.folder.path());
    assert_eq!(found.len(), 1, "{lie}: {}", hunt.summary);
    is_caught(lie, kind, statements_at_most, &found[0]);
}

/// The same for a wrong answer that one oracle sees and no other one that compares the engine with itself does. (`pqs`
/// has a reference of its own and sees whatever that can compute.) It may be seen from several sides.
fn caught_by_one(lie: &str, oracle: &str, statements_at_most: usize) {
    let (found, exit) = hunt_by(lie, oracle, SEED);
    assert_eq!(exit, Some(1), "{lie}: {}", found.summary);
    let statements = |finding: &PathBuf| json(&finding.join("case.json"))["script"].as_array().unwrap().len();
    let smallest = findings(found.folder.path()).into_iter().min_by_key(statements).expect("a finding");
    is_caught(lie, "wrong_result", statements_at_most, &smallest);
    // Settings are flipped by `config` only, and none of these lies depends on one.
    let all = qualm::oracle::ORACLES.iter().filter(|o| !o.needs.times && !o.needs.against).map(|o| o.name);
    let needs_more = |o: &&str| o.starts_with("config");
    // It runs an inner query alone and shows its rows in its place: a LIMIT that is counted in one of them is seen.
    let sees_too = |o: &&str| lie == "limit" && *o == "coddtest";
    let others = all.filter(|o| *o != oracle && *o != "pqs" && !needs_more(o) && !sees_too(o));
    let others: Vec<&str> = others.collect();
    let (missed, exit) = hunt_by(lie, &others.join(","), SEED);
    assert_eq!(exit, Some(0), "{lie} is seen by others: {}", missed.summary);
}

fn is_caught(lie: &str, kind: &str, statements_at_most: usize, finding: &Path) {
    let meta = json(&finding.join("meta.json"));
    assert_eq!(meta["kind"], kind, "{lie}: {meta}");
    let case = json(&finding.join("case.json"));
    let statements = case["script"].as_array().unwrap().len();
    // The lies are about answers and ends, not about what SQL is: every statement is one that SQLite takes.
    let mut sqlite = qualm::engine::connect("sqlite").unwrap().open().unwrap();
    for step in case["script"].as_array().unwrap() {
        let text = step["text"].as_str().unwrap();
        assert!(sqlite.run(text).is_ok(), "{lie}: {text}");
    }
    assert!(statements <= statements_at_most, "{lie}: {statements} statements: {}", case["script"]);
    for file in ["repro.sql", "report.md"] {
        assert!(finding.join(file).is_file(), "{lie}: {file} is missing");
    }
    is_for_maintainers(&std::fs::read_to_string(finding.join("report.md")).unwrap(), lie);
    let finding = finding.to_str().unwrap();
    let again = qualm(&["replay", finding]);
    assert_eq!(again.status.code(), Some(1), "{lie}: {}", String::from_utf8_lossy(&again.stdout));
    assert!(String::from_utf8_lossy(&again.stdout).contains("still there"), "{lie}");
    let honest = qualm(&["replay", finding, "--engine", "sqlite"]);
    assert_eq!(honest.status.code(), Some(0), "{lie}: {}", String::from_utf8_lossy(&honest.stdout));
    assert!(String::from_utf8_lossy(&honest.stdout).contains("gone"), "{lie}");
}

#[test]
fn a_row_lost_under_an_index() {
    caught("index-row", "wrong_result", 7);
}

#[test]
fn null_taken_for_false_in_not() {
    caught("not-null", "wrong_result", 6);
}

#[test]
fn a_row_lost_by_distinct() {
    caught("distinct-count", "wrong_result", 6);
}

#[test]
fn a_crash_in_one_function() {
    caught("crash", "crash", 1);
}

#[test]
fn a_hang_in_one_function() {
    caught("hang", "hang", 1);
}

#[test]
fn an_error_only_with_an_index() {
    caught("index-error", "internal_error", 3);
}

#[test]
fn memory_that_runs_out() {
    caught("oom", "out_of_memory", 1);
}

#[test]
fn rows_lost_on_their_way_into_a_table() {
    caught_by_one("stored", "coddtest", 6);
}

#[test]
fn unknown_taken_for_true_by_update_and_delete() {
    caught_by_one("touch", "dqe", 7);
}

#[test]
fn a_right_join_without_its_outer_rows() {
    caught_by_one("right-join", "joins", 4);
}

#[test]
fn a_window_over_too_many_rows() {
    caught_by_one("partition", "windows", 4);
}

#[test]
fn an_operator_that_is_wrong_everywhere() {
    caught_by_one("shift", "pqs", 5);
}

#[test]
fn a_row_lost_in_a_temporary_table() {
    caught_by_one("temporary", "storage", 6);
}

#[test]
fn except_that_adds_rows() {
    caught_by_one("except", "contain", 6);
}

#[test]
fn a_row_lost_by_a_bound_parameter() {
    caught_by_one("bound", "params", 6);
}

#[test]
fn a_limit_that_lets_a_row_more_through() {
    caught_by_one("limit", "clauses", 4);
}

/// An engine that takes constraints and does not keep them answers nothing wrongly; it has no such feature.
#[test]
fn constraints_that_are_not_kept_are_no_bug() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let fixed = ["--checks", CHECKS, "--seed", SEED, "--workers", "1", "--json", "--out", out.to_str().unwrap()];
    let output = qualm(&[&["hunt", "canary:unkept", "--oracle", ORACLES], fixed.as_slice()].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let summary = text.lines().last().unwrap();
    for feature in ["Unique", "Check", "NotNull", "GeneratedColumn"] {
        assert!(summary.contains(&format!("{feature} (accepted, but not enforced)")), "{feature}: {summary}");
    }
    let out = folder.path().join("honest");
    let fixed = ["--checks", "1", "--seed", SEED, "--workers", "1", "--json", "--out", out.to_str().unwrap()];
    let honest = qualm(&[&["hunt", "sqlite"], fixed.as_slice()].concat());
    let text = String::from_utf8_lossy(&honest.stdout).into_owned();
    assert!(text.contains("learned_off") && !text.contains("not kept"), "{text}");
}

#[test]
fn the_summary_counts_what_was_folded() {
    let hunt = hunt("index-row");
    let count = |name: &str| hunt.summary[name].as_u64().unwrap();
    assert_eq!(count("findings"), 1);
    assert!(count("duplicates") > 10, "{}", hunt.summary);
    let found = findings(hunt.folder.path());
    let linked = std::fs::read_to_string(found[0].join("duplicates.jsonl")).expect("duplicates are linked");
    assert!(linked.lines().count() > 0);
}

#[test]
fn results_that_changed_between_releases() {
    let folder = tempfile::tempdir().unwrap();
    let hunt = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let out = out.to_str().unwrap();
        let fixed = ["--checks", "400", "--seed", SEED, "--workers", "1", "--out", out];
        qualm(&[&["hunt", "canary:distinct-count", "--against", "sqlite"], fixed.as_slice(), more].concat())
    };
    let output = hunt("out", &[]);
    // A change may be meant.
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let found = findings(folder.path());
    let finding = found.first().expect("DISTINCT loses a row");
    assert_eq!(json(&finding.join("meta.json"))["kind"], "changed");
    let report = std::fs::read_to_string(finding.join("report.md")).unwrap();
    for words in ["in both releases", "On the release under test", "On the other release"] {
        assert!(report.contains(words), "{report}");
    }
    is_for_maintainers(&report, "distinct-count");
    let script = std::fs::read_to_string(finding.join("repro.sql")).unwrap();
    assert_eq!(script.lines().filter(|l| l.starts_with("SELECT")).count(), 1, "{script}");
    let finding = finding.to_str().unwrap();
    assert_eq!(qualm(&["replay", finding]).status.code(), Some(1));
    let alike = qualm(&["replay", finding, "--engine", "sqlite", "--against", "sqlite"]);
    assert_eq!(alike.status.code(), Some(0), "{}", String::from_utf8_lossy(&alike.stdout));
    assert_eq!(hunt("failing", &["--fail-on-change"]).status.code(), Some(1));
    for wrong in [
        &["hunt", "sqlite", "--fail-on-change"][..],
        &["hunt", "sqlite", "--oracle", "releases"],
        &["hunt", "sqlite", "--against", "z3"],
        &["hunt", "sqlite", "--against", "sqlite against sqlite"],
    ] {
        let code = qualm(wrong).status.code();
        assert!(matches!(code, Some(2 | 3)), "{wrong:?}: {code:?}");
    }
}
