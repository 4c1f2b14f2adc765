//! Makes a failing case small. A reducer is a problem (`Subject`), a list of passes and a total order: bold cuts first,
//! start over until nothing helps. It knows neither languages nor engines nor oracles: whether a smaller case still
//! fails in the same way is said by the caller, and whether its claim is still sound by the subject.
//!
//! The budget is counted in attempts and not in seconds, so that the same case is reduced to the same form everywhere.

use crate::case::Case;
use crate::plan::Fnv;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

/// Something that can be made smaller while it still fails: a tree of a language, or plain script text.
///
/// The reducer asks for edits pass by pass, cheap big cuts first, and keeps one only when the result is smaller in
/// `weight`, its claim is still sound (`case` gives one) and the failure is still there.
pub trait Subject: Clone {
    /// One change, not yet made: a list of thousands of these costs little, thousands of copied trees do not.
    type Edit;

    /// A total measure; every accepted step lowers it, so reduction ends.
    fn weight(&self) -> u64;

    /// How many passes there are; the driver runs them in order and starts over until none helps.
    fn passes(&self) -> usize;

    /// Changes that this pass would try, the boldest first.
    fn edits(&self, pass: usize) -> Vec<Self::Edit>;

    /// The changed subject, or nothing when the edit has no place here.
    fn apply(&self, edit: &Self::Edit) -> Option<Self>;

    /// Script and claim, or nothing when this variant's claim would not be sound.
    fn case(&self) -> Option<Case>;
}

/// How often a smaller case may be tried on the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub attempts: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { attempts: 20_000 }
    }
}

/// What a reduction cost and brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ReductionStats {
    /// Cases tried on the engine.
    pub attempts: u32,
    pub accepted: u32,
    pub statements_before: usize,
    pub statements_after: usize,
    /// Nothing more helps; without it the budget ended first.
    pub complete: bool,
}

/// The smallest form of a case that this subject was made of; nothing where the subject does not show the failure.
pub fn smallest<S: Subject>(
    subject: S,
    case: &Case,
    attempts: &mut Attempts<'_>,
    fails: &mut dyn FnMut(&Case) -> bool,
) -> Option<Case> {
    // What is derived from the tree may differ from what was run; then the tree is of no use.
    let derived = subject.case()?;
    let usable = same_script(&derived, case) || attempts.fails(&derived, fails);
    usable.then(|| drive(subject, attempts, fails).case().unwrap_or(derived))
}

fn same_script(a: &Case, b: &Case) -> bool {
    a.script == b.script && a.claim == b.claim
}

/// The budget, and what was tried before.
pub struct Attempts<'a> {
    left: u32,
    over: &'a dyn Fn() -> bool,
    tried: HashSet<u64>,
    /// The script of the smallest case so far.
    current: u64,
    pub stats: ReductionStats,
}

impl Attempts<'_> {
    pub fn new(budget: Budget, over: &dyn Fn() -> bool) -> Attempts<'_> {
        Attempts { left: budget.attempts, over, tried: HashSet::new(), current: 0, stats: ReductionStats::default() }
    }

    pub fn may_go_on(&self) -> bool {
        self.left > 0 && !(self.over)()
    }

    fn fails(&mut self, case: &Case, fails: &mut dyn FnMut(&Case) -> bool) -> bool {
        let hash = script_hash(case);
        if self.left == 0 || !self.tried.insert(hash) {
            return false;
        }
        self.left -= 1;
        self.stats.attempts += 1;
        let failed = fails(case);
        if failed {
            self.current = hash;
        }
        failed
    }

    fn is_current(&self, case: &Case) -> bool {
        self.current == script_hash(case)
    }
}

fn script_hash(case: &Case) -> u64 {
    let mut hasher = Fnv::default();
    for step in &case.script {
        step.text.hash(&mut hasher);
        step.label.hash(&mut hasher);
    }
    format!("{:?}", case.claim).hash(&mut hasher);
    hasher.finish()
}

