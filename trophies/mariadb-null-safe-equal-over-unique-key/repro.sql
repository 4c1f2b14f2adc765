-- MariaDB finds one NULL of several: <=> with an expression that is NULL, over a UNIQUE key
-- paste into the mariadb client, in an empty database; the answers that come stand beside the queries
CREATE TABLE t(a INT UNIQUE);
INSERT INTO t VALUES (NULL), (NULL);
SELECT a FROM t WHERE a <=> NULL;                      -- two rows, which is right
SET @n = NULL;
SELECT a FROM t WHERE a <=> @n;                        -- one row
SELECT a FROM t WHERE a <=> 1 + NULL;                  -- one row
SELECT a FROM t IGNORE INDEX (a) WHERE a <=> 1 + NULL; -- two rows, which is right
