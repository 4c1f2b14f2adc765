//! Which rows of two answers are the same ones. Floats are the same within a tolerance, so "the same row" is not
//! transitive, and neither sorting nor taking the first row that fits can say whether two bags are equal:
//!
//! - Answers that agree in order, or once they are sorted, cost no more than that.
//! - Otherwise, and only where there are floats, rows are put into groups such that rows of different groups are never
//!   the same: by everything but their floats, and by the *chain* of each float, which is its value with all those
//!   that neighbours within tolerance lead to. In a group as many rows as possible are paired off (a maximum flow
//!   between the distinct rows of both sides).

use super::equal::{
    FLOAT_TOLERANCE, as_real, bit_row_order, int_to_real_order, loose_text, real_order, row_order, same_row, within,
};
use super::{Difference, Equality, Order};
use crate::value::{Rows, Value};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, VecDeque};

type Row<'a> = &'a [Value];

/// Rows that stand on one side only.
pub struct Unmatched<'a> {
    pub left: Vec<Row<'a>>,
    pub right: Vec<Row<'a>>,
}

const SHOWN_ROWS: usize = 10;

pub fn equal_in_order(left: &Rows, right: &Rows, equality: Equality) -> bool {
    left.len() == right.len() && same_row(&left.cells, &right.cells, equality)
}

/// Not even a float may differ by its last bit.
pub fn identical_sets(left: &Rows, right: &Rows) -> bool {
    fn distinct(rows: &Rows) -> Vec<Row<'_>> {
        let mut all: Vec<Row> = rows.iter().collect();
        all.sort_by(|a, b| bit_row_order(a, b));
        all.dedup_by(|a, b| bit_row_order(a, b) == Ordering::Equal);
        all
    }
    let (l, r) = (distinct(left), distinct(right));
    l.len() == r.len() && l.iter().zip(&r).all(|(a, b)| bit_row_order(a, b) == Ordering::Equal)
}

/// Whether each row of the second answer is in the first one, bit by bit and as often.
pub fn holds_identically(big: &Rows, small: &Rows) -> bool {
    fn sorted(rows: &Rows) -> Vec<Row<'_>> {
        let mut all: Vec<Row> = rows.iter().collect();
        all.sort_by(|a, b| bit_row_order(a, b));
        all
    }
    let big = sorted(big);
    let mut rest = big.iter();
    big.first().is_some_and(|r| r.len() == small.columns)
        && sorted(small).into_iter().all(|row| rest.any(|r| bit_row_order(r, row) == Ordering::Equal))
}

/// Whether each row of the second answer has a partner in the first.
pub fn contains(big: &Rows, small: &Rows, order: Order, equality: Equality) -> bool {
    let merged = merge(&rows_of(big, order, equality), &rows_of(small, order, equality), order, equality);
    merged.right.is_empty() || unmatched(big, small, order, equality).right.is_empty()
}

/// Whether two rows of one answer are the same.
pub fn has_duplicates(rows: &Rows, equality: Equality) -> bool {
    let all = sorted(rows, equality);
    if all.windows(2).any(|w| same_row(w[0], w[1], equality)) {
        return true;
    }
    let twins = |g: &Group| {
        let mut pairs = g.left.iter().enumerate().flat_map(|(i, a)| g.left[i + 1..].iter().map(move |b| (a, b)));
        pairs.any(|(a, b)| same_row(a, b, equality))
    };
    has_floats(rows) && groups(rows, &Rows::new(rows.columns), equality).iter().any(twins)
}

/// The rows that have no partner on the other side. In a bag each row is one partner, in a set a partner is enough for
/// any number of rows.
pub fn unmatched<'a>(left: &'a Rows, right: &'a Rows, order: Order, equality: Equality) -> Unmatched<'a> {
    let merged = merge(&rows_of(left, order, equality), &rows_of(right, order, equality), order, equality);
    let done = merged.left.is_empty() && merged.right.is_empty();
    if done || !has_floats(left) && !has_floats(right) {
        return merged;
    }
    let mut found = Unmatched { left: Vec::new(), right: Vec::new() };
    for group in groups(left, right, equality) {
        match order {
            Order::Set => alone(&group, equality, &mut found),
            Order::Bag | Order::List => pair_off(&group, equality, &mut found),
        }
    }
    found.left.sort_by(|a, b| row_order(a, b, equality));
    found.right.sort_by(|a, b| row_order(a, b, equality));
    found
}

