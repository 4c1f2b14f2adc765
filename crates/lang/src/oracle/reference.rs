//! A program against our own naive evaluator (`lang/datalog/evaluate.rs`).
//!
//! Claim: the program derives exactly the tuples that the evaluator derives. They are given to the engine as facts, so
//! that both sides are programs of one dialect and a finding can be replayed without us.
//!
//! ```text
//! e(1). e(2). f(2).  out(x) :- e(x), !f(x).      derives the same as
//! out(1).
//! ```

use super::datalog::{DatalogOracle, same};
use super::{Derived, NOTHING};
use crate::datalog::ast::*;
use crate::datalog::check;
use crate::datalog::evaluate::{self, Tuple};
use crate::datalog::print;
use crate::datalog::rules::user::UserRule;
use crate::datalog::source::{DatalogSource, FIRM};
use qualm_core::case::Step;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::rng::Rng;
use std::collections::BTreeSet;

pub const SPEC: DatalogOracle = DatalogOracle {
    name: "reference",
    claim: "a program derives the same facts as a naive evaluation of its rules",
    example: "e(1). e(2). f(2). out(x) :- e(x), !f(x).  derives  out(1)  and nothing else",
    weight: 3,
    loose: false,
    propose,
    derive,
    complete: None,
    needs: NOTHING,
};

fn propose(
    program: &Program,
    dialect: &'static DatalogDialect,
    _: &[UserRule],
    rng: &mut Rng,
) -> Option<DatalogSource> {
    let mut source = DatalogSource::new(SPEC.name, dialect, program);
    if !dialect.switches.is_empty() && rng.chance(1, 4) {
        source.switches.push(rng.pick(dialect.switches).name.to_owned());
    }
    Some(source)
}

fn derive(source: &DatalogSource, dialect: &'static DatalogDialect) -> Option<Derived> {
    // Sums and means of floats depend on order and width.
    let floats = |r: &Relation| r.attributes.iter().any(|a| a.kind == Kind::Float);
    if source.program.relations.iter().any(floats) {
        return None;
    }
    let tuples = evaluate::output(&source.program, dialect, FIRM).ok()?;
    let facts = as_facts(&source.program, tuples, dialect)?;
    let script = vec![
        Step::query("program", source.text(&source.program, dialect, &source.switches)),
        Step::query("what its rules derive, as facts", print::program(&facts, dialect, &[])),
    ];
    Some(same(script))
}

/// A program whose output is exactly these tuples.
fn as_facts(program: &Program, tuples: BTreeSet<Tuple>, dialect: &DatalogDialect) -> Option<Program> {
    let mut output = program.relation(&program.output)?.clone();
    output.qualifiers.clear();
    output.choice.clear();
    let kinds: Vec<Kind> = output.attributes.iter().map(|a| a.kind).collect();
    let base = Relation { name: "f".into(), ..output.clone() };
    let fact = |values: Tuple| Fact { relation: "f".into(), values };
    let vars: Vec<Term> = (0..kinds.len() as Var).map(Term::Var).collect();
    let mut body = vec![Literal::Atom(Atom::new("f", vars.clone()))];
    let mut facts: Vec<Fact> = tuples.into_iter().map(fact).collect();
    let mut relations = vec![base];
    let built = kinds.iter().any(|k| matches!(k, Kind::Built(_)));
    if facts.is_empty() && built {
        return None;
    }
    if facts.is_empty() {
        // Not every engine knows a relation without any tuple, so one is there that joins with nothing: a join is the
        // last thing that an engine gets wrong.
        facts.push(fact(kinds.iter().map(|k| some_value(*k, false)).collect()));
        facts.push(Fact { relation: "g".into(), values: vec![some_value(kinds[0], true)] });
        body.push(Literal::Atom(Atom::new("g", vec![Term::Var(0)])));
        relations.push(Relation { name: "g".into(), attributes: output.attributes[..1].to_vec(), ..output.clone() });
    }
    if relations.iter().any(|r| r.name == output.name)
        || !facts.iter().flat_map(|f| &f.values).all(|v| check::fits(v, dialect))
    {
        return None;
    }
    let name = output.name.clone();
    relations.push(output);
    Some(Program {
        types: program.types.clone(),
        by_running: false,
        rules: vec![Rule::new(Atom::new(name.clone(), vars), body)],
        output: name,
        relations,
        facts,
        subsumptions: Vec::new(),
    })
}

/// One of two values of a kind.
fn some_value(kind: Kind, other: bool) -> Constant {
    let n = 1 + u8::from(other);
    match kind {
        Kind::Number => Constant::Number(n.into()),
        Kind::Unsigned => Constant::Unsigned(n.into()),
        Kind::Float => Constant::Float(n.into()),
        Kind::Symbol => Constant::Symbol(if other { "b" } else { "a" }.into()),
        Kind::Built(kind) => Constant::Built(Box::new(BuiltValue { kind, branch: None, fields: Vec::new() })),
    }
}
