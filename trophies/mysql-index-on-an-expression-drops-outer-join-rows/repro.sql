CREATE TABLE t(a INT, b INT);
INSERT INTO t VALUES (1, NULL);
SELECT l.a, coalesce(r.b, 7) FROM t AS l LEFT JOIN t AS r ON r.a = 5;
SELECT l.a FROM t AS l LEFT JOIN t AS r ON r.a = 5 WHERE coalesce(r.b, 7) = 7;
CREATE INDEX i ON t((coalesce(b, 7)));
SELECT l.a FROM t AS l LEFT JOIN t AS r ON r.a = 5 WHERE coalesce(r.b, 7) = 7;
SELECT l.a FROM t AS l LEFT JOIN t AS r IGNORE INDEX (i) ON r.a = 5 WHERE coalesce(r.b, 7) = 7;
