"""Optima of small kernel machines, by an interior-point method that shares nothing with the package.

All are min 1/2 beta'K beta + 1/2 sum ridge alpha^2 - required.alpha with beta = S alpha, 0 <= alpha <= upper,
E alpha = e, and sum alpha <= most.
"""

import clarabel
import numpy as np
from scipy import sparse


def least(K, S, required, upper, ridge, E, e, most=np.inf, unit=1.0):
    """The optimal value and alpha, which is counted in a unit of its own."""
    m, finite = required.size, np.isfinite(upper)
    P, upper, e, most = unit * (S.T @ K @ S + np.diag(ridge)), upper / unit, e / unit, most / unit
    limits = np.append(upper[finite], most) if most < np.inf else upper[finite]
    rows = [E, -np.eye(m), np.eye(m)[finite], *([np.ones((1, m))] if most < np.inf else [])]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = 1e-12
    settings.max_iter = 500
    cones = [clarabel.ZeroConeT(len(e)), clarabel.NonnegativeConeT(m + limits.size)]
    found = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(P)),
        -required,
        sparse.csc_matrix(np.vstack(rows)),
        np.concatenate([e, np.zeros(m), limits]),
        cones,
        settings,
    ).solve()
    return unit * float(found.obj_val), unit * np.array(found.x)


def both_sides(n):
    """Beta from two variables a row."""
    return np.hstack([np.eye(n), -np.eye(n)])


def epsilon_insensitive(K, y, cost, epsilon, squared=False, offset=True):
    """The dual value of support vector regression, and beta; cost is C times that of each row."""
    n, S = y.size, both_sides(y.size)
    if squared and epsilon == 0.0:  # a linear system, which clarabel does not solve as well
        M = np.block([[K + np.diag(0.5 / cost), np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
        size = n + int(offset)
        beta = np.linalg.solve(M[:size, :size], np.append(y, 0.0)[:size])[:n]
        return 0.5 * float(beta @ y), beta
    upper = np.full(2 * n, np.inf) if squared else np.tile(cost, 2)
    ridge = np.tile(0.5 / cost, 2) if squared else np.zeros(2 * n)
    E = np.ones((1, n)) @ S if offset else np.empty((0, 2 * n))
    units = 1.0, float(cost.max())  # in one of them clarabel comes to its end
    found = [least(K, S, S.T @ y - epsilon, upper, ridge, E, np.zeros(len(E)), unit=unit) for unit in units]
    value, alpha = min(found, key=lambda each: each[0])
    return -value, S @ alpha


def nu_insensitive(K, y, cost, nu):
    """The dual value of nu regression, and beta."""
    n, S = y.size, both_sides(y.size)
    none, E = np.zeros(2 * n), np.ones((1, n)) @ S
    value, alpha = least(K, S, S.T @ y, np.tile(cost, 2), none, E, np.zeros(1), nu * cost.sum(), float(cost.max()))
    return -value, S @ alpha


def nu_margin(K, signs, cost, nu):
    """The dual value of the nu machine, or of novelty detection where all signs are 1, and alpha."""
    sides = [signs > 0, signs < 0] if (signs < 0).any() else [signs > 0]
    E, none, total = np.array(sides, dtype=float), np.zeros(signs.size), nu * cost.sum()  # which is the unit of alpha
    value, alpha = least(K, np.diag(1.0 * signs), none, cost / total, none, E, np.full(len(sides), 1.0 / len(sides)))
    return -value * total**2, alpha * total
