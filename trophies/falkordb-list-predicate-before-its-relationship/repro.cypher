CREATE (:A {l: [0]})-[:R {k: 5}]->(:B);
MATCH (a:A)-[r]->(b:B) WHERE any(e IN a.l WHERE e <= r.k) RETURN r.k;            // no row; right is 5
MATCH (a:A)-[r]->(b:B) WHERE any(e IN a.l WHERE e <= r.k) IS NULL RETURN r.k;    // 5; right is no row
MATCH (a:A)-[r]->(b:B) RETURN any(e IN a.l WHERE e <= r.k);                      // true
