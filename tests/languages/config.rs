//! The oracle `config` against real releases of SQLite: it finds a bug that is known to be there, names the smallest
//! set of settings, leaves the session as it was, and looking at plans pays.

use qualm::case::{Case, Step};
use qualm::engine;
use qualm::explore::{ExploreConfig, Explorer, Tally};
use qualm::knobs::{self, Choice, Knob, KnobOptions};
use qualm::lang;
use qualm::lang::sql::ast::{Question, SqlSource, Statement};
use qualm::lang::sql::parse::{What, script};
use qualm::oracle;
use qualm::reduce::{self, Budget};
use qualm::relation::Verdict;
use qualm::session::{Engine, Outcome, Session};
use qualm::spec::HuntSpec;

const OLD: &str = "sqlite:3.28.0";
const BUGGY: &str = "sqlite:3.31.1";

fn connect(spec: &str) -> (Box<dyn Engine>, Box<dyn Session>) {
    let engine = engine::connect(spec).unwrap_or_else(|e| panic!("{e} (or './x setup' for all that the tests need)"));
    let session = engine.open().unwrap();
    (engine, session)
}

fn live(engine: &dyn Engine, session: &mut dyn Session) -> Vec<Knob> {
    knobs::live(engine, session, None).unwrap().knobs
}

fn explorer(engine: &dyn Engine, session: &mut dyn Session, seed: u64, choice: Choice) -> Box<dyn Explorer> {
    let knobs = KnobOptions { choice, ..KnobOptions::default() };
    let spec = HuntSpec { oracles: vec!["config".into()], seed, knobs, ..HuntSpec::default() };
    let config = ExploreConfig { knobs: live(engine, session), ..ExploreConfig::new(spec, engine.spoken()) };
    lang::explorer(config, session).unwrap()
}

/// The settings of a session, asked one by one; the mask is seen in a plan that it changes.
fn settings(session: &mut dyn Session) -> Vec<Outcome> {
    let pragmas =
        ["automatic_index", "reverse_unordered_selects", "cache_size", "cache_spill", "temp_store", "threads"];
    pragmas.iter().map(|p| session.run(&format!("PRAGMA {p}"))).collect()
}

const PLANS: &[&str] = &[
    "SELECT * FROM (SELECT 1 AS x UNION ALL SELECT 2) WHERE x = 1",
    "SELECT x FROM (SELECT type AS x FROM sqlite_master) WHERE x = 'a'",
    "SELECT DISTINCT rowid FROM sqlite_master",
];

fn found_by(seed: u64, engine: &dyn Engine, session: &mut dyn Session) -> Option<Case> {
    let mut explorer = explorer(engine, session, seed, Choice::Plan);
    let mut tally = Tally::default();
    while tally.checks < 30_000 {
        let cases = explorer.step(session, &mut tally);
        if let Some(case) = cases.into_iter().find(|c| !knobs::of_case(c).is_empty()) {
            return Some(case);
        }
    }
    None
}

#[test]
fn finds_a_known_bug_within_bounded_checks_and_reduces_its_settings() {
    let (engine, mut session) = connect(BUGGY);
    // Three seeds in five find something within that many checks, and which ones do changes with the generator.
    let case = (2..12).find_map(|seed| found_by(seed, engine.as_ref(), session.as_mut())).expect("a bug of 3.31.1");
    let mut fails = |c: &Case| matches!(c.run(session.as_mut()).verdict, Verdict::Violated(_));
    assert!(fails(&case), "{case:?}");
    let reduced = reduce::reduce(&case, engine.sql().unwrap(), Budget { attempts: 5_000 }, &mut fails);
    let (before, after) = (knobs::of_case(&case), knobs::of_case(&reduced));
    assert!(!after.is_empty() && after.len() <= before.len(), "{before:?} became {after:?}");
    assert!(reduced.script.len() <= case.script.len());
    // Every setting that is left is needed.
    for at in 0..after.len() {
        let mut source: SqlSource = serde_json::from_value(reduced.source.clone().unwrap()).unwrap();
        source.question.flips.remove(at);
        if let Some(fewer) = oracle::case(&source, engine.sql().unwrap(), reduced.origin) {
            assert!(!fails(&fewer), "{after:?}");
        }
    }
}

