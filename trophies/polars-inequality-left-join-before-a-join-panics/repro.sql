SELECT x.a FROM t AS x LEFT JOIN t AS y ON x.a > y.a JOIN t ON 1 = 1;
