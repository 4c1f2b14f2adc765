//! Window functions and filtered aggregates written in another way.
//!
//! Claim: an aggregate over a whole partition is a correlated subquery over the rows of that partition, and a join with
//! the same aggregate by groups; FILTER is CASE inside the aggregate; row_number, lag, lead and rank are counts and
//! least values over frames that name their rows. A window may be named in a WINDOW clause; a count over a frame is the
//! sum of the counts over its parts; and a window function that is shown twice has the same value twice, whatever it
//! computes: windows with one definition see the rows in one order.
//!
//! ```sql
//! SELECT c0, max(c1) OVER (PARTITION BY c0) FROM t0;                       -- the same rows as
//! SELECT c0, (SELECT max(t0_w.c1) FROM t0 AS t0_w WHERE t0_w.c0 IS t0.c0) FROM t0;
//! ```

use super::{Derived, OracleSpec, PLAIN, Setting, adopt, equality};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::traits::is_lateral;
use crate::sql::{print, typing, walk};
use qualm_core::case::Step;
use qualm_core::dialect::sql::Feature;
use qualm_core::relation::{Equality, Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "windows",
    claim: "a window function returns what an equivalent subquery, join or explicit frame returns; FILTER is CASE",
    example: "max(x) OVER (PARTITION BY k)  =  (SELECT max(u.x) FROM t AS u WHERE u.k IS t.k)",
    weight: 1,
    propose,
    derive,
    adopt: Some(|query, _| adopt::each_form(query, &FORMS)),
    ..PLAIN
};

pub const SUBQUERY: &str = "subquery";
pub const JOIN: &str = "join";
pub const CASE: &str = "case";
pub const FRAME: &str = "frame";
pub const NAMED: &str = "named";
pub const SPLIT: &str = "split";
pub const TWICE: &str = "twice";

const FORMS: [&str; 7] = [SUBQUERY, JOIN, CASE, FRAME, NAMED, SPLIT, TWICE];

/// Functions whose value depends on the order in which the rows of a window come. The last one is known where types are
/// dynamic.
const BY_ORDER: [&str; 3] = ["first_value", "last_value", "group_concat"];

const WHOLE: &str = "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
/// What a frame is where none is written and the window has an order.
const SO_FAR: &str = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
const FROM_HERE: &str = "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING";
const PEERS: &str = "RANGE BETWEEN CURRENT ROW AND CURRENT ROW";

fn propose(g: &mut Generator) -> Option<Question> {
    let has = |g: &Generator, form: &str| match form {
        CASE => g.has(Feature::Filter),
        FRAME | NAMED | SPLIT => g.has(Feature::Window) && g.has(Feature::WindowFrame),
        TWICE => g.has(Feature::Window),
        SUBQUERY => g.has(Feature::Window) && g.has(Feature::Correlated),
        _ => g.has(Feature::Window) && !g.has(Feature::LoneTables),
    };
    let forms: Vec<&str> = FORMS.into_iter().filter(|f| has(g, f)).collect();
    if forms.is_empty() {
        return None;
    }
    let form = *g.rng.pick(&forms);
    let from = g.outer_from(g.shape.from.min(2));
    let mut select = Select { from, ..Select::default() };
    if g.rng.chance(1, 2) {
        select.filter = Some(g.predicate(1));
    }
    if form == CASE {
        if g.rng.coin() {
            select.group_by = g.group_keys();
        }
        select.items = select.group_by.iter().cloned().map(Item::bare).collect();
        let mut aggregate = g.aggregate();
        if let Expr::Aggregate(a) = &mut aggregate {
            a.distinct = false;
            a.filter = Some(g.predicate(1));
        }
        g.uses(Feature::Filter);
        select.items.push(Item::bare(aggregate));
    } else {
        select.items = g.items(2);
        let mut window = (0..4).find_map(|_| g.window())?;
        if let (Expr::Window(w), SUBQUERY | JOIN) = (&mut window, form) {
            w.frame = None;
            w.order_by.clear();
            if !is_aggregate(&w.function) {
                let Expr::Aggregate(a) = g.aggregate() else { return None };
                w.function = Aggregate { distinct: false, ..*a };
            }
        }
        if let (Expr::Window(w), SPLIT) = (&mut window, form) {
            w.frame = [None, Some(SO_FAR.into()), Some(WHOLE.into())][g.rng.below(3)].clone();
            (w.function.function, w.function.distinct) = ("count".into(), false);
            w.function.args.truncate(1);
        }
        if let (Expr::Window(w), TWICE) = (&mut window, form) {
            by_order(w, g);
        }
        select.items.push(Item::bare(window));
    }
    g.scope.clear();
    Some(Question::of(Query::of(select), form))
}

