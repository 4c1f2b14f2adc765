//! Plain data that says what an engine's language can do. A file says it (`dialects/`, docs/dialects.md); generators
//! read it. Neither side sees the other: a new engine is a new file, never a new generator.

mod catalogue;
mod kinds;
mod modules;
mod semantics;

use crate::session::RejectionClass;
pub use catalogue::{Catalogue, Catalogued, MOST_CATALOGUED, kind_name, param_name};
pub use kinds::{KindSpec, ORDINARY, Operator, Special, same_type};
pub use modules::{Given, Held, Module, SearchSyntax, SelfTest, Shown};
pub use semantics::{Semantics, Typed};
use serde::{Deserialize, Serialize};

/// The kinds of values a generator reasons about. An engine's own type names map onto them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    #[serde(alias = "int")]
    Int,
    #[serde(alias = "real")]
    Real,
    #[serde(alias = "text")]
    Text,
    #[serde(alias = "blob")]
    Blob,
    #[serde(alias = "bool")]
    Bool,
    /// Values of any kind side by side (SQLite's columns without a type).
    #[serde(alias = "any")]
    Any,
    /// One of the kinds that the dialect lists beside these, by its name.
    #[serde(untagged)]
    Special(Special),
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeSpec {
    /// As written in DDL; empty for a column without a type. Of each kind the first one is the plain one: it is the
    /// type of a generated column and of what a test needs.
    pub name: &'static str,
    pub kind: Kind,
    pub affinity: Affinity,
    /// May stand in a table with enforced types (SQLite's STRICT).
    pub strict: bool,
}

/// Functions that a dialect may list: what is learned of each has a bit.
pub const MOST_FUNCTIONS: usize = 256;

/// A deterministic built-in function. Those that take or give special kinds stand behind the others in a dialect.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// One of these texts, as a literal: the unit of a date function, the modifiers of one, a path.
    Word(&'static [&'static str]),
}

