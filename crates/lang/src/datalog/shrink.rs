//! What can be cut out of a Datalog case: facts, rules, subgoals, attributes, constants, steps of transformation,
//! switches. The oracle derives script and claim anew from each variant; a step that lost its place costs one attempt.

#[cfg(test)]
mod tests;
mod vary;

use super::ast::*;
use super::rules::Step;
use super::source::DatalogSource;
use super::stratify::{Sign, each_use};
use crate::oracle::datalog;
use qualm_core::case::{Case, Origin};
use qualm_core::reduce::{Subject, chunks};
use qualm_core::vary::{Place, Varied};

/// One change of a case, to be made on a copy; says whether it had a place.
pub type Edit = Box<dyn Fn(&mut DatalogSource) -> bool>;

/// In the order they are tried: what takes most away for one attempt comes first.
const PASSES: &[fn(&DatalogSource) -> Vec<Edit>] = &[
    drop_steps,
    drop_rules,
    drop_facts,
    drop_switches,
    drop_literals,
    skip_relations,
    drop_declarations,
    inline_arms,
    drop_attributes,
    simpler_rules,
    simpler_terms,
    simpler_constants,
];

#[derive(Clone)]
pub struct DatalogSubject {
    source: DatalogSource,
    origin: Origin,
}

impl DatalogSubject {
    /// Nothing when the case was not made from a Datalog tree.
    pub fn of(case: &Case) -> Option<DatalogSubject> {
        let source = serde_json::from_value(case.source.clone()?).ok()?;
        Some(DatalogSubject { source, origin: case.origin })
    }
}

impl Subject for DatalogSubject {
    type Edit = Edit;

    fn weight(&self) -> u64 {
        weight(&self.source)
    }

    fn passes(&self) -> usize {
        PASSES.len()
    }

    fn edits(&self, pass: usize) -> Vec<Edit> {
        PASSES[pass](&self.source)
    }

    fn apply(&self, edit: &Edit) -> Option<DatalogSubject> {
        let mut next = self.clone();
        edit(&mut next.source).then_some(next)
    }

    fn case(&self) -> Option<Case> {
        datalog::case(&self.source, self.origin)
    }
}

impl Varied for DatalogSubject {
    fn places(&self) -> Vec<Place<Edit>> {
        vary::places(&self.source)
    }
}

/// A total order of cases: rules and steps weigh most, then literals and facts, then what stands in them.
fn weight(source: &DatalogSource) -> u64 {
    let p = &source.program;
    let term = |t: &Term| -> u64 {
        let mut vars = 0;
        t.each_var(&mut |_| vars += 1);
        match t {
            Term::Wildcard => 1,
            Term::Var(_) => 2,
            Term::Constant(c) => 3 + constant_weight(c),
            _ => 10 + 3 * vars,
        }
    };
    let terms = |ts: &[Term]| ts.iter().map(term).sum::<u64>();
    fn literal(l: &Literal, terms: &dyn Fn(&[Term]) -> u64) -> u64 {
        20 + match l {
            Literal::Atom(a) => terms(&a.args),
            Literal::Not(a) => 5 + terms(&a.args),
            Literal::Compare(c, a, b) => {
                let aggregate = u64::from(a.has_aggregate() || b.has_aggregate());
                4 + *c as u64 + 20 * aggregate + terms(&[a.clone(), b.clone()])
            }
            Literal::Test(_, a, b) => 12 + terms(&[a.clone(), b.clone()]),
            Literal::Or(arms) => 20 + arms.iter().flatten().map(|l| literal(l, terms)).sum::<u64>(),
        }
    }
    let body = |b: &[Literal]| b.iter().map(|l| literal(l, &terms)).sum::<u64>();
    let rule = |r: &Rule| {
        let heads: u64 = r.heads.iter().map(|h| 10 + terms(&h.args)).sum();
        100 + heads + body(&r.body) + 5 * u64::from(!r.plan.is_empty())
    };
    let relation =
        |r: &Relation| 10 + 8 * r.arity() as u64 + 5 * r.qualifiers.len() as u64 + 20 * r.choice.len() as u64;
    let fact = |f: &Fact| 15 + f.values.iter().map(constant_weight).sum::<u64>();
    let step = |s: &Step| 150 + if let Step::AddEqu { fresh, .. } = s { fresh.len() as u64 } else { 0 };
    source.steps.iter().map(step).sum::<u64>()
        + 30 * (source.switches.len() + source.other_switches.len()) as u64
        + p.relations.iter().map(relation).sum::<u64>()
        + p.facts.iter().map(fact).sum::<u64>()
        + p.rules.iter().map(rule).sum::<u64>()
        + p.subsumptions.iter().map(|s| 100 + body(&s.body)).sum::<u64>()
}

