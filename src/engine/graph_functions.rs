//! What the dialects of several graph engines are put together from: functions beyond openCypher's own, in groups.

use crate::graph_dialect::{GraphFunction, Kind, Param};

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
