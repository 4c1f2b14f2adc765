//! Properties of the judge: what it calls the same does not depend on the order of rows nor on the last bits of floats,
//! and what differs by more is distinguished. Random cases with a fixed seed, so that every run is the same one.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use qualm::relation::{Combine, Difference, Equality, FLOAT_TOLERANCE, Fold, Order, Relation, Verdict};
use qualm::relation::{same_value, total_order};
use qualm::session::Outcome;
use qualm::value::{Rows, Value};
use std::cmp::Ordering;

/// Runs a property on so many random cases, the same ones each time.
fn check<S: Strategy>(cases: u32, what: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"qualm: the same cases every time");
    TestRunner::new_with_rng(config, rng).run(&what, property).unwrap_or_else(|e| panic!("{e}"));
}

// ---------------------------------------------------------------- values

/// Few values of each kind, so that equal ones meet, and those that are easily mistaken for each other.
fn number() -> impl Strategy<Value = Value> + Clone {
    let near = (0..4i32, -2..3i32).prop_map(|(base, steps)| {
        let base = [1.0, -2.5, 1e15, 1e-300][base as usize];
        Value::Real(base * (1.0 + 0.4 * FLOAT_TOLERANCE * f64::from(steps)))
    });
    let special = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 9007199254740992.0, 1.5];
    prop_oneof![
        3 => near,
        1 => prop::sample::select(special.map(Value::Real).to_vec()),
        2 => prop::sample::select(vec![0, 1, -2, 1 << 53, (1 << 53) + 1, i64::MAX, i64::MIN]).prop_map(Value::Int),
        1 => prop::sample::select(vec!["1.5", "-2.5", "0.1", "9007199254740993.5", "18446744073709551616"])
            .prop_map(Value::decimal),
    ]
}

fn scalar() -> impl Strategy<Value = Value> + Clone {
    prop_oneof![
        4 => number(),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => prop::sample::select(vec!["", "a", "A", "a ", "b", "1"]).prop_map(|t| Value::Text(t.into())),
        1 => prop::sample::select(vec![vec![], vec![0u8], vec![97]]).prop_map(Value::Blob),
    ]
}

fn value() -> impl Strategy<Value = Value> + Clone {
    let members = prop::collection::vec(scalar(), 0..3);
    let map = |members: Vec<Value>| Value::map(["a", "b"].map(String::from).into_iter().zip(members).collect());
    let list = members.clone().prop_map(Value::List);
    prop_oneof![
        8 => scalar(),
        1 => list.clone(),
        1 => members.prop_map(map),
        1 => prop::collection::vec(list, 0..2).prop_map(Value::List),
    ]
}

fn rows(most: usize) -> impl Strategy<Value = Vec<Vec<Value>>> {
    (1usize..4).prop_flat_map(move |width| prop::collection::vec(prop::collection::vec(value(), width), 0..most))
}

/// Moves every float by so many eighths of the tolerance at most.
fn jittered(value: &Value, eighths: &mut impl Iterator<Item = i8>) -> Value {
    match value {
        Value::Real(r) if *r != 0.0 => {
            Value::Real(r * (1.0 + FLOAT_TOLERANCE * f64::from(eighths.next().unwrap_or(0)) / 8.0))
        }
        Value::List(members) => Value::List(members.iter().map(|v| jittered(v, eighths)).collect()),
        Value::Map(entries) => Value::Map(entries.iter().map(|(k, v)| (k.clone(), jittered(v, eighths))).collect()),
        other => other.clone(),
    }
}

fn judged(relation: &Relation, answers: Vec<Vec<Vec<Value>>>) -> Verdict {
    relation.judge(&answers.into_iter().map(|rows| Outcome::Rows(Rows::of(rows))).collect::<Vec<_>>())
}

fn same(order: Order, equality: Equality) -> Relation {
    Relation::Same { left: 0, right: 1, order, equality }
}

fn holds(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Holds { .. })
}

/// A violated claim shows what violates it.
fn shown(verdict: &Verdict) -> Option<&Difference> {
    match verdict {
        Verdict::Violated(d) if !d.only_left.is_empty() || !d.only_right.is_empty() => Some(d),
        _ => None,
    }
}

// ---------------------------------------------------------------- rows

