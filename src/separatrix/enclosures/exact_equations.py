"""Sums over rows and linear equations in exact fractions, where doubles cannot show that a sum vanishes.

    sum_i d_i x_i = missing        for d of a few rows: the reduced row echelon form over the fractions (Cohen, 1993)

A double is a fraction with a power of two below, so that nothing is rounded (python-flint).
"""

from fractions import Fraction
from typing import Any

import numpy as np

from separatrix.enclosures.interval import Interval, down, up
from separatrix.rows import Vector


def fractions(values: Vector) -> list[Any]:
    """Doubles as fractions, without rounding."""
    from flint import fmpq  # imported on first need: most claims do without

    return [fmpq(*value.as_integer_ratio()) for value in np.asarray(values, dtype=np.float64).ravel().tolist()]


def exact_row_sums(X: Vector, weights: list[Any]) -> list[Any]:
    """The sum of weights_i x_i over dense rows, column by column.

    >>> exact_row_sums(np.array([[1e16, 0.5], [1.0, 0.5]]), fractions(np.array([1.0, -1.0])))
    [9999999999999999, 0]
    """
    from flint import fmpq_mat

    n, d = X.shape
    return (fmpq_mat(1, n, weights) * fmpq_mat(n, d, fractions(X))).entries() if n and d else []


def exact_solution(X: Vector, missing: list[Any]) -> list[Any] | None:
    """Fractions d with sum_i d_i x_i = missing, 0 for rows that depend on those before them; None where there are none.

    >>> exact_solution(np.array([[3.0, 1.0], [6.0, 2.0], [0.0, 1.0]]), fractions(np.array([1.0, 1.0])))
    [1/3, 0, 2/3]
    >>> exact_solution(np.array([[3.0, 1.0]]), fractions(np.array([1.0, 1.0]))) is None
    True
    """
    from flint import fmpq, fmpq_mat

    n, d = X.shape
    entries: list[Any] = []
    for column, value in zip(X.T, missing, strict=True):
        entries += [*fractions(column), value]
    reduced, rank = fmpq_mat(d, n + 1, entries).rref()
    solution = [fmpq(0)] * n
    for k in range(int(rank)):
        pivot = next(j for j in range(n + 1) if reduced[k, j] != 0)
        if pivot == n:
            return None
        solution[pivot] = reduced[k, n]
    return solution


def nearest_interval(value: Any) -> Interval:
    """The doubles next to a fraction, or the one that it is.

    >>> third = nearest_interval(fractions(np.array([1.0]))[0] / 3)
    >>> third.low < third.high, nearest_interval(fractions(np.array([0.5]))[0])
    (True, Interval(low=0.5, high=0.5))
    """
    exact = Fraction(int(value.p), int(value.q))
    try:
        found = float(exact)
    except OverflowError:
        return Interval(-np.inf, np.inf)
    return Interval.of(found) if Fraction(found) == exact else Interval(down(found), up(found))
