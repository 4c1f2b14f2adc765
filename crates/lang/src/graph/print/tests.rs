//! Statements and queries as they are written, for both forms.

use super::*;
use crate::graph::ast::*;
use crate::graph::metamodel::metamodel;
use crate::graph::probe::Missing;
use crate::graph::state::States;
use qualm_core::dialect::graph::{Feature, GREMLIN, GraphDialect, OPENCYPHER};
use qualm_core::rng::Rng;

static TYPED: GraphDialect = GraphDialect {
    schema: SchemaRule::Typed {
        node: "CREATE NODE TABLE {label}({columns}, PRIMARY KEY (k))",
        relationship: "CREATE REL TABLE {type}({pairs}, {columns})",
        pair: "FROM {from} TO {to}",
        column: "{property} {type}",
        types: &[(Kind::Int, "INT64"), (Kind::Text, "STRING")],
    },
    ..OPENCYPHER
};

fn node(var: &str, labels: &[&str]) -> NodePattern {
    NodePattern { var: var.into(), labels: labels.iter().map(|l| (*l).into()).collect(), properties: Vec::new() }
}

fn step(direction: Direction, length: Option<(u32, u32)>) -> RelPattern {
    RelPattern { var: "r1".into(), types: vec!["R".into()], direction, length, properties: Vec::new() }
}

fn pattern(direction: Direction, length: Option<(u32, u32)>, filter: Option<Expr>) -> Query {
    let path = Path { start: node("n0", &["A"]), steps: vec![(step(direction, length), node("n2", &[]))] };
    Query {
        clauses: vec![Clause::Match { optional: false, paths: vec![path], filter }],
        items: vec![Expr::Var("n2".into())],
        ..Query::default()
    }
}

fn less() -> Expr {
    Expr::compare(Comparison::Less, Expr::property("n0", "i"), Expr::int(-3))
}

#[test]
fn operands_that_are_composed_stand_in_brackets() {
    let e = Expr::negated(Expr::and(less(), Expr::is_null(Expr::property("n0", "s"))));
    assert_eq!(expression(&e, &OPENCYPHER), "NOT ((n0.i < (-3)) AND (n0.s IS NULL))");
    let case = Expr::Case(vec![(less(), Expr::truth(true))], Box::new(Expr::text("it's \\")));
    assert_eq!(expression(&case, &OPENCYPHER), r"CASE WHEN n0.i < (-3) THEN true ELSE 'it\'s \\' END");
}

#[test]
fn patterns_in_both_forms() {
    let query = |d, l, f| super::query(&pattern(d, l, f), &OPENCYPHER);
    assert_eq!(query(Direction::Out, None, None), "MATCH (n0:A)-[r1:R]->(n2) RETURN n2 AS c0");
    assert_eq!(query(Direction::In, Some((1, 3)), None), "MATCH (n0:A)<-[r1:R*1..3]-(n2) RETURN n2 AS c0");
    assert_eq!(
        query(Direction::Both, Some((2, 2)), Some(less())),
        "MATCH (n0:A)-[r1:R*2]-(n2) WHERE n0.i < (-3) RETURN n2 AS c0"
    );
    let gremlin = |d, l, f| super::query(&pattern(d, l, f), &GREMLIN);
    assert_eq!(gremlin(Direction::Out, None, None), "g.V().hasLabel('A').out('R').elementMap()");
    assert_eq!(
        gremlin(Direction::Both, None, Some(Expr::negated(less()))),
        "g.V().hasLabel('A').as('n0').both('R').not(__.select('n0').has('i',P.lt(-3))).elementMap()"
    );
    assert_eq!(
        gremlin(Direction::In, Some((1, 2)), None),
        "g.V().hasLabel('A').repeat(__.in('R')).emit().times(2).elementMap()"
    );
}

#[test]
fn a_test_of_the_last_element_is_a_step_that_an_index_can_answer() {
    let path = Path { start: node("n0", &["A"]), steps: Vec::new() };
    let query = Query {
        clauses: vec![Clause::Match { optional: false, paths: vec![path], filter: Some(less()) }],
        items: vec![Expr::Aggregate(Fold::Count, false, None)],
        ..Query::default()
    };
    assert_eq!(super::query(&query, &GREMLIN), "g.V().hasLabel('A').has('i',P.lt(-3)).count()");
}

#[test]
fn a_traversal_ends_at_a_relationship_when_the_node_behind_is_not_used() {
    let mut query = pattern(Direction::Out, None, Some(Expr::is_null(Expr::property("r1", "i"))));
    query.items = vec![Expr::Var("r1".into())];
    assert_eq!(super::query(&query, &GREMLIN), "g.V().hasLabel('A').outE('R').hasNot('i').elementMap()");
    let Clause::Match { paths, .. } = &mut query.clauses[0] else { unreachable!() };
    paths[0].start.labels.clear();
    assert_eq!(super::query(&query, &GREMLIN), "g.E().hasLabel('R').hasNot('i').elementMap()");
    query.items = vec![Expr::Var("n2".into())];
    assert_eq!(
        super::query(&query, &GREMLIN),
        "g.V().outE('R').as('r1').inV().filter(__.select('r1').hasNot('i')).elementMap()"
    );
}

#[test]
fn a_graph_is_written_in_one_statement() {
    let at = |k, labels: &[&str]| Node {
        k,
        keyed: true,
        labels: labels.iter().map(|l| (*l).into()).collect(),
        properties: vec![("f".into(), Literal::Float(1e300))],
    };
    let edge = |k, from, to| Edge {
        k,
        keyed: false,
        kind: "R".into(),
        from,
        to,
        from_label: "A".into(),
        to_label: "A".into(),
        properties: Vec::new(),
    };
    let create =
        Statement::Create { nodes: vec![at(1, &["A", "B"]), at(2, &[])], edges: vec![edge(3, 1, 2), edge(4, 1, 1)] };
    assert_eq!(
        statement(&create, &OPENCYPHER),
        "CREATE (n1:A:B {k: 1, f: 1.0e300})-[:R]->({k: 2, f: 1.0e300}), (n1)-[:R]->(n1)"
    );
    assert_eq!(
        statement(&create, &GREMLIN),
        "g.addV('A').property('k',1).property('f',1.0e300d).as('n1').addV().property('k',2)\
         .property('f',1.0e300d).as('n2').addE('R').from('n1').to('n2').addE('R').from('n1').to('n1')"
    );
    let table = Statement::EdgeTable {
        kind: "R".into(),
        pairs: vec![("A".into(), "B".into()), ("B".into(), "B".into())],
        columns: vec![("k".into(), Kind::Int), ("s".into(), Kind::Text)],
    };
    assert_eq!(statement(&table, &TYPED), "CREATE REL TABLE R(FROM A TO B, FROM B TO B, k INT64, s STRING)");
}

#[test]
fn nothing_is_printed_that_the_dialect_lacks() {
    static PLAIN: GraphDialect = GraphDialect { features: &[Feature::CreateGraph], ..OPENCYPHER };
    let mut rng = Rng::new(3);
    for _ in 0..200 {
        let model = metamodel(&PLAIN, &mut rng);
        let missing = Missing::default();
        let all = States::new(&PLAIN, &model, &missing, false, &mut rng).all(qualm_core::explore::Size::Medium);
        for s in all {
            let text = statement(&s, &PLAIN);
            assert!(!text.is_empty() && !text.contains("MERGE") && !text.contains("DETACH"), "{text}");
            assert!(!text.contains("0.0 / 0.0"), "NaN without a wish for it: {text}");
        }
    }
}
