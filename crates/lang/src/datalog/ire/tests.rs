//! The order of evaluation on the paper's own example, and the procedure against the evaluator: what rules derive one
//! at a time must be what they derive together. The evaluator answers the reference programs here; real engines do in
//! tests/datalog_engines.rs.

use super::evaluation::{Evaluation, Limits, Stop};
use super::grow::Growth;
use super::parameters::Parameters;
use super::schedule::{Node, Precedence};
use crate::datalog::ast::*;
use crate::datalog::evaluate::{self, Tuple};
use crate::datalog::generate::{Generator, parameters};
use crate::datalog::source::{DatalogSource, FIRM};
use crate::datalog::{parse, print};
use crate::oracle::datalog;
use qualm_core::case::Origin;
use qualm_core::dialect::datalog::{CLINGO, COZO, DatalogDialect, MANGLE, SOUFFLE, Z3_SMT2};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;
use std::collections::BTreeSet;

const LIMITS: Limits = Limits { max_iter: 500, max_facts: 5_000 };

fn program(text: &str) -> Program {
    let read = parse::program(text);
    assert!(!read.program.rules.is_empty(), "{text}");
    read.program
}

/// What the evaluator says to a reference program, which must hold one rule, apart from those that bring facts.
fn alone(program: &Program, dialect: &DatalogDialect) -> Result<BTreeSet<Tuple>, Stop> {
    evaluate::output(program, dialect, FIRM).map_err(|why| panic!("{why:?} in {program:?}"))
}

fn numbers(tuples: &BTreeSet<Tuple>) -> Vec<i64> {
    tuples.iter().map(|t| if let Constant::Number(n) = t[0] { n } else { panic!("{t:?}") }).collect()
}

const FIGURE_4: &str = ".decl a(x:number)\n.decl b(x:number)\n.decl c(x:number)\n.decl d(x:number)\n.output b\n\
    a(1). a(2). a(3). b(1).\nc(x) :- a(x), !b(x).\nd(x) :- c(x).\nc(x) :- d(x).\n";

#[test]
fn figure_4_of_the_paper() {
    let mut evaluation = Evaluation::of(program(FIGURE_4));
    let mut labels = Vec::new();
    let mut run = |program: &Program, about: &str| {
        labels.push(about.to_owned());
        alone(program, &SOUFFLE)
    };
    evaluation.run(&[0, 1, 2], LIMITS, &mut run).unwrap();
    assert_eq!(numbers(&evaluation.contents[2]), [2, 3]);
    assert_eq!(numbers(&evaluation.contents[3]), [2, 3]);
    // The new rule, r3: all others depend on it, and c(2) must go although r2 derived it from itself.
    let two = Literal::Compare(Comparison::Equal, Term::Var(0), Term::number(2));
    let rule = Rule::new(Atom::new("b", vec![Term::Var(0)]), vec![two]);
    let place = |name: &str| ["a", "b", "c", "d"].iter().position(|n| *n == name);
    assert_eq!(evaluation.push(rule, &place), [3]);
    let affected = evaluation.precedence.affected(&[3]);
    assert_eq!(affected, [0, 1, 2, 3]);
    let strata = [Node::Once(vec![3]), Node::Once(vec![0]), Node::Fixpoint(vec![vec![1], vec![2]])];
    assert_eq!(evaluation.precedence.schedule(&affected), strata);
    labels.clear();
    let mut run = |program: &Program, about: &str| {
        labels.push(about.to_owned());
        alone(program, &SOUFFLE)
    };
    evaluation.run(&affected, LIMITS, &mut run).unwrap();
    assert_eq!(labels, ["rule 4 alone", "rule 1 alone", "rule 2 alone", "rule 3 alone"]);
    assert_eq!(numbers(&evaluation.contents[1]), [1, 2]);
    assert_eq!(numbers(&evaluation.contents[2]), [3]);
    assert_eq!(numbers(&evaluation.contents[3]), [3]);
}

/// A form that says nothing else would count as one that cures, and two bugs with a cure in common are one.
#[test]
fn a_short_form_is_written_out_only_where_there_is_one() {
    let names = |rule: &str| -> Vec<&str> {
        let declared = ".decl e(x:number)\n.decl f(x:number)\n.decl r(x:number)\n.output r\ne(1). f(2).\n";
        let source = DatalogSource::new("ire", &SOUFFLE, &program(&format!("{declared}{rule}\n")));
        let draft = datalog::case(&source, Origin { seed: 1, worker: 0, database: 0, check: 0 }).unwrap();
        crate::spelled(&draft).into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names("r(x) :- e(x)."), [""; 0]);
    assert_eq!(names("r(x) :- e(x), f(2)."), ["constant in a subgoal"]);
    assert_eq!(names("r(x) :- e(x), f(y), y != 1."), ["constant in a comparison"]);
}

