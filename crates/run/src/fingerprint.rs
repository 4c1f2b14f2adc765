//! What makes two findings the same bug: the kind of failure, the settings that make it vanish, and which features of
//! the language the reduced case still needs.
//!
//! Left out on purpose: the oracle (several find the same bug), names, literals, plain comparisons, AND and NOT (every
//! oracle writes its own), inner joins (the same as FROM with a comma), and in which of the several ways an index came
//! to be. A feature that reduction could not take away says more than a count of them ever could.

mod general;

pub use general::{GeneralPrint, generalised, same_in_general, signal};

use qualm_core::case::{Case, Evidence, Language};
use qualm_core::knobs;
use qualm_core::language::Each;
use qualm_core::plan::Fnv;
use qualm_core::relation::{FailureKind, Relation, Verdict};
use qualm_lang as lang;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::Hasher;

/// Longest title; what does not fit is left out, the least distinctive first.
pub const TITLE_CHARS: usize = 90;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// 16 hex digits over the kind, the signature, the cures, and the features or, once it is generalised, those of
    /// them that are needed.
    pub id: String,
    pub kind: Kind,
    /// Settings that each make the failure vanish when turned off, sorted.
    pub cures: Vec<String>,
    pub features: BTreeSet<String>,
    /// What the engine said when it broke, without numbers and names; empty for wrong results.
    #[serde(default)]
    pub signature: String,
    pub title: String,
    /// What is left of it where everything was replaced that may vary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub general: Option<GeneralPrint>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    WrongResult,
    /// Two releases return different rows.
    Changed,
    Slow,
    Crash,
    Hang,
    OutOfMemory,
    InternalError,
}

impl Kind {
    /// Nothing when the verdict is no bug.
    pub fn of(verdict: &Verdict) -> Option<Kind> {
        match verdict {
            Verdict::Violated(_) => Some(Kind::WrongResult),
            Verdict::Slower(_) => Some(Kind::Slow),
            Verdict::Broke { kind: FailureKind::Crash, .. } => Some(Kind::Crash),
            Verdict::Broke { kind: FailureKind::Hang, .. } => Some(Kind::Hang),
            Verdict::Broke { kind: FailureKind::OutOfMemory, .. } => Some(Kind::OutOfMemory),
            Verdict::Broke { kind: FailureKind::InternalError, .. } => Some(Kind::InternalError),
            Verdict::Holds { .. } | Verdict::NotComparable { .. } => None,
        }
    }

    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::WrongResult => "wrong_result",
            Kind::Changed => "changed",
            Kind::Slow => "slow",
            Kind::Crash => "crash",
            Kind::Hang => "hang",
            Kind::OutOfMemory => "out_of_memory",
            Kind::InternalError => "internal_error",
        }
    }

    /// As a title begins.
    pub fn words(self) -> &'static str {
        match self {
            Kind::WrongResult => "Wrong result",
            Kind::Changed => "Changed result",
            Kind::Slow => "Slow",
            Kind::Crash => "Crash",
            Kind::Hang => "Hang",
            Kind::OutOfMemory => "Out of memory",
            Kind::InternalError => "Internal error",
        }
    }
}

/// What a case needs, in words for people. Cheap enough for every raw case: one walk over the tree, or over the words
/// of a script that has none.
pub fn features(case: &Case) -> BTreeSet<String> {
    lang::features(case).unwrap_or_else(|| words::features(case))
}

/// The fingerprint of a case that shows a bug. A verdict that is none counts as a wrong result.
pub fn of(case: &Case, evidence: &Evidence, cures: &[String]) -> Fingerprint {
    let kind = match Kind::of(&evidence.verdict).unwrap_or(Kind::WrongResult) {
        Kind::WrongResult if matches!(case.claim.unguarded(), Relation::Unchanged { .. }) => Kind::Changed,
        kind => kind,
    };
    let signature = signature_of(&evidence.verdict);
    let features = features(case);
    // What had to be changed to see a difference makes it vanish where both sides have it.
    let mut cures: Vec<String> =
        knobs::of_case(case).into_iter().map(|f| f.knob).chain(cures.iter().cloned()).collect();
    cures.sort();
    cures.dedup();
    let id = id(kind, &signature, &cures, &features);
    let title = title(kind, &signature, &features, &written_out(&cures), case.language);
    Fingerprint { id, kind, cures, features, signature, title, general: None }
}

