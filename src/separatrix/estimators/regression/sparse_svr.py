"""Sparse support vector regression as a scikit-learn regressor."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from separatrix.data.encode import Encoded
from separatrix.estimators.base import warn_not_certified
from separatrix.estimators.regression.linear_regressor import LinearRegressor
from separatrix.estimators.store.fitted_attributes import ArrayOf, floats
from separatrix.objectives import SparseTube
from separatrix.problem import Solution, Status
from separatrix.solvers.regression.sparse_svr import sparse_svr


class SparseSVR(LinearRegressor):
    """A plane with few coefficients, where squared residuals count beyond a tube; to a stated gap.

    Minimises l1 ||w||_1 + (1 / W) sum_i c_i max(0, (y_i - w.x_i - b)^2 - epsilon), with weights c_i that add up to W.
    The offset b is never penalised. Coefficients that are 0 at the optimum are exactly 0, and `certificate_` bounds how
    far the objective is from the least possible. With `epsilon=0` this is the lasso.

    Parameters
    ----------
    l1 : float
        What a unit of ||w||_1 costs, above 0. The larger it is, the fewer features have a coefficient.
    epsilon : float
        The squared residual up to which a row costs nothing, in units of y^2: the tube reaches sqrt(epsilon) to each
        side.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Steps of the solver at most.
    fit_intercept : bool
        Whether the plane has an offset b.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        w.
    intercept_ : float
        b.
    certificate_ : DualityGap
        The objective, the lower bound and the gap; recomputed from the data by `certificate_.error` and `verify`.
    support_ : ndarray of int
        The rows on the border of the tube or beyond it that decide the plane: others may move within the tube.
    dual_coef_ : ndarray of shape (1, n_support)
        beta of these rows, of the sign of their residuals: (sum_i beta_i x_i)_j is l1 times the sign of each
        coefficient that is not 0.
    n_iter_ : int
        Steps of the solver.

    Notes
    -----
    `l1` and `epsilon` mean what they mean for `StochasticRegressor(loss="squared_epsilon_insensitive")`, which comes
    near the same minimum one row at a time. The `alpha` of scikit-learn's Lasso is l1 / 2. Features and y need no
    scaling, but the penalty is in their units: the coefficient of a feature in larger units is larger, and costs more.

    Examples
    --------
    >>> from separatrix import SparseSVR
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 2.0]]
    >>> model = SparseSVR(l1=0.2, epsilon=0.25).fit(X, [0.0, 2.0, 5.0, 6.0, 9.0])
    >>> model.coef_.round(4).tolist(), round(model.intercept_, 4)  # the second feature is left out
    ([2.0, 0.0], 0.5)
    >>> model.certificate_.stated < 1e-12, abs(model.predict(X) - [0, 2, 5, 6, 9]).round(4).tolist()
    (True, [0.5, 0.5, 0.5, 0.5, 0.5])
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"support_": ArrayOf("i", "s"), "dual_coef_": floats("os")}

    def __init__(
        self,
        l1: float = 0.01,
        *,
        epsilon: float = 0.1,
        tol: float = 1e-6,
        max_iter: int = 500,
        fit_intercept: bool = True,
        verbose: bool = False,
    ):
        self.l1 = l1
        self.epsilon = epsilon
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    def _objective(self) -> SparseTube:
        return SparseTube(self.l1, self.epsilon)

    def _fit_posed(self, encoded: Encoded, start: None = None) -> None:
        solution = sparse_svr(encoded.problem, l1=self.l1, epsilon=self.epsilon, tol=self.tol, max_iter=self.max_iter)
        self._publish(solution)
        self.support_ = encoded.kept[solution.certificate.support].astype(np.int32)
        self.dual_coef_ = np.array(solution.certificate.alpha, ndmin=2)
        if solution.status is not Status.SOLVED:
            self._warn(solution)

    def _warn(self, solution: Solution) -> None:
        advice = {
            Status.STOPPED: f"Raise max_iter={self.max_iter}, or accept the gap by a larger tol.",
            Status.ROUNDED: "Scale the features or y, raise l1, or accept the gap by a larger tol.",
        }[solution.status]
        warn_not_certified(
            f"SparseSVR reached a gap of {solution.certificate.stated:.2g} where tol={self.tol:g} was asked for. "
            f"{solution.status} {advice}",
            depth=3,
        )
