//! Engines that a file names. A finding says where it was found, and the file that says so may be anybody's: `exec:`
//! runs a command, a path loads a library, an address reaches a server. Only what cannot do harm is taken on a file's
//! word: an engine of the table, perhaps with the number of a release that `./x` put into the cache.

use super::{EngineSpec, against, lookup};

/// Longest number of a release.
const NUMBER_BYTES: usize = 40;

/// `3.28.0`, `26.10.2.post1`, `26.7.3-stable.1`: the name of a release in the cache folder, and never a path.
pub fn is_release_number(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'.' || b == b'-';
    let (first, last) = (text.bytes().next(), text.bytes().next_back());
    text.len() <= NUMBER_BYTES
        && text.contains('.')
        && !text.contains("..")
        && text.bytes().all(fits)
        && first.is_some_and(|b| b.is_ascii_digit())
        && last.is_some_and(|b| b.is_ascii_alphanumeric())
        && ![".so", ".dylib", ".dll"].iter().any(|end| text.ends_with(end))
}

/// Whether an engine may be used because a file names it.
pub fn is_harmless(spec: &str) -> bool {
    if let Some((engine, other)) = against::pair(spec) {
        return is_harmless(engine) && is_harmless(other);
    }
    let Ok((row, place)) = lookup(spec) else { return false };
    match place {
        None => row.name != "exec",
        Some(place) => is_harmless_place(row, place),
    }
}

fn is_harmless_place(row: &EngineSpec, place: &str) -> bool {
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    match row.name {
        // What stands there is one of a few words, and nothing else is looked up by it.
        "canary" | "grafeo" => is_word(place),
        // The form behind a comma is a word as well.
        "z3" => {
            let (number, form) = place.split_once(',').unwrap_or((place, "smt2"));
            (number.is_empty() || is_release_number(number)) && matches!(form, "datalog" | "smt2")
        }
        _ => row.releases.is_some() && is_release_number(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_releases() {
        for number in ["3.28.0", "18.4", "26.10.2.post1", "26.7.3-stable.1"] {
            assert!(is_release_number(number), "{number}");
        }
        for other in ["", "3", ".", "..", "3..1", "../3.1", "3.1/x", "/3.1", "3.1.so", "x.1", "3.", "3.1\n", "3.1 x"] {
            assert!(!is_release_number(other), "{other}");
        }
    }

    #[test]
    fn only_names_and_numbers_are_taken_on_a_files_word() {
        for spec in [
            "sqlite",
            "sqlite:3.28.0",
            "canary:index-row",
            "z3:4.8.7,datalog",
            "z3:,smt2",
            "souffle",
            "sqlite against sqlite:3.1.0",
        ] {
            assert!(is_harmless(spec), "{spec}");
        }
        for spec in [
            "",
            "exec",
            "exec:touch x",
            "sqlite:/tmp/evil.so",
            "sqlite:./3.28.0.so",
            "sqlite:evil.so",
            "sqlite:3.28.0/../x",
            "duckdb:.",
            "souffle:/bin/sh",
            "souffle:3.1",
            "ddlog:9.9",
            "canary:../x",
            "z3:4.8.7,smt2,/x",
            "z3:/bin/sh,smt2",
            "chdb:x",
            "nothing",
            "sqlite:3.28.0\n",
            "sqlite against exec:x",
            "exec:x against sqlite",
            "sqlite against sqlite against exec:x",
        ] {
            assert!(!is_harmless(spec), "{spec}");
        }
        #[cfg(feature = "servers")]
        for spec in
            ["postgres://h/db", "postgres:postgres://h", "mysql:mysql://h", "gremlin:../x", "clickhouse:http://h/"]
        {
            assert!(!is_harmless(spec), "{spec}");
        }
    }
}
