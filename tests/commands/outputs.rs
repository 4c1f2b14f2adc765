//! What people and other programs get: the demo, pages and files, exports, `qualm ci`, campaigns from a file.

use crate::support::program::{example, outcome_in as outcome_of};
use qualm::engine;
use qualm::session::{Outcome, Session};
use qualm::value::{Rows, Value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A hunt in an engine that lies, with more arguments.
fn canary_hunt(folder: &Path, lie: &str, oracle: &str, more: &[&str]) {
    let engine = format!("canary:{lie}");
    let args =
        ["hunt", &engine, "--oracle", oracle, "--checks", "200", "--workers", "1", "--seed", "1", "--out", "out"];
    let (code, _, stderr) = outcome_of(folder, &[&args, more].concat());
    assert_eq!(code, 1, "{stderr}");
}

fn findings(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder.join("out/findings")).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    assert!(!all.is_empty());
    all
}

#[test]
fn the_demo_ends_with_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = outcome_of(folder.path(), &["demo"]);
    assert_eq!(code, 0, "{stderr}");
    let page = stdout.lines().find_map(|l| l.strip_prefix("Open it in a browser: ")).expect("the page is named");
    let page = fs::read_to_string(folder.path().join(page)).unwrap();
    assert!(page.contains("\"wrong_result\"") && page.contains("\"crash\""));
    let replay =
        stdout.lines().find_map(|l| l.strip_prefix("Replay it:             qualm ")).expect("how to run it again");
    assert_eq!(outcome_of(folder.path(), &replay.split(' ').collect::<Vec<_>>()).0, 1);
}

#[test]
fn all_trophies_are_on_their_page() {
    let folder = tempfile::tempdir().unwrap();
    let trophies = format!("{ROOT}/trophies");
    let (code, stdout, stderr) =
        outcome_of(folder.path(), &["report", &trophies, "--out", "page.html", "--sarif", "s.json"]);
    let there = fs::read_dir(&trophies).unwrap().filter(|e| e.as_ref().unwrap().path().is_dir()).count();
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(stdout, format!("{there} findings in page.html\n"));
    let sarif: Json = serde_json::from_slice(&fs::read(folder.path().join("s.json")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), there);
}

#[test]
fn a_folder_without_findings_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (args, says) in [
        (&["report", "nowhere"][..], "'nowhere' is not a folder"),
        (&["report", "."], "contains neither a campaign nor a finding"),
        (&["serve", "nowhere"], "'nowhere' is not a folder"),
        (&["export", "nowhere", "--as", "slt"], "cannot read 'nowhere'"),
        (&["hunt", "sqlite", "--listen", "0.0.0.0:1"], "--listen and --token need --serve"),
        (&["hunt", "--campaign", "nowhere.toml"], "cannot read campaign 'nowhere.toml'"),
        // Before anything was hunted, not after an hour.
        (&["hunt", "sqlite", "--junit", "no/such/j.xml"], "cannot write 'no/such/j.xml': 'no/such' is not a folder\n"),
        (&["ci", "sqlite", "--html", "no/p.html"], "cannot write 'no/p.html': 'no' is not a folder\n"),
    ] {
        let (code, _, stderr) = outcome_of(folder.path(), args);
        assert!(code == 2 && stderr.contains(says), "{args:?}: {code} {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no folder was made");
}

// ---------------------------------------------------------------- files for other programs

/// Elements are closed in the order in which they were opened, and attributes are in quotes.
fn is_well_formed(xml: &str) -> bool {
    let mut open = Vec::new();
    for part in xml.split('<').skip(1) {
        let Some((tag, text)) = part.split_once('>') else { return false };
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('?') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        let references = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"];
        let stray = references.iter().fold(text.to_owned(), |text, reference| text.replace(reference, ""));
        if tag.matches('"').count() % 2 != 0 || stray.contains('&') {
            return false;
        }
    }
    open.is_empty()
}

