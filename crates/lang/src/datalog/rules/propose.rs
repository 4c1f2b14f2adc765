//! Chooses sequences of steps: an effect first, then steps that fit it, over one rule or several.

use super::*;
use qualm_core::rng::Rng;

/// Attempts to find the next step before the sequence ends.
const ATTEMPTS: usize = 6;

/// Subgoals of a body to which none is added: each copy multiplies the work of an engine that joins one by one.
const SUBGOALS_AT_MOST: usize = 6;
/// Groups of subgoals that share no variable with one another, unless a rule has more already: the work of one is
/// multiplied by that of the next.
const GROUPS_AT_MOST: usize = 2;

/// At most `length` steps with an effect drawn beforehand, what they do, and the program that they make. A sequence for
/// growth or shrinking has at least one such step, or none is given.
pub fn propose(
    program: &Program,
    dialect: &DatalogDialect,
    own: &[UserRule],
    length: usize,
    rng: &mut Rng,
) -> Option<(Vec<Step>, Program, Effect)> {
    let wanted = [Effect::Equal, Effect::Grows, Effect::Shrinks][rng.weighted(&[4, 3, 3])];
    let length = rng.range(1, length);
    // Half of the sequences work on one rule, as those of the paper do.
    let one_rule = rng.coin().then(|| rng.below(program.rules.len().max(1)));
    let mut now = (program.clone(), Effect::Equal);
    let mut steps = Vec::new();
    for _ in 0..length {
        for _ in 0..ATTEMPTS {
            let drawn = match !own.is_empty() && rng.coin() {
                true => draw_own(&now.0, own, one_rule, rng),
                false => draw(&now.0, wanted, one_rule, dialect, rng),
            };
            let Some(step) = drawn else { continue };
            let Some((next, effect)) = apply(&now.0, &step, dialect) else { continue };
            if multiplies(&now.0, &next) {
                continue;
            }
            let Some(whole) = now.1.then(effect).filter(|e| wanted.then(*e) == Some(wanted)) else { continue };
            now = (next, whole);
            steps.push(step);
            break;
        }
    }
    (!steps.is_empty()).then_some((steps, now.0, now.1))
}

/// A rule that the user wrote, where it fits.
fn draw_own(program: &Program, own: &[UserRule], one_rule: Option<usize>, rng: &mut Rng) -> Option<Step> {
    let user = rng.pick(own);
    let at = one_rule.unwrap_or_else(|| rng.below(program.rules.len().max(1)));
    let rule = program.rules.get(at).filter(|r| r.atoms().count() < SUBGOALS_AT_MOST)?;
    let places = user.places(rule);
    (places > 0).then(|| Step::user(user, at, rng.below(places)))
}

/// Whether a rule has come apart into groups that every engine has to combine one by one.
fn multiplies(before: &Program, after: &Program) -> bool {
    let apart = |(i, rule): (usize, &Rule)| {
        let old = before.rules.get(i).filter(|old| *old != rule);
        old.is_some_and(|old| groups(rule) > GROUPS_AT_MOST.max(groups(old)))
    };
    after.rules.iter().enumerate().any(apart)
}

/// Groups of subgoals that are joined with each other.
fn groups(rule: &Rule) -> usize {
    let mut groups: Vec<Vars> = Vec::new();
    for (_, atom) in rule.atoms() {
        let mut vars = 0;
        atom.each_var(&mut |v| vars |= bit(v));
        groups.retain(|group| {
            let meets = *group & vars != 0;
            if meets {
                vars |= *group;
            }
            !meets
        });
        groups.push(vars);
    }
    groups.len()
}

