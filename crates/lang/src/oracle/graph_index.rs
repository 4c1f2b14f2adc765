//! Indexes: an idea of SQLancer's and GDBMeter's state generators (Kamm, Rigger, Zhang, Su, ISSTA 2023: most bugs there
//! need one), as an oracle of its own.
//!
//! Claim: creating or dropping an index does not change a result.
//!
//! ```text
//! MATCH (n:A) WHERE n.s STARTS WITH lTrim(n.s) RETURN n
//! CREATE INDEX x1 FOR (n:A) ON (n.s)
//! MATCH (n:A) WHERE n.s STARTS WITH lTrim(n.s) RETURN n          the same rows
//! ```

use super::graph::{GraphOracle, query_step, same};
use super::{Derived, NOTHING};
use crate::graph::ast::*;
use crate::graph::express::{Generator, What};
use crate::graph::generate::Wanted;
use crate::graph::source::{Question, Setting, restricted};
use crate::graph::{check, print, state};
use qualm_core::case::Step;
use qualm_core::dialect::graph::Target;

pub const SPEC: GraphOracle = GraphOracle {
    name: "graph-index",
    claim: "creating or dropping an index does not change a result",
    example: "MATCH (n:A) WHERE n.i = 1 RETURN n  before and after  CREATE INDEX",
    weight: 2,
    // Most bugs of indexes lose rows; those that find too many show when an index is dropped.
    wants_rows: true,
    changes_state: true,
    deletes: false,
    propose,
    derive,
    needs: NOTHING,
};

fn propose(g: &mut Generator, state: &[Statement]) -> Option<Question> {
    if g.dialect.indexes.is_empty() {
        return None;
    }
    let query = g.query(Wanted::default());
    let predicate = g.predicate(1);
    let query = restricted(&query, predicate, false);
    let there = standing(state);
    let changes: Vec<Statement> = if !there.is_empty() && g.rng.chance(1, 3) {
        there.iter().filter_map(state::drop_of).collect()
    } else {
        (0..3).filter_map(|i| useful_index(g, &query, state, &there, i)).take(2).collect()
    };
    let mut different: Vec<Statement> = Vec::new();
    for change in changes {
        if !different.iter().any(|d| place(d) == place(&change)) {
            different.push(change);
        }
    }
    (!different.is_empty()).then(|| Question { query, changes: different, disputed: g.disputed, ..Question::default() })
}

fn place(s: &Statement) -> Option<(&str, &str, &str)> {
    match s {
        Statement::CreateIndex { spec, class, property, .. } | Statement::DropIndex { spec, class, property, .. } => {
            Some((spec, class, property))
        }
        _ => None,
    }
}

/// Indexes that were made and not dropped.
pub fn standing(state: &[Statement]) -> Vec<Statement> {
    let mut there: Vec<Statement> = Vec::new();
    for s in state {
        match s {
            Statement::CreateIndex { .. } => there.push(s.clone()),
            Statement::DropIndex { .. } => there.retain(|t| place(t) != place(s)),
            _ => {}
        }
    }
    there
}

/// An index on something that the query asks about; any other where there is none.
fn useful_index(
    g: &mut Generator,
    query: &Query,
    state: &[Statement],
    there: &[Statement],
    i: usize,
) -> Option<Statement> {
    let number = 100 + state.len() as i64 * 4 + i as i64;
    let spec = state::some_index(g.dialect, g.rng)?;
    let mut asked: Vec<(String, String)> = Vec::new();
    for e in check::expressions(query) {
        e.each(&mut |e| {
            if let Expr::Property(var, property) = e {
                asked.push((var.clone(), property.clone()));
            }
        });
    }
    let classes = |g: &Generator, var: &str| {
        g.scope.iter().find(|v| v.name == var).map(|v| match (&v.what, spec.target) {
            (What::Node { labels }, Target::Node) => labels.clone(),
            (What::Relationship { types }, Target::Relationship) => types.clone(),
            _ => Vec::new(),
        })
    };
    let fits =
        |g: &Generator, p: &str| spec.kinds.is_empty() || g.model.kinds(p).iter().any(|k| spec.kinds.contains(k));
    let useful: Vec<(String, String)> = asked
        .iter()
        .filter(|(_, p)| fits(g, p) && (spec.unique == (p == KEY)))
        .filter_map(|(v, p)| classes(g, v)?.first().map(|c| (c.clone(), p.clone())))
        .collect();
    let made = match useful.is_empty() {
        true => state::index_on(&spec, g.model, number, g.rng)?,
        false => {
            let (class, property) = g.rng.pick(&useful).clone();
            Statement::CreateIndex { spec: spec.name.into(), name: format!("x{number}"), class, property }
        }
    };
    (!there.iter().any(|t| place(t) == place(&made))).then_some(made)
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let indexes = q.changes.iter().all(|c| place(c).is_some());
    if q.changes.is_empty() || !indexes || q.query.distinct || !at.is_sound(&q.query, q) {
        return None;
    }
    let mut script = vec![query_step("before", &q.query, at)];
    script.extend(q.changes.iter().map(|c| Step::run(print::statement(c, at.dialect))));
    if q.changes.iter().any(|c| matches!(c, Statement::CreateIndex { .. })) {
        script.extend(at.dialect.await_indexes.iter().map(|t| Step::run(*t)));
    }
    script.push(query_step("after", &q.query, at));
    Some(same(script))
}
