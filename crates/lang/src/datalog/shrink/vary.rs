//! What stands in a Datalog case and is one of a kind: comparisons, functors, aggregates, tests, qualifiers of
//! relations, types, constants. The oracle derives the claim anew from each variant, so that nothing unsound is run.

use super::{Edit, each_constant, edit};
use crate::datalog::ast::*;
use crate::datalog::source::DatalogSource;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::vary::Place;

/// Different constants that are tried.
const CONSTANTS: usize = 6;

/// What says most about a bug first, constants last.
pub fn places(source: &DatalogSource) -> Vec<Place<Edit>> {
    let Some(dialect) = source.dialect() else { return Vec::new() };
    let (mut found, mut at) = (Vec::new(), 0);
    each_part(&mut source.program.clone(), &mut |part| {
        found.extend(of_part(at, part, dialect));
        at += 1;
    });
    found.extend(qualifiers(source, dialect));
    found.extend(types(source, dialect));
    found.extend(constants(source));
    found
}

/// A literal or a term, to be changed in place.
enum Part<'a> {
    Literal(&'a mut Literal),
    Term(&'a mut Term),
}

/// Every literal and term of the rules, parents first.
fn each_part(program: &mut Program, see: &mut dyn FnMut(Part)) {
    for rule in &mut program.rules {
        rule.heads.iter_mut().flat_map(|h| &mut h.args).for_each(|t| term(t, see));
        rule.body.iter_mut().for_each(|l| literal(l, see));
    }
}

fn literal(literal_: &mut Literal, see: &mut dyn FnMut(Part)) {
    see(Part::Literal(literal_));
    match literal_ {
        Literal::Atom(a) | Literal::Not(a) => a.args.iter_mut().for_each(|t| term(t, see)),
        Literal::Compare(_, a, b) | Literal::Test(_, a, b) => {
            term(a, see);
            term(b, see);
        }
        Literal::Or(arms) => arms.iter_mut().flatten().for_each(|l| literal(l, see)),
    }
}

fn term(term_: &mut Term, see: &mut dyn FnMut(Part)) {
    see(Part::Term(term_));
    match term_ {
        Term::Var(_) | Term::Constant(_) | Term::Wildcard => {}
        Term::Negate(t) | Term::Call(_, t) => term(t, see),
        Term::Binary(_, a, b) => {
            term(a, see);
            term(b, see);
        }
        Term::Apply(_, terms) => terms.iter_mut().for_each(|t| term(t, see)),
        Term::Build(b) => b.fields.iter_mut().for_each(|t| term(t, see)),
        Term::Aggregate(a) => {
            a.target.iter_mut().for_each(|t| term(t, see));
            a.body.iter_mut().for_each(|l| literal(l, see));
        }
    }
}

/// Changes the part at a place; says whether it had one.
fn on_part(at: usize, change: impl Fn(Part) -> bool + 'static) -> Edit {
    edit(move |s| {
        let (mut now, mut done) = (0, false);
        each_part(&mut s.program, &mut |part| {
            if now == at {
                done = change(part);
            }
            now += 1;
        });
        done
    })
}

fn of_part(at: usize, part: Part, dialect: &'static DatalogDialect) -> Option<Place<Edit>> {
    match part {
        Part::Literal(Literal::Compare(shown, ..)) => {
            let other = |c: &Comparison| {
                let c = *c;
                let change = move |p: Part| match p {
                    Part::Literal(Literal::Compare(there, ..)) => std::mem::replace(there, c) != c,
                    _ => false,
                };
                (comparison(c).to_owned(), on_part(at, change))
            };
            Place::of("comparison", comparison(*shown), dialect.comparisons.iter().map(other).collect())
        }
        Part::Literal(Literal::Test(shown, ..)) => {
            let other = |t: &Test| {
                let t = *t;
                let change = move |p: Part| match p {
                    Part::Literal(Literal::Test(there, ..)) => std::mem::replace(there, t) != t,
                    _ => false,
                };
                (test(t).to_owned(), on_part(at, change))
            };
            Place::of("test of symbols", test(*shown), dialect.tests.iter().map(other).collect())
        }
        Part::Term(Term::Binary(shown, ..)) => {
            let (kind, all) = class(*shown)?;
            let other = |o: &Operator| {
                let o = *o;
                let change = move |p: Part| match p {
                    Part::Term(Term::Binary(there, ..)) => std::mem::replace(there, o) != o,
                    _ => false,
                };
                (operator(o).to_owned(), on_part(at, change))
            };
            let had = all.iter().filter(|o| dialect.operators.contains(o));
            Place::of(kind, operator(*shown), had.map(other).collect())
        }
        Part::Term(Term::Aggregate(a)) if a.target.is_some() => {
            let other = |f: &Fold| {
                let f = *f;
                let change = move |p: Part| match p {
                    Part::Term(Term::Aggregate(there)) => std::mem::replace(&mut there.fold, f) != f,
                    _ => false,
                };
                (fold(f).to_owned(), on_part(at, change))
            };
            let all = dialect.folds.iter().filter(|f| **f != Fold::Count);
            Place::of("aggregate", fold(a.fold), all.map(other).collect())
        }
        _ => None,
    }
}

fn comparison(c: Comparison) -> &'static str {
    match c {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

fn test(t: Test) -> &'static str {
    match t {
        Test::Contains => "contains",
        Test::StartsWith => "starts with",
        Test::EndsWith => "ends with",
        Test::Matches => "matches",
        Test::Lacks => "does not contain",
        Test::Differs => "does not match",
    }
}

fn class(o: Operator) -> Option<(&'static str, &'static [Operator])> {
    use Operator::*;
    Some(match o {
        Add | Subtract | Multiply | Min | Max | BitAnd | BitOr | BitXor => {
            ("functor of two numbers", &[Add, Subtract, Multiply, Min, Max, BitAnd, BitOr, BitXor])
        }
        ShiftLeft | ShiftRight | ShiftRightUnsigned => ("shift", &[ShiftLeft, ShiftRight, ShiftRightUnsigned]),
        LogicalAnd | LogicalOr | LogicalXor => ("logic", &[LogicalAnd, LogicalOr, LogicalXor]),
        Divide | Remainder => ("division", &[Divide, Remainder]),
        Concat | Power => return None,
    })
}

fn operator(o: Operator) -> &'static str {
    match o {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::Min => "min",
        Operator::Max => "max",
        Operator::BitAnd => "band",
        Operator::BitOr => "bor",
        Operator::BitXor => "bxor",
        Operator::Concat => "cat",
        Operator::Power => "^",
        Operator::ShiftLeft => "bshl",
        Operator::ShiftRight => "bshr",
        Operator::ShiftRightUnsigned => "bshru",
        Operator::LogicalAnd => "land",
        Operator::LogicalOr => "lor",
        Operator::LogicalXor => "lxor",
    }
}

