//! What stands in a graph case and is one of a kind: functions, operators, quantifiers, directions, indexes, kinds of
//! values, constants. The oracle derives the claim anew from each variant, so that nothing unsound is run.

use super::expressions::{each_site, replace};
use super::states::{plainer, property_lists};
use super::{Edit, edit};
use crate::graph::ast::*;
use crate::graph::source::GraphSource;
use qualm_core::dialect::graph::{GraphDialect, Kind};
use qualm_core::vary::Place;

/// Places of constants that are tried.
const CONSTANTS: usize = 10;

/// What says most about a bug first, constants last.
pub fn places(source: &GraphSource, dialect: &'static GraphDialect) -> Vec<Place<Edit>> {
    let (mut found, mut constants) = (Vec::new(), Vec::new());
    each_site(source, &mut |site, expr| match expr {
        Expr::Literal(literal) => constants.extend(constant(site, literal)),
        _ => found.extend(of_expr(site, expr, dialect)),
    });
    found.extend(directions(source));
    found.extend(optional(source));
    found.extend(indexes(source, dialect));
    let properties: Vec<&str> = source.model.properties.iter().map(|p| p.name.as_str()).collect();
    found.extend(properties.iter().filter_map(|p| kinds_of(source, p, dialect)));
    constants.truncate(CONSTANTS);
    found.extend(constants);
    found
}

fn of_expr(site: usize, expr: &Expr, dialect: &'static GraphDialect) -> Option<Place<Edit>> {
    let others = |all: Vec<(&str, Expr)>| all.into_iter().map(|(name, by)| (name.to_owned(), put(site, by))).collect();
    match expr {
        Expr::Compare(shown, a, b) => {
            let all = Comparison::ALL.map(|c| (comparison(c), Expr::Compare(c, a.clone(), b.clone())));
            Place::of("comparison", comparison(*shown), others(all.into()))
        }
        Expr::Arithmetic(shown, a, b) => {
            let all = [Operator::Add, Operator::Subtract, Operator::Multiply];
            let all = all.map(|o| (operator(o), Expr::Arithmetic(o, a.clone(), b.clone())));
            Place::of("arithmetic operator", operator(*shown), others(all.into()))
        }
        Expr::Test(shown, a, b) => {
            let all = [TextTest::StartsWith, TextTest::EndsWith, TextTest::Contains];
            let all = all.map(|t| (text_test(t), Expr::Test(t, a.clone(), b.clone())));
            Place::of("text predicate", text_test(*shown), others(all.into()))
        }
        Expr::Quantified(shown, var, list, test) => {
            let all = [Quantifier::Any, Quantifier::All, Quantifier::None, Quantifier::Single];
            let all = all.map(|q| (quantifier(q), Expr::Quantified(q, var.clone(), list.clone(), test.clone())));
            Place::of("list predicate", quantifier(*shown), others(all.into()))
        }
        Expr::Between(shown, a, b, c) => {
            let all = [Range::Inside, Range::Outside, Range::Between];
            let all = all.map(|r| (range(r), Expr::Between(r, a.clone(), b.clone(), c.clone())));
            Place::of("range", range(*shown), others(all.into()))
        }
        Expr::Aggregate(shown, distinct, Some(of)) => {
            let all = [Fold::Count, Fold::Sum, Fold::Min, Fold::Max];
            let all = all.map(|f| (fold(f), Expr::Aggregate(f, *distinct, Some(of.clone()))));
            Place::of("aggregate function", fold(*shown), others(all.into()))
        }
        Expr::And(a, b) | Expr::Or(a, b) | Expr::Xor(a, b) => {
            let shown = if let Expr::And(..) = expr {
                "AND"
            } else if let Expr::Or(..) = expr {
                "OR"
            } else {
                "XOR"
            };
            let (a, b) = (|| a.clone(), || b.clone());
            let all = vec![("AND", Expr::And(a(), b())), ("OR", Expr::Or(a(), b())), ("XOR", Expr::Xor(a(), b()))];
            Place::of("logical operator", shown, others(all))
        }
        Expr::Call(shown, args) => {
            let named = dialect.functions.iter().find(|f| f.name == shown);
            // Of the same result where that is known, so that what is around it still has its type.
            let fits = |f: &&qualm_core::dialect::graph::GraphFunction| {
                f.params.len() == args.len() && named.is_none_or(|n| n.result == f.result)
            };
            let same = dialect.functions.iter().filter(fits);
            let all = same.map(|f| (format!("{}()", f.name), put(site, Expr::Call(f.name.into(), args.clone()))));
            Place::of("function of as many arguments", &format!("{shown}()"), all.collect())
        }
        _ => None,
    }
}

