//! SQLite's values: storage classes, affinities, conversions between text and numbers, arithmetic and casts, as in its
//! manual ("Datatypes In SQLite", "SQL Language Expressions"). What its releases do differently is refused: floats as
//! text beyond fifteen digits, numbers as text that are not read exactly, the sign of a zero.

use crate::sql::ast::{Binary, Unary};
use qualm_core::dialect::sql::Affinity;
use qualm_core::relation::total_order;
use qualm_core::value::Value;
use std::cmp::Ordering;

/// The affinity of a declared type, by its name.
pub fn affinity_of(type_name: &str) -> Affinity {
    let name = type_name.to_ascii_uppercase();
    let has = |part: &str| name.contains(part);
    match () {
        () if has("INT") => Affinity::Integer,
        () if has("CHAR") || has("CLOB") || has("TEXT") => Affinity::Text,
        () if has("BLOB") || name.is_empty() => Affinity::Blob,
        () if has("REAL") || has("FLOA") || has("DOUB") => Affinity::Real,
        () => Affinity::Numeric,
    }
}

fn is_numeric(affinity: Affinity) -> bool {
    matches!(affinity, Affinity::Numeric | Affinity::Integer | Affinity::Real)
}

// ---------------------------------------------------------------- text and numbers

/// How the beginning of a text reads as a number.
struct Numeral {
    /// The text is a number from its first to its last character, but for blanks around it.
    whole: bool,
    /// It has a point or an exponent.
    real: bool,
    /// The digits before either.
    integer: Option<i64>,
    value: f64,
}

/// Nothing where a reader might be inexact or releases disagree.
fn numeral(text: &str) -> Option<Numeral> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c');
    let body = text.trim_start_matches(blank);
    let bytes = body.as_bytes();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let (first, integers) = (at, digits(at));
    at = integers;
    let mut real = false;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        fraction = end - at - 1;
        if integers > first || fraction > 0 {
            real = true;
            at = end;
        }
    }
    let significant = integers - first + fraction;
    if significant == 0 {
        let whole = false;
        return Some(Numeral { whole, real: false, integer: Some(0), value: 0.0 });
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let signed = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(signed);
        // An exponent that is not finished was read in different ways.
        if end == signed {
            return None;
        }
        real = true;
        at = end;
    }
    let rest = &body[at..];
    let whole = rest.chars().all(blank);
    // What lies between a number and something else decides whether it is one, as in '1 x'.
    let number = &body[..at];
    let value: f64 = number.strip_prefix('+').unwrap_or(number).parse().ok()?;
    let exponent = if value == 0.0 { 0.0 } else { value.abs().log10() };
    if significant > 15 && real || !(-20.0..22.0).contains(&exponent) || value == 0.0 && number.starts_with('-') {
        return None;
    }
    let integer = if integers > first {
        let written = &body[..integers];
        written.strip_prefix('+').unwrap_or(written).parse().ok()
    } else {
        Some(0)
    };
    Some(Numeral { whole, real, integer, value })
}

/// A number as text; nothing where releases write it differently.
pub fn number_text(value: &Value) -> Option<String> {
    match value {
        Value::Int(i) => Some(i.to_string()),
        Value::Real(r) => {
            let size = r.abs();
            if *r == 0.0 {
                return r.is_sign_positive().then(|| "0.0".to_owned());
            }
            if !(1e-4..1e15).contains(&size) {
                return None;
            }
            let text = format!("{r:?}");
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            (digits <= 15 && !text.contains('e')).then_some(text)
        }
        _ => None,
    }
}

/// As functions and LIKE read it; blobs are left to those who know better.
pub fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(t) => Some(t.clone()),
        other => number_text(other),
    }
}

/// The bytes of text, number or blob.
pub fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Blob(b) => Some(b.clone()),
        other => plain_text(other).map(String::into_bytes),
    }
}

fn text_of_bytes(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|t| !t.contains('\0'))
}

/// Text or blob as arithmetic reads it, numbers as they are.
pub fn number(value: &Value) -> Option<Value> {
    match value {
        Value::Int(_) | Value::Real(_) => Some(value.clone()),
        _ => {
            let text = text_of_bytes(bytes(value)?)?;
            let read = numeral(&text)?;
            match read.real {
                true => Some(Value::Real(read.value)),
                false => read.integer.map(Value::Int),
            }
        }
    }
}

pub fn real(value: &Value) -> Option<f64> {
    match number(value)? {
        Value::Int(i) => Some(i as f64),
        Value::Real(r) => Some(r),
        _ => None,
    }
}

