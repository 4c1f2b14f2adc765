OPTIONAL MATCH (n) WITH n WHERE n.h = 0 RETURN 1;         // 1; right is no row
OPTIONAL MATCH (n) WITH n WHERE n IS NOT NULL RETURN 1;   // 1; right is no row
OPTIONAL MATCH (n) WITH n WHERE false RETURN 1;           // no row
