CREATE (:A);
MATCH (n:A) WHERE (n)-->() XOR true RETURN 1;   // the server ends by SIGSEGV; right is 1
