//! The DuckDB driver against the real library: the newest release that `./x setup` fetches, and an old one with a bug.

mod support;

use qualm::case::Case;
use qualm::engine;
use qualm::explore::{ExploreConfig, Tally};
use qualm::knobs::{self, Knob};
use qualm::lang;
use qualm::reduce::{self, Budget};
use qualm::relation::Verdict;
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use qualm::spec::HuntSpec;
use qualm::value::Value;
use std::time::{Duration, Instant};
use support::sessions::{cells, class, done, engine, session};

const NEW: &str = "duckdb:2.0.0";
/// Has a bug that later releases do not have.
const OLD: &str = "duckdb:0.10.0";

fn run_all(session: &mut dyn Session, statements: &[&str]) {
    statements.iter().for_each(|statement| done(session, statement));
}

#[test]
fn values_keep_their_types() {
    for spec in [NEW, OLD] {
        let mut s = session(spec);
        let query = "SELECT true, (-1)::TINYINT, 255::UTINYINT, 9223372036854775807, 18446744073709551615::UBIGINT, \
                     170141183460469231731687303715884105727::HUGEINT, 1.50::DECIMAL(4, 2), -0.05::DECIMAL(38, 2), \
                     1.5::FLOAT, 'nan'::DOUBLE, '-0.0'::DOUBLE, 'a longer text than twelve bytes', '\u{1F980}', \
                     '\\x00\\xFF'::BLOB, NULL, NULL::VARCHAR";
        let expected = [
            "TRUE",
            "-1",
            "255",
            "9223372036854775807",
            "18446744073709551615",
            "170141183460469231731687303715884105727",
            "1.5",
            "-0.05",
            "1.5",
            "NaN",
            "-0.0",
            "'a longer text than twelve bytes'",
            "'\u{1F980}'",
            "x'00FF'",
            "NULL",
            "NULL",
        ];
        let shown: Vec<String> = cells(s.as_mut(), query).iter().map(Value::show).collect();
        assert_eq!(shown, expected, "{spec}");
    }
}

#[test]
fn a_column_without_a_vector_of_ours_is_text() {
    for spec in [NEW, OLD] {
        let row = cells(session(spec).as_mut(), "SELECT DATE '2024-02-29', 7, 1.25, NULL::DATE, true, '0.5'::DOUBLE");
        let shown: Vec<String> = row.iter().map(Value::show).collect();
        assert_eq!(shown, ["'2024-02-29'", "7", "1.25", "NULL", "TRUE", "0.5"], "{spec}");
    }
}

#[test]
fn answers_of_several_chunks_are_whole() {
    for spec in [NEW, OLD] {
        let mut s = session(spec);
        let got = cells(s.as_mut(), "SELECT CASE WHEN range % 3 = 0 THEN NULL ELSE range END FROM range(5000)");
        let expected: Vec<Value> = (0..5000).map(|i| if i % 3 == 0 { Value::Null } else { Value::Int(i) }).collect();
        assert_eq!(got, expected, "{spec}");
        assert_eq!(class(s.as_mut(), "SELECT * FROM range(200000)"), RejectionClass::Limit);
    }
}

#[test]
fn plans_name_operators_and_tables() {
    for spec in [NEW, OLD] {
        let mut s = session(spec);
        run_all(
            s.as_mut(),
            &[
                "CREATE TABLE t0(a BIGINT)",
                "CREATE TABLE t1(a BIGINT)",
                "INSERT INTO t0 SELECT * FROM range(9)",
                "INSERT INTO t1 SELECT * FROM range(9)",
            ],
        );
        let plan = s.plan("SELECT count(*) FROM t0 JOIN t1 ON t0.a = t1.a").expect("a plan");
        let operators: Vec<&str> = plan.nodes.iter().map(|n| n.operator.as_str()).collect();
        assert!(operators.iter().any(|o| o.starts_with("HASH JOIN")), "{spec}: {operators:?}");
        let mut tables: Vec<&str> = plan.nodes.iter().filter_map(|n| n.relation.as_deref()).collect();
        tables.sort_unstable();
        assert_eq!(tables, ["t0", "t1"], "{spec}");
        assert!(s.plan("SELECT nothing").is_none());
    }
}

