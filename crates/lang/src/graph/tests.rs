//! What states and questions hold, over many seeds: each part of the two languages is made now and then, in the
//! dialects' own words. A part that the generators forget would show nowhere else.

use super::ast::*;
use super::express::Generator;
use super::metamodel::{Metamodel, metamodel};
use super::probe::Missing;
use super::source::GraphSource;
use super::state::States;
use super::{check, print};
use crate::oracle::graph::{self, GRAPH_ORACLES};
use qualm_core::case::Origin;
use qualm_core::dialect::graph::{
    GREMLIN, GraphDialect, GraphFunction, IndexSpec, Kind, OPENCYPHER, OPENCYPHER_FUNCTIONS, Param, Target,
};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;

const fn index(name: &'static str, target: Target, unique: bool) -> IndexSpec {
    let create = match target {
        Target::Node => "CREATE INDEX {name} FOR (n:{label}) ON (n.{property})",
        Target::Relationship => "CREATE INDEX {name} FOR ()-[r:{label}]-() ON (r.{property})",
    };
    IndexSpec { name, target, kinds: &[], create, drop: "DROP INDEX {name}", unique }
}

const TEMPORAL: [GraphFunction; 2] = [
    GraphFunction {
        name: "duration.between",
        params: &[Param::Of(Kind::Date), Param::Of(Kind::Date)],
        result: Kind::Duration,
    },
    GraphFunction {
        name: "point.distance",
        params: &[Param::Of(Kind::Point), Param::Of(Kind::Point)],
        result: Kind::Float,
    },
];

const FUNCTIONS: [GraphFunction; OPENCYPHER_FUNCTIONS.len() + 2] = {
    let mut all = [TEMPORAL[0]; OPENCYPHER_FUNCTIONS.len() + 2];
    let mut i = 0;
    while i < OPENCYPHER_FUNCTIONS.len() {
        all[i] = OPENCYPHER_FUNCTIONS[i];
        i += 1;
    }
    all[i] = TEMPORAL[1];
    all
};

/// All that Cypher has.
static CYPHER: GraphDialect = GraphDialect {
    kinds: &[
        Kind::Int,
        Kind::Float,
        Kind::Text,
        Kind::Bool,
        Kind::Date,
        Kind::LocalTime,
        Kind::Duration,
        Kind::Point,
        Kind::List,
    ],
    functions: &FUNCTIONS,
    indexes: &[
        index("range", Target::Node, false),
        index("relationship", Target::Relationship, false),
        index("unique", Target::Node, true),
    ],
    ..OPENCYPHER
};

static STEPS: GraphDialect = GraphDialect { indexes: &[index("vertex", Target::Node, false)], ..GREMLIN };

fn states(dialect: &'static GraphDialect, disputed: bool, many: u64) -> Vec<(Metamodel, Vec<Statement>)> {
    let missing = Missing::default();
    let one = |seed: u64| {
        let mut rng = Rng::new(seed);
        let model = metamodel(dialect, &mut rng);
        let all = States::new(dialect, &model, &missing, disputed, &mut rng).all(Size::Medium);
        (model, all)
    };
    (0..many).map(one).collect()
}

/// The texts of all that is asked about these states, by every oracle.
fn questions(dialect: &'static GraphDialect, each: usize) -> String {
    let missing = Missing::default();
    let mut rng = Rng::new(11);
    let mut texts = String::new();
    for (model, state) in states(dialect, false, 60) {
        for oracle in GRAPH_ORACLES.iter().flat_map(|o| std::iter::repeat_n(o, each)) {
            let mut generator = Generator::new(dialect, &model, &missing, false, &mut rng);
            let Some(question) = (oracle.propose)(&mut generator, &state) else { continue };
            let (model, state) = (model.clone(), state.clone());
            let name = dialect.name.into();
            let source = GraphSource { oracle: oracle.name.into(), dialect: name, model, state, question, alone: None };
            let case = graph::case(&source, dialect, Origin::default());
            for step in case.iter().flat_map(|c| c.queries()) {
                texts.push_str(&step.text);
                texts.push('\n');
            }
        }
    }
    texts
}

fn lacking<'a>(text: &str, words: &[&'a str]) -> Vec<&'a str> {
    words.iter().filter(|w| !text.contains(**w)).copied().collect()
}

#[test]
fn every_clause_and_expression_of_cypher_is_generated() {
    let text = questions(&CYPHER, 30);
    let clauses = [
        "OPTIONAL MATCH ",
        " MATCH ",
        "WITH * WHERE",
        "UNWIND [",
        "CALL {",
        " UNION ALL ",
        "DISTINCT ",
        " ORDER BY ",
        "*1..2]",
        "*2]",
        "]->(",
        "<-[",
        "]-(",
        "|",
        "RETURN count(*)",
        "sum(",
        "min(",
        "max(",
        " {",
    ];
    let expressions = [
        " AND ",
        " OR ",
        " XOR ",
        "NOT ",
        " IN [",
        " IS NULL",
        " IS NOT NULL",
        " =~ ",
        "CASE WHEN ",
        "any(e IN ",
        "all(e IN ",
        "none(e IN ",
        "single(e IN ",
        "EXISTS { MATCH ",
        "COUNT { MATCH ",
        " STARTS WITH ",
        " ENDS WITH ",
        " CONTAINS ",
        " = ",
        " <> ",
        " < ",
        " <= ",
        " > ",
        " >= ",
        " + ",
        " - ",
        " * ",
        " / ",
        " % ",
        " ^ ",
    ];
    assert_eq!(lacking(&text, &clauses), [""; 0]);
    assert_eq!(lacking(&text, &expressions), [""; 0]);
    let mut functions: Vec<String> = FUNCTIONS.iter().map(|f| format!("{}(", f.name)).collect();
    functions.retain(|f| !text.contains(f.as_str()));
    assert!(functions.is_empty(), "{functions:?} are never called");
}

