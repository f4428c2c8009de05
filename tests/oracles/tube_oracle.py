"""Sparse regression with a tube as a quadratic program, by an independent solver."""

import clarabel
import numpy as np
from scipy import sparse


def objective(X, y, w, b, l1, epsilon, cost) -> float:
    """l1 ||w||_1 + the mean of max(0, r^2 - epsilon), by cost."""
    losses = np.maximum(0.0, (y - X @ w - b) ** 2 - epsilon)
    return float(l1 * np.abs(w).sum() + cost @ losses / cost.sum())


def optimal_value(X, y, *, l1, epsilon, cost, fit_intercept) -> float:
    """The least objective, as that of the plane that the oracle finds.

    max(0, r^2 - k^2) is the least s^2 + 2 k s with s >= 0 and |r| <= k + s. Variables are w, v >= |w|, b and s.
    """
    (n, d), offset, k, share = X.shape, int(fit_intercept), np.sqrt(epsilon), cost / cost.sum()
    P = sparse.block_diag([sparse.csc_matrix((2 * d + offset, 2 * d + offset)), sparse.diags(2.0 * share)])
    q = np.concatenate([np.zeros(d), np.full(d, l1), np.zeros(offset), 2.0 * k * share])
    ones, eye, none = np.ones((n, offset)), np.eye(d), np.zeros((d, offset))
    G = np.block(
        [
            [eye, -eye, none, np.zeros((d, n))],
            [-eye, -eye, none, np.zeros((d, n))],
            [-X, np.zeros((n, d)), -ones, -np.eye(n)],
            [X, np.zeros((n, d)), ones, -np.eye(n)],
            [np.zeros((n, 2 * d + offset)), -np.eye(n)],
        ]
    )
    h = np.concatenate([np.zeros(2 * d), k - y, k + y, np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(len(h))]
    found = clarabel.DefaultSolver(sparse.csc_matrix(P), q, sparse.csc_matrix(G), h, cones, settings).solve()
    assert str(found.status) in ("Solved", "AlmostSolved"), f"the oracle says: {found.status}"
    x = np.array(found.x)
    return objective(X, y, x[:d], float(x[2 * d]) if offset else 0.0, l1, epsilon, cost)
