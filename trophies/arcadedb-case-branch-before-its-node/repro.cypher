CREATE (:A {c: 2})-[:R]->(:B {c: 2});
MATCH (a)-[r]->(b) WHERE NOT (a.c = 2 AND CASE WHEN true THEN b.c = 1 END) RETURN a.c;   // no row; right is 2
MATCH (a)-[r]->(b) RETURN NOT (a.c = 2 AND CASE WHEN true THEN b.c = 1 END);             // true
