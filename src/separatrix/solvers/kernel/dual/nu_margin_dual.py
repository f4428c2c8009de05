"""The dual of nu margins, of novelty detection, and of the smallest ball around rows.

    min 1/2 sum_pq beta_p beta_q K(x_p, x_q) - sum_p required_p alpha_p,    0 <= alpha_p <= c_p,    beta_p = s_p alpha_p

    nu margin    s = y, required 0;   sum of beta over each class +-nu W / 2;   b_+- = b -+ rho
    novelty      s = 1, required 0;   sum of beta nu W;   b = -rho
    ball         s = 1, required nu W K_ii / 2;   sum of beta nu W

alpha is counted in a unit in which all add up to 1 / mean K_ii, so that scores are of the size 1.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.coordinates import spread_out
from separatrix.rows import TINY, Vector
from separatrix.solvers.kernel.block_smo import Dual
from separatrix.solvers.kernel.dual.grouped_dual import Answer, GroupedDual, dual_of
from separatrix.solvers.kernel.gram import Gram

SAMPLE_ROWS = 500  # whose mean is the first guess of a direction
MIN_RHO = 1e-8  # part of the length of rows, below which it is as good as 0


@dataclass(frozen=True, eq=False)
class NuMarginDual(GroupedDual):
    """Margins whose width is a multiplier, rho."""

    initial_violation: ClassVar[float] = 0.05

    gram: Any = None

    @classmethod
    def of(cls, problem: Problem, gram: Gram) -> "NuMarginDual":
        """The dual of two classes, or of novelty detection where there is no offset, and the kernel matrix."""
        dual, totals = dual_of(problem)
        unit = float(np.abs(totals).sum()) * max(float(gram.diagonal.mean()), TINY)
        return cls(problem, dual._replace(upper=dual.upper / unit), totals / unit, unit, gram)

    def initial(self) -> Vector:
        """Alpha at its bounds where violations are largest if each row of a sample has the same part of the totals."""
        dual, part = self.dual, np.zeros(self.dual.y.size)
        some = spread_out(part.size, SAMPLE_ROWS)
        part[some] = dual.upper[some]
        sums = np.maximum(np.bincount(dual.group, part, self.totals.size), TINY)
        beta, scores = self.beta(part * (np.abs(self.totals) / sums)[dual.group]), np.zeros(self.problem.n_rows)
        rows = np.flatnonzero(beta)
        self.gram.add_rows(rows, beta[rows], scores)
        violation, alpha = self.violations(scores, np.empty(0)), np.zeros(part.size)
        for g, total in enumerate(np.abs(self.totals).tolist()):
            own = np.flatnonzero(dual.group == g)
            own = own[np.argsort(-violation[own], kind="stable")]
            before = np.cumsum(dual.upper[own]) - dual.upper[own]
            alpha[own] = np.clip(total - before, 0.0, dual.upper[own])
        return alpha

    def size(self, offsets: Vector) -> float:
        """rho, in units of the dual."""
        rho = 0.5 * float(offsets[1] - offsets[0]) if offsets.size > 1 else -float(offsets[0])
        return max(rho, MIN_RHO)

    def answers(self, alpha: Vector, offsets: Vector) -> list[Answer]:
        """The plane with rho = 1, or as it is for novelty; and w = 0, the optimum where both sums can be equal."""
        beta, none = self.unit * self.beta(alpha), np.zeros(self.problem.n_rows)
        no_plane = Answer(np.abs(beta), none, 0.0)
        if offsets.size == 1:
            return [Answer(beta, beta, 0.0), no_plane]
        rho, b = 0.5 * self.unit * float(offsets[1] - offsets[0]), self.unit * float(offsets.mean())
        return [Answer(np.abs(beta), beta / rho, b / rho), no_plane] if rho > 0.0 else [no_plane]


class BallDual(NuMarginDual):
    """The smallest ball: what is required of row i is total K_ii / 2, and its centre sum_i alpha_i phi(x_i) / total."""

    @classmethod
    def of(cls, problem: Problem, gram: Gram) -> "BallDual":
        """The dual of rows of one class, and the kernel matrix."""
        kept, mean = np.flatnonzero(problem.cost), max(float(gram.diagonal.mean()), TINY)
        unit, none = problem.objective.total(problem) * mean, np.zeros(kept.size)
        required, upper = 0.5 * gram.diagonal[kept] / mean, problem.cost[kept] / unit
        dual = Dual(none + 1.0, upper, none, required, np.zeros(kept.size, dtype=np.int64), kept)
        return cls(problem, dual, np.array([1.0 / mean]), unit, gram)

    def size(self, offsets: Vector) -> float:
        """That of K_ii, in units of the dual."""
        return 1.0

    def answers(self, alpha: Vector, offsets: Vector) -> list[Answer]:
        """Alpha, and the coefficients of the centre."""
        rows = self.unit * self.beta(alpha)
        return [Answer(rows, rows / self.problem.objective.total(self.problem), 0.0)]
