use super::*;
use crate::feed::Next;
use crate::testing::{campaign, index_case, place, spec, survives};
use crate::triage::Counts;
use qualm_core::explore::InputLine;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNREACHABLE};
use serde_json::Value;
use std::path::Path;

fn run(hunt: &Campaign, store: &Arc<Store>) -> Summary {
    let scratch = Arc::new(Scratch::create().unwrap());
    let summary = hunt.run(store.clone(), scratch.clone(), &mut Progress::quiet());
    let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["lock"], "children leave nothing behind");
    summary.unwrap_or_else(|fault| panic!("{fault}"))
}

/// Without figures of time, and with names of folders in place of their paths.
fn timeless(summary: &Summary) -> Value {
    let mut json = serde_json::to_value(summary).unwrap();
    let fields = json.as_object_mut().unwrap();
    fields.retain(|name, _| {
        let of_time = ["seconds", "_share", "cpu_s", "memory", "folder"];
        !of_time.iter().any(|part| name.contains(part))
    });
    for found in fields["found"].as_array_mut().unwrap() {
        let name = Path::new(found["folder"].as_str().unwrap()).file_name().unwrap().to_string_lossy().into_owned();
        found["folder"] = name.into();
    }
    json
}

/// The same cases give the same findings, however busy the machine is.
#[test]
fn a_hunt_with_a_budget_in_checks_finds_the_same_every_time() {
    let hunt = campaign("canary:index-row", Budget::Checks(400));
    let (first, again) = (place(), place());
    let summary = run(&hunt, &first.store);
    assert_eq!((summary.checks, summary.exit), (400, EXIT_FINDINGS), "{summary:?}");
    assert_eq!(timeless(&summary), timeless(&run(&hunt, &again.store)));
    assert_eq!(first.names("findings"), again.names("findings"));
    let sum = summary.counts.findings
        + summary.counts.duplicates
        + summary.counts.suppressed
        + summary.counts.flaky
        + summary.counts.pending;
    assert_eq!(sum + summary.counts.unconfirmed + summary.counts.skipped, summary.counts.violations);
    assert_eq!(summary.per_oracle["index"].checks, 400);
    let other = Campaign { spec: HuntSpec { seed: 2, ..hunt.spec.clone() }, ..hunt };
    assert_ne!(timeless(&summary), timeless(&run(&other, &place().store)));
}

#[test]
fn workers_share_the_checks_and_the_parts_add_up() {
    let hunt = |workers| Campaign { workers, ..campaign("sqlite", Budget::Checks(11)) };
    for workers in [1, 2, 3, 11, 16] {
        let shares: Vec<u64> = (0..workers).filter_map(|n| hunt(workers).checks_of(n)).collect();
        assert_eq!((shares.len(), shares.iter().sum::<u64>()), (workers, 11));
        assert!(shares[0] - shares[workers - 1] <= 1, "{shares:?}");
    }
    assert_eq!(campaign("sqlite", Budget::Seconds(1.0)).checks_of(0), None);
    let place = place();
    let summary = run(&hunt(2), &place.store);
    assert_eq!((summary.checks, summary.exit, summary.counts.violations), (11, EXIT_CLEAN, 0), "{summary:?}");
}

#[test]
fn an_engine_that_crashes_is_a_finding_and_the_hunt_goes_on() {
    let place = place();
    let hunt = Campaign { spec: spec(&["eet"]), ..campaign("canary:crash", Budget::Checks(300)) };
    let summary = run(&hunt, &place.store);
    assert_eq!((summary.checks, summary.counts.findings), (300, 1), "{summary:?}");
    assert!(summary.deaths.crashes > 0 && summary.counts.violations >= summary.deaths.crashes, "{summary:?}");
    assert_eq!((summary.deaths.killed, summary.faults.len()), (0, 0));
}

#[test]
fn an_engine_that_cannot_be_reached_ends_the_hunt() {
    let place = place();
    let hunt = Campaign { engine: "sqlite:no-such-file.so".into(), ..campaign("sqlite", Budget::Checks(10)) };
    let summary = run(&hunt, &place.store);
    assert_eq!((summary.exit, summary.checks), (EXIT_UNREACHABLE, 0), "{summary:?}");
    assert!(summary.faults.iter().any(|text| text.contains("no-such-file.so")), "{:?}", summary.faults);
}

/// Ctrl-C before anything was done, and a budget that would last for ever.
#[test]
fn a_hunt_that_is_interrupted_ends() {
    let place = place();
    let hunt = campaign("sqlite", Budget::Seconds(1e9));
    let began = Instant::now();
    assert!(!hunt.time_is_up(began));
    hunt.interrupted.store(true, Ordering::Relaxed);
    assert!(hunt.time_is_up(began));
    assert_eq!(run(&hunt, &place.store).exit, EXIT_CLEAN);
}

