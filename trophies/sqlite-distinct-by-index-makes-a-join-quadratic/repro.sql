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
INSERT INTO t SELECT n % 50, 0 FROM numbers;
CREATE INDEX i ON t(a);
ANALYZE;
.stats vmstep
SELECT DISTINCT x.a FROM t AS x JOIN t AS y ON 1 WHERE y.b;
.testctrl optimizations 0x10
SELECT DISTINCT x.a FROM t AS x JOIN t AS y ON 1 WHERE y.b;
