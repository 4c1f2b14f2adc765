//! Random keys of groups, conditions on groups, window functions and orders.

use super::ast::*;
use super::generate::Generator;
use super::leaning::more;
use super::typing::Taint;
use qualm_core::dialect::sql::{Feature, Kind};

/// Window functions for orders without ties; those that every engine has come first.
const BY_ROW: &[&str] =
    &["row_number", "lag", "lead", "first_value", "last_value", "nth_value", "ntile", "sum", "count", "min", "max"];
const SIMPLE: usize = 5;
/// The same for any order.
const BY_RANK: &[&str] =
    &["rank", "dense_rank", "count", "sum", "min", "max", "cume_dist", "percent_rank", "avg", "min", "max"];
const SIMPLE_RANKS: usize = 7;
/// Functions to which a frame means nothing.
const FRAMELESS: [&str; 8] = ["row_number", "lag", "lead", "ntile", "rank", "dense_rank", "cume_dist", "percent_rank"];
/// One in so many lists of keys is rolled up.
const ROLLED_UP: u32 = 5;
/// One in so many lists of keys is that of an index.
const BY_INDEX: u32 = 10;
/// One window in so many has no order.
const UNORDERED: u32 = 8;

impl Generator<'_> {
    pub fn group_keys(&mut self) -> Vec<Expr> {
        let mut keys = Vec::new();
        if self.rng.chance(more(self.leaning.orders), BY_INDEX)
            && let Some(terms) = self.echoed_terms()
        {
            keys.extend(terms.into_iter().map(|t| t.expr).filter(|e| !matches!(e, Expr::Literal(_))));
            if self.rng.coin() {
                self.rng.shuffle(&mut keys);
            }
            return keys;
        }
        for _ in 0..self.rng.range(1, 2) {
            let dialect = self.dialect();
            let mut key = self.own_column(|t| t.taint == Taint::Clear && dialect.may_be_key(t.kind));
            if self.rng.chance(1, 6) {
                let echo = if self.rng.coin() { self.echoed_value() } else { None };
                key = vec![echo.unwrap_or_else(|| self.value(Kind::Int, 1))];
            }
            if let Some(key) = key.pop()
                && !matches!(key, Expr::Literal(_))
                && !keys.contains(&key)
            {
                keys.push(key);
            }
        }
        keys
    }

    /// Now and then, several lists of these keys at once.
    pub(super) fn grouping(&mut self, keys: &[Expr]) -> Option<Expr> {
        let known = [(Feature::Rollup, ROLLUP), (Feature::Cube, CUBE), (Feature::GroupingSets, GROUPING_SETS)];
        let weighted = known.map(|(feature, name)| (u32::from(self.has(feature)), (feature, name)));
        if weighted.iter().all(|(weight, _)| *weight == 0) || !self.rng.chance(1, ROLLED_UP) {
            return None;
        }
        let (feature, name) = *self.rng.pick_weighted(&weighted);
        self.uses(feature);
        let mut args = keys.to_vec();
        if feature == Feature::GroupingSets {
            let mut sets: Vec<Vec<Expr>> = Vec::new();
            for _ in 0..self.rng.range(1, 3) {
                let some = keys.iter().filter(|_| self.rng.coin()).cloned();
                sets.push(some.collect());
            }
            for key in keys {
                if !sets.iter().any(|set| set.contains(key)) {
                    let at = self.rng.below(sets.len());
                    sets[at].push(key.clone());
                }
            }
            args.extend(sets.into_iter().map(Expr::Row));
        }
        Some(Expr::call(name, args))
    }

    fn group_item(&mut self, keys: &[Expr]) -> Expr {
        if !keys.is_empty() && self.rng.chance(2, 5) { self.rng.pick(keys).clone() } else { self.aggregate() }
    }

    /// A truth value over groups: keys and aggregates against literals.
    pub fn having(&mut self, keys: &[Expr], depth: u32) -> Expr {
        if depth > 0 && self.rng.chance(1, 3) {
            let (a, b) = (self.having(keys, depth - 1), self.having(keys, depth - 1));
            return if self.rng.coin() { a.and(b) } else { a.or(b) };
        }
        let item = self.group_item(keys);
        let bare = u32::from(self.dialect().dynamic_typing);
        let nests = u32::from(self.subqueries > 0 && !self.schema_is_empty());
        match self.rng.weighted(&[6, 2, bare, 1, 2 * nests]) {
            0 => {
                let kind = match self.dialect().dynamic_typing {
                    true => *self.rng.pick(&[Kind::Int, Kind::Text, Kind::Int, Kind::Real]),
                    false => self.kind_of(&item),
                };
                let literal = self.literal(kind);
                let op = *self.rng.pick(&[Binary::Eq, Binary::Gt, Binary::Le, Binary::Ne, Binary::Ge]);
                Expr::Binary(op, Box::new(item), Box::new(literal))
            }
            1 => Expr::IsNull { expr: Box::new(item), negated: self.rng.coin() },
            2 => item,
            3 => {
                let kind = self.kind_of(&item);
                let list = (0..self.rng.range(1, 3)).map(|_| self.fitting_literal(kind)).collect();
                Expr::InList { expr: Box::new(item), list, negated: self.rng.chance(1, 3) }
            }
            _ => {
                self.subqueries -= 1;
                let kind = self.kind_of(&item);
                let query = Box::new(self.column_query(&[kind]));
                Expr::InQuery { expr: Box::new(item), query, negated: self.rng.chance(1, 3) }
            }
        }
    }

    pub fn window(&mut self) -> Option<Expr> {
        if !self.has(Feature::Window) {
            return None;
        }
        self.uses(Feature::Window);
        let partition_by = if self.rng.coin() { self.own_column(|t| t.taint == Taint::Clear) } else { Vec::new() };
        let by_row = self.rng.chance(1, 3);
        let mut order_by = Vec::new();
        if by_row {
            for v in &self.scope[self.frame..] {
                order_by.push(Expr::Column { table: v.table.clone(), column: v.name.clone() });
            }
        } else if !self.rng.chance(1, UNORDERED) {
            order_by.extend(self.own_column(|t| t.taint == Taint::Clear));
        }
        let order_by: Vec<OrderItem> = order_by.into_iter().map(|e| self.order_item(e)).collect();
        let function = self.window_function(by_row)?;
        let frame = self.window_frame(by_row, &function.function, &order_by);
        Some(Expr::Window(Box::new(Window { function, partition_by, order_by, frame })))
    }

    fn window_function(&mut self, by_row: bool) -> Option<Aggregate> {
        let rich = self.has(Feature::WindowFrame);
        let name = *match (by_row, rich) {
            (true, false) => self.rng.pick(&BY_ROW[..SIMPLE]),
            (true, true) => self.rng.pick(BY_ROW),
            (false, false) => self.rng.pick(&BY_RANK[..SIMPLE_RANKS]),
            (false, true) => self.rng.pick(BY_RANK),
        };
        let mut args = match name {
            "sum" => self.own_column(|t| t.summable && t.exact),
            "avg" => self.own_column(|t| t.summable && t.exact && !t.kind.is_special()),
            "count" | "min" | "max" | "lag" | "lead" | "first_value" | "last_value" | "nth_value" => {
                self.own_column(|t| t.taint == Taint::Clear)
            }
            "ntile" => vec![Expr::int(self.rng.range(1, 4) as i64)],
            _ => Vec::new(),
        };
        let alone = matches!(name, "row_number" | "rank" | "dense_rank" | "cume_dist" | "percent_rank" | "count");
        if args.is_empty() && !alone {
            return None;
        }
        match name {
            "nth_value" => args.push(Expr::int(self.rng.range(1, 3) as i64)),
            "lag" | "lead" if rich && self.rng.chance(1, 3) => {
                args.push(Expr::int(self.rng.below(3) as i64));
                if self.dialect().dynamic_typing && self.rng.coin() {
                    let kind = self.kind_of(&args[0]);
                    args.push(self.fitting_literal(kind));
                }
            }
            _ => {}
        }
        let aggregates = matches!(name, "count" | "sum" | "min" | "max" | "avg");
        let filter = (aggregates && rich && self.has(Feature::Filter) && self.rng.chance(1, 8)).then(|| {
            self.uses(Feature::Filter);
            self.predicate(0)
        });
        Some(Aggregate { function: name.into(), args, distinct: false, filter })
    }

    fn window_frame(&mut self, by_row: bool, function: &str, order_by: &[OrderItem]) -> Option<Name> {
        if !self.has(Feature::WindowFrame) || !self.rng.chance(1, 3) {
            return None;
        }
        // Where frames are simple, they are refused for functions that do not look at them.
        let simple = !self.dialect().spelling.peer_frames.iter().any(|f| f.contains("EXCLUDE"));
        if simple && FRAMELESS.contains(&function) {
            return None;
        }
        self.uses(Feature::WindowFrame);
        let spelling = &self.profile.dialect.spelling;
        let by_number = match order_by {
            [only] => matches!(self.kind_of(&only.expr), Kind::Int | Kind::Real),
            _ => false,
        };
        let frames = match by_row {
            true => spelling.row_frames,
            false if by_number && self.rng.coin() => spelling.value_frames,
            false => spelling.peer_frames,
        };
        let frame: Option<Name> = (!frames.is_empty()).then(|| (*self.rng.pick(frames)).into());
        frame.filter(|f| !order_by.is_empty() || f.starts_with("ROWS"))
    }

    pub fn order_item(&mut self, expr: Expr) -> OrderItem {
        let nulls = self.has(Feature::NullsOrder) && self.rng.chance(1, 12);
        if nulls {
            self.uses(Feature::NullsOrder);
        }
        OrderItem { expr, descending: self.rng.chance(1, 3), nulls_first: nulls.then(|| self.rng.coin()) }
    }
}
