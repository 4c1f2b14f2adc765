//! The one SQL tree: statements that build a state, and queries. It says what a query is, not how an engine spells it
//! (`print.rs`) nor whether it makes sense (`scope.rs`, `sound.rs`).

mod changes;
mod symbols;

use crate::user_rules::RuleRelation;
pub use changes::*;
use qualm_core::dialect::sql::{Affinity, Dialect, Kind, Special};
use qualm_core::knobs::Flip;
use serde::{Deserialize, Serialize};
pub use smol_str::SmolStr as Name;
pub use symbols::{counts, of_another_row};

// ---------------------------------------------------------------- expressions

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    Literal(Literal),
    /// A column of something in scope, with the name of what it belongs to; without one it is the column that an outer
    /// join makes of two by USING or NATURAL.
    Column {
        table: Name,
        column: Name,
    },
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    IsNull {
        expr: Box<Expr>,
        negated: bool,
    },
    IsTruth {
        expr: Box<Expr>,
        test: bool,
        negated: bool,
    },
    Between {
        expr: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
        negated: bool,
    },
    InList {
        expr: Box<Expr>,
        list: Vec<Expr>,
        negated: bool,
    },
    InQuery {
        expr: Box<Expr>,
        query: Box<Query>,
        negated: bool,
    },
    Like {
        glob: bool,
        expr: Box<Expr>,
        pattern: Box<Expr>,
        escape: Option<char>,
        negated: bool,
    },
    Case {
        operand: Option<Box<Expr>>,
        arms: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Cast {
        expr: Box<Expr>,
        type_name: Name,
    },
    Collate {
        expr: Box<Expr>,
        collation: Name,
    },
    Call {
        function: Name,
        args: Vec<Expr>,
    },
    Aggregate(Box<Aggregate>),
    Window(Box<Window>),
    Exists {
        query: Box<Query>,
        negated: bool,
    },
    /// A query of one column used as a value. The generator sees to it that at most one row comes.
    Scalar(Box<Query>),
    /// `(a, b)`: only as an operand of a comparison, IN or BETWEEN.
    Row(Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// A value of a kind that the dialect lists beside the basic ones, as the text between the words that mark it.
    Special(Special, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unary {
    Not,
    Minus,
    Plus,
    BitNot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binary {
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Is,
    IsNot,
    IsDistinctFrom,
    IsNotDistinctFrom,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Concat,
    BitAnd,
    BitOr,
    ShiftLeft,
    ShiftRight,
    /// `->` and `->>` on a JSON text.
    JsonArrow,
    JsonArrowText,
    /// A virtual table, or a column of it, and what is looked for: only where its index answers that.
    Match,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aggregate {
    pub function: Name,
    /// Empty stands for `*`.
    pub args: Vec<Expr>,
    pub distinct: bool,
    pub filter: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    pub function: Aggregate,
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<OrderItem>,
    /// The frame clause as written, from a small list of safe ones.
    pub frame: Option<Name>,
}

// ---------------------------------------------------------------- queries

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Query {
    pub with: Vec<Cte>,
    pub body: Body,
    pub order_by: Vec<OrderItem>,
    pub limit: Option<Limit>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cte {
    pub name: Name,
    pub columns: Vec<Name>,
    pub query: Query,
    pub recursive: bool,
    /// `AS MATERIALIZED` / `AS NOT MATERIALIZED`.
    pub materialized: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Body {
    Select(Box<Select>),
    Compound { op: SetOp, left: Box<Body>, right: Box<Body> },
    Values(Vec<Vec<Expr>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SetOp {
    Union,
    UnionAll,
    Intersect,
    Except,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Select {
    pub distinct: bool,
    pub items: Vec<Item>,
    pub from: Vec<Joined>,
    pub filter: Option<Expr>,
    pub group_by: Vec<Expr>,
    pub having: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub expr: Expr,
    pub alias: Option<Name>,
}

/// One member of FROM. The first one's `join`, `on` and `using` mean nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    pub join: Join,
    pub source: Source,
    pub on: Option<Expr>,
    pub using: Vec<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Join {
    Comma,
    Inner,
    Cross,
    Left,
    Right,
    Full,
    /// These join on all columns that both sides have.
    Natural,
    NaturalLeft,
    NaturalRight,
    NaturalFull,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    Table { name: Name, alias: Name, hint: Hint },
    Query { query: Box<Query>, alias: Name },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Hint {
    None,
    NotIndexed,
    IndexedBy(Name),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderItem {
    pub expr: Expr,
    pub descending: bool,
    /// `NULLS FIRST` / `NULLS LAST`.
    pub nulls_first: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    pub count: u32,
    pub offset: Option<u32>,
}

// ---------------------------------------------------------------- statements

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Statement {
    CreateTable(CreateTable),
    CreateIndex(CreateIndex),
    CreateView(CreateView),
    Insert(Insert),
    Update(Update),
    Delete {
        table: Name,
        filter: Option<Expr>,
    },
    AddColumn {
        table: Name,
        column: ColumnDef,
    },
    DropColumn {
        table: Name,
        column: Name,
    },
    RenameColumn {
        table: Name,
        from: Name,
        to: Name,
    },
    DropIndex {
        name: Name,
        /// The table it is on, for dialects that want to hear it.
        #[serde(default)]
        table: Name,
    },
    CreateTrigger(Box<CreateTrigger>),
    Transaction(Transaction),
    /// ANALYZE, REINDEX, VACUUM, a setting: text that changes no answer.
    Maintenance(Name),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CreateTable {
    pub name: Name,
    pub columns: Vec<ColumnDef>,
    /// A PRIMARY KEY over columns, when it is not written at one of them.
    pub primary_key: Vec<Name>,
    /// UNIQUE over columns.
    pub unique: Vec<Vec<Name>>,
    pub check: Option<Expr>,
    pub without_rowid: bool,
    pub strict: bool,
    /// How the table is stored, where the dialect has a choice: which of its variants, and the column it speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<(u8, Name)>,
    /// Columns of keys that are collated or sorted in a way of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_terms: Vec<KeyTerm>,
    /// A virtual table: the module, and its arguments that are no columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<(Name, Vec<Name>)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKey>,
}

/// How a column stands in a key that is written behind the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyTerm {
    /// 0 is the primary key, the others are UNIQUE in their order.
    pub key: u8,
    pub column: Name,
    pub collation: Option<Name>,
    pub descending: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnDef {
    pub name: Name,
    pub type_name: Name,
    pub kind: Kind,
    pub affinity: Affinity,
    pub collation: Option<Name>,
    pub primary_key: bool,
    /// A key that never takes a number again (SQLite's AUTOINCREMENT).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub autoincrement: bool,
    pub unique: bool,
    pub not_null: bool,
    pub default: Option<Literal>,
    pub generated: Option<Generated>,
    /// Values of this column are small numbers only, so that sums are exact in every order.
    pub summable: bool,
    /// Equal values of this column are identical: no 1 beside 1.0.
    pub exact: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generated {
    pub expr: Expr,
    pub stored: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateIndex {
    pub name: Name,
    pub table: Name,
    pub unique: bool,
    pub terms: Vec<IndexTerm>,
    pub filter: Option<Expr>,
    /// Which of the dialect's kinds of index it is, where it has several.
    #[serde(default, skip_serializing_if = "is_first")]
    pub variant: u8,
}

fn is_first(variant: &u8) -> bool {
    *variant == 0
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexTerm {
    pub expr: Expr,
    pub collation: Option<Name>,
    pub descending: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreateView {
    pub name: Name,
    pub columns: Vec<Name>,
    pub query: Query,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Insert {
    pub table: Name,
    /// `INSERT`, `INSERT OR IGNORE`, `INSERT OR REPLACE`, `REPLACE`.
    pub verb: Name,
    pub columns: Vec<Name>,
    pub rows: Vec<Vec<Expr>>,
    /// INSERT … SELECT: where the rows come from, in place of `rows`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<Query>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upsert: Vec<Upsert>,
    /// RETURNING all columns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returning: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Update {
    pub table: Name,
    /// `UPDATE`, `UPDATE OR IGNORE`, `UPDATE OR REPLACE`.
    pub verb: Name,
    pub set: Vec<(Name, Expr)>,
    pub filter: Option<Expr>,
}

// ---------------------------------------------------------------- a question and its state

/// A whole SQL case as trees: what the reducer shrinks. Script and claim are derived from it by the oracle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SqlSource {
    pub oracle: Name,
    pub state: Vec<Statement>,
    pub question: Question,
}

/// What an oracle chose to ask, before it is written out as queries. Each oracle uses the fields it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    pub query: Query,
    /// A query that a user wrote and that could not be read as a tree, asked as it is; `query` then says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The predicate that splits (tlp) or filters (norec) the query; not part of `query`.
    pub predicate: Option<Expr>,
    /// Which form of the claim, by the oracle's own names ("where", "having", "count" …).
    pub form: Name,
    /// Rewrites to apply (eet, later mutasql): rule name and the place, counted in preorder.
    pub rewrites: Vec<Rewrite>,
    /// Settings to change (config).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flips: Vec<Flip>,
}

impl Question {
    pub fn of(query: Query, form: &str) -> Question {
        let (rewrites, flips) = (Vec::new(), Vec::new());
        Question { query, text: None, predicate: None, form: form.into(), rewrites, flips }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rewrite {
    pub rule: Name,
    pub site: u32,
    /// A spare expression that some rules need (the dead branch of a CASE).
    pub extra: Option<Expr>,
    /// A rule that the user wrote, so that a case needs no file to be derived again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Box<RuleText>>,
}

/// A user's rule as text; see `rules_file.rs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleText {
    pub over: Over,
    #[serde(default, skip_serializing_if = "RuleRelation::is_same")]
    pub relation: RuleRelation,
    pub pattern: String,
    pub replacement: String,
    pub precondition: Option<(String, i64)>,
}

/// Where a rule that the user wrote may be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Where only true, false and unknown are distinguished.
    Predicate,
    /// Wherever the pattern fits.
    Expression,
    /// Members of FROM.
    Table,
}

impl Expr {
    pub fn null() -> Expr {
        Expr::Literal(Literal::Null)
    }

    pub fn int(i: i64) -> Expr {
        Expr::Literal(Literal::Int(i))
    }

    /// True or false as the dialect has it: a number or a truth value.
    pub fn truth(yes: bool, dialect: &Dialect) -> Expr {
        let literal = if dialect.numeric_truth { Literal::Int(yes.into()) } else { Literal::Bool(yes) };
        Expr::Literal(literal)
    }

    pub fn text(t: impl Into<String>) -> Expr {
        Expr::Literal(Literal::Text(t.into()))
    }

    pub fn column(table: &str, column: &str) -> Expr {
        Expr::Column { table: table.into(), column: column.into() }
    }

    pub fn negate(self) -> Expr {
        Expr::Unary(Unary::Not, Box::new(self))
    }

    pub fn is_null(self) -> Expr {
        Expr::IsNull { expr: Box::new(self), negated: false }
    }

    pub fn and(self, other: Expr) -> Expr {
        Expr::Binary(Binary::And, Box::new(self), Box::new(other))
    }

    pub fn or(self, other: Expr) -> Expr {
        Expr::Binary(Binary::Or, Box::new(self), Box::new(other))
    }

    pub fn call(function: &str, args: Vec<Expr>) -> Expr {
        Expr::Call { function: function.into(), args }
    }
}

impl Statement {
    /// Says the table only where the dialect wants to hear it, so that text and tree say the same.
    pub fn drop_index(name: Name, table: Name, dialect: &Dialect) -> Statement {
        let named = dialect.spelling.drop_index_names_table;
        Statement::DropIndex { name, table: if named { table } else { Name::default() } }
    }
}

impl Limit {
    /// Which of so many rows remain: the first one, and the one behind the last.
    pub fn range(&self, rows: usize) -> (usize, usize) {
        let from = (self.offset.unwrap_or(0) as usize).min(rows);
        (from, from.saturating_add(self.count as usize).min(rows))
    }
}

impl Query {
    pub fn of(select: Select) -> Query {
        Query { with: Vec::new(), body: Body::Select(Box::new(select)), order_by: Vec::new(), limit: None }
    }

    /// The SELECT of a query that is no compound.
    pub fn select(&self) -> Option<&Select> {
        match &self.body {
            Body::Select(s) => Some(s),
            _ => None,
        }
    }

    pub fn select_mut(&mut self) -> Option<&mut Select> {
        match &mut self.body {
            Body::Select(s) => Some(s),
            _ => None,
        }
    }
}

impl ColumnDef {
    /// A column with nothing but a name and a type, whose values promise nothing.
    pub fn plain(name: impl Into<Name>, type_name: impl Into<Name>, kind: Kind, affinity: Affinity) -> ColumnDef {
        ColumnDef {
            name: name.into(),
            type_name: type_name.into(),
            kind,
            affinity,
            collation: None,
            primary_key: false,
            autoincrement: false,
            unique: false,
            not_null: false,
            default: None,
            generated: None,
            summable: false,
            exact: false,
        }
    }
}

impl Source {
    pub fn alias(&self) -> &Name {
        match self {
            Source::Table { alias, .. } | Source::Query { alias, .. } => alias,
        }
    }
}

impl Item {
    pub fn bare(expr: Expr) -> Item {
        Item { expr, alias: None }
    }
}
