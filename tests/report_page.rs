//! The page of `qualm report` and `qualm serve` in a real browser: headless Chromium, driven by tests/browser/page.mjs,
//! both fetched by './x browser VERSION'. Screenshots are left in target/screenshots.

use qualm::case::{CASE_FORMAT, Case, Evidence, Language, Origin, Step};
use qualm::fingerprint;
use qualm::plan::{Plan, PlanNode};
use qualm::relation::{Combine, Equality, FailureKind, Guard, Order, Relation, Verdict};
use qualm::report::{self, Finding};
use qualm::session::Outcome;
use qualm::value::{Rows, Value};
use serde_json::{Value as Json, json};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const QUALM: &str = env!("CARGO_BIN_EXE_qualm");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SCRIPT: &str = "<script>globalThis.ran = true; alert(1)</script><img src=x onerror=alert(2)>";

/// The browser's folder; the version is the one in tests/browser/package.json.
fn browser() -> PathBuf {
    let package = fs::read(Path::new(ROOT).join("tests/browser/package.json")).unwrap();
    let package: Json = serde_json::from_slice(&package).unwrap();
    let version = package["dependencies"]["playwright-core"].as_str().unwrap();
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = var("QUALM_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("qualm")))
        .or_else(|| Some(var("HOME")?.join(".cache/qualm")))
        .expect("a cache folder");
    let folder = cache.join("browser").join(version);
    assert!(folder.join("chromium").exists(), "no browser in '{}'; run './x browser {version}'", folder.display());
    folder
}

/// Runs the tasks in the browser and gives what it saw.
fn look(mut task: Json) -> Json {
    let folder = tempfile::tempdir().unwrap();
    let screenshots = Path::new(ROOT).join("target/screenshots");
    fs::create_dir_all(&screenshots).unwrap();
    task["browser"] = json!(browser());
    task["screenshots"] = json!(screenshots);
    let file = folder.path().join("task.json");
    fs::write(&file, task.to_string()).unwrap();
    let script = Path::new(ROOT).join("tests/browser/page.mjs");
    let output = Command::new("node").arg(script).arg(&file).output().expect("node is installed");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}\n{}", String::from_utf8_lossy(&output.stdout));
    let seen: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(seen["errors"], json!([]), "the console is quiet");
    assert_eq!(seen["dialogs"], 0);
    seen
}

fn make_page(folders: &[&Path], file: &Path) -> String {
    let output = Command::new(QUALM).arg("report").args(folders).arg("--out").arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    format!("file://{}", file.display())
}

fn text_rows(texts: &[&str]) -> Outcome {
    Outcome::Rows(Rows::of(texts.iter().map(|t| vec![Value::Text((*t).to_string()), Value::Int(1)]).collect()))
}

/// A wrong result with `text` wherever an engine has a say.
fn wrong_result(number: u64, text: &str) -> Finding {
    let case = Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: ["eet", "tlp", "index"][number as usize % 3].into(),
        rules: vec!["or-false".into()],
        script: vec![
            Step::run("CREATE TABLE t0(c0 TEXT UNIQUE, c1 INT, c2 REAL)"),
            Step::run(format!("INSERT INTO t0 VALUES ('{text}', {number}, 1.5), ('b', 2, NULL), ('c', 3, 0.1)")),
            Step::run("CREATE INDEX i0 ON t0(c0 COLLATE NOCASE) WHERE c1 IS NOT NULL"),
            Step::query("original", "SELECT c0, 1 FROM t0 WHERE c0 = 'a|b' COLLATE NOCASE OR c0 = 'b'"),
            Step::query("rewritten", "SELECT c0, 1 FROM t0 WHERE (c0 = 'a|b' COLLATE NOCASE OR c0 = 'b') OR FALSE"),
        ],
        claim: Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact },
        source: None,
        origin: Origin { seed: 7, worker: 1, database: 3, check: number },
    };
    let answers = vec![text_rows(&["both", text]), text_rows(&["both", "other", "</td>"])];
    let evidence = Evidence { verdict: case.claim.judge(&answers), answers };
    let cures = vec!["or-optimization".to_string()];
    let mut print = fingerprint::of(&case, &evidence, &cures);
    print.id = format!("{number:016x}");
    print.title = format!("Wrong result: feature {number} of {} + {text}", number % 40);
    let mut finding = Finding::new("sqlite:3.28.0", &format!("sqlite 3.{}", number % 5), case, evidence, cures, print);
    let nodes = vec![PlanNode::new(0, "MULTI-INDEX OR"), PlanNode::new(1, format!("SEARCH {text}"))];
    finding.plans = vec![("original".into(), Plan { nodes: nodes.clone() }), ("rewritten".into(), Plan { nodes })];
    finding
}

