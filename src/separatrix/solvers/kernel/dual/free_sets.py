"""Which variables of a dual are free and which are at their upper bound: what Newton rounds change.

    free:      the violation required - y (score + offset) is 0, and 0 < alpha < upper
    bounded:   the violation is positive, and alpha = upper             others: it is negative, and alpha = 0

Of the two variables that a row of a regression has, one at most is not 0.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.block_smo import Dual

BOUND_RTOL = 1e-9  # relative distance of alpha from a bound that is none


@dataclass
class Sets:
    """Which variables are free and which at their upper bound; `mirror` is the other variable of the row of each."""

    free: np.ndarray
    bounded: np.ndarray
    mirror: np.ndarray | None = None

    @classmethod
    def of(cls, dual: Dual, alpha: Vector, mirror: np.ndarray | None = None) -> "Sets":
        """The sets of an alpha: within a billionth of a bound is at it."""
        size = np.minimum(dual.upper, max(float(alpha.max(initial=0.0)), TINY))
        bounded = alpha >= dual.upper * (1.0 - BOUND_RTOL)
        return cls((alpha > BOUND_RTOL * size) & ~bounded, bounded, mirror)

    def held(self, dual: Dual, alpha: Vector) -> Vector:
        """Alpha at its bounds wherever a variable is not free."""
        return np.where(self.bounded, dual.upper, np.where(self.free, alpha, 0.0))

    def variables(self, dual: Dual) -> np.ndarray:
        """The free variables, in the order of their rows."""
        free = np.flatnonzero(self.free)
        return free[np.argsort(dual.row[free], kind="stable")]

    def changed(self, dual: Dual, alpha: Vector, violation: Vector, tol: float) -> tuple["Sets", int]:
        """The sets that alpha and the violations ask for, and how many variables change.

        Where a tube is closed, beta passes through 0 from one variable of a row to the other, in place.
        """
        passed = self.passed(alpha, violation, tol)
        here = self if passed is None else Sets((self.free & ~passed) | passed[self.mirror], self.bounded, self.mirror)
        below, above = here.free & (alpha <= 0.0), here.free & (alpha >= dual.upper)
        entering = (~here.free & ~here.bounded & (violation > tol)) | (here.bounded & (violation < -tol))
        if self.mirror is not None:  # a free variable settles its row, but for rounding
            entering &= ~here.free[self.mirror]
        free, bounded = (here.free & ~below & ~above) | entering, (here.bounded & ~entering) | above
        if self.mirror is not None:  # of both, the one that violates more
            both = (free | bounded) & (free | bounded)[self.mirror]
            less = both & (violation <= violation[self.mirror])
            less &= ~(less[self.mirror] & (np.arange(less.size) > self.mirror))
            free, bounded = free & ~less, bounded & ~less
        return Sets(free, bounded, self.mirror), int(np.count_nonzero(below | above | entering))

    def passed(self, alpha: Vector, violation: Vector, tol: float) -> np.ndarray | None:
        """Which free variables hand a negative alpha to the other of their row, in place, as the tube is closed."""
        if self.mirror is None:
            return None
        passed = self.free & (alpha < 0.0) & (violation + violation[self.mirror] >= -tol)
        alpha[self.mirror[passed]], alpha[passed] = -alpha[passed], 0.0
        return passed


def netted(alpha: Vector, mirror: np.ndarray | None) -> Vector:
    """Alpha without what both variables of a row have, which cancels."""
    return alpha.copy() if mirror is None else alpha - np.minimum(alpha, alpha[mirror])
