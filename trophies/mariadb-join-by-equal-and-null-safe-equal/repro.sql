-- MariaDB joins NULL with NULL: = and <=> on the same indexed columns
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT, KEY(a));
INSERT INTO t VALUES (NULL), (1);
SELECT l.a, r.a FROM t AS l JOIN t AS r ON l.a = r.a;                            -- (1, 1)
SELECT l.a, r.a, l.a = r.a FROM t AS l JOIN t AS r ON l.a = r.a AND l.a <=> r.a; -- (NULL, NULL, NULL) and (1, 1, 1)
SELECT l.a, r.a FROM t AS l IGNORE INDEX (a) JOIN t AS r IGNORE INDEX (a)
  ON l.a = r.a AND l.a <=> r.a;                                                  -- (1, 1), which is right
