//! Ctrl-C and the other signals that ask for the end. While a command has results to keep, the first one asks for a
//! clean end and the second one ends at once; before and after, the first one ends at once. Ending at once means: the
//! children are killed, the private folders are gone, and the exit code is that of the signal.

use crate::process;
use qualm_core::fault::Fault;
use qualm_core::limits::INTERRUPT_ECHO_MS;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Someone keeps what is there when the flag is set.
static GRACEFUL: AtomicBool = AtomicBool::new(false);

fn flag() -> &'static Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    FLAG.get_or_init(Arc::default)
}

/// Listens from now on.
pub fn listen() -> Result<(), Fault> {
    let mut wanted = vec![libc::SIGINT, libc::SIGTERM];
    // With 'nohup' a closed terminal is none of our business.
    if !is_ignored(libc::SIGHUP) {
        wanted.push(libc::SIGHUP);
    }
    let mut signals =
        signal_hook::iterator::Signals::new(wanted).map_err(|e| Fault::own(format!("cannot handle signals: {e}")))?;
    std::thread::spawn(move || {
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            // The same wish, sent to the process and to its group.
            if first.is_some_and(|when| when.elapsed() < Duration::from_millis(INTERRUPT_ECHO_MS)) {
                continue;
            }
            let again = flag().swap(true, Ordering::Relaxed);
            if again || !GRACEFUL.load(Ordering::Relaxed) {
                process::end_at_once(128 + signal);
            }
            first = Some(Instant::now());
            errln!("\nfinishing; press again to stop at once");
        }
    });
    Ok(())
}

/// From now on the first signal only sets this flag: whoever asks for it looks at it often and ends with what there is.
pub fn gracefully() -> Arc<AtomicBool> {
    GRACEFUL.store(true, Ordering::Relaxed);
    flag().clone()
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: asks for the present action and changes nothing; the struct is plain data.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}
