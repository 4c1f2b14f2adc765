-- Chains of joins of all kinds over three small tables.
CREATE TABLE r(a INT, b INT);
CREATE TABLE s(b INT, c INT);
CREATE TABLE t(c INT, d TEXT);
INSERT INTO r VALUES (1, 1), (2, 2), (3, NULL), (4, 2);
INSERT INTO s VALUES (1, 10), (2, 20), (2, 30), (7, 70);
INSERT INTO t VALUES (10, 'ten'), (20, 'twenty'), (70, NULL), (80, 'none');

SELECT r.a, t.d FROM r JOIN s ON r.b = s.b JOIN t ON s.c = t.c;
SELECT r.a, s.c, t.d FROM r LEFT JOIN s ON r.b = s.b LEFT JOIN t ON s.c = t.c;
SELECT r.a, s.c FROM r CROSS JOIN s WHERE r.b = s.b AND s.c > 10;
SELECT a, c FROM r JOIN s USING (b);
SELECT a, d FROM r NATURAL JOIN s LEFT JOIN t ON s.c = t.c;
SELECT s.b, count(*) FROM s, t WHERE s.c = t.c GROUP BY s.b;
SELECT x.a, y.a FROM r x, r y WHERE x.b = y.b AND x.a < y.a;
SELECT a FROM r WHERE b = 2 UNION SELECT c FROM s WHERE b = 2;
SELECT b FROM r INTERSECT SELECT b FROM s ORDER BY 1;
SELECT b FROM s EXCEPT SELECT b FROM r WHERE b IS NOT NULL;
