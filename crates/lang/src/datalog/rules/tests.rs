use super::*;
use crate::datalog::evaluate::{self, Bounds, Failure};
use crate::datalog::generate::{Generator, parameters};
use qualm_core::dialect::datalog::{DATALOG_DIALECTS, SOUFFLE};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;
use std::collections::BTreeMap;

/// Every sequence of steps, over thousands of programs of every dialect, keeps its claim in the evaluator.
#[test]
fn every_claim_holds_in_the_evaluator() {
    const BOUNDS: Bounds = Bounds { tuples: 400, steps: 20_000 };
    let mut per_rule: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    // Older releases and other widths of Soufflé are parts of its newest one.
    for dialect in DATALOG_DIALECTS.iter().filter(|d| !d.name.starts_with("souffle-")) {
        let mut rng = Rng::new(29);
        for _ in 0..programs_per_dialect() {
            let parameters = parameters(if rng.coin() { Size::Small } else { Size::Medium });
            let program = Generator { rng: &mut rng, dialect, parameters, loose: false }.program();
            let Ok(original) = evaluate::output(&program, dialect, BOUNDS) else { continue };
            for _ in 0..4 {
                let length = if rng.coin() { 1 } else { 20 };
                let Some((steps, variant, effect)) = propose(&program, dialect, &[], length, &mut rng) else {
                    continue;
                };
                let (again, same) = apply_all(&program, &steps, dialect).expect("steps can be made again");
                assert_eq!((&again, same), (&variant, effect));
                let transformed = match evaluate::output(&variant, dialect, BOUNDS) {
                    Ok(tuples) => tuples,
                    Err(Failure::Refused(why)) => panic!("{why}\n{steps:?}\n{program:?}"),
                    Err(_) => continue,
                };
                let holds = match effect {
                    Effect::Equal => original == transformed,
                    Effect::Grows => original.is_subset(&transformed),
                    Effect::Shrinks => transformed.is_subset(&original),
                };
                assert!(holds, "{}: {effect:?} fails\n{steps:?}\n{program:?}", dialect.name);
                for step in &steps {
                    let counts = per_rule.entry(step.spec().unwrap().name).or_default();
                    counts[0] += 1;
                    counts[1] += u32::from(!original.is_empty() || !transformed.is_empty());
                }
            }
        }
    }
    println!("{per_rule:?}");
    assert_eq!(per_rule.len(), RULES.len(), "every rule is used");
    assert!(per_rule.values().all(|c| c[1] > 30), "every rule is used where there are answers: {per_rule:?}");
}