fn id(kind: Kind, signature: &str, cures: &[String], features: &BTreeSet<String>) -> String {
    let mut hasher = Fnv::default();
    let parts = [kind.name(), signature].into_iter().chain(cures.iter().map(String::as_str));
    for part in parts.chain(["|"]).chain(features.iter().map(String::as_str)) {
        hasher.write(part.as_bytes());
        hasher.write_u8(0);
    }
    format!("{:016x}", hasher.finish())
}

/// Whether two reduced cases show one bug.
pub fn same_bug(a: &Fingerprint, b: &Fingerprint) -> bool {
    if a.id == b.id || same_in_general(a, b) {
        return true;
    }
    if a.kind != b.kind || a.signature != b.signature {
        return false;
    }
    if share_a_cure(&written_out(&a.cures), &written_out(&b.cures)) || share_a_switch(a, b) {
        return true;
    }
    let one_cure = share_a_cure(&a.cures, &b.cures);
    // The same words, and a setting in common that makes it vanish: what else the statement has is chance.
    if a.kind != Kind::WrongResult && one_cure {
        return true;
    }
    // The same words without any feature: it shows in whatever is asked.
    if a.kind == Kind::InternalError && (a.features.is_empty() || b.features.is_empty()) {
        return true;
    }
    let unknown_cause = a.kind != Kind::WrongResult || a.cures.is_empty() || b.cures.is_empty();
    let (a, b) = (unmirrored(&a.features), unmirrored(&b.features));
    (unknown_cause || one_cure) && (nearly_same(&a, &b) || alike(&a, &b))
}

/// A RIGHT JOIN is a LEFT JOIN written the other way round.
fn unmirrored(features: &BTreeSet<String>) -> BTreeSet<String> {
    features.iter().map(|f| if f == "RIGHT JOIN" { "LEFT JOIN".into() } else { f.clone() }).collect()
}

/// Whether two reduced cases show one bug, given that the same releases of the engine have it: then a third of the
/// features in common is enough.
pub fn akin(a: &Fingerprint, b: &Fingerprint) -> bool {
    let common = a.features.intersection(&b.features).count();
    a.kind == b.kind && a.signature == b.signature && common * 3 >= a.features.union(&b.features).count()
}

/// How a cure begins that is no setting: the case holds once this is written at greater length. It names a cause,
/// where a setting names a part of the engine, so that nothing else has to agree.
pub const WRITTEN_OUT: &str = "written out: ";

/// How a cure begins that is a switch of the engine, which the compared program is run with.
pub const SWITCHED: &str = "with the switch: ";

fn beginning(start: &str, cures: &[String]) -> Vec<String> {
    cures.iter().filter(|c| c.starts_with(start)).cloned().collect()
}

fn written_out(cures: &[String]) -> Vec<String> {
    beginning(WRITTEN_OUT, cures)
}

/// A switch of the engine makes both vanish. It names a part of the engine, so one thing that is not everyday has to
/// agree as well.
fn share_a_switch(a: &Fingerprint, b: &Fingerprint) -> bool {
    share_a_cure(&beginning(SWITCHED, &a.cures), &beginning(SWITCHED, &b.cures))
        && a.features.intersection(&b.features).any(|f| rank(f) == 0)
}

/// Another plan may be cured by one setting more, so one list has to hold the other, not to equal it.
fn share_a_cure(a: &[String], b: &[String]) -> bool {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    !small.is_empty() && small.iter().all(|c| large.contains(c))
}

