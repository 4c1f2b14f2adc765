//! Algorithm 1 of the paper: what a program derives, found by running its rules one at a time over facts that were
//! found before. It knows facts and reference programs; who answers those is the caller's matter.

use super::schedule::{Clause, Node, Precedence, Unit, clauses_of, is_closed};
use crate::datalog::ast::*;
use crate::datalog::evaluate::{Contents, Tuple};
use std::collections::BTreeSet;

/// Why a rule cannot stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The engine does not take the reference program, or its answer cannot be written as facts.
    Refused,
    TooManyFacts,
    NoFixpoint,
    /// The engine broke; the one who asked knows how.
    Broke,
}

/// Runs a reference program and gives its output. The text says which rules it is about.
pub type Evaluate<'a> = dyn FnMut(&Program, &str) -> Result<BTreeSet<Tuple>, Stop> + 'a;

/// A program with what its rules have derived so far.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// Whole, with qualifiers and plans; the reference programs have none.
    pub program: Program,
    pub precedence: Precedence,
    /// The facts that the program begins with, of each relation.
    pub initial: Contents,
    /// What each clause derives. Where several are evaluated as one program, the first of each relation has it all.
    by_clause: Vec<BTreeSet<Tuple>>,
    /// What each relation holds.
    pub contents: Contents,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub max_iter: usize,
    pub max_facts: usize,
}

impl Evaluation {
    /// Nothing is evaluated yet.
    pub fn of(program: Program) -> Evaluation {
        let precedence = Precedence::of(&program);
        let mut initial: Contents = vec![BTreeSet::new(); program.relations.len()];
        for fact in &program.facts {
            if let Some(at) = program.place(&fact.relation) {
                initial[at].insert(fact.values.clone());
            }
        }
        let by_clause = vec![BTreeSet::new(); precedence.clauses.len()];
        Evaluation { contents: initial.clone(), program, precedence, initial, by_clause }
    }

    pub fn declare(&mut self, relation: Relation) -> usize {
        self.precedence.declare(is_closed(&relation, &[]));
        self.program.relations.push(relation);
        self.initial.push(BTreeSet::new());
        self.contents.push(BTreeSet::new());
        self.contents.len() - 1
    }

    /// Takes back relations that have no rules.
    pub fn undeclare(&mut self, relations: usize) {
        self.program.relations.truncate(relations);
        self.precedence.truncate(relations, self.by_clause.len());
        self.initial.truncate(relations);
        self.contents.truncate(relations);
    }

    /// Some tuples of a relation go when others are there.
    pub fn subsume(&mut self, relation: usize, subsumption: Subsumption) {
        self.program.subsumptions.push(subsumption);
        self.precedence.close(relation);
    }

    /// The clauses of a new rule, whose relations are given by `place`.
    pub fn push(&mut self, rule: Rule, place: &dyn Fn(&str) -> Option<usize>) -> Vec<usize> {
        let first = self.by_clause.len();
        for clause in clauses_of(self.program.rules.len(), &rule, place) {
            self.precedence.push(clause);
            self.by_clause.push(BTreeSet::new());
        }
        self.program.rules.push(rule);
        (first..self.by_clause.len()).collect()
    }

    /// Takes back the last rule and what was declared for it. What it changed must be restored before.
    pub fn pop(&mut self, relations: usize) {
        self.program.rules.pop();
        let rules = self.program.rules.len();
        let last = self.precedence.clauses.iter().rposition(|c| c.rule < rules);
        let clauses = last.map_or(0, |at| at + 1);
        self.by_clause.truncate(clauses);
        self.undeclare(relations);
    }

    /// Forgets what relations were said to hold.
    pub fn forget(&mut self) {
        self.contents.clone_from(&self.initial);
    }

    /// What these clauses have derived, to be put back if the new rule cannot stay.
    pub fn saved(&self, clauses: &[usize]) -> Vec<(usize, BTreeSet<Tuple>)> {
        clauses.iter().map(|c| (*c, self.by_clause[*c].clone())).collect()
    }

    pub fn restore(&mut self, saved: Vec<(usize, BTreeSet<Tuple>)>) {
        let relations: BTreeSet<usize> = saved.iter().map(|(c, _)| self.precedence.clauses[*c].relation).collect();
        saved.into_iter().for_each(|(c, tuples)| self.by_clause[c] = tuples);
        relations.into_iter().for_each(|r| self.gather(r));
    }

    /// A clause that nothing depends on has derived this.
    pub fn settle(&mut self, clause: usize, tuples: BTreeSet<Tuple>) {
        self.by_clause[clause] = tuples;
        self.gather(self.precedence.clauses[clause].relation);
    }