/// Parts of SQL that not every engine or release has. Each has a probe in the dialect: a few statements that work only
/// where the feature exists. What claims rest on is tried as well (`lang/sql/meaning.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Feature {
    /// SQLite's WITHOUT ROWID.
    WithoutRowid,
    /// SQLite's STRICT: a table enforces its types.
    Strict,
    /// Generated columns, virtual and stored.
    GeneratedColumn,
    /// CREATE INDEX with WHERE.
    PartialIndex,
    /// CREATE INDEX on an expression.
    ExpressionIndex,
    /// RIGHT JOIN.
    RightJoin,
    /// FULL JOIN on an equality of two columns.
    FullJoin,
    /// NATURAL joins.
    NaturalJoin,
    /// Window functions.
    Window,
    /// Window functions with the frames that the spelling lists.
    WindowFrame,
    /// Aggregates with FILTER.
    Filter,
    /// Row values in comparisons and IN.
    RowValue,
    /// WITH.
    Cte,
    /// WITH RECURSIVE.
    RecursiveCte,
    /// WITH … AS MATERIALIZED and NOT MATERIALIZED.
    MaterializedHint,
    /// IS TRUE, IS NOT FALSE and the like.
    IsTruth,
    /// IS DISTINCT FROM.
    IsDistinctFrom,
    /// ORDER BY … NULLS FIRST and LAST.
    NullsOrder,
    /// SQLite's GLOB.
    Glob,
    /// `->` and `->>` on JSON in a text.
    JsonArrow,
    /// SQLite's INDEXED BY and NOT INDEXED.
    IndexedBy,
    /// VALUES as a table in FROM.
    Values,
    /// ALTER TABLE … RENAME COLUMN.
    AlterRename,
    /// ALTER TABLE … ADD COLUMN with a DEFAULT.
    AlterAddColumn,
    /// ALTER TABLE … DROP COLUMN.
    AlterDropColumn,
    /// ANALYZE in the form that `maintenance` lists.
    Analyze,
    /// VACUUM, likewise.
    Vacuum,
    /// REINDEX, likewise.
    Reindex,
    /// `x IN t`, a table of one column.
    InTable,
    /// SQLite's rowid.
    Rowid,
    /// COLLATE with the collations of the dialect.
    Collate,
    /// `&`, `|`, `<<`, `>>`, `~` on integers, giving integers.
    BitOperators,
    /// `/` and `%` that give NULL or a number for a divisor of zero, never an error.
    Division,
    /// `%` by a literal that is not zero, on integers.
    Modulo,
    /// A subquery may refer to the query around it.
    Correlated,
    /// `LIKE … ESCAPE '!'`.
    LikeEscape,
    /// INTERSECT and EXCEPT beside UNION.
    IntersectExcept,
    /// `INSERT … SELECT`, UPDATE and DELETE as one statement whose effect is there when it returns.
    Dml,
    /// CHECK constraints.
    Check,
    /// UNIQUE and PRIMARY KEY are kept by the engine.
    Unique,
    /// A column that is NOT NULL holds no NULL, whether one is refused or becomes another value.
    NotNull,
    /// CREATE VIEW.
    View,
    /// CREATE INDEX with DESC terms.
    DescendingIndex,
    /// `CREATE INDEX` on columns at all.
    Index,
    /// FULL JOIN on any condition, not only on an equality of two columns.
    FullJoinAny,
    /// Statistics can be written into a table of the engine's (SQLite's sqlite_stat1).
    StatTable,
    /// ORDER BY and LIMIT behind a compound are of the whole compound.
    CompoundOrder,
    /// Restriction: FROM names one table, because joins are accepted in few forms or have semantics of their own.
    LoneTables,
    /// Restriction: LEFT, RIGHT and FULL JOIN are on an equality of both sides (beside other conditions), on the side
    /// that may have no row alone, or on a constant.
    OuterJoinEqual,
    /// Restriction: UNION ALL is the only compound.
    OnlyUnionAll,
    /// Quirk: SUM, MIN and MAX of no rows are 0 or an empty text, not NULL.
    EmptyIsZero,
    /// Quirk: an alias in a select list hides the columns of its name, also where their table is written with
    /// them.
    AliasHides,
    /// A subquery tied to the query around it by an equality, at the top of WHERE: what optimisers make semi and anti
    /// joins of. Listed where they do.
    SemiJoin,
    /// `UPDATE … RETURNING` and `DELETE … RETURNING` give the rows that were changed.
    Returning,
    /// Columns of PRIMARY KEY and UNIQUE behind a table's columns with COLLATE and DESC.
    KeyTerms,
    /// Triggers for each row, before and after a change of a table.
    Trigger,
    /// Triggers with WHEN, and those of an UPDATE OF some columns.
    TriggerWhen,
    /// Triggers in place of a change of a view.
    InsteadOf,
    /// Foreign keys with actions that are kept once `foreign_keys_on` was said.
    ForeignKey,
    /// `INSERT … ON CONFLICT` with DO NOTHING and DO UPDATE.
    Upsert,
    /// `INSERT … RETURNING *`.
    InsertReturning,
    /// BEGIN, SAVEPOINT, ROLLBACK TO, ROLLBACK and COMMIT around changes of rows, which are taken back with them.
    Transaction,
    /// A key that never takes a number again.
    Autoincrement,
    /// SQLite's R-Tree.
    Rtree,
    /// SQLite's FTS3 and FTS4.
    Fts4,
    /// SQLite's FTS5.
    Fts5,
    /// A database in a file, by the words of `on_disk`.
    OnDisk,
    /// The tables of `given`: functions in FROM, over literals.
    TableFunction,
    /// GROUP BY ROLLUP(…), in which a key that is left out is NULL.
    Rollup,
    /// Restriction: a virtual generated column is in no index and no key.
    StoredKeys,
    /// GROUP BY CUBE(…), likewise.
    Cube,
    /// GROUP BY GROUPING SETS (…), likewise.
    GroupingSets,
    /// ORDER BY behind a GROUP BY of several lists of keys.
    RollupOrder,
    /// A subquery in FROM that refers to what stands before it: LATERAL.
    Lateral,
    /// MERGE of given rows, beside `INSERT … ON CONFLICT`.
    Merge,
}

