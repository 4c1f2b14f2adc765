use super::*;
use qualm_core::case::{CASE_FORMAT, Origin, Step};
use qualm_core::relation::{Difference, Relation};

pub fn text_case(script: &[&str]) -> Case {
    Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: "survives".into(),
        rules: vec![],
        script: script.iter().map(|s| Step::run(*s)).collect(),
        claim: Relation::Survives,
        source: None,
        origin: Origin::default(),
    }
}

fn wrong() -> Evidence {
    Evidence { verdict: Verdict::Violated(Difference::default()), answers: vec![] }
}

pub fn broke(kind: FailureKind, text: &str) -> Evidence {
    Evidence { verdict: Verdict::Broke { kind, text: text.into() }, answers: vec![] }
}

pub fn print(features: &[&str], cures: &[&str]) -> Fingerprint {
    let cures: Vec<String> = cures.iter().map(|c| c.to_string()).collect();
    let mut print = of(&text_case(&[]), &wrong(), &cures);
    print.features = features.iter().map(|f| f.to_string()).collect();
    print.id = format!("{features:?}{cures:?}");
    print
}

#[test]
fn words_of_a_script_are_features() {
    let case = text_case(&[
        "CREATE TABLE t0(c0 UNIQUE)",
        "INSERT INTO t0(c0) VALUES ('LEFT JOIN group_concat(')",
        "SELECT hex(c0) FROM t0 RIGHT JOIN t1 ON (t0.c0) WHERE c0 IN (1) GROUP BY c0",
    ]);
    let found: Vec<String> = features(&case).into_iter().collect();
    assert_eq!(found, ["GROUP BY", "RIGHT JOIN", "hex()", "index"]);
}

#[test]
fn names_and_numbers_are_no_part_of_a_signature() {
    assert_eq!(signature("killed by signal 11 (SIGSEGV) at 0x7f3a"), "killed by signal 11 (sigsegv) at #");
    assert_eq!(signature("no such index: 'i0'\nmore"), "no such index: ?");
    assert_eq!(signature("can't open"), "can't open");
    let cast = |from: &str, to: &str| signature(&format!("class {from} cannot be cast to class {to} (in a module)"));
    assert_eq!(cast("java.lang.Double", "java.util.List"), cast("java.lang.Boolean", "com.arcadedb.CypherDuration"));
    assert_eq!(signature("java.lang.StackOverflowError in a.b"), "java.lang.stackoverflowerror in a.b");
}

/// Two internal errors with other codes, or other exceptions, are two bugs; the statement is no part of them.
#[test]
fn the_code_and_the_exception_are_part_of_a_signature() {
    let clickhouse = |code: u32| signature(&format!("Code: {code}. DB::Exception: Block structure of `t0`. (X)"));
    assert_eq!(clickhouse(49), "code: #. db::exception: block structure of ?. (x) <49>");
    assert_ne!(clickhouse(49), clickhouse(171));
    let h2 = |what: &str, statement: &str| {
        signature(&format!("General error: \"{what}\"; SQL statement:\\nSELECT {statement} [50000-232]"))
    };
    let null = "java.lang.NullPointerException: Cannot invoke 'x.y.z()'";
    assert_eq!(h2(null, "1"), h2(null, "c0 FROM t0 WHERE 'a'"));
    assert!(h2(null, "1").contains("nullpointerexception: cannot invoke ?") && h2(null, "1").ends_with("<50000-232>"));
    assert_ne!(h2(null, "1"), h2("java.lang.IndexOutOfBoundsException: Index 1 out of bounds", "1"));
    assert_eq!(signature("ERROR 1105 (HY000): Unknown error"), "error # (#): unknown error <1105 HY000>");
    assert_eq!(signature("ERROR: XX000: could not find 12345 of 'x'"), "error: #: could not find # of ? <XX000>");
    // Numbers of rows, columns and addresses are no codes.
    assert_eq!(signature("internal error: 12 of 99999 rows at 0x7F3A1"), "internal error: # of # rows at #");
}

#[test]
fn the_oracle_and_the_names_do_not_matter() {
    let mut a = text_case(&["SELECT abs(c0) FROM t0 LEFT JOIN t1"]);
    let b = text_case(&["SELECT abs(x) FROM y LEFT JOIN z"]);
    a.oracle = "norec".into();
    assert_eq!(of(&a, &wrong(), &[]), of(&b, &wrong(), &[]));
}

#[test]
fn a_clause_more_is_the_same_bug_and_another_setting_is_not() {
    let found = print(&["LEFT JOIN", "index on an expression"], &["push-down"]);
    assert!(same_bug(&found, &print(&["LEFT JOIN", "aggregate", "index on an expression"], &["push-down"])));
    assert!(same_bug(&found, &print(&["LEFT JOIN", "index on an expression"], &["flatten", "push-down"])));
    assert!(!same_bug(&found, &print(&["LEFT JOIN", "index on an expression", "OR"], &["flatten"])));
    assert!(same_bug(&found, &print(&["LEFT JOIN", "index on an expression", "OR"], &[])));
    assert!(!same_bug(&found, &print(&["LEFT JOIN", "OR"], &[])));
    let index = print(&["index"], &["push-down"]);
    assert!(!same_bug(&index, &print(&["LEFT JOIN", "OR", "index"], &["push-down"])));
}

#[test]
fn a_right_join_is_a_left_join() {
    assert!(same_bug(&print(&["LEFT JOIN", "field()", "view"], &[]), &print(&["RIGHT JOIN", "field()"], &[])));
    assert!(!same_bug(&print(&["LEFT JOIN", "field()"], &[]), &print(&["RIGHT JOIN", "interval()"], &[])));
}