/// A source that cannot be read back is a case that nobody can make smaller.
#[test]
fn every_constant_survives_json() {
    for float in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0, 5e-324] {
        let text = serde_json::to_string(&Constant::Float(float)).unwrap();
        let back: Constant = serde_json::from_str(&text).unwrap();
        assert!(matches!(back, Constant::Float(f) if f.to_bits() == float.to_bits()), "{float}: {text}");
    }
}

#[test]
fn only_what_depends_on_the_new_rule_is_affected() {
    let text = ".decl e(x:number)\n.decl p(x:number)\n.decl q(x:number)\n.decl r(x:number)\n.decl s(x:number)\n\
        .output s\ne(1).\np(x) :- e(x).\nq(x) :- p(x).\nr(x) :- e(x).\ns(x) :- r(x), q(x).\nr(x) :- r(x), q(x).\n";
    let precedence = Precedence::of(&program(text));
    assert_eq!(precedence.affected(&[0]), [0, 1, 3, 4]);
    assert_eq!(precedence.affected(&[2]), [2, 3, 4]);
    assert_eq!(precedence.needed(2), [0, 1]);
    let order = [
        Node::Once(vec![0]),
        Node::Once(vec![1]),
        Node::Once(vec![2]),
        Node::Fixpoint(vec![vec![4]]),
        Node::Once(vec![3]),
    ];
    let all = precedence.schedule(&[0, 1, 2, 3, 4]);
    let at = |node: &Node| all.iter().position(|n| n == node).unwrap();
    assert!(at(&order[0]) < at(&order[1]) && at(&order[1]) < at(&order[3]) && at(&order[3]) < at(&order[4]));
    assert!(at(&order[2]) < at(&order[3]));
}

#[test]
fn a_cycle_through_a_negation_is_one_program() {
    let text = ".decl a(x:number)\n.decl c(x:number)\n.decl d(x:number)\n.output d\na(1). a(2).\n\
        c(x) :- a(x), x > 1.\nd(x) :- c(x).\nc(x) :- a(x), !d(x).\n";
    let mut evaluation = Evaluation::of(program(text));
    let together = Node::Together(vec![1, 2]);
    assert_eq!(evaluation.precedence.schedule(&[0, 1, 2]), [Node::Once(vec![0]), together]);
    let mut labels = Vec::new();
    let mut run = |program: &Program, about: &str| {
        labels.push((about.to_owned(), program.output.clone(), program.rules.len()));
        Ok(BTreeSet::from([vec![Constant::Number(2)]]))
    };
    evaluation.run(&[0, 1, 2], LIMITS, &mut run).unwrap();
    // Both rules of the cycle, and one that brings what rule 1 derived; once for each relation.
    let expected = [("rule 1 alone", "c", 1), ("rules 2, 3 alone", "d", 3), ("rules 2, 3 alone", "c", 3)]
        .map(|(a, n, c)| (a.into(), n.into(), c));
    assert_eq!(labels, expected);
}

#[test]
fn a_cycle_without_end_is_dropped() {
    let text = ".decl a(x:number)\n.decl b(x:number)\n.output b\na(1).\nb(x) :- a(x).\nb(x + 1) :- b(x).\n";
    let mut evaluation = Evaluation::of(program(text));
    let limits = Limits { max_iter: 20, max_facts: 100 };
    assert_eq!(evaluation.run(&[0, 1], limits, &mut |p, _| alone(p, &SOUFFLE)), Err(Stop::NoFixpoint));
    let limits = Limits { max_iter: 200, max_facts: 10 };
    assert_eq!(evaluation.run(&[0, 1], limits, &mut |p, _| alone(p, &SOUFFLE)), Err(Stop::TooManyFacts));
}

/// Equivalence relations and subsumption: their clauses are run as one program.
#[test]
fn relations_that_close_over_their_rules() {
    let text = ".decl e(x:number, y:number)\n.decl q(x:number, y:number) eqrel\n.decl m(x:number, y:number)\n\
        .decl o(x:number)\n.output o\ne(1, 2). e(2, 3). e(5, 4). q(3, 5).\nq(x, y) :- e(x, y), x < 2.\n\
        q(x, y) :- e(x, y), x > 2.\nq(x, y) :- q(x, z), e(z, y).\nm(x, y) :- q(x, y).\nm(x, 9) :- e(x, _).\n\
        m(a, b) <= m(a, c) :- b < c.\no(y) :- m(_, y).\n";
    let whole = program(text);
    let mut evaluation = Evaluation::of(whole.clone());
    let all: Vec<usize> = (0..evaluation.precedence.clauses.len()).collect();
    evaluation.run(&all, LIMITS, &mut |p, _| alone(p, &SOUFFLE)).unwrap();
    assert_eq!(evaluation.contents, evaluate::contents(&whole, &SOUFFLE, FIRM).unwrap());
}

