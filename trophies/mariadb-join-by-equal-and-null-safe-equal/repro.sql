CREATE TABLE t(a INT, KEY(a));
INSERT INTO t VALUES (NULL), (1);
SELECT l.a, r.a FROM t AS l JOIN t AS r ON l.a = r.a;
SELECT l.a, r.a, l.a = r.a FROM t AS l JOIN t AS r ON l.a = r.a AND l.a <=> r.a;
SELECT l.a, r.a FROM t AS l IGNORE INDEX (a) JOIN t AS r IGNORE INDEX (a)
  ON l.a = r.a AND l.a <=> r.a;
