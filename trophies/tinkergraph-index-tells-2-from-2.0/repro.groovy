g.addV().property('i',2);
g.V().has('i',P.eq(2.0d)).count();        // 1
graph.createIndex('i', Vertex.class);
g.V().has('i',P.eq(2.0d)).count();        // 0; right is 1
g.V().not(__.has('i',P.eq(2.0d))).count();   // 0
