"""The program of a band of gathered rows and the violators beyond it; rows that its optimum misplaces join the band."""

from typing import NamedTuple

import numpy as np

from separatrix.objectives.dual_rule import HingeBand
from separatrix.problem import Problem
from separatrix.problem.fold import Fold, as_it_is, joined
from separatrix.rows import Vector, read_only
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.hinge_sums import Band, PlaneInView, SideSums, band_fold, check_fold
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.decomposition import MAX_ROWS_AT_ONCE
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.program import Approximation, Program
from separatrix.solvers.svm.working_set import ROUNDING, narrowed_optimum

MAX_CHECKS = 40  # passes that may find rows to join a band
MAX_WIDENINGS, WIDENING = 8, 8.0  # of a band without rows of one class
MAX_BAND_RATIO = 2.0  # times the rows that may be gathered at a time: rows of a band that others have joined


class BandOptimum(NamedTuple):
    """A plane, and the rows of its band with their alpha."""

    view: PlaneInView
    rows: GatheredRows
    alpha: Vector

    @property
    def plane(self) -> tuple[Vector, float]:
        """w and b."""
        w, b = self.view.coordinates.plane(self.view.v)
        return w, float(b)

    @property
    def problem(self) -> Problem:
        """The question that the rows of the band alone make."""
        return self.rows.problem(self.view.coordinates.offset, self.view.objective)

    def rule(self, plane: tuple[Vector, float]) -> HingeBand:
        """The dual point, where all other rows are as they are at a plane."""
        return HingeBand(self.view.objective.C, *plane, read_only(self.rows.numbers), read_only(self.alpha))

    def fold(self) -> Fold:
        """The passes for primal and dual value."""
        return self.view.objective.fold(*self.plane, self.rule(self.plane))


def band_steps(view: PlaneInView, width: float, most: int, budget: Budget) -> Steps[tuple[BandOptimum, Fold]]:
    """The optimum of all rows from bands around planes that become better; and the second pass of its values."""
    band, least, best = (yield from two_sided_band(view, width, most)), np.inf, view.v
    for _ in range(MAX_CHECKS):
        v, alpha, inside = band_optimum(view, band, width, budget)
        found = BandOptimum(view.at(v), band.rows, alpha)
        check = check_fold(view, v, band.rows.numbers, most, inside)
        checked, values = yield joined([check, found.fold()], [as_it_is] * 2)
        if not checked.misplaced or budget.spent():
            break
        if band.rows.size + checked.rows.size <= MAX_BAND_RATIO * most:
            band = with_joined(view, band, checked.rows)
            continue
        value = 0.5 * float(view.coordinates.penalties @ v**2) + view.objective.C * checked.losses
        view = view.at(v if value < least else 0.5 * (v + best))  # where the step was too long, half of it
        least, best = min((least, best), (value, v), key=lambda pair: pair[0])
        band = yield from two_sided_band(view, width, most)
    return found, values


def two_sided_band(view: PlaneInView, width: float, most: int) -> Steps[Band]:
    """The rows near the margin of a plane; of a wider band where there are none, or of a class none here and beyond."""
    for _ in range(MAX_WIDENINGS):
        band: Band = yield band_fold(view, width, most)
        if band.rows.size and (is_two_sided(band) or not view.coordinates.offset):
            break
        width *= WIDENING
    return band


def is_two_sided(band: Band) -> bool:
    """Whether there are rows of both classes: those of one alone would send the offset away."""
    return bool(np.all((np.bincount(band.rows.y, minlength=2) > 0) | (band.beyond.counts > 0)))


def with_joined(view: PlaneInView, band: Band, joining: GatheredRows) -> Band:
    """The band with more rows; those that were violators leave the sums."""
    program = view.program(joining.problem(view.coordinates.offset, view.objective))
    leaving = SideSums.of(program, joining.value < 0.0)
    return Band(band.rows.merged(joining), band.beyond.without(leaving))


def band_optimum(view: PlaneInView, band: Band, width: float, budget: Budget) -> tuple[Vector, Vector, np.ndarray]:
    """v and alpha of the rows of a band, where the violators beyond it count as one row for each class.

    And for each class whether alpha of that row is inside its bounds.
    """
    program, unit = band_program(view, band)
    if len(program.A) <= MAX_ROWS_AT_ONCE:
        v, alpha = optimum(program, budget)
    else:
        v, alpha = narrowed_optimum(program, budget, Approximation(view.v, width))
    n, inside = band.rows.size, np.zeros(2, dtype=bool)
    inside[band.beyond.counts > 0] = alpha[n:] < (1.0 - ROUNDING) * program.upper[n:]
    return v, unit * alpha[:n], inside


def band_program(view: PlaneInView, band: Band) -> tuple[Program, float]:
    """The program, and the unit of its alpha."""
    whole = ProblemProgram(band.rows.problem(view.coordinates.offset, view.objective), view.coordinates)
    program, sides = whole.restricted(np.arange(band.rows.size), []), np.flatnonzero(band.beyond.counts)
    if sides.size:
        costs = band.beyond.costs[sides]
        program = program._replace(
            A=np.vstack([program.A, band.beyond.totals[sides] / costs[:, None]]),
            required=np.append(program.required, np.ones(sides.size)),
            upper=np.append(program.upper, view.objective.C * costs / whole.unit),
            ridge=np.append(program.ridge, np.zeros(sides.size)),
        )
    return program, whole.unit
