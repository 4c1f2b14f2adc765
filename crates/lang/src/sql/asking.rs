//! Determinism that is asked for: where `typing.rs` cannot prove that an answer is determined, the data often decide.
//! A *fact* is a query that must answer 0 for the claim to be made; it becomes a guard in the script of the case, so it
//! is asked again of reduced data and of other releases (docs/decisions/0007 and 0031).
//!
//! A fact must not be judged by what is under test. Its conditions stand inside CASE, out of the optimiser's reach, its
//! rows come from subqueries without the clause in question, and what can be proved gets no fact at all.

use super::ast::*;
use super::schema::*;
use super::traits::gives_one_row;
use super::typing::{Mode, Typing};
use super::walk;
use qualm_core::dialect::sql::{Dialect, Kind};
use std::cell::RefCell;
use std::rc::Rc;

/// Something about the data that must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What holds when the query answers 0.
    pub label: &'static str,
    pub query: Query,
}

/// How much is asked of the data before a query is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asking {
    /// Which rows there are: those of limits, groups, subqueries, windows and sums.
    Rows,
    /// Also whether equal values are identical ones.
    Representatives,
}

/// Where a schema collects what its queries rest on; by default nothing is asked, and what is not proved is refused.
#[derive(Clone, Debug, Default)]
pub struct Facts(Option<(Asking, Rc<RefCell<Vec<Fact>>>)>);

impl Facts {
    pub fn asked(asking: Asking) -> Facts {
        Facts(Some((asking, Rc::default())))
    }

    pub fn is_asked(&self) -> bool {
        self.0.is_some()
    }

    pub fn taken(&self) -> Vec<Fact> {
        self.0.as_ref().map(|(_, facts)| facts.take()).unwrap_or_default()
    }

    pub(super) fn asks(&self, what: Asking) -> bool {
        self.0.as_ref().is_some_and(|(asking, _)| *asking >= what)
    }

    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |(_, facts)| facts.borrow().len())
    }

    pub(super) fn forget(&self, beyond: usize) {
        if let Some((_, facts)) = &self.0 {
            facts.borrow_mut().truncate(beyond);
        }
    }

    /// Takes over what a view rests on; false where nothing is asked.
    pub(super) fn adopt(&self, facts: &[Fact]) -> bool {
        facts.iter().for_each(|fact| self.add(fact.clone()));
        self.is_asked()
    }

    fn add(&self, fact: Fact) {
        if let Some((_, facts)) = &self.0
            && !facts.borrow().contains(&fact)
        {
            facts.borrow_mut().push(fact);
        }
    }
}

/// Names inside facts. Nobody else's begin like this.
const ROWS: &str = "fact_rows";
const GROUPS: &str = "fact_groups";

/// Sums of fewer than a million such numbers are exact in every order: floats have 53 bits.
const SUMMABLE: i64 = 1 << 31;
/// Fractions are multiples of one over this.
const PARTS: i64 = 256;

