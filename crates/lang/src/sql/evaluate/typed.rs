//! Dialects whose values have the type that is declared: PostgreSQL, DuckDB, MySQL and the like. Where an engine would
//! refuse (overflow, a cast that fails) or where it depends on a width that is not known here, nothing is said.

use super::functions::MOST_BYTES;
use crate::sql::ast::{Binary, Unary};
use qualm_core::dialect::sql::{Dialect, Kind, Semantics};
use qualm_core::relation::total_order;
use qualm_core::value::Value;
use std::cmp::Ordering;

/// Integers that are computed stay below 2^30, so that no width overflows.
fn is_small(i: i64) -> bool {
    i.unsigned_abs() < 1 << 30
}

fn small(i: i64) -> Option<Value> {
    is_small(i).then_some(Value::Int(i))
}

fn finite(r: f64) -> Option<Value> {
    // The sign of a zero is shown by some and compared by none.
    (r.is_finite() && !(r == 0.0 && r.is_sign_negative())).then_some(Value::Real(r))
}

pub fn unary(op: Unary, x: Value) -> Option<Value> {
    match (op, x) {
        (_, Value::Null) => Some(Value::Null),
        (Unary::Plus, x @ (Value::Int(_) | Value::Real(_))) => Some(x),
        (Unary::Minus, Value::Int(i)) => small(i).and_then(|_| small(-i)),
        (Unary::Minus, Value::Real(r)) => finite(-r),
        // How wide the number is decides what its opposite bits are; unsigned ones differ altogether.
        _ => None,
    }
}

pub fn binary(op: Binary, a: Value, b: Value, semantics: Semantics) -> Option<Value> {
    use Binary::*;
    let Semantics::Typed(rules) = semantics else { return None };
    if matches!(op, JsonArrow | JsonArrowText | Match | ShiftLeft | ShiftRight | Div) {
        return None;
    }
    if a == Value::Null || b == Value::Null {
        return Some(Value::Null);
    }
    match (op, a, b) {
        (Concat, Value::Text(a), Value::Text(b)) => Some(Value::Text(a + &b)),
        (Add, Value::Int(a), Value::Int(b)) => small(a.checked_add(b)?),
        (Sub, Value::Int(a), Value::Int(b)) => small(a.checked_sub(b)?),
        (Mul, Value::Int(a), Value::Int(b)) => small(a.checked_mul(b)?),
        (Mod, Value::Int(a), Value::Int(b)) if b > 0 && rules.remainder_has_sign_of_dividend => small(a % b),
        (BitAnd, Value::Int(a), Value::Int(b)) if a >= 0 && b >= 0 => small(a & b),
        (BitOr, Value::Int(a), Value::Int(b)) if a >= 0 && b >= 0 => small(a | b),
        (Add | Sub | Mul, a, b) => {
            let (a, b) = (as_real(&a)?, as_real(&b)?);
            finite(match op {
                Add => a + b,
                Sub => a - b,
                _ => a * b,
            })
        }
        _ => None,
    }
}

fn as_real(v: &Value) -> Option<f64> {
    match v {
        Value::Int(i) if is_small(*i) => Some(*i as f64),
        Value::Real(r) => Some(*r),
        _ => None,
    }
}

/// Text by its bytes, which is how these dialects are set up; numbers by value.
pub fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Blob(a), Value::Blob(b)) => Some(a.cmp(b)),
        (Value::Real(a), Value::Real(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Real(b)) if is_small(*a) => (*a as f64).partial_cmp(b),
        (Value::Real(a), Value::Int(b)) if is_small(*b) => a.partial_cmp(&(*b as f64)),
        _ => None,
    }
}