#[test]
fn a_hunt_writes_what_build_servers_read() {
    let folder = tempfile::tempdir().unwrap();
    canary_hunt(folder.path(), "index-row", "mutasql", &["--junit", "j.xml", "--sarif", "s.json", "--html", "p.html"]);
    let found = findings(folder.path());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let junit = read("j.xml");
    assert!(is_well_formed(&junit), "{junit}");
    assert_eq!(junit.matches("<failure ").count(), found.len());
    assert_eq!(junit.matches("<testcase ").count(), found.len() + 1, "one more for the hunt itself");
    assert!(read("p.html").starts_with("<!doctype html>"));
    let sarif: Json = serde_json::from_str(&read("s.json")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "qualm");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), found.len());
    for result in results {
        // Required by the standard: a message; by code scanning: a rule, a place and a fingerprint.
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        let place = &result["locations"][0]["physicalLocation"];
        assert!(folder.path().join(place["artifactLocation"]["uri"].as_str().unwrap()).is_file(), "{place}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert_eq!(result["partialFingerprints"]["qualm/v1"].as_str().unwrap().len(), 16);
    }
}

#[test]
fn progress_and_rules_are_written() {
    let folder = tempfile::tempdir().unwrap();
    canary_hunt(folder.path(), "index-row", "mutasql", &[]);
    let read = qualm::series::read(&folder.path().join("out"));
    assert_eq!(read.began.unwrap().engine, "canary:index-row");
    let last = read.points.last().expect("the last point is always written");
    let summary: Json = serde_json::from_slice(&fs::read(folder.path().join("out/campaign.json")).unwrap()).unwrap();
    assert_eq!(json!(last.checks), summary["checks"]);
    assert_eq!(json!(last.findings), summary["findings"]);
    let rules = summary["per_rule"].as_object().unwrap();
    assert!(rules.values().any(|r| r["violations"].as_u64().unwrap() > 0), "{rules:?}");
    assert!(rules.values().all(|r| r["checks"].as_u64() >= r["violations"].as_u64()), "{rules:?}");
}

// ---------------------------------------------------------------- exports

/// Runs a sqllogictest file as its runners do; gives the first record that fails.
fn run_slt(text: &str, session: &mut dyn Session) -> Result<usize, String> {
    let mut labels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut records = 0;
    for record in text.split("\n\n").map(|r| r.trim_matches('\n')) {
        let lines: Vec<&str> = record.lines().filter(|l| !l.starts_with('#')).collect();
        let Some(first) = lines.first() else { continue };
        records += 1;
        let words: Vec<&str> = first.split(' ').collect();
        let end = lines.iter().position(|l| *l == "----").unwrap_or(lines.len());
        let outcome = session.run(&lines[1..end].join("\n"));
        let right = match (words[0], words[1]) {
            ("statement", "ok") => outcome.is_ok(),
            ("statement", "error") => !outcome.is_ok(),
            ("query", types) => {
                let Outcome::Rows(rows) = &outcome else { return Err(format!("{record}: {outcome:?}")) };
                let came = values(rows, types, words[2] == "rowsort");
                let same = words.get(3).is_none_or(|l| *labels.entry((*l).to_owned()).or_insert(came.clone()) == came);
                same && (end == lines.len() || came == lines[end + 1..])
            }
            _ => return Err(format!("unknown record: {record}")),
        };
        if !right {
            return Err(format!("{record}\nactual: {outcome:?}"));
        }
    }
    Ok(records)
}

