CREATE ({h: 1.0});
MATCH (n) WHERE n.h = 1 RETURN n.h;             // 1.0
CREATE INDEX x1 FOR (n:A) ON (n.h);
MATCH (n) WHERE n.h = 1 RETURN n.h;             // no row; right is 1.0
MATCH (n) WHERE NOT (n.h = 1) RETURN n.h;       // no row
