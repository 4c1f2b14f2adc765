CREATE INDEX x1 FOR (n:B) ON (n.f);
CREATE (:B:C {f: 2.0});
MATCH (n:B) WHERE n.f = 2.0 RETURN n.f;   // 2.0
CREATE INDEX x2 FOR (n:C) ON (n.f);
MATCH (n:B) WHERE n.f = 2.0 RETURN n.f;   // no row; right is 2.0
