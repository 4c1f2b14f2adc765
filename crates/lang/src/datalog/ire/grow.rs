//! A test case while it grows: the program, what it derives, its text, and candidates for the next rule.

use super::evaluation::Evaluation;
use super::facts;
use super::parameters::Parameters;
use super::schedule::Node;
use crate::datalog::ast::*;
use crate::datalog::check::{self, RuleCheck};
use crate::datalog::generate::{Generator, Ground, parameters};
use crate::datalog::print::{self, GrowingText};
use crate::datalog::source::DatalogSource;
use crate::oracle::ire;
use qualm_core::dialect::datalog::{DatalogDialect, Part};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;
use smol_str::format_smolstr;
use std::collections::{BTreeSet, HashMap, VecDeque};

pub struct Growth {
    pub evaluation: Evaluation,
    dialect: &'static DatalogDialect,
    ground: Ground,
    text: GrowingText,
    places: HashMap<Name, usize>,
    size: Size,
    floats: bool,
}

/// A rule that was added and may be taken back.
pub struct Candidate {
    pub relation: usize,
    pub clauses: Vec<usize>,
    /// All that must be evaluated anew, the candidate's clauses among it.
    pub affected: Vec<usize>,
    /// How many relations there were before.
    relations: usize,
}

/// Switches for one run, often none.
pub fn switches(dialect: &DatalogDialect, p: &Parameters, rng: &mut Rng) -> Vec<String> {
    let mut chosen: Vec<String> = Vec::new();
    while !dialect.switches.is_empty() && chosen.len() < 2 && chance(rng, p.p_switch) {
        let name = rng.pick(dialect.switches).name.to_owned();
        if !chosen.contains(&name) {
            chosen.push(name);
        }
    }
    chosen
}

/// Tuples that a relation is guessed to hold, where nothing is evaluated.
const GUESSES: usize = 4;

impl Growth {
    /// A skeleton of facts.
    pub fn start(dialect: &'static DatalogDialect, p: &Parameters, size: Size, rng: &mut Rng) -> Growth {
        // Where tuples take −0.0 for 0.0, which of both comes is the engine's choice.
        let floats = dialect.floats_by_bits && chance(rng, p.p_float);
        let shape = p.shape(parameters(size));
        let mut generator = Generator { rng, dialect, parameters: shape, loose: floats };
        let mut ground = generator.ground();
        // Few kinds are in one test case; one that may have floats shall have them.
        while floats && !ground.kinds().contains(&Kind::Float) {
            ground = generator.ground();
        }
        if floats {
            ground.add_values([0.0, -0.0].map(Constant::Float));
        }
        for kind in ground.kinds() {
            let special = facts::special(kind, dialect);
            let chosen: Vec<Constant> = special.into_iter().filter(|_| chance(generator.rng, p.p_special)).collect();
            ground.add_values(chosen);
        }
        let facts = generator.skeleton(&mut ground);
        let program = Program { relations: ground.relations().to_vec(), facts, ..Program::default() };
        let places = program.relations.iter().enumerate().map(|(i, r)| (r.name.clone(), i)).collect();
        let mut text = GrowingText::new(dialect);
        text.start(&program);
        Growth { evaluation: Evaluation::of(program), dialect, ground, text, places, size, floats }
    }

    pub fn rules(&self) -> usize {
        self.evaluation.program.rules.len()
    }

