//! What this release of an engine takes: every feature and function of its dialect is tried once, on a small graph,
//! when a hunt begins. What is refused is left out.

use super::ast::*;
use super::express::Generator;
use super::metamodel::{Class, Metamodel, Property};
use super::{print, state};
use qualm_core::dialect::graph::{Feature, Form, GraphDialect, Kind, Param};
use qualm_core::rng::Rng;
use qualm_core::session::Session;
use std::collections::BTreeSet;

/// What the engine turned out not to have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Missing {
    pub features: BTreeSet<Feature>,
    /// By position in the dialect's list: a name may stand there for several kinds.
    pub functions: BTreeSet<usize>,
}

impl Missing {
    pub fn words(&self, dialect: &GraphDialect) -> Vec<String> {
        let features = self.features.iter().map(|f| format!("{f:?}"));
        let called = |i: &usize| {
            let f = dialect.functions[*i];
            let params: Vec<String> = f.params.iter().map(|p| format!("{p:?}").to_lowercase()).collect();
            format!("{}({})", f.name, params.join(", "))
        };
        features.chain(self.functions.iter().map(called)).collect()
    }
}

/// A graph of two nodes with properties of all kinds.
fn small(dialect: &GraphDialect) -> (Metamodel, Vec<Statement>) {
    let properties: Vec<Property> =
        dialect.kinds.iter().map(|k| Property { name: name_of(*k), kinds: vec![*k] }).collect();
    let names: Vec<String> = properties.iter().map(|p| p.name.clone()).collect();
    let class = |name: &str, pairs| Class { name: name.into(), properties: names.clone(), pairs };
    let model = Metamodel {
        labels: vec![class("A", vec![])],
        types: vec![class("R", vec![("A".into(), "A".into())])],
        properties,
    };
    let mut statements = state::tables(&model, dialect);
    let node = |k| Node { k, keyed: true, labels: vec!["A".into()], properties: vec![] };
    let edge = Edge {
        k: 3,
        keyed: true,
        kind: "R".into(),
        from: 1,
        to: 2,
        from_label: "A".into(),
        to_label: "A".into(),
        properties: vec![],
    };
    match dialect.has(Feature::CreateGraph) {
        true => statements.push(Statement::Create { nodes: vec![node(1), node(2)], edges: vec![edge] }),
        false => {
            let alone = |k| Statement::Create { nodes: vec![node(k)], edges: Vec::new() };
            statements.extend([alone(1), alone(2), Statement::Connect { edge }]);
        }
    }
    (model, statements)
}

fn name_of(kind: Kind) -> String {
    format!("p{}", kind as u8)
}

/// Asks for everything in the dialect. The database is left as it was: empty.
pub fn probe(dialect: &'static GraphDialect, session: &mut dyn Session) -> Result<Missing, String> {
    let (model, statements) = small(dialect);
    session.reset()?;
    for statement in &statements {
        let text = print::statement(statement, dialect);
        let outcome = session.run(&text);
        if !outcome.is_ok() {
            return Err(format!("the engine rejects the first graph: '{text}' gave {outcome:?}"));
        }
    }
    session.mark();
    let mut missing = Missing::default();
    for feature in dialect.features {
        if let Some(text) = feature_text(*feature, dialect)
            && !session.run(&text).is_ok()
        {
            missing.features.insert(*feature);
        }
    }
    let mut rng = Rng::new(1);
    for (i, function) in dialect.functions.iter().enumerate() {
        let mut generator = Generator::new(dialect, &model, &missing, false, &mut rng);
        let argument = |p: &Param, generator: &mut Generator| match p {
            Param::Of(kind) if dialect.kinds.contains(kind) => Expr::property("n0", &name_of(*kind)),
            Param::Of(kind) => Expr::Literal(generator.literal(*kind)),
            Param::Number => Expr::property("n0", KEY),
            Param::SmallInt => Expr::int(1),
            Param::Any => Expr::property("n0", KEY),
        };
        let args = function.params.iter().map(|p| argument(p, &mut generator)).collect();
        let query = single(vec![Expr::Call(function.name.into(), args)]);
        if !session.run(&print::query(&query, dialect)).is_ok() {
            missing.functions.insert(i);
        }
    }
    session.reset()?;
    Ok(missing)
}

