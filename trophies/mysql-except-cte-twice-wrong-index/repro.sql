-- MySQL fails with 'Wrong index given to function': a CTE of EXCEPT or INTERSECT joined with itself
-- paste into the mysql client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT);
INSERT INTO t VALUES (1);
WITH w AS (SELECT a FROM t EXCEPT SELECT 2) SELECT w.a FROM w;                            -- 1
WITH w AS (SELECT a FROM t EXCEPT SELECT 2) SELECT w.a FROM w JOIN w AS x ON w.a = x.a;
-- ERROR 1030 (HY000): Got error 124 - 'Wrong index given to function' from storage engine
SET optimizer_switch = 'hash_set_operations=off';
WITH w AS (SELECT a FROM t EXCEPT SELECT 2) SELECT w.a FROM w JOIN w AS x ON w.a = x.a;   -- 1, which is right