#[test]
fn how_a_datalog_bug_was_looked_at_distinguishes_nothing() {
    let by = |step: &str| print(&["join with itself", step], &[]);
    assert!(same_bug(&by("add-equ"), &by("mod-exp")));
    assert!(same_bug(&by("add-equ"), &print(&["join with itself", "layers", "switch slice=false"], &[])));
    let zero = print(&["floats", "negative zero", "< constant", "switch magic=true"], &[]);
    assert!(!same_bug(&by("add-equ"), &zero));
    assert!(!same_bug(&print(&["join with itself"], &[]), &print(&["join with itself", "negation", "sum"], &[])));
    let constants = print(&["!= constant", "< constant"], &[]);
    assert!(!same_bug(&constants, &print(&["!= constant", "= constant"], &[])));
}

#[test]
fn one_message_and_one_cure_is_one_bug() {
    let damage = |script: &str, cures: &[&str]| {
        let cures: Vec<String> = cures.iter().map(|c| c.to_string()).collect();
        of(&text_case(&[script]), &broke(FailureKind::InternalError, "Got error 124 - 'Wrong index'"), &cures)
    };
    let except = damage("SELECT a FROM t EXCEPT SELECT 1 FROM t GROUP BY a", &["hash"]);
    let intersect = damage("WITH w AS (SELECT 1 INTERSECT SELECT max(2)) SELECT * FROM w", &["hash", "range"]);
    assert!(same_bug(&except, &intersect));
    assert!(!same_bug(&except, &damage("WITH w AS (SELECT 1) SELECT max(a) FROM w", &["merge"])));
}

#[test]
fn a_switch_that_cures_both_is_one_bug_where_something_agrees() {
    let magic = "with the switch: disable_magic_rewrite";
    let constant = print(&["< constant", "floats"], &[magic, "written out: constant in a comparison"]);
    let twice = print(&["< constant", "equality", "wildcard"], &[magic, "written out: variable twice in a subgoal"]);
    assert!(same_bug(&constant, &twice));
    assert!(!same_bug(&constant, &print(&["join", "negation"], &[magic])));
    assert!(!same_bug(&constant, &print(&["< constant", "equality", "wildcard"], &["with the switch: other"])));
}

#[test]
fn words_that_come_without_any_feature_are_one_bug() {
    let broken = |script: &str, text| of(&text_case(&[script]), &broke(FailureKind::InternalError, text), &[]);
    let plain = broken("SELECT 1", "Expected a plan");
    assert!(same_bug(&plain, &broken("SELECT DISTINCT a FROM t ORDER BY hex(a) LIMIT 1", "Expected a plan")));
    assert!(!same_bug(&plain, &broken("SELECT DISTINCT a FROM t ORDER BY hex(a) LIMIT 1", "No value")));
}

#[test]
fn crashes_are_distinguished_by_what_was_said_and_needed() {
    let case = text_case(&["SELECT hex(1) FROM t0 LEFT JOIN t1"]);
    let larger = text_case(&["SELECT hex(1) OR 2 FROM t0 LEFT JOIN t1"]);
    let other = text_case(&["SELECT quote(1)"]);
    let crash = |c: &Case, text| of(c, &broke(FailureKind::Crash, text), &[]);
    assert!(same_bug(&crash(&case, "signal 11 at 0x1"), &crash(&larger, "signal 11 at 0x2")));
    assert!(!same_bug(&crash(&case, "signal 11"), &crash(&larger, "signal 6")));
    assert!(!same_bug(&crash(&case, "signal 11"), &crash(&other, "signal 11")));
    assert!(likely_duplicate(&larger, &broke(FailureKind::Crash, "signal 11"), &[], &crash(&case, "signal 11")));
    assert!(!likely_duplicate(&larger, &broke(FailureKind::Hang, "signal 11"), &[], &crash(&case, "signal 11")));
}

#[test]
fn titles_name_the_most_distinctive_first_and_stay_short() {
    let case = text_case(&["CREATE INDEX i ON t(c)", "SELECT 1 FROM t LEFT JOIN u ORDER BY x OR y"]);
    assert_eq!(of(&case, &wrong(), &[]).title, "Wrong result: LEFT JOIN + ORDER BY + OR + index");
    let long = text_case(&["SELECT aaaaaaaaaaaaaaaaaaaaaaaa(1), bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(2), \
        cccccccccccccccccccccccccccccccccc(3)"]);
    assert!(of(&long, &wrong(), &[]).title.chars().count() <= TITLE_CHARS);
    let broken = broke(FailureKind::InternalError, "database disk image is malformed");
    assert_eq!(
        of(&text_case(&["SELECT 1"]), &broken, &[]).title,
        "Internal error (database disk image is malformed): plain query"
    );
}

#[test]
fn kinds_of_values_do_not_split_a_bug_of_graphs() {
    let same = |a: &[&str], b: &[&str]| same_bug(&print(a, &[]), &print(b, &[]));
    assert!(same(&["order", "point"], &["order", "point", "relationship"]));
    assert!(same(
        &["<>", "AND", "NOT", "bare boolean", "bool", "count", "relationship", "text"],
        &["OR", "bare boolean", "bool", "count", "order", "relationship"]
    ));
    assert!(same(
        &["=", "AND", "CASE", "duration", "order", "several paths", "text"],
        &["AND", "CASE", "list", "no direction", "order", "relationship", "text"]
    ));
    assert!(same(
        &["property index", "lTrim()", "text", "text predicate"],
        &["property index", "lTrim()", "order", "text"]
    ));
    assert!(!same(&["order", "point"], &["property index", "order", "point", "point.distance()"]));
    assert!(!same(&["=", "property index", "text"], &["NegativeInfinity", "float", "property index", "order"]));
    assert!(!same(&["CASE", "order", "relationship"], &["bare boolean", "order", "relationship"]));
}
