CREATE ()-[:R {j: 7}]->();
MATCH (n)-[r:R]-(m) WHERE r.j = 7 RETURN id(n);   // 0 and 1
CREATE INDEX FOR ()-[r:R]-() ON (r.j);
MATCH (n)-[r:R]-(m) WHERE r.j = 7 RETURN id(n);   // 0; right is 0 and 1
