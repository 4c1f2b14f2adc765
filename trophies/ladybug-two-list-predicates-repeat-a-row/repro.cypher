CREATE NODE TABLE A(k INT64, PRIMARY KEY (k));
CREATE (:A {k: 3}), (:A {k: 17});
MATCH (n) RETURN n.k, any(e IN [0] WHERE n.k <> 0);
MATCH (n) RETURN n.k, all(e IN [] WHERE true);
MATCH (n) RETURN n.k, any(e IN [0] WHERE n.k <> 0) AND all(e IN [] WHERE true);
