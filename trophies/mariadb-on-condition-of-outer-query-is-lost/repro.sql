CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, (SELECT count(r.b) FROM u AS l LEFT JOIN u AS r ON t.a = 1) AS n FROM t;
SELECT a, (SELECT count(r.b) FROM u AS l LEFT JOIN u AS r ON t.a = 1 AND l.b = r.b) AS n FROM t;
SELECT a, (SELECT count(r.b) FROM u AS l LEFT JOIN u AS r ON t.a = l.b) AS n FROM t;
