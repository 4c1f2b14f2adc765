//! Whether a recursion ends: a rule that takes part in one may compute values only where finitely many can come out.
//! `r(x + 1) :- r(x).` goes on until numbers wrap, which no engine reaches in time, and what one says then is no
//! answer. Decided on the rule alone, so that it holds for all data and after any transformation.

use super::ast::*;
use super::check::{Vars, bit, bound_by, outside_aggregates};
use super::stratify::{Sign, Stratum, each_use};
use qualm_core::dialect::datalog::DatalogDialect;

/// Numbers of so few bits come to an end by themselves.
const FEW_BITS: u32 = 8;

/// A rule whose recursion may not end, by its place in the program.
pub fn endless_rule(program: &Program, strata: &[Stratum], dialect: &DatalogDialect) -> Option<usize> {
    if dialect.bits <= FEW_BITS || !strata.iter().any(|s| s.recursive) {
        return None;
    }
    program.rules.iter().position(|rule| is_endless(rule, program, strata, dialect))
}

/// The same of one rule.
pub fn is_endless(rule: &Rule, program: &Program, strata: &[Stratum], dialect: &DatalogDialect) -> bool {
    if dialect.bits <= FEW_BITS {
        return false;
    }
    rule.heads.iter().filter(|head| computes(rule, head)).any(|head| {
        let Some(at) = program.place(&head.relation) else { return false };
        let Some(stratum) = strata.iter().find(|s| s.recursive && s.relations.contains(&at)) else { return false };
        let inside = |name: &Name| program.place(name).is_some_and(|at| stratum.relations.contains(&at));
        // Without a relation of the recursion in its body the rule fires once.
        let mut recurs = false;
        each_use(&rule.body, Sign::Plus, &mut |name, _| recurs |= inside(name));
        recurs && !Reach::of(rule, &inside).all_fine(head)
    })
}

/// Whether a head holds anything but what atoms of the body bind.
fn computes(rule: &Rule, head: &Atom) -> bool {
    let bound = bound_by(&rule.body, 0, false);
    head.args.iter().any(|t| match t {
        Term::Var(v) => bound & bit(*v) == 0,
        Term::Constant(_) => false,
        Term::Wildcard
        | Term::Negate(_)
        | Term::Binary(..)
        | Term::Call(..)
        | Term::Apply(..)
        | Term::Build(_)
        | Term::Aggregate(_) => true,
    })
}

fn plain_vars(atom: &Atom) -> Vars {
    let mut found = 0;
    atom.args.iter().for_each(|t| t.each_pattern_var(&mut |v| found |= bit(v)));
    found
}

/// What is known of the values of a rule's variables.
struct Reach<'a> {
    rule: &'a Rule,
    /// Some atom holds it, so recursion gives it only values that are there already.
    known: Vars,
    /// Of finitely many values, whatever the recursion derives.
    few: Vars,
    /// Numbers with a bound above and below.
    below: Vars,
    above: Vars,
    outside: Vars,
}

