CREATE TABLE t(a INT UNIQUE);
INSERT INTO t VALUES (1);
UPDATE t SET a = 2;
SELECT a, a IN (1, NULL) FROM t;
SELECT a, a IN (1, NULL) FROM t WHERE a = 2 AND a IN (1, NULL);
SET index_scan_max_count = 0;
SET index_scan_percentage = 0;
SELECT a, a IN (1, NULL) FROM t WHERE a = 2 AND a IN (1, NULL);
