//! What the languages of the engines behind Bolt can do, as data. Where a release knows less, a feature is tried once
//! when a hunt begins.

use crate::graph_functions::{MATHEMATICS, function, join};
use qualm_core::dialect::graph::{
    GraphDialect, GraphFunction, GraphKnob, IndexSpec, Kind, Mixed, MixedOrder, OPENCYPHER, OPENCYPHER_FUNCTIONS,
    Param, Target,
};
use qualm_core::session::RejectionClass::{Expected, Internal, Limit, OutOfMemory};

const TEXT: Param = Param::Of(Kind::Text);
const POINT: Param = Param::Of(Kind::Point);
const DATE: Param = Param::Of(Kind::Date);

/// An index that most engines write in one way, on nodes or on relationships.
const fn index(name: &'static str, target: Target, kinds: &'static [Kind], create: &'static str) -> IndexSpec {
    IndexSpec { name, target, kinds, create, drop: "DROP INDEX {name}", unique: false }
}

const LITERALS: &[(Kind, &str)] = &[
    (Kind::Date, "date('{}')"),
    (Kind::LocalTime, "localtime('{}')"),
    (Kind::Duration, "duration('{}')"),
    (Kind::Point, "point({x: {x}, y: {y}})"),
];

const ALL_KINDS: &[Kind] = &[
    Kind::Int,
    Kind::Float,
    Kind::Text,
    Kind::Bool,
    Kind::Date,
    Kind::LocalTime,
    Kind::Duration,
    Kind::Point,
    Kind::List,
];

// ---------------------------------------------------------------- Neo4j

const NEO4J_OWN: &[GraphFunction] = &[
    function("point.distance", &[POINT, POINT], Kind::Float),
    function("isEmpty", &[TEXT], Kind::Bool),
    function("duration.between", &[DATE, DATE], Kind::Duration),
    function("duration.inMonths", &[DATE, DATE], Kind::Duration),
    function("duration.inDays", &[DATE, DATE], Kind::Duration),
    function("duration.inSeconds", &[DATE, DATE], Kind::Duration),
    function("toBooleanOrNull", &[Param::Any], Kind::Bool),
    function("toIntegerOrNull", &[Param::Any], Kind::Int),
    function("toFloatOrNull", &[Param::Any], Kind::Float),
    function("toStringOrNull", &[Param::Any], Kind::Text),
    function("isNaN", &[Param::Of(Kind::Float)], Kind::Bool),
    function("e", &[], Kind::Float),
    function("toString", &[Param::Of(Kind::Float)], Kind::Text),
    function("toString", &[DATE], Kind::Text),
];
const NEO4J_MORE: &[GraphFunction] = &join::<{ MATHEMATICS.len() + NEO4J_OWN.len() }>(MATHEMATICS, NEO4J_OWN);
const NEO4J_FUNCTIONS: &[GraphFunction] =
    &join::<{ OPENCYPHER_FUNCTIONS.len() + NEO4J_MORE.len() }>(OPENCYPHER_FUNCTIONS, NEO4J_MORE);

pub static NEO4J: GraphDialect = GraphDialect {
    name: "neo4j",
    kinds: ALL_KINDS,
    literals: LITERALS,
    functions: NEO4J_FUNCTIONS,
    indexes: &[
        index("index", Target::Node, &[], "CREATE INDEX {name} FOR (n:{label}) ON (n.{property})"),
        index("text", Target::Node, &[Kind::Text], "CREATE TEXT INDEX {name} FOR (n:{label}) ON (n.{property})"),
        index("point", Target::Node, &[Kind::Point], "CREATE POINT INDEX {name} FOR (n:{label}) ON (n.{property})"),
        index("relationship", Target::Relationship, &[], "CREATE INDEX {name} FOR ()-[r:{label}]-() ON (r.{property})"),
        index(
            "relationship text",
            Target::Relationship,
            &[Kind::Text],
            "CREATE TEXT INDEX {name} FOR ()-[r:{label}]-() ON (r.{property})",
        ),
        // Every element has `k`.
        index(
            "composite",
            Target::Node,
            &[Kind::Int, Kind::Text],
            "CREATE INDEX {name} FOR (n:{label}) ON (n.{property}, n.k)",
        ),
        index(
            "full-text",
            Target::Node,
            &[Kind::Text],
            "CREATE FULLTEXT INDEX {name} FOR (n:{label}) ON EACH [n.{property}]",
        ),
        IndexSpec {
            name: "unique",
            target: Target::Node,
            kinds: &[],
            create: "CREATE CONSTRAINT {name} FOR (n:{label}) REQUIRE n.{property} IS UNIQUE",
            drop: "DROP CONSTRAINT {name}",
            unique: true,
        },
    ],
    errors: &[
        ("Neo.TransientError.General.OutOfMemoryError", OutOfMemory),
        // Time, memory of a transaction, depth of the stack, locks.
        ("Neo.TransientError", Limit),
        ("Neo.ClientError.Transaction.TransactionTimedOut", Limit),
        ("Neo.ClientError.Transaction", Limit),
        ("Neo.DatabaseError", Internal),
    ],
    knobs: &[
        GraphKnob::Prefix { name: "runtime=interpreted", text: "CYPHER runtime=interpreted " },
        GraphKnob::Prefix { name: "runtime=slotted", text: "CYPHER runtime=slotted " },
        GraphKnob::Prefix { name: "planner=dp", text: "CYPHER planner=dp " },
        GraphKnob::Prefix { name: "connectComponentsPlanner=greedy", text: "CYPHER connectComponentsPlanner=greedy " },
        GraphKnob::Prefix { name: "updateStrategy=eager", text: "CYPHER updateStrategy=eager " },
    ],
    ..OPENCYPHER
};

