use super::*;
use crate::fingerprint;
use crate::supervisor::Usage;
use crate::testing::{campaign, index_case};
use qualm_core::case::{Case, Evidence};
use qualm_core::counters::MetAt;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_OWN_FAULT, EXIT_UNREACHABLE};
use qualm_core::known::KnownBug;
use qualm_core::relation::{Difference, Verdict};
use serde_json::{Value, json};

fn hunt() -> Campaign {
    Campaign { workers: 2, ..campaign("sqlite", Budget::Checks(100)) }
}

fn figures() -> Figures {
    Figures::new(&hunt(), Instant::now())
}

fn checked(checks: u64) -> Tally {
    Tally { checks, ..Tally::default() }
}

fn used(cpu_seconds: f64, peak_bytes: u64) -> Usage {
    Usage { cpu_seconds, peak_bytes }
}

impl Figures {
    fn tally(&mut self, worker: usize, tally: Tally, usage: Usage) {
        self.hear(worker, &News::Tally { tally: Box::new(tally), usage });
    }

    fn life_over(&mut self, worker: usize, usage: Usage, missed: u64) {
        self.hear(worker, &News::LifeOver { usage, missed });
    }

    fn sum(&self) -> Part {
        self.total(&Queue::default())
    }
}

fn summary(figures: Figures, counts: Counts) -> Summary {
    figures.summary(&hunt(), &Queue::ended(counts), vec![], Path::new("out"), Ok(()))
}

/// A tally with another number in every place, and one entry in every map.
fn full() -> Tally {
    let mut next = 1;
    let mut json = serde_json::to_value(Tally {
        per_oracle: [("tlp".to_string(), (0, 0))].into(),
        per_rule: [("or-false".to_string(), 0)].into(),
        rejections: [("no such table".to_string(), 0)].into(),
        input: InputTally {
            unread: [("a reason".to_string(), MetAt(0, 0))].into(),
            unread_changes: [("a third".to_string(), MetAt(0, 0))].into(),
            undetermined: [("another".to_string(), MetAt(0, 0))].into(),
            ..InputTally::default()
        },
        ..Tally::default()
    })
    .unwrap();
    for_numbers(&mut json, &mut |number| {
        *number = next.into();
        next += 1;
    });
    assert!(next > 30, "the numbers were not found: {json}");
    serde_json::from_value(json).unwrap()
}

fn for_numbers(json: &mut Value, change: &mut impl FnMut(&mut Value)) {
    match json {
        Value::Number(_) => change(json),
        Value::Array(parts) => parts.iter_mut().for_each(|part| for_numbers(part, change)),
        Value::Object(parts) => parts.values_mut().for_each(|part| for_numbers(part, change)),
        _ => {}
    }
}

/// Every counter twice; lines of an input stay, because the first one counts, and so do edges, of which the most count.
fn doubled(tally: &Tally) -> Value {
    let mut json = serde_json::to_value(tally).unwrap();
    for_numbers(&mut json, &mut |number| *number = (number.as_u64().unwrap() * 2).into());
    for (field, why) in [("unread", "a reason"), ("unread_changes", "a third"), ("undetermined", "another")] {
        let line = json["input"][field][why][1].as_u64().unwrap();
        json["input"][field][why][1] = (line / 2).into();
    }
    json["edges"] = (json["edges"].as_u64().unwrap() / 2).into();
    json
}

/// A counter that is new and not added up would be missing from every report.
#[test]
fn every_counter_is_in_the_sum() {
    let mut figures = figures();
    figures.tally(0, full(), used(1.0, 0));
    figures.life_over(0, used(1.0, 0), 0);
    figures.tally(1, full(), used(1.0, 0));
    assert_eq!(serde_json::to_value(figures.sum().tally()).unwrap(), doubled(&full()));
    let mut part = Part::default();
    for _ in 0..2 {
        part.hear(&News::Tally { tally: Box::new(full()), usage: used(1.0, 0) });
        part.hear(&News::LifeOver { usage: used(1.0, 0), missed: 0 });
    }
    assert_eq!(serde_json::to_value(part.tally()).unwrap(), doubled(&full()));
}