#[test]
fn a_permuted_bag_with_jittered_floats_is_the_same() {
    let strategy = rows(12).prop_flat_map(|rows| {
        let jitter = prop::collection::vec(-7i8..8, 0..60);
        (Just(rows.clone()), Just(rows).prop_shuffle(), jitter)
    });
    check(300, strategy, |(rows, shuffled, jitter)| {
        let mut jitter = jitter.into_iter();
        let moved: Vec<Vec<Value>> =
            shuffled.iter().map(|row| row.iter().map(|v| jittered(v, &mut jitter)).collect()).collect();
        for equality in [Equality::Exact, Equality::Loose] {
            for order in [Order::Bag, Order::Set] {
                // Under loose equality an integer is the float of exactly its value, and no other.
                let other = if equality == Equality::Exact { &moved } else { &shuffled };
                let verdict = judged(&same(order, equality), vec![rows.clone(), other.clone()]);
                prop_assert!(holds(&verdict), "{order:?} {equality:?}: {verdict:?}");
                let inside = Relation::Contains { big: 0, small: 1, order, equality };
                let some = other[..other.len() / 2].to_vec();
                prop_assert!(holds(&judged(&inside, vec![rows.clone(), some])));
            }
        }
        let (left, right) = moved.split_at(moved.len() / 2);
        let combine = Combine::Bag;
        let split = Relation::Partition { whole: 0, parts: vec![1, 2], combine, equality: Equality::Exact };
        let verdict = judged(&split, vec![rows.clone(), left.to_vec(), right.to_vec()]);
        prop_assert!(holds(&verdict), "{verdict:?}");
        Ok(())
    });
}

/// A value that is not the same as the given one under any equality.
fn changed(value: &Value) -> Value {
    match value {
        Value::Real(r) if r.is_finite() && *r != 0.0 => Value::Real(r * (1.0 + 8.0 * FLOAT_TOLERANCE)),
        Value::Real(_) => Value::Real(77.25),
        Value::Int(i) => Value::Int(i ^ 1),
        Value::Decimal(d) => Value::decimal(&format!("{d}1")),
        Value::Text(t) => Value::Text(format!("{t}x")),
        Value::List(members) if !members.is_empty() => {
            Value::List(members.iter().enumerate().map(|(i, v)| if i == 0 { changed(v) } else { v.clone() }).collect())
        }
        Value::Null => Value::Bool(true),
        _ => Value::Null,
    }
}

/// How often each cell of a column occurs is changed by one cell that is new there, in a bag of any size.
#[test]
fn a_cell_changed_beyond_the_tolerance_is_reported() {
    let strategy = rows(12).prop_filter("a cell to change", |rows| !rows.is_empty()).prop_flat_map(|rows| {
        let (height, width) = (rows.len(), rows[0].len());
        (Just(rows.clone()), Just(rows).prop_shuffle(), 0..height, 0..width)
    });
    check(300, strategy, |(rows, mut shuffled, row, column)| {
        let new = changed(&shuffled[row][column]);
        shuffled[row][column] = new.clone();
        for equality in [Equality::Exact, Equality::Loose] {
            // Unless the new value is the same as another one of the column, which may have been moved there.
            if rows.iter().any(|r| same_value(&r[column], &new, equality)) {
                continue;
            }
            for order in [Order::Bag, Order::Set, Order::List] {
                let verdict = judged(&same(order, equality), vec![rows.clone(), shuffled.clone()]);
                prop_assert!(shown(&verdict).is_some(), "{order:?} {equality:?}: {verdict:?}");
                let inside = Relation::Contains { big: 0, small: 1, order, equality };
                let verdict = judged(&inside, vec![rows.clone(), shuffled.clone()]);
                prop_assert!(shown(&verdict).is_some_and(|d| !d.only_right.is_empty()), "{verdict:?}");
            }
        }
        Ok(())
    });
}

