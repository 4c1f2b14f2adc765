//! PostgreSQL's SQL as data: what the generator may use, and how to find out whether a release has it.

use crate::kinds::{self, DATE, DAYS, DECIMAL, INET, JSON, MONTHS, RANGE, TIME, TIMESTAMP, TINY, UUID, op};
use crate::probes;
use Param::{Json, JsonPath, Of, Same, SmallInt, Word};
use qualm_core::dialect::sql::{
    Affinity, Binding, Catalogued, Dialect, Feature, FunctionSpec, Given, Kind, KindSpec, Param, STANDARD,
    STANDARD_SPELLING, STANDARD_TYPED, SelfTest, Semantics, Spelling, TypeSpec,
};
use std::sync::OnceLock;

pub static POSTGRES: Dialect = Dialect {
    name: "postgres",
    types: TYPES,
    kinds: KINDS,
    // The session's database has the collation C, which compares bytes.
    collations: &["C"],
    functions: FUNCTIONS,
    catalogue: catalogued,
    features: FEATURES,
    given: GIVEN,
    settings: SETTINGS,
    maintenance: &[
        // Without a name it reads the whole catalogue: fifty times as long.
        "ANALYZE {table}",
        "VACUUM {table}",
        "VACUUM (FULL, ANALYZE) {table}",
        "REINDEX TABLE {table}",
    ],
    // A literal as small as that is a 32-bit integer: the product of two must fit.
    int_limit: 10_000,
    spelling: Spelling {
        // Digits alone would be an exact decimal.
        real: ("float8 '", "'"),
        infinity: ("float8 'Infinity'", "float8 '-Infinity'"),
        blob: ("bytea '\\x", "'"),
        insert_ignore: ("INSERT", " ON CONFLICT DO NOTHING"),
        casts: &[
            (Kind::Int, "BIGINT"),
            (Kind::Real, "DOUBLE PRECISION"),
            (Kind::Text, "TEXT"),
            (Kind::Blob, "BYTEA"),
            (Kind::Bool, "BOOLEAN"),
        ],
        binding: Binding::Numbered { typed: true },
        generic_plans: &[("SET plan_cache_mode = force_generic_plan", "RESET plan_cache_mode")],
        ..STANDARD_SPELLING
    },
    self_test: SelfTest {
        statements: &[
            "CREATE TABLE q0 (c0 BIGINT, c1 DOUBLE PRECISION, c2 TEXT, c3 BYTEA, c4 BOOLEAN, c5 NUMERIC)",
            "INSERT INTO q0 VALUES (-9223372036854775808, float8 '0.1', 'it''s \"\u{1F980}\"', '\\x00FF', TRUE, 1.50)",
            "INSERT INTO q0 VALUES (9223372036854775807, float8 'Infinity', '', NULL, FALSE, 2.0)",
        ],
        question: "SELECT c0, c1, c2, c3, c4, c5 FROM q0 ORDER BY c0",
        answer: r#"[[-9223372036854775808, 0.1, "it's \"\ud83e\udd80\"", {"blob": "00FF"}, true, {"decimal": "1.5"}],
            [9223372036854775807, {"real": "Inf"}, "", null, false, 2]]"#,
    },
    semantics: Some(Semantics::Typed(STANDARD_TYPED)),
    ..STANDARD
};

const fn column_type(name: &'static str, kind: Kind) -> TypeSpec {
    TypeSpec { name, kind, affinity: Affinity::None, strict: true }
}

/// Not CHAR(n), whose blanks count or not by the operator; not REAL, whose values are no float8 literals.
const TYPES: &[TypeSpec] = &[
    column_type("BIGINT", Kind::Int),
    column_type("INTEGER", Kind::Int),
    column_type("TEXT", Kind::Text),
    column_type("DOUBLE PRECISION", Kind::Real),
    column_type("BOOLEAN", Kind::Bool),
    column_type("BYTEA", Kind::Blob),
    column_type("VARCHAR(100)", Kind::Text),
    column_type("SMALLINT", Kind::Int),
    column_type("DATE", DATE),
    column_type("TIME", TIME),
    column_type("TIMESTAMP", TIMESTAMP),
    column_type("DECIMAL(10,2)", DECIMAL),
    column_type("INT2", TINY),
    column_type("UUID", UUID),
    column_type("INET", INET),
    column_type("INT4RANGE", RANGE),
    column_type("JSONB", JSON),
];