/// How a dialect writes what the others write differently. The tree knows only the meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spelling {
    /// Equal, or both NULL; and the opposite.
    pub null_safe: NullSafe,
    /// `a || b`, or `concat(a, b)`.
    pub concat: Concat,
    /// Before and after the digits of a floating-point literal: they must not be read as an exact decimal.
    pub real: (&'static str, &'static str),
    /// The literals for infinity and minus infinity; empty where there is none.
    pub infinity: (&'static str, &'static str),
    /// Before and after the hexadecimal digits of a blob.
    pub blob: (&'static str, &'static str),
    /// A backslash in a text literal is an escape: it is doubled.
    pub backslash_escapes: bool,
    /// What `INSERT OR IGNORE` is: the words before the table, and what follows the rows. Empty: a plain INSERT.
    pub insert_ignore: (&'static str, &'static str),
    /// What `REPLACE` is, in the same way; empty words where there is no such thing.
    pub insert_replace: (&'static str, &'static str),
    /// What `UPDATE OR IGNORE` is; `UPDATE` where there is no such thing.
    pub update_ignore: &'static str,
    /// What `UPDATE OR REPLACE` is; `UPDATE` where there is no such thing.
    pub update_replace: &'static str,
    /// Put behind `CREATE TABLE t (…)`.
    pub table_suffix: &'static str,
    /// Other things that may stand there instead; `{column}` is the name of a column of the table.
    pub table_variants: &'static [&'static str],
    /// One of these is put behind `CREATE INDEX i ON t (…)`; nothing where the list is empty.
    pub index_variants: &'static [&'static str],
    /// Put around the type of a column that may be NULL; nothing where every column may unless it says otherwise.
    pub nullable: (&'static str, &'static str),
    /// A function put around what a window function takes from another row (`lag`, `first_value` …), where a row that
    /// is not there would be a default value of its type and not NULL; empty where there is no such thing.
    pub other_row: &'static str,
    /// A function put around counts and ranks, where they are of an unsigned type that has none in common with
    /// integers; empty where there is no such thing.
    pub counted: &'static str,
    /// Before the expression of a generated column.
    pub generated: &'static str,
    /// `DROP INDEX i ON t`.
    pub drop_index_names_table: bool,
    /// CAST target types, by kind.
    pub casts: &'static [(Kind, &'static str)],
    /// JOIN binds more tightly than the comma in FROM, as the standard has it: where both meet, the comma is written
    /// CROSS JOIN so that the text means the tree.
    pub comma_binds_weakly: bool,
    /// A table that has an alias can be named by its own name as well, so that `t.c` in a subquery over `t AS a` is not
    /// the `t` of the query around it.
    pub aliased_keeps_name: bool,
    /// Columns of a select list must have different names: those without one get one.
    pub unique_names: bool,
    /// What stands in place of FROM in a SELECT of no table: a table of one row, where there has to be one.
    pub from_nothing: &'static str,
    /// Frames of window functions that count rows, for orders that have no ties.
    pub row_frames: &'static [&'static str],
    /// Frames that keep rows of equal rank together, for any order.
    pub peer_frames: &'static [&'static str],
    /// Frames that reach as far as values do, for an order by one number.
    pub value_frames: &'static [&'static str],
    /// `OFFSET m ROWS FETCH NEXT n ROWS ONLY`, as the standard has it, in place of `LIMIT n OFFSET m`.
    pub fetch_first: bool,
    /// The names of the columns of VALUES; `{}` stands for their number, from 1.
    pub values_columns: &'static str,
    /// How a prepared statement is written, and its values.
    pub binding: Binding,
    /// Statements that make a prepared statement be planned once for all values, each with what takes it back.
    pub generic_plans: &'static [(&'static str, &'static str)],
    /// What stands around several INSERTs of one row each, for want of VALUES with several rows; empty where there are.
    pub insert_block: (&'static str, &'static str),
    /// `ALTER TABLE t UPDATE …` and `ALTER TABLE t DELETE …`, always with a WHERE.
    pub mutations_by_alter: bool,
    /// Before and after the statements of a trigger; with nothing after them there is only one.
    pub trigger_body: (&'static str, &'static str),
    /// `GROUP BY a, b WITH ROLLUP`, in place of `GROUP BY ROLLUP(a, b)`.
    pub with_rollup: bool,
}

