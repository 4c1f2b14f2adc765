CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT a, b, (a, b) < (3, 3) AS p FROM t LEFT JOIN u ON a = b;
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE (a, b) < (3, 3);
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE ((a, b) < (3, 3)) <=> 1;
SELECT a, b FROM t LEFT JOIN u ON a = b WHERE (a, b) NOT IN ((3, 3));
