//! When two values are the same answer, and an order of values that agrees with it. No tolerance is anywhere else.

use super::Equality;
use crate::value::Value;
use std::cmp::Ordering;

/// Floats that differ by less than this share of the larger one are the same answer: summation order is the engine's.
pub const FLOAT_TOLERANCE: f64 = 1e-9;

/// The definition of "the same value". With floats it is not transitive, so rows are matched (`matching.rs`) and not
/// only sorted.
pub fn same_value(a: &Value, b: &Value, equality: Equality) -> bool {
    let loose = equality == Equality::Loose;
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Real(x), Value::Real(y)) => same_real(*x, *y, equality),
        (Value::Int(x), Value::Real(y)) | (Value::Real(y), Value::Int(x)) => {
            loose && int_to_real_order(*x, *y) == Ordering::Equal
        }
        (Value::Decimal(x), Value::Decimal(y)) => x == y,
        (Value::Decimal(_), Value::Real(_)) | (Value::Real(_), Value::Decimal(_)) => {
            loose && as_real(a).zip(as_real(b)).is_some_and(|(x, y)| same_real(x, y, equality))
        }
        (Value::Text(x), Value::Text(y)) => x == y || loose && loose_text_order(x, y) == Ordering::Equal,
        (Value::Blob(x), Value::Blob(y)) => x == y,
        (Value::List(x), Value::List(y)) => same_row(x, y, equality),
        (Value::Map(x), Value::Map(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(a, b)| a.0 == b.0 && same_value(&a.1, &b.1, equality))
        }
        _ => false,
    }
}

pub fn same_row(a: &[Value], b: &[Value], equality: Equality) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same_value(x, y, equality))
}

/// There is one NaN; zeros have a sign unless it does not matter.
pub fn same_real(x: f64, y: f64, equality: Equality) -> bool {
    if x == y {
        return equality == Equality::Loose || x != 0.0 || x.is_sign_negative() == y.is_sign_negative();
    }
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    within(x, y, FLOAT_TOLERANCE)
}

/// Both finite, and no further from each other than this share of the larger one.
pub fn within(x: f64, y: f64, share: f64) -> bool {
    x.is_finite() && y.is_finite() && (x - y).abs() <= share * x.abs().max(y.abs())
}

pub fn as_real(v: &Value) -> Option<f64> {
    match v {
        Value::Int(i) => Some(*i as f64),
        Value::Real(r) => Some(*r),
        Value::Decimal(d) => d.parse().ok(),
        _ => None,
    }
}

/// Text as a case-insensitive collation that ignores blanks at the end sees it.
pub fn loose_text(text: &str) -> impl Iterator<Item = u8> {
    text.trim_end_matches(' ').bytes().map(|b| b.to_ascii_lowercase())
}

fn loose_text_order(x: &str, y: &str) -> Ordering {
    loose_text(x).cmp(loose_text(y))
}

// ---------------------------------------------------------------- order

/// A total order in which rows that are equal under `equality` without any tolerance stand side by side.
pub fn row_order(a: &[Value], b: &[Value], equality: Equality) -> Ordering {
    let order = match equality {
        Equality::Exact => total_order,
        Equality::Loose => loose_order,
    };
    list_order(a, b, order)
}

type Compare = fn(&Value, &Value) -> Ordering;

fn list_order(a: &[Value], b: &[Value], order: Compare) -> Ordering {
    let unequal = a.iter().zip(b).map(|(x, y)| order(x, y)).find(|o| o.is_ne());
    unequal.unwrap_or(Ordering::Equal).then(a.len().cmp(&b.len()))
}

fn map_order(a: &[(String, Value)], b: &[(String, Value)], order: Compare) -> Ordering {
    let unequal = a.iter().zip(b).map(|(x, y)| x.0.cmp(&y.0).then_with(|| order(&x.1, &y.1))).find(|o| o.is_ne());
    unequal.unwrap_or(Ordering::Equal).then(a.len().cmp(&b.len()))
}

/// NULL, then truth values, then numbers by value, then text, blobs, lists and maps: a total order over all values, in
/// which only identical ones are equal; there is one NaN, the greatest number.
pub fn total_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::Real(x), Value::Real(y)) => real_order(*x, *y),
        (Value::Int(x), Value::Real(y)) => int_to_real_order(*x, *y).then(Ordering::Less),
        (Value::Real(x), Value::Int(y)) => int_to_real_order(*y, *x).reverse().then(Ordering::Greater),
        (Value::Text(x), Value::Text(y)) => x.cmp(y),
        (Value::Blob(x), Value::Blob(y)) => x.cmp(y),
        (Value::Decimal(x), Value::Decimal(y)) => decimal_order(a, b).then_with(|| x.cmp(y)),
        (Value::Decimal(_), Value::Int(_) | Value::Real(_)) => decimal_order(a, b).then(Ordering::Greater),
        (Value::Int(_) | Value::Real(_), Value::Decimal(_)) => decimal_order(a, b).then(Ordering::Less),
        (Value::List(x), Value::List(y)) => list_order(x, y, total_order),
        (Value::Map(x), Value::Map(y)) => map_order(x, y, total_order),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// The same order, but text without its case, and numbers by value only.
pub fn loose_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Text(x), Value::Text(y)) => loose_text_order(x, y),
        (Value::Real(x), Value::Real(y)) if x == y => Ordering::Equal,
        (Value::Int(x), Value::Real(y)) => int_to_real_order(*x, *y),
        (Value::Real(x), Value::Int(y)) => int_to_real_order(*y, *x).reverse(),
        (Value::List(x), Value::List(y)) => list_order(x, y, loose_order),
        (Value::Map(x), Value::Map(y)) => map_order(x, y, loose_order),
        _ => total_order(a, b),
    }
}

/// As `total_order`, but floats bit by bit: NaNs of different signs are two.
pub fn bit_order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Real(x), Value::Real(y)) => x.total_cmp(y),
        (Value::List(x), Value::List(y)) => list_order(x, y, bit_order),
        (Value::Map(x), Value::Map(y)) => map_order(x, y, bit_order),
        // A NaN with a sign stands before all other floats here, so it must before all integers.
        (Value::Real(r), Value::Int(_) | Value::Decimal(_)) if r.is_nan() && r.is_sign_negative() => Ordering::Less,
        (Value::Int(_) | Value::Decimal(_), Value::Real(r)) if r.is_nan() && r.is_sign_negative() => Ordering::Greater,
        _ => total_order(a, b),
    }
}

pub fn bit_row_order(a: &[Value], b: &[Value]) -> Ordering {
    list_order(a, b, bit_order)
}

pub fn real_order(x: f64, y: f64) -> Ordering {
    match (x.is_nan(), y.is_nan()) {
        (false, false) => x.total_cmp(&y),
        (x, y) => x.cmp(&y),
    }
}

/// By value as floats, which is near enough to sort by.
fn decimal_order(a: &Value, b: &Value) -> Ordering {
    let value = |v: &Value| as_real(v).unwrap_or(f64::NAN);
    let (x, y) = (value(a), value(b));
    // A decimal has no signed zero.
    if x == y { Ordering::Equal } else { real_order(x, y) }
}

/// By value, exactly: 2^53 + 1 is not the float next to it. NaN is the greatest.
pub fn int_to_real_order(i: i64, r: f64) -> Ordering {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if r >= BEYOND || r.is_nan() {
        return Ordering::Less;
    }
    if r < -BEYOND {
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
