CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, t AS d;
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, (SELECT a FROM t) AS d;
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, (SELECT x.a FROM t AS x) AS d;
SET optimizer_switch = 'derived_merge=off';
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, (SELECT a FROM t) AS d;