/// A worker sends its counters since its start again and again; only a life that is over adds to the others.
#[test]
fn a_later_tally_replaces_an_earlier_one_of_the_same_life() {
    let mut figures = figures();
    figures.tally(0, checked(10), used(1.0, 5 << 20));
    figures.tally(0, checked(25), used(2.0, 3 << 20));
    figures.tally(1, checked(100), used(4.0, 0));
    assert_eq!(figures.sum().checks(), 125);
    // Seven more checks were done that nothing is known of.
    figures.life_over(0, used(3.0, 0), 7);
    assert_eq!((figures.sum().checks(), figures.sum().tally().checks), (132, 125));
    figures.tally(0, checked(1), used(0.5, 0));
    let summary = summary(figures, Counts::default());
    assert_eq!((summary.checks, summary.cpu_seconds, summary.memory_peak_mb), (133, 7.5, 5));
}

#[test]
fn plans_count_once_whoever_saw_them() {
    let mut figures = figures();
    let tally = |plans: &[u64], pairs: &[u64]| Tally {
        new_plans: plans.to_vec(),
        new_pairs: pairs.to_vec(),
        pairs_planned: 10,
        pairs_changed: 1,
        ..Tally::default()
    };
    figures.tally(0, tally(&[1, 2], &[9]), Usage::default());
    figures.tally(1, tally(&[2, 3], &[8, 9]), Usage::default());
    figures.pour_plans(&[3, 4], &[7]);
    assert_eq!(figures.distinct_plans(), 4);
    let summary = summary(figures, Counts::default());
    assert_eq!((summary.distinct_plans, summary.plan_pairs), (4, 3));
    assert_eq!((summary.pairs_per_1000_checks, summary.plan_changed_share), (150.0, 0.1));
}

#[test]
fn deaths_are_counted_by_their_kind() {
    let kinds = [
        FailureKind::Hang,
        FailureKind::OutOfMemory,
        FailureKind::OutOfMemory,
        FailureKind::Crash,
        FailureKind::InternalError,
        FailureKind::Crash,
    ];
    let (mut figures, mut part) = (figures(), Part::default());
    for kind in kinds {
        let died = News::Died { kind, forms: vec![] };
        figures.hear(0, &died);
        part.hear(&died);
    }
    assert_eq!((part.deaths.hangs, part.deaths.out_of_memory, part.deaths.crashes), (1, 2, 3));
    let deaths = summary(figures, Counts::default()).deaths;
    assert_eq!((deaths.hangs, deaths.out_of_memory, deaths.crashes), (1, 2, 3));
}

/// What a member of a fleet adds up and sends gives the same figures as if its workers had been heard here.
#[test]
fn a_part_that_is_poured_in_counts_like_what_it_heard() {
    let ruled = Case { rules: vec!["or-false".into(), "or-false".into()], ..index_case() };
    let hello = |version: &str, learned: &str| News::Hello { version: version.into(), learned: vec![learned.into()] };
    let news = || {
        vec![
            hello("sqlite 3.99", "views"),
            News::Tally { tally: Box::new(Tally { new_plans: vec![5, 6], ..full() }), usage: used(1.5, 2 << 20) },
            News::Violated { case: Box::new(ruled.clone()), session: vec![] },
            News::LifeOver { usage: used(2.0, 9 << 20), missed: 3 },
            News::Died { kind: FailureKind::Crash, forms: vec![] },
            News::Killed,
            News::Fault(Fault::own("a panic")),
            News::Tally { tally: Box::new(checked(4)), usage: used(0.25, 0) },
            News::LifeOver { usage: used(0.5, 0), missed: 0 },
            hello("", "triggers"),
            News::Ended(Ok(())),
        ]
    };
    let mut here = figures();
    let mut part = Part::default();
    for news in news() {
        part.hear(&news);
        here.hear(0, &news);
    }
    assert_eq!(part.checks(), here.sum().checks());
    // Over a socket and back.
    let part: Part = serde_json::from_str(&serde_json::to_string(&part).unwrap()).unwrap();
    let mut elsewhere = figures();
    elsewhere.pour(&part);
    for figures in [&mut here, &mut elsewhere] {
        figures.hunt_took(1.0);
    }
    let (here, elsewhere) = (summary(here, Counts::default()), summary(elsewhere, Counts::default()));
    assert_eq!(serde_json::to_value(&here).unwrap(), serde_json::to_value(&elsewhere).unwrap());
    assert_eq!(
        (here.engine_version.as_str(), &here.learned_off[..]),
        ("sqlite 3.99", &["triggers".into(), "views".into()][..])
    );
    assert_eq!((here.deaths.killed, here.deaths.crashes, here.distinct_plans, here.memory_peak_mb), (1, 1, 2, 9));
    assert_eq!(here.per_rule["or-false"].violations, 2);
}

