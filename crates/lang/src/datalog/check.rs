//! Whether a program is one: names and widths fit, kinds agree, every variable is bound by something finite (range
//! restriction), no relation needs its own complement, every recursion ends, and the dialect has every part that is
//! used. What passes here has one meaning, the one that `evaluate` computes.

mod bound;
mod inlining;
#[cfg(test)]
mod tests;
mod types;

use super::ast::*;
use super::stratify::{Dependencies, Stratum};
pub use bound::{bound_by, outside_aggregates};
use bound::{is_known_pattern, is_plain_symbol};
use inlining::check_inlining;
use qualm_core::dialect::datalog::{DatalogDialect, Form, Part};
pub use types::has_kind;
use types::is_of_type;

/// A set of variables of one rule.
pub type Vars = u128;

/// More variables than this in one rule are refused.
pub const VARS_AT_MOST: Var = 128;

pub fn bit(v: Var) -> Vars {
    1u128.checked_shl(v).unwrap_or(0)
}

/// Checks all of it; the strata are what an evaluator goes through.
pub fn program(program: &Program, dialect: &DatalogDialect) -> Result<Vec<Stratum>, String> {
    declarations(program, dialect)?;
    for fact in &program.facts {
        check_fact(fact, program, dialect)?;
    }
    let check = RuleCheck { program, dialect };
    for rule in &program.rules {
        check.rule(rule)?;
    }
    for s in &program.subsumptions {
        check.subsumption(s)?;
    }
    together(program, &Dependencies::of(program), dialect)
}

/// What no rule shows alone: strata, inlining, recursion that ends.
pub fn together(
    program: &Program,
    dependencies: &Dependencies,
    dialect: &DatalogDialect,
) -> Result<Vec<Stratum>, String> {
    let strata = dependencies
        .strata()
        .map_err(|at| format!("relation '{}' needs its own complement", program.relations[at].name))?;
    if !dialect.has(Part::Recursion) && strata.iter().any(|s| s.recursive) {
        return Err("the dialect has no recursion".into());
    }
    check_inlining(program, &strata)?;
    if let Some(at) = super::finite::endless_rule(program, &strata, dialect)
        && !(program.by_running && super::evaluate::ends(program, dialect, &strata))
    {
        return Err(format!("the recursion of '{}' may not end", program.rules[at].heads[0].relation));
    }
    Ok(strata)
}

fn declarations(program: &Program, dialect: &DatalogDialect) -> Result<(), String> {
    for (i, r) in program.relations.iter().enumerate() {
        if program.relations[..i].iter().any(|other| other.name == r.name) {
            return Err(format!("relation '{}' is declared twice", r.name));
        }
        if r.attributes.is_empty() || r.arity() > dialect.most_attributes {
            return Err(format!("relation '{}' has {} attributes", r.name, r.arity()));
        }
        if let Some(a) = r.attributes.iter().find(|a| !has_kind(program, dialect, a.kind)) {
            return Err(format!("attribute '{}' of '{}' has a type that the dialect does not have", a.name, r.name));
        }
        if let Some(q) = r.qualifiers.iter().find(|q| !dialect.qualifiers.contains(q)) {
            return Err(format!("relation '{}' is {q:?}, which the dialect does not have", r.name));
        }
        if !r.choice.is_empty() && !dialect.has(Part::Choice) {
            return Err("the dialect has no choice".into());
        }
        if r.choice.iter().flatten().any(|i| *i >= r.arity()) {
            return Err(format!("a key of '{}' names no attribute", r.name));
        }
        if r.has(Qualifier::Eqrel) && !(r.arity() == 2 && r.attributes[0].kind == r.attributes[1].kind) {
            return Err(format!("the equivalence relation '{}' is not binary over one kind", r.name));
        }
        let both = |a, b| r.has(a) && r.has(b);
        let storages = [Qualifier::Brie, Qualifier::Btree, Qualifier::BtreeDelete, Qualifier::Eqrel];
        let contradiction = both(Qualifier::Inline, Qualifier::NoInline)
            || both(Qualifier::Magic, Qualifier::NoMagic)
            || both(Qualifier::Inline, Qualifier::Magic)
            || storages.iter().filter(|q| r.has(**q)).count() > 1;
        if contradiction {
            return Err(format!("the qualifiers of '{}' contradict each other", r.name));
        }
    }
    match program.relation(&program.output) {
        Some(_) => Ok(()),
        None => Err(format!("the output '{}' is not declared", program.output)),
    }
}

