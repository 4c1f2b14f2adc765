//! The SQL of MySQL and MariaDB as data: what the generator may use, and how to find out whether a release has it.
//!
//! Left out on purpose, because equal things would not be identical or types would be converted silently: FLOAT, CHAR,
//! unsigned results (bit operators, crc32), division (it gives decimals whose scale depends on a setting), rounding to
//! digits (its scale sticks to the column), NATURAL joins (columns of one name and two types would meet).
//! FULL JOIN must never be probed: `t FULL JOIN u` is a join of a table with the alias `FULL`.

use crate::kinds::{self, DATE, DAYS, DECIMAL, HUGE, MONTHS, TIME, TIMESTAMP, TINY, UNSIGNED, YEAR, op};
use crate::probes;
use Param::{Of, Same, SmallInt, Word};
use qualm_core::dialect::sql::{
    Affinity, Binding, Catalogued, Concat, Dialect, Feature, FunctionSpec, Given, Kind, KindSpec, NullSafe, Param,
    STANDARD, STANDARD_SPELLING, STANDARD_TYPED, SelfTest, Semantics, Spelling, TypeSpec, Typed, nothing_catalogued,
};
use std::sync::OnceLock;

pub static MYSQL: Dialect = MYSQL_8;

/// The same language in releases that have no `utf8mb4_0900_bin`; text is bytes there.
pub static MYSQL_BEFORE_8: Dialect = Dialect {
    types: BASIC_TYPES,
    kinds: &[],
    preamble: &[
        "SET NAMES binary",
        "ALTER DATABASE CHARACTER SET binary",
        "SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
    ],
    catalogue: nothing_catalogued,
    semantics: None,
    ..MYSQL_8
};

const MYSQL_8: Dialect = Dialect {
    name: "mysql",
    preamble: &["SET NAMES utf8mb4 COLLATE utf8mb4_0900_bin", "ALTER DATABASE COLLATE = utf8mb4_0900_bin"],
    quote: '`',
    numeric_truth: true,
    types: TYPES,
    kinds: KINDS,
    collations: &["utf8mb4_0900_bin"],
    functions: FUNCTIONS,
    catalogue: mysql_catalogued,
    features: FEATURES,
    given: GIVEN,
    settings: MYSQL_SETTINGS,
    maintenance: &["ANALYZE TABLE {table}", "OPTIMIZE TABLE {table}", "ALTER TABLE {table} FORCE"],
    int_limit: INT_LIMIT,
    spelling: SPELLING,
    self_test: SELF_TEST,
    semantics: SEMANTICS,
    ..STANDARD
};

pub static MARIADB: Dialect = Dialect {
    name: "mariadb",
    preamble: &[
        "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin",
        "ALTER DATABASE COLLATE = utf8mb4_nopad_bin",
        "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ONLY_FULL_GROUP_BY')",
    ],
    quote: '`',
    numeric_truth: true,
    types: MARIADB_TYPES,
    kinds: MARIADB_KINDS,
    collations: &["utf8mb4_nopad_bin"],
    functions: FUNCTIONS,
    catalogue: mariadb_catalogued,
    features: FEATURES,
    given: GIVEN,
    settings: MARIADB_SETTINGS,
    maintenance: &[
        "ANALYZE TABLE {table}",
        "ANALYZE TABLE {table} PERSISTENT FOR ALL",
        "OPTIMIZE TABLE {table}",
        "ALTER TABLE {table} FORCE",
    ],
    int_limit: INT_LIMIT,
    spelling: SPELLING,
    self_test: SELF_TEST,
    semantics: SEMANTICS,
    ..STANDARD
};

/// Six such numbers multiplied, or a product of three summed over a thousand rows, stay below 2^63. What overflows
/// is an error, and which rows are computed at all is the plan's choice.
const INT_LIMIT: i64 = 1_000;

const SPELLING: Spelling = Spelling {
    null_safe: NullSafe::Spaceship,
    concat: Concat::Function,
    // 1.5 is an exact decimal, 1.5e0 is a DOUBLE.
    real: ("", "e0"),
    backslash_escapes: true,
    insert_ignore: ("INSERT IGNORE", ""),
    insert_replace: ("REPLACE", ""),
    update_ignore: "UPDATE IGNORE",
    drop_index_names_table: true,
    casts: &[(Kind::Int, "SIGNED"), (Kind::Real, "DOUBLE"), (Kind::Text, "CHAR"), (Kind::Blob, "BINARY")],
    binding: Binding::Variables,
    trigger_body: (" FOR EACH ROW ", ""),
    // Neither GROUPS nor EXCLUDE.
    peer_frames: &[
        "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
    ],
    ..STANDARD_SPELLING
};

