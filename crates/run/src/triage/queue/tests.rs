use super::*;
use crate::testing::{index_case, noted, of_worker, place, survives};
use qualm_core::counters::AddUp;
use qualm_core::limits::UNCONFIRMED_CASES;

fn suspect(worker: u64) -> Suspect {
    Suspect::new(vec![of_worker(worker, index_case())], noted(&["SELECT 1"]))
}

fn taken(queue: &Queue) -> Option<Suspect> {
    match queue.next(false) {
        Next::Suspect(suspect) => Some(suspect),
        Next::Nothing | Next::Closed => None,
    }
}

fn fill(queue: &Queue) {
    (0..QUEUE_CASES).for_each(|_| assert!(queue.push(suspect(0), false).is_ok()));
}

#[test]
fn suspects_come_out_in_the_order_in_which_they_went_in() {
    let queue = Queue::default();
    for worker in [3, 1, 2] {
        assert!(queue.push(suspect(worker), true).is_ok());
    }
    assert_eq!((queue.waiting(), queue.counts().violations), (3, 3));
    let workers: Vec<u64> = std::iter::from_fn(|| taken(&queue)).map(|s| s.worker()).collect();
    assert_eq!((workers, queue.waiting()), (vec![3, 1, 2], 0));
    assert!(matches!(queue.next(false), Next::Nothing));
    queue.close(None);
    assert!(matches!(queue.next(true), Next::Closed));
}

/// What was pushed before the queue was closed is still looked at.
#[test]
fn a_closed_queue_is_emptied_first() {
    let queue = Queue::default();
    assert!(queue.push(suspect(1), true).is_ok());
    queue.close(None);
    assert!(matches!(queue.next(true), Next::Suspect(_)));
    assert!(matches!(queue.next(true), Next::Closed));
}

#[test]
fn who_waits_for_a_suspect_is_woken_by_one_and_by_the_end() {
    let queue = Arc::new(Queue::default());
    let waiting = std::thread::spawn({
        let queue = queue.clone();
        move || (matches!(queue.next(true), Next::Suspect(_)), matches!(queue.next(true), Next::Closed))
    });
    assert!(queue.push(suspect(1), true).is_ok());
    while queue.waiting() > 0 {
        std::thread::yield_now();
    }
    queue.close(None);
    assert_eq!(waiting.join().unwrap(), (true, true));
}

#[test]
fn a_full_queue_drops_what_an_impatient_caller_brings_and_gives_back_a_patient_ones() {
    let queue = Queue::default();
    fill(&queue);
    assert!(queue.push(suspect(7), false).is_ok());
    let back = queue.push(suspect(8), true).expect_err("there is no room");
    assert_eq!((back.worker(), queue.waiting()), (8, QUEUE_CASES));
    // The dropped one is a violation like any other; the one that was given back has not come yet.
    let counts = queue.counts();
    assert_eq!((counts.violations, counts.skipped), (QUEUE_CASES as u64 + 1, 1));
    assert_eq!(queue.counts_of(7).map(|c| (c.violations, c.skipped)), Some((1, 1)));
    assert!(taken(&queue).is_some());
    assert!(queue.push(back, true).is_ok());
    assert_eq!(queue.counts().violations, QUEUE_CASES as u64 + 2);
}

/// Workers that are already asked to end must not wait for room.
#[test]
fn a_closed_queue_takes_more_than_fits() {
    let queue = Queue::default();
    fill(&queue);
    queue.close(None);
    assert!(queue.push(suspect(1), false).is_ok());
    assert_eq!((queue.waiting(), queue.counts().skipped), (QUEUE_CASES + 1, 0));
}

#[test]
fn suspects_are_on_disk_while_they_wait_as_far_as_there_is_room() {
    let place = place();
    let queue = Queue::keeping(place.store.clone());
    assert!(queue.push(suspect(1), true).is_ok());
    assert_eq!(place.names("unconfirmed"), ["000001.json", "000001.session.sql"]);
    for _ in 1..UNCONFIRMED_CASES {
        assert!(place.store.keep_unconfirmed(&index_case(), &[]).unwrap().is_some());
    }
    assert!(queue.push(suspect(2), true).is_ok());
    let kept: Vec<bool> = std::iter::from_fn(|| taken(&queue)).map(|s| s.kept.is_some()).collect();
    assert_eq!(kept, [true, false]);
}

#[test]
fn what_waits_in_an_abandoned_queue_and_what_comes_later_is_counted_as_what_it_is() {
    let place = place();
    let queue = Queue::keeping(place.store.clone());
    assert!(queue.push(suspect(1), true).is_ok());
    queue.abandon();
    assert_eq!(queue.waiting(), 0);
    assert!(queue.push(suspect(1), true).is_ok());
    assert!(matches!(queue.next(true), Next::Closed));
    let counts = queue.counts();
    assert_eq!((counts.violations, counts.unconfirmed, counts.skipped), (2, 2, 0));
    // Without a store nothing of them is left.
    let queue = Queue::default();
    assert!(queue.push(suspect(1), true).is_ok());
    queue.abandon();
    let counts = queue.counts();
    assert_eq!((counts.violations, counts.unconfirmed, counts.skipped), (1, 0, 1));
    assert_eq!(counts.accounted(), 1);
}

