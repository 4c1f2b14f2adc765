-- 2; no row at all where the plan is a Merge Right Anti Join.
SELECT t0.a FROM t0 WHERE NOT EXISTS (SELECT 1 FROM t1 WHERE t1.a = t0.a) AND t0.b = 1;
