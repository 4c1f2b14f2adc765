-- MySQL gives wrong rows: WHERE on a constant expression of a derived table behind an outer join
-- paste into the mysql client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, v.s FROM t LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON a = v.b;                    -- (1, 2) and (2, NULL)
SELECT a, v.s FROM t LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON a = v.b WHERE v.s = 2;      -- (1, 2) and (2, NULL)
SELECT a, v.s FROM t LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON a = v.b WHERE v.s IS NULL;  -- no row
SET optimizer_switch = 'derived_merge=off';
SELECT a, v.s FROM t LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON a = v.b WHERE v.s = 2;      -- (1, 2), which is right
SELECT a, v.s FROM t LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON a = v.b WHERE v.s IS NULL;  -- (2, NULL), which is right
