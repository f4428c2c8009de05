"""The program of a band of gathered rows and the violators beyond it; rows that its optimum misplaces join the band."""

from typing import NamedTuple

import numpy as np

from separatrix.objectives.dual_rule import DualRule
from separatrix.problem import Problem
from separatrix.problem.fold import Fold, as_it_is, joined
from separatrix.rows import Vector
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.hinge_sums import Band, band_fold, check_fold, violators
from separatrix.solvers.blocks.plane_in_view import AnyProgram, PlaneInView, named_alpha
from separatrix.solvers.blocks.side_by_side import Steps
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.decomposition import MAX_ROWS_AT_ONCE
from separatrix.solvers.svm.program import Approximation, Program
from separatrix.solvers.svm.working_set import ROUNDING, narrowed_optimum

MAX_CHECKS = 40  # passes that may find rows to join a band
MAX_WIDENINGS, WIDENING = 8, 8.0  # of a band without rows of one class
MAX_BAND_RATIO = 2.0  # times the rows that may be gathered at a time: rows of a band that others have joined


class BandOptimum(NamedTuple):
    """A plane, and the rows of its band with what the dual point has of each."""

    view: PlaneInView
    rows: GatheredRows
    alpha: Vector

    @property
    def problem(self) -> Problem:
        """The question that the rows of the band alone make."""
        return self.view.gathered(self.rows)

    def rule(self, plane: tuple[Vector, float]) -> DualRule:
        """The dual point, where all other rows are as they are at a plane."""
        return self.view.rule(plane, self.rows.numbers, self.alpha)

    def fold(self) -> Fold:
        """The passes for primal and dual value."""
        plane = self.view.plane
        return self.view.objective.fold(*plane, self.rule(plane))


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
        value = 0.5 * float(view.coordinates.penalties @ v**2) + view.C * checked.losses
        view = view.at(v if value < least else 0.5 * (v + best))  # where the step was too long, half of it
        least, best = min((least, best), (value, v), key=lambda pair: pair[0])
        band = yield from two_sided_band(view, width, most)
    return found, values


def two_sided_band(view: PlaneInView, width: float, most: int) -> Steps[Band]:
    """The rows near the margin of a plane; of a wider band where there are none, or of a class none here and beyond."""
    for _ in range(MAX_WIDENINGS):
        band: Band = yield band_fold(view, width, most)
        if band.rows.size and (is_two_sided(view, band) or not view.coordinates.offset):
            break
        width *= WIDENING
    return band


def is_two_sided(view: PlaneInView, band: Band) -> bool:
    """Whether there are variables of both sides: those of one alone would send the offset away."""
    sides = view.program(view.gathered(band.rows)).sides
    return all(band.beyond.counts[side] > 0 or np.any(sides == bool(side)) for side in (0, 1))


def with_joined(view: PlaneInView, band: Band, joining: GatheredRows) -> Band:
    """The band with more rows; those that were violators leave the sums."""
    return Band(band.rows.merged(joining), band.beyond.without(violators(view, joining)))


def band_optimum(view: PlaneInView, band: Band, width: float, budget: Budget) -> tuple[Vector, Vector, np.ndarray]:
    """v and the dual point of the rows of a band, where the violators beyond it count as one row for each side.

    And for each side whether alpha of that row is inside its bounds.
    """
    whole = view.program(view.gathered(band.rows))
    program = band_program(view, whole, band)
    if len(program.A) <= MAX_ROWS_AT_ONCE:
        v, alpha = optimum(program, budget)
    else:
        v, alpha = narrowed_optimum(program, budget, Approximation(view.v, width))
    n, inside = whole.n_rows, np.zeros(2, dtype=bool)
    inside[band.beyond.counts > 0] = alpha[n:] < (1.0 - ROUNDING) * program.upper[n:]
    return v, named_alpha(whole, whole.unit * alpha[:n]), inside


def band_program(view: PlaneInView, whole: AnyProgram, band: Band) -> Program:
    """The program of the rows of a band, and of one row for the violators of each side."""
    program, sides = whole.restricted(np.arange(whole.n_rows), []), np.flatnonzero(band.beyond.counts)
    if not sides.size:
        return program
    costs = band.beyond.costs[sides]
    return program._replace(
        A=np.vstack([program.A, band.beyond.totals[sides] / costs[:, None]]),
        required=np.append(program.required, band.beyond.required[sides] / costs),
        upper=np.append(program.upper, view.C * costs / whole.unit),
        ridge=np.append(program.ridge, np.zeros(sides.size)),
    )
