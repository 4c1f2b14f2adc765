CREATE NODE TABLE B(k INT64, PRIMARY KEY (k));
CREATE REL TABLE R(FROM B TO B);
CREATE (n1:B {k: 1})-[:R]->(n1), (:B {k: 5})-[:R]->(n1);
MATCH (n0)-[r1]-(n2)<-[r3]-(n4), (n4)-[r5]->(n6) RETURN count(*);
MATCH (n0)-[r1]-(n2)<-[r3]-(n4), (n4)-[r5]->(n6) WHERE n2.k < 100 RETURN count(*);
