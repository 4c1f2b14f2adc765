CREATE ({j: -9223372036854775808}), ({j: 1});
MATCH (n) RETURN min(n.j);           // 1; right is -9223372036854775808
MATCH (n) RETURN max(n.j);           // -9223372036854775808; right is 1
MATCH (n) RETURN n.j ORDER BY n.j;   // 1, -9223372036854775808; right is the other way round
