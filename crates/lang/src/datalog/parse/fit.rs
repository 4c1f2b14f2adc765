//! Makes what was read fit together: a number literal gets the kind of the place it stands in, and what speaks of
//! relations that could not be read is left out.

use super::super::arithmetic::evaluate;
use super::super::ast::*;
use super::super::stratify::{Sign, each_use};
use super::{Parsed, Unread};
use qualm_core::dialect::datalog::SOUFFLE;

/// The attribute of a relation that has none in the text: it holds one value, and so the relation one tuple or none.
pub const UNIT: &str = "unit";

/// A record whose type is not known yet.
pub const UNKNOWN: u16 = u16::MAX;

/// A literal that always holds, or never.
pub fn always(holds: bool) -> Literal {
    Literal::Compare(Comparison::Equal, Term::number(0), Term::number(i64::from(!holds)))
}

/// What holds where not all of these do.
pub fn negated(body: Vec<Literal>) -> Result<Vec<Literal>, String> {
    let mut arms: Vec<Vec<Literal>> = Vec::new();
    for literal in body {
        arms.push(match literal {
            Literal::Atom(a) => vec![Literal::Not(a)],
            Literal::Not(a) => vec![Literal::Atom(a)],
            Literal::Compare(c, a, b) => vec![Literal::Compare(c.negated(), a, b)],
            Literal::Or(inner) => {
                let inner: Result<Vec<_>, String> = inner.into_iter().map(negated).collect();
                inner?.into_iter().flatten().collect()
            }
            Literal::Test(test, part, whole) => vec![opposite(test, part, whole)?],
        });
    }
    Ok(if arms.len() == 1 { arms.remove(0) } else { vec![Literal::Or(arms)] })
}

/// What holds of two symbols where this does not.
fn opposite(test: Test, part: Term, whole: Term) -> Result<Literal, String> {
    // How a symbol begins or ends has been read from a pattern.
    let pattern = |before: &str, after: &str| match &part {
        Term::Constant(Constant::Symbol(s)) => {
            Ok(Term::Constant(Constant::Symbol(format!("{before}{s}{after}").into())))
        }
        _ => Err("this pattern is not supported".to_owned()),
    };
    Ok(match test {
        Test::StartsWith => Literal::Test(Test::Differs, pattern("", ".*")?, whole),
        Test::EndsWith => Literal::Test(Test::Differs, pattern(".*", "")?, whole),
        Test::Contains => Literal::Test(Test::Lacks, part, whole),
        Test::Lacks => Literal::Test(Test::Contains, part, whole),
        Test::Matches => Literal::Test(Test::Differs, part, whole),
        Test::Differs => Literal::Test(Test::Matches, part, whole),
    })
}

