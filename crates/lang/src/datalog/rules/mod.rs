//! The transformations of queryFuzz (Mansur, Christakis, Wüstholz, ESEC/FSE 2021): each changes one rule of a program
//! so that the output stays the same, grows or shrinks. A step is plain data that says what is done where; `apply`
//! makes it, or refuses it where the claim would not be sound, so a reducer may drop and change steps as it likes.
//!
//! Whether a rule that grows makes the output grow is decided on the dependency graph: through an even number of
//! negations it does, through an odd number it makes it shrink, through aggregates, subsumption and choice nobody
//! knows.

mod add;
mod containment;
mod modify;
mod negate;
mod propose;
mod remove;
#[cfg(test)]
mod tests;
pub mod user;
pub mod user_check;

pub use propose::propose;

use super::ast::*;
use super::check::{self, RuleCheck, Vars, bit};
use super::stratify::{Dependencies, Polarity};
use crate::user_rules::UserText;
use qualm_core::dialect::datalog::DatalogDialect;
use serde::{Deserialize, Serialize};
use user::UserRule;

/// What a transformation does to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Equal,
    Grows,
    Shrinks,
}

impl Effect {
    /// What a sequence does whose parts do this; nothing when that is not known.
    pub fn then(self, next: Effect) -> Option<Effect> {
        match (self, next) {
            (Effect::Equal, e) | (e, Effect::Equal) => Some(e),
            (a, b) if a == b => Some(a),
            _ => None,
        }
    }
}

/// One transformation at one place: `rule` counts the rules of the program that the steps before have made, `subgoal`
/// the literals of its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// A copy of a subgoal, with new variables in these places.
    AddEqu { rule: usize, subgoal: usize, fresh: Vec<usize> },
    /// A new subgoal over variables of the rule.
    AddCon { rule: usize, atom: Atom },
    /// A condition on a variable of the rule.
    AddIf { rule: usize, comparison: Comparison, var: Var, other: Term },
    /// One occurrence of a variable becomes a new one.
    ModExp { rule: usize, subgoal: usize, argument: usize },
    /// A constant argument becomes a variable that equals it.
    ModConst { rule: usize, subgoal: usize, argument: usize },
    /// A constant of a subgoal, a negation or a comparison becomes a variable of a new relation that holds it alone.
    ModFact { rule: usize, subgoal: usize, argument: usize },
    /// A variable gets a new name everywhere.
    ModEqu { rule: usize, var: Var },
    /// A variable becomes another one everywhere.
    ModCon { rule: usize, var: Var, into: Var },
    /// A subgoal or a condition goes that restricts the result.
    RemExp { rule: usize, subgoal: usize },
    /// A subgoal goes that maps onto another one.
    RemEqu { rule: usize, subgoal: usize },
    /// A subgoal becomes the negation of its negation.
    NegEqu { rule: usize, subgoal: usize },
    /// A rule that the user wrote, at one of the places where it fits; `site` counts round.
    User { rule: usize, site: usize, name: Name, written: Box<UserText> },
}

pub struct RuleSpec {
    pub name: &'static str,
    /// What it does to the rule that it changes.
    pub effect: Effect,
    pub about: &'static str,
    /// A rule before, and after.
    pub example: (&'static str, &'static str),
}

pub const RULES: &[RuleSpec] = &[
    RuleSpec {
        name: "add-equ",
        effect: Effect::Equal,
        about: "a copy of a subgoal with some variables new joins with everything the subgoal joins with",
        example: ("p(x) :- a(y, x).", "p(x) :- a(y, x), a(z, x)."),
    },
    RuleSpec {
        name: "add-con",
        effect: Effect::Shrinks,
        about: "one more subgoal over the same variables restricts",
        example: ("p(x) :- a(x, y).", "p(x) :- a(x, y), a(y, y)."),
    },
    RuleSpec {
        name: "mod-exp",
        effect: Effect::Grows,
        about: "a join less restricts less",
        example: ("p(x) :- a(x, y), a(y, x).", "p(x) :- a(x, y), a(y, z)."),
    },
    RuleSpec {
        name: "mod-equ",
        effect: Effect::Equal,
        about: "the name of a variable means nothing",
        example: ("p(x) :- a(x, y), a(y, x).", "p(x) :- a(x, z), a(z, x)."),
    },
    RuleSpec {
        name: "mod-con",
        effect: Effect::Shrinks,
        about: "two variables that must be equal restrict",
        example: ("p(x) :- a(x, y), a(y, z).", "p(x) :- a(x, x), a(x, z)."),
    },
    RuleSpec {
        name: "rem-exp",
        effect: Effect::Grows,
        about: "a subgoal less restricts less",
        example: ("p(x) :- a(x, y), b(x, y).", "p(x) :- a(x, y)."),
    },
    RuleSpec {
        name: "rem-equ",
        effect: Effect::Equal,
        about: "a subgoal that maps onto another one says nothing of its own",
        example: ("p(x) :- a(y, x), a(w, x).", "p(x) :- a(y, x)."),
    },
    RuleSpec {
        name: "neg-equ",
        effect: Effect::Equal,
        about: "what is not among the failures of the rest of the body succeeds",
        example: (
            "p(x, y) :- a(x, y), b(y, z), c(z).",
            "p(x, y) :- a(x, y), b(y, z), !n(z).  n(z) :- a(x, y), b(y, z), !c(z).",
        ),
    },
    RuleSpec {
        name: "add-if",
        effect: Effect::Shrinks,
        about: "one more condition restricts",
        example: ("p(x) :- a(x, y), x > 1.", "p(x) :- a(x, y), x > 1, y != 2."),
    },
    RuleSpec {
        name: "mod-const",
        effect: Effect::Equal,
        about: "a constant argument is a variable that equals it",
        example: ("p(x) :- a(x, 2).", "p(x) :- a(x, y), y = 2."),
    },
    RuleSpec {
        name: "mod-fact",
        effect: Effect::Equal,
        about: "a constant is what a relation of its own holds",
        example: ("p(x) :- a(x, y), y != 2.", "p(x) :- a(x, y), k(z), y != z.  k(2)."),
    },
];

