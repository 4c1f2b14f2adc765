//! What must hold between answers, and the one definition of "the same result".
//!
//! A relation names answers by their position among the questions ("asks") of a case. Rows that agree are compared cell
//! by cell without building strings; only a disagreement is turned into text.

mod keep;

pub use keep::{Keep, Place};

use crate::session::{Outcome, RejectionClass};
use crate::slowness::{Slowness, Threshold};
use crate::value::{Rows, Value};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Floats that differ by less than this share of the larger one are the same answer: summation order is the engine's.
pub const FLOAT_TOLERANCE: f64 = 1e-9;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "relation", rename_all = "snake_case")]
pub enum Relation {
    /// Both answers are the same.
    Same { left: usize, right: usize, order: Order, equality: Equality },
    /// Each row of `small` is in `big` (as often, if bags).
    Contains { big: usize, small: usize, order: Order, equality: Equality },
    /// The parts put together are the whole.
    Partition { whole: usize, parts: Vec<usize>, combine: Combine, equality: Equality },
    /// `part` is just those rows of `whole` that all of `keep` take.
    Filtered { whole: usize, part: usize, keep: Vec<Keep> },
    /// `rows` has as many rows as the single number in `count` says.
    CountIs { rows: usize, count: usize },
    /// Holds only given facts about this data, which are asked for as well; without one of them nothing is claimed.
    Guarded { guards: Vec<Guard>, claim: Box<Relation> },
    /// Both answers are the same, and `base` is not clearly slower than `weak`: the same question, asked of an engine
    /// as it is and of one without some of its optimisations. The statements are what turns it into either.
    NotSlower {
        base: usize,
        weak: usize,
        order: Order,
        equality: Equality,
        threshold: Threshold,
        to_base: Vec<String>,
        to_weak: Vec<String>,
    },
    /// Nothing is compared: no statement may crash, hang, exhaust memory or report damage.
    Survives,
}