#[test]
fn long_sessions_do_not_fill_the_memory() {
    let queue = Queue::default();
    let long = || Suspect::new(vec![index_case()], noted(&[&"x".repeat(SESSIONS_WAITING_BYTES / 2 + 1)]));
    assert!(queue.push(long(), true).is_ok());
    assert!(queue.push(long(), true).is_ok());
    assert!(queue.push(suspect(0), true).is_ok());
    let statements: Vec<usize> = std::iter::from_fn(|| taken(&queue)).map(|s| s.session.len()).collect();
    assert_eq!(statements, [1, 0, 1]);
    // What was taken out leaves room for others.
    assert!(queue.push(long(), true).is_ok());
    assert_eq!(taken(&queue).map(|s| s.session.len()), Some(1));
}

#[test]
fn a_workers_figures_are_known_once_all_it_brought_is_settled() {
    let queue = Queue::default();
    assert_eq!(queue.counts_of(5), Some(Counts::default()));
    assert!(queue.push(suspect(5), true).is_ok());
    assert!(queue.push(suspect(5), true).is_ok());
    assert!(queue.push(suspect(6), true).is_ok());
    queue.settle(5, Fate::Finding);
    assert_eq!(queue.counts_of(5), None);
    queue.settle(5, Fate::Flaky);
    let expected = Counts { violations: 2, findings: 1, flaky: 1, ..Counts::default() };
    assert_eq!((queue.counts_of(5), queue.counts_of(6)), (Some(expected), None));
    assert_eq!(queue.counts(), Counts { violations: 3, findings: 1, flaky: 1, ..Counts::default() });
}

#[test]
fn an_earlier_deadline_counts_and_a_later_one_does_not() {
    let queue = Queue::default();
    assert_eq!((queue.overdue(), queue.out_of_time(), queue.time_left()), (false, false, None));
    let now = Instant::now();
    let hour = Duration::from_secs(3600);
    queue.close(Some(now + hour));
    queue.hurry(now + 2 * hour);
    assert!(queue.time_left().is_some_and(|left| left <= hour && left > hour / 2));
    assert!(!queue.overdue());
    // What runs may take a last step; nothing new is begun.
    queue.hurry(now);
    assert_eq!((queue.overdue(), queue.out_of_time(), queue.time_left()), (true, false, Some(Duration::ZERO)));
    queue.hurry(now - Duration::from_secs_f64(LAST_STEP_SECONDS));
    assert!(queue.out_of_time());
}

/// The forms of one suspect go from short to long; the longest says whose it is.
#[test]
fn a_suspect_belongs_to_the_worker_of_its_longest_form() {
    let forms = vec![survives(&["SELECT 1"]), of_worker(4, index_case())];
    assert_eq!(Suspect::new(forms, vec![]).worker(), 4);
    assert_eq!(Suspect::default().worker(), 0);
}

#[test]
fn every_figure_is_added_and_every_end_is_accounted_for() {
    let fields = ["violations", "findings", "duplicates", "suppressed", "flaky", "pending", "unconfirmed", "skipped"];
    let one: Counts = {
        let mut json = serde_json::to_value(Counts::default()).unwrap();
        let object = json.as_object_mut().unwrap();
        assert_eq!(
            object.len(),
            fields.len() + 2,
            "a new figure has to be added, and perhaps accounted for: {object:?}"
        );
        for (n, field) in fields.iter().enumerate() {
            object[*field] = (1u64 << n).into();
        }
        object["reduce_seconds"] = 0.5.into();
        object["reduce_attempts"] = 7.into();
        serde_json::from_value(json).unwrap()
    };
    // Each is another power of two, so that the sum shows which of them are in it: all but the violations.
    assert_eq!(one.accounted(), 0b1111_1110);
    let mut sum = one.clone();
    sum.add_up(&one);
    let (one, sum) = (serde_json::to_value(&one).unwrap(), serde_json::to_value(&sum).unwrap());
    for (field, value) in one.as_object().unwrap() {
        assert_eq!(sum[field].as_f64(), value.as_f64().map(|v| 2.0 * v), "{field}");
    }
}

#[test]
fn a_queue_that_is_over_has_the_figures_it_was_given() {
    let counts = Counts { violations: 2, findings: 2, ..Counts::default() };
    let queue = Queue::ended(counts.clone());
    assert_eq!((queue.counts(), queue.news().len()), (counts, 0));
    assert!(matches!(queue.next(true), Next::Closed));
}
