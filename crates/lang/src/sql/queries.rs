//! Random whole queries: one SELECT with any clauses, compounds, CTEs, subqueries of each kind.

use super::ast::*;
use super::generate::{Generator, Visible};
use super::joins;
use super::leaning::more;
use super::schema::{Column, Columns, Schema, ScopeSource, Table, Taint, Traits};
use super::search;
use super::typing;
use super::walk;
use qualm_core::dialect::sql::{Feature, Kind};

/// One in so many groups shows a column beside its keys, and one in so many orders is by one value alone.
const BARE_COLUMNS: u32 = 8;
const PARTIAL_ORDERS: u32 = 4;
/// One in so many groups shows nothing but its keys, and one in so many orders is that of the select list.
const KEYS_ALONE: u32 = 5;
const AS_SELECTED: u32 = 3;
/// One in so many queries goes along an index, and one in so many others is ordered.
const ALONG_AN_INDEX: u32 = 24;
const ORDERED: u32 = 4;
/// One in so many arms of a compound has each row once, and one in so many subqueries of IN shows an aggregate.
const DISTINCT_ARM: u32 = 7;
const LEAST: u32 = 10;
/// One in so many compounds has arms that differ in their conditions only.
const ALIKE: u32 = 3;
/// One in so many subqueries of IN stood somewhere else already.
const SAID_AGAIN: u32 = 4;

