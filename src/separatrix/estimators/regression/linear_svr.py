"""Linear support vector regression as a scikit-learn regressor."""

from typing import Any, Literal

from separatrix.errors import OptionError
from separatrix.estimators.regression.tube_regressor import TubeRegressor
from separatrix.objectives import EpsilonInsensitive
from separatrix.options import number
from separatrix.problem import Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector
from separatrix.solvers.blocks.tube import solve as solve_blocks
from separatrix.solvers.regression.linear_svr import linear_svr

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


class LinearSVR(TubeRegressor):
    """The flattest plane whose residuals beyond epsilon cost C a unit; on data as it comes, to a stated gap.

    Minimises 1/2 ||w||^2 + C sum_i max(0, abs(y_i - w.x_i - b) - epsilon), or the sum of the squares. The offset b is
    never penalised, neither features nor y need scaling, and `certificate_` bounds how far the objective is from the
    least possible.

    Parameters
    ----------
    C : float
        What a unit beyond the tube costs, times the weight of its row.
    epsilon : float
        Half the width of the tube, in units of y: residuals up to epsilon cost nothing. 0 is least absolute residuals,
        or ridge regression where losses are squared.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        Whether what is beyond the tube counts as it is, or squared.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Iterations of the solver at most.
    time_limit : float or None
        Seconds at most. When they end the best plane so far is returned, with its true gap.
    fit_intercept : bool
        Whether the plane has an offset b.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        w.
    intercept_ : ndarray of shape (1,)
        b; the middle of its interval where it is not unique.
    certificate_ : DualityGap
        The objective, the lower bound and the gap; recomputed from the data by `certificate_.error` and `verify`.
    support_ : ndarray of int
        The rows with a dual variable beta, which make w: all rows outside of the tube, and some on its border.
    dual_coef_ : ndarray of shape (1, n_support)
        beta of these rows: `w = dual_coef_ @ X[support_]`.
    n_support_ : ndarray of shape (1,)
        How many they are.
    outside_rate_, support_rate_ : float
        Part of the rows, by weight, that is outside of the tube, and that has a dual variable.
    n_iter_ : int
        Iterations of the solver. Of blocks, passes over them.

    Notes
    -----
    Of rows in blocks (`read_blocks`) nothing is published that has a number for each support row, nor how many of them
    there are: `support_`, `dual_coef_`, `n_support_`, `outside_rate_` and `support_rate_`.

    Examples
    --------
    >>> from separatrix import LinearSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 2.0, 4.0, 90.0]  # one row is far off
    >>> model = LinearSVR(C=1.0, epsilon=0.5).fit(X, y)
    >>> model.coef_.round(6).tolist(), model.outside_rate_, model.certificate_.stated < 1e-9
    ([2.0], 0.25, True)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        verbose: bool = False,
    ):
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    def _objective(self) -> EpsilonInsensitive:
        if self.loss not in LOSSES:
            raise OptionError(f"The 'loss' parameter of LinearSVR must be one of {LOSSES}. Got {self.loss!r}.")
        C, epsilon = number("C", self.C, above=0.0), number("epsilon", self.epsilon, at_least=0.0)
        return EpsilonInsensitive(C, epsilon, self.loss == "squared_epsilon_insensitive")

    def _solve(self, problem: Any) -> Solution:
        if isinstance(problem, BlockedProblem):
            return solve_blocks(problem, tol=self.tol, max_iter=self.max_iter, time_limit=self.time_limit)
        return linear_svr(
            problem,
            C=self.C,
            epsilon=self.epsilon,
            squared=self.loss == "squared_epsilon_insensitive",
            tol=self.tol,
            max_iter=self.max_iter,
            time_limit=self.time_limit,
        )

    def _tube(self, problem: Any, residuals: Vector) -> float:
        return float(self.epsilon)
