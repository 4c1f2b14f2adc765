//! Random programs, from nothing or on top of a seed. Each rule is built around a witness: values for its variables
//! that come from tuples which are there, so that joins match, comparisons hold and the answer is seldom empty. The
//! evaluator computes each relation once it is built; what it says steers, and decides nothing else.

mod bodies;
mod built;
mod functors;
mod single;
#[cfg(test)]
mod tests;

pub use single::{Ground, Single};

use super::arithmetic::{compare, evaluate, passes};
use super::ast::*;
use super::check;
use super::evaluate::{self, Bindings, Contents, QUICK};
use super::finite;
use super::stratify::Stratum;
use qualm_core::dialect::datalog::{DatalogDialect, Part};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;
use smol_str::format_smolstr;
use std::collections::BTreeSet;

/// The parameters of generation. Ranges include both ends; chances are in percent.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// Relations of facts, their attributes, their tuples.
    pub inputs: (usize, usize),
    pub arity: (usize, usize),
    pub rows: (usize, usize),
    /// Different values of each kind, among which all facts and constants are chosen.
    pub values: (usize, usize),
    /// Relations with rules, and rules of each.
    pub derived: (usize, usize),
    pub rules: (usize, usize),
    /// Positive subgoals of a body, then the most of each kind of further literals.
    pub body: (usize, usize),
    pub negated: usize,
    pub comparisons: usize,
    /// An argument repeats a variable of the same value.
    pub join: u32,
    pub wildcard: u32,
    pub constant: u32,
    /// A body uses a relation with rules rather than facts, where there is one.
    pub layered: u32,
    /// A rule has a negated subgoal, a comparison, an assignment, an aggregate, a disjunction.
    pub negation: u32,
    pub comparison: u32,
    pub assignment: u32,
    pub aggregate: u32,
    pub disjunction: u32,
    /// A further rule of a relation uses the relation itself.
    pub recursion: u32,
    /// At the end, an earlier relation gets a rule over a later one.
    pub back_edge: u32,
    pub head_functor: u32,
    /// An argument of a subgoal is computed.
    pub subgoal_functor: u32,
    /// A program has types of its own; one of their values is taken apart where it stands in a subgoal.
    pub built: u32,
    pub unpack: u32,
    /// A variable gets each number of a range.
    pub range: u32,
    /// A functor is one of a single argument; a comparison of symbols asks for a part of one.
    pub call: u32,
    pub part: u32,
    pub second_head: u32,
    /// Qualifiers of a relation.
    pub storage: u32,
    pub inline: u32,
    pub magic: u32,
    pub eqrel: u32,
    pub subsumption: u32,
    pub choice: u32,
    pub plan: u32,
    /// A comparison or negated subgoal is drawn blindly, whether the witness satisfies it or not.
    pub blind: u32,
    /// A rule may use relations that hold nothing.
    pub use_empty: u32,
    /// A subgoal is of one of the newest relations, so that rules build on each other.
    pub recent: u32,
}

pub fn parameters(size: Size) -> Parameters {
    let medium = Parameters {
        inputs: (1, 3),
        arity: (1, 3),
        rows: (1, 8),
        values: (3, 7),
        derived: (2, 5),
        rules: (1, 2),
        body: (1, 3),
        negated: 2,
        comparisons: 2,
        join: 65,
        wildcard: 6,
        constant: 8,
        layered: 55,
        negation: 25,
        comparison: 35,
        assignment: 12,
        aggregate: 12,
        disjunction: 10,
        recursion: 45,
        back_edge: 12,
        head_functor: 10,
        subgoal_functor: 4,
        built: 20,
        unpack: 60,
        range: 3,
        call: 20,
        part: 30,
        second_head: 6,
        storage: 25,
        inline: 12,
        magic: 10,
        eqrel: 4,
        subsumption: 5,
        choice: 1,
        plan: 10,
        blind: 8,
        use_empty: 0,
        recent: 0,
    };
    match size {
        Size::Small => Parameters { derived: (1, 3), rows: (1, 5), inputs: (1, 2), ..medium },
        Size::Medium => medium,
        Size::Large => Parameters { derived: (3, 9), rows: (2, 15), rules: (1, 3), body: (1, 4), ..medium },
    }
}

/// Facts of a relation that is inlined.
const INLINED_FACTS: usize = 2;

pub struct Generator<'a> {
    pub rng: &'a mut Rng,
    pub dialect: &'static DatalogDialect,
    pub parameters: Parameters,
    /// Kinds whose equality is not identity may be used: only the same program is compared with itself.
    pub loose: bool,
}

