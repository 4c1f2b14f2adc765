CREATE TABLE t(a INT);
INSERT INTO t VALUES (10);
SELECT sum(a), count(a) FILTER (WHERE FALSE), sum(a), count(a) FROM t;
