-- MariaDB loses rows of an outer join: INTERVAL() in WHERE
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, b, interval(b, 7) FROM t LEFT JOIN u ON a = b;               -- (1, 1, 0) and (2, NULL, -1)
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE interval(b, 7) = -1;     -- no row
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE interval(b, 7) <=> -1;   -- (2, NULL), which is right
