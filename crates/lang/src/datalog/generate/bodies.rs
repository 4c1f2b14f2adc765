//! Random bodies around a witness.

use super::*;

/// How many relations count as the newest ones.
const RECENT: usize = 8;

impl Generator<'_> {
    /// A body with values that make it true; with `uses`, one of its subgoals is that relation.
    pub(super) fn body(&mut self, growing: &Growing, uses: Option<usize>) -> Option<(Vec<Literal>, Witness)> {
        let mut witness = Witness { kinds: Vec::new(), values: Vec::new() };
        let mut body = Vec::new();
        // No draw where there is no chance: a seed means the same as before.
        let any = self.parameters.use_empty > 0 && self.percent(self.parameters.use_empty);
        let fits = |i: &usize| any || !growing.contents[*i].is_empty();
        let there: Vec<usize> = (0..growing.contents.len()).filter(fits).collect();
        let (base, layered): (Vec<usize>, Vec<usize>) =
            there.iter().partition(|i| !growing.program.is_derived(&growing.program.relations[**i].name));
        if there.is_empty() || uses.is_some_and(|u| growing.contents[u].is_empty()) {
            return None;
        }
        // A relation that follows from itself alone says nothing new.
        let (low, high) = self.parameters.body;
        let count = self.range((if uses.is_some() { low.max(2).min(high) } else { low }, high));
        let self_place = self.rng.below(count);
        for i in 0..count {
            let at = match uses {
                Some(at) if i == self_place => at,
                _ if self.parameters.recent > 0 && self.percent(self.parameters.recent) => {
                    there[there.len() - 1 - self.rng.below(there.len().min(RECENT))]
                }
                _ if base.is_empty() || !layered.is_empty() && self.percent(self.parameters.layered) => {
                    // The newest ones more often: programs get deep.
                    let back = self.rng.below(layered.len()).min(self.rng.below(layered.len()));
                    layered[layered.len() - 1 - back]
                }
                _ => *self.rng.pick(&base),
            };
            let last_chance = i + 1 == count && witness.kinds.is_empty();
            body.push(Literal::Atom(self.subgoal(growing, at, &mut witness, last_chance)));
        }
        if self.has(Part::Assignment, self.parameters.assignment) {
            body.extend(self.assignment(growing, &mut witness));
        }
        body.extend(self.range_of(&mut witness));
        if self.has(Part::Aggregate, self.parameters.aggregate) {
            body.extend(self.aggregate(growing, &there, &mut witness));
        }
        if self.percent(self.parameters.comparison) {
            for _ in 0..self.rng.range(1, self.parameters.comparisons) {
                body.extend(self.comparison(growing, &witness));
            }
        }
        if self.has(Part::Negation, self.parameters.negation) {
            for _ in 0..self.rng.range(1, self.parameters.negated) {
                body.extend(self.negation(growing, uses, &witness));
            }
        }
        if self.has(Part::Disjunction, self.parameters.disjunction) {
            body.extend(self.disjunction(growing, &there, &witness));
        }
        Some((body, witness))
    }

    fn subgoal(&mut self, growing: &Growing, at: usize, witness: &mut Witness, needs_var: bool) -> Atom {
        let tuple = self.tuple(growing, at, witness);
        let mut args = Vec::with_capacity(tuple.len());
        let must = self.rng.below(tuple.len());
        for (i, value) in tuple.iter().enumerate() {
            let keep = needs_var && i == must;
            let same = || (0..witness.values.len()).filter(|v| witness.values[*v].as_ref() == Some(value));
            let count = same().count();
            let computed = match !keep && self.has(Part::SubgoalFunctor, self.parameters.subgoal_functor) {
                true => self.computed(value, witness),
                false => None,
            };
            let apart = match (keep, value) {
                (false, Constant::Built(b)) if b.branch.is_some() && self.percent(self.parameters.unpack) => {
                    Some(self.pattern(b, witness))
                }
                _ => None,
            };
            let same = || (0..witness.values.len()).filter(|v| witness.values[*v].as_ref() == Some(value));
            args.push(if let Some(term) = computed.or(apart) {
                term
            } else if !keep && self.has(Part::Wildcard, self.parameters.wildcard) {
                Term::Wildcard
            } else if !keep && self.percent(self.parameters.constant) {
                Term::Constant(value.clone())
            } else if count > 0 && self.percent(self.parameters.join) {
                let chosen = self.rng.below(count);
                Term::Var(same().nth(chosen).unwrap_or_default() as Var)
            } else {
                witness.fresh(value.clone())
            });
        }
        Atom::new(growing.program.relations[at].name.clone(), args)
    }

    /// A term over a variable of the witness that has this value.
    fn computed(&mut self, value: &Constant, witness: &Witness) -> Option<Term> {
        let vars = witness.of_kind(value.kind());
        if vars.is_empty() {
            return None;
        }
        let v = *self.rng.pick(&vars);
        match (value, witness.values[v as usize].as_ref()?) {
            (Constant::Number(wanted), Constant::Number(n)) if wanted.checked_neg() == Some(*n) => {
                Some(Term::Negate(Box::new(Term::Var(v))))
            }
            (Constant::Number(wanted), Constant::Number(n)) => {
                let difference = wanted.checked_sub(*n).filter(|d| d.unsigned_abs() < 1_000)?;
                Some(Term::binary(Operator::Add, Term::Var(v), Term::number(difference)))
            }
            (Constant::Float(wanted), Constant::Float(f)) if *wanted == -f && *f != 0.0 => {
                Some(Term::Negate(Box::new(Term::Var(v))))
            }
            _ => None,
        }
    }

    /// A tuple of the relation, rather one that shares a value with the witness. If it holds none, one that it might.
    fn tuple(&mut self, growing: &Growing, at: usize, witness: &Witness) -> Vec<Constant> {
        let tuples = &growing.contents[at];
        if tuples.is_empty() {
            let attributes = &growing.program.relations[at].attributes;
            return attributes.iter().map(|a| self.pooled(growing, a.kind)).collect();
        }
        let mut best: Option<&Vec<Constant>> = None;
        for _ in 0..3 {
            let tuple = tuples.iter().nth(self.rng.below(tuples.len()));
            let shares = |t: &Vec<Constant>| t.iter().any(|c| witness.values.contains(&Some(c.clone())));
            if tuple.is_some_and(shares) {
                best = tuple;
                break;
            }
            best = best.or(tuple);
        }
        best.cloned().unwrap_or_default()
    }

    fn bound_var(&mut self, witness: &Witness) -> Option<Var> {
        let bound: Vec<usize> = (0..witness.values.len()).filter(|v| witness.values[*v].is_some()).collect();
        (!bound.is_empty()).then(|| *self.rng.pick(&bound) as Var)
    }

    /// `x = functor`, which binds a variable.
    fn assignment(&mut self, growing: &Growing, witness: &mut Witness) -> Option<Literal> {
        let v = self.bound_var(witness)?;
        // A record that a variable gets has a type only if something else says so.
        if let Some(Constant::Built(value)) = witness.values[v as usize].clone() {
            let pattern = value.branch.is_some().then(|| self.pattern(&value, witness))?;
            return Some(Literal::Compare(Comparison::Equal, Term::Var(v), pattern));
        }
        let term = match self.length(Kind::Number, witness) {
            Some(length) => length,
            None => self.functor(Term::Var(v), witness.kinds[v as usize], growing, witness)?,
        };
        let value = evaluate(&term, &witness.values, self.dialect).ok()?;
        let var = witness.fresh(value);
        Some(Literal::Compare(Comparison::Equal, var, term))
    }

    fn comparison(&mut self, growing: &Growing, witness: &Witness) -> Option<Literal> {
        let v = self.bound_var(witness)?;
        let kind = witness.kinds[v as usize];
        if kind == Kind::Symbol && !self.dialect.tests.is_empty() && self.percent(self.parameters.part) {
            return self.test(growing, v, witness);
        }
        let mut left = Term::Var(v);
        if !matches!(kind, Kind::Built(_)) && self.has(Part::BodyFunctor, 25) {
            left = self.functor(left.clone(), kind, growing, witness).unwrap_or(left);
        }
        let mut vars = witness.of_kind(kind);
        vars.retain(|w| *w != v);
        let right = match !vars.is_empty() && self.rng.coin() {
            true => Term::Var(*self.rng.pick(&vars)),
            false => Term::Constant(self.pooled(growing, kind)),
        };
        let (a, b) = if self.rng.coin() { (left, right) } else { (right, left) };
        let value = |t: &Term| evaluate(t, &witness.values, self.dialect).ok();
        let (x, y) = (value(&a)?, value(&b)?);
        let blind = self.percent(self.parameters.blind);
        let ordered = match kind {
            Kind::Number | Kind::Unsigned | Kind::Float => true,
            Kind::Symbol => self.dialect.ordered_symbols,
            Kind::Built(_) => false,
        };
        let fits = |c: &&Comparison| {
            (ordered || matches!(c, Comparison::Equal | Comparison::NotEqual))
                && (blind || compare(**c, &x, &y, self.dialect))
        };
        let fitting: Vec<Comparison> = self.dialect.comparisons.iter().filter(fits).copied().collect();
        (!fitting.is_empty()).then(|| Literal::Compare(*self.rng.pick(&fitting), a, b))
    }

    /// Whether a symbol begins or ends with another, or holds it.
    fn test(&mut self, growing: &Growing, v: Var, witness: &Witness) -> Option<Literal> {
        let Some(Constant::Symbol(whole)) = witness.values[v as usize].clone() else { return None };
        let test = *self.rng.pick(self.dialect.tests);
        let mut parts = vec![self.pooled(growing, Kind::Symbol)];
        // Ends of what is there: a single letter nearly always fits.
        parts.extend(
            [whole.get(..1), whole.get(whole.len().saturating_sub(1)..)]
                .into_iter()
                .flatten()
                .map(|s| Constant::Symbol(s.into())),
        );
        let blind = self.percent(self.parameters.blind);
        if test.has_pattern() {
            let pattern = self.symbol_pattern(test, &whole, blind)?;
            return Some(Literal::Test(test, Term::Constant(pattern), Term::Var(v)));
        }
        parts.retain(|p| matches!(p, Constant::Symbol(p) if blind || passes(test, p, &whole)));
        if parts.is_empty() {
            return None;
        }
        let part = Term::Constant(self.rng.pick(&parts).clone());
        Some(Literal::Test(test, part, Term::Var(v)))
    }

    fn negation(&mut self, growing: &Growing, uses: Option<usize>, witness: &Witness) -> Option<Literal> {
        let mut at = self.rng.below(growing.program.relations.len());
        // Most often one with facts: it can be under no recursion.
        if growing.program.is_derived(&growing.program.relations[at].name) && self.rng.coin() {
            at = self.rng.below(growing.program.relations.len());
        }
        if uses == Some(at) {
            return None;
        }
        let relation = &growing.program.relations[at];
        let mut args = Vec::with_capacity(relation.arity());
        for attribute in &relation.attributes {
            let vars = witness.of_kind(attribute.kind);
            args.push(if self.has(Part::WildcardUnderNegation, self.parameters.wildcard) {
                Term::Wildcard
            } else if vars.is_empty() || self.percent(self.parameters.constant) {
                Term::Constant(self.pooled(growing, attribute.kind))
            } else {
                Term::Var(*self.rng.pick(&vars))
            });
        }
        if args.iter().all(|t| matches!(t, Term::Wildcard)) {
            return None;
        }
        let matching = |tuple: &Vec<Constant>| {
            args.iter().zip(tuple).all(|(t, c)| match t {
                Term::Var(v) => witness.values[*v as usize].as_ref() == Some(c),
                Term::Constant(k) => k == c,
                _ => true,
            })
        };
        if growing.contents[at].iter().any(matching) && !self.percent(self.parameters.blind) {
            return None;
        }
        Some(Literal::Not(Atom::new(relation.name.clone(), args)))
    }

    /// `x = count : { … }`, with variables of the rule inside where the dialect allows it.
    fn aggregate(&mut self, growing: &Growing, there: &[usize], witness: &mut Witness) -> Option<Literal> {
        let at = *self.rng.pick(there);
        let relation = &growing.program.relations[at];
        let grouped = self.dialect.has(Part::GroupedAggregate);
        let mut next = witness.kinds.len() as Var;
        let mut inner = Vec::new();
        let mut args = Vec::with_capacity(relation.arity());
        for attribute in &relation.attributes {
            let vars = witness.of_kind(attribute.kind);
            args.push(if grouped && !vars.is_empty() && self.rng.chance(1, 3) {
                Term::Var(*self.rng.pick(&vars))
            } else {
                inner.push((next, attribute.kind));
                next += 1;
                Term::Var(next - 1)
            });
        }
        let fold = *self.rng.pick(self.dialect.folds);
        let summed: Vec<Var> = inner.iter().filter(|(_, k)| *k == Kind::Number).map(|(v, _)| *v).collect();
        let floats: Vec<Var> = inner.iter().filter(|(_, k)| *k == Kind::Float).map(|(v, _)| *v).collect();
        let target = match fold {
            Fold::Count => None,
            // A mean is a float, of floats.
            Fold::Mean if floats.is_empty() => return None,
            Fold::Mean => Some(Term::Var(*self.rng.pick(&floats))),
            _ if summed.is_empty() => return None,
            _ => Some(Term::Var(*self.rng.pick(&summed))),
        };
        let body = vec![Literal::Atom(Atom::new(relation.name.clone(), args))];
        let term = Term::Aggregate(Box::new(Aggregate { fold, target, body }));
        let Growing { program, contents, .. } = growing;
        let value = evaluate::term_value(program, self.dialect, contents, &term, &witness.values).ok()??;
        // The variables inside are taken, and belong to nobody outside.
        for (_, kind) in inner {
            witness.kinds.push(kind);
            witness.values.push(None);
        }
        let var = witness.fresh(value);
        Some(Literal::Compare(Comparison::Equal, var, term))
    }

    /// One of two or three: comparisons and subgoals over variables that are bound.
    fn disjunction(&mut self, growing: &Growing, there: &[usize], witness: &Witness) -> Option<Literal> {
        let mut arms = Vec::new();
        for _ in 0..self.rng.range(2, 3) {
            let arm = match self.rng.coin() {
                true => self.comparison(growing, witness)?,
                false => {
                    let relation = &growing.program.relations[*self.rng.pick(there)];
                    let mut args = Vec::new();
                    for a in &relation.attributes {
                        let vars = witness.of_kind(a.kind);
                        args.push(match vars.is_empty() {
                            true => Term::Constant(self.pooled(growing, a.kind)),
                            false => Term::Var(*self.rng.pick(&vars)),
                        });
                    }
                    Literal::Atom(Atom::new(relation.name.clone(), args))
                }
            };
            arms.push(vec![arm]);
        }
        Some(Literal::Or(arms))
    }
}
