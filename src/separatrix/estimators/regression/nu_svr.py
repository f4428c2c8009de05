"""Linear support vector regression with a free tube as a scikit-learn regressor."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from separatrix.enclosures import enclosed_scores
from separatrix.estimators.regression.tube_regressor import TubeRegressor
from separatrix.estimators.store.fitted_attributes import NotNegative
from separatrix.objectives import NuInsensitive
from separatrix.options import number
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector
from separatrix.solvers.regression.nu_svr import nu_svr

EPSILON_RTOL = 1e-12  # of the numbers, by which the tube of rows that are stored otherwise may differ


class NuSVR(TubeRegressor):
    """Linear support vector regression whose tube is as wide as a part nu of the rows outside of it allows.

    Minimises 1/2 ||w||^2 + C (nu W epsilon + sum_i c_i max(0, abs(y_i - w.x_i - b) - epsilon)) over w, b and
    epsilon >= 0, where c_i are the weights of the rows and W their sum. At most a part nu of the rows is outside of the
    tube, and at least a part nu supports it, unless the tube is closed. `LinearSVR(epsilon=epsilon_)` has the same
    coefficients.

    Parameters
    ----------
    nu : float
        The part of the rows, by weight, that may be outside of the tube: above 0, at most 1.
    C : float
        What a unit beyond the tube costs, times the weight of its row.
    tol, max_iter, time_limit, fit_intercept
        As for LinearSVR.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    epsilon_ : float
        Half the width of the tube that was found, in units of y.
    outside_rate_, support_rate_ : float
        Parts of the rows, by weight: `outside_rate_ <= nu`, and `nu <= support_rate_` where `epsilon_` is above 0.
    coef_, intercept_, certificate_, support_, dual_coef_, n_support_, n_iter_
        As for LinearSVR.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import NuSVR
    >>> X = np.arange(10.0)[:, None]
    >>> y = 3.0 * X[:, 0]
    >>> y[2], y[7] = y[2] + 40.0, y[7] - 40.0  # two rows are far off, to either side
    >>> model = NuSVR(nu=0.4, C=100.0).fit(X, y)
    >>> model.coef_.round(6).tolist(), round(model.epsilon_, 6), model.outside_rate_
    ([3.0], 0.0, 0.2)
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"epsilon_": NotNegative(float)}

    def __init__(
        self,
        nu: float = 0.5,
        *,
        C: float = 1.0,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        verbose: bool = False,
    ):
        self.nu = nu
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    def _objective(self) -> NuInsensitive:
        return NuInsensitive(number("C", self.C, above=0.0), number("nu", self.nu, above=0.0, most=1.0))

    def _solve(self, problem: Problem) -> Solution:
        return nu_svr(problem, C=self.C, nu=self.nu, tol=self.tol, max_iter=self.max_iter, time_limit=self.time_limit)

    def _is_certified_by(self, certificate: Any, problem: Problem) -> bool:
        if not super()._is_certified_by(certificate, problem):
            return False
        found = enclosed_scores(problem.X, self.coef_, self.intercept_[0])
        residuals = problem.y - found.value
        size = float(np.abs(problem.y).max(initial=0.0) + np.abs(residuals).max(initial=0.0))
        rounding = EPSILON_RTOL * size + 2.0 * float(found.radius.max(initial=0.0))
        return abs(problem.objective.best_epsilon(residuals, problem.cost) - self.epsilon_) <= rounding

    def _tube(self, problem: Any, residuals: Vector) -> float:
        self.epsilon_: float = problem.objective.best_epsilon(residuals, problem.cost)
        return self.epsilon_
