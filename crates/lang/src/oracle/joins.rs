//! Joins written in another way (after TQS, Tang and others, SIGMOD 2023, and JoinEquiv, 2026).
//!
//! Claim: a query returns the same rows when its inner joins stand in the opposite order with their conditions in
//! WHERE, when the first members of FROM are a subquery, when the sides of an outer join are swapped, when NATURAL and
//! USING are written out, when IN over a subquery is EXISTS or a join with its different values, and when INTERSECT is
//! EXISTS. An outer join is the inner join and, for the rows without a partner, the join with nothing.
//!
//! ```sql
//! SELECT a.x, b.y FROM a LEFT JOIN b ON a.x = b.y;                        -- is the bag union of
//! SELECT a.x, b.y FROM a JOIN b ON a.x = b.y;
//! SELECT a.x, b.y FROM a LEFT JOIN b ON 0 WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.x = b.y);
//! ```

mod sets;

use super::{Derived, OracleSpec, PLAIN, Setting, adopt, equality, order};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::typing::{self, Column, ROWID};
use crate::sql::{print, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::Feature;
use qualm_core::relation::{Combine, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "joins",
    claim: "joins that are reordered, regrouped, mirrored or split return the same rows",
    example: "a LEFT JOIN b ON p = a JOIN b ON p + a LEFT JOIN b ON FALSE WHERE NOT EXISTS (SELECT 1 FROM b WHERE p)",
    weight: 2,
    propose,
    derive,
    adopt: Some(|query, _| adopt::each_form(query, &FORMS)),
    ..PLAIN
};

pub const REORDER: &str = "reorder";
pub const REGROUP: &str = "regroup";
pub const MIRROR: &str = "mirror";
pub const APART: &str = "apart";
pub const SPELLED: &str = "spelled";
pub const SEMI: &str = "semi";
pub const SEMI_JOIN: &str = "semi-join";
pub const SETS: &str = "sets";

const FORMS: [&str; 8] = [REORDER, REGROUP, MIRROR, APART, SPELLED, SEMI, SEMI_JOIN, SETS];

/// Members of FROM that are tried for, whatever the size of the hunt.
const MEMBERS: usize = 3;

fn propose(g: &mut Generator) -> Option<Question> {
    if g.rng.chance(1, 8) {
        return sets::propose(g).map(|query| Question::of(query, SETS));
    }
    let from = g.outer_from(g.shape.from.max(MEMBERS));
    let mut select = Select { from, ..Select::default() };
    if g.rng.chance(1, 3) {
        select.filter = Some(g.predicate(g.shape.depth));
    }
    if g.rng.chance(1, 5) {
        select.items = (0..g.rng.range(1, 2)).map(|_| Item::bare(g.aggregate())).collect();
    } else {
        select.items = g.items(3);
        select.distinct = g.rng.chance(1, 8);
    }
    g.scope.clear();
    let query = Query::of(select);
    let right = g.has(Feature::RightJoin);
    let forms: Vec<&str> = FORMS.into_iter().filter(|form| right || *form != MIRROR).collect();
    adopt::some_form(query, &forms, derive, g)
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.form == SETS {
        return sets::derive(&q.query, at).filter(|_| q.text.is_none());
    }
    let select = q.query.select().filter(|s| q.text.is_none() && !s.items.is_empty() && !s.from.is_empty())?;
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    if q.form == APART {
        return apart(q, select, &columns, at);
    }
    let (label, other) = match q.form.as_str() {
        REORDER => ("joined the other way round", reorder(select)?),
        REGROUP => ("with the first members as a subquery", regroup(select)?),
        MIRROR => ("with the sides of the outer join swapped", mirror(select, at)?),
        SPELLED => ("with NATURAL and USING written out", spelled(select, at)?),
        SEMI => ("with EXISTS for IN", semi(select, q, at)?),
        SEMI_JOIN => ("with a join for IN", sets::semi_join(select, q, at)?),
        _ => return None,
    };
    // An order may name what is written differently now.
    if q.form == REGROUP && !q.query.order_by.is_empty() {
        return None;
    }
    let other = Query { body: Body::Select(Box::new(other)), ..q.query.clone() };
    typing::query(&other, at.schema, at.dialect).ok()?;
    let script = vec![
        Step::query("as it is", print::query(&q.query, at.dialect)),
        Step::query(label, print::query(&other, at.dialect)),
    ];
    let order = order(&q.query, at);
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order, equality: equality(&columns) } })
}

