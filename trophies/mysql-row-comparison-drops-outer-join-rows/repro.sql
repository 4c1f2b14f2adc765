-- MySQL loses rows of an outer join: row comparison in WHERE that is true although a column is NULL
-- paste into the mysql client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, b, (a, b) < (3, 3) AS p FROM t LEFT JOIN u ON a = b;          -- (1, 1, 1) and (2, NULL, 1)
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE (a, b) < (3, 3);           -- (1, 1) only
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE ((a, b) < (3, 3)) <=> 1;   -- (1, 1) and (2, NULL), which is right
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE (a, b) NOT IN ((3, 3));    -- (1, 1) only, for the same reason
