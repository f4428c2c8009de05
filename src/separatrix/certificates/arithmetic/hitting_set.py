"""The lightest set of rows that meets every one of some sets: a minimum hitting set (Karp, 1972).

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

INFEASIBLE = 2  # status of milp
ROUNDING = 1e-6  # of a bound that is a whole number but for rounding
GLANCE = 0.05  # seconds between two looks for Ctrl-C


class Hits(NamedTuple):
    """The lightest hitting set that was found, if any, and what every hitting set weighs at least."""

    rows: np.ndarray | None
    least: int


class Incidence(NamedTuple):
    """Which rows are in which sets: the rows that are in any, and a matrix of a line for each set."""

    rows: np.ndarray
    matrix: Any

    @classmethod
    def of(cls, sets: Sequence[np.ndarray]) -> "Incidence":
        """Write out some sets, at least one."""
        rows, place = np.unique(np.concatenate(sets), return_inverse=True)
        ends = np.append(0, np.cumsum([len(each) for each in sets]))
        return cls(rows, sparse.csr_array((np.ones(place.size), place, ends), shape=(len(sets), rows.size)))


def fewest_hits(sets: Sequence[np.ndarray], weights: np.ndarray, time_limit: float | None = None) -> Hits:
    """Find the lightest hitting set.

    Parameters
    ----------
    sets : sequence of int arrays
        Numbers of rows, no set empty.
    weights : ndarray of int
        What each row weighs.
    time_limit : float or None
        Seconds after which the best so far is returned.

    Returns
    -------
    Hits
        `least` is the weight of `rows` where the search was finished.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.hitting_set import fewest_hits
    >>> found = fewest_hits([np.array([0, 1]), np.array([1, 2]), np.array([3, 4])], np.array([1, 1, 1, 1, 2]))
    >>> found.rows.tolist(), found.least
    ([1, 3], 2)
    """
    if not sets:
        return Hits(np.zeros(0, dtype=np.int64), 0)
    incidence = Incidence.of(sets)
    cost, options = weights[incidence.rows].astype(np.float64), {} if time_limit is None else {"time_limit": time_limit}
    found = interruptible(cost, [LinearConstraint(incidence.matrix, lb=1.0)], options)
    bound = found.mip_dual_bound
    least = rounded_up(bound) if bound is not None and np.isfinite(bound) else 0
    return Hits(None if found.x is None else incidence.rows[found.x > 0.5], least)


def weigh_at_least(sets: Sequence[np.ndarray], weights: np.ndarray, least: int) -> bool:
    """Whether no hitting set is lighter than `least`; that is often much easier to tell than which is the lightest.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.hitting_set import weigh_at_least
    >>> sets = [np.array([0, 1]), np.array([1, 2]), np.array([2, 0])]
    >>> [weigh_at_least(sets, np.ones(3, dtype=int), least) for least in (1, 2, 3)]
    [True, True, False]
    """
    if not sets or least <= 0:
        return least <= 0
    incidence = Incidence.of(sets)
    cost = weights[incidence.rows].astype(np.float64)
    lighter = LinearConstraint(sparse.csr_array(cost[None]), ub=least - 1.0)
    found = interruptible(cost, [LinearConstraint(incidence.matrix, lb=1.0), lighter], {})
    return bool(found.status == INFEASIBLE)


def rounded_up(bound: float) -> int:
    """The whole number that a bound on whole numbers is rounded up to."""
    return max(0, int(np.ceil(bound - ROUNDING)))


def interruptible(cost: np.ndarray, constraints: list[LinearConstraint], options: dict[str, float]) -> Any:
    """HiGHS in a thread of its own, as it would not see Ctrl-C; it ends by itself when its time is over."""
    outcome: list[Any] = []

    def solve() -> None:
        whole, between = np.ones(cost.size), Bounds(0.0, 1.0)
        try:
            outcome.append(milp(cost, integrality=whole, bounds=between, constraints=constraints, options=options))
        except Exception as failure:
            outcome.append(failure)

    thread = Thread(target=solve, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(GLANCE)
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]
