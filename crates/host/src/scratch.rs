//! Temporary folders: where they are made, who may enter them, when they go away. Knows files and their owners; what is
//! put there is not known here.
//!
//! All folders of one user lie in one that only this user may enter (`qualm-UID`), in the first place that works and
//! has room: memory, then disk. Folders for a server that runs as another user lie in a second (`qualm-servers-UID`)
//! that can be entered and not listed, and hold nothing but that server's files. These places belong to everybody, so
//! nothing found there is followed, waited for, used or removed unless it is ours.

use crate::process::{self, Signal, send_signal, stat_field};
use qualm_core::limits::RECORDER_BYTES;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Names the only place that is used, where it is set.
pub const PLACE_VARIABLE: &str = "QUALM_SCRATCH";

const FOLDER_PREFIX: &str = "qualm-run-";
const LOCK_NAME: &str = "lock";
/// A folder without a lock is being made at this moment, unless it is so old.
const STALE: Duration = Duration::from_secs(60);
const REMOVE_ATTEMPTS: u32 = 50;
const REMOVE_PAUSE: Duration = Duration::from_millis(20);
/// Recorders that one core may keep busy: a worker, a runner for triage, and as many that are just being replaced.
const RECORDERS_PER_CORE: u64 = 4;
const FEWEST_CORES: u64 = 8;
/// How long killed processes may take to be gone.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// A private folder, in memory where there is room. It goes away with the value; one left behind by a killed run is
/// removed by a later run.
pub struct Scratch {
    path: PathBuf,
    /// Held as long as the owner lives: this, and no process number, shows others that the folder is in use.
    _lock: File,
}

/// In a child: the folder of the run, in which its own folders are made. They go away with the run even when the child
/// is killed.
static NEST: OnceLock<PathBuf> = OnceLock::new();

/// From now on folders of this process are made inside this one.
pub fn nest_in(folder: &Path) {
    let _ = NEST.set(folder.to_path_buf());
}

/// Somewhere that folders can be made.
#[derive(Clone, Debug)]
enum Place {
    /// The private folder of a run.
    Run(PathBuf),
    /// A folder like `/tmp`, which all users share.
    Shared(PathBuf),
}

/// Who may enter a folder.
#[derive(Clone, Copy, PartialEq)]
enum Access {
    Us,
    /// A server that runs as another user, who must know the name.
    Server,
}

impl Scratch {
    /// A folder for recorders and small files.
    pub fn create() -> io::Result<Scratch> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        Scratch::with_room(cores.max(FEWEST_CORES) * RECORDERS_PER_CORE * RECORDER_BYTES as u64)
    }

    /// A folder on a file system with so many free bytes, or else with as many as can be had.
    pub fn with_room(bytes: u64) -> io::Result<Scratch> {
        let mut places = shared_places();
        if let Some(run) = NEST.get() {
            places.insert(0, Place::Run(run.clone()));
        }
        Scratch::in_one_of(&places, bytes, Access::Us)
    }

    /// A folder that a server which runs as another user can reach. It is never inside a folder with files of ours.
    pub fn for_server(bytes: u64) -> io::Result<Scratch> {
        Scratch::in_one_of(&shared_places(), bytes, Access::Server)
    }

    fn in_one_of(places: &[Place], bytes: u64, access: Access) -> io::Result<Scratch> {
        let mut failures = Vec::new();
        for place in by_room(places, bytes, free_bytes) {
            match Scratch::inside(place, access) {
                Ok(scratch) => return Ok(scratch),
                Err(e) => failures.push(format!("'{}': {e}", place.path().display())),
            }
        }
        let failures = failures.join("; ");
        let reach = if access == Access::Us { "you may write to" } else { "all users may enter" };
        Err(io::Error::other(format!("no place for it ({failures}); set {PLACE_VARIABLE} to a folder that {reach}")))
    }

    fn inside(place: &Place, access: Access) -> io::Result<Scratch> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Physical, so that processes that work in it can be recognised.
        let parent = place.folder(access)?.canonicalize()?;
        remove_stale(&parent);
        let mode = access.mode();
        loop {
            let n = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{FOLDER_PREFIX}{}-{n}", std::process::id()));
            let mut held = process::held();
            match DirBuilder::new().mode(mode).create(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(e),
            }
            held.folders.insert(path.clone());
            drop(held);
            // Whatever the umask is.
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
            let lock = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path.join(LOCK_NAME));
            match lock {
                Ok(lock) if lock.try_lock().is_ok() => return Ok(Scratch { path, _lock: lock }),
                // Another run took it for a stale one in that moment, and removes it.
                Ok(_) => {}
                Err(e) => {
                    let _ = fs::remove_dir(&path);
                    return Err(e);
                }
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_folder(&self.path);
        process::held().folders.remove(&self.path);
        remove_stale_servers();
    }
}

