CREATE INDEX x1 FOR (n:B) ON (n.f);
CREATE (:B:C {f: 2.0});
MATCH (n:B) WHERE n.f = 2.0 RETURN n.f;
CREATE INDEX x2 FOR (n:C) ON (n.f);
MATCH (n:B) WHERE n.f = 2.0 RETURN n.f;
MATCH (n:C) WHERE n.f = 2.0 RETURN n.f;
MATCH (n:B) RETURN n.f;
