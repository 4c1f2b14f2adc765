CREATE (:A {c: 2})-[:R]->(:B {b: true});
MATCH (a)-[r]->(b) WHERE a.c = 1 OR any(e IN [true] WHERE e = b.b) RETURN a.c;   // no row; right is 2
MATCH (a)-[r]->(b) RETURN a.c = 1 OR any(e IN [true] WHERE e = b.b);             // true
