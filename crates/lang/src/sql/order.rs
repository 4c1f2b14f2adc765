//! Whether a query says in which order its rows come. Whether its rows are determined at all is said in `typing.rs`.

use super::ast::*;
use super::typing::{self, Column, Schema};
use qualm_core::dialect::sql::Dialect;

/// Whether the order of the rows is determined too: the ORDER BY would do for a limit.
pub fn is_total(q: &Query, schema: &Schema, dialect: &Dialect) -> bool {
    if q.order_by.is_empty() {
        return false;
    }
    let limit = q.limit.clone().or(Some(Limit { count: 1, offset: None }));
    // An order that only the data make total is none that a reader can rely on.
    typing::query(&Query { limit, ..q.clone() }, &schema.strictly(), dialect).is_ok()
}

/// Whether every output column is a key of the order: then each place in the order is taken by one row, or by rows that
/// are equal under the columns' collations and by value.
pub fn is_by_all(q: &Query, columns: &[Column]) -> bool {
    let named =
        |e: &Expr, name: &Name| matches!(e, Expr::Column { table, column } if table.is_empty() && column == name);
    let ordered = |test: &dyn Fn(&Expr) -> bool| q.order_by.iter().any(|o| test(&o.expr));
    match &q.body {
        Body::Select(s) => {
            let key = |i: &Item| ordered(&|e| *e == i.expr || i.alias.as_ref().is_some_and(|a| named(e, a)));
            !s.items.is_empty() && s.items.iter().all(key)
        }
        Body::Compound { .. } => columns.iter().all(|c| ordered(&|e| named(e, &c.name))),
        Body::Values(_) => false,
    }
}

/// What a compound is ordered by, as positions of its columns: a name is not enough for old releases of SQLite where
/// the column is written with its table. Nothing where the query is no compound or a column cannot be found.
pub fn by_position(q: &Query) -> Option<Vec<OrderItem>> {
    let mut first = match &q.body {
        Body::Compound { left, .. } => &**left,
        _ => return None,
    };
    while let Body::Compound { left, .. } = first {
        first = left;
    }
    let Body::Select(select) = first else { return None };
    let named = |item: &Item, name: &Name| match (&item.alias, &item.expr) {
        (Some(alias), _) => alias == name,
        (None, Expr::Column { column, .. }) => column == name,
        _ => false,
    };
    let position = |o: &OrderItem| {
        let Expr::Column { table, column } = &o.expr else { return None };
        let at = select.items.iter().position(|i| table.is_empty() && named(i, column))?;
        Some(OrderItem { expr: Expr::int(at as i64 + 1), ..o.clone() })
    };
    q.order_by.iter().map(position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse::{What, script};
    use qualm_engines::sqlite::dialect::SQLITE;

    fn orders(query: &str) -> (bool, bool) {
        let text = format!("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE); {query};");
        let mut state = Vec::new();
        for parsed in script(&text, &SQLITE) {
            match parsed.what {
                What::Statement(s) => state.push(s),
                What::Query(q) => {
                    let schema = Schema::from_state(&state, &SQLITE).unwrap();
                    let columns = typing::query(&q, &schema, &SQLITE).unwrap();
                    return (is_total(&q, &schema, &SQLITE), is_by_all(&q, &columns));
                }
                What::Unread(why) => panic!("{why}"),
            }
        }
        panic!("no query");
    }

    #[test]
    fn total_orders_and_those_up_to_equal_keys() {
        assert_eq!(orders("SELECT a FROM t ORDER BY a DESC"), (true, true));
        assert_eq!(orders("SELECT a, b FROM t ORDER BY b, a"), (false, true), "'x' and 'X' are equal keys");
        assert_eq!(orders("SELECT a, b FROM t ORDER BY b"), (false, false));
        assert_eq!(orders("SELECT a FROM t ORDER BY b"), (false, false));
        assert_eq!(orders("SELECT a FROM t"), (false, false));
        assert_eq!(orders("SELECT a FROM t UNION SELECT a FROM t ORDER BY a"), (true, true));
        assert_eq!(orders("SELECT DISTINCT b AS k FROM t ORDER BY k"), (false, true));
    }
}