impl Spelling {
    /// The name of a column of VALUES, from 1.
    pub fn values_column(&self, number: usize) -> String {
        self.values_columns.replace("{}", &number.to_string())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NullSafe {
    /// `a IS b`, `a IS NOT b`.
    Is,
    /// `a IS NOT DISTINCT FROM b`, `a IS DISTINCT FROM b`.
    Distinct,
    /// `a <=> b`, `NOT (a <=> b)`.
    Spaceship,
    /// `ifNull(a = b, a IS NULL AND b IS NULL)`, for want of an operator.
    IfNull,
}

/// How a script binds values to the parameters of a statement, as the engine's own client takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    None,
    /// `.parameter set @p0 1`, a command of the sqlite3 shell, and `@p0` in the statement.
    Shell,
    /// `PREPARE q AS … $1` and `EXECUTE q(1)`, with the types of parameters or without.
    Numbered {
        typed: bool,
    },
    /// `SET @p0 = 1`, `PREPARE q FROM '… ?'` and `EXECUTE q USING @p0`.
    Variables,
    /// `SET param_p0 = '1'` and `{p0:Int64}` in the statement.
    Braces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concat {
    Operator,
    Function,
}

#[derive(Debug, PartialEq)]
pub struct Dialect {
    pub name: &'static str,
    /// What a driver says to every fresh session and a person's shell must run before a script, so that both answer
    /// alike and as standard SQL has it.
    pub preamble: &'static [&'static str],
    /// Put around names that are not plain.
    pub quote: char,
    /// Values of another type may be stored in and compared with any column. Otherwise the generator keeps strictly to
    /// kinds: only values of one kind meet.
    pub dynamic_typing: bool,
    /// A truth value is a number: `WHERE c0` and `c0 = (a < b)` are fine for any expression. Otherwise predicates are
    /// of kind `Bool` and nothing else is.
    pub numeric_truth: bool,
    /// Texts that are equal need not be the same: `'a' = 'a '` or `'a' = 'A'` is true without COLLATE.
    pub loose_texts: bool,
    /// JSON functions tell JSON that another has made from the same text, a mark that a column or a subquery may lose.
    pub marked_json: bool,
    pub types: &'static [TypeSpec],
    /// Kinds of values beside the basic ones.
    pub kinds: &'static [KindSpec],
    /// The first one compares bytes and is the default.
    pub collations: &'static [&'static str],
    pub functions: &'static [FunctionSpec],
    /// More of them, and aggregates, as the engine's own catalogue names them.
    pub catalogue: Option<&'static Catalogue>,
    /// Feature and the statements that must work for it to count as there. Run in one fresh database, in order.
    pub features: &'static [(Feature, &'static [&'static str])],
    /// Settings that may be flipped between statements without changing any answer.
    pub settings: &'static [&'static str],
    /// Statements that change no answer: ANALYZE and the like. `{table}` stands for the name of a table.
    pub maintenance: &'static [&'static str],
    /// The same for a database that holds nothing yet: how it is stored.
    pub layouts: &'static [&'static str],
    /// Tables that are there without being made.
    pub given: &'static [Given],
    /// What puts a database into a new file, and what closes it and opens it again.
    pub on_disk: (&'static str, &'static str),
    /// What makes the engine keep foreign keys; nothing where it does so by itself.
    pub foreign_keys_on: &'static str,
    /// Modules of virtual tables.
    pub modules: &'static [Module],
    /// Functions that give JSON whatever their arguments are.
    pub json_makers: &'static [&'static str],
    /// Integers of this size and less are stored and written; others would overflow in a product or a sum somewhere.
    pub int_limit: i64,
    /// Parts of error messages and the class that they mean, for errors that come without one. The first that fits
    /// counts; anything else is expected.
    pub errors: &'static [(&'static str, RejectionClass)],
    pub spelling: Spelling,
    pub self_test: SelfTest,
    /// What its operators and functions compute; nothing where our evaluator does not know.
    pub semantics: Option<Semantics>,
}

impl FunctionSpec {
    /// Takes or gives a kind that is none of the basic ones.
    pub fn is_special(&self) -> bool {
        self.result.is_special() || self.params.iter().any(|p| matches!(p, Param::Of(kind) if kind.is_special()))
    }
}

impl Dialect {
    /// The class of an error that came without one.
    pub fn class_of(&self, error: &str) -> RejectionClass {
        let known = self.errors.iter().find(|(part, _)| error.contains(part));
        known.map_or(RejectionClass::Expected, |(_, class)| *class)
    }

