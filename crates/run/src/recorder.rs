//! Flight recorder: what a process ran in its engine, kept where a crash cannot reach it.
//!
//! The child maps a file and writes each statement into it before the engine sees it: a copy in memory, no system call.
//! The parent maps the same file and reads, at any time, which statement is running and since when, and after a death
//! all statements since the database was last empty. Nothing is known here of processes, languages or engines.

use memmap2::{Mmap, MmapMut, MmapOptions};
use qualm_core::limits::{GONE_PAUSE_MS, RECORDER_BYTES};
use qualm_core::plan::Plan;
use qualm_core::session::{Outcome, RejectionClass, Session};
use qualm_core::slowness::Work;
use qualm_host::death;
use qualm_host::scratch;
use qualm_host::starved::Stopwatch;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const MAGIC: u64 = u64::from_le_bytes(*b"qualmrec");
const FORMAT: u64 = 1;
const HEADER_BYTES: usize = 128;
const ENTRY_HEADER_BYTES: usize = 4;
/// Set in an entry's length when the engine did not take the statement.
const REJECTED: u32 = 1 << 31;
/// Set in the length of an entry that is no statement: what the statements after it are made from.
const ABOUT: u32 = 1 << 30;

/// The fields of the header, each one word.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Field {
    Magic,
    Format,
    /// Statements begun since the recorder was made.
    Sequence,
    /// Monotonic clock at the start of the running statement; 0 when the engine is idle.
    Started,
    /// Bytes of the log in use.
    Length,
    /// Where the questions begin: what stands before built the state.
    Mark,
    /// Not 0 when a statement did not fit even after the questions were forgotten.
    Overflow,
    /// Progress of the owner, so that the parent knows it to the last step.
    Checks,
    Database,
}

fn field(base: *const u8, field: Field) -> *const AtomicU64 {
    // The mapping is page-aligned and longer than the header; callers keep it alive.
    base.cast::<AtomicU64>().wrapping_add(field as usize)
}

/// A full disk is an error now, with words; once the file is mapped it would be a SIGBUS that looks like a crash.
fn reserve(file: &File, bytes: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    // SAFETY: the descriptor is open.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, bytes as libc::off_t) } {
        0 | libc::EOPNOTSUPP | libc::EINVAL => {}
        error => return Err(io::Error::from_raw_os_error(error)),
    }
    let _ = (file, bytes);
    Ok(())
}

/// The writing side, in the child.
pub struct Recorder {
    map: MmapMut,
    length: usize,
    mark: usize,
    last: usize,
}

impl Recorder {
    /// Makes the file; one that is there already is an error, because two processes must not share one.
    pub fn create(path: &Path) -> io::Result<Recorder> {
        // What a hunt runs is nobody else's business.
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        let bytes = HEADER_BYTES + RECORDER_BYTES;
        file.set_len(bytes as u64)?;
        reserve(&file, bytes)?;
        // SAFETY: the file was made just now for this process alone; the parent only ever reads it.
        let map = unsafe { MmapOptions::new().len(bytes).map_mut(&file)? };
        let mut recorder = Recorder { map, length: 0, mark: 0, last: 0 };
        recorder.set(Field::Format, FORMAT);
        recorder.set(Field::Magic, MAGIC);
        Ok(recorder)
    }

    fn set(&mut self, which: Field, value: u64) {
        // SAFETY: inside the mapping and aligned, see `field`.
        unsafe { &*field(self.map.as_ptr(), which) }.store(value, Ordering::Release);
    }

    fn get(&self, which: Field) -> u64 {
        // SAFETY: inside the mapping and aligned, see `field`.
        unsafe { &*field(self.map.as_ptr(), which) }.load(Ordering::Acquire)
    }

    /// Writes the statement down and starts its clock.
    pub fn begin(&mut self, text: &str) {
        let needed = ENTRY_HEADER_BYTES + text.len();
        if self.length + needed > RECORDER_BYTES {
            self.length = self.mark;
        }
        if self.length + needed > RECORDER_BYTES {
            // The state is lost; the statement that runs is not.
            self.set(Field::Overflow, 1);
            (self.length, self.mark) = (0, 0);
            self.set(Field::Mark, 0);
            self.set(Field::Length, 0);
        }
        if needed <= RECORDER_BYTES {
            let at = HEADER_BYTES + self.length;
            self.map[at..at + ENTRY_HEADER_BYTES].copy_from_slice(&(text.len() as u32).to_le_bytes());
            self.map[at + ENTRY_HEADER_BYTES..at + needed].copy_from_slice(text.as_bytes());
            self.last = self.length;
            self.length += needed;
            self.set(Field::Length, self.length as u64);
        }
        let sequence = self.get(Field::Sequence) + 1;
        self.set(Field::Sequence, sequence);
        self.set(Field::Started, monotonic_nanos());
    }

