CREATE (:A {c: 1, j: 1});
CREATE INDEX FOR (n:A) ON (n.j);
MATCH (n:A) WHERE n.c > 0 XOR n.j = 0 RETURN 1;   // 1
CREATE INDEX FOR (n:A) ON (n.c);
MATCH (n:A) WHERE n.c > 0 XOR n.j = 0 RETURN 1;   // no row; right is 1
MATCH (n:A) WHERE n.c > 0 XOR n.j = 1 RETURN 1;   // 1; right is no row
