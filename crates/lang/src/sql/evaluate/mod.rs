//! What an expression is worth for a row: our own reading of a dialect's operators and functions, beside the engine's.
//!
//! Everything answers `None` where it does not know, be it that a function is not here, that releases of the engine
//! differ, or that the manual does not say. Nothing is guessed: a claim rests on the rest. What differs between
//! dialects is chosen by `Semantics`; `sqlite.rs` has storage classes, affinities and conversions, `typed.rs` the
//! dialects whose values have the type that is declared. Queries are in `execute.rs`, the rows of tables in `data.rs`.

mod aggregate;
pub mod data;
mod execute;
mod functions;
mod operands;
mod order;
mod patterns;
mod sqlite;
mod typed;
mod windows;

pub use data::Data;
pub use execute::Answer;

use super::ast::*;
use super::typing::ROWID;
use super::walk;
use operands::{Affinities, Collations, Operand, compared, decided};
use qualm_core::dialect::sql::{Affinity, Dialect, Semantics};
use qualm_core::value::Value;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

/// True, false or unknown; nothing where we cannot tell.
pub type Truth = Option<Option<bool>>;

/// Combinations of rows that one evaluation looks at.
const FUEL: u32 = 6_000;

pub struct Evaluator<'a> {
    dialect: &'a Dialect,
    semantics: Semantics,
    data: &'a Data,
    /// Tables of WITH that are in scope.
    ctes: RefCell<Vec<(Name, Rc<execute::Relation>)>>,
    /// Tables whose rows were looked at.
    read: RefCell<Vec<Name>>,
    fuel: Cell<u32>,
    /// Values that are equal and not identical were made one.
    chosen: Cell<bool>,
}

/// The row of one member of FROM.
#[derive(Clone)]
pub(super) struct Bound {
    alias: Name,
    shapes: Rc<[Shape]>,
    values: Rc<[Value]>,
    /// The row's number; nothing where the table has none.
    rowid: Option<Value>,
}

/// What comparisons must know of a column.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    name: Name,
    affinity: Affinities,
    collation: Collations,
}

/// The rows that an expression is evaluated for.
pub(super) struct Env<'a> {
    sources: &'a [Bound],
    /// Columns that joins made of several: the name, and the sources that have it.
    merged: &'a [(Name, Vec<usize>)],
    outer: Option<&'a Env<'a>>,
    /// The rows of the group, where there are groups.
    group: Option<&'a [&'a [Bound]]>,
    /// Those of them that columns beside aggregates can be of, where not any.
    shown: Option<&'a [&'a [Bound]]>,
    /// All rows of the SELECT, where windows may look at them.
    peers: Option<Peers<'a>>,
}

/// The rows of a SELECT that has no groups, and which of them is at hand.
#[derive(Clone, Copy)]
pub(super) struct Peers<'a> {
    rows: &'a [Vec<Bound>],
    at: usize,
}

impl Bound {
    fn named(&self, table: &str) -> bool {
        self.alias == table
    }

    fn position(&self, column: &str) -> Option<usize> {
        self.shapes.iter().position(|s| s.name == column)
    }
}

