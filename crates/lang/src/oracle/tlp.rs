//! Ternary logic partitioning (Rigger and Su, OOPSLA 2020): a predicate is true, false or unknown for each row.
//!
//! Claim: a query is the union of itself where `p`, where `NOT p`, and where `p IS NULL`. Forms: rows (WHERE), DISTINCT
//! (as sets), groups (HAVING), and aggregates combined from their parts.
//!
//! ```sql
//! SELECT c0 FROM t0;                              -- is the bag union of
//! SELECT c0 FROM t0 WHERE c0 > 1;
//! SELECT c0 FROM t0 WHERE NOT (c0 > 1);
//! SELECT c0 FROM t0 WHERE (c0 > 1) IS NULL;
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, adopt, equality, every};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::schema::Column;
use crate::sql::{print, typing};
use qualm_core::case::Step;
use qualm_core::dialect::sql::Dialect;
use qualm_core::relation::{Combine, Equality, Fold, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "tlp",
    claim: "a query is the union of its parts where p is true, false and unknown",
    example: "SELECT a FROM t  =  … WHERE p  +  … WHERE NOT p  +  … WHERE p IS NULL",
    weight: 4,
    scout: 0,
    propose,
    derive,
    adopt: Some(adopt::tlp_questions),
    every: Some(every::tlp_questions),
    ..PLAIN
};

pub const WHERE: &str = "where";
pub const DISTINCT: &str = "distinct";
pub const HAVING: &str = "having";
pub const AGGREGATE: &str = "aggregate";