fn check_fact(fact: &Fact, program: &Program, dialect: &DatalogDialect) -> Result<(), String> {
    let Some(relation) = program.relation(&fact.relation) else {
        return Err(format!("relation '{}' is not declared", fact.relation));
    };
    let kinds = || relation.attributes.iter().map(|a| a.kind);
    if fact.values.len() != relation.arity() || !fact.values.iter().map(Constant::kind).eq(kinds()) {
        return Err(format!("a fact of '{}' does not fit its attributes", fact.relation));
    }
    if !fact.values.iter().all(|v| is_of_type(v, program)) {
        return Err(format!("a value of '{}' is none of its type", fact.relation));
    }
    if !fact.values.iter().all(|v| fits(v, dialect)) {
        return Err(format!("a value of '{}' is out of range", fact.relation));
    }
    if !dialect.has(Part::FactsBesideRules) && program.is_derived(&fact.relation) {
        return Err(format!("'{}' has facts and rules", fact.relation));
    }
    Ok(())
}

/// Whether the dialect can write this value.
pub fn fits(value: &Constant, dialect: &DatalogDialect) -> bool {
    match value {
        Constant::Number(n) => {
            let least = dialect.form == Form::Souffle && *n == -(1 << (dialect.bits.min(63) - 1));
            dialect.bits >= 64 || n.unsigned_abs() < 1 << (dialect.bits - 1) || least
        }
        Constant::Unsigned(n) => {
            dialect.domain.is_none_or(|d| *n < d) && (dialect.bits >= 64 || *n < 1 << dialect.bits)
        }
        Constant::Float(f) => f.is_finite() || dialect.floats_by_bits,
        Constant::Symbol(_) => true,
        Constant::Built(b) => b.fields.iter().all(|f| fits(f, dialect)),
    }
}

/// Kinds of the variables of a rule, as far as they are known.
pub type Kinds = Vec<Option<Kind>>;

pub struct RuleCheck<'a> {
    pub program: &'a Program,
    pub dialect: &'a DatalogDialect,
}

/// How deep the body of an aggregate counts; an arm of a disjunction is at 1.
const IN_AGGREGATE: u32 = 2;

/// Whether a comparison with an aggregate binds nothing.
fn is_question(a: &Term, b: &Term) -> bool {
    matches!(a, Term::Constant(_)) || matches!(b, Term::Constant(_))
}

