CREATE NODE TABLE A(k INT64, PRIMARY KEY (k));
CREATE REL TABLE T(FROM A TO A, l INT64);
CREATE (:A {k: 1})-[:T]->(b:A {k: 2}), (:A {k: 3})-[:T {l: 1}]->(:A {k: 4}), (b)-[:T {l: 1}]->(b);
MATCH (b)<-[r:T]-(a)-[s]->(c) WHERE r.l = 1 AND b.k > 0 RETURN a.k, r.l, r.l = 1;
MATCH (b)<-[r:T]-(a)-[s]->(c) WHERE r.l = 1 RETURN a.k, r.l, r.l = 1;