fn merges(j: &Joined) -> bool {
    let natural = matches!(j.join, Join::Natural | Join::NaturalLeft | Join::NaturalRight | Join::NaturalFull);
    natural || !j.using.is_empty()
}

fn and(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (a, b) => a.or(b),
    }
}

/// Inner joins from last to first, as CROSS JOINs, with all conditions in WHERE.
fn reorder(select: &Select) -> Option<Select> {
    let inner = |j: &Joined| matches!(j.join, Join::Comma | Join::Inner | Join::Cross) && j.using.is_empty();
    if select.from.len() < 2 || !select.from.iter().skip(1).all(inner) {
        return None;
    }
    let mut other = select.clone();
    other.from.reverse();
    for member in &mut other.from {
        member.join = Join::Cross;
        member.on = None;
    }
    let conditions = select.from.iter().skip(1).filter_map(|j| j.on.clone()).reduce(Expr::and);
    other.filter = and(conditions, select.filter.clone());
    Some(other)
}

/// The name of the subquery that stands for the first members of FROM.
const GROUP: &str = "grouped";

/// FROM is read from left to right: its first members are a table of their own.
fn regroup(select: &Select) -> Option<Select> {
    let many = select.from.len();
    let first = if many > 2 { many - 1 } else { many };
    if first < 2 || select.from[first..].iter().any(merges) {
        return None;
    }
    let (inside, outside) = select.from.split_at(first);
    let own: Vec<&Name> = inside.iter().map(|j| j.source.alias()).collect();
    let mut other = Select { from: outside.to_vec(), ..select.clone() };
    let mut rest = Query::of(other.clone());
    // What is inside a subquery of the rest may have the names for itself.
    let mut hidden = false;
    walk::each_select(&rest, &mut |s| hidden |= s.from.iter().any(|j| own.contains(&j.source.alias())));
    if hidden {
        return None;
    }
    let mut used: Vec<Expr> = Vec::new();
    walk::each_expr(&rest, &mut |e| {
        if matches!(e, Expr::Column { table, .. } if own.contains(&table)) && !used.contains(e) {
            used.push(e.clone());
        }
    });
    let name = |i: usize| -> Name { format!("k{i}").into() };
    walk::each_expr_mut(&mut rest, &mut |e| {
        if let Some(i) = used.iter().position(|u| u == e) {
            *e = Expr::Column { table: GROUP.into(), column: name(i) };
        }
    });
    other.clone_from(rest.select()?);
    let mut items: Vec<Item> =
        used.iter().enumerate().map(|(i, e)| Item { expr: e.clone(), alias: Some(name(i)) }).collect();
    if items.is_empty() {
        items.push(Item { expr: Expr::int(1), alias: Some(name(0)) });
    }
    let query = Query::of(Select { items, from: inside.to_vec(), ..Select::default() });
    let source = Source::Query { query: Box::new(query), alias: GROUP.into() };
    other.from.insert(0, Joined { join: Join::Comma, source, on: None, using: Vec::new() });
    Some(other)
}

/// `a LEFT JOIN b` is `b RIGHT JOIN a`.
fn mirror(select: &Select, at: &Setting) -> Option<Select> {
    let [first, second] = select.from.as_slice() else { return None };
    let join = match second.join {
        Join::Left => Join::Right,
        Join::Right => Join::Left,
        Join::Full => Join::Full,
        _ => return None,
    };
    if join == Join::Right && !at.dialect.lists(Feature::RightJoin) {
        return None;
    }
    let mut other = select.clone();
    other.from = vec![
        Joined { source: second.source.clone(), ..first.clone() },
        Joined { source: first.source.clone(), join, ..second.clone() },
    ];
    Some(other)
}

