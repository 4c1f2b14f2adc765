//! What the printer writes, the parser reads: random states and queries of every SQL dialect go to text and back.
//!
//! Not one may be unread. Trees are compared as they are, but for what one text says for several of them (`normal`).

use qualm::case::Origin;
use qualm::dialect::sql::{Concat, Dialect, NullSafe};
use qualm::engine::clickhouse::dialect::{CLICKHOUSE, CLICKHOUSE_2018};
use qualm::engine::duckdb::dialect::DUCKDB;
use qualm::engine::sqlite::dialect::SQLITE;
use qualm::explore::Size;
use qualm::lang::sql::ast::*;
use qualm::lang::sql::generate::{Generator, shape};
use qualm::lang::sql::parse::{self, What};
use qualm::lang::sql::profile::Profile;
use qualm::lang::sql::state::{Builder, State};
use qualm::lang::sql::walk::{self, Tree};
use qualm::lang::sql::{print, typing};
use qualm::oracle;
use qualm::rng::Rng;
use qualm::session::{OTHER, THIS};
use std::sync::LazyLock;

/// Every SQL dialect there is, by a name for people.
static DIALECTS: &[(&str, &LazyLock<Dialect>)] = &[
    ("sqlite", &SQLITE),
    ("duckdb", &DUCKDB),
    ("clickhouse", &CLICKHOUSE),
    ("clickhouse of 2018", &CLICKHOUSE_2018),
    #[cfg(feature = "servers")]
    ("postgres", &qualm::engine::postgres::dialect::POSTGRES),
    #[cfg(feature = "servers")]
    ("mysql", &qualm::engine::mysql::dialect::MYSQL),
    #[cfg(feature = "servers")]
    ("mysql before 8", &qualm::engine::mysql::dialect::MYSQL_BEFORE_8),
    #[cfg(feature = "servers")]
    ("mariadb", &qualm::engine::mysql::dialect::MARIADB),
];

fn random_state(rng: &mut Rng, profile: &Profile) -> State {
    let shape = shape(Size::Large);
    let mut state = State::new(profile.dialect, rng);
    let mut builder = Builder { rng, profile, shape, used: Default::default() };
    for _ in 0..3 {
        let table = builder.create_table(&mut state);
        state.accept(table, profile);
    }
    for at in 0..state.tables.len() {
        let table = state.tables[at].clone();
        let insert = builder.insert_into(&table, 3, &state);
        state.accept(insert, profile);
    }
    for _ in 0..8 {
        for change in builder.change(&mut state) {
            state.accept(change, profile);
        }
    }
    state
}

/// One tree for each text: which of several the parser gives is said in `lang/sql/parse/spelling.rs`.
fn normal(tree: &mut impl Tree, dialect: &Dialect) {
    let spelling = &dialect.spelling;
    walk::each_expr_mut(tree, &mut |e| {
        match e {
            // `x IS NULL` and `x IS TRUE` are one text for two trees; the parser gives the narrower one.
            Expr::Binary(op @ (Binary::Is | Binary::IsNot), left, right) if spelling.null_safe == NullSafe::Is => {
                let (expr, negated) = (left.clone(), *op == Binary::IsNot);
                match **right {
                    Expr::Literal(Literal::Null) => *e = Expr::IsNull { expr, negated },
                    Expr::Literal(Literal::Bool(test)) => *e = Expr::IsTruth { expr, test, negated },
                    _ => {}
                }
            }
            // Two names for one comparison, of which these dialects have one.
            Expr::Binary(op @ Binary::Is, ..) => *op = Binary::IsNotDistinctFrom,
            Expr::Binary(op @ Binary::IsNot, ..) => *op = Binary::IsDistinctFrom,
            Expr::Call { function, args } if spelling.concat == Concat::Function && function == "concat" => {
                if let [a, b] = args.as_slice() {
                    *e = Expr::Binary(Binary::Concat, Box::new(a.clone()), Box::new(b.clone()));
                }
            }
            _ => {}
        }
        // Its opposite is written with NOT.
        if let Expr::Binary(Binary::IsDistinctFrom, a, b) = e
            && matches!(spelling.null_safe, NullSafe::Spaceship | NullSafe::IfNull)
        {
            *e = Expr::Binary(Binary::IsNotDistinctFrom, a.clone(), b.clone()).negate();
        }
    });
    walk::each_select_mut(tree, &mut |s| {
        let mixed = s.from.iter().skip(1).any(|j| j.join != Join::Comma);
        for member in s.from.iter_mut().skip(1).filter(|j| mixed && j.join == Join::Comma) {
            if spelling.comma_binds_weakly {
                member.join = Join::Cross;
            }
        }
        // The keys of GROUPING SETS are those of its lists, in the order in which these name them.
        if let Some((GROUPING_SETS, args)) = s.grouping_mut() {
            let sets: Vec<Expr> = args.iter().filter(|e| matches!(e, Expr::Row(_))).cloned().collect();
            let named = |key: &Expr| {
                let mut all = sets.iter().flat_map(|set| if let Expr::Row(keys) = set { keys.as_slice() } else { &[] });
                all.position(|e| e == key)
            };
            args.sort_by_key(|e| (matches!(e, Expr::Row(_)), named(e)));
        }
    });
}

