//! The bench of known bugs on a small corpus of our own: bugs of the releases that `./x setup` builds; and the bench of
//! coverage on the SQLite that is linked in.

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

/// The amalgamation that this program is linked with, as cargo has it.
fn amalgamation() -> std::path::PathBuf {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let said = Command::new("rustc").arg("-vV").output().unwrap();
    let host = text(&said.stdout).lines().find_map(|l| l.strip_prefix("host: ")).unwrap().to_string();
    // A machine that has only built qualm does not have what it needs on other platforms.
    let args = ["metadata", "--format-version", "1", "--offline", "--filter-platform", &host, "--manifest-path"];
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = Command::new(cargo).args(args).arg(manifest).output().unwrap();
    let said: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)));
    let package = said["packages"].as_array().unwrap().iter().find(|p| p["name"] == "libsqlite3-sys").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("sqlite3/sqlite3.c")
}

#[test]
fn coverage_counts_what_a_hunt_reaches() {
    let qualm = |source: &Path, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_qualm"));
        command.args(["bench", "coverage"]).arg(source).args(more).output().unwrap()
    };
    let hunt = ["--checks", "150", "--oracle", "norec", "--json"];
    let output = qualm(&amalgamation(), &hunt);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said: Json = serde_json::from_slice(&output.stdout).unwrap();
    let share = |part: &Json| part["lines_reached"].as_f64().unwrap() / part["lines"].as_f64().unwrap();
    assert_eq!(said["checks"], 150);
    assert!(share(&said["parts"]["where"]) > 0.3 && share(&said["all"]) < 0.9, "{}", said["parts"]);
    let never = said["functions_never_entered"].as_array().unwrap();
    assert!(never.iter().any(|f| f == "sqlite3_backup_init") && !never.iter().any(|f| f == "sqlite3Select"));
    // What is no amalgamation, and what does not compile.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sqlite3.c");
    std::fs::write(&file, "int main;").unwrap();
    let refused = |words: &str| {
        let output = qualm(&file, &hunt);
        let said = text(&output.stderr).to_owned();
        assert!(output.status.code() == Some(2) && said.contains(words), "{said}");
    };
    refused("is not SQLite's amalgamation");
    std::fs::write(&file, "/************** Begin file where.c ****/\nint x = ;\n").unwrap();
    refused("'cc' failed: ");
}

/// One seed and few checks: whatever they find, each bug is looked for and the figures are there.
#[test]
fn search_says_which_bugs_hunts_find_and_two_searches_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let root = env!("CARGO_MANIFEST_DIR");
        Command::new(env!("CARGO_BIN_EXE_qualm")).arg("bench").args(args).current_dir(root).output().unwrap()
    };
    let all: Vec<String> = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/bugs"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().trim_end_matches(".json").to_owned())
        .collect();
    let only = all.iter().min().unwrap();
    let small = ["search", "tests/data/bugs", "--checks", "60", "--seeds", "2", "--size", "small", "--only", only];
    let output = run(&[&small[..], &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    let bugs = json["bugs"].as_array().unwrap();
    assert!(bugs.len() == 1 && bugs[0]["features"].is_array() && bugs[0]["hits"].is_array(), "{json}");
    assert_eq!(json["hunts"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(json["curve"].as_array().unwrap().len(), 10, "{json}");
    let file = folder.path().join("a.json");
    std::fs::write(&file, &output.stdout).unwrap();
    let file = file.to_str().unwrap();
    let same = run(&["compare", file, file]);
    let said = String::from_utf8_lossy(&same.stdout).into_owned();
    assert!(same.status.success() && said.contains("no clear difference") && said.contains("only A: none"), "{said}");
    assert_eq!(run(&["compare", file, "nothing"]).status.code(), Some(2));
    let limit = run(&["limit", "--checks", "50", "--seconds", "0.2", "--json"]);
    let json: Json = serde_json::from_slice(&limit.stdout).unwrap();
    assert!(json["statements"].as_u64().unwrap() > 50 && json["share"].as_f64().unwrap() > 0.0, "{json}");
}
