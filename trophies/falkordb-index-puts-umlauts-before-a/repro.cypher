CREATE (:B {t: 'ä'}), (:B {t: 'b'});
MATCH (n:B) WHERE n.t >= 'a' RETURN n.t;             // 'ä' and 'b'
CREATE INDEX FOR (n:B) ON (n.t);
MATCH (n:B) WHERE n.t >= 'a' RETURN n.t;             // 'b'; right is 'ä' and 'b'
MATCH (n:B) WHERE n.t < 'a' RETURN n.t, n.t < 'a';   // 'ä', false; right is no row
