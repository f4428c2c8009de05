"""The plane of a penalty is that of the least loss within its radius: the constrained problem, by clarabel."""

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from separatrix import KernelSVM, LeastSquaresRegressor, LinearSVM, LogisticClassifier, regularization_path

X, Y = (part[50:] for part in load_iris(return_X_y=True))
X, Y = X[::3, 2:] - X[:, 2:].mean(axis=0), 2 * (Y[::3] == 2) - 1
VALUES = [0.01, 0.1, 1.0, 10.0]


def solved(P, q, A, b, cones):
    """x of least 1/2 x'Px + q'x with b - Ax in the cones."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-12
    parts = sparse.csc_matrix(P), q, sparse.csc_matrix(A), b, cones, settings
    return np.array(clarabel.DefaultSolver(*parts).solve().x)


def ball(d, n, radius):
    """Rows of ||w|| <= radius, for x = [w, b, n others]."""
    A = np.zeros((d + 1, d + 1 + n))
    A[1:, :d] = -np.eye(d)
    return A, np.append(radius, np.zeros(d))


def least_slack(radius, squared):
    """[w, b] of the least sum of slacks, or of their squares, with ||w|| <= radius."""
    n, d = X.shape
    P = np.diag(np.append(np.zeros(d + 1), np.full(n, 2.0 if squared else 0.0)))
    q = np.append(np.zeros(d + 1), np.full(n, 0.0 if squared else 1.0))
    margins = np.hstack([-Y[:, None] * X, -Y[:, None], -np.eye(n)])
    slacks = np.hstack([np.zeros((n, d + 1)), -np.eye(n)])
    A, b = ball(d, n, radius)
    cones = [clarabel.NonnegativeConeT(2 * n), clarabel.SecondOrderConeT(d + 1)]
    limits = np.concatenate([-np.ones(n), np.zeros(n), b])
    return solved(P, q, np.vstack([margins, slacks, A]), limits, cones)[: d + 1]


def least_log_loss(radius):
    """[w, b] of the least sum of log(1 + exp(-y (w.x + b))) with ||w|| <= radius, by exponential cones.

    t >= log(1 + exp(-m)) where exp(-t) <= u, exp(-m - t) <= v and u + v <= 1.
    """
    n, d = X.shape
    A, b = ball(d, 3 * n, radius)
    eye, none, plane = np.eye(n), np.zeros((n, n)), Y[:, None] * np.column_stack([X, np.ones(n)])
    rows, limits, cones = (
        [np.hstack([np.zeros((n, d + 1)), none, eye, eye])],
        [np.ones(n)],
        [clarabel.NonnegativeConeT(n)],
    )
    for i in range(n):
        for margin, place in ((0.0 * plane[i], 1), (plane[i], 2)):
            cone = np.zeros((3, d + 1 + 3 * n))
            cone[0, : d + 1], cone[0, d + 1 + i], cone[2, d + 1 + place * n + i] = margin, 1.0, -1.0
            rows.append(cone)
            limits.append(np.array([0.0, 1.0, 0.0]))
            cones.append(clarabel.ExponentialConeT())
    q = np.concatenate([np.zeros(d + 1), np.ones(n), np.zeros(2 * n)])
    parts = np.vstack([*rows, A]), np.concatenate([*limits, b]), [*cones, clarabel.SecondOrderConeT(d + 1)]
    return solved(np.zeros((q.size, q.size)), q, *parts)[: d + 1]


@pytest.mark.parametrize(
    ("model", "oracle", "loss"),
    [
        (LinearSVM(tol=1e-12), lambda radius: least_slack(radius, False), lambda m: np.maximum(0.0, 1.0 - m)),
        (
            LinearSVM(tol=1e-12, loss="squared_hinge"),
            lambda radius: least_slack(radius, True),
            lambda m: np.maximum(0.0, 1.0 - m) ** 2,
        ),
        (LogisticClassifier(tol=1e-12), least_log_loss, lambda m: np.logaddexp(0.0, -m)),
    ],
    ids=["hinge", "squared hinge", "log loss"],
)
def test_each_penalty_is_a_radius(model, oracle, loss):
    path = regularization_path(model, X, Y, C=VALUES)
    assert (np.diff(path.radii) > 0.0).all()  # the balls are nested: tau grows with C
    for radius, w, b in zip(path.radii, path.coef_[:, 0], path.intercept_[:, 0], strict=True):
        found = oracle(radius)
        assert np.abs(found[:-1] - w).max() <= 1e-5 * radius
        assert np.linalg.norm(found[:-1]) == pytest.approx(radius, rel=1e-7)  # the constraint binds
        margins = [Y * (X @ plane[:-1] + plane[-1]) for plane in (found, np.append(w, b))]  # b may be one of many
        assert loss(margins[1]).sum() == pytest.approx(loss(margins[0]).sum(), rel=1e-8)


def test_a_ridge_is_a_radius():
    numbers = X @ [1.0, 2.0] + np.random.default_rng(0).normal(size=len(X))
    path = regularization_path(LeastSquaresRegressor(), X, numbers, ridge=[0.1, 1.0, 10.0])
    assert (np.diff(path.radii) < 0.0).all()
    assert path.radii == pytest.approx(np.linalg.norm(path.coef_, axis=1))


def test_the_radius_in_the_space_of_a_kernel():
    plane, machine = (regularization_path(model, X, Y, C=VALUES) for model in (LinearSVM(), KernelSVM("linear")))
    assert machine.radii == pytest.approx(plane.radii, rel=1e-6)
    assert np.isnan(regularization_path(KernelSVM("precomputed"), X @ X.T, Y, C=[1.0]).radii).all()
