OPTIONAL MATCH (n) WHERE false RETURN n;                                       // no row; right is one, NULL
OPTIONAL MATCH (n) WHERE CASE WHEN false THEN true ELSE false END RETURN n;    // one row: NULL
