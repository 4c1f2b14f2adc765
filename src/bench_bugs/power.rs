//! Oracle power: every claim that our oracles can make of a bug's statements, tried on both releases.

use super::corpus::{self, Bug};
use super::variants::{parts, variants};
use super::{Releases, Row, Try, plain};
use qualm_core::case::{CASE_FORMAT, Case, Origin, Step};
use qualm_core::dialect::sql::Dialect;
use qualm_core::fault::Fault;
use qualm_core::knobs::Knob;
use qualm_core::relation::{Equality, Order, Relation, Verdict};
use qualm_core::session::{Outcome, Spoken};
use qualm_lang::oracle::{self, ORACLES, Setting};
use qualm_lang::sql::ast::{Query, Statement, Update};
use qualm_lang::sql::order;
use qualm_lang::sql::parse::{self, What};
use qualm_lang::sql::typing::{self, Schema};
use qualm_run::isolated::Isolated;
use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

/// A bug's statements as trees, as far as they can be read.
struct Reading {
    state: Vec<Statement>,
    schema: Schema,
    query: Result<Query, String>,
    /// Queries inside the statements of the setup: of views, and of inserts.
    queries: Vec<Query>,
}

pub fn of(bug: &Bug, releases: &Releases) -> Result<Row, Fault> {
    let began = Instant::now();
    let (mut buggy, mut fixed) = (releases.open(&bug.buggy)?, releases.open(&bug.fixed)?);
    let (tries, refused) = match releases.spoken {
        Spoken::Sql(dialect) => sql_tries(bug, dialect, &buggy.knobs),
        Spoken::Graph(dialect) => {
            (plain::graph_tries(bug, dialect.knobs), Some("graph queries are run as they are, not parsed".to_owned()))
        }
        Spoken::Datalog(_) => (Vec::new(), Some("a program is not read, only run".to_owned())),
    };
    let mut row = Row {
        id: bug.id.clone(),
        buggy: bug.buggy.clone(),
        fixed: bug.fixed.clone(),
        reproduced: reproduces(bug, &mut buggy, &mut fixed),
        fires: BTreeMap::new(),
        fires_on_fixed: BTreeMap::new(),
        refused,
        claims: tries.len(),
        seconds: 0.0,
        hunt: None,
    };
    for attempt in tries {
        judge(bug, attempt, &mut buggy, &mut fixed, &mut row);
    }
    row.seconds = began.elapsed().as_secs_f64();
    Ok(row)
}

/// Every claim about a bug of SQL, and why its query is not read as a tree.
fn sql_tries(bug: &Bug, dialect: &'static Dialect, knobs: &[Knob]) -> (Vec<Try>, Option<String>) {
    let reading = Reading::of(bug, dialect);
    let typed =
        reading.query.as_ref().map_err(Clone::clone).and_then(|q| {
            typing::query(q, &reading.schema, dialect).map(|_| ()).map_err(|unsound| unsound.0.to_owned())
        });
    let mut tries = tree_tries(&reading, dialect, knobs);
    tries.extend(change_tries(bug, dialect, knobs));
    let columns = |q| typing::query(q, &reading.schema, dialect).unwrap_or_default();
    let total = reading.query.as_ref().is_ok_and(|q| order::is_by_all(q, &columns(q)));
    tries.extend(plain::tries(bug, knobs, if total { Order::List } else { Order::Bag }));
    (tries, typed.err())
}

/// Tries one claim. Of each oracle the first success is enough.
fn judge(bug: &Bug, attempt: Try, buggy: &mut Isolated, fixed: &mut Isolated, row: &mut Row) {
    if row.fires.contains_key(&attempt.oracle) {
        return;
    }
    let setup = &bug.setup[..attempt.setup.unwrap_or(bug.setup.len())];
    let case = case(bug, setup, &attempt.oracle, attempt.script, attempt.claim);
    if !buggy.run(&case).verdict.is_bug() {
        return;
    }
    match fixed.run(&case).verdict {
        Verdict::Holds { .. } => row.fires.insert(attempt.oracle, attempt.how),
        Verdict::NotComparable { .. } => None,
        Verdict::Violated(_) | Verdict::Slower(_) | Verdict::Broke { .. } => {
            row.fires_on_fixed.insert(attempt.oracle, attempt.how)
        }
    };
}

fn case(bug: &Bug, setup: &[String], oracle: &str, questions: Vec<Step>, claim: Relation) -> Case {
    let mut script: Vec<Step> = setup.iter().map(Step::run).collect();
    script.extend(questions);
    Case {
        format: CASE_FORMAT,
        language: bug.language,
        oracle: oracle.into(),
        rules: Vec::new(),
        script,
        claim,
        source: None,
        origin: Origin::default(),
    }
}

/// Whether the two releases answer as the corpus says.
fn reproduces(bug: &Bug, buggy: &mut Isolated, fixed: &mut Isolated) -> bool {
    has(bug, buggy) == Some(true) && has(bug, fixed) == Some(false)
}

