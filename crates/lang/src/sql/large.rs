//! States with large tables, skewed and correlated columns, and queries over them that take a while: for the oracle
//! that looks at time. A table of numbers is doubled until it is large enough, and every other table is computed from
//! it, so that a few statements that every dialect takes make the same rows everywhere.

use super::ast::*;
use super::generate::Generator;
use super::parse::{self, What};
use super::profile::Profile;
use super::schema::Table;
use super::state::State;
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Dialect, Feature, Kind};
use qualm_core::rng::Rng;

/// Rows of the largest table are 2 to the power of this, at least and at most.
const DOUBLINGS: (usize, usize) = (14, 17);
/// The same where work is counted, so that a few thousand rows show it.
const COUNTED_DOUBLINGS: (usize, usize) = (11, 13);
const TABLES: (usize, usize) = (2, 3);

/// The table that the others are computed from.
const NUMBERS: &str = "numbers";

/// How a column follows from the number of its row. `{n}` is the number, `{k}` something random, `{m}` a modulus.
struct Recipe {
    expression: &'static str,
    kind: Kind,
}

const RECIPES: &[Recipe] = &[
    // Every value once.
    Recipe { expression: "{n}", kind: Kind::Int },
    Recipe { expression: "({n} * 7919) % {m}", kind: Kind::Int },
    // Few values, evenly.
    Recipe { expression: "{n} % {k}", kind: Kind::Int },
    // Nine rows in ten have the same value.
    Recipe { expression: "CASE WHEN {n} % 10 < 9 THEN 0 ELSE {n} % {m} END", kind: Kind::Int },
    // Follows from the column of the first recipe, so that conditions on both are not independent.
    Recipe { expression: "({n} / 10) % {k}", kind: Kind::Int },
    Recipe { expression: "{n} - {n} % {k}", kind: Kind::Int },
    Recipe { expression: "CASE WHEN {n} % {k} = 0 THEN NULL ELSE {n} % {m} END", kind: Kind::Int },
    Recipe { expression: "CASE WHEN {n} % {k} = 0 THEN 'a' WHEN {n} % 3 = 0 THEN 'b' ELSE 'ab' END", kind: Kind::Text },
];

const INT_RECIPES: usize = RECIPES.len() - 1;

/// Statements of a large state, in order. Those that the tree has no form for are text. `counted`: the engine counts
/// its work, or nothing is run at all.
pub fn state(rng: &mut Rng, profile: &Profile, counted: bool) -> Vec<Statement> {
    let dialect = profile.dialect;
    let Some(int) = dialect.plain_type(Kind::Int) else { return Vec::new() };
    let text = dialect.plain_type(Kind::Text);
    let (least, most) = if counted { COUNTED_DOUBLINGS } else { DOUBLINGS };
    let doublings = rng.range(least, most);
    let mut made = vec![
        create(NUMBERS, vec![ColumnDef::plain("n", int.name, Kind::Int, int.affinity)]),
        run(format!("INSERT INTO {NUMBERS} VALUES (0)")),
    ];
    for i in 0..doublings {
        made.push(run(format!("INSERT INTO {NUMBERS} SELECT n + {} FROM {NUMBERS}", 1u32 << i)));
    }
    for t in 0..rng.range(TABLES.0, TABLES.1) {
        let name = format!("t{t}");
        // Small and large tables side by side are what join orders are about.
        let rows = 1u64 << rng.range(doublings.saturating_sub(5), doublings);
        let mut columns = vec![ColumnDef::plain("c0", int.name, Kind::Int, int.affinity)];
        let mut values = vec!["n".to_owned()];
        for c in 1..=rng.range(2, 4) {
            let with_text = text.is_some() && rng.chance(1, 5);
            let recipe = &RECIPES[if with_text { INT_RECIPES } else { rng.below(INT_RECIPES) }];
            let spec = if with_text { text.unwrap_or(int) } else { int };
            columns.push(ColumnDef::plain(format!("c{c}"), spec.name, recipe.kind, spec.affinity));
            let (few, many) = (rng.range(2, 200), rng.range(rows as usize / 4, rows as usize));
            let made = recipe.expression.replace("{n}", "n").replace("{k}", &few.to_string());
            values.push(made.replace("{m}", &many.to_string()));
        }
        columns[0].primary_key = profile.has(Feature::Unique) && rng.coin();
        let indexed = columns.len();
        made.push(create(&name, columns));
        made.push(run(format!("INSERT INTO {name} SELECT {} FROM {NUMBERS} WHERE n < {rows}", values.join(", "))));
        made.extend(indexes(rng, profile, t, indexed));
    }
    made
}

