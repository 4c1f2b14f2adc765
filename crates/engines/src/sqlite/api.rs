//! SQLite's C functions as a table of pointers: from the release linked into this program, or from any shared object.
//!
//! Knows how to find the functions and how to keep copies of SQLite apart; what to do with them is the driver's matter.

use super::edges::Edges;
use crate::functions::{Loaded, OWN_FUNCTIONS, from_library, loaded_once, plain_io_error};
use libloading::os::unix::Library;
use libsqlite3_sys as ffi;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_double, c_int, c_uchar, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

pub use libsqlite3_sys::{sqlite3 as Db, sqlite3_stmt as Stmt};

pub type Authorizer =
    unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char, *const c_char, *const c_char) -> c_int;
pub type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;
pub type Progress = unsafe extern "C" fn(*mut c_void) -> c_int;

/// One line per function that the driver needs; all of them exist since SQLite 3.7.7 at the latest. A macro because a
/// name, its type, the linked symbol and the loaded symbol must not drift apart.
macro_rules! functions {
    ($($field:ident = $symbol:ident: $type:ty;)*) => {
        pub struct Api {
            $(pub $field: $type,)*
            /// Only in builds that say which of their code was reached.
            pub edges: Option<Edges>,
        }

        impl Api {
            fn linked() -> Api {
                Api { $($field: ffi::$symbol,)* edges: None }
            }

            /// The error is the name of the first function that is not there.
            fn loaded(library: &Library) -> Result<Api, &'static str> {
                // Safety: the symbols have these types in every SQLite 3 release: its C interface only ever grew.
                unsafe {
                    Ok(Api {
                        $($field: *library
                            .get::<$type>(concat!(stringify!($symbol), "\0").as_bytes())
                            .map_err(|_| stringify!($symbol))?,)*
                        edges: Edges::of(library),
                    })
                }
            }
        }
    };
}

functions! {
    libversion = sqlite3_libversion: unsafe extern "C" fn() -> *const c_char;
    libversion_number = sqlite3_libversion_number: unsafe extern "C" fn() -> c_int;
    sourceid = sqlite3_sourceid: unsafe extern "C" fn() -> *const c_char;
    threadsafe = sqlite3_threadsafe: unsafe extern "C" fn() -> c_int;
    config = sqlite3_config: unsafe extern "C" fn(c_int, ...) -> c_int;
    open_v2 = sqlite3_open_v2:
        unsafe extern "C" fn(*const c_char, *mut *mut Db, c_int, *const c_char) -> c_int;
    close = sqlite3_close: unsafe extern "C" fn(*mut Db) -> c_int;
    db_config = sqlite3_db_config: unsafe extern "C" fn(*mut Db, c_int, ...) -> c_int;
    limit = sqlite3_limit: unsafe extern "C" fn(*mut Db, c_int, c_int) -> c_int;
    progress_handler = sqlite3_progress_handler:
        unsafe extern "C" fn(*mut Db, c_int, Option<Progress>, *mut c_void);
    set_authorizer = sqlite3_set_authorizer: unsafe extern "C" fn(*mut Db, Option<Authorizer>, *mut c_void) -> c_int;
    test_control = sqlite3_test_control: unsafe extern "C" fn(c_int, ...) -> c_int;
    errmsg = sqlite3_errmsg: unsafe extern "C" fn(*mut Db) -> *const c_char;
    prepare_v2 = sqlite3_prepare_v2:
        unsafe extern "C" fn(*mut Db, *const c_char, c_int, *mut *mut Stmt, *mut *const c_char) -> c_int;
    bind_parameter_count = sqlite3_bind_parameter_count: unsafe extern "C" fn(*mut Stmt) -> c_int;
    bind_parameter_name = sqlite3_bind_parameter_name: unsafe extern "C" fn(*mut Stmt, c_int) -> *const c_char;
    bind_int64 = sqlite3_bind_int64: unsafe extern "C" fn(*mut Stmt, c_int, i64) -> c_int;
    bind_double = sqlite3_bind_double: unsafe extern "C" fn(*mut Stmt, c_int, c_double) -> c_int;
    bind_text = sqlite3_bind_text:
        unsafe extern "C" fn(*mut Stmt, c_int, *const c_char, c_int, Destructor) -> c_int;
    bind_blob = sqlite3_bind_blob:
        unsafe extern "C" fn(*mut Stmt, c_int, *const c_void, c_int, Destructor) -> c_int;
    stmt_status = sqlite3_stmt_status: unsafe extern "C" fn(*mut Stmt, c_int, c_int) -> c_int;
    step = sqlite3_step: unsafe extern "C" fn(*mut Stmt) -> c_int;
    finalize = sqlite3_finalize: unsafe extern "C" fn(*mut Stmt) -> c_int;
    column_count = sqlite3_column_count: unsafe extern "C" fn(*mut Stmt) -> c_int;
    column_type = sqlite3_column_type: unsafe extern "C" fn(*mut Stmt, c_int) -> c_int;
    column_int64 = sqlite3_column_int64: unsafe extern "C" fn(*mut Stmt, c_int) -> i64;
    column_double = sqlite3_column_double: unsafe extern "C" fn(*mut Stmt, c_int) -> c_double;
    column_text = sqlite3_column_text: unsafe extern "C" fn(*mut Stmt, c_int) -> *const c_uchar;
    column_blob = sqlite3_column_blob: unsafe extern "C" fn(*mut Stmt, c_int) -> *const c_void;
    column_bytes = sqlite3_column_bytes: unsafe extern "C" fn(*mut Stmt, c_int) -> c_int;
}

