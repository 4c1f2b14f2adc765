//! Turns at a database that there is only one of: sessions in several processes of this user share it without seeing
//! each other's data. A file says whose turn it is and when that session last did something.
//!
//! A session holds the file's lock while a statement runs. Whoever wants the database waits until it is idle for a
//! moment, and takes it over: the other one learns so before its next statement, and has to begin anew.

use qualm_host::scratch;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A session that does nothing for so long has its answer and is being thought about.
const IDLE_MS: u64 = 250;
/// A session that was killed leaves its data behind: for so long a later one knows them as ours.
const LEFT_MS: u64 = 3_600_000;
/// Nobody's turn takes longer without a pause: longer waits mean that something is wrong.
const WAIT_SECONDS: u64 = 300;
const POLL: Duration = Duration::from_millis(10);

pub struct Turns {
    path: PathBuf,
}

/// What the file holds: all 0 in a new one.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Mark {
    /// Whose turn it is: a number that no two sessions have.
    turn: u64,
    /// The millisecond of its last statement.
    used_ms: u64,
    /// 1 while there may be something of ours in the database.
    filled: u64,
}

/// One session's turn, until someone takes the next.
pub struct Turn {
    file: File,
    turn: u64,
}

/// The lock, for as long as one statement runs.
pub struct Held<'a> {
    turn: &'a Turn,
}

impl Turns {
    /// Turns at the database of this name.
    pub fn of(name: &str) -> io::Result<Turns> {
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        // In the private folder: in a folder like /tmp anybody could hold the lock for ever.
        let turns = Turns { path: scratch::shared_file(&format!("turns-{plain}"))? };
        turns.open()?;
        Ok(turns)
    }

    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        scratch::open_own(&self.path, options.read(true).write(true).create(true).truncate(false).mode(0o600))
    }

    /// Whether what is in the database was put there by a session of ours, at work now or killed a while ago.
    pub fn ours(&self) -> bool {
        let mark = self.open().and_then(|file| read(&file)).unwrap_or_default();
        mark.filled == 1 && now_ms().saturating_sub(mark.used_ms) < LEFT_MS
    }

    /// Whether what is in the database was put there by a process of this machine that is gone.
    pub fn abandoned(&self) -> bool {
        let mark = self.open().and_then(|file| read(&file)).unwrap_or_default();
        mark.filled == 1 && qualm_host::process::start_time((mark.turn >> 32) as u32).is_none()
    }

    /// Waits for the present turn to be idle and takes the next.
    pub fn take(&self) -> io::Result<Turn> {
        let until = Instant::now() + Duration::from_secs(WAIT_SECONDS);
        let file = self.open()?;
        loop {
            file.lock()?;
            let mark = read(&file)?;
            let mine = mark.turn != 0 && mark.turn >> 32 == u64::from(std::process::id());
            if mine || now_ms().saturating_sub(mark.used_ms) >= IDLE_MS {
                // The process is part of the number: two cannot have the same.
                let turn = u64::from(std::process::id()) << 32 | (mark.turn + 1) & 0xFFFF_FFFF;
                write(&file, Mark { turn, used_ms: now_ms(), filled: 1 })?;
                file.unlock()?;
                return Ok(Turn { file, turn });
            }
            file.unlock()?;
            if Instant::now() > until {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another session does not let go of it"));
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Turn {
    /// The right to run one statement; nothing when someone else has taken over.
    pub fn hold(&mut self) -> Option<Held<'_>> {
        self.file.lock().ok()?;
        if read(&self.file).is_ok_and(|mark| mark.turn == self.turn) {
            return Some(Held { turn: self });
        }
        let _ = self.file.unlock();
        None
    }
}

impl Held<'_> {
    /// Nothing of ours is in the database any more.
    pub fn left_empty(self) {
        let _ = write(&self.turn.file, Mark { turn: 0, used_ms: 0, filled: 0 });
        let _ = self.turn.file.unlock();
        std::mem::forget(self);
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let _ = write(&self.turn.file, Mark { turn: self.turn.turn, used_ms: now_ms(), filled: 1 });
        let _ = self.turn.file.unlock();
    }
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

fn read(file: &File) -> io::Result<Mark> {
    let mut bytes = [0; 24];
    if file.read_at(&mut bytes, 0)? < bytes.len() {
        return Ok(Mark::default());
    }
    let number = |at: usize| bytes[at..at + 8].iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
    Ok(Mark { turn: number(0), used_ms: number(8), filled: number(16) })
}

fn write(file: &File, mark: Mark) -> io::Result<()> {
    let numbers = [mark.turn, mark.used_ms, mark.filled];
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    file.write_all_at(&bytes, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_idle_loses_its_turn() {
        let turns = Turns::of(&format!("test-{}", std::process::id())).unwrap();
        assert!(!turns.ours());
        let mut first = turns.take().unwrap();
        drop(first.hold().unwrap());
        assert!(turns.ours());
        // The same process may go on at once.
        let mut second = turns.take().unwrap();
        assert!(first.hold().is_none());
        second.hold().unwrap().left_empty();
        assert!(!turns.ours());
        let _ = std::fs::remove_file(&turns.path);
    }
}
