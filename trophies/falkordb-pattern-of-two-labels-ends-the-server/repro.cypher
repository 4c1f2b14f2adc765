CREATE (:A);
MATCH (n:A:B) WHERE (n)-->() RETURN 1;   // the server ends by SIGSEGV; right is no row
