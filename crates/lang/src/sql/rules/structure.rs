//! Mutations of the structure of a query: clauses that change nothing here, tables read in other ways, joins written in
//! other ways.

use super::{Apply, Example, Group, GuardQuery, Mutant, Rule, compare, member, table_source};
use crate::sql::ast::*;
use crate::sql::typing::{Taint, Traits};
use qualm_core::dialect::sql::Feature;

const fn rule(name: &'static str, precondition: &'static str, example: Example, apply: Apply) -> Rule {
    Rule::new(Group::Structure, name, precondition, example, apply)
}

pub const RULES: &[Rule] = &[
    rule(
        "add-distinct",
        "the result has no two equal rows",
        ("SELECT x, y FROM t", "SELECT DISTINCT x, y FROM t"),
        |m, _| {
            m.guards.push(GuardQuery::BaseHasNoDuplicates);
            let plain = m.is_plain();
            let select = m.select().filter(|s| plain && !s.distinct)?;
            select.distinct = true;
            Some(())
        },
    )
    .adds("DISTINCT")
    .productive(2),
    rule(
        "add-group-by",
        "the selected columns are a key of the result",
        ("SELECT x, y FROM t", "SELECT x, y FROM t GROUP BY y, x"),
        add_group_by,
    )
    .adds("GROUP BY")
    .productive(3),
    rule(
        "add-limit",
        "the result has no more rows than the limit",
        ("SELECT x FROM t", "SELECT x FROM t LIMIT 7"),
        |m, pick| {
            let most = (pick % 40 + 1) as u32;
            if m.query.limit.is_some() || m.limit.is_some() {
                return None;
            }
            m.guards.push(GuardQuery::BaseHasAtMost(most));
            m.limit = Some(most);
            Some(())
        },
    )
    .adds("LIMIT"),
    rule("add-order-by", "none", ("SELECT x FROM t", "SELECT x FROM t ORDER BY x DESC"), add_order_by).adds("ORDER BY"),
    rule("drop-order-by", "none", ("SELECT x FROM t ORDER BY x", "SELECT x FROM t"), |m, _| {
        let ordered = !m.query.order_by.is_empty() && m.query.limit.is_none();
        m.query.order_by.clear();
        ordered.then_some(())
    }),
    rule(
        "table-to-subquery",
        "none",
        ("SELECT x FROM t WHERE y = 1", "SELECT x FROM (SELECT x, y, z FROM t) AS t WHERE y = 1"),
        |m, pick| {
            let (at, alias, query) = whole_table(m, pick)?;
            m.select()?.from[at].source = Source::Query { query: Box::new(query), alias };
            Some(())
        },
    )
    .adds("subquery in FROM")
    .productive(7),
    rule(
        "table-to-cte",
        "none",
        ("SELECT x FROM t WHERE y = 1", "WITH w AS (SELECT x, y, z FROM t) SELECT x FROM w AS t WHERE y = 1"),
        |m, pick| {
            let (at, alias, query) = whole_table(m, pick)?;
            let name = m.name("w");
            m.select()?.from[at].source = table_source(&name, &alias);
            m.query.with.push(Cte { name, columns: Vec::new(), query, recursive: false, materialized: None });
            Some(())
        },
    )
    .adds("CTE")
    .needs(&[Feature::Cte]),
    rule(
        "table-to-view",
        "none",
        ("SELECT x FROM t WHERE y = 1", "CREATE VIEW v AS SELECT x, y, z FROM t; SELECT x FROM v AS t WHERE y = 1"),
        |m, pick| {
            let (at, alias, query) = whole_table(m, pick)?;
            let name = m.name("mv");
            m.add(Statement::CreateView(CreateView { name: name.clone(), columns: Vec::new(), query }))?;
            m.select()?.from[at].source = table_source(&name, &alias);
            Some(())
        },
    )
    .adds("view")
    .needs(&[Feature::View]),
    rule(
        "add-self-join",
        "the column is a key of the table: no NULL, no value twice",
        ("SELECT t.x FROM t WHERE t.y > 1", "SELECT t.x FROM t, t AS t2 WHERE t.y > 1 AND t.y = t2.y"),
        self_join,
    )
    .adds("join")
    .productive(4)
    .unfit(Feature::LoneTables),
    rule(
        "in-to-join",
        "the subquery's column is a key of its table: no NULL, no value twice",
        ("SELECT t.x FROM t WHERE t.y IN (SELECT u.w FROM u)", "SELECT t.x FROM t JOIN u AS j ON t.y = j.w"),
        in_to_join,
    )
    .rare()
    .unfit(Feature::LoneTables),
    rule(
        "left-join-nothing",
        "none: nothing matches, and nothing of it is selected",
        ("SELECT t.x FROM t", "SELECT t.x FROM t LEFT JOIN u ON 0"),
        left_join_nothing,
    )
    .adds("LEFT JOIN")
    .productive(5)
    .unfit(Feature::LoneTables),
    rule(
        "join-spelling",
        "only inner joins",
        ("SELECT x FROM t, u WHERE y = w", "SELECT x FROM t JOIN u ON y = w"),
        join_spelling,
    )
    .unfit(Feature::LoneTables),
    rule(
        "inner-to-left",
        "every row on the left has a partner here",
        ("SELECT x FROM t JOIN u ON y = w", "SELECT x FROM t LEFT JOIN u ON y = w"),
        |m, _| change_last_join(m, &[Join::Inner], Join::Left),
    )
    .rare()
    .adds("LEFT JOIN")
    .unfit(Feature::LoneTables),
    rule(
        "left-to-inner",
        "every row on the left has a partner here",
        ("SELECT x FROM t LEFT JOIN u ON y = w", "SELECT x FROM t JOIN u ON y = w"),
        |m, _| change_last_join(m, &[Join::Left], Join::Inner),
    )
    .rare(),
    rule(
        "union-all-nothing",
        "none: the second part has no rows",
        ("SELECT x FROM t", "SELECT x FROM t UNION ALL SELECT x FROM t WHERE 0"),
        union_all_nothing,
    )
    .adds("UNION"),
    rule(
        "whole-to-subquery",
        "none",
        ("SELECT x FROM t WHERE y > 1", "SELECT q.c0 FROM (SELECT x AS c0 FROM t WHERE y > 1) AS q"),
        whole_to_subquery,
    )
    .adds("subquery in FROM")
    .unfit(Feature::AliasHides),
];

