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
            let made = (oracle.propose)(&program, &SOUFFLE, &[], &mut rng);
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

/// Copies of copies, and a recursion of which the first round is enough.
#[test]
fn relations_that_hand_tuples_on_are_skipped() {
    let text = ".decl e(a:number, b:number)\n.decl r(a:number, b:number)\n.decl s(a:number, b:number)\n.output s\n\
        e(1, 2).\nr(y, x) :- e(x, y).\ns(x, y) :- r(x, y).\ns(x, z) :- s(x, y), r(y, z).\n";
    let program = crate::datalog::parse::program(text).program;
    let source = DatalogSource::new(DATALOG_ORACLES[0].name, &SOUFFLE, &program);
    let variants = skip_relations(&source).into_iter().map(|edit| {
        let mut next = source.clone();
        assert!(edit(&mut next) && weight(&next) < weight(&source));
        let printed = crate::datalog::print::program(&next.program, &SOUFFLE, &[]);
        printed.lines().filter(|l| l.contains(":-")).collect::<Vec<_>>().join(" ")
    });
    let expected = [
        "s(x0, x1) :- e(x0, x1). s(x0, x1) :- s(x0, x2), e(x2, x1).",
        "r(x0, x1) :- e(x1, x0). s(x0, x1) :- r(x0, x2), r(x2, x1).",
        "r(x0, x1) :- e(x1, x0). s(x0, x1) :- r(x0, x1).",
    ];
    assert_eq!(variants.collect::<Vec<_>>(), expected);
}

fn fails(case: &Case) -> bool {
    let text = &case.script[0].text;
    let fact = |l: &str| !l.starts_with('.') && !l.contains(":-") && l.ends_with(").");
    text.contains("!") && text.lines().any(fact)
}
