//! The worked example of docs/adding-an-oracle.md: an oracle written from outside, as a contributor would begin, and
//! the tests that the page asks for. It is not in the table of oracles; the page shows its code.
//!
//! Claim: a row is kept by `WHERE p` exactly if `CASE WHEN p THEN 1 ELSE 0 END` is 1 for it. The optimiser sees through
//! the first and hardly through the second.
//!
//! ```sql
//! SELECT a FROM t WHERE NOT a > 1;
//! SELECT a FROM t WHERE CASE WHEN NOT a > 1 THEN 1 ELSE 0 END = 1;      -- the same rows
//! ```

use super::reducer::sql_state;
use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::engine;
use qualm::explore::Size;
use qualm::lang::sql::ast::*;
use qualm::lang::sql::generate::{Generator, shape};
use qualm::lang::sql::parse::{self, What};
use qualm::lang::sql::profile::Profile;
use qualm::lang::sql::schema::Schema;
use qualm::lang::sql::{print, typing};
use qualm::oracle::{Derived, OracleSpec, PLAIN, Setting, equality};
use qualm::relation::{Order, Relation, Verdict};
use qualm::rng::Rng;

const SPEC: OracleSpec = OracleSpec {
    name: "case-filter",
    claim: "WHERE keeps the rows for which a CASE over its predicate says so",
    example: "SELECT a FROM t WHERE p  =  SELECT a FROM t WHERE CASE WHEN p THEN 1 ELSE 0 END = 1",
    weight: 2,
    scout: 1,
    propose,
    derive,
    ..PLAIN
};

fn propose(g: &mut Generator) -> Option<Question> {
    let from = g.outer_from(g.shape.from);
    let predicate = g.predicate(g.shape.depth);
    let items = g.items(3);
    g.scope.clear();
    let query = Query::of(Select { items, from, ..Select::default() });
    Some(Question { predicate: Some(predicate), ..Question::of(query, "rows") })
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let (p, select) = (q.predicate.as_ref()?, q.query.select()?);
    // The reducer asks about questions that `propose` never made: each thing that the claim needs is looked at.
    if q.text.is_some() || select.filter.is_some() || select.from.is_empty() || q.query.limit.is_some() {
        return None;
    }
    typing::predicate(p, select, &q.query.with, at.schema, at.dialect).ok()?;
    let where_says = |condition: Expr| {
        let mut query = q.query.clone();
        query.select_mut()?.filter = Some(condition);
        Some(query)
    };
    let arms = vec![(p.clone(), Expr::int(1))];
    let by_case = Expr::Case { operand: None, arms, otherwise: Some(Box::new(Expr::int(0))) };
    let plain = where_says(p.clone())?;
    let hidden = where_says(Expr::Binary(Binary::Eq, Box::new(by_case), Box::new(Expr::int(1))))?;
    // Both results must be determined; how values are compared follows from what is known of the columns.
    let columns = typing::query(&plain, at.schema, at.dialect).ok()?;
    typing::query(&hidden, at.schema, at.dialect).ok()?;
    if columns.is_empty() {
        return None;
    }
    let script = vec![
        Step::query("as it is", print::query(&plain, at.dialect)),
        Step::query("by a CASE", print::query(&hidden, at.dialect)),
    ];
    let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: equality(&columns) };
    Some(Derived { script, claim })
}

const TABLE: &str = "CREATE TABLE t(a INT);";

/// What `derive` makes of a query and a predicate over the table.
fn derived(query: &str, predicate: &str) -> Option<Vec<String>> {
    let engine = engine::connect("sqlite").unwrap();
    let dialect = engine.sql().unwrap();
    let read = |text: &str| parse::script(&format!("{TABLE}{text};"), dialect).into_iter().map(|p| p.what);
    let state: Vec<Statement> =
        read("").filter_map(|w| if let What::Statement(s) = w { Some(s) } else { None }).collect();
    let last = |text: &str| match read(text).last() {
        Some(What::Query(q)) => q,
        _ => panic!("'{text}' is not read"),
    };
    let predicate = last(&format!("SELECT a FROM t WHERE {predicate}")).select().unwrap().filter.clone();
    let question = Question { predicate, ..Question::of(last(query), "rows") };
    let schema = Schema::from_state(&state, dialect).unwrap();
    let made = (SPEC.derive)(&question, &Setting { state: &state, schema: &schema, dialect })?;
    Some(made.script.into_iter().map(|s| s.text).collect())
}

#[test]
fn the_example_gives_the_two_queries_and_what_is_unsound_is_refused() {
    assert_eq!(
        derived("SELECT a FROM t", "NOT a > 1").unwrap(),
        [
            "SELECT t.a FROM t WHERE NOT (t.a > 1)",
            "SELECT t.a FROM t WHERE (CASE WHEN (NOT (t.a > 1)) THEN 1 ELSE 0 END) = 1"
        ]
    );
    assert_eq!(derived("SELECT a FROM t WHERE a = 1", "a > 1"), None);
    assert_eq!(derived("SELECT a FROM t LIMIT 1", "a > 1"), None);
    assert_eq!(derived("SELECT a FROM t", "a > (SELECT a FROM t)"), None);
}

/// Random questions on an engine: how many claims said something and held, and how many were violated.
fn hunted(engine: &str) -> (u32, u32) {
    let engine = engine::connect(engine).unwrap();
    let mut session = engine.open().unwrap();
    let profile = Profile::probe(engine.sql().unwrap(), session.as_mut()).unwrap();
    let (mut rng, mut held, mut violated) = (Rng::new(5), 0, 0);
    for _ in 0..40 {
        let state = sql_state(&mut rng, &profile, session.as_mut());
        let setting = Setting { state: &state.statements, schema: &state.schema, dialect: profile.dialect };
        for _ in 0..20 {
            let mut generator = Generator::new(&mut rng, &profile, &state.schema, &state.pool, shape(Size::Medium));
            let Some(question) = (SPEC.propose)(&mut generator) else { continue };
            let Some(Derived { script, claim }) = (SPEC.derive)(&question, &setting) else { continue };
            let built = state.statements.iter().map(|s| Step::run(print::statement(s, profile.dialect)));
            let case = Case {
                format: CASE_FORMAT,
                language: Language::Sql,
                oracle: SPEC.name.into(),
                rules: Vec::new(),
                script: built.chain(script).collect(),
                claim,
                source: None,
                origin: Origin::default(),
            };
            match case.run(session.as_mut()).verdict {
                Verdict::Holds { vacuous: false } => held += 1,
                Verdict::Violated(_) => violated += 1,
                _ => {}
            }
        }
    }
    (held, violated)
}

#[test]
fn it_holds_on_sqlite_and_finds_a_planted_bug() {
    let (held, violated) = hunted("sqlite");
    assert!(held > 100 && violated == 0, "{held} held, {violated} violated");
    let (_, violated) = hunted("canary:not-null");
    assert!(violated > 0, "WHERE NOT p that also returns the unknown rows is not seen");
}
