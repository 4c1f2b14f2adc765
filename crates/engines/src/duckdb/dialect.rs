//! DuckDB's SQL as data: what the generator may use, and how to find out whether a release has it.
//!
//! Left out on purpose. `/` and `//`: NULL, infinity or an error for a divisor of zero, by release. Shifts and bit
//! operators: errors for large counts. `sign` and `bit_count`: TINYINT, which overflows in the next sum. `ceil`,
//! `round`, `trunc`: they make −0.0, which equals 0.0 and prints differently. `NATURAL JOIN`: an error without common
//! names, and comparisons of text with numbers otherwise. `INSERT OR IGNORE`: an error for a table without a key.

use crate::kinds::{self, DATE, DAYS, DECIMAL, ENUM, HUGE, MONTHS, TIME, TIMESTAMP, TINY, UNSIGNED, UUID, op};
use crate::probes;
use Param::{Of, Same, SmallInt, Word};
use qualm_core::dialect::sql::{
    Affinity, Binding, Catalogued, Dialect, Feature, FunctionSpec, Given, Kind, KindSpec, ORDINARY, Operator, Param,
    STANDARD, STANDARD_SPELLING, STANDARD_TYPED, SelfTest, Semantics, Spelling, TypeSpec, Typed,
};
use std::sync::OnceLock;

pub static DUCKDB: Dialect = Dialect {
    name: "duckdb",
    types: TYPES,
    kinds: KINDS,
    collations: &["BINARY"],
    functions: FUNCTIONS,
    catalogue: catalogued,
    features: FEATURES,
    settings: SETTINGS,
    maintenance: &["ANALYZE", "CHECKPOINT", "VACUUM"],
    given: GIVEN,
    // A literal that fits is an INTEGER: a product of two of them must fit as well, since overflow is an error.
    int_limit: 10_000,
    spelling: Spelling {
        // Bare digits with a point are a DECIMAL.
        real: ("'", "'::DOUBLE"),
        infinity: ("'inf'::DOUBLE", "'-inf'::DOUBLE"),
        blob: ("unhex('", "')"),
        generated: "AS",
        casts: &[
            (Kind::Int, "BIGINT"),
            (Kind::Real, "DOUBLE"),
            (Kind::Text, "VARCHAR"),
            (Kind::Bool, "BOOLEAN"),
            (Kind::Blob, "BLOB"),
        ],
        binding: Binding::Numbered { typed: false },
        ..STANDARD_SPELLING
    },
    self_test: SelfTest {
        statements: &[
            "CREATE TABLE q0 (c0 BIGINT, c1 DOUBLE, c2 VARCHAR, c3 BOOLEAN, c4 BLOB, c5 INTEGER)",
            "INSERT INTO q0 VALUES (-9223372036854775807, '0.1'::DOUBLE, 'it''s \"\u{1F980}\" at length', true, \
             '\\x00\\xFF'::BLOB, 7), (9223372036854775807, '1e300'::DOUBLE, '', false, NULL, -7), \
             (NULL, NULL, NULL, NULL, ''::BLOB, NULL)",
        ],
        question: "SELECT c0, c1, c2, c3, c4, c5, c0::HUGEINT * 10, c5::DECIMAL(9, 2) * 1.55 FROM q0 WHERE c0 > 0 OR \
                   c0 IS NULL OR c3 ORDER BY c5 NULLS FIRST",
        answer: r#"[[null, null, null, null, {"blob": ""}, null, null, null],
            [9223372036854775807, {"real": "1e300"}, "", false, null, -7, {"decimal": "92233720368547758070"},
             {"decimal": "-10.85"}],
            [-9223372036854775807, {"real": "0.1"}, "it's \"\ud83e\udd80\" at length", true, {"blob": "00FF"}, 7,
             {"decimal": "-92233720368547758070"}, {"decimal": "10.85"}]]"#,
    },
    semantics: Some(Semantics::Typed(Typed { like_escape: None, ..STANDARD_TYPED })),
    ..STANDARD
};

const fn column_type(name: &'static str, kind: Kind) -> TypeSpec {
    TypeSpec { name, kind, affinity: Affinity::None, strict: false }
}