    /// Writes down what the next statements are made from, if there is room.
    pub fn about(&mut self, source: &str) {
        let needed = ENTRY_HEADER_BYTES + source.len();
        if self.length + needed <= RECORDER_BYTES {
            let at = HEADER_BYTES + self.length;
            self.map[at..at + ENTRY_HEADER_BYTES].copy_from_slice(&(source.len() as u32 | ABOUT).to_le_bytes());
            self.map[at + ENTRY_HEADER_BYTES..at + needed].copy_from_slice(source.as_bytes());
            self.length += needed;
            self.set(Field::Length, self.length as u64);
        }
    }

    /// The engine has given control back.
    pub fn end(&mut self) {
        self.set(Field::Started, 0);
    }

    /// Notes that the last statement was not taken: a replay must not count on it.
    pub fn rejected(&mut self) {
        let at = HEADER_BYTES + self.last;
        if self.last < self.length {
            self.map[at + ENTRY_HEADER_BYTES - 1] |= (REJECTED >> 24) as u8;
        }
    }

    /// All statements so far build the state; later ones may be forgotten when there is no room.
    pub fn mark(&mut self) {
        self.mark = self.length;
        self.set(Field::Mark, self.mark as u64);
    }

    /// The database is empty again.
    pub fn clear(&mut self) {
        self.length = 0;
        self.mark = 0;
        self.set(Field::Mark, 0);
        self.set(Field::Length, 0);
        self.set(Field::Overflow, 0);
    }

    /// What was said to the engine since its database was last empty, as far as there was room for it.
    pub fn statements(&self) -> Vec<Noted> {
        let noted = |(_, entry)| match entry {
            Entry::Statement(noted) => Some(noted),
            Entry::About(_) => None,
        };
        entries(&self.map[HEADER_BYTES..HEADER_BYTES + self.length]).filter_map(noted).collect()
    }

    pub fn progress(&mut self, checks: u64, database: u64) {
        self.set(Field::Checks, checks);
        self.set(Field::Database, database);
    }
}

/// The reading side, in the parent.
pub struct Reader {
    map: Mmap,
}

/// What a recorder holds at one moment.
#[derive(Debug, PartialEq)]
pub struct Flight {
    /// Statements since the database was last empty, the running or last one at the end.
    pub statements: Vec<Noted>,
    /// How many of them built the state.
    pub marked: usize,
    /// The last statement was inside the engine.
    pub running: bool,
    /// Every statement since the last reset that changed the state is here.
    pub complete: bool,
    pub checks: u64,
    pub database: u64,
    /// What the last statement was made from, where that is known.
    pub about: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Noted {
    pub text: String,
    pub rejected: bool,
}

impl Reader {
    /// The recorder at `path`, or nothing as long as its owner has not made it.
    pub fn open(path: &Path) -> Option<Reader> {
        let file = scratch::open_own(path, OpenOptions::new().read(true)).ok()?;
        if file.metadata().ok()?.len() != (HEADER_BYTES + RECORDER_BYTES) as u64 {
            return None;
        }
        // SAFETY: the writer never shortens the file; what it writes meanwhile is read as plain bytes and checked.
        let map = unsafe { Mmap::map(&file).ok()? };
        let reader = Reader { map };
        (reader.get(Field::Magic) == MAGIC && reader.get(Field::Format) == FORMAT).then_some(reader)
    }

    fn get(&self, which: Field) -> u64 {
        // SAFETY: inside the mapping and aligned, see `field`.
        unsafe { &*field(self.map.as_ptr(), which) }.load(Ordering::Acquire)
    }

    /// How long the running statement has been inside the engine.
    pub fn running_ms(&self) -> Option<u64> {
        match self.get(Field::Started) {
            0 => None,
            started => Some(monotonic_nanos().saturating_sub(started) / 1_000_000),
        }
    }

    /// Whether the running statement has had more than this, as `watch` counts.
    pub fn exceeds(&self, watch: &mut Stopwatch, limit_ms: u64) -> bool {
        self.running_ms().is_some_and(|ms| watch.exceeds(self.get(Field::Started), ms, limit_ms))
    }

