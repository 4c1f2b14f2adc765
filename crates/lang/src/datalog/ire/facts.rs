//! Facts carried from an engine's answer into the next program: each value becomes the constant that, written as a
//! fact, is read back as the same value bit by bit. What cannot be carried so is refused, and the rule with it.

use crate::datalog::ast::*;
use crate::datalog::check;
use crate::datalog::evaluate::Tuple;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::value::{Rows, Value};
use std::collections::BTreeSet;

/// The tuples of an answer; nothing if one of them cannot be written as a fact.
pub fn tuples(rows: &Rows, kinds: &[Kind], dialect: &DatalogDialect) -> Option<BTreeSet<Tuple>> {
    if !rows.is_empty() && rows.columns != kinds.len() {
        return None;
    }
    let row = |r: &[Value]| r.iter().zip(kinds).map(|(v, k)| constant(v, *k, dialect)).collect::<Option<Tuple>>();
    rows.iter().map(row).collect()
}

fn constant(value: &Value, kind: Kind, dialect: &DatalogDialect) -> Option<Constant> {
    let found = match (value, kind) {
        (Value::Int(n), Kind::Number) => Constant::Number(*n),
        (Value::Int(n), Kind::Unsigned) => Constant::Unsigned(u64::try_from(*n).ok()?),
        (Value::Decimal(d), Kind::Unsigned) => Constant::Unsigned(d.parse().ok()?),
        (Value::Real(r), Kind::Float) => Constant::Float(*r),
        (Value::Text(t), Kind::Symbol) => Constant::Symbol(t.as_str().into()),
        _ => return None,
    };
    can_be_written(&found, dialect).then_some(found)
}

/// Of the many NaNs there are two that a program can name: with and without a sign.
fn can_be_written(constant: &Constant, dialect: &DatalogDialect) -> bool {
    let plain = match constant {
        Constant::Float(f) if f.is_nan() => f.abs().to_bits() == f64::NAN.to_bits(),
        Constant::Symbol(s) => !s.chars().any(|c| c == '`' || c.is_control() && !matches!(c, '\n' | '\t')),
        _ => true,
    };
    plain && check::fits(constant, dialect)
}

/// Values that are easily lost on the way, as far as the dialect has them.
pub fn special(kind: Kind, dialect: &DatalogDialect) -> Vec<Constant> {
    let all: Vec<Constant> = match kind {
        Kind::Number => {
            let most = if dialect.bits >= 64 { i64::MAX } else { (1 << (dialect.bits - 1)) - 1 };
            [0, 1, -1, most, -most, most - 1].map(Constant::Number).to_vec()
        }
        Kind::Unsigned => {
            let most = match dialect.domain {
                Some(domain) => domain - 1,
                None if dialect.bits >= 64 => u64::MAX,
                None => (1 << dialect.bits) - 1,
            };
            [0, 1, most, most - 1].map(Constant::Unsigned).to_vec()
        }
        Kind::Float => {
            let all = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, 1e300, 0.1];
            all.map(Constant::Float).to_vec()
        }
        Kind::Symbol => {
            let all = ["", "\"", "'", "a\"b", "\\", "\\n", "a\nb", "ä", "\u{1F980}", " a", "_", "\t", "%", "a,b)"];
            all.map(|s| Constant::Symbol(s.into())).to_vec()
        }
        Kind::Built(_) => Vec::new(),
    };
    all.into_iter().filter(|c| can_be_written(c, dialect)).collect()
}
