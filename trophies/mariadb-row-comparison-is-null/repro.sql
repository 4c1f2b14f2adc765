-- MariaDB says that an unknown row comparison is not NULL
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
SELECT (1, NULL) = (1, 2);                        -- NULL, which is right
SELECT ((1, NULL) = (1, 2)) IS NULL;              -- 0
SELECT ((1, NULL) = (1, 2)) IS NOT NULL;          -- 1
CREATE TABLE t(a INT, b INT);
INSERT INTO t VALUES (1, NULL);
SELECT * FROM t WHERE ((a, b) = (1, 2)) IS NULL;  -- no row
SELECT * FROM t WHERE (a = 1 AND b = 2) IS NULL;  -- (1, NULL), which is right
