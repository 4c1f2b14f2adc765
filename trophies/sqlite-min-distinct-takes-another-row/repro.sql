CREATE TABLE t(a, b);
INSERT INTO t VALUES (2, 'x'), (1, 'y'), (2, 'z');
SELECT min(a), b FROM t;
SELECT min(DISTINCT a), b FROM t;