/// The judge against the plainest definition: two bags are equal if some pairing of their rows is.
#[test]
fn bags_are_equal_if_some_pairing_is() {
    fn pairing(left: &[Vec<Value>], right: &[Vec<Value>], equality: Equality) -> bool {
        let Some((first, rest)) = left.split_first() else { return right.is_empty() };
        (0..right.len()).any(|at| {
            let mut others = right.to_vec();
            let other = others.remove(at);
            first.iter().zip(&other).all(|(a, b)| same_value(a, b, equality)) && pairing(rest, &others, equality)
        })
    }
    // Floats a bit less than the tolerance apart, so that pairs are neither all the same nor all different.
    let float = (0..4i32).prop_map(|n| Value::Real(1.0 + 0.8 * FLOAT_TOLERANCE * f64::from(n)));
    let cell = prop_oneof![6 => float, 1 => Just(Value::Int(1)), 1 => Just(Value::decimal("1.0000000008"))];
    let bag = |width| prop::collection::vec(prop::collection::vec(cell.clone(), width), 0..6);
    let strategy = (1usize..3).prop_flat_map(move |width| (bag(width), bag(width)));
    let (mut equal, mut unequal) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    check(1500, strategy, |(left, right)| {
        for equality in [Equality::Exact, Equality::Loose] {
            let expected = left.len() == right.len() && pairing(&left, &right, equality);
            let count = if expected { &equal } else { &unequal };
            count.set(count.get() + 1);
            let verdict = judged(&same(Order::Bag, equality), vec![left.clone(), right.clone()]);
            prop_assert_eq!(holds(&verdict), expected, "{:?}", verdict);
            prop_assert!(expected || shown(&verdict).is_some());
            if let Some(d) = shown(&verdict) {
                prop_assert_eq!(d.only_left.len() + right.len(), d.only_right.len() + left.len());
            }
        }
        Ok(())
    });
    assert!(*equal.get_mut() > 100 && *unequal.get_mut() > 100, "{equal:?} {unequal:?}");
}

// ---------------------------------------------------------------- values

#[test]
fn order_and_equality_agree() {
    check(1000, (value(), value(), value()), |(a, b, c)| {
        let at_most = |a: &Value, b: &Value| total_order(a, b) != Ordering::Greater;
        prop_assert_eq!(total_order(&a, &b), total_order(&b, &a).reverse());
        prop_assert!(!(at_most(&a, &b) && at_most(&b, &c)) || at_most(&a, &c), "no order: {:?} {:?} {:?}", a, b, c);
        for equality in [Equality::Exact, Equality::Loose] {
            prop_assert!(same_value(&a, &a, equality));
            prop_assert_eq!(same_value(&a, &b, equality), same_value(&b, &a, equality));
            prop_assert!(total_order(&a, &b) != Ordering::Equal || same_value(&a, &b, equality));
        }
        prop_assert!(!same_value(&a, &b, Equality::Exact) || same_value(&a, &b, Equality::Loose));
        Ok(())
    });
}

/// In a sorted column nothing stands between two values that are the same but values that are the same as both, and
/// numbers of other kinds.
#[test]
fn sorting_puts_the_same_values_together() {
    check(200, prop::collection::vec(scalar(), 0..30), |mut column| {
        column.sort_by(total_order);
        for (i, a) in column.iter().enumerate() {
            for (j, b) in column.iter().enumerate().skip(i) {
                if same_value(a, b, Equality::Exact) {
                    let same = |v: &Value| same_value(a, v, Equality::Exact) && same_value(v, b, Equality::Exact);
                    let alike = |v: &&Value| std::mem::discriminant(*v) == std::mem::discriminant(a);
                    let between = column[i..j].iter().filter(alike).find(|v| !same(v));
                    prop_assert!(between.is_none(), "{:?} between {:?} and {:?}", between, a, b);
                }
            }
        }
        Ok(())
    });
}

// ---------------------------------------------------------------- folds

/// Numbers of one kind, as their sum would be given by an engine: all of them exactly, or as floats.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Numbers {
    Ints,
    Decimals,
    Reals,
    /// Integers and decimals, and a float among them.
    Mixed,
}

/// Hundredths, which decimals hold exactly and floats do not.
fn as_decimal(hundredths: i128) -> Value {
    let sign = if hundredths < 0 { "-" } else { "" };
    Value::decimal(&format!("{sign}{}.{:02}", hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100))
}

fn sum_of(numbers: &[i64], kind: Numbers) -> Value {
    let total: i128 = numbers.iter().map(|n| i128::from(*n)).sum();
    let exact = if kind == Numbers::Ints { total * 100 } else { total };
    match (numbers, kind) {
        ([], _) => Value::Null,
        (_, Numbers::Ints | Numbers::Decimals) => as_decimal(exact),
        (_, Numbers::Reals | Numbers::Mixed) => Value::Real(numbers.iter().map(|n| *n as f64 / 100.0).sum()),
    }
}

