//! What each flavour of SQL lets pass, as data.

use super::Lexis;

/// What one flavour lets pass. Lists are words with blanks between them.
pub struct Rules {
    pub lexis: Lexis,
    /// First words of statements.
    pub kinds: &'static str,
    /// What CREATE, ALTER and DROP may work on, and the words that may stand before it.
    pub things: &'static str,
    pub before_thing: &'static str,
    /// Words that mean files, other servers or other people's rights wherever they stand unquoted.
    pub words: &'static str,
    /// Functions that are not called; a name with a star stands for all that begin so.
    pub functions: &'static str,
    /// What goes before the functions.
    pub allowed_functions: &'static str,
    /// Databases that may be read, but not written.
    pub readable: &'static str,
    /// Kinds of tables behind ENGINE; any where the list is empty.
    pub engines: &'static str,
}

pub const POSTGRES: Rules = Rules {
    lexis: Lexis {
        text: "'",
        name: "\"",
        escapes: (false, false),
        prefixes: true,
        dollars: true,
        line_comment: |text| text.starts_with("--"),
        refused: "\\",
    },
    kinds: "SELECT WITH VALUES TABLE INSERT UPDATE DELETE MERGE TRUNCATE CREATE ALTER DROP COMMENT ANALYZE \
        ANALYSE VACUUM REINDEX CLUSTER REFRESH EXPLAIN SHOW SET RESET DISCARD BEGIN START COMMIT END \
        ROLLBACK ABORT SAVEPOINT RELEASE LOCK PREPARE EXECUTE DEALLOCATE DECLARE FETCH MOVE CLOSE",
    things: "TABLE VIEW INDEX SEQUENCE TYPE DOMAIN STATISTICS SCHEMA",
    before_thing: "OR REPLACE TEMP TEMPORARY GLOBAL LOCAL UNLOGGED UNIQUE MATERIALIZED RECURSIVE",
    words: "TABLESPACE",
    functions: "pg_* lo_* loread lowrite dblink* query_to_xml* table_to_xml* cursor_to_xml* schema_to_xml* \
        database_to_xml* ts_stat ts_rewrite set_config binary_upgrade* crosstab* connectby xpath_table \
        postgres_fdw* file_fdw*",
    allowed_functions: "pg_typeof pg_column_size pg_column_compression pg_relation_size pg_table_size pg_indexes_size \
        pg_total_relation_size pg_size_pretty pg_size_bytes pg_get_* pg_backend_pid pg_collation_for \
        pg_input_is_valid pg_input_error_info pg_sleep pg_index_column_has_property pg_table_is_visible",
    readable: "",
    engines: "",
};

/// Kinds of tables that are made in the server's own folder and of the table's own rows.
pub const MYSQL_ENGINES: &str = "INNODB MYISAM ARIA MEMORY HEAP ARCHIVE CSV BLACKHOLE DEFAULT";

pub const MYSQL: Rules = Rules {
    lexis: Lexis {
        text: "'\"",
        name: "`",
        escapes: (true, false),
        prefixes: false,
        dollars: false,
        line_comment: |text| {
            let control = |c: char| c.is_ascii_whitespace() || c.is_ascii_control();
            text.starts_with('#') || text.strip_prefix("--").is_some_and(|t| t.is_empty() || t.starts_with(control))
        },
        refused: "\\",
    },
    kinds: "SELECT WITH VALUES TABLE INSERT REPLACE UPDATE DELETE TRUNCATE CREATE ALTER DROP RENAME ANALYZE \
        OPTIMIZE CHECK CHECKSUM REPAIR EXPLAIN DESCRIBE DESC SHOW SET DO BEGIN START COMMIT ROLLBACK \
        SAVEPOINT RELEASE LOCK UNLOCK PREPARE EXECUTE DEALLOCATE",
    things: "TABLE TABLES VIEW INDEX SEQUENCE",
    before_thing: "OR REPLACE TEMPORARY UNIQUE FULLTEXT SPATIAL ONLINE OFFLINE IGNORE ALGORITHM",
    words: "OUTFILE DUMPFILE INFILE DIRECTORY CONNECTION DEFINER TABLESPACE",
    functions: "load_file sys_* http_* lib_mysqludf* keyring_* group_replication_* audit_* firewall* mysql_firewall* \
        release_all_locks master_pos_wait source_pos_wait wait_for_executed_gtid_set \
        asynchronous_connection* clone* version_tokens* set_system* spider_* load_rewrite_rules \
        mysql_query_attribute* service_get* service_release*",
    allowed_functions: "",
    readable: "information_schema performance_schema",
    engines: MYSQL_ENGINES,
};

pub const CLICKHOUSE: Rules = Rules {
    lexis: Lexis {
        text: "'",
        name: "`\"",
        escapes: (true, true),
        prefixes: false,
        dollars: true,
        line_comment: |text| text.starts_with("--"),
        refused: "\\#",
    },
    kinds: "SELECT WITH INSERT ALTER CREATE DROP TRUNCATE RENAME EXCHANGE OPTIMIZE DELETE UPDATE SET DESCRIBE \
        DESC SHOW EXPLAIN EXISTS CHECK",
    things: "TABLE VIEW INDEX",
    before_thing: "OR REPLACE TEMPORARY MATERIALIZED UNIQUE",
    words: "OUTFILE INFILE FREEZE UNFREEZE FETCH CLUSTER PARALLEL DEFINER DICTIONARY DETACH ATTACH",
    functions: "file filecluster url urlcluster s3* gcs oss cosn azure* hdfs* remote* cluster* mysql postgresql \
        mongodb redis sqlite jdbc odbc executable* iceberg* deltalake* hudi* paimon* ytsaurus* arrowflight* \
        prometheus* timeseries* kafka* nats* rabbitmq* python dictionary dictget* dicthas* dictis* joinget* \
        merge mergetree* disk input fuzzquery fuzzjson loop catboostevaluate naivebayesclassifier \
        filesystem* addresstoline* addresstosymbol demangle initializeaggregation* zookeeper* getserverport \
        hive meilisearch ytsaurus",
    allowed_functions: "initializeaggregation",
    readable: "system information_schema",
    engines: "MERGETREE REPLACINGMERGETREE SUMMINGMERGETREE AGGREGATINGMERGETREE COLLAPSINGMERGETREE \
        VERSIONEDCOLLAPSINGMERGETREE MEMORY LOG TINYLOG STRIPELOG NULL SET JOIN MINMAX",
};
