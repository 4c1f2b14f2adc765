//! Values and what functors, comparisons and folds make of them, with the width of the dialect's numbers.

use super::ast::*;
use super::evaluate::{Bindings, Failure};
use qualm_core::dialect::datalog::DatalogDialect;
use std::cmp::Ordering;

/// Longer symbols count as too much work.
const SYMBOL_BYTES_AT_MOST: usize = 200;

/// The fold of these values; nothing for the least or greatest of nothing.
pub fn fold(fold: Fold, values: Vec<Constant>, dialect: &DatalogDialect) -> Result<Option<Constant>, Failure> {
    let operator = match fold {
        Fold::Count => return Ok(Some(Constant::Number(wrap_signed(values.len() as i128, dialect.bits)))),
        Fold::Mean => {
            let all: Vec<f64> = values.iter().filter_map(as_float).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            return Ok((!all.is_empty()).then(|| float(mean, dialect)));
        }
        Fold::Sum => Operator::Add,
        Fold::Min => Operator::Min,
        Fold::Max => Operator::Max,
    };
    let mut values = values.into_iter();
    let Some(mut result) = values.next() else { return Ok(None) };
    for value in values {
        result = operate(operator, &result, &value, dialect)?;
    }
    Ok(Some(result))
}

fn as_float(c: &Constant) -> Option<f64> {
    match c {
        Constant::Number(n) => Some(*n as f64),
        Constant::Unsigned(n) => Some(*n as f64),
        Constant::Float(f) => Some(*f),
        Constant::Symbol(_) => None,
    }
}

/// A comparison; in most dialects floats compare as numbers, although tuples of them are compared bit by bit.
pub fn compare(c: Comparison, a: &Constant, b: &Constant, dialect: &DatalogDialect) -> bool {
    let order = match (a, b) {
        (Constant::Float(a), Constant::Float(b)) if !dialect.floats_by_bits => a.partial_cmp(b),
        (Constant::Float(a), Constant::Number(b)) => a.partial_cmp(&(*b as f64)),
        (Constant::Number(a), Constant::Float(b)) => (*a as f64).partial_cmp(b),
        (a, b) => Some(a.cmp(b)),
    };
    match (c, order) {
        (Comparison::NotEqual, order) => order != Some(Ordering::Equal),
        (_, None) => false,
        (Comparison::Equal, Some(o)) => o.is_eq(),
        (Comparison::Less, Some(o)) => o.is_lt(),
        (Comparison::LessEqual, Some(o)) => o.is_le(),
        (Comparison::Greater, Some(o)) => o.is_gt(),
        (Comparison::GreaterEqual, Some(o)) => o.is_ge(),
    }
}

/// The value of a term without aggregates whose variables all have one.
pub fn evaluate(term: &Term, bindings: &Bindings, dialect: &DatalogDialect) -> Result<Constant, Failure> {
    match term {
        Term::Constant(c) => Ok(c.clone()),
        Term::Var(v) => match bindings.get(*v as usize) {
            Some(Some(value)) => Ok(value.clone()),
            _ => Err(Failure::Refused(format!("variable {v} is not bound"))),
        },
        Term::Negate(t) => match evaluate(t, bindings, dialect)? {
            Constant::Number(n) => signed(-i128::from(n), dialect),
            Constant::Unsigned(n) => Ok(Constant::Unsigned(wrap_unsigned(-i128::from(n), dialect.bits))),
            Constant::Float(f) => Ok(Constant::Float(-f)),
            Constant::Symbol(_) => Err(Failure::Refused("minus a symbol".into())),
        },
        Term::Call(function, t) => call(*function, evaluate(t, bindings, dialect)?, dialect),
        Term::Binary(operator, a, b) => {
            let (a, b) = (evaluate(a, bindings, dialect)?, evaluate(b, bindings, dialect)?);
            operate(*operator, &a, &b, dialect)
        }
        Term::Wildcard | Term::Aggregate(_) => Err(Failure::Refused("no value".into())),
    }
}

