CREATE (:A {h: -1.0 / 0.0}), (:A {h: 1.0 / 0.0});
CREATE INDEX FOR (n:A) ON (n.h);
MATCH (n:A) WHERE n.h <= 0 RETURN n.h;              // no row; right is -inf
MATCH (n:A) WHERE n.h = 1.0 / 0.0 RETURN n.h;       // no row; right is inf
MATCH (n) WHERE n.h <= 0 AND n:A RETURN n.h;        // -inf, by a scan
