e("a", "b").
r(X) :- e(X, X).
