//! Plain data that says what an engine's graph language can do: the counterpart of `dialect.rs` for the third language.
//!
//! A driver has a row of this type beside it, made from one of the two base rows with struct update syntax:
//!
//! ```text
//! pub static FALKORDB: GraphDialect =
//!     GraphDialect { name: "falkordb", features: &[…], indexes: &[…], self_test: …, ..OPENCYPHER };
//! ```
//!
//! An engine that is reached by a program (`exec:`) gives the same fields as JSON, see `overrides.rs`. Generators,
//! checks and printers read this; they never see a driver. A feature in the list is tried once when a hunt begins and
//! left out when the engine refuses it, so a list may be generous.

mod overrides;

pub use overrides::build;

use crate::session::RejectionClass;
use serde::{Deserialize, Serialize};

/// Which printer writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    Cypher,
    Gremlin,
}

/// The kinds of values that properties hold and expressions give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Int,
    Float,
    Text,
    Bool,
    Date,
    LocalTime,
    Duration,
    Point,
    /// Of integers, or of texts.
    List,
}

/// What a function wants as an argument. The narrow ones keep a generator away from errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Param {
    Of(Kind),
    /// An integer or a float.
    Number,
    /// A literal from 0 to 5: lengths and positions.
    SmallInt,
    /// Any kind the dialect has.
    Any,
}

/// A deterministic function. Its `result` is a kind: every non-null answer is of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphFunction {
    pub name: &'static str,
    pub params: &'static [Param],
    pub result: Kind,
}

/// Parts of a graph language that not every engine or release has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// `OPTIONAL MATCH`.
    OptionalMatch,
    /// `WITH …, … WHERE …` between clauses.
    With,
    /// `UNWIND [1, 2] AS x`; Gremlin: `inject`.
    Unwind,
    Xor,
    /// `=~` with the whole text matched.
    Regex,
    Case,
    /// `x IN [..]`; Gremlin: `within`, `without`.
    In,
    /// `any(x IN l WHERE ..)`, `all`, `none`, `single`.
    ListPredicate,
    /// `STARTS WITH`, `ENDS WITH`, `CONTAINS`; Gremlin: TextP.
    TextPredicate,
    /// `CALL { MATCH … RETURN … }` without imported variables.
    CallSubquery,
    /// `EXISTS { MATCH … }`.
    ExistsSubquery,
    /// `(a)-[:T]->()` as a predicate in WHERE; Gremlin: `where(__.out('T'))`.
    PatternPredicate,
    /// `COUNT { MATCH … }` from a node; Gremlin: `out('T').count().is(gt(1))`.
    CountSubquery,
    /// `-[:T*1..2]->`; Gremlin: `repeat(..).times(n)`.
    VariableLength,
    /// `-[r]-` matches in both directions, a loop once; Gremlin: `both`, which gives a loop twice.
    Undirected,
    /// `[r:S|T]`.
    TypeAlternatives,
    /// `n:L` as a predicate.
    LabelPredicate,
    /// Nodes may have several labels or none.
    SeveralLabels,
    /// A relationship from a node to itself.
    SelfLoop,
    Merge,
    /// One statement may make several nodes and relationships.
    CreateGraph,
    /// `REMOVE n.p`; Gremlin: `properties('p').drop()`.
    Remove,
    /// `SET n:L`, `REMOVE n:L`.
    SetLabel,
    DetachDelete,
    /// `RETURN DISTINCT`; Gremlin: `dedup`.
    Distinct,
    OrderBy,
    /// `count(DISTINCT x)`.
    CountDistinct,
    /// `/` and `%` on integers, truncating; by zero is an error or NULL.
    IntegerDivision,
    /// `^`, giving a float.
    Power,
    /// `+` between texts.
    Concat,
    /// `a < b < c` is never written; this is `a.p = b.p` and the like between two properties.
    PropertyComparison,
    /// `UNION ALL` of two queries.
    Union,
    /// `properties(n)`.
    PropertiesFunction,
    /// Gremlin: several elements of a path at once, `select('a','b').by(elementMap())`, also inside filters.
    Select,
    /// A predicate inside a predicate: Gremlin's `P.not`, `gt(1).and(lt(5))`, `lt(1).or(gt(5))`.
    PredicateNot,
    /// Gremlin: `inside`, `outside`, `between`.
    Ranges,
    /// Gremlin: the step `not(…)`, which keeps whatever its filter does not.
    NotStep,
    /// Gremlin: any steps inside a filter, `not(and(…))`, `where(out('T').hasLabel('L'))`.
    NestedFilters,
}

