//! What is known of names and values before a query runs: kinds, affinities, collations, and whether a value is fully
//! determined. This is where soundness is decided: a query whose answer an engine may legally choose (a bare column
//! under GROUP BY, LIMIT without a total order, the representative of 'a' and 'A' used in a predicate …) is refused,
//! both when the generator makes it and when the reducer shrinks to it. See docs/soundness.md for the reasons.

use super::ast::*;
pub use super::schema::*;
use super::strict;
use super::traits::{binary, compound, find, has_aggregate, joined, literal, names_a_column, truth, unary};
pub use super::traits::{contains_aggregate, gives_one_row};
use qualm_core::dialect::sql::{Affinity, Dialect, Feature, Kind};

// ---------------------------------------------------------------- queries

/// The columns of a query in a schema, or why its answer is not determined.
pub fn query(q: &Query, schema: &Schema, dialect: &Dialect) -> Checked<Vec<Column>> {
    Typing { schema, dialect, ctes: Vec::new() }.query(q, None)
}

/// A predicate over the FROM of a query: must be determined, and fit to be put into WHERE.
pub fn predicate(p: &Expr, from: &Select, with: &[Cte], schema: &Schema, dialect: &Dialect) -> Checked<()> {
    let mut typing = Typing { schema, dialect, ctes: Vec::new() };
    typing.with(with, None)?;
    let scope = typing.from(&from.from, None)?;
    typing.condition(p, &scope, Mode::Row)
}

/// The same over groups.
pub fn having(p: &Expr, select: &Select, with: &[Cte], schema: &Schema, dialect: &Dialect) -> Checked<()> {
    let mut typing = Typing { schema, dialect, ctes: Vec::new() };
    typing.with(with, None)?;
    let scope = typing.from(&select.from, None)?;
    typing.condition(p, &scope, Mode::Grouped(&select.group_by))
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
    schema: &'a Schema,
    pub(super) dialect: &'a Dialect,
    ctes: Vec<(Name, Columns)>,
}