const TYPES: &[TypeSpec] = &[
    column_type("BIGINT", Kind::Int),
    column_type("INTEGER", Kind::Int),
    column_type("DOUBLE", Kind::Real),
    column_type("VARCHAR", Kind::Text),
    column_type("BOOLEAN", Kind::Bool),
    column_type("BLOB", Kind::Blob),
    column_type("DATE", DATE),
    column_type("TIME", TIME),
    column_type("TIMESTAMP", TIMESTAMP),
    column_type("DECIMAL(10,2)", DECIMAL),
    column_type("TINYINT", TINY),
    column_type("UINTEGER", UNSIGNED),
    column_type("UBIGINT", HUGE),
    column_type("UUID", UUID),
    column_type(COLOURS, ENUM),
];

const COLOURS: &str = "ENUM('b','a','B','')";

const ARITHMETIC: &[Operator] =
    &[op("+", DAYS, TIMESTAMP), op("-", DAYS, TIMESTAMP), op("+", MONTHS, TIMESTAMP), op("-", MONTHS, TIMESTAMP)];

const KINDS: &[KindSpec] = &[
    KindSpec { operators: ARITHMETIC, casts: &[TIMESTAMP, Kind::Text], ..kinds::DATE_KIND },
    KindSpec { casts: &[Kind::Text], ..kinds::TIME_KIND },
    KindSpec { operators: ARITHMETIC, casts: &[DATE, TIME, Kind::Text], ..kinds::TIMESTAMP_KIND },
    kinds::DAYS_KIND,
    kinds::MONTHS_KIND,
    kinds::DECIMAL_KIND,
    kinds::TINY_KIND,
    KindSpec { literal: ("CAST('", "' AS UINTEGER)"), cast: "UINTEGER", ..kinds::UNSIGNED_KIND },
    KindSpec { literal: ("CAST('", "' AS UBIGINT)"), cast: "UBIGINT", ..kinds::HUGE_KIND },
    KindSpec { casts: &[Kind::Text], ..kinds::UUID_KIND },
    KindSpec {
        name: "enum",
        literal: ("CAST('", "' AS ENUM('b','a','B',''))"),
        cast: COLOURS,
        values: &["b", "a", "B", ""],
        casts: &[Kind::Text],
        ..ORDINARY
    },
];

fn catalogued() -> &'static Catalogued {
    static READ: OnceLock<Catalogued> = OnceLock::new();
    READ.get_or_init(|| Catalogued::read(include_str!("../../../../functions/duckdb.tsv")))
}

const fn call(name: &'static str, params: &'static [Param], result: Kind) -> FunctionSpec {
    FunctionSpec { name, params, result }
}

const INT: Param = Of(Kind::Int);
const REAL: Param = Of(Kind::Real);
const TEXT: Param = Of(Kind::Text);
const BOOL: Param = Of(Kind::Bool);
const BLOB: Param = Of(Kind::Blob);

