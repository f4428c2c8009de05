"""Estimators that take over the planes or the support rows of a model that was fitted elsewhere."""

from typing import Any

import numpy as np

from separatrix.certificates import Unproved
from separatrix.estimators.fit_hash import record_hash
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.reduction.support_rows import widths
from separatrix.problem import Plane
from separatrix.rows import Vector


def take_planes(estimator: Any, W: Vector, b: Vector, reason: str) -> Any:
    """Give an estimator planes, and what else its `fit` publishes; nothing is claimed of them, for a reason."""
    estimator.coef_, estimator.intercept_ = W, b
    plane = Plane.of(W, b)
    estimator.certificate_ = Unproved(reason, plane.w, plane.b)
    for name, value in fitted_besides(estimator).items():
        setattr(estimator, name, value)
    if hasattr(estimator, "_hashed"):
        record_hash(estimator)
    return estimator


def fitted_besides(estimator: Any) -> dict[str, Any]:
    """What fits publish besides planes, as far as it is known of planes alone."""
    W = estimator.coef_
    margins = widths(W)
    known: dict[type, dict[str, Any]] = {
        LinearSVM: {"margin_width_": float(margins[0]) if len(W) == 1 else margins},
        LogisticClassifier: {
            "infinite_": np.zeros(W.shape, bool),
            "infinite_intercept_": np.zeros(len(W), bool),
            "_n_rows": 0,
        },
        LeastSquaresClassifier: {"rank_": None},
        Perceptron: {"n_presentations_": 0, "n_updates_": 0, "_last": None},
    }
    return known.get(type(estimator), {})


def take_expansion(
    estimator: Any, kernel: Any, rows: Any, coefficients: Vector, offsets: Vector, n_support: Any, reason: str
) -> Any:
    """Give an estimator support rows and their coefficients, with signs as in scikit-learn; nothing is claimed."""
    estimator.kernel_ = kernel
    estimator.support_vectors_ = rows
    estimator.dual_coef_, estimator.intercept_ = coefficients, offsets
    estimator.n_support_ = np.array(n_support, dtype=np.int32)
    estimator.certificate_ = Unproved(reason)
    return estimator
