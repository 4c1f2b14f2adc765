-- SQLite calls a sound database malformed: WITHOUT ROWID + ADD COLUMN + row value IN
-- paste into the sqlite3 shell; the answers that come stand beside the queries
CREATE TABLE t1(c0 PRIMARY KEY) WITHOUT ROWID;
INSERT INTO t1 VALUES (1e100);
ALTER TABLE t1 ADD c11 DEFAULT 0;
SELECT c0, c11 FROM t1;                                         -- 1.0e+100|0
SELECT c0 FROM t1 WHERE (c0, c11) IN (SELECT c0, c11 FROM t1);  -- Error: database disk image is malformed
PRAGMA integrity_check;                                         -- ok