/// Whatever a generator makes, rule by rule it is the same; and so it is when it grows.
#[test]
fn rules_one_at_a_time_derive_what_they_derive_together() {
    let mut recursive = 0;
    for dialect in [&SOUFFLE, &Z3_SMT2, &COZO, &CLINGO, &MANGLE] {
        for n in 0..60 {
            let mut rng = Rng::stream(7, n);
            let shape = parameters(Size::Medium);
            let whole = Generator { rng: &mut rng, dialect, parameters: shape, loose: false }.program();
            let Ok(expected) = evaluate::contents(&whole, dialect, FIRM) else { continue };
            let mut evaluation = Evaluation::of(whole.clone());
            let all: Vec<usize> = (0..evaluation.precedence.clauses.len()).collect();
            recursive +=
                usize::from(evaluation.precedence.schedule(&all).iter().any(|n| matches!(n, Node::Fixpoint(_))));
            evaluation.run(&all, LIMITS, &mut |p, _| alone(p, dialect)).unwrap();
            assert_eq!(evaluation.contents, expected, "{}", print::program(&whole, dialect, &[]));
        }
    }
    assert!(recursive > 30, "{recursive} of them had a cycle");
}

/// Grown with what the evaluator answers, and taken back now and then: facts and text are those of the program.
#[test]
fn a_growing_program_is_what_it_would_be_at_once() {
    let p = Parameters { p_head: 0.2, max_facts: 60, ..Parameters::default() };
    let limits = Limits { max_iter: 60, max_facts: p.max_facts };
    let mut cyclic = 0;
    for dialect in [&SOUFFLE, &Z3_SMT2, &COZO, &CLINGO, &MANGLE] {
        for n in 0..8 {
            let mut rng = Rng::stream(11, n);
            let mut growth = Growth::start(dialect, &p, Size::Small, &mut rng);
            for _ in 0..40 {
                let Some(candidate) = growth.candidate(&p, &mut rng) else { continue };
                let saved = growth.evaluation.saved(&candidate.affected);
                let mut run = |p: &Program, _: &str| evaluate::output(p, dialect, FIRM).map_err(|_| Stop::Refused);
                let ran = growth.evaluation.run(&candidate.affected, limits, &mut run);
                let switches = growth.switches(&p, &mut rng);
                let relation = candidate.relation;
                if ran.is_err() || rng.chance(1, 4) {
                    growth.evaluation.restore(saved);
                    growth.take_back(candidate);
                    continue;
                }
                let whole = Program {
                    by_running: false,
                    output: growth.evaluation.program.relations[relation].name.clone(),
                    ..growth.evaluation.program.clone()
                };
                if let Ok(expected) = evaluate::contents(&whole, dialect, FIRM) {
                    assert_eq!(growth.evaluation.contents, expected, "{}", print::program(&whole, dialect, &[]));
                }
                let part = growth.source(relation, Vec::new(), Some(5)).program;
                assert!(part.rules.len() <= 5.max(growth.evaluation.precedence.by_head[relation].len()));
                if let Ok(held) = evaluate::output(&part, dialect, FIRM) {
                    assert_eq!(held, growth.evaluation.contents[relation], "{}", print::program(&part, dialect, &[]));
                }
                let sorted = |text: String| {
                    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                    lines.sort();
                    lines
                };
                if dialect.qualifiers.is_empty() {
                    let text = growth.optimised(relation, &switches, None);
                    // The parser's text may end its lists with commas.
                    let written = text.replace(",]", "]").replace(",;\n", "\n");
                    assert_eq!(sorted(written), sorted(print::program(&whole, dialect, &switches)));
                    assert_eq!(sorted(text), sorted(print::for_the_parser(&whole, dialect, &switches)));
                }
            }
            let all: Vec<usize> = (0..growth.evaluation.precedence.clauses.len()).collect();
            let nodes = growth.evaluation.precedence.schedule(&all);
            cyclic += nodes.iter().filter(|n| matches!(n, Node::Fixpoint(_))).count();
        }
    }
    assert!(cyclic > 20, "{cyclic} cycles");
}