/// One set holds the other. A single feature must be half of the other set at least: a bug of indexes in general is not
/// every bug in which an index takes part. What needs no feature at all shows in queries of one feature as well. A
/// comparison of points is not everything that compares points.
fn nearly_same(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let enough = small.len() > 1 || small.len() * 2 >= large.len() || large.len() == 1;
    let plain = |of: &BTreeSet<String>| !of.is_empty() && of.iter().all(|f| lang::graph::features::is_everyday(f));
    small.is_subset(large) && enough && (!plain(small) || plain(large))
}

/// Half of the features, by weight, are common to both. What nearly every query has weighs less.
fn alike(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let weigh = |f: &String| if rank(f) > 0 || EVERYDAY.contains(&f.as_str()) { 1 } else { 3 };
    let common: u32 = a.intersection(b).map(weigh).sum();
    let all: u32 = a.union(b).map(weigh).sum();
    all > 0 && common * 2 >= all
}

/// Features that stand early in a title and yet say little about a cause.
const EVERYDAY: &[&str] = &["subquery in FROM", "view", "GROUP BY", "window function", "setting"];

/// Whether a case that is not reduced yet would very likely become one that is known already.
pub fn likely_duplicate(case: &Case, evidence: &Evidence, cures: &[String], known: &Fingerprint) -> bool {
    if Kind::of(&evidence.verdict) != Some(known.kind) || signature_of(&evidence.verdict) != known.signature {
        return false;
    }
    if share_a_cure(&written_out(&known.cures), &written_out(cures)) {
        return true;
    }
    let distinguished = match known.kind {
        Kind::WrongResult if known.cures.is_empty() => {
            cures.is_empty() && known.features.len() >= case.language.style().distinctive_features
        }
        Kind::WrongResult => {
            let by_switch = share_a_cure(&beginning(SWITCHED, &known.cures), &beginning(SWITCHED, cures));
            (by_switch || share_a_cure(&known.cures, cures)) && !known.features.is_empty()
        }
        _ if share_a_cure(&known.cures, cures) => return true,
        Kind::InternalError => true,
        _ => !known.features.is_empty(),
    };
    distinguished && known.features.is_subset(&may_become(features(case)))
}

/// Features of a raw case, and the plainer ones that reduction makes of them.
fn may_become(mut raw: BTreeSet<String>) -> BTreeSet<String> {
    let has = |raw: &BTreeSet<String>, end: &str| raw.iter().any(|f| f.ends_with(end));
    for (end, plain) in PLAINER {
        if has(&raw, end) {
            raw.insert((*plain).into());
        }
    }
    raw
}

/// How features end, and the plainer one that each of them has in it.
const PLAINER: &[(&str, &str)] = &[("()", "function call"), (" JOIN", "join"), ("index on an expression", "index")];

fn signature_of(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Broke { text, .. } => signature(text),
        _ => String::new(),
    }
}

/// An error text without what changes from case to case: numbers, addresses, quoted names, the statement itself. Which
/// error it was stays: its code, and the words of an exception even in quotes.
pub fn signature(text: &str) -> String {
    let line = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
    // Some engines repeat the statement, which is another one for every case.
    let line = STATEMENT_FOLLOWS.iter().filter_map(|words| line.find(words)).min().map_or(line, |at| &line[..at]);
    let (mut out, mut quote, mut word) = (String::new(), None, String::new());
    let flush = |word: &mut String, out: &mut String| {
        // Which signal it was is the one number that distinguishes bugs.
        let numeric = word.bytes().any(|b| b.is_ascii_digit()) && !out.ends_with("signal ");
        out.push_str(if numeric { "#" } else { word.as_str() });
        word.clear();
    };
    let plain = without_classes(&line.trim().to_lowercase());
    for (at, c) in plain.char_indices() {
        match quote {
            Some(q) => {
                if c == q {
                    quote = None;
                    out.push('?');
                }
                continue;
            }
            None if c.is_alphanumeric() || c == '_' => word.push(c),
            None => {
                // An apostrophe inside a word ("can't") opens nothing.
                let opens = matches!(c, '"' | '`') || c == '\'' && word.is_empty();
                flush(&mut word, &mut out);
                if opens && !quotes_an_exception(&plain[at + c.len_utf8()..], c) {
                    quote = Some(c);
                } else {
                    out.push(c);
                }
            }
        }
    }
    flush(&mut word, &mut out);
    let codes = codes(text);
    let code = if codes.is_empty() { String::new() } else { format!(" <{}>", codes.join(" ")) };
    out.chars().take(80).collect::<String>() + code.as_str()
}

