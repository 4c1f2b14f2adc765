CREATE TABLE t1 AS SELECT range AS a, CASE WHEN range % 22 = 0 THEN 'a' WHEN range % 3 = 0 THEN 'b' ELSE 'ab' END AS c FROM range(1024);
CREATE TABLE t2 AS SELECT range AS a, CASE WHEN range % 27 = 0 THEN 'a' WHEN range % 3 = 0 THEN 'b' ELSE 'ab' END AS c FROM range(1024);
EXPLAIN SELECT t1.a, t2.a FROM t2 LEFT JOIN t1 ON t1.c = t2.c;
EXPLAIN SELECT t1.a, t2.a FROM t2 FULL JOIN t1 ON t1.c = t2.c;
SELECT count(*) FROM t2 FULL JOIN t1 ON t1.c = t2.c;
