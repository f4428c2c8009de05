"""A one-class machine as a classifier of two classes, inside and outside, so that its boundary can be drawn."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from separatrix.report.charts.slice import Slice, cut
from separatrix.rows import Vector


class InsideOutside(BaseEstimator):
    """The classifier that says "outside" where the score of a one-class machine is negative."""

    def __init__(self, machine: Any):
        self.machine = machine
        self.classes_ = np.array(["inside", "outside"])

    def fit(self, X: Any, y: Any = None) -> "InsideOutside":
        """Nothing: the machine is fitted."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, X: Any) -> Vector:
        """Minus the score of the machine, as the second class is outside."""
        return -np.asarray(self.machine.decision_function(X), dtype=np.float64).ravel()

    def predict(self, X: Any) -> np.ndarray:
        """Predict "inside" or "outside"."""
        return self.classes_[(np.asarray(self.machine.predict(X)) < 0).astype(np.intp)]


def boundary_slice(machine: Any, X: Any, names: Any, marked: Any) -> Slice:
    """A slice of the space of the features by a plane, with the boundary of a one-class machine, and marked rows."""
    model = InsideOutside(machine)
    return cut(model, X, model.predict(X), names=names, ringed=marked)
