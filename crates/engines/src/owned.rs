//! Names of what qualm makes on a server that others use too: databases, roles, graphs. The name alone says who made it
//! and whether that process still lives, so that what a killed run left behind is found and dropped by the next one,
//! and nothing else ever is. No comment, no table and no file has to be written after the thing is there.
//!
//! `qualm_MMMMMM_PPPPPSSSSDDD_NNNNCC`, all digits to the base of 36: machine (its boot and process namespace), process,
//! when that was started, the day, a number that counts up, and a checksum. It is 32 characters long because that is
//! what MySQL takes as the name of a user.

use crate::url::Secret;
use qualm_core::plan::Fnv;
use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// All names begin so: for the servers' own filters.
pub const PREFIX: &str = "qualm_";
const LENGTH: usize = 32;
/// What another machine made is left alone for so long: whether its process lives cannot be seen from here. No session
/// works so long with one name.
const LEASE_DAYS: u64 = 7;

/// What is known of the thing that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No name of ours.
    Foreign,
    /// Its owner lives, as far as can be seen from here.
    InUse,
    /// Made on this machine by a process that is gone.
    Orphan,
    /// Made on another machine, or before this one was started again, and so long ago that nobody works with it.
    Expired,
}

/// A name that nothing has had before.
pub fn fresh() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let pid = std::process::id();
    name(&machine(), pid, qualm_host::process::start_time(pid).unwrap_or(0), today(), number)
}

fn name(machine: &str, pid: u32, start: u64, day: u64, number: u64) -> String {
    let (pid, start, day) = (digits(u64::from(pid), 5), digits(start, 4), digits(day, 3));
    let body = format!("{PREFIX}{machine}_{pid}{start}{day}_{}", digits(number, 4));
    let sum = checksum(&body);
    format!("{body}{sum}")
}

/// What became of whoever gave this name.
pub fn fate(name: &str) -> Fate {
    judge(name, &machine(), today(), qualm_host::process::start_time)
}

fn judge(name: &str, machine: &str, today: u64, start_of: impl Fn(u32) -> Option<u64>) -> Fate {
    let plain = name.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase() || b == b'_');
    if name.len() != LENGTH || !plain || !name.starts_with(PREFIX) {
        return Fate::Foreign;
    }
    let (body, sum) = name.split_at(LENGTH - 2);
    if checksum(body) != sum {
        return Fate::Foreign;
    }
    let field = |from: usize, to: usize| u64::from_str_radix(&name[from..to], 36).ok();
    let (Some(pid), Some(start), Some(day)) = (field(13, 18), field(18, 22), field(22, 25)) else {
        return Fate::Foreign;
    };
    if &name[6..12] == machine {
        // Without /proc nothing is known of processes, this one included.
        let blind = start_of(std::process::id()).is_none();
        let lives = start_of(pid as u32).is_some_and(|s| s % 36u64.pow(4) == start);
        return if lives || blind { Fate::InUse } else { Fate::Orphan };
    }
    if today > day + LEASE_DAYS { Fate::Expired } else { Fate::InUse }
}

/// This machine since it was started, as this process sees its processes: one in a container sees others.
fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let mut hasher = Fnv::default();
    hasher.write(boot.trim().as_bytes());
    hasher.write(namespace.as_os_str().as_encoded_bytes());
    digits(hasher.finish(), 6)
}

fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86_400)
}

fn checksum(text: &str) -> String {
    let mut hasher = Fnv::default();
    hasher.write(text.as_bytes());
    digits(hasher.finish(), 2)
}

/// The last digits of a number to the base of 36.
fn digits(mut number: u64, width: usize) -> String {
    let mut text = vec![b'0'; width];
    for place in text.iter_mut().rev() {
        *place = b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize];
        number /= 36;
    }
    text.into_iter().map(char::from).collect()
}

/// Of a user that exists as long as a session: nobody knows it, and nobody can guess it.
pub fn secret() -> std::io::Result<Secret> {
    let mut bytes = [0; 24];
    std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(Secret::new(bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_identifies_its_owner() {
        let (mine, next) = (fresh(), fresh());
        assert_ne!(mine, next);
        assert_eq!((mine.len(), fate(&mine)), (LENGTH, Fate::InUse));
        let me = std::process::id();
        let start = |pid: u32| if pid == me { Some(77) } else { None };
        let judged = |name: &str| judge(name, "m00001", 20_000, start);
        assert_eq!(judged(&name("m00001", me, 77, 20_000, 1)), Fate::InUse);
        // Another process has the number by now, or none.
        assert_eq!(judged(&name("m00001", me, 76, 20_000, 1)), Fate::Orphan);
        assert_eq!(judged(&name("m00001", me + 1, 77, 20_000, 1)), Fate::Orphan);
        // Of another machine only the age is known.
        assert_eq!(judged(&name("m00002", me + 1, 77, 20_000 - LEASE_DAYS, 1)), Fate::InUse);
        assert_eq!(judged(&name("m00002", me + 1, 77, 19_999 - LEASE_DAYS, 1)), Fate::Expired);
        // Where processes cannot be seen, nobody is dead.
        assert_eq!(judge(&name("m00001", 5, 7, 1, 1), "m00001", 20_000, |_| None), Fate::InUse);
    }

    #[test]
    fn names_of_others_are_foreign() {
        let mut other = name("m00001", 5, 7, 1, 1).into_bytes();
        for at in 0..LENGTH {
            let kept = other[at];
            other[at] = if kept == b'x' { b'y' } else { b'x' };
            let text = String::from_utf8(other.clone()).unwrap();
            assert_eq!(judge(&text, "m00001", 20_000, |_| None), Fate::Foreign, "{text}");
            other[at] = kept;
        }
        for text in ["", "qualm", "qualm_1_0000000a", "shop", "qualm_m00001_000050007001_0001", "qualm_ü"] {
            assert_eq!(fate(text), Fate::Foreign, "{text}");
        }
    }
}