impl Step {
    pub fn user(rule: &UserRule, at: usize, site: usize) -> Step {
        Step::User { rule: at, site, name: rule.name.clone(), written: Box::new(rule.text.clone()) }
    }

    pub fn name(&self) -> &str {
        match self {
            Step::User { name, .. } => name,
            _ => self.spec().map_or("", |s| s.name),
        }
    }

    /// What it does to the rule that it changes.
    fn effect(&self) -> Effect {
        match self {
            Step::User { written, .. } => user::effect(written.relation),
            _ => self.spec().map_or(Effect::Equal, |s| s.effect),
        }
    }

    /// Nothing for a rule that the user wrote.
    pub fn spec(&self) -> Option<&'static RuleSpec> {
        let at = match self {
            Step::AddEqu { .. } => 0,
            Step::AddCon { .. } => 1,
            Step::ModExp { .. } => 2,
            Step::ModEqu { .. } => 3,
            Step::ModCon { .. } => 4,
            Step::RemExp { .. } => 5,
            Step::RemEqu { .. } => 6,
            Step::NegEqu { .. } => 7,
            Step::AddIf { .. } => 8,
            Step::ModConst { .. } => 9,
            Step::ModFact { .. } => 10,
            Step::User { .. } => return None,
        };
        RULES.get(at)
    }

    pub fn rule(&self) -> usize {
        match self {
            Step::AddEqu { rule, .. }
            | Step::AddCon { rule, .. }
            | Step::AddIf { rule, .. }
            | Step::ModConst { rule, .. }
            | Step::ModFact { rule, .. }
            | Step::ModExp { rule, .. }
            | Step::ModEqu { rule, .. }
            | Step::ModCon { rule, .. }
            | Step::RemExp { rule, .. }
            | Step::RemEqu { rule, .. }
            | Step::NegEqu { rule, .. }
            | Step::User { rule, .. } => *rule,
        }
    }

    pub fn rule_mut(&mut self) -> &mut usize {
        match self {
            Step::AddEqu { rule, .. }
            | Step::AddCon { rule, .. }
            | Step::AddIf { rule, .. }
            | Step::ModConst { rule, .. }
            | Step::ModFact { rule, .. }
            | Step::ModExp { rule, .. }
            | Step::ModEqu { rule, .. }
            | Step::ModCon { rule, .. }
            | Step::RemExp { rule, .. }
            | Step::RemEqu { rule, .. }
            | Step::NegEqu { rule, .. }
            | Step::User { rule, .. } => rule,
        }
    }
}

