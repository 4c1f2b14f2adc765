g.addV('lone');
g.addV('a').as('a').addV('b').addE('S').from('a');
g.V().filter(__.in('S').count().is(0)).label();      // lone, a
g.V().not(__.in('S').count().is(0)).label();         // lone, a; right is b
g.withoutStrategies(CountStrategy).V().not(__.in('S').count().is(0)).label();   // b