fn node(var: &str) -> NodePattern {
    NodePattern { var: var.into(), labels: vec!["A".into()], properties: Vec::new() }
}

fn step(direction: Direction, types: &[&str], length: Option<(u32, u32)>) -> (RelPattern, NodePattern) {
    let types = types.iter().map(|t| (*t).to_owned()).collect();
    (RelPattern { var: "r0".into(), types, direction, length, properties: Vec::new() }, node("n1"))
}

fn matching(paths: Vec<Path>, filter: Option<Expr>) -> Clause {
    Clause::Match { optional: false, paths, filter }
}

fn single(items: Vec<Expr>) -> Query {
    let path = Path { start: node("n0"), steps: Vec::new() };
    Query { clauses: vec![matching(vec![path], None)], items, ..Query::default() }
}

fn along(step: (RelPattern, NodePattern)) -> Query {
    let path = Path { start: node("n0"), steps: vec![step] };
    Query { clauses: vec![matching(vec![path], None)], items: vec![Expr::Var("n1".into())], ..Query::default() }
}

fn filtered(filter: Expr) -> Query {
    let mut query = single(vec![Expr::Var("n0".into())]);
    if let Clause::Match { filter: slot, .. } = &mut query.clauses[0] {
        *slot = Some(filter);
    }
    query
}