#[test]
fn triage_has_half_the_time_of_the_hunt_and_a_counted_budget_all_that_it_needs() {
    let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).expect("the machine is older");
    let left = |hunt: &Campaign, seconds| {
        hunt.deadline(ago(seconds)).map(|d| d.saturating_duration_since(Instant::now()).as_secs_f64().round())
    };
    let timed = campaign("sqlite", Budget::Seconds(1.0));
    assert_eq!((left(&timed, 20), left(&timed, 1000)), (Some(10.0), Some(GRACE_SECONDS)));
    let counted = campaign("sqlite", Budget::Checks(1));
    assert_eq!(left(&counted, 1000), None);
    counted.interrupted.store(true, Ordering::Relaxed);
    assert_eq!(left(&counted, 1000), Some(INTERRUPT_GRACE_SECONDS));
    for (budget, is_counted) in [(Budget::Seconds(1.0), false), (Budget::Checks(1), true), (Budget::Input, true)] {
        assert_eq!(budget.is_counted(), is_counted);
    }
}

/// Nothing says that a program has an answer at all.
#[test]
fn a_program_that_never_ends_is_counted_and_no_suspect() {
    let sql = campaign("sqlite", Budget::Checks(1));
    let datalog = Campaign { language: Language::Datalog, ..sql.clone() };
    let suspects = |hunt: &Campaign, kind, forms| {
        let queue = Queue::default();
        hunt.suspect_death(kind, forms, &queue);
        queue.waiting()
    };
    let forms = |hunt: &Campaign| vec![Case { language: hunt.language, ..survives(&["SELECT 1"]) }];
    assert_eq!(suspects(&sql, FailureKind::Hang, forms(&sql)), 1);
    assert_eq!(suspects(&datalog, FailureKind::Hang, forms(&datalog)), 0);
    assert_eq!(suspects(&datalog, FailureKind::Crash, forms(&datalog)), 1);
    assert_eq!(suspects(&sql, FailureKind::Crash, vec![]), 0);
}

/// A worker waits for room in the queue; but not for one that is gone, nor after Ctrl-C.
#[test]
fn cases_are_skipped_only_where_time_counts_or_someone_wants_the_end() {
    let full = || {
        let queue = Queue::default();
        while queue.waiting() < qualm_core::limits::QUEUE_CASES {
            let pushed = queue.push(Suspect::new(vec![index_case()], vec![]), false);
            assert!(pushed.is_ok());
        }
        queue
    };
    let suspect = || Suspect::new(vec![index_case()], vec![]);
    let queue = full();
    campaign("sqlite", Budget::Seconds(1.0)).suspect(suspect(), &queue);
    assert_eq!(queue.counts().skipped, 1);
    let queue = full();
    let counted = campaign("sqlite", Budget::Checks(1));
    counted.interrupted.store(true, Ordering::Relaxed);
    counted.suspect(suspect(), &queue);
    assert_eq!(queue.counts().skipped, 1);
    let queue = full();
    counted.interrupted.store(false, Ordering::Relaxed);
    std::thread::scope(|scope| {
        scope.spawn(|| counted.suspect(suspect(), &queue));
        queue.abandon();
    });
    let Counts { violations, skipped, .. } = queue.counts();
    assert_eq!((violations, skipped), (qualm_core::limits::QUEUE_CASES as u64 + 1, violations));
}

#[test]
fn a_hunt_in_the_input_of_others_runs_it_and_ends_with_it() {
    let place = place();
    let lines = ["SELECT c0 FROM t0", "SELECT c0 FROM", "INSERT INTO t0 VALUES (3)", "SELECT c0 + 1 FROM t0"];
    let text = lines.join("\n");
    let cut = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let feed = Feed::read(
        Box::new(std::io::Cursor::new(text)),
        Box::new(move |bytes, send| {
            for (n, line) in bytes.into_iter().flat_map(|b| b.split(|c| *c == b'\n')).enumerate() {
                send(InputLine { line: n + 1, text: Ok(cut(line)) });
            }
        }),
    );
    let setup = vec!["CREATE TABLE t0(c0)".to_string(), "INSERT INTO t0 VALUES (1), (2)".to_string()];
    let feed = Arc::new(feed);
    let hunt = Campaign {
        spec: spec(&["tlp"]),
        input: Some((Input { setup, run_all: true }, feed.clone())),
        ..campaign("sqlite", Budget::Input)
    };
    let summary = run(&hunt, &place.store);
    let input = summary.input.as_ref().expect("what became of it");
    assert_eq!((input.queries, input.changes, summary.exit), (3, 1, EXIT_CLEAN), "{summary:?}");
    assert!(summary.checks >= 2 && summary.counts.violations == 0, "{summary:?}");
    assert!(matches!(feed.next(Duration::ZERO), Next::Ended));
}