/// Makes it, half of the time, a function that depends on the order of rows.
fn by_order(w: &mut Window, g: &mut Generator) {
    if w.function.args.len() == 1 && g.rng.coin() {
        let known = if g.dialect().dynamic_typing { BY_ORDER.len() } else { BY_ORDER.len() - 1 };
        w.function.function = BY_ORDER[g.rng.below(known)].into();
        (w.function.distinct, w.function.filter) = (false, None);
    }
}

fn is_aggregate(a: &Aggregate) -> bool {
    matches!(a.function.as_str(), "count" | "sum" | "min" | "max" | "avg")
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let select = q.query.select().filter(|s| q.text.is_none() && !s.items.is_empty() && !s.from.is_empty())?;
    let ordered = q.query.limit.is_some() || !q.query.order_by.is_empty();
    if ordered || !q.query.with.is_empty() || select.distinct {
        return None;
    }
    if q.form == TWICE {
        return twice(select, at);
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    if q.form == NAMED {
        let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: equality(&columns) };
        let script = vec![
            Step::query("as it is", print::query(&q.query, at.dialect)),
            Step::query("with a WINDOW clause", named(&q.query, at)?),
        ];
        return Some(Derived { script, claim });
    }
    let (label, other) = match q.form.as_str() {
        SPLIT => ("with the count of the parts of a frame", split(select, at)?),
        SUBQUERY => ("with a subquery for the window", subqueries(select, at)?),
        JOIN => ("with a join for the window", joined(select, at)?),
        CASE => ("with CASE for FILTER", cases(select, at)?),
        FRAME => ("with a frame that names the rows", frames(select, at)?),
        _ => return None,
    };
    let other = Query::of(other);
    let after = typing::query(&other, at.schema, at.dialect).ok()?;
    let script = vec![
        Step::query("as it is", print::query(&q.query, at.dialect)),
        Step::query(label, print::query(&other, at.dialect)),
    ];
    let loose = equality(&columns) == Equality::Loose || equality(&after) == Equality::Loose;
    let equality = if loose { Equality::Loose } else { Equality::Exact };
    Some(Derived { script, claim: Relation::Same { left: 0, right: 1, order: Order::Bag, equality } })
}

/// The windows of a select list that take in whole partitions.
fn is_whole(w: &Window) -> bool {
    let all = w.order_by.is_empty() && w.frame.is_none() || w.frame.as_deref() == Some(WHOLE);
    all && is_aggregate(&w.function) && !w.function.distinct
}

/// The same rows under other names, with what renames an expression over them.
fn renamed(select: &Select) -> Option<(Select, impl Fn(&Expr) -> Expr + use<>)> {
    let own: Vec<Name> = select.from.iter().map(|j| j.source.alias().clone()).collect();
    // A subquery that takes one of these names for itself would be renamed too.
    let mut hidden = false;
    for e in select.filter.iter().chain(select.from.iter().filter_map(|j| j.on.as_ref())) {
        walk::each_select(e, &mut |s| hidden |= s.from.iter().any(|j| own.contains(j.source.alias())));
    }
    // One that is LATERAL goes on referring to the rows that are not renamed.
    let lateral = |(i, j): (usize, &Joined)| match &j.source {
        Source::Query { query, .. } => is_lateral(&select.from[..i], query),
        Source::Table { .. } => false,
    };
    if hidden || select.from.iter().enumerate().any(lateral) {
        return None;
    }
    let other = |name: &Name| -> Name { format!("{name}_w").into() };
    let rename = move |e: &Expr| {
        let mut e = e.clone();
        walk::each_expr_mut(&mut e, &mut |x| {
            if let Expr::Column { table, .. } = x
                && own.contains(table)
            {
                *table = other(table);
            }
        });
        e
    };
    let mut copy =
        Select { from: select.from.clone(), filter: select.filter.as_ref().map(&rename), ..Select::default() };
    for member in &mut copy.from {
        member.on = member.on.as_ref().map(&rename);
        let (Source::Table { alias, .. } | Source::Query { alias, .. }) = &mut member.source;
        *alias = format!("{alias}_w").into();
    }
    Some((copy, rename))
}

fn is(a: Expr, b: Expr) -> Expr {
    Expr::Binary(Binary::Is, Box::new(a), Box::new(b))
}

