CREATE (:A {t: ' a'});
CREATE INDEX FOR (n:A) ON (n.t);
MATCH (n:A) WHERE n.t = 'a' RETURN n.t, n.t = 'a';   // ' a', false; right is no row
