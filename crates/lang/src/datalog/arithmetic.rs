//! Values and what functors, comparisons and folds make of them, with the width of the dialect's numbers.

use super::ast::*;
use super::evaluate::{Bindings, Failure};
use super::patterns;
use qualm_core::dialect::datalog::DatalogDialect;
use std::cmp::Ordering;

/// Longer symbols count as too much work.
const SYMBOL_BYTES_AT_MOST: usize = 200;
/// Values that are nested deeper count as too much work.
const DEPTH_AT_MOST: usize = 40;

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
        Constant::Symbol(_) | Constant::Built(_) => None,
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
            Constant::Symbol(_) | Constant::Built(_) => Err(Failure::Refused("minus a symbol".into())),
        },
        Term::Call(function, t) => call(*function, evaluate(t, bindings, dialect)?, dialect),
        Term::Binary(operator, a, b) => {
            let (a, b) = (evaluate(a, bindings, dialect)?, evaluate(b, bindings, dialect)?);
            operate(*operator, &a, &b, dialect)
        }
        Term::Apply(Functor::Substring, args) => {
            let mut values = args.iter().map(|t| evaluate(t, bindings, dialect));
            match (values.next().transpose()?, values.next().transpose()?, values.next().transpose()?) {
                (Some(Constant::Symbol(s)), Some(Constant::Number(at)), Some(Constant::Number(length))) => {
                    Ok(Constant::Symbol(substring(&s, at, length)?.into()))
                }
                _ => Err(Failure::Refused("a part of something else".into())),
            }
        }
        Term::Build(b) => {
            let fields = b.fields.iter().map(|t| evaluate(t, bindings, dialect)).collect::<Result<_, _>>()?;
            let value = BuiltValue { kind: b.kind, branch: b.branch.clone(), fields };
            // Recursion may nest a value each time; the number of tuples says nothing about that.
            match depth(&value) > DEPTH_AT_MOST {
                true => Err(Failure::TooBig),
                false => Ok(Constant::Built(Box::new(value))),
            }
        }
        Term::Apply(Functor::Counter, _) => Err(Failure::Undetermined("a counter")),
        Term::Wildcard | Term::Aggregate(_) | Term::Apply(Functor::Range, _) => {
            Err(Failure::Refused("no value".into()))
        }
    }
}

fn depth(value: &BuiltValue) -> usize {
    let inner = value.fields.iter().map(|f| if let Constant::Built(b) = f { depth(b) } else { 0 });
    1 + inner.max().unwrap_or(0)
}

/// Bytes of a symbol from a place on; nothing where it begins outside.
fn substring(s: &str, at: i64, length: i64) -> Result<String, Failure> {
    let Some(rest) = usize::try_from(at).ok().filter(|at| *at <= s.len()).map(|at| &s.as_bytes()[at..]) else {
        return Ok(String::new());
    };
    let part = usize::try_from(length).ok().and_then(|length| rest.get(..length)).unwrap_or(rest);
    String::from_utf8(part.to_vec()).map_err(|_| Failure::Undetermined("half of a character"))
}

/// More numbers than this in one range count as too many.
const RANGE_AT_MOST: i128 = 10_000;

/// The numbers of a range: from the first to before the second, backwards where that is less.
pub fn range(args: &[Constant], dialect: &DatalogDialect) -> Result<Vec<Constant>, Failure> {
    if let Some(Constant::Float(_)) = args.first() {
        return range_of_floats(args, dialect);
    }
    let whole = |c: &Constant| match c {
        Constant::Number(n) => Some(i128::from(*n)),
        Constant::Unsigned(n) => Some(i128::from(*n)),
        Constant::Float(_) | Constant::Symbol(_) | Constant::Built(_) => None,
    };
    let numbers: Option<Vec<i128>> = args.iter().map(whole).collect();
    let (from, to, step) = match numbers.as_deref() {
        Some([from, to]) => (*from, *to, if from <= to { 1 } else { -1 }),
        Some([from, to, step]) => (*from, *to, *step),
        _ => return Err(Failure::Refused("a range of something else".into())),
    };
    if step != 0 && (to - from).abs() / step.abs() > RANGE_AT_MOST {
        return Err(Failure::TooBig);
    }
    let mut found = Vec::new();
    let mut at = from;
    while step > 0 && at < to || step < 0 && at > to || step == 0 && from != to && found.is_empty() {
        found.push(match args[0] {
            Constant::Unsigned(_) => Constant::Unsigned(wrap_unsigned(at, dialect.bits)),
            _ => signed(at, dialect)?,
        });
        at += step;
    }
    // What comes last must not wrap around, or an engine goes on for ever.
    signed(at, &DatalogDialect { overflow_is_undetermined: true, ..*dialect }).map(|_| found)
}

