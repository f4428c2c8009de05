"""The program of a band of gathered rows and the violators beyond it; rows that its optimum misplaces join the band."""

from typing import NamedTuple

import numpy as np

from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.hinge_sums import Band, Checked, PlaneInView, SideSums, band_fold, check_fold
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.decomposition import MAX_ROWS_AT_ONCE
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.program import Approximation, Program
from separatrix.solvers.svm.working_set import narrowed_optimum

MAX_CHECKS = 40  # passes that may find rows to join a band
MAX_WIDENINGS, WIDENING = 8, 8.0  # of a band without rows of one class
MAX_BAND_RATIO = 2.0  # times the rows that may be gathered at a time: rows of a band that others have joined


class BandOptimum(NamedTuple):
    """A plane, the rows of its band with their alpha, and whether every other row is where its rule says."""

    view: PlaneInView
    rows: GatheredRows
    alpha: Vector
    settled: bool

    @property
    def problem(self) -> Problem:
        """The question that the rows of the band alone make."""
        return self.rows.problem(self.view.coordinates.offset, self.view.objective)


def band_steps(view: PlaneInView, width: float, most: int, budget: Budget) -> Steps[BandOptimum]:
    """The optimum of all rows from bands around planes that become better."""
    band, least, best = (yield band_fold(view, width, most)), np.inf, view.v
    for _ in range(MAX_WIDENINGS):
        if is_two_sided(band) or not view.coordinates.offset:
            break
        width *= WIDENING
        band = yield band_fold(view, width, most)
    for _ in range(MAX_CHECKS):
        v, alpha = band_optimum(view, band, width, budget)
        checked: Checked = yield check_fold(view, v, band.rows.numbers, most)
        found = BandOptimum(view.at(v), band.rows, alpha, not checked.misplaced)
        if found.settled or budget.spent():
            break
        if band.rows.count + checked.rows.count <= MAX_BAND_RATIO * most:
            band = with_joined(view, band, checked.rows)
            continue
        value = 0.5 * float(view.coordinates.penalties @ v**2) + view.objective.C * checked.losses
        view = view.at(v if value < least else 0.5 * (v + best))  # where the step was too long, half of it
        least, best = min((least, best), (value, v), key=lambda pair: pair[0])
        band = yield band_fold(view, width, most)
    return found


def is_two_sided(band: Band) -> bool:
    """Whether there are rows of both classes: those of one alone would send the offset away."""
    return bool(np.all((np.bincount(band.rows.y, minlength=2) > 0) | (band.beyond.counts > 0)))


def with_joined(view: PlaneInView, band: Band, joining: GatheredRows) -> Band:
    """The band with more rows; those that were violators leave the sums."""
    program = view.program(joining.problem(view.coordinates.offset, view.objective))
    leaving = SideSums.of(program, joining.value < 0.0)
    return Band(band.rows.merged(joining), band.beyond.without(leaving))


def band_optimum(view: PlaneInView, band: Band, width: float, budget: Budget) -> tuple[Vector, Vector]:
    """v and the alpha of the rows of a band, where the violators beyond it count as one row for each class."""
    program, unit = band_program(view, band)
    if len(program.A) <= MAX_ROWS_AT_ONCE:
        v, alpha = optimum(program, budget)
    else:
        v, alpha = narrowed_optimum(program, budget, Approximation(view.v, width))
    return v, unit * alpha[: band.rows.count]


def band_program(view: PlaneInView, band: Band) -> tuple[Program, float]:
    """The program, and the unit of its alpha."""
    whole = ProblemProgram(band.rows.problem(view.coordinates.offset, view.objective), view.coordinates)
    program, sides = whole.restricted(np.arange(band.rows.count), []), np.flatnonzero(band.beyond.counts)
    if sides.size:
        costs = band.beyond.costs[sides]
        program = program._replace(
            A=np.vstack([program.A, band.beyond.totals[sides] / costs[:, None]]),
            required=np.append(program.required, np.ones(sides.size)),
            upper=np.append(program.upper, view.objective.C * costs / whole.unit),
            ridge=np.append(program.ridge, np.zeros(sides.size)),
        )
    return program, whole.unit
