CREATE ({b: true, p: 1});
MATCH (n) WHERE n.b <= true RETURN n.b;
MATCH (n) WHERE (n.b <= true) IS NULL RETURN n.b;
MATCH (n) RETURN n.b <= true AS truth;
MATCH (n) WHERE n.p >= '1' RETURN n.p;
MATCH (n) WHERE NOT (n.p >= '1') RETURN n.p;
MATCH (n) WHERE (n.p >= '1') IS NULL RETURN n.p;
MATCH (n) RETURN n.p >= '1' AS truth;
