-- Orders that an index over the same columns in another order may seem to give.
CREATE TABLE T(x INT, y INT, z INT);
INSERT INTO T VALUES (1, 1, 1), (2, 0, 1), (1, 2, 0), (0, 2, 2), (2, NULL, 1);
CREATE INDEX i ON T(x);

SELECT x, y, z FROM T ORDER BY x, y, z;
SELECT x, y, z FROM T ORDER BY x DESC, y, z DESC LIMIT 3;
SELECT DISTINCT x, z FROM T ORDER BY z, x;
SELECT x, y FROM T WHERE x > 0 ORDER BY y, x LIMIT 2 OFFSET 1;
SELECT x, count(*) FROM T GROUP BY x ORDER BY count(*), x;
