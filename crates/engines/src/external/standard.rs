//! `standard`: a wide dialect to begin with for an engine that is not known. It lists more than any engine has; what
//! one refuses, or takes and does not keep, is found by probes and left out.

use crate::kinds::{self, DATE, DECIMAL, TIME, TIMESTAMP};
use Param::{Of, Same, SmallInt};
use qualm_core::dialect::sql::{
    Affinity, Dialect, Feature, FunctionSpec, Kind, KindSpec, Param, STANDARD, STANDARD_SPELLING, SelfTest, Spelling,
    TypeSpec,
};

pub static WIDE: Dialect = Dialect {
    name: "standard",
    types: TYPES,
    kinds: KINDS,
    functions: FUNCTIONS,
    features: FEATURES,
    spelling: Spelling {
        // Digits alone are an exact decimal in most engines.
        real: ("CAST(", " AS DOUBLE PRECISION)"),
        casts: &[
            (Kind::Int, "BIGINT"),
            (Kind::Real, "DOUBLE PRECISION"),
            (Kind::Text, "VARCHAR(100)"),
            (Kind::Bool, "BOOLEAN"),
        ],
        ..STANDARD_SPELLING
    },
    self_test: SelfTest {
        statements: &[
            "CREATE TABLE q0 (c0 BIGINT, c1 DOUBLE PRECISION, c2 VARCHAR(100))",
            "INSERT INTO q0 VALUES (-9007199254740993, CAST(0.5 AS DOUBLE PRECISION), 'it''s')",
            "INSERT INTO q0 VALUES (9007199254740993, NULL, '')",
        ],
        question: "SELECT c0, c1, c2 FROM q0 ORDER BY c0",
        answer: r#"[[-9007199254740993, 0.5, "it's"], [9007199254740993, null, ""]]"#,
    },
    ..STANDARD
};

const fn column_type(name: &'static str, kind: Kind) -> TypeSpec {
    TypeSpec { name, kind, affinity: Affinity::None, strict: true }
}

const TYPES: &[TypeSpec] = &[
    column_type("BIGINT", Kind::Int),
    column_type("INTEGER", Kind::Int),
    column_type("VARCHAR(100)", Kind::Text),
    column_type("DOUBLE PRECISION", Kind::Real),
    column_type("BOOLEAN", Kind::Bool),
    column_type("SMALLINT", Kind::Int),
    column_type("DATE", DATE),
    column_type("TIME", TIME),
    column_type("TIMESTAMP", TIMESTAMP),
    column_type("DECIMAL(10,2)", DECIMAL),
];

/// What a date makes with an interval differs, so nothing is computed with them.
const KINDS: &[KindSpec] = &[
    KindSpec { meets: &[], casts: &[], ..kinds::DATE_KIND },
    KindSpec { values: &["00:00:00", "00:00:01", "12:30:00", "23:59:59"], ..kinds::TIME_KIND },
    KindSpec { casts: &[], ..kinds::TIMESTAMP_KIND },
    // Some engines take the type and keep floats, whose sums depend on their order.
    KindSpec { casts: &[], operators: &[], sums: false, ..kinds::DECIMAL_KIND },
];

const fn call(name: &'static str, params: &'static [Param], result: Kind) -> FunctionSpec {
    FunctionSpec { name, params, result }
}

const INT: Param = Of(Kind::Int);
const REAL: Param = Of(Kind::Real);
const TEXT: Param = Of(Kind::Text);

/// Functions that mean the same wherever they are taken, and fail for none of these arguments.
const FUNCTIONS: &[FunctionSpec] = &[
    call("abs", &[INT], Kind::Int),
    call("abs", &[REAL], Kind::Real),
    call("sign", &[INT], Kind::Int),
    call("floor", &[REAL], Kind::Real),
    call("ceil", &[REAL], Kind::Real),
    call("ceiling", &[REAL], Kind::Real),
    call("atan", &[REAL], Kind::Real),
    call("length", &[TEXT], Kind::Int),
    call("char_length", &[TEXT], Kind::Int),
    call("octet_length", &[TEXT], Kind::Int),
    call("lower", &[TEXT], Kind::Text),
    call("upper", &[TEXT], Kind::Text),
    call("lcase", &[TEXT], Kind::Text),
    call("ucase", &[TEXT], Kind::Text),
    call("initcap", &[TEXT], Kind::Text),
    call("reverse", &[TEXT], Kind::Text),
    call("trim", &[TEXT], Kind::Text),
    call("btrim", &[TEXT], Kind::Text),
    call("ltrim", &[TEXT], Kind::Text),
    call("rtrim", &[TEXT], Kind::Text),
    call("left", &[TEXT, SmallInt], Kind::Text),
    call("right", &[TEXT, SmallInt], Kind::Text),
    call("repeat", &[TEXT, SmallInt], Kind::Text),
    call("lpad", &[TEXT, SmallInt], Kind::Text),
    call("rpad", &[TEXT, SmallInt], Kind::Text),
    call("replace", &[TEXT, TEXT, TEXT], Kind::Text),
    call("translate", &[TEXT, TEXT, TEXT], Kind::Text),
    call("strpos", &[TEXT, TEXT], Kind::Int),
    call("instr", &[TEXT, TEXT], Kind::Int),
    call("locate", &[TEXT, TEXT], Kind::Int),
    call("ascii", &[TEXT], Kind::Int),
    call("concat", &[TEXT, TEXT], Kind::Text),
    call("starts_with", &[TEXT, TEXT], Kind::Bool),
    call("coalesce", &[Same, Same], Kind::Any),
    call("ifnull", &[Same, Same], Kind::Any),
    call("nvl", &[Same, Same], Kind::Any),
    call("nullif", &[Same, Same], Kind::Any),
    call("greatest", &[Same, Same], Kind::Any),
    call("least", &[Same, Same], Kind::Any),
    call("bitand", &[INT, INT], Kind::Int),
    call("bitor", &[INT, INT], Kind::Int),
    call("year", &[Of(DATE)], Kind::Int),
    call("month", &[Of(DATE)], Kind::Int),
    call("day", &[Of(DATE)], Kind::Int),
    call("abs", &[Of(DECIMAL)], DECIMAL),
];

