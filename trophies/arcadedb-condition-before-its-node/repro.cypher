CREATE (:A {c: 2})-[:R]->(:B {b: true, c: 2});
MATCH (a)-[r]->(b) WHERE a.c = 1 OR b.b RETURN a.c;
MATCH (a)-[r]->(b) WHERE a.c = 1 OR any(e IN [true] WHERE e = b.b) RETURN a.c;
MATCH (a)-[r]->(b) WHERE NOT (a.c = 2 AND CASE WHEN true THEN b.c = 1 END) RETURN a.c;
MATCH (a)-[r]->(b) WHERE a.c = 1 OR b.b = true RETURN a.c;
MATCH (a)-[r]->(b) RETURN a.c = 1 OR b.b;
MATCH (a)-[r]->(b) RETURN a.c = 1 OR any(e IN [true] WHERE e = b.b);
MATCH (a)-[r]->(b) RETURN NOT (a.c = 2 AND CASE WHEN true THEN b.c = 1 END);
