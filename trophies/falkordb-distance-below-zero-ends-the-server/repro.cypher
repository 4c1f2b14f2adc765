CREATE INDEX FOR (n:L) ON (n.p);
MATCH (n:L) WHERE distance(point({longitude: 1, latitude: 1}), n.p) <= -1 RETURN n;  // the server ends by SIGSEGV; right is no row
