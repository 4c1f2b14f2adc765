//! The program as a user meets it: exit codes, messages, the JSON line, determinism, Ctrl-C, killed workers.

use crate::support::program::{QUALM, children, is_running, run, run_in as qualm, signal, wait_for};
use qualm::process::Scratch;
use qualm::recorder::Reader;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Exit code and stderr.
fn fails(args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = qualm(folder.path(), args);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn json_line(output: &Output) -> Json {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "one line on stdout: {text}");
    serde_json::from_str(text).unwrap()
}

/// The private folders of the process `pid` that are still there.
fn temporary_folders(pid: u32) -> Vec<PathBuf> {
    // All folders of this user are in one.
    let mine = Scratch::create().unwrap();
    let prefix = format!("qualm-run-{pid}-");
    let entries = fs::read_dir(mine.path().parent().unwrap()).unwrap().flatten().map(|e| e.path());
    entries.filter(|p| p.file_name().unwrap().to_string_lossy().starts_with(&prefix)).collect()
}

/// Waits until a worker of the hunt `pid` has done a check, as its flight recorder says.
fn wait_for_a_check(pid: u32) {
    let checked = |path: PathBuf| Reader::open(&path).is_some_and(|recorder| recorder.checks() > 0);
    wait_for("a check", || {
        let files = temporary_folders(pid).into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
        files.flatten().any(|file| checked(file.path())).then_some(())
    });
}

#[test]
fn usage_errors_exit_2_and_name_the_way_out() {
    for (args, says) in [
        (&["hunt", "postgre"][..], "known engines: sqlite"),
        (&["hunt", "sqlite", "--oracle", "magic"], "known oracles: norec"),
        (&["hunt", "sqlite", "--oracle", "tpl"], "unknown oracle 'tpl' (did you mean 'tlp'?)"),
        (&["hunt", "duckdb", "--oracle", "fulltext"], "nothing to ask: fulltext needs tables for full-text search"),
        (&["hunt", "sqlite", "--oracle", "ire"], "oracle 'ire' is for Datalog engines, and this is a SQL engine"),
        (&["hunt", "sqlite", "--serve", "--listen", "nowhere:x", "--out", "never"], "cannot listen on 'nowhere:x'"),
        (&["ci", "sqlite", "--no-hunt"], "nothing to do"),
        (&["hunt", "sqlite", "--seconds", "1", "--checks", "1"], "cannot be used with"),
        (&["hunt", "sqlite", "--seconds", "0"], "above 0"),
        (&["hunt", "sqlite", "--size", "huge"], "valid values: small, medium, large; see"),
        (&["hunt", "sqlite", "--workers", "0"], "--workers"),
        (&["hunt", "sqlite", "--known", "nowhere"], "cannot read known bugs 'nowhere'"),
        (&["hunt", "canary:magic"], "unknown canary 'magic'"),
        (&["bench", "comprae"], "'comprae' (did you mean 'compare'?)"),
        (&["hunt"], "missing <ENGINE>; see 'qualm hunt --help'"),
        (&["replay", "nowhere"], "cannot read 'nowhere'"),
        (&["frobnicate"], "unknown command 'frobnicate'; see 'qualm --help'"),
    ] {
        let (code, stderr) = fails(args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains(says), "{args:?}: {stderr}");
        // Kinds of planted bugs are listed with what they do.
        assert_eq!(stderr.lines().filter(|l| !l.starts_with("  canary:")).count(), 1, "{args:?}: {stderr}");
    }
    assert!(!Path::new("never").exists(), "an address that is wrong is noticed before there is a folder");
}

#[test]
fn an_engine_that_is_not_there_exits_3() {
    let (code, stderr) = fails(&["hunt", "sqlite:./no-such-library.so", "--seconds", "1"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("no-such-library.so"), "{stderr}");
}

#[test]
fn a_bad_file_of_known_bugs_is_named_by_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("known"), "# fine\n{\"reason\": \"no pattern\"}\n").unwrap();
    let output = qualm(folder.path(), &["hunt", "sqlite", "--known", "known", "--seconds", "1"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("known:2: give either 'fingerprint' or 'pattern'"), "{stderr}");
}

