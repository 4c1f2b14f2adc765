//! SQL: one tree and one generator for every engine; what an engine can do is data (`dialect.rs`).

pub mod ast;
pub mod explore;
pub mod express;
pub mod generate;
pub mod pool;
pub mod print;
pub mod shrink;
pub mod typing;
pub mod walk;

/// Stand-in of this branch until the oracles are merged: only `norec` in its plainest form.
pub fn case(
    source: &ast::SqlSource,
    dialect: &'static crate::dialect::Dialect,
    origin: crate::case::Origin,
    rules: Vec<String>,
) -> Option<crate::case::Case> {
    use crate::case::{CASE_FORMAT, Case, Language, Step};
    use crate::relation::{Equality, Order, Relation};
    let predicate = source.question.predicate.clone()?;
    let mut counted = source.question.query.clone();
    let select = counted.select_mut()?;
    select.items = vec![ast::Item { expr: predicate.clone(), alias: Some("p".into()) }];
    let mut filtered = source.question.query.clone();
    filtered.select_mut()?.filter = Some(predicate);
    let mut script: Vec<Step> = source.state.iter().map(|s| Step::run(print::statement(s, dialect))).collect();
    let count = |q: &str| format!("SELECT count(*) FROM ({q})");
    let optimised = print::query(&filtered, dialect);
    let plain = format!("SELECT coalesce(sum(p IS TRUE), 0) FROM ({})", print::query(&counted, dialect));
    script.push(Step::ask("optimised", count(&optimised)));
    script.push(Step::ask("plain", plain));
    let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
    let source = serde_json::to_value(source).ok();
    Some(Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: "norec".into(),
        rules,
        script,
        claim,
        source,
        origin,
    })
}
