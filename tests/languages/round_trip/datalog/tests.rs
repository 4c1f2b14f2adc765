//! Whatever is printed is read back as the same tree, for every dialect.

use super::*;
use qualm::dialect::datalog::{DATALOG_DIALECTS, Part};
use qualm::explore::Size;
use qualm::lang::datalog::generate::{Generator, parameters};
use qualm::lang::datalog::stratify::Dependencies;
use qualm::lang::datalog::{print, rules, spell};
use qualm::oracle::datalog::DATALOG_ORACLES;
use qualm::rng::Rng;

/// What a text cannot distinguish, or says in another order on purpose, is made the same:
/// - signed and unsigned literals, where a declaration or the dialect says which they are,
/// - numbers of variables (a reader numbers them as it meets them; heads come first),
/// - minus a literal, which is a literal,
/// - the sides of an equation where one of them is bound by it, and the order of a body, in dialects that want either
///   in an order of their own (DDlog, Mangle, CozoDB),
/// - variables that an atom repeats, which DDlog wants as equations, and plans that Soufflé does not take,
/// - the order of facts where a dialect writes those of one relation together, and one clause per head where it has
///   no rules with several.
fn canonical(program: &Program, dialect: &DatalogDialect) -> Program {
    let mut p = program.clone();
    let form = dialect.form;
    if form == Form::Ddlog {
        p = spell::written_out(&p, spell::REPEATED).unwrap_or(p);
    }
    // A plan is printed where Soufflé takes one.
    let strata = Dependencies::of(&p).strata().unwrap_or_default();
    for at in 0..p.rules.len() {
        if form == Form::Souffle && !print::can_be_planned(&p.rules[at], &p, &strata) {
            p.rules[at].plan.clear();
        }
    }
    if form == Form::Bddbddb {
        for r in &mut p.relations {
            let names = (0..).map(|i| Name::from(format!("a{i}")));
            r.attributes.iter_mut().zip(names).for_each(|(a, name)| a.name = name);
        }
    }
    if form == Form::Cozo {
        p.facts.sort_by_key(|f| program.place(&f.relation));
    }
    for rule in &mut p.rules {
        rule.heads.iter_mut().flat_map(|h| &mut h.args).for_each(|t| settle_term(t, form));
        settle_body(&mut rule.body, form);
        number_variables(rule);
    }
    for s in &mut p.subsumptions {
        s.smaller.iter_mut().chain(&mut s.larger).for_each(|t| settle_term(t, form));
        settle_body(&mut s.body, form);
        let atom = |args: &Vec<Term>| Atom::new(s.relation.clone(), args.clone());
        let heads = vec![atom(&s.smaller), atom(&s.larger)];
        let mut rule = Rule { heads, body: s.body.clone(), plan: Vec::new() };
        number_variables(&mut rule);
        s.body = rule.body;
        s.larger = rule.heads.remove(1).args;
        s.smaller = rule.heads.remove(0).args;
    }
    if form != Form::Souffle {
        p.facts.iter_mut().flat_map(|f| &mut f.values).for_each(signed);
    }
    p
}

fn signed(c: &mut Constant) {
    if let Constant::Unsigned(n) = *c {
        *c = Constant::Number(n as i64);
    }
}

fn number_variables(rule: &mut Rule) {
    let mut seen: Vec<Var> = Vec::new();
    rule.each_var(&mut |v| {
        if !seen.contains(&v) {
            seen.push(v);
        }
    });
    rule.each_var_mut(&mut |v| *v = seen.iter().position(|s| s == v).unwrap_or_default() as Var);
}

fn settle_body(body: &mut [Literal], form: Form) {
    for literal in body.iter_mut() {
        match literal {
            Literal::Atom(a) | Literal::Not(a) => a.args.iter_mut().for_each(|t| settle_term(t, form)),
            Literal::Test(test, a, b) => {
                // Every symbol begins and ends with the empty one: one pattern says both.
                if *a == Term::Constant(Constant::Symbol("".into())) && *test == Test::EndsWith {
                    *test = Test::StartsWith;
                }
                [a, b].into_iter().for_each(|t| settle_term(t, form));
            }
            Literal::Compare(c, a, b) => {
                settle_term(a, form);
                settle_term(b, form);
                let turns = matches!(form, Form::Cozo | Form::Ddlog) && *c == Comparison::Equal;
                let plain = !a.has_aggregate() && !b.has_aggregate();
                if turns && plain && matches!(b, Term::Var(_)) && !(form == Form::Cozo && matches!(a, Term::Var(_))) {
                    std::mem::swap(a, b);
                    // Either of two variables may be the one that is bound.
                    if let (Term::Var(v), Term::Var(w)) = (&mut *a, &mut *b)
                        && *v > *w
                    {
                        std::mem::swap(v, w);
                    }
                }
            }
            Literal::Or(arms) => arms.iter_mut().for_each(|arm| settle_body(arm, form)),
        }
    }
    if matches!(form, Form::Ddlog | Form::Mangle) {
        body.sort_by_cached_key(|l| format!("{l:?}"));
    }
}