#[test]
fn a_campaign_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let hunt = ["hunt", "sqlite", "--checks", "10", "--out", "here"];
    assert!(matches!(qualm(folder.path(), &hunt).status.code(), Some(0 | 1)));
    let before = fs::read(folder.path().join("here/campaign.json")).unwrap();
    let again = qualm(folder.path(), &hunt);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("'here' is not empty"));
    assert_eq!(fs::read(folder.path().join("here/campaign.json")).unwrap(), before);
    for number in ["0001", "0002"] {
        qualm(folder.path(), &["hunt", "sqlite", "--checks", "10"]);
        assert!(folder.path().join("qualm-out").join(number).join("campaign.json").exists());
    }
}

#[test]
fn the_json_line_has_the_figures() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["hunt", "sqlite", "--checks", "501", "--workers", "2", "--seed", "7", "--json", "--size", "small"];
    let output = qualm(folder.path(), &args);
    let line = json_line(&output);
    assert_eq!(output.status.code().map(i64::from), line["exit"].as_i64());
    for number in [
        "seconds",
        "cpu_seconds",
        "checks_per_cpu_s",
        "engine_share",
        "vacuous_share",
        "rejected_share",
        "distinct_plans",
        "findings",
        "duplicates",
        "suppressed",
        "crashes",
        "hangs",
        "flaky",
        "pending",
        "databases",
        "statements",
        "memory_peak_mb",
        "exit",
    ] {
        assert!(line[number].is_number(), "{number} in {line}");
    }
    assert_eq!(line["checks"], 501, "split over two workers without a rest");
    assert_eq!((&line["engine"], &line["seed"], &line["workers"]), (&"sqlite".into(), &7.into(), &2.into()));
    assert_eq!(line["size"], "small");
    assert!(line["engine_version"].as_str().unwrap().starts_with("sqlite 3."));
    assert!(line["oracles"].as_array().unwrap().contains(&"norec".into()));
    assert!(line["per_oracle"].is_object() && line["learned_off"].is_array());
}

/// Every case file of a campaign by its path below the campaign.
fn case_files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder.join("findings")).unwrap().flatten() {
        let case = fs::read_to_string(entry.path().join("case.json")).unwrap();
        found.insert(entry.file_name().to_string_lossy().into_owned(), case);
    }
    found
}

#[test]
fn one_seed_gives_the_same_findings() {
    let folder = tempfile::tempdir().unwrap();
    let hunt = |out: &str, seed: &str| {
        let args = ["hunt", "canary:index-row", "--checks", "600", "--workers", "1", "--seed", seed, "--out", out];
        let output = qualm(folder.path(), &[&args[..], &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let line = json_line(&output);
        (case_files(&folder.path().join(out)), line["duplicates"].clone(), line["statements"].clone())
    };
    let (first, again, other) = (hunt("a", "11"), hunt("b", "11"), hunt("c", "12"));
    assert!(!first.0.is_empty());
    assert_eq!(first, again);
    assert_ne!(first.0, other.0, "another seed hunts elsewhere");
}

#[test]
fn ctrl_c_ends_with_the_summary_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(QUALM);
    command.args(["hunt", "sqlite", "--seconds", "100", "--json", "--out", "here"]).current_dir(folder.path());
    let hunt = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = hunt.id();
    let workers = wait_for("a worker", || {
        let workers: Vec<_> = children(pid).into_iter().filter(|(_, role)| role == "worker").collect();
        (!workers.is_empty()).then_some(workers)
    });
    wait_for_a_check(pid);
    assert!(!temporary_folders(pid).is_empty());
    signal(pid, libc::SIGINT);
    let output = hunt.wait_with_output().unwrap();
    let line = json_line(&output);
    assert_eq!(output.status.code(), Some(line["exit"].as_i64().unwrap() as i32));
    assert!(line["seconds"].as_f64().unwrap() < 60.0 && line["checks"].as_u64().unwrap() > 0);
    assert!(temporary_folders(pid).is_empty());
    assert!(workers.iter().all(|(worker, _)| !Path::new(&format!("/proc/{worker}")).exists()));
    assert!(folder.path().join("here/campaign.json").exists());
}

#[test]
fn a_killed_worker_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(QUALM);
    command.args(["hunt", "sqlite", "--seconds", "4", "--workers", "1", "--json"]).current_dir(folder.path());
    let hunt = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = hunt.id();
    let worker = || children(pid).into_iter().find(|(_, role)| role == "worker").map(|(child, _)| child);
    let first = wait_for("a worker", worker);
    wait_for_a_check(pid);
    signal(first, libc::SIGKILL);
    let second = wait_for("another worker", || worker().filter(|child| *child != first));
    assert_ne!(first, second);
    let line = json_line(&hunt.wait_with_output().unwrap());
    assert_eq!((&line["killed"], &line["out_of_memory"]), (&1.into(), &0.into()), "{line}");
    assert!(line["checks"].as_u64().unwrap() > 0);
    assert!(temporary_folders(pid).is_empty());
}

