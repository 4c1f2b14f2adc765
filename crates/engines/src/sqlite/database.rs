//! A database file of our own, through the linked SQLite: for what qualm keeps, never for what it tests.
//!
//! Small on purpose: statements without results, one statement with many rows of parameters, and queries. A file that
//! somebody else made can be opened to be read: its schema is not trusted and its views and triggers call nothing.

use libsqlite3_sys as ffi;
use qualm_core::value::Value;
use std::ffi::{CStr, CString, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

pub struct Database {
    db: *mut ffi::sqlite3,
}

/// A statement that is ended with its scope.
struct Statement<'a> {
    database: &'a Database,
    stmt: *mut ffi::sqlite3_stmt,
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // Safety: made by prepare_v2, ended once; null is allowed.
        unsafe { ffi::sqlite3_finalize(self.stmt) };
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // Safety: statements borrow the database, so none is left; null is allowed.
        unsafe { ffi::sqlite3_close(self.db) };
    }
}

impl Database {
    /// A file that is written; it must not be there yet or be one of ours.
    pub fn create(path: &Path) -> Result<Database, String> {
        Database::open(path, ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE)
    }

    /// A file that is only read, whoever wrote it.
    pub fn read(path: &Path) -> Result<Database, String> {
        Database::open(path, ffi::SQLITE_OPEN_READONLY)
    }

    fn open(path: &Path, flags: c_int) -> Result<Database, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| "a path with a zero byte".to_owned())?;
        let mut database = Database { db: ptr::null_mut() };
        // Safety: the name lives through the call, and the handle is closed by Drop even when opening failed.
        let code = unsafe {
            let flags = flags | ffi::SQLITE_OPEN_NOMUTEX | ffi::SQLITE_OPEN_NOFOLLOW;
            ffi::sqlite3_open_v2(name.as_ptr(), &mut database.db, flags, ptr::null())
        };
        database.check(code)?;
        // Safety: an open handle; these take an int and a pointer that may be null.
        unsafe {
            let none = ptr::null_mut::<c_int>();
            ffi::sqlite3_db_config(database.db, ffi::SQLITE_DBCONFIG_DEFENSIVE, 1 as c_int, none);
            ffi::sqlite3_db_config(database.db, ffi::SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 as c_int, none);
        }
        Ok(database)
    }

    /// Runs statements that return nothing, one after the other.
    pub fn run(&self, statements: &str) -> Result<(), String> {
        let text = CString::new(statements).map_err(|_| "a statement with a zero byte".to_owned())?;
        // Safety: an open handle and a string that lives through the call; no callback.
        let code = unsafe { ffi::sqlite3_exec(self.db, text.as_ptr(), None, ptr::null_mut(), ptr::null_mut()) };
        self.check(code)
    }

    /// Runs one statement once for each row of parameters.
    pub fn insert(&self, statement: &str, rows: &[Vec<Value>]) -> Result<(), String> {
        let prepared = self.prepare(statement)?;
        for row in rows {
            for (i, value) in row.iter().enumerate() {
                self.check(prepared.bind(i as c_int + 1, value))?;
            }
            // Safety: a live statement.
            let code = unsafe {
                ffi::sqlite3_step(prepared.stmt);
                ffi::sqlite3_reset(prepared.stmt)
            };
            self.check(code)?;
        }
        Ok(())
    }

    /// All rows of a query.
    pub fn query(&self, query: &str) -> Result<Vec<Vec<Value>>, String> {
        let prepared = self.prepare(query)?;
        let mut rows = Vec::new();
        loop {
            // Safety: a live statement.
            match unsafe { ffi::sqlite3_step(prepared.stmt) } {
                ffi::SQLITE_ROW => rows.push(prepared.row()),
                ffi::SQLITE_DONE => return Ok(rows),
                code => self.check(code)?,
            }
        }
    }

    fn prepare(&self, text: &str) -> Result<Statement<'_>, String> {
        let length = c_int::try_from(text.len()).map_err(|_| "a statement that is too long".to_owned())?;
        let mut stmt = ptr::null_mut();
        // Safety: the text has `length` bytes; the statement is ended by Drop.
        let code =
            unsafe { ffi::sqlite3_prepare_v2(self.db, text.as_ptr().cast(), length, &mut stmt, ptr::null_mut()) };
        self.check(code)?;
        Ok(Statement { database: self, stmt })
    }

    fn check(&self, code: c_int) -> Result<(), String> {
        if code == ffi::SQLITE_OK {
            return Ok(());
        }
        // Safety: SQLite gives a text for every handle, null included.
        Err(unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.db)) }.to_string_lossy().into_owned())
    }
}