const SELF_TEST: SelfTest = SelfTest {
    statements: &[
        "CREATE TABLE q0 (c0 BIGINT, c1 DOUBLE, c2 VARCHAR(50), c3 VARBINARY(50))",
        "INSERT INTO q0 VALUES (-9223372036854775808, 0.1e0, 'it''s \"\u{1F980}\"', x'00FF')",
        "INSERT INTO q0 VALUES (9223372036854775807, -1.7976931348623157e308, '', NULL)",
    ],
    question: "SELECT c0, c1, c2, c3, c2 = '', c2 = ' ', c2 = 'IT''S \"\u{1F980}\"' FROM q0 ORDER BY c0",
    answer: r#"[[-9223372036854775808, 0.1, "it's \"\ud83e\udd80\"", {"blob": "00FF"}, 0, 0, 0],
        [9223372036854775807, -1.7976931348623157e308, "", null, 1, 0, 0]]"#,
};

const fn column_type(name: &'static str, kind: Kind) -> TypeSpec {
    TypeSpec { name, kind, affinity: Affinity::None, strict: false }
}

/// TEXT and BLOB cannot be indexed without a length.
const BASIC_TYPES: &[TypeSpec] = &[
    column_type("INT", Kind::Int),
    column_type("BIGINT", Kind::Int),
    column_type("MEDIUMINT", Kind::Int),
    column_type("VARCHAR(50)", Kind::Text),
    column_type("VARCHAR(200)", Kind::Text),
    column_type("DOUBLE", Kind::Real),
    column_type("VARBINARY(50)", Kind::Blob),
];

/// Without YEAR, which stands last: MariaDB has the type, but no CAST to it.
const MARIADB_TYPES: &[TypeSpec] = TYPES.split_at(TYPES.len() - 1).0;
const MARIADB_KINDS: &[KindSpec] = KINDS.split_at(KINDS.len() - 1).0;

const TYPES: &[TypeSpec] = &[
    column_type("INT", Kind::Int),
    column_type("BIGINT", Kind::Int),
    column_type("MEDIUMINT", Kind::Int),
    column_type("VARCHAR(50)", Kind::Text),
    column_type("VARCHAR(200)", Kind::Text),
    column_type("DOUBLE", Kind::Real),
    column_type("VARBINARY(50)", Kind::Blob),
    column_type("DATE", DATE),
    column_type("TIME(6)", TIME),
    column_type("DATETIME(6)", TIMESTAMP),
    column_type("DECIMAL(10,2)", DECIMAL),
    column_type("TINYINT", TINY),
    column_type("INT UNSIGNED", UNSIGNED),
    column_type("BIGINT UNSIGNED", HUGE),
    column_type("YEAR", YEAR),
];

/// Every time has six digits behind its seconds, so that equal ones are shown alike.
const KINDS: &[KindSpec] = &[
    KindSpec {
        operators: &[op("+", DAYS, DATE), op("-", DAYS, DATE), op("+", MONTHS, DATE), op("-", MONTHS, DATE)],
        ..kinds::DATE_KIND
    },
    KindSpec {
        cast: "TIME(6)",
        values: &["-12:30:00.000000", "00:00:00.000000", "00:00:01.000000", "12:30:00.500000", "838:59:58.000000"],
        ..kinds::TIME_KIND
    },
    KindSpec {
        cast: "DATETIME(6)",
        values: &[
            "1970-01-01 00:00:00.000000",
            "1999-12-31 23:59:59.000000",
            "2000-02-29 12:30:00.000000",
            "2020-02-29 00:00:00.000000",
            "2020-02-29 00:00:00.000001",
            "2020-02-29 23:59:59.999999",
        ],
        operators: &[
            op("+", DAYS, TIMESTAMP),
            op("-", DAYS, TIMESTAMP),
            op("+", MONTHS, TIMESTAMP),
            op("-", MONTHS, TIMESTAMP),
        ],
        ..kinds::TIMESTAMP_KIND
    },
    kinds::DAYS_KIND,
    kinds::MONTHS_KIND,
    kinds::DECIMAL_KIND,
    KindSpec { literal: ("CAST('", "' AS SIGNED)"), cast: "", ..kinds::TINY_KIND },
    KindSpec { literal: ("CAST('", "' AS UNSIGNED INTEGER)"), cast: "", ..kinds::UNSIGNED_KIND },
    KindSpec { literal: ("CAST('", "' AS UNSIGNED)"), cast: "", ..kinds::HUGE_KIND },
    KindSpec {
        name: "year",
        literal: ("CAST('", "' AS YEAR)"),
        cast: "YEAR",
        values: &["1901", "1970", "1999", "2000", "2020", "2155"],
        meets: &[Kind::Int],
        sums: false,
        ..kinds::TINY_KIND
    },
];