    pub fn checks(&self) -> u64 {
        self.get(Field::Checks)
    }

    pub fn sequence(&self) -> u64 {
        self.get(Field::Sequence)
    }

    /// To be called when the owner is dead or known to be inside a statement.
    pub fn flight(&self) -> Flight {
        let length = (self.get(Field::Length) as usize).min(RECORDER_BYTES);
        let mark = self.get(Field::Mark) as usize;
        let log = &self.map[HEADER_BYTES..HEADER_BYTES + length];
        let (mut statements, mut marked, mut about) = (Vec::new(), 0, None);
        for (at, entry) in entries(log) {
            match entry {
                Entry::About(source) => about = Some(source),
                Entry::Statement(noted) => {
                    marked += usize::from(at < mark);
                    statements.push(noted);
                }
            }
        }
        Flight {
            statements,
            marked,
            running: self.get(Field::Started) != 0,
            complete: self.get(Field::Overflow) == 0,
            checks: self.get(Field::Checks),
            database: self.get(Field::Database),
            about,
        }
    }
}

enum Entry {
    Statement(Noted),
    About(String),
}

/// The entries of a log, each with its position.
fn entries(log: &[u8]) -> impl Iterator<Item = (usize, Entry)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (entry, next) = entry(log, at)?;
        Some((std::mem::replace(&mut at, next), entry))
    })
}

fn entry(log: &[u8], at: usize) -> Option<(Entry, usize)> {
    let head = u32::from_le_bytes(log.get(at..at + ENTRY_HEADER_BYTES)?.try_into().ok()?);
    let bytes = (head & !(REJECTED | ABOUT)) as usize;
    let start = at + ENTRY_HEADER_BYTES;
    let text = log.get(start..start.checked_add(bytes)?)?;
    let text = String::from_utf8_lossy(text).into_owned();
    let entry = match head & ABOUT {
        0 => Entry::Statement(Noted { text, rejected: head & REJECTED != 0 }),
        _ => Entry::About(text),
    };
    Some((entry, start + bytes))
}

const ENDING: &str = "this process received a signal to end";

/// A session whose statements are all written down first.
pub struct Recorded<S> {
    session: S,
    pub recorder: Recorder,
    /// Statements that took an engine down before: they are rejected here and never reach it again.
    pub avoid: HashSet<String>,
    /// Set when this process is to end soon: then nothing is sent to the engine any more.
    pub ending: Arc<AtomicBool>,
    /// Since when there was no fresh database, and why.
    without: Option<(Instant, String)>,
    /// Somebody outside killed the engine's process: what it answered, and its database, say nothing any more.
    disturbed: Option<String>,
    /// Statements since the engine last took one.
    refused_in_a_row: u32,
    /// Time inside the engine. Reading the cells of an answer counts as such: a clock around each would cost more.
    engine_nanos: u64,
}

impl<S> Recorded<S> {
    pub fn new(session: S, recorder: Recorder) -> Recorded<S> {
        Recorded {
            session,
            recorder,
            avoid: HashSet::new(),
            ending: Arc::default(),
            without: None,
            disturbed: None,
            refused_in_a_row: 0,
            engine_nanos: 0,
        }
    }

    fn timed<T>(&mut self, work: impl FnOnce(&mut S) -> T) -> T {
        let started = Instant::now();
        let result = work(&mut self.session);
        self.engine_nanos += started.elapsed().as_nanos() as u64;
        result
    }

    /// A server that was killed is noticed at any request.
    fn look_around(&mut self) {
        if let Some(how) = death::take_noted() {
            self.disturbed.get_or_insert(how);
        }
    }

    pub fn is_disturbed(&self) -> bool {
        self.disturbed.is_some()
    }

    /// How the engine's process was killed from outside since this was last asked; nothing if it was not.
    pub fn take_disturbance(&mut self) -> Option<String> {
        self.disturbed.take()
    }

    /// An outcome as it is to be judged: an engine that somebody killed has not crashed.
    fn cleared(&mut self, outcome: Outcome) -> Outcome {
        self.look_around();
        match outcome {
            Outcome::Crash(how) if death::is_outside(&how) => {
                self.disturbed.get_or_insert_with(|| how.clone());
                Outcome::rejected(RejectionClass::Limit, how)
            }
            outcome => outcome,
        }
    }

    /// Why there is no fresh database, once that has lasted so long.
    pub fn gone_for(&self, patience: Duration) -> Option<&str> {
        self.without.as_ref().filter(|(since, _)| since.elapsed() >= patience).map(|(_, why)| why.as_str())
    }
}

