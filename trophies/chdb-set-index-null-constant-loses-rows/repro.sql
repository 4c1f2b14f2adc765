-- ClickHouse loses rows: `set` skip index, and a NULL constant under AND beside OR
-- paste into clickhouse-local or chdb; the answers that come stand beside the queries
CREATE TABLE t(a Int32, b Int32, c Int32, INDEX i c TYPE set(100) GRANULARITY 1) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO t VALUES (1, 1, 5);
-- b = 1 is true, so the row must come; none does
SELECT * FROM t WHERE (a = 0 AND CAST(NULL AS Nullable(UInt8))) OR b = 1;
-- without skip indexes: 1 1 5
SELECT * FROM t WHERE (a = 0 AND CAST(NULL AS Nullable(UInt8))) OR b = 1 SETTINGS use_skip_indexes = 0, use_query_condition_cache = 0;
-- `Condition: true`, and yet `Granules: 0/1`
EXPLAIN indexes = 1 SELECT * FROM t WHERE (a = 0 AND CAST(NULL AS Nullable(UInt8))) OR b = 1;
