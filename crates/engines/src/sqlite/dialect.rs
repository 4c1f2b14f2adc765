//! SQLite's SQL as data: what the generator may use, and how to find out whether a release has it.

use super::functions::{FUNCTIONS, JSON_MAKERS};
use super::modules::MODULES;
use crate::probes;
use qualm_core::dialect::sql::{
    Affinity, Binding, Dialect, Feature, Given, Kind, NullSafe, STANDARD, STANDARD_SPELLING, SelfTest, Semantics,
    Spelling, TypeSpec,
};

pub static SQLITE: Dialect = Dialect {
    name: "sqlite",
    dynamic_typing: true,
    numeric_truth: true,
    types: TYPES,
    collations: &["BINARY", "NOCASE", "RTRIM"],
    functions: FUNCTIONS,
    features: FEATURES,
    settings: SETTINGS,
    maintenance: &[
        "ANALYZE",
        "REINDEX",
        "VACUUM",
        "PRAGMA incremental_vacuum(2)",
        "PRAGMA shrink_memory",
        "PRAGMA wal_checkpoint",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA integrity_check",
        "PRAGMA quick_check",
        "PRAGMA foreign_key_check",
        "PRAGMA index_list({table})",
        "PRAGMA table_xinfo({table})",
        "PRAGMA foreign_key_list({table})",
        "PRAGMA optimize(0x10002)",
    ],
    layouts: LAYOUTS,
    given: GIVEN,
    on_disk: (".open --new qualm.db", ".open qualm.db"),
    foreign_keys_on: "PRAGMA foreign_keys = ON",
    modules: MODULES,
    json_makers: JSON_MAKERS,
    int_limit: i64::MAX,
    spelling: Spelling {
        null_safe: NullSafe::Is,
        infinity: ("9e999", "-9e999"),
        insert_ignore: ("INSERT OR IGNORE", ""),
        insert_replace: ("REPLACE", ""),
        update_ignore: "UPDATE OR IGNORE",
        update_replace: "UPDATE OR REPLACE",
        generated: "AS",
        casts: &[(Kind::Int, "INTEGER"), (Kind::Real, "REAL"), (Kind::Text, "TEXT"), (Kind::Blob, "BLOB")],
        comma_binds_weakly: false,
        binding: Binding::Shell,
        ..STANDARD_SPELLING
    },
    self_test: SelfTest {
        statements: &[
            "CREATE TABLE q0 (c0 INTEGER, c1 REAL, c2 TEXT, c3 BLOB)",
            "INSERT INTO q0 VALUES (-9223372036854775808, 0.1, 'it''s \"\u{1F980}\"', x'00FF')",
            "INSERT INTO q0 VALUES (9223372036854775807, 9e999, '', NULL)",
        ],
        question: "SELECT c0, c1, c2, c3 FROM q0 ORDER BY c0",
        answer: r#"[[-9223372036854775808, 0.1, "it's \"\ud83e\udd80\"", {"blob": "00FF"}],
            [9223372036854775807, {"real": "Inf"}, "", null]]"#,
    },
    semantics: Some(Semantics::Sqlite),
    ..STANDARD
};

const fn column_type(name: &'static str, kind: Kind, affinity: Affinity, strict: bool) -> TypeSpec {
    TypeSpec { name, kind, affinity, strict }
}

const TYPES: &[TypeSpec] = &[
    column_type("INT", Kind::Int, Affinity::Integer, true),
    column_type("INTEGER", Kind::Int, Affinity::Integer, true),
    column_type("TEXT", Kind::Text, Affinity::Text, true),
    column_type("REAL", Kind::Real, Affinity::Real, true),
    column_type("BLOB", Kind::Blob, Affinity::Blob, true),
    column_type("NUMERIC", Kind::Real, Affinity::Numeric, false),
    column_type("VARCHAR(10)", Kind::Text, Affinity::Text, false),
    column_type("", Kind::Any, Affinity::Blob, false),
    column_type("ANY", Kind::Any, Affinity::Blob, true),
];

