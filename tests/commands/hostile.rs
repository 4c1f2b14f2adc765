//! Folders that somebody else made: what they name is not run, where they point is not read, and what they say does not
//! reach the terminal as it stands.

use crate::support::program::{run as qualm, text};
use qualm::case::{CASE_FORMAT, Case, Evidence, Language, Origin, Step};
use qualm::fingerprint;
use qualm::relation::{Equality, Order, Relation};
use qualm::report::{self, Finding};
use qualm::session::Outcome;
use qualm::value::{Rows, Value};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A window's title by OSC, colours by CSI and by its form in one character, text turned round, HTML.
const HOSTILE: &str = "x\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{202e}y\u{2066}</script><img src=q onerror=alert(1)>";
/// In files that no command may read.
const PRIVATE: &str = "this-belongs-to-somebody-else";

/// A finding of two questions whose answers differ, in a folder below `root`.
fn folder(root: &Path, engine: &str, questions: [&str; 2], title: &str) -> PathBuf {
    let case = Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: "norec".into(),
        rules: vec![title.into()],
        script: vec![
            Step::run("CREATE TABLE t0(c0)"),
            Step::query(title, questions[0]),
            Step::query("other", questions[1]),
        ],
        claim: Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact },
        source: None,
        origin: Origin::default(),
    };
    let row = |word: &str| Outcome::Rows(Rows::of(vec![vec![Value::Text(word.into())]]));
    let answers = vec![row(title), row("other")];
    let evidence = Evidence { verdict: case.claim.judge(&answers), answers };
    let print = fingerprint::of(&case, &evidence, &[]);
    let mut finding = Finding::new("sqlite", title, case, evidence, vec![title.into()], print);
    finding.title = title.into();
    finding.engine = engine.into();
    let folder = root.join("findings").join("one");
    fs::create_dir_all(&folder).unwrap();
    report::write(&folder, &finding).unwrap();
    folder
}

#[test]
fn a_command_that_a_file_names_is_not_run() {
    let root = tempfile::tempdir().unwrap();
    let marker = root.path().join("marker");
    let touch = format!("touch {}", marker.display());
    let program = root.path().join("program");
    fs::write(&program, format!("#!/bin/sh\n{touch}\n")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).unwrap();
    let program = program.display();
    let engines = [
        format!("exec:{touch}"),
        format!("exec:{touch} '\u{1b}]0;x\u{7}'"),
        format!("souffle:{program}"),
        format!("ddlog:{program}"),
        format!("z3:{program}"),
        "sqlite:/nowhere/evil.so".into(),
        "duckdb:./evil.so".into(),
        "mysql:mysql://root@127.0.0.1:1".into(),
        "sqlite:../../evil/3.1.0".into(),
        "exec".into(),
        "nothing:at all".into(),
    ];
    for engine in &engines {
        let folder = folder(root.path(), engine, ["SELECT 1", "SELECT 1"], "title");
        let (shown, case) = (folder.to_str().unwrap(), folder.join("case.json"));
        for (command, place) in [("replay", shown), ("reduce", shown), ("replay", case.to_str().unwrap())] {
            let said = qualm(&[command, place]);
            let words = text(&said);
            assert_eq!(said.status.code(), Some(2), "{command} {engine}: {words}");
            assert!(words.contains(&format!("qualm {command} {place} --engine ")), "{engine}: {words}");
            assert!(!words.contains("cannot load") && !words.contains('\u{1b}'), "{engine}: {words:?}");
        }
        // What only reads says nothing of engines, or refuses; nothing is started.
        let page = root.path().join("page.html");
        qualm(&["report", shown, "--out", page.to_str().unwrap()]);
        qualm(&["export", shown, "--as", "suite"]);
        qualm(&["ladder", shown]);
        qualm(&["ladder", shown, "--releases", root.path().to_str().unwrap()]);
        qualm(&["ci", "sqlite", "--no-hunt", "--findings", shown]);
        assert!(!marker.exists(), "{engine} was run");
        // The campaign's own file is no better than the finding's.
        let pending = root.path().join("pending");
        fs::create_dir_all(&pending).unwrap();
        fs::copy(&case, pending.join("000001.json")).unwrap();
        fs::write(root.path().join("campaign.json"), serde_json::json!({ "engine": engine }).to_string()).unwrap();
        let said = qualm(&["replay", pending.join("000001.json").to_str().unwrap()]);
        assert_eq!(said.status.code(), Some(2), "{engine}: {}", text(&said));
        assert!(!marker.exists(), "{engine} was run for a pending case");
    }
    // Typed by the user it is run: this test can fail.
    let folder = folder(root.path(), &engines[0], ["SELECT 1", "SELECT 1"], "title");
    let said = qualm(&["replay", folder.to_str().unwrap(), "--engine", &engines[0]]);
    assert!(marker.exists() && said.status.code() == Some(3), "{}", text(&said));
    // And a name with a release number is taken as before.
    let plain = super_plain(root.path());
    assert_eq!(qualm(&["replay", plain.to_str().unwrap()]).status.code(), Some(1));
}