fn constant_weight(c: &Constant) -> u64 {
    match c {
        Constant::Number(n) => 2 * n.unsigned_abs().min(1_000) + u64::from(*n < 0),
        Constant::Unsigned(n) => 2 * *n.min(&1_000),
        Constant::Float(f) => {
            4 + 4 * (f.abs().min(1_000.0) as u64) + u64::from(f.is_sign_negative()) + u64::from(f.fract() != 0.0)
        }
        Constant::Symbol(s) => 2 * s.len() as u64 + u64::from(s.as_str() != "a"),
        Constant::Built(b) => 5 + b.fields.iter().map(|f| 3 + constant_weight(f)).sum::<u64>(),
    }
}

fn edit(change: impl Fn(&mut DatalogSource) -> bool + 'static) -> Edit {
    Box::new(change)
}

fn remove_range<T>(list: &mut Vec<T>, range: &std::ops::Range<usize>) -> bool {
    if range.end > list.len() || range.is_empty() {
        return false;
    }
    list.drain(range.clone());
    true
}

fn drop_steps(source: &DatalogSource) -> Vec<Edit> {
    let ranges = chunks(source.steps.len()).into_iter();
    ranges.map(|r| edit(move |s| s.steps.len() > r.len() && remove_range(&mut s.steps, &r))).collect()
}

fn drop_facts(source: &DatalogSource) -> Vec<Edit> {
    let ranges = chunks(source.program.facts.len()).into_iter();
    ranges.map(|r| edit(move |s| remove_range(&mut s.program.facts, &r))).collect()
}

fn drop_switches(source: &DatalogSource) -> Vec<Edit> {
    let mut edits = vec![edit(|s| !std::mem::take(&mut s.switches).is_empty())];
    for i in 0..source.other_switches.len() {
        edits.push(edit(move |s| remove_range(&mut s.other_switches, &(i..i + 1))));
    }
    edits
}

/// Rules go, and the steps that change them; those of later rules move up.
fn drop_rules(source: &DatalogSource) -> Vec<Edit> {
    let program = &source.program;
    let mut edits: Vec<Edit> = Vec::new();
    for range in chunks(program.rules.len()) {
        edits.push(edit(move |s| remove_rules(s, &range)));
    }
    for i in 0..program.subsumptions.len() {
        edits.push(edit(move |s| remove_range(&mut s.program.subsumptions, &(i..i + 1))));
    }
    edits
}

fn remove_rules(source: &mut DatalogSource, range: &std::ops::Range<usize>) -> bool {
    if !remove_range(&mut source.program.rules, range) {
        return false;
    }
    source.steps.retain(|step| !range.contains(&step.rule()));
    for step in source.steps.iter_mut().filter(|step| step.rule() >= range.end) {
        *step.rule_mut() -= range.len();
    }
    true
}

/// A rule goes, and a relation that it reads stands wherever the one that it derives was read: what only hands tuples
/// on is skipped, and a recursion is left with its first round.
fn skip_relations(source: &DatalogSource) -> Vec<Edit> {
    let program = &source.program;
    let kinds = |name: &Name| program.relation(name).map(|r| r.attributes.iter().map(|a| a.kind).collect::<Vec<_>>());
    let mut edits: Vec<Edit> = Vec::new();
    for (at, rule) in program.rules.iter().enumerate() {
        let skipped = &rule.heads[0].relation;
        let mut read: Vec<Name> = rule.atoms().map(|(_, a)| a.relation.clone()).collect();
        read.sort_unstable();
        read.dedup();
        for instead in read.into_iter().filter(|name| name != skipped && kinds(name) == kinds(skipped)) {
            let skipped = skipped.clone();
            edits.push(edit(move |s| {
                let change = |atom: &mut Atom| {
                    if atom.relation == skipped {
                        atom.relation = instead.clone();
                    }
                };
                let gone = remove_rules(s, &(at..at + 1));
                s.program.rules.iter_mut().for_each(|rule| each_atom_mut(&mut rule.body, &change));
                gone
            }));
        }
    }
    edits
}

