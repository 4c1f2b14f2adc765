-- ClickHouse cannot count a nullable column over a window: it loses the column that it made
-- paste into clickhouse-local or chdb; the answers that come stand beside the queries
CREATE TABLE t(a Nullable(Int32)) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO t VALUES (1), (NULL);
-- 1 and 1 must come; it is: Code: 10. Not found column __table1.`a.null` in block sum(not(__table1.`a.null`)) OVER ()
SELECT count(a) OVER () FROM t;
-- without the rewriting of count(a) to a subcolumn: 1 and 1
SELECT count(a) OVER () FROM t SETTINGS optimize_functions_to_subcolumns = 0;
