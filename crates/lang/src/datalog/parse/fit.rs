//! Makes what was read fit together: a number literal gets the kind of the place it stands in, and what speaks of
//! relations that could not be read is left out.

use super::super::arithmetic::evaluate;
use super::super::ast::*;
use super::super::stratify::{Sign, each_use};
use super::{Parsed, Unread};
use qualm_core::dialect::datalog::SOUFFLE;

/// The attribute of a relation that has none in the text: it holds one value, and so the relation one tuple or none.
pub const UNIT: &str = "unit";

/// The value of a fact's argument.
pub fn constant(mut term: Term) -> Result<Constant, String> {
    let value = |term: &Term| evaluate(term, &Vec::new(), &SOUFFLE);
    if let Ok(value) = value(&term) {
        return Ok(value);
    }
    fit_term(&mut term, Kind::Symbol, &mut Vec::new());
    value(&term).map_err(|_| "a fact that is not constant".to_owned())
}

/// Settles a program; what is left out is reported.
pub fn settle(parsed: &mut Parsed, facts_at: &[(usize, usize)]) {
    let mut left_out = |at: (usize, usize), why: String| parsed.unread.push(Unread { line: at.0, column: at.1, why });
    let program = &mut parsed.program;
    let relations = program.relations.clone();
    let find = |name: &Name| relations.iter().find(|r| r.name == *name);
    let mut facts = Vec::with_capacity(program.facts.len());
    let mut kept_at = Vec::with_capacity(program.facts.len());
    for (mut fact, at) in std::mem::take(&mut program.facts).into_iter().zip(facts_at) {
        let relation = find(&fact.relation);
        if fact.values.is_empty() && relation.is_some_and(is_unit) {
            fact.values.push(Constant::Number(0));
        }
        match relation {
            Some(r) if r.arity() == fact.values.len() => {
                fact.values.iter_mut().zip(&r.attributes).for_each(|(v, a)| coerce_constant(v, a.kind));
                facts.push(fact);
                kept_at.push(*at);
            }
            _ => left_out(*at, format!("a fact of '{}', which could not be parsed", fact.relation)),
        }
    }
    program.facts = facts;
    parsed.facts_at = kept_at;
    let (mut rules, mut rules_at) = (Vec::new(), Vec::new());
    for (mut rule, at) in std::mem::take(&mut program.rules).into_iter().zip(&parsed.rules_at) {
        let mut missing = None;
        let mut look = |name: &Name| {
            if find(name).is_none() {
                missing = Some(name.clone());
            }
        };
        rule.heads.iter().for_each(|h| look(&h.relation));
        each_use(&rule.body, Sign::Plus, &mut |name, _| look(name));
        if let Some(name) = missing {
            left_out(*at, format!("a rule over '{name}', which could not be parsed"));
            continue;
        }
        let mut kinds = vec![None; rule.fresh_var() as usize];
        for _ in 0..2 {
            rule.heads.iter_mut().for_each(|h| fit_atom(h, &find, &mut kinds));
            fit_body(&mut rule.body, &find, &mut kinds);
        }
        rules.push(rule);
        rules_at.push(*at);
    }
    program.rules = rules;
    parsed.rules_at = rules_at;
    program.subsumptions.retain(|s| find(&s.relation).is_some());
}

/// An aggregate inside a term becomes a variable that equals it, so that it stands alone.
pub fn hoist_aggregates(rule: &mut Rule) {
    let mut fresh = rule.fresh_var();
    let mut more = Vec::new();
    rule.heads.iter_mut().flat_map(|h| &mut h.args).for_each(|t| hoist_term(t, &mut fresh, &mut more));
    hoist_body(&mut rule.body, &mut fresh);
    rule.body.append(&mut more);
}

fn hoist_body(body: &mut Vec<Literal>, fresh: &mut Var) {
    let mut more = Vec::new();
    for literal in body.iter_mut() {
        match literal {
            Literal::Atom(a) | Literal::Not(a) => a.args.iter_mut().for_each(|t| hoist_term(t, fresh, &mut more)),
            Literal::Test(_, a, b) => [a, b].into_iter().for_each(|t| hoist_term(t, fresh, &mut more)),
            Literal::Compare(_, a, b) => {
                // One side may be an aggregate as it is.
                let both = matches!((&*a, &*b), (Term::Aggregate(_), Term::Aggregate(_)));
                for side in [a, b] {
                    match side {
                        Term::Aggregate(inner) if !both => hoist_body(&mut inner.body, fresh),
                        other => hoist_term(other, fresh, &mut more),
                    }
                }
            }
            Literal::Or(arms) => arms.iter_mut().for_each(|arm| hoist_body(arm, fresh)),
        }
    }
    body.append(&mut more);
}

