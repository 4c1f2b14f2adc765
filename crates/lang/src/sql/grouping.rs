//! Random keys of groups, conditions on groups, window functions and orders.

use super::ast::*;
use super::generate::Generator;
use super::typing::Taint;
use qualm_core::dialect::sql::{Feature, Kind};

impl Generator<'_> {
    pub fn group_keys(&mut self) -> Vec<Expr> {
        let mut keys = Vec::new();
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
        } else {
            order_by.extend(self.own_column(|t| t.taint == Taint::Clear));
        }
        let order_by: Vec<OrderItem> = order_by.into_iter().map(|e| self.order_item(e)).collect();
        let name = if by_row {
            *self.rng.pick(&["row_number", "lag", "lead", "first_value", "last_value"])
        } else {
            *self.rng.pick(&["rank", "dense_rank", "count", "sum", "min", "max", "cume_dist"])
        };
        let args = match name {
            "sum" => self.own_column(|t| t.summable && t.exact),
            "count" | "min" | "max" | "lag" | "lead" | "first_value" | "last_value" => {
                self.own_column(|t| t.taint == Taint::Clear)
            }
            _ => Vec::new(),
        };
        if args.is_empty() && !matches!(name, "row_number" | "rank" | "dense_rank" | "cume_dist" | "count") {
            return None;
        }
        let frame = if self.has(Feature::WindowFrame) && self.rng.chance(1, 3) {
            self.uses(Feature::WindowFrame);
            let spelling = &self.profile.dialect.spelling;
            let frames = if by_row { spelling.row_frames } else { spelling.peer_frames };
            (!frames.is_empty()).then(|| (*self.rng.pick(frames)).into())
        } else {
            None
        };
        let frame = frame.filter(|f: &Name| !order_by.is_empty() || f.starts_with("ROWS"));
        let function = Aggregate { function: name.into(), args, distinct: false, filter: None };
        Some(Expr::Window(Box::new(Window { function, partition_by, order_by, frame })))
    }

    pub fn order_item(&mut self, expr: Expr) -> OrderItem {
        let nulls = self.has(Feature::NullsOrder) && self.rng.chance(1, 12);
        if nulls {
            self.uses(Feature::NullsOrder);
        }
        OrderItem { expr, descending: self.rng.chance(1, 3), nulls_first: nulls.then(|| self.rng.coin()) }
    }
}
