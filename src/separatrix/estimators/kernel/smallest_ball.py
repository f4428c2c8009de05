"""Novelty detection by the smallest ball in the space of a kernel, as a scikit-learn outlier detector."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode import features
from separatrix.data.encode_kernel import EncodedKernel, is_symbolic, symbols
from separatrix.errors import OptionError
from separatrix.estimators.kernel.kernel_machine import kernel_values, limits_of
from separatrix.estimators.kernel.novelty_detector import NoveltyDetector, alpha_of_rows, border
from separatrix.estimators.kernel.single_machine import SCORE_RTOL, training_scores
from separatrix.estimators.reduction.in_pairs import rows_of
from separatrix.estimators.store.fitted_attributes import NotNegative
from separatrix.kernels import Precomputed
from separatrix.objectives import EnclosingBall
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.objectives.enclosing_ball import squared_lengths
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector
from separatrix.solvers.kernel.enclosing_ball import enclosing_ball
from separatrix.solvers.options import number


class SmallestBall(NoveltyDetector):
    """The smallest ball, in the space of a kernel, with at most a part nu of the rows outside: data description.

    Minimises nu W R^2 + sum_i c_i max(0, ||phi(x_i) - a||^2 - R^2) over the centre a and the radius R, where c_i is the
    weight of a row and W the sum of all. For a kernel with the same K(x, x) for all rows, as an RBF, it is the twin of
    `OneClassSVM`: the same rows are outside. For others, as the linear kernel, it is a ball around the rows, wherever
    they are.

    Parameters
    ----------
    nu : float
        From above 0 to 1: the part of the training rows that you would call outliers, at most. 0.01 to 0.1 suits most
        data. The default, 0.5, is that of `OneClassSVM`.
    kernel : str, Kernel or callable
        "linear", "poly" or "rbf", a kernel of `separatrix.kernels`, or a function f(A, B): one that is positive
        semidefinite, as distances are to be real. A precomputed one will not do: the distance of a new row from the
        centre needs K(x, x).
    gamma : float, "scale" or "auto"
        Of "poly" and "rbf".
    degree, coef0 : int, float
        Of "poly".
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Iterations of the solver at most.
    time_limit : float or None
        Seconds at most. When they end the best ball so far is returned, with its true gap.
    cache_mb : float or None
        Megabytes for kernel values and factors in the search; None: half of the memory that is free.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    radius_ : float
        R.
    offset_ : float
        -R^2: a row is inside where `score_samples` is at least this.
    outside_rate_ : float
        The part of the training rows, by their weights, that is outside; at most nu.
    support_rate_ : float
        The part of the training rows, by their weights, that are support rows; at least nu.
    support_ : ndarray of int
        The rows with a coefficient: those outside, and those on the sphere.
    support_vectors_ : rows
        These rows, as they were given.
    dual_coef_ : ndarray of shape (1, n_support)
        The coefficients of the centre, which add up to 1: alpha / (nu W).
    centre_square_ : float
        ||a||^2.
    intercept_ : ndarray of shape (1,)
        R^2.
    n_support_ : ndarray of shape (1,)
        How many support rows there are.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : DualityGap
        The objective, the lower bound and the gap, from the rows in float64.
    n_iter_ : int
        Iterations of the solver.

    Examples
    --------
    >>> from separatrix import SmallestBall
    >>> X = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -0.5]]
    >>> model = SmallestBall(nu=0.1, kernel="linear").fit(X)  # nu is below what one row weighs: a ball around all
    >>> round(model.radius_, 6), bool(abs(model.dual_coef_ @ model.support_vectors_).max() < 1e-6)
    (1.0, True)
    >>> model.predict([[0.5, 0.5], [0.9, 0.9]]).tolist()
    [1, -1]
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"centre_square_": NotNegative(float)}

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

    def _problem(self, X: Any, y: Any = None, sample_weight: Any = None) -> EncodedKernel:
        if isinstance(self._asked_kernel(), Precomputed):
            raise OptionError(
                "SmallestBall needs K(x, x) of new rows, which a precomputed kernel does not have. Use OneClassSVM, "
                "which has the same answer where K(x, x) is the same for all rows."
            )
        return super()._problem(X, y, sample_weight)

    def _asked_objective(self, classes: np.ndarray) -> EnclosingBall:
        return EnclosingBall(number("nu", self.nu, above=0.0, most=1.0))

    def _solve(self, problem: Problem, start: Any) -> Solution:
        if not satisfies_mercer(problem):
            raise OptionError(
                f"SmallestBall needs a kernel that is positive semidefinite on these rows. {self.kernel!r} is not, or "
                "not known to be, so that there are no distances. Use another kernel, such as RBF."
            )
        return enclosing_ball(problem, nu=problem.objective.nu, **limits_of(self), start=start)

    def _publish(self, encoded: EncodedKernel, solution: Solution, claim: Any, b: float) -> None:
        super()._publish(encoded, solution, claim, b)
        self.centre_square_ = centre_square(encoded.problem, claim)

    def _training_scores(self, problem: Problem, claim: Any) -> Vector:
        return 2.0 * training_scores(problem, claim) - squared_lengths(problem) - centre_square(problem, claim)

    def _border(self, problem: Problem, scores: Vector, claim: Any) -> float:
        alpha = alpha_of_rows(problem, claim, problem.objective.total(problem))
        best = -problem.objective.best_square(problem, -scores)
        return border(problem, scores, alpha, best) - self._rounding(problem, claim)

    def _rounding(self, problem: Problem, claim: Any) -> float:
        return 4.0 * SCORE_RTOL * float(squared_lengths(problem).max())  # of which four are added

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        if not super()._concerns(certificate, problem):
            return False
        return abs(self.centre_square_ - centre_square(problem, certificate)) <= self._rounding(problem, certificate)

    @property
    def radius_(self) -> float:
        """R."""
        return float(np.sqrt(max(-self.offset_, 0.0)))

    @also_for_blocks
    def score_samples(self, X: Any) -> Vector:
        """Compute -||phi(x) - a||^2, which is the larger the nearer a row is to the centre.

        Parameters
        ----------
        X : as for fit
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            The scores.
        """
        expanded = self._machine_scores(X)
        rows = symbols(X) if is_symbolic(X) else features(X)
        return 2.0 * expanded - self.kernel_.diagonal(rows) - self.centre_square_


def centre_square(problem: Problem, claim: Any) -> float:
    """||a||^2 of the centre."""
    return max(float(claim.w @ kernel_values(problem, rows_of(claim)) @ claim.w), 0.0)
