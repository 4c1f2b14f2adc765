//! What must hold between answers. What "the same result" is stands beside it, in `relation/`.
//!
//! A relation names results by their position among the queries of a case. Rows that agree are compared cell
//! by cell without building strings (`relation/`); only a disagreement is turned into text.

mod equal;
mod exact;
mod fold;
mod keep;
mod matching;

pub use equal::{FLOAT_TOLERANCE, same_value, total_order};
pub use keep::{Keep, Place};

use crate::session::{Outcome, RejectionClass};
use crate::slowness::{Slowness, Threshold};
use crate::value::{Rows, Value};
use matching::{difference, equal_in_order, has_duplicates, holds_identically, identical_sets};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "relation", rename_all = "snake_case")]
pub enum Relation {
    /// Both answers are the same.
    Same { left: usize, right: usize, order: Order, equality: Equality },
    /// Both answers are the same, of two releases: a difference is a change, which may be meant.
    Unchanged { left: usize, right: usize, order: Order, equality: Equality },
    /// Each row of `small` is in `big` (as often, if bags).
    Contains { big: usize, small: usize, order: Order, equality: Equality },
    /// The parts put together are the whole.
    Partition { whole: usize, parts: Vec<usize>, combine: Combine, equality: Equality },
    /// `part` is just those rows of `whole` that all of `keep` take.
    Filtered { whole: usize, part: usize, keep: Vec<Keep> },
    /// `rows` has as many rows as the single number in `count` says.
    CountIs { rows: usize, count: usize },
    /// Holds only given facts about this data, which are checked as well; without one of them nothing is claimed.
    Guarded { guards: Vec<Guard>, claim: Box<Relation> },
    /// Both answers are the same, and `base` is not clearly slower than `weak`: the same query, run by an engine
    /// as it is and of one without some of its optimisations. The statements are what turns it into either.
    NotSlower {
        base: usize,
        weak: usize,
        order: Order,
        equality: Equality,
        threshold: Threshold,
        to_base: Vec<String>,
        to_weak: Vec<String>,
        /// The two are not one query: `base` has a clause that `weak` lacks, and their answers are not compared.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        apart: bool,
    },
    /// The engine does not expect clearly more rows of `stricter` than of `weaker`. Nothing is said of the answers.
    NoLargerEstimate { weaker: usize, stricter: usize, ratio: f64 },
    /// Nothing is compared: no statement may crash, hang, exhaust memory or report damage.
    Survives,
}

/// A fact that a claim rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "guard", rename_all = "snake_case")]
pub enum Guard {
    /// The one cell is 0 or NULL.
    Zero {
        #[serde(rename = "ask")]
        query: usize,
    },
    /// No two rows are equal, not even loosely.
    NoDuplicates {
        #[serde(rename = "ask")]
        query: usize,
    },
    RowsAtMost {
        #[serde(rename = "ask")]
        query: usize,
        most: u32,
    },
    /// The answer is this set of rows, bit by bit: later questions were written with it.
    Is {
        #[serde(rename = "ask")]
        query: usize,
        rows: Rows,
    },
    /// These rows are in the answer, bit by bit and as often; `all`: and no others.
    Rows { query: usize, rows: Rows, all: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    Bag,
    Set,
    List,
}

/// Which values count as the same. `Loose` is for answers whose representative the engine may choose (DISTINCT over 1
/// and 1.0, over 'a' and 'A' under NOCASE): numbers by value, text without case and trailing blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Equality {
    Exact,
    Loose,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    Bag,
    Set,
    /// One row each; column `i` of the whole comes from the parts' columns as `folds[i]` says.
    Folds(Vec<Fold>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    Count(usize),
    Sum(usize),
    Min(usize),
    Max(usize),
    Avg {
        sum: usize,
        count: usize,
    },
    /// The least or the greatest by an order that is the engine's own: one of those of the parts.
    OneOf(usize),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// `vacuous`: it held because there was nothing to compare.
    Holds {
        vacuous: bool,
    },
    /// Some answer is an expected error or hit a limit: no claim.
    NotComparable {
        why: String,
    },
    Violated(Difference),
    /// The answers are not at fault, but came too late, took too much work, or too many rows were expected.
    Slower(Slowness),
    /// Crash, hang, memory, or an error that names damage inside the engine.
    Broke {
        kind: FailureKind,
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    Crash,
    Hang,
    OutOfMemory,
    InternalError,
}

/// Rows that stand on one side only, a few of each, and both counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub left_rows: usize,
    pub right_rows: usize,
    pub only_left: Rows,
    pub only_right: Rows,
    pub note: String,
}

/// So much of a guard that does not hold is shown.
const GUARD_CHARS: usize = 200;

impl Verdict {
    pub fn is_bug(&self) -> bool {
        matches!(self, Verdict::Violated(_) | Verdict::Slower(_) | Verdict::Broke { .. })
    }
}

impl Relation {
    /// The claim itself, without the facts it rests on.
    pub fn unguarded(&self) -> &Relation {
        match self {
            Relation::Guarded { claim, .. } => claim.unguarded(),
            other => other,
        }
    }

