//! The keys of GROUP BY, and the ways to group by several lists of them at once. Part of `convert.rs`.

use super::convert::{Read, all, expr, unread};
use crate::sql::ast::*;
use sqlparser::ast as theirs;

/// The keys of groups; what groups by several lists of them is a call.
pub fn keys(written: &theirs::GroupByExpr) -> Read<Vec<Expr>> {
    use theirs::GroupByWithModifier as Modifier;
    let theirs::GroupByExpr::Expressions(keys, modifiers) = written else { return unread("this GROUP BY") };
    match (keys.as_slice(), modifiers.as_slice()) {
        ([theirs::Expr::GroupingSets(sets)], []) => {
            let mut keys: Vec<Expr> = Vec::new();
            let mut rows = Vec::with_capacity(sets.len());
            for set in sets {
                let set = all(set)?;
                for key in &set {
                    if !keys.contains(key) {
                        keys.push(key.clone());
                    }
                }
                rows.push(Expr::Row(set));
            }
            keys.append(&mut rows);
            Ok(vec![Expr::call(GROUPING_SETS, keys)])
        }
        ([theirs::Expr::Rollup(keys)], []) => Ok(vec![Expr::call(ROLLUP, alone(keys)?)]),
        ([theirs::Expr::Cube(keys)], []) => Ok(vec![Expr::call(CUBE, alone(keys)?)]),
        (keys, [Modifier::Rollup]) => Ok(vec![Expr::call(ROLLUP, all(keys)?)]),
        (keys, [Modifier::Cube]) => Ok(vec![Expr::call(CUBE, all(keys)?)]),
        (keys, []) => all(keys),
        _ => unread("this GROUP BY"),
    }
}

/// Keys that are not tied together.
fn alone(keys: &[Vec<theirs::Expr>]) -> Read<Vec<Expr>> {
    let one = |keys: &Vec<theirs::Expr>| match keys.as_slice() {
        [key] => expr(key),
        _ => unread("keys that are rolled up together"),
    };
    keys.iter().map(one).collect()
}