/// As bit operators and remainders read it: floats are cut off.
pub fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(*i),
        Value::Real(r) => cut(*r),
        _ => {
            let read = numeral(&text_of_bytes(bytes(value)?)?)?;
            // Digits before an exponent were read alone by some.
            if read.real { None } else { read.integer }
        }
    }
}

fn cut(r: f64) -> Option<i64> {
    // Beyond that, releases differ in the last value.
    (r.abs() < 9.2e18).then_some(r as i64)
}

pub fn is_true(value: &Value) -> Option<bool> {
    real(value).map(|r| r != 0.0)
}

// ---------------------------------------------------------------- comparison

/// Both values after the affinities of their expressions were applied to each other.
pub fn converted(a: &Value, b: &Value, left: Affinity, right: Affinity) -> Option<(Value, Value)> {
    let applied = match (left, right) {
        (Affinity::None, other) | (other, Affinity::None) => other,
        _ if is_numeric(left) || is_numeric(right) => Affinity::Numeric,
        _ => Affinity::Blob,
    };
    let convert = |v: &Value, other: &Value| match v {
        Value::Text(t) if is_numeric(applied) => numeric(t),
        Value::Int(_) | Value::Real(_) if applied == Affinity::Text && matches!(other, Value::Text(_)) => {
            number_text(v).map(Value::Text)
        }
        _ => Some(v.clone()),
    };
    Some((convert(a, b)?, convert(b, a)?))
}

/// Text under a numeric affinity: a number if all of it is one.
fn numeric(text: &str) -> Option<Value> {
    let read = numeral(text)?;
    Some(match (read.whole, read.real, read.integer) {
        (false, ..) => Value::Text(text.to_owned()),
        (true, false, Some(i)) => Value::Int(i),
        _ => Value::Real(read.value),
    })
}

/// Numbers by value, then text by its collation, then blobs. No NULL comes here.
pub fn order(a: &Value, b: &Value, collation: Option<&str>) -> Option<Ordering> {
    let rank = |v: &Value| match v {
        Value::Int(_) | Value::Real(_) => Some(0),
        Value::Text(_) => Some(1),
        Value::Blob(_) => Some(2),
        _ => None,
    };
    let (x, y) = (rank(a)?, rank(b)?);
    if x != y {
        return Some(x.cmp(&y));
    }
    Some(match (a, b) {
        (Value::Text(a), Value::Text(b)) => texts(a, b, collation)?,
        (Value::Real(x), Value::Real(y)) => x.partial_cmp(y)?,
        (Value::Int(i), Value::Real(r)) => by_value(*i, *r),
        (Value::Real(r), Value::Int(i)) => by_value(*i, *r).reverse(),
        _ => total_order(a, b),
    })
}

/// The order without the tie-break between an integer and an equal float.
fn by_value(i: i64, r: f64) -> Ordering {
    let exact = i as f64;
    if exact == r && exact as i128 == i128::from(i) {
        return Ordering::Equal;
    }
    total_order(&Value::Int(i), &Value::Real(r))
}

pub fn texts(a: &str, b: &str, collation: Option<&str>) -> Option<Ordering> {
    let folded = |t: &str| t.bytes().map(|b| b.to_ascii_lowercase()).collect::<Vec<u8>>();
    Some(match collation {
        Some("BINARY") | None => a.as_bytes().cmp(b.as_bytes()),
        Some("NOCASE") => folded(a).cmp(&folded(b)),
        Some("RTRIM") => a.trim_end_matches(' ').as_bytes().cmp(b.trim_end_matches(' ').as_bytes()),
        Some(_) => return None,
    })
}

// ---------------------------------------------------------------- operators

pub fn unary(op: Unary, x: Value) -> Option<Value> {
    if x == Value::Null {
        return Some(Value::Null);
    }
    match op {
        Unary::Plus => Some(x),
        Unary::BitNot => integer(&x).map(|i| Value::Int(!i)),
        Unary::Minus => match number(&x)? {
            Value::Int(i) => Some(i.checked_neg().map_or(Value::Real(-(i as f64)), Value::Int)),
            Value::Real(r) if r != 0.0 => Some(Value::Real(-r)),
            _ => None,
        },
        Unary::Not => None,
    }
}

