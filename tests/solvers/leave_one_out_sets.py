"""Twenty sets of rows and machines for leave-one-out: overlapping, separable, weighted, with equal rows, degenerate."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

from separatrix import KernelSVM, LeastSquaresClassifier, LinearSVM

TIGHT = 1e-13  # gap of the fits that exact scores are compared with


class Case(NamedTuple):
    """A model, its rows, classes and weights."""

    model: object
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None = None


def clouds(n, d, shift, seed):
    """Two Gaussian classes, a shift apart in every feature."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, d)) + shift * (2 * y - 1)[:, None], y


def grid(n, seed):
    """Rows on a grid, many of them equal, some of both classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float)
    return X, (X.sum(axis=1) + rng.normal(size=n) > 3.0).astype(int)


def with_copies(X, y, n):
    """Rows, the first n of them twice, and weights."""
    weights = np.random.default_rng(n).choice([0.3, 1.0, 2.0], y.size + n)
    return np.vstack([X, X[:n]]), np.append(y, y[:n]), weights


OVERLAP, APART, COPIES = clouds(60, 3, 0.4, 0), clouds(40, 2, 3.0, 1), with_copies(*clouds(40, 2, 0.6, 2), 12)
UNEVEN = np.vstack([OVERLAP[0][OVERLAP[1] == 0], OVERLAP[0][OVERLAP[1] == 1][:12]]), np.repeat([0, 1], [30, 12])
IRIS = tuple(part[50:] for part in load_iris(return_X_y=True))
CANCER = tuple(part[:80] for part in load_breast_cancer(return_X_y=True))
SQUARED = {"loss": "squared_hinge"}
QUADRATIC = {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 1.0}

CASES = {
    "linear, overlapping": Case(LinearSVM(C=1.0), *OVERLAP),
    "linear, large C": Case(LinearSVM(C=1e3), *OVERLAP),
    "linear, small C, no free row": Case(LinearSVM(C=1e-4), *OVERLAP),
    "linear, small C, uneven classes": Case(LinearSVM(C=1e-3), *UNEVEN),
    "linear, without offset": Case(LinearSVM(C=0.1, fit_intercept=False), *OVERLAP),
    "linear, separable": Case(LinearSVM(C=1.0), *APART),
    "linear, hard margin": Case(LinearSVM(C=np.inf), *APART),
    "linear, equal rows and weights": Case(LinearSVM(C=1.0), *COPIES),
    "linear, on a grid": Case(LinearSVM(C=1.0), *grid(60, 3)),
    "linear, raw features": Case(LinearSVM(C=0.01), *CANCER),
    "linear, more features than rows": Case(LinearSVM(C=1.0), *clouds(24, 40, 0.1, 4)),
    "squared hinge": Case(LinearSVM(C=1.0, **SQUARED), *OVERLAP),
    "squared hinge, equal rows and weights": Case(LinearSVM(C=10.0, **SQUARED), *COPIES),
    "rbf": Case(KernelSVM(C=1.0, gamma=0.5), *OVERLAP),
    "rbf, large C": Case(KernelSVM(C=1e3, gamma=0.5), *OVERLAP),
    "rbf, equal rows and weights": Case(KernelSVM(C=10.0, gamma=0.5), *COPIES),
    "rbf, squared hinge": Case(KernelSVM(C=1.0, gamma=0.5, **SQUARED), *COPIES),
    "quadratic": Case(KernelSVM(C=1.0, **QUADRATIC), *OVERLAP),
    "cubic, iris": Case(KernelSVM("poly", C=1.0, gamma=0.1, coef0=1.0), *IRIS),
    "least squares": Case(LeastSquaresClassifier(ridge=0.5), *COPIES),
}