/// Deterministic functions that give no error for the arguments described.
const FUNCTIONS: &[FunctionSpec] = &[
    call("abs", &[INT], Kind::Int),
    call("abs", &[REAL], Kind::Real),
    call("floor", &[REAL], Kind::Real),
    call("isnan", &[REAL], Kind::Bool),
    call("isfinite", &[REAL], Kind::Bool),
    call("gcd", &[INT, INT], Kind::Int),
    call("xor", &[INT, INT], Kind::Int),
    call("length", &[TEXT], Kind::Int),
    call("strlen", &[TEXT], Kind::Int),
    call("bit_length", &[TEXT], Kind::Int),
    call("octet_length", &[BLOB], Kind::Int),
    call("lower", &[TEXT], Kind::Text),
    call("upper", &[TEXT], Kind::Text),
    call("trim", &[TEXT], Kind::Text),
    call("trim", &[TEXT, TEXT], Kind::Text),
    call("ltrim", &[TEXT], Kind::Text),
    call("rtrim", &[TEXT], Kind::Text),
    call("reverse", &[TEXT], Kind::Text),
    call("strip_accents", &[TEXT], Kind::Text),
    call("substr", &[TEXT, SmallInt], Kind::Text),
    call("substr", &[TEXT, SmallInt, SmallInt], Kind::Text),
    call("left", &[TEXT, SmallInt], Kind::Text),
    call("right", &[TEXT, SmallInt], Kind::Text),
    call("repeat", &[TEXT, SmallInt], Kind::Text),
    call("replace", &[TEXT, TEXT, TEXT], Kind::Text),
    call("translate", &[TEXT, TEXT, TEXT], Kind::Text),
    call("concat", &[TEXT, TEXT], Kind::Text),
    call("concat_ws", &[TEXT, TEXT, TEXT], Kind::Text),
    call("md5", &[TEXT], Kind::Text),
    call("hex", &[TEXT], Kind::Text),
    call("encode", &[TEXT], Kind::Blob),
    call("instr", &[TEXT, TEXT], Kind::Int),
    call("ascii", &[TEXT], Kind::Int),
    call("unicode", &[TEXT], Kind::Int),
    call("levenshtein", &[TEXT, TEXT], Kind::Int),
    call("contains", &[TEXT, TEXT], Kind::Bool),
    call("starts_with", &[TEXT, TEXT], Kind::Bool),
    call("prefix", &[TEXT, TEXT], Kind::Bool),
    call("suffix", &[TEXT, TEXT], Kind::Bool),
    call("coalesce", &[Same, Same], Kind::Any),
    call("ifnull", &[Same, Same], Kind::Any),
    call("nullif", &[Same, Same], Kind::Any),
    call("greatest", &[Same, Same], Kind::Any),
    call("least", &[Same, Same], Kind::Any),
    call("if", &[BOOL, Same, Same], Kind::Any),
    call("year", &[Of(DATE)], Kind::Int),
    call("month", &[Of(DATE)], Kind::Int),
    call("day", &[Of(DATE)], Kind::Int),
    call("dayofweek", &[Of(DATE)], Kind::Int),
    call("isodow", &[Of(DATE)], Kind::Int),
    call("dayofyear", &[Of(DATE)], Kind::Int),
    call("week", &[Of(DATE)], Kind::Int),
    call("quarter", &[Of(DATE)], Kind::Int),
    call("dayname", &[Of(DATE)], Kind::Text),
    call("monthname", &[Of(DATE)], Kind::Text),
    call("last_day", &[Of(DATE)], DATE),
    call("datediff", &[Word(UNITS), Of(DATE), Of(DATE)], Kind::Int),
    call("datesub", &[Word(UNITS), Of(DATE), Of(DATE)], Kind::Int),
    call("strftime", &[Of(DATE), Word(&["%Y-%m", "%d", "%j", "%A"])], Kind::Text),
    call("hour", &[Of(TIME)], Kind::Int),
    call("minute", &[Of(TIME)], Kind::Int),
    call("second", &[Of(TIME)], Kind::Int),
    call("year", &[Of(TIMESTAMP)], Kind::Int),
    call("month", &[Of(TIMESTAMP)], Kind::Int),
    call("hour", &[Of(TIMESTAMP)], Kind::Int),
    call("microsecond", &[Of(TIMESTAMP)], Kind::Int),
    call("epoch_ms", &[Of(TIMESTAMP)], Kind::Int),
    call("datediff", &[Word(UNITS), Of(TIMESTAMP), Of(TIMESTAMP)], Kind::Int),
    call("date_trunc", &[Word(UNITS), Of(TIMESTAMP)], TIMESTAMP),
    call("strftime", &[Of(TIMESTAMP), Word(&["%H:%M", "%Y", "%f"])], Kind::Text),
    call("abs", &[Of(DECIMAL)], DECIMAL),
];

const UNITS: &[&str] = &["day", "week", "month", "quarter", "year"];

