CREATE INDEX FOR ()-[r:R]-() ON (r.s);
CREATE (:A {h: 0});
MATCH (n:A)<-[r:R]-() WHERE n.h IN [] XOR '' <= r.s RETURN n;   // the server ends by SIGSEGV
