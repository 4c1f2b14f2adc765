//! What makes two findings the same bug: the kind of trouble, the settings that make it vanish, and which features of the
//! language the reduced case still needs.
//!
//! Left out on purpose: the oracle (several find the same bug), names, literals, plain comparisons, AND and NOT (every
//! oracle writes its own), inner joins (the same as FROM with a comma), and in which of the several ways an index came to
//! be. A feature that reduction could not take away says more than a count of them ever could.

use crate::case::{Case, Evidence, Language};
use crate::lang::sql::features::of_source;
use crate::plan::Fnv;
use crate::relation::{Trouble, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::Hasher;

/// Longest title; what does not fit is left out, the least telling first.
pub const TITLE_CHARS: usize = 90;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// 16 hex digits over all fields but the title.
    pub key: String,
    pub kind: Kind,
    /// Settings that each make the trouble vanish when turned off, sorted.
    pub cures: Vec<String>,
    pub features: BTreeSet<String>,
    /// What the engine said when it broke, without numbers and names; empty for wrong results.
    #[serde(default)]
    pub signature: String,
    pub title: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    WrongResult,
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
            Verdict::Broke { kind: Trouble::Crash, .. } => Some(Kind::Crash),
            Verdict::Broke { kind: Trouble::Hang, .. } => Some(Kind::Hang),
            Verdict::Broke { kind: Trouble::OutOfMemory, .. } => Some(Kind::OutOfMemory),
            Verdict::Broke { kind: Trouble::InternalError, .. } => Some(Kind::InternalError),
            Verdict::Holds { .. } | Verdict::NotComparable { .. } => None,
        }
    }

    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::WrongResult => "wrong_result",
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
            Kind::Crash => "Crash",
            Kind::Hang => "Hang",
            Kind::OutOfMemory => "Out of memory",
            Kind::InternalError => "Internal error",
        }
    }
}

/// What a case needs, in words for people. Cheap enough for every raw case: one walk over the tree, or over the words of
/// a script that has none.
pub fn features(case: &Case) -> BTreeSet<String> {
    let source = case.source.clone().and_then(|s| serde_json::from_value(s).ok());
    match source {
        Some(source) => of_source(&source),
        None => words::features(case),
    }
}

/// The fingerprint of a case that shows a bug. A verdict that is none counts as a wrong result.
pub fn of(case: &Case, evidence: &Evidence, cures: &[String]) -> Fingerprint {
    let kind = Kind::of(&evidence.verdict).unwrap_or(Kind::WrongResult);
    let signature = match &evidence.verdict {
        Verdict::Broke { text, .. } => signature(text),
        _ => String::new(),
    };
    let features = features(case);
    let mut cures = cures.to_vec();
    cures.sort();
    cures.dedup();
    let mut hasher = Fnv::default();
    let parts = [kind.name(), &signature].into_iter().chain(cures.iter().map(String::as_str));
    for part in parts.chain(["|"]).chain(features.iter().map(String::as_str)) {
        hasher.write(part.as_bytes());
        hasher.write_u8(0);
    }
    let title = title(kind, &signature, &features);
    Fingerprint { key: format!("{:016x}", hasher.finish()), kind, cures, features, signature, title }
}

/// Whether two reduced cases show one bug.
pub fn same_bug(a: &Fingerprint, b: &Fingerprint) -> bool {
    if a.key == b.key {
        return true;
    }
    if a.kind != b.kind || a.signature != b.signature {
        return false;
    }
    let known_cause = if a.kind == Kind::WrongResult { !a.cures.is_empty() && a.cures == b.cures } else { true };
    known_cause && nearly_same(&a.features, &b.features)
}

/// One set holds the other and is at most twice as large: an oracle brings a clause or two of its own, but a bug of
/// indexes in general is not every bug in which an index takes part.
fn nearly_same(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    small.is_subset(large) && small.len() * 2 >= large.len()
}

/// Features that a known bug needs at least before a raw case without a cure counts as its duplicate.
const TELLING_FEATURES: usize = 3;