fn renamed_aggregate(a: &Aggregate, rename: &impl Fn(&Expr) -> Expr) -> Expr {
    let args = a.args.iter().map(rename).collect();
    let filter = a.filter.as_ref().map(rename);
    Expr::Aggregate(Box::new(Aggregate { args, filter, ..a.clone() }))
}

fn nests(w: &Window) -> bool {
    let mut nests = false;
    walk::each_query(&Expr::Window(Box::new(w.clone())), &mut |_| nests = true);
    nests
}

fn subqueries(select: &Select, at: &Setting) -> Option<Select> {
    if !at.dialect.lists(Feature::Correlated) {
        return None;
    }
    let (rows, rename) = renamed(select)?;
    let mut other = select.clone();
    let mut changed = 0;
    for item in &mut other.items {
        let Expr::Window(w) = &item.expr else { continue };
        if !is_whole(w) || nests(w) {
            continue;
        }
        let same = w.partition_by.iter().map(|k| is(rename(k), k.clone()));
        let mut inner = rows.clone();
        inner.filter = inner.filter.take().into_iter().chain(same).reduce(Expr::and);
        inner.items = vec![Item::bare(renamed_aggregate(&w.function, &rename))];
        item.expr = Expr::Scalar(Box::new(Query::of(inner)));
        changed += 1;
    }
    (changed > 0).then_some(other)
}

fn joined(select: &Select, at: &Setting) -> Option<Select> {
    if at.dialect.lists(Feature::LoneTables) {
        return None;
    }
    let (rows, rename) = renamed(select)?;
    let mut other = select.clone();
    for (i, item) in other.items.iter_mut().enumerate() {
        let Expr::Window(w) = &item.expr else { continue };
        if !is_whole(w) || nests(w) || !w.partition_by.iter().all(|k| matches!(k, Expr::Column { .. })) {
            continue;
        }
        let alias: Name = format!("g{i}").into();
        let own = |name: String| Expr::Column { table: alias.clone(), column: name.into() };
        let keys: Vec<Expr> = w.partition_by.iter().map(&rename).collect();
        let mut inner = rows.clone();
        let named = |(i, e): (usize, &Expr)| Item { expr: e.clone(), alias: Some(format!("k{i}").into()) };
        inner.items = keys.iter().enumerate().map(named).collect();
        let value = renamed_aggregate(&w.function, &rename);
        inner.items.push(Item { expr: value, alias: Some("w".into()) });
        inner.group_by = keys;
        let equal = w.partition_by.iter().enumerate().map(|(i, k)| is(k.clone(), own(format!("k{i}"))));
        let on = equal.reduce(Expr::and);
        let join = if on.is_some() { Join::Inner } else { Join::Cross };
        item.expr = own("w".into());
        let source = Source::Query { query: Box::new(Query::of(inner)), alias: alias.clone() };
        other.from.push(Joined { join, source, on, using: Vec::new() });
    }
    (other.from.len() > select.from.len()).then_some(other)
}

/// `f(x) FILTER (WHERE p)` as `f(CASE WHEN p THEN x END)`, where the collation of x does not matter.
fn cases(select: &Select, at: &Setting) -> Option<Select> {
    let mut other = select.clone();
    let mut changed = 0;
    for item in &mut other.items {
        let Expr::Aggregate(a) = &mut item.expr else { continue };
        let compares = matches!(a.function.as_str(), "min" | "max") && at.dialect.collations.len() > 1;
        if a.distinct || compares || !is_aggregate(a) {
            continue;
        }
        let Some(p) = a.filter.take() else { continue };
        let value = a.args.first().cloned().unwrap_or(Expr::int(1));
        a.args = vec![Expr::Case { operand: None, arms: vec![(p, value)], otherwise: None }];
        changed += 1;
    }
    (changed > 0).then_some(other)
}

/// Functions of single rows as aggregates over the rows that they speak of.
fn frames(select: &Select, at: &Setting) -> Option<Select> {
    if !at.dialect.lists(Feature::WindowFrame) {
        return None;
    }
    let mut other = select.clone();
    let mut changed = 0;
    for item in &mut other.items {
        let Expr::Window(w) = &mut item.expr else { continue };
        if w.frame.is_some() || w.function.filter.is_some() || w.order_by.is_empty() {
            continue;
        }
        let (function, frame) = match (w.function.function.as_str(), w.function.args.len()) {
            ("row_number", 0) => ("count", "ROWS UNBOUNDED PRECEDING"),
            ("lag", 1) => ("min", "ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING"),
            ("lead", 1) => ("max", "ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING"),
            ("count" | "sum" | "min" | "max" | "avg", _) => {
                // What a frame is where none is written.
                w.frame = Some("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW".into());
                changed += 1;
                continue;
            }
            _ => continue,
        };
        w.function.function = function.into();
        w.frame = Some(frame.into());
        changed += 1;
    }
    (changed > 0).then_some(other)
}