/// A fact that a claim rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "guard", rename_all = "snake_case")]
pub enum Guard {
    /// The one cell is 0 or NULL.
    Zero {
        ask: usize,
    },
    /// No two rows are equal, not even loosely.
    NoDuplicates {
        ask: usize,
    },
    RowsAtMost {
        ask: usize,
        most: u32,
    },
    /// The answer is this set of rows, bit by bit: later questions were written with it.
    Is {
        ask: usize,
        rows: Rows,
    },
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
    Avg { sum: usize, count: usize },
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
    /// The answers are the same, but came too late.
    Slower(Slowness),
    /// Crash, hang, memory, or an error that names damage inside the engine.
    Broke {
        kind: Trouble,
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
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

const SHOWN_ROWS: usize = 10;
/// So much of a guard that does not hold is told.
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

    /// Whether the facts that the claim rests on hold, as far as they have been answered.
    pub fn rests_on_facts(&self, answers: &[Outcome]) -> bool {
        match self {
            Relation::Guarded { guards, .. } => guards.iter().all(|g| g.holds(answers)),
            _ => true,
        }
    }

    pub fn judge(&self, answers: &[Outcome]) -> Verdict {
        if let Some(broke) = answers.iter().find_map(trouble) {
            return broke;
        }
        let refused = answers.iter().find_map(rejection);
        if *self == Relation::Survives {
            // An engine that says no has survived.
            return Verdict::Holds { vacuous: refused.is_some() };
        }
        if let Some(why) = refused {
            return Verdict::NotComparable { why };
        }
        match self {
            Relation::Survives => unreachable!("judged above"),
            Relation::Guarded { guards, claim } => match guards.iter().find(|g| !g.holds(answers)) {
                Some(guard) => {
                    let guard: String = format!("{guard:?}").chars().take(GUARD_CHARS).collect();
                    Verdict::NotComparable { why: format!("what the claim rests on is not so here: {guard}") }
                }
                None => claim.judge(answers),
            },
            // Times are taken by the case itself, once the answers are the same.
            Relation::NotSlower { base: left, weak: right, order, equality, .. }
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
    fn holds(&self, answers: &[Outcome]) -> bool {
        let rows = |ask: &usize| match answers.get(*ask) {
            Some(Outcome::Rows(rows)) => Some(rows),
            _ => None,
        };
        match self {
            Guard::Zero { ask } => rows(ask).is_some_and(|r| matches!(r.scalar(), Some(Value::Int(0) | Value::Null))),
            Guard::RowsAtMost { ask, most } => rows(ask).is_some_and(|r| r.len() <= *most as usize),
            Guard::NoDuplicates { ask } => rows(ask).is_some_and(|r| {
                let all = sorted(r, Equality::Loose);
                all.windows(2).all(|w| !same_row(w[0], w[1], Equality::Loose))
            }),
            Guard::Is { ask, rows: said } => rows(ask).is_some_and(|r| identical_sets(r, said)),
        }
    }
}

/// Crash, hang, memory and internal errors stand above every relation.
pub fn trouble(outcome: &Outcome) -> Option<Verdict> {
    let (kind, text) = match outcome {
        Outcome::Crash(how) => (Trouble::Crash, how.clone()),
        Outcome::Hang(ms) => (Trouble::Hang, format!("no answer within {ms} ms")),
        Outcome::Rejected(r) if r.class == RejectionClass::OutOfMemory => (Trouble::OutOfMemory, r.text.clone()),
        Outcome::Rejected(r) if r.class == RejectionClass::Internal => (Trouble::InternalError, r.text.clone()),
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
            _ => return Verdict::NotComparable { why: "a question has no rows for an answer".into() },
        }
    }
    judge(&rows[..at.len()])
}

static EMPTY: Rows = Rows { columns: 0, cells: Vec::new() };

fn same(left: &Rows, right: &Rows, order: Order, equality: Equality) -> Verdict {
    let agree = if order == Order::Set {
        left.len() == right.len() && equal_in_order(left, right, equality) || equal_sets(left, right, equality)
    } else {
        left.len() == right.len()
            && (equal_in_order(left, right, equality) || order == Order::Bag && equal_bags(left, right, equality))
    };
    if agree {
        return Verdict::Holds { vacuous: left.is_empty() };
    }
    let mut difference = difference(left, right, order, equality);
    if order == Order::List && difference.only_left.is_empty() && difference.only_right.is_empty() {
        difference.note = "the same rows in another order".into();
    }
    Verdict::Violated(difference)
}

fn contains(big: &Rows, small: &Rows, order: Order, equality: Equality) -> Verdict {
    let found = difference(big, small, order, equality);
    if found.only_right.is_empty() {
        return Verdict::Holds { vacuous: small.is_empty() };
    }
    Verdict::Violated(Difference { note: "rows that the larger answer lacks".into(), ..found })
}

fn partition(whole: &Rows, parts: &[&Rows], combine: &Combine, equality: Equality) -> Verdict {
    let order = match combine {
        Combine::Folds(folds) => return fold_parts(whole, parts, folds, equality),
        Combine::Bag => Order::Bag,
        Combine::Set => Order::Set,
    };
    if order == Order::Bag && whole.len() == parts.iter().map(|p| p.len()).sum::<usize>() && whole.is_empty() {
        return Verdict::Holds { vacuous: true };
    }
    let columns = parts.iter().map(|p| p.columns).find(|c| *c > 0).unwrap_or(whole.columns);
    let mut together = Rows::new(columns);
    together.cells.reserve(parts.iter().map(|p| p.cells.len()).sum());
    for part in parts {
        together.cells.extend_from_slice(&part.cells);
    }
    same(whole, &together, order, equality)
}

fn fold_parts(whole: &Rows, parts: &[&Rows], folds: &[Fold], equality: Equality) -> Verdict {
    if whole.len() != 1 || parts.iter().any(|p| p.len() != 1) || whole.columns != folds.len() {
        return Verdict::NotComparable { why: "an aggregate without exactly one row".into() };
    }
    let mut expected = Rows::new(folds.len());
    for (fold, said) in folds.iter().zip(whole.row(0)) {
        let Some(value) = fold_column(parts, *fold) else {
            return Verdict::NotComparable { why: "an aggregate over something that is no number".into() };
        };
        expected.cells.push(if agrees_as_decimal(said, &value, *fold) { said.clone() } else { value });
    }
    let vacuous = folds
        .iter()
        .zip(whole.row(0))
        .all(|(f, v)| matches!(v, Value::Null) || matches!(f, Fold::Count(_)) && *v == Value::Int(0));
    match same(whole, &expected, Order::Bag, equality) {
        Verdict::Holds { .. } => Verdict::Holds { vacuous },
        other => other,
    }
}

/// An exact number that an engine rounded to its own scale, against what we computed as a float.
fn agrees_as_decimal(said: &Value, computed: &Value, fold: Fold) -> bool {
    /// Four digits are what the coarsest engine keeps of a quotient.
    const ROUNDING: f64 = 1e-4;
    let exact = matches!(said, Value::Decimal(_)) || matches!((said, fold), (Value::Int(_), Fold::Avg { .. }));
    let close = |(x, y): (f64, f64)| (x - y).abs() <= ROUNDING * x.abs().max(1.0);
    exact
        && matches!(computed, Value::Real(_) | Value::Int(_))
        && as_real(said).zip(as_real(computed)).is_some_and(close)
}

fn fold_column(parts: &[&Rows], fold: Fold) -> Option<Value> {
    let column = |i: usize| parts.iter().map(move |p| &p.cells[i]).filter(|v| **v != Value::Null);
    Some(match fold {
        Fold::Count(i) => add(column(i))?.unwrap_or(Value::Int(0)),
        Fold::Sum(i) => add(column(i))?.unwrap_or(Value::Null),
        Fold::Min(i) => column(i).min_by(|a, b| total_order(a, b)).cloned().unwrap_or(Value::Null),
        Fold::Max(i) => column(i).max_by(|a, b| total_order(a, b)).cloned().unwrap_or(Value::Null),
        Fold::Avg { sum, count } => match (add(column(sum))?, add(column(count))?) {
            (Some(s), Some(Value::Int(n))) if n > 0 => Value::Real(as_real(&s)? / n as f64),
            _ => Value::Null,
        },
    })
}

/// The sum of numbers: an integer while all are, `None` inside when there is nothing to add.
fn add<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Option<Value>> {
    let mut total: Option<Value> = None;
    for v in values {
        total = Some(match (total, v) {
            (None, Value::Int(_) | Value::Real(_) | Value::Decimal(_)) => v.clone(),
            (Some(Value::Int(a)), Value::Int(b)) => Value::Int(a.checked_add(*b)?),
            (Some(a), b) => Value::Real(as_real(&a)? + as_real(b)?),
            _ => return None,
        });
    }
    Some(total)
}

fn as_real(v: &Value) -> Option<f64> {
    match v {
        Value::Int(i) => Some(*i as f64),
        Value::Real(r) => Some(*r),
        Value::Decimal(d) => d.parse().ok(),
        _ => None,
    }
}

fn count_is(rows: &Rows, count: &Rows) -> Verdict {
    let found = match count.scalar() {
        Some(Value::Int(n)) => *n,
        Some(Value::Null) => 0,
        // Some engines sum into a wider or a decimal type; the number is what counts.
        Some(Value::Real(r)) if r.fract() == 0.0 => *r as i64,
        _ => return Verdict::NotComparable { why: "the count is no number".into() },
    };
    let length = rows.len() as i64;
    if length == found {
        return Verdict::Holds { vacuous: length == 0 };
    }
    Verdict::Violated(Difference {
        left_rows: rows.len(),
        right_rows: usize::try_from(found).unwrap_or(0),
        note: format!("{length} rows came, but the predicate is true for {found}"),
        ..Difference::default()
    })
}

fn equal_in_order(left: &Rows, right: &Rows, equality: Equality) -> bool {
    left.cells.len() == right.cells.len()
        && left.cells.iter().zip(&right.cells).all(|(a, b)| same_value(a, b, equality))
}

fn equal_bags(left: &Rows, right: &Rows, equality: Equality) -> bool {
    let (l, r) = (sorted(left, equality), sorted(right, equality));
    l.len() == r.len() && l.iter().zip(&r).all(|(a, b)| same_row(a, b, equality))
}

fn equal_sets(left: &Rows, right: &Rows, equality: Equality) -> bool {
    let (mut l, mut r) = (sorted(left, equality), sorted(right, equality));
    l.dedup_by(|a, b| same_row(a, b, equality));
    r.dedup_by(|a, b| same_row(a, b, equality));
    l.len() == r.len() && l.iter().zip(&r).all(|(a, b)| same_row(a, b, equality))
}

/// Not even a float may differ by its last bit.
fn identical_sets(left: &Rows, right: &Rows) -> bool {
    let identical = |a: &&[Value], b: &&[Value]| row_order(a, b, Equality::Exact) == Ordering::Equal;
    let distinct = |rows| {
        let mut all = sorted(rows, Equality::Exact);
        all.dedup_by(|a, b| identical(a, b));
        all
    };
    let (l, r) = (distinct(left), distinct(right));
    l.len() == r.len() && l.iter().zip(&r).all(|(a, b)| identical(a, b))
}

fn sorted(rows: &Rows, equality: Equality) -> Vec<&[Value]> {
    let mut all: Vec<&[Value]> = rows.iter().collect();
    all.sort_by(|a, b| row_order(a, b, equality));
    all
}

fn difference(left: &Rows, right: &Rows, order: Order, equality: Equality) -> Difference {
    let (mut l, mut r) = (sorted(left, equality), sorted(right, equality));
    if order == Order::Set {
        l.dedup_by(|a, b| same_row(a, b, equality));
        r.dedup_by(|a, b| same_row(a, b, equality));
    }
    let mut found = Difference {
        left_rows: left.len(),
        right_rows: right.len(),
        only_left: Rows::new(left.columns),
        only_right: Rows::new(right.columns),
        note: String::new(),
    };
    if left.columns != right.columns && !left.is_empty() && !right.is_empty() {
        found.note = "the answers differ in width".into();
    }
    let (mut i, mut j) = (0, 0);
    while i < l.len() || j < r.len() {
        let side = match (l.get(i), r.get(j)) {
            (Some(a), Some(b)) if same_row(a, b, equality) => Ordering::Equal,
            (Some(a), Some(b)) => row_order(a, b, equality),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        if side == Ordering::Less && found.only_left.len() < SHOWN_ROWS {
            found.only_left.cells.extend_from_slice(l[i]);
        }
        if side == Ordering::Greater && found.only_right.len() < SHOWN_ROWS {
            found.only_right.cells.extend_from_slice(r[j]);
        }
        i += usize::from(side != Ordering::Greater);
        j += usize::from(side != Ordering::Less);
    }
    found
}

fn same_row(a: &[Value], b: &[Value], equality: Equality) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same_value(x, y, equality))
}

/// The definition of "the same value".
pub fn same_value(a: &Value, b: &Value, equality: Equality) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Real(x), Value::Real(y)) => same_real(*x, *y, equality),
        (Value::Int(x), Value::Real(y)) | (Value::Real(y), Value::Int(x)) => {
            equality == Equality::Loose && int_to_real_order(*x, *y) == Ordering::Equal
        }
        (Value::Decimal(x), Value::Decimal(y)) => x == y,
        (Value::Decimal(_), Value::Real(_)) | (Value::Real(_), Value::Decimal(_)) => {
            equality == Equality::Loose && as_real(a).zip(as_real(b)).is_some_and(|(x, y)| same_real(x, y, equality))
        }
        (Value::Text(x), Value::Text(y)) => x == y || equality == Equality::Loose && loose_text(x, y),
        (Value::Blob(x), Value::Blob(y)) => x == y,
        (Value::List(x), Value::List(y)) => same_row(x, y, equality),
        (Value::Map(x), Value::Map(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(a, b)| a.0 == b.0 && same_value(&a.1, &b.1, equality))
        }
        _ => false,
    }
}

