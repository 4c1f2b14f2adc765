//! What an engine says of itself: the statements that list its functions and types, which of them are left out and
//! why, and the steps that its plans are made of. `qualm bench functions` and `qualm bench coverage` read it; no driver
//! does.

mod mysql;
mod operators;

use crate::kinds::{DATE, DECIMAL, TIME, TIMESTAMP, UUID};
pub use operators::PlanOperator;
use qualm_core::dialect::sql::Kind;

pub struct Catalogue {
    /// The engines that it is of, by name.
    pub engines: &'static [&'static str],
    /// Scalar functions whose value depends on their arguments alone, as far as the engine says.
    pub scalars: Names,
    pub aggregates: Names,
    /// Types that a column may have.
    pub types: Names,
    pub type_of: TypeOf,
    /// What values of a type are, where they are of a kind that is used. A type that is not here is none.
    pub results: &'static [(&'static str, Kind)],
    /// Names that are left out (a star at an end stands for anything) and the reason.
    pub excluded: &'static [(&'static str, &'static str)],
    /// Floats that a function computes are the same wherever it is computed.
    pub floats: bool,
    /// Values of any kind are taken where others are meant, and converted.
    pub converts: bool,
    /// The steps of plans, from the engine's documentation and source.
    pub operators: &'static [PlanOperator],
}

