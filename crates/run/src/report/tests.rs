use super::*;
use crate::fingerprint;
use qualm_core::case::{CASE_FORMAT, Step};
use qualm_core::plan::PlanNode;
use qualm_core::relation::{Equality, FailureKind, Order, Relation, Verdict};
use qualm_core::session::Outcome;
use qualm_core::value::{Rows, Value};

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
            Step::query("original", "SELECT c0, 1 FROM t0 WHERE c0 = 'a|b' COLLATE NOCASE OR c0 = 'b'"),
            Step::query("rewritten", "SELECT c0, 1 FROM t0 WHERE (c0 = 'a|b' COLLATE NOCASE OR c0 = 'b') OR 0"),
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
        script: vec![Step::run("CREATE (:L)"), Step::query("answer", "MATCH (n) UNWIND [1] AS x RETURN n")],
        claim: Relation::Survives,
        source: None,
        origin: Origin::default(),
    };
    let text = "killed by signal 11 (SIGSEGV)".to_string();
    let verdict = Verdict::Broke { kind: FailureKind::Crash, text: text.clone() };
    let evidence = Evidence { verdict, answers: vec![Outcome::Crash(text)] };
    let print = fingerprint::of(&case, &evidence, &[]);
    Finding::new("graph", "graph 1.0", case, evidence, vec![], print)
}

fn case(language: Language, oracle: &str, script: Vec<Step>, claim: Relation) -> Case {
    let origin = Origin { seed: 7, worker: 1, database: 3, check: 99 };
    Case { format: CASE_FORMAT, language, oracle: oracle.into(), rules: vec![], script, claim, source: None, origin }
}

fn finding(engine: &str, version: &str, case: Case, evidence: Evidence, cures: &[&str]) -> Finding {
    let cures: Vec<String> = cures.iter().map(|c| c.to_string()).collect();
    let print = fingerprint::of(&case, &evidence, &cures);
    Finding::new(engine, version, case, evidence, cures, print)
}

fn judged(case: &Case, answers: Vec<Outcome>) -> Evidence {
    Evidence { verdict: case.claim.judge(&answers), answers }
}

fn broke(kind: FailureKind, text: &str) -> Evidence {
    Evidence { verdict: Verdict::Broke { kind, text: text.into() }, answers: vec![] }
}

const SAME: Relation = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };

fn wrong_parts() -> Finding {
    let part = |label: &str, condition: &str| Step::query(label, format!("SELECT a FROM t WHERE {condition}"));
    let script = vec![
        Step::run("CREATE TABLE t(a)"),
        Step::query("the whole", "SELECT a FROM t"),
        part("where the predicate is true", "a"),
        part("where it is false", "NOT a"),
        part("where it is unknown", "a IS NULL"),
    ];
    let parts = qualm_core::relation::Combine::Bag;
    let claim = Relation::Partition { whole: 0, parts: vec![1, 2, 3], combine: parts, equality: Equality::Exact };
    let case = case(Language::Sql, "tlp", script, claim);
    let rows = |values: &[Value]| Outcome::Rows(Rows::of(values.iter().map(|v| vec![v.clone()]).collect()));
    let one = Value::Real(1.0);
    let answers = vec![rows(&[one.clone(), Value::Null]), rows(&[one]), rows(&[]), rows(&[])];
    let evidence = judged(&case, answers);
    let mut finding = finding("sqlite:3.28.0", "sqlite 3.28.0", case, evidence, &["push-down"]);
    finding.remedies = vec![("push-down".into(), ".testctrl optimizations 0x1000".into())];
    finding
}

fn wrong_on_falkordb() -> Finding {
    let script = vec![
        Step::run("CREATE (:A {s: 'say \"x\"'}), (:A {s: ''})"),
        Step::query("without the index", "MATCH (n:A) WHERE n.s <= '\\\\' RETURN n.s, 1.5, NULL"),
        Step::run("CREATE INDEX FOR (n:A) ON (n.s)"),
        Step::query("with the index", "MATCH (n:A) WHERE n.s <= '\\\\' RETURN n.s, 1.5, NULL"),
    ];
    let case = case(Language::Graph, "graph-index", script, SAME);
    let row = |text: &str| vec![Value::Text(text.into()), Value::Real(1.5), Value::Null];
    let answers =
        vec![Outcome::Rows(Rows::of(vec![row("say \"x\""), row("")])), Outcome::Rows(Rows::of(vec![row("say \"x\"")]))];
    let evidence = judged(&case, answers);
    finding("falkordb:4.18.3", "falkordb 4.18.3", case, evidence, &[])
}

