//! The metamodel of one database: labels, relationship types, properties and the few values that they hold. A property
//! name has the same kinds wherever it occurs, so that a variable without a label can be asked for it too.

use super::ast::{KEY, Literal, Special};
use qualm_core::dialect::graph::{GraphDialect, Kind, Mixed, SchemaRule};
use qualm_core::rng::Rng;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metamodel {
    pub labels: Vec<Class>,
    pub types: Vec<Class>,
    pub properties: Vec<Property>,
}

/// A label or a type, and the properties of what has it (beside `k`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    pub name: String,
    pub properties: Vec<String>,
    /// For a type of a typed schema: the labels it may join.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Property {
    pub name: String,
    /// Several where it is mixed.
    pub kinds: Vec<Kind>,
}

impl Metamodel {
    /// The kinds of a property; of none it is not known.
    pub fn kinds(&self, property: &str) -> &[Kind] {
        if property == KEY {
            return &[Kind::Int];
        }
        self.properties.iter().find(|p| p.name == property).map_or(&[], |p| &p.kinds)
    }
}

/// Names of properties by kind: a reader sees from `n.t` what is compared.
const NAMES: &[(Kind, &[&str])] = &[
    (Kind::Int, &["i", "j"]),
    (Kind::Float, &["f", "h"]),
    (Kind::Text, &["s", "t"]),
    (Kind::Bool, &["b"]),
    (Kind::Date, &["d"]),
    (Kind::LocalTime, &["c"]),
    (Kind::Duration, &["u"]),
    (Kind::Point, &["g"]),
    (Kind::List, &["l"]),
];
const LABELS: [&str; 4] = ["A", "B", "C", "D"];
const TYPES: [&str; 3] = ["R", "S", "T"];

pub fn metamodel(dialect: &GraphDialect, rng: &mut Rng) -> Metamodel {
    let mut properties = Vec::new();
    for (kind, names) in NAMES.iter().filter(|(kind, _)| dialect.kinds.contains(kind)) {
        for name in *names {
            if rng.chance(2, 3) {
                properties.push(Property { name: (*name).into(), kinds: vec![*kind] });
            }
        }
    }
    if dialect.mixed != Mixed::No && rng.chance(2, 3) {
        properties.push(Property { name: "x".into(), kinds: vec![Kind::Int, Kind::Float] });
    }
    if dialect.mixed == Mixed::Any && rng.chance(1, 2) {
        let mut kinds: Vec<Kind> = dialect.kinds.to_vec();
        rng.shuffle(&mut kinds);
        kinds.truncate(rng.range(2, 4));
        properties.push(Property { name: "p".into(), kinds });
    }
    if properties.is_empty() {
        properties.push(Property { name: "i".into(), kinds: vec![Kind::Int] });
    }
    let classes = |names: &[&str], rng: &mut Rng| {
        let of = |name: &&str| Class {
            name: (*name).to_owned(),
            properties: properties.iter().filter(|_| rng.chance(2, 3)).map(|p| p.name.clone()).collect(),
            pairs: Vec::new(),
        };
        names.iter().map(of).collect::<Vec<Class>>()
    };
    let many_labels = rng.range(1, LABELS.len());
    let labels = classes(&LABELS[..many_labels], rng);
    let many_types = rng.range(1, TYPES.len());
    let mut types = classes(&TYPES[..many_types], rng);
    if matches!(dialect.schema, SchemaRule::Typed { .. }) {
        types.iter_mut().for_each(|t| t.pairs = pairs(&labels, rng));
    }
    Metamodel { labels, types, properties }
}

/// Which labels a type joins: mostly all of them.
fn pairs(labels: &[Class], rng: &mut Rng) -> Vec<(String, String)> {
    let all = labels.iter().flat_map(|a| labels.iter().map(|b| (a.name.clone(), b.name.clone())));
    let mut chosen: Vec<(String, String)> = all.filter(|_| rng.chance(3, 4)).collect();
    if chosen.is_empty() {
        chosen.push((labels[0].name.clone(), labels[0].name.clone()));
    }
    chosen
}

const TEXTS: [&str; 12] = ["", "a", "A", "b", "ab", "test", " a", "a ", "1", "-1.5", "true", "\u{e4}\u{f6}"];
const INTS: [i64; 8] = [0, 1, 2, -1, 3, 7, 10, -5];
const FLOATS: [f64; 9] = [0.0, 1.0, 2.0, -1.0, 1.5, 0.1, -2.5, 7.0, 1e10];
const DATES: [&str; 6] = ["2020-02-29", "1970-01-01", "2020-03-01", "1999-12-31", "2021-01-01", "0001-01-01"];
const TIMES: [&str; 5] = ["00:00:00", "12:30:00", "23:59:59", "12:30:01", "01:02:03"];
const DURATIONS: [&str; 6] = ["P1D", "PT24H", "P1M", "P30D", "PT0S", "P1Y2M3DT4H"];

/// A value of the kind, from few, so that values meet. One in fifty is at a boundary.
pub fn value(kind: Kind, dialect: &GraphDialect, disputed: bool, rng: &mut Rng) -> Literal {
    match kind {
        Kind::Bool => Literal::Bool(rng.coin()),
        Kind::Int if rng.chance(1, 60) => {
            let limit = dialect.int_limit;
            let low = if limit == i64::MAX { i64::MIN } else { -limit };
            Literal::Int(*rng.pick(&[limit, low, limit - 1, i64::from(i32::MAX).min(limit)]))
        }
        Kind::Int => Literal::Int(*rng.pick(&INTS)),
        Kind::Float if rng.chance(1, 8) => float_boundary(dialect, disputed, rng),
        Kind::Float => Literal::Float(*rng.pick(&FLOATS)),
        Kind::Text => Literal::Text((*rng.pick(&TEXTS)).into()),
        Kind::Date => Literal::Date((*rng.pick(&DATES)).into()),
        Kind::LocalTime => Literal::LocalTime((*rng.pick(&TIMES)).into()),
        Kind::Duration => Literal::Duration((*rng.pick(&DURATIONS)).into()),
        Kind::Point => Literal::Point(*rng.pick(&[0.0, 1.0, 2.0, -1.0]), *rng.pick(&[0.0, 1.0, 2.0, -1.0])),
        Kind::List => list(dialect, rng),
    }
}

fn float_boundary(dialect: &GraphDialect, disputed: bool, rng: &mut Rng) -> Literal {
    let mut able = vec![Literal::Float(1e300), Literal::Float(1e-300)];
    if dialect.negative_zero {
        able.push(Literal::Float(-0.0));
    }
    if dialect.infinity.is_some() {
        able.push(Literal::Special(Special::Infinity));
    }
    if dialect.negative_infinity.is_some() {
        able.push(Literal::Special(Special::NegativeInfinity));
    }
    if disputed && dialect.nan.is_some() {
        able.extend([Literal::Special(Special::Nan), Literal::Special(Special::Nan), Literal::Special(Special::Nan)]);
    }
    rng.pick(&able).clone()
}

/// One kind of member in each list, as engines want it for a property; in a typed schema always integers.
fn list(dialect: &GraphDialect, rng: &mut Rng) -> Literal {
    let length = rng.below(3) + usize::from(rng.chance(1, 3));
    let texts = rng.chance(1, 3) && dialect.schema == SchemaRule::Free;
    let member = |rng: &mut Rng| match texts {
        true => Literal::Text((*rng.pick(&TEXTS[..4])).into()),
        false => Literal::Int(*rng.pick(&INTS[..4])),
    };
    Literal::List((0..length).map(|_| member(rng)).collect())
}