impl Statement<'_> {
    fn bind(&self, at: c_int, value: &Value) -> c_int {
        debug_assert!(!self.database.db.is_null());
        let stmt = self.stmt;
        // Safety: a live statement; SQLITE_TRANSIENT has SQLite copy the bytes before the call returns.
        unsafe {
            match value {
                Value::Int(number) => ffi::sqlite3_bind_int64(stmt, at, *number),
                Value::Real(number) => ffi::sqlite3_bind_double(stmt, at, *number),
                Value::Text(text) => {
                    let length = text.len() as c_int;
                    ffi::sqlite3_bind_text(stmt, at, text.as_ptr().cast(), length, ffi::SQLITE_TRANSIENT())
                }
                _ => ffi::sqlite3_bind_null(stmt, at),
            }
        }
    }

    fn row(&self) -> Vec<Value> {
        // Safety: the statement stands on a row, and only columns that it has are read.
        unsafe {
            let columns = ffi::sqlite3_column_count(self.stmt);
            (0..columns).map(|column| self.cell(column)).collect()
        }
    }

    /// # Safety
    /// The statement stands on a row that has this column.
    unsafe fn cell(&self, column: c_int) -> Value {
        // Safety: as the caller says; a text is copied before the next call.
        unsafe {
            match ffi::sqlite3_column_type(self.stmt, column) {
                ffi::SQLITE_INTEGER => Value::Int(ffi::sqlite3_column_int64(self.stmt, column)),
                ffi::SQLITE_FLOAT => Value::Real(ffi::sqlite3_column_double(self.stmt, column)),
                ffi::SQLITE_TEXT => {
                    let start = ffi::sqlite3_column_text(self.stmt, column);
                    let length = ffi::sqlite3_column_bytes(self.stmt, column) as usize;
                    if start.is_null() {
                        return Value::Null;
                    }
                    let bytes = std::slice::from_raw_parts(start, length);
                    Value::Text(String::from_utf8_lossy(bytes).into_owned())
                }
                _ => Value::Null,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let row = vec![Value::Int(-7), Value::Text("ä'\u{1}".into()), Value::Null, Value::Real(1.5)];
        {
            let database = Database::create(&path).unwrap();
            database.run("CREATE TABLE t(a, b, c, d); CREATE TABLE u(a UNIQUE);").unwrap();
            database.insert("INSERT INTO t VALUES (?, ?, ?, ?)", std::slice::from_ref(&row)).unwrap();
            assert!(database.insert("INSERT INTO u VALUES (?)", &[vec![Value::Int(1)], vec![Value::Int(1)]]).is_err());
        }
        let database = Database::read(&path).unwrap();
        assert_eq!(database.query("SELECT * FROM t").unwrap(), [row]);
        assert!(database.run("DELETE FROM t").unwrap_err().contains("readonly"));
        std::fs::write(folder.path().join("b.db"), "this is no database, though it is long enough to be read as one")
            .unwrap();
        let other = Database::read(&folder.path().join("b.db")).unwrap();
        assert!(other.query("SELECT * FROM t").is_err());
        assert!(Database::read(&folder.path().join("none.db")).is_err());
    }
}
