//! What FalkorDB's language can do, as data.

use crate::graph_functions::{MATHEMATICS, function, join};
use qualm_core::dialect::graph::{
    Feature, GraphDialect, GraphFunction, GraphKnob, IndexSpec, Kind, OPENCYPHER, OPENCYPHER_FUNCTIONS, Param, Target,
    without,
};
use qualm_core::session::RejectionClass::{Internal, Limit, OutOfMemory};

const POINT: Param = Param::Of(Kind::Point);
const OWN: &[GraphFunction] = &[
    function("distance", &[POINT, POINT], Kind::Float),
    function("pow", &[Param::Of(Kind::Float), Param::SmallInt], Kind::Float),
    function("toJSON", &[Param::Any], Kind::Text),
];
const MORE: &[GraphFunction] = &join::<{ MATHEMATICS.len() + OWN.len() }>(MATHEMATICS, OWN);
const FUNCTIONS: &[GraphFunction] = &join::<{ OPENCYPHER_FUNCTIONS.len() + MORE.len() }>(OPENCYPHER_FUNCTIONS, MORE);

/// Without EXISTS and COUNT subqueries: a pattern stands in a condition as it is. There is no `=~`.
const MISSING: &[Feature] = &[Feature::Regex, Feature::ExistsSubquery, Feature::CountSubquery];
const FEATURES: &[Feature] = &without::<{ OPENCYPHER.features.len() - MISSING.len() }>(OPENCYPHER.features, MISSING);

pub static FALKORDB: GraphDialect = GraphDialect {
    name: "falkordb",
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
    literals: &[
        (Kind::Date, "date('{}')"),
        (Kind::LocalTime, "localtime('{}')"),
        (Kind::Duration, "duration('{}')"),
        (Kind::Point, "point({latitude: {x}, longitude: {y}})"),
    ],
    functions: FUNCTIONS,
    features: FEATURES,
    indexes: &[
        IndexSpec {
            name: "range",
            target: Target::Node,
            kinds: &[],
            create: "CREATE INDEX FOR (n:{label}) ON (n.{property})",
            drop: "DROP INDEX FOR (n:{label}) ON (n.{property})",
            unique: false,
        },
        // Once more: the part of it that finds points by their distance is one of its own.
        IndexSpec {
            name: "range",
            target: Target::Node,
            kinds: &[Kind::Point],
            create: "CREATE INDEX FOR (n:{label}) ON (n.{property})",
            drop: "DROP INDEX FOR (n:{label}) ON (n.{property})",
            unique: false,
        },
        IndexSpec {
            name: "relationship range",
            target: Target::Relationship,
            kinds: &[],
            create: "CREATE INDEX FOR ()-[r:{label}]-() ON (r.{property})",
            drop: "DROP INDEX FOR ()-[r:{label}]-() ON (r.{property})",
            unique: false,
        },
        // No pattern asks it, but it is one index with the others of its label inside.
        IndexSpec {
            name: "full-text",
            target: Target::Node,
            kinds: &[Kind::Text],
            create: "CREATE FULLTEXT INDEX FOR (n:{label}) ON (n.{property})",
            drop: "DROP FULLTEXT INDEX FOR (n:{label}) ON (n.{property})",
            unique: false,
        },
    ],
    // By its documents a pattern may use a relationship twice, and one that is used nowhere else only has to exist.
    trails: false,
    relationships_by_use: true,
    // Longer ones end where they meet a node again, and which node that is depends on the end that the plan begins at.
    lengths: &[(0, 1)],
    errors: &[
        ("Query timed out", Limit),
        ("mem consumption exceeded", OutOfMemory),
        ("Max pending queries exceeded", Limit),
        ("nternal error", Internal),
        ("Encountered unhandled type", Internal),
    ],
    knobs: &[GraphKnob::Statement {
        name: "DELTA_MAX_PENDING_CHANGES",
        set: "GRAPH.CONFIG SET DELTA_MAX_PENDING_CHANGES 1",
        reset: "GRAPH.CONFIG SET DELTA_MAX_PENDING_CHANGES 10000",
    }],
    ..OPENCYPHER
};
