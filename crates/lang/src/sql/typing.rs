//! What is known of names and values before a query runs: kinds, affinities, collations, and whether a value is fully
//! determined. This is where soundness is decided: a query whose answer an engine may legally choose (a bare column
//! under GROUP BY, LIMIT without a total order, the representative of 'a' and 'A' used in a predicate …) is refused,
//! both when the generator makes it and when the reducer shrinks to it. See docs/soundness.md for the reasons.

use super::asking::is_closed;
use super::ast::*;
use super::functions::{JSON_FROM_AFAR, is_made_here};
pub use super::schema::*;
use super::strict;
use super::traits::{binary, collated, compound, find, find_outside, has_aggregate, joined, literal, truth, unary};
pub use super::traits::{contains_aggregate, gives_one_row, names_a_column, searches};
use qualm_core::dialect::sql::{Affinity, Dialect, Feature, Kind};

// ---------------------------------------------------------------- queries

/// The columns of a query in a schema, or why its answer is not determined.
pub fn query(q: &Query, schema: &Schema, dialect: &Dialect) -> Checked<Vec<Column>> {
    let before = schema.facts.len();
    let typed = Typing::new(schema, dialect).query(q, None);
    if typed.is_err() {
        schema.facts.forget(before);
    }
    typed
}

/// A predicate over the FROM of a query: must be determined, and fit to be put into WHERE.
pub fn predicate(p: &Expr, from: &Select, with: &[Cte], schema: &Schema, dialect: &Dialect) -> Checked<()> {
    let mut typing = Typing::new(schema, dialect);
    typing.with(with, None)?;
    let scope = typing.from(&from.from, None)?;
    typing.remember(from, &[]);
    typing.condition(p, &scope, Mode::Row)
}

/// The same over groups.
pub fn having(p: &Expr, select: &Select, with: &[Cte], schema: &Schema, dialect: &Dialect) -> Checked<()> {
    let mut typing = Typing::new(schema, dialect);
    typing.with(with, None)?;
    let scope = typing.from(&select.from, None)?;
    typing.remember(select, &[]);
    typing.condition(p, &scope, Mode::Grouped(select.keys()))
}

/// What an expression may refer to.
#[derive(Clone, Copy)]
pub(super) enum Mode<'a> {
    /// The columns of a row; no aggregate.
    Row,
    /// A row, in a select list: window functions too.
    Item,
    /// Keys and aggregates of a group.
    Grouped(&'a [Expr]),
}

pub(super) struct Typing<'a> {
    pub(super) schema: &'a Schema,
    pub(super) dialect: &'a Dialect,
    pub(super) ctes: Vec<(Name, Columns)>,
    /// While facts are asked for: the tables of WITH, and the SELECTs that are being typed, the innermost last.
    pub(super) withs: Vec<Cte>,
    pub(super) selects: Vec<Select>,
    /// Inside a table of WITH that is not whole yet: nothing can be asked about it.
    pub(super) open: bool,
}

impl<'a> Typing<'a> {
    pub(super) fn new(schema: &'a Schema, dialect: &'a Dialect) -> Typing<'a> {
        Typing { schema, dialect, ctes: Vec::new(), withs: Vec::new(), selects: Vec::new(), open: false }
    }
}