impl Typing<'_> {
    /// Notes a fact, or refuses for the reason that there would be without it.
    pub(super) fn rest_on(&mut self, label: &'static str, query: Option<Query>, why: Unsound) -> Checked<()> {
        let Some(mut query) = query.filter(|_| !self.open) else { return Err(why) };
        query.with = self.withs.clone();
        let twice = query.with.iter().enumerate().any(|(i, a)| query.with[..i].iter().any(|b| a.name == b.name));
        if twice || !is_closed(&query) {
            return Err(why);
        }
        self.schema.facts.add(Fact { label, query });
        Ok(())
    }

    pub(super) fn asks(&self, what: Asking) -> bool {
        self.schema.facts.asks(what)
    }

    /// A limit without a total order: it keeps all rows or none, or rows that it cannot distinguish are the same.
    pub(super) fn limited(&mut self, q: &Query, limit: &Limit, columns: &[Column], why: Unsound) -> Checked<()> {
        if limit.count == 0 {
            return Ok(());
        }
        if !self.asks(Asking::Rows) {
            return Err(why);
        }
        let unlimited = Query { with: Vec::new(), order_by: Vec::new(), limit: None, ..q.clone() };
        let bound = limit.offset.filter(|m| *m > 0).unwrap_or(limit.count);
        let count = scalar(counted(named(unlimited)));
        let fits = compare(Binary::Le, count, Expr::int(bound.into()));
        let violations = match self.keyed(q, columns).and_then(|(rows, keys)| self.apart(rows, &keys, columns)) {
            Some(violations) => scalar(violations),
            None => Expr::int(1),
        };
        let arms = vec![(fits, Expr::int(0))];
        let whole = Expr::Case { operand: None, arms, otherwise: Some(Box::new(violations)) };
        let query = Query::of(Select { items: vec![Item::bare(whole)], ..Select::default() });
        self.rest_on("the limit keeps the same rows however they are ordered", Some(query), why)
    }

    /// A query used as a value: one row at most, or rows that are all the same where the engine takes the first.
    pub(super) fn one_row(&mut self, q: &Query, columns: &[Column], correlated: bool, why: Unsound) -> Checked<()> {
        if !self.asks(Asking::Rows) {
            return Err(why);
        }
        if !correlated {
            return match &q.limit {
                None => self.limited(q, &Limit { count: 1, offset: None }, columns, why),
                Some(_) => {
                    let over = compare(Binary::Gt, scalar(counted(named(q.clone()))), Expr::int(1));
                    let items = vec![Item::bare(choose(over))];
                    let query = Query::of(Select { items, ..Select::default() });
                    self.rest_on("the subquery gives one row at most", Some(query), why)
                }
            };
        }
        // For each row of the query around it.
        let plain = |s: &Select| !s.distinct && s.group_by.is_empty() && s.having.is_none() && !s.from.is_empty();
        let inner = q.select().filter(|s| plain(s) && q.limit.is_none() && q.with.is_empty());
        let many = inner.map(|s| {
            let select = Select { items: vec![Item::bare(Expr::count_star())], ..s.clone() };
            compare(Binary::Gt, scalar(Query::of(select)), Expr::int(1))
        });
        let around = self.selects.last().map(|s| s.from.clone());
        let query = many.zip(around).map(|(many, from)| rows_where(from, many, self.dialect));
        self.rest_on("the subquery gives one row at most for each row around it", query, why)
    }

    /// A query as an operand: of one column, or of several that are compared with a row.
    pub(super) fn row_of(&mut self, query: &Query, scope: &Scope, mode: Mode) -> Checked<Traits> {
        let columns = self.nested(query, scope, mode)?;
        let several = Unsound("a scalar subquery that may give several rows");
        if !gives_one_row(query) {
            self.one_row(query, &columns, !is_closed(query), several.clone())?;
        }
        match columns.as_slice() {
            [] => Err(several),
            [c] => Ok(Traits { collation: 0, ..c.traits }),
            all if all.iter().all(|c| c.traits.taint == Taint::Clear) => Ok(Traits::of(Kind::Any)),
            _ => Err(Unsound("a value that the engine may choose decides something")),
        }
    }

    /// A column beside the keys of a group: all rows of a group have the same value there, or, where the engine takes
    /// the row of the least or greatest value, all rows that have it.
    pub(super) fn bare(&mut self, e: &Expr, traits: Traits, why: Unsound) -> Checked<Traits> {
        let Some(select) = self.selects.last().cloned() else { return Err(why) };
        if self.groups_by_a_key(&select) {
            return Ok(traits);
        }
        if !self.asks(Asking::Rows) || select.grouping().is_some() {
            return Err(why);
        }
        let row = least_or_greatest(&select).filter(|_| self.dialect.dynamic_typing);
        if select.group_by.is_empty() {
            // Then there may be a group of no rows, whose columns the engine may choose.
            let row = row.clone().ok_or_else(|| why.clone())?;
            let rows = self.rows_of(&select, std::slice::from_ref(&row), std::slice::from_ref(e));
            let none = choose(compare(Binary::Eq, Expr::count_star(), Expr::int(0)));
            let items = vec![Item::bare(none)];
            let query = Query::of(Select { items, from: from_query(rows, ROWS), ..Select::default() });
            self.rest_on("there is a row to show", Some(query), why.clone())?;
        }
        let mut keys = select.group_by.clone();
        keys.extend(row);
        self.same_within(&select, &keys, e, traits, why)?;
        Ok(traits.merged())
    }

    /// Rows of this FROM that agree in the keys agree in the value.
    pub(super) fn same_within(
        &mut self,
        select: &Select,
        keys: &[Expr],
        value: &Expr,
        traits: Traits,
        why: Unsound,
    ) -> Checked<()> {
        if !self.asks(Asking::Rows) {
            return Err(why);
        }
        let rows = self.rows_of(select, keys, std::slice::from_ref(value));
        let names: Vec<Name> = (0..keys.len()).map(key_name).collect();
        let column = Column { name: column_name(0), traits };
        let query = self.apart(rows, &names, &[column]);
        self.rest_on("rows of one group have one value here", query, why)
    }

    /// The engine shows one of several equal values: they are identical here.
    pub(super) fn identical(&mut self, e: &Expr, traits: Traits) -> Traits {
        let merged = traits.merged();
        if merged.taint == Taint::Clear || traits.taint != Taint::Clear || !self.asks(Asking::Representatives) {
            return merged;
        }
        let Some(select) = self.selects.last().cloned() else { return merged };
        let rows = self.rows_of(&select, std::slice::from_ref(e), std::slice::from_ref(e));
        let column = Column { name: column_name(0), traits };
        let query = self.apart(rows, &[key_name(0)], &[column]);
        match self.rest_on("equal values are identical", query, Unsound("")) {
            Ok(()) => traits,
            Err(_) => merged,
        }
    }

    /// The same for the columns of a compound.
    pub(super) fn identical_columns(&mut self, left: &Body, right: &Body, before: &[Column]) -> bool {
        if !self.asks(Asking::Representatives) {
            return false;
        }
        let body = Body::Compound { op: SetOp::UnionAll, left: left.clone().into(), right: right.clone().into() };
        let all = named(Query { with: Vec::new(), body, order_by: Vec::new(), limit: None });
        for (i, column) in before.iter().enumerate() {
            let column = Column { name: column_name(i), traits: column.traits };
            let query = self.apart(all.clone(), std::slice::from_ref(&column.name), std::slice::from_ref(&column));
            if self.rest_on("equal values are identical", query, Unsound("")).is_err() {
                return false;
            }
        }
        true
    }

    /// Sums whose terms are not known to be small: they are, here.
    pub(super) fn sums_exactly(&mut self, e: &Expr, traits: Traits, why: Unsound) -> Checked<()> {
        if !self.asks(Asking::Rows) {
            return Err(why);
        }
        let Some(select) = self.selects.last().cloned() else { return Err(why) };
        let between = |x: Expr| {
            let (low, high) = (Box::new(Expr::int(-SUMMABLE)), Box::new(Expr::int(SUMMABLE)));
            Expr::Between { expr: Box::new(x), low, high, negated: false }
        };
        let fine = match (self.dialect.dynamic_typing, traits.kind) {
            (false, Kind::Int) => between(e.clone()),
            (false, _) => return Err(why),
            (true, _) => {
                // As a number, which is what is summed.
                let number = compare(Binary::Add, e.clone(), Expr::int(0));
                let parts = compare(Binary::Mul, number.clone(), Expr::int(PARTS));
                let whole = Expr::Cast { expr: Box::new(parts.clone()), type_name: "INTEGER".into() };
                between(number).and(compare(Binary::Eq, parts, whole))
            }
        };
        let bad = fine.or(e.clone().is_null()).negate();
        let bad = match select.filter {
            Some(filter) => filter.and(bad),
            None => bad,
        };
        let query = rows_where(select.from, bad, self.dialect);
        self.rest_on("all terms of the sum are so small that it is exact", Some(query), why)
    }

    /// No two rows of this FROM agree in all of these.
    pub(super) fn unique(&mut self, keys: &[Expr], why: Unsound) -> Checked<()> {
        if !self.asks(Asking::Rows) {
            return Err(why);
        }
        let Some(select) = self.selects.last().cloned() else { return Err(why) };
        let rows = self.rows_of(&select, keys, &[]);
        let names: Vec<Name> = (0..keys.len()).map(key_name).collect();
        let several = compare(Binary::Gt, Expr::count_star(), Expr::int(1));
        let query = groups_with(rows, &names, several);
        self.rest_on("no two rows agree in what the window orders and divides by", Some(query), why)
    }

    // ------------------------------------------------------------ the queries

    /// Rows of a SELECT before they are grouped: keys `k0…` and values `c0…`, the condition inside CASE.
    fn rows_of(&self, select: &Select, keys: &[Expr], values: &[Expr]) -> Query {
        let named = |(e, alias): (&Expr, Name)| Item { expr: e.clone(), alias: Some(alias) };
        let keys = keys.iter().enumerate().map(|(i, e)| (e, key_name(i)));
        let values = values.iter().enumerate().map(|(i, e)| (e, column_name(i)));
        let mut items: Vec<Item> = keys.chain(values).map(named).collect();
        if items.is_empty() {
            items.push(Item { expr: Expr::int(1), alias: Some(column_name(0)) });
        }
        let filter = select.filter.clone().map(|f| in_case(f, self.dialect));
        Query::of(Select { items, from: select.from.clone(), filter, ..Select::default() })
    }

    /// A query without its order and limit, with what it orders by as columns, and the names of these.
    fn keyed(&self, q: &Query, columns: &[Column]) -> Option<(Query, Vec<Name>)> {
        let mut rows = named(Query { with: Vec::new(), order_by: Vec::new(), limit: None, ..q.clone() });
        let mut keys = Vec::new();
        let Body::Select(select) = &mut rows.body else {
            let output = |o: &OrderItem| {
                columns.iter().position(|c| matches!(&o.expr, Expr::Column { column, .. } if *column == c.name))
            };
            let keys: Option<Vec<Name>> = q.order_by.iter().map(|o| output(o).map(column_name)).collect();
            return Some((rows, keys?));
        };
        let original = q.select()?;
        if select.items.is_empty() {
            return None;
        }
        for o in &q.order_by {
            let is_item = |i: &Item| {
                i.expr == o.expr
                    || matches!(&o.expr, Expr::Column { table, column } if table.is_empty()
                        && i.alias.as_ref() == Some(column))
            };
            match original.items.iter().position(is_item) {
                Some(at) => keys.push(column_name(at)),
                None if select.distinct => return None,
                None => {
                    let alias = key_name(keys.len());
                    select.items.push(Item { expr: o.expr.clone(), alias: Some(alias.clone()) });
                    keys.push(alias);
                }
            }
        }
        Some((rows, keys))
    }

    /// How many groups of equal keys have rows that differ in one of these columns, which are `c0…` there. Nothing
    /// where that cannot be said.
    fn apart(&self, rows: Query, keys: &[Name], columns: &[Column]) -> Option<Query> {
        let differs = |(i, column): (usize, &Column)| {
            let c = bare(&column_name(i));
            let ends = compare(Binary::Ne, aggregate("min", c.clone()), aggregate("max", c.clone()));
            if self.dialect.dynamic_typing {
                // As text, with the type before it: so 1 and 1.0, 'a' and 'A' are distinguished.
                let kind = Expr::call("typeof", vec![c.clone()]);
                let shown = Expr::call("ifnull", vec![c, Expr::text("")]);
                let text = compare(Binary::Concat, kind, shown);
                let args = vec![text];
                let counted = Aggregate { function: "count".into(), args, distinct: true, filter: None };
                let several = compare(Binary::Gt, Expr::Aggregate(Box::new(counted)), Expr::int(1));
                return Some(ends.or(several));
            }
            let comparable = matches!(column.traits.kind, Kind::Int | Kind::Real | Kind::Text);
            if !comparable || !column.traits.identical() {
                return None;
            }
            let some = aggregate("count", c);
            let none =
                compare(Binary::Ne, some.clone(), Expr::int(0)).and(compare(Binary::Ne, some, Expr::count_star()));
            Some(ends.or(none))
        };
        let all: Option<Vec<Expr>> = columns.iter().enumerate().map(differs).collect();
        Some(groups_with(rows, keys, all?.into_iter().reduce(Expr::or)?))
    }

    /// The groups of a SELECT have one row each, whatever the data: it reads one table, whose key is among the keys.
    fn groups_by_a_key(&self, select: &Select) -> bool {
        let [Joined { source: Source::Table { name, alias, .. }, .. }] = select.from.as_slice() else { return false };
        let Some(table) = self.schema.table(name).filter(|_| !self.is_cte(name)) else { return false };
        let grouped = |column: &Name| {
            select
                .group_by
                .iter()
                .any(|e| matches!(e, Expr::Column { table, column: c } if table == alias && c == column))
        };
        table.keys.iter().any(|key| !key.is_empty() && key.iter().all(grouped))
    }
}

