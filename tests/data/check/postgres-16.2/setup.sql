-- PostgreSQL 16.2 loses rows in a Merge Right Anti Join whose inner side is unique; 16.4 is right.
CREATE TABLE t0 (a INTEGER UNIQUE, b INTEGER);
CREATE TABLE t1 (a INTEGER);
CREATE INDEX i1 ON t1 (a);
INSERT INTO t0 VALUES (1, 1), (2, 1);
INSERT INTO t1 VALUES (1), (1);
