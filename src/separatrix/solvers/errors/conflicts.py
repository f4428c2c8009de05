"""What a search for the fewest errors knows: conflicts, a lower bound, and the best plane so far.

A conflict is a set of rows, at most d + 2, that no plane separates: every plane gets at least one of them wrong. Its
rows cancel with positive weights (Gordan, 1873), which proves it.
"""

from dataclasses import dataclass, field

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.overlap import Balance
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.separation.gordan import alternative, minimal_balance
from separatrix.solvers.separation.quotient_space import QuotientSpace


@dataclass(eq=False)
class ConflictSearch:
    """Conflicts, lower bound and best plane so far, for rows of two classes that are all different."""

    problem: Problem
    counts: np.ndarray  # of the errors that each row stands for
    budget: Budget
    conflicts: dict[tuple[int, ...], Balance] = field(default_factory=dict)
    lower: int = 0
    min_weight: int = 0  # local search finds no hitting set that is lighter than this
    stalled: bool = False  # a better plane is known to exist, but cannot be rounded to doubles

    def __post_init__(self) -> None:
        """Start from w = 0, which has every row on the plane."""
        self.inequalities = Inequalities(self.problem)
        self.all = np.arange(self.problem.n_rows)
        self.w, self.b, self.wrong = np.zeros(self.problem.n_features), 0.0, self.all
        self.rng = np.random.default_rng(0)

    @property
    def upper(self) -> int:
        """Errors of the best plane so far."""
        return self.weight(self.wrong)

    @property
    def finished(self) -> bool:
        """Whether the best plane is known, or the search cannot go on."""
        return self.lower >= self.upper or self.stalled or self.budget.left <= 0

    @property
    def sets(self) -> list[np.ndarray]:
        """The rows of each conflict."""
        return [conflict.index for conflict in self.conflicts.values()]

    def weight(self, index: np.ndarray) -> int:
        """Number of errors that some rows count for."""
        return int(self.counts[index].sum())

    def consider(self, w: Vector, b: float, as_good: bool = False) -> None:
        """Make a plane the incumbent if it makes fewer errors, or as few if `as_good`; errors are counted exactly."""
        if not (np.isfinite(w).all() and np.isfinite(b)):
            return
        v = np.append(w, b) if self.problem.fit_intercept else w
        wrong = np.flatnonzero(self.inequalities.values(exact.integer_direction(v), self.all) <= 0.0)
        if self.weight(wrong) < self.upper + as_good:
            self.w, self.b, self.wrong = np.array(w, dtype=np.float64), float(b), wrong

    def add_conflict(self, space: QuotientSpace, found: Balance) -> Balance:
        """Add a minimal part of a balance to the conflicts."""
        conflict = minimal_balance(space, found)
        order = np.argsort(conflict.index)
        conflict = Balance(conflict.index[order], [conflict.weights[k] for k in order])
        return self.conflicts.setdefault(tuple(conflict.index.tolist()), conflict)

    def find_conflict(self, index: np.ndarray) -> Balance | None:
        """Find a conflict among some rows; None where a plane separates them, which may become the incumbent."""
        if not index.size:
            return None
        space = QuotientSpace(self.inequalities, index)
        found = alternative(space)
        if isinstance(found, Balance):
            return self.add_conflict(space, found)
        planes = self.inequalities.planes(exact.rounded(found))
        self.consider(planes.w[0], float(planes.b[0]))
        return None
