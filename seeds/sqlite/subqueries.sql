-- IN, EXISTS and values from subqueries, with NULL on both sides.
CREATE TABLE a(k INT, v INT);
CREATE TABLE b(k INT, w TEXT);
INSERT INTO a VALUES (1, 10), (2, 20), (3, NULL), (NULL, 40), (2, 21);
INSERT INTO b VALUES (1, 'x'), (2, 'y'), (2, 'z'), (NULL, 'n'), (5, 'q');
CREATE TABLE c(k INT PRIMARY KEY);
INSERT INTO c VALUES (1), (2), (4);

SELECT k, v FROM a WHERE k IN (SELECT k FROM b);
SELECT a.k, a.v FROM a WHERE a.k IN (SELECT c.k FROM c);
SELECT a.v FROM a WHERE a.k IN (SELECT c.k FROM c) AND a.v > 5;
SELECT k, v FROM a WHERE k NOT IN (SELECT k FROM b WHERE k IS NOT NULL);
SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.w > 'x');
SELECT k, v FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k IS a.k);
SELECT k, (SELECT max(w) FROM b WHERE b.k = a.k) FROM a;
SELECT v FROM a WHERE v = (SELECT max(v) FROM a);
SELECT w FROM b WHERE (k, 20) IN (SELECT k, v FROM a);
SELECT s.k, s.n FROM (SELECT k AS k, count(*) AS n FROM b GROUP BY k) AS s WHERE s.n > 1;
