CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
SELECT lead(t.a) OVER (ORDER BY t.a) AS n FROM t
  WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = t.a AND x.a < 0);
SELECT lead(d.a) OVER (ORDER BY d.a) AS n FROM (SELECT a FROM t) AS d
  WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = d.a AND x.a < 0);
SET optimizer_switch = 'derived_merge=off';
SELECT lead(d.a) OVER (ORDER BY d.a) AS n FROM (SELECT a FROM t) AS d
  WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = d.a AND x.a < 0);
SET optimizer_switch = 'derived_merge=on,exists_to_in=off';
SELECT lead(d.a) OVER (ORDER BY d.a) AS n FROM (SELECT a FROM t) AS d
  WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = d.a AND x.a < 0);