/// What a date makes with an interval is a timestamp here. Texts of dates depend on a setting, so no index takes them.
const KINDS: &[KindSpec] = &[
    KindSpec {
        operators: &[
            op("-", DATE, Kind::Int),
            op("+", DAYS, TIMESTAMP),
            op("-", DAYS, TIMESTAMP),
            op("+", MONTHS, TIMESTAMP),
            op("-", MONTHS, TIMESTAMP),
            op("+", TIME, TIMESTAMP),
        ],
        ..kinds::DATE_KIND
    },
    KindSpec { casts: &[Kind::Text], ..kinds::TIME_KIND },
    KindSpec {
        operators: &[
            op("+", DAYS, TIMESTAMP),
            op("-", DAYS, TIMESTAMP),
            op("+", MONTHS, TIMESTAMP),
            op("-", MONTHS, TIMESTAMP),
        ],
        casts: &[DATE, TIME],
        ..kinds::TIMESTAMP_KIND
    },
    kinds::DAYS_KIND,
    kinds::MONTHS_KIND,
    kinds::DECIMAL_KIND,
    KindSpec {
        literal: ("CAST('", "' AS INT2)"),
        cast: "INT2",
        values: &["-32768", "-32767", "-128", "-1", "0", "1", "2", "127", "128", "32766", "32767"],
        ..kinds::TINY_KIND
    },
    KindSpec { casts: &[Kind::Text], ..kinds::UUID_KIND },
    kinds::INET_KIND,
    kinds::RANGE_KIND,
    kinds::JSON_KIND,
];

fn catalogued() -> &'static Catalogued {
    static READ: OnceLock<Catalogued> = OnceLock::new();
    READ.get_or_init(|| Catalogued::read(include_str!("../../../../functions/postgres.tsv")))
}

const fn call(name: &'static str, params: &'static [Param], result: Kind) -> FunctionSpec {
    FunctionSpec { name, params, result }
}

const INT: Param = Of(Kind::Int);
const REAL: Param = Of(Kind::Real);
const TEXT: Param = Of(Kind::Text);
const BLOB: Param = Of(Kind::Blob);

/// Immutable functions, so that an index may have them, which give no error for the arguments described. Integer
/// arguments are of any width, so only functions that have a form for 64 bits. `concat` and `format` are missing: they
/// are only stable to PostgreSQL. `substr` with a length is, because a negative one is an error.
const FUNCTIONS: &[FunctionSpec] = &[
    call("abs", &[INT], Kind::Int),
    call("abs", &[REAL], Kind::Real),
    call("sign", &[REAL], Kind::Real),
    call("floor", &[REAL], Kind::Real),
    call("ceil", &[REAL], Kind::Real),
    call("round", &[REAL], Kind::Real),
    call("trunc", &[REAL], Kind::Real),
    call("cbrt", &[REAL], Kind::Real),
    call("atan", &[REAL], Kind::Real),
    call("to_hex", &[INT], Kind::Text),
    call("length", &[TEXT], Kind::Int),
    call("char_length", &[TEXT], Kind::Int),
    call("octet_length", &[TEXT], Kind::Int),
    call("bit_length", &[TEXT], Kind::Int),
    call("lower", &[TEXT], Kind::Text),
    call("upper", &[TEXT], Kind::Text),
    call("initcap", &[TEXT], Kind::Text),
    call("reverse", &[TEXT], Kind::Text),
    call("btrim", &[TEXT], Kind::Text),
    call("btrim", &[TEXT, TEXT], Kind::Text),
    call("ltrim", &[TEXT], Kind::Text),
    call("ltrim", &[TEXT, TEXT], Kind::Text),
    call("rtrim", &[TEXT], Kind::Text),
    call("rtrim", &[TEXT, TEXT], Kind::Text),
    call("left", &[TEXT, SmallInt], Kind::Text),
    call("right", &[TEXT, SmallInt], Kind::Text),
    call("substr", &[TEXT, SmallInt], Kind::Text),
    call("repeat", &[TEXT, SmallInt], Kind::Text),
    call("lpad", &[TEXT, SmallInt], Kind::Text),
    call("rpad", &[TEXT, SmallInt], Kind::Text),
    call("replace", &[TEXT, TEXT, TEXT], Kind::Text),
    call("translate", &[TEXT, TEXT, TEXT], Kind::Text),
    call("strpos", &[TEXT, TEXT], Kind::Int),
    call("ascii", &[TEXT], Kind::Int),
    call("md5", &[TEXT], Kind::Text),
    call("starts_with", &[TEXT, TEXT], Kind::Bool),
    call("quote_literal", &[TEXT], Kind::Text),
    call("quote_nullable", &[TEXT], Kind::Text),
    call("octet_length", &[BLOB], Kind::Int),
    call("md5", &[BLOB], Kind::Text),
    call("sha256", &[BLOB], Kind::Blob),
    call("btrim", &[BLOB, BLOB], Kind::Blob),
    call("num_nulls", &[INT, TEXT], Kind::Int),
    call("num_nonnulls", &[TEXT, REAL], Kind::Int),
    call("coalesce", &[Same, Same], Kind::Any),
    call("nullif", &[Same, Same], Kind::Any),
    call("greatest", &[Same, Same], Kind::Any),
    call("least", &[Same, Same], Kind::Any),
    call("jsonb_typeof", &[Json], Kind::Text),
    call("jsonb_path_exists", &[Json, JsonPath], Kind::Bool),
    call("date_part", &[Word(DATE_PARTS), Of(DATE)], Kind::Real),
    call("date_part", &[Word(TIME_PARTS), Of(TIME)], Kind::Real),
    call("date_part", &[Word(DATE_PARTS), Of(TIMESTAMP)], Kind::Real),
    call("date_part", &[Word(TIME_PARTS), Of(TIMESTAMP)], Kind::Real),
    call("date_trunc", &[Word(UNITS), Of(TIMESTAMP)], TIMESTAMP),
    call("isfinite", &[Of(DATE)], Kind::Bool),
    call("isfinite", &[Of(TIMESTAMP)], Kind::Bool),
    call("date", &[Of(TIMESTAMP)], DATE),
    call("abs", &[Of(DECIMAL)], DECIMAL),
    call("sign", &[Of(DECIMAL)], DECIMAL),
    call("floor", &[Of(DECIMAL)], DECIMAL),
    call("ceil", &[Of(DECIMAL)], DECIMAL),
    call("round", &[Of(DECIMAL)], DECIMAL),
    call("trunc", &[Of(DECIMAL)], DECIMAL),
    call("trim_scale", &[Of(DECIMAL)], DECIMAL),
    call("family", &[Of(INET)], Kind::Int),
    call("masklen", &[Of(INET)], Kind::Int),
    call("host", &[Of(INET)], Kind::Text),
    call("broadcast", &[Of(INET)], INET),
    call("netmask", &[Of(INET)], INET),
    call("hostmask", &[Of(INET)], INET),
    call("isempty", &[Of(RANGE)], Kind::Bool),
    call("lower_inf", &[Of(RANGE)], Kind::Bool),
    call("upper_inf", &[Of(RANGE)], Kind::Bool),
    call("range_merge", &[Of(RANGE), Of(RANGE)], RANGE),
    call("jsonb_typeof", &[Of(JSON)], Kind::Text),
    call("jsonb_strip_nulls", &[Of(JSON)], JSON),
    call("jsonb_pretty", &[Of(JSON)], Kind::Text),
    call("jsonb_exists", &[Of(JSON), TEXT], Kind::Bool),
    call("jsonb_contains", &[Of(JSON), Of(JSON)], Kind::Bool),
];