    /// A rule: body first, then a head. It stands in the program when this comes back.
    pub fn candidate(&mut self, p: &Parameters, rng: &mut Rng) -> Option<Candidate> {
        let relations = self.evaluation.program.relations.len();
        let finite = !self.dialect.has(Part::HeadFunctor) && !self.dialect.has(Part::Assignment);
        let p_head = if finite { p.p_head_finite } else { p.p_head };
        let again = chance(rng, p_head).then(|| self.existing_head(rng)).flatten();
        let mut shape = p.shape(parameters(self.size));
        if chance(rng, p.p_blind) {
            shape.blind = 100;
        }
        let mut generator = Generator { rng, dialect: self.dialect, parameters: shape, loose: self.floats };
        let single = generator.single(&mut self.ground, &mut self.evaluation.contents, again)?;
        let relation = again.unwrap_or_else(|| self.declare(&single.kinds, p, rng));
        let name = self.evaluation.program.relations[relation].name.clone();
        let mut rule = Rule::new(Atom::new(name, single.head), single.body);
        if self.floats {
            mix(&mut rule.body, p, rng);
        }
        let check = RuleCheck { program: &self.evaluation.program, dialect: self.dialect };
        if check.rule(&rule).is_err() {
            self.undeclare(relations);
            return None;
        }
        if again.is_some() && self.dialect.has(Part::PlanHint) && chance(rng, p.p_plan) {
            rule.plan = (1..=rule.atoms().count()).collect();
            rng.shuffle(&mut rule.plan);
        }
        let places = &self.places;
        let clauses = self.evaluation.push(rule, &|name| places.get(name).copied());
        let was_input = again.is_some_and(|r| self.evaluation.precedence.by_head[r].len() == clauses.len());
        match was_input {
            // Its facts are written in another way now.
            true => self.text.start(&self.evaluation.program),
            false => self.text.push(&self.evaluation.program.rules[self.evaluation.program.rules.len() - 1]),
        }
        let affected = self.evaluation.precedence.affected(&clauses);
        let candidate = Candidate { relation, clauses, affected, relations };
        if self.may_stay(&candidate, p, rng) {
            return Some(candidate);
        }
        self.take_back(candidate);
        None
    }

    /// Relations that a rule may be added to. A subsumed one must not depend on itself.
    fn existing_head(&mut self, rng: &mut Rng) -> Option<usize> {
        let beside = self.dialect.has(Part::FactsBesideRules);
        let at = rng.below(self.evaluation.program.relations.len());
        let precedence = &self.evaluation.precedence;
        let subsumed = precedence.is_closed(at) && !self.evaluation.program.relations[at].has(Qualifier::Eqrel);
        ((beside || !precedence.by_head[at].is_empty()) && !subsumed).then_some(at)
    }

    fn declare(&mut self, kinds: &[Kind], p: &Parameters, rng: &mut Rng) -> usize {
        let at = self.evaluation.program.relations.len();
        let attribute = |(i, kind): (usize, &Kind)| Attribute { name: format_smolstr!("a{i}"), kind: *kind };
        let attributes: Vec<Attribute> = kinds.iter().enumerate().map(attribute).collect();
        let mut relation =
            Relation { name: format_smolstr!("r{at}"), attributes, qualifiers: Vec::new(), choice: Vec::new() };
        self.qualify(&mut relation, p, rng);
        self.places.insert(relation.name.clone(), at);
        self.ground.declare(relation.clone());
        self.text.declare(&relation);
        self.evaluation.declare(relation);
        at
    }

    fn qualify(&self, relation: &mut Relation, p: &Parameters, rng: &mut Rng) {
        use Qualifier::*;
        let known = self.dialect.qualifiers;
        if known.is_empty() {
            return;
        }
        let same_kinds = relation.arity() == 2 && relation.attributes[0].kind == relation.attributes[1].kind;
        if same_kinds && chance(rng, p.p_eqrel) {
            relation.qualifiers.push(Eqrel);
        } else if chance(rng, p.p_storage) {
            relation.qualifiers.push(*rng.pick(&[Brie, Btree, BtreeDelete]));
        }
        if !relation.has(Eqrel) && chance(rng, p.p_inline) {
            relation.qualifiers.push(if rng.coin() { Inline } else { NoInline });
        } else if chance(rng, p.p_magic) {
            relation.qualifiers.push(if rng.coin() { Magic } else { NoMagic });
        }
        relation.qualifiers.retain(|q| known.contains(q));
    }

    /// Takes back the declaration of a relation that has no rule.
    fn undeclare(&mut self, relations: usize) {
        if self.evaluation.program.relations.len() > relations {
            let last = self.evaluation.program.relations[relations].clone();
            self.text.undeclare(&last);
            self.places.remove(&last.name);
            self.evaluation.undeclare(relations);
            self.ground.truncate(relations);
        }
    }

