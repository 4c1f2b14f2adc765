//! The driver on scripts that are only text.

use super::*;
use crate::sql::parse;
use qualm_core::case::{CASE_FORMAT, Language, Origin, Step};
use qualm_core::dialect::datalog::{SOUFFLE, Z3_SMT2};
use qualm_core::dialect::graph::OPENCYPHER;
use qualm_engines::sqlite::dialect::SQLITE;

fn case(language: Language, script: &[&str]) -> Case {
    Case {
        format: CASE_FORMAT,
        language,
        oracle: "survives".into(),
        rules: vec![],
        script: script.iter().map(|s| Step::run(*s)).collect(),
        claim: Relation::Survives,
        source: None,
        origin: Origin::default(),
    }
}

fn texts(case: &Case) -> Vec<&str> {
    case.script.iter().map(|s| s.text.as_str()).collect()
}

const NOISE: &[&str] = &[
    "CREATE TABLE t0(c0 INT, c1 TEXT, c2 BLOB UNIQUE)",
    "CREATE TABLE t1(c0)",
    "INSERT INTO t0 VALUES (1, 'some text', x'00'), (22222, 'it''s (text)', NULL)",
    "INSERT INTO t1 VALUES (1)",
    "CREATE INDEX i0 ON t0(c0)",
    "SELECT t0.c0, hex(substr(c1, 1, 3) || 'tail') FROM t0, t1 WHERE t0.c0 IN (1, 2, 3) ORDER BY 1",
];

#[test]
fn a_crash_is_cut_down_to_the_call() {
    let mut attempts = 0;
    let (small, stats) = reduce_counted(&case(Language::Sql, NOISE), &*SQLITE, Budget::default(), &mut |c| {
        attempts += 1;
        texts(c).iter().any(|t| t.starts_with("SELECT") && t.contains("hex("))
    });
    assert_eq!(texts(&small), ["SELECT hex(NULL)"]);
    assert_eq!((stats.attempts, stats.complete), (attempts, true));
    assert!(attempts < 200, "{attempts} attempts");
}

/// What the real engine takes is what counts, so it is asked of every statement.
fn taken_by_sqlite(script: &[&str]) -> bool {
    let mut session = qualm_engines::connect("sqlite").unwrap().open().unwrap();
    script.iter().all(|text| session.run(text).is_ok())
}

/// An engine that breaks before it reads a statement says nothing of whether it would have taken it.
#[test]
fn a_statement_stays_one_that_the_engine_takes() {
    let statements = [
        "CREATE TABLE t0(c0 INT, c1 TEXT CHECK (length(c1) < 9), PRIMARY KEY (c0, c1))",
        "INSERT OR IGNORE INTO t0 (c0, c1) VALUES (1, 'some'), (2, hex('text'))",
        "CREATE INDEX i0 ON t0(c0 DESC, hex(c1)) WHERE c0 IS NOT NULL",
        "CREATE VIEW v0(a) AS SELECT hex(c1) FROM t0 WHERE c0 BETWEEN 1 AND 2",
        "UPDATE t0 SET c1 = hex(c1) WHERE c0 IN (1, 2)",
        "DELETE FROM t0 WHERE hex(c1) = 'x' OR c0 > 1",
        "WITH w(a) AS (SELECT hex(c1) FROM t0) SELECT count(*) FROM w GROUP BY a HAVING count(*) > 0",
        "SELECT CASE WHEN c0 THEN hex(c1) ELSE c1 END FROM t0 LEFT JOIN t0 AS u USING (c0) ORDER BY 1",
        "SELECT hex(c1) OVER w FROM t0 WINDOW w AS (PARTITION BY c0)",
        "CREATE TRIGGER r0 AFTER INSERT ON t0 WHEN NEW.c0 > 1 BEGIN UPDATE t0 SET c1 = hex(c1) WHERE c0 IN (1, 2); END",
        // Nothing that the tree knows, so it is cut as text.
        "CREATE TRIGGER r0 AFTER INSERT ON t0 BEGIN SELECT hex(c1) FROM t0; END",
        "SELECT c0, hex(c1) FROM t0 WHERE c1 REGEXP 'a' OR c1 MATCH 'b'",
    ];
    for broken in &statements[1..] {
        let mut script: Vec<&str> = vec![statements[0]];
        script.push(broken);
        let whole = case(Language::Sql, &script);
        // All that comes before the one that breaks has to be taken, as in a real run.
        let mut fails = |c: &Case| {
            let (last, before) = c.script.split_last().expect("something is left");
            let before: Vec<&str> = before.iter().map(|s| s.text.as_str()).collect();
            last.text.contains("hex(") && taken_by_sqlite(&before)
        };
        let small = reduce(&whole, &*SQLITE, Budget::default(), &mut fails);
        let last = &small.script.last().unwrap().text;
        assert!(
            last.len() < broken.len() && parse::reads(last, &SQLITE) == parse::reads(broken, &SQLITE),
            "{broken}: {last}"
        );
        assert!(!last.contains("hex()"), "{broken}: {last}");
    }
}

