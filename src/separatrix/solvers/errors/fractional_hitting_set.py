"""Fractional hitting sets: the linear relaxation of the minimum hitting set, which bounds its weight from below.

    minimise  sum_i weight_i e_i    subject to   sum over i in the set of e_i >= 1 for each set,    0 <= e_i <= 1

With e_i = 0 or 1 it is the problem of `certificates.arithmetic.hitting_set`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from separatrix.certificates.arithmetic.hitting_set import Incidence, round_bound_up
from separatrix.rows import Vector


class Relaxation(NamedTuple):
    """e of each row, the minimum, and the sets whose constraints have a positive multiplier."""

    e: Vector
    value: float
    binding: np.ndarray

    @property
    def lower_bound(self) -> int:
        """A lower bound on the weight of every hitting set."""
        return round_bound_up(self.value)


def fractional_hitting_set(sets: Sequence[np.ndarray], weights: np.ndarray, seconds: float = np.inf) -> Relaxation:
    """Solve the linear relaxation for sets of row numbers, none empty; at the time limit the bound is 0.

    >>> found = fractional_hitting_set([np.array([0, 1]), np.array([1, 2]), np.array([2, 0])], np.ones(3, dtype=int))
    >>> found.e.tolist(), found.lower_bound  # half of each; 3/2 is rounded up
    ([0.5, 0.5, 0.5], 2)
    """
    incidence, e = Incidence.of(sets), np.zeros(weights.size)
    cost, ones = weights[incidence.rows], np.ones(len(sets))
    found = linprog(cost, A_ub=-incidence.matrix, b_ub=-ones, bounds=(0.0, 1.0), options=linprog_options(seconds))
    if found.status != 0:
        return Relaxation(e, 0.0, np.arange(len(sets)))
    e[incidence.rows] = np.clip(found.x, 0.0, 1.0)
    return Relaxation(e, float(found.fun), np.flatnonzero(found.ineqlin.marginals < 0.0))


def linprog_options(seconds: float) -> dict[str, float]:
    """Options of SciPy that end a linear program after so many seconds; HiGHS needs a hundredth at least."""
    return {"time_limit": max(seconds, 0.01)} if seconds < np.inf else {}
