use super::*;

fn rows(ints: &[i64]) -> Outcome {
    Outcome::Rows(Rows { columns: 1, cells: ints.iter().map(|i| Value::Int(*i)).collect() })
}

fn one(v: Value) -> Outcome {
    Outcome::Rows(Rows::of(vec![vec![v]]))
}

fn same_as(order: Order, equality: Equality) -> Relation {
    Relation::Same { left: 0, right: 1, order, equality }
}

fn holds(r: &Relation, answers: &[Outcome]) -> bool {
    matches!(r.judge(answers), Verdict::Holds { .. })
}

#[test]
fn huge_integers_are_loosely_equal_to_the_float_of_exactly_their_value() {
    let same = |i: i64, r: f64| same_value(&Value::Int(i), &Value::Real(r), Equality::Loose);
    assert!(same(i64::MIN, -9223372036854775808.0));
    assert!(same(1 << 60, (1u64 << 60) as f64));
    assert!(!same(i64::MAX, 9223372036854775808.0));
    assert!(!same((1 << 53) + 1, 9007199254740992.0));
    assert!(!same_value(&Value::Int(1), &Value::Real(1.0), Equality::Exact));
}

#[test]
fn bags_count_duplicates_and_sets_do_not() {
    let (a, b) = (rows(&[1, 2, 2]), rows(&[2, 1, 1]));
    assert!(!holds(&same_as(Order::Bag, Equality::Exact), &[a.clone(), b.clone()]));
    assert!(holds(&same_as(Order::Set, Equality::Exact), &[a.clone(), b]));
    assert!(holds(&same_as(Order::Bag, Equality::Exact), &[a.clone(), rows(&[2, 1, 2])]));
    assert!(!holds(&same_as(Order::List, Equality::Exact), &[a, rows(&[2, 1, 2])]));
}

#[test]
fn values_are_themselves() {
    let exact = same_as(Order::Bag, Equality::Exact);
    let loose = same_as(Order::Bag, Equality::Loose);
    let pairs = [
        (Value::Int(1), Value::Real(1.0), false, true),
        (Value::Real(0.0), Value::Real(-0.0), false, true),
        (Value::Text("a".into()), Value::Text("A ".into()), false, true),
        (Value::Text("1".into()), Value::Int(1), false, false),
        (Value::Text("NULL".into()), Value::Null, false, false),
        (Value::Blob(vec![0x61]), Value::Text("a".into()), false, false),
        (Value::Real(f64::NAN), Value::Real(f64::NAN), true, true),
        (Value::Real(f64::INFINITY), Value::Real(f64::MAX), false, false),
        (Value::Real(0.1 + 0.2), Value::Real(0.3), true, true),
        (Value::Int(i64::MAX), Value::Int(i64::MAX - 1), false, false),
        (Value::Int(i64::MAX), Value::Real(9223372036854775807.0), false, false),
        (Value::Int(9223372036854776), Value::Real(9223372036854776.0), false, true),
        (Value::Int(9007199254740993), Value::Real(9007199254740992.0), false, false),
    ];
    for (a, b, in_exact, in_loose) in pairs {
        let answers = [one(a.clone()), one(b.clone())];
        assert_eq!(holds(&exact, &answers), in_exact, "{a:?} {b:?} exactly");
        assert_eq!(holds(&loose, &answers), in_loose, "{a:?} {b:?} loosely");
    }
}