/// The features of `all` but these, in the same order.
pub const fn without<const N: usize>(all: &[Feature], missing: &[Feature]) -> [Feature; N] {
    assert!(all.len() == N + missing.len());
    let mut rest = [all[0]; N];
    let (mut from, mut to) = (0, 0);
    while from < all.len() {
        let mut at = 0;
        while at < missing.len() && missing[at] as u8 != all[from] as u8 {
            at += 1;
        }
        if at == missing.len() {
            rest[to] = all[from];
            to += 1;
        }
        from += 1;
    }
    rest
}

/// Whether one property name may hold values of several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mixed {
    /// One kind only.
    No,
    /// Integers beside floats.
    Numbers,
    Any,
}

/// What `1 < 'a'` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MixedOrder {
    Null,
    False,
    /// So values of different kinds never meet in an order comparison.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Node,
    Relationship,
}

/// One kind of index. In the statements stand `{name}` (of the index), `{label}` (or type) and `{property}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexSpec {
    /// For people: `range`, `text`, …
    pub name: &'static str,
    pub target: Target,
    /// Made on properties of these kinds only; empty: of any.
    pub kinds: &'static [Kind],
    pub create: &'static str,
    pub drop: &'static str,
    /// Keeps values apart, so it is made on the property `k` only, which is unique.
    pub unique: bool,
}

/// What has to be declared before the first node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaRule {
    Free,
    /// Every label is a table of nodes with one label each, and every type a table of relationships. `k` is an integer
    /// property that every node and relationship has; it is the primary key of a node.
    Typed {
        /// `{label}`, `{columns}`: "CREATE NODE TABLE {label}({columns}, PRIMARY KEY (k))".
        node: &'static str,
        /// `{type}`, `{pairs}`, `{columns}`: "CREATE REL TABLE {type}({pairs}, {columns})".
        relationship: &'static str,
        /// `{from}`, `{to}`, joined by ", ": "FROM {from} TO {to}".
        pair: &'static str,
        /// `{property}`, `{type}`, joined by ", ": "{property} {type}".
        column: &'static str,
        /// The engine's name for each kind: `(Kind::Int, "INT64")`.
        types: &'static [(Kind, &'static str)],
    },
}

/// A setting that must not change answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKnob {
    /// Text before the query, for instance `CYPHER runtime=slotted `.
    Prefix { name: &'static str, text: &'static str },
    /// Statements that set it and set it back.
    Statement { name: &'static str, set: &'static str, reset: &'static str },
}

impl GraphKnob {
    pub fn name(&self) -> &'static str {
        match self {
            GraphKnob::Prefix { name, .. } | GraphKnob::Statement { name, .. } => name,
        }
    }
}

/// A script whose last answer is known and not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSelfTest {
    pub statements: &'static [&'static str],
    pub question: &'static str,
    /// Its rows as JSON, in any order.
    pub answer: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct GraphDialect {
    pub name: &'static str,
    pub form: Form,
    /// Three-valued logic: a predicate may be unknown, a missing property is NULL. Without it (Gremlin) a property is
    /// there or not, and a step filters or not.
    pub has_null: bool,
    /// Kinds that properties may have.
    pub kinds: &'static [Kind],
    pub mixed: Mixed,
    /// How a literal is written, `{}` standing for its plain text (`{x}` and `{y}` for a point). Integers, floats,
    /// texts, truth values and lists have the form's own way where no row is given.
    pub literals: &'static [(Kind, &'static str)],
    /// Expressions that give what has no literal; nothing where the engine has no such value.
    pub nan: Option<&'static str>,
    pub infinity: Option<&'static str>,
    pub negative_infinity: Option<&'static str>,
    /// −0.0 can be written and is kept.
    pub negative_zero: bool,
    /// The integers that are written lie between minus this and this. 2^53 where larger ones are not exact everywhere.
    pub int_limit: i64,
    pub functions: &'static [GraphFunction],
    pub features: &'static [Feature],
    /// What the engine takes and is known to get wrong every time: used with `--disputed` only, because every other
    /// check would report it again.
    pub known_wrong: &'static [Feature],
    pub indexes: &'static [IndexSpec],
    /// Run after indexes are made and before queries are run. Empty where a driver waits by itself inside
    /// `CREATE INDEX`, which it should where no statement waits: a question must never see half an index.
    pub await_indexes: &'static [&'static str],
    pub schema: SchemaRule,
    /// `1 = 1.0` is true.
    pub int_equals_float: bool,
    pub mixed_order: MixedOrder,
    /// Within one MATCH no relationship is used twice. Otherwise (walks) it may be.
    pub trails: bool,
    /// A relationship that is named but used nowhere else counts only once per pair of nodes (FalkorDB, by its
    /// documentation), so every query uses each of its relationships.
    pub relationships_by_use: bool,
    /// Bounds of the paths of variable length that are used.
    pub lengths: &'static [(u32, u32)],
    /// Comparing whole nodes or relationships (`a = b`, `id(r) <> id(s)`) works by this function; `{}` is the variable.
    pub identity: &'static str,
    /// What an anonymous traversal of Gremlin begins with: `__.`, or nothing; then predicates have no class either.
    pub anonymous: &'static str,
    /// A part of an error's text, and what it means; the first that fits counts. Others are `Expected`.
    pub errors: &'static [(&'static str, RejectionClass)],
    pub knobs: &'static [GraphKnob],
    pub self_test: GraphSelfTest,
}