/// What stands before the statement in an error that repeats it.
const STATEMENT_FOLLOWS: &[&str] = &["; SQL statement:", ": While processing ", "\nLINE "];

/// Whether what is quoted here is the message of an exception and no name.
fn quotes_an_exception(rest: &str, quote: char) -> bool {
    let quoted = rest.split(quote).next().unwrap_or_default();
    let mut words = quoted.split(|c: char| !c.is_alphanumeric());
    words.any(|w| w.ends_with("exception") || w.ends_with("error"))
}

/// The codes in an error text: numbers that are announced as one, states of SQL, and pairs in brackets (`[50000-232]`).
fn codes(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let line = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
    let (mut found, mut at, mut before) = (Vec::new(), 0, "");
    while let Some(start) = line[at..].find(is_word).map(|n| at + n) {
        let end = line[start..].find(|c| !is_word(c)).map_or(line.len(), |n| start + n);
        let (gap, word) = (&line[at..start], &line[start..end]);
        let announced = match before.to_ascii_lowercase().as_str() {
            "code" | "errno" | "sqlstate" => gap.trim().len() < 3,
            "error" => gap == " ",
            _ => false,
        };
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let state = word.len() == 5 && digits > 1 && word.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        let named = state && digits < 5;
        let pair = line[end..].strip_prefix('-').and_then(|rest| rest.split_once(']')).filter(|(second, _)| {
            gap.ends_with('[') && digits == word.len() && second.bytes().all(|b| b.is_ascii_digit())
        });
        if let Some((second, _)) = pair {
            found.push(format!("{word}-{second}"));
        } else if digits > 0 && (announced && (digits == word.len() || state) || named) {
            found.push(word.to_owned());
        }
        (before, at) = (word, end);
    }
    found.dedup();
    found
}

/// Which of Java's classes met is chance; which of its errors it was is not.
fn without_classes(line: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
    let pieces = line.split_inclusive(|c| !is_name(c));
    let plain = |piece: &str| {
        let name = piece.trim_end_matches(|c| !is_name(c));
        let class =
            name.starts_with(|c: char| c.is_alphabetic()) && name.trim_end_matches('.').matches('.').count() > 1;
        match class && !name.ends_with("exception") && !name.ends_with("error") {
            true => format!("?{}", &piece[name.len()..]),
            false => piece.to_string(),
        }
    };
    pieces.map(plain).collect()
}

/// Names what had to be written out for the failure to vanish, then the features, the most distinctive first.
fn title(
    kind: Kind,
    signature: &str,
    features: &BTreeSet<String>,
    written_out: &[String],
    language: Language,
) -> String {
    let mut title = kind.words().to_string();
    if kind == Kind::InternalError && !signature.is_empty() {
        title = format!("{title} ({})", signature.chars().take(36).collect::<String>());
    }
    let causes: Vec<&str> = written_out.iter().filter_map(|c| c.strip_prefix(WRITTEN_OUT)).collect();
    let mut ranked: Vec<&str> = features.iter().map(String::as_str).filter(|f| !causes.contains(f)).collect();
    ranked.sort_by_key(|f| (rank(f), *f));
    ranked.splice(0..0, causes);
    if ranked.is_empty() {
        return format!("{title}: plain {}", language.style().plain);
    }
    for (i, feature) in ranked.iter().enumerate() {
        let joined = if i == 0 { ": " } else { " + " };
        if title.chars().count() + joined.len() + feature.chars().count() > TITLE_CHARS {
            break;
        }
        title.push_str(joined);
        title.push_str(feature);
    }
    title
}

