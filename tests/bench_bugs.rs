//! The bench of known bugs on a small corpus of our own: bugs of the releases that './x setup' builds.

use serde_json::Value as Json;
use std::path::Path;
use std::process::{Command, Output};

fn bench(args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    Command::new(env!("CARGO_BIN_EXE_qualm")).args(["bench", "bugs"]).args(args).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn known_bugs_are_exposed_and_not_on_the_fixed_release() {
    let output = bench(&["tests/data/bugs", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["totals"]["bugs"], 3);
    assert_eq!(said["totals"]["exposed_without_knobs"], 3);
    assert_eq!(said["skipped"]["of-another-engine"], "a bug in 'z3'");
    let fires = |id: &str, oracle: &str| {
        let bug = said["bugs"].as_array().unwrap().iter().find(|b| b["id"] == id).unwrap();
        assert_eq!(bug["reproduced"], true, "{bug}");
        assert_eq!(bug["fires_on_fixed"], serde_json::json!({}), "{bug}");
        bug["fires"].get(oracle).is_some()
    };
    assert!(fires("left-join-partial-index", "norec") && fires("left-join-partial-index", "index"));
    assert!(fires("left-join-is-not-false", "tlp") && fires("left-join-is-not-false", "knobs"));
    // Only the order of its rows is wrong.
    assert!(fires("expression-index-order", "index") && !fires("expression-index-order", "norec"));
}

#[test]
fn a_table_for_people() {
    let output = bench(&["tests/data/bugs"]);
    let said = text(&output.stdout);
    assert!(said.contains("skipped: a bug in 'z3'"), "{said}");
    assert!(said.contains("exposed: 3 of 3 (100 %)"), "{said}");
}

#[test]
fn releases_that_are_missing_are_named_with_what_gets_them() {
    let empty = tempfile::tempdir().unwrap();
    let output = bench(&["tests/data/bugs", "--engine-dir", empty.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("./x sqlite 3.13.0 3.28.0 3.31.1"), "{}", text(&output.stderr));
    assert_eq!(bench(&[empty.path().to_str().unwrap()]).status.code(), Some(2));
}
