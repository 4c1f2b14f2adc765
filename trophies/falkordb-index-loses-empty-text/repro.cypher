CREATE (:A {s: ''});
MATCH (n:A) WHERE n.s <= '' RETURN n;    // 1 row
CREATE INDEX FOR (n:A) ON (n.s);
MATCH (n:A) WHERE n.s <= '' RETURN n;    // no row
