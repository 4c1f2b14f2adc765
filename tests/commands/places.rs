//! Hunts on machines where memory is no place for temporary files: no `/dev/shm`, one that cannot be written, one that
//! is too small. Each machine is a mount namespace, which root can make, and everybody where the system lets them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What a script does to `/dev` in a namespace of its own before it runs the rest of its arguments.
const MACHINES: &[(&str, &str)] = &[
    ("read-only", "mount -t tmpfs -o ro tmpfs /dev/shm"),
    ("too small", "mount -t tmpfs -o size=200k tmpfs /dev/shm"),
    (
        "missing",
        r#"mkdir "$TMPDIR/dev" && mount -t tmpfs tmpfs "$TMPDIR/dev" && touch "$TMPDIR"/dev/{null,urandom} &&
        mount --bind /dev/null "$TMPDIR/dev/null" && mount --bind /dev/urandom "$TMPDIR/dev/urandom" &&
        mount --rbind "$TMPDIR/dev" /dev && [ ! -e /dev/shm ]"#,
    ),
];

fn on_machine(namespace: &str, temporary: &Path, change: &str, arguments: &[&str]) -> Output {
    let script = format!("set -e; mount --make-rprivate /; {change}; exec \"$@\"");
    let mut command = Command::new("unshare");
    command.args([namespace, "bash", "-c", &script, "machine"]).args(arguments);
    command.env("TMPDIR", temporary).env_remove(qualm::scratch::PLACE_VARIABLE).current_dir(temporary);
    command.output().unwrap()
}

#[test]
fn a_hunt_finds_another_place_than_memory() {
    let elsewhere = tempfile::tempdir().unwrap();
    let can = |namespace: &&&str| on_machine(namespace, elsewhere.path(), "true", &["true"]).status.success();
    let Some(namespace) = ["-m", "-rm"].iter().find(can) else {
        return eprintln!("no mount namespaces for this user here");
    };
    for (what, change) in MACHINES {
        let temporary = tempfile::tempdir().unwrap();
        let hunt = ["hunt", "sqlite", "--checks", "40", "--workers", "2", "--seed", "1", "--json", "--out", "out"];
        let arguments: Vec<&str> = [env!("CARGO_BIN_EXE_qualm")].iter().chain(&hunt).copied().collect();
        let output = on_machine(namespace, temporary.path(), change, &arguments);
        let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(matches!(output.status.code(), Some(0 | 1)), "{what}: {said}\n{errors}");
        let summary: serde_json::Value =
            serde_json::from_str(&said).unwrap_or_else(|e| panic!("{what}: {e}\n{errors}"));
        assert!(summary["checks"].as_u64().unwrap() >= 40, "{what}: {summary}");
        // Where it was, and nothing of it is left.
        let ours = temporary.path().join(format!("qualm-{}", qualm::scratch::user()));
        assert_eq!(fs::read_dir(&ours).unwrap_or_else(|e| panic!("{what}: {e}")).count(), 0, "{what}");
    }
}

#[test]
fn a_place_that_was_named_is_the_only_one() {
    let folder = tempfile::tempdir().unwrap();
    let qualm = |place: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_qualm"));
        command.args(["hunt", "sqlite", "--checks", "10", "--out", "out"]).current_dir(folder.path());
        command.env(qualm::scratch::PLACE_VARIABLE, place).output().unwrap()
    };
    let nowhere = qualm(&folder.path().join("nowhere"));
    let errors = String::from_utf8_lossy(&nowhere.stderr);
    assert_eq!(nowhere.status.code(), Some(4), "{errors}");
    assert!(errors.contains("nowhere") && errors.contains("QUALM_SCRATCH"), "{errors}");
}
