//! The explorer against an engine that answers nothing, and oracles on random questions: what they derive must be sound
//! in form, and what the reducer makes of it too.

use super::*;
use crate::graph::check;
use crate::graph::rewrite::{self, Variant};
use crate::graph::shrink::GraphSubject;
use crate::oracle::graph::GRAPH_ORACLES;
use crate::oracle::survives;
use qualm_core::case::Origin;
use qualm_core::dialect::graph::{Feature, Form, GREMLIN, OPENCYPHER};
use qualm_core::reduce::Subject;

static BY_USE: GraphDialect = GraphDialect { relationships_by_use: true, ..OPENCYPHER };

fn questions(dialect: &'static GraphDialect, disputed: bool, seed: u64) -> Vec<(GraphSource, Case)> {
    let mut rng = Rng::new(seed);
    let missing = Missing::default();
    let mut found = Vec::new();
    for _ in 0..60 {
        let model = metamodel::metamodel(dialect, &mut rng);
        let state = States::new(dialect, &model, &missing, disputed, &mut rng).all(Size::Small);
        for oracle in GRAPH_ORACLES {
            let mut generator = Generator::new(dialect, &model, &missing, disputed, &mut rng);
            let Some(question) = (oracle.propose)(&mut generator, &state) else { continue };
            let source = GraphSource {
                oracle: oracle.name.into(),
                dialect: dialect.name.into(),
                model: model.clone(),
                state: state.clone(),
                question,
                alone: None,
            };
            if let Some(case) = graph::case(&source, dialect, Origin::default()) {
                found.push((source, case));
            }
        }
    }
    found
}

#[test]
fn most_proposals_become_cases_in_every_dialect() {
    for (dialect, least) in [(&OPENCYPHER, 200), (&BY_USE, 150), (&GREMLIN, 120)] {
        let made = questions(dialect, false, 5);
        assert!(made.len() >= least, "{}: {}", dialect.name, made.len());
        for (_, case) in &made {
            assert!(case.script.iter().all(|s| !s.text.is_empty()), "{case:?}");
            assert!(case.queries().count() >= 2);
        }
    }
}

#[test]
fn nan_appears_only_when_it_is_wished_for() {
    let says_nan = |(_, case): &(GraphSource, Case)| case.script.iter().any(|s| s.text.contains("0.0 / 0.0"));
    assert!(!questions(&OPENCYPHER, false, 6).iter().any(says_nan));
    assert!(questions(&OPENCYPHER, true, 6).iter().any(says_nan));
}

#[test]
fn a_source_survives_json_and_gives_the_same_case() {
    for (source, case) in questions(&OPENCYPHER, true, 7) {
        let read: GraphSource = serde_json::from_value(case.source.clone().unwrap()).unwrap();
        assert_eq!(read, source);
        assert_eq!(graph::case(&read, &OPENCYPHER, Origin::default()).unwrap().script, case.script);
    }
}

#[test]
fn every_edit_of_the_reducer_keeps_the_tree_sound_or_is_refused() {
    for dialect in [&OPENCYPHER, &BY_USE, &GREMLIN] {
        for (_, case) in questions(dialect, false, 8).into_iter().step_by(40) {
            let subject = GraphSubject::of(&case, Some(dialect)).unwrap();
            for pass in 0..subject.passes() {
                for next in subject.edits(pass).iter().filter_map(|e| subject.apply(e)) {
                    let Some(smaller) = next.case() else { continue };
                    let source: GraphSource = serde_json::from_value(smaller.source.unwrap()).unwrap();
                    let question = &source.question;
                    // These two ask for more than the query itself, and check what they ask.
                    let adds_queries = ["refine", "nonempty"].contains(&source.oracle.as_str());
                    let sound = check::is_sound(&question.query, &source.model, dialect, question.disputed);
                    assert!(adds_queries || sound, "{}: {:?}", source.oracle, smaller.script);
                    assert!(smaller.script.iter().all(|s| !s.text.is_empty()), "{:?}", smaller.script);
                }
            }
        }
    }
}

/// Whether the rule fits somewhere in this dialect; where it does, what is returned stays.
fn fits(rule: &rewrite::Rule, dialect: &'static GraphDialect, rng: &mut Rng) -> bool {
    let missing = Missing::default();
    for _ in 0..500 {
        let model = metamodel::metamodel(dialect, rng);
        let mut generator = Generator::new(dialect, &model, &missing, false, rng);
        let query = generator.query(Default::default());
        let predicate = generator.predicate(2);
        let query = crate::graph::source::restricted(&query, predicate, false);
        let variants = (rule.variants)(&query, dialect);
        if variants.is_empty() {
            continue;
        }
        for variant in variants {
            match variant {
                Variant::Same(q) | Variant::Contained(q, _) => assert_eq!(q.items, query.items, "{}", rule.name),
                Variant::Parts(whole, parts) => {
                    assert!(parts.iter().all(|p| p.items == whole.items), "{}", rule.name);
                }
                Variant::Count(q) => assert_eq!(q.items.len(), 1),
            }
        }
        return true;
    }
    false
}

#[test]
fn every_rule_fits_somewhere_and_keeps_what_is_returned() {
    let mut rng = Rng::new(9);
    for rule in rewrite::RULES {
        let by_steps = rule.by_steps && fits(rule, &GREMLIN, &mut rng);
        assert!(by_steps || fits(rule, &OPENCYPHER, &mut rng), "{} fits nowhere", rule.name);
        assert_eq!(by_steps, rule.by_steps, "{} fits no traversal", rule.name);
    }
}

