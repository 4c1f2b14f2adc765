//! SQLite in a loop as a person would write it for one purpose: prepare, step, finalize, nothing else. The time that it
//! takes for the statements of a hunt is the least that the hunt can take (`qualm bench limit`).

use super::api;
use libsqlite3_sys as ffi;
use std::ffi::c_int;
use std::ptr;

/// What happens next in the log of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Logged {
    /// A fresh database.
    Reset,
    Run(String),
}

/// Runs a log in the linked release. Rows are stepped over and not read; errors are as good as answers. Says how many
/// statements were run.
pub fn replay(log: &[Logged]) -> u64 {
    let api = api::bundled();
    let mut db = ptr::null_mut();
    let mut count = 0;
    let flags = ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE | ffi::SQLITE_OPEN_NOMUTEX;
    for entry in log {
        // Safety: every statement is finalised before the handle is closed, and texts live through the call that gets
        // them with their lengths.
        unsafe {
            match entry {
                Logged::Reset => {
                    (api.close)(db);
                    db = ptr::null_mut();
                    (api.open_v2)(c":memory:".as_ptr(), &mut db, flags, ptr::null());
                }
                Logged::Run(text) => {
                    let (mut stmt, mut rest) = (ptr::null_mut(), ptr::null());
                    let length = c_int::try_from(text.len()).unwrap_or(0);
                    (api.prepare_v2)(db, text.as_ptr().cast(), length, &mut stmt, &mut rest);
                    while !stmt.is_null() && (api.step)(stmt) == ffi::SQLITE_ROW {}
                    (api.finalize)(stmt);
                    count += 1;
                }
            }
        }
    }
    // Safety: no statement is left; null is allowed.
    unsafe { (api.close)(db) };
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_run_to_its_end() {
        let run = |text: &str| Logged::Run(text.into());
        let log = [Logged::Reset, run("CREATE TABLE t(a)"), run("no SQL"), run("SELECT * FROM t"), Logged::Reset];
        assert_eq!(replay(&log), 3);
        assert_eq!(replay(&[]), 0);
    }
}