fn settle_term(term: &mut Term, form: Form) {
    match term {
        Term::Constant(c) if form != Form::Souffle => signed(c),
        Term::Var(_) | Term::Constant(_) | Term::Wildcard => {}
        Term::Negate(t) => {
            settle_term(t, form);
            match **t {
                Term::Constant(Constant::Number(n)) => *term = Term::number(n.wrapping_neg()),
                Term::Constant(Constant::Float(f)) => *term = Term::Constant(Constant::Float(-f)),
                _ => {}
            }
        }
        Term::Call(_, t) => settle_term(t, form),
        Term::Apply(_, terms) => terms.iter_mut().for_each(|t| settle_term(t, form)),
        Term::Build(b) => b.fields.iter_mut().for_each(|t| settle_term(t, form)),
        Term::Binary(o, a, b) => {
            settle_term(a, form);
            settle_term(b, form);
            // CozoDB's least number.
            if let (Operator::Subtract, Term::Constant(Constant::Number(a)), Term::Constant(Constant::Number(1))) =
                (*o, &**a, &**b)
                && *a == i64::MIN + 1
            {
                *term = Term::number(i64::MIN);
            }
        }
        Term::Aggregate(a) => {
            a.target.iter_mut().for_each(|t| settle_term(t, form));
            settle_body(&mut a.body, form);
        }
    }
}

fn agree(program: &Program, dialect: &DatalogDialect) {
    let switches: Vec<String> = dialect.switches.iter().take(1).map(|s| s.name.to_owned()).collect();
    let texts = [print::program(program, dialect, &switches), print::for_the_parser(program, dialect, &switches)];
    for text in texts {
        let read = super::program(&text, dialect, program).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let (expected, actual) = (canonical(program, dialect), canonical(&read, dialect));
        let near = |what: &str| format!("{} of {}\n{text}", what, dialect.name);
        assert_eq!(expected.relations, actual.relations, "{}", near("relations"));
        assert_eq!(expected.facts, actual.facts, "{}", near("facts"));
        assert_eq!(expected.rules.len(), actual.rules.len(), "{}", near("rules"));
        for (a, b) in expected.rules.iter().zip(&actual.rules) {
            assert_eq!(a, b, "{}", near("a rule"));
        }
        assert_eq!(expected, actual, "{}", near("the program"));
    }
}

/// Random programs, and what the transformations of the oracles make of them.
#[test]
fn what_is_printed_is_read_back_as_the_same_tree() {
    // Older releases and other widths of Soufflé are parts of its newest one.
    for dialect in DATALOG_DIALECTS.iter().filter(|d| !d.name.starts_with("souffle-")) {
        let mut rng = Rng::new(5);
        let mut transformed = 0;
        for round in 0..150 {
            let mut parameters = parameters([Size::Small, Size::Medium, Size::Large][round % 3]);
            if dialect.has(Part::Choice) {
                parameters.choice = 10;
                parameters.subsumption = 10;
            }
            let loose = round % 2 == 0;
            let made = Generator { rng: &mut rng, dialect, parameters, loose }.program();
            agree(&made, dialect);
            for oracle in DATALOG_ORACLES {
                let Some(source) = (oracle.propose)(&made, dialect, &[], &mut rng) else { continue };
                if let Some((other, _)) = rules::apply_all(&source.program, &source.steps, dialect) {
                    transformed += usize::from(!source.steps.is_empty());
                    agree(&other, dialect);
                }
            }
        }
        assert!(transformed > 20, "{}: {transformed}", dialect.name);
    }
}

/// Values at the edges of what a kind can hold, and symbols with everything that has a meaning in some form.
#[test]
fn edge_values_are_read_back() {
    let symbols = ["", " ", "a b", "\"", "'", "\\", "\\n", "a\nb", "a\tb", "%", "#", "//", "_", "é😀", "x0", "`"];
    for dialect in DATALOG_DIALECTS {
        let mut program = Program { output: "r".into(), ..Program::default() };
        for kind in dialect.kinds.iter().chain(dialect.loose_kinds) {
            let name = Name::from(format!("e{}", program.relations.len()));
            let most = dialect.domain.map_or(i64::MAX >> (64 - dialect.bits), |d| d as i64 - 1);
            let values: Vec<Constant> = match kind {
                Kind::Number => [0, -1, most, -most - 1].map(Constant::Number).into(),
                Kind::Unsigned => [0, 1, most as u64].map(Constant::Unsigned).into(),
                Kind::Float => {
                    let unusual = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 5e-324];
                    let also: &[f64] = if dialect.form == Form::Cozo { &unusual } else { &[] };
                    [0.0, -0.0, 1.5, -2.25].iter().chain(also).copied().map(Constant::Float).collect()
                }
                Kind::Symbol => {
                    // Between Mangle's backticks every character is itself, so that a backtick cannot stand there.
                    let writable = |s: &&&str| dialect.form != Form::Mangle || **s != "`";
                    symbols.iter().filter(writable).map(|s| Constant::Symbol((*s).into())).collect()
                }
                // No dialect names one of these: they belong to programs.
                Kind::Built(_) => Vec::new(),
            };
            let attribute = Attribute { name: "a0".into(), kind: *kind };
            let relation = |name: &Name| Relation {
                name: name.clone(),
                attributes: vec![attribute.clone()],
                qualifiers: Vec::new(),
                choice: Vec::new(),
            };
            program.relations.push(relation(&name));
            program.facts.extend(values.iter().map(|v| Fact { relation: name.clone(), values: vec![v.clone()] }));
            let derived = Name::from(format!("r{}", program.relations.len()));
            program.relations.push(relation(&derived));
            program.output = derived.clone();
            for value in values {
                let body = vec![
                    Literal::Atom(Atom::new(name.clone(), vec![Term::Var(0)])),
                    Literal::Compare(Comparison::NotEqual, Term::Var(0), Term::Constant(value)),
                ];
                program.rules.push(Rule::new(Atom::new(derived.clone(), vec![Term::Var(0)]), body));
            }
        }
        agree(&program, dialect);
    }
}