fn fold(f: Fold) -> &'static str {
    match f {
        Fold::Count => "count",
        Fold::Sum => "sum",
        Fold::Min => "min",
        Fold::Max => "max",
        Fold::Mean => "mean",
    }
}

// ---------------------------------------------------------------- declarations and values

fn qualifiers(source: &DatalogSource, dialect: &'static DatalogDialect) -> Vec<Place<Edit>> {
    let mut found = Vec::new();
    for (at, relation) in source.program.relations.iter().enumerate() {
        for (i, shown) in relation.qualifiers.iter().enumerate() {
            let other = |q: &Qualifier| {
                let q = *q;
                let change = move |s: &mut DatalogSource| {
                    let there = s.program.relations.get_mut(at).and_then(|r| r.qualifiers.get_mut(i));
                    there.is_some_and(|there| std::mem::replace(there, q) != q)
                };
                (qualifier(q), edit(change))
            };
            let all = dialect.qualifiers.iter().map(other).collect();
            found.extend(Place::of("qualifier of a relation", &qualifier(*shown), all));
        }
    }
    found
}

/// As Soufflé writes it: `BtreeDelete` is `btree_delete`.
fn qualifier(q: Qualifier) -> String {
    serde_json::to_value(q).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// All values of one type become values of another, equal ones equal ones.
fn types(source: &DatalogSource, dialect: &'static DatalogDialect) -> Vec<Place<Edit>> {
    let mut values: Vec<Constant> = Vec::new();
    each_constant(&mut source.program.clone(), &mut |c| values.push(c.clone()));
    values.sort();
    values.dedup();
    let mut used: Vec<Kind> = Vec::new();
    for attribute in source.program.relations.iter().flat_map(|r| &r.attributes) {
        if !used.contains(&attribute.kind) {
            used.push(attribute.kind);
        }
    }
    let place = |from: Kind| {
        let values: Vec<Constant> = values.iter().filter(|v| v.kind() == from).cloned().collect();
        let other = |to: &Kind| {
            let (to, values) = (*to, values.clone());
            let change = move |s: &mut DatalogSource| {
                let attributes = s.program.relations.iter_mut().flat_map(|r| &mut r.attributes);
                attributes.filter(|a| a.kind == from).for_each(|a| a.kind = to);
                each_constant(&mut s.program, &mut |c| {
                    if let Some(i) = values.iter().position(|v| v == c) {
                        *c = sample(to, i);
                    }
                });
                true
            };
            (kind(to).to_owned(), edit(change))
        };
        Place::of("type of values", kind(from), dialect.kinds.iter().map(other).collect())
    };
    used.into_iter().filter_map(place).collect()
}

fn kind(k: Kind) -> &'static str {
    match k {
        Kind::Number => "number",
        Kind::Unsigned => "unsigned",
        Kind::Float => "float",
        Kind::Symbol => "symbol",
        Kind::Built(_) => "type of the program",
    }
}