impl<'a> Evaluator<'a> {
    /// Nothing where the dialect's semantics are not known.
    pub fn new(dialect: &'a Dialect, data: &'a Data) -> Option<Evaluator<'a>> {
        let (ctes, read) = (RefCell::default(), RefCell::default());
        Some(Evaluator {
            dialect,
            semantics: dialect.semantics?,
            data,
            ctes,
            read,
            fuel: Cell::new(FUEL),
            chosen: Cell::new(false),
        })
    }

    /// The same, ready for another evaluation.
    pub fn renewed(&self) -> &Evaluator<'a> {
        self.fuel.set(FUEL);
        self.read.borrow_mut().clear();
        self
    }

    /// The value of an expression over literals alone.
    pub fn constant(&self, e: &Expr) -> Option<Value> {
        self.value(e, &Env { sources: &[], merged: &[], outer: None, group: None, shown: None, peers: None })
    }

    fn is_sqlite(&self) -> bool {
        matches!(self.semantics, Semantics::Sqlite)
    }

    /// Counts one unit of work; nothing where there was too much of it.
    fn spend(&self) -> Option<()> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        Some(())
    }

    // ------------------------------------------------------------ names

    /// Whose column this is, where it stands there, and for which rows that was found.
    fn lookup<'e>(
        &self,
        table: &str,
        column: &str,
        env: &'e Env<'e>,
    ) -> Option<(&'e Bound, Option<usize>, &'e Env<'e>)> {
        let mut at = Some(env);
        while let Some(env) = at {
            if let Some(bound) = env.sources.iter().find(|b| b.named(table)) {
                return match bound.position(column) {
                    Some(i) => Some((bound, Some(i), env)),
                    None if column == ROWID && bound.rowid.is_some() => Some((bound, None, env)),
                    None => None,
                };
            }
            at = env.outer;
        }
        None
    }

    fn merged<'e>(&self, table: &str, column: &str, env: &'e Env) -> Option<&'e [usize]> {
        let found = env.merged.iter().find(|(name, _)| table.is_empty() && name == column);
        found.map(|(_, parts)| parts.as_slice())
    }

    fn column(&self, table: &str, column: &str, env: &Env) -> Option<Value> {
        if let Some(parts) = self.merged(table, column, env) {
            let part = |i: &usize| {
                let bound = &env.sources[*i];
                bound.position(column).map(|at| bound.values[at].clone())
            };
            let values: Option<Vec<Value>> = parts.iter().map(part).collect();
            return Some(values?.into_iter().find(|v| *v != Value::Null).unwrap_or(Value::Null));
        }
        let (bound, position, env) = self.lookup(table, column, env)?;
        let of = |bound: &Bound| match position {
            Some(i) => Some(bound.values[i].clone()),
            None => bound.rowid.clone(),
        };
        let value = of(bound)?;
        let Some(group) = env.group else { return Some(value) };
        // Beside aggregates over no row, SQLite's manual says, columns are NULL. What a view or a column computes from
        // NULL may be something else.
        if group.is_empty() {
            let stored = bound.rowid.is_some() && !self.data.computes_columns();
            return (self.is_sqlite() && stored).then_some(Value::Null);
        }
        // Beside aggregates, which row of the group shows is the engine's choice.
        for row in env.shown.unwrap_or(group) {
            let other = row.iter().find(|b| b.named(table))?;
            if of(other)? != value {
                return None;
            }
        }
        Some(value)
    }

    // ------------------------------------------------------------ expressions

    /// Where texts are not stored as UTF-8, what bytes are as text is not known: no claim is made about bytes.
    pub(super) fn value(&self, e: &Expr, env: &Env) -> Option<Value> {
        let known = |v: &Value| self.data.utf8 || !matches!(v, Value::Blob(_));
        self.value_of(e, env).filter(known)
    }

    fn value_of(&self, e: &Expr, env: &Env) -> Option<Value> {
        match e {
            Expr::Literal(l) => self.literal(l),
            Expr::Column { table, column } => self.column(table, column, env),
            Expr::Unary(Unary::Not, _)
            | Expr::Binary(Binary::And | Binary::Or, ..)
            | Expr::IsNull { .. }
            | Expr::IsTruth { .. }
            | Expr::Between { .. }
            | Expr::InList { .. }
            | Expr::InQuery { .. }
            | Expr::Like { .. }
            | Expr::Exists { .. } => self.test(e, env).map(|t| self.truth_value(t)),
            Expr::Binary(op, ..) if op.is_comparison() => self.test(e, env).map(|t| self.truth_value(t)),
            Expr::Unary(op, x) => {
                let x = self.value(x, env)?;
                if self.is_sqlite() { sqlite::unary(*op, x) } else { typed::unary(*op, x) }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(a, env)?, self.value(b, env)?);
                if self.is_sqlite() { sqlite::binary(*op, a, b) } else { typed::binary(*op, a, b, self.semantics) }
            }
            Expr::Case { operand, arms, otherwise } => self.case(operand.as_deref(), arms, otherwise.as_deref(), env),
            Expr::Cast { expr, type_name } => {
                let value = self.value(expr, env)?;
                if self.is_sqlite() {
                    sqlite::cast(value, type_name)
                } else {
                    typed::cast(value, type_name, self.dialect)
                }
            }
            Expr::Collate { expr, .. } => self.value(expr, env),
            Expr::Call { function, args } => self.call(function, args, env),
            Expr::Aggregate(a) => self.aggregate(a, env),
            Expr::Scalar(query) => self.scalar(query, env).map(|o| o.value),
            Expr::Window(w) => self.window(w, env),
            Expr::Row(_) => None,
        }
    }

    fn literal(&self, l: &Literal) -> Option<Value> {
        Some(match l {
            Literal::Null => Value::Null,
            Literal::Bool(b) => self.truth_value(Some(*b)),
            Literal::Int(i) => Value::Int(*i),
            Literal::Real(r) if r.is_nan() || *r == 0.0 && r.is_sign_negative() => return None,
            Literal::Real(r) => Value::Real(*r),
            Literal::Text(t) if t.contains('\0') => return None,
            Literal::Text(t) => Value::Text(t.clone()),
            Literal::Blob(b) => Value::Blob(b.clone()),
            // Not NULL, and otherwise a value that no comparison and no function here knows.
            Literal::Special(kind, text) => Value::marked(&format!("~{}", kind.0), text.as_str()),
        })
    }

    fn truth_value(&self, truth: Option<bool>) -> Value {
        match truth {
            None => Value::Null,
            Some(b) if self.dialect.numeric_truth => Value::Int(b.into()),
            Some(b) => Value::Bool(b),
        }
    }

    /// What WHERE makes of an expression.
    pub(super) fn truth(&self, e: &Expr, env: &Env) -> Truth {
        let value = match e {
            Expr::Unary(Unary::Not, _) | Expr::Binary(Binary::And | Binary::Or, ..) => return self.test(e, env),
            _ => self.value(e, env)?,
        };
        match value {
            Value::Null => Some(None),
            Value::Bool(b) => Some(Some(b)),
            value if self.is_sqlite() => sqlite::is_true(&value).map(Some),
            Value::Int(i) if self.dialect.numeric_truth => Some(Some(i != 0)),
            _ => None,
        }
    }

    /// The expressions that are true, false or unknown.
    fn test(&self, e: &Expr, env: &Env) -> Truth {
        match e {
            Expr::Unary(Unary::Not, x) => Some(self.truth(x, env)?.map(|t| !t)),
            Expr::Binary(Binary::And, a, b) => decided(self.truth(a, env), self.truth(b, env), false),
            Expr::Binary(Binary::Or, a, b) => decided(self.truth(a, env), self.truth(b, env), true),
            Expr::Binary(op, a, b) => self.comparison(*op, a, b, env),
            Expr::IsNull { expr, negated } => Some(Some((self.value(expr, env)? == Value::Null) != *negated)),
            Expr::IsTruth { expr, test, negated } => Some(Some((self.truth(expr, env)? == Some(*test)) != *negated)),
            Expr::Between { expr, low, high, negated }
                if [expr, low, high].iter().any(|x| matches!(***x, Expr::Row(_))) =>
            {
                let above = self.comparison(Binary::Ge, expr, low, env);
                let below = self.comparison(Binary::Le, expr, high, env);
                Some(decided(above, below, false)?.map(|t| t != *negated))
            }
            Expr::Between { expr, low, high, negated } => {
                let x = self.operand(expr, env)?;
                let above = self.order(&x, &self.operand(low, env)?).map(|o| o.map(Ordering::is_ge));
                let below = self.order(&x, &self.operand(high, env)?).map(|o| o.map(Ordering::is_le));
                Some(decided(above, below, false)?.map(|t| t != *negated))
            }
            Expr::InList { expr, list, negated } => Some(self.in_list(expr, list, env)?.map(|t| t != *negated)),
            Expr::InQuery { expr, query, negated } => Some(self.in_query(expr, query, env)?.map(|t| t != *negated)),
            Expr::Like { glob, expr, pattern, escape, negated } => {
                let (text, pattern) = (self.value(expr, env)?, self.value(pattern, env)?);
                Some(self.like(*glob, text, pattern, *escape)?.map(|t| t != *negated))
            }
            Expr::Exists { query, negated } => Some(Some(self.nested(query, env)?.rows.is_empty() == *negated)),
            _ => None,
        }
    }

    fn like(&self, glob: bool, text: Value, pattern: Value, escape: Option<char>) -> Truth {
        if text == Value::Null || pattern == Value::Null {
            return Some(None);
        }
        let (text, pattern) = match (text, pattern) {
            (Value::Text(t), Value::Text(p)) => (t, p),
            (t, p) if self.is_sqlite() => (sqlite::plain_text(&t)?, sqlite::plain_text(&p)?),
            _ => return None,
        };
        if glob {
            // Elsewhere a backslash takes away what the next character means, and `!` negates a set instead of `^`.
            let known = self.is_sqlite() || !pattern.contains(['\\', '[']);
            return patterns::glob(&text, &pattern).filter(|_| known).map(Some);
        }
        let (fold, implied) = match self.semantics {
            Semantics::Sqlite => (true, None),
            Semantics::Typed(rules) => (rules.like_ignores_case, rules.like_escape),
        };
        patterns::like(&text, &pattern, escape.or(implied), fold).map(Some)
    }

    fn case(
        &self,
        operand: Option<&Expr>,
        arms: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        env: &Env,
    ) -> Option<Value> {
        let of = operand.map(|x| self.operand(x, env));
        for (when, then) in arms {
            let met = match &of {
                Some(of) => self.order(of.as_ref()?, &self.operand(when, env)?)?.map(Ordering::is_eq),
                None => self.truth(when, env)?,
            };
            if met == Some(true) {
                return self.value(then, env);
            }
        }
        otherwise.map_or(Some(Value::Null), |x| self.value(x, env))
    }

    // ------------------------------------------------------------ comparisons

    fn comparison(&self, op: Binary, a: &Expr, b: &Expr, env: &Env) -> Truth {
        // `x IS TRUE` and `x IS NOT DISTINCT FROM TRUE` are no comparisons, and a truth value prints as that word.
        let is_word = |e: &Expr| matches!(e, Expr::Literal(Literal::Bool(_)));
        let null_safe = matches!(op, Binary::Is | Binary::IsNot | Binary::IsDistinctFrom | Binary::IsNotDistinctFrom);
        if null_safe && self.is_sqlite() && (is_word(a) || is_word(b)) {
            return None;
        }
        let pairs: Vec<(&Expr, &Expr)> = match (a, b) {
            (Expr::Row(a), Expr::Row(b)) if a.len() == b.len() => a.iter().zip(b).collect(),
            (Expr::Row(row), Expr::Scalar(query)) => return self.with_row(op, row, query, false, env),
            (Expr::Scalar(query), Expr::Row(row)) => return self.with_row(op, row, query, true, env),
            (Expr::Row(_), _) | (_, Expr::Row(_)) => return None,
            _ => vec![(a, b)],
        };
        let mut orders = Vec::with_capacity(pairs.len());
        let row = pairs.len() > 1;
        for (x, y) in pairs {
            let (x, y) = (self.operand(x, env)?, self.operand(y, env)?);
            let nulls = (x.value == Value::Null, y.value == Value::Null);
            // To some engines a NULL inside a row is a value like others.
            if row && !self.is_sqlite() && (nulls.0 || nulls.1) {
                return None;
            }
            orders.push((self.order(&x, &y)?, nulls));
        }
        compared(op, &orders)
    }

    /// A row of expressions beside the only row of a query. `turned`: the query stands on the left.
    fn with_row(&self, op: Binary, row: &[Expr], query: &Query, turned: bool, env: &Env) -> Truth {
        let relation = self.nested(query, env)?;
        if !self.is_sqlite() || relation.columns.len() != row.len() || relation.rows.len() > 1 {
            return None;
        }
        let mut orders = Vec::with_capacity(row.len());
        for (i, x) in row.iter().enumerate() {
            let (x, shape) = (self.operand(x, env)?, &relation.columns[i]);
            let value = relation.rows.first().map_or(Value::Null, |row| row[i].clone());
            // Whether the collation of an inner column counts is not said.
            let collation = Collations { set: shape.collation.set | 1, explicit: false };
            let y = Operand { value, affinity: shape.affinity, collation };
            let (l, r) = if turned { (&y, &x) } else { (&x, &y) };
            orders.push((self.order(l, r)?, (l.value == Value::Null, r.value == Value::Null)));
        }
        compared(op, &orders)
    }

    fn operand(&self, e: &Expr, env: &Env) -> Option<Operand> {
        if let Expr::Scalar(query) = e {
            return self.scalar(query, env);
        }
        let value = self.value(e, env)?;
        if !self.is_sqlite() {
            return Some(Operand { value, affinity: Affinities::NONE, collation: Collations::of(0) });
        }
        Some(Operand { value, affinity: self.affinity(e, env), collation: self.collation(e, env) })
    }

    fn affinity(&self, e: &Expr, env: &Env) -> Affinities {
        match e {
            Expr::Column { table, column } => {
                if let Some(parts) = self.merged(table, column, env) {
                    let of = |i: &usize| {
                        let bound = &env.sources[*i];
                        bound.position(column).map(|at| bound.shapes[at].affinity)
                    };
                    return parts.iter().filter_map(of).reduce(Affinities::or).unwrap_or(Affinities::NONE);
                }
                match self.lookup(table, column, env) {
                    Some((bound, Some(i), _)) => bound.shapes[i].affinity,
                    Some((_, None, _)) => Affinities::of(Affinity::Integer),
                    None => Affinities::NONE,
                }
            }
            Expr::Cast { type_name, .. } => Affinities::of(sqlite::affinity_of(type_name)),
            Expr::Collate { expr, .. } => self.affinity(expr, env),
            Expr::Scalar(query) => self.scalar(query, env).map_or(Affinities::NONE, |o| o.affinity),
            // Older releases look through these.
            Expr::Call { function, args } if functions::is_hint(function) && !args.is_empty() => {
                Affinities::NONE.or(self.affinity(&args[0], env))
            }
            _ => Affinities::NONE,
        }
    }

    fn collation(&self, e: &Expr, env: &Env) -> Collations {
        match e {
            Expr::Column { table, column } => {
                if let Some(parts) = self.merged(table, column, env) {
                    let of = |i: &usize| {
                        let bound = &env.sources[*i];
                        bound.position(column).map(|at| bound.shapes[at].collation.set)
                    };
                    let set = parts.iter().filter_map(of).fold(0, |a, b| a | b);
                    return Collations { set, explicit: false };
                }
                match self.lookup(table, column, env) {
                    Some((bound, Some(i), _)) => bound.shapes[i].collation,
                    _ => Collations::of(0),
                }
            }
            Expr::Collate { collation, .. } => {
                let known = self.dialect.collations.iter().position(|c| c.eq_ignore_ascii_case(collation));
                known.map_or(Collations::ANY, |i| Collations { explicit: true, ..Collations::of(i as u8) })
            }
            Expr::Cast { expr, .. } | Expr::Unary(Unary::Plus, expr) => self.collation(expr, env),
            Expr::Call { function, args } if functions::is_hint(function) && !args.is_empty() => {
                let inner = self.collation(&args[0], env);
                Collations { set: inner.set | 1, ..inner }
            }
            Expr::Scalar(_) | Expr::Literal(_) => Collations::NONE,
            other => {
                // COLLATE somewhere inside counts as well, by rules that are not written down.
                let mut collates = false;
                walk::each_expr(other, &mut |x| collates |= matches!(x, Expr::Collate { .. }));
                if collates { Collations { set: Collations::ANY.set | 1, explicit: true } } else { Collations::NONE }
            }
        }
    }

    /// How two operands compare; `Some(None)` where one is NULL.
    fn order(&self, l: &Operand, r: &Operand) -> Option<Option<Ordering>> {
        if l.value == Value::Null || r.value == Value::Null {
            return Some(None);
        }
        if !self.is_sqlite() {
            return typed::order(&l.value, &r.value).map(Some);
        }
        let mut found: Option<Ordering> = None;
        for left in l.affinity.each() {
            for right in r.affinity.each() {
                let (a, b) = sqlite::converted(&l.value, &r.value, left, right)?;
                for collation in l.collation.meet(r.collation) {
                    let order = sqlite::order(&a, &b, self.dialect.collations.get(usize::from(collation)).copied())?;
                    if found.is_some_and(|known| known != order) {
                        return None;
                    }
                    found = Some(order);
                }
            }
        }
        found.map(Some)
    }

    /// Members of a list have no affinity and no collation.
    fn in_list(&self, x: &Expr, list: &[Expr], env: &Env) -> Truth {
        let x = self.operand(x, env)?;
        // Not even NULL is unknown among no values.
        let mut unknown = x.value == Value::Null && !list.is_empty();
        let mut unsure = false;
        for item in list {
            if matches!(item, Expr::Row(_)) {
                return None;
            }
            let item = self.operand(item, env).map(|o| Operand {
                affinity: Affinities::NONE,
                // One member alone is made an equality, which asks it too where the left side says nothing.
                collation: Collations { set: o.collation.set | 1, explicit: false },
                ..o
            });
            match item.and_then(|item| self.order(&x, &item)) {
                None => unsure = true,
                Some(None) => unknown = true,
                Some(Some(Ordering::Equal)) => return Some(Some(true)),
                Some(Some(_)) => {}
            }
        }
        match (unsure, unknown) {
            (true, _) => None,
            (false, true) => Some(None),
            (false, false) => Some(Some(false)),
        }
    }

    fn in_query(&self, x: &Expr, query: &Query, env: &Env) -> Truth {
        let left: Vec<&Expr> = match x {
            Expr::Row(items) => items.iter().collect(),
            _ => vec![x],
        };
        let relation = self.nested(query, env)?;
        if relation.columns.len() != left.len() {
            return None;
        }
        let left: Option<Vec<Operand>> = left.into_iter().map(|x| self.operand(x, env)).collect();
        let left = left?;
        let mut unknown = false;
        for row in &relation.rows {
            let mut orders = Vec::with_capacity(row.len());
            for ((x, value), shape) in left.iter().zip(row).zip(&relation.columns) {
                let y = Operand { value: value.clone(), affinity: shape.affinity, collation: shape.collation };
                orders.push((self.order(x, &y)?, (false, false)));
            }
            match compared(Binary::Eq, &orders)? {
                Some(true) => return Some(Some(true)),
                Some(false) => {}
                None => unknown = true,
            }
        }
        Some(if unknown { None } else { Some(false) })
    }

    fn scalar(&self, query: &Query, env: &Env) -> Option<Operand> {
        let relation = self.nested(query, env)?;
        let [shape] = relation.columns.as_slice() else { return None };
        let value = match relation.rows.as_slice() {
            [] => Value::Null,
            [row] => row[0].clone(),
            _ => return None,
        };
        Some(Operand { value, affinity: shape.affinity, collation: Collations::NONE })
    }
}

#[cfg(test)]
mod tests;