fn super_plain(root: &Path) -> PathBuf {
    folder(root, "sqlite", ["SELECT 1", "SELECT 2"], "title")
}

/// Neither commands to a terminal, nor marks that turn text round.
fn assert_plain(what: &str, shown: &str) {
    let unseen = |c: &char| {
        c.is_control() && !matches!(c, '\n' | '\t' | '\r') || matches!(*c as u32, 0x202A..=0x202E | 0x2066..=0x2069)
    };
    let bad: Vec<char> = shown.chars().filter(unseen).collect();
    assert!(bad.is_empty(), "{what} shows {bad:?}: {shown}");
}

#[test]
fn what_a_folder_or_an_engine_says_is_escaped() {
    let root = tempfile::tempdir().unwrap();
    // The engine's answer, and a statement that it quotes in an error.
    let questions = [
        format!("SELECT char(27) || ']0;owned' || char(7) || char(155) || char(8238), '{HOSTILE}'"),
        format!("SELECT \"{HOSTILE}\" FROM t0, nowhere /* {HOSTILE} */"),
    ];
    let shown = folder(root.path(), "sqlite", [&questions[0], &questions[0]], HOSTILE);
    let place = shown.to_str().unwrap();
    for args in [
        ["replay", place].as_slice(),
        &["ci", "sqlite", "--no-hunt", "--findings", place],
        &["export", place, "--as", "suite"],
        &["export", place, "--as", "slt"],
    ] {
        let said = qualm(args);
        let words = text(&said);
        if args[0] != "export" {
            assert_plain(&args.join(" "), &words);
        }
        assert!(!words.contains("panicked"), "{words}");
    }
    let said = text(&qualm(&["replay", place]));
    assert!(said.contains("\\u{1b}]0;owned\\u{7}"), "{said}");
    let files = ["page.html", "junit.xml", "sarif.json"].map(|name| root.path().join(name).display().to_string());
    let said = qualm(&["report", place, "--out", &files[0], "--junit", &files[1], "--sarif", &files[2]]);
    assert!(said.status.success(), "{}", text(&said));
    let page = fs::read_to_string(&files[0]).unwrap();
    assert!(!page.contains("<img src=q") && !page.contains("</script><img"), "HTML gets into the page");
    assert_plain("JUnit", &fs::read_to_string(&files[1]).unwrap());
    assert!(!fs::read_to_string(&files[1]).unwrap().contains("<img"));
    let sarif: serde_json::Value = serde_json::from_slice(&fs::read(&files[2]).unwrap()).unwrap();
    assert_plain("SARIF", sarif["runs"][0]["results"][0]["message"]["text"].as_str().unwrap());
    let report = fs::read_to_string(shown.join("report.md")).unwrap();
    assert_plain("report.md", &report);
    let outside_blocks: String = report.split("```").step_by(2).collect();
    let outside_code: String = outside_blocks.split('`').step_by(2).collect();
    assert!(!outside_code.contains("<img"), "HTML gets into report.md: {report}");
    // What cannot be judged quotes the engine's own words.
    let refused = folder(root.path(), "sqlite", [&questions[1], &questions[1]], HOSTILE);
    for command in ["replay", "reduce"] {
        assert_plain(command, &text(&qualm(&[command, refused.to_str().unwrap()])));
    }
    // The script is for the engine's shell and stays as it is.
    let script = fs::read_to_string(refused.join("repro.sql")).unwrap();
    assert!(script.contains(&questions[1]), "{script}");
}

/// An engine that says something of the kind wherever it can.
#[test]
fn a_program_that_is_an_engine_cannot_speak_to_the_terminal() {
    let root = tempfile::tempdir().unwrap();
    let program = root.path().join("adapter.py");
    let source = r#"
import json, sys
H = "x\u001b]0;owned\u0007\u009b2J\u202ey"
for line in sys.stdin:
    r = json.loads(line)
    if r["do"] == "hello":
        if sys.argv[1] == "rude": sys.stderr.write(H + "\n"); sys.exit(7)
        print(json.dumps({"protocol": 1, "name": "n" + H, "version": H, "language": "sql", "dialect": "sqlite"}))
    elif r["do"] == "open": print(json.dumps({"done": True}))
    else: print(json.dumps({"error": H, "class": "internal"}))
    sys.stdout.flush()
"#;
    fs::write(&program, source).unwrap();
    for manner in ["polite", "rude"] {
        let engine = format!("exec:python3 {} {manner}", program.display());
        let out = root.path().join(manner);
        for args in [
            ["hunt", &engine, "--checks", "1", "--workers", "1", "--out", out.to_str().unwrap()].as_slice(),
            &["knobs", &engine],
        ] {
            let said = qualm(args);
            assert_plain(&args.join(" "), &text(&said));
            assert!(text(&said).contains("owned"), "{}", text(&said));
        }
    }
}

