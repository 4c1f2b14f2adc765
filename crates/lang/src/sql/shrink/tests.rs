//! Shrinking against the linked SQLite: a case must still run there, and a text condition stands in for the bug.

use super::super::ast::*;
use super::super::parse;
use super::SqlSubject;
use super::sample::large;
use crate::oracle;
use crate::reduce::{Budget, reduce_counted};
use qualm_core::case::{Case, Origin};
use qualm_core::reduce::Subject;
use qualm_core::relation::Verdict;
use qualm_core::session::Outcome;
use qualm_engines as engine;

fn case_of(source: &SqlSource) -> Case {
    let dialect = engine::connect("sqlite").unwrap().sql().unwrap();
    oracle::case(source, dialect, Origin::default()).expect("the oracle takes this question")
}

fn shrunk(case: &Case, bug: impl Fn(&str) -> bool) -> String {
    let engine = engine::connect("sqlite").unwrap();
    let mut session = engine.open().unwrap();
    let mut fails = |case: &Case| {
        let text = case.script.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n");
        bug(&text) && matches!(case.run(session.as_mut()).verdict, Verdict::Holds { .. } | Verdict::Violated(_))
    };
    assert!(fails(case), "the case shows the bug before it is reduced");
    let (small, stats) = reduce_counted(case, engine.sql().unwrap(), Budget::default(), &mut fails);
    assert!(stats.complete, "the budget suffices: {stats:?}");
    small.script.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_join_and_an_index_on_an_expression_are_all_that_is_left() {
    let bug = |text: &str| text.contains("LEFT JOIN") && text.contains(" + ") && text.contains("INDEX");
    insta::assert_snapshot!(shrunk(&case_of(&large()), bug));
}

#[test]
fn rows_and_changes_stay_when_the_bug_needs_them() {
    let bug = |text: &str| text.contains("UPDATE") && text.contains("NOCASE") && text.contains("VIEW");
    insta::assert_snapshot!(shrunk(&case_of(&large()), bug));
}

#[test]
fn two_inserts_become_one() {
    let bug = |text: &str| text.contains("'later'") && text.contains("77");
    insta::assert_snapshot!(shrunk(&case_of(&large()), bug));
}

/// The smallest state that still gives an answer of so many rows, from tables that are filled in other ways than by
/// VALUES.
fn filled(state: &str, least: usize) -> String {
    let engine = engine::connect("sqlite").unwrap();
    let dialect = engine.sql().unwrap();
    let state = state.split("; ").map(|text| match parse::one(text, dialect) {
        parse::What::Statement(statement) => statement,
        other => panic!("{text}: {other:?}"),
    });
    let parse::What::Query(query) = parse::one("SELECT t.a, t.b FROM t", dialect) else { panic!("a query") };
    let predicate = Some(Expr::column("t", "a").is_null());
    let question = Question { predicate, ..Question::of(query, "where") };
    let case = case_of(&SqlSource { oracle: "tlp".into(), state: state.collect(), question });
    let mut session = engine.open().unwrap();
    let mut fails = |case: &Case| {
        let several = |answer: &Outcome| matches!(answer, Outcome::Rows(rows) if rows.len() >= least);
        case.run(session.as_mut()).answers.iter().any(several)
    };
    assert!(fails(&case), "the case has the rows before it is reduced");
    let (small, stats) = reduce_counted(&case, dialect, Budget::default(), &mut fails);
    assert!(stats.complete, "the budget suffices: {stats:?}");
    let state = small.script.iter().filter(|s| !s.is_query()).map(|s| s.text.as_str());
    state.collect::<Vec<_>>().join("; ")
}

#[test]
fn rows_that_a_query_made_are_written_out() {
    let series = "CREATE TABLE t(a INT, b TEXT); INSERT INTO t(a, b) WITH RECURSIVE w(n) AS (SELECT 1 UNION ALL \
        SELECT w.n + 1 FROM w WHERE w.n < 1000) SELECT w.n % 7, 'k' || CAST(w.n AS TEXT) FROM w";
    assert_eq!(filled(series, 3), "CREATE TABLE t0(c0); INSERT INTO t0 VALUES (NULL), (NULL), (NULL)");
    let copied = "CREATE TABLE u(x); INSERT INTO u VALUES (1), (2); CREATE TABLE t(a, b); \
        INSERT INTO t(a, b) SELECT x, x + 1 FROM u";
    assert_eq!(filled(copied, 2), "CREATE TABLE t0(c0); INSERT INTO t0 VALUES (NULL), (NULL)");
}

#[test]
fn an_outer_join_that_was_there_for_its_nulls_becomes_a_row_of_nulls() {
    let engine = engine::connect("sqlite").unwrap();
    let dialect = engine.sql().unwrap();
    let parse::What::Statement(table) = parse::one("CREATE TABLE t0(c0, c1 AS (0) VIRTUAL)", dialect) else { panic!() };
    let parse::What::Statement(rows) = parse::one("INSERT INTO t0 VALUES (NULL)", dialect) else { panic!() };
    let text = "SELECT DISTINCT t0.c1 FROM t0 AS a0 FULL JOIN t0 ON NULL";
    let parse::What::Query(query) = parse::one(text, dialect) else { panic!("a query") };
    let question = Question { predicate: Some(Expr::null()), ..Question::of(query, "distinct") };
    let case = case_of(&SqlSource { oracle: "tlp".into(), state: vec![table, rows], question });
    let mut session = engine.open().unwrap();
    let mut fails = |case: &Case| {
        let answers = case.run(session.as_mut()).answers;
        let different = |rows: &qualm_core::value::Rows| rows.len() == 2 && rows.row(0) != rows.row(1);
        case.script.iter().any(|s| s.text.contains("DISTINCT"))
            && answers.iter().any(|a| matches!(a, Outcome::Rows(rows) if different(rows)))
    };
    assert!(fails(&case));
    let (small, _) = reduce_counted(&case, dialect, Budget::default(), &mut fails);
    let text = small.script.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n");
    assert!(!text.contains("JOIN") && !text.contains("VIRTUAL"), "{text}");
}

/// A row that is given by no values stands in the way of no other cut.
#[test]
fn default_values_are_written_out() {
    let state = "CREATE TABLE t(a DEFAULT 7, b); INSERT INTO t DEFAULT VALUES; INSERT INTO t VALUES (1, 2), (3, 4)";
    assert_eq!(filled(state, 3), "CREATE TABLE t0(c0); INSERT INTO t0 VALUES (NULL), (NULL), (NULL)");
}

#[test]
fn every_edit_keeps_the_tree_well_formed() {
    let case = case_of(&large());
    let dialect = engine::connect("sqlite").unwrap().sql().unwrap();
    let subject = SqlSubject::of(&case, dialect).unwrap();
    let mut made = 0;
    for pass in 0..subject.passes() {
        for edit in subject.edits(pass) {
            if let Some(next) = subject.apply(&edit) {
                made += usize::from(next.case().is_some());
            }
        }
    }
    assert!(made > 300, "only {made} candidates");
}

#[test]
fn a_state_that_names_what_is_gone_is_no_candidate() {
    let dialect = engine::connect("sqlite").unwrap().sql().unwrap();
    for (script, known) in [
        ("CREATE TABLE t(a, b); INSERT INTO t(b) VALUES (1)", true),
        ("CREATE TABLE t(a); INSERT INTO t(b) VALUES (1)", false),
        ("CREATE TABLE t(a); CREATE INDEX i ON u(a)", false),
        ("CREATE TABLE t(a, b); ALTER TABLE t DROP COLUMN a", true),
        ("CREATE TABLE t(a); ALTER TABLE t DROP COLUMN a", false),
        ("CREATE TABLE t(a); CREATE VIEW v AS SELECT NULL FROM t; CREATE VIEW w AS SELECT v.column1 FROM v", false),
        ("CREATE VIEW v AS VALUES (1); CREATE VIEW w AS SELECT v.column1 FROM v", true),
    ] {
        let state = script.split("; ").map(|text| match parse::one(text, dialect) {
            parse::What::Statement(statement) => statement,
            other => panic!("{text}: {other:?}"),
        });
        assert_eq!(super::names_are_known(&state.collect::<Vec<_>>(), dialect), known, "{script}");
    }
}

/// `c0` may be a column of either table, so SQLite does not take it for the first one of the answer.
#[test]
fn a_compound_is_ordered_by_names_that_are_its_own() {
    let dialect = engine::connect("sqlite").unwrap().sql().unwrap();
    for (text, plain) in [
        ("SELECT a.x AS x FROM t AS a, t AS b UNION ALL SELECT 1 ORDER BY x", true),
        ("SELECT a.x FROM t AS a, t AS b UNION ALL SELECT 1 ORDER BY x", false),
        ("SELECT a.x FROM t AS a UNION ALL SELECT 1 ORDER BY x", true),
        ("SELECT a.x FROM t AS a, t AS b ORDER BY a.x", true),
    ] {
        let parse::What::Query(query) = parse::one(text, dialect) else { panic!("{text} is not read") };
        assert_eq!(super::compound_order_is_plain(&query), plain, "{text}");
    }
}

/// SQLite 3.28.0 turned LEFT JOIN into JOIN because of `IS NOT TRUE`, which is true of NULL.
#[test]
fn a_real_bug_of_an_old_release_is_found_again_in_four_statements() {
    let old = engine::connect("sqlite:3.28.0").unwrap_or_else(|e| panic!("{e}; run ./x setup"));
    let newest = engine::connect("sqlite").unwrap();
    let (mut session, mut fixed) = (old.open().unwrap(), newest.open().unwrap());
    let mut source = large();
    let test = Expr::IsTruth { expr: Box::new(Expr::column("b", "p")), test: true, negated: true };
    source.question.predicate = Some(test.and(Expr::column("a", "z").is_null().negate()));
    let case = case_of(&source);
    let mut fails = |c: &Case| matches!(c.run(session.as_mut()).verdict, Verdict::Violated(_));
    assert!(fails(&case), "the release has the bug");
    let (small, _) = reduce_counted(&case, old.sql().unwrap(), Budget::default(), &mut fails);
    insta::assert_snapshot!(small.script.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n"));
    assert!(matches!(small.run(fixed.as_mut()).verdict, Verdict::Holds { .. }), "the newest release is right");
    let features: Vec<String> = crate::features(&small).expect("a tree").into_iter().collect();
    assert_eq!(features, ["IS TRUE", "LEFT JOIN"]);
}
