//! Aggregates over the rows of a group, as far as their value depends neither on order nor on rounding.

use super::{Env, Evaluator, Operand};
use crate::sql::ast::*;
use qualm_core::value::Value;
use std::cmp::Ordering;

impl Evaluator<'_> {
    pub(super) fn aggregate(&self, a: &Aggregate, env: &Env) -> Option<Value> {
        let group = env.group?;
        let mut values: Vec<Operand> = Vec::new();
        let mut rows = 0;
        for row in group {
            self.spend()?;
            let env = Env { sources: row, merged: env.merged, outer: env.outer, group: None };
            if let Some(filter) = &a.filter
                && self.truth(filter, &env)? != Some(true)
            {
                continue;
            }
            rows += 1;
            match a.args.as_slice() {
                [] => {}
                [x] => values.push(self.operand(x, &env)?),
                _ => return None,
            }
        }
        let function = a.function.to_ascii_lowercase();
        if a.args.is_empty() {
            return (function == "count" && !a.distinct).then_some(Value::Int(rows));
        }
        values.retain(|o| o.value != Value::Null);
        if a.distinct {
            let mut kept: Vec<Operand> = Vec::new();
            'values: for o in values {
                for known in &kept {
                    if self.plainly(known, &o)? == Ordering::Equal {
                        continue 'values;
                    }
                }
                kept.push(o);
            }
            values = kept;
        }
        match function.as_str() {
            "count" => Some(Value::Int(values.len() as i64)),
            "min" | "max" => {
                let mut values = values.into_iter();
                let Some(mut best) = values.next() else { return Some(Value::Null) };
                for o in values {
                    let order = self.plainly(&o, &best)?;
                    // The answer may be either; a looser comparison would be needed.
                    if order == Ordering::Equal && o.value != best.value {
                        return None;
                    }
                    if order.is_gt() == (function == "max") && order.is_ne() {
                        best = o;
                    }
                }
                Some(best.value)
            }
            "sum" => sum(&values),
            "total" if self.is_sqlite() => match sum(&values)? {
                Value::Int(i) => Some(Value::Real(i as f64)),
                _ => Some(Value::Real(0.0)),
            },
            _ => None,
        }
    }

    fn plainly(&self, a: &Operand, b: &Operand) -> Option<Ordering> {
        let plain = |o: &Operand| Operand { value: o.value.clone(), affinity: super::Affinities::NONE, ..*o };
        self.order(&plain(a), &plain(b))?
    }
}

/// Integers only, within bounds: what a sum of anything else is depends on the order and on the release.
fn sum(values: &[Operand]) -> Option<Value> {
    if values.is_empty() {
        return Some(Value::Null);
    }
    let add = |total: i64, o: &Operand| match o.value {
        Value::Int(i) if i.unsigned_abs() < 1 << 40 => total.checked_add(i),
        _ => None,
    };
    values.iter().try_fold(0, add).map(Value::Int)
}