/// What is unmatched, in words for people; a few rows of each side.
pub fn difference(left: &Rows, right: &Rows, order: Order, equality: Equality) -> Difference {
    let rows = unmatched(left, right, order, equality);
    let shown = |rows: &[Row], columns: usize| Rows {
        columns,
        cells: rows.iter().take(SHOWN_ROWS).copied().flatten().cloned().collect(),
    };
    let wide = left.columns != right.columns && !left.is_empty() && !right.is_empty();
    Difference {
        left_rows: left.len(),
        right_rows: right.len(),
        only_left: shown(&rows.left, left.columns),
        only_right: shown(&rows.right, right.columns),
        note: if wide { "the results differ in their number of columns".into() } else { String::new() },
    }
}

/// All rows in order; of a set only those that another row distinguishes.
fn rows_of(rows: &Rows, order: Order, equality: Equality) -> Vec<Row<'_>> {
    let mut all = sorted(rows, equality);
    if order == Order::Set {
        all.dedup_by(|a, b| row_order(a, b, Equality::Exact) == Ordering::Equal);
    }
    all
}

fn sorted(rows: &Rows, equality: Equality) -> Vec<Row<'_>> {
    let mut all: Vec<Row> = rows.iter().collect();
    all.sort_by(|a, b| row_order(a, b, equality));
    all
}

