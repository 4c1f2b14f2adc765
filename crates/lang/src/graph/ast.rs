//! The tree of graph statements, patterns and typed expressions, for both Cypher and Gremlin. Plain data.
//!
//! Every node and every relationship has the integer property `k`, different for each of them in one database, so that
//! people and claims can name it. Every variable of a pattern has a name.

pub use qualm_core::comparison::Comparison;
use qualm_core::dialect::graph::Kind;
use serde::{Deserialize, Serialize};

/// The property that names a node or relationship.
pub const KEY: &str = "k";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    /// Finite; the others are `Special`, which JSON can write.
    Float(f64),
    Special(Special),
    Text(String),
    /// The plain text that a dialect's template wraps.
    Date(String),
    LocalTime(String),
    Duration(String),
    Point(f64, f64),
    List(Vec<Literal>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Special {
    Nan,
    Infinity,
    NegativeInfinity,
}

impl Literal {
    /// Nothing for NULL.
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Literal::Null => return None,
            Literal::Bool(_) => Kind::Bool,
            Literal::Int(_) => Kind::Int,
            Literal::Float(_) | Literal::Special(_) => Kind::Float,
            Literal::Text(_) => Kind::Text,
            Literal::Date(_) => Kind::Date,
            Literal::LocalTime(_) => Kind::LocalTime,
            Literal::Duration(_) => Kind::Duration,
            Literal::Point(..) => Kind::Point,
            Literal::List(_) => Kind::List,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextTest {
    StartsWith,
    EndsWith,
    Contains,
    /// The whole text matches.
    Matches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantifier {
    Any,
    All,
    None,
    Single,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    Count,
    Sum,
    Min,
    Max,
}

/// Gremlin's predicates of two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// Both bounds excluded.
    Inside,
    /// Below the first or above the second.
    Outside,
    /// The first included, the second excluded.
    Between,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expr {
    Literal(Literal),
    /// A whole node, relationship, list of relationships, or unwound value.
    Var(String),
    Property(String, String),
    Properties(String),
    /// The number that the engine gave a node or relationship.
    Identity(String),
    /// `type(r)`.
    TypeOf(String),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Xor(Box<Expr>, Box<Expr>),
    IsNull(Box<Expr>),
    IsNotNull(Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    Concat(Box<Expr>, Box<Expr>),
    Test(TextTest, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Vec<Expr>),
    Between(Range, Box<Expr>, Box<Expr>, Box<Expr>),
    /// A property is there and its predicate does not hold: Gremlin's `P.not`, `without` and the like.
    PredicateNot(Box<Expr>),
    /// Two predicates of one property as one: Gremlin's `gt(1).and(lt(5))`.
    PredicateAnd(Box<Expr>, Box<Expr>),
    PredicateOr(Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
    Case(Vec<(Expr, Expr)>, Box<Expr>),
    Quantified(Quantifier, String, Box<Expr>, Box<Expr>),
    HasLabel(String, String),
    /// There is such a path; its first variable is bound outside, the others are not named.
    Exists(Box<Path>),
    /// How many such paths there are.
    PathCount(Box<Path>),
    /// Of everything (`count(*)`) where there is no argument.
    Aggregate(Fold, bool, Option<Box<Expr>>),
}

/// The members of an expression, to be read or, with `mut`, to be changed.
macro_rules! children {
    ($expr:expr, $iter:ident $(, $mut:tt)?) => {
        match $expr {
            Expr::Not(a) | Expr::IsNull(a) | Expr::IsNotNull(a) | Expr::PredicateNot(a) => vec![&$($mut)? **a],
            Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Xor(a, b)
            | Expr::Compare(_, a, b)
            | Expr::Arithmetic(_, a, b)
            | Expr::Concat(a, b)
            | Expr::Test(_, a, b)
            | Expr::PredicateAnd(a, b)
            | Expr::PredicateOr(a, b)
            | Expr::Quantified(_, _, a, b) => vec![&$($mut)? **a, &$($mut)? **b],
            Expr::In(a, list) => std::iter::once(&$($mut)? **a).chain(list).collect(),
            Expr::Between(_, a, b, c) => vec![&$($mut)? **a, &$($mut)? **b, &$($mut)? **c],
            Expr::Call(_, args) => args.$iter().collect(),
            Expr::Case(arms, otherwise) => {
                let arms = arms.$iter().flat_map(|(when, then)| [when, then]);
                arms.chain(std::iter::once(&$($mut)? **otherwise)).collect()
            }
            Expr::Aggregate(_, _, of) => of.$iter().map(|e| &$($mut)? **e).collect(),
            Expr::Literal(_) | Expr::Var(_) | Expr::Property(..) | Expr::Properties(_) => Vec::new(),
            Expr::Identity(_) | Expr::TypeOf(_) | Expr::HasLabel(..) => Vec::new(),
            Expr::Exists(_) | Expr::PathCount(_) => Vec::new(),
        }
    };
}

impl Expr {
    pub fn int(i: i64) -> Expr {
        Expr::Literal(Literal::Int(i))
    }

    pub fn text(t: &str) -> Expr {
        Expr::Literal(Literal::Text(t.into()))
    }

    pub fn truth(b: bool) -> Expr {
        Expr::Literal(Literal::Bool(b))
    }

    pub fn property(var: &str, name: &str) -> Expr {
        Expr::Property(var.into(), name.into())
    }

    pub fn negated(e: Expr) -> Expr {
        Expr::Not(Box::new(e))
    }

    pub fn and(a: Expr, b: Expr) -> Expr {
        Expr::And(Box::new(a), Box::new(b))
    }

    pub fn or(a: Expr, b: Expr) -> Expr {
        Expr::Or(Box::new(a), Box::new(b))
    }

    pub fn is_null(e: Expr) -> Expr {
        Expr::IsNull(Box::new(e))
    }

    pub fn compare(how: Comparison, a: Expr, b: Expr) -> Expr {
        Expr::Compare(how, Box::new(a), Box::new(b))
    }

    /// The members, in the order they are written. Patterns have none.
    pub fn children(&self) -> Vec<&Expr> {
        children!(self, iter)
    }

    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        children!(self, iter_mut, mut)
    }

    /// The variable that this expression itself speaks of, not those of its members.
    pub fn variable(&self) -> Option<&str> {
        match self {
            Expr::Var(v)
            | Expr::Property(v, _)
            | Expr::Properties(v)
            | Expr::Identity(v)
            | Expr::TypeOf(v)
            | Expr::HasLabel(v, _) => Some(v),
            Expr::Exists(p) | Expr::PathCount(p) => Some(&p.start.var),
            Expr::Literal(_) | Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Xor(..) => None,
            Expr::PredicateNot(_) | Expr::PredicateAnd(..) | Expr::PredicateOr(..) => None,
            Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::Compare(..) | Expr::Test(..) | Expr::In(..) => None,
            Expr::Between(..) | Expr::Arithmetic(..) | Expr::Concat(..) | Expr::Call(..) | Expr::Case(..) => None,
            Expr::Quantified(..) | Expr::Aggregate(..) => None,
        }
    }

    /// This expression and all inside it, parents first.
    pub fn each(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        self.children().into_iter().for_each(|c| c.each(visit));
    }

    pub fn each_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        visit(self);
        self.children_mut().into_iter().for_each(|c| c.each_mut(visit));
    }

    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|c| c.any(test))
    }

    /// How many expressions it is made of.
    pub fn size(&self) -> usize {
        1 + self.children().into_iter().map(Expr::size).sum::<usize>()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Out,
    In,
    Both,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodePattern {
    pub var: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<(String, Literal)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelPattern {
    pub var: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    pub direction: Direction,
    /// Bounds of the length; nothing: one relationship.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<(u32, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<(String, Literal)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    pub start: NodePattern,
    pub steps: Vec<(RelPattern, NodePattern)>,
}

impl Path {
    pub fn nodes(&self) -> impl Iterator<Item = &NodePattern> {
        std::iter::once(&self.start).chain(self.steps.iter().map(|(_, n)| n))
    }

    pub fn nodes_mut(&mut self) -> impl Iterator<Item = &mut NodePattern> {
        std::iter::once(&mut self.start).chain(self.steps.iter_mut().map(|(_, n)| n))
    }

    pub fn relationships(&self) -> impl Iterator<Item = &RelPattern> {
        self.steps.iter().map(|(r, _)| r)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clause {
    Match {
        #[serde(default)]
        optional: bool,
        paths: Vec<Path>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<Expr>,
    },
    /// `WITH *`, perhaps `DISTINCT`-less, with a filter.
    With {
        filter: Option<Expr>,
    },
    Unwind {
        list: Vec<Literal>,
        var: String,
    },
    /// `CALL { … RETURN all variables }`.
    Call {
        clauses: Vec<Clause>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    pub clauses: Vec<Clause>,
    #[serde(default)]
    pub distinct: bool,
    pub items: Vec<Expr>,
    /// Expression, and whether descending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order_by: Vec<(Expr, bool)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub k: i64,
    /// Whether `k` is written as a property.
    #[serde(default = "yes")]
    pub keyed: bool,
    pub labels: Vec<String>,
    pub properties: Vec<(String, Literal)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    pub k: i64,
    #[serde(default = "yes")]
    pub keyed: bool,
    pub kind: String,
    pub from: i64,
    pub to: i64,
    /// Labels of the ends, for dialects that must know where to look.
    pub from_label: String,
    pub to_label: String,
    pub properties: Vec<(String, Literal)>,
}

fn yes() -> bool {
    true
}

/// A node or relationship that exists already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Existing {
    pub k: i64,
    /// Its label or type, where it has one.
    pub class: Option<String>,
    pub is_edge: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    NodeTable {
        label: String,
        columns: Vec<(String, Kind)>,
    },
    EdgeTable {
        kind: String,
        pairs: Vec<(String, String)>,
        columns: Vec<(String, Kind)>,
    },
    /// New nodes, and edges between them.
    Create {
        nodes: Vec<Node>,
        edges: Vec<Edge>,
    },
    /// An edge between nodes that exist.
    Connect {
        edge: Edge,
    },
    /// `MERGE (n:L {k: ..}) SET ..`: finds or makes.
    Merge {
        node: Node,
    },
    Set {
        of: Existing,
        property: String,
        value: Literal,
    },
    Remove {
        of: Existing,
        property: String,
    },
    SetLabel {
        of: Existing,
        label: String,
    },
    RemoveLabel {
        of: Existing,
        label: String,
    },
    Delete {
        of: Existing,
        detach: bool,
    },
    /// `spec` names a row of the dialect's indexes.
    CreateIndex {
        spec: String,
        name: String,
        class: String,
        property: String,
    },
    DropIndex {
        spec: String,
        name: String,
        class: String,
        property: String,
    },
}