impl Recorded<Box<dyn Session>> {
    /// Why this process is no good any more: its engine says so, or has taken none of so many statements.
    pub fn spent(&self, refusals: u32) -> Option<String> {
        let in_a_row = self.refused_in_a_row;
        let refuses = || (in_a_row >= refusals).then(|| format!("it refused {in_a_row} statements in a row"));
        self.exhausted().map(str::to_owned).or_else(refuses)
    }
}

impl Session for Recorded<Box<dyn Session>> {
    fn run(&mut self, text: &str) -> Outcome {
        if !self.avoid.is_empty() && self.avoid.contains(text) {
            return Outcome::rejected(RejectionClass::Expected, "took the engine down before");
        }
        if self.ending.load(Ordering::Relaxed) {
            return Outcome::rejected(RejectionClass::NotRun, ENDING);
        }
        self.recorder.begin(text);
        let outcome = self.timed(|session| session.run(text));
        self.recorder.end();
        let outcome = self.cleared(outcome);
        self.refused_in_a_row = if outcome.is_ok() { 0 } else { self.refused_in_a_row.saturating_add(1) };
        if let Outcome::Rejected(_) = outcome {
            self.recorder.rejected();
        }
        outcome
    }

    /// What must not reach the engine is not announced to it either.
    fn announce(&mut self, texts: &[&str]) {
        let avoided = |text: &&str| !self.avoid.is_empty() && self.avoid.contains(*text);
        if !texts.iter().any(avoided) && !self.ending.load(Ordering::Relaxed) {
            self.session.announce(texts);
        }
    }

    /// Planning a query is part of answering it: it is written down as the query itself.
    fn plan(&mut self, query: &str) -> Option<Plan> {
        self.recorder.begin(query);
        let plan = self.timed(|session| session.plan(query));
        self.recorder.end();
        self.look_around();
        plan
    }

    fn estimate(&mut self, query: &str) -> Option<f64> {
        self.recorder.begin(query);
        let rows = self.timed(|session| session.estimate(query));
        self.recorder.end();
        self.look_around();
        rows
    }

    fn work(&mut self, query: &str) -> Option<Work> {
        self.recorder.begin(query);
        let work = self.timed(|session| session.work(query));
        self.recorder.end();
        self.look_around();
        work
    }

    fn reached(&mut self, places: &mut Vec<u32>) -> bool {
        self.session.reached(places)
    }

    /// The log stays until the engine has come back from the reset, in case it does not.
    fn reset(&mut self) -> Result<(), String> {
        if self.ending.load(Ordering::Relaxed) {
            return Err(ENDING.into());
        }
        self.recorder.set(Field::Started, monotonic_nanos());
        let done = self.timed(|session| session.reset());
        self.recorder.end();
        self.recorder.clear();
        self.look_around();
        match &done {
            Ok(()) => self.without = None,
            Err(why) => {
                let since = self.without.as_ref().map_or_else(Instant::now, |(since, _)| *since);
                self.without = Some((since, why.clone()));
                std::thread::sleep(Duration::from_millis(GONE_PAUSE_MS));
            }
        }
        done
    }

    fn mark(&mut self) {
        self.recorder.mark();
        self.session.mark();
    }

    fn about(&mut self, source: &dyn Fn() -> Option<String>) {
        source().into_iter().for_each(|source| self.recorder.about(&source));
    }

    fn allow_work(&mut self, times: u32) {
        self.session.allow_work(times);
    }

    fn limit_time(&mut self, ms: u64) {
        self.session.limit_time(ms);
    }

    fn bundle(&self) -> Option<usize> {
        self.session.bundle()
    }

    fn expect(&mut self, texts: &[&str]) {
        let texts: Vec<&str> = texts.iter().copied().filter(|text| !self.avoid.contains(*text)).collect();
        if !self.ending.load(Ordering::Relaxed) {
            self.timed(|session| session.expect(&texts));
        }
    }

    fn engine_nanos(&self) -> u64 {
        self.engine_nanos
    }

    fn exhausted(&self) -> Option<&str> {
        self.session.exhausted()
    }

    fn waits(&self) -> bool {
        self.session.waits()
    }

    fn server_cpu_seconds(&self) -> f64 {
        self.session.server_cpu_seconds()
    }
}

/// The clock that parent and child share. Never 0.
pub fn monotonic_nanos() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    (now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64).max(1)
}

#[cfg(test)]
mod tests;
