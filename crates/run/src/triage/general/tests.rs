use super::*;
use crate::store;
use crate::testing::{Place, place, survives};
use crate::triage::{Counts, Suspect};
use qualm_core::case::Origin;
use qualm_lang::datalog::parse;
use qualm_lang::datalog::source::DatalogSource;
use qualm_lang::graph::source::GraphSource;
use qualm_lang::oracle;
use qualm_lang::oracle::survives::NAME as SURVIVES;
use std::path::PathBuf;

fn work(triage: &mut Triage, cases: Vec<Case>) -> Counts {
    for case in cases {
        assert!(triage.queue.push(Suspect::new(vec![case], vec![]), true).is_ok());
    }
    triage.queue.close(None);
    triage.work().unwrap_or_else(|fault| panic!("{fault}"));
    triage.queue.counts()
}

fn reports(place: &Place) -> Vec<(String, String)> {
    let folders: Vec<PathBuf> = place.store.finding_folders();
    let read = |folder: &PathBuf| {
        let meta = store::read_meta(folder).expect("a finding has one");
        (meta.title, std::fs::read_to_string(folder.join("report.md")).expect("and a report"))
    };
    folders.iter().map(read).collect()
}

/// Of three functions with one bug, and another bug.
#[test]
fn crashes_that_differ_in_a_function_are_one_finding_and_another_crash_is_not() {
    let place = place();
    let mut triage = place.triage("canary:two-crashes");
    let table = ["CREATE TABLE t0(c0)", "INSERT INTO t0 VALUES (1)"];
    let case = |last: &str| survives(&[&table[..], &[last]].concat());
    let cases = [
        case("SELECT instr(t0.c0, 1) FROM t0"),
        case("SELECT nullif(t0.c0, 'a') FROM t0 WHERE t0.c0 > 0"),
        case("SELECT t0.c0 FROM t0 EXCEPT SELECT 2 FROM t0"),
        case("SELECT t0.c0, ifnull(NULL, 2) FROM t0 ORDER BY t0.c0"),
    ];
    let counts = work(&mut triage, cases.into());
    assert_eq!((counts.findings, counts.duplicates), (2, 2), "{:?}", reports(&place));
    let reports = reports(&place);
    assert_eq!(reports[0].0, "Crash: EXCEPT");
    assert_eq!(reports[1].0, "Crash: function call");
    let said = "The function of as many arguments `instr()` may also be `ifnull()` or `nullif()`, but not ";
    assert!(reports[1].1.contains(said), "{}", reports[1].1);
    assert!(reports[0].1.contains("The set operator has to be `EXCEPT`: not "), "{}", reports[0].1);
    assert_eq!(crate::report::foreign_words(&reports[1].1), [""; 0]);
}

/// An engine that returns nothing, and an internal error for a statement that matches.
const ADAPTER: &str = r#"
import json, re, sys
hello = json.loads(sys.argv[1])
fails = re.compile(sys.argv[2])
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "close":
        break
    text = request.get("text", "")
    reply = {"done": True}
    if request["do"] == "hello":
        reply = hello
    elif request["do"] == "plan":
        reply = {}
    elif fails.search(text):
        reply = {"error": "assertion failed", "class": "internal"}
    elif request["do"] == "run":
        reply = {"rows": [[1]]} if text == "self-test" else {"rows": [], "columns": 1}
    print(json.dumps(reply), flush=True)
"#;

fn engine(place: &Place, hello: &str, fails: &str) -> String {
    let file = place.out().join("adapter.py");
    std::fs::write(&file, ADAPTER).expect("a file in the folder of the hunt");
    format!("exec:python3 {} '{hello}' '{fails}'", file.display())
}