fn add_group_by(m: &mut Mutant, pick: usize) -> Option<()> {
    m.guards.push(GuardQuery::BaseHasNoDuplicates);
    let clear = m.columns.iter().all(|c| c.traits.taint == Taint::Clear);
    if !m.is_plain() || !clear || !m.query.order_by.is_empty() && pick.is_multiple_of(2) {
        return None;
    }
    let select = m.select()?;
    let windows = select.items.iter().any(|i| matches!(i.expr, Expr::Window(_)));
    if select.distinct || select.items.is_empty() || windows {
        return None;
    }
    let mut keys: Vec<Expr> = select.items.iter().map(|i| i.expr.clone()).collect();
    keys.retain(|k| !matches!(k, Expr::Literal(_)));
    keys.dedup();
    if keys.is_empty() {
        return None;
    }
    let shift = pick / 2 % keys.len();
    keys.rotate_left(shift);
    select.group_by = keys;
    Some(())
}

fn add_order_by(m: &mut Mutant, pick: usize) -> Option<()> {
    if !m.query.order_by.is_empty() || m.query.limit.is_some() || m.limit.is_some() {
        return None;
    }
    let items: Vec<Expr> = m.query.select()?.items.iter().map(|i| i.expr.clone()).collect();
    let item = items.get(pick % items.len().max(1))?.clone();
    m.query.order_by = vec![OrderItem { expr: item, descending: pick & 8 == 8, nulls_first: None }];
    Some(())
}

/// A table of FROM read through a query of all its columns.
fn whole_table(m: &Mutant, pick: usize) -> Option<(usize, Name, Query)> {
    let tables = m.tables();
    let (at, name) = tables.get(pick % tables.len().max(1))?.clone();
    let alias = m.query.select()?.from[at].source.alias().clone();
    let columns = m.schema.table(&name)?.columns.clone();
    let item = |c: &crate::sql::typing::Column| Item {
        expr: Expr::Column { table: name.clone(), column: c.name.clone() },
        alias: Some(c.name.clone()),
    };
    let items = columns.iter().map(item).collect();
    let from = vec![member(Join::Comma, table_source(&name, &name), None)];
    Some((at, alias, Query::of(Select { items, from, ..Select::default() })))
}

fn self_join(m: &mut Mutant, pick: usize) -> Option<()> {
    // Only where the table's rows are there as they are: nothing may put NULLs in their place.
    if m.has_outer_join() || m.merges_columns() || m.query.select()?.items.is_empty() {
        return None;
    }
    let tables = m.tables();
    let (at, name) = tables.get(pick % tables.len().max(1))?.clone();
    let columns = m.schema.table(&name)?.columns.clone();
    let column = columns.get(pick / 5 % columns.len().max(1))?;
    let alias = m.query.select()?.from[at].source.alias().clone();
    let own = |table: &Name| Expr::Column { table: table.clone(), column: column.name.clone() };
    guard_key(m, &name, &column.name);
    let other = m.name("k");
    let condition = compare(Binary::Eq, own(&alias), own(&other));
    let joined = pick & 64 == 64;
    let select = m.select()?;
    let on = joined.then(|| condition.clone());
    select.from.push(member(if joined { Join::Inner } else { Join::Comma }, table_source(&name, &other), on));
    if !joined {
        let mut conjuncts = m.conjuncts();
        conjuncts.push(condition);
        m.set_conjuncts(conjuncts)?;
    }
    Some(())
}