/// Settles a program; what is left out is reported.
pub fn settle(parsed: &mut Parsed, written: Vec<Atom>, facts_at: &[(usize, usize)]) {
    let mut left_out = |at: (usize, usize), why: String| parsed.unread.push(Unread { line: at.0, column: at.1, why });
    let program = &mut parsed.program;
    let (relations, types) = (program.relations.clone(), program.types.clone());
    let find = Declarations { relations: &relations, types: &types };
    let mut kept_at = Vec::with_capacity(written.len());
    for (mut fact, at) in written.into_iter().zip(facts_at) {
        let mut vars = false;
        fact.each_var(&mut |_| vars = true);
        let folds = fact.args.iter().any(Term::has_aggregate);
        find.fit_atom(&mut fact, &mut Vec::new());
        let fits = find.relation(&fact.relation).is_some_and(|r| r.arity() == fact.args.len());
        let values: Option<Vec<Constant>> = fact.args.iter().map(|t| evaluate(t, &Vec::new(), &SOUFFLE).ok()).collect();
        match values {
            _ if !fits => left_out(*at, format!("a fact of '{}', which could not be parsed", fact.relation)),
            Some(values) => {
                program.facts.push(Fact { relation: fact.relation, values });
                kept_at.push(*at);
            }
            // What has to be computed in another way is a rule that always fires.
            None if !vars || folds => {
                let mut rule = Rule::new(fact, vec![always(true)]);
                hoist_aggregates(&mut rule);
                program.rules.push(rule);
                parsed.rules_at.push(*at);
            }
            None => left_out(*at, "a fact that is not constant".into()),
        }
    }
    parsed.facts_at = kept_at;
    let (mut rules, mut rules_at) = (Vec::new(), Vec::new());
    for (mut rule, at) in std::mem::take(&mut program.rules).into_iter().zip(&parsed.rules_at) {
        let mut missing = None;
        let mut look = |name: &Name| {
            if find.relation(name).is_none() {
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
            rule.heads.iter_mut().for_each(|h| find.fit_atom(h, &mut kinds));
            find.fit_body(&mut rule.body, &mut kinds);
        }
        rules.push(rule);
        rules_at.push(*at);
    }
    program.rules = rules;
    parsed.rules_at = rules_at;
    program.subsumptions.retain(|s| find.relation(&s.relation).is_some());
    for s in &mut program.subsumptions {
        let mut heads = [&mut s.smaller, &mut s.larger].map(|args| Atom::new(s.relation.clone(), std::mem::take(args)));
        let mut kinds = vec![None; crate::datalog::check::VARS_AT_MOST as usize];
        for _ in 0..2 {
            heads.iter_mut().for_each(|h| find.fit_atom(h, &mut kinds));
            find.fit_body(&mut s.body, &mut kinds);
        }
        let [smaller, larger] = heads;
        (s.smaller, s.larger) = (smaller.args, larger.args);
    }
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
            Literal::Compare(c, a, b) => {
                // One side may be an aggregate as it is.
                let both = matches!((&*a, &*b), (Term::Aggregate(_), Term::Aggregate(_)));
                for side in [a, b] {
                    match side {
                        Term::Aggregate(inner) if !both => hoist_body(&mut inner.body, fresh),
                        Term::Apply(Functor::Range, args) if !both && *c == Comparison::Equal => {
                            args.iter_mut().for_each(|t| hoist_term(t, fresh, &mut more));
                        }
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
        Term::Build(b) => b.fields.iter_mut().for_each(|t| hoist_term(t, fresh, more)),
        Term::Apply(Functor::Substring | Functor::Counter, args) => {
            args.iter_mut().for_each(|t| hoist_term(t, fresh, more));
        }
        // Only a comparison has room for several values.
        Term::Apply(Functor::Range, args) => {
            args.iter_mut().for_each(|t| hoist_term(t, fresh, more));
            let range = std::mem::replace(term, Term::Var(*fresh));
            more.push(Literal::Compare(Comparison::Equal, Term::Var(*fresh), range));
            *fresh += 1;
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

/// What a program declares.
struct Declarations<'a> {
    relations: &'a [Relation],
    types: &'a [BuiltType],
}

type Kinds = Vec<Option<Kind>>;

impl Declarations<'_> {
    fn relation(&self, name: &Name) -> Option<&Relation> {
        self.relations.iter().find(|r| r.name == *name)
    }

    fn fit_body(&self, body: &mut [Literal], kinds: &mut Kinds) {
        for literal in body {
            match literal {
                Literal::Atom(a) | Literal::Not(a) => self.fit_atom(a, kinds),
                Literal::Compare(_, a, b) => {
                    for side in [&mut *a, &mut *b] {
                        if let Term::Aggregate(aggregate) = side {
                            self.fit_body(&mut aggregate.body, kinds);
                        }
                    }
                    if let Some(kind) = self.kind_of(a, kinds).or(self.kind_of(b, kinds)) {
                        self.fit_term(a, kind, kinds);
                        self.fit_term(b, kind, kinds);
                    }
                }
                Literal::Test(_, a, b) => {
                    self.fit_term(a, Kind::Symbol, kinds);
                    self.fit_term(b, Kind::Symbol, kinds);
                }
                Literal::Or(arms) => arms.iter_mut().for_each(|arm| self.fit_body(arm, kinds)),
            }
        }
    }

    fn fit_atom(&self, atom: &mut Atom, kinds: &mut Kinds) {
        let Some(relation) = self.relation(&atom.relation) else { return };
        if atom.args.is_empty() && is_unit(relation) {
            atom.args.push(Term::number(0));
        }
        for (arg, attribute) in atom.args.iter_mut().zip(&relation.attributes) {
            self.fit_term(arg, attribute.kind, kinds);
        }
    }

    fn fit_term(&self, term: &mut Term, kind: Kind, kinds: &mut Kinds) {
        match term {
            Term::Var(v) => {
                let at = *v as usize;
                // A fact has no variables; one that has some is reported later.
                if let Some(known) = kinds.get_mut(at) {
                    *known = known.or(Some(kind));
                }
            }
            Term::Constant(c) => coerce_constant(c, kind),
            Term::Negate(t) => self.fit_term(t, kind, kinds),
            Term::Binary(operator, a, b) => {
                // One sign for both.
                if kind == Kind::Symbol && *operator == Operator::Add {
                    *operator = Operator::Concat;
                }
                self.fit_term(a, kind, kinds);
                self.fit_term(b, kind, kinds);
            }
            Term::Call(Function::Absolute | Function::BitNot | Function::LogicalNot, t) => {
                self.fit_term(t, kind, kinds)
            }
            Term::Call(Function::Length | Function::Lower | Function::Upper | Function::Ordinal, t) => {
                self.fit_term(t, Kind::Symbol, kinds);
            }
            Term::Call(Function::ToText | Function::ToNumber | Function::ToUnsigned | Function::ToFloat, t) => {
                if let Some(kind) = self.kind_of(t, kinds) {
                    self.fit_term(t, kind, kinds);
                }
            }
            Term::Apply(Functor::Substring, args) => {
                let wanted = [Kind::Symbol, Kind::Number, Kind::Number];
                args.iter_mut().zip(wanted).for_each(|(t, kind)| self.fit_term(t, kind, kinds));
            }
            Term::Apply(Functor::Range | Functor::Counter, args) => {
                args.iter_mut().for_each(|t| self.fit_term(t, kind, kinds));
            }
            Term::Build(b) => {
                if let (UNKNOWN, Kind::Built(at)) = (b.kind, kind) {
                    b.kind = at;
                }
                let declared = self.types.get(usize::from(b.kind));
                let branch = declared.and_then(|t| t.branch(b.branch.as_deref()?));
                for (field, attribute) in b.fields.iter_mut().zip(branch.iter().flat_map(|b| &b.fields)) {
                    self.fit_term(field, attribute.kind, kinds);
                }
                if b.kind != UNKNOWN {
                    *term = (**b).clone().folded();
                }
            }
            Term::Aggregate(a) => {
                self.fit_body(&mut a.body, kinds);
                if let (Some(target), Fold::Sum | Fold::Min | Fold::Max) = (&mut a.target, a.fold) {
                    self.fit_term(target, kind, kinds);
                }
            }
            Term::Wildcard => {}
        }
    }

    /// What a term says about its type; a bare number literal says nothing.
    fn kind_of(&self, term: &Term, kinds: &[Option<Kind>]) -> Option<Kind> {
        match term {
            Term::Var(v) => kinds.get(*v as usize).copied().flatten(),
            Term::Constant(Constant::Number(_)) | Term::Wildcard => None,
            Term::Constant(c) => Some(c.kind()),
            Term::Negate(t) => self.kind_of(t, kinds),
            Term::Call(Function::Length | Function::ToNumber | Function::Ordinal, _) => Some(Kind::Number),
            Term::Call(Function::ToUnsigned, _) => Some(Kind::Unsigned),
            Term::Call(Function::ToFloat, _) => Some(Kind::Float),
            Term::Call(Function::Lower | Function::Upper | Function::ToText, _) => Some(Kind::Symbol),
            Term::Call(Function::Absolute | Function::BitNot | Function::LogicalNot, t) => self.kind_of(t, kinds),
            Term::Binary(_, a, b) => self.kind_of(a, kinds).or(self.kind_of(b, kinds)),
            Term::Apply(Functor::Substring, _) => Some(Kind::Symbol),
            Term::Apply(Functor::Counter, _) => Some(Kind::Number),
            Term::Apply(Functor::Range, args) => args.iter().find_map(|t| self.kind_of(t, kinds)),
            Term::Build(b) if b.kind == UNKNOWN => None,
            Term::Build(b) => Some(Kind::Built(b.kind)),
            Term::Aggregate(a) => match a.fold {
                Fold::Count => Some(Kind::Number),
                Fold::Mean => Some(Kind::Float),
                Fold::Sum | Fold::Min | Fold::Max => a.target.as_ref().and_then(|t| self.kind_of(t, kinds)),
            },
        }
    }
}

fn coerce_constant(c: &mut Constant, kind: Kind) {
    if let Constant::Number(n) = *c {
        match kind {
            Kind::Unsigned => *c = Constant::Unsigned(n as u64),
            Kind::Float => *c = Constant::Float(n as f64),
            Kind::Number | Kind::Symbol | Kind::Built(_) => {}
        }
    }
}
