CREATE (:A {p: point({latitude: 0.0, longitude: 0.0})});
MATCH (n:A) WHERE n.p > 100 RETURN n.p > 100;   // no row
CREATE INDEX FOR (n:A) ON (n.p);
MATCH (n:A) WHERE n.p > 100 RETURN n.p > 100;   // null; right is no row
