CREATE TABLE t(a INT, b INT);
INSERT INTO t VALUES (1, 1), (2, 2);
CREATE TABLE u(a INT);
INSERT INTO u VALUES (1);
SELECT t.a, u.a, NOT ((u.a, t.b) = (1, 5)) FROM t LEFT JOIN u ON t.a = u.a;
SELECT t.a, u.a FROM t LEFT JOIN u ON t.a = u.a WHERE NOT ((u.a, t.b) = (1, 5));
SELECT t.a, u.a FROM t LEFT JOIN u ON t.a = u.a WHERE NOT (u.a = 1 AND t.b = 5);