#[test]
fn plans_leave_a_part_once() {
    let mut part = Part::default();
    let tally = |plans: Vec<u64>| Tally { new_plans: plans, new_pairs: vec![3], ..Tally::default() };
    part.hear(&News::Tally { tally: Box::new(tally(vec![1])), usage: Usage::default() });
    part.hear(&News::Tally { tally: Box::new(tally(vec![2])), usage: Usage::default() });
    let brief = part.in_brief().tally();
    assert_eq!((brief.new_plans.len(), brief.new_pairs.len()), (0, 0));
    assert_eq!(part.take_plans(), (vec![1, 2], vec![3, 3]));
    assert_eq!(part.take_plans(), (vec![], vec![]));
    let many = (0..PART_PLANS as u64 + 5).collect();
    part.hear(&News::Tally { tally: Box::new(tally(many)), usage: Usage::default() });
    assert_eq!(part.tally().new_plans.len(), PART_PLANS);
}

/// CPU time does not pass while another process is waited for, so that shares are of wall time there.
#[test]
fn shares_are_of_the_time_that_was_spent_hunting() {
    let tally = |wall_nanos| Tally {
        checks: 4,
        vacuous: 1,
        limited: 2,
        statements: 10,
        rejected: 3,
        engine_nanos: 500_000_000,
        generate_nanos: 250_000_000,
        print_nanos: 125_000_000,
        compare_nanos: 1_000_000,
        wall_nanos,
        ..Tally::default()
    };
    for (wall_nanos, shares) in [(0, [0.25, 0.125, 0.063, 0.001]), (1_000_000_000, [0.5, 0.25, 0.125, 0.001])] {
        let mut figures = figures();
        figures.tally(0, tally(wall_nanos), used(2.0, 0));
        let s = summary(figures, Counts::default());
        assert_eq!([s.engine_share, s.generate_share, s.print_share, s.compare_share], shares);
        assert_eq!([s.vacuous_share, s.limited_share, s.rejected_share, s.checks_per_cpu_s], [0.25, 0.5, 0.3, 2.0]);
    }
    // Nothing was done, and nothing is divided by it.
    let s = summary(figures(), Counts::default());
    assert_eq!([s.engine_share, s.vacuous_share, s.rejected_share, s.checks_per_cpu_s], [0.0; 4]);
}

#[test]
fn the_exit_code_says_what_came_of_the_hunt() {
    let exit = |counts: Counts, faults: &[&str], ending: Result<(), Fault>| {
        let mut figures = figures();
        faults.iter().for_each(|f| figures.hear(0, &News::Fault(Fault::own(*f))));
        let summary = figures.summary(&hunt(), &Queue::ended(counts), vec![], Path::new("out"), ending);
        (summary.exit, summary.faults.len())
    };
    let with = |findings, pending| Counts { findings, pending, ..Counts::default() };
    assert_eq!(exit(with(0, 0), &[], Ok(())), (EXIT_CLEAN, 0));
    assert_eq!(exit(with(1, 0), &[], Ok(())), (EXIT_FINDINGS, 0));
    assert_eq!(exit(with(0, 1), &[], Ok(())), (EXIT_FINDINGS, 0));
    assert_eq!(exit(with(0, 0), &["a panic"], Ok(())), (EXIT_OWN_FAULT, 1));
    assert_eq!(exit(with(1, 0), &["a panic"], Ok(())), (EXIT_FINDINGS, 1));
    assert_eq!(exit(with(1, 0), &["a panic"], Err(Fault::unreachable("gone"))), (EXIT_UNREACHABLE, 2));
}