/// Whether a release gives the wrong answer of the corpus, or the right one. Nothing when it gives neither.
pub fn has(bug: &Bug, isolated: &mut Isolated) -> Option<bool> {
    let queries = case(bug, &bug.setup, "survives", vec![Step::query("answer", &bug.query)], Relation::Survives);
    let answers = isolated.run(&queries).answers;
    let [answer @ Outcome::Rows(rows)] = answers.as_slice() else { return None };
    let order = if bug.ordered { Order::List } else { Order::Bag };
    let is = |expected: &[Vec<qualm_core::value::Value>]| {
        let expected = Outcome::Rows(corpus::as_rows(expected, rows.columns));
        let same = Relation::Same { left: 0, right: 1, order, equality: Equality::Exact };
        matches!(same.judge(&[expected, answer.clone()]), Verdict::Holds { .. })
    };
    match (is(&bug.wrong), is(&bug.right)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

// ---------------------------------------------------------------- as trees

impl Reading {
    fn of(bug: &Bug, dialect: &'static Dialect) -> Reading {
        let ended = |text: &String| format!("{};\n", text.trim_end().trim_end_matches(';'));
        let script: String = bug.setup.iter().chain([&bug.query]).map(ended).collect();
        let (mut state, mut schema) = (Vec::new(), Schema::in_dialect(dialect));
        let mut query = Err("there is no query".to_owned());
        for parsed in parse::script(&script, dialect) {
            match parsed.what {
                What::Statement(statement) if schema.apply(&statement, dialect).is_ok() => state.push(statement),
                What::Query(q) => query = Ok(q),
                // What cannot be read is run all the same; a query about what it made is refused by typing.
                What::Statement(_) => {}
                What::Unread(why) => query = Err(why),
            }
        }
        let queries = queries(&bug.setup, &state, &schema, dialect);
        Reading { state, schema, query, queries }
    }
}

fn queries(setup: &[String], state: &[Statement], schema: &Schema, dialect: &'static Dialect) -> Vec<Query> {
    let views = state.iter().filter_map(|s| match s {
        Statement::CreateView(view) => Some(view.query.clone()),
        _ => None,
    });
    let inserted = setup.iter().filter_map(|text| {
        let at = text.to_ascii_uppercase().find("SELECT").filter(|at| *at > 0)?;
        let What::Query(mut query) = parse::one(text[at..].trim_end().trim_end_matches(';'), dialect) else {
            return None;
        };
        parse::qualify(&mut query, schema).is_ok().then_some(query)
    });
    views.chain(inserted).collect()
}

/// Claims about the rows that an UPDATE or DELETE of the setup takes, in the state before it: there SELECT with the
/// same condition shows them.
fn change_tries(bug: &Bug, dialect: &'static Dialect, knobs: &[Knob]) -> Vec<Try> {
    let mut tries = Vec::new();
    for (at, text) in bug.setup.iter().enumerate() {
        let What::Statement(
            Statement::Update(Update { table, filter: Some(filter), .. })
            | Statement::Delete { table, filter: Some(filter) },
        ) = parse::one(text, dialect)
        else {
            continue;
        };
        let before = Bug { setup: bug.setup[..at].to_vec(), query: format!("SELECT * FROM {table}"), ..bug.clone() };
        let mut reading = Reading::of(&before, dialect);
        reading.queries.clear();
        let Ok(query) = &mut reading.query else { continue };
        let Some(select) = query.select_mut() else { continue };
        select.filter = Some(filter);
        if parse::qualify(query, &reading.schema).is_ok() {
            let made = tree_tries(&reading, dialect, knobs);
            let how = |t: &Try| format!("{} (of statement {})", t.how, at + 1);
            tries.extend(made.into_iter().map(|t| Try { how: how(&t), setup: Some(at), ..t }));
        }
    }
    tries
}

fn tree_tries(reading: &Reading, dialect: &'static Dialect, knobs: &[Knob]) -> Vec<Try> {
    let setting = Setting { state: &reading.state, schema: &reading.schema, dialect };
    // What the setup asks is as much a part of the bug as its query.
    let queries = reading.query.iter().chain(&reading.queries);
    let queries: Vec<Query> = queries.flat_map(|q| parts(q, &reading.schema)).collect();
    let mut tries = Vec::new();
    // Whether an answer comes in time is no matter of right and wrong.
    for oracle in ORACLES.iter().filter(|o| !o.needs.times) {
        let prepared: Vec<Step> = (oracle.prepare)(&setting).into_iter().map(Step::run).collect();
        let mut seen = HashSet::new();
        for question in variants(oracle, &queries, &setting, knobs) {
            let Some(derived) = oracle::derive(oracle, &question, &setting) else { continue };
            // Several places of a rule may be one.
            if !seen.insert(format!("{derived:?}")) {
                continue;
            }
            let rules: Vec<&str> = question.rewrites.iter().map(|r| r.rule.as_str()).collect();
            let flips: Vec<&str> = question.flips.iter().map(|f| f.knob.as_str()).collect();
            let how = match (rules.is_empty(), flips.as_slice()) {
                (true, []) => question.form.to_string(),
                (true, [one]) => format!("{} {one}", question.form),
                (true, _) => format!("{} {} settings", question.form, flips.len()),
                (false, _) => rules.join("+"),
            };
            let script = prepared.iter().cloned().chain(derived.script).collect();
            tries.push(Try { oracle: oracle.name.into(), how, script, claim: derived.claim, setup: None });
        }
    }
    tries
}
