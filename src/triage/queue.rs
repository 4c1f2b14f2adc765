//! Suspects on their way to triage, and what triage has to tell: figures, and findings that were just stored.

use crate::case::Case;
use crate::limits::{LAST_STEP_SECONDS, QUEUE_CASES};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// What a worker brought: the forms in which to try a case, the shortest first.
pub struct Suspect {
    pub forms: Vec<Case>,
}

/// Suspects on their way to triage, and what triage has to tell.
#[derive(Default)]
pub struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
pub(super) struct QueueState {
    waiting: VecDeque<Suspect>,
    /// No more suspects will come.
    closed: bool,
    deadline: Option<Instant>,
    counts: Counts,
    /// The same by the worker that brought the case, and how many of its suspects are not settled.
    per_worker: BTreeMap<u64, (Counts, u64)>,
    pub(super) news: Vec<Stored>,
}

/// Figures of triage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    pub findings: u64,
    pub duplicates: u64,
    pub suppressed: u64,
    /// Did not happen again when run again.
    pub flaky: u64,
    /// Confirmed and kept, but not reduced in time.
    pub pending: u64,
    /// Not looked at because too many waited.
    pub skipped: u64,
    pub reduce_seconds: f64,
    pub reduce_attempts: u64,
}

/// A finding that has just been stored.
#[derive(Clone, Debug, Serialize)]
pub struct Stored {
    pub title: String,
    pub folder: PathBuf,
    pub statements: usize,
}

impl Suspect {
    pub(super) fn worker(&self) -> u64 {
        self.forms.last().map_or(0, |case| case.origin.worker)
    }
}

impl Queue {
    /// One that is over, with these figures.
    pub fn ended(counts: Counts) -> Queue {
        let state = QueueState { closed: true, counts, ..QueueState::default() };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Adds a suspect. A full queue makes the caller wait a little and try again, or drops it, as `patient` says.
    pub fn push(&self, suspect: Suspect, patient: bool) -> Result<(), Suspect> {
        let mut state = self.lock();
        if state.waiting.len() >= QUEUE_CASES && !state.closed {
            if !patient {
                state.counts.skipped += 1;
                return Ok(());
            }
            state = self.changed.wait_timeout(state, PUSH_PATIENCE).map_or_else(|e| e.into_inner().0, |r| r.0);
            if state.waiting.len() >= QUEUE_CASES {
                return Err(suspect);
            }
        }
        state.per_worker.entry(suspect.worker()).or_default().1 += 1;
        state.waiting.push_back(suspect);
        self.changed.notify_all();
        Ok(())
    }

    /// No more suspects; what is not done at the deadline stays pending.
    pub fn close(&self, deadline: Option<Instant>) {
        let mut state = self.lock();
        state.closed = true;
        state.deadline = deadline;
        self.changed.notify_all();
    }

    /// An earlier deadline than the one given before.
    pub fn hurry(&self, deadline: Instant) {
        let mut state = self.lock();
        state.deadline = Some(state.deadline.map_or(deadline, |d| d.min(deadline)));
    }

    pub fn counts(&self) -> Counts {
        self.lock().counts.clone()
    }

    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// What was stored since the last call.
    pub fn news(&self) -> Vec<Stored> {
        std::mem::take(&mut self.lock().news)
    }

    pub(super) fn count(&self, worker: u64, change: impl Fn(&mut Counts)) {
        let mut state = self.lock();
        change(&mut state.counts);
        change(&mut state.per_worker.entry(worker).or_default().0);
    }

    pub(super) fn settled(&self, worker: u64) {
        let mut state = self.lock();
        let unsettled = &mut state.per_worker.entry(worker).or_default().1;
        *unsettled = unsettled.saturating_sub(1);
    }

    /// The figures of one worker's suspects; nothing while one of them is not settled.
    pub fn counts_of(&self, worker: u64) -> Option<Counts> {
        let state = self.lock();
        let known = state.per_worker.get(&worker);
        known.map_or_else(|| Some(Counts::default()), |(counts, open)| (*open == 0).then(|| counts.clone()))
    }

    /// Nothing new is to be begun.
    pub(super) fn overdue(&self) -> bool {
        self.lock().deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// What still runs is to be cut off.
    pub fn out_of_time(&self) -> bool {
        let last_step = Duration::from_secs_f64(LAST_STEP_SECONDS);
        self.lock().deadline.is_some_and(|d| Instant::now() >= d + last_step)
    }

    /// Until nothing new is begun, where that is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.lock().deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// The next suspect; nothing for now, or nothing ever again.
    pub(super) fn next(&self, wait: bool) -> Next {
        let mut state = self.lock();
        loop {
            if let Some(suspect) = state.waiting.pop_front() {
                self.changed.notify_all();
                return Next::Suspect(suspect);
            }
            if state.closed {
                return Next::Closed;
            }
            if !wait {
                return Next::Nothing;
            }
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

const PUSH_PATIENCE: Duration = Duration::from_millis(100);

pub(super) enum Next {
    Suspect(Suspect),
    Nothing,
    Closed,
}
