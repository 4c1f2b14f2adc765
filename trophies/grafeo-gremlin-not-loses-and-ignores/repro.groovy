g.addV('A');
g.addV('A').property('i',1);
g.V().not(has('i',eq(1))).count();
g.V().not(not(has('i',eq(1)))).count();
