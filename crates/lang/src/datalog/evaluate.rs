//! What a program means: a naive evaluator that is meant to be obviously right rather than fast. Stratum by stratum, it
//! applies every rule until nothing new comes; a body is solved by trying every tuple.
//!
//! It is used to test the rules of transformation, to steer generation towards programs with answers, to say which side
//! of a finding is right, and as an oracle of its own. Where an engine may legally choose the answer (`choice` with a
//! conflict, subsumption that is not an order) it gives none.

mod fixpoint;
mod prepare;
mod shown;
#[cfg(test)]
mod tests;

use super::arithmetic::{compare, evaluate, fold, passes, range};
use super::ast::*;
use super::check::{self, bit};
use super::patterns;
use super::stratify::Stratum;
pub use fixpoint::compute;
use prepare::{forget, functors_apart, has_wildcard, name_wildcards};
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::value::{Rows, Value};
pub use shown::{rows, value};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Bound;

pub type Tuple = Vec<Constant>;
/// The tuples of each relation, by its place in the program.
pub type Contents = Vec<BTreeSet<Tuple>>;

/// How much work may be done before it counts as too much.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Tuples in one relation.
    pub tuples: usize,
    /// Tuples tried while bodies are solved.
    pub steps: u64,
}

/// For steering a generator.
pub const QUICK: Bounds = Bounds { tuples: 60, steps: 4_000 };

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The program is refused: not safe, not stratified, not of this dialect.
    Refused(String),
    TooBig,
    /// The engine may choose the answer.
    Undetermined(&'static str),
}

/// The tuples of the output.
pub fn output(program: &Program, dialect: &DatalogDialect, bounds: Bounds) -> Result<BTreeSet<Tuple>, Failure> {
    let mut all = contents(program, dialect, bounds)?;
    let at = program.place(&program.output).ok_or_else(|| Failure::Refused("no output".into()))?;
    Ok(std::mem::take(&mut all[at]))
}

/// The tuples of every relation.
pub fn contents(program: &Program, dialect: &DatalogDialect, bounds: Bounds) -> Result<Contents, Failure> {
    let strata = check::program(program, dialect).map_err(Failure::Refused)?;
    let mut found = vec![BTreeSet::new(); program.relations.len()];
    let mut steps = bounds.steps;
    for stratum in &strata {
        compute(program, dialect, stratum, &mut found, Bounds { steps, ..bounds }, &mut steps)?;
    }
    Ok(found)
}

/// What a seed may take to show that it ends.
const MODEST: Bounds = Bounds { tuples: 3_000, steps: 300_000 };

/// Whether the program comes to an end, as running it shows. It has been checked otherwise.
pub fn ends(program: &Program, dialect: &DatalogDialect, strata: &[Stratum]) -> bool {
    let mut found = vec![BTreeSet::new(); program.relations.len()];
    let mut steps = MODEST.steps;
    strata.iter().all(|stratum| {
        let computed = compute(program, dialect, stratum, &mut found, Bounds { steps, ..MODEST }, &mut steps);
        // Which of its tuples stay is another question.
        matches!(computed, Ok(()) | Err(Failure::Undetermined(fixpoint::SUBSUMED | fixpoint::CHOSEN)))
    })
}

/// Values of the variables of a rule.
pub type Bindings = Vec<Option<Constant>>;

/// What is done with each solution of a body.
type Emit<'a> = dyn FnMut(&Bindings) -> Result<(), Failure> + 'a;

struct Solver<'a> {
    program: &'a Program,
    dialect: &'a DatalogDialect,
    contents: &'a Contents,
    left: u64,
    /// Variables of the rule that do not belong to an aggregate.
    outside: check::Vars,
}

