//! What Soufflé says when it does not answer: errors of the program, and its own. It catches the signals that kill it,
//! prints which one it was and ends with exit code 1, as it does for a syntax error; exceptions of the standard library
//! are its whole answer. The texts here are made so that one bug of Soufflé has one text.

use qualm_core::session::Outcome;
use qualm_core::session::RejectionClass::{self, Expected, Internal, OutOfMemory};

/// Characters of an error that are kept.
const KEPT: usize = 300;

/// What Soufflé's handler prints for the signals it catches, with the signal. It catches the ends that a user asks for
/// as well, which say nothing of the program.
const SIGNALS: &[(&str, &str)] = &[
    ("Segmentation violation signal", "SIGSEGV"),
    ("Floating-point arithmetic exception signal", "SIGFPE"),
    ("Illegal instruction signal", "SIGILL"),
    ("Abort signal", "SIGABRT"),
];

/// The outcome of a run that did not end well, from all that it wrote.
pub fn outcome(said: &str, code: i32) -> Outcome {
    if let Some(how) = caught_signal(said) {
        return Outcome::Crash(how);
    }
    let text = essence(said);
    Outcome::rejected(classify(&text), format!("{text} (exit code {code})"))
}

/// How it died, if one of its last lines says that it caught a signal. The rule behind it distinguishes crashes,
/// without the names that it happens to use.
fn caught_signal(said: &str) -> Option<String> {
    let (at, words, signal) = SIGNALS.iter().find_map(|(words, signal)| Some((said.find(words)?, *words, *signal)))?;
    let behind = &said[at + words.len()..];
    let rule = behind.strip_prefix(" in rule:").map(|rest| rest.split("in file").next().unwrap_or(rest));
    let place = rule.map_or("outside of rules".to_owned(), |rule| format!("in {}", kind_of_rule(rule)));
    Some(format!("souffle was killed by {signal}, which it caught itself; {place}"))
}

/// Which part of Soufflé made a rule: its own relations have names that begin with `@`.
fn kind_of_rule(rule: &str) -> String {
    let head = rule.trim_start();
    let made = head.strip_prefix('@').map(|name| name.split(['.', '_', '(']).next().unwrap_or_default());
    let mut kind = match made {
        Some(part) if part.starts_with("magic") => "a rule of magic sets".to_owned(),
        Some(part) => format!("a rule made for @{part}"),
        None if head.contains(":-") => "a rule".to_owned(),
        None => "a fact".to_owned(),
    };
    for (word, feature) in [("<=", "subsumption"), ("@delta", "a delta"), (" : {", "an aggregate"), ("!", "a negation")]
    {
        if head.contains(word) {
            kind = format!("{kind} with {feature}");
        }
    }
    kind
}

/// How it died when an assertion failed: file and condition, without the path of whoever built it and without the
/// line, which is another one in every release. Nothing where the text is no assertion's.
pub fn assertion(said: &str) -> Option<String> {
    let line = said.lines().find(|line| line.contains(": Assertion `"))?;
    let (before, condition) = line.split_once(": Assertion `")?;
    let source = |word: &str| {
        let path = word.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit());
        let ends = [".cpp", ".h", ".cc", ".yy", ".ll"].iter().any(|end| path.ends_with(end));
        ends.then(|| path.rsplit('/').next().unwrap_or(path).to_owned())
    };
    let file = before.split_whitespace().find_map(source).unwrap_or_default();
    let condition = condition.rsplit_once("' failed").map_or(condition, |(condition, _)| condition);
    // What is said about it in quotes is for people.
    let condition = condition.split(" && \"").next().unwrap_or(condition);
    Some(format!("assertion in {file} failed: {condition}"))
}

/// From the first error on, without the lines that point at a column; warnings come before it whatever options say.
fn essence(said: &str) -> String {
    let from = said.find("Error:").unwrap_or(0);
    let message = said[from..].lines().filter(|line| !points(line));
    let text = message.collect::<Vec<_>>().join(" ");
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(KEPT).collect()
}

fn points(line: &str) -> bool {
    let line = line.trim();
    line.contains('^') && line.chars().all(|c| matches!(c, '-' | '^'))
}