fn key_name(i: usize) -> Name {
    format!("k{i}").into()
}

fn column_name(i: usize) -> Name {
    format!("c{i}").into()
}

fn bare(name: &Name) -> Expr {
    Expr::Column { table: ROWS.into(), column: name.clone() }
}

fn compare(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

fn scalar(query: Query) -> Expr {
    Expr::Scalar(Box::new(query))
}

fn aggregate(function: &str, arg: Expr) -> Expr {
    Expr::Aggregate(Box::new(Aggregate { function: function.into(), args: vec![arg], distinct: false, filter: None }))
}

fn choose(e: Expr) -> Expr {
    Expr::Case { operand: None, arms: vec![(e, Expr::int(1))], otherwise: Some(Box::new(Expr::int(0))) }
}

/// A condition that no optimiser looks into.
fn in_case(e: Expr, dialect: &Dialect) -> Expr {
    let inside = choose(e);
    if dialect.numeric_truth { inside } else { compare(Binary::Eq, inside, Expr::int(1)) }
}

fn from_query(query: Query, alias: &str) -> Vec<Joined> {
    let source = Source::Query { query: Box::new(query), alias: alias.into() };
    vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }]
}

fn counted(query: Query) -> Query {
    let from = from_query(query, GROUPS);
    Query::of(Select { items: vec![Item::bare(Expr::count_star())], from, ..Select::default() })
}

