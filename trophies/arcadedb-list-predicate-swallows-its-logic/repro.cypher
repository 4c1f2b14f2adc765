CREATE (:C {l: [1]}), (:C {l: []});
MATCH (n:C) WHERE coalesce(NOT any(e IN n.l WHERE e = 1), false) RETURN n.l;
MATCH (n:C) WHERE coalesce(any(e IN n.l WHERE e = 1) AND false, false) RETURN n.l;
MATCH (n:C) WHERE CASE WHEN NOT any(e IN n.l WHERE e = 1) THEN true ELSE false END RETURN n.l;
MATCH (n:C) WHERE NOT any(e IN n.l WHERE e = 1) RETURN n.l;
MATCH (n:C) RETURN n.l, coalesce(NOT any(e IN n.l WHERE e = 1), false);
