//! Window functions over rows that we know: the partition of a row, its order, its frame, and what is computed of it.
//! Where the order leaves rows apart that a function by row would tell apart, nothing is known.

use super::{Bound, Env, Evaluator, Shape};
use crate::sql::ast::*;
use qualm_core::value::Value;
use std::cmp::Ordering;

/// What a frame counts.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Rows,
    Groups,
    Range,
}

/// Where a frame begins or ends: so many units before (negative) or after the row at hand, or at an end.
#[derive(Clone, Copy, PartialEq)]
enum Edge {
    First,
    At(i64),
    Last,
}

#[derive(Clone, Copy, PartialEq)]
enum Exclude {
    Nothing,
    Current,
    Group,
    Ties,
}

struct Frame {
    unit: Unit,
    from: Edge,
    to: Edge,
    exclude: Exclude,
}

/// The rows of a partition in order, the number of the group of equal ones that each is in, and the row at hand.
struct Partition<'r> {
    rows: Vec<&'r [Bound]>,
    groups: Vec<usize>,
    at: usize,
}

impl Partition<'_> {
    /// No two rows are equal to the order.
    fn is_total(&self) -> bool {
        self.groups.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn group(&self) -> usize {
        self.groups[self.at]
    }

    /// The first row of the group at hand, and the one behind its last.
    fn peers(&self) -> (usize, usize) {
        let first = self.groups.iter().position(|g| *g == self.group()).unwrap_or(0);
        let last = self.groups.iter().rposition(|g| *g == self.group()).unwrap_or(0);
        (first, last + 1)
    }
}