impl RuleCheck<'_> {
    fn assigns(&self) -> bool {
        self.dialect.has(Part::Assignment)
    }

    pub fn rule(&self, rule: &Rule) -> Result<(), String> {
        if rule.heads.is_empty() || rule.body.is_empty() {
            return Err("a rule without head or body".into());
        }
        if rule.heads.len() > 1 && !self.dialect.has(Part::ManyHeads) {
            return Err("the dialect has one head per rule".into());
        }
        if rule.fresh_var() > VARS_AT_MOST {
            return Err(format!("more than {VARS_AT_MOST} variables in a rule"));
        }
        if !rule.plan.is_empty() {
            let mut sorted = rule.plan.clone();
            sorted.sort_unstable();
            if !self.dialect.has(Part::PlanHint) || !sorted.into_iter().eq(1..=rule.atoms().count()) {
                return Err("a plan that is not an order of the rule's atoms".into());
            }
        }
        for head in &rule.heads {
            self.head(head)?;
        }
        let atoms = rule.heads.iter();
        self.formula(atoms, &rule.body)
    }

    fn head(&self, head: &Atom) -> Result<(), String> {
        for arg in &head.args {
            let fine = match arg {
                Term::Var(_) => true,
                Term::Constant(_) => self.dialect.has(Part::ConstantInHead),
                Term::Wildcard => false,
                other => self.dialect.has(Part::HeadFunctor) && !other.has_aggregate(),
            };
            if !fine {
                return Err(format!("an argument in the head '{}' that the dialect does not have", head.relation));
            }
        }
        if self.program.facts.iter().any(|f| f.relation == head.relation) && !self.dialect.has(Part::FactsBesideRules) {
            return Err(format!("'{}' has facts and rules", head.relation));
        }
        Ok(())
    }

    fn subsumption(&self, s: &Subsumption) -> Result<(), String> {
        if !self.dialect.has(Part::Subsumption) {
            return Err("the dialect has no subsumption".into());
        }
        let atoms = [&s.smaller, &s.larger].map(|args| Atom::new(s.relation.clone(), args.clone()));
        let mut body: Vec<Literal> = atoms.iter().cloned().map(Literal::Atom).collect();
        body.extend(s.body.iter().cloned());
        self.formula(atoms.iter(), &body)
    }

    /// Parts, kinds and bounds of a body and of the atoms that use its variables.
    fn formula<'a>(&self, heads: impl Iterator<Item = &'a Atom> + Clone, body: &[Literal]) -> Result<(), String> {
        let mut kinds = Kinds::new();
        self.infer(heads.clone(), body, &mut kinds)?;
        let outside = outside_aggregates(heads.clone(), body);
        let bound = bound_by(body, 0, self.assigns());
        self.literals(body, bound, outside, 0)?;
        for head in heads {
            for arg in &head.args {
                self.term(arg, bound).map_err(|why| format!("{why} in the head '{}'", head.relation))?;
            }
        }
        Ok(())
    }

    /// Kinds of all variables. Two rounds, because a comparison may come before what gives its variable a kind.
    pub fn infer<'a>(
        &self,
        heads: impl Iterator<Item = &'a Atom> + Clone,
        body: &[Literal],
        kinds: &mut Kinds,
    ) -> Result<(), String> {
        for _ in 0..2 {
            for head in heads.clone() {
                self.infer_atom(head, kinds)?;
            }
            self.infer_body(body, kinds)?;
        }
        Ok(())
    }

    fn infer_body(&self, body: &[Literal], kinds: &mut Kinds) -> Result<(), String> {
        for literal in body {
            match literal {
                Literal::Atom(a) | Literal::Not(a) => self.infer_atom(a, kinds)?,
                Literal::Compare(c, a, b) if self.is_mixed(*c, a, b, kinds) => {}
                Literal::Compare(c, a, b) => {
                    let kind = self.kind(a, None, kinds)?;
                    let kind = self.kind(b, kind, kinds)?;
                    let kind = self.kind(a, kind, kinds)?;
                    let ordered = !matches!(c, Comparison::Equal | Comparison::NotEqual);
                    if ordered && matches!(kind, Some(Kind::Built(_))) {
                        return Err("there is no order of built values".into());
                    }
                    if ordered && kind == Some(Kind::Symbol) && !self.dialect.ordered_symbols {
                        return Err("the dialect has no order of symbols".into());
                    }
                }
                Literal::Test(_, a, b) => {
                    self.kind(a, Some(Kind::Symbol), kinds)?;
                    self.kind(b, Some(Kind::Symbol), kinds)?;
                }
                Literal::Or(arms) => arms.iter().try_for_each(|arm| self.infer_body(arm, kinds))?,
            }
        }
        Ok(())
    }

    /// A float that is compared with an integer, where both are numbers to the dialect.
    fn is_mixed(&self, c: Comparison, a: &Term, b: &Term, kinds: &mut Kinds) -> bool {
        let ordered = !matches!(c, Comparison::Equal | Comparison::NotEqual);
        let integer = |t: &Term| matches!(t, Term::Constant(Constant::Number(_)));
        let (number, other) = if integer(a) { (a, b) } else { (b, a) };
        self.dialect.floats_by_bits
            && ordered
            && integer(number)
            && self.kind(other, None, kinds) == Ok(Some(Kind::Float))
    }

    fn infer_atom(&self, atom: &Atom, kinds: &mut Kinds) -> Result<(), String> {
        let Some(relation) = self.program.relation(&atom.relation) else {
            return Err(format!("relation '{}' is not declared", atom.relation));
        };
        if relation.arity() != atom.args.len() {
            return Err(format!("'{}' has {} attributes", atom.relation, relation.arity()));
        }
        for (arg, attribute) in atom.args.iter().zip(&relation.attributes) {
            self.kind(arg, Some(attribute.kind), kinds)?;
        }
        Ok(())
    }

    /// The kind of a term that must be of kind `wanted`, if that is known.
    pub fn kind(&self, term: &Term, wanted: Option<Kind>, kinds: &mut Kinds) -> Result<Option<Kind>, String> {
        let found = match term {
            Term::Wildcard => wanted,
            Term::Constant(c) => Some(c.kind()),
            Term::Var(v) => {
                let at = *v as usize;
                if at >= kinds.len() {
                    kinds.resize(at + 1, None);
                }
                kinds[at] = kinds[at].or(wanted);
                kinds[at]
            }
            Term::Negate(t) => self.kind(t, wanted, kinds)?,
            Term::Call(Function::Length, t) => {
                self.kind(t, Some(Kind::Symbol), kinds)?;
                Some(Kind::Number)
            }
            Term::Call(Function::Lower | Function::Upper, t) => self.kind(t, Some(Kind::Symbol), kinds)?,
            Term::Call(f @ (Function::ToNumber | Function::ToUnsigned | Function::ToFloat | Function::ToText), t) => {
                if let Some(Kind::Built(_)) = self.kind(t, None, kinds)? {
                    return Err("a built value is not converted".into());
                }
                Some(match f {
                    Function::ToNumber => Kind::Number,
                    Function::ToUnsigned => Kind::Unsigned,
                    Function::ToFloat => Kind::Float,
                    _ => Kind::Symbol,
                })
            }
            Term::Call(Function::Ordinal, t) => {
                self.kind(t, Some(Kind::Symbol), kinds)?;
                Some(Kind::Number)
            }
            Term::Call(Function::BitNot | Function::LogicalNot, t) => match self.kind(t, wanted, kinds)? {
                Some(Kind::Symbol | Kind::Float | Kind::Built(_)) => return Err("no bits of this kind".into()),
                kind => kind,
            },
            Term::Call(Function::Absolute, t) => match self.kind(t, wanted, kinds)? {
                Some(Kind::Symbol | Kind::Unsigned | Kind::Built(_)) => {
                    return Err("no absolute value of this kind".into());
                }
                kind => kind,
            },
            Term::Apply(Functor::Substring, args) => {
                if args.len() != 3 {
                    return Err("a part of a symbol needs its place and its length".into());
                }
                self.kind(&args[0], Some(Kind::Symbol), kinds)?;
                self.kind(&args[1], Some(Kind::Number), kinds)?;
                self.kind(&args[2], Some(Kind::Number), kinds)?;
                Some(Kind::Symbol)
            }
            Term::Apply(Functor::Range, args) => {
                let mut kind = wanted;
                for arg in args {
                    kind = self.kind(arg, kind, kinds)?;
                }
                match kind {
                    Some(Kind::Number | Kind::Unsigned | Kind::Float) if matches!(args.len(), 2 | 3) => kind,
                    _ => return Err("a range of something that is no number".into()),
                }
            }
            Term::Apply(Functor::Counter, _) => Some(Kind::Number),
            Term::Build(b) => self.built_kind(b, kinds)?,
            Term::Binary(operator, a, b) => {
                let kind = self.kind(a, wanted, kinds)?;
                let kind = self.kind(b, kind, kinds)?;
                let taken = match kind {
                    Some(Kind::Symbol) => self.dialect.symbol_operators.contains(operator),
                    Some(Kind::Built(_)) => false,
                    Some(Kind::Number | Kind::Unsigned | Kind::Float) => *operator != Operator::Concat,
                    None => true,
                };
                if !taken {
                    return Err(format!("{operator:?} does not take these kinds"));
                }
                // Others may make what is no number, which running shows.
                let risky = self.program.by_running && matches!(operator, Operator::Divide | Operator::Power);
                let float = self.dialect.float_operators.contains(operator)
                    || self.dialect.operators.contains(operator) && risky;
                if kind == Some(Kind::Float) && !float {
                    return Err(format!("{operator:?} of floats makes no float"));
                }
                kind
            }
            Term::Aggregate(a) => {
                self.infer_body(&a.body, kinds)?;
                let target = a.target.as_ref().map(|t| self.kind(t, None, kinds)).transpose()?.flatten();
                match a.fold {
                    Fold::Count => Some(Kind::Number),
                    Fold::Mean => Some(Kind::Float),
                    Fold::Sum | Fold::Min | Fold::Max => target,
                }
            }
        };
        match (found, wanted) {
            (Some(a), Some(b)) if a != b => Err(format!("a {a:?} where a {b:?} is wanted")),
            _ => Ok(found),
        }
    }

    fn literals(&self, body: &[Literal], bound: Vars, outside: Vars, depth: u32) -> Result<(), String> {
        for literal in body {
            match literal {
                Literal::Atom(a) => self.atom(a, bound, true)?,
                Literal::Not(a) => {
                    if !self.dialect.has(Part::Negation) {
                        return Err("the dialect has no negation".into());
                    }
                    self.atom(a, bound, false)?;
                }
                Literal::Compare(c, a, b) => self.comparison(*c, a, b, bound, outside, depth)?,
                Literal::Test(test, a, b) => {
                    if !self.dialect.has(Part::BodyFunctor) || !self.dialect.tests.contains(test) {
                        return Err(format!("the dialect has no {test:?}"));
                    }
                    let known = match test {
                        Test::Contains | Test::Lacks => true,
                        Test::StartsWith | Test::EndsWith => is_plain_symbol(a),
                        Test::Matches | Test::Differs => is_known_pattern(a) || self.program.by_running,
                    };
                    if !known {
                        return Err(format!("{test:?} of something that is not a plain symbol"));
                    }
                    self.term(a, bound)?;
                    self.term(b, bound)?;
                }
                Literal::Or(arms) => {
                    if !self.dialect.has(Part::Disjunction) || arms.len() < 2 || depth > 0 {
                        return Err("a disjunction that the dialect does not have".into());
                    }
                    for arm in arms {
                        if arm.is_empty() {
                            return Err("an empty arm of a disjunction".into());
                        }
                        self.literals(arm, bound | bound_by(arm, bound, self.assigns()), outside, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn atom(&self, atom: &Atom, bound: Vars, positive: bool) -> Result<(), String> {
        for arg in &atom.args {
            match arg {
                Term::Wildcard if positive && self.dialect.has(Part::Wildcard) => {}
                Term::Wildcard if !positive && self.dialect.has(Part::WildcardUnderNegation) => {}
                Term::Wildcard => return Err("a wildcard that the dialect does not have".into()),
                Term::Var(_) | Term::Constant(_) => self.term(arg, bound)?,
                // Nothing is taken apart where nothing is found.
                Term::Build(_) if positive => self.pattern(arg, bound)?,
                Term::Build(_) => self.term(arg, bound)?,
                _ if !self.dialect.has(Part::BodyFunctor) => return Err("a functor in an atom".into()),
                _ => self.term(arg, bound)?,
            }
        }
        // All unknown is no question about a relation but about whether it is empty, which not every engine asks.
        let open = !positive && atom.args.iter().all(|t| matches!(t, Term::Wildcard));
        if open && self.dialect.form != Form::Souffle {
            return Err("only wildcards under a negation".into());
        }
        Ok(())
    }

    fn comparison(
        &self,
        c: Comparison,
        a: &Term,
        b: &Term,
        bound: Vars,
        outside: Vars,
        depth: u32,
    ) -> Result<(), String> {
        if !self.dialect.comparisons.contains(&c) {
            return Err(format!("the dialect has no {c:?} here"));
        }
        let souffle = self.dialect.form == Form::Souffle;
        for side in [a, b] {
            match side {
                Term::Build(_) if c == Comparison::Equal => self.pattern(side, bound)?,
                Term::Apply(Functor::Range, args) if c == Comparison::Equal => {
                    if !self.dialect.functors.contains(&Functor::Range) || !self.dialect.has(Part::BodyFunctor) {
                        return Err("the dialect has no ranges".into());
                    }
                    args.iter().try_for_each(|t| self.term(t, bound))?;
                }
                Term::Aggregate(aggregate) if depth == 0 => self.aggregate(aggregate, bound, outside)?,
                // In a disjunction it only asks.
                Term::Aggregate(aggregate) if depth == 1 && is_question(a, b) && souffle => {
                    self.aggregate(aggregate, bound, outside)?;
                }
                Term::Var(_) | Term::Constant(_) => self.term(side, bound)?,
                _ if !self.dialect.has(Part::BodyFunctor) => return Err("a functor in a comparison".into()),
                _ => self.term(side, bound)?,
            }
        }
        Ok(())
    }

    fn aggregate(&self, a: &Aggregate, bound: Vars, outside: Vars) -> Result<(), String> {
        if !self.dialect.has(Part::Aggregate) || !self.dialect.folds.contains(&a.fold) || a.body.is_empty() {
            return Err(format!("the dialect has no aggregate {:?} like this", a.fold));
        }
        if a.target.is_none() != (a.fold == Fold::Count) {
            return Err("an aggregate with too much or too little to fold".into());
        }
        let mut used = 0;
        a.body.iter().for_each(|l| l.each_var(&mut |v| used |= bit(v)));
        if used & outside != 0 && !self.dialect.has(Part::GroupedAggregate) {
            return Err("the dialect has no aggregate over variables of the rule".into());
        }
        // Only what is bound outside comes in; the rest must be bound here.
        let inside = bound & outside;
        let inside = inside | bound_by(&a.body, inside, self.assigns());
        self.literals(&a.body, inside, outside, IN_AGGREGATE)?;
        a.target.iter().try_for_each(|t| self.term(t, inside))
    }

    /// A value that is taken apart: wildcards may stand in it.
    fn pattern(&self, term: &Term, bound: Vars) -> Result<(), String> {
        match term {
            Term::Wildcard => Ok(()),
            Term::Build(b) => b.fields.iter().try_for_each(|t| self.pattern(t, bound)),
            other => self.term(other, bound),
        }
    }

    /// A term without aggregates whose variables are all bound.
    fn term(&self, term: &Term, bound: Vars) -> Result<(), String> {
        match term {
            Term::Var(v) if bound & bit(*v) == 0 => Err(format!("variable {v} is not bound")),
            Term::Var(_) => Ok(()),
            Term::Constant(c) if !fits(c, self.dialect) => Err("a constant out of range".into()),
            Term::Constant(_) => Ok(()),
            Term::Wildcard => Err("a wildcard inside a term".into()),
            Term::Negate(t) if self.dialect.operators.contains(&Operator::Subtract) => self.term(t, bound),
            Term::Call(f, t) if self.dialect.functions.contains(f) => self.term(t, bound),
            Term::Apply(Functor::Range, _) => Err("a range inside a term".into()),
            Term::Apply(f, args) if self.dialect.functors.contains(f) => {
                args.iter().try_for_each(|t| self.term(t, bound))
            }
            Term::Build(b) => b.fields.iter().try_for_each(|t| self.term(t, bound)),
            Term::Binary(o, a, b) if self.dialect.operators.contains(o) => {
                let divides = matches!(o, Operator::Divide | Operator::Remainder);
                let safe = matches!(**b, Term::Constant(Constant::Number(n)) if n > 0) || self.program.by_running;
                if divides && !safe {
                    return Err("a division by something that may be zero".into());
                }
                self.term(a, bound)?;
                self.term(b, bound)
            }
            Term::Aggregate(_) => Err("an aggregate inside a term".into()),
            _ => Err("a functor that the dialect does not have".into()),
        }
    }
}
