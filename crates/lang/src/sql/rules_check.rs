//! Is a user's rule sound? It is applied to random queries over random states, and to seeds, in an engine that is
//! trusted. An answer that changes is the rule's fault; the case is made small and shown.

use super::ast::*;
use super::generate::{Generator, shape};
use super::profile::{Profile, Used};
use super::rules_file::{Precondition, UserRule};
use super::seeds::Seed;
use super::state::{Builder, State};
use super::{print, typing};
use crate::oracle::{Setting, contain, equality};
use crate::user_rules::Checked;
use qualm_core::explore::Size;
use qualm_core::relation::{Order, Relation, Verdict};
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, Session};
use qualm_core::value::Value;

/// Databases tried for one rule, questions asked of each, and judged answers that suffice.
const DATABASES: u64 = 200;
const QUESTIONS: u32 = 60;
const ENOUGH: u64 = 3_000;

/// A query, what the rule makes of it, and how to compare.
struct Pair {
    query: String,
    rewritten: String,
    precondition: Option<Precondition>,
    relation: Relation,
}

enum Judged {
    Holds,
    Nothing,
    KeptOut,
    Refused(String),
    Violated(String),
}

pub fn check(
    rule: &UserRule,
    seeds: &[Seed],
    profile: &Profile,
    session: &mut dyn Session,
    seed: u64,
) -> Result<Checked, String> {
    let mut checked = Checked::default();
    for database in 0..DATABASES {
        let mut rng = Rng::stream(seed, database);
        session.reset()?;
        let from_seed = if seeds.is_empty() || database % 2 == 0 { None } else { Some(rng.pick(seeds)) };
        let state = build(from_seed, &mut rng, profile, session);
        let queries: &[Query] = from_seed.map_or(&[], |s| &s.queries);
        for _ in 0..QUESTIONS {
            let Some(pair) = propose(rule, &state, queries, &mut rng, profile) else { continue };
            checked.applied += 1;
            match judge(&pair, session) {
                Judged::Holds => checked.judged += 1,
                Judged::Nothing => {}
                Judged::KeptOut => checked.kept_out += 1,
                Judged::Refused(why) => checked.refused = checked.refused.or(Some(why)),
                Judged::Violated(_) => {
                    checked.counterexample = Some(counterexample(rule, &state, &pair, profile, session)?);
                    return Ok(checked);
                }
            }
        }
        if checked.judged >= ENOUGH {
            break;
        }
    }
    Ok(checked)
}

/// A state in the engine: the seed's, or a random one.
fn build(seed: Option<&Seed>, rng: &mut Rng, profile: &Profile, session: &mut dyn Session) -> State {
    let mut state = State::new(profile.dialect, rng);
    let mut take = |statement: Statement, state: &mut State| {
        if session.run(&print::statement(&statement, profile.dialect)).is_ok() {
            state.accept(statement, profile);
        }
    };
    if let Some(seed) = seed {
        seed.state.iter().cloned().for_each(|s| take(s, &mut state));
        return state;
    }
    let shape = shape(Size::Medium);
    let mut builder = Builder { rng, profile, shape, used: Used::default() };
    for _ in 0..builder.rng.range(1, 3) {
        let table = builder.create_table(&mut state);
        take(table, &mut state);
    }
    for table in state.tables.clone() {
        let rows = builder.rng.range(1, 6);
        let insert = builder.insert_into(&table, rows, &state);
        take(insert, &mut state);
    }
    for _ in 0..3 {
        for change in builder.change(&mut state) {
            take(change, &mut state);
        }
    }
    state
}

/// A query that the rule fits, rewritten in one place; nothing where the answer would not be determined.
fn propose(rule: &UserRule, state: &State, queries: &[Query], rng: &mut Rng, profile: &Profile) -> Option<Pair> {
    if state.tables.is_empty() {
        return None;
    }
    let dialect = profile.dialect;
    let mut g = Generator::new(rng, profile, &state.schema, &state.pool, shape(Size::Medium));
    g.collations = state.collations;
    g.seed_queries = queries;
    if !rule.text.relation.is_same() {
        return contained(rule, state, &mut g);
    }
    let query = if rule.text.over != Over::Table && g.rng.coin() { rule.query(&mut g)? } else { g.query() };
    let columns = typing::query(&query, &state.schema, dialect).ok()?;
    let sites = rule.sites(&query, &state.schema);
    let mut rewritten = query.clone();
    let applied = (sites > 0).then(|| rule.apply(g.rng.below(sites), &mut rewritten)).flatten()?;
    typing::query(&rewritten, &state.schema, dialect).ok()?;
    let order = if query.limit.is_some() { Order::List } else { Order::Bag };
    Some(Pair {
        query: print::query(&query, dialect),
        rewritten: print::query(&rewritten, dialect),
        precondition: applied.precondition,
        relation: Relation::Same { left: 0, right: 1, order, equality: equality(&columns) },
    })
}

