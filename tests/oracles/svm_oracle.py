"""Support vector machines as a quadratic program, by an independent solver."""

import clarabel
import numpy as np
from scipy import sparse


def optimal_plane(X, y, *, C=1.0, squared=False, cost=None, fit_intercept=True) -> tuple[np.ndarray, float]:
    """w and b of min 1/2 ||w||^2 + C sum cost slack, or squared slack; y is -1 or 1, C infinite: no slack.

    The solver sees columns of unit spread, along the singular vectors where there are more features than rows.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    n, offset = len(X), int(fit_intercept)
    centre = X.mean(axis=0) * offset
    basis = np.linalg.svd(X - centre, full_matrices=False)[2][: n - offset].T if n < X.shape[1] else np.eye(X.shape[1])
    spread = (X - centre) @ basis
    scale = np.sqrt(np.mean(spread**2, axis=0))
    scale[scale == 0.0] = 1.0
    unit = float(np.exp(-2.0 * np.mean(np.log(scale))))  # makes the objective one of moderate size
    penalty = np.append(scale**-2.0 / unit, np.zeros(offset))
    rows = y[:, None] * np.column_stack([spread / scale, np.ones((n, offset))])
    if np.isinf(C):
        v = solved(np.diag(penalty), np.zeros(penalty.size), -rows, -np.ones(n), tol=1e-12)
    else:
        price = C / unit * (np.ones(n) if cost is None else np.asarray(cost, dtype=float))
        P = sparse.diags(np.append(penalty, 2.0 * price if squared else np.zeros(n)))
        q = np.append(np.zeros(penalty.size), np.zeros(n) if squared else price)
        G = sparse.bmat([[-sparse.csc_matrix(rows), -sparse.eye(n)], [None, -sparse.eye(n)]])
        v = solved(P, q, G, np.append(-np.ones(n), np.zeros(n)), tol=1e-10 if squared else 1e-11)
    w = basis @ (v[: scale.size] / scale)
    return w, float(v[scale.size] - w @ centre) if fit_intercept else 0.0


def solved(P, q, G, h, tol) -> np.ndarray:
    """min 1/2 x'Px + q.x with Gx <= h."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    cones = [clarabel.NonnegativeConeT(len(h))]
    found = clarabel.DefaultSolver(sparse.csc_matrix(P), q, sparse.csc_matrix(G), h, cones, settings).solve()
    assert found.status == clarabel.SolverStatus.Solved, f"the oracle says: {found.status}"
    return np.array(found.x)


def objective(X, y, w, b, *, C=1.0, squared=False, cost=1.0) -> float:
    """1/2 ||w||^2 + C sum cost slack, or squared slack."""
    slack = np.maximum(0.0, 1.0 - np.asarray(y) * (np.asarray(X, dtype=float) @ w + b))
    return float(0.5 * w @ w + C * np.sum(cost * (slack**2 if squared else slack)))
