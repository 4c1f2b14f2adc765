-- MariaDB gives a minimum of no values: MIN of a constant of a derived table behind an outer join
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1);
CREATE TABLE u(b INT UNIQUE);
SELECT v.c FROM t LEFT JOIN (SELECT 7 AS c FROM u WHERE b = 9) AS v ON t.a = v.c;                    -- NULL
SELECT min(v.c), count(v.c) FROM t LEFT JOIN (SELECT 7 AS c FROM u WHERE b = 9) AS v ON t.a = v.c;   -- (7, 0)
SET optimizer_switch = 'derived_merge=off';
SELECT min(v.c), count(v.c) FROM t LEFT JOIN (SELECT 7 AS c FROM u WHERE b = 9) AS v ON t.a = v.c;   -- (NULL, 0), which is right
