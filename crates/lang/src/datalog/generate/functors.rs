//! Random functors over what a rule has bound.

use super::*;

/// Patterns that some short words of few letters match.
const PATTERNS: &[&str] = &["[a-c].*", "(a|b)+", ".?b?", "a?b?.*", "[^a].*", ".*[bc]", ".+", "(ab|c)?.*", "x[0-9]"];

impl Generator<'_> {
    /// Arithmetic in a head.
    pub(super) fn functor_in_head(&mut self, rule: &mut Rule, growing: &Growing, witness: &Witness) {
        if !self.has(Part::HeadFunctor, self.parameters.head_functor) {
            return;
        }
        let at = self.rng.below(rule.heads[0].args.len());
        let Term::Var(v) = rule.heads[0].args[at] else { return };
        if let Some(term) = self.functor(Term::Var(v), witness.kinds[v as usize], growing, witness) {
            rule.heads[0].args[at] = term;
        }
    }

    /// A functor of the dialect over this term and another of its kind.
    pub(super) fn functor(&mut self, term: Term, kind: Kind, growing: &Growing, witness: &Witness) -> Option<Term> {
        if let Kind::Built(_) = kind {
            return self.build(kind, growing, witness);
        }
        let fits = |o: &&Operator| match o {
            o if kind == Kind::Float => self.dialect.float_operators.contains(o),
            o if kind == Kind::Symbol => self.dialect.symbol_operators.contains(o),
            Operator::Concat => false,
            Operator::Divide | Operator::Remainder => kind == Kind::Number,
            Operator::Power => kind == Kind::Number,
            _ => true,
        };
        if let Some(call) = self.call(&term, kind).or_else(|| self.converted(kind, witness)) {
            return Some(call);
        }
        let operators: Vec<Operator> = self.dialect.operators.iter().filter(fits).copied().collect();
        if operators.is_empty() {
            return None;
        }
        let operator = *self.rng.pick(&operators);
        if matches!(operator, Operator::Divide | Operator::Remainder) {
            return Some(Term::binary(operator, term, Term::number(self.rng.range(1, 5) as i64)));
        }
        // What a float holds exactly, and a shift that means the same whatever an engine does with wide ones.
        let shifts = matches!(operator, Operator::ShiftLeft | Operator::ShiftRight | Operator::ShiftRightUnsigned);
        if shifts || operator == Operator::Power {
            let by = self.rng.range(0, 3);
            let by = if kind == Kind::Unsigned { Constant::Unsigned(by as u64) } else { Constant::Number(by as i64) };
            return Some(Term::binary(operator, term, Term::Constant(by)));
        }
        let vars = witness.of_kind(kind);
        let other = match vars.is_empty() || self.rng.coin() {
            true => self.length(kind, witness).unwrap_or_else(|| Term::Constant(self.pooled(growing, kind))),
            false => Term::Var(*self.rng.pick(&vars)),
        };
        Some(Term::binary(operator, term, other))
    }

    /// Now and then a functor of one argument that keeps the kind.
    fn call(&mut self, term: &Term, kind: Kind) -> Option<Term> {
        let keeps = |f: &&Function| match f {
            Function::Length => false,
            Function::Lower | Function::Upper => kind == Kind::Symbol,
            Function::Absolute => matches!(kind, Kind::Number | Kind::Float),
            Function::BitNot | Function::LogicalNot => matches!(kind, Kind::Number | Kind::Unsigned),
            Function::ToText | Function::ToNumber | Function::ToUnsigned | Function::ToFloat | Function::Ordinal => {
                false
            }
        };
        let fitting: Vec<Function> = self.dialect.functions.iter().filter(keeps).copied().collect();
        let part = kind == Kind::Symbol && self.dialect.functors.contains(&Functor::Substring);
        let chosen = (part || !fitting.is_empty()) && self.percent(self.parameters.call);
        if chosen && part && (fitting.is_empty() || self.rng.coin()) {
            let (at, length) = (self.rng.below(3) as i64, self.rng.below(3) as i64);
            let args = vec![term.clone(), Term::number(at), Term::number(length)];
            return Some(Term::Apply(Functor::Substring, args));
        }
        chosen.then(|| Term::Call(*self.rng.pick(&fitting), Box::new(term.clone())))
    }

    /// Now and then `x = range(1, 4)`: constants, because a range between any two numbers may be long.
    pub(super) fn range_of(&mut self, witness: &mut Witness) -> Option<Literal> {
        if !self.dialect.functors.contains(&Functor::Range) || !self.percent(self.parameters.range) {
            return None;
        }
        let (from, length) = (self.rng.below(5) as i64, self.rng.range(1, 4) as i64);
        let mut args = vec![Term::number(from), Term::number(from + length)];
        if self.rng.chance(1, 4) {
            args.push(Term::number(self.rng.range(1, 2) as i64));
        } else if self.rng.chance(1, 4) {
            args.swap(0, 1);
        }
        let Term::Constant(first) = args[0].clone() else { return None };
        let var = witness.fresh(first);
        Some(Literal::Compare(Comparison::Equal, var, Term::Apply(Functor::Range, args)))
    }

    /// A pattern; one of which this is true, unless it is drawn blindly.
    pub(super) fn symbol_pattern(&mut self, test: Test, whole: &str, blind: bool) -> Option<Constant> {
        let fits = |p: &&&str| blind || passes(test, p, whole);
        let fitting: Vec<&&str> = PATTERNS.iter().filter(fits).collect();
        (!fitting.is_empty()).then(|| Constant::Symbol((**self.rng.pick(&fitting)).into()))
    }

    /// Now and then a value of another kind, converted; digits are now and then read again. Only what always has a
    /// value: a symbol may spell no number, and a float may be too large for one.
    fn converted(&mut self, kind: Kind, witness: &Witness) -> Option<Term> {
        let has = |f: Function| self.dialect.functions.contains(&f);
        let conversions: &[(Function, Kind)] = match kind {
            Kind::Symbol => &[(Function::ToText, Kind::Number), (Function::ToText, Kind::Unsigned)],
            Kind::Number => &[(Function::ToNumber, Kind::Unsigned), (Function::ToText, Kind::Number)],
            Kind::Unsigned => &[(Function::ToUnsigned, Kind::Number)],
            Kind::Float => &[(Function::ToFloat, Kind::Number)],
            Kind::Built(_) => &[],
        };
        let possible = |(f, from): &&(Function, Kind)| has(*f) && !witness.of_kind(*from).is_empty();
        let possible: Vec<(Function, Kind)> = conversions.iter().filter(possible).copied().collect();
        if possible.is_empty() || !self.percent(self.parameters.call / 2) {
            return None;
        }
        let (function, from) = *self.rng.pick(&possible);
        let made = Term::Call(function, Box::new(Term::Var(*self.rng.pick(&witness.of_kind(from)))));
        let again = kind == Kind::Number && function == Function::ToText;
        Some(if again { Term::Call(Function::ToNumber, Box::new(made)) } else { made })
    }

    /// Now and then the length of a symbol, where a number is wanted.
    pub(super) fn length(&mut self, kind: Kind, witness: &Witness) -> Option<Term> {
        let symbols = witness.of_kind(Kind::Symbol);
        let possible = kind == Kind::Number && !symbols.is_empty();
        if !possible || !self.dialect.functions.contains(&Function::Length) || !self.percent(self.parameters.call) {
            return None;
        }
        Some(Term::Call(Function::Length, Box::new(Term::Var(*self.rng.pick(&symbols)))))
    }
}
