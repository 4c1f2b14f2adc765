//! ClickHouse's SQL as data: what the generator may use, the settings that make it standard, and how to find out
//! whether a release has it.
//!
//! Left out on purpose: `&`, `|` (functions only), `/` (a float, infinite for zero), infinity and NaN (`nan = nan` is
//! false but DISTINCT and joins merge them), functions that round (they make -0.0, which `=` calls equal to 0.0 and
//! GROUP BY does not), functions that give UInt64 (`length`, `position`, `abs` of an integer: there is no common type
//! with Int64 for CASE, COALESCE or UNION), `substring` (position 0 is an error), row values (NULL inside them is not
//! three-valued), NATURAL JOIN and VALUES as a table.

use crate::kinds::{self, DATE, DAYS, DECIMAL, ENUM, HUGE, MONTHS, TIMESTAMP, TINY, UNSIGNED, UUID, op};
use crate::probes;
use Param::{Of, Same, Word};
use qualm_core::dialect::sql::{
    Affinity, Binding, Catalogued, Dialect, Feature, FunctionSpec, Given, Kind, KindSpec, NullSafe, ORDINARY, Param,
    STANDARD, STANDARD_SPELLING, SelfTest, Spelling, TypeSpec,
};
use std::sync::OnceLock;

/// Each of these is on both sides of every claim. Without them standard claims do not hold, or results depend on time.
const PREAMBLE: &[&str] = &[
    // Rows without a partner in an outer join have NULL, not 0 or ''.
    "SET join_use_nulls = 1",
    // SUM, MIN, MAX and AVG of nothing are NULL, not 0 or NaN; COUNT stays 0.
    "SET aggregate_functions_null_for_empty = 1",
    // CAST of NULL is NULL, not an error.
    "SET cast_keep_nullable = 1",
    // UNION, INTERSECT and EXCEPT without a word remove duplicates.
    "SET union_default_mode = 'DISTINCT'",
    "SET intersect_default_mode = 'DISTINCT'",
    "SET except_default_mode = 'DISTINCT'",
    // In `SELECT f(a) AS a … WHERE a` the second `a` is the column.
    "SET prefer_column_name_to_alias = 1",
    // Types without a common type are an error, not a Variant, whose comparisons are of another kind.
    "SET use_variant_as_common_type = 0",
    // `NULL IN (NULL)` is NULL. (`2 NOT IN (1, NULL)` is true in any case.)
    "SET transform_null_in = 0",
    // NULL for a column that takes none is an error, not a default value.
    "SET input_format_null_as_default = 0",
    "SET insert_null_as_default = 0",
    // What a statement does is done when it returns.
    "SET async_insert = 0",
    "SET mutations_sync = 2",
    "SET alter_sync = 2",
    "SET lightweight_deletes_sync = 2",
];

const NULLABLE: (&str, &str) = ("Nullable(", ")");
/// Few rows to a granule, so that keys and skip indexes have something to leave out in small tables.
const PLAIN_TABLE: &str = " ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 4";

const SPELLING: Spelling = Spelling {
    null_safe: NullSafe::Spaceship,
    blob: ("unhex('", "')"),
    backslash_escapes: true,
    aliased_keeps_name: true,
    table_suffix: PLAIN_TABLE,
    table_variants: &[
        " ENGINE = MergeTree ORDER BY {column} SETTINGS index_granularity = 2, allow_nullable_key = 1",
        " ENGINE = MergeTree PARTITION BY {column} ORDER BY tuple() SETTINGS allow_nullable_key = 1",
        " ENGINE = Memory",
    ],
    index_variants: &[" TYPE minmax GRANULARITY 1", " TYPE set(100) GRANULARITY 1", " TYPE bloom_filter GRANULARITY 1"],
    nullable: NULLABLE,
    generated: "MATERIALIZED",
    drop_index_names_table: true,
    casts: &[(Kind::Int, "Int64"), (Kind::Real, "Float64"), (Kind::Text, "String")],
    mutations_by_alter: true,
    binding: Binding::Braces,
    ..STANDARD_SPELLING
};