fn fold(fold: Fold, whole: Value, parts: Vec<Vec<Value>>) -> Verdict {
    let at = (1..=parts.len()).collect();
    let combine = Combine::Folds(vec![fold]);
    let relation = Relation::Partition { whole: 0, parts: at, combine, equality: Equality::Exact };
    let answers = std::iter::once(vec![vec![whole]]).chain(parts.into_iter().map(|p| vec![p])).collect();
    judged(&relation, answers)
}

#[test]
fn folded_parts_are_the_whole_for_every_kind_of_number() {
    let kinds = vec![Numbers::Ints, Numbers::Decimals, Numbers::Reals, Numbers::Mixed];
    let small = prop::collection::vec(-100_000i64..100_000, 0..6);
    let huge = prop::collection::vec(prop::sample::select(vec![i64::MAX, i64::MAX - 1, i64::MIN, 5]), 0..4);
    // What floats lose inside of a part cannot be seen from outside, so that huge numbers are for exact sums only.
    let strategy = prop::sample::select(kinds).prop_flat_map(move |kind| {
        let exact = u32::from(matches!(kind, Numbers::Ints | Numbers::Decimals));
        let part = prop_oneof![4 => small.clone(), exact => huge.clone()];
        (Just(kind), prop::collection::vec(part, 1..4))
    });
    check(600, strategy, |(kind, parts)| {
        let all: Vec<i64> = parts.concat();
        // The first part of a mixture is exact.
        let kind_of = |i: usize| if kind == Numbers::Mixed && i == 0 { Numbers::Decimals } else { kind };
        let sums: Vec<Vec<Value>> =
            parts.iter().enumerate().map(|(i, p)| vec![sum_of(p, kind_of(i)), Value::Int(p.len() as i64)]).collect();
        let exact = sums.iter().all(|s| !matches!(s[0], Value::Real(_)));
        let whole = sum_of(&all, if exact && kind == Numbers::Mixed { Numbers::Decimals } else { kind });
        let verdict = fold(Fold::Sum(0), whole.clone(), sums.clone());
        prop_assert!(holds(&verdict), "{:?}", verdict);
        let counted = fold(Fold::Count(1), Value::Int(all.len() as i64), sums.clone());
        prop_assert!(holds(&counted));
        if all.is_empty() {
            return Ok(());
        }
        // The mean with four digits, as the coarsest engine writes it, and as a float.
        let total: i128 =
            all.iter().map(|n| i128::from(*n)).sum::<i128>() * if kind == Numbers::Ints { 100 } else { 1 };
        let mean = Fold::Avg { sum: 0, count: 1 };
        let ten_thousandths = (total * 100).div_euclid(all.len() as i128);
        let (size, sign) = (ten_thousandths.unsigned_abs(), if ten_thousandths < 0 { "-" } else { "" });
        let written = Value::decimal(&format!("{sign}{}.{:04}", size / 10_000, size % 10_000));
        prop_assert!(holds(&fold(mean, written, sums.clone())));
        prop_assert!(holds(&fold(mean, Value::Real(total as f64 / 100.0 / all.len() as f64), sums.clone())));
        // An error of one hundredth is noticed wherever the sum is exact, however large it is.
        if exact {
            let off = if kind == Numbers::Ints { total + 100 } else { total + 1 };
            prop_assert!(shown(&fold(Fold::Sum(0), as_decimal(off), sums.clone())).is_some());
        } else {
            let off = Value::Real(all.iter().map(|n| n.unsigned_abs() as f64).sum::<f64>() + 1.0);
            prop_assert!(shown(&fold(Fold::Sum(0), off, sums)).is_some());
        }
        Ok(())
    });
}

#[test]
fn the_least_and_greatest_part_is_that_of_the_whole() {
    let parts = prop::collection::vec(prop::collection::vec(number(), 0..4), 1..4);
    check(300, parts, |parts| {
        let of = |values: &[Value], fold: Fold| {
            let found = match fold {
                Fold::Min(_) => values.iter().min_by(|a, b| total_order(a, b)),
                _ => values.iter().max_by(|a, b| total_order(a, b)),
            };
            found.cloned().unwrap_or(Value::Null)
        };
        let all = parts.concat();
        for which in [Fold::Min(0), Fold::Max(0)] {
            let cells = parts.iter().map(|p| vec![of(p, which)]).collect();
            let verdict = fold(which, of(&all, which), cells);
            prop_assert!(holds(&verdict), "{:?}", verdict);
        }
        Ok(())
    });
}