fn same_real(x: f64, y: f64, equality: Equality) -> bool {
    if x == y {
        return equality == Equality::Loose || x != 0.0 || x.is_sign_negative() == y.is_sign_negative();
    }
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    x.is_finite() && y.is_finite() && (x - y).abs() <= FLOAT_TOLERANCE * x.abs().max(y.abs())
}

fn loose_text(x: &str, y: &str) -> bool {
    x.trim_end_matches(' ').eq_ignore_ascii_case(y.trim_end_matches(' '))
}

fn row_order(a: &[Value], b: &[Value], equality: Equality) -> Ordering {
    let cells = a.iter().zip(b).map(|(x, y)| match equality {
        Equality::Exact => total_order(x, y),
        Equality::Loose => loose_order(x, y),
    });
    cells.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
}

/// NULL, then truth values, then numbers by value, then text, blobs, lists and maps: a total order over all values.
pub fn total_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::Real(x), Value::Real(y)) => x.total_cmp(y),
        (Value::Int(x), Value::Real(y)) => int_to_real_order(*x, *y).then(Ordering::Less),
        (Value::Real(x), Value::Int(y)) => int_to_real_order(*y, *x).reverse().then(Ordering::Greater),
        (Value::Text(x), Value::Text(y)) => x.cmp(y),
        (Value::Blob(x), Value::Blob(y)) => x.cmp(y),
        (Value::Decimal(x), Value::Decimal(y)) => decimal_order(a, b).then_with(|| x.cmp(y)),
        (Value::Decimal(_), Value::Int(_) | Value::Real(_)) => decimal_order(a, b).then(Ordering::Greater),
        (Value::Int(_) | Value::Real(_), Value::Decimal(_)) => decimal_order(a, b).then(Ordering::Less),
        (Value::List(x), Value::List(y)) => row_order(x, y, Equality::Exact),
        (Value::Map(x), Value::Map(y)) => map_order(x, y, total_order),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// By value as floats: near enough to sort by.
