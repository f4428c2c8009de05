"""What passes over blocks add up for a hinge: a smoothed gradient and Hessian, a band of rows, and rows that left it.

    a_i = y_i [z_i, 1],     violation_i = 1 - a_i.v

in the coordinates of `problem.coordinates`. Rows within the band of a plane are gathered. Of the violators beyond it
sums suffice, one for each class: their mean, as one row, costs what they cost while all of them are violators
(`svm.working_set`). Rows that exceed the margin by more than the band cost nothing.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.fold import Fold, added
from separatrix.products import combination, weighted_gram
from separatrix.rows import TINY, Vector
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.svm.problem_program import ProblemProgram, parts
from separatrix.solvers.svm.working_set import ROUNDING

ON_MARGIN = 1e-8  # violation up to which a row may be on the margin, but for rounding
STEP_LENGTHS = (1.0, 0.5, 0.25, 0.125, 0.03125, 0.0)  # parts of a step that are compared


class SideSums(NamedTuple):
    """Of rows of each class: how many, sum_i c_i and sum_i c_i a_i."""

    counts: np.ndarray
    costs: Vector
    totals: Vector

    @classmethod
    def of(cls, program: ProblemProgram, chosen: np.ndarray) -> "SideSums":
        """The sums over some rows of a block."""
        sides = [np.flatnonzero(chosen & (program.sides == side)) for side in (False, True)]
        totals = [weighted_rows(program, side, program.problem.cost[side]) for side in sides]
        costs = [float(program.problem.cost[side].sum()) for side in sides]
        return cls(np.array([side.size for side in sides]), np.array(costs), np.array(totals))

    def without(self, other: "SideSums") -> "SideSums":
        """The sums without those of some of their rows."""
        return SideSums(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))

    def merged(self, other: "SideSums") -> "SideSums":
        """The sums over the rows of both."""
        return SideSums(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class SmoothedSums(NamedTuple):
    """Smoothed losses after parts of a step; after all of it sum_i share_i c_i a_i, and sum_i c_i a_i a_i' near 0."""

    losses: Vector
    slopes: Vector
    gram: Vector


class Band(NamedTuple):
    """The rows near the margin of a plane, and sums over the violators beyond them."""

    rows: GatheredRows
    beyond: SideSums


class Checked(NamedTuple):
    """What all rows say of a new plane: what violations cost, how many rows it misplaces, and the worst of these.

    The value of a row is its violation of the new plane, and below 0 where it counted as a violator before.
    """

    losses: float
    misplaced: int
    rows: GatheredRows


class PlaneInView(NamedTuple):
    """A plane in coordinates, with what folds need to see rows as its program does."""

    coordinates: Coordinates
    objective: Any
    v: Vector

    def program(self, block: Problem) -> ProblemProgram:
        """The program of a block."""
        return ProblemProgram(block.posed(self.objective), self.coordinates)

    def violations(self, block: Problem) -> Vector:
        """1 - y g(x) of each row."""
        return self.program(block).violations(self.v)

    def at(self, v: Vector) -> "PlaneInView":
        """Another plane in the same coordinates."""
        return self._replace(v=v)


def weighted_rows(program: ProblemProgram, index: np.ndarray, weights: Vector) -> Vector:
    """sum_i weights_i a_i over some rows."""
    problem, coordinates = program.problem, program.coordinates
    if program.is_far:  # each row is measured from the centre first
        places = np.split(weights, np.cumsum([part.size for part in parts(index)])[:-1]) if index.size else []
        terms = [
            some @ program.rows(part) for some, part in zip(places, parts(index) if index.size else [], strict=True)
        ]
        return np.sum(terms, axis=0) if terms else np.zeros(coordinates.width)
    signed = np.zeros(problem.n_rows)
    signed[index] = weights * problem.signs[index]
    return coordinates.weighted_sum(combination(problem.X, signed), float(signed.sum()))


def smoothed_fold(view: PlaneInView, h: float, step: Vector, new_h: float) -> Fold:
    """A pass for a step of Newton's method on a smoothed hinge, from where the last step led to.

    The losses are those within h after parts of that step; the slopes and the matrix those within `new_h` after it.
    """

    def tally(block: Problem, first: int) -> SmoothedSums:
        program = view.program(block)
        start, violation = program.violations(view.v), program.violations(view.v + step)
        losses = [smoothed_losses(start + t * (violation - start), h) @ block.cost for t in STEP_LENGTHS]
        share = np.clip(0.5 + violation * (0.5 / new_h), 0.0, 1.0) * block.cost
        counting, near = np.flatnonzero(share), np.flatnonzero(np.abs(violation) <= new_h)
        gram = np.zeros((view.v.size,) * 2)
        for part in parts(near) if near.size else ():
            gram += weighted_gram(program.rows(part), block.cost[part])
        return SmoothedSums(np.array(losses), weighted_rows(program, counting, share[counting]), gram)

    return Fold(tally, added, lambda found: found)


def smoothed_losses(violation: Vector, h: float) -> Vector:
    """0 below -h, t above h, and the parabola (t + h)^2 / (4 h) in between."""
    inner = np.clip(violation + h, 0.0, 2.0 * h)
    return inner * inner * (0.25 / h) + np.maximum(violation - h, 0.0)


def band_fold(view: PlaneInView, h: float, most: int) -> Fold:
    """A pass that gathers the rows within h of the margin, or the `most` nearest of them."""

    def limited(rows: GatheredRows, beyond: SideSums) -> Band:
        if rows.size <= most:
            return Band(rows, beyond)
        kept, others = rows.smallest(most)
        program = view.program(others.problem(view.coordinates.offset, view.objective))
        return Band(kept, beyond.merged(SideSums.of(program, others.value > 0.0)))

    def tally(block: Problem, first: int) -> Band:
        program = view.program(block)
        violation = program.violations(view.v)
        near = np.abs(violation) <= h
        index = np.flatnonzero(near)
        rows = GatheredRows.of(block, first, index, violation[index])
        return limited(rows, SideSums.of(program, ~near & (violation > 0.0)))

    return Fold(
        tally, lambda one, other: limited(one.rows.merged(other.rows), one.beyond.merged(other.beyond)), Band._make
    )


def check_fold(view: PlaneInView, v: Vector, numbers: np.ndarray, most: int, inside: np.ndarray) -> Fold:
    """A pass that finds the rows beyond the band of a plane that are on the other side of the margin of a new v.

    Where alpha of the violators of a class came out `inside` its bounds, those that are on the margin are misplaced.
    """

    def tally(block: Problem, first: int) -> Checked:
        bounded, violation = view.violations(block) > 0.0, view.at(v).violations(block)
        least = np.where(inside, ON_MARGIN, -ROUNDING)[(block.signs > 0).astype(np.int64)]
        wrong = np.where(bounded, violation < least, violation > ROUNDING)
        named = numbers[np.searchsorted(numbers, first) : np.searchsorted(numbers, first + block.n_rows)] - first
        wrong[named] = False
        index = np.flatnonzero(wrong)
        value = np.where(bounded, np.minimum(violation, -TINY), violation)[index]
        rows = GatheredRows.of(block, first, index, value).largest(most)
        return Checked(float(np.maximum(violation, 0.0) @ block.cost), index.size, rows)

    def merge(one: Checked, other: Checked) -> Checked:
        rows = one.rows.merged(other.rows).largest(most)
        return Checked(one.losses + other.losses, one.misplaced + other.misplaced, rows)

    return Fold(tally, merge, Checked._make)