    /// Evaluates these clauses, all others being right. What they derived before is stale and goes first.
    pub fn run(&mut self, clauses: &[usize], limits: Limits, evaluate: &mut Evaluate) -> Result<(), Stop> {
        for c in clauses {
            self.by_clause[*c].clear();
        }
        let relations: BTreeSet<usize> = clauses.iter().map(|c| self.precedence.clauses[*c].relation).collect();
        relations.into_iter().for_each(|r| self.gather(r));
        for node in self.precedence.schedule(clauses) {
            match node {
                Node::Once(unit) => drop(self.unit(&unit, limits, evaluate)?),
                Node::Fixpoint(units) => self.fixpoint(&units, limits, evaluate)?,
                Node::Together(clauses) => self.together(&clauses, limits, evaluate)?,
            }
        }
        Ok(())
    }

    /// Units in turn until nothing changes. One whose inputs are as they were is not asked again: it says the same.
    fn fixpoint(&mut self, units: &[Unit], limits: Limits, evaluate: &mut Evaluate) -> Result<(), Stop> {
        let mut stale = vec![true; units.len()];
        let mut runs = 0;
        while let Some(at) = stale.iter().position(|s| *s) {
            // In turn: the ones after this one first, so that no pair of them keeps the others waiting.
            for u in at..units.len() {
                if !std::mem::replace(&mut stale[u], false) {
                    continue;
                }
                runs += 1;
                if runs > limits.max_iter {
                    return Err(Stop::NoFixpoint);
                }
                if self.unit(&units[u], limits, evaluate)? {
                    let changed = self.precedence.clauses[units[u][0]].relation;
                    let uses =
                        |unit: &Unit| unit.iter().any(|c| self.clause(*c).uses.iter().any(|(r, _)| *r == changed));
                    // A unit that uses its own relation is closed under it, if it is more than one clause.
                    let own = |v: usize| v == u && self.precedence.is_closed(changed);
                    (0..units.len()).filter(|v| uses(&units[*v]) && !own(*v)).for_each(|v| stale[v] = true);
                }
            }
        }
        Ok(())
    }

    fn clause(&self, at: usize) -> &Clause {
        &self.precedence.clauses[at]
    }

    /// Runs one unit and says whether its relation has changed.
    fn unit(&mut self, unit: &Unit, limits: Limits, evaluate: &mut Evaluate) -> Result<bool, Stop> {
        let relation = self.clause(unit[0]).relation;
        let label = self.label(unit);
        let tuples = match self.precedence.is_closed(relation) {
            true => evaluate(&self.joint_program(unit, relation), &label)?,
            false => evaluate(&self.single_program(unit[0]), &label)?,
        };
        if tuples == self.by_clause[unit[0]] {
            return Ok(false);
        }
        self.by_clause[unit[0]] = tuples;
        let before = std::mem::take(&mut self.contents[relation]);
        self.gather(relation);
        if self.contents[relation].len() > limits.max_facts {
            return Err(Stop::TooManyFacts);
        }
        Ok(self.contents[relation] != before)
    }

    /// All clauses in one program, asked once for each of their relations.
    fn together(&mut self, clauses: &[usize], limits: Limits, evaluate: &mut Evaluate) -> Result<(), Stop> {
        let mut found = Vec::new();
        for (i, c) in clauses.iter().enumerate() {
            let relation = self.clause(*c).relation;
            if clauses[..i].iter().any(|d| self.clause(*d).relation == relation) {
                continue;
            }
            found.push((*c, evaluate(&self.joint_program(clauses, relation), &self.label(clauses))?));
        }
        for (c, tuples) in found {
            if tuples.len() > limits.max_facts {
                return Err(Stop::TooManyFacts);
            }
            self.settle(c, tuples);
        }
        Ok(())
    }

    /// What a relation holds: all that its clauses derive, and its facts.
    fn gather(&mut self, relation: usize) {
        let mut all = BTreeSet::new();
        for c in &self.precedence.by_head[relation] {
            all.extend(self.by_clause[*c].iter().cloned());
        }
        // What subsumption or choice has taken away must not come back; they were given the facts.
        if !self.precedence.is_closed(relation) || self.precedence.by_head[relation].is_empty() {
            all.extend(self.initial[relation].iter().cloned());
        }
        self.contents[relation] = all;
    }

    fn label(&self, clauses: &[usize]) -> String {
        let mut rules: Vec<usize> = clauses.iter().map(|c| self.clause(*c).rule + 1).collect();
        rules.dedup();
        let rules: Vec<String> = rules.iter().map(usize::to_string).collect();
        format!("rule{} {} alone", if rules.len() == 1 { "" } else { "s" }, rules.join(", "))
    }

