use super::*;
use crate::datalog::generate::{Generator, parameters};
use crate::oracle::datalog::DATALOG_ORACLES;
use crate::reduce::{Budget, reduce};
use qualm_core::dialect::datalog::SOUFFLE;
use qualm_core::explore::Size;
use qualm_core::rng::Rng;

/// A made-up bug: an engine that is wrong wherever a program holds a negated subgoal and a fact. Whatever the oracle,
/// little more than that is left.
#[test]
fn what_does_not_matter_goes() {
    let mut rng = Rng::new(4);
    // What is written with answers of an engine has tests of its own.
    for oracle in DATALOG_ORACLES.iter().filter(|o| o.complete.is_none()) {
        let (source, case) = loop {
            let parameters = parameters(Size::Large);
            let program = Generator { rng: &mut rng, dialect: &SOUFFLE, parameters, loose: false }.program();
            let made = (oracle.propose)(&program, &SOUFFLE, &mut rng);
            let case = made.as_ref().and_then(|s| datalog::case(s, Origin::default()));
            if let (Some(source), Some(case)) = (made, case)
                && fails(&case)
            {
                break (source, case);
            }
        };
        let small = reduce(&case, &SOUFFLE, Budget::default(), &mut |c| fails(c));
        let left: DatalogSource = serde_json::from_value(small.source.clone().unwrap()).unwrap();
        assert!(fails(&small));
        assert!(weight(&left) < weight(&source), "{}", oracle.name);
        let parts = left.program.rules.len() + left.program.facts.len();
        assert!(parts <= 4, "{}: {parts} rules and facts are left:\n{}", oracle.name, small.script[0].text);
    }
}

fn fails(case: &Case) -> bool {
    let text = &case.script[0].text;
    let fact = |l: &str| !l.starts_with('.') && !l.contains(":-") && l.ends_with(").");
    text.contains("!") && text.lines().any(fact)
}
