//! Pipes to children: not blocking, and waited for together.

pub use rustix::event::{PollFd, PollFlags};
use rustix::event::{Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Reading and writing return at once, whether or not there is something to do.
pub fn set_nonblocking(pipe: impl AsFd) -> io::Result<()> {
    Ok(rustix::io::ioctl_fionbio(pipe, true)?)
}

/// Waits until one of the pipes is ready or was closed; false when the time is over. A signal that another thread deals
/// with is no reason to stop waiting.
pub fn wait(pipes: &mut [PollFd], patience: Duration) -> io::Result<bool> {
    let until = Instant::now() + patience;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        // So long a wait that it has no number is one without an end.
        let timeout = Timespec::try_from(left).ok();
        match poll(pipes, timeout.as_ref()) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
