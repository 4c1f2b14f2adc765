//! Suspects on their way to triage, and what triage has to report: figures, and findings that were just stored.

use super::fate::{Counts, Fate};
use crate::recorder::Noted;
use crate::store::{Kept, Store};
use qualm_core::case::Case;
use qualm_core::limits::{LAST_STEP_SECONDS, QUEUE_CASES, SESSIONS_WAITING_BYTES};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// What a worker brought.
#[derive(Default)]
pub struct Suspect {
    /// The forms in which to try the case, the shortest first.
    pub forms: Vec<Case>,
    /// All statements of its session.
    pub session: Vec<Noted>,
    /// Its files, which stay until it is confirmed.
    pub(super) kept: Option<Kept>,
}

/// Suspects on their way to triage, and what triage has to report.
#[derive(Default)]
pub struct Queue {
    state: Mutex<QueueState>,
    changed: Condvar,
    /// Where suspects are kept as long as they wait, so that a kill loses none of them.
    store: Option<Arc<Store>>,
}

#[derive(Default)]
pub(super) struct QueueState {
    waiting: VecDeque<Suspect>,
    /// Bytes of the sessions of those that wait.
    session_bytes: usize,
    /// No more suspects will come.
    closed: bool,
    /// Nobody looks at those that come.
    abandoned: bool,
    deadline: Option<Instant>,
    counts: Counts,
    /// The same by the worker that brought the case, and how many of its suspects are not settled.
    per_worker: BTreeMap<u64, (Counts, u64)>,
    pub(super) news: Vec<Stored>,
}

/// A finding that has just been stored.
#[derive(Clone, Debug, Serialize)]
pub struct Stored {
    pub title: String,
    pub folder: PathBuf,
    pub statements: usize,
}

impl Suspect {
    pub fn new(forms: Vec<Case>, session: Vec<Noted>) -> Suspect {
        Suspect { forms, session, kept: None }
    }

    fn session_bytes(&self) -> usize {
        self.session.iter().map(|noted| noted.text.len()).sum()
    }

    pub(super) fn worker(&self) -> u64 {
        self.forms.last().map_or(0, |case| case.origin.worker)
    }

    /// What becomes of it when nobody looks at it.
    fn unlooked(&self) -> Fate {
        if self.kept.is_some() { Fate::Unconfirmed } else { Fate::Skipped }
    }
}

impl Queue {
    /// One that is over, with these figures.
    pub fn ended(counts: Counts) -> Queue {
        let state = QueueState { closed: true, counts, ..QueueState::default() };
        Queue { state: Mutex::new(state), ..Queue::default() }
    }

    /// One whose suspects are kept in the folder of the campaign while they wait.
    pub fn keeping(store: Arc<Store>) -> Queue {
        Queue { store: Some(store), ..Queue::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Adds a suspect. A full queue makes the caller wait a little and try again, or drops it, as `patient` says.
    pub fn push(&self, mut suspect: Suspect, patient: bool) -> Result<(), Suspect> {
        let mut state = self.lock();
        if state.waiting.len() >= QUEUE_CASES && !state.closed {
            if !patient {
                drop(state);
                self.skip(&suspect);
                return Ok(());
            }
            state = self.changed.wait_timeout(state, PUSH_PATIENCE).map_or_else(|e| e.into_inner().0, |r| r.0);
            if state.waiting.len() >= QUEUE_CASES {
                return Err(suspect);
            }
        }
        drop(state);
        if let (Some(store), Some(case)) = (&self.store, suspect.forms.last()) {
            // A full disk is reported when there is a finding to be written.
            suspect.kept = store.keep_unconfirmed(case, &suspect.session).unwrap_or_default();
        }
        let mut state = self.lock();
        if state.abandoned {
            drop(state);
            self.count(suspect.worker(), |c| c.violations += 1);
            self.count_fate(suspect.worker(), suspect.unlooked());
            return Ok(());
        }
        let bytes = suspect.session_bytes();
        if state.session_bytes + bytes > SESSIONS_WAITING_BYTES {
            suspect.session = Vec::new();
        } else {
            state.session_bytes += bytes;
        }
        state.counts.violations += 1;
        let of_worker = state.per_worker.entry(suspect.worker()).or_default();
        of_worker.0.violations += 1;
        of_worker.1 += 1;
        state.waiting.push_back(suspect);
        self.changed.notify_all();
        Ok(())
    }

    /// Counts a suspect that nobody looks at.
    pub fn skip(&self, suspect: &Suspect) {
        self.count(suspect.worker(), |c| c.violations += 1);
        self.count_fate(suspect.worker(), Fate::Skipped);
    }

    /// No more suspects; what is not done at the deadline stays pending.
    pub fn close(&self, deadline: Option<Instant>) {
        let mut state = self.lock();
        state.closed = true;
        state.deadline = deadline;
        self.changed.notify_all();
    }

    /// Nobody empties the queue any more. What waits is counted as what it is: kept and never looked at, or not even
    /// kept.
    pub fn abandon(&self) {
        let mut state = self.lock();
        (state.closed, state.abandoned) = (true, true);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.iter().for_each(|suspect| self.count_fate(suspect.worker(), suspect.unlooked()));
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

    pub(super) fn count_fate(&self, worker: u64, fate: Fate) {
        self.count(worker, |c| *c.of_mut(fate) += 1);
    }

    /// A suspect of this worker has come to its end.
    pub(super) fn settle(&self, worker: u64, fate: Fate) {
        self.count_fate(worker, fate);
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
                state.session_bytes = state.session_bytes.saturating_sub(suspect.session_bytes());
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

#[cfg(test)]
mod tests;
