CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
SELECT count(*) FROM t AS x, t AS y WHERE x.a IS NULL;
SELECT l.a, r.a FROM t AS l LEFT JOIN t AS r ON EXISTS (SELECT 1 FROM t AS x, t AS y WHERE x.a IS NULL);
SELECT l.a, r.a FROM t AS l LEFT JOIN t AS r ON EXISTS (SELECT 1 FROM t AS x WHERE x.a IS NULL);
SET optimizer_switch = 'semijoin=off';
SELECT l.a, r.a FROM t AS l LEFT JOIN t AS r ON EXISTS (SELECT 1 FROM t AS x, t AS y WHERE x.a IS NULL);
