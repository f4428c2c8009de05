"""Support vector regression in the space of a kernel, as scikit-learn regressors."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from separatrix.errors import OptionError
from separatrix.estimators.kernel.kernel_machine import limits_of
from separatrix.estimators.kernel.kernel_regressor import KernelRegressor
from separatrix.estimators.kernel.single_machine import score_rounding, training_scores
from separatrix.estimators.regression.tube_regressor import TUBE_RTOL
from separatrix.estimators.store.fitted_attributes import NotNegative
from separatrix.objectives import EpsilonInsensitive, NuInsensitive
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector
from separatrix.solvers.kernel.kernel_svr import kernel_nu_svr, kernel_svr
from separatrix.solvers.options import number

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")
NUMBER_RTOL = 1e-15  # of the largest number, by which rounding may move a residual


class KernelSVR(KernelRegressor):
    """The flattest function in the space of a kernel that is off by more than epsilon on few rows, to a stated gap.

    Minimises 1/2 ||w||^2 + C sum_i max(0, abs(y_i - <w, phi(x_i)> - b) - epsilon), or the sum of the squares, where
    <phi(x), phi(z)> is the kernel. Neither features nor y need scaling for the solver; C and epsilon are in units of y.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B).
    C : float
        What a unit of error beyond the tube costs, times the weight of its row.
    epsilon : float
        Half the width of the tube: errors up to epsilon cost nothing.
    gamma : float, "scale" or "auto"
        Of "poly", "rbf" and "sigmoid".
    degree, coef0 : int, float
        Of "poly", and coef0 of "sigmoid".
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        Whether errors beyond the tube count as they are, or squared.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Iterations of the solver at most.
    time_limit : float or None
        Seconds at most. When they end the best machine so far is returned, with its true gap.
    cache_mb : float or None
        Megabytes for kernel values and factors in the search; None: half of the memory that is free.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    support_ : ndarray of int
        The rows with a coefficient: those on the border of the tube, or outside of it.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (1, n_support)
        beta of these rows: at most C times the weight of the row, negative where predictions are too large.
    intercept_ : ndarray of shape (1,)
        b.
    n_support_ : ndarray of shape (1,)
        How many support rows there are.
    outside_rate_, support_rate_ : float
        Parts of the rows, by their weights: those whose prediction is off by more than epsilon, and the support rows.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : DualityGap, or Unproved
        The objective, the lower bound and the gap, from the rows in float64. Of a kernel that is not positive
        semidefinite nothing is proved.
    n_iter_ : int
        Iterations of the solver.

    Examples
    --------
    >>> from separatrix import KernelSVR
    >>> X, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], [4.0, 1.0, 0.0, 1.0, 4.0]
    >>> model = KernelSVR("poly", degree=2, coef0=1.0, gamma=1.0, C=100.0, epsilon=0.25).fit(X, y)
    >>> model.predict(X).round(4).tolist()  # a flatter parabola, nowhere off by more
    [3.75, 1.125, 0.25, 1.125, 3.75]
    >>> model.support_.tolist(), model.certificate_.stated < 1e-6  # row 1 is inside of the tube
    ([0, 2, 4], True)
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        time_limit: float | None = None,
        cache_mb: float | None = None,
        verbose: bool = False,
    ):
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.verbose = verbose

    def _objective(self) -> EpsilonInsensitive:
        if self.loss not in LOSSES:
            raise OptionError(f"The 'loss' parameter of KernelSVR must be one of {LOSSES}. Got {self.loss!r}.")
        C, epsilon = number("C", self.C, above=0.0), number("epsilon", self.epsilon, at_least=0.0)
        return EpsilonInsensitive(C, epsilon, self.loss == "squared_epsilon_insensitive")

    def _solve(self, problem: Problem, start: Any) -> Solution:
        asked = self._objective()
        options = {"C": asked.C, "epsilon": asked.epsilon, "squared": asked.squared, **limits_of(self)}
        return kernel_svr(problem, **options, start=start)

    def _tube(self, problem: Problem, claim: Any, residuals: Vector) -> float:
        return float(self.epsilon) + TUBE_RTOL * (float(self.epsilon) + float(np.abs(problem.y).max()))


