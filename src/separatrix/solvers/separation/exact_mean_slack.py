"""The robust linear program in fractions, by the simplex method with bounds on the variables (Dantzig, 1955).

    maximise  sum_i alpha_i     subject to     sum_i alpha_i a_i = 0,     0 <= alpha_i <= c_i,     a_i = y_i [x_i, 1]

The prices of the equations are the plane v = [w, b]. A row at 0 enters the basis where its margin <v, a_i> is below 1,
one at its bound where it is above; where there are no such rows both are optimal. alpha = 0 is feasible, so the method
starts there, with a basis of variables that are fixed at 0. Nothing is ever rounded, whatever the scales are.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.exact import IntegerVector, fraction, scaled_integers
from separatrix.enclosures.exact_equations import fractions, nearest_interval
from separatrix.objectives.mean_slack.dual_value import exact_shares
from separatrix.problem import Problem
from separatrix.products import dense_rows
from separatrix.rows import TINY, Vector

MAX_ENTRIES = 2**12  # of the rows, for which that takes a second or less
MAX_WIDTH = 40  # equations
MAX_PIVOTS = 2000
MAX_ROWS_TRIED = 5  # for the offset
N_NEIGHBOURS = 2**16  # of w, for each of which the offset is another
ROOM = 2.0**-40  # by which margins are more than 1, so that rounding leaves no slack
MAX_DEGENERATE_PIVOTS = 30  # in a row, after which Bland's rule (1977) chooses rows, which cannot cycle


class ExactOptimum(NamedTuple):
    """alpha, and the plane w, b, as fractions."""

    alpha: list[Any]
    w: list[Any]
    b: Any

    def planes(self, problem: Problem) -> Iterator[tuple[Vector, float]]:
        """Yield planes next to it in doubles, each also times slightly more than 1 for rows that must have no slack."""
        w = np.array([nearest_double(value) for value in self.w])
        if not np.isfinite(w).all():
            return
        planes = [(w, nearest_double(self.b))]
        if problem.fit_intercept:
            inside = np.array([i for i, a in enumerate(self.alpha) if a > 0][:MAX_ROWS_TRIED], dtype=np.int64)
            planes += [self.through(x, w) for x in dense_rows(problem.X, inside)]
        for w, b in planes:
            yield w, b
            yield (1.0 + ROOM) * w, (1.0 + ROOM) * b

    def through(self, x: Vector, w: Vector) -> tuple[Vector, float]:
        """A plane next to w in doubles that gives a row the score that it has, as nearly as an offset in doubles can.

        Far from the origin doubles are far apart, and b is off by up to half their distance. The b that is needed moves
        as the largest term of w.x does: among neighbours of w is one for which it is nearly a double.
        """
        point = fractions(x)
        j = int(np.argmax(np.abs(w * x)))
        needed = sum((v * p - u * p for v, u, p in zip(self.w, fractions(w), point, strict=True)), self.b)
        b = nearest_double(needed)
        grid, step = np.spacing(abs(b)), np.spacing(abs(w[j]))
        if w[j] != 0.0 and 0.0 < grid < np.inf and step > TINY:
            first, change = (part_of_one(value / fraction(grid)) for value in (needed, -fraction(step) * point[j]))
            apart = first + change * np.arange(N_NEIGHBOURS)
            w = w.copy()
            w[j] += step * int(np.argmin(np.abs(apart - np.rint(apart))))
            needed = sum((v * p - u * p for v, u, p in zip(self.w, fractions(w), point, strict=True)), self.b)
        return w, nearest_double(needed)


def part_of_one(value: Any) -> float:
    """What is left of a fraction without its whole part."""
    return nearest_double(value - value.floor())


def nearest_double(value: Any) -> float:
    """A double next to a fraction; infinite beyond the largest."""
    return nearest_interval(value).middle


class BoundedSimplex:
    """A basis with the inverse of its matrix, the values of its variables, and which of the others are at their bound.

    Columns below n are rows of the problem; n + j is the variable of equation j, which stays 0.
    """

    def __init__(self, A: list[IntegerVector], bounds: list[Any]) -> None:
        from flint import fmpq, fmpz_mat

        self.A, self.n, self.m = A, len(A), len(A[0])
        self.matrix = fmpz_mat(A)
        self.bounds = [*bounds, *[fmpq(0)] * self.m]
        self.at_bound = [False] * self.n
        self.basis = [self.n + j for j in range(self.m)]
        self.inverse = [[fmpq(int(j == k)) for k in range(self.m)] for j in range(self.m)]
        self.values = [fmpq(0)] * self.m

    @property
    def prices(self) -> list[Any]:
        """The plane: the sum of the rows of the inverse that belong to rows of the problem."""
        own = [row for row, column in zip(self.inverse, self.basis, strict=True) if column < self.n]
        return [sum(column) for column in zip(*own, strict=True)] if own else [self.values[0] * 0] * self.m

    def entering(self, bland: bool) -> int | None:
        """The row whose margin is furthest on the wrong side of 1, by Bland's rule the first; None where none is."""
        from flint import fmpq_mat

        numerators, denominator = fmpq_mat(self.m, 1, self.prices).numer_denom()
        best: Any = 0
        found = None
        for i, margin in enumerate((self.matrix * numerators).entries()):
            gain = margin - denominator if self.at_bound[i] else denominator - margin
            if gain > best:  # which is 0 for the rows of the basis
                best, found = gain, i
                if bland:
                    break
        return found

    def pivot_in(self, i: int) -> bool:
        """Let alpha_i grow from 0, or shrink from its bound, as far as bounds allow; whether it moved at all."""
        sign = -1 if self.at_bound[i] else 1
        entries = [sum((p * a for p, a in zip(row, self.A[i], strict=True) if a), row[0] * 0) for row in self.inverse]
        ratios = [(self.bounds[i], i, -1)]
        for k, entry in enumerate(entries):
            fall = sign * entry
            if fall > 0:
                ratios.append((self.values[k] / fall, self.basis[k], k))
            elif fall < 0:
                ratios.append(((self.values[k] - self.bounds[self.basis[k]]) / fall, self.basis[k], k))
        step, _, leaving = min(ratios)
        self.values = [value - sign * step * entry for value, entry in zip(self.values, entries, strict=True)]
        if leaving < 0:
            self.at_bound[i] = not self.at_bound[i]
            return bool(step > 0)
        out = self.basis[leaving]
        if out < self.n:
            self.at_bound[out] = sign * entries[leaving] < 0
        self.values[leaving] = (self.bounds[i] if sign < 0 else 0) + sign * step
        self.replace_in_basis(leaving, i, entries)
        return bool(step > 0)

    def replace_in_basis(self, leaving: int, i: int, entries: list[Any]) -> None:
        """Write row i into the basis in place of another, and update the inverse."""
        pivot = [value / entries[leaving] for value in self.inverse[leaving]]
        for k, entry in enumerate(entries):
            if k != leaving and entry != 0:
                self.inverse[k] = [value - entry * p for value, p in zip(self.inverse[k], pivot, strict=True)]
        self.inverse[leaving], self.basis[leaving] = pivot, i
        self.at_bound[i] = False

    def alpha(self) -> list[Any]:
        """alpha of all rows."""
        found = [bound if at else bound * 0 for bound, at in zip(self.bounds, self.at_bound, strict=False)]
        for column, value in zip(self.basis, self.values, strict=True):
            if column < self.n:
                found[column] = value
        return found