fn crash(number: u64, text: &str) -> Finding {
    let mut finding = wrong_result(number, text);
    finding.case.claim = Relation::Survives;
    finding.evidence = Evidence {
        verdict: Verdict::Broke { kind: FailureKind::Crash, text: text.into() },
        answers: vec![Outcome::Crash(text.into())],
    };
    let mut print = fingerprint::of(&finding.case, &finding.evidence, &[]);
    (print.id, print.title) = (format!("{number:016x}"), format!("Crash: {text}"));
    finding.title = print.title.clone();
    finding.fingerprint = print;
    finding
}

fn store(folder: &Path, findings: impl Iterator<Item = Finding>) {
    for (i, finding) in findings.enumerate() {
        let at = folder.join("findings").join(format!("{i:04}"));
        fs::create_dir_all(&at).unwrap();
        report::write(&at, &finding).unwrap();
    }
}

/// A real hunt with findings, and its folder.
fn hunted(folder: &Path) -> PathBuf {
    let out = folder.join("hunt");
    let arguments = ["hunt", "canary:index-row", "--checks", "2000", "--workers", "1", "--seed", "1", "--out"];
    let output = Command::new(QUALM).args(arguments).arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

#[test]
fn a_hunt_and_the_trophies_look_good_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let hunt = hunted(folder.path());
    let file = folder.path().join("page.html");
    let address = make_page(&[&hunt, &Path::new(ROOT).join("trophies")], &file);
    let seen = look(json!({ "looks": address, "keyboard": make_page(&[&hunt], &folder.path().join("hunt.html")) }));
    assert_eq!(seen["violations"], json!([]));
    assert_eq!(seen["wider"], json!([]));
    let requests = seen["requests"].as_array().unwrap();
    let elsewhere =
        |r: &&Json| !r.as_str().unwrap().starts_with("file://") && !r.as_str().unwrap().starts_with("data:");
    assert_eq!(requests.iter().filter(elsewhere).count(), 0, "the page needs no network: {requests:?}");
    let keys = &seen["keyboard"];
    assert_eq!((&keys["inSearch"], &keys["onItem"]), (&json!("search"), &json!(true)));
    assert!(keys["title"].as_str().unwrap().starts_with("Wrong result"), "{keys}");
    assert_eq!(keys["title"], keys["titleByAddress"]);
    assert_eq!(keys["columns"].as_array().unwrap().len(), 2);
    let copied = keys["copied"].as_str().unwrap();
    assert!(copied.starts_with("qualm replay ") && copied.contains("/findings/"), "{copied}");
}

#[test]
fn what_an_engine_says_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), [wrong_result(1, SCRIPT), crash(2, SCRIPT)].into_iter());
    let file = folder.path().join("page.html");
    let address = make_page(&[folder.path()], &file);
    assert_eq!(fs::read_to_string(file).unwrap().matches("<script").count(), 2, "only the page's own");
    let seen = look(json!({ "nasty": address, "keyboard": address }));
    let nasty = &seen["nasty"];
    assert_eq!((&nasty["ran"], &nasty["scripts"], &nasty["images"]), (&json!(false), &json!(2), &json!(0)));
    // In the title, in statements, in answers, in plans, in the script and as the words of a crash.
    assert!(nasty["text"].as_str().unwrap().matches(SCRIPT).count() >= 8, "{nasty}");
    assert_eq!(nasty["titles"].as_str().unwrap().matches(SCRIPT).count(), 2);
}