/// A release that rejects any statement of a probe does not have the feature.
const FEATURES: &[(Feature, &[&str])] = &[
    (Feature::WithoutRowid, &["CREATE TABLE p(a PRIMARY KEY) WITHOUT ROWID"]),
    (Feature::Strict, &["CREATE TABLE p(a INT) STRICT"]),
    (Feature::GeneratedColumn, &["CREATE TABLE p(a, b AS (a) VIRTUAL, c AS (a) STORED)"]),
    (Feature::PartialIndex, &["CREATE TABLE p(a)", "CREATE INDEX i ON p(a) WHERE a IS NOT NULL"]),
    (Feature::ExpressionIndex, &["CREATE TABLE p(a)", "CREATE INDEX i ON p((a + 1))"]),
    (Feature::RightJoin, &["CREATE TABLE p(a)", "SELECT * FROM p RIGHT JOIN p AS q ON 1"]),
    (Feature::FullJoin, &["CREATE TABLE p(a)", "SELECT * FROM p FULL JOIN p AS q ON 1"]),
    (Feature::FullJoinAny, &["CREATE TABLE p(a)", "SELECT * FROM p FULL JOIN p AS q ON p.a < q.a"]),
    (Feature::NaturalJoin, &["CREATE TABLE p(a)", "SELECT p.a FROM p NATURAL LEFT JOIN p AS q"]),
    (Feature::Window, &["CREATE TABLE p(a)", "SELECT rank() OVER (PARTITION BY a ORDER BY a) FROM p"]),
    (
        Feature::WindowFrame,
        &["CREATE TABLE p(a)", "SELECT count(*) OVER (ORDER BY a GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM p"],
    ),
    (Feature::Filter, &["CREATE TABLE p(a)", "SELECT count(*) FILTER (WHERE a) FROM p"]),
    probes::ROW_VALUE,
    probes::CTE,
    probes::RECURSIVE_CTE,
    probes::MATERIALIZED_HINT,
    (Feature::IsTruth, &["SELECT 1 IS TRUE, 0 IS NOT FALSE"]),
    probes::IS_DISTINCT_FROM,
    (Feature::NullsOrder, &["CREATE TABLE p(a)", "SELECT a FROM p ORDER BY a NULLS LAST"]),
    (Feature::Glob, &["SELECT 'a' GLOB 'a*'"]),
    (Feature::JsonArrow, &["SELECT '{\"a\":1}' -> '$.a', '{\"a\":1}' ->> 'a'"]),
    (Feature::IndexedBy, &["CREATE TABLE p(a)", "SELECT * FROM p NOT INDEXED"]),
    (Feature::Values, &["SELECT * FROM (VALUES (1), (2)) AS v"]),
    (Feature::AlterRename, &["CREATE TABLE p(a)", "ALTER TABLE p RENAME COLUMN a TO b"]),
    (Feature::AlterAddColumn, &["CREATE TABLE p(a)", "ALTER TABLE p ADD COLUMN b DEFAULT 1"]),
    (Feature::AlterDropColumn, &["CREATE TABLE p(a, b)", "ALTER TABLE p DROP COLUMN b"]),
    (Feature::Analyze, &["CREATE TABLE p(a)", "ANALYZE"]),
    (Feature::Vacuum, &["VACUUM"]),
    (Feature::Reindex, &["REINDEX"]),
    (Feature::InTable, &["CREATE TABLE p(a)", "SELECT 1 IN p"]),
    (Feature::Rowid, &["CREATE TABLE p(a)", "SELECT p.rowid FROM p"]),
    (Feature::Collate, &["SELECT 'a' COLLATE NOCASE"]),
    (Feature::KeyTerms, &["CREATE TABLE p(a, b, PRIMARY KEY(a COLLATE NOCASE DESC), UNIQUE(b DESC))"]),
    (Feature::BitOperators, &["SELECT 1 & 2 | 3 << 1"]),
    (Feature::Division, &["SELECT 1 / 0"]),
    probes::MODULO,
    (
        Feature::Correlated,
        &["CREATE TABLE p(a)", "SELECT 1 FROM p WHERE EXISTS (SELECT 1 FROM p AS q WHERE q.a = p.a)"],
    ),
    probes::LIKE_ESCAPE,
    probes::INTERSECT_EXCEPT,
    (
        Feature::Returning,
        &[
            "CREATE TABLE p(a)",
            "INSERT INTO p VALUES (1)",
            "UPDATE p SET a = 2 RETURNING a",
            "DELETE FROM p RETURNING a",
        ],
    ),
    (Feature::Dml, &["CREATE TABLE p(a)", "INSERT INTO p SELECT 1", "UPDATE p SET a = 2", "DELETE FROM p"]),
    (Feature::Check, &["CREATE TABLE p(a CHECK (a > 0))"]),
    (Feature::Unique, &["CREATE TABLE p(a UNIQUE)"]),
    (Feature::NotNull, &["CREATE TABLE p(a NOT NULL)"]),
    (Feature::View, &["CREATE VIEW p AS SELECT 1"]),
    (Feature::DescendingIndex, &["CREATE TABLE p(a)", "CREATE INDEX i ON p(a DESC)"]),
    (Feature::Index, &["CREATE TABLE p(a)", "CREATE INDEX i ON p(a)"]),
    (Feature::StatTable, &["CREATE TABLE p(a)", "CREATE INDEX i ON p(a)", "ANALYZE", "SELECT * FROM sqlite_stat1"]),
    (Feature::CompoundOrder, &["SELECT 2 AS a UNION ALL SELECT 1 ORDER BY a LIMIT 1"]),
    (
        Feature::Trigger,
        &[
            "CREATE TABLE p(a)",
            "CREATE TABLE q(a)",
            "CREATE TRIGGER g AFTER INSERT ON p WHEN NEW.a > 0 BEGIN INSERT INTO q VALUES (NEW.a); END",
            "INSERT INTO p VALUES (1)",
        ],
    ),
    (
        Feature::TriggerWhen,
        &[
            "CREATE TABLE p(a)",
            "CREATE TRIGGER g BEFORE UPDATE OF a ON p WHEN NEW.a > OLD.a BEGIN DELETE FROM p WHERE a = NEW.a; END",
        ],
    ),
    (
        Feature::InsteadOf,
        &[
            "CREATE TABLE p(a)",
            "CREATE VIEW v AS SELECT a FROM p",
            "CREATE TRIGGER g INSTEAD OF INSERT ON v BEGIN INSERT INTO p VALUES (NEW.a); END",
            "INSERT INTO v(a) VALUES (1)",
        ],
    ),
    (
        Feature::ForeignKey,
        &[
            "PRAGMA foreign_keys = ON",
            "CREATE TABLE p(a PRIMARY KEY)",
            "CREATE TABLE q(a, FOREIGN KEY (a) REFERENCES p(a) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)",
            "INSERT INTO p VALUES (1)",
            "INSERT INTO q VALUES (1)",
            "DELETE FROM p",
        ],
    ),
    (
        Feature::Upsert,
        &[
            "CREATE TABLE p(a PRIMARY KEY, b)",
            "INSERT INTO p(a, b) VALUES (1, 2) ON CONFLICT DO NOTHING",
            "INSERT INTO p(a, b) VALUES (1, 3) ON CONFLICT (a) DO UPDATE SET b = excluded.b WHERE b < 3",
        ],
    ),
    (Feature::InsertReturning, &["CREATE TABLE p(a)", "INSERT INTO p VALUES (1) RETURNING *"]),
    (
        Feature::Transaction,
        &[
            "CREATE TABLE p(a)",
            "BEGIN",
            "SAVEPOINT s",
            "INSERT INTO p VALUES (1)",
            "ROLLBACK TO SAVEPOINT s",
            "RELEASE SAVEPOINT s",
            "COMMIT",
        ],
    ),
    (Feature::Autoincrement, &["CREATE TABLE p(a INTEGER PRIMARY KEY AUTOINCREMENT)"]),
    (Feature::TableFunction, &["SELECT x.value, x.fullkey FROM json_each('[1]') AS x, json_tree(NULL) AS y"]),
    (
        Feature::OnDisk,
        &[".open --new qualm.db", "CREATE TABLE p(a)", "INSERT INTO p VALUES (1)", ".open qualm.db", "SELECT a FROM p"],
    ),
    (Feature::Rtree, &["CREATE VIRTUAL TABLE p USING rtree(a, b, c)", "INSERT INTO p VALUES (1, 2, 3)"]),
    (
        Feature::Fts4,
        &[
            "CREATE VIRTUAL TABLE p USING fts4(a, b)",
            "INSERT INTO p(a, b) VALUES ('one two', 'three')",
            "SELECT p.a FROM p WHERE p.p MATCH 'one two'",
        ],
    ),
    (
        Feature::Fts5,
        &[
            "CREATE VIRTUAL TABLE p USING fts5(a, b)",
            "INSERT INTO p(a, b) VALUES ('one two', 'three')",
            "SELECT p.a FROM p WHERE p.p MATCH 'one AND two'",
        ],
    ),
];

