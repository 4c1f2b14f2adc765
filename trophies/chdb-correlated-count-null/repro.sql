CREATE TABLE t(n Int32) ENGINE = Memory;
INSERT INTO t VALUES (1), (2);
SELECT x.n, (SELECT count(*) FROM t AS y WHERE y.n < x.n) FROM t AS x ORDER BY x.n;
SELECT x.n FROM t AS x WHERE (SELECT count(*) FROM t AS y WHERE y.n < x.n) = 0;
SELECT (SELECT count(*) FROM t AS y WHERE y.n < 1);
