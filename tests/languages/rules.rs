//! Rewrite rules are tested in two ways: each rule's example is run, and each is run over random cases on an engine
//! that is trusted here, where it must take part in checks and never raise an alarm.

use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::engine;
use qualm::explore::{ExploreConfig, Explorer, NamedText, Size, Tally};
use qualm::lang;
use qualm::lang::sql::ast::{Question, Rewrite, SqlSource};
use qualm::lang::sql::parse;
use qualm::lang::sql::rules::{self, EXAMPLE_STATE, Group};
use qualm::lang::sql::seeds::Seed;
use qualm::lang::sql::typing::Schema;
use qualm::oracle::{self, eet};
use qualm::relation::{Equality, Order, Relation, Verdict};
use qualm::spec::HuntSpec;
use std::collections::BTreeMap;

/// The example's query and what the rule makes of it give the same answer over the example's tables.
fn example_holds(name: &str, before: &str, after: &str) {
    let mut script: Vec<Step> = EXAMPLE_STATE.iter().map(|s| Step::run(*s)).collect();
    script.push(Step::query("before", before));
    let mut parts: Vec<&str> = after.split(';').map(str::trim).collect();
    let last = parts.pop().expect("an example ends with a query");
    script.extend(parts.into_iter().map(Step::run));
    script.push(Step::query("after", last));
    let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
    let case = Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: "example".into(),
        rules: vec![name.into()],
        script,
        claim,
        source: None,
        origin: Origin::default(),
    };
    let engine = engine::connect("sqlite").unwrap();
    let evidence = case.run(engine.open().unwrap().as_mut());
    assert_eq!(
        evidence.verdict,
        Verdict::Holds { vacuous: false },
        "{name}: {before} / {after}: {:?}",
        evidence.answers
    );
}

#[test]
fn examples_hold() {
    for rule in rules::rules() {
        example_holds(rule.name, rule.example.0, rule.example.1);
        assert!(!rule.precondition.is_empty(), "{}", rule.name);
    }
}

#[test]
fn there_are_as_many_rules_as_in_the_paper_and_more() {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in rules::rules() {
        let group = match rule.group {
            Group::Table => "table",
            Group::Structure => "structure",
            Group::Predicate => "predicate",
        };
        *groups.entry(group).or_default() += 1;
    }
    assert!(groups["table"] >= 4 && groups["structure"] >= 9 && groups["predicate"] >= 10, "{groups:?}");
    let names: std::collections::BTreeSet<&str> = rules::rules().map(|r| r.name).collect();
    assert_eq!(names.len(), rules::rules().count(), "two rules of one name");
}

/// Random cases on the built-in SQLite: what is violated must be one of the bugs that trophies/ has.
/// Goes on after that many checks, up to five times as many, while a rare rule has not taken part.
fn explored(oracle: &str, checks: u64, all: &[&str]) -> Tally {
    explored_with(oracle, 7, checks, all)
}

fn explored_with(oracle: &str, seed: u64, checks: u64, all: &[&str]) -> Tally {
    let engine = engine::connect("sqlite").unwrap();
    let mut session = engine.open().unwrap();
    let (oracles, seeds) = (vec![oracle.into()], lang::sql::seeds::built_in());
    let spec = HuntSpec { oracles, size: Size::Small, seed, seeds, ..HuntSpec::default() };
    let config = ExploreConfig::new(spec, engine.spoken());
    let mut explorer: Box<dyn Explorer> = lang::explorer(config, session.as_mut()).unwrap();
    let mut tally = Tally::default();
    let missing = |tally: &Tally| all.iter().any(|rule| !tally.per_rule.contains_key(*rule));
    while tally.checks < checks || tally.checks < 5 * checks && missing(&tally) {
        if let Some(case) = explorer.step(session.as_mut(), &mut tally).first() {
            let script: Vec<&str> = case.script.iter().map(|s| s.text.as_str()).collect();
            panic!("a rule is unsound, or the engine has a new bug: {:?}\n{}", case.rules, script.join(";\n"));
        }
    }
    tally
}

#[test]
fn every_mutation_takes_part_and_none_raises_an_alarm() {
    let all: Vec<&str> = rules::rules().map(|r| r.name).collect();
    let tally = explored("mutasql", 8000, &all);
    for rule in rules::rules() {
        assert!(tally.per_rule.contains_key(rule.name), "{} never took part: {:?}", rule.name, tally.per_rule);
    }
}

/// What is asked before a table is changed decides whether it is changed.
#[test]
fn a_unique_index_is_made_where_no_value_comes_twice() {
    for (rows, holds) in [("(1), (2), (NULL), (NULL)", true), ("(1), (1)", false)] {
        let text = format!("CREATE TABLE t(a INT); INSERT INTO t VALUES {rows};");
        let script = NamedText { name: "s".into(), text: format!("{text} SELECT a FROM t WHERE a > 0;") };
        let engine = engine::connect("sqlite").unwrap();
        let dialect = engine.sql().unwrap();
        let Seed { state, mut queries, .. } = Seed::read(&script, dialect);
        let schema = Schema::from_state(&state, dialect).unwrap();
        let mut query = queries.remove(0);
        parse::qualify(&mut query, &schema).unwrap();
        let rewrite = Rewrite { rule: "add-unique-index".into(), site: 0, extra: None, written: None };
        let question = Question { rewrites: vec![rewrite], ..Question::of(query, "mutations") };
        let source = SqlSource { oracle: "mutasql".into(), state, question };
        let case = oracle::case(&source, dialect, Origin::default()).unwrap();
        let at = |part: &str| case.script.iter().position(|s| s.text.contains(part)).unwrap();
        assert!(at("HAVING count(*) > 1") < at("CREATE UNIQUE INDEX"), "{:?}", case.script);
        let verdict = case.run(engine.open().unwrap().as_mut()).verdict;
        assert_eq!(verdict == Verdict::Holds { vacuous: false }, holds, "{rows}: {verdict:?}");
    }
}

/// Over several seeds, a hunt of each of these says something in four checks of five, and writes what the engine takes.
#[test]
fn few_checks_say_nothing_and_few_statements_are_refused() {
    for oracle in ["norec", "clauses", "coddtest", "contain", "params", "mutasql"] {
        let mut all = Tally::default();
        for seed in 1..=4 {
            let tally = explored_with(oracle, seed, 1500, &[]);
            all.checks += tally.checks;
            all.vacuous += tally.vacuous;
            all.statements += tally.statements;
            all.rejected += tally.rejected;
        }
        assert!(all.vacuous * 5 <= all.checks, "{oracle}: {} of {} checks say nothing", all.vacuous, all.checks);
        let (rejected, statements) = (all.rejected, all.statements);
        assert!(rejected * 100 <= statements, "{oracle}: {rejected} of {statements} statements are refused");
    }
}

#[test]
fn every_equivalent_expression_takes_part_and_none_raises_an_alarm() {
    let tally = explored("eet", 4000, &[]);
    for rule in eet::RULES {
        assert!(tally.per_rule.contains_key(rule.name), "{} never took part: {:?}", rule.name, tally.per_rule);
    }
}