const TABLE: &str = "CREATE TABLE p(a INTEGER, b VARCHAR(100))";

/// The statements name a table, because some engines have no SELECT without FROM.
const FEATURES: &[(Feature, &[&str])] = &[
    (
        Feature::GeneratedColumn,
        &["CREATE TABLE p(a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1) STORED, \
                                  c INTEGER GENERATED ALWAYS AS (a) VIRTUAL)"],
    ),
    (Feature::PartialIndex, &[TABLE, "CREATE INDEX i ON p(a) WHERE a IS NOT NULL"]),
    (Feature::ExpressionIndex, &[TABLE, "CREATE INDEX i ON p((a + 1))"]),
    (Feature::RightJoin, &[TABLE, "SELECT * FROM p RIGHT JOIN p AS q ON p.a < q.a"]),
    (Feature::FullJoin, &[TABLE, "SELECT * FROM p FULL JOIN p AS q ON p.a = q.a"]),
    (Feature::FullJoinAny, &[TABLE, "SELECT * FROM p FULL JOIN p AS q ON p.a < q.a"]),
    (Feature::NaturalJoin, &[TABLE, "SELECT p.a FROM p NATURAL LEFT JOIN p AS q"]),
    (Feature::Window, &[TABLE, "SELECT rank() OVER (PARTITION BY b ORDER BY a) FROM p"]),
    (Feature::WindowFrame, &[TABLE, "SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM p"]),
    (Feature::Filter, &[TABLE, "SELECT count(*) FILTER (WHERE a > 0) FROM p"]),
    (
        Feature::RowValue,
        &[TABLE, "SELECT a FROM p WHERE (a, 2) < (1, 3)", "SELECT a FROM p WHERE (a, b) IN (SELECT a, b FROM p)"],
    ),
    (Feature::Cte, &[TABLE, "WITH w(c) AS (SELECT a FROM p) SELECT c FROM w"]),
    (
        Feature::RecursiveCte,
        &["WITH RECURSIVE w(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM w WHERE a < 3) SELECT a FROM w"],
    ),
    (Feature::MaterializedHint, &["WITH w(a) AS NOT MATERIALIZED (SELECT 1) SELECT a FROM w"]),
    (Feature::IsTruth, &[TABLE, "SELECT (a > 1) IS TRUE, (a < 1) IS NOT FALSE FROM p"]),
    (Feature::IsDistinctFrom, &[TABLE, "SELECT a IS DISTINCT FROM 2 FROM p"]),
    (Feature::NullsOrder, &[TABLE, "SELECT a FROM p ORDER BY a NULLS LAST"]),
    (Feature::Values, &["SELECT * FROM (VALUES (1), (2)) AS v"]),
    (Feature::AlterRename, &[TABLE, "ALTER TABLE p RENAME COLUMN a TO c", "SELECT c FROM p"]),
    (Feature::AlterAddColumn, &[TABLE, "ALTER TABLE p ADD COLUMN c INTEGER DEFAULT 1", "SELECT c FROM p"]),
    (Feature::AlterDropColumn, &[TABLE, "ALTER TABLE p DROP COLUMN b"]),
    (Feature::BitOperators, &[TABLE, "SELECT a & 2 | 3 << 1 FROM p"]),
    (Feature::Modulo, &[TABLE, "SELECT a % 3 FROM p"]),
    (Feature::Correlated, &[TABLE, "SELECT 1 FROM p WHERE EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"]),
    (Feature::SemiJoin, &[TABLE, "SELECT 1 FROM p WHERE NOT EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"]),
    (Feature::LikeEscape, &[TABLE, "SELECT b FROM p WHERE b LIKE 'a!%' ESCAPE '!'"]),
    (Feature::IntersectExcept, &[TABLE, "SELECT a FROM p INTERSECT SELECT a FROM p EXCEPT SELECT a FROM p"]),
    (Feature::CompoundOrder, &[TABLE, "SELECT a FROM p UNION ALL SELECT a FROM p ORDER BY a LIMIT 1"]),
    (Feature::Returning, &[TABLE, "UPDATE p SET a = 2 RETURNING a", "DELETE FROM p RETURNING a"]),
    (Feature::Dml, &[TABLE, "INSERT INTO p SELECT 1, 'a' FROM p", "UPDATE p SET a = 2", "DELETE FROM p"]),
    (Feature::Check, &["CREATE TABLE p(a INTEGER CHECK (a > 0))"]),
    (Feature::Unique, &["CREATE TABLE p(a INTEGER UNIQUE)"]),
    (Feature::NotNull, &["CREATE TABLE p(a INTEGER NOT NULL)"]),
    (Feature::View, &[TABLE, "CREATE VIEW w AS SELECT a FROM p"]),
    (Feature::DescendingIndex, &[TABLE, "CREATE INDEX i ON p(a DESC)"]),
    (Feature::Index, &[TABLE, "CREATE INDEX i ON p(a)"]),
];
