"""The optimum for one C as the start for another: the steps of a regularization path.

Rows that are far from the margin stay where they are while C changes a little. A Newton step on a smoothed hinge tells
how far the plane will move, and so which rows may change their set on the way. The others are settled: what they add to
Hv = A'alpha is known from the optimum for the first C, where it is all that the rows inside leave of Hv, and for the
second C it is that times the ratio of both.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.objectives import SoftMargin
from separatrix.objectives.soft_margin_sums import normal_of
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import score_size
from separatrix.rows import CSR, UNIT_ROUNDOFF, Rows, Vector, length
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.finite_newton import Curvature
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.program import Approximation, Program
from separatrix.solvers.svm.smoothed_newton import MIN_WIDTH, newton_step, root_mean_square, width
from separatrix.solvers.svm.working_set import n_deciding, narrowed_optimum, working_set_optimum

AT_BOUND = 1e-9  # relative distance from its bound within which an alpha is at it
OPTIMUM_MAX_VIOLATION = 1e-7  # of rows on the wrong side of the margin, up to which a start is an optimum of these rows
BAND_PER_MOVE, MIN_BAND = 4.0, 0.1  # times the move of most rows in Newton's step, and times h: width of the band
BAND_ROWS_PER_COLUMN = 2.0  # at least
NARROWING_RATIO = 2.0  # times the rows that decide: fewer are not worth a narrower band
EXACT_GAP = 1e-13  # relative gap that the optimum for another C leads to
PLANE_RTOL = 64.0 * UNIT_ROUNDOFF  # of scores, by the rounding of w and b
NORMAL_RTOL = 1e-9  # relative difference of w and sum_i alpha_i y_i x_i
SUM_RTOL = 1e-14  # of the terms of a sum, by which rounding may move it


@dataclass
class WarmStart:
    """A plane to start from, and what else is known of it; a solver leaves its own optimum here for the next C."""

    w: Vector | None = None  # None: nothing is known
    b: float = 0.0
    objective: SoftMargin | None = None  # whose optimum it is, where it is one
    support: Any = None  # its dual variables
    alpha: Any = None
    n_rows: int = 0
    problem: Problem | None = None  # to whose rows coordinates and curvature belong
    coordinates: Coordinates | None = None
    curvature: Curvature | None = None  # of the violators of a squared hinge, each by its cost

    @classmethod
    def of(cls, claim: DualityGap) -> "WarmStart":
        """The optimum that a certificate claims; its plane alone, where a rule gives alpha."""
        if claim.rule is not None:
            return cls(claim.w, claim.b)
        return cls(claim.w, claim.b, claim.objective, claim.support, claim.alpha, claim.n_rows)

    def keep(self, other: "WarmStart") -> None:
        """Take over what another one knows."""
        for field in fields(self):
            setattr(self, field.name, getattr(other, field.name))

    def is_about(self, problem: Problem) -> bool:
        """Whether coordinates and curvature belong to these rows, classes and costs."""
        own = self.problem
        if own is None or first_entry(own.X) != first_entry(problem.X) or own.fit_intercept != problem.fit_intercept:
            return False
        return np.array_equal(own.y, problem.y) and np.array_equal(own.cost, problem.cost)

    def scaled_alpha(self, problem: Problem) -> Vector | None:
        """alpha for another C, where rows at their bound stay at it; None where it says nothing about these rows."""
        alpha, objective = self.dense_alpha(problem), problem.objective
        if alpha is None or self.objective is None or not (objective.boxed and self.objective.boxed):
            return None
        at_bound = alpha >= (1.0 - AT_BOUND) * self.objective.upper(problem.cost)
        return np.where(at_bound, objective.upper(problem.cost), alpha)

    def dense_alpha(self, problem: Problem) -> Vector | None:
        """alpha of every row; None where it is of other rows."""
        if self.support is None or self.alpha is None or self.n_rows != problem.n_rows:
            return None
        alpha = np.zeros(problem.n_rows)
        alpha[self.support] = self.alpha
        return alpha


def first_entry(X: Rows) -> tuple[int, int]:
    """Where the rows are in memory, and how many numbers there are."""
    data = X.data if isinstance(X, CSR) else X
    return data.ctypes.data, data.size


class ContinuedProgram(ProblemProgram):
    """The program for another C, where rows outside of the band keep the sets that they have at the optimum v."""

    def __init__(self, program: ProblemProgram, v: Vector, alpha: Vector, ratio: float) -> None:
        super().__init__(program.problem, program.coordinates)
        self.v, self.alpha, self.ratio = v, alpha / self.unit, ratio  # of the C before to this one

    def restricted(self, band: np.ndarray, groups: list[np.ndarray]) -> Program:
        """The program of the band; the violators outside of it add a linear term."""
        program = super().restricted(band, [])
        return program._replace(f=(self.H @ self.v - self.alpha[band] @ program.A) / self.ratio)


def continued_optimum(program: ProblemProgram, start: WarmStart, budget: Budget) -> tuple[Vector, Vector] | None:
    """v and alpha of all rows from the optimum for another C; None if the start is none, or of other rows."""
    here, there, cost = program.objective, start.objective, program.problem.cost
    alpha = start.dense_alpha(program.problem)
    if start.w is None or alpha is None or there is None or not (here.boxed and there.boxed and here.C != there.C):
        return None
    v, support = program.coordinates.vector(start.w, start.b), start.support
    violation = 1.0 - program.problem.margins(start.w, start.b)
    upper = there.upper(cost[support])
    at_bound = start.alpha >= (1.0 - AT_BOUND) * upper
    bounded, free = np.zeros(alpha.size, dtype=bool), support[~at_bound]
    bounded[support[at_bound]] = True
    alpha[support[at_bound]] = upper[at_bound]
    misplaced = (violation > 0.0) != bounded
    misplaced[free] = False
    if (np.abs(violation[misplaced]) > OPTIMUM_MAX_VIOLATION).any():
        return None
    predicted = predicted_step(program, v, violation, here.C / there.C)
    if predicted is None:
        return None
    step, moved, reach = predicted
    band = np.abs(violation) <= reach
    band[free] = True
    if not band.any():  # without a row nothing holds the offset
        return None
    continued = ContinuedProgram(program, v, alpha, there.C / here.C)
    near, k = Approximation(v + step, max(moved, MIN_WIDTH)), v.size
    solve = narrowed_optimum if np.count_nonzero(band) > NARROWING_RATIO * n_deciding(k) else optimum
    return working_set_optimum(continued, band, bounded & ~band, budget, near, solve)


def predicted_step(
    program: ProblemProgram, v: Vector, violation: Vector, growth: float
) -> tuple[Vector, float, float] | None:
    """The Newton step on a smoothed hinge where C grows, how far it moves most rows, and the width of the band."""
    distance, k = np.abs(violation), v.size
    h = max(width(distance, n_deciding(k)), MIN_WIDTH)
    step = newton_step(program, distance, (1.0 - growth) * (program.H @ v), h, thinned=True)
    if step is None:
        return None
    moved = 2.0 * root_mean_square(program.rows(np.flatnonzero(distance <= h)) @ step)
    least = h * max(MIN_BAND, BAND_ROWS_PER_COLUMN * k / n_deciding(k))
    return step, moved, max(BAND_PER_MOVE * moved, least)


def is_exact(problem: Problem, coordinates: Coordinates, claim: DualityGap) -> bool:
    """Whether only rounding keeps a plane from the optimum: by its gap, and by how nearly alpha makes w.

    A gap is nearly the square of the error of w, and next to many slacks ||w||^2 is nothing.
    """
    # w and b are rounded themselves, which moves scores by units of their largest term, and slack costs alpha
    of_plane = PLANE_RTOL * float(claim.alpha.sum()) * (1.0 + abs(claim.b) + score_size(problem.X, claim.w))
    if claim.values.gap > max(EXACT_GAP * abs(claim.primal), claim.values.rounding, of_plane):
        return False
    normal = normal_of(problem, claim.support, claim.alpha * problem.signs[claim.support])
    size = np.abs(coordinates.centre) + (coordinates.scale if coordinates.basis is None else coordinates.scale.max())
    rounding = SUM_RTOL * float(claim.alpha.sum()) * size
    return bool((np.abs(normal - claim.w) <= NORMAL_RTOL * length(claim.w) + rounding).all())
