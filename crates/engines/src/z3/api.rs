//! Z3's C functions for fixed points, from any libz3 since 4.8: names and types only.

use crate::functions::{Loaded, OWN_FUNCTIONS, from_library, functions, loaded_once, plain_io_error};
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;

/// All of Z3's handles are pointers to things that only it can read.
pub type Handle = *mut c_void;

// These types hold in every release of Z3 since 4.5.
functions! {
    get_version = Z3_get_version: unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint);
    get_full_version = Z3_get_full_version: unsafe extern "C" fn() -> *const c_char;
    global_param_set = Z3_global_param_set: unsafe extern "C" fn(*const c_char, *const c_char);
    toggle_warnings = Z3_toggle_warning_messages: unsafe extern "C" fn(bool);
    mk_config = Z3_mk_config: unsafe extern "C" fn() -> Handle;
    del_config = Z3_del_config: unsafe extern "C" fn(Handle);
    mk_context = Z3_mk_context_rc: unsafe extern "C" fn(Handle) -> Handle;
    del_context = Z3_del_context: unsafe extern "C" fn(Handle);
    interrupt = Z3_interrupt: unsafe extern "C" fn(Handle);
    set_error_handler = Z3_set_error_handler: unsafe extern "C" fn(Handle, *const c_void);
    get_error_code = Z3_get_error_code: unsafe extern "C" fn(Handle) -> c_int;
    get_error_msg = Z3_get_error_msg: unsafe extern "C" fn(Handle, c_int) -> *const c_char;
    mk_symbol = Z3_mk_string_symbol: unsafe extern "C" fn(Handle, *const c_char) -> Handle;
    mk_params = Z3_mk_params: unsafe extern "C" fn(Handle) -> Handle;
    params_inc_ref = Z3_params_inc_ref: unsafe extern "C" fn(Handle, Handle);
    params_dec_ref = Z3_params_dec_ref: unsafe extern "C" fn(Handle, Handle);
    params_set_bool = Z3_params_set_bool: unsafe extern "C" fn(Handle, Handle, Handle, bool);
    params_set_uint = Z3_params_set_uint: unsafe extern "C" fn(Handle, Handle, Handle, c_uint);
    params_set_symbol = Z3_params_set_symbol: unsafe extern "C" fn(Handle, Handle, Handle, Handle);
    mk_fixedpoint = Z3_mk_fixedpoint: unsafe extern "C" fn(Handle) -> Handle;
    fixedpoint_inc_ref = Z3_fixedpoint_inc_ref: unsafe extern "C" fn(Handle, Handle);
    fixedpoint_dec_ref = Z3_fixedpoint_dec_ref: unsafe extern "C" fn(Handle, Handle);
    fixedpoint_set_params = Z3_fixedpoint_set_params: unsafe extern "C" fn(Handle, Handle, Handle);
    fixedpoint_from_string = Z3_fixedpoint_from_string:
        unsafe extern "C" fn(Handle, Handle, *const c_char) -> Handle;
    fixedpoint_query_relations = Z3_fixedpoint_query_relations:
        unsafe extern "C" fn(Handle, Handle, c_uint, *const Handle) -> c_int;
    fixedpoint_get_answer = Z3_fixedpoint_get_answer: unsafe extern "C" fn(Handle, Handle) -> Handle;
    fixedpoint_get_reason_unknown = Z3_fixedpoint_get_reason_unknown:
        unsafe extern "C" fn(Handle, Handle) -> *const c_char;
    vector_inc_ref = Z3_ast_vector_inc_ref: unsafe extern "C" fn(Handle, Handle);
    vector_dec_ref = Z3_ast_vector_dec_ref: unsafe extern "C" fn(Handle, Handle);
    vector_size = Z3_ast_vector_size: unsafe extern "C" fn(Handle, Handle) -> c_uint;
    vector_get = Z3_ast_vector_get: unsafe extern "C" fn(Handle, Handle, c_uint) -> Handle;
    get_app_decl = Z3_get_app_decl: unsafe extern "C" fn(Handle, Handle) -> Handle;
    ast_to_string = Z3_ast_to_string: unsafe extern "C" fn(Handle, Handle) -> *const c_char;
}

impl Api {
    /// Major, minor and build number.
    pub fn version(&self) -> (u32, u32, u32) {
        let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
        // SAFETY: four valid places.
        unsafe { (self.get_version)(&mut major, &mut minor, &mut build, &mut revision) };
        (major, minor, build)
    }

    pub fn full_version(&self) -> String {
        // SAFETY: a constant string of the library, which is never unloaded.
        unsafe { CStr::from_ptr((self.get_full_version)()) }.to_string_lossy().into_owned()
    }
}

thread_local! {
    static LOADED: Loaded<Api> = const { RefCell::new(Vec::new()) };
}

/// Loads the functions of the shared object at `path`. The error says what is wrong with the file.
pub fn load(path: &Path) -> Result<&'static Api, String> {
    let path = path.canonicalize().map_err(|e| plain_io_error(&e))?;
    loaded_once(&LOADED, path, |path| {
        from_library(path, OWN_FUNCTIONS, |library| {
            Api::loaded(library).map_err(|symbol| format!("it lacks the function '{symbol}'; is it a libz3?"))
        })
    })
}