    /// The same claim about answers that come after so many others.
    pub fn behind(mut self, others: usize) -> Relation {
        match &mut self {
            Relation::Same { left: a, right: b, .. }
            | Relation::Unchanged { left: a, right: b, .. }
            | Relation::Contains { big: a, small: b, .. }
            | Relation::Filtered { whole: a, part: b, .. }
            | Relation::CountIs { rows: a, count: b }
            | Relation::NoLargerEstimate { weaker: a, stricter: b, .. }
            | Relation::NotSlower { base: a, weak: b, .. } => {
                *a += others;
                *b += others;
            }
            Relation::Partition { whole, parts, .. } => {
                *whole += others;
                parts.iter_mut().for_each(|part| *part += others);
            }
            Relation::Guarded { guards, claim } => {
                for guard in guards {
                    let (Guard::Zero { query }
                    | Guard::NoDuplicates { query }
                    | Guard::RowsAtMost { query, .. }
                    | Guard::Is { query, .. }
                    | Guard::Rows { query, .. }) = guard;
                    *query += others;
                }
                let inner = std::mem::replace(&mut **claim, Relation::Survives);
                **claim = inner.behind(others);
            }
            Relation::Survives => {}
        }
        self
    }

    /// The same claim, which holds only given these facts too.
    pub fn guarded(self, mut more: Vec<Guard>) -> Relation {
        match self {
            Relation::Guarded { guards, claim } => {
                more.extend(guards);
                Relation::Guarded { guards: more, claim }
            }
            claim => Relation::Guarded { guards: more, claim: Box::new(claim) },
        }
    }

    /// Whether it is about work, time or estimates, which the case measures once it has the answers.
    pub fn is_measured(&self) -> bool {
        matches!(self, Relation::NotSlower { .. } | Relation::NoLargerEstimate { .. })
    }

    /// How many of the first queries only check facts.
    pub fn facts_first(&self) -> usize {
        let Relation::Guarded { guards, .. } = self else { return 0 };
        let is_fact =
            |i: usize, g: &Guard| matches!(g, Guard::Zero { query } | Guard::Rows { query, .. } if *query == i);
        guards.iter().enumerate().take_while(|(i, g)| is_fact(*i, g)).count()
    }

    /// Whether the first queries, which only check facts, return what the claim needs.
    pub fn facts_hold(&self, answers: &[Outcome]) -> bool {
        let first = self.facts_first();
        match self {
            Relation::Guarded { guards, .. } => guards[..first].iter().all(|g| g.holds(answers)),
            _ => true,
        }
    }

