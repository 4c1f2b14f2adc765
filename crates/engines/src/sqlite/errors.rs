//! What SQLite's error codes and texts mean for a hunt. One table of codes, one of texts; the first that fits decides.
//!
//! `Internal` is reserved for words that SQLite uses only when its own state is wrong: such an error is always
//! reported, so a text that a clumsy but legal statement can provoke must not be in it. A bare "SQL logic error" stays
//! expected: SQLite gives it for unknown commands of full-text tables and the like.

use libsqlite3_sys as ffi;
use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit, OutOfMemory};

const CODES: &[(i32, RejectionClass)] = &[
    (ffi::SQLITE_NOMEM, OutOfMemory),
    (ffi::SQLITE_INTERNAL, Internal),
    (ffi::SQLITE_CORRUPT, Internal),
    // A database in memory that is "not a database" was damaged by the engine itself.
    (ffi::SQLITE_NOTADB, Internal),
    // The driver calls the library in one order only; when that is called misuse, the library's idea of it is wrong.
    (ffi::SQLITE_MISUSE, Internal),
    (ffi::SQLITE_TOOBIG, Limit),
    (ffi::SQLITE_INTERRUPT, Limit),
    (ffi::SQLITE_FULL, Limit),
    (ffi::SQLITE_NOLFS, Limit),
    // Spill files of sorts and VACUUM: the machine's fault, not the engine's.
    (ffi::SQLITE_IOERR, Limit),
    (ffi::SQLITE_CONSTRAINT, Expected),
];

const TEXTS: &[(&str, RejectionClass)] = &[
    ("malformed JSON", Expected),
    ("malformed MATCH", Expected),
    ("database disk image", Internal),
    ("malformed", Internal),
    ("database corruption", Internal),
    ("corrupt database", Internal),
    ("internal error", Internal),
    ("unknown error", Internal),
    ("not an error", Internal),
    ("another row available", Internal),
    ("no more rows available", Internal),
    ("out of memory", OutOfMemory),
    ("parser stack overflow", Limit),
    ("Recursion limit", Limit),
    ("too many", Limit),
    ("too big", Limit),
    ("too large", Limit),
    ("too complex", Limit),
    ("too deep", Limit),
    ("at most 64 tables in a join", Limit),
    ("interrupted", Limit),
];

/// `code` may be an extended one: the primary code is its low byte.
pub fn classify(code: i32, text: &str) -> RejectionClass {
    if let Some((_, class)) = CODES.iter().find(|(c, _)| *c == code & 0xff) {
        return *class;
    }
    TEXTS.iter().find(|(pattern, _)| text.contains(pattern)).map_or(Expected, |(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_classed() {
        let cases = [
            (ffi::SQLITE_ERROR, "no such table: t0", Expected),
            (ffi::SQLITE_ERROR, "no query solution", Expected),
            (ffi::SQLITE_ERROR, "malformed JSON", Expected),
            (ffi::SQLITE_ERROR, "malformed MATCH expression: [a b]", Expected),
            (ffi::SQLITE_ERROR, "SQL logic error", Expected),
            (ffi::SQLITE_CONSTRAINT, "NOT NULL constraint failed: t0.c0", Expected),
            (ffi::SQLITE_MISMATCH, "datatype mismatch", Expected),
            (ffi::SQLITE_CORRUPT, "database disk image is malformed", Internal),
            (ffi::SQLITE_CORRUPT | 1 << 8, "database disk image is malformed", Internal),
            (ffi::SQLITE_CORRUPT, "malformed database schema (i0)", Internal),
            (ffi::SQLITE_INTERNAL, "", Internal),
            (ffi::SQLITE_ERROR, "unknown error", Internal),
            (ffi::SQLITE_NOMEM, "out of memory", OutOfMemory),
            (ffi::SQLITE_TOOBIG, "string or blob too big", Limit),
            (ffi::SQLITE_ERROR, "too many terms in compound SELECT", Limit),
            (ffi::SQLITE_ERROR, "Expression tree is too large (maximum depth 1000)", Limit),
            (ffi::SQLITE_ERROR, "parser stack overflow", Limit),
            (ffi::SQLITE_INTERRUPT, "interrupted", Limit),
        ];
        for (code, text, class) in cases {
            assert_eq!(classify(code, text), class, "{code} {text}");
        }
    }
}
