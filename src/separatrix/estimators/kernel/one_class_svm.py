"""Novelty detection by a plane in the space of a kernel, as a scikit-learn outlier detector."""

from typing import Any

import numpy as np

from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.estimators.kernel.kernel_machine import limits_of
from separatrix.estimators.kernel.novelty_detector import NoveltyDetector, alpha_of_rows, border
from separatrix.estimators.kernel.single_machine import score_rounding, training_scores
from separatrix.kernels import Linear
from separatrix.objectives import NuMargin
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector
from separatrix.solvers.kernel.one_class import one_class
from separatrix.solvers.options import number


class OneClassSVM(NoveltyDetector):
    """The plane farthest from the origin, in the space of a kernel, with at most a part nu of the rows on this side.

    Minimises 1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - <w, phi(x_i)>), where c_i is the weight of a row and W the
    sum of all. Rows that are as the training rows are have <w, phi(x)> >= rho; others are novel. Of the training rows
    themselves never more than a part nu is called novel, however small nu is: rows on the border count as inside.

    Parameters
    ----------
    nu : float
        From above 0 to 1: the part of the training rows that you would call outliers, at most. 0.01 to 0.1 suits most
        data. The default, 0.5, is scikit-learn's, and calls about half of the training rows outliers.
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B).
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
    offset_ : float
        rho: a row is inside where `score_samples` is at least this.
    outside_rate_ : float
        The part of the training rows, by their weights, that is outside; at most nu.
    support_rate_ : float
        The part of the training rows, by their weights, that are support rows; at least nu.
    support_ : ndarray of int
        The rows with a coefficient: those outside, and those on the border.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (1, n_support)
        alpha of these rows: at most the weight of the row, and nu W in all.
    intercept_ : ndarray of shape (1,)
        -rho.
    n_support_ : ndarray of shape (1,)
        How many support rows there are.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : DualityGap, or Unproved
        The objective, the lower bound and the gap, from the rows in float64. Of a kernel that is not positive
        semidefinite nothing is proved.
    n_iter_ : int
        Iterations of the solver.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import OneClassSVM, verify
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassSVM(nu=0.05).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]]).tolist()
    [1, -1]
    >>> bool(np.mean(model.predict(X) < 0) <= 0.05), model.outside_rate_ <= 0.05 <= model.support_rate_
    (True, True)
    >>> verify(model, X).proved
    True
    """

    def __init__(
        self,
        nu: float = 0.5,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        time_limit: float | None = None,
        cache_mb: float | None = None,
        verbose: bool = False,
    ):
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.verbose = verbose

    def _asked_objective(self, classes: np.ndarray) -> NuMargin:
        return NuMargin(number("nu", self.nu, above=0.0, most=1.0))

    def _solve(self, problem: Problem, start: Any) -> Solution:
        return one_class(problem, nu=problem.objective.nu, **limits_of(self), start=start)

    def _training_scores(self, problem: Problem, claim: Any) -> Vector:
        return training_scores(problem, claim)

    def _border(self, problem: Problem, scores: Vector, claim: Any) -> float:
        return plane_border(problem, scores, claim)

    def _rounding(self, problem: Problem, claim: Any) -> float:
        return score_rounding(problem, claim.w)

    @property
    def coef_(self) -> Vector:
        """W of a linear kernel, of shape (1, d)."""
        if not isinstance(self.kernel_, Linear):
            raise AttributeError(f"coef_ is there for a linear kernel only, and not for {self.kernel_!r}.")
        return np.asarray(self.dual_coef_ @ self.support_vectors_)

    @also_for_blocks
    def score_samples(self, X: Any) -> Vector:
        """Compute <w, phi(x)>, which is the larger the more a row is as the training rows are.

        Parameters
        ----------
        X : as for fit
            The rows; for a precomputed kernel their values with all training rows, or with the support rows alone.

        Returns
        -------
        ndarray of shape (n,)
            The scores.
        """
        return self._machine_scores(X)


def plane_border(problem: Problem, scores: Vector, claim: Any) -> float:
    """rho, less what rounding may do to a score: the best rho of the plane is that of `NuMargin.best_margin`."""
    least = float(scores.min())
    best = least + problem.objective.best_margin(problem, scores - least)[0]  # which is never negative
    return border(problem, scores, alpha_of_rows(problem, claim), best) - score_rounding(problem, claim.w)