    /// Whether the engine could evaluate what depends on the new rule.
    fn may_stay(&self, candidate: &Candidate, p: &Parameters, rng: &mut Rng) -> bool {
        let recursive = self.evaluation.precedence.schedule(&candidate.affected).into_iter().all(|node| match node {
            Node::Once(_) => true,
            Node::Fixpoint(units) => {
                let subsumed = |c: usize| {
                    let relation = &self.evaluation.program.relations[self.evaluation.precedence.clauses[c].relation];
                    self.evaluation.program.subsumptions.iter().any(|s| s.relation == relation.name)
                };
                self.dialect.has(Part::Recursion) && !units.concat().into_iter().any(subsumed)
            }
            Node::Together(_) => self.dialect.has(Part::Recursion) && chance(rng, p.p_negated_cycle),
        });
        recursive && candidate.affected.len() <= p.max_iter
    }

    /// The rule goes, and its relation, if it had been made for it.
    pub fn take_back(&mut self, candidate: Candidate) {
        let new = self.evaluation.program.relations.get(candidate.relations).cloned();
        if let Some(relation) = &new {
            self.places.remove(&relation.name);
            self.evaluation.program.subsumptions.retain(|s| s.relation != relation.name);
        }
        self.evaluation.pop(candidate.relations);
        self.ground.truncate(candidate.relations);
        let input = self.evaluation.precedence.by_head.get(candidate.relation).is_some_and(Vec::is_empty);
        match input {
            true => self.text.start(&self.evaluation.program),
            false => self.text.pop(new.as_ref()),
        }
    }

    /// A new relation may keep only the largest or least of what is derived. The others being equal, each tuple that
    /// goes has one that stays.
    pub fn subsume(&mut self, relation: usize, p: &Parameters, rng: &mut Rng) -> bool {
        let r = &self.evaluation.program.relations[relation];
        let fits = self.dialect.has(Part::Subsumption)
            && r.qualifiers.is_empty()
            && self.evaluation.precedence.by_head[relation].len() == 1
            && chance(rng, p.p_subsumption);
        if !fits {
            return false;
        }
        let n = r.arity() as Var;
        let key = rng.below(n as usize) as Var;
        let side = |other: Var| (0..n).map(|i| Term::Var(if i == key { n + other } else { i })).collect();
        let c = if rng.coin() { Comparison::Less } else { Comparison::Greater };
        let body = vec![Literal::Compare(c, Term::Var(n), Term::Var(n + 1))];
        let relation_name = r.name.clone();
        let subsumption = Subsumption { relation: relation_name, smaller: side(0), larger: side(1), body };
        self.evaluation.subsume(relation, subsumption);
        true
    }

    /// For the paper's baseline: nothing is known of what the rule derives.
    pub fn guess(&mut self, relation: usize, rng: &mut Rng) {
        let kinds: Vec<Kind> = self.evaluation.program.relations[relation].attributes.iter().map(|a| a.kind).collect();
        let shape = parameters(self.size);
        let mut generator = Generator { rng, dialect: self.dialect, parameters: shape, loose: self.floats };
        let tuples: BTreeSet<_> = (0..GUESSES).map(|_| generator.guess(&self.ground, &kinds)).collect();
        self.evaluation.contents[relation] = tuples;
    }

    /// Switches for one run.
    pub fn switches(&self, p: &Parameters, rng: &mut Rng) -> Vec<String> {
        switches(self.dialect, p, rng)
    }

    /// The optimised program with this output, as the engine gets it: all rules, or so many of those that it needs.
    pub fn optimised(&self, relation: usize, switches: &[String], horizon: Option<usize>) -> String {
        let output = &self.evaluation.program.relations[relation];
        if horizon.is_none() && self.dialect.qualifiers.is_empty() {
            return self.text.text(&self.evaluation.program, output, switches);
        }
        print::for_the_parser(&self.program(relation, horizon), self.dialect, switches)
    }

