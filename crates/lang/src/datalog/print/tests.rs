use super::*;
use crate::datalog::evaluate::{self, QUICK};
use crate::datalog::generate::{Generator, parameters};
use crate::datalog::{check, parse};
use crate::oracle::datalog::DATALOG_ORACLES;
use qualm_core::dialect::datalog::{DATALOG_DIALECTS, Part, SOUFFLE};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;

/// One program with everything, and what each dialect has of it.
const SAMPLE: &str = r#"
.decl e0(a0:number, a1:number) btree
.decl e1(a0:number, a1:symbol)
.decl r0(a0:number, a1:number) magic
.decl r1(a0:number)
.decl r2(a0:symbol) inline
.decl r3(a0:number, a1:number) eqrel
.decl r4(a0:number, a1:number) choice-domain a0
.output r1
e0(1, 2). e0(2, -3). e1(1, "a\"b"). r1(7).
r0(x, y) :- e0(x, y).
r0(x, z) :- r0(x, y), e0(y, z).
.plan 0:(2,1)
r1(x) :- e0(x, y), !e1(y, _), x < y, y != 2.
r1(x) :- r0(x, y), !e0(y, x), x < y, y != 2.
r1(5) :- e0(_, 2).
r1(x + y) :- e0(x, y), z = x * 2 - y, z >= -4, z band 3 = 1.
r1(n) :- n = count : { e0(_, y) }.
r1(n) :- e0(x, _), n = sum y : { e0(x, y) }.
r2(cat(s, "c")) :- e1(x, s), contains("a", s), strlen(s) > 1.
r1(x), r3(x, y) :- e0(x, y), (x > 1 ; r0(y, x), y <= 3).
r4(x, max(x, y)) :- e0(x, y).
r4(x, y) <= r4(x, z) :- y < z.
"#;

/// What a dialect lacks is taken out rule by rule, as the check says.
fn portable(dialect: &qualm_core::dialect::datalog::DatalogDialect) -> Program {
    let unsigned = !dialect.kinds.contains(&Kind::Number);
    let text = if unsigned {
        SAMPLE.replace("number", "unsigned").replace("-3", "3").replace("-4", "4")
    } else {
        SAMPLE.into()
    };
    let parsed = parse::program(&text);
    assert_eq!(parsed.unread, []);
    let whole = parsed.program;
    let mut kept = Program { output: "r1".into(), ..Program::default() };
    for relation in &whole.relations {
        let mut relation = relation.clone();
        relation.qualifiers.retain(|q| dialect.qualifiers.contains(q));
        if !dialect.has(Part::Choice) {
            relation.choice.clear();
        }
        keep(&mut kept, dialect, |p| p.relations.push(relation.clone()));
    }
    for rule in &whole.rules {
        let mut rule = rule.clone();
        if !dialect.has(Part::PlanHint) {
            rule.plan.clear();
        }
        keep(&mut kept, dialect, |p| p.rules.push(rule.clone()));
    }
    for fact in &whole.facts {
        keep(&mut kept, dialect, |p| p.facts.push(fact.clone()));
    }
    for s in &whole.subsumptions {
        keep(&mut kept, dialect, |p| p.subsumptions.push(s.clone()));
    }
    kept
}

fn keep(program: &mut Program, dialect: &qualm_core::dialect::datalog::DatalogDialect, add: impl Fn(&mut Program)) {
    let mut next = program.clone();
    add(&mut next);
    let mut judged = next.clone();
    if judged.relation("r1").is_none() {
        judged.output = judged.relations[0].name.clone();
    }
    if check::program(&judged, dialect).is_ok() {
        *program = next;
    }
}

#[test]
fn each_dialect_has_its_own_words() {
    for dialect in DATALOG_DIALECTS {
        let switches: Vec<String> = dialect.switches.iter().take(2).map(|s| s.name.to_owned()).collect();
        let sample = portable(dialect);
        check::program(&sample, dialect).unwrap();
        insta::assert_snapshot!(dialect.name, program(&sample, dialect, &switches));
    }
}

/// The programs that a driver asks first say what they are said to say.
#[test]
fn the_self_test_is_right() {
    let test = SOUFFLE.self_test;
    let parsed = parse::program(test.program);
    assert_eq!(parsed.unread, []);
    let tuples = evaluate::output(&parsed.program, &SOUFFLE, QUICK).unwrap();
    let expected: qualm_core::value::Rows = serde_json::from_str(test.answer).unwrap();
    assert_eq!(evaluate::rows(&tuples, 2), expected);
}

/// Programs with the answers of the evaluator, and pairs with their claims, one line of JSON each, for trying printers
/// and oracles on real engines by hand: written only where QUALM_DUMP names a folder.
#[test]
fn programs_can_be_written_for_real_engines() {
    let Ok(folder) = std::env::var("QUALM_DUMP") else { return };
    let count: usize = std::env::var("QUALM_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    for dialect in DATALOG_DIALECTS {
        let mut rng = Rng::new(99);
        let (mut lines, mut pairs) = (String::new(), String::new());
        let mut written = 0;
        while written < count {
            let parameters = parameters(Size::Medium);
            let made = Generator { rng: &mut rng, dialect, parameters, loose: false }.program();
            let Ok(tuples) = evaluate::output(&made, dialect, QUICK) else { continue };
            written += 1;
            let arity = made.relation(&made.output).unwrap().arity();
            let rows = evaluate::rows(&tuples, arity);
            let line = serde_json::json!({"program": program(&made, dialect, &[]), "answer": rows});
            let _ = writeln!(lines, "{line}");
            for oracle in DATALOG_ORACLES {
                let source = (oracle.propose)(&made, dialect, &[], &mut rng);
                let Some(derived) = source.and_then(|s| (oracle.derive)(&s, dialect)) else { continue };
                let line = serde_json::json!({"oracle": oracle.name, "asks": derived.script, "claim": derived.claim});
                let _ = writeln!(pairs, "{line}");
            }
        }
        std::fs::write(format!("{folder}/{}.jsonl", dialect.name), lines).unwrap();
        std::fs::write(format!("{folder}/{}.pairs.jsonl", dialect.name), pairs).unwrap();
    }
}