/// The program after a step, and what that does to the output; nothing where the step has no place or no sound claim.
/// The program is one of the dialect already, so only what the step changes is looked at again.
pub fn apply(program: &Program, step: &Step, dialect: &DatalogDialect) -> Option<(Program, Effect)> {
    let before = program.rules.get(step.rule())?;
    let effect = step.effect();
    let mut after = before.clone();
    let (mut failures, mut named) = (None, None);
    match step {
        Step::NegEqu { subgoal, .. } => failures = Some(negate::twice(program, &mut after, *subgoal, dialect)?),
        Step::ModFact { subgoal, argument, .. } => {
            named = Some(modify::constant_in_a_fact(program, &mut after, *subgoal, *argument)?);
        }
        _ => change(&mut after, step)?,
    }
    if !same_inner_variables(before, &after, step) {
        return None;
    }
    let mut next;
    if let Some((relation, rule)) = failures {
        next = program.clone();
        next.relations.push(relation);
        let check = RuleCheck { program: &next, dialect };
        check.rule(&rule).and_then(|()| check.rule(&after)).ok()?;
        next.rules.push(rule);
    } else if let Some((relation, fact)) = named {
        next = program.clone();
        next.relations.push(relation);
        next.facts.push(fact);
        RuleCheck { program: &next, dialect }.rule(&after).ok()?;
    } else {
        RuleCheck { program, dialect }.rule(&after).ok()?;
        next = program.clone();
    }
    next.rules[step.rule()] = after;
    let dependencies = Dependencies::of(&next);
    check::together(&next, &dependencies, dialect).ok()?;
    if effect == Effect::Equal {
        return Some((next, effect));
    }
    let heads = next.rules[step.rule()].heads.iter();
    let places: Vec<usize> = heads.filter_map(|h| next.place(&h.relation)).collect();
    let lifted = |dependencies: &Dependencies, of: &Program| {
        let polarities = dependencies.polarities(of);
        let reached = places.iter().map(|at| lift(effect, polarities[*at])).collect::<Option<Vec<Effect>>>()?;
        reached.into_iter().try_fold(Effect::Equal, Effect::then)
    };
    // The graph with more edges decides: a step that adds a subgoal adds some, no other step does. What the user wrote
    // may add some and take others away: both graphs must say the same.
    let whole = lifted(&dependencies, &next)?;
    if matches!(step, Step::User { .. }) && lifted(&Dependencies::of(program), program)? != whole {
        return None;
    }
    Some((next, whole))
}

/// What a step does to its rule alone.
fn change(rule: &mut Rule, step: &Step) -> Option<()> {
    match step {
        Step::AddEqu { subgoal, fresh, .. } => add::equal(rule, *subgoal, fresh),
        Step::AddCon { atom, .. } => add::restrict(rule, atom),
        Step::AddIf { comparison, var, other, .. } => add::condition(rule, *comparison, *var, other),
        Step::ModExp { subgoal, argument, .. } => modify::expand(rule, *subgoal, *argument),
        Step::ModConst { subgoal, argument, .. } => modify::name_constant(rule, *subgoal, *argument),
        Step::ModEqu { var, .. } => modify::rename(rule, *var),
        Step::ModCon { var, into, .. } => modify::identify(rule, *var, *into),
        Step::RemExp { subgoal, .. } => remove::expand(rule, *subgoal),
        Step::RemEqu { subgoal, .. } => remove::equal(rule, *subgoal),
        Step::NegEqu { .. } | Step::ModFact { .. } => None,
        Step::User { site, name, written, .. } => UserRule::of(name, written).ok()?.rewrite(rule, *site),
    }
}

/// What the output does when a relation changes like this.
fn lift(effect: Effect, polarity: Polarity) -> Option<Effect> {
    match (effect, polarity) {
        (_, Polarity::Unused) => Some(Effect::Equal),
        (Effect::Equal, _) => Some(Effect::Equal),
        (e, Polarity::Grows) => Some(e),
        (Effect::Grows, Polarity::Shrinks) => Some(Effect::Shrinks),
        (Effect::Shrinks, Polarity::Shrinks) => Some(Effect::Grows),
        (_, Polarity::Mixed) => None,
    }
}

/// All steps one after the other; the effects must compose, and the program must be one of the dialect.
pub fn apply_all(program: &Program, steps: &[Step], dialect: &DatalogDialect) -> Option<(Program, Effect)> {
    check::program(program, dialect).ok()?;
    let mut now = (program.clone(), Effect::Equal);
    for step in steps {
        let (next, effect) = apply(&now.0, step, dialect)?;
        now = (next, now.1.then(effect)?);
    }
    Some(now)
}

/// A variable that comes into an aggregate from outside must go on doing so, and one that belongs to the aggregate must
/// stay there: otherwise the aggregate means something else.
fn same_inner_variables(before: &Rule, after: &Rule, step: &Step) -> bool {
    let shared = |rule: &Rule| -> Vec<Vars> {
        let outside = check::outside_aggregates(rule.heads.iter(), &rule.body);
        let mut found = Vec::new();
        for literal in &rule.body {
            literal.each_aggregate(&mut |a| {
                let mut used = 0;
                a.body.iter().for_each(|l| l.each_var(&mut |v| used |= bit(v)));
                found.push(used & outside);
            });
        }
        found
    };
    let (a, b) = (shared(before), shared(after));
    match step {
        // Names change; how many come in does not, unless two become one.
        Step::ModEqu { .. } => a.iter().map(|v| v.count_ones()).eq(b.iter().map(|v| v.count_ones())),
        Step::ModCon { var, into, .. } => {
            let renamed = |v: &Vars| if v & bit(*var) != 0 { (v & !bit(*var)) | bit(*into) } else { *v };
            a.iter().map(renamed).eq(b.iter().copied())
        }
        _ => a == b,
    }
}

/// A hint about the order of atoms means nothing once their number changes.
fn forget_plan(rule: &mut Rule) {
    rule.plan.clear();
}