/// The text of a query whose windows are defined in a WINDOW clause at its end.
fn named(query: &Query, at: &Setting) -> Option<String> {
    const OVER: &str = " OVER (";
    let windows: Vec<&Window> = query
        .select()?
        .items
        .iter()
        .filter_map(|i| if let Expr::Window(w) = &i.expr { Some(&**w) } else { None })
        .collect();
    let mut text = print::query(query, at.dialect);
    // A window of a subquery does not know this clause, and a text may look like one.
    if windows.is_empty() || !at.dialect.lists(Feature::WindowFrame) || text.matches(" OVER ").count() != windows.len()
    {
        return None;
    }
    let mut known: Vec<String> = Vec::new();
    for w in windows {
        let printed = print::expr(&Expr::Window(Box::new(w.clone())), at.dialect);
        let definition = printed[printed.rfind(OVER)? + OVER.len() - 1..].to_owned();
        if known.contains(&definition) {
            continue;
        }
        let over = format!(" OVER {definition}");
        if !text.contains(&over) {
            return None;
        }
        text = text.replace(&over, &format!(" OVER w{}", known.len()));
        known.push(definition);
    }
    let clause: Vec<String> = known.iter().enumerate().map(|(i, d)| format!("w{i} AS {d}")).collect();
    Some(format!("{text} WINDOW {}", clause.join(", ")))
}

/// Counts over a frame as counts over its parts: up to a row's peers, from them on, and the peers, which are in both.
fn split(select: &Select, at: &Setting) -> Option<Select> {
    if !at.dialect.lists(Feature::WindowFrame) {
        return None;
    }
    let mut other = select.clone();
    let mut changed = 0;
    for item in &mut other.items {
        let Expr::Window(w) = &item.expr else { continue };
        if w.function.function != "count" || w.function.distinct || w.order_by.is_empty() {
            continue;
        }
        let over =
            |frame: &str| Box::new(Expr::Window(Box::new(Window { frame: Some(frame.into()), ..(**w).clone() })));
        let (add, sub) = match w.frame.as_deref() {
            None | Some(SO_FAR) => ([over(WHOLE), over(PEERS)], over(FROM_HERE)),
            Some(WHOLE) => ([over(SO_FAR), over(FROM_HERE)], over(PEERS)),
            _ => continue,
        };
        let [a, b] = add;
        let sum = Expr::Binary(Binary::Add, a, b);
        item.expr = Expr::Binary(Binary::Sub, Box::new(sum), sub);
        changed += 1;
    }
    (changed > 0).then_some(other)
}

