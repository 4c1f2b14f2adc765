-- MariaDB cuts large values off: FLOOR, CEILING and ROUND of a DOUBLE in a temporary table
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a DOUBLE);
INSERT INTO t VALUES (1e20);
SELECT floor(a) FROM t;                        -- 100000000000000000000
SELECT DISTINCT floor(a) FROM t;                -- 100000000000000000
SELECT floor(a) FROM t GROUP BY floor(a);      -- 100000000000000000
SELECT floor(a) FROM t UNION SELECT 1;         -- 100000000000000000 and 1
SET sql_buffer_result = ON;
SELECT floor(a) FROM t;                        -- 100000000000000000
