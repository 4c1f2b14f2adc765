CREATE ()-[:S]->();
MATCH (a)-[r]-(b) RETURN r;            // 2 rows
MATCH (a)-[r]-(b) RETURN count(r);     // 1; right is 2
MATCH (a)-[r]-(b) RETURN count(r), 1;  // 2
