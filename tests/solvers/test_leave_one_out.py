"""Leave-one-out in closed form is leave-one-out."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import LeastSquaresClassifier, OptionError

RIDGES = [0.0, 1e-3, 1.0, 50.0]


def brute_force(X, T, cost, ridge, offset):
    """Residual of each row by the planes that fit all others, of least length where there are several."""
    left = np.empty_like(T)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        Z, t, root = X[others], T[others], np.sqrt(cost[others])[:, None]
        middle = (cost[others] @ Z / cost[others].sum(), cost[others] @ t / cost[others].sum())
        middle = middle if offset else (0.0 * middle[0], 0.0 * middle[1])
        rows, wanted = root * (Z - middle[0]), root * (t - middle[1])
        if ridge:
            rows = np.vstack([rows, np.sqrt(ridge) * np.eye(X.shape[1])])
            wanted = np.vstack([wanted, np.zeros((X.shape[1], T.shape[1]))])
        W = np.linalg.lstsq(rows, wanted, rcond=1e-12)[0]
        left[i] = T[i] - middle[1] - (X[i] - middle[0]) @ W
    return left


def sets():
    """Twenty of them: tall, wide, square, with columns that depend on each other, of two and more classes."""
    rng = np.random.default_rng(5)
    shapes = [(30, 4, 2), (25, 3, 3), (12, 20, 2), (9, 8, 2), (10, 9, 3), (40, 6, 4), (15, 1, 2), (20, 5, 2)]
    for number in range(20):
        n, d, k = shapes[number % len(shapes)]
        X = rng.standard_normal((n, d)) + rng.uniform(-3, 3, d)
        if number % 5 == 1:
            X[:, 0] = 7.0
        if number % 5 == 2 and d > 2:
            X[:, 2] = X[:, 0] - X[:, 1]
        if number == 7:
            X = np.column_stack([X, np.arange(n) == 3])  # only one row has it
        y = np.arange(n) % k
        yield X, y, rng.integers(1, 4, n).astype(float) if number % 2 else np.ones(n), number % 3 != 0


@pytest.mark.parametrize(("X", "y", "cost", "offset"), list(sets()))
def test_it_equals_fits_without_each_row(X, y, cost, offset):
    model = LeastSquaresClassifier(fit_intercept=offset)
    T = 2.0 * y[:, None] - 1.0 if y.max() == 1 else np.eye(y.max() + 1)[y]
    for container in (np.asarray, sparse.csr_array):
        found = model.leave_one_out(container(X), y, ridges=RIDGES, sample_weight=cost)
        for k, ridge in enumerate(RIDGES):
            truth = brute_force(X, T, cost, ridge, offset)
            assert np.abs(found.residuals[k].reshape(truth.shape) - truth).max() <= 1e-10 * max(1, np.abs(truth).max())
            assert found.squares[k] == pytest.approx(cost @ (truth**2).sum(axis=1), rel=1e-9)
            scores = T - truth
            predicted = scores[:, 0] > 0 if T.shape[1] == 1 else scores.argmax(axis=1)
            assert found.errors[k] == pytest.approx(cost @ (predicted != y) / cost.sum())


def test_the_best_ridge_has_the_least_squares_and_one_ridge_is_the_model_s_own():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 20)), np.arange(30) % 2
    found = LeastSquaresClassifier().leave_one_out(X, y, ridges=np.logspace(-3, 3, 7))
    assert found.best == found.ridges[found.squares.argmin()]
    assert found.best > 1e-3  # 20 columns of noise ask for some
    own = LeastSquaresClassifier(ridge=found.best).leave_one_out(X, y)
    assert own.squares == pytest.approx(found.squares.min(), rel=1e-12)


@pytest.mark.parametrize("ridges", [[-1.0], ["a"], [np.nan], []])
def test_ridges_are_checked(ridges):
    with pytest.raises(OptionError, match="ridges"):
        LeastSquaresClassifier().leave_one_out([[0.0], [1.0], [2.0]], [0, 1, 1], ridges=ridges)
