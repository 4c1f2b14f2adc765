//! The same program written out at greater length. A case that holds once something is written out needs the short
//! form: that names its cause better than all else that the program happens to use, so it counts as a cure.

use super::ast::*;
use super::source::DatalogSource;
use super::stratify::Dependencies;
use crate::oracle;
use qualm_core::case::Case;

/// Writes something out, and says whether there was something.
type Write = fn(&mut Program) -> bool;

pub const REPEATED: &str = "variable twice in a subgoal";

/// What can be written out, by the name of the short form.
const SPELLINGS: &[(&str, Write)] = &[
    (REPEATED, repeated_variables),
    ("constant in a subgoal", constants),
    ("constant in a comparison", compared_constants),
    ("relation twice in a recursive rule", recursive_twice),
    ("relation twice in a rule", twice),
];

/// The case with each of these written out in all its programs, which the oracle makes as ever.
pub fn spelled(source: &DatalogSource) -> Vec<(&'static str, DatalogSource)> {
    let spell = |(name, _): &(&'static str, Write)| {
        (*name, DatalogSource { written_out: Some((*name).to_owned()), ..source.clone() })
    };
    SPELLINGS.iter().map(spell).collect()
}

/// The program with this short form written out; nothing where it has none of it.
pub fn written_out(program: &Program, name: &str) -> Option<Program> {
    let (_, write) = SPELLINGS.iter().find(|(short, _)| *short == name)?;
    let mut longer = program.clone();
    write(&mut longer).then_some(longer)
}

/// `e(x, x)` becomes `e(x, y), y = x`.
fn repeated_variables(program: &mut Program) -> bool {
    arguments_apart(program, |before, arg| matches!(arg, Term::Var(_)) && before.contains(arg))
}

/// `e(1)` becomes `e(x), x = 1`.
fn constants(program: &mut Program) -> bool {
    arguments_apart(program, |_, arg| matches!(arg, Term::Constant(_)))
}

/// Arguments of subgoals that `is_meant`, given those before, become variables that are compared behind.
fn arguments_apart(program: &mut Program, is_meant: fn(&[Term], &Term) -> bool) -> bool {
    let mut changed = false;
    for rule in &mut program.rules {
        let mut fresh = rule.fresh_var();
        let mut behind = Vec::new();
        for literal in &mut rule.body {
            let Literal::Atom(atom) = literal else { continue };
            for at in 0..atom.args.len() {
                if is_meant(&atom.args[..at], &atom.args[at]) {
                    let old = std::mem::replace(&mut atom.args[at], Term::Var(fresh));
                    behind.push(Literal::Compare(Comparison::Equal, Term::Var(fresh), old));
                    fresh += 1;
                }
            }
        }
        changed |= !behind.is_empty();
        rule.body.append(&mut behind);
    }
    changed
}

/// `x != 1` becomes `x != y, value(y)`, where `value` holds 1.
fn compared_constants(program: &mut Program) -> bool {
    let mut values: Vec<(Constant, Name)> = Vec::new();
    for at in 0..program.rules.len() {
        let mut fresh = program.rules[at].fresh_var();
        let mut before = Vec::new();
        for i in 0..program.rules[at].body.len() {
            let Literal::Compare(_, a, b) = &program.rules[at].body[i] else { continue };
            let constant = match (a, b) {
                (Term::Var(_), Term::Constant(c)) | (Term::Constant(c), Term::Var(_)) => c.clone(),
                _ => continue,
            };
            let name = match values.iter().find(|(value, _)| *value == constant) {
                Some((_, name)) => name.clone(),
                None => add_value(program, &constant, &mut values),
            };
            before.push(Literal::Atom(Atom::new(name, vec![Term::Var(fresh)])));
            if let Literal::Compare(_, a, b) = &mut program.rules[at].body[i] {
                let place = if matches!(a, Term::Constant(_)) { a } else { b };
                *place = Term::Var(fresh);
            }
            fresh += 1;
        }
        if !before.is_empty() {
            program.rules[at].plan.clear();
            program.rules[at].body.splice(0..0, before);
        }
    }
    !values.is_empty()
}

/// Declares a relation that holds one value.
fn add_value(program: &mut Program, value: &Constant, values: &mut Vec<(Constant, Name)>) -> Name {
    let name = program.fresh_name("value");
    let attributes = vec![Attribute { name: "a".into(), kind: value.kind() }];
    program.relations.push(Relation { name: name.clone(), attributes, qualifiers: Vec::new(), choice: Vec::new() });
    program.facts.push(Fact { relation: name.clone(), values: vec![value.clone()] });
    values.push((value.clone(), name.clone()));
    name
}

/// The second subgoal of a relation reads a copy of it.
fn twice(program: &mut Program) -> bool {
    copies(program, |_| true)
}

fn recursive_twice(program: &mut Program) -> bool {
    let strata = Dependencies::of(program).strata().unwrap_or_default();
    let recursive: Vec<Name> = strata
        .iter()
        .filter(|s| s.recursive)
        .flat_map(|s| &s.relations)
        .map(|at| program.relations[*at].name.clone())
        .collect();
    copies(program, |name| recursive.contains(name))
}

