"""The nearest points of reduced convex hulls and the nu-SVM by an interior-point solver, and by hand."""

import clarabel
import numpy as np
from scipy import sparse


def solved(P, q, A, b, cones):
    """The solution of a convex quadratic program, to the last digits that the solver has."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-14
    found = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(P)), q, sparse.csc_matrix(A), b, cones, settings).solve()
    return np.array(found.x)


def weights_of_nearest_points(K, y, upper):
    """min sum_ij y_i y_j a_i a_j K_ij,  sum a = 1 in each class,  0 <= a <= upper;   y = -1 or 1."""
    n = y.size
    A = np.vstack([y > 0, y < 0, -np.eye(n), np.eye(n)]).astype(float)
    b = np.concatenate([[1.0, 1.0], np.zeros(n), upper])
    cones = [clarabel.ZeroConeT(2), clarabel.NonnegativeConeT(2 * n)]
    return solved(2.0 * K * np.outer(y, y), np.zeros(n), A, b, cones)


def nu_machine(X, y, nu):
    """w and b of min 1/2 ||w||^2 - nu rho + 1/n sum xi,  y (w.x + b) >= rho - xi,  xi >= 0,  rho >= 0."""
    n, d = X.shape
    P = np.zeros((d + 2 + n, d + 2 + n))
    P[:d, :d] = np.eye(d)
    q = np.concatenate([np.zeros(d + 1), [-nu], np.full(n, 1.0 / n)])
    margins = np.column_stack([-y[:, None] * X, -y, np.ones(n), -np.eye(n)])
    signs = np.column_stack([np.zeros((n + 1, d + 1)), -np.eye(n + 1)])
    found = solved(P, q, np.vstack([margins, signs]), np.zeros(2 * n + 1), [clarabel.NonnegativeConeT(2 * n + 1)])
    return found[:d], found[d]


def extreme_point(A, u, mu):
    """The point of R(A, mu) furthest along u: mu of the floor(1/mu) furthest rows, and the rest of the next one."""
    order = np.argsort(-(A @ u))
    whole = int(np.floor(1.0 / mu + 1e-9))
    point = mu * A[order[:whole]].sum(axis=0)
    rest = 1.0 - whole * mu
    return point + (rest * A[order[whole]] if rest > 1e-12 else 0.0)


def two_classes(seed, kind=""):
    """Rows of two classes that overlap, of many shapes, and their signs."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(12, 70)), int(rng.integers(1, 9))
    y = np.where(rng.random(n) < rng.uniform(0.25, 0.75), 1, -1)
    y[:6] = [1, 1, 1, -1, -1, -1]
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 2.0, d)
    X[:, 0] += rng.uniform(1.2, 2.0) * y
    return X, y
