CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, b, interval(b, 7) FROM t LEFT JOIN u ON a = b;
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE interval(b, 7) = -1;
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE interval(b, 7) <=> -1;
