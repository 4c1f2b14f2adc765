CREATE (:B {u: duration('P1D')});
MATCH (n:B) WHERE n.u = 1 RETURN n;
CREATE INDEX FOR (n:B) ON (n.u);
MATCH (n:B) WHERE n.u = 1 RETURN n;