impl Generator<'_> {
    /// A query for oracles that compare two forms of it: any clause, any shape.
    pub fn query(&mut self) -> Query {
        if !self.seed_queries.is_empty() && self.rng.chance(2, 3) {
            return self.rng.pick(self.seed_queries).clone();
        }
        let mut with = Vec::new();
        if self.has(Feature::Cte) && self.subqueries > 0 && self.rng.chance(1, 10) {
            self.subqueries -= 1;
            with.push(self.cte());
        }
        let mut query = match self.rng.weighted(&[14, 3 * more(self.leaning.nesting)]) {
            0 => self.single(self.shape.from, true),
            _ => self.compound(),
        };
        query.with = with;
        self.ctes.clear();
        self.scope.clear();
        query
    }

    /// One SELECT with whatever clauses.
    fn single(&mut self, most: usize, outermost: bool) -> Query {
        let outer = (self.scope.len(), self.frame);
        let from = if outermost { self.outer_from(most) } else { self.filled_from(most) };
        let mut select = Select { from, ..Select::default() };
        if self.rng.chance(3, 5) {
            select.filter = Some(self.predicate(self.shape.depth));
        }
        if let Some(search) = self.search(&select.from) {
            select.filter = Some(match select.filter {
                Some(filter) => search.and(filter),
                None => search,
            });
        }
        if self.has(Feature::SemiJoin) && self.subqueries > 0 && self.rng.chance(1, 6) {
            let tied = self.tied_subquery();
            select.filter = match (select.filter, tied) {
                (Some(filter), Some(tied)) => Some(filter.and(tied)),
                (filter, tied) => filter.or(tied),
            };
        }
        let (orders, searches) = (self.leaning.orders, self.leaning.searches);
        let along = match self.dialect().dynamic_typing {
            true => 2 * more(orders) * more(searches),
            false => more(orders || searches),
        };
        let along = along * u32::from(!self.state.is_empty());
        if self.rng.chance(along, ALONG_AN_INDEX)
            && let Some(query) = self.along_an_index(select.clone())
        {
            self.scope.truncate(outer.0);
            self.frame = outer.1;
            return query;
        }
        match self.rng.weighted(&[8, 4, 2, 2]) {
            0 => {
                select.items = self.items(3);
                select.distinct = self.rng.chance(1, 4);
            }
            1 => {
                select.group_by = self.group_keys();
                let keys = select.group_by.clone();
                let mut items: Vec<Item> = keys.iter().cloned().map(Item::bare).collect();
                // Without one, ORDER BY the keys is a total order, which an index may have.
                if items.is_empty() || !self.rng.chance(1, KEYS_ALONE) {
                    items.push(Item::bare(self.aggregate()));
                }
                // Beside the keys; whether the data leave one value for it is asked.
                if self.dialect().dynamic_typing && self.rng.chance(1, BARE_COLUMNS) {
                    items.extend(self.items(1).into_iter().filter(|i| matches!(i.expr, Expr::Column { .. })));
                }
                select.items = items;
                if !keys.is_empty() && self.rng.chance(1, 3) {
                    select.having = Some(self.having(&keys, 1));
                }
                let plain = !keys.is_empty() && keys.iter().all(|k| matches!(k, Expr::Column { .. }));
                if plain && let Some(grouping) = self.grouping(&keys) {
                    select.group_by = vec![grouping];
                }
            }
            2 => select.items = (0..self.rng.range(1, 3)).map(|_| Item::bare(self.aggregate())).collect(),
            _ => {
                select.items = self.items(2);
                if let Some(w) = self.window() {
                    select.items.push(Item::bare(w));
                }
            }
        }
        let mut query = Query::of(select);
        self.maybe_order(&mut query);
        self.scope.truncate(outer.0);
        self.frame = outer.1;
        query
    }

    /// Words looked for in one of the tables, where no outer join keeps its index from being asked.
    fn search(&mut self, from: &[Joined]) -> Option<Expr> {
        let inner = |j: &Joined| matches!(j.join, Join::Comma | Join::Inner | Join::Cross);
        if self.pool.words.is_empty() || !from.iter().skip(1).all(inner) || !self.rng.chance(2, 3) {
            return None;
        }
        let found = from.iter().find_map(|j| match &j.source {
            Source::Table { name, alias, .. } => {
                let table = self.schema.table(name).filter(|_| !self.ctes.iter().any(|c| c.name == *name))?;
                Some((table, alias, table.search?))
            }
            Source::Query { .. } => None,
        });
        let (table, alias, syntax) = found?;
        let words = search::words(&syntax, self.pool, &table.columns, self.rng);
        let of_column = self.rng.chance(1, 5);
        let column = if of_column { self.rng.pick(&table.columns).name.clone() } else { table.name.clone() };
        Some(Expr::Binary(Binary::Match, Box::new(Expr::column(alias, &column)), Box::new(Expr::text(words))))
    }

    /// ORDER BY over all selected values, and then perhaps a limit.
    fn maybe_order(&mut self, query: &mut Query) {
        if !self.rng.chance(more(self.leaning.orders), ORDERED) {
            return;
        }
        let Some(select) = query.select() else { return };
        if select.grouping().is_some() {
            if !self.has(Feature::RollupOrder) {
                return;
            }
            self.uses(Feature::RollupOrder);
        }
        let mut terms: Vec<Expr> = select.items.iter().map(|i| i.expr.clone()).collect();
        if terms.is_empty() || terms.iter().any(|t| matches!(t, Expr::Literal(_))) {
            return;
        }
        if !self.rng.chance(1, AS_SELECTED) {
            self.rng.shuffle(&mut terms);
        }
        // Whether a limit behind it keeps the same rows always is asked of the data.
        if self.rng.chance(1, PARTIAL_ORDERS) {
            terms.truncate(1 + self.rng.below(2));
        }
        query.order_by = terms.into_iter().map(|t| self.order_item(t)).collect();
        if self.rng.coin() {
            let offset = self.rng.chance(1, 3).then(|| self.rng.below(3) as u32);
            query.limit = Some(Limit { count: self.rng.below(6) as u32 + 1, offset });
        }
    }

    fn compound(&mut self) -> Query {
        let last = if self.dialect().dynamic_typing { Kind::Any } else { Kind::Real };
        let kinds: Vec<Kind> =
            (0..self.rng.range(1, 2)).map(|_| *self.rng.pick(&[Kind::Int, Kind::Text, last])).collect();
        let (left, right) = self.arms(&kinds);
        let ops = [SetOp::UnionAll, SetOp::UnionAll, SetOp::Union, SetOp::Intersect, SetOp::Except];
        let most = match (self.has(Feature::IntersectExcept), self.has(Feature::OnlyUnionAll)) {
            (_, true) => 2,
            (false, _) => 3,
            _ => ops.len(),
        };
        let op = *self.rng.pick(&ops[..most]);
        if matches!(op, SetOp::Intersect | SetOp::Except) {
            self.uses(Feature::IntersectExcept);
        }
        let mut body = Body::Compound { op, left: Box::new(left), right: Box::new(right) };
        if self.rng.chance(1, 5) {
            let third = self.arm(&kinds);
            body = Body::Compound { op: SetOp::UnionAll, left: Box::new(body), right: Box::new(third) };
        }
        let mut query = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
        if self.has(Feature::CompoundOrder) && self.rng.chance(1, 4) {
            let columns = (0..kinds.len()).map(|i| Expr::column("", &format!("c{i}")));
            let terms: Vec<Expr> = columns.collect();
            query.order_by = terms.into_iter().map(|t| self.order_item(t)).collect();
            if self.rng.coin() {
                let offset = self.rng.chance(1, 3).then(|| self.rng.below(3) as u32);
                query.limit = Some(Limit { count: self.rng.below(6) as u32 + 1, offset });
            }
        }
        query
    }

    /// Two arms of a compound: over tables of their own, or the same columns with two conditions. The latter compare
    /// alike, so that conditions may be put on the whole.
    fn arms(&mut self, kinds: &[Kind]) -> (Body, Body) {
        let twice = self.rng.chance(1, ALIKE);
        match self.arm_and_its_like(kinds, twice) {
            (left, Some(right)) => (left, right),
            (left, None) => (left, self.arm(kinds)),
        }
    }

    fn arm(&mut self, kinds: &[Kind]) -> Body {
        self.arm_and_its_like(kinds, false).0
    }

    /// An arm of a compound: aliased columns of the wanted kinds.
    fn arm_and_its_like(&mut self, kinds: &[Kind], twice: bool) -> (Body, Option<Body>) {
        let outer = (self.scope.len(), self.frame);
        let from = self.from(2.min(self.shape.from));
        let mut items: Vec<Item> = kinds.iter().map(|k| Item::bare(self.column_of(*k))).collect();
        Self::alias_items(&mut items);
        let filter = self.rng.coin().then(|| self.predicate(1));
        let distinct = self.rng.chance(1, DISTINCT_ARM);
        let arm = Select { items, from, filter, distinct, ..Select::default() };
        let like = twice.then(|| Select { filter: Some(self.predicate(1)), ..arm.clone() });
        self.scope.truncate(outer.0);
        self.frame = outer.1;
        let body = |select| Body::Select(Box::new(select));
        (body(arm), like.map(body))
    }

    fn column_of(&mut self, kind: Kind) -> Expr {
        let found = self.own_column(|t| t.taint == Taint::Clear && (t.kind == kind || kind == Kind::Any)).pop();
        if !self.dialect().dynamic_typing {
            return found.unwrap_or_else(|| self.literal(if kind == Kind::Any { Kind::Int } else { kind }));
        }
        found.or_else(|| self.own_column(|t| t.taint == Taint::Clear).pop()).unwrap_or_else(|| self.literal(kind))
    }

    /// A query in FROM: sees nothing of the outside.
    pub(super) fn derived(&mut self) -> (Query, Columns) {
        let scope = std::mem::take(&mut self.scope);
        let frame = std::mem::replace(&mut self.frame, 0);
        let mut query = match self.rng.weighted(&[6, 3]) {
            0 => self.single(2.min(self.shape.from), false),
            _ => self.compound(),
        };
        self.scope = scope;
        self.frame = frame;
        if let Some(select) = query.select_mut() {
            for (i, item) in select.items.iter_mut().enumerate() {
                item.alias = Some(format!("c{i}").into());
            }
        }
        let columns = typing::query(&query, &self.with_ctes(), self.dialect());
        match columns {
            Ok(columns) => (query, columns.into()),
            Err(_) => self.plain_table(),
        }
    }

    /// A query in FROM that refers to what stands before it.
    pub(super) fn lateral(&mut self) -> Option<(Query, Columns)> {
        let outer = (self.scope.len(), self.frame);
        let from = self.filled_from(2.min(self.shape.from));
        let own = std::mem::replace(&mut self.frame, outer.1);
        let pair = self.equal_pair(own);
        self.frame = own;
        let mut filter = pair.map(|(theirs, ours)| {
            let loose = self.is_ordered(self.kind_of(&ours)) && self.rng.chance(1, 4);
            Expr::Binary(if loose { Binary::Le } else { Binary::Eq }, Box::new(ours), Box::new(theirs))
        });
        if filter.is_none() || self.rng.chance(1, 3) {
            let more = self.predicate(1);
            filter = Some(match filter {
                Some(tie) => tie.and(more),
                None => more,
            });
        }
        let mut select = Select { from, filter, ..Select::default() };
        match self.rng.weighted(&[4, 3, 2]) {
            0 => {
                select.items = self.items(2);
                select.distinct = self.rng.chance(1, 4);
            }
            1 => select.items = (0..self.rng.range(1, 2)).map(|_| Item::bare(self.aggregate())).collect(),
            _ => {
                select.group_by = self.group_keys();
                select.items = select.group_by.iter().cloned().map(Item::bare).collect();
                select.items.push(Item::bare(self.aggregate()));
            }
        }
        let mut query = Query::of(select);
        self.maybe_order(&mut query);
        self.scope.truncate(outer.0);
        self.frame = outer.1;
        Self::alias_items(&mut query.select_mut()?.items);
        let columns = joins::beside(&query, self.seen(), &self.with_ctes(), self.dialect()).ok()?;
        self.uses(Feature::Lateral);
        Some((query, columns.into()))
    }

    /// What is in scope, by the names of the members that it belongs to.
    fn seen(&self) -> Vec<ScopeSource> {
        let mut sources: Vec<(Name, Vec<Column>)> = Vec::new();
        for v in &self.scope {
            let column = Column { name: v.name.clone(), traits: v.traits };
            match sources.iter_mut().find(|(alias, _)| *alias == v.table) {
                Some((_, columns)) => columns.push(column),
                None => sources.push((v.table.clone(), vec![column])),
            }
        }
        let source = |(alias, columns): (Name, Vec<Column>)| ScopeSource {
            alias,
            table: None,
            columns: columns.into(),
            rowid: false,
        };
        sources.into_iter().map(source).collect()
    }

    fn with_ctes(&self) -> Schema {
        let mut schema = self.schema.clone();
        schema.tables.extend(self.ctes.iter().cloned());
        schema
    }

    /// All of one table: what is left when something finer did not work out.
    fn plain_table(&mut self) -> (Query, Columns) {
        let table = self.rng.pick(&self.schema.tables).clone();
        let items = table.columns.iter().enumerate().map(|(i, c)| Item {
            expr: Expr::Column { table: table.name.clone(), column: c.name.clone() },
            alias: Some(format!("c{i}").into()),
        });
        let mut columns = table.columns.to_vec();
        columns.iter_mut().enumerate().for_each(|(i, c)| c.name = format!("c{i}").into());
        let source = Source::Table { name: table.name.clone(), alias: table.name.clone(), hint: Hint::None };
        let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
        let query = Query::of(Select { items: items.collect(), from, ..Select::default() });
        (query, columns.into())
    }

    /// A query for a view: aliased columns, checked.
    pub fn view(&mut self) -> Query {
        self.derived().0
    }

    fn cte(&mut self) -> Cte {
        let name: Name = format!("w{}", self.ctes.len()).into();
        let materialized = if self.has(Feature::MaterializedHint) && self.rng.chance(1, 4) {
            self.uses(Feature::MaterializedHint);
            Some(self.rng.coin())
        } else {
            None
        };
        if self.has(Feature::RecursiveCte) && self.rng.chance(1, 3) {
            let walks = if self.rng.coin() { self.walking_cte(name.clone()) } else { None };
            return walks.unwrap_or_else(|| self.counting_cte(name));
        }
        let (query, columns) = self.derived();
        self.ctes.push(Table::of_query(name.clone(), columns));
        Cte { name, columns: Vec::new(), query, recursive: false, materialized }
    }

    /// `w(c0) AS (SELECT a UNION [ALL] SELECT c0 + 1 FROM w WHERE c0 < b)`: recursive and bounded.
    fn counting_cte(&mut self, name: Name) -> Cte {
        self.uses(Feature::RecursiveCte);
        let first = self.rng.below(3) as i64;
        let last = first + self.rng.range(1, 5) as i64;
        let op = if self.rng.coin() { SetOp::UnionAll } else { SetOp::Union };
        let cte = counting(&name, "c0", first, last, op);
        let traits = Traits { summable: true, ..Traits::of(Kind::Int) };
        let columns: Columns = vec![Column { name: "c0".into(), traits }].into();
        self.ctes.push(Table::of_query(name, columns));
        cte
    }

    /// `w(c0, c1) AS (SELECT [DISTINCT] x, 0 FROM t UNION ALL SELECT c0, c1 + 1 FROM w [JOIN t ON …] WHERE c1 < k)`:
    /// begins with rows of a table and ends after a few rounds.
    fn walking_cte(&mut self, name: Name) -> Option<Cte> {
        let Query { body: first, .. } = self.plain_table().0;
        let Body::Select(mut first) = first else { return None };
        let table = first.from.first()?.source.alias().clone();
        let shown = first.items.swap_remove(self.rng.below(first.items.len()));
        let again = shown.expr.clone();
        first.items = vec![Item::bare(shown.expr), Item::bare(Expr::int(0))];
        first.distinct = self.rng.chance(1, 3);
        let columns: Vec<Name> = vec!["c0".into(), "c1".into()];
        let column = |at: usize| Expr::Column { table: name.clone(), column: columns[at].clone() };
        let next = Expr::Binary(Binary::Add, Box::new(column(1)), Box::new(Expr::int(1)));
        let joined = self.rng.chance(1, 3);
        let rounds = if joined { 2 } else { self.rng.range(1, 3) as i64 };
        let bound = Expr::Binary(Binary::Lt, Box::new(column(1)), Box::new(Expr::int(rounds)));
        let member = |name: &Name| {
            let source = Source::Table { name: name.clone(), alias: name.clone(), hint: Hint::None };
            Joined { join: Join::Comma, source, on: None, using: Vec::new() }
        };
        let mut from = vec![member(&name)];
        let mut filter = bound;
        if joined {
            from.push(member(&table));
            filter = filter.and(Expr::Binary(Binary::Eq, Box::new(column(0)), Box::new(again)));
        }
        let step = Select {
            items: vec![Item::bare(column(0)), Item::bare(next)],
            from,
            filter: Some(filter),
            ..Select::default()
        };
        let typed = typing::query(&Query::of((*first).clone()), &self.with_ctes(), self.dialect()).ok()?;
        let known = typed.into_iter().zip(&columns).map(|(c, name)| Column { name: name.clone(), ..c });
        let known: Columns = known.collect::<Vec<_>>().into();
        let (left, right) = (Box::new(Body::Select(first)), Box::new(Body::Select(Box::new(step))));
        let body = Body::Compound { op: SetOp::UnionAll, left, right };
        let query = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
        self.uses(Feature::RecursiveCte);
        self.ctes.push(Table::of_query(name.clone(), known));
        Some(Cte { name, columns, query, recursive: true, materialized: None })
    }

    /// A subquery of one value a column, which may refer to the query around it.
    pub fn column_query(&mut self, kinds: &[Kind]) -> Query {
        // The same subquery again, compared with something else: engines run it once for both.
        if self.rng.chance(1, SAID_AGAIN)
            && let Some((_, known)) = self.asked.iter().find(|(of, _)| of[..] == *kinds)
        {
            return known.clone();
        }
        let made = self.new_column_query(kinds);
        let mut inside = true;
        walk::each_expr(&made, &mut |e| {
            inside &= !matches!(e, Expr::Column { table, .. } if self.scope.iter().any(|v| v.table == *table));
        });
        if inside {
            self.asked.push((kinds.to_vec(), made.clone()));
        }
        made
    }

    fn new_column_query(&mut self, kinds: &[Kind]) -> Query {
        let hidden = self.hide_outer();
        let outer = (self.scope.len(), self.frame);
        let from = self.from(2.min(self.shape.from));
        let mut items: Vec<Item> = kinds.iter().map(|k| Item::bare(self.column_of(*k))).collect();
        let mut group_by = Vec::new();
        if self.rng.chance(1, LEAST) {
            self.least_of(&mut items, &mut group_by);
        }
        let filter = self.rng.chance(3, 5).then(|| self.predicate(1));
        let distinct = self.rng.chance(1, 10);
        self.scope.truncate(outer.0);
        self.frame = outer.1;
        self.show_outer(hidden);
        Query::of(Select { items, from, filter, distinct, group_by, ..Select::default() })
    }

    /// Where a subquery may not refer to the query around it, that is out of sight while one is made.
    fn hide_outer(&mut self) -> Option<(Vec<Visible>, usize)> {
        let hides = !self.has(Feature::Correlated);
        hides.then(|| (std::mem::take(&mut self.scope), std::mem::replace(&mut self.frame, 0)))
    }

    fn show_outer(&mut self, hidden: Option<(Vec<Visible>, usize)>) {
        if let Some((scope, frame)) = hidden {
            self.scope = scope;
            self.frame = frame;
        }
    }

    /// A subquery that gives one row.
    pub fn scalar_query(&mut self, kind: Kind) -> Query {
        let hidden = self.hide_outer();
        let outer = (self.scope.len(), self.frame);
        let from = self.from(1);
        let filter = self.rng.chance(3, 5).then(|| self.predicate(1));
        let aggregate = match self.rng.chance(3, 4) {
            true if self.dialect().dynamic_typing => Some(self.aggregate()),
            true => self.aggregate_of(kind),
            false => None,
        };
        let mut query = if let Some(aggregate) = aggregate {
            let items = vec![Item::bare(aggregate)];
            Query::of(Select { items, from, filter, ..Select::default() })
        } else {
            let item = self.column_of(kind);
            let order = OrderItem { expr: item.clone(), descending: self.rng.coin(), nulls_first: None };
            let mut query = Query::of(Select { items: vec![Item::bare(item)], from, filter, ..Select::default() });
            query.order_by = vec![order];
            query.limit = Some(Limit { count: 1, offset: None });
            query
        };
        // In place of a column that is not there, the value alone: with FROM there would be one for each row.
        if query.order_by.iter().any(|o| matches!(o.expr, Expr::Literal(_) | Expr::Cast { .. })) {
            let items = query.select_mut().map(|s| std::mem::take(&mut s.items)).unwrap_or_default();
            query = Query::of(Select { items, ..Select::default() });
        }
        self.scope.truncate(outer.0);
        self.frame = outer.1;
        self.show_outer(hidden);
        query
    }
}