#[test]
fn splitting_a_match_needs_types_that_keep_relationships_apart() {
    let node =
        |var: &str| crate::graph::ast::NodePattern { var: var.into(), labels: Vec::new(), properties: Vec::new() };
    let step = |var: &str, types: &[&str]| crate::graph::ast::RelPattern {
        var: var.into(),
        types: types.iter().map(|t| (*t).into()).collect(),
        direction: crate::graph::ast::Direction::Out,
        length: None,
        properties: Vec::new(),
    };
    let variants = |a: &[&str], b: &[&str]| {
        let steps = vec![(step("r", a), node("m")), (step("s", b), node("o"))];
        let path = crate::graph::ast::Path { start: node("n"), steps };
        let clause = crate::graph::ast::Clause::Match { optional: false, paths: vec![path], filter: None };
        let items = vec![crate::graph::ast::Expr::Var("n".into())];
        let query = crate::graph::ast::Query { clauses: vec![clause], items, ..Default::default() };
        (rewrite::find("split match").unwrap().variants)(&query, &OPENCYPHER).len()
    };
    assert_eq!(variants(&["R"], &["S"]), 1);
    assert_eq!(variants(&["R"], &["R", "S"]), 0);
    assert_eq!(variants(&[], &["S"]), 0);
    assert!(GREMLIN.form == Form::Gremlin && !GREMLIN.has(Feature::With));
}

/// LadybugDB 0.22.0: `(n:A), (n:C)` in one MATCH is "A or C".
#[test]
fn a_second_label_is_added_only_where_nodes_may_have_two() {
    static ONE_LABEL: GraphDialect = GraphDialect { features: &[Feature::With], ..OPENCYPHER };
    let node = |var: &str, labels: &[&str]| crate::graph::ast::NodePattern {
        var: var.into(),
        labels: labels.iter().map(|l| (*l).into()).collect(),
        properties: Vec::new(),
    };
    let path = |start| crate::graph::ast::Path { start, steps: Vec::new() };
    let variants = |first: &[&str], dialect: &GraphDialect| {
        let paths = vec![path(node("m", &["C"])), path(node("n", first)), path(node("n", &[]))];
        let clause = crate::graph::ast::Clause::Match { optional: false, paths, filter: None };
        let items = vec![crate::graph::ast::Expr::Var("n".into())];
        let query = crate::graph::ast::Query { clauses: vec![clause], items, ..Default::default() };
        (rewrite::find("add label").unwrap().variants)(&query, dialect).len()
    };
    assert_eq!(variants(&["A"], &OPENCYPHER), 1);
    assert_eq!(variants(&["A"], &ONE_LABEL), 0);
    assert!(variants(&[], &ONE_LABEL) > 0);
}

#[test]
fn parts_that_are_all_empty_are_run_to_the_end() {
    let rows = |many: usize| {
        let mut rows = qualm_core::value::Rows::new(1);
        rows.cells.extend(std::iter::repeat_n(Value::Text("x".into()), many));
        Outcome::Rows(rows)
    };
    let said = |many: &[usize]| says_nothing(&many.iter().map(|n| rows(*n)).collect::<Vec<_>>(), true);
    for idle in [&[0][..], &[3, 3], &[3, 0, 3]] {
        assert!(said(idle), "{idle:?}");
    }
    // An index that loses rows whatever the predicate: three empty parts of a whole that is not.
    for enough in [&[3][..], &[3, 0], &[3, 0, 0], &[3, 1], &[3, 1, 2]] {
        assert!(!said(enough), "{enough:?}");
    }
}

/// An engine that breaks at any question of any oracle: its tree is found by its text, and all that is cut out of it is
/// printed from trees.
#[test]
fn a_question_that_breaks_an_engine_has_its_tree() {
    use crate::reduce::{Budget, reduce};
    use crate::survival;
    use qualm_core::session::Spoken;
    let spoken = Spoken::Graph(&OPENCYPHER);
    let mut reduced = 0;
    for (source, whole) in questions(&OPENCYPHER, false, 11).into_iter().step_by(23) {
        let last = whole.queries().last().expect("a question").text.clone();
        let changes = whole.script.iter().filter(|s| !s.is_query()).cloned();
        let script: Vec<Step> = changes.chain([Step::query("last", &last)]).collect();
        let stored = serde_json::to_value(&source).ok();
        let case = Case { source: stored, ..survives::of_script(crate::graph::LANGUAGE, script, Origin::default()) };
        let case = survival::with_tree(case, spoken);
        let tree: GraphSource = serde_json::from_value(case.source.clone().expect("its tree")).unwrap();
        assert_eq!(graph::case(&tree, &OPENCYPHER, case.origin).unwrap().script.last().unwrap().text, last);
        let mut fails = |c: &Case| c.script.last().unwrap().text.contains("RETURN");
        let small = reduce(&case, spoken, Budget::default(), &mut fails);
        let tree: GraphSource = serde_json::from_value(small.source.clone().expect("its tree")).unwrap();
        assert_eq!(graph::case(&tree, &OPENCYPHER, case.origin).as_ref(), Some(&small));
        reduced += usize::from(small.script.len() < case.script.len());
    }
    assert!(reduced > 5, "{reduced}");
}
