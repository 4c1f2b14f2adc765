SELECT c0 FROM t0 WHERE c0 > 0;
-- Wrong in SQLite 3.31.1: a constant is propagated into a join where no row matches.
SELECT t0.c0 FROM t0 JOIN (SELECT t1.c0 FROM t1) AS a0 ON t0.c0 = a0.c0 WHERE a0.c0 = -1 AND t0.c0 = -1;
SELECT c0 FROM t1 ORDER BY random() LIMIT 1;
SELECT 'a;b', "c0" FROM t0 WHERE c0 < 5 LIMIT 3;
UPDATE t1 SET c0 = 4 WHERE c0 = 3;
SELECT nothing FROM nowhere;
SELECT c0, json_extract('{"a":1}', '$.a') IS c0 FROM t0 WHERE c0 BETWEEN 0 AND 9