impl Solver<'_> {
    /// Every way to make all of `todo` true. Leaves `todo` and `bindings` as they were.
    fn solve(&mut self, todo: &mut Vec<&Literal>, bindings: &mut Bindings, emit: &mut Emit) -> Result<(), Failure> {
        if todo.is_empty() {
            return emit(bindings);
        }
        let Some(at) = self.next(todo, bindings) else {
            return Err(Failure::Refused("a variable is not bound".into()));
        };
        let literal = todo.remove(at);
        let free = |t: &Term| matches!(t, Term::Var(v) if bindings[*v as usize].is_none());
        let result = match literal {
            Literal::Atom(atom) => self.each_tuple(atom, todo, bindings, emit),
            Literal::Or(arms) => {
                let before = todo.len();
                arms.iter().try_for_each(|arm| {
                    todo.extend(arm);
                    let result = self.solve(todo, bindings, emit);
                    todo.truncate(before);
                    result
                })
            }
            Literal::Compare(Comparison::Equal, Term::Var(v), other) if free(&Term::Var(*v)) => {
                self.assign(*v, other, todo, bindings, emit)
            }
            Literal::Compare(Comparison::Equal, other, Term::Var(v)) if free(&Term::Var(*v)) => {
                self.assign(*v, other, todo, bindings, emit)
            }
            Literal::Compare(Comparison::Equal, pattern @ Term::Build(_), other)
            | Literal::Compare(Comparison::Equal, other, pattern @ Term::Build(_))
                if !self.is_ground(pattern, bindings) =>
            {
                self.take_apart(pattern, other, todo, bindings, emit)
            }
            test => match self.holds(test, bindings)? {
                true => self.solve(todo, bindings, emit),
                false => Ok(()),
            },
        };
        todo.insert(at, literal);
        result
    }

    /// The literal to look at now: a test that can be made, else an atom, else an assignment, else a disjunction.
    fn next(&self, todo: &[&Literal], bindings: &Bindings) -> Option<usize> {
        let unbound = |t: &Term| matches!(t, Term::Var(v) if bindings[*v as usize].is_none());
        let can_test = |l: &Literal, assigns: &dyn Fn(&Term) -> bool| match l {
            Literal::Atom(_) | Literal::Or(_) => false,
            Literal::Not(a) => {
                let mut bound = true;
                a.each_var(&mut |v| bound &= bindings[v as usize].is_some());
                bound
            }
            Literal::Test(_, a, b) => self.is_ground(a, bindings) && self.is_ground(b, bindings),
            Literal::Compare(c, a, b) => {
                let (ga, gb) = (self.is_ground(a, bindings), self.is_ground(b, bindings));
                let apart = |t: &Term| matches!(t, Term::Build(_)) && self.is_open_pattern(t, bindings);
                let takes = |t: &Term| assigns(t) || apart(t);
                ga && gb || *c == Comparison::Equal && (ga && takes(b) || gb && takes(a))
            }
        };
        let now = |t: &Term| unbound(t) && !self.is_bound_later(t, todo);
        let test = todo.iter().position(|l| can_test(l, &now));
        let ready = |a: &Atom| a.args.iter().all(|t| self.is_open_pattern(t, bindings));
        // Of several the one of which most is known, because fewer of its tuples have to be tried.
        let known = |l: &Literal| match l {
            Literal::Atom(a) if ready(a) => Some(Reverse(known_prefix(&a.args, bindings).count())),
            _ => None,
        };
        let atoms = || todo.iter().enumerate().filter_map(|(at, l)| Some((at, known(l)?)));
        let atom = || atoms().min_by_key(|(_, known)| *known).map(|(at, _)| at);
        let assignment = || todo.iter().position(|l| can_test(l, &unbound));
        let or = || todo.iter().position(|l| matches!(l, Literal::Or(_)));
        test.or_else(atom).or_else(assignment).or_else(or)
    }

    /// Whether an atom binds this variable to what may equal something and yet be another value: then the value of the
    /// tuple counts, and the equality is a comparison.
    fn is_bound_later(&self, term: &Term, todo: &[&Literal]) -> bool {
        let loose = !self.dialect.floats_by_bits && self.dialect.loose_kinds.contains(&Kind::Float);
        loose && todo.iter().any(|l| matches!(l, Literal::Atom(a) if a.args.contains(term)))
    }

    /// Whether a term has a value now. An aggregate has one when all that comes into it from outside is there.
    fn is_ground(&self, term: &Term, bindings: &Bindings) -> bool {
        let mut ground = !has_wildcard(term);
        let aggregate = matches!(term, Term::Aggregate(_));
        term.each_var(&mut |v| {
            let counts = !aggregate || self.outside & bit(v) != 0;
            ground &= !counts || bindings[v as usize].is_some();
        });
        ground
    }

    /// Whether a value can be taken apart by it now: what is computed in it has a value.
    fn is_open_pattern(&self, term: &Term, bindings: &Bindings) -> bool {
        match term {
            Term::Var(_) | Term::Constant(_) | Term::Wildcard => true,
            Term::Build(b) => b.fields.iter().all(|t| self.is_open_pattern(t, bindings)),
            other => self.is_ground(other, bindings),
        }
    }

    /// The fields of a value get to the variables of a pattern.
    fn take_apart(
        &mut self,
        pattern: &Term,
        term: &Term,
        todo: &mut Vec<&Literal>,
        bindings: &mut Bindings,
        emit: &mut Emit,
    ) -> Result<(), Failure> {
        let Some(value) = self.term(term, bindings)? else { return Ok(()) };
        let mut new = 0;
        let fits = self.matches(std::slice::from_ref(pattern), &[value], bindings, &mut new)?;
        let result = if fits { self.solve(todo, bindings, emit) } else { Ok(()) };
        forget(new, bindings);
        result
    }

    fn assign(
        &mut self,
        v: Var,
        term: &Term,
        todo: &mut Vec<&Literal>,
        bindings: &mut Bindings,
        emit: &mut Emit,
    ) -> Result<(), Failure> {
        for value in self.values(term, bindings)? {
            bindings[v as usize] = Some(value);
            let result = self.solve(todo, bindings, emit);
            bindings[v as usize] = None;
            result?;
        }
        Ok(())
    }

    fn each_tuple(
        &mut self,
        atom: &Atom,
        todo: &mut Vec<&Literal>,
        bindings: &mut Bindings,
        emit: &mut Emit,
    ) -> Result<(), Failure> {
        let contents = self.contents;
        self.each_tuple_of(&contents[self.place(&atom.relation)?], atom, todo, bindings, emit)
    }

    fn each_tuple_of(
        &mut self,
        tuples: &BTreeSet<Tuple>,
        atom: &Atom,
        todo: &mut Vec<&Literal>,
        bindings: &mut Bindings,
        emit: &mut Emit,
    ) -> Result<(), Failure> {
        let known: Tuple = known_prefix(&atom.args, bindings).cloned().collect();
        for tuple in beginning_with(tuples, &known) {
            if self.left == 0 {
                return Err(Failure::TooBig);
            }
            self.left -= 1;
            let mut new = 0;
            let fits = self.matches(&atom.args, tuple, bindings, &mut new)?;
            let result = if fits { self.solve(todo, bindings, emit) } else { Ok(()) };
            forget(new, bindings);
            result?;
        }
        Ok(())
    }

    /// Whether a tuple fits the arguments; variables without a value get one and are noted in `new`.
    fn matches(
        &self,
        args: &[Term],
        tuple: &[Constant],
        bindings: &mut Bindings,
        new: &mut check::Vars,
    ) -> Result<bool, Failure> {
        for (arg, cell) in args.iter().zip(tuple) {
            let fits = match arg {
                Term::Wildcard => true,
                Term::Constant(c) => c == cell,
                Term::Var(v) => match &bindings[*v as usize] {
                    Some(value) => value == cell,
                    None => {
                        bindings[*v as usize] = Some(cell.clone());
                        *new |= bit(*v);
                        true
                    }
                },
                Term::Build(pattern) => match cell {
                    Constant::Built(value) => {
                        pattern.branch == value.branch
                            && pattern.fields.len() == value.fields.len()
                            && self.matches(&pattern.fields, &value.fields, bindings, new)?
                    }
                    _ => false,
                },
                Term::Negate(_) | Term::Binary(..) | Term::Call(..) | Term::Apply(..) | Term::Aggregate(_) => {
                    evaluate(arg, bindings, self.dialect)? == *cell
                }
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn place(&self, name: &str) -> Result<usize, Failure> {
        self.program.place(name).ok_or_else(|| Failure::Refused(format!("relation '{name}' is not declared")))
    }

    /// Whether a literal that has a value is true.
    fn holds(&mut self, literal: &Literal, bindings: &mut Bindings) -> Result<bool, Failure> {
        match literal {
            Literal::Not(atom) => {
                let mut nothing_new = 0;
                let known: Tuple = known_prefix(&atom.args, bindings).cloned().collect();
                for tuple in beginning_with(&self.contents[self.place(&atom.relation)?], &known) {
                    self.left = self.left.saturating_sub(1);
                    if self.matches(&atom.args, tuple, bindings, &mut nothing_new)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Literal::Compare(c, a, b) => {
                let (many, others) = (self.values(a, bindings)?, self.values(b, bindings)?);
                Ok(many.iter().any(|a| others.iter().any(|b| compare(*c, a, b, self.dialect))))
            }
            Literal::Test(test, a, b) => match (self.term(a, bindings)?, self.term(b, bindings)?) {
                (Some(Constant::Symbol(a)), Some(Constant::Symbol(b))) => {
                    match test.has_pattern() && patterns::matches(&a, &b).is_none() {
                        true => Err(Failure::Undetermined("a pattern")),
                        false => Ok(passes(*test, &a, &b)),
                    }
                }
                _ => Ok(false),
            },
            Literal::Atom(_) | Literal::Or(_) => Err(Failure::Refused("no test".into())),
        }
    }

    /// All values of a term: several only for a range.
    fn values(&mut self, term: &Term, bindings: &mut Bindings) -> Result<Vec<Constant>, Failure> {
        match term {
            Term::Apply(Functor::Range, args) => {
                let args: Vec<Constant> =
                    args.iter().map(|t| evaluate(t, bindings, self.dialect)).collect::<Result<_, _>>()?;
                let found = range(&args, self.dialect)?;
                self.left = self.left.saturating_sub(found.len() as u64);
                Ok(found)
            }
            other => Ok(self.term(other, bindings)?.into_iter().collect()),
        }
    }

    /// The value of a term; nothing for the least or greatest of nothing.
    fn term(&mut self, term: &Term, bindings: &mut Bindings) -> Result<Option<Constant>, Failure> {
        match term {
            Term::Aggregate(a) => self.aggregate(a, bindings),
            other => evaluate(other, bindings, self.dialect).map(Some),
        }
    }

    /// Folds over the different solutions of the aggregate's body; a wildcard there is a variable of its own.
    fn aggregate(&mut self, a: &Aggregate, bindings: &mut Bindings) -> Result<Option<Constant>, Failure> {
        let mut body = a.body.clone();
        let width = bindings.len();
        let mut fresh = width as Var;
        name_wildcards(&mut body, &mut fresh);
        functors_apart(&mut body, &mut fresh);
        bindings.resize(fresh as usize, None);
        let mut solutions: BTreeSet<Vec<Option<Constant>>> = BTreeSet::new();
        let mut todo: Vec<&Literal> = body.iter().collect();
        let result = self.solve(&mut todo, bindings, &mut |b| {
            solutions.insert(b.clone());
            Ok(())
        });
        bindings.truncate(width);
        result?;
        let mut values = Vec::with_capacity(solutions.len());
        for solution in solutions {
            match &a.target {
                Some(t) => values.push(evaluate(t, &solution, self.dialect)?),
                None => values.push(Constant::Number(1)),
            }
        }
        if a.fold == Fold::Sum && values.is_empty() {
            return self.zero(a);
        }
        fold(a.fold, values, self.dialect)
    }

    /// The sum of nothing is a zero of the kind that would have been summed up.
    fn zero(&self, a: &Aggregate) -> Result<Option<Constant>, Failure> {
        let rules = check::RuleCheck { program: self.program, dialect: self.dialect };
        let kind =
            rules.kind(&Term::Aggregate(Box::new(a.clone())), None, &mut Vec::new()).map_err(Failure::Refused)?;
        Ok(match kind {
            Some(Kind::Unsigned) => Some(Constant::Unsigned(0)),
            Some(Kind::Float) => Some(Constant::Float(0.0)),
            _ => Some(Constant::Number(0)),
        })
    }
}

/// The values of the first arguments, up to one that has none yet.
fn known_prefix<'a>(args: &'a [Term], bindings: &'a Bindings) -> impl Iterator<Item = &'a Constant> {
    let known = |t: &'a Term| match t {
        Term::Constant(c) => Some(c),
        Term::Var(v) => bindings[*v as usize].as_ref(),
        _ => None,
    };
    args.iter().map_while(known)
}

/// The tuples that begin with these values: they stand together.
fn beginning_with<'a>(tuples: &'a BTreeSet<Tuple>, known: &'a [Constant]) -> impl Iterator<Item = &'a Tuple> {
    let from = (Bound::Included(known), Bound::Unbounded);
    tuples.range::<[Constant], _>(from).take_while(move |t| t.starts_with(known))
}

/// The value of a term in a rule, given values of its variables: for the generator.
pub fn term_value(
    program: &Program,
    dialect: &DatalogDialect,
    contents: &Contents,
    term: &Term,
    bindings: &Bindings,
) -> Result<Option<Constant>, Failure> {
    let mut outside = 0;
    (0..bindings.len()).filter(|v| bindings[*v].is_some()).for_each(|v| outside |= bit(v as Var));
    let mut bindings = bindings.clone();
    let mut width = 0;
    term.each_var(&mut |v| width = width.max(v as usize + 1));
    bindings.resize(width.max(bindings.len()), None);
    let mut solver = Solver { program, dialect, contents, left: QUICK.steps, outside };
    solver.term(term, &mut bindings)
}
