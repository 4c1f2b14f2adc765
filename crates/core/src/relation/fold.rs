//! Aggregates of parts folded into the aggregate of the whole. What the engine gives exactly (integers, decimals) is
//! added and compared exactly; a float within tolerance; an average may be rounded to the digits that engines keep.

use super::equal::{FLOAT_TOLERANCE, same_real, same_value, total_order};
use super::exact::Exact;
use super::{Difference, Equality, Fold, Verdict};
use crate::value::{Rows, Value};
use std::cmp::Ordering;

/// The coarsest engine keeps four digits of a quotient behind the point, …
const QUOTIENT_DIGITS: usize = 4;
/// … and engines that keep a number of digits in all keep at least so many, and always those before the point.
const SIGNIFICANT_DIGITS: usize = 16;

pub fn judge(whole: &Rows, parts: &[&Rows], folds: &[Fold], equality: Equality) -> Verdict {
    if whole.len() != 1 || parts.iter().any(|p| p.len() != 1) || whole.columns != folds.len() {
        return Verdict::NotComparable { why: "an aggregate that did not return exactly one row".into() };
    }
    let mut expected = Rows::new(folds.len());
    let mut all_agree = true;
    for (fold, said) in folds.iter().zip(whole.row(0)) {
        let Some(folded) = Folded::of(parts, *fold) else {
            return Verdict::NotComparable { why: "an aggregate that cannot be computed from its parts".into() };
        };
        let agrees = folded.agrees(said, equality);
        all_agree &= agrees;
        expected.cells.push(if agrees { said.clone() } else { folded.shown() });
    }
    if all_agree {
        let nothing = |f: &Fold, v: &Value| *v == Value::Null || matches!(f, Fold::Count(_)) && *v == Value::Int(0);
        return Verdict::Holds { vacuous: folds.iter().zip(whole.row(0)).all(|(f, v)| nothing(f, v)) };
    }
    let note = "the right side is made from the parts".into();
    Verdict::Violated(Difference { left_rows: 1, right_rows: 1, only_left: whole.clone(), only_right: expected, note })
}

/// What the parts make of one column.
enum Folded {
    /// One of the parts' own values, or none.
    Value(Value),
    /// Any of the parts' values, of which there is at least one.
    OneOf(Vec<Value>),
    Sum(Sum),
    /// The sum of so many numbers, to be divided by their count.
    Mean(Sum, u64),
}

enum Sum {
    Exact(Exact),
    /// Of numbers that are no larger than `size`: what is lost in adding them is a share of that.
    Float {
        value: f64,
        size: f64,
    },
}

impl Folded {
    /// Nothing where the parts do not determine the whole.
    fn of(parts: &[&Rows], fold: Fold) -> Option<Folded> {
        let column = |i: usize| parts.iter().filter_map(move |p| p.cells.get(i)).filter(|v| **v != Value::Null);
        let none = || Folded::Value(Value::Null);
        Some(match fold {
            Fold::Count(i) => sum(column(i))?.map_or(Folded::Value(Value::Int(0)), Folded::Sum),
            Fold::Sum(i) => sum(column(i))?.map_or_else(none, Folded::Sum),
            Fold::Min(i) => column(i).min_by(|a, b| by_value(a, b)).cloned().map_or_else(none, Folded::Value),
            Fold::Max(i) => column(i).max_by(|a, b| by_value(a, b)).cloned().map_or_else(none, Folded::Value),
            Fold::OneOf(i) => match column(i).cloned().collect::<Vec<_>>() {
                all if all.is_empty() => none(),
                all => Folded::OneOf(all),
            },
            Fold::Avg { sum: of, count } => match (sum(column(of))?, sum(column(count))?) {
                (Some(total), Some(Sum::Exact(n))) => match n.to_value() {
                    Value::Int(n) if n > 0 => Folded::Mean(total, n.unsigned_abs()),
                    _ => none(),
                },
                (Some(_), Some(Sum::Float { .. })) => return None,
                _ => none(),
            },
        })
    }

