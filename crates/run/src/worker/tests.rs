use super::*;
use crate::isolated::fresh_path;
use crate::recorder::Reader;
use crate::testing::{TIMEOUT_MS, spec};
use qualm_core::fault::{EXIT_OWN_FAULT, EXIT_USAGE};
use qualm_host::process::{Ended, Heard, Peer, own_program};
use serde_json::{Value, json};
use std::path::Path;

/// A job as a parent sends it.
fn job(folder: &tempfile::TempDir, changes: Value) -> Value {
    let mut job = json!({
        "engine": "sqlite", "spec": spec(&["tlp"]), "worker": 0, "database": 0, "checks": 5, "input": null,
        "recorder": fresh_path(folder.path(), "recorder"), "avoid": [], "lasting": false,
    });
    for (name, value) in changes.as_object().unwrap() {
        job[name] = value.clone();
    }
    job
}

/// A worker and all that it says.
struct Worker(Peer);

impl Worker {
    fn start(job: &Value) -> Worker {
        let mut worker = Worker(Peer::spawn(&own_program(), &["worker"]).unwrap());
        worker.send(job);
        worker
    }

    fn send(&mut self, line: &Value) {
        self.0.send(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The next event; nothing when there is no more.
    fn next(&mut self) -> Option<Event> {
        match self.0.hear(Duration::from_millis(TIMEOUT_MS)) {
            Heard::Line(line) => Some(serde_json::from_slice(&line).expect("an event")),
            Heard::Closed => None,
            Heard::Nothing => panic!("the worker says nothing"),
        }
    }

    /// All events up to this one, which is not the end.
    fn until(&mut self, last: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut events = vec![];
        loop {
            let event = self.next().unwrap_or_else(|| panic!("the worker ended: {events:?}"));
            let done = last(&event);
            events.push(event);
            if done {
                return events;
            }
        }
    }

    fn until_bye(&mut self) -> Vec<Event> {
        self.until(|event| matches!(event, Event::Bye { .. }))
    }

    fn end(mut self) -> (Vec<Event>, Ended) {
        let events = std::iter::from_fn(|| self.next()).collect();
        (events, self.0.reap())
    }
}

fn checks(events: &[Event]) -> Vec<u64> {
    let tally = |event: &Event| match event {
        Event::Tally { tally, .. } => Some(tally.checks),
        _ => None,
    };
    events.iter().filter_map(tally).collect()
}

#[test]
fn a_worker_greets_hunts_reports_its_figures_and_says_good_bye() {
    let folder = tempfile::tempdir().unwrap();
    let (events, ended) = Worker::start(&job(&folder, json!({}))).end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let Some(Event::Hello { version, .. }) = events.first() else { panic!("{events:?}") };
    assert!(version.starts_with("sqlite 3."), "{version}");
    assert!(matches!(events.last(), Some(Event::Bye { requested: false, .. })), "{events:?}");
    assert_eq!(checks(&events).last(), Some(&5));
    let Some(Event::Tally { tally, cpu_seconds, peak_bytes }) = events.iter().nth_back(1) else { panic!("{events:?}") };
    assert!(tally.statements > 5 && tally.databases > 0 && tally.engine_nanos > 0, "{tally:?}");
    assert!(*cpu_seconds > 0.0 && *peak_bytes > 1 << 20);
    assert_eq!((tally.per_oracle["tlp"], tally.wall_nanos), ((5, 0), 0));
}

/// What a parent hears survives whatever happens to the child: each case comes with all statements of its session.
#[test]
fn a_violated_case_comes_with_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let lie = json!({"engine": "canary:index-row", "spec": spec(&["index"]), "checks": 400});
    let (events, _) = Worker::start(&job(&folder, lie)).end();
    let violated = |event: &Event| match event {
        Event::Violated { case, session } => Some((case.clone(), session.clone())),
        _ => None,
    };
    let violated: Vec<_> = events.iter().filter_map(violated).collect();
    assert!(!violated.is_empty());
    for (case, session) in violated {
        assert_eq!((case.oracle.as_str(), case.origin.seed, case.origin.worker), ("index", 1, 0));
        for step in &case.script {
            assert!(session.iter().any(|noted| noted.text == step.text), "{} is not in its session", step.text);
        }
    }
}

#[test]
fn the_same_job_gives_the_same_cases_and_another_worker_others() {
    let folder = tempfile::tempdir().unwrap();
    let cases = |worker: u64| {
        let lie = json!({"engine": "canary:index-row", "spec": spec(&["index"]), "checks": 400, "worker": worker});
        let (events, _) = Worker::start(&job(&folder, lie)).end();
        let case = |event: Event| match event {
            Event::Violated { case, .. } => Some(*case),
            _ => None,
        };
        events.into_iter().filter_map(case).collect::<Vec<_>>()
    };
    let first = cases(0);
    assert!(!first.is_empty());
    assert_eq!(first, cases(0));
    let other = cases(1);
    assert!(other.iter().all(|case| !first.contains(case) && case.origin.worker == 1));
}

#[test]
fn a_lasting_worker_does_one_job_after_the_other_and_counts_each_from_zero() {
    let folder = tempfile::tempdir().unwrap();
    let lasting = |worker: u64, checks: u64| job(&folder, json!({"worker": worker, "checks": checks, "lasting": true}));
    let mut worker = Worker::start(&lasting(0, 5));
    assert_eq!(checks(&worker.until_bye()).last(), Some(&5));
    worker.send(&lasting(1, 3));
    let second = worker.until_bye();
    assert_eq!(checks(&second).last(), Some(&3));
    assert!(matches!(second.first(), Some(Event::Hello { .. })));
    worker.0.end_input();
    let (events, ended) = worker.end();
    assert_eq!((events.len(), ended.code), (0, Some(0)));
}

#[test]
fn a_worker_that_is_asked_to_end_says_so_and_one_without_a_budget_goes_on_until_then() {
    let folder = tempfile::tempdir().unwrap();
    let endless = job(&folder, json!({"checks": null}));
    let mut worker = Worker::start(&endless);
    worker.until(|event| matches!(event, Event::Tally { tally, .. } if tally.checks > 0));
    worker.0.terminate();
    let (events, ended) = worker.end();
    assert!(matches!(events.last(), Some(Event::Bye { requested: true, .. })), "{events:?}");
    assert_eq!(ended.code, Some(0));
    let reader =
        Reader::open(Path::new(endless["recorder"].as_str().unwrap())).expect("the recorder outlives the worker");
    assert_eq!(Some(&reader.checks()), checks(&events).last());
}

#[test]
fn statements_of_an_input_are_asked_for_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let setup = ["CREATE TABLE t0(c0)", "INSERT INTO t0 VALUES (1), (2)"];
    let input = json!({"checks": null, "input": {"setup": setup, "run_all": true}});
    let mut worker = Worker::start(&job(&folder, input));
    let needs_input = |event: &Event| matches!(event, Event::NeedInput);
    worker.until(needs_input);
    worker.send(&json!({"line": 1, "text": {"Ok": "SELECT c0 FROM t0"}}));
    worker.until(needs_input);
    worker.send(&json!({"line": 2, "text": {"Ok": "INSERT INTO t0 VALUES (3)"}}));
    let events = worker.until(needs_input);
    let changed = |event: &Event| matches!(event, Event::Changed { text } if text == "INSERT INTO t0 VALUES (3)");
    assert!(events.iter().any(changed), "{events:?}");
    worker.send(&json!(null));
    let (events, _) = worker.end();
    let Some(Event::Tally { tally, .. }) = events.iter().nth_back(1) else { panic!("{events:?}") };
    assert_eq!((tally.input.queries, tally.input.changes), (1, 1));
}