/// `WHERE a = b AND a = 0.1`: constant propagation in 3.31.1 forgets that the columns are REAL.
const KNOWN: &str = "CREATE TABLE t0(c0 REAL, c1 REAL);
    CREATE INDEX i0 ON t0(c1);
    INSERT INTO t0 VALUES (NULL, 2.5), (NULL, 2.5), (NULL, 0.1);
    ANALYZE;
    SELECT NULL FROM t0, t0 AS a0 WHERE (a0.c0 = a0.c1) AND (a0.c0 = 0.1);";

#[test]
fn settings_that_do_not_matter_are_dropped() {
    let (engine, mut session) = connect(BUGGY);
    let dialect = engine.sql().unwrap();
    let (mut state, mut query) = (Vec::new(), None);
    for parsed in script(KNOWN, dialect) {
        match parsed.what {
            What::Statement(s) => state.push(s),
            What::Query(q) => query = Some(q),
            What::Unread(_) => state.push(Statement::Maintenance(parsed.text.into())),
        }
    }
    let flips = live(engine.as_ref(), session.as_mut()).iter().map(Knob::off).collect();
    let question = Question {
        query: query.unwrap(),
        text: None,
        predicate: None,
        form: oracle::config::QUERY.into(),
        rewrites: Vec::new(),
        flips,
    };
    let source = SqlSource { oracle: "config".into(), state, question };
    let case = oracle::case(&source, dialect, Default::default()).unwrap();
    let (set, reset) = knobs::statements(&knobs::of_case(&case));
    let texts: Vec<&String> = case.script.iter().map(|s| &s.text).collect();
    assert!(set.iter().chain(&reset).all(|s| texts.contains(&s)), "{texts:?}");
    let mut fails = |c: &Case| matches!(c.run(session.as_mut()).verdict, Verdict::Violated(_));
    assert!(fails(&case));
    let reduced = reduce::reduce(&case, dialect, Budget { attempts: 5_000 }, &mut fails);
    let left: Vec<String> = knobs::of_case(&reduced).iter().map(|f| f.words()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let (set, reset) = knobs::statements(&knobs::of_case(&reduced));
    let end: Vec<&Step> = reduced.script.iter().rev().take(4).rev().collect();
    assert_eq!([&end[1].text, &end[3].text], [&set[0], &reset[0]]);
}

#[test]
fn the_session_is_back_at_its_settings_after_every_check() {
    for choice in [Choice::Plan, Choice::Random] {
        let (engine, mut session) = connect(OLD);
        let mut explorer = explorer(engine.as_ref(), session.as_mut(), 3, choice);
        let plans = |session: &mut dyn Session| PLANS.iter().map(|q| session.plan(q)).collect::<Vec<_>>();
        let mut tally = Tally::default();
        for _ in 0..400 {
            let before = (tally.databases, tally.checks);
            let were = settings(session.as_mut());
            let cases = explorer.step(session.as_mut(), &mut tally);
            // A violation ends with a new database.
            if before.0 == tally.databases && before.1 < tally.checks && cases.is_empty() {
                let here = plans(session.as_mut());
                session.run(".testctrl optimizations 0");
                assert_eq!(plans(session.as_mut()), here, "the mask is not back");
                assert_eq!(settings(session.as_mut()), were);
            }
        }
        assert!(tally.pairs_changed > 0 && tally.checks > 100, "{tally:?}");
        let usual = plans(session.as_mut());
        session.run(".testctrl optimizations 0xffff");
        assert_ne!(plans(session.as_mut()), usual, "these plans would show a mask");
    }
}

#[test]
fn looking_at_the_plan_pays() {
    // The newest one: what crashes in an old one would end the test, which runs in its process.
    let pairs = |choice| {
        let (engine, mut session) = connect("sqlite");
        let mut explorer = explorer(engine.as_ref(), session.as_mut(), 3, choice);
        let mut tally = Tally::default();
        while tally.pairs_planned < 4_000 {
            explorer.step(session.as_mut(), &mut tally);
        }
        tally.new_pairs.len()
    };
    let (guided, random) = (pairs(Choice::Plan), pairs(Choice::Random));
    assert!(guided * 2 >= random * 3, "{guided} pairs with guidance, {random} without");
}
