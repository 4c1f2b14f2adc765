//! Questions whose first answer is empty, turned round so that they are about rows that are there.

use crate::oracle::{Derived, OracleSpec};
use crate::sql::ast::{Expr, Question, Unary};

/// How often a condition that no row meets is turned round: to false, then to unknown.
pub(super) const MOST: u32 = 2;

/// The question about the rows that its condition leaves out: the predicate, or what the query itself selects by.
pub(super) fn turned(question: &Question, by_predicate: bool) -> Option<Question> {
    let mut other = question.clone();
    let own = other.query.select_mut().map(|s| &mut s.filter).filter(|f| f.is_some());
    let condition = match own {
        Some(filter) if question.predicate.is_none() || !by_predicate => filter,
        _ => &mut other.predicate,
    };
    *condition = Some(turn(condition.take()?));
    Some(other)
}

/// The text that is run first.
pub(super) fn first<'a>(oracle: &OracleSpec, derived: &'a Derived) -> Option<&'a str> {
    derived.script.get(derived.claim.facts_first() + oracle.scout).map(|step| step.text.as_str())
}

fn turn(p: Expr) -> Expr {
    match p {
        Expr::Unary(Unary::Not, p) => p.is_null(),
        p => p.negate(),
    }
}