const JSON_COLUMNS: &[(&str, Kind)] = &[
    ("key", Kind::Any),
    ("value", Kind::Any),
    ("type", Kind::Text),
    ("atom", Kind::Any),
    ("id", Kind::Int),
    ("parent", Kind::Int),
    ("fullkey", Kind::Text),
    ("path", Kind::Text),
];

/// Equal values in them are the same: no 1 beside 1.0.
const GIVEN: &[Given] = &[
    Given { text: "json_each('[3,null,\"a\",-1,true]')", columns: JSON_COLUMNS },
    Given { text: "json_each('{\"a\":1,\"b\":[2,{}],\"c d\":\"x\"}')", columns: JSON_COLUMNS },
    Given { text: "json_each('{\"a\":[0,\"b\",0]}', '$.a')", columns: JSON_COLUMNS },
    Given { text: "json_each('[[1,2],[3]]', '$[#-1]')", columns: JSON_COLUMNS },
    Given { text: "json_each('7')", columns: JSON_COLUMNS },
    Given { text: "json_each(NULL)", columns: JSON_COLUMNS },
    Given { text: "json_tree('{\"a\":[5,{\"b\":null}],\"c\":\"a\"}')", columns: JSON_COLUMNS },
    Given { text: "json_tree('{\"a\":[5,{\"b\":null}],\"c\":[]}', '$.a')", columns: JSON_COLUMNS },
    Given { text: "json_tree('[[],[[1]],2]')", columns: JSON_COLUMNS },
    Given { text: "json_tree('[1]', '$.b')", columns: JSON_COLUMNS },
];