impl Typing<'_> {
    fn query(&mut self, q: &Query, outer: Option<&Scope>) -> Checked<Vec<Column>> {
        let ctes = self.ctes.len();
        self.with(&q.with, outer)?;
        let columns = self.body(&q.body, &q.order_by, q.limit.is_some(), outer);
        self.ctes.truncate(ctes);
        columns
    }

    fn with(&mut self, with: &[Cte], outer: Option<&Scope>) -> Checked<()> {
        for cte in with {
            let seed = match (&cte.query.body, cte.recursive) {
                // The first arm gives a recursive table its columns; the whole is checked with them in place.
                (Body::Compound { left, .. }, true) => self.body(left, &[], false, outer)?,
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
                self.query(&cte.query, outer)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, b: &Body, order: &[OrderItem], limit: bool, outer: Option<&Scope>) -> Checked<Vec<Column>> {
        match b {
            Body::Select(s) => self.select(s, order, limit, outer),
            Body::Values(rows) => {
                if !order.is_empty() || limit || rows.is_empty() {
                    return Err(Unsound("VALUES with an order or a limit"));
                }
                self.values(rows, outer)
            }
            Body::Compound { op, left, right } => {
                let l = self.body(left, &[], false, outer)?;
                let r = self.body(right, &[], false, outer)?;
                let columns = compound(*op, l, &r, self.dialect)?;
                self.compound_order(&columns, order, limit)?;
                Ok(columns)
            }
        }
    }

    fn values(&mut self, rows: &[Vec<Expr>], outer: Option<&Scope>) -> Checked<Vec<Column>> {
        let scope = Scope { sources: Vec::new(), outer };
        let mut columns: Vec<Column> = Vec::new();
        for row in rows {
            for (i, e) in row.iter().enumerate() {
                let mut traits = self.clear(e, &scope, Mode::Row)?;
                traits.affinity = Affinity::None;
                traits.collation = 0;
                match columns.get_mut(i) {
                    None => columns.push(Column { name: format!("column{}", i + 1).into(), traits }),
                    Some(c) => c.traits = joined(c.traits, traits, self.dialect)?,
                }
            }
        }
        Ok(columns)
    }

    /// ORDER BY of a compound names output columns; a limit needs all of them.
    fn compound_order(&self, columns: &[Column], order: &[OrderItem], limit: bool) -> Checked<()> {
        let named = |o: &OrderItem, c: &Column| match &o.expr {
            Expr::Column { table, column } => table.is_empty() && *column == c.name,
            _ => false,
        };
        if !order.iter().all(|o| columns.iter().any(|c| named(o, c))) {
            return Err(Unsound("a compound ordered by something that is not an output column"));
        }
        if limit && !columns.iter().all(|c| c.traits.identical() && order.iter().any(|o| named(o, c))) {
            return Err(Unsound("a limit without a total order"));
        }
        Ok(())
    }

    fn select(&mut self, s: &Select, order: &[OrderItem], limit: bool, outer: Option<&Scope>) -> Checked<Vec<Column>> {
        let scope = self.from(&s.from, outer)?;
        if let Some(filter) = &s.filter {
            self.condition(filter, &scope, Mode::Row)?;
        }
        for key in &s.group_by {
            if !names_a_column(key) {
                return Err(Unsound("a number as a key is read as an ordinal"));
            }
            self.clear(key, &scope, Mode::Row)?;
        }
        let grouped = !s.group_by.is_empty() || s.having.is_some() || has_aggregate(s);
        let mode = if grouped { Mode::Grouped(&s.group_by) } else { Mode::Item };
        if let Some(having) = &s.having {
            if s.group_by.is_empty() {
                return Err(Unsound("HAVING without GROUP BY"));
            }
            self.condition(having, &scope, mode)?;
        }
        let mut columns = self.items(s, &scope, mode)?;
        if s.distinct {
            columns.iter_mut().for_each(|c| c.traits = c.traits.merged());
        }
        self.order(s, order, limit, &columns, &scope, mode)?;
        Ok(columns)
    }

    fn items(&mut self, s: &Select, scope: &Scope, mode: Mode) -> Checked<Vec<Column>> {
        if s.items.is_empty() {
            // `*`: every column of every source, and USING or NATURAL would merge some of them.
            let merges = |j: &Joined| !j.using.is_empty() || matches!(j.join, Join::Natural | Join::NaturalLeft);
            if s.from.iter().skip(1).any(merges) || matches!(mode, Mode::Grouped(_)) || s.from.is_empty() {
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
        limit: bool,
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
                self.expr(&o.expr, scope, mode)?;
            }
        }
        if !limit {
            return Ok(());
        }
        let orders = |i: usize| {
            let item = s.items.get(i);
            order.iter().any(|o| {
                item.is_some_and(|item| o.expr == item.expr)
                    || matches!(&o.expr, Expr::Column { table, column } if table.is_empty()
                        && item.and_then(|i| i.alias.as_ref()) == Some(column))
            })
        };
        if s.items.is_empty() || !columns.iter().enumerate().all(|(i, c)| c.traits.identical() && orders(i)) {
            return Err(Unsound("a limit without a total order"));
        }
        Ok(())
    }

    fn from<'s>(&mut self, from: &[Joined], outer: Option<&'s Scope<'s>>) -> Checked<Scope<'s>> {
        let mut scope = Scope { sources: Vec::with_capacity(from.len()), outer };
        for (i, member) in from.iter().enumerate() {
            let (columns, rowid) = match &member.source {
                Source::Table { name, .. } => self.relation(name)?,
                Source::Query { query, .. } => (self.query(query, None)?.into(), false),
            };
            let alias = member.source.alias().clone();
            if scope.sources.iter().any(|s| s.alias == alias) {
                return Err(Unsound("an alias used twice"));
            }
            scope.sources.push(ScopeSource { alias, columns, rowid });
            if i == 0 {
                continue;
            }
            self.joins(member, &scope)?;
        }
        Ok(scope)
    }

    fn joins(&mut self, member: &Joined, scope: &Scope) -> Checked<()> {
        let strict = self.is_strict();
        let clear = |name: &Name| {
            let found = scope.sources.iter().flat_map(|s| s.columns.iter()).filter(|c| c.name == *name);
            let kind = found.clone().next().map(|c| c.traits.kind);
            let fits = |c: &Column| c.traits.taint == Taint::Clear && (!strict || Some(c.traits.kind) == kind);
            found.clone().count() >= 2 && found.into_iter().all(fits)
        };
        if !member.using.iter().all(clear) {
            return Err(Unsound("USING a column that is not determined"));
        }
        if matches!(member.join, Join::Natural | Join::NaturalLeft) {
            let last = scope.sources.last().map(|s| s.columns.clone()).unwrap_or_default();
            if last.iter().any(|c| c.traits.taint != Taint::Clear) {
                return Err(Unsound("NATURAL over a column that is not determined"));
            }
            let others = &scope.sources[..scope.sources.len() - 1];
            let of_name =
                |c: &Column| others.iter().flat_map(|s| s.columns.iter()).filter(|o| o.name == c.name).collect();
            let merges = |c: &Column| -> bool {
                let met: Vec<&Column> = of_name(c);
                met.len() <= 1 && met.iter().all(|o| o.traits.kind == c.traits.kind)
            };
            if strict && !last.iter().all(merges) {
                return Err(Unsound("NATURAL over columns of different kinds"));
            }
        }
        match &member.on {
            Some(on) => self.condition(on, scope, Mode::Row),
            None => Ok(()),
        }
    }

    fn relation(&self, name: &str) -> Checked<(Columns, bool)> {
        if let Some((_, columns)) = self.ctes.iter().rev().find(|(n, _)| n == name) {
            return Ok((columns.clone(), false));
        }
        self.schema.table(name).map(|t| (t.columns.clone(), t.rowid)).ok_or(Unsound("no such table"))
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
    fn meet(&mut self, a: &Expr, b: &Expr, scope: &Scope, mode: Mode) -> Checked<()> {
        if !self.is_strict() {
            return Ok(());
        }
        let (a, b) = (self.kinds(a, scope, mode)?, self.kinds(b, scope, mode)?);
        match a.len() == b.len() {
            true => a.iter().zip(&b).try_for_each(|(a, b)| strict::comparable(*a, *b)),
            false => Err(Unsound("rows of different width")),
        }
    }

    fn rows_meet(&mut self, a: &Expr, b: &Expr, scope: &Scope, mode: Mode) -> Checked<()> {
        match matches!((a, b), (Expr::Row(_), _) | (_, Expr::Row(_))) {
            true => self.meet(a, b, scope, mode),
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
        if let Mode::Grouped(keys) = mode
            && keys.contains(e)
        {
            return Ok(self.expr(e, scope, Mode::Row)?.merged());
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
                    self.meet(expr, x, scope, mode)?;
                }
                Ok(truth(self.dialect))
            }
            Expr::InList { expr, list, .. } => {
                if list.is_empty() {
                    return Err(Unsound("an empty list"));
                }
                self.clear_operand(expr, scope, mode)?;
                for x in list {
                    self.clear_operand(x, scope, mode)?;
                    self.meet(expr, x, scope, mode)?;
                }
                Ok(truth(self.dialect))
            }
            Expr::InQuery { expr, query, .. } => {
                self.clear_operand(expr, scope, mode)?;
                let columns = self.nested(query, scope, mode)?;
                // The left operand's collation compares, which may tell apart what the column's own does not.
                if columns.iter().any(|c| c.traits.taint != Taint::Clear) {
                    return Err(Unsound("IN over values that the engine may choose"));
                }
                if self.is_strict() {
                    let kinds = self.kinds(expr, scope, mode)?;
                    kinds_meet(&kinds, &columns)?;
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
                self.call(function, &all)
            }
            Expr::Exists { query, .. } => {
                self.nested(query, scope, mode)?;
                Ok(truth(self.dialect))
            }
            Expr::Scalar(query) => {
                let columns = self.nested(query, scope, mode)?;
                match columns.as_slice() {
                    [c] if gives_one_row(query) => Ok(Traits { collation: 0, ..c.traits }),
                    _ => Err(Unsound("a scalar subquery that may give several rows")),
                }
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
                    self.meet(operand, when, scope, mode)?;
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
        let Expr::Row(items) = e else { return self.expr(e, scope, mode) };
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

    fn nested(&mut self, q: &Query, scope: &Scope, mode: Mode) -> Checked<Vec<Column>> {
        // In a grouped query a row of the group is not determined, so nothing inside may refer to one.
        let outer = if let Mode::Grouped(_) = mode { scope.outer } else { Some(scope) };
        self.query(q, outer.filter(|_| self.dialect.lists(Feature::Correlated)))
    }

    fn column(&mut self, table: &str, column: &str, scope: &Scope, mode: Mode) -> Checked<Traits> {
        if column.is_empty() {
            return Err(Unsound("a column without a name"));
        }
        if let Some(traits) = find(&scope.sources, table, column) {
            return match mode {
                Mode::Grouped(_) => Err(Unsound("a bare column in a grouped query")),
                Mode::Row | Mode::Item => Ok(traits),
            };
        }
        let mut outer = scope.outer;
        while let Some(s) = outer {
            if let Some(traits) = find(&s.sources, table, column) {
                return Ok(traits);
            }
            outer = s.outer;
        }
        Err(Unsound("no such column"))
    }
}

fn kinds_meet(kinds: &[Kind], columns: &[Column]) -> Checked<()> {
    let fit = kinds.iter().zip(columns).all(|(k, c)| strict::comparable(*k, c.traits.kind).is_ok());
    if fit && kinds.len() == columns.len() { Ok(()) } else { Err(Unsound("values of different kinds meet")) }
}

/// Shown as it is, so that a comparator which knows that equal texts or numbers may stand for each other is enough.
fn shows_plainly(e: &Expr, mode: Mode) -> bool {
    match e {
        Expr::Column { .. } => true,
        Expr::Aggregate(a) => a.function == "min" || a.function == "max",
        Expr::Window(w) => w.function.function == "min" || w.function.function == "max",
        _ => matches!(mode, Mode::Grouped(keys) if keys.contains(e)),
    }
}
