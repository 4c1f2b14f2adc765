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
CREATE TABLE t(a INT);
INSERT INTO t SELECT n FROM numbers;
ANALYZE;
.stats vmstep
SELECT count(*) FROM t AS x WHERE x.a > (SELECT min(y.a) FROM t AS y WHERE x.a = y.a);
.testctrl optimizations 0x10000
SELECT count(*) FROM t AS x WHERE x.a > (SELECT min(y.a) FROM t AS y WHERE x.a = y.a);