/// A release that rejects any statement of a probe does not have the feature.
const FEATURES: &[(Feature, &[&str])] = &[
    (Feature::ExpressionIndex, &["CREATE TABLE p(a BIGINT)", "CREATE INDEX i ON p((a + 1))"]),
    (Feature::RightJoin, &["CREATE TABLE p(a BIGINT)", "SELECT * FROM p RIGHT JOIN p AS q ON p.a < q.a"]),
    (Feature::FullJoin, &["CREATE TABLE p(a BIGINT)", "SELECT * FROM p FULL JOIN p AS q ON p.a = q.a"]),
    (Feature::FullJoinAny, &["CREATE TABLE p(a BIGINT)", "SELECT * FROM p FULL JOIN p AS q ON p.a < q.a"]),
    (Feature::Window, &["CREATE TABLE p(a BIGINT)", "SELECT rank() OVER (PARTITION BY a ORDER BY a) FROM p"]),
    (
        Feature::WindowFrame,
        &[
            "CREATE TABLE p(a BIGINT)",
            "SELECT count(*) OVER (ORDER BY a GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM p",
        ],
    ),
    (Feature::Filter, &["CREATE TABLE p(a BIGINT)", "SELECT count(*) FILTER (WHERE a > 0) FROM p"]),
    probes::ROW_VALUE,
    probes::CTE,
    probes::RECURSIVE_CTE,
    probes::MATERIALIZED_HINT,
    (Feature::IsTruth, &["SELECT true IS TRUE, false IS NOT FALSE"]),
    probes::IS_DISTINCT_FROM,
    (Feature::NullsOrder, &["CREATE TABLE p(a BIGINT)", "SELECT a FROM p ORDER BY a NULLS LAST"]),
    (Feature::Glob, &["SELECT 'a' GLOB 'a*'"]),
    (Feature::Values, &["SELECT v.column1 FROM (VALUES (1), (2)) AS v"]),
    (Feature::AlterRename, &["CREATE TABLE p(a BIGINT)", "ALTER TABLE p RENAME COLUMN a TO b"]),
    (Feature::AlterAddColumn, &["CREATE TABLE p(a BIGINT)", "ALTER TABLE p ADD COLUMN b BIGINT DEFAULT 1"]),
    (Feature::AlterDropColumn, &["CREATE TABLE p(a BIGINT, b BIGINT)", "ALTER TABLE p DROP COLUMN b"]),
    (Feature::Analyze, &["CREATE TABLE p(a BIGINT)", "ANALYZE"]),
    (Feature::Vacuum, &["VACUUM"]),
    probes::MODULO,
    (
        Feature::Correlated,
        &["CREATE TABLE p(a BIGINT)", "SELECT 1 FROM p WHERE EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"],
    ),
    probes::LIKE_ESCAPE,
    probes::INTERSECT_EXCEPT,
    (Feature::Returning, &["CREATE TABLE p(a BIGINT)", "UPDATE p SET a = 2 RETURNING a", "DELETE FROM p RETURNING a"]),
    (Feature::Dml, &["CREATE TABLE p(a BIGINT)", "INSERT INTO p SELECT 1", "UPDATE p SET a = 2", "DELETE FROM p"]),
    (Feature::Check, &["CREATE TABLE p(a BIGINT CHECK (a > 0))"]),
    (Feature::Unique, &["CREATE TABLE p(a BIGINT UNIQUE, b BIGINT PRIMARY KEY)"]),
    (Feature::NotNull, &["CREATE TABLE p(a BIGINT NOT NULL)"]),
    (Feature::View, &["CREATE VIEW p AS SELECT 1"]),
    (Feature::DescendingIndex, &["CREATE TABLE p(a BIGINT)", "CREATE INDEX i ON p(a DESC)"]),
    (Feature::Index, &["CREATE TABLE p(a BIGINT)", "CREATE INDEX i ON p(a)"]),
    (Feature::Rollup, &["SELECT count(*) FROM (SELECT 1 AS a, 2 AS b) AS x GROUP BY rollup(a, b)", CUBED]),
    (
        Feature::TableFunction,
        &[
            "SELECT x.range, y.generate_series FROM range(3) AS x, generate_series(1, 2) AS y",
            "SELECT x.unnest FROM unnest(list_value(1, NULL)) AS x",
        ],
    ),
];

const CUBED: &str = "SELECT a FROM (SELECT 1 AS a, 2 AS b) AS x GROUP BY cube(a, b)";

const GIVEN: &[Given] = &[
    Given { text: "range(4)", columns: &[("range", Kind::Int)] },
    Given { text: "range(-2, 7, 3)", columns: &[("range", Kind::Int)] },
    Given { text: "generate_series(3, 1)", columns: &[("generate_series", Kind::Int)] },
    Given { text: "generate_series(5, -1, -2)", columns: &[("generate_series", Kind::Int)] },
    Given { text: "unnest(list_value(1, NULL, 3, 1))", columns: &[("unnest", Kind::Int)] },
    Given { text: "unnest(list_value('a', '', NULL, 'B'))", columns: &[("unnest", Kind::Text)] },
];

/// What makes plans that small tables do not have otherwise.
const SETTINGS: &[&str] = &[
    "SET disabled_optimizers = 'deliminator'",
    "SET disabled_optimizers = 'filter_pushdown,statistics_propagation'",
    "SET disabled_optimizers = 'join_order,build_side_probe_side'",
    "SET disabled_optimizers = 'unused_columns,column_lifetime,common_subexpressions'",
    "RESET disabled_optimizers",
    "SET prefer_range_joins = true",
    "SET merge_join_threshold = 0",
    "SET nested_loop_join_threshold = 0",
    "SET perfect_ht_threshold = 0",
    "SET index_scan_percentage = 1.0",
    "SET index_scan_max_count = 1000000",
    "SET late_materialization_max_rows = 0",
];