fn mysql_catalogued() -> &'static Catalogued {
    static READ: OnceLock<Catalogued> = OnceLock::new();
    READ.get_or_init(|| Catalogued::read(include_str!("../../../../functions/mysql.tsv")))
}

fn mariadb_catalogued() -> &'static Catalogued {
    static READ: OnceLock<Catalogued> = OnceLock::new();
    READ.get_or_init(|| Catalogued::read(include_str!("../../../../functions/mariadb.tsv")))
}

const fn call(name: &'static str, params: &'static [Param], result: Kind) -> FunctionSpec {
    FunctionSpec { name, params, result }
}

const INT: Param = Of(Kind::Int);
const REAL: Param = Of(Kind::Real);
const TEXT: Param = Of(Kind::Text);

/// Deterministic functions that give a value or NULL for all arguments of these kinds, and signed integers.
const SEMANTICS: Option<Semantics> = Some(Semantics::Typed(Typed {
    length_counts_bytes: true,
    concat_of_null_is_null: true,
    greatest_of_null_is_null: true,
    ..STANDARD_TYPED
}));

const FUNCTIONS: &[FunctionSpec] = &[
    call("abs", &[INT], Kind::Int),
    call("abs", &[REAL], Kind::Real),
    call("sign", &[INT], Kind::Int),
    call("sign", &[REAL], Kind::Int),
    call("floor", &[REAL], Kind::Real),
    call("ceiling", &[REAL], Kind::Real),
    call("length", &[TEXT], Kind::Int),
    call("char_length", &[TEXT], Kind::Int),
    call("bit_length", &[TEXT], Kind::Int),
    call("ascii", &[TEXT], Kind::Int),
    call("lower", &[TEXT], Kind::Text),
    call("upper", &[TEXT], Kind::Text),
    call("trim", &[TEXT], Kind::Text),
    call("ltrim", &[TEXT], Kind::Text),
    call("rtrim", &[TEXT], Kind::Text),
    call("reverse", &[TEXT], Kind::Text),
    call("hex", &[TEXT], Kind::Text),
    call("substr", &[TEXT, SmallInt], Kind::Text),
    call("substr", &[TEXT, SmallInt, SmallInt], Kind::Text),
    call("left", &[TEXT, SmallInt], Kind::Text),
    call("right", &[TEXT, SmallInt], Kind::Text),
    call("lpad", &[TEXT, SmallInt, TEXT], Kind::Text),
    call("rpad", &[TEXT, SmallInt, TEXT], Kind::Text),
    call("insert", &[TEXT, SmallInt, SmallInt, TEXT], Kind::Text),
    call("replace", &[TEXT, TEXT, TEXT], Kind::Text),
    call("concat", &[TEXT, TEXT], Kind::Text),
    call("concat_ws", &[TEXT, TEXT, TEXT], Kind::Text),
    call("instr", &[TEXT, TEXT], Kind::Int),
    call("locate", &[TEXT, TEXT], Kind::Int),
    call("strcmp", &[TEXT, TEXT], Kind::Int),
    call("field", &[TEXT, TEXT, TEXT], Kind::Int),
    call("find_in_set", &[TEXT, TEXT], Kind::Int),
    call("isnull", &[INT], Kind::Int),
    call("isnull", &[TEXT], Kind::Int),
    call("isnull", &[REAL], Kind::Int),
    call("json_valid", &[TEXT], Kind::Int),
    call("interval", &[INT, INT, INT], Kind::Int),
    call("coalesce", &[Same, Same], Kind::Any),
    call("ifnull", &[Same, Same], Kind::Any),
    call("nullif", &[Same, Same], Kind::Any),
    call("if", &[INT, Same, Same], Kind::Any),
    call("least", &[Same, Same], Kind::Any),
    call("greatest", &[Same, Same], Kind::Any),
    call("year", &[Of(DATE)], Kind::Int),
    call("month", &[Of(DATE)], Kind::Int),
    call("dayofmonth", &[Of(DATE)], Kind::Int),
    call("dayofweek", &[Of(DATE)], Kind::Int),
    call("weekday", &[Of(DATE)], Kind::Int),
    call("dayofyear", &[Of(DATE)], Kind::Int),
    call("quarter", &[Of(DATE)], Kind::Int),
    call("to_days", &[Of(DATE)], Kind::Int),
    call("yearweek", &[Of(DATE)], Kind::Int),
    call("dayname", &[Of(DATE)], Kind::Text),
    call("monthname", &[Of(DATE)], Kind::Text),
    call("date_format", &[Of(DATE), Word(&["%Y-%m", "%d", "%j", "%a"])], Kind::Text),
    call("last_day", &[Of(DATE)], DATE),
    call("datediff", &[Of(DATE), Of(DATE)], Kind::Int),
    call("adddate", &[Of(DATE), SmallInt], DATE),
    call("subdate", &[Of(DATE), SmallInt], DATE),
    call("hour", &[Of(TIME)], Kind::Int),
    call("minute", &[Of(TIME)], Kind::Int),
    call("second", &[Of(TIME)], Kind::Int),
    call("microsecond", &[Of(TIME)], Kind::Int),
    call("year", &[Of(TIMESTAMP)], Kind::Int),
    call("hour", &[Of(TIMESTAMP)], Kind::Int),
    call("microsecond", &[Of(TIMESTAMP)], Kind::Int),
    call("datediff", &[Of(TIMESTAMP), Of(TIMESTAMP)], Kind::Int),
    call("date", &[Of(TIMESTAMP)], DATE),
    call("date_format", &[Of(TIMESTAMP), Word(&["%H:%i", "%Y", "%f"])], Kind::Text),
    call("abs", &[Of(DECIMAL)], DECIMAL),
    call("sign", &[Of(DECIMAL)], Kind::Int),
];