#[test]
fn the_most_frequent_rejections_come_first() {
    let mut figures = figures();
    let many = (0..30).map(|n| (format!("text {n:02}"), 1)).chain([("often".to_string(), 9)]).collect();
    figures.tally(0, Tally { rejections: many, ..Tally::default() }, Usage::default());
    let summary = summary(figures, Counts::default());
    assert_eq!(summary.rejections.len(), SHOWN_REJECTIONS);
    assert_eq!(summary.rejections[..2], [("often".to_string(), 9), ("text 00".to_string(), 1)]);
}

#[test]
fn a_rule_of_a_worker_that_died_has_as_many_checks_as_violations() {
    let mut figures = figures();
    let per_rule = [("counted".to_string(), 8)].into();
    figures.tally(0, Tally { per_rule, ..Tally::default() }, Usage::default());
    let case = Case { rules: vec!["counted".into(), "uncounted".into()], ..index_case() };
    figures.hear(0, &News::Violated { case: Box::new(case), session: vec![] });
    let rules = serde_json::to_value(summary(figures, Counts::default()).per_rule).unwrap();
    assert_eq!(rules, json!({"counted": {"checks": 8, "violations": 1}, "uncounted": {"checks": 1, "violations": 1}}));
}

#[test]
fn findings_and_known_bugs_are_listed_apart() {
    let evidence = Evidence { verdict: Verdict::Violated(Difference::default()), answers: vec![] };
    let settled = |folder: Option<&str>, known: Option<usize>| Settled {
        fingerprint: fingerprint::of(&index_case(), &evidence, &[]),
        affected: None,
        oracle: "index".into(),
        title: "a title".into(),
        folder: folder.map(PathBuf::from),
        known,
        seen: 3,
        likely: 0,
        elsewhere: false,
    };
    let bug = KnownBug { fingerprint: None, pattern: Some("x".into()), reason: "reported".into(), link: String::new() };
    let hunt = Campaign { known: vec![bug], ..hunt() };
    let all = vec![settled(Some("out/findings/a"), None), settled(None, Some(0))];
    let summary = figures().summary(&hunt, &Queue::ended(Counts::default()), all, Path::new("out"), Ok(()));
    let found: Vec<_> = summary.found.iter().map(|f| (f.folder.is_some(), f.reason.as_deref(), f.seen)).collect();
    let known: Vec<_> = summary.known.iter().map(|f| (f.folder.is_some(), f.reason.as_deref(), f.seen)).collect();
    assert_eq!((found, known), (vec![(true, None, 3)], vec![(false, Some("reported"), 3)]));
}

#[test]
fn the_time_of_the_hunt_stands_still_once_it_has_ended() {
    let mut figures = figures();
    assert!(figures.hunting());
    figures.hunt_took(2.5);
    assert!(!figures.hunting());
    assert_eq!(figures.hunt_seconds(), 2.5);
    figures.hunt_ended();
    let seconds = figures.hunt_seconds();
    figures.triage_ended();
    assert_eq!(figures.hunt_seconds(), seconds);
    assert!(seconds < 2.5);
}

/// Machines of a fleet read each other's parts.
#[test]
fn a_part_keeps_its_form() {
    let mut part = Part::default();
    let heard = Tally { new_plans: vec![7], ..checked(3) };
    part.hear(&News::Tally { tally: Box::new(heard), usage: used(0.0, 300) });
    part.hear(&News::Killed);
    part.hear(&News::Fault(Fault::own("oh")));
    let stored = serde_json::to_value(&part).unwrap();
    let plain = json!({
        "version": "", "learned": [], "cpu_seconds": 0.0, "peak_bytes": 300, "missed": 0, "killed": 1,
        "crashes": 0, "hangs": 0, "out_of_memory": 0, "spent": 0, "violations_per_rule": {}, "faults": ["oh"],
    });
    for (name, value) in plain.as_object().unwrap() {
        assert_eq!(stored[name], *value, "{name}");
    }
    assert_eq!((&stored["present"]["checks"], &stored["past"]["new_plans"][0]), (&3.into(), &7.into()));
    assert_eq!(stored.as_object().unwrap().len(), plain.as_object().unwrap().len() + 3);
    assert_eq!(serde_json::from_value::<Part>(stored).unwrap(), part);
}
