//! What may vary in a finding, in words for a maintainer.

use crate::fingerprint::Fingerprint;
use qualm_core::escape;
use qualm_core::vary::{GENERALITY_FORMAT, General, Variation};
use serde::{Deserialize, Serialize};

/// The part of `meta.json` that says what was put into the case, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generality {
    pub format: u32,
    /// The features that every failing variant has.
    pub needed: Vec<String>,
    /// Equal for cases that differ only in what may vary and in constants.
    pub shape: String,
    /// What was tried at each place of the case.
    pub places: Vec<Variation>,
    /// All of it was tried; without it the budget ended first.
    pub complete: bool,
    /// How often a variant was run.
    pub runs: u32,
}

/// Names of one list that are written out.
const NAMED: usize = 6;

impl Generality {
    pub fn of(general: General, print: &Fingerprint, runs: u32) -> Generality {
        Generality {
            format: GENERALITY_FORMAT,
            needed: print.needed().iter().cloned().collect(),
            shape: print.general.as_ref().map(|g| g.shape.clone()).unwrap_or_default(),
            places: general.variations,
            complete: general.complete,
            runs,
        }
    }

    /// What may be something else, one sentence each, and what may not.
    pub fn sentences(&self, same: &str) -> Vec<String> {
        let places = merged(&self.places);
        let (free, fixed): (Vec<&Variation>, Vec<&Variation>) = places.iter().partition(|v| !v.also.is_empty());
        free.into_iter().map(|v| may_vary(v, same)).chain(fixed.into_iter().map(may_not_vary)).collect()
    }
}

/// What stands at several places is named once: with what all of them may be.
fn merged(places: &[Variation]) -> Vec<Variation> {
    let mut merged: Vec<Variation> = Vec::new();
    for place in places {
        match merged.iter_mut().find(|m| m.kind == place.kind && m.shown == place.shown) {
            Some(known) => {
                known.not.extend(place.not.iter().filter(|n| !known.not.contains(n)).cloned().collect::<Vec<_>>());
                known.also.retain(|name| place.also.contains(name));
            }
            None => merged.push(place.clone()),
        }
    }
    merged.retain(|v| !v.also.is_empty() || !v.not.is_empty());
    merged
}

fn may_vary(v: &Variation, same: &str) -> String {
    let (kind, shown) = (&v.kind, escape::code(&v.shown));
    if v.not.is_empty() && v.also.len() > 1 {
        return format!("Any {kind}: {shown} is shown; with {} {same}.", list(&v.also, "and"));
    }
    let but = if v.not.is_empty() { String::new() } else { format!(", but not {}", list(&v.not, "or")) };
    format!("The {kind} {shown} may also be {}{but}.", list(&v.also, "or"))
}

fn may_not_vary(v: &Variation) -> String {
    let shown = escape::code(&v.shown);
    format!("The {} has to be {shown}: not {}.", v.kind, list(&v.not, "or"))
}

/// `a`, `b` and `c`; of a long list the rest is counted.
fn list(names: &[String], word: &str) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|n| escape::code(n)).collect();
    if names.len() > NAMED {
        let rest = names.len() - NAMED;
        shown.push(if rest == 1 { "another".to_owned() } else { format!("{rest} others") });
    }
    match shown.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} {word} {last}", first.join(", ")),
        _ => shown.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(kind: &str, shown: &str, also: &[&str], not: &[&str]) -> Variation {
        let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect();
        Variation { kind: kind.into(), shown: shown.into(), also: names(also), not: names(not) }
    }

    #[test]
    fn sentences_of_a_maintainer() {
        let places = vec![
            place("join", "LEFT JOIN", &[], &["JOIN"]),
            place("window function", "lag()", &["lead()", "rank()"], &[]),
            place("comparison", "<", &["<=", ">"], &["="]),
            place("comparison", "<", &["<="], &[]),
            place("kind of index", "INDEX", &["UNIQUE INDEX"], &[]),
        ];
        let general = Generality {
            format: GENERALITY_FORMAT,
            needed: vec![],
            shape: String::new(),
            places,
            complete: true,
            runs: 9,
        };
        assert_eq!(
            general.sentences("it crashes as well"),
            [
                "Any window function: `lag()` is shown; with `lead()` and `rank()` it crashes as well.",
                "The comparison `<` may also be `<=`, but not `=`.",
                "The kind of index `INDEX` may also be `UNIQUE INDEX`.",
                "The join has to be `LEFT JOIN`: not `JOIN`.",
            ]
        );
    }
}