/// A title for a bug tracker: what goes wrong, and with which features of the language, the most distinctive first. How
/// a case was looked at is no feature.
pub fn report_title(what: &str, print: &Fingerprint, language: Language) -> String {
    let written_out = written_out(&print.cures);
    let causes: Vec<&str> = written_out.iter().filter_map(|c| c.strip_prefix(WRITTEN_OUT)).collect();
    let other = |f: &&str| !causes.contains(f) && !lang::datalog::features::is_way_of_looking(f);
    let mut ranked: Vec<&str> = print.features.iter().map(String::as_str).filter(other).collect();
    ranked.sort_by_key(|f| (rank(f), *f));
    ranked.splice(0..0, causes);
    let mut named: Vec<&str> = Vec::new();
    let mut length = what.chars().count() + " with ".len();
    for feature in ranked {
        length += feature.chars().count() + " and ".len();
        if length > TITLE_CHARS {
            break;
        }
        named.push(feature);
    }
    match named.as_slice() {
        [] => format!("{what} in {}", language.style().simple),
        [one] => format!("{what} with {one}"),
        [first @ .., last] => format!("{what} with {} and {last}", first.join(", ")),
    }
}

/// What nearly every case has comes last in a title.
fn rank(feature: &str) -> usize {
    const COMMON: &[&str] =
        &["ORDER BY", "OR", "arithmetic", "range comparison", "IS NULL", "NOT NULL", "aggregate", "join", "index"];
    if lang::datalog::features::is_everyday(feature) || lang::graph::features::is_everyday(feature) {
        return COMMON.len() + 1;
    }
    COMMON.iter().position(|c| *c == feature).map_or(0, |i| i + 1)
}

/// Features of a script that is only text: words and pairs of words of the language, and the functions it calls.
mod words {
    use super::*;

    /// A word or two as written, and the feature it stands for; the same names as those of the tree.
    const SQL: &[(&str, &str)] = &[
        ("LEFT JOIN", "LEFT JOIN"),
        ("RIGHT JOIN", "RIGHT JOIN"),
        ("FULL JOIN", "FULL JOIN"),
        ("NATURAL", "NATURAL JOIN"),
        ("USING", "USING"),
        ("DISTINCT", "DISTINCT"),
        ("GROUP BY", "GROUP BY"),
        ("HAVING", "HAVING"),
        ("ORDER BY", "ORDER BY"),
        ("LIMIT", "LIMIT"),
        ("UNION", "UNION"),
        ("INTERSECT", "INTERSECT"),
        ("EXCEPT", "EXCEPT"),
        ("WITH RECURSIVE", "recursive CTE"),
        ("EXISTS", "EXISTS"),
        ("BETWEEN", "BETWEEN"),
        ("LIKE", "LIKE"),
        ("GLOB", "GLOB"),
        ("CASE", "CASE"),
        ("CAST", "CAST"),
        ("COLLATE", "COLLATE"),
        ("OVER", "window function"),
        ("FILTER", "FILTER"),
        ("OR", "OR"),
        ("ALTER TABLE", "ALTER TABLE"),
        ("ANALYZE", "ANALYZE"),
        ("REINDEX", "REINDEX"),
        ("VACUUM", "VACUUM"),
        ("PRAGMA", "setting"),
        ("CREATE VIEW", "view"),
        ("CREATE INDEX", "index"),
        ("CREATE UNIQUE", "index"),
        ("UNIQUE", "index"),
        ("PRIMARY KEY", "index"),
        ("CREATE VIRTUAL", "virtual table"),
        ("CREATE TRIGGER", "trigger"),
        ("WITHOUT ROWID", "WITHOUT ROWID"),
        ("STRICT", "STRICT"),
        ("GENERATED", "generated column"),
        ("UPDATE", "UPDATE"),
        ("DELETE", "DELETE"),
        ("REPLACE", "REPLACE"),
    ];