impl GraphDialect {
    /// Queries are traversals, step by step, and not patterns with clauses.
    pub fn is_by_steps(&self) -> bool {
        self.form == Form::Gremlin
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Whether a query may use it.
    pub fn may_use(&self, feature: Feature, disputed: bool) -> bool {
        self.has(feature) || disputed && self.known_wrong.contains(&feature)
    }

    pub fn class_of(&self, error: &str) -> RejectionClass {
        let found = self.errors.iter().find(|(part, _)| error.contains(part));
        found.map_or(RejectionClass::Expected, |(_, class)| *class)
    }

    pub fn template(&self, kind: Kind) -> Option<&'static str> {
        self.literals.iter().find(|(k, _)| *k == kind).map(|(_, template)| *template)
    }
}

const fn function(name: &'static str, params: &'static [Param], result: Kind) -> GraphFunction {
    GraphFunction { name, params, result }
}

const TEXT: &[Param] = &[Param::Of(Kind::Text)];
const FLOAT: &[Param] = &[Param::Of(Kind::Float)];
const TEXT_AND_LENGTH: &[Param] = &[Param::Of(Kind::Text), Param::SmallInt];

/// What openCypher's own documents list.
pub const OPENCYPHER_FUNCTIONS: &[GraphFunction] = &[
    function("toBoolean", TEXT, Kind::Bool),
    function("toInteger", TEXT, Kind::Int),
    function("toInteger", FLOAT, Kind::Int),
    function("toFloat", TEXT, Kind::Float),
    function("toFloat", &[Param::Of(Kind::Int)], Kind::Float),
    function("toString", &[Param::Of(Kind::Int)], Kind::Text),
    function("toString", &[Param::Of(Kind::Bool)], Kind::Text),
    function("abs", &[Param::Of(Kind::Int)], Kind::Int),
    function("abs", FLOAT, Kind::Float),
    function("sign", &[Param::Number], Kind::Int),
    function("left", TEXT_AND_LENGTH, Kind::Text),
    function("right", TEXT_AND_LENGTH, Kind::Text),
    function("lTrim", TEXT, Kind::Text),
    function("rTrim", TEXT, Kind::Text),
    function("trim", TEXT, Kind::Text),
    function("toLower", TEXT, Kind::Text),
    function("toUpper", TEXT, Kind::Text),
    function("reverse", TEXT, Kind::Text),
    function("replace", &[Param::Of(Kind::Text), Param::Of(Kind::Text), Param::Of(Kind::Text)], Kind::Text),
    function("substring", TEXT_AND_LENGTH, Kind::Text),
    function("substring", &[Param::Of(Kind::Text), Param::SmallInt, Param::SmallInt], Kind::Text),
    function("size", TEXT, Kind::Int),
    function("size", &[Param::Of(Kind::List)], Kind::Int),
    function("ceil", FLOAT, Kind::Float),
    function("floor", FLOAT, Kind::Float),
    function("round", FLOAT, Kind::Float),
    function("sqrt", FLOAT, Kind::Float),
];