/// What turns the direction of writing would have a reader see another statement than the one there is.
#[test]
fn what_cannot_be_seen_is_shown_as_an_escape() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "a\u{202e}b\u{9b}31mc\u{1b}]0;d\u{2066}e";
    store(folder.path(), [wrong_result(1, hostile), crash(2, hostile)].into_iter());
    let address = make_page(&[folder.path()], &folder.path().join("page.html"));
    let seen = look(json!({ "nasty": address }));
    let text = seen["nasty"]["text"].as_str().unwrap();
    let unseen = |c: char| matches!(c, '\u{202e}' | '\u{2066}' | '\u{9b}' | '\u{1b}');
    assert!(!text.contains(unseen), "{text:?}");
    assert!(text.matches("\\u{202e}b").count() >= 8, "{text}");
}

#[test]
fn both_sides_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path(), [wrong_result(1, "mine")].into_iter());
    let seen = look(json!({ "keyboard": make_page(&[folder.path()], &folder.path().join("page.html")) }));
    let keys = &seen["keyboard"];
    assert_eq!(keys["columns"], json!(["original", "rewritten"]));
    assert_eq!(keys["differing"], json!(["(", ") OR FALSE"]));
    let marked: Vec<&str> = keys["marked"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert_eq!(
        marked,
        [
            "extra:only here'mine'1",
            "missing:missing here'</td>'1",
            "missing:missing here'other'1",
            "extra:only here'other'1",
            "extra:only here'</td>'1",
            "missing:missing here'mine'1",
        ]
    );
}

/// A hunt that is over, by hand: when it began, its engine's release and what it found.
fn weekly(root: &Path, name: &str, at: u64, release: &str, findings: Vec<Finding>) {
    let folder = root.join(name);
    fs::create_dir_all(&folder).unwrap();
    let build = format!("build of {release}");
    let began =
        json!({ "format": 1, "engine": "sqlite", "build": build, "oracles": [], "seed": 1, "workers": 1, "at": at });
    let point = json!({ "seconds": 600.0, "stage": "hunt", "checks": 1200, "vacuous": 120, "statements": 5000,
        "rejected": 50, "plans": 70, "databases": 9, "findings": 1, "duplicates": 0, "waiting": 0, "per_oracle": {} });
    fs::write(folder.join("progress.jsonl"), format!("{began}\n{point}\n")).unwrap();
    let summary = json!({ "engine": "sqlite", "engine_version": format!("sqlite {release}"), "seconds": 600.0,
        "checks": 1200, "statements": 5000, "vacuous_share": 0.1, "rejected_share": 0.01, "distinct_plans": 70 });
    fs::write(folder.join("campaign.json"), summary.to_string()).unwrap();
    let of_release = |mut f: Finding| {
        f.version = format!("sqlite {release}");
        f
    };
    store(&folder, findings.into_iter().map(of_release));
}

#[test]
fn hunts_of_weeks_are_one_list_with_trends() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("out");
    let day = 86_400;
    weekly(&root, "0001", 1_700_000_000, "3.1", vec![wrong_result(1, SCRIPT), wrong_result(2, "b"), crash(3, "c")]);
    weekly(&root, "0002", 1_700_000_000 + 7 * day, "3.10", vec![wrong_result(1, SCRIPT)]);
    let gone = json!({ "fingerprint": format!("{:016x}", 2), "version": "sqlite 3.10", "gone": true });
    let fixed = json!({ "fingerprint": format!("{:016x}", 3), "version": "sqlite 3.10", "gone": true });
    fs::write(root.join("0002/replayed.jsonl"), format!("{gone}\n{fixed}\n")).unwrap();
    weekly(&root, "0003", 1_700_000_000 + 14 * day, "3.11", vec![wrong_result(2, "b"), wrong_result(4, "d")]);
    let address = make_page(&[&root], &folder.path().join("page.html"));
    assert!(root.join("history.db").is_file(), "the history is kept beside the hunts");
    let choices = json!([
        ["Status", "new"],
        ["Status", "regressed"],
        ["Status", "fixed"],
        ["Release", "sqlite 3.1"],
        ["Kind", "Crash"],
        ["Hunt", root.join("0003")],
        ["Oracle", "tlp"]
    ]);
    let seen = look(json!({ "weeks": address, "choices": choices, "looks": address }));
    assert_eq!((&seen["violations"], &seen["wider"]), (&json!([]), &json!([])));
    let weeks = &seen["weeks"];
    one_list(weeks, &root);
    links_bring_it_back(weeks);
    trends(weeks);
}

