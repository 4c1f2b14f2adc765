//! States with large tables, skewed and correlated columns, and queries over them that take a while: for the oracle
//! that looks at time. A table of numbers is doubled until it is large enough, and every other table is computed from
//! it, so that a few statements that every dialect takes make the same rows everywhere.

use super::ast::*;
use super::generate::Generator;
use super::parse::{self, What};
use super::profile::Profile;
use super::schema::Table;
use super::state::State;
use qualm_core::dialect::sql::{Dialect, Feature, Kind};
use qualm_core::rng::Rng;

/// Rows of the largest table are 2 to the power of this, at least and at most.
const DOUBLINGS: (usize, usize) = (14, 17);
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

/// Statements of a large state, in order. Those that the tree has no form for are text.
pub fn state(rng: &mut Rng, profile: &Profile) -> Vec<Statement> {
    let dialect = profile.dialect;
    let Some(int) = dialect.plain_type(Kind::Int) else { return Vec::new() };
    let text = dialect.plain_type(Kind::Text);
    let doublings = rng.range(DOUBLINGS.0, DOUBLINGS.1);
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

fn run(text: String) -> Statement {
    Statement::Maintenance(text.into())
}

fn create(name: &str, columns: Vec<ColumnDef>) -> Statement {
    Statement::CreateTable(CreateTable {
        name: name.into(),
        columns,
        primary_key: Vec::new(),
        unique: Vec::new(),
        check: None,
        without_rowid: false,
        strict: false,
        variant: None,
        key_terms: Vec::new(),
        module: None,
    })
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

/// A query of one of the shapes over the large tables, read as a tree.
pub fn query(g: &mut Generator) -> Option<Query> {
    let schema = g.schema;
    let tables: Vec<&Table> = schema.tables.iter().filter(|t| t.name != NUMBERS).collect();
    if tables.is_empty() {
        return None;
    }
    let rng = &mut *g.rng;
    let [t, u, v] = [(); 3].map(|()| *rng.pick(&tables));
    let mut text = (*rng.pick(SHAPES)).to_owned();
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
