//! clingo's C functions, from any libclingo since 5.5: names and types only.

use crate::functions::{Loaded, from_library, functions, loaded_once, plain_io_error};
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;

pub type Handle = *mut c_void;
/// A term; what it is only the library knows.
pub type Symbol = u64;
pub type Logger = unsafe extern "C" fn(c_int, *const c_char, *mut c_void);

#[repr(C)]
pub struct Part {
    pub name: *const c_char,
    pub params: *const Symbol,
    pub size: usize,
}

/// What `symbol_type` says.
pub const NUMBER: c_int = 1;
pub const STRING: c_int = 4;

/// Which symbols of a model are meant: those that `#show` names.
pub const SHOWN: c_uint = 2;
/// Models are given one by one.
pub const YIELD: c_uint = 2;

// These types hold in every release of clingo 5 since 5.5.
functions! {
    version = clingo_version: unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int);
    error_code = clingo_error_code: unsafe extern "C" fn() -> c_int;
    error_message = clingo_error_message: unsafe extern "C" fn() -> *const c_char;
    control_new = clingo_control_new: unsafe extern "C" fn(
        *const *const c_char, usize, Option<Logger>, *mut c_void, c_uint, *mut Handle) -> bool;
    control_free = clingo_control_free: unsafe extern "C" fn(Handle);
    control_add = clingo_control_add: unsafe extern "C" fn(
        Handle, *const c_char, *const *const c_char, usize, *const c_char) -> bool;
    control_ground = clingo_control_ground: unsafe extern "C" fn(
        Handle, *const Part, usize, *const c_void, *mut c_void) -> bool;
    control_solve = clingo_control_solve: unsafe extern "C" fn(
        Handle, c_uint, *const i32, usize, *const c_void, *mut c_void, *mut Handle) -> bool;
    control_interrupt = clingo_control_interrupt: unsafe extern "C" fn(Handle);
    solve_model = clingo_solve_handle_model: unsafe extern "C" fn(Handle, *mut Handle) -> bool;
    solve_resume = clingo_solve_handle_resume: unsafe extern "C" fn(Handle) -> bool;
    solve_close = clingo_solve_handle_close: unsafe extern "C" fn(Handle) -> bool;
    model_symbols_size = clingo_model_symbols_size: unsafe extern "C" fn(Handle, c_uint, *mut usize) -> bool;
    model_symbols = clingo_model_symbols: unsafe extern "C" fn(Handle, c_uint, *mut Symbol, usize) -> bool;
    symbol_type = clingo_symbol_type: unsafe extern "C" fn(Symbol) -> c_int;
    symbol_name = clingo_symbol_name: unsafe extern "C" fn(Symbol, *mut *const c_char) -> bool;
    symbol_number = clingo_symbol_number: unsafe extern "C" fn(Symbol, *mut c_int) -> bool;
    symbol_string = clingo_symbol_string: unsafe extern "C" fn(Symbol, *mut *const c_char) -> bool;
    symbol_arguments = clingo_symbol_arguments: unsafe extern "C" fn(Symbol, *mut *const Symbol, *mut usize) -> bool;
}

impl Api {
    pub fn release(&self) -> String {
        let (mut major, mut minor, mut revision) = (0, 0, 0);
        // SAFETY: three valid places.
        unsafe { (self.version)(&mut major, &mut minor, &mut revision) };
        format!("{major}.{minor}.{revision}")
    }

    /// What the last call of this thread said when it failed.
    pub fn error(&self) -> String {
        // SAFETY: the text is null or lives until the next failure in this thread; it is copied at once.
        unsafe {
            let text = (self.error_message)();
            if text.is_null() {
                return format!("error {}", (self.error_code)());
            }
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

thread_local! {
    static LOADED: Loaded<Api> = const { RefCell::new(Vec::new()) };
}

/// Loads the functions of the shared object at `path`. The error says what is wrong with the file.
pub fn load(path: &Path) -> Result<&'static Api, String> {
    let path = path.canonicalize().map_err(|e| plain_io_error(&e))?;
    loaded_once(&LOADED, path, |path| {
        from_library(path, libc::RTLD_NOW | libc::RTLD_LOCAL, |library| {
            Api::loaded(library).map_err(|symbol| format!("it lacks the function '{symbol}'; is it a libclingo?"))
        })
    })
}