/// Engines are told apart, a run that replayed alone is no hunt, and a figure leads to what it counts.
#[test]
fn engines_and_replays_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("out");
    let of_duckdb = |mut f: Finding| {
        (f.engine, f.version) = ("duckdb".into(), "duckdb 1.0.0".into());
        f
    };
    weekly(&root, "0001", 1_700_000_000, "3.1", vec![wrong_result(1, "a"), crash(3, "c")]);
    weekly(&root, "0002", 1_700_000_100, "3.2", vec![wrong_result(1, "a")]);
    weekly(&root, "0003", 1_700_000_200, "3.2", vec![]);
    let duckdb = root.join("0003");
    let summary = fs::read_to_string(duckdb.join("campaign.json")).unwrap();
    fs::write(duckdb.join("campaign.json"), summary.replace("sqlite 3.2", "duckdb 1.0.0")).unwrap();
    store(&duckdb, [of_duckdb(wrong_result(7, "d"))].into_iter());
    // Replays alone: no points, no summary.
    let replays = root.join("0004");
    fs::create_dir(&replays).unwrap();
    let began =
        json!({ "format": 1, "engine": "sqlite:3.3", "oracles": [], "seed": 0, "workers": 0, "at": 1_700_000_300u64 });
    fs::write(replays.join("progress.jsonl"), format!("{began}\n")).unwrap();
    let gone = json!({ "fingerprint": format!("{:016x}", 1), "version": "sqlite 3.3", "gone": true });
    fs::write(replays.join("replayed.jsonl"), format!("{gone}\n")).unwrap();
    // One that was cut off: what it calls itself is not known, and only its points say what it did.
    weekly(&root, "0005", 1_700_000_250, "3.2", vec![]);
    fs::remove_file(root.join("0005/campaign.json")).unwrap();
    let seen = look(json!({ "apart": make_page(&[&root], &folder.path().join("page.html")) }));
    let apart = &seen["apart"];
    assert_eq!(apart["about"], "duckdb 1.0.0 · sqlite 3.1, 3.2, 3.3");
    assert_eq!(apart["fixed"], "1 of 3 findings");
    assert_eq!(apart["charts"][1], "Distinct bugs so far of 4 hunts: 3 in the last");
    assert_eq!(apart["charts"][3], "Checks per second of 4 hunts: sqlite 2 in the last");
    assert_eq!(apart["keys"], json!(["duckdb", "sqlite"]), "each line has a name");
    assert!(apart["gap"].as_f64().unwrap() > 4.0, "{}", apart["gap"]);
    assert_eq!(apart["days"], json!(["22:13Z", "22:15Z", "22:17Z"]), "hunts of one day");
    let replayed = apart["replayed"].as_str().unwrap();
    assert!(replayed.starts_with("Replayed") && replayed.contains("gonesqlite 3.3"), "{replayed}");
    assert!(!replayed.contains("seed") && !replayed.contains("workers"), "{replayed}");
    // What both run is there once, and one looks for the marked words in what is left.
    assert_eq!(apart["shared"].as_array().unwrap().len(), 3, "{}", apart["shared"]);
}