/// The column has as many values as the table has rows: none is NULL and none comes twice.
fn guard_key(m: &mut Mutant, table: &Name, column: &Name) {
    let own = Expr::Column { table: table.clone(), column: column.clone() };
    let count = |args: Vec<Expr>, distinct: bool| {
        Expr::Aggregate(Box::new(Aggregate { function: "count".into(), args, distinct, filter: None }))
    };
    let missing = compare(Binary::Sub, count(Vec::new(), false), count(vec![own], true));
    let from = vec![member(Join::Comma, table_source(table, table), None)];
    let guard = Query::of(Select { items: vec![Item::bare(missing)], from, ..Select::default() });
    m.guard_zero("rows more than values of the key", &guard);
}

/// `WHERE e IN (SELECT key FROM table)` as a join with the table.
fn in_to_join(m: &mut Mutant, pick: usize) -> Option<()> {
    if m.has_outer_join() || m.merges_columns() || m.query.select()?.items.is_empty() {
        return None;
    }
    let mut conjuncts = m.conjuncts();
    let fits = |(i, c): (usize, &Expr)| {
        let Expr::InQuery { expr, query, negated: false } = c else { return None };
        let select = query.select().filter(|s| s.filter.is_none() && s.group_by.is_empty() && query.limit.is_none())?;
        let ([Item { expr: Expr::Column { table, column }, .. }], [from]) = (&select.items[..], &select.from[..])
        else {
            return None;
        };
        let Source::Table { name, alias, .. } = &from.source else { return None };
        let own = alias == table && !matches!(**expr, Expr::Row(_));
        own.then(|| (i, (**expr).clone(), name.clone(), column.clone()))
    };
    let found: Vec<(usize, Expr, Name, Name)> = conjuncts.iter().enumerate().filter_map(fits).collect();
    let (at, e, name, column) = found.get(pick % found.len().max(1))?.clone();
    // A key under its own comparison is one under IN's only if both compare alike, byte by byte and without conversion.
    let table = m.schema.table(&name).filter(|t| !t.view)?;
    let key = table.columns.iter().find(|c| c.name == column)?.traits;
    let asked = traits_of(m, &e)?;
    if key.collation != 0 || asked.collation != 0 || key.affinity != asked.affinity {
        return None;
    }
    guard_key(m, &name, &column);
    conjuncts.remove(at);
    m.set_conjuncts(conjuncts)?;
    let alias = m.name("j");
    let on = compare(Binary::Eq, e, Expr::Column { table: alias.clone(), column });
    m.select()?.from.push(member(Join::Inner, table_source(&name, &alias), Some(on)));
    Some(())
}

/// What is known of a column of a table in FROM.
fn traits_of(m: &Mutant, e: &Expr) -> Option<Traits> {
    let Expr::Column { table, column } = e else { return None };
    let member = m.query.select()?.from.iter().find(|j| j.source.alias() == table)?;
    let Source::Table { name, .. } = &member.source else { return None };
    m.schema.table(name)?.columns.iter().find(|c| c.name == *column).map(|c| c.traits)
}

fn left_join_nothing(m: &mut Mutant, pick: usize) -> Option<()> {
    if m.query.select()?.items.is_empty() || m.query.select()?.from.is_empty() {
        return None;
    }
    let base: Vec<Name> = m.schema.tables.iter().filter(|t| !t.view).map(|t| t.name.clone()).collect();
    let name = base.get(pick % base.len().max(1))?.clone();
    let column = m.schema.table(&name)?.columns.first()?.clone();
    let alias = m.name("n");
    let own = Expr::Column { table: alias.clone(), column: column.name.clone() };
    let never = match pick / 3 % 3 {
        0 => Expr::truth(false, m.dialect),
        1 => own.clone().is_null().and(Expr::IsNull { expr: Box::new(own), negated: true }),
        _ => compare(Binary::Eq, own, Expr::null()),
    };
    m.select()?.from.push(member(Join::Left, table_source(&name, &alias), Some(never)));
    Some(())
}

