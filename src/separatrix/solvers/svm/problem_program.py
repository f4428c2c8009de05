"""The program of a problem in coordinates of moderate size; its rows stay where they are stored.

alpha is counted in units in which squares neither overflow nor vanish. Some thousand rows at a time are copied, as
a_i = y_i [z_i, 1], when a solver asks for them.
"""

from dataclasses import replace

import numpy as np

from separatrix import rows
from separatrix.compiling import loaded
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.fused_sums import class_sums, worth_looping
from separatrix.products import combination, dense_rows
from separatrix.rows import Vector, measured_rows
from separatrix.solvers.svm.program import Program, mean_penalty
from separatrix.threads import cached_property

MAX_CENTRE = 100.0  # distance of the centre from the origin in units of the spread, up to which sums keep their digits
CACHED_NUMBERS = 2**16  # that stay in the cache from one operation to the next
ROWS_PER_COPY = 8192
SAMPLE_RATIO = 12  # one row of so many is in a sample
MIN_SAMPLE, MAX_SAMPLE = 500, 50_000  # rows of a class in a sample, where it has them


class ProblemProgram:
    """A RowProgram over the rows of a problem; there is no linear term f."""

    required = 1.0

    def __init__(self, problem: Problem, coordinates: Coordinates) -> None:
        self.problem, self.coordinates = problem, coordinates
        self.objective: SoftMargin = problem.objective
        penalty = coordinates.penalty()
        self.unit = unit_of_alpha(penalty, self.objective, problem.cost)
        self.H, self.f = penalty / self.unit, np.zeros(len(penalty))
        self.n_rows, self.n_columns = problem.n_rows, coordinates.scale.size
        self.hard, self.is_far = self.objective.hard, is_far(coordinates)
        self.price = 2.0 * self.objective.C / self.unit  # of half the square of a slack

    @cached_property
    def upper(self) -> Vector:
        """The bounds of alpha."""
        return self.objective.upper(self.problem.cost) / self.unit

    @cached_property
    def ridge(self) -> Vector:
        """The slack that a unit of alpha buys."""
        return self.objective.dual_ridge(self.problem.cost) * self.unit

    @property
    def sides(self) -> np.ndarray:
        """Which rows are of class 1."""
        return self.problem.signs > 0

    def violations(self, v: Vector) -> Vector:
        """1 - y g(x) of every row."""
        return 1.0 - self.problem.margins(*self.coordinates.plane(v))

    def residual(self, v: Vector, alpha: Vector) -> Vector:
        """A'alpha - Hv."""
        signed = alpha * self.problem.signs
        total = combination(self.problem.X, signed)
        return self.coordinates.weighted_sum(total, float(signed.sum())) - self.H @ v

    def restricted(self, band: np.ndarray, groups: list[np.ndarray]) -> Program:
        """The program of some rows, to which each group of violators adds one row, their mean, or a quadratic."""
        A, cost = self.rows(band), self.problem.cost[band]
        if groups and not self.objective.squared:
            sums, weights = self.group_sums(groups)
            A, cost = np.vstack([A, sums / weights[:, None]]), np.append(cost, weights)
        upper, ridge = self.objective.upper(cost) / self.unit, self.objective.dual_ridge(cost) * self.unit
        program = Program(A, np.ones(len(A)), upper, ridge, self.H, self.f)
        if not (groups and self.objective.squared):
            return program
        price, matrix = self.price, sum(self.gram(group) for group in groups)
        return program._replace(H=self.H + price * matrix, f=price * self.group_sums(groups)[0].sum(axis=0))

    def group_sums(self, groups: list[np.ndarray]) -> tuple[Vector, Vector]:
        """sum_i cost_i a_i and sum_i cost_i over groups of rows, each of one class."""
        if self.is_far:  # each row is measured from the centre first
            measured = [sum(self.problem.cost[part] @ self.rows(part) for part in parts(group)) for group in groups]
            return np.array(measured), np.array([self.problem.cost[group].sum() for group in groups])
        sums, costs = class_sums(self.problem, np.concatenate(groups))
        classes = [int(self.problem.y[group[0]]) for group in groups]
        totals = [self.coordinates.weighted_sum(sums[c], costs[c]) * (2 * c - 1) for c in classes]
        return np.array(totals), costs[classes]

    def gram(self, index: np.ndarray) -> Vector:
        """sum_i cost_i a_i a_i' over some rows."""
        total = np.zeros(self.H.shape)
        for part in parts(index):
            A = self.rows(part)
            A *= np.sqrt(self.problem.cost[part])[:, None]
            total += A.T @ A
        return total

    def rows(self, index: np.ndarray) -> Vector:
        """a_i = y_i [z_i, 1] of some rows."""
        problem, coordinates = self.problem, self.coordinates
        if coordinates.basis is not None:
            return coordinates.rows(dense_rows(problem.X, index), problem.signs[index])
        d = coordinates.scale.size
        A = np.empty((index.size, d + coordinates.offset))
        signs, factor = problem.signs[index].astype(np.float64), 1.0 / coordinates.scale
        if loaded() or worth_looping(problem.X):
            measured_rows(problem.X, index, problem.signs, coordinates.centre, factor, A)
        else:  # the same operations, and so the same bits
            step = max(1, CACHED_NUMBERS // max(1, d))
            for first in range(0, index.size, step):
                some = slice(first, first + step)
                z = dense_rows(problem.X, index[some])
                z -= coordinates.centre
                z *= factor
                np.multiply(z, signs[some, None], out=A[some, :d])
        if coordinates.offset:
            A[:, -1] = signs
        return A

    def make_feasible(self, band: np.ndarray, violators: np.ndarray, violation: Vector) -> None:
        """Add a row to a band, in place, for a class that has none: rows of one alone would send the offset away."""
        add_missing_side(self.sides, band, violators, violation)

    def sample(self) -> "ProblemProgram":
        """The program of some rows of each class, which count for the others too."""
        index, cost = sample_of(self.problem)
        X, y = rows.take(self.problem.X, index), self.problem.y[index]
        return ProblemProgram(replace(self.problem, X=X, y=y, cost=cost), self.coordinates)


def unit_of_alpha(penalty: Vector, objective: SoftMargin, cost: Vector) -> float:
    """A power of two between the size of alpha to be expected from the penalty and that of its bounds."""
    expected = mean_penalty(penalty)
    price = expected if objective.hard else objective.C * float(cost.max())
    return float(2.0 ** np.round(np.log2(np.sqrt(expected) * np.sqrt(price))))


def is_far(coordinates: Coordinates) -> bool:
    """Whether rows are so far from the origin that sums over them would cancel."""
    return coordinates.basis is None and bool(np.any(np.abs(coordinates.centre) > MAX_CENTRE * coordinates.scale))


def parts(index: np.ndarray) -> list[np.ndarray]:
    """Some thousand rows at a time."""
    return np.array_split(index, -(-index.size // ROWS_PER_COPY))


def add_missing_side(sides: np.ndarray, band: np.ndarray, violators: np.ndarray, violation: Vector) -> None:
    """Add the row with the largest violation to a band, in place, for each side that has no row there."""
    for side in (False, True):
        own = sides == side
        if own.any() and not np.any(own & (band | violators)):
            band[np.argmax(np.where(own, violation, -np.inf))] = True


def sample_of(problem: Problem) -> tuple[np.ndarray, Vector]:
    """The numbers of some rows, of each class where there are classes, and their cost, as they count for the others."""
    rng = np.random.default_rng(0)  # any sample leads to the same answer
    everything = np.arange(problem.n_rows)
    groups = [np.flatnonzero(problem.y == code) for code in range(2)] if problem.n_classes else [everything]
    chosen, weights = [], []
    for own in filter(np.size, groups):
        size = min(own.size, max(min(own.size // SAMPLE_RATIO, MAX_SAMPLE), MIN_SAMPLE))
        places = (np.arange(size) + rng.random(size)) * (own.size / size)  # stratified, but not every so many
        chosen.append(own[places.astype(np.int64)])
        weights.append(problem.cost[chosen[-1]] * (own.size / size))
    return np.concatenate(chosen), np.concatenate(weights)
