//! What the printer writes, the parser reads: random states and queries go to text and back.

use qualm::dialect::Dialect;
use qualm::engine::sqlite::dialect::SQLITE;
use qualm::explore::Size;
use qualm::lang::sql::ast::{Binary, ColumnDef, Expr, Literal, Statement};
use qualm::lang::sql::generate::{Generator, shape};
use qualm::lang::sql::parse::{self, What};
use qualm::lang::sql::profile::Profile;
use qualm::lang::sql::state::{Builder, State};
use qualm::lang::sql::walk::{self, Tree};
use qualm::lang::sql::{print, typing};
use qualm::rng::Rng;

const DIALECT: &Dialect = &SQLITE;

fn random_state(rng: &mut Rng, profile: &Profile) -> State {
    let shape = shape(Size::Large);
    let mut state = State::new(profile.dialect, rng);
    let mut builder = Builder { rng, profile, shape, used: 0 };
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
        if let Some(change) = builder.change(&mut state) {
            state.accept(change, profile);
        }
    }
    state
}

/// What is known of values comes from the generator there and from the data here, so it is not compared.
fn without_knowledge(statement: &Statement) -> Statement {
    let forget = |c: &mut ColumnDef| {
        c.exact = false;
        c.summable = false;
    };
    let mut statement = statement.clone();
    plain_is(&mut statement);
    match &mut statement {
        Statement::CreateTable(t) => t.columns.iter_mut().for_each(forget),
        Statement::AddColumn { column, .. } => forget(column),
        _ => {}
    }
    statement
}

/// `x IS NULL` and `x IS TRUE` are one text for two trees; the parser gives the narrower one.
fn plain_is(tree: &mut impl Tree) {
    walk::each_expr_mut(tree, &mut |e| {
        let Expr::Binary(op @ (Binary::Is | Binary::IsNot), left, right) = e else { return };
        let negated = *op == Binary::IsNot;
        let expr = left.clone();
        *e = match **right {
            Expr::Literal(Literal::Null) => Expr::IsNull { expr, negated },
            Expr::Literal(Literal::Bool(test)) => Expr::IsTruth { expr, test, negated },
            _ => return,
        };
    });
}

#[test]
fn random_states_are_read_back() {
    let profile = Profile::full(DIALECT);
    let mut failures = Vec::new();
    let mut statements = 0;
    for seed in 1..200 {
        let state = random_state(&mut Rng::new(seed), &profile);
        let script: Vec<String> = state.statements.iter().map(|s| print::statement(s, DIALECT)).collect();
        let parsed = parse::script(&script.join(";\n"), DIALECT);
        assert_eq!(parsed.len(), script.len());
        for (statement, back) in state.statements.iter().zip(&parsed) {
            statements += 1;
            let same = match &back.what {
                What::Statement(s) => without_knowledge(s) == without_knowledge(statement),
                _ => false,
            };
            if !same {
                failures.push(format!("{}\n  {:?}\n  {statement:?}", back.text, back.what));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {statements}:\n{}",
        failures.len(),
        failures[..failures.len().min(5)].join("\n")
    );
    assert!(statements > 1000);
}

#[test]
fn random_queries_are_read_back() {
    let profile = Profile::full(DIALECT);
    let (mut failures, mut queries) = (Vec::new(), 0);
    for seed in 1..200 {
        let mut rng = Rng::new(seed);
        let state = random_state(&mut rng, &profile);
        for _ in 0..20 {
            let mut generator = Generator::new(&mut rng, &profile, &state.schema, &state.pool, shape(Size::Large));
            let mut query = generator.query();
            if typing::query(&query, &state.schema, DIALECT).is_err() {
                continue;
            }
            queries += 1;
            let text = print::query(&query, DIALECT);
            plain_is(&mut query);
            let mut back = parse::one(&text, DIALECT);
            if let What::Query(q) = &mut back
                && let Err(why) = parse::qualify(q, &state.schema)
            {
                back = What::Unread(why);
            }
            if back != What::Query(query.clone()) {
                failures.push(format!("{text}\n  {back:?}\n  {query:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {queries}:\n{}", failures.len(), failures[..failures.len().min(5)].join("\n"));
    assert!(queries > 1000);
}
