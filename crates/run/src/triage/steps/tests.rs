use super::*;
use crate::testing::{
    FLATTENER, SAME, case, found_case, index_case, isolated, isolated_within, spoken, survives, union_case,
};
use qualm_core::relation::Difference;
use qualm_core::slowness::Threshold;
use std::cell::Cell;

fn never() -> bool {
    false
}

fn texts(case: &Case) -> Vec<&str> {
    case.script.iter().map(|step| step.text.as_str()).collect()
}

#[test]
fn what_fails_twice_in_the_same_way_is_confirmed() {
    let (case, evidence) = try_confirm(&mut isolated("canary:index-row"), index_case()).unwrap();
    assert_eq!(case, index_case());
    assert!(matches!(evidence.verdict, Verdict::Violated(_)) && evidence.answers.len() == 2);
    // The engine that does not lie, and one whose answers are its own choice.
    let mut honest = isolated("sqlite");
    assert_eq!(try_confirm(&mut honest, index_case()), Err(Doubt::Gone));
    assert_eq!(confirm(&mut honest, index_case()), None);
    let script = vec![Step::query("one", "SELECT random()"), Step::query("another", "SELECT random()")];
    let random = self::case("eet", script, SAME);
    assert!(honest.run(&random).verdict.is_bug());
    assert_eq!(try_confirm(&mut honest, random), Err(Doubt::Gone));
}

#[test]
fn trouble_is_the_same_where_its_kind_is_and_what_the_engine_said() {
    let broke = |kind, text: &str| Verdict::Broke { kind, text: text.into() };
    let crash = |text| broke(FailureKind::Crash, text);
    let internal = |text| broke(FailureKind::InternalError, text);
    let wrong = || Verdict::Violated(Difference::default());
    let right = || Verdict::Holds { vacuous: false };
    for (a, b, same) in [
        (wrong(), wrong(), true),
        (right(), right(), false),
        (wrong(), right(), false),
        (wrong(), crash("SIGSEGV"), false),
        (crash("SIGSEGV; last words"), crash("SIGSEGV; other words"), true),
        (crash("SIGSEGV"), crash("SIGABRT"), false),
        (internal("no query solution in 'x' 12"), internal("no query solution in 'y' 7"), true),
        (internal("no query solution"), internal("malformed"), false),
        (internal("SIGSEGV"), crash("SIGSEGV"), false),
        (broke(FailureKind::Hang, "5000 ms"), broke(FailureKind::Hang, "500 ms"), true),
        (broke(FailureKind::Hang, "x"), broke(FailureKind::OutOfMemory, "x"), false),
    ] {
        assert_eq!(same_trouble(&a, &b), same, "{a:?} and {b:?}");
        assert_eq!(same_trouble(&b, &a), same, "{b:?} and {a:?}");
    }
}

#[test]
fn cures_are_the_settings_without_which_a_real_bug_is_gone() {
    let mut engine = isolated("sqlite");
    let (case, evidence) = try_confirm(&mut engine, union_case()).expect("the linked release has the bug");
    let cures = cures(&mut engine, &case, &evidence, &never).unwrap();
    assert!(cures.contains(&FLATTENER.to_string()), "{cures:?}");
    for cure in &cures {
        assert!(is_cured_by(&mut engine, &case, cure), "{cure}");
    }
    let optimiser = |k: &&Knob| k.class == Class::Optimiser && !cures.contains(&k.name);
    let other = engine.knobs.iter().find(optimiser).unwrap().name.clone();
    assert!(!is_cured_by(&mut engine, &case, &other) && !is_cured_by(&mut engine, &case, "no such setting"));
    let shrunk = Shrunk { case, evidence, stats: ReductionStats::default() };
    let finding = finding(&mut engine, spoken("sqlite"), "sqlite", shrunk, &[], &never);
    assert_eq!(finding.cures, cures);
    assert!(cures.iter().all(|cure| finding.fingerprint.cures.contains(cure)), "{:?}", finding.fingerprint);
    let remedy = finding.remedies.iter().find(|(name, _)| name == FLATTENER).unwrap();
    assert!(remedy.1.starts_with(".testctrl optimizations "), "{remedy:?}");
    assert_eq!((finding.remedies.len(), finding.plans.len()), (cures.len(), 2));
}

/// Some of them would make another bug of it.
#[test]
fn cures_are_known_only_when_there_was_time_to_try_all_settings() {
    let mut liar = isolated("canary:index-row");
    let (case, evidence) = try_confirm(&mut liar, index_case()).unwrap();
    assert_eq!(cures(&mut liar, &case, &evidence, &|| true), None);
    let looks = Cell::new(0);
    let ends_soon = || {
        looks.set(looks.get() + 1);
        looks.get() > 2
    };
    assert_eq!(cures(&mut liar, &case, &evidence, &ends_soon), None);
    assert_eq!(looks.get(), 3);
    assert_eq!(cures(&mut liar, &case, &evidence, &never), Some(vec![]));
}