fn one_list(weeks: &Json, root: &Path) {
    assert_eq!(weeks["count"], "4 findings", "of the six in the folders");
    assert_eq!(weeks["labels"], json!(["Release", "Kind", "Oracle", "Status", "Hunt", "Sort"]));
    assert_eq!(weeks["about"], "sqlite 3.1, 3.10, 3.11");
    let totals: Vec<&str> = weeks["totals"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
    for total in ["findings4", "checks3,600", "checks per second2", "hunts3", "new1", "regressed1", "fixed1"] {
        assert!(totals.contains(&total), "{totals:?}");
    }
    let of = |n: usize| json!([format!("{n} of 4 findings"), format!("{n} of 4 findings")]);
    let filtered = &weeks["filtered"];
    for (value, n) in [("new", 1), ("regressed", 1), ("fixed", 1), ("sqlite 3.1", 3), ("Crash", 1), ("tlp", 2)] {
        assert_eq!(filtered[value], of(n), "{value}");
    }
    assert_eq!(filtered[root.join("0003").to_str().unwrap()], of(2));
    assert_eq!(weeks["cleared"], json!(["4 findings", ""]));
}

fn links_bring_it_back(weeks: &Json) {
    let sorted = &weeks["sorted"];
    assert_eq!(sorted[0], sorted[1], "the address has the order and the words");
    assert!(sorted[0][0].as_str().unwrap().starts_with("feature 4 of 4"), "{sorted}");
    let second = weeks["second"].as_str().unwrap();
    assert_eq!(weeks["opened"], json!([second, "3 of 4 findings", "Findings (4)"]));
    assert!(second.starts_with("Wrong result: feature 1 of 1"), "{second}");
    assert_eq!(
        weeks["history"],
        json!([
            "Seen 2 times in 2 hunts, first 2023-11-14T22:13:20Z, last 2023-11-21T22:13:20Z. The hunt of sqlite since \
                then did not find it."
        ])
    );
    assert_eq!(weeks["sightings"].as_array().unwrap().len(), 2);
}

fn trends(weeks: &Json) {
    assert_eq!(weeks["tab"], json!(["Trends", "Trends"]));
    assert_eq!(weeks["charts"].as_array().unwrap().len(), 6, "{}", weeks["charts"]);
    assert_eq!(weeks["charts"][0], "Bugs found of 3 hunts: found 2, new 1 in the last");
    assert_eq!(weeks["charts"][1], "Distinct bugs so far of 3 hunts: 4 in the last");
    assert_eq!(weeks["versions"][1], json!(["sqlite 3.10", "1", "1", "0", "1,200", "2", "70", "10 %", "1.0 %"]));
    assert_eq!(weeks["releases"], json!(["3.1", "3.10", "3.11"]));
    let life = |row: usize| weeks["lives"][row].as_array().unwrap()[1..].to_vec();
    let lives: Vec<Vec<Json>> = (0..4).map(life).collect();
    for expected in [["shows", "right", "shows"], ["shows", "right", "blank"], ["shows", "shows", "blank"]] {
        assert!(lives.contains(&expected.map(Json::from).to_vec()), "{lives:?}");
    }
    assert_eq!((&weeks["cut"], &weeks["ran"]), (&json!([]), &json!(false)));
    assert!(weeks["fromLife"].as_str().is_some_and(|t| !t.is_empty()));
}

/// One row too many in the parts is one mark, wherever it stands, and each part is compared with the whole.
#[test]
fn parts_share_their_marks() {
    let folder = tempfile::tempdir().unwrap();
    let mut finding = wrong_result(1, "x");
    let query = |label: &str, end: &str| Step::query(label, format!("SELECT c0, 1 FROM t0{end}"));
    finding.case.script.truncate(3);
    finding.case.script.extend([
        query("whole", ""),
        query("true", " WHERE c1"),
        query("false", " WHERE NOT c1"),
        query("unknown", " WHERE c1 IS NULL"),
    ]);
    finding.case.claim =
        Relation::Partition { whole: 0, parts: vec![1, 2, 3], combine: Combine::Bag, equality: Equality::Exact };
    let answers = vec![text_rows(&["a"]), text_rows(&["a"]), text_rows(&["a"]), text_rows(&["a"])];
    finding.evidence = Evidence { verdict: finding.case.claim.judge(&answers), answers };
    store(folder.path(), [finding].into_iter());
    let seen = look(json!({ "keyboard": make_page(&[folder.path()], &folder.path().join("page.html")) }));
    let keys = &seen["keyboard"];
    let marked: Vec<&str> = keys["marked"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    let count = |begin: &str| marked.iter().filter(|m| m.starts_with(begin)).count();
    assert_eq!((count("extra:only here"), count("missing:missing here")), (2, 2), "three rows for one: {marked:?}");
    assert_eq!(keys["differing"], json!([" WHERE c1", " WHERE NOT c1", " WHERE c1 IS NULL"]));
}

/// A query that a claim rests on is asked on one side only; the two that are compared stand beside each other.
#[test]
fn what_is_compared_stands_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut finding = wrong_result(1, "x");
    finding.case.script.truncate(3);
    finding.case.script.extend([
        Step::query("original", "SELECT c0 FROM t0"),
        Step::query("must be 0", "SELECT count(*) FROM t0 WHERE c1 IS NULL"),
        Step::query("rewritten", "SELECT c0 FROM t0 WHERE c1 IS NOT NULL"),
    ]);
    let claim = Relation::Same { left: 0, right: 2, order: Order::Bag, equality: Equality::Exact };
    finding.case.claim = Relation::Guarded { guards: vec![Guard::Zero { query: 1 }], claim: Box::new(claim) };
    let none = Outcome::Rows(Rows::of(vec![vec![Value::Int(0)]]));
    let answers = vec![text_rows(&["a"]), none, text_rows(&[])];
    finding.evidence = Evidence { verdict: finding.case.claim.judge(&answers), answers };
    store(folder.path(), [finding].into_iter());
    let seen = look(json!({ "keyboard": make_page(&[folder.path()], &folder.path().join("page.html")) }));
    let keys = &seen["keyboard"];
    let expected = json!([
        ["", "-- must be 0"],
        ["", "SELECT count(*) FROM t0 WHERE c1 IS NULL;"],
        ["", "-- rewritten"],
        ["SELECT c0 FROM t0;", "SELECT c0 FROM t0 WHERE c1 IS NOT NULL;"],
    ]);
    assert_eq!(keys["pairs"], expected);
    assert_eq!(keys["columns"], json!(["original", "rewritten"]));
}

/// How fast it is, is printed: 'cargo test --test report_page -- --nocapture'.
#[test]
fn five_hundred_findings_are_searched() {
    let folder = tempfile::tempdir().unwrap();
    let findings = (0..500).map(|n| if n % 10 == 0 { crash(n, "boom") } else { wrong_result(n, "some text") });
    store(folder.path(), findings);
    let address = make_page(&[folder.path()], &folder.path().join("page.html"));
    let words = ["feature", "\"feature 77 of\"", "or-optimization", "collate nocase index", "no such words", ""];
    let seen = look(json!({ "many": address, "words": words }));
    let many = &seen["many"];
    println!("500 findings: loaded in {} ms, filtered in {} ms", many["load_ms"], many["filter_ms"]);
    let all = "500 findings";
    let counts = ["450 of 500 findings", "1 of 500 findings", all, all, "0 of 500 findings", all];
    assert_eq!(many["counts"], json!(counts));
    assert_eq!((&many["before"], &many["after"]), (&json!(200), &json!(400)));
    assert_eq!(many["crashes"], "50 of 500 findings");
}

/// A year of hunts on one page. Each hunt has forty bugs of its own, and meets the first one of the hunt before it.
#[test]
fn two_thousand_findings_of_fifty_hunts_are_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("out");
    for hunt in 0..50u64 {
        let made =
            (hunt * 40..(hunt + 1) * 40).map(|n| if n % 10 == 0 { crash(n, "boom") } else { wrong_result(n, "text") });
        let again = (hunt > 0).then(|| crash((hunt - 1) * 40, "boom"));
        let release = format!("3.{hunt}");
        let at = 1_700_000_000 + hunt * 7 * 86_400;
        weekly(&root, &format!("{hunt:04}"), at, &release, again.into_iter().chain(made).collect());
    }
    let address = make_page(&[&root], &folder.path().join("page.html"));
    let seen = look(json!({ "many": address, "words": ["feature", "\"feature 1777 of\"", ""] }));
    let many = &seen["many"];
    // The figure of docs/history.md; how long it may take is not asserted, since machines differ.
    let cpu_ms = &many["load_cpu_ms"];
    println!("2000 findings: loaded in {} ms ({cpu_ms} of CPU), filtered in {} ms", many["load_ms"], many["filter_ms"]);
    assert_eq!(many["counts"], json!(["1,800 of 2,000 findings", "1 of 2,000 findings", "2,000 findings"]));
    assert_eq!(many["crashes"], "200 of 2,000 findings");
    assert_eq!(seen["violations"], json!([]));
}