fn indexes(rng: &mut Rng, profile: &Profile, table: usize, columns: usize) -> Vec<Statement> {
    if !profile.has(Feature::Index) {
        return Vec::new();
    }
    let index = |i: usize, rng: &mut Rng| {
        let mut keys: Vec<usize> = (0..columns).collect();
        rng.shuffle(&mut keys);
        keys.truncate(rng.range(1, 2));
        let keys: Vec<String> = keys.iter().map(|k| format!("c{k}")).collect();
        run(format!("CREATE INDEX i{table}{i} ON t{table}({})", keys.join(", ")))
    };
    (0..rng.below(4)).map(|i| index(i, rng)).collect()
}

/// Statements that let the engine look at its data, so that its choices are informed ones.
pub fn statistics(profile: &Profile, state: &State) -> Vec<String> {
    let statements = profile.dialect.maintenance.iter().filter(|m| m.to_ascii_uppercase().starts_with("ANALYZE"));
    let Some(statement) = statements.min_by_key(|m| m.contains("{table}")) else { return Vec::new() };
    if !statement.contains("{table}") {
        return vec![(*statement).to_owned()];
    }
    state.tables.iter().map(|t| statement.replace("{table}", &t.name)).collect()
}

/// A script of a state that was made here, with so many times the rows in each table; nothing where it was not, or what
/// fills the tables is gone. Names may have changed since.
pub fn grown(script: &[Step], times: u32) -> Option<Vec<Step>> {
    let doubling = |text: &str| -> Option<(String, u64)> {
        match text.split(' ').collect::<Vec<_>>().as_slice() {
            ["INSERT", "INTO", table, "SELECT", _, "+", number, "FROM", from] if table == from => {
                Some(((*table).to_owned(), number.parse().ok()?))
            }
            _ => None,
        }
    };
    let last = script.iter().rposition(|step| doubling(&step.text).is_some())?;
    let (numbers, highest) = doubling(&script[last].text)?;
    let mut filled = 0;
    let mut grown: Vec<Step> = Vec::with_capacity(script.len() + 2);
    for (at, step) in script.iter().enumerate() {
        let mut step = step.clone();
        if let Some((head, limit)) = step.text.rsplit_once(" < ")
            && step.text.starts_with("INSERT INTO ")
            && head.contains(&format!(" FROM {numbers} WHERE "))
        {
            let rows = limit.parse::<u64>().ok()? * u64::from(times);
            step.text = format!("{head} < {rows}");
            filled += 1;
        }
        let text = step.text.clone();
        grown.push(step);
        if at == last {
            let more = (1..=times.ilog2()).map(|i| {
                let next = (highest << i).to_string();
                Step::run(text.replacen(&format!(" + {highest} "), &format!(" + {next} "), 1))
            });
            grown.extend(more);
        }
    }
    (filled > 0).then_some(grown)
}

fn run(text: String) -> Statement {
    Statement::Maintenance(text.into())
}

fn create(name: &str, columns: Vec<ColumnDef>) -> Statement {
    Statement::CreateTable(CreateTable { name: name.into(), columns, ..CreateTable::default() })
}

// ---------------------------------------------------------------- queries