impl Evaluator<'_> {
    pub(super) fn window(&self, w: &Window, env: &Env) -> Option<Value> {
        // Elsewhere the kinds of what windows compute differ between engines.
        if !self.is_sqlite() {
            return None;
        }
        let frame = frame_of(w)?;
        let partition = self.partition(w, env)?;
        let (count, at) = (partition.rows.len() as i64, partition.at as i64);
        let (first, behind) = partition.peers();
        let real = |a: usize, b: i64| Some(Value::Real(a as f64 / b as f64));
        let function = w.function.function.to_ascii_lowercase();
        let plain = !w.function.distinct && (w.function.filter.is_none() || !by_row(&function));
        if !plain || by_row(&function) && !partition.is_total() {
            return None;
        }
        let of_row = |row: i64, x: &Expr| match usize::try_from(row).ok().and_then(|row| partition.rows.get(row)) {
            Some(row) => Some(Some(self.value(x, &self.env_of(row, env))?)),
            None => Some(None),
        };
        let whole = |x: Option<&Expr>, absent: i64| match x {
            None => Some(absent),
            Some(x) => match self.value(x, env)? {
                Value::Int(i) if i.unsigned_abs() < 1 << 20 => Some(i),
                _ => None,
            },
        };
        match (function.as_str(), w.function.args.as_slice()) {
            ("row_number", []) => Some(Value::Int(at + 1)),
            ("rank", []) => Some(Value::Int(first as i64 + 1)),
            ("dense_rank", []) => Some(Value::Int(partition.group() as i64 + 1)),
            ("percent_rank", []) if count == 1 => Some(Value::Real(0.0)),
            ("percent_rank", []) => real(first, count - 1),
            ("cume_dist", []) => real(behind, count),
            ("lag" | "lead", [x, rest @ ..]) if rest.len() < 3 => {
                let far = whole(rest.first(), 1)?;
                let row = if function == "lag" { at - far } else { at + far };
                match (of_row(row, x)?, rest.get(1)) {
                    (Some(value), _) => Some(value),
                    (None, Some(default)) => self.value(default, env),
                    (None, None) => Some(Value::Null),
                }
            }
            ("first_value", [x]) => self.nth(&self.framed(&frame, &partition)?, 1, x, env),
            ("last_value", [x]) => {
                let rows = self.framed(&frame, &partition)?;
                self.nth(&rows, rows.len() as i64, x, env)
            }
            ("nth_value", [x, n]) => self.nth(&self.framed(&frame, &partition)?, whole(Some(n), 1)?, x, env),
            ("ntile" | "row_number" | "rank" | "dense_rank", _) => None,
            ("group_concat", [x, rest @ ..]) if rest.len() < 2 && self.is_sqlite() && partition.is_total() => {
                let rows = self.framed(&frame, &partition)?;
                self.concatenated(&rows, x, rest.first(), &w.function, env)
            }
            (name, args) => {
                let rows = self.framed(&frame, &partition)?;
                // A frame that leaves a float behind keeps its sum a float in SQLite.
                if name == "sum" && rows.len() < partition.rows.len() {
                    for row in &partition.rows {
                        let value = self.value(args.first()?, &self.env_of(row, env))?;
                        if !matches!(value, Value::Int(_) | Value::Null) {
                            return None;
                        }
                    }
                }
                let sources = partition.rows[partition.at];
                let group = Some(rows.as_slice());
                self.aggregate(
                    &w.function,
                    &Env { sources, merged: env.merged, outer: env.outer, group, shown: None, peers: None },
                )
            }
        }
    }

    fn env_of<'e>(&self, row: &'e [Bound], env: &'e Env) -> Env<'e> {
        Env { sources: row, merged: env.merged, outer: env.outer, group: None, shown: None, peers: None }
    }

    fn nth(&self, rows: &[&[Bound]], n: i64, x: &Expr, env: &Env) -> Option<Value> {
        match usize::try_from(n - 1).ok().and_then(|at| rows.get(at)) {
            Some(row) => self.value(x, &self.env_of(row, env)),
            None => Some(Value::Null),
        }
    }

    /// Texts of the rows one after the other, in the order of the window.
    fn concatenated(
        &self,
        rows: &[&[Bound]],
        x: &Expr,
        between: Option<&Expr>,
        a: &Aggregate,
        env: &Env,
    ) -> Option<Value> {
        let between = match between {
            None => ",".to_owned(),
            Some(Expr::Literal(Literal::Text(t))) => t.clone(),
            Some(_) => return None,
        };
        let mut parts = Vec::new();
        for row in rows {
            self.spend()?;
            let env = self.env_of(row, env);
            if let Some(filter) = &a.filter
                && self.truth(filter, &env)? != Some(true)
            {
                continue;
            }
            match self.value(x, &env)? {
                Value::Null => {}
                value => parts.push(super::sqlite::plain_text(&value)?),
            }
        }
        Some(if parts.is_empty() { Value::Null } else { Value::Text(parts.join(&between)) })
    }

    /// The partition of the row at hand, in the order of the window.
    fn partition<'r>(&self, w: &Window, env: &Env<'r>) -> Option<Partition<'r>> {
        let peers = env.peers?;
        let keys = |exprs: &[&Expr], row: &'r [Bound]| -> Option<Vec<Value>> {
            let env = self.env_of(row, env);
            exprs.iter().map(|x| self.value(x, &env)).collect()
        };
        let shapes =
            |exprs: &[&Expr]| -> Vec<Shape> { exprs.iter().map(|x| self.shape(x, Name::default(), env)).collect() };
        let parts: Vec<&Expr> = w.partition_by.iter().collect();
        let orders: Vec<&Expr> = w.order_by.iter().map(|o| &o.expr).collect();
        let (part_shapes, order_shapes) = (shapes(&parts), shapes(&orders));
        let own = keys(&parts, &peers.rows[peers.at])?;
        let mut sorted: Vec<(usize, Vec<Value>)> = Vec::new();
        for (i, row) in peers.rows.iter().enumerate() {
            self.spend()?;
            if !self.same_row(&own, &keys(&parts, row)?, &part_shapes)? {
                continue;
            }
            let made = keys(&orders, row)?;
            let mut at = sorted.len();
            while at > 0 && self.by_window(&made, &sorted[at - 1].1, &order_shapes, &w.order_by)?.is_lt() {
                at -= 1;
            }
            sorted.insert(at, (i, made));
        }
        let (mut groups, mut group) = (Vec::with_capacity(sorted.len()), 0);
        for (i, (_, made)) in sorted.iter().enumerate() {
            if i > 0 && self.by_window(made, &sorted[i - 1].1, &order_shapes, &w.order_by)?.is_ne() {
                group += 1;
            }
            groups.push(group);
        }
        let at = sorted.iter().position(|(i, _)| *i == peers.at)?;
        let rows = sorted.iter().map(|(i, _)| peers.rows[*i].as_slice()).collect();
        Some(Partition { rows, groups, at })
    }

    fn by_window(&self, a: &[Value], b: &[Value], shapes: &[Shape], order: &[OrderItem]) -> Option<Ordering> {
        for (((a, b), shape), o) in a.iter().zip(b).zip(shapes).zip(order) {
            let found = self.by_key(a, b, shape, o)?;
            if found.is_ne() {
                return Some(found);
            }
        }
        Some(Ordering::Equal)
    }

    /// The rows of the frame, in order.
    fn framed<'r>(&self, frame: &Frame, p: &Partition<'r>) -> Option<Vec<&'r [Bound]>> {
        let whole = frame.from == Edge::First && frame.to == Edge::Last;
        let told_apart =
            frame.unit == Unit::Rows && !whole || frame.exclude == Exclude::Current || frame.exclude == Exclude::Ties;
        if told_apart && !p.is_total() {
            return None;
        }
        let units: Vec<i64> = match frame.unit {
            Unit::Rows => (0..p.rows.len() as i64).collect(),
            Unit::Groups | Unit::Range => p.groups.iter().map(|g| *g as i64).collect(),
        };
        let here = units[p.at];
        let behind_start = |unit: i64| match frame.from {
            Edge::First => true,
            Edge::At(far) => unit >= here + far,
            Edge::Last => false,
        };
        let before_end = |unit: i64| match frame.to {
            Edge::First => false,
            Edge::At(far) => unit <= here + far,
            Edge::Last => true,
        };
        let left_out = |i: usize| match frame.exclude {
            Exclude::Nothing => false,
            Exclude::Current => i == p.at,
            Exclude::Group => p.groups[i] == p.group(),
            Exclude::Ties => p.groups[i] == p.group() && i != p.at,
        };
        let inside = |i: &usize| behind_start(units[*i]) && before_end(units[*i]) && !left_out(*i);
        Some((0..p.rows.len()).filter(inside).map(|i| p.rows[i]).collect())
    }
}

