"""The gap of a nu margin in long doubles, by formulas written out here."""

import numpy as np
from scipy.optimize import linprog

from contracts.dense_rows import dense
from separatrix.certificates import DualityGap
from separatrix.problem import Problem


def true_nu_gap(problem: Problem, claim: DualityGap, vectors: np.ndarray | None = None) -> tuple[float, float]:
    """(P - D) / max(|P|, |D|) of a nu margin, and how far rounding may move it; 0 where both are 0 but for rounding.

    In the space of a kernel the rows are given as vectors, and w is the plane among them.
    """
    X = dense(problem).astype("g") if vectors is None else vectors
    w, cost = claim.w.astype("g"), problem.cost.astype("g")
    signs = np.where(problem.y == 1, 1, -1)
    sides = [signs < 0, signs > 0] if problem.fit_intercept else [np.full(signs.size, True)]
    total = min([claim.objective.nu * cost.sum(), *(2 * cost[side].sum() for side in sides if len(sides) == 2)])
    alpha = np.zeros(signs.size, "g")
    alpha[claim.support] = claim.alpha
    for side in sides:
        alpha[side] = filled(np.clip(alpha[side], 0, cost[side]), cost[side], total / len(sides))
    margins = signs * (X @ w + claim.b)
    L = max(total * rho - cost @ np.maximum(0, rho - margins) for rho in np.concatenate([[0], margins[margins > 0]]))
    normal, square = X.T @ (alpha * signs), w @ w
    reach = alpha @ np.sqrt((X**2).sum(axis=1))
    primal = -(L**2) / (2 * square) if square > 0 and L > 0 else np.longdouble(0)
    dual = -(normal @ normal) / 2
    if primal == 0 and hulls_meet(X, signs, cost, total, len(sides) == 2):
        return 0.0, 0.0
    size = max(abs(primal), abs(dual))
    terms = (np.abs(X) @ np.abs(w) + abs(claim.b)).max() * total * (L / square if square > 0 else 0)
    rounding = 1e-13 * float((size + terms + np.sqrt(normal @ normal) * reach) / size)
    return float(max(primal - dual, 0) / size), rounding


def hulls_meet(X, signs, cost, total, balanced: bool) -> bool:
    """Whether some feasible alpha adds up to 0, by a linear program: w = 0 is optimal exactly then."""
    rows = [(signs[:, None] * X).T, np.ones((1, signs.size)), signs[None] * (1.0 if balanced else 0.0)]
    right = [np.zeros(X.shape[1]), [total], [0.0]]
    bounds = [(0.0, float(c)) for c in cost]
    A, b = np.vstack(rows).astype(float), np.concatenate(right).astype(float)
    return linprog(np.zeros(signs.size), A_eq=A, b_eq=b, bounds=bounds).status == 0


def filled(alpha: np.ndarray, cost: np.ndarray, total: float) -> np.ndarray:
    """min(t alpha, cost) for the t with this sum, by halving."""
    low, high = np.longdouble(0), np.longdouble(1)
    while np.minimum(high * alpha, cost).sum() < total and high < 1e30:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.minimum(middle * alpha, cost).sum() < total else (low, middle)
    return np.minimum(high * alpha, cost)
