//! What a traversal can say of a filter: tests of single properties against values, put together by steps. The printer
//! has no words for anything else, and what is left out would be a wider question.

use crate::graph::ast::*;
use qualm_core::dialect::graph::{Feature, GraphDialect};

pub fn can_say(query: &Query, dialect: &GraphDialect, disputed: bool) -> bool {
    let rules = Rules {
        negates: dialect.may_use(Feature::NotStep, disputed),
        nests: dialect.may_use(Feature::NestedFilters, disputed),
        composes: dialect.may_use(Feature::PredicateNot, disputed),
    };
    let filters = query.clauses.iter().all(|c| match c {
        Clause::Match { filter, .. } | Clause::With { filter } => filter.as_ref().is_none_or(|f| rules.step(f)),
        Clause::Unwind { .. } | Clause::Call { .. } => true,
    });
    let end = end(query);
    let items = match query.items.as_slice() {
        [Expr::Aggregate(Fold::Count, false, None)] => true,
        // `values` gives nothing where the property is missing, `by` of an earlier element gives NULL.
        [Expr::Property(v, _)] => Some(v.as_str()) == end,
        all => all.iter().all(|e| matches!(e, Expr::Var(_))),
    };
    let selects = dialect.may_use(Feature::Select, disputed);
    let used: Vec<String> = super::expressions(query).into_iter().flat_map(super::used).collect();
    filters && items && (selects || used.iter().all(|v| Some(v.as_str()) == end))
}

/// The variable where the traversal stands at its end: the last node, or the last relationship where that node is
/// neither asked for nor described. Every relationship has one end, so that nothing is lost or doubled.
pub fn end(query: &Query) -> Option<&str> {
    let Some(Clause::Match { paths, .. }) = query.clauses.first() else { return None };
    let path = paths.first()?;
    let used: Vec<String> = super::expressions(query).into_iter().flat_map(super::used).collect();
    Some(match path.steps.last() {
        None => &path.start.var,
        Some((r, n)) if r.length.is_none() && is_plain(n) && !used.contains(&n.var) && used.contains(&r.var) => &r.var,
        Some((_, n)) => &n.var,
    })
}

/// Nothing is wanted of it.
pub fn is_plain(node: &NodePattern) -> bool {
    node.labels.is_empty() && node.properties.is_empty()
}

struct Rules {
    negates: bool,
    nests: bool,
    /// Predicates inside predicates.
    composes: bool,
}

impl Rules {
    /// As steps of the traversal itself.
    fn step(&self, e: &Expr) -> bool {
        match e {
            Expr::And(a, b) => self.step(a) && self.step(b),
            Expr::Or(a, b) => self.inside(a) && self.inside(b),
            Expr::Not(a) => self.negates && self.inside(a),
            Expr::Exists(p) => self.nests || is_bare(p),
            other => self.test(other),
        }
    }

    /// Inside another step.
    fn inside(&self, e: &Expr) -> bool {
        match e {
            Expr::And(a, b) | Expr::Or(a, b) => self.nests && self.inside(a) && self.inside(b),
            Expr::Not(a) => self.nests && self.negates && self.inside(a),
            Expr::Exists(_) => self.nests,
            other => self.test(other),
        }
    }

    fn test(&self, e: &Expr) -> bool {
        (self.nests || !counts(e)) && (self.composes || !e.any(&is_composed)) && is_test(e)
    }
}

/// A predicate made of others; `without` and `notContaining` are words.
fn is_composed(e: &Expr) -> bool {
    match e {
        Expr::PredicateNot(a) => !matches!(**a, Expr::In(..) | Expr::Test(..)),
        Expr::PredicateAnd(..) | Expr::PredicateOr(..) => true,
        _ => false,
    }
}

fn is_bare(path: &Path) -> bool {
    path.steps.iter().all(|(_, n)| is_plain(n))
}

fn counts(e: &Expr) -> bool {
    matches!(e, Expr::Compare(_, a, _) if matches!(**a, Expr::PathCount(_)))
}

fn is_test(e: &Expr) -> bool {
    match e {
        Expr::Literal(Literal::Bool(true)) | Expr::HasLabel(..) => true,
        Expr::IsNull(a) | Expr::IsNotNull(a) => matches!(**a, Expr::Property(..)),
        Expr::Compare(_, _, b) if counts(e) => is_value(b),
        other => property_of(other).is_some(),
    }
}

fn is_value(e: &Expr) -> bool {
    matches!(e, Expr::Literal(_))
}

/// The property that a predicate is about.
fn property_of(e: &Expr) -> Option<(&str, &str)> {
    match e {
        Expr::Test(TextTest::Matches, ..) => None,
        Expr::Compare(_, a, b) | Expr::Test(_, a, b) => plain(a).filter(|_| is_value(b)),
        Expr::In(a, members) => plain(a).filter(|_| members.iter().all(is_value)),
        Expr::Between(_, a, low, high) => plain(a).filter(|_| is_value(low) && is_value(high)),
        Expr::PredicateNot(a) => property_of(a),
        Expr::PredicateAnd(a, b) | Expr::PredicateOr(a, b) => property_of(a).filter(|p| property_of(b) == Some(*p)),
        _ => None,
    }
}

fn plain(e: &Expr) -> Option<(&str, &str)> {
    match e {
        Expr::Property(var, property) => Some((var, property)),
        _ => None,
    }
}
