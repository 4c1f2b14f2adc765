e(1, 0).
r(X, Y) :- e(X, Y).
r(Y, X) :- r(X, _), r(_, Y).