#[test]
fn integers_and_reals_have_one_order() {
    let big = 1_i64 << 53;
    let mut values: Vec<Value> = [0, -1, big - 1, big, big + 1, big + 2, big + 3, i64::MAX, i64::MAX - 1, i64::MIN]
        .into_iter()
        .flat_map(|i| [Value::Int(i), Value::Real(i as f64), Value::Real(-(i as f64))])
        .collect();
    values.extend([-0.0, 0.5, -0.5, f64::NAN, -f64::NAN, f64::INFINITY, 1e300].map(Value::Real));
    for order in [total_order, loose_order] {
        for a in &values {
            for b in &values {
                assert_eq!(order(a, b), order(b, a).reverse(), "{a:?} {b:?}");
                for c in &values {
                    if order(a, b) != Ordering::Greater && order(b, c) != Ordering::Greater {
                        assert_ne!(order(a, c), Ordering::Greater, "{a:?} {b:?} {c:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn parts_make_the_whole() {
    let split = |combine| Relation::Partition { whole: 0, parts: vec![1, 2, 3], combine, equality: Equality::Exact };
    let answers = [rows(&[1, 2, 3]), rows(&[3]), rows(&[]), rows(&[2, 1])];
    assert!(holds(&split(Combine::Bag), &answers));
    let twice = [rows(&[1, 2, 3]), rows(&[3]), rows(&[3]), rows(&[2, 1])];
    assert!(!holds(&split(Combine::Bag), &twice));
    assert!(holds(&split(Combine::Set), &twice));
}

#[test]
fn aggregates_fold() {
    let row = |cells: Vec<Value>| Outcome::Rows(Rows::of(vec![cells]));
    let folds = vec![Fold::Count(0), Fold::Sum(1), Fold::Min(2), Fold::Max(3), Fold::Avg { sum: 1, count: 0 }];
    let relation =
        Relation::Partition { whole: 0, parts: vec![1, 2], combine: Combine::Folds(folds), equality: Equality::Exact };
    let int = Value::Int;
    let whole = row(vec![int(3), int(9), int(1), int(5), Value::Real(3.0)]);
    let a = row(vec![int(2), int(6), int(1), int(5), Value::Null]);
    let b = row(vec![int(1), int(3), int(3), int(3), Value::Null]);
    let none = row(vec![int(0), Value::Null, Value::Null, Value::Null, Value::Null]);
    assert!(holds(&relation, &[whole.clone(), a.clone(), b.clone()]));
    assert!(!holds(&relation, &[whole, a, none.clone()]));
    assert_eq!(relation.judge(&[none.clone(), none.clone(), none]), Verdict::Holds { vacuous: true });
}

#[test]
fn an_error_is_never_an_empty_answer() {
    let error = Outcome::rejected(RejectionClass::Expected, "no such table: t0");
    let verdict = same_as(Order::Bag, Equality::Exact).judge(&[rows(&[]), error]);
    assert!(matches!(verdict, Verdict::NotComparable { .. }));
    let broken = Outcome::rejected(RejectionClass::Internal, "database disk image is malformed");
    let verdict = same_as(Order::Bag, Equality::Exact).judge(&[rows(&[]), broken]);
    assert!(matches!(verdict, Verdict::Broke { kind: Trouble::InternalError, .. }));
}

#[test]
fn a_difference_names_the_rows() {
    let verdict = same_as(Order::Bag, Equality::Exact).judge(&[rows(&[1, 2]), rows(&[2, 4])]);
    let Verdict::Violated(d) = verdict else { panic!("{verdict:?}") };
    assert_eq!(d.only_left.cells, [Value::Int(1)]);
    assert_eq!(d.only_right.cells, [Value::Int(4)]);
}

#[test]
fn counts_are_numbers_of_rows() {
    let relation = Relation::CountIs { rows: 0, count: 1 };
    assert!(holds(&relation, &[rows(&[7, 8]), rows(&[2])]));
    assert!(!holds(&relation, &[rows(&[7, 8]), rows(&[3])]));
    assert!(holds(&relation, &[rows(&[]), one(Value::Null)]));
}

#[test]
fn containment_has_a_direction() {
    let relation = Relation::Contains { big: 0, small: 1, order: Order::Bag, equality: Equality::Exact };
    assert!(holds(&relation, &[rows(&[1, 2, 2]), rows(&[2])]));
    assert!(!holds(&relation, &[rows(&[2]), rows(&[2, 2])]));
}