/// Whether a case that is not reduced yet would very likely become one that is known already.
pub fn likely_duplicate(
    raw_features: &BTreeSet<String>,
    kind: Kind,
    signature: &str,
    cures: &[String],
    known: &[Fingerprint],
) -> bool {
    let mut cures = cures.to_vec();
    cures.sort();
    known.iter().any(|k| {
        let told_apart = if kind == Kind::WrongResult {
            !cures.is_empty() && !k.features.is_empty() || k.features.len() >= TELLING_FEATURES
        } else {
            !k.features.is_empty()
        };
        k.kind == kind
            && k.cures == cures
            && k.signature == signature
            && told_apart
            && k.features.is_subset(raw_features)
    })
}

/// An error text without what changes from case to case: numbers, addresses, quoted names.
pub fn signature(text: &str) -> String {
    let line = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
    let (mut out, mut quote, mut word) = (String::new(), None, String::new());
    let flush = |word: &mut String, out: &mut String| {
        let numeric = word.bytes().any(|b| b.is_ascii_digit());
        out.push_str(if numeric { "#" } else { word.as_str() });
        word.clear();
    };
    for c in line.trim().to_lowercase().chars() {
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
                if opens {
                    quote = Some(c);
                } else {
                    out.push(c);
                }
            }
        }
    }
    flush(&mut word, &mut out);
    out.chars().take(80).collect()
}

/// Names the features, the most telling first.
fn title(kind: Kind, signature: &str, features: &BTreeSet<String>) -> String {
    let mut title = kind.words().to_string();
    if kind == Kind::InternalError && !signature.is_empty() {
        title = format!("{title} ({})", signature.chars().take(36).collect::<String>());
    }
    let mut ranked: Vec<&String> = features.iter().collect();
    ranked.sort_by_key(|f| (rank(f), *f));
    if ranked.is_empty() {
        return format!("{title}: plain query");
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

/// What nearly every case has comes last in a title.
fn rank(feature: &str) -> usize {
    const COMMON: &[&str] =
        &["ORDER BY", "OR", "arithmetic", "range comparison", "IS NULL", "NOT NULL", "aggregate", "join", "index"];
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

    pub fn features(case: &Case) -> BTreeSet<String> {
        let table = match case.language {
            Language::Sql => SQL,
            Language::Datalog => DATALOG,
            Language::Graph => GRAPH,
        };
        let mut found = BTreeSet::new();
        for step in &case.script {
            let words = words_of(&step.text);
            for (i, (word, _)) in words.iter().enumerate() {
                let pair = words.get(i + 1).map(|(next, _)| format!("{word} {next}"));
                let named = |entry: &&(&str, &str)| entry.0 == word || Some(entry.0) == pair.as_deref();
                found.extend(table.iter().filter(named).map(|(_, feature)| feature.to_string()));
            }
            if case.language == Language::Sql {
                found.extend(calls(&words));
            }
        }
        found
    }

    /// A name before a bracket, unless it names what is made or filled there.
    fn calls(words: &[(String, bool)]) -> impl Iterator<Item = String> {
        words.iter().enumerate().filter_map(|(i, (word, bracket))| {
            let before = i.checked_sub(1).map_or("", |b| words[b].0.as_str());
            let declared = matches!(before, "TABLE" | "INTO" | "ON" | "VIEW" | "WITH" | "AS" | "RECURSIVE");
            (*bracket && !declared && !NO_CALLS.contains(&word.as_str())).then(|| format!("{}()", word.to_lowercase()))
        })
    }

    /// Words in capitals, and whether a bracket follows at once. What is in quotes is no word.
    fn words_of(text: &str) -> Vec<(String, bool)> {
        let (mut found, mut word, mut quote) = (Vec::new(), String::new(), None);
        for c in text.chars().chain([' ']) {
            match quote {
                Some(q) if c == q => quote = None,
                Some(_) => {}
                None if c.is_alphanumeric() || c == '_' => word.extend(c.to_uppercase()),
                None => {
                    if !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) {
                        found.push((std::mem::take(&mut word), c == '('));
                    }
                    word.clear();
                    quote = matches!(c, '\'' | '"' | '`').then_some(c);
                }
            }
        }
        found
    }
}