/// How a database is stored, said before it holds anything.
const LAYOUTS: &[&str] = &[
    "PRAGMA page_size = 512",
    "PRAGMA page_size = 1024",
    "PRAGMA page_size = 65536",
    "PRAGMA encoding = 'UTF-16le'",
    "PRAGMA encoding = 'UTF-16be'",
    "PRAGMA auto_vacuum = FULL",
    "PRAGMA auto_vacuum = INCREMENTAL",
    // Not OFF: then ROLLBACK, and a statement that fails, may leave a damaged database (says the manual).
    "PRAGMA journal_mode = MEMORY",
    "PRAGMA secure_delete = ON",
    "PRAGMA legacy_file_format = ON",
    "PRAGMA cell_size_check = ON",
    "PRAGMA cache_size = 10",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode = PERSIST",
    "PRAGMA journal_mode = TRUNCATE",
    "PRAGMA journal_size_limit = 2000",
    "PRAGMA wal_autocheckpoint = 2",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA mmap_size = 100000",
    "PRAGMA synchronous = EXTRA",
    "PRAGMA checkpoint_fullfsync = ON",
];

const SETTINGS: &[&str] = &[
    "PRAGMA automatic_index = 0",
    "PRAGMA automatic_index = 1",
    "PRAGMA reverse_unordered_selects = 1",
    "PRAGMA reverse_unordered_selects = 0",
    "PRAGMA cache_size = 20",
    "PRAGMA temp_store = 2",
    "PRAGMA cache_spill = 0",
    "PRAGMA threads = 2",
    "PRAGMA optimize",
];
