-- MySQL groups and orders by the wrong column: a merged view or derived table of a table with the same name
-- paste into the mysql client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE VIEW v AS SELECT a FROM t;
SELECT v.a, t.a, count(*) FROM t, v GROUP BY t.a, v.a;   -- 4 rows, each with 1, as it must be
SELECT v.a, count(*) FROM t, v GROUP BY t.a, v.a;        -- (1, 2) and (2, 2)
SELECT v.a, rank() OVER (ORDER BY t.a) AS r FROM t, v;   -- (1, 1), (1, 1), (2, 3), (2, 3)
SELECT v.a, count(*) FROM t, v GROUP BY t.a;             -- (1, 2) and (2, 2); must be refused: v.a is not grouped by

CREATE TABLE u(a INT, b INT);
INSERT INTO u VALUES (1, 10), (1, 20);
SELECT u.b AS a, rank() OVER (ORDER BY u.a) AS r FROM u;                             -- (10, 1), (20, 1)
SELECT u.b AS a, rank() OVER (ORDER BY u.a) AS r FROM (SELECT a, b FROM u) AS u;     -- (10, 1), (20, 2)
SELECT u.b AS a, count(*) FROM (SELECT a, b FROM u) AS u GROUP BY u.a;               -- (10, 1), (20, 1); must be refused
