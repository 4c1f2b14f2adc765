.nullvalue NULL
CREATE TABLE t(a);
INSERT INTO t VALUES (NULL);
SELECT max(typeof(r.a)) FROM t AS l LEFT JOIN t AS r ON r.a = NULL GROUP BY l.a;
CREATE INDEX i ON t(a, typeof(a));
SELECT max(typeof(r.a)) FROM t AS l LEFT JOIN t AS r ON r.a = NULL GROUP BY l.a;
SELECT typeof(r.a) FROM t AS l LEFT JOIN t AS r ON r.a = NULL;
