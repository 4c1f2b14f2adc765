//! MOD: a variable becomes another one (Algorithm 2).

use super::*;

/// MODEXP: one occurrence of a variable that stands elsewhere in the body too becomes a fresh one.
pub fn expand(rule: &mut Rule, subgoal: usize, argument: usize) -> Option<()> {
    let fresh = rule.fresh_var();
    let Literal::Atom(atom) = rule.body.get(subgoal)? else { return None };
    let Term::Var(v) = *atom.args.get(argument)? else { return None };
    let mut occurrences = 0;
    rule.body.iter().for_each(|l| l.each_var(&mut |w| occurrences += u32::from(v == w)));
    if occurrences < 2 {
        return None;
    }
    let Some(Literal::Atom(atom)) = rule.body.get_mut(subgoal) else { return None };
    atom.args[argument] = Term::Var(fresh);
    Some(())
}

/// A constant argument becomes a fresh variable, and a condition says what it is. A float in a tuple is not what equals
/// it; the paper has no such step.
pub fn name_constant(rule: &mut Rule, subgoal: usize, argument: usize) -> Option<()> {
    let fresh = Term::Var(rule.fresh_var());
    let Some(Literal::Atom(atom)) = rule.body.get_mut(subgoal) else { return None };
    let arg = atom.args.get_mut(argument)?;
    if !matches!(arg, Term::Constant(Constant::Number(_) | Constant::Unsigned(_) | Constant::Symbol(_))) {
        return None;
    }
    let constant = std::mem::replace(arg, fresh.clone());
    rule.body.push(Literal::Compare(Comparison::Equal, fresh, constant));
    Some(())
}

/// A constant becomes a fresh variable, and a new relation holds the constant alone: an engine that takes constants for
/// something else answers otherwise. Not a float, whose tuples distinguish what `=` does not.
pub fn constant_in_a_fact(
    program: &Program,
    rule: &mut Rule,
    subgoal: usize,
    argument: usize,
) -> Option<(Relation, Fact)> {
    let fresh = Term::Var(rule.fresh_var());
    let place = match rule.body.get_mut(subgoal)? {
        Literal::Atom(a) | Literal::Not(a) => a.args.get_mut(argument)?,
        Literal::Compare(_, a, b) => {
            let (place, other) = if argument == 0 { (a, b) } else { (b, a) };
            // Between constants or beside an aggregate it is a comparison of another form.
            if matches!(other, Term::Constant(_) | Term::Aggregate(_) | Term::Apply(Functor::Range, _)) {
                return None;
            }
            place
        }
        Literal::Test(..) | Literal::Or(_) => return None,
    };
    if !matches!(place, Term::Constant(Constant::Number(_) | Constant::Unsigned(_) | Constant::Symbol(_))) {
        return None;
    }
    let Term::Constant(constant) = std::mem::replace(place, fresh.clone()) else { return None };
    let name = program.fresh_name("k");
    // Before it is used: the form of bddbddb knows a variable of a comparison only then.
    rule.body.insert(subgoal, Literal::Atom(Atom::new(name.clone(), vec![fresh])));
    forget_plan(rule);
    let attributes = vec![Attribute { name: "a0".into(), kind: constant.kind() }];
    let relation = Relation { name: name.clone(), attributes, qualifiers: Vec::new(), choice: Vec::new() };
    Some((relation, Fact { relation: name, values: vec![constant] }))
}

/// MODEQU: a fresh name everywhere.
pub fn rename(rule: &mut Rule, var: Var) -> Option<()> {
    let fresh = rule.fresh_var();
    replace(rule, var, fresh)
}

/// MODCON: two variables become one. Both stand outside of aggregates, so that this says that they are equal.
pub fn identify(rule: &mut Rule, var: Var, into: Var) -> Option<()> {
    let outside = check::outside_aggregates(rule.heads.iter(), &rule.body);
    if var == into || outside & bit(var) == 0 || outside & bit(into) == 0 {
        return None;
    }
    // Each must be bound without the other: of `x = y + 1` and `x = y` no sense can be made.
    let bound = check::bound_by(&rule.body, 0, false);
    if bound & bit(var) == 0 || bound & bit(into) == 0 {
        return None;
    }
    replace(rule, var, into)
}

fn replace(rule: &mut Rule, var: Var, by: Var) -> Option<()> {
    let mut found = false;
    rule.each_var_mut(&mut |v| {
        if *v == var {
            *v = by;
            found = true;
        }
    });
    found.then_some(())
}