/// Since 1.2 a scan decides only when it runs whether it reads an index, and EXPLAIN does not say.
#[test]
fn an_index_is_seen_in_the_plan_of_an_old_release() {
    let mut s = session(OLD);
    run_all(
        s.as_mut(),
        &["CREATE TABLE t(a BIGINT PRIMARY KEY, b BIGINT)", "INSERT INTO t SELECT range, range FROM range(10000)"],
    );
    let by_index = |s: &mut dyn Session, query| s.plan(query).expect("a plan").nodes.iter().any(|n| n.index.is_some());
    assert!(by_index(s.as_mut(), "SELECT b FROM t WHERE a = 77"));
    assert!(!by_index(s.as_mut(), "SELECT a FROM t WHERE b = 77"));
}

#[test]
fn rejections_are_classed() {
    for spec in [NEW, OLD] {
        let mut s = session(spec);
        for statement in ["SELEC", "SELECT * FROM nowhere", "SELECT 'x'::BIGINT", "COPY (SELECT 1) TO '/tmp/qualm.csv'"]
        {
            assert_eq!(class(s.as_mut(), statement), RejectionClass::Expected, "{spec}: {statement}");
        }
        let big = "SELECT count(*) FROM (SELECT DISTINCT range, md5(range::VARCHAR) FROM range(50000000))";
        let got = class(s.as_mut(), &format!("SELECT * FROM ({big}) AS b"));
        // Of time or of memory, whichever comes first; both are ours.
        assert_eq!(got, RejectionClass::Limit, "{spec}");
        s.reset().unwrap();
        assert_eq!(cells(s.as_mut(), "SELECT 1"), [Value::Int(1)], "{spec}");
    }
}

#[test]
fn a_long_statement_is_interrupted() {
    for spec in [NEW, OLD] {
        let mut s = session(spec);
        let began = Instant::now();
        let long = "SELECT count(*) FROM range(10000000) a(x), range(10000000) b(y) WHERE x * y % 1000003 = 7";
        assert_eq!(class(s.as_mut(), long), RejectionClass::Limit, "{spec}");
        assert!(began.elapsed() < Duration::from_secs(5), "{spec}: {:?}", began.elapsed());
        assert_eq!(cells(s.as_mut(), "SELECT 1"), [Value::Int(1)], "{spec}: the next statement runs");
    }
}

#[test]
fn reset_forgets_tables_and_settings() {
    for spec in [NEW, OLD] {
        let mut s = session(spec);
        let setting = "SELECT current_setting('perfect_ht_threshold')::BIGINT";
        let default = cells(s.as_mut(), setting);
        for statements in [
            &["CREATE TABLE t(a BIGINT)", "CREATE TEMP TABLE u(a BIGINT)", "BEGIN"][..],
            &["CREATE TABLE t(a BIGINT)", "SET perfect_ht_threshold = 3"][..],
            &["CREATE VIEW t AS SELECT 1"][..],
        ] {
            run_all(s.as_mut(), statements);
            s.reset().unwrap();
            assert_eq!(class(s.as_mut(), "SELECT * FROM t"), RejectionClass::Expected, "{spec}");
            assert_eq!(class(s.as_mut(), "SELECT * FROM u"), RejectionClass::Expected, "{spec}");
            assert_eq!(cells(s.as_mut(), setting), default, "{spec}");
            let tables = "SELECT count(*) FROM information_schema.tables";
            assert_eq!(cells(s.as_mut(), tables), [Value::Int(0)], "{spec}");
        }
    }
}