/// Words that say more than that a program is not taken. The first that fits decides.
const TEXTS: &[(&str, RejectionClass)] = &[
    ("bad_alloc", OutOfMemory),
    ("fatal error:", Internal),
    ("Assertion", Internal),
    ("Internal error", Internal),
    ("internal error", Internal),
    ("terminate called", Internal),
    // The words of exceptions: those of the standard library, and those that Soufflé throws where it does not go on.
    ("::at", Internal),
    ("basic_string::", Internal),
    ("_M_range_check", Internal),
    ("bad_function_call", Internal),
    ("bad_variant_access", Internal),
    ("bad optional access", Internal),
    ("bad_cast", Internal),
    ("unhandled", Internal),
    ("unreachable", Internal),
];

fn classify(text: &str) -> RejectionClass {
    // What is wrong with a program is announced as an error, whatever words the program has.
    if text.starts_with("Error:") {
        return Expected;
    }
    TEXTS.iter().find(|(w, _)| text.contains(w)).map_or(Expected, |(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejection(said: &str) -> (RejectionClass, String) {
        match outcome(said, 1) {
            Outcome::Rejected(r) => (r.class, r.text),
            other => panic!("{other:?}"),
        }
    }

    /// As Soufflé 2.5 wrote them.
    #[test]
    fn crashes_that_souffle_catches_are_crashes() {
        let magic = "Segmentation violation signal in rule:\n@magic.alpg.{b}(_).\nin file  [1:1-1:1]\n";
        let how = "souffle was killed by SIGSEGV, which it caught itself; in a rule of magic sets";
        assert_eq!(outcome(magic, 1), Outcome::Crash(how.into()));
        let plain = "souffle was killed by SIGSEGV, which it caught itself; outside of rules";
        assert_eq!(outcome("Segmentation violation signal.\n", 1), Outcome::Crash(plain.into()));
        // Another program of the same bug has other names.
        let other = magic.replace("alpg", "r7");
        assert_eq!(outcome(&other, 1), outcome(magic, 1));
        let ruled = outcome(
            "Floating-point arithmetic exception signal in rule:\np((x%0)) :- \n   q(x).\nin file a.dl [5:1-5:20]\n",
            1,
        );
        let how = "souffle was killed by SIGFPE, which it caught itself; in a rule";
        assert_eq!(ruled, Outcome::Crash(how.into()));
    }

    #[test]
    fn exceptions_are_internal_errors() {
        assert_eq!(rejection("unordered_map::at\n"), (Internal, "unordered_map::at (exit code 1)".into()));
        assert_eq!(rejection("std::bad_alloc\n").0, OutOfMemory);
        assert_eq!(rejection("Error: Undefined relation map::at in file x at line 3\n").0, Expected);
    }

    #[test]
    fn an_error_is_taken_from_where_it_begins() {
        let said = "Warning: Variable y only occurs once in file program.dl at line 5\np(x) :- e(x, y).\n\
            -------------^---\nError: Undefined relation q in file program.dl at line 6\np(x) :- e(x, z), q(x).\n\
            -----------------^-----\n1 errors generated, evaluation aborted\n";
        let message = "Error: Undefined relation q in file program.dl at line 6 p(x) :- e(x, z), q(x). 1 errors \
            generated, evaluation aborted (exit code 1)";
        assert_eq!(rejection(said), (Expected, message.into()));
        let syntax = "Error: syntax error, unexpected identifier, expecting ) in file program.dl at line 4\na(1e300).\n\
            ---^------\n1 errors generated, evaluation aborted\n";
        assert_eq!(rejection(syntax).0, Expected);
    }

    #[test]
    fn an_assertion_is_known_by_file_and_condition() {
        let said = "souffle: SOUFFLE/src/ast2ram/seminaive/ValueTranslator.cpp:48: virtual \
            souffle::Own<souffle::ram::Expression> souffle::ast2ram::seminaive::ValueTranslator::visit_(const \
            souffle::ast::Variable&): Assertion `index.isDefined(var.getName()) && \"not grounded\"' failed.\n";
        let expected = "assertion in ValueTranslator.cpp failed: index.isDefined(var.getName())";
        assert_eq!(assertion(said).as_deref(), Some(expected));
        let said = "souffle: /b/src/ram/analysis/Relation.cpp:30: const souffle::ram::Relation& f() const: \
            Assertion `it != relationMap.end() && \"relation not found\"' failed.\n";
        assert_eq!(assertion(said).as_deref(), Some("assertion in Relation.cpp failed: it != relationMap.end()"));
        assert_eq!(assertion("terminate called\n"), None);
    }
}
