-- WITH and window functions; old releases take only the other queries.
CREATE TABLE e(id INTEGER PRIMARY KEY, boss INT, dept TEXT, pay INT);
INSERT INTO e VALUES (1, NULL, 'x', 9), (2, 1, 'x', 7), (3, 1, 'y', 7), (4, 2, 'y', 4), (5, 2, NULL, 4);

WITH top AS (SELECT dept AS d, max(pay) AS m FROM e GROUP BY dept) SELECT e.id, top.m FROM e JOIN top ON e.dept IS top.d;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT n.i, e.dept FROM n LEFT JOIN e ON e.id = n.i;
SELECT id, rank() OVER (PARTITION BY dept ORDER BY pay DESC) FROM e;
SELECT id, sum(pay) OVER (ORDER BY pay) FROM e;
SELECT id FROM e WHERE pay > (SELECT avg(pay) FROM e);
SELECT w.id, b.id FROM e w LEFT JOIN e b ON w.boss = b.id AND b.pay > w.pay;