    /// The same as a tree.
    fn program(&self, relation: usize, horizon: Option<usize>) -> Program {
        let all = &self.evaluation.program;
        let mut program = match horizon {
            None => all.clone(),
            Some(rules) => self.part(relation, rules),
        };
        program.output = all.relations[relation].name.clone();
        // The output cannot be inlined, nor what stands in the wrong places since it was declared.
        if let Some(output) = program.relation_mut(&all.relations[relation].name) {
            output.qualifiers.retain(|q| *q != Qualifier::Inline);
        }
        let inlined = program.relations.iter().any(|r| r.has(Qualifier::Inline));
        if inlined && check::program(&program, self.dialect).is_err() {
            program.relations.iter_mut().for_each(|r| r.qualifiers.retain(|q| *q != Qualifier::Inline));
        }
        program
    }

    /// The nearest rules that a relation needs. What lies beyond is there as facts, which are known: so its cost does
    /// not grow with the test case. In a cycle without negation, too, the rest derives the same from what the others
    /// hold.
    fn part(&self, relation: usize, most: usize) -> Program {
        let (all, precedence) = (&self.evaluation.program, &self.evaluation.precedence);
        let mut seen = BTreeSet::from([relation]);
        let mut todo = VecDeque::from([relation]);
        let mut rules: BTreeSet<usize> = BTreeSet::new();
        let mut program = Program { types: all.types.clone(), ..Program::default() };
        while let Some(at) = todo.pop_front() {
            let clauses = &precedence.by_head[at];
            let cut = at != relation && rules.len() + clauses.len() > most;
            let r = &all.relations[at];
            let held = if cut { &self.evaluation.contents[at] } else { &self.evaluation.initial[at] };
            program.facts.extend(held.iter().map(|t| Fact { relation: r.name.clone(), values: t.clone() }));
            if cut {
                program.relations.push(Relation { qualifiers: Vec::new(), choice: Vec::new(), ..r.clone() });
                continue;
            }
            program.relations.push(r.clone());
            program.subsumptions.extend(all.subsumptions.iter().filter(|s| s.relation == r.name).cloned());
            for c in clauses {
                rules.insert(precedence.clauses[*c].rule);
                let uses = precedence.clauses[*c].uses.iter().map(|(used, _)| *used);
                todo.extend(uses.filter(|used| seen.insert(*used)));
            }
        }
        program.rules = rules.iter().map(|r| all.rules[*r].clone()).collect();
        program
    }

    /// What a case is made of.
    pub fn source(&self, relation: usize, switches: Vec<String>, horizon: Option<usize>) -> DatalogSource {
        let (oracle, program) = (ire::SPEC.name, self.program(relation, horizon));
        DatalogSource { other_switches: switches, ..DatalogSource::new(oracle, self.dialect, &program) }
    }
}

/// A float may be compared with an integer: often with 0, which stands between two floats that are equal and yet two.
fn mix(body: &mut [Literal], p: &Parameters, rng: &mut Rng) {
    const ORDER: [Comparison; 4] =
        [Comparison::Less, Comparison::LessEqual, Comparison::Greater, Comparison::GreaterEqual];
    for literal in body {
        let Literal::Compare(c, a, b) = literal else { continue };
        let whole = |t: &Term| match t {
            Term::Constant(Constant::Float(f)) if f.abs() < 1e9 => Some(f.trunc() as i64),
            _ => None,
        };
        let number = whole(a).or(whole(b));
        let Some(number) = number.filter(|_| chance(rng, p.p_mixed)) else { continue };
        let integer = Term::number(if rng.chance(3, 4) { 0 } else { number });
        *(if whole(a).is_some() { a } else { b }) = integer;
        // Equal they never are: a float and an integer are two values.
        if matches!(c, Comparison::Equal | Comparison::NotEqual) {
            *c = *rng.pick(&ORDER);
        }
    }
}

/// A chance in ten thousandths, so that it means the same everywhere.
pub fn chance(rng: &mut Rng, p: f64) -> bool {
    rng.chance((p * 10_000.0).round() as u32, 10_000)
}
