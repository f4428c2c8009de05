"""What all regressors share: they encode numbers, solve, publish, and predict by a plane."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.data.blocks import Blocks
from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode import Encoded, encode_numbers
from separatrix.estimators.algorithms.streaming import encoded_blocks, passes_of
from separatrix.estimators.base import Certified, check_flags
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.store.fitted_attributes import FINITE, floats
from separatrix.problem import Plane, Problem, Solution
from separatrix.rows import Vector


class CertifiedRegressor(RegressorMixin, Certified, BaseEstimator):
    """A scikit-learn regressor whose `certificate_` says why to believe it."""

    def _objective(self) -> Any:
        """What the options ask to minimise; None where the rule minimises nothing that is proved."""
        return None

    def _asked_objective(self, classes: np.ndarray) -> Any:
        return self._objective()

    def _problem(self, X: Any, y: Any, sample_weight: Any = None) -> Encoded:
        check_flags(self, "fit_intercept")
        if isinstance(X, Blocks):
            encoded: Any = encoded_blocks(X, y, sample_weight, numbers=True, fit_intercept=bool(self.fit_intercept))
        else:
            encoded = encode_numbers(X, y, sample_weight=sample_weight, fit_intercept=bool(self.fit_intercept))
        return replace(encoded, problem=encoded.problem.posed(self._objective()))


class PlaneRegressor(CertifiedRegressor):
    """A regressor by one plane: `coef_`, and `intercept_` in the shape that its counterpart in scikit-learn has."""

    coef_: Vector
    intercept_: Any
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"coef_": floats("d", "finite")}

    @also_for_blocks
    def predict(self, X: Any) -> Vector:
        """Predict w.x + b for each row.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            The predictions.
        """
        check_is_fitted(self)
        return self._scores(X, Plane(self.coef_, self.intercept_))


class WeightedRegressor(CertifiedRegressor):
    """A regressor whose rows have weights: `fit` poses the problem, and `_fit_posed` solves it."""

    n_iter_: int

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d), or Blocks
            The rows; blocks of rows hold their numbers and weights as well.
        y : array of n numbers
            What is to be predicted for them.
        sample_weight : array of n numbers or None
            What the loss of each row counts; a whole number counts the row so many times.

        Returns
        -------
        self
            The fitted regressor.
        """
        encoded = self._pose(X, y, sample_weight)
        with progress_line(self, encoded.problem):
            self._fit_posed(encoded, self._start(encoded.problem))
        self.n_iter_ = passes_of(encoded.problem) or self.n_iter_
        return self

    def _start(self, problem: Problem) -> Any:
        """What the options say to start from."""
        return None

    def _fit_posed(self, encoded: Encoded, start: Any = None) -> Any:
        """Solve and publish; returns what a fit of the same rows with another penalty may start from."""
        raise NotImplementedError


class LinearRegressor(WeightedRegressor, PlaneRegressor):
    """A regressor by a plane whose `intercept_` is a number."""

    intercept_: float
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"intercept_": FINITE}

    def _publish(self, solution: Solution) -> Self:
        """Make the answer public under scikit-learn's names."""
        self.coef_ = np.array(solution.w).reshape(-1)
        self.intercept_ = float(np.reshape(solution.b, ()))
        self.n_iter_ = solution.history.passes
        self.certificate_: Any = solution.certificate
        return self
