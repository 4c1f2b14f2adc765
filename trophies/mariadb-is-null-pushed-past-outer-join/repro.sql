-- MariaDB loses rows: IS NULL of a constant expression behind an outer join is pushed into a derived table
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT d.a, v.s FROM (SELECT DISTINCT a FROM t) AS d
  LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON d.a = v.b;                    -- (1, 2) and (2, NULL)
SELECT d.a, v.s FROM (SELECT DISTINCT a FROM t) AS d
  LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON d.a = v.b WHERE v.s IS NULL;  -- no row
SET optimizer_switch = 'condition_pushdown_for_derived=off';
SELECT d.a, v.s FROM (SELECT DISTINCT a FROM t) AS d
  LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON d.a = v.b WHERE v.s IS NULL;  -- (2, NULL), which is right
