//! Which features of Datalog a case uses, for fingerprints and titles. Both programs of a case count: a transformation
//! may add the very thing that an engine gets wrong. Names, constants and how many there are of anything are left out.

use super::ast::*;
use super::rules;
use super::source::DatalogSource;
use super::stratify::{Dependencies, Sign, each_use};
use std::collections::BTreeSet;

/// What says how a case was looked at rather than what is wrong, or what nearly every case has. These stand last in
/// titles and weigh least when findings are compared.
pub fn is_everyday(feature: &str) -> bool {
    const EVERYDAY: &[&str] = &["several rules", "layers", "facts beside rules", "wildcard", "symbols"];
    EVERYDAY.contains(&feature) || is_way_of_looking(feature)
}

/// The name of a transformation, or a switch that a program was run with.
pub fn is_way_of_looking(feature: &str) -> bool {
    feature.starts_with("switch ") || rules::RULES.iter().any(|r| r.name == feature)
}

pub fn of_source(source: &DatalogSource) -> BTreeSet<String> {
    let mut found = Found { names: BTreeSet::new() };
    found.program(&source.program);
    if let Some((variant, _)) = source.dialect().and_then(|d| rules::apply_all(&source.program, &source.steps, d)) {
        found.program(&variant);
    }
    source.steps.iter().filter_map(|s| s.spec()).for_each(|s| found.add(s.name));
    for switch in source.switches.iter().chain(&source.other_switches) {
        found.add(&format!("switch {switch}"));
    }
    found.names
}

struct Found {
    names: BTreeSet<String>,
}

impl Found {
    fn add(&mut self, name: &str) {
        if !self.names.contains(name) {
            self.names.insert(name.to_owned());
        }
    }

    fn program(&mut self, p: &Program) {
        for r in &p.relations {
            self.relation(p, r);
        }
        if !p.subsumptions.is_empty() {
            self.add("subsumption");
        }
        for stratum in Dependencies::of(p).strata().unwrap_or_default().iter().filter(|s| s.recursive) {
            self.add(if stratum.relations.len() > 1 { "mutual recursion" } else { "recursion" });
        }
        let zero = |c: &Constant| matches!(c, Constant::Float(f) if *f == 0.0 && f.is_sign_negative());
        if p.facts.iter().flat_map(|f| &f.values).any(zero) {
            self.add("negative zero");
        }
        p.rules.iter().for_each(|r| self.rule(p, r));
    }

    fn relation(&mut self, p: &Program, r: &Relation) {
        for q in &r.qualifiers {
            self.add(match q {
                Qualifier::Brie => "brie",
                Qualifier::Btree => "btree",
                Qualifier::BtreeDelete => "btree_delete",
                Qualifier::Eqrel => "eqrel",
                Qualifier::Inline => "inline",
                Qualifier::NoInline => "no_inline",
                Qualifier::Magic => "magic",
                Qualifier::NoMagic => "no_magic",
            });
        }
        if !r.choice.is_empty() {
            self.add("choice");
        }
        for a in &r.attributes {
            match a.kind {
                Kind::Float => self.add("floats"),
                Kind::Symbol => self.add("symbols"),
                Kind::Built(at) => {
                    let record = p.types.get(usize::from(at)).is_some_and(BuiltType::is_record);
                    self.add(if record { "records" } else { "algebraic types" });
                }
                Kind::Number | Kind::Unsigned => {}
            }
        }
        let rules = p.rules.iter().flat_map(|rule| &rule.heads).filter(|h| h.relation == r.name).count();
        let facts = p.facts.iter().any(|f| f.relation == r.name);
        match (rules, facts) {
            (0, false) => self.add("empty relation"),
            (1.., true) => self.add("facts beside rules"),
            (2.., _) => self.add("several rules"),
            _ => {}
        }
    }

    fn rule(&mut self, p: &Program, rule: &Rule) {
        if rule.heads.len() > 1 {
            self.add("several heads");
        }
        if !rule.plan.is_empty() {
            self.add("plan");
        }
        for head in &rule.heads {
            self.repeats("variable twice in a head", head);
            for arg in &head.args {
                match arg {
                    Term::Var(_) => {}
                    Term::Constant(_) => self.add("constant in a head"),
                    _ => self.add("functor in a head"),
                }
                self.term(p, arg);
            }
        }
        self.body(p, &rule.body);
        let mut layers = false;
        each_use(&rule.body, Sign::Plus, &mut |name, _| layers |= p.is_derived(name));
        if layers {
            self.add("layers");
        }
    }

