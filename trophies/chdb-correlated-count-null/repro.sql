-- ClickHouse gives NULL for the count of no rows in a correlated subquery
-- paste into clickhouse-local or chdb; the answers that come stand beside the queries
CREATE TABLE t(n Int32) ENGINE = Memory;
INSERT INTO t VALUES (1), (2);
-- how many are smaller: 1 must have 0 and has NULL; 2 has 1
SELECT x.n, (SELECT count(*) FROM t AS y WHERE y.n < x.n) FROM t AS x ORDER BY x.n;
-- so the smallest is not found: no row, where 1 must come
SELECT x.n FROM t AS x WHERE (SELECT count(*) FROM t AS y WHERE y.n < x.n) = 0;
-- the same without correlation: 0, as it must be
SELECT (SELECT count(*) FROM t AS y WHERE y.n < 1);