/// As many rows have the same value in both columns as there are rows.
fn twice(select: &Select, at: &Setting) -> Option<Derived> {
    let window = select.items.iter().find_map(|i| if let Expr::Window(w) = &i.expr { Some(w) } else { None })?;
    let plain = Select { distinct: false, ..select.clone() };
    if !select.group_by.is_empty() || select.having.is_some() {
        return None;
    }
    // What it is given is determined, even if what it makes of that is not.
    let mut counts = (**window).clone();
    counts.frame = None;
    counts.function.function = "count".into();
    counts.function.args.truncate(1);
    let determined = Select { items: vec![Item::bare(Expr::Window(Box::new(counts)))], ..plain.clone() };
    typing::query(&Query::of(determined), at.schema, at.dialect).ok()?;
    if window.function.args.iter().skip(1).any(|e| !matches!(e, Expr::Literal(_))) {
        return None;
    }
    let shown = |name: &str| Item { expr: Expr::Window(window.clone()), alias: Some(name.into()) };
    let both = Query::of(Select { items: vec![shown("a"), shown("b")], ..plain.clone() });
    let source = Source::Query { query: Box::new(both), alias: "twice".into() };
    let from = vec![Joined { join: Join::Comma, source, on: None, using: Vec::new() }];
    let same = is(Expr::column("twice", "a"), Expr::column("twice", "b"));
    let one = vec![Item::bare(Expr::int(1))];
    let equal = Query::of(Select { items: one, from, filter: Some(same), ..Select::default() });
    let count = Expr::Aggregate(Box::new(Aggregate {
        function: "count".into(),
        args: Vec::new(),
        distinct: false,
        filter: None,
    }));
    let all = Query::of(Select { items: vec![Item::bare(count)], ..plain });
    let script = vec![
        Step::query("rows in which both are the same", print::query(&equal, at.dialect)),
        Step::query("how many rows there are", print::query(&all, at.dialect)),
    ];
    Some(Derived { script, claim: Relation::CountIs { rows: 0, count: 1 } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    const STATE: &str = "CREATE TABLE t(k INTEGER, x TEXT COLLATE NOCASE);";

    fn other(query: &str, form: &str) -> Option<String> {
        let question = |query: Query| Question::of(query, form);
        derived_texts(&format!("{STATE} {query};"), &SQLITE, question, derive).map(|texts| texts[1].clone())
    }

    #[test]
    fn a_partition_is_a_subquery_and_a_group() {
        let query = "SELECT k, count(x) OVER (PARTITION BY k) FROM t WHERE k > 1";
        assert_eq!(
            other(query, SUBQUERY).unwrap(),
            "SELECT t.k, (SELECT count(t_w.x) FROM t AS t_w WHERE (t_w.k > 1) AND (t_w.k IS t.k)) FROM t WHERE t.k > 1"
        );
        assert_eq!(
            other(query, JOIN).unwrap(),
            "SELECT t.k, g1.w FROM t JOIN (SELECT t_w.k AS k0, count(t_w.x) AS w FROM t AS t_w WHERE t_w.k > 1 \
             GROUP BY t_w.k) AS g1 ON t.k IS g1.k0 WHERE t.k > 1"
        );
        assert_eq!(other("SELECT max(x) OVER (ORDER BY k) FROM t", SUBQUERY), None, "not the whole partition");
    }

    #[test]
    fn rows_beside_a_lateral_query_are_not_repeated_under_other_names() {
        use qualm_engines::duckdb::dialect::DUCKDB;
        let derived = |inner: &str| {
            let from = format!("t, LATERAL (SELECT 1 AS n FROM t AS u WHERE {inner}) AS x");
            let text = format!("CREATE TABLE t(k BIGINT); SELECT count(*) OVER () FROM {from};");
            derived_texts(&text, &DUCKDB, |query| Question::of(query, JOIN), derive)
        };
        assert!(derived("u.k > 1").is_some());
        assert_eq!(derived("u.k > t.k"), None);
    }

    #[test]
    fn filter_is_case_where_no_collation_compares() {
        let count = "SELECT count(*) FILTER (WHERE k > 1) FROM t";
        assert_eq!(other(count, CASE).unwrap(), "SELECT count(CASE WHEN (t.k > 1) THEN 1 END) FROM t");
        assert_eq!(other("SELECT min(x) FILTER (WHERE k > 1) FROM t", CASE), None);
    }

    #[test]
    fn windows_are_named_split_and_shown_twice() {
        let query = "SELECT k, count(x) OVER (ORDER BY k) FROM t WHERE k > 1";
        assert_eq!(
            other(query, NAMED).unwrap(),
            "SELECT t.k, count(t.x) OVER w0 FROM t WHERE t.k > 1 WINDOW w0 AS (ORDER BY t.k)"
        );
        let parts = other(query, SPLIT).unwrap();
        assert_eq!(parts.matches("count(t.x) OVER (ORDER BY t.k RANGE BETWEEN").count(), 3, "{parts}");
        assert_eq!(other("SELECT max(x) OVER (ORDER BY k) FROM t", SPLIT), None);
        assert_eq!(other(query, TWICE).unwrap(), "SELECT count(*) FROM t WHERE t.k > 1");
        // The order in which the values come does not matter: it is the same for both.
        assert!(other("SELECT group_concat(x) OVER () FROM t", TWICE).is_some());
        assert_eq!(other("SELECT group_concat(x) OVER () FROM t", NAMED), None);
    }

    #[test]
    fn a_frame_that_is_not_written_is_the_default_one() {
        assert_eq!(
            other("SELECT max(x) OVER (ORDER BY k) FROM t", FRAME).unwrap(),
            "SELECT max(t.x) OVER (ORDER BY t.k RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t"
        );
        assert_eq!(other("SELECT max(x) OVER (PARTITION BY k) FROM t", FRAME), None);
    }
}
