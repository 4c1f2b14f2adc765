-- Text that looks like numbers beside numbers: comparisons change types on the way.
CREATE TABLE T(x TEXT);
CREATE TABLE I(y INT);
INSERT INTO T VALUES ('12'), ('34');
INSERT INTO I VALUES (12), (34);

SELECT T.x, I.y FROM T JOIN I ON T.x = I.y;
SELECT DISTINCT T.x, I.y FROM T, I WHERE T.x = I.y AND I.y > 1;
SELECT x FROM T WHERE x IN (12, 56);
SELECT x FROM T WHERE x LIKE '1%';
SELECT y FROM I WHERE y IN ('12', '34') ORDER BY y;
SELECT x || y FROM T, I WHERE x <> y;