/// A program while it grows.
struct Growing {
    program: Program,
    contents: Contents,
    /// Values of each kind that facts and constants are chosen from.
    pool: Vec<(Kind, Vec<Constant>)>,
}

/// Variables of a rule with their kinds and the values of the witness.
struct Witness {
    kinds: Vec<Kind>,
    values: Bindings,
}

impl Witness {
    fn fresh(&mut self, value: Constant) -> Term {
        self.kinds.push(value.kind());
        self.values.push(Some(value));
        Term::Var(self.kinds.len() as Var - 1)
    }

    fn of_kind(&self, kind: Kind) -> Vec<Var> {
        (0..self.kinds.len())
            .filter(|v| self.kinds[*v] == kind && self.values[*v].is_some())
            .map(|v| v as Var)
            .collect()
    }
}

/// Attempts at one rule before it is left out.
const ATTEMPTS: usize = 4;

impl Generator<'_> {
    fn percent(&mut self, chance: u32) -> bool {
        self.rng.chance(chance, 100)
    }

    fn has(&mut self, part: Part, chance: u32) -> bool {
        self.dialect.has(part) && self.percent(chance)
    }

    fn range(&mut self, (low, high): (usize, usize)) -> usize {
        self.rng.range(low, high)
    }

    /// A program from nothing.
    pub fn program(&mut self) -> Program {
        loop {
            if let Some(program) = self.extend(&Program::default()) {
                return program;
            }
        }
    }

    /// The seed with more facts and rules, and another output. Nothing when the seed is too big to compute quickly.
    pub fn extend(&mut self, seed: &Program) -> Option<Program> {
        let mut growing = Growing { program: seed.clone(), contents: Contents::new(), pool: self.pool(seed) };
        if !seed.relations.is_empty() {
            growing.contents = evaluate::contents(seed, self.dialect, QUICK).ok()?;
        }
        self.types(&mut growing);
        let inputs = if seed.facts.is_empty() { self.range(self.parameters.inputs) } else { self.rng.below(2) };
        (0..inputs).for_each(|_| self.input(&mut growing));
        for _ in 0..self.range(self.parameters.derived) {
            self.derived(&mut growing);
        }
        if self.has(Part::Recursion, self.parameters.back_edge) {
            self.back_edge(&mut growing);
        }
        let Growing { mut program, contents, .. } = growing;
        let derived = |r: &Relation| program.is_derived(&r.name);
        let new = seed.relations.len();
        let last = (new..program.relations.len()).rev().find(|i| derived(&program.relations[*i]))?;
        // Now and then another one, if it says something.
        let other = (new..last).rev().find(|i| derived(&program.relations[*i]) && !contents[*i].is_empty());
        let last = other.filter(|_| contents[last].is_empty() || self.percent(10)).unwrap_or(last);
        program.output = program.relations[last].name.clone();
        self.qualify(&mut program);
        check::program(&program, self.dialect).is_ok().then_some(program)
    }

    fn pool(&mut self, seed: &Program) -> Vec<(Kind, Vec<Constant>)> {
        let mut kinds: Vec<Kind> = self.dialect.kinds.to_vec();
        if self.loose {
            kinds.extend(self.dialect.loose_kinds);
        }
        // Few kinds in one program: values that cannot meet join nothing.
        while kinds.len() > 2 {
            kinds.remove(self.rng.below(kinds.len()));
        }
        if kinds.len() == 2 && self.percent(40) {
            kinds.truncate(1);
        }
        let mut pool: Vec<(Kind, Vec<Constant>)> = Vec::new();
        for kind in kinds {
            let count = self.range(self.parameters.values);
            pool.push((kind, (0..count).map(|_| self.constant(kind)).collect()));
        }
        for value in seed.facts.iter().flat_map(|f| &f.values).take(50) {
            match pool.iter_mut().find(|(k, _)| *k == value.kind()) {
                Some((_, values)) => values.push(value.clone()),
                None => pool.push((value.kind(), vec![value.clone()])),
            }
        }
        pool
    }

    fn constant(&mut self, kind: Kind) -> Constant {
        let (low, high) = self.dialect.constants;
        match kind {
            Kind::Number => Constant::Number(low + self.rng.below((high - low) as usize + 1) as i64),
            Kind::Unsigned => Constant::Unsigned(self.rng.below(high as usize + 1) as u64),
            // Both zeros more often than the rest: they are equal and yet two values.
            Kind::Float if self.dialect.floats_by_bits => {
                Constant::Float(*self.rng.pick(&[0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.25]))
            }
            // Where they are one value to some parts of an engine and two to others, nothing is claimed of −0.0.
            Kind::Float => Constant::Float(*self.rng.pick(&[0.0, 1.0, -1.0, 0.5, 2.5, -3.25, 4.0])),
            Kind::Symbol => Constant::Symbol((*self.rng.pick(&["a", "b", "c", "d", "ab", "ba", "A", "x1", ""])).into()),
            Kind::Built(kind) => Constant::Built(Box::new(BuiltValue { kind, branch: None, fields: Vec::new() })),
        }
    }

    fn pooled(&mut self, growing: &Growing, kind: Kind) -> Constant {
        match growing.pool.iter().find(|(k, v)| *k == kind && !v.is_empty()) {
            Some((_, values)) => self.rng.pick(values).clone(),
            None if matches!(kind, Kind::Built(_)) => self.built_value(growing, kind, 0),
            None => self.constant(kind),
        }
    }

    fn declare(&mut self, growing: &mut Growing, stem: &str, kinds: &[Kind]) -> usize {
        let name = growing.program.fresh_name(stem);
        let attribute = |(i, kind): (usize, &Kind)| Attribute { name: format_smolstr!("a{i}"), kind: *kind };
        let attributes = kinds.iter().enumerate().map(attribute).collect();
        growing.program.relations.push(Relation { name, attributes, qualifiers: Vec::new(), choice: Vec::new() });
        growing.contents.push(BTreeSet::new());
        growing.program.relations.len() - 1
    }

    fn input(&mut self, growing: &mut Growing) {
        let most = self.parameters.arity.1.min(self.dialect.most_attributes);
        let kinds: Vec<Kind> =
            (0..self.range((self.parameters.arity.0, most))).map(|_| self.rng.pick(&growing.pool).0).collect();
        let at = self.declare(growing, "e", &kinds);
        for _ in 0..self.range(self.parameters.rows) {
            let tuple: Vec<Constant> = kinds.iter().map(|k| self.pooled(growing, *k)).collect();
            if growing.contents[at].insert(tuple.clone()) {
                growing
                    .program
                    .facts
                    .push(Fact { relation: growing.program.relations[at].name.clone(), values: tuple });
            }
        }
    }

    /// A relation with rules. One whose rules cannot be computed quickly is taken back.
    fn derived(&mut self, growing: &mut Growing) {
        let before = (growing.program.rules.len(), growing.program.relations.len());
        let Some((body, witness)) = self.body(growing, None) else { return };
        let (head, kinds) = self.new_head(&body, &witness);
        let at = self.declare(growing, "r", &kinds);
        let name = growing.program.relations[at].name.clone();
        let mut rule = Rule::new(Atom::new(name.clone(), head), body);
        self.functor_in_head(&mut rule, growing, &witness);
        growing.program.rules.push(rule);
        let eqrel = kinds.len() == 2 && kinds[0] == kinds[1] && self.dialect.qualifiers.contains(&Qualifier::Eqrel);
        if eqrel && self.percent(self.parameters.eqrel) {
            growing.program.relations[at].qualifiers.push(Qualifier::Eqrel);
        }
        let mut fine = self.compute(growing, at, false);
        for _ in 1..self.range(self.parameters.rules) {
            let recursive = self.has(Part::Recursion, self.parameters.recursion);
            let Some(rule) = self.further_rule(growing, at, recursive) else { continue };
            growing.program.rules.push(rule);
            if !self.compute(growing, at, recursive) {
                growing.program.rules.pop();
                growing.contents[at].clear();
                fine = self.compute(growing, at, true);
            }
        }
        if fine && self.has(Part::FactsBesideRules, 8) {
            let values: Vec<Constant> = kinds.iter().map(|k| self.pooled(growing, *k)).collect();
            growing.program.facts.push(Fact { relation: name.clone(), values });
            fine = self.compute(growing, at, true);
        }
        if fine && self.has(Part::Subsumption, self.parameters.subsumption) {
            self.subsumption(growing, at);
        }
        if !fine {
            growing.program.facts.retain(|f| f.relation != name);
            growing.program.rules.truncate(before.0);
            growing.program.relations.truncate(before.1);
            growing.contents.truncate(before.1);
        }
    }

    fn compute(&mut self, growing: &mut Growing, at: usize, recursive: bool) -> bool {
        let stratum = Stratum { relations: vec![at], recursive };
        let mut left = QUICK.steps;
        let Growing { program, contents, .. } = growing;
        evaluate::compute(program, self.dialect, &stratum, contents, QUICK, &mut left).is_ok()
    }

    /// A rule for a relation that is there. A recursive one uses the relation itself.
    fn further_rule(&mut self, growing: &mut Growing, at: usize, recursive: bool) -> Option<Rule> {
        for _ in 0..ATTEMPTS {
            let Some((body, witness)) = self.body(growing, recursive.then_some(at)) else { continue };
            let attributes: Vec<Kind> = growing.program.relations[at].attributes.iter().map(|a| a.kind).collect();
            let Some(args) = self.head_of(&attributes, growing, &witness) else { continue };
            let mut rule = Rule::new(Atom::new(growing.program.relations[at].name.clone(), args), body);
            if recursive && self.has(Part::PlanHint, self.parameters.plan) {
                rule.plan = (1..=rule.atoms().count()).collect();
                self.rng.shuffle(&mut rule.plan);
            }
            self.functor_in_head(&mut rule, growing, &witness);
            if !recursive {
                self.second_head(&mut rule, growing, at, &witness);
            } else if !self.ends(&mut rule, growing, at, &witness) {
                continue;
            }
            return Some(rule);
        }
        None
    }

    fn new_head(&mut self, body: &[Literal], witness: &Witness) -> (Vec<Term>, Vec<Kind>) {
        let bound = check::bound_by(body, 0, true);
        let vars: Vec<Var> = (0..witness.kinds.len() as Var).filter(|v| bound & check::bit(*v) != 0).collect();
        let most = self.parameters.arity.1.min(self.dialect.most_attributes);
        let arity = self.range((self.parameters.arity.0, most));
        let mut picked: Vec<Var> = Vec::with_capacity(arity);
        for _ in 0..arity {
            // Rather one that is not there yet: a second chance is enough for that.
            let first = *self.rng.pick(&vars);
            picked.push(if picked.contains(&first) { *self.rng.pick(&vars) } else { first });
        }
        let kinds = picked.iter().map(|v| witness.kinds[*v as usize]).collect();
        (picked.into_iter().map(Term::Var).collect(), kinds)
    }

    fn head_of(&mut self, kinds: &[Kind], growing: &Growing, witness: &Witness) -> Option<Vec<Term>> {
        let mut args = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let vars = witness.of_kind(*kind);
            args.push(if vars.is_empty() || self.has(Part::ConstantInHead, 4) {
                if !self.dialect.has(Part::ConstantInHead) {
                    return None;
                }
                Term::Constant(self.pooled(growing, *kind))
            } else {
                Term::Var(*self.rng.pick(&vars))
            });
        }
        Some(args)
    }

    /// Whether the recursion of a rule ends. Where numbers are computed, comparisons see to it.
    fn ends(&mut self, rule: &mut Rule, growing: &Growing, at: usize, witness: &Witness) -> bool {
        let stratum = [Stratum { relations: vec![at], recursive: true }];
        let name = growing.program.relations[at].name.clone();
        let endless = |rule: &Rule| finite::is_endless(rule, &growing.program, &stratum, self.dialect);
        if !endless(rule) {
            return true;
        }
        let mut computed: check::Vars = 0;
        let mut see = |t: &Term| {
            if !matches!(t, Term::Var(_) | Term::Constant(_)) {
                t.each_var(&mut |v| computed |= check::bit(v));
            }
        };
        rule.heads.iter().filter(|h| h.relation == name).flat_map(|h| &h.args).for_each(&mut see);
        for literal in &rule.body {
            if let Literal::Compare(Comparison::Equal, a, b) = literal {
                see(a);
                see(b);
            }
        }
        let (low, high) = self.dialect.constants;
        for v in (0..witness.kinds.len() as Var).filter(|v| computed & check::bit(*v) != 0) {
            if let Some(Constant::Number(n)) = witness.values[v as usize] {
                let bound = |c, n| Literal::Compare(c, Term::Var(v), Term::number(n));
                rule.body.push(bound(Comparison::GreaterEqual, low.min(n)));
                rule.body.push(bound(Comparison::LessEqual, high.max(n)));
            }
        }
        !endless(rule)
    }

    fn second_head(&mut self, rule: &mut Rule, growing: &mut Growing, at: usize, witness: &Witness) {
        if !self.has(Part::ManyHeads, self.parameters.second_head) {
            return;
        }
        // Only relations that nothing was built on yet: what was computed stays as it is.
        let kinds: Vec<Kind> = growing.program.relations[at].attributes.iter().map(|a| a.kind).collect();
        if let Some(args) = self.head_of(&kinds, growing, witness) {
            rule.heads.push(Atom::new(growing.program.relations[at].name.clone(), args));
        }
    }

    fn subsumption(&mut self, growing: &mut Growing, at: usize) {
        let relation = &growing.program.relations[at];
        let recursive = growing.program.rules.iter().any(|r| {
            r.heads.iter().any(|h| h.relation == relation.name) && r.atoms().any(|(_, a)| a.relation == relation.name)
        });
        if recursive || relation.has(Qualifier::Eqrel) {
            return;
        }
        let n = relation.arity() as Var;
        let key = self.rng.below(n as usize) as Var;
        if matches!(relation.attributes[key as usize].kind, Kind::Built(_)) {
            return;
        }
        // The others are equal, so the order is strict and every tuple that goes has one that stays.
        let side = |other: Var| (0..n).map(|i| Term::Var(if i == key { n + other } else { i })).collect();
        let c = if self.rng.coin() { Comparison::Less } else { Comparison::Greater };
        let body = vec![Literal::Compare(c, Term::Var(n), Term::Var(n + 1))];
        let name = relation.name.clone();
        growing.program.subsumptions.push(Subsumption { relation: name, smaller: side(0), larger: side(1), body });
        if !self.compute(growing, at, false) {
            growing.program.subsumptions.pop();
        }
    }

    /// An earlier relation gets a rule over a later one, if the program can still be stratified.
    fn back_edge(&mut self, growing: &mut Growing) {
        let derived: Vec<usize> = (0..growing.program.relations.len())
            .filter(|i| growing.program.is_derived(&growing.program.relations[*i].name))
            .collect();
        let [first, .., last] = derived.as_slice() else { return };
        let at = growing.program.relations[*first].name.clone();
        if growing.program.subsumptions.iter().any(|s| s.relation == at) {
            return;
        }
        let Some((body, witness)) = self.body(growing, Some(*last)) else { return };
        let kinds: Vec<Kind> = growing.program.relations[*first].attributes.iter().map(|a| a.kind).collect();
        let Some(args) = self.head_of(&kinds, growing, &witness) else { return };
        growing.program.rules.push(Rule::new(Atom::new(at, args), body));
        growing.program.output = growing.program.relations[*last].name.clone();
        let fine = check::program(&growing.program, self.dialect).is_ok()
            && evaluate::contents(&growing.program, self.dialect, QUICK).is_ok();
        if !fine {
            growing.program.rules.pop();
        }
    }

    /// Qualifiers, where the program allows them.
    fn qualify(&mut self, program: &mut Program) {
        use Qualifier::*;
        for at in 0..program.relations.len() {
            let mut wanted = Vec::new();
            if self.percent(self.parameters.storage) {
                wanted.push(*self.rng.pick(&[Brie, Btree, BtreeDelete]));
            }
            if self.percent(self.parameters.inline) {
                wanted.push(if self.percent(70) { Inline } else { NoInline });
            } else if self.percent(self.parameters.magic) {
                wanted.push(if self.percent(70) { Magic } else { NoMagic });
            }
            for qualifier in wanted.into_iter().filter(|q| self.dialect.qualifiers.contains(q)) {
                // A subsumed relation is stored in a way of its own.
                let stored = matches!(qualifier, Brie | Btree | Inline);
                let name = &program.relations[at].name;
                let twice = program.relations[at].has(qualifier);
                // Soufflé 2.5 aborts where one that is not to be inlined uses one that is: now and then is enough.
                let opposite = if qualifier == Inline { NoInline } else { Inline };
                let both = matches!(qualifier, Inline | NoInline) && program.relations.iter().any(|r| r.has(opposite));
                // Each fact becomes a clause wherever the relation is used: three uses of eight facts are 512 clauses.
                let facts = program.facts.iter().filter(|f| f.relation == *name).count();
                let explodes = qualifier == Inline && facts > INLINED_FACTS;
                let twice = twice || explodes || both && !self.rng.chance(1, 12);
                if twice || stored && program.subsumptions.iter().any(|s| s.relation == *name) {
                    continue;
                }
                program.relations[at].qualifiers.push(qualifier);
                if check::program(program, self.dialect).is_err() {
                    program.relations[at].qualifiers.pop();
                }
            }
            if self.has(Part::Choice, self.parameters.choice) && program.relations[at].arity() > 1 {
                program.relations[at].choice = vec![vec![0]];
            }
        }
    }
}
