CREATE ({b: true});
MATCH (n) WHERE n.b <= true RETURN n.b;
MATCH (n) WHERE (n.b <= true) IS NULL RETURN n.b;
MATCH (n) RETURN n.b <= true AS truth;