pub fn cast(value: Value, type_name: &str, dialect: &Dialect) -> Option<Value> {
    let (to, _) = dialect.spelling.casts.iter().find(|(_, name)| name.eq_ignore_ascii_case(type_name))?;
    match (to, value) {
        (_, Value::Null) => Some(Value::Null),
        (Kind::Int, v @ Value::Int(_)) | (Kind::Text, v @ Value::Text(_)) | (Kind::Real, v @ Value::Real(_)) => Some(v),
        (Kind::Bool, v @ Value::Bool(_)) | (Kind::Blob, v @ Value::Blob(_)) => Some(v),
        (Kind::Real, Value::Int(i)) if is_small(i) => Some(Value::Real(i as f64)),
        (Kind::Text, Value::Int(i)) => Some(Value::Text(i.to_string())),
        _ => None,
    }
}

/// Functions that these dialects have in common, on values that are not NULL.
pub fn call(function: &str, args: &[Value], semantics: Semantics) -> Option<Value> {
    use Value::{Int, Real, Text};
    let Semantics::Typed(rules) = semantics else { return None };
    let count = |n: usize| Some(Int(n as i64));
    let text = |t: String| Some(Text(t));
    match (function, args) {
        ("abs", [Int(i)]) => small(i.checked_abs()?),
        ("abs", [Real(r)]) => finite(r.abs()),
        ("floor", [Real(r)]) => finite(r.floor()),
        ("length", [Text(t)]) if rules.length_counts_bytes => count(t.len()),
        ("length" | "char_length" | "character_length", [Text(t)]) => count(t.chars().count()),
        ("octet_length" | "strlen", [Text(t)]) => count(t.len()),
        ("bit_length", [Text(t)]) => count(t.len() * 8),
        ("lower", [Text(t)]) if t.is_ascii() => text(t.to_ascii_lowercase()),
        ("upper", [Text(t)]) if t.is_ascii() => text(t.to_ascii_uppercase()),
        ("reverse", [Text(t)]) if t.is_ascii() => text(t.chars().rev().collect()),
        // Some cut off every blank of Unicode.
        ("trim" | "btrim" | "ltrim" | "rtrim", [Text(t)]) if t.chars().any(|c| !c.is_ascii() && c.is_whitespace()) => {
            None
        }
        ("trim" | "btrim", [Text(t)]) => text(t.trim_matches(' ').to_owned()),
        ("ltrim", [Text(t)]) => text(t.trim_start_matches(' ').to_owned()),
        ("rtrim", [Text(t)]) => text(t.trim_end_matches(' ').to_owned()),
        ("replace", [Text(t), Text(from), Text(to)]) if !from.is_empty() => text(t.replace(from.as_str(), to)),
        ("left", [Text(t), Int(n)]) if *n >= 0 => text(t.chars().take(*n as usize).collect()),
        ("right", [Text(t), Int(n)]) if *n >= 0 => {
            let skipped = t.chars().count().saturating_sub(*n as usize);
            text(t.chars().skip(skipped).collect())
        }
        ("substr" | "substring", [Text(t), Int(from)]) if *from >= 1 => {
            text(t.chars().skip(*from as usize - 1).collect())
        }
        ("substr" | "substring", [Text(t), Int(from), Int(n)]) if *from >= 1 && *n >= 0 => {
            text(t.chars().skip(*from as usize - 1).take(*n as usize).collect())
        }
        ("repeat", [Text(t), Int(n)]) if (t.len() as i64).saturating_mul(*n) <= MOST_BYTES => {
            text(t.repeat((*n).max(0) as usize))
        }
        ("strpos" | "instr", [Text(t), Text(part)]) if !part.is_empty() && rules.compares_bytes_in_text => {
            count(t.find(part.as_str()).map_or(0, |at| t[..at].chars().count() + 1))
        }
        ("starts_with", [Text(t), Text(part)]) => Some(Value::Bool(t.starts_with(part.as_str()))),
        ("concat", parts) if rules.concat_of_null_is_null => {
            let all: Option<Vec<&str>> =
                parts.iter().map(|p| if let Text(t) = p { Some(t.as_str()) } else { None }).collect();
            text(all?.concat())
        }
        ("greatest" | "least", [a, b]) => {
            let greater = total_order(a, b).is_ge() == (function == "greatest");
            order(a, b)?;
            Some(if greater { a.clone() } else { b.clone() })
        }
        _ => None,
    }
}
