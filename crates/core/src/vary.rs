//! What may vary in a reduced case. Each part of it that is one of a kind (a function, an operator, a join, a type, a
//! constant) is replaced by others of its kind, and the case is run again: what may vary is not part of the bug.
//!
//! A language lists the places of its tree; this module goes through them within a budget. Whether a changed case
//! still fails in the same way is decided by the caller, and whether its claim is still sound by the subject.

use crate::case::Case;
use crate::reduce::Subject;
use serde::{Deserialize, Serialize};

/// Version of what `meta.json` stores about it.
pub const GENERALITY_FORMAT: u32 = 1;

/// Others of one kind that are tried at one place.
const MEMBERS_TRIED: usize = 10;

/// A place of a tree, and what may stand there.
pub struct Place<E> {
    /// Of what kind these are, in a maintainer's words: "window function".
    pub kind: &'static str,
    /// All of the kind, in an order that does not depend on which of them stands there.
    pub members: Vec<Member<E>>,
}

/// One of a kind. The one without an edit is what the case has.
pub struct Member<E> {
    pub name: String,
    pub edit: Option<E>,
}

impl<E> Place<E> {
    /// The members of a kind in their order, with what stands there among them. Nothing where it has no others.
    pub fn of(kind: &'static str, shown: &str, others: Vec<(String, E)>) -> Option<Place<E>> {
        let mut members: Vec<Member<E>> = Vec::new();
        for (name, edit) in others {
            if members.iter().any(|m| m.name == name) {
                continue;
            }
            let edit = (name != shown).then_some(edit);
            members.push(Member { name, edit });
        }
        if members.iter().all(|m| m.edit.is_some()) {
            members.push(Member { name: shown.to_owned(), edit: None });
        }
        (members.len() > 1).then_some(Place { kind, members })
    }

    fn shown(&self) -> &str {
        self.members.iter().find(|m| m.edit.is_none()).map_or("", |m| &m.name)
    }
}

/// A subject whose parts can be replaced by others of their kind.
pub trait Varied: Subject {
    /// The places that say most about a bug first.
    fn places(&self) -> Vec<Place<Self::Edit>>;
}

/// What came of a case with something else in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It fails in the same way.
    Fails,
    Holds,
    /// The engine does not take it, or it fails in another way: nothing follows.
    Nothing,
}

/// How often a varied case may be run, and when the time is over.
pub struct Tries<'a> {
    pub left: u32,
    pub over: &'a dyn Fn() -> bool,
}

impl Tries<'_> {
    fn next(&mut self) -> bool {
        if self.left == 0 || (self.over)() {
            return false;
        }
        self.left -= 1;
        true
    }
}

/// What was tried at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variation {
    pub kind: String,
    /// What the case has.
    pub shown: String,
    /// With these it fails as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// With these it does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not: Vec<String>,
}

/// What is known of the cases around one that fails.
pub struct General {
    pub variations: Vec<Variation>,
    /// The cases that fail as well.
    pub failing: Vec<Case>,
    /// The case with the first of each kind that fails too, all at once: equal for all cases that differ only in what
    /// may vary.
    pub canonical: Case,
    /// Every place was tried; without it the budget ended first.
    pub complete: bool,
}

/// Tries others of its kind at each place, one at a time; then all that may vary together. Nothing where the subject
/// does not make the case that fails.
pub fn generalise<S: Varied>(
    subject: &S,
    case: &Case,
    tries: &mut Tries,
    run: &mut dyn FnMut(&Case) -> Seen,
) -> Option<General> {
    let derived = subject.case()?;
    if derived.script != case.script && !(tries.next() && run(&derived) == Seen::Fails) {
        return None;
    }
    let mut general = General { variations: Vec::new(), failing: Vec::new(), canonical: derived, complete: true };
    let places = subject.places();
    let mut tried: Vec<Variation> = Vec::with_capacity(places.len());
    for place in &places {
        let (variation, whole) = vary(subject, place, tries, &mut general.failing, run);
        general.complete &= whole;
        tried.push(variation);
    }
    let mut current = subject.clone();
    for (at, (place, variation)) in places.iter().zip(&tried).enumerate() {
        // A change may have moved or removed the places behind it.
        let now = current.places();
        let Some(now) = now.get(at).filter(|p| p.kind == place.kind && p.shown() == place.shown()) else { continue };
        if let Some((next, case)) = first_that_fails(&current, now, &variation.not, tries, run) {
            general.failing.push(case.clone());
            (current, general.canonical) = (next, case);
        }
    }
    let said = |v: &Variation| !v.also.is_empty() || !v.not.is_empty();
    general.variations = tried.into_iter().filter(said).collect();
    Some(general)
}

