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
