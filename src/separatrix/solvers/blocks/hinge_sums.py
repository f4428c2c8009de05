"""What passes over blocks add up for a hinge: a smoothed gradient and Hessian, a band of rows, and rows that left it.

    a_i = y_i [z_i, 1],     violation_i = 1 - a_i.v

in the coordinates of `problem.coordinates`. Rows within the band of a plane are gathered. Of the violators beyond it
sums suffice, one for each class: their mean, as one row, costs what they cost while all of them are violators
(`svm.working_set`). Rows that exceed the margin by more than the band cost nothing.

A tube has two such variables for each row, one for each side of it (`svm.bordered_program`); a row is gathered where
either is within the band. The sums are then over variables, and those of each side.
"""

from typing import NamedTuple

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.fold import Fold, added
from separatrix.products import combination, weighted_gram
from separatrix.rows import Vector
from separatrix.solvers.blocks.gathered_rows import GatheredRows
from separatrix.solvers.blocks.plane_in_view import AnyProgram, PlaneInView, copies, costs
from separatrix.solvers.svm.bordered_program import BorderedProgram
from separatrix.solvers.svm.problem_program import parts
from separatrix.solvers.svm.working_set import ROUNDING

ON_MARGIN = 1e-8  # violation up to which a row may be on the margin, but for rounding
STEP_LENGTHS = (1.0, 0.5, 0.25, 0.125, 0.03125, 0.0)  # parts of a step that are compared


class SideSums(NamedTuple):
    """Of variables on each side: how many, sum_p c_p, sum_p c_p required_p and sum_p c_p a_p."""

    counts: np.ndarray
    costs: Vector
    required: Vector
    totals: Vector

    @classmethod
    def of(cls, program: AnyProgram, chosen: np.ndarray) -> "SideSums":
        """The sums over some variables of a block."""
        sides = [np.flatnonzero(chosen & (program.sides == side)) for side in (False, True)]
        cost, required = costs(program), np.broadcast_to(program.required, chosen.shape)
        totals = [weighted_rows(program, side, cost[side]) for side in sides]
        weights = [float(cost[side].sum()) for side in sides]
        wanted = [float(cost[side] @ required[side]) for side in sides]
        counts = np.array([side.size for side in sides])
        return cls(counts, np.array(weights), np.array(wanted), np.array(totals))

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
    """What all rows say of a new plane: what violations cost, how many rows it misplaces, and the worst of these."""

    losses: float
    misplaced: int
    rows: GatheredRows


def weighted_rows(program: AnyProgram, index: np.ndarray, weights: Vector) -> Vector:
    """sum_p weights_p a_p over some variables."""
    if not index.size:
        return np.zeros(len(program.H))
    if isinstance(program, BorderedProgram):
        return program.group_sum(index, weights)
    problem, coordinates = program.problem, program.coordinates
    if program.is_far:  # each row is measured from the centre first
        places = np.split(weights, np.cumsum([part.size for part in parts(index)])[:-1])
        terms = [some @ program.rows(part) for some, part in zip(places, parts(index), strict=True)]
        return np.sum(terms, axis=0)
    signed = np.zeros(problem.n_rows)
    signed[index] = weights * problem.signs[index]
    return coordinates.weighted_sum(combination(problem.X, signed), float(signed.sum()))


def smoothed_fold(view: PlaneInView, h: float, step: Vector, new_h: float) -> Fold:
    """A pass for a step of Newton's method on a smoothed hinge, from where the last step led to.

    The losses are those within h after parts of that step; the slopes and the matrix those within `new_h` after it.
    """

    def tally(block: Problem, first: int) -> SmoothedSums:
        program = view.program(block)
        cost = costs(program)
        start, violation = program.violations(view.v), program.violations(view.v + step)
        losses = [smoothed_losses(start + t * (violation - start), h) @ cost for t in STEP_LENGTHS]
        share = np.clip(0.5 + violation * (0.5 / new_h), 0.0, 1.0) * cost
        counting, near = np.flatnonzero(share), np.flatnonzero(np.abs(violation) <= new_h)
        gram = np.zeros((view.v.size,) * 2)
        for part in parts(near) if near.size else ():
            gram += weighted_gram(program.rows(part), cost[part])
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
        return Band(kept, beyond.merged(violators(view, others)))

    def tally(block: Problem, first: int) -> Band:
        program = view.program(block)
        violation = program.violations(view.v)
        distance = np.abs(violation).reshape(copies(program), -1).min(axis=0)
        near = distance <= h
        index = np.flatnonzero(near)
        rows = GatheredRows.of(block, first, index, distance[index])
        return limited(rows, SideSums.of(program, np.tile(~near, copies(program)) & (violation > 0.0)))

    return Fold(
        tally, lambda one, other: limited(one.rows.merged(other.rows), one.beyond.merged(other.beyond)), Band._make
    )


def violators(view: PlaneInView, rows: GatheredRows) -> SideSums:
    """The sums over those of gathered rows that violate the margin of a plane."""
    program = view.program(view.gathered(rows))
    return SideSums.of(program, program.violations(view.v) > 0.0)


def check_fold(view: PlaneInView, v: Vector, numbers: np.ndarray, most: int, inside: np.ndarray) -> Fold:
    """A pass that finds the rows beyond the band of a plane that are on the other side of the margin of a new v.

    Where alpha of the violators of a side came out `inside` its bounds, those that are on the margin are misplaced. The
    value of a row is by how much it is.
    """

    def tally(block: Problem, first: int) -> Checked:
        program = view.program(block)
        bounded, violation = program.violations(view.v) > 0.0, program.violations(v)
        least = np.where(inside, ON_MARGIN, -ROUNDING)[program.sides.astype(np.int64)]
        wrong = np.where(bounded, violation < least, violation > ROUNDING).reshape(copies(program), -1)
        named = numbers[np.searchsorted(numbers, first) : np.searchsorted(numbers, first + block.n_rows)] - first
        wrong[:, named] = False
        index = np.flatnonzero(wrong.any(axis=0))
        value = np.where(wrong, np.abs(violation).reshape(wrong.shape), 0.0).max(axis=0)[index]
        rows = GatheredRows.of(block, first, index, value).largest(most)
        return Checked(float(np.maximum(violation, 0.0) @ costs(program)), index.size, rows)

    def merge(one: Checked, other: Checked) -> Checked:
        rows = one.rows.merged(other.rows).largest(most)
        return Checked(one.losses + other.losses, one.misplaced + other.misplaced, rows)

    return Fold(tally, merge, Checked._make)