    /// One clause over the facts that its body needs. Its head has another name where the body uses it, so that nothing
    /// is recursive.
    pub fn single_program(&self, clause: usize) -> Program {
        let Clause { rule, head, relation, uses } = self.clause(clause);
        let mut program = self.inputs(uses.iter().map(|(used, _)| *used));
        let mut derived = plain(&self.program.relations[*relation]);
        let mut atom = self.program.rules[*rule].heads[*head].clone();
        if uses.iter().any(|(used, _)| used == relation) {
            let mut name = format!("{}_next", derived.name);
            while self.program.relation(&name).is_some() {
                name.push('_');
            }
            derived.name = name.as_str().into();
            atom.relation = derived.name.clone();
        }
        program.output = derived.name.clone();
        program.relations.push(derived);
        program.rules.push(Rule::new(atom, self.program.rules[*rule].body.clone()));
        program
    }

    /// These clauses as one program, with the facts that come into it from outside.
    fn joint_program(&self, clauses: &[usize], output: usize) -> Program {
        let inside: BTreeSet<usize> = clauses.iter().map(|c| self.clause(*c).relation).collect();
        let used = clauses.iter().flat_map(|c| self.clause(*c).uses.iter().map(|(used, _)| *used));
        let outside: BTreeSet<usize> = used.filter(|r| !inside.contains(r)).collect();
        let mut program = self.inputs(outside.into_iter());
        for r in &inside {
            let mut relation = self.program.relations[*r].clone();
            relation.qualifiers.retain(|q| *q == Qualifier::Eqrel);
            let name = relation.name.clone();
            program.subsumptions.extend(self.program.subsumptions.iter().filter(|s| s.relation == name).cloned());
            let mut given = self.initial[*r].clone();
            for c in self.precedence.by_head[*r].iter().filter(|c| !clauses.contains(c)) {
                given.extend(self.by_clause[*c].iter().cloned());
            }
            if !given.is_empty() {
                give(&mut program, &relation, given);
            }
            program.relations.push(relation);
        }
        for c in clauses {
            let Clause { rule, head, .. } = self.clause(*c);
            let rule = &self.program.rules[*rule];
            program.rules.push(Rule::new(rule.heads[*head].clone(), rule.body.clone()));
        }
        program.output = self.program.relations[output].name.clone();
        program
    }

    /// Relations and all that they hold.
    fn inputs(&self, relations: impl Iterator<Item = usize>) -> Program {
        let mut program = Program { types: self.program.types.clone(), ..Program::default() };
        let mut last = None;
        for r in relations {
            // Uses of one relation stand together.
            if last.replace(r) == Some(r) {
                continue;
            }
            let relation = plain(&self.program.relations[r]);
            let fact = |values: &Tuple| Fact { relation: relation.name.clone(), values: values.clone() };
            program.facts.extend(self.contents[r].iter().map(fact));
            program.relations.push(relation);
        }
        program
    }

    /// A program that holds what a relation has turned out to hold, as facts, and outputs it.
    pub fn collected(&self, relation: usize) -> Program {
        let mut program = Program { types: self.program.types.clone(), ..Program::default() };
        let derived = plain(&self.program.relations[relation]);
        program.output = derived.name.clone();
        give(&mut program, &derived, self.contents[relation].clone());
        program.relations.push(derived);
        program
    }

    /// Whether one run of one clause says all that the relation holds.
    pub fn is_one_clause(&self, relation: usize) -> bool {
        self.precedence.by_head[relation].len() == 1 && self.initial[relation].is_empty()
    }
}

/// Tuples come into a relation with rules by a rule over a relation of facts: not every dialect has both in one.
fn give(program: &mut Program, relation: &Relation, tuples: BTreeSet<Tuple>) {
    let given = Relation { name: format!("{}_given", relation.name).into(), ..plain(relation) };
    let vars: Vec<Term> = (0..given.arity() as Var).map(Term::Var).collect();
    program.facts.extend(tuples.into_iter().map(|values| Fact { relation: given.name.clone(), values }));
    let body = vec![Literal::Atom(Atom::new(given.name.clone(), vars.clone()))];
    program.rules.push(Rule::new(Atom::new(relation.name.clone(), vars), body));
    program.relations.push(given);
}

/// Without anything that says more than which tuples it may hold.
fn plain(relation: &Relation) -> Relation {
    Relation { qualifiers: Vec::new(), choice: Vec::new(), ..relation.clone() }
}
