-- Text that equals a number, and a constant: the paper's first example.
CREATE TABLE T(x TEXT);
CREATE TABLE I(y INT);
INSERT INTO T VALUES ('12'), ('34');
INSERT INTO I VALUES (12), (34);

SELECT T.x, I.y FROM T, I WHERE T.x = I.y AND T.x = 12;
