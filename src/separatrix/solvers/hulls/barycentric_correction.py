"""The barycentric correction procedure (Poulard, 1995): the plane across the line between two weighted means.

    w = sum over class 1 of a_i x_i / sum a_i  -  sum over class 0 of a_i x_i / sum a_i,      a_i > 0
    b = the offset with the fewest rows on the wrong side, in the widest gap between scores
    a_i += step of its class,   for each row i on the wrong side

Both means are points of the convex hulls, and rows that are misclassified draw them towards themselves. The step of a
class is the ratio of its rows to those of the other class, between 1 and `MAX_STEP`. No proof of convergence is known,
so the best plane so far is kept: it is a Separator where it separates, and otherwise claims nothing.
"""

import numpy as np

from separatrix.certificates import Separator, Unproved
from separatrix.errors import OptionError
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.products import combination, scores
from separatrix.rows import Vector, length
from separatrix.solvers.options import whole
from separatrix.solvers.watching import tell

ROUNDING = 16.0 * float(np.finfo(np.float64).eps)  # of a sum, relative to its longest term and the root of their number
MAX_STEP = 30.0  # what a weight grows by at most, where the classes are of very different sizes
GAP_TOLERANCE = 1e-9  # relative; gaps that differ by less are equally wide, and the first is taken


def barycentric_correction(problem: Problem, *, max_iter: int = 1000) -> Solution:
    """Move the weights towards misclassified rows, and keep the best plane; two classes with an offset.

    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 0, 1, 1]))
    >>> barycentric_correction(problem).certificate
    Separator(proved, 4 rows, stated=0)
    """
    if not problem.fit_intercept:
        raise OptionError(
            "The 'fit_intercept' parameter must be True for barycentric correction, whose planes lie between means. "
            "Got False."
        )
    positive, cost = problem.y == 1, problem.cost / problem.cost.max()
    sizes = np.array([cost[~positive].sum(), cost[positive].sum()])
    steps = np.clip(sizes / sizes[::-1], 1.0, MAX_STEP)[problem.y] * cost
    noise = (
        ROUNDING * float(np.sqrt(problem.n_rows)) * problem.radius
    )  # below it, means and scores cannot be told apart
    tell("problem", problem=problem)
    weights, fewest, best = cost.copy(), np.inf, Plane(np.zeros(problem.n_features), 1.0)
    for step in range(1, whole("max_iter", max_iter) + 1):
        w = barycentre_difference(problem, weights)
        w[np.abs(w) <= noise] = 0.0
        projected = scores(problem.X, w)
        b, errors = best_offset(projected, positive, cost, noise * length(w))
        if errors < fewest:
            fewest, best = errors, Plane(w, b)
        tell("step", w=w, b=b, errors=errors, best=best, weights=weights)
        if errors == 0.0 and (claim := Separator.issue(problem, w, b)).proof:
            return Solution(best, claim, Status.SEPARATED, History(step, step))
        weights += np.where((projected + b > 0.0) == positive, 0.0, steps)
    wrong = int(np.count_nonzero(problem.margins(best.w, float(best.b)) <= 0.0))
    reason = "the best plane between weighted means that was seen; whether a better one exists is not known"
    stated = Unproved(reason, best.w, best.b).error(problem)
    return Solution(best, Unproved(reason, best.w, best.b, stated), Status.ENDED, History(step, step, wrong, wrong))


def barycentre_difference(problem: Problem, weights: Vector) -> Vector:
    """The weighted mean of class 1 less that of class 0."""
    totals = np.array([weights[problem.y == c].sum() for c in (0, 1)])
    return combination(problem.X, problem.signs * weights / totals[problem.y])


def best_offset(projected: Vector, positive: np.ndarray, cost: Vector, noise: float = 0.0) -> tuple[float, float]:
    """The offset b for which the fewest rows have the wrong sign of projected + b, by cost, and what these cost.

    No offset is between scores that differ by `noise` or less.

    >>> best_offset(np.array([0.0, 1.0, 4.0, 2.0]), np.array([False, True, True, False]), np.ones(4))
    (-3.0, 1.0)
    """
    order = np.argsort(projected, kind="stable")
    values, signed = projected[order], np.where(positive, cost, -cost)[order]
    # after[k]: the errors with the k lowest rows in class 0; neighbours of equal value cannot be told apart
    after = cost[~positive].sum() + np.concatenate([[0.0], np.cumsum(signed)])
    span = float(values[-1] - values[0]) or 1.0
    edges = np.concatenate([[values[0] - span], values, [values[-1] + span]])
    gaps = np.diff(edges)
    after = np.where(gaps > noise, after, np.inf)
    least = after.min()
    equal = after <= least + GAP_TOLERANCE * cost.sum()
    k = int(np.argmax(equal & (gaps >= gaps[equal].max() * (1.0 - GAP_TOLERANCE))))
    wrong = np.where(np.arange(order.size) < k, positive[order], ~positive[order])
    return -float(edges[k] + 0.5 * gaps[k]), float(cost[order][wrong].sum())