/// The same of floats: each is the one before and the step.
fn range_of_floats(args: &[Constant], dialect: &DatalogDialect) -> Result<Vec<Constant>, Failure> {
    let floats: Vec<f64> =
        args.iter().filter_map(|c| if let Constant::Float(f) = c { Some(*f) } else { None }).collect();
    let (from, to, step) = match floats.as_slice() {
        [from, to] => (*from, *to, if from <= to { 1.0 } else { -1.0 }),
        [from, to, step] => (*from, *to, *step),
        _ => return Err(Failure::Refused("a range of something else".into())),
    };
    let mut found: Vec<Constant> = Vec::new();
    let mut at = from;
    while step > 0.0 && at < to || step < 0.0 && at > to || step == 0.0 && from != to && found.is_empty() {
        found.push(Constant::Float(at));
        let Constant::Float(next) = float(at + step, dialect) else { break };
        if found.len() as i128 > RANGE_AT_MOST || next == at && step != 0.0 {
            return Err(Failure::TooBig);
        }
        at = next;
    }
    Ok(found)
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
        (Function::ToText, Constant::Symbol(s)) => Constant::Symbol(s),
        (Function::ToText, Constant::Float(f)) => Constant::Symbol(format!("{f:.6}").into()),
        (Function::ToNumber, Constant::Number(n)) => Constant::Number(n),
        (Function::ToNumber, Constant::Unsigned(n)) => Constant::Number(wrap_signed(i128::from(n), dialect.bits)),
        (Function::ToNumber, Constant::Float(f)) if f.abs() < f64::from(i32::MAX) => Constant::Number(f as i64),
        (Function::ToUnsigned, Constant::Unsigned(n)) => Constant::Unsigned(n),
        (Function::ToUnsigned, Constant::Number(n)) => Constant::Unsigned(wrap_unsigned(i128::from(n), dialect.bits)),
        (Function::ToUnsigned, Constant::Float(f)) if (0.0..f64::from(i32::MAX)).contains(&f) => {
            Constant::Unsigned(f as u64)
        }
        (Function::ToUnsigned, Constant::Symbol(s)) => match s.parse::<u32>() {
            Ok(n) => Constant::Unsigned(n.into()),
            _ => return Err(Failure::Undetermined("a symbol that spells no number")),
        },
        (Function::ToFloat, Constant::Float(f)) => Constant::Float(f),
        (Function::ToFloat, Constant::Number(n)) => float(n as f64, dialect),
        (Function::ToFloat, Constant::Unsigned(n)) => float(n as f64, dialect),
        (Function::ToFloat, Constant::Symbol(s)) => match s.parse::<f64>() {
            Ok(f) if f.is_finite() => float(f, dialect),
            _ => return Err(Failure::Undetermined("a symbol that spells no number")),
        },
        (Function::ToNumber | Function::ToUnsigned, Constant::Float(_)) => {
            return Err(Failure::Undetermined("a float that is too large for a whole number"));
        }
        (Function::LogicalNot, Constant::Number(n)) => Constant::Number((n == 0).into()),
        (Function::LogicalNot, Constant::Unsigned(n)) => Constant::Unsigned((n == 0).into()),
        (Function::Ordinal, _) => return Err(Failure::Undetermined("the place of a symbol in a table")),
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
        // A pattern that is not known here is asked for before.
        Test::Matches => patterns::matches(part, whole).unwrap_or(false),
        Test::Differs => patterns::matches(part, whole) == Some(false),
        Test::Contains => whole.contains(part),
        Test::Lacks => !whole.contains(part),
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
            Operator::ShiftRightUnsigned => {
                i128::from(wrap_unsigned(a, dialect.bits)) >> b.rem_euclid(i128::from(dialect.bits))
            }
            Operator::LogicalAnd => (a != 0 && b != 0).into(),
            Operator::LogicalOr => (a != 0 || b != 0).into(),
            Operator::LogicalXor => ((a != 0) != (b != 0)).into(),
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
                Operator::Power => a.powf(*b),
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