fn put(site: usize, by: Expr) -> Edit {
    edit(move |s| replace(s, site, &by))
}

fn comparison(c: Comparison) -> &'static str {
    match c {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
    }
}

fn operator(o: Operator) -> &'static str {
    match o {
        Operator::Add => "+",
        Operator::Subtract => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Remainder => "%",
        Operator::Power => "^",
    }
}

fn text_test(t: TextTest) -> &'static str {
    match t {
        TextTest::StartsWith => "STARTS WITH",
        TextTest::EndsWith => "ENDS WITH",
        TextTest::Contains => "CONTAINS",
        TextTest::Matches => "=~",
    }
}

fn quantifier(q: Quantifier) -> &'static str {
    match q {
        Quantifier::Any => "any",
        Quantifier::All => "all",
        Quantifier::None => "none",
        Quantifier::Single => "single",
    }
}

fn range(r: Range) -> &'static str {
    match r {
        Range::Inside => "inside",
        Range::Outside => "outside",
        Range::Between => "between",
    }
}

fn fold(f: Fold) -> &'static str {
    match f {
        Fold::Count => "count()",
        Fold::Sum => "sum()",
        Fold::Min => "min()",
        Fold::Max => "max()",
    }
}

// ---------------------------------------------------------------- patterns

/// All relationship patterns of the MATCH clauses, as they are written.
fn relationships(source: &mut GraphSource) -> Vec<&mut RelPattern> {
    fn of(clause: &mut Clause) -> Vec<&mut RelPattern> {
        match clause {
            Clause::Match { paths, .. } => paths.iter_mut().flat_map(|p| &mut p.steps).map(|(r, _)| r).collect(),
            Clause::Call { clauses } => clauses.iter_mut().flat_map(of).collect(),
            Clause::With { .. } | Clause::Unwind { .. } => Vec::new(),
        }
    }
    source.question.query.clauses.iter_mut().flat_map(of).collect()
}

fn directions(source: &GraphSource) -> Vec<Place<Edit>> {
    let name = |d: Direction| match d {
        Direction::Out => "-->",
        Direction::In => "<--",
        Direction::Both => "--",
    };
    let shown: Vec<Direction> = relationships(&mut source.clone()).iter().map(|r| r.direction).collect();
    let place = |(at, shown): (usize, Direction)| {
        let all = [Direction::Out, Direction::In, Direction::Both].map(|d| {
            let turn =
                move |s: &mut GraphSource| relationships(s).into_iter().nth(at).map(|r| r.direction = d).is_some();
            (name(d).to_owned(), edit(turn))
        });
        Place::of("direction", name(shown), all.into())
    };
    shown.into_iter().enumerate().filter_map(place).collect()
}

fn optional(source: &GraphSource) -> Vec<Place<Edit>> {
    let name = |optional: bool| if optional { "OPTIONAL MATCH" } else { "MATCH" };
    let place = |(at, clause): (usize, &Clause)| {
        let Clause::Match { optional: shown, .. } = clause else { return None };
        let all = [false, true].map(|wanted| {
            let change = move |s: &mut GraphSource| match s.question.query.clauses.get_mut(at) {
                Some(Clause::Match { optional, .. }) => {
                    *optional = wanted;
                    true
                }
                _ => false,
            };
            (name(wanted).to_owned(), edit(change))
        });
        Place::of("MATCH clause", name(*shown), all.into())
    };
    source.question.query.clauses.iter().enumerate().filter_map(place).collect()
}

// ---------------------------------------------------------------- values

