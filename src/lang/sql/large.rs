//! States with large tables, skewed and correlated columns, and queries over them that take a while: for the oracle that
//! looks at time. A table of numbers is doubled until it is large enough, and every other table is computed from it, so
//! that a few statements that every dialect takes make the same rows everywhere.

use super::ast::*;
use super::profile::Profile;
use super::state::State;
use crate::dialect::{Affinity, Feature, Kind};
use crate::rng::Rng;

/// Rows of the largest table are 2 to the power of this, at least and at most.
const DOUBLINGS: (usize, usize) = (11, 16);
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
        create(NUMBERS, vec![column("n", int.name, Kind::Int, int.affinity)]),
        run(format!("INSERT INTO {NUMBERS} VALUES (0)")),
    ];
    for i in 0..doublings {
        made.push(run(format!("INSERT INTO {NUMBERS} SELECT n + {} FROM {NUMBERS}", 1u32 << i)));
    }
    for t in 0..rng.range(TABLES.0, TABLES.1) {
        let name = format!("t{t}");
        // Small and large tables side by side are what join orders are about.
        let rows = 1u64 << rng.range(doublings.saturating_sub(7), doublings);
        let mut columns = vec![column("c0", int.name, Kind::Int, int.affinity)];
        let mut values = vec!["n".to_owned()];
        for c in 1..=rng.range(2, 4) {
            let with_text = text.is_some() && rng.chance(1, 5);
            let recipe = &RECIPES[if with_text { INT_RECIPES } else { rng.below(INT_RECIPES) }];
            let spec = if with_text { text.unwrap_or(int) } else { int };
            columns.push(column(&format!("c{c}"), spec.name, recipe.kind, spec.affinity));
            let (few, many) = (rng.range(2, 200), rng.range(100, rows as usize));
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
    let asks = profile.dialect.maintenance.iter().filter(|m| m.to_ascii_uppercase().starts_with("ANALYZE"));
    let Some(ask) = asks.min_by_key(|m| m.contains("{table}")) else { return Vec::new() };
    if !ask.contains("{table}") {
        return vec![(*ask).to_owned()];
    }
    state.tables.iter().map(|t| ask.replace("{table}", &t.name)).collect()
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
    })
}