#[test]
fn a_killed_hunt_takes_its_children_along_and_the_next_one_cleans_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(QUALM);
    command.args(["hunt", "sqlite", "--seconds", "100", "--workers", "1"]).current_dir(folder.path());
    let mut hunt = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pid = hunt.id();
    let worker = || children(pid).into_iter().find(|(_, role)| role == "worker").map(|(child, _)| child);
    let worker = wait_for("a worker", worker);
    signal(pid, libc::SIGKILL);
    hunt.wait().unwrap();
    // Whoever inherits the dead child may be slow to bury it.
    wait_for("the worker's end", || (!is_running(worker)).then_some(()));
    // The folder may be gone by now: other tests hunt at the same time, and theirs may have been the next one.
    qualm(folder.path(), &["hunt", "sqlite", "--checks", "10"]);
    assert!(temporary_folders(pid).is_empty());
}

#[test]
fn crashes_and_hangs_are_findings_that_replay() {
    let folder = tempfile::tempdir().unwrap();
    for (engine, count) in [("canary:crash", "crashes"), ("canary:hang", "hangs")] {
        let out = engine.replace(':', "-");
        let args = ["hunt", engine, "--checks", "300", "--workers", "1", "--size", "small", "--seed", "3", "--json"];
        let output = qualm(folder.path(), &[&args[..], &["--timeout-ms", "300", "--out", &out]].concat());
        let line = json_line(&output);
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(line[count].as_u64().unwrap() > 0, "{line}");
        let finding = line["found"][0]["folder"].as_str().unwrap();
        for file in ["case.json", "repro.sql", "report.md", "meta.json"] {
            assert!(folder.path().join(finding).join(file).exists(), "{file}");
        }
        let replay = qualm(folder.path(), &["replay", finding, "--timeout-ms", "300"]);
        assert_eq!(replay.status.code(), Some(1), "{replay:?}");
        assert!(String::from_utf8_lossy(&replay.stdout).contains("still there"));
    }
}

#[test]
fn replay_says_still_there_gone_or_why_it_cannot_decide() {
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["hunt", "canary:index-row", "--checks", "1500", "--workers", "1", "--json", "--seed", "5", "--out", "here"];
    let line = json_line(&qualm(folder.path(), &args));
    let finding = line["found"][0]["folder"].as_str().unwrap();
    let replay = |args: &[&str]| {
        let output = qualm(folder.path(), &[&["replay"], args].concat());
        let all = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(all).unwrap())
    };
    let (code, text) = replay(&[finding]);
    assert!(code == 1 && text.contains("still there"), "{text}");
    let (code, text) = replay(&[finding, "--engine", "sqlite"]);
    assert!(code == 0 && text.contains("gone"), "{text}");
    let (code, text) = replay(&[finding, "--engine", "sqlite:./none.so"]);
    assert_eq!(code, 3, "{text}");

    let case = fs::read_to_string(folder.path().join(finding).join("case.json")).unwrap();
    let variants = [
        ("garbage.json", "not json".to_owned(), "is not a case"),
        ("empty.json", "{}".to_owned(), "'format' is missing or unknown"),
        ("newer.json", case.replacen("\"format\": 1", "\"format\": 99", 1), "use a newer one"),
        ("broken.json", case.replacen("CREATE TABLE", "CREATE TABEL", 1), "cannot be judged"),
    ];
    for (name, text, says) in variants {
        fs::write(folder.path().join(name), text).unwrap();
        let (code, text) = replay(&[name, "--engine", "sqlite"]);
        assert!(code == 2 && text.contains(says), "{name}: {code} {text}");
    }
    fs::create_dir(folder.path().join("hollow")).unwrap();
    assert_eq!(replay(&["hollow"]).0, 2);
}

