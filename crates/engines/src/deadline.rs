//! A thread that interrupts an engine in this process when a question takes too long.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the thread looks. A question is interrupted so much too late at most.
const LOOK_EVERY: Duration = Duration::from_millis(50);

type Interrupt = Box<dyn FnMut() + Send>;

#[derive(Default)]
struct State {
    /// When the running question is to be interrupted, and how.
    running: Option<(Instant, Interrupt)>,
    ended: bool,
}

/// The thread ends with it.
pub struct Deadline {
    shared: Arc<(Mutex<State>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Deadline {
    pub fn start() -> Result<Deadline, String> {
        let shared: Arc<(Mutex<State>, Condvar)> = Arc::default();
        let seen = shared.clone();
        let look = move || {
            let (state, wake) = &*seen;
            let mut state = lock(state);
            while !state.ended {
                if let Some((until, interrupt)) = &mut state.running
                    && Instant::now() >= *until
                {
                    interrupt();
                }
                state = wake.wait_timeout(state, LOOK_EVERY).unwrap_or_else(|poisoned| poisoned.into_inner()).0;
            }
        };
        let named = std::thread::Builder::new().name("deadline".into()).stack_size(256 << 10);
        let thread = named.spawn(look).map_err(|e| format!("cannot start a thread: {e}"))?;
        Ok(Deadline { shared, thread: Some(thread) })
    }

    /// A question begins that may take so long. `interrupt` is called, again and again, until `end`; it is never called
    /// after that, because both hold the same lock.
    pub fn begin(&self, limit: Duration, interrupt: impl FnMut() + Send + 'static) {
        lock(&self.shared.0).running = Some((Instant::now() + limit, Box::new(interrupt)));
    }

    /// Says whether the question had used up its time.
    pub fn end(&self) -> bool {
        lock(&self.shared.0).running.take().is_some_and(|(until, _)| Instant::now() >= until)
    }
}

impl Drop for Deadline {
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