/// A server of the program, and the address that it prints behind the prefix.
fn served(args: &[&str], prefix: &str) -> (Child, String) {
    let mut child = Command::new(QUALM)
        .args(args)
        .args(["--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out: Box<dyn Read + Send> = match prefix {
        "" => Box::new(child.stdout.take().unwrap()),
        _ => Box::new(child.stderr.take().unwrap()),
    };
    let mut lines = BufReader::new(out).lines().map(Result::unwrap);
    let address = lines.find_map(|l| l.strip_prefix(prefix).filter(|l| l.starts_with("http")).map(str::to_owned));
    // Whatever else it says is read, so that it can go on saying it.
    std::thread::spawn(move || lines.count());
    (child, address.expect("the address is printed"))
}

/// Waits until the browser has written the file.
fn wait_for(signal: &Path) {
    let began = std::time::Instant::now();
    while !signal.exists() {
        assert!(began.elapsed().as_secs() < 300, "the browser says nothing");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

fn interrupt(child: &Child) {
    // SAFETY: a plain call; the process is a child of this test that was not waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) }, 0);
}

#[test]
fn a_finding_appears_on_a_page_that_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let (out, signal) = (folder.path().join("out"), folder.path().join("signal"));
    fs::create_dir_all(out.join("findings")).unwrap();
    let (mut server, address) = served(&["serve", out.to_str().unwrap()], "");
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for(&signal);
            store(&out, [wrong_result(1, "late")].into_iter());
        });
        look(json!({ "appear": address, "signal": signal }))
    });
    interrupt(&server);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let appear = &seen["appear"];
    assert_eq!(appear["before"], "Nothing found yet. New findings will appear here.");
    assert_eq!((&appear["same"], &appear["title"]), (&json!(true), &json!("Wrong result: feature 1 of 1 + late")));
}

#[test]
fn a_hunt_is_watched_while_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (out, signal) = (folder.path().join("out"), folder.path().join("signal"));
    let arguments =
        ["hunt", "canary:index-row", "--seconds", "900", "--workers", "1", "--seed", "1", "--serve", "--out"];
    let (mut hunt, address) = served(&[&arguments[..], &[out.to_str().unwrap()]].concat(), "watch it at ");
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for(&signal);
            interrupt(&hunt);
        });
        look(json!({ "live": address, "signal": signal }))
    });
    assert_eq!(hunt.wait().unwrap().code(), Some(1));
    let live = &seen["live"];
    assert_eq!(live["same"], json!(true), "{live}");
    assert!(live["title"].as_str().unwrap().starts_with("Wrong result"), "{live}");
    assert!(live["count"].as_str().unwrap().contains("finding"), "{live}");
    assert_eq!(live["charts"].as_array().unwrap().len(), 4, "{live}");
}