/// Both sides in order, side by side. Without floats this is the answer; with floats only if nothing is left.
fn merge<'a>(l: &[Row<'a>], r: &[Row<'a>], order: Order, equality: Equality) -> Unmatched<'a> {
    let mut found = Unmatched { left: Vec::new(), right: Vec::new() };
    let (mut i, mut j) = (0, 0);
    while i < l.len() || j < r.len() {
        let side = match (l.get(i), r.get(j)) {
            (Some(a), Some(b)) if same_row(a, b, equality) => Ordering::Equal,
            (Some(a), Some(b)) => row_order(a, b, equality),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        let partner = |row: &Row, others: &[Row], at: usize| {
            order == Order::Set && at > 0 && same_row(row, others[at - 1], equality)
        };
        if side == Ordering::Less && !partner(&l[i], r, j) {
            found.left.push(l[i]);
        }
        if side == Ordering::Greater && !partner(&r[j], l, i) {
            found.right.push(r[j]);
        }
        i += usize::from(side != Ordering::Greater);
        j += usize::from(side != Ordering::Less);
    }
    found
}

fn has_floats(rows: &Rows) -> bool {
    fn is_float(value: &Value) -> bool {
        match value {
            Value::Real(_) => true,
            Value::List(members) => members.iter().any(is_float),
            Value::Map(entries) => entries.iter().any(|(_, v)| is_float(v)),
            _ => false,
        }
    }
    rows.cells.iter().any(is_float)
}

// ---------------------------------------------------------------- groups

/// Rows of both sides that may be the same.
#[derive(Default)]
struct Group<'a> {
    left: Vec<Row<'a>>,
    right: Vec<Row<'a>>,
}

/// What rows are grouped by, a value as one part or several.
#[derive(PartialEq, Eq, Hash)]
enum Part<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Decimal(&'a str),
    /// A number that others may be the same as without being equal: its chain.
    Chain(usize),
    Text(Cow<'a, [u8]>),
    Blob(&'a [u8]),
    List(usize),
    Map(usize),
    Key(&'a str),
}

/// Numbers in ascending order, each with its chain.
struct Chains {
    numbers: Vec<(f64, usize)>,
    equality: Equality,
}

fn groups<'a>(left: &'a Rows, right: &'a Rows, equality: Equality) -> Vec<Group<'a>> {
    let chains = Chains::of([left, right], equality);
    let mut found: Vec<Group> = Vec::new();
    let mut by_key: HashMap<Vec<Part>, usize> = HashMap::new();
    for (rows, is_left) in [(left, true), (right, false)] {
        for row in rows.iter() {
            let mut key = Vec::with_capacity(row.len());
            row.iter().for_each(|v| chains.parts(v, &mut key));
            let at = *by_key.entry(key).or_insert_with(|| {
                found.push(Group::default());
                found.len() - 1
            });
            if is_left { found[at].left.push(row) } else { found[at].right.push(row) }
        }
    }
    found
}

impl Chains {
    fn of(answers: [&Rows; 2], equality: Equality) -> Chains {
        fn collect(value: &Value, loose: bool, all: &mut Vec<f64>) {
            match value {
                Value::Real(r) => all.push(*r),
                Value::Decimal(_) if loose => all.extend(as_real(value)),
                Value::List(members) => members.iter().for_each(|v| collect(v, loose, all)),
                Value::Map(entries) => entries.iter().for_each(|(_, v)| collect(v, loose, all)),
                _ => {}
            }
        }
        let mut all = Vec::new();
        let loose = equality == Equality::Loose;
        answers.iter().flat_map(|rows| &rows.cells).for_each(|v| collect(v, loose, &mut all));
        all.sort_by(|a, b| real_order(*a, *b));
        all.dedup_by(|a, b| real_order(*a, *b) == Ordering::Equal);
        // If two numbers are the same, so are all between them: a gap between neighbours parts all before it from all
        // after it. Twice the tolerance, because what is said of the ends was rounded.
        let near = |x: f64, y: f64| x == y && (loose || x != 0.0) || within(x, y, 2.0 * FLOAT_TOLERANCE);
        let mut chain = 0;
        let mut numbers: Vec<(f64, usize)> = Vec::with_capacity(all.len());
        for number in all {
            chain += usize::from(numbers.last().is_some_and(|(before, _)| !near(*before, number)));
            numbers.push((number, chain));
        }
        Chains { numbers, equality }
    }

    fn parts<'a>(&self, value: &'a Value, key: &mut Vec<Part<'a>>) {
        let loose = self.equality == Equality::Loose;
        match value {
            Value::Null => key.push(Part::Null),
            Value::Bool(b) => key.push(Part::Bool(*b)),
            Value::Int(i) => key.push(self.of_int(*i).filter(|_| loose).map_or(Part::Int(*i), Part::Chain)),
            Value::Real(r) => key.push(Part::Chain(self.of_real(*r))),
            Value::Decimal(d) if !loose => key.push(Part::Decimal(d)),
            Value::Decimal(d) => {
                key.push(as_real(value).map_or(Part::Decimal(d), |r| Part::Chain(self.of_real(r))));
            }
            Value::Text(t) if loose => key.push(Part::Text(Cow::Owned(loose_text(t).collect()))),
            Value::Text(t) => key.push(Part::Text(Cow::Borrowed(t.as_bytes()))),
            Value::Blob(b) => key.push(Part::Blob(b)),
            Value::List(members) => {
                key.push(Part::List(members.len()));
                members.iter().for_each(|v| self.parts(v, key));
            }
            Value::Map(entries) => {
                key.push(Part::Map(entries.len()));
                for (name, v) in entries {
                    key.push(Part::Key(name));
                    self.parts(v, key);
                }
            }
        }
    }

    fn of_real(&self, number: f64) -> usize {
        let at = self.numbers.binary_search_by(|(n, _)| real_order(*n, number)).expect("all were collected");
        self.numbers[at].1
    }

    /// The chain of a float that is this integer, if there is one.
    fn of_int(&self, i: i64) -> Option<usize> {
        let at = self.numbers.partition_point(|(n, _)| int_to_real_order(i, *n) == Ordering::Greater);
        self.numbers.get(at).filter(|(n, _)| int_to_real_order(i, *n) == Ordering::Equal).map(|(_, chain)| *chain)
    }
}

// ---------------------------------------------------------------- pairs

/// Rows that no other row distinguishes, and how many of them have no partner yet.
struct Kind<'a> {
    row: Row<'a>,
    free: usize,
}

fn kinds<'a>(rows: &[Row<'a>]) -> Vec<Kind<'a>> {
    let mut all = rows.to_vec();
    all.sort_by(|a, b| row_order(a, b, Equality::Exact));
    let mut kinds: Vec<Kind> = Vec::new();
    for row in all {
        match kinds.last_mut().filter(|k| row_order(k.row, row, Equality::Exact) == Ordering::Equal) {
            Some(kind) => kind.free += 1,
            None => kinds.push(Kind { row, free: 1 }),
        }
    }
    kinds
}

