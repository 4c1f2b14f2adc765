-- The tables of the queries beside this file.
CREATE TABLE t0(c0 UNIQUE);
CREATE TABLE t1(c0);
INSERT INTO t0 VALUES (-1), (3);
INSERT INTO t1 VALUES (NULL), (3); /* one; two */