impl Reach<'_> {
    fn of<'a>(rule: &'a Rule, inside: &dyn Fn(&Name) -> bool) -> Reach<'a> {
        let outside = outside_aggregates(rule.heads.iter(), &rule.body);
        let known = bound_by(&rule.body, 0, false);
        let mut reach = Reach { rule, known, few: 0, below: 0, above: 0, outside };
        for literal in &rule.body {
            match literal {
                Literal::Atom(a) if !inside(&a.relation) => reach.few |= plain_vars(a),
                Literal::Compare(c, a, b) => reach.bound(*c, a, b),
                _ => {}
            }
        }
        reach.few |= reach.below & reach.above;
        reach.assignments();
        reach
    }

    /// A comparison of a variable with an integer.
    fn bound(&mut self, c: Comparison, a: &Term, b: &Term) {
        let number = |t: &Term| matches!(t, Term::Constant(Constant::Number(_) | Constant::Unsigned(_)));
        let (v, c) = match (a, b) {
            (Term::Var(v), k) if number(k) => (*v, c),
            (k, Term::Var(v)) if number(k) => (*v, mirrored(c)),
            _ => return,
        };
        match c {
            Comparison::Less | Comparison::LessEqual => self.below |= bit(v),
            Comparison::Greater | Comparison::GreaterEqual => self.above |= bit(v),
            Comparison::Equal => {
                self.below |= bit(v);
                self.above |= bit(v);
            }
            Comparison::NotEqual => {}
        }
    }

    /// What is computed from few values has few.
    fn assignments(&mut self) {
        loop {
            let before = (self.few, self.known);
            for literal in &self.rule.body {
                let Literal::Compare(Comparison::Equal, a, b) = literal else { continue };
                for (var, term) in [(a, b), (b, a)] {
                    let Term::Var(v) = var else { continue };
                    if self.has_few(term) {
                        self.few |= bit(*v);
                    }
                    if self.is_fine(term) {
                        self.known |= bit(*v);
                    }
                }
            }
            if before == (self.few, self.known) {
                return;
            }
        }
    }

    fn all_fine(&self, head: &Atom) -> bool {
        head.args.iter().all(|t| self.is_fine(t))
    }

    fn has_few(&self, term: &Term) -> bool {
        let from_outside = matches!(term, Term::Aggregate(_));
        // A range of few numbers may be long, but it ends.
        let mut few = !matches!(term, Term::Wildcard);
        term.each_var(&mut |v| few &= from_outside && self.outside & bit(v) == 0 || self.few & bit(v) != 0);
        few
    }

    /// Whether values of a term stay within what finitely many rounds can reach.
    fn is_fine(&self, term: &Term) -> bool {
        match term {
            Term::Var(v) => (self.known | self.few) & bit(*v) != 0,
            Term::Constant(_) => true,
            // How many there are is at most how many tuples there are below.
            Term::Aggregate(a) if a.fold == Fold::Count => true,
            // Each of them, done twice, gives nothing new; between them there is no such order.
            Term::Call(Function::ToText | Function::ToNumber | Function::ToUnsigned | Function::ToFloat, _) => {
                self.has_few(term)
            }
            Term::Call(_, t) => self.is_fine(t),
            // A part of a symbol is no longer than the symbol.
            Term::Apply(Functor::Substring, args) => args.first().is_some_and(|t| self.is_fine(t)),
            Term::Binary(Operator::Min | Operator::Max, a, b) => self.is_fine(a) && self.is_fine(b),
            // Never further from zero than the first.
            Term::Binary(Operator::Divide | Operator::Remainder, a, _) => self.is_fine(a),
            Term::Binary(o @ (Operator::Add | Operator::Subtract), a, b) => {
                self.has_few(term) || self.steps_towards_a_bound(*o, a, b)
            }
            Term::Wildcard
            | Term::Negate(_)
            | Term::Binary(..)
            | Term::Apply(Functor::Range | Functor::Counter, _)
            | Term::Build(_)
            | Term::Aggregate(_) => self.has_few(term),
        }
    }

    /// `x + 1` where `x < 10`, and the like.
    fn steps_towards_a_bound(&self, o: Operator, a: &Term, b: &Term) -> bool {
        let (Term::Var(v), Term::Constant(step)) = (a, b) else { return false };
        let up = match step {
            Constant::Number(n) => (*n >= 0) == (o == Operator::Add),
            // Below zero an unsigned one would be huge again.
            Constant::Unsigned(_) if o == Operator::Add => true,
            _ => return false,
        };
        self.known & bit(*v) != 0 && (if up { self.below } else { self.above }) & bit(*v) != 0
    }
}

fn mirrored(c: Comparison) -> Comparison {
    match c {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::datalog::{check, parse};
    use qualm_core::dialect::datalog::SOUFFLE;

    fn refused(rule: &str) -> bool {
        let text = format!(
            ".decl e(x:number, y:number)\n.decl s(x:symbol)\n.decl r(x:number)\n.decl t(x:symbol)\n.output r\n\
             e(1, 2).\nr(x) :- e(x, _).\nt(x) :- s(x).\n{rule}\n"
        );
        let parsed = parse::program(&text);
        assert_eq!(parsed.unread, [], "{text}");
        check::program(&parsed.program, &SOUFFLE).is_err_and(|why| why.contains("may not end"))
    }

    #[test]
    fn only_recursion_that_ends_is_let_through() {
        let endless = [
            "r(x + 1) :- r(x).",
            "r(x - 4) :- r(x), e(x, _) ; r(x), x < 3.",
            "r(x - 4) :- r(x), x < 3.",
            "r(y) :- r(x), y = x * 2.",
            "r(y) :- r(x), y = x * 2, y < 50.",
            "r(-x - 1) :- r(x).",
            "t(cat(x, \"a\")) :- t(x).",
            "t(y) :- t(x), y = cat(x, x), y < \"b\", y > \"a\".",
        ];
        for rule in endless {
            assert!(refused(rule), "{rule}");
        }
        let fine = [
            "r(x) :- r(x), e(x, _).",
            "r(x + 1) :- e(x, _).",
            "r(x + 1) :- r(x), x < 10.",
            "r(x - 4) :- r(x), -10 <= x.",
            "r(x * 2) :- r(x), e(x, _).",
            "r(y) :- r(x), y = x * 2, y < 50, y > -50.",
            "r(max(x, y)) :- r(x), r(y).",
            "r(x / 2) :- r(x).",
            "r(y) :- r(x), e(y, x) ; e(x, y), r(x).",
            "t(cat(x, \"a\")) :- t(_), s(x).",
            "r(n) :- r(x), n = count : { e(x, _) }.",
        ];
        for rule in fine {
            assert!(!refused(rule), "{rule}");
        }
    }
}
