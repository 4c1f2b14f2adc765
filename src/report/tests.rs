use super::*;
use crate::case::{CASE_FORMAT, Step};
use crate::fingerprint;
use crate::plan::PlanNode;
use crate::relation::{Equality, Order, Relation, Trouble, Verdict};
use crate::session::Outcome;
use crate::value::{Rows, Value};

fn wrong_result() -> Finding {
    let rows = |texts: &[&str]| {
        Outcome::Rows(Rows::of(texts.iter().map(|t| vec![Value::Text(t.to_string()), Value::Int(1)]).collect()))
    };
    let case = Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: "eet".into(),
        rules: vec!["or-false".into()],
        script: vec![
            Step::run("CREATE TABLE t0(c0 TEXT UNIQUE)"),
            Step::run("INSERT INTO t0 VALUES ('A|B'), ('two\nlines')"),
            Step::ask("original", "SELECT c0, 1 FROM t0 WHERE c0 = 'a|b' COLLATE NOCASE OR c0 = 'b'"),
            Step::ask("rewritten", "SELECT c0, 1 FROM t0 WHERE (c0 = 'a|b' COLLATE NOCASE OR c0 = 'b') OR 0"),
        ],
        claim: Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact },
        source: None,
        origin: Origin { seed: 7, worker: 1, database: 3, check: 99 },
    };
    let answers = vec![rows(&["two\nlines"]), rows(&["A|B", "two\nlines"])];
    let evidence = Evidence { verdict: case.claim.judge(&answers), answers };
    let cures = vec!["or-optimization".to_string()];
    let print = fingerprint::of(&case, &evidence, &cures);
    let mut finding = Finding::new("sqlite:3.28.0", "sqlite 3.28.0", case, evidence, cures, print);
    let node = |depth, text: &str| PlanNode::new(depth, text);
    finding.plans = vec![("original".into(), Plan { nodes: vec![node(0, "MULTI-INDEX OR"), node(1, "SEARCH")] })];
    finding.reduction = Some(ReductionStats {
        attempts: 812,
        accepted: 40,
        statements_before: 31,
        statements_after: 4,
        complete: true,
    });
    finding
}

fn crash() -> Finding {
    let case = Case {
        format: CASE_FORMAT,
        language: Language::Graph,
        oracle: "survives".into(),
        rules: vec![],
        script: vec![Step::run("CREATE (:L)"), Step::ask("answer", "MATCH (n) UNWIND [1] AS x RETURN n")],
        claim: Relation::Survives,
        source: None,
        origin: Origin::default(),
    };
    let text = "killed by signal 11 (SIGSEGV)".to_string();
    let verdict = Verdict::Broke { kind: Trouble::Crash, text: text.clone() };
    let evidence = Evidence { verdict, answers: vec![Outcome::Crash(text)] };
    let print = fingerprint::of(&case, &evidence, &[]);
    Finding::new("graph", "graph 1.0", case, evidence, vec![], print)
}

#[test]
fn a_report_for_people() {
    insta::assert_snapshot!(markdown(&wrong_result()));
}

#[test]
fn a_script_for_the_shell() {
    insta::assert_snapshot!(script(&wrong_result()));
}

#[test]
fn data_for_tools() {
    insta::assert_snapshot!(meta(&wrong_result()).unwrap());
}

#[test]
fn a_crash_in_another_language() {
    insta::assert_snapshot!(format!("{}\n=====\n{}", markdown(&crash()), script(&crash())));
}

#[test]
fn the_folder_has_all_files_and_the_case_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let finding = wrong_result();
    write(folder.path(), &finding).unwrap();
    for name in ["report.md", "repro.sql", "meta.json", "evidence.json"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    let case: Case = serde_json::from_slice(&std::fs::read(folder.path().join("case.json")).unwrap()).unwrap();
    assert_eq!(case, finding.case);
}

#[test]
fn a_long_message_is_cut_and_says_so() {
    assert_eq!(message("no such\ntable"), "no such\\ntable");
    let long = message(&"ü".repeat(SHOWN_CHARS + 7));
    assert!(long.ends_with("ü … (7 characters more)"), "{long}");
}