/// Different values, in their order.
fn sample(kind: Kind, i: usize) -> Constant {
    match kind {
        Kind::Number => Constant::Number(i as i64),
        Kind::Unsigned => Constant::Unsigned(i as u64),
        Kind::Float => Constant::Float(i as f64 + 0.5),
        Kind::Symbol => {
            let letter = char::from(b'a' + (i % 26) as u8);
            Constant::Symbol(letter.to_string().repeat(1 + i / 26).into())
        }
        // Only a record has a value that needs no type to be written; another kind is refused.
        Kind::Built(kind) => Constant::Built(Box::new(BuiltValue { kind, branch: None, fields: Vec::new() })),
    }
}

/// A value as another one everywhere, so that joins stay.
fn constants(source: &DatalogSource) -> Vec<Place<Edit>> {
    let mut values: Vec<Constant> = Vec::new();
    each_constant(&mut source.program.clone(), &mut |c| values.push(c.clone()));
    values.sort();
    values.dedup();
    let place = |shown: &Constant| {
        let (from, kind) = (shown.clone(), shown.kind());
        let other = |i: usize| {
            let (from, to) = (from.clone(), sample(kind, i));
            let name = constant(&to);
            let change = move |s: &mut DatalogSource| {
                let mut changed = false;
                each_constant(&mut s.program, &mut |c| {
                    if *c == from {
                        *c = to.clone();
                        changed = true;
                    }
                });
                changed
            };
            (name, edit(change))
        };
        Place::of("constant", &constant(shown), (0..4).map(other).collect())
    };
    values.iter().take(CONSTANTS).filter_map(place).collect()
}

fn constant(c: &Constant) -> String {
    match c {
        Constant::Number(n) => n.to_string(),
        Constant::Unsigned(n) => n.to_string(),
        Constant::Float(f) => format!("{f:?}"),
        Constant::Symbol(s) => format!("\"{s}\""),
        Constant::Built(_) => crate::datalog::evaluate::value(c).show(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datalog::parse;
    use qualm_core::dialect::datalog::SOUFFLE;

    #[test]
    fn each_place_has_others_of_its_kind_and_an_edit_changes_one_thing() {
        let text = ".decl e(x:number) btree\n.decl p(x:number)\n.output p\ne(1).\ne(2).\n\
                    p(min(x, n)) :- e(x), x < 2, n = sum y : { e(y) }.\n";
        let source = DatalogSource::new("queryfuzz", &SOUFFLE, &parse::program(text).program);
        let found = places(&source);
        let shown = |kind: &str| {
            let place = found.iter().find(|p| p.kind == kind)?;
            place.members.iter().find(|m| m.edit.is_none()).map(|m| m.name.as_str())
        };
        assert_eq!(shown("functor of two numbers"), Some("min"));
        assert_eq!(shown("comparison"), Some("<"));
        assert_eq!(shown("aggregate"), Some("sum"));
        assert_eq!(shown("qualifier of a relation"), Some("btree"));
        assert_eq!(shown("type of values"), Some("number"));
        assert_eq!(shown("constant"), Some("1"));
        for edit in found.iter().flat_map(|p| &p.members).filter_map(|m| m.edit.as_ref()) {
            let mut changed = source.clone();
            assert!(edit(&mut changed) && changed != source);
        }
    }
}