fn join_spelling(m: &mut Mutant, pick: usize) -> Option<()> {
    if m.has_outer_join() || m.merges_columns() {
        return None;
    }
    let mut conjuncts = m.conjuncts();
    let select = m.select()?;
    if select.from.len() < 2 {
        return None;
    }
    let last = select.from.last_mut()?;
    match (last.join, last.on.take()) {
        (Join::Inner, Some(on)) => {
            last.join = if pick & 1 == 1 { Join::Comma } else { Join::Cross };
            conjuncts.push(on);
        }
        (_, None) if !conjuncts.is_empty() && pick & 1 == 1 => {
            last.join = Join::Inner;
            let at = pick / 2 % conjuncts.len();
            last.on = Some(conjuncts.remove(at));
        }
        (Join::Comma, None) => last.join = Join::Cross,
        (_, None) => last.join = Join::Comma,
        (_, on) => {
            last.on = on;
            return None;
        }
    }
    m.set_conjuncts(conjuncts)
}

/// The last join of FROM becomes another one; guarded by both giving as many rows.
fn change_last_join(m: &mut Mutant, from: &[Join], to: Join) -> Option<()> {
    let select = m.select()?;
    let before = select.from.clone();
    let last = select.from.last_mut()?;
    if before.len() < 2 || !from.contains(&last.join) || last.on.is_none() {
        return None;
    }
    last.join = to;
    let after = select.from.clone();
    let count = |from: Vec<Joined>, with: &[Cte]| {
        let items = vec![Item::bare(Expr::count_star())];
        let mut query = Query::of(Select { items, from, ..Select::default() });
        query.with = with.to_vec();
        Expr::Scalar(Box::new(query))
    };
    let difference = compare(Binary::Sub, count(before, &m.query.with), count(after, &m.query.with));
    let guard = Query::of(Select { items: vec![Item::bare(difference)], ..Select::default() });
    m.guard_zero("rows without a partner", &guard);
    Some(())
}

fn union_all_nothing(m: &mut Mutant, _: usize) -> Option<()> {
    if !m.is_plain() || !m.query.order_by.is_empty() || m.limit.is_some() {
        return None;
    }
    let Body::Select(select) = m.query.body.clone() else { return None };
    let mut nothing = select.clone();
    nothing.filter = Some(Expr::truth(false, m.dialect));
    // An arm keeps its own DISTINCT; a window function over no rows is no rows.
    m.query.body = Body::Compound {
        op: SetOp::UnionAll,
        left: Box::new(Body::Select(select)),
        right: Box::new(Body::Select(nothing)),
    };
    Some(())
}

fn whole_to_subquery(m: &mut Mutant, _: usize) -> Option<()> {
    let mut inner = m.query.clone();
    let select = inner.select_mut()?;
    if select.items.is_empty() || m.limit.is_some() || inner.limit.is_some() {
        return None;
    }
    let select = inner.select_mut()?;
    for (i, item) in select.items.iter_mut().enumerate() {
        item.alias = Some(format!("c{i}").into());
    }
    let alias = m.name("q");
    let width = select.items.len();
    let column = |i: usize| Expr::Column { table: alias.clone(), column: format!("c{i}").into() };
    let items = (0..width).map(|i| Item::bare(column(i))).collect();
    let with = std::mem::take(&mut inner.with);
    let from = vec![member(Join::Comma, Source::Query { query: Box::new(inner), alias: alias.clone() }, None)];
    m.query = Query { with, ..Query::of(Select { items, from, ..Select::default() }) };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::mutasql::{NESTED_SHIFT, SPEC};
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    /// Inside, `t.rowid` would be that of the `t` around it.
    #[test]
    fn a_table_whose_rowid_is_named_is_not_read_through_a_query() {
        let rewritten = |column: &str, rule: &str, site: u32| {
            let script = format!(
                "CREATE TABLE t(a); INSERT INTO t VALUES (1);
                 SELECT a FROM t WHERE a IN (SELECT 1 FROM t AS x JOIN t ON t.{column} = 1);"
            );
            let rewrite = Rewrite { rule: rule.into(), site, extra: None, written: None };
            let question = |q| Question { rewrites: vec![rewrite.clone()], ..Question::of(q, "") };
            derived_texts(&script, &SQLITE, question, SPEC.derive)
        };
        for rule in ["table-to-subquery", "table-to-cte"] {
            let made = |column: &str| {
                let sites = (0..4).flat_map(|query| (0..4).map(move |pick| query << NESTED_SHIFT | pick));
                let all = sites.filter_map(|site| rewritten(column, rule, site)).flatten();
                all.filter(|text| text.contains(&format!("AS t ON t.{column}"))).count()
            };
            assert!(made("a") > 0, "{rule}");
            assert_eq!(made("rowid"), 0, "{rule}");
        }
    }
}
