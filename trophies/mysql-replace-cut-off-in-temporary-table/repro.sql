CREATE TABLE t(a VARCHAR(1));
INSERT INTO t VALUES ('x');
SELECT replace(a, 'x', 'yz') AS r FROM t;
SELECT DISTINCT replace(a, 'x', 'yz') AS r FROM t;
SELECT replace(a, 'x', 'yz') AS r FROM t GROUP BY r;
SELECT replace(a, 'x', 'yz') AS r FROM t UNION SELECT 'k';
CREATE TABLE u AS SELECT replace(a, 'x', 'yz') AS r FROM t;