fn values(rows: &Rows, types: &str, sorted: bool) -> Vec<String> {
    let cell = |(v, kind): (&Value, char)| match (v, kind) {
        (Value::Null, _) => "NULL".to_owned(),
        (Value::Int(i), 'R') => format!("{:.3}", *i as f64),
        (Value::Real(r), 'R') => format!("{r:.3}"),
        (Value::Text(t), _) if t.is_empty() => "(empty)".to_owned(),
        (Value::Text(t), _) => t.chars().map(|c| if (' '..='~').contains(&c) { c } else { '@' }).collect(),
        (other, _) => other.show(),
    };
    let mut all: Vec<Vec<String>> = rows.iter().map(|r| r.iter().zip(types.chars()).map(cell).collect()).collect();
    if sorted {
        all.sort();
    }
    all.concat()
}

#[test]
fn an_exported_test_passes_where_the_engine_is_right_and_fails_where_it_lies() {
    let folder = tempfile::tempdir().unwrap();
    canary_hunt(folder.path(), "index-row", "mutasql", &[]);
    let mut labelled = 0;
    for finding in findings(folder.path()) {
        let finding = finding.to_str().unwrap();
        for right in [&["--right", "sqlite"][..], &[]] {
            let (code, text, stderr) =
                outcome_of(folder.path(), &[&["export", finding, "--as", "slt"], right].concat());
            assert_eq!(code, 0, "{stderr}");
            labelled += usize::from(right.is_empty());
            let run = |engine: &str| run_slt(&text, engine::connect(engine).unwrap().open().unwrap().as_mut());
            assert!(run("sqlite").unwrap() >= 3, "{text}");
            assert!(run("canary:index-row").is_err(), "{text}");
        }
    }
    assert!(labelled > 0);
}

#[test]
fn exports_say_when_they_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let example = example();
    for (args, says) in [
        (&["--as", "slt"][..], "give --right ENGINE"),
        (&["--as", "suite"], "give --right ENGINE"),
        (&["--as", "slt", "--right", "sqlite:3.28.0"], "'sqlite:3.28.0' has the bug too"),
    ] {
        let (code, _, stderr) = outcome_of(folder.path(), &[&["export", &example], args].concat());
        assert!(code == 2 && stderr.contains(says), "{args:?}: {stderr}");
    }
    let (code, text, _) = outcome_of(folder.path(), &["export", &example, "--as", "suite", "--right", "sqlite"]);
    assert_eq!(code, 0);
    assert!(text.contains("do_execsql_test 1.1 {") && text.contains("finish_test"), "{text}");
    assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
}

// ---------------------------------------------------------------- ci

#[test]
fn ci_reports_by_its_exit_code_what_became_of_known_findings() {
    let folder = tempfile::tempdir().unwrap();
    let example = example();
    let ci = |engine: &str, more: &[&str]| {
        outcome_of(folder.path(), &[&["ci", engine, "--findings", &example, "--no-hunt"], more].concat())
    };
    let (code, _, stderr) = ci("sqlite", &["--junit", "gone.xml"]);
    assert!(code == 0 && stderr.contains("ci: 1 gone; exit code 0"), "{stderr}");
    let (code, _, stderr) = ci("sqlite:3.28.0", &["--junit", "there.xml"]);
    assert!(code == 1 && stderr.contains("1 STILL THERE"), "{stderr}");
    fs::write(folder.path().join("known"), "{\"fingerprint\": \"6611ffc9\", \"reason\": \"fixed in 3.29\"}\n").unwrap();
    let (code, _, stderr) = ci("sqlite:3.28.0", &["--known", "known", "--junit", "known.xml"]);
    assert!(code == 0 && stderr.contains("known") && stderr.contains("fixed in 3.29"), "{stderr}");
    let (code, _, stderr) = ci("canary:index-row", &[]);
    assert!(code == 2 && stderr.contains("no finding is for 'canary:index-row'"), "{stderr}");
    let junit = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for (name, failures, skipped) in [("gone.xml", 0, 0), ("there.xml", 1, 0), ("known.xml", 0, 1)] {
        let text = junit(name);
        assert!(is_well_formed(&text) && text.contains("tests=\"1\""), "{text}");
        assert_eq!(
            (text.matches("<failure ").count(), text.matches("<skipped ").count()),
            (failures, skipped),
            "{text}"
        );
    }
}

