"""What regressors in the space of a kernel share: numbers as targets, and predictions by one expansion."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode_kernel import EncodedKernel, encode_kernel_numbers
from separatrix.estimators.kernel.kernel_machine import warn_if_above_tol
from separatrix.estimators.kernel.single_machine import (
    SingleMachine,
    claim_or_unproved,
    training_scores,
    weighted_part,
)
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.reduction.in_pairs import rows_of
from separatrix.estimators.regression.linear_regressor import CertifiedRegressor
from separatrix.estimators.store.fitted_attributes import NotNegative
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector


class KernelRegressor(SingleMachine, CertifiedRegressor):
    """A regressor by an expansion over support rows. Subclasses have the options of the kernel and of the loss."""

    _fitted_attributes: ClassVar[Mapping[str, Any]] = dict.fromkeys(
        ("outside_rate_", "support_rate_"), NotNegative(float)
    )

    def _problem(self, X: Any, y: Any, sample_weight: Any = None) -> EncodedKernel:
        objective = self._objective()
        encoded = encode_kernel_numbers(X, y, self._asked_kernel(), sample_weight=sample_weight)
        return replace(encoded, problem=encoded.problem.posed(objective))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the machine.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or sequence of sets or texts
            The rows; for a precomputed kernel the square matrix of its values.
        y : array of n numbers
            What is to be predicted for them.
        sample_weight : array of n numbers or None
            What the loss of each row costs, in units of C; a whole number counts the row so many times.

        Returns
        -------
        self
            The fitted regressor.
        """
        encoded = self._pose(X, y, sample_weight)
        with progress_line(self, encoded.problem):
            self._fit_posed(encoded)
        return self

    def _fit_posed(self, encoded: EncodedKernel, start: Any = None) -> Any:
        """Solve and publish; returns the claim, from which a fit of the same rows with other options may start."""
        solution = self._solve(encoded.problem, start)
        b = float(solution.certificate.b)
        claim = claim_or_unproved(encoded.problem, solution.certificate, b)
        self._publish(encoded, solution, claim, b)
        self._publish_rates(encoded.problem)
        warn_if_above_tol(self, [replace(solution, certificate=claim)])
        return solution.certificate

    def _solve(self, problem: Problem, start: Any) -> Solution:
        """Minimise the objective."""
        raise NotImplementedError

    def _tube(self, problem: Problem, claim: Any, residuals: Vector) -> float:
        """Half the width of the tube, wider by what rounding may do to rows on its border."""
        raise NotImplementedError

    def _publish_rates(self, problem: Problem) -> None:
        """Make public which parts of the rows are outside of the tube, and support it."""
        claim = self.certificate_
        residuals = problem.y - training_scores(problem, claim) - claim.b
        self.outside_rate_ = weighted_part(problem, np.abs(residuals) > self._tube(problem, claim, residuals))
        self.support_rate_ = weighted_part(problem, rows_of(claim)[claim.w != 0.0])

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        return super()._concerns(certificate, problem) and bool(certificate.b == self.intercept_[0])

    @also_for_blocks
    def predict(self, X: Any) -> Vector:
        """Predict the number of each row.

        Parameters
        ----------
        X : as for fit
            The rows; for a precomputed kernel their values with all training rows, or with the support rows alone.

        Returns
        -------
        ndarray of shape (n,)
            The predictions.
        """
        check_is_fitted(self)
        return self._machine_scores(X, self.intercept_[0])