fn hoist_term(term: &mut Term, fresh: &mut Var, more: &mut Vec<Literal>) {
    match term {
        Term::Var(_) | Term::Constant(_) | Term::Wildcard => {}
        Term::Negate(t) | Term::Call(_, t) => hoist_term(t, fresh, more),
        Term::Binary(_, a, b) => {
            hoist_term(a, fresh, more);
            hoist_term(b, fresh, more);
        }
        Term::Aggregate(inner) => {
            hoist_body(&mut inner.body, fresh);
            let aggregate = std::mem::replace(term, Term::Var(*fresh));
            more.push(Literal::Compare(Comparison::Equal, Term::Var(*fresh), aggregate));
            *fresh += 1;
        }
    }
}

fn is_unit(relation: &Relation) -> bool {
    matches!(relation.attributes.as_slice(), [only] if only.name == UNIT)
}

fn fit_body<'a>(body: &mut [Literal], find: &impl Fn(&Name) -> Option<&'a Relation>, kinds: &mut Vec<Option<Kind>>) {
    for literal in body {
        match literal {
            Literal::Atom(a) | Literal::Not(a) => fit_atom(a, find, kinds),
            Literal::Compare(_, a, b) => {
                for side in [&mut *a, &mut *b] {
                    if let Term::Aggregate(aggregate) = side {
                        fit_body(&mut aggregate.body, find, kinds);
                    }
                }
                if let Some(kind) = kind_of(a, kinds).or(kind_of(b, kinds)) {
                    fit_term(a, kind, kinds);
                    fit_term(b, kind, kinds);
                }
            }
            Literal::Test(..) => {}
            Literal::Or(arms) => arms.iter_mut().for_each(|arm| fit_body(arm, find, kinds)),
        }
    }
}

fn fit_atom<'a>(atom: &mut Atom, find: &impl Fn(&Name) -> Option<&'a Relation>, kinds: &mut Vec<Option<Kind>>) {
    let Some(relation) = find(&atom.relation) else { return };
    if atom.args.is_empty() && is_unit(relation) {
        atom.args.push(Term::number(0));
    }
    for (arg, attribute) in atom.args.iter_mut().zip(&relation.attributes) {
        fit_term(arg, attribute.kind, kinds);
    }
}

fn fit_term(term: &mut Term, kind: Kind, kinds: &mut Vec<Option<Kind>>) {
    match term {
        Term::Var(v) => {
            let at = *v as usize;
            // A fact has no variables; one that has some is reported later.
            if let Some(known) = kinds.get_mut(at) {
                *known = known.or(Some(kind));
            }
        }
        Term::Constant(c) => coerce_constant(c, kind),
        Term::Negate(t) => fit_term(t, kind, kinds),
        Term::Binary(operator, a, b) => {
            // One sign for both.
            if kind == Kind::Symbol && *operator == Operator::Add {
                *operator = Operator::Concat;
            }
            fit_term(a, kind, kinds);
            fit_term(b, kind, kinds);
        }
        Term::Call(Function::Absolute | Function::BitNot, t) => fit_term(t, kind, kinds),
        Term::Wildcard | Term::Call(..) | Term::Aggregate(_) => {}
    }
}

/// What a term says about its type; a bare number literal says nothing.
fn kind_of(term: &Term, kinds: &[Option<Kind>]) -> Option<Kind> {
    match term {
        Term::Var(v) => kinds.get(*v as usize).copied().flatten(),
        Term::Constant(Constant::Number(_)) | Term::Wildcard => None,
        Term::Constant(c) => Some(c.kind()),
        Term::Negate(t) => kind_of(t, kinds),
        Term::Call(Function::Length | Function::ToNumber, _) => Some(Kind::Number),
        Term::Call(Function::Lower | Function::Upper | Function::ToText, _) => Some(Kind::Symbol),
        Term::Call(Function::Absolute | Function::BitNot, t) => kind_of(t, kinds),
        Term::Binary(_, a, b) => kind_of(a, kinds).or(kind_of(b, kinds)),
        Term::Aggregate(a) => match a.fold {
            Fold::Count => Some(Kind::Number),
            Fold::Mean => Some(Kind::Float),
            _ => a.target.as_ref().and_then(|t| kind_of(t, kinds)),
        },
    }
}

fn coerce_constant(c: &mut Constant, kind: Kind) {
    if let Constant::Number(n) = *c {
        match kind {
            Kind::Unsigned => *c = Constant::Unsigned(n as u64),
            Kind::Float => *c = Constant::Float(n as f64),
            Kind::Number | Kind::Symbol => {}
        }
    }
}
