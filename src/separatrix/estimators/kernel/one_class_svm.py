"""Novelty detection by a plane in the space of a kernel, as a scikit-learn outlier detector."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin

from separatrix.data.encode_kernel import EncodedKernel, encode_kernel_rows
from separatrix.estimators.kernel.kernel_machine import limits_of, warn_if_above_tol, warn_trivial_fit
from separatrix.estimators.kernel.single_machine import (
    SingleMachine,
    claim_or_unproved,
    score_rounding,
    training_scores,
    weighted_part,
)
from separatrix.estimators.reduction.in_pairs import rows_of
from separatrix.estimators.store.fitted_attributes import FINITE, NotNegative
from separatrix.kernels import Linear
from separatrix.objectives import NuMargin
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.kernel.one_class import one_class
from separatrix.solvers.options import number

FULL_RTOL = 1e-9  # relative distance of alpha from its bound up to which it is there
BORDER_RTOL = 1e-4  # of rho, within which scores of rows on the border may differ where a fit ends at its tol


class OneClassSVM(OutlierMixin, SingleMachine, BaseEstimator):
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

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "offset_": FINITE,
        "outside_rate_": NotNegative(float),
        "support_rate_": NotNegative(float),
    }

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

    def _problem(self, X: Any, y: Any = None, sample_weight: Any = None) -> EncodedKernel:
        objective = self._asked_objective(np.empty(0))
        encoded = encode_kernel_rows(X, self._asked_kernel(), sample_weight=sample_weight)
        return replace(encoded, problem=encoded.problem.posed(objective))

    def _asked_objective(self, classes: np.ndarray) -> NuMargin:
        return NuMargin(number("nu", self.nu, above=0.0, most=1.0))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or sequence of sets or texts
            The rows; for a precomputed kernel the square matrix of its values.
        y : None
            Not used: all rows are of one class.
        sample_weight : array of n numbers or None
            What each row counts; a whole number counts the row so many times.

        Returns
        -------
        OneClassSVM
            Itself.
        """
        self._fit_posed(self._pose(X, y, sample_weight))
        return self

    def _fit_posed(self, encoded: EncodedKernel, start: Any = None) -> Any:
        """Solve and publish; returns the claim, from which a fit of the same rows with another nu may start."""
        problem = encoded.problem
        solution = one_class(problem, nu=problem.objective.nu, **limits_of(self), start=start)
        found = solution.certificate
        scores = training_scores(problem, found)
        self.offset_ = border(problem, scores, found)
        claim = claim_or_unproved(problem, found, -self.offset_)
        self._publish(encoded, solution, claim, -self.offset_)
        self.outside_rate_ = weighted_part(problem, scores < self.offset_)
        self.support_rate_ = weighted_part(problem, rows_of(claim)[claim.w != 0.0])
        warn_if_above_tol(self, [replace(solution, certificate=claim)])
        if not self.support_.size and claim.proof:
            warn_trivial_fit(
                f"OneClassSVM found w = 0, which is the optimum for nu={self.nu:g} and calls no row novel: the origin "
                f"of the space of {self.kernel_!r} is among the rows. Use a kernel with values above 0, such as RBF."
            )
        return found

    def _check_stored(self) -> None:
        super()._check_stored()
        if self.intercept_[0] != -self.offset_:
            raise ValueError("intercept_ is -offset_")

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about the plane, and its offset one at which the plane has its best objective."""
        if not super()._concerns(certificate, problem) or self.intercept_[0] != -self.offset_:
            return False
        scores = training_scores(problem, certificate)
        far = self.offset_ - border(problem, scores, certificate)
        return abs(far) <= 2.0 * score_rounding(problem, certificate.w)

    @property
    def coef_(self) -> Vector:
        """W of a linear kernel, of shape (1, d)."""
        if not isinstance(self.kernel_, Linear):
            raise AttributeError(f"coef_ is there for a linear kernel only, and not for {self.kernel_!r}.")
        return np.asarray(self.dual_coef_ @ self.support_vectors_)

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

    def decision_function(self, X: Any) -> Vector:
        """Compute `score_samples` less `offset_`: negative where a row is novel.

        Parameters
        ----------
        X : as for fit
            The rows; for a precomputed kernel their values with all training rows, or with the support rows alone.

        Returns
        -------
        ndarray of shape (n,)
            The differences.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Tell rows that are as the training rows from novel ones.

        Parameters
        ----------
        X : as for fit
            The rows; for a precomputed kernel their values with all training rows, or with the support rows alone.

        Returns
        -------
        ndarray of shape (n,)
            1 where a row is inside, -1 where it is novel.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)


def border(problem: Problem, scores: Vector, claim: Any) -> float:
    """rho, less what rounding may do to a score: rows outside are ones whose alpha, which adds up to nu W, is full.

    Other rows are inside or on the border, where scores are equal but for rounding. Without any on the border, rho is
    in the middle of what is optimal. Whatever alpha is, rows below rho weigh at most nu of all: where the least score
    of a row that is not full is not near the best rho of the plane (`NuMargin.best_margin`), that is taken.
    """
    alpha = np.zeros(problem.n_rows)
    alpha[rows_of(claim)] = claim.w
    full = alpha >= (1.0 - FULL_RTOL) * problem.cost
    inner, outer = float(scores[~full].min(initial=np.inf)), float(scores[full].max(initial=-np.inf))
    least = float(scores.min())
    rho = least + problem.objective.best_margin(problem, scores - least)[0]  # which is never negative
    all_full = not alpha[~full].any() and weighted_part(problem, full) <= problem.objective.nu
    if all_full and -np.inf < outer < inner < np.inf:
        rho = 0.5 * (outer + inner)
    elif 0.0 <= rho - inner <= BORDER_RTOL * abs(rho):
        rho = inner
    return rho - score_rounding(problem, claim.w)