#[test]
fn known_bugs_are_counted_and_not_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("known"), "{\"pattern\": \"select\", \"reason\": \"all of them\"}\n").unwrap();
    let args =
        ["hunt", "canary:index-row", "--checks", "1500", "--workers", "1", "--known", "known", "--json", "--seed", "5"];
    let output = qualm(folder.path(), &args);
    let line = json_line(&output);
    assert_eq!(output.status.code(), Some(0), "{line}");
    assert_eq!(line["findings"], 0);
    assert!(line["suppressed"].as_u64().unwrap() > 0 && line["known"][0]["reason"] == "all of them", "{line}");
}

#[test]
fn lists_completions_and_man_pages() {
    let folder = tempfile::tempdir().unwrap();
    for (args, says) in [
        (&["engines"][..], "sqlite"),
        (&["oracles"], "norec"),
        (&["knobs", "sqlite"], "changed to"),
        (&["completions", "bash"], "_qualm"),
        (&["hunt", "--help"], "Exit codes"),
        (&["man", "man"], ""),
    ] {
        let output = qualm(folder.path(), args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(says), "{args:?}");
    }
    assert!(folder.path().join("man/qualm-hunt.1").exists());
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let list = format!("'{QUALM}' rules | head -n 1; exit ${{PIPESTATUS[0]}}");
    let output = Command::new("bash").args(["-c", &list]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A terminal gets colours, unless it or its user wants none; a pipe never does.
#[test]
fn colours_are_for_terminals_and_obey_no_color() {
    let in_terminal = |name: &str, value: &str| {
        let python = "import os, pty, sys, subprocess\n\
                      ours, theirs = pty.openpty()\n\
                      child = subprocess.Popen(sys.argv[1:], stdout=theirs)\n\
                      sys.stdout.buffer.write(os.read(ours, 100))\n\
                      child.kill()";
        let mut command = Command::new("python3");
        command.args(["-c", python, QUALM, "engines"]).stdin(Stdio::null());
        let output = command.env_remove("NO_COLOR").env("TERM", "xterm").env(name, value).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("sqlite"), "{text}{}", String::from_utf8_lossy(&output.stderr));
        text.contains('\x1b')
    };
    assert!(in_terminal("NO_COLOR", ""), "an empty value is none");
    assert!(!in_terminal("NO_COLOR", "1") && !in_terminal("TERM", "dumb"));
    let piped = run(&["engines"]);
    assert!(!piped.stdout.contains(&0x1b) && !piped.stdout.is_empty());
}

/// What cannot be judged is neither gone nor still there, whichever command is asked.
#[test]
fn reduce_and_replay_say_the_same_of_a_case_that_cannot_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    let case = |script: &str| {
        format!(
            r#"{{"format": 1, "language": "sql", "oracle": "survives", "script": {script},
                "claim": {{"relation": "survives"}}, "origin": {{"seed": 1, "worker": 0, "database": 0, "check": 0}}}}"#
        )
    };
    let refused = case(r#"[{"text": "CREATE TABEL t(a)"}, {"text": "SELECT 1", "ask": "last"}]"#);
    let fine = case(r#"[{"text": "SELECT 1", "ask": "last"}]"#);
    for (script, code, words) in [(refused, 2, "cannot be judged on sqlite"), (fine, 0, "gone on sqlite")] {
        fs::write(folder.path().join("case.json"), script).unwrap();
        for command in ["replay", "reduce"] {
            let output = qualm(folder.path(), &[command, "case.json", "--engine", "sqlite"]);
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert_eq!(output.status.code(), Some(code), "{command}: {said}");
            assert!(said.contains(words), "{command}: {said}");
        }
    }
}
