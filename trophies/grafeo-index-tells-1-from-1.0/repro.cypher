CREATE ({h: 1.0});
MATCH (n) WHERE n.h = 1 RETURN n.h;
CREATE INDEX x1 FOR (n:A) ON (n.h);
MATCH (n) WHERE n.h = 1 RETURN n.h;
MATCH (n) WHERE NOT (n.h = 1) RETURN n.h;