class KernelNuSVR(KernelRegressor):
    """Regression in the space of a kernel with a tube as wide as nu allows: a part nu of the rows may be outside.

    Minimises 1/2 ||w||^2 + C sum_i (nu epsilon + max(0, abs(y_i - <w, phi(x_i)> - b) - epsilon)) over epsilon too. The
    machine is that of `KernelSVR` with the `epsilon_` that is found.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B).
    C : float
        What a unit of error beyond the tube costs, times the weight of its row.
    nu : float
        From above 0 to 1: at most this part of the rows is outside of the tube, and at least this part are support
        rows, unless the tube is closed.
    gamma : float, "scale" or "auto"
        Of "poly", "rbf" and "sigmoid".
    degree, coef0 : int, float
        Of "poly", and coef0 of "sigmoid".
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Iterations of the solver at most.
    time_limit : float or None
        Seconds at most. When they end the best machine so far is returned, with its true gap.
    cache_mb : float or None
        Megabytes for kernel values and factors in the search; None: half of the memory that is free.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    support_ : ndarray of int
        The rows with a coefficient: those on the border of the tube, or outside of it.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (1, n_support)
        beta of these rows: at most C times the weight of the row, negative where predictions are too large.
    intercept_ : ndarray of shape (1,)
        b.
    n_support_ : ndarray of shape (1,)
        How many support rows there are.
    epsilon_ : float
        Half the width of the tube that was found; 0, but for rounding, where it is closed.
    outside_rate_ : float
        The part of the rows, by their weights, whose prediction is off by more than `epsilon_`; at most nu.
    support_rate_ : float
        The part of the rows, by their weights, that are support rows; at least nu, unless the tube is closed.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : DualityGap, or Unproved
        The objective, the lower bound and the gap, from the rows in float64. Of a kernel that is not positive
        semidefinite nothing is proved.
    n_iter_ : int
        Iterations of the solver.

    Examples
    --------
    >>> from separatrix import KernelNuSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 9.0]
    >>> model = KernelNuSVR("linear", C=10.0, nu=0.3).fit(X, y)
    >>> round(model.epsilon_, 6), model.outside_rate_ <= 0.3 <= model.support_rate_
    (1.875, True)
    >>> model = KernelNuSVR("linear", C=10.0, nu=0.5).fit(X, y)  # more rows may be outside, so the tube is narrower
    >>> round(model.epsilon_, 6), model.outside_rate_, model.support_rate_
    (1.25, 0.2, 0.8)
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"epsilon_": NotNegative(float)}

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: float = 1.0,
        nu: float = 0.5,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        time_limit: float | None = None,
        cache_mb: float | None = None,
        verbose: bool = False,
    ):
        self.kernel = kernel
        self.C = C
        self.nu = nu
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.verbose = verbose

    def _objective(self) -> NuInsensitive:
        return NuInsensitive(number("C", self.C, above=0.0), number("nu", self.nu, above=0.0, most=1.0))

    def _solve(self, problem: Problem, start: Any) -> Solution:
        asked = self._objective()
        return kernel_nu_svr(problem, C=asked.C, nu=asked.nu, **limits_of(self), start=start)

    def _tube(self, problem: Problem, claim: Any, residuals: Vector) -> float:
        self.epsilon_ = tube_of(problem, claim, residuals)
        return self.epsilon_

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        if not super()._concerns(certificate, problem):
            return False
        residuals = problem.y - training_scores(problem, certificate) - certificate.b
        size = float(np.abs(problem.y).max() + np.abs(residuals).max())
        return abs(self.epsilon_ - tube_of(problem, certificate, residuals)) <= TUBE_RTOL * size + 2.0 * score_rounding(
            problem, certificate.w
        )


def tube_of(problem: Problem, claim: Any, residuals: Vector) -> float:
    """The least epsilon that leaves at most a part nu of the rows outside, wider by how far rounding may move scores.

    Rows on the border are then never outside, whoever computes their residuals again. Those of w = 0 are exact.
    """
    epsilon = problem.objective.best_epsilon(residuals, problem.cost)
    if not claim.w.any():
        return epsilon
    return epsilon + score_rounding(problem, claim.w) + NUMBER_RTOL * float(np.abs(problem.y).max())