/// A server whose owner was killed a moment ago may still be writing.
pub fn remove_folder(path: &Path) {
    for _ in 0..REMOVE_ATTEMPTS {
        match fs::remove_dir_all(path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => std::thread::sleep(REMOVE_PAUSE),
            _ => break,
        }
    }
}

/// Removes the folders of servers whose owners were killed: they have no run's folder to go away with.
pub fn remove_stale_servers() {
    for place in shared_places() {
        if let Some(folder) = own_folder(place.path(), &Access::Server.name()) {
            remove_stale(&folder);
        }
    }
}

impl Place {
    fn path(&self) -> &Path {
        match self {
            Place::Run(path) | Place::Shared(path) => path,
        }
    }

    /// The folder of ours in this place.
    fn folder(&self, access: Access) -> io::Result<PathBuf> {
        match self {
            Place::Run(path) => Ok(path.clone()),
            Place::Shared(path) if access == Access::Server && !all_may_enter(path) => {
                Err(io::Error::other("other users may not enter it, and servers run as one"))
            }
            Place::Shared(path) => make_own_folder(path, &access.name(), access.mode()),
        }
    }
}

impl Access {
    fn name(self) -> String {
        match self {
            Access::Us => format!("qualm-{}", user()),
            Access::Server => format!("qualm-servers-{}", user()),
        }
    }

    fn mode(self) -> u32 {
        match self {
            Access::Us => 0o700,
            Access::Server => 0o711,
        }
    }
}

/// The places that all users share, the best first.
fn shared_places() -> Vec<Place> {
    if let Some(only) = std::env::var_os(PLACE_VARIABLE).filter(|name| !name.is_empty()) {
        return vec![Place::Shared(only.into())];
    }
    let mut paths = vec![PathBuf::from("/dev/shm"), std::env::temp_dir()];
    for path in ["/var/tmp", "/tmp"].map(PathBuf::from) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths.into_iter().map(Place::Shared).collect()
}

/// Those with so many free bytes in their order, then the others, the one with most room first.
fn by_room(places: &[Place], bytes: u64, free: impl Fn(&Path) -> u64) -> Vec<&Place> {
    let mut order: Vec<&Place> = places.iter().collect();
    order.sort_by_cached_key(|place| bytes.saturating_sub(free(place.path())));
    order
}

/// The path of a file in the private folder of this user, the same for all processes of this user.
pub fn shared_file(name: &str) -> io::Result<PathBuf> {
    let mut failure = io::Error::other("no place for it");
    for place in shared_places() {
        match place.folder(Access::Us) {
            Ok(folder) => return Ok(folder.join(name)),
            Err(e) => failure = e,
        }
    }
    Err(failure)
}

pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Bytes that may still be written to the file system of this folder; 0 when it is not there.
fn free_bytes(folder: &Path) -> u64 {
    rustix::fs::statvfs(folder).map_or(0, |found| found.f_bavail * found.f_frsize)
}

// ---------------------------------------------------------------- what is ours in a place of everybody

/// Whether every user can reach what is in this folder, if its name is known.
pub fn all_may_enter(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    path.ancestors().all(|folder| fs::metadata(folder).is_ok_and(|m| m.mode() & 0o001 != 0))
}

/// A folder of this name that we own, made if need be. Where somebody else was first with the name, it is another one.
pub fn make_own_folder(place: &Path, name: &str, mode: u32) -> io::Result<PathBuf> {
    let mut path = place.join(name);
    loop {
        match DirBuilder::new().mode(mode).create(&path) {
            Ok(()) => break,
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            Err(_) => {}
        }
        if let Some(own) = own_folder(place, name) {
            path = own;
            break;
        }
        path = place.join(format!("{name}.{:08x}", RandomState::new().hash_one(name) as u32));
    }
    // Whatever the umask is, and whoever could write to it before. Nobody else can have put another in its place: what
    // we own in a folder like /tmp cannot be moved by others.
    fs::set_permissions(&path, Permissions::from_mode(mode))?;
    Ok(path)
}

/// The folder of this name that we own, or the one that was made in its stead.
fn own_folder(place: &Path, name: &str) -> Option<PathBuf> {
    let plain = place.join(name);
    if is_own_folder(&plain) {
        return Some(plain);
    }
    // Nobody else has the name, so there was no need for another one.
    fs::symlink_metadata(&plain).ok()?;
    let entries = fs::read_dir(place).ok()?.flatten();
    let stead = entries.filter(|e| e.file_name().to_string_lossy().starts_with(&format!("{name}.")));
    stead.map(|e| e.path()).filter(|path| is_own_folder(path)).min()
}

