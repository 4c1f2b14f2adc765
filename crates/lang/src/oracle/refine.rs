//! GDBMeter's refinement oracle (Kamm, Rigger, Zhang, Su, ISSTA 2023), strict: the rows themselves say which of them
//! must remain. (The paper's tool accepts any row.)
//!
//! Claim: restricting a property to a value keeps exactly the rows of the result that have the value there.
//!
//! ```text
//! MATCH (n)-[r]->(m) RETURN n, r, m, n.i
//! MATCH (n)-[r]->(m) WHERE n.i = 3 RETURN n, r, m, n.i          exactly the rows whose last cell is 3
//! ```

use super::graph::{GraphOracle, query_step};
use super::{Derived, NOTHING};
use crate::graph::ast::*;
use crate::graph::check;
use crate::graph::express::Generator;
use crate::graph::generate::Wanted;
use crate::graph::source::{Pin, Question, Setting, restricted};
use qualm_core::dialect::graph::{Feature, Kind};
use qualm_core::relation::{Keep, Place, Relation};
use qualm_core::value::Value;

pub const SPEC: GraphOracle = GraphOracle {
    name: "refine",
    claim: "restricting a property to a value keeps exactly the rows that have it",
    example: "MATCH (n) RETURN n, n.i  and  MATCH (n) WHERE n.i = 3 RETURN n, n.i",
    weight: 3,
    wants_rows: true,
    changes_state: false,
    deletes: false,
    propose,
    derive,
    needs: NOTHING,
};

const COMPARABLE: [Kind; 4] = [Kind::Int, Kind::Float, Kind::Text, Kind::Bool];

fn propose(g: &mut Generator, state: &[Statement]) -> Option<Question> {
    let mut query = g.query(Wanted::default());
    if g.dialect.is_by_steps() {
        query.items = vec![Expr::Var(g.end()?)];
        query.order_by.clear();
    }
    let values: Vec<(&[String], &str, &Literal)> = state.iter().flat_map(check::stored_in).collect();
    let mut pins: Vec<Pin> = Vec::new();
    for _ in 0..g.rng.range(1, 2) {
        let Some((Expr::Property(var, property), _)) = g.some_property(&|k| k.iter().all(|k| COMPARABLE.contains(k)))
        else {
            return None;
        };
        // Values of what the variable may be, where there are some: others keep no row.
        let classes = g.classes(&var);
        let near = |c: &[String]| classes.is_empty() || c.iter().any(|name| classes.contains(name));
        let all = values.iter().filter(|(_, p, _)| *p == property);
        let (of, far): (Vec<_>, Vec<_>) = all.partition(|(c, ..)| near(c));
        let of: Vec<&Literal> = if of.is_empty() { far } else { of }.iter().map(|(_, _, v)| *v).collect();
        let value = match of.is_empty() {
            true if property == KEY => Literal::Int(g.rng.range(1, 20) as i64),
            true => return None,
            false => {
                let stored = (*g.rng.pick(&of)).clone();
                if g.dialect.int_equals_float && g.rng.chance(1, 4) { twin(stored) } else { stored }
            }
        };
        if !pins.iter().any(|p| p.var == var && p.property == property) {
            pins.push(Pin { var, property, value });
        }
    }
    Some(Question { query, pins, disputed: g.disputed, ..Question::default() })
}

/// The equal number of the other kind, where there is one.
fn twin(literal: Literal) -> Literal {
    const EXACT: f64 = 1e15;
    match literal {
        Literal::Int(i) if (i as f64).abs() < EXACT => Literal::Float(i as f64),
        Literal::Float(f) if f.fract() == 0.0 && f.abs() < EXACT => Literal::Int(f as i64),
        other => other,
    }
}

/// The value as it comes back; nothing for what has no plain equality.
pub fn value(literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::Bool(b) => Value::Bool(*b),
        Literal::Int(i) => Value::Int(*i),
        Literal::Float(f) => Value::Real(*f),
        Literal::Special(Special::Infinity) => Value::Real(f64::INFINITY),
        Literal::Special(Special::NegativeInfinity) => Value::Real(f64::NEG_INFINITY),
        Literal::Text(t) => Value::Text(t.clone()),
        _ => return None,
    })
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    let by_steps = at.dialect.is_by_steps();
    if q.pins.is_empty() || q.query.distinct || q.query.items.iter().any(check::is_aggregate) {
        return None;
    }
    let mut base = q.query.clone();
    let mut keep = Vec::new();
    let mut refined = q.query.clone();
    for pin in &q.pins {
        let property = Expr::property(&pin.var, &pin.property);
        let place = match by_steps {
            // An element comes as a map with all its properties.
            true if q.query.items == [Expr::Var(pin.var.clone())] => {
                Place { column: 0, key: Some(pin.property.clone()) }
            }
            true => return None,
            false => {
                base.items.push(property.clone());
                Place { column: base.items.len() - 1, key: None }
            }
        };
        keep.push(Keep::Having { place, value: value(&pin.value)?, by_value: at.dialect.int_equals_float });
        let equal = Expr::compare(Comparison::Equal, property, Expr::Literal(pin.value.clone()));
        refined = restricted(&refined, equal, false);
    }
    refined.items.clone_from(&base.items);
    let with = refined.clauses.len() > base.clauses.len();
    if !at.is_sound(&base, q) || !at.is_sound(&refined, q) || with && !by_steps && !at.dialect.has(Feature::With) {
        return None;
    }
    let script = vec![query_step("rows", &base, at), query_step("pinned", &refined, at)];
    Some(Derived { script, claim: Relation::Filtered { whole: 0, part: 1, keep } })
}
