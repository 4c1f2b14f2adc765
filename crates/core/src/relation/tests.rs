use super::equal::loose_order;
use super::*;
use std::cmp::Ordering;

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
    assert!(matches!(verdict, Verdict::Broke { kind: FailureKind::InternalError, .. }));
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

fn table(rows: Vec<Vec<Value>>) -> Outcome {
    Outcome::Rows(Rows::of(rows))
}

fn text(t: &str) -> Value {
    Value::Text(t.into())
}

/// Whatever is violated names a row, and both sides of a bag differ in as many rows as their sizes do.
fn judged_as_bags(left: Vec<Vec<Value>>, right: Vec<Vec<Value>>) -> bool {
    let (l, r) = (left.len(), right.len());
    match same_as(Order::Bag, Equality::Exact).judge(&[table(left), table(right)]) {
        Verdict::Holds { .. } => true,
        Verdict::Violated(d) => {
            assert!(!d.only_left.is_empty() || !d.only_right.is_empty());
            assert_eq!(d.only_left.len() + r, d.only_right.len() + l);
            false
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_nan_is_the_same_one_wherever_it_stands() {
    let real = |r| vec![Value::Real(r)];
    assert!(judged_as_bags(vec![real(f64::NAN), real(1.0)], vec![real(1.0), real(-f64::NAN)]));
    let loose = same_as(Order::Bag, Equality::Loose);
    let int = vec![Value::Int(1)];
    let answers = [table(vec![real(-f64::NAN), int.clone()]), table(vec![int, real(f64::NAN)])];
    assert!(holds(&loose, &answers));
    // A claim that was written with an answer is about its bits.
    let is = |rows: Vec<Vec<Value>>| Guard::Is { query: 0, rows: Rows::of(rows) };
    let answer = [table(vec![real(f64::NAN), real(0.0)])];
    assert!(is(vec![real(0.0), real(f64::NAN)]).holds(&answer));
    assert!(!is(vec![real(0.0), real(-f64::NAN)]).holds(&answer));
}

#[test]
fn rows_are_matched_within_the_tolerance_and_not_by_their_order() {
    let row = |r: f64, t: &str| vec![Value::Real(r), text(t)];
    let near = 1.0 + 1e-12;
    assert!(judged_as_bags(vec![row(1.0, "b"), row(near, "a")], vec![row(1.0, "a"), row(near, "b")]));
    assert!(!judged_as_bags(vec![row(1.0, "b"), row(near, "a")], vec![row(1.0, "a"), row(near, "c")]));
    assert!(!judged_as_bags(vec![row(1.0, "a"), row(near, "a")], vec![row(1.0, "a"), row(1.1, "a")]));
    // Two floats in a row, none of which can be sorted by.
    let pair = |x: f64, y: f64| vec![Value::Real(x), Value::Real(y)];
    assert!(judged_as_bags(vec![pair(1.0, 2.0), pair(near, 1.0)], vec![pair(near, 2.0), pair(1.0, 1.0)]));
    // Inside of lists and maps as well.
    let nested = |r: f64, t: &str| vec![Value::map(vec![("k".into(), Value::List(vec![Value::Real(r), text(t)]))])];
    assert!(judged_as_bags(vec![nested(1.0, "b"), nested(near, "a")], vec![nested(1.0, "a"), nested(near, "b")]));
}

/// Taking the first row that fits would leave two rows over, though all can be paired off.
#[test]
fn a_row_gives_way_to_another_one_that_has_no_choice() {
    let step = 0.8 * FLOAT_TOLERANCE;
    let at = |x: i32, y: i32| vec![Value::Real(1.0 + f64::from(x) * step), Value::Real(1.0 + f64::from(y) * step)];
    // The left rows from the middle reach both right ones, those of the corners reach one each.
    let (left, right) = (vec![at(0, 0), at(0, 1)], vec![at(1, 0), at(0, -1)]);
    assert!(judged_as_bags(left.clone(), right.clone()));
    assert!(judged_as_bags(right, left.clone()));
    assert!(!judged_as_bags(left, vec![at(1, 0), at(2, 2)]));
    let one_way = |x: i32| vec![Value::Real(1.0 + f64::from(x) * step)];
    assert!(judged_as_bags(vec![one_way(0), one_way(1)], vec![one_way(1), one_way(2)]));
    assert!(!judged_as_bags(vec![one_way(0), one_way(0)], vec![one_way(1), one_way(2)]));
    let many = |n: usize, x: i32| std::iter::repeat_n(one_way(x), n);
    assert!(judged_as_bags(many(500, 0).chain(many(500, 1)).collect(), many(499, 1).chain(many(501, 0)).collect()));
    assert!(!judged_as_bags(many(500, 0).chain(many(500, 1)).collect(), many(499, 2).chain(many(501, 3)).collect()));
}

#[test]
fn containment_sets_and_guards_match_in_the_same_way() {
    let row = |r: f64, t: &str| vec![Value::Real(r), text(t)];
    let near = 1.0 + 1e-12;
    let big = table(vec![row(1.0, "b"), row(near, "a"), row(5.0, "c")]);
    let small = table(vec![row(1.0, "a"), row(near, "b")]);
    for order in [Order::Bag, Order::Set] {
        let inside = Relation::Contains { big: 0, small: 1, order, equality: Equality::Exact };
        assert!(holds(&inside, &[big.clone(), small.clone()]));
        assert!(!holds(&inside, &[small.clone(), big.clone()]));
    }
    let set = same_as(Order::Set, Equality::Exact);
    let twice = table(vec![row(near, "a"), row(1.0, "a"), row(1.0, "b"), row(near, "b")]);
    assert!(holds(&set, &[small.clone(), twice.clone()]));
    assert!(!holds(&set, &[big.clone(), twice.clone()]));
    let distinct = |answer: &Outcome| Guard::NoDuplicates { query: 0 }.holds(std::slice::from_ref(answer));
    assert!(distinct(&small));
    assert!(!distinct(&twice));
    let apart =
        vec![vec![Value::Real(1.0), text("A")], vec![Value::Real(1.0), text("b")], vec![Value::Int(1), text("a ")]];
    assert!(!distinct(&table(apart)));
}

#[test]
fn answers_of_another_width_differ_in_all_rows() {
    let wide = table(vec![vec![Value::Int(1), Value::Int(2)]]);
    let narrow = table(vec![vec![Value::Int(1)], vec![Value::Int(2)]]);
    for order in [Order::Bag, Order::Set, Order::List] {
        assert!(!holds(&same_as(order, Equality::Exact), &[wide.clone(), narrow.clone()]));
    }
    let split = Relation::Partition { whole: 0, parts: vec![1, 2], combine: Combine::Bag, equality: Equality::Exact };
    let parts = [narrow, wide, table(vec![vec![Value::Int(1)]])];
    assert!(matches!(split.judge(&parts), Verdict::Violated(d) if !d.only_left.is_empty()));
}

fn folded(fold: Fold, whole: Value, parts: &[&[Value]]) -> Verdict {
    let combine = Combine::Folds(vec![fold]);
    let at = (1..=parts.len()).collect();
    let relation = Relation::Partition { whole: 0, parts: at, combine, equality: Equality::Exact };
    let parts = parts.iter().map(|p| table(vec![p.to_vec()]));
    relation.judge(&std::iter::once(one(whole)).chain(parts).collect::<Vec<_>>())
}

#[test]
fn the_greatest_by_an_order_of_the_engine_is_one_of_the_parts() {
    let t = |s: &str| Value::Text(s.into());
    let parts: [&[Value]; 3] = [&[t("::1")], &[t("2001:db8::/32")], &[Value::Null]];
    for said in ["::1", "2001:db8::/32"] {
        assert!(matches!(folded(Fold::OneOf(0), t(said), &parts), Verdict::Holds { vacuous: false }), "{said}");
    }
    for said in [t("::"), Value::Null] {
        assert!(matches!(folded(Fold::OneOf(0), said, &parts), Verdict::Violated(_)));
    }
    assert!(matches!(folded(Fold::OneOf(0), Value::Null, &[&[Value::Null]]), Verdict::Holds { vacuous: true }));
    assert!(matches!(folded(Fold::OneOf(0), t("::"), &[&[Value::Null]]), Verdict::Violated(_)));
}

#[test]
fn sums_are_added_as_exactly_as_they_are_given() {
    let d = Value::decimal;
    let int = Value::Int;
    let real = Value::Real;
    let sums = [
        // An engine whose SUM is a decimal, and whose parts are decimals, or floats.
        (d("15"), vec![d("7.5"), d("7.5")], true),
        (d("15"), vec![real(7.5), real(7.5)], true),
        (d("15.0000001"), vec![d("7.5"), d("7.5")], false),
        (d("1000000.0001"), vec![d("500000"), d("500000")], false),
        (d("0.3"), vec![d("0.1"), d("0.2")], true),
        (d("0.3"), vec![real(0.1), real(0.2)], true),
        (d("0.31"), vec![real(0.1), real(0.2)], false),
        (d("9223372036854775808"), vec![int(i64::MAX), int(1)], true),
        (d("9223372036854775807"), vec![int(i64::MAX), int(1)], false),
        (int(i64::MAX), vec![int(i64::MAX), Value::Null], true),
        (int(i64::MAX - 1), vec![int(i64::MAX), Value::Null], false),
        (real(0.3), vec![real(0.1), real(0.2)], true),
        (real(0.3), vec![int(0), real(0.1), d("0.2")], true),
        (real(3.0), vec![int(1), int(2)], false),
        (real(-0.0), vec![real(0.0), real(-0.0)], true),
        (real(0.0), vec![real(1e9), real(-1e9), real(1e-3)], true),
        (real(f64::NAN), vec![real(-f64::NAN), real(1.0)], true),
        (real(1.0), vec![real(f64::NAN), real(1.0)], false),
        (Value::Null, vec![Value::Null, Value::Null], true),
        (int(0), vec![Value::Null, Value::Null], false),
    ];
    for (whole, parts, right) in sums {
        let cells: Vec<Vec<Value>> = parts.iter().map(|v| vec![v.clone()]).collect();
        let cells: Vec<&[Value]> = cells.iter().map(Vec::as_slice).collect();
        let verdict = folded(Fold::Sum(0), whole.clone(), &cells);
        assert_eq!(matches!(verdict, Verdict::Holds { .. }), right, "{whole:?} of {parts:?}: {verdict:?}");
        assert!(right || matches!(verdict, Verdict::Violated(d) if !d.only_left.is_empty()));
    }
    let infinite = folded(Fold::Sum(0), real(0.0), &[&[real(f64::INFINITY)], &[real(f64::NEG_INFINITY)]]);
    assert!(matches!(infinite, Verdict::NotComparable { .. }));
    assert!(matches!(folded(Fold::Sum(0), int(1), &[&[text("1")]]), Verdict::NotComparable { .. }));
}

#[test]
fn an_average_may_be_rounded_and_nothing_else() {
    let d = Value::decimal;
    let mean = Fold::Avg { sum: 0, count: 1 };
    let of = |sum: Value, count: i64| vec![sum, Value::Int(count)];
    let averages = [
        (d("3.3333"), of(Value::Int(10), 3), true),
        (d("3.3333333333333333"), of(Value::Int(10), 3), true),
        (d("3.3333333333333343"), of(Value::Int(10), 3), false),
        (d("3.3335"), of(Value::Int(10), 3), false),
        (d("333333.3333"), of(Value::Int(1_000_000), 3), true),
        (d("333333.4333"), of(Value::Int(1_000_000), 3), false),
        (Value::Int(4), of(Value::Int(12), 3), true),
        (Value::Int(4), of(Value::Int(13), 3), false),
        (d("2.5"), of(d("7.5"), 3), true),
        (d("2.5"), of(Value::Real(7.5), 3), true),
        (d("2.51"), of(Value::Real(7.5), 3), false),
        (Value::Real(10.0 / 3.0), of(Value::Int(10), 3), true),
        (Value::Real(3.3333), of(Value::Int(10), 3), false),
        (Value::Null, of(Value::Null, 0), true),
        (Value::Int(0), of(Value::Null, 0), false),
        // Sixteen digits in all, none of them behind the point.
        (d("100000000000000001"), of(d("200000000000000001"), 2), true),
        (d("100000000000000003"), of(d("200000000000000001"), 2), false),
    ];
    for (whole, part, right) in averages {
        let verdict = folded(mean, whole.clone(), &[&part, &of(Value::Null, 0)]);
        assert_eq!(matches!(verdict, Verdict::Holds { .. }), right, "{whole:?} of {part:?}: {verdict:?}");
    }
}

#[test]
fn the_least_and_the_greatest_are_distinguished_to_the_last_digit() {
    let d = Value::decimal;
    let parts: [&[Value]; 2] = [&[d("9007199254740993.5")], &[Value::Int(9007199254740994)]];
    assert!(matches!(folded(Fold::Min(0), d("9007199254740993.5"), &parts), Verdict::Holds { .. }));
    assert!(matches!(folded(Fold::Max(0), Value::Int(9007199254740994), &parts), Verdict::Holds { .. }));
    assert!(matches!(folded(Fold::Max(0), d("9007199254740993.5"), &parts), Verdict::Violated(_)));
    let zeros: [&[Value]; 2] = [&[Value::Real(-0.0)], &[Value::Real(0.0)]];
    assert!(matches!(folded(Fold::Min(0), Value::Real(0.0), &zeros), Verdict::Holds { .. }));
}
