"""Novelty detection in the space of a kernel (Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson, 2001).

    min 1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - <w, phi(x_i)>),      W = sum_i c_i

    dual   min 1/2 ||sum_i alpha_i phi(x_i)||^2,     0 <= alpha_i <= c_i,     sum_i alpha_i = nu W

The plane keeps the rows from the origin; at most a part nu of them is on the other side of it.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.objectives import NuMargin
from separatrix.problem import Problem, Solution
from separatrix.problem.coordinates import spread_out
from separatrix.rows import Vector, take
from separatrix.solvers.kernel.dual.dual_optimum import Limits, dual_optimum
from separatrix.solvers.kernel.dual.nu_margin_dual import NuMarginDual
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.options import number
from separatrix.solvers.svm.best_offset import least_offset

FREE_RTOL = 1e-9  # relative distance of alpha from its bounds from which on its row is on the plane
MAX_FREE_ROWS = 100  # whose scores are averaged


def one_class(
    problem: Problem,
    *,
    nu: float = 0.5,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    cache_mb: float | None = None,
    space: KernelSpace | None = None,
    start: DualityGap | None = None,
) -> Solution:
    """Separate rows of one class from the origin in the space of the problem's kernel, to a relative gap of tol.

    All rows are of class 1 and the problem has no offset. The model's is -rho, in the scale in which alpha adds up to
    nu W: rows whose score is negative are novel.

    >>> import numpy as np
    >>> from separatrix.kernels import Linear
    >>> rows = Problem(np.array([[1.0], [2.0], [3.0], [4.0]]), np.ones(4), 2, fit_intercept=False, kernel=Linear())
    >>> one_class(rows, nu=0.5).model.scores(rows.X).round(6).tolist()  # alpha = 1 for two rows
    [-4.5, -1.5, 1.5, 4.5]
    """
    posed = problem.posed(NuMargin(number("nu", nu, above=0.0, most=1.0)))
    limits = Limits(tol, max_iter, time_limit, cache_mb)
    found = dual_optimum(posed, NuMarginDual.of, limits, space, start)
    claim: Any = found.certificate
    if isinstance(claim, DualityGap):
        rho = threshold(posed, claim.support, claim.w)
        return replace(found, model=replace(found.model, b=-rho))
    rho = threshold(posed, claim.coefficients_of, claim.w)
    claim = replace(claim, b=-rho)
    return replace(found, model=replace(found.model, b=-rho), certificate=replace(claim, stated=claim.error(posed)))


def threshold(problem: Problem, support: np.ndarray, alpha: Vector) -> float:
    """rho: the score of rows whose alpha is inside its bounds; without any, the middle of what is optimal."""
    cost = problem.cost[support]
    free = np.flatnonzero(np.minimum(alpha, cost - alpha) > FREE_RTOL * np.minimum(cost, alpha.max(initial=0.0)))
    some = free[spread_out(free.size, MAX_FREE_ROWS)] if free.size else free
    index = support[some] if free.size else np.arange(problem.n_rows)
    X = take(problem.X, index)
    scores = problem.kernel.expansion(problem.support_rows(support), alpha, X)
    if free.size:
        return float(scores.mean())
    everything = np.ones(problem.n_rows, dtype=bool)
    return -least_offset(-scores, everything, problem.cost, False, problem.objective.total(problem))
