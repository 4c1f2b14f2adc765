CREATE NODE TABLE A(k INT64, PRIMARY KEY (k));
CREATE REL TABLE S(FROM A TO A, k INT64);
CREATE (:A {k: 1})-[:S {k: 3}]->(b:A {k: 2}), (b)-[:S {k: 4}]->(b);
MATCH (n:A {k: 2}) DETACH DELETE n;
MATCH (a)-[r:S]->(b) RETURN a.k, r.k, b.k;
MATCH (a)-[r:S]->(b) RETURN count(*);
MATCH ()-[r:S]->() RETURN r.k;