    /// The type in CAST for a kind.
    pub fn cast(&self, kind: Kind) -> Option<&'static str> {
        let written = self.spelling.casts.iter().find(|(k, _)| *k == kind).map(|(_, name)| *name);
        written.or_else(|| self.special(kind).map(|k| k.cast).filter(|name| !name.is_empty()))
    }

    /// The plain column type of a kind.
    pub fn plain_type(&self, kind: Kind) -> Option<&'static TypeSpec> {
        self.types.iter().find(|t| t.kind == kind)
    }

    /// The functions of the engine's catalogue.
    pub fn catalogued(&self) -> &'static Catalogued {
        self.catalogue.map_or_else(Catalogued::nothing, Catalogue::functions)
    }

    /// The functions that are listed by hand, and those of the engine's catalogue.
    pub fn every_function(&self) -> impl Iterator<Item = &'static FunctionSpec> + Clone {
        self.functions.iter().chain(&self.catalogued().scalars)
    }

    /// The aggregates of the engine's catalogue that have this name.
    pub fn aggregates_named(&self, name: &str) -> impl Iterator<Item = &'static FunctionSpec> {
        self.catalogued().aggregates.iter().filter(move |f| f.name.eq_ignore_ascii_case(name))
    }

    /// The table that is there without being made, by its text.
    pub fn given(&self, text: &str) -> Option<&'static Given> {
        // No name that a statement makes has a bracket in it.
        if !text.ends_with(')') { None } else { self.given.iter().find(|g| g.text == text) }
    }

    pub fn lists(&self, feature: Feature) -> bool {
        self.features.iter().any(|(f, _)| *f == feature)
    }
}

/// What a dialect file says without a key: it lists nothing, and writes everything as the standard has it. Every file
/// begins here in the end, so that a new field is one edit.
pub const EMPTY: Dialect = Dialect {
    name: "empty",
    preamble: &[],
    quote: '"',
    dynamic_typing: false,
    numeric_truth: false,
    loose_texts: false,
    marked_json: false,
    types: &[],
    kinds: &[],
    collations: &[],
    functions: &[],
    catalogue: None,
    features: &[],
    settings: &[],
    maintenance: &[],
    layouts: &[],
    given: &[],
    on_disk: ("", ""),
    foreign_keys_on: "",
    modules: &[],
    json_makers: &[],
    int_limit: 1_000,
    errors: &[],
    spelling: STANDARD_SPELLING,
    self_test: SelfTest { statements: &[], question: "", answer: "[]" },
    semantics: None,
};

/// The same for how things are written.
pub const STANDARD_SPELLING: Spelling = Spelling {
    null_safe: NullSafe::Distinct,
    concat: Concat::Operator,
    real: ("", ""),
    infinity: ("", ""),
    blob: ("x'", "'"),
    backslash_escapes: false,
    insert_ignore: ("", ""),
    insert_replace: ("", ""),
    update_ignore: "UPDATE",
    update_replace: "UPDATE",
    table_suffix: "",
    table_variants: &[],
    index_variants: &[],
    nullable: ("", ""),
    other_row: "",
    counted: "",
    generated: "GENERATED ALWAYS AS",
    drop_index_names_table: false,
    casts: &[],
    comma_binds_weakly: true,
    aliased_keeps_name: false,
    unique_names: false,
    from_nothing: "",
    row_frames: &[
        "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
        "ROWS UNBOUNDED PRECEDING",
        "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
        "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    ],
    peer_frames: &[
        "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        "GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
        "GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING",
        "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE GROUP",
        "GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING",
        "GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
        "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES",
        "GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
    ],
    value_frames: &[
        "RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
        "RANGE BETWEEN 2 PRECEDING AND CURRENT ROW",
        "RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
        "RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
        "RANGE BETWEEN 3 PRECEDING AND 1 PRECEDING",
    ],
    fetch_first: false,
    values_columns: "column{}",
    binding: Binding::None,
    generic_plans: &[],
    insert_block: ("", ""),
    mutations_by_alter: false,
    trigger_body: (" BEGIN ", "; END"),
    with_rollup: false,
};