    fn body(&mut self, p: &Program, body: &[Literal]) {
        let atoms: Vec<&Atom> =
            body.iter().filter_map(|l| if let Literal::Atom(a) = l { Some(a) } else { None }).collect();
        if atoms.len() > 1 {
            let twice = (1..atoms.len()).any(|i| atoms[..i].iter().any(|a| a.relation == atoms[i].relation));
            self.add(if twice { "join with itself" } else { "join" });
            if !is_connected(&atoms) {
                self.add("product");
            }
        }
        body.iter().for_each(|l| self.literal(p, l));
    }

    fn literal(&mut self, p: &Program, literal: &Literal) {
        match literal {
            Literal::Atom(a) => {
                self.repeats("variable twice in a subgoal", a);
                for arg in &a.args {
                    match arg {
                        Term::Var(_) => {}
                        Term::Wildcard => self.add("wildcard"),
                        Term::Constant(_) => self.add("constant argument"),
                        _ => self.add("functor in a subgoal"),
                    }
                    self.term(p, arg);
                }
            }
            Literal::Not(a) => {
                self.add("negation");
                let open = a.args.iter().any(|t| matches!(t, Term::Wildcard));
                let constant = a.args.iter().any(|t| matches!(t, Term::Constant(_)));
                if open {
                    self.add("wildcard under negation");
                }
                if constant {
                    self.add("constant under negation");
                }
            }
            Literal::Compare(c, a, b) => self.comparison(p, *c, a, b),
            Literal::Test(test, a, b) => {
                self.add(match test {
                    Test::Contains => "contains()",
                    Test::StartsWith => "starts_with()",
                    Test::EndsWith => "ends_with()",
                    Test::Matches => "match()",
                    Test::Lacks => "!contains()",
                    Test::Differs => "!match()",
                });
                self.term(p, a);
                self.term(p, b);
            }
            Literal::Or(arms) => {
                self.add("disjunction");
                arms.iter().for_each(|arm| self.body(p, arm));
            }
        }
    }

    fn comparison(&mut self, p: &Program, c: Comparison, a: &Term, b: &Term) {
        let constant = [a, b].iter().any(|t| matches!(t, Term::Constant(_)));
        let computed = [a, b].iter().any(|t| !matches!(t, Term::Var(_) | Term::Constant(_)));
        match c {
            // A variable that gets the value of a term is no comparison.
            Comparison::Equal if computed => {}
            Comparison::Equal => self.add(if constant { "= constant" } else { "equality" }),
            Comparison::NotEqual => self.add(if constant { "!= constant" } else { "inequality" }),
            _ => self.add(if constant { "< constant" } else { "order" }),
        }
        self.term(p, a);
        self.term(p, b);
    }

