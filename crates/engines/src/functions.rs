//! The C functions of a library that is loaded at run time, as one table: a macro, because a name, its type and its
//! symbol must not drift apart. Which functions there are stands with each driver.

use libloading::os::unix::Library;
use std::cell::RefCell;
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::thread::LocalKey;

/// Makes `struct Api` and `Api::loaded`. Functions under `optional` came with later releases. Who lists a function
/// vouches for its type in every release that is loaded.
macro_rules! functions {
    (required { $($field:ident = $symbol:ident: $type:ty;)* }
     optional { $($maybe:ident = $maybe_symbol:ident: $maybe_type:ty;)* }) => {
        pub struct Api {
            $(pub $field: $type,)*
            $(pub $maybe: Option<$maybe_type>,)*
        }

        impl Api {
            /// The error is the name of the first function that is not there.
            fn loaded(library: &libloading::os::unix::Library) -> Result<Api, &'static str> {
                // SAFETY: the table says the types that the symbols have.
                unsafe {
                    Ok(Api {
                        $($field: *library
                            .get::<$type>(concat!(stringify!($symbol), "\0").as_bytes())
                            .map_err(|_| stringify!($symbol))?,)*
                        $($maybe: library
                            .get::<$maybe_type>(concat!(stringify!($maybe_symbol), "\0").as_bytes())
                            .ok()
                            .map(|symbol| *symbol),)*
                    })
                }
            }
        }
    };
    ($($field:ident = $symbol:ident: $type:ty;)*) => {
        $crate::functions::functions! {
            required { $($field = $symbol: $type;)* }
            optional {}
        }
    };
}

pub(crate) use functions;

/// The libraries of one kind that this thread has loaded. They stay loaded until the process ends: sessions hold
/// pointers into them.
pub type Loaded<Api> = RefCell<Vec<(PathBuf, &'static Api)>>;

/// What is loaded from the shared object at `path`: at the first time by `open`, then what it gave.
pub fn loaded_once<Api>(
    loaded: &'static LocalKey<Loaded<Api>>,
    path: PathBuf,
    open: impl FnOnce(&Path) -> Result<Api, String>,
) -> Result<&'static Api, String> {
    if let Some(api) = loaded.with_borrow(|all| all.iter().find(|(p, _)| *p == path).map(|(_, api)| *api)) {
        return Ok(api);
    }
    let api: &'static Api = Box::leak(Box::new(open(&path)?));
    loaded.with_borrow_mut(|all| all.push((path, api)));
    Ok(api)
}

/// Reads a table of functions from the shared object at `path`, which stays loaded. The error says what is wrong with
/// the file.
pub fn from_library<Api>(
    path: &Path,
    flags: c_int,
    read: impl FnOnce(&Library) -> Result<Api, String>,
) -> Result<Api, String> {
    // SAFETY: loading runs the file's initialisers; the user named it as the library to test.
    let library = unsafe { Library::open(Some(path), flags) }.map_err(|e| loader_words(&e, path))?;
    let api = read(&library)?;
    std::mem::forget(library);
    Ok(api)
}

/// DEEPBIND: a library's own calls must reach its own functions, never those of another release in this process.
#[cfg(target_env = "gnu")]
pub const OWN_FUNCTIONS: c_int = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
#[cfg(not(target_env = "gnu"))]
pub const OWN_FUNCTIONS: c_int = libc::RTLD_NOW | libc::RTLD_LOCAL;

/// What a user understands of an error about a file.
pub fn plain_io_error(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

/// The loader's message without the path, which the caller names already.
fn loader_words(error: &libloading::Error, path: &Path) -> String {
    let source = std::error::Error::source(error).map(|s| s.to_string());
    let text = source.unwrap_or_else(|| error.to_string());
    let text = text.trim_start_matches(&*path.to_string_lossy()).trim_start_matches(": ");
    if text.contains("ELF header") || text.contains("file too short") || text.contains("not a mach-o") {
        return format!("it is not a shared object ({text})");
    }
    text.to_string()
}