#[test]
fn ci_says_when_a_finding_cannot_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("findings/a");
    fs::create_dir_all(&copy).unwrap();
    fs::copy(format!("{}/meta.json", example()), copy.join("meta.json")).unwrap();
    let mut case: Json = serde_json::from_slice(&fs::read(format!("{}/case.json", example())).unwrap()).unwrap();
    case["script"][0]["text"] = json!("CREATE TABLE t0(c0) WITH LOVE");
    fs::write(copy.join("case.json"), case.to_string()).unwrap();
    let (code, _, stderr) = outcome_of(folder.path(), &["ci", "sqlite", "--findings", ".", "--no-hunt"]);
    assert!(code == 2 && stderr.contains("1 cannot be judged"), "{stderr}");
}

#[test]
fn ci_hunts_for_new_findings_and_does_not_report_old_ones_twice() {
    let folder = tempfile::tempdir().unwrap();
    canary_hunt(folder.path(), "not-null", "tlp", &[]);
    let hunt =
        ["ci", "canary:not-null", "--oracle", "tlp", "--checks", "200", "--workers", "1", "--seed", "1", "--json"];
    let run = |more: &[&str]| {
        let (code, stdout, stderr) = outcome_of(folder.path(), &[&hunt, more].concat());
        let line: Json = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}{stderr}"));
        assert_eq!(line["exit"], code);
        (code, line)
    };
    let (code, line) = run(&["--out", "first"]);
    assert_eq!((code, &line["replayed"]), (1, &json!([])));
    assert!(line["hunt"]["findings"].as_u64().unwrap() > 0);
    let (code, line) = run(&["--out", "second", "--findings", "out"]);
    assert_eq!((code, &line["hunt"]["findings"]), (1, &json!(0)), "{line}");
    assert!(line["replayed"].as_array().unwrap().iter().all(|r| r["result"] == "still_there"), "{line}");
}

// ---------------------------------------------------------------- campaigns from a file

#[test]
fn a_campaign_comes_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = "engine = \"canary:not-null\"\noracle = [\"tlp\"]\nchecks = 100\nworkers = 1\nseed = 1\njson = true\n";
    fs::write(folder.path().join("campaign.toml"), file).unwrap();
    let (code, stdout, stderr) = outcome_of(folder.path(), &["hunt", "--campaign", "campaign.toml", "--seed", "2"]);
    assert_eq!(code, 1, "{stderr}");
    let line: Json = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&line["seed"], &line["oracles"], &line["checks"]), (&json!(2), &json!(["tlp"]), &json!(100)));
}

/// With `UPDATE_README=1` it is written anew.
#[test]
fn the_example_of_a_campaign_is_the_reference() {
    let file = Path::new(ROOT).join("examples/campaign.toml");
    let (code, made, _) = outcome_of(Path::new(ROOT), &["campaign"]);
    assert_eq!(code, 0);
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(&file, &made).unwrap();
    }
    assert_eq!(
        fs::read_to_string(file).unwrap_or_default(),
        made,
        "stale; run UPDATE_README=1 cargo test --test commands outputs"
    );
}

/// Every line of the workflow that calls the program is one that the program takes.
#[test]
fn the_workflow_calls_what_there_is() {
    use clap::Parser;
    let text = fs::read_to_string(Path::new(ROOT).join("examples/github-actions.yml")).unwrap();
    let joined = text.replace("\\\n", " ");
    let lines: Vec<&str> = joined.lines().map(str::trim).filter(|l| l.starts_with("qualm ")).collect();
    assert!(lines.len() >= 2, "{text}");
    for line in lines {
        let words = line.split_whitespace().map(|w| w.trim_matches('"'));
        assert!(qualm::cli::Cli::try_parse_from(words).is_ok(), "{line}");
    }
}