/// Where names come from.
pub enum Names {
    /// A query of one column.
    Asked(&'static str),
    /// The engine cannot be asked: from its manual, separated by blanks.
    Listed(&'static str),
}

/// How the type of an expression is found out.
pub enum TypeOf {
    /// By this function.
    Function(&'static str),
    /// A table is made of it, and this query says what its only column is.
    Table(&'static str),
}

pub const CATALOGUES: &[Catalogue] = &[POSTGRES, DUCKDB, CLICKHOUSE, mysql::MYSQL, mysql::MARIADB];

pub fn of(engine: &str) -> Option<&'static Catalogue> {
    let name = engine.split(':').next().unwrap_or_default();
    CATALOGUES.iter().find(|c| c.engines.contains(&name))
}

impl Catalogue {
    /// Why a function is left out, if it is.
    pub fn left_out(&self, name: &str) -> Option<&'static str> {
        let name = name.to_ascii_lowercase();
        let fits = |pattern: &str| {
            let pattern = pattern.to_ascii_lowercase();
            match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
                (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
                (Some(end), None) => name.ends_with(end),
                (None, Some(begin)) => name.starts_with(begin),
                (None, None) => name == pattern,
            }
        };
        let mut all = EXCLUDED.iter().chain(self.excluded);
        all.find(|(pattern, _)| fits(pattern)).map(|(_, why)| *why)
    }
}

const TIME_OF_DAY: &str = "the time at which it is asked";
const RANDOM: &str = "random";
const SESSION: &str = "the session, its user or its settings";
const OUTSIDE: &str = "files, the network, locks or other sessions";
const WAITS: &str = "waits, or takes as long as it is told to";
const FOLDED: &str = "how the query is planned or stored";
const ROW_ORDER: &str = "the order in which rows are read";
const FAILS: &str = "made to fail";
const CHANGES: &str = "changes something";
const APPROXIMATE: &str = "approximate";
const COLLATIONS: &str = "a key of a collation, of which there are hundreds alike";
const INTERNAL: &str = "a part of operators, casts and aggregates, which call it";
const ZERO_SIGN: &str = "keeps -0.0 and 0.0 apart, which are equal";
const SYNTAX: &str = "arguments with words between them";
const OVERFLOW: &str = "overflows";
const FORMAT: &str = "a format that most texts do not have";

/// In every engine.
const EXCLUDED: &[(&str, &str)] = &[
    ("rand*", RANDOM),
    ("*random*", RANDOM),
    ("*uuid_short*", RANDOM),
    ("uuid", RANDOM),
    ("uuidv*", RANDOM),
    ("uuid_v*", RANDOM),
    ("setseed", RANDOM),
    ("now", TIME_OF_DAY),
    ("now64", TIME_OF_DAY),
    ("current*", SESSION),
    ("session*", SESSION),
    ("*sleep*", WAITS),
    ("benchmark", WAITS),
    ("version*", SESSION),
    ("user", SESSION),
    ("system_user", SESSION),
    ("database", SESSION),
    ("schema", SESSION),
    ("*_lock*", OUTSIDE),
    ("load_file", OUTSIDE),
    ("*file*", OUTSIDE),
    ("nextval", CHANGES),
    ("currval", SESSION),
    ("*timezone*", SESSION),
    ("substring", SYNTAX),
    ("overlay", SYNTAX),
    ("position", SYNTAX),
    ("normalize", SYNTAX),
    ("extract", SYNTAX),
    ("convert", SYNTAX),
    ("cast", SYNTAX),
    ("char", SYNTAX),
    ("date_add", SYNTAX),
    ("date_sub", SYNTAX),
    ("timestampadd", SYNTAX),
    ("timestampdiff", SYNTAX),
    ("*approx*", APPROXIMATE),
];

const POSTGRES: Catalogue = Catalogue {
    engines: &["postgres"],
    // What implements operators, types, casts and indexes is called by those, and has such a description or none.
    scalars: Names::Asked(
        "SELECT DISTINCT p.proname::text FROM pg_proc p JOIN pg_description d ON d.objoid = p.oid AND \
         d.classoid = 'pg_proc'::regclass WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = \
         'f' AND p.provolatile = 'i' AND NOT p.proretset AND p.pronargs > 0 AND d.description NOT LIKE \
         'implementation of%' AND d.description NOT LIKE '%deprecated%' AND d.description NOT LIKE \
         '%support%' AND d.description NOT LIKE 'I/O%' AND d.description NOT LIKE '(internal)%' AND \
         d.description NOT LIKE '%comparison%' AND d.description NOT LIKE '%planner%' AND d.description NOT \
         LIKE '%selectivity%' ORDER BY 1",
    ),
    aggregates: Names::Asked(
        "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace \
                 AND prokind = 'a' AND pronargs > 0 ORDER BY 1",
    ),
    types: Names::Asked(
        "SELECT typname::text FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN \
         ('b', 'r', 'm') AND typname NOT LIKE 'pg\\_%' AND typname NOT LIKE '\\_%' AND typname NOT LIKE \
         'reg%' ORDER BY 1",
    ),
    type_of: TypeOf::Function("pg_typeof({})::text"),
    results: &[
        ("integer", Kind::Int),
        ("bigint", Kind::Int),
        ("double precision", Kind::Real),
        ("text", Kind::Text),
        ("bytea", Kind::Blob),
        ("boolean", Kind::Bool),
        ("date", DATE),
        ("time without time zone", TIME),
        ("timestamp without time zone", TIMESTAMP),
        ("numeric", DECIMAL),
        ("uuid", UUID),
    ],
    excluded: &[
        ("pg_*", SESSION),
        ("txid*", SESSION),
        ("has_*", SESSION),
        ("regexp*", FORMAT),
        ("lcm", OVERFLOW),
        ("factorial", OVERFLOW),
        ("*_transfn", INTERNAL),
        ("*hash*", INTERNAL),
        ("dexp", INTERNAL),
        ("dlog*", INTERNAL),
        ("bt*", INTERNAL),
        ("*cmp*", INTERNAL),
        ("int4*", INTERNAL),
        ("int8*", INTERNAL),
        ("float*", INTERNAL),
        ("*_subdiff", INTERNAL),
        ("*larger", INTERNAL),
        ("*smaller", INTERNAL),
        ("numeric*", INTERNAL),
        ("text*", INTERNAL),
        ("bytea*", INTERNAL),
        ("bool", INTERNAL),
        ("like*", INTERNAL),
        ("notlike", INTERNAL),
        ("dround", INTERNAL),
        ("dtrunc", INTERNAL),
        ("similar*", INTERNAL),
        ("atan2*", ZERO_SIGN),
        ("unistr", FORMAT),
        ("xml*", "XML"),
        ("percentile*", "written with WITHIN GROUP"),
        ("mode", "written with WITHIN GROUP"),
        ("any_value", ROW_ORDER),
    ],
    floats: true,
    converts: false,
    operators: operators::POSTGRES,
};

const DUCKDB: Catalogue = Catalogue {
    engines: &["duckdb"],
    scalars: Names::Asked(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'scalar' AND \
              coalesce(stability, 'CONSISTENT') = 'CONSISTENT' AND regexp_matches(function_name, '^[a-z][a-z0-9_]*$') \
              AND len(parameters) > 0 ORDER BY 1",
    ),
    aggregates: Names::Asked(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate' \
                 AND regexp_matches(function_name, '^[a-z][a-z0-9_]*$') ORDER BY 1",
    ),
    types: Names::Asked("SELECT DISTINCT logical_type FROM duckdb_types() WHERE database_name = 'system' ORDER BY 1"),
    type_of: TypeOf::Function("typeof({})"),
    results: &[
        ("INTEGER", Kind::Int),
        ("BIGINT", Kind::Int),
        ("DOUBLE", Kind::Real),
        ("VARCHAR", Kind::Text),
        ("BLOB", Kind::Blob),
        ("BOOLEAN", Kind::Bool),
        ("DATE", DATE),
        ("TIME", TIME),
        ("TIMESTAMP", TIMESTAMP),
        ("DECIMAL(10,2)", DECIMAL),
        ("UUID", UUID),
    ],
    excluded: &[
        ("collate_*", COLLATIONS),
        ("icu_collate_*", COLLATIONS),
        ("arg_m*", ROW_ORDER),
        ("argm*", ROW_ORDER),
        ("max_by", ROW_ORDER),
        ("min_by", ROW_ORDER),
        ("multiply", OVERFLOW),
        ("add", OVERFLOW),
        ("subtract", OVERFLOW),
        ("*multiple", OVERFLOW),
        ("lcm", OVERFLOW),
        ("factorial", OVERFLOW),
        ("cast_to_type", FOLDED),
        ("replace_type", FOLDED),
        ("format", FORMAT),
        ("printf", FORMAT),
        ("regexp_*", FORMAT),
        ("json_c*", FORMAT),
        ("json_e*", FORMAT),
        ("json_n*", FORMAT),
        ("json_p*", FORMAT),
        ("json_t*", FORMAT),
        ("json_value", FORMAT),
        ("hive_partition*", INTERNAL),
        ("is_histogram*", INTERNAL),
        ("signbit", ZERO_SIGN),
        ("atan2", ZERO_SIGN),
        ("mean", "an average, which 'avg' is already"),
        ("decimal_average", "an average, which 'avg' is already"),
        ("error", FAILS),
        ("get_current*", TIME_OF_DAY),
        ("today", TIME_OF_DAY),
        ("ago", TIME_OF_DAY),
        ("age", TIME_OF_DAY),
        ("stats", FOLDED),
        ("alias", FOLDED),
        ("constant_or_null", FOLDED),
        ("vector_type", FOLDED),
        ("getvariable", SESSION),
        ("in_search_path", SESSION),
        ("write_log", CHANGES),
        ("add_parquet_key", OUTSIDE),
        ("pg_*", SESSION),
        ("txid*", SESSION),
        ("gen_*", RANDOM),
        ("combine", FOLDED),
        ("finalize", FOLDED),
        ("*reservoir*", APPROXIMATE),
        ("first", ROW_ORDER),
        ("last", ROW_ORDER),
        ("any_value", ROW_ORDER),
        ("arbitrary", ROW_ORDER),
        ("mode", ROW_ORDER),
        ("histogram*", "maps"),
        ("create_sort_key", FOLDED),
        ("hash", FOLDED),
    ],
    floats: true,
    converts: false,
    operators: operators::DUCKDB,
};

const CLICKHOUSE: Catalogue = Catalogue {
    engines: &["chdb", "clickhouse"],
    scalars: Names::Asked(
        "SELECT name FROM system.functions WHERE NOT is_aggregate AND alias_to = '' AND origin = 'System' AND \
              ifNull(deterministic, 1) AND match(name, '^[a-zA-Z][a-zA-Z0-9_]*$') ORDER BY name",
    ),
    aggregates: Names::Asked(
        "SELECT name FROM system.functions WHERE is_aggregate AND alias_to = '' AND \
                 match(name, '^[a-zA-Z][a-zA-Z0-9_]*$') ORDER BY name",
    ),
    types: Names::Asked("SELECT name FROM system.data_type_families WHERE alias_to = '' ORDER BY name"),
    type_of: TypeOf::Function("toTypeName({})"),
    results: &[
        ("Int64", Kind::Int),
        ("Int32", Kind::Int),
        ("Int16", Kind::Int),
        ("Int8", Kind::Int),
        ("UInt32", Kind::Int),
        ("UInt16", Kind::Int),
        // Truth values have this type as well: which it is, the values say.
        ("UInt8", Kind::Int),
        ("Float64", Kind::Real),
        ("String", Kind::Text),
        ("Date", DATE),
        ("DateTime", TIMESTAMP),
        ("Decimal(18, 2)", DECIMAL),
        ("UUID", UUID),
    ],
    excluded: &[
        ("throwIf", FAILS),
        ("add*", OVERFLOW),
        ("subtract*", OVERFLOW),
        ("change*", OVERFLOW),
        ("toInt8*", OVERFLOW),
        ("toInt16*", OVERFLOW),
        ("toInt32*", OVERFLOW),
        ("toUInt*", OVERFLOW),
        ("*OrDefault", OVERFLOW),
        ("toDate*", OVERFLOW),
        ("fromUnix*", OVERFLOW),
        ("fromDays*", OVERFLOW),
        ("plus", INTERNAL),
        ("minus", INTERNAL),
        ("multiply", INTERNAL),
        ("negate", INTERNAL),
        ("modulo*", INTERNAL),
        ("intDiv*", INTERNAL),
        ("*in", INTERNAL),
        ("*InIgnoreSet", INTERNAL),
        ("*equals", INTERNAL),
        ("less", INTERNAL),
        ("greater", INTERNAL),
        ("isDistinctFrom", INTERNAL),
        ("isNotDistinctFrom", INTERNAL),
        ("isNull", INTERNAL),
        ("isNotNull", INTERNAL),
        ("and", INTERNAL),
        ("or", INTERNAL),
        ("not", INTERNAL),
        ("xor", INTERNAL),
        ("assume*", "undefined for NULL"),
        ("*AssumeInjective", "assumes what is not so"),
        ("reinterpret*", INTERNAL),
        ("partitionId", INTERNAL),
        ("firstNonDefault", INTERNAL),
        ("*Query*", "texts of queries"),
        ("errorCode*", SESSION),
        ("toTime*", SESSION),
        ("hop*", OVERFLOW),
        ("tumble*", OVERFLOW),
        ("sqid*", FORMAT),
        ("snowflake*", FORMAT),
        ("DATE", SYNTAX),
        ("sumWithOverflow", OVERFLOW),
        ("toJSONString", ZERO_SIGN),
        ("byteSwap", OVERFLOW),
        ("midpoint", OVERFLOW),
        ("avg2", OVERFLOW),
        ("bitNot", OVERFLOW),
        ("bitmask*", FORMAT),
        ("toUnixTimestamp", SESSION),
        ("javaHash*", OVERFLOW),
        ("hiveHash", OVERFLOW),
        ("space", OVERFLOW),
        ("*regex*", FORMAT),
        ("match", FORMAT),
        ("multiMatch*", FORMAT),
        ("extract*", FORMAT),
        ("argMin*", ROW_ORDER),
        ("argMax*", ROW_ORDER),
        ("lcm", OVERFLOW),
        ("isConstant", FOLDED),
        ("ignore", FOLDED),
        ("indexHint", FOLDED),
        ("identity", FOLDED),
        ("materialize", FOLDED),
        ("__*", FOLDED),
        ("dump*", FOLDED),
        ("toTypeName", FOLDED),
        ("toColumnTypeName", FOLDED),
        ("byteSize", FOLDED),
        ("blockSize", FOLDED),
        ("lowCardinality*", FOLDED),
        ("*serialize*", FOLDED),
        ("running*", ROW_ORDER),
        ("neighbor", ROW_ORDER),
        ("rowNumber*", ROW_ORDER),
        ("blockNumber", ROW_ORDER),
        ("hostName", SESSION),
        ("FQDN", SESSION),
        ("*server*", SESSION),
        ("uptime", TIME_OF_DAY),
        ("today", TIME_OF_DAY),
        ("yesterday", TIME_OF_DAY),
        ("generate*", RANDOM),
        ("fuzz*", RANDOM),
        ("dict*", OUTSIDE),
        ("joinGet*", OUTSIDE),
        ("catboost*", OUTSIDE),
        ("get*", SESSION),
        ("filesystem*", OUTSIDE),
        ("*Zookeeper*", OUTSIDE),
        ("show*", SESSION),
        ("has*Thread*", SESSION),
        ("ai*", OUTSIDE),
        ("*encrypt*", "keys"),
        ("*decrypt*", "keys"),
        ("tcpPort", SESSION),
        ("queryID", SESSION),
        ("initial*", SESSION),
        ("connection*", SESSION),
        ("shard*", SESSION),
        ("zookeeper*", SESSION),
        ("revision", SESSION),
        ("buildId", SESSION),
        ("display*", SESSION),
        ("parse*", FORMAT),
        ("any*", ROW_ORDER),
        ("first_value*", ROW_ORDER),
        ("last_value*", ROW_ORDER),
        ("groupArray*", ROW_ORDER),
        ("quantile*", APPROXIMATE),
        ("*TDigest*", APPROXIMATE),
        ("topK*", APPROXIMATE),
        ("uniq*", APPROXIMATE),
        ("median*", APPROXIMATE),
        ("simpleLinearRegression", "floats in the order of rows"),
        ("stochastic*", RANDOM),
        ("nothing*", FOLDED),
        ("lag*", ROW_ORDER),
        ("lead*", ROW_ORDER),
        ("nth_value", ROW_ORDER),
        ("ntile", ROW_ORDER),
        ("row_number", ROW_ORDER),
        ("rank", ROW_ORDER),
        ("dense*", ROW_ORDER),
        ("percent*", ROW_ORDER),
        ("cume*", ROW_ORDER),
        ("deltaSum*", ROW_ORDER),
        ("exponential*", ROW_ORDER),
        ("estimateCompressionRatio", FOLDED),
        ("largestTriangle*", ROW_ORDER),
        ("aggThrow", FAILS),
        ("singleValueOrNull", ROW_ORDER),
        ("formatRow*", "formats"),
        ("file*", OUTSIDE),
        ("*Macro*", SESSION),
        ("timeSlots", "lists"),
        ("minSampleSize*", "floats"),
        ("kafka*", SESSION),
        ("structureTo*", "schemas"),
    ],
    // Batches are computed with vector instructions, what is left of them is not.
    floats: false,
    converts: false,
    operators: operators::CLICKHOUSE,
};