/// A release that rejects any statement of a probe does not have the feature.
const FEATURES: &[(Feature, &[&str])] = &[
    (
        Feature::GeneratedColumn,
        &["CREATE TABLE p(a INT, b INT GENERATED ALWAYS AS (a) VIRTUAL, c INT GENERATED ALWAYS AS (a) STORED)"],
    ),
    (Feature::ExpressionIndex, &["CREATE TABLE p(a INT)", "CREATE INDEX i ON p((a + 1))"]),
    (Feature::RightJoin, &["CREATE TABLE p(a INT)", "SELECT * FROM p RIGHT JOIN p AS q ON 1"]),
    (Feature::Window, &["CREATE TABLE p(a INT)", "SELECT rank() OVER (PARTITION BY a ORDER BY a) FROM p"]),
    (
        Feature::WindowFrame,
        &[
            "CREATE TABLE p(a INT)",
            "SELECT count(*) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM p",
        ],
    ),
    probes::ROW_VALUE,
    probes::CTE,
    probes::RECURSIVE_CTE,
    (Feature::IsTruth, &["SELECT 1 IS TRUE, 0 IS NOT FALSE"]),
    probes::IS_DISTINCT_FROM,
    (Feature::AlterRename, &["CREATE TABLE p(a INT)", "ALTER TABLE p RENAME COLUMN a TO b"]),
    (Feature::AlterAddColumn, &["CREATE TABLE p(a INT)", "ALTER TABLE p ADD COLUMN b INT DEFAULT 1"]),
    (Feature::AlterDropColumn, &["CREATE TABLE p(a INT, b INT)", "ALTER TABLE p DROP COLUMN b"]),
    (Feature::Analyze, &["CREATE TABLE p(a INT)", "ANALYZE TABLE p"]),
    probes::MODULO,
    (
        Feature::SemiJoin,
        &["CREATE TABLE p(a INT)", "SELECT 1 FROM p WHERE NOT EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"],
    ),
    (
        Feature::Correlated,
        &["CREATE TABLE p(a INT)", "SELECT 1 FROM p WHERE EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"],
    ),
    probes::LIKE_ESCAPE,
    probes::INTERSECT_EXCEPT,
    (Feature::Dml, &["CREATE TABLE p(a INT)", "INSERT INTO p SELECT 1", "UPDATE p SET a = 2", "DELETE FROM p"]),
    // Before 8.0.16 MySQL reads CHECK and forgets it.
    (Feature::Check, &["CREATE TABLE p(a INT, CONSTRAINT k CHECK (a > 0))", "ALTER TABLE p DROP CONSTRAINT k"]),
    (Feature::Unique, &["CREATE TABLE p(a INT UNIQUE)"]),
    (Feature::NotNull, &["CREATE TABLE p(a INT NOT NULL)"]),
    probes::VIEW,
    (Feature::DescendingIndex, &["CREATE TABLE p(a INT)", "CREATE INDEX i ON p(a DESC)"]),
    (Feature::Index, &["CREATE TABLE p(a INT)", "CREATE INDEX i ON p(a)"]),
    (Feature::TableFunction, &["SELECT x.a FROM JSON_TABLE('[1]', '$[*]' COLUMNS(a BIGINT PATH '$')) AS x"]),
];