pub static CLICKHOUSE: Dialect = Dialect {
    name: "clickhouse",
    quote: '`',
    // WHERE takes any number, but CASE, IF and IS TRUE do not: `2 IS TRUE` is false. So truth is kept apart.
    numeric_truth: false,
    types: TYPES,
    kinds: KINDS,
    collations: &["BINARY"],
    functions: FUNCTIONS,
    catalogue: catalogued,
    preamble: PREAMBLE,
    features: FEATURES,
    settings: SETTINGS,
    maintenance: &["OPTIMIZE TABLE {table} FINAL"],
    given: GIVEN,
    // Arithmetic wraps without a word beyond 64 bits: four factors and their sums stay below.
    int_limit: 10_000,
    spelling: SPELLING,
    self_test: SelfTest {
        statements: &[
            "CREATE TABLE q0 (c0 Int64, c1 Nullable(Float64), c2 Nullable(String)) ENGINE = MergeTree ORDER BY tuple()",
            "INSERT INTO q0 VALUES (-9223372036854775808, 0.1, 'it\\'s \"\u{1F980}\" \\\\N')",
            "INSERT INTO q0 VALUES (9223372036854775807, NULL, '')",
        ],
        question: "SELECT c0, c1, c2 FROM q0 ORDER BY c0",
        answer: r#"[[-9223372036854775808, 0.1, "it's \"\ud83e\udd80\" \\N"], [9223372036854775807, null, ""]]"#,
    },
    ..STANDARD
};

/// Releases of 2018 and 2019: no EXISTS, no WITH of queries, mutations that end at some later time, and SUM, MIN and
/// MAX of nothing are 0 whatever is set. There is one JOIN to a query, on equal columns, and it takes columns of the
/// same name on both sides for one (`x.c` may be `t.c`, or lost): nothing that can be claimed.
pub static CLICKHOUSE_2018: Dialect = Dialect {
    name: "clickhouse",
    quote: '`',
    types: OLD_TYPES,
    collations: &["BINARY"],
    functions: OLD_FUNCTIONS,
    preamble: PREAMBLE,
    features: OLD_FEATURES,
    settings: &["SET max_threads = 1", "SET max_block_size = 3", "SET optimize_move_to_prewhere = 0"],
    maintenance: &["OPTIMIZE TABLE {table} FINAL"],
    int_limit: 10_000,
    spelling: Spelling {
        table_suffix: " ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 4",
        table_variants: &[" ENGINE = Memory"],
        index_variants: &[],
        null_safe: NullSafe::IfNull,
        // Without the setting that keeps NULL in CAST.
        casts: &[(Kind::Int, "Nullable(Int64)"), (Kind::Real, "Nullable(Float64)"), (Kind::Text, "Nullable(String)")],
        binding: Binding::None,
        ..SPELLING
    },
    self_test: SelfTest { ..CLICKHOUSE.self_test },
    ..STANDARD
};

/// The dialect of a release by its number.
pub fn of_release(version: &str) -> &'static Dialect {
    let major = super::release_order(version).first().copied().unwrap_or(u64::MAX);
    if major < 20 { &CLICKHOUSE_2018 } else { &CLICKHOUSE }
}

const fn column_type(name: &'static str, kind: Kind) -> TypeSpec {
    TypeSpec { name, kind, affinity: Affinity::None, strict: true }
}

const TYPES: &[TypeSpec] = &[
    column_type("Int64", Kind::Int),
    column_type("Int32", Kind::Int),
    column_type("Float64", Kind::Real),
    column_type("String", Kind::Text),
    column_type("Date", DATE),
    column_type("DateTime", TIMESTAMP),
    column_type("Decimal(18,2)", DECIMAL),
    column_type("Int8", TINY),
    column_type("UInt32", UNSIGNED),
    column_type("UInt64", HUGE),
    column_type("UUID", UUID),
    column_type(COLOURS, ENUM),
];

const COLOURS: &str = "Enum8('b' = 1, 'a' = 2, 'B' = 3, '' = 4)";

