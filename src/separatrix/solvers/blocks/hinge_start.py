"""A plane near the optimum of a hinge over blocks, and a width around its margin that most likely settles all others.

The optimum of a sample leaves about 3 sqrt(k / rows of the sample) of all rows undecided, those nearest to its margin.
Where these are too many to be brought together, Newton's method on the hinge smoothed within that width takes a step
for each pass over all rows, and the width becomes shorter with the steps (`svm.smoothed_newton`).
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.blocks.hinge_sums import STEP_LENGTHS, SmoothedSums, smoothed_fold
from separatrix.solvers.blocks.plane_in_view import PlaneInView
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.smoothed_newton import (
    INITIAL_WIDTH,
    MIN_WIDTH,
    MIN_WIDTH_RATIO,
    RELATIVE_PIVOT,
    TRUSTED_MOVE,
    UNSETTLED_WIDTH,
    root_mean_square,
)

SAMPLE_ERROR = 3.0  # times sqrt(k / rows of the sample): part of the rows whose side its optimum may not tell
MAX_NEWTON_PASSES = 12


def near_steps(
    view: PlaneInView, sample: tuple[Problem, Vector], n_rows: int, most: int, budget: Budget
) -> Steps[tuple[PlaneInView, float]]:
    """A plane, and the width of a band around its margin that holds at most about `most` rows.

    `view` is the optimum of a sample, whose rows stand for so many each.
    """
    some, counts = sample
    undecided = min(1.0, SAMPLE_ERROR * (view.coordinates.width / some.n_rows) ** 0.5) * n_rows
    width = max(distance_of(view.distances(some), counts, undecided), MIN_WIDTH)
    if undecided <= most:
        return view, width
    return (yield from newton_steps(view, width, sample, most, budget))


def newton_steps(
    view: PlaneInView, h: float, sample: tuple[Problem, Vector], most: int, budget: Budget
) -> Steps[tuple[PlaneInView, float]]:
    """Steps over all rows, one in each pass, until a band of three times h has at most `most` rows."""
    (some, counts), step, sums = sample, view.v, None
    first, before = view.at(np.zeros(view.v.size)), INITIAL_WIDTH  # of no plane, which the first has to be better than
    for _ in range(MAX_NEWTON_PASSES):
        if budget.spent():
            break
        sums = yield smoothed_fold(first, before, step, h)
        t = STEP_LENGTHS[int(np.argmin([objective_value(first, step, sums, t) for t in STEP_LENGTHS]))]
        if t < 1.0:  # the step was too long
            first = first.at(first.v + t * step)
            h, step = max(before, min(INITIAL_WIDTH, t * move_of(first, step, some, before))), np.zeros(step.size)
            before = h
            continue
        first, before = first.at(first.v + step), h
        wanted = newton_step(first, sums, h)
        if wanted is None:
            break
        step, near = wanted, first.at(first.v + wanted)
        moved = move_of(first, step, some, h)
        h = max(MIN_WIDTH, min(h, max(MIN_WIDTH_RATIO * h, moved / TRUSTED_MOVE)))
        unsettled = float(counts[near.distances(some) <= UNSETTLED_WIDTH * h].sum())
        if moved <= before and unsettled <= most:
            return near, UNSETTLED_WIDTH * h
    return first, max(distance_of(first.distances(some), counts, 0.5 * most), MIN_WIDTH)


def move_of(view: PlaneInView, step: Vector, some: Problem, h: float) -> float:
    """By how much a step changes the violations of most rows of a sample that are within h of the margin."""
    violation = view.violations(some)
    along, distance = violation - view.at(view.v + step).violations(some), np.abs(violation)
    return 2.0 * root_mean_square(along[distance <= max(h, float(distance.min()))])


def objective_value(view: PlaneInView, step: Vector, sums: SmoothedSums, t: float) -> float:
    """The smoothed objective after a part of a step."""
    losses, v = sums.losses[STEP_LENGTHS.index(t)], view.v + t * step
    return 0.5 * float(view.coordinates.penalties @ v**2) + view.C * float(losses)


def newton_step(view: PlaneInView, sums: SmoothedSums, h: float) -> Vector | None:
    """The step to where the quadratic of the smoothed hinge is least; None where rounding keeps it from being found."""
    penalty, C = view.coordinates.penalty(), view.C
    gradient = penalty @ view.v - C * sums.slopes
    matrix = penalty + (0.5 * C / h) * sums.gram
    matrix.ravel()[:: len(matrix) + 1] *= 1.0 + RELATIVE_PIVOT
    try:
        step = cho_solve(cho_factor(matrix), -gradient)
    except (LinAlgError, ValueError):
        return None
    return step if np.isfinite(step).all() else None


def distance_of(distance: Vector, counts: Vector, wanted: float) -> float:
    """The distance from the margin within which so many rows are, if each of a sample stands for some."""
    order = np.argsort(distance, kind="stable")
    place = int(np.searchsorted(np.cumsum(counts[order]), wanted))
    return float(distance[order[min(place, order.size - 1)]])
