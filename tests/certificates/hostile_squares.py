"""Fits by least squares and discriminant analysis to hostile data, each of which a seed alone decides."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from certificates.hostile_data import hostile_case
from separatrix import FisherDiscriminant, GaussianDiscriminant, LeastSquaresClassifier, LeastSquaresRegressor
from separatrix.errors import DataError

RIDGES = [0.0, 0.0, 0.0, 1e-12, 1e-6, 1.0, 1e3, 1e12]


class Fit(NamedTuple):
    """A fitted model, its rows, targets and weights, the question that it was asked, and the kind of the data."""

    model: Any
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    problem: Any
    kind: str


def hostile_fit(seed):
    """A fit; None where the data are refused, because weights leave no covariance."""
    case, rng = hostile_case(seed), np.random.default_rng(seed + 10**6)
    X, y = case.X, case.y.copy()
    if rng.random() < 0.1:
        X = X * 10.0 ** rng.uniform(-50, 50, X.shape[1])  # columns of 1e-150 to 1e150
    if rng.random() < 0.3 and len(y) > 4:
        y[rng.integers(1, len(y) - 1)] = 2
    squares = {"ridge": float(rng.choice(RIDGES)), "fit_intercept": bool(rng.random() < 0.7)}
    gauss = {"priors": rng.choice([None, "equal"]), "shrinkage": float(rng.choice([0.0, 0.0, 0.1, 1.0]))}
    model = [
        lambda: LeastSquaresClassifier(**squares),
        lambda: LeastSquaresRegressor(**squares),
        lambda: GaussianDiscriminant(**gauss),
        FisherDiscriminant,
    ][rng.integers(4)]()
    y = case.numbers if isinstance(model, LeastSquaresRegressor) else y
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # equations that are not solved are no false claim
            model.fit(X, y, sample_weight=case.weights)
    except DataError:
        return None
    return Fit(model, X, y, case.weights, model._problem(X, y, case.weights).problem, case.kind)