fn wrong_traversal() -> Finding {
    let script = vec![
        Step::run("g.addV('lone')"),
        Step::query("all", "g.V().label()"),
        Step::query("those that pass", "g.V().filter(__.in('S').count().is(0)).label()"),
    ];
    let case = case(Language::Graph, "refine", script, SAME);
    let answers =
        vec![Outcome::Rows(Rows::of(vec![vec![Value::Text("lone".into())]])), Outcome::Rows(Rows::of(vec![]))];
    let evidence = judged(&case, answers);
    finding("gremlin:3.5.1", "gremlin 3.5.1", case, evidence, &[])
}

fn wrong_program(engine: &str, version: &str, dialect: &str) -> Finding {
    let script = vec![
        Step::query("original", "e(1, 0).\nr(X) :- e(X, X)."),
        Step::query("transformed", "e(1, 0).\nr(X) :- e(X, _), e(X, X)."),
    ];
    let mut case = case(Language::Datalog, "queryfuzz", script, SAME);
    case.source = Some(serde_json::json!({ "dialect": dialect }));
    let answers = vec![Outcome::Rows(Rows::of(vec![vec![Value::Int(0)]])), Outcome::Rows(Rows::of(vec![]))];
    let evidence = judged(&case, answers);
    finding(engine, version, case, evidence, &["with the switch: fp.xform.inline_eager=false"])
}

fn hang() -> Finding {
    let script = vec![Step::run("CREATE TABLE t(a)"), Step::query("last", "SELECT * FROM t WHERE a GLOB '*'")];
    let case = case(Language::Sql, "survives", script, Relation::Survives);
    finding("duckdb:2.0.0", "duckdb 2.0.0", case, broke(FailureKind::Hang, "no answer within 5000 ms"), &[])
}

fn internal_error() -> Finding {
    let script = vec![
        Step::run("CREATE TABLE t(a INT)"),
        Step::query("last", "WITH w AS (SELECT a FROM t EXCEPT SELECT 2) SELECT w.a FROM w JOIN w AS x ON w.a = x.a"),
    ];
    let case = case(Language::Sql, "survives", script, Relation::Survives);
    let text = "Got error 124 - 'Wrong index given to function' from storage engine";
    let evidence = broke(FailureKind::InternalError, text);
    let mut finding = finding("mysql:9.7.4", "mysql 9.7.4", case, evidence, &["hash_set_operations"]);
    finding.remedies = vec![("hash_set_operations".into(), "SET optimizer_switch = 'hash_set_operations=off'".into())];
    finding.preamble = vec!["SET NAMES utf8mb4".into()];
    finding
}

fn slow() -> Finding {
    let script = vec![
        Step::run("CREATE TABLE t(a INT)"),
        Step::run("SET enable_nestloop = off"),
        Step::query("with the optimisation off", "SELECT count(*) FROM t JOIN t AS u ON t.a < u.a"),
        Step::run("SET enable_nestloop = on"),
        Step::query("as the engine is", "SELECT count(*) FROM t JOIN t AS u ON t.a < u.a"),
    ];
    let claim = Relation::NotSlower {
        base: 1,
        weak: 0,
        order: Order::Bag,
        equality: Equality::Exact,
        threshold: qualm_core::slowness::Threshold::default(),
        to_base: vec![],
        to_weak: vec![],
        apart: false,
    };
    let case = case(Language::Sql, "config-perf", script, claim);
    let times = qualm_core::slowness::Slowness {
        base_ms: vec![900.0, 910.0, 905.0],
        weak_ms: vec![90.0, 91.0, 89.0],
        ..Default::default()
    };
    let evidence = Evidence { verdict: Verdict::Slower(times), answers: vec![] };
    finding("postgres:18.4", "postgres 18.4", case, evidence, &["enable_nestloop"])
}

/// One of each language and kind, with the name of its snapshot.
fn every_kind() -> Vec<(&'static str, Finding)> {
    vec![
        ("sql_wrong_result", wrong_result()),
        ("sql_wrong_parts", wrong_parts()),
        ("sql_hang", hang()),
        ("sql_internal_error", internal_error()),
        ("sql_slow", slow()),
        ("cypher_crash", crash()),
        ("falkordb_wrong_result", wrong_on_falkordb()),
        ("gremlin_wrong_result", wrong_traversal()),
        ("mangle_wrong_result", wrong_program("mangle", "mangle 0.9.2", "mangle")),
        ("clingo_wrong_result", wrong_program("clingo:5.8.2", "clingo 5.8.2", "clingo")),
    ]
}