/// What is not there is NULL. Numbers only: texts would have a collation of their own.
const GIVEN: &[Given] = &[
    Given {
        text: "JSON_TABLE('[1, 3, null, -2, 3]', '$[*]' COLUMNS(a BIGINT PATH '$'))",
        columns: &[("a", Kind::Int)],
    },
    Given {
        text: "JSON_TABLE('[{\"a\": 1, \"b\": 7}, {\"b\": 1}, {\"a\": 0}]', '$[*]' COLUMNS(a BIGINT PATH '$.a', \
               b BIGINT PATH '$.b'))",
        columns: &[("a", Kind::Int), ("b", Kind::Int)],
    },
    Given { text: "JSON_TABLE('[]', '$[*]' COLUMNS(a BIGINT PATH '$'))", columns: &[("a", Kind::Int)] },
];

const MYSQL_SETTINGS: &[&str] = &[
    "SET SESSION optimizer_switch = 'derived_merge=off'",
    "SET SESSION optimizer_switch = 'semijoin=off'",
    "SET SESSION optimizer_switch = 'mrr_cost_based=off,batched_key_access=on'",
    "SET SESSION optimizer_switch = 'condition_fanout_filter=off'",
    "SET SESSION optimizer_switch = 'subquery_to_derived=on'",
    "SET SESSION optimizer_switch = 'default'",
    "SET SESSION join_buffer_size = 128",
    "SET SESSION sort_buffer_size = 32768",
    "SET SESSION optimizer_search_depth = 1",
];

const MARIADB_SETTINGS: &[&str] = &[
    "SET SESSION optimizer_switch = 'derived_merge=off'",
    "SET SESSION optimizer_switch = 'semijoin=off'",
    "SET SESSION optimizer_switch = 'mrr=on'",
    "SET SESSION optimizer_switch = 'split_materialized=off'",
    "SET SESSION optimizer_switch = 'default'",
    "SET SESSION join_cache_level = 8",
    "SET SESSION join_cache_level = DEFAULT",
    // Hash joins, batched key access, and both at once.
    "SET SESSION join_cache_level = 4",
    "SET SESSION join_cache_level = 6, optimizer_switch = 'mrr=on,mrr_cost_based=off'",
    "SET SESSION join_cache_level = 8, optimizer_switch = 'mrr=on,mrr_cost_based=off,mrr_sort_keys=on'",
    "SET SESSION optimizer_switch = 'materialization=off,firstmatch=off,loosescan=on'",
    "SET SESSION optimizer_switch = 'materialization=off,semijoin=off'",
    "SET SESSION optimizer_switch = 'index_merge_sort_intersection=on'",
    "SET SESSION optimizer_use_condition_selectivity = 1",
    "SET SESSION optimizer_search_depth = 1",
];
