use super::*;
use crate::datalog::ast::{Constant, Literal};
use crate::datalog::evaluate;
use crate::datalog::parse;
use crate::oracle::datalog::DATALOG_ORACLES;
use crate::oracle::survives;
use crate::reduce::{Budget, reduce};
use qualm_core::case::{Origin, Step};
use qualm_core::dialect::datalog::SOUFFLE;
use qualm_core::explore::{Seeds, Size};
use qualm_core::plan::Plan;
use qualm_core::session::{RejectionClass, Spoken};

/// The evaluator behind the interface of an engine. With `lies`, rules with a negated subgoal lose it when the program
/// has more than one of them.
struct Evaluated {
    lies: bool,
}

impl Session for Evaluated {
    fn run(&mut self, text: &str) -> Outcome {
        let parsed = parse::program(text);
        assert_eq!(parsed.unread, [], "{text}");
        let mut program = parsed.program;
        let negates = |l: &Literal| matches!(l, Literal::Not(_));
        let negated = program.rules.iter().flat_map(|r| &r.body).filter(|l| negates(l)).count();
        if self.lies && negated > 1 {
            program.rules.iter_mut().for_each(|r| r.body.retain(|l| !negates(l)));
        }
        let arity = program.relation(&program.output).map_or(0, |r| r.arity());
        match evaluate::output(&program, &SOUFFLE, super::super::source::FIRM) {
            Ok(tuples) => Outcome::Rows(evaluate::rows(&tuples, arity)),
            Err(why) => Outcome::rejected(RejectionClass::Expected, format!("{why:?}")),
        }
    }

    fn plan(&mut self, _: &str) -> Option<Plan> {
        None
    }

    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }
}

fn explorer(seeds: Seeds) -> DatalogExplorer {
    let oracles = DATALOG_ORACLES.iter().map(|o| o.name.to_owned()).collect();
    let spoken = Spoken::Datalog(&SOUFFLE);
    let config = ExploreConfig::new(HuntSpec { oracles, seed: 1, seeds, ..HuntSpec::default() }, spoken);
    DatalogExplorer::new(config, &SOUFFLE).unwrap()
}

#[test]
fn an_engine_that_is_right_gives_no_finding_and_few_empty_answers() {
    let mut explorer = explorer(Seeds::default());
    let (mut session, mut tally) = (Evaluated { lies: false }, Tally::default());
    while tally.checks < 600 {
        let cases = explorer.step(&mut session, &mut tally);
        assert!(cases.is_empty(), "{}", serde_json::to_string_pretty(&cases).unwrap());
    }
    assert!(tally.vacuous * 5 < tally.checks, "{} of {} checks say nothing", tally.vacuous, tally.checks);
    assert_eq!(tally.per_oracle.len(), DATALOG_ORACLES.iter().filter(|o| o.complete.is_none()).count());
    assert!(tally.per_rule.len() >= 8, "{:?}", tally.per_rule);
}

#[test]
fn an_engine_that_lies_is_found_out_and_the_case_gets_small() {
    let mut explorer = explorer(Seeds::default());
    let (mut session, mut tally) = (Evaluated { lies: true }, Tally::default());
    let mut oracles = std::collections::BTreeSet::new();
    while oracles.len() < 2 && tally.checks < 5_000 {
        for case in explorer.step(&mut session, &mut tally) {
            if !oracles.insert(case.oracle.clone()) {
                continue;
            }
            let evidence = case.run(&mut session);
            assert!(evidence.verdict.is_bug(), "a case has all that is needed");
            let small = reduce(&case, &SOUFFLE, Budget::default(), &mut |c| c.run(&mut session).verdict.is_bug());
            let label = small.script[0].label.clone().unwrap();
            assert!(label.contains("; expected "), "{label}");
            let lines = small.script[0].text.lines().filter(|l| !l.starts_with('.')).count();
            assert!(lines <= 8, "{lines} rules and facts are left:\n{}", small.script[0].text);
        }
    }
    assert!(oracles.contains("queryfuzz") && oracles.contains("reference"), "{oracles:?}");
}

#[test]
fn seeds_are_extended() {
    let text = ".decl edge(x:number, y:number)\n.decl path(x:number, y:number)\n.output path\nedge(1, 2). edge(2, 3).\n\
        path(x, y) :- edge(x, y).\npath(x, z) :- path(x, y), edge(y, z).\n";
    let scripts = vec![qualm_core::explore::NamedText { name: "tc.dl".into(), text: text.into() }];
    let mut explorer = explorer(Seeds { scripts, share: (1, 1) });
    let (mut session, mut tally) = (Evaluated { lies: false }, Tally::default());
    explorer.fresh_program(&mut session, &mut tally);
    let program = explorer.program.unwrap();
    assert!(program.is_derived("path") && program.output != "path");
    assert!(program.facts.iter().any(|f| f.values == [Constant::Number(2), Constant::Number(3)]));
}