/// Rows of a set without any partner.
fn alone<'a>(group: &Group<'a>, equality: Equality, found: &mut Unmatched<'a>) {
    let (left, right) = (kinds(&group.left), kinds(&group.right));
    let without = |rows: &[Kind<'a>], others: &[Kind], all: &mut Vec<Row<'a>>| {
        let has_none = |k: &&Kind| !others.iter().any(|o| same_row(k.row, o.row, equality));
        all.extend(rows.iter().filter(has_none).map(|k| k.row));
    };
    without(&left, &right, &mut found.left);
    without(&right, &left, &mut found.right);
}

/// Pairs off as many rows as possible; what is left has no partner.
fn pair_off<'a>(group: &Group<'a>, equality: Equality, found: &mut Unmatched<'a>) {
    let mut pairs = Pairs { left: kinds(&group.left), right: kinds(&group.right), flow: BTreeMap::new(), equality };
    pairs.in_order();
    while pairs.one_more() {}
    for (kinds, all) in [(pairs.left, &mut found.left), (pairs.right, &mut found.right)] {
        kinds.iter().for_each(|k| all.extend(std::iter::repeat_n(k.row, k.free)));
    }
}

struct Pairs<'a> {
    left: Vec<Kind<'a>>,
    right: Vec<Kind<'a>>,
    /// How many rows of a kind on the right are partners of one on the left. In order, so that a case always shows the
    /// same rows.
    flow: BTreeMap<(usize, usize), usize>,
    equality: Equality,
}

impl Pairs<'_> {
    fn same(&self, l: usize, r: usize) -> bool {
        same_row(self.left[l].row, self.right[r].row, self.equality)
    }

    /// A first guess that is nearly always right.
    fn in_order(&mut self) {
        let (mut l, mut r) = (0, 0);
        while l < self.left.len() && r < self.right.len() {
            if self.same(l, r) {
                let count = self.left[l].free.min(self.right[r].free);
                self.join(l, r, count);
                l += usize::from(self.left[l].free == 0);
                r += usize::from(self.right[r].free == 0);
            } else if row_order(self.left[l].row, self.right[r].row, self.equality) == Ordering::Less {
                l += 1;
            } else {
                r += 1;
            }
        }
    }

    fn join(&mut self, l: usize, r: usize, count: usize) {
        *self.flow.entry((r, l)).or_default() += count;
        self.left[l].free -= count;
        self.right[r].free -= count;
    }

    /// The shortest way from a free row on the left to a free one on the right, over pairs that are taken apart and
    /// joined anew; says whether there was one.
    fn one_more(&mut self) -> bool {
        if self.right.iter().all(|k| k.free == 0) {
            return false;
        }
        let mut from_left: Vec<Option<usize>> = vec![None; self.right.len()];
        let mut from_right: Vec<Option<usize>> = vec![None; self.left.len()];
        let mut queue: VecDeque<usize> = (0..self.left.len()).filter(|l| self.left[*l].free > 0).collect();
        let mut seen: Vec<bool> = self.left.iter().map(|k| k.free > 0).collect();
        while let Some(l) = queue.pop_front() {
            for r in 0..self.right.len() {
                if from_left[r].is_some() || !self.same(l, r) {
                    continue;
                }
                from_left[r] = Some(l);
                if self.right[r].free > 0 {
                    self.rejoin(r, &from_left, &from_right);
                    return true;
                }
                let taken = self.flow.range((r, 0)..=(r, usize::MAX)).filter(|(_, n)| **n > 0);
                for partner in taken.map(|((_, l), _)| *l) {
                    if !seen[partner] {
                        seen[partner] = true;
                        from_right[partner] = Some(r);
                        queue.push_back(partner);
                    }
                }
            }
        }
        false
    }

    /// Along the way that ends at this row on the right, each row gets the next one for its partner.
    fn rejoin(&mut self, end: usize, from_left: &[Option<usize>], from_right: &[Option<usize>]) {
        self.right[end].free -= 1;
        let mut r = end;
        loop {
            let l = from_left[r].expect("the way was walked");
            *self.flow.entry((r, l)).or_default() += 1;
            match from_right[l] {
                None => {
                    self.left[l].free -= 1;
                    return;
                }
                Some(before) => {
                    *self.flow.get_mut(&(before, l)).expect("they were partners") -= 1;
                    r = before;
                }
            }
        }
    }
}
