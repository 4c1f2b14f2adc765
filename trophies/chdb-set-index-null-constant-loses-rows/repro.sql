CREATE TABLE t(a Int32, b Int32, c Int32, INDEX i c TYPE set(100) GRANULARITY 1) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO t VALUES (1, 1, 5);
SELECT * FROM t WHERE (a = 0 AND CAST(NULL AS Nullable(UInt8))) OR b = 1;
SELECT * FROM t WHERE (a = 0 AND CAST(NULL AS Nullable(UInt8))) OR b = 1
  SETTINGS use_skip_indexes = 0, use_query_condition_cache = 0;
EXPLAIN indexes = 1 SELECT * FROM t WHERE (a = 0 AND CAST(NULL AS Nullable(UInt8))) OR b = 1;