#[test]
fn a_report_for_maintainers() {
    for (name, finding) in every_kind() {
        insta::assert_snapshot!(name, markdown(&finding));
    }
}

/// A maintainer has never heard of this tool and need not.
#[test]
fn no_report_speaks_of_us() {
    for (name, finding) in every_kind() {
        let report = markdown(&finding);
        let found = foreign_words(&report);
        assert!(found.is_empty(), "{name}: {found:?} in\n{report}");
        for heading in ["# ", "## Version\n", "## Steps to reproduce\n", "## Expected\n", "## Actual\n"] {
            assert!(report.starts_with(heading) || report.contains(&format!("\n{heading}")), "{name}: {heading}");
        }
    }
}

#[test]
fn words_of_ours_are_seen() {
    assert_eq!(foreign_words("Found by qualm's TLP oracle; see the knobs."), ["knob", "oracle", "qualm", "tlp"]);
    assert!(foreign_words("A partition of the index is secured; the config is right.").is_empty());
    assert_eq!(foreign_words("Seen by DQE and by coddtest."), ["coddtest", "dqe"], "every oracle has its name here");
}

#[test]
fn steps_for_redis_cli_are_one_line_each_and_quoted() {
    assert_eq!(client::redis("RETURN \"a\\n\";"), r#"GRAPH.QUERY g "RETURN \"a\\n\"""#);
    assert_eq!(client::redis("RETURN 1,\n  2"), "GRAPH.QUERY g \"RETURN 1,\\n  2\"");
}

#[test]
fn releases_are_put_into_a_report_and_replaced() {
    use crate::affected::{Rung, Stand};
    let rung = |release: &str, stand: Stand| Rung { release: release.into(), stand };
    let report = markdown(&hang());
    let first = Affected::of(vec![rung("1.0", Stand::Right), rung("2.0", Stand::Shows)]);
    let with = markdown::with_affected(&report, &first);
    assert!(with.starts_with(&report) && with.contains("\nIntroduced in 2.0 (correct in 1.0)"), "{with}");
    let then = Affected::of(vec![rung("1.0", Stand::Shows), rung("2.0", Stand::Shows)]);
    let again = markdown::with_affected(&with, &then);
    assert_eq!(again.matches("## Affected releases").count(), 1, "{again}");
    assert!(again.starts_with(&report) && again.contains("\nThere in 1.0"), "{again}");
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

/// What the book shows is what a hunt writes; `UPDATE_README=1` writes it anew.
#[test]
fn the_example_in_the_book_is_what_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/example-finding");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let case: Case = serde_json::from_str(&read("case.json")).unwrap();
    let meta: Meta = serde_json::from_str(&read(META_FILE)).unwrap();
    let stored = Stored::read(&folder).unwrap();
    let print = fingerprint::of(&case, &stored.evidence, &meta.cures);
    let mut finding = Finding::new(&meta.engine, &meta.version, case, stored.evidence, meta.cures, print);
    (finding.plans, finding.preamble, finding.reduction) = (stored.plans, stored.preamble, meta.reduction);
    (finding.affected, finding.found) = (meta.affected, meta.found);
    for (name, text) in files(&finding).unwrap() {
        if std::env::var_os("UPDATE_README").is_some() {
            std::fs::write(folder.join(&name), &text).unwrap();
        }
        assert_eq!(
            read(&name),
            text,
            "docs/example-finding/{name} is stale; run UPDATE_README=1 cargo test --lib report"
        );
    }
}

/// A program that breaks its engine and was kept as text only says nothing of its dialect; the engine does.
#[test]
fn comments_are_those_of_the_form() {
    let forms = [
        (Form::Smt2, "; "),
        (Form::Clingo, "% "),
        (Form::Cozo, "# "),
        (Form::Mangle, "# "),
        (Form::Bddbddb, "# "),
        (Form::Souffle, "// "),
        (Form::Ddlog, "// "),
    ];
    for (form, mark) in forms {
        let mut finding = crash();
        (finding.case.language, finding.datalog) = (Language::Datalog, form);
        let script = script(&finding);
        assert!(script.starts_with(mark) && (mark == "// " || !script.contains("//")), "{form:?}: {script}");
    }
}