impl Typing<'_> {
    pub(super) fn query(&mut self, q: &Query, outer: Option<&Scope>) -> Checked<Vec<Column>> {
        let (ctes, withs) = (self.ctes.len(), self.withs.len());
        self.with(&q.with, outer)?;
        let columns = self.body(&q.body, &q.order_by, Some(q).filter(|q| q.limit.is_some()), outer);
        self.ctes.truncate(ctes);
        self.withs.truncate(withs);
        columns
    }

    /// Keeps a SELECT in mind while its expressions are typed, together with what it is ordered by.
    fn remember(&mut self, s: &Select, order: &[OrderItem]) {
        if self.schema.facts.is_asked() {
            let mut select = s.clone();
            select.items.extend(order.iter().map(|o| Item::bare(o.expr.clone())));
            self.selects.push(select);
        }
    }

    pub(super) fn is_cte(&self, name: &str) -> bool {
        self.ctes.iter().any(|(n, _)| n == name)
    }

    fn with(&mut self, with: &[Cte], outer: Option<&Scope>) -> Checked<()> {
        for cte in with {
            let seed = match (&cte.query.body, cte.recursive) {
                // The first arm gives a recursive table its columns; the whole is checked with them in place.
                (Body::Compound { left, .. }, true) => self.body(left, &[], None, outer)?,
                _ => self.query(&cte.query, outer)?,
            };
            let named = seed.into_iter().enumerate().map(|(i, mut c)| {
                if let Some(name) = cte.columns.get(i) {
                    c.name = name.clone();
                }
                c
            });
            self.ctes.push((cte.name.clone(), named.collect()));
            if cte.recursive {
                let open = std::mem::replace(&mut self.open, true);
                self.query(&cte.query, outer)?;
                self.open = open;
            }
            if self.schema.facts.is_asked() {
                self.withs.push(cte.clone());
            }
        }
        Ok(())
    }

    fn body(
        &mut self,
        b: &Body,
        order: &[OrderItem],
        limited: Option<&Query>,
        outer: Option<&Scope>,
    ) -> Checked<Vec<Column>> {
        match b {
            Body::Select(s) => self.select(s, order, limited, outer),
            Body::Values(rows) => {
                if !order.is_empty() || limited.is_some() || rows.is_empty() {
                    return Err(Unsound("VALUES with an order or a limit"));
                }
                self.values(rows, outer)
            }
            Body::Compound { op, left, right } => {
                let l = self.body(left, &[], None, outer)?;
                let r = self.body(right, &[], None, outer)?;
                let clear = l.iter().chain(&r).all(|c| c.traits.taint == Taint::Clear);
                let alike = |(l, r): (&Column, &Column)| l.traits.affinity == r.traits.affinity;
                let alike = l.iter().zip(&r).all(alike);
                let mut columns = compound(*op, l, &r, self.dialect)?;
                let tainted = columns.iter().any(|c| c.traits.taint != Taint::Clear);
                if clear && alike && tainted && self.identical_columns(left, right, &columns) {
                    columns.iter_mut().for_each(|c| c.traits.taint = Taint::Clear);
                }
                self.compound_order(&columns, order, limited)?;
                Ok(columns)
            }
        }
    }

    fn values(&mut self, rows: &[Vec<Expr>], outer: Option<&Scope>) -> Checked<Vec<Column>> {
        let scope = Scope { sources: Vec::new(), merged: Vec::new(), outer };
        let mut columns: Vec<Column> = Vec::new();
        for row in rows {
            for (i, e) in row.iter().enumerate() {
                let mut traits = self.clear(e, &scope, Mode::Row)?;
                traits.affinity = Affinity::None;
                traits.collation = 0;
                match columns.get_mut(i) {
                    None => columns.push(Column { name: self.dialect.spelling.values_column(i + 1).into(), traits }),
                    Some(c) => c.traits = joined(c.traits, traits, self.dialect)?,
                }
            }
        }
        Ok(columns)
    }

    /// ORDER BY of a compound names output columns; a limit needs all of them.
    fn compound_order(&mut self, columns: &[Column], order: &[OrderItem], limited: Option<&Query>) -> Checked<()> {
        let named = |o: &OrderItem, c: &Column| match &o.expr {
            Expr::Column { table, column } => table.is_empty() && *column == c.name,
            _ => false,
        };
        if !order.iter().all(|o| columns.iter().any(|c| named(o, c))) {
            return Err(Unsound("a compound ordered by something that is not an output column"));
        }
        let total = || columns.iter().all(|c| c.traits.identical() && order.iter().any(|o| named(o, c)));
        match limited.and_then(|q| q.limit.as_ref().map(|limit| (q, limit))) {
            Some((q, limit)) if !total() => self.limited(q, limit, columns, NO_TOTAL_ORDER),
            _ => Ok(()),
        }
    }

    fn select(
        &mut self,
        s: &Select,
        order: &[OrderItem],
        limited: Option<&Query>,
        outer: Option<&Scope>,
    ) -> Checked<Vec<Column>> {
        let depth = self.selects.len();
        // A condition of a join sees no rows of this FROM as a whole, so nothing is asked for each of them.
        self.remember(&Select::default(), &[]);
        let scope = self.from(&s.from, outer)?;
        self.selects.truncate(depth);
        self.remember(s, order);
        let columns = self.clauses(s, order, limited, &scope);
        self.selects.truncate(depth);
        columns
    }

    fn clauses(
        &mut self,
        s: &Select,
        order: &[OrderItem],
        limited: Option<&Query>,
        scope: &Scope,
    ) -> Checked<Vec<Column>> {
        if let Some(filter) = &s.filter {
            self.filter(filter, s, scope)?;
        }
        if !s.has_proper_sets() {
            return Err(Unsound("GROUPING SETS of something else than keys"));
        }
        for key in s.keys() {
            if !names_a_column(key) {
                return Err(Unsound("a number as a key is read as an ordinal"));
            }
            let t = self.clear(key, scope, Mode::Row)?;
            strict::key(t.kind, self.dialect)?;
        }
        let grouped = !s.group_by.is_empty() || s.having.is_some() || has_aggregate(s);
        let mode = if grouped { Mode::Grouped(s.keys()) } else { Mode::Item };
        if let Some(having) = &s.having {
            if s.group_by.is_empty() {
                return Err(Unsound("HAVING without GROUP BY"));
            }
            self.condition(having, scope, mode)?;
        }
        let mut columns = self.items(s, scope, mode)?;
        if s.distinct {
            columns.iter().try_for_each(|c| strict::key(c.traits.kind, self.dialect))?;
            for (i, c) in columns.iter_mut().enumerate() {
                let item = s.items.get(i).filter(|_| !grouped && !matches!(s.items[i].expr, Expr::Window(_)));
                c.traits = item.map_or(c.traits.merged(), |item| self.identical(&item.expr, c.traits));
            }
        }
        self.order(s, order, limited, &columns, scope, mode)?;
        Ok(columns)
    }

    fn items(&mut self, s: &Select, scope: &Scope, mode: Mode) -> Checked<Vec<Column>> {
        if s.items.is_empty() {
            // `*`: every column of every source, and USING or NATURAL would merge some of them.
            if s.from.iter().skip(1).any(Joined::merges) || matches!(mode, Mode::Grouped(_)) || s.from.is_empty() {
                return Err(Unsound("a star that merges columns"));
            }
            return Ok(scope.sources.iter().flat_map(|src| src.columns.iter().cloned()).collect());
        }
        let mut columns = Vec::with_capacity(s.items.len());
        for item in &s.items {
            let traits = self.expr(&item.expr, scope, mode)?;
            if traits.taint != Taint::Clear && !shows_plainly(&item.expr, mode) {
                return Err(Unsound("an expression over a value that the engine may choose"));
            }
            if self.hides(item, scope) {
                return Err(Unsound("an alias that hides a column"));
            }
            let name = match (&item.alias, &item.expr) {
                (Some(alias), _) => alias.clone(),
                (None, Expr::Column { column, .. }) => column.clone(),
                // Every engine calls it something else.
                _ => Name::default(),
            };
            columns.push(Column { name, traits });
        }
        Ok(columns)
    }

    fn empty_is_zero(&self) -> bool {
        self.dialect.lists(Feature::EmptyIsZero)
    }

    /// Whether an alias takes the name of a column that it is not, where that changes what the name means elsewhere.
    fn hides(&self, item: &Item, scope: &Scope) -> bool {
        let Some(alias) = &item.alias else { return false };
        let itself = matches!(&item.expr, Expr::Column { column, .. } if column == alias);
        let is_there = || scope.sources.iter().any(|src| src.columns.iter().any(|c| c.name == *alias));
        !itself && self.dialect.lists(Feature::AliasHides) && is_there()
    }

    fn order(
        &mut self,
        s: &Select,
        order: &[OrderItem],
        limited: Option<&Query>,
        columns: &[Column],
        scope: &Scope,
        mode: Mode,
    ) -> Checked<()> {
        for o in order {
            if !names_a_column(&o.expr) {
                return Err(Unsound("a number to order by is read as an ordinal"));
            }
            let alias = matches!(&o.expr, Expr::Column { table, column } if table.is_empty()
                && s.items.iter().any(|i| i.alias.as_ref() == Some(column)));
            let listed = alias || s.items.iter().any(|i| i.expr == o.expr);
            if s.distinct && !listed {
                return Err(Unsound("DISTINCT ordered by something not selected"));
            }
            if !listed {
                let t = self.expr(&o.expr, scope, mode)?;
                strict::ordered(t.kind, self.dialect)?;
            }
            let shown = s.items.iter().zip(columns).filter(|(i, _)| i.expr == o.expr);
            shown.map(|(_, c)| c.traits.kind).try_for_each(|kind| strict::ordered(kind, self.dialect))?;
        }
        let Some((q, limit)) = limited.and_then(|q| q.limit.as_ref().map(|limit| (q, limit))) else { return Ok(()) };
        let orders = |i: usize| {
            let item = s.items.get(i);
            order.iter().any(|o| {
                item.is_some_and(|item| o.expr == item.expr)
                    || matches!(&o.expr, Expr::Column { table, column } if table.is_empty()
                        && item.and_then(|i| i.alias.as_ref()) == Some(column))
            })
        };
        if !s.items.is_empty() && columns.iter().enumerate().all(|(i, c)| c.traits.identical() && orders(i)) {
            return Ok(());
        }
        let mut spelled = q.clone();
        if let Some(select) = spelled.select_mut().filter(|s| s.items.is_empty()) {
            let of =
                |src: &ScopeSource| src.columns.iter().map(|c| Expr::column(&src.alias, &c.name)).collect::<Vec<_>>();
            select.items = scope.sources.iter().flat_map(of).map(Item::bare).collect();
        }
        self.limited(&spelled, limit, columns, NO_TOTAL_ORDER)
    }

    // ------------------------------------------------------------ expressions

    /// A truth value that decides about rows: must be determined.
    pub(super) fn condition(&mut self, e: &Expr, scope: &Scope, mode: Mode) -> Checked<()> {
        let mode = if let Mode::Item = mode { Mode::Row } else { mode };
        let traits = self.clear(e, scope, mode)?;
        if self.is_strict() { strict::truth(traits.kind, self.dialect) } else { Ok(()) }
    }

    pub(super) fn is_strict(&self) -> bool {
        !self.dialect.dynamic_typing
    }

    /// In a strict dialect only values of one kind meet.
    fn meet(&mut self, a: &Expr, b: &Expr, ordered: bool, scope: &Scope, mode: Mode) -> Checked<()> {
        if !self.is_strict() {
            return Ok(());
        }
        let (a, b) = (self.kinds(a, scope, mode)?, self.kinds(b, scope, mode)?);
        match a.len() == b.len() {
            true => a.iter().zip(&b).try_for_each(|(a, b)| {
                strict::comparable(*a, *b, self.dialect)?;
                if ordered { strict::ordered(*a, self.dialect) } else { Ok(()) }
            }),
            false => Err(Unsound("rows of different width")),
        }
    }

    fn rows_meet(&mut self, a: &Expr, b: &Expr, scope: &Scope, mode: Mode) -> Checked<()> {
        match matches!((a, b), (Expr::Row(_), _) | (_, Expr::Row(_))) {
            true => self.meet(a, b, true, scope, mode),
            false => Ok(()),
        }
    }

    /// The kinds of an operand: one, or those of a row.
    fn kinds(&mut self, e: &Expr, scope: &Scope, mode: Mode) -> Checked<Vec<Kind>> {
        match e {
            Expr::Row(items) => items.iter().map(|x| self.expr(x, scope, mode).map(|t| t.kind)).collect(),
            _ => Ok(vec![self.expr(e, scope, mode)?.kind]),
        }
    }

    pub(super) fn clear(&mut self, e: &Expr, scope: &Scope, mode: Mode) -> Checked<Traits> {
        let traits = self.expr(e, scope, mode)?;
        if traits.taint != Taint::Clear {
            return Err(Unsound("a value that the engine may choose decides something"));
        }
        Ok(traits)
    }

    pub(super) fn expr(&mut self, e: &Expr, scope: &Scope, mode: Mode) -> Checked<Traits> {
        self.expr_as_written(e, scope, mode).map(|traits| collated(e, traits.in_dialect(self.dialect), self.dialect))
    }

    fn expr_as_written(&mut self, e: &Expr, scope: &Scope, mode: Mode) -> Checked<Traits> {
        if let Mode::Grouped(keys) = mode
            && keys.contains(e)
        {
            let traits = self.expr(e, scope, Mode::Row)?;
            return Ok(self.identical(e, traits));
        }
        match e {
            Expr::Literal(l) => Ok(literal(l, self.dialect)),
            Expr::Column { table, column } => self.column(table, column, scope, mode),
            Expr::Unary(op, x) => {
                let t = self.expr(x, scope, mode)?;
                unary(*op, t, self.dialect)
            }
            Expr::Binary(op, a, b) => {
                if op.is_comparison() && self.invariant(a, b, scope, mode)? {
                    return Ok(truth(self.dialect));
                }
                let (l, r) = (self.operand(a, scope, mode)?, self.operand(b, scope, mode)?);
                self.rows_meet(a, b, scope, mode)?;
                binary(*op, l, r, self.dialect)
            }
            Expr::IsNull { expr, .. } => {
                let t = self.operand(expr, scope, mode)?;
                // Whether it is NULL does not depend on the representative.
                let bare = matches!(**expr, Expr::Column { .. });
                let truth = truth(self.dialect);
                Ok(if bare { truth } else { Traits { taint: t.taint, ..truth } })
            }
            Expr::IsTruth { expr, .. } => {
                self.condition(expr, scope, mode)?;
                Ok(truth(self.dialect))
            }
            Expr::Collate { expr, collation } => {
                let t = self.clear(expr, scope, mode)?;
                Ok(Traits { collation: collation_index(collation, self.dialect), ..t })
            }
            Expr::Cast { expr, type_name } => {
                let t = self.clear(expr, scope, mode)?;
                self.cast(t, type_name)
            }
            // Without groups it may have no rows, and what it says then follows from the type of the column.
            Expr::Aggregate(a)
                if a.function != "count" && matches!(mode, Mode::Grouped([])) && self.empty_is_zero() =>
            {
                Err(Unsound("an aggregate whose value for no rows is not NULL"))
            }
            Expr::Aggregate(a) => self.aggregate(a, scope, mode),
            Expr::Window(w) => self.window(w, scope, mode),
            Expr::Between { expr, low, high, .. } => {
                if self.invariant(expr, low, scope, mode)? && self.invariant(expr, high, scope, mode)? {
                    return Ok(truth(self.dialect));
                }
                for x in [expr, low, high] {
                    self.clear_operand(x, scope, mode)?;
                    self.meet(expr, x, true, scope, mode)?;
                }
                Ok(truth(self.dialect))
            }
            Expr::InList { expr, list, .. } => {
                // Nothing is among no values, where that can be said at all.
                if list.is_empty() && self.is_strict() {
                    return Err(Unsound("an empty list"));
                }
                self.clear_operand(expr, scope, mode)?;
                for x in list {
                    self.clear_operand(x, scope, mode)?;
                    self.meet(expr, x, false, scope, mode)?;
                }
                Ok(truth(self.dialect))
            }
            Expr::InQuery { expr, query, .. } => {
                self.clear_operand(expr, scope, mode)?;
                let columns = self.nested(query, scope, mode)?;
                // The left operand's collation compares, which may distinguish what the column's own does not.
                if columns.iter().any(|c| c.traits.taint != Taint::Clear) {
                    return Err(Unsound("IN over values that the engine may choose"));
                }
                if self.is_strict() {
                    let kinds = self.kinds(expr, scope, mode)?;
                    strict::rows_meet(&kinds, &columns, self.dialect)?;
                }
                Ok(truth(self.dialect))
            }
            Expr::Like { expr, pattern, .. } => {
                let (text, pattern) = (self.clear(expr, scope, mode)?, self.clear(pattern, scope, mode)?);
                if self.is_strict() && !(strict::fits(text.kind, Kind::Text) && strict::fits(pattern.kind, Kind::Text))
                {
                    return Err(Unsound("LIKE over something that is not text"));
                }
                Ok(truth(self.dialect))
            }
            Expr::Case { operand, arms, otherwise } => {
                self.case(operand.as_deref(), arms, otherwise.as_deref(), scope, mode)
            }
            Expr::Call { function, args } => {
                let mut all = Vec::with_capacity(args.len());
                for x in args {
                    all.push(self.clear(x, scope, mode)?);
                }
                if self.reads_json(function) && args.iter().zip(&all).any(|(x, t)| t.json && !is_made_here(x)) {
                    return Err(JSON_FROM_AFAR);
                }
                self.call(function, &all)
            }
            Expr::Exists { query, .. } => {
                self.nested(query, scope, mode)?;
                Ok(truth(self.dialect))
            }
            Expr::Scalar(query) => {
                let columns = self.nested(query, scope, mode)?;
                let several = Unsound("a scalar subquery that may give several rows");
                let [c] = columns.as_slice() else { return Err(several) };
                if !gives_one_row(query) {
                    self.one_row(query, &columns, !is_closed(query), several)?;
                }
                Ok(Traits { collation: 0, ..c.traits })
            }
            Expr::Row(_) => Err(Unsound("a row value outside a comparison")),
        }
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        arms: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        scope: &Scope,
        mode: Mode,
    ) -> Checked<Traits> {
        for (when, _) in arms {
            match operand {
                Some(operand) => {
                    self.clear(when, scope, mode)?;
                    self.clear(operand, scope, mode)?;
                    self.meet(operand, when, false, scope, mode)?;
                }
                None => self.condition(when, scope, mode)?,
            }
        }
        let mut result: Option<Traits> = None;
        for x in arms.iter().map(|(_, then)| then).chain(otherwise) {
            let t = self.clear(x, scope, mode)?;
            result = match result {
                Some(r) => Some(joined(r, t, self.dialect)?),
                None => Some(t),
            };
        }
        let t = result.ok_or(Unsound("CASE without a branch"))?;
        Ok(Traits { affinity: Affinity::None, collation: 0, ..t })
    }

    /// Operands of comparisons and IN may be row values.
    fn operand(&mut self, e: &Expr, scope: &Scope, mode: Mode) -> Checked<Traits> {
        let items = match e {
            Expr::Row(items) => items,
            Expr::Scalar(query) if !self.is_strict() => return self.row_of(query, scope, mode),
            _ => return self.expr(e, scope, mode),
        };
        for x in items {
            self.clear(x, scope, mode)?;
        }
        Ok(Traits::of(Kind::Any))
    }

    fn clear_operand(&mut self, e: &Expr, scope: &Scope, mode: Mode) -> Checked<()> {
        match self.operand(e, scope, mode)?.taint {
            Taint::Clear => Ok(()),
            _ => Err(Unsound("a value that the engine may choose decides something")),
        }
    }

    /// A column whose text is known only up to its collation, compared with a literal under that collation: whichever
    /// representative the engine took, the outcome is the same.
    fn invariant(&mut self, a: &Expr, b: &Expr, scope: &Scope, mode: Mode) -> Checked<bool> {
        if !matches!((a, b), (Expr::Column { .. }, Expr::Literal(_))) {
            return Ok(false);
        }
        Ok(self.expr(a, scope, mode)?.taint == Taint::Collated)
    }

    fn column(&mut self, table: &str, column: &str, scope: &Scope, mode: Mode) -> Checked<Traits> {
        if column.is_empty() {
            return Err(Unsound("a column without a name"));
        }
        if let Some(traits) = find(&scope.sources, table, column) {
            return match mode {
                Mode::Grouped(_) => {
                    let e = Expr::column(table, column);
                    self.bare(&e, traits, Unsound("a bare column in a grouped query"))
                }
                Mode::Row | Mode::Item => Ok(traits),
            };
        }
        let merged = scope.merged.iter().find(|c| table.is_empty() && c.name == column);
        if let (Some(c), Mode::Row | Mode::Item) = (merged, mode) {
            return Ok(c.traits);
        }
        find_outside(scope, table, column, self.dialect)
    }
}

const NO_TOTAL_ORDER: Unsound = Unsound("a limit without a total order");

/// Shown as it is, so that a comparator which knows that equal texts or numbers may stand for each other is enough.
fn shows_plainly(e: &Expr, mode: Mode) -> bool {
    match e {
        Expr::Column { .. } => true,
        Expr::Aggregate(a) => a.function == "min" || a.function == "max",
        Expr::Window(w) => w.function.function == "min" || w.function.function == "max",
        _ => matches!(mode, Mode::Grouped(keys) if keys.contains(e)),
    }
}