/// The same for a rule that makes a query weaker or stricter, as the oracle would ask.
fn contained(rule: &UserRule, state: &State, g: &mut Generator) -> Option<Pair> {
    let question = contain::user::propose(rule, g)?;
    let setting = Setting { state: &state.statements, schema: &state.schema, dialect: rule.dialect() };
    let derived = contain::derive(&question, &setting)?;
    let (relation, guards) = match derived.claim {
        Relation::Guarded { guards, claim } => (*claim, guards.len()),
        claim => (claim, 0),
    };
    // With a precondition both queries stand behind it.
    let [asked @ .., big, small] = derived.script.as_slice() else { return None };
    let precondition = asked.iter().take(guards).map(|s| Precondition { sql: s.text.clone(), expect: 0 }).next();
    let Relation::Contains { order, equality, .. } = relation else { return None };
    let relation = Relation::Contains { big: 0, small: 1, order, equality };
    Some(Pair { query: big.text.clone(), rewritten: small.text.clone(), precondition, relation })
}

fn judge(pair: &Pair, session: &mut dyn Session) -> Judged {
    if let Some(asked) = &pair.precondition {
        match session.run(&asked.sql) {
            Outcome::Rows(rows) if rows.scalar() == Some(&Value::Int(asked.expect)) => {}
            Outcome::Rejected(r) => return Judged::Refused(format!("{}: {}", r.text, asked.sql)),
            _ => return Judged::KeptOut,
        }
    }
    let answers = [session.run(&pair.query), session.run(&pair.rewritten)];
    if let [Outcome::Rows(_), Outcome::Rejected(r)] = &answers {
        return Judged::Refused(format!("{}: {}", r.text, pair.rewritten));
    }
    match pair.relation.judge(&answers) {
        Verdict::Holds { vacuous: false } => Judged::Holds,
        Verdict::Violated(d) => {
            let rows = |n| qualm_core::words::counted(n, "row");
            let (first, second) = match pair.relation {
                Relation::Contains { .. } => ("in the weaker query", "in the stricter one"),
                _ => ("as it is", "rewritten"),
            };
            Judged::Violated(format!("-- {} {first}, {} {second}", rows(d.left_rows), rows(d.right_rows)))
        }
        _ => Judged::Nothing,
    }
}

// ---------------------------------------------------------------- counterexamples

/// The state cut down while the answers still differ, then both queries: a script to paste into a shell.
fn counterexample(
    rule: &UserRule,
    state: &State,
    pair: &Pair,
    profile: &Profile,
    session: &mut dyn Session,
) -> Result<String, String> {
    let mut statements = state.statements.clone();
    let mut note = differs(&statements, pair, profile, session)?.unwrap_or_default();
    for at in (0..statements.len()).rev() {
        let mut fewer = statements.clone();
        fewer.remove(at);
        if let Some(still) = differs(&fewer, pair, profile, session)? {
            (statements, note) = (fewer, still);
            continue;
        }
        let rows = match &statements[at] {
            Statement::Insert(i) => i.rows.len(),
            _ => 0,
        };
        for row in (0..rows).rev() {
            let mut fewer = statements.clone();
            if let Statement::Insert(i) = &mut fewer[at] {
                i.rows.remove(row);
            }
            if let Some(still) = differs(&fewer, pair, profile, session)? {
                (statements, note) = (fewer, still);
            }
        }
    }
    let mut script = format!("-- rule '{}': {} becomes {}\n", rule.name, rule.text.pattern, rule.text.replacement);
    for statement in &statements {
        script.push_str(&format!("{};\n", print::statement(statement, profile.dialect)));
    }
    if let Some(asked) = &pair.precondition {
        script.push_str(&format!("{}; -- {}, as the precondition wants\n", asked.sql, asked.expect));
    }
    script.push_str(&format!("{};\n{};\n{note}\n", pair.query, pair.rewritten));
    Ok(script)
}

/// Whether the answers differ in this state, and how.
fn differs(
    statements: &[Statement],
    pair: &Pair,
    profile: &Profile,
    session: &mut dyn Session,
) -> Result<Option<String>, String> {
    session.reset()?;
    let full = statements.iter().all(|s| {
        let empty = matches!(s, Statement::Insert(i) if i.rows.is_empty() && i.source.is_none());
        !empty && session.run(&print::statement(s, profile.dialect)).is_ok()
    });
    Ok(match judge(pair, session) {
        Judged::Violated(note) if full => Some(note),
        _ => None,
    })
}