#[test]
fn programs_that_differ_in_a_functor_are_one_finding_and_another_error_is_not() {
    let place = place();
    let hello = r#"{"protocol": 1, "name": "fragile", "version": "1", "language": "datalog", "dialect": {"base":
        "souffle", "name": "fragile", "self_test": {"program": "self-test", "answer": [[1]]}}}"#;
    let engine = engine(&place, &hello.replace('\n', " "), r"min\(|max\(|!e");
    let mut triage = place.triage(&engine);
    let case = |rule: &str| {
        let text = format!(".decl e(x:number)\n.decl p(x:number)\n.output p\ne(1).\ne(2).\n{rule}\n");
        let program = parse::program(&text).program;
        let source = DatalogSource::new(SURVIVES, &qualm_core::dialect::datalog::SOUFFLE, &program);
        oracle::datalog::case(&source, Origin::default()).expect("a program that makes sense")
    };
    let cases = ["p(min(x, 1)) :- e(x).", "p(max(x, 2)) :- e(x).", "p(x) :- e(x), !e(2)."].map(case);
    let counts = work(&mut triage, cases.into());
    assert_eq!((counts.findings, counts.duplicates), (2, 1), "{:?}", reports(&place));
    let reports = reports(&place);
    let said = reports.iter().any(|(_, report)| report.contains("`min` may also be `max`, but not "));
    assert!(said, "{reports:?}");
}

#[test]
fn queries_that_differ_in_a_function_are_one_finding_and_another_error_is_not() {
    let place = place();
    let hello = r#"{"protocol": 1, "name": "fragile", "version": "1", "language": "graph", "dialect": {"base":
        "opencypher", "name": "fragile", "functions": [["toLower", [{"of": "text"}], "text"],
        ["toUpper", [{"of": "text"}], "text"], ["trim", [{"of": "text"}], "text"]],
        "self_test": {"statements": [], "question": "self-test", "answer": [[1]]}}}"#;
    let engine = engine(&place, &hello.replace('\n', " "), r"WHERE .*(toUpper|trim)\(|XOR");
    let mut triage = place.triage(&engine);
    let dialect = triage.spoken.graph().expect("an engine of graphs");
    let case = |predicate: serde_json::Value| {
        let node = serde_json::json!({"start": {"var": "n0"}, "steps": []});
        let source: GraphSource = serde_json::from_value(serde_json::json!({
            "oracle": "partition",
            "dialect": "fragile",
            "model": {"labels": [], "types": [], "properties": [{"name": "s", "kinds": ["text"]}]},
            "state": [],
            "question": {
                "query": {"clauses": [{"match": {"paths": [node]}}], "items": [{"var": "n0"}]},
                "predicate": predicate,
                "form": "rows",
            },
            "alone": {"question": 1},
        }))
        .expect("a tree of graphs");
        oracle::graph::case(&source, dialect, Origin::default()).expect("a query that makes sense")
    };
    let equal = |function: &str| {
        let call = serde_json::json!({"call": [function, [{"property": ["n0", "s"]}]]});
        serde_json::json!({"compare": ["equal", call, {"literal": {"text": "a"}}]})
    };
    let xor = serde_json::json!({"xor": [{"is_null": {"property": ["n0", "s"]}}, {"literal": {"bool": true}}]});
    let counts = work(&mut triage, vec![case(equal("toUpper")), case(equal("trim")), case(xor)]);
    assert_eq!((counts.findings, counts.duplicates), (2, 1), "{:?}", reports(&place));
    let reports = reports(&place);
    let said =
        reports.iter().any(|(_, report)| report.contains("`toUpper()` may also be `trim()`, but not `toLower()`"));
    assert!(said, "{reports:?}");
}

/// Once the time is over nothing is run, and the finding is what it was.
#[test]
fn nothing_is_tried_when_the_time_is_over() {
    let place = place();
    let mut triage = place.triage("canary:two-crashes");
    let case = survives(&["SELECT instr(1, 1)"]);
    let case = lang::survival::with_tree(case, triage.spoken);
    let evidence = triage.isolated.run(&case);
    let mut finding = crate::testing::finding_of(case, evidence);
    let before = finding.fingerprint.id.clone();
    generalise(&mut triage.isolated, triage.spoken, &mut finding, &|| true);
    let general = finding.general.expect("a case with a tree");
    assert!(general.runs == 0 && general.places.is_empty() && !general.complete);
    assert_eq!(finding.fingerprint.id, before);
}
