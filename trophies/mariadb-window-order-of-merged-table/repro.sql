-- MariaDB adds up the wrong column: window function over a table and a merged view of the same table
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, t AS d;                      -- 3, 3, 6, 6
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, (SELECT a FROM t) AS d;      -- 2, 2, 6, 6
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, (SELECT x.a FROM t AS x) AS d;  -- 3, 3, 6, 6, which is right
SET optimizer_switch = 'derived_merge=off';
SELECT sum(d.a) OVER (ORDER BY t.a) FROM t, (SELECT a FROM t) AS d;      -- 3, 3, 6, 6, which is right
