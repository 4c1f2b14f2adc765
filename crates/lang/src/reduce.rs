//! Reduction of a case: by its tree where it has one (each language has its subject), by its text where it has none.
//! The driver is `qualm_core::reduce`.

#[cfg(test)]
mod tests;
mod text;

pub use qualm_core::reduce::{Budget, ReductionStats};
pub use text::{TextPlaces, TextSubject};

use crate::LANGUAGES;
use crate::oracle::survives;
use qualm_core::case::Case;
use qualm_core::reduce::{Attempts, Subject, drive};
use qualm_core::relation::Relation;
use qualm_core::session::Spoken;

/// The smallest form found; see `reduce_counted`.
pub fn reduce(case: &Case, spoken: impl Into<Spoken>, budget: Budget, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    reduce_counted(case, spoken, budget, fails).0
}

/// The smallest form found, and what it cost. `fails` must say yes only to the same kind of failure, cured by the same
/// settings, so that reduction never slips to another bug.
pub fn reduce_counted(
    case: &Case,
    spoken: impl Into<Spoken>,
    budget: Budget,
    fails: &mut dyn FnMut(&Case) -> bool,
) -> (Case, ReductionStats) {
    reduce_until(&|| false, case, spoken, budget, fails)
}

/// The same, but it ends as soon as `over` says so: making candidates takes time as well, and of large cases much.
pub fn reduce_until(
    over: &dyn Fn() -> bool,
    case: &Case,
    spoken: impl Into<Spoken>,
    budget: Budget,
    fails: &mut dyn FnMut(&Case) -> bool,
) -> (Case, ReductionStats) {
    let spoken = spoken.into();
    let mut attempts = Attempts::new(budget, over);
    let mut reduced = match case.claim {
        Relation::Survives if case.oracle == survives::NAME => survival(case, spoken, &mut attempts, fails),
        _ => by_tree(case, spoken, &mut attempts, fails).unwrap_or_else(|| case.clone()),
    };
    if let Some(subject) = spoken.sql().and_then(|dialect| TextPlaces::of(&reduced, dialect)) {
        reduced = drive(subject, &mut attempts, fails).case().unwrap_or(reduced);
    }
    let stats = ReductionStats {
        statements_before: case.script.len(),
        statements_after: reduced.script.len(),
        complete: attempts.may_go_on(),
        ..attempts.stats
    };
    (reduced, stats)
}

/// The smallest form of what broke an engine: of its tree, which is read back from its text where none was kept; or of
/// its text, where it has no tree that breaks the engine too.
fn survival(case: &Case, spoken: Spoken, attempts: &mut Attempts, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut case = case.clone();
    // Statements that were not taken have no tree. Most of them have nothing to do with it.
    if case.script.split_last().is_some_and(|(_, before)| before.iter().any(|s| s.is_query())) {
        let whole = TextSubject::of(&case, spoken).only_questions();
        case = Case { source: case.source.clone(), ..drive(whole, attempts, fails).case().unwrap_or(case) };
    }
    let read = crate::survival::with_tree(case.clone(), spoken);
    if let Some(reduced) = by_tree(&read, spoken, attempts, fails) {
        return reduced;
    }
    if let Some(exact) = crate::survival::with_exact_tree(&case, spoken)
        && let Some(reduced) = by_tree(&exact, spoken, attempts, fails)
    {
        return reduced;
    }
    let case = Case { source: None, ..case };
    let small = drive(TextSubject::of(&case, spoken), attempts, fails).case().unwrap_or(case);
    // What is left may be read where the whole was not; then it gets the same names and features as its like.
    let read = crate::survival::with_tree(small.clone(), spoken);
    by_tree(&read, spoken, attempts, fails).unwrap_or(small)
}

/// The smallest form of a case that was made from a tree.
fn by_tree(case: &Case, spoken: Spoken, attempts: &mut Attempts, fails: &mut dyn FnMut(&Case) -> bool) -> Option<Case> {
    (LANGUAGES.of(case.language).reduce)(case, spoken, attempts, fails)
}
