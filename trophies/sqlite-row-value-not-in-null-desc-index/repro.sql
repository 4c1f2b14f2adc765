-- SQLite takes unknown for true: row value NOT IN over a DESC index with NULL
-- paste into the sqlite3 shell; the answers that come stand beside the queries
CREATE TABLE t0(c0 INTEGER PRIMARY KEY, c1);
INSERT INTO t0 VALUES (1, NULL), (2, NULL);
SELECT c0 FROM t0 WHERE (1, NULL) NOT IN (SELECT c0, c1 FROM t0);  -- no row, which is right
CREATE INDEX i0 ON t0(c1 DESC);
SELECT c0 FROM t0 WHERE (1, NULL) NOT IN (SELECT c0, c1 FROM t0);  -- 1 and 2
SELECT (1, NULL) NOT IN (SELECT c0, c1 FROM t0);                   -- 1; without the index NULL