/// A date has 16 bits and wraps beyond them, so arithmetic begins well inside.
const KINDS: &[KindSpec] = &[
    KindSpec {
        literal: ("toDate('", "')"),
        cast: "Date",
        values: &["1999-12-31", "2000-01-01", "2000-02-29", "2020-02-29", "2020-03-01", "2024-12-31"],
        operators: &[
            op("-", DATE, Kind::Int),
            op("+", DAYS, DATE),
            op("-", DAYS, DATE),
            op("+", MONTHS, DATE),
            op("-", MONTHS, DATE),
        ],
        meets: &[],
        casts: &[TIMESTAMP, Kind::Text],
        ..kinds::DATE_KIND
    },
    KindSpec {
        literal: ("toDateTime('", "')"),
        cast: "DateTime",
        values: &["1999-12-31 23:59:59", "2000-02-29 12:30:00", "2020-02-29 00:00:00", "2020-02-29 00:00:01"],
        operators: &[op("+", DAYS, TIMESTAMP), op("-", DAYS, TIMESTAMP), op("+", MONTHS, TIMESTAMP)],
        casts: &[DATE, Kind::Text],
        ..kinds::TIMESTAMP_KIND
    },
    kinds::DAYS_KIND,
    kinds::MONTHS_KIND,
    KindSpec { literal: ("toDecimal64('", "', 2)"), cast: "Decimal(18,2)", ..kinds::DECIMAL_KIND },
    KindSpec { literal: ("toInt8('", "')"), cast: "Int8", ..kinds::TINY_KIND },
    KindSpec { literal: ("toUInt32('", "')"), cast: "UInt32", ..kinds::UNSIGNED_KIND },
    // There is no common type with signed integers of 64 bits.
    KindSpec { literal: ("toUInt64('", "')"), cast: "UInt64", meets: &[], ..kinds::HUGE_KIND },
    KindSpec { literal: ("toUUID('", "')"), casts: &[Kind::Text], ..kinds::UUID_KIND },
    KindSpec {
        name: "enum",
        literal: ("CAST('", "' AS Enum8('b' = 1, 'a' = 2, 'B' = 3, '' = 4))"),
        cast: COLOURS,
        values: &["b", "a", "B", ""],
        casts: &[Kind::Text],
        ..ORDINARY
    },
];

const OLD_TYPES: &[TypeSpec] = &[
    column_type("Int64", Kind::Int),
    column_type("Int32", Kind::Int),
    column_type("Float64", Kind::Real),
    column_type("String", Kind::Text),
];

fn catalogued() -> &'static Catalogued {
    static READ: OnceLock<Catalogued> = OnceLock::new();
    READ.get_or_init(|| Catalogued::read(include_str!("../../../../functions/clickhouse.tsv")))
}

const fn call(name: &'static str, params: &'static [Param], result: Kind) -> FunctionSpec {
    FunctionSpec { name, params, result }
}

const INT: Param = Of(Kind::Int);
const REAL: Param = Of(Kind::Real);
const TEXT: Param = Of(Kind::Text);

