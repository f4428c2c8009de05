"""Whether the origin is in a convex hull, decided in fractions by the simplex method (Dantzig, 1951).

    minimise  sum_j |s_j|   subject to   sum_i u_i z_i + s = 0,   sum_i u_i = 1,   u >= 0

At the optimum either s = 0, and u are weights of rows that cancel, or the prices v of the equations have
<v, z_i> > 0 for every row. Nothing is ever rounded, so one of the two comes out; floats only propose which row enters.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.exact import IntegerVector, clear_denominators, rounded
from separatrix.solvers.budget import Budget


class Outcome(NamedTuple):
    """Either a vector v that is positive on every row, or rows and positive weights that cancel; the other is None."""

    v: IntegerVector | None
    rows: list[int]
    weights: IntegerVector


class Tableau:
    """A basis of d + 1 columns, and the inverse of the matrix that they make.

    Column i below n is (z_i, 1). Column n + j is the slack of equation j, with the sign that keeps it positive.
    """

    def __init__(self, Z: list[IntegerVector]) -> None:
        from flint import fmpq, fmpz_mat

        self.Z, self.n, self.d = Z, len(Z), len(Z[0])
        self.matrix = fmpz_mat([[*row, 1] for row in Z])
        self.floats = np.array([np.append(rounded(row), 0.0) for row in Z])
        self.floats[:, -1] = [1.0 / float(2 ** min(1000, max(map(int.bit_length, map(abs, row))))) for row in Z]
        one = fmpq(1)
        self.basis = [self.n + j for j in range(self.d)] + [0]
        signs = [1 if value <= 0 else -1 for value in Z[0]]  # slack j has the value |z_0j| with the sign of -z_0j
        self.inverse = [[fmpq(0)] * (self.d + 1) for _ in range(self.d + 1)]
        for j, sign in enumerate(signs):
            self.inverse[j][j] = one * sign
            self.inverse[j][-1] = one * -Z[0][j] * sign
        self.inverse[-1][-1] = one

    @property
    def values(self) -> list[Any]:
        """The values of the basic variables."""
        return [row[-1] for row in self.inverse]

    @property
    def prices(self) -> list[Any]:
        """The prices of the equations, at a cost of 1 for each slack."""
        slack = [self.inverse[k] for k, column in enumerate(self.basis) if column >= self.n]
        return [sum(column) for column in zip(*slack, strict=True)] if slack else []

    def entering(self, prices: list[Any], bland: bool) -> int | None:
        """A row with a negative reduced cost, the best of them by floats; None where there is none, exactly."""
        from flint import fmpq_mat

        if not bland:
            scale = max(abs(price) for price in prices)
            guess = int(np.argmax(self.floats @ [float(int((p / scale).p) / int((p / scale).q)) for p in prices]))
            gain = sum((price * z for price, z in zip(prices, [*self.Z[guess], 1], strict=True)), 0 * scale)
            if gain > 0:
                return guess
        gains = self.matrix * fmpq_mat(self.d + 1, 1, prices).numer_denom()[0]  # negated reduced costs, scaled
        return next((i for i in range(self.n) if gains[i, 0] > 0), None)

    def pivot_in(self, i: int) -> bool:
        """Bring row i into the basis; whether the sum of slacks became less."""
        column = [*self.Z[i], 1]
        entries = [sum((a * z for a, z in zip(row, column, strict=True) if z), row[0] * 0) for row in self.inverse]
        ratios = [
            (row[-1] / e, self.basis[k], k)
            for k, (row, e) in enumerate(zip(self.inverse, entries, strict=True))
            if e > 0
        ]
        step, _, leaving = min(ratios)
        pivot = [value / entries[leaving] for value in self.inverse[leaving]]
        for k, e in enumerate(entries):
            if k != leaving and e != 0:
                self.inverse[k] = [value - e * p for value, p in zip(self.inverse[k], pivot, strict=True)]
        self.inverse[leaving], self.basis[leaving] = pivot, i
        return bool(step > 0)


MAX_DEGENERATE_PIVOTS = 30  # in a row, after which Bland's rule (1977) chooses rows, which cannot cycle


def origin_in_hull(Z: list[IntegerVector], budget: Budget | None = None) -> Outcome:
    """Find positive weights for which integer rows cancel, or a vector that is positive on all of them.

    Raises TimeOverError where a budget ends before.

    >>> origin_in_hull([[2, 0], [-1, 1], [0, -3]]).weights  # 3 (2, 0) + 6 (-1, 1) + 2 (0, -3) = 0
    [3, 6, 2]
    >>> origin_in_hull([[2, 0], [-1, 1]]).v is None
    False
    """
    tableau, degenerate = Tableau(Z), 0
    while True:
        if budget is not None:
            budget.check_time()
        prices = tableau.prices
        objective = prices[-1] if prices else 0
        if objective == 0:
            break
        i = tableau.entering(prices, bland=degenerate > MAX_DEGENERATE_PIVOTS)
        if i is None:
            return Outcome(clear_denominators([-price for price in prices[:-1]]), [], [])
        degenerate = 0 if tableau.pivot_in(i) else degenerate + 1
    kept = sorted(
        (row, value) for row, value in zip(tableau.basis, tableau.values, strict=True) if row < tableau.n and value > 0
    )
    return Outcome(None, [row for row, _ in kept], clear_denominators([value for _, value in kept]))
