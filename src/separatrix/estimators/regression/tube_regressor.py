"""What linear support vector regressors share: support rows, residuals against the tube, and the warning."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from separatrix.data.encode import Encoded
from separatrix.estimators.base import warn_missed
from separatrix.estimators.regression.linear_regressor import PlaneRegressor, WeightedRegressor
from separatrix.estimators.store.fitted_attributes import ArrayOf, floats
from separatrix.problem import Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector

OF_ROWS = ("support_", "dual_coef_", "n_support_", "outside_rate_", "support_rate_")  # that fits of blocks do not have
BOUND_RTOL = 1e-9  # distance of a dual variable from its bound, relative to it, within which it is there
NUMBER_RTOL = 1e-14  # of the numbers, by which rounding may move a residual
MAX_ROUNDED_TUBE = 1e-3  # and part of the residuals that it may be at most
TUBE_RTOL = 1e-9  # of the residuals, by which rounding may put a row on the border of the tube outside of it


class TubeRegressor(WeightedRegressor, PlaneRegressor):
    """A linear regressor with a tube around its plane: rows inside of it cost nothing."""

    tol: float
    max_iter: int
    time_limit: float | None
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "intercept_": floats("o", "finite"),
        "support_?": ArrayOf("i", "s"),  # fits of blocks have none of these
        "dual_coef_?": floats("os", "finite"),
        "n_support_?": ArrayOf("i", "o"),
        "support_rate_?": float,
        "outside_rate_?": float,
    }

    def _solve(self, problem: Any) -> Solution:
        raise NotImplementedError

    def _tube(self, problem: Any, residuals: Any) -> float:
        """Half the width of the tube."""
        raise NotImplementedError

    def _fit_posed(self, encoded: Encoded, start: Any = None) -> None:
        problem = encoded.problem
        solution = self._solve(problem)
        claim = solution.certificate
        self.coef_, self.intercept_ = np.array(solution.w), np.array([float(solution.b)])
        self.n_iter_, self.certificate_ = solution.history.iterations, claim
        if isinstance(problem, BlockedProblem):
            for name in OF_ROWS:
                self._keep(name, None)
        else:
            self._publish_support(encoded, solution)
        if solution.status is not Status.SOLVED:
            warn_missed(self, solution, depth=3)

    def _publish_support(self, encoded: Encoded, solution: Solution) -> None:
        """What is known of the rows that have a part in the dual point."""
        problem, claim = encoded.problem, solution.certificate
        self.support_ = encoded.kept[claim.support].astype(np.int32)
        self.dual_coef_ = np.array(claim.alpha)[None]
        self.n_support_ = np.array([claim.support.size], dtype=np.int32)
        residuals = problem.y - solution.model.scores(problem.X)
        outside = is_outside(problem, residuals, self._tube(problem, residuals), claim)
        self.outside_rate_ = float(problem.cost[outside].sum() / problem.cost.sum())
        self.support_rate_ = float(problem.cost[claim.support].sum() / problem.cost.sum())


def is_outside(problem: Problem, residuals: Vector, tube: float, claim: Any) -> np.ndarray:
    """Which rows are outside of the tube; where dual variables are bounded, those below their bound are not.

    Rows on the border are within rounding of it, and only their dual variables tell on which side.
    """
    y, size = problem.y, np.abs(residuals)
    rounding = TUBE_RTOL * (tube + float(np.ptp(y))) + NUMBER_RTOL * float(np.abs(y).max(initial=0.0))
    outside = size > tube + min(rounding, MAX_ROUNDED_TUBE * (tube + float(size.max(initial=0.0))))
    if not claim.objective.squared:
        upper, full = claim.objective.upper(problem.cost), np.zeros(problem.n_rows, dtype=bool)
        full[claim.support] = np.abs(claim.alpha) >= (1.0 - BOUND_RTOL) * upper[claim.support]
        outside &= full
    return outside