/// Deterministic, without errors for any value of the kinds described, and with a type that meets others of its kind.
const FUNCTIONS: &[FunctionSpec] = &[
    call("sign", &[INT], Kind::Int),
    call("bitAnd", &[INT, INT], Kind::Int),
    call("bitOr", &[INT, INT], Kind::Int),
    call("bitXor", &[INT, INT], Kind::Int),
    call("abs", &[REAL], Kind::Real),
    call("lower", &[TEXT], Kind::Text),
    call("upper", &[TEXT], Kind::Text),
    call("trim", &[TEXT], Kind::Text),
    call("ltrim", &[TEXT], Kind::Text),
    call("rtrim", &[TEXT], Kind::Text),
    call("reverseUTF8", &[TEXT], Kind::Text),
    call("hex", &[TEXT], Kind::Text),
    call("concat", &[TEXT, TEXT], Kind::Text),
    call("replaceAll", &[TEXT, TEXT, TEXT], Kind::Text),
    call("startsWith", &[TEXT, TEXT], Kind::Bool),
    call("endsWith", &[TEXT, TEXT], Kind::Bool),
    call("empty", &[TEXT], Kind::Bool),
    call("notEmpty", &[TEXT], Kind::Bool),
    call("toString", &[INT], Kind::Text),
    call("toInt64OrNull", &[TEXT], Kind::Int),
    call("materialize", &[INT], Kind::Int),
    call("materialize", &[REAL], Kind::Real),
    call("materialize", &[TEXT], Kind::Text),
    call("identity", &[INT], Kind::Int),
    call("identity", &[TEXT], Kind::Text),
    call("toNullable", &[INT], Kind::Int),
    call("toNullable", &[TEXT], Kind::Text),
    call("toLowCardinality", &[TEXT], Kind::Text),
    call("coalesce", &[Same, Same], Kind::Any),
    call("ifNull", &[Same, Same], Kind::Any),
    call("nullIf", &[Same, Same], Kind::Any),
    call("least", &[Same, Same], Kind::Any),
    call("greatest", &[Same, Same], Kind::Any),
    call("toYear", &[Of(DATE)], Kind::Int),
    call("toQuarter", &[Of(DATE)], Kind::Int),
    call("toMonth", &[Of(DATE)], Kind::Int),
    call("toDayOfMonth", &[Of(DATE)], Kind::Int),
    call("toDayOfWeek", &[Of(DATE)], Kind::Int),
    call("toDayOfYear", &[Of(DATE)], Kind::Int),
    call("toYYYYMM", &[Of(DATE)], Kind::Int),
    call("toRelativeDayNum", &[Of(DATE)], Kind::Int),
    call("toStartOfMonth", &[Of(DATE)], DATE),
    call("toStartOfYear", &[Of(DATE)], DATE),
    call("toMonday", &[Of(DATE)], DATE),
    call("toLastDayOfMonth", &[Of(DATE)], DATE),
    call("dateDiff", &[Word(UNITS), Of(DATE), Of(DATE)], Kind::Int),
    call("formatDateTime", &[Of(DATE), Word(&["%Y-%m", "%d", "%j"])], Kind::Text),
    call("toHour", &[Of(TIMESTAMP)], Kind::Int),
    call("toYear", &[Of(TIMESTAMP)], Kind::Int),
    call("toStartOfHour", &[Of(TIMESTAMP)], TIMESTAMP),
    call("toStartOfDay", &[Of(TIMESTAMP)], TIMESTAMP),
    call("toDate", &[Of(TIMESTAMP)], DATE),
    call("dateDiff", &[Word(UNITS), Of(TIMESTAMP), Of(TIMESTAMP)], Kind::Int),
    call("formatDateTime", &[Of(TIMESTAMP), Word(&["%H:%i", "%Y"])], Kind::Text),
    call("abs", &[Of(DECIMAL)], DECIMAL),
    call("toString", &[Of(UUID)], Kind::Text),
    call("toString", &[Of(ENUM)], Kind::Text),
];

const UNITS: &[&str] = &["day", "week", "month", "quarter", "year"];

const OLD_FUNCTIONS: &[FunctionSpec] = &[
    call("bitAnd", &[INT, INT], Kind::Int),
    call("bitOr", &[INT, INT], Kind::Int),
    call("abs", &[REAL], Kind::Real),
    call("lower", &[TEXT], Kind::Text),
    call("upper", &[TEXT], Kind::Text),
    call("reverseUTF8", &[TEXT], Kind::Text),
    call("hex", &[TEXT], Kind::Text),
    call("concat", &[TEXT, TEXT], Kind::Text),
    call("startsWith", &[TEXT, TEXT], Kind::Bool),
    call("empty", &[TEXT], Kind::Bool),
    call("toString", &[INT], Kind::Text),
    call("materialize", &[INT], Kind::Int),
    call("materialize", &[TEXT], Kind::Text),
    call("coalesce", &[Same, Same], Kind::Any),
    call("ifNull", &[Same, Same], Kind::Any),
    call("nullIf", &[Same, Same], Kind::Any),
];

const P: &str = "CREATE TABLE p(a Nullable(Int64), b Int64) ENGINE = MergeTree ORDER BY tuple()";