/// A statement or query that works only where the feature is there; nothing where that shows elsewhere.
fn feature_text(feature: Feature, dialect: &GraphDialect) -> Option<String> {
    let of = Existing { k: 1, class: Some("A".into()), is_edge: false };
    let text = Expr::text;
    let query = match feature {
        Feature::Merge => {
            let node = Node { k: 1, keyed: true, labels: vec!["A".into()], properties: vec![] };
            return Some(print::statement(&Statement::Merge { node }, dialect));
        }
        Feature::SetLabel => return Some(print::statement(&Statement::SetLabel { of, label: "A".into() }, dialect)),
        Feature::Remove => {
            let property = dialect.kinds.first().map(|k| name_of(*k))?;
            return Some(print::statement(&Statement::Remove { of, property }, dialect));
        }
        Feature::Union => {
            let query = single(vec![k()]);
            return Some(print::union_all(&[query.clone(), query], dialect));
        }
        // These show by whether a statement of the state is taken.
        Feature::SeveralLabels | Feature::SelfLoop | Feature::CreateGraph | Feature::DetachDelete => return None,
        Feature::OptionalMatch => {
            let mut query = single(vec![Expr::Var("n1".into())]);
            let path = Path { start: node("n0"), steps: vec![step(Direction::Out, &["R"], None)] };
            query.clauses.push(Clause::Match { optional: true, paths: vec![path], filter: None });
            query
        }
        Feature::With => {
            let mut query = single(vec![Expr::Var("n0".into())]);
            query.clauses.push(Clause::With { filter: Some(one()) });
            query
        }
        Feature::Unwind => {
            let mut query = single(vec![Expr::Var("n0".into()), Expr::Var("u".into())]);
            query.clauses.insert(0, Clause::Unwind { list: vec![Literal::Int(1)], var: "u".into() });
            query
        }
        Feature::CallSubquery => {
            let inner = single(vec![]).clauses;
            Query { clauses: vec![Clause::Call { clauses: inner }], items: vec![k()], ..Query::default() }
        }
        Feature::VariableLength => along(step(Direction::Out, &["R"], Some((1, 2)))),
        Feature::Undirected => along(step(Direction::Both, &["R"], None)),
        Feature::Distinct => Query { distinct: true, ..single(vec![Expr::Var("n0".into())]) },
        Feature::OrderBy => Query { order_by: vec![(k(), true)], ..single(vec![Expr::Var("n0".into())]) },
        Feature::Select => {
            let mut query = along(step(Direction::Out, &["R"], None));
            query.items = vec![Expr::Var("n0".into()), Expr::Var("r0".into()), Expr::Var("n1".into())];
            if let Clause::Match { filter, .. } = &mut query.clauses[0] {
                *filter = Some(Expr::negated(one()));
            }
            query
        }
        Feature::TypeAlternatives => along(step(Direction::Out, &["R", "R"], None)),
        Feature::Xor => filtered(Expr::Xor(Box::new(one()), Box::new(one()))),
        Feature::Regex => filtered(Expr::Test(TextTest::Matches, Box::new(text("a")), Box::new(text("a.*")))),
        Feature::Case => filtered(Expr::Case(vec![(one(), Expr::truth(true))], Box::new(Expr::truth(false)))),
        Feature::In => filtered(Expr::In(Box::new(k()), vec![Expr::int(1), Expr::int(5)])),
        Feature::ListPredicate => {
            let list = Expr::Literal(Literal::List(vec![Literal::Int(1)]));
            let inner = Expr::compare(Comparison::Equal, Expr::Var("e".into()), k());
            filtered(Expr::Quantified(Quantifier::Any, "e".into(), Box::new(list), Box::new(inner)))
        }
        Feature::ExistsSubquery | Feature::PatternPredicate => {
            let mut hop = step(Direction::Out, &["R"], None);
            (hop.0.var, hop.1.var) = (String::new(), String::new());
            let start = NodePattern { var: "n0".into(), labels: vec![], properties: vec![] };
            filtered(Expr::Exists(Box::new(Path { start, steps: vec![hop] })))
        }
        Feature::CountSubquery => {
            let mut hop = step(Direction::Out, &["R"], None);
            (hop.0.var, hop.1.var) = (String::new(), String::new());
            let start = NodePattern { var: "n0".into(), labels: vec![], properties: vec![] };
            let count = Expr::PathCount(Box::new(Path { start, steps: vec![hop] }));
            filtered(Expr::compare(Comparison::Greater, count, Expr::int(0)))
        }
        Feature::LabelPredicate => filtered(Expr::HasLabel("n0".into(), "A".into())),
        Feature::CountDistinct => single(vec![Expr::Aggregate(Fold::Count, true, Some(Box::new(k())))]),
        Feature::IntegerDivision => single(vec![arithmetic(Operator::Divide, k(), Expr::int(2))]),
        Feature::Power => single(vec![arithmetic(Operator::Power, k(), Expr::int(2))]),
        Feature::Concat => single(vec![Expr::Concat(Box::new(text("a")), Box::new(text("b")))]),
        Feature::PropertiesFunction => single(vec![Expr::Properties("n0".into())]),
        Feature::PredicateNot => {
            let both = Expr::PredicateAnd(Box::new(one()), Box::new(one()));
            filtered(Expr::PredicateNot(Box::new(both)))
        }
        Feature::NotStep => filtered(Expr::negated(one())),
        Feature::NestedFilters => filtered(Expr::negated(Expr::or(one(), one()))),
        Feature::Ranges => {
            filtered(Expr::Between(Range::Inside, Box::new(k()), Box::new(Expr::int(0)), Box::new(Expr::int(5))))
        }
        Feature::TextPredicate if dialect.form == Form::Gremlin => {
            let text_property = Expr::property("n0", &name_of(Kind::Text));
            filtered(Expr::Test(TextTest::StartsWith, Box::new(text_property), Box::new(text("a"))))
        }
        Feature::TextPredicate => filtered(Expr::Test(TextTest::StartsWith, Box::new(text("ab")), Box::new(text("a")))),
        Feature::PropertyComparison => filtered(Expr::compare(Comparison::Equal, k(), k())),
    };
    Some(print::query(&query, dialect))
}

fn k() -> Expr {
    Expr::property("n0", KEY)
}

fn one() -> Expr {
    Expr::compare(Comparison::Equal, k(), Expr::int(1))
}

fn arithmetic(how: Operator, a: Expr, b: Expr) -> Expr {
    Expr::Arithmetic(how, Box::new(a), Box::new(b))
}