/// NATURAL and USING as conditions. Only two members: further ones meet what was merged before.
fn spelled(select: &Select, at: &Setting) -> Option<Select> {
    let [first, second] = select.from.as_slice() else { return None };
    let mut names = second.using.clone();
    let join = match second.join {
        Join::Natural | Join::NaturalLeft | Join::NaturalRight | Join::NaturalFull => {
            let (left, right) = (columns_of(first, at)?, columns_of(second, at)?);
            let shared = right.iter().filter(|c| left.iter().any(|l| l.name == c.name));
            names = shared.map(|c| c.name.clone()).collect();
            match second.join {
                Join::NaturalLeft => Join::Left,
                Join::NaturalRight => Join::Right,
                Join::NaturalFull => Join::Full,
                _ => Join::Inner,
            }
        }
        other => other,
    };
    let equal = |name: &Name| {
        let side = |j: &Joined| Expr::Column { table: j.source.alias().clone(), column: name.clone() };
        Expr::Binary(Binary::Eq, Box::new(side(first)), Box::new(side(second)))
    };
    let on = names.iter().map(equal).reduce(Expr::and)?;
    let mut other = select.clone();
    other.from[1] = Joined { join, on: Some(on), using: Vec::new(), source: second.source.clone() };
    Some(other)
}

fn columns_of(member: &Joined, at: &Setting) -> Option<Vec<Column>> {
    match &member.source {
        Source::Table { name, .. } => Some(at.schema.table(name)?.columns.to_vec()),
        Source::Query { query, .. } => typing::query(query, at.schema, at.dialect).ok(),
    }
}

/// Each `x IN (SELECT y …)` that WHERE demands, as `EXISTS (SELECT 1 … WHERE x = y)`.
fn semi(select: &Select, q: &Question, at: &Setting) -> Option<Select> {
    if !at.dialect.lists(Feature::Correlated) || !q.query.with.is_empty() {
        return None;
    }
    let mut changed = 0;
    let mut other = select.clone();
    let outer: Vec<&Name> = select.from.iter().map(|j| j.source.alias()).collect();
    demanded(other.filter.as_mut()?, &mut |e| {
        if let Some(exists) = as_exists(e, &outer, at) {
            *e = exists;
            changed += 1;
        }
    });
    (changed > 0).then_some(other)
}

fn demanded(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match e {
        Expr::Binary(Binary::And, a, b) => {
            demanded(a, visit);
            demanded(b, visit);
        }
        other => visit(other),
    }
}

fn as_exists(e: &Expr, outer: &[&Name], at: &Setting) -> Option<Expr> {
    let Expr::InQuery { expr, query, negated: false } = e else { return None };
    let inner = query.select().filter(|_| query.limit.is_none() && query.with.is_empty())?;
    let [item] = inner.items.as_slice() else { return None };
    let grouped = inner.distinct || !inner.group_by.is_empty() || typing::contains_aggregate(&item.expr);
    let hides = inner.from.iter().any(|j| outer.contains(&j.source.alias()));
    if grouped || hides || inner.having.is_some() || inner.from.is_empty() || matches!(**expr, Expr::Row(_)) {
        return None;
    }
    // IN compares with the collation of its left side only.
    let alone = Query::of(Select { filter: None, ..inner.clone() });
    let columns = typing::query(&alone, at.schema, at.dialect).ok()?;
    if columns[0].traits.collation != 0 || matches!(item.expr, Expr::Window(_)) {
        return None;
    }
    let equal = Expr::Binary(Binary::Eq, expr.clone(), Box::new(item.expr.clone()));
    let filter = and(inner.filter.clone(), Some(equal));
    let body = Select { items: vec![Item::bare(Expr::int(1))], filter, ..inner.clone() };
    Some(Expr::Exists { query: Box::new(Query::of(body)), negated: false })
}