    fn agrees(&self, said: &Value, equality: Equality) -> bool {
        match (self, said) {
            // Which zero comes out depends on the order of rows, which is the engine's.
            (Folded::Value(Value::Real(x)), Value::Real(y)) if *x == 0.0 && *y == 0.0 => true,
            (Folded::Value(value), _) => same_value(value, said, equality),
            (Folded::OneOf(all), _) => all.iter().any(|v| same_value(v, said, equality)),
            (Folded::Sum(Sum::Exact(sum)), Value::Real(r)) => {
                equality == Equality::Loose && near(*r, sum.to_real(), 0.0)
            }
            (Folded::Sum(Sum::Exact(sum)), _) => Exact::of(said).is_some_and(|s| s == *sum),
            // The engine may show a whole number as one, or every sum as a decimal.
            (Folded::Sum(Sum::Float { value, size }), _) => number(said).is_some_and(|s| near(s, *value, *size)),
            (Folded::Mean(sum, count), Value::Real(r)) => {
                let (value, size) = sum.as_float();
                near(*r, value / *count as f64, size / *count as f64)
            }
            (Folded::Mean(sum, count), _) => Exact::of(said).is_some_and(|s| is_rounded_mean(&s, sum, *count)),
        }
    }

    fn shown(&self) -> Value {
        match self {
            Folded::Value(value) => value.clone(),
            Folded::OneOf(all) => all.first().cloned().unwrap_or(Value::Null),
            Folded::Sum(Sum::Exact(sum)) => sum.to_value(),
            Folded::Sum(Sum::Float { value, .. }) => Value::Real(*value),
            Folded::Mean(sum, count) => Value::Real(sum.as_float().0 / *count as f64),
        }
    }
}

impl Sum {
    fn as_float(&self) -> (f64, f64) {
        match self {
            Sum::Exact(sum) => (sum.to_real(), 0.0),
            Sum::Float { value, size } => (*value, *size),
        }
    }
}

/// The sum of numbers, exact if all are; `None` inside when there is nothing to add. Nothing at all where something is
/// no number, or where floats overflow: then the order in which an engine adds decides.
fn sum<'a>(values: impl Iterator<Item = &'a Value>) -> Option<Option<Sum>> {
    let mut exact: Option<Exact> = None;
    let mut floats: Option<(f64, f64)> = None;
    for v in values {
        if let Value::Real(r) = v {
            let (value, size) = floats.unwrap_or((0.0, 0.0));
            let next = value + r;
            let lost = !next.is_finite() && value.is_finite() && r.is_finite()
                || next.is_nan() && !r.is_nan() && !value.is_nan();
            if lost {
                return None;
            }
            floats = Some((next, size.max(r.abs())));
        } else {
            let number = Exact::of(v)?;
            exact = Some(exact.map_or_else(|| number.clone(), |sum| sum.plus(&number)));
        }
    }
    Some(match (exact, floats) {
        (exact, None) => exact.map(Sum::Exact),
        (exact, Some((value, size))) => {
            let more = exact.map_or(0.0, |e| e.to_real());
            Some(Sum::Float { value: value + more, size: size.max(more.abs()) })
        }
    })
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Real(r) => Some(*r),
        exact => Exact::of(exact).map(|e| e.to_real()),
    }
}

/// The same float within tolerance, which is a share of the larger of both and of what was added.
fn near(x: f64, y: f64, size: f64) -> bool {
    let finite = x.is_finite() && y.is_finite() && size.is_finite();
    same_real(x, y, Equality::Loose) || finite && (x - y).abs() <= FLOAT_TOLERANCE * size
}

/// Whether an exact number is the quotient up to rounding. How many digits the engine kept is not known, for zeros at
/// the end are not shown, but it is at least those that are there.
fn is_rounded_mean(said: &Exact, sum: &Sum, count: u64) -> bool {
    let (whole, fraction) = said.places();
    let kept = if whole > SIGNIFICANT_DIGITS { 0 } else { fraction.max(QUOTIENT_DIGITS) };
    let place = -i32::try_from(kept).unwrap_or(i32::MAX);
    match sum {
        Sum::Exact(sum) => said.times(count).minus(sum).abs() <= Exact::power_of_ten(place).times(count),
        Sum::Float { value, size } => {
            let mean = value / count as f64;
            let rounding = 10f64.powi(place.max(-(QUOTIENT_DIGITS as i32)));
            let said = said.to_real();
            near(said, mean, size / count as f64) || (said - mean).abs() <= rounding
        }
    }
}

/// Smaller and greater among what an aggregate gives.
fn by_value(a: &Value, b: &Value) -> Ordering {
    match (Exact::of(a), Exact::of(b)) {
        (Some(x), Some(y)) => x.cmp(&y),
        _ => total_order(a, b),
    }
}
