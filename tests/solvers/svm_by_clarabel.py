"""The optimum of a small support vector machine, by an interior-point method that shares nothing with the package."""

import clarabel
import numpy as np
from scipy import sparse


def optimum(X, y, cost, squared=False, fit_intercept=True) -> float:
    """Least 1/2 ||w||^2 + sum_i c_i slack_i^p over w, b, slack >= 0 with y_i (<w, x_i> + b) + slack_i >= 1."""
    n, d = X.shape
    curvature = np.concatenate([np.ones(d), [0.0], 2.0 * cost if squared else np.zeros(n)])
    linear = np.concatenate([np.zeros(d + 1), np.zeros(n) if squared else cost])
    bias = y[:, None] * (1.0 if fit_intercept else 0.0)
    margins = np.hstack([-y[:, None] * X, -bias, -np.eye(n)])
    slacks = np.hstack([np.zeros((n, d + 1)), -np.eye(n)])
    limits = np.concatenate([-np.ones(n), np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        sparse.diags(curvature, format="csc"),
        linear,
        sparse.csc_matrix(np.vstack([margins, slacks])),
        limits,
        [clarabel.NonnegativeConeT(2 * n)],
        settings,
    )
    return float(solver.solve().obj_val)
