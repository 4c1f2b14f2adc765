-- SQLite gives an integer for a REAL column: STRICT + virtual generated column + ORDER BY
-- paste into the sqlite3 shell; the answers that come stand beside the queries
CREATE TABLE t1(c0 INT, c1 REAL AS (c0) VIRTUAL) STRICT;
INSERT INTO t1 VALUES (3);
SELECT c1, typeof(c1) FROM t1;              -- 3.0|real
SELECT c1 FROM t1 ORDER BY c1;              -- 3
SELECT c1, typeof(c1) FROM t1 ORDER BY c1;  -- 3|real