#[test]
fn every_step_and_predicate_of_gremlin_is_generated() {
    let text = questions(&STEPS, 30);
    let steps = [
        "g.V()",
        "g.E()",
        ".hasLabel(",
        ".has('",
        ".hasNot('",
        ".not(",
        ".or(",
        "__.and(",
        "__.or(",
        "__.not(",
        ".where(__.",
        ".filter(__.",
        ".out(",
        ".in(",
        ".both(",
        ".outE(",
        ".inE(",
        ".bothE(",
        ".inV()",
        ".outV()",
        ".otherV()",
        ".repeat(__.out(",
        ".emit().times(",
        ".values('",
        ".dedup()",
        ".count()",
        ".count().is(",
        ".order().by('k',",
        ".order().by(desc)",
        ".order().by(asc)",
        ".as('",
        ".select('",
        ".elementMap()",
    ];
    let predicates = [
        "P.eq(",
        "P.neq(",
        "P.lt(",
        "P.lte(",
        "P.gt(",
        "P.gte(",
        "P.inside(",
        "P.outside(",
        "P.between(",
        "P.within(",
        "P.without(",
        "P.not(",
        ").and(P.",
        ").or(P.",
        "TextP.startingWith(",
        "TextP.endingWith(",
        "TextP.containing(",
        "TextP.notStartingWith(",
        "TextP.notEndingWith(",
        "TextP.notContaining(",
    ];
    assert_eq!(lacking(&text, &steps), [""; 0]);
    assert_eq!(lacking(&text, &predicates), [""; 0]);
}

#[test]
fn states_hold_every_kind_of_statement_and_value() {
    let made = states(&CYPHER, true, 300);
    let text: String = made.iter().flat_map(|(_, s)| s).map(|s| print::statement(s, &CYPHER) + "\n").collect();
    let words = [
        "CREATE (",
        "MERGE (",
        " SET n.",
        " REMOVE n.",
        " SET n:",
        " REMOVE n:",
        " DETACH DELETE n",
        ") DELETE n",
        "CREATE INDEX ",
        "FOR ()-[r:",
        "DROP INDEX ",
        " = null",
        ": null",
        "0.0 / 0.0",
        "(1.0 / 0.0)",
        "(-1.0 / 0.0)",
        "-0.0",
        "9223372036854775807",
        "-9223372036854775808",
        "date('",
        "localtime('",
        "duration('",
        "point({",
        ": [",
        "]->(n",
    ];
    assert_eq!(lacking(&text, &words), [""; 0]);
    let creates = || made.iter().flat_map(|(_, s)| s);
    let graphs: Vec<(&[Node], &[Edge])> = creates()
        .filter_map(|s| match s {
            Statement::Create { nodes, edges } => Some((nodes.as_slice(), edges.as_slice())),
            _ => None,
        })
        .collect();
    assert!(graphs.iter().any(|(nodes, _)| nodes.iter().any(|n| n.labels.len() > 1)), "several labels");
    assert!(graphs.iter().any(|(nodes, _)| nodes.iter().any(|n| n.labels.is_empty())), "no label");
    assert!(graphs.iter().any(|(_, edges)| edges.iter().any(|e| e.from == e.to)), "a loop");
    let twice = |edges: &[Edge]| {
        edges.iter().enumerate().any(|(i, e)| edges[..i].iter().any(|f| (f.from, f.to) == (e.from, e.to)))
    };
    assert!(graphs.iter().any(|(_, edges)| twice(edges)), "parallel edges");
    assert!(graphs.iter().any(|(nodes, edges)| edges.len() > nodes.len()), "more edges than nodes");
    for unique in CYPHER.indexes {
        let is = |s: &Statement| matches!(s, Statement::CreateIndex { spec, .. } if spec == unique.name);
        assert!(creates().any(is), "no index of the kind '{}'", unique.name);
    }
}

#[test]
fn values_of_one_name_are_of_several_kinds_and_equal_across_them() {
    let made = states(&CYPHER, false, 60);
    let stored = |state: &[Statement], name: &str| -> Vec<Literal> {
        state.iter().flat_map(check::stored).filter(|(p, _)| *p == name).map(|(_, v)| v.clone()).collect()
    };
    let kinds = |state: &[Statement]| {
        let mut kinds: Vec<Kind> = stored(state, "p").iter().filter_map(Literal::kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds.len()
    };
    assert!(made.iter().any(|(_, s)| kinds(s) > 2), "three kinds under one name");
    let equal = |state: &[Statement]| {
        let all = stored(state, "x");
        all.iter().any(|v| match v {
            Literal::Int(i) => all.contains(&Literal::Float(*i as f64)),
            _ => false,
        })
    };
    assert!(made.iter().any(|(_, s)| equal(s)), "an integer and its float");
    let missing = made.iter().any(|(model, s)| {
        s.iter().any(|s| match s {
            Statement::Create { nodes, .. } => nodes.iter().any(|n| n.properties.len() < model.properties.len()),
            _ => false,
        })
    });
    assert!(missing, "a property that is not there");
}
