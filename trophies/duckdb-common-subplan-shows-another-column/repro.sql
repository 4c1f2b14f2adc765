CREATE TABLE t(a INT, b INT);
INSERT INTO t VALUES (NULL, NULL), (NULL, 1);
SELECT u.b FROM t LEFT JOIN t AS u ON TRUE WHERE t.b = 1 OR u.a = t.a;
SELECT u.b FROM t LEFT JOIN t AS u ON TRUE WHERE t.b = 1 OR u.a = t.a
UNION ALL SELECT count(u.a) FROM t LEFT JOIN t AS u ON TRUE WHERE t.b = 1 OR u.a = t.a;
SET disabled_optimizers = 'common_subplan';
SELECT u.b FROM t LEFT JOIN t AS u ON TRUE WHERE t.b = 1 OR u.a = t.a
UNION ALL SELECT count(u.a) FROM t LEFT JOIN t AS u ON TRUE WHERE t.b = 1 OR u.a = t.a;