    /// Whether a fact that the claim rests on has been answered and does not hold.
    pub fn lacks_facts(&self, answers: &[Outcome]) -> bool {
        match self {
            Relation::Guarded { guards, .. } => guards.iter().any(|g| g.query() < answers.len() && !g.holds(answers)),
            _ => false,
        }
    }

    pub fn judge(&self, answers: &[Outcome]) -> Verdict {
        if let Some(broke) = answers.iter().find_map(failure) {
            return broke;
        }
        if let Some(why) = answers.iter().find_map(rejection) {
            return match self {
                // An engine that says no has survived.
                Relation::Survives => Verdict::Holds { vacuous: true },
                _ => Verdict::NotComparable { why },
            };
        }
        match self {
            Relation::Survives => Verdict::Holds { vacuous: false },
            Relation::Guarded { guards, claim } => match guards.iter().find(|g| !g.holds(answers)) {
                Some(guard) => {
                    let guard: String = format!("{guard:?}").chars().take(GUARD_CHARS).collect();
                    Verdict::NotComparable { why: format!("precondition not met: {guard}") }
                }
                None => claim.judge(answers),
            },
            Relation::NotSlower { apart: true, .. } | Relation::NoLargerEstimate { .. } => {
                Verdict::Holds { vacuous: false }
            }
            // Times are taken by the case itself, once the answers are the same.
            Relation::NotSlower { base: left, weak: right, order, equality, .. }
            | Relation::Unchanged { left, right, order, equality }
            | Relation::Same { left, right, order, equality } => {
                with_rows(answers, &[*left, *right], |r| same(r[0], r[1], *order, *equality))
            }
            Relation::Contains { big, small, order, equality } => {
                with_rows(answers, &[*big, *small], |r| contains(r[0], r[1], *order, *equality))
            }
            Relation::Partition { whole, parts, combine, equality } => {
                let at: Vec<usize> = std::iter::once(*whole).chain(parts.iter().copied()).collect();
                with_rows(answers, &at, |r| partition(r[0], &r[1..], combine, *equality))
            }
            Relation::Filtered { whole, part, keep } => {
                with_rows(answers, &[*whole, *part], |r| keep::judge(r[0], r[1], keep))
            }
            Relation::CountIs { rows, count } => with_rows(answers, &[*rows, *count], |r| count_is(r[0], r[1])),
        }
    }
}

impl Guard {
    fn query(&self) -> usize {
        match self {
            Guard::Zero { query }
            | Guard::NoDuplicates { query }
            | Guard::RowsAtMost { query, .. }
            | Guard::Is { query, .. }
            | Guard::Rows { query, .. } => *query,
        }
    }

    fn holds(&self, answers: &[Outcome]) -> bool {
        let rows = |query: &usize| match answers.get(*query) {
            Some(Outcome::Rows(rows)) => Some(rows),
            _ => None,
        };
        match self {
            Guard::Zero { query } => rows(query).is_some_and(|r| match r.scalar() {
                Some(Value::Int(0) | Value::Null) => true,
                Some(Value::Real(sum)) => *sum == 0.0,
                _ => false,
            }),
            Guard::RowsAtMost { query, most } => rows(query).is_some_and(|r| r.len() <= *most as usize),
            Guard::NoDuplicates { query } => rows(query).is_some_and(|r| !has_duplicates(r, Equality::Loose)),
            Guard::Is { query, rows: said } => rows(query).is_some_and(|r| identical_sets(r, said)),
            Guard::Rows { query, rows: said, all } => rows(query)
                .is_some_and(|r| (!*all || r.len() == said.len()) && (said.is_empty() || holds_identically(r, said))),
        }
    }
}

/// Crash, hang, memory and internal errors stand above every relation.
pub fn failure(outcome: &Outcome) -> Option<Verdict> {
    let (kind, text) = match outcome {
        Outcome::Crash(how) => (FailureKind::Crash, how.clone()),
        Outcome::Hang(ms) => (FailureKind::Hang, format!("no answer within {ms} ms")),
        Outcome::Rejected(r) if r.class == RejectionClass::OutOfMemory => (FailureKind::OutOfMemory, r.text.clone()),
        Outcome::Rejected(r) if r.class == RejectionClass::Internal => (FailureKind::InternalError, r.text.clone()),
        _ => return None,
    };
    Some(Verdict::Broke { kind, text })
}

fn rejection(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Rejected(r) => Some(r.text.clone()),
        _ => None,
    }
}

