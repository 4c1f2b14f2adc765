//! What the error numbers of MySQL and MariaDB mean for a hunt. The first row that fits decides; all else is expected.
//!
//! `Internal` is reserved for what the server says only when its own state is wrong: such an error is always reported,
//! so what a clumsy but legal statement can provoke must not be in it.

use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit, OutOfMemory};

const CODES: &[(u16, RejectionClass)] = &[
    // ER_OUT_OF_RESOURCES, ER_OUTOFMEMORY, ER_CANT_CREATE_THREAD, EE_OUTOFMEMORY.
    (1037, OutOfMemory),
    (1041, OutOfMemory),
    (1135, OutOfMemory),
    (5, OutOfMemory),
    // ER_OUT_OF_SORTMEMORY: one row is longer than the sort buffer, which a setting keeps small.
    (1038, Limit),
    // ER_DISK_FULL, ER_ERROR_ON_WRITE, ER_FILSORT_ABORT (it follows a time limit).
    (1021, Limit),
    (1026, Limit),
    (1028, Limit),
    // ER_TOO_BIG_SELECT, ER_RECORD_FILE_FULL, ER_TOO_MANY_TABLES, ER_TOO_MANY_FIELDS, ER_TOO_BIG_ROWSIZE, both stacks.
    (1104, Limit),
    (1114, Limit),
    (1116, Limit),
    (1117, Limit),
    (1118, Limit),
    (1119, Limit),
    (1436, Limit),
    // ER_NET_PACKET_TOO_LARGE, ER_WARN_ALLOWED_PACKET_OVERFLOWED.
    (1153, Limit),
    (1301, Limit),
    // ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK, ER_QUERY_INTERRUPTED, ER_STATEMENT_TIMEOUT (MariaDB), ER_QUERY_TIMEOUT.
    (1205, Limit),
    (1213, Limit),
    (1317, Limit),
    (1969, Limit),
    (3024, Limit),
    // ER_CTE_MAX_RECURSION_DEPTH, ER_CAPACITY_EXCEEDED (range optimizer).
    (3636, Limit),
    (3170, Limit),
    // ER_GET_ERRNO: the storage engine gave an error that the server has no words for.
    (1030, Internal),
    // ER_KEY_NOT_FOUND, ER_NOT_FORM_FILE, ER_NOT_KEYFILE, ER_OLD_KEYFILE: a row or a file that must be there is not.
    (1032, Internal),
    (1033, Internal),
    (1034, Internal),
    (1035, Internal),
    // ER_UNKNOWN_ERROR.
    (1105, Internal),
    // ER_CRASHED_ON_USAGE, ER_CRASHED_ON_REPAIR.
    (1194, Internal),
    (1195, Internal),
    // ER_INDEX_CORRUPT, ER_INTERNAL_ERROR, ER_INNODB_INDEX_CORRUPT, ER_TABLE_CORRUPT.
    (1712, Internal),
    (1815, Internal),
    (1817, Internal),
    (1877, Internal),
];

/// Words that stand in errors of many numbers.
const TEXTS: &[(&str, RejectionClass)] = &[
    ("Unknown error", Internal),
    ("unknown error", Internal),
    ("Internal error", Internal),
    ("internal error", Internal),
    ("ssertion", Internal),
    ("is corrupt", Internal),
    ("is marked as crashed", Internal),
];

pub fn classify(code: u16, text: &str) -> RejectionClass {
    if let Some((_, class)) = CODES.iter().find(|(c, _)| *c == code) {
        return *class;
    }
    // Whoever repeats the statement may repeat these words from a literal in it.
    if text.contains("You have an error in your SQL syntax") {
        return Expected;
    }
    TEXTS.iter().find(|(words, _)| text.contains(words)).map_or(Expected, |(_, class)| *class)
}

/// Errors that a server sends as its last words on a connection: shutdown, killed connection.
pub fn ends_connection(code: u16) -> bool {
    matches!(code, 1053 | 1079 | 1152 | 1184 | 1927 | 3169)
}

/// What an error of the client says, without the client's own name for it.
pub fn in_words(error: &mysql::Error) -> String {
    match error {
        mysql::Error::IoError(e) => e.to_string(),
        mysql::Error::MySqlError(e) => e.to_string(),
        mysql::Error::DriverError(e) => e.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_not_there_is_reported_in_plain_words() {
        let there = ("127.0.0.1:1".to_owned(), "refused".to_owned(), std::io::ErrorKind::ConnectionRefused);
        let words = in_words(&mysql::DriverError::CouldNotConnect(Some(there)).into());
        assert!(words.starts_with("Could not connect") && !words.contains("DriverError"), "{words}");
    }

    #[test]
    fn errors_are_classed() {
        let cases = [
            (1064, "You have an error in your SQL syntax near 'Unknown error'", Expected),
            (1690, "BIGINT value is out of range in '(1 + 2)'", Expected),
            (1062, "Duplicate entry '1' for key 't.PRIMARY'", Expected),
            (1030, "Got error 168 - 'Unknown (generic) error from engine' from storage engine", Internal),
            (1105, "Unknown error", Internal),
            (1815, "Internal error: cannot allocate", Internal),
            (3024, "Query execution was interrupted, maximum statement execution time exceeded", Limit),
            (1969, "Query execution was interrupted (max_statement_time exceeded)", Limit),
            (1041, "Out of memory", OutOfMemory),
        ];
        for (code, text, class) in cases {
            assert_eq!(classify(code, text), class, "{code} {text}");
        }
    }
}
