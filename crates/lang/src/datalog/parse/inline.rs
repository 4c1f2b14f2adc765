//! Rules of inlined relations that bind not all of their variables (`same(x, y) :- x = y.`) mean something only where
//! the relation is used: there they are written out, and the relation goes.

use super::super::check::{Vars, bit, bound_by};
use super::super::stratify::{Sign, each_use};
use super::*;

/// Relations in relations deeper than this are left as they are.
const DEPTH: usize = 8;
/// So many rules may come of one.
const RULES_AT_MOST: usize = 64;

/// A rule with the place where it begins.
pub type Placed = ((usize, usize), Rule);

/// The rules with such relations written out, as far as that is possible.
pub fn written_out(program: &mut Program, mut rules: Vec<Placed>) -> Vec<Placed> {
    for _ in 0..DEPTH {
        let open = |r: &&Relation| r.has(Qualifier::Inline) && r.name != program.output && is_open(&r.name, &rules);
        let names: Vec<Name> = program.relations.iter().filter(open).map(|r| r.name.clone()).collect();
        let found = names.iter().find_map(|name| Some((name, without(name, program, &rules)?)));
        let Some((name, next)) = found else { break };
        program.relations.retain(|r| r.name != *name);
        rules = next;
    }
    rules
}

fn is_rule_of(rule: &Rule, name: &Name) -> bool {
    rule.heads.iter().any(|h| h.relation == *name)
}

/// Whether a rule of this relation leaves a variable unbound.
fn is_open(name: &Name, rules: &[Placed]) -> bool {
    let mut own = rules.iter().filter(|(_, rule)| is_rule_of(rule, name));
    own.any(|(_, rule)| {
        let mut used: Vars = 0;
        rule.heads.iter().for_each(|h| h.each_var(&mut |v| used |= bit(v)));
        used & !bound_by(&rule.body, 0, true) != 0
    })
}

/// The rules without this relation; nothing where it is used in another way than as a subgoal or a negation.
fn without(name: &Name, program: &Program, rules: &[Placed]) -> Option<Vec<Placed>> {
    let (own, others): (Vec<&Placed>, Vec<&Placed>) = rules.iter().partition(|(_, rule)| is_rule_of(rule, name));
    let own: Vec<&Rule> = own.into_iter().map(|(_, rule)| rule).collect();
    let used_by = |body: &[Literal]| {
        let mut found = false;
        each_use(body, Sign::Plus, &mut |n, _| found |= n == name);
        found
    };
    let plain = own.iter().all(|rule| rule.heads.len() == 1 && !used_by(&rule.body));
    let elsewhere = program.facts.iter().any(|f| f.relation == *name)
        || program.subsumptions.iter().any(|s| s.relation == *name || used_by(&s.body));
    if !plain || elsewhere {
        return None;
    }
    let mut found = Vec::with_capacity(others.len());
    for (place, rule) in others {
        let mut todo = vec![rule.clone()];
        let mut done = Vec::new();
        while let Some(rule) = todo.pop() {
            let use_of = |l: &Literal| used_by(std::slice::from_ref(l));
            match rule.body.iter().position(use_of) {
                None => done.push(rule),
                Some(at) => todo.extend(at_use(&rule, at, &own)?),
            }
            if todo.len() + done.len() > RULES_AT_MOST {
                return None;
            }
        }
        found.extend(done.into_iter().rev().map(|rule| (*place, rule)));
    }
    Some(found)
}

/// The rule with the literal at this place written out: one for each rule of the relation, or one under a negation.
fn at_use(rule: &Rule, at: usize, own: &[&Rule]) -> Option<Vec<Rule>> {
    let rest = |more: Vec<Literal>| {
        let mut next = rule.clone();
        next.body.splice(at..=at, more);
        next.plan.clear();
        next
    };
    match &rule.body[at] {
        Literal::Atom(atom) => {
            Some(own.iter().map(|definition| rest(met(atom, definition, rule.fresh_var()))).collect())
        }
        Literal::Not(atom) => {
            let (mut names, mut all) = (Vec::new(), Vec::new());
            for (term, fresh) in atom.args.iter().zip(rule.fresh_var()..) {
                names.push(match term {
                    Term::Var(w) => *w,
                    Term::Constant(_) => {
                        all.push(Literal::Compare(Comparison::Equal, Term::Var(fresh), term.clone()));
                        fresh
                    }
                    _ => return None,
                });
            }
            for definition in own {
                all.extend(failed(&names, definition)?);
            }
            Some(vec![rest(all)])
        }
        Literal::Compare(..) | Literal::Test(..) | Literal::Or(_) => None,
    }
}

/// What holds where a rule derives such a tuple. Its own variables are numbered from `fresh`.
fn met(atom: &Atom, definition: &Rule, fresh: Var) -> Vec<Literal> {
    let mut rule = definition.clone();
    rule.each_var_mut(&mut |v| *v += fresh);
    let mut equal = Vec::new();
    for at in 0..atom.args.len() {
        let formal = rule.heads[0].args[at].clone();
        match (&atom.args[at], formal) {
            (Term::Wildcard, _) => {}
            // A variable of its own becomes the caller's, once.
            (Term::Var(w), Term::Var(v)) if v >= fresh => rule.each_var_mut(&mut |u| {
                if *u == v {
                    *u = *w;
                }
            }),
            (actual, formal) => equal.push(Literal::Compare(Comparison::Equal, formal, actual.clone())),
        }
    }
    equal.extend(rule.body);
    equal
}

/// What holds where it derives none of these values; nothing where it has variables of its own.
fn failed(names: &[Var], definition: &Rule) -> Option<Vec<Literal>> {
    let mut formal = Vec::new();
    for term in &definition.heads[0].args {
        let Term::Var(v) = term else { return None };
        if formal.contains(v) {
            return None;
        }
        formal.push(*v);
    }
    let (mut known, mut folds) = (true, false);
    definition.body.iter().for_each(|l| l.each_aggregate(&mut |_| folds = true));
    let mut rule = definition.clone();
    rule.each_var_mut(&mut |v| match formal.iter().position(|f| f == v) {
        Some(at) => *v = names[at],
        None => known = false,
    });
    if !known || folds {
        return None;
    }
    fit::negated(rule.body).ok()
}
