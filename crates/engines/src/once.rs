//! A program that is started for one question and ends with its answer: input given, output read, time limited.

use qualm_core::plan::Plan;
use qualm_core::session::{Outcome, Session};
use qualm_host::death::{self, MemoryWatch};
use qualm_host::pipes::{self, PollFd, PollFlags};
use qualm_host::process::{self, Signal};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// More output than this is not read; the program is killed.
const OUTPUT_BYTES: usize = 64 << 20;

/// An engine that is a program, started anew for every question.
pub trait Answers {
    fn answer(&mut self, program: &str) -> Outcome;

    /// See `Session` for these.
    fn limit_time(&mut self, _ms: u64) {}

    fn bundle(&self) -> Option<usize> {
        None
    }

    fn expect(&mut self, _texts: &[&str]) {}
}

/// A session of such an engine: there is no state to reset and no plan to ask for.
pub struct OnceSession<A> {
    engine: A,
}

impl<A: Answers> OnceSession<A> {
    pub fn new(engine: A) -> OnceSession<A> {
        OnceSession { engine }
    }
}

impl<A: Answers> Session for OnceSession<A> {
    fn run(&mut self, text: &str) -> Outcome {
        self.engine.answer(text)
    }

    fn plan(&mut self, _query: &str) -> Option<Plan> {
        None
    }

    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn limit_time(&mut self, ms: u64) {
        self.engine.limit_time(ms);
    }

    fn bundle(&self) -> Option<usize> {
        self.engine.bundle()
    }

    fn expect(&mut self, texts: &[&str]) {
        self.engine.expect(texts);
    }

    fn waits(&self) -> bool {
        true
    }

    fn server_cpu_seconds(&self) -> f64 {
        process::children_cpu_seconds()
    }
}

pub struct Ran {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    /// Since it was started.
    memory: MemoryWatch,
}

impl Ran {
    /// How it died, if a signal killed it, with its last words.
    pub fn crash(&self) -> Option<String> {
        let signal = self.status.signal()?;
        let words = self.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let dot = if words.is_empty() { "" } else { "; " };
        Some(format!("killed by {}{dot}{words}", death::how_it_ended(Some(signal), None, &self.memory)))
    }
}

pub enum Finished {
    Ended(Ran),
    /// It was killed because its time was over or because it said too much.
    Stopped(&'static str),
}

/// Runs `command` to its end. The child dies with the thread that calls this.
pub fn run(command: &mut Command, input: &[u8], limit: Duration) -> io::Result<Finished> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: one plain system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            process::die_with_parent(Signal::KILL);
            Ok(())
        })
    };
    let memory = MemoryWatch::begin();
    let mut child = Reaped(command.spawn()?);
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let stopped = talk(&mut child.0, input, Instant::now() + limit, &mut stdout, &mut stderr)?;
    if let Some(why) = stopped {
        return Ok(Finished::Stopped(why));
    }
    let status = child.0.wait()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Finished::Ended(Ran { status, stdout: text(stdout), stderr: text(stderr), memory }))
}

/// A child that no early return leaves running or unwaited for.
struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes and reads as the child is ready, until it has closed its output. Says why it has to be killed, if so.
fn talk(
    child: &mut Child,
    mut input: &[u8],
    until: Instant,
    stdout: &mut Vec<u8>,
    stderr: &mut Vec<u8>,
) -> io::Result<Option<&'static str>> {
    let (mut to, mut out, mut err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    for pipe in [fd(&to), fd(&out), fd(&err)].into_iter().flatten() {
        pipes::set_nonblocking(pipe)?;
    }
    while out.is_some() || err.is_some() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Some("its time was over"));
        }
        if stdout.len() + stderr.len() > OUTPUT_BYTES {
            return Ok(Some("its output was too long"));
        }
        let wanted = [(fd(&to), PollFlags::OUT), (fd(&out), PollFlags::IN), (fd(&err), PollFlags::IN)];
        let open = wanted.into_iter().filter_map(|(pipe, events)| Some(PollFd::from_borrowed_fd(pipe?, events)));
        pipes::wait(&mut open.collect::<Vec<_>>(), left)?;
        if let Some(pipe) = &mut to {
            match pipe.write(input) {
                Ok(count) => input = &input[count..],
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // It does not want the rest; what it says about that is its answer.
                Err(_) => input = &[],
            }
            if input.is_empty() {
                to = None;
            }
        }
        read_available(&mut out, stdout)?;
        read_available(&mut err, stderr)?;
    }
    Ok(None)
}

fn fd(pipe: &Option<impl AsFd>) -> Option<BorrowedFd<'_>> {
    pipe.as_ref().map(AsFd::as_fd)
}

fn read_available(pipe: &mut Option<impl Read>, into: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 16 << 10];
    while let Some(open) = pipe {
        match open.read(&mut buffer) {
            Ok(0) => *pipe = None,
            Ok(count) => into.extend_from_slice(&buffer[..count]),
            Err(e) if e.kind() == ErrorKind::WouldBlock => break,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], ms: u64) -> Finished {
        run(Command::new("/bin/sh").args(["-c", script]), input, Duration::from_millis(ms)).unwrap()
    }

    #[test]
    fn input_output_and_death_are_reported() {
        let long = vec![b'x'; 300_000];
        let Finished::Ended(ran) = shell("cat; echo oops >&2; exit 3", &long, 20_000) else { panic!("stopped") };
        assert_eq!((ran.stdout.len(), ran.stderr.as_str(), ran.status.code()), (300_000, "oops\n", Some(3)));
        let Finished::Ended(ran) = shell("echo last >&2; kill -SEGV $$", b"", 20_000) else { panic!("stopped") };
        assert_eq!(ran.crash().as_deref(), Some("killed by SIGSEGV; last"));
        let Finished::Ended(ran) = shell("exec <&-; echo 1", &long, 20_000) else { panic!("stopped") };
        assert_eq!(ran.stdout, "1\n");
    }

    #[test]
    fn who_takes_too_long_is_killed() {
        let begun = Instant::now();
        assert!(matches!(shell("exec sleep 60", b"", 200), Finished::Stopped("its time was over")));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}