/// duckdb#11163: filter pushdown empties one arm of a UNION and takes the duplicate removal with it.
#[test]
fn the_old_release_shows_its_bug() {
    let answer = |spec: &str, before: &str| {
        let mut s = session(spec);
        run_all(s.as_mut(), &["CREATE TABLE t(x INT)", "INSERT INTO t VALUES (1),(1)", before]);
        cells(s.as_mut(), "SELECT a FROM (SELECT x AS a FROM t UNION SELECT 2) s WHERE a = 1").len()
    };
    assert_eq!(answer(OLD, "CHECKPOINT"), 2, "the bug");
    assert_eq!(answer(OLD, "SET disabled_optimizers = 'filter_pushdown'"), 1, "what it depends on");
    assert_eq!(answer(NEW, "CHECKPOINT"), 1, "the bug is gone");
}

/// A hunt comes across a bug of the old release, with nothing known about it: mostly the duplicates that UNION and
/// EXCEPT leave when filter pushdown empties an arm (duckdb#11163). What it found is reduced to one setting, and holds
/// in the new release. Some seeds need more checks than others, so a few are tried.
#[test]
fn a_hunt_finds_a_bug_of_the_old_release() {
    let (old, new) = (engine(OLD), engine(NEW));
    let mut session = old.open().unwrap();
    let case = (1..=SEEDS).find_map(|seed| hunted(old.as_ref(), seed, session.as_mut()));
    let case = case.expect("a hunt finds something");
    let mut fails = |c: &Case| matches!(c.run(session.as_mut()).verdict, Verdict::Violated(_));
    let reduced = reduce::reduce(&case, old.sql().unwrap(), Budget { attempts: 600 }, &mut fails);
    assert!(fails(&reduced) && reduced.script.len() <= case.script.len());
    assert_eq!(knobs::of_case(&reduced).len(), 1, "{:?}", reduced.script);
    let now = reduced.run(new.open().unwrap().as_mut()).verdict;
    assert!(matches!(now, Verdict::Holds { .. }), "{now:?}");
}

const SEEDS: u64 = 12;

fn hunted(old: &dyn Engine, seed: u64, session: &mut dyn Session) -> Option<Case> {
    let knobs: Vec<Knob> = knobs::live(old, session, None).unwrap().knobs;
    let spec = HuntSpec { oracles: vec!["config".into()], seed, ..HuntSpec::default() };
    let config = ExploreConfig { knobs, ..ExploreConfig::new(spec, old.spoken()) };
    let mut explorer = lang::explorer(config, session).unwrap();
    let mut tally = Tally::default();
    let mut found: Option<Case> = None;
    while found.is_none() && tally.checks < 1_500 {
        let cases = explorer.step(session, &mut tally);
        found = cases.into_iter().find(|c| matches!(c.run(session).verdict, Verdict::Violated(_)));
    }
    found
}

/// Every value of every knob that is said to be there can be set, and put back.
#[test]
fn knobs_are_what_the_releases_have() {
    for (spec, optimizers) in [(NEW, 46), (OLD, 18)] {
        let engine = engine(spec);
        let mut session = engine.open().unwrap();
        let found = knobs::live(engine.as_ref(), session.as_mut(), None).unwrap();
        assert!(found.unknown.is_empty(), "{spec}: {:?}", found.unknown);
        for knob in &found.knobs {
            for value in &knob.others {
                let (set, reset) = knobs::statements(&[knob.flip(value)]);
                set.iter().chain(&reset).for_each(|s| assert_eq!(session.run(s), Outcome::Done, "{spec}: {s}"));
            }
        }
        let listed = cells(session.as_mut(), "SELECT name FROM duckdb_optimizers()").len();
        assert_eq!(listed, optimizers, "{spec}");
        assert_eq!(found.knobs.iter().filter(|k| k.others == ["off"]).count(), optimizers, "{spec}");
    }
}

#[test]
fn versions_and_missing_releases() {
    assert_eq!(engine(NEW).version(), "duckdb 2.0.0");
    assert_eq!(engine(OLD).version(), "duckdb 0.10.0");
    assert!(!engine(NEW).build().is_empty());
    let missing = engine::connect("duckdb:9.9.9").map(|_| ()).unwrap_err().to_string();
    assert!(missing.contains("no such file") && missing.contains("./x duckdb 9.9.9"), "{missing}");
}