const DATE_PARTS: &[&str] = &["year", "month", "day", "dow", "isodow", "doy", "week", "quarter", "century"];
const TIME_PARTS: &[&str] = &["hour", "minute", "second", "microseconds"];
const UNITS: &[&str] = &["year", "quarter", "month", "week", "day", "hour", "minute"];

const TABLE: &str = "CREATE TABLE p(a INTEGER, b TEXT)";

/// A release that rejects any statement of a probe does not have the feature. Not listed: `Division`, which fails for a
/// divisor of zero; `WithoutRowid`, `Strict`, `IndexedBy`, `InTable`, `Rowid`, `Glob`, `StatTable`, which are SQLite's;
/// `JsonArrow`, whose arrows want the type jsonb.
const FEATURES: &[(Feature, &[&str])] = &[
    (
        Feature::GeneratedColumn,
        &["CREATE TABLE p(a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1) STORED, \
              c INTEGER GENERATED ALWAYS AS (a) VIRTUAL)"],
    ),
    (Feature::PartialIndex, &[TABLE, "CREATE INDEX i ON p(a) WHERE a IS NOT NULL"]),
    (Feature::ExpressionIndex, &[TABLE, "CREATE INDEX i ON p((a + 1))"]),
    (Feature::RightJoin, &[TABLE, "SELECT * FROM p RIGHT JOIN p AS q ON p.a < q.a"]),
    // Other conditions than equalities are refused: "FULL JOIN is only supported with merge-joinable or …".
    (Feature::FullJoin, &[TABLE, "SELECT * FROM p FULL JOIN p AS q ON p.a = q.a"]),
    (Feature::NaturalJoin, &[TABLE, "SELECT p.a FROM p NATURAL LEFT JOIN p AS q"]),
    (Feature::Window, &[TABLE, "SELECT rank() OVER (PARTITION BY b ORDER BY a) FROM p"]),
    (
        Feature::WindowFrame,
        &[TABLE, "SELECT count(*) OVER (ORDER BY a GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM p"],
    ),
    (Feature::Filter, &[TABLE, "SELECT count(*) FILTER (WHERE a > 0) FROM p"]),
    probes::ROW_VALUE,
    probes::CTE,
    probes::RECURSIVE_CTE,
    probes::MATERIALIZED_HINT,
    (Feature::IsTruth, &["SELECT TRUE IS TRUE, FALSE IS NOT FALSE"]),
    probes::IS_DISTINCT_FROM,
    (Feature::NullsOrder, &[TABLE, "SELECT a FROM p ORDER BY a NULLS LAST"]),
    (Feature::Values, &["SELECT * FROM (VALUES (1), (2)) AS v"]),
    (Feature::AlterRename, &[TABLE, "ALTER TABLE p RENAME COLUMN a TO c"]),
    (Feature::AlterAddColumn, &[TABLE, "ALTER TABLE p ADD COLUMN c INTEGER DEFAULT 1"]),
    (Feature::AlterDropColumn, &[TABLE, "ALTER TABLE p DROP COLUMN b"]),
    (Feature::Analyze, &[TABLE, "ANALYZE p"]),
    (Feature::Vacuum, &[TABLE, "VACUUM p"]),
    (Feature::Reindex, &[TABLE, "REINDEX TABLE p"]),
    (Feature::BitOperators, &["SELECT 1 & 2 | 3 << 1"]),
    probes::MODULO,
    (Feature::Correlated, &[TABLE, "SELECT 1 FROM p WHERE EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"]),
    (Feature::SemiJoin, &[TABLE, "SELECT 1 FROM p WHERE NOT EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"]),
    probes::LIKE_ESCAPE,
    probes::INTERSECT_EXCEPT,
    (Feature::CompoundOrder, &["SELECT 2 AS a UNION ALL SELECT 1 ORDER BY a LIMIT 1"]),
    (Feature::Returning, &[TABLE, "UPDATE p SET a = 2 RETURNING a", "DELETE FROM p RETURNING a"]),
    (Feature::Dml, &[TABLE, "INSERT INTO p SELECT 1, 'a'", "UPDATE p SET a = 2", "DELETE FROM p"]),
    (Feature::Check, &["CREATE TABLE p(a INTEGER CHECK (a > 0))"]),
    (Feature::Unique, &["CREATE TABLE p(a INTEGER UNIQUE)"]),
    (Feature::NotNull, &["CREATE TABLE p(a INTEGER NOT NULL)"]),
    probes::VIEW,
    (Feature::DescendingIndex, &[TABLE, "CREATE INDEX i ON p(a DESC)"]),
    (Feature::Index, &[TABLE, "CREATE INDEX i ON p(a)"]),
    (Feature::Rollup, &["SELECT count(*) FROM (SELECT 1 AS a, 2 AS b) AS x GROUP BY rollup(a, b)", CUBED]),
    (
        Feature::TableFunction,
        &[
            "SELECT x.value FROM jsonb_array_elements_text('[1,null]') AS x",
            "SELECT x.a FROM JSON_TABLE(CAST('[1]' AS JSONB), '$[*]' COLUMNS(a BIGINT PATH '$')) AS x",
        ],
    ),
];

