//! Hunts in a build of SQLite that says which of its code was reached (`./x sqlite 3.28.0 --coverage`).

use std::path::Path;
use std::process::Command;

/// The summary, and what was said beside it.
fn hunt(engine: &str, folder: &Path, out: &str, seed: &str) -> (serde_json::Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qualm"));
    command.args(["hunt", engine, "--oracle", "norec,tlp,eet", "--size", "small", "--checks", "400", "--workers", "1"]);
    command.args(["--seed", seed, "--json", "--corpus", "kept", "--out", out]).current_dir(folder);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
    (summary, said)
}

fn kept(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("kept")).unwrap();
    files.map(|f| std::fs::read_to_string(f.unwrap().path()).unwrap()).collect()
}

#[test]
fn what_reaches_new_code_is_kept_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (first, said) = hunt("sqlite:3.28.0-coverage", folder.path(), "first", "1");
    assert!(!said.contains("does not say which of its code"), "{said}");
    assert!(first["edges"].as_u64().unwrap() > 5_000, "{first}");
    let scripts = kept(folder.path());
    assert!(scripts.iter().all(|s| s.contains("CREATE TABLE")), "{scripts:?}");
    assert!(scripts.iter().any(|s| s.contains("SELECT")), "{scripts:?}");
    // Another build takes the same scripts; one without counters neither reads nor adds any, and says so.
    let (_, said) = hunt("sqlite", folder.path(), "second", "1");
    assert!(said.contains("does not say which of its code was reached"), "{said}");
    assert_eq!(kept(folder.path()).len(), scripts.len());
    // The same seed would do the same again if it did not begin with what is kept, and would have nothing to add.
    let (third, _) = hunt("sqlite:3.28.0-coverage", folder.path(), "third", "1");
    assert_ne!(third["edges"], first["edges"]);
    // And sooner or later it finds something to add.
    let adds = |seed: &&str| {
        hunt("sqlite:3.28.0-coverage", folder.path(), &format!("with seed {seed}"), seed);
        kept(folder.path()).len() > scripts.len()
    };
    assert!(["2", "3", "4", "5", "6"].iter().any(adds), "{} scripts", scripts.len());
    // Nothing is lost: a script may get more queries, and keeps those that it had.
    let more = kept(folder.path());
    let kept_in = |more: &String, script: &str| script.lines().all(|line| more.lines().any(|l| l == line));
    assert!(scripts.iter().all(|s| more.iter().any(|m| kept_in(m, s))), "{more:?}");
}