def is_small(problem: Problem) -> bool:
    """Whether the program is small enough for fractions."""
    width = problem.n_features + problem.fit_intercept
    return width <= MAX_WIDTH and problem.n_rows * width <= MAX_ENTRIES


def exact_optimum(problem: Problem) -> ExactOptimum | None:
    """Solve the program in fractions; None where the pivots that are allowed did not suffice.

    >>> found = exact_optimum(Problem(np.array([[0.0], [2.0], [1.0], [3.0]]), np.array([0, 0, 1, 1])))
    >>> sum(found.alpha), found.w, found.b  # 2 and 1 are the wrong way round
    (4/3, [2/3], -1)
    """
    X, signs = dense_rows(problem.X, np.arange(problem.n_rows)), problem.signs[:, None]
    extended = np.column_stack([X, np.ones(len(X))]) if problem.fit_intercept else X
    integers, exponents = scaled_integers(extended * signs)
    simplex, degenerate = BoundedSimplex(integers, exact_shares(problem, np.arange(problem.n_rows))), 0
    for _ in range(MAX_PIVOTS):
        i = simplex.entering(bland=degenerate > MAX_DEGENERATE_PIVOTS)
        if i is None:
            units = [fraction(1.0) / 2**-e if e < 0 else fraction(1.0) * 2**e for e in map(int, exponents)]
            plane = [price / unit for price, unit in zip(simplex.prices, units, strict=True)]
            b = plane.pop() if problem.fit_intercept else fraction(0.0)
            return ExactOptimum(simplex.alpha(), plane, b)
        degenerate = 0 if simplex.pivot_in(i) else degenerate + 1
    return None
