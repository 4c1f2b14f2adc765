-- Wrong result: IS + partial index + IS NULL + index
-- engine: sqlite 3.28.0
-- oracle: norec
-- expected: `filtered by the engine` must return as many rows as `rows for which the predicate is true` counts.
-- actual: `filtered by the engine` returned 0 rows, `rows for which the predicate is true` returned 1. Note: 0 rows came, but the predicate is true for 1.

CREATE TABLE t0(c0);
INSERT INTO t0 VALUES (NULL);
CREATE INDEX i0 ON t0(c0) WHERE c0 IS NOT NULL;

-- filtered by the engine
SELECT NULL FROM t0 WHERE t0.c0 IS NOT 0;
-- actual: 0 rows

-- rows for which the predicate is true
SELECT sum((t0.c0 IS NOT 0) IS TRUE) FROM t0;
-- actual: 1 row
--   1
