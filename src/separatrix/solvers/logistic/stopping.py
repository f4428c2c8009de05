"""When a solver of log losses may end: its gap is small, by an estimate or by a certificate, or the budget is spent.

The estimate (`Point.gap`) costs nothing and is exact but for the offsets. The certificate balances these first, which
takes some passes over the rows, so that it is asked only where the estimate does not fall any more.
"""

from collections.abc import Callable
from typing import NamedTuple

from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.scaled_objective import Point


class Stopping(NamedTuple):
    """The relative gap that is asked for, the budget, and the relative gap that the certificate of a point states."""

    tol: float
    budget: Budget
    stated: Callable[[Point], float] | None = None

    def reached(self, point: Point) -> bool:
        """Whether the estimate of the gap is small enough."""
        return point.gap <= self.tol * point.value

    def certified(self, point: Point) -> bool:
        """Whether the certificate states a gap that is small enough, from the rows themselves."""
        return self.stated is not None and self.stated(point) <= self.tol