fn copies(program: &mut Program, is_meant: impl Fn(&Name) -> bool) -> bool {
    let mut copied: Vec<(Name, Name)> = Vec::new();
    for at in 0..program.rules.len() {
        let mut seen: Vec<Name> = Vec::new();
        for i in 0..program.rules[at].body.len() {
            let Literal::Atom(atom) = &program.rules[at].body[i] else { continue };
            let name = atom.relation.clone();
            if !seen.contains(&name) {
                seen.push(name);
                continue;
            }
            if !is_meant(&name) {
                continue;
            }
            let copy = match copied.iter().find(|(of, _)| *of == name) {
                Some((_, copy)) => copy.clone(),
                None => add_copy(program, &name, &mut copied),
            };
            if let Literal::Atom(atom) = &mut program.rules[at].body[i] {
                atom.relation = copy;
            }
        }
    }
    !copied.is_empty()
}

/// Declares a relation that holds what `name` holds. Its rule comes last, so that places of rules stay.
fn add_copy(program: &mut Program, name: &Name, copied: &mut Vec<(Name, Name)>) -> Name {
    let copy = program.fresh_name("copy");
    let attributes = program.relation(name).map(|r| r.attributes.clone()).unwrap_or_default();
    let vars: Vec<Term> = (0..attributes.len() as Var).map(Term::Var).collect();
    let relation = Relation { name: copy.clone(), attributes, qualifiers: Vec::new(), choice: Vec::new() };
    program.relations.push(relation);
    let body = vec![Literal::Atom(Atom::new(name.clone(), vars.clone()))];
    program.rules.push(Rule::new(Atom::new(copy.clone(), vars), body));
    copied.push((name.clone(), copy.clone()));
    copy
}

/// A case in its longer forms, each with the name of the short form.
pub fn of_case(case: &Case) -> Vec<(&'static str, Case)> {
    let longer = source_of(case).map(|s| spelled(&s)).unwrap_or_default();
    let drafts = crate::is_completed_by_session(case);
    let made = longer.into_iter().filter_map(|(name, mut source)| {
        if drafts {
            // The rules that are run alone are to be those of the longer program.
            source.program = written_out(&source.program, name)?;
            source.written_out = None;
        }
        Some((name, oracle::datalog::case(&source, case.origin)?))
    });
    made.filter(|(_, longer)| longer.script != case.script).collect()
}

/// A case whose rules are run alone, with its program under each switch of the dialect beside those that it has.
pub fn switched(case: &Case) -> Vec<(&'static str, Case)> {
    let source = source_of(case).filter(|_| crate::is_completed_by_session(case));
    let Some(source) = source else { return Vec::new() };
    let switches = source.dialect().map_or(&[][..], |d| d.switches);
    let new = switches.iter().filter(|s| !source.other_switches.iter().any(|o| o == s.name));
    let made = new.filter_map(|switch| {
        let other_switches = source.other_switches.iter().cloned().chain([switch.name.to_owned()]).collect();
        let with = DatalogSource { other_switches, ..source.clone() };
        Some((switch.name, oracle::datalog::case(&with, case.origin)?))
    });
    made.collect()
}

fn source_of(case: &Case) -> Option<DatalogSource> {
    serde_json::from_value(case.source.clone()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datalog::generate::{Generator, parameters};
    use crate::datalog::source::FIRM;
    use crate::datalog::{evaluate, parse, print};
    use qualm_core::dialect::datalog::{MANGLE, SOUFFLE};
    use qualm_core::rng::Rng;

    #[test]
    fn what_is_short_is_written_out() {
        let text = ".decl e(x:number, y:number)\n.decl p(x:number)\n.output p\ne(1, 1).\n\
            p(x) :- e(x, x), e(1, x), x != 2.\n";
        let program = parse::program(text).program;
        let rules = |(name, _): &(&str, Write)| {
            let text = print::program(&written_out(&program, name)?, &SOUFFLE, &[]);
            Some(format!("{name}: {}", text.lines().filter(|l| l.contains(":-")).collect::<Vec<_>>().join(" ")))
        };
        let shown: Vec<String> = SPELLINGS.iter().filter_map(rules).collect();
        assert_eq!(
            shown,
            [
                "variable twice in a subgoal: p(x0) :- e(x0, x1), e(1, x0), x0 != 2, x1 = x0.",
                "constant in a subgoal: p(x0) :- e(x0, x0), e(x1, x0), x0 != 2, x1 = 1.",
                "constant in a comparison: p(x0) :- value0(x1), e(x0, x0), e(1, x0), x0 != x1.",
                "relation twice in a rule: p(x0) :- e(x0, x0), copy0(1, x0), x0 != 2. copy0(x0, x1) :- e(x0, x1).",
            ]
        );
    }

    /// What is written out means the same.
    #[test]
    fn random_programs_keep_their_meaning() {
        let mut tried = 0;
        for seed in 0..400 {
            let mut rng = Rng::new(seed);
            let parameters = parameters(qualm_core::explore::Size::Small);
            let program = Generator { rng: &mut rng, dialect: &MANGLE, parameters, loose: false }.program();
            let Ok(right) = evaluate::output(&program, &MANGLE, FIRM) else { continue };
            for (name, _) in SPELLINGS {
                let Some(longer) = written_out(&program, name) else { continue };
                let Ok(got) = evaluate::output(&longer, &MANGLE, FIRM) else { continue };
                assert_eq!(got, right, "{name}: {}", print::program(&longer, &MANGLE, &[]));
                tried += 1;
            }
        }
        assert!(tried > 100, "{tried}");
    }
}