/// Shapes of queries. `{t}`, `{u}` and `{v}` are tables under the names x, y and z; `{j}` and `{k}` join x with y and y
/// with z; `{p}` and `{q}` are conditions on x and on y; `{x}`, `{y}` are columns of theirs, `{n}` is a number.
const SHAPES: &[&str] = &[
    "SELECT count(*) FROM {t} AS x JOIN {u} AS y ON {j} WHERE {p} AND {q}",
    "SELECT count(*) FROM {t} AS x JOIN {u} AS y ON {j} JOIN {v} AS z ON {k} WHERE {p}",
    "SELECT count(*), max(x.{x}) FROM {t} AS x LEFT JOIN {u} AS y ON {j} AND {q} WHERE {p}",
    "SELECT x.{x}, count(*) FROM {t} AS x JOIN {u} AS y ON {j} WHERE {q} GROUP BY x.{x}",
    "SELECT x.{x}, count(*), max(y.{y}) FROM {t} AS x JOIN {u} AS y ON {j} GROUP BY x.{x} ORDER BY x.{x}",
    "SELECT count(*) FROM {t} AS x WHERE {p} AND x.{x} IN (SELECT y.{y} FROM {u} AS y WHERE {q})",
    "SELECT count(*) FROM {t} AS x WHERE {p} AND EXISTS (SELECT 1 FROM {u} AS y WHERE {j} AND {q})",
    "SELECT count(*) FROM {t} AS x WHERE NOT EXISTS (SELECT 1 FROM {u} AS y WHERE {j} AND {q})",
    "SELECT count(*) FROM (SELECT DISTINCT x.{x}, y.{y} FROM {t} AS x JOIN {u} AS y ON {j} WHERE {p}) AS d",
    "SELECT DISTINCT x.{x} FROM {t} AS x JOIN {u} AS y ON {j} WHERE {q}",
    "SELECT x.{x}, x.c0 FROM {t} AS x WHERE {p} ORDER BY x.{x}, x.c0 LIMIT 10",
    "SELECT x.c0, y.c0 FROM {t} AS x JOIN {u} AS y ON {j} WHERE {p} ORDER BY x.c0, y.c0 LIMIT 10",
    "SELECT min(x.{x}), max(x.{x}) FROM {t} AS x WHERE {p} OR {p}",
    "SELECT count(*) FROM {t} AS x JOIN (SELECT y.{y} AS k, count(*) AS n FROM {u} AS y GROUP BY y.{y}) AS g \
     ON x.{x} = g.k WHERE g.n > {n}",
    "SELECT count(*) FROM {t} AS x, {u} AS y WHERE {j} AND ({p} OR {q})",
    "SELECT count(*) FROM {t} AS x WHERE x.{x} > (SELECT min(y.{y}) FROM {u} AS y WHERE {j})",
    "SELECT count(*) FROM (SELECT x.{x} AS k FROM {t} AS x UNION ALL SELECT y.{y} FROM {u} AS y) AS w WHERE w.k < {n}",
    "SELECT count(*) FROM (SELECT x.{x} AS k FROM {t} AS x UNION SELECT y.{y} FROM {u} AS y) AS w",
    "SELECT x.{x}, count(*) FROM (SELECT * FROM {t} AS w ORDER BY w.c0) AS x WHERE {p} GROUP BY x.{x}",
];

/// Shapes whose rows are those of the tables, so that a condition, a limit or an order can be added to them.
const PLAIN_SHAPES: &[&str] = &[
    "SELECT x.{x}, x.c0 FROM {t} AS x WHERE {p}",
    "SELECT x.{x}, x.c0 FROM {t} AS x WHERE {p} AND {p}",
    "SELECT x.c0 FROM {t} AS x WHERE {p} OR {p}",
    "SELECT x.c0 FROM {t} AS x WHERE ({p} OR {p}) AND {p}",
    "SELECT x.c0, y.{y} FROM {t} AS x JOIN {u} AS y ON {j} WHERE {p}",
    "SELECT x.c0, y.{y} FROM {t} AS x JOIN {u} AS y ON {j} WHERE {p} AND {q}",
    "SELECT x.c0, y.c0 FROM {t} AS x LEFT JOIN {u} AS y ON {j} WHERE {p}",
    "SELECT x.c0, z.{x} FROM {t} AS x JOIN {u} AS y ON {j} JOIN {t} AS z ON z.c0 = y.c0 WHERE {q}",
    "SELECT x.c0 FROM {t} AS x WHERE {p} AND x.{x} IN (SELECT y.{y} FROM {u} AS y WHERE {q})",
    "SELECT x.c0 FROM {t} AS x WHERE {p} AND EXISTS (SELECT 1 FROM {u} AS y WHERE {j} AND {q})",
    "SELECT x.c0 FROM {t} AS x WHERE {p} AND NOT EXISTS (SELECT 1 FROM {u} AS y WHERE {j} AND {q})",
];

/// A query of one of the shapes over the large tables, read as a tree.
pub fn query(g: &mut Generator) -> Option<Query> {
    shaped(SHAPES, g)
}

/// The same without aggregates, groups and limits.
pub fn plain_query(g: &mut Generator) -> Option<Query> {
    shaped(PLAIN_SHAPES, g)
}

/// Columns of its select list or of its first table to order it by.
pub fn order_keys(query: &Query, g: &mut Generator) -> Vec<OrderItem> {
    let Some(select) = query.select() else { return Vec::new() };
    let mut columns: Vec<Expr> = select.items.iter().map(|item| item.expr.clone()).collect();
    columns.extend(some_column(query, g));
    g.rng.shuffle(&mut columns);
    columns.truncate(g.rng.range(1, 2));
    columns.into_iter().map(|expr| OrderItem { expr, descending: g.rng.chance(1, 4), nulls_first: None }).collect()
}

/// One more condition on a table of a query.
pub fn condition_on(query: &Query, g: &mut Generator) -> Option<Expr> {
    let column = some_column(query, g)?;
    let n = Expr::int(number(g.rng) as i64);
    let op = *g.rng.pick(&[Binary::Eq, Binary::Lt, Binary::Gt, Binary::Ge]);
    Some(Expr::Binary(op, Box::new(column), Box::new(n)))
}

