CREATE TABLE t(a INT);
INSERT INTO t VALUES (1);
CREATE TABLE u(b INT UNIQUE);
SELECT v.c FROM t LEFT JOIN (SELECT 7 AS c FROM u WHERE b = 9) AS v ON t.a = v.c;
SELECT min(v.c), count(v.c) FROM t LEFT JOIN (SELECT 7 AS c FROM u WHERE b = 9) AS v ON t.a = v.c;
SET optimizer_switch = 'derived_merge=off';
SELECT min(v.c), count(v.c) FROM t LEFT JOIN (SELECT 7 AS c FROM u WHERE b = 9) AS v ON t.a = v.c;