/// A release that rejects any statement of a probe does not have the feature.
const FEATURES: &[(Feature, &[&str])] = &[
    (Feature::RightJoin, &[P, "SELECT q.a FROM p RIGHT JOIN p AS q ON p.a = q.a"]),
    (Feature::FullJoin, &[P, "SELECT q.a FROM p FULL JOIN p AS q ON p.a = q.a"]),
    (Feature::Window, &[P, "SELECT rank() OVER (PARTITION BY a ORDER BY b) FROM p"]),
    (Feature::Filter, &[P, "SELECT count(*) FILTER (WHERE a > 0) FROM p"]),
    probes::CTE,
    (
        Feature::RecursiveCte,
        &["WITH RECURSIVE w AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM w WHERE a < 3) SELECT a FROM w"],
    ),
    (Feature::IsTruth, &["SELECT (1 < 2) IS TRUE, (2 < 1) IS NOT FALSE"]),
    (Feature::IsDistinctFrom, &["SELECT 1 <=> 2, 1 IS DISTINCT FROM 2"]),
    (Feature::NullsOrder, &[P, "SELECT a FROM p ORDER BY a NULLS FIRST"]),
    (Feature::AlterRename, &[P, "ALTER TABLE p RENAME COLUMN b TO c"]),
    (Feature::AlterAddColumn, &[P, "ALTER TABLE p ADD COLUMN c Nullable(Int64) DEFAULT 1"]),
    (Feature::AlterDropColumn, &[P, "ALTER TABLE p DROP COLUMN b"]),
    probes::MODULO,
    (Feature::Correlated, &[P, "SELECT 1 FROM p WHERE EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"]),
    probes::INTERSECT_EXCEPT,
    (
        Feature::Dml,
        &[
            P,
            "INSERT INTO p SELECT 1, 1",
            "SET mutations_sync = 2",
            "ALTER TABLE p UPDATE a = 2 WHERE 1",
            "ALTER TABLE p DELETE WHERE 1",
        ],
    ),
    (Feature::NotNull, &[P]),
    probes::VIEW,
    (Feature::Index, &[P, "CREATE INDEX i ON p (a) TYPE minmax GRANULARITY 1", "DROP INDEX i ON p"]),
    (
        Feature::TableFunction,
        &[
            "SELECT x.a FROM values('a Nullable(Int64)', (1), (NULL)) AS x",
            "SELECT x.a FROM null('a Nullable(Int64)') AS x",
        ],
    ),
];

const GIVEN: &[Given] = &[
    Given {
        text: "values('a Nullable(Int64), b Nullable(String)', (1, 'x'), (NULL, 'a'), (3, NULL), (1, ''))",
        columns: &[("a", Kind::Int), ("b", Kind::Text)],
    },
    Given { text: "null('a Nullable(Int64)')", columns: &[("a", Kind::Int)] },
];

const OLD_FEATURES: &[(Feature, &[&str])] = &[
    (Feature::LoneTables, &[]),
    (Feature::OnlyUnionAll, &[]),
    (Feature::EmptyIsZero, &[]),
    (Feature::AliasHides, &[]),
    (Feature::AlterAddColumn, &[P, "ALTER TABLE p ADD COLUMN c Nullable(Int64) DEFAULT 1"]),
    probes::MODULO,
    (Feature::NotNull, &[P]),
    probes::VIEW,
];

const SETTINGS: &[&str] = &[
    "SET optimize_read_in_order = 0",
    "SET optimize_aggregation_in_order = 1",
    "SET query_plan_enable_optimizations = 0",
    "SET query_plan_enable_optimizations = 1",
    "SET optimize_move_to_prewhere = 0",
    "SET optimize_move_to_prewhere = 1",
    "SET max_threads = 1",
    "SET max_threads = 4",
    "SET max_block_size = 3",
    "SET max_block_size = 65409",
    "SET use_skip_indexes = 0",
    "SET use_skip_indexes = 1",
    "SET join_algorithm = 'full_sorting_merge,hash'",
    "SET join_algorithm = 'grace_hash,hash'",
    "SET join_algorithm = 'partial_merge,hash'",
    "SET join_algorithm = 'default'",
    "SET query_plan_max_limit_for_lazy_materialization = 1000",
    "SET min_count_to_compile_expression = 0",
    "SET group_by_two_level_threshold = 1",
];