/// What is known of values comes from the generator there and from the data here, so it is not compared; nor are words
/// that a dialect has no words for.
fn normal_statement(statement: &Statement, dialect: &Dialect) -> Statement {
    let spelling = &dialect.spelling;
    let forget = |c: &mut ColumnDef| {
        c.exact = false;
        c.summable = false;
        // Where the type says whether NULL may be there, it may never be in a key.
        c.not_null &= spelling.nullable.0.is_empty() || !c.primary_key;
    };
    let mut statement = statement.clone();
    normal(&mut statement, dialect);
    match &mut statement {
        Statement::CreateTable(t) => t.columns.iter_mut().for_each(forget),
        Statement::AddColumn { column, .. } => forget(column),
        Statement::Insert(i) => {
            let lost = |(verb, after): (&str, &str)| verb.is_empty() && after.is_empty();
            if i.verb == "INSERT OR IGNORE" && lost(spelling.insert_ignore)
                || i.verb == "REPLACE" && lost(spelling.insert_replace)
            {
                i.verb = "INSERT".into();
            }
        }
        Statement::Update(u) => {
            let plain =
                |verb: &str, written: &str| u.verb == verb && (written == "UPDATE" || spelling.mutations_by_alter);
            if plain("UPDATE OR IGNORE", spelling.update_ignore) || plain("UPDATE OR REPLACE", spelling.update_replace)
            {
                u.verb = "UPDATE".into();
            }
        }
        _ => {}
    }
    statement
}

/// All that failed, by dialect, with the first few of each.
#[derive(Default)]
struct Failures {
    read: usize,
    texts: Vec<String>,
}

impl Failures {
    fn note(&mut self, same: bool, what: impl FnOnce() -> String) {
        self.read += 1;
        if !same {
            self.texts.push(what());
        }
    }

    fn summary(&self, name: &str, least: usize) -> Option<String> {
        let some = || self.texts[..self.texts.len().min(4)].join("\n\n");
        if self.texts.is_empty() && self.read > least {
            return None;
        }
        Some(format!("== {name}: {} of {} are not read back\n{}", self.texts.len(), self.read, some()))
    }
}

