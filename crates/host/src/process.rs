//! Child processes: started, listened to, killed, reaped. What is said over the pipes is not known here.

use crate::pipes::{self, PollFd, PollFlags};
use crate::scratch;
use qualm_core::limits::{LINE_BYTES, STDERR_TAIL_BYTES};
use rustix::process::{Pid, Resource, Rlimit, WaitId, WaitIdOptions, getrlimit, setrlimit, waitid};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use crate::scratch::{Scratch, nest_in};
pub use rustix::process::Signal;

// ---------------------------------------------------------------- what must not be left behind

/// What this process has to put away when it ends at once: its children and its private folders.
pub(crate) struct Held {
    children: BTreeSet<u32>,
    /// Children have something on a server of others, and are asked to end instead of being killed.
    gently: bool,
    pub(crate) folders: BTreeSet<PathBuf>,
}

pub(crate) fn held() -> MutexGuard<'static, Held> {
    static HELD: Mutex<Held> = Mutex::new(Held { children: BTreeSet::new(), gently: false, folders: BTreeSet::new() });
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on children are asked to end where others would be killed: they have something on a server of others.
pub fn end_children_gently() {
    held().gently = true;
}

/// Ends this process with the given code, and leaves neither children nor folders behind. Destructors are not run:
/// other threads are in the middle of something. Children that have to put something away live a little longer.
pub fn end_at_once(code: i32) -> ! {
    // Never given back, so that no thread starts another child.
    let held = held();
    for child in &held.children {
        // They have not been waited for, so that the numbers are still theirs.
        send_signal(*child, if held.gently { Signal::TERM } else { Signal::KILL });
    }
    held.folders.iter().for_each(|folder| scratch::remove_folder(folder));
    scratch::remove_stale_servers();
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

/// Sends a signal to a process that the caller knows to be the one it means. One that has ended does not mind.
pub fn send_signal(pid: u32, signal: Signal) {
    let _ = pid_of(pid).map(|pid| rustix::process::kill_process(pid, signal));
}

fn pid_of(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

// ---------------------------------------------------------------- the parent's side of a child

/// A child that is talked to in lines. Dropping it kills and reaps it.
pub struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    out: Lines,
    err: Tail,
    ended: Option<Ended>,
}

pub enum Heard {
    Line(Vec<u8>),
    /// Nothing within the time given.
    Nothing,
    /// The child has closed its output: it has ended or is about to.
    Closed,
}

/// How a child ended and what it used.
#[derive(Clone, Debug)]
pub struct Ended {
    pub signal: Option<i32>,
    pub code: Option<i32>,
    pub cpu_seconds: f64,
    pub peak_bytes: u64,
    pub last_words: String,
}

impl Ended {
    /// For people: the signal's name or the exit code.
    pub fn how(&self) -> String {
        match (self.signal, self.code) {
            (Some(signal), _) => signal_name(signal),
            (None, Some(code)) => format!("exit code {code}"),
            (None, None) => "unknown end".into(),
        }
    }

    /// The last line that says anything, if the child said something before it ended.
    pub fn how_and_words(&self) -> String {
        let words = self.last_words.lines().rev().map(str::trim).find(|l| !l.is_empty());
        words.map_or_else(|| self.how(), |words| format!("{}; {words}", self.how()))
    }
}

impl Peer {
    /// Starts `program` with all three streams as pipes. It gets the kill signal when the calling thread ends.
    ///
    /// It is in a process group of its own: Ctrl-C in a terminal goes to all of a group, and neither this child nor an
    /// engine that it started may die of it before they have said what they know.
    pub fn spawn(program: &Path, args: &[&str]) -> io::Result<Peer> {
        let mut command = Command::new(program);
        command.arg0("qualm").args(args).process_group(0);
        Peer::start(command)
    }

    /// Starts a command with all three streams as pipes.
    pub fn start(mut command: Command) -> io::Result<Peer> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut held = held();
        let mut child = command.spawn()?;
        held.children.insert(child.id());
        drop(held);
        let (stdout, stderr) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
        pipes::set_nonblocking(&stdout)?;
        pipes::set_nonblocking(&stderr)?;
        let stdin = child.stdin.take();
        let out = Lines { from: stdout, bytes: Vec::new(), start: 0, scanned: 0, closed: false };
        let err = Tail { from: stderr, bytes: Vec::new(), closed: false };
        Ok(Peer { child, stdin, out, err, ended: None })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one line, which must end with a newline.
    pub fn send(&mut self, line: &[u8]) -> io::Result<()> {
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(line),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Waits for a line, at most so long.
    pub fn hear(&mut self, patience: Duration) -> Heard {
        let until = Instant::now() + patience;
        loop {
            if let Some(line) = self.out.take_line() {
                return Heard::Line(line);
            }
            if self.out.closed {
                return Heard::Closed;
            }
            let left = until.saturating_duration_since(Instant::now());
            let readable = |pipe| PollFd::from_borrowed_fd(pipe, PollFlags::IN);
            let mut ready = vec![readable(self.out.from.as_fd())];
            if !self.err.closed {
                ready.push(readable(self.err.from.as_fd()));
            }
            if !pipes::wait(&mut ready, left).unwrap_or(false) {
                return Heard::Nothing;
            }
            self.err.read_available();
            self.out.read_available();
        }
    }

    /// Nothing more will be said to the child.
    pub fn end_input(&mut self) {
        self.stdin = None;
    }

    /// Asks the child to end by itself.
    pub fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&mut self, signal: Signal) {
        // Once it has been waited for, its number may be that of another process.
        if self.ended.is_none() {
            send_signal(self.child.id(), signal);
        }
    }

    /// Whether the child ends by itself, or has ended, within the time given.
    pub fn ends_within(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        // The child is left to be waited for.
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let has_ended = |pid| matches!(waitid(WaitId::Pid(pid), how), Ok(Some(_)));
        loop {
            let ended = self.ended.is_some() || pid_of(self.child.id()).is_some_and(has_ended);
            if ended || Instant::now() >= until {
                return ended;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the child has ended. Its input is closed first.
    pub fn reap(&mut self) -> Ended {
        self.stdin = None;
        if let Some(ended) = &self.ended {
            return ended.clone();
        }
        let (mut status, mut usage) = (0, usage_zero());
        // By hand, because nothing else says what a single child has used.
        // SAFETY: both places are valid; the child is ours and not yet waited for.
        while unsafe { libc::wait4(self.child.id() as libc::pid_t, &mut status, 0, &mut usage) } < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
        held().children.remove(&self.child.id());
        self.err.read_available();
        let ended = Ended {
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            cpu_seconds: cpu_seconds(&usage),
            peak_bytes: peak_bytes(&usage),
            last_words: String::from_utf8_lossy(&self.err.bytes).into_owned(),
        };
        self.ended = Some(ended.clone());
        ended
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.kill();
        self.reap();
    }
}

struct Lines {
    from: std::process::ChildStdout,
    bytes: Vec<u8>,
    start: usize,
    scanned: usize,
    closed: bool,
}

impl Lines {
    fn take_line(&mut self) -> Option<Vec<u8>> {
        match self.bytes[self.scanned..].iter().position(|b| *b == b'\n') {
            Some(at) => {
                let line = self.bytes[self.start..self.scanned + at].to_vec();
                self.start = self.scanned + at + 1;
                self.scanned = self.start;
                Some(line)
            }
            None => {
                self.bytes.drain(..self.start);
                self.start = 0;
                self.scanned = self.bytes.len();
                None
            }
        }
    }

    fn read_available(&mut self) {
        let mut chunk = [0; 1 << 16];
        match self.from.read(&mut chunk) {
            Ok(0) => self.closed = true,
            Ok(n) if self.bytes.len() + n > LINE_BYTES => self.closed = true,
            Ok(n) => self.bytes.extend_from_slice(&chunk[..n]),
            Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => self.closed = true,
        }
    }
}

/// Reads all and keeps the end.
struct Tail {
    from: std::process::ChildStderr,
    bytes: Vec<u8>,
    closed: bool,
}

impl Tail {
    fn read_available(&mut self) {
        let mut chunk = [0; 1 << 12];
        while !self.closed {
            match self.from.read(&mut chunk) {
                Ok(0) => self.closed = true,
                Ok(n) => self.bytes.extend_from_slice(&chunk[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
            let excess = self.bytes.len().saturating_sub(STDERR_TAIL_BYTES);
            self.bytes.drain(..excess);
        }
    }
}

// ---------------------------------------------------------------- the child's side

/// The exit code of a child whose own code, not the engine, gave up.
pub const PANIC_EXIT: i32 = 101;

/// How a child begins to say why.
pub const PANIC_WORDS: &str = "qualm ";

/// What a child does first: it dies with its parent, leaves Ctrl-C to it, dumps no core and may take only so much
/// memory more than it has now.
pub fn become_child(memory_bytes: u64) {
    die_with_parent(Signal::KILL);
    // SAFETY: no handler is installed, so that nothing runs at a bad moment.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
    // What the system refuses to limit stays unlimited, here and below.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let most = address_space_bytes().saturating_add(memory_bytes);
    limit_address_space(|_| Some(most));
    keep_freed_memory();
}

/// The heap is not given back to the system when a database is closed: the next one takes as much again, and asking for
/// it page by page was a sixth of the time of a hunt in small databases.
fn keep_freed_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: numbers that the allocator looks at when it grows or shrinks the heap.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 20);
        libc::mallopt(libc::M_TOP_PAD, 4 << 20);
    }
}

/// This process, or one that it is about to become, gets the signal when its parent dies.
pub fn die_with_parent(signal: Signal) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(signal));
    #[cfg(not(target_os = "linux"))]
    let _ = signal;
}

/// Changes the soft limit, as far as the hard one allows; nothing is no limit. The hard limit stays, so that a private
/// server that a child starts can take the limit back for itself.
fn limit_address_space(choose: impl FnOnce(Option<u64>) -> Option<u64>) {
    let Rlimit { current, maximum } = getrlimit(Resource::As);
    let wanted = choose(current);
    let current = [wanted, maximum].into_iter().flatten().min();
    let _ = setrlimit(Resource::As, Rlimit { current, maximum });
}

/// For a child that has something on a server of others: when it is asked to end, or its parent dies, it still puts
/// that away. The flag is set then; no statement is to be sent any more. It does not take longer than `seconds`,
/// whatever it is doing.
pub fn end_gently(flag: &Arc<AtomicBool>, seconds: u32) -> io::Result<()> {
    signal_hook::flag::register(libc::SIGTERM, flag.clone())?;
    // SAFETY: an alarm may be set in a handler. Nobody listens to it, so that it ends the process.
    unsafe {
        signal_hook::low_level::register(libc::SIGTERM, move || {
            libc::alarm(seconds);
        })?
    };
    die_with_parent(Signal::TERM);
    Ok(())
}

/// What was to end goes on.
pub fn carry_on() {
    // SAFETY: a plain call about this process.
    unsafe { libc::alarm(0) };
}

/// Gives this child more address space than children have: for a library that maps much more than it uses and has a
/// memory limit of its own. Nothing happens in a process without a limit.
pub fn allow_more_memory(bytes: u64) {
    limit_address_space(|current| current.map(|current| current.saturating_add(bytes)));
}

/// Takes back the limit of address space that children have. For what is started by one and limits itself.
pub fn lift_memory_limit() {
    limit_address_space(|_| None);
}

/// Address space in use now, as /proc says; 0 where there is no such thing.
fn address_space_bytes() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").ok();
    let pages: u64 = pages.and_then(|s| s.split(' ').next()?.parse().ok()).unwrap_or(0);
    pages * 4096
}

fn usage_zero() -> libc::rusage {
    // SAFETY: a struct of plain numbers.
    unsafe { std::mem::zeroed() }
}

/// CPU seconds and peak memory of this process so far.
pub fn own_usage() -> (f64, u64) {
    let usage = usage_of(libc::RUSAGE_SELF);
    (cpu_seconds(&usage), peak_bytes(&usage))
}

/// CPU seconds of all children of this process that have ended.
pub fn children_cpu_seconds() -> f64 {
    cpu_seconds(&usage_of(libc::RUSAGE_CHILDREN))
}

fn usage_of(who: libc::c_int) -> libc::rusage {
    let mut usage = usage_zero();
    // SAFETY: a valid place for the answer.
    unsafe { libc::getrusage(who, &mut usage) };
    usage
}

fn cpu_seconds(usage: &libc::rusage) -> f64 {
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn peak_bytes(usage: &libc::rusage) -> u64 {
    // macOS counts bytes, everyone else KiB.
    usage.ru_maxrss as u64 * if cfg!(target_os = "macos") { 1 } else { 1024 }
}

/// The processes whose parent this one is, as /proc says.
pub fn children_of(pid: u32) -> Vec<u32> {
    // Only some kernels have the short way.
    if let Ok(numbers) = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")) {
        return numbers.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    }
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    numbers.filter(|child| stat_field(*child, 4) == Some(u64::from(pid))).collect()
}

/// When a process was started, in the system's own count; nothing when there is no such process.
pub fn start_time(pid: u32) -> Option<u64> {
    stat_field(pid, 22)
}

/// CPU seconds of a process and of the children that it has waited for, as /proc says.
pub fn cpu_seconds_of(pid: u32) -> f64 {
    let ticks: u64 = (14..=17).filter_map(|field| stat_field(pid, field)).sum();
    ticks as f64 / ticks_per_second() as f64
}

/// What /proc counts CPU time in.
pub fn ticks_per_second() -> u64 {
    rustix::param::clock_ticks_per_second().max(1)
}

/// A field of /proc/PID/stat, counted from 1 as in its manual; only those behind the name in parentheses.
pub(crate) fn stat_field(pid: u32, number: usize) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let behind_name = &text[text.rfind(')')? + 1..];
    behind_name.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

/// The program to start children from: this one, also when its file has been replaced meanwhile.
pub fn own_program() -> PathBuf {
    let linux = Path::new("/proc/self/exe");
    if linux.exists() { linux.to_path_buf() } else { std::env::current_exe().unwrap_or_else(|_| "qualm".into()) }
}

/// For people.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGPIPE => "SIGPIPE",
        other => return format!("signal {other}"),
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Peer {
        Peer::spawn(Path::new("/bin/sh"), &["-c", script]).unwrap()
    }

    fn line(peer: &mut Peer) -> String {
        match peer.hear(Duration::from_secs(10)) {
            Heard::Line(line) => String::from_utf8(line).unwrap(),
            _ => panic!("no line"),
        }
    }

    #[test]
    fn lines_go_both_ways() {
        let mut peer = shell("while read x; do echo got $x; done; echo last words >&2; exit 7");
        peer.send(b"a\nb\n").unwrap();
        assert_eq!([line(&mut peer), line(&mut peer)], ["got a", "got b"]);
        assert!(matches!(peer.hear(Duration::from_millis(5)), Heard::Nothing));
        let ended = peer.reap();
        assert_eq!((ended.code, ended.how_and_words().as_str()), (Some(7), "exit code 7; last words"));
    }

    #[test]
    fn a_signal_to_us_does_not_end_the_wait() {
        let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(libc::SIGUSR1, seen.clone()).unwrap();
        // SAFETY: a plain question about this thread.
        let waiting = unsafe { libc::pthread_self() };
        let folder = tempfile::tempdir().unwrap();
        let go = folder.path().join("go");
        let mut peer = shell(&format!("until [ -e '{}' ]; do sleep 0.01; done; echo late", go.display()));
        // SAFETY: a plain question about this thread.
        let thread = unsafe { libc::gettid() };
        let asleep = move || {
            let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
            stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
        };
        let flag = seen.clone();
        let sender = std::thread::spawn(move || {
            while !asleep() {
                std::thread::yield_now();
            }
            // SAFETY: that thread waits for this one below.
            let sent = unsafe { libc::pthread_kill(waiting, libc::SIGUSR1) };
            while !flag.load(std::sync::atomic::Ordering::Relaxed) {
                std::thread::yield_now();
            }
            fs::write(&go, "").unwrap();
            sent
        });
        assert_eq!(line(&mut peer), "late");
        assert_eq!(sender.join().unwrap(), 0);
        assert!(seen.load(std::sync::atomic::Ordering::Relaxed));
    }

    #[test]
    fn a_signal_is_named() {
        let mut peer = shell("kill -SEGV $$");
        assert!(matches!(peer.hear(Duration::from_secs(10)), Heard::Closed));
        assert_eq!(peer.reap().how(), "SIGSEGV");
    }
}
