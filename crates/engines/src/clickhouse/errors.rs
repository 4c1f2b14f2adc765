//! What ClickHouse's exceptions mean for a hunt: one table of codes. A text without a code comes from a signal handler
//! or from the library itself and is `Internal` too.

use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit};

pub const SYNTAX_ERROR: u32 = 62;
pub const UNKNOWN_SETTING: u32 = 115;

/// Codes that no statement of ours should ever see, and limits. All others say that the statement is not taken.
const CODES: &[(u32, RejectionClass)] = &[
    (49, Internal),   // LOGICAL_ERROR
    (1001, Internal), // STD_EXCEPTION: an exception of the C++ library that nobody meant
    (1002, Internal), // UNKNOWN_EXCEPTION
    (40, Internal),   // CHECKSUM_DOESNT_MATCH
    (246, Internal),  // CORRUPTED_DATA
    (271, Internal),  // CANNOT_DECOMPRESS
    (9, Internal),    // SIZES_OF_COLUMNS_DOESNT_MATCH
    (171, Internal),  // BLOCKS_HAVE_DIFFERENT_STRUCTURE
    (352, Expected),  // AMBIGUOUS_COLUMN_NAME
    (10, Internal),   // NOT_FOUND_COLUMN_IN_BLOCK: a plan lost a column that it needs
    (36, Expected),   // BAD_ARGUMENTS
    (158, Limit),     // TOO_MANY_ROWS
    (159, Limit),     // TIMEOUT_EXCEEDED
    (160, Limit),     // TOO_SLOW
    (167, Limit),     // TOO_DEEP_AST
    (168, Limit),     // TOO_BIG_AST
    (173, Limit),     // CANNOT_ALLOCATE_MEMORY
    (191, Limit),     // SET_SIZE_LIMIT_EXCEEDED
    (202, Limit),     // TOO_MANY_SIMULTANEOUS_QUERIES
    (241, Limit),     // MEMORY_LIMIT_EXCEEDED
    (243, Limit),     // NOT_ENOUGH_SPACE
    (252, Limit),     // TOO_MANY_PARTS
    (290, Limit),     // LIMIT_EXCEEDED
    (306, Limit),     // TOO_DEEP_RECURSION
    (307, Limit),     // TOO_MANY_BYTES
    (394, Limit),     // QUERY_WAS_CANCELLED
    (396, Limit),     // TOO_MANY_ROWS_OR_BYTES
    (439, Limit),     // CANNOT_SCHEDULE_TASK
];

/// The number in `Code: 62. DB::Exception: …`; old releases write a comma behind it.
pub fn code(text: &str) -> Option<u32> {
    let rest = &text[text.find("Code: ")? + "Code: ".len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

/// An exception without the addresses and stack that some releases add, which differ from run to run.
pub fn brief(text: &str) -> String {
    let end = ["\nStack trace:", ", Stack trace", " (version "].iter().filter_map(|mark| text.find(mark)).min();
    text[..end.unwrap_or(text.len())].trim().to_string()
}

pub fn classify(text: &str) -> RejectionClass {
    // The server of 2018 calls a comma join so.
    if text.contains("unknown combination of JOIN") {
        return Expected;
    }
    let Some(code) = code(text) else {
        return Internal;
    };
    CODES.iter().find(|(c, _)| *c == code).map_or(Expected, |(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_classed_by_code() {
        for (text, class) in [
            ("Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR)", Expected),
            ("Code: 60, e.displayText() = DB::Exception: Table default.t doesn't exist.", Expected),
            ("Code: 49. DB::Exception: Bad cast from type A to B. (LOGICAL_ERROR)", Internal),
            ("Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)", Limit),
            ("Code: 241. DB::Exception: Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)", Limit),
            ("Code: 395. DB::Exception: Value passed to 'throwIf'", Expected),
            ("std::exception. Code: 1001, type: std::out_of_range", Internal),
            ("terminate called", Internal),
        ] {
            assert_eq!(classify(text), class, "{text}");
        }
    }
}