/// An engine that breaks at a program: its tree is found by its text, whichever of the programs of a check it was, and
/// all that is cut out of it is a program.
#[test]
fn a_program_that_breaks_an_engine_has_its_tree() {
    use crate::survival;

    let (mut rng, mut reduced) = (Rng::new(3), 0);
    let parameters = crate::datalog::generate::parameters(Size::Small);
    let spoken = Spoken::Datalog(&SOUFFLE);
    for _ in 0..40 {
        let mut generator = Generator { rng: &mut rng, dialect: &SOUFFLE, parameters, loose: false };
        let program = generator.program();
        for oracle in DATALOG_ORACLES.iter().filter(|o| o.complete.is_none() && o.name != "reference") {
            let Some(source) = (oracle.propose)(&program, &SOUFFLE, &[], &mut rng) else { continue };
            let Some(derived) = (oracle.derive)(&source, &SOUFFLE) else { continue };
            for step in derived.script {
                let stored = serde_json::to_value(&source).ok();
                let script = vec![Step::query("last", &step.text)];
                let case =
                    Case { source: stored, ..survives::of_script(crate::datalog::LANGUAGE, script, Origin::default()) };
                let case = survival::with_tree(case, spoken);
                let tree: DatalogSource = serde_json::from_value(case.source.clone().expect("its tree")).unwrap();
                assert_eq!(datalog::case(&tree, case.origin).unwrap().script[0].text, step.text);
                // A rule; a subsumption has the same sign.
                let is_rule = |line: &str| line.contains(":-") && !line.contains(") <= ");
                let mut fails = |c: &Case| c.script[0].text.lines().any(is_rule);
                let small = reduce(&case, spoken, Budget::default(), &mut fails);
                let parsed = parse::program(&small.script[0].text);
                assert_eq!((parsed.unread.len(), parsed.program.rules.len()), (0, 1), "{}", small.script[0].text);
                reduced += 1;
            }
        }
        if reduced > 20 {
            return;
        }
    }
    panic!("{reduced} programs");
}

/// The same, which answers several programs together.
struct Together {
    engine: Evaluated,
    asked: Vec<String>,
    /// How many of them were announced together with others.
    together: usize,
}

impl Session for Together {
    fn run(&mut self, text: &str) -> Outcome {
        self.asked.push(text.to_owned());
        self.engine.run(text)
    }

    fn plan(&mut self, _: &str) -> Option<Plan> {
        None
    }

    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn bundle(&self) -> Option<usize> {
        Some(6)
    }

    fn expect(&mut self, texts: &[&str]) {
        assert!((2..=6).contains(&texts.len()));
        self.together += texts.len();
    }
}

#[test]
fn test_cases_that_grow_side_by_side_ask_together_and_do_the_same_each_time() {
    let hunt = |lies: bool| {
        let spec = HuntSpec { oracles: vec!["ire".into()], seed: 1, ..HuntSpec::default() };
        let config = ExploreConfig::new(spec, Spoken::Datalog(&SOUFFLE));
        let mut session = Together { engine: Evaluated { lies }, asked: Vec::new(), together: 0 };
        let mut explorer = super::explorer(config, &SOUFFLE, &session).unwrap();
        let (mut tally, mut cases) = (Tally::default(), Vec::new());
        while tally.checks < 400 || (lies && cases.is_empty() && tally.checks < 20_000) {
            cases.extend(explorer.step(&mut session, &mut tally));
        }
        (session, cases, explorer.database(), tally)
    };
    let (session, cases, database, tally) = hunt(false);
    assert!(cases.is_empty(), "{}", serde_json::to_string_pretty(&cases).unwrap());
    assert!(session.together * 2 > session.asked.len(), "{} of {}", session.together, session.asked.len());
    let begun = tally.grown.cases..=tally.grown.cases + 6;
    assert!(begun.contains(&tally.databases), "at most six grow at a time: {tally:?}");
    assert!(database >= 6);
    assert!(hunt(false).0.asked == session.asked, "the same questions in the same order");
    let (mut session, cases, ..) = hunt(true);
    assert!(cases.first().expect("a lie is found out").run(&mut session).verdict.is_bug());
}