fn with_rows(answers: &[Outcome], at: &[usize], judge: impl Fn(&[&Rows]) -> Verdict) -> Verdict {
    let mut rows: [&Rows; 8] = [&EMPTY; 8];
    if at.len() > rows.len() {
        return Verdict::NotComparable { why: "too many parts".into() };
    }
    for (slot, i) in rows.iter_mut().zip(at) {
        match answers.get(*i) {
            Some(Outcome::Rows(r)) => *slot = r,
            _ => return Verdict::NotComparable { why: "a query returned no result set".into() },
        }
    }
    judge(&rows[..at.len()])
}

static EMPTY: Rows = Rows { columns: 0, cells: Vec::new() };

fn same(left: &Rows, right: &Rows, order: Order, equality: Equality) -> Verdict {
    let holds = Verdict::Holds { vacuous: left.is_empty() };
    if equal_in_order(left, right, equality) {
        return holds;
    }
    let mut found = difference(left, right, order, equality);
    if found.only_left.is_empty() && found.only_right.is_empty() {
        if order != Order::List {
            return holds;
        }
        found.note = "the same rows in another order".into();
    }
    Verdict::Violated(found)
}

fn contains(big: &Rows, small: &Rows, order: Order, equality: Equality) -> Verdict {
    if matching::contains(big, small, order, equality) {
        return Verdict::Holds { vacuous: small.is_empty() };
    }
    let found = difference(big, small, order, equality);
    Verdict::Violated(Difference { note: "rows that are missing from the larger result".into(), ..found })
}

fn partition(whole: &Rows, parts: &[&Rows], combine: &Combine, equality: Equality) -> Verdict {
    let order = match combine {
        Combine::Folds(folds) => return fold::judge(whole, parts, folds, equality),
        Combine::Bag => Order::Bag,
        Combine::Set => Order::Set,
    };
    if order == Order::Bag && whole.len() == parts.iter().map(|p| p.len()).sum::<usize>() && whole.is_empty() {
        return Verdict::Holds { vacuous: true };
    }
    if let Some(odd) = parts.iter().find(|p| p.columns != whole.columns && !p.is_empty() && !whole.is_empty()) {
        return Verdict::Violated(difference(whole, odd, order, equality));
    }
    let columns = parts.iter().map(|p| p.columns).find(|c| *c > 0).unwrap_or(whole.columns);
    let mut together = Rows::new(columns);
    together.cells.reserve(parts.iter().map(|p| p.cells.len()).sum());
    for part in parts {
        together.cells.extend_from_slice(&part.cells);
    }
    same(whole, &together, order, equality)
}

fn count_is(rows: &Rows, count: &Rows) -> Verdict {
    let found = match count.scalar() {
        Some(Value::Int(n)) => *n,
        Some(Value::Null) => 0,
        // Some engines sum into a wider or a decimal type; the number is what counts.
        Some(Value::Real(r)) if r.fract() == 0.0 => *r as i64,
        _ => return Verdict::NotComparable { why: "the count is not a number".into() },
    };
    let length = rows.len() as i64;
    if length == found {
        return Verdict::Holds { vacuous: length == 0 };
    }
    Verdict::Violated(Difference {
        left_rows: rows.len(),
        right_rows: usize::try_from(found).unwrap_or(0),
        note: format!("{length} rows were returned, but the predicate is true for {found}"),
        ..Difference::default()
    })
}

#[cfg(test)]
mod tests;