/// All indexes of one kind become indexes of another.
fn indexes(source: &GraphSource, dialect: &'static GraphDialect) -> Vec<Place<Edit>> {
    let mut used: Vec<&str> = Vec::new();
    for statement in source.state.iter().chain(&source.question.changes) {
        if let Statement::CreateIndex { spec, .. } = statement
            && !used.contains(&spec.as_str())
        {
            used.push(spec);
        }
    }
    let place = |shown: &str| {
        let row = dialect.indexes.iter().find(|i| i.name == shown)?;
        let alike = dialect.indexes.iter().filter(|i| i.target == row.target && i.unique == row.unique);
        let other = |name: &'static str| {
            let shown = shown.to_owned();
            let change = move |s: &mut GraphSource| {
                let mut done = false;
                for statement in s.state.iter_mut().chain(&mut s.question.changes) {
                    if let Statement::CreateIndex { spec, .. } | Statement::DropIndex { spec, .. } = statement
                        && *spec == shown
                    {
                        *spec = name.to_owned();
                        done = true;
                    }
                }
                done
            };
            (name.to_owned(), edit(change))
        };
        Place::of("kind of index", shown, alike.map(|i| other(i.name)).collect())
    };
    used.into_iter().filter_map(place).collect()
}

/// The values of a property as values of another kind: equal ones stay equal, and they keep their order.
fn kinds_of(source: &GraphSource, property: &str, dialect: &'static GraphDialect) -> Option<Place<Edit>> {
    let mut values: Vec<Literal> = Vec::new();
    each_value(&mut source.clone(), property, &mut |l| values.push(l.clone()));
    let kind = values.first()?.kind()?;
    let row = |kind: Kind| KINDS.iter().find(|(k, ..)| *k == kind);
    if values.iter().any(|v| v.kind() != Some(kind)) {
        return None;
    }
    values.sort_by(order);
    values.dedup();
    let others = KINDS.iter().filter(|(k, ..)| dialect.kinds.contains(k)).map(|(k, name, sample)| {
        let (values, property, k, sample) = (values.clone(), property.to_owned(), *k, *sample);
        let change = move |s: &mut GraphSource| {
            if values.len() > SAMPLES {
                return false;
            }
            each_value(s, &property, &mut |l| {
                if let Some(at) = values.iter().position(|v| v == l) {
                    *l = sample(at);
                }
            });
            let declared = s.model.properties.iter_mut().find(|p| p.name == property);
            declared.map(|p| p.kinds = vec![k]).is_some()
        };
        ((*name).to_owned(), edit(change))
    });
    Place::of("kind of values", row(kind)?.1, others.collect())
}

type Sample = fn(usize) -> Literal;

/// So many values of each kind, in their order.
const SAMPLES: usize = 2;

const KINDS: &[(Kind, &str, Sample)] = &[
    (Kind::Int, "integers", |i| Literal::Int(i as i64)),
    (Kind::Float, "floats", |i| Literal::Float(i as f64 + 0.5)),
    (Kind::Text, "texts", |i| Literal::Text(["a", "b"][i % 2].into())),
    (Kind::Bool, "truth values", |i| Literal::Bool(i > 0)),
    (Kind::Date, "dates", |i| Literal::Date(["2020-01-01", "2021-01-01"][i % 2].into())),
    (Kind::Point, "points", |i| Literal::Point(i as f64, i as f64)),
    (Kind::List, "lists", |i| Literal::List(vec![Literal::Int(i as i64)])),
];

fn order(a: &Literal, b: &Literal) -> std::cmp::Ordering {
    match (a, b) {
        (Literal::Int(a), Literal::Int(b)) => a.cmp(b),
        (Literal::Float(a), Literal::Float(b)) => a.total_cmp(b),
        (Literal::Text(a), Literal::Text(b)) => a.cmp(b),
        _ => format!("{a:?}").cmp(&format!("{b:?}")),
    }
}