// ---------------------------------------------------------------- Memgraph

/// By its documents: no package registry has the server, so that this row was not tried here.
pub static MEMGRAPH: GraphDialect = GraphDialect {
    name: "memgraph",
    // A division of floats by zero is an error.
    nan: None,
    infinity: None,
    negative_infinity: None,
    mixed_order: MixedOrder::Error,
    mixed: Mixed::Numbers,
    indexes: &[IndexSpec {
        name: "index",
        target: Target::Node,
        kinds: &[],
        create: "CREATE INDEX ON :{label}({property})",
        drop: "DROP INDEX ON :{label}({property})",
        unique: false,
    }],
    errors: &[("Memory limit exceeded", OutOfMemory), ("Memgraph.TransientError", Limit), ("timeout", Limit)],
    ..OPENCYPHER
};

// ---------------------------------------------------------------- ArcadeDB

const ARCADEDB_OWN: &[GraphFunction] = &[
    function("point.distance", &[POINT, POINT], Kind::Float),
    function("toString", &[Param::Of(Kind::Float)], Kind::Text),
];
const ARCADEDB_MORE: &[GraphFunction] = &join::<{ MATHEMATICS.len() + ARCADEDB_OWN.len() }>(MATHEMATICS, ARCADEDB_OWN);
const ARCADEDB_FUNCTIONS: &[GraphFunction] =
    &join::<{ OPENCYPHER_FUNCTIONS.len() + ARCADEDB_MORE.len() }>(OPENCYPHER_FUNCTIONS, ARCADEDB_MORE);

pub static ARCADEDB: GraphDialect = GraphDialect {
    name: "arcadedb",
    kinds: ALL_KINDS,
    literals: LITERALS,
    functions: ARCADEDB_FUNCTIONS,
    indexes: &[
        index("index", Target::Node, &[], "CREATE INDEX {name} FOR (n:{label}) ON (n.{property})"),
        index("relationship", Target::Relationship, &[], "CREATE INDEX {name} FOR ()-[r:{label}]-() ON (r.{property})"),
        IndexSpec {
            name: "unique",
            target: Target::Node,
            kinds: &[],
            create: "CREATE CONSTRAINT {name} FOR (n:{label}) REQUIRE n.{property} IS UNIQUE",
            drop: "DROP CONSTRAINT {name}",
            unique: true,
        },
    ],
    // Nearly every error is one of its DatabaseErrors; these are words of Java for what nobody meant.
    errors: &[
        ("OutOfMemoryError", OutOfMemory),
        ("StackOverflowError", Limit),
        ("imeout", Limit),
        ("TimedOut", Limit),
        ("Neo.TransientError", Limit),
        ("Cannot invoke \"", Internal),
        ("NullPointerException", Internal),
        ("ClassCastException", Internal),
        ("cannot be cast to class", Internal),
        ("IndexOutOfBounds", Internal),
        ("out of bounds for length", Internal),
        ("ConcurrentModificationException", Internal),
        ("Neo.DatabaseError", Expected),
    ],
    ..OPENCYPHER
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_classed() {
        let cases = [
            (&NEO4J, "Invalid input (Neo.ClientError.Statement.SyntaxError)", Expected),
            (&NEO4J, "x (Neo.DatabaseError.Statement.ExecutionFailed)", Internal),
            (&NEO4J, "x (Neo.ClientError.Transaction.TransactionTimedOut)", Limit),
            (&NEO4J, "x (Neo.TransientError.General.OutOfMemoryError)", OutOfMemory),
            (&ARCADEDB, "Unknown function (Neo.DatabaseError.General.UnknownError)", Expected),
            (&ARCADEDB, "Cannot invoke \"Object.hashCode()\" (Neo.DatabaseError.General.UnknownError)", Internal),
        ];
        for (dialect, text, class) in cases {
            assert_eq!(dialect.class_of(text), class, "{text}");
        }
        assert!(NEO4J.functions.len() > OPENCYPHER_FUNCTIONS.len());
    }
}