    fn term(&mut self, p: &Program, term: &Term) {
        match term {
            Term::Var(_) | Term::Constant(_) | Term::Wildcard => {}
            Term::Negate(t) => {
                self.add("arithmetic");
                self.term(p, t);
            }
            Term::Call(function, t) => {
                self.add(match function {
                    Function::Length => "length()",
                    Function::Lower | Function::Upper => "letter case",
                    Function::Absolute => "abs()",
                    Function::BitNot => "bits",
                    Function::ToText => "to_string()",
                    Function::ToNumber => "to_number()",
                    Function::ToUnsigned => "to_unsigned()",
                    Function::ToFloat => "to_float()",
                    Function::LogicalNot => "logic",
                    Function::Ordinal => "ord()",
                });
                self.term(p, t);
            }
            Term::Binary(o, a, b) => {
                self.add(match o {
                    Operator::Min => "min()",
                    Operator::Max => "max()",
                    Operator::Concat => "cat()",
                    Operator::BitAnd | Operator::BitOr | Operator::BitXor => "bits",
                    Operator::ShiftLeft | Operator::ShiftRight | Operator::ShiftRightUnsigned => "shift",
                    Operator::LogicalAnd | Operator::LogicalOr | Operator::LogicalXor => "logic",
                    Operator::Power => "power",
                    Operator::Divide | Operator::Remainder => "division",
                    Operator::Add | Operator::Subtract | Operator::Multiply => "arithmetic",
                });
                self.term(p, a);
                self.term(p, b);
            }
            Term::Apply(functor, args) => {
                self.add(match functor {
                    Functor::Substring => "substr()",
                    Functor::Range => "range()",
                    Functor::Counter => "counter",
                });
                args.iter().for_each(|t| self.term(p, t));
            }
            Term::Build(b) => {
                let name = b.branch.as_deref();
                self.add(match name {
                    None => "nil",
                    Some("") => "record in a term",
                    Some(_) => "branch in a term",
                });
                b.fields.iter().for_each(|t| self.term(p, t));
            }
            Term::Aggregate(a) => {
                self.add(match a.fold {
                    Fold::Count => "count",
                    Fold::Sum => "sum",
                    Fold::Min => "least",
                    Fold::Max => "greatest",
                    Fold::Mean => "mean",
                });
                self.body(p, &a.body);
                a.target.iter().for_each(|t| self.term(p, t));
            }
        }
    }

    fn repeats(&mut self, name: &str, atom: &Atom) {
        let vars: Vec<Var> =
            atom.args.iter().filter_map(|t| if let Term::Var(v) = t { Some(*v) } else { None }).collect();
        if (1..vars.len()).any(|i| vars[..i].contains(&vars[i])) {
            self.add(name);
        }
    }
}

/// Whether each atom shares a variable with those before it, directly or over others.
pub fn is_connected(atoms: &[&Atom]) -> bool {
    let vars = |a: &Atom| {
        let mut found = BTreeSet::new();
        a.each_var(&mut |v| {
            found.insert(v);
        });
        found
    };
    let mut rest: Vec<BTreeSet<Var>> = atoms.iter().map(|a| vars(a)).collect();
    let mut group = rest.remove(0);
    while let Some(at) = rest.iter().position(|r| !r.is_disjoint(&group)) {
        group.extend(rest.remove(at));
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datalog::parse;
    use crate::datalog::rules::Step;
    use qualm_core::dialect::datalog::SOUFFLE;

    fn features(rules: &str, steps: Vec<Step>) -> Vec<String> {
        let text = format!(
            ".decl e(x:number, y:number)\n.decl f(x:number, y:number)\n.decl p(x:number)\n.output p\n\
             e(1, 2).\nf(2, 2).\n{rules}\n"
        );
        let parsed = parse::program(&text);
        assert_eq!(parsed.unread, [], "{text}");
        let source = DatalogSource { steps, ..DatalogSource::new("queryfuzz", &SOUFFLE, &parsed.program) };
        of_source(&source).into_iter().collect()
    }

    #[test]
    fn a_program_is_known_by_what_it_uses() {
        assert_eq!(features("p(x) :- e(x, y).", vec![]), [""; 0]);
        assert_eq!(features("p(x) :- e(x, y), f(y, y).", vec![]), ["join", "variable twice in a subgoal"]);
        assert_eq!(
            features("p(x) :- e(x, y), !f(_, 2).", vec![]),
            ["constant under negation", "negation", "wildcard under negation"]
        );
        assert_eq!(
            features("p(x) :- e(x, _), f(3, z), z >= 1.", vec![]),
            ["< constant", "constant argument", "join", "product", "wildcard"]
        );
        assert_eq!(
            features("p(x) :- e(x, y). p(y) :- p(x), e(x, y).", vec![]),
            ["join", "layers", "recursion", "several rules"]
        );
        assert_eq!(
            features("p(n + 1) :- n = count : { e(x, y) }.", vec![]),
            ["arithmetic", "count", "functor in a head"]
        );
    }

    /// What a transformation brings in is part of the case, and so is its name.
    #[test]
    fn both_sides_count() {
        let twice = Step::AddEqu { rule: 0, subgoal: 0, fresh: vec![1] };
        assert_eq!(features("p(x) :- e(x, y).", vec![twice]), ["add-equ", "join with itself"]);
    }
}
