"""The robust linear program in fractions: its optimum, proved by equal values of both sides, and that of a plane.

Independent of the package: Python's fractions, and the simplex method with Bland's rule (1977) throughout.
"""

from fractions import Fraction


def exact_rows(problem):
    """y_i [x_i, 1] of each row, and c_i, its part of the weight of its class."""
    signs, cost = problem.signs.tolist(), [Fraction(c) for c in problem.cost.tolist()]
    totals = {side: sum(c for c, s in zip(cost, signs, strict=True) if s == side) for side in (-1, 1)}
    more = [Fraction(1)] if problem.fit_intercept else []
    rows = [
        [s * v for v in [*map(Fraction, row), *more]] for s, row in zip(signs, problem.X.tolist(), strict=True)
    ]  # fmt: skip
    return rows, [c / totals[s] for c, s in zip(cost, signs, strict=True)]


def mean_slack(rows, shares, plane):
    """P of a plane [w, b]."""
    margins = [sum(p * a for p, a in zip(plane, row, strict=True)) for row in rows]
    return sum(c * max(Fraction(0), 1 - m) for c, m in zip(shares, margins, strict=True))


def optimum(rows, shares):
    """The least mean slack of all planes: alpha is feasible, and a plane has the same value."""
    alpha, plane = simplex(rows, shares)
    assert all(0 <= a <= c for a, c in zip(alpha, shares, strict=True))
    assert all(sum(a * row[j] for a, row in zip(alpha, rows, strict=True)) == 0 for j in range(len(rows[0])))
    assert sum(alpha) == mean_slack(rows, shares, plane)
    return sum(alpha)


def simplex(rows, shares):
    """Maximise sum alpha with sum_i alpha_i a_i = 0 and bounds, from alpha = 0; prices are the plane."""
    n, m = len(rows), len(rows[0])
    columns = [*rows, *[[Fraction(int(j == k)) for k in range(m)] for j in range(m)]]
    bounds, alpha = [*shares, *[Fraction(0)] * m], [Fraction(0)] * (n + m)
    basis, inverse = list(range(n, n + m)), [[Fraction(int(j == k)) for k in range(m)] for j in range(m)]
    while True:
        prices = [sum(inverse[k][j] for k in range(m) if basis[k] < n) for j in range(m)]
        gains = [1 - sum(p * a for p, a in zip(prices, row, strict=True)) for row in rows]
        movable = (i for i in range(n) if i not in basis and gains[i] and (alpha[i] == 0) == (gains[i] > 0))
        entering = next(movable, None)
        if entering is None:
            return alpha[:n], prices
        sign = 1 if gains[entering] > 0 else -1
        change = [-sign * sum(p * a for p, a in zip(row, columns[entering], strict=True)) for row in inverse]
        steps = [(bounds[entering], entering, -1)]
        for k, (column, rate) in enumerate(zip(basis, change, strict=True)):
            if rate:
                steps.append(((bounds[column] - alpha[column] if rate > 0 else -alpha[column]) / rate, column, k))
        step, _, leaving = min(steps)
        for column, rate in zip(basis, change, strict=True):
            alpha[column] += rate * step
        alpha[entering] += sign * step
        if leaving >= 0:
            pivot = [value / (-sign * change[leaving]) for value in inverse[leaving]]
            for k, rate in enumerate(change):
                if k != leaving:
                    inverse[k] = [v + sign * rate * p for v, p in zip(inverse[k], pivot, strict=True)]
            inverse[leaving], basis[leaving] = pivot, entering
