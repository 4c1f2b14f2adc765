//! The order and the ends of './x test' and '.ci/run', with a cargo and an engine that only say that they were called.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Writes down its arguments, and fails when they have the words of `FAIL` in them. A build waits for `WAIT_FOR`.
const CARGO: &str = r#"#!/bin/bash
echo "$*" >>"$CALLS"
for place in "${QUALM_PUBLIC:-}" "${QUALM_TEMPLATES:-}" "${QUALM_SCRATCH:-}"; do
  [ -z "$place" ] || echo "$(stat -c %a "$place") $(ls -A "$place" | wc -l) $place" >>"$CALLS.places"
done
case "$*" in
  *clippy*)
    touch "$CALLS.building"
    for ((i = 0; i < 400; i++)); do [ -z "${WAIT_FOR:-}" ] || [ -e "$WAIT_FOR" ] || sleep 0.05; done
    [ -z "${WAIT_FOR:-}" ] || [ -e "$WAIT_FOR" ] || exit 9
    ;;
  *--no-run*) ;;
  test*) echo "test result: ok. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s" ;;
esac
if [ -n "${FAIL:-}" ] && [[ "$*" == *"$FAIL"* ]]; then
  echo "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
  exit 101
fi
"#;

/// Comes only while a build runs.
const ENGINE: &str = r#"
test_steps+=("pretended 1")
fetch_pretended_release() {
  echo "fetching"
  for ((i = 0; i < 400; i++)); do [ -e "$CALLS.building" ] || sleep 0.05; done
  [ -e "$CALLS.building" ] || die "no build has begun"
  sleep 0.2
  [ -z "${NO_NETWORK:-}" ] || die "the network is down"
  mkdir "$cache/pretended/1"
}
"#;

struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    /// A project with the scripts of this one and nothing else, on a machine with all releases of SQLite.
    fn new() -> Tree {
        let folder = tempfile::tempdir().unwrap();
        let (root, here) = (Path::new(env!("CARGO_MANIFEST_DIR")), folder.path());
        for name in ["bin", "setup", ".ci", "cache/sqlite", "cache/sqlite-coverage"] {
            fs::create_dir_all(here.join(name)).unwrap();
        }
        for script in ["x", ".ci/run"] {
            fs::copy(root.join(script), here.join(script)).unwrap();
        }
        fs::write(here.join("setup/pretended.sh"), ENGINE).unwrap();
        fs::write(here.join("bin/cargo"), CARGO).unwrap();
        fs::set_permissions(here.join("bin/cargo"), Permissions::from_mode(0o755)).unwrap();
        for release in ["3.13.0", "3.28.0", "3.31.1"] {
            fs::write(here.join(format!("cache/sqlite/{release}.so")), "").unwrap();
        }
        fs::write(here.join("cache/sqlite-coverage/3.28.0.so"), "").unwrap();
        Tree { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, script: &str, arguments: &[&str], settings: &[(&str, &str)]) -> (i32, String) {
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(self.path(script));
        command.args(arguments).env("PATH", path).env("CALLS", self.path("calls"));
        for name in ["QUALM_PUBLIC", "QUALM_TEMPLATES", "QUALM_SCRATCH"] {
            command.env_remove(name);
        }
        command.env("QUALM_CACHE", self.path("cache")).envs(settings.iter().copied());
        let Output { status, stdout, stderr } = command.output().unwrap();
        let said = String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap();
        (status.code().unwrap(), said)
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

#[test]
fn cheap_checks_come_first_and_engines_come_while_the_build_runs() {
    let tree = Tree::new();
    // The build ends when the engine is there, and the engine comes when the build has begun.
    let engine = tree.path("cache/pretended/1");
    let (code, said) = tree.run("x", &["test"], &[("WAIT_FOR", engine.to_str().unwrap())]);
    assert_eq!(code, 0, "{said}");
    let calls = tree.calls();
    assert_eq!(calls[0], "fmt --all --check");
    assert!(
        calls[1].starts_with("clippy --workspace --all-targets") && calls[2] == "test --workspace --no-run",
        "{calls:?}"
    );
    assert_eq!(calls[3..5], ["test --workspace --test tidy", "test --workspace --no-fail-fast"]);
    assert!(said.contains("fetching\n") && said.contains("pretended 1\n"), "{said}");
    // Four that count: the first run of tests/tidy.rs does not.
    let ends: Vec<&str> = said.trim_end().rsplit('\n').take(2).collect();
    assert_eq!(ends[0], "all tests: 28 passed, 0 failed", "{said}");
    let cpu = ends[1].strip_prefix("CPU time: 0m").expect(&said);
    assert!(cpu.contains("s user, 0m") && cpu.contains("s system; "), "{said}");
}

#[test]
fn what_fails_is_reported_and_ends_the_run() {
    // Before anything is built or fetched.
    let tree = Tree::new();
    let (code, _) = tree.run("x", &["test"], &[("FAIL", "fmt")]);
    assert_ne!(code, 0);
    assert_eq!(tree.calls(), ["fmt --all --check"]);
    assert!(!tree.path("cache/pretended").exists());
    // A download: no test is run without its engine.
    let tree = Tree::new();
    let (code, said) = tree.run("x", &["test"], &[("NO_NETWORK", "1")]);
    assert_ne!(code, 0);
    assert!(said.contains("the network is down") && said.contains("could not be fetched"), "{said}");
    assert!(!tree.calls().contains(&"test --workspace --no-fail-fast".to_string()), "{:?}", tree.calls());
    // A test: the others are run all the same.
    let tree = Tree::new();
    let (code, said) = tree.run("x", &["test"], &[("FAIL", "graph_embedded")]);
    assert_ne!(code, 0);
    assert!(tree.calls().last().unwrap().contains("--test fleet"), "{:?}", tree.calls());
    assert!(said.contains("failed: cargo test --features embedded"), "{said}");
    assert!(said.trim_end().ends_with("all tests: 30 passed, 1 failed"), "{said}");
}

#[test]
fn each_run_of_ci_is_the_first_on_its_machine() {
    let tree = Tree::new();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let (code, said) = tree.run(".ci/run", &[], &[]);
        assert_eq!(code, 0, "{said}");
        let places = fs::read_to_string(tree.path("calls.places")).unwrap();
        fs::remove_file(tree.path("calls.places")).unwrap();
        let first: Vec<&str> = places.lines().take(3).collect();
        // Empty, entered by all where servers are, and gone afterwards.
        for (line, mode) in first.iter().zip(["711", "700", "711"]) {
            let (how, path) = line.split_at(line.find('/').unwrap());
            assert_eq!(how, format!("{mode} 0 "), "{places}");
            assert!(!Path::new(path).exists() && !seen.contains(&path.to_string()), "{path}");
            seen.push(path.to_string());
        }
        assert!(places.lines().all(|line| first.contains(&line)), "{places}");
    }
}

/// Both would move the release into place, the second into the first's folder.
#[test]
fn two_that_fetch_the_same_release_do_it_once() {
    let tree = Tree::new();
    fs::write(tree.path("calls.building"), "").unwrap();
    std::thread::scope(|threads| {
        let both = [(); 2].map(|()| threads.spawn(|| tree.run("x", &["pretended", "1"], &[])));
        let said = both.map(|one| one.join().unwrap());
        assert!(said.iter().all(|(code, _)| *code == 0), "{said:?}");
        assert_eq!(said.iter().filter(|(_, text)| text.contains("fetching")).count(), 1, "{said:?}");
    });
}