/// More of them with `QUALM_PROGRAMS`, for a release build.
fn programs_per_dialect() -> usize {
    std::env::var("QUALM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

fn var(v: Var) -> Term {
    Term::Var(v)
}

fn atom(name: &str, vars: &[Var]) -> Literal {
    Literal::Atom(Atom::new(name, vars.iter().map(|v| var(*v)).collect()))
}

fn relation(name: &str, arity: usize) -> Relation {
    let attribute = |i| Attribute { name: smol_str::format_smolstr!("a{i}"), kind: Kind::Number };
    Relation {
        name: name.into(),
        attributes: (0..arity).map(attribute).collect(),
        qualifiers: Vec::new(),
        choice: Vec::new(),
    }
}

/// Relations a, b of two attributes, c of one; p with the given body and head variables.
fn program(head: &[Var], body: Vec<Literal>) -> Program {
    Program {
        types: Vec::new(),
        by_running: false,
        relations: vec![relation("a", 2), relation("b", 2), relation("c", 1), relation("p", head.len())],
        facts: Vec::new(),
        rules: vec![Rule::new(Atom::new("p", head.iter().map(|v| var(*v)).collect()), body)],
        subsumptions: Vec::new(),
        output: "p".into(),
    }
}

/// The examples of the table, x, y, z, w being 0 to 3.
#[test]
fn the_examples_are_what_the_rules_do() {
    let changed = |p: &Program, s: Step| apply(p, &s, &SOUFFLE).map(|(p, e)| (p.rules[0].body.clone(), e));
    let (x, y, z, w) = (0, 1, 2, 3);

    let p = program(&[x], vec![atom("a", &[y, x])]);
    let step = Step::AddEqu { rule: 0, subgoal: 0, fresh: vec![0] };
    assert_eq!(changed(&p, step), Some((vec![atom("a", &[y, x]), atom("a", &[z, x])], Effect::Equal)));

    let p = program(&[x], vec![atom("a", &[x, y])]);
    let step = Step::AddCon { rule: 0, atom: Atom::new("a", vec![var(y), var(y)]) };
    assert_eq!(changed(&p, step), Some((vec![atom("a", &[x, y]), atom("a", &[y, y])], Effect::Shrinks)));

    let p = program(&[x], vec![atom("a", &[x, y]), atom("a", &[y, x])]);
    let step = Step::ModExp { rule: 0, subgoal: 1, argument: 1 };
    assert_eq!(changed(&p, step), Some((vec![atom("a", &[x, y]), atom("a", &[y, z])], Effect::Grows)));
    let step = Step::ModEqu { rule: 0, var: y };
    assert_eq!(changed(&p, step), Some((vec![atom("a", &[x, z]), atom("a", &[z, x])], Effect::Equal)));

    let p = program(&[x], vec![atom("a", &[x, y]), atom("a", &[y, z])]);
    let step = Step::ModCon { rule: 0, var: y, into: x };
    assert_eq!(changed(&p, step), Some((vec![atom("a", &[x, x]), atom("a", &[x, z])], Effect::Shrinks)));

    let p = program(&[x], vec![atom("a", &[x, y]), atom("b", &[x, y])]);
    assert_eq!(changed(&p, Step::RemExp { rule: 0, subgoal: 1 }), Some((vec![atom("a", &[x, y])], Effect::Grows)));
    assert_eq!(changed(&p, Step::RemEqu { rule: 0, subgoal: 1 }), None);

    let eight = Term::number(8);
    let p = program(&[x], vec![Literal::Atom(Atom::new("a", vec![var(x), eight.clone()]))]);
    let named = vec![atom("a", &[x, y]), Literal::Compare(Comparison::Equal, var(y), eight)];
    let step = Step::ModConst { rule: 0, subgoal: 0, argument: 1 };
    assert_eq!(changed(&p, step), Some((named, Effect::Equal)));
    assert_eq!(changed(&p, Step::ModConst { rule: 0, subgoal: 0, argument: 0 }), None);

    let more = Literal::Compare(Comparison::NotEqual, var(y), Term::number(2));
    let step = Step::AddIf { rule: 0, comparison: Comparison::NotEqual, var: y, other: Term::number(2) };
    let p = program(&[x], vec![atom("a", &[x, y])]);
    assert_eq!(changed(&p, step.clone()), Some((vec![atom("a", &[x, y]), more.clone()], Effect::Shrinks)));
    let p = program(&[x], vec![atom("a", &[x, y]), more]);
    assert_eq!(changed(&p, step), None);
    assert_eq!(changed(&p, Step::RemExp { rule: 0, subgoal: 1 }), Some((vec![atom("a", &[x, y])], Effect::Grows)));

    let p = program(&[x], vec![atom("a", &[y, x]), atom("a", &[w, x])]);
    assert_eq!(changed(&p, Step::RemEqu { rule: 0, subgoal: 1 }), Some((vec![atom("a", &[y, x])], Effect::Equal)));
    assert_eq!(changed(&p, Step::RemExp { rule: 0, subgoal: 1 }), None);

    let p = program(&[x, y], vec![atom("a", &[x, y]), atom("b", &[y, z]), atom("c", &[z])]);
    let (after, effect) = apply(&p, &Step::NegEqu { rule: 0, subgoal: 2 }, &SOUFFLE).unwrap();
    let not = |name: &str| Literal::Not(Atom::new(name, vec![var(z)]));
    assert_eq!(effect, Effect::Equal);
    assert_eq!(after.rules[0].body, vec![atom("a", &[x, y]), atom("b", &[y, z]), not("n0")]);
    assert_eq!(after.rules[1].body, vec![atom("a", &[x, y]), atom("b", &[y, z]), not("c")]);
}

/// The relation and its fact are new; a variable is no constant.
#[test]
fn a_constant_moves_into_a_fact() {
    let (x, y, z) = (0, 1, 2);
    let unequal = |t: Term| Literal::Compare(Comparison::NotEqual, var(y), t);
    let p = program(&[x], vec![atom("a", &[x, y]), unequal(Term::number(2))]);
    let (after, effect) = apply(&p, &Step::ModFact { rule: 0, subgoal: 1, argument: 1 }, &SOUFFLE).unwrap();
    assert_eq!(effect, Effect::Equal);
    assert_eq!(after.rules[0].body, vec![atom("a", &[x, y]), atom("k0", &[z]), unequal(var(z))]);
    assert_eq!(after.facts, [Fact { relation: "k0".into(), values: vec![Constant::Number(2)] }]);
    assert_eq!(apply(&p, &Step::ModFact { rule: 0, subgoal: 1, argument: 0 }, &SOUFFLE), None);
}

/// `q` is the output and uses `p` under a negation, so more in p is less in q; in an aggregate nothing is claimed.
#[test]
fn the_graph_decides_what_the_output_does() {
    let (x, y) = (0, 1);
    let mut p = program(&[x], vec![atom("a", &[x, y]), atom("c", &[x])]);
    p.relations.push(relation("q", 1));
    p.output = "q".into();
    let step = Step::RemExp { rule: 0, subgoal: 1 };
    let effect = |p: &Program| apply(p, &step, &SOUFFLE).map(|(_, e)| e);
    let negated = Literal::Not(Atom::new("p", vec![var(x)]));
    p.rules.push(Rule::new(Atom::new("q", vec![var(x)]), vec![atom("c", &[x]), negated.clone()]));
    assert_eq!(effect(&p), Some(Effect::Shrinks));
    p.rules[1].body = vec![atom("c", &[x]), atom("p", &[x])];
    assert_eq!(effect(&p), Some(Effect::Grows));
    p.rules.push(Rule::new(Atom::new("q", vec![var(x)]), vec![atom("c", &[x]), negated]));
    assert_eq!(effect(&p), None);
    p.rules.truncate(1);
    let count = Term::Aggregate(Box::new(Aggregate { fold: Fold::Count, target: None, body: vec![atom("p", &[y])] }));
    let counted = vec![Literal::Compare(Comparison::Equal, var(x), count)];
    p.rules.push(Rule::new(Atom::new("q", vec![var(x)]), counted));
    assert_eq!(effect(&p), None);
    p.rules.truncate(1);
    assert_eq!(effect(&p), Some(Effect::Equal), "p does not reach the output");
}

/// Without the subgoal the variable would belong to the aggregate, which would then count something else.
#[test]
fn a_variable_does_not_slip_into_an_aggregate() {
    let (x, y, z) = (0, 1, 2);
    let count = Aggregate { fold: Fold::Count, target: None, body: vec![atom("b", &[y, z])] };
    let counted = Literal::Compare(Comparison::Equal, var(x), Term::Aggregate(Box::new(count)));
    let p = program(&[x], vec![atom("c", &[y]), counted]);
    assert_eq!(apply(&p, &Step::RemExp { rule: 0, subgoal: 0 }, &SOUFFLE), None);
}

mod users {
    use super::super::user::{UserRule, read};
    use super::super::{Effect, Step, apply};
    use crate::datalog::{parse, print};
    use crate::user_rules::RuleRelation;
    use crate::user_rules::UserText;
    use qualm_core::dialect::datalog::SOUFFLE;
    use qualm_core::explore::NamedText;

    const DECLARED: &str =
        ".decl a(x:number, y:number)\na(1, 2).\n.decl b(x:number)\nb(1).\n.decl o(x:number)\n.output o\n";

    fn rule(pattern: &str, replacement: &str, relation: RuleRelation) -> UserRule {
        let text = UserText { relation, pattern: pattern.into(), replacement: replacement.into() };
        UserRule::of("mine", &text).unwrap_or_else(|(_, why)| panic!("{why}"))
    }

    /// The rule as it is after each way to apply the user's, with what that does to the output.
    fn rewritten(user: &UserRule, rules: &str) -> Vec<(String, Effect)> {
        let program = parse::program(&format!("{DECLARED}{rules}")).program;
        let last = program.rules.len() - 1;
        let mut found = Vec::new();
        for site in 0..user.places(&program.rules[last]) {
            let Some((next, effect)) = apply(&program, &Step::user(user, last, site), &SOUFFLE) else { continue };
            let text = print::program(&next, &SOUFFLE, &[]);
            let written = text.lines().rfind(|l| l.contains(":-")).unwrap_or_default().to_owned();
            found.push((written, effect));
        }
        found
    }

    #[test]
    fn subgoals_are_matched_in_any_order() {
        let swap = rule("$A, $t1 < $t2", "$t2 > $t1, $A", RuleRelation::Same);
        assert_eq!(
            rewritten(&swap, "o(x) :- x < y, b(x), a(x, y)."),
            [
                ("o(x0) :- x1 > x0, b(x0), a(x0, x1).".to_owned(), Effect::Equal),
                ("o(x0) :- x1 > x0, a(x0, x1), b(x0).".to_owned(), Effect::Equal),
            ]
        );
        let again = rule("$R($t1, $t2)", "$R($t1, $t2), $R($t1, $f)", RuleRelation::Same);
        assert_eq!(
            rewritten(&again, "o(x) :- b(x), a(x, _)."),
            [("o(x0) :- b(x0), a(x0, _), a(x0, x1).".to_owned(), Effect::Equal)]
        );
        // Two wildcards are not one value.
        let twice = rule("$R($t, $t)", "$R($t, $t)", RuleRelation::Same);
        assert_eq!(twice.places(&parse::program(&format!("{DECLARED}o(1) :- a(_, _).")).program.rules[0]), 0);
    }

    #[test]
    fn more_under_a_negation_is_less() {
        let loosen = rule("$t1 < $t2", "$t1 <= $t2", RuleRelation::Contains);
        let effects = |rules: &str| -> Vec<Effect> { rewritten(&loosen, rules).into_iter().map(|(_, e)| e).collect() };
        assert_eq!(effects("o(x) :- a(x, y), x < y."), [Effect::Grows]);
        let negated = ".decl n(x:number)\no(x) :- b(x), !n(x). n(x) :- a(x, y), x < y.";
        assert_eq!(effects(negated), [Effect::Shrinks]);
        let both = ".decl n(x:number)\no(x) :- b(x), !n(x). o(x) :- n(x). n(x) :- a(x, y), x < y.";
        assert_eq!(effects(both), []);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |pattern: &str, replacement: &str, more: &str| {
            let text = format!(
                "language = \"datalog\"\n[[rule]]\nname = \"r\"\nover = \"body\"\npattern = \"{pattern}\"\n\
                 replacement = \"{replacement}\"\nrelation = \"same\"\n{more}"
            );
            read(&NamedText { name: "d.toml".into(), text }).unwrap_err()
        };
        assert_eq!(wrong("$A", "$L", ""), "d.toml:6: replacement '$L' of rule 'r': '$L' is not in the pattern");
        assert_eq!(
            wrong("r(x)", "r(x)", ""),
            "d.toml:5: pattern 'r(x)' of rule 'r': 'x' is a variable of no rule; write $t for a term or $v for a \
             variable"
        );
        assert!(
            wrong("$q", "$q", "").starts_with("d.toml:5: pattern '$q' of rule 'r': unknown metavariable '$q' here")
        );
        assert_eq!(
            wrong("$A", "$A", "precondition = \"b(1)\"\nexpect = 0\n"),
            "d.toml:8: precondition 'b(1)' of rule 'r': only rules of SQL can have one; leave it out"
        );
    }
}
