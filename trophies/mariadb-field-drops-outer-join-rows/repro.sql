CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, b, field(b, 7) FROM t LEFT JOIN u ON a = b;
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE field(b, 7) = 0;
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE field(b, 7) <=> 0;