/// A subgoal goes from a rule; steps that name a later one follow it.
fn drop_literals(source: &DatalogSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (at, rule) in source.program.rules.iter().enumerate() {
        for i in 0..rule.body.len() {
            edits.push(edit(move |s| {
                let Some(rule) = s.program.rules.get_mut(at).filter(|r| i < r.body.len()) else { return false };
                rule.body.remove(i);
                rule.plan.clear();
                for step in s.steps.iter_mut().filter(|step| step.rule() == at) {
                    if let Step::AddEqu { subgoal, .. }
                    | Step::ModExp { subgoal, .. }
                    | Step::ModConst { subgoal, .. }
                    | Step::ModFact { subgoal, .. }
                    | Step::RemExp { subgoal, .. }
                    | Step::RemEqu { subgoal, .. }
                    | Step::NegEqu { subgoal, .. } = step
                        && *subgoal > i
                    {
                        *subgoal -= 1;
                    }
                }
                true
            }));
        }
        for i in 1..rule.heads.len() {
            edits.push(edit(move |s| remove_range(&mut s.program.rules[at].heads, &(i..i + 1))));
        }
    }
    edits
}

/// Relations that nothing speaks of, qualifiers and choices.
fn drop_declarations(source: &DatalogSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = vec![edit(|s| {
        let before = s.program.relations.len();
        let used = used_names(s);
        s.program.relations.retain(|r| used.contains(&r.name));
        s.program.facts.retain(|f| used.contains(&f.relation));
        s.program.relations.len() < before
    })];
    for (i, r) in source.program.relations.iter().enumerate() {
        for j in 0..r.qualifiers.len() {
            edits.push(edit(move |s| remove_range(&mut s.program.relations[i].qualifiers, &(j..j + 1))));
        }
        edits.push(edit(move |s| !std::mem::take(&mut s.program.relations[i].choice).is_empty()));
    }
    edits
}

/// Relations that rules, steps or the output need.
fn used_names(source: &DatalogSource) -> Vec<Name> {
    let p = &source.program;
    let mut used = vec![p.output.clone()];
    for rule in &p.rules {
        used.extend(rule.heads.iter().map(|h| h.relation.clone()));
        each_use(&rule.body, Sign::Plus, &mut |name, _| used.push(name.clone()));
    }
    used.extend(p.subsumptions.iter().map(|s| s.relation.clone()));
    used.extend(source.steps.iter().filter_map(|s| match s {
        Step::AddCon { atom, .. } => Some(atom.relation.clone()),
        _ => None,
    }));
    used
}

/// A disjunction becomes one of its arms.
fn inline_arms(source: &DatalogSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (at, rule) in source.program.rules.iter().enumerate() {
        for (i, literal) in rule.body.iter().enumerate() {
            let Literal::Or(arms) = literal else { continue };
            for arm in arms.clone() {
                edits.push(edit(move |s| {
                    let body = &mut s.program.rules[at].body;
                    if !matches!(body.get(i), Some(Literal::Or(_))) {
                        return false;
                    }
                    body.splice(i..=i, arm.iter().cloned());
                    true
                }));
            }
        }
    }
    edits
}

/// An attribute goes from a relation, everywhere.
fn drop_attributes(source: &DatalogSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (at, relation) in source.program.relations.iter().enumerate() {
        for i in 0..relation.arity() {
            let name = relation.name.clone();
            edits.push(edit(move |s| without_attribute(s, at, &name, i)));
        }
    }
    edits
}

