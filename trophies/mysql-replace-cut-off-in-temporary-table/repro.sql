-- MySQL cuts the result of REPLACE() off in a temporary table: DISTINCT, GROUP BY, UNION
-- paste into the mysql client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a VARCHAR(1));
INSERT INTO t VALUES ('x');
SELECT replace(a, 'x', 'yz') AS r FROM t;                  -- yz
SELECT DISTINCT replace(a, 'x', 'yz') AS r FROM t;         -- y
SELECT replace(a, 'x', 'yz') AS r FROM t GROUP BY r;       -- y
SELECT replace(a, 'x', 'yz') AS r FROM t UNION SELECT 'k'; -- y and k
CREATE TABLE u AS SELECT replace(a, 'x', 'yz') AS r FROM t;
-- ERROR 1406 (22001): Data too long for column 'r' at row 1
