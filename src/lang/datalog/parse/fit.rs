//! Makes what was read fit together: a number literal gets the kind of the place it stands in, and what speaks of
//! relations that could not be read is left out.

use super::super::ast::*;
use super::super::stratify::{Sign, each_use};

/// Settles a program; says what was left out.
pub fn settle(program: &mut Program) -> Vec<String> {
    let mut left_out = Vec::new();
    let relations = program.relations.clone();
    let find = |name: &Name| relations.iter().find(|r| r.name == *name);
    program.facts.retain_mut(|f| match find(&f.relation) {
        Some(r) if r.arity() == f.values.len() => {
            f.values.iter_mut().zip(&r.attributes).for_each(|(v, a)| coerce_constant(v, a.kind));
            true
        }
        _ => {
            left_out.push(format!("a fact of '{}', which was not read", f.relation));
            false
        }
    });
    program.rules.retain_mut(|rule| {
        let mut missing = None;
        let mut look = |name: &Name| {
            if find(name).is_none() {
                missing = Some(name.clone());
            }
        };
        rule.heads.iter().for_each(|h| look(&h.relation));
        each_use(&rule.body, Sign::Plus, &mut |name, _| look(name));
        if let Some(name) = missing {
            left_out.push(format!("a rule over '{name}', which was not read"));
            return false;
        }
        let mut kinds = vec![None; rule.fresh_var() as usize];
        for _ in 0..2 {
            rule.heads.iter_mut().for_each(|h| fit_atom(h, &find, &mut kinds));
            fit_body(&mut rule.body, &find, &mut kinds);
        }
        true
    });
    program.subsumptions.retain(|s| find(&s.relation).is_some());
    left_out
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
            Literal::Contains(..) => {}
            Literal::Or(arms) => arms.iter_mut().for_each(|arm| fit_body(arm, find, kinds)),
        }
    }
}

fn fit_atom<'a>(atom: &mut Atom, find: &impl Fn(&Name) -> Option<&'a Relation>, kinds: &mut Vec<Option<Kind>>) {
    let Some(relation) = find(&atom.relation) else { return };
    for (arg, attribute) in atom.args.iter_mut().zip(&relation.attributes) {
        fit_term(arg, attribute.kind, kinds);
    }
}

fn fit_term(term: &mut Term, kind: Kind, kinds: &mut Vec<Option<Kind>>) {
    match term {
        Term::Var(v) => {
            let at = *v as usize;
            kinds[at] = kinds[at].or(Some(kind));
        }
        Term::Constant(c) => coerce_constant(c, kind),
        Term::Negate(t) => fit_term(t, kind, kinds),
        Term::Binary(_, a, b) => {
            fit_term(a, kind, kinds);
            fit_term(b, kind, kinds);
        }
        Term::Wildcard | Term::Length(_) | Term::Aggregate(_) => {}
    }
}

/// What a term tells of its kind; a bare number literal tells nothing.
fn kind_of(term: &Term, kinds: &[Option<Kind>]) -> Option<Kind> {
    match term {
        Term::Var(v) => kinds[*v as usize],
        Term::Constant(Constant::Number(_)) | Term::Wildcard => None,
        Term::Constant(c) => Some(c.kind()),
        Term::Negate(t) => kind_of(t, kinds),
        Term::Length(_) => Some(Kind::Number),
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