/// Takes every edit that helps, pass by pass, until none does or the budget ends.
pub fn drive<S: Subject>(start: S, attempts: &mut Attempts<'_>, fails: &mut dyn FnMut(&Case) -> bool) -> S {
    let mut best = start;
    let mut weight = best.weight();
    loop {
        let before = weight;
        for pass in 0..best.passes() {
            while attempts.may_go_on() && run_pass(&mut best, &mut weight, pass, attempts, fails) {}
        }
        if weight == before || !attempts.may_go_on() {
            return best;
        }
    }
}

/// Tries each edit of a pass once and says whether any helped. After a success the list is made anew and the search
/// goes on at the same place, where the next thing to cut has moved up.
fn run_pass<S: Subject>(
    best: &mut S,
    weight: &mut u64,
    pass: usize,
    attempts: &mut Attempts<'_>,
    fails: &mut dyn FnMut(&Case) -> bool,
) -> bool {
    let mut edits = best.edits(pass);
    let (mut i, mut helped) = (0, false);
    while i < edits.len() && attempts.may_go_on() {
        let next = best.apply(&edits[i]).filter(|next| next.weight() < *weight);
        let accepted = next.filter(|next| {
            // A tree may get smaller without a change to the script (a part that a rewrite does not use).
            next.case().is_some_and(|case| attempts.is_current(&case) || attempts.fails(&case, fails))
        });
        match accepted {
            Some(next) => {
                *weight = next.weight();
                *best = next;
                attempts.stats.accepted += 1;
                edits = best.edits(pass);
                helped = true;
            }
            None => i += 1,
        }
    }
    helped
}

/// Ranges to leave out of a list of `n`, halves first, then quarters, down to single members; the end first, because
/// what comes later depends on what comes before.
pub fn chunks(n: usize) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut size = n;
    while size > 0 {
        let mut end = n;
        while end > 0 {
            let start = end.saturating_sub(size);
            found.push(start..end);
            end = start;
        }
        size /= 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{CASE_FORMAT, Language, Origin, Step};
    use crate::relation::Relation;

    fn case(text: &str) -> Case {
        Case {
            format: CASE_FORMAT,
            language: Language::Sql,
            oracle: "survives".into(),
            rules: vec![],
            script: vec![Step::run(text)],
            claim: Relation::Survives,
            source: None,
            origin: Origin::default(),
        }
    }

    #[test]
    fn cuts_go_from_all_to_single_ones() {
        let all: Vec<_> = chunks(4).into_iter().map(|r| (r.start, r.end)).collect();
        assert_eq!(all, [(0, 4), (2, 4), (0, 2), (3, 4), (2, 3), (1, 2), (0, 1)]);
        assert!(chunks(0).is_empty());
    }

    /// Something whose every edit is refused, and which counts how many were made.
    #[derive(Clone)]
    struct Counted<'a> {
        made: &'a std::cell::Cell<usize>,
        size: u64,
    }

    impl Subject for Counted<'_> {
        type Edit = u64;

        fn weight(&self) -> u64 {
            self.size
        }

        fn passes(&self) -> usize {
            3
        }

        fn edits(&self, _: usize) -> Vec<u64> {
            (1..1000).collect()
        }

        fn apply(&self, edit: &u64) -> Option<Self> {
            self.made.set(self.made.get() + 1);
            Some(Counted { size: self.size.checked_sub(*edit)?, ..*self })
        }

        fn case(&self) -> Option<Case> {
            Some(case(&format!("SELECT {}", self.size)))
        }
    }

    #[test]
    fn when_the_time_is_over_no_candidate_is_made_any_more() {
        let (made, over) = (std::cell::Cell::new(0), std::cell::Cell::new(false));
        let is_over = || over.get();
        let mut attempts = Attempts::new(Budget::default(), &is_over);
        let start = Counted { made: &made, size: 5000 };
        drive(start, &mut attempts, &mut |_| {
            over.set(made.get() == 10);
            false
        });
        assert_eq!(made.get(), 10);
        assert!(!attempts.may_go_on());
    }
}