/// Without it another solver of z3's would be asked.
#[test]
fn the_line_that_names_the_solver_stays() {
    let program =
        "(set-option :fp.engine datalog)\n(set-option :fp.x true)\n(rule (a 1))\n(query a :print-answer true)";
    let whole = case(Language::Datalog, &[program]);
    let small = reduce(&whole, &Z3_SMT2, Budget::default(), &mut |c| texts(c).iter().any(|t| t.contains("query")));
    assert_eq!(texts(&small), ["(set-option :fp.engine datalog)\n(query a :print-answer true)"]);
}

#[test]
fn what_depends_on_each_other_goes_together() {
    let needs_t0 = |c: &Case| {
        let made = |t: &str| texts(c).iter().any(|s| s.contains(&format!("TABLE {t}(")));
        let all = texts(c).join(" ");
        let fine = ["t0", "t1"].iter().all(|t| !all.contains(&format!("INTO {t}")) || made(t));
        fine && all.contains("hex(") && all.matches('(').count() == all.matches(')').count()
    };
    let mut fails = |c: &Case| needs_t0(c);
    let small = reduce(&case(Language::Sql, NOISE), &*SQLITE, Budget::default(), &mut fails);
    assert_eq!(texts(&small), ["SELECT hex(NULL)"]);
}

#[test]
fn literals_and_lists_get_short() {
    let start = case(Language::Graph, &["RETURN max(1234567, 'abcdefgh', NULL, [2, 3]) AS wanted, 1"]);
    let mut fails = |c: &Case| {
        let text = &c.script[0].text;
        text.contains("max(") && text.contains("wanted") && text.contains("'") && text.contains(", [")
    };
    let small = reduce(&start, &OPENCYPHER, Budget::default(), &mut fails);
    assert_eq!(texts(&small), ["RETURN max('', [0]) AS wanted"]);
}

#[test]
fn lines_of_a_program_go_first() {
    let program = "r0(1).\nr1(X) :- r0(X).\nr2(X) :- r1(X), !r0(X).\n.output r2";
    let mut fails = |c: &Case| c.script[0].text.contains("!r0(X)") && c.script[0].text.contains(".output");
    let small = reduce(&case(Language::Datalog, &[program]), &SOUFFLE, Budget::default(), &mut fails);
    assert_eq!(texts(&small), ["r2(X) :- !r0(X).\n.output r2"]);
}

#[test]
fn a_claim_about_answers_is_not_cut_as_text() {
    let mut start = case(Language::Sql, NOISE);
    start.claim = Relation::CountIs { rows: 0, count: 1 };
    assert_eq!(reduce(&start, &*SQLITE, Budget::default(), &mut |_| true), start);
}

#[test]
fn the_budget_ends_it_and_the_best_so_far_is_kept() {
    let mut attempts = 0;
    let budget = Budget { attempts: 5 };
    let (small, stats) = reduce_counted(&case(Language::Sql, NOISE), &*SQLITE, budget, &mut |c| {
        attempts += 1;
        texts(c).iter().any(|t| t.contains("hex("))
    });
    assert_eq!((attempts, stats.complete), (5, false));
    assert!(small.script.len() < NOISE.len());
}
