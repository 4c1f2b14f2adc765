//! What the death of a process says: something about the engine, about this tool, or only that somebody killed it.
//!
//! A signal that people and supervisors send (SIGKILL, SIGTERM, SIGHUP and the like) says nothing about the engine.
//! That memory ran out is concluded from evidence alone: the process said so itself, or the kernel counted one more
//! process that it killed for memory.

use crate::process::{self, Ended};
use qualm_core::limits::CHILD_MEMORY_BYTES;
use qualm_core::relation::FailureKind;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Stands in the text of every death that somebody outside caused; `is_outside` looks for it.
const FROM_OUTSIDE: &str = "killed from outside";

/// Whose doing a death was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    Engine(FailureKind),
    /// This tool's own code gave up.
    Own,
    /// Somebody else ended the process. It says nothing; what was asked is to be asked again.
    Outside,
}

/// The cause of a child's death. `memory` was begun before the child did what it died of.
pub fn cause(ended: &Ended, memory: &MemoryWatch) -> Cause {
    let words = ended.last_words.to_lowercase();
    let said_so = ["memory allocation of", "out of memory", "bad_alloc"].iter().any(|w| words.contains(w));
    match (ended.signal, ended.code) {
        (Some(libc::SIGKILL), _) if memory.ran_out(ended.peak_bytes) => Cause::Engine(FailureKind::OutOfMemory),
        (Some(signal), _) if is_sent(signal) => Cause::Outside,
        (Some(_), _) if said_so => Cause::Engine(FailureKind::OutOfMemory),
        (Some(_), _) => Cause::Engine(FailureKind::Crash),
        // A panic has words. z3 leaves with the same number, and without any, when its memory is gone.
        (None, Some(process::PANIC_EXIT)) if !words.trim().is_empty() => Cause::Own,
        (None, _) => Cause::Engine(FailureKind::Crash),
    }
}

/// Signals that a process gets from others, and not by what it does itself. The last two are limits that somebody set.
fn is_sent(signal: i32) -> bool {
    use libc::{SIGALRM, SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
    [SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGXFSZ].contains(&signal)
}

/// How a server or a program of an engine ended, for people; with a mark where somebody outside ended it. A server that
/// was asked to end leaves with 0, or with 128 and the signal's number.
pub fn how_it_ended(signal: Option<i32>, code: Option<i32>, memory: &MemoryWatch) -> String {
    let how = match (signal, code) {
        (Some(signal), _) => process::signal_name(signal),
        (None, code) => format!("exit code {}", code.unwrap_or(-1)),
    };
    let sent = signal.or(code.and_then(|c| c.checked_sub(128)));
    if signal == Some(libc::SIGKILL) && memory.ran_out(0) {
        format!("{how} (the kernel was out of memory)")
    } else if sent.is_some_and(is_sent) || signal.is_none() && code == Some(0) {
        outside(&how)
    } else {
        how
    }
}

/// The text with the mark.
pub fn outside(how: &str) -> String {
    format!("{how} ({FROM_OUTSIDE})")
}

/// Whether a text about a death carries the mark.
pub fn is_outside(how: &str) -> bool {
    how.contains(FROM_OUTSIDE)
}

/// How a server of this process was killed from outside, until somebody asks. A driver may notice it at any time, also
/// when it has no answer to give in which it could say so.
static NOTED: Mutex<Option<String>> = Mutex::new(None);

/// Notes the death of a server if somebody outside caused it.
pub fn note_server(how: &str) {
    if is_outside(how) {
        NOTED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| how.to_owned());
    }
}

/// What was noted since this was last asked.
pub fn take_noted() -> Option<String> {
    NOTED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Knows whether the kernel has killed a process for memory since it was begun.
#[derive(Clone, Copy, Debug)]
pub struct MemoryWatch {
    before: Option<u64>,
}

impl MemoryWatch {
    pub fn begin() -> MemoryWatch {
        MemoryWatch { before: kernel_kills() }
    }

    /// Where the kernel does not count, a process that had nearly all it may have is taken to have wanted more.
    pub fn ran_out(&self, peak_bytes: u64) -> bool {
        match (self.before, kernel_kills()) {
            (Some(before), Some(now)) => now > before,
            _ => peak_bytes >= CHILD_MEMORY_BYTES / 4 * 3,
        }
    }
}

/// Processes that the kernel has killed for memory: on the whole machine, and in this process's group.
fn kernel_kills() -> Option<u64> {
    let machine = count_in(Path::new("/proc/vmstat"));
    let own = fs::read_to_string("/proc/self/cgroup").ok();
    let own = own.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("0::/")));
    let group = own.and_then(|path| count_in(&Path::new("/sys/fs/cgroup").join(path).join("memory.events")));
    match (machine, group) {
        (None, None) => None,
        (machine, group) => Some(machine.unwrap_or(0) + group.unwrap_or(0)),
    }
}

fn count_in(file: &Path) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(signal: Option<i32>, code: Option<i32>, words: &str) -> Ended {
        Ended { signal, code, cpu_seconds: 0.0, peak_bytes: 0, last_words: words.into() }
    }

    #[test]
    fn a_panic_is_ours_and_an_engine_that_leaves_is_not() {
        let cause = |code, words| cause(&ended(None, Some(code), words), &MemoryWatch::begin());
        assert_eq!(cause(process::PANIC_EXIT, "qualm: panicked at src/x.rs"), Cause::Own);
        assert_eq!(cause(process::PANIC_EXIT, ""), Cause::Engine(FailureKind::Crash));
        assert_eq!(cause(1, ""), Cause::Engine(FailureKind::Crash));
    }

    #[test]
    fn a_signal_that_others_send_says_nothing_of_the_engine() {
        let quiet = MemoryWatch::begin();
        for signal in [libc::SIGKILL, libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            assert_eq!(cause(&ended(Some(signal), None, ""), &quiet), Cause::Outside, "{signal}");
            assert!(is_outside(&how_it_ended(Some(signal), None, &quiet)));
        }
        for signal in [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL] {
            assert_eq!(cause(&ended(Some(signal), None, ""), &quiet), Cause::Engine(FailureKind::Crash), "{signal}");
            assert!(!is_outside(&how_it_ended(Some(signal), None, &quiet)));
        }
        assert!(is_outside(&how_it_ended(None, Some(143), &quiet)) && is_outside(&how_it_ended(None, Some(0), &quiet)));
        assert!(
            !is_outside(&how_it_ended(None, Some(1), &quiet)) && !is_outside(&how_it_ended(None, Some(139), &quiet))
        );
    }

    #[test]
    fn memory_is_out_when_there_is_evidence_of_it() {
        let abort = ended(Some(libc::SIGABRT), None, "memory allocation of 9 bytes failed");
        assert_eq!(cause(&abort, &MemoryWatch::begin()), Cause::Engine(FailureKind::OutOfMemory));
        // The kernel has killed one more since, or is taken to have where it does not count.
        let before = kernel_kills().map(|n| n.wrapping_sub(1));
        let killed = Ended { peak_bytes: CHILD_MEMORY_BYTES, ..ended(Some(libc::SIGKILL), None, "") };
        if before != Some(u64::MAX) {
            assert_eq!(cause(&killed, &MemoryWatch { before }), Cause::Engine(FailureKind::OutOfMemory));
        }
        assert_eq!(cause(&killed, &MemoryWatch { before: None }), Cause::Engine(FailureKind::OutOfMemory));
        let small = Ended { peak_bytes: 1 << 20, ..killed };
        assert_eq!(cause(&small, &MemoryWatch { before: None }), Cause::Outside);
    }
}
