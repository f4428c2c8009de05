"""What detectors of novel rows share: rows without targets, scores, and a border that keeps nu."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin

from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode_kernel import EncodedKernel, encode_kernel_rows
from separatrix.estimators.kernel.kernel_machine import warn_if_above_tol, warn_trivial_fit
from separatrix.estimators.kernel.single_machine import SingleMachine, claim_or_unproved, weighted_part
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.reduction.in_pairs import rows_of
from separatrix.estimators.store.fitted_attributes import FINITE, NotNegative
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector

FULL_RTOL = 1e-9  # relative distance of alpha from its bound up to which it is there
BORDER_RTOL = 1e-4  # of the border, within which scores of rows on it may differ where a fit ends at its tol


class NoveltyDetector(OutlierMixin, SingleMachine, BaseEstimator):
    """A detector of novel rows by `score_samples` and a border: rows whose score is below it are novel."""

    nu: float
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "offset_": FINITE,
        "outside_rate_": NotNegative(float),
        "support_rate_": NotNegative(float),
    }

    def _solve(self, problem: Problem, start: Any) -> Solution:
        """Minimise the objective."""
        raise NotImplementedError

    def _training_scores(self, problem: Problem, claim: Any) -> Vector:
        """The score of each row of the problem."""
        raise NotImplementedError

    def _border(self, problem: Problem, scores: Vector, claim: Any) -> float:
        """The score from which on a row is inside."""
        raise NotImplementedError

    def _problem(self, X: Any, y: Any = None, sample_weight: Any = None) -> EncodedKernel:
        objective = self._asked_objective(np.empty(0))
        encoded = encode_kernel_rows(X, self._asked_kernel(), sample_weight=sample_weight)
        return replace(encoded, problem=encoded.problem.posed(objective))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find where the rows are.

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
        self
            The fitted detector.
        """
        encoded = self._pose(X, y, sample_weight)
        with progress_line(self, encoded.problem):
            self._fit_posed(encoded)
        return self

    def _fit_posed(self, encoded: EncodedKernel, start: Any = None) -> Any:
        """Solve and publish; returns the claim, from which a fit of the same rows with another nu may start."""
        problem = encoded.problem
        solution = self._solve(problem, start)
        found = solution.certificate
        scores = self._training_scores(problem, found)
        self.offset_ = self._border(problem, scores, found)
        claim = claim_or_unproved(problem, found, -self.offset_)
        self._publish(encoded, solution, claim, -self.offset_)
        self.outside_rate_ = weighted_part(problem, scores < self.offset_)
        self.support_rate_ = weighted_part(problem, rows_of(claim)[claim.w != 0.0])
        warn_if_above_tol(self, [replace(solution, certificate=claim)])
        if not self.support_.size and claim.proof:
            warn_trivial_fit(
                f"{type(self).__name__} found w = 0, which is the optimum for nu={self.nu:g} and calls no row novel: "
                f"the origin of the space of {self.kernel_!r} is among the rows. Use a kernel with values above 0, "
                "such as RBF."
            )
        return found

    def _check_stored(self) -> None:
        super()._check_stored()
        if self.intercept_[0] != -self.offset_:
            raise ValueError("intercept_ is -offset_")

    def _rounding(self, problem: Problem, claim: Any) -> float:
        """How far rounding may move a score."""
        raise NotImplementedError

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about the machine, and the border is where its scores put it."""
        if not super()._concerns(certificate, problem) or self.intercept_[0] != -self.offset_:
            return False
        scores = self._training_scores(problem, certificate)
        far = self.offset_ - self._border(problem, scores, certificate)
        return abs(far) <= 2.0 * self._rounding(problem, certificate)

    @also_for_blocks
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

    @also_for_blocks
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


def border(problem: Problem, scores: Vector, alpha: Vector, best: float) -> float:
    """The score on the border: rows below it are ones whose alpha, which adds up to nu W, is full.

    Other rows are inside or on the border, where scores are equal but for rounding. Without any on the border, it is in
    the middle of what is optimal. Whatever alpha is, rows below weigh at most nu of all: where the least score of a row
    that is not full is not near the best border for these scores, that is taken.
    """
    full = alpha >= (1.0 - FULL_RTOL) * problem.cost
    inner, outer = float(scores[~full].min(initial=np.inf)), float(scores[full].max(initial=-np.inf))
    all_full = not alpha[~full].any() and weighted_part(problem, full) <= problem.objective.nu
    if all_full and -np.inf < outer < inner < np.inf:
        return 0.5 * (outer + inner)
    return inner if 0.0 <= best - inner <= BORDER_RTOL * abs(best) else best


def alpha_of_rows(problem: Problem, claim: Any, unit: float = 1.0) -> Vector:
    """Alpha of each row: a multiple of its coefficient."""
    alpha = np.zeros(problem.n_rows)
    alpha[rows_of(claim)] = unit * claim.w
    return alpha
