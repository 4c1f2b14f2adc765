//! What the reducer returns still fails, is valid in its language, and cannot be reduced further, whatever the bug:
//! random cases of every language are reduced with made-up bugs, which are words that a script must keep.

use qualm::case::{Case, Origin};
use qualm::dialect::datalog::DATALOG_DIALECTS;
use qualm::dialect::graph::{GREMLIN, GraphDialect, OPENCYPHER};
use qualm::dialect::sql::Dialect;
use qualm::engine;
use qualm::explore::Size;
use qualm::lang::datalog::generate as datalog;
use qualm::lang::datalog::source::DatalogSource;
use qualm::lang::graph::express;
use qualm::lang::graph::metamodel;
use qualm::lang::graph::source::{GraphSource, Setting};
use qualm::lang::graph::state::States;
use qualm::lang::sql::ast::SqlSource;
use qualm::lang::sql::generate::{Generator, shape};
use qualm::lang::sql::profile::Profile;
use qualm::lang::sql::state::{Builder, State};
use qualm::oracle;
use qualm::reduce::{Budget, reduce_counted};
use qualm::relation::Verdict;
use qualm::rng::Rng;
use qualm::session::{Outcome, RejectionClass, Session, Spoken};

fn text(case: &Case) -> String {
    case.script.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Two words of the script, without which the made-up bug is gone; often one is not enough to keep a case large.
fn bug(case: &Case, words: &[&'static str], rng: &mut Rng) -> Vec<&'static str> {
    let all = text(case);
    let mut present: Vec<&str> = words.iter().copied().filter(|w| all.contains(w)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < 2 && !present.is_empty() {
        chosen.push(present.swap_remove(rng.below(present.len())));
    }
    chosen
}

/// Reduces a case and the result again; says what is left.
fn reduced(case: &Case, spoken: Spoken, bug: &[&str]) -> Case {
    let mut fails = |c: &Case| {
        let all = text(c);
        bug.iter().all(|word| all.contains(word))
    };
    let (small, stats) = reduce_counted(case, spoken, Budget::default(), &mut fails);
    assert!(fails(&small), "{bug:?} is lost:\n{}", text(&small));
    assert!(stats.complete, "{bug:?} took more than the budget: {stats:?}");
    let (again, more) = reduce_counted(&small, spoken, Budget::default(), &mut fails);
    assert_eq!(text(&again), text(&small), "{bug:?} can be reduced again, {more:?}, from\n{}", text(case));
    small
}

// ---------------------------------------------------------------- SQL

const SQL_WORDS: &[&str] = &[
    "LEFT JOIN",
    "RIGHT JOIN",
    "NATURAL",
    "USING",
    "GROUP BY",
    "HAVING",
    "DISTINCT",
    "UNION",
    "EXCEPT",
    "VALUES (",
    "BETWEEN",
    " IN (",
    "CASE",
    "COLLATE",
    "INDEX",
    "VIEW",
    "UPDATE",
    "DELETE",
    "UNIQUE",
    "CHECK",
    " LIKE ",
    "EXISTS",
    "count(",
    "sum(",
    "OVER",
    "LIMIT",
    "ORDER BY",
    "CAST(",
    "WITH ",
    "NOT NULL",
    "PRIMARY KEY",
    " AS (",
    "||",
    " + ",
    "REPLACE",
    "ALTER",
    "IS NULL",
];

/// What SQLite may say to a statement that is valid: it is the data that it does not like.
const ABOUT_DATA: &[&str] = &["constraint failed", "integer overflow", "datatype mismatch", "cannot store"];

pub fn sql_state(rng: &mut Rng, profile: &Profile, session: &mut dyn Session) -> State {
    session.reset().unwrap();
    let mut state = State::new(profile.dialect, rng);
    let mut builder = Builder { rng, profile, shape: shape(Size::Medium), used: Default::default() };
    let mut run = |statement, state: &mut State| {
        let printed = qualm::lang::sql::print::statement(&statement, profile.dialect);
        if session.run(&printed).is_ok() {
            state.accept(statement, profile);
        }
    };
    for _ in 0..2 {
        let table = builder.create_table(&mut state);
        run(table, &mut state);
    }
    for at in 0..state.tables.len() {
        let table = state.tables[at].clone();
        let insert = builder.insert_into(&table, 3, &state);
        run(insert, &mut state);
    }
    for _ in 0..6 {
        for change in builder.change(&mut state) {
            run(change, &mut state);
        }
    }
    state
}

fn is_valid_sql(case: &Case, session: &mut dyn Session) {
    session.reset().unwrap();
    for step in &case.script {
        if let Outcome::Rejected(r) = session.run(&step.text) {
            // An endless recursion is valid as well.
            let limit = r.class == RejectionClass::Limit;
            let valid = limit || ABOUT_DATA.iter().any(|words| r.text.contains(words));
            assert!(valid, "{}: SQLite says '{}' to '{}' of\n{}", case.oracle, r.text, step.text, text(case));
        }
    }
}

#[test]
fn sql_cases_are_reduced_to_the_end_and_stay_sql() {
    let engine = engine::connect("sqlite").unwrap();
    let mut session = engine.open().unwrap();
    let dialect: &'static Dialect = engine.sql().unwrap();
    let profile = Profile::probe(dialect, session.as_mut()).unwrap();
    let mut rng = Rng::new(11);
    let mut reductions = 0;
    for _ in 0..12 {
        let state = sql_state(&mut rng, &profile, session.as_mut());
        for oracle in oracle::ORACLES.iter().filter(|o| !o.name.starts_with("config")) {
            let mut generator = Generator::new(&mut rng, &profile, &state.schema, &state.pool, shape(Size::Medium));
            let Some(question) = (oracle.propose)(&mut generator) else { continue };
            let source = SqlSource { oracle: oracle.name.into(), state: state.statements.clone(), question };
            let Some(case) = oracle::case(&source, dialect, Origin::default()) else { continue };
            if !matches!(case.run(session.as_mut()).verdict, Verdict::Holds { .. }) {
                continue;
            }
            let bug = bug(&case, SQL_WORDS, &mut rng);
            let small = reduced(&case, dialect.into(), &bug);
            is_valid_sql(&small, session.as_mut());
            reductions += 1;
        }
    }
    assert!(reductions > 25, "only {reductions}");
}

// ---------------------------------------------------------------- Datalog

const DATALOG_WORDS: &[&str] = &[
    "!", "not ", "count", "sum", "min", "max", " < ", " <= ", " = ", " != ", "\"", "_", ";", "+", "*", "eqrel",
    "inline",
];

#[test]
fn datalog_cases_are_reduced_to_the_end_and_stay_programs() {
    let mut rng = Rng::new(12);
    let mut reductions = 0;
    for dialect in DATALOG_DIALECTS.iter().cycle().take(4 * DATALOG_DIALECTS.len()) {
        for oracle in oracle::datalog::DATALOG_ORACLES.iter().filter(|o| o.complete.is_none()) {
            let parameters = datalog::parameters(Size::Medium);
            let program = datalog::Generator { rng: &mut rng, dialect, parameters, loose: false }.program();
            let Some(source) = (oracle.propose)(&program, dialect, &[], &mut rng) else { continue };
            let Some(case) = oracle::datalog::case(&source, Origin::default()) else { continue };
            let bug = bug(&case, DATALOG_WORDS, &mut rng);
            let small = reduced(&case, (*dialect).into(), &bug);
            let left: DatalogSource = serde_json::from_value(small.source.clone().unwrap()).unwrap();
            let checked = qualm::lang::datalog::check::program(&left.program, dialect);
            assert!(checked.is_ok(), "{}: {checked:?} of\n{}", dialect.name, text(&small));
            let derived = oracle::datalog::case(&left, Origin::default()).expect("its own source makes the case");
            assert_eq!(derived.script, small.script);
            reductions += 1;
        }
    }
    assert!(reductions > 12, "only {reductions}");
}

// ---------------------------------------------------------------- graphs

const GRAPH_WORDS: &[&str] = &[
    "OPTIONAL",
    "WHERE",
    "NOT ",
    " IN ",
    "STARTS WITH",
    "count(",
    "ORDER BY",
    "SET ",
    "DELETE",
    "INDEX",
    "UNWIND",
    "WITH ",
    "DISTINCT",
    "CASE",
    " AND ",
    " OR ",
    "IS NULL",
    "MERGE",
    "[:",
    "*",
    ".has(",
    ".out",
    ".not(",
    ".dedup",
    ".count",
    "property(",
];

#[test]
fn graph_cases_are_reduced_to_the_end_and_stay_questions() {
    static BY_USE: GraphDialect = GraphDialect { relationships_by_use: true, ..OPENCYPHER };
    static CYPHER: GraphDialect = OPENCYPHER;
    static STEPS: GraphDialect = GREMLIN;
    let mut rng = Rng::new(13);
    let missing = Default::default();
    let mut reductions = 0;
    for dialect in [&CYPHER, &BY_USE, &STEPS] {
        for oracle in oracle::graph::GRAPH_ORACLES.iter().cycle().take(8 * oracle::graph::GRAPH_ORACLES.len()) {
            let model = metamodel::metamodel(dialect, &mut rng);
            let state = States::new(dialect, &model, &missing, false, &mut rng).all(Size::Small);
            let mut generator = express::Generator::new(dialect, &model, &missing, false, &mut rng);
            let Some(question) = (oracle.propose)(&mut generator, &state) else { continue };
            let (oracle_name, dialect_name) = (oracle.name.into(), dialect.name.into());
            let source =
                GraphSource { oracle: oracle_name, dialect: dialect_name, model, state, question, alone: None };
            let Some(case) = oracle::graph::case(&source, dialect, Origin::default()) else { continue };
            let bug = bug(&case, GRAPH_WORDS, &mut rng);
            let small = reduced(&case, dialect.into(), &bug);
            let left: GraphSource = serde_json::from_value(small.source.clone().unwrap()).unwrap();
            let setting = Setting { model: &left.model, state: &left.state, dialect };
            // These two ask for more than the query itself, and check what they ask.
            let adds_queries = ["refine", "nonempty"].contains(&oracle.name);
            let sound = adds_queries || setting.is_sound(&left.question.query, &left.question);
            assert!(sound, "{} {}: no question any more:\n{}", dialect.name, oracle.name, text(&small));
            let derived =
                oracle::graph::case(&left, dialect, Origin::default()).expect("its own source makes the case");
            assert_eq!(derived.script, small.script);
            reductions += 1;
        }
    }
    assert!(reductions > 20, "only {reductions}");
}