/// `name(column) AS (SELECT first UNION [ALL] SELECT column + 1 FROM name WHERE column < last)`.
pub(super) fn counting(name: &Name, column: &str, first: i64, last: i64, op: SetOp) -> Cte {
    let number = || Expr::Column { table: name.clone(), column: column.into() };
    let next = Expr::Binary(Binary::Add, Box::new(number()), Box::new(Expr::int(1)));
    let bound = Expr::Binary(Binary::Lt, Box::new(number()), Box::new(Expr::int(last)));
    let source = Source::Table { name: name.clone(), alias: name.clone(), hint: Hint::None };
    let step = Select {
        items: vec![Item::bare(next)],
        from: vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }],
        filter: Some(bound),
        ..Select::default()
    };
    let start = Select { items: vec![Item::bare(Expr::int(first))], ..Select::default() };
    let (left, right) = (Box::new(Body::Select(Box::new(start))), Box::new(Body::Select(Box::new(step))));
    let body = Body::Compound { op, left, right };
    let query = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
    Cte { name: name.clone(), columns: vec![column.into()], query, recursive: true, materialized: None }
}

#[cfg(test)]
mod tests {
    use crate::sql::ast::*;
    use crate::sql::features;
    use crate::sql::generate::{Generator, shape};
    use crate::sql::pool::Pool;
    use crate::sql::print;
    use crate::sql::profile::Profile;
    use crate::sql::seeds::Seed;
    use crate::sql::typing::{self, Schema};
    use qualm_core::explore::{NamedText, Size};
    use qualm_core::rng::Rng;
    /// Queries over two tables that name one of these: how many the engine took of how many there were.
    fn taken(engine: &str, wanted: &str, least: usize) {
        let engine = qualm_engines::connect(engine).unwrap();
        let (dialect, mut session) = (engine.sql().unwrap(), engine.open().unwrap());
        let profile = Profile::probe(dialect, session.as_mut()).unwrap();
        session.reset().unwrap();
        let text = "CREATE TABLE t0(c0 INT, c1 INT); CREATE TABLE t1(c2 INT, c3 INT);
            INSERT INTO t0 VALUES (1, 2), (1, NULL), (3, 2); INSERT INTO t1 VALUES (1, 2), (NULL, 3)";
        let seed = Seed::read(&NamedText { name: "s".into(), text: text.into() }, dialect);
        for statement in &seed.state {
            let text = print::statement(statement, dialect);
            assert!(session.run(&text).is_ok(), "{text}");
        }
        let schema = Schema::from_state(&seed.state, dialect).unwrap();
        let (mut all, mut refused) = (0, Vec::new());
        for seed in 0..20_000 {
            let mut rng = Rng::new(seed);
            let pool = Pool::of(dialect, &mut rng);
            let mut g = Generator::new(&mut rng, &profile, &schema, &pool, shape(Size::Medium));
            let query = g.query();
            let question = Question::of(query.clone(), "");
            let asked = SqlSource { oracle: Name::default(), state: Vec::new(), question };
            let is_wanted = features::of_source(&asked).contains(wanted);
            if !is_wanted || typing::query(&query, &schema, dialect).is_err() {
                continue;
            }
            let text = print::query(&query, dialect);
            all += 1;
            if !session.run(&text).is_ok() {
                refused.push(text);
            }
            if all == least {
                break;
            }
        }
        assert!(all == least && refused.len() * 20 <= all, "{wanted}: {all}, refused {refused:#?}");
    }

    #[test]
    fn lists_of_keys_and_lateral_are_taken_by_duckdb() {
        for wanted in ["ROLLUP", "CUBE", "GROUPING SETS", "LATERAL"] {
            taken("duckdb", wanted, 60);
        }
    }
}