fn draw(
    program: &Program,
    wanted: Effect,
    one_rule: Option<usize>,
    dialect: &DatalogDialect,
    rng: &mut Rng,
) -> Option<Step> {
    if program.rules.is_empty() {
        return None;
    }
    let at = one_rule.unwrap_or_else(|| rng.below(program.rules.len()));
    let rule = program.rules.get(at)?;
    let atoms: Vec<usize> = rule.atoms().map(|(i, _)| i).collect();
    let subgoal = if atoms.is_empty() { 0 } else { *rng.pick(&atoms) };
    // Under a negation a rule must grow for the output to shrink, so both are tried where one is wanted.
    let kind = match wanted {
        Effect::Equal => rng.weighted(&[4, 0, 0, 1, 0, 0, 3, 2, 0, 3, 3]),
        Effect::Grows => rng.weighted(&[2, 1, 3, 1, 1, 4, 1, 1, 1, 1, 1]),
        Effect::Shrinks => rng.weighted(&[2, 3, 1, 1, 3, 1, 1, 1, 3, 1, 1]),
    };
    if kind < 2 && atoms.len() >= SUBGOALS_AT_MOST {
        return None;
    }
    let mut vars: Vec<Var> = Vec::new();
    rule.each_var(&mut |v| {
        if !vars.contains(&v) {
            vars.push(v);
        }
    });
    if vars.is_empty() {
        return None;
    }
    let var = *rng.pick(&vars);
    Some(match kind {
        0 => {
            let Literal::Atom(atom) = rule.body.get(subgoal)? else { return None };
            let arity = atom.args.len();
            let mut fresh: Vec<usize> = (0..arity).filter(|_| rng.coin()).collect();
            if fresh.is_empty() {
                fresh.push(rng.below(arity));
            }
            Step::AddEqu { rule: at, subgoal, fresh }
        }
        1 => Step::AddCon { rule: at, atom: draw_atom(program, rule, dialect, rng)? },
        2 => {
            let Literal::Atom(atom) = rule.body.get(subgoal)? else { return None };
            Step::ModExp { rule: at, subgoal, argument: rng.below(atom.args.len()) }
        }
        3 => Step::ModEqu { rule: at, var },
        4 => Step::ModCon { rule: at, var, into: *rng.pick(&vars) },
        5 => Step::RemExp { rule: at, subgoal: rng.below(rule.body.len()) },
        6 => Step::RemEqu { rule: at, subgoal },
        7 => Step::NegEqu { rule: at, subgoal },
        9 => {
            let constant = |t: &Term| matches!(t, Term::Constant(_));
            let places = |(i, atom): (usize, &Atom)| -> Vec<(usize, usize)> {
                (0..atom.args.len()).filter(|a| constant(&atom.args[*a])).map(|a| (i, a)).collect()
            };
            let constants: Vec<(usize, usize)> = rule.atoms().flat_map(places).collect();
            if constants.is_empty() {
                return None;
            }
            let (subgoal, argument) = *rng.pick(&constants);
            Step::ModConst { rule: at, subgoal, argument }
        }
        10 => {
            let constants = constants(rule);
            if constants.is_empty() {
                return None;
            }
            let (subgoal, argument) = *rng.pick(&constants);
            Step::ModFact { rule: at, subgoal, argument }
        }
        _ => {
            let (comparison, other) = draw_condition(program, rule, var, dialect, rng)?;
            Step::AddIf { rule: at, comparison, var, other }
        }
    })
}

/// Where constants stand in the subgoals, negations and comparisons of a body.
fn constants(rule: &Rule) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, literal) in rule.body.iter().enumerate() {
        let terms: Vec<&Term> = match literal {
            Literal::Atom(a) | Literal::Not(a) => a.args.iter().collect(),
            Literal::Compare(_, a, b) => vec![a, b],
            Literal::Test(..) | Literal::Or(_) => Vec::new(),
        };
        let places = terms.into_iter().enumerate().filter(|(_, t)| matches!(t, Term::Constant(_)));
        found.extend(places.map(|(argument, _)| (at, argument)));
    }
    found
}

/// What a variable is compared with, and how: a value that stands in a fact, or another variable of the rule.
fn draw_condition(
    program: &Program,
    rule: &Rule,
    var: Var,
    dialect: &DatalogDialect,
    rng: &mut Rng,
) -> Option<(Comparison, Term)> {
    let mut kinds = Vec::new();
    RuleCheck { program, dialect }.infer(rule.heads.iter(), &rule.body, &mut kinds).ok()?;
    let kind = kinds.get(var as usize).copied().flatten()?;
    let ordered = match kind {
        Kind::Built(_) => false,
        Kind::Symbol => dialect.ordered_symbols,
        Kind::Number | Kind::Unsigned | Kind::Float => true,
    };
    let fits = |c: &&Comparison| ordered || matches!(c, Comparison::Equal | Comparison::NotEqual);
    let comparisons: Vec<Comparison> = dialect.comparisons.iter().filter(fits).copied().collect();
    let comparison = *rng.pick(&comparisons);
    let others: Vec<usize> = (0..kinds.len()).filter(|v| *v != var as usize && kinds[*v] == Some(kind)).collect();
    if !others.is_empty() && rng.chance(1, 4) {
        return Some((comparison, Term::Var(*rng.pick(&others) as Var)));
    }
    let values: Vec<&Constant> = program.facts.iter().flat_map(|f| &f.values).filter(|c| c.kind() == kind).collect();
    (!values.is_empty()).then(|| (comparison, Term::Constant((*rng.pick(&values)).clone())))
}

/// A subgoal of any relation with variables of the rule that are of the right kind.
fn draw_atom(program: &Program, rule: &Rule, dialect: &DatalogDialect, rng: &mut Rng) -> Option<Atom> {
    let mut kinds = Vec::new();
    RuleCheck { program, dialect }.infer(rule.heads.iter(), &rule.body, &mut kinds).ok()?;
    let outside = check::outside_aggregates(rule.heads.iter(), &rule.body);
    let relation = rng.pick(&program.relations);
    let mut args = Vec::with_capacity(relation.arity());
    for attribute in &relation.attributes {
        let fits = |v: &usize| kinds[*v] == Some(attribute.kind) && outside & bit(*v as Var) != 0;
        let fitting: Vec<usize> = (0..kinds.len()).filter(fits).collect();
        if fitting.is_empty() {
            return None;
        }
        args.push(Term::Var(*rng.pick(&fitting) as Var));
    }
    Some(Atom::new(relation.name.clone(), args))
}
