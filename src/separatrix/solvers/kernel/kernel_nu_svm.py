"""The nu support vector machine in the space of a kernel (Schoelkopf, Smola, Williamson and Bartlett, 2000).

    min 1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - y_i (<w, phi(x_i)> + b)),      rho >= 0,  W = sum_i c_i

    dual   min 1/2 ||sum_i alpha_i y_i phi(x_i)||^2,   0 <= alpha_i <= c_i,   sum over each class of alpha_i = nu W / 2

Solutions are stored with rho = 1: those of a soft margin with C = 1 / rho. A nu above 2 min(W+, W-) / W counts as that.
Where sums of both classes can be equal, w = 0 is the optimum: for every nu up to nu_min.
"""

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import OptionError
from separatrix.objectives import NuMargin
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.problem.distinct import row_bytes
from separatrix.rows import Vector
from separatrix.solvers.kernel.dual.dual_optimum import Limits, dual_optimum
from separatrix.solvers.kernel.dual.nu_margin_dual import NuMarginDual
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.options import number


def kernel_nu_svm(
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
    """Minimise the nu form of two classes in the space of the problem's kernel to a relative gap of tol.

    The alpha of the claim adds up to nu W, and its w is y alpha / rho; both are 0 together where w is. A nu that is
    infeasible counts as the largest one that is not.

    >>> from separatrix.kernels import Polynomial
    >>> gate = Problem(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]), kernel=Polynomial(2, 1.0))
    >>> kernel_nu_svm(gate, nu=0.5).model.scores(gate.X).round(6).tolist()  # XOR
    [-1.0, 1.0, 1.0, -1.0]
    """
    if not problem.fit_intercept:
        raise OptionError("The nu machine of two classes is solved with an offset. Use fit_intercept=True.")
    posed = problem.posed(NuMargin(number("nu", nu, above=0.0, most=1.0)))
    limits = Limits(tol, max_iter, time_limit, cache_mb)
    equal = pairs_of_equal_rows(posed)
    if equal.sum() >= posed.objective.total(posed):
        return no_plane(posed, equal, limits)
    return dual_optimum(posed, NuMarginDual.of, limits, space, start)


def no_plane(problem: Problem, pairs: Vector, limits: Limits) -> Solution:
    """w = 0, proved by weights of equal rows that cancel between the classes, in the space of any kernel."""
    limits.budget(), limits.accuracy()
    support = np.flatnonzero(pairs)
    alpha = pairs[support] * (problem.objective.total(problem) / pairs.sum())
    claim = DualityGap.issue(problem, np.zeros(support.size), 0.0, alpha, support)
    model = Expansion(problem.kernel, problem.support_rows(support[:0]), alpha[:0], 0.0)
    return Solution(model, claim, Status.SOLVED, History(1, 1))


def nu_min_of_equal_rows(problem: Problem) -> float:
    """The largest nu at which w = 0, for a kernel that is strictly positive definite on distinct rows, as an RBF is.

    Sums of both classes can be equal only in rows that both have: 2 sum over groups of equal rows of
    min(weight of class 0, weight of class 1) / W.

    >>> nu_min_of_equal_rows(Problem(np.array([[1.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 1, 0])))
    0.5
    """
    return float(pairs_of_equal_rows(problem).sum() / problem.cost.sum())


def pairs_of_equal_rows(problem: Problem) -> Vector:
    """The part of each row's weight that equal rows of the other class balance."""
    places: dict[bytes, int] = {}
    group = np.fromiter((places.setdefault(row, len(places)) for row in row_bytes(problem.X)), np.int64, problem.n_rows)
    own = 2 * group + problem.y
    weights = np.bincount(own, problem.cost, 2 * len(places)).reshape(-1, 2)
    parts = weights.min(axis=1, keepdims=True) / np.where(weights > 0.0, weights, 1.0)
    return problem.cost * parts.ravel()[own]
