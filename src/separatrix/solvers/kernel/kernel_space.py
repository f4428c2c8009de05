"""The rows of a problem in the space of its kernel: what fits of all values of C have in common.

Equal rows of one class, or with equal targets, have equal scores, so they count as one whose cost is the sum of theirs;
what it has of alpha they share by their costs. The matrix of the rows that are left, and its factor where the rank is
low, do not depend on C.
"""

from collections.abc import Callable

import numpy as np

from separatrix.kernels import Linear
from separatrix.memory import available_bytes
from separatrix.options import number
from separatrix.problem import Problem
from separatrix.problem.distinct import Distinct
from separatrix.rows import Rows, Vector, take
from separatrix.solvers.kernel.free_system import FreeSystem
from separatrix.solvers.kernel.gram import gram_of
from separatrix.solvers.kernel.low_rank import low_rank_factor, rank_bound


class KernelSpace:
    """Distinct rows, their kernel matrix and its low-rank factor."""

    def __init__(self, problem: Problem, max_bytes: float) -> None:
        self.distinct = None if problem.kernel.rows_are_values else Distinct.of(problem)
        if self.distinct is not None and self.distinct.first.size == problem.n_rows:
            self.distinct = None
        self.rows, self.is_linear = self.merged(problem).X, isinstance(problem.kernel, Linear)
        self.gram = gram_of(problem.kernel, self.rows, max_bytes)
        self.rank = rank_bound(problem.kernel, problem.n_features)
        self._system: FreeSystem | None = None

    def factor(self, interrupted: Callable[[], object]) -> Rows | None:
        """L with K = L L', where its rank is low; computed once, unless `interrupted` raises."""
        if not hasattr(self, "_factor"):
            self._factor = self.rows if self.is_linear else low_rank_factor(self.gram, interrupted, self.rank)
        return self._factor

    def system(self, ridge: Vector, fit_intercept: bool) -> FreeSystem:
        """The linear system of the free rows, with the factor of the fit before unless the ridge has changed."""
        known = self._system
        if known is None or known.fit_intercept != fit_intercept or not np.array_equal(known.ridge, ridge):
            self._system = known = FreeSystem(self.gram, ridge, fit_intercept)
        return known

    def merged(self, problem: Problem) -> Problem:
        """The problem of the distinct rows."""
        if self.distinct is None:
            return problem
        first, group = self.distinct.first, self.distinct.group
        cost: Vector = np.bincount(group, weights=problem.cost).astype(np.float64)
        rows = problem.__dict__.setdefault("_distinct_rows", take(problem.X, first))
        return Problem(
            rows, problem.y[first], problem.n_classes, cost, problem.fit_intercept, problem.objective, problem.kernel
        )

    def gathered(self, alpha: Vector) -> Vector:
        """Alpha of the distinct rows from that of all rows."""
        return alpha if self.distinct is None else np.bincount(self.distinct.group, alpha).astype(np.float64)

    def shared(self, problem: Problem, alpha: Vector) -> Vector:
        """Alpha of all rows from that of the distinct ones."""
        if self.distinct is None:
            return alpha
        group = self.distinct.group
        whole = np.bincount(group, weights=problem.cost)
        return alpha[group] * (problem.cost / np.where(whole > 0.0, whole, 1.0)[group])


def kept_bytes(cache_mb: float | None) -> float:
    """Memory for kernel values and factors: what is asked for, or half of what there is."""
    return 0.5 * available_bytes() if cache_mb is None else 1e6 * number("cache_mb", cache_mb, above=0.0)