    const DATALOG: &[(&str, &str)] = &[
        ("NOT", "negation"),
        ("COUNT", "aggregate"),
        ("SUM", "aggregate"),
        ("MIN", "aggregate"),
        ("MAX", "aggregate"),
        ("MEAN", "aggregate"),
    ];

    const GRAPH: &[(&str, &str)] = &[
        ("OPTIONAL MATCH", "OPTIONAL MATCH"),
        ("UNWIND", "UNWIND"),
        ("WITH", "WITH"),
        ("EXISTS", "EXISTS"),
        ("CASE", "CASE"),
        ("UNION", "UNION"),
        ("ORDER BY", "ORDER BY"),
        ("LIMIT", "LIMIT"),
        ("SKIP", "SKIP"),
        ("DISTINCT", "DISTINCT"),
        ("MERGE", "MERGE"),
        ("DELETE", "DELETE"),
        ("INDEX", "index"),
    ];

    /// Words before a bracket that call nothing.
    const NO_CALLS: &[&str] = &[
        "VALUES",
        "IN",
        "AND",
        "OR",
        "NOT",
        "ON",
        "AS",
        "WHERE",
        "SELECT",
        "FROM",
        "JOIN",
        "USING",
        "KEY",
        "UNIQUE",
        "CHECK",
        "EXISTS",
        "WHEN",
        "THEN",
        "ELSE",
        "OVER",
        "FILTER",
        "BY",
        "CAST",
        "HAVING",
        "SET",
        "LIKE",
        "GLOB",
        "IS",
        "UNION",
        "ALL",
        "EXCEPT",
        "INTERSECT",
        "DISTINCT",
        "BETWEEN",
        "CASE",
        "LIMIT",
        "COLLATE",
        "DEFAULT",
    ];

    /// Words and what they show, and whether names before a bracket show functions.
    const WORDS: Each<(&[(&str, &str)], bool)> =
        Each { sql: (SQL, true), datalog: (DATALOG, false), graph: (GRAPH, false) };

    pub fn features(case: &Case) -> BTreeSet<String> {
        let (table, has_calls) = *WORDS.of(case.language);
        let mut found = BTreeSet::new();
        for step in &case.script {
            let words = words_of(&step.text);
            for (i, (word, _)) in words.iter().enumerate() {
                let pair = words.get(i + 1).map(|(next, _)| format!("{word} {next}"));
                let named = |entry: &&(&str, &str)| entry.0 == word || Some(entry.0) == pair.as_deref();
                found.extend(table.iter().filter(named).map(|(_, feature)| feature.to_string()));
            }
            if has_calls {
                found.extend(calls(&words));
            }
        }
        found
    }

    /// A name before a bracket, unless it names what is made or filled there.
    fn calls(words: &[(String, bool)]) -> impl Iterator<Item = String> {
        words.iter().enumerate().filter_map(|(i, (word, bracket))| {
            let before = i.checked_sub(1).map_or("", |b| words[b].0.as_str());
            let makes = words.first().is_some_and(|(w, _)| w == "CREATE");
            let declared =
                makes && before == "ON" || matches!(before, "TABLE" | "INTO" | "VIEW" | "WITH" | "AS" | "RECURSIVE");
            (*bracket && !declared && !NO_CALLS.contains(&word.as_str())).then(|| format!("{}()", word.to_lowercase()))
        })
    }

    /// Words in capitals, and whether a bracket follows. What is in quotes is no word.
    fn words_of(text: &str) -> Vec<(String, bool)> {
        let (mut found, mut word, mut quote) = (Vec::new(), String::new(), None);
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            match quote {
                Some(q) if c == q => quote = None,
                Some(_) => {}
                None if c.is_alphanumeric() || c == '_' => word.extend(c.to_uppercase()),
                None => {
                    if !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) {
                        let bracket = text[at..].trim_start().starts_with('(');
                        found.push((std::mem::take(&mut word), bracket));
                    }
                    word.clear();
                    quote = matches!(c, '\'' | '"' | '`').then_some(c);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