/// An outer join as its inner join and the rows that found no partner.
fn apart(q: &Question, select: &Select, columns: &[Column], at: &Setting) -> Option<Derived> {
    let plain = !select.distinct && select.group_by.is_empty() && select.having.is_none() && q.query.limit.is_none();
    let lone = |i: &Item| !typing::contains_aggregate(&i.expr) && !matches!(i.expr, Expr::Window(_));
    if !plain || !select.items.iter().all(lone) || !at.dialect.lists(Feature::Correlated) {
        return None;
    }
    let last = select.from.last().filter(|j| j.using.is_empty())?;
    let on = last.on.clone()?;
    let two = select.from.len() == 2;
    let mut parts =
        vec![("the rows with a partner", Select { from: with_join(&select.from, Join::Inner), ..select.clone() })];
    if matches!(last.join, Join::Left | Join::Full) && select.from.len() > 1 {
        let from = alone(&select.from, at);
        parts.push(("those of the left side without one", without_partner(select, from, last, &on)));
    }
    if two && matches!(last.join, Join::Right | Join::Full) {
        let swapped =
            [Joined { on: None, ..last.clone() }, Joined { source: select.from[0].source.clone(), ..last.clone() }];
        let from = alone(&swapped, at);
        parts.push(("those of the right side without one", without_partner(select, from, &select.from[0], &on)));
    }
    let wanted = match last.join {
        Join::Left => 2,
        Join::Right if two => 2,
        Join::Full if two => 3,
        _ => return None,
    };
    if parts.len() != wanted || select.from.iter().any(mentions_rowid) {
        return None;
    }
    let mut script = vec![Step::query("the whole", print::query(&q.query, at.dialect))];
    for (label, part) in parts {
        let part = Query { body: Body::Select(Box::new(part)), order_by: Vec::new(), ..q.query.clone() };
        typing::query(&part, at.schema, at.dialect).ok()?;
        script.push(Step::query(label, print::query(&part, at.dialect)));
    }
    let parts = (1..script.len()).collect();
    let claim = Relation::Partition { whole: 0, parts, combine: Combine::Bag, equality: equality(columns) };
    Some(Derived { script, claim })
}

fn mentions_rowid(j: &Joined) -> bool {
    let mut found = false;
    if let Some(on) = &j.on {
        walk::each_expr(on, &mut |e| found |= matches!(e, Expr::Column { column, .. } if column == ROWID));
    }
    found
}

fn with_join(from: &[Joined], join: Join) -> Vec<Joined> {
    let mut from = from.to_vec();
    if let Some(last) = from.last_mut() {
        last.join = join;
    }
    from
}

/// The last member joined to nothing.
fn alone(from: &[Joined], at: &Setting) -> Vec<Joined> {
    let mut from = with_join(from, Join::Left);
    if let Some(last) = from.last_mut() {
        last.on = Some(Expr::truth(false, at.dialect));
    }
    from
}

