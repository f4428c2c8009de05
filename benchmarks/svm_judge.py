"""How far from its optimum a support vector machine ended, for the objective that it set out to minimize.

    P(w, b) = 1/2 ||w||^2 + C sum_i max(0, 1 - y_i (w.x_i + b)),    with or without 1/2 b^2

What is known of the optimum is an interval: a plane that was found costs `above`, and a feasible point of the dual
proves that none costs less than `below`.
"""

import time
from typing import Any, NamedTuple

import numba
import numpy as np
from scipy import linalg, sparse

import separatrix

FREE, PENALIZED = "free", "penalized"  # the bias b: not in the norm, or in it
SECONDS = 120.0  # for a reference without our own solver


class Optimum(NamedTuple):
    """Two numbers with the least value of the objective between them."""

    below: float
    above: float

    @property
    def width(self) -> float:
        """How much is unknown of the optimum."""
        return (self.above - self.below) / self.above

    def excess(self, objective: float) -> float:
        """(P - P*) / P*, at most."""
        return (objective - self.below) / self.below


def objective(X: Any, y: np.ndarray, w: np.ndarray, b: float, C: float, bias: str) -> float:
    """P(w, b); for C = infinity what is left after scaling the plane until the nearest row has a margin of 1."""
    margins = y * (X @ w + b)
    if np.isinf(C):
        return float(0.5 * w @ w / margins.min() ** 2) if margins.min() > 0.0 else np.inf
    losses = np.maximum(0.0, 1.0 - margins)
    return float(0.5 * (w @ w + (b * b if bias == PENALIZED else 0.0)) + C * losses.sum())


def extended(X: Any) -> Any:
    """[X, 1]: the bias as one more weight, which is penalized like the others."""
    ones = np.ones((X.shape[0], 1))
    return sparse.csr_matrix(sparse.hstack([X, ones])) if sparse.issparse(X) else np.hstack([X, ones])


def optimum(X: Any, y: np.ndarray, C: float, bias: str) -> Optimum:
    """Find the optimum with our own solver, or before there is one with what is here."""
    if hasattr(separatrix, "LinearSVM"):
        return ours(X, y, C, bias)
    return ascended(X, y, C) if sparse.issparse(X) else interior(X, y, C, bias)


def ours(X: Any, y: np.ndarray, C: float, bias: str) -> Optimum:
    """Ask our solver for nine digits, and its certificate for how many there are."""
    rows, offset = (X, True) if bias == FREE else (extended(X), False)
    model = separatrix.LinearSVM(C=C, tol=1e-9, fit_intercept=offset).fit(rows, y)  # type: ignore[attr-defined]
    gap = model.certificate_.error(separatrix.encode(rows, y, fit_intercept=offset).problem)
    b = float(np.ravel(model.intercept_)[0]) if offset else 0.0
    above = objective(rows, y, np.ravel(model.coef_), b, C, FREE)
    return Optimum(above * (1.0 - gap), above)


def bound(Z: Any, y: np.ndarray, alpha: np.ndarray, C: float, bias: str) -> float:
    """Value of the dual, sum(alpha) - 1/2 ||Z' alpha||^2, where sum(y alpha) = 0 if the bias is free."""
    alpha = np.clip(alpha, 0.0, C)
    if bias == FREE:
        sums = alpha[y > 0].sum(), alpha[y < 0].sum()
        alpha = alpha * np.where(y > 0, min(sums) / sums[0], min(sums) / sums[1])
    v = Z.T @ alpha
    return float(alpha.sum() - 0.5 * (v @ v if bias == PENALIZED else v[:-1] @ v[:-1]))


def longest(values: np.ndarray, step: np.ndarray) -> float:
    """How much of a step keeps the values positive."""
    falling = step < 0
    return min(1.0, float((-values[falling] / step[falling]).min())) if falling.any() else 1.0


def interior(X: np.ndarray, y: np.ndarray, C: float, bias: str, enough: float = 1e-9) -> Optimum:
    """Interior points, for dense rows: alpha * s and (C - alpha) * xi go to zero, where s - xi = Z v - 1."""
    Z, began = extended(X) * y[:, None], time.perf_counter()
    ridge = np.ones(Z.shape[1])
    ridge[-1] = float(bias == PENALIZED)
    v, alpha = np.zeros(Z.shape[1]), np.full(len(y), min(C / 2, 1.0))
    s, xi = np.ones(len(y)), alpha / (C - alpha)
    best = Optimum(0.0, C * len(y))
    while best.above - best.below > enough * best.above and time.perf_counter() - began < SECONDS:
        beta = C - alpha
        weights = 1.0 / (xi / beta + s / alpha)
        factor = linalg.cho_factor(Z.T @ (weights[:, None] * Z) + np.diag(ridge))
        short, slope = Z @ v + xi - 1.0 - s, ridge * v - Z.T @ alpha
        mu, goal, corrections = (alpha @ s + beta @ xi) / (2 * len(y)), 0.0, (0.0, 0.0)
        for _ in range(2):  # a prediction, and then a step that is corrected by it
            lower, upper = s * alpha - goal + corrections[0], xi * beta - goal + corrections[1]
            wanted = upper / beta - lower / alpha - short
            dv = linalg.cho_solve(factor, Z.T @ (weights * wanted) - slope)
            da = weights * (wanted - Z @ dv)
            ds, dx = -(lower + s * da) / alpha, (xi * da - upper) / beta
            far = min(longest(s, ds), longest(xi, dx)), min(longest(alpha, da), longest(beta, -da))
            products = (alpha + far[1] * da) @ (s + far[0] * ds), (beta - far[1] * da) @ (xi + far[0] * dx)
            left = sum(products) / (2 * len(y))
            goal, corrections = mu * (left / mu) ** 3, (ds * da, -dx * da)
        step = 0.995 * min(far)
        v, alpha, s, xi = v + step * dv, alpha + step * da, s + step * ds, xi + step * dx
        above = objective(X, y, v[:-1], v[-1], C, bias)
        best = Optimum(max(best.below, bound(Z, y, alpha, C, bias)), min(best.above, above))
        if step < 1e-8:
            break
    return best


def ascended(X: sparse.csr_matrix, y: np.ndarray, C: float) -> Optimum:
    """Coordinate ascent in the dual, for sparse rows and a bias that is penalized."""
    rows = extended(X)
    alpha, v = np.zeros(len(y)), np.zeros(rows.shape[1])
    squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    rng, began, best = np.random.default_rng(0), time.perf_counter(), Optimum(0.0, C * len(y))
    while best.above - best.below > 1e-7 * best.above and time.perf_counter() - began < SECONDS:
        for _ in range(5):
            ascend(rows.data, rows.indices, rows.indptr, y, squares, C, rng.permutation(len(y)), alpha, v)
        above = objective(rows, y, v, 0.0, C, FREE)
        best = Optimum(max(best.below, float(alpha.sum() - 0.5 * v @ v)), min(best.above, above))
    return best


@numba.njit
def ascend(data, indices, starts, y, squares, C, order, alpha, v):
    """Maximize the dual over one alpha after another."""
    for i in order:
        score = 0.0
        for k in range(starts[i], starts[i + 1]):
            score += data[k] * v[indices[k]]
        new = min(max(alpha[i] + (1.0 - y[i] * score) / squares[i], 0.0), C)
        change = (new - alpha[i]) * y[i]
        alpha[i] = new
        if change != 0.0:
            for k in range(starts[i], starts[i + 1]):
                v[indices[k]] += change * data[k]
