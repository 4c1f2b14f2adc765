CREATE TABLE t(a INT);
INSERT INTO t VALUES (1);
WITH w AS (SELECT a FROM t EXCEPT SELECT 2) SELECT w.a FROM w;
WITH w AS (SELECT a FROM t EXCEPT SELECT 2) SELECT w.a FROM w JOIN w AS x ON w.a = x.a;
SET optimizer_switch = 'hash_set_operations=off';
WITH w AS (SELECT a FROM t EXCEPT SELECT 2) SELECT w.a FROM w JOIN w AS x ON w.a = x.a;
