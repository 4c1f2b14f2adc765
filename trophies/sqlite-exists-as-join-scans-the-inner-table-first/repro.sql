CREATE TABLE numbers(n INT);
INSERT INTO numbers VALUES (0);
INSERT INTO numbers SELECT n + 1 FROM numbers;
INSERT INTO numbers SELECT n + 2 FROM numbers;
INSERT INTO numbers SELECT n + 4 FROM numbers;
INSERT INTO numbers SELECT n + 8 FROM numbers;
INSERT INTO numbers SELECT n + 16 FROM numbers;
INSERT INTO numbers SELECT n + 32 FROM numbers;
INSERT INTO numbers SELECT n + 64 FROM numbers;
INSERT INTO numbers SELECT n + 128 FROM numbers;
INSERT INTO numbers SELECT n + 256 FROM numbers;
INSERT INTO numbers SELECT n + 512 FROM numbers;
INSERT INTO numbers SELECT n + 1024 FROM numbers;
CREATE TABLE t(a INT, b INT);
INSERT INTO t SELECT n, n % 73 FROM numbers WHERE n < 100;
CREATE TABLE u(c INT);
INSERT INTO u SELECT n FROM numbers;
ANALYZE;
.stats vmstep
SELECT a FROM t WHERE b = 16374 AND EXISTS (SELECT 1 FROM u WHERE b = c AND c IS NOT NULL);
.testctrl optimizations 0x8000
SELECT a FROM t WHERE b = 16374 AND EXISTS (SELECT 1 FROM u WHERE b = c AND c IS NOT NULL);