/// Each value that is stored under this name, pinned, or compared with it.
fn each_value(source: &mut GraphSource, property: &str, see: &mut dyn FnMut(&mut Literal)) {
    let lists = property_lists(&mut source.state).into_iter().flatten();
    lists.filter(|(p, _)| p == property).for_each(|(_, value)| see(value));
    for statement in &mut source.state {
        if let Statement::Set { property: p, value, .. } = statement
            && p == property
        {
            see(value);
        }
    }
    let question = &mut source.question;
    question.pins.iter_mut().filter(|p| p.property == property).for_each(|p| see(&mut p.value));
    for root in super::expressions::roots(source) {
        root.each_mut(&mut |e| {
            let speaks = |e: &Expr| matches!(e, Expr::Property(_, p) if p == property);
            let compares = matches!(e, Expr::Compare(..) | Expr::Test(..) | Expr::In(..) | Expr::Between(..));
            if compares && e.children().into_iter().any(speaks) {
                for child in e.children_mut() {
                    if let Expr::Literal(literal) = child {
                        see(literal);
                    }
                }
            }
        });
    }
}

fn constant(site: usize, literal: &Literal) -> Option<Place<Edit>> {
    let mut all = plainer(literal);
    all.push(literal.clone());
    all.sort_by(order);
    let others = all.into_iter().map(|l| (format!("{:?}", Plain(&l)), put(site, Expr::Literal(l))));
    Place::of("constant", &format!("{:?}", Plain(literal)), others.collect())
}

/// A literal as a person writes it, near enough.
struct Plain<'a>(&'a Literal);

impl std::fmt::Debug for Plain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Literal::Null => write!(f, "NULL"),
            Literal::Bool(b) => write!(f, "{b}"),
            Literal::Int(i) => write!(f, "{i}"),
            Literal::Float(x) => write!(f, "{x:?}"),
            Literal::Text(t) => write!(f, "'{t}'"),
            Literal::List(all) => f.debug_list().entries(all.iter().map(Plain)).finish(),
            Literal::Point(x, y) => write!(f, "({x:?}, {y:?})"),
            Literal::Special(s) => write!(f, "{s:?}"),
            Literal::Date(t) | Literal::LocalTime(t) | Literal::Duration(t) => write!(f, "{t}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_core::dialect::graph::OPENCYPHER;

    #[test]
    fn each_place_has_others_of_its_kind_and_an_edit_changes_one_thing() {
        let step = serde_json::json!([{"var": "r1", "direction": "out"}, {"var": "n2"}]);
        let path = serde_json::json!({"start": {"var": "n0"}, "steps": [step]});
        let property = serde_json::json!({"property": ["n0", "i"]});
        let least = serde_json::json!({"aggregate": ["min", false, property]});
        let source: GraphSource = serde_json::from_value(serde_json::json!({
            "oracle": "partition",
            "dialect": "opencypher",
            "model": {"labels": [], "types": [], "properties": [{"name": "i", "kinds": ["int"]}]},
            "state": [],
            "question": {
                "query": {"clauses": [{"match": {"paths": [path]}}], "items": [least]},
                "predicate": {"or": [
                    {"compare": ["less", property, {"literal": {"int": 7}}]},
                    {"quantified": ["any", "e", {"literal": {"list": [{"int": 1}]}}, {"literal": {"bool": true}}]},
                ]},
            },
        }))
        .unwrap();
        let found = places(&source, &OPENCYPHER);
        let shown = |kind: &str| {
            let place = found.iter().find(|p| p.kind == kind)?;
            place.members.iter().find(|m| m.edit.is_none()).map(|m| m.name.as_str())
        };
        assert_eq!(shown("comparison"), Some("<"));
        assert_eq!(shown("aggregate function"), Some("min()"));
        assert_eq!(shown("list predicate"), Some("any"));
        assert_eq!(shown("logical operator"), Some("OR"));
        assert_eq!(shown("direction"), Some("-->"));
        assert_eq!(shown("MATCH clause"), Some("MATCH"));
        assert_eq!(shown("kind of values"), Some("integers"));
        for edit in found.iter().flat_map(|p| &p.members).filter_map(|m| m.edit.as_ref()) {
            let mut changed = source.clone();
            assert!(edit(&mut changed) && changed != source);
        }
    }
}
