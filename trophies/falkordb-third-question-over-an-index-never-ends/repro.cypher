CREATE INDEX FOR (n:A) ON (n.t);
CREATE INDEX FOR ()-[r:R]-() ON (r.j);
CREATE INDEX FOR ()-[r:S]-() ON (r.h);
MATCH (n0), (n0)<-[r1:R]-(n2:A) WHERE n2.t CONTAINS toLower(n2.t) RETURN n0, r1, n2;
MATCH (n0)-[r1:S]-(n2:A)<-[r3]-(n4:A) WHERE NOT ((distance(n4.g, point({latitude: 1.0, longitude: 0.0})) <> [0, 0]) OR (r1.t STARTS WITH left(r1.t, 4))) RETURN r3.l, r1, r3;
MATCH (n0:A)-[r1:R]->(n2:A)<-[r3]-(n4:A), (n0)<-[r5:S]-(n6) WHERE (n0.t = substring(n0.t, 5)) AND (n2.t STARTS WITH rTrim(n2.t)) RETURN count(*), sum(n4.k), count(r1), count(r3), count(r5);   // no answer; right is 0
