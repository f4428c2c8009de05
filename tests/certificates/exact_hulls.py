"""The distance of two hulls, reduced or whole, in exact fractions: the best of all sets of rows that may be active.

    minimise  || sum_i s_i a_i x_i ||^2     a >= 0,  a_i <= u_i,  sums of 1 in each class          s_i = +-1

At the optimum each weight is 0, at its bound or free, and the free ones solve linear equations. Some optimum has free
rows for which these have one solution, so that the least feasible value over all choices is the minimum.
"""

from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat


def fmpq_of(value: float) -> Any:
    return fmpq(*float(value).as_integer_ratio())


def gram(X) -> list[list[Any]]:
    """Inner products of rows of doubles."""
    rows = [[fmpq_of(v) for v in row] for row in X]
    return [[sum((p * q for p, q in zip(a, b, strict=True)), fmpq(0)) for b in rows] for a in rows]


def gaussian_gram(X, gamma: float) -> list[list[Any]]:
    """Values of a Gaussian kernel, right to 1e-75 or so."""
    G = gram(X)
    n, before = len(G), ctx.prec
    ctx.prec = 256
    try:
        exponents = [[-fmpq_of(gamma) * (G[i][i] + G[j][j] - 2 * G[i][j]) for j in range(n)] for i in range(n)]
        return [[dyadic(arb(e).exp()) for e in row] for row in exponents]
    finally:
        ctx.prec = before


def dyadic(ball: Any) -> Any:
    """The middle of a ball as a fraction, of at most 400 bits behind the point."""
    mantissa, exponent = (int(part) for part in ball.mid().man_exp())
    if exponent >= 0:
        return fmpq(mantissa << exponent)
    return fmpq(mantissa >> max(0, -exponent - 400), 1 << min(400, -exponent))


def polynomial_gram(X, degree: int, coef0: float, gamma: float) -> list[list[Any]]:
    """Values of a polynomial kernel."""
    return [[(fmpq_of(gamma) * value + fmpq_of(coef0)) ** degree for value in row] for row in gram(X)]


def bounds_of(y, cost, mu: float) -> list[Any]:
    """The largest weight of each row of reduced hulls; the mean's where mu is below the smallest by its rounding."""
    found = [fmpq(0)] * len(y)
    for side in (0, 1):
        own = [i for i in range(len(y)) if y[i] == side]
        weights = {i: fmpq_of(cost[i]) for i in own}
        total = sum(weights.values(), fmpq(0))
        for i in own:
            found[i] = weights[i] * fmpq_of(mu) if fmpq_of(mu) * total >= 1 else weights[i] / total
    return found


def squared_distance(G: list[list[Any]], y, upper: list[Any] | None = None) -> Fraction:
    """The square of the distance of the hulls, from the inner products of the rows; one class alone: of the origin."""
    n, classes = len(G), sorted(set(y))
    signs = [1 if side == classes[-1] else -1 for side in y]
    states = (0, 1) if upper is None else (0, 1, 2)
    best = None
    for chosen in product(states, repeat=n):
        free, full = ([i for i in range(n) if chosen[i] == state] for state in (1, 2))
        value = stationary_value(G, signs, [[i for i in free if y[i] == c] for c in classes], full, upper, y, classes)
        if value is not None and (best is None or value < best):
            best = value
    assert best is not None
    return Fraction(int(best.p), int(best.q))


def stationary_value(G, signs, free_by_class, full, upper, y, classes) -> Any:
    """The value at the stationary point of a choice; None where there is none, or it is not feasible."""
    left = [1 - sum((upper[i] for i in full if y[i] == c), fmpq(0)) for c in classes]
    if any(rest < 0 or (rest > 0) != bool(own) for rest, own in zip(left, free_by_class, strict=True)):
        return None
    free = [i for own in free_by_class for i in own]
    held = [c for c, own in enumerate(free_by_class) if own]
    a = {i: upper[i] for i in full}
    if free:
        m, k = len(free), len(held)
        M, r = fmpq_mat(m + k, m + k), fmpq_mat(m + k, 1)
        for p, i in enumerate(free):
            for q, j in enumerate(free):
                M[p, q] = signs[i] * signs[j] * G[i][j]
            for q, c in enumerate(held):
                if y[i] == classes[c]:
                    M[p, m + q] = M[m + q, p] = fmpq(1)
            r[p, 0] = -sum((signs[i] * signs[j] * G[i][j] * upper[j] for j in full), fmpq(0))
        for q, c in enumerate(held):
            r[m + q, 0] = left[c]
        try:
            solved = M.solve(r, algorithm="fflu")  # the other one takes for ever to see that there is no solution
        except ZeroDivisionError:
            return None
        for p, i in enumerate(free):
            if solved[p, 0] < 0 or (upper is not None and solved[p, 0] > upper[i]):
                return None
            a[i] = solved[p, 0]
    return sum((signs[i] * signs[j] * G[i][j] * a[i] * a[j] for i in a for j in a), fmpq(0))


def is_at_most(value: Any, square: Fraction) -> bool:
    """Whether a number that is not negative is at most the root of another, both without rounding."""
    return Fraction(value) ** 2 <= square


def is_at_least(value: Any, square: Fraction) -> bool:
    """Whether a number is at least the root of another."""
    return value == float("inf") or Fraction(value) ** 2 >= square