/// How many rows of this FROM meet a condition.
fn rows_where(from: Vec<Joined>, condition: Expr, dialect: &Dialect) -> Query {
    let filter = Some(in_case(condition, dialect));
    Query::of(Select { items: vec![Item::bare(Expr::count_star())], from, filter, ..Select::default() })
}

/// How many groups of rows with equal keys meet a condition.
fn groups_with(rows: Query, keys: &[Name], condition: Expr) -> Query {
    let one = Item { expr: Expr::int(1), alias: Some("c".into()) };
    let from = from_query(rows, ROWS);
    if keys.is_empty() {
        // All rows are one group.
        return Query::of(Select { items: vec![Item::bare(choose(condition))], from, ..Select::default() });
    }
    let group_by = keys.iter().map(bare).collect();
    let groups = Select { items: vec![one], from, group_by, having: Some(condition), ..Select::default() };
    counted(Query::of(groups))
}

/// The columns of a query are `c0`, `c1` and so on; those of `*` keep their names.
fn named(mut q: Query) -> Query {
    fn first(body: &mut Body) -> Option<&mut Select> {
        match body {
            Body::Select(s) => Some(s),
            Body::Compound { left, .. } => first(left),
            Body::Values(_) => None,
        }
    }
    if let Some(select) = first(&mut q.body) {
        for (i, item) in select.items.iter_mut().enumerate() {
            item.alias = Some(column_name(i));
        }
    }
    q
}

/// The argument of the only aggregate of a SELECT, if it is the least or the greatest value: then columns beside it are
/// those of its row.
pub(super) fn least_or_greatest(select: &Select) -> Option<Expr> {
    let mut found: Vec<Aggregate> = Vec::new();
    for e in select.items.iter().map(|i| &i.expr).chain(&select.having) {
        walk::each_expr(e, &mut |x| {
            if let Expr::Aggregate(a) = x
                && !found.contains(a)
            {
                found.push((**a).clone());
            }
        });
    }
    match found.as_slice() {
        [a] if matches!(a.function.as_str(), "min" | "max") && a.filter.is_none() => a.args.first().cloned(),
        _ => None,
    }
}

/// Every column belongs to something inside: no column of a query around it.
pub(super) fn is_closed(q: &Query) -> bool {
    let mut aliases: Vec<Name> = vec![Name::default()];
    walk::each_select(q, &mut |s| aliases.extend(s.from.iter().map(|j| j.source.alias().clone())));
    let mut closed = true;
    walk::each_expr(q, &mut |e| closed &= !matches!(e, Expr::Column { table, .. } if !aliases.contains(table)));
    closed
}

#[cfg(test)]
mod tests;
