use super::*;
use crate::store::DUPLICATES_FILE;
use crate::testing::{Place, found_case, index_case, noted, null_case, of_worker, place, survives, union_case};
use std::sync::Mutex;

fn push(triage: &Triage, forms: Vec<Case>) {
    let session = noted(&["CREATE TABLE t0(c0)"]);
    assert!(triage.queue.push(Suspect::new(forms, session), true).is_ok());
}

/// Works off these suspects, one form each.
fn work(triage: &mut Triage, cases: Vec<Case>) -> Counts {
    cases.into_iter().for_each(|case| push(triage, vec![case]));
    triage.queue.close(None);
    triage.work().unwrap_or_else(|fault| panic!("{fault}"));
    let counts = triage.queue.counts();
    assert_eq!(counts.violations, counts.accounted(), "{counts:?}");
    counts
}

/// Nothing is left in the folders of what is not settled.
fn assert_settled(place: &Place) {
    assert!(!place.store.has_unsettled(), "{:?} {:?}", place.names("pending"), place.names("unconfirmed"));
}

/// The same lie, met in another way.
fn other_index_case(n: u64) -> Case {
    let mut case = index_case();
    case.origin.check = n;
    case.script.last_mut().unwrap().text = format!("SELECT c0 FROM t0 WHERE c0 > -{n}");
    case
}

#[test]
fn a_suspect_becomes_a_finding_that_is_reduced_and_stored() {
    let place = place();
    let mut triage = place.triage("canary:index-row");
    let counts = work(&mut triage, vec![of_worker(3, found_case())]);
    assert_eq!((counts.findings, counts.accounted()), (1, 1));
    assert!(counts.reduce_attempts > 0 && counts.reduce_seconds > 0.0);
    assert_eq!(triage.queue.counts_of(3), Some(counts));
    let [settled] = &triage.settled[..] else { panic!("{} findings", triage.settled.len()) };
    let folder = settled.folder.clone().unwrap();
    assert_eq!((settled.seen, settled.known, settled.oracle.as_str()), (1, None, "index"));
    let stored = crate::store::read_case(&folder).unwrap();
    let statements = stored.script.len();
    assert_eq!(statements, 7, "{:?}", stored.script);
    assert_eq!(stored.origin.worker, 3);
    let unreduced = crate::store::read_case(&folder.join("unreduced.json")).unwrap();
    assert_eq!(unreduced.script, found_case().script);
    let meta = crate::store::read_meta(&folder).unwrap();
    assert_eq!((meta.kind, meta.engine.as_str()), (Kind::WrongResult, "canary:index-row"));
    let [news] = &triage.queue.news()[..] else { panic!("one finding is news") };
    assert_eq!((&news.folder, news.statements, &news.title), (&folder, statements, &settled.title));
    assert_eq!(triage.queue.news().len(), 0, "it is reported once");
    assert_settled(&place);
}

