//! Hunts in a build of SQLite that says which of its code was reached (`./x sqlite 3.28.0 --coverage`).

use std::path::Path;
use std::process::Command;

fn hunt(engine: &str, folder: &Path, out: &str) -> serde_json::Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qualm"));
    command.args(["hunt", engine, "--oracle", "norec,tlp,eet", "--size", "small", "--checks", "400", "--workers", "1"]);
    command.args(["--seed", "1", "--json", "--corpus", "kept", "--out", out]).current_dir(folder);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"))
}

fn kept(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("kept")).unwrap();
    files.map(|f| std::fs::read_to_string(f.unwrap().path()).unwrap()).collect()
}

#[test]
fn what_reaches_new_code_is_kept_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = hunt("sqlite:3.28.0-coverage", folder.path(), "first");
    assert!(first["edges"].as_u64().unwrap() > 5_000, "{first}");
    let scripts = kept(folder.path());
    assert!(scripts.iter().all(|s| s.contains("CREATE TABLE")), "{scripts:?}");
    assert!(scripts.iter().any(|s| s.contains("SELECT")), "{scripts:?}");
    // Another build takes the same scripts; one without counters neither reads nor adds any.
    hunt("sqlite", folder.path(), "second");
    assert_eq!(kept(folder.path()).len(), scripts.len());
    let third = hunt("sqlite:3.28.0-coverage", folder.path(), "third");
    assert!(third["edges"].as_u64() > first["edges"].as_u64(), "{first} {third}");
}