impl Api {
    pub fn version(&self) -> String {
        // Safety: a constant string of the library, which is never unloaded.
        unsafe { CStr::from_ptr((self.libversion)()) }.to_string_lossy().into_owned()
    }

    /// Date and hash of the check-in this library was made from.
    pub fn source_id(&self) -> String {
        // Safety: as above.
        unsafe { CStr::from_ptr((self.sourceid)()) }.to_string_lossy().into_owned()
    }

    /// For instance 3028000 for 3.28.0.
    pub fn version_number(&self) -> i32 {
        // Safety: takes nothing, returns a constant.
        unsafe { (self.libversion_number)() }
    }

    /// SQLite counts every allocation behind a global lock unless configured otherwise before its first use. It may
    /// refuse (it was used already); then it is only slower.
    fn before_first_use(self) -> Api {
        // Safety: MEMSTATUS takes one int.
        unsafe { (self.config)(ffi::SQLITE_CONFIG_MEMSTATUS, 0 as c_int) };
        self
    }
}

/// The release linked into this program.
pub fn bundled() -> &'static Api {
    static LINKED: OnceLock<Api> = OnceLock::new();
    LINKED.get_or_init(|| Api::linked().before_first_use())
}

thread_local! {
    static LOADED: Loaded<Api> = const { RefCell::new(Vec::new()) };
}

/// Libraries without locks of their own that some thread of this process uses.
static TAKEN: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Loads the functions of the shared object at `path`. The error says what is wrong with the file.
pub fn load(path: &Path) -> Result<&'static Api, String> {
    let path = path.canonicalize().map_err(|e| plain_io_error(&e))?;
    if path.is_dir() {
        return Err("it is a directory".into());
    }
    loaded_once(&LOADED, path, |path| Ok(own_copy(path)?.before_first_use()))
}

/// A library compiled without locks (SQLITE_THREADSAFE=0) must not be used by two threads, even on two connections: its
/// page cache is one for all. Each thread after the first gets a copy of its own from memory, which the loader takes
/// for another library.
fn own_copy(path: &Path) -> Result<Api, String> {
    let mut taken = TAKEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let taken = taken.get_or_insert_default();
    if !taken.contains(path) {
        let api = open(path)?;
        // Safety: takes nothing, returns a constant.
        if unsafe { (api.threadsafe)() } == 0 {
            taken.insert(path.to_path_buf());
        }
        return Ok(api);
    }
    open_from_memory(path)
}

#[cfg(target_os = "linux")]
fn open_from_memory(path: &Path) -> Result<Api, String> {
    use rustix::fs::{MemfdFlags, memfd_create};
    use std::io::Write;
    use std::os::fd::IntoRawFd;
    let bytes = std::fs::read(path).map_err(|e| plain_io_error(&e))?;
    let made = memfd_create(c"qualm-library", MemfdFlags::CLOEXEC).map_err(|e| plain_io_error(&e.into()))?;
    let mut copy = std::fs::File::from(made);
    copy.write_all(&bytes).map_err(|e| plain_io_error(&e))?;
    // The descriptor stays open: were its number given out again, the loader would take the next copy, under the same
    // name, for this one.
    open(Path::new(&format!("/proc/self/fd/{}", copy.into_raw_fd())))
}

#[cfg(not(target_os = "linux"))]
fn open_from_memory(_: &Path) -> Result<Api, String> {
    Err("it was compiled with SQLITE_THREADSAFE=0 and another thread of this process uses it already".into())
}

fn open(path: &Path) -> Result<Api, String> {
    from_library(path, OWN_FUNCTIONS, |library| {
        Api::loaded(library).map_err(|symbol| {
            // Safety: only asks whether the symbol is there.
            let is_sqlite = unsafe { library.get::<*const c_void>(b"sqlite3_libversion\0") }.is_ok();
            if is_sqlite {
                format!("it lacks the function '{symbol}'; SQLite 3.7.7 or newer is needed")
            } else {
                "it is a shared object but no SQLite (it has no function 'sqlite3_libversion')".to_string()
            }
        })
    })
}
