CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);

-- 2, NULL: right
SELECT lead(t.a) OVER (ORDER BY t.a) AS n FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = t.a AND x.a < 0);

-- must be the same; comes: no rows
SELECT lead(d.a) OVER (ORDER BY d.a) AS n FROM (SELECT a FROM t) AS d WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = d.a AND x.a < 0);

-- the derived table is not merged: 2, NULL
SET optimizer_switch = 'derived_merge=off';
SELECT lead(d.a) OVER (ORDER BY d.a) AS n FROM (SELECT a FROM t) AS d WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = d.a AND x.a < 0);

-- EXISTS is not made an IN: 2, NULL
SET optimizer_switch = 'derived_merge=on,exists_to_in=off';
SELECT lead(d.a) OVER (ORDER BY d.a) AS n FROM (SELECT a FROM t) AS d WHERE NOT EXISTS (SELECT 1 FROM t AS x WHERE x.a = d.a AND x.a < 0);