fn without_attribute(source: &mut DatalogSource, at: usize, name: &Name, i: usize) -> bool {
    let p = &mut source.program;
    if p.relations[at].arity() < 2 || !p.relations[at].choice.is_empty() {
        return false;
    }
    p.relations[at].attributes.remove(i);
    p.facts.iter_mut().filter(|f| f.relation == *name).for_each(|f| drop(f.values.remove(i)));
    // What differed only there is there twice now.
    let mut seen: Vec<Fact> = Vec::new();
    p.facts.retain(|f| {
        !seen.contains(f) && {
            seen.push(f.clone());
            true
        }
    });
    let shorten = |a: &mut Atom| {
        if a.relation == *name && i < a.args.len() {
            a.args.remove(i);
        }
    };
    for rule in &mut p.rules {
        rule.heads.iter_mut().for_each(shorten);
        each_atom_mut(&mut rule.body, &shorten);
    }
    for s in p.subsumptions.iter_mut().filter(|s| s.relation == *name) {
        s.smaller.remove(i);
        s.larger.remove(i);
    }
    for step in &mut source.steps {
        match step {
            Step::AddCon { atom, .. } => shorten(atom),
            Step::AddEqu { fresh, .. } if fresh.len() > 1 => fresh.truncate(fresh.len() - 1),
            _ => {}
        }
    }
    true
}

fn each_atom_mut(body: &mut [Literal], change: &dyn Fn(&mut Atom)) {
    for literal in body {
        match literal {
            Literal::Atom(a) | Literal::Not(a) => change(a),
            Literal::Compare(_, a, b) | Literal::Test(_, a, b) => {
                for side in [a, b] {
                    if let Term::Aggregate(aggregate) = side {
                        each_atom_mut(&mut aggregate.body, change);
                    }
                }
            }
            Literal::Or(arms) => arms.iter_mut().for_each(|arm| each_atom_mut(arm, change)),
        }
    }
}

/// Plans go, negation by a single step is tried, places of new variables go.
fn simpler_rules(source: &DatalogSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for at in 0..source.program.rules.len() {
        edits.push(edit(move |s| !std::mem::take(&mut s.program.rules[at].plan).is_empty()));
    }
    for (i, step) in source.steps.iter().enumerate() {
        let Step::AddEqu { fresh, .. } = step else { continue };
        for j in 0..fresh.len() {
            edits.push(edit(move |s| match &mut s.steps[i] {
                Step::AddEqu { fresh, .. } if fresh.len() > 1 => remove_range(fresh, &(j..j + 1)),
                _ => false,
            }));
        }
    }
    edits
}

/// Arguments of heads and subgoals become wildcards or variables, functors one of their arguments.
fn simpler_terms(source: &DatalogSource) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for (at, rule) in source.program.rules.iter().enumerate() {
        for (i, literal) in rule.body.iter().enumerate() {
            if let Literal::Atom(a) | Literal::Not(a) = literal {
                for j in 0..a.args.len() {
                    edits.push(edit(move |s| put_argument(s.program.rules[at].body.get_mut(i), j, &Term::Wildcard)));
                    let simpler = parts(&a.args[j]).into_iter();
                    edits.extend(
                        simpler.map(|p| edit(move |s| put_argument(s.program.rules[at].body.get_mut(i), j, &p))),
                    );
                }
            }
            if let Literal::Compare(_, a, b) = literal {
                for (left, side) in [(true, a), (false, b)] {
                    let simpler = parts(side).into_iter();
                    edits.extend(
                        simpler.map(|p| edit(move |s| put_side(s.program.rules[at].body.get_mut(i), left, &p))),
                    );
                }
            }
        }
        for (h, head) in rule.heads.iter().enumerate() {
            for (j, arg) in head.args.iter().enumerate() {
                edits.extend(parts(arg).into_iter().map(|part| {
                    edit(move |s| {
                        s.program.rules[at].heads[h].args[j] = part.clone();
                        true
                    })
                }));
            }
        }
    }
    edits
}

/// Puts another term into a place of a subgoal.
fn put_argument(literal: Option<&mut Literal>, place: usize, term: &Term) -> bool {
    match literal {
        Some(Literal::Atom(a) | Literal::Not(a)) => std::mem::replace(&mut a.args[place], term.clone()) != *term,
        _ => false,
    }
}

/// Puts another term on a side of a comparison.
fn put_side(literal: Option<&mut Literal>, left: bool, term: &Term) -> bool {
    match literal {
        Some(Literal::Compare(_, a, b)) => std::mem::replace(if left { a } else { b }, term.clone()) != *term,
        _ => false,
    }
}