pub fn binary(op: Binary, a: Value, b: Value) -> Option<Value> {
    use Binary::*;
    // JSON is looked into even where one side is NULL; it is left alone.
    if matches!(op, JsonArrow | JsonArrowText | Match) {
        return None;
    }
    if a == Value::Null || b == Value::Null {
        return Some(Value::Null);
    }
    match op {
        Concat => {
            let joined = [bytes(&a)?, bytes(&b)?].concat();
            text_of_bytes(joined).map(Value::Text)
        }
        BitAnd => Some(Value::Int(integer(&a)? & integer(&b)?)),
        BitOr => Some(Value::Int(integer(&a)? | integer(&b)?)),
        ShiftLeft => Some(Value::Int(shifted(integer(&a)?, integer(&b)?))),
        ShiftRight => Some(Value::Int(shifted(integer(&a)?, integer(&b)?.saturating_neg()))),
        Add | Sub | Mul | Div => arithmetic(op, number(&a)?, number(&b)?),
        Mod => remainder(&a, &b),
        _ => None,
    }
}

/// To the left; a negative count goes to the right.
fn shifted(a: i64, count: i64) -> i64 {
    match count {
        0..64 => ((a as u64) << count) as i64,
        64.. => 0,
        -63..0 => a >> -count,
        _ => a >> 63,
    }
}

fn arithmetic(op: Binary, a: Value, b: Value) -> Option<Value> {
    if let (Value::Int(a), Value::Int(b)) = (&a, &b) {
        let exact = match op {
            Binary::Add => a.checked_add(*b),
            Binary::Sub => a.checked_sub(*b),
            Binary::Mul => a.checked_mul(*b),
            _ if *b == 0 => return Some(Value::Null),
            _ => a.checked_div(*b),
        };
        if let Some(exact) = exact {
            return Some(Value::Int(exact));
        }
    }
    let (x, y) = (real(&a)?, real(&b)?);
    let result = match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        _ if y == 0.0 => return Some(Value::Null),
        _ => x / y,
    };
    match result {
        _ if result.is_nan() => Some(Value::Null),
        _ if result == 0.0 && result.is_sign_negative() => None,
        _ => Some(Value::Real(result)),
    }
}

fn remainder(a: &Value, b: &Value) -> Option<Value> {
    let is_real = matches!(number(a)?, Value::Real(_)) || matches!(number(b)?, Value::Real(_));
    let (x, y) = (integer(a)?, integer(b)?);
    let rest = match y {
        0 => return Some(Value::Null),
        // The smallest integer has no opposite.
        -1 => 0,
        _ => x % y,
    };
    Some(if is_real { Value::Real(rest as f64) } else { Value::Int(rest) })
}

pub fn cast(value: Value, type_name: &str) -> Option<Value> {
    if value == Value::Null {
        return Some(Value::Null);
    }
    match affinity_of(type_name) {
        Affinity::Integer => match &value {
            Value::Int(i) => Some(Value::Int(*i)),
            Value::Real(r) => cut(*r).map(Value::Int),
            other => numeral(&text_of_bytes(bytes(other)?)?)?.integer.map(Value::Int),
        },
        Affinity::Real => real(&value).map(Value::Real),
        Affinity::Numeric => match &value {
            Value::Int(_) | Value::Real(_) => Some(value),
            // Whether '1.0' becomes an integer changed over the years.
            other => match numeral(&text_of_bytes(bytes(other)?)?)? {
                Numeral { real: false, integer, .. } => integer.map(Value::Int),
                Numeral { value, .. } if value.fract() != 0.0 => Some(Value::Real(value)),
                _ => None,
            },
        },
        Affinity::Text => text_of_bytes(bytes(&value)?).map(Value::Text),
        Affinity::Blob | Affinity::None => bytes(&value).map(Value::Blob),
    }
}

/// What a column of this affinity holds when a value is stored in it.
pub fn stored(value: Value, affinity: Affinity) -> Option<Value> {
    let whole = |r: f64| r == r.trunc() && r.abs() < 9.2e18;
    match (affinity, value) {
        (Affinity::Text, v @ (Value::Int(_) | Value::Real(_))) => number_text(&v).map(Value::Text),
        (Affinity::Real, Value::Int(i)) => Some(Value::Real(i as f64)),
        (Affinity::Integer | Affinity::Numeric, Value::Real(r)) if whole(r) => Some(Value::Int(r as i64)),
        (Affinity::Integer | Affinity::Numeric | Affinity::Real, Value::Text(t)) => match numeric(&t)? {
            Value::Text(t) => Some(Value::Text(t)),
            number => stored(number, affinity),
        },
        (_, value) => Some(value),
    }
}
