-- MariaDB loses rows of an outer join: FIELD() in WHERE
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, b, field(b, 7) FROM t LEFT JOIN u ON a = b;               -- (1, 1, 0) and (2, NULL, 0)
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE field(b, 7) = 0;      -- (1, 1) only
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE field(b, 7) <=> 0;    -- (1, 1) and (2, NULL), which is right
