//! NEGEQU: a subgoal becomes the negation of a new relation that holds where the rest of the body succeeds and the
//! subgoal fails. This splits a stratum in two.

use super::*;
use qualm_core::dialect::datalog::Part;

/// Changes the rule; gives the new relation and its rule.
pub fn twice(program: &Program, rule: &mut Rule, subgoal: usize, dialect: &DatalogDialect) -> Option<(Relation, Rule)> {
    if !dialect.has(Part::Negation) {
        return None;
    }
    let Literal::Atom(goal) = rule.body.get(subgoal)? else { return None };
    let inlined = |name: &Name| program.relation(name).is_none_or(|r| r.has(Qualifier::Inline));
    if inlined(&goal.relation) || rule.heads.iter().any(|h| inlined(&h.relation)) {
        return None;
    }
    let mut rest = rule.body.clone();
    rest.remove(subgoal);
    let mut vars: Vec<Var> = Vec::new();
    goal.each_var(&mut |v| {
        if !vars.contains(&v) {
            vars.push(v);
        }
    });
    if rest.is_empty() || vars.is_empty() || vars.len() > dialect.most_attributes {
        return None;
    }
    let mut kinds = Vec::new();
    RuleCheck { program, dialect }.infer(rule.heads.iter(), &rule.body, &mut kinds).ok()?;
    let name = program.fresh_name("n");
    let mut attributes = Vec::with_capacity(vars.len());
    for (i, v) in vars.iter().enumerate() {
        let kind = kinds.get(*v as usize).copied().flatten()?;
        attributes.push(Attribute { name: smol_str::format_smolstr!("a{i}"), kind });
    }
    let args: Vec<Term> = vars.into_iter().map(Term::Var).collect();
    let (failures, goal) = (Atom::new(name.clone(), args), goal.clone());
    let mut failing = rest.clone();
    failing.push(Literal::Not(goal));
    let failing = Rule::new(failures.clone(), failing);
    rest.push(Literal::Not(failures));
    rule.body = rest;
    forget_plan(rule);
    Some((Relation { name, attributes, qualifiers: Vec::new(), choice: Vec::new() }, failing))
}
