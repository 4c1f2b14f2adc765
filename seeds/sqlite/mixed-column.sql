-- One column without a type: integers, floats, text, blobs and NULL side by side.
CREATE TABLE m(id INTEGER PRIMARY KEY, v, w BLOB);
INSERT INTO m VALUES (1, 1, '1'), (2, '1', 1), (3, 1.5, x'31'), (4, x'31', 1.5), (5, NULL, NULL), (6, 'abc', 'ABC');
CREATE INDEX m_v ON m(v);

SELECT id, typeof(v) FROM m WHERE v = 1;
SELECT id FROM m WHERE v = '1' OR w = '1';
SELECT a.id, b.id FROM m a, m b WHERE a.v = b.w;
SELECT id FROM m WHERE v > 1 AND v < 'b';
SELECT id FROM m WHERE v IN (1, 'abc', x'31');
SELECT DISTINCT typeof(w) FROM m;
SELECT v FROM m ORDER BY v;
