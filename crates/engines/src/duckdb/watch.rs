//! A thread that interrupts statements which take too long.

use super::api::{Api, Connection};
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the thread looks. A statement is interrupted so much too late at most.
const LOOK_EVERY: Duration = Duration::from_millis(50);

struct State {
    connection: Connection,
    /// When the running statement is to be interrupted.
    deadline: Option<Instant>,
    ended: bool,
}

// SAFETY: the connection is only ever used to interrupt it, which DuckDB allows from any thread while it is open; it is
// set to null, under the lock, before it is closed.
unsafe impl Send for State {}

/// Watches one connection at a time. The thread ends with it.
pub struct Watch {
    shared: Arc<(Mutex<State>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Releases before 0.9 cannot be interrupted: there is no thread then, and a long statement is the parent's matter.
    pub fn start(api: &'static Api) -> Result<Watch, String> {
        let state = State { connection: ptr::null_mut(), deadline: None, ended: false };
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let Some(interrupt) = api.interrupt else { return Ok(Watch { shared, thread: None }) };
        let seen = shared.clone();
        let look = move || {
            let (state, wake) = &*seen;
            let mut state = lock(state);
            while !state.ended {
                if state.deadline.is_some_and(|deadline| Instant::now() >= deadline) && !state.connection.is_null() {
                    // SAFETY: open, because it is taken away under this lock before it is closed.
                    unsafe { interrupt(state.connection) };
                }
                state = wake.wait_timeout(state, LOOK_EVERY).unwrap_or_else(|poisoned| poisoned.into_inner()).0;
            }
        };
        let named = std::thread::Builder::new().name("duckdb-watch".into()).stack_size(128 << 10);
        let thread = named.spawn(look).map_err(|e| format!("cannot start a thread: {e}"))?;
        Ok(Watch { shared, thread: Some(thread) })
    }

    /// Watches this connection from now on; null for none.
    pub fn connection(&self, connection: Connection) {
        lock(&self.shared.0).connection = connection;
    }

    /// A statement begins that may take so long.
    pub fn begin(&self, limit: Duration) {
        lock(&self.shared.0).deadline = Some(Instant::now() + limit);
    }

    /// Says whether the statement had used up its time.
    pub fn end(&self) -> bool {
        let deadline = lock(&self.shared.0).deadline.take();
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&self.shared.0).ended = true;
        self.shared.1.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
