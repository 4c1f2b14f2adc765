CREATE (:A {p: 2});
MATCH (n:A) WHERE NOT (n.p <= true) RETURN n.p;   // no row
CREATE INDEX FOR (n:A) ON (n.p);
MATCH (n:A) WHERE NOT (n.p <= true) RETURN n.p;   // 2; right is no row