fn each_dialect(check: impl Fn(&'static Dialect, &Profile) -> Failures, least: usize) {
    let failed: Vec<String> = DIALECTS
        .iter()
        .filter_map(|(name, dialect)| check(dialect, &Profile::full(dialect)).summary(name, least))
        .collect();
    assert!(failed.is_empty(), "\n{}", failed.join("\n\n"));
}

#[test]
fn random_states_are_read_back() {
    each_dialect(
        |dialect, profile| {
            let mut failures = Failures::default();
            for seed in 1..40 {
                let state = random_state(&mut Rng::new(seed), profile);
                let script: Vec<String> = state.statements.iter().map(|s| print::statement(s, dialect)).collect();
                // Commands of an engine's shell end with their line.
                let ended =
                    script.iter().map(|s| if s.starts_with('.') { format!("{s}\n") } else { format!("{s};\n") });
                let parsed = parse::script(&ended.collect::<String>(), dialect);
                assert_eq!(parsed.len(), script.len(), "{script:#?}");
                for (statement, back) in state.statements.iter().zip(&parsed) {
                    let same = match &back.what {
                        What::Statement(s) => normal_statement(s, dialect) == normal_statement(statement, dialect),
                        _ => false,
                    };
                    failures.note(same, || format!("{}\n  {:?}\n  {statement:?}", back.text, back.what));
                }
            }
            failures
        },
        300,
    );
}

#[test]
fn random_queries_are_read_back() {
    each_dialect(
        |dialect, profile| {
            let mut failures = Failures::default();
            for seed in 1..25 {
                let mut rng = Rng::new(seed);
                let state = random_state(&mut rng, profile);
                for _ in 0..20 {
                    let (pool, size) = (&state.pool, shape(Size::Large));
                    let mut query = Generator::new(&mut rng, profile, &state.schema, pool, size).query();
                    if typing::query(&query, &state.schema, dialect).is_err() {
                        continue;
                    }
                    let text = print::query(&query, dialect);
                    normal(&mut query, dialect);
                    let mut back = parse::one(&text, dialect);
                    if let What::Query(q) = &mut back
                        && let Err(why) = parse::qualify(q, &state.schema)
                    {
                        back = What::Unread(why);
                    }
                    let same = back == What::Query(query.clone());
                    failures.note(same, || format!("{text}\n  {back:?}\n  {query:?}"));
                }
            }
            failures
        },
        200,
    );
}

/// Texts that no tree of ours has a place for, so that they are never printed from one: how they begin, a word in them,
/// and why.
const ONLY_TEXT: &[(&str, &str, &str)] = &[
    ("INSERT INTO", " SELECT ", "the tree's INSERT has rows; `index` and `config` copy tables as text"),
    ("", " IN ((SELECT ", "sqlparser takes a subquery in brackets for the whole list"),
    ("", "bound_query", "the tree has no prepared statements; `params` puts them around a query"),
    ("", "@p", "the tree has no parameters"),
    ("", "{p", "the tree has no parameters"),
    ("SELECT ", " WINDOW w0 AS (", "the tree has every window written out; `windows` names them"),
    ("SET ", "", "settings are no part of the language"),
    (
        "CREATE TEMPORARY TABLE ",
        "(",
        "the tree has no tables that end with the session; `coddtest` sets rows aside in them",
    ),
];

/// The part of a text that the tree has a place for: it has none for `CREATE TABLE … AS` and RETURNING, which oracles
/// put around a query and behind a change.
fn part_with_a_tree(text: &str) -> &str {
    let text = text.strip_prefix(OTHER).or(text.strip_prefix(THIS)).unwrap_or(text);
    let made = text.strip_prefix("CREATE TABLE ").or_else(|| text.strip_prefix("CREATE TEMPORARY TABLE "));
    let kept_in_a_table = made.and_then(|rest| rest.strip_prefix("aside_")).and_then(|rest| rest.split_once(" AS "));
    let changed = ["UPDATE ", "DELETE "].iter().any(|begin| text.starts_with(begin));
    match (kept_in_a_table, text.rsplit_once(" RETURNING ")) {
        (Some((_, query)), _) => query,
        (None, Some((change, _))) if changed => change,
        _ => text,
    }
}

/// What oracles derive is printed from trees that the generator does not make. Read and written again it is the same.
#[test]
fn scripts_of_every_oracle_are_read_and_written_alike() {
    each_dialect(
        |dialect, profile| {
            let mut failures = Failures::default();
            for seed in 1..8 {
                let mut rng = Rng::new(seed);
                let state = random_state(&mut rng, profile);
                for oracle in oracle::ORACLES.iter().cycle().take(6 * oracle::ORACLES.len()) {
                    let mut generator =
                        Generator::new(&mut rng, profile, &state.schema, &state.pool, shape(Size::Medium));
                    let Some(question) = (oracle.propose)(&mut generator) else { continue };
                    let source = SqlSource { oracle: oracle.name.into(), state: state.statements.clone(), question };
                    let Some(case) = oracle::case(&source, dialect, Origin::default()) else { continue };
                    for step in &case.script[state.statements.len()..] {
                        if ONLY_TEXT
                            .iter()
                            .any(|(begin, word, _)| step.text.starts_with(begin) && step.text.contains(word))
                        {
                            continue;
                        }
                        let text = part_with_a_tree(&step.text);
                        let (again, why) = match parse::one(text, dialect) {
                            What::Query(q) => (print::query(&q, dialect), String::new()),
                            What::Statement(s) => (print::statement(&s, dialect), String::new()),
                            What::Unread(why) => (String::new(), why),
                        };
                        failures.note(again == text, || format!("{}: {text}\n  {again}{why}", oracle.name));
                    }
                }
            }
            failures
        },
        200,
    );
}

/// Values and names that are easily lost in quotes, in every place where a dialect writes them in its own way.
#[test]
fn values_and_names_are_read_back_to_the_last_bit() {
    let texts =
        ["", "'", "it''s", "\\", "\\'", "a\\nb", "a\nb", "--", "/*", ";", "$$", "%_", "\u{1F980} ß", "\"", "`", "{}"];
    let reals = [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, -1e-300, 5e-324, 123456789.0, 1e22, f64::INFINITY, -f64::INFINITY];
    let literals: Vec<Literal> = (texts.iter().map(|t| Literal::Text((*t).into())))
        .chain(reals.map(Literal::Real))
        .chain([0, 1, -1, i64::MAX, i64::MIN].map(Literal::Int))
        .chain([vec![], vec![0], vec![0, 255, 92, 39]].map(Literal::Blob))
        .chain([Literal::Null, Literal::Bool(true), Literal::Bool(false)])
        .collect();
    let names = ["a", "select", "a b", "1a", "a-b", "ä", "a.b", "a'b"];
    each_dialect(
        |dialect, _| {
            let mut failures = Failures::default();
            for literal in &literals {
                let has_infinity = !dialect.spelling.infinity.0.is_empty();
                if matches!(literal, Literal::Real(r) if r.is_infinite() && !has_infinity) {
                    // The dialect has no literal for it, and the generator makes none there.
                    continue;
                }
                let lone = Expr::Literal(literal.clone());
                let like = |escape| Expr::Like {
                    glob: false,
                    expr: Box::new(lone.clone()),
                    pattern: Box::new(lone.clone()),
                    escape: Some(escape),
                    negated: true,
                };
                let minus = Expr::Unary(Unary::Minus, Box::new(lone.clone()));
                let sum = Expr::Binary(Binary::Add, Box::new(lone.clone()), Box::new(minus.clone()));
                let list =
                    Expr::InList { expr: Box::new(minus), list: vec![lone.clone(), sum.clone()], negated: false };
                for tree in [lone.clone(), sum, list, like('\\'), like('!'), like('\'')] {
                    let text = print::expr(&tree, dialect);
                    let back = parse::expression(&text, dialect);
                    // As text, because −0.0 equals 0.0.
                    let same = format!("{back:?}") == format!("{:?}", Ok::<_, String>(&tree));
                    failures.note(same, || format!("{text}\n  {back:?}\n  {tree:?}"));
                }
            }
            for (table, column) in names.iter().flat_map(|t| names.map(|c| (t, c))) {
                let tree = Expr::column(table, column).is_null();
                let text = print::expr(&tree, dialect);
                let back = parse::expression(&text, dialect);
                failures.note(back.as_ref() == Ok(&tree), || format!("{text}\n  {back:?}\n  {tree:?}"));
            }
            failures
        },
        200,
    );
}
