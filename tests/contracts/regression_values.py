"""Primal and dual values of the objectives of regression, in NumPy's long doubles and by formulas written out here.

A new objective whose solver certifies a DualityGap gets a function here, and an entry in `TRUE_VALUES`: the contract
then holds every row of the registry that minimises it to these values. A function is given dense rows X in long
doubles, the problem and the claim; it returns the primal value of the claim's plane, the dual value of its dual point
repaired to be feasible, and the size of the terms that both were summed from.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.objectives import EpsilonInsensitive, NuInsensitive, SparseTube
from separatrix.problem import Problem


class TrueValues(NamedTuple):
    primal: Any
    dual: Any
    terms: Any


def feasible(problem: Problem, claim: DualityGap) -> np.ndarray:
    """beta of every row in long doubles, within its bounds, those of the heavier sign scaled down to a sum of 0."""
    beta, price = np.zeros(problem.n_rows, "g"), claim.objective.C * problem.cost.astype("g")
    beta[claim.support] = claim.alpha
    if not claim.objective.squared:
        beta = np.clip(beta, -price, price)
    return balanced(beta) if problem.fit_intercept else beta


def best_multiple(linear: Any, quadratic: Any) -> Any:
    """The largest t linear - t^2 quadratic / 2 for 0 <= t <= 1."""
    t = min(max(linear / quadratic, 0), 1) if quadratic > 0 else 1 if linear > 0 else 0
    return t * linear - t * t * quadratic / 2


def epsilon_insensitive(X: np.ndarray, problem: Problem, claim: DualityGap) -> TrueValues:
    """The values of a tube of a given width."""
    objective, w, y = claim.objective, claim.w.astype("g"), problem.y.astype("g")
    price, beta = objective.C * problem.cost.astype("g"), feasible(problem, claim)
    excess = np.maximum(0, np.abs(y - X @ w - claim.b) - objective.epsilon)
    losses = price @ (excess**2 if objective.squared else excess)
    normal = X.T @ beta
    given = np.sum(beta**2 / (2 * price)) if objective.squared else 0
    linear = beta @ y - objective.epsilon * np.abs(beta).sum()
    size = np.abs(X) @ np.abs(w) + np.abs(y) + abs(claim.b)
    terms = (
        w @ w
        + losses
        + price @ size * (1 + excess.max())
        + np.abs(beta) @ np.abs(y)
        + np.sum((np.abs(X).T @ np.abs(beta)) ** 2)
    )
    return TrueValues(w @ w / 2 + losses, best_multiple(linear, given + normal @ normal), terms)


def nu_insensitive(X: np.ndarray, problem: Problem, claim: DualityGap) -> TrueValues:
    """The values of a tube whose width is free: of all widths that some row has, the best is the optimum."""
    objective, w, y, cost = claim.objective, claim.w.astype("g"), problem.y.astype("g"), problem.cost.astype("g")
    price, beta = objective.C * cost, feasible(problem, claim)
    most = objective.C * objective.nu * cost.sum()
    beta *= min(1, most / (np.abs(beta).sum() or 1))
    off = np.abs(y - X @ w - claim.b)
    widths = np.concatenate([[0], off])
    costs = [most * width + price @ np.maximum(0, off - width) for width in widths]
    normal, size = X.T @ beta, np.abs(X) @ np.abs(w) + np.abs(y) + abs(claim.b)
    terms = w @ w + min(costs) + price @ size + np.abs(beta) @ np.abs(y) + np.sum((np.abs(X).T @ np.abs(beta)) ** 2)
    return TrueValues(w @ w / 2 + min(costs), best_multiple(beta @ y, normal @ normal), terms)


def balanced(beta: np.ndarray) -> np.ndarray:
    """Beta whose positive and negative entries add up to 0: the larger sum is scaled down."""
    up, down = beta[beta > 0].sum(), -beta[beta < 0].sum()
    least = min(up, down)
    return np.where(beta > 0, beta * least / (up or 1), beta * least / (down or 1))


def sparse_tube(X: np.ndarray, problem: Problem, claim: DualityGap) -> TrueValues:
    """l1 ||w||_1 + the mean of max(0, r^2 - epsilon), and its dual at beta with |X'beta| <= l1 and a sum of 0."""
    objective, w, share = claim.objective, claim.w.astype("g"), problem.cost.astype("g") / problem.cost.sum()
    y, beta = problem.y.astype("g"), np.zeros(problem.n_rows, "g")
    beta[claim.support] = claim.alpha
    beta = balanced(beta) if problem.fit_intercept else beta
    middle = (y.max() + y.min()) / 2 if problem.fit_intercept else 0
    size = np.abs(X - problem.fit_intercept * share @ X).T @ np.abs(beta)
    beta = beta / max(1, (np.abs(X.T @ beta) / objective.l1 - ROUNDED * size / objective.l1).max(initial=0))
    losses = share @ np.maximum(0, (y - X @ w - claim.b) ** 2 - objective.epsilon)
    u, edge = np.abs(beta / share), np.sqrt(np.longdouble(objective.epsilon))
    conjugates = share @ np.where(u <= 2 * edge, edge * u, u**2 / 4 + edge**2)
    primal, dual = objective.l1 * np.abs(w).sum() + losses, beta @ (y - middle) - conjugates
    scores = np.abs(X) @ np.abs(w) + abs(claim.b) + np.abs(y)
    slopes = share * np.abs(y - X @ w - claim.b) + np.abs(beta)
    return TrueValues(primal, max(dual, 0), primal + conjugates + slopes @ scores + size @ np.abs(w))


ROUNDED = 4e-15  # part of the terms of X'beta that rounding may have made of it
TRUE_VALUES: dict[type, Callable[[np.ndarray, Problem, DualityGap], TrueValues]] = {
    EpsilonInsensitive: epsilon_insensitive,
    NuInsensitive: nu_insensitive,
    SparseTube: sparse_tube,
}
