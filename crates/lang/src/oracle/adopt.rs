//! Questions about a query that someone else wrote, for the oracles that need its tree: its own WHERE or HAVING is the
//! predicate to split or to count by, its expressions are rewritten, its tables mutated.

use super::{Derived, OracleSpec, Setting, eet, index, norec, tlp};
use crate::sql::ast::*;
use crate::sql::generate::Generator;

/// Rewrites and mutations tried of one query.
const SAMPLES: usize = 8;
/// Proposals that are made to get them; some are about other queries or fit nowhere.
const TRIES: usize = 24;

/// The questions of this oracle about the query; `g` has it as its only seed query.
pub fn questions(oracle: &OracleSpec, query: &Query, g: &mut Generator) -> Vec<Question> {
    match oracle.adopt {
        Some(adopt) => adopt(query, g),
        None => proposals(oracle, query, g),
    }
}

pub fn question(query: Query, predicate: Option<Expr>, form: &str) -> Question {
    Question { predicate, ..Question::of(query, form) }
}

/// The query in each form of an oracle whose forms need nothing else.
pub fn each_form(query: &Query, forms: &[&str]) -> Vec<Question> {
    forms.iter().map(|form| Question::of(query.clone(), form)).collect()
}

/// The query in one of these forms, among those in which the oracle claims something about it.
pub fn some_form(
    query: Query,
    forms: &[&str],
    derive: fn(&Question, &Setting) -> Option<Derived>,
    g: &mut Generator,
) -> Option<Question> {
    let at = Setting { state: g.state, schema: g.schema, dialect: g.dialect() };
    // The first that fits in a random order: each is as likely as if all had been tried, which costs more.
    let mut forms = forms.to_vec();
    g.rng.shuffle(&mut forms);
    let mut question = Question::of(query, "");
    let fits = forms.into_iter().any(|form| {
        question.form = form.into();
        derive(&question, &at).is_some()
    });
    fits.then_some(question)
}

/// The query without its WHERE, and the WHERE.
fn unfiltered(query: &Query) -> Option<(Query, Expr)> {
    let mut query = query.clone();
    let predicate = query.select_mut()?.filter.take()?;
    Some((query, predicate))
}

pub fn norec_questions(query: &Query, _: &mut Generator) -> Vec<Question> {
    let Some((query, predicate)) = unfiltered(query) else { return Vec::new() };
    let forms = [norec::ROWS, norec::ROWS_TRUTH, norec::COUNT];
    forms.iter().map(|form| question(query.clone(), Some(predicate.clone()), form)).collect()
}

pub fn tlp_questions(query: &Query, _: &mut Generator) -> Vec<Question> {
    let mut found = Vec::new();
    if let Some((query, predicate)) = unfiltered(query) {
        let forms = [tlp::WHERE, tlp::DISTINCT, tlp::AGGREGATE];
        found.extend(forms.iter().map(|form| question(query.clone(), Some(predicate.clone()), form)));
    }
    let mut ungated = query.clone();
    if let Some(having) = ungated.select_mut().and_then(|s| s.having.take()) {
        found.push(question(ungated, Some(having), tlp::HAVING));
    }
    found
}

pub fn index_questions(query: &Query, _: &mut Generator) -> Vec<Question> {
    [index::ROWS, index::ORDER].iter().map(|form| question(query.clone(), None, form)).collect()
}

pub fn eet_questions(query: &Query, g: &mut Generator) -> Vec<Question> {
    let mut all = eet::every_rewrite(query, g.dialect());
    g.rng.shuffle(&mut all);
    let one = |rewrite: Rewrite| Question { rewrites: vec![rewrite], ..question(query.clone(), None, "rewrite") };
    all.into_iter().take(SAMPLES).map(one).collect()
}

fn proposals(oracle: &OracleSpec, query: &Query, g: &mut Generator) -> Vec<Question> {
    let made = (0..TRIES).filter_map(|_| (oracle.propose)(g)).filter(|q| q.query == *query && q.text.is_none());
    made.take(SAMPLES).collect()
}