fn without_partner(select: &Select, from: Vec<Joined>, partner: &Joined, on: &Expr) -> Select {
    let member = Joined { join: Join::Comma, on: None, ..partner.clone() };
    let items = vec![Item::bare(Expr::int(1))];
    let found = Query::of(Select { items, from: vec![member], filter: Some(on.clone()), ..Select::default() });
    let none = Expr::Exists { query: Box::new(found), negated: true };
    Select { from, filter: and(Some(none), select.filter.clone()), ..select.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    const STATE: &str =
        "CREATE TABLE a(x INT, z INT); CREATE TABLE b(x INT, y INT); CREATE TABLE n(w TEXT COLLATE NOCASE);";

    fn texts(query: &str, form: &str) -> Option<Vec<String>> {
        let question = |query: Query| Question::of(query, form);
        derived_texts(&format!("{STATE} {query};"), &SQLITE, question, derive)
    }

    #[test]
    fn inner_joins_stand_in_any_order() {
        let texts = texts("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.x > 1", REORDER).unwrap();
        assert_eq!(texts[1], "SELECT a.x FROM b CROSS JOIN a WHERE (a.x = b.y) AND (b.x > 1)");
        assert_eq!(super::tests::texts("SELECT a.x FROM a LEFT JOIN b ON a.x = b.y", REORDER), None);
    }

    #[test]
    fn the_first_members_are_a_table() {
        let texts = texts("SELECT a.x, n.w FROM a LEFT JOIN b ON a.x = b.y JOIN n ON n.w = b.x", REGROUP).unwrap();
        assert_eq!(
            texts[1],
            "SELECT grouped.k0, n.w FROM (SELECT a.x AS k0, b.x AS k1 FROM a LEFT JOIN b ON a.x = b.y) AS grouped \
             JOIN n ON n.w = grouped.k1"
        );
    }

    #[test]
    fn outer_joins_are_mirrored_and_taken_apart() {
        let query = "SELECT a.x FROM a FULL JOIN b ON a.x = b.y";
        assert_eq!(texts(query, MIRROR).unwrap()[1], "SELECT a.x FROM b FULL JOIN a ON a.x = b.y");
        let parts = texts(query, APART).unwrap();
        assert_eq!(parts[1], "SELECT a.x FROM a JOIN b ON a.x = b.y");
        assert_eq!(parts[2], "SELECT a.x FROM a LEFT JOIN b ON 0 WHERE NOT EXISTS (SELECT 1 FROM b WHERE a.x = b.y)");
        assert_eq!(parts[3], "SELECT a.x FROM b LEFT JOIN a ON 0 WHERE NOT EXISTS (SELECT 1 FROM a WHERE a.x = b.y)");
        assert_eq!(texts("SELECT count(*) FROM a LEFT JOIN b ON a.x = b.y", APART), None, "a count is no bag");
    }

    #[test]
    fn natural_is_written_out() {
        let texts = texts("SELECT a.z FROM a NATURAL JOIN b", SPELLED).unwrap();
        assert_eq!(texts[1], "SELECT a.z FROM a JOIN b ON a.x = b.x");
    }

    #[test]
    fn in_is_exists_where_collations_agree() {
        let texts = texts("SELECT a.z FROM a WHERE a.x IN (SELECT y FROM b)", SEMI).unwrap();
        assert_eq!(texts[1], "SELECT a.z FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.x = b.y)");
        assert_eq!(super::tests::texts("SELECT a.z FROM a WHERE a.x IN (SELECT w FROM n)", SEMI), None);
    }

    #[test]
    fn in_is_a_join_and_set_operations_are_exists() {
        let exact = "CREATE TABLE e(k INTEGER PRIMARY KEY); CREATE TABLE f(k INTEGER PRIMARY KEY, x);";
        let other = |query: &str, form: &str| {
            let question = |query: Query| Question::of(query, form);
            derived_texts(&format!("{exact} {query};"), &SQLITE, question, derive).map(|texts| texts[1].clone())
        };
        assert_eq!(
            other("SELECT f.x FROM f WHERE f.x IN (SELECT k FROM e)", SEMI_JOIN).unwrap(),
            "SELECT f.x FROM f JOIN (SELECT DISTINCT e.k AS k FROM e) AS semi0 ON f.x = semi0.k WHERE 1"
        );
        assert_eq!(
            other("SELECT e.k FROM e INTERSECT SELECT f.k FROM f WHERE f.x > 1", SETS).unwrap(),
            "SELECT DISTINCT e.k FROM e WHERE EXISTS (SELECT 1 FROM f WHERE (f.x > 1) AND (e.k IS f.k))"
        );
        assert_eq!(other("SELECT f.x FROM f INTERSECT SELECT e.k FROM e", SETS), None, "of different affinity");
    }
}
