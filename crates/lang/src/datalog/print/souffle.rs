//! Soufflé: declarations, pragmas for switches, qualifiers, plans.

use super::*;

struct Souffle;

pub fn program(p: &Program, switches: &[&str]) -> String {
    let s = Souffle;
    let mut out: Vec<String> = switches.iter().map(|line| (*line).to_owned()).collect();
    out.extend(p.relations.iter().map(declaration));
    out.push(format!(".output {}", p.output));
    out.extend(p.facts.iter().map(|f| s.fact(f)));
    for rule in &p.rules {
        out.push(s.rule(rule));
        if !rule.plan.is_empty() {
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

fn declaration(r: &Relation) -> String {
    let kind = |k| match k {
        Kind::Number => "number",
        Kind::Unsigned => "unsigned",
        Kind::Float => "float",
        Kind::Symbol => "symbol",
    };
    let attributes: Vec<String> = r.attributes.iter().map(|a| format!("{}:{}", a.name, kind(a.kind))).collect();
    let mut line = format!(".decl {}({})", r.name, attributes.join(", "));
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

impl Style for Souffle {
    fn var(&self, v: Var) -> String {
        format!("x{v}")
    }

    fn constant(&self, c: &Constant) -> String {
        match c {
            // Of two literals beside an operator only one with a suffix says that it is unsigned.
            Constant::Unsigned(n) => format!("{n}u"),
            Constant::Number(n) if *n < 0 => format!("({n})"),
            Constant::Float(f) if f.is_sign_negative() => format!("({f:?})"),
            other => plain_constant(other),
        }
    }

    fn fact(&self, f: &Fact) -> String {
        let plain = |v: &Constant| match v {
            Constant::Unsigned(n) => n.to_string(),
            other => plain_constant(other),
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