#[test]
fn a_link_in_a_folder_is_not_followed() {
    let root = tempfile::tempdir().unwrap();
    let private = root.path().join("private");
    fs::write(&private, format!("{{\"engine\": \"{PRIVATE}\"}}\n{PRIVATE}\n")).unwrap();
    let names = ["repro.sql", "report.md", "duplicates.jsonl", "evidence.json", "meta.json", "case.json"];
    for name in names {
        let root = tempfile::tempdir().unwrap();
        let folder = super_plain(root.path());
        fs::create_dir_all(root.path().join("findings").join(".git")).unwrap();
        let _ = fs::remove_file(folder.join(name));
        symlink(&private, folder.join(name)).unwrap();
        // Without its evidence a finding is shown by its report.
        if name == "report.md" {
            fs::remove_file(folder.join("evidence.json")).unwrap();
        }
        let place = folder.to_str().unwrap();
        for args in [
            ["report", place, "--out", "-"].as_slice(),
            &["report", root.path().to_str().unwrap(), "--out", "-"],
            &["export", place, "--as", "suite"],
            &["replay", place],
            &["reduce", place, "--seconds", "1"],
            &["ci", "sqlite", "--no-hunt", "--findings", place],
        ] {
            let said = text(&qualm(args));
            assert!(!said.contains(PRIVATE), "{name}: {}: {said}", args.join(" "));
        }
        // A reduced finding takes its list of duplicates along, as a copy that may be published.
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let is_link = entry.file_type().unwrap().is_symlink();
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            assert!(is_link || !text.contains(PRIVATE), "{name}: {:?}", entry.path());
        }
        assert!(fs::read_to_string(&private).unwrap().ends_with(&format!("{PRIVATE}\n")), "{name} was written through");
    }
}

#[test]
fn a_file_that_never_ends_or_is_too_deep_is_refused() {
    let root = tempfile::tempdir().unwrap();
    for name in ["case.json", "meta.json", "evidence.json", "repro.sql"] {
        for kind in ["pipe", "large", "deep", "folder"] {
            let folder = super_plain(root.path());
            let file = folder.join(name);
            fs::remove_file(&file).unwrap();
            match kind {
                "pipe" => assert!(Command::new("mkfifo").arg(&file).status().unwrap().success()),
                "large" => fs::File::create(&file).unwrap().set_len(1 << 40).unwrap(),
                "deep" => fs::write(&file, "[".repeat(1_000_000)).unwrap(),
                _ => fs::create_dir(&file).unwrap(),
            }
            for args in [["replay"].as_slice(), &["report", "--out", "-"], &["export", "--as", "suite"]] {
                let said = qualm(&[args, &[folder.to_str().unwrap()]].concat());
                let code = said.status.code();
                assert!(matches!(code, Some(0..=2)), "{name} {kind} {args:?}: {code:?} {}", text(&said));
                assert!(said.stderr.len() < 4000, "{name} {kind} {args:?}: {}", text(&said));
            }
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}

/// The statements of a case are somebody else's as well. With engines that are in process a file is written by them,
/// not by a server.
#[test]
fn the_statements_of_a_folder_write_no_file() {
    let root = tempfile::tempdir().unwrap();
    let target = root.path().join("target.db");
    let name = target.display();
    for first in [
        format!("ATTACH '{name}' AS x"),
        format!("/* */ATTACH '{name}' AS x"),
        format!("ATTACH '{name}' AS x -- ':memory:'"),
        format!("--\nVACUUM INTO '{name}'"),
        format!("/**/ VACUUM INTO ('{}' || '.db')", root.path().join("target").display()),
    ] {
        let folder = folder(root.path(), "sqlite", ["SELECT 1", "SELECT 2"], "title");
        let path = folder.join("case.json");
        let mut case: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let steps = [serde_json::json!({ "text": first }), serde_json::json!({ "text": "CREATE TABLE x.t(a)" })];
        for (i, step) in steps.into_iter().enumerate() {
            case["script"].as_array_mut().unwrap().insert(i, step);
        }
        fs::write(&path, case.to_string()).unwrap();
        for command in ["replay", "reduce"] {
            let said = qualm(&[command, folder.to_str().unwrap()]);
            assert!(matches!(said.status.code(), Some(0..=2)), "{}", text(&said));
            assert!(!target.exists(), "{command} wrote a file: {first}");
        }
    }
}