fn call(function: Function, value: Constant, dialect: &DatalogDialect) -> Result<Constant, Failure> {
    Ok(match (function, value) {
        (Function::Length, Constant::Symbol(s)) => {
            Constant::Number(if dialect.length_in_bytes { s.len() } else { s.chars().count() } as i64)
        }
        (Function::Lower, Constant::Symbol(s)) => Constant::Symbol(s.to_lowercase().into()),
        (Function::Upper, Constant::Symbol(s)) => Constant::Symbol(s.to_uppercase().into()),
        (Function::Absolute, Constant::Number(n)) => signed(i128::from(n).abs(), dialect)?,
        (Function::Absolute, Constant::Float(f)) => Constant::Float(f.abs()),
        (Function::BitNot, Constant::Number(n)) => signed(!i128::from(n), dialect)?,
        (Function::BitNot, Constant::Unsigned(n)) => Constant::Unsigned(wrap_unsigned(!i128::from(n), dialect.bits)),
        (Function::ToText, Constant::Number(n)) => Constant::Symbol(n.to_string().into()),
        (Function::ToText, Constant::Unsigned(n)) => Constant::Symbol(n.to_string().into()),
        (Function::ToNumber, Constant::Symbol(s)) => match s.parse::<i64>() {
            Ok(n) if i128::from(wrap_signed(i128::from(n), dialect.bits)) == i128::from(n) => Constant::Number(n),
            _ => return Err(Failure::Undetermined("a symbol that spells no number")),
        },
        (f, _) => return Err(Failure::Refused(format!("{f:?} has no value here"))),
    })
}

/// Whether the first symbol is such a part of the second.
pub fn passes(test: Test, part: &str, whole: &str) -> bool {
    match test {
        Test::Contains => whole.contains(part),
        Test::StartsWith => whole.starts_with(part),
        Test::EndsWith => whole.ends_with(part),
    }
}

fn operate(o: Operator, a: &Constant, b: &Constant, dialect: &DatalogDialect) -> Result<Constant, Failure> {
    let exact = |a: i128, b: i128| -> Option<i128> {
        Some(match o {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a.checked_mul(b)?,
            Operator::Divide => a.checked_div(b)?,
            Operator::Remainder => a.checked_rem(b)?,
            Operator::Min => a.min(b),
            Operator::Max => a.max(b),
            Operator::BitAnd => a & b,
            Operator::BitOr => a | b,
            Operator::BitXor => a ^ b,
            Operator::Power => power(a, b)?,
            Operator::ShiftLeft => a.checked_shl(b.rem_euclid(i128::from(dialect.bits)) as u32)?,
            Operator::ShiftRight => a >> b.rem_euclid(i128::from(dialect.bits)),
            Operator::Concat => return None,
        })
    };
    let refused = || Failure::Refused(format!("{o:?} has no value here"));
    match (a, b) {
        (Constant::Number(a), Constant::Number(b)) => {
            let n = exact(i128::from(*a), i128::from(*b)).ok_or_else(refused)?;
            signed(n, dialect)
        }
        (Constant::Unsigned(a), Constant::Unsigned(b)) => {
            let n = exact(i128::from(*a), i128::from(*b)).ok_or_else(refused)?;
            Ok(Constant::Unsigned(wrap_unsigned(n, dialect.bits)))
        }
        (Constant::Float(a), Constant::Float(b)) => {
            let f = match o {
                Operator::Add => a + b,
                Operator::Subtract => a - b,
                Operator::Multiply => a * b,
                Operator::Divide => a / b,
                Operator::Min => a.min(*b),
                Operator::Max => a.max(*b),
                _ => return Err(refused()),
            };
            Ok(float(f, dialect))
        }
        (Constant::Symbol(a), Constant::Symbol(b)) => match o {
            // Recursion may double a symbol each time; the number of tuples says nothing about that.
            Operator::Concat if a.len() + b.len() > SYMBOL_BYTES_AT_MOST => Err(Failure::TooBig),
            Operator::Concat => Ok(Constant::Symbol(format!("{a}{b}").into())),
            Operator::Min => Ok(Constant::Symbol(a.min(b).clone())),
            Operator::Max => Ok(Constant::Symbol(a.max(b).clone())),
            _ => Err(refused()),
        },
        _ => Err(refused()),
    }
}

/// The whole part of a power that a float holds exactly.
fn power(a: i128, b: i128) -> Option<i128> {
    let exact = (a as f64).powf(b as f64);
    (exact.abs() < (1i64 << 53) as f64).then_some(exact as i128)
}

/// A float of the dialect's width. What is exact in the wider one and rounded once is what the narrower one computes.
pub fn float(f: f64, dialect: &DatalogDialect) -> Constant {
    Constant::Float(if dialect.bits == 32 { f64::from(f as f32) } else { f })
}

/// A number of the dialect's width.
fn signed(n: i128, dialect: &DatalogDialect) -> Result<Constant, Failure> {
    let wrapped = wrap_signed(n, dialect.bits);
    match i128::from(wrapped) == n || !dialect.overflow_is_undetermined {
        true => Ok(Constant::Number(wrapped)),
        false => Err(Failure::Undetermined("a number that does not fit")),
    }
}

fn wrap_signed(n: i128, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((n as i64) << shift) >> shift
}

fn wrap_unsigned(n: i128, bits: u32) -> u64 {
    let shift = 64 - bits;
    ((n as u64) << shift) >> shift
}