fn decimal_order(a: &Value, b: &Value) -> Ordering {
    let value = |v: &Value| as_real(v).unwrap_or(f64::NAN);
    value(a).total_cmp(&value(b))
}

fn loose_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Text(x), Value::Text(y)) => {
            let fold = |t: &str| t.trim_end_matches(' ').to_ascii_lowercase();
            if x == y { Ordering::Equal } else { fold(x).cmp(&fold(y)) }
        }
        (Value::Real(x), Value::Real(y)) if x == y => Ordering::Equal,
        (Value::Int(x), Value::Real(y)) => int_to_real_order(*x, *y),
        (Value::Real(x), Value::Int(y)) => int_to_real_order(*y, *x).reverse(),
        (Value::List(x), Value::List(y)) => row_order(x, y, Equality::Loose),
        (Value::Map(x), Value::Map(y)) => map_order(x, y, loose_order),
        _ => total_order(a, b),
    }
}

type Entries = [(String, Value)];

fn map_order(a: &Entries, b: &Entries, order: fn(&Value, &Value) -> Ordering) -> Ordering {
    let entries = a.iter().zip(b).map(|(x, y)| x.0.cmp(&y.0).then_with(|| order(&x.1, &y.1)));
    entries.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
}

/// By value, exactly: 2^53 + 1 is not the float next to it. NaN is the greatest.
fn int_to_real_order(i: i64, r: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    // NaN stands where `f64::total_cmp` puts it.
    if r >= BEYOND || r.is_nan() && r.is_sign_positive() {
        return Ordering::Less;
    }
    if r < -BEYOND || r.is_nan() {
        return Ordering::Greater;
    }
    let whole = r.floor();
    i.cmp(&(whole as i64)).then(if r > whole { Ordering::Less } else { Ordering::Equal })
}

fn rank(v: &Value) -> u8 {
    match v {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Real(_) | Value::Decimal(_) => 2,
        Value::Text(_) => 3,
        Value::Blob(_) => 4,
        Value::List(_) => 5,
        Value::Map(_) => 6,
    }
}

#[cfg(test)]
mod tests;
