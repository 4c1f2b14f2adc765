CREATE ({p: 1});
MATCH (n) WHERE (n.p < 'x') XOR true RETURN n.p;        // 1; right is no row
MATCH (n) WHERE NOT ((n.p < 'x') XOR true) RETURN n.p;  // 1; right is no row
MATCH (n) RETURN (n.p < 'x') XOR true;                  // null