const CUBED: &str = "SELECT a FROM (SELECT 1 AS a, 2 AS b) AS x GROUP BY cube(a, b)";

const GIVEN: &[Given] = &[
    Given { text: "jsonb_array_elements_text('[\"b\",\"\",null,\"a\",\"b\"]')", columns: &[("value", Kind::Text)] },
    Given {
        text: "jsonb_each_text('{\"a\":\"x\",\"b\":null,\"c\":\"\"}')",
        columns: &[("key", Kind::Text), ("value", Kind::Text)],
    },
    Given {
        text: "JSON_TABLE(CAST('[1, 3, null, -2, 3]' AS JSONB), '$[*]' COLUMNS(a BIGINT PATH '$'))",
        columns: &[("a", Kind::Int)],
    },
    Given {
        text: "JSON_TABLE(CAST('[{\"a\": 1, \"b\": \"x\"}, {\"b\": \"a\"}]' AS JSONB), '$[*]' \
               COLUMNS(a BIGINT PATH '$.a', b TEXT PATH '$.b'))",
        columns: &[("a", Kind::Int), ("b", Kind::Text)],
    },
];

const SETTINGS: &[&str] = &[
    "SET enable_hashjoin = off",
    "SET enable_hashjoin = on",
    "SET enable_mergejoin = off",
    "SET enable_mergejoin = on",
    "SET enable_nestloop = off",
    "SET enable_nestloop = on",
    "SET enable_seqscan = off",
    "SET enable_seqscan = on",
    "SET enable_hashagg = off",
    "SET enable_hashagg = on",
    "SET work_mem = '64kB'",
    "RESET work_mem",
    "SET random_page_cost = 1",
    "SET cpu_tuple_cost = 10",
    "SET parallel_setup_cost = 0",
    "SET parallel_tuple_cost = 0",
    "SET min_parallel_table_scan_size = 0",
    "SET from_collapse_limit = 1",
    "SET join_collapse_limit = 1",
    "RESET ALL",
];