/// An integer column of one of its tables.
fn some_column(query: &Query, g: &mut Generator) -> Option<Expr> {
    let (from, schema) = (&query.select()?.from, g.schema);
    let tables: Vec<(&Name, &Table)> = from
        .iter()
        .filter_map(|member| match &member.source {
            Source::Table { name, alias, .. } => Some((alias, schema.table(name)?)),
            Source::Query { .. } => None,
        })
        .collect();
    if tables.is_empty() {
        return None;
    }
    let (alias, table) = *g.rng.pick(&tables);
    Some(Expr::column(alias, &int_column(table, g.rng)))
}

fn shaped(shapes: &[&str], g: &mut Generator) -> Option<Query> {
    let schema = g.schema;
    let tables: Vec<&Table> = schema.tables.iter().filter(|t| t.name != NUMBERS).collect();
    if tables.is_empty() {
        return None;
    }
    let rng = &mut *g.rng;
    let [t, u, v] = [(); 3].map(|()| *rng.pick(&tables));
    let mut text = (*rng.pick(shapes)).to_owned();
    while let Some(at) = text.find('{') {
        let with = match text[at..].chars().nth(1)? {
            't' => t.name.to_string(),
            'u' => u.name.to_string(),
            'v' => v.name.to_string(),
            'x' => int_column(t, rng),
            'y' => int_column(u, rng),
            'j' => joined(("x", t), ("y", u), rng),
            'k' => joined(("y", u), ("z", v), rng),
            'p' => condition("x", t, rng),
            'q' => condition("y", u, rng),
            _ => number(rng).to_string(),
        };
        text.replace_range(at..at + 3, &with);
    }
    read(&text, g)
}

fn read(text: &str, g: &Generator) -> Option<Query> {
    let dialect: &'static Dialect = g.dialect();
    let What::Query(mut query) = parse::one(text, dialect) else { return None };
    parse::qualify(&mut query, g.schema).ok()?;
    Some(query)
}

fn int_column(table: &Table, rng: &mut Rng) -> String {
    let ints: Vec<String> =
        table.columns.iter().filter(|c| c.traits.kind == Kind::Int).map(|c| c.name.to_string()).collect();
    if ints.is_empty() { "c0".into() } else { rng.pick(&ints).clone() }
}

/// Often one side is a column in which each value comes once: otherwise most joins would never end.
fn joined(a: (&str, &Table), b: (&str, &Table), rng: &mut Rng) -> String {
    let (mut left, mut right) = (int_column(a.1, rng), int_column(b.1, rng));
    match rng.below(6) {
        0 | 1 => left = "c0".into(),
        2 | 3 => right = "c0".into(),
        _ => {}
    }
    format!("{}.{left} = {}.{right}", a.0, b.0)
}

fn condition(alias: &str, table: &Table, rng: &mut Rng) -> String {
    let column = rng.pick(&table.columns[..]);
    let c = format!("{alias}.{}", column.name);
    if column.traits.kind != Kind::Int {
        return format!("{c} = '{}'", rng.pick(&["a", "b", "ab"]));
    }
    let n = number(rng);
    match rng.below(7) {
        0 => format!("{c} = {n}"),
        1 => format!("{c} < {n}"),
        2 => format!("{c} > {n}"),
        3 => format!("{c} BETWEEN {n} AND {}", n + number(rng)),
        4 => format!("{c} IN ({n}, {}, {})", number(rng), number(rng)),
        5 => format!("{c} IS NOT NULL"),
        _ => format!("({c} = 0 OR {c} > {n})"),
    }
}

/// Small and large ones alike.
fn number(rng: &mut Rng) -> u64 {
    let bits = rng.below(16);
    rng.below(1 << bits) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_grows_with_its_numbers() {
        let script: Vec<Step> = [
            "CREATE TABLE t9(a INT)",
            "INSERT INTO t9 VALUES (0)",
            "INSERT INTO t9 SELECT a + 1 FROM t9",
            "INSERT INTO t9 SELECT a + 2 FROM t9",
            "CREATE TABLE t0(c0 INT)",
            "INSERT INTO t0 SELECT a % 3 FROM t9 WHERE a < 3",
        ]
        .map(Step::run)
        .to_vec();
        let texts: Vec<String> = grown(&script, 4).unwrap().into_iter().map(|s| s.text).collect();
        assert_eq!(texts[4], "INSERT INTO t9 SELECT a + 4 FROM t9");
        assert_eq!(texts[5], "INSERT INTO t9 SELECT a + 8 FROM t9");
        assert_eq!(texts[7], "INSERT INTO t0 SELECT a % 3 FROM t9 WHERE a < 12");
        assert_eq!(grown(&script[..4], 2), None, "nothing is filled from it");
        assert_eq!(grown(&[Step::run("CREATE TABLE t(a INT)")], 2), None);
    }
}
