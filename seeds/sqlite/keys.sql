-- Keys of several kinds, unique and partial indexes, a table without rowids, a view.
CREATE TABLE pairs(a INT NOT NULL, b TEXT NOT NULL, c INT, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE TABLE codes(code TEXT UNIQUE, grp INT NOT NULL, flag INT DEFAULT 0);
INSERT INTO pairs VALUES (1, 'a', 5), (1, 'b', 6), (2, 'a', NULL), (3, 'c', 5);
INSERT INTO codes VALUES ('a', 1, 1), ('b', 1, 0), ('c', 2, 1), (NULL, 2, NULL);
CREATE INDEX flagged ON codes(grp) WHERE flag = 1;
CREATE UNIQUE INDEX pairs_c ON pairs(a, c);
CREATE VIEW v(a, n) AS SELECT a, count(*) FROM pairs GROUP BY a;

SELECT grp, code FROM codes WHERE flag = 1 AND grp > 0;
SELECT pairs.a, codes.grp FROM pairs JOIN codes ON pairs.b = codes.code;
SELECT DISTINCT a FROM pairs WHERE c = 5 OR c IS NULL;
SELECT a, n FROM v WHERE n > 1;
SELECT a, b, c FROM pairs WHERE a = 1 AND b >= 'a' ORDER BY a, b, c;
SELECT grp, sum(flag), avg(flag) FROM codes GROUP BY grp;
SELECT codes.code FROM codes LEFT JOIN v ON v.a = codes.grp WHERE v.n = 2;