/// The arguments of a functor.
fn parts(term: &Term) -> Vec<Term> {
    match term {
        Term::Negate(t) | Term::Call(_, t) => vec![(**t).clone()],
        Term::Binary(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Term::Apply(_, terms) => terms.clone(),
        // A value with one field less apart, and what is in it.
        Term::Build(b) => {
            let simpler = |i: usize| {
                let mut b = b.clone();
                (b.fields[i] != Term::Wildcard).then(|| {
                    b.fields[i] = Term::Wildcard;
                    Term::Build(b)
                })
            };
            (0..b.fields.len()).filter_map(simpler).chain(b.fields.clone()).collect()
        }
        Term::Var(_) | Term::Constant(_) | Term::Wildcard | Term::Aggregate(_) => Vec::new(),
    }
}

/// A value becomes a smaller one everywhere in the program, so that joins stay.
fn simpler_constants(source: &DatalogSource) -> Vec<Edit> {
    let mut values: Vec<Constant> = Vec::new();
    each_constant(&mut source.program.clone(), &mut |c| values.push(c.clone()));
    values.sort();
    values.dedup();
    let mut edits: Vec<Edit> = Vec::new();
    for value in values {
        for smaller in smaller_values(&value) {
            let value = value.clone();
            edits.push(edit(move |s| {
                let mut changed = false;
                each_constant(&mut s.program, &mut |c| {
                    if *c == value {
                        *c = smaller.clone();
                        changed = true;
                    }
                });
                changed
            }));
        }
    }
    edits
}

fn smaller_values(value: &Constant) -> Vec<Constant> {
    match value {
        Constant::Number(n) => [0, 1, 2, n / 2, n.saturating_abs(), n - n.signum()].map(Constant::Number).to_vec(),
        Constant::Unsigned(n) => [0, 1, 2, n / 2, n.saturating_sub(1)].map(Constant::Unsigned).to_vec(),
        Constant::Float(f) => [0.0, 1.0, f.trunc()].map(Constant::Float).to_vec(),
        Constant::Symbol(_) => ["", "a", "b", "c"].map(|s| Constant::Symbol(s.into())).to_vec(),
        // Its fields become smaller by themselves.
        Constant::Built(b) if b.branch.as_deref() == Some("") => {
            vec![Constant::Built(Box::new(BuiltValue { branch: None, fields: Vec::new(), ..**b }))]
        }
        Constant::Built(_) => Vec::new(),
    }
}

fn each_constant(program: &mut Program, see: &mut dyn FnMut(&mut Constant)) {
    program.facts.iter_mut().flat_map(|f| &mut f.values).for_each(|c| parts_of(c, see));
    for rule in &mut program.rules {
        rule.heads.iter_mut().flat_map(|h| &mut h.args).for_each(|t| constants_of(t, see));
        rule.body.iter_mut().for_each(|l| constants_in(l, see));
    }
}

fn constants_in(literal: &mut Literal, see: &mut dyn FnMut(&mut Constant)) {
    match literal {
        Literal::Atom(a) | Literal::Not(a) => a.args.iter_mut().for_each(|t| constants_of(t, see)),
        Literal::Compare(_, a, b) | Literal::Test(_, a, b) => {
            constants_of(a, see);
            constants_of(b, see);
        }
        Literal::Or(arms) => arms.iter_mut().flatten().for_each(|l| constants_in(l, see)),
    }
}

fn constants_of(term: &mut Term, see: &mut dyn FnMut(&mut Constant)) {
    match term {
        Term::Constant(c) => parts_of(c, see),
        Term::Var(_) | Term::Wildcard => {}
        Term::Negate(t) | Term::Call(_, t) => constants_of(t, see),
        Term::Binary(_, a, b) => {
            constants_of(a, see);
            constants_of(b, see);
        }
        Term::Apply(_, terms) => terms.iter_mut().for_each(|t| constants_of(t, see)),
        Term::Build(b) => b.fields.iter_mut().for_each(|t| constants_of(t, see)),
        Term::Aggregate(a) => a.body.iter_mut().for_each(|l| constants_in(l, see)),
    }
}

/// A constant, then those in it.
fn parts_of(constant: &mut Constant, see: &mut dyn FnMut(&mut Constant)) {
    see(constant);
    if let Constant::Built(b) = constant {
        b.fields.iter_mut().for_each(|f| parts_of(f, see));
    }
}
