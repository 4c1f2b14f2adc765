//! Which rows of one answer another must have: judged here, on the rows themselves, so that no predicate of the
//! engine's takes part.

use super::equal::int_to_real_order;
use super::matching::difference;
use super::{Difference, Equality, Order, Verdict};
use crate::value::{Rows, Value};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A cell of a row, or inside it the entry of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub column: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// Rows with this value at this place; integers equal floats of the same value if `by_value`.
    Having { place: Place, value: Value, by_value: bool },
    /// Rows that have none of these numbers at any of these places.
    Without { places: Vec<Place>, values: Vec<i64> },
}

impl Place {
    fn of<'a>(&self, row: &'a [Value]) -> Option<&'a Value> {
        let cell = row.get(self.column)?;
        match (&self.key, cell) {
            (None, _) => Some(cell),
            (Some(key), Value::Map(entries)) => {
                Some(entries.iter().find(|(k, _)| k == key).map_or(&Value::Null, |(_, v)| v))
            }
            _ => None,
        }
    }
}

impl Keep {
    /// Nothing where it cannot be said.
    fn takes(&self, row: &[Value]) -> Option<bool> {
        match self {
            Keep::Having { place, value, by_value } => equal(place.of(row)?, value, *by_value),
            Keep::Without { places, values } => {
                let mut keep = true;
                for place in places {
                    match place.of(row)? {
                        Value::Int(i) => keep &= !values.contains(i),
                        _ => return None,
                    }
                }
                Some(keep)
            }
        }
    }
}

/// Whether a property with the first value equals a literal of the second. Large integers against floats are not
/// judged: engines convert one or the other.
fn equal(stored: &Value, literal: &Value, by_value: bool) -> Option<bool> {
    const EXACT: u64 = 1 << 53;
    match (stored, literal) {
        (Value::Null, _) => Some(false),
        (Value::Int(a), Value::Int(b)) => Some(a == b),
        (Value::Real(a), Value::Real(b)) => Some(a == b),
        (Value::Int(i), Value::Real(r)) | (Value::Real(r), Value::Int(i)) => match by_value {
            true if i.unsigned_abs() <= EXACT => Some(int_to_real_order(*i, *r) == Ordering::Equal),
            true => None,
            false => Some(false),
        },
        (Value::Text(a), Value::Text(b)) => Some(a == b),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        _ if std::mem::discriminant(stored) != std::mem::discriminant(literal) => Some(false),
        _ => None,
    }
}

pub fn judge(whole: &Rows, part: &Rows, keep: &[Keep]) -> Verdict {
    let mut expected = Rows::new(whole.columns);
    for row in whole.iter() {
        match keep.iter().map(|k| k.takes(row)).collect::<Option<Vec<bool>>>() {
            Some(all) if all.iter().all(|k| *k) => expected.cells.extend_from_slice(row),
            Some(_) => {}
            None => return Verdict::NotComparable { why: "a row has no such cell to choose by".into() },
        }
    }
    let found = difference(&expected, part, Order::Bag, Equality::Exact);
    if found.only_left.is_empty() && found.only_right.is_empty() {
        return Verdict::Holds { vacuous: expected.is_empty() };
    }
    Verdict::Violated(Difference { note: "the left side are the rows that must remain".into(), ..found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_chosen_by_value() {
        let whole = Rows::of(vec![
            vec![Value::Int(1), Value::Real(2.0)],
            vec![Value::Int(2), Value::Int(2)],
            vec![Value::Int(3), Value::Null],
        ]);
        let place = Place { column: 1, key: None };
        let keep = |by_value| [Keep::Having { place: place.clone(), value: Value::Int(2), by_value }];
        let both = Rows::of(vec![vec![Value::Int(2), Value::Int(2)], vec![Value::Int(1), Value::Real(2.0)]]);
        assert!(matches!(judge(&whole, &both, &keep(true)), Verdict::Holds { vacuous: false }));
        assert!(matches!(judge(&whole, &both, &keep(false)), Verdict::Violated(_)));
        assert!(matches!(judge(&whole, &Rows::new(2), &keep(true)), Verdict::Violated(_)));
        let places = vec![Place { column: 0, key: None }];
        let without = [Keep::Without { places, values: vec![1, 3, 9] }];
        let rest = Rows::of(vec![vec![Value::Int(2), Value::Int(2)]]);
        assert!(matches!(judge(&whole, &rest, &without), Verdict::Holds { vacuous: false }));
        assert!(matches!(judge(&whole, &whole, &without), Verdict::Violated(_)));
    }

    #[test]
    fn large_integers_are_not_judged_against_floats() {
        assert_eq!(equal(&Value::Int(i64::MAX), &Value::Real(9.2e18), true), None);
        assert_eq!(equal(&Value::Int(1), &Value::Real(1.0), true), Some(true));
        assert_eq!(equal(&Value::Real(f64::NAN), &Value::Real(f64::NAN), true), Some(false));
        assert_eq!(equal(&Value::Text("1".into()), &Value::Int(1), true), Some(false));
    }
}