/// Functions that look at single rows of the order.
fn by_row(function: &str) -> bool {
    ["row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value"].contains(&function)
}

/// The frame as it is written. Nothing where it is counted in values.
fn frame_of(w: &Window) -> Option<Frame> {
    let Some(text) = &w.frame else {
        let to = if w.order_by.is_empty() { Edge::Last } else { Edge::At(0) };
        return Some(Frame { unit: Unit::Range, from: Edge::First, to, exclude: Exclude::Nothing });
    };
    let text = text.to_ascii_uppercase();
    let (bounds, exclude) = match text.split_once(" EXCLUDE ") {
        None => (text.as_str(), Exclude::Nothing),
        Some((bounds, "NO OTHERS")) => (bounds, Exclude::Nothing),
        Some((bounds, "CURRENT ROW")) => (bounds, Exclude::Current),
        Some((bounds, "GROUP")) => (bounds, Exclude::Group),
        Some((bounds, "TIES")) => (bounds, Exclude::Ties),
        Some(_) => return None,
    };
    let (unit, bounds) = bounds.split_once(' ')?;
    let unit = match unit {
        "ROWS" => Unit::Rows,
        "GROUPS" => Unit::Groups,
        "RANGE" => Unit::Range,
        _ => return None,
    };
    let (from, to) = match bounds.strip_prefix("BETWEEN ") {
        Some(both) => both.split_once(" AND ")?,
        None => (bounds, "CURRENT ROW"),
    };
    let (from, to) = (edge(from)?, edge(to)?);
    let by_value = |edge: Edge| matches!(edge, Edge::At(far) if far != 0);
    if unit == Unit::Range && (by_value(from) || by_value(to)) {
        return None;
    }
    Some(Frame { unit, from, to, exclude })
}

fn edge(text: &str) -> Option<Edge> {
    match text.trim() {
        "UNBOUNDED PRECEDING" => Some(Edge::First),
        "UNBOUNDED FOLLOWING" => Some(Edge::Last),
        "CURRENT ROW" => Some(Edge::At(0)),
        other => {
            let (far, side) = other.rsplit_once(' ')?;
            let far: i64 = far.parse().ok().filter(|far| (0..1 << 20).contains(far))?;
            match side {
                "PRECEDING" => Some(Edge::At(-far)),
                "FOLLOWING" => Some(Edge::At(far)),
                _ => None,
            }
        }
    }
}
