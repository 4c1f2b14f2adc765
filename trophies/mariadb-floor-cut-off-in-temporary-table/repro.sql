CREATE TABLE t(a DOUBLE);
INSERT INTO t VALUES (1e20);
SELECT floor(a) FROM t;
SELECT DISTINCT floor(a) FROM t;
SELECT floor(a) FROM t GROUP BY floor(a);
SELECT floor(a) FROM t UNION SELECT 1;
SET sql_buffer_result = ON;
SELECT floor(a) FROM t;
