//! Aggregates over the rows of a group, as far as their value depends neither on order nor on rounding.

use super::{Bound, Env, Evaluator, Operand};
use crate::sql::asking::least_or_greatest;
use crate::sql::ast::*;
use crate::sql::walk;
use qualm_core::value::Value;
use std::cmp::Ordering;

impl Evaluator<'_> {
    pub(super) fn aggregate(&self, a: &Aggregate, env: &Env) -> Option<Value> {
        let group = env.group?;
        let mut values: Vec<Operand> = Vec::new();
        let mut rows = 0;
        for row in group {
            self.spend()?;
            let env = Env { sources: row, merged: env.merged, outer: env.outer, group: None, shown: None, peers: None };
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
            "sum" => sum(&values, self.is_sqlite()),
            "total" if self.is_sqlite() => match sum(&values, true)? {
                Value::Int(i) => Some(Value::Real(i as f64)),
                Value::Real(r) => Some(Value::Real(r)),
                _ => Some(Value::Real(0.0)),
            },
            "avg" if self.is_sqlite() => match sum(&values, true)? {
                Value::Int(i) => Some(Value::Real(i as f64 / values.len() as f64)),
                Value::Real(r) => Some(Value::Real(r / values.len() as f64)),
                _ => Some(Value::Null),
            },
            _ => None,
        }
    }

    /// The rows that have the least or greatest value, where that is all that is computed of the group: columns beside
    /// it are those of such a row.
    pub(super) fn of_the_extreme<'r>(
        &self,
        s: &Select,
        members: &[&'r [Bound]],
        merged: &[(Name, Vec<usize>)],
        outer: Option<&Env>,
    ) -> Option<Vec<&'r [Bound]>> {
        let arg = least_or_greatest(s).filter(|_| self.is_sqlite())?;
        let mut least = None;
        for item in s.items.iter().map(|i| &i.expr).chain(&s.having) {
            walk::each_expr(item, &mut |e| {
                if let Expr::Aggregate(a) = e {
                    least = Some((**a).clone());
                }
            });
        }
        let first = members.first()?;
        let env = Env { sources: first, merged, outer, group: Some(members), shown: None, peers: None };
        let best = self.aggregate(&least?, &env)?;
        let mut rows = Vec::new();
        for row in members {
            let env = Env { sources: row, merged, outer, group: None, shown: None, peers: None };
            if self.value(&arg, &env)? == best {
                rows.push(*row);
            }
        }
        // Of no value at all the engine may take any row.
        (best != Value::Null).then_some(rows)
    }

    fn plainly(&self, a: &Operand, b: &Operand) -> Option<Ordering> {
        let plain = |o: &Operand| Operand { value: o.value.clone(), affinity: super::Affinities::NONE, ..*o };
        self.order(&plain(a), &plain(b))?
    }
}

/// Small numbers whose sum is exact in every order: what a sum of anything else is depends on the order and on the
/// release. `mixed`: floats count as well, and make a float of the sum.
fn sum(values: &[Operand], mixed: bool) -> Option<Value> {
    if values.is_empty() {
        return Some(Value::Null);
    }
    // Parts of 256, so that both kinds are added as integers.
    let (mut total, mut floats) = (0_i64, false);
    for o in values {
        let parts = match o.value {
            Value::Int(i) if i.unsigned_abs() < 1 << 40 => i.checked_mul(PARTS)?,
            Value::Real(r) if mixed && r.abs() < (1_u64 << 40) as f64 && (r * PARTS as f64).fract() == 0.0 => {
                floats = true;
                (r * PARTS as f64) as i64
            }
            _ => return None,
        };
        total = total.checked_add(parts).filter(|t| t.unsigned_abs() < 1 << 52 || !floats)?;
    }
    match floats {
        false => Some(Value::Int(total / PARTS)),
        true if total.unsigned_abs() < 1 << 52 => Some(Value::Real(total as f64 / PARTS as f64)),
        true => None,
    }
}

const PARTS: i64 = 256;
