//! Shapes of queries that optimisers take apart: alternatives over one value, chains of equal values, and everything
//! that can be done along the terms of an index. Each is in ordinary queries now and then, and in those of databases
//! that lean to it often (`leaning.rs`).

use super::ast::*;
use super::generate::Generator;
use super::leaning::more;
use qualm_core::dialect::sql::{Feature, Kind};

/// One in so many alternatives is several conditions at once, and one in so many of all is asked beside another one.
const BOTH: u32 = 4;
const BESIDE: u32 = 3;
/// One in so many links of a chain says by which collation it compares, where a database leans to them.
const COLLATED_LINK: u32 = 4;
/// One in so many walks along an index has a condition on what is not in its order.
const APART: u32 = 4;

impl Generator<'_> {
    /// `a = x OR a = b OR a BETWEEN …`: one value in all of them, on either side.
    pub(super) fn alternatives(&mut self, depth: u32) -> Expr {
        let indexed = if self.rng.coin() { self.echoed_terms() } else { None };
        let (shared, kind) = match indexed {
            Some(terms) => {
                let expr = terms[0].expr.clone();
                let kind = self.kind_of(&expr);
                (expr, kind)
            }
            None => match self.column(None) {
                Some(found) => found,
                None => return self.comparison(depth),
            },
        };
        let mut made = self.alternative(&shared, kind);
        for _ in 0..self.rng.range(1, 3) {
            let mut next = self.alternative(&shared, kind);
            if self.rng.chance(1, BOTH) {
                let also = self.alternative(&shared, kind);
                next = next.and(also);
            }
            made = made.or(next);
        }
        if depth > 0 && self.rng.chance(1, BESIDE) { made.and(self.predicate(depth - 1)) } else { made }
    }

    fn alternative(&mut self, shared: &Expr, kind: Kind) -> Expr {
        let ordered = u32::from(self.is_ordered(kind));
        let left = self.maybe_collate(shared.clone());
        match self.rng.weighted(&[8, 5 * ordered, 2 * ordered, 2, 1]) {
            0 | 1 if self.rng.coin() => {
                // Another column, often of another table.
                let other = self.column(Some(kind)).map_or_else(|| self.fitting_literal(kind), |(c, _)| c);
                let op = self.operator_between(kind);
                let right = self.maybe_collate(other);
                let (left, right) = if self.rng.chance(1, 3) { (right, left) } else { (left, right) };
                Expr::Binary(op, Box::new(left), Box::new(right))
            }
            of @ 0..=1 => {
                let op = if of == 0 { Binary::Eq } else { self.operator_between(kind) };
                let right = self.fitting_literal(kind);
                Expr::Binary(op, Box::new(left), Box::new(self.maybe_collate(right)))
            }
            2 => {
                // As the one in the middle, or as one of the ends.
                let mut ends = [self.fitting_literal(kind), self.fitting_literal(kind)];
                let mut middle = left;
                if self.rng.chance(1, 3)
                    && let Some((other, _)) = self.column(Some(kind))
                {
                    let at = usize::from(self.rng.chance(2, 3));
                    ends[at] = std::mem::replace(&mut middle, other);
                }
                let [low, high] = ends.map(Box::new);
                Expr::Between { expr: Box::new(middle), low, high, negated: false }
            }
            3 => {
                let list = (0..self.rng.range(1, 3)).map(|_| self.fitting_literal(kind)).collect();
                Expr::InList { expr: Box::new(left), list, negated: false }
            }
            _ => left.is_null(),
        }
    }

    fn operator_between(&mut self, kind: Kind) -> Binary {
        use Binary::*;
        let ordered = self.is_ordered(kind);
        if ordered { *self.rng.pick(&[Eq, Eq, Eq, Lt, Le, Gt, Ge, Is]) } else { Eq }
    }

    /// `a = b AND b = c AND c = k`, from which optimisers conclude that `a = k`: whether that is so depends on how each
    /// of them compares.
    pub(super) fn equal_chain(&mut self, _: u32) -> Expr {
        let Some((first, kind)) = self.column(None) else { return self.comparison(0) };
        let mixed = self.dialect().dynamic_typing && (self.leaning.affinities || self.rng.chance(1, 4));
        let wanted = if mixed { Kind::Any } else { kind };
        let mut links: Vec<Expr> = vec![first];
        for _ in 0..self.rng.range(1, 2) {
            let Some((next, _)) = self.column(Some(wanted)) else { break };
            if !links.contains(&next) {
                links.push(next);
            }
        }
        let constant = self.fitting_literal(kind);
        if self.rng.chance(1, 6) {
            links.insert(0, constant)
        } else {
            links.push(constant)
        }
        let mut parts: Vec<Expr> = Vec::new();
        for pair in links.windows(2) {
            let mut sides = [pair[0].clone(), pair[1].clone()];
            if self.leaning.collations && self.rng.chance(1, COLLATED_LINK) {
                let at = self.rng.below(2);
                let side = std::mem::replace(&mut sides[at], Expr::null());
                sides[at] = self.maybe_collate(side);
            }
            if self.rng.chance(1, 8) {
                sides.reverse();
            }
            let op = if self.rng.chance(1, 10) { Binary::Is } else { Binary::Eq };
            let [left, right] = sides.map(Box::new);
            parts.push(Expr::Binary(op, left, right));
        }
        if self.rng.chance(1, 8) {
            self.rng.shuffle(&mut parts);
        }
        parts.into_iter().reduce(Expr::and).unwrap_or_else(Expr::null)
    }

    pub(super) fn row_comparison(&mut self) -> Expr {
        let (Some((a, ka)), Some((b, kb))) = (self.column(None), self.column(None)) else { return self.comparison(0) };
        self.uses(Feature::RowValue);
        // One of them a constant: half of the row is known before any row is read. Or both, for a subquery.
        let constant = self.rng.below(8);
        let a = if matches!(constant, 0 | 2) { self.row_literal(ka) } else { a };
        let b = if matches!(constant, 1 | 2) { self.row_literal(kb) } else { b };
        let left = Expr::Row(vec![a, b]);
        if self.rng.chance(1, 3) && self.subqueries > 0 && !self.schema_is_empty() {
            self.subqueries -= 1;
            let query = Box::new(self.column_query(&[ka, kb]));
            return Expr::InQuery { expr: Box::new(left), query, negated: self.rng.chance(1, 4) };
        }
        let right = Expr::Row(vec![self.row_item(ka), self.row_item(kb)]);
        let op = *self.rng.pick(&[Binary::Eq, Binary::Lt, Binary::Gt, Binary::Le, Binary::Ge, Binary::Ne, Binary::Is]);
        let op = if self.is_ordered(ka) && self.is_ordered(kb) { op } else { Binary::Eq };
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    fn row_literal(&mut self, kind: Kind) -> Expr {
        let unknown = self.dialect().dynamic_typing && self.rng.chance(1, 6);
        if unknown { Expr::null() } else { self.fitting_literal(kind) }
    }

    fn row_item(&mut self, kind: Kind) -> Expr {
        match self.column(Some(kind)) {
            Some((c, _)) if self.rng.chance(more(self.leaning.collations || self.leaning.alternatives), 4) => c,
            _ => self.fitting_literal(kind),
        }
    }

    /// A condition that names no column: an optimiser moves it to where it likes.
    pub(super) fn constant_condition(&mut self, _: u32) -> Expr {
        let kind = *self.rng.pick(&[Kind::Int, Kind::Text, Kind::Int]);
        let (left, right) = (self.fitting_literal(kind), self.fitting_literal(kind));
        match self.rng.weighted(&[5, 2]) {
            0 => {
                use Binary::*;
                let kinds = (self.kind_of(&left), self.kind_of(&right));
                let fits = self.dialect().dynamic_typing || kinds.0 == kinds.1;
                let op = *self.rng.pick(&[Eq, Ne, Lt, Is, IsNot]);
                if !fits || op.is_order() && !self.is_ordered(kinds.0) {
                    return left.is_null();
                }
                Expr::Binary(op, Box::new(left), Box::new(right))
            }
            _ => Expr::IsNull { expr: Box::new(left), negated: self.rng.coin() },
        }
    }

    /// A query that an index answers on its way: its first terms are looked for, and of those behind them the least or
    /// the greatest, the different ones, their groups or their order is asked for.
    pub(super) fn along_an_index(&mut self, mut select: Select) -> Option<Query> {
        let terms = self.echoed_terms()?;
        if terms.iter().any(|t| matches!(t.expr, Expr::Literal(_))) {
            return None;
        }
        let most = if self.rng.chance(1, 4) { 2 } else { 1 };
        let sought = self.rng.below(terms.len() + 1).min(most);
        let next = sought.min(terms.len() - 1);
        let found = self.on_the_way(&terms, sought);
        select.filter = match (select.filter.take(), found) {
            (Some(filter), Some(found)) => Some(found.and(filter)),
            (filter, found) => filter.or(found),
        };
        let rest: Vec<Expr> = terms[next..].iter().map(|t| t.expr.clone()).collect();
        // In the order of the index or in another one.
        let mut keys = rest.clone();
        if self.rng.chance(1, 4) {
            self.rng.shuffle(&mut keys);
        }
        let way = self.rng.weighted(&[3, 4, 3, 3]);
        match way {
            0 => {
                select.items = vec![Item::bare(self.one_of(&rest))];
                return Some(Query::of(select));
            }
            1 => {
                select.items = keys.iter().cloned().map(Item::bare).collect();
                if self.rng.coin() {
                    select.items.push(Item::bare(self.aggregate()));
                }
                if self.rng.chance(1, 4) {
                    select.having = Some(self.having(&keys, 1));
                }
                select.group_by = keys.clone();
            }
            2 => {
                select.items = keys.iter().cloned().map(Item::bare).collect();
                select.distinct = true;
            }
            _ if self.rng.coin() => select.items = self.items(3),
            _ => select.items = rest.into_iter().map(Item::bare).collect(),
        }
        let mut query = Query::of(select);
        if self.rng.chance(3, 4) {
            if self.rng.chance(1, 4) {
                self.rng.shuffle(&mut keys);
            }
            // Found by the index and in an order of its own.
            if way < 3 || !self.rng.chance(1, 3) {
                query.order_by = self.directed(&keys, &terms);
            }
            if way > 1 && self.rng.coin() {
                self.limit_totally(&mut query);
            }
        }
        Some(query)
    }

    /// What the first terms are compared with, perhaps with a range of the next one, and with something else.
    fn on_the_way(&mut self, terms: &[IndexTerm], sought: usize) -> Option<Expr> {
        let mut parts: Vec<Expr> = terms[..sought].iter().map(|term| self.equality_of(term)).collect();
        if self.rng.chance(2, 5) {
            parts.push(self.search_of(&terms[sought.min(terms.len() - 1)]));
        }
        if self.rng.chance(1, APART) {
            parts.push(self.predicate(1));
        }
        if self.rng.chance(1, 4) {
            self.rng.shuffle(&mut parts);
        }
        parts.into_iter().reduce(Expr::and)
    }

    /// The least, the greatest or the number of one of these.
    fn one_of(&mut self, values: &[Expr]) -> Expr {
        let named = self.rng.pick(values).clone();
        let has_least = self.dialect().dynamic_typing || self.dialect().has_least(self.kind_of(&named));
        let function = if has_least { *self.rng.pick(&["min", "max", "min", "max", "count"]) } else { "count" };
        let distinct = function == "count" && self.rng.coin();
        let (function, args) = (function.into(), vec![named]);
        Expr::Aggregate(Box::new(Aggregate { function, args, distinct, filter: None }))
    }

    /// Behind the keys all else that is shown, so that the order is total, and a limit.
    fn limit_totally(&mut self, query: &mut Query) {
        let shown: Vec<Expr> = query.select().into_iter().flat_map(|s| &s.items).map(|i| i.expr.clone()).collect();
        for e in shown.into_iter().filter(|e| !matches!(e, Expr::Literal(_))) {
            if !query.order_by.iter().any(|o| o.expr == e) {
                let item = self.order_item(e);
                query.order_by.push(item);
            }
        }
        let offset = self.rng.chance(1, 4).then(|| self.rng.below(2) as u32);
        query.limit = Some(Limit { count: self.rng.below(4) as u32 + 1, offset });
    }

    /// Keys in the directions of an index, in the opposite ones, or each in its own.
    fn directed(&mut self, keys: &[Expr], terms: &[IndexTerm]) -> Vec<OrderItem> {
        let how = self.rng.weighted(&[4, 3, 3]);
        let mut made: Vec<OrderItem> = Vec::new();
        for key in keys {
            let falls = terms.iter().any(|t| t.expr == *key && t.descending);
            let mut item = self.order_item(key.clone());
            match how {
                0 => item.descending = falls,
                1 => item.descending = !falls,
                _ => {}
            }
            made.push(item);
        }
        if self.leaning.collations && self.dialect().dynamic_typing && !made.is_empty() && self.rng.chance(1, 3) {
            let at = self.rng.below(made.len());
            let expr = std::mem::replace(&mut made[at].expr, Expr::null());
            made[at].expr = self.maybe_collate(expr);
        }
        made
    }

    /// What a subquery compared with several columns shows, where it is an aggregate: the least or greatest value of
    /// one, and of the others what stands beside it.
    pub(super) fn least_of(&mut self, items: &mut [Item], group_by: &mut Vec<Expr>) {
        let at = self.rng.below(items.len());
        let Expr::Column { .. } = items[at].expr else { return };
        let kind = self.kind_of(&items[at].expr);
        if !self.dialect().dynamic_typing && !self.dialect().has_least(kind) {
            return;
        }
        let function = if self.rng.coin() { "min" } else { "max" }.into();
        let args = vec![items[at].expr.clone()];
        items[at].expr = Expr::Aggregate(Box::new(Aggregate { function, args, distinct: false, filter: None }));
        let strict = !self.dialect().dynamic_typing;
        if strict || self.rng.coin() {
            let others = items.iter().map(|i| &i.expr).filter(|e| matches!(e, Expr::Column { .. }));
            group_by.extend(others.cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::generate::shape;
    use crate::sql::leaning::Leaning;
    use crate::sql::pool::Pool;
    use crate::sql::print;
    use crate::sql::profile::Profile;
    use crate::sql::seeds::Seed;
    use crate::sql::typing::{self, Schema};
    use qualm_core::explore::{NamedText, Size};
    use qualm_core::rng::Rng;
    use qualm_engines::sqlite::dialect::SQLITE;

    const STATE: &str = "CREATE TABLE t0(c0 INTEGER PRIMARY KEY, c1 TEXT COLLATE NOCASE, c2); \
        CREATE INDEX i0 ON t0(c1 COLLATE RTRIM, c2 DESC); CREATE TABLE t1(c0 TEXT UNIQUE, c1); \
        CREATE VIEW v0 AS SELECT c0, c1 FROM t1; INSERT INTO t0 VALUES (1, 'a', 1), (2, 'A', NULL); \
        INSERT INTO t1 VALUES ('a ', 1), ('1', 'A');";

    /// Determined queries of databases that lean this way: their texts, of which SQLite takes all.
    fn queries(leaning: Leaning) -> Vec<String> {
        let mut session = qualm_engines::connect("sqlite").unwrap().open().unwrap();
        let profile = Profile::probe(&SQLITE, session.as_mut()).unwrap();
        let seed = Seed::read(&NamedText { name: "s".into(), text: STATE.into() }, &SQLITE);
        let schema = Schema::from_state(&seed.state, &SQLITE).unwrap();
        session.reset().unwrap();
        for statement in &seed.state {
            assert!(session.run(&print::statement(statement, &SQLITE)).is_ok());
        }
        let mut refused = 0;
        let made: Vec<String> = (0..2000)
            .filter_map(|i| {
                let mut rng = Rng::new(i);
                let mut pool = Pool::of(&SQLITE, &mut rng);
                leaning.values(&mut pool, &mut rng);
                let mut g = Generator::new(&mut rng, &profile, &schema, &pool, shape(Size::Medium));
                (g.state, g.leaning) = (&seed.state, leaning);
                let query = g.query();
                typing::query(&query, &schema, &SQLITE).ok()?;
                let text = print::query(&query, &SQLITE);
                refused += usize::from(!session.run(&text).is_ok());
                Some(text)
            })
            .collect();
        assert!(refused * 100 < made.len(), "{refused} of {} were refused", made.len());
        made
    }

    fn with_any(made: &[String], parts: &[&str]) -> f64 {
        let having = made.iter().filter(|text| parts.iter().any(|part| text.contains(part))).count();
        having as f64 / made.len() as f64
    }

    #[test]
    fn a_database_that_leans_to_something_asks_more_of_it() {
        let plain = queries(Leaning::default());
        let none = Leaning::default();
        let leanings: [(Leaning, &[&str]); 6] = [
            (Leaning { collations: true, ..none }, &["COLLATE"]),
            (Leaning { searches: true, ..none }, &["t0.c1 = ", "t0.c0 = ", "t1.c0 = "]),
            (Leaning { orders: true, ..none }, &["ORDER BY"]),
            (Leaning { joins: true, ..none }, &["LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]),
            (Leaning { nesting: true, ..none }, &["v0", "FROM ("]),
            (Leaning { alternatives: true, ..none }, &[" IN (", " OR "]),
        ];
        for (leaning, parts) in leanings {
            let (before, now) = (with_any(&plain, parts), with_any(&queries(leaning), parts));
            assert!(now > before * 1.1 && before > 0.01, "{parts:?}: {before} before, {now} in {leaning:?}");
        }
        // Numbers that are texts.
        let before = with_any(&plain, &["'1.0'", "'01'", "' 1'", "'2.0'", "'1e0'", "'2e0'", "'0e0'", "'0.0'"]);
        let now = queries(Leaning { affinities: true, ..none });
        let now = with_any(&now, &["'1.0'", "'01'", "' 1'", "'2.0'", "'1e0'", "'2e0'", "'0e0'", "'0.0'"]);
        assert!(now > before * 1.25, "{before} before, {now} now");
    }

    /// What was hardly ever written before, whatever a database leans to.
    #[test]
    fn queries_go_along_the_indexes_of_their_state() {
        let made = queries(Leaning::default());
        let groups = ["GROUP BY t0.c1, t0.c2", "GROUP BY t0.c2, t0.c1"];
        let orders = ["ORDER BY t0.c1, t0.c2 DESC", "ORDER BY t0.c1 DESC, t0.c2"];
        let least = ["min(t0.c1) FROM t0 WHERE", "max(t0.c1) FROM t0 WHERE", "min(t0.c2) FROM t0 WHERE"];
        for (parts, least) in [(&groups[..], 0.004), (&orders, 0.004), (&least, 0.0005)] {
            let share = with_any(&made, parts);
            assert!(share > least, "{parts:?} are in {share} of the queries");
        }
    }
}
