"""A plane near the optimum of a hinge over blocks, and a width around its margin that most likely settles all others.

The optimum of a sample leaves about 3 sqrt(k / rows of the sample) of all rows undecided, those nearest to its margin. Where
these are too many to be brought together, Newton's method on the hinge smoothed within that width takes a step for
each pass over all rows, and the width becomes shorter with the steps (`svm.smoothed_newton`).
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.hinge_sums import PlaneInView, SmoothedSums, smoothed_fold
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.linear_svm import coordinates_for, linear_svm
from separatrix.solvers.svm.smoothed_newton import (
    CONVERGED_MOVE,
    MIN_WIDTH,
    MIN_WIDTH_RATIO,
    RELATIVE_PIVOT,
    TRUSTED_MOVE,
    UNSETTLED_WIDTH,
    root_mean_square,
)

SAMPLE_ERROR = 3.0  # times sqrt(k / rows of the sample): part of the rows whose side its optimum may not tell
MAX_NEWTON_PASSES = 8


def near_steps(
    problem: BlockedProblem, sample: GatheredRows, most: int, tol: float, budget: Budget
) -> Steps[tuple[PlaneInView, float]]:
    """A plane, and the width of a band around its margin that holds at most about `most` rows."""
    some = sample.problem(problem.fit_intercept, problem.objective)
    coordinates = coordinates_for(some)
    found = linear_svm(some, C=problem.objective.C, tol=tol, max_iter=max(1, budget.left))
    view = PlaneInView(coordinates, problem.objective, coordinates.vector(found.w, found.b))
    undecided = min(1.0, SAMPLE_ERROR * (coordinates.width / some.n_rows) ** 0.5) * problem.n_rows
    width = max(distance_of(view.violations(some), sample.value, undecided), MIN_WIDTH)
    if undecided <= most:
        return view, width
    return (yield from newton_steps(view, width, (some, sample.value), most, budget))


def newton_steps(
    view: PlaneInView, h: float, sample: tuple[Problem, Vector], most: int, budget: Budget
) -> Steps[tuple[PlaneInView, float]]:
    """Steps over all rows, one in each pass, until a band of three times h has at most `most` rows."""
    (some, counts), step, least = sample, np.zeros(view.v.size), np.inf
    for _ in range(MAX_NEWTON_PASSES):
        if budget.spent():
            break
        sums: SmoothedSums = yield smoothed_fold(view, h)
        value = objective_value(view, sums)
        if not value <= least and root_mean_square(step) > 0.0:  # the step was too long
            step *= 0.5
            view = view.at(view.v - step)
            continue
        least, wanted = value, newton_step(view, sums, h)
        if wanted is None:
            break
        step = wanted
        violation = view.violations(some)
        along = violation - view.at(view.v + step).violations(some)
        moved = 2.0 * root_mean_square(along[np.abs(violation) <= max(h, float(np.abs(violation).min()))])
        view = view.at(view.v + step)
        distance = np.abs(view.violations(some))
        h = max(MIN_WIDTH, MIN_WIDTH_RATIO * h, min(h, moved / TRUSTED_MOVE)) if moved <= 2.0 * h else min(moved, 2.0)
        if float(counts[distance <= UNSETTLED_WIDTH * h].sum()) <= most and moved <= CONVERGED_MOVE / MIN_WIDTH_RATIO * h:
            return view, UNSETTLED_WIDTH * h
    return view, max(distance_of(view.violations(some), counts, 0.5 * most), MIN_WIDTH)


def objective_value(view: PlaneInView, sums: SmoothedSums) -> float:
    """The objective of a plane, from what violations cost."""
    return 0.5 * float(view.coordinates.penalties @ view.v**2) + view.objective.C * sums.losses


def newton_step(view: PlaneInView, sums: SmoothedSums, h: float) -> Vector | None:
    """The step to where the quadratic of the smoothed hinge is least; None where rounding keeps it from being found."""
    penalty, C = view.coordinates.penalty(), view.objective.C
    gradient = penalty @ view.v - C * sums.slopes
    matrix = penalty + (0.5 * C / h) * sums.gram
    matrix.ravel()[:: len(matrix) + 1] *= 1.0 + RELATIVE_PIVOT
    try:
        step = cho_solve(cho_factor(matrix), -gradient)
    except (LinAlgError, ValueError):
        return None
    return step if np.isfinite(step).all() else None


def distance_of(violation: Vector, counts: Vector, wanted: float) -> float:
    """The distance from the margin within which so many rows are, if each of a sample stands for some."""
    distance = np.abs(violation)
    order = np.argsort(distance, kind="stable")
    place = int(np.searchsorted(np.cumsum(counts[order]), wanted))
    return float(distance[order[min(place, order.size - 1)]])
