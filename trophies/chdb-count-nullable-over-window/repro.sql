CREATE TABLE t(a Nullable(Int32)) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO t VALUES (1), (NULL);
SELECT count(a) OVER () FROM t;
SELECT count(a) OVER () FROM t SETTINGS optimize_functions_to_subcolumns = 0;
