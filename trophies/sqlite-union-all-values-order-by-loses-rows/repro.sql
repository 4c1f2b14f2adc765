-- SQLite loses rows: UNION ALL subquery joined with VALUES, and ORDER BY on an indexed column
-- paste into the sqlite3 shell; the answers that come stand beside the queries
CREATE TABLE t0(c0 UNIQUE);
INSERT INTO t0 VALUES (1), (2);
-- without ORDER BY: 8 rows, as 2 * 2 * 2 must be
SELECT a0.c0, a1.column1 FROM (SELECT c0 FROM t0 UNION ALL SELECT c0 FROM t0) AS a0, (VALUES (7), (8)) AS a1;
-- with it: 7 rows, (2, 8) comes once instead of twice
SELECT a0.c0, a1.column1 FROM (SELECT c0 FROM t0 UNION ALL SELECT c0 FROM t0) AS a0, (VALUES (7), (8)) AS a1 ORDER BY a0.c0;
