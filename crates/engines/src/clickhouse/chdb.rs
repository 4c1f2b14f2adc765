//! ClickHouse as a library in this process, through the C interface of libchdb.so.
//!
//! A process has one ClickHouse per library, with one data folder; sessions are connections to it, each with settings
//! and a database of its own. The folder goes away with the last of them. The database has the engine `Memory`, whose
//! tables are gone when DROP returns: `Atomic` would keep their files for minutes and fill the folder.

use super::{ClickHouseSession, FORMAT, KNOBS, Link, Reply, dialect, errors};
use crate::functions::from_library;
use crate::stored::is_release_number;
use crate::{ConnectError, cache_folder};
use libloading::os::unix::Library;
use qualm_core::dialect::Spoken;
use qualm_core::session::{Engine, Session};
use qualm_host::process::{self, Scratch};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Address space for the library beside what every child has: its file is mapped whole, and each of its many threads
/// reserves a stack. What queries may really use is limited by a setting.
const LIBRARY_BYTES: u64 = 8 << 30;
/// Free bytes that the data folder's file system should have.
const ROOM: u64 = 1 << 30;

type Handle = *mut c_void;
type Answer = *mut c_void;

/// The functions of the library that are used here.
struct Api {
    connect: unsafe extern "C" fn(c_int, *mut *mut c_char) -> *mut Handle,
    close: unsafe extern "C" fn(*mut Handle),
    query: unsafe extern "C" fn(Handle, *const c_char, usize, *const c_char, usize) -> Answer,
    error: unsafe extern "C" fn(Answer) -> *const c_char,
    buffer: unsafe extern "C" fn(Answer) -> *const u8,
    length: unsafe extern "C" fn(Answer) -> usize,
    destroy: unsafe extern "C" fn(Answer),
}

impl Api {
    /// The error is the name of the first function that is not there.
    fn loaded(library: &Library) -> Result<Api, &'static str> {
        // SAFETY: the symbols have these types in chdb.h of every release that has `chdb_query_n`.
        unsafe {
            let api = Api {
                connect: *library.get(b"chdb_connect\0").map_err(|_| "chdb_connect")?,
                close: *library.get(b"chdb_close_conn\0").map_err(|_| "chdb_close_conn")?,
                query: *library.get(b"chdb_query_n\0").map_err(|_| "chdb_query_n")?,
                error: *library.get(b"chdb_result_error\0").map_err(|_| "chdb_result_error")?,
                buffer: *library.get(b"chdb_result_buffer\0").map_err(|_| "chdb_result_buffer")?,
                length: *library.get(b"chdb_result_length\0").map_err(|_| "chdb_result_length")?,
                destroy: *library.get(b"chdb_destroy_query_result\0").map_err(|_| "chdb_destroy_query_result")?,
            };
            // A signal must end the process as it would without the library: that is how a crash is seen.
            if let Ok(enable) = library.get::<unsafe extern "C" fn(c_int)>(b"chdb_set_signal_handlers_enabled\0") {
                enable(0);
            }
            Ok(api)
        }
    }
}

/// One running ClickHouse of this process.
struct Instance {
    api: Api,
    /// Keeps ClickHouse running while no session is open.
    base: *mut Handle,
    folder: Scratch,
}

// SAFETY: the library's functions may be called from any thread; each connection is used by one thread at a time, and
// `base` is only closed.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: made by `connect`, closed once; all sessions are gone, because each holds a reference.
        unsafe { (self.api.close)(self.base) };
    }
}

/// What runs in this process, by library.
static RUNNING: Mutex<Vec<(PathBuf, Weak<Instance>)>> = Mutex::new(Vec::new());