/// One that took an earlier worker down before it could begin never reaches the engine.
#[test]
fn statements_to_avoid_are_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let input = |avoid: &[&str]| json!({"checks": null, "avoid": avoid, "input": {"setup": [], "run_all": true}});
    let reaches_the_engine = |avoid: &[&str]| {
        let mut worker = Worker::start(&job(&folder, input(avoid)));
        worker.until(|event| matches!(event, Event::NeedInput));
        worker.send(&json!({"line": 1, "text": {"Ok": "CREATE TABLE t0(c0)"}}));
        let events = worker.until(|event| matches!(event, Event::NeedInput));
        events.iter().any(|event| matches!(event, Event::Changed { .. }))
    };
    assert!(reaches_the_engine(&[]));
    assert!(!reaches_the_engine(&["CREATE TABLE t0(c0)"]));
}

#[test]
fn a_fault_is_reported_to_the_parent_and_by_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    for (changes, code, says) in [
        (json!({"engine": "sqlight"}), EXIT_USAGE, "unknown engine 'sqlight'"),
        (json!({"recorder": "no/such/folder/recorder"}), EXIT_OWN_FAULT, "flight recorder"),
    ] {
        let (events, ended) = Worker::start(&job(&folder, changes)).end();
        let [Event::Failed { fault }] = &events[..] else { panic!("{events:?}") };
        assert!(fault.code == code && fault.text.contains(says), "{fault:?}");
        assert_eq!(ended.code, Some(i32::from(code)));
    }
    // Not even a job.
    let (events, ended) = Worker::start(&json!({"engine": "sqlite"})).end();
    assert_eq!((events.len(), ended.code), (0, Some(i32::from(EXIT_OWN_FAULT))));
}

#[test]
fn a_job_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let sent = job(&folder, json!({"input": {"setup": ["SELECT 1"], "run_all": true}, "avoid": ["SELECT 2"]}));
    let read: Job = serde_json::from_value(sent.clone()).unwrap();
    assert_eq!((read.checks, read.spec.seed), (Some(5), 1));
    assert_eq!(serde_json::to_value(&read).unwrap(), sent);
}