#[test]
fn what_has_the_same_cause_is_one_finding() {
    let place = place();
    let mut triage = place.triage("canary:index-row");
    let counts = work(&mut triage, (1..=4).map(other_index_case).collect());
    assert_eq!((counts.findings, counts.duplicates), (1, 3));
    let settled = &triage.settled[0];
    assert_eq!((triage.settled.len(), settled.seen), (1, 4));
    let lines = place.lines(settled.folder.as_ref().unwrap().join(DUPLICATES_FILE));
    assert_eq!(lines.iter().map(|l| l["origin"]["check"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3, 4]);
    assert!(lines.iter().all(|l| l["case"]["script"].is_array()));
    assert_eq!(place.lines("findings.jsonl").len(), 1);
    assert_settled(&place);
}

/// Hangs and internal errors, which are recognised by their words, are reduced a few times only.
#[test]
fn a_flood_is_linked_and_not_reduced() {
    let malformed = |n: u64| {
        let mut case = survives(&[
            "CREATE TABLE t0(c0)",
            "CREATE INDEX i0 ON t0(c0)",
            &format!("SELECT c0 FROM t0 WHERE c0 > {n}"),
        ]);
        case.origin.check = n;
        case
    };
    let place = place();
    let mut triage = place.triage("canary:index-error");
    let all = LIKELY_BREAKS_REDUCED + 4;
    let counts = work(&mut triage, (1..=all).map(malformed).collect());
    assert_eq!((counts.findings, counts.duplicates), (1, all - 1));
    let folder = triage.settled[0].folder.clone().unwrap();
    let mut reduced: Vec<bool> = vec![];
    for line in place.lines(folder.join(DUPLICATES_FILE)) {
        reduced.push(line["reduced"].as_bool().unwrap());
    }
    assert_eq!(reduced.iter().filter(|r| **r).count() as u64, LIKELY_BREAKS_REDUCED);
    assert_settled(&place);
}

#[test]
fn what_does_not_happen_again_is_kept_as_unconfirmed() {
    let place = place();
    let mut triage = place.triage("sqlite");
    let counts = work(&mut triage, vec![index_case()]);
    assert_eq!((counts.flaky, counts.accounted(), triage.settled.len()), (1, 1, 0));
    assert_eq!(place.names("unconfirmed"), ["000001.json", "000001.session.sql"]);
    let lines = place.lines("unconfirmed.jsonl");
    assert_eq!((lines.len(), lines[0]["why"].as_str()), (1, Some(GONE)));
}

/// The first form that fails is the one to go on with.
#[test]
fn all_forms_of_a_suspect_are_tried() {
    let place = place();
    let mut triage = place.triage("canary:crash");
    let statements = ["CREATE TABLE t0(c0)", "INSERT INTO t0 VALUES (1)", "SELECT hex(c0) FROM t0"];
    push(&triage, vec![survives(&["SELECT 1"]), survives(&statements)]);
    let counts = work(&mut triage, vec![]);
    assert_eq!(counts.findings, 1);
    assert_eq!(triage.settled[0].fingerprint.kind, Kind::Crash);
    let stored = crate::store::read_case(triage.settled[0].folder.as_ref().unwrap()).unwrap();
    assert!(stored.script.last().unwrap().text.contains("hex("));
    assert_settled(&place);
}

#[test]
fn known_bugs_are_counted_and_not_stored() {
    let place = place();
    let mut triage = place.triage("canary:index-row");
    let known = |pattern: &str| KnownBug {
        fingerprint: None,
        pattern: Some(pattern.into()),
        reason: "reported".into(),
        link: String::new(),
    };
    triage.known = vec![known("no such text"), known("create index*on t0")];
    let counts = work(&mut triage, (1..=2).map(other_index_case).collect());
    assert_eq!((counts.findings, counts.suppressed), (0, 2));
    let settled = &triage.settled[0];
    assert_eq!((settled.known, settled.seen, &settled.folder), (Some(1), 2, &None));
    assert_eq!((place.names("findings").len(), triage.queue.news().len()), (0, 0));
    assert_settled(&place);
}

/// A lie of the canary, and a bug of the SQLite behind it that a setting cures.
#[test]
fn two_causes_are_two_findings() {
    let place = place();
    let mut triage = place.triage("canary:not-null");
    let counts = work(&mut triage, vec![null_case(), union_case(), null_case(), union_case()]);
    assert_eq!((counts.findings, counts.duplicates), (2, 2));
    let cures: Vec<bool> = triage.settled.iter().map(|s| s.fingerprint.cures.is_empty()).collect();
    assert_eq!(cures, [true, false]);
    assert_eq!(place.names("findings").len(), 2);
    assert_settled(&place);
}

#[test]
fn without_time_suspects_stay_unconfirmed() {
    let place = place();
    let mut triage = place.triage("canary:index-row");
    push(&triage, vec![of_worker(1, index_case())]);
    push(&triage, vec![of_worker(2, index_case())]);
    triage.queue.close(Some(Instant::now()));
    triage.work().unwrap();
    let counts = triage.queue.counts();
    assert_eq!((counts.unconfirmed, counts.accounted()), (2, 2));
    let lines = place.lines("unconfirmed.jsonl");
    assert_eq!(lines.iter().map(|l| l["why"].as_str().unwrap()).collect::<Vec<_>>(), [TIME_OVER; 2]);
    assert_eq!(triage.isolated.run(&index_case()).answers.len(), 2, "the runner is still there");
}

/// A disk that is full, or a folder that somebody removed.
#[test]
fn a_fault_of_writing_ends_triage_and_everything_is_counted() {
    let place = place();
    let mut triage = place.triage("canary:index-row");
    for n in 1..=3 {
        push(&triage, vec![other_index_case(n)]);
    }
    std::fs::write(place.out().join("pending"), "a file in the way").unwrap();
    let fault = triage.work().unwrap_err();
    assert_eq!(fault.code, qualm_core::fault::EXIT_OWN_FAULT, "{}", fault.text);
    let counts = triage.queue.counts();
    assert_eq!((counts.violations, counts.skipped, counts.unconfirmed), (3, 1, 2));
    // Nobody waits for one who is gone.
    push(&triage, vec![other_index_case(4)]);
    assert_eq!((triage.queue.waiting(), triage.queue.counts().unconfirmed), (0, 3));
}

/// Machines of the same campaign, as this one sees them.
#[derive(Default)]
struct Others {
    /// Reported when there is news the next time.
    news: Vec<PeerFinding>,
    /// Refusals to reduce, before it is allowed.
    busy: u32,
    /// Another machine reports this finding first.
    first: bool,
    /// There is no time left from the first question on.
    hurries: Option<Arc<Queue>>,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Others {
    fn hear(&self, what: &str) {
        self.heard.lock().unwrap().push(what.into());
    }
}

impl Peers for Others {
    fn news(&mut self) -> Result<Vec<PeerFinding>, Fault> {
        Ok(std::mem::take(&mut self.news))
    }

    fn may_reduce(&mut self, _looks: &str) -> Result<bool, Fault> {
        self.hear("may reduce?");
        if let Some(queue) = &self.hurries {
            queue.hurry(Instant::now());
        }
        let allowed = self.busy == 0;
        self.busy = self.busy.saturating_sub(1);
        Ok(allowed)
    }

    fn reduced(&mut self, _looks: &str) -> Result<(), Fault> {
        self.hear("reduced");
        Ok(())
    }

    fn announce(&mut self, announced: &PeerFinding, _finding: &Finding) -> Result<bool, Fault> {
        self.hear("announce");
        if std::mem::take(&mut self.first) {
            self.news.push(announced.clone());
            return Ok(false);
        }
        Ok(true)
    }

    fn met(&mut self, _fingerprint: &str, duplicate: &Duplicate) {
        self.hear(if duplicate.reduced { "met, reduced" } else { "met" });
    }
}

/// Triage beside these machines, and what they hear of it.
fn beside(place: &Place, others: Others) -> (Triage, Arc<Mutex<Vec<String>>>) {
    let heard = others.heard.clone();
    let triage = Triage { peers: Some(Box::new(others)), deterministic: false, ..place.triage("canary:index-row") };
    (triage, heard)
}

#[test]
fn only_one_machine_at_a_time_reduces_what_looks_alike() {
    let place = place();
    let (mut triage, heard) = beside(&place, Others { busy: 2, ..Others::default() });
    let counts = work(&mut triage, vec![index_case()]);
    assert_eq!(counts.findings, 1);
    assert_eq!(*heard.lock().unwrap(), ["may reduce?", "may reduce?", "may reduce?", "announce", "reduced"]);
    assert_settled(&place);
}

#[test]
fn a_finding_that_another_machine_reported_first_is_met_and_not_stored() {
    let place = place();
    let (mut triage, heard) = beside(&place, Others { first: true, ..Others::default() });
    let counts = work(&mut triage, vec![index_case()]);
    assert_eq!((counts.findings, counts.duplicates), (0, 1));
    assert_eq!(*heard.lock().unwrap(), ["may reduce?", "announce", "met, reduced", "reduced"]);
    assert!(triage.settled[0].elsewhere);
    assert_eq!((place.names("findings").len(), place.lines("findings.jsonl").len()), (0, 0));
    assert_settled(&place);
}

/// The deadline passes while another machine is at something alike: what was confirmed is not lost.
#[test]
fn what_was_confirmed_and_could_not_be_reduced_in_time_is_pending() {
    let place = place();
    let (triage, heard) = beside(&place, Others::default());
    let others = Others { busy: 1, hurries: Some(triage.queue.clone()), heard: heard.clone(), ..Others::default() };
    let mut triage = Triage { peers: Some(Box::new(others)), ..triage };
    let counts = work(&mut triage, vec![index_case()]);
    assert_eq!((counts.pending, counts.accounted()), (1, 1));
    assert_eq!(*heard.lock().unwrap(), ["may reduce?"]);
    assert_eq!((place.names("pending").len(), place.names("unconfirmed").len()), (1, 0));
    let pending = crate::store::read_case(&place.out().join("pending").join(&place.names("pending")[0])).unwrap();
    assert_eq!(pending.script, index_case().script);
}

#[test]
fn cases_that_look_like_a_finding_of_another_machine_are_reported_to_it() {
    let elsewhere = place();
    let mut there = elsewhere.triage("canary:index-error");
    let case = |n: u64| {
        survives(&["CREATE TABLE t0(c0)", "CREATE INDEX i0 ON t0(c0)", &format!("SELECT c0 FROM t0 WHERE c0 > {n}")])
    };
    work(&mut there, vec![case(1)]);
    let known = PeerFinding {
        fingerprint: there.settled[0].fingerprint.clone(),
        oracle: there.settled[0].oracle.clone(),
        title: there.settled[0].title.clone(),
        folder: qualm_core::outside::PlainName::new("name").ok(),
        known: None,
    };
    let place = place();
    let others = Others { news: vec![known], ..Others::default() };
    let heard = others.heard.clone();
    let mut triage =
        Triage { peers: Some(Box::new(others)), deterministic: false, ..place.triage("canary:index-error") };
    let all = peers::LIKELY_REDUCED + 3;
    let counts = work(&mut triage, (1..=all).map(case).collect());
    assert_eq!((counts.findings, counts.duplicates), (0, all));
    let heard = heard.lock().unwrap();
    let met = heard.iter().filter(|h| h.starts_with("met")).count() as u64;
    assert_eq!((met, heard.iter().any(|h| h == "announce")), (all, false), "{heard:?}");
    let reduced = heard.iter().filter(|h| *h == "met, reduced").count() as u64;
    assert_eq!(reduced, peers::LIKELY_REDUCED, "{heard:?}");
    assert_eq!(place.names("findings").len(), 0);
    assert_settled(&place);
}
