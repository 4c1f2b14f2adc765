CREATE ({p: 1});
MATCH (n) WHERE n.p >= '1' RETURN n.p;             // no row
MATCH (n) WHERE NOT (n.p >= '1') RETURN n.p;       // no row
MATCH (n) WHERE (n.p >= '1') IS NULL RETURN n.p;   // no row; right is 1
MATCH (n) RETURN n.p >= '1' AS truth;              // true
