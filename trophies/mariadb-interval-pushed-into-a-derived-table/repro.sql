CREATE TABLE t(a INT);
INSERT INTO t VALUES (0);
SELECT d.c, interval(d.c, 1, 5) FROM (SELECT min(a) AS c FROM t) AS d;
SELECT d.c FROM (SELECT min(a) AS c FROM t) AS d WHERE interval(d.c, 1, 5) = 0;
SELECT d.c FROM (SELECT min(a) AS c FROM t) AS d WHERE interval(d.c, 1, 5) <> 0;
SELECT d.c FROM (SELECT DISTINCT a AS c FROM t) AS d WHERE interval(d.c, 1, 5) = 0;
SET optimizer_switch = 'condition_pushdown_for_derived=off';
SELECT d.c FROM (SELECT min(a) AS c FROM t) AS d WHERE interval(d.c, 1, 5) = 0;