fn is_own_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.is_dir() && m.uid() == user())
}

/// Opens a plain file without following a link or waiting for the other end of a pipe.
pub fn open_plain(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a plain file")) }
}

/// The same for a file that must be ours.
pub fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = open_plain(path, options)?;
    if file.metadata()?.uid() == user() { Ok(file) } else { Err(io::Error::other("it belongs to another user")) }
}

/// Removes the folders of runs that were killed: those whose lock nobody holds.
fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(FOLDER_PREFIX) || !is_own_folder(&path) {
            continue;
        }
        let lock = open_own(&path.join(LOCK_NAME), OpenOptions::new().read(true));
        let unlocked = match &lock {
            Ok(file) => file.try_lock().is_ok(),
            Err(_) => entry.metadata().and_then(|m| m.modified()).is_ok_and(|t| t.elapsed().is_ok_and(|e| e > STALE)),
        };
        if unlocked {
            end_processes_in(&path);
            let _ = fs::remove_dir_all(&path);
        }
    }
}

// ---------------------------------------------------------------- who works in a folder

/// The processes that work in this folder, as /proc says. Somebody who looks around there has a terminal.
pub fn processes_in(folder: &Path) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let inside = |pid: &u32| {
        fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
            && stat_field(*pid, 7) == Some(0)
            && *pid != std::process::id()
    };
    numbers.filter(inside).collect()
}

