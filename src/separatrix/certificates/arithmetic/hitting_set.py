"""Minimum hitting sets: the lightest set of rows that meets each of some sets (Karp, 1972).

    minimise  sum_i weight_i e_i    subject to   sum over i in the set of e_i >= 1 for each set,    e_i = 0 or 1

Solved as an integer program by HiGHS. Where the sets are rows that no plane separates, the rows that a plane gets
wrong meet all of them, so no plane makes fewer errors than the lightest hitting set weighs.
"""

from collections.abc import Sequence
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp


class HittingSet(NamedTuple):
    """The lightest hitting set that was found, if any, and a lower bound on the weight of every hitting set."""

    rows: np.ndarray | None
    lower_bound: int


class Incidence(NamedTuple):
    """The incidence matrix of some sets, with a line for each set and a column for each row that is in any of them."""

    rows: np.ndarray
    matrix: Any

    @classmethod
    def of(cls, sets: Sequence[np.ndarray]) -> "Incidence":
        """Build the matrix of at least one set."""
        rows, place = np.unique(np.concatenate(sets), return_inverse=True)
        ends = np.append(0, np.cumsum([len(each) for each in sets]))
        return cls(rows, sparse.csr_array((np.ones(place.size), place, ends), shape=(len(sets), rows.size)))


def minimum_hitting_set(sets: Sequence[np.ndarray], weights: np.ndarray, time_limit: float | None = None) -> HittingSet:
    """Find a hitting set of minimum weight by branch and bound (HiGHS).

    Parameters
    ----------
    sets : sequence of int arrays
        Numbers of rows, no set empty.
    weights : ndarray of int
        Weight of each row.
    time_limit : float or None
        Seconds after which the best so far is returned.

    Returns
    -------
    HittingSet
        `lower_bound` is the weight of `rows` where the search was finished.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.hitting_set import minimum_hitting_set
    >>> found = minimum_hitting_set([np.array([0, 1]), np.array([1, 2]), np.array([3, 4])], np.array([1, 1, 1, 1, 2]))
    >>> found.rows.tolist(), found.lower_bound
    ([1, 3], 2)
    """
    if not sets:
        return HittingSet(np.zeros(0, dtype=np.int64), 0)
    incidence = Incidence.of(sets)
    cost, options = weights[incidence.rows].astype(np.float64), {} if time_limit is None else {"time_limit": time_limit}
    found = interruptible_milp(cost, [LinearConstraint(incidence.matrix, lb=1.0)], options)
    bound = found.mip_dual_bound
    lower_bound = round_bound_up(bound) if bound is not None and np.isfinite(bound) else 0
    return HittingSet(None if found.x is None else incidence.rows[found.x > 0.5], lower_bound)


def proves_lower_bound(sets: Sequence[np.ndarray], weights: np.ndarray, lower_bound: int) -> bool:
    """Whether no hitting set is lighter than a bound, which is often much easier to decide than the minimum.

    >>> sets = [np.array([0, 1]), np.array([1, 2]), np.array([2, 0])]
    >>> [proves_lower_bound(sets, np.ones(3, dtype=int), bound) for bound in (1, 2, 3)]
    [True, True, False]
    """
    if not sets or lower_bound <= 0:
        return lower_bound <= 0
    incidence = Incidence.of(sets)
    cost = weights[incidence.rows].astype(np.float64)
    lighter = LinearConstraint(sparse.csr_array(cost[None]), ub=lower_bound - 1.0)
    found = interruptible_milp(cost, [LinearConstraint(incidence.matrix, lb=1.0), lighter], {})
    infeasible = 2  # status of scipy.optimize.milp
    return bool(found.status == infeasible)


def round_bound_up(bound: float) -> int:
    """Round a lower bound on an integer up; a bound that is an integer but for a rounding error of 1e-6 stays there."""
    return max(0, int(np.ceil(bound - 1e-6)))


SECONDS_BETWEEN_INTERRUPT_CHECKS = 0.05


def interruptible_milp(cost: np.ndarray, constraints: list[LinearConstraint], options: dict[str, float]) -> Any:
    """Run HiGHS in its own thread, so that Ctrl-C ends the wait for it; the thread ends with its time limit."""
    outcome: list[Any] = []

    def solve() -> None:
        integers, binary = np.ones(cost.size), Bounds(0.0, 1.0)
        try:
            outcome.append(milp(cost, integrality=integers, bounds=binary, constraints=constraints, options=options))
        except Exception as failure:
            outcome.append(failure)

    thread = Thread(target=solve, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(SECONDS_BETWEEN_INTERRUPT_CHECKS)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]