impl Instance {
    fn of(path: &Path) -> Result<Arc<Instance>, String> {
        let path = path.canonicalize().map_err(|_| "no such file".to_string())?;
        if path.is_dir() {
            return Err("it is a directory".into());
        }
        let mut running = RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        running.retain(|(_, instance)| instance.strong_count() > 0);
        if let Some(instance) = running.iter().find(|(p, _)| *p == path).and_then(|(_, instance)| instance.upgrade()) {
            return Ok(instance);
        }
        let instance = Arc::new(Instance::start(&path)?);
        running.push((path, Arc::downgrade(&instance)));
        Ok(instance)
    }

    fn start(path: &Path) -> Result<Instance, String> {
        let folder = Scratch::with_room(ROOM).map_err(|e| format!("no folder for its data: {e}"))?;
        more_memory_once();
        // Its threads cannot be ended by us, so that it must stay loaded.
        let api = from_library(path, libc::RTLD_NOW | libc::RTLD_LOCAL, |library| {
            Api::loaded(library)
                .map_err(|symbol| format!("it has no function '{symbol}', so it is not a libchdb with the C interface"))
        })?;
        leave_without_destructors();
        let base = connection(&api, folder.path())?;
        Ok(Instance { api, base, folder })
    }
}

/// A second instance in one process maps nothing anew.
fn more_memory_once() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| process::allow_more_memory(LIBRARY_BYTES));
}

/// At the end of a process the library's destructors run while its threads still do, and crash. They have nothing to do
/// that the end of a process does not do by itself.
fn leave_without_destructors() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        }
        extern "C" fn leave(status: c_int, _: *mut c_void) {
            // SAFETY: ends the process; Rust has written its buffers by then.
            unsafe { libc::_exit(status) };
        }
        static ONCE: std::sync::Once = std::sync::Once::new();
        // SAFETY: a plain registration. It is made after the library was loaded, so it comes before its destructors.
        ONCE.call_once(|| unsafe {
            on_exit(leave, std::ptr::null_mut());
        });
    }
}

fn connection(api: &Api, folder: &Path) -> Result<*mut Handle, String> {
    let path = CString::new(format!("--path={}", folder.join("chdb").display())).map_err(|e| e.to_string())?;
    let mut arguments = [c"clickhouse".as_ptr().cast_mut(), path.as_ptr().cast_mut()];
    // SAFETY: the arguments live through the call, which copies them.
    let connection = unsafe { (api.connect)(arguments.len() as c_int, arguments.as_mut_ptr()) };
    // SAFETY: not null, so it points to a handle.
    if connection.is_null() || unsafe { (*connection).is_null() } {
        return Err("ClickHouse does not start in it".into());
    }
    Ok(connection)
}

struct Chdb {
    instance: Arc<Instance>,
    version: String,
    build: String,
}

/// `place` is a libchdb.so, the number of a release that `./x chdb` fetched, or nothing for the newest of these.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let (path, next) = match place {
        Some(place) if !is_release_number(place) => {
            (PathBuf::from(place), "pass --engine chdb:PATH with the path of a libchdb.so".to_string())
        }
        Some(release) => (library_of(release), format!("run './x chdb {release}' to fetch it")),
        None => match newest_release() {
            Some(release) => (library_of(&release), format!("run './x chdb {release}' to fetch it again")),
            None => {
                let why = format!("no release of chdb in '{}'", releases_folder().display());
                return Err(ConnectError::Unreachable(format!("{why}; run './x setup', or pass --engine chdb:PATH")));
            }
        },
    };
    let unreachable = |why: String| {
        ConnectError::Unreachable(format!("cannot load chdb library '{}': {why}; {next}", path.display()))
    };
    let instance = Instance::of(&path).map_err(unreachable)?;
    let mut link = ChdbLink::new(instance.clone()).map_err(unreachable)?;
    let mut scalar = |question: &str| match link.send(question) {
        Reply::Answer(bytes) => super::answer::one_text(&bytes),
        Reply::Refused(why) | Reply::Dead(why) => Err(why),
    };
    let version = scalar("SELECT version()").map_err(unreachable)?;
    let build = scalar("SELECT value FROM system.build_options WHERE name = 'GIT_HASH'").unwrap_or_default();
    Ok(Box::new(Chdb { instance, version, build }))
}