/// Kills what works in this folder, also what is stopped, and waits until it is gone.
pub fn end_processes_in(folder: &Path) {
    let until = Instant::now() + END_PATIENCE;
    loop {
        let left = processes_in(folder);
        for pid in &left {
            // It was at work in our folder a moment ago.
            send_signal(*pid, Signal::KILL);
        }
        if left.is_empty() || Instant::now() > until {
            return;
        }
        std::thread::sleep(REMOVE_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{chown, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    fn shared(folder: &Path) -> [Place; 1] {
        [Place::Shared(folder.to_path_buf())]
    }

    fn create_in(place: &Path, access: Access) -> io::Result<Scratch> {
        Scratch::in_one_of(&shared(place), 1, access)
    }

    /// As `/tmp` is.
    fn public_place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), Permissions::from_mode(0o1777)).unwrap();
        place
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    fn fifo(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: a C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o666) }, 0);
    }

    /// What is done must end: opening a pipe that nobody writes to does not.
    fn ends<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> T {
        let (say, hear) = std::sync::mpsc::channel();
        std::thread::spawn(move || say.send(what()));
        hear.recv_timeout(Duration::from_secs(30)).expect("it hangs")
    }

    #[test]
    fn folders_of_the_dead_are_removed_and_others_kept() {
        let place = public_place();
        let alive = create_in(place.path(), Access::Us).unwrap();
        let dead = alive.path().parent().unwrap().join(format!("{FOLDER_PREFIX}0-0"));
        fs::create_dir(&dead).unwrap();
        File::create(dead.join(LOCK_NAME)).unwrap();
        let other = create_in(place.path(), Access::Us).unwrap();
        assert!(alive.path().exists() && other.path().exists() && !dead.exists());
        let path = alive.path().to_path_buf();
        drop(alive);
        assert!(!path.exists());
    }

    #[test]
    fn nobody_else_can_enter_or_read() {
        let place = public_place();
        let ours = create_in(place.path(), Access::Us).unwrap();
        assert_eq!([mode(ours.path()), mode(ours.path().parent().unwrap())], [0o700; 2]);
        let servers = create_in(place.path(), Access::Server).unwrap();
        assert_eq!([mode(servers.path()), mode(servers.path().parent().unwrap())], [0o711; 2]);
        assert_eq!([mode(&ours.path().join(LOCK_NAME)), mode(&servers.path().join(LOCK_NAME))], [0o600; 2]);
        assert_ne!(ours.path().parent(), servers.path().parent());
        // A folder that was open to others once is closed.
        fs::set_permissions(ours.path().parent().unwrap(), Permissions::from_mode(0o777)).unwrap();
        drop(create_in(place.path(), Access::Us).unwrap());
        assert_eq!(mode(ours.path().parent().unwrap()), 0o700);
        // A server cannot reach what is below a folder that is closed to its user.
        fs::set_permissions(place.path(), Permissions::from_mode(0o700)).unwrap();
        let refused = create_in(place.path(), Access::Server).err().unwrap().to_string();
        assert!(refused.contains("may not enter") && refused.contains(PLACE_VARIABLE), "{refused}");
    }

    #[test]
    fn what_others_put_in_our_way_is_neither_used_nor_waited_for() {
        for kind in ["pipe", "link", "file", "folder"] {
            let (place, elsewhere) = (public_place(), tempfile::tempdir().unwrap());
            let taken = place.path().join(Access::Us.name());
            match kind {
                "pipe" => fifo(&taken),
                "link" => symlink(elsewhere.path(), &taken).unwrap(),
                "file" => fs::write(&taken, "theirs").unwrap(),
                // Only root can make a folder that is not its own.
                _ if user() == 0 => {
                    let theirs = taken.join("qualm-run-1-1");
                    fs::create_dir_all(&theirs).unwrap();
                    [&taken, &theirs].iter().for_each(|path| chown(path, Some(65534), Some(65534)).unwrap());
                    File::create(theirs.join(LOCK_NAME)).unwrap();
                }
                _ => continue,
            }
            let before = mode(&taken);
            let path = place.path().to_path_buf();
            let first = ends(move || create_in(&path, Access::Us)).unwrap();
            let second = create_in(place.path(), Access::Us).unwrap();
            assert_ne!(first.path().parent().unwrap(), taken, "{kind}");
            assert_eq!(first.path().parent(), second.path().parent(), "{kind}: found again");
            assert_eq!(mode(&taken), before, "{kind}");
            assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{kind}");
            assert!(kind != "folder" || taken.join("qualm-run-1-1").join(LOCK_NAME).exists());
        }
    }

    #[test]
    fn a_lock_that_is_a_pipe_or_a_link_does_not_stop_a_run() {
        let place = public_place();
        let first = create_in(place.path(), Access::Us).unwrap();
        let folder = first.path().parent().unwrap();
        for name in ["qualm-run-1-1", "qualm-run-1-2"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        fifo(&folder.join("qualm-run-1-1").join(LOCK_NAME));
        symlink(folder.join("qualm-run-1-1").join(LOCK_NAME), folder.join("qualm-run-1-2").join(LOCK_NAME)).unwrap();
        let path = place.path().to_path_buf();
        let second = ends(move || create_in(&path, Access::Us)).unwrap();
        assert!(second.path().exists() && first.path().exists());
    }

    #[test]
    fn a_place_that_does_not_work_is_passed_over() {
        let good = public_place();
        // Nobody can make a folder in /proc, and there is nothing in a file.
        let missing = good.path().join("missing");
        let places = [missing.as_path(), Path::new("/proc"), Path::new("/etc/passwd"), good.path()];
        let places = places.map(|path| Place::Shared(path.to_path_buf()));
        let scratch = Scratch::in_one_of(&places, 1, Access::Us).unwrap();
        assert!(scratch.path().starts_with(good.path().canonicalize().unwrap()));
        let none = Scratch::in_one_of(&places[..3], 1, Access::Us).err().unwrap().to_string();
        let named = places[..3].iter().all(|place| none.contains(&*place.path().to_string_lossy()));
        assert!(named && none.contains(PLACE_VARIABLE), "{none}");
    }

    #[test]
    fn a_place_that_is_too_small_comes_after_one_with_room() {
        let places = ["/small", "/tiny", "/large", "/larger"].map(|path| Place::Shared(path.into()));
        let free = |path: &Path| path.as_os_str().len() as u64 * if path.starts_with("/tiny") { 0 } else { 1 };
        let order =
            |bytes| by_room(&places, bytes, free).iter().map(|p| p.path().to_str().unwrap()).collect::<Vec<_>>();
        assert_eq!(order(1), ["/small", "/large", "/larger", "/tiny"]);
        assert_eq!(order(7), ["/larger", "/small", "/large", "/tiny"]);
        assert_eq!(order(1000), ["/larger", "/small", "/large", "/tiny"]);
    }

    #[test]
    fn what_still_works_in_a_stale_folder_is_ended_even_when_it_is_stopped() {
        let place = public_place();
        let first = create_in(place.path(), Access::Us).unwrap();
        let stale = first.path().parent().unwrap().join("qualm-run-1-1");
        fs::create_dir(&stale).unwrap();
        File::create(stale.join(LOCK_NAME)).unwrap();
        let mut command = Command::new("setsid");
        let mut left = command.args(["sh", "-c", "kill -STOP $$"]).current_dir(&stale).spawn().unwrap();
        while processes_in(&stale).is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let reaper = std::thread::spawn(move || ends(move || left.wait().unwrap()));
        drop(create_in(place.path(), Access::Us).unwrap());
        assert_eq!(reaper.join().unwrap().signal(), Some(libc::SIGKILL));
        assert!(!stale.exists());
    }
}