/// The subject with a member that comes before the one it has, if it fails with one. What was refused alone may be
/// taken beside other members, so only those that hold are left out.
fn first_that_fails<S: Varied>(
    subject: &S,
    place: &Place<S::Edit>,
    not: &[String],
    tries: &mut Tries,
    run: &mut dyn FnMut(&Case) -> Seen,
) -> Option<(S, Case)> {
    let before = place.members.iter().map_while(|m| Some((&m.name, m.edit.as_ref()?)));
    for (_, edit) in before.filter(|(name, _)| !not.contains(name)).take(MEMBERS_TRIED) {
        let Some((next, case)) = subject.apply(edit).and_then(|next| next.case().map(|case| (next, case))) else {
            continue;
        };
        if !tries.next() {
            return None;
        }
        if run(&case) == Seen::Fails {
            return Some((next, case));
        }
    }
    None
}

/// Tries each other member at one place; and whether all of them were.
fn vary<S: Varied>(
    subject: &S,
    place: &Place<S::Edit>,
    tries: &mut Tries,
    failing: &mut Vec<Case>,
    run: &mut dyn FnMut(&Case) -> Seen,
) -> (Variation, bool) {
    let mut variation =
        Variation { kind: place.kind.into(), shown: place.shown().into(), also: Vec::new(), not: Vec::new() };
    let others = place.members.iter().filter_map(|m| Some((&m.name, m.edit.as_ref()?))).take(MEMBERS_TRIED);
    for (name, edit) in others {
        let Some(case) = subject.apply(edit).and_then(|next| next.case()) else { continue };
        if !tries.next() {
            return (variation, false);
        }
        match run(&case) {
            Seen::Fails => {
                variation.also.push(name.clone());
                failing.push(case);
            }
            Seen::Holds => variation.not.push(name.clone()),
            Seen::Nothing => {}
        }
    }
    (variation, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{CASE_FORMAT, Language, Origin, Step};
    use crate::relation::Relation;

    /// `F(x) OP y`, as two words.
    #[derive(Clone)]
    struct Pair(&'static str, &'static str);

    impl Subject for Pair {
        type Edit = (bool, &'static str);

        fn weight(&self) -> u64 {
            1
        }

        fn passes(&self) -> usize {
            0
        }

        fn edits(&self, _: usize) -> Vec<Self::Edit> {
            Vec::new()
        }

        fn apply(&self, (first, word): &Self::Edit) -> Option<Pair> {
            Some(if *first { Pair(word, self.1) } else { Pair(self.0, word) })
        }

        fn case(&self) -> Option<Case> {
            Some(Case {
                format: CASE_FORMAT,
                language: Language::Sql,
                oracle: "survives".into(),
                rules: vec![],
                script: vec![Step::run(format!("{} {}", self.0, self.1))],
                claim: Relation::Survives,
                source: None,
                origin: Origin::default(),
            })
        }
    }

    impl Varied for Pair {
        fn places(&self) -> Vec<Place<Self::Edit>> {
            let words = |first, words: [&'static str; 3]| words.map(|w| (w.to_owned(), (first, w))).to_vec();
            let function = Place::of("function", self.0, words(true, ["lag", "lead", "rank"]));
            let operator = Place::of("operator", self.1, words(false, ["<", "<=", "="]));
            function.into_iter().chain(operator).collect()
        }
    }

    fn of(pair: &Pair, left: u32, seen: impl Fn(&str) -> Seen) -> General {
        let mut tries = Tries { left, over: &|| false };
        generalise(pair, &pair.case().unwrap(), &mut tries, &mut |case| seen(&case.script[0].text)).unwrap()
    }

    #[test]
    fn cases_that_differ_in_what_may_vary_have_one_canonical_form() {
        // Any function, but only orders; `rank` with `<` is refused.
        let seen = |text: &str| match text {
            "rank <" => Seen::Nothing,
            _ if text.ends_with(" =") => Seen::Holds,
            _ => Seen::Fails,
        };
        let one = of(&Pair("rank", "<="), 100, seen);
        let other = of(&Pair("lead", "<"), 100, seen);
        assert_eq!(one.canonical.script[0].text, "lag <");
        assert_eq!(one.canonical.script, other.canonical.script);
        let words = |v: &Variation| (v.shown.clone(), v.also.join(" "), v.not.join(" "));
        assert_eq!(words(&one.variations[0]), ("rank".into(), "lag lead".into(), String::new()));
        assert_eq!(words(&one.variations[1]), ("<=".into(), String::new(), "=".into()));
        assert!(one.complete);
    }

    #[test]
    fn the_budget_is_kept_and_what_was_not_tried_is_not_claimed() {
        let general = of(&Pair("rank", "<="), 1, |_| Seen::Fails);
        assert!(!general.complete);
        assert_eq!(general.variations.len(), 1);
        assert_eq!(general.variations[0].also, ["lag"]);
        assert_eq!(of(&Pair("rank", "<="), 0, |_| Seen::Fails).canonical.script[0].text, "rank <=");
    }
}
