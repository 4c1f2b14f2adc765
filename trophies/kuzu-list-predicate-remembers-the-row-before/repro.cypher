CREATE NODE TABLE A(k INT64, j INT64, l INT64[], PRIMARY KEY (k));
CREATE (:A {k: 1, j: 0, l: [1]}), (:A {k: 2, l: [1]});
MATCH (n) RETURN n.k, any(e IN n.l WHERE e > n.j);
MATCH (n) WHERE n.k = 2 RETURN n.k, any(e IN n.l WHERE e > n.j);