fn propose(g: &mut Generator) -> Option<Question> {
    let form = [WHERE, DISTINCT, HAVING, AGGREGATE][g.rng.weighted(&[6, 3, 2, 4])];
    let from = g.outer_from(g.shape.from);
    let mut select = Select { from, ..Select::default() };
    if g.rng.chance(1, 5) {
        select.filter = Some(g.predicate(1));
    }
    let predicate = match form {
        HAVING => {
            let keys: Vec<Expr> =
                g.items(2).into_iter().map(|i| i.expr).filter(|e| matches!(e, Expr::Column { .. })).collect();
            let key = keys.first()?.clone();
            select.group_by = vec![key];
            select.items = vec![Item::bare(keys[0].clone()), Item::bare(g.aggregate())];
            g.having(&select.group_by.clone(), 1)
        }
        AGGREGATE => {
            select.items = (0..g.rng.range(1, 3)).map(|_| Item::bare(g.aggregate())).collect();
            g.predicate(g.shape.depth)
        }
        _ => {
            select.items = g.items(3);
            select.distinct = form == DISTINCT;
            g.predicate(g.shape.depth)
        }
    };
    g.scope.clear();
    Some(Question { predicate: Some(predicate), ..Question::of(Query::of(select), form) })
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    let p = q.predicate.as_ref()?;
    let select = q.query.select()?;
    if q.query.limit.is_some() || select.items.is_empty() || select.from.is_empty() || select.having.is_some() {
        return None;
    }
    let windows = |i: &Item| matches!(i.expr, Expr::Window(_));
    let aggregates = select.items.iter().any(|i| typing::contains_aggregate(&i.expr));
    let form = q.form.as_str();
    let fits = match form {
        WHERE => !select.distinct && select.group_by.is_empty() && !aggregates,
        DISTINCT => select.distinct && select.group_by.is_empty() && !aggregates,
        HAVING => !select.distinct && !select.group_by.is_empty(),
        AGGREGATE => !select.distinct && select.group_by.is_empty() && aggregates,
        _ => false,
    };
    if !fits || select.items.iter().any(windows) {
        return None;
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    if form == HAVING {
        typing::having(p, select, &q.query.with, at.schema, at.dialect).ok()?;
    } else {
        typing::predicate(p, select, &q.query.with, at.schema, at.dialect).ok()?;
    }
    let (combine, part_items) = match form {
        AGGREGATE => {
            // MIN and MAX of texts under a collation have several right answers, and so has no fold.
            if equality(&columns) != Equality::Exact {
                return None;
            }
            let (folds, items) = folds(&select.items, &columns, at.dialect)?;
            (Combine::Folds(folds), Some(items))
        }
        DISTINCT => (Combine::Set, None),
        _ => (Combine::Bag, None),
    };
    let mut script = vec![Step::query("the whole", print::query(&q.query, at.dialect))];
    let parts = [
        ("where the predicate is true", p.clone()),
        ("where it is false", p.clone().negate()),
        ("where it is unknown", p.clone().is_null()),
    ];
    for (label, part) in parts {
        let mut query = q.query.clone();
        query.order_by.clear();
        let select = query.select_mut()?;
        if let Some(items) = &part_items {
            select.items = items.clone();
        }
        if form == HAVING {
            select.having = Some(part);
        } else {
            select.filter = Some(match select.filter.take() {
                Some(filter) => filter.and(part),
                None => part,
            });
        }
        script.push(Step::query(label, print::query(&query, at.dialect)));
    }
    let claim = Relation::Partition { whole: 0, parts: vec![1, 2, 3], combine, equality: equality(&columns) };
    Some(Derived { script, claim })
}

/// How each aggregate of the whole comes from aggregates of the parts. `columns` are those of `items`.
fn folds(items: &[Item], columns: &[Column], dialect: &Dialect) -> Option<(Vec<Fold>, Vec<Item>)> {
    let mut folds = Vec::new();
    let mut parts: Vec<Item> = Vec::new();
    for (item, column) in items.iter().zip(columns) {
        let Expr::Aggregate(a) = &item.expr else { return None };
        // Distinct values of different parts may be the same ones.
        if a.distinct && !matches!(a.function.as_str(), "min" | "max") {
            return None;
        }
        let at = parts.len();
        let with = |function: &str| {
            Item::bare(Expr::Aggregate(Box::new(Aggregate { function: function.into(), ..(**a).clone() })))
        };
        folds.push(match a.function.as_str() {
            "count" => Fold::Count(at),
            "sum" => Fold::Sum(at),
            "min" | "max" if !dialect.order_is_known(column.traits.kind) => Fold::OneOf(at),
            "min" => Fold::Min(at),
            "max" => Fold::Max(at),
            "avg" => {
                parts.push(with("sum"));
                parts.push(with("count"));
                folds.push(Fold::Avg { sum: at, count: at + 1 });
                continue;
            }
            _ => return None,
        });
        parts.push(item.clone());
    }
    Some((folds, parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse::{What, qualify, script};
    use crate::sql::schema::{Schema, Taint};

    /// How TLP folds `max(t0.c0)` of a column of this type on PostgreSQL.
    fn fold_of_max(column_type: &str) -> Fold {
        let dialect = &qualm_engines::postgres::dialect::POSTGRES;
        let mut all =
            script(&format!("CREATE TABLE t0(c0 {column_type}); SELECT max(c0) FROM t0;"), dialect).into_iter();
        let (Some(What::Statement(table)), Some(What::Query(mut query))) =
            (all.next().map(|p| p.what), all.next().map(|p| p.what))
        else {
            panic!("{column_type} is not read")
        };
        let schema = Schema::from_state(&[table], dialect).unwrap();
        qualify(&mut query, &schema).unwrap();
        let columns = typing::query(&query, &schema, dialect).unwrap();
        folds(&query.select().unwrap().items, &columns, dialect).unwrap().0[0]
    }

    #[test]
    fn only_orders_that_we_know_are_used_to_find_the_greatest() {
        for known in ["INT", "TEXT", "DATE", "TIMESTAMP", "DECIMAL(10,2)"] {
            assert_eq!(fold_of_max(known), Fold::Max(0), "{known}");
        }
        // '::1' is the smaller address and the greater text.
        assert_eq!(fold_of_max("INET"), Fold::OneOf(0));
    }
    /// A COLLATE in the condition of a CASE decides which of its texts DISTINCT takes for one.
    #[test]
    fn texts_that_a_collation_inside_makes_equal_are_compared_by_it() {
        let dialect = &qualm_engines::sqlite::dialect::SQLITE;
        for (inside, taint) in [("'x' COLLATE NOCASE", Taint::Collated), ("'x'", Taint::Clear)] {
            let text = format!(
                "CREATE TABLE t(a TEXT); SELECT DISTINCT CASE WHEN a < {inside} THEN 'AB' ELSE 'aB' END FROM t;"
            );
            let mut all = script(&text, dialect).into_iter().map(|p| p.what);
            let (Some(What::Statement(table)), Some(What::Query(mut query))) = (all.next(), all.next()) else {
                panic!("{text} is not read")
            };
            let schema = Schema::from_state(&[table], dialect).unwrap();
            qualify(&mut query, &schema).unwrap();
            assert_eq!(typing::query(&query, &schema, dialect).unwrap()[0].traits.taint, taint, "{text}");
        }
    }
    /// NATURAL compares the columns of both sides, and neither may be one of several.
    #[test]
    fn natural_compares_no_column_whose_arms_differ_in_affinity() {
        let dialect = &qualm_engines::sqlite::dialect::SQLITE;
        for (arms, is_typed) in [("SELECT NULL AS a UNION ALL SELECT b FROM t", false), ("SELECT a FROM t", true)] {
            for from in [format!("({arms}) AS d NATURAL JOIN t"), format!("t NATURAL JOIN ({arms}) AS d")] {
                let text = format!("CREATE TABLE t(a TEXT, b); SELECT 1 FROM {from};");
                let mut all = script(&text, dialect).into_iter().map(|p| p.what);
                let (Some(What::Statement(table)), Some(What::Query(mut query))) = (all.next(), all.next()) else {
                    panic!("{text} is not read")
                };
                let schema = Schema::from_state(&[table], dialect).unwrap();
                qualify(&mut query, &schema).unwrap();
                assert_eq!(typing::query(&query, &schema, dialect).is_ok(), is_typed, "{text}");
            }
        }
    }
}
