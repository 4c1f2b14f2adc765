CREATE TABLE t(a INT);
INSERT INTO t VALUES (1), (2);
CREATE TABLE u(b INT);
INSERT INTO u VALUES (1);
SELECT d.a, v.s FROM (SELECT DISTINCT a FROM t) AS d
  LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON d.a = v.b;
SELECT d.a, v.s FROM (SELECT DISTINCT a FROM t) AS d
  LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON d.a = v.b WHERE v.s IS NULL;
SET optimizer_switch = 'condition_pushdown_for_derived=off';
SELECT d.a, v.s FROM (SELECT DISTINCT a FROM t) AS d
  LEFT JOIN (SELECT b, 1 + 1 AS s FROM u) AS v ON d.a = v.b WHERE v.s IS NULL;
