//! Plain data that says what an engine's language can do. A driver fills one of these in; generators read it. Neither
//! side sees the other: a new engine is a new table here, never a new generator.

use serde::{Deserialize, Serialize};

/// The kinds of values a generator reasons about. An engine's own type names map onto them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    Int,
    Real,
    Text,
    Blob,
    Bool,
    /// Values of any kind side by side (SQLite's columns without a type).
    Any,
}

/// What a column does to values on their way in and in comparisons (SQLite's datatype3). Engines with strict types have
/// `None` throughout: their columns hold what they declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Affinity {
    None,
    Blob,
    Text,
    Numeric,
    Integer,
    Real,
}

#[derive(Clone, Copy, Debug)]
pub struct TypeSpec {
    /// As written in DDL; empty for a column without a type.
    pub name: &'static str,
    pub kind: Kind,
    pub affinity: Affinity,
    /// May stand in a table with enforced types (SQLite's STRICT).
    pub strict: bool,
}

/// A deterministic built-in function.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSpec {
    pub name: &'static str,
    pub params: &'static [Param],
    pub result: Kind,
}

/// What a function wants as an argument. The narrow ones keep a generator away from errors and giant results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param {
    Of(Kind),
    /// Two or more arguments of one kind, which is also the kind of the result.
    Same,
    /// A literal integer of at most two digits (substr positions, rounding).
    SmallInt,
    /// A literal: a well-formed JSON text.
    Json,
    /// A literal: a path into a JSON text.
    JsonPath,
    /// A literal: a printf format with one conversion.
    Format,
    /// A literal that reads as a date.
    Date,
    /// A literal between 0.0 and 1.0.
    Probability,
    /// A literal pattern for LIKE or GLOB.
    Pattern,
}

/// Parts of SQL that not every engine or release has. Each has a probe in the dialect: a few statements that work only
/// where the feature exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Feature {
    WithoutRowid,
    Strict,
    GeneratedColumn,
    PartialIndex,
    ExpressionIndex,
    RightJoin,
    FullJoin,
    NaturalJoin,
    Window,
    WindowFrame,
    Filter,
    RowValue,
    Cte,
    RecursiveCte,
    MaterializedHint,
    IsTruth,
    IsDistinctFrom,
    NullsOrder,
    Glob,
    JsonArrow,
    IndexedBy,
    Values,
    AlterRename,
    AlterAddColumn,
    AlterDropColumn,
    Analyze,
    Vacuum,
    Reindex,
    InTable,
    Rowid,
    Collate,
}

pub struct Dialect {
    pub name: &'static str,
    /// Put around names that are not plain.
    pub quote: char,
    /// Values of another type may be stored in and compared with any column.
    pub dynamic_typing: bool,
    /// A truth value is a number: `WHERE c0` and `c0 = (a < b)` are fine for any expression.
    pub numeric_truth: bool,
    pub types: &'static [TypeSpec],
    /// The first one compares bytes and is the default.
    pub collations: &'static [&'static str],
    pub functions: &'static [FunctionSpec],
    /// Feature and the statements that must work for it to count as there. Run in one fresh database, in order.
    pub features: &'static [(Feature, &'static [&'static str])],
    /// Settings that may be flipped between statements without changing any answer.
    pub settings: &'static [&'static str],
}
