-- CASE, IS, BETWEEN, LIKE, GLOB and truth of whatever is there.
CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, age INT, score REAL);
INSERT INTO t VALUES (1, 'ann', 30, 1.5), (2, 'Bob', NULL, 2.0), (3, 'anna', 17, NULL), (4, NULL, 30, -0.5), (5, 'a%', 0, 0.0);

SELECT id, CASE WHEN age >= 18 THEN 'adult' WHEN age IS NULL THEN 'unknown' ELSE 'minor' END FROM t;
SELECT id FROM t WHERE age BETWEEN 10 AND 30 AND name LIKE 'an%';
SELECT id, name FROM t WHERE name LIKE 'A%' OR age IS NULL;
SELECT id FROM t WHERE name GLOB 'a*' AND NOT score > 1;
SELECT id FROM t WHERE name LIKE 'a\%' ESCAPE '\';
SELECT id, age IS 30, score IS NOT NULL FROM t;
SELECT id FROM t WHERE score;
SELECT age, min(name), max(score) FROM t WHERE age > 0 OR name IS NULL GROUP BY age;
SELECT count(*), count(age), count(DISTINCT age), min(score) FROM t;