/// openCypher as most engines have it, with no index, no schema and no temporal or spatial kind. A driver adds these.
pub const OPENCYPHER: GraphDialect = GraphDialect {
    name: "opencypher",
    form: Form::Cypher,
    has_null: true,
    kinds: &[Kind::Int, Kind::Float, Kind::Text, Kind::Bool, Kind::List],
    mixed: Mixed::Any,
    literals: &[],
    nan: Some("(0.0 / 0.0)"),
    infinity: Some("(1.0 / 0.0)"),
    negative_infinity: Some("(-1.0 / 0.0)"),
    negative_zero: true,
    int_limit: i64::MAX,
    functions: OPENCYPHER_FUNCTIONS,
    features: &[
        Feature::OptionalMatch,
        Feature::With,
        Feature::Unwind,
        Feature::Xor,
        Feature::Regex,
        Feature::Case,
        Feature::In,
        Feature::ListPredicate,
        Feature::TextPredicate,
        Feature::CallSubquery,
        Feature::ExistsSubquery,
        Feature::PatternPredicate,
        Feature::CountSubquery,
        Feature::VariableLength,
        Feature::Undirected,
        Feature::TypeAlternatives,
        Feature::LabelPredicate,
        Feature::SeveralLabels,
        Feature::SelfLoop,
        Feature::Merge,
        Feature::CreateGraph,
        Feature::Remove,
        Feature::SetLabel,
        Feature::DetachDelete,
        Feature::Distinct,
        Feature::OrderBy,
        Feature::CountDistinct,
        Feature::IntegerDivision,
        Feature::Power,
        Feature::Concat,
        Feature::PropertyComparison,
        Feature::Union,
        Feature::PropertiesFunction,
    ],
    known_wrong: &[],
    indexes: &[],
    await_indexes: &[],
    schema: SchemaRule::Free,
    int_equals_float: true,
    mixed_order: MixedOrder::Null,
    trails: true,
    relationships_by_use: false,
    lengths: &[(1, 2), (2, 2), (1, 3)],
    identity: "id({})",
    anonymous: "__.",
    errors: &[],
    knobs: &[],
    self_test: GraphSelfTest {
        statements: &["CREATE (:A {x: 1})-[:E {w: 2}]->(:B {y: 'b'}), (:A {x: 2})"],
        question: "MATCH (a:A) OPTIONAL MATCH (a)-[e:E]->(b:B) RETURN a.x, e.w, b.y",
        answer: r#"[[1, 2, "b"], [2, null, null]]"#,
    },
};

/// Gremlin as TinkerPop has it. Its questions end in steps that give maps or values, see docs/gdbmeter.md.
pub const GREMLIN: GraphDialect = GraphDialect {
    name: "gremlin",
    form: Form::Gremlin,
    has_null: false,
    kinds: &[Kind::Int, Kind::Float, Kind::Text, Kind::Bool],
    mixed: Mixed::Numbers,
    literals: &[],
    nan: Some("Double.NaN"),
    infinity: Some("Double.POSITIVE_INFINITY"),
    negative_infinity: Some("Double.NEGATIVE_INFINITY"),
    negative_zero: true,
    int_limit: i32::MAX as i64,
    functions: &[],
    features: &[
        Feature::In,
        Feature::TextPredicate,
        Feature::PatternPredicate,
        Feature::CountSubquery,
        Feature::LabelPredicate,
        Feature::VariableLength,
        Feature::Undirected,
        Feature::TypeAlternatives,
        Feature::SelfLoop,
        Feature::CreateGraph,
        Feature::Remove,
        Feature::DetachDelete,
        Feature::Distinct,
        Feature::OrderBy,
        Feature::Select,
        Feature::PredicateNot,
        Feature::Ranges,
        Feature::NotStep,
        Feature::NestedFilters,
    ],
    known_wrong: &[],
    indexes: &[],
    await_indexes: &[],
    schema: SchemaRule::Free,
    int_equals_float: true,
    mixed_order: MixedOrder::Error,
    trails: false,
    relationships_by_use: false,
    lengths: &[(1, 2), (2, 2), (1, 3)],
    identity: "id({})",
    anonymous: "__.",
    errors: &[],
    knobs: &[],
    self_test: GraphSelfTest {
        statements: &["g.addV('A').property('x',1).as('a').addV('B').property('y',3).addE('E').from('a')"],
        question: "g.V().hasLabel('A').out('E').values('y')",
        answer: "[[3]]",
    },
};
