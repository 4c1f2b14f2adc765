//! What the dialects of several graph engines are put together from: functions beyond openCypher's own, in groups.

use qualm_core::dialect::graph::{GraphFunction, Kind, Param};

pub const fn function(name: &'static str, params: &'static [Param], result: Kind) -> GraphFunction {
    GraphFunction { name, params, result }
}

/// Two lists as one.
pub const fn join<const N: usize>(a: &[GraphFunction], b: &[GraphFunction]) -> [GraphFunction; N] {
    assert!(a.len() + b.len() == N);
    let mut all = [a[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < a.len() { a[i] } else { b[i - a.len()] };
        i += 1;
    }
    all
}

const FLOAT: &[Param] = &[Param::Of(Kind::Float)];

/// Functions of one number, deterministic in one engine on one machine, which is all that is compared.
pub const MATHEMATICS: &[GraphFunction] = &[
    function("exp", FLOAT, Kind::Float),
    function("log", FLOAT, Kind::Float),
    function("log10", FLOAT, Kind::Float),
    function("sin", FLOAT, Kind::Float),
    function("cos", FLOAT, Kind::Float),
    function("tan", FLOAT, Kind::Float),
    function("cot", FLOAT, Kind::Float),
    function("asin", FLOAT, Kind::Float),
    function("acos", FLOAT, Kind::Float),
    function("atan", FLOAT, Kind::Float),
    function("degrees", FLOAT, Kind::Float),
    function("radians", FLOAT, Kind::Float),
    function("haversin", FLOAT, Kind::Float),
    function("atan2", &[Param::Of(Kind::Float), Param::Of(Kind::Float)], Kind::Float),
    function("split", &[Param::Of(Kind::Text), Param::Of(Kind::Text)], Kind::List),
];

#[cfg(test)]
mod tests {
    use crate::bolt::dialect::{ARCADEDB, MEMGRAPH, NEO4J};
    use crate::falkordb::dialect::FALKORDB;
    use crate::gremlin::TINKERGRAPH;
    use qualm_core::dialect::graph::GraphDialect;

    /// What GDBMeter's tool calls in Neo4j.
    const OF_NEO4J: &str = "toBoolean toBooleanOrNull abs sign toInteger toIntegerOrNull duration.between \
        duration.inMonths duration.inDays duration.inSeconds left right lTrim rTrim trim toLower toUpper reverse \
        replace substring toString toStringOrNull ceil floor toFloat toFloatOrNull point.distance isEmpty size round \
        e exp log log10 sqrt isNaN";
    /// And in RedisGraph, which is FalkorDB now.
    const OF_REDISGRAPH: &str = "abs sign toInteger left right lTrim rTrim trim toLower toUpper reverse replace \
        substring toString ceil floor distance round sqrt pow size toJSON";

    #[test]
    fn the_functions_of_the_papers_tool_are_all_there() {
        for (dialect, names, many) in [(&NEO4J, OF_NEO4J, 36), (&FALKORDB, OF_REDISGRAPH, 22)] {
            let names: Vec<&str> = names.split_whitespace().collect();
            assert_eq!(names.len(), many);
            for name in names {
                assert!(dialect.functions.iter().any(|f| f.name == name), "{}: {name}", dialect.name);
            }
        }
    }

    #[test]
    fn an_index_is_found_by_its_name() {
        let all: [&GraphDialect; 5] = [&NEO4J, &MEMGRAPH, &ARCADEDB, &FALKORDB, &TINKERGRAPH];
        for dialect in all {
            for spec in dialect.indexes {
                let first = dialect.indexes.iter().find(|i| i.name == spec.name).unwrap();
                assert_eq!(first.create, spec.create, "{}: two indexes called '{}'", dialect.name, spec.name);
            }
        }
    }
}