/// Where `./x chdb VERSION` puts what it fetches.
pub fn releases_folder() -> PathBuf {
    cache_folder().join("chdb")
}

fn library_of(release: &str) -> PathBuf {
    releases_folder().join(release).join("libchdb.so")
}

fn newest_release() -> Option<String> {
    let names =
        std::fs::read_dir(releases_folder()).ok()?.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    names.filter(|name| library_of(name).is_file()).max_by_key(|name| super::release_order(name))
}

impl Engine for Chdb {
    fn version(&self) -> String {
        format!("chdb {}", self.version)
    }

    fn build(&self) -> String {
        self.build.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Sql(&dialect::CLICKHOUSE)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(ClickHouseSession::open(ChdbLink::new(self.instance.clone())?)?))
    }

    fn knob_file(&self) -> &'static str {
        KNOBS
    }
}

struct ChdbLink {
    instance: Arc<Instance>,
    connection: *mut Handle,
    /// The database that this session has made.
    database: Option<String>,
}

impl ChdbLink {
    fn new(instance: Arc<Instance>) -> Result<ChdbLink, String> {
        let connection = connection(&instance.api, instance.folder.path())?;
        Ok(ChdbLink { instance, connection, database: None })
    }

    fn leave(&mut self) {
        if let Some(database) = self.database.take() {
            self.send(&format!("DROP DATABASE {database}"));
        }
        if !self.connection.is_null() {
            // SAFETY: made by `connect`, closed once, and no answer is alive.
            unsafe { (self.instance.api.close)(self.connection) };
            self.connection = std::ptr::null_mut();
        }
    }
}

impl Drop for ChdbLink {
    fn drop(&mut self) {
        self.leave();
    }
}

/// An answer that frees itself with its scope.
struct Answered<'a>(&'a Api, Answer);

impl Drop for Answered<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `query`, freed once.
        unsafe { (self.0.destroy)(self.1) };
    }
}

impl Link for ChdbLink {
    fn send(&mut self, text: &str) -> Reply {
        let reply = self.query(text);
        if matches!(reply, Reply::Refused(_)) {
            // The library puts rows that were written before an exception in front of the next answer.
            self.query("SELECT 1");
        }
        reply
    }

    fn renew(&mut self) -> Result<(), String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.leave();
        self.connection = connection(&self.instance.api, self.instance.folder.path())?;
        let database = format!("qualm_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        for statement in [format!("CREATE DATABASE {database} ENGINE = Memory"), format!("USE {database}")] {
            if let Reply::Refused(why) | Reply::Dead(why) = self.send(&statement) {
                return Err(format!("cannot make a database: '{statement}' gave: {why}"));
            }
        }
        self.database = Some(database);
        Ok(())
    }
}

impl ChdbLink {
    fn query(&mut self, text: &str) -> Reply {
        let api = &self.instance.api;
        let (query, format) = (text.as_bytes(), FORMAT.as_bytes());
        // SAFETY: a live connection; texts are given with their lengths and live through the call. The answer's buffer
        // is copied before the answer is freed.
        unsafe {
            let answer =
                (api.query)(*self.connection, query.as_ptr().cast(), query.len(), format.as_ptr().cast(), format.len());
            if answer.is_null() {
                return Reply::Refused("the library gave no answer at all".into());
            }
            let answer = Answered(api, answer);
            let error = (api.error)(answer.1);
            if !error.is_null() && *error != 0 {
                return Reply::Refused(errors::brief(&CStr::from_ptr(error).to_string_lossy()));
            }
            let (start, length) = ((api.buffer)(answer.1), (api.length)(answer.1));
            if start.is_null() || length == 0 {
                return Reply::Answer(Vec::new());
            }
            Reply::Answer(std::slice::from_raw_parts(start, length).to_vec())
        }
    }
}