/// Each try would cost a whole timeout: nothing is run.
#[test]
fn a_hang_has_no_cures() {
    let mut liar = isolated_within("canary:hang", 300);
    let hang = survives(&["SELECT quote(1)"]);
    let evidence = liar.run(&hang);
    assert!(matches!(evidence.verdict, Verdict::Broke { kind: FailureKind::Hang, .. }));
    let looks = Cell::new(0);
    let count = || {
        looks.set(looks.get() + 1);
        false
    };
    assert_eq!(cures(&mut liar, &hang, &evidence, &count), Some(vec![]));
    assert_eq!(looks.get(), 0);
}

#[test]
fn an_engine_that_crashes_with_every_setting_has_no_cures() {
    let mut liar = isolated("canary:crash");
    let crash = survives(&["CREATE TABLE t0(c0)", "SELECT hex(1)"]);
    let evidence = liar.run(&crash);
    assert!(matches!(evidence.verdict, Verdict::Broke { kind: FailureKind::Crash, .. }));
    assert!(liar.knobs.len() > 3);
    liar.knobs.truncate(3);
    assert_eq!(cures(&mut liar, &crash, &evidence, &never), Some(vec![]));
}

#[test]
fn a_case_shrinks_to_what_it_needs_and_fails_in_a_new_process() {
    let mut liar = isolated("canary:index-row");
    let (case, evidence) = try_confirm(&mut liar, found_case()).unwrap();
    let shrunk = shrink(&mut liar, spoken("sqlite"), (&case, &evidence), &[], &never).unwrap();
    let statements = shrunk.case.script.len();
    assert_eq!((shrunk.stats.statements_before, shrunk.stats.statements_after), (case.script.len(), statements));
    // A table, an index, rows, the copy without an index, and two questions.
    assert_eq!((case.script.len(), statements), (12, 7), "{:?}", texts(&shrunk.case));
    assert!(shrunk.stats.complete && shrunk.stats.accepted > 1 && shrunk.stats.attempts > shrunk.stats.accepted);
    assert!(matches!(shrunk.evidence.verdict, Verdict::Violated(_)));
}

#[test]
fn without_time_a_case_stays_as_it_is_and_says_so() {
    let mut liar = isolated("canary:index-row");
    let (case, evidence) = try_confirm(&mut liar, found_case()).unwrap();
    let shrunk = shrink(&mut liar, spoken("sqlite"), (&case, &evidence), &[], &|| true).unwrap();
    assert_eq!(shrunk.case.script, case.script);
    assert!(!shrunk.stats.complete);
}

/// However often it failed before.
#[test]
fn what_fails_no_more_after_its_reduction_is_in_doubt() {
    let (case, evidence) = try_confirm(&mut isolated("canary:index-row"), index_case()).unwrap();
    let shrunk = shrink(&mut isolated("sqlite"), spoken("sqlite"), (&case, &evidence), &[], &never);
    assert_eq!(shrunk.err(), Some(Doubt::Gone));
}

/// A smaller case that the setting does not cure would be another bug.
#[test]
fn a_case_is_reduced_only_as_far_as_the_same_setting_cures_it() {
    let mut liar = isolated("canary:index-row");
    let (case, evidence) = try_confirm(&mut liar, found_case()).unwrap();
    let shrunk = shrink(&mut liar, spoken("sqlite"), (&case, &evidence), &[FLATTENER.into()], &never).unwrap();
    assert!(shrunk.stats.attempts > 10, "{:?}", shrunk.stats);
    assert_eq!((shrunk.stats.accepted, &shrunk.case), (0, &case));
}

#[test]
fn without_time_a_finding_has_the_cures_of_the_case_before_and_no_plans() {
    let mut liar = isolated("canary:index-row");
    let (case, evidence) = try_confirm(&mut liar, index_case()).unwrap();
    let shrunk = || Shrunk { case: case.clone(), evidence: evidence.clone(), stats: ReductionStats::default() };
    let known = [liar.knobs[0].name.clone()];
    let late = finding(&mut liar, spoken("sqlite"), "canary:index-row", shrunk(), &known, &|| true);
    assert_eq!((&late.cures[..], late.plans.len()), (&known[..], 0));
    let early = finding(&mut liar, spoken("sqlite"), "canary:index-row", shrunk(), &known, &never);
    assert_eq!((early.cures.len(), early.plans.len()), (0, 2));
    assert_ne!(early.fingerprint.id, late.fingerprint.id);
}

#[test]
fn what_makes_a_slow_answer_fast_is_what_the_case_turns_off() {
    let mut engine = isolated("sqlite");
    let knob = engine.knobs.iter().find(|k| k.name.ends_with("query-flattener")).unwrap().clone();
    let (set, back) = knobs::statements(&[knob.off()]);
    let script = vec![Step::query("base", "SELECT 1"), Step::query("weak", "SELECT 1")];
    let claim = Relation::NotSlower {
        base: 0,
        weak: 1,
        order: Order::Bag,
        equality: Equality::Exact,
        threshold: Threshold::default(),
        to_base: back,
        to_weak: set,
        apart: false,
    };
    let slow = case("config-perf", script, claim);
    let evidence = Evidence { verdict: Verdict::Violated(Difference::default()), answers: vec![] };
    let expected: Vec<String> = knobs::of_case(&slow).into_iter().map(|flip| flip.knob).collect();
    assert_eq!(cures(&mut engine, &slow, &evidence, &|| true), Some(expected));
    assert!(is_cured_by(&mut engine, &slow, &knob.name));
}
