//! Soufflé: declarations, pragmas for switches, qualifiers, plans.

use super::*;
use crate::datalog::features::is_connected;
use crate::datalog::stratify::{Dependencies, Stratum};
use qualm_core::dialect::datalog::SOUFFLE_DISABLE;

struct Souffle;

pub fn program(p: &Program, switches: &[&str]) -> String {
    let s = Souffle;
    let mut out = pragmas(switches);
    let planned = p.rules.iter().any(|r| !r.plan.is_empty());
    let strata = if planned { Dependencies::of(p).strata().unwrap_or_default() } else { Vec::new() };
    out.extend(p.types.iter().map(|t| type_declaration(p, t)));
    out.extend(p.relations.iter().map(|r| declaration(p, r)));
    out.push(format!(".output {}", p.output));
    out.extend(p.facts.iter().map(|f| s.fact(f)));
    for rule in &p.rules {
        out.push(s.rule(rule));
        if can_be_planned(rule, p, &strata) {
            let order: Vec<String> = rule.plan.iter().map(usize::to_string).collect();
            out.push(format!(".plan 0:({})", order.join(",")));
        }
    }
    for r in &p.subsumptions {
        let (small, large) = (s.terms(&r.smaller), s.terms(&r.larger));
        out.push(format!("{0}({small}) <= {0}({large}) :- {1}.", r.relation, s.body(&r.body)));
    }
    lines(out)
}

/// Pragmas that say which transformers are not to run override each other, so there is one for all of them.
fn pragmas(switches: &[&str]) -> Vec<String> {
    let (disabling, mut all): (Vec<&str>, Vec<String>) = (
        switches.iter().filter_map(|line| line.strip_prefix(SOUFFLE_DISABLE)?.strip_suffix('"')).collect(),
        switches.iter().filter(|line| !line.starts_with(SOUFFLE_DISABLE)).map(|line| (*line).to_owned()).collect(),
    );
    if !disabling.is_empty() {
        all.push(format!("{SOUFFLE_DISABLE}{}\"", disabling.join(",")));
    }
    all
}

/// A plan has to name each atom that the rule has after it was optimised, and the rule has to be recursive. Atoms that
/// are equal become one, those of inlined relations others, and those that share no variable with the rest a rule of
/// their own.
pub fn can_be_planned(rule: &Rule, p: &Program, strata: &[Stratum]) -> bool {
    let atoms: Vec<&Atom> = rule.atoms().map(|(_, atom)| atom).collect();
    let [head] = rule.heads.as_slice() else { return false };
    if rule.plan.is_empty() || rule.plan.len() != atoms.len() || !is_connected(&atoms) {
        return false;
    }
    let stratum = p.place(&head.relation).and_then(|at| strata.iter().find(|s| s.relations.contains(&at)));
    let inside =
        |atom: &&Atom| p.place(&atom.relation).is_some_and(|at| stratum.is_some_and(|s| s.relations.contains(&at)));
    let inlined = |atom: &&Atom| p.relation(&atom.relation).is_some_and(|r| r.has(Qualifier::Inline));
    let plain = rule.body.iter().all(|l| !matches!(l, Literal::Or(_)));
    let twice = (1..atoms.len()).any(|i| atoms[..i].contains(&atoms[i]));
    plain && !twice && !atoms.iter().any(inlined) && stratum.is_some_and(|s| s.recursive) && atoms.iter().any(inside)
}

fn kind(p: &Program, kind: Kind) -> &str {
    match kind {
        Kind::Number => "number",
        Kind::Unsigned => "unsigned",
        Kind::Float => "float",
        Kind::Symbol => "symbol",
        Kind::Built(at) => p.types.get(usize::from(at)).map_or("number", |t| t.name.as_str()),
    }
}

fn attributes(p: &Program, all: &[Attribute]) -> String {
    all.iter().map(|a| format!("{}:{}", a.name, kind(p, a.kind))).collect::<Vec<_>>().join(", ")
}

fn type_declaration(p: &Program, t: &BuiltType) -> String {
    let branches = t.branches.iter().map(|b| match b.name.is_empty() {
        true => format!("[{}]", attributes(p, &b.fields)),
        false => format!("{} {{{}}}", b.name, attributes(p, &b.fields)),
    });
    format!(".type {} = {}", t.name, branches.collect::<Vec<_>>().join(" | "))
}

fn declaration(p: &Program, r: &Relation) -> String {
    let mut line = format!(".decl {}({})", r.name, attributes(p, &r.attributes));
    for q in &r.qualifiers {
        line.push_str(match q {
            Qualifier::Brie => " brie",
            Qualifier::Btree => " btree",
            Qualifier::BtreeDelete => " btree_delete",
            Qualifier::Eqrel => " eqrel",
            Qualifier::Inline => " inline",
            Qualifier::NoInline => " no_inline",
            Qualifier::Magic => " magic",
            Qualifier::NoMagic => " no_magic",
        });
    }
    let keys: Vec<String> = r.choice.iter().map(|key| key_of(r, key)).collect();
    if !keys.is_empty() {
        let _ = write!(line, " choice-domain {}", keys.join(", "));
    }
    line
}

fn key_of(r: &Relation, key: &[usize]) -> String {
    let names: Vec<&str> = key.iter().map(|i| r.attributes[*i].name.as_str()).collect();
    if let [name] = names.as_slice() { (*name).to_owned() } else { format!("({})", names.join(", ")) }
}

/// Digits with a point and no exponent, which Soufflé does not read.
fn float(f: f64) -> String {
    let text = format!("{f}");
    if text.contains('.') { text } else { format!("{text}.0") }
}

impl Style for Souffle {
    fn var(&self, v: Var) -> String {
        format!("x{v}")
    }

    fn constant(&self, c: &Constant) -> String {
        match c {
            // Of two literals beside an operator only one with a suffix says that it is unsigned.
            Constant::Unsigned(n) => format!("{n}u"),
            Constant::Number(n) if *n < 0 => format!("({n})"),
            Constant::Float(f) if f.is_sign_negative() => format!("({})", float(*f)),
            Constant::Float(f) => float(*f),
            Constant::Built(b) => {
                built(b.branch.as_deref(), &b.fields.iter().map(|f| self.constant(f)).collect::<Vec<_>>().join(", "))
            }
            Constant::Number(_) | Constant::Symbol(_) => plain_constant(c),
        }
    }

    fn fact(&self, f: &Fact) -> String {
        let plain = |v: &Constant| match v {
            Constant::Unsigned(n) => n.to_string(),
            Constant::Float(f) => float(*f),
            Constant::Built(_) => self.constant(v),
            Constant::Number(_) | Constant::Symbol(_) => plain_constant(v),
        };
        format!("{}({}).", f.relation, f.values.iter().map(plain).collect::<Vec<_>>().join(", "))
    }

    fn binary(&self, o: Operator, a: String, b: String) -> String {
        plain_binary(o, &a, &b)
    }

    fn aggregate(&self, a: &Aggregate) -> String {
        let fold = match a.fold {
            Fold::Count => "count",
            Fold::Sum => "sum",
            Fold::Min => "min",
            Fold::Max => "max",
            Fold::Mean => "mean",
        };
        let target = a.target.as_ref().map_or(String::new(), |t| format!(" {}", self.term(t)));
        format!("{fold}{target} : {{ {} }}", self.body(&a.body))
    }
}
