SELECT repeat('a', -1);
