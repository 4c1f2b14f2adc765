//! DuckDB's C functions as a table of pointers, from any shared object that has them.
//!
//! Answers are read by chunks and vectors through `duckdb_result_chunk_count` and `duckdb_result_get_chunk`: of all
//! ways to read an answer the one that every release from 0.3.3 to 2.0.0 has. (`duckdb_fetch_chunk` came with 1.0.)

use crate::functions::{Loaded, OWN_FUNCTIONS, from_library, functions, loaded_once, plain_io_error};
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

pub type Database = *mut c_void;
pub type Connection = *mut c_void;
pub type Config = *mut c_void;
pub type Chunk = *mut c_void;
pub type Vector = *mut c_void;
pub type LogicalType = *mut c_void;

/// `duckdb_result`: six words that only the library looks into.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct RawResult([u64; 6]);

/// `DuckDBSuccess` of `duckdb_state`.
pub const SUCCESS: c_int = 0;

// These types hold in every release that has the function: DuckDB's C interface only grew.
functions! {
    required {
        create_config = duckdb_create_config: unsafe extern "C" fn(*mut Config) -> c_int;
        set_config = duckdb_set_config: unsafe extern "C" fn(Config, *const c_char, *const c_char) -> c_int;
        destroy_config = duckdb_destroy_config: unsafe extern "C" fn(*mut Config);
        open_ext = duckdb_open_ext:
            unsafe extern "C" fn(*const c_char, *mut Database, Config, *mut *mut c_char) -> c_int;
        close = duckdb_close: unsafe extern "C" fn(*mut Database);
        connect = duckdb_connect: unsafe extern "C" fn(Database, *mut Connection) -> c_int;
        disconnect = duckdb_disconnect: unsafe extern "C" fn(*mut Connection);
        free = duckdb_free: unsafe extern "C" fn(*mut c_void);
        query = duckdb_query: unsafe extern "C" fn(Connection, *const c_char, *mut RawResult) -> c_int;
        destroy_result = duckdb_destroy_result: unsafe extern "C" fn(*mut RawResult);
        result_error = duckdb_result_error: unsafe extern "C" fn(*mut RawResult) -> *const c_char;
        column_count = duckdb_column_count: unsafe extern "C" fn(*mut RawResult) -> u64;
        row_count = duckdb_row_count: unsafe extern "C" fn(*mut RawResult) -> u64;
        column_type = duckdb_column_type: unsafe extern "C" fn(*mut RawResult, u64) -> c_int;
        column_logical_type = duckdb_column_logical_type: unsafe extern "C" fn(*mut RawResult, u64) -> LogicalType;
        destroy_logical_type = duckdb_destroy_logical_type: unsafe extern "C" fn(*mut LogicalType);
        decimal_scale = duckdb_decimal_scale: unsafe extern "C" fn(LogicalType) -> u8;
        decimal_internal_type = duckdb_decimal_internal_type: unsafe extern "C" fn(LogicalType) -> c_int;
        chunk_count = duckdb_result_chunk_count: unsafe extern "C" fn(RawResult) -> u64;
        get_chunk = duckdb_result_get_chunk: unsafe extern "C" fn(RawResult, u64) -> Chunk;
        destroy_chunk = duckdb_destroy_data_chunk: unsafe extern "C" fn(*mut Chunk);
        chunk_size = duckdb_data_chunk_get_size: unsafe extern "C" fn(Chunk) -> u64;
        chunk_vector = duckdb_data_chunk_get_vector: unsafe extern "C" fn(Chunk, u64) -> Vector;
        vector_data = duckdb_vector_get_data: unsafe extern "C" fn(Vector) -> *mut c_void;
        vector_validity = duckdb_vector_get_validity: unsafe extern "C" fn(Vector) -> *mut u64;
        value_is_null = duckdb_value_is_null: unsafe extern "C" fn(*mut RawResult, u64, u64) -> bool;
        value_double = duckdb_value_double: unsafe extern "C" fn(*mut RawResult, u64, u64) -> f64;
        value_varchar = duckdb_value_varchar: unsafe extern "C" fn(*mut RawResult, u64, u64) -> *mut c_char;
    }
    optional {
        library_version = duckdb_library_version: unsafe extern "C" fn() -> *const c_char;
        interrupt = duckdb_interrupt: unsafe extern "C" fn(Connection);
        return_type = duckdb_result_return_type: unsafe extern "C" fn(RawResult) -> c_int;
    }
}

impl Api {
    /// Without the `v` that younger releases put in front; None for releases that cannot say.
    pub fn version(&self) -> Option<String> {
        // SAFETY: takes nothing and gives a constant string of the library, which is never unloaded.
        let text = unsafe { CStr::from_ptr((self.library_version?)()) }.to_string_lossy();
        Some(text.trim_start_matches('v').to_owned())
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
            Api::loaded(library)
                .map_err(|symbol| format!("it lacks the function '{symbol}'; DuckDB 0.3.3 or newer is needed"))
        })
    })
}
